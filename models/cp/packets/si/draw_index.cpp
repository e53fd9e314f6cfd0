// SPDX-License-Identifier: Apache-2.0
// Draws whose dwords are all known at once. "Radeon Southern Islands Acceleration" 2.5. DRAW_INDEX
// is in the R6xx/R7xx document, DRAW_INDEX_OFFSET what the Linux radeon driver checks.
#include <algorithm>

#include "models/cp/packets/si/draw.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

namespace {
namespace draw_index {
struct f {
    enum : uint8_t { kBaseLo, kBaseHi, kCount, kInitiator };
};
constexpr PacketField kFields[] = {
    {"INDEX_BASE_LO", 1, 1, 31, &kAddress},
    {"INDEX_BASE_HI", 2, 0, 15},
    {"INDEX_COUNT", 3, 0, 31},
    {"DRAW_INITIATOR", 4, 0, 31, &kDrawInitiatorValue},
};

bool prepare(ProgramState& p, MicroOp&) {
    if (p.step++ != 0)
        return false;
    if ((p.body[0] & 1) != 0)
        p.bad("INDEX_BASE_LO " + hex(p.body[0]) + " is not aligned to 2 bytes");
    queue_fetch(p, uint64_t{p[f::kBaseHi]} << 32 | p.body[0], kNoLimit, p[f::kCount]);
    queue_draw(p, p[f::kInitiator], kFetched);
    return true;
}
}  // namespace draw_index
}  // namespace
constexpr PacketInfo kDrawIndex = packet("DRAW_INDEX", 0x2B, PacketClass::Draw)
                                      .rings(kRingGfx)
                                      .body(4)
                                      .flags(kStartsDraw)
                                      .fields(draw_index::kFields)
                                      .runs(issue_writes<draw_index::prepare>);

namespace {
namespace draw_index_2 {
struct f {
    enum : uint8_t { kMaxSize, kBaseLo, kBaseHi, kCount, kInitiator };
};
constexpr PacketField kFields[] = {
    {"MAX_SIZE", 1, 0, 31},
    {"INDEX_BASE_LO", 2, 1, 31, &kAddress},
    {"INDEX_BASE_HI", 3, 0, 15},
    {"INDEX_COUNT", 4, 0, 31},
    {"DRAW_INITIATOR", 5, 0, 31, &kDrawInitiatorValue},
};

bool prepare(ProgramState& p, MicroOp&) {
    if (p.step++ != 0)
        return false;
    if ((p.body[1] & 1) != 0)
        p.bad("INDEX_BASE_LO " + hex(p.body[1]) + " is not aligned to 2 bytes");
    queue_fetch(p, uint64_t{p[f::kBaseHi]} << 32 | p.body[1], p[f::kMaxSize], p[f::kCount]);
    queue_draw(p, p[f::kInitiator], kFetched);
    return true;
}
}  // namespace draw_index_2
}  // namespace
constexpr PacketInfo kDrawIndex2 = packet("DRAW_INDEX_2", 0x27, PacketClass::Draw)
                                       .rings(kRingGfx)
                                       .body(5)
                                       .flags(kStartsDraw)
                                       .fields(draw_index_2::kFields)
                                       .runs(issue_writes<draw_index_2::prepare>);

namespace {
namespace draw_index_offset {
struct f {
    enum : uint8_t { kOffset, kCount, kInitiator };
};
constexpr PacketField kFields[] = {
    {"INDEX_OFFSET", 1, 0, 31},
    {"INDEX_COUNT", 2, 0, 31},
    {"DRAW_INITIATOR", 3, 0, 31, &kDrawInitiatorValue},
};

bool prepare(ProgramState& p, MicroOp&) {
    if (p.step++ != 0)
        return false;
    const uint32_t first = p[f::kOffset];
    queue_fetch(p, index_buffer(p, first), indices_behind(p, first), p[f::kCount]);
    queue_draw(p, p[f::kInitiator], kFetched);
    return true;
}
}  // namespace draw_index_offset
}  // namespace
constexpr PacketInfo kDrawIndexOffset = packet("DRAW_INDEX_OFFSET", 0x29, PacketClass::Draw)
                                            .rings(kRingGfx)
                                            .body(3)
                                            .flags(kStartsDraw)
                                            .fields(draw_index_offset::kFields)
                                            .runs(issue_writes<draw_index_offset::prepare>);

namespace {
namespace draw_index_offset_2 {
struct f {
    enum : uint8_t { kMaxSize, kOffset, kCount, kInitiator };
};
constexpr PacketField kFields[] = {
    {"MAX_SIZE", 1, 0, 31},
    {"INDEX_OFFSET", 2, 0, 31},
    {"INDEX_COUNT", 3, 0, 31},
    {"DRAW_INITIATOR", 4, 0, 31, &kDrawInitiatorValue},
};

bool prepare(ProgramState& p, MicroOp&) {
    if (p.step++ != 0)
        return false;
    queue_fetch(p, index_buffer(p, p[f::kOffset]), p[f::kMaxSize], p[f::kCount]);
    queue_draw(p, p[f::kInitiator], kFetched);
    return true;
}
}  // namespace draw_index_offset_2
}  // namespace
constexpr PacketInfo kDrawIndexOffset2 = packet("DRAW_INDEX_OFFSET_2", 0x35, PacketClass::Draw)
                                             .rings(kRingGfx)
                                             .body(4)
                                             .flags(kStartsDraw)
                                             .fields(draw_index_offset_2::kFields)
                                             .runs(issue_writes<draw_index_offset_2::prepare>);

namespace {
namespace draw_index_auto {
struct f {
    enum : uint8_t { kCount, kInitiator };
};
constexpr PacketField kFields[] = {
    {"INDEX_COUNT", 1, 0, 31},
    {"DRAW_INITIATOR", 2, 0, 31, &kDrawInitiatorValue},
};

bool prepare(ProgramState& p, MicroOp&) {
    if (p.step++ != 0)
        return false;
    queue_write(p, regs::si::VGT_NUM_INDICES, p[f::kCount]);
    queue_draw(p, p[f::kInitiator], kAutomatic);
    return true;
}
}  // namespace draw_index_auto
}  // namespace
constexpr PacketInfo kDrawIndexAuto = packet("DRAW_INDEX_AUTO", 0x2D, PacketClass::Draw)
                                          .rings(kRingGfx)
                                          .body(2)
                                          .flags(kStartsDraw)
                                          .fields(draw_index_auto::kFields)
                                          .runs(issue_writes<draw_index_auto::prepare>);

}  // namespace archipelago::cp::si
