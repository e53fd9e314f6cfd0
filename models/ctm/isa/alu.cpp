// SPDX-License-Identifier: Apache-2.0
// ALU and OUT: carries out the plan of an instruction, and writes.
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

// By OutputModifier.
constexpr std::array<float, 8> kFactor{1, 2, 4, 8, 0.5F, 0.25F, 0.125F, 1};

class MathStep {
  public:
    MathStep(const Instruction& instruction, const ConstantValues& constants, Thread& thread)
        : instruction_(instruction),
          alu_(instruction.alu),
          plan_(instruction.alu.plan),
          constants_(constants),
          thread_(thread),
          registers_(thread.temporaries.data()),
          kernels_(lane_kernels()),
          lanes_(padded_lanes(thread)),
          all_lanes_(all_lanes(thread)),
          unwritten_(plan_.temporaries) {}

    void compute();
    void write(const ProgramMode& mode, Effects& effects);

  private:
    void enable();
    void bring(const MathPlan::Source& source);
    void bring_number(const MathPlan::Source& source);
    unsigned slot_of(const MathPlan::Source& source) const;
    void make(const MathPlan::Step& step);
    void make_presubtracted(const MathPlan::Step& step, float* out) const;
    void make_dot(float* out) const;
    void make_transcendental(AlphaOp operation, const float* in, float* out) const;
    void compute(const MathPlan::Result& result, float* scratch);

    const AluHalf& half_of(unsigned channel) const { return channel < 3 ? alu_.rgb : alu_.alpha; }
    void write_temporaries();
    void write_outputs();
    void write_predicates();
    void write_alu_result();
    void write_conditional();

    const Instruction& instruction_;
    const Alu& alu_;
    const MathPlan& plan_;
    const ConstantValues& constants_;
    Thread& thread_;
    Register* const registers_;
    const LaneKernels& kernels_;
    const unsigned lanes_;
    const LaneMask all_lanes_;
    unsigned unwritten_;  // channels of registers still to be written

    // Set where the plan names them only: clearing them all would take as long as the arithmetic.
    const float* value_[MathPlan::kValues];
    const float* result_[kChannels];
    LaneMask enabled_[kChannels];
    // Values that are no register's, by number; then the results.
    alignas(64) float scratch_[MathPlan::kValues + 4][kMaxLanes];
};

void MathStep::enable() {
    const LaneMask lanes = instruction_.write_inactive ? all_lanes_ : thread_.active;
    for (LaneMask& enabled : enabled_) {
        enabled = lanes;
    }
    for (unsigned c = 0; plan_.predicated && c < kChannels; ++c) {
        enabled_[c] &= predicate_lanes(half_of(c), thread_, c);
    }
}

// Place of a constant among those needed.
unsigned MathStep::slot_of(const MathPlan::Source& source) const {
    if (!plan_.relative_constants) {
        return source.slot;
    }
    const ConstantNeeds n = needs(instruction_, thread_);
    const unsigned index = constant_index(instruction_, thread_, source.index, source.relative);
    unsigned slot = 0;
    while (n.floats[slot] != index) {
        ++slot;
    }
    return slot;
}

void MathStep::bring(const MathPlan::Source& source) {
    if (source.kind != MathPlan::Source::Kind::Temporary) {
        bring_number(source);
        return;
    }
    const float** const value = value_ + source.first;
    const Register& from =
        registers_[temporary_index(instruction_, thread_, source.index, source.relative)];
    if (source.channels != 8) {
        value[0] = from[0].lane.data();
        value[1] = from[1].lane.data();
        value[2] = from[2].lane.data();
    }
    if (source.channels >= 8) {
        value[3] = from[3].lane.data();
    }
}

void MathStep::bring_number(const MathPlan::Source& source) {
    const bool constant = source.kind == MathPlan::Source::Kind::Constant;
    const unsigned slot = constant ? slot_of(source) : 0;
    for (unsigned c = 0; c < kChannels; ++c) {
        if ((source.channels >> c & 1) != 0) {
            float* const out = scratch_[source.first + c];
            value_[source.first + c] = out;
            kernels_.fill(constant ? constants_.floats[slot][c] : source.number, out, lanes_);
        }
    }
}

void MathStep::make_presubtracted(const MathPlan::Step& step, float* out) const {
    const auto operation = static_cast<Presubtract>(step.modifier);
    const bool both = operation == Presubtract::Sub || operation == Presubtract::Add;
    const float* const source0 = value_[step.from];
    kernels_.presubtract(source0, both ? value_[step.from + 4] : source0, out, lanes_, operation);
}

void MathStep::make_dot(float* out) const {
    std::array<const float*, 8> in{};
    for (unsigned i = 0; i < in.size(); ++i) {
        in[i] = value_[plan_.dot[i]];
    }
    kernels_.of(plan_.dot_kernel, Finish::Bits)(in.data(), out, lanes_, 1);
}

void MathStep::make_transcendental(AlphaOp operation, const float* in, float* out) const {
    for (unsigned l = 0; l < lanes_; ++l) {
        uint32_t bits;
        std::memcpy(&bits, in + l, sizeof bits);
        bits = transcendental(operation, bits);
        std::memcpy(out + l, &bits, sizeof bits);
    }
}

void MathStep::make(const MathPlan::Step& step) {
    const float* const from = value_[step.from];
    float* const out = scratch_[step.to];
    switch (step.make) {
        case MathPlan::Make::Presubtract:
            make_presubtracted(step, out);
            break;
        case MathPlan::Make::Spread:
            kernels_.spread(from, out, lanes_, step.lane);
            kernels_.modify(out, out, lanes_, static_cast<InputModifier>(step.modifier));
            break;
        case MathPlan::Make::Modify:
            kernels_.modify(from, out, lanes_, static_cast<InputModifier>(step.modifier));
            break;
        case MathPlan::Make::Dot:
            make_dot(out);
            break;
        case MathPlan::Make::Transcendental:
            make_transcendental(static_cast<AlphaOp>(step.modifier), from, out);
            break;
    }
    value_[step.to] = out;
}

void MathStep::compute(const MathPlan::Result& result, float* scratch) {
    const float* const in[] = {value_[result.from[0]], value_[result.from[1]],
                               value_[result.from[2]]};
    const unsigned channel = result.channel;
    float* out = scratch;
    if (result.in_place && enabled_[channel] == all_lanes_) {
        out = registers_[half_of(channel).destination][channel].lane.data();
        unwritten_ &= ~static_cast<unsigned>(result.channels);
    }
    kernels_.of(result.kernel, result.finish)(in, out, lanes_, kFactor[result.factor]);
    result_[channel] = out;
    if (result.channels != 1u << channel) {  // shared by channels of RGB
        result_[0] = result_[1] = result_[2] = out;
    }
}

void MathStep::compute() {
    enable();
    for (unsigned n = 0; n < kNumbers.size(); ++n) {
        value_[MathPlan::kNumbers + n] = kNumbers[n].lane.data();
    }
    for (unsigned i = 0; i < plan_.source_count; ++i) {
        bring(plan_.sources[i]);
    }
    for (unsigned i = 0; i < plan_.step_count; ++i) {
        make(plan_.steps[i]);
    }
    for (unsigned i = 0; i < plan_.result_count; ++i) {
        compute(plan_.results[i], scratch_[MathPlan::kValues + i]);
    }
}

// ---- what is written

void MathStep::write_temporaries() {
    for (unsigned c = 0; c < kChannels; ++c) {
        if ((plan_.temporaries >> c & 1) == 0) {
            continue;
        }
        const AluHalf& half = half_of(c);
        Register& to = registers_[temporary_index(instruction_, thread_, half.destination,
                                                  half.destination_relative)];
        if (to[c].lane.data() != result_[c]) {
            kernels_.merge(result_[c], to[c].lane.data(), lanes_, enabled_[c]);
        }
    }
}

void MathStep::write_outputs() {
    for (unsigned c = 0; c < kChannels; ++c) {
        if ((plan_.outputs >> c & 1) != 0) {
            const unsigned target = half_of(c).target;
            kernels_.merge(result_[c], thread_.output[target][c].lane.data(), lanes_, enabled_[c]);
            thread_.output_written[target][c] |= enabled_[c];
        }
    }
}

void MathStep::write_predicates() {
    for (unsigned c = 0; c < kChannels; ++c) {
        if ((alu_.predicate_write >> c & 1) != 0) {
            const LaneMask holds =
                kernels_.compare(result_[c], lanes_, static_cast<Compare>(half_of(c).target));
            thread_.predicate[c] = (thread_.predicate[c] & ~enabled_[c]) | (holds & enabled_[c]);
        }
    }
}

void MathStep::write_alu_result() {
    const unsigned c = alu_.alu_result_of_alpha ? 3 : 0;
    const LaneMask holds = kernels_.compare(result_[c], lanes_, alu_.alu_result_compare);
    thread_.alu_result = (thread_.alu_result & ~enabled_[c]) | (holds & enabled_[c]);
}

void MathStep::write_conditional() {
    for (unsigned l = 0; l < thread_.lanes(); ++l) {
        if ((enabled_[3] >> l & 1) != 0) {
            std::memcpy(&thread_.conditional[l], result_[3] + l, sizeof(uint32_t));
        }
    }
}

void MathStep::write(const ProgramMode& mode, Effects& effects) {
    if (plan_.outputs != 0) {
        if (mode.uncached_outputs) {
            write_uncached(instruction_, thread_, enabled_[0], result_, effects);
        } else {
            write_outputs();
        }
    }
    write_temporaries();
    if (!plan_.more) {
        return;
    }
    write_predicates();
    if (alu_.writes_alu_result) {
        write_alu_result();
    }
    if (alu_.writes_conditional) {
        write_conditional();
    }
}

// A straight plan where all lanes write: half of MathStep's time for a MAD
// (archipelago_ctm_isa_benchmark, mad_vec3_scalar). The random instructions of ctm_isa_test go both
// ways and are held against one reference.
void execute_straight(const MathPlan& plan, const ConstantValues& constants, Thread& thread) {
    const LaneKernels& kernels = lane_kernels();
    const unsigned lanes = padded_lanes(thread);
    alignas(64) float scratch[12][kMaxLanes];
    const float* value[MathPlan::kMade];
    for (unsigned n = 0; n < kNumbers.size(); ++n) {
        value[MathPlan::kNumbers + n] = kNumbers[n].lane.data();
    }
    for (unsigned i = 0; i < plan.source_count; ++i) {
        const MathPlan::Source& source = plan.sources[i];
        for (unsigned c = 0; source.kind != MathPlan::Source::Kind::Temporary && c < kChannels;
             ++c) {
            if ((source.channels >> c & 1) != 0) {
                float* const out = scratch[source.first + c];
                kernels.fill(source.kind == MathPlan::Source::Kind::Inline
                                 ? source.number
                                 : constants.floats[source.slot][c],
                             out, lanes);
                value[source.first + c] = out;
            }
        }
    }
    static_assert(sizeof(Register) == kChannels * kMaxLanes * sizeof(float));
    float* const registers = thread.temporaries.data()->data()->lane.data();
    const auto at = [&](uint16_t place) -> const float* {
        return place < MathPlan::kPlaces ? registers + place * kMaxLanes
                                         : value[place - MathPlan::kPlaces];
    };
    for (unsigned i = 0; i < plan.result_count; ++i) {
        const MathPlan::Result& r = plan.results[i];
        const float* const in[] = {at(r.place[0]), at(r.place[1]), at(r.place[2])};
        kernels.of(r.kernel, r.finish)(in, registers + r.destination * kMaxLanes, lanes,
                                       kFactor[r.factor]);
    }
}

}  // namespace

void write_uncached(const Instruction& instruction, const Thread& thread, LaneMask enabled,
                    const float* const* result, Effects& effects) {
    if (instruction.alu.plan.outputs != 0xf) {
        refuse(instruction, thread,
               "an uncached output writes all channels or none, not some of them");
    }
    // TARGET: bit 0 acquires the semaphore, bit 1 says that each lane has an index of its own.
    const unsigned target = instruction.alu.rgb.target;
    effects.acquires_semaphore = (target & 1) != 0;
    const LaneMask lanes = enabled & thread.covered;
    unsigned from = lanes == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(lanes));
    for (unsigned l = from; l < thread.lanes(); ++l) {
        if ((lanes >> l & 1) != 0) {
            from = (target & 2) != 0 ? l : from;
            UncachedWrite w{
                static_cast<uint8_t>(l), {to_index(result[1][from]), to_index(result[2][from])}, 0};
            std::memcpy(&w.value, result[0] + l, sizeof w.value);
            effects.uncached.push_back(w);
        }
    }
}

void execute_math(const Instruction& instruction, const ProgramMode& mode,
                  const ConstantValues& constants, Thread& thread, Effects& effects) {
    make_temporaries(instruction, thread);
    const FloatMode float_mode;
    const MathPlan& plan = instruction.alu.plan;
    if (plan.straight && (instruction.write_inactive || thread.active == all_lanes(thread))) {
        execute_straight(plan, constants, thread);
        return;
    }
    MathStep step(instruction, constants, thread);
    step.compute();
    step.write(mode, effects);
}

}  // namespace archipelago::ctm::isa
