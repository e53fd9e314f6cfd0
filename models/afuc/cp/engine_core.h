// SPDX-License-Identifier: Apache-2.0
// A micro engine of the command processor in cycle mode, with what stands around it: the words of
// its levels, reads of memory and registers, the queue of its writes.
//
//   ROQ lines -> words of the level -> engine -> queue -> registers, memory
//                MRB, register reads ->      \-> queue to the ME (a5xx's PFP)
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/afuc/cp/debug_hook.h"
#include "models/afuc/cp/line_reader.h"
#include "models/afuc/cp/processor.h"
#include "models/afuc/cp/processor_log.h"
#include "models/afuc/cp/register_core.h"
#include "models/afuc/cp/word_buffer.h"
#include "models/afuc/engine/engine_unit.h"
#include "models/common/memory_message.h"
#include "models/common/ring.h"
#include "models/common/stall_cycles.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/front/ring_message.h"

namespace archipelago::afuc {

// Why an engine does not execute.
enum class EngineStall : uint8_t {
    None,
    Data,
    Memory,
    Registers,
    Instruction,
    Queue,
    Pool,
    kCount
};

// A level's words at the engine, and what is still to come.
struct LevelWords {
    WordBuffer words;
    uint64_t expected = 0;  // of buffers asked for, not taken
    uint64_t skip = 0;      // of them that a buffer after them has replaced
    bool unsent = false;    // the level's buffer has not been asked for
};

// setsecure, which the registers carry out after all writes before it.
enum class Switch : uint8_t { None, Wanted, Asked, Done, Refused };

// A barrier among the register writes.
enum class Barrier : uint8_t { None, Sent, Passed };

struct EngineCoreState {
    std::array<LevelWords, kMaxLevels> levels;
    WordBuffer from_meq;        // ME
    Ring<uint32_t> to_meq{16};  // PFP
    Ring<Action> queue{1};      // of CpSpec::queue_entries
    Ring<Action> direct{4};     // writes of REG_WRITE
    Barrier barrier = Barrier::None;
    Trust trust;
    // Another ring, once all words of this one that the fetch was told of have come; until then its
    // level counts as `unsent`.
    RingSettings next_ring;
    Switch secure = Switch::None;
    bool secure_on = false;
    // Reads of memory: MRB, load, instructions.
    LineReader memory, load, instructions;
    uint64_t memory_next = 0, memory_end = 0;  // lines of MEM_READ to ask for, bytes
    uint64_t memory_address = 0;               // MEM_READ_ADDR
    uint32_t memory_privileged = 0;            // MEM_READ_ADDR_HI_PRIVILEGED
    uint32_t memory_dwords = 0;                // MEM_READ_DWORDS
    uint64_t load_address = 0;
    bool loading = false;
    uint32_t instruction_next = 0;     // byte of the section to ask for
    uint32_t instruction_written = 0;  // words of it at the engine
    // Reads of registers.
    WordBuffer registers;  // read
    bool unsent = false;   // a level has a buffer that has not been asked for
    uint32_t register_address = 0, register_dwords = 0;  // REG_READ_ADDR, _DWORDS
    uint32_t register_next = 0, register_left = 0, registers_asked = 0;
    uint8_t register_tag = 0;
    bool live = false;  // a control register that others change, too, was asked for
    uint16_t live_index = 0;
    std::vector<uint64_t> writes;         // lines of those that memory has not acknowledged
    MemRequest write;                     // that is put together
    uint32_t published_read_pointer = 0;  // in memory
    uint8_t done = 0;                     // counters of pending work that go down, a bit for each
    uint32_t table_next = kTableWords;    // a5xx: entry of the packet table to be loaded
    uint64_t uid = 0;
    // Instructions, and the cycle, when an engine had taken a word of the ring.
    uint64_t watched_from = 0;
    Cycle watched_since = 0;
    // counters
    uint64_t instructions_done = 0, packets = 0, words_taken = 0, actions = 0;
    uint64_t memory_reads = 0, memory_writes = 0, preemptions = 0;
    StallCycles<EngineStall> stalls;
    IdleTime idle;
};

// Where the cycles of an engine went: those up to an issue cycle are its instruction's, and its
// packet's.
struct EngineProfile {
    struct Line {
        uint64_t issues = 0, cycles = 0;
    };
    struct Packet {
        uint64_t count = 0, cycles = 0, most = 0;
    };
    bool on = false;
    std::vector<Line> lines;      // by pc
    std::vector<Packet> packets;  // by entry of the packet table; [0]: before the first
    unsigned packet = 0;          // at work, not in `packets` yet
    Cycle packet_began = 0;
    Cycle counted = 0;  // up to this cycle
    // The packet at work has ended, in cycle `end`.
    void count_packet(Cycle end);
    // `packets` with the one at work, up to the last issue cycle: all that the lines have.
    std::vector<Packet> all_packets() const;
};

class EngineCore : public Unit, public Processor {
  public:
    // `unit`: takes the place of the engine; may be null.
    EngineCore(const CpSpec& cp, unsigned number, SharedControl& shared,
               rtl::PinBlock<rtl::AfucEnginePins>* unit = nullptr);

    std::vector<Channel<front::RoqLine>> roq;  // by level
    Channel<MemResponse> memory;
    Channel<RegisterAnswer> register_answer;
    Channel<uint32_t> queue_in;  // ME
    EventLink<StartEngine> start_in;
    EventLink<RingSettings> ring_in;
    EventLink<TrustUpdate> trust_in;
    EventLink<PreemptRequest> preempt_in;
    EventLink<DebugRead> debug_in;                // from the registers,
    EventLink<std::vector<uint32_t>> fetched_in;  // and what the fetch has of the words it shows
    Wire<EngineView> shown;
    Wire<IdleTime> idle_time;

    OutputEvent<front::RingUpdate> to_fetch{this};
    OutputEvent<front::RoqCredit> to_credit{this};
    OutputChannel<front::FetchCommand> to_command{this};
    OutputChannel<MemRequest> to_memory{this};
    OutputChannel<RegisterAccess> to_registers{this};
    OutputChannel<uint32_t> to_meq{this};   // PFP
    OutputEvent<uint32_t> to_shown{this};   // the answer to debug_in
    const Wire<bool>* pool_full = nullptr;  // of register writes; may be null
    // What stops it is noted in the GPU registers (GpuRegisters::note_stop()).
    std::function<MachineStop(const MachineStop& stop, EngineFault fault)> note_stop;
    // Without time: the words of a level that its fetch has and has not passed on. Null: no fetch.
    std::function<std::vector<uint32_t>(unsigned level)> fetched;
    Wire<Cycle> ring_moved;  // when it took a word of the ring
    std::vector<const Wire<Cycle>*> others_moved;
    // Of the engines that this one boots, by Role.
    std::array<OutputEvent<StartEngine>, static_cast<size_t>(Role::kCount)> to_start;

    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers) { log_.observe(observers); }
    void finish_trace(Cycle now) const { log_.finish_trace(now); }

    // Cycles by instruction and by packet are distinguished from now on.
    void profile();
    // Who asked for the words of a level: what errors of its fetch begin with.
    std::string fetches_for(unsigned level) const;
    const EngineProfile& profiled() const { return profile_; }
    void debug(DebugHook* hook) { hook_ = hook; }
    // Stops when it has executed so many instructions while no engine took a word of the ring.
    void set_instruction_limit(uint64_t limit) { instruction_limit_ = limit; }
    uint64_t instructions() const { return state_.instructions_done; }
    const EngineCoreState& state() const { return state_; }

    // What an engine in functional mode holds, at rest.
    void take_over(const Processor& other, const Trust& trust);
    // The fetch is to take up the ring where the engine is.
    void announce(Cycle now) { send_ring(now, true); }

    // Processor
    void start(uint64_t base) override;
    const Engine* engine() const override { return own_ != nullptr ? &own_->engine() : nullptr; }
    uint32_t pc() const override { return out_.pc; }
    uint32_t header() const override { return out_.header; }

  private:
    using Pins = rtl::AfucEnginePins;
    enum Tag : uint32_t { kWrite, kMemory, kLoad, kInstruction };  // MemRequest::tag

    // Processor
    std::string where_in_program() const override;
    Cycle now() const override { return now_; }
    uint64_t always_on() const override { return always_on_at(cp_, now_); }
    void carry_out(const Action& action) override;
    uint32_t words_there(unsigned level) const override;
    const uint32_t* words_of(unsigned level, unsigned words, bool take) override;
    std::vector<uint32_t> queued_words(Stream stream) const override;

    // Words of a stream at the engine, in front of those of the fetch, and how many of all of them
    // are of a buffer that another has replaced.
    struct QueuedHere {
        std::vector<uint32_t> words;
        uint64_t skip = 0;
        std::vector<uint32_t> with(const std::vector<uint32_t>& fetched) const;
    };
    QueuedHere queued_here(Stream stream, Cycle pushed_by) const;
    void memory_words_here(std::vector<uint32_t>& words) const;
    void take_debug(Cycle now);

    bool advance(Cycle now);
    bool take_inputs(Cycle now);
    void take_trust(const TrustUpdate& update);
    void take_ring(Cycle now, const RingSettings& ring);
    bool move_ring(Cycle now);
    void send_ring(Cycle now, bool reset);
    void arrive(const MemResponse& r);
    bool take_words(Cycle now);
    bool take_line(Cycle now, unsigned level);

    bool issue(Cycle now);
    [[noreturn]] void raise_fault();
    void count_profile(Cycle now);
    bool has_room() const;
    EngineStall stall_of() const;
    bool waits_for_pool() const { return pool_full != nullptr && pool_full->get(now_); }
    bool drive();
    void drive_data();
    void drive_memory();
    void drive_answers();
    bool drive_instructions();
    bool reads_privileged() const { return state_.memory_privileged >> 31 != 0; }
    uint64_t memory_address() const;

    void follow();
    void note_ring_word();
    void check_limit();
    void check_cut_off();
    void follow_reads();
    void take_memory_word();
    void take_register_word();
    void follow_writes();
    void follow_port(uint8_t kind, uint32_t index, uint32_t value);
    void follow_control(uint32_t index, uint32_t value);
    void forget_memory();
    void read_registers();
    uint32_t next_register() const;
    void want_reads();
    bool has_write(uint64_t line) const;
    void acknowledge(uint64_t line);
    std::string written_by(uint64_t line) const;
    void read_again(uint64_t address, unsigned bytes);
    void publish_view(Cycle now);
    void rest(Cycle now, bool rests);

    bool send_commands(Cycle now);
    bool drain(Cycle now);
    bool send_direct(Cycle now);
    bool drain_one(Cycle now, const Action& a);
    bool pass_barrier(Cycle now);
    bool report_untrusted(Cycle now, const Action& a, uint64_t address);
    bool add_write(uint64_t address, uint64_t value, unsigned bytes);
    bool send_write(Cycle now);
    bool pointer_is_published() const {
        return read_pointer() == state_.published_read_pointer || shadow_address() == 0;
    }
    // The read pointer in memory: a line of the ring at a time, and when the ring is empty.
    bool pointer_is_due() const {
        const uint32_t apart = read_pointer() ^ state_.published_read_pointer;
        return apart >= 16 || (apart != 0 && state_.levels[0].words.empty());
    }
    bool publish_read_pointer(Cycle now);
    // Whether lines or registers are wanted that have not been asked for.
    bool wants_reads() const {
        return state_.memory_next < state_.memory_end || state_.register_left != 0 ||
               (running_ && state_.instruction_next < 4 * spec_.words) ||
               (state_.load.queued | state_.memory.queued | state_.instructions.queued) != 0;
    }
    bool send_reads(Cycle now);
    bool send_read(Cycle now, LineReader& reader, uint32_t tag);
    bool send_register_reads(Cycle now);
    bool send_secure(Cycle now);

    const std::unique_ptr<EngineUnit> own_;  // null: a twin in its place
    rtl::PinBlock<Pins>& unit_;
    EngineCoreState state_;
    Pins::In in_;
    Pins::Out out_;
    const uint32_t read_pointer_index_;  // GPU register
    Cycle now_ = 0;
    uint64_t inputs_ = 0;  // a bit for each input with something in it
    // Worked out again from the state after a reset or an archive.
    bool answered_ = true;  // drive_answers() has something to take back
    bool loaded_ = false;   // all instructions are at the engine
    ProcessorLog log_;
    DebugHook* hook_ = nullptr;
    EngineProfile profile_;
    uint64_t instruction_limit_ = ~uint64_t{0};
    // For errors only: what armed each level, and the last writes of memory.
    struct Origin {
        uint64_t line = 0;  // bytes
        uint32_t pc = 0, packet = 0;
    };
    std::array<Origin, kMaxLevels> armed_{};
    std::vector<Origin> written_;
    size_t next_written_ = 0;
    // Of a debug register that is read, as the engine was when it was asked.
    DebugRead debug_read_;
    QueuedHere debug_words_;
};

}  // namespace archipelago::afuc
