// SPDX-License-Identifier: Apache-2.0
// The PM4 packets of a generation: the one place where opcode, size, rings, engine and fields of a
// packet are declared. Everything else (parser, micro-engine, logs, disassembly) asks this table.
// "Radeon Southern Islands Acceleration" section 2; opcode numbers as the public driver headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/cp/cp_location.h"

namespace archipelago::cp {

// Behaviour of a packet, independent of the generation's opcode number.
enum class PacketId : uint8_t {
    Type0,  // register writes named in the header; has no opcode
    Nop,
    SetBase,
    ClearState,
    DispatchDirect,
    DispatchIndirect,
    ContextControl,
    IndirectBuffer,
    IndirectBufferConst,
    WriteData,
    WaitRegMem,
    MemWrite,
    CopyData,
    CpDma,
    PfpSyncMe,
    SurfaceSync,
    MeInitialize,
    CondWrite,
    EventWrite,
    EventWriteEop,
    EventWriteEos,
    PreambleCntl,
    OneRegWrite,
    LoadConfigReg,
    LoadContextReg,
    LoadShReg,
    SetConfigReg,
    SetContextReg,
    SetShReg,
    SetPredication,
    IndexBufferSize,
    AllocGds,
    WriteGdsRam,
    AtomicGds,
    Atomic,
    OcclusionQuery,
    RegRmw,
    CondExec,
    PredExec,
    DrawIndirect,
    DrawIndexIndirect,
    IndexBase,
    DrawIndex2,
    DrawIndexOffset,
    IndexType,
    DrawIndex,
    DrawIndirectMulti,
    DrawIndexAuto,
    DrawIndexImmed,
    NumInstances,
    DrawIndexMultiAuto,
    StrmoutBufferUpdate,
    DrawIndexOffset2,
    DrawIndexMultiElement,
    DrawIndexIndirectMulti,
    MemSemaphore,
    MpegIndex,
    CopyDw,
    SetContextRegIndirect,
    SetResourceIndirect,
    SetShRegOffset,
    MeWrite,
    ScratchRamWrite,
    ScratchRamRead,
    CeWrite,
    SwitchBuffer,
    LoadConstRam,
    WriteConstRam,
    WriteConstRamOffset,
    DumpConstRam,
    IncrementCeCounter,
    IncrementDeCounter,
    WaitOnCeCounter,
    WaitOnAvailBuffer,
    WaitOnDeCounter,
    WaitOnDeCounterDiff,
    SetCeDeCounters,
    kCount,
};

// Which engine a packet is for. DE is the pair of prefetch parser and micro engine.
enum class PacketEngine : uint8_t { De, Ce, Both };

// What kind of work a packet is, for the counters.
enum class PacketClass : uint8_t {
    Filler,
    State,
    Dispatch,
    Draw,
    Sync,
    Event,
    Data,
    Buffer,
    kCount
};
const char* to_string(PacketClass packet_class);

// When a field is there: bits msb..lsb of dword `dword` have one of the `values` (bit n stands for
// n), or, with `dword` 0, the body has `values` dwords.
struct FieldCondition {
    uint8_t dword, lsb, msb;
    uint32_t values;

    // `dwords` of the body are known; what hangs on a dword beyond them is not there.
    constexpr bool holds(const uint32_t* body, uint32_t dwords) const {
        if (dword == 0)
            return dwords == values;
        if (dword > dwords)
            return false;
        const uint32_t value = body[dword - 1] >> lsb & ((2u << (msb - lsb)) - 1);
        return (values >> value & 1) != 0;
    }
};

// Bits msb..lsb of dword `dword` of a packet; dword 0 is the header, 1 the first of the body.
struct PacketField {
    const char* name;
    uint8_t dword;
    uint8_t lsb;
    uint8_t msb;
    const FieldCondition* condition = nullptr;
    uint8_t repeat = 0;  // not 0: again every so many dwords, up to the end of the body

    constexpr uint32_t mask() const { return 0xFFFFFFFFu >> (31 - (msb - lsb)) << lsb; }
    constexpr uint32_t of(uint32_t word) const {
        return (word >> lsb) & (0xFFFFFFFFu >> (31 - (msb - lsb)));
    }
    // The field of a body, given its first dword.
    constexpr uint32_t in(const uint32_t* body) const { return of(body[dword - 1]); }
    // Whether a body of `dwords` has it.
    constexpr bool applies(const uint32_t* body, uint32_t dwords) const {
        return dword <= dwords && (condition == nullptr || condition->holds(body, dwords));
    }
};

constexpr FieldCondition when(const PacketField& field, std::initializer_list<unsigned> values) {
    FieldCondition condition{field.dword, field.lsb, field.msb, 0};
    for (const unsigned value : values)
        condition.values |= 1u << value;
    return condition;
}
constexpr FieldCondition unless(const PacketField& field, std::initializer_list<unsigned> values) {
    FieldCondition condition = when(field, values);
    condition.values = ~condition.values;
    return condition;
}
constexpr FieldCondition when_body(uint32_t dwords) {
    return {0, 0, 0, dwords};
}

constexpr uint8_t kRingGfx = 1, kRingCompute0 = 2, kRingCompute1 = 4, kRingAll = 7;
constexpr uint32_t kMaxBodyDwords = 0x4000;
// The most dwords of a body that are there before its packet starts.
constexpr unsigned kMaxFixedDwords = 12;

struct PacketInfo {
    const char* name;
    PacketId id;
    uint8_t opcodes[2];  // the second may be an alias that other drivers use
    uint8_t opcode_count;
    uint8_t rings;  // kRing* mask
    PacketEngine engine;
    PacketClass packet_class;
    uint16_t min_body, max_body;  // dwords
    // Dwords of the body that must be there before the packet starts; the rest streams through.
    uint8_t fixed;
    // Dwords of the body the prefetch parser looks at to see whose packet it is.
    uint8_t routed_by;
    const PacketField* fields;
    uint8_t field_count;
    bool executed = true;  // false: the packet stops by name

    constexpr bool implemented() const { return executed; }
};

class PacketTable {
  public:
    // `packets` outlives the table. Two packets with one opcode are a programming error (assert).
    PacketTable(const char* generation, const PacketInfo* packets, size_t count,
                const PacketInfo& type0);

    const char* generation() const { return generation_; }
    const PacketInfo* find(uint8_t opcode) const {
        return index_[opcode] != 0 ? &packets_[index_[opcode] - 1] : nullptr;
    }
    const PacketInfo* find_by_name(const std::string& name) const;
    const PacketInfo& type0() const { return *type0_; }
    const PacketInfo* begin() const { return packets_; }
    const PacketInfo* end() const { return packets_ + count_; }
    size_t size() const { return count_; }

  private:
    const char* generation_;
    const PacketInfo* packets_;
    size_t count_;
    const PacketInfo* type0_;
    uint8_t index_[256] = {};
};

const PacketTable& si_packet_table();

// Other opcode numbers, one or two, for a packet.
struct OpcodeChoice {
    std::string packet;
    std::vector<uint8_t> opcodes;
};
// `base` with other numbers, which keeps what it needs of itself. Null when a choice is wrong:
// `problems` then has a sentence for each, behind the name of its packet.
std::shared_ptr<const PacketTable> renumber(
    const PacketTable& base, const std::vector<OpcodeChoice>& choices,
    std::vector<std::pair<std::string, std::string>>& problems);

// ---- headers -----------------------------------------------------------------------------------
constexpr unsigned header_type(uint32_t header) {
    return header >> 30;
}
constexpr uint8_t header_opcode(uint32_t header) {
    return static_cast<uint8_t>(header >> 8);
}
constexpr uint32_t header_body_dwords(uint32_t header) {
    return (header >> 16 & 0x3FFF) + 1;
}
constexpr bool header_is_compute(uint32_t header) {
    return (header & 2) != 0;
}
constexpr uint32_t make_header(uint8_t opcode, uint32_t body_dwords, bool compute = false) {
    return 0xC0000000u | ((body_dwords - 1) & 0x3FFF) << 16 | uint32_t{opcode} << 8 |
           (compute ? 2u : 0u);
}
constexpr uint32_t make_type0_header(uint32_t register_offset, uint32_t body_dwords) {
    return ((body_dwords - 1) & 0x3FFF) << 16 | (register_offset / 4 & 0xFFFF);
}

// Packets that set registers from an offset in the body on.
constexpr bool is_set_reg(PacketId id) {
    return id == PacketId::SetConfigReg || id == PacketId::SetContextReg ||
           id == PacketId::SetShReg;
}

// Checks a type-0 or type-3 header: type, opcode, ring, engine, implemented, size, and that
// `dwords_left` (after the header, in the ring or indirect buffer) hold the body. The constant
// engine knows no type 0. Throws MachineStop.
const PacketInfo& check_any_header(const PacketTable& table, uint32_t header,
                                   const Location& location, uint32_t dwords_left,
                                   PacketEngine engine);
inline const PacketInfo& check_header(const PacketTable& table, uint32_t header,
                                      const Location& location, uint32_t dwords_left,
                                      PacketEngine engine = PacketEngine::De) {
    // Nearly every header is in order, and needs no text.
    if (header_type(header) == 3) {
        const PacketInfo* fine = table.find(header_opcode(header));
        const uint32_t size = header_body_dwords(header);
        if (fine != nullptr && (fine->rings >> location.ring & 1) != 0 && fine->implemented() &&
            (fine->engine == PacketEngine::Both || fine->engine == engine) &&
            size >= fine->min_body && size <= fine->max_body && size <= dwords_left)
            return *fine;
    }
    return check_any_header(table, header, location, dwords_left, engine);
}

// What becomes of a packet in the prefetch parser.
enum class Route : uint8_t { Skip, Fetch, FetchConst, Pfp, Me, MeAndSync };
// `body` holds at least info.routed_by dwords. Throws MachineStop for an engine that cannot.
Route route_any_packet(const PacketInfo& info, const uint32_t* body, const Location& location);
inline Route route_packet(const PacketInfo& info, const uint32_t* body, const Location& location) {
    return is_set_reg(info.id) ? Route::Me : route_any_packet(info, body, location);
}

struct IndirectBuffer {
    uint64_t base = 0;  // bytes
    uint32_t dwords = 0;
    uint8_t vmid = 0;
    uint8_t swap = 0;
};
// The buffer an INDIRECT_BUFFER or INDIRECT_BUFFER_CONST at `location` calls. Throws MachineStop
// when it must not.
IndirectBuffer decode_indirect_buffer(const PacketInfo& info, const uint32_t* body,
                                      const Location& location);

// ---- text --------------------------------------------------------------------------------------
// "COMPUTE_PGM_LO = 0x00008001" for the log; null stands for hexadecimal offsets.
using RegisterNamer = std::string (*)(uint32_t byte_offset, uint32_t value);

// One line: name and fields, or name and registers for the SET_* packets. `available` dwords of the
// body are shown, which may be fewer than the header says.
std::string describe_packet(const PacketTable& table, uint32_t header, const uint32_t* body,
                            uint32_t available, RegisterNamer namer = nullptr);
std::string describe_register(uint32_t byte_offset, uint32_t value, RegisterNamer namer);
// Name of a VGT_EVENT_TYPE, "event 53" when there is none.
std::string event_name(uint8_t type);
bool event_is_defined(uint8_t type);
// PERFCOUNTER_START, PERFCOUNTER_STOP, PERFCOUNTER_SAMPLE.
constexpr bool is_counter_event(uint8_t type) {
    return type == 23 || type == 24 || type == 27;
}

}  // namespace archipelago::cp
