// SPDX-License-Identifier: Apache-2.0
// A compute unit in functional mode: runs whole work-groups over the same instruction semantics as
// the pipeline, straight on memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/common/gds_message.h"
#include "models/common/memory_message.h"
#include "models/common/page.h"
#include "models/common/trace_sink.h"
#include "models/cu/functional/code_cache.h"
#include "models/cu/isa/buffer_wave.h"
#include "models/cu/isa/image_op.h"
#include "models/cu/isa/image_wave.h"
#include "models/cu/isa/lane_memory.h"
#include "models/cu/pipeline/coalescer.h"
#include "models/cu/pipeline/cu_core.h"
#include "models/gcn/compute_message.h"
#include "models/gcn/export_message.h"
#include "models/mc/surface/tile_mode.h"

namespace archipelago::cu {

// Same meaning as the counters of the same names in cycle mode.
struct FunctionalStats {
    WorkCounters work;
};

// Follows what waves ask of the first-level caches of a unit with a pipeline, in order.
class AccessObserver {
  public:
    virtual ~AccessObserver() = default;
    // Instructions of the bytes from `first` to before `end` were executed.
    virtual void fetched(uint64_t first, uint64_t end, uint8_t vmid) = 0;
    virtual void loaded(uint64_t address, unsigned bytes, uint8_t vmid) = 0;  // scalar
    virtual void requested(const MemRequest& request) = 0;                    // vector
    // invalidate_l1 or invalidate_scalar, of this unit's cache.
    virtual void invalidated(const CacheAction& action) = 0;
};

// The unit's connections besides memory. The use of a null one stops the machine by name. Graphics
// messages are all but interrupts.
struct FunctionalPorts {
    GdsPort* gds = nullptr;
    ExportSink* exports = nullptr;
    MessageSink* interrupts = nullptr;
    MessageSink* graphics = nullptr;
    // Costs time: with one, every access is decoded as the address unit does. Null: none.
    AccessObserver* accesses = nullptr;
    // Called between the turns of waves, unless it is empty; what it throws ends the dispatch.
    std::function<void()> between_turns = {};
};

// Waves of a group run round robin: each until it reaches a barrier, ends, sleeps, or has used up
// its turn. Groups run one after another; one that waits for the global data share can be suspended
// until another group releases it. A program whose groups wait for each other's writes to memory
// hangs: the instruction limit then stops the machine.
class FunctionalCu {
  public:
    static constexpr uint64_t kDefaultInstructionLimit = uint64_t{1} << 30;

    FunctionalCu(const CuSpec& spec, FunctionalMemory& memory, CuIdentity identity = {});

    void connect(const FunctionalPorts& ports) { ports_ = ports; }

    // Programs may have changed since: drops what was decoded and translated.
    void new_dispatch();
    // Between dispatches: registers and LDS are cleared for each group, code is decoded again.
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(suspended_.empty(), "work-groups wait for the global data share");
        a(tiling_, group_, groups_, clock_);
    }
    // Memory has taken back the host pointers it gave; a wave may be running.
    void drop_host_pointers();

    // A wave that executes more instructions than this stops the machine (StopKind::Hang).
    void set_instruction_limit(uint64_t per_wave) { limit_ = per_wave; }

    // The GB block's registers, as the texture unit's address calculation sees them.
    void set_tiling(const surface::TilingRegisters& tiling) { tiling_ = tiling; }
    void write_tiling(const surface::TilingWrite& write) { tiling_.write(write); }
    const surface::TilingRegisters& tiling() const { return tiling_; }

    // Instructions executed, as text; null: none.
    void set_log(LogSink* log) {
        log_ = log != nullptr && log->enabled(LogCategory::Isa) ? log : nullptr;
    }

    // Reports what waves execute to `sink`, which must outlive this; null: no reports.
    void use_retire(RetireSink* sink) {
        retire_ = sink != nullptr
                      ? std::make_unique<RetireRecorder>(*sink, identity_.name, spec_.lds_bytes)
                      : nullptr;
    }

    // Runs the waves of one group to their end. LDS is at launch.lds_base of the unit's own LDS.
    void run_group(const WaveLaunch* waves, unsigned count, FunctionalStats& stats);

    // As run_group(), but a group whose waves wait for the global data share is suspended, and
    // finish_groups() runs suspended groups to their end, before new_dispatch(). Throws
    // MachineStop(Hang) when nothing can go on or too many wait.
    void start_group(const WaveLaunch* waves, unsigned count, FunctionalStats& stats);
    void finish_groups(FunctionalStats& stats);
    // Suspended groups do not run on: a soft reset has ended them.
    void drop_groups() {
        suspended_.clear();
        suspended_waves_ = 0;
    }

    // Architectural state of wave `index` of the group run last. For dumps and tests.
    const isa::WaveState* wave(unsigned index) const {
        return index < waves_.size() ? &waves_[index].regs : nullptr;
    }

  private:
    enum class Status : uint8_t { Running, AtBarrier, InGds, Halted, Ended };
    struct Wave {
        isa::WaveState regs;
        const WaveLaunch* launch = nullptr;
        uint32_t number = 0;    // among all of the unit's
        bool recorded = false;  // its instructions are reported
        Status status = Status::Running;
        uint64_t executed = 0;
        const Decoded* gds = nullptr;  // InGds: the instruction, and its lanes
        uint64_t gds_lanes = 0;
    };
    struct Translation {
        uint64_t page = ~uint64_t{0};
        uint8_t* host = nullptr;
    };
    struct SuspendedGroup {
        uint32_t number = 0;
        std::vector<Wave> waves;
        std::vector<WaveLaunch> launches;
        std::vector<VectorRegister> vgprs;
        std::vector<uint8_t> lds;
    };
    static constexpr unsigned kMaxSuspendedWaves = 4096;  // waves
    static constexpr uint64_t kTurn = 1 << 16;            // instructions
    static constexpr unsigned kTranslations = 256;

    // One turn of a wave, in progress.
    struct Run {
        Wave& wave;
        WorkCounters& work;
        alignas(16) std::array<uint32_t, 12> executed{};  // by class
        uint64_t lanes = 0;
        uint64_t turn = 0;  // instructions it may execute
        uint64_t left = 0;  // of them
        CodeCache::Page* page = nullptr;
        uint64_t base = 0;  // address of the page
        unsigned at = 0;    // dword of the page: the next instruction; kPageDwords: after it
        uint64_t pc() const { return base + uint64_t{at} * 4; }
    };
    static constexpr unsigned kWindows = 8;

    // Until the wave ends, reaches a barrier, sleeps, or has had its turn.
    void run(Wave& wave, WorkCounters& work);
    void go(Run& run, uint64_t address);
    void leave(Run& run);
    bool leave_at(Run& run, uint64_t pc);
    const Decoded& fetch(Run& run);
    // Executes one instruction by itself, with every check. False: the wave has left, run is over.
    bool step(Run& run);
    bool step(Run& run, const Decoded& decoded);
    void end_record(const Wave& wave);
    void branch(Run& run, const Decoded& decoded, uint64_t pc);
    void lds(Wave& wave, const Decoded& decoded);
    // functional_blocks.cpp: executes blocks; stops in front of what needs step().
    enum class After : uint8_t { Step, Left };
    After run_blocks(Run& run);
    Block* block_at(const Run& run);
    Block* enter(Run& run);
    void run_block(Run& run, const Block& block);
    void execute(Run& run, const Block& block);
    Block* jump(Run& run, Block& block);
    Block* fall(Run& run, Block& block);
    bool takes_branch(Run& run, const Decoded& decoded);
    bool waits_at_barrier(Run& run);
    void log(const Wave& wave, uint64_t pc, const Decoded& decoded) const;
    uint8_t* host(uint64_t address) {
        const Translation& t = translations_[address / kPageBytes % kTranslations];
        if (t.page == address / kPageBytes)
            return t.host + address % kPageBytes;
        return translate(address);
    }
    uint8_t* translate(uint64_t address);
    void drop_translations();
    void use_space(uint8_t vmid);
    std::string place(const Wave& wave, uint64_t pc, const Decoded* decoded) const;
    // The wave's pc is where the instruction at `pc` has sent it.
    void check_jump(const Wave& wave, uint64_t pc, const Decoded& decoded) const {
        if (wave.regs.pc % 4 != 0)
            throw MachineStop(StopKind::BadInput, place(wave, pc, &decoded),
                              "jump to an address that is not a multiple of 4");
    }
    [[noreturn]] void fault(const Wave& wave, uint64_t pc, const Decoded& decoded, const char* what,
                            uint64_t address, unsigned lane) const;

    // special.cpp
    bool special(Wave& wave, const Decoded& decoded);
    void send_message(Wave& wave, uint64_t pc, const Decoded& decoded);
    bool global_data_share(Wave& wave, uint64_t pc, const Decoded& decoded);
    // The waves of the group take turns until all have ended; false: those left wait for the GDS.
    bool run_turns(WorkCounters& work);
    void suspend_group();
    void resume_group(size_t index);
    Wave& waiting_wave(uint32_t tag);
    [[noreturn]] void stop_stuck(const std::vector<Wave>& waves) const;
    const Decoded& take_skipping(Wave& wave, WorkCounters& work);
    void act_skipping(Wave& wave, uint64_t pc, const Decoded& d, WorkCounters& work);
    void run_skipping(Wave& wave, WorkCounters& work);

    static unsigned lane_count(uint64_t lanes) {
        return lanes == ~uint64_t{0} ? isa::kLanes
                                     : static_cast<unsigned>(__builtin_popcountll(lanes));
    }

    // functional_memory.cpp
    // False: nothing was done.
    bool scalar_load(isa::WaveState& regs, const BlockOp& op);
    bool vector_access(isa::WaveState& regs, const BlockOp& op, WorkCounters& work);
    bool lds_access(isa::WaveState& regs, const BlockOp& op, const isa::LaneAccess& planned);
    const HostWindow* window(uint64_t address, uint8_t& hint) {
        const HostWindow& w = windows_[hint];
        return address - w.first < w.bytes ? &w : find_window(address, hint);
    }
    const HostWindow* find_window(uint64_t address, uint8_t& hint);
    // Tells the observer of op_, before it is executed; an image that reads texels has `image`.
    void observe_vector(const Wave& wave, const isa::ImageOp* image);
    void scalar_mem(Wave& wave, uint64_t pc, const Decoded& decoded, uint64_t clock);
    void vector_mem(Wave& wave, uint64_t pc, const Decoded& decoded, WorkCounters& work);
    void load(const Wave& wave, uint64_t pc, const Decoded& decoded);
    void store(const Wave& wave, uint64_t pc, const Decoded& decoded);
    void atomic(const Wave& wave, uint64_t pc, const Decoded& decoded);
    // functional_image.cpp
    void image_mem(Wave& wave, uint64_t pc, const Decoded& decoded, WorkCounters& work);

    bool load_linear();
    bool store_linear();
    // Calls copy(host, bytes) for each page's part; false, with the address in `bad`, at the first
    // that is not mapped.
    template <class Copy>
    bool by_page(uint64_t address, unsigned size, uint64_t& bad, Copy copy);
    // Bytes of one lane's dword k, page crossings included; false when unmapped.
    bool read_bytes(uint64_t address, void* to, unsigned size, uint64_t& bad);
    bool write_bytes(uint64_t address, const void* from, unsigned size, uint64_t& bad);

    CuSpec spec_;
    FunctionalMemory& memory_;
    CuIdentity identity_;
    surface::TilingRegisters tiling_;
    CodeCache code_;
    std::vector<Wave> waves_;
    std::vector<VectorRegister> vgprs_;
    std::vector<uint8_t> lds_;
    std::array<Translation, kTranslations> translations_{};
    bool translated_ = false;  // one of them is in use
    uint8_t vmid_ = 0;         // whose they are, the windows and the program
    std::array<HostWindow, kWindows> windows_{};
    unsigned next_window_ = 0;  // to be replaced
    const isa::LaneMemory& lane_memory_ = isa::lane_memory();
    isa::BufferWave buffer_wave_;
    isa::VectorMemOp op_;
    FunctionalPorts ports_;
    std::vector<LineAccess> accesses_;  // scratch space of observe_vector()
    std::vector<GdsResponse> answers_;
    uint32_t group_ = 0;  // number of the group that runs; requests to the GDS carry it
    uint32_t groups_ = 0;
    std::vector<WaveLaunch> launches_;  // of the resumed group
    std::vector<SuspendedGroup> suspended_;
    size_t suspended_waves_ = 0;
    DecodeCache skipping_{true};  // programs in vector skip mode
    isa::ImageUnit image_unit_;
    std::unique_ptr<isa::ImageWave> image_wave_;  // made by the first image instruction
    uint8_t image_window_ = 0;                    // where that found its memory last time
    std::unique_ptr<isa::ImageOp> image_op_;      // made by the first that goes lane by lane
    uint64_t limit_ = kDefaultInstructionLimit;
    LogSink* log_ = nullptr;
    std::unique_ptr<RetireRecorder> retire_;  // null: no reports
    uint32_t waves_started_ = 0;
    uint64_t clock_ = 0;  // instructions executed: what s_memtime returns
};

}  // namespace archipelago::cu
