// SPDX-License-Identifier: Apache-2.0
// The transcendental unit: EX2, LN2, RCP, RSQ, SIN and COS of a binary32, bit by bit, from tables
// and integer arithmetic, so that the Verilog does the same. DECISIONS.md gives the scheme and the
// special values.
#pragma once

#include <cstdint>

#include "models/ctm/isa/instruction.h"

namespace archipelago::ctm::isa {

// `operation` is_transcendental(). Denormals count as zero of their sign, going in and out; NaN is
// the canonical one.
uint32_t transcendental(AlphaOp operation, uint32_t bits);

}  // namespace archipelago::ctm::isa
