// SPDX-License-Identifier: Apache-2.0
// Draws that bring their indices or counts with them: DRAW_INDEX_IMMD, DRAW_INDEX_MULTI_AUTO,
// MPEG_INDEX. "Radeon Southern Islands Acceleration" 2.5.3, 2.5.5, 2.5.13.

#include "models/cp/packets/si/draw.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

namespace draw_index_immd {
enum f : uint8_t { kCount, kInitiator, kData };
constexpr PacketField kFields[] = {
    {"INDEX_COUNT", 1, 0, 31},
    {"DRAW_INITIATOR", 2, 0, 31, &kDrawInitiatorValue},
    PacketField{"INDEX_DATA", 3, 0, 31}.every(1),
};

// 2.5.3: the indices follow the initiator.
bool prepare(ProgramState& p, MicroOp& op) {
    const uint32_t count = p[f::kCount];
    const uint32_t data = p.body_dwords() - 2;
    if (p.step == 0) {
        const bool wide = p.de->draw.index32;
        if (count == 0)
            p.bad("INDEX_COUNT is 0");
        if (data != (wide ? count : count / 2 + count % 2))
            p.bad(std::to_string(count) + " indices of " + (wide ? "32" : "16") + " bits in " +
                  std::to_string(data) + " dwords");
        queue_write(p, regs::si::VGT_NUM_INDICES, count);
        queue_draw(p, p[f::kInitiator], kImmediate);
        p.step = 1;
        return true;
    }
    if (p.index++ == data)
        return false;
    return stream_register(op, regs::si::VGT_IMMED_DATA);
}
}  // namespace draw_index_immd
constexpr PacketInfo kDrawIndexImmd =
    draw_packet("DRAW_INDEX_IMMD", 0x2E)
        .body(3, kMaxBodyDwords, 2)
        .program(draw_index_immd::kFields, issue_writes<draw_index_immd::prepare>);

namespace draw_index_multi_auto {
enum f : uint8_t { kPrimCount, kInitiator, kIndexOffset, kPrimType, kIndexCount };
constexpr PacketField kFields[] = {
    {"PRIMCOUNT", 1, 0, 31},
    {"DRAW_INITIATOR", 2, 0, 31, &kDrawInitiatorValue},
    PacketField{"INDEX_OFFSET", 3, 0, 15}.every(1),
    PacketField{"PRIM_TYPE", 3, 16, 20}.every(1),
    PacketField{"INDEX_COUNT", 3, 21, 31}.every(1),
};

// 2.5.5: a draw for each dword after the initiator.
bool prepare(ProgramState& p, MicroOp& op) {
    if (p.step == 0) {
        const uint32_t count = p[f::kPrimCount];
        if (count == 0 || count != p.body_dwords() - 2)
            p.bad("PRIMCOUNT " + std::to_string(count) + " with " +
                  std::to_string(p.body_dwords() - 2) + " dwords of CONTROL");
        p.step = 1;
    }
    if (p.step == 1) {
        if (p.index++ == p[f::kPrimCount])
            return false;
        p.step = 2;
        return take(op);
    }
    p.step = 1;
    const auto field = [&](unsigned i) { return p.info->fields[i].of(p.result.data[0]); };
    queue_write(p, regs::si::VGT_PRIMITIVE_TYPE, field(f::kPrimType));
    queue_write(p, regs::si::VGT_INDX_OFFSET, field(f::kIndexOffset));
    queue_write(p, regs::si::VGT_NUM_INDICES, field(f::kIndexCount));
    queue_draw(p, p[f::kInitiator], kAutomatic);
    return true;
}
}  // namespace draw_index_multi_auto
constexpr PacketInfo kDrawIndexMultiAuto =
    draw_packet("DRAW_INDEX_MULTI_AUTO", 0x30)
        .body(3, kMaxBodyDwords, 2)
        .program(draw_index_multi_auto::kFields, issue_writes<draw_index_multi_auto::prepare>);

namespace mpeg_index {
enum f : uint8_t { kCount, kInitiator, kIndex };
constexpr PacketField kFields[] = {
    {"NUM_INDICES", 1, 0, 31},
    {"DRAW_INITIATOR", 2, 0, 31, &kDrawInitiatorValue},
    PacketField{"INDEX", 3, 0, 31}.every(1),
};

// 2.5.13: of each index given come three.
constexpr uint32_t kMin = 3, kMax = 0x3FFF;

bool prepare(ProgramState& p, MicroOp& op) {
    const uint32_t count = p[f::kCount];
    if (p.step == 0) {
        if (count < kMin || count > kMax)
            p.bad("NUM_INDICES " + hex(count) + ", of 0x3 to 0x3fff");
        if (count != 3 * uint64_t{p.body_dwords() - 2})
            p.bad("NUM_INDICES " + std::to_string(count) + " with " +
                  std::to_string(p.body_dwords() - 2) + " first indices, three for each");
        if (!p.de->draw.index32)
            p.bad("needs indices of 32 bits (INDEX_TYPE)");
        queue_write(p, regs::si::VGT_NUM_INDICES, count);
        queue_draw(p, p[f::kInitiator], kImmediate);
        p.step = 1;
        return true;
    }
    if (p.index == count)
        return false;
    op.kind = OpKind::RegWrite;
    op.offset = regs::si::VGT_IMMED_DATA;
    if (p.index % 3 == 0) {
        op.stream = true;
    } else {
        if (p.index % 3 == 1)
            p.words[0] = static_cast<uint32_t>(p.result.value);
        op.value = p.words[0] + p.index % 3;
    }
    ++p.index;
    return true;
}
}  // namespace mpeg_index
constexpr PacketInfo kMpegIndex =
    draw_packet("MPEG_INDEX", 0x3A)
        .body(3, kMaxBodyDwords, 2)
        .program(mpeg_index::kFields, issue_writes<mpeg_index::prepare>);

constexpr PacketInfo kDrawIndexMultiElement =
    draw_packet("DRAW_INDEX_MULTI_ELEMENT", 0x36).unpublished(kPayload);

}  // namespace archipelago::cp::si
