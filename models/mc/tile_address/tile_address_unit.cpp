// SPDX-License-Identifier: Apache-2.0
#include "models/mc/tile_address/tile_address_unit.h"

#include <algorithm>
#include <tuple>

#include "models/common/error.h"
#include "models/common/pins/pin_block.h"
#include "models/common/pins/twin_limits.h"

namespace archipelago::tile_address {
namespace {

using Pins = rtl::SiTileAddressPins;

constexpr unsigned kTimeout = 10'000;  // cycles without an address

[[noreturn]] void stop(StopKind kind, const char* what) {
    throw MachineStop(kind, Pins::kName, what);
}

uint8_t log2_of(uint32_t value) {
    return static_cast<uint8_t>(__builtin_ctz(value));
}

}  // namespace

PinAddressUnit::PinAddressUnit(rtl::PinBlock<Pins>& block) : block_(block) {
    reset_block(block_);
    in_.out_ready = 1;
}

void PinAddressUnit::check(surface::Generation generation, const char* key,
                           const char* value) const {
    if (generation != surface::Generation::Si)
        rtl::refuse<Pins>(key, value, "si");
}

PinAddressUnit::Setting PinAddressUnit::setting_of(const surface::SurfaceLevel& level) {
    const surface::LevelLayout& l = level.layout;
    surface::AddressConfig config;
    if (surface::is_macro(l.mode.array))
        config.pipe_interleave = 1u << level.interleave_shift;
    Setting s;
    s.config = surface::encode_address_config(config);
    s.mode = surface::encode_si_tile_mode(l.mode);
    s.surface.size = l.bits == 96 ? 5 : log2_of(l.bits / 8);
    s.surface.samples = log2_of(l.samples);
    s.surface.pitch = l.pitch;
    s.surface.height = l.height;
    s.surface.slices = l.slices;
    s.surface.base = l.base;
    s.surface.pipe_swizzle = static_cast<uint8_t>(l.pipe_swizzle);
    s.surface.bank_swizzle = static_cast<uint8_t>(l.bank_swizzle);
    return s;
}

bool PinAddressUnit::same(const Setting& a, const Setting& b) {
    const auto all = [](const Setting& s) {
        const Pins::Surface& p = s.surface;
        return std::tie(s.config, s.mode, p.size, p.samples, p.pitch, p.height, p.slices, p.base,
                        p.pipe_swizzle, p.bank_swizzle);
    };
    return all(a) == all(b);
}

void PinAddressUnit::write(unsigned index, uint32_t value) {
    in_.reg_valid = 1;
    in_.reg = {static_cast<uint8_t>(index), value};
    block_.step(in_, out_);
    in_.reg_valid = 0;
}

// The number under which the block holds a surface; the one it holds longest makes room.
unsigned PinAddressUnit::place(const Setting& wanted) {
    for (unsigned i = 0; i < count_; ++i)
        if (same(held_[i], wanted))
            return i;
    const unsigned number = next_;
    next_ = (next_ + 1) % Pins::kSurfaces;
    count_ = std::max(count_, number + 1);
    held_[number] = wanted;
    write(0, wanted.config);
    write(1, wanted.mode);
    in_.set_valid = 1;
    in_.set = wanted.surface;
    in_.set.number = static_cast<uint8_t>(number);
    block_.step(in_, out_);
    in_.set_valid = 0;
    return number;
}

uint64_t PinAddressUnit::address(const surface::SurfaceLevel& level, uint32_t x, uint32_t y,
                                 uint32_t slice, uint32_t sample) {
    const auto number = static_cast<uint8_t>(place(setting_of(level)));
    in_.in_valid = 1;
    in_.in = {number, x, y, slice, static_cast<uint8_t>(sample), ++tag_};
    if (!rtl::step_until(block_, in_, out_, &Pins::Out::in_ready, kTimeout))
        stop(StopKind::Hang, "the empty block takes no request");
    in_.in_valid = 0;
    for (unsigned waited = 0; waited < kTimeout; ++waited) {
        block_.step(in_, out_);
        if (out_.out_valid == 0)
            continue;
        if (out_.out_tag != tag_)
            stop(StopKind::Protocol, "the address is not that of the request sent to the block");
        if (out_.out_refused != 0)
            stop(StopKind::Protocol, "the block refuses a surface that the chip has");
        return out_.out_address;
    }
    stop(StopKind::Hang, "the block gives no address");
}

}  // namespace archipelago::tile_address
