// SPDX-License-Identifier: Apache-2.0
// A kernel driver's part for the rings of one kind: bring-up, submission, fences. Another kind is a
// file in rings/ and a row in rings/kinds.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/host/ctm/program_info.h"
#include "testbenches/host/kernel_launch.h"
#include "testbenches/host/workload.h"

namespace archipelago {
class Archive;
}

namespace archipelago::host {

class Machine;

// `ring` is the place of a ring among those of the kind.
class RingDriver {
  public:
    virtual ~RingDriver() = default;

    // Sets up the rings and sends the first packets; returns when the chip has taken them.
    virtual void bring_up() = 0;
    // Puts dwords into a ring, in pieces when they are more than it holds, and rings the doorbell.
    virtual void submit(unsigned ring, const std::vector<uint32_t>& dwords) = 0;
    virtual void submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid) = 0;
    // A fence after everything submitted, with the caches flushed. Returns its number, which rises
    // within a ring; several may be in flight.
    virtual uint32_t fence(unsigned ring) = 0;
    // Whether the fence of this number has passed; those before it have, by then.
    virtual bool passed(unsigned ring, uint32_t number) = 0;
    // Returns when it has.
    virtual void wait(unsigned ring, uint32_t number) = 0;

    // Fences that have passed so far and raised this interrupt.
    virtual uint64_t fences(const std::string& interrupt) const = 0;

    // Visits what the driver knows of its rings, for a checkpoint. No ring may have work left.
    virtual void archive(Archive& a) = 0;

    // ---- kernels; a kind without them stops the machine ---------------------------------------
    // Reads or compiles a kernel of a workload, into the form of the chip's family. `same_code`:
    // one that the driver has loaded from the same file, whose code serves for this one, too; null:
    // there is none.
    virtual std::unique_ptr<HostKernel> load_kernel(const KernelSpec& spec,
                                                    const HostKernel* same_code);
    // A single wave of code in memory.
    virtual std::unique_ptr<KernelLaunch> wave_launch(const WaveSpec& spec, uint64_t code);
    // Runs a kernel, launched in the form of the family, `repeat` times, each after the one before
    // has ended unless its `sync` is None. Does not wait for the last.
    virtual void launch(unsigned ring, const KernelLaunch& launch, uint32_t repeat);

    // Sets the registers that go with a program, for what is submitted from now on. A kind without
    // such registers stops the machine.
    virtual void set_program_info(unsigned ring, const ProgramInfo& info);
    // Interrupts go into a ring of 2^n bytes from now on, and are reported as before. A kind whose
    // driver sets none up stops the machine.
    virtual void set_up_interrupt_ring(uint64_t address, uint64_t bytes);
    // Resets the engines of the rings as a kernel driver does after a hang. What the rings held is
    // lost, and bring_up() has to follow. A kind whose hardware documents no reset stops the
    // machine.
    virtual void reset();
};

// Whether the fence `number` is not after `last`, the last of its ring that has passed.
inline bool has_passed(uint32_t number, uint32_t last) {
    return static_cast<int32_t>(last - number) >= 0;
}

struct RingDriverKind {
    std::string kind;  // of asic::Ring
    // Makes the driver of `rings` rings of a chip.
    std::unique_ptr<RingDriver> (*make)(Machine& machine, unsigned rings);
};
using RingDriverKinds = std::vector<RingDriverKind>;

// Every kind of this version: rings/kinds.cpp.
const RingDriverKinds& ring_driver_kinds();

}  // namespace archipelago::host
