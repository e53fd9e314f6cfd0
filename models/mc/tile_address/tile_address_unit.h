// SPDX-License-Identifier: Apache-2.0
// Addresses of surfaces from a block on pins: in a chip, the Verilog twin.
#pragma once

#include <array>

#include "models/mc/surface/address_unit.h"
#include "pins/si_tile_address_pins.h"

namespace archipelago::tile_address {

class PinAddressUnit : public surface::AddressUnit {
  public:
    // Resets the block, which must outlive this.
    explicit PinAddressUnit(rtl::PinBlock<rtl::SiTileAddressPins>& block);

    void check(surface::Generation generation, const char* key, const char* value) const override;
    // Throws MachineStop when the block answers what it must not.
    uint64_t address(const surface::SurfaceLevel& level, uint32_t x, uint32_t y,
                     uint32_t slice) override {
        return address(level, x, y, slice, 0);
    }
    uint64_t address(const surface::SurfaceLevel& level, uint32_t x, uint32_t y, uint32_t slice,
                     uint32_t sample);

  private:
    using Pins = rtl::SiTileAddressPins;
    // All that the block must be told of a surface.
    struct Setting {
        uint32_t config = 0;  // GB_ADDR_CONFIG
        uint32_t mode = 0;    // GB_TILE_MODE
        Pins::Surface surface;
    };
    static Setting setting_of(const surface::SurfaceLevel& level);
    static bool same(const Setting& a, const Setting& b);
    unsigned place(const Setting& wanted);
    void write(unsigned index, uint32_t value);

    rtl::PinBlock<Pins>& block_;
    Pins::In in_;
    Pins::Out out_;
    std::array<Setting, Pins::kSurfaces> held_;
    unsigned count_ = 0, next_ = 0;
    uint8_t tag_ = 0;
};

}  // namespace archipelago::tile_address
