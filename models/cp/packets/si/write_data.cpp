// SPDX-License-Identifier: Apache-2.0
// WRITE_DATA: "Radeon Southern Islands Acceleration" 2.9.4.
#include "models/cp/packets/si/engine.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/gds.h"
#include "models/cp/packets/si/route_rule.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

namespace write_data {
enum f : uint8_t {
    kEngine,
    kConfirm,
    kOneAddress,
    kDestination,
    kRegister,
    kMemoryLo,
    kGdsOffset,
    kAddressHi,
    kData,
    kAddressLo
};
constexpr PacketField kFields[] = {
    {"ENGINE_SEL", 1, 30, 31, &kEngines},
    {"WR_CONFIRM", 1, 20, 20},
    {"WR_ONE_ADDR", 1, 16, 16},
    kDestinationField,
    PacketField{"DST_REGISTER", 2, 0, 15, &kAnyRegister}.when(kToRegister),
    PacketField{"DST_ADDR_LO", 2, 0, 31}.when(kToMemory),
    PacketField{"DST_GDS", 2, 0, 15}.when(kToGds),
    {"DST_ADDR_HI", 3, 0, 31},
    PacketField{"DATA", 4, 0, 31}.every(1),
    {"DST_ADDR_LO", 2, 0, 31},
};
constexpr size_t kShown = 9;  // after them: whole dwords, for the program

// The document gives PFP registers and memory (sync) only; RADV writes memory (async) with it.
void bad_pfp_destination(const ProgramState& p) {
    p.bad("ENGINE_SEL PFP writes registers and memory only, not DST_SEL " +
          std::to_string(p[f::kDestination]));
}

bool write_data_gds(ProgramState& p, MicroOp& op) {
    const bool one_address = p[f::kOneAddress] != 0;
    if (p.step == 0) {
        p.step = 1;
        if (p.engine == ProgramEngine::Pfp)
            bad_pfp_destination(p);
        p.count = p.body_dwords() - 3;
        p.address = gds_dwords(p, p[f::kAddressLo] & 0xFFFF, one_address ? 1 : p.count);
    }
    if (write_gds_stream(p, op, one_address))
        return true;
    if (p.step == 2 || p[f::kConfirm] == 0)
        return false;
    p.step = 2;
    confirm_gds(op, p.address + (one_address ? 0 : 4 * uint64_t{p.count - 1}));
    return true;
}

Route route(const PacketInfo& info, const uint32_t* body, const Location& location) {
    const uint32_t engine = info.fields[f::kEngine].in(body);
    if (engine == 2)
        wrong_engine(info, location);
    return engine == 1 ? Route::Pfp : Route::Me;
}
constexpr Routing kRouting{kRuleWriteData, Route::Me, route, 1};

// What it may do in a constant buffer: the table of 2.9.4.
void check_constant_engine(const ProgramState& p) {
    const uint32_t destination = p[f::kDestination];
    if (p[f::kEngine] != 2)
        p.bad("ENGINE_SEL " + std::to_string(p[f::kEngine]) + " in a constant buffer, must be CE");
    if (destination == kDstL2 || destination == kDstGds)
        p.bad("DST_SEL " + std::to_string(destination) + " is not for the constant engine");
}

bool run(ProgramState& p, MicroOp& op) {
    if (p.engine == ProgramEngine::Ce && p.step == 0)
        check_constant_engine(p);
    const uint32_t destination = p[f::kDestination];
    const bool one_address = p[f::kOneAddress] != 0;
    if (destination == kDstGds)
        return write_data_gds(p, op);
    if (p.step == 0) {
        p.count = p.body_dwords() - 3;
        if (is_reserved_destination(destination))
            p.bad("reserved DST_SEL " + std::to_string(destination));
        if (p.engine == ProgramEngine::Pfp && destination == kDstL2)
            bad_pfp_destination(p);
        if (destination == kDstRegister) {
            p.address = 4 * (p[f::kAddressLo] & 0xFFFF);
            p.check_register_end(p.address + (one_address ? 4 : 4 * uint64_t{p.count}));
            const uint64_t event = regs::si::VGT_EVENT_INITIATOR;
            if (p.engine == ProgramEngine::Pfp && p.address <= event &&
                event < p.address + (one_address ? 4 : 4 * uint64_t{p.count}))
                p.bad("events are posted by ME, not by ENGINE_SEL PFP");
        } else {
            p.address = p.dword_address(p[f::kAddressLo], p[f::kAddressHi]);
        }
        p.step = 1;
    }
    if (p.index < p.count) {
        if (destination == kDstRegister) {
            const uint32_t i = p.index++;
            return stream_register(op,
                                   static_cast<uint32_t>(p.address) + (one_address ? 0 : 4 * i));
        }
        op.path = destination == kDstL2 ? MemPath::L2 : MemPath::Hub;
        p.address_in(f::kMemoryLo, op);
        return stream_memory(p, op, one_address);
    }
    if (p.step == 2 || p[f::kConfirm] == 0)
        return false;
    p.step = 2;
    // A register write is confirmed by reading the register.
    op.kind = destination == kDstRegister ? OpKind::RegRead : OpKind::WaitWrites;
    op.offset = static_cast<uint32_t>(p.address) + (one_address ? 0 : 4 * (p.count - 1));
    return true;
}
}  // namespace write_data
constexpr PacketInfo kWriteData = packet("WRITE_DATA", 0x37, PacketClass::Data)
                                      .engine(PacketEngine::Both)
                                      .body(4, kMaxBodyDwords, 3)
                                      .flags(kCeFetch)
                                      .routed(write_data::kRouting)
                                      .fields(write_data::kFields, write_data::kShown)
                                      .runs(write_data::run);

}  // namespace archipelago::cp::si
