// SPDX-License-Identifier: Apache-2.0
// Pins of the address calculation of tiled surfaces of Southern Islands; documented in
// rtl-bridge/rtl/si_tile_address.
#pragma once

#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct SiTileAddressPins {
    static constexpr const char* kName = "si_tile_address";
    static constexpr Elastic kElastic{"in set reg", "out"};
    static constexpr unsigned kLatency = 5;   // as it is built
    static constexpr unsigned kSurfaces = 4;  // held at a time
    static constexpr unsigned kCoordinateBits = 18;
    static constexpr unsigned kAddressBits = 48;

    struct Register {
        uint8_t index = 0;  // 0: GB_ADDR_CONFIG, 1 + n: GB_TILE_MODEn, others are none
        uint32_t value = 0;
    };
    struct Surface {
        uint8_t number = 0;
        uint8_t tile = 0;     // index of its tile mode
        uint8_t size = 0;     // log2 of an element's bytes, 0 to 4; 5: 12 bytes
        uint8_t samples = 0;  // log2, 0 to 4
        uint32_t pitch = 0;   // elements
        uint32_t height = 0;  // elements
        uint32_t slices = 0;
        uint64_t base = 0;  // bytes
        uint8_t pipe_swizzle = 0;
        uint8_t bank_swizzle = 0;
    };
    struct Request {
        uint8_t surface = 0;
        uint32_t x = 0, y = 0, slice = 0;
        uint8_t sample = 0;
        uint8_t tag = 0;  // returned with the address
    };
    struct In {
        uint8_t rst = 0;
        uint8_t reg_valid = 0;
        Register reg;
        uint8_t set_valid = 0;
        Surface set;
        uint8_t in_valid = 0;
        Request in;
        uint8_t out_ready = 0;
    };
    struct Out {
        uint8_t in_ready = 0;
        uint8_t out_valid = 0;
        uint64_t out_address = 0;
        uint8_t out_refused = 0;  // there is no such surface
        uint8_t out_tag = 0;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(reg, valid, reg_valid, 1, "a register is written");
        ARCHIPELAGO_PIN(reg, index, reg.index, 6,
                        "0: GB_ADDR_CONFIG, 1 + n: GB_TILE_MODEn, others are none");
        ARCHIPELAGO_PIN(reg, value, reg.value, 32, "its value");
        ARCHIPELAGO_PIN(set, valid, set_valid, 1, "a surface is set");
        ARCHIPELAGO_PIN(set, number, set.number, 2, "of the four that are held");
        ARCHIPELAGO_PIN(set, tile, set.tile, 5, "index of its tile mode");
        ARCHIPELAGO_PIN(set, size, set.size, 3, "log2 of an element's bytes, 0 to 4; 5: 12 bytes");
        ARCHIPELAGO_PIN(set, samples, set.samples, 3, "log2 of its samples, 0 to 4");
        ARCHIPELAGO_PIN(set, pitch, set.pitch, 19, "elements of a row");
        ARCHIPELAGO_PIN(set, height, set.height, 19, "rows");
        ARCHIPELAGO_PIN(set, slices, set.slices, 19, "slices");
        ARCHIPELAGO_PIN(set, base, set.base, 48, "byte address");
        ARCHIPELAGO_PIN(set, pipe_swizzle, set.pipe_swizzle, 4, "added to the pipe");
        ARCHIPELAGO_PIN(set, bank_swizzle, set.bank_swizzle, 4, "added to the bank");
        ARCHIPELAGO_PIN(in, valid, in_valid, 1, "coordinates are there");
        ARCHIPELAGO_PIN(in, surface, in.surface, 2, "number of their surface");
        ARCHIPELAGO_PIN(in, x, in.x, 18, "column");
        ARCHIPELAGO_PIN(in, y, in.y, 18, "row");
        ARCHIPELAGO_PIN(in, slice, in.slice, 18, "slice");
        ARCHIPELAGO_PIN(in, sample, in.sample, 4, "sample");
        ARCHIPELAGO_PIN(in, tag, in.tag, 8, "returned with the address");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "the address is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(in, ready, in_ready, 1, "the coordinates are taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1, "an address, in the order of the coordinates");
        ARCHIPELAGO_PIN(out, address, out_address, 48, "byte address of the element");
        ARCHIPELAGO_PIN(out, refused, out_refused, 1, "there is no such surface");
        ARCHIPELAGO_PIN(out, tag, out_tag, 8, "that of the coordinates");
    }
};

}  // namespace archipelago::rtl
