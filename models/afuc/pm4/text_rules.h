// SPDX-License-Identifier: Apache-2.0
// What the assembler and the disassembler of packets agree on besides the grammar of all families.
#pragma once

#include "models/front/text/packet_language.h"

namespace archipelago::afuc {

inline constexpr front::TextRules kTextRules{/*register_indices=*/true, /*groups=*/true,
                                             /*alternatives=*/true};

}  // namespace archipelago::afuc
