// SPDX-License-Identifier: Apache-2.0
// Counters and timeline of an array of the DPP.
#include "models/ctm/dpp/dpp_core.h"

namespace archipelago::ctm::dpp {

void DppCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const Counters& c = state_.counters;
    add("threads", "threads", "launched", &c.threads);
    add("threads_ended", "threads", "ended", &c.threads_ended);
    add("busy_cycles", "cycles", "with a thread", &c.busy_cycles);
    add("launch_stall_cycles", "cycles", "a thread found no slot or no registers",
        &c.launch_stall_cycles);
    static const struct {
        isa::Type type;
        const char* name;
        const char* meaning;
    } kTypes[] = {
        {isa::Type::Alu, "alu_instructions", "ALU instructions of threads"},
        {isa::Type::Out, "out_instructions", "OUT instructions of threads"},
        {isa::Type::FlowControl, "fc_instructions", "FC instructions of threads"},
        {isa::Type::Texture, "tex_instructions", "TEX instructions of threads"},
    };
    for (const auto& row : kTypes)
        add(row.name, "instructions", row.meaning,
            &c.instructions[static_cast<unsigned>(row.type)]);
    add("alu_busy_cycles", "cycles", "the ALU worked", &c.alu_busy_cycles);
    add("alu_lanes", "lanes", "active processors of the domain, summed over ALU and OUT",
        &c.alu_lanes);
    add("flow_busy_cycles", "cycles", "the flow control unit worked", &c.flow_busy_cycles);
    add("lookup_quads", "quads", "sent to the texture port", &c.lookup_quads);
    add("lookup_elements", "elements", "texels that came back", &c.lookup_elements);
    add("output_quads", "quads", "written", &c.output_quads);
    add("output_elements", "elements", "written", &c.output_elements);
    add("tests", "quads", "sent to the conditional operation unit", &c.tests);
    add("fetches", "instructions", "asked for", &c.fetches);
    add("fetches_dropped", "instructions", "that came after a jump or the end", &c.fetches_dropped);
    add("constants_read", "constants", "asked for", &c.constants_read);
    add("thread_life", "thread cycles", "from launch to end, of threads that have ended",
        &c.thread_life);
    static const std::array<std::string, kThreadTimes> kNames = [] {
        std::array<std::string, kThreadTimes> names;
        for (unsigned i = 0; i < kThreadTimes; ++i)
            names[i] = std::string("thread_cycles_") + kThreadTimeRows[i].name;
        return names;
    }();
    for (unsigned i = 0; i < kThreadTimes; ++i)
        add(kNames[i].c_str(), "thread cycles", kThreadTimeRows[i].meaning, &c.thread_cycles[i]);
}

void DppCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    tracks_ = observers.tracks(path + ".thread", spec_.threads);
}

}  // namespace archipelago::ctm::dpp
