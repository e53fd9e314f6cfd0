// SPDX-License-Identifier: Apache-2.0
#include "models/cp/packets/si/draw.h"

#include "registers/si_names.h"
#include "registers/si_vgt.h"

namespace archipelago::cp::si {

bool issue_writes(ProgramState& p, MicroOp& op, bool (*prepare)(ProgramState&, MicroOp&)) {
    for (;;) {
        if (p.write_next < p.write_count) {
            op.kind = OpKind::RegWrite;
            op.stream = false;
            op.dwords = 1;
            op.offset = p.writes[p.write_next].offset;
            op.value = p.writes[p.write_next].value;
            ++p.write_next;
            return true;
        }
        p.write_next = p.write_count = 0;
        op.kind = OpKind::Delay;  // none yet
        if (!prepare(p, op))
            return false;
        if (op.kind != OpKind::Delay)
            return true;
    }
}

void queue_write(ProgramState& p, uint32_t offset, uint32_t value) {
    p.writes[p.write_count++] = {offset, value};
}

void queue_draw(ProgramState& p, uint32_t initiator, uint32_t source) {
    const uint32_t select = regs::si::typed::VGT_DRAW_INITIATOR{initiator}.SOURCE_SELECT();
    if (select != source)
        p.bad("DRAW_INITIATOR.SOURCE_SELECT is " + std::to_string(select) + ", this packet's is " +
              std::to_string(source));
    queue_write(p, regs::si::VGT_DRAW_INITIATOR, initiator);
}

void queue_fetch(ProgramState& p, uint64_t base, uint32_t max, uint32_t count) {
    queue_write(p, regs::si::VGT_DMA_MAX_SIZE, max);
    queue_write(p, regs::si::VGT_DMA_BASE, static_cast<uint32_t>(base));
    queue_write(p, regs::si::VGT_DMA_BASE_HI, static_cast<uint32_t>(base >> 32));
    queue_write(p, regs::si::VGT_DMA_SIZE, count);
    queue_write(p, regs::si::VGT_NUM_INDICES, count);
}

uint64_t index_address(const ProgramState& p, unsigned lo, unsigned hi) {
    const uint32_t low = p.dword(lo);
    if ((low & 1) != 0)
        p.bad("INDEX_BASE_LO " + hex(low) + " is not aligned to 2 bytes");
    return uint64_t{p[hi]} << 32 | low;
}

uint64_t index_buffer(const ProgramState& p, uint64_t first) {
    const DeState::Draw& draw = p.de->draw;
    if (!draw.base_set)
        p.bad("no INDEX_BASE packet before it");
    return (draw.base + first * (draw.index32 ? 4 : 2)) & 0xFFFFFFFFFFFF;
}

uint32_t indices_behind(const ProgramState& p, uint32_t first) {
    const DeState::Draw& draw = p.de->draw;
    if (!draw.size_set)
        return kNoLimit;
    return draw.size > first ? draw.size - first : 0;
}

}  // namespace archipelago::cp::si
