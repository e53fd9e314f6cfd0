// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/grbm_spec.h"

#include <algorithm>
#include <cstdio>

#include "registers/si_names.h"

namespace archipelago::grbm {

std::vector<Range> si_ranges() {
    return {
        {"grbm", 0x08000, 0x083FF, kSelf},
        {"cp", 0x08400, 0x087FF, kCp},
        {"ia, vgt, pa, sc, sq", 0x08800, 0x08FFF, kStore},
        {"sx, spi, ta, td", 0x09000, 0x0950B, kStore},
        {"ta: border colours", 0x0950C, 0x0950F, kGb},
        {"ta, td", 0x09510, 0x096FF, kStore},
        {"gds", 0x09700, 0x097FF, kStore},
        {"db, gb: harvest masks", 0x09800, 0x098F7, kStore},
        {"gb: address configuration", 0x098F8, 0x098FB, kGb},
        {"gb: backend map", 0x098FC, 0x0990F, kStore},
        {"gb: tile modes", 0x09910, 0x0998F, kGb},
        {"db, cb", 0x09990, 0x0A7FF, kStore},
        {"tcp, tci, tcc, tca", 0x0A800, 0x0AFFF, kStore},
        {"graphics shader stages", 0x0B000, 0x0B7FF, kStore},
        {"compute", 0x0B800, 0x0BFFF, kSpi},
        {"grbm remapping", 0x0C000, 0x0C0FF, kSelf},
        {"cp rings", 0x0C100, 0x0C1FF, kCp},
        {"rlc", 0x0C300, 0x0C4FF, kStore},
        {"ras", 0x0CE00, 0x0CEFF, kStore},
        {"context: db, pa, ta", 0x28000, 0x2835F, kStore},
        {"context: cp", 0x28360, 0x2836B, kCp},
        {"context: vgt, cb, db, pa, spi", 0x2836C, 0x28A8F, kStore},
        {"vgt event initiator", 0x28A90, 0x28A93, kSpi},
        {"context: vgt, db, pa, cb", 0x28A94, 0x28FFF, kStore},
    };
}

std::vector<SideEffect> si_side_effects() {
    return {
        {regs::si::VGT_DRAW_INITIATOR, "VGT_DRAW_INITIATOR"},
        {regs::si::VGT_IMMED_DATA, "VGT_IMMED_DATA"},
        {regs::si::GDS_ATOM_OP, "GDS_ATOM_OP"},
    };
}

std::vector<std::string> Spec::problems() const {
    std::vector<std::string> list;
    char text[160];
    for (const Range& range : ranges) {
        if (range.start > range.end || range.start % 4 != 0 || range.end % 4 != 3) {
            std::snprintf(text, sizeof text, "range %s: 0x%05x..0x%05x is not a range of dwords",
                          range.name.c_str(), range.start, range.end);
            list.emplace_back(text);
        }
        if (range.end >= 0x40000)
            list.push_back("range " + range.name + ": beyond the register aperture");
        if (range.port >= ports)
            list.push_back("range " + range.name + ": no port " + std::to_string(range.port));
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
        for (size_t k = i + 1; k < ranges.size(); ++k) {
            const Range& a = ranges[i];
            const Range& b = ranges[k];
            if (a.start <= b.end && b.start <= a.end) {
                std::snprintf(text, sizeof text, "ranges %s and %s overlap at 0x%05x",
                              a.name.c_str(), b.name.c_str(), std::max(a.start, b.start));
                list.emplace_back(text);
            }
        }
    }
    if (ranges.size() > 254)
        list.emplace_back("more than 254 ranges");
    if (requests_per_cycle < 1)
        list.emplace_back("requests_per_cycle: at least 1");
    if (reads_in_flight < 1 || reads_in_flight > 255)
        list.emplace_back("reads_in_flight: 1 to 255");
    return list;
}

}  // namespace archipelago::grbm
