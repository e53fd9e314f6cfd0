// SPDX-License-Identifier: Apache-2.0
// The address translation as a block: commands, clients, statuses, time and back-pressure.
#include "models/ctm/mc/mc_address_core.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace archipelago::ctm {
namespace {

AddressCommand command(Command opcode, uint32_t p0, uint32_t p1, uint32_t p2 = 0, uint32_t p3 = 0) {
    AddressCommand c;
    c.opcode = static_cast<uint8_t>(opcode);
    c.parameters = {p0, p1, p2, p3};
    return c;
}
AddressRequest request(unsigned client, uint32_t x, uint32_t y, unsigned tag = 0) {
    AddressRequest r;
    r.client = static_cast<uint8_t>(client);
    r.x = static_cast<uint16_t>(x);
    r.y = static_cast<uint16_t>(y);
    r.tag = static_cast<uint8_t>(tag);
    return r;
}
uint32_t word(uint32_t pitch, Tiling tiling, Format format) {
    Surface s;
    s.pitch = static_cast<uint16_t>(pitch);
    s.tiling = tiling;
    s.format = format;
    return format_word(s);
}
bool equal(const AddressResponse& a, const AddressResponse& b) {
    return a.address == b.address && a.superfine == b.superfine && a.log2_bytes == b.log2_bytes &&
           a.status == b.status && a.tag == b.tag;
}

class McAddress : public testing::Test {
  protected:
    McAddress() { core.to_responses.connect(responses); }
    static AddressSpec spec() {
        AddressSpec s;
        s.latency = 4;
        s.requests = {16, 1};
        s.commands = {16, 1};
        return s;
    }
    // Commands, one after the other.
    void set(const AddressCommand& c) {
        core.commands.push(now, c);
        step(2);
    }
    void step(unsigned cycles = 1) {
        for (unsigned i = 0; i < cycles; ++i)
            core.tick(++now);
    }
    AddressResponse ask(const AddressRequest& r) {
        core.requests.push(now, r);
        for (unsigned i = 0; i < 50 && !responses.can_pop(now); ++i)
            step();
        EXPECT_TRUE(responses.can_pop(now));
        return responses.pop(now);
    }
    Cycle now = 10;
    McAddressCore core{spec()};
    Channel<AddressResponse> responses{{8, 1}};
};

TEST_F(McAddress, EachCommandSetsTheSurfaceOfItsClientAndNoOther) {
    const uint32_t format = word(64, Tiling::Linear, Format::Float32x1);
    struct Set {
        AddressCommand command;
        unsigned client;
    };
    std::vector<Set> sets;
    uint32_t base = 0x1000;
    const auto next = [&] { return base += 0x1000; };
    for (unsigned n = 0; n < kInputs; ++n)
        sets.push_back({command(Command::SetInpFmt, n, next(), format, 64), kInput0 + n});
    for (unsigned n = 0; n < kOutputs; ++n)
        sets.push_back({command(Command::SetOutFmt, n, next(), format, 64), kOutput0 + n});
    sets.push_back({command(Command::SetCondOutFmt, next(), format, 64), kConditionalOutput});
    sets.push_back({command(Command::SetConstfFmt, next(), format), kFloatConstants});
    sets.push_back({command(Command::SetConstiFmt, next(), format), kIntegerConstants});
    sets.push_back({command(Command::SetConstbFmt, next(), format), kBooleanConstants});
    sets.push_back({command(Command::SetInstFmt, next(), format), kInstructions});
    ASSERT_EQ(sets.size(), kClients);
    for (const Set& s : sets) {
        core.reset();
        set(s.command);
        for (unsigned client = 0; client < kClients; ++client) {
            const AddressResponse r = ask(request(client, 3, 1));
            EXPECT_EQ(r.address[0] >= 0x1000, client == s.client) << client << ", " << s.client;
        }
    }
    for (const Set& s : sets)
        set(s.command);
    for (unsigned client = 0; client < kClients; ++client)
        EXPECT_EQ(ask(request(client, 3, 1)).address[0], 0x2000 + 0x1000 * client + 64 * 4 + 3 * 4);
}

TEST_F(McAddress, ReservedBitsOfParametersChangeNothing) {
    const uint32_t format = word(64, Tiling::Tiled, Format::Float32x2);
    set(command(Command::SetInpFmt, 3 | 0xfffffff0, 0x8000 | 0x7ff, format | 0xf8fce003, ~0u));
    set(command(Command::SetInpFmt, 4, 0x8000, format));
    for (const uint32_t x : {0u, 5u, 63u, 4095u})
        EXPECT_EQ(ask(request(3, x, 77)).address, ask(request(4, x, 77)).address);
    EXPECT_NE(ask(request(3, 1, 1)).address[0], 0u);
}

TEST_F(McAddress, ARefusedCommandIsToldInItsCycleAlone) {
    const uint32_t format = word(64, Tiling::Linear, Format::Float32x1);
    for (const uint32_t output : {3u, 4u, 5u, 2u}) {
        core.commands.push(now, command(Command::SetOutFmt, output, 0x8000, format));
        step();
        EXPECT_EQ(core.refused_command(), output > 3) << output;
    }
    step();
    EXPECT_FALSE(core.refused_command());
    core.commands.push(now, command(Command::SetOutFmt, 9, 0x8000, format));
    step();
    EXPECT_TRUE(core.refused_command());
    step();
    EXPECT_FALSE(core.refused_command());
}

TEST_F(McAddress, CommandOfNoSurfaceOrNoOutputChangesNothingAndIsCounted) {
    const uint32_t format = word(64, Tiling::Linear, Format::Float32x1);
    for (const uint32_t output : {4u, 5u, 8u, 15u})
        set(command(Command::SetOutFmt, output, 0x8000, format));
    for (unsigned opcode = 0; opcode < 256; ++opcode)
        if (opcode < 0x0a || opcode > 0x10)
            set(command(static_cast<Command>(opcode), 0x8000, 0x8000, format));
    EXPECT_EQ(core.state().counters.refused_commands, 4u + 249u);
    for (unsigned client = 0; client < kClients; ++client)
        EXPECT_EQ(ask(request(client, 0, 5)).address[0], 0u);
}

TEST_F(McAddress, SuperfineIsForInputsOnly) {
    const uint32_t format = word(64, Tiling::LinearInp2x2, Format::Float32x1);
    set(command(Command::SetInpFmt, 15, 0x8000, format));
    set(command(Command::SetOutFmt, 0, 0x8000, format));
    set(command(Command::SetCondOutFmt, 0x8000, format));
    const AddressResponse input = ask(request(15, 1, 2, 9));
    EXPECT_TRUE(input.superfine);
    EXPECT_EQ(input.status, AddressStatus::Ok);
    EXPECT_EQ(input.tag, 9);
    EXPECT_EQ(input.address, (std::array<uint32_t, 4>{0x8208, 0x8304, 0x8308, 0x8204}));
    for (const unsigned client : {16u, 20u}) {
        const AddressResponse r = ask(request(client, 1, 2));
        EXPECT_FALSE(r.superfine);
        EXPECT_EQ(r.address, (std::array<uint32_t, 4>{0x8204, 0, 0, 0}));
    }
    EXPECT_EQ(core.state().counters.superfine, 1u);
    EXPECT_EQ(core.state().counters.addresses, 6u);
}

TEST_F(McAddress, SuperfineOfSeveralChannelsIsReportedAndHasTheAddressesOfItsElements) {
    for (const Format f : {Format::Uint8x4, Format::Float32x2, Format::Float32x4}) {
        set(command(Command::SetInpFmt, 0, 0x8000, word(64, Tiling::TiledInp2x2, f)));
        set(command(Command::SetInpFmt, 1, 0x8000, word(64, Tiling::Tiled, f)));
        const AddressResponse r = ask(request(0, 7, 9));
        EXPECT_EQ(r.status, AddressStatus::Undefined);
        EXPECT_EQ(r.address[0], ask(request(1, 8, 9)).address[0]);
        EXPECT_EQ(r.address[1], ask(request(1, 7, 10)).address[0]);
        EXPECT_EQ(r.address[2], ask(request(1, 8, 10)).address[0]);
        EXPECT_EQ(r.address[3], ask(request(1, 7, 9)).address[0]);
    }
    EXPECT_EQ(core.state().counters.undefined, 3u);
}

TEST_F(McAddress, ReservedFormatAndUnknownClientHaveNoAddress) {
    for (const unsigned f : {6u, 7u}) {
        set(command(Command::SetInpFmt, 2, 0x8000,
                    word(64, Tiling::TiledInp2x2, static_cast<Format>(f))));
        const AddressResponse r = ask(request(2, 7, 9, 33));
        EXPECT_EQ(r.status, AddressStatus::ReservedFormat);
        EXPECT_EQ(r.address, (std::array<uint32_t, 4>{}));
        EXPECT_EQ(r.tag, 33);
    }
    for (unsigned client = kClients; client < 32; ++client)
        EXPECT_EQ(ask(request(client, 7, 9)).status, AddressStatus::NoClient);
    EXPECT_EQ(core.state().counters.refused, 9u);
}

TEST_F(McAddress, AddressesLeaveAfterTheLatencyAndNotBefore) {
    for (const unsigned latency : {1u, 4u, 9u}) {
        AddressSpec s = spec();
        s.latency = latency;
        McAddressCore block(s);
        Channel<AddressResponse> out{{8, 1}};
        block.to_responses.connect(out);
        block.requests.push(0, request(0, 0, 0));
        for (Cycle c = 1; c < 1 + latency; ++c) {
            block.tick(c);
            EXPECT_TRUE(out.empty()) << latency << " at " << c;
        }
        block.tick(1 + latency);
        EXPECT_EQ(out.size(), 1u) << latency;
    }
}

TEST_F(McAddress, TakesARequestEveryCycle) {
    for (unsigned n = 0; n < 40; ++n) {
        core.requests.push(now, request(0, n, 0, n));
        step();
        EXPECT_TRUE(core.requests.empty());
        if (n >= 5) {
            ASSERT_TRUE(responses.can_pop(now)) << n;
            EXPECT_EQ(responses.pop(now).tag, n - 5);
        }
    }
    EXPECT_EQ(core.state().counters.stall_cycles, 0u);
}

TEST_F(McAddress, HoldsAsManyRequestsAsItHasStagesAndKeepsThem) {
    Channel<AddressResponse> narrow{{1, 1}};
    core.to_responses.connect(narrow);
    for (unsigned n = 0; n < 8; ++n)
        core.requests.push(now, request(0, n, 0, n));
    step(30);
    EXPECT_EQ(core.state().pipeline.size(), 4u);  // one more in the channel
    EXPECT_EQ(core.requests.size(), 3u);
    for (unsigned n = 0; n < 8; ++n) {
        ASSERT_TRUE(narrow.can_pop(now));
        EXPECT_EQ(narrow.pop(now).tag, n);
        step(2);
    }
    EXPECT_TRUE(core.idle());
    EXPECT_GT(core.state().counters.stall_cycles, 20u);
}

TEST_F(McAddress, RequestSeesTheCommandsOfEarlierCyclesOnly) {
    set(command(Command::SetInpFmt, 0, 0x8000, word(64, Tiling::Linear, Format::Float32x1)));
    core.requests.push(now, request(0, 0, 0, 1));
    core.commands.push(
        now, command(Command::SetInpFmt, 0, 0x10000, word(64, Tiling::Linear, Format::Float32x1)));
    step();  // both are taken in this cycle
    core.requests.push(now, request(0, 0, 0, 2));
    step(10);
    EXPECT_EQ(responses.pop(now).address[0], 0x8000u);
    EXPECT_EQ(responses.pop(now).address[0], 0x10000u);
}

TEST_F(McAddress, ResetForgetsSurfacesRequestsAndCounters) {
    set(command(Command::SetInpFmt, 0, 0x8000, word(64, Tiling::Linear, Format::Float32x1)));
    core.requests.push(now, request(0, 0, 0, 1));
    step(2);
    EXPECT_FALSE(core.idle());
    core.reset();
    EXPECT_TRUE(core.idle());
    step(10);
    EXPECT_TRUE(responses.empty());
    EXPECT_EQ(core.state().counters.commands, 0u);
    EXPECT_EQ(ask(request(0, 0, 0)).address[0], 0u);
}

TEST_F(McAddress, DrainingFinishesWhatIsInsideAndTakesNothing) {
    core.requests.push(now, request(0, 0, 0, 1));
    step();
    core.drain();
    core.requests.push(now, request(0, 0, 0, 2));
    step(10);
    EXPECT_TRUE(core.idle());
    EXPECT_EQ(responses.size(), 1u);
    EXPECT_EQ(core.requests.size(), 1u);
    core.resume();
    step(10);
    EXPECT_EQ(responses.size(), 2u);
}

TEST_F(McAddress, CountersAreDeclaredAndCountWhatPassed) {
    StatsRegistry stats;
    core.register_stats(stats, "ctm.mc.address");
    set(command(Command::SetInpFmt, 0, 0x8000, word(64, Tiling::LinearInp2x2, Format::Float32x1)));
    set(command(Command::SetOutFmt, 9, 0x8000, 0));
    ask(request(0, 1, 1));
    ask(request(1, 1, 1));
    ask(request(31, 1, 1));
    std::map<std::string, uint64_t> counts;
    for (const Counter& c : stats.counters()) {
        EXPECT_EQ(c.unit_path, "ctm.mc.address");
        EXPECT_FALSE(c.meaning.empty());
        counts[c.name] = *c.value;
    }
    EXPECT_EQ(counts, (std::map<std::string, uint64_t>{{"requests", 3},
                                                       {"addresses", 5},
                                                       {"superfine", 1},
                                                       {"undefined", 0},
                                                       {"refused", 1},
                                                       {"commands", 2},
                                                       {"refused_commands", 1},
                                                       {"stall_cycles", 0}}));
}

TEST_F(McAddress, LatencyOutOfRangeIsRefused) {
    for (const unsigned latency : {0u, 65u}) {
        AddressSpec s;
        s.latency = latency;
        EXPECT_THROW(McAddressCore{s}, std::invalid_argument);
    }
}

// Drives the block by the scheduler: the same answers regardless of what stalls, in any order.
struct Traffic {
    std::vector<AddressResponse> answers;
    std::vector<Cycle> cycles;
};
Traffic run(uint64_t shuffle, unsigned stall) {
    constexpr unsigned kCount = 2000;
    AddressSpec spec;
    McAddressCore core(spec);
    Channel<AddressResponse> responses{{2, 1}};
    core.to_responses.connect(responses);
    struct Source : Clocked {
        McAddressCore& core;
        std::mt19937 random{3};
        unsigned at = 0;
        explicit Source(McAddressCore& c) : core(c) {}
        bool tick(Cycle now) override {
            if (at == kCount || !core.requests.can_push(now))
                return false;
            const unsigned x = random() & kMaxIndex;
            const unsigned y = random() & kMaxIndex;
            core.requests.push(now, request(random() % 26, x, y, at++ & 255));
            wake_at(now + 1);
            return true;
        }
    } source(core);
    struct Sink : Clocked {
        Channel<AddressResponse>& in;
        Traffic result;
        explicit Sink(Channel<AddressResponse>& c) : in(c) {}
        bool tick(Cycle now) override {
            if (!in.can_pop(now))
                return false;
            result.answers.push_back(in.pop(now));
            result.cycles.push_back(now);
            return true;
        }
    } sink(responses);
    core.requests.set_producer(&source);
    responses.set_consumer(&sink);
    if (stall != 0) {
        core.requests.random_stall(7, stall);
        responses.random_stall(9, stall);
    }
    // Surfaces first, of every tiling and format.
    Scheduler scheduler;
    scheduler.add(core);
    Cycle now = 0;
    std::mt19937 random(5);
    for (unsigned n = 0; n < kInputs; ++n) {
        core.commands.push(now++,
                           command(Command::SetInpFmt, n, random(),
                                   (n << 16 & 0x30000) | (n % 6) << 24 | (random() & 0x1ffc)));
        scheduler.step(now);
    }
    scheduler.run(100);
    scheduler.add(source);
    scheduler.add(sink);
    source.wake_at(0);
    if (shuffle != 0)
        scheduler.shuffle(shuffle);
    scheduler.run(1'000'000);
    EXPECT_EQ(sink.result.answers.size(), kCount);
    EXPECT_TRUE(core.idle());
    return sink.result;
}

TEST(McAddressOrder, TickOrderDoesNotMatter) {
    const Traffic plain = run(0, 0);
    for (const uint64_t seed : {1u, 2u, 3u}) {
        const Traffic shuffled = run(seed, 0);
        ASSERT_EQ(shuffled.cycles, plain.cycles);
        for (size_t i = 0; i < plain.answers.size(); ++i)
            ASSERT_TRUE(equal(shuffled.answers[i], plain.answers[i])) << i;
    }
}

TEST(McAddressOrder, RandomStallKeepsAnswersAndTakesLonger) {
    const Traffic plain = run(0, 0);
    for (const unsigned percent : {10u, 50u, 80u}) {
        const Traffic stalled = run(0, percent);
        EXPECT_GT(stalled.cycles.back(), plain.cycles.back());
        EXPECT_EQ(stalled.cycles, run(17, percent).cycles);
        for (size_t i = 0; i < plain.answers.size(); ++i)
            ASSERT_TRUE(equal(stalled.answers[i], plain.answers[i])) << i;
    }
}

}  // namespace
}  // namespace archipelago::ctm
