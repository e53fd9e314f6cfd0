// SPDX-License-Identifier: Apache-2.0
#include "models/raster/raster_core.h"

#include <algorithm>

#include "models/common/archive.h"
#include "models/common/register_service.h"

namespace archipelago::raster {

RasterCore::RasterCore(const RasterSpec& spec)
    : registers(spec.registers, "raster.registers"), spec_(spec) {
    add_input(registers);
}

EventLink<RegRequest>& RasterCore::add_copy() {
    copies_.push_back(std::make_unique<EventLink<RegRequest>>(spec_.broadcast));
    return *copies_.back();
}

bool RasterCore::write_register(const RegRequest& request) {
    ++writes_;
    if (on_write)
        on_write(request);
    return true;
}

bool RasterCore::tick(Cycle now) {
    if (run_ != RunState::Running)
        return false;
    return serve_register(
        now, registers, to_registers.get(),
        [&](const RegRequest& request) {
            write_register(request);
            for (const auto& copy : copies_)
                copy->send(now, request);
        },
        [](const RegRequest&, uint32_t&) { return false; });
}

void RasterCore::archive(Archive& a) {
    Unit::archive(a);
    for (const auto& copy : copies_)
        copy->archive(a);
    a(writes_);
}

void RasterCore::reset() {
    Unit::reset();
    writes_ = 0;
    for (const auto& copy : copies_)
        copy->clear();
}

bool RasterCore::idle() const {
    const bool waiting = run_ != RunState::Draining && !registers.empty();
    return !waiting && std::all_of(copies_.begin(), copies_.end(),
                                   [](const auto& copy) { return copy->empty(); });
}

std::string RasterCore::waiting_for() const {
    return idle() ? std::string() : "raster: context registers are on their way";
}

void RasterCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "writes", "transactions", "context registers passed on to PA, SC, DB and CB",
              &writes_);
}

}  // namespace archipelago::raster
