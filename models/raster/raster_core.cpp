// SPDX-License-Identifier: Apache-2.0
#include "models/raster/raster_core.h"

#include "models/common/archive.h"
#include "models/common/register_service.h"

namespace archipelago::raster {

RasterCore::RasterCore(const RasterSpec& spec)
    : registers(spec.registers, "raster.registers"),
      spec_(spec),
      sets_(spec.shader_engines, RegisterSets(spec.context, spec.copy_state)) {
    for (RegisterSets& sets : sets_)
        for (const auto& [offset, value] : spec_.presets)
            sets.preset(offset, value);
    add_input(registers);
}

bool RasterCore::write_register(const RegRequest& request) {
    ++writes_;
    for (unsigned se = 0; se < sets_.size(); ++se)
        if (request.se_broadcast || request.se == se)
            sets_[se].write(request);
    return true;
}

bool RasterCore::tick(Cycle now) {
    if (run_ != RunState::Running)
        return false;
    return serve_register(
        now, registers, to_registers.get(),
        [&](const RegRequest& request) {
            write_register(request);
            for (EventLink<RegRequest>* copy : copies_)
                copy->send(now, request);
        },
        [](const RegRequest&, uint32_t&) { return false; });
}

void RasterCore::archive(Archive& a) {
    Unit::archive(a);
    a(writes_, sets_);
}

void RasterCore::reset() {
    Unit::reset();
    writes_ = 0;
    for (RegisterSets& sets : sets_)
        sets.reset();
}

bool RasterCore::idle() const {
    return run_ == RunState::Draining || registers.empty();
}

std::string RasterCore::waiting_for() const {
    return idle() ? std::string() : "raster: context registers are on their way";
}

void RasterCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "writes", "transactions", "context registers passed on to PA, SC, DB and CB",
              &writes_);
}

}  // namespace archipelago::raster
