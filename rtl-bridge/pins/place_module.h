// SPDX-License-Identifier: Apache-2.0
// A user's Verilog in the place of a twin, as scripts/verilog-wrapper generates it from a YAML
// description: a shared library that shows only this.
#pragma once

#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

// Raised with every change of PlaceModule, Twin or TwinOptions; others are refused.
constexpr int kPlaceModuleVersion = 2;

// Of what passes between a block and its user: names and widths of the pins, and their structs.
template <class Pins>
uint64_t pins_stamp() {
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    const auto add = [&](uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; };
    const auto visit = [&](auto pin) {
        for (const char* text : {pin.port, pin.field})
            for (; *text != '\0'; ++text)
                add(static_cast<unsigned char>(*text));
        add(decltype(pin)::kBits);
    };
    each_input<Pins>(visit);
    Pins::outputs(visit);
    add(sizeof(typename Pins::In));
    add(sizeof(typename Pins::Out));
    return hash;
}

struct PlaceModule {
    int version;           // kPlaceModuleVersion
    const char* block;     // whose place it takes
    const char* contract;  // "exact" or "elastic"
    const char* top;       // module of the Verilog
    uint64_t pins;         // pins_stamp of the block
    // What it was built from: a line for each file, its FNV-1a of 64 bits in hexadecimal digits, a
    // blank and its path.
    const char* sources;
    void* (*make)(const TwinOptions&);  // a new Twin of the block's pins
};
// What the shared library exports under this name. `version` stays its first member.
constexpr const char* kPlaceModuleSymbol = "archipelago_place_module";

}  // namespace archipelago::rtl
