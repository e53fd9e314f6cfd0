// SPDX-License-Identifier: Apache-2.0
#include "models/dma/dma_core.h"

#include "models/common/archive.h"

#include <algorithm>
#include <stdexcept>

namespace archipelago::dma {
namespace {

const Spec& checked(const Spec& spec) {
    std::string text;
    for (const std::string& problem : spec.problems())
        text += "; " + problem;
    if (!text.empty())
        throw std::invalid_argument("async DMA engine" + text);
    return spec;
}

}  // namespace

DmaCore::DmaCore(const Spec& spec, const Units& units)
    : spec_(checked(spec)),
      fetch_(spec.fetch()),
      engine_(spec),
      copy_(spec, units),
      hub_(kClients, spec.memory_client, spec.memory_in, spec.name() + ".hub"),
      units_{&fetch_, &engine_, &copy_, &hub_} {
    engine_.to_fetch.connect(fetch_.update);
    engine_.to_credit.connect(fetch_.credit);
    engine_.to_command.connect(fetch_.command);
    for (unsigned i = 0; i < 2; ++i)
        fetch_.to_roq[i].connect(engine_.roq[i]);
    engine_.to_transfer.connect(copy_.command);
    copy_.to_engine.connect(engine_.transfer_done);

    fetch_.to_memory.connect(hub_.request[kFetch]);
    engine_.to_memory.connect(hub_.request[kEngine]);
    engine_.to_mirror.connect(hub_.request[kMirror]);
    copy_.to_memory.connect(hub_.request[kCopy]);
    hub_.to_client[kFetch].connect(fetch_.response);
    hub_.to_client[kEngine].connect(engine_.memory_response);
    hub_.to_client[kMirror].connect(engine_.mirror_response);
    hub_.to_client[kCopy].connect(copy_.response);
}

void DmaCore::archive(Archive& a) {
    for (Unit* unit : units_)
        unit->archive(a);
}

void DmaCore::reset() {
    for (Unit* unit : units_)
        unit->reset();
}

bool DmaCore::idle() const {
    return std::all_of(units_.begin(), units_.end(), [](const Unit* u) { return u->idle(); });
}

void DmaCore::set_run_state(RunState run) {
    for (Unit* unit : units_)
        unit->set_run_state(run);
}

std::string DmaCore::waiting_for() const {
    std::string text;
    for (const Unit* unit : units_) {
        const std::string waits = unit->waiting_for();
        if (!waits.empty())
            text += (text.empty() ? "" : "; ") + waits;
    }
    return text;
}

void DmaCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    engine_.register_stats(stats, path);
    fetch_.register_stats(stats, path + ".fetch");
    copy_.register_stats(stats, path + ".copy");
}

void DmaCore::observe(const Observers& observers, const std::string& path) {
    engine_.observe(observers, path);
    copy_.observe(observers, path + ".copy");
}

void DmaCore::finish_trace(Cycle now) const {
    engine_.finish_trace(now);
    copy_.finish_trace(now);
}

}  // namespace archipelago::dma
