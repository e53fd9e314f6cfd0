// SPDX-License-Identifier: Apache-2.0
// What an instruction does to a thread: the one semantic core of both modes. It knows neither time
// nor memory: the caller brings constants and texels, and carries out what is left to be written.
// ATI CTM Guide 1.01, chapter 3.
//
// A thread runs: decode() at its pc, needs() of the instruction, then execute() with what was
// needed, or if is_lookup() texture_request() and texture_return(); until Thread::ended.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/ctm/isa/instruction.h"
#include "models/ctm/isa/thread.h"

namespace archipelago::ctm::isa {

// Registers of a chip that the program's PROGINFO sets; both as the device interface leaves them.
struct ProgramMode {
    bool full_flow_control = true;  // stacks and branch counters of full depth
    bool uncached_outputs = false;
};

// Constants an instruction reads, by index, in the order of its operands; none twice.
struct ConstantNeeds {
    std::array<uint8_t, 6> floats{};
    uint8_t float_count = 0;
    bool integer = false, boolean = false;
    uint8_t integer_index = 0, boolean_index = 0;  // 5 bits each
};
ConstantNeeds needs(const Instruction& instruction, const Thread& thread);

// What needs() asked for, in its order. Float constants keep their bits.
struct ConstantValues {
    std::array<std::array<float, kChannels>, 6> floats{};
    std::array<uint8_t, 3> integer{};  // KR iterations, KG start of aL, KB its signed step
    bool boolean = false;
};

// An element that an OUT instruction of a program with uncached outputs writes at once.
struct UncachedWrite {
    uint8_t lane = 0;
    Point index;         // (x, y) in output 0
    uint32_t value = 0;  // bits of the red channel
};

struct Effects {
    std::vector<UncachedWrite> uncached;  // in the order of lanes; cleared by the next execute()
    bool acquires_semaphore = false;      // ... before they may be written
};

// Starts a thread with the origins, quads and lanes covered that it has: r0.r = i, r0.g = j,
// everything else 0, its lanes active.
void start(Thread& thread, const Program& program);

// Put one around a run of the functions below: each installs the host's rounding to nearest with
// denormals flushed and puts the caller's mode back, unless one is alive. In between the caller
// does no floating-point work of its own.
class FloatMode {
  public:
    FloatMode();
    ~FloatMode();
    FloatMode(const FloatMode&) = delete;
    FloatMode& operator=(const FloatMode&) = delete;

  private:
    uint32_t saved_;  // the outermost one's
};

// "thread at (i, j), pc 12, TEX": where a MachineStop says it happened.
std::string place(const Instruction& instruction, const Thread& thread);

// Everything but a texture lookup; moves the program counter and ends the thread after the last
// instruction. Throws MachineStop (BadInput), with the place, for a reserved encoding, an overflow
// or underflow of a stack, a relative address outside its registers or constants, and a program
// that runs past its 512 instructions.
void execute(const Instruction& instruction, const ProgramMode& mode,
             const ConstantValues& constants, Thread& thread, Effects& effects);

// A lookup: the elements wanted of an input, where lanes do not want any, and which texels are
// written where. It has all that the thread decides when the lookup issues: the thread runs on
// until the texels are back.
struct TextureRequest {
    uint8_t input = 0;
    uint8_t destination = 0;  // with aL added
    LaneMask lanes = 0;
    std::array<Point, kMaxLanes> index{};       // of those
    std::array<LaneMask, kChannels> written{};  // lanes that write R, G, B, A
};
// Elements of an input, for coordinates that are scaled to it.
struct Extent {
    uint32_t width = 0, height = 0;
};
// Also moves the program counter, and does what an operation without a lookup does (TEXKILL).
// `request` may hold an old one.
void texture_request(const Instruction& instruction, Thread& thread, Extent extent,
                     TextureRequest& request);
// Writes texels to the destination; nothing else of the thread is read or changed.
void texture_return(const Instruction& instruction, const TextureRequest& request,
                    const Register& texels, Thread& thread);

// The lanes that write at the end of the program, before the conditional test.
LaneMask writing_lanes(const Thread& thread);

}  // namespace archipelago::ctm::isa
