// SPDX-License-Identifier: Apache-2.0
// The CTM memory controller's address translation pin by pin: the core between channels that a
// cycle's pins fill and empty. Its Verilog twin is rtl-bridge/rtl/ctm_mc_address.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/ctm/mc/mc_address_core.h"
#include "pins/ctm_mc_address_pins.h"

namespace archipelago::ctm {

class McAddressPins : public rtl::PinBlock<rtl::CtmMcAddressPins> {
  public:
    McAddressPins() : McAddressPins(rtl::CtmMcAddressPins::kLatency) {}
    explicit McAddressPins(unsigned latency);
    void step(const In& in, Out& out) override;
    const McAddressCore& core() const { return core_; }

  private:
    McAddressCore core_;
    Channel<AddressResponse> responses_;
    Cycle now_ = 1;
};

// Has a block on pins compute addresses of points of one surface, read by program input 0.
class PinAddressUnit {
  public:
    // Resets the block, which must outlive this, and sets the surface.
    PinAddressUnit(rtl::PinBlock<rtl::CtmMcAddressPins>& block, const Surface& surface);
    // Four addresses for each point when the surface is superfine, one otherwise. Throws
    // MachineStop when the block answers what it must not.
    void map(const Point* points, size_t count, uint32_t* addresses);

  private:
    rtl::PinBlock<rtl::CtmMcAddressPins>& block_;
    rtl::CtmMcAddressPins::In in_;
    bool superfine_;
};

}  // namespace archipelago::ctm
