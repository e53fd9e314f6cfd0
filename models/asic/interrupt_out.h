// SPDX-License-Identifier: Apache-2.0
// The sides of an interrupt handler that are a chip's: its line to the host, and the memory with
// its ring in functional mode.
#pragma once

#include <functional>
#include <utility>

#include "models/asic/functional_machine.h"
#include "models/ih/ih_core.h"

namespace archipelago::asic {

// Interrupts leave the chip here.
class InterruptOut : public ih::InterruptLine {
  public:
    explicit InterruptOut(std::function<void(const Interrupt&)> out) : out_(std::move(out)) {}
    void raise(const Interrupt& interrupt) override { out_(interrupt); }

  private:
    const std::function<void(const Interrupt&)> out_;
};

// Where the interrupt ring lies.
class InterruptMemory : public ih::IhMemory {
  public:
    explicit InterruptMemory(SocketMemory& memory) : memory_(memory) {}
    bool write(uint64_t address, const void* from, unsigned bytes, uint8_t vmid) override {
        return memory_.write(address, from, bytes, vmid);
    }

  private:
    SocketMemory& memory_;
};

}  // namespace archipelago::asic
