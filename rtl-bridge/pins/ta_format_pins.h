// SPDX-License-Identifier: Apache-2.0
// Pins of the format conversion of a compute unit; documented in rtl-bridge/rtl/ta_format.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct TaFormatPins {
    static constexpr const char* kName = "ta_format";
    static constexpr Elastic kElastic{"in", "out"};
    static constexpr unsigned kLanes = 64;
    static constexpr unsigned kDwords = 4;

    // Of a dword all lanes.
    using Rows = std::array<uint32_t, kDwords * kLanes>;
    // Data of a buffer instruction of a wave, and what becomes of them.
    struct Query {
        uint8_t store = 0, typed = 0;
        uint8_t bytes = 0, sign_extend = 0, dwords = 0;
        uint8_t dfmt = 0, nfmt = 0;
        uint16_t dst_sel = 0;
        uint64_t written = 0;
        std::array<uint64_t, kDwords> dword_lanes{};
        Rows data{};
    };
    struct In {
        uint8_t rst = 0;
        uint8_t in_valid = 0;
        uint8_t out_ready = 0;
        Query in;
    };
    struct Out {
        uint8_t in_ready = 0;
        uint8_t out_valid = 0;
        Rows out_data{};
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(in, valid, in_valid, 1, "data are there");
        ARCHIPELAGO_PIN(in, store, in.store, 1, "registers on their way to memory, else back");
        ARCHIPELAGO_PIN(in, typed, in.typed, 1, "elements, which are converted");
        ARCHIPELAGO_PIN(in, bytes, in.bytes, 5, "of a plain load");
        ARCHIPELAGO_PIN(in, sign_extend, in.sign_extend, 1, "of plain loads of a byte or two");
        ARCHIPELAGO_PIN(in, dwords, in.dwords, 3, "registers of a lane, at most 4");
        ARCHIPELAGO_PIN(in, dfmt, in.dfmt, 4, "BUF_DATA_FORMAT of elements");
        ARCHIPELAGO_PIN(
            in, nfmt, in.nfmt, 3,
            "BUF_NUM_FORMAT of elements; what cannot be loaded or stored does not come");
        ARCHIPELAGO_PIN(in, dst_sel, in.dst_sel, 12, "DST_SEL, 3 bits for each of x, y, z, w");
        ARCHIPELAGO_PIN(in, written, in.written, 64, "loads: lanes whose registers are written");
        ARCHIPELAGO_PIN(in, dword_lanes, in.dword_lanes, 64,
                        "loads: lanes of which memory has brought dword n, of elements all; the "
                        "others read 0");
        ARCHIPELAGO_PIN(in, data, in.data, 32, "dword n / 64 of lane n % 64");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "the data are taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(in, ready, in_ready, 1, "the data are taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1, "data, in the order in which they came");
        ARCHIPELAGO_PIN(out, data, out_data, 32,
                        "dword n / 64 of lane n % 64, 0 where nothing is written: registers of "
                        "loads, memory of stores");
    }
};

}  // namespace archipelago::rtl
