// SPDX-License-Identifier: Apache-2.0
// A packet of an async DMA engine: the bits of its header that tell it from others, sizes, fields
// and the program that runs it, in one row. Dword 1 of a packet is its header, as in the document
// ("Async DMA", the packets of r6xx to cik), so that fields have the document's numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "models/dma/transfer.h"
#include "models/front/location.h"
#include "models/front/micro_op.h"
#include "models/front/packet_row.h"

namespace archipelago::dma {

using front::FieldCondition;
using front::FieldList;
using front::Location;
using front::PacketField;
using front::when;

struct Generation;
struct ProgramState;

// ---- operations --------------------------------------------------------------------------------

// The first eight: models/front/micro_op.h. Reads and writes of memory go through the hub.
enum class OpKind : uint8_t {
    RegWrite,  // of the bytes in `byte_enable`
    RegRead,
    MemRead,
    Take,
    MemWrite,
    Atomic,
    WaitWrites,
    Delay,
    Transfer,        // hand the program's transfer to the copy engine
    WaitTransfer,    // until the transfers before it are done
    Clock,           // result.value <- the counter `counter`
    SetClock,        // local counter <- operand
    Trap,            // interrupt with `value`
    Call,            // read packets from `buffer`
    Skip,            // leave out the next `value` dwords
    SemaphoreRetry,  // pause between two reads of a semaphore that is 0
};

// Local counter: SET_LOCAL_TIMESTAMP sets it; global: that of the chip.
enum class Counter : uint8_t { Local, Global };

struct IndirectBuffer {
    uint64_t base = 0;  // bytes
    uint32_t dwords = 0;
    uint8_t vmid = 0;
};

struct MicroOp : front::MicroOp<OpKind> {
    uint8_t byte_enable = 0xF;
    bool forever = false;  // Delay: the poll does not end before it is satisfied
    Counter counter = Counter::Local;
    IndirectBuffer buffer;
};

// ---- the row -----------------------------------------------------------------------------------

// Most dwords of a packet in front of its payload.
constexpr unsigned kMaxFixedDwords = 16;

// `fixed` counts the dwords before the payload. A packet that describes its wait polls.
struct PacketInfo : front::ProgramRow<PacketInfo, ProgramState, MicroOp> {
    uint32_t header = 0, header_mask = 0;  // of dword 1
    // Data dwords follow the others, as many as this field says; null: none.
    const PacketField* payload = nullptr;

    constexpr bool is(uint32_t word) const { return (word & header_mask) == header; }
    // Of a packet whose `fixed` dwords are there.
    constexpr uint64_t dwords_of(const uint32_t* dwords) const {
        return fixed + uint64_t{payload != nullptr ? payload->in(dwords) : 0};
    }
};

// Writes a row: packet("FENCE", 0x60000000, 0xF0000000).program(4, kFields, run). Another
// generation changes what differs: PacketRow(kFence).header(5, 0xFFFF).
class PacketRow : public front::RowBuilder<PacketRow, PacketInfo> {
  public:
    using RowBuilder::RowBuilder;

    constexpr PacketRow header(uint32_t bits, uint32_t mask) const {
        return with([&](PacketInfo& i) { i.header = bits, i.header_mask = mask; });
    }
    // `count` dwords in all, but for the payload.
    constexpr PacketRow dwords(uint8_t count) const {
        return sizes(count, count).with([&](PacketInfo& i) { i.fixed = count; });
    }
    template <class List>
    constexpr PacketRow program(uint8_t count, const List& list,
                                bool (*run)(ProgramState&, MicroOp&)) const {
        return dwords(count).fields(list).runs(run);
    }
    template <class List>
    constexpr PacketRow program(uint8_t count, const List& list,
                                bool (*run)(ProgramState&, MicroOp&), size_t shown) const {
        return dwords(count).fields(list, shown).runs(run);
    }
    // Data follow, counted by this field.
    constexpr PacketRow carries(const PacketField& count) const {
        return with([&](PacketInfo& i) {
            i.payload = &count;
            i.max_dwords = i.fixed + count.of(0xFFFFFFFF);
        });
    }
};

constexpr PacketRow packet(const char* name, uint32_t header, uint32_t mask) {
    PacketInfo info;
    info.name = name;
    info.fixed = 1;
    return PacketRow(info).header(header, mask);
}

}  // namespace archipelago::dma
