// SPDX-License-Identifier: Apache-2.0
// The front end in functional mode: its registers, and FunctionalMachine in the place of everything
// after them.
#pragma once

#include "models/asic/gcn/build.h"
#include "models/asic/gcn/front_end.h"
#include "models/asic/gcn/functional.h"

namespace archipelago::gcn {

class FunctionalChip {
  public:
    FunctionalChip(const Build& build, FrontEnd& front, tlm::tlm_initiator_socket<>& socket);

    FunctionalMachine machine;

  private:
    // Where the interrupt ring lies.
    class InterruptMemory : public ih::IhMemory {
      public:
        explicit InterruptMemory(asic::SocketMemory& memory) : memory_(memory) {}
        bool write(uint64_t address, const void* from, unsigned bytes, uint8_t vmid) override {
            return memory_.write(address, from, bytes, vmid);
        }

      private:
        asic::SocketMemory& memory_;
    };
    void connect_interrupts(FrontEnd& front);
    void connect_counters(FrontEnd& front);

    InterruptMemory interrupt_memory_;
};

}  // namespace archipelago::gcn
