// SPDX-License-Identifier: Apache-2.0
// Counters of the memory controller.
#include "models/ctm/mc/mc_core.h"

namespace archipelago::ctm {
namespace {

template <class Slot>
void add_port(StatsRegistry& stats, const std::string& path, const Port<Slot>& port) {
    const UnitStats add(stats, path);
    add("requests", "requests", "taken", &port.requests);
    add("pieces", "elements", "read or written; of words their parts in one line", &port.pieces);
    add("lines", "lines", "looked up", &port.lines);
    add("answer_cycles", "cycles", "the way back carried answers", &port.answer_cycles);
    const auto stall = [&](const char* name, const char* meaning, PortStall reason) {
        add(name, "cycles", meaning, port.stall.counter(reason));
    };
    stall("stall_lookups", "the cache was asked for as many lines as it can", PortStall::Lookups);
    stall("stall_fetches", "as many lines were on their way as may be", PortStall::Fetches);
    stall("stall_queue", "the way to memory was not free", PortStall::Queue);
    stall("stall_writes", "as many writes were not acknowledged as may be", PortStall::Writes);
    stall("stall_line", "a write waited for its line to arrive", PortStall::Line);
    stall("stall_command", "the cache was flushed or invalidated", PortStall::Command);
    stall("stall_places", "as many requests were inside as may be", PortStall::Places);
    stall("stall_client", "the client did not take an answer", PortStall::Client);
}

void add_traffic(StatsRegistry& stats, const std::string& path, const McState::Traffic& t) {
    const UnitStats add(stats, path);
    add("reads", "requests", "sent", &t.reads);
    add("writes", "requests", "sent", &t.writes);
    add("bytes_read", "bytes", "asked for", &t.bytes_read);
    add("bytes_written", "bytes", "sent", &t.bytes_written);
}

}  // namespace

void McCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("commands", "commands", "carried out", &state_.commands);
    add("invalidations", "commands", "that dropped lines", &state_.invalidations);
    add("flush_cycles", "cycles", "of flushes, until memory had the last line",
        &state_.flush_cycles);
    add("refused_commands", "commands", "of outputs that do not exist",
        &state_.registers.refused_commands);
    for (unsigned i = 0; i < kCaches; ++i)
        state_.caches[i].register_stats(stats,
                                        path + "." + to_string(static_cast<CacheId>(i)) + "_cache");
    for (unsigned a = 0; a < spec_.arrays; ++a) {
        const std::string array = path + ".array" + std::to_string(a);
        add_port(stats, array + ".inputs", state_.elements[input_port(a)]);
        add_port(stats, array + ".outputs", state_.elements[output_port(a)]);
        for (unsigned client = kFloatConstants; client <= kInstructions; ++client)
            add_port(stats, array + "." + to_string(cache_of(client)),
                     state_.words[words_port(a, client)]);
    }
    add_port(stats, path + ".conditional", state_.elements[conditional_port()]);
    add_traffic(stats, path + ".local", state_.local);
    add_traffic(stats, path + ".system", state_.system);
    const UnitStats link(stats, path + ".system");
    link("wait_cycles", "cycles", "a request waited for the link", &state_.system_wait_cycles);
}

}  // namespace archipelago::ctm
