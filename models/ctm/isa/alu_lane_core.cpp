// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/isa/alu_lane_core.h"

#include <cstring>

#include "models/ctm/isa/fields.h"
#include "models/ctm/isa/step.h"

namespace archipelago::ctm::isa {
namespace {

using rtl::CtmDppAluPins;

constexpr unsigned kSources = 3;
constexpr unsigned kDestination = kSources;  // register; those below are the sources
constexpr unsigned kLane = 3;                // of the quad

constexpr Field plus(Field field, unsigned offset) {
    return static_cast<Field>(static_cast<unsigned>(field) + offset);
}

// The instruction with the sources in registers 0 to 2, its results in another one, whole. Numbers
// in addresses stay there.
Words placed(const Words& words) {
    Words to = words;
    for (const Field first : {Field::RgbAddr0, Field::AlphaAddr0}) {
        for (unsigned s = 0; s < kSources; ++s) {
            const Field address = plus(first, 3 * s);
            const Field constant = plus(address, 1), relative = plus(address, 2);
            if (get(words, constant) != 0 || get(words, address) < kTemporaries) {
                set(to, address, s);
                set(to, constant, 0);
                set(to, relative, 0);
            }
        }
    }
    for (const Field address : {Field::RgbAddrd, Field::AlphaAddrd}) {
        set(to, address, kDestination);
        set(to, plus(address, 1), 0);
    }
    set(to, Field::RgbWmask, 7);
    set(to, Field::AlphaWmask, 1);
    return to;
}

void put(uint32_t bits, LaneFloats& to, unsigned lane) {
    std::memcpy(&to.lane[lane], &bits, sizeof bits);
}

}  // namespace

AluLaneCore::AluLaneCore() {
    thread_.quads = 1;
    thread_.covered = all_lanes(thread_);
    thread_.temporaries.resize(kDestination + 1);
}

void AluLaneCore::bring(const CtmDppAluPins::Operation& o) {
    for (unsigned c = 0; c < kChannels; ++c) {
        for (unsigned s = 0; s < kSources; ++s) {
            put(o.source[4 * s + c], thread_.temporaries[s][c], kLane);
        }
        for (unsigned lane = 0; lane < kLane; ++lane) {
            put(o.quad[4 * lane + c], thread_.temporaries[0][c], lane);
        }
        thread_.predicate[c] = LaneMask{o.predicate >> c & 1u} << kLane;
    }
    thread_.active = LaneMask{o.active & 1u} << kLane;
    thread_.pc = 0;
}

AluLaneCore::Out AluLaneCore::evaluate(const CtmDppAluPins::Operation& o) {
    Out r;
    const Instruction instruction = decode(placed(o.words));
    if (!instruction.error.empty() ||
        (instruction.type != Type::Alu && instruction.type != Type::Out)) {
        r.out_illegal = 1;
        return r;
    }
    bring(o);
    unsigned enabled = 0, predicates = 0;  // by channel: before and after
    for (unsigned c = 0; c < kChannels; ++c) {
        enabled |= static_cast<unsigned>(enabled_lanes(instruction, thread_, c) >> kLane & 1) << c;
    }
    execute(instruction, {}, {}, thread_, effects_);
    for (unsigned c = 0; c < kChannels; ++c) {
        predicates |= static_cast<unsigned>(thread_.predicate[c] >> kLane & 1) << c;
    }

    const Alu& alu = instruction.alu;
    const unsigned flag = alu.alu_result_of_alpha ? 8 : 1;  // channel of the ALU result
    const unsigned registers = get(o.words, Field::RgbWmask) | get(o.words, Field::AlphaWmask) << 3;
    const unsigned outputs = alu.rgb.output_mask | alu.alpha.output_mask << 3u;
    r.out_register = static_cast<uint8_t>(registers & enabled);
    r.out_output = static_cast<uint8_t>(outputs & enabled);
    r.out_predicate_we = static_cast<uint8_t>(alu.predicate_write & enabled);
    r.out_predicate = static_cast<uint8_t>(predicates & r.out_predicate_we);
    r.out_flag_we = alu.writes_alu_result && (enabled & flag) != 0;
    r.out_flag = r.out_flag_we & static_cast<unsigned>(thread_.alu_result >> kLane & 1);
    r.out_conditional = alu.writes_conditional && (enabled & 8) != 0;
    const unsigned shown = r.out_register | r.out_output | r.out_predicate_we |
                           r.out_flag_we * flag | r.out_conditional * 8u;
    for (unsigned c = 0; c < kChannels; ++c) {
        if ((shown >> c & 1) != 0) {
            std::memcpy(&r.out_result[c], &thread_.temporaries[kDestination][c].lane[kLane],
                        sizeof r.out_result[c]);
        }
    }
    return r;
}

void AluLaneCore::step(const In& in, Out& out) {
    auto& pipe = state_.pipe;
    const bool taken = in.out_ready != 0;
    const Out* const result = pipe.at_output();
    out = result != nullptr ? *result : Out{};
    out.out_valid = result != nullptr;
    out.in_ready = pipe.ready(taken);
    if (in.rst != 0) {
        pipe = {};
        return;
    }
    pipe.advance(taken);
    if (out.in_ready != 0 && in.in_valid != 0)
        pipe.enter(evaluate(in.in));
}

}  // namespace archipelago::ctm::isa
