// SPDX-License-Identifier: Apache-2.0
// INDIRECT_BUFFER calls a buffer of packets, INDIRECT_BUFFER_CONST one for the constant engine: on
// a ring for the prefetch parser, in a constant buffer for the engine's fetch (table 2.1.6 marks it
// for CE; AMD's PAL calls the constant buffers of nested command buffers so). "Radeon Southern
// Islands Acceleration" 2.1.6, 2.2.1, 2.3.3. The second number of each is amdgpu's, the first
// radeon's.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/route_rule.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"
#include "models/cp/pm4/packet_stop.h"

namespace archipelago::cp::si {

namespace indirect_buffer {
constexpr unsigned kDeepest = 2;  // IB2

enum f : uint8_t { kSwap, kBaseLo, kBaseHi, kVmid, kChain, kSize };
constexpr PacketField kFields[] = {
    {"SWAP", 1, 0, 1, &kSwaps}, {"IB_BASE_LO", 1, 2, 31, &kAddress},
    {"IB_BASE_HI", 2, 0, 15},   {"VMID", 3, 24, 31},
    {"CHAIN", 3, 20, 20},       {"IB_SIZE", 3, 0, 19},
};

[[noreturn]] void bad(const PacketInfo& info, const Location& location, ParseFault fault,
                      const char* reason) {
    throw PacketStop(StopKind::BadInput, location, fault,
                     std::string("packet ") + info.name + reason);
}

IndirectBuffer buffer(const PacketInfo& info, const uint32_t* body, const Location& location) {
    const auto field = [&](unsigned i) { return info.fields[i].in(body); };
    // Constant buffers have levels of their own.
    if (info.routing.fixed == Route::FetchConst) {
        if (location.level >= kConstantLevel2)
            bad(info, location, ParseFault::TooDeep,
                " inside constant IB2: constant buffers nest two deep");
    } else if (location.level >= kDeepest) {
        bad(info, location, ParseFault::TooDeep, " inside IB2: indirect buffers nest two deep");
    }
    IndirectBuffer buffer;
    buffer.base = uint64_t{field(f::kBaseHi)} << 32 | uint64_t{field(f::kBaseLo)} << 2;
    buffer.dwords = field(f::kSize);
    buffer.swap = static_cast<uint8_t>(field(f::kSwap));
    // What an indirect buffer calls runs in the address space the kernel chose for it.
    buffer.vmid = location.level == 0 ? static_cast<uint8_t>(field(f::kVmid)) : location.vmid;
    if (field(f::kChain) != 0)
        throw PacketStop(StopKind::Unimplemented, location, ParseFault::Chain,
                         std::string("packet ") + info.name + " with CHAIN is not implemented");
    if (buffer.dwords == 0)
        bad(info, location, ParseFault::Empty, " of 0 dwords");
    if (buffer.swap > kMaxDwordSwap)
        bad(info, location, ParseFault::SwapCode, " with reserved swap code 3");
    return buffer;
}
}  // namespace indirect_buffer

constexpr PacketInfo kIndirectBuffer = packet("INDIRECT_BUFFER", 0x32, PacketClass::Buffer)
                                           .alias(0x3F)
                                           .body(3)
                                           .routed({kRuleFetch, Route::Fetch, nullptr, 3})
                                           .fields(indirect_buffer::kFields)
                                           .calls(indirect_buffer::buffer);
constexpr PacketInfo kIndirectBufferConst =
    packet("INDIRECT_BUFFER_CONST", 0x31, PacketClass::Buffer)
        .alias(0x33)
        .body(3)
        .engine(PacketEngine::Both)
        .flags(kCeFetch)
        .routed({kRuleFetchConst, Route::FetchConst, nullptr, 3})
        .fields(indirect_buffer::kFields)
        .calls(indirect_buffer::buffer);

}  // namespace archipelago::cp::si
