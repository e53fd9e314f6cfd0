// SPDX-License-Identifier: Apache-2.0
// COPY_DATA: "Radeon Southern Islands Acceleration" 2.9.2.
#include "models/cp/packets/si/engine.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/gds.h"
#include "models/cp/packets/si/route_rule.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

namespace copy_data {
enum f : uint8_t {
    kEngine,
    kConfirm,
    kCount,
    kDestination,
    kSource,
    kSourceRegister,
    kSourceMemoryLo,
    kSourceMemoryHi,
    kSourceGds,
    kDataLo,
    kDataHi,
    kRegister,
    kMemoryLo,
    kMemoryHi,
    kGds,
    kSourceLo,
    kSourceHi,
    kAddressLo,
    kAddressHi
};
constexpr FieldCondition kFromRegister = when({"SRC_SEL", 1, 0, 3}, {0});
constexpr FieldCondition kFromMemory = unless({"SRC_SEL", 1, 0, 3}, {0, 3, 5});
constexpr FieldCondition kFromGds = when({"SRC_SEL", 1, 0, 3}, {3});
constexpr FieldCondition kFromPacket = when({"SRC_SEL", 1, 0, 3}, {5});
constexpr PacketField kFields[] = {
    {"ENGINE_SEL", 1, 30, 31, &kEngines},
    {"WR_CONFIRM", 1, 20, 20},
    {"COUNT_SEL", 1, 16, 16},
    kDestinationField,
    {"SRC_SEL", 1, 0, 3, &kSources},
    PacketField{"SRC_REGISTER", 2, 0, 15, &kAnyRegister}.when(kFromRegister),
    PacketField{"SRC_ADDR_LO", 2, 0, 31}.when(kFromMemory),
    PacketField{"SRC_ADDR_HI", 3, 0, 31}.when(kFromMemory),
    PacketField{"SRC_GDS", 2, 0, 15}.when(kFromGds),
    PacketField{"DATA_LO", 2, 0, 31}.when(kFromPacket),
    PacketField{"DATA_HI", 3, 0, 31}.when(kFromPacket),
    PacketField{"DST_REGISTER", 4, 0, 15, &kAnyRegister}.when(kToRegister),
    PacketField{"DST_ADDR_LO", 4, 0, 31}.when(kToMemory),
    PacketField{"DST_ADDR_HI", 5, 0, 31}.when(kToMemory),
    PacketField{"DST_GDS", 4, 0, 15}.when(kToGds),
    {"SRC_ADDR_LO", 2, 0, 31},
    {"SRC_ADDR_HI", 3, 0, 31},
    {"DST_ADDR_LO", 4, 0, 31},
    {"DST_ADDR_HI", 5, 0, 31},
};
constexpr size_t kShown = 15;  // after them: whole dwords, for the program

// SRC_SEL; 9 is the clock to the public drivers; the document ends at 8.
enum Source : uint32_t {
    kSrcRegister = 0,
    kSrcMemory = 1,
    kSrcL2 = 2,
    kSrcGds = 3,
    kSrcPacket = 5,
    kSrcAtomicReturn = 6,
    kSrcGdsReturn0 = 7,
    kSrcGdsReturn1 = 8,
    kSrcClock = 9
};
enum Step : uint32_t { kStart, kSecondRead, kRead, kSecondWrite, kConfirmWrite, kEnd };

Route route(const PacketInfo& info, const uint32_t* body, const Location& location) {
    const uint32_t engine = info.fields[f::kEngine].in(body);
    if (engine == 2)
        wrong_engine(info, location);
    if (engine != 0)
        throw PacketStop(StopKind::BadInput, location, ParseFault::EngineWrong,
                         std::string(info.name) + " with ENGINE_SEL " + std::to_string(engine) +
                             ", only ME and CE copy");
    return Route::Me;
}
constexpr Routing kRouting{kRuleCopyData, Route::Me, route, 1};

// What it may do in a constant buffer: the table of 2.9.2.
void check_constant_engine(const ProgramState& p) {
    const uint32_t destination = p[f::kDestination], source = p[f::kSource];
    if (p[f::kEngine] != 2)
        p.bad("ENGINE_SEL " + std::to_string(p[f::kEngine]) + " in a constant buffer, must be CE");
    if (destination == kDstGds || destination == kDstMemory)
        p.bad("DST_SEL " + std::to_string(destination) + " is not for the constant engine");
    if (destination == kDstMemorySync && p[f::kConfirm] != 0)
        p.bad("WR_CONFIRM does not go with DST_SEL 1 in the constant engine");
    if (source == kSrcGds || (source >= kSrcAtomicReturn && source <= kSrcGdsReturn1))
        p.bad("SRC_SEL " + std::to_string(source) + " is not for the constant engine");
}

uint32_t dwords(const ProgramState& p) {
    return p[f::kCount] + 1;
}
bool reads_registers(uint32_t source) {
    return source == kSrcRegister || source == kSrcGdsReturn0 || source == kSrcGdsReturn1;
}
uint32_t source_register(const ProgramState& p) {
    switch (p[f::kSource]) {
        case kSrcGdsReturn0:
            return regs::si::CP_GDS_ATOMIC0_PREOP_LO;
        case kSrcGdsReturn1:
            return regs::si::CP_GDS_ATOMIC1_PREOP_LO;
        default:
            return 4 * (p[f::kSourceLo] & 0xFFFF);
    }
}
uint32_t destination_register(const ProgramState& p) {
    return 4 * (p[f::kAddressLo] & 0xFFFF);
}
uint32_t destination_gds(const ProgramState& p) {
    return gds_dwords(p, p[f::kAddressLo] & 0xFFFF, dwords(p));
}
uint64_t aligned(const ProgramState& p, uint64_t address) {
    if (address % (4 * dwords(p)) != 0)
        p.bad("address " + hex(address) +
              (dwords(p) == 1 ? " is not dword aligned" : " is not qword aligned"));
    return address;
}

void check(const ProgramState& p) {
    const uint32_t source = p[f::kSource], destination = p[f::kDestination];
    if (is_reserved_destination(destination))
        p.bad("reserved DST_SEL " + std::to_string(destination));
    if (source == 4 || source > kSrcClock)
        p.bad("reserved SRC_SEL " + std::to_string(source));
    if (destination == kDstRegister)
        p.check_register_end(destination_register(p) + 4 * uint64_t{dwords(p)});
    else if (destination == kDstGds)
        destination_gds(p);
    else
        aligned(p, p.wide(f::kAddressLo, f::kAddressHi));
}

// True: `op` reads the source; false: it is here already, in p.result.
bool read_source(ProgramState& p, MicroOp& op) {
    const uint32_t source = p[f::kSource];
    p.step = kRead;
    op.dwords = static_cast<uint8_t>(dwords(p));
    switch (source) {
        case kSrcGds:
            op.kind = OpKind::GdsRead;
            op.address = gds_dwords(p, p[f::kSourceLo] & 0xFFFF, dwords(p));
            return true;
        case kSrcRegister:
        case kSrcGdsReturn0:
        case kSrcGdsReturn1:
            op.kind = OpKind::RegRead;
            op.dwords = 1;
            op.offset = source_register(p);
            p.check_register_end(op.offset + 4 * uint64_t{dwords(p)});
            p.step = dwords(p) == 2 ? kSecondRead : kRead;
            return true;
        case kSrcMemory:
        case kSrcL2:
            op.kind = OpKind::MemRead;
            p.address_in(f::kSourceMemoryLo, op);
            op.path = source == kSrcL2 ? MemPath::L2 : MemPath::Hub;
            op.address = aligned(p, p.wide(f::kSourceLo, f::kSourceHi));
            return true;
        case kSrcAtomicReturn:  // what this ring's last ATOMIC found
            p.result.value = p.ring().atomic_return;
            return false;
        case kSrcClock:
            return issue(op, OpKind::Clock);
        default:
            p.result.value = p.wide(f::kSourceLo, f::kSourceHi);
            return false;
    }
}

// The data are in p.result, the first of two registers in p.words[0].
bool write_destination(ProgramState& p, MicroOp& op) {
    const uint32_t destination = p[f::kDestination];
    if (reads_registers(p[f::kSource]) && dwords(p) == 2) {
        p.words[1] = static_cast<uint32_t>(p.result.value);
    } else {
        p.words[0] = static_cast<uint32_t>(p.result.value);
        p.words[1] = static_cast<uint32_t>(p.result.value >> 32);
    }
    p.step = p[f::kConfirm] != 0 ? kConfirmWrite : kEnd;
    if (destination == kDstRegister) {
        op.kind = OpKind::RegWrite;
        op.dwords = 1;
        op.offset = destination_register(p);
        op.value = p.words[0];
        if (dwords(p) == 2)
            p.step = kSecondWrite;
        return true;
    }
    op.dwords = static_cast<uint8_t>(dwords(p));
    op.data[0] = p.words[0];
    op.data[1] = p.words[1];
    if (destination == kDstGds) {
        op.kind = OpKind::GdsWrite;
        op.address = destination_gds(p);
    } else {
        op.kind = OpKind::MemWrite;
        p.address_in(f::kMemoryLo, op);
        op.path = destination == kDstL2 ? MemPath::L2 : MemPath::Hub;
        op.address = p.wide(f::kAddressLo, f::kAddressHi);
    }
    return true;
}

bool confirm(ProgramState& p, MicroOp& op) {
    const uint32_t last = 4 * (dwords(p) - 1);
    p.step = kEnd;
    if (p[f::kDestination] == kDstGds) {
        confirm_gds(op, destination_gds(p) + last);
        return true;
    }
    op.kind = p[f::kDestination] == kDstRegister ? OpKind::RegRead : OpKind::WaitWrites;
    op.offset = destination_register(p) + last;
    return true;
}

bool run(ProgramState& p, MicroOp& op) {
    switch (p.step) {
        case kStart:
            if (p.engine == ProgramEngine::Ce)
                check_constant_engine(p);
            check(p);
            return read_source(p, op) || write_destination(p, op);
        case kSecondRead:
            p.words[0] = static_cast<uint32_t>(p.result.value);
            p.step = kRead;
            return read_register(op, source_register(p) + 4);
        case kRead:
            return write_destination(p, op);
        case kSecondWrite:
            p.step = p[f::kConfirm] != 0 ? kConfirmWrite : kEnd;
            return write_register(op, destination_register(p) + 4, p.words[1]);
        case kConfirmWrite:
            return confirm(p, op);
        default:
            return false;
    }
}
}  // namespace copy_data
constexpr PacketInfo kCopyData = packet("COPY_DATA", 0x40, PacketClass::Data)
                                     .engine(PacketEngine::Both)
                                     .body(5)
                                     .flags(kCeFetch)
                                     .routed(copy_data::kRouting)
                                     .fields(copy_data::kFields, copy_data::kShown)
                                     .runs(copy_data::run);

}  // namespace archipelago::cp::si
