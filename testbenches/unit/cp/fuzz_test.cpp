// SPDX-License-Identifier: Apache-2.0
// Random command streams: legal ones must have the same effects in both engines, broken ones must
// end in a MachineStop and nothing else.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/common/error.h"
#include "rtl-bridge/compare/random.h"
#include "testbenches/unit/cp/cp_bench.h"

namespace archipelago::cp::test {
namespace {

using Random = archipelago::Random<Mersenne<>>;

// A legal packet that terminates. Memory it writes and memory it reads are apart, so that posted
// writes and copies cannot race.
std::vector<uint32_t> legal_packet(Random& r, unsigned ring) {
    const uint64_t to = kData + 0x8000 + 4 * r.below(0x1C00);
    const uint64_t from = kData + 4 * r.below(0x1C00);
    switch (r.below(17)) {
        case 0:
            return set_config(0x9508 + 4 * r.below(8), r.words(1 + r.below(5)));
        case 1:
            return set_context(0x28000 + 4 * r.below(64), r.words(1 + r.below(40)));
        case 2:
            return set_sh(0xB900 + 4 * r.below(8), r.words(1 + r.below(8)));
        case 3:
            return packet("NOP", r.words(1 + r.below(30)));
        case 4:
            return {0x80000000 | r.word() >> 2};
        case 5:
            return write_data(to, r.words(1 + r.below(50)), r.below(2) != 0 ? 5 : 1,
                              r.below(2) != 0);
        case 6:
            return write_data(0x9508 / 4, r.words(1 + r.below(6)), 0, r.below(2) != 0, 0,
                              r.below(2) != 0);
        case 7:
            return cp_dma(from + r.below(4), to + r.below(4), 1 + r.below(700), true,
                          r.below(2) << 30);
        case 8:
            return cp_fill(r.word(), to, 1 + r.below(300));
        case 9:
            return packet("EVENT_WRITE", {r.below(2) != 0 ? 0x407u : 25u});
        case 10:
            return packet("PFP_SYNC_ME", {r.word()});
        case 11:
            return surface_sync(1u << (22 + r.below(2)), ~0u, 0);
        case 12:
            return packet("DISPATCH_DIRECT", {r.below(9), r.below(9), r.below(9), r.word()}, true);
        case 13:
            return packet("COPY_DATA", {1 | 5u << 8 | 1u << 20, lo(from), 0, lo(to), 0});
        case 14:
            return {make_type0_header(0x9600, 3), r.word(), r.word(), r.word()};
        case 15:
            return packet("MEM_WRITE",
                          {lo(to) | r.below(3), 1u << 17 | 1u << 18, r.word(), r.word()});
        default: {
            // A fence and the wait for it, in the ring's own place.
            const uint64_t fence = kMirror + 0x100 + 8 * ring;
            const uint32_t value = r.word();
            return eop(fence, 1, r.below(2) * 2, value) + wait_memory(fence, 3, value);
        }
    }
}

struct Stream {
    std::vector<uint32_t> ib1, ib2, ring;
    unsigned packets = 0;
};
Stream legal_stream(Random& r, unsigned ring) {
    Stream s;
    const auto fill = [&](std::vector<uint32_t>& list, unsigned packets, size_t limit) {
        for (unsigned i = 0; i < packets && list.size() < limit; ++i) {
            const std::vector<uint32_t> p = legal_packet(r, ring);
            list.insert(list.end(), p.begin(), p.end());
            ++s.packets;
        }
    };
    fill(s.ib2, 1 + r.below(15), 1500);
    fill(s.ib1, r.below(15), 1500);
    s.ib1 = s.ib1 + indirect(kIb + 0x8000, static_cast<uint32_t>(s.ib2.size()));
    fill(s.ib1, r.below(15), 1500);
    fill(s.ring, r.below(10), 300);
    s.ring = s.ring +
             indirect(kIb, static_cast<uint32_t>(s.ib1.size()), 0, r.below(2) != 0 ? 0x32 : 0x3F);
    fill(s.ring, r.below(10), 700);
    s.ring = s.ring + surface_sync(1u << 23) + packet("PFP_SYNC_ME", {0});
    return s;
}

std::string run_stream(Machine& m, const Stream& s, unsigned ring) {
    m.poke(kIb, s.ib1);
    m.poke(kIb + 0x8000, s.ib2);
    try {
        return m.submit(s.ring, ring) ? "" : "waits: " + m.waiting_for();
    } catch (const MachineStop& e) {
        return e.what();
    }
}

std::vector<uint8_t> contents(const Machine& m) {
    std::vector<uint8_t> bytes(0x10000);
    m.memory.read(kData, bytes.data(), bytes.size());
    return bytes;
}

// ---- memory after a stop ------------------------------------------------------------------------

// Stops the machine before it writes memory. What it finds out late it waits for.
std::vector<uint32_t> stopping_packet(Random& r) {
    const uint32_t bad = lo(kUnmapped), to = lo(kData) + 0x8000;
    switch (r.below(13)) {
        case 0:
            return packet(uint8_t{0xEE}, r.words(3));
        case 1:
            return {0x40000000 | r.word() >> 2};
        case 2:
            return packet("DISPATCH_DIRECT", r.words(5), true);
        case 3:
            return write_data(to + 2, r.words(4));
        case 4:
            return write_data(to, r.words(4), 7);
        case 5:
            return packet("EVENT_WRITE", {62});
        case 6:
            return set_sh(0xBFFC, r.words(3));
        case 7:
            return packet("COPY_DATA", {1 | 5u << 8, bad, 0, to, 0});
        case 8:
            return wait_memory(kUnmapped, 3, 1);
        case 9:
            return indirect(kUnmapped, 8);
        case 10:
            return write_data(kUnmapped, r.words(4));
        case 11:
            return cp_dma(kUnmapped, to, 64);
        default:
            return cp_dma(kData, kUnmapped, 64);
    }
}

// All that packets may write but the read pointers.
std::vector<uint8_t> written_memory(const Machine& m) {
    std::vector<uint8_t> bytes = contents(m), fences(0x1000 - 0x100);
    m.memory.read(kMirror + 0x100, fences.data(), fences.size());
    bytes.insert(bytes.end(), fences.begin(), fences.end());
    return bytes;
}

struct StoppingStream {
    std::vector<std::vector<uint32_t>> before;  // packets
    std::vector<uint32_t> words;                // them, one that stops, and more
    bool in_buffer = false;
};
StoppingStream stopping_stream(Random& r, unsigned ring) {
    StoppingStream s;
    for (unsigned i = r.below(8); i > 0; --i) {
        s.before.push_back(legal_packet(r, ring));
        s.words = s.words + s.before.back();
    }
    s.words = s.words + stopping_packet(r);
    for (unsigned i = 1 + r.below(5); i > 0; --i)
        s.words = s.words + legal_packet(r, ring);
    s.in_buffer = r.below(2) != 0;
    return s;
}

// Every byte is as some number of the packets before the stop leave it.
void expect_only_what_came_before(Machine& m, const StoppingStream& s, unsigned ring,
                                  const std::vector<std::vector<uint8_t>>& states) {
    m.poke(kIb, s.words);
    const auto size = static_cast<uint32_t>(s.words.size());
    EXPECT_THROW(m.submit(s.in_buffer ? indirect(kIb, size) : s.words, ring), MachineStop);
    const std::vector<uint8_t> bytes = written_memory(m);
    for (size_t i = 0; i < bytes.size(); ++i)
        ASSERT_TRUE(std::any_of(states.begin(), states.end(),
                                [&](const auto& state) { return state[i] == bytes[i]; }))
            << "byte " << std::hex << i;
}

TEST(CpFuzz, MemoryAfterAStopHoldsOnlyWhatPacketsBeforeItWrote) {
    Random r(1971);
    for (unsigned round = 0; round < 500; ++round) {
        SCOPED_TRACE(round);
        const unsigned ring = r.below(kSiRings);
        const StoppingStream s = stopping_stream(r, ring);
        const std::vector<uint32_t> initial = r.words(0x4000);
        const auto prepare = [&](Machine& m) -> Machine& {
            m.setup_rings();
            m.poke(kData, initial);
            return m;
        };
        FunctionalMachine reference;
        prepare(reference);
        std::vector<std::vector<uint8_t>> states{written_memory(reference)};
        for (const std::vector<uint32_t>& packet : s.before) {
            ASSERT_TRUE(reference.submit(packet, ring));
            states.push_back(written_memory(reference));
        }
        FunctionalMachine functional;
        expect_only_what_came_before(prepare(functional), s, ring, states);
        for (const unsigned stall : {0u, 30u}) {
            BenchOptions options;
            options.memory_latency = 1 + r.below(60);
            options.stall_percent = stall;
            TimedMachine timed(options);
            expect_only_what_came_before(prepare(timed), s, ring, states);
        }
    }
}

TEST(CpFuzz, LegalStreamsHaveTheSameEffectsInBothEngines) {
    Random r(2024);
    unsigned packets = 0;
    unsigned rounds = 0;
    while (packets < 20000) {
        BenchOptions options;
        options.memory_latency = 1 + r.below(60);
        options.event_latency = 1 + r.below(60);
        options.stall_percent = rounds % 3 == 0 ? 25 : 0;
        TimedMachine timed(options);
        FunctionalMachine functional;
        Machine* machines[] = {&timed, &functional};
        const std::vector<uint32_t> initial = r.words(0x4000);
        for (Machine* m : machines) {
            m->setup_rings();
            m->poke(kData, initial);
        }
        for (unsigned i = 0; i < 5; ++i) {
            const unsigned ring = r.below(kSiRings);
            const Stream s = legal_stream(r, ring);
            packets += s.packets;
            for (Machine* m : machines)
                ASSERT_EQ(run_stream(*m, s, ring), "") << "round " << rounds;
            ASSERT_EQ(timed.seen.regs.size(), functional.seen.regs.size());
            ASSERT_TRUE(timed.seen.regs == functional.seen.regs) << "round " << rounds;
            ASSERT_EQ(timed.seen.events, functional.seen.events);
            ASSERT_EQ(timed.seen.actions.size(), functional.seen.actions.size());
            ASSERT_EQ(timed.seen.interrupts.size(), functional.seen.interrupts.size());
            ASSERT_EQ(contents(timed), contents(functional)) << "round " << rounds;
            ASSERT_EQ(timed.host_read(si::CP_RB0_RPTR), functional.host_read(si::CP_RB0_RPTR));
        }
        ++rounds;
    }
}

// About every second stream has a word replaced; the rest of the machine must stay whole.
TEST(CpFuzz, BrokenStreamsEndInAStopAndNothingElse) {
    Random r(7);
    unsigned packets = 0;
    unsigned stops = 0;
    while (packets < 60000) {
        const unsigned ring = r.below(kSiRings);
        Stream s = legal_stream(r, ring);
        packets += s.packets;
        for (unsigned i = r.below(3); i > 0; --i) {
            std::vector<uint32_t>* lists[] = {&s.ring, &s.ib1, &s.ib2};
            std::vector<uint32_t>& list = *lists[r.below(3)];
            uint32_t& word = list[r.below(static_cast<uint32_t>(list.size()))];
            word = r.below(2) != 0 ? r.word() : word ^ 1u << r.below(32);
        }
        BenchOptions options;
        options.limit = 60000;
        TimedMachine timed(options);
        FunctionalMachine functional;
        for (Machine* m : {static_cast<Machine*>(&timed), static_cast<Machine*>(&functional)}) {
            m->setup_rings();
            const std::string end = run_stream(*m, s, ring);
            stops += end.empty() ? 0 : 1;
        }
    }
    EXPECT_GT(stops, 500u);
}

TEST(CpFuzz, GarbageEndsInAStop) {
    Random r(99);
    unsigned stops = 0;
    for (unsigned round = 0; round < 3000; ++round) {
        Stream s;
        s.ring = r.words(40 + r.below(200));
        if (r.below(2) != 0) {  // plausible headers
            for (uint32_t& word : s.ring)
                if (r.below(3) == 0)
                    word = make_header(static_cast<uint8_t>(0x10 + r.below(0x7C)), 1 + r.below(6));
            s.ring[0] = make_header(static_cast<uint8_t>(0x10 + r.below(0x7C)), 1 + r.below(6));
        }
        s.ib1 = s.ib2 = {0x80000000};
        BenchOptions options;
        options.limit = 20000;
        TimedMachine timed(options);
        FunctionalMachine functional;
        for (Machine* m : {static_cast<Machine*>(&timed), static_cast<Machine*>(&functional)}) {
            m->setup_rings();
            stops += run_stream(*m, s, r.below(kSiRings)).empty() ? 0 : 1;
        }
    }
    EXPECT_GT(stops, 5000u);
}

}  // namespace
}  // namespace archipelago::cp::test
