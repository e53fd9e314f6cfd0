// SPDX-License-Identifier: Apache-2.0
// What a kernel driver does with a chip: all its rings by number, each through the driver of its
// kind.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/host/machine.h"
#include "testbenches/host/ring_driver.h"

namespace archipelago::host {

// Everything submitted to a ring up to a point in its stream, caches flushed.
struct Fence {
    unsigned ring = 0;
    uint32_t number = 0;  // of the ring's driver
    uint64_t resets = 0;  // of the machine before it was submitted
};

class GpuDriver {
  public:
    // Throws MachineStop (Unimplemented) for a ring of a kind that is not in the list.
    explicit GpuDriver(Machine& machine, const RingDriverKinds& kinds = ring_driver_kinds());

    // Numbers of rings are their places in asic::ChipDescription::rings().
    unsigned rings() const { return static_cast<unsigned>(rings_.size()); }

    // As those of RingDriver.
    void bring_up();
    bool is_up() const { return is_up_; }
    void set_up_interrupt_ring(uint64_t address, uint64_t bytes);
    void submit(unsigned ring, const std::vector<uint32_t>& dwords);
    void submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid);
    void set_program_info(unsigned ring, const ProgramInfo& info);
    std::unique_ptr<HostKernel> load_kernel(unsigned ring, const KernelSpec& spec,
                                            const HostKernel* same_code = nullptr);
    std::unique_ptr<KernelLaunch> wave_launch(unsigned ring, const WaveSpec& spec, uint64_t code);
    void launch(unsigned ring, const KernelLaunch& launch, uint32_t repeat = 1);

    // Submits a fence. It may be polled or waited for at any time, and another submitted before it
    // has passed.
    Fence fence(unsigned ring);
    bool passed(const Fence& fence);
    // True when a reset came before it was seen to have passed: it never will.
    bool lost(const Fence& fence) const { return fence.resets != resets_ && !known(fence); }
    // Throws MachineStop(Hang) for a fence that was lost.
    void wait(const Fence& fence);
    void fence_and_wait(unsigned ring) { wait(fence(ring)); }
    // True when something was submitted after the last fence.
    bool pending(unsigned ring) const { return rings_.at(ring).pending; }
    // Fences what is pending and waits for all fences in flight.
    void drain();
    // True when rings have work that no fence is known to have passed.
    bool busy();
    // Waits for work from outside; rings that hold work and do not move hang meanwhile.
    void wait_for_outside(const OutsideWork& work);
    // After a stop: resets the chip as a kernel driver does and brings the rings up again. What was
    // in them is lost. Throws MachineStop when the chip has no reset, or does not come to rest.
    void reset();
    // The rings are to be drained first.
    void archive(Archive& a);
    // Fences of the driver itself that have passed so far and raised this interrupt.
    uint64_t fences(const std::string& interrupt) const;

  private:
    struct Ring {
        RingDriver* driver = nullptr;
        unsigned index = 0;  // of the driver's
        bool pending = false;
        uint32_t last = 0;                 // fence submitted
        uint32_t passed = 0;               // the last fence known to have passed
        std::vector<uint32_t> at_reset{};  // the same, at each reset
    };
    Ring& used(unsigned ring);
    // Whether the fence is known to have passed.
    bool known(const Fence& fence) const {
        const Ring& r = rings_.at(fence.ring);
        return has_passed(fence.number,
                          fence.resets == resets_ ? r.passed : r.at_reset.at(fence.resets));
    }

    Machine& machine_;
    bool is_up_ = false;
    uint64_t resets_ = 0;
    std::vector<std::unique_ptr<RingDriver>> drivers_;
    std::vector<Ring> rings_;
};

}  // namespace archipelago::host
