// SPDX-License-Identifier: Apache-2.0
// The address calculation of Southern Islands' surfaces as a block: coordinates to byte addresses,
// a request a cycle, in order. The arithmetic is that of models/mc/surface. Its Verilog twin is
// rtl-bridge/rtl/si_tile_address.
#pragma once

#include "models/mc/tile_address/tile_address_spec.h"
#include "models/mc/tile_address/tile_address_state.h"

namespace archipelago::tile_address {

class TileAddressCore : public rtl::PinBlock<rtl::SiTileAddressPins> {
  public:
    TileAddressCore() : TileAddressCore(TileAddressSpec{rtl::SiTileAddressPins::kLatency}) {}
    // Throws std::invalid_argument for a Spec that is out of range.
    explicit TileAddressCore(const TileAddressSpec& spec);

    // A request sees the surfaces set in earlier cycles, a surface the registers written in earlier
    // cycles.
    void step(const In& in, Out& out) override;
    const TileAddressState& state() const { return state_; }

  private:
    TileAddressState::InFlight answer(const Pins::Request& request) const;
    void set(const Pins::Surface& surface);

    const TileAddressSpec spec_;
    TileAddressState state_;
};

// The layout that the pins of a surface name; element size and samples of 0 where their code is
// none.
surface::LevelLayout layout_of(const rtl::SiTileAddressPins::Surface& surface,
                               const surface::TilingRegisters& registers);

}  // namespace archipelago::tile_address
