// SPDX-License-Identifier: Apache-2.0
// MEM_SEMAPHORE: "Radeon Southern Islands Acceleration" 2.8.6.
#include "models/cp/packets/si/end_of_pipe.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "models/gcn/vgt_event.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

constexpr ValueName kSignalsNames[] = {{0, "INCREMENT"}, {1, "WRITE_1"}};
constexpr FieldMeaning kSignals = value_names(kSignalsNames);
constexpr ValueName kClientsNames[] = {{0, "CP"}, {1, "CB"}, {2, "DB"}};
constexpr FieldMeaning kClients = value_names(kClientsNames);
constexpr ValueName kSemaphoresNames[] = {{6, "SIGNAL"}, {7, "WAIT"}};
constexpr FieldMeaning kSemaphores = value_names(kSemaphoresNames);
namespace mem_semaphore {
enum f : uint8_t { kAddressLo, kSelect, kClient, kSignalType, kMailbox, kWaitOnSignal, kAddressHi };
constexpr PacketField kFields[] = {
    {"ADDRESS_LO", 1, 3, 31, &kAddress},
    {"SEM_SEL", 2, 29, 31, &kSemaphores},
    {"CLIENT_CODE", 2, 24, 25, &kClients},
    {"SIGNAL_TYPE", 2, 20, 20, &kSignals},
    {"USE_MAILBOX", 2, 16, 16},
    {"WAIT_ON_SIGNAL", 2, 12, 12},
    {"ADDRESS_HI", 2, 0, 7},
};

constexpr uint32_t kSignal = 6, kWait = 7;  // SEM_SEL

uint64_t address_of(const ProgramState& p) {
    return uint64_t{p[f::kAddressHi]} << 32 | p.dword(f::kAddressLo);
}

void check(const ProgramState& p) {
    const uint32_t select = p[f::kSelect];
    if (select != kSignal && select != kWait)
        p.bad("reserved SEM_SEL " + std::to_string(select));
    if (p[f::kClient] == 3)
        p.bad("reserved CLIENT_CODE 3");
    if (select == kWait && p[f::kSignalType] != 0)
        p.bad("SIGNAL_TYPE 1 with SEM_SEL Wait");
    if (p[f::kWaitOnSignal] != 0)
        p.bad("WAIT_ON_SIGNAL, which is Evergreen's");
    if (address_of(p) % 8 != 0)
        p.bad("address " + hex(address_of(p)) + " is not qword aligned");
}

// A semaphore is a qword in memory, which the semaphore block accesses past L2. A wait takes 1 from
// it once it is not 0: ME has SEM read and swap it. A signal adds 1 or writes 1 at the end of the
// pipe, when the client (CP: everything; CB, DB: and their caches) is done. It holds up the end of
// the pipe with USE_MAILBOX only. The registers show the last semaphore of each kind.
bool run(ProgramState& p, MicroOp& op) {
    const uint32_t* body = p.body.data();
    static constexpr uint8_t kEvents[] = {vgt_event::kBottomOfPipeTs,
                                          vgt_event::kFlushAndInvCbDataTs,
                                          vgt_event::kFlushAndInvDbDataTs};
    const uint32_t select = p[f::kSelect];
    const uint32_t client = p[f::kClient];
    const bool one = p[f::kSignalType] != 0;
    enum : uint32_t { kStart, kHigh, kGo, kLook, kSwapped, kEnd };
    switch (p.step) {
        case kStart:
            check(p);
            p.address = address_of(p);
            p.step = kHigh;
            return write_register(
                op,
                select == kSignal ? regs::si::CP_SIG_SEM_ADDR_LO : regs::si::CP_WAIT_SEM_ADDR_LO,
                body[0]);
        case kHigh:
            p.step = kGo;
            return write_register(
                op,
                select == kSignal ? regs::si::CP_SIG_SEM_ADDR_HI : regs::si::CP_WAIT_SEM_ADDR_HI,
                body[1]);
        case kGo:
            if (select == kSignal) {
                end_of_pipe(p, op, kEvents[client]);
                op.eop.data_sel = one ? EopData::One : EopData::Increment;
                op.eop.address = p.address;
                op.eop.posted = p[f::kMailbox] == 0;
                p.step = kEnd;
                return true;
            }
            op.kind = OpKind::MemRead;
            p.address_in(f::kAddressLo, op);
            op.path = MemPath::Semaphore;
            op.address = p.address;
            op.dwords = 2;
            p.step = kLook;
            return true;
        case kLook:
            if (p.result.value == 0) {
                delay(op, p.poll_cycles(0));
                op.limit = PollLimit::Semaphore;
                p.step = kGo;
                return true;
            }
            p.sum = p.result.value;
            op.kind = OpKind::Atomic;
            op.path = MemPath::Semaphore;
            p.address_in(f::kAddressLo, op);
            op.atomic = AtomicOp::CmpSwap;
            op.address = p.address;
            op.dwords = 2;
            op.operand = p.sum - 1;
            op.compare = p.sum;
            p.step = kSwapped;
            return true;
        case kSwapped:
            if (p.result.value == p.sum)
                return false;
            p.step = kLook;  // someone was faster; this is what is left
            return run(p, op);
        default:
            return false;
    }
}
std::string describe_wait(const PacketInfo& info, const uint32_t* body, uint32_t) {
    const PacketField& low = info.fields[f::kAddressLo];
    const uint64_t semaphore =
        uint64_t{info.fields[f::kAddressHi].in(body)} << 32 | body[low.dword - 1];
    return ": semaphore " + hex(semaphore) + " to be signalled";
}
}  // namespace mem_semaphore
constexpr PacketInfo kMemSemaphore = packet("MEM_SEMAPHORE", 0x39, PacketClass::Sync)
                                         .body(2)
                                         .flags(kPolls | kOwnRegisters)
                                         .fields(mem_semaphore::kFields)
                                         .waits(mem_semaphore::describe_wait)
                                         .runs(mem_semaphore::run);

}  // namespace archipelago::cp::si
