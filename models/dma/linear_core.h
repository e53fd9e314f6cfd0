// SPDX-License-Identifier: Apache-2.0
// The linear datapath of an async DMA engine: cuts spans of a source and of targets at lines of
// memory, reads lines ahead, aligns and swaps bytes, and puts lines with byte masks together that
// it writes. What is tiled reaches it as short spans.
//
// Behaviour at the pins, one step() a cycle; transfer_core.h has the channels. Its Verilog twin is
// rtl-bridge/rtl/dma_linear.
#pragma once

#include "models/dma/dma_spec.h"
#include "models/dma/linear_state.h"
#include "pins/dma_linear_pins.h"

namespace archipelago::dma {

class LinearCore : public rtl::PinBlock<rtl::DmaLinearPins> {
  public:
    void step(const In& in, Out& out) override;
    const LinearState& state() const { return state_; }
    template <class Archive>
    void archive(Archive& a) {
        a(state_);
    }

  private:
    struct Now;  // a cycle
    void reset(const Pins::Config& config);
    void begin(const Pins::Transfer& transfer);
    bool fill_buffer(const Now& now);
    bool gather(const Now& now);
    bool read(Now& now);
    bool read_piece(Now& now);
    int find_slot(uint64_t line) const;
    bool write(Now& now);
    bool put(Now& now, unsigned target);
    bool flush(Now& now);
    bool may_write(const Now& now) const;
    void send(Now& now, bool write);
    void send_line(Now& now, size_t index);

    LinearState state_;
};

// The pins' static configuration.
rtl::DmaLinearPins::Config config_pins(const Spec& spec);
// Throws std::invalid_argument for what the Verilog twin does not take.
void check_twin(const Spec& spec);
// What of a transfer the pins say when it begins.
rtl::DmaLinearPins::Transfer transfer_pins(const Transfer& transfer);

}  // namespace archipelago::dma
