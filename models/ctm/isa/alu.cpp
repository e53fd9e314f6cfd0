// SPDX-License-Identifier: Apache-2.0
// ALU and OUT: operands, the vec3 and the scalar operation, and what is written.
#include <cstring>

#include "models/ctm/isa/step.h"
#include "models/ctm/isa/transcendental.h"

namespace archipelago::ctm::isa {
namespace {

constexpr LaneFloats filled(float value) {
    LaneFloats f;
    for (float& lane : f.lane) {
        lane = value;
    }
    return f;
}
constexpr std::array<LaneFloats, 3> kNumbers{filled(0), filled(0.5F), filled(1)};

constexpr std::array<float, 7> kFactor{1, 2, 4, 8, 0.5F, 0.25F, 0.125F};

Kernel kernel_of(RgbOp op) {
    switch (op) {
        case RgbOp::Mad:
        case RgbOp::Mdh:
        case RgbOp::Mdv:
            return Kernel::Mad;
        case RgbOp::Dp3:
            return Kernel::Dp3;
        case RgbOp::Dp4:
            return Kernel::Dp4;
        case RgbOp::D2a:
            return Kernel::D2a;
        case RgbOp::Min:
            return Kernel::Min;
        case RgbOp::Max:
            return Kernel::Max;
        case RgbOp::Cnd:
            return Kernel::Cnd;
        case RgbOp::Cmp:
            return Kernel::Cmp;
        case RgbOp::Frc:
            return Kernel::Frc;
        case RgbOp::Sop:
            break;
    }
    return Kernel::Pass;
}
Kernel kernel_of(AlphaOp op) {
    switch (op) {
        case AlphaOp::Mad:
        case AlphaOp::Mdh:
        case AlphaOp::Mdv:
            return Kernel::Mad;
        case AlphaOp::Min:
            return Kernel::Min;
        case AlphaOp::Max:
            return Kernel::Max;
        case AlphaOp::Cnd:
            return Kernel::Cnd;
        case AlphaOp::Cmp:
            return Kernel::Cmp;
        case AlphaOp::Frc:
            return Kernel::Frc;
        default:
            return Kernel::Pass;
    }
}
unsigned operand_count(Kernel kernel) {
    switch (kernel) {
        case Kernel::Pass:
        case Kernel::Frc:
            return 1;
        case Kernel::Min:
        case Kernel::Max:
            return 2;
        default:
            return 3;
    }
}
// The quad's other lane that MDH and MDV take as C.
constexpr unsigned kTopRight = 1, kBottomLeft = 2;

class MathStep {
  public:
    MathStep(const Instruction& instruction, const ConstantValues& constants, Thread& thread)
        : instruction_(instruction),
          alu_(instruction.alu),
          constants_(constants),
          thread_(thread),
          kernels_(lane_kernels()),
          lanes_(padded_lanes(thread)) {}

    void compute();
    void write(const ProgramMode& mode, Effects& effects);

  private:
    float* scratch() { return scratch_[used_++]; }
    const float* filled_with(float value);
    void bring_source(unsigned select, bool alpha);
    void bring_constant(unsigned select, bool alpha, const SourceAddress& address);
    void presubtract();
    const float* operand(const Operand& operand, unsigned channel);
    const float* modified(const float* value, InputModifier modifier);
    const float* of_quad(const AluHalf& half, unsigned which, unsigned channel, unsigned lane);
    const float* raw_dot();
    const float* raw_transcendental();
    const float* finished(const AluHalf& half, Kernel kernel, const float* const* in);
    const float* rgb_result(unsigned channel);
    const float* alpha_result();
    void compute_shared();

    const AluHalf& half_of(unsigned channel) const { return channel < 3 ? alu_.rgb : alu_.alpha; }
    void write_temporaries();
    void write_outputs();
    void write_uncached(Effects& effects);
    void write_flags();

    const Instruction& instruction_;
    const Alu& alu_;
    const ConstantValues& constants_;
    Thread& thread_;
    const LaneKernels& kernels_;
    const unsigned lanes_;

    std::array<std::array<const float*, kChannels>, 4> source_{};  // by SourceSelect
    const float* dot_ = nullptr;                                   // before output modifiers
    const float* transcendental_ = nullptr;
    std::array<const float*, kChannels> result_{};
    std::array<LaneMask, kChannels> enabled_{};

    // Values of lanes that are no register's, not cleared: sources 4 * 4, operands and quads
    // 2 * 12, results 6.
    static constexpr unsigned kScratch = 48;
    unsigned used_ = 0;
    alignas(64) float scratch_[kScratch][kMaxLanes];
};

const float* MathStep::filled_with(float value) {
    float* out = scratch();
    for (unsigned l = 0; l < kMaxLanes; ++l) {
        out[l] = value;
    }
    return out;
}

void MathStep::bring_constant(unsigned select, bool alpha, const SourceAddress& address) {
    unsigned slot = alu_.constant_slot[alpha ? 1 : 0][select];
    if (alu_.relative_constants) {
        const ConstantNeeds n = needs(instruction_, thread_);
        const unsigned index =
            constant_index(instruction_, thread_, address.index, address.relative);
        for (slot = 0; n.floats[slot] != index; ++slot) {
        }
    }
    for (unsigned c = alpha ? 3 : 0; c < (alpha ? 4u : 3u); ++c) {
        if ((alu_.sources >> (4 * select + c) & 1) != 0) {
            source_[select][c] = filled_with(constants_.floats[slot][c]);
        }
    }
}

void MathStep::bring_source(unsigned select, bool alpha) {
    const SourceAddress& address = (alpha ? alu_.alpha : alu_.rgb).source[select];
    if (address.kind == SourceAddress::Kind::Constant) {
        bring_constant(select, alpha, address);
        return;
    }
    const Register* values = nullptr;
    const float* number = nullptr;
    if (address.kind == SourceAddress::Kind::Inline) {
        number = filled_with(address.value);
    } else {
        values = &thread_.temporaries[temporary_index(instruction_, thread_, address.index,
                                                      address.relative)];
    }
    for (unsigned c = alpha ? 3 : 0; c < (alpha ? 4u : 3u); ++c) {
        source_[select][c] = values != nullptr ? (*values)[c].lane.data() : number;
    }
}

void MathStep::presubtract() {
    for (unsigned c = 0; c < kChannels; ++c) {
        if ((alu_.sources >> (12 + c) & 1) != 0) {
            float* out = scratch();
            kernels_.presubtract(source_[0][c], source_[1][c], out, lanes_, half_of(c).presubtract);
            source_[3][c] = out;
        }
    }
}

const float* MathStep::modified(const float* value, InputModifier modifier) {
    if (modifier == InputModifier::None) {
        return value;
    }
    float* out = scratch();
    kernels_.modify(value, out, lanes_, modifier);
    return out;
}

const float* MathStep::operand(const Operand& operand, unsigned channel) {
    const Swizzle swizzle = operand.swizzle[channel];
    const auto number = static_cast<unsigned>(swizzle);
    const float* value = swizzle <= Swizzle::A
                             ? source_[static_cast<unsigned>(operand.select)][number]
                             : kNumbers[number - static_cast<unsigned>(Swizzle::Zero)].lane.data();
    return modified(value, operand.modifier);
}

// Source 0 of a lane of the quad, as A and C of MDH and MDV are.
const float* MathStep::of_quad(const AluHalf& half, unsigned which, unsigned channel,
                               unsigned lane) {
    float* out = scratch();
    kernels_.spread(source_[0][channel], out, lanes_, lane);
    return modified(out, half.operand[which].modifier);
}

const float* MathStep::raw_dot() {
    std::array<const float*, 8> in{};
    unsigned n = 0;
    const unsigned products = alu_.rgb_op == RgbOp::D2a ? 2 : 3;
    for (unsigned c = 0; c < products; ++c) {
        in[n++] = operand(alu_.rgb.operand[0], c);
        in[n++] = operand(alu_.rgb.operand[1], c);
    }
    if (alu_.rgb_op == RgbOp::D2a) {
        in[n++] = operand(alu_.rgb.operand[2], 2);
    } else if (alu_.rgb_op == RgbOp::Dp4) {
        in[n++] = operand(alu_.alpha.operand[0], 0);
        in[n++] = operand(alu_.alpha.operand[1], 0);
    }
    float* out = scratch();
    kernels_.of(kernel_of(alu_.rgb_op), Finish::Bits)(in.data(), out, lanes_, 1);
    return out;
}

const float* MathStep::raw_transcendental() {
    const float* in = operand(alu_.alpha.operand[0], 0);
    float* out = scratch();
    for (unsigned l = 0; l < lanes_; ++l) {
        uint32_t bits;
        std::memcpy(&bits, in + l, sizeof bits);
        bits = transcendental(alu_.alpha_op, bits);
        std::memcpy(out + l, &bits, sizeof bits);
    }
    return out;
}

const float* MathStep::finished(const AluHalf& half, Kernel kernel, const float* const* in) {
    float* out = scratch();
    if (half.output_modifier == OutputModifier::Disabled) {
        kernels_.of(kernel, Finish::Bits)(in, out, lanes_, 1);
    } else {
        const float factor = kFactor[static_cast<unsigned>(half.output_modifier)];
        kernels_.of(kernel, half.clamp ? Finish::ScaleClamp : Finish::Scale)(in, out, lanes_,
                                                                             factor);
    }
    return out;
}

const float* MathStep::rgb_result(unsigned channel) {
    const Kernel kernel = kernel_of(alu_.rgb_op);
    std::array<const float*, 3> in{};
    for (unsigned which = 0; which < operand_count(kernel); ++which) {
        const bool quad = which != 1 && (alu_.rgb_op == RgbOp::Mdh || alu_.rgb_op == RgbOp::Mdv);
        const unsigned other = alu_.rgb_op == RgbOp::Mdh ? kTopRight : kBottomLeft;
        in[which] = quad ? of_quad(alu_.rgb, which, channel, which == 0 ? 0 : other)
                         : operand(alu_.rgb.operand[which], channel);
    }
    return finished(alu_.rgb, kernel, in.data());
}

const float* MathStep::alpha_result() {
    const Kernel kernel = kernel_of(alu_.alpha_op);
    std::array<const float*, 3> in{};
    if (kernel == Kernel::Pass) {
        in[0] = alu_.alpha_op == AlphaOp::Dp ? dot_ : transcendental_;
        return finished(alu_.alpha, kernel, in.data());
    }
    for (unsigned which = 0; which < operand_count(kernel); ++which) {
        const bool quad =
            which != 1 && (alu_.alpha_op == AlphaOp::Mdh || alu_.alpha_op == AlphaOp::Mdv);
        const unsigned other = alu_.alpha_op == AlphaOp::Mdh ? kTopRight : kBottomLeft;
        in[which] = quad ? of_quad(alu_.alpha, which, 3, which == 0 ? 0 : other)
                         : operand(alu_.alpha.operand[which], 0);
    }
    return finished(alu_.alpha, kernel, in.data());
}

// A dot product and a transcendental value are one for all channels that take them.
void MathStep::compute_shared() {
    const bool rgb = (alu_.wanted & 7) != 0, alpha = (alu_.wanted & 8) != 0;
    if (is_dot(alu_.rgb_op) && (rgb || (alpha && alu_.alpha_op == AlphaOp::Dp))) {
        dot_ = raw_dot();
    }
    if (is_transcendental(alu_.alpha_op) && (alpha || (rgb && alu_.rgb_op == RgbOp::Sop))) {
        transcendental_ = raw_transcendental();
    }
    const float* const shared = alu_.rgb_op == RgbOp::Sop ? transcendental_ : dot_;
    if (rgb && (alu_.rgb_op == RgbOp::Sop || is_dot(alu_.rgb_op))) {
        result_[0] = result_[1] = result_[2] = finished(alu_.rgb, Kernel::Pass, &shared);
    }
}

void MathStep::compute() {
    make_temporaries(instruction_, thread_);
    for (unsigned s = 0; s < 3; ++s) {
        if ((alu_.sources >> (4 * s) & 7) != 0) {
            bring_source(s, false);
        }
        if ((alu_.sources >> (4 * s) & 8) != 0) {
            bring_source(s, true);
        }
    }
    presubtract();
    compute_shared();
    for (unsigned c = 0; c < kChannels; ++c) {
        if ((alu_.wanted >> c & 1) != 0) {
            if (result_[c] == nullptr) {
                result_[c] = c < 3 ? rgb_result(c) : alpha_result();
            }
            enabled_[c] = enabled_lanes(instruction_, thread_, c);
        }
    }
}

// ---- what is written

void MathStep::write_temporaries() {
    for (unsigned c = 0; c < kChannels; ++c) {
        const AluHalf& half = half_of(c);
        if ((half.write_mask >> (c % 3) & 1) == 0) {
            continue;
        }
        Register& to = thread_.temporaries[temporary_index(instruction_, thread_, half.destination,
                                                           half.destination_relative)];
        kernels_.merge(result_[c], to[c].lane.data(), lanes_, enabled_[c]);
    }
}

void MathStep::write_outputs() {
    for (unsigned c = 0; c < kChannels; ++c) {
        const AluHalf& half = half_of(c);
        if ((half.output_mask >> (c % 3) & 1) != 0) {
            kernels_.merge(result_[c], thread_.output[half.target][c].lane.data(), lanes_,
                           enabled_[c]);
            thread_.output_written[half.target][c] |= enabled_[c];
        }
    }
}

void MathStep::write_uncached(Effects& effects) {
    if (alu_.rgb.output_mask == 0 && alu_.alpha.output_mask == 0) {
        return;
    }
    if (alu_.rgb.output_mask != 7 || alu_.alpha.output_mask == 0) {
        refuse(instruction_, thread_,
               "an uncached output writes all channels or none, not some of them");
    }
    // TARGET: bit 0 acquires the semaphore, bit 1 says that each lane has an index of its own.
    effects.acquires_semaphore = (alu_.rgb.target & 1) != 0;
    const LaneMask lanes = enabled_[0] & thread_.covered;
    unsigned from = 0;
    while (from < thread_.lanes() && (lanes >> from & 1) == 0) {
        ++from;
    }
    for (unsigned l = from; l < thread_.lanes(); ++l) {
        if ((lanes >> l & 1) != 0) {
            from = (alu_.rgb.target & 2) != 0 ? l : from;
            UncachedWrite w{static_cast<uint8_t>(l),
                            {to_index(result_[1][from]), to_index(result_[2][from])},
                            0};
            std::memcpy(&w.value, result_[0] + l, sizeof w.value);
            effects.uncached.push_back(w);
        }
    }
}

void MathStep::write_flags() {
    for (unsigned c = 0; c < kChannels; ++c) {
        if ((alu_.predicate_write >> c & 1) != 0) {
            const LaneMask holds =
                kernels_.compare(result_[c], lanes_, static_cast<Compare>(half_of(c).target));
            thread_.predicate[c] = (thread_.predicate[c] & ~enabled_[c]) | (holds & enabled_[c]);
        }
    }
    if (alu_.writes_alu_result) {
        const unsigned c = alu_.alu_result_of_alpha ? 3 : 0;
        const LaneMask holds = kernels_.compare(result_[c], lanes_, alu_.alu_result_compare);
        thread_.alu_result = (thread_.alu_result & ~enabled_[c]) | (holds & enabled_[c]);
    }
    if (alu_.writes_conditional) {
        for (unsigned l = 0; l < thread_.lanes(); ++l) {
            if ((enabled_[3] >> l & 1) != 0) {
                std::memcpy(&thread_.conditional[l], result_[3] + l, sizeof(uint32_t));
            }
        }
    }
}

void MathStep::write(const ProgramMode& mode, Effects& effects) {
    if (mode.uncached_outputs) {
        write_uncached(effects);
    } else {
        write_outputs();
    }
    write_temporaries();
    write_flags();
}

}  // namespace

void execute_math(const Instruction& instruction, const ProgramMode& mode,
                  const ConstantValues& constants, Thread& thread, Effects& effects) {
    const FloatMode float_mode;
    MathStep step(instruction, constants, thread);
    step.compute();
    step.write(mode, effects);
}

}  // namespace archipelago::ctm::isa
