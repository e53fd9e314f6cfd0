// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/map/surface.h"

#include <stdexcept>

#include "models/config/reader.h"

namespace archipelago::host {
namespace {

using config::Reader;

// Errors are reported at the key. False: nothing else of the file can be checked.
bool read_asic(Reader& r, const FindChip& find, SurfaceChip& chip) {
    const auto name = r.required<std::string>("asic", "chip whose memory controller it is");
    if (!r.ok())
        return false;
    try {
        chip = find(name);
    } catch (const std::invalid_argument& error) {
        r.error("asic", error.what());
        return false;
    }
    return r.check(chip.ctm || chip.tiling, "asic",
                   config::in_quotes(name) + " has no surfaces that are mapped here");
}

}  // namespace

SurfaceFile read_surface(const config::Node& tree, const FindChip& find,
                         config::Diagnostics& diagnostics) {
    SurfaceFile file;
    Reader r(tree, diagnostics);
    if (!read_asic(r, find, file.chip)) {
        for (const std::string& key : r.keys())
            r.ignore(key);
    } else if (file.chip.ctm) {
        file.ctm = read_ctm_surface(r, diagnostics);
    } else if (r.has("metadata")) {
        file.metadata = read_metadata(r, *file.chip.tiling);
    } else {
        file.radeon = read_radeon_surface(r, *file.chip.tiling);
    }
    return file;
}

}  // namespace archipelago::host
