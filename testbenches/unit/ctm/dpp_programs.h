// SPDX-License-Identifier: Apache-2.0
// Instructions for tests of the DPP array, and programs put together at random.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "models/ctm/isa/fields.h"
#include "models/ctm/isa/instruction.h"
#include "models/ctm/isa/thread.h"

namespace archipelago::ctm::dpp::test {

using isa::Field;
using isa::Words;
using Program = std::vector<Words>;

inline Words with(Words words, Field field, uint32_t value = 1) {
    isa::set(words, field, value);
    return words;
}

// Where a source comes from: the bits of ADDR, and CONST.
struct Source {
    unsigned address = 0;
    bool constant = false;
};
inline Source temporary(unsigned index) {
    return {index, false};
}
inline Source constant(unsigned index) {
    return {index, true};
}

// Sources 0 to 2 are A, B and C as they are, of both units.
inline Words math(isa::Type type, const std::array<Source, 3>& sources) {
    Words w{};
    isa::set(w, Field::Type, static_cast<uint32_t>(type));
    const Field rgb[] = {Field::RgbAddr0, Field::RgbAddr1, Field::RgbAddr2};
    const Field rgb_const[] = {Field::RgbAddr0Const, Field::RgbAddr1Const, Field::RgbAddr2Const};
    const Field alpha[] = {Field::AlphaAddr0, Field::AlphaAddr1, Field::AlphaAddr2};
    const Field alpha_const[] = {Field::AlphaAddr0Const, Field::AlphaAddr1Const,
                                 Field::AlphaAddr2Const};
    for (unsigned i = 0; i < 3; ++i) {
        isa::set(w, rgb[i], sources[i].address);
        isa::set(w, alpha[i], sources[i].address);
        isa::set(w, rgb_const[i], sources[i].constant ? 1 : 0);
        isa::set(w, alpha_const[i], sources[i].constant ? 1 : 0);
    }
    const Field selects[] = {Field::RgbSelA, Field::RgbSelB, Field::RgbSelC};
    const Field alpha_selects[] = {Field::AlphaSelA, Field::AlphaSelB, Field::AlphaSelC};
    const Field swizzles[][4] = {
        {Field::RedSwizA, Field::GreenSwizA, Field::BlueSwizA, Field::AlphaSwizA},
        {Field::RedSwizB, Field::GreenSwizB, Field::BlueSwizB, Field::AlphaSwizB},
        {Field::RedSwizC, Field::GreenSwizC, Field::BlueSwizC, Field::AlphaSwizC}};
    for (unsigned i = 0; i < 3; ++i) {
        isa::set(w, selects[i], i);
        isa::set(w, alpha_selects[i], i);
        for (unsigned c = 0; c < 4; ++c)
            isa::set(w, swizzles[i][c], c);
    }
    return w;
}

// a * b + c into a temporary, four channels.
inline Words mad(unsigned destination, Source a, Source b, Source c) {
    Words w = math(isa::Type::Alu, {a, b, c});
    isa::set(w, Field::RgbWmask, 7);
    isa::set(w, Field::AlphaWmask, 1);
    isa::set(w, Field::RgbAddrd, destination);
    isa::set(w, Field::AlphaAddrd, destination);
    return w;
}

// The bits of a temporary to an output, the channels of `mask`.
inline Words out(unsigned target, unsigned source, unsigned mask = 0xf) {
    const Source s = temporary(source);
    Words w = math(isa::Type::Out, {s, s, s});
    isa::set(w, Field::RgbOp, static_cast<uint32_t>(isa::RgbOp::Max));
    isa::set(w, Field::AlphaOp, static_cast<uint32_t>(isa::AlphaOp::Max));
    isa::set(w, Field::RgbOmod, static_cast<uint32_t>(isa::OutputModifier::Disabled));
    isa::set(w, Field::AlphaOmod, static_cast<uint32_t>(isa::OutputModifier::Disabled));
    isa::set(w, Field::RgbTarget, target);
    isa::set(w, Field::AlphaTarget, target);
    isa::set(w, Field::RgbOmask, mask & 7);
    isa::set(w, Field::AlphaOmask, mask >> 3);
    return w;
}
// As the last instruction of a program.
inline Words last(Words words) {
    isa::set(words, Field::Last, 1);
    isa::set(words, Field::TexSemWait, 1);
    return words;
}
inline Words end() {
    return last(out(0, 0, 0));
}

// The element (r, g) of temporary `source`; waits for the semaphore and acquires it.
inline Words lookup(unsigned destination, unsigned source, unsigned input, bool acquire = true) {
    Words w{};
    isa::set(w, Field::Type, static_cast<uint32_t>(isa::Type::Texture));
    isa::set(w, Field::TexInst, static_cast<uint32_t>(isa::TextureOp::Ld));
    isa::set(w, Field::TexId, input);
    isa::set(w, Field::TexUnscaled, 1);
    isa::set(w, Field::TexSrcAddr, source);
    isa::set(w, Field::TexDstAddr, destination);
    isa::set(w, Field::RgbWmask, 7);
    isa::set(w, Field::AlphaWmask, 1);
    isa::set(w, Field::TexSemAcquire, acquire ? 1 : 0);
    isa::set(w, Field::TexSemWait, acquire ? 1 : 0);
    const Field from[] = {Field::TexSrcSSwiz, Field::TexSrcTSwiz, Field::TexSrcRSwiz,
                          Field::TexSrcQSwiz};
    const Field to[] = {Field::TexDstRSwiz, Field::TexDstGSwiz, Field::TexDstBSwiz,
                        Field::TexDstASwiz};
    for (unsigned c = 0; c < 4; ++c) {
        isa::set(w, from[c], c);
        isa::set(w, to[c], c);
    }
    return w;
}

inline Words flow(isa::FlowOp op, unsigned address, unsigned jump_function) {
    Words w{};
    isa::set(w, Field::Type, static_cast<uint32_t>(isa::Type::FlowControl));
    isa::set(w, Field::FcOp, static_cast<uint32_t>(op));
    isa::set(w, Field::FcJumpAddr, address);
    isa::set(w, Field::FcJumpFunc, jump_function);
    return w;
}
constexpr unsigned kJumpAlways = 0xff, kJumpNever = 0, kJumpUnlessResult = 0x0f, kJumpIfBool = 0xaa;

// Sets the ALU result where the alpha of r`source` is less than 0.
inline Words compare_alpha(unsigned source) {
    const Source s = temporary(source);
    Words w = math(isa::Type::Alu, {s, s, s});
    isa::set(w, Field::AlphaOp, static_cast<uint32_t>(isa::AlphaOp::Max));
    isa::set(w, Field::AluWmask, 1);
    isa::set(w, Field::AluResultSel, 1);
    isa::set(w, Field::AluResultOp, static_cast<uint32_t>(isa::Compare::Lt));
    return w;
}
inline Words if_result(unsigned else_address) {
    Words w = flow(isa::FlowOp::Jump, else_address, kJumpUnlessResult);
    isa::set(w, Field::FcBOp0, static_cast<uint32_t>(isa::BranchOp::Increment));
    isa::set(w, Field::AluWait, 1);
    return w;
}
inline Words end_if(unsigned next) {
    Words w = flow(isa::FlowOp::Jump, next, kJumpNever);
    isa::set(w, Field::FcJumpAny, 1);
    isa::set(w, Field::FcBOp0, static_cast<uint32_t>(isa::BranchOp::Decrement));
    isa::set(w, Field::FcBPopCnt, 1);
    return w;
}

// ---- at random: ALU, lookups with and without semaphore, branches, loops, outputs
class RandomProgram {
  public:
    RandomProgram(uint64_t seed, bool uncached) : random_(seed), uncached_(uncached) {}

    Program make() {
        block(0, 4 + below(20));
        if (uncached_ || below(2) == 0)
            program_.push_back(output());
        program_.push_back(last(uncached_ ? end() : output()));
        return program_;
    }

  private:
    static constexpr unsigned kTemporaries = 6;
    unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
    Source source() {
        switch (below(4)) {
            case 0:
                return constant(below(8));
            case 1:
                return {128 + below(128), false};  // inline
            default:
                return temporary(below(kTemporaries));
        }
    }
    Words some_mad() {
        const Source a = source();
        const Source b = source();
        const Source c = source();
        Words w = mad(below(kTemporaries), a, b, c);
        if (below(4) == 0) {
            isa::set(w, Field::RgbOp, static_cast<uint32_t>(isa::RgbOp::Min));
            isa::set(w, Field::AlphaOp, static_cast<uint32_t>(isa::AlphaOp::Frc));
        }
        isa::set(w, Field::Nop, below(8) == 0 ? 1 : 0);
        isa::set(w, Field::AluWait, below(2));
        isa::set(w, Field::RgbWmask, below(8));
        if (below(3) == 0) {  // aL of a loop around
            isa::set(w, Field::RgbAddr1Rel, a_relative(b));
            isa::set(w, Field::RgbAddrdRel, below(2));
            isa::set(w, Field::AlphaAddr1Rel, a_relative(b));
        }
        if (below(4) == 0)
            isa::set(w, Field::StatWe, below(16));
        return predicated(w);
    }
    // Inline constants have no address.
    uint32_t a_relative(const Source& s) {
        return s.constant || s.address < isa::kTemporaries ? below(2) : 0;
    }
    Words predicated(Words w) {
        if (below(4) != 0)
            return w;
        isa::set(w, Field::RgbPredSel, below(6));
        isa::set(w, Field::RgbPredInv, below(2));
        isa::set(w, Field::AlphaPredSel, below(6));
        isa::set(w, Field::WriteInactive, below(2));
        return w;
    }
    Words some_lookup() {
        const unsigned destination = below(kTemporaries);
        const unsigned from = below(2) == 0 ? 0 : below(kTemporaries);
        Words w = lookup(destination, from, below(4), below(2) == 0);
        isa::set(w, Field::RgbWmask, below(8));
        isa::set(w, Field::TexDstAddrRel, below(3) == 0 ? 1 : 0);
        if (below(8) == 0)
            isa::set(w, Field::TexInst,
                     static_cast<uint32_t>(below(2) == 0 ? isa::TextureOp::Texkill
                                                         : isa::TextureOp::Nop));
        return predicated(w);
    }
    Words output() {
        Words w = out(below(4), below(kTemporaries), below(16));
        isa::set(w, Field::TexSemWait, below(2));
        if (uncached_) {
            isa::set(w, Field::RgbOmask, 7);
            isa::set(w, Field::AlphaOmask, 1);
        } else {
            isa::set(w, Field::WOmask, below(2));
        }
        return w;
    }
    void block(unsigned depth, unsigned length) {
        for (unsigned i = 0; i < length && program_.size() < 200; ++i)
            switch (below(12)) {
                case 0:
                case 1:
                case 2:
                    program_.push_back(some_lookup());
                    break;
                case 3:
                    program_.push_back(output());
                    break;
                case 4:
                    if (depth < 3)
                        branch(depth);
                    break;
                case 5:
                    if (depth < 2)
                        loop(depth);
                    break;
                default:
                    program_.push_back(some_mad());
                    break;
            }
    }
    void branch(unsigned depth) {
        program_.push_back(compare_alpha(below(kTemporaries)));
        const size_t at = program_.size();
        program_.emplace_back();
        block(depth + 1, 1 + below(4));
        const auto behind = static_cast<unsigned>(program_.size());
        program_[at] = if_result(behind);
        program_.push_back(end_if(behind + 1));
    }
    void loop(unsigned depth) {
        const size_t at = program_.size();
        program_.emplace_back();
        block(depth + 1, 1 + below(4));
        if (below(2) == 0)
            leave();
        const auto behind = static_cast<unsigned>(program_.size());
        if (left_ != 0)
            isa::set(program_[left_], Field::FcJumpAddr, behind + (breaks_ ? 1 : 0));
        left_ = 0;
        const unsigned which = below(4);
        program_[at] =
            with(flow(isa::FlowOp::Loop, behind + 1, kJumpNever), Field::FcIntAddr, which);
        program_.push_back(
            with(flow(isa::FlowOp::EndLoop, static_cast<unsigned>(at) + 1, kJumpAlways),
                 Field::FcIntAddr, which));
    }

    // Lanes whose alpha is negative break or continue; where to comes when the loop ends.
    void leave() {
        program_.push_back(compare_alpha(below(kTemporaries)));
        left_ = program_.size();
        breaks_ = below(2) == 0;
        program_.push_back(flow(breaks_ ? isa::FlowOp::BreakLoop : isa::FlowOp::Continue, 0, 0xf0));
        program_.push_back(some_mad());
    }

    std::mt19937_64 random_;
    const bool uncached_;
    size_t left_ = 0;  // the instruction that leaves
    bool breaks_ = false;
    Program program_;
};

}  // namespace archipelago::ctm::dpp::test
