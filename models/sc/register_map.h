// SPDX-License-Identifier: Apache-2.0
// The registers that the scan converter acts on. Fields: public register headers of Southern
// Islands. Sample positions: models/raster/sample_positions.h; RASTER_CONFIG: tile_owner.h there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "models/common/context_registers.h"
#include "models/common/named_register.h"
#include "models/raster/sample_positions.h"
#include "models/raster/tile_owner.h"

namespace archipelago::sc {

// NAME_TL and NAME_BR: two corners of a rectangle of pixels.
struct RectangleRegisters {
    RectangleRegisters(const regs::RegisterDatabase* database, const std::string& name)
        : tl(database, name + "_TL"), br(database, name + "_BR") {}
    regs::NamedRegister tl, br;
    regs::NamedField TL_X{tl, "TL_X"}, TL_Y{tl, "TL_Y"}, BR_X{br, "BR_X"}, BR_Y{br, "BR_Y"},
        WINDOW_OFFSET_DISABLE{tl, "WINDOW_OFFSET_DISABLE"};
};
// NAME0, NAME1, ...
template <size_t... Numbers>
std::array<RectangleRegisters, sizeof...(Numbers)> rectangles(
    const regs::RegisterDatabase* database, const std::string& name,
    std::index_sequence<Numbers...>) {
    return {RectangleRegisters(database, name + std::to_string(Numbers))...};
}

struct RegisterMap {
    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    ContextWindow context;
    regs::NamedRegister GFX_COPY_STATE{database, "GFX_COPY_STATE"};

    raster::SampleRegisters samples{database};
    raster::RasterConfigRegister PA_SC_RASTER_CONFIG{database};

    RectangleRegisters PA_SC_SCREEN_SCISSOR{database, "PA_SC_SCREEN_SCISSOR"};
    RectangleRegisters PA_SC_WINDOW_SCISSOR{database, "PA_SC_WINDOW_SCISSOR"};
    RectangleRegisters PA_SC_GENERIC_SCISSOR{database, "PA_SC_GENERIC_SCISSOR"};
    std::array<RectangleRegisters, 16> PA_SC_VPORT_SCISSOR =
        rectangles(database, "PA_SC_VPORT_SCISSOR_", std::make_index_sequence<16>());
    std::array<RectangleRegisters, 4> PA_SC_CLIPRECT =
        rectangles(database, "PA_SC_CLIPRECT_", std::make_index_sequence<4>());
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField WINDOW_X_OFFSET{*this, "WINDOW_X_OFFSET"},
            WINDOW_Y_OFFSET{*this, "WINDOW_Y_OFFSET"};
    } PA_SC_WINDOW_OFFSET{database, "PA_SC_WINDOW_OFFSET"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField CLIP_RULE{*this, "CLIP_RULE"};
    } PA_SC_CLIPRECT_RULE{database, "PA_SC_CLIPRECT_RULE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ER_TRI{*this, "ER_TRI"}, ER_POINT{*this, "ER_POINT"},
            ER_RECT{*this, "ER_RECT"}, ER_LINE_LR{*this, "ER_LINE_LR"},
            ER_LINE_RL{*this, "ER_LINE_RL"}, ER_LINE_TB{*this, "ER_LINE_TB"},
            ER_LINE_BT{*this, "ER_LINE_BT"};
    } PA_SC_EDGERULE{database, "PA_SC_EDGERULE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VPORT_SCISSOR_ENABLE{*this, "VPORT_SCISSOR_ENABLE"},
            LINE_STIPPLE_ENABLE{*this, "LINE_STIPPLE_ENABLE"};
    } PA_SC_MODE_CNTL_0{database, "PA_SC_MODE_CNTL_0"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField KILL_PIX_POST_HI_Z{*this, "KILL_PIX_POST_HI_Z"},
            KILL_PIX_POST_DETAIL_MASK{*this, "KILL_PIX_POST_DETAIL_MASK"},
            MULTI_GPU_SUPERTILE_ENABLE{*this, "MULTI_GPU_SUPERTILE_ENABLE"};
    } PA_SC_MODE_CNTL_1{database, "PA_SC_MODE_CNTL_1"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField LINE_PATTERN{*this, "LINE_PATTERN"}, REPEAT_COUNT{*this, "REPEAT_COUNT"},
            PATTERN_BIT_ORDER{*this, "PATTERN_BIT_ORDER"};
    } PA_SC_LINE_STIPPLE{database, "PA_SC_LINE_STIPPLE"};
    // One mask of samples for each pixel of a quad.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField AA_MASK_X0Y0{*this, "AA_MASK_X0Y0"}, AA_MASK_X1Y0{*this, "AA_MASK_X1Y0"};
    } PA_SC_AA_MASK_X0Y0_X1Y0{database, "PA_SC_AA_MASK_X0Y0_X1Y0"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField AA_MASK_X0Y1{*this, "AA_MASK_X0Y1"}, AA_MASK_X1Y1{*this, "AA_MASK_X1Y1"};
    } PA_SC_AA_MASK_X0Y1_X1Y1{database, "PA_SC_AA_MASK_X0Y1_X1Y1"};
};

}  // namespace archipelago::sc
