// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/pe/pe_settings.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/ctm/pe/registers.h"

namespace archipelago::ctm {
namespace {

uint16_t index_of(uint32_t parameter) {
    return static_cast<uint16_t>(parameter & kMaxIndex);
}

}  // namespace

// ---- performance counters ----------------------------------------------------------------------

bool PerfCounters::carry_out(const UnitCommand& command, const PerfClocks& now) {
    const auto opcode = static_cast<Opcode>(command.opcode);
    const bool disable = opcode == Opcode::InitPerfCounters && (command.parameters[0] & 1) == 0;
    if (running && (disable || opcode == Opcode::StopPerfCounters)) {
        counted = {now.total - base.total, now.active - base.active};
        running = false;
    }
    if (opcode == Opcode::InitPerfCounters)
        enabled = !disable;
    if (opcode == Opcode::StartPerfCounters && enabled) {
        running = true;
        base = now;
    }
    return opcode == Opcode::ReadPerfCounters && enabled;
}

std::array<uint32_t, 2> PerfCounters::values(const PerfClocks& now) const {
    const PerfClocks v =
        running ? PerfClocks{now.total - base.total, now.active - base.active} : counted;
    return {static_cast<uint32_t>(v.total), static_cast<uint32_t>(v.active)};
}

// ---- commands ----------------------------------------------------------------------------------

void check_defined(const ReadCommand& command, const PeSettings& settings, bool allow) {
    if (!is_defined(*command.info, settings, allow))
        throw MachineStop(
            StopKind::BadInput, where(command),
            "undefined: it is not pipelined, and no wait_for_idle is between it and the "
            "last start_program (ctm.undefined: allow carries it out)");
}

bool is_defined(const CommandInfo& info, const PeSettings& settings, bool allow) {
    return info.pipelined || !settings.programs_started || allow;
}

// Tests of one start would race with those of another for values of the conditional buffer.
bool waits_for_programs(const ReadCommand& command, const PeSettings& settings) {
    if (command.info->opcode == Opcode::StartProgram)
        return started(settings).tests || started(settings).conditional_output;
    return command.info->order == CommandOrder::BehindPrograms;
}

Deed carry_out(const ReadCommand& command, PeSettings& settings) {
    const auto& p = command.parameters;
    if ((command.info->units & kToConditionalOperation) != 0)
        apply(unit_command(command), settings.condition);
    if ((command.info->units & kToProcessorExecution) == 0)
        return Deed::Forward;
    switch (command.info->opcode) {
        case Opcode::SetCondVal:
            settings.conditional = p[0];
            return Deed::Nothing;
        case Opcode::SetDomain:
            settings.domain = {index_of(p[0]), index_of(p[1]), index_of(p[2]), index_of(p[3])};
            return Deed::Nothing;
        case Opcode::StartProgram:
            ++settings.starts;
            settings.programs_started = true;
            return Deed::Start;
        case Opcode::WaitForIdle:
            settings.programs_started = false;
            return Deed::Nothing;
        default:
            return Deed::Count;
    }
}

ProgramStart started(const PeSettings& settings) {
    ProgramStart start;
    start.domain = settings.domain;
    start.number = settings.starts;
    start.conditional = settings.conditional;
    start.tests = has_effect(settings.condition, ConditionLocation::ProcessorExecution);
    start.conditional_output = has_effect(settings.condition, ConditionLocation::Processors);
    return start;
}

void apply_program_info(uint32_t program_info, ProgramStart& start) {
    start.mode.full_flow_control = (program_info & kFullFlowControl) != 0;
    start.mode.uncached_outputs = (program_info & kUncachedOutputs) != 0;
    const uint32_t temporaries = program_info >> kTemporariesShift & 0xff;
    start.temporaries = static_cast<uint8_t>(
        temporaries == 0 ? isa::kTemporaries : std::min(temporaries, uint32_t{isa::kTemporaries}));
}

uint32_t counter_address(const UnitCommand& command) {
    return command.parameters[0] & kBaseMask;
}

UnitCommand unit_command(const ReadCommand& command) {
    return {static_cast<uint8_t>(command.info->opcode), command.parameters};
}

}  // namespace archipelago::ctm
