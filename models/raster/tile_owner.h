// SPDX-License-Identifier: Apache-2.0
// Which shader engine, packer and render back end own a tile of 8 x 8 pixels: the fields of
// PA_SC_RASTER_CONFIG. The primitive assembler sends primitives by it, the scan converter tiles.
#pragma once

#include <cstdint>

#include "models/common/named_register.h"

namespace archipelago::raster {

struct RasterConfigRegister : regs::NamedRegister {
    explicit RasterConfigRegister(const regs::RegisterDatabase* database)
        : NamedRegister(database, "PA_SC_RASTER_CONFIG") {}
    regs::NamedField RB_MAP_PKR0{*this, "RB_MAP_PKR0"}, RB_MAP_PKR1{*this, "RB_MAP_PKR1"},
        RB_XSEL2{*this, "RB_XSEL2"}, RB_XSEL{*this, "RB_XSEL"}, RB_YSEL{*this, "RB_YSEL"},
        PKR_MAP{*this, "PKR_MAP"}, PKR_XSEL{*this, "PKR_XSEL"}, PKR_YSEL{*this, "PKR_YSEL"},
        PKR_XSEL2{*this, "PKR_XSEL2"}, SE_MAP{*this, "SE_MAP"}, SE_XSEL{*this, "SE_XSEL"},
        SE_YSEL{*this, "SE_YSEL"};
};

// One of two units, by a bit of x, perhaps a second one, and a bit of y. XSEL and YSEL n: bit
// 3 + n, so squares of 8 << n pixels. XSEL2 0: no second bit.
struct UnitSelect {
    uint8_t map = 0;  // 0: always unit 0, 1: inverted, 2: as selected, 3: always unit 1
    uint8_t x_bit = 3, x2_bit = 0, y_bit = 3;

    static UnitSelect of(uint32_t map, uint32_t xsel, uint32_t xsel2, uint32_t ysel) {
        return {static_cast<uint8_t>(map), static_cast<uint8_t>(3 + xsel),
                static_cast<uint8_t>(xsel2 == 0 ? 0 : 3 + xsel2), static_cast<uint8_t>(3 + ysel)};
    }
    // x, y: pixels.
    unsigned operator()(uint32_t x, uint32_t y) const {
        if (map == 0 || map == 3)
            return map & 1;
        const uint32_t second = x2_bit == 0 ? 0 : x >> x2_bit;
        return ((x >> x_bit ^ y >> y_bit ^ second) & 1) ^ (map == 1 ? 1u : 0u);
    }
    // Bit n: unit n has pixels of the rectangle, all corners included.
    unsigned in_box(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) const {
        if (map == 0 || map == 3)
            return 1u << (map & 1);
        const bool one_square = x0 >> x_bit == x1 >> x_bit && y0 >> y_bit == y1 >> y_bit &&
                                (x2_bit == 0 || x0 >> x2_bit == x1 >> x2_bit);
        return one_square ? 1u << (*this)(x0, y0) : 3u;
    }
};

struct TileOwner {
    uint8_t shader_engine = 0, packer = 0, rb = 0;  // packer in its engine, RB in its packer
    // Render back end of the chip. RB n of Tahiti is the RB of memory pipe n.
    unsigned number() const { return 4u * shader_engine + 2u * packer + rb; }
};

class TileOwners {
  public:
    TileOwners() = default;
    TileOwners(const RasterConfigRegister& reg, uint32_t word)
        : engine_(UnitSelect::of(reg.SE_MAP(word), reg.SE_XSEL(word), 0, reg.SE_YSEL(word))),
          packer_(UnitSelect::of(reg.PKR_MAP(word), reg.PKR_XSEL(word), reg.PKR_XSEL2(word),
                                 reg.PKR_YSEL(word))),
          rb_{UnitSelect::of(reg.RB_MAP_PKR0(word), reg.RB_XSEL(word), reg.RB_XSEL2(word),
                             reg.RB_YSEL(word)),
              UnitSelect::of(reg.RB_MAP_PKR1(word), reg.RB_XSEL(word), reg.RB_XSEL2(word),
                             reg.RB_YSEL(word))} {}

    // Of the tile that has pixel (x, y).
    TileOwner at(uint32_t x, uint32_t y) const {
        TileOwner owner;
        owner.shader_engine = static_cast<uint8_t>(engine_(x, y));
        owner.packer = static_cast<uint8_t>(packer_(x, y));
        owner.rb = static_cast<uint8_t>(rb_[owner.packer](x, y));
        return owner;
    }
    // Bit n: shader engine n may own pixels of the rectangle, all corners included.
    unsigned engines(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) const {
        return engine_.in_box(x0, y0, x1, y1);
    }

  private:
    UnitSelect engine_, packer_;
    UnitSelect rb_[2];  // of each packer
};

}  // namespace archipelago::raster
