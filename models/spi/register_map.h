// SPDX-License-Identifier: Apache-2.0
// The registers that SPI acts on. SI document 1.2.1.5, 2.6; fields: public register headers.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/context_registers.h"
#include "models/common/named_register.h"
#include "models/gcn/draw_message.h"
#include "models/raster/sample_positions.h"

namespace archipelago::spi {

constexpr unsigned kGraphicsStages = static_cast<unsigned>(ShaderStage::Cs);
constexpr unsigned index_of(ShaderStage stage) {
    return static_cast<unsigned>(stage);
}

// SPI_SHADER_* of one graphics stage; every stage has a block of its own.
struct StageRegisters {
    StageRegisters(const regs::RegisterDatabase* database, const std::string& stage)
        : TBA_LO(database, "SPI_SHADER_TBA_LO_" + stage),
          TBA_HI(database, "SPI_SHADER_TBA_HI_" + stage),
          TMA_LO(database, "SPI_SHADER_TMA_LO_" + stage),
          TMA_HI(database, "SPI_SHADER_TMA_HI_" + stage),
          PGM_LO(database, "SPI_SHADER_PGM_LO_" + stage),
          PGM_HI(database, "SPI_SHADER_PGM_HI_" + stage),
          USER_DATA_0(database, "SPI_SHADER_USER_DATA_" + stage + "_0"),
          PGM_RSRC1(database, "SPI_SHADER_PGM_RSRC1_" + stage),
          PGM_RSRC2(database, "SPI_SHADER_PGM_RSRC2_" + stage) {}

    regs::NamedRegister TBA_LO, TBA_HI, TMA_LO, TMA_HI, PGM_LO, PGM_HI;
    regs::NamedRegister USER_DATA_0;  // 15 more follow
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VGPRS{*this, "VGPRS"}, SGPRS{*this, "SGPRS"}, PRIORITY{*this, "PRIORITY"},
            FLOAT_MODE{*this, "FLOAT_MODE"}, PRIV{*this, "PRIV"}, DX10_CLAMP{*this, "DX10_CLAMP"},
            IEEE_MODE{*this, "IEEE_MODE"}, VGPR_COMP_CNT{*this, "VGPR_COMP_CNT"};
    } PGM_RSRC1;
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField SCRATCH_EN{*this, "SCRATCH_EN"}, USER_SGPR{*this, "USER_SGPR"},
            TRAP_PRESENT{*this, "TRAP_PRESENT"}, OC_LDS_EN{*this, "OC_LDS_EN"},
            SO_EN{*this, "SO_EN"}, SO_BASE0_EN{*this, "SO_BASE0_EN"},
            SO_BASE1_EN{*this, "SO_BASE1_EN"}, SO_BASE2_EN{*this, "SO_BASE2_EN"},
            SO_BASE3_EN{*this, "SO_BASE3_EN"}, EXCP_EN{*this, "EXCP_EN"},
            TG_SIZE_EN{*this, "TG_SIZE_EN"}, WAVE_CNT_EN{*this, "WAVE_CNT_EN"},
            LDS_SIZE{*this, "LDS_SIZE"}, EXTRA_LDS_SIZE{*this, "EXTRA_LDS_SIZE"};
    } PGM_RSRC2;
};

struct RegisterMap {
    static constexpr unsigned kMaxShader = 512;  // dwords of the windows at most
    static constexpr unsigned kMaxContext = 53;
    static constexpr unsigned kMaxCompute = 128;

    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    // Windows that SPI keeps registers of, bytes; end exclusive.
    uint32_t compute_start = 0, compute_end = 0;  // COMPUTE_*, a set for each ring
    uint32_t shader_start = 0, shader_end = 0;    // SPI_SHADER_*
    uint32_t context_start = 0, context_end = 0;  // a set for each render context
    unsigned contexts = kContexts;
    // Of the family: the inputs of pixel waves are in registers of other blocks, too.
    ContextWindow all_contexts{};
    // Limits on the waves of a stage; kNoOffset in families without such registers.
    std::array<uint32_t, kGraphicsStages> SPI_SHADER_PGM_RSRC3{regs::kNoOffset, regs::kNoOffset,
                                                               regs::kNoOffset, regs::kNoOffset,
                                                               regs::kNoOffset, regs::kNoOffset};
    uint32_t SPI_SHADER_LATE_ALLOC_VS = regs::kNoOffset;

    // Dispatches: one set for each ring.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField COMPUTE_SHADER_EN{*this, "COMPUTE_SHADER_EN"},
            PARTIAL_TG_EN{*this, "PARTIAL_TG_EN"}, FORCE_START_AT_000{*this, "FORCE_START_AT_000"},
            ORDERED_APPEND_ENBL{*this, "ORDERED_APPEND_ENBL"},
            ORDERED_APPEND_MODE{*this, "ORDERED_APPEND_MODE"};
    } COMPUTE_DISPATCH_INITIATOR{database, "COMPUTE_DISPATCH_INITIATOR"};
    regs::NamedRegister COMPUTE_DIM_X{database, "COMPUTE_DIM_X"};
    regs::NamedRegister COMPUTE_DIM_Y{database, "COMPUTE_DIM_Y"};
    regs::NamedRegister COMPUTE_DIM_Z{database, "COMPUTE_DIM_Z"};
    regs::NamedRegister COMPUTE_START_X{database, "COMPUTE_START_X"};
    regs::NamedRegister COMPUTE_START_Y{database, "COMPUTE_START_Y"};
    regs::NamedRegister COMPUTE_START_Z{database, "COMPUTE_START_Z"};
    regs::NamedRegister COMPUTE_NUM_THREAD_X{database, "COMPUTE_NUM_THREAD_X"};
    regs::NamedRegister COMPUTE_NUM_THREAD_Y{database, "COMPUTE_NUM_THREAD_Y"};
    regs::NamedRegister COMPUTE_NUM_THREAD_Z{database, "COMPUTE_NUM_THREAD_Z"};
    regs::NamedRegister COMPUTE_PGM_LO{database, "COMPUTE_PGM_LO"};
    regs::NamedRegister COMPUTE_PGM_HI{database, "COMPUTE_PGM_HI"};
    regs::NamedRegister COMPUTE_TBA_LO{database, "COMPUTE_TBA_LO"};
    regs::NamedRegister COMPUTE_TBA_HI{database, "COMPUTE_TBA_HI"};
    regs::NamedRegister COMPUTE_TMA_LO{database, "COMPUTE_TMA_LO"};
    regs::NamedRegister COMPUTE_TMA_HI{database, "COMPUTE_TMA_HI"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VGPRS{*this, "VGPRS"}, SGPRS{*this, "SGPRS"}, PRIORITY{*this, "PRIORITY"},
            FLOAT_MODE{*this, "FLOAT_MODE"}, PRIV{*this, "PRIV"}, DX10_CLAMP{*this, "DX10_CLAMP"},
            IEEE_MODE{*this, "IEEE_MODE"};
    } COMPUTE_PGM_RSRC1{database, "COMPUTE_PGM_RSRC1"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField SCRATCH_EN{*this, "SCRATCH_EN"}, USER_SGPR{*this, "USER_SGPR"},
            TRAP_PRESENT{*this, "TRAP_PRESENT"}, TGID_X_EN{*this, "TGID_X_EN"},
            TGID_Y_EN{*this, "TGID_Y_EN"}, TGID_Z_EN{*this, "TGID_Z_EN"},
            TG_SIZE_EN{*this, "TG_SIZE_EN"}, TIDIG_COMP_CNT{*this, "TIDIG_COMP_CNT"},
            LDS_SIZE{*this, "LDS_SIZE"}, EXCP_EN{*this, "EXCP_EN"};
    } COMPUTE_PGM_RSRC2{database, "COMPUTE_PGM_RSRC2"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField WAVES_PER_SH{*this, "WAVES_PER_SH"}, TG_PER_CU{*this, "TG_PER_CU"},
            LOCK_THRESHOLD{*this, "LOCK_THRESHOLD"};
    } COMPUTE_RESOURCE_LIMITS{database, "COMPUTE_RESOURCE_LIMITS"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField WAVES{*this, "WAVES"}, WAVESIZE{*this, "WAVESIZE"};
    } COMPUTE_TMPRING_SIZE{database, "COMPUTE_TMPRING_SIZE"};
    regs::NamedRegister COMPUTE_STATIC_THREAD_MGMT_SE0{database, "COMPUTE_STATIC_THREAD_MGMT_SE0"};
    regs::NamedRegister COMPUTE_STATIC_THREAD_MGMT_SE1{database, "COMPUTE_STATIC_THREAD_MGMT_SE1"};
    regs::NamedRegister COMPUTE_USER_DATA_0{database, "COMPUTE_USER_DATA_0"};
    // Events.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        struct : regs::NamedField {
            using NamedField::NamedField;
            regs::NamedValue PIPELINESTAT_START{*this, "PIPELINESTAT_START"},
                PIPELINESTAT_STOP{*this, "PIPELINESTAT_STOP"},
                VS_PARTIAL_FLUSH{*this, "VS_PARTIAL_FLUSH"},
                PS_PARTIAL_FLUSH{*this, "PS_PARTIAL_FLUSH"},
                CS_PARTIAL_FLUSH{*this, "CS_PARTIAL_FLUSH"}, PS_DONE{*this, "PS_DONE"},
                CS_DONE{*this, "CS_DONE"}, CONTEXT_DONE{*this, "CONTEXT_DONE"},
                CACHE_FLUSH{*this, "CACHE_FLUSH"}, CACHE_FLUSH_TS{*this, "CACHE_FLUSH_TS"},
                CACHE_FLUSH_AND_INV_EVENT{*this, "CACHE_FLUSH_AND_INV_EVENT"},
                CACHE_FLUSH_AND_INV_TS_EVENT{*this, "CACHE_FLUSH_AND_INV_TS_EVENT"};
        } EVENT_TYPE{*this, "EVENT_TYPE"};
    } VGT_EVENT_INITIATOR{database, "VGT_EVENT_INITIATOR"};
    // Draws, and their context registers.
    regs::NamedRegister VGT_DRAW_INITIATOR{database, "VGT_DRAW_INITIATOR"};
    regs::NamedRegister GFX_COPY_STATE{database, "GFX_COPY_STATE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField WAVES{*this, "WAVES"}, WAVESIZE{*this, "WAVESIZE"};
    } SPI_TMPRING_SIZE{database, "SPI_TMPRING_SIZE"};
    regs::NamedRegister SPI_SHADER_POS_FORMAT{database, "SPI_SHADER_POS_FORMAT"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField VS_EXPORT_COUNT{*this, "VS_EXPORT_COUNT"};
    } SPI_VS_OUT_CONFIG{database, "SPI_VS_OUT_CONFIG"};
    regs::NamedRegister SPI_PS_INPUT_ENA{database, "SPI_PS_INPUT_ENA"};
    regs::NamedRegister SPI_PS_INPUT_ADDR{database, "SPI_PS_INPUT_ADDR"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField NUM_INTERP{*this, "NUM_INTERP"}, PARAM_GEN{*this, "PARAM_GEN"},
            BC_OPTIMIZE_DISABLE{*this, "BC_OPTIMIZE_DISABLE"};
    } SPI_PS_IN_CONTROL{database, "SPI_PS_IN_CONTROL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField FLAT_SHADE_ENA{*this, "FLAT_SHADE_ENA"},
            PNT_SPRITE_ENA{*this, "PNT_SPRITE_ENA"}, PNT_SPRITE_OVRD_X{*this, "PNT_SPRITE_OVRD_X"},
            PNT_SPRITE_OVRD_Y{*this, "PNT_SPRITE_OVRD_Y"},
            PNT_SPRITE_OVRD_Z{*this, "PNT_SPRITE_OVRD_Z"},
            PNT_SPRITE_OVRD_W{*this, "PNT_SPRITE_OVRD_W"},
            PNT_SPRITE_TOP_1{*this, "PNT_SPRITE_TOP_1"};
    } SPI_INTERP_CONTROL_0{database, "SPI_INTERP_CONTROL_0"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField OFFSET{*this, "OFFSET"}, DEFAULT_VAL{*this, "DEFAULT_VAL"},
            FLAT_SHADE{*this, "FLAT_SHADE"}, CYL_WRAP{*this, "CYL_WRAP"},
            PT_SPRITE_TEX{*this, "PT_SPRITE_TEX"};
    } SPI_PS_INPUT_CNTL_0{database, "SPI_PS_INPUT_CNTL_0"};
    // Inputs of pixel waves.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PERSP_CENTER_CNTL{*this, "PERSP_CENTER_CNTL"},
            PERSP_CENTROID_CNTL{*this, "PERSP_CENTROID_CNTL"},
            LINEAR_CENTER_CNTL{*this, "LINEAR_CENTER_CNTL"},
            LINEAR_CENTROID_CNTL{*this, "LINEAR_CENTROID_CNTL"},
            POS_FLOAT_LOCATION{*this, "POS_FLOAT_LOCATION"}, POS_FLOAT_ULC{*this, "POS_FLOAT_ULC"},
            FRONT_FACE_ALL_BITS{*this, "FRONT_FACE_ALL_BITS"};
    } SPI_BARYC_CNTL{database, "SPI_BARYC_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PS_ITER_SAMPLES{*this, "PS_ITER_SAMPLES"};
    } DB_EQAA{database, "DB_EQAA"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PS_ITER_SAMPLE{*this, "PS_ITER_SAMPLE"};
    } PA_SC_MODE_CNTL_1{database, "PA_SC_MODE_CNTL_1"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField MSAA_EXPOSED_SAMPLES{*this, "MSAA_EXPOSED_SAMPLES"};
    } PA_SC_AA_CONFIG{database, "PA_SC_AA_CONFIG"};
    raster::SampleRegisters samples{database};
    regs::NamedRegister SPI_SHADER_Z_FORMAT{database, "SPI_SHADER_Z_FORMAT"};
    regs::NamedRegister SPI_SHADER_COL_FORMAT{database, "SPI_SHADER_COL_FORMAT"};
    // Which units take which waves, and in which order.
    regs::NamedRegister SPI_STATIC_THREAD_MGMT_1{database, "SPI_STATIC_THREAD_MGMT_1"};
    regs::NamedRegister SPI_CONFIG_CNTL_1{database, "SPI_CONFIG_CNTL_1"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField MAX_WAVE_ID{*this, "MAX_WAVE_ID"};
    } SPI_PS_MAX_WAVE_ID{database, "SPI_PS_MAX_WAVE_ID"};
    regs::NamedRegister SPI_ARB_PRIORITY{database, "SPI_ARB_PRIORITY"};
    regs::NamedRegister SPI_ARB_CYCLES_0{database, "SPI_ARB_CYCLES_0"};
    regs::NamedRegister SPI_ARB_CYCLES_1{database, "SPI_ARB_CYCLES_1"};
    // By ShaderStage.
    std::array<StageRegisters, kGraphicsStages> stages{{{database, "LS"},
                                                        {database, "HS"},
                                                        {database, "ES"},
                                                        {database, "GS"},
                                                        {database, "VS"},
                                                        {database, "PS"}}};
};

}  // namespace archipelago::spi
