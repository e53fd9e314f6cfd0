// SPDX-License-Identifier: Apache-2.0
// An engine that is no command processor, made of models/front alone, with one ring and with five:
// ring fetch, buffers, turns, operations and the shared way to memory.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "models/common/atomic_op.h"
#include "models/common/error.h"
#include "models/common/memory_image.h"
#include "models/front/op_engine.h"
#include "models/front/port_mux.h"
#include "models/front/ring_fetch_core.h"
#include "models/front/ring_turns.h"
#include "models/front/stream_reader.h"

namespace archipelago::front::test {
namespace {

enum class Stall : uint8_t { None, Queue, RegBus, RegRead, MemPort, MemData, MemWrite, Poll };
enum class Kind : uint8_t {
    RegWrite,
    RegRead,
    MemRead,
    Take,
    MemWrite,
    Atomic,
    WaitWrites,
    Delay,
    Trap  // the engine's own
};
using Op = MicroOp<Kind>;

// Packets: opcode, two operands, and for Fill the dwords.
enum Opcode : uint32_t { kCopy = 1, kCall, kRegister, kAdd, kFill, kTrap, kWait };

struct Program {
    OpResult result;
    Location at;
    std::array<uint32_t, 3> packet{};
    unsigned step = 0;

    const Location& location() const { return at; }
    bool next(Op& op) {
        op = {};
        op.address = packet[1];
        switch (packet[0]) {
            case kCopy:
                op.kind = step == 0 ? Kind::MemRead : Kind::MemWrite;
                if (step == 1) {
                    op.address = packet[2];
                    op.data[0] = result.data[0];
                }
                return step++ < 2;
            case kRegister:
                op.kind = Kind::RegWrite;
                op.offset = packet[1];
                op.value = packet[2];
                return step++ < 1;
            case kAdd:
                op.kind = Kind::Atomic;
                op.atomic = AtomicOp::Add;
                op.operand = packet[2];
                return step++ < 1;
            case kFill:
                op.kind = step < packet[2] ? Kind::MemWrite : Kind::WaitWrites;
                op.stream = step < packet[2];
                op.address += 4 * step;
                return step++ < packet[2] + 1;
            case kWait:
                op.kind = Kind::Delay;
                op.cycles = packet[1];
                return step++ < 1;
            default:
                op.kind = Kind::Trap;
                return step++ < 1;
        }
    }
};

using State = OpState<Program, Op, Stall>;

class Operations : public OpEngine<State> {
  public:
    using OpEngine<State>::OpEngine;
    unsigned traps = 0;

  private:
    OpStep carry_out(Cycle now, State& s, Stall& reason) override {
        if (s.op.kind != Kind::Trap)
            return OpEngine<State>::carry_out(now, s, reason);
        ++traps;
        return OpStep::Finished;
    }
};

// Parses packets of three dwords and runs them.
class Toy : public Unit {
  public:
    explicit Toy(RingShape shape, const RingNames& names)
        : engine({names, Client::CpMe, TransactionUnit::CpMe, kRegFromCp}, *this),
          update(1),
          response({4, 1}, "toy.response"),
          l2_response({4, 1}, "toy.l2_response"),
          shape_(shape),
          rings_(shape.rings),
          turn_(shape.rings) {
        for (unsigned i = 0; i < shape.streams(); ++i)
            roq.emplace_back(ChannelSpec{4, 1}, "toy.roq" + std::to_string(i));
        for (auto& queue : roq)
            add_input(queue);
        add_input(update);
        add_input(response);
        add_input(l2_response);
        for (Ring& r : rings_) {
            r.stream.levels.resize(shape.levels);
            engine.add_ring(r.op);
        }
    }

    Operations engine;
    std::vector<Channel<RoqLine>> roq;
    EventLink<RingUpdate> update;
    Channel<MemResponse> response, l2_response;
    OutputChannel<FetchCommand> to_fetch{this};
    OutputEvent<RoqCredit> to_credit{this};
    std::vector<unsigned> order;  // rings, in the order in which their packets ended

    bool tick(Cycle now) override {
        bool progress = false;
        while (update.ready(now)) {
            const RingUpdate u = update.take();
            rings_[u.ring].stream.follow(u.config, u.write_pointer);
            progress = true;
        }
        for (Channel<MemResponse>* from : {&response, &l2_response}) {
            if (!from->can_pop(now))
                continue;
            engine.take(from->pop(now));
            progress = true;
        }
        const RingCycle<Stall> cycle = share_cycle<Stall>(
            turn_, current_, current_ >= 0 ? current_ : turn_.pick(ready()),
            [&](unsigned ring, Stall& reason) { return run(now, ring, reason); },
            [&] { return ready(); }, [&](unsigned ring) { return rings_[ring].have == 0; });
        return progress || cycle.progress;
    }
    void archive(Archive& a) override {
        Unit::archive(a);
        a(turn_);
    }
    bool idle() const override { return ready() == 0; }
    void reset() override { clear_inputs(); }
    std::string waiting_for() const override { return ""; }

  private:
    struct Ring {
        StreamReader stream;
        unsigned have = 0;  // dwords of the packet
        bool started = false;
        State op;
    };
    uint64_t ready() const {
        uint64_t bits = 0;
        for (unsigned i = 0; i < rings_.size(); ++i)
            if (rings_[i].have != 0 || !rings_[i].stream.in_ring() ||
                rings_[i].stream.unread() != 0)
                bits |= uint64_t{1} << i;
        return bits;
    }
    bool take(Cycle now, unsigned ring, uint32_t& dword) {
        return rings_[ring].stream.take(now, ring, &roq[shape_.stream_of(ring, 0)], to_credit,
                                        dword);
    }
    RingOutcome run(Cycle now, unsigned ring, Stall& reason) {
        Ring& r = rings_[ring];
        if (r.have == 0)
            r.stream.leave_finished();
        if (r.have == 0 && r.stream.top().at_end())
            return RingOutcome::Empty;
        Program& p = r.op.program;
        if (r.have < 3) {
            if (r.have == 0)
                p.at = r.stream.location(ring);
            if (!take(now, ring, p.packet[r.have])) {
                reason = Stall::Queue;
                return RingOutcome::Wait;
            }
            ++r.have;
            return RingOutcome::Moved;
        }
        if (p.packet[0] == kCall) {
            if (!to_fetch->can_push(now))
                return RingOutcome::Wait;
            r.stream.call(static_cast<uint8_t>(r.stream.level + 1), p.packet[1], p.packet[2], 0, 0);
            to_fetch->push(
                now, {static_cast<uint8_t>(ring), r.stream.level, 0, 0, p.packet[1], p.packet[2]});
            return finish(ring);
        }
        if (!r.started)
            p.step = 0;
        r.started = true;
        switch (engine.step(now, r.op, reason)) {
            case OpStep::Advanced:
                return RingOutcome::Moved;
            case OpStep::Finished:
                return finish(ring);
            case OpStep::Blocked:
                return RingOutcome::Hold;
            case OpStep::Waiting:
                return RingOutcome::Wait;
            case OpStep::NeedDword: {
                uint32_t dword = 0;
                if (!take(now, ring, dword))
                    return RingOutcome::Wait;
                engine.give(r.op, dword);
                return RingOutcome::Moved;
            }
        }
        return RingOutcome::Empty;
    }
    RingOutcome finish(unsigned ring) {
        rings_[ring].have = 0;
        rings_[ring].started = false;
        order.push_back(ring);
        return RingOutcome::Moved;
    }

    const RingShape shape_;
    std::vector<Ring> rings_;
    int current_ = -1;
    RoundRobin turn_;
};

RingNames names_of(RingShape shape) {
    RingNames names;
    for (unsigned i = 0; i < shape.rings; ++i)
        names.rings.push_back("toy" + std::to_string(i));
    for (unsigned i = 0; i < shape.levels; ++i)
        names.levels.push_back("buffer" + std::to_string(i));
    return names;
}

FetchSpec fetch_spec(RingShape shape) {
    FetchSpec spec;
    spec.shape = shape;
    spec.names = names_of(shape);
    spec.roq_lines.assign(shape.levels, 4);
    spec.path = "toy.fetch";
    return spec;
}

constexpr uint32_t kRings = 0x10000, kRingBytes = 0x1000, kData = 0x18000;

// The machine around: memory that answers 20 cycles later, and registers that are noted.
class Bench : public Clocked {
  public:
    explicit Bench(RingShape shape)
        : fetch(fetch_spec(shape)),
          toy(shape, names_of(shape)),
          hub(3, {4, 1}, {4, 1}, "hub"),
          bus_({4, 1}, "bus"),
          memory_({4, 1}, "memory") {
        memory.map(kRings, 0x10000);
        for (unsigned i = 0; i < shape.streams(); ++i)
            fetch.to_roq[i].connect(toy.roq[i]);
        toy.to_fetch.connect(fetch.command);
        toy.to_credit.connect(fetch.credit);
        fetch.to_memory.connect(hub.request[0]);
        toy.engine.to_hub.connect(hub.request[1]);
        toy.engine.to_l2.connect(hub.request[2]);
        hub.to_client[0].connect(fetch.response);
        hub.to_client[1].connect(toy.response);
        hub.to_client[2].connect(toy.l2_response);
        hub.to_outside.connect(memory_);
        hub.response.set_producer(this);
        toy.engine.to_bus.connect(bus_);
        memory_.set_consumer(this);
        bus_.set_consumer(this);
        clock_.add(*this);
        clock_.add(fetch);
        clock_.add(toy);
        clock_.add(hub);
    }

    void submit(unsigned ring, const std::vector<uint32_t>& words) {
        const uint64_t base = kRings + uint64_t{kRingBytes} * ring;
        poke(base, words);
        RingUpdate u;
        u.ring = static_cast<uint8_t>(ring);
        u.write_pointer = static_cast<uint32_t>(words.size());
        u.config = {base, kRingBytes / 4, 0, 0, true};
        fetch.update.send(clock_.now(), u);
        toy.update.send(clock_.now(), u);
    }
    // Whether everything was executed.
    bool run() {
        clock_.run(clock_.now() + 100000);
        return toy.idle() && fetch.idle() && hub.idle();
    }
    uint32_t peek(uint64_t address) const {
        uint32_t value = 0;
        memory.read(address, &value, 4);
        return value;
    }
    void poke(uint64_t address, const std::vector<uint32_t>& words) {
        memory.write(address, words.data(), 4 * words.size());
    }
    Cycle now() const { return clock_.now(); }

    bool tick(Cycle now) override {
        if (bus_.can_pop(now))
            writes.push_back(bus_.pop(now));
        if (memory_.can_pop(now)) {
            answers_.emplace_back(now + 20, answer(memory_.pop(now)));
            wake_at(now + 20);
        }
        if (answers_.empty() || answers_.front().first > now || !hub.response.can_push(now))
            return false;
        hub.response.push(now, answers_.front().second);
        answers_.pop_front();
        return true;
    }

    MemoryImage memory;
    RingFetchCore fetch;
    Toy toy;
    PortMux<MemRequest, MemResponse> hub;
    std::vector<RegRequest> writes;

  private:
    MemResponse answer(const MemRequest& q) {
        MemResponse r;
        r.tag = q.tag;
        r.line = q.line;
        Line line{};
        if (!memory.read(q.line, line.data(), kLineBytes)) {
            r.status = MemStatus::Unmapped;
            return r;
        }
        r.data = line;
        if (q.command == MemCommand::Read)
            return r;
        const auto first = static_cast<unsigned>(__builtin_ctzll(q.byte_mask));
        for (unsigned i = first; i < kLineBytes && (q.byte_mask >> i & 1) != 0; ++i)
            line[i] = q.data[i];
        if (q.command == MemCommand::Atomic) {
            uint32_t old = 0, operand = 0;
            std::memcpy(&old, &r.data[first], 4);
            std::memcpy(&operand, &q.data[first], 4);
            operand = atomic32(q.atomic, old, operand, 0);
            std::memcpy(&line[first], &operand, 4);
        }
        memory.write(q.line, line.data(), kLineBytes);
        return r;
    }

    Scheduler clock_;
    Channel<RegRequest> bus_;
    Channel<MemRequest> memory_;
    std::deque<std::pair<Cycle, MemResponse>> answers_;
};

TEST(Front, OneRingOfTwoLevelsRunsItsPacketsAndThoseOfABuffer) {
    Bench b({1, 2});
    b.poke(kData, {7, 100});
    b.poke(kData + 0x100, {kAdd, kData + 4, 11, kRegister, 0x44, 5});
    b.submit(0, {kCopy, kData, kData + 8, kCall, kData + 0x100, 6, kFill, kData + 0x40, 2, 21, 22,
                 kTrap, 0, 0});
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.peek(kData + 8), 7u);
    EXPECT_EQ(b.peek(kData + 4), 111u) << "the atomic of the buffer";
    EXPECT_EQ(b.peek(kData + 0x40), 21u);
    EXPECT_EQ(b.peek(kData + 0x44), 22u);
    ASSERT_EQ(b.writes.size(), 1u);
    EXPECT_EQ(b.writes[0].offset, 0x44u);
    EXPECT_EQ(b.writes[0].value, 5u);
    EXPECT_EQ(b.toy.engine.traps, 1u) << "the engine's own operation";
    EXPECT_EQ(b.toy.engine.counters.mem_writes, 3u);
}

// A full port holds up only the requests that it is for; answers of both find their client.
TEST(Front, AMuxOfTwoPortsSendsARequestToItsPort) {
    PortMux<MemRequest, MemResponse, 2> mux(2, {4, 1}, {4, 1}, "mux");
    Channel<MemRequest> out[2] = {Channel<MemRequest>({1, 1}), Channel<MemRequest>({4, 1})};
    Channel<MemResponse> back[2] = {Channel<MemResponse>({4, 1}), Channel<MemResponse>({4, 1})};
    for (unsigned i = 0; i < 2; ++i) {
        mux.to_outsides[i].connect(out[i]);
        mux.to_client[i].connect(back[i]);
    }
    Scheduler clock;
    clock.add(mux);
    const auto send = [&](unsigned client, uint16_t port, uint32_t tag) {
        MemRequest r;
        r.port = port;
        r.tag = tag;
        mux.request[client].push(1, r);
    };
    send(0, 0, 1);
    send(0, 0, 2);  // finds port 0 full
    send(1, 1, 3);
    clock.run(20);
    EXPECT_FALSE(mux.idle());
    ASSERT_TRUE(out[0].can_pop(20) && out[1].can_pop(20));
    for (unsigned port = 0; port < 2; ++port) {
        MemResponse r;
        r.tag = out[port].pop(20).tag;
        mux.responses[port].push(20, r);
    }
    clock.run(40);
    EXPECT_EQ(back[0].pop(40).tag, 1u);
    EXPECT_EQ(back[1].pop(40).tag, 3u);
    EXPECT_TRUE(out[0].can_pop(40)) << "the second request of client 0";
    EXPECT_TRUE(out[1].empty());
    EXPECT_TRUE(mux.idle());
}

TEST(Front, FiveRingsTakeTurnsAtPackets) {
    Bench b({5, 2});
    for (uint32_t ring = 0; ring < 5; ++ring)
        b.submit(ring, {kRegister, 0x40 + 4 * ring, ring, kRegister, 0x80 + 4 * ring, ring});
    EXPECT_TRUE(b.run());
    ASSERT_EQ(b.writes.size(), 10u);
    std::array<unsigned, 5> count{};
    for (const RegRequest& r : b.writes) {
        EXPECT_EQ(r.value, r.ring);
        ++count[r.ring];
    }
    EXPECT_EQ(count, (std::array<unsigned, 5>{2, 2, 2, 2, 2}));
}

TEST(Front, ARingThatWaitsLeavesTheEngineToTheOthers) {
    Bench b({5, 1});
    b.submit(0, {kWait, 5000, 0});
    b.submit(4, {kCopy, kData, kData + 8});
    b.poke(kData, {3});
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.toy.order, (std::vector<unsigned>{4, 0}));
    EXPECT_EQ(b.peek(kData + 8), 3u);
}

TEST(Front, AFaultNamesRingLevelAndDword) {
    Bench b({5, 2});
    b.submit(3, {kCopy, kData, kData + 8, kCall, 0x900000, 3});
    try {
        b.run();
        FAIL();
    } catch (const MachineStop& stop) {
        EXPECT_STREQ(stop.what(),
                     "ring toy3, buffer1 0x900000 dword 0: fetch from unmapped "
                     "address 0x900000");
    }
}

}  // namespace
}  // namespace archipelago::front::test
