// SPDX-License-Identifier: Apache-2.0
// The register bus manager on pins: GrbmOnPins takes the place of a chip's GrbmCore and drives a
// block on pins; GrbmPinCore is GrbmCore at such pins, cycle by cycle. The Verilog twin is
// rtl-bridge/rtl/grbm.
#pragma once

#include <array>
#include <vector>

#include "models/grbm/grbm_core.h"
#include "pins/grbm_pins.h"

namespace archipelago::grbm {

// Settings of the pins for a spec.
void settings_to_pins(const Spec& spec, rtl::GrbmPins::In& in);

// Decides nothing: the block has the registers. Counters and logs follow from what passes its pins.
class GrbmOnPins final : public GrbmUnit {
  public:
    // Resets the block, which must outlive this. Throws std::invalid_argument when the block, which
    // has the map of `of_block`, is not made for this spec.
    GrbmOnPins(rtl::PinBlock<rtl::GrbmPins>& block, const Spec& spec, const Spec& of_block);
    // Throws std::invalid_argument naming a port of the map that is not connected.
    void require_ports() const;

    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;

  private:
    using Pins = rtl::GrbmPins;
    bool drive(Cycle now);
    bool sample(Cycle now);
    void follow(Cycle now, const RegRequest& taken, bool is_unknown);

    rtl::PinBlock<Pins>& block_;
    Pins::In in_;
    Pins::Out out_;
};

// The model at its pins, of a spec: the settings on the pins are to be those of
// settings_to_pins(spec, ...). After an error it does nothing until reset.
class GrbmPinCore : public rtl::PinBlock<rtl::GrbmPins> {
  public:
    explicit GrbmPinCore(const Spec& spec);
    void step(const In& in, Out& out) override;

  private:
    void apply(Cycle now, const In& in, const Out& out);
    void present(const In& in, Out& out);

    GrbmCore core_;
    Cycle now_ = 0;
    std::vector<Channel<RegRequest>> port_;
    std::vector<Channel<RegResponse>> answer_;
    std::array<std::array<Wire<bool>, 32>, 4> busy_;
    std::array<uint32_t, 4> busy_levels_{};
};

}  // namespace archipelago::grbm
