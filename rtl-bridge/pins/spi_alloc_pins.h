// SPDX-License-Identifier: Apache-2.0
// Pins of SPI's wave allocator; documented in rtl-bridge/rtl/spi_alloc.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct SpiAllocPins {
    static constexpr const char* kName = "spi_alloc";
    static constexpr Elastic kElastic{"free query", "grant"};
    static constexpr unsigned kWaves = 16;  // most of a group

    // What there is; constant but for resets.
    struct Config {
        uint8_t engines = 2, arrays = 2, cus = 8, simds = 4, slots = 10;
        uint8_t vgprs = 64, sgprs = 64;
        uint16_t lds = 256;
        uint8_t barriers = 16;
    };
    struct Free {
        uint8_t engine = 0, array = 0, cu = 0, simd = 0, slot = 0;
    };
    struct Query {
        uint8_t waves = 0, vgprs = 0, sgprs = 0;
        uint16_t lds = 0, most_waves = 0;
        uint8_t most_groups = 0;
        uint64_t enabled = 0;
        uint8_t launching = 0;
    };
    struct In {
        uint8_t rst = 0;
        Config cfg;
        uint8_t free_valid = 0;
        Free free;
        uint8_t query_valid = 0;
        Query query;
        uint8_t grant_ready = 0;
    };
    template <class T>
    using PerWave = std::array<T, kWaves>;
    struct Out {
        uint8_t free_ready = 0, free_known = 0, free_last = 0, free_group = 0;
        uint8_t query_ready = 0;
        uint8_t grant_valid = 0, grant_placed = 0;
        uint8_t grant_engine = 0, grant_array = 0, grant_cu = 0;
        uint8_t grant_group = 0, grant_lds = 0;
        PerWave<uint8_t> grant_simd{}, grant_slot{}, grant_vgpr{}, grant_sgpr{};
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, engines, cfg.engines, 2, "shader engines, 1 or 2");
        ARCHIPELAGO_PIN(cfg, arrays, cfg.arrays, 2, "shader arrays of an engine, 1 or 2");
        ARCHIPELAGO_PIN(cfg, cus, cfg.cus, 5, "compute units of an array, 1 to 16");
        ARCHIPELAGO_PIN(cfg, simds, cfg.simds, 3, "SIMDs of a compute unit, 1 to 4");
        ARCHIPELAGO_PIN(cfg, slots, cfg.slots, 5, "wave slots of a SIMD, 1 to 16");
        ARCHIPELAGO_PIN(cfg, vgprs, cfg.vgprs, 7, "granules of VGPRs of a SIMD");
        ARCHIPELAGO_PIN(cfg, sgprs, cfg.sgprs, 7, "granules of SGPRs of a SIMD");
        ARCHIPELAGO_PIN(cfg, lds, cfg.lds, 9, "granules of LDS of a compute unit");
        ARCHIPELAGO_PIN(cfg, barriers, cfg.barriers, 7,
                        "groups of several waves on a compute unit at most");
        ARCHIPELAGO_PIN(free, valid, free_valid, 1, "a wave has ended");
        ARCHIPELAGO_PIN(free, engine, free.engine, 1, "where it was");
        ARCHIPELAGO_PIN(free, array, free.array, 1, "where it was");
        ARCHIPELAGO_PIN(free, cu, free.cu, 4, "where it was");
        ARCHIPELAGO_PIN(free, simd, free.simd, 2, "where it was");
        ARCHIPELAGO_PIN(free, slot, free.slot, 4, "where it was");
        ARCHIPELAGO_PIN(query, valid, query_valid, 1, "a work-group wants room");
        ARCHIPELAGO_PIN(query, waves, query.waves, 5, "its waves, 1 to 16");
        ARCHIPELAGO_PIN(query, vgprs, query.vgprs, 7, "granules of VGPRs of a wave");
        ARCHIPELAGO_PIN(query, sgprs, query.sgprs, 7, "granules of SGPRs of a wave");
        ARCHIPELAGO_PIN(query, lds, query.lds, 9, "granules of LDS of the group");
        ARCHIPELAGO_PIN(query, most_waves, query.most_waves, 10,
                        "waves of an array at most; 0: no limit");
        ARCHIPELAGO_PIN(query, most_groups, query.most_groups, 4,
                        "groups of a compute unit at most; 0: no limit");
        ARCHIPELAGO_PIN(query, enabled, query.enabled, 64,
                        "compute units it may go to: bit 32 * engine + 16 * array + CU");
        ARCHIPELAGO_PIN(query, launching, query.launching, 2, "engines that take no group");
        ARCHIPELAGO_PIN(grant, ready, grant_ready, 1, "the grant is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(free, ready, free_ready, 1, "the wave's resources are given back");
        ARCHIPELAGO_PIN(free, known, free_known, 1, "a wave runs there: it is freed");
        ARCHIPELAGO_PIN(free, last, free_last, 1, "and its group with it");
        ARCHIPELAGO_PIN(free, group, free_group, 6, "its group slot");
        ARCHIPELAGO_PIN(query, ready, query_ready, 1, "the query is taken");
        ARCHIPELAGO_PIN(grant, valid, grant_valid, 1, "the answer to the query");
        ARCHIPELAGO_PIN(grant, placed, grant_placed, 1,
                        "there is room; all else is 0 when there is none");
        ARCHIPELAGO_PIN(grant, engine, grant_engine, 1, "shader engine");
        ARCHIPELAGO_PIN(grant, array, grant_array, 1, "shader array");
        ARCHIPELAGO_PIN(grant, cu, grant_cu, 4, "compute unit");
        ARCHIPELAGO_PIN(grant, group, grant_group, 6, "slot of the group on it");
        ARCHIPELAGO_PIN(grant, lds, grant_lds, 8, "first granule of LDS");
        ARCHIPELAGO_PIN(grant, simd, grant_simd, 2, "SIMD of wave n");
        ARCHIPELAGO_PIN(grant, slot, grant_slot, 4, "slot of wave n");
        ARCHIPELAGO_PIN(grant, vgpr, grant_vgpr, 6, "first granule of VGPRs of wave n");
        ARCHIPELAGO_PIN(grant, sgpr, grant_sgpr, 6, "first granule of SGPRs of wave n");
    }
};

}  // namespace archipelago::rtl
