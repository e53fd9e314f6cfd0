// SPDX-License-Identifier: Apache-2.0
// What draws take from packets before them: INDEX_BASE, INDEX_BUFFER_SIZE, INDEX_TYPE,
// NUM_INSTANCES. "Radeon Southern Islands Acceleration" 2.5.
#include <algorithm>

#include "models/cp/packets/si/draw.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

constexpr ValueName kIndexTypesNames[] = {{0, "INDEX_16"}, {1, "INDEX_32"}};
constexpr FieldMeaning kIndexTypes = value_names(kIndexTypesNames);
namespace index_base {
enum f : uint8_t { kBaseLo, kBaseHi };
constexpr PacketField kFields[] = {
    {"INDEX_BASE_LO", 1, 1, 31, &kAddress},
    {"INDEX_BASE_HI", 2, 0, 15},
};

void queue(ProgramState& p) {
    p.de->draw.base = index_address(p, f::kBaseLo, f::kBaseHi);
    p.de->draw.base_set = true;
}
}  // namespace index_base
constexpr PacketInfo kIndexBase = packet("INDEX_BASE", 0x26, PacketClass::Draw)
                                      .rings(kRingGfx)
                                      .body(2)
                                      .program(index_base::kFields, issue_all<index_base::queue>);

namespace index_buffer_size {
enum f : uint8_t { kSize };
constexpr PacketField kFields[] = {
    {"INDEX_BUFFER_SIZE", 1, 0, 31},
};

void queue(ProgramState& p) {
    p.de->draw.size = p.body[0];
    p.de->draw.size_set = true;
}
}  // namespace index_buffer_size
constexpr PacketInfo kIndexBufferSize =
    packet("INDEX_BUFFER_SIZE", 0x13, PacketClass::Draw)
        .rings(kRingGfx)
        .body(1)
        .program(index_buffer_size::kFields, issue_all<index_buffer_size::queue>);

namespace index_type {
enum f : uint8_t { kType, kSwap };
constexpr PacketField kFields[] = {
    {"INDEX_TYPE", 1, 0, 0, &kIndexTypes},
    {"SWAP_MODE", 1, 2, 3, &kSwaps},
};

void queue(ProgramState& p) {
    if ((p.body[0] & ~0xDu) != 0)
        p.bad("reserved bits in " + hex(p.body[0]));
    p.de->draw.index32 = p[f::kType] != 0;
    queue_write(p, regs::si::VGT_INDEX_TYPE, p[f::kType]);
    queue_write(p, regs::si::VGT_DMA_INDEX_TYPE, p.body[0]);
}
}  // namespace index_type
constexpr PacketInfo kIndexType = packet("INDEX_TYPE", 0x2A, PacketClass::Draw)
                                      .rings(kRingGfx)
                                      .body(1)
                                      .flags(kOwnRegisters)
                                      .program(index_type::kFields, issue_all<index_type::queue>);

namespace num_instances {
enum f : uint8_t { kCount };
constexpr PacketField kFields[] = {
    {"NUM_INSTANCES", 1, 0, 31},
};

void queue(ProgramState& p) {
    const uint32_t count = std::max(p.body[0], 1u);
    queue_write(p, regs::si::VGT_NUM_INSTANCES, count);
    queue_write(p, regs::si::VGT_DMA_NUM_INSTANCES, count);
}
}  // namespace num_instances
constexpr PacketInfo kNumInstances =
    packet("NUM_INSTANCES", 0x2F, PacketClass::Draw)
        .rings(kRingGfx)
        .body(1)
        .flags(kOwnRegisters)
        .program(num_instances::kFields, issue_all<num_instances::queue>);

}  // namespace archipelago::cp::si
