// SPDX-License-Identifier: Apache-2.0
// The fields of the six words of an instruction, one row each: decoder, assembler and disassembler
// read them here. Places and names are those of the R5xx instruction words US_CMN_INST (word 0),
// US_ALU_RGB_ADDR or US_TEX_INST (1), US_ALU_ALPHA_ADDR, US_TEX_ADDR or US_FC_INST (2),
// US_ALU_RGB_INST, US_TEX_ADDR_DXDY or US_FC_ADDR (3), US_ALU_ALPHA_INST (4), US_ALU_RGBA_INST (5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/ctm/isa/instruction.h"

namespace archipelago::ctm::isa {

// Instruction types that have a field, bit Type.
constexpr uint8_t kOfAlu = 1u << 0, kOfOut = 1u << 1, kOfFlow = 1u << 2, kOfTexture = 1u << 3;
constexpr uint8_t kOfMath = kOfAlu | kOfOut, kOfAll = 0xf;

enum class Field : uint8_t {
    // word 0
    Type,
    TexSemWait,
    RgbPredSel,
    RgbPredInv,
    WriteInactive,
    Last,
    Nop,
    AluWait,
    RgbWmask,
    AlphaWmask,
    RgbOmask,
    AlphaOmask,
    RgbClamp,
    AlphaClamp,
    AluResultSel,
    AlphaPredInv,
    AluResultOp,
    AlphaPredSel,
    StatWe,
    // words 1 to 5 of ALU and OUT
    RgbAddr0,
    RgbAddr0Const,
    RgbAddr0Rel,
    RgbAddr1,
    RgbAddr1Const,
    RgbAddr1Rel,
    RgbAddr2,
    RgbAddr2Const,
    RgbAddr2Rel,
    RgbSrcpOp,
    AlphaAddr0,
    AlphaAddr0Const,
    AlphaAddr0Rel,
    AlphaAddr1,
    AlphaAddr1Const,
    AlphaAddr1Rel,
    AlphaAddr2,
    AlphaAddr2Const,
    AlphaAddr2Rel,
    AlphaSrcpOp,
    RgbSelA,
    RedSwizA,
    GreenSwizA,
    BlueSwizA,
    RgbModA,
    RgbSelB,
    RedSwizB,
    GreenSwizB,
    BlueSwizB,
    RgbModB,
    RgbOmod,
    RgbTarget,
    AluWmask,
    AlphaOp,
    AlphaAddrd,
    AlphaAddrdRel,
    AlphaSelA,
    AlphaSwizA,
    AlphaModA,
    AlphaSelB,
    AlphaSwizB,
    AlphaModB,
    AlphaOmod,
    AlphaTarget,
    WOmask,
    RgbOp,
    RgbAddrd,
    RgbAddrdRel,
    RgbSelC,
    RedSwizC,
    GreenSwizC,
    BlueSwizC,
    RgbModC,
    AlphaSelC,
    AlphaSwizC,
    AlphaModC,
    // words 1 to 3 of TEX
    TexId,
    TexInst,
    TexSemAcquire,
    TexIgnoreUncovered,
    TexUnscaled,
    TexSrcAddr,
    TexSrcAddrRel,
    TexSrcSSwiz,
    TexSrcTSwiz,
    TexSrcRSwiz,
    TexSrcQSwiz,
    TexDstAddr,
    TexDstAddrRel,
    TexDstRSwiz,
    TexDstGSwiz,
    TexDstBSwiz,
    TexDstASwiz,
    DxAddr,
    DxAddrRel,
    DxSSwiz,
    DxTSwiz,
    DxRSwiz,
    DxQSwiz,
    DyAddr,
    DyAddrRel,
    DySSwiz,
    DyTSwiz,
    DyRSwiz,
    DyQSwiz,
    // words 2 and 3 of FC
    FcOp,
    FcBElse,
    FcJumpAny,
    FcAOp,
    FcJumpFunc,
    FcBPopCnt,
    FcBOp0,
    FcBOp1,
    FcIgnoreUncovered,
    FcBoolAddr,
    FcIntAddr,
    FcJumpAddr,
    FcJumpGlobal,
    Count,
};
constexpr size_t kFieldCount = static_cast<size_t>(Field::Count);

struct FieldInfo {
    Field field;
    const char* name;
    uint8_t word, low, width;
    uint8_t types;  // kOf...
};

// clang-format off
constexpr std::array<FieldInfo, kFieldCount> kFieldTable{{
    {Field::Type, "TYPE", 0, 0, 2, kOfAll},
    {Field::TexSemWait, "TEX_SEM_WAIT", 0, 2, 1, kOfAll},
    {Field::RgbPredSel, "RGB_PRED_SEL", 0, 3, 3, kOfAll},
    {Field::RgbPredInv, "RGB_PRED_INV", 0, 6, 1, kOfAll},
    {Field::WriteInactive, "WRITE_INACTIVE", 0, 7, 1, kOfAll},
    {Field::Last, "LAST", 0, 8, 1, kOfAll},
    {Field::Nop, "NOP", 0, 9, 1, kOfAll},
    {Field::AluWait, "ALU_WAIT", 0, 10, 1, kOfAll},
    {Field::RgbWmask, "RGB_WMASK", 0, 11, 3, kOfMath | kOfTexture},
    {Field::AlphaWmask, "ALPHA_WMASK", 0, 14, 1, kOfMath | kOfTexture},
    {Field::RgbOmask, "RGB_OMASK", 0, 15, 3, kOfMath},
    {Field::AlphaOmask, "ALPHA_OMASK", 0, 18, 1, kOfMath},
    {Field::RgbClamp, "RGB_CLAMP", 0, 19, 1, kOfMath},
    {Field::AlphaClamp, "ALPHA_CLAMP", 0, 20, 1, kOfMath},
    {Field::AluResultSel, "ALU_RESULT_SEL", 0, 21, 1, kOfMath},
    {Field::AlphaPredInv, "ALPHA_PRED_INV", 0, 22, 1, kOfMath | kOfTexture},
    {Field::AluResultOp, "ALU_RESULT_OP", 0, 23, 2, kOfMath},
    {Field::AlphaPredSel, "ALPHA_PRED_SEL", 0, 25, 3, kOfMath | kOfTexture},
    {Field::StatWe, "STAT_WE", 0, 28, 4, kOfMath},

    {Field::RgbAddr0, "RGB_ADDR0", 1, 0, 8, kOfMath},
    {Field::RgbAddr0Const, "RGB_ADDR0_CONST", 1, 8, 1, kOfMath},
    {Field::RgbAddr0Rel, "RGB_ADDR0_REL", 1, 9, 1, kOfMath},
    {Field::RgbAddr1, "RGB_ADDR1", 1, 10, 8, kOfMath},
    {Field::RgbAddr1Const, "RGB_ADDR1_CONST", 1, 18, 1, kOfMath},
    {Field::RgbAddr1Rel, "RGB_ADDR1_REL", 1, 19, 1, kOfMath},
    {Field::RgbAddr2, "RGB_ADDR2", 1, 20, 8, kOfMath},
    {Field::RgbAddr2Const, "RGB_ADDR2_CONST", 1, 28, 1, kOfMath},
    {Field::RgbAddr2Rel, "RGB_ADDR2_REL", 1, 29, 1, kOfMath},
    {Field::RgbSrcpOp, "RGB_SRCP_OP", 1, 30, 2, kOfMath},
    {Field::AlphaAddr0, "ALPHA_ADDR0", 2, 0, 8, kOfMath},
    {Field::AlphaAddr0Const, "ALPHA_ADDR0_CONST", 2, 8, 1, kOfMath},
    {Field::AlphaAddr0Rel, "ALPHA_ADDR0_REL", 2, 9, 1, kOfMath},
    {Field::AlphaAddr1, "ALPHA_ADDR1", 2, 10, 8, kOfMath},
    {Field::AlphaAddr1Const, "ALPHA_ADDR1_CONST", 2, 18, 1, kOfMath},
    {Field::AlphaAddr1Rel, "ALPHA_ADDR1_REL", 2, 19, 1, kOfMath},
    {Field::AlphaAddr2, "ALPHA_ADDR2", 2, 20, 8, kOfMath},
    {Field::AlphaAddr2Const, "ALPHA_ADDR2_CONST", 2, 28, 1, kOfMath},
    {Field::AlphaAddr2Rel, "ALPHA_ADDR2_REL", 2, 29, 1, kOfMath},
    {Field::AlphaSrcpOp, "ALPHA_SRCP_OP", 2, 30, 2, kOfMath},
    {Field::RgbSelA, "RGB_SEL_A", 3, 0, 2, kOfMath},
    {Field::RedSwizA, "RED_SWIZ_A", 3, 2, 3, kOfMath},
    {Field::GreenSwizA, "GREEN_SWIZ_A", 3, 5, 3, kOfMath},
    {Field::BlueSwizA, "BLUE_SWIZ_A", 3, 8, 3, kOfMath},
    {Field::RgbModA, "RGB_MOD_A", 3, 11, 2, kOfMath},
    {Field::RgbSelB, "RGB_SEL_B", 3, 13, 2, kOfMath},
    {Field::RedSwizB, "RED_SWIZ_B", 3, 15, 3, kOfMath},
    {Field::GreenSwizB, "GREEN_SWIZ_B", 3, 18, 3, kOfMath},
    {Field::BlueSwizB, "BLUE_SWIZ_B", 3, 21, 3, kOfMath},
    {Field::RgbModB, "RGB_MOD_B", 3, 24, 2, kOfMath},
    {Field::RgbOmod, "RGB_OMOD", 3, 26, 3, kOfMath},
    {Field::RgbTarget, "RGB_TARGET", 3, 29, 2, kOfMath},
    {Field::AluWmask, "ALU_WMASK", 3, 31, 1, kOfMath},
    {Field::AlphaOp, "ALPHA_OP", 4, 0, 4, kOfMath},
    {Field::AlphaAddrd, "ALPHA_ADDRD", 4, 4, 7, kOfMath},
    {Field::AlphaAddrdRel, "ALPHA_ADDRD_REL", 4, 11, 1, kOfMath},
    {Field::AlphaSelA, "ALPHA_SEL_A", 4, 12, 2, kOfMath},
    {Field::AlphaSwizA, "ALPHA_SWIZ_A", 4, 14, 3, kOfMath},
    {Field::AlphaModA, "ALPHA_MOD_A", 4, 17, 2, kOfMath},
    {Field::AlphaSelB, "ALPHA_SEL_B", 4, 19, 2, kOfMath},
    {Field::AlphaSwizB, "ALPHA_SWIZ_B", 4, 21, 3, kOfMath},
    {Field::AlphaModB, "ALPHA_MOD_B", 4, 24, 2, kOfMath},
    {Field::AlphaOmod, "ALPHA_OMOD", 4, 26, 3, kOfMath},
    {Field::AlphaTarget, "ALPHA_TARGET", 4, 29, 2, kOfMath},
    {Field::WOmask, "W_OMASK", 4, 31, 1, kOfMath},
    {Field::RgbOp, "RGB_OP", 5, 0, 4, kOfMath},
    {Field::RgbAddrd, "RGB_ADDRD", 5, 4, 7, kOfMath},
    {Field::RgbAddrdRel, "RGB_ADDRD_REL", 5, 11, 1, kOfMath},
    {Field::RgbSelC, "RGB_SEL_C", 5, 12, 2, kOfMath},
    {Field::RedSwizC, "RED_SWIZ_C", 5, 14, 3, kOfMath},
    {Field::GreenSwizC, "GREEN_SWIZ_C", 5, 17, 3, kOfMath},
    {Field::BlueSwizC, "BLUE_SWIZ_C", 5, 20, 3, kOfMath},
    {Field::RgbModC, "RGB_MOD_C", 5, 23, 2, kOfMath},
    {Field::AlphaSelC, "ALPHA_SEL_C", 5, 25, 2, kOfMath},
    {Field::AlphaSwizC, "ALPHA_SWIZ_C", 5, 27, 3, kOfMath},
    {Field::AlphaModC, "ALPHA_MOD_C", 5, 30, 2, kOfMath},

    {Field::TexId, "TEX_ID", 1, 16, 4, kOfTexture},
    {Field::TexInst, "TEX_INST", 1, 22, 3, kOfTexture},
    {Field::TexSemAcquire, "TEX_SEM_ACQUIRE", 1, 25, 1, kOfTexture},
    {Field::TexIgnoreUncovered, "TEX_IGNORE_UNCOVERED", 1, 26, 1, kOfTexture},
    {Field::TexUnscaled, "TEX_UNSCALED", 1, 27, 1, kOfTexture},
    {Field::TexSrcAddr, "TEX_SRC_ADDR", 2, 0, 7, kOfTexture},
    {Field::TexSrcAddrRel, "TEX_SRC_ADDR_REL", 2, 7, 1, kOfTexture},
    {Field::TexSrcSSwiz, "TEX_SRC_S_SWIZ", 2, 8, 2, kOfTexture},
    {Field::TexSrcTSwiz, "TEX_SRC_T_SWIZ", 2, 10, 2, kOfTexture},
    {Field::TexSrcRSwiz, "TEX_SRC_R_SWIZ", 2, 12, 2, kOfTexture},
    {Field::TexSrcQSwiz, "TEX_SRC_Q_SWIZ", 2, 14, 2, kOfTexture},
    {Field::TexDstAddr, "TEX_DST_ADDR", 2, 16, 7, kOfTexture},
    {Field::TexDstAddrRel, "TEX_DST_ADDR_REL", 2, 23, 1, kOfTexture},
    {Field::TexDstRSwiz, "TEX_DST_R_SWIZ", 2, 24, 2, kOfTexture},
    {Field::TexDstGSwiz, "TEX_DST_G_SWIZ", 2, 26, 2, kOfTexture},
    {Field::TexDstBSwiz, "TEX_DST_B_SWIZ", 2, 28, 2, kOfTexture},
    {Field::TexDstASwiz, "TEX_DST_A_SWIZ", 2, 30, 2, kOfTexture},
    {Field::DxAddr, "DX_ADDR", 3, 0, 7, kOfTexture},
    {Field::DxAddrRel, "DX_ADDR_REL", 3, 7, 1, kOfTexture},
    {Field::DxSSwiz, "DX_S_SWIZ", 3, 8, 2, kOfTexture},
    {Field::DxTSwiz, "DX_T_SWIZ", 3, 10, 2, kOfTexture},
    {Field::DxRSwiz, "DX_R_SWIZ", 3, 12, 2, kOfTexture},
    {Field::DxQSwiz, "DX_Q_SWIZ", 3, 14, 2, kOfTexture},
    {Field::DyAddr, "DY_ADDR", 3, 16, 7, kOfTexture},
    {Field::DyAddrRel, "DY_ADDR_REL", 3, 23, 1, kOfTexture},
    {Field::DySSwiz, "DY_S_SWIZ", 3, 24, 2, kOfTexture},
    {Field::DyTSwiz, "DY_T_SWIZ", 3, 26, 2, kOfTexture},
    {Field::DyRSwiz, "DY_R_SWIZ", 3, 28, 2, kOfTexture},
    {Field::DyQSwiz, "DY_Q_SWIZ", 3, 30, 2, kOfTexture},

    {Field::FcOp, "FC_OP", 2, 0, 3, kOfFlow},
    {Field::FcBElse, "FC_B_ELSE", 2, 4, 1, kOfFlow},
    {Field::FcJumpAny, "FC_JUMP_ANY", 2, 5, 1, kOfFlow},
    {Field::FcAOp, "FC_A_OP", 2, 6, 2, kOfFlow},
    {Field::FcJumpFunc, "FC_JUMP_FUNC", 2, 8, 8, kOfFlow},
    {Field::FcBPopCnt, "FC_B_POP_CNT", 2, 16, 5, kOfFlow},
    {Field::FcBOp0, "FC_B_OP0", 2, 24, 2, kOfFlow},
    {Field::FcBOp1, "FC_B_OP1", 2, 26, 2, kOfFlow},
    {Field::FcIgnoreUncovered, "FC_IGNORE_UNCOVERED", 2, 28, 1, kOfFlow},
    {Field::FcBoolAddr, "FC_BOOL_ADDR", 3, 0, 5, kOfFlow},
    {Field::FcIntAddr, "FC_INT_ADDR", 3, 8, 5, kOfFlow},
    {Field::FcJumpAddr, "FC_JUMP_ADDR", 3, 16, 9, kOfFlow},
    {Field::FcJumpGlobal, "FC_JUMP_GLOBAL", 3, 31, 1, kOfFlow},
}};
// clang-format on

constexpr bool fields_in_order() {
    for (size_t i = 0; i < kFieldCount; ++i) {
        if (kFieldTable[i].field != static_cast<Field>(i)) {
            return false;
        }
    }
    return true;
}
static_assert(fields_in_order(), "a row for each Field, in their order");

constexpr const FieldInfo& info(Field field) {
    return kFieldTable[static_cast<size_t>(field)];
}
constexpr uint32_t field_mask(const FieldInfo& f) {
    return (1u << f.width) - 1u;
}
constexpr uint32_t get(const Words& words, Field field) {
    const FieldInfo& f = info(field);
    return words[f.word] >> f.low & field_mask(f);
}
// The value's lower bits, as many as the field has.
constexpr void set(Words& words, Field field, uint32_t value) {
    const FieldInfo& f = info(field);
    const uint32_t mask = field_mask(f) << f.low;
    words[f.word] = (words[f.word] & ~mask) | (value << f.low & mask);
}

}  // namespace archipelago::ctm::isa
