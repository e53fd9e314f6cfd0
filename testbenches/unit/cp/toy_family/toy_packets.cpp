// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/cp/toy_family/toy_packets.h"

#include <algorithm>

#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"
#include "models/cp/registers/si/si_registers.h"
#include "registers/si_register_table.h"

namespace archipelago::cp {

namespace {

// WRITE_DATA as Southern Islands has it, but for the places of its fields: the address comes first,
// the upper half before the lower one.
namespace write_data {
constexpr PacketField kDestination{"DST_SEL", 3, 4, 7, &si::kDestinations};
constexpr FieldCondition kToRegister = when(kDestination, {0});
constexpr FieldCondition kToMemory = unless(kDestination, {0, 3});
constexpr FieldCondition kToGds = when(kDestination, {3});
constexpr PacketField kFields[] = {
    {"ENGINE_SEL", 3, 0, 1, &si::kEngines},
    {"WR_CONFIRM", 3, 8, 8},
    {"WR_ONE_ADDR", 3, 12, 12},
    kDestination,
    PacketField{"DST_REGISTER", 2, 0, 15, &si::kAnyRegister}.when(kToRegister),
    PacketField{"DST_ADDR_LO", 2, 0, 31}.when(kToMemory),
    PacketField{"DST_GDS", 2, 0, 15}.when(kToGds),
    {"DST_ADDR_HI", 1, 0, 31},
    PacketField{"DATA", 4, 0, 31}.every(1),
    {"DST_ADDR_LO", 2, 0, 31},
};
constexpr size_t kShown = 9;
Route route(const PacketInfo& info, const uint32_t* body, const Location& location) {
    return si::kWriteData.routing.decide(info, body, location);
}
// Its engine is in the third dword. No Verilog parser looks there.
constexpr Routing kRouting{kNoRule, Route::Me, route, 3};
}  // namespace write_data

// COUNT dwords of VALUE to memory from ADDRESS on.
namespace fill_memory {
struct f {
    enum : uint8_t { kCount, kAddressLo, kAddressHi, kValue };
};
constexpr PacketField kFields[] = {
    {"COUNT", 1, 8, 23},
    {"ADDRESS_LO", 2, 2, 31, &si::kAddress},
    {"ADDRESS_HI", 3, 0, 15},
    {"VALUE", 4, 0, 31},
};
bool run(ProgramState& p, MicroOp& op) {
    if (p.index == p[f::kCount])
        return false;
    op.kind = OpKind::MemWrite;
    op.address = p.dword_address(p.dword(f::kAddressLo), p[f::kAddressHi]) + 4 * uint64_t{p.index};
    op.data[0] = p[f::kValue];
    ++p.index;
    return true;
}
}  // namespace fill_memory

constexpr PacketRow kFillMemory = packet("FILL_MEMORY", 0x05, PacketClass::Data)
                                      .body(4)
                                      .fields(fill_memory::kFields)
                                      .runs(fill_memory::run);

}  // namespace

const PacketTable& toy_packet_table() {
    static const PacketTable table(
        "toy",
        {PacketRow(si::kNop).opcode(0xC0), PacketRow(si::kSetConfigReg).opcode(0xC1),
         PacketRow(si::kSetShReg).opcode(0xC2), PacketRow(si::kIndirectBuffer).opcode(0xC3),
         PacketRow(si::kEventWriteEop).opcode(0xC4), PacketRow(si::kWaitRegMem).opcode(0xC5),
         PacketRow(si::kSurfaceSync).opcode(0xC6), PacketRow(si::kDispatchDirect).opcode(0xC7),
         PacketRow(si::kWriteData)
             .opcode(0xC8)
             .fields(write_data::kFields, write_data::kShown)
             .routed(write_data::kRouting),
         kFillMemory},
        si::kType0);
    return table;
}

Spec toy_spec() {
    Spec spec = si_spec();
    spec.packets = &toy_packet_table();
    return spec;
}

Pm4Language toy_pm4() {
    return {toy_packet_table(), regs::si::database()};
}

}  // namespace archipelago::cp
