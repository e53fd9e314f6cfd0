// SPDX-License-Identifier: Apache-2.0
// The chip without time: a register write takes effect at once, and packets run to their end within
// the write that starts them.
#pragma once

#include <functional>
#include <string>
#include <tlm>

#include "models/asic/functional_dma.h"
#include "models/asic/register_access.h"
#include "models/asic/socket_memory.h"
#include "models/srbm/srbm_core.h"

namespace archipelago::dma_chip {

class FunctionalMachine : public asic::RegisterAccess, public tlm::tlm_bw_transport_if<> {
  public:
    // Binds `memory`, the chip's socket.
    FunctionalMachine(srbm::SrbmCore& srbm, const std::vector<std::unique_ptr<dma::DmaCore>>& cores,
                      tlm::tlm_initiator_socket<>& memory);

    void on_interrupt(std::function<void(const Interrupt&)> raise) {
        dma_.on_interrupt = std::move(raise);
    }
    uint64_t packets() const { return dma_.packets(); }
    void archive(Archive& a) { dma_.archive(a); }
    std::string waiting_for() const { return dma_.waiting_for(); }
    void observe(const Observers& observers) { dma_.observe(observers); }

    // tlm_bw_transport_if: only direct memory access is taken back.
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
        memory_.forget(first, last);
    }

  private:
    uint32_t access(const RegRequest& request) override;
    uint32_t look(const RegRequest& request) override { return srbm_.read(request); }

    srbm::SrbmCore& srbm_;
    asic::SocketMemory memory_;
    asic::FunctionalDma dma_;
};

}  // namespace archipelago::dma_chip
