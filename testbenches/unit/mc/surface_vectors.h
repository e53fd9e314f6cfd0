// SPDX-License-Identifier: Apache-2.0
// Vectors of surface_vectors.py, and how tests of surfaces read and name layouts.
#pragma once

#include <cstdint>
#include <cstdio>
#include <istream>
#include <sstream>
#include <string>
#include <vector>

#include "models/mc/surface/surface.h"

namespace archipelago::surface {

inline std::vector<std::string> lines_of(const std::string& arguments) {
    const std::string command =
        std::string(ARCHIPELAGO_PYTHON " -B " ARCHIPELAGO_SOURCE_DIR
                                       "/testbenches/unit/mc/surface_vectors.py ") +
        arguments;
    std::FILE* pipe = popen(command.c_str(), "r");
    std::vector<std::string> lines;
    if (pipe == nullptr)
        return lines;
    std::string line;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
        if (c != '\n') {
            line += static_cast<char>(c);
            continue;
        }
        lines.push_back(line);
        line.clear();
    }
    if (pclose(pipe) != 0)
        lines.clear();
    return lines;
}

inline uint32_t number(std::istream& in) {
    uint32_t v = 0;
    in >> v;
    return v;
}

inline AddressConfig decoded(uint32_t gb_addr_config, Generation generation) {
    return decode_address_config(gb_addr_config, generation);
}

inline std::string text_of(const LevelLayout& l) {
    std::ostringstream out;
    const TileMode& m = l.mode;
    out << name_of(m.array) << " micro " << int(m.micro) << " pipe " << int(m.pipe) << " split "
        << m.tile_split << " bank " << int(m.bank_width) << "x" << int(m.bank_height) << " aspect "
        << int(m.macro_aspect) << " banks " << int(m.banks) << " bits " << l.bits << " samples "
        << l.samples << " " << l.pitch << "x" << l.height << "x" << l.slices;
    return out.str();
}

}  // namespace archipelago::surface
