// SPDX-License-Identifier: Apache-2.0
// One coalesced access of a vector memory instruction as the request that caches see. Pure.
#pragma once

#include "models/common/memory_message.h"
#include "models/cu/isa/image_op.h"
#include "models/cu/pipeline/coalescer.h"

namespace archipelago::cu {

// Fills what the instruction decides; the rest of `request` keeps its value. `image` is used when
// the instruction reads texels.
void describe_access(const LineAccess& access, const isa::VectorMemOp& op,
                     const isa::ImageOp* image, MemRequest& request);

}  // namespace archipelago::cu
