// SPDX-License-Identifier: Apache-2.0
// From the maps of a chip description to the Specs of CP, compute units and caches, whose maps
// concern several blocks. The other blocks have their readers in their own folders
// (models/<block>/<block>_block.h).
#pragma once

#include "models/asic/gcn/chip_config.h"
#include "models/asic/spec_readers.h"
#include "models/config/reader.h"

namespace archipelago::gcn {

void read_cp(config::Reader& root, ChipConfig& chip);
// `packets` and `user_registers` of `cp`.
void read_packets(config::Reader& cp, cp::Spec& spec);
// `microcode`, `microcode_me` and `microcode_moves` of `cp`.
void read_microcode(config::Reader& cp, ChipConfig& chip);
void read_cu(config::Reader& root, ChipConfig& chip);
void read_caches(config::Reader& root, ChipConfig& chip);
// Values of registers that say what memory the chip has, which is read.
void report_memory(ChipConfig& chip);
void read_links(config::Reader& root, ChipConfig& chip);

}  // namespace archipelago::gcn
