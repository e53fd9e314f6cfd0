// SPDX-License-Identifier: Apache-2.0
// What a kernel driver does with a Southern Islands chip: bring-up of the rings, submission,
// fences. Facts: cp_bringup (Linux radeon si.c).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "testbenches/host/code_object/dispatch.h"
#include "testbenches/host/machine.h"

namespace archipelago::host {

class GpuDriver {
  public:
    static constexpr unsigned kRings = 3;  // gfx, compute0, compute1
    static constexpr uint32_t kRingDwords = 1u << 18;

    explicit GpuDriver(Machine& machine) : machine_(machine) {}

    // Sets up the rings and sends the first packets; returns when the chip has taken them.
    void bring_up();

    // Interrupts go into a ring of 2^n bytes from now on, and are told as before.
    void set_up_interrupt_ring(uint64_t address, uint64_t bytes);

    // Puts dwords into a ring, in pieces when they are more than it holds, and rings the doorbell.
    void submit(unsigned ring, const std::vector<uint32_t>& dwords);
    void submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid);

    // A fence behind everything submitted to the ring, with the caches flushed; waits for it.
    void fence_and_wait(unsigned ring);
    // True when something was submitted after the last fence.
    bool pending(unsigned ring) const { return rings_[ring].pending; }

    // Fences of the driver itself so far: each raised one end-of-pipe interrupt.
    uint64_t fences() const { return fences_; }

    // One dispatch, as compute drivers write it. User SGPRs and addresses are in place already.
    struct Launch {
        uint64_t code = 0;  // address of the first instruction
        uint32_t rsrc1 = 0, rsrc2 = 0;
        std::vector<uint32_t> user_sgprs;
        std::array<uint32_t, 3> groups{1, 1, 1};
        std::array<uint32_t, 3> local_size{1, 1, 1};
        std::array<uint32_t, 3> partial_size{};  // 0: the last group is full
        uint32_t scratch_waves = 0;
        uint32_t scratch_bytes_per_wave = 0;
    };
    static std::vector<uint32_t> launch_packets(const Launch& launch);

  private:
    struct Ring {
        uint64_t base = 0;
        uint64_t fence = 0;  // address of the fence value
        uint32_t wptr = 0;   // dwords
        uint32_t fence_value = 0;
        bool pending = false;
    };
    void put(Ring& ring, const uint32_t* dwords, uint32_t count);
    uint32_t room(unsigned ring);

    Machine& machine_;
    std::array<Ring, kRings> rings_;
    uint64_t fences_ = 0;
};

// Header of a type-3 packet with `body` dwords; SI document 2.1.4.
constexpr uint32_t type3(uint32_t opcode, uint32_t body, bool compute = false) {
    return 0xC0000000u | (body - 1) << 16 | opcode << 8 | (compute ? 2u : 0u);
}

}  // namespace archipelago::host
