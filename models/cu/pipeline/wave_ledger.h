// SPDX-License-Identifier: Apache-2.0
// Where the cycles of waves go: of each dispatch, and when asked for of each instruction. A compute
// unit charges a wave's cycles when its state changes, never cycle by cycle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/common/clocked.h"
#include "models/cu/pipeline/decoded.h"
#include "models/gcn/compute_message.h"
#include "models/gcn/draw_message.h"

namespace archipelago {
class Archive;
}

namespace archipelago::cu {

// The counters of a unit, wave_cycles_*: all together are the life of its waves.
enum class WaveTime : uint8_t {
    Issue,        // executing: until the next instruction may issue
    Arbitration,  // ready: not its SIMD's turn, or another wave was chosen
    ValuBusy,     // ready, the SIMD still works on another wave
    LdsFull,      // ready, a queue or counter is full
    VmemFull,
    SmemFull,
    Fetch,   // no instruction in the buffer
    WaitVm,  // s_waitcnt, or a counter at its limit
    WaitLgkm,
    WaitExp,
    Barrier,
    Sleep,       // s_sleep
    ExportFull,  // ready, the path to exports, GDS or messages was busy
    Halted,      // s_sethalt
    Drain,       // s_endpgm reached, memory accesses outstanding
    kCount,
};
constexpr unsigned kWaveTimes = static_cast<unsigned>(WaveTime::kCount);

// The same in more detail: every cycle of a wave has exactly one reason, and each reason belongs to
// one WaveTime. First one for each issue class, in the order of isa::Class.
enum class WaveReason : uint8_t {
    IssueValu,
    IssueSalu,
    IssueSmem,
    IssueVmem,
    IssueLds,
    IssueGds,
    IssueExport,
    IssueBranch,
    IssueMessage,
    IssueInternal,
    Dependency,
    FetchLate,
    WaitVm,
    WaitLgkm,
    LdsConflict,
    WaitExp,
    ValuBusy,
    LdsFull,
    VmemFull,
    SmemFull,
    ExportFull,
    Arbitration,
    Fetch,
    Barrier,
    Sleep,
    Halted,
    Drain,
    kCount,
};
constexpr unsigned kWaveReasons = static_cast<unsigned>(WaveReason::kCount);
static_assert(static_cast<unsigned>(WaveReason::Dependency) == kClasses);

constexpr WaveReason issue_reason(isa::Class cls) {
    return static_cast<WaveReason>(cls);
}

// Reasons as a reader of a report can tell them apart. The address unit and the queue of scalar
// loads are full when memory is slower than its requests, and a wave that has ended stays until its
// stores are done: those wait for memory, too.
enum class WaveGroup : uint8_t {
    Issue,
    Memory,
    ScalarLoads,
    Lds,
    UnitBusy,
    Dependency,
    Arbitration,
    Fetch,
    Asleep,
    kCount,
};
constexpr unsigned kWaveGroups = static_cast<unsigned>(WaveGroup::kCount);
inline constexpr std::array<const char*, kWaveGroups> kWaveGroupNames{
    "issue",
    "waits for memory",
    "waits for LDS and scalar loads",
    "LDS",
    "unit busy",
    "dependency",
    "arbitration",
    "fetch",
    "barrier and sleep"};

struct WaveReasonRow {
    const char* name;
    WaveTime time;
    WaveGroup group;
    const char* meaning;
};
inline constexpr std::array<WaveReasonRow, kWaveReasons> kWaveReasonRows{{
    {"issue_valu", WaveTime::Issue, WaveGroup::Issue, "executing a vector ALU instruction"},
    {"issue_salu", WaveTime::Issue, WaveGroup::Issue, "executing a scalar ALU instruction"},
    {"issue_smem", WaveTime::Issue, WaveGroup::Issue, "issuing a scalar memory instruction"},
    {"issue_vmem", WaveTime::Issue, WaveGroup::Issue, "issuing a vector memory instruction"},
    {"issue_lds", WaveTime::Issue, WaveGroup::Issue, "issuing a local data share instruction"},
    {"issue_gds", WaveTime::Issue, WaveGroup::Issue, "issuing a global data share instruction"},
    {"issue_export", WaveTime::Issue, WaveGroup::Issue, "issuing an export"},
    {"issue_branch", WaveTime::Issue, WaveGroup::Issue, "executing a branch"},
    {"issue_message", WaveTime::Issue, WaveGroup::Issue, "issuing a message"},
    {"issue_internal", WaveTime::Issue, WaveGroup::Issue,
     "executing in the instruction buffer: s_waitcnt, s_nop, ..."},
    {"dependency", WaveTime::Issue, WaveGroup::Dependency,
     "the result of an earlier ALU instruction is not available yet"},
    {"fetch_late", WaveTime::Issue, WaveGroup::Fetch,
     "a lone wave has outrun its instruction fetch"},
    {"wait_vm", WaveTime::WaitVm, WaveGroup::Memory, "waiting for vmcnt, or vmcnt is at its limit"},
    {"wait_lgkm", WaveTime::WaitLgkm, WaveGroup::ScalarLoads,
     "waiting for lgkmcnt, or lgkmcnt is at its limit"},
    {"lds_conflict", WaveTime::WaitLgkm, WaveGroup::Lds,
     "waiting for lgkmcnt as long as the bank conflicts of the access that ended the wait took"},
    {"wait_exp", WaveTime::WaitExp, WaveGroup::Memory,
     "waiting for expcnt, or expcnt is at its limit"},
    {"valu_busy", WaveTime::ValuBusy, WaveGroup::UnitBusy,
     "ready, the vector ALU worked on another wave"},
    {"lds_full", WaveTime::LdsFull, WaveGroup::Lds,
     "ready, the local data share could not accept it"},
    {"vmem_full", WaveTime::VmemFull, WaveGroup::Memory,
     "ready, the address unit could not accept it"},
    {"smem_full", WaveTime::SmemFull, WaveGroup::ScalarLoads,
     "ready, the scalar memory queue was full"},
    {"export_full", WaveTime::ExportFull, WaveGroup::UnitBusy,
     "ready, the path to exports, GDS or messages was busy"},
    {"arbitration", WaveTime::Arbitration, WaveGroup::Arbitration,
     "ready, waits for its SIMD's issue slot or for another wave"},
    {"fetch", WaveTime::Fetch, WaveGroup::Fetch, "no instruction in the buffer"},
    {"barrier", WaveTime::Barrier, WaveGroup::Asleep, "waiting at s_barrier"},
    {"sleep", WaveTime::Sleep, WaveGroup::Asleep, "in s_sleep"},
    {"halted", WaveTime::Halted, WaveGroup::Asleep, "halted by s_sethalt or s_sendmsghalt"},
    {"drain", WaveTime::Drain, WaveGroup::Memory, "ended, memory accesses outstanding"},
}};

constexpr size_t index_of(WaveReason reason) {
    return static_cast<size_t>(reason);
}
// By reason, for the units: close together.
inline constexpr auto kTimeOfReason = [] {
    std::array<WaveTime, kWaveReasons> times{};
    for (size_t i = 0; i < kWaveReasons; ++i)
        times[i] = kWaveReasonRows[i].time;
    return times;
}();
constexpr WaveTime time_of(WaveReason reason) {
    return kTimeOfReason[index_of(reason)];
}

// What waves of one dispatch, or of one draw and stage, have done.
struct WaveWork {
    std::array<uint64_t, kWaveReasons> cycles{};
    std::array<uint64_t, kClasses> instructions{};
    std::array<uint64_t, 2> flops{};  // f32, f64
    uint64_t valu_lanes = 0;
    uint64_t lds_bytes = 0;
    uint64_t waves = 0;
    uint64_t life = 0;  // cycles from launch to end, of waves that have ended

    void add(const WaveWork& other);
};

struct DispatchKey {
    uint32_t dispatch = 0;  // or the draw
    ShaderStage stage = ShaderStage::Cs;
    bool operator==(const DispatchKey& o) const {
        return dispatch == o.dispatch && stage == o.stage;
    }
};

struct DispatchRecord {
    DispatchKey key;
    uint64_t program = 0;  // where its waves begin, bytes
    GroupSize group;       // of its first wave
    Cycle start = 0;       // first launch
    Cycle end = 0;         // last end
    unsigned units = 0;    // compute units with waves of it now
    WaveWork work;
};

// An instruction of a program, by its address.
struct PcKey {
    uint64_t program = 0;
    uint64_t pc = 0;
    bool operator<(const PcKey& o) const {
        return program != o.program ? program < o.program : pc < o.pc;
    }
};
struct PcWork {
    const Decoded* decoded = nullptr;  // once it has issued
    uint64_t issues = 0;
    std::array<uint64_t, kWaveReasons> cycles{};
};

// Shared by the units of a chip.
class WaveLedger {
  public:
    // A unit begins, and ends, to have waves of a dispatch; `first`: the first of them.
    void begin(const DispatchKey& key, const WaveLaunch& first, Cycle now);
    void end(const DispatchKey& key, const WaveWork& work, Cycle now);

    // In no order that matters: sort by start.
    const std::vector<DispatchRecord>& records() const { return records_; }
    // Called when the first unit begins a dispatch, and when none has waves of it any more, which
    // may be several times; `record` is the index.
    using Watcher = std::function<void(size_t record, Cycle now)>;
    void watch(Watcher watcher) { watcher_ = std::move(watcher); }

    // Instructions are distinguished from now on.
    void profile() { profiling_ = true; }
    bool profiling() const { return profiling_; }
    PcWork& at(const PcKey& key) { return pcs_[key]; }
    const std::map<PcKey, PcWork>& pcs() const { return pcs_; }

    void archive(Archive& a);

  private:
    static uint64_t number_of(const DispatchKey& key) {
        return uint64_t{key.dispatch} << 8 | static_cast<uint8_t>(key.stage);
    }
    DispatchRecord& record_of(const DispatchKey& key);

    std::vector<DispatchRecord> records_;
    std::unordered_map<uint64_t, size_t> index_;  // by number and stage
    std::map<PcKey, PcWork> pcs_;
    Watcher watcher_;
    bool profiling_ = false;
};

}  // namespace archipelago::cu
