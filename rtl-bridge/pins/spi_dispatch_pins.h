// SPDX-License-Identifier: Apache-2.0
// Pins of SPI's dispatcher; documented in rtl-bridge/rtl/spi_dispatch/spi_dispatch.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct SpiDispatchPins {
    static constexpr const char* kName = "spi_dispatch";
    static constexpr Elastic kElastic{"freed dispatch turn grant", "query walk se0 se1"};

    static constexpr unsigned kRings = 4;
    static constexpr unsigned kEngines = 2;
    static constexpr unsigned kWaves = 16;  // most of a group
    static constexpr unsigned kRanges = 8;  // of chosen groups
    static constexpr unsigned kUserData = 16;
    static constexpr unsigned kSgprs = 21;  // user data, three ids, TG_SIZE, scratch offset
    static constexpr unsigned kLanes = 16;  // of a beat; a wave has four
    static constexpr unsigned kBeats = 4;
    static constexpr unsigned kMostThreads = 1024;  // of a group
    template <class T>
    using PerWave = std::array<T, kWaves>;
    using Ids = std::array<uint16_t, kLanes>;

    // What the waves of a dispatch have in common.
    struct Program {
        uint32_t number = 0;
        uint8_t vmid = 0, priority = 0;
        uint64_t pc = 0;
        uint8_t vgprs = 0, sgprs = 0;
        uint16_t lds = 0;
        uint8_t float_mode = 0, dx10_clamp = 0, ieee = 0, privileged = 0, trap = 0, exceptions = 0;
        uint64_t tba = 0, tma = 0;
        uint8_t ids = 0;
    };
    struct Dispatch : Program {
        uint8_t ring = 0;
        uint32_t start_x = 0, start_y = 0, start_z = 0;
        uint32_t end_x = 0, end_y = 0, end_z = 0;
        uint16_t size_x = 0, size_y = 0, size_z = 0;
        uint16_t last_x = 0, last_y = 0, last_z = 0;
        uint8_t user_sgprs = 0;
        std::array<uint32_t, kUserData> user_data{};
        uint8_t tgid_x = 0, tgid_y = 0, tgid_z = 0, tg_size = 0;
        uint8_t ordered = 0, ordered_by_group = 0;
        uint8_t scratch = 0;
        uint16_t scratch_waves = 0, scratch_size = 0;
        uint16_t most_waves = 0;
        uint8_t most_groups = 0;
        uint64_t enabled = 0;
        uint8_t ranges = 0, others = 0;
        std::array<uint32_t, kRanges> range_first{}, range_last{};
    };
    struct Grant {
        uint8_t placed = 0;
        uint8_t engine = 0, array = 0, cu = 0;
        uint8_t group = 0, lds = 0;
        PerWave<uint8_t> simd{}, slot{}, vgpr{}, sgpr{};
    };
    struct In {
        uint8_t rst = 0;
        uint8_t dispatch_valid = 0;
        Dispatch dispatch;
        uint8_t turn_valid = 0, turn_ring = 0;
        uint8_t query_ready = 0;
        uint8_t grant_valid = 0;
        Grant grant;
        uint8_t walk_ready = 0;
        uint8_t freed_valid = 0, freed_ring = 0;
        uint16_t freed_slot = 0;
        uint8_t se0_ready = 0, se1_ready = 0;
    };
    struct Query {
        uint8_t needs = 0;  // spi::GroupNeeds
        uint32_t number = 0;
        uint8_t waves = 0, vgprs = 0, sgprs = 0;
        uint16_t lds = 0, most_waves = 0;
        uint8_t most_groups = 0;
        uint64_t enabled = 0;
    };
    // A beat of a wave: all there is to the wave, and the ids of 16 of its lanes.
    struct Launch : Program {
        uint8_t beat = 0;
        uint8_t array = 0, cu = 0, simd = 0, slot = 0, group_slot = 0;
        uint32_t group = 0;
        uint8_t wave = 0, waves = 0;
        uint64_t exec = 0;
        uint8_t vgpr = 0, sgpr = 0, lds_first = 0;
        uint16_t scratch_slot = 0;
        uint16_t size_x = 0, size_y = 0, size_z = 0;
        uint8_t sgpr_count = 0;
        std::array<uint32_t, kSgprs> sgpr_data{};
        Ids id_x{}, id_y{}, id_z{};
    };
    struct Out {
        uint8_t dispatch_ready = 0;
        uint8_t turn_ready = 0;
        uint8_t query_valid = 0;
        Query query;
        uint8_t grant_ready = 0;
        uint8_t walk_valid = 0, walk_ring = 0, walk_ended = 0;
        uint8_t freed_ready = 0, freed_known = 0;
        uint8_t se0_valid = 0, se1_valid = 0;
        Launch se0, se1;
    };

// What a dispatch gives to its waves.
#define ARCHIPELAGO_PROGRAM_PINS(port, from)                                               \
    ARCHIPELAGO_PIN(port, number, from.number, 32, "number of the dispatch");              \
    ARCHIPELAGO_PIN(port, vmid, from.vmid, 4, "its address space");                        \
    ARCHIPELAGO_PIN(port, priority, from.priority, 2, "priority of its waves");            \
    ARCHIPELAGO_PIN(port, pc, from.pc, 48, "where its program begins, bytes");             \
    ARCHIPELAGO_PIN(port, vgprs, from.vgprs, 7, "granules of VGPRs of a wave");            \
    ARCHIPELAGO_PIN(port, sgprs, from.sgprs, 7, "granules of SGPRs of a wave");            \
    ARCHIPELAGO_PIN(port, lds, from.lds, 9, "granules of LDS of a group");                 \
    ARCHIPELAGO_PIN(port, float_mode, from.float_mode, 8, "COMPUTE_PGM_RSRC1.FLOAT_MODE"); \
    ARCHIPELAGO_PIN(port, dx10_clamp, from.dx10_clamp, 1, "COMPUTE_PGM_RSRC1.DX10_CLAMP"); \
    ARCHIPELAGO_PIN(port, ieee, from.ieee, 1, "COMPUTE_PGM_RSRC1.IEEE_MODE");              \
    ARCHIPELAGO_PIN(port, privileged, from.privileged, 1, "COMPUTE_PGM_RSRC1.PRIV");       \
    ARCHIPELAGO_PIN(port, trap, from.trap, 1, "COMPUTE_PGM_RSRC2.TRAP_PRESENT");           \
    ARCHIPELAGO_PIN(port, exceptions, from.exceptions, 7, "COMPUTE_PGM_RSRC2.EXCP_EN");    \
    ARCHIPELAGO_PIN(port, tba, from.tba, 48, "trap handler, bytes");                       \
    ARCHIPELAGO_PIN(port, tma, from.tma, 48, "memory of the trap handler, bytes");         \
    ARCHIPELAGO_PIN(port, ids, from.ids, 2, "components of thread ids that are loaded, 1 to 3")

// Waves of a shader engine.
#define ARCHIPELAGO_LAUNCH_PINS(port)                                                              \
    ARCHIPELAGO_PIN(port, valid, port##_valid, 1, "a beat of a wave");                             \
    ARCHIPELAGO_PIN(port, beat, port.beat, 2, "of four; all but the ids is the same in each");     \
    ARCHIPELAGO_PIN(port, array, port.array, 1, "shader array it goes to");                        \
    ARCHIPELAGO_PIN(port, cu, port.cu, 4, "compute unit");                                         \
    ARCHIPELAGO_PIN(port, simd, port.simd, 2, "SIMD");                                             \
    ARCHIPELAGO_PIN(port, slot, port.slot, 4, "wave slot");                                        \
    ARCHIPELAGO_PIN(port, group_slot, port.group_slot, 6, "slot of its group");                    \
    ARCHIPELAGO_PROGRAM_PINS(port, port);                                                          \
    ARCHIPELAGO_PIN(port, group, port.group, 32, "number of its group, x fastest");                \
    ARCHIPELAGO_PIN(port, wave, port.wave, 4, "its number in the group");                          \
    ARCHIPELAGO_PIN(port, waves, port.waves, 5, "waves of the group");                             \
    ARCHIPELAGO_PIN(port, exec, port.exec, 64, "lanes that have a thread");                        \
    ARCHIPELAGO_PIN(port, vgpr, port.vgpr, 6, "first granule of VGPRs");                           \
    ARCHIPELAGO_PIN(port, sgpr, port.sgpr, 6, "first granule of SGPRs");                           \
    ARCHIPELAGO_PIN(port, lds_first, port.lds_first, 8, "first granule of LDS");                   \
    ARCHIPELAGO_PIN(port, scratch_slot, port.scratch_slot, 12, "scratch slot, 0 without scratch"); \
    ARCHIPELAGO_PIN(port, size_x, port.size_x, 11, "threads of the group in x");                   \
    ARCHIPELAGO_PIN(port, size_y, port.size_y, 11, "threads of the group in y");                   \
    ARCHIPELAGO_PIN(port, size_z, port.size_z, 11, "threads of the group in z");                   \
    ARCHIPELAGO_PIN(port, sgpr_count, port.sgpr_count, 5, "SGPRs that are loaded");                \
    ARCHIPELAGO_PIN(port, sgpr_data, port.sgpr_data, 32,                                           \
                    "s0 on: user data, ids of the group, TG_SIZE, scratch offset");                \
    ARCHIPELAGO_PIN(port, id_x, port.id_x, 10, "v0 of lane 16 * beat + n");                        \
    ARCHIPELAGO_PIN(port, id_y, port.id_y, 10, "v1 of it, 0 when it is not loaded");               \
    ARCHIPELAGO_PIN(port, id_z, port.id_z, 10, "v2 of it, 0 when it is not loaded")

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(dispatch, valid, dispatch_valid, 1, "a dispatch to walk");
        ARCHIPELAGO_PIN(dispatch, ring, dispatch.ring, 2, "its ring");
        ARCHIPELAGO_PROGRAM_PINS(dispatch, dispatch);
        ARCHIPELAGO_PIN(dispatch, start_x, dispatch.start_x, 32, "first group id in x");
        ARCHIPELAGO_PIN(dispatch, start_y, dispatch.start_y, 32, "first group id in y");
        ARCHIPELAGO_PIN(dispatch, start_z, dispatch.start_z, 32, "first group id in z");
        ARCHIPELAGO_PIN(dispatch, end_x, dispatch.end_x, 32, "one past the last group id in x");
        ARCHIPELAGO_PIN(dispatch, end_y, dispatch.end_y, 32, "one past the last group id in y");
        ARCHIPELAGO_PIN(dispatch, end_z, dispatch.end_z, 32, "one past the last group id in z");
        ARCHIPELAGO_PIN(dispatch, size_x, dispatch.size_x, 11, "threads of a full group in x");
        ARCHIPELAGO_PIN(dispatch, size_y, dispatch.size_y, 11, "threads of a full group in y");
        ARCHIPELAGO_PIN(dispatch, size_z, dispatch.size_z, 11,
                        "threads of a full group in z; at most 1024 in all");
        ARCHIPELAGO_PIN(dispatch, last_x, dispatch.last_x, 11, "threads of the last group in x");
        ARCHIPELAGO_PIN(dispatch, last_y, dispatch.last_y, 11, "threads of the last group in y");
        ARCHIPELAGO_PIN(dispatch, last_z, dispatch.last_z, 11, "threads of the last group in z");
        ARCHIPELAGO_PIN(dispatch, user_sgprs, dispatch.user_sgprs, 5, "user data loaded, 0 to 16");
        ARCHIPELAGO_PIN(dispatch, user_data, dispatch.user_data, 32, "COMPUTE_USER_DATA_n");
        ARCHIPELAGO_PIN(dispatch, tgid_x, dispatch.tgid_x, 1, "an SGPR has the group's id in x");
        ARCHIPELAGO_PIN(dispatch, tgid_y, dispatch.tgid_y, 1, "an SGPR has the group's id in y");
        ARCHIPELAGO_PIN(dispatch, tgid_z, dispatch.tgid_z, 1, "an SGPR has the group's id in z");
        ARCHIPELAGO_PIN(dispatch, tg_size, dispatch.tg_size, 1, "an SGPR has TG_SIZE");
        ARCHIPELAGO_PIN(dispatch, ordered, dispatch.ordered, 1,
                        "waves have numbers for ds_ordered_count");
        ARCHIPELAGO_PIN(dispatch, ordered_by_group, dispatch.ordered_by_group, 1,
                        "one for all waves of a group");
        ARCHIPELAGO_PIN(dispatch, scratch, dispatch.scratch, 1,
                        "waves have a scratch slot, an SGPR its offset");
        ARCHIPELAGO_PIN(dispatch, scratch_waves, dispatch.scratch_waves, 12, "scratch slots");
        ARCHIPELAGO_PIN(dispatch, scratch_size, dispatch.scratch_size, 13, "KiB of a slot");
        ARCHIPELAGO_PIN(dispatch, most_waves, dispatch.most_waves, 10,
                        "waves of an array at most; 0: no limit");
        ARCHIPELAGO_PIN(dispatch, most_groups, dispatch.most_groups, 4,
                        "groups of a compute unit at most; 0: no limit");
        ARCHIPELAGO_PIN(dispatch, enabled, dispatch.enabled, 64,
                        "compute units it may go to: bit 32 * engine + 16 * array + CU");
        ARCHIPELAGO_PIN(dispatch, ranges, dispatch.ranges, 4,
                        "ranges of chosen groups, 0 to 8; 0: all groups");
        ARCHIPELAGO_PIN(dispatch, others, dispatch.others, 1,
                        "the groups in no range are chosen instead");
        ARCHIPELAGO_PIN(dispatch, range_first, dispatch.range_first, 32,
                        "first group of range n; ranges ascend");
        ARCHIPELAGO_PIN(dispatch, range_last, dispatch.range_last, 32, "last group of range n");
        ARCHIPELAGO_PIN(turn, valid, turn_valid, 1, "a ring may place a group");
        ARCHIPELAGO_PIN(turn, ring, turn_ring, 2, "the ring");
        ARCHIPELAGO_PIN(query, ready, query_ready, 1, "the query is taken");
        ARCHIPELAGO_PIN(grant, valid, grant_valid, 1, "answer to a query for room");
        ARCHIPELAGO_PIN(grant, placed, grant.placed, 1, "there is room");
        ARCHIPELAGO_PIN(grant, engine, grant.engine, 1, "shader engine");
        ARCHIPELAGO_PIN(grant, array, grant.array, 1, "shader array");
        ARCHIPELAGO_PIN(grant, cu, grant.cu, 4, "compute unit");
        ARCHIPELAGO_PIN(grant, group, grant.group, 6, "slot of the group on it");
        ARCHIPELAGO_PIN(grant, lds, grant.lds, 8, "first granule of LDS");
        ARCHIPELAGO_PIN(grant, simd, grant.simd, 2, "SIMD of wave n");
        ARCHIPELAGO_PIN(grant, slot, grant.slot, 4, "slot of wave n");
        ARCHIPELAGO_PIN(grant, vgpr, grant.vgpr, 6, "first granule of VGPRs of wave n");
        ARCHIPELAGO_PIN(grant, sgpr, grant.sgpr, 6, "first granule of SGPRs of wave n");
        ARCHIPELAGO_PIN(walk, ready, walk_ready, 1, "the walk's report is taken");
        ARCHIPELAGO_PIN(freed, valid, freed_valid, 1, "a wave with a scratch slot has ended");
        ARCHIPELAGO_PIN(freed, ring, freed_ring, 2, "its ring");
        ARCHIPELAGO_PIN(freed, slot, freed_slot, 12, "its slot");
        ARCHIPELAGO_PIN(se0, ready, se0_ready, 1, "the beat is taken");
        ARCHIPELAGO_PIN(se1, ready, se1_ready, 1, "the beat is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(dispatch, ready, dispatch_ready, 1,
                        "the dispatch is taken: its ring walks none");
        ARCHIPELAGO_PIN(turn, ready, turn_ready, 1, "the turn is taken");
        ARCHIPELAGO_PIN(query, valid, query_valid, 1, "what the next group of the ring needs");
        ARCHIPELAGO_PIN(query, needs, query.needs, 2,
                        "0 the ring walks no dispatch, 1 scratch slots, 2 room: a grant follows");
        ARCHIPELAGO_PIN(query, number, query.number, 32, "number of its dispatch");
        ARCHIPELAGO_PIN(query, waves, query.waves, 5, "waves of the group, 1 to 16");
        ARCHIPELAGO_PIN(query, vgprs, query.vgprs, 7, "granules of VGPRs of a wave");
        ARCHIPELAGO_PIN(query, sgprs, query.sgprs, 7, "granules of SGPRs of a wave");
        ARCHIPELAGO_PIN(query, lds, query.lds, 9, "granules of LDS of the group");
        ARCHIPELAGO_PIN(query, most_waves, query.most_waves, 10,
                        "waves of an array at most; 0: no limit");
        ARCHIPELAGO_PIN(query, most_groups, query.most_groups, 4,
                        "groups of a compute unit at most; 0: no limit");
        ARCHIPELAGO_PIN(query, enabled, query.enabled, 64,
                        "compute units it may go to: bit 32 * engine + 16 * array + CU");
        ARCHIPELAGO_PIN(grant, ready, grant_ready, 1,
                        "the grant is taken: no group waits on its engine");
        ARCHIPELAGO_PIN(walk, valid, walk_valid, 1,
                        "behind a dispatch and a group placed: the walk is at the next group");
        ARCHIPELAGO_PIN(walk, ring, walk_ring, 2, "its ring");
        ARCHIPELAGO_PIN(walk, ended, walk_ended, 1, "there is none: the dispatch is walked");
        ARCHIPELAGO_PIN(freed, ready, freed_ready, 1,
                        "the slot is free; not from a turn to its query");
        ARCHIPELAGO_PIN(freed, known, freed_known, 1, "it was taken");
        ARCHIPELAGO_LAUNCH_PINS(se0);
        ARCHIPELAGO_LAUNCH_PINS(se1);
    }
#undef ARCHIPELAGO_PROGRAM_PINS
#undef ARCHIPELAGO_LAUNCH_PINS
};

}  // namespace archipelago::rtl
