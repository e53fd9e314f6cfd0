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

class GpuDriver {
  public:
    // Throws MachineStop (Unimplemented) for a ring of a kind that is not in the list.
    explicit GpuDriver(Machine& machine, const RingDriverKinds& kinds = ring_driver_kinds());

    // Numbers of rings are their places in asic::ChipDescription::rings().
    unsigned rings() const { return static_cast<unsigned>(rings_.size()); }

    // As those of RingDriver.
    void bring_up();
    void set_up_interrupt_ring(uint64_t address, uint64_t bytes);
    void submit(unsigned ring, const std::vector<uint32_t>& dwords);
    void submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid);
    void set_program_info(unsigned ring, const ProgramInfo& info);
    void launch(unsigned ring, const KernelLaunch& launch, uint32_t repeat = 1);

    void fence_and_wait(unsigned ring);
    // True when something was submitted after the last fence.
    bool pending(unsigned ring) const { return rings_.at(ring).pending; }
    // The rings are to be drained first.
    void archive(Archive& a);
    // Fences of the driver itself that have passed so far and raised this interrupt.
    uint64_t fences(const std::string& interrupt) const;

  private:
    struct Ring {
        RingDriver* driver = nullptr;
        unsigned index = 0;  // of the driver's
        bool pending = false;
    };
    Ring& used(unsigned ring);

    std::vector<std::unique_ptr<RingDriver>> drivers_;
    std::vector<Ring> rings_;
};

}  // namespace archipelago::host
