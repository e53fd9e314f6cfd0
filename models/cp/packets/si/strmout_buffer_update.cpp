// SPDX-License-Identifier: Apache-2.0
// STRMOUT_BUFFER_UPDATE: "Radeon Southern Islands Acceleration" 2.8.11.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

constexpr ValueName kOffsetsNames[] = {
    {0, "PACKET"}, {1, "FILLED_SIZE"}, {2, "MEMORY"}, {3, "NONE"}};
constexpr FieldMeaning kOffsets = value_names(kOffsetsNames);
namespace strmout_buffer_update {
enum f : uint8_t {
    kBuffer,
    kSource,
    kUpdate,
    kDestinationLo,
    kDestinationSwap,
    kDestinationHi,
    kOffset,
    kSourceLo,
    kSourceSwap,
    kSourceHi
};
constexpr FieldCondition kFromAddress = when({"SOURCE_SELECT", 1, 1, 2}, {2});
constexpr FieldCondition kFromPacket = unless({"SOURCE_SELECT", 1, 1, 2}, {2});
constexpr PacketField kFields[] = {
    {"BUFFER_SELECT", 1, 8, 9},
    {"SOURCE_SELECT", 1, 1, 2, &kOffsets},
    {"UPDATE_MEMORY", 1, 0, 0},
    {"DST_ADDRESS_LO", 2, 2, 31, &kAddress},
    {"DST_SWAP", 2, 0, 1, &kSwaps},
    {"DST_ADDRESS_HI", 3, 0, 15},
    PacketField{"BUFFER_OFFSET", 4, 0, 31}.when(kFromPacket),
    PacketField{"SRC_ADDRESS_LO", 4, 2, 31, &kAddress}.when(kFromAddress),
    PacketField{"SRC_SWAP", 4, 0, 1, &kSwaps}.when(kFromAddress),
    {"SRC_ADDRESS_HI", 5, 0, 15},
};

// VGT has the registers; its buffers lie 16 bytes apart among the context registers.
bool run(ProgramState& p, MicroOp& op) {
    const uint32_t buffer = p[f::kBuffer];
    const uint32_t source = p[f::kSource];
    const bool update = p[f::kUpdate] != 0;
    constexpr uint32_t kPacket = 0, kFilled = 1, kMemory = 2;
    enum : uint32_t { kStart, kFilledRead, kStored, kSourceRead, kEnd };
    const auto filled = [&] {
        read_register(op, regs::si::VGT_STRMOUT_BUFFER_FILLED_SIZE_0 + 4 * buffer);
    };
    const auto swap_of = [&p](unsigned field) {
        if (p[field] > kMaxDwordSwap)
            p.bad("reserved swap code 3");
        return static_cast<uint8_t>(p[field]);
    };
    if (p.step == kStart) {
        if (source == kMemory)
            swap_of(f::kSourceSwap);
        p.step = kStored;
        if (update) {
            swap_of(f::kDestinationSwap);
            filled();
            p.step = kFilledRead;
            return true;
        }
    }
    if (p.step == kFilledRead) {
        p.words[0] = static_cast<uint32_t>(p.result.value);
        p.address_in(f::kDestinationLo, op);
        write_dword(op, uint64_t{p[f::kDestinationHi]} << 32 | uint64_t{p[f::kDestinationLo]} << 2,
                    p.words[0]);
        op.swap = swap_of(f::kDestinationSwap);
        p.step = kStored;
        return true;
    }
    if (p.step == kStored) {
        p.step = kSourceRead;
        if (source == kFilled && !update) {
            filled();
            return true;
        }
        if (source == kMemory) {
            p.address_in(f::kSourceLo, op);
            read_memory(op, uint64_t{p[f::kSourceHi]} << 32 | uint64_t{p[f::kSourceLo]} << 2);
            op.swap = swap_of(f::kSourceSwap);
            return true;
        }
        p.result.value = source == kPacket ? p[f::kOffset] : p.words[0];
    }
    if (p.step == kEnd || source > kMemory)
        return false;
    p.step = kEnd;
    return write_register(
        op,
        regs::si::VGT_STRMOUT_BUFFER_OFFSET_0 + buffer * (regs::si::VGT_STRMOUT_BUFFER_OFFSET_1 -
                                                          regs::si::VGT_STRMOUT_BUFFER_OFFSET_0),
        static_cast<uint32_t>(p.result.value));
}
}  // namespace strmout_buffer_update
constexpr PacketInfo kStrmoutBufferUpdate =
    packet("STRMOUT_BUFFER_UPDATE", 0x34, PacketClass::Sync)
        .body(5)
        .flags(kOwnRegisters)
        .program(strmout_buffer_update::kFields, strmout_buffer_update::run);

}  // namespace archipelago::cp::si
