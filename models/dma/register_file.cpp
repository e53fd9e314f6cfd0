// SPDX-License-Identifier: Apache-2.0
#include "models/dma/register_file.h"

#include <algorithm>

#include "models/front/swap.h"

namespace archipelago::dma {

const RegisterMap kOldRegisters = {0x00, 0x04, 0,    0x08, 0x0C, 0x1C, 0x20, 0x24,
                                   0x28, 0x2C, 0x34, 0x44, 0x48, 0xB8, 0};
const RegisterMap kSdmaRegisters = {0x200, 0x204, 0x208, 0x20C, 0x210, 0x220, 0x224, 0x228,
                                    0x22C, 0x010, 0x034, 0x020, 0x024, 0x018, 0x048};

RegisterFile::RegisterFile(const Generation& generation, uint32_t tiling_reset)
    : generation_(generation), map_(register_map_of(generation)), tiling_reset_(tiling_reset) {
    reset();
}

void RegisterFile::reset() {
    values_ = {};
    values_[map_.tiling / 4] = tiling_reset_;
    if (map_.me_cntl != 0)
        values_[map_.me_cntl / 4] = 1;  // halted until its microcode is there
    decode();
}

RegisterChange RegisterFile::write(uint32_t offset, uint32_t value) {
    if (offset == map_.status)
        return RegisterChange::None;  // read only
    values_[offset / 4] = value;
    decode();
    if (offset == map_.rb_rptr)
        return RegisterChange::ReadPointer;
    return map_.moves_ring(offset) ? RegisterChange::Ring : RegisterChange::None;
}

void RegisterFile::decode() {
    const uint32_t cntl = at(map_.cntl);
    control_.trap = (cntl & 1) != 0;
    control_.data_swap = (cntl >> 3 & 1) != 0;
    control_.fence_swap = (cntl >> 4 & 1) != 0;
    control_.semaphore_incomplete = at(map_.semaphore_incomplete);
    control_.semaphore_wait = at(map_.semaphore_wait);
    control_.tiling = surface::decode_address_config(at(map_.tiling), generation_.surfaces);
    control_.banks = control_.tiling.banks;
    const uint32_t ring = at(map_.rb_cntl);
    const uint32_t high = map_.rb_base_hi != 0 ? at(map_.rb_base_hi) : 0;
    ring_.base = (uint64_t{high} << 32 | at(map_.rb_base)) << 8;
    ring_.dwords = 1u << std::min(ring >> 1 & 0x3F, 30u);  // more no pointer reaches
    ring_.swap = (ring >> 9 & 1) != 0 ? 2 : 0;
    ring_.enabled = (ring & 1) != 0;
}

// Bytes in the register; a ring of 2^RB_SIZE dwords.
uint32_t RegisterFile::pointer(uint32_t offset) const {
    return at(offset) >> 2 & (ring().dwords - 1);
}

uint64_t RegisterFile::mirror() const {
    if ((at(map_.rb_cntl) >> 12 & 1) == 0)
        return 0;
    return uint64_t{at(map_.rptr_addr_hi)} << 32 | (at(map_.rptr_addr_lo) & ~3u);
}

uint32_t RegisterFile::mirror_value() const {
    const bool swap = (at(map_.rb_cntl) >> 13 & 1) != 0;
    return front::swap_dword(at(map_.rb_rptr), swap ? 2 : 0);
}

}  // namespace archipelago::dma
