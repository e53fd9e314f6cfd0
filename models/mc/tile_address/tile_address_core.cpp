// SPDX-License-Identifier: Apache-2.0
#include "models/mc/tile_address/tile_address_core.h"

#include <string>

namespace archipelago::tile_address {

using Pins = rtl::SiTileAddressPins;

surface::LevelLayout layout_of(const Pins::Surface& s, const surface::TilingRegisters& registers) {
    constexpr unsigned kTwelveBytes = 5;
    surface::LevelLayout layout;
    layout.mode = registers.modes[s.tile];
    layout.bits = s.size < kTwelveBytes ? 8u << s.size : s.size == kTwelveBytes ? 96 : 0;
    layout.samples = s.samples <= 4 ? 1u << s.samples : 0;
    layout.pitch = s.pitch;
    layout.height = s.height;
    layout.slices = s.slices;
    layout.base = s.base;
    layout.pipe_swizzle = s.pipe_swizzle;
    layout.bank_swizzle = s.bank_swizzle;
    return layout;
}

TileAddressCore::TileAddressCore(const TileAddressSpec& spec) : spec_(spec) {
    spec_.validate();
}

void TileAddressCore::set(const Pins::Surface& surface) {
    std::string error;
    TileAddressState::Surface& to = state_.surfaces[surface.number];
    to.good =
        to.level.set_up(layout_of(surface, state_.registers), state_.registers.address, error);
}

TileAddressState::InFlight TileAddressCore::answer(const Pins::Request& r) const {
    constexpr uint64_t kMask = (uint64_t{1} << Pins::kAddressBits) - 1;
    const TileAddressState::Surface& s = state_.surfaces[r.surface];
    return {state_.now + spec_.latency,
            s.good ? surface::byte_address(s.level, r.x, r.y, r.slice, r.sample) & kMask : 0,
            !s.good, r.tag};
}

void TileAddressCore::step(const In& in, Out& out) {
    out = {};
    auto& pipeline = state_.pipeline;
    if (!pipeline.empty() && pipeline.front().ready <= state_.now) {
        out.out_valid = 1;
        out.out_address = pipeline.front().address;
        out.out_refused = pipeline.front().refused ? 1 : 0;
        out.out_tag = pipeline.front().tag;
    }
    const bool leaves = out.out_valid != 0 && in.out_ready != 0;
    out.in_ready = leaves || pipeline.size() < spec_.latency ? 1 : 0;
    if (leaves)
        pipeline.pop_front();
    if (in.in_valid != 0 && out.in_ready != 0)
        pipeline.push_back(answer(in.in));
    if (in.set_valid != 0)
        set(in.set);
    if (in.reg_valid != 0)
        state_.registers.write({in.reg.index, in.reg.value});
    ++state_.now;
    if (in.rst != 0)
        state_ = {};
}

}  // namespace archipelago::tile_address
