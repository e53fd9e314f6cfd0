// SPDX-License-Identifier: Apache-2.0
// The memory controller in cycle mode: the same data as without, and the cycles its Spec says.
#include "models/ctm/mc/mc_core.h"

#include <gtest/gtest.h>

#include <set>

#include "models/common/archive.h"
#include "models/ctm/mc/mc_address_pins.h"
#include "testbenches/unit/ctm/mc_rig.h"

namespace archipelago::ctm {
namespace {

using namespace test;  // NOLINT

McSpec spec_of_tests() {
    McSpec s;
    s.elements = {3, 2};
    s.words = {3, 3};
    s.address.requests = {4, 2};
    s.address.latency = 5;
    s.addresses = {4, 3};
    s.requests = 64;
    for (CacheSpec& c : s.caches) {
        c.lookups = 16;
        c.hit_latency = 7;
        c.fill_latency = 4;
        c.fetches = 8;
    }
    return s;
}
// Request pushed by the client to answer pushed to it.
unsigned hit_cycles(const McSpec& s) {
    return s.elements.latency + s.address.requests.latency + s.address.latency +
           s.addresses.latency + s.caches[0].hit_latency;
}

class McInTime : public testing::Test {
  protected:
    explicit McInTime(const McSpec& s = spec_of_tests()) : spec(s), rig(s) { map(rig.image); }
    // Cycles from the request's push to the answer's arrival.
    Cycle time_of(unsigned port, const ElementRequest& r) {
        Rig::Elements& client = *rig.elements[port];
        client.requests.push_back(r);
        rig.settle();
        return client.answered_at.back() - client.sent_at.back() - client.in.spec().latency;
    }
    const McSpec spec;
    Rig rig;
    McCore& core = rig.core;
};

TEST_F(McInTime, HitTakesTheCyclesOfItsStages) {
    rig.carry_out(set_input(0, kBase, kLinear));
    time_of(0, quad(0, 0, 0));
    EXPECT_EQ(time_of(0, quad(0, 2, 0)), hit_cycles(spec));
    EXPECT_EQ(time_of(3, quad(0, 4, 0)), hit_cycles(spec)) << "of another array";
    EXPECT_EQ(core.state().caches[0].counters().hits, 4u);
    EXPECT_EQ(core.state().caches[0].counters().misses, 2u);
}

TEST_F(McInTime, MissTakesMemorysTimeInstead) {
    rig.carry_out(set_input(0, kBase, kLinear));
    const Cycle t = time_of(0, one(0, 0, 0));
    const CacheSpec& c = spec.caches[0];
    SlowMemory& memory = *rig.memories[0];
    // To memory and back: its channel, its time, the controller's channel.
    const Cycle away = memory.in.spec().latency + memory.latency + spec.local_responses.latency;
    EXPECT_EQ(t, hit_cycles(spec) - c.hit_latency + away + c.fill_latency);
}

TEST_F(McInTime, QuadOfFourByteElementsIsAnsweredEveryCycle) {
    rig.carry_out(set_input(0, kBase, kLinear));
    Rig::Elements& client = *rig.elements[1];
    for (unsigned round = 0; round < 2; ++round) {
        for (unsigned n = 0; n < 100; ++n)
            client.requests.push_back(quad(0, n * 2 % 64, 0, n));
        rig.settle();
    }
    for (size_t n = 101; n < 200; ++n)
        ASSERT_EQ(client.answered_at[n], client.answered_at[n - 1] + 1) << n;
}

TEST_F(McInTime, WideElementsTakeTheWayBackLonger) {
    rig.carry_out(set_input(0, kBase, format(64, Tiling::Linear, Format::Float32x4)));
    Rig::Elements& client = *rig.elements[0];
    for (unsigned round = 0; round < 2; ++round) {
        for (unsigned n = 0; n < 20; ++n)
            client.requests.push_back(quad(0, n * 2 % 8, 0, n));
        rig.settle();
    }
    for (size_t n = 21; n < 40; ++n)
        ASSERT_EQ(client.answered_at[n], client.answered_at[n - 1] + 64 / spec.return_bytes);
}

// Whether the port is ticked in them or not.
TEST_F(McInTime, CyclesWithoutAPlaceForTheNextRequestAreCounted) {
    McSpec s = spec_of_tests();
    s.requests = 4;
    Rig other(s);
    map(other.image);
    other.carry_out(set_input(0, kBase, format(64, Tiling::Linear, Format::Float32x4)));
    Rig::Elements& client = *other.elements[0];
    for (unsigned n = 0; n < 200; ++n)
        client.requests.push_back(quad(0, n * 2 % 64, n / 32, n));
    client.wake_at(other.now() + 1);
    const auto& port = other.core.state().elements[0];
    uint64_t without_place = 0;
    while (client.answers.size() < 200) {
        const Cycle now = other.scheduler.next_wake() == kNever ? kNever : other.now() + 1;
        ASSERT_NE(now, kNever);
        const bool waits = port.queue.size() == s.requests && other.core.elements[0].due(now);
        const auto done = [&] {
            return port.requests + port.pieces + port.lines + port.answer_cycles;
        };
        const uint64_t before = done();
        other.scheduler.step(now);
        without_place += waits && done() == before ? 1 : 0;
    }
    other.settle();
    EXPECT_GT(without_place, 200u);
    EXPECT_EQ(*port.stall.counter(PortStall::Places), without_place);
}

TEST_F(McInTime, FourArraysReadSixteenElementsACycle) {
    rig.carry_out(set_input(0, kBase, kLinear));
    for (unsigned round = 0; round < 2; ++round) {
        for (unsigned array = 0; array < 4; ++array)
            for (unsigned n = 0; n < 200; ++n)
                rig.elements[array]->requests.push_back(quad(0, n * 2 % 64, 0, n));
        rig.settle();
    }
    for (unsigned array = 0; array < 4; ++array) {
        const Rig::Elements& client = *rig.elements[array];
        EXPECT_LE(client.answered_at[399] - client.answered_at[200], 200u + 20u) << array;
    }
}

TEST_F(McInTime, PortsShareTheLookUpsOfTheirCacheInTurns) {
    McSpec s = spec_of_tests();
    s.caches[0].lookups = 1;
    Rig other(s);
    map(other.image);
    other.carry_out(set_input(0, kBase, kLinear));
    for (unsigned round = 0; round < 2; ++round) {
        for (unsigned array = 0; array < 4; ++array)
            for (unsigned n = 0; n < 100; ++n)
                other.elements[array]->requests.push_back(one(0, n % 64, 0));
        other.settle();
    }
    for (unsigned array = 0; array < 4; ++array) {
        const Rig::Elements& client = *other.elements[array];
        const Cycle took = client.answered_at[199] - client.answered_at[100];
        EXPECT_GE(took, 380u) << array;
        EXPECT_LE(took, 420u) << array;
    }
    EXPECT_GT(*other.core.state().elements[0].stall.counter(PortStall::Lookups), 200u);
}

TEST_F(McInTime, RequestsOfALineOnItsWayJoinItsFetch) {
    rig.carry_out(set_input(0, kBase, kLinear));
    for (unsigned array = 0; array < 4; ++array)
        for (unsigned n = 0; n < 3; ++n)
            rig.elements[array]->requests.push_back(one(0, n + array, 0));
    rig.settle();
    EXPECT_EQ(rig.requests_seen(), 1u);
    EXPECT_EQ(core.state().caches[0].counters().misses, 1u);
    EXPECT_EQ(core.state().caches[0].counters().joined, 11u);
    for (unsigned array = 0; array < 4; ++array)
        for (unsigned n = 0; n < 3; ++n)
            EXPECT_EQ(rig.elements[array]->answers[n].value[0][0], kBase + 4 * (n + array));
}

TEST_F(McInTime, NoMoreLinesAreOnTheirWayThanTheSpecAllows) {
    rig.carry_out(set_input(0, kBase, format(1024, Tiling::Linear, Format::Float32x1)));
    for (const auto& memory : rig.memories)
        memory->latency = 1000;
    for (unsigned n = 0; n < 40; ++n)
        rig.elements[0]->requests.push_back(one(0, 16 * n, 0));
    const Cycle begin = rig.now();
    rig.elements[0]->wake_at(begin + 1);
    rig.scheduler.run(begin + 500);
    EXPECT_EQ(rig.requests_seen(), spec.caches[0].fetches);
    rig.settle();
    EXPECT_EQ(rig.requests_seen(), 40u);
    EXPECT_GT(*core.state().elements[0].stall.counter(PortStall::Fetches), 900u);
}

TEST_F(McInTime, HitWaitsBehindAnOlderMissOfItsPort) {
    rig.carry_out(set_input(0, kBase, kLinear));
    time_of(0, one(0, 0, 0));
    rig.elements[0]->requests = {one(0, 0, 20), one(0, 1, 0)};
    rig.elements[0]->requests[1].tag = 5;
    rig.settle();
    EXPECT_EQ(rig.elements[0]->answers.back().tag, 5u);
    EXPECT_EQ(rig.elements[0]->answered_at[2], rig.elements[0]->answered_at[1] + 1);
}

TEST_F(McInTime, FlushWritesEachDirtyLineOnceAndIsDoneWhenMemoryHasThem) {
    rig.carry_out(set_output(0, kBase, kLinear));
    const unsigned port = core.output_port(2);
    for (unsigned y = 0; y < 10; y += 2)
        for (unsigned x = 0; x < 64; x += 2)
            rig.elements[port]->requests.push_back(write_of(quad(kOutput0, x, y), 0x900));
    rig.settle();
    EXPECT_EQ(rig.requests_seen(), 0u);
    const Cycle none = rig.carry_out(command(CacheCommand::FlushCondOutCache));
    const Cycle t = rig.carry_out(command(CacheCommand::FlushOutCache));
    EXPECT_EQ(rig.requests_seen(), 40u);  // 10 rows of 4 lines
    for (const auto& memory : rig.memories)
        for (const MemRequest& r : memory->seen)
            EXPECT_EQ(r.byte_mask, ~uint64_t{0});
    EXPECT_GE(t, none + 40u);
    EXPECT_EQ(rig.word(kBase + 4 * (64 * 9 + 63)), 0x930u);
    EXPECT_EQ(rig.carry_out(command(CacheCommand::FlushOutCache)), none) << "nothing is dirty";
    EXPECT_EQ(core.state().caches[1].counters().flushed_lines, 40u);
}

TEST_F(McInTime, FlushWithAllButOneWriteAcknowledgedIsNotDone) {
    rig.carry_out(set_output(0, kBase, kLinear));
    for (const auto& memory : rig.memories)
        memory->latency = 300;
    const unsigned port = core.output_port(0);
    rig.elements[port]->requests.push_back(write_of(quad(kOutput0, 0, 0), 0x900));
    rig.settle();
    EXPECT_GT(rig.carry_out(command(CacheCommand::FlushOutCache)), 300u);
    EXPECT_EQ(rig.word(kBase), 0x900u);
}

TEST_F(McInTime, InvalidationTakesItsCyclesAndCommandsAreAnsweredInOrder) {
    rig.carry_out(set_input(0, kBase, kLinear));
    time_of(0, one(0, 0, 0));
    rig.set(kBase, 7);
    time_of(0, one(0, 0, 0));
    EXPECT_EQ(rig.elements[0]->answers.back().value[0][0], kBase);
    const Cycle quick = rig.carry_out(command(CacheCommand::SetOutMask, 0xf));
    EXPECT_EQ(quick, spec.commands.latency + 1);
    EXPECT_EQ(rig.carry_out(command(CacheCommand::InvInpCache)), quick + spec.invalidate_cycles);
    time_of(0, one(0, 0, 0));
    EXPECT_EQ(rig.elements[0]->answers.back().value[0][0], 7u);
}

TEST_F(McInTime, RequestSentWhenACommandIsAnsweredSeesIt) {
    for (const unsigned latency : {1u, 6u}) {
        McSpec s = spec_of_tests();
        s.address.requests.latency = 1;
        s.elements.latency = 1;
        s.address.commands = {2, latency};
        Rig other(s);
        map(other.image);
        for (unsigned n = 0; n < 4; ++n) {
            other.carry_out(set_input(0, kBase + 0x1000 * n, kLinear));
            other.elements[0]->requests.push_back(one(0, 0, 0));
            other.elements[0]->wake_at(other.now());
            other.settle();
            EXPECT_EQ(other.elements[0]->answers.back().value[0][0], kBase + 0x1000 * n);
        }
    }
}

TEST_F(McInTime, UncachedWriteIsAnsweredWhenMemoryHasIt) {
    rig.carry_out(set_output(0, kBase, kLinear));
    const unsigned port = core.output_port(1);
    const Cycle cached = time_of(port, write_of(one(kOutput0, 0, 0), 1));
    ElementRequest r = write_of(one(kOutput0, 1, 0), 0x77);
    r.uncached = true;
    const Cycle past = time_of(port, r);
    EXPECT_EQ(cached, hit_cycles(spec));
    EXPECT_GT(past, cached + rig.memories[0]->latency - spec.caches[1].hit_latency);
    EXPECT_EQ(rig.word(kBase + 4), 0x77u);
    ASSERT_EQ(rig.memories[0]->seen.size(), 1u);
    EXPECT_TRUE(rig.memories[0]->seen[0].write_through);
    EXPECT_EQ(rig.memories[0]->seen[0].byte_mask, 0xf0u);
}

TEST_F(McInTime, LinesGoToTheWaysInTurns) {
    rig.carry_out(set_input(0, kBase, format(1024, Tiling::Linear, Format::Float32x1)));
    for (unsigned n = 0; n < 10; ++n)
        rig.elements[0]->requests.push_back(one(0, 16 * n, 0));
    rig.settle();
    for (unsigned way = 0; way < 2; ++way) {
        EXPECT_EQ(rig.memories[way]->seen.size(), 5u);
        for (const MemRequest& r : rig.memories[way]->seen)
            EXPECT_EQ(r.line / kLineBytes % 2, way);
    }
    EXPECT_EQ(core.state().local.reads, 10u);
    EXPECT_EQ(core.state().local.bytes_read, 640u);
}

TEST_F(McInTime, HostsMemoryIsBehindItsOwnLink) {
    McSpec s = spec_of_tests();
    s.system = {kBase + 0x1000, 0x1000, 4};
    s.system_responses.latency = 50;
    Rig other(s);
    map(other.image);
    other.carry_out(set_input(0, kBase, format(1024, Tiling::Linear, Format::Float32x1)));
    for (unsigned y = 0; y < 3; ++y)
        for (unsigned n = 0; n < 8; ++n)
            other.elements[0]->requests.push_back(one(0, 16 * n, y));
    other.settle();
    ASSERT_EQ(other.system().seen.size(), 8u);
    for (size_t n = 0; n < 8; ++n) {
        EXPECT_EQ(other.system().seen[n].line, kBase + 0x1000 + 64 * n);
        if (n != 0) {
            EXPECT_EQ(other.system().seen_at[n], other.system().seen_at[n - 1] + 16);
        }
    }
    EXPECT_EQ(other.core.state().system.bytes_read, 512u);
    EXPECT_EQ(other.core.state().local.bytes_read, 1024u);
    EXPECT_GT(other.core.state().system_wait_cycles, 50u);
    for (unsigned n = 0; n < 24; ++n)
        EXPECT_EQ(other.elements[0]->answers[n].value[0][0], kBase + 0x1000 * (n / 8) + n % 8 * 64);
}

TEST_F(McInTime, RequestsOfThePePassToMemoryAndBack) {
    for (unsigned n = 0; n < 2; ++n) {
        MemRequest r;
        r.line = kBase + 64 * n;
        r.byte_mask = ~uint64_t{0};
        r.tag = 0xffffffff - n;
        core.pe_requests.push(rig.now(), r);
    }
    rig.scheduler.run(rig.now() + 200);
    EXPECT_FALSE(core.idle() && rig.pe.empty());
    std::set<uint32_t> tags;
    for (unsigned n = 0; n < 2; ++n) {
        ASSERT_TRUE(rig.pe.can_pop(rig.now()));
        const MemResponse a = rig.pe.pop(rig.now());
        tags.insert(a.tag);
        uint32_t word = 0;
        std::memcpy(&word, a.data.data(), sizeof word);
        EXPECT_EQ(word, a.line);
    }
    EXPECT_EQ(tags, (std::set<uint32_t>{0xffffffff, 0xfffffffe}));
    EXPECT_TRUE(core.idle());
}

TEST_F(McInTime, IdleItIsNotTicked) {
    rig.carry_out(set_input(0, kBase, kLinear));
    time_of(0, quad(0, 0, 0));
    const uint64_t ticks = rig.scheduler.ticks();
    rig.scheduler.run(rig.now() + 100'000);
    EXPECT_EQ(rig.scheduler.ticks(), ticks);
}

TEST_F(McInTime, WhileMemoryKeepsItWaitingItIsNotTicked) {
    rig.carry_out(set_input(0, kBase, kLinear));
    for (const auto& memory : rig.memories)
        memory->latency = 50'000;
    rig.elements[0]->requests.push_back(quad(0, 0, 0));
    const uint64_t ticks = rig.scheduler.ticks();
    rig.settle();
    EXPECT_LT(rig.scheduler.ticks(), ticks + 100);
}

TEST_F(McInTime, FaultsAreThoseWithoutTime) {
    const auto stop = [](const UnitCommand& setting, const ElementRequest& r) {
        Rig one_more(spec_of_tests());
        map(one_more.image);
        one_more.carry_out(setting);
        const unsigned port =
            cache_of(r.client) == CacheId::Output ? one_more.core.output_port(0) : 0;
        one_more.elements[port]->requests.push_back(r);
        std::string timed;
        try {
            one_more.settle();
            one_more.carry_out(command(CacheCommand::FlushOutCache));
        } catch (const MachineStop& stopped) {
            timed = stopped.what();
        }
        ImageMemory memory;
        map(memory.image);
        McFunctional mc(spec_of_tests(), memory);
        try {
            mc.apply(setting);
            r.write ? mc.write_elements(r) : mc.read_elements(r);
            mc.apply(command(CacheCommand::FlushOutCache));
            ADD_FAILURE();
        } catch (const MachineStop& stopped) {
            EXPECT_EQ(timed, stopped.what());
        }
        return timed;
    };
    EXPECT_EQ(stop(set_input(3, 0x80000000, kLinear), one(3, 12, 7)),
              "input 3 at (12, 7): read of unmapped address 0x80000730");
    EXPECT_NE(stop(set_output(1, 0x80000000, kLinear), write_of(one(kOutput0 + 1, 2, 1), 0)), "");
    ElementRequest past = write_of(one(kOutput0 + 1, 2, 1), 0);
    past.uncached = true;
    EXPECT_NE(stop(set_output(1, 0x80000000, kLinear), past), "");
    past = write_of(one(kOutput0 + 1, 2, 1), 0, 0x4);  // c2
    past.uncached = true;
    EXPECT_EQ(stop(set_output(1, 0x80000000, format(64, Tiling::Linear, Format::Float32x4)), past),
              "output 1 at (2, 1): write to unmapped address 0x80000428");
    EXPECT_NE(stop(set_output(1, kBase, kLinear, 1), write_of(one(kOutput0 + 1, 2, 1), 0)), "");
    EXPECT_NE(
        stop(set_input(4, kBase, format(64, Tiling::Linear, Format::Reserved7)), one(4, 1, 2)), "");
    EXPECT_NE(
        stop(set_input(5, kBase, format(64, Tiling::TiledInp2x2, Format::Uint8x4)), one(5, 1, 2)),
        "");
}

// ---- random traffic, against the controller in functional mode ----------------------------------

struct Variation {
    uint64_t shuffle = 0;
    unsigned stall = 0;  // percent
    unsigned spread = 0;
    Units units = {};
};

// What a run shows: answers and memory are checked in it; cycles are compared between runs.
struct Seen {
    Cycle end = 0;
    std::vector<std::vector<Cycle>> answered;
    uint64_t hits = 0, joined = 0, write_backs = 0;
};

class Traffic {
  public:
    Traffic(const McSpec& spec, uint64_t seed, const Variation& v)
        : spec_(spec), random_(seed), rig_(spec, v.units), reference_(spec, memory_) {
        map(rig_.image);
        map(memory_.image);
        for (const auto& memory : rig_.memories)
            memory->spread = v.spread;
        if (v.shuffle != 0)
            rig_.scheduler.shuffle(v.shuffle);
        if (v.stall != 0)
            stall(v.stall);
    }

    Seen run(unsigned rounds) {
        for (unsigned n = 0; n < rounds; ++n) {
            set_up();
            load();
            rig_.settle();
            check_answers();
            command_both(command(CacheCommand::FlushOutCache));
            command_both(command(CacheCommand::FlushCondOutCache));
            check_memory();
        }
        Seen seen;
        seen.end = rig_.now();
        for (const auto& client : rig_.elements)
            seen.answered.push_back(client->answered_at);
        for (const auto& client : rig_.words)
            seen.answered.push_back(client->answered_at);
        for (const CacheUnit& cache : rig_.core.state().caches) {
            seen.hits += cache.counters().hits;
            seen.joined += cache.counters().joined;
            seen.write_backs += cache.counters().write_backs;
        }
        return seen;
    }

  private:
    static constexpr unsigned kWidth = 128, kHeight = 64;
    static constexpr uint32_t kSlice = 0x40000;  // of an output

    void stall(unsigned percent) {
        uint64_t seed = 100;
        for (auto& channel : rig_.core.elements)
            channel.random_stall(++seed, percent);
        for (auto& channel : rig_.core.words)
            channel.random_stall(++seed, percent);
        for (auto& channel : rig_.core.from_local)
            channel.random_stall(++seed, percent);
        for (auto& client : rig_.elements)
            client->in.random_stall(++seed, percent);
        for (auto& memory : rig_.memories)
            memory->in.random_stall(++seed, percent);
    }
    uint32_t draw(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
    void command_both(const UnitCommand& c) {
        rig_.carry_out(c);
        reference_.apply(c);
    }
    uint32_t random_format(bool input) {
        const auto f = static_cast<Format>(draw(6));
        const bool one = format_info(f).one_channel;
        const auto tiling = static_cast<Tiling>(draw(input && one ? 4 : 2));
        return format(kWidth, tiling, f);
    }
    void set_up() {
        for (unsigned n = 0; n < kInputs; ++n)
            command_both(set_input(n, kBase + 0x800 * draw(64), random_format(true)));
        for (unsigned n = 0; n < kOutputs; ++n)
            command_both(
                set_output(n, kBase + 0x80000 + kSlice * n, random_format(false), kHeight));
        command_both(command(Command::SetCondOutFmt, kBase + 0x1c0000, random_format(false), 64));
        command_both(
            command(Command::SetConstfFmt, kBase + 0x800 * draw(64), random_format(false)));
        for (const Command c : {Command::SetConstiFmt, Command::SetConstbFmt, Command::SetInstFmt})
            command_both(command(c, kBase + 0x800 * draw(64), random_format(false)));
        command_both(command(CacheCommand::SetOutMask, draw(16)));
        command_both(command(CacheCommand::SetCondOutMask, draw(4) != 0 ? 1 : 0));
        for (const CacheCommand c : {CacheCommand::InvInpCache, CacheCommand::InvInstCache})
            if (draw(2) != 0)
                command_both(command(c));
    }
    ElementRequest random_quad(unsigned client) {
        ElementRequest r = quad(client, 0, 0, draw(1000));
        const unsigned x = draw(kWidth);
        const unsigned y = draw(kHeight);
        const bool together = draw(4) != 0;
        for (unsigned lane = 0; lane < 4; ++lane)
            r.index[lane] = together ? point((x + lane % 2) % kWidth, (y + lane / 2) % kHeight)
                                     : point(draw(kWidth), draw(kHeight));
        r.lanes = static_cast<uint8_t>(draw(3) != 0 ? 0xf : draw(16));
        return r;
    }
    ElementRequest random_write(unsigned client) {
        ElementRequest r = random_quad(client);
        r.write = true;
        for (unsigned lane = 0; lane < 4; ++lane) {
            r.channels[lane] = static_cast<uint8_t>(draw(2) != 0 ? 0xf : draw(16));
            for (unsigned c = 0; c < 4; ++c)
                r.value[lane][c] = draw(2) != 0 ? bits_of(static_cast<float>(draw(100)) / 64)
                                                : static_cast<uint32_t>(random_());
        }
        return r;
    }
    // Arrays read any inputs; each writes an output of its own, as programs do.
    void load() {
        for (unsigned array = 0; array < spec_.arrays; ++array)
            for (unsigned n = 0; n < 60; ++n) {
                ask(array, random_quad(draw(kInputs)));
                ElementRequest w = random_write(kOutput0 + array);
                w.uncached = array == 0 && n % 3 == 0;
                ask(rig_.core.output_port(array), w);
                for (unsigned client = kFloatConstants; client <= kInstructions; ++client)
                    ask_words(array, words_of(client, draw(client == kInstructions ? 512 : 32),
                                              draw(1000)));
            }
        for (unsigned n = 0; n < 100; ++n)
            ask(rig_.core.conditional_port(),
                draw(2) != 0 ? random_quad(kConditionalOutput) : random_write(kConditionalOutput));
    }
    void ask(unsigned port, const ElementRequest& r) {
        rig_.elements[port]->requests.push_back(r);
        const ElementResponse a =
            r.write ? reference_.write_elements(r) : reference_.read_elements(r);
        expected_[port].push_back(a);
    }
    void ask_words(unsigned array, const WordsRequest& r) {
        const unsigned port = McCore::words_port(array, r.client);
        rig_.words[port]->requests.push_back(r);
        expected_words_[port].push_back(reference_.words(r));
    }
    void check_answers() {
        for (const auto& [port, expected] : expected_) {
            const auto& answers = rig_.elements[port]->answers;
            ASSERT_EQ(answers.size(), expected.size()) << port;
            for (size_t n = checked_[port]; n < expected.size(); ++n) {
                ASSERT_EQ(answers[n].tag, expected[n].tag) << port << ", " << n;
                ASSERT_EQ(answers[n].lanes, expected[n].lanes) << port << ", " << n;
                ASSERT_EQ(answers[n].value, expected[n].value) << port << ", " << n;
            }
            checked_[port] = expected.size();
        }
        for (const auto& [port, expected] : expected_words_) {
            const auto& answers = rig_.words[port]->answers;
            ASSERT_EQ(answers.size(), expected.size());
            for (size_t n = 0; n < expected.size(); ++n) {
                ASSERT_EQ(answers[n].tag, expected[n].tag) << port << ", " << n;
                ASSERT_EQ(answers[n].words, expected[n].words) << port << ", " << n;
            }
        }
    }
    void check_memory() {
        for (uint32_t a = kBase; a < kBase + kBytes; a += 4)
            ASSERT_EQ(rig_.word(a), memory_.word(a)) << std::hex << a;
    }

    const McSpec spec_;
    std::mt19937_64 random_;
    Rig rig_;
    ImageMemory memory_;
    McFunctional reference_;
    std::map<unsigned, std::vector<ElementResponse>> expected_;
    std::map<unsigned, std::vector<WordsResponse>> expected_words_;
    std::map<unsigned, size_t> checked_;
};

// Small enough for evictions, full tables and full queues.
McSpec small_spec() {
    McSpec s;
    s.requests = 6;
    for (CacheSpec& c : s.caches) {
        c.fetches = 4;
        c.writes = 3;
        c.queue = 3;
        c.lookups = 3;
    }
    s.caches[number_of(CacheId::Input)].geometry = {64, 1};
    s.system = {kBase + 0x20000, 0xa0000, 16};
    return s;
}

TEST(McTraffic, AnswersAndMemoryAreThoseWithoutTime) {
    const Seen seen = Traffic(spec_of_tests(), 1, {}).run(4);
    EXPECT_GT(seen.hits, 1000u);
    EXPECT_GT(seen.joined, 100u);
    Traffic(McSpec(), 2, {}).run(4);
}

TEST(McTraffic, SmallTablesAndQueuesChangeNoAnswer) {
    const Seen seen = Traffic(small_spec(), 3, {}).run(4);
    EXPECT_GT(seen.write_backs, 500u);
    McSpec one = small_spec();
    one.requests = 1;
    one.lines_per_quad = 1;
    one.local_ports = 1;
    for (unsigned i = 0; i < kCaches; ++i) {
        CacheSpec& c = one.caches[i];
        c.fetches = c.writes = c.lookups = 1;
        c.queue = CacheSpec::least_queue(static_cast<CacheId>(i));
    }
    Traffic(one, 4, {}).run(2);
}

TEST(McTraffic, TickOrderDoesNotMatter) {
    const Seen plain = Traffic(small_spec(), 5, {}).run(3);
    for (const uint64_t shuffle : {1u, 2u, 3u}) {
        const Seen shuffled = Traffic(small_spec(), 5, {shuffle, 0, 0, {}}).run(3);
        EXPECT_EQ(shuffled.end, plain.end);
        EXPECT_EQ(shuffled.answered, plain.answered);
    }
}

TEST(McTraffic, RandomStallsAndMemoryTimesChangeNoAnswer) {
    const Seen plain = Traffic(small_spec(), 6, {}).run(2);
    for (const unsigned percent : {20u, 60u}) {
        const Seen stalled = Traffic(small_spec(), 6, {0, percent, 40, {}}).run(2);
        EXPECT_GT(stalled.end, plain.end);
        const Seen again = Traffic(small_spec(), 6, {9, percent, 40, {}}).run(2);
        EXPECT_EQ(again.answered, stalled.answered);
    }
}

// Stale lines, too, are the same: one port, whose requests come in one order either way.
TEST(McTraffic, LinesAreAsOldAsWithoutTime) {
    McSpec spec;
    spec.caches[0].geometry = {16, 4};
    spec.caches[0].fetches = 2;
    Rig rig(spec);
    map(rig.image);
    ImageMemory memory;
    map(memory.image);
    McFunctional reference(spec, memory);
    const UnitCommand set = set_input(0, kBase, format(64, Tiling::Tiled, Format::Float32x1));
    rig.carry_out(set);
    reference.apply(set);
    McFunctional fresh(spec, memory);
    fresh.apply(set);
    std::mt19937 random(8);
    unsigned stale = 0;
    for (unsigned n = 0; n < 300; ++n) {
        for (unsigned i = 0; i < 50; ++i) {
            const uint32_t a = kBase + 4 * (random() % 4096);
            const uint32_t value = random();
            rig.set(a, value);
            memory.set(a, value);
        }
        std::vector<ElementRequest> asked;
        std::vector<ElementResponse> expected;
        for (unsigned i = 0; i < 20; ++i) {
            const unsigned x = random() % 64;
            const unsigned y = random() % 64;
            asked.push_back(quad(0, x, y));
            rig.elements[0]->requests.push_back(asked.back());
            expected.push_back(reference.read_elements(asked.back()));
        }
        rig.settle();
        for (unsigned i = 0; i < 20; ++i)
            ASSERT_EQ(rig.elements[0]->answers[20 * n + i].value, expected[i].value) << n;
        fresh.apply(command(CacheCommand::InvInpCache));
        for (unsigned i = 0; i < 20; ++i)
            stale +=
                rig.elements[0]->answers[20 * n + i].value != fresh.read_elements(asked[i]).value
                    ? 1
                    : 0;
    }
    EXPECT_GT(stale, 100u);
}

// ---- address units on pins -----------------------------------------------------------------

// The model on pins, beside a second one that must show the same in every cycle.
class Lockstep : public rtl::PinBlock<rtl::CtmMcAddressPins> {
  public:
    Lockstep(uint64_t& steps, unsigned wrong_after) : steps_(steps), wrong_after_(wrong_after) {}
    void step(const In& in, Out& out) override {
        Out other;
        one_.step(in, out);
        two_.step(in, other);
        ++steps_;
        answers_ += out.out_valid != 0 ? 1 : 0;
        if (out.out_valid != 0 && answers_ == wrong_after_)
            out.out_c0 ^= 0x40;
        rtl::CtmMcAddressPins::outputs([&](auto pin) {
            if (wrong_after_ == 0) {
                EXPECT_EQ(pin.member(out), pin.member(other)) << pin.port << "_" << pin.field;
            }
        });
    }

  private:
    McAddressPins one_, two_;
    uint64_t& steps_;
    unsigned wrong_after_;
    unsigned answers_ = 0;
};
class LockstepFactory : public AddressFactory {
  public:
    explicit LockstepFactory(unsigned wrong_after = 0) : wrong_after_(wrong_after) {}
    rtl::PinBlock<rtl::CtmMcAddressPins>& address_unit(const AddressSpec& spec,
                                                       unsigned number) override {
        check_twin(spec);
        EXPECT_EQ(number, blocks_.size());
        blocks_.push_back(std::make_unique<Lockstep>(steps, number == 0 ? wrong_after_ : 0));
        return *blocks_.back();
    }
    uint64_t steps = 0;

  private:
    unsigned wrong_after_;
    std::vector<std::unique_ptr<Lockstep>> blocks_;
};

TEST(McOnPins, ExchangedAddressUnitsChangeNoCycle) {
    McSpec spec = small_spec();
    spec.address.commands.latency = 3;
    spec.address.requests.latency = 2;
    const Seen plain = Traffic(spec, 7, {}).run(2);
    LockstepFactory factory;
    const Seen on_pins = Traffic(spec, 7, {0, 0, 0, {&factory}}).run(2);
    EXPECT_EQ(on_pins.end, plain.end);
    EXPECT_EQ(on_pins.answered, plain.answered);
    EXPECT_GT(factory.steps, 1000u);
    LockstepFactory stalled_factory;
    const Seen stalled = Traffic(small_spec(), 7, {0, 50, 30, {}}).run(2);
    const Seen stalled_on_pins = Traffic(small_spec(), 7, {0, 50, 30, {&stalled_factory}}).run(2);
    EXPECT_EQ(stalled_on_pins.answered, stalled.answered);
}

TEST(McOnPins, UnitShowsTheSameInEveryCycleWhateverItsClientDoes) {
    McSpec spec;
    spec.address.commands = {2, 3};
    spec.addresses = {1, 2};
    LockstepFactory factory;
    AddressUnit model(spec, {}, 0, "model");
    AddressUnit pins(spec, {&factory}, 0, "pins");
    std::mt19937 random(12);
    unsigned answers = 0;
    for (Cycle now = 1; now < 20'000; ++now) {
        ASSERT_EQ(pins.can_ask(now), model.can_ask(now)) << now;
        ASSERT_EQ(pins.can_set(now), model.can_set(now)) << now;
        ASSERT_EQ(pins.answered(now), model.answered(now)) << now;
        const bool takes = random() % 3 != 0;
        if (takes && model.answered(now)) {
            ASSERT_EQ(pins.answer().address, model.answer().address) << now;
            ASSERT_EQ(pins.answer().status, model.answer().status) << now;
            ++answers;
            pins.drop(now);
            model.drop(now);
        }
        const AddressRequest ask{static_cast<uint8_t>(random() % 4),
                                 static_cast<uint16_t>(random() & kMaxIndex),
                                 static_cast<uint16_t>(random() & kMaxIndex), 0};
        const UnitCommand set = set_input(random() % 4, random(), random() & 0x7031ffc);
        if (random() % 2 != 0 && model.can_ask(now)) {
            pins.ask(now, ask);
            model.ask(now, ask);
        }
        if (random() % 4 == 0 && model.can_set(now)) {
            pins.set(now, set);
            model.set(now, set);
        }
        pins.tick(now);
        model.tick(now);
    }
    EXPECT_GT(answers, 3000u);
}

TEST(McOnPins, AddressesAreTheUnits) {
    LockstepFactory factory(3);
    McSpec spec;
    Rig rig(spec, {&factory});
    map(rig.image);
    rig.carry_out(set_input(0, kBase, kLinear));
    for (unsigned n = 0; n < 4; ++n)
        rig.elements[0]->requests.push_back(one(0, 0, n));
    rig.settle();
    for (unsigned n = 0; n < 4; ++n)
        EXPECT_EQ(rig.elements[0]->answers[n].value[0][0], (kBase + 256 * n) ^ (n == 2 ? 0x40 : 0));
}

TEST(McOnPins, LatencyThatTheVerilogDoesNotHaveIsRefused) {
    LockstepFactory factory;
    McSpec spec;
    spec.address.latency = 5;
    EXPECT_THROW(McCore(spec, {&factory}), std::invalid_argument);
}

// ---- control -----------------------------------------------------------------------------------

TEST_F(McInTime, CheckpointKeepsLinesRegistersAndCounters) {
    rig.carry_out(set_input(0, kBase, kLinear));
    rig.carry_out(set_output(0, kBase, kLinear));
    time_of(0, quad(0, 0, 0));
    time_of(core.output_port(0), write_of(one(kOutput0, 1, 0), 0x900));
    Archive save;
    save.block("mc", [&] { core.archive(save); });
    Rig other(spec);
    map(other.image);
    Archive load(save.bytes(), "test");
    load.block("mc", [&] { other.core.archive(load); });
    other.set(kBase, 7);
    other.elements[0]->requests.push_back(one(0, 0, 0));
    other.settle();
    EXPECT_EQ(other.elements[0]->answers[0].value[0][0], kBase);
    other.carry_out(command(CacheCommand::FlushOutCache));
    EXPECT_EQ(other.word(kBase + 4), 0x900u);
    EXPECT_EQ(other.core.state().elements[0].requests, 2u);
}

TEST_F(McInTime, ResetForgetsWhatIsInside) {
    rig.carry_out(set_input(0, kBase, kLinear));
    rig.carry_out(set_output(0, kBase, kLinear));
    time_of(0, quad(0, 0, 0));
    time_of(core.output_port(0), write_of(one(kOutput0, 1, 0), 0x900));
    core.reset();
    EXPECT_TRUE(core.idle());
    rig.carry_out(command(CacheCommand::FlushOutCache));
    EXPECT_EQ(rig.word(kBase + 4), kBase + 4);
    EXPECT_EQ(core.state().registers.surfaces[0].base, 0u);
    EXPECT_EQ(core.state().elements[0].requests, 0u);
    EXPECT_EQ(core.state().caches[0].counters().misses, 0u);
}

TEST_F(McInTime, CountersAreDeclaredOnce) {
    StatsRegistry stats;
    core.register_stats(stats, "ctm.mc");
    std::set<std::string> names;
    for (const Counter& c : stats.counters()) {
        EXPECT_TRUE(names.insert(c.unit_path + "." + c.name).second) << c.unit_path << c.name;
        EXPECT_FALSE(c.meaning.empty());
        EXPECT_EQ(*c.value, 0u);
    }
    EXPECT_EQ(names.count("ctm.mc.input_cache.hits"), 1u);
    EXPECT_EQ(names.count("ctm.mc.array3.instruction.stall_fetches"), 1u);
    EXPECT_EQ(names.count("ctm.mc.system.bytes_written"), 1u);
}

}  // namespace
}  // namespace archipelago::ctm
