// SPDX-License-Identifier: Apache-2.0
// Parameters of an array of the DPP: processors that share an instruction issue, a texture port and
// an output port.
#pragma once

#include <stdexcept>
#include <string>

#include "models/common/channel.h"
#include "models/ctm/isa/thread.h"

namespace archipelago::ctm::dpp {

constexpr unsigned kMaxThreads = 256;
constexpr unsigned kMaxInstructionBuffer = 8;
constexpr unsigned kMaxLookups = 256;  // of an array, in flight

// Cycles are of the engine clock.
struct Spec {
    static constexpr unsigned kMinRegisters = isa::kTemporaries;  // a program may use them all
    static constexpr unsigned kMaxRegisters = kMaxThreads * isa::kTemporaries;
    // Of the delays that say when a thread's next instruction issues, or a unit is free.
    static constexpr unsigned kMaxCycles = 4096;

    unsigned processors = 12;
    unsigned quads = 12;                  // of a thread
    unsigned threads = 128;               // resident at most
    unsigned registers = 2048;            // temporaries of whole threads
    unsigned instruction_buffer = 2;      // instructions held of each thread
    unsigned launch_cycles = 4;           // a thread comes, until its first instruction may issue
    unsigned alu_latency = 8;             // ALU, OUT: until the thread's next may issue
    unsigned nop_cycles = 4;              // more, of the thread and of the ALU, with NOP
    unsigned flow_cycles = 4;             // FC: the unit is occupied
    unsigned flow_latency = 8;            // ... and until the thread's next may issue
    unsigned lookup_cycles = 4;           // TEX: until the thread's next may issue
    unsigned lookup_queue = 4;            // lookups whose quads have not all been sent
    unsigned lookups = 64;                // ... whose texels are not all back
    unsigned lookup_address_latency = 4;  // TEX: until its first quad leaves
    unsigned lookup_return_latency = 4;   // the last texel is back, until registers have all
    unsigned output_threads = 16;         // that have output to be written
    unsigned per_processor_cycles = 4;    // a quad of an uncached output with PER_PROCESSOR_IDX
    ChannelSpec commands{2, 1};
    ChannelSpec launch_in{2, 1};
    ChannelSpec words_in{4, 1};  // each of instructions and the kinds of constants
    ChannelSpec texture_in{4, 1}, output_in{4, 1}, condition_in{4, 1};

    unsigned lanes() const { return 4 * quads; }
    // The ALU is occupied by an instruction of a thread.
    unsigned alu_cycles() const { return lanes() / processors; }

    // Throws std::invalid_argument.
    void validate() const;
};

}  // namespace archipelago::ctm::dpp
