// SPDX-License-Identifier: Apache-2.0
// Performance counters of the command processor count what their select registers name, with time
// and without.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/afuc/engine/pm4_header.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "testbenches/unit/afuc/cp_bench.h"

namespace archipelago::afuc::test {
namespace {

// Events of a6xx and a7xx.
constexpr uint32_t kClock = 0, kBusy = 2, kIdle = 15, kPayload = 45, kHeaders = 46,
                   kInstructions = 49;

// CP_NOP drops its payload; packets of type 4 write registers.
CpSpec spec_of(const char* generation) {
    const Assembly a = assemble(
        *find_generation(generation),
        "[016ee001]\n[#table]\n"
        "cwrite $00, [$00 + @PACKET_TABLE_WRITE_ADDR]\nmov $rem, 0x80\n"
        "mov $03, #CP_NOP\nmov $04, #PKT4\nmov $05, 0x4\n"
        "cwrite $03, [$00 + @PACKET_TABLE_WRITE]\ncwrite $03, [$00 + @PACKET_TABLE_WRITE]\n"
        "cwrite $03, [$00 + @PACKET_TABLE_WRITE]\ncwrite $03, [$00 + @PACKET_TABLE_WRITE]\n"
        "cwrite $04, [$00 + @PACKET_TABLE_WRITE]\nsub $rem, $rem, 0x5\n"
        "(rep)cwrite $03, [$00 + @PACKET_TABLE_WRITE]\n"
        "waitin\nmov $01, $data\n"
        "CP_NOP:\n(rep)mov $00, $data\nwaitin\nmov $01, $data\n"
        "PKT4:\nushr $02, $01, 0x8\nmov $addr, $02\n(rep)mov $data, $data\nwaitin\nmov $01, $data\n"
        ".align 32\ntable: .jumptbl\n");
    EXPECT_TRUE(a.errors.empty()) << a.errors[0].line << ": " << a.errors[0].message;
    return cp_spec(generation, {a.words.begin() + 1, a.words.end()});
}

class Counted {
  public:
    explicit Counted(CpRun& run, const CpSpec& spec) : run_(run), map_(spec.generation->names) {}
    void select(uint32_t counter, uint32_t event) {
        run_.host_write(map_.index_of(CpRegister::PerfSelect) + counter, event);
    }
    void count(bool on) { run_.host_write(map_.index_of(CpRegister::PerfControl), on ? 1 : 0); }
    void load(uint32_t counters, uint64_t value) {
        const uint32_t at = map_.index_of(CpRegister::PerfLoadValue);
        run_.host_write(at, static_cast<uint32_t>(value));
        run_.host_write(at + 1, static_cast<uint32_t>(value >> 32));
        run_.host_write(map_.index_of(CpRegister::PerfLoad), counters);
    }
    // Three packets of together 7 dwords of payload.
    void packets() {
        run_.submit({make_type7_header(0x10, 4), 1, 2, 3, 4, make_type7_header(0x10, 2), 5, 6,
                     make_type7_header(0x10, 1), 7});
        run_.run();
    }
    uint32_t index(uint32_t counter) const {
        return map_.index_of(CpRegister::PerfCount) + 2 * counter;
    }

  private:
    CpRun& run_;
    const CpRegisterMap map_;
};

uint64_t read(TimedRun& run, uint32_t index) {
    return run.host_read(index) | uint64_t{run.host_read(index + 1)} << 32;
}
uint64_t read(FunctionalRun& run, uint32_t index) {
    return run.reg(index) | uint64_t{run.reg(index + 1)} << 32;
}

template <class Run>
class AfucPerfCounters : public testing::Test {};
using Runs = testing::Types<TimedRun, FunctionalRun>;
TYPED_TEST_SUITE(AfucPerfCounters, Runs, );

TYPED_TEST(AfucPerfCounters, CountPacketsAndInstructionsWhileTheyAreLetRun) {
    for (const char* generation : {"a6xx", "a7xx", "a750"}) {
        SCOPED_TRACE(generation);
        const CpSpec spec = spec_of(generation);
        TypeParam run(spec);
        Counted counted(run, spec);
        counted.select(0, kHeaders);
        counted.select(13, kInstructions);
        counted.packets();
        EXPECT_EQ(read(run, counted.index(0)), 0u);
        counted.count(true);
        counted.packets();
        EXPECT_EQ(read(run, counted.index(0)), 3u);
        // A waitin, its delay slot, and a mov for each dword.
        EXPECT_EQ(read(run, counted.index(13)), 3u * 2 + 7);
        counted.count(false);
        counted.packets();
        EXPECT_EQ(read(run, counted.index(0)), 3u);
    }
}

TYPED_TEST(AfucPerfCounters, GoOnFromWhatIsLoaded) {
    const CpSpec spec = spec_of("a6xx");
    TypeParam run(spec);
    Counted counted(run, spec);
    counted.select(0, kHeaders);
    counted.select(1, kHeaders);
    counted.count(true);
    counted.load(1u << 1, 0xFFFF'FFFEu);
    counted.packets();
    EXPECT_EQ(read(run, counted.index(0)), 3u);
    EXPECT_EQ(read(run, counted.index(1)), 0x1'0000'0001u);
}

TYPED_TEST(AfucPerfCounters, EventsThatAreNotCountedStopByNumber) {
    const CpSpec spec = spec_of("a6xx");
    TypeParam run(spec);
    Counted counted(run, spec);
    try {
        counted.select(0, 16);
        run.run();
        FAIL() << "does not stop";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Unimplemented);
        EXPECT_NE(std::string(stop.what()).find("event 16 of the command processor"),
                  std::string::npos)
            << stop.what();
    }
}

// A packet that selects is named.
TYPED_TEST(AfucPerfCounters, PacketsThatSelectWhatIsNotCountedAreNamed) {
    const CpSpec spec = spec_of("a6xx");
    TypeParam run(spec);
    const uint32_t at = CpRegisterMap(Names::A6xx).index_of(CpRegister::PerfSelect);
    run.submit({make_type4_header(at, 1), 16});
    try {
        run.run();
        FAIL() << "does not stop";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find("ring cp dword"), std::string::npos) << stop.what();
    }
}

TEST(AfucPerfCounters, BusyAndIdleAreAllCycles) {
    for (const uint64_t seed : {1, 2, 3}) {
        const CpSpec spec = spec_of("a6xx");
        TimedRun run(spec, seed);
        run.run();
        Counted counted(run, spec);
        counted.select(0, kClock);
        counted.select(1, kBusy);
        counted.select(2, kIdle);
        counted.select(3, kPayload);
        const uint64_t idle_before = run.counter("cp.sqe", "idle");
        counted.count(true);
        const uint64_t began = run.cycles();
        counted.packets();
        const uint64_t idle = run.counter("cp.sqe", "idle") - idle_before;
        run.run_until([&] { return run.cycles() == began + 1000; });
        counted.count(false);
        const uint64_t clock = read(run, counted.index(0)), busy = read(run, counted.index(1));
        EXPECT_GE(clock, 1000u);
        EXPECT_EQ(busy + read(run, counted.index(2)), clock);
        EXPECT_GE(busy, 3u * 2 + 7);
        EXPECT_LT(busy, clock - 500);
        EXPECT_GT(idle, 0u);
        EXPECT_EQ(read(run, counted.index(3)), 7u);
    }
}

// The PFP's packets are not the ME's.
TEST(AfucPerfCounters, OfOldGenerationsNameTheirEngine) {
    const CpRegisterMap map(Names::A5xx);
    EXPECT_EQ(map.count_of(CpRegister::PerfSelect), 8u);
    EXPECT_EQ(map.count_of(CpRegister::PerfCount), 16u);
    EXPECT_EQ(map.index_of(CpRegister::PerfCount), 0x3A0u);
    EXPECT_EQ(map.index_of(CpRegister::BvPerfCount), CpRegisterMap::kNowhere);
    EXPECT_EQ(CpRegisterMap(Names::A7xx).index_of(CpRegister::PerfCount), 0x300u);
    EXPECT_EQ(CpRegisterMap(Names::A7xx).count_of(CpRegister::BvPerfCount), 14u);
}

}  // namespace
}  // namespace archipelago::afuc::test
