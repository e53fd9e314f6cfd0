// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/ctm_programs.h"

#include "testbenches/unit/ctm/dpp_programs.h"

namespace archipelago::fuzz {
namespace {

using namespace ctm::dpp::test;
using ctm::isa::AddressStackOp;
using ctm::isa::AlphaOp;
using ctm::isa::BranchOp;
using ctm::isa::FlowOp;
using ctm::isa::RgbOp;
using ctm::isa::TextureOp;
using ctm::isa::Type;

// Registers: those that statements work on, with aL and without; the index pair; coordinates of
// elements and scaled ones; an uncached output with its place.
constexpr unsigned kWorking = 6, kIndex = 40, kCoordinates = 41, kPlace = 42, kScaled = 43;
constexpr unsigned kMaxInstructions = 300;
constexpr unsigned kDisabled = static_cast<unsigned>(ctm::isa::OutputModifier::Disabled);

template <class E>
constexpr uint32_t number(E e) {
    return static_cast<uint32_t>(e);
}

class ProgramMaker {
  public:
    ProgramMaker(Random& random, const CtmProgramSpec& spec) : r_(random), spec_(spec) {}

    Program make() {
        prologue();
        block(4, spec_.length);
        if (spec_.uncached || r_.one_in(2))
            output();
        program_.push_back(last(spec_.uncached ? end() : cached_output()));
        function();
        return std::move(program_);
    }

  private:
    struct Loop {
        unsigned branches = 0;  // around it
        bool rep = false;
        std::vector<size_t> breaks, continues;
    };

    unsigned most_branches() const { return spec_.full_flow_control ? 6 : 3; }
    size_t most_loops() const { return spec_.full_flow_control ? 3 : 1; }
    size_t push(const Words& words) {
        program_.push_back(words);
        return program_.size() - 1;
    }
    unsigned here() const { return static_cast<unsigned>(program_.size()); }

    // r0 may be written: the index pair is kept, and as the place of uncached outputs.
    void prologue() {
        const Source zero = temporary(100), index = temporary(0);
        Words w = math(Type::Alu, {index, zero, zero});
        isa_set(w, {{Field::RgbOp, number(RgbOp::Max)}, {Field::RgbSelB, 0}, {Field::RgbWmask, 3}});
        push(with(w, Field::RgbAddrd, kIndex));
        const unsigned x = spec_.transposed ? 1 : 0;
        isa_set(w, {{Field::RgbWmask, 6},
                    {Field::RgbAddrd, kPlace},
                    {Field::GreenSwizA, x},
                    {Field::GreenSwizB, x},
                    {Field::BlueSwizA, 1 - x},
                    {Field::BlueSwizB, 1 - x}});
        push(w);
    }
    static void isa_set(Words& w, std::initializer_list<std::pair<Field, uint32_t>> fields) {
        for (const auto& [field, value] : fields)
            ctm::isa::set(w, field, value);
    }

    // ---- ALU
    Source source() {
        switch (r_.below(5)) {
            case 0:
                return constant(r_.below(8));
            case 1:
                return {128 + r_.below(128), false};  // inline
            case 2:
                return temporary(r_.one_in(2) ? kIndex : kCoordinates);
            default:
                return temporary(r_.below(kWorking));
        }
    }
    // Inline constants have no address, and aL counts from registers that it may name.
    bool may_be_relative(const Source& s) const {
        return !loops_.empty() && (s.constant || s.address < kWorking) && r_.one_in(3);
    }
    void random_sources(Words& w) {
        const Field places[][3] = {
            {Field::RgbAddr0, Field::RgbAddr0Const, Field::RgbAddr0Rel},
            {Field::RgbAddr1, Field::RgbAddr1Const, Field::RgbAddr1Rel},
            {Field::RgbAddr2, Field::RgbAddr2Const, Field::RgbAddr2Rel},
            {Field::AlphaAddr0, Field::AlphaAddr0Const, Field::AlphaAddr0Rel},
            {Field::AlphaAddr1, Field::AlphaAddr1Const, Field::AlphaAddr1Rel},
            {Field::AlphaAddr2, Field::AlphaAddr2Const, Field::AlphaAddr2Rel}};
        for (const auto& place : places) {
            const Source s = source();
            isa_set(w, {{place[0], s.address},
                        {place[1], s.constant ? 1 : 0},
                        {place[2], may_be_relative(s) ? 1 : 0}});
        }
    }
    void random_operands(Words& w) {
        const Field selects[] = {Field::RgbSelA,   Field::RgbSelB,   Field::RgbSelC,
                                 Field::AlphaSelA, Field::AlphaSelB, Field::AlphaSelC,
                                 Field::RgbModA,   Field::RgbModB,   Field::RgbModC,
                                 Field::AlphaModA, Field::AlphaModB, Field::AlphaModC};
        for (const Field f : selects)
            ctm::isa::set(w, f, r_.below(4));
        const Field swizzles[] = {Field::RedSwizA,   Field::GreenSwizA, Field::BlueSwizA,
                                  Field::AlphaSwizA, Field::RedSwizB,   Field::GreenSwizB,
                                  Field::BlueSwizB,  Field::AlphaSwizB, Field::RedSwizC,
                                  Field::GreenSwizC, Field::BlueSwizC,  Field::AlphaSwizC};
        for (const Field f : swizzles)
            if (r_.one_in(3))
                ctm::isa::set(w, f, r_.below(7));
        isa_set(w, {{Field::RgbSrcpOp, r_.below(4)}, {Field::AlphaSrcpOp, r_.below(4)}});
    }
    void random_operations(Words& w) {
        constexpr RgbOp kRgb[] = {RgbOp::Mad, RgbOp::Mad, RgbOp::Dp3, RgbOp::Dp4,
                                  RgbOp::D2a, RgbOp::Min, RgbOp::Max, RgbOp::Cnd,
                                  RgbOp::Cmp, RgbOp::Frc, RgbOp::Mdh, RgbOp::Mdv};
        constexpr AlphaOp kAlpha[] = {AlphaOp::Mad, AlphaOp::Mad, AlphaOp::Min, AlphaOp::Max,
                                      AlphaOp::Cnd, AlphaOp::Cmp, AlphaOp::Frc, AlphaOp::Ex2,
                                      AlphaOp::Ln2, AlphaOp::Rcp, AlphaOp::Rsq, AlphaOp::Sin,
                                      AlphaOp::Cos, AlphaOp::Mdh, AlphaOp::Mdv};
        RgbOp rgb = kRgb[r_.below(std::size(kRgb))];
        AlphaOp alpha = kAlpha[r_.below(std::size(kAlpha))];
        if (ctm::isa::is_dot(rgb) && r_.one_in(2))
            alpha = AlphaOp::Dp;
        else if (ctm::isa::is_transcendental(alpha) && r_.one_in(2))
            rgb = RgbOp::Sop;
        const bool rgb_moves = rgb >= RgbOp::Min && rgb <= RgbOp::Cmp;
        const bool alpha_moves = alpha >= AlphaOp::Min && alpha <= AlphaOp::Cmp;
        isa_set(w, {{Field::RgbOp, number(rgb)},
                    {Field::AlphaOp, number(alpha)},
                    {Field::RgbOmod, rgb_moves && r_.one_in(2) ? kDisabled : modifier()},
                    {Field::AlphaOmod, alpha_moves && r_.one_in(2) ? kDisabled : modifier()},
                    {Field::RgbClamp, r_.below(4) / 3},
                    {Field::AlphaClamp, r_.below(4) / 3}});
    }
    unsigned modifier() { return r_.one_in(2) ? 0 : r_.below(kDisabled); }
    Words random_math(Type type) {
        Words w = math(type, {temporary(0), temporary(1), temporary(2)});
        random_sources(w);
        random_operands(w);
        random_operations(w);
        isa_set(w, {{Field::Nop, r_.below(8) / 7}, {Field::AluWait, r_.below(2)}});
        return predicated(w);
    }
    Words predicated(Words w) {
        if (!r_.one_in(4))
            return w;
        isa_set(w, {{Field::RgbPredSel, r_.below(6)},
                    {Field::RgbPredInv, r_.below(2)},
                    {Field::AlphaPredSel, r_.below(6)},
                    {Field::AlphaPredInv, r_.below(2)},
                    {Field::WriteInactive, r_.below(8) / 7}});
        return w;
    }
    Words alu() {
        Words w = random_math(Type::Alu);
        isa_set(w, {{Field::RgbWmask, r_.below(8)},
                    {Field::AlphaWmask, r_.below(2)},
                    {Field::RgbAddrd, r_.below(kWorking)},
                    {Field::AlphaAddrd, r_.below(kWorking)},
                    {Field::RgbAddrdRel, !loops_.empty() && r_.one_in(4) ? 1 : 0},
                    {Field::AlphaAddrdRel, !loops_.empty() && r_.one_in(4) ? 1 : 0},
                    {Field::AluWmask, r_.below(2)},
                    {Field::AluResultSel, r_.below(2)},
                    {Field::AluResultOp, r_.below(4)}});
        if (r_.one_in(4))
            isa_set(w, {{Field::StatWe, r_.below(16)},
                        {Field::RgbTarget, r_.below(4)},
                        {Field::AlphaTarget, r_.below(4)}});
        return w;
    }

    // ---- outputs
    Words cached_output() {
        Words w = r_.one_in(3) ? random_math(Type::Out) : out(0, r_.below(kWorking));
        isa_set(w, {{Field::RgbTarget, r_.below(4)},
                    {Field::AlphaTarget, r_.below(4)},
                    {Field::RgbOmask, r_.one_in(2) ? 7 : r_.below(8)},
                    {Field::AlphaOmask, r_.below(4) != 0 ? 1 : 0},
                    {Field::WOmask, r_.below(2)},
                    {Field::TexSemWait, r_.below(2)}});
        return predicated(w);
    }
    void output() {
        if (!spec_.uncached) {
            push(cached_output());
            return;
        }
        Words value = alu();  // red alone: green and blue are the place
        isa_set(value, {{Field::RgbWmask, 1},
                        {Field::RgbAddrd, kPlace},
                        {Field::RgbAddrdRel, 0},
                        {Field::RgbOp, number(RgbOp::Max)},
                        {Field::RgbOmod, r_.one_in(2) ? kDisabled : 0},
                        {Field::AlphaWmask, 0},
                        {Field::AlphaAddrdRel, 0},
                        {Field::AlphaOp, number(AlphaOp::Max)}});
        push(value);
        Words w = out(r_.below(4), kPlace);
        isa_set(w, {{Field::TexSemWait, r_.below(2)}, {Field::AluWait, r_.below(2)}});
        push(r_.one_in(4) ? predicated(with(w, Field::WOmask, 1)) : w);
    }

    // ---- lookups
    void coordinates(unsigned target) {
        const Source from = temporary(r_.below(kWorking));
        Words w = mad(target, from, constant(r_.below(8)), constant(r_.below(8)));
        isa_set(w, {{Field::RgbClamp, 1}, {Field::AlphaWmask, 0}, {Field::RgbWmask, 3}});
        if (r_.one_in(2))
            isa_set(w, {{Field::RgbAddr0, kIndex}, {Field::RgbModC, 2}});
        push(w);
        if (target == kCoordinates)
            push(mad(target, temporary(target), constant(kScaleConstant), constant(kAddConstant)));
    }
    void lookup_statement() {
        constexpr TextureOp kOps[] = {TextureOp::Ld,   TextureOp::Ld,      TextureOp::Ld,
                                      TextureOp::Proj, TextureOp::Lodbias, TextureOp::Texkill,
                                      TextureOp::Nop};
        const unsigned from = r_.one_in(3) ? kIndex : r_.one_in(3) ? kScaled : kCoordinates;
        if (from != kIndex && r_.one_in(2))
            coordinates(from);
        TextureOp op = kOps[r_.below(std::size(kOps))];
        if (op == TextureOp::Proj && from != kCoordinates)
            op = TextureOp::Ld;  // Q is there only
        Words w = lookup(r_.below(kWorking), from, r_.pick(spec_.inputs), r_.one_in(2));
        isa_set(w, {{Field::TexInst, number(op)},
                    {Field::TexUnscaled, from == kScaled ? 0 : 1},
                    {Field::RgbWmask, r_.one_in(2) ? 7 : r_.below(8)},
                    {Field::AlphaWmask, r_.below(2)},
                    {Field::TexDstAddrRel, !loops_.empty() && r_.one_in(4) ? 1 : 0},
                    {Field::TexIgnoreUncovered, r_.below(2)},
                    {Field::TexDstRSwiz, r_.below(4)},
                    {Field::TexDstASwiz, r_.below(4)},
                    {Field::TexSrcSSwiz, r_.below(2)},
                    {Field::TexSrcTSwiz, r_.below(2)}});
        if (op == TextureOp::Texkill && !r_.one_in(4))  // few processors are left otherwise
            isa_set(w, {{Field::TexSrcAddr, kIndex}});
        push(predicated(w));
    }

    // ---- flow control
    void condition() {
        if (r_.one_in(2))
            push(compare_alpha(r_.below(kWorking)));
        else
            push(with(alu(), Field::AluWmask, 1));
    }
    // Who jumps: by the ALU result, the boolean, the predicate, or by several of them.
    Words decision(FlowOp op, std::initializer_list<std::pair<Field, uint32_t>> fields) {
        constexpr unsigned kFunctions[] = {0x0f, 0xf0, 0xaa, 0x33, 0xcc, 0x96};
        Words w = flow(op, 0, r_.one_in(8) ? r_.below(256) : kFunctions[r_.below(6)]);
        isa_set(w, {{Field::FcBoolAddr, r_.below(4)},
                    {Field::AluWait, r_.below(2)},
                    {Field::FcIgnoreUncovered, r_.below(4) / 3},
                    {Field::RgbPredSel, 2 + r_.below(4)},
                    {Field::RgbPredInv, r_.below(2)}});
        isa_set(w, fields);
        return w;
    }
    void branch(unsigned depth) {
        condition();
        const bool both = r_.one_in(2);
        const uint32_t increment = number(BranchOp::Increment),
                       decrement = number(BranchOp::Decrement);
        const size_t at = push(decision(
            FlowOp::Jump, {{Field::FcBOp0, increment}, {Field::FcBOp1, both ? increment : 0}}));
        ++branches_;
        block(depth - 1, 1 + r_.below(4));
        ctm::isa::set(program_[at], Field::FcJumpAddr, here() + 1);
        if (both) {
            Words w = flow(FlowOp::Jump, 0, kJumpNever);
            isa_set(w, {{Field::FcBElse, 1}, {Field::FcBOp1, decrement}, {Field::FcBPopCnt, 1}});
            const size_t other = push(w);
            block(depth - 1, 1 + r_.below(4));
            ctm::isa::set(program_[other], Field::FcJumpAddr, here() + 1);
        }
        push(end_if(here() + 1));
        --branches_;
    }
    void loop(unsigned depth) {
        const bool rep = r_.one_in(3);
        const unsigned which = r_.below(4);
        const size_t begin = push(
            with(flow(rep ? FlowOp::Rep : FlowOp::Loop, 0, kJumpNever), Field::FcIntAddr, which));
        loops_.push_back({branches_, rep, {}, {}});
        block(depth - 1, 1 + r_.below(5));
        Words w = flow(rep ? FlowOp::EndRep : FlowOp::EndLoop, static_cast<unsigned>(begin) + 1,
                       kJumpAlways);
        isa_set(w, {{Field::FcIntAddr, which}, {Field::FcJumpAny, rep ? 1 : 0}});
        const auto at = static_cast<unsigned>(push(w));
        ctm::isa::set(program_[begin], Field::FcJumpAddr, at + 1);
        for (const size_t b : loops_.back().breaks)
            ctm::isa::set(program_[b], Field::FcJumpAddr, at + 1);
        for (const size_t c : loops_.back().continues)
            ctm::isa::set(program_[c], Field::FcJumpAddr, at);
        loops_.pop_back();
    }
    void leave() {
        condition();
        Loop& around = loops_.back();
        const bool breaks = r_.one_in(2);
        const unsigned levels = branches_ - around.branches;
        const size_t at =
            push(decision(!breaks      ? FlowOp::Continue
                          : around.rep ? FlowOp::BreakRep
                                       : FlowOp::BreakLoop,
                          {{Field::FcBOp1, levels > 0 ? number(BranchOp::Decrement) : 0},
                           {Field::FcBPopCnt, levels}}));
        (breaks ? around.breaks : around.continues).push_back(at);
    }
    void call() {
        condition();
        calls_.push_back(
            push(decision(FlowOp::Jump, {{Field::FcJumpAny, 1},
                                         {Field::FcAOp, number(AddressStackOp::Push)},
                                         {Field::FcBOp1, number(BranchOp::Increment)}})));
    }
    // After the end; those that did not call come back with the others.
    void function() {
        if (calls_.empty())
            return;
        for (const size_t c : calls_)
            ctm::isa::set(program_[c], Field::FcJumpAddr, here());
        in_function_ = true;
        branches_ = most_branches() - 1;
        block(1, 1 + r_.below(4));
        Words w = flow(FlowOp::Jump, 0, kJumpAlways);
        isa_set(w, {{Field::FcAOp, number(AddressStackOp::Pop)},
                    {Field::FcBOp1, number(BranchOp::Decrement)},
                    {Field::FcBPopCnt, 1}});
        push(w);
    }

    // ---- blocks
    void block(unsigned depth, unsigned length) {
        for (unsigned i = 0; i < length && program_.size() < kMaxInstructions; ++i)
            statement(depth);
    }
    void statement(unsigned depth) {
        const unsigned what = r_.below(14);
        if (what < 3)
            lookup_statement();
        else if (what == 3)
            output();
        else if (what == 4 && depth > 0 && branches_ < most_branches())
            branch(depth);
        else if (what == 5 && depth > 0 && loops_.size() < most_loops() && !in_function_)
            loop(depth);
        else if (what == 6 && !loops_.empty())
            leave();
        else if (what == 7 && !in_function_ && branches_ + 1 < most_branches())
            call();
        else
            push(alu());
    }

    Random& r_;
    const CtmProgramSpec& spec_;
    Program program_;
    std::vector<Loop> loops_;
    std::vector<size_t> calls_;
    unsigned branches_ = 0;
    bool in_function_ = false;
};

}  // namespace

std::vector<ctm::isa::Words> make_ctm_program(Random& random, const CtmProgramSpec& spec) {
    return ProgramMaker(random, spec).make();
}

}  // namespace archipelago::fuzz
