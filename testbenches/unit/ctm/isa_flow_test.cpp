// SPDX-License-Identifier: Apache-2.0
// Random structured programs (branches, loops, breaks, continues, calls), as flow control
// instructions of whole threads and as plain code for one lane at a time.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "models/common/error.h"
#include "testbenches/unit/ctm/isa_program.h"

namespace archipelago::ctm::isa::test {
namespace {

// Statements work on two numbers of a lane: `n`, which they add to, and its index pair.
struct Statement {
    enum class Kind { Add, If, Loop, Break, Continue, Call } kind = Kind::Add;
    float number = 0;        // Add
    float threshold = 0.5F;  // conditions: fraction(n * 0.375 + i * 0.25 + j * 0.125) < it
    uint32_t constant = 0;   // Loop: index of its count; Call: number of the function
    std::vector<Statement> body, otherwise;
};
using Block = std::vector<Statement>;

constexpr std::array<uint8_t, 4> kCounts{0, 1, 2, 3};

class Writer {
  public:
    explicit Writer(uint32_t seed) : engine_(seed) {}
    Block block(unsigned depth, unsigned loops, bool calls) {
        Block b;
        const unsigned length = 1 + below(4);
        for (unsigned i = 0; i < length; ++i) {
            b.push_back(statement(depth, loops, calls));
        }
        return b;
    }

  private:
    unsigned below(unsigned n) { return unsigned(engine_() % n); }
    Statement statement(unsigned depth, unsigned loops, bool calls) {
        Statement s;
        s.number = float(1 + below(16)) / 8;
        s.threshold = float(1 + below(7)) / 8;
        const unsigned pick = below(10);
        if (pick < 2 && depth > 0) {
            s.kind = Statement::Kind::If;
            s.body = block(depth - 1, loops, calls);
            if (below(2) == 0) {
                s.otherwise = block(depth - 1, loops, calls);
            }
        } else if (pick < 4 && depth > 0 && loops < 3) {
            s.kind = Statement::Kind::Loop;
            s.constant = below(unsigned(kCounts.size()));
            s.body = block(depth - 1, loops + 1, calls);
        } else if (pick == 4 && loops > 0) {
            s.kind = Statement::Kind::Break;
        } else if (pick == 5 && loops > 0) {
            s.kind = Statement::Kind::Continue;
        } else if (pick == 6 && calls) {
            s.kind = Statement::Kind::Call;
        }
        return s;
    }
    std::mt19937 engine_;
};

// ---- one lane, plainly

struct Lane {
    float i = 0, j = 0, n = 0;
};
enum class Leaves { Nothing, Iteration, Loop };

bool condition(const Statement& s, const Lane& lane) {
    const float x = lane.n * 0.375F + (lane.i * 0.25F + lane.j * 0.125F);
    return x - std::floor(x) < s.threshold;
}

Leaves walk(const Block& block, const Block& function, Lane& lane);

Leaves walk_loop(const Statement& s, const Block& function, Lane& lane) {
    for (unsigned k = 0; k < kCounts[s.constant]; ++k) {
        if (walk(s.body, function, lane) == Leaves::Loop) {
            break;
        }
    }
    return Leaves::Nothing;
}

Leaves walk(const Block& block, const Block& function, Lane& lane) {
    for (const Statement& s : block) {
        Leaves leaves = Leaves::Nothing;
        switch (s.kind) {
            case Statement::Kind::Add:
                lane.n += s.number;
                break;
            case Statement::Kind::If:
                leaves = walk(condition(s, lane) ? s.body : s.otherwise, function, lane);
                break;
            case Statement::Kind::Loop:
                leaves = walk_loop(s, function, lane);
                break;
            case Statement::Kind::Break:
                leaves = condition(s, lane) ? Leaves::Loop : Leaves::Nothing;
                break;
            case Statement::Kind::Continue:
                leaves = condition(s, lane) ? Leaves::Iteration : Leaves::Nothing;
                break;
            case Statement::Kind::Call:
                if (condition(s, lane)) {
                    walk(function, {}, lane);
                }
                break;
        }
        if (leaves != Leaves::Nothing) {
            return leaves;
        }
    }
    return Leaves::Nothing;
}

// ---- a thread: r0 the index pair, r1.r is n

class Compiler {
  public:
    std::vector<Words> program(const Block& main, const Block& function) {
        emit_block(main);
        code_.push_back(out(1, 0, true));
        const auto entry = uint32_t(code_.size());
        emit_block(function);
        // RETURN: those that did not call come back.
        code_.push_back(flow(FlowOp::Jump, 0xff,
                             {{Field::FcAOp, 1}, {Field::FcBOp1, 1}, {Field::FcBPopCnt, 1}}));
        for (const uint32_t call : calls_) {
            set(code_[call], Field::FcJumpAddr, entry);
        }
        return code_;
    }

  private:
    struct Loop {
        unsigned branches = 0;  // around it
        std::vector<uint32_t> breaks, continues;
    };

    static Words flow(FlowOp op, uint32_t function, std::initializer_list<Setting> more) {
        return with(
            words_of(Type::FlowControl, {{Field::FcOp, number(op)}, {Field::FcJumpFunc, function}}),
            more);
    }
    uint32_t here() const { return uint32_t(code_.size()); }
    uint32_t push(const Words& w) {
        code_.push_back(w);
        return here() - 1;
    }
    static uint32_t inline_of(float value) {
        for (uint32_t bits = 0; bits < 128; ++bits) {
            if (inline_constant(uint8_t(bits)) == value) {
                return 0x80 | bits;
            }
        }
        ADD_FAILURE() << value << " has no inline constant";
        return 0;
    }
    static Words mad(uint32_t a, uint32_t b, uint32_t c) {
        return with(math(Type::Alu, RgbOp::Mad, AlphaOp::Mad),
                    {{Field::RgbAddr0, a}, {Field::RgbAddr1, b}, {Field::RgbAddr2, c}});
    }
    void emit_condition(const Statement& s) {
        // r2.r = j / 8; r2.r = i / 4 + r2.r; r2.r = n * 0.375 + r2.r; its fraction; minus
        // threshold.
        push(to_register(
            with(mad(0, inline_of(0.125F), 0), {{Field::RedSwizA, 1}, {Field::RedSwizC, 4}}), 2,
            1));
        push(to_register(mad(0, inline_of(0.25F), 2), 2, 1));
        push(to_register(mad(1, inline_of(0.375F), 2), 2, 1));
        push(to_register(registers(math(Type::Alu, RgbOp::Frc, AlphaOp::Mad), 2, 2, 2), 2, 1));
        push(with(mad(2, 2, inline_of(s.threshold)), {{Field::RedSwizB, 6},
                                                      {Field::RgbModC, 1},
                                                      {Field::AluWmask, 1},
                                                      {Field::AluResultOp, number(Compare::Lt)}}));
    }
    void emit_if(const Statement& s) {
        emit_condition(s);
        const bool both = !s.otherwise.empty();
        const uint32_t branch =
            push(flow(FlowOp::Jump, 0x0f, {{Field::FcBOp0, 2}, {Field::FcBOp1, both ? 2 : 0}}));
        ++branches_;
        emit_block(s.body);
        set(code_[branch], Field::FcJumpAddr, here() + 1);
        if (both) {
            const uint32_t other = push(flow(
                FlowOp::Jump, 0, {{Field::FcBElse, 1}, {Field::FcBOp1, 1}, {Field::FcBPopCnt, 1}}));
            emit_block(s.otherwise);
            set(code_[other], Field::FcJumpAddr, here() + 1);
        }
        push(flow(FlowOp::Jump, 0,
                  {{Field::FcJumpAny, 1}, {Field::FcBOp0, 1}, {Field::FcBPopCnt, 1}}));
        --branches_;
    }
    void emit_loop(const Statement& s) {
        const uint32_t begin = push(flow(FlowOp::Rep, 0, {{Field::FcIntAddr, s.constant}}));
        loops_.push_back({branches_, {}, {}});
        emit_block(s.body);
        const uint32_t end = push(
            flow(FlowOp::EndRep, 0xff, {{Field::FcJumpAny, 1}, {Field::FcJumpAddr, begin + 1}}));
        set(code_[begin], Field::FcJumpAddr, end + 1);
        for (const uint32_t b : loops_.back().breaks) {
            set(code_[b], Field::FcJumpAddr, end + 1);
        }
        for (const uint32_t c : loops_.back().continues) {
            set(code_[c], Field::FcJumpAddr, end);
        }
        loops_.pop_back();
    }
    uint32_t emit_exit(const Statement& s, FlowOp op) {
        emit_condition(s);
        const unsigned levels = branches_ - loops_.back().branches;
        return push(
            flow(op, 0xf0, {{Field::FcBOp1, levels > 0 ? 1 : 0}, {Field::FcBPopCnt, levels}}));
    }
    void emit_block(const Block& block) {
        for (const Statement& s : block) {
            switch (s.kind) {
                case Statement::Kind::Add:
                    push(to_register(with(mad(1, 1, inline_of(s.number)), {{Field::RedSwizB, 6}}),
                                     1, 1));
                    break;
                case Statement::Kind::If:
                    emit_if(s);
                    break;
                case Statement::Kind::Loop:
                    emit_loop(s);
                    break;
                case Statement::Kind::Break:
                    loops_.back().breaks.push_back(emit_exit(s, FlowOp::BreakRep));
                    break;
                case Statement::Kind::Continue:
                    loops_.back().continues.push_back(emit_exit(s, FlowOp::Continue));
                    break;
                case Statement::Kind::Call:
                    emit_condition(s);
                    calls_.push_back(
                        push(flow(FlowOp::Jump, 0xf0,
                                  {{Field::FcJumpAny, 1}, {Field::FcAOp, 2}, {Field::FcBOp1, 2}})));
                    break;
            }
        }
    }

    std::vector<Words> code_;
    std::vector<Loop> loops_;
    std::vector<uint32_t> calls_;
    unsigned branches_ = 0;
};

TEST(CtmFlow, RandomStructuredProgramsDoForEachLaneWhatPlainCodeDoes) {
    unsigned ran = 0;
    for (uint32_t seed = 1; ran < 600 && seed < 3000; ++seed) {
        SCOPED_TRACE(seed);
        Writer writer(seed);
        const Block main = writer.block(5, 0, true);
        const Block function = writer.block(1, 0, false);
        const std::vector<Words> program = Compiler().program(main, function);
        if (program.size() > kMaxInstructions) {
            continue;
        }
        Thread thread = thread_of(3, 3);
        Surroundings s;
        s.integer = [](unsigned i) { return std::array<uint8_t, 3>{kCounts[i], 0, 0}; };
        Effects effects;
        ASSERT_TRUE(run(program, s, thread, effects, 200000));
        ++ran;
        for (unsigned l = 0; l < thread.lanes(); ++l) {
            Lane lane{float(thread.index_of(l).x), float(thread.index_of(l).y), 0};
            walk(main, function, lane);
            ASSERT_EQ(thread.temporaries[1][0].lane[l], lane.n) << "lane " << l;
        }
        ASSERT_TRUE(thread.loop_stack.empty());
        ASSERT_TRUE(thread.address_stack.empty());
        ASSERT_EQ(thread.active, (LaneMask{1} << thread.lanes()) - 1);
    }
    EXPECT_EQ(ran, 600u);
}

}  // namespace
}  // namespace archipelago::ctm::isa::test
