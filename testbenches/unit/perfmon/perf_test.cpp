// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/gcn/si/front_end.h"
#include "models/gcn/vgt_event.h"
#include "models/perf/perf_core.h"
#include "registers/si_names.h"

namespace archipelago::perf {
namespace {

namespace si = regs::si;

const RegisterMap& map_of_si() {
    static const RegisterMap map = gcn::si::perf_spec().map;
    return map;
}
const std::vector<CounterRegisters>& registers_of_si() {
    return map_of_si().counters;
}

constexpr uint32_t kReset = 0, kStart = 1, kStop = 2, kSampleEnable = 1u << 10;

// A performance monitor with two L2 channels and an L1 to count, and a wire that is busy.
class Bench : public Clocked {
  public:
    Bench() : core(gcn::si::perf_spec()), answers_({4, 1}) {
        registry.add("tcc0", "reads", "requests", "", &reads[0]);
        registry.add("tcc1", "reads", "requests", "", &reads[1]);
        registry.add("tcc1", "writes", "requests", "", &writes);
        registry.add("tccx", "reads", "requests", "", &other);
        registry.add("se0.sh0.cu0.l1", "reads", "requests", "", &l1);
        core.connect_counters(registry);
        core.add_busy(Block::Grbm, 3, &busy);
        core.to_registers.connect(answers_);
        answers_.set_consumer(this);
        scheduler.add(core);
        scheduler.add(*this);
    }
    // What GRBM_GFX_INDEX names from now on: an L2 channel, or all.
    void steer(unsigned channel) {
        index = {};
        index.instance_broadcast = false;
        index.instance = static_cast<uint8_t>(channel);
    }
    void steer_to_all() { index = {}; }
    void write(uint32_t offset, uint32_t value) {
        RegRequest r = index;
        r.offset = offset;
        r.value = value;
        r.write = true;
        core.registers.push(scheduler.now(), r);
        scheduler.run(scheduler.now() + 2);
    }
    uint64_t read(uint32_t lo, uint32_t hi) {
        return read_word(lo) | uint64_t{read_word(hi)} << 32;
    }
    uint64_t read(uint32_t lo) { return read(lo, lo + 4); }
    uint32_t read_word(uint32_t offset) {
        RegRequest r = index;
        r.offset = offset;
        core.registers.push(scheduler.now(), r);
        scheduler.run(scheduler.now() + 4);
        return answer;
    }
    void event(uint8_t type) {
        core.events.send(scheduler.now(), type);
        scheduler.run(scheduler.now() + 2);
    }
    void run_to(Cycle cycle) {
        wake_at(cycle);
        scheduler.run(cycle);
    }
    bool tick(Cycle now) override {
        if (!answers_.can_pop(now))
            return false;
        const RegResponse r = answers_.pop(now);
        answer = r.status == RegStatus::Ok ? r.value : 0xDEAD;
        return true;
    }
    PerfCore core;
    Scheduler scheduler;
    StatsRegistry registry;
    Wire<bool> busy;
    uint64_t reads[2] = {1000, 2000};
    uint64_t writes = 50;
    uint64_t other = 7;
    uint64_t l1 = 90;
    uint32_t answer = 0;
    RegRequest index;

  private:
    Channel<RegResponse> answers_;
};

std::string stop_text(const std::function<void()>& f) {
    try {
        f();
    } catch (const MachineStop& stop) {
        return stop.what();
    }
    return "";
}

TEST(PerfMonitor, CountsAnEventOfEachUnitWhileItIsLetRun) {
    Bench b;
    b.write(si::TCC_PERFCOUNTER0_SELECT, 5);  // READ
    b.write(si::TCC_PERFCOUNTER1_SELECT, 3);  // REQ
    b.reads[0] += 5;                          // before it starts: not counted
    b.write(si::CP_PERFMON_CNTL, kReset);
    b.write(si::CP_PERFMON_CNTL, kStart);
    b.reads[0] += 10;
    b.reads[1] += 200;
    b.writes += 3;
    b.other += 99;
    b.steer(1);
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 200u);
    b.write(si::CP_PERFMON_CNTL, kStop);
    b.reads[1] += 4000;
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 200u);
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER1_LO), 203u);
    b.steer(0);
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 10u);
    // Going on adds, resetting clears.
    b.write(si::CP_PERFMON_CNTL, kStart);
    b.reads[0] += 1;
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 11u);
    b.write(si::CP_PERFMON_CNTL, kReset);
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 0u);
    EXPECT_EQ(b.read_word(si::TCC_PERFCOUNTER0_SELECT), 5u);
}

TEST(PerfMonitor, SelectsAreForTheUnitsNamedAndAReadOfAllIsOfTheFirst) {
    Bench b;
    b.write(si::TCC_PERFCOUNTER0_SELECT, 5);  // READ, of all channels
    b.steer(1);
    b.write(si::TCC_PERFCOUNTER0_SELECT, 6);  // WRITE, of one
    b.write(si::CP_PERFMON_CNTL, kStart);
    b.reads[0] += 10;
    b.reads[1] += 20;
    b.writes += 3;
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 3u);
    EXPECT_EQ(b.read_word(si::TCC_PERFCOUNTER0_SELECT), 6u);
    b.steer_to_all();
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 10u);
    EXPECT_EQ(b.read_word(si::TCC_PERFCOUNTER0_SELECT), 5u);
    b.steer(64);  // there are none so many
    b.write(si::TCC_PERFCOUNTER0_SELECT, 7);
    EXPECT_EQ(b.read_word(si::TCC_PERFCOUNTER0_SELECT), 0u);
    b.steer(200);  // what there is once is meant by every index
    b.write(si::GRBM_PERFCOUNTER1_SELECT, 3);
    b.steer_to_all();
    EXPECT_EQ(b.read_word(si::GRBM_PERFCOUNTER1_SELECT), 3u);
    EXPECT_EQ(b.read_word(si::TCC_PERFCOUNTER0_SELECT), 5u);
}

TEST(PerfMonitor, CountsHave64Bits) {
    Bench b;
    b.write(si::TCP_PERFCOUNTER0_SELECT, 0x1C);
    b.write(si::CP_PERFMON_CNTL, kStart);
    b.l1 += 0x500000002;
    EXPECT_EQ(b.read(si::TCP_PERFCOUNTER0_LO, si::TCP_PERFCOUNTER0_HI), 0x500000002u);
}

TEST(PerfMonitor, SelectingAnotherEventKeepsTheCount) {
    Bench b;
    b.write(si::TCC_PERFCOUNTER0_SELECT, 5);
    b.write(si::CP_PERFMON_CNTL, kStart);
    b.reads[0] += 10;
    b.write(si::TCC_PERFCOUNTER0_SELECT, 3);  // REQ
    b.reads[0] += 2;
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 12u);
    b.steer(1);
    b.write(si::TCC_PERFCOUNTER0_SELECT, 6);
    b.reads[1] += 10;
    b.writes += 2;
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 2u);
}

TEST(PerfMonitor, CyclesAndBusyWiresAreCountedExactly) {
    Bench b;
    b.write(si::GRBM_PERFCOUNTER0_SELECT, 0);  // COUNT
    b.write(si::GRBM_PERFCOUNTER1_SELECT, 3);  // CP_BUSY
    b.write(si::CP_PERFMON_CNTL, kStart);
    const Cycle start = b.scheduler.now();
    b.run_to(start + 100);
    b.busy.set(b.scheduler.now(), true);  // high from the next cycle on
    b.run_to(start + 140);
    b.busy.set(b.scheduler.now(), false);
    b.run_to(start + 200);
    b.write(si::CP_PERFMON_CNTL, kStop);
    EXPECT_EQ(b.read(si::GRBM_PERFCOUNTER1_LO), 40u);
    // From the cycle that took the start, before `start`, to the one that took the stop.
    EXPECT_EQ(b.read(si::GRBM_PERFCOUNTER0_LO), 202u);
    EXPECT_EQ(b.core.cp_count(b.scheduler.now()), 202u);
}

TEST(PerfMonitor, NothingIsTickedWhileNoWireIsCounted) {
    Bench b;
    b.write(si::CP_PERFMON_CNTL, kStart);
    b.scheduler.run(b.scheduler.now() + 10);
    const uint64_t ticks = b.scheduler.ticks();
    b.run_to(b.scheduler.now() + 1000);
    EXPECT_LE(b.scheduler.ticks(), ticks + 1);
}

TEST(PerfMonitor, EventsOpenAndCloseTheWindowOfAllButGrbm) {
    Bench b;
    b.write(si::TCC_PERFCOUNTER0_SELECT, 5);
    b.write(si::CP_PERFMON_CNTL, kStart);
    b.event(vgt_event::kPerfcounterStop);
    b.reads[0] += 10;
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 0u);
    b.event(vgt_event::kPerfcounterStart);
    b.reads[0] += 7;
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 7u);
    const uint64_t cycles = b.read(si::GRBM_PERFCOUNTER0_LO);
    b.event(vgt_event::kPerfcounterStop);
    EXPECT_GT(b.read(si::GRBM_PERFCOUNTER0_LO), cycles);
}

TEST(PerfMonitor, ASampleIsWhatIsReadWhileSamplingIsEnabled) {
    Bench b;
    b.write(si::TCC_PERFCOUNTER0_SELECT, 5);
    b.write(si::CP_PERFMON_CNTL, kStart);
    b.reads[0] += 10;
    b.event(vgt_event::kPerfcounterSample);  // not enabled: nothing happens
    b.reads[0] += 10;
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 20u);
    b.write(si::CP_PERFMON_CNTL, kStart | kSampleEnable);
    b.event(vgt_event::kPerfcounterSample);
    b.reads[0] += 10;
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 20u);
    b.write(si::CP_PERFMON_CNTL, kReset);
    EXPECT_EQ(b.read(si::TCC_PERFCOUNTER0_LO), 0u);
}

TEST(PerfMonitor, WhatIsNotCountedStopsByName) {
    Bench b;
    EXPECT_EQ(stop_text([&] { b.write(si::VGT_PERFCOUNTER2_SELECT, 17); }),
              "perf: VGT_PERFCOUNTER2_SELECT: event 17 is not counted");
    Bench c;
    EXPECT_NE(stop_text([&] {
                  c.write(si::TCC_PERFCOUNTER0_SELECT, 5 | 1u << 28);
              }).find("TCC_PERFCOUNTER0_SELECT: modes other than accumulation"),
              std::string::npos);
    const struct {
        uint32_t value;
        const char* text;
    } cases[] = {{3, "reserved PERFMON_STATE 3"},
                 {6, "reserved PERFMON_STATE 6"},
                 {4, "PERFMON_STATE 4 (phantom) is not implemented"},
                 {1u << 4, "SPM_PERFMON_STATE 1"},
                 {1u << 8, "reserved PERFMON_ENABLE_MODE 1"},
                 {2u << 8, "counting by context"}};
    for (const auto& one : cases) {
        Bench d;
        EXPECT_NE(stop_text([&] { d.write(si::CP_PERFMON_CNTL, one.value); }).find(one.text),
                  std::string::npos)
            << one.text;
    }
}

TEST(PerfMonitor, CountersAreReadOnlyAndKnowTheirOffsets) {
    Bench b;
    b.write(si::SPI_PERFCOUNTER0_LO, 5);
    EXPECT_EQ(b.read(si::SPI_PERFCOUNTER0_LO, si::SPI_PERFCOUNTER0_HI), 0u);
    EXPECT_EQ(b.read_word(si::GRBM_STATUS), 0xDEADu);
    std::set<uint32_t> offsets;
    for (const CounterRegisters& r : registers_of_si())
        for (const uint32_t offset : {r.select, r.lo, r.hi})
            EXPECT_TRUE(offsets.insert(offset).second) << r.select_name;
    EXPECT_EQ(offsets.size(), 3 * registers_of_si().size());
}

// A machine that has every counter the table names, in two units where a row names all of a
// kind.
struct Everything {
    std::map<std::pair<std::string, std::string>, std::vector<size_t>> at;  // by unit, counter
    std::vector<uint64_t> values;
    StatsRegistry registry;
    static std::vector<std::string> paths(const std::string& unit) {
        if (unit.front() == '.')
            return {"se0.sh0.cu0" + unit, "se1.sh0.cu7" + unit};
        if (unit.front() == '=')
            return {unit.substr(1)};
        return unit == "tcc" ? std::vector<std::string>{"tcc0", "tcc11"}
                             : std::vector<std::string>{unit};
    }
    Everything() {
        values.resize(2 * gcn::si::perf_events().size());
        size_t next = 0;
        for (const EventRow& row : gcn::si::perf_events()) {
            auto& places = at[{row.unit, row.counter}];
            if (*row.counter == '\0' || !places.empty())
                continue;
            for (const std::string& path : paths(row.unit)) {
                registry.add(path, row.counter, "", "", &values[next]);
                places.push_back(next++);
            }
        }
    }
};

uint64_t count_of_all_copies(PerfCore& core, const CounterRegisters& registers) {
    const Copies copies = map_of_si().copies_of(registers.block);
    RegRequest r;
    r.offset = registers.lo;
    r.se_broadcast = r.sh_broadcast = r.instance_broadcast = false;
    uint64_t sum = 0;
    for (unsigned copy = 0; copy < copies.count(); ++copy) {
        r.instance = static_cast<uint8_t>(copy % copies.instance);
        r.sh = static_cast<uint8_t>(copy / copies.instance % copies.sh);
        r.se = static_cast<uint8_t>(copy / copies.instance / copies.sh);
        uint32_t count = 0;
        EXPECT_TRUE(core.read_register(r, count));
        sum += count;
    }
    return sum;
}

TEST(PerfMonitor, EveryEventCountsItsCountersAndNothingElse) {
    std::map<std::pair<Block, uint16_t>, std::vector<const EventRow*>> events;
    for (const EventRow& row : gcn::si::perf_events())
        if (*row.counter != '\0')
            events[{row.block, row.event}].push_back(&row);
    EXPECT_GT(events.size(), 110u);
    for (const auto& entry : events) {
        const auto& key = entry.first;
        const auto& rows = entry.second;
        SCOPED_TRACE(std::string(block_name(key.first)) + " " + rows.front()->name);
        Everything all;
        PerfCore core{gcn::si::perf_spec()};
        core.connect_counters(all.registry);
        RegRequest r;
        r.write = true;
        const auto registers = std::find_if(
            registers_of_si().begin(), registers_of_si().end(),
            [&](const CounterRegisters& c) { return c.block == key.first && c.number == 0; });
        r.offset = registers->select;
        r.value = key.second;
        core.write_register(r);
        r.offset = si::CP_PERFMON_CNTL;
        r.value = kStart;
        core.write_register(r);
        std::set<size_t> own;
        for (const EventRow* row : rows) {
            EXPECT_STREQ(row->name, rows.front()->name);
            for (const size_t place : all.at[{row->unit, row->counter}])
                EXPECT_TRUE(own.insert(place).second) << row->counter << " is counted twice";
        }
        uint64_t expected = 0;
        for (size_t i = 0; i < all.values.size(); ++i) {
            all.values[i] += own.count(i) != 0 ? i + 1 : 1'000'000;
            expected += own.count(i) != 0 ? i + 1 : 0;
        }
        EXPECT_EQ(count_of_all_copies(core, *registers), expected);
    }
}

// Some of each block, by the numbers the public enumerations give them.
TEST(PerfMonitor, EventNumbersNameWhatTheEnumerationsName) {
    const struct {
        Block block;
        uint16_t event;
        const char* counter;
    } kSome[] = {{Block::Ia, 0x0E, "requests"},
                 {Block::Vgt, 0x01, "es_threads"},
                 {Block::Vgt, 0x09, "gs_threads"},
                 {Block::Vgt, 0x14, "vs_threads"},
                 {Block::Vgt, 0x1B, "vs_waves"},
                 {Block::Vgt, 0x3A, "primitives_out"},
                 {Block::Vgt, 0x60, "ls_threads"},
                 {Block::Vgt, 0x71, "hs_waves"},
                 {Block::Vgt, 0x85, "gs_done"},
                 {Block::Spi, 0x0A, "vs_waves"},
                 {Block::Spi, 0x14, "gs_waves"},
                 {Block::Spi, 0x20, "es_waves"},
                 {Block::Spi, 0x2C, "hs_waves"},
                 {Block::Spi, 0x36, "ls_waves"},
                 {Block::Spi, 0x3E, "csg_waves"},
                 {Block::Spi, 0x44, "csn_waves"},
                 {Block::Spi, 0x4B, "ps_waves"},
                 {Block::Spi, 0x6D, "vs_no_room_cycles"},
                 {Block::Spi, 0x7A, "csg_no_scratch_cycles"},
                 {Block::Spi, 0xB3, "position_exports"},
                 {Block::Tcp, 0x80, "read_hits"},
                 {Block::Tcp, 0x85, "writes"},
                 {Block::Tcc, 0x05, "reads"},
                 {Block::Tcc, 0x12, "writebacks"},
                 {Block::Tca, 0x0D, "messages"}};
    for (const auto& one : kSome)
        EXPECT_TRUE(std::any_of(gcn::si::perf_events().begin(), gcn::si::perf_events().end(),
                                [&](const EventRow& row) {
                                    return row.block == one.block && row.event == one.event &&
                                           row.counter == std::string(one.counter);
                                }))
            << block_name(one.block) << " " << one.event << " " << one.counter;
}

TEST(PerfMonitor, WindowsOfAllStagesCountTheCyclesOfTheWindow) {
    for (const uint16_t event : {0x00, 0x10, 0x13, 0x1C, 0x66, 0x6F}) {
        Bench b;
        b.write(si::VGT_PERFCOUNTER0_SELECT, event);
        b.write(si::CP_PERFMON_CNTL, kStart);
        b.run_to(b.scheduler.now() + 100);
        b.event(vgt_event::kPerfcounterStop);
        const uint64_t count = b.read(si::VGT_PERFCOUNTER0_LO);
        EXPECT_NEAR(static_cast<double>(count), 103, 3);
        b.run_to(b.scheduler.now() + 100);
        EXPECT_EQ(b.read(si::VGT_PERFCOUNTER0_LO), count);
    }
}

TEST(PerfMonitor, UnitsHaveTheCounterOfTheirPlace) {
    EXPECT_EQ(map_of_si().copy_of(Block::Tcc, "tcc0"), 0u);
    EXPECT_EQ(map_of_si().copy_of(Block::Tcc, "tcc11"), 11u);
    EXPECT_EQ(map_of_si().copy_of(Block::Tcp, "se0.sh0.cu5.l1"), 5u);
    EXPECT_EQ(map_of_si().copy_of(Block::Tcp, "se0.sh1.cu5.l1"), 16u + 5);
    EXPECT_EQ(map_of_si().copy_of(Block::Tcp, "se1.sh1.cu15.l1"), 63u);
    EXPECT_EQ(map_of_si().copies_of(Block::Tcp).count(), 64u);
    EXPECT_EQ(map_of_si().copy_of(Block::Tca, "fabric.request3"), 0u);
    EXPECT_EQ(map_of_si().copies_of(Block::Tca).count(), 1u);
}

TEST(PerfMonitor, UnitsAreMatchedByKindByEndAndWhole) {
    EXPECT_TRUE(unit_matches("fabric.request1", "=fabric.request1"));
    EXPECT_FALSE(unit_matches("fabric.request11", "=fabric.request1"));
    EXPECT_FALSE(unit_matches("fabric.request", "=fabric.request1"));
    EXPECT_TRUE(unit_matches("tcc0", "tcc"));
    EXPECT_TRUE(unit_matches("tcc11", "tcc"));
    EXPECT_FALSE(unit_matches("tccx", "tcc"));
    EXPECT_TRUE(unit_matches("se0.sh1.cu3.l1", ".l1"));
    EXPECT_FALSE(unit_matches(".l1", ".l1"));
    EXPECT_TRUE(unit_matches("spi", "spi"));
}

}  // namespace
}  // namespace archipelago::perf
