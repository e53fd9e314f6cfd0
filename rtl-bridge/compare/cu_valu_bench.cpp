// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the vector ALU of a SIMD.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

#include "models/asic/chip_options.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/lane/cu_valu_core.h"
#include "models/cu/lane/wave_unit.h"
#include "pins/cu_valu_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/numbers.h"
#include "rtl-bridge/compare/pipe_stimulus.h"

namespace archipelago::rtl {
namespace {

using Operation = CuValuPins::Operation;
using Result = CuValuPins::Result;
using Row = CuValuPins::Row;
using In = CuValuPins::In;
using Out = CuValuPins::Out;
using isa::Op;

constexpr unsigned kLanes = CuValuPins::kLanes;
constexpr uint64_t kMaxRecorded = 50'000;  // instructions, more than a KiB each

class CuValuRecording : public RecordingOf<Operation>, public cu::WaveValuUnit {
  public:
    explicit CuValuRecording(uint64_t limit) : RecordingOf(std::min(limit, kMaxRecorded)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::WaveValuUnit>(*this);
    }
    bool execute(const isa::Inst& inst, isa::WaveState& wave) override {
        Operation operation;
        if (cu::cu_valu_operation(inst, wave, operation))
            add(operation);
        return false;
    }
};

bool is_row(unsigned code) {
    return code >= isa::kVgprFirst;
}
bool is_relative(Op op) {
    return op == Op::V_MOVRELD_B32 || op == Op::V_MOVRELS_B32 || op == Op::V_MOVRELSD_B32;
}

bool names_a_lane(Op op) {
    return op == Op::V_READLANE_B32 || op == Op::V_READFIRSTLANE_B32 || op == Op::V_WRITELANE_B32;
}

// What matters to one of the ALU's parts, in its own proportions.
class Choice {
  public:
    explicit Choice(Random& random) : random_(random), numbers_(random_) {}

    void operation(Operation& o) {
        o.op = opcode();
        for (uint16_t* code : {&o.src0, &o.src1, &o.src2})
            *code = static_cast<uint16_t>(random_.below(256) + (random_.percent(60) ? 256 : 0));
        o.vdst = static_cast<uint8_t>(random_.below(256));
        o.literal = numbers_.of_class(random_.below(kNumberClasses));
        modifiers(o);
        values(o);
        o.mask = random_.one_in(4) ? lanes() : random_.bits();
        o.exec = lanes();
        o.m0 = random_.one_in(2) ? random_.below(64) : random_.word();
        o.vgprs = static_cast<uint16_t>(random_.one_in(8) ? random_.below(257)
                                                          : 4 * (1 + random_.below(64)));
        const Op op = cu::cu_valu_op(o.op);
        if (is_relative(op))
            relative(o);
        else if (names_a_lane(op) && random_.one_in(2))
            named_lane(o);
    }

  private:
    uint16_t opcode() {
        const std::vector<uint16_t>& known = cu::cu_valu_opcodes();
        const auto any = [&] { return known[random_.below(static_cast<uint32_t>(known.size()))]; };
        if (random_.one_in(64))
            return static_cast<uint16_t>(random_.below(CuValuPins::kOpcodes));
        if (!random_.one_in(4))
            return any();
        // What is more than its lanes.
        static constexpr uint16_t kOfWaves[] = {256, 257, 258, 262, 287, 288, 289, 291, 292,
                                                293, 296, 297, 298, 386, 450, 451, 452};
        return random_.pick(kOfWaves);
    }
    void modifiers(Operation& o) {
        const bool plain = random_.percent(30);
        o.neg = plain ? 0 : static_cast<uint8_t>(random_.below(8));
        o.abs = plain ? 0 : static_cast<uint8_t>(random_.below(8));
        o.omod = plain ? 0 : static_cast<uint8_t>(random_.below(4));
        o.clamp = plain ? 0 : static_cast<uint8_t>(random_.below(2));
        o.round = static_cast<uint8_t>(random_.below(4));
        o.denorm = static_cast<uint8_t>(random_.below(4));
        o.dx10 = static_cast<uint8_t>(random_.below(2));
        o.ieee = static_cast<uint8_t>(random_.below(2));
    }
    // One kind for all lanes: numbers that meet, of any class, integers, any bits.
    void values(Operation& o) {
        const uint32_t how = random_.below(4);
        const auto number = [&] {
            return how == 1   ? numbers_.of_class(random_.below(kNumberClasses))
                   : how == 2 ? numbers_.integer()
                              : random_.word();
        };
        for (unsigned l = 0; l < kLanes; ++l) {
            if (how == 0) {
                numbers_.related(o.v0[l], o.v1[l], o.v2[l]);
                o.old[l] = o.v2[l];
            } else {
                for (Row* row : {&o.v0, &o.v1, &o.v2, &o.old})
                    (*row)[l] = number();
            }
        }
        // Scalars are as the lanes, so that they meet them.
        const unsigned like = random_.below(kLanes);
        o.s0 = o.v0[like];
        o.s1 = o.v1[like];
        o.s2 = o.v2[like];
        if (random_.one_in(8))
            o.v1 = o.v0;
    }
    // A mask: none, all, one lane, all from one on, most, any.
    uint64_t lanes() {
        const unsigned by = random_.below(kLanes);
        switch (random_.below(8)) {
            case 0:
                return 0;
            case 1:
                return ~uint64_t{0};
            case 2:
                return uint64_t{1} << by;
            case 3:
                return ~uint64_t{0} << by;
            case 4:
                return random_.bits() << by;
            case 5:
                return ~(uint64_t{1} << by);
            default:
                return random_.bits();
        }
    }
    // Any of them, and any as the first.
    void named_lane(Operation& o) {
        o.s1 = random_.below(kLanes);
        o.v1[0] = o.s1;
        o.exec = ~uint64_t{0} << random_.below(kLanes);
    }
    // Around the end of the wave's registers, and of numbers.
    void relative(Operation& o) {
        const unsigned named = random_.one_in(2) ? o.vdst : o.src0 & 255u;
        if (random_.one_in(2))
            o.m0 = o.vgprs + random_.below(5) - 3 - named;
        else if (random_.one_in(4))
            o.m0 = 0u - random_.below(8);
    }

    Random& random_;
    Numbers numbers_;
};

class CuValuCoverage {
  public:
    explicit CuValuCoverage(Coverage& bins) : bins_(bins) {
        std::vector<std::string> ops;
        for (const uint16_t n : cu::cu_valu_opcodes()) {
            index_[n] = ops.size();
            ops.emplace_back(isa::op_info(cu::cu_valu_op(n)).name);
        }
        std::vector<std::string> masks;
        for (const std::string& op : ops)
            for (const char* exec : {" without a lane", " in some lanes", " in all lanes"})
                masks.push_back(op + exec);
        ops.emplace_back("unknown opcode");
        opcode_ = bins_.add_group("opcode", ops);
        exec_ = bins_.add_group("opcode by EXEC", masks);
        source_ = bins_.add_group(
            "sources", {"0 vector", "0 scalar", "1 vector", "1 scalar", "2 vector", "2 scalar",
                        "no vector register", "literal second", "literal third", "accumulator"});
        std::vector<std::string> modifiers, modes, lanes;
        for (unsigned m = 0; m < 512; ++m) {
            char text[48];
            std::snprintf(text, sizeof text, "neg %u abs %u omod %u clamp %u", m & 7, m >> 3 & 7,
                          m >> 6 & 3, m >> 8);
            modifiers.emplace_back(text);
        }
        for (unsigned m = 0; m < 64; ++m)
            modes.push_back("round " + std::to_string(m & 3) + " denormals " +
                            std::to_string(m >> 2 & 3) + " dx10 " + std::to_string(m >> 4 & 1) +
                            " ieee " + std::to_string(m >> 5));
        for (const char* what : {"read by number ", "read as the first ", "written by number "})
            for (unsigned l = 0; l < kLanes; ++l)
                lanes.push_back(what + std::to_string(l));
        modifier_ = bins_.add_group("modifiers", modifiers);
        mode_ = bins_.add_group("mode", modes);
        lane_ = bins_.add_group("lane", lanes);
        move_ = bins_.add_group(
            "lanes and registers",
            {"first of none", "inactive lane read", "inactive lane written",
             "relative source inside", "relative source beyond", "relative source wraps",
             "relative destination inside", "relative destination beyond",
             "relative destination wraps", "mask sets and clears", "EXEC becomes 0",
             "EXEC becomes part of itself"});
    }

    void count(const Operation& o) {
        const Op op = cu::cu_valu_op(o.op);
        if (op == Op::Illegal) {
            bins_.hit(opcode_, cu::cu_valu_opcodes().size());
            return;
        }
        bins_.hit(opcode_, index_[o.op]);
        bins_.hit(exec_, 3 * index_[o.op] + (o.exec == 0 ? 0 : o.exec != ~uint64_t{0} ? 1 : 2));
        bins_.hit(modifier_, o.neg | o.abs << 3 | o.omod << 6 | o.clamp << 8);
        bins_.hit(mode_, o.round | o.denorm << 2 | o.dx10 << 4 | o.ieee << 5);
        sources(op, o);
        lanes(op, o);
        if (is_relative(op))
            relative(op, o);
    }
    void result(const Operation& o, const Result& r) {
        const isa::OpInfo& info = isa::op_info(cu::cu_valu_op(o.op));
        bins_.hit(move_, 9, r.mask_write != 0 && r.mask != 0 && (~r.mask & o.exec) != 0);
        if (!info.has(isa::kOpExecOut) || o.exec == 0)
            return;
        bins_.hit(move_, 10, r.mask == 0);
        bins_.hit(move_, 11, r.mask != 0 && r.mask != o.exec);
    }

  private:
    void sources(Op op, const Operation& o) {
        const isa::OpInfo& info = isa::op_info(op);
        const uint16_t codes[] = {o.src0, o.src1, o.src2};
        bool any = false;
        for (unsigned k = 0; k < std::size(codes) && k < info.num_src; ++k) {
            bins_.hit(source_, 2 * k + (is_row(codes[k]) ? 0 : 1));
            any = any || is_row(codes[k]);
        }
        bins_.hit(source_, 6, !any);
        bins_.hit(source_, 7, op == Op::V_MADMK_F32);
        bins_.hit(source_, 8, op == Op::V_MADAK_F32);
        bins_.hit(source_, 9, op == Op::V_MAC_F32 || op == Op::V_MAC_LEGACY_F32);
    }
    void lanes(Op op, const Operation& o) {
        const unsigned named = (is_row(o.src1) ? o.v1[0] : o.s1) & (kLanes - 1);
        const bool inactive = (o.exec >> named & 1) == 0;
        if (op == Op::V_READLANE_B32) {
            bins_.hit(lane_, named);
            bins_.hit(move_, 1, inactive);
        } else if (op == Op::V_READFIRSTLANE_B32) {
            bins_.hit(move_, 0, o.exec == 0);
            if (o.exec != 0)
                bins_.hit(lane_, kLanes + static_cast<unsigned>(__builtin_ctzll(o.exec)));
        } else if (op == Op::V_WRITELANE_B32) {
            bins_.hit(lane_, 2 * kLanes + named);
            bins_.hit(move_, 2, inactive);
        }
    }
    void relative(Op op, const Operation& o) {
        const uint64_t from = uint64_t{o.src0 & 255u} + o.m0;
        const uint64_t to = uint64_t{o.vdst} + o.m0;
        const auto place = [&](size_t first, uint64_t number) {
            bins_.hit(move_, first, number < o.vgprs);
            bins_.hit(move_, first + 1, number >= o.vgprs && number >> 32 == 0);
            bins_.hit(move_, first + 2, number >> 32 != 0);
        };
        if (op != Op::V_MOVRELD_B32 && is_row(o.src0))
            place(3, from);
        if (op != Op::V_MOVRELS_B32)
            place(6, to);
    }

    Coverage& bins_;
    size_t opcode_ = 0, exec_ = 0, source_ = 0, modifier_ = 0, mode_ = 0, lane_ = 0, move_ = 0;
    std::array<size_t, CuValuPins::kOpcodes> index_{};
};

class CuValuStimulus final : public PipeStimulus<CuValuPins, Operation> {
  public:
    explicit CuValuStimulus(const CosimOptions& options) : PipeStimulus(options, 1) {}

  private:
    void choose(Operation& o) override { choice_.operation(o); }
    void disturb(Operation& o) override {
        o.op = static_cast<uint16_t>(random_.below(CuValuPins::kOpcodes));
        o.exec = random_.bits();
        o.v0[random_.below(kLanes)] = random_.word();
    }
    void count_message(const Operation& o) override { coverage_.count(o); }
    void count_result(const Operation& o, const Out& out) override { coverage_.result(o, out.out); }

    Choice choice_{random_};
    CuValuCoverage coverage_{bins_};
};

struct Parts {
    using Pins = CuValuPins;
    using Core = cu::CuValuCore;
    using Stimulus = CuValuStimulus;
    using Recording = CuValuRecording;
    using Unit = cu::PinWaveValuUnit;
    static constexpr const char* kDescription = "vector ALU of a SIMD, 64 lanes";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<cu::WaveValuUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
