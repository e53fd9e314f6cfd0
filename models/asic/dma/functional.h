// SPDX-License-Identifier: Apache-2.0
// The chip in functional mode: a register write takes effect at once, and packets run to their end
// within the write that starts them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tlm>
#include <vector>

#include "models/asic/functional_dma.h"
#include "models/asic/functional_machine.h"
#include "models/asic/interrupt_out.h"
#include "models/srbm/srbm_core.h"

namespace archipelago::dma_chip {

class FunctionalMachine : public asic::FunctionalMachine {
  public:
    FunctionalMachine(srbm::SrbmCore& srbm, const std::vector<std::unique_ptr<dma::DmaCore>>& cores,
                      ih::IhCore& ih, tlm::tlm_initiator_socket<>& socket,
                      const AddressSpaces* spaces);

    uint64_t progress() const override { return dma_.packets(); }
    void archive(Archive& a) override {
        a.at_rest(soft_reset_ == 0, "a bit of its soft reset is set");
        dma_.archive(a);
    }
    void report(asic::HangReport& report) const override { dma_.report(report); }
    bool reset() override {
        reset_blocks(~uint32_t{0});
        return true;
    }
    void observe(const Observers& observers) { dma_.observe(observers); }

  private:
    std::optional<uint32_t> access(const RegRequest& request) override;
    void hold_in_reset();
    void reset_blocks(uint32_t bits);  // of SRBM_SOFT_RESET
    std::optional<uint32_t> inspect(const RegRequest& request) override {
        return srbm_.inspect(request);
    }

    srbm::SrbmCore& srbm_;
    const std::vector<std::unique_ptr<dma::DmaCore>>& cores_;
    ih::IhCore& ih_;
    asic::InterruptMemory interrupt_memory_;
    asic::FunctionalDma dma_;
    uint32_t soft_reset_ = 0;  // SRBM_SOFT_RESET at the last hold_in_reset()
};

}  // namespace archipelago::dma_chip
