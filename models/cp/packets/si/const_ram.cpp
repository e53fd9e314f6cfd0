// SPDX-License-Identifier: Apache-2.0
// The RAM of the constant engine: WRITE_CONST_RAM, DUMP_CONST_RAM, LOAD_CONST_RAM. "Radeon Southern
// Islands Acceleration" 2.3.
#include <algorithm>

#include "models/cp/ce_instruction.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp::si {

namespace {
// The packet moves `count` dwords to or from memory.
CeState::Ring& set_transfer(CeStep& s, uint32_t count, uint32_t low, uint32_t high) {
    CeState::Ring& r = s.to();
    r.remaining = static_cast<uint16_t>(count);
    r.address = uint64_t{high} << 32 | low;
    return r;
}
// `dwords` of them are done in this cycle.
void advance_transfer(CeStep& s, uint32_t dwords) {
    const CeState::Ring& was = s.was();
    CeState::Ring& r = s.to();
    r.ram = was.ram + 4 * dwords;
    r.address = was.address + 4 * dwords;
    r.remaining = static_cast<uint16_t>(was.remaining - dwords);
}
}  // namespace

namespace write_const_ram {
enum f : uint8_t { kOffset, kData };
constexpr PacketField kFields[] = {
    {"OFFSET", 1, 0, 15},
    PacketField{"DATA", 2, 0, 31}.every(1),
};

void start(CeStep& s) {
    const uint32_t offset = s[f::kOffset];
    if (offset % 4 != 0)
        s.stop(CeStop::Alignment, s.was().body[0]);
    else
        s.use_ram(offset, s.was().left);
}
// Loaded data have the RAM's port first.
CeReason blocked(const rtl::CpCePins::In& in, const CeState&, unsigned ring) {
    if (in.rsp_valid != 0 && (in.rsp.tag & 4) == 0)
        return CeReason::RamPort;
    return in.stream[ring].valid != 0 ? CeReason::None : CeReason::Stream;
}
bool write(CeStep& s, uint32_t base) {
    s.take();
    s.ram[s.was().ram / 4] = s.dword() + base;
    s.to().ram = s.was().ram + 4;
    return s.to().left == 0;
}
bool execute(CeStep& s) {
    return write(s, 0);
}
bool execute_offset(CeStep& s) {
    return write(s, s.gds_partition());
}
constexpr CeInstruction kInCe{CePacket::WriteConstRam, blocked, start, execute};
constexpr CeInstruction kOffsetInCe{CePacket::WriteConstRamOffset, blocked, start, execute_offset};
}  // namespace write_const_ram
constexpr PacketInfo kWriteConstRam =
    packet("WRITE_CONST_RAM", 0x81, PacketClass::Data)
        .body(2, kMaxBodyDwords, 1)
        .ce_program(write_const_ram::kFields, write_const_ram::kInCe);

constexpr PacketInfo kWriteConstRamOffset =
    packet("WRITE_CONST_RAM_OFFSET", 0x82, PacketClass::Data)
        .body(2, kMaxBodyDwords, 1)
        .ce_program(write_const_ram::kFields, write_const_ram::kOffsetInCe);

namespace dump_const_ram {
enum f : uint8_t { kOffset, kCount, kAddressLo, kAddressHi };
constexpr PacketField kFields[] = {
    {"OFFSET", 1, 0, 15},
    {"NUM_DW", 2, 0, 14},
    {"ADDR_LO", 3, 0, 31},
    {"ADDR_HI", 4, 0, 31},
};

void start(CeStep& s) {
    const uint32_t offset = s[f::kOffset];
    const CeState::Ring& r = set_transfer(s, s[f::kCount], s[f::kAddressLo], s[f::kAddressHi]);
    if (offset % 4 != 0)
        s.stop(CeStop::Alignment, s.was().body[0]);
    else if (r.address % 4 != 0)
        s.stop(CeStop::Alignment, s.was().body[2]);
    else
        s.use_ram(offset, r.remaining);
}
CeReason blocked(const rtl::CpCePins::In& in, const CeState& state, unsigned ring) {
    if (state.rings[ring].remaining == 0)
        return CeReason::None;
    if (state.writes >= in.config.writes)
        return CeReason::Dumps;
    return in.req_ready != 0 ? CeReason::None : CeReason::MemPort;
}
// A line a cycle.
bool execute(CeStep& s) {
    const CeState::Ring& was = s.was();
    if (was.remaining == 0)
        return true;
    const auto first = static_cast<unsigned>(was.address % 64 / 4);
    const unsigned count = std::min<unsigned>(16 - first, was.remaining);
    s.out.req_valid = s.out.req.write = 1;
    s.out.req.line = was.address / 64;
    s.out.req.mask = static_cast<uint16_t>(((1u << count) - 1) << first);
    s.out.req.vmid = was.vmid;
    s.out.req.tag = ce_write_tag(s.ring, was.set);
    for (unsigned i = 0; i < count; ++i)
        s.out.req.data[first + i] = s.ram[was.ram / 4 + i];
    ++s.next.writes;
    ++s.to().writes[was.set];
    advance_transfer(s, count);
    return s.to().remaining == 0;
}
constexpr CeInstruction kInCe{CePacket::DumpConstRam, blocked, start, execute};
}  // namespace dump_const_ram
constexpr PacketInfo kDumpConstRam =
    packet("DUMP_CONST_RAM", 0x83, PacketClass::Data)
        .body(4)
        .ce_program(dump_const_ram::kFields, dump_const_ram::kInCe);

namespace load_const_ram {
enum f : uint8_t { kAddressLo, kAddressHi, kCount, kOffset };
constexpr PacketField kFields[] = {
    {"ADDR_LO", 1, 0, 31},
    {"ADDR_HI", 2, 0, 31},
    {"NUM_DW", 3, 0, 14},
    {"OFFSET", 4, 0, 15},
};

void start(CeStep& s) {
    const uint32_t offset = s[f::kOffset];
    const CeState::Ring& r = set_transfer(s, s[f::kCount], s[f::kAddressLo], s[f::kAddressHi]);
    if (r.address % 32 != 0)
        s.stop(CeStop::Alignment, s.was().body[0]);
    else if (r.remaining % 8 != 0)
        s.stop(CeStop::Alignment, s.was().body[2]);
    else if (offset % 32 != 0)
        s.stop(CeStop::Alignment, s.was().body[3]);
    else
        s.use_ram(offset, r.remaining);
}
CeReason blocked(const rtl::CpCePins::In& in, const CeState& state, unsigned ring) {
    const CeState::Ring& r = state.rings[ring];
    // What the ring dumped before is in memory when it is loaded.
    for (const uint16_t writes : r.writes)
        if (writes != 0)
            return CeReason::Dumps;
    if (r.remaining == 0)
        return r.loads == 0 ? CeReason::None : CeReason::Loads;
    if (state.loads >= in.config.reads)
        return CeReason::Loads;
    return in.req_ready != 0 ? CeReason::None : CeReason::MemPort;
}
// A line, or half of one, a cycle.
bool execute(CeStep& s) {
    const CeState::Ring& was = s.was();
    if (was.remaining == 0)
        return true;
    const auto half = static_cast<unsigned>(was.address % 64 / 32);
    const bool two = half == 0 && was.remaining > 8;
    s.out.req_valid = 1;
    s.out.req.line = was.address / 64;
    s.out.req.mask = two ? 0xFFFF : half != 0 ? 0xFF00 : 0x00FF;
    s.out.req.vmid = was.vmid;
    s.out.req.tag = ce_read_tag(s.ring, was.ram / 32, half, two);
    ++s.next.loads;
    ++s.to().loads;
    advance_transfer(s, two ? 16 : 8);
    return false;
}
constexpr CeInstruction kInCe{CePacket::LoadConstRam, blocked, start, execute};
}  // namespace load_const_ram
constexpr PacketInfo kLoadConstRam =
    packet("LOAD_CONST_RAM", 0x80, PacketClass::Data)
        .body(4)
        .ce_program(load_const_ram::kFields, load_const_ram::kInCe);

}  // namespace archipelago::cp::si
