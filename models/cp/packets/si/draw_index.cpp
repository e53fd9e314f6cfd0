// SPDX-License-Identifier: Apache-2.0
// Draws whose dwords are all known at once. "Radeon Southern Islands Acceleration" 2.5. DRAW_INDEX
// is in the R6xx/R7xx document, DRAW_INDEX_OFFSET what the Linux radeon driver checks.

#include "models/cp/packets/si/draw.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

namespace draw_index {
enum f : uint8_t { kBaseLo, kBaseHi, kCount, kInitiator };
constexpr PacketField kFields[] = {
    {"INDEX_BASE_LO", 1, 1, 31, &kAddress},
    {"INDEX_BASE_HI", 2, 0, 15},
    {"INDEX_COUNT", 3, 0, 31},
    {"DRAW_INITIATOR", 4, 0, 31, &kDrawInitiatorValue},
};

void queue(ProgramState& p) {
    queue_fetch(p, index_address(p, f::kBaseLo, f::kBaseHi), kNoLimit, p[f::kCount]);
    queue_draw(p, p[f::kInitiator], kFetched);
}
}  // namespace draw_index
constexpr PacketInfo kDrawIndex = draw_packet("DRAW_INDEX", 0x2B)
                                      .body(4)
                                      .program(draw_index::kFields, issue_all<draw_index::queue>);

namespace draw_index_2 {
enum f : uint8_t { kMaxSize, kBaseLo, kBaseHi, kCount, kInitiator };
constexpr PacketField kFields[] = {
    {"MAX_SIZE", 1, 0, 31},
    {"INDEX_BASE_LO", 2, 1, 31, &kAddress},
    {"INDEX_BASE_HI", 3, 0, 15},
    {"INDEX_COUNT", 4, 0, 31},
    {"DRAW_INITIATOR", 5, 0, 31, &kDrawInitiatorValue},
};

void queue(ProgramState& p) {
    queue_fetch(p, index_address(p, f::kBaseLo, f::kBaseHi), p[f::kMaxSize], p[f::kCount]);
    queue_draw(p, p[f::kInitiator], kFetched);
}
}  // namespace draw_index_2
constexpr PacketInfo kDrawIndex2 =
    draw_packet("DRAW_INDEX_2", 0x27)
        .body(5)
        .program(draw_index_2::kFields, issue_all<draw_index_2::queue>);

namespace draw_index_offset {
enum f : uint8_t { kOffset, kCount, kInitiator };
constexpr PacketField kFields[] = {
    {"INDEX_OFFSET", 1, 0, 31},
    {"INDEX_COUNT", 2, 0, 31},
    {"DRAW_INITIATOR", 3, 0, 31, &kDrawInitiatorValue},
};

void queue(ProgramState& p) {
    const uint32_t first = p[f::kOffset];
    queue_fetch(p, index_buffer(p, first), indices_behind(p, first), p[f::kCount]);
    queue_draw(p, p[f::kInitiator], kFetched);
}
}  // namespace draw_index_offset
constexpr PacketInfo kDrawIndexOffset =
    draw_packet("DRAW_INDEX_OFFSET", 0x29)
        .body(3)
        .program(draw_index_offset::kFields, issue_all<draw_index_offset::queue>);

namespace draw_index_offset_2 {
enum f : uint8_t { kMaxSize, kOffset, kCount, kInitiator };
constexpr PacketField kFields[] = {
    {"MAX_SIZE", 1, 0, 31},
    {"INDEX_OFFSET", 2, 0, 31},
    {"INDEX_COUNT", 3, 0, 31},
    {"DRAW_INITIATOR", 4, 0, 31, &kDrawInitiatorValue},
};

void queue(ProgramState& p) {
    queue_fetch(p, index_buffer(p, p[f::kOffset]), p[f::kMaxSize], p[f::kCount]);
    queue_draw(p, p[f::kInitiator], kFetched);
}
}  // namespace draw_index_offset_2
constexpr PacketInfo kDrawIndexOffset2 =
    draw_packet("DRAW_INDEX_OFFSET_2", 0x35)
        .body(4)
        .program(draw_index_offset_2::kFields, issue_all<draw_index_offset_2::queue>);

namespace draw_index_auto {
enum f : uint8_t { kCount, kInitiator };
constexpr PacketField kFields[] = {
    {"INDEX_COUNT", 1, 0, 31},
    {"DRAW_INITIATOR", 2, 0, 31, &kDrawInitiatorValue},
};

void queue(ProgramState& p) {
    queue_write(p, regs::si::VGT_NUM_INDICES, p[f::kCount]);
    queue_draw(p, p[f::kInitiator], kAutomatic);
}
}  // namespace draw_index_auto
constexpr PacketInfo kDrawIndexAuto =
    draw_packet("DRAW_INDEX_AUTO", 0x2D)
        .body(2)
        .program(draw_index_auto::kFields, issue_all<draw_index_auto::queue>);

}  // namespace archipelago::cp::si
