// SPDX-License-Identifier: Apache-2.0
// Where in the command streams the packet stands whose register write began a draw or a dispatch:
// the write carries a number (RegRequest::place), CP has the text.
#pragma once

#include <cstdint>
#include <string>

namespace archipelago {

class PacketPlaces {
  public:
    virtual ~PacketPlaces() = default;
    // "ring gfx, IB1 0x208000 dword 13: packet DRAW_INDEX_AUTO"; empty: no packet's.
    virtual std::string place(uint16_t number) const = 0;
};

// `unit`, what went wrong in it, after the place of the packet if there is one.
inline std::string place_in_stream(const PacketPlaces* places, uint16_t number,
                                   const std::string& unit) {
    const std::string place = places != nullptr ? places->place(number) : "";
    return place.empty() ? unit : place + ": " + unit;
}

}  // namespace archipelago
