// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/isa/alu_lane_unit.h"

#include <algorithm>
#include <cstring>

#include "models/common/error.h"
#include "models/ctm/isa/step.h"

namespace archipelago::ctm::isa {
namespace {

using rtl::CtmDppAluPins;

constexpr unsigned kTimeout = 10'000;  // cycles without a transfer before the ALU counts as stuck

uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Calls f with each lane of the mask.
template <class F>
void each_lane(LaneMask lanes, F&& f) {
    for (; lanes != 0; lanes &= lanes - 1) {
        f(static_cast<unsigned>(__builtin_ctzll(lanes)));
    }
}

// Lanes that an instruction may write in, predicates apart.
LaneMask running_lanes(const Instruction& instruction, const Thread& thread) {
    return instruction.write_inactive ? all_lanes(thread) : thread.active & all_lanes(thread);
}

// Channel `channel` of a source that is in an address.
class Brought {
  public:
    Brought(const Instruction& instruction, const MathPlan::Source& source,
            const ConstantValues& constants, const Thread& thread) {
        if (source.kind == MathPlan::Source::Kind::Temporary) {
            register_ = &thread.temporaries[temporary_index(instruction, thread, source.index,
                                                            source.relative)];
        } else {
            const ConstantNeeds n = needs(instruction, thread);
            const unsigned index =
                constant_index(instruction, thread, source.index, source.relative);
            const auto* const at =
                std::find(n.floats.begin(), n.floats.begin() + n.float_count, index);
            constant_ = &constants.floats.at(static_cast<size_t>(at - n.floats.begin()));
        }
    }
    uint32_t of(unsigned lane, unsigned channel) const {
        return bits_of(register_ != nullptr ? (*register_)[channel].lane[lane]
                                            : (*constant_)[channel]);
    }

  private:
    const Register* register_ = nullptr;
    const std::array<float, kChannels>* constant_ = nullptr;
};

}  // namespace

void alu_operations(const Instruction& instruction, const ConstantValues& constants, Thread& thread,
                    std::vector<CtmDppAluPins::Operation>& to) {
    make_temporaries(instruction, thread);
    const LaneMask lanes = running_lanes(instruction, thread);
    CtmDppAluPins::Operation o;
    o.words = instruction.words;
    const size_t first = to.size();
    each_lane(lanes, [&](unsigned lane) {
        o.active = static_cast<uint8_t>(thread.active >> lane & 1);
        o.predicate = 0;
        for (unsigned c = 0; c < kChannels; ++c) {
            o.predicate |= static_cast<uint8_t>((thread.predicate[c] >> lane & 1) << c);
        }
        to.push_back(o);
    });
    const MathPlan& plan = instruction.alu.plan;
    for (unsigned i = 0; i < plan.source_count; ++i) {
        const MathPlan::Source& source = plan.sources[i];
        if (source.kind == MathPlan::Source::Kind::Inline) {
            continue;
        }
        const Brought brought(instruction, source, constants, thread);
        size_t at = first;
        each_lane(lanes, [&](unsigned lane) {
            CtmDppAluPins::Operation& operation = to[at++];
            for (unsigned c = 0; c < kChannels; ++c) {
                if ((source.channels >> c & 1) == 0) {
                    continue;
                }
                operation.source[source.first + c] = brought.of(lane, c);
                for (unsigned k = 0; source.first == 0 && k < 3; ++k) {
                    operation.quad[4 * k + c] = brought.of((lane & ~3u) + k, c);
                }
            }
        });
    }
}

AluLaneUnit::AluLaneUnit(rtl::PinBlock<CtmDppAluPins>& alu) : alu_(alu) {}

// The pending operations to results.
void AluLaneUnit::run() {
    if (!was_reset_) {
        rtl::reset_block(alu_);
        was_reset_ = true;
    }
    results_.clear();
    CtmDppAluPins::In in;
    CtmDppAluPins::Out out;
    in.out_ready = 1;
    unsigned waited = 0;
    for (size_t sent = 0; results_.size() < pending_.size();) {
        in.in_valid = sent < pending_.size() ? 1 : 0;
        if (in.in_valid != 0) {
            in.in = pending_[sent];
        }
        alu_.step(in, out);
        const bool taken = in.in_valid != 0 && out.in_ready != 0;
        sent += taken ? 1 : 0;
        if (out.out_valid != 0) {
            results_.push_back(out);
        }
        waited = taken || out.out_valid != 0 ? 0 : waited + 1;
        if (waited == kTimeout) {
            throw MachineStop(StopKind::Hang, CtmDppAluPins::kName,
                              "the ALU neither takes instructions nor gives results");
        }
    }
}

AluLaneUnit::Written AluLaneUnit::collect(const Instruction& instruction,
                                          const Thread& thread) const {
    Written w;
    size_t next = 0;
    each_lane(running_lanes(instruction, thread), [&](unsigned lane) {
        const CtmDppAluPins::Out& r = results_[next++];
        if (r.out_illegal != 0) {
            throw MachineStop(StopKind::Protocol, CtmDppAluPins::kName,
                              place(instruction, thread) + ": the ALU refuses the instruction");
        }
        const auto bit = [lane](unsigned value) { return LaneMask{value & 1} << lane; };
        for (unsigned c = 0; c < kChannels; ++c) {
            std::memcpy(&w.result[c].lane[lane], &r.out_result[c], sizeof(float));
            w.registers[c] |= bit(r.out_register >> c);
            w.outputs[c] |= bit(r.out_output >> c);
            w.predicates[c] |= bit(r.out_predicate_we >> c);
            w.predicate[c] |= bit(r.out_predicate >> c);
        }
        w.flags |= bit(r.out_flag_we);
        w.flag |= bit(r.out_flag);
        w.conditional |= bit(r.out_conditional);
    });
    return w;
}

void AluLaneUnit::write_outputs(const Instruction& instruction, const ProgramMode& mode,
                                const Written& w, Thread& thread, Effects& effects) {
    if (mode.uncached_outputs) {
        const float* const rgb[] = {w.result[0].lane.data(), w.result[1].lane.data(),
                                    w.result[2].lane.data()};
        write_uncached(instruction, thread, w.outputs[0], rgb, effects);
        return;
    }
    for (unsigned c = 0; c < kChannels; ++c) {
        const Alu& alu = instruction.alu;
        const unsigned target = c < 3 ? alu.rgb.target : alu.alpha.target;
        each_lane(w.outputs[c], [&](unsigned lane) {
            thread.output[target][c].lane[lane] = w.result[c].lane[lane];
        });
        thread.output_written[target][c] |= w.outputs[c];
    }
}

void AluLaneUnit::write(const Instruction& instruction, const Written& w, Thread& thread) {
    for (unsigned c = 0; c < kChannels; ++c) {
        if ((instruction.alu.plan.temporaries >> c & 1) != 0) {
            const AluHalf& half = c < 3 ? instruction.alu.rgb : instruction.alu.alpha;
            Register& to = thread.temporaries[temporary_index(instruction, thread, half.destination,
                                                              half.destination_relative)];
            each_lane(w.registers[c],
                      [&](unsigned lane) { to[c].lane[lane] = w.result[c].lane[lane]; });
        }
        thread.predicate[c] = (thread.predicate[c] & ~w.predicates[c]) | w.predicate[c];
    }
    thread.alu_result = (thread.alu_result & ~w.flags) | w.flag;
    each_lane(w.conditional,
              [&](unsigned lane) { thread.conditional[lane] = bits_of(w.result[3].lane[lane]); });
}

void AluLaneUnit::execute(const Instruction& instruction, const ProgramMode& mode,
                          const ConstantValues& constants, Thread& thread, Effects& effects) {
    effects.uncached.clear();
    effects.acquires_semaphore = false;
    if (!instruction.error.empty()) {
        refuse(instruction, thread, instruction.error);
    }
    pending_.clear();
    alu_operations(instruction, constants, thread, pending_);
    run();
    const Written w = collect(instruction, thread);
    if (instruction.alu.plan.outputs != 0) {
        write_outputs(instruction, mode, w, thread, effects);
    }
    write(instruction, w, thread);
    advance(instruction, thread);
}

}  // namespace archipelago::ctm::isa
