// SPDX-License-Identifier: Apache-2.0
// Names of a program's text, by number in the words; private to text_*.cpp.
#pragma once

#include <array>

#include "models/ctm/isa/fields.h"

namespace archipelago::ctm::isa {

// Null: reserved.
using Names = std::array<const char*, 16>;
constexpr Names kTypeNames{"alu", "out", "fc", "tex"};
constexpr Names kRgbOpNames{"mad", "dp3", "dp4", "d2a", "min", "max", nullptr,
                            "cnd", "cmp", "frc", "sop", "mdh", "mdv"};
constexpr Names kAlphaOpNames{"mad", "dp",  "min", "max", nullptr, "cnd", "cmp", "frc",
                              "ex2", "ln2", "rcp", "rsq", "sin",   "cos", "mdh", "mdv"};
constexpr Names kModifierNames{"", "*2", "*4", "*8", "/2", "/4", "/8", ".bits"};
constexpr Names kPresubtractNames{"bias", "sub", "add", "inv"};
constexpr Names kCompareNames{"eq", "lt", "ge", "ne"};
constexpr Names kPredicateNames{"none", "rgba", "r", "g", "b", "a"};
constexpr Names kTextureOpNames{"nop", "ld", "texkill", "proj", "lodbias", "lod", "dxdy"};
constexpr Names kFlowOpNames{"jump",   "loop",      "endloop",  "rep",
                             "endrep", "breakloop", "breakrep", "continue"};
constexpr Names kAddressOpNames{"none", "pop", "push"};
constexpr Names kBranchOpNames{"none", "dec", "inc"};
constexpr const char* kSwizzleLetters = "rgba0h1";

// A word after an instruction: NAME for 1, or NAME=VALUE, by name or number.
struct Flag {
    const char* name;
    Field field;
    enum class Kind : uint8_t { Bit, Named, Decimal, Hex } kind = Kind::Bit;
    const Names* names = nullptr;
};
constexpr Flag kFlags[] = {
    {"rgb_test", Field::RgbTarget, Flag::Kind::Named, &kCompareNames},
    {"alpha_test", Field::AlphaTarget, Flag::Kind::Named, &kCompareNames},
    {"conditional", Field::WOmask},
    {"unscaled", Field::TexUnscaled},
    {"acquire", Field::TexSemAcquire},
    {"ignore_uncovered", Field::TexIgnoreUncovered},
    {"func", Field::FcJumpFunc, Flag::Kind::Hex},
    {"any", Field::FcJumpAny},
    {"else", Field::FcBElse},
    {"address", Field::FcAOp, Flag::Kind::Named, &kAddressOpNames},
    {"stay", Field::FcBOp0, Flag::Kind::Named, &kBranchOpNames},
    {"jump", Field::FcBOp1, Flag::Kind::Named, &kBranchOpNames},
    {"levels", Field::FcBPopCnt, Flag::Kind::Decimal},
    {"bool", Field::FcBoolAddr, Flag::Kind::Decimal},
    {"int", Field::FcIntAddr, Flag::Kind::Decimal},
    {"ignore_uncovered", Field::FcIgnoreUncovered},
    {"global", Field::FcJumpGlobal},
    {"write_inactive", Field::WriteInactive},
    {"sem_wait", Field::TexSemWait},
    {"alu_wait", Field::AluWait},
    {"nop", Field::Nop},
    {"last", Field::Last},
};
// TARGET is a comparison of ALU, an output of OUT; W_OMASK belongs to OUT.
constexpr bool has_flag(Type type, const Flag& flag) {
    const bool target = flag.field == Field::RgbTarget || flag.field == Field::AlphaTarget;
    if (target || flag.field == Field::WOmask) {
        return type == (target ? Type::Alu : Type::Out);
    }
    return (info(flag.field).types >> static_cast<unsigned>(type) & 1) != 0;
}

// Fields of a half of an ALU or OUT instruction.
struct HalfFields {
    const char* name;
    Field address, presubtract, op;
    std::array<Field, 3> select;  // swizzles and modifier follow each
    Field modifier, clamp, destination, write_mask, target, output_mask, predicate, inverted;
    const Names* ops;
    unsigned channels;
    const char* letters;  // of masks
};
constexpr HalfFields kHalves[] = {
    {"rgb",
     Field::RgbAddr0,
     Field::RgbSrcpOp,
     Field::RgbOp,
     {Field::RgbSelA, Field::RgbSelB, Field::RgbSelC},
     Field::RgbOmod,
     Field::RgbClamp,
     Field::RgbAddrd,
     Field::RgbWmask,
     Field::RgbTarget,
     Field::RgbOmask,
     Field::RgbPredSel,
     Field::RgbPredInv,
     &kRgbOpNames,
     3,
     "rgb"},
    {"alpha",
     Field::AlphaAddr0,
     Field::AlphaSrcpOp,
     Field::AlphaOp,
     {Field::AlphaSelA, Field::AlphaSelB, Field::AlphaSelC},
     Field::AlphaOmod,
     Field::AlphaClamp,
     Field::AlphaAddrd,
     Field::AlphaWmask,
     Field::AlphaTarget,
     Field::AlphaOmask,
     Field::AlphaPredSel,
     Field::AlphaPredInv,
     &kAlphaOpNames,
     1,
     "a"},
};
constexpr Field plus(Field field, unsigned offset) {
    return static_cast<Field>(static_cast<unsigned>(field) + offset);
}

}  // namespace archipelago::ctm::isa
