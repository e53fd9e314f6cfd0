// SPDX-License-Identifier: Apache-2.0
// The registers that the depth block acts on. Fields: public register headers.
#pragma once

#include <cstdint>

#include "models/common/context_registers.h"
#include "models/common/named_register.h"
#include "models/raster/sample_positions.h"

namespace archipelago::db {

struct RegisterMap {
    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    ContextWindow context;
    raster::SampleRegisters samples{database};
    regs::NamedRegister GFX_COPY_STATE{database, "GFX_COPY_STATE"};

    // Events: what writes the caches back, and the record of counts.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        struct : regs::NamedField {
            using NamedField::NamedField;
            regs::NamedValue CACHE_FLUSH{*this, "CACHE_FLUSH"},
                CACHE_FLUSH_TS{*this, "CACHE_FLUSH_TS"},
                CACHE_FLUSH_AND_INV_EVENT{*this, "CACHE_FLUSH_AND_INV_EVENT"},
                CACHE_FLUSH_AND_INV_TS_EVENT{*this, "CACHE_FLUSH_AND_INV_TS_EVENT"},
                DB_CACHE_FLUSH_AND_INV{*this, "DB_CACHE_FLUSH_AND_INV"},
                FLUSH_AND_INV_DB_DATA_TS{*this, "FLUSH_AND_INV_DB_DATA_TS"},
                FLUSH_AND_INV_DB_META{*this, "FLUSH_AND_INV_DB_META"},
                ZPASS_DONE{*this, "ZPASS_DONE"};
        } EVENT_TYPE{*this, "EVENT_TYPE"};
    } VGT_EVENT_INITIATOR{database, "VGT_EVENT_INITIATOR"};

    // How a draw uses the buffers.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField STENCIL_ENABLE{*this, "STENCIL_ENABLE"}, Z_ENABLE{*this, "Z_ENABLE"},
            Z_WRITE_ENABLE{*this, "Z_WRITE_ENABLE"},
            DEPTH_BOUNDS_ENABLE{*this, "DEPTH_BOUNDS_ENABLE"}, ZFUNC{*this, "ZFUNC"},
            BACKFACE_ENABLE{*this, "BACKFACE_ENABLE"}, STENCILFUNC{*this, "STENCILFUNC"},
            STENCILFUNC_BF{*this, "STENCILFUNC_BF"},
            ENABLE_COLOR_WRITES_ON_DEPTH_FAIL{*this, "ENABLE_COLOR_WRITES_ON_DEPTH_FAIL"},
            DISABLE_COLOR_WRITES_ON_DEPTH_PASS{*this, "DISABLE_COLOR_WRITES_ON_DEPTH_PASS"};
    } DB_DEPTH_CONTROL{database, "DB_DEPTH_CONTROL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField STENCILFAIL{*this, "STENCILFAIL"}, STENCILZPASS{*this, "STENCILZPASS"},
            STENCILZFAIL{*this, "STENCILZFAIL"}, STENCILFAIL_BF{*this, "STENCILFAIL_BF"},
            STENCILZPASS_BF{*this, "STENCILZPASS_BF"}, STENCILZFAIL_BF{*this, "STENCILZFAIL_BF"};
    } DB_STENCIL_CONTROL{database, "DB_STENCIL_CONTROL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField STENCILTESTVAL{*this, "STENCILTESTVAL"}, STENCILMASK{*this, "STENCILMASK"},
            STENCILWRITEMASK{*this, "STENCILWRITEMASK"}, STENCILOPVAL{*this, "STENCILOPVAL"};
    } DB_STENCILREFMASK{database, "DB_STENCILREFMASK"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField STENCILTESTVAL_BF{*this, "STENCILTESTVAL_BF"},
            STENCILMASK_BF{*this, "STENCILMASK_BF"},
            STENCILWRITEMASK_BF{*this, "STENCILWRITEMASK_BF"},
            STENCILOPVAL_BF{*this, "STENCILOPVAL_BF"};
    } DB_STENCILREFMASK_BF{database, "DB_STENCILREFMASK_BF"};
    regs::NamedRegister DB_DEPTH_BOUNDS_MIN{database, "DB_DEPTH_BOUNDS_MIN"};
    regs::NamedRegister DB_DEPTH_BOUNDS_MAX{database, "DB_DEPTH_BOUNDS_MAX"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField Z_EXPORT_ENABLE{*this, "Z_EXPORT_ENABLE"},
            STENCIL_TEST_VAL_EXPORT_ENABLE{*this, "STENCIL_TEST_VAL_EXPORT_ENABLE"},
            STENCIL_OP_VAL_EXPORT_ENABLE{*this, "STENCIL_OP_VAL_EXPORT_ENABLE"},
            Z_ORDER{*this, "Z_ORDER"}, KILL_ENABLE{*this, "KILL_ENABLE"},
            COVERAGE_TO_MASK_ENABLE{*this, "COVERAGE_TO_MASK_ENABLE"},
            MASK_EXPORT_ENABLE{*this, "MASK_EXPORT_ENABLE"},
            EXEC_ON_HIER_FAIL{*this, "EXEC_ON_HIER_FAIL"}, EXEC_ON_NOOP{*this, "EXEC_ON_NOOP"},
            ALPHA_TO_MASK_DISABLE{*this, "ALPHA_TO_MASK_DISABLE"},
            DEPTH_BEFORE_SHADER{*this, "DEPTH_BEFORE_SHADER"},
            CONSERVATIVE_Z_EXPORT{*this, "CONSERVATIVE_Z_EXPORT"};
    } DB_SHADER_CONTROL{database, "DB_SHADER_CONTROL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField MASK_EXPORT_NUM_SAMPLES{*this, "MASK_EXPORT_NUM_SAMPLES"},
            ALPHA_TO_MASK_NUM_SAMPLES{*this, "ALPHA_TO_MASK_NUM_SAMPLES"};
    } DB_EQAA{database, "DB_EQAA"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ALPHA_TO_MASK_ENABLE{*this, "ALPHA_TO_MASK_ENABLE"},
            ALPHA_TO_MASK_OFFSET0{*this, "ALPHA_TO_MASK_OFFSET0"},
            ALPHA_TO_MASK_OFFSET1{*this, "ALPHA_TO_MASK_OFFSET1"},
            ALPHA_TO_MASK_OFFSET2{*this, "ALPHA_TO_MASK_OFFSET2"},
            ALPHA_TO_MASK_OFFSET3{*this, "ALPHA_TO_MASK_OFFSET3"},
            OFFSET_ROUND{*this, "OFFSET_ROUND"};
    } DB_ALPHA_TO_MASK{database, "DB_ALPHA_TO_MASK"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ZPASS_INCREMENT_DISABLE{*this, "ZPASS_INCREMENT_DISABLE"},
            SAMPLE_RATE{*this, "SAMPLE_RATE"};
    } DB_COUNT_CONTROL{database, "DB_COUNT_CONTROL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField DEPTH_CLEAR_ENABLE{*this, "DEPTH_CLEAR_ENABLE"},
            STENCIL_CLEAR_ENABLE{*this, "STENCIL_CLEAR_ENABLE"}, DEPTH_COPY{*this, "DEPTH_COPY"},
            STENCIL_COPY{*this, "STENCIL_COPY"}, RESUMMARIZE_ENABLE{*this, "RESUMMARIZE_ENABLE"},
            STENCIL_COMPRESS_DISABLE{*this, "STENCIL_COMPRESS_DISABLE"},
            DEPTH_COMPRESS_DISABLE{*this, "DEPTH_COMPRESS_DISABLE"},
            COPY_SAMPLE{*this, "COPY_SAMPLE"};
    } DB_RENDER_CONTROL{database, "DB_RENDER_CONTROL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField FORCE_HIZ_ENABLE{*this, "FORCE_HIZ_ENABLE"},
            NOOP_CULL_DISABLE{*this, "NOOP_CULL_DISABLE"},
            FORCE_COLOR_KILL{*this, "FORCE_COLOR_KILL"},
            FORCE_FULL_Z_RANGE{*this, "FORCE_FULL_Z_RANGE"},
            DISABLE_VIEWPORT_CLAMP{*this, "DISABLE_VIEWPORT_CLAMP"},
            IGNORE_SC_ZRANGE{*this, "IGNORE_SC_ZRANGE"};
    } DB_RENDER_OVERRIDE{database, "DB_RENDER_OVERRIDE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField DISABLE_ZMASK_EXPCLEAR_OPTIMIZATION{*this,
                                                             "DISABLE_ZMASK_EXPCLEAR_OPTIMIZATION"},
            DISABLE_SMEM_EXPCLEAR_OPTIMIZATION{*this, "DISABLE_SMEM_EXPCLEAR_OPTIMIZATION"},
            DEPTH_BOUNDS_HIER_DEPTH_DISABLE{*this, "DEPTH_BOUNDS_HIER_DEPTH_DISABLE"},
            SEPARATE_HIZS_FUNC_ENABLE{*this, "SEPARATE_HIZS_FUNC_ENABLE"},
            HIZ_ZFUNC{*this, "HIZ_ZFUNC"};
    } DB_RENDER_OVERRIDE2{database, "DB_RENDER_OVERRIDE2"};
    // The buffers.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField FORMAT{*this, "FORMAT"}, NUM_SAMPLES{*this, "NUM_SAMPLES"},
            TILE_MODE_INDEX{*this, "TILE_MODE_INDEX"}, ALLOW_EXPCLEAR{*this, "ALLOW_EXPCLEAR"},
            TILE_SURFACE_ENABLE{*this, "TILE_SURFACE_ENABLE"},
            ZRANGE_PRECISION{*this, "ZRANGE_PRECISION"};
    } DB_Z_INFO{database, "DB_Z_INFO"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField FORMAT{*this, "FORMAT"}, TILE_MODE_INDEX{*this, "TILE_MODE_INDEX"},
            ALLOW_EXPCLEAR{*this, "ALLOW_EXPCLEAR"},
            TILE_STENCIL_DISABLE{*this, "TILE_STENCIL_DISABLE"};
    } DB_STENCIL_INFO{database, "DB_STENCIL_INFO"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PITCH_TILE_MAX{*this, "PITCH_TILE_MAX"},
            HEIGHT_TILE_MAX{*this, "HEIGHT_TILE_MAX"};
    } DB_DEPTH_SIZE{database, "DB_DEPTH_SIZE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField SLICE_TILE_MAX{*this, "SLICE_TILE_MAX"};
    } DB_DEPTH_SLICE{database, "DB_DEPTH_SLICE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField SLICE_START{*this, "SLICE_START"}, SLICE_MAX{*this, "SLICE_MAX"},
            Z_READ_ONLY{*this, "Z_READ_ONLY"}, STENCIL_READ_ONLY{*this, "STENCIL_READ_ONLY"};
    } DB_DEPTH_VIEW{database, "DB_DEPTH_VIEW"};
    regs::NamedRegister DB_Z_READ_BASE{database, "DB_Z_READ_BASE"};
    regs::NamedRegister DB_Z_WRITE_BASE{database, "DB_Z_WRITE_BASE"};
    regs::NamedRegister DB_STENCIL_READ_BASE{database, "DB_STENCIL_READ_BASE"};
    regs::NamedRegister DB_STENCIL_WRITE_BASE{database, "DB_STENCIL_WRITE_BASE"};
    regs::NamedRegister DB_HTILE_DATA_BASE{database, "DB_HTILE_DATA_BASE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField LINEAR{*this, "LINEAR"};
    } DB_HTILE_SURFACE{database, "DB_HTILE_SURFACE"};
    regs::NamedRegister DB_DEPTH_CLEAR{database, "DB_DEPTH_CLEAR"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField CLEAR{*this, "CLEAR"};
    } DB_STENCIL_CLEAR{database, "DB_STENCIL_CLEAR"};
    // Of other blocks: z range of viewports, what the shader exports, whether colour is written.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField Z_EXPORT_FORMAT{*this, "Z_EXPORT_FORMAT"};
    } SPI_SHADER_Z_FORMAT{database, "SPI_SHADER_Z_FORMAT"};
    regs::NamedRegister SPI_SHADER_COL_FORMAT{database, "SPI_SHADER_COL_FORMAT"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField MODE{*this, "MODE"};
    } CB_COLOR_CONTROL{database, "CB_COLOR_CONTROL"};
    regs::NamedRegister CB_TARGET_MASK{database, "CB_TARGET_MASK"};
    regs::NamedRegister CB_SHADER_MASK{database, "CB_SHADER_MASK"};
    regs::NamedRegisters<16> PA_SC_VPORT_ZMIN = regs::numbered<16>(database, "PA_SC_VPORT_ZMIN_");
    regs::NamedRegisters<16> PA_SC_VPORT_ZMAX = regs::numbered<16>(database, "PA_SC_VPORT_ZMAX_");
};

}  // namespace archipelago::db
