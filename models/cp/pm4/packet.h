// SPDX-License-Identifier: Apache-2.0
// A PM4 packet: name, opcodes, rings, engine, sizes, route, flags, fields and the program that runs
// it, in one row. Parser, programs, logs, assembler, disassembler, host and the tables of the
// Verilog blocks read the row; no code switches on the packet. A generation is a list of rows
// (packet_table.h); models/cp/packets/<family> has them, each in the file named after the packet or
// its kind. "Radeon Southern Islands Acceleration" section 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "models/common/register_info.h"
#include "models/cp/cp_location.h"
#include "models/front/packet_row.h"

namespace archipelago::cp {

struct CeCommand;
struct CeInstruction;
struct DeState;
struct MicroOp;
struct PacketInfo;
struct ProgramState;

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

using front::FieldCondition;
using front::FieldList;
using front::FieldMeaning;
using front::PacketField;
using front::unless;
using front::when;
using front::when_body;

// ---- registers ---------------------------------------------------------------------------------

// Kinds of registers that SET_*_REG, LOAD_*_REG and CONTEXT_CONTROL tell apart, by the numbers
// that a family gives them (packets/<family>/register_windows.h).
using RegisterSpace = uint8_t;
constexpr unsigned kMaxRegisterSpaces = 16;

// Where the registers lie that a packet names by an offset in dwords; bytes, `end` exclusive.
struct RegisterWindow {
    uint32_t start;
    uint32_t end;
    RegisterSpace space;            // of the packet with SHADER_TYPE 0
    RegisterSpace compute_space;    // and with 1
    uint32_t compute_start;         // a compute ring reaches registers from here on only
    uint32_t reserved_offset_bits;  // of the dword with the offset in SET_*_REG
    bool of_contexts = false;       // there is one of each for each render context
};

// ---- routes ------------------------------------------------------------------------------------

// What becomes of a packet in the prefetch parser.
enum class Route : uint8_t { Skip, Fetch, FetchConst, Pfp, Me, MeAndSync };

// Rules by which a Verilog parser finds the route: all packets go to ME, or it cannot. The others
// are the family's (packets/si/route_rule.h).
constexpr uint8_t kRuleMe = 0, kNoRule = 15;

struct Routing {
    uint8_t rule = kRuleMe;
    Route fixed = Route::Me;
    // Not null: the route depends on the first `dwords` dwords of the body. Throws MachineStop for
    // an engine that cannot carry the packet out.
    Route (*decide)(const PacketInfo& info, const uint32_t* body,
                    const Location& location) = nullptr;
    uint8_t dwords = 0;
};

// ---- the row -----------------------------------------------------------------------------------

constexpr uint8_t kRingGfx = 1, kRingCompute0 = 2, kRingCompute1 = 4, kRingAll = 7;
constexpr uint32_t kMaxBodyDwords = 0x4000;
// The most dwords of a body that are there before its packet starts.
constexpr unsigned kMaxFixedDwords = 12;

// What others must know of a packet's program.
enum PacketFlag : uint16_t {
    kOwnRegisters = 1 << 0,   // CP, and not the packet, says which registers it writes
    kSetsRegisters = 1 << 1,  // its program writes body[1].. to consecutive registers of `window`
    kLogsRegisters = 1 << 2,  // logged register by register, as the writes leave
    kStartsDraw = 1 << 3,
    kStartsDispatch = 1 << 4,
    kEndsShader = 1 << 5,      // belongs to the draw or dispatch before it (2.1.5)
    kPolls = 1 << 6,           // repeats reads until one satisfies it; describe_wait says which
    kCopiesContexts = 1 << 7,  // writes the registers with which CP copies contexts
    kCeFetch = 1 << 8,         // in a constant buffer: the fetch of the constant engine runs it
    kUnimplemented = 1 << 9,   // stops by name
};

struct IndirectBuffer {
    uint64_t base = 0;  // bytes
    uint32_t dwords = 0;
    uint8_t vmid = 0;
    uint8_t swap = 0;
};

// The dwords of its shape are those of the body; before its program starts, `fixed` of them must be
// there.
struct PacketInfo : front::ProgramRow<PacketInfo, ProgramState, MicroOp> {
    uint8_t opcodes[2] = {};  // the second may be an alias that other drivers use
    uint8_t opcode_count = 0;
    uint8_t rings = kRingAll;  // kRing* mask
    PacketEngine engine = PacketEngine::De;
    PacketClass packet_class = PacketClass::State;
    uint16_t flags = 0;
    Routing routing;
    const RegisterWindow* window = nullptr;  // of REG_OFFSET

    // The buffer the packet calls (Route::Fetch, Route::FetchConst). Throws MachineStop.
    IndirectBuffer (*buffer)(const PacketInfo& info, const uint32_t* body,
                             const Location& location) = nullptr;
    // What the prefetch parser keeps of a packet that it hands to ME.
    void (*note)(const PacketInfo& info, const uint32_t* body, DeState& state) = nullptr;
    // When the condition holds, a command goes to the constant engine with the packet's last dword;
    // false: ME refuses the packet, and there is none.
    const FieldCondition* ce_when = nullptr;
    bool (*ce_command)(const PacketInfo& info, const uint32_t* body, CeCommand& command) = nullptr;
    // What the constant engine itself does with the packet in a constant buffer.
    const CeInstruction* ce = nullptr;

    constexpr bool is(uint16_t mask) const { return (flags & mask) != 0; }
    constexpr bool implemented() const { return !is(kUnimplemented); }
    constexpr Route route(const uint32_t* body, const Location& location) const {
        return routing.decide == nullptr ? routing.fixed : routing.decide(*this, body, location);
    }
};

// Whether a command for the constant engine goes with the packet, whose first dword is known.
inline bool commands_ce(const PacketInfo& info, const uint32_t* body) {
    return info.ce_when != nullptr && info.ce_when->holds(body, 1);
}

// Writes a row: packet("COPY_DW", 0x3B, PacketClass::Data).body(5).program(kFields, run).
// Another family changes what differs: PacketRow(kCopyDw).opcode(0x3C).
class PacketRow : public front::RowBuilder<PacketRow, PacketInfo> {
  public:
    using RowBuilder::RowBuilder;

    constexpr PacketRow opcode(uint8_t first) const {
        return with([&](PacketInfo& i) { i.opcodes[0] = first, i.opcode_count = 1; });
    }
    constexpr PacketRow alias(uint8_t second) const {
        return with([&](PacketInfo& i) { i.opcodes[1] = second, i.opcode_count = 2; });
    }
    constexpr PacketRow rings(uint8_t mask) const {
        return with([&](PacketInfo& i) { i.rings = mask; });
    }
    constexpr PacketRow engine(PacketEngine engine) const {
        return with([&](PacketInfo& i) { i.engine = engine; });
    }
    // A body of `dwords`, all there before the packet starts.
    constexpr PacketRow body(uint8_t dwords) const { return body(dwords, dwords, dwords); }
    constexpr PacketRow body(uint16_t min, uint16_t max, uint8_t fixed) const {
        return sizes(min, max).with([&](PacketInfo& i) { i.fixed = fixed; });
    }
    constexpr PacketRow routed(const Routing& routing) const {
        return with([&](PacketInfo& i) { i.routing = routing; });
    }
    constexpr PacketRow window(const RegisterWindow& window) const {
        return with([&](PacketInfo& i) { i.window = &window, i.register_window = window.start; });
    }
    constexpr PacketRow flags(uint16_t mask) const {
        return with([&](PacketInfo& i) { i.flags |= mask; });
    }
    template <size_t N>
    constexpr PacketRow program(const PacketField (&list)[N],
                                bool (*run)(ProgramState&, MicroOp&)) const {
        return fields(list).runs(run);
    }
    // No public source says what is in it.
    template <size_t N>
    constexpr PacketRow unpublished(const PacketField (&payload)[N]) const {
        return body(1, kMaxBodyDwords, 0).flags(kUnimplemented).fields(payload);
    }
    constexpr PacketRow calls(IndirectBuffer (*buffer)(const PacketInfo&, const uint32_t*,
                                                       const Location&)) const {
        return with([&](PacketInfo& i) { i.buffer = buffer; });
    }
    constexpr PacketRow noted(void (*note)(const PacketInfo&, const uint32_t*, DeState&)) const {
        return with([&](PacketInfo& i) { i.note = note; });
    }
    constexpr PacketRow commands_ce(const FieldCondition& condition,
                                    bool (*command)(const PacketInfo&, const uint32_t*,
                                                    CeCommand&)) const {
        return with([&](PacketInfo& i) { i.ce_when = &condition, i.ce_command = command; });
    }
    constexpr PacketRow in_ce(const CeInstruction& instruction) const {
        return with([&](PacketInfo& i) { i.ce = &instruction; });
    }
    // A packet of the constant engine alone.
    template <size_t N>
    constexpr PacketRow ce_program(const PacketField (&list)[N],
                                   const CeInstruction& instruction) const {
        return engine(PacketEngine::Ce).fields(list).in_ce(instruction);
    }
};

constexpr PacketRow packet(const char* name, uint8_t opcode, PacketClass packet_class) {
    PacketInfo info;
    info.name = name;
    info.packet_class = packet_class;
    return PacketRow(info).opcode(opcode);
}

}  // namespace archipelago::cp
