// SPDX-License-Identifier: Apache-2.0
// The front end without time: its registers, and FunctionalMachine in the place of everything
// behind them.
#pragma once

#include "models/asic/gcn/build.h"
#include "models/asic/gcn/front_end.h"
#include "models/asic/gcn/functional.h"

namespace archipelago::gcn {

class FunctionalChip : public tlm::tlm_bw_transport_if<> {
  public:
    // Binds `memory`, the chip's socket.
    FunctionalChip(const Build& build, FrontEnd& front, tlm::tlm_initiator_socket<>& memory,
                   tlm_shell::RunControl& control);

    FunctionalMachine machine;

    // tlm_bw_transport_if: only direct memory access is taken back.
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
        machine.forget_memory(first, last);
    }

  private:
    // Where the interrupt ring lies.
    class InterruptMemory : public ih::IhMemory {
      public:
        explicit InterruptMemory(asic::SocketMemory& memory) : memory_(memory) {}
        bool write(uint64_t address, const void* from, unsigned bytes, uint8_t) override {
            return memory_.write(address, from, bytes);
        }

      private:
        asic::SocketMemory& memory_;
    };
    void connect_interrupts(FrontEnd& front);
    void connect_counters(FrontEnd& front);

    InterruptMemory interrupt_memory_;
};

}  // namespace archipelago::gcn
