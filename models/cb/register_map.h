// SPDX-License-Identifier: Apache-2.0
// The registers that the colour block (CB) acts on. Fields: public register headers of Southern
// Islands.
#pragma once

#include <string>
#include <utility>

#include "models/common/context_registers.h"
#include "models/common/named_register.h"
#include "models/raster/quad_batch.h"

namespace archipelago::cb {

constexpr unsigned kTargets = 8;

// CB_COLORn_*: one render target.
struct TargetRegisters {
    TargetRegisters(const regs::RegisterDatabase* database, unsigned n)
        : name("CB_COLOR" + std::to_string(n)),
          BASE(database, name + "_BASE"),
          PITCH(database, name + "_PITCH"),
          SLICE(database, name + "_SLICE"),
          VIEW(database, name + "_VIEW"),
          INFO(database, name + "_INFO"),
          ATTRIB(database, name + "_ATTRIB"),
          CMASK(database, name + "_CMASK"),
          FMASK(database, name + "_FMASK"),
          FMASK_SLICE(database, name + "_FMASK_SLICE"),
          CLEAR_WORD0(database, name + "_CLEAR_WORD0"),
          CLEAR_WORD1(database, name + "_CLEAR_WORD1"),
          BLEND_CONTROL(database, "CB_BLEND" + std::to_string(n) + "_CONTROL") {}

    std::string name;
    regs::NamedRegister BASE;  // address / 256
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField TILE_MAX{*this, "TILE_MAX"};
    } PITCH, SLICE;
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField SLICE_START{*this, "SLICE_START"}, SLICE_MAX{*this, "SLICE_MAX"};
    } VIEW;
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ENDIAN{*this, "ENDIAN"}, FORMAT{*this, "FORMAT"},
            LINEAR_GENERAL{*this, "LINEAR_GENERAL"}, NUMBER_TYPE{*this, "NUMBER_TYPE"},
            COMP_SWAP{*this, "COMP_SWAP"}, FAST_CLEAR{*this, "FAST_CLEAR"},
            COMPRESSION{*this, "COMPRESSION"}, BLEND_CLAMP{*this, "BLEND_CLAMP"},
            BLEND_BYPASS{*this, "BLEND_BYPASS"}, SIMPLE_FLOAT{*this, "SIMPLE_FLOAT"},
            ROUND_MODE{*this, "ROUND_MODE"}, CMASK_IS_LINEAR{*this, "CMASK_IS_LINEAR"},
            FMASK_COMPRESSION_DISABLE{*this, "FMASK_COMPRESSION_DISABLE"};
    } INFO;
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField TILE_MODE_INDEX{*this, "TILE_MODE_INDEX"},
            FMASK_TILE_MODE_INDEX{*this, "FMASK_TILE_MODE_INDEX"},
            FMASK_BANK_HEIGHT{*this, "FMASK_BANK_HEIGHT"}, NUM_SAMPLES{*this, "NUM_SAMPLES"},
            NUM_FRAGMENTS{*this, "NUM_FRAGMENTS"}, FORCE_DST_ALPHA_1{*this, "FORCE_DST_ALPHA_1"};
    } ATTRIB;
    regs::NamedRegister CMASK, FMASK;  // address / 256
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField TILE_MAX{*this, "TILE_MAX"};
    } FMASK_SLICE;
    regs::NamedRegister CLEAR_WORD0, CLEAR_WORD1;
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField COLOR_SRCBLEND{*this, "COLOR_SRCBLEND"},
            COLOR_COMB_FCN{*this, "COLOR_COMB_FCN"}, COLOR_DESTBLEND{*this, "COLOR_DESTBLEND"},
            ALPHA_SRCBLEND{*this, "ALPHA_SRCBLEND"}, ALPHA_COMB_FCN{*this, "ALPHA_COMB_FCN"},
            ALPHA_DESTBLEND{*this, "ALPHA_DESTBLEND"},
            SEPARATE_ALPHA_BLEND{*this, "SEPARATE_ALPHA_BLEND"}, ENABLE{*this, "ENABLE"},
            DISABLE_ROP3{*this, "DISABLE_ROP3"};
    } BLEND_CONTROL;
};

struct RegisterMap {
    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    ContextWindow context;

    std::array<TargetRegisters, kTargets> target{
        TargetRegisters(database, 0), TargetRegisters(database, 1), TargetRegisters(database, 2),
        TargetRegisters(database, 3), TargetRegisters(database, 4), TargetRegisters(database, 5),
        TargetRegisters(database, 6), TargetRegisters(database, 7)};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField DEGAMMA_ENABLE{*this, "DEGAMMA_ENABLE"}, MODE{*this, "MODE"},
            ROP3{*this, "ROP3"};
    } CB_COLOR_CONTROL{database, "CB_COLOR_CONTROL"};
    regs::NamedRegister CB_TARGET_MASK{database, "CB_TARGET_MASK"};  // 4 bits for each target
    regs::NamedRegister CB_SHADER_MASK{database, "CB_SHADER_MASK"};
    regs::NamedRegister CB_BLEND_RED{database, "CB_BLEND_RED"};
    regs::NamedRegister CB_BLEND_GREEN{database, "CB_BLEND_GREEN"};
    regs::NamedRegister CB_BLEND_BLUE{database, "CB_BLEND_BLUE"};
    regs::NamedRegister CB_BLEND_ALPHA{database, "CB_BLEND_ALPHA"};
    regs::NamedRegister SPI_SHADER_COL_FORMAT{database, "SPI_SHADER_COL_FORMAT"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField MSAA_NUM_SAMPLES{*this, "MSAA_NUM_SAMPLES"};
    } PA_SC_AA_CONFIG{database, "PA_SC_AA_CONFIG"};
    regs::NamedRegister GFX_COPY_STATE{database, "GFX_COPY_STATE"};
    // Events that flush caches.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        struct : regs::NamedField {
            using NamedField::NamedField;
            regs::NamedValue CACHE_FLUSH{*this, "CACHE_FLUSH"},
                CACHE_FLUSH_TS{*this, "CACHE_FLUSH_TS"},
                CACHE_FLUSH_AND_INV_EVENT{*this, "CACHE_FLUSH_AND_INV_EVENT"},
                CACHE_FLUSH_AND_INV_TS_EVENT{*this, "CACHE_FLUSH_AND_INV_TS_EVENT"},
                FLUSH_AND_INV_CB_DATA_TS{*this, "FLUSH_AND_INV_CB_DATA_TS"},
                FLUSH_AND_INV_CB_PIXEL_DATA{*this, "FLUSH_AND_INV_CB_PIXEL_DATA"},
                FLUSH_AND_INV_CB_META{*this, "FLUSH_AND_INV_CB_META"};
        } EVENT_TYPE{*this, "EVENT_TYPE"};
    } VGT_EVENT_INITIATOR{database, "VGT_EVENT_INITIATOR"};
};

}  // namespace archipelago::cb
