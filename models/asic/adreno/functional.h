// SPDX-License-Identifier: Apache-2.0
// The chip without time: its engines run within the register access that gives them something to
// do.
#pragma once

#include <functional>
#include <string>
#include <tlm>

#include "models/afuc/cp/cp_functional.h"
#include "models/asic/register_access.h"
#include "models/asic/socket_memory.h"

namespace archipelago::adreno {

class FunctionalMachine : public asic::RegisterAccess,
                          public tlm::tlm_bw_transport_if<>,
                          private afuc::CpBackend {
  public:
    // Binds `memory`, the chip's socket.
    FunctionalMachine(const afuc::CpSpec& cp, afuc::GpuRegisters& registers,
                      uint64_t instruction_limit, tlm::tlm_initiator_socket<>& memory)
        : RegisterAccess(memory_), memory_(memory), cp_(cp, registers, *this, instruction_limit) {
        memory.bind(*this);
    }

    std::function<void(uint32_t bit)> on_interrupt;

    afuc::CpFunctional& cp() { return cp_; }

    // tlm_bw_transport_if: only direct memory access is taken back.
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
        memory_.forget(first, last);
    }

  private:
    uint32_t access(const RegRequest& request) override {
        if (request.write && has(request))
            cp_.write(request.offset / 4, request.value);
        cp_.run();
        return request.write ? 0 : look(request);
    }
    uint32_t look(const RegRequest& request) override {
        return has(request) ? cp_.read(request.offset / 4) : 0;
    }
    static bool has(const RegRequest& request) { return request.offset / 4 < afuc::kGpuRegisters; }
    // afuc::CpBackend
    uint8_t* page(uint64_t address) override { return memory_.page(address); }
    void interrupt(uint32_t bit) override { on_interrupt(bit); }

    asic::SocketMemory memory_;
    afuc::CpFunctional cp_;
};

}  // namespace archipelago::adreno
