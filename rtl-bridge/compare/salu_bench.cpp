// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the scalar ALU of a compute unit.
#include <algorithm>
#include <array>

#include "models/asic/chip_options.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/salu_core.h"
#include "pins/salu_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/numbers.h"
#include "rtl-bridge/compare/pipe_stimulus.h"

namespace archipelago::rtl {
namespace {

using Operation = SaluPins::Operation;
using Result = SaluPins::Result;
using In = SaluPins::In;
using Out = SaluPins::Out;
using isa::Op;

class SaluRecording : public RecordingOf<Operation>, public cu::SaluUnit {
  public:
    using RecordingOf::RecordingOf;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::SaluUnit>(*this);
    }
    bool execute(const isa::Inst& inst, isa::WaveState& wave) override {
        Operation operation;
        if (cu::salu_operation(inst, wave, operation))
            add(operation);
        return false;
    }
};

struct Opcode {
    uint8_t enc, op;
};

std::vector<Opcode> opcodes() {
    std::vector<Opcode> r;
    for (unsigned e = 0; e < SaluPins::kEncodings; ++e)
        for (unsigned n = 0; n < SaluPins::kOpcodes; ++n)
            if (cu::salu_op(e, n) != Op::Illegal)
                r.push_back({static_cast<uint8_t>(e), static_cast<uint8_t>(n)});
    return r;
}

bool is_bitfield(Op op) {
    return op == Op::S_BFE_U32 || op == Op::S_BFE_I32 || op == Op::S_BFE_U64 || op == Op::S_BFE_I64;
}
bool is_fork(Op op) {
    return op == Op::S_CBRANCH_G_FORK || op == Op::S_CBRANCH_I_FORK;
}
bool moves_to_relative(Op op) {
    return op == Op::S_MOVRELD_B32 || op == Op::S_MOVRELD_B64;
}
bool has_field(Op op) {
    return op == Op::S_GETREG_B32 || op == Op::S_SETREG_B32 || op == Op::S_SETREG_IMM32_B32;
}

// What matters to one of the ALU's parts, in its own proportions.
class Choice {
  public:
    explicit Choice(Random& random) : random_(random), numbers_(random_), opcodes_(opcodes()) {}
    const std::vector<Opcode>& known() const { return opcodes_; }

    void operation(Operation& o) {
        const Opcode code = opcodes_[random_.below(static_cast<uint32_t>(opcodes_.size()))];
        o.enc = code.enc;
        o.op = code.op;
        if (random_.one_in(64)) {
            o.enc = static_cast<uint8_t>(random_.below(8));
            o.op = static_cast<uint8_t>(random_.below(SaluPins::kOpcodes));
        }
        sources(o);
        state(o);
        const Op op = cu::salu_op(o.enc, o.op);
        if (is_bitfield(op))
            bitfield(o);
        else if (is_fork(op))
            fork(o);
        else if (op == Op::S_CBRANCH_JOIN && random_.one_in(2))
            o.s0 = o.csp;
        else if (moves_to_relative(op))
            relative(o);
        if (code.enc == SaluPins::kSopk && random_.one_in(2))
            constant(o);
        if (random_.one_in(32))  // a jump to where the wave goes on anyway
            (random_.one_in(2) ? o.s0 : o.entry) = o.pc;
    }

  private:
    uint64_t number() {
        switch (random_.below(6)) {
            case 0:
                return numbers_.integer();
            case 1:  // of 32 bits, extended
                return static_cast<uint64_t>(int64_t{static_cast<int32_t>(numbers_.integer())});
            case 2:
                return uint64_t{1} << random_.below(64);
            case 3:
                return ~(uint64_t{1} << random_.below(64));
            case 4:
                return lanes();
            default:
                return uint64_t{numbers_.integer()} << 32 | numbers_.integer();
        }
    }
    // A mask: none, all, a few, most.
    uint64_t lanes() {
        const uint64_t few = random_.bits() & random_.bits() & random_.bits() & random_.bits();
        switch (random_.below(5)) {
            case 0:
                return 0;
            case 1:
                return ~uint64_t{0};
            case 2:
                return few;
            case 3:
                return ~few;
            default:
                return random_.bits();
        }
    }
    void sources(Operation& o) {
        o.s0 = number();
        o.s1 = number();
        switch (random_.below(8)) {
            case 0:
                o.s1 = o.s0;
                break;
            case 1:  // next to it
                o.s1 = o.s0 + random_.below(3) - 1;
                break;
            case 2:
                o.s1 = ~o.s0;
                break;
            default:
                break;
        }
    }
    void state(Operation& o) {
        o.k = static_cast<uint16_t>(numbers_.integer());
        o.sdst = static_cast<uint8_t>(random_.below(128));
        o.scc = static_cast<uint8_t>(random_.below(2));
        o.exec = lanes();
        o.vcc = lanes();
        o.pc = random_.one_in(2) ? uint64_t{random_.word()} << 8 | 4u * random_.below(64)
                                 : random_.bits() & ~uint64_t{3};
        o.m0 = random_.one_in(2) ? random_.below(110) : random_.word();
        o.sgprs = static_cast<uint8_t>(random_.one_in(2) ? 104 : random_.below(128));
        o.hwreg = random_.word();
        o.csp = static_cast<uint8_t>(random_.below(8));
        o.mask = lanes();
        o.entry = random_.bits() & ~uint64_t{3};
        o.vskip = static_cast<uint8_t>(random_.below(2));
        o.priv = static_cast<uint8_t>(random_.below(2));
    }
    void bitfield(Operation& o) {
        const uint32_t width = random_.one_in(4) ? random_.below(128) : random_.below(66);
        o.s1 = (o.s1 & ~uint64_t{0x7f003f}) | width << 16 | random_.below(64);
    }
    // Lanes that part in two as often as not, halves often alike.
    void fork(Operation& o) {
        switch (random_.below(5)) {
            case 0:
                o.s0 = o.exec | lanes();
                break;
            case 1:
                o.s0 = ~o.exec & lanes();
                break;
            case 2: {  // two of four, in any order
                const unsigned by = random_.below(61);
                o.exec = uint64_t{15} << by;
                o.s0 = (random_.one_in(2) ? uint64_t{5} : uint64_t{9}) << by;
                break;
            }
            default:
                break;
        }
        if (random_.one_in(4)) {  // to the next instruction
            o.s1 = o.pc;
            o.k = 0;
        }
    }
    // Around the end of the wave's registers, and of all.
    void relative(Operation& o) {
        const uint32_t end = std::min<uint32_t>(o.sgprs, 104);
        o.sdst = static_cast<uint8_t>(random_.one_in(8) ? random_.below(128) : random_.below(104));
        if (random_.one_in(2))
            o.m0 = end + random_.below(5) - 3 - o.sdst;
        else if (random_.one_in(4))
            o.m0 = 0u - random_.below(8);
    }
    // SIMM16 as near to SDST's contents as they meet.
    void constant(Operation& o) {
        if (has_field(cu::salu_op(o.enc, o.op))) {
            o.k = static_cast<uint16_t>(random_.word());
            return;
        }
        const auto k = static_cast<int16_t>(o.k);
        const uint32_t extended =
            random_.one_in(2) ? static_cast<uint32_t>(int32_t{k}) : uint32_t{o.k};
        o.s0 = (o.s0 & ~uint64_t{0xffffffff}) | (extended + random_.below(3) - 1);
    }

    Random& random_;
    Numbers numbers_;
    std::vector<Opcode> opcodes_;
};

class SaluCoverage {
  public:
    SaluCoverage(Coverage& bins, const std::vector<Opcode>& known) : bins_(bins) {
        std::vector<std::string> ops, conditions;
        for (const Opcode& code : known) {
            const Op op = cu::salu_op(code.enc, code.op);
            index_[code.enc][code.op] = ops.size();
            ops.emplace_back(isa::op_info(op).name);
            if (!isa::op_info(op).has(isa::kOpSccOut))
                continue;
            scc_index_[code.enc][code.op] = conditions.size();
            for (const char* becomes : {" clears SCC", " sets SCC"})
                conditions.push_back(ops.back() + becomes);
        }
        unknown_ = ops.size();
        ops.emplace_back("unknown opcode");
        opcode_ = bins_.add_group("opcode", ops);
        scc_ = bins_.add_group("SCC", conditions);
        field_ = bins_.add_group(
            "bit fields", {"no width", "inside", "to the top", "beyond the top", "of every bit",
                           "wider than the source", "hardware register, inside",
                           "hardware register, beyond its top", "whole hardware register"});
        move_ = bins_.add_group("moves",
                                {"condition holds", "condition does not hold", "relative, inside",
                                 "relative, first behind the wave's registers", "relative, wraps",
                                 "relative, of no SGPR", "relative pair, odd sum"});
        branch_ = bins_.add_group(
            "branches", {"taken", "not taken", "backwards", "fork: all take", "fork: none takes",
                         "fork: the rest goes first", "fork: the taking go first",
                         "fork: equal halves", "fork: no lane", "fork: to the next instruction",
                         "fork: last entry", "join: first side", "join: second side",
                         "join: from entry 0", "return to the next instruction"});
    }

    void count(const Operation& o) {
        const Op op = cu::salu_op(o.enc, o.op);
        if (op == Op::Illegal) {
            bins_.hit(opcode_, unknown_);
            return;
        }
        const Result r = cu::SaluCore::evaluate(o);
        bins_.hit(opcode_, index_[o.enc][o.op]);
        if (isa::op_info(op).has(isa::kOpSccOut))
            bins_.hit(scc_, scc_index_[o.enc][o.op] + r.scc);
        if (is_bitfield(op))
            bitfield(op, o);
        if (has_field(op))
            hardware_field(o);
        if (op == Op::S_CMOV_B32 || op == Op::S_CMOV_B64 || op == Op::S_CMOVK_I32)
            bins_.hit(move_, r.write != 0 ? 0 : 1);
        if (moves_to_relative(op))
            relative(op, o, r);
        if (isa::op_info(op).cls == isa::Class::Branch)
            branch(op, o, r);
    }

  private:
    void bitfield(Op op, const Operation& o) {
        const unsigned bits = isa::op_info(op).dst_dwords * 32;
        const unsigned offset = o.s1 & (bits - 1);
        const unsigned width = o.s1 >> 16 & 0x7f;
        bins_.hit(field_, 0, width == 0);
        bins_.hit(field_, 1, width != 0 && offset + width < bits);
        bins_.hit(field_, 2, width != 0 && offset != 0 && offset + width == bits);
        bins_.hit(field_, 3, width < bits && offset + width > bits);
        bins_.hit(field_, 4, width == bits);
        bins_.hit(field_, 5, width > bits);
    }
    void hardware_field(const Operation& o) {
        const unsigned offset = o.k >> 6 & 31u;
        const unsigned width = (o.k >> 11 & 31u) + 1;
        bins_.hit(field_, 6, offset + width < 32);
        bins_.hit(field_, 7, offset + width > 32);
        bins_.hit(field_, 8, width == 32);
    }
    void relative(Op op, const Operation& o, const Result& r) {
        const uint64_t index = uint64_t{o.sdst} + o.m0;
        const unsigned end = std::min<unsigned>(o.sgprs, 104);
        bins_.hit(move_, 2, r.write != 0);
        bins_.hit(move_, 3, index + isa::op_info(op).dst_dwords == end + 1);
        bins_.hit(move_, 4, index >> 32 != 0);
        bins_.hit(move_, 5, o.sdst > isa::kSgprLast);
        bins_.hit(move_, 6, r.write != 0 && r.wide != 0 && (index & 1) != 0);
    }
    void branch(Op op, const Operation& o, const Result& r) {
        if (o.enc == SaluPins::kSopp) {
            bins_.hit(branch_, r.jump != 0 ? 0 : 1);
            bins_.hit(branch_, 2, r.jump != 0 && r.pc < o.pc);
        }
        bins_.hit(branch_, 14, op == Op::S_RFE_B64 && r.jump == 0);
        if (op == Op::S_CBRANCH_JOIN) {
            bins_.hit(branch_, 11, r.exec_write == 0);
            bins_.hit(branch_, 12, r.exec_write != 0);
            bins_.hit(branch_, 13, r.exec_write != 0 && o.csp == 0);
        }
        if (!is_fork(op))
            return;
        const int taking = __builtin_popcountll(o.s0 & o.exec);
        const int others = __builtin_popcountll(~o.s0 & o.exec);
        bins_.hit(branch_, 3, others == 0 && taking != 0);
        bins_.hit(branch_, 4, taking == 0 && others != 0);
        bins_.hit(branch_, 5, r.push != 0 && others < taking);
        bins_.hit(branch_, 6, r.push != 0 && taking < others);
        bins_.hit(branch_, 7, r.push != 0 && taking == others);
        bins_.hit(branch_, 8, o.exec == 0);
        bins_.hit(branch_, 9, taking != 0 && r.jump == 0 && r.push == 0 && others == 0);
        bins_.hit(branch_, 10, r.push != 0 && o.csp == 7);
    }

    Coverage& bins_;
    size_t unknown_ = 0, opcode_ = 0, scc_ = 0, field_ = 0, move_ = 0, branch_ = 0;
    using ByOpcode = std::array<std::array<size_t, SaluPins::kOpcodes>, SaluPins::kEncodings>;
    ByOpcode index_{}, scc_index_{};
};

class SaluStimulus final : public PipeStimulus<SaluPins, Operation> {
  public:
    explicit SaluStimulus(const CosimOptions& options)
        : PipeStimulus(options, cu::SaluState::kStages) {}

  private:
    void choose(Operation& o) override { choice_.operation(o); }
    void disturb(Operation& o) override {
        o.enc = static_cast<uint8_t>(random_.below(8));
        o.op = static_cast<uint8_t>(random_.below(SaluPins::kOpcodes));
        o.s0 = random_.bits();
        o.exec = random_.bits();
    }
    void count_message(const Operation& o) override { coverage_.count(o); }

    Choice choice_{random_};
    SaluCoverage coverage_{bins_, choice_.known()};
};

struct Parts {
    using Pins = SaluPins;
    using Core = cu::SaluCore;
    using Stimulus = SaluStimulus;
    using Recording = SaluRecording;
    using Unit = cu::PinSaluUnit;
    static constexpr const char* kDescription = "scalar ALU of a compute unit";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<cu::SaluUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
