// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the ALU of one processor of CTM's DPP array.
#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/ctm/isa/alu_lane_core.h"
#include "models/ctm/isa/alu_lane_unit.h"
#include "models/ctm/isa/fields.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/numbers.h"
#include "rtl-bridge/compare/pipe_stimulus.h"

namespace archipelago::rtl {
namespace {

namespace isa = ctm::isa;
using In = CtmDppAluPins::In;
using Out = CtmDppAluPins::Out;
using Operation = CtmDppAluPins::Operation;
using isa::AlphaOp;
using isa::Field;
using isa::RgbOp;

constexpr const char* kRgbOps[] = {"MAD", "DP3", "DP4", "D2A", "MIN", "MAX", nullptr,
                                   "CND", "CMP", "FRC", "SOP", "MDH", "MDV"};
constexpr const char* kAlphaOps[] = {"MAD", "DP",  "MIN", "MAX", nullptr, "CND", "CMP", "FRC",
                                     "EX2", "LN2", "RCP", "RSQ", "SIN",   "COS", "MDH", "MDV"};
constexpr unsigned kRgbOpCount = 13, kAlphaOpCount = 16;
constexpr const char* kHalves[] = {"RGB", "alpha"};

// First fields of operands A, B and C; select, swizzles, modifier.
constexpr Field kRgbOperands[] = {Field::RgbSelA, Field::RgbSelB, Field::RgbSelC};
constexpr Field kAlphaOperands[] = {Field::AlphaSelA, Field::AlphaSelB, Field::AlphaSelC};
// First fields of addresses; constant, relative.
constexpr Field kAddresses[] = {Field::RgbAddr0,   Field::RgbAddr1,   Field::RgbAddr2,
                                Field::AlphaAddr0, Field::AlphaAddr1, Field::AlphaAddr2};

constexpr Field plus(Field field, unsigned offset) {
    return static_cast<Field>(static_cast<unsigned>(field) + offset);
}

// The fields whose reserved values an instruction is refused for.
std::vector<Field> reserved_fields() {
    std::vector<Field> fields = {Field::RgbPredSel, Field::AlphaPredSel, Field::RgbOp,
                                 Field::AlphaOp};
    for (const Field operand : kRgbOperands)
        for (unsigned c = 1; c <= 3; ++c)
            fields.push_back(plus(operand, c));
    for (const Field operand : kAlphaOperands)
        fields.push_back(plus(operand, 1));
    fields.insert(fields.end(), std::begin(kAddresses), std::end(kAddresses));
    return fields;
}

bool chooses(RgbOp op) {
    return op == RgbOp::Min || op == RgbOp::Max || op == RgbOp::Cnd || op == RgbOp::Cmp;
}
bool chooses(AlphaOp op) {
    return op == AlphaOp::Min || op == AlphaOp::Max || op == AlphaOp::Cnd || op == AlphaOp::Cmp;
}

// ---- what instructions are chosen

class Instructions {
  public:
    explicit Instructions(Random& random)
        : random_(random), numbers_(random), reserved_(reserved_fields()) {}

    void choose(Operation& o) {
        for (uint32_t& word : o.words)
            word = random_.word();
        choose_operations(o.words);
        make_legal(o.words);
        if (random_.one_in(2))
            make_plain(o.words);
        o.predicate = static_cast<uint8_t>(random_.below(16));
        o.active = random_.one_in(4) ? 0 : 1;
        choose_numbers(o);
        if (random_.one_in(24))
            spoil(o.words);
    }

  private:
    void put(isa::Words& words, Field field, unsigned value) const {
        isa::set(words, field, value);
    }

    void choose_operations(isa::Words& words) {
        put(words, Field::Type, random_.below(2));
        unsigned rgb = random_.below(kRgbOpCount), alpha = random_.below(kAlphaOpCount);
        if (kRgbOps[rgb] == nullptr)
            rgb = 0;
        if (kAlphaOps[alpha] == nullptr)
            alpha = 0;
        if (static_cast<RgbOp>(rgb) == RgbOp::Sop)
            alpha = 8 + random_.below(6);
        if (static_cast<AlphaOp>(alpha) == AlphaOp::Dp)
            rgb = 1 + random_.below(3);
        put(words, Field::RgbOp, rgb);
        put(words, Field::AlphaOp, alpha);
        const auto modifier = [&](bool bits) {
            return bits && random_.one_in(3) ? 7u : random_.below(7);
        };
        put(words, Field::RgbOmod, modifier(chooses(static_cast<RgbOp>(rgb))));
        put(words, Field::AlphaOmod, modifier(chooses(static_cast<AlphaOp>(alpha))));
    }

    void make_legal(isa::Words& words) {
        for (const Field field : reserved_) {
            const bool predicate = field == Field::RgbPredSel || field == Field::AlphaPredSel;
            const bool address = isa::info(field).width == 8;
            if (address) {
                const bool is_inline =
                    isa::get(words, plus(field, 1)) == 0 && isa::get(words, field) >= 128;
                // Numbers of all sizes, small ones often.
                if (is_inline && random_.one_in(2))
                    put(words, field, 128 + random_.below(8));
                if (is_inline)
                    put(words, plus(field, 2), 0);
            } else if (isa::info(field).width == 3) {
                put(words, field, random_.below(predicate ? 6 : 7));
            }
        }
    }

    // Operands as they stand in the addresses, everything written.
    void make_plain(isa::Words& words) {
        for (unsigned which = 0; which < 3; ++which) {
            put(words, kRgbOperands[which], which);
            for (unsigned c = 0; c < 3; ++c)
                put(words, plus(kRgbOperands[which], 1 + c), c);
            put(words, plus(kRgbOperands[which], 4), 0);
            put(words, kAlphaOperands[which], which);
            put(words, plus(kAlphaOperands[which], 1), 3);
            put(words, plus(kAlphaOperands[which], 2), 0);
        }
        for (const Field address : kAddresses)
            put(words, plus(address, 1), 1);
        put(words, Field::RgbPredSel, 0);
        put(words, Field::AlphaPredSel, 0);
        put(words, Field::WriteInactive, 1);
        put(words, Field::RgbWmask, 7);
        put(words, Field::AlphaWmask, 1);
    }

    // One thing that is refused, or nearly.
    void spoil(isa::Words& words) {
        const Field field = reserved_[random_.below(static_cast<uint32_t>(reserved_.size()))];
        switch (random_.below(8)) {
            case 0:
                put(words, Field::Type, 2 + random_.below(2));
                break;
            case 1:
                put(words, random_.one_in(2) ? Field::RgbOmod : Field::AlphaOmod, 7);
                break;
            case 2:
                put(words, Field::RgbOp, random_.below(16));
                break;
            case 3:
                put(words, Field::AlphaOp, random_.below(16));
                break;
            case 4:
                put(words, Field::RgbOp, 10);
                break;
            case 5:
                put(words, Field::AlphaOp, 1);
                break;
            default:
                if (isa::info(field).width == 8) {
                    put(words, field, 128 + random_.below(128));
                    put(words, plus(field, 1), random_.below(8) / 7);
                    put(words, plus(field, 2), 1);
                } else {
                    put(words, field, 4 + random_.below(4));
                }
                break;
        }
    }

    // The argument of a function: any size about 1, its half, integers, ends of segments.
    uint32_t argument() {
        const uint32_t sign = random_.word() & 0x80000000;
        uint32_t x = sign | (127 - 40 + random_.below(80)) << 23 | random_.word() >> 9;
        switch (random_.below(6)) {
            case 0:
                x &= 0xffff0000;
                break;
            case 1:
                x = sign | (124 + random_.below(12)) << 23 | random_.word() >> 9;
                break;
            case 2:
                x = sign | (0x3f000000 - 2 + random_.below(5));
                break;
            case 3:
                x = (x & 0xfffff000) - 1 + random_.below(3);
                break;
            default:
                break;
        }
        return x;
    }

    void choose_numbers(Operation& o) {
        for (unsigned c = 0; c < 4; ++c) {
            uint32_t &a = o.source[c], &b = o.source[4 + c], &d = o.source[8 + c];
            const uint32_t how = random_.below(4);
            if (how == 0) {
                numbers_.related(a, b, d);
            } else {
                for (uint32_t* x : {&a, &b, &d})
                    *x = how == 1 ? argument() : numbers_.of_class(random_.below(kNumberClasses));
                if (random_.one_in(8))
                    b = random_.one_in(2) ? a : a ^ 0x80000000;
            }
        }
        // Dot products whose terms meet.
        if (random_.one_in(8))
            for (unsigned c = 1; c < 4; ++c)
                o.source[c] = o.source[0] ^ (random_.word() & 0x80000003);
        for (uint32_t& x : o.quad)
            x = random_.one_in(4) ? numbers_.of_class(random_.below(kNumberClasses)) : argument();
    }

    Random& random_;
    Numbers numbers_;
    const std::vector<Field> reserved_;
};

// ---- what they reach

class Reached {
  public:
    explicit Reached(Coverage& coverage) : coverage_(coverage) {
        add_operations();
        add_operands();
        add_results();
        add_refusals();
    }

    void taken(const Operation& o) {
        const isa::Instruction i = isa::decode(o.words);
        if (!i.error.empty() || i.type == isa::Type::Texture || i.type == isa::Type::FlowControl) {
            count_refused(i);
            return;
        }
        const auto rgb = static_cast<unsigned>(i.alu.rgb_op);
        const auto alpha = static_cast<unsigned>(i.alu.alpha_op);
        coverage_.hit(pair_, pairs_[rgb * kAlphaOpCount + alpha]);
        coverage_.hit(rgb_, rgbs_[rgb] * kPairs + classes(o, 0));
        coverage_.hit(alpha_, alphas_[alpha] * kPairs + classes(o, 3));
        count_half(o, i, false);
        count_half(o, i, true);
        count_enable(o, i);
        if (isa::is_transcendental(i.alu.alpha_op))
            count_argument(o, i);
    }

    void given(const Operation& o, const Out& out) {
        if (out.out_illegal != 0)
            return;
        const bool is_out = (o.words[0] & 1) != 0;
        coverage_.hit(written_, is_out ? 3 : 0, out.out_register != 0);
        coverage_.hit(written_, is_out ? 4 : 1, out.out_flag_we != 0);
        coverage_.hit(written_, 2, out.out_predicate_we != 0);
        coverage_.hit(written_, 5, out.out_output != 0);
        coverage_.hit(written_, 6, out.out_conditional != 0);
        coverage_.hit(written_, 7, (out.out_register | out.out_output) == 0);
        for (unsigned c = 0; c < 4; ++c) {
            const unsigned half = c < 3 ? 0 : 1;
            if (((out.out_register | out.out_output) >> c & 1) != 0)
                coverage_.hit(result_, half * kNumberClasses + class_of(out.out_result[c]));
            const uint32_t compare =
                isa::get(o.words, half == 0 ? Field::RgbTarget : Field::AlphaTarget);
            if ((out.out_predicate_we >> c & 1) != 0)
                coverage_.hit(compare_, (half * 4 + compare) * 2 + (out.out_predicate >> c & 1));
        }
        if (out.out_flag_we != 0) {
            const unsigned half = isa::get(o.words, Field::AluResultSel);
            const uint32_t compare = isa::get(o.words, Field::AluResultOp);
            coverage_.hit(compare_, 16 + (half * 4 + compare) * 2 + out.out_flag);
        }
    }

  private:
    static constexpr unsigned kPairs = kNumberClasses * kNumberClasses;
    static unsigned classes(const Operation& o, unsigned channel) {
        return class_of(o.source[channel]) * kNumberClasses + class_of(o.source[4 + channel]);
    }

    void add_operations() {
        std::vector<std::string> pairs, rgb, alpha;
        for (unsigned r = 0; r < kRgbOpCount; ++r)
            for (unsigned a = 0; a < kAlphaOpCount; ++a) {
                const auto rgb_op = static_cast<RgbOp>(r);
                const auto alpha_op = static_cast<AlphaOp>(a);
                if (kRgbOps[r] == nullptr || kAlphaOps[a] == nullptr ||
                    (rgb_op == RgbOp::Sop && !isa::is_transcendental(alpha_op)) ||
                    (alpha_op == AlphaOp::Dp && !isa::is_dot(rgb_op)))
                    continue;
                pairs_[r * kAlphaOpCount + a] = pairs.size();
                pairs.push_back(std::string(kRgbOps[r]) + " with " + kAlphaOps[a]);
            }
        const auto by_classes = [](const char* op, std::vector<std::string>& to) {
            for (const char* a : kClassNames)
                for (const char* b : kClassNames)
                    to.push_back(std::string(op) + " of " + a + " and " + b);
            return to.size() / kPairs - 1;
        };
        for (unsigned r = 0; r < kRgbOpCount; ++r)
            if (kRgbOps[r] != nullptr)
                rgbs_[r] = by_classes(kRgbOps[r], rgb);
        for (unsigned a = 0; a < kAlphaOpCount; ++a)
            if (kAlphaOps[a] != nullptr)
                alphas_[a] = by_classes(kAlphaOps[a], alpha);
        pair_ = coverage_.add_group("operations", pairs);
        rgb_ = coverage_.add_group("RGB operation by sources", rgb);
        alpha_ = coverage_.add_group("alpha operation by sources", alpha);
        std::vector<std::string> arguments;
        for (unsigned a = 8; a < 14; ++a)
            for (const char* sign : {" of +", " of -"}) {
                for (const char* name : kClassNames)
                    if (name != kClassNames[kNormal])
                        arguments.push_back(std::string(kAlphaOps[a]) + sign + name);
                for (const char* size :
                     {"below 2^-24", "below 1", "below 2^8", "below 2^23", "2^23 and more"})
                    arguments.push_back(std::string(kAlphaOps[a]) + sign + "x " + size);
            }
        argument_ = coverage_.add_group("argument of a function", arguments);
    }

    void add_operands() {
        std::vector<std::string> operands, modifiers, presubtracts, numbers;
        for (unsigned channel = 0; channel < 4; ++channel)
            for (const char* which : {"A", "B", "C"})
                for (const char* from :
                     {"s0.r", "s0.g", "s0.b", "s0.a", "s1.r", "s1.g", "s1.b", "s1.a", "s2.r",
                      "s2.g", "s2.b", "s2.a", "sp.r", "sp.g", "sp.b", "sp.a", "0", "0.5", "1"})
                    operands.push_back(std::string(1, "RGBA"[channel]) + " of " + which + " from " +
                                       from);
        for (const char* half : kHalves) {
            for (const char* which : {" A", " B", " C"})
                for (const char* modifier : {"none", "negate", "absolute", "negative absolute"})
                    modifiers.push_back(std::string(half) + which + " " + modifier);
            for (const char* operation : {"bias", "sub", "add", "inv"})
                for (const char* name : kClassNames)
                    presubtracts.push_back(std::string(half) + " " + operation + " of " + name);
            for (const char* source : {" 0", " 1", " 2"})
                for (const char* number : {"0", "2^-9", "below 2^-7", "below 2^-6", "more"})
                    numbers.push_back(std::string(half) + source + " " + number);
        }
        operand_ = coverage_.add_group("operand", operands);
        modifier_ = coverage_.add_group("input modifier", modifiers);
        presubtract_ = coverage_.add_group("presubtract", presubtracts);
        inline_ = coverage_.add_group("number in an address", numbers);
    }

    void add_results() {
        std::vector<std::string> finishes, results, enables, compares;
        for (const char* half : kHalves) {
            for (const char* factor : {"*1", "*2", "*4", "*8", "/2", "/4", "/8", "bits"})
                for (const char* clamp : {"", " clamped"})
                    finishes.push_back(std::string(half) + " " + factor + clamp);
            for (const char* name : kClassNames)
                results.push_back(std::string(half) + " " + name);
            for (const char* select : {"none", "rgba", "r", "g", "b", "a"})
                for (const char* how : {" off", " on", " inverted, off", " inverted, on"})
                    enables.push_back(std::string(half) + " by " + select + how);
        }
        for (const char* active : {"inactive", "inactive, written nevertheless", "active"})
            enables.emplace_back(active);
        for (const char* of : {"predicate of RGB ", "predicate of alpha ", "ALU result of RGB ",
                               "ALU result of alpha "})
            for (const char* compare : {"EQ", "LT", "GE", "NE"})
                for (const char* holds : {" fails", " holds"})
                    compares.push_back(std::string(of) + compare + holds);
        finish_ = coverage_.add_group("output modifier", finishes);
        result_ = coverage_.add_group("result", results);
        enable_ = coverage_.add_group("enabled", enables);
        compare_ = coverage_.add_group("comparison", compares);
        written_ = coverage_.add_group(
            "written",
            {"ALU to registers", "ALU to the ALU result", "ALU to predicates", "OUT to registers",
             "OUT to the ALU result", "OUT to outputs", "OUT to the conditional value", "nothing"});
    }

    void add_refusals() {
        std::vector<std::string> bins = {"TEX", "FC"};
        for (const Field field : reserved_fields())
            bins.push_back(std::string("reserved ") + isa::info(field).name);
        for (const char* op :
             {"RGB_OP SOP", "ALPHA_OP DP", "RGB_OMOD DISABLED", "ALPHA_OMOD DISABLED"})
            bins.emplace_back(op);
        refusals_ = bins;
        refused_ = coverage_.add_group("refused", bins);
    }

    void count_refused(const isa::Instruction& i) {
        coverage_.hit(refused_, 0, i.type == isa::Type::Texture);
        coverage_.hit(refused_, 1, i.type == isa::Type::FlowControl);
        if (i.type == isa::Type::Texture || i.type == isa::Type::FlowControl)
            return;
        for (size_t bin = 2; bin < refusals_.size(); ++bin) {
            const std::string& name = refusals_[bin];
            const bool whole = i.error.size() <= name.size() || i.error[name.size()] == ' ' ||
                               i.error[name.size()] == ':';
            coverage_.hit(refused_, bin, whole && i.error.compare(0, name.size(), name) == 0);
        }
    }

    void count_half(const Operation& o, const isa::Instruction& i, bool alpha) {
        const isa::AluHalf& half = alpha ? i.alu.alpha : i.alu.rgb;
        const unsigned h = alpha ? 1 : 0;
        for (unsigned which = 0; which < 3; ++which) {
            const isa::Operand& operand = half.operand[which];
            coverage_.hit(modifier_, (h * 3 + which) * 4 + static_cast<unsigned>(operand.modifier));
            for (unsigned c = alpha ? 3 : 0; c < (alpha ? 4u : 3u); ++c) {
                const auto swizzle = static_cast<unsigned>(operand.swizzle[c % 3]);
                const unsigned from = swizzle < 4
                                          ? 4 * static_cast<unsigned>(operand.select) + swizzle
                                          : 12 + swizzle;
                coverage_.hit(operand_, (c * 3 + which) * 19 + from);
            }
            const isa::SourceAddress& source = half.source[which];
            if (source.kind == isa::SourceAddress::Kind::Inline) {
                const unsigned n = source.index;
                coverage_.hit(inline_, (h * 3 + which) * 5 + (n == 0   ? 0
                                                              : n == 1 ? 1
                                                              : n < 4  ? 2
                                                              : n < 8  ? 3
                                                                       : 4));
            }
        }
        coverage_.hit(presubtract_,
                      (h * 4 + static_cast<unsigned>(half.presubtract)) * kNumberClasses +
                          class_of(o.source[alpha ? 3 : 0]));
        coverage_.hit(finish_, (h * 8 + static_cast<unsigned>(half.output_modifier)) * 2 +
                                   (half.clamp ? 1 : 0));
    }

    void count_enable(const Operation& o, const isa::Instruction& i) {
        for (unsigned h = 0; h < 2; ++h) {
            const isa::AluHalf& half = h == 0 ? i.alu.rgb : i.alu.alpha;
            const auto select = static_cast<unsigned>(half.predicate);
            const unsigned bit = select < 2 ? 3 * h : select - 2;
            coverage_.hit(enable_, (h * 6 + select) * 4 + (half.predicate_inverted ? 2 : 0) +
                                       (o.predicate >> bit & 1));
        }
        coverage_.hit(enable_, 48 + (o.active != 0 ? 2 : i.write_inactive ? 1 : 0));
    }

    // Where A is source 0's alpha as it is.
    void count_argument(const Operation& o, const isa::Instruction& i) {
        const isa::Operand& a = i.alu.alpha.operand[0];
        if (a.select != isa::SourceSelect::Src0 || a.swizzle[0] != isa::Swizzle::A ||
            i.alu.alpha.source[0].kind == isa::SourceAddress::Kind::Inline)
            return;
        uint32_t x = o.source[3];
        if (a.modifier != isa::InputModifier::None)
            return;
        const unsigned negative = x >> 31;
        const NumberClass c = class_of(x);
        const int e = static_cast<int>(x >> 23 & 255) - 127;
        const unsigned size = e < -24 ? 0 : e < 0 ? 1 : e < 8 ? 2 : e < 23 ? 3 : 4;
        const unsigned bin = c == kNormal ? kNormal + size : static_cast<unsigned>(c);
        coverage_.hit(argument_,
                      ((static_cast<unsigned>(i.alu.alpha_op) - 8) * 2 + negative) * 9 + bin);
    }

    Coverage& coverage_;
    size_t pair_ = 0, rgb_ = 0, alpha_ = 0, argument_ = 0, operand_ = 0, modifier_ = 0;
    size_t presubtract_ = 0, inline_ = 0, finish_ = 0, result_ = 0, enable_ = 0, compare_ = 0;
    size_t written_ = 0, refused_ = 0;
    std::array<size_t, size_t{kRgbOpCount} * kAlphaOpCount> pairs_{};
    std::array<size_t, kRgbOpCount> rgbs_{};
    std::array<size_t, kAlphaOpCount> alphas_{};
    std::vector<std::string> refusals_;
};

// What the processors of a chip's arrays do, before they do it.
class CtmDppAluRecording : public RecordingOf<Operation>, public isa::AluUnit {
  public:
    using RecordingOf::RecordingOf;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<isa::AluUnit>(*this);
    }
    void execute(const isa::Instruction& instruction, const isa::ProgramMode& mode,
                 const isa::ConstantValues& constants, isa::Thread& thread,
                 isa::Effects& effects) override {
        operations_.clear();
        if (instruction.error.empty())
            isa::alu_operations(instruction, constants, thread, operations_);
        for (const Operation& operation : operations_)
            add(operation);
        isa::execute(instruction, mode, constants, thread, effects);
    }

  private:
    std::vector<Operation> operations_;  // of one instruction
};

class CtmDppAluStimulus final : public PipeStimulus<CtmDppAluPins, Operation> {
  public:
    explicit CtmDppAluStimulus(const CosimOptions& options)
        : PipeStimulus(options, CtmDppAluPins::kStages) {}

  private:
    void choose(Operation& o) override { instructions_.choose(o); }
    void disturb(Operation& o) override {
        o.words[random_.below(6)] = random_.word();
        o.source[random_.below(12)] = random_.word();
    }
    void count_message(const Operation& o) override { reached_.taken(o); }
    void count_result(const Operation& o, const Out& out) override { reached_.given(o, out); }

    Instructions instructions_{random_};
    Reached reached_{bins_};
};

struct Parts {
    using Pins = CtmDppAluPins;
    using Core = isa::AluLaneCore;
    using Stimulus = CtmDppAluStimulus;
    using Recording = CtmDppAluRecording;
    using Unit = isa::AluLaneUnit;
    static constexpr const char* kDescription = "ALU of one processor of CTM's DPP array";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<isa::AluUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
