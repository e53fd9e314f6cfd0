// SPDX-License-Identifier: Apache-2.0
// The index DMA unit of VGT: reads the indices of draws from memory, lines ahead, and hands them on
// in order. "Radeon Southern Islands Acceleration" 1.1 (indices do not use the shared cache),
// 2.5.1, 2.5.11.
//
// Behaviour at the pins, one step() a cycle; index_dma_unit.h has the channels. Its Verilog twin is
// rtl-bridge/rtl/vgt_index_dma.
#pragma once

#include "models/vgt/index_dma_state.h"
#include "pins/vgt_index_dma_pins.h"

namespace archipelago::vgt {

class IndexDmaCore : public rtl::PinBlock<rtl::VgtIndexDmaPins> {
  public:
    void step(const In& in, Out& out) override;
    const IndexDmaState& state() const { return state_; }
    template <class Archive>
    void archive(Archive& a) {
        a(state_);
    }

  private:
    FetchReason blocked(const In& in) const;
    GiveReason held(const In& in) const;
    void take(const In& in);
    void request_lines(const In& in, Out& out);
    void hand_on(const In& in, Out& out);

    IndexDmaState state_;
};

// The pins' static configuration.
rtl::VgtIndexDmaPins::Config config_pins(const IndexDmaSpec& spec);

}  // namespace archipelago::vgt
