// SPDX-License-Identifier: Apache-2.0
#include "models/mc/mc_core.h"

#include "models/common/archive.h"

namespace archipelago::mc {

McCore::McCore(const McSpec& spec, const ChannelMap& map, const std::string& name)
    : McUnit(spec, map, name) {}

bool McCore::tick(Cycle now) {
    // Most ticks have work for one or two of the steps.
    bool progress = false;
    if (state_.from_store <= now && take_store_answer(now)) {
        schedule_.release();
        progress = true;
    }
    if (state_.data_moved <= now)
        progress |= send_to_store(now);
    if (run_ != RunState::Paused) {
        if (has_request(now))
            progress |= accept(now);
        if (schedule_.may_run(now))
            progress |= schedule(now);
    }
    return progress && (ports_due(now + 1) || schedule_.may_run(now + 1));
}

bool McCore::accept(Cycle now) {
    Ports ports(*this, now);
    return ports.any() && schedule_.accept(now, ports);
}

bool McCore::schedule(Cycle now) {
    DramCommand command;
    if (!schedule_.run(now, command))
        return false;
    if (command.column())
        start_data(now, command.id, command.kind == DramCommand::Kind::Write);
    return true;
}

void McCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, schedule_, commands_);
}

void McCore::reset() {
    McUnit::reset();
    schedule_.reset();
}

void McCore::observe(const Observers& observers, const std::string& path) {
    McUnit::observe(observers, path);
    schedule_.observe(trace_, observers.tracks(path + ".bank", spec_.geometry.banks));
}

}  // namespace archipelago::mc
