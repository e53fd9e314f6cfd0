// SPDX-License-Identifier: Apache-2.0
// Packets that move no data: INDIRECT_BUFFER, SEMAPHORE, FENCE, TRAP, NOP, COND_EXEC, timestamps.
// Document "Async DMA": r6xx/r7xx 5 to 9; evergreen/ni/si 15 to 19; cik 13 to 15, 17, 20 to 23.
// Each waits until the transfers before it are done; the Linux and Mesa drivers rely on that for
// NOP and FENCE.
#include "models/dma/operations.h"
#include "models/dma/packets/field_values.h"
#include "models/dma/packets/packets.h"

namespace archipelago::dma {

// ---- INDIRECT_BUFFER ---------------------------------------------------------------------------

namespace indirect_buffer {
enum f : uint8_t { kBaseLo, kBaseHi, kSize, kVmid };
// Drivers align buffers to 32 bytes on every generation; the document has 256 for R6xx.
constexpr PacketField kFieldsR600[] = {
    {"IB_BASE_LO", 2, 5, 31, &kAddress}, {"IB_BASE_HI", 3, 0, 7}, {"IB_SIZE", 3, 16, 31}};
constexpr PacketField kFieldsR600Document[] = {
    {"IB_BASE_LO", 2, 8, 31, &kAddress}, {"IB_BASE_HI", 3, 0, 7}, {"IB_SIZE", 3, 16, 31}};
constexpr PacketField kFieldsEg[] = {
    {"IB_BASE_LO", 2, 5, 31, &kAddress}, {"IB_BASE_HI", 3, 0, 7}, {"IB_SIZE", 3, 12, 31}};
constexpr PacketField kFieldsNi[] = {{"IB_BASE_LO", 2, 5, 31, &kAddress},
                                     {"IB_BASE_HI", 3, 0, 7},
                                     {"IB_SIZE", 3, 12, 31},
                                     {"VMID", 1, 20, 22}};
constexpr PacketField kFieldsCik[] = {{"IB_BASE_LO", 2, 5, 31, &kAddress},
                                      {"IB_BASE_HI", 3, 0, 31},
                                      {"IB_SIZE", 4, 0, 19},
                                      {"VMID", 1, 16, 19}};

bool call(ProgramState& p, MicroOp& op, uint8_t vmid) {
    if (p.step++ != 0)
        return false;
    if (p.location.level != 0)
        p.bad("inside an indirect buffer");
    op.buffer = {p.wide(kBaseLo, kBaseHi), p[kSize], vmid};
    if (op.buffer.dwords == 0)
        p.bad("IB_SIZE is 0");
    return issue(op, OpKind::Call);
}
bool run_kernel(ProgramState& p, MicroOp& op) {
    return call(p, op, 0);
}
bool run(ProgramState& p, MicroOp& op) {
    return call(p, op, static_cast<uint8_t>(p[kVmid]));
}
}  // namespace indirect_buffer

constexpr PacketInfo kIndirectBufferR600 =
    packet("INDIRECT_BUFFER", 0x40000000, 0xF0000000)
        .program(3, indirect_buffer::kFieldsR600, indirect_buffer::run_kernel);
constexpr PacketInfo kIndirectBufferR600Document =
    packet("INDIRECT_BUFFER", 0x40000000, 0xF0000000)
        .program(3, indirect_buffer::kFieldsR600Document, indirect_buffer::run_kernel);
constexpr PacketInfo kIndirectBufferEg =
    packet("INDIRECT_BUFFER", 0x40000000, 0xF0000000)
        .program(3, indirect_buffer::kFieldsEg, indirect_buffer::run_kernel);
constexpr PacketInfo kIndirectBufferNi =
    packet("INDIRECT_BUFFER", 0x40000000, 0xF0000000)
        .program(3, indirect_buffer::kFieldsNi, indirect_buffer::run);
constexpr PacketInfo kIndirectBufferCik =
    packet("INDIRECT_BUFFER", 0x0004, 0xFFFF)
        .program(4, indirect_buffer::kFieldsCik, indirect_buffer::run);

// ---- SEMAPHORE ---------------------------------------------------------------------------------

namespace semaphore {
constexpr ValueName kDoesNames[] = {{0, "WAIT"}, {1, "SIGNAL"}};
constexpr front::FieldMeaning kDoes = front::value_names(kDoesNames);
enum f : uint8_t { kAddressLo, kAddressHi, kSignal, kMailbox };
constexpr PacketField kFieldsR600[] = {
    {"ADDRESS_LO", 2, 3, 31, &kAddress}, {"ADDRESS_HI", 3, 0, 7}, {"SIGNAL", 1, 22, 22, &kDoes}};
constexpr PacketField kFieldsEg[] = {{"ADDRESS_LO", 2, 3, 31, &kAddress},
                                     {"ADDRESS_HI", 3, 0, 7},
                                     {"SIGNAL", 1, 22, 22, &kDoes},
                                     {"MAILBOX", 1, 23, 23}};
constexpr PacketField kFieldsCik[] = {{"ADDRESS_LO", 2, 3, 31, &kAddress},
                                      {"ADDRESS_HI", 3, 0, 31},
                                      {"SIGNAL", 1, 30, 30, &kDoes},
                                      {"MAILBOX", 1, 31, 31}};

// A qword in memory: a signal adds 1, a wait takes 1 once it is not 0. Signals are confirmed, with
// MAILBOX and without.
bool run(ProgramState& p, MicroOp& op) {
    enum : uint32_t { kStart, kGo, kLook, kSwapped, kEnd };
    p.address = p.wide(kAddressLo, kAddressHi);
    p.address_in(kAddressLo, op);
    op.path = front::MemPath::Semaphore;
    op.address = p.address;
    op.dwords = 2;
    switch (p.step) {
        case kStart:
            p.step = kGo;
            return issue(op, OpKind::WaitTransfer);
        case kGo:
            p.step = p[kSignal] != 0 ? kEnd : kLook;
            if (p[kSignal] == 0)
                return issue(op, OpKind::MemRead);
            op.atomic = AtomicOp::Add;
            op.operand = 1;
            return issue(op, OpKind::Atomic);
        case kLook:
            if (p.result.value == 0) {
                p.step = kGo;
                ++p.tries;
                return issue(op, OpKind::SemaphoreRetry);
            }
            op.atomic = AtomicOp::CmpSwap;
            op.compare = p.count = p.result.value;
            op.operand = p.count - 1;
            p.step = kSwapped;
            return issue(op, OpKind::Atomic);
        case kSwapped:
            if (p.result.value == p.count)
                return false;
            p.step = kLook;  // someone was faster; this is what is left
            return run(p, op);
        default:
            return false;
    }
}
std::string describe_wait(const PacketInfo& info, const uint32_t* dwords, uint32_t) {
    const PacketField& low = info.fields[kAddressLo];
    return ": semaphore " +
           hex(uint64_t{info.fields[kAddressHi].in(dwords)} << 32 | low.in(dwords) << low.lsb) +
           " to be signalled";
}
}  // namespace semaphore

constexpr PacketInfo kSemaphoreR600 = packet("SEMAPHORE", 0x50000000, 0xF0000000)
                                          .program(3, semaphore::kFieldsR600, semaphore::run)
                                          .waits(semaphore::describe_wait);
constexpr PacketInfo kSemaphoreEg = packet("SEMAPHORE", 0x50000000, 0xF0000000)
                                        .program(3, semaphore::kFieldsEg, semaphore::run)
                                        .waits(semaphore::describe_wait);
constexpr PacketInfo kSemaphoreCik = packet("SEMAPHORE", 0x0007, 0xFFFF)
                                         .program(3, semaphore::kFieldsCik, semaphore::run)
                                         .waits(semaphore::describe_wait);

// ---- FENCE, TRAP, NOP --------------------------------------------------------------------------

namespace fence {
enum f : uint8_t { kAddressLo, kAddressHi, kData };
constexpr PacketField kFields[] = {
    {"ADDRESS_LO", 2, 2, 31, &kAddress}, {"ADDRESS_HI", 3, 0, 7}, {"DATA", 4, 0, 31}};
constexpr PacketField kFieldsCik[] = {
    {"ADDRESS_LO", 2, 2, 31, &kAddress}, {"ADDRESS_HI", 3, 0, 31}, {"DATA", 4, 0, 31}};
constexpr PacketField kFieldsDocument[] = {{"ADDRESS_LO", 2, 2, 31, &kAddress},
                                           {"ADDRESS_HI", 3, 0, 7}};

bool write(ProgramState& p, MicroOp& op, uint32_t data) {
    switch (p.step++) {
        case 0:
            return issue(op, OpKind::WaitTransfer);
        case 1:
            p.address_in(kAddressLo, op);
            op.swap = p.control->fence_swap ? 2 : 0;
            return write_memory(op, p.wide(kAddressLo, kAddressHi), data);
        default:
            return p.step == 3 && issue(op, OpKind::WaitWrites);
    }
}
bool run(ProgramState& p, MicroOp& op) {
    return write(p, op, p[kData]);
}
// The document's packet carries no data: it writes 1.
bool run_document(ProgramState& p, MicroOp& op) {
    return write(p, op, 1);
}
}  // namespace fence

constexpr PacketInfo kFence =
    packet("FENCE", 0x60000000, 0xF0000000).program(4, fence::kFields, fence::run);
constexpr PacketInfo kFenceDocument =
    packet("FENCE", 0x60000000, 0xF0000000).program(3, fence::kFieldsDocument, fence::run_document);
constexpr PacketInfo kFenceCik =
    packet("FENCE", 0x0005, 0xFFFF).program(4, fence::kFieldsCik, fence::run);

namespace {

bool run_trap(ProgramState& p, MicroOp& op) {
    switch (p.step++) {
        case 0:
            return issue(op, OpKind::WaitTransfer);
        case 1:
            return p.control->trap && issue(op, OpKind::Trap);
        default:
            return false;
    }
}
bool run_nop(ProgramState& p, MicroOp& op) {
    return p.step++ == 0 && issue(op, OpKind::WaitTransfer);
}
// COUNT of NOP is 0, and nothing depends on it. From Evergreen on drivers have as many bits for it
// as for other counts, the document those of R6xx.
constexpr PacketField kNopCount[] = {{"COUNT", 1, 0, 19}};
constexpr PacketField kNopCountR600[] = {{"COUNT", 1, 0, 15}};

}  // namespace

constexpr PacketInfo kTrap = packet("TRAP", 0x70000000, 0xF0000000).dwords(1).runs(run_trap);
constexpr PacketInfo kTrapCik = packet("TRAP", 0x0006, 0xFFFF).dwords(1).runs(run_trap);
constexpr PacketInfo kNopR600 =
    packet("NOP", 0xF0000000, 0xF0000000).program(1, kNopCountR600, run_nop);
constexpr PacketInfo kNopEg = packet("NOP", 0xF0000000, 0xF0000000).program(1, kNopCount, run_nop);
constexpr PacketInfo kNopCik = packet("NOP", 0x0000, 0xFFFF).dwords(1).runs(run_nop);

// ---- COND_EXEC ---------------------------------------------------------------------------------

namespace cond_exec {
enum f : uint8_t { kAddressLo, kAddressHi, kCount };
constexpr PacketField kFields[] = {{"BOOL_ADDRESS_LO", 2, 2, 31, &kAddress},
                                   {"BOOL_ADDRESS_HI", 3, 0, 31},
                                   {"EXEC_COUNT", 4, 0, 13}};

bool run(ProgramState& p, MicroOp& op) {
    switch (p.step++) {
        case 0:
            return issue(op, OpKind::WaitTransfer);
        case 1:
            p.address_in(kAddressLo, op);
            return read_memory(op, p.wide(kAddressLo, kAddressHi));
        case 2:
            if (static_cast<uint32_t>(p.result.value) != 0 || p[kCount] == 0)
                return false;
            op.value = p[kCount];
            return issue(op, OpKind::Skip);
        default:
            return false;
    }
}
}  // namespace cond_exec

constexpr PacketInfo kCondExec =
    packet("COND_EXEC", 0x0009, 0xFFFF).program(4, cond_exec::kFields, cond_exec::run);

// ---- timestamps --------------------------------------------------------------------------------

namespace timestamp {
enum f : uint8_t { kLo, kHi };
constexpr PacketField kData[] = {{"DATA_LO", 2, 0, 31}, {"DATA_HI", 3, 0, 31}};
constexpr PacketField kPlace[] = {{"ADDRESS_LO", 2, 3, 31, &kAddress}, {"ADDRESS_HI", 3, 0, 31}};

bool run_set(ProgramState& p, MicroOp& op) {
    op.operand = p.wide(kLo, kHi);
    switch (p.step++) {
        case 0:
            return issue(op, OpKind::WaitTransfer);
        default:
            return p.step == 2 && issue(op, OpKind::SetClock);
    }
}
bool get(ProgramState& p, MicroOp& op, Counter counter) {
    op.counter = counter;
    switch (p.step++) {
        case 0:
            return issue(op, OpKind::WaitTransfer);
        case 1:
            return issue(op, OpKind::Clock);
        case 2:
            p.address_in(kLo, op);
            return write_memory(op, p.wide(kLo, kHi), p.result.value, 2);
        default:
            return false;
    }
}
bool run_local(ProgramState& p, MicroOp& op) {
    return get(p, op, Counter::Local);
}
bool run_global(ProgramState& p, MicroOp& op) {
    return get(p, op, Counter::Global);
}
}  // namespace timestamp

constexpr PacketInfo kSetLocalTimestamp =
    packet("SET_LOCAL_TIMESTAMP", 0x000D, 0xFFFF).program(3, timestamp::kData, timestamp::run_set);
constexpr PacketInfo kGetLocalTimestamp = packet("GET_LOCAL_TIMESTAMP", 0x010D, 0xFFFF)
                                              .program(3, timestamp::kPlace, timestamp::run_local);
constexpr PacketInfo kGetGlobalTimestamp =
    packet("GET_GLOBAL_TIMESTAMP", 0x020D, 0xFFFF)
        .program(3, timestamp::kPlace, timestamp::run_global);

}  // namespace archipelago::dma
