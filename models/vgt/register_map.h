// SPDX-License-Identifier: Apache-2.0
// The registers that VGT and IA act on. SI document 1.2.1.6, 2.5; fields: public register headers.
#pragma once

#include <cstdint>

#include "models/common/context_registers.h"
#include "models/common/named_register.h"

namespace archipelago::vgt {

struct RegisterMap {
    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    // VGT's part of the registers that exist once. Bytes, end exclusive.
    uint32_t config_start = 0, config_end = 0;
    ContextWindow context;

    // Draws and events.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField SOURCE_SELECT{*this, "SOURCE_SELECT"}, MAJOR_MODE{*this, "MAJOR_MODE"},
            SPRITE_EN_R6XX{*this, "SPRITE_EN_R6XX"}, NOT_EOP{*this, "NOT_EOP"},
            USE_OPAQUE{*this, "USE_OPAQUE"};
    } VGT_DRAW_INITIATOR{database, "VGT_DRAW_INITIATOR"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        struct : regs::NamedField {
            using NamedField::NamedField;
            regs::NamedValue VGT_STREAMOUT_RESET{*this, "VGT_STREAMOUT_RESET"},
                RESET_VTX_CNT{*this, "RESET_VTX_CNT"},
                PIPELINESTAT_START{*this, "PIPELINESTAT_START"},
                PIPELINESTAT_STOP{*this, "PIPELINESTAT_STOP"},
                SAMPLE_PIPELINESTAT{*this, "SAMPLE_PIPELINESTAT"},
                SAMPLE_STREAMOUTSTATS{*this, "SAMPLE_STREAMOUTSTATS"},
                SAMPLE_STREAMOUTSTATS1{*this, "SAMPLE_STREAMOUTSTATS1"},
                SAMPLE_STREAMOUTSTATS2{*this, "SAMPLE_STREAMOUTSTATS2"},
                SAMPLE_STREAMOUTSTATS3{*this, "SAMPLE_STREAMOUTSTATS3"};
        } EVENT_TYPE{*this, "EVENT_TYPE"};
    } VGT_EVENT_INITIATOR{database, "VGT_EVENT_INITIATOR"};
    regs::NamedRegister VGT_IMMED_DATA{database, "VGT_IMMED_DATA"};
    regs::NamedRegister GFX_COPY_STATE{database, "GFX_COPY_STATE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VGT_BUSY{*this, "VGT_BUSY"};
    } VGT_CNTL_STATUS{database, "VGT_CNTL_STATUS"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField IA_BUSY{*this, "IA_BUSY"}, IA_DMA_BUSY{*this, "IA_DMA_BUSY"};
    } IA_CNTL_STATUS{database, "IA_CNTL_STATUS"};
    regs::NamedRegister VGT_NUM_INDICES{database, "VGT_NUM_INDICES"};
    regs::NamedRegister VGT_NUM_INSTANCES{database, "VGT_NUM_INSTANCES"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PRIM_TYPE{*this, "PRIM_TYPE"};
    } VGT_PRIMITIVE_TYPE{database, "VGT_PRIMITIVE_TYPE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PATH_SELECT{*this, "PATH_SELECT"};
    } VGT_OUTPUT_PATH_CNTL{database, "VGT_OUTPUT_PATH_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField LS_EN{*this, "LS_EN"}, HS_EN{*this, "HS_EN"}, ES_EN{*this, "ES_EN"},
            GS_EN{*this, "GS_EN"}, VS_EN{*this, "VS_EN"}, DYNAMIC_HS{*this, "DYNAMIC_HS"};
    } VGT_SHADER_STAGES_EN{database, "VGT_SHADER_STAGES_EN"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PRIMGROUP_SIZE{*this, "PRIMGROUP_SIZE"},
            PARTIAL_VS_WAVE_ON{*this, "PARTIAL_VS_WAVE_ON"},
            PARTIAL_ES_WAVE_ON{*this, "PARTIAL_ES_WAVE_ON"}, SWITCH_ON_EOP{*this, "SWITCH_ON_EOP"},
            SWITCH_ON_EOI{*this, "SWITCH_ON_EOI"};
    } IA_MULTI_VGT_PARAM{database, "IA_MULTI_VGT_PARAM"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PROVOKING_VTX_LAST{*this, "PROVOKING_VTX_LAST"};
    } PA_SU_SC_MODE_CNTL{database, "PA_SU_SC_MODE_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField DX_RASTERIZATION_KILL{*this, "DX_RASTERIZATION_KILL"};
    } PA_CL_CLIP_CNTL{database, "PA_CL_CLIP_CNTL"};
    // Indices and vertices.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField INDEX_TYPE{*this, "INDEX_TYPE"};
    } VGT_INDEX_TYPE{database, "VGT_INDEX_TYPE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField INDEX_TYPE{*this, "INDEX_TYPE"}, SWAP_MODE{*this, "SWAP_MODE"},
            BUF_TYPE{*this, "BUF_TYPE"}, ATC{*this, "ATC"};
    } VGT_DMA_INDEX_TYPE{database, "VGT_DMA_INDEX_TYPE"};
    regs::NamedRegister VGT_DMA_BASE{database, "VGT_DMA_BASE"};
    regs::NamedRegister VGT_DMA_BASE_HI{database, "VGT_DMA_BASE_HI"};
    regs::NamedRegister VGT_DMA_SIZE{database, "VGT_DMA_SIZE"};
    regs::NamedRegister VGT_DMA_MAX_SIZE{database, "VGT_DMA_MAX_SIZE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ENABLE{*this, "ENABLE"}, VMID{*this, "VMID"};
    } IA_VMID_OVERRIDE{database, "IA_VMID_OVERRIDE"};
    regs::NamedRegister VGT_INDX_OFFSET{database, "VGT_INDX_OFFSET"};
    regs::NamedRegister VGT_MIN_VTX_INDX{database, "VGT_MIN_VTX_INDX"};
    regs::NamedRegister VGT_MAX_VTX_INDX{database, "VGT_MAX_VTX_INDX"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField RESET_EN{*this, "RESET_EN"};
    } VGT_MULTI_PRIM_IB_RESET_EN{database, "VGT_MULTI_PRIM_IB_RESET_EN"};
    regs::NamedRegister VGT_MULTI_PRIM_IB_RESET_INDX{database, "VGT_MULTI_PRIM_IB_RESET_INDX"};
    regs::NamedRegister VGT_INSTANCE_STEP_RATE_0{database, "VGT_INSTANCE_STEP_RATE_0"};
    regs::NamedRegister VGT_INSTANCE_STEP_RATE_1{database, "VGT_INSTANCE_STEP_RATE_1"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PRIMITIVEID_EN{*this, "PRIMITIVEID_EN"},
            DISABLE_RESET_ON_EOI{*this, "DISABLE_RESET_ON_EOI"};
    } VGT_PRIMITIVEID_EN{database, "VGT_PRIMITIVEID_EN"};
    regs::NamedRegister VGT_PRIMITIVEID_RESET{database, "VGT_PRIMITIVEID_RESET"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField REUSE_OFF{*this, "REUSE_OFF"};
    } VGT_REUSE_OFF{database, "VGT_REUSE_OFF"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VTX_REUSE_DEPTH{*this, "VTX_REUSE_DEPTH"};
    } VGT_VERTEX_REUSE_BLOCK_CNTL{database, "VGT_VERTEX_REUSE_BLOCK_CNTL"};
    regs::NamedRegister VGT_OUT_DEALLOC_CNTL{database, "VGT_OUT_DEALLOC_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VTX_CNT_EN{*this, "VTX_CNT_EN"};
    } VGT_VTX_CNT_EN{database, "VGT_VTX_CNT_EN"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PRIM_COUNT{*this, "PRIM_COUNT"};
    } VGT_VTX_VECT_EJECT_REG{database, "VGT_VTX_VECT_EJECT_REG"};
    // Streamout.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField RAST_STREAM{*this, "RAST_STREAM"},
            USE_RAST_STREAM_MASK{*this, "USE_RAST_STREAM_MASK"};
    } VGT_STRMOUT_CONFIG{database, "VGT_STRMOUT_CONFIG"};
    regs::NamedRegister VGT_STRMOUT_BUFFER_CONFIG{database, "VGT_STRMOUT_BUFFER_CONFIG"};
    regs::NamedRegisters<4> VGT_STRMOUT_BUFFER_SIZE =
        regs::numbered<4>(database, "VGT_STRMOUT_BUFFER_SIZE_");
    regs::NamedRegisters<4> VGT_STRMOUT_VTX_STRIDE =
        regs::numbered<4>(database, "VGT_STRMOUT_VTX_STRIDE_");
    regs::NamedRegisters<4> VGT_STRMOUT_BUFFER_OFFSET =
        regs::numbered<4>(database, "VGT_STRMOUT_BUFFER_OFFSET_");
    regs::NamedRegisters<4> VGT_STRMOUT_BUFFER_FILLED_SIZE =
        regs::numbered<4>(database, "VGT_STRMOUT_BUFFER_FILLED_SIZE_");
    regs::NamedRegister VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE{
        database, "VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE"};
    regs::NamedRegister VGT_STRMOUT_DRAW_OPAQUE_OFFSET{database, "VGT_STRMOUT_DRAW_OPAQUE_OFFSET"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VERTEX_STRIDE{*this, "VERTEX_STRIDE"};
    } VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE{database, "VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE"};
    // Geometry shaders.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField MODE{*this, "MODE"}, ONCHIP{*this, "ONCHIP"};
    } VGT_GS_MODE{database, "VGT_GS_MODE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ITEMSIZE{*this, "ITEMSIZE"};
    } VGT_ESGS_RING_ITEMSIZE{database, "VGT_ESGS_RING_ITEMSIZE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ITEMSIZE{*this, "ITEMSIZE"};
    } VGT_GSVS_RING_ITEMSIZE{database, "VGT_GSVS_RING_ITEMSIZE"};
    regs::NamedRegister VGT_ESGS_RING_SIZE{database, "VGT_ESGS_RING_SIZE"};
    regs::NamedRegister VGT_GSVS_RING_SIZE{database, "VGT_GSVS_RING_SIZE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField MAX_VERT_OUT{*this, "MAX_VERT_OUT"};
    } VGT_GS_MAX_VERT_OUT{database, "VGT_GS_MAX_VERT_OUT"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ENABLE{*this, "ENABLE"}, CNT{*this, "CNT"};
    } VGT_GS_INSTANCE_CNT{database, "VGT_GS_INSTANCE_CNT"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ITEMSIZE{*this, "ITEMSIZE"};
    } VGT_GS_VERT_ITEMSIZE{database, "VGT_GS_VERT_ITEMSIZE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ITEMSIZE{*this, "ITEMSIZE"};
    } VGT_GS_VERT_ITEMSIZE_1{database, "VGT_GS_VERT_ITEMSIZE_1"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ITEMSIZE{*this, "ITEMSIZE"};
    } VGT_GS_VERT_ITEMSIZE_2{database, "VGT_GS_VERT_ITEMSIZE_2"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ITEMSIZE{*this, "ITEMSIZE"};
    } VGT_GS_VERT_ITEMSIZE_3{database, "VGT_GS_VERT_ITEMSIZE_3"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField OFFSET{*this, "OFFSET"};
    } VGT_GSVS_RING_OFFSET_1{database, "VGT_GSVS_RING_OFFSET_1"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField OFFSET{*this, "OFFSET"};
    } VGT_GSVS_RING_OFFSET_2{database, "VGT_GSVS_RING_OFFSET_2"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField OFFSET{*this, "OFFSET"};
    } VGT_GSVS_RING_OFFSET_3{database, "VGT_GSVS_RING_OFFSET_3"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField UNIQUE_TYPE_PER_STREAM{*this, "UNIQUE_TYPE_PER_STREAM"},
            OUTPRIM_TYPE{*this, "OUTPRIM_TYPE"}, OUTPRIM_TYPE_1{*this, "OUTPRIM_TYPE_1"},
            OUTPRIM_TYPE_2{*this, "OUTPRIM_TYPE_2"}, OUTPRIM_TYPE_3{*this, "OUTPRIM_TYPE_3"};
    } VGT_GS_OUT_PRIM_TYPE{database, "VGT_GS_OUT_PRIM_TYPE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VERT_REUSE{*this, "VERT_REUSE"};
    } VGT_GS_VERTEX_REUSE{database, "VGT_GS_VERTEX_REUSE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField GS_PER_ES{*this, "GS_PER_ES"};
    } VGT_GS_PER_ES{database, "VGT_GS_PER_ES"};
    // Tessellation.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField HS_NUM_INPUT_CP{*this, "HS_NUM_INPUT_CP"},
            HS_NUM_OUTPUT_CP{*this, "HS_NUM_OUTPUT_CP"}, NUM_PATCHES{*this, "NUM_PATCHES"};
    } VGT_LS_HS_CONFIG{database, "VGT_LS_HS_CONFIG"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField TYPE{*this, "TYPE"}, TOPOLOGY{*this, "TOPOLOGY"};
    } VGT_TF_PARAM{database, "VGT_TF_PARAM"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField OFFCHIP_BUFFERING{*this, "OFFCHIP_BUFFERING"},
            OFFCHIP_GRANULARITY{*this, "OFFCHIP_GRANULARITY"};
    } VGT_HS_OFFCHIP_PARAM{database, "VGT_HS_OFFCHIP_PARAM"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField SIZE{*this, "SIZE"};
    } VGT_TF_RING_SIZE{database, "VGT_TF_RING_SIZE"};
};

}  // namespace archipelago::vgt
