// SPDX-License-Identifier: Apache-2.0
// Draws whose arguments are in memory. "Radeon Southern Islands Acceleration" 2.5.4, 2.5.7; the
// draws of several argument structures as AMD's PAL and Mesa have them.
#include <algorithm>

#include "models/cp/packets/si/draw.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

namespace {

// Whether the offset is that of user data of a stage vertices may run in.
bool is_vertex_user_data(uint32_t offset) {
    for (const uint32_t first :
         {regs::si::SPI_SHADER_USER_DATA_VS_0, regs::si::SPI_SHADER_USER_DATA_ES_0,
          regs::si::SPI_SHADER_USER_DATA_LS_0})
        if (offset >= first && offset < first + 16 * 4)
            return true;
    return false;
}

uint32_t user_data(const ProgramState& p, const char* field, uint32_t location) {
    const uint32_t offset = kShWindow.start + 4 * location;
    if (!is_vertex_user_data(offset))
        p.bad(std::string(field) + " " + hex(location) + " is register " + hex(offset) +
              ", no user data of VS, ES or LS");
    return offset;
}

// 2.5.4: both are sent before a draw whose indices memory names.
void check_indirect_indices(const ProgramState& p) {
    index_buffer(p, 0);
    if (!p.de->draw.size_set)
        p.bad("no INDEX_BUFFER_SIZE packet before it");
}

// The draw of an argument structure, after its user data.
void queue_indirect(ProgramState& p, bool indexed, const uint32_t* args, uint32_t initiator) {
    const uint32_t count = args[0], instances = args[1];
    // Nothing to draw, where a register would take 0 instances for 1.
    if (instances == 0)
        return;
    queue_write(p, regs::si::VGT_NUM_INSTANCES, instances);
    queue_write(p, regs::si::VGT_DMA_NUM_INSTANCES, instances);
    if (indexed) {
        queue_fetch(p, index_buffer(p, args[2]), indices_behind(p, args[2]), count);
        queue_draw(p, initiator, kFetched);
    } else {
        queue_write(p, regs::si::VGT_NUM_INDICES, count);
        queue_draw(p, initiator, kAutomatic);
    }
}

}  // namespace

namespace draw_indirect {
// the last: of DRAW_INDEX_INDIRECT only
enum f : uint8_t { kDataOffset, kBaseVertex, kStartInstance, kInitiator, kInitiatorShort };
constexpr PacketField kFields[] = {
    {"DATA_OFFSET", 1, 0, 31},
    {"BASE_VTX_LOC", 2, 0, 15, &kShRegister},
    {"START_INST_LOC", 3, 0, 15, &kShRegister},
    {"DRAW_INITIATOR", 4, 0, 31, &kDrawInitiatorValue},
};
// The document's table lacks the dword of START_INST_LOC, which the drivers send.
constexpr FieldCondition kShort = when_body(3);
constexpr FieldCondition kLong = when_body(4);
constexpr PacketField kIndexedFields[] = {
    {"DATA_OFFSET", 1, 0, 31},
    {"BASE_VTX_LOC", 2, 0, 15, &kShRegister},
    PacketField{"START_INST_LOC", 3, 0, 15, &kShRegister}.when(kLong),
    PacketField{"DRAW_INITIATOR", 4, 0, 31, &kDrawInitiatorValue}.when(kLong),
    PacketField{"DRAW_INITIATOR", 3, 0, 31, &kDrawInitiatorValue}.when(kShort),
};

// 2.5.4, 2.5.7: the arguments of the draw are in memory.
template <bool indexed>
bool prepare(ProgramState& p, MicroOp& op) {
    const bool instance_given = !indexed || p.body_dwords() == 4;
    if (p.step == 0) {
        const uint32_t offset = p[f::kDataOffset];
        if (offset % 4 != 0)
            p.bad("DATA_OFFSET " + hex(offset) + " is not dword aligned");
        if (!p.ring().base_set[1])
            p.bad("no SET_BASE of the draw arguments (BASE_INDEX 1) before it");
        if (indexed)
            check_indirect_indices(p);
        if (instance_given && indexed) {
            p.step = 1;
            return take(op);
        }
        p.step = 2;
    }
    if (p.step == 1) {
        p.words[0] = p.result.data[0];  // the initiator, after the body's fixed part
        p.step = 2;
    }
    if (p.step == 2) {
        p.step = 3;
        p.address_in(f::kDataOffset, op);
        return read_memory(op, p.ring().base[1] + p[f::kDataOffset], indexed ? 5 : 4);
    }
    if (p.step != 3)
        return false;
    p.step = 4;
    const auto& args = p.result.data;
    const uint32_t location = p[f::kBaseVertex];
    const uint32_t vertex = args[indexed ? 3 : 2], instance = args[indexed ? 4 : 3];
    queue_write(p, user_data(p, "BASE_VTX_LOC", location), vertex);
    queue_write(
        p, user_data(p, "START_INST_LOC", instance_given ? p[f::kStartInstance] : location + 1),
        instance);
    queue_indirect(p, indexed, args.data(),
                   !indexed         ? p[f::kInitiator]
                   : instance_given ? p.words[0]
                                    : p[f::kInitiatorShort]);
    return true;
}
}  // namespace draw_indirect
constexpr PacketInfo kDrawIndirect =
    draw_packet("DRAW_INDIRECT", 0x24)
        .body(4)
        .program(draw_indirect::kFields, issue_writes<draw_indirect::prepare<false>>);
constexpr PacketInfo kDrawIndexIndirect =
    draw_packet("DRAW_INDEX_INDIRECT", 0x25)
        .body(3, 4, 3)
        .program(draw_indirect::kIndexedFields, issue_writes<draw_indirect::prepare<true>>);

namespace draw_indirect_multi {
enum f : uint8_t {
    kDataOffset,
    kBaseVertex,
    kStartInstance,
    kDrawIndex,
    kCountIndirect,
    kDrawIndexEnable,
    kCount,
    kCountLo,
    kCountHi,
    kStride,
    kInitiator
};
constexpr PacketField kFields[] = {
    {"DATA_OFFSET", 1, 0, 31},
    {"BASE_VTX_LOC", 2, 0, 15, &kShRegister},
    {"START_INST_LOC", 3, 0, 15, &kShRegister},
    {"DRAW_INDEX_LOC", 4, 0, 15, &kShRegister},
    {"COUNT_INDIRECT_ENABLE", 4, 30, 30},
    {"DRAW_INDEX_ENABLE", 4, 31, 31},
    {"COUNT", 5, 0, 31},
    {"COUNT_ADDR_LO", 6, 2, 31, &kAddress},
    {"COUNT_ADDR_HI", 7, 0, 31},
    {"STRIDE", 8, 0, 31},
    {"DRAW_INITIATOR", 9, 0, 31, &kDrawInitiatorValue},
};

// As draw_indirect, for several structures STRIDE apart; not in the document, but in AMD's PAL
// and Mesa. COUNT is the most that are drawn when the number itself is in memory.
template <bool indexed>
bool prepare(ProgramState& p, MicroOp& op) {
    enum : uint32_t { kStart, kCountRead, kRead, kArguments };
    const uint32_t stride = p[f::kStride];
    if (p.step == kStart) {
        const uint32_t offset = p[f::kDataOffset];
        if (offset % 4 != 0)
            p.bad("DATA_OFFSET " + hex(offset) + " is not dword aligned");
        if (stride % 4 != 0)
            p.bad("STRIDE " + hex(stride) + " is not dword aligned");
        if (!p.ring().base_set[1])
            p.bad("no SET_BASE of the draw arguments (BASE_INDEX 1) before it");
        if (indexed)
            check_indirect_indices(p);
        p.count = p[f::kCount];
        p.step = kRead;
        if (p[f::kCountIndirect] != 0) {
            p.step = kCountRead;
            p.address_in(f::kCountLo, op);
            return read_memory(op, p.dword_address(p.dword(f::kCountLo), p[f::kCountHi]));
        }
    }
    if (p.step == kCountRead) {
        p.count = std::min(p.count, p.result.data[0]);
        p.step = kRead;
    }
    if (p.step == kRead) {
        if (p.index == p.count)
            return false;
        p.step = kArguments;
        p.address_in(f::kDataOffset, op);
        return read_memory(op, p.ring().base[1] + p[f::kDataOffset] + uint64_t{stride} * p.index,
                           indexed ? 5 : 4);
    }
    p.step = kRead;
    const auto& args = p.result.data;
    queue_write(p, user_data(p, "BASE_VTX_LOC", p[f::kBaseVertex]), args[indexed ? 3 : 2]);
    queue_write(p, user_data(p, "START_INST_LOC", p[f::kStartInstance]), args[indexed ? 4 : 3]);
    if (p[f::kDrawIndexEnable] != 0)
        queue_write(p, user_data(p, "DRAW_INDEX_LOC", p[f::kDrawIndex]), p.index);
    ++p.index;
    queue_indirect(p, indexed, args.data(), p[f::kInitiator]);
    return true;
}
}  // namespace draw_indirect_multi
constexpr PacketInfo kDrawIndirectMulti =
    draw_packet("DRAW_INDIRECT_MULTI", 0x2C)
        .body(9)
        .program(draw_indirect_multi::kFields, issue_writes<draw_indirect_multi::prepare<false>>);

constexpr PacketInfo kDrawIndexIndirectMulti =
    draw_packet("DRAW_INDEX_INDIRECT_MULTI", 0x38)
        .body(9)
        .program(draw_indirect_multi::kFields, issue_writes<draw_indirect_multi::prepare<true>>);

}  // namespace archipelago::cp::si
