// SPDX-License-Identifier: Apache-2.0
// Counters and timeline of an L2 channel, and what it waits for.
#include "models/common/memory_log.h"
#include "models/tc/tcc_core.h"

namespace archipelago::tc {

std::string TccCore::waiting_for() const {
    if (idle())
        return {};
    if (run_ == RunState::Paused)
        return "paused";
    if (!state_.answers.empty())
        return "the fabric to take a response";
    if (!state_.to_memory.empty())
        return "memory to take a request";
    const uint64_t writes =
        state_.writebacks_open[0] + state_.writebacks_open[1] + state_.write_throughs_open;
    if (state_.misses.used() != 0 || writes != 0)
        return std::to_string(state_.misses.used()) + " fills and " + std::to_string(writes) +
               " writes in memory";
    if (state_.action.active)
        return "the end of a cache action";
    return "a request to be looked up";
}

void TccCore::register_stats(StatsRegistry& registry, const std::string& path) const {
    register_tcc_stats(registry, path, state_.events.count, state_.stall);
}

void register_tcc_stats(StatsRegistry& registry, const std::string& path, const TccCounters& c,
                        const StallClock<TccStall>& stalls) {
    const UnitStats add(registry, path);
    add("reads", "requests", "line reads answered", &c.reads);
    add("read_hits", "requests", "reads answered from the cache", &c.read_hits);
    add("read_misses", "requests", "reads that sent for the line", &c.read_misses);
    add("read_merged", "requests", "reads that found their line on its way: no hit, no miss",
        &c.read_merged);
    add("partial_fills", "lines", "fetches of a line held in part", &c.partial_fills);
    add("writes", "requests", "line writes", &c.writes);
    add("write_hits", "requests", "writes to a line held here", &c.write_hits);
    add("write_allocates", "requests", "writes that took a new line", &c.write_allocates);
    add("write_throughs", "requests", "writes passed on to memory", &c.write_throughs);
    add("atomics", "requests", "atomic requests executed", &c.atomics);
    add("atomic_operands", "operations", "atomic operations executed", &c.atomic_operands);
    add("waited", "requests", "requests that found their line on its way", &c.waited);
    add("fills", "lines", "lines that came from memory", &c.fills);
    add("failed_fills", "lines", "lines memory refused", &c.failed_fills);
    add("evictions", "lines", "lines replaced by others", &c.evictions);
    add("writebacks", "lines", "dirty lines sent to memory", &c.writebacks);
    add("writeback_bytes", "bytes", "dirty bytes sent to memory", &c.writeback_bytes);
    add("invalidated_lines", "lines", "lines dropped by cache actions", &c.invalidated_lines);
    add("cache_actions", "actions", "write-backs and invalidations requested", &c.cache_actions);
    add("unmapped_writes", "requests", "writes refused for want of a page", &c.unmapped_writes);
    add("bytes_read", "bytes", "data returned to reads, whole lines", &c.bytes_read);
    add("bytes_written", "bytes", "bytes written by requests", &c.bytes_written);
    add("busy_cycles", "cycles", "the pipeline served a request", &c.busy_cycles);
    const auto stalled = [&](const char* name, const char* meaning, TccStall why) {
        add(name, "cycles", meaning, stalls.counter(why));
    };
    stalled("mshr_full_cycles", "a miss waited for a free MSHR", TccStall::Mshr);
    stalled("waiting_full_cycles", "a request could not join a fill", TccStall::Waiting);
    stalled("set_full_cycles", "every line of the set was being fetched", TccStall::Set);
    stalled("memory_full_cycles", "a request waited for the queue to memory", TccStall::Memory);
    stalled("write_through_full_cycles", "a write-through waited for earlier ones",
            TccStall::WriteThrough);
    stalled("response_full_cycles", "a request waited for the queue of answers",
            TccStall::Response);
}

void TccCore::observe(const Observers& observers, const std::string& path) {
    log_ = memory_log(observers);
    rows_.observe(observers, path, spec_.mshrs);
}

void TccCore::trace_fill(Cycle now, uint32_t miss, uint64_t uid) {
    const MemRequest& first = state_.misses.first_waiter(miss);
    rows_.arrived(
        miss, state_.fills[miss].since, now, uid,
        MissRows::detail(first.line, to_string(first.client) + (" " + std::to_string(first.source)),
                         state_.fills[miss].waiting));
}

void TccCore::finish_trace(Cycle now) const {
    rows_.finish(now, [this](uint32_t miss) {
        const bool waits = state_.misses.in_use(miss) && state_.fills[miss].waiting != 0;
        return waits ? MissRows::Open{state_.fills[miss].since, line_of(state_.misses.key(miss))}
                     : MissRows::Open{};
    });
}

}  // namespace archipelago::tc
