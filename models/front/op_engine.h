// SPDX-License-Identifier: Apache-2.0
// Executes in cycle mode what the packets of any engine ask for: registers, memory, atomics, delays
// between polls, dwords of the stream. What belongs to a ring is in OpState, so that rings can take
// turns. An engine derives from it for the operations it has besides (models/cp/op_engine.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/common/address_spaces.h"
#include "models/common/error.h"
#include "models/common/memory_message.h"
#include "models/common/transaction_id.h"
#include "models/common/unit.h"
#include "models/front/location.h"
#include "models/front/micro_op.h"
#include "models/front/swap.h"

namespace archipelago::front {

// Program: has `next(Op&)`, `location()` and the OpResult `result`. Op: a MicroOp. Stall: why a
// ring does not move; None, Queue, RegBus, RegRead, MemPort, MemData, MemWrite and Poll among it.
template <class ProgramOf, class OpOf, class StallOf>
struct OpState {
    using Op = OpOf;
    using Stall = StallOf;
    ProgramOf program;
    Op op;
    bool has_op = false;
    uint8_t stream_have = 0;
    Stall wait = Stall::None;
    Cycle ready_at = 0;
    uint8_t reads_issued = 0;
    uint8_t reads_missing = 0;
    bool reg_data = false;
    uint32_t writes_in_flight = 0;
    uint64_t last_read = 0;  // for the hang report
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(!has_op && wait == Stall::None && writes_in_flight == 0, "a packet is at work");
        a(ready_at, reads_missing, reg_data, last_read);
    }
};

enum class OpStep : uint8_t { Advanced, NeedDword, Blocked, Waiting, Finished };

struct OpCounters {
    uint64_t reg_writes = 0;
    uint64_t reg_reads = 0;
    uint64_t mem_reads = 0;
    uint64_t mem_writes = 0;
    uint64_t mem_bytes_written = 0;
    uint64_t atomics = 0;
    uint64_t polls = 0;
};

// Whose requests an engine's are.
struct OpSpec {
    RingNames names;
    Client client = Client::CpMe;
    TransactionUnit unit = TransactionUnit::CpMe;
    RegSource source = kRegFromCp;
};

template <class State>
class OpEngine {
  public:
    using Op = typename State::Op;
    using Kind = typename Op::Kind;
    using Stall = typename State::Stall;

    // `owner` is woken for what the engine waits for.
    OpEngine(OpSpec spec, Clocked& owner)
        : to_bus(&owner), to_hub(&owner), to_l2(&owner), spec_(std::move(spec)), owner_(owner) {}
    virtual ~OpEngine() = default;

    // A program that needs one that is not connected does not run on the engine.
    OutputChannel<RegRequest> to_bus;
    OutputChannel<MemRequest> to_hub, to_l2;
    OpCounters counters;

    // The rings are added again, in their order, with their states as after construction.
    void reset() {
        counters = {};
        rings_.clear();
        write_sequence_ = 0;
    }
    void add_ring(State& s) { rings_.push_back(&s); }
    template <class Archive>
    void archive(Archive& a) {
        a(counters, transactions_, write_sequence_);
    }

    // Does at most one operation. `reason` says why not, when it does none.
    OpStep step(Cycle now, State& s, Stall& reason) {
        if (s.wait != Stall::None) {
            if (!wait_over(now, s)) {
                reason = s.wait;
                return OpStep::Waiting;
            }
            s.wait = Stall::None;
        }
        if (!s.has_op && !next(s))
            return OpStep::Finished;
        if (s.op.stream && s.stream_have < s.op.dwords) {
            reason = Stall::Queue;
            return OpStep::NeedDword;
        }
        const OpStep did = carry_out(now, s, reason);
        if (did != OpStep::Finished)
            return did;
        s.has_op = false;
        return OpStep::Advanced;
    }
    // Asks the program for its next operation; false: it has none.
    static bool next(State& s) {
        s.has_op = s.program.next(s.op);
        s.stream_have = 0;
        s.reads_issued = 0;
        return s.has_op;
    }
    // A dword for a streamed operation, after NeedDword.
    static void give(State& s, uint32_t dword) {
        if (s.op.kind == Kind::RegWrite)
            s.op.value = dword;
        else if (s.op.kind == Kind::Take)
            s.program.result.data[s.stream_have] = dword;
        else
            s.op.data[s.stream_have] = dword;
        ++s.stream_have;
    }
    // Responses. Throw MachineStop for faults.
    void take(const MemResponse& response);
    // Throws MachineStop for a fault.
    void check(const MemResponse& response) const;
    void take(const RegResponse& response) {
        if (response.write)
            return;  // writes are posted
        State& s = *rings_[response.tag];
        s.program.result.value = response.value;
        s.reg_data = true;
    }
    // Whether the ring has nothing on its way and waits for nothing.
    static bool idle(const State& s) {
        return !s.has_op && s.wait == Stall::None && s.writes_in_flight == 0;
    }

  protected:
    // The operation `s.op`. Advanced: there is more of it to do; Finished: it is sent, and `s.wait`
    // says what it waits for.
    virtual OpStep carry_out(Cycle now, State& s, Stall& reason);
    // Whether the event of `s.wait` has come; its result is then stored.
    virtual bool wait_over(Cycle now, State& s);
    // A request to the register bus, as far as it is the same for reads and writes.
    virtual RegRequest register_request(const State& s) const {
        RegRequest request;
        request.offset = s.op.offset;
        request.source = spec_.source;
        request.ring = s.program.location().ring;
        request.tag = s.program.location().ring;
        return request;
    }

    OpStep write_register(Cycle now, State& s, Stall& reason);
    OpStep read_register(Cycle now, State& s, Stall& reason);
    OpStep read_memory(Cycle now, State& s, Stall& reason);
    OpStep write_memory(Cycle now, State& s, Stall& reason);
    OpStep send_atomic(Cycle now, State& s, Stall& reason);
    OpStep delay(Cycle now, State& s) {
        s.ready_at = now + s.op.cycles;
        s.wait = Stall::Poll;
        owner_.wake_at(s.ready_at);
        ++counters.polls;
        return OpStep::Finished;
    }
    static OpStep blocked(Stall& reason, Stall why) {
        reason = why;
        return OpStep::Blocked;
    }
    static OpStep waiting(Stall& reason, Stall why) {
        reason = why;
        return OpStep::Waiting;
    }
    State& ring(unsigned i) const { return *rings_[i]; }
    // A request to memory, as far as all of a ring are the same.
    MemRequest ring_request(const State& s) {
        MemRequest request;
        request.client = spec_.client;
        request.vmid = s.program.location().vmid;
        request.source = s.program.location().ring;
        request.port = s.op.path == MemPath::Semaphore ? kSemaphorePort : kL2Port;
        request.tag = s.program.location().ring;
        request.uid = next_id();
        return request;
    }
    // A request of this tag leaves for `s.op`: what is counted, and of a posted write what a fault
    // would name.
    void note_memory(MemCommand command, uint32_t tag, State& s) {
        switch (command) {
            case MemCommand::Read:
                ++counters.mem_reads;
                break;
            case MemCommand::Write:
                write_origin_[tag >> kTagPlaceShift & (kPlaces - 1)] = origin(s);
                ++s.writes_in_flight;
                ++counters.mem_writes;
                counters.mem_bytes_written += 4u * s.op.dwords;
                break;
            case MemCommand::Atomic:
                ++counters.atomics;
                break;
        }
    }
    static constexpr bool writes(uint32_t tag) { return (tag & kTagWrite) != 0; }
    // Whether the answer is that of a posted write, which has ended then.
    bool take_write(const MemResponse& response) {
        if (!writes(response.tag))
            return false;
        --rings_[response.tag & kTagRing]->writes_in_flight;
        return true;
    }
    uint64_t next_id() { return transaction_id(spec_.unit, ++transactions_); }

  private:
    // Tags of memory requests: ring in bits 5:0, write in bit 6, place of the writer above.
    static constexpr uint32_t kTagRing = 0x3F, kTagWrite = 0x40;
    static constexpr unsigned kTagPlaceShift = 7;
    static constexpr unsigned kPlaces = 256;

    OutputChannel<MemRequest>& port(const Op& op) {
        return op.path == MemPath::Hub ? to_hub : to_l2;
    }
    MemRequest memory_request(const State& s, uint64_t address, unsigned bytes) {
        MemRequest request = ring_request(s);
        request.line = line_of(address);
        request.byte_mask = bytes_in_line(address, bytes);
        return request;
    }

    const OpSpec spec_;
    Clocked& owner_;
    std::vector<State*> rings_;
    uint64_t transactions_ = 0;
    uint32_t write_sequence_ = 0;
    struct Origin {
        Location location;
        const char* packet = nullptr;
        const char* field = nullptr;
    };
    static Origin origin(const State& s) { return {s.program.location(), s.op.packet, s.op.field}; }
    std::array<Origin, kPlaces> write_origin_{};  // of posted writes, for faults
};

template <class State>
OpStep OpEngine<State>::carry_out(Cycle now, State& s, Stall& reason) {
    switch (s.op.kind) {
        case Kind::RegWrite:
            return write_register(now, s, reason);
        case Kind::RegRead:
            return read_register(now, s, reason);
        case Kind::MemRead:
            return read_memory(now, s, reason);
        case Kind::MemWrite:
            return write_memory(now, s, reason);
        case Kind::Atomic:
            return send_atomic(now, s, reason);
        case Kind::Delay:
            return delay(now, s);
        case Kind::WaitWrites:
            if (s.writes_in_flight != 0)
                s.wait = Stall::MemWrite;
            return OpStep::Finished;
        default:  // Take: its dwords are here
            return OpStep::Finished;
    }
}

template <class State>
bool OpEngine<State>::wait_over(Cycle now, State& s) {
    OpResult& result = s.program.result;
    switch (s.wait) {
        case Stall::RegRead:
            if (!s.reg_data)
                return false;
            s.last_read = result.value;
            return true;
        case Stall::MemData:
            if (s.reads_missing != 0)
                return false;
            s.last_read = result.value = result.data[0] | uint64_t{result.data[1]} << 32;
            return true;
        case Stall::MemWrite:
            return s.writes_in_flight == 0;
        default:
            return now >= s.ready_at;
    }
}

template <class State>
OpStep OpEngine<State>::write_register(Cycle now, State& s, Stall& reason) {
    if (!to_bus->can_push(now))
        return blocked(reason, Stall::RegBus);
    RegRequest request = register_request(s);
    request.value = s.op.value;
    request.write = true;
    request.vmid = s.program.location().vmid;
    to_bus->push(now, request);
    s.program.result.value = s.op.value;
    ++counters.reg_writes;
    return OpStep::Finished;
}

template <class State>
OpStep OpEngine<State>::read_register(Cycle now, State& s, Stall& reason) {
    if (!to_bus->can_push(now))
        return blocked(reason, Stall::RegBus);
    to_bus->push(now, register_request(s));
    s.reg_data = false;
    s.wait = Stall::RegRead;
    ++counters.reg_reads;
    return OpStep::Finished;
}

// A line a cycle, at most two.
template <class State>
OpStep OpEngine<State>::read_memory(Cycle now, State& s, Stall& reason) {
    const Op& op = s.op;
    if (!port(op)->can_push(now))
        return blocked(reason, Stall::MemPort);
    const uint64_t end = op.address + 4 * op.dwords;
    const uint64_t from = s.reads_issued == 0 ? op.address : line_of(end - 1);
    const uint64_t to = std::min(end, line_of(from) + kLineBytes);
    const MemRequest request = memory_request(s, from, static_cast<unsigned>(to - from));
    port(op)->push(now, request);
    note_memory(MemCommand::Read, request.tag, s);
    if (s.reads_issued++ == 0)
        s.reads_missing = 0;
    ++s.reads_missing;
    if (to != end)
        return OpStep::Advanced;  // the second line follows
    s.wait = Stall::MemData;
    return OpStep::Finished;
}

template <class State>
OpStep OpEngine<State>::write_memory(Cycle now, State& s, Stall& reason) {
    const Op& op = s.op;
    if (!port(op)->can_push(now))
        return blocked(reason, Stall::MemPort);
    MemRequest request = memory_request(s, op.address, 4 * op.dwords);
    request.command = MemCommand::Write;
    if (op.kernel)
        request.vmid = 0;
    request.tag |= kTagWrite | write_sequence_++ % kPlaces << kTagPlaceShift;
    for (unsigned i = 0; i < op.dwords; ++i) {
        const uint32_t dword = swap_dword(op.data[i], op.swap);
        std::memcpy(&request.data[op.address % kLineBytes + 4 * i], &dword, 4);
    }
    port(op)->push(now, request);
    note_memory(MemCommand::Write, request.tag, s);
    return OpStep::Finished;
}

template <class State>
OpStep OpEngine<State>::send_atomic(Cycle now, State& s, Stall& reason) {
    const Op& op = s.op;
    if (!to_l2->can_push(now))
        return blocked(reason, Stall::MemPort);
    const unsigned bytes = 4u * op.dwords;
    MemRequest request = memory_request(s, op.address, bytes);
    request.command = MemCommand::Atomic;
    request.atomic = op.atomic;
    request.atomic_bytes = static_cast<uint8_t>(bytes);
    request.compare = op.compare;
    std::memcpy(&request.data[op.address % kLineBytes], &op.operand, bytes);
    to_l2->push(now, request);
    note_memory(MemCommand::Atomic, request.tag, s);
    s.reads_missing = 1;
    s.wait = Stall::MemData;
    return OpStep::Finished;
}

template <class State>
void OpEngine<State>::check(const MemResponse& response) const {
    if (response.status == MemStatus::Ok)
        return;
    const State& s = *rings_[response.tag & kTagRing];
    const bool write = writes(response.tag);
    const Origin of =
        write ? write_origin_[response.tag >> kTagPlaceShift & (kPlaces - 1)] : origin(s);
    const uint64_t address =
        write || line_of(s.op.address) != response.line ? response.line : s.op.address;
    throw MachineStop(StopKind::Fault, to_string(of.location, spec_.names),
                      access_of(of.packet, of.field) + (write ? "write to " : "read of ") +
                          refused_address(response.status, address, of.location.vmid));
}

template <class State>
void OpEngine<State>::take(const MemResponse& response) {
    State& s = *rings_[response.tag & kTagRing];
    check(response);
    if (take_write(response))
        return;
    for (unsigned i = 0; i < s.op.dwords; ++i) {
        const uint64_t address = s.op.address + 4 * i;
        if (line_of(address) != response.line)
            continue;
        uint32_t dword = 0;
        std::memcpy(&dword, &response.data[address % kLineBytes], 4);
        s.program.result.data[i] = swap_dword(dword, s.op.swap);
    }
    if (s.op.dwords == 1)
        s.program.result.data[1] = 0;
    --s.reads_missing;
}

}  // namespace archipelago::front
