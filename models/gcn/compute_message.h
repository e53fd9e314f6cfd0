// SPDX-License-Identifier: Apache-2.0
// What SPI and the compute units say to each other. Bit layouts are declared where a Verilog twin
// would drive them: `kBits` is the width of the packed form, fields packed in declaration order.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "models/gcn/draw_message.h"

namespace archipelago {

// What SPI loads for a wave of a graphics stage besides what WaveLaunch says itself. It belongs to
// SPI, which keeps it until the wave has ended. Order of the VGPRs: Mesa si_shader.c.
struct LaunchData {
    static constexpr unsigned kLanes = 64;
    static constexpr unsigned kVgprs = 24;
    uint32_t written = 0;  // bit n: vN is loaded; the others are 0
    std::array<std::array<uint32_t, kLanes>, kVgprs> vgpr{};
    std::vector<uint32_t> lds;  // PS: parameters, from the start of the wave's LDS on
};

// A work-group, as its program asks for it or as it has been granted.
struct GroupSize {
    unsigned waves = 1;
    unsigned vgprs = 0, sgprs = 0;  // of each wave; VGPRs per lane
    unsigned lds_bytes = 0;         // of the group

    bool operator<(const GroupSize& o) const {
        return std::tie(waves, vgprs, sgprs, lds_bytes) <
               std::tie(o.waves, o.vgprs, o.sgprs, o.lds_bytes);
    }
};

// SPI -> CU: one wave of a work-group. SI document 1.2.1.5 (shader initialisation).
struct WaveLaunch {
    static constexpr unsigned kMaxSgprInit = 24;
    uint32_t dispatch = 0;   // number of the dispatch, from 1
    uint32_t group = 0;      // work-group number within the dispatch, x fastest
    uint8_t group_slot = 0;  // the CU's resource slot for the group's LDS and barrier
    uint8_t wave_in_group = 0;
    uint8_t waves_in_group = 0;
    uint8_t simd = 0;
    uint8_t slot = 0;  // wave slot on the SIMD
    uint8_t vmid = 0;
    uint8_t priority = 0;
    uint64_t pc = 0;  // bytes
    uint64_t exec = 0;
    uint16_t vgpr_base = 0, vgpr_count = 0;  // per lane, of the SIMD's 256
    uint16_t sgpr_base = 0, sgpr_count = 0;  // of the SIMD's 512, VCC included
    uint32_t lds_base = 0, lds_bytes = 0;    // in the CU's LDS
    uint8_t float_mode = 0;
    bool dx10_clamp = false;
    bool ieee = false;
    bool privileged = false;
    bool trap_present = false;  // s_trap enters the handler at tba
    uint8_t exceptions = 0;     // MODE.EXCP_EN
    uint64_t tba = 0, tma = 0;  // trap handler and its memory, bytes
    uint8_t sgpr_init_count = 0;
    // User data, group ids, TG_SIZE, scratch offset.
    std::array<uint32_t, kMaxSgprInit> sgpr_init{};
    // v0..v2 hold local ids: lane i of the wave is thread first_thread + i of the group, counted
    // x fastest within group_dim. id_components: how many of v0..v2 are written (1..3).
    uint8_t id_components = 1;
    uint32_t first_thread = 0;
    std::array<uint16_t, 3> group_dim{};
    uint64_t uid = 0;
    // Graphics stages: `dispatch` is the draw and `group` the number of the wave within stage and
    // draw. `data` takes the place of the local ids.
    ShaderStage stage = ShaderStage::Cs;
    bool keeps_lds = false;  // HS: LDS holds what the group's LS waves left there
    const LaunchData* data = nullptr;
};

// CU -> SPI: the wave has ended and its memory accesses are complete. Its exports come by another
// way and may come later.
struct WaveDone {
    uint32_t dispatch = 0;
    uint32_t group = 0;
    uint8_t group_slot = 0;
    uint8_t simd = 0;
    uint8_t slot = 0;
    uint32_t exports = 0;  // ExportMessages sent
};

}  // namespace archipelago
