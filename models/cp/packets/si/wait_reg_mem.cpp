// SPDX-License-Identifier: Apache-2.0
// WAIT_REG_MEM polls a register or memory; COND_WRITE looks once. "Radeon Southern Islands
// Acceleration" 2.7.2, 2.8.9.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/route_rule.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "models/front/poll_function.h"

namespace archipelago::cp::si {

namespace {

// Reads what is polled: the dword whose fields are `lo` and `hi`.
void read_polled(const ProgramState& p, MicroOp& op, bool memory, unsigned lo, unsigned hi) {
    const uint32_t low = p[lo];
    if (!memory) {
        read_register(op, 4 * (low & 0xFFFF));
        return;
    }
    p.address_in(lo, op);
    read_memory(op, uint64_t{p[hi]} << 32 | (low & ~3u));
    op.swap = static_cast<uint8_t>(low & 3);
    if (op.swap > kMaxDwordSwap)
        p.bad("reserved swap code 3");
}

}  // namespace

namespace wait_reg_mem {
enum f : uint8_t {
    kEngine,
    kMemSpace,
    kFunction,
    kRegister,
    kMemoryLo,
    kAddressHi,
    kMemorySwap,
    kReference,
    kMask,
    kInterval,
    kSwap,
    kAddressLo
};
constexpr FieldCondition kOfRegister = when({"MEM_SPACE", 1, 4, 4}, {0});
constexpr FieldCondition kOfMemory = when({"MEM_SPACE", 1, 4, 4}, {1});
constexpr PacketField kFields[] = {
    {"ENGINE", 1, 8, 8, &kMeOrPfp},
    {"MEM_SPACE", 1, 4, 4, &kSpaces},
    {"FUNCTION", 1, 0, 2, &kFunctions},
    PacketField{"POLL_REGISTER", 2, 0, 15, &kAnyRegister}.when(kOfRegister),
    PacketField{"POLL_ADDRESS_LO", 2, 2, 31, &kAddress}.when(kOfMemory),
    {"POLL_ADDRESS_HI", 3, 0, 15},
    PacketField{"SWAP", 2, 0, 1, &kSwaps}.when(kOfMemory),
    {"REFERENCE", 4, 0, 31},
    {"MASK", 5, 0, 31},
    {"POLL_INTERVAL", 6, 0, 15},
    {"SWAP", 2, 0, 1, &kSwaps},
    {"POLL_ADDRESS_LO", 2, 0, 31},
};
constexpr size_t kShown = 10;  // after them: whole dwords, for the program

Route route(const PacketInfo& info, const uint32_t* body, const Location&) {
    return info.fields[f::kEngine].in(body) != 0 ? Route::Pfp : Route::Me;
}
constexpr Routing kRouting{kRuleWaitRegMem, Route::Me, route, 1};

bool run(ProgramState& p, MicroOp& op) {
    const uint32_t function = p[f::kFunction];
    const bool memory = p[f::kMemSpace] != 0;
    if (p.step == 0) {
        if (function == front::kReservedFunction)
            p.bad("reserved FUNCTION 7");
        if (p.engine == ProgramEngine::Pfp && !memory)
            p.bad("ENGINE PFP polls memory only");
        p.step = 1;
    }
    if (p.step == 1) {
        read_polled(p, op, memory, f::kAddressLo, f::kAddressHi);
        p.step = 2;
        return true;
    }
    if (front::poll_holds(function, static_cast<uint32_t>(p.result.value) & p[f::kMask],
                          p[f::kReference]))
        return false;
    delay(op, p.poll_cycles(p[f::kInterval]));
    op.limit = PollLimit::WaitRegMem;
    p.step = 1;
    return true;
}
std::string describe_wait(const PacketInfo& info, const uint32_t* body, uint32_t last_read) {
    const auto field = [&](unsigned i) { return info.fields[i].in(body); };
    const bool memory = field(f::kMemSpace) != 0;
    const uint64_t address =
        memory ? uint64_t{field(f::kAddressHi)} << 32 | (field(f::kAddressLo) & ~3u)
               : 4 * (field(f::kAddressLo) & 0xFFFF);
    std::string text = (memory ? " memory " : " register ") + hex(address);
    if (field(f::kMask) != ~0u)
        text += " & " + hex(field(f::kMask));
    return text + " " + front::poll_sign(field(f::kFunction)) + " " + hex(field(f::kReference)) +
           " (last " + hex(last_read) + ")";
}
}  // namespace wait_reg_mem
constexpr PacketInfo kWaitRegMem = packet("WAIT_REG_MEM", 0x3C, PacketClass::Sync)
                                       .body(6)
                                       .flags(kPolls)
                                       .routed(wait_reg_mem::kRouting)
                                       .fields(wait_reg_mem::kFields, wait_reg_mem::kShown)
                                       .waits(wait_reg_mem::describe_wait)
                                       .runs(wait_reg_mem::run);

namespace cond_write {
enum f : uint8_t {
    kWriteSpace,
    kPollSpace,
    kFunction,
    kPollRegister,
    kPollMemoryLo,
    kPollHi,
    kPollSwap,
    kReference,
    kMask,
    kWriteRegister,
    kWriteMemoryLo,
    kWriteHi,
    kWriteSwap,
    kData,
    kPollLo,
    kWriteLo
};
constexpr FieldCondition kPollsRegister = when({"POLL_SPACE", 1, 4, 4}, {0});
constexpr FieldCondition kPollsMemory = when({"POLL_SPACE", 1, 4, 4}, {1});
constexpr FieldCondition kWritesRegister = when({"WRITE_SPACE", 1, 8, 8}, {0});
constexpr FieldCondition kWritesMemory = when({"WRITE_SPACE", 1, 8, 8}, {1});
constexpr PacketField kFields[] = {
    {"WRITE_SPACE", 1, 8, 8, &kSpaces},
    {"POLL_SPACE", 1, 4, 4, &kSpaces},
    {"FUNCTION", 1, 0, 2, &kFunctions},
    PacketField{"POLL_REGISTER", 2, 0, 15, &kAnyRegister}.when(kPollsRegister),
    PacketField{"POLL_ADDRESS_LO", 2, 2, 31, &kAddress}.when(kPollsMemory),
    {"POLL_ADDRESS_HI", 3, 0, 15},
    PacketField{"POLL_SWAP", 2, 0, 1, &kSwaps}.when(kPollsMemory),
    {"REFERENCE", 4, 0, 31},
    {"MASK", 5, 0, 31},
    PacketField{"WRITE_REGISTER", 6, 0, 15, &kAnyRegister}.when(kWritesRegister),
    PacketField{"WRITE_ADDRESS_LO", 6, 2, 31, &kAddress}.when(kWritesMemory),
    {"WRITE_ADDRESS_HI", 7, 0, 15},
    PacketField{"WRITE_SWAP", 6, 0, 1, &kSwaps}.when(kWritesMemory),
    {"WRITE_DATA", 8, 0, 31},
    {"POLL_ADDRESS_LO", 2, 0, 31},
    {"WRITE_ADDRESS_LO", 6, 0, 31},
};
constexpr size_t kShown = 14;  // after them: whole dwords, for the program

bool run(ProgramState& p, MicroOp& op) {
    if (p.step == 0) {
        if (p[f::kFunction] == front::kReservedFunction)
            p.bad("reserved FUNCTION 7");
        read_polled(p, op, p[f::kPollSpace] != 0, f::kPollLo, f::kPollHi);
        p.step = 1;
        return true;
    }
    if (p.step == 2 ||
        !front::poll_holds(p[f::kFunction], static_cast<uint32_t>(p.result.value) & p[f::kMask],
                           p[f::kReference]))
        return false;
    p.step = 2;
    const uint32_t low = p[f::kWriteLo];
    if (p[f::kWriteSpace] == 0)
        return write_register(op, 4 * (low & 0xFFFF), p[f::kData]);
    op.kind = OpKind::MemWrite;
    p.address_in(f::kWriteLo, op);
    op.address = uint64_t{p[f::kWriteHi]} << 32 | (low & ~3u);
    op.swap = static_cast<uint8_t>(low & 3);
    if (op.swap > kMaxDwordSwap)
        p.bad("reserved swap code 3");
    op.data[0] = p[f::kData];
    return true;
}
}  // namespace cond_write
constexpr PacketInfo kCondWrite = packet("COND_WRITE", 0x45, PacketClass::Sync)
                                      .body(8)
                                      .fields(cond_write::kFields, cond_write::kShown)
                                      .runs(cond_write::run);

}  // namespace archipelago::cp::si
