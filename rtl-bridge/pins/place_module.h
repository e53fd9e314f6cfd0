// SPDX-License-Identifier: Apache-2.0
// A user's Verilog in the place of a twin, as scripts/verilog-wrapper generates it from a YAML
// description: a shared library that shows only this.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "models/common/pins/pin_block.h"

namespace archipelago::rtl {

// Raised with every change of PlaceModule, Twin or TwinOptions; others are refused.
constexpr int kPlaceModuleVersion = 2;

// TwinOptions::place of a chip: the model's own core at the block's pins, without Verilog.
constexpr const char* kModelPlace = "model";

class PinsStamp {
  public:
    uint64_t value() const { return hash_; }
    void add(uint64_t number) { hash_ = (hash_ ^ number) * 0x100000001b3u; }
    // Expanded once and not for each pin of a list.
    [[gnu::noinline]] void add_pin(std::string_view port, std::string_view field, unsigned bits) {
        for (const std::string_view text : {port, field})
            for (const char c : text)
                add(static_cast<unsigned char>(c));
        add(bits);
    }

  private:
    uint64_t hash_ = 0xcbf29ce484222325u;  // FNV-1a
};

// Of what passes between a block and its user: names and widths of the pins, and their structs.
template <class Pins>
uint64_t pins_stamp() {
    PinsStamp stamp;
    const auto visit = [&](const auto& pin) {
        stamp.add_pin(pin.port, pin.field, std::decay_t<decltype(pin)>::kBits);
    };
    each_input<Pins>(visit);
    Pins::outputs(visit);
    stamp.add(sizeof(typename Pins::In));
    stamp.add(sizeof(typename Pins::Out));
    return stamp.value();
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
