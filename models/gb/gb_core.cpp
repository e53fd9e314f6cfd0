// SPDX-License-Identifier: Apache-2.0
#include "models/gb/gb_core.h"

#include <algorithm>

#include "models/common/archive.h"
#include "models/common/register_service.h"

namespace archipelago::gb {
namespace {

// False: not one of the registers of this block.
bool index_of(const RegisterMap& map, uint32_t offset, uint8_t& index) {
    if (offset == map.GB_ADDR_CONFIG) {
        index = 0;
        return true;
    }
    if (offset == map.TA_CS_BC_BASE_ADDR) {
        index = surface::TilingWrite::kBorderColors;
        return true;
    }
    const uint32_t mode = (offset - map.GB_TILE_MODE0) / 4;
    if (offset % 4 != 0 || !map.GB_TILE_MODE0.exists() || mode >= surface::TilingRegisters::kModes)
        return false;
    index = static_cast<uint8_t>(1 + mode);
    return true;
}

}  // namespace

surface::TilingRegisters reset_values(const GbSpec& spec) {
    surface::TilingRegisters tiling;
    tiling.gb_addr_config = spec.gb_addr_config;
    std::copy(spec.tile_modes.begin(), spec.tile_modes.end(), tiling.tile_mode);
    tiling.decode();
    return tiling;
}

GbCore::GbCore(const GbSpec& spec)
    : registers(spec.registers, "gb.registers"), spec_(spec), tiling_(reset_values(spec)) {
    add_input(registers);
}

EventLink<surface::TilingWrite>& GbCore::add_unit() {
    units_.push_back(std::make_unique<EventLink<surface::TilingWrite>>(spec_.broadcast));
    return *units_.back();
}

bool GbCore::write(const RegRequest& request, surface::TilingWrite& write) {
    if (!index_of(spec_.map, request.offset, write.index))
        return false;
    write.value = request.value;
    ++writes_;
    tiling_.write(write);
    if (on_write)
        on_write(write);
    return true;
}

bool GbCore::write_register(const RegRequest& request) {
    surface::TilingWrite written;
    return write(request, written);
}

bool GbCore::read_register(const RegRequest& request, uint32_t& value) {
    if (!inspect_register(request, value))
        return false;
    ++reads_;
    return true;
}

bool GbCore::inspect_register(const RegRequest& request, uint32_t& value) {
    uint8_t index = 0;
    if (!index_of(spec_.map, request.offset, index))
        return false;
    value = index == surface::TilingWrite::kBorderColors ? tiling_.cs_border_colors
            : index == 0                                 ? tiling_.gb_addr_config
                                                         : tiling_.tile_mode[index - 1];
    return true;
}

bool GbCore::tick(Cycle now) {
    if (run_ != RunState::Running)
        return false;
    const auto write_and_tell = [&](const RegRequest& request) {
        surface::TilingWrite written;
        if (write(request, written))
            for (const auto& unit : units_)
                unit->send(now, written);
    };
    return serve_register(
        now, registers, to_registers.get(), write_and_tell,
        [&](const RegRequest& r, uint32_t& value) { return read_register(r, value); });
}

void GbCore::archive(Archive& a) {
    Unit::archive(a);
    for (const auto& unit : units_)
        unit->archive(a);
    a(tiling_, writes_, reads_);
}

void GbCore::reset() {
    Unit::reset();
    tiling_ = reset_values(spec_);
    writes_ = reads_ = 0;
    for (const auto& unit : units_)
        unit->clear();
}

bool GbCore::idle() const {
    const bool waiting = run_ != RunState::Draining && !registers.empty();
    return !waiting && std::all_of(units_.begin(), units_.end(),
                                   [](const auto& unit) { return unit->empty(); });
}

std::string GbCore::waiting_for() const {
    return idle() ? std::string() : "gb: tiling registers are on their way";
}

void GbCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "writes", "transactions", "tiling registers written", &writes_);
    stats.add(path, "reads", "transactions", "tiling registers read", &reads_);
}

}  // namespace archipelago::gb
