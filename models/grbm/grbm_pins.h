// SPDX-License-Identifier: Apache-2.0
// The register bus manager pin by pin: GrbmCore with its channels driven from pins, cycle by cycle;
// and how the GrbmCore of a chip drives a block behind such pins. The Verilog twin is
// rtl-bridge/rtl/grbm.
#pragma once

#include <array>
#include <vector>

#include "models/grbm/grbm_core.h"
#include "pins/grbm_pins.h"

namespace archipelago::grbm {

// Settings of the pins for a spec.
void settings_to_pins(const Spec& spec, rtl::GrbmPins::In& in);

// The model at its pins, with the map, registers and settings of Southern Islands: the settings on
// the pins are to be those of settings_to_pins(pin_spec(), ...). After an error it does nothing
// until reset.
class GrbmPinCore : public rtl::PinBlock<rtl::GrbmPins> {
  public:
    static Spec pin_spec();
    GrbmPinCore();
    void step(const In& in, Out& out) override;

  private:
    void offer(Cycle now, const In& in);
    void collect(const In& in, Out& out);

    GrbmCore core_;
    Cycle now_ = 0;
    std::vector<Channel<RegRequest>> port_;
    std::vector<Channel<RegResponse>> answer_;
    std::array<std::array<Wire<bool>, 32>, 4> busy_;
    std::array<uint32_t, 4> busy_levels_{};
};

// Has a GrbmCore ask a block behind pins; see GrbmCore::use_pins().
class PinGrbm {
  public:
    // Resets the block, which must outlive this.
    explicit PinGrbm(rtl::PinBlock<rtl::GrbmPins>& block) : block_(block) { reset(); }
    void reset() { rtl::reset_block(block_); }
    void step(const rtl::GrbmPins::In& in, rtl::GrbmPins::Out& out) { block_.step(in, out); }

  private:
    rtl::PinBlock<rtl::GrbmPins>& block_;
};

}  // namespace archipelago::grbm
