// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/perf_counters.h"

#include <algorithm>
#include <iterator>

#include "models/common/error.h"
#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

// RBBM_PERFCTR_CNTL.
constexpr uint32_t kCounts = 1;

// Whose counters an event of a5xx counts; of newer ones the engine is the select register's.
enum class Of : uint8_t { Own, Pfp, Me };
enum class What : uint8_t { Counter, Cycles, Busy, Idle };

struct EventRow {
    uint32_t number;
    Of of;
    What what;
    const char* counter;           // after the engine's path
    const char* second = nullptr;  // added
    const char* less = nullptr;    // subtracted
};

// a5xx_cp_perfcounter_select. Stalls: what the engine writes is not taken.
constexpr EventRow kEventsA5xx[] = {
    {0, Of::Pfp, What::Cycles, ""},               // ALWAYS_COUNT
    {3, Of::Pfp, What::Idle, ""},                 // PFP_IDLE
    {4, Of::Pfp, What::Counter, "instructions"},  // PFP_BUSY_WORKING
    {5, Of::Pfp, What::Counter, "stall_queue"},   // PFP_STALL_CYCLES_ANY
    {10, Of::Me, What::Counter, "instructions"},  // ME_BUSY_WORKING
    {11, Of::Me, What::Idle, ""},                 // ME_IDLE
    {17, Of::Me, What::Counter, "stall_queue"},   // ME_STALL_CYCLES_ANY
};
// a6xx_ and a7xx_cp_perfcounter_select. After the command processor is nothing that could be busy.
constexpr EventRow kEventsA6xx[] = {
    {0, Of::Own, What::Cycles, ""},                             // ALWAYS_COUNT
    {1, Of::Own, What::Busy, ""},                               // BUSY_GFX_CORE_IDLE
    {2, Of::Own, What::Busy, ""},                               // BUSY_CYCLES
    {3, Of::Own, What::Counter, "preemptions"},                 // NUM_PREEMPTIONS
    {14, Of::Own, What::Counter, "stall_instruction"},          // SQE_I_CACHE_STARVE
    {15, Of::Own, What::Idle, ""},                              // SQE_IDLE
    {18, Of::Own, What::Counter, "stall_memory"},               // SQE_MRB_STARVE
    {19, Of::Own, What::Counter, "stall_registers"},            // SQE_RRB_STARVE
    {22, Of::Own, What::Counter, "stall_queue", "stall_pool"},  // SQE_PIPE_OUT_STALL
    {32, Of::Own, What::Counter, "pool.empty"},                 // MEMORY_POOL_EMPTY
    {45, Of::Own, What::Counter, "words", nullptr, "packets"},  // PM4_DATA
    {46, Of::Own, What::Counter, "packets"},                    // PM4_HEADERS
    {49, Of::Own, What::Counter, "instructions"},               // SQE_INSTR_COUNTER
};
// CLUSTERn_EMPTY, CLUSTERn_FULL of the first six clusters; of the seventh, which a7xx has.
constexpr uint32_t kClusterEmpty = 39, kClusterFull = 60, kClusters = 6;
constexpr uint32_t kSeventhFull = 66, kSeventhEmpty = 67;

const uint64_t* find_counter(const StatsRegistry& stats, const std::string& path) {
    for (const Counter& counter : stats.counters())
        if (path == counter.unit_path + "." + counter.name)
            return counter.value;
    return nullptr;
}

void add_counter(const StatsRegistry& stats, const std::string& path, const char* name,
                 std::vector<const uint64_t*>& to) {
    const uint64_t* const found =
        name != nullptr ? find_counter(stats, path + "." + name) : nullptr;
    if (found != nullptr)
        to.push_back(found);
}

size_t counters_of(const CpRegisterMap& map, CpRegister count) {
    return map.count_of(count) / 2;
}

}  // namespace

PerfCounters::PerfCounters(const CpSpec& spec) : spec_(spec) {
    const CpRegisterMap map(spec.generation->names);
    main_.counters.resize(counters_of(map, CpRegister::PerfCount));
    bv_.counters.resize(counters_of(map, CpRegister::BvPerfCount));
}

void PerfCounters::connect(const StatsRegistry& stats,
                           const std::function<uint64_t(unsigned number, Cycle now)>& idle) {
    const auto path = [&](unsigned engine) { return spec_.processors[engine].engine.path; };
    const auto add = [&](std::map<uint32_t, PerfEvent>& events, const EventRow& row,
                         unsigned engine) {
        PerfEvent& event = events[row.number];
        event.cycles = row.what == What::Cycles || (row.what == What::Busy && idle);
        if (row.what == What::Idle && idle)
            event.other = [idle, engine](Cycle now) { return idle(engine, now); };
        if (row.what == What::Busy && idle)
            event.other = [idle, engine](Cycle now) { return -idle(engine, now); };
        if (row.what != What::Counter)
            return;
        add_counter(stats, path(engine), row.counter, event.counters);
        if (event.counters.empty())
            return;
        add_counter(stats, path(engine), row.second, event.counters);
        add_counter(stats, path(engine), row.less, event.less);
    };
    if (spec_.generation->names == Names::A5xx) {
        for (const EventRow& row : kEventsA5xx)
            add(main_.events, row, row.of == Of::Me ? 1 : 0);
        return;
    }
    for (unsigned engine = 0; engine < spec_.processors.size(); ++engine) {
        if (!spec_.processors[engine].has_pool())
            continue;  // of LPAC nothing is counted
        std::map<uint32_t, PerfEvent>& events =
            spec_.processors[engine].role == Role::Bv ? bv_.events : main_.events;
        for (const EventRow& row : kEventsA6xx)
            add(events, row, engine);
        for (uint32_t i = 0; i < spec_.pool.clusters.size(); ++i) {
            const std::string cluster = path(engine) + ".pool." + spec_.pool.clusters[i].name;
            add_counter(stats, cluster, "empty",
                        events[i < kClusters ? kClusterEmpty + i : kSeventhEmpty].counters);
            if (!bv_.counters.empty())
                add_counter(stats, cluster, "full",
                            events[i < kClusters ? kClusterFull + i : kSeventhFull].counters);
        }
    }
}

void PerfCounters::written(Cycle now, CpRegister reg, uint32_t offset, const GpuRegisters& file,
                           const std::string& where) {
    const uint32_t value = file.stored(file.map().index_of(reg) + offset);
    switch (reg) {
        case CpRegister::PerfSelect:
        case CpRegister::BvPerfSelect: {
            Group& group = reg == main_.select ? main_ : bv_;
            const PerfEvent* const event = group.event_of(value);
            if (event == nullptr)
                throw MachineStop(StopKind::Unimplemented, where,
                                  "event " + std::to_string(value) +
                                      " of the command processor's performance counters");
            return group.counters[offset].select(now, event);
        }
        case CpRegister::PerfControl:
            return count(now, (value & kCounts) != 0);
        case CpRegister::PerfLoad:
            return load(now, value, file.stored_64(CpRegister::PerfLoadValue));
        default:
            return;
    }
}

void PerfCounters::count(Cycle now, bool on) {
    for (Group* group : {&main_, &bv_})
        for (PerfCounter& counter : group->counters)
            on ? counter.start(now) : counter.stop(now);
}

// Bits of other blocks' counters are without effect, as the counters are.
void PerfCounters::load(Cycle now, uint32_t counters, uint64_t value) {
    for (size_t n = 0; n < main_.counters.size(); ++n)
        if ((counters >> n & 1) != 0)
            main_.counters[n].load(now, value);
}

uint32_t PerfCounters::value_of(Cycle now, CpRegister reg, uint32_t offset) const {
    const Group& group = reg == CpRegister::PerfCount ? main_ : bv_;
    return static_cast<uint32_t>(group.counters[offset / 2].value(now) >> 32 * (offset % 2));
}

void PerfCounters::reset() {
    for (Group* group : {&main_, &bv_})
        for (PerfCounter& counter : group->counters)
            counter = {};
}

void PerfCounters::take_over(const PerfCounters& other, Cycle then, Cycle now,
                             const GpuRegisters& file) {
    const auto go_on = [&](Group& group, const Group& from) {
        for (uint32_t n = 0; n < group.counters.size(); ++n) {
            PerfCounter& counter = group.counters[n];
            counter.select(now, group.selected(n, file));
            if (from.counters[n].running())
                counter.start(now);
            counter.load(now, from.counters[n].value(then));
        }
    };
    go_on(main_, other.main_);
    go_on(bv_, other.bv_);
}

void PerfCounters::archive(Archive& a, const GpuRegisters& file) {
    a(main_.counters, bv_.counters);
    if (a.saving())
        return;
    for (Group* group : {&main_, &bv_})
        for (uint32_t n = 0; n < group->counters.size(); ++n)
            group->counters[n].recall(group->selected(n, file));
}

}  // namespace archipelago::afuc
