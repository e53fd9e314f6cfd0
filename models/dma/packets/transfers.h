// SPDX-License-Identifier: Apache-2.0
// How programs prepare transfers.
#pragma once

#include "models/dma/operations.h"

namespace archipelago::dma {

// The side has bytes from `address` on.
inline void place_bytes(Side& side, uint64_t address) {
    side.address = address;
    side.column = 1;
}
// The region is `bytes` bytes in a row.
inline void take_row(Region& region, uint64_t bytes) {
    region.width = region.block_width = static_cast<uint32_t>(bytes);
}
// p.transfer, with nothing but its place in the stream.
inline Transfer& prepare(ProgramState& p) {
    static const Transfer kNothing;
    p.transfer = kNothing;
    p.transfer.location = p.location;
    p.transfer.packet = p.info->name;
    return p.transfer;
}
// Refuses a linear target whose rows overlap: what it held would depend on their order.
inline void check_rows(const ProgramState& p) {
    const Transfer& t = p.transfer;
    const Side& to = t.to[0];
    const Region& r = t.region;
    const uint64_t row = uint64_t{r.width} * t.element_bytes;
    if (to.tiled == nullptr && ((r.height > 1 && to.row < row) ||
                                (r.depth > 1 && to.slice < (r.height - 1) * to.row + row)))
        p.bad("rows of the target overlap");
}

}  // namespace archipelago::dma
