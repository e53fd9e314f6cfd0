// SPDX-License-Identifier: Apache-2.0
// The PE under control and observed.
#include "models/ctm/pe/pe_core.h"
#include "models/front/packet_log.h"

namespace archipelago::ctm {

void PeCore::reset() {
    Unit::reset();
    rtl::reset_block(sequencer_);
    own_.reset();
    file_.reset();
    state_ = PeState();
    state_.outstanding.assign(spec_.arrays, 0);
}

bool PeCore::idle() const {
    const bool takes = run_ != RunState::Draining;
    return !file_.busy() && !state_.open && !programs_run() && !(takes && !inputs_empty());
}

std::string PeCore::waiting_for() const {
    if (idle())
        return {};
    if (run_ == RunState::Paused)
        return name_ + ": paused with work";
    std::string text = name_ + ": ";
    if (state_.open) {
        static const char* const kWaits[] = {"works", "waits for dwords", "waits for programs",
                                             "waits for commands of the MC or the CO",
                                             "waits for a receiver"};
        const ReadCommand& command = state_.reader.command;
        text += command.info != nullptr ? where(command) : to_string(command.place);
        text += std::string(" ") + kWaits[state_.wait] + ", ";
    }
    if (state_.walking)
        text +=
            "walks a domain with " + std::to_string(state_.tested.size()) + " quads at the CO, ";
    return text + std::to_string(state_.threads_out) + " threads at work, " +
           std::to_string(file_.waiting()) + " buffers waiting";
}

void PeCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const PeState::Counters& c = state_.counters;
    add("buffers", "buffers", "consumed", &c.buffers);
    add("commands", "commands", "read", &c.commands);
    add("starts", "commands", "start_program", &c.starts);
    add("threads", "threads", "given to arrays", &c.threads);
    add("quads", "quads", "of domains, tested ones among them", &c.quads);
    add("tests", "quads", "sent to the CO", &c.tests);
    add("quads_skipped", "quads", "of which no lane passed", &c.quads_skipped);
    add("fetches", "lines", "of command buffers", &c.fetches);
    add("active_cycles", "cycles", "a processor was active, up to its last pause",
        &c.active_cycles);
    add("stall_dwords", "cycles", "the buffer's next dword was not there", &c.stall_dwords);
    add("stall_programs", "cycles", "a command waited for programs", &c.stall_programs);
    add("stall_units", "cycles", "a command waited for commands of other units", &c.stall_units);
    add("stall_receiver", "cycles", "a command was not taken", &c.stall_receiver);
    add("stall_launch", "cycles", "a thread was not taken", &c.stall_launch);
}

void PeCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    commands_track_ = observers.track(path);
    programs_track_ = observers.track(path + ".walk");
}

// A command has been read.
void PeCore::report_command(Cycle now) {
    const ReadCommand& command = state_.reader.command;
    front::log_packet(observers_, LogCategory::Pm4, now, path_, to_string(command.place),
                      [&] { return describe(command); });
    if (observers_.trace != nullptr)
        observers_.trace->slice(commands_track_, state_.command_began, now + 1, command.info->name,
                                0, to_string(command.place) + ": " + describe(command));
}

void PeCore::trace_walk(Cycle end) const {
    observers_.trace->slice(programs_track_, state_.start_began, end,
                            "walk " + std::to_string(state_.counters.starts));
}

void PeCore::finish_trace(Cycle now) const {
    if (state_.reader.missing != 0)
        observers_.trace->slice(commands_track_, state_.command_began, now,
                                state_.reader.command.info->name, 0,
                                to_string(state_.reader.command.place));
    if (state_.walking)
        trace_walk(now);
}

}  // namespace archipelago::ctm
