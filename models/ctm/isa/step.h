// SPDX-License-Identifier: Apache-2.0
// What the files of the semantics share; private to models/ctm/isa.
#pragma once

#include <string>

#include "models/ctm/isa/lanes.h"
#include "models/ctm/isa/semantics.h"

namespace archipelago::ctm::isa {

// Throws MachineStop (BadInput) with the place.
[[noreturn]] void refuse(const Instruction& instruction, const Thread& thread,
                         const std::string& why);

inline LaneMask all_lanes(const Thread& thread) {
    return (LaneMask{1} << thread.lanes()) - 1;
}
// Lanes of the thread, in whole blocks of the kernels.
inline unsigned padded_lanes(const Thread& thread) {
    return (thread.lanes() + kBlock - 1) / kBlock * kBlock;
}

// Lanes that write a channel: active unless inactive ones write too, and of its predicate.
LaneMask enabled_lanes(const Instruction& instruction, const Thread& thread, unsigned channel);
// Lanes whose predicate a half selects for a channel.
LaneMask predicate_lanes(const AluHalf& half, const Thread& thread, unsigned channel);

// aL added; stops when that is not below `count`.
unsigned relative_index(const Instruction& instruction, const Thread& thread, unsigned index,
                        unsigned count, const char* what);
inline unsigned temporary_index(const Instruction& instruction, const Thread& thread,
                                unsigned index, bool relative) {
    return relative ? relative_index(instruction, thread, index, kTemporaries, "register") : index;
}
inline unsigned constant_index(const Instruction& instruction, const Thread& thread, unsigned index,
                               bool relative) {
    return relative ? relative_index(instruction, thread, index, kFloatConstants, "float constant")
                    : index;
}
// A thread has the registers that its instructions have named so far.
inline void make_temporaries(const Instruction& instruction, Thread& thread) {
    if (thread.temporaries.size() < instruction.temporaries) {
        thread.temporaries.resize(instruction.temporaries);
    }
}

// 12 bits: towards zero, what is outside to the nearest end, NaN to 0.
uint16_t to_index(float value);

void execute_math(const Instruction& instruction, const ProgramMode& mode,
                  const ConstantValues& constants, Thread& thread, Effects& effects);
// Of an OUT of a program with uncached outputs, for the lanes that write; `result` is R, G, B.
void write_uncached(const Instruction& instruction, const Thread& thread, LaneMask enabled,
                    const float* const* result, Effects& effects);
// Moves the program counter, too.
void execute_flow(const Instruction& instruction, const ProgramMode& mode,
                  const ConstantValues& constants, Thread& thread);
void kill(const Instruction& instruction, Thread& thread);
// To the next instruction; stops where the program ends without an end.
void advance(const Instruction& instruction, Thread& thread);

}  // namespace archipelago::ctm::isa
