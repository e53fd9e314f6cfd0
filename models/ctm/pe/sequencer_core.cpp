// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/pe/sequencer_core.h"

namespace archipelago::ctm {
namespace {

using Pins = rtl::CtmPePins;
using Phase = SequencerState::Phase;

bool is_start(const ReadCommand& c) {
    return c.info->opcode == Opcode::StartProgram;
}
bool is_counters(const ReadCommand& c) {
    return c.info->opcode <= Opcode::ReadPerfCounters;
}

}  // namespace

void SequencerCore::step(const In& in, Out& out) {
    out = Out{};
    present(in, out);
    if (in.rst != 0)
        reset();
    else
        edge(in, out);
}

// ---- outputs: of the state and of what runs ----------------------------------------------------

Pins::Wait SequencerCore::blocked(const In& in) const {
    if (in.programs_run != 0 && waits_for_programs(state_.command, state_.settings))
        return Pins::kPrograms;
    const Opcode opcode = state_.command.info->opcode;
    const bool quiet = opcode == Opcode::StartProgram || opcode == Opcode::WaitForIdle;
    if (quiet && state_.in_flight != 0)
        return Pins::kUnits;
    return state_.to_units != 0 && state_.in_flight + 2u > Pins::kMaxInFlight ? Pins::kUnits
                                                                              : Pins::kNothing;
}

void SequencerCore::present(const In& in, Out& out) const {
    out.buf_ready = state_.phase == Phase::Idle ? 1 : 0;
    out.dw_ready = state_.phase == Phase::Read ? 1 : 0;
    out.stop_code = state_.stop;
    if (state_.phase == Phase::Read)
        out.wait_code = in.dw_valid != 0 ? Pins::kNothing : Pins::kDwords;
    if (state_.phase == Phase::End) {
        out.wait_code = in.programs_run != 0    ? Pins::kPrograms
                        : state_.in_flight != 0 ? Pins::kUnits
                                                : Pins::kNothing;
        out.end_valid = out.wait_code == Pins::kNothing ? 1 : 0;
    }
    if (state_.phase != Phase::Act)
        return;
    out.cmd.opcode = static_cast<uint8_t>(state_.command.info->opcode);
    out.cmd.p = state_.command.parameters;
    const ProgramStart start = started(state_.settings);
    const Domain& d = start.domain;
    out.start = {d.i0,
                 d.j0,
                 d.i1,
                 d.j1,
                 start.conditional,
                 static_cast<uint8_t>(start.tests ? 1 : 0),
                 static_cast<uint8_t>(start.conditional_output ? 1 : 0)};
    out.wait_code = blocked(in);
    if (out.wait_code != Pins::kNothing)
        return;
    const auto offer = [&](bool valid, uint8_t ready, uint8_t& pin) {
        pin = valid ? 1 : 0;
        if (valid && ready == 0)
            out.wait_code = Pins::kReceiver;
    };
    offer((state_.to_units & kToMemoryController) != 0, in.mc_ready, out.mc_valid);
    offer((state_.to_units & kToConditionalOperation) != 0, in.co_ready, out.co_valid);
    offer(is_start(state_.command), in.start_ready, out.start_valid);
    offer(is_counters(state_.command), in.ctr_ready, out.ctr_valid);
}

// ---- the edge ----------------------------------------------------------------------------------

void SequencerCore::edge(const In& in, const Out& out) {
    state_.in_flight = static_cast<uint16_t>(state_.in_flight - in.mc_done - in.co_done);
    switch (state_.phase) {
        case Phase::Idle:
            if (in.buf_valid == 0)
                return;
            state_.dwords = in.buf.dwords;
            state_.taken = 0;
            if (in.buf.after_idle != 0)
                state_.settings.programs_started = false;
            state_.phase = Phase::Read;
            return;
        case Phase::Read:
            if (in.dw_valid != 0)
                read(in.dw_data);
            if (state_.phase == Phase::Delay)
                state_.delay = in.cycles;
            if (state_.phase == Phase::Delay && state_.delay == 0)
                arrive(in);
            return;
        case Phase::Delay:
            if (--state_.delay == 0)
                arrive(in);
            return;
        case Phase::Act:
            act(in, out);
            return;
        case Phase::End:
            if (out.end_valid != 0)
                state_.phase = Phase::Idle;
            return;
        case Phase::Stopped:
            return;
    }
}

void SequencerCore::read(uint32_t dword) {
    ++state_.taken;
    if (state_.missing == 0) {
        state_.command = {};
        const HeaderError error =
            check_header(dword, state_.dwords - state_.taken, state_.command.info);
        if (error != HeaderError::None) {
            state_.phase = Phase::Stopped;
            state_.stop = error == HeaderError::Unknown ? Pins::kUnknownHeader : Pins::kEndsWithin;
            return;
        }
        state_.missing = state_.command.info->parameters;
        return;
    }
    state_.command.parameters[state_.command.info->parameters - state_.missing] = dword;
    if (--state_.missing == 0)
        state_.phase = Phase::Delay;
}

void SequencerCore::arrive(const In& in) {
    if (!is_defined(*state_.command.info, state_.settings, in.allow != 0)) {
        state_.phase = Phase::Stopped;
        state_.stop = Pins::kUndefined;
        return;
    }
    state_.phase = Phase::Act;
    state_.to_units = state_.command.info->units & (kToMemoryController | kToConditionalOperation);
}

void SequencerCore::act(const In& in, const Out& out) {
    if (out.mc_valid != 0 && in.mc_ready != 0) {
        state_.to_units &= static_cast<uint8_t>(~kToMemoryController);
        ++state_.in_flight;
    }
    if (out.co_valid != 0 && in.co_ready != 0) {
        state_.to_units &= static_cast<uint8_t>(~kToConditionalOperation);
        ++state_.in_flight;
    }
    if (out.wait_code == Pins::kNothing)
        finish();
}

void SequencerCore::finish() {
    carry_out(state_.command, state_.settings);
    state_.phase = state_.taken == state_.dwords ? Phase::End : Phase::Read;
}

}  // namespace archipelago::ctm
