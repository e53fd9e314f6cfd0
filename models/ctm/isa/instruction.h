// SPDX-License-Identifier: Apache-2.0
// An instruction of the DPP array: six dwords, decoded once. ATI CTM Guide 1.01, section 3.2; the
// places of the fields are those of the R5xx instruction words US_CMN_INST, US_ALU_RGB_ADDR,
// US_ALU_ALPHA_ADDR, US_ALU_RGB_INST, US_ALU_ALPHA_INST and US_ALU_RGBA_INST (fields.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/ctm/isa/math_plan.h"

namespace archipelago::ctm::isa {

constexpr unsigned kInstructionWords = 6;
constexpr unsigned kInstructionBytes = 4 * kInstructionWords;
constexpr unsigned kMaxInstructions = 512;

using Words = std::array<uint32_t, kInstructionWords>;

// INST_TYPE.
enum class Type : uint8_t { Alu, Out, FlowControl, Texture };

// Numbers as in the words.
enum class RgbOp : uint8_t { Mad, Dp3, Dp4, D2a, Min, Max, Cnd = 7, Cmp, Frc, Sop, Mdh, Mdv };
enum class AlphaOp : uint8_t {
    Mad,
    Dp,
    Min,
    Max,
    Cnd = 5,
    Cmp,
    Frc,
    Ex2,
    Ln2,
    Rcp,
    Rsq,
    Sin,
    Cos,
    Mdh,
    Mdv,
};
enum class Presubtract : uint8_t { Bias, Sub, Add, Inv };
enum class SourceSelect : uint8_t { Src0, Src1, Src2, Srcp };
enum class Swizzle : uint8_t { R, G, B, A, Zero, Half, One };
enum class InputModifier : uint8_t { None, Negate, Absolute, NegativeAbsolute };
enum class OutputModifier : uint8_t { U1, U2, U4, U8, D2, D4, D8, Disabled };
// Against 0; of predicates and of the ALU result.
enum class Compare : uint8_t { Eq, Lt, Ge, Ne };
enum class PredicateSelect : uint8_t { None, Rgba, Rrrr, Gggg, Bbbb, Aaaa };

// DP3, DP4 and D2A: one result for all channels, which alpha takes with DP.
constexpr bool is_dot(RgbOp op) {
    return op == RgbOp::Dp3 || op == RgbOp::Dp4 || op == RgbOp::D2a;
}
// What RGB takes with SOP.
constexpr bool is_transcendental(AlphaOp op) {
    return op >= AlphaOp::Ex2 && op <= AlphaOp::Cos;
}

struct SourceAddress {
    using Kind = MathPlan::Source::Kind;
    Kind kind = Kind::Temporary;
    uint8_t index = 0;      // inline: the seven bits of the number
    bool relative = false;  // plus aL
    float value = 0;        // inline
};

struct Operand {
    SourceSelect select = SourceSelect::Src0;
    std::array<Swizzle, 3> swizzle{};  // alpha: the first
    InputModifier modifier = InputModifier::None;
};

// The vec3 and the scalar unit of ALU and OUT instructions.
struct AluHalf {
    std::array<SourceAddress, 3> source{};
    Presubtract presubtract = Presubtract::Bias;
    std::array<Operand, 3> operand{};  // A, B, C
    OutputModifier output_modifier = OutputModifier::U1;
    uint8_t target = 0;  // TARGET: output, or the comparison that predicate bits are set by
    uint8_t destination = 0;
    bool destination_relative = false;
    uint8_t write_mask = 0;   // R, G, B; alpha: bit 0
    uint8_t output_mask = 0;  // ... of OUT
    bool clamp = false;
    PredicateSelect predicate = PredicateSelect::None;
    bool predicate_inverted = false;
};

struct Alu {
    AluHalf rgb, alpha;
    RgbOp rgb_op = RgbOp::Mad;
    AlphaOp alpha_op = AlphaOp::Mad;
    uint8_t predicate_write = 0;  // STAT_WE: R, G, B, A
    bool writes_alu_result = false;
    bool alu_result_of_alpha = false;
    Compare alu_result_compare = Compare::Eq;
    bool writes_conditional = false;  // W_OMASK of OUT

    MathPlan plan;
};

enum class TextureOp : uint8_t { Nop, Ld, Texkill, Proj, Lodbias, Lod, Dxdy };
struct Texture {
    TextureOp op = TextureOp::Nop;
    uint8_t input = 0;
    uint8_t source = 0, destination = 0;
    bool source_relative = false, destination_relative = false;
    std::array<uint8_t, 4> source_swizzle{};       // channel taken as S, T, R, Q
    std::array<uint8_t, 4> destination_swizzle{};  // channel of the texel for R, G, B, A
    uint8_t write_mask = 0;                        // R, G, B, A
    bool acquires_semaphore = false, ignores_uncovered = false, unscaled = false;
};

enum class FlowOp : uint8_t { Jump, Loop, EndLoop, Rep, EndRep, BreakLoop, BreakRep, Continue };
enum class AddressStackOp : uint8_t { None, Pop, Push };
enum class BranchOp : uint8_t { None, Decrement, Increment };
struct FlowControl {
    FlowOp op = FlowOp::Jump;
    bool branch_else = false, jump_any = false;
    AddressStackOp address_op = AddressStackOp::None;
    uint8_t jump_function = 0;  // truth table, see the guide's JUMP_FUNC
    uint8_t branch_pop_count = 0;
    BranchOp if_stay = BranchOp::None, if_jump = BranchOp::None;
    bool ignores_uncovered = false;
    uint8_t boolean = 0, integer = 0;  // indices of constants
    uint16_t jump_address = 0;
    bool jump_global = false;
};

struct Instruction {
    Words words{};
    Type type = Type::Alu;
    bool waits_for_semaphore = false;  // TEX_SEM_WAIT
    bool waits_for_alu = false;        // ALU_WAIT
    bool nop = false;                  // NOP: see presubtract
    bool last = false;
    bool write_inactive = false;
    Alu alu;  // Alu and Out; the predicates of all types
    Texture texture;
    FlowControl flow;
    std::string error;        // why it must not be executed: a reserved encoding; empty: legal
    uint8_t temporaries = 0;  // registers it names: 0 to this - 1; 128 with relative addresses

    void names_temporary(unsigned index, bool relative) {
        const unsigned count = relative ? 128 : index + 1;
        temporaries = static_cast<uint8_t>(count > temporaries ? count : temporaries);
    }
};

Instruction decode(const Words& words);
// Of decode(): fills the plan of an ALU or OUT instruction and counts its registers.
void plan_math(Instruction& instruction);
const char* to_string(Type type);     // ALU, OUT, FC, TEX
float inline_constant(uint8_t bits);  // of the seven bits of an inline source

// Whether needs() has anything to ask for.
constexpr bool needs_constants(const Instruction& instruction) {
    return instruction.type == Type::FlowControl || instruction.alu.plan.constant_count != 0;
}
// A lookup that reads an input, so texture_request() and texture_return() carry it out.
constexpr bool is_lookup(const Instruction& instruction) {
    return instruction.type == Type::Texture &&
           (instruction.texture.op == TextureOp::Ld || instruction.texture.op == TextureOp::Proj ||
            instruction.texture.op == TextureOp::Lodbias);
}

// From the first instruction to the first OUT with LAST that it can not run past.
struct Program {
    std::vector<Instruction> instructions;
    unsigned temporaries = 1;  // registers 0 to this, relative addresses taken as all
};

}  // namespace archipelago::ctm::isa
