// SPDX-License-Identifier: Apache-2.0
// What commands leave in the PE, and the one place that says what each does there. ATI CTM Guide
// 1.01, sections 2.1.2 and 2.2.1; both modes carry commands out with it.
#pragma once

#include <array>
#include <cstdint>

#include "models/ctm/co/condition.h"
#include "models/ctm/command/command.h"
#include "models/ctm/pe/domain_walk.h"

namespace archipelago::ctm {

// Clocks since reset: all, and those in which a processor was active.
struct PerfClocks {
    uint64_t total = 0, active = 0;
};

struct PerfCounters {
    bool enabled = false, running = false;
    PerfClocks base;     // when they were started
    PerfClocks counted;  // while they are stopped

    // A command of the counters. True: it writes values() to counter_address().
    bool carry_out(const UnitCommand& command, const PerfClocks& now);
    // In the order in which memory gets them.
    std::array<uint32_t, 2> values(const PerfClocks& now) const;
};

struct PeSettings {
    Domain domain;
    uint32_t conditional = 0;       // set_cond_val
    ConditionSettings condition;    // the CO's, for what a start takes of them
    uint32_t starts = 0;            // start_program commands so far
    bool programs_started = false;  // since the last wait_for_idle
};

// What is left to do for a command when the PE has taken it.
enum class Deed : uint8_t {
    Nothing,
    Forward,  // to the units of its row
    Start,    // started()
    Count,    // PerfCounters::carry_out()
};

// Throws MachineStop(BadInput) for a command that the guide calls undefined: one that is not
// pipelined between start_program and wait_for_idle. `allow`: it is executed after the
// programs.
void check_defined(const ReadCommand& command, const PeSettings& settings, bool allow);
bool is_defined(const CommandInfo& info, const PeSettings& settings, bool allow);
// Whether it has to wait for the end of the programs started before.
bool waits_for_programs(const ReadCommand& command, const PeSettings& settings);
// Carries it out as far as the PE's settings go.
Deed carry_out(const ReadCommand& command, PeSettings& settings);

ProgramStart started(const PeSettings& settings);
// What the register PROGINFO says of the programs of a buffer.
void apply_program_info(uint32_t program_info, ProgramStart& start);
uint32_t counter_address(const UnitCommand& command);
UnitCommand unit_command(const ReadCommand& command);

}  // namespace archipelago::ctm
