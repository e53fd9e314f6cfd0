// SPDX-License-Identifier: Apache-2.0
// The registers that PA acts on: clipper (CL), viewport (VTE), setup (SU). Fields: public register
// headers.
#pragma once

#include <cstdint>

#include "models/common/context_registers.h"
#include "models/common/named_register.h"
#include "models/raster/tile_owner.h"

namespace archipelago::pa {

struct RegisterMap {
    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    ContextWindow contexts;                            // where its context registers are

    regs::NamedRegister GFX_COPY_STATE{database, "GFX_COPY_STATE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        struct : regs::NamedField {
            using NamedField::NamedField;
            regs::NamedValue PIPELINESTAT_START{*this, "PIPELINESTAT_START"},
                PIPELINESTAT_STOP{*this, "PIPELINESTAT_STOP"},
                SAMPLE_PIPELINESTAT{*this, "SAMPLE_PIPELINESTAT"};
        } EVENT_TYPE{*this, "EVENT_TYPE"};
    } VGT_EVENT_INITIATOR{database, "VGT_EVENT_INITIATOR"};
    // Exports of the vertex stage.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField POS0_EXPORT_FORMAT{*this, "POS0_EXPORT_FORMAT"},
            POS1_EXPORT_FORMAT{*this, "POS1_EXPORT_FORMAT"},
            POS2_EXPORT_FORMAT{*this, "POS2_EXPORT_FORMAT"},
            POS3_EXPORT_FORMAT{*this, "POS3_EXPORT_FORMAT"};
    } SPI_SHADER_POS_FORMAT{database, "SPI_SHADER_POS_FORMAT"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField CLIP_DIST_ENA_0{*this, "CLIP_DIST_ENA_0"},  // 7 more follow
            CULL_DIST_ENA_0{*this, "CULL_DIST_ENA_0"},               // 7 more follow
            USE_VTX_POINT_SIZE{*this, "USE_VTX_POINT_SIZE"},
            USE_VTX_EDGE_FLAG{*this, "USE_VTX_EDGE_FLAG"},
            USE_VTX_RENDER_TARGET_INDX{*this, "USE_VTX_RENDER_TARGET_INDX"},
            USE_VTX_VIEWPORT_INDX{*this, "USE_VTX_VIEWPORT_INDX"},
            USE_VTX_KILL_FLAG{*this, "USE_VTX_KILL_FLAG"},
            VS_OUT_MISC_VEC_ENA{*this, "VS_OUT_MISC_VEC_ENA"},
            VS_OUT_CCDIST0_VEC_ENA{*this, "VS_OUT_CCDIST0_VEC_ENA"},
            VS_OUT_CCDIST1_VEC_ENA{*this, "VS_OUT_CCDIST1_VEC_ENA"},
            USE_VTX_GS_CUT_FLAG{*this, "USE_VTX_GS_CUT_FLAG"};
    } PA_CL_VS_OUT_CNTL{database, "PA_CL_VS_OUT_CNTL"};
    // Clipper.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField UCP_ENA_0{*this, "UCP_ENA_0"},  // 5 more follow
            PS_UCP_MODE{*this, "PS_UCP_MODE"}, CLIP_DISABLE{*this, "CLIP_DISABLE"},
            UCP_CULL_ONLY_ENA{*this, "UCP_CULL_ONLY_ENA"},
            BOUNDARY_EDGE_FLAG_ENA{*this, "BOUNDARY_EDGE_FLAG_ENA"},
            DX_CLIP_SPACE_DEF{*this, "DX_CLIP_SPACE_DEF"},
            DX_RASTERIZATION_KILL{*this, "DX_RASTERIZATION_KILL"},
            DX_LINEAR_ATTR_CLIP_ENA{*this, "DX_LINEAR_ATTR_CLIP_ENA"},
            VTE_VPORT_PROVOKE_DISABLE{*this, "VTE_VPORT_PROVOKE_DISABLE"},
            ZCLIP_NEAR_DISABLE{*this, "ZCLIP_NEAR_DISABLE"},
            ZCLIP_FAR_DISABLE{*this, "ZCLIP_FAR_DISABLE"};
    } PA_CL_CLIP_CNTL{database, "PA_CL_CLIP_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VTE_XY_INF_DISCARD{*this, "VTE_XY_INF_DISCARD"},
            VTE_Z_INF_DISCARD{*this, "VTE_Z_INF_DISCARD"},
            VTE_W_INF_DISCARD{*this, "VTE_W_INF_DISCARD"},
            VS_XY_NAN_TO_INF{*this, "VS_XY_NAN_TO_INF"},
            VS_XY_INF_RETAIN{*this, "VS_XY_INF_RETAIN"}, VS_Z_NAN_TO_INF{*this, "VS_Z_NAN_TO_INF"},
            VS_Z_INF_RETAIN{*this, "VS_Z_INF_RETAIN"}, VS_W_NAN_TO_INF{*this, "VS_W_NAN_TO_INF"},
            VS_W_INF_RETAIN{*this, "VS_W_INF_RETAIN"},
            VS_CLIP_DIST_INF_DISCARD{*this, "VS_CLIP_DIST_INF_DISCARD"};
    } PA_CL_NANINF_CNTL{database, "PA_CL_NANINF_CNTL"};
    regs::NamedRegister PA_CL_UCP_0_X{database, "PA_CL_UCP_0_X"};  // x y z w of six planes
    regs::NamedRegister PA_CL_GB_VERT_CLIP_ADJ{database, "PA_CL_GB_VERT_CLIP_ADJ"};
    regs::NamedRegister PA_CL_GB_VERT_DISC_ADJ{database, "PA_CL_GB_VERT_DISC_ADJ"};
    regs::NamedRegister PA_CL_GB_HORZ_CLIP_ADJ{database, "PA_CL_GB_HORZ_CLIP_ADJ"};
    regs::NamedRegister PA_CL_GB_HORZ_DISC_ADJ{database, "PA_CL_GB_HORZ_DISC_ADJ"};
    // Viewport transform.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VPORT_X_SCALE_ENA{*this, "VPORT_X_SCALE_ENA"},
            VPORT_X_OFFSET_ENA{*this, "VPORT_X_OFFSET_ENA"},
            VPORT_Y_SCALE_ENA{*this, "VPORT_Y_SCALE_ENA"},
            VPORT_Y_OFFSET_ENA{*this, "VPORT_Y_OFFSET_ENA"},
            VPORT_Z_SCALE_ENA{*this, "VPORT_Z_SCALE_ENA"},
            VPORT_Z_OFFSET_ENA{*this, "VPORT_Z_OFFSET_ENA"}, VTX_XY_FMT{*this, "VTX_XY_FMT"},
            VTX_Z_FMT{*this, "VTX_Z_FMT"}, VTX_W0_FMT{*this, "VTX_W0_FMT"};
    } PA_CL_VTE_CNTL{database, "PA_CL_VTE_CNTL"};
    // Scale and offset of x, y and z, six registers for each of 16 viewports.
    regs::NamedRegister PA_CL_VPORT_XSCALE{database, "PA_CL_VPORT_XSCALE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField WINDOW_X_OFFSET{*this, "WINDOW_X_OFFSET"},
            WINDOW_Y_OFFSET{*this, "WINDOW_Y_OFFSET"};
    } PA_SC_WINDOW_OFFSET{database, "PA_SC_WINDOW_OFFSET"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField HW_SCREEN_OFFSET_X{*this, "HW_SCREEN_OFFSET_X"},
            HW_SCREEN_OFFSET_Y{*this, "HW_SCREEN_OFFSET_Y"};
    } PA_SU_HARDWARE_SCREEN_OFFSET{database, "PA_SU_HARDWARE_SCREEN_OFFSET"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PIX_CENTER{*this, "PIX_CENTER"}, ROUND_MODE{*this, "ROUND_MODE"},
            QUANT_MODE{*this, "QUANT_MODE"};
    } PA_SU_VTX_CNTL{database, "PA_SU_VTX_CNTL"};
    // Setup.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField CULL_FRONT{*this, "CULL_FRONT"}, CULL_BACK{*this, "CULL_BACK"},
            FACE{*this, "FACE"}, POLY_MODE{*this, "POLY_MODE"},
            POLYMODE_FRONT_PTYPE{*this, "POLYMODE_FRONT_PTYPE"},
            POLYMODE_BACK_PTYPE{*this, "POLYMODE_BACK_PTYPE"},
            POLY_OFFSET_FRONT_ENABLE{*this, "POLY_OFFSET_FRONT_ENABLE"},
            POLY_OFFSET_BACK_ENABLE{*this, "POLY_OFFSET_BACK_ENABLE"},
            POLY_OFFSET_PARA_ENABLE{*this, "POLY_OFFSET_PARA_ENABLE"},
            VTX_WINDOW_OFFSET_ENABLE{*this, "VTX_WINDOW_OFFSET_ENABLE"},
            PROVOKING_VTX_LAST{*this, "PROVOKING_VTX_LAST"},
            PERSP_CORR_DIS{*this, "PERSP_CORR_DIS"};
    } PA_SU_SC_MODE_CNTL{database, "PA_SU_SC_MODE_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField HEIGHT{*this, "HEIGHT"}, WIDTH{*this, "WIDTH"};
    } PA_SU_POINT_SIZE{database, "PA_SU_POINT_SIZE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField MIN_SIZE{*this, "MIN_SIZE"}, MAX_SIZE{*this, "MAX_SIZE"};
    } PA_SU_POINT_MINMAX{database, "PA_SU_POINT_MINMAX"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField WIDTH{*this, "WIDTH"};
    } PA_SU_LINE_CNTL{database, "PA_SU_LINE_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField EXPAND_LINE_WIDTH{*this, "EXPAND_LINE_WIDTH"},
            LAST_PIXEL{*this, "LAST_PIXEL"},
            PERPENDICULAR_ENDCAP_ENA{*this, "PERPENDICULAR_ENDCAP_ENA"},
            DX10_DIAMOND_TEST_ENA{*this, "DX10_DIAMOND_TEST_ENA"};
    } PA_SC_LINE_CNTL{database, "PA_SC_LINE_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField AUTO_RESET_CNTL{*this, "AUTO_RESET_CNTL"};
    } PA_SC_LINE_STIPPLE{database, "PA_SC_LINE_STIPPLE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField LINE_STIPPLE_ENABLE{*this, "LINE_STIPPLE_ENABLE"};
    } PA_SC_MODE_CNTL_0{database, "PA_SC_MODE_CNTL_0"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField POLY_OFFSET_NEG_NUM_DB_BITS{*this, "POLY_OFFSET_NEG_NUM_DB_BITS"},
            POLY_OFFSET_DB_IS_FLOAT_FMT{*this, "POLY_OFFSET_DB_IS_FLOAT_FMT"};
    } PA_SU_POLY_OFFSET_DB_FMT_CNTL{database, "PA_SU_POLY_OFFSET_DB_FMT_CNTL"};
    regs::NamedRegister PA_SU_POLY_OFFSET_CLAMP{database, "PA_SU_POLY_OFFSET_CLAMP"};
    regs::NamedRegister PA_SU_POLY_OFFSET_FRONT_SCALE{database, "PA_SU_POLY_OFFSET_FRONT_SCALE"};
    regs::NamedRegister PA_SU_POLY_OFFSET_FRONT_OFFSET{database, "PA_SU_POLY_OFFSET_FRONT_OFFSET"};
    regs::NamedRegister PA_SU_POLY_OFFSET_BACK_SCALE{database, "PA_SU_POLY_OFFSET_BACK_SCALE"};
    regs::NamedRegister PA_SU_POLY_OFFSET_BACK_OFFSET{database, "PA_SU_POLY_OFFSET_BACK_OFFSET"};
    // Distribution to shader engines.
    raster::RasterConfigRegister PA_SC_RASTER_CONFIG{database};
};

}  // namespace archipelago::pa
