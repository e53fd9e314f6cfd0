// SPDX-License-Identifier: Apache-2.0
// A user's Verilog in the place of a twin: the library that archipelago_verilog() or `archipelago
// rtl build` made of a description with verilog.block.
#pragma once

#include <memory>
#include <string>

#include "rtl-bridge/pins/pin_table.h"
#include "rtl-bridge/pins/place_module.h"
#include "rtl-bridge/verilated/twin.h"

namespace archipelago::rtl {

// `file`: the library, or its description, beside which `archipelago rtl build` puts it. Throws
// std::invalid_argument with what is wrong: it is none, is of another block, of other pins, or was
// built from other sources than there are now.
const PlaceModule& open_place(const std::string& file, const PinTable& table);

// Throws std::invalid_argument where no other latency can stand in the block's place.
void check_elastic(const std::string& file, const PinTable& table);

// What stands in a block's place: the user's Verilog when options name it, else the twin.
template <class Pins>
std::unique_ptr<Twin<Pins>> make_place(const TwinOptions& options) {
    if (options.place.empty())
        return make_twin<Pins>(options);
    return std::unique_ptr<Twin<Pins>>(
        static_cast<Twin<Pins>*>(open_place(options.place, table_of<Pins>()).make(options)));
}

}  // namespace archipelago::rtl
