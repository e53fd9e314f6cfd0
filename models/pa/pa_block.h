// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have primitive assemblers.
#pragma once

#include "models/pa/pa_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::pa {

struct PaBlock {
    static constexpr const char* kKey = "pa";  // of a chip description

    // `engines` of the Spec is the chip's number of shader engines, `raster_config` is SC's.
    static void read(config::Reader& root, PaSpec& spec);
};

}  // namespace archipelago::pa
