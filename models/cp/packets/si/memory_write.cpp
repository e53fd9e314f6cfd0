// SPDX-License-Identifier: Apache-2.0
// Packets that write memory: MEM_WRITE (R6xx/R7xx document), ME_WRITE (as the Linux driver of
// Cayman uses it) and CE_WRITE, which no public source lays out: taken to be ME_WRITE in a constant
// buffer.

#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"

namespace archipelago::cp::si {

namespace mem_write {
enum f : uint8_t { kSwap, kAddressLo, kAddressHi, kCounter, kConfirm, kData32, kDataLo, kDataHi };
constexpr PacketField kFields[] = {
    {"SWAP", 1, 0, 1, &kSwaps}, {"ADDRESS_LO", 1, 2, 31, &kAddress},
    {"ADDRESS_HI", 2, 0, 15},   {"CNTR_SEL", 2, 16, 16},
    {"WR_CONFIRM", 2, 17, 17},  {"DATA32", 2, 18, 18},
    {"DATA_LO", 3, 0, 31},      {"DATA_HI", 4, 0, 31},
};

bool run(ProgramState& p, MicroOp& op) {
    const bool data32 = p[f::kData32] != 0;
    if (p.step == 0) {
        p.address = uint64_t{p[f::kAddressHi]} << 32 | uint64_t{p[f::kAddressLo]} << 2;
        if (!data32 && p.address % 8 != 0)
            p.bad("address " + hex(p.address) + " is not qword aligned");
        if (data32 && p[f::kSwap] > kMaxDwordSwap)
            p.bad("swap code 3 (8-in-64) of a dword");
        p.result.value = p.wide(f::kDataLo, f::kDataHi);
        p.step = 1;
        if (p[f::kCounter] != 0)
            return issue(op, OpKind::Clock);
    }
    if (p.step == 1) {
        op.kind = OpKind::MemWrite;
        p.address_in(f::kAddressLo, op);
        op.address = p.address;
        op.dwords = data32 ? 1 : 2;
        const unsigned swap = p[f::kSwap];
        const bool qword_swap = swap > kMaxDwordSwap;  // of bytes in dwords, and of the dwords
        op.swap = static_cast<uint8_t>(qword_swap ? 2 : swap);
        op.data[qword_swap ? 1 : 0] = static_cast<uint32_t>(p.result.value);
        op.data[qword_swap ? 0 : 1] = static_cast<uint32_t>(p.result.value >> 32);
        p.step = p[f::kConfirm] != 0 ? 2 : 3;
        return true;
    }
    op.kind = OpKind::WaitWrites;
    return p.step++ == 2;
}
}  // namespace mem_write
constexpr PacketInfo kMemWrite = packet("MEM_WRITE", 0x3D, PacketClass::Data)
                                     .body(4)
                                     .program(mem_write::kFields, mem_write::run);

namespace write_stream {
enum f : uint8_t { kAddressLo, kAddressHi, kData };
constexpr PacketField kFields[] = {
    {"ADDR_LO", 1, 2, 31, &kAddress},
    {"ADDR_HI", 2, 0, 15},
    PacketField{"DATA", 3, 0, 31}.every(1),
};

bool run(ProgramState& p, MicroOp& op) {
    if (p.step == 0) {
        p.address = p.dword_address(p.dword(f::kAddressLo), p[f::kAddressHi]);
        if (p.info->engine == PacketEngine::Ce && p.dword(f::kAddressHi) >> 16 != 0)
            p.bad("reserved bits of ADDR_HI " + hex(p.dword(f::kAddressHi)));
        p.count = p.body_dwords() - 2;
        p.step = 1;
    }
    p.address_in(f::kAddressLo, op);
    return stream_memory(p, op);
}
}  // namespace write_stream
constexpr PacketInfo kMeWrite = packet("ME_WRITE", 0x7A, PacketClass::Data)
                                    .body(3, kMaxBodyDwords, 2)
                                    .program(write_stream::kFields, write_stream::run);
constexpr PacketInfo kCeWrite = packet("CE_WRITE", 0x7F, PacketClass::Data)
                                    .engine(PacketEngine::Ce)
                                    .body(3, kMaxBodyDwords, 2)
                                    .flags(kCeFetch)
                                    .program(write_stream::kFields, write_stream::run);

}  // namespace archipelago::cp::si
