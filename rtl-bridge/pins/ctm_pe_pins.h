// SPDX-License-Identifier: Apache-2.0
// Pins of the sequencer of CTM's processor execution unit: dwords of a command buffer in, commands
// of units, starts and counters out, in order.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CtmPePins {
    static constexpr const char* kName = "ctm_pe";
    static constexpr Elastic kElastic{"", "", "", "",
                                      "commands act by the level of programs_run in their cycle"};
    static constexpr unsigned kMaxCycles = 63;
    static constexpr unsigned kMaxInFlight = 255;  // unit commands without their done

    // Why it has stopped.
    enum Stop : uint8_t { kNone, kUnknownHeader, kEndsWithin, kUndefined };
    // What it waits for.
    enum Wait : uint8_t { kNothing, kDwords, kPrograms, kUnits, kReceiver };

    struct Buffer {
        uint32_t dwords = 0;     // 30 bits, not 0
        uint8_t after_idle = 0;  // no program has been started since
    };
    struct Command {
        uint8_t opcode = 0;
        std::array<uint32_t, 4> p{};
    };
    struct Start {
        uint16_t i0 = 0, j0 = 0, i1 = 0, j1 = 0;  // 12 bits each
        uint32_t value = 0;
        uint8_t tests = 0;        // the PE asks the CO
        uint8_t conditional = 0;  // the threads do
    };
    struct In {
        uint8_t rst = 0;
        uint8_t allow = 0;   // undefined commands are carried out; static
        uint8_t cycles = 0;  // from a command's last dword to its effect; static
        uint8_t programs_run = 0;
        uint8_t mc_done = 0, co_done = 0;
        uint8_t buf_valid = 0;
        Buffer buf;
        uint8_t dw_valid = 0;
        uint32_t dw_data = 0;
        uint8_t mc_ready = 0, co_ready = 0, ctr_ready = 0, start_ready = 0;
    };
    struct Out {
        uint8_t buf_ready = 0;
        uint8_t dw_ready = 0;
        uint8_t mc_valid = 0, co_valid = 0, ctr_valid = 0, start_valid = 0;
        Command cmd;  // of all four
        Start start;
        uint8_t end_valid = 0;  // everything of the buffer has ended
        uint8_t stop_code = 0;  // Stop
        uint8_t wait_code = 0;  // Wait
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, allow, allow, 1, "undefined commands are carried out");
        ARCHIPELAGO_PIN(cfg, cycles, cycles, 6, "from a command's last dword to its effect");
        ARCHIPELAGO_PIN(programs, run, programs_run, 1,
                        "a thread of a program started before runs, or is still to be launched");
        ARCHIPELAGO_PIN(mcdone, valid, mc_done, 1,
                        "a command of the memory controller has its effect");
        ARCHIPELAGO_PIN(codone, valid, co_done, 1,
                        "a command of the conditional operations has its effect");
        ARCHIPELAGO_PIN(buf, valid, buf_valid, 1, "the next command buffer");
        ARCHIPELAGO_PIN(buf, dwords, buf.dwords, 30, "its length, not 0");
        ARCHIPELAGO_PIN(buf, after_idle, buf.after_idle, 1, "no program has been started since");
        ARCHIPELAGO_PIN(dw, valid, dw_valid, 1, "the buffer's next dword is there");
        ARCHIPELAGO_PIN(dw, data, dw_data, 32, "the dword");
        ARCHIPELAGO_PIN(mc, ready, mc_ready, 1, "the memory controller takes a command");
        ARCHIPELAGO_PIN(co, ready, co_ready, 1, "the conditional operations take a command");
        ARCHIPELAGO_PIN(ctr, ready, ctr_ready, 1, "the performance counters take a command");
        ARCHIPELAGO_PIN(start, ready, start_ready, 1, "the array takes a start");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(buf, ready, buf_ready, 1, "the buffer is taken up");
        ARCHIPELAGO_PIN(dw, ready, dw_ready, 1, "the dword is taken");
        ARCHIPELAGO_PIN(mc, valid, mc_valid, 1, "cmd_ is for the memory controller");
        ARCHIPELAGO_PIN(co, valid, co_valid, 1, "cmd_ is for the conditional operations");
        ARCHIPELAGO_PIN(ctr, valid, ctr_valid, 1, "cmd_ is for the performance counters");
        ARCHIPELAGO_PIN(start, valid, start_valid, 1,
                        "a program is started: cmd_ and what it takes");
        ARCHIPELAGO_PIN(cmd, opcode, cmd.opcode, 8, "of the command at hand");
        ARCHIPELAGO_PIN(cmd, p, cmd.p, 32, "its parameters");
        ARCHIPELAGO_PIN(start, i0, start.i0, 12, "first column of the domain");
        ARCHIPELAGO_PIN(start, j0, start.j0, 12, "first row");
        ARCHIPELAGO_PIN(start, i1, start.i1, 12, "last column");
        ARCHIPELAGO_PIN(start, j1, start.j1, 12, "last row");
        ARCHIPELAGO_PIN(start, value, start.value, 32, "conditional value");
        ARCHIPELAGO_PIN(start, tests, start.tests, 1,
                        "the PE asks the CO before it starts threads");
        ARCHIPELAGO_PIN(start, conditional, start.conditional, 1, "the threads do");
        ARCHIPELAGO_PIN(end, valid, end_valid, 1, "everything of the buffer has ended");
        ARCHIPELAGO_PIN(stop, code, stop_code, 2,
                        "CtmPePins::Stop: 1 unknown header, 2 the buffer ends within, 3 undefined; "
                        "until reset");
        ARCHIPELAGO_PIN(wait, code, wait_code, 3,
                        "CtmPePins::Wait: 1 dwords, 2 programs, 3 units, 4 a receiver");
    }
};

}  // namespace archipelago::rtl
