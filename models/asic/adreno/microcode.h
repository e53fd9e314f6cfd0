// SPDX-License-Identifier: Apache-2.0
// Microcode of a chip's engines, from a file: source (.afuc) or a binary image.
#pragma once

#include <string>

#include "models/afuc/cp/cp_spec.h"
#include "models/config/reader.h"

namespace archipelago::adreno {

// The file that `key` names, from where the description is that has the key. Faults, those of the
// source among them, go to the reader's diagnostics.
afuc::Microcode read_microcode(config::Reader& cp, const char* key,
                               const afuc::Generation& generation,
                               config::Diagnostics& diagnostics);

}  // namespace archipelago::adreno
