// SPDX-License-Identifier: Apache-2.0
// When things happen: latencies are sums of Spec fields, rates are those of the Spec, and neither
// the order of ticks nor idle ticks can change a cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "models/common/error.h"
#include "models/cp/registers/si/si_registers.h"
#include "testbenches/unit/cp/cp_bench.h"

namespace archipelago::cp::test::timing_test {
namespace {

// Cycle in which a single SET_CONFIG_REG reaches the register bus's far end, counted from the
// cycle its doorbell was pushed.
Cycle set_latency(const BenchOptions& o) {
    const Spec& s = o.spec;
    const Cycle doorbell = s.register_target.latency + s.strobe_latency;
    const Cycle memory = s.memory_client.latency + 1 /* bench channel */ + o.memory_latency +
                         s.memory_in.latency + s.memory_return.latency;
    const Cycle header_at_pfp = doorbell + memory + s.roq_latency;
    const Cycle header_sent = header_at_pfp + s.pfp_packet_cycles;
    const Cycle fixed_at_me = header_sent + 1 + s.meq_latency;
    const Cycle value_at_me = fixed_at_me + 1;
    const Cycle write = std::max(fixed_at_me + s.me_packet_cycles, value_at_me);
    return write + s.register_client.latency + 1 /* bench channel */;
}

Cycle measured_set_latency(const BenchOptions& o) {
    TimedMachine m(o);
    m.setup_rings();
    m.put(set_config(0x8A14, {1}));
    const Cycle start = m.now() + 1;  // the bench pushes in the next cycle
    m.doorbell();
    EXPECT_EQ(m.reg_cycles.size(), 1u);
    return m.reg_cycles.at(0) - start;
}

TEST(CpTiming, DoorbellToRegisterWriteIsTheSumOfTheSpecs) {
    BenchOptions o;
    EXPECT_EQ(measured_set_latency(o), set_latency(o));
    o.memory_latency = 77;
    o.spec.roq_latency = 3;
    o.spec.meq_latency = 4;
    o.spec.strobe_latency = 5;
    EXPECT_EQ(measured_set_latency(o), set_latency(o));
    o.spec.pfp_packet_cycles = 9;
    o.spec.me_packet_cycles = 11;
    o.spec.memory_client.latency = 2;
    o.spec.memory_return.latency = 3;
    o.spec.memory_in.latency = 4;
    o.spec.register_client.latency = 6;
    o.spec.register_target.latency = 2;
    EXPECT_EQ(measured_set_latency(o), set_latency(o));
}

TEST(CpTiming, RegistersStreamOneACycle) {
    BenchOptions o;
    o.memory_latency = 60;
    TimedMachine m(o);
    m.setup_rings();
    std::vector<uint32_t> values(400);
    m.poke(kIb, set_context(0x28000, values));
    m.submit(indirect(kIb, 402));
    ASSERT_EQ(m.reg_cycles.size(), 400u);
    EXPECT_EQ(m.reg_cycles.back() - m.reg_cycles.front(), 399u);
}

Cycle cycles_of_set_packets(unsigned dwords_per_cycle) {
    BenchOptions o;
    o.spec.dwords_per_cycle = dwords_per_cycle;
    o.spec.pfp_packet_cycles = o.spec.me_packet_cycles = 0;
    o.spec.register_client.capacity = 64;
    TimedMachine m(o);
    m.setup_rings();
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < 20; ++i)
        for (const uint32_t word : set_config(0x8A14, {i}))
            words.push_back(word);
    m.poke(kIb, words);
    m.submit(indirect(kIb, static_cast<uint32_t>(words.size())));
    EXPECT_EQ(m.reg_cycles.size(), 20u);
    return m.reg_cycles.back() - m.reg_cycles.front();
}

TEST(CpTiming, EnginesOfMoreDwordsACycleLeaveTheRegisterBusAsTheLimit) {
    EXPECT_GE(cycles_of_set_packets(1), 19u * 3);
    EXPECT_EQ(cycles_of_set_packets(64), 19u);
}

Cycle poll_distance(uint32_t interval, bool memory) {
    TimedMachine m;
    m.setup_rings();
    m.limit(m.now() + 5000);
    m.submit(memory ? wait_memory(kData, 3, 1, ~0u, interval)
                    : packet("WAIT_REG_MEM", {3, 0x9508 / 4, 0, 1, ~0u, interval}));
    std::vector<Cycle> polls;
    for (const auto& [at, request] : m.requests)
        if (request.client == Client::CpMe && request.line == kData)
            polls.push_back(at);
    return polls.size() > 2 ? polls[2] - polls[1] : 0;
}

TEST(CpTiming, PollsAreSixteenClocksTimesTheIntervalApartAndFourAtLeast) {
    const Cycle least = poll_distance(4, true);
    const Spec s = si_spec();
    const BenchOptions o;
    // Round trip of the read, the compare, the delay of 16 * 4.
    const Cycle round_trip = s.memory_client.latency + 1 + o.memory_latency + s.memory_in.latency +
                             s.memory_return.latency;
    EXPECT_EQ(least, round_trip + 16 * 4);
    EXPECT_EQ(poll_distance(0, true), least);
    EXPECT_EQ(poll_distance(3, true), least);
    EXPECT_EQ(poll_distance(10, true), least + 16 * 6);
}

TEST(CpTiming, EndOfPipeDoesNotHoldMeButAPartialFlushDoes) {
    for (const bool flush : {false, true}) {
        BenchOptions o;
        o.event_latency = 500;
        TimedMachine m(o);
        m.setup_rings();
        m.submit((flush ? packet("EVENT_WRITE", {0x407}) : eop(kData, 1, 0, 1)) +
                 set_config(0x8A14, {1}));
        ASSERT_EQ(m.reg_cycles.size(), 1u);
        const Cycle fence = [&] {
            for (const auto& [at, request] : m.requests)
                if (request.client == Client::CpEop)
                    return at;
            return Cycle{0};
        }();
        if (flush) {
            EXPECT_GT(m.reg_cycles[0], 500u);
        } else {
            EXPECT_LT(m.reg_cycles[0], 200u);
            EXPECT_GT(fence, m.reg_cycles[0] + 300);
        }
    }
}

TEST(CpTiming, AFullEndOfPipeUnitHoldsMe) {
    BenchOptions o;
    o.event_latency = 400;
    o.spec.eop_depth = 2;
    o.spec.command.capacity = 1;
    o.spec.events_in_flight = 16;
    TimedMachine m(o);
    m.setup_rings();
    std::vector<uint32_t> words;
    for (unsigned i = 0; i < 4; ++i)
        words = words + eop(kData + 4 * i, 1, 0, i + 1);
    m.submit(words + set_config(0x8A14, {1}));
    EXPECT_GT(m.reg_cycles.at(0), 400u);
    for (unsigned i = 0; i < 4; ++i)
        EXPECT_EQ(m.peek(kData + 4 * i), i + 1);
}

TEST(CpTiming, FencesAreWriteThroughAndComeAfterTheirEvent) {
    TimedMachine m;
    m.setup_rings();
    m.submit(eop(kData, 1, 2, 3));
    bool found = false;
    for (const auto& [at, request] : m.requests) {
        if (request.client != Client::CpEop)
            continue;
        found = true;
        EXPECT_TRUE(request.write_through);
        EXPECT_EQ(request.byte_mask, 0xFu);
    }
    EXPECT_TRUE(found);
}

TEST(CpTiming, DmaMovesALineEveryTwoCycles) {
    TimedMachine m;
    m.setup_rings();
    m.submit(cp_dma(kData, kData + 0x8000, 0x4000));
    Cycle first = kNever, last = 0;
    unsigned writes = 0;
    for (const auto& [at, request] : m.requests) {
        if (request.client != Client::CpDma || request.command != MemCommand::Write)
            continue;
        first = std::min(first, at);
        last = std::max(last, at);
        ++writes;
    }
    EXPECT_EQ(writes, 256u);
    // Reads and writes share one port.
    EXPECT_LE(last - first, 2 * 256u);
}

TEST(CpTiming, FetchRunsAheadUpToTheReorderQueue) {
    BenchOptions o;
    o.memory_latency = 300;
    o.spec.fetch_outstanding = 64;
    TimedMachine m(o);
    m.setup_rings();
    m.poke(kIb, std::vector<uint32_t>(1600, 0x80000000));
    m.submit(indirect(kIb, 1600));
    std::vector<Cycle> lines;
    for (const auto& [at, request] : m.requests)
        if (request.client == Client::CpFetch && request.line >= kIb)
            lines.push_back(at);
    ASSERT_EQ(lines.size(), 100u);
    const unsigned ahead = o.spec.roq_lines(1);
    EXPECT_EQ(lines[ahead - 1] - lines[0], ahead - 1);  // back to back
    EXPECT_GT(lines[ahead] - lines[ahead - 1], 200u);   // and then a place must become free
}

// A program that uses every unit and all three rings.
void load(TimedMachine& m) {
    std::vector<uint32_t> ib = set_sh(0xB830, {1, 2, 3}) + write_data(kData + 0x100, {4, 5, 6}) +
                               cp_dma(kData, kData + 0x1003, 300, false) +
                               packet("DISPATCH_DIRECT", {1, 2, 3, 5}, true) +
                               packet("EVENT_WRITE", {0x407}) + surface_sync(1u << 23 | 1u << 22) +
                               packet("PFP_SYNC_ME", {0}) + cp_fill(7, kData + 0x2000, 100);
    m.poke(kIb, ib);
    const auto dwords = static_cast<uint32_t>(ib.size());
    for (unsigned ring = 0; ring < kSiRings; ++ring) {
        std::vector<uint32_t> words;
        for (unsigned i = 0; i < 6; ++i)
            words = words + indirect(kIb, dwords) + eop(kData + 0x3000 + 16 * ring, 1, 2, i) +
                    wait_memory(kData + 0x3000 + 16 * ring, 3, i);
        m.put(words, ring);
        m.queue_write(Machine::wptr(ring), m.tail[ring]);
    }
}

struct Outcome {
    Cycle end;
    std::vector<Cycle> reg_cycles;
    std::vector<std::pair<Cycle, uint64_t>> requests;
    bool operator==(const Outcome& o) const {
        return end == o.end && reg_cycles == o.reg_cycles && requests == o.requests;
    }
};

Outcome outcome(TimedMachine& m) {
    Outcome o{0, m.reg_cycles, {}};
    for (const auto& [at, request] : m.requests)
        o.requests.emplace_back(at, request.line);
    o.end = o.requests.back().first;
    return o;
}

// Three issue cycles of its own and `width` dwords in an issue cycle, of each engine that `me` says
// has one.
struct ToyCost : PacketCost {
    ToyCost(uint32_t dwords, bool two) : width(dwords), me(two) {}
    MicrocodeCycles microcode_cycles(ProgramEngine engine, const PacketInfo&, uint32_t header,
                                     const uint32_t*, uint32_t, const Location&) const override {
        MicrocodeCycles b;
        if (engine == ProgramEngine::Me && !me)
            return b;
        for (uint32_t i = 0; i < header_body_dwords(header); ++i)
            b.dwords.push_back(1 + i / width);
        b.count = b.dwords.back() + 3;
        return b;
    }
    uint32_t width;
    bool me;
};

// The doorbells of load() come in fixed cycles regardless of the order of ticks.
Outcome run_load(uint64_t shuffle, unsigned stall,
                 std::shared_ptr<const PacketCost> microcode = nullptr) {
    BenchOptions o;
    o.spec.microcode = std::move(microcode);
    o.shuffle = shuffle;
    o.stall_percent = stall;
    TimedMachine m(o);
    m.setup_rings();
    load(m);
    EXPECT_TRUE(m.run());
    return outcome(m);
}

TEST(CpContract, TheOrderOfTicksCannotMatter) {
    const std::shared_ptr<const PacketCost> costs[] = {nullptr, std::make_shared<ToyCost>(4, true),
                                                       std::make_shared<ToyCost>(2, false)};
    for (const auto& cost : costs) {
        const Outcome plain = run_load(0, 0, cost);
        const Outcome stalled = run_load(0, 30, cost);
        EXPECT_FALSE(plain == stalled);
        for (uint64_t seed = 1; seed <= 12; ++seed) {
            EXPECT_TRUE(run_load(seed * 77, 0, cost) == plain) << seed;
            EXPECT_TRUE(run_load(seed * 77, 30, cost) == stalled) << seed;
        }
    }
}

// A buffer of packets that each write `registers` registers: cycles from the first to the last
// packet's first write, for each packet.
double cycles_of_a_packet(unsigned registers, std::shared_ptr<const PacketCost> microcode) {
    BenchOptions o;
    o.spec.microcode = std::move(microcode);
    o.spec.fetch_outstanding = 64;
    TimedMachine m(o);
    m.setup_rings();
    constexpr unsigned kPackets = 41;
    std::vector<uint32_t> ib;
    for (unsigned i = 0; i < kPackets; ++i)
        ib = ib + set_context(0x28000, std::vector<uint32_t>(registers, i));
    m.poke(kIb, ib);
    m.submit(indirect(kIb, static_cast<uint32_t>(ib.size())));
    EXPECT_EQ(m.reg_cycles.size(), size_t{kPackets} * registers);
    return static_cast<double>(m.reg_cycles[(kPackets - 1) * registers] - m.reg_cycles[0]) /
           (kPackets - 1);
}

TEST(CpTiming, ByMicrocodeAPacketTakesItsCyclesOrTheCyclesOfTheRegisterBus) {
    // Body: the offset and the registers. Three issue cycles of its own.
    for (const bool two : {false, true}) {
        EXPECT_EQ(cycles_of_a_packet(4, std::make_shared<ToyCost>(1, two)), 5 + 3);
        EXPECT_EQ(cycles_of_a_packet(4, std::make_shared<ToyCost>(2, two)), 3 + 3);
        EXPECT_EQ(cycles_of_a_packet(4, std::make_shared<ToyCost>(4, two)), 2 + 3);
        EXPECT_EQ(cycles_of_a_packet(1, std::make_shared<ToyCost>(4, two)), 1 + 3);
    }
    EXPECT_EQ(cycles_of_a_packet(11, std::make_shared<ToyCost>(4, false)), 11);
}

void idle_ticks_change_nothing(std::shared_ptr<const PacketCost> microcode) {
    // The dense machine has all units ticked in every cycle.
    struct Alarm : Clocked {
        std::vector<Clocked*> units;
        bool tick(Cycle now) override {
            for (Clocked* unit : units)
                unit->wake_at(now + 1);
            return now < 20000;
        }
    };
    BenchOptions o;
    o.spec.microcode = std::move(microcode);
    TimedMachine sparse(o), dense(o);
    Alarm alarm;
    alarm.units = dense.core().units();
    for (TimedMachine* m : {&sparse, &dense}) {
        m->setup_rings();
        if (m == &dense) {
            dense.scheduler.add(alarm);
            alarm.wake_at(0);
        }
        load(*m);
        EXPECT_TRUE(m->run());
    }
    EXPECT_GT(dense.scheduler.ticks(), 5 * sparse.scheduler.ticks());
    EXPECT_TRUE(outcome(dense) == outcome(sparse));
    StatsRegistry sparse_stats, dense_stats;
    dense.core().register_stats(dense_stats, "cp");
    sparse.core().register_stats(sparse_stats, "cp");
    ASSERT_EQ(dense_stats.counters().size(), sparse_stats.counters().size());
    for (size_t i = 0; i < dense_stats.counters().size(); ++i) {
        const Counter& a = dense_stats.counters()[i];
        EXPECT_EQ(*a.value, *sparse_stats.counters()[i].value) << a.unit_path << "." << a.name;
    }
}

TEST(CpContract, TicksWithNothingToDoChangeNothing) {
    idle_ticks_change_nothing(nullptr);
}
TEST(CpContract, TicksWithNothingToDoChangeNothingByMicrocode) {
    idle_ticks_change_nothing(std::make_shared<ToyCost>(4, true));
    idle_ticks_change_nothing(std::make_shared<ToyCost>(2, false));
}

TEST(CpContract, ResetGivesBackTheStateAfterConstruction) {
    BenchOptions o;
    TimedMachine m(o);
    m.setup_rings();
    load(m);
    m.limit(m.now() + 300);
    m.run();
    m.limit(1000000);
    m.core().reset();
    m.discard_in_flight();
    EXPECT_TRUE(m.core().idle());
    EXPECT_EQ(m.core().waiting_for(), "");
    EXPECT_EQ(m.host_read(si::CP_RB0_WPTR), 0u);
    StatsRegistry stats;
    m.core().reset();
    m.core().register_stats(stats, "cp");
    for (const Counter& counter : stats.counters())
        EXPECT_EQ(*counter.value, 0u) << counter.unit_path << "." << counter.name;
    m.setup_rings();
    EXPECT_TRUE(m.submit(set_config(0x8A14, {42})));
    EXPECT_EQ(m.seen.reg(0x8A14), 42u);
}

TEST(CpContract, PausedItStartsNothingAndGoesOnAfterwards) {
    TimedMachine m;
    m.setup_rings();
    m.core().pause();
    EXPECT_FALSE(m.submit(set_config(0x8A14, {1})));
    EXPECT_TRUE(m.seen.regs.empty());
    m.core().resume();
    EXPECT_TRUE(m.run());
    EXPECT_EQ(m.seen.regs.size(), 1u);
}

TEST(CpContract, DrainingItFinishesWhatItHasAndTakesNoDoorbell) {
    TimedMachine m;
    m.setup_rings();
    m.put(set_config(0x8A14, {1}) + eop(kData, 1, 0, 5));
    m.limit(m.now() + 8);
    m.doorbell();
    m.limit(1000000);
    m.core().drain();
    EXPECT_TRUE(m.run());
    EXPECT_EQ(m.peek(kData), 5u);
    EXPECT_TRUE(m.submit(set_config(0x8A14, {2})));
    EXPECT_EQ(m.seen.regs.size(), 1u);
    m.core().resume();
    EXPECT_TRUE(m.run());
    EXPECT_EQ(m.seen.regs.size(), 2u);
}

TEST(CpContract, HaltBitsStopTheEngines) {
    TimedMachine m;
    m.setup_rings();
    m.host_write(si::CP_ME_CNTL, 1u << 28);
    EXPECT_FALSE(m.submit(set_config(0x8A14, {1})));
    EXPECT_TRUE(m.seen.regs.empty());
    EXPECT_NE(m.waiting_for().find("ME is halted"), std::string::npos) << m.waiting_for();
    m.host_write(si::CP_ME_CNTL, 0);
    EXPECT_TRUE(m.run());
    EXPECT_EQ(m.seen.regs.size(), 1u);
}

TEST(CpContract, StatusRegistersShowWhoIsBusy) {
    TimedMachine m;
    m.setup_rings();
    EXPECT_EQ(m.host_read(si::CP_STAT), 0u);
    m.limit(m.now() + 2000);
    m.submit(wait_memory(kData, 3, 1));
    m.limit(m.now() + 3000);
    const uint32_t stat = m.host_read(si::CP_STAT);
    EXPECT_NE(stat & 1u << 31, 0u);
    EXPECT_NE(stat & 1u << 17, 0u);
    m.poke(kData, 1);
    m.limit(1000000);
    m.run();
    EXPECT_EQ(m.host_read(si::CP_STAT), 0u);
}

TEST(CpContract, RewritingABusyRingStops) {
    TimedMachine m;
    m.setup_rings();
    m.limit(m.now() + 2000);
    m.submit(wait_memory(kData, 3, 1) + std::vector<uint32_t>(200, 0x80000000) +
             packet("PFP_SYNC_ME", {0}) + std::vector<uint32_t>(300, 0x80000000));
    m.limit(m.now() + 3000);
    EXPECT_THROW(m.host_write(si::CP_RB0_CNTL, 8 | 4 << 8), MachineStop);
}

// ---- what observers see -------------------------------------------------------------------------

class Lines : public LogSink {
  public:
    Lines() { mask_ = 1u << static_cast<unsigned>(LogCategory::Pm4); }
    void line(LogCategory, Cycle, std::string_view, std::string_view text) override {
        lines.emplace_back(text);
    }
    std::vector<std::string> lines;
};
class Slices : public TraceSink {
  public:
    TrackId track(const std::string& path, uint64_t) override {
        paths.push_back(path);
        return static_cast<TrackId>(paths.size() - 1);
    }
    void slice(TrackId track, Cycle begin, Cycle end, std::string_view name, uint64_t,
               std::string_view detail) override {
        EXPECT_LE(begin, end);
        names[paths[track]].emplace_back(name);
        details[paths[track]].emplace_back(detail);
    }
    void instant(TrackId, Cycle, std::string_view, uint64_t) override {}
    std::vector<std::string> paths;
    std::map<std::string, std::vector<std::string>> names, details;
};

// Register writes leave one a cycle, with or without a log, in every address space.
TEST(CpObservers, NeitherALogNorAnAddressSpaceMovesARegisterWrite) {
    BenchOptions options;
    options.spec.user_registers.allow(0xB000, 0xBFFC);
    std::vector<uint32_t> ib;
    for (uint32_t i = 0; i < 40; ++i)
        ib = ib + set_sh(0xB830, std::vector<uint32_t>(1 + i % 5, i));
    std::vector<Cycle> plain;
    for (const uint8_t vmid : {0, 3}) {
        for (const bool observed : {false, true}) {
            Lines lines;
            Slices slices;
            TimedMachine m(options);
            if (observed)
                m.core().observe({&slices, &lines, 0}, "cp");
            m.setup_rings();
            m.poke(kIb, ib);
            ASSERT_TRUE(m.submit(indirect(kIb, static_cast<uint32_t>(ib.size()), vmid)));
            ASSERT_EQ(m.reg_cycles.size(), 120u);
            EXPECT_EQ(lines.lines.size(), observed ? 121u : 0u);
            if (plain.empty())
                plain = m.reg_cycles;
            EXPECT_EQ(m.reg_cycles, plain)
                << "observed " << observed << ", address space " << unsigned{vmid};
        }
    }
}

TEST(CpObservers, BothModesLogThePacketsTheyExecute) {
    const std::vector<uint32_t> ib = set_sh(0xB830, {0x8001}) + write_data(kData, {1, 2});
    std::vector<std::string> timed, functional;
    Slices slices;
    for (const bool is_timed : {true, false}) {
        Lines lines;
        TimedMachine t;
        FunctionalMachine f;
        Machine& m = is_timed ? static_cast<Machine&>(t) : f;
        Observers observers;
        observers.log = &lines;
        observers.trace = &slices;
        if (is_timed)
            t.core().observe(observers, "cp");
        else
            f.cp.observe(observers, "cp");
        m.setup_rings();
        m.poke(kIb, ib);
        m.submit(packet("NOP", {1}) + indirect(kIb, static_cast<uint32_t>(ib.size())) +
                 eop(kData, 1, 0, 5));
        (is_timed ? timed : functional) = lines.lines;
    }
    const std::vector<std::string> want = {
        "ring gfx +0x0 NOP 1 dwords",
        "ring gfx +0x2 INDIRECT_BUFFER SWAP=0 (NONE) IB_BASE_LO=0x300000 IB_BASE_HI=0x0 VMID=0 "
        "CHAIN=0 IB_SIZE=0x9",
        "ring gfx IB1 +0x0 SET_SH_REG 0x0b830 = 0x00008001",
        "ring gfx IB1 +0x3 WRITE_DATA ENGINE_SEL=0 (ME) WR_CONFIRM=1 WR_ONE_ADDR=0 DST_SEL=5 "
        "(MEMORY) "
        "DST_ADDR_LO=0x200000 DST_ADDR_HI=0x0",
        "ring gfx +0x6 EVENT_WRITE_EOP INV_L2=0 EVENT_INDEX=5 EVENT_TYPE=20 "
        "(CACHE_FLUSH_AND_INV_TS_EVENT) ADDRESS_LO=0x200000 DATA_SEL=1 (DATA32) INT_SEL=0 (NONE) "
        "ADDRESS_HI=0x0 "
        "DATA_LO=0x5 DATA_HI=0x0",
    };
    EXPECT_EQ(functional, want);
    EXPECT_EQ(timed, want);
    EXPECT_EQ(slices.names["cp.pfp.gfx"].size(), 5u);
    EXPECT_EQ(slices.names["cp.me.gfx"],
              (std::vector<std::string>{"SET_SH_REG", "WRITE_DATA", "EVENT_WRITE_EOP"}));
    EXPECT_EQ(slices.names["cp.eop"], (std::vector<std::string>{"CACHE_FLUSH_AND_INV_TS_EVENT"}));
    EXPECT_EQ(slices.details["cp.me.gfx"],
              (std::vector<std::string>{
                  "ring gfx, IB1 0x300000 dword 0: SET_SH_REG",
                  "ring gfx, IB1 0x300000 dword 3: " + want[3].substr(want[3].find("WRITE_DATA")),
                  "ring gfx dword 6: " + want[4].substr(want[4].find("EVENT_WRITE_EOP"))}));
    EXPECT_EQ(slices.details["cp.eop.serving"],
              std::vector<std::string>{"ring gfx dword 6; 1 writes from 0x200000"});
}

TEST(CpObservers, TheTimelineSaysWhichDrawsAndDispatchesAPacketStarts) {
    TimedMachine m;
    Slices slices;
    m.core().observe({&slices, nullptr, 1'000'000}, "cp");
    m.setup_rings();
    const auto draw = [] { return packet("DRAW_INDEX_AUTO", {3, 2}); };  // DRAW_INDEX_AUTO
    m.submit(draw() + set_context(0x28A00, {1}) + draw() +
             packet("DISPATCH_DIRECT", {1, 1, 1, 5}, true));
    const std::vector<std::string>& details = slices.details["cp.me.gfx"];
    ASSERT_EQ(details.size(), 4u);
    const auto behind = [&](size_t i) { return details[i].substr(details[i].find("; ") + 2); };
    EXPECT_EQ(behind(0), "draws 1 to 1 in context 1");
    EXPECT_EQ(behind(2), "draws 2 to 2 in context 2");
    EXPECT_EQ(behind(3), "dispatch 1");
}

TEST(CpObservers, TheTimelineSaysWhatAWaitHasReadLast) {
    TimedMachine m;
    Slices slices;
    m.core().observe({&slices, nullptr, 1'000'000}, "cp");
    m.setup_rings();
    m.poke(kData, 0x55);
    m.submit(packet("WAIT_REG_MEM", {0x13, static_cast<uint32_t>(kData), 0, 0x5, 0xF, 4}));
    const std::string& detail = slices.details["cp.me.gfx"].at(0);
    EXPECT_EQ(detail.substr(detail.find("; ")), "; read 85");
}

}  // namespace
}  // namespace archipelago::cp::test::timing_test
