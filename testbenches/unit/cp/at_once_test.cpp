// SPDX-License-Identifier: Apache-2.0
// The functional processor carries out most SET_*_REG packets at once, without their program, and
// reads those of a buffer where they lie. That must be nothing but a shortcut: over generated
// streams, everything the outside sees is as when each register is written by the program and each
// packet is fetched.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/cp/registers/si/coherency.h"
#include "models/cp/registers/si/si_registers.h"
#include "testbenches/unit/cp/cp_bench.h"

namespace archipelago::cp::test::at_once_test {
namespace {

using Words = std::vector<uint32_t>;

class Streams {
  public:
    explicit Streams(uint32_t seed) : random_(seed) {}
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
    bool one_in(uint32_t n) { return below(n) == 0; }
    uint32_t word() { return static_cast<uint32_t>(random_()); }

    // SET_*_REG anywhere in its window, or a little beyond it.
    Words set(unsigned ring) {
        struct Window {
            uint8_t opcode;
            uint32_t start, used, end;
        };
        static constexpr Window kWindows[] = {{0x68, 0x8000, 0x9A00, 0xB000},
                                              {0x69, 0x28000, 0x29000, 0x30000},
                                              {0x76, 0xB000, 0xBA00, 0xC000}};
        const Window& w = kWindows[one_in(2) ? 1 : below(3)];
        const uint32_t dwords = ((one_in(20) ? w.end : w.used) - w.start) / 4;
        uint32_t first = below(dwords);
        if (w.opcode == 0x69 && one_in(4))  // around what starts something, and bases
            first = (0x287C0 - 0x28000) / 4 + below(16);
        else if (w.opcode == 0x69 && one_in(4))
            first = (0x28C60 - 0x28000) / 4 + below(130);
        if (w.opcode == 0x76 && ring != 0 && !one_in(40))
            first = 0x200 + below(0x70);  // compute stages
        // What would stop the machine or change the rings is rare.
        const uint32_t offset = w.start + 4 * first;
        const uint32_t last = offset + 4 * 12;
        if (!one_in(40) &&
            ((last >= 0x8500 && offset < 0x8800) || (last >= 0x287F0 && offset <= 0x287F0) ||
             (last >= 0x287CC && offset <= 0x287D0) || (last >= 0x28A90 && offset <= 0x28A90)))
            first = 0x100;
        Words body{first | (one_in(300) ? 0x10000u : 0)};
        for (uint32_t n = one_in(10) ? 1 + below(100) : 1 + below(6); n > 0; --n)
            body.push_back(word());
        Words words = packet(w.opcode, body, one_in(2));
        if (one_in(8))
            words[0] |= 1;  // PREDICATE
        return words;
    }
    Words load(uint8_t opcode, bool compute) {
        return packet(opcode, {lo(kData + 0x1000), hi(kData + 0x1000), below(8), 1 + below(8)},
                      compute);
    }
    Words other(unsigned ring) {
        const uint32_t update = 1u << 31, spaces = 1 | 2 | 1u << 16 | 1u << 24;
        switch (below(ring == 0 ? 14 : 7)) {
            case 0:
                return packet("NOP", Words(1 + below(4)));  // NOP
            case 1:
                return write_data(kData + 4 * below(256), {word(), word()});
            case 2:  // where bases are, is seen by SURFACE_SYNC
                return surface_sync(kDestinationEnables & word(), word(), below(1000));
            case 3:  // the whole of a shadowed space has to have been loaded from somewhere
                return packet("CONTEXT_CONTROL", {update | spaces, update}) + load(0x5F, true) +
                       packet("CONTEXT_CONTROL", {update | spaces, update | (word() & 1u << 24)});
            case 4:
                return packet("CONTEXT_CONTROL", {update, update});
            case 5:
                return {make_type0_header(0x9508 + 4 * below(8), 2), word(), word()};
            case 6:
                return eop(kData + 0x2000, 1, 0, word());
            case 7:
            case 8:
            case 9:  // a draw: contexts roll
                return packet("DRAW_INDEX_AUTO", {below(100), 2});
            case 10:
                return packet("CLEAR_STATE", {0});  // CLEAR_STATE
            case 11:
                return packet("PREAMBLE_CNTL", {2u << 28}) + set(ring) + set(ring) +
                       packet("PREAMBLE_CNTL", {3u << 28});
            case 12:
                return packet("CONTEXT_CONTROL", {update | spaces, update}) + load(0x60, false) +
                       load(0x61, false) + load(0x5F, false) + load(0x5F, true) +
                       packet("CONTEXT_CONTROL", {update | spaces, update | (word() & spaces)});
            default:  // ME_INITIALIZE: dumps headers, or no more
                return packet("ME_INITIALIZE", {below(2), 0, 1 + below(7), 1u << 16,
                                                static_cast<uint32_t>(kData + 0xD000) >> 12 << 4,
                                                one_in(2) ? 0u : 1u << 31 | 60u});
        }
    }
    Words stream(unsigned ring, unsigned packets) {
        Words words;
        while (packets-- > 0)
            words = words + (one_in(6) ? other(ring) : set(ring));
        return words;
    }

  private:
    std::mt19937 random_;
};

struct Seen {
    std::string end;
    FunctionalMachine machine;
};

// What is the same must be the same to the last bit.
void expect_same(const FunctionalMachine& a, const FunctionalMachine& b) {
    EXPECT_EQ(a.seen.regs, b.seen.regs);
    EXPECT_EQ(a.seen.contexts, b.seen.contexts);
    EXPECT_EQ(a.seen.events, b.seen.events);
    EXPECT_EQ(a.seen.interrupts.size(), b.seen.interrupts.size());
    EXPECT_EQ(a.seen.actions.size(), b.seen.actions.size());
    EXPECT_EQ(a.cp.packets(), b.cp.packets());
    EXPECT_EQ(a.cp.waiting_for(), b.cp.waiting_for());
    EXPECT_EQ(a.file.state().config, b.file.state().config);
    EXPECT_EQ(a.file.state().ring, b.file.state().ring);
    EXPECT_EQ(a.file.state().context, b.file.state().context);
    for (unsigned ring = 0; ring < kSiRings; ++ring)
        EXPECT_EQ(a.file.read_pointer(ring), b.file.read_pointer(ring));
    EXPECT_EQ(a.de.contexts.current, b.de.contexts.current);
    EXPECT_EQ(a.de.contexts.drawn, b.de.contexts.drawn);
    EXPECT_EQ(a.de.contexts.in_pipe, b.de.contexts.in_pipe);
    for (unsigned context = 0; context < kContexts; ++context)
        for (uint32_t bit = 1; bit != 0; bit <<= 1)
            for (uint32_t base = 0; (bit & kDestinationEnables) != 0 && base < 32; ++base)
                EXPECT_EQ(a.de.contexts.bases.match(context, bit, 1u << base, base << 27),
                          b.de.contexts.bases.match(context, bit, 1u << base, base << 27));
    for (unsigned ring = 0; ring < kSiRings; ++ring) {
        EXPECT_EQ(a.de.rings[ring].previous, b.de.rings[ring].previous);
        const RingReport x = a.cp.report().rings[ring], y = b.cp.report().rings[ring];
        EXPECT_EQ(x.place + x.packet + x.waits_for, y.place + y.packet + y.waits_for);
    }
    for (const auto& [from, bytes] :
         {std::pair<uint64_t, size_t>{kData, 0x10000}, {kMirror, 0x1000}}) {
        std::vector<uint8_t> x(bytes), y(bytes);
        a.memory.read(from, x.data(), bytes);
        b.memory.read(from, y.data(), bytes);
        EXPECT_EQ(x, y);
    }
}

struct Scenario {
    Words ring[kSiRings], ib1, ib2;
    bool privileges = false;
};

std::string run(FunctionalMachine& m, const Scenario& s) {
    m.setup_rings();
    m.poke(kIb, s.ib1);
    m.poke(kIb + 0x8000, s.ib2);
    std::string end;
    for (unsigned ring = 0; ring < kSiRings; ++ring) {
        try {
            end += m.submit(s.ring[ring], ring) ? "; idle" : "; waits";
        } catch (const MachineStop& stop) {
            return end + "; " + stop.what();
        }
    }
    return end;
}

TEST(AtOnce, AnyStreamEndsAsWithItsPrograms) {
    uint64_t kept = 0, written = 0, ended = 0;
    for (uint32_t seed = 0; seed < 1500; ++seed) {
        Streams r(seed);
        Scenario s;
        const unsigned caller = r.one_in(2) ? 0 : r.below(kSiRings);
        s.ib2 = r.stream(caller, 5 + r.below(30));
        s.ib1 = r.stream(caller, 5 + r.below(30)) +
                indirect(kIb + 0x8000, static_cast<uint32_t>(s.ib2.size())) +
                r.stream(caller, r.below(5));
        for (unsigned ring = 0; ring < kSiRings; ++ring)
            s.ring[ring] = r.stream(ring, r.below(4));
        const uint8_t vmid = r.one_in(3) ? 3 : 0;
        s.ring[caller] = s.ring[caller] + indirect(kIb, static_cast<uint32_t>(s.ib1.size()), vmid) +
                         r.stream(caller, r.below(4));
        Spec spec = si_spec();
        if (r.one_in(2)) {
            spec.user_registers.allow(0x8800, 0xAFFF);
            spec.user_registers.allow(0xB000, 0xBFFC);
            spec.user_registers.allow(0x28000, r.one_in(2) ? 0x28DFC : 0x2FFFC);
        }
        FunctionalMachine runs(spec), ones(spec);
        runs.view_piece = r.one_in(4) ? 0 : 4 * (1 + r.below(64));
        ones.one_by_one = true;
        const std::string end = run(runs, s);
        ASSERT_EQ(end, run(ones, s)) << "seed " << seed;
        expect_same(runs, ones);
        ASSERT_FALSE(HasFailure()) << "seed " << seed << end;
        EXPECT_EQ(ones.kept, 0u);
        kept += runs.kept;
        written += runs.seen.regs.size();
        ended += end == "; idle; idle; idle" ? 1 : 0;
    }
    // Most registers go the short way, the rest are there too, and most streams reach their end.
    EXPECT_GT(kept, written / 2);
    EXPECT_LT(kept, written * 95 / 100);
    EXPECT_GT(ended, 500u);
}

struct NoTrace : TraceSink {
    TrackId track(const std::string&, uint64_t) override { return 0; }
    void slice(TrackId, Cycle, Cycle, std::string_view, uint64_t, std::string_view) override {}
    void instant(TrackId, Cycle, std::string_view, uint64_t) override {}
};

TEST(AtOnce, RegistersAnAddressSpaceMaySetGoAtOnceTracedOrNot) {
    Spec spec = si_spec();
    spec.user_registers.allow(0xB000, 0xBFFC);
    spec.user_registers.allow(0x28000, 0x28FFC);
    const Words ib = set_sh(0xB830, {1, 2, 3}) + packet("SET_CONTEXT_REG", {0x100, 4, 5});
    NoTrace trace;
    for (const bool traced : {false, true}) {
        for (const uint8_t vmid : {0, 3}) {
            FunctionalMachine m(spec);
            if (traced)
                m.cp.observe({&trace, nullptr, 0}, "cp");
            m.setup_rings();
            m.poke(kIb, ib);
            ASSERT_TRUE(m.submit(indirect(kIb, static_cast<uint32_t>(ib.size()), vmid)));
            EXPECT_EQ(m.kept, 5u) << "traced " << traced << ", address space " << unsigned{vmid};
            EXPECT_EQ(m.seen.reg(0x28404), 5u);
        }
    }
}

}  // namespace
}  // namespace archipelago::cp::test::at_once_test
