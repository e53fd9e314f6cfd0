// SPDX-License-Identifier: Apache-2.0
// The chip in functional mode: a register write takes effect at once, and packets run to their end
// within the write that starts them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tlm>

#include "models/asic/functional_dma.h"
#include "models/asic/functional_machine.h"
#include "models/srbm/srbm_core.h"

namespace archipelago::dma_chip {

class FunctionalMachine : public asic::FunctionalMachine {
  public:
    FunctionalMachine(srbm::SrbmCore& srbm, const std::vector<std::unique_ptr<dma::DmaCore>>& cores,
                      tlm::tlm_initiator_socket<>& socket);

    void on_interrupt(std::function<void(const Interrupt&)> raise) {
        dma_.on_interrupt = std::move(raise);
    }
    uint64_t progress() const override { return dma_.packets(); }
    void archive(Archive& a) override { dma_.archive(a); }
    void report(asic::HangReport& report) const override { dma_.report(report); }
    void observe(const Observers& observers) { dma_.observe(observers); }

  private:
    std::optional<uint32_t> access(const RegRequest& request) override;
    std::optional<uint32_t> inspect(const RegRequest& request) override {
        return srbm_.inspect(request);
    }

    srbm::SrbmCore& srbm_;
    asic::FunctionalDma dma_;
};

}  // namespace archipelago::dma_chip
