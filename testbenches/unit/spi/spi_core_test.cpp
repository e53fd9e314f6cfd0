// SPDX-License-Identifier: Apache-2.0
#include "models/spi/spi_core.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/gcn/si/front_end.h"
#include "models/spi/dispatch_pins.h"
#include "registers/si_names.h"
#include "testbenches/unit/spi/spi_bench.h"

namespace archipelago::spi::spi_core_test {
namespace {

TEST(SpiSpec, MoreComputeUnitsThanThereAreBitsForAreRefused) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.shader_engines = spec.sh_per_se = 2;
    spec.cu_per_sh = 16;
    EXPECT_NO_THROW(SpiCore{spec});
    spec.cu_per_sh = 17;
    EXPECT_THROW(SpiCore{spec}, std::invalid_argument);
    spec.cu_per_sh = 0;
    EXPECT_THROW(SpiCore{spec}, std::invalid_argument);
}

namespace r = regs::si;

struct Bench {
    SpiSpec spec = gcn::si::spi_spec();
    std::unique_ptr<SpiCore> spi;
    Writer writer;
    std::vector<std::unique_ptr<FakeCu>> cus;
    Scheduler scheduler;
    explicit Bench(const SpiSpec& s = gcn::si::spi_spec(), unsigned life = 20) : spec(s) {
        spi = std::make_unique<SpiCore>(spec);
        scheduler.add(writer);
        scheduler.add(*spi);
        for (unsigned i = 0; i < spec.cus(); ++i) {
            cus.push_back(std::make_unique<FakeCu>());
            cus[i]->life = life;
            cus[i]->out = &spi->wave_done(i);
            spi->wave_done(i).set_producer(cus[i].get());
            spi->to_cu[i].connect(cus[i]->in);
            scheduler.add(*cus[i]);
        }
        writer.out = &spi->registers;
        spi->registers.set_producer(&writer);
        spi->to_registers.connect(writer.in);
        spi->to_events.connect(writer.events);
    }
    void setup(uint8_t ring, uint32_t groups, uint32_t threads, uint32_t rsrc1, uint32_t rsrc2) {
        writer.write(r::COMPUTE_DIM_X, groups, ring);
        writer.write(r::COMPUTE_DIM_Y, 1, ring);
        writer.write(r::COMPUTE_DIM_Z, 1, ring);
        writer.write(r::COMPUTE_NUM_THREAD_X, threads, ring);
        writer.write(r::COMPUTE_NUM_THREAD_Y, 1, ring);
        writer.write(r::COMPUTE_NUM_THREAD_Z, 1, ring);
        writer.write(r::COMPUTE_PGM_RSRC1, rsrc1, ring);
        writer.write(r::COMPUTE_PGM_RSRC2, rsrc2, ring);
        writer.write(r::COMPUTE_STATIC_THREAD_MGMT_SE0, 0xffffffff, ring);
        writer.write(r::COMPUTE_STATIC_THREAD_MGMT_SE1, 0xffffffff, ring);
        writer.write(r::COMPUTE_DISPATCH_INITIATOR, 5, ring);
    }
    void run() {
        writer.wake_at(0);
        scheduler.run(1'000'000);
        EXPECT_TRUE(spi->idle()) << spi->waiting_for() << " at " << scheduler.now();
    }
    std::map<uint32_t, unsigned> waves_per_group() const {
        std::map<uint32_t, unsigned> n;
        for (const auto& cu : cus)
            for (const auto& [cycle, w] : cu->seen)
                ++n[w.group];
        return n;
    }
};

TEST(SpiCore, EveryWaveOfEveryGroupIsLaunchedOnceAndTheEventComesAfterTheLast) {
    Bench b;
    b.setup(0, 500, 256, 0, 0);
    b.writer.write(r::VGT_EVENT_INITIATOR, 7);
    b.run();
    const auto n = b.waves_per_group();
    ASSERT_EQ(n.size(), 500u);
    for (const auto& [group, waves] : n)
        EXPECT_EQ(waves, 4u);
    ASSERT_EQ(b.writer.done.size(), 1u);
    Cycle last = 0;
    for (const auto& cu : b.cus)
        for (const auto& [cycle, w] : cu->seen)
            last = std::max(last, cycle);
    EXPECT_GE(b.writer.done[0].first, last + 20);
    EXPECT_EQ(b.writer.done[0].second.event_type, 7);
    EXPECT_EQ(b.spi->state().counters.waves, 2000u);
    EXPECT_EQ(b.spi->state().waves_live, 0u);
}

// Every field of a launch.
std::string text_of(WaveLaunch wave) {
    Archive archive;
    archive.block("wave", [&] { archive(wave); });
    return archive.bytes();
}

// Dispatches on all rings, with partial groups, scratch, ordered numbers and every initial
// register.
void write_many_dispatches(Bench& b) {
    for (unsigned n = 0; n < 12; ++n) {
        const auto ring = static_cast<uint8_t>(n % 3);
        b.writer.write(r::COMPUTE_USER_DATA_0, 0xabc0 + n, ring);
        b.writer.write(r::COMPUTE_TMPRING_SIZE, 20 | 3 << 12, ring);
        b.setup(ring, 3 + 4 * n, 5 + 3 * n, 1 | n << 6,
                (n & 1) | 1 << 1 | 15 << 7 | (n % 3) << 11 | n << 15);
        b.writer.write(r::COMPUTE_DIM_Y, n % 5, ring);
        b.writer.write(r::COMPUTE_NUM_THREAD_Y, 7 | 3 << 16, ring);
        b.writer.write(r::COMPUTE_NUM_THREAD_X, 17 | (1 + n) << 16, ring);
        b.writer.write(r::COMPUTE_NUM_THREAD_Z, 2 | 2 << 16, ring);
        b.writer.write(r::COMPUTE_DISPATCH_INITIATOR, 7 | (n & 3) << 3, ring);
        b.writer.write(r::VGT_EVENT_INITIATOR, 7, ring);
    }
}

void expect_same_behind_pins(const SpiSpec& spec) {
    Bench own(spec, 90), pins(spec, 90);
    SpiDispatchCore block;
    PinDispatchUnit unit(block);
    pins.spi->use_dispatcher(&unit);
    for (Bench* b : {&own, &pins}) {
        write_many_dispatches(*b);
        b->run();
    }
    size_t waves = 0;
    for (size_t cu = 0; cu < own.cus.size(); ++cu) {
        ASSERT_EQ(own.cus[cu]->seen.size(), pins.cus[cu]->seen.size());
        for (size_t n = 0; n < own.cus[cu]->seen.size(); ++n, ++waves) {
            const auto& [cycle, wave] = own.cus[cu]->seen[n];
            EXPECT_EQ(pins.cus[cu]->seen[n].first, cycle);
            EXPECT_EQ(text_of(pins.cus[cu]->seen[n].second), text_of(wave));
        }
    }
    EXPECT_GT(waves, 1000u);
    ASSERT_EQ(own.writer.done.size(), 12u);
    for (size_t n = 0; n < own.writer.done.size(); ++n)
        EXPECT_EQ(pins.writer.done[n].first, own.writer.done[n].first);
    EXPECT_GT(own.spi->state().counters.no_scratch_cycles, 0u);
    EXPECT_EQ(pins.spi->state().counters.no_scratch_cycles,
              own.spi->state().counters.no_scratch_cycles);
}

TEST(SpiCore, BehindPinsTheDispatcherLaunchesTheSameWavesInTheSameCycles) {
    expect_same_behind_pins(gcn::si::spi_spec());
}

TEST(SpiCore, BehindPinsItDoesSoWithGranulesThatDivideNothingThatIsAskedFor) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.cu.vgprs_per_simd = 240;
    spec.cu.vgpr_granule = 6;
    spec.cu.sgprs_per_simd = 492;
    spec.cu.sgpr_granule = 12;
    spec.cu.lds_bytes = 60'000;
    spec.cu.lds_granule = 600;
    expect_same_behind_pins(spec);
}

// Threads of the graphics ring's dispatches between PIPELINESTAT_START and _STOP, as they are when
// the event is written.
TEST(SpiCore, SamplesHaveTheThreadsThatWereCounted) {
    constexpr uint32_t kStart = 25, kStop = 26, kSample = 30;
    Bench b;
    b.setup(0, 3, 100, 0, 0);  // before
    b.writer.write(r::VGT_EVENT_INITIATOR, kStart);
    b.setup(0, 5, 100, 0, 0);
    b.setup(1, 7, 100, 0, 0);  // another ring
    b.writer.write(r::VGT_EVENT_INITIATOR, kSample);
    b.setup(0, 3, 100 | 40 << 16, 0, 0);
    b.writer.todo.back().value |= 2;  // PARTIAL_TG_EN
    for (size_t place : {7, 6})       // COMPUTE_NUM_THREAD_Y, Z
        b.writer.todo[b.writer.todo.size() - place].value |= 1 << 16;
    b.writer.write(r::VGT_EVENT_INITIATOR, kStop);
    b.setup(0, 2, 64, 0, 0);  // after
    b.writer.write(r::VGT_EVENT_INITIATOR, kSample);
    b.run();
    std::vector<uint64_t> found;
    for (const auto& [cycle, event] : b.writer.done)
        if (event.event_type == kSample)
            found.push_back(event.cs_invocations);
    EXPECT_EQ(found, (std::vector<uint64_t>{500, 740}));
}

TEST(SpiCore, OrderedWavesOfAllRingsAreNumberedInTheOrderOfPlacement) {
    Bench b;
    for (const uint8_t ring : {0, 1}) {
        b.setup(ring, 40, 128, 0, 1 << 10 /*TG_SIZE*/);
        b.writer.todo.back().value = 5 | 8;  // ORDERED_APPEND_ENBL
    }
    b.run();
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> waves;  // by number: dispatch, group
    for (const auto& cu : b.cus)
        for (const auto& [cycle, w] : cu->seen) {
            const uint32_t number = w.sgpr_init[0] >> 6 & 2047;
            EXPECT_TRUE(waves.emplace(number, std::make_pair(w.dispatch, w.group)).second)
                << number << " twice";
            EXPECT_EQ(number % 2, w.wave_in_group);
        }
    ASSERT_EQ(waves.size(), 160u);
    EXPECT_EQ(waves.rbegin()->first, 159u);
    std::map<uint32_t, uint32_t> last;  // group by dispatch
    for (const auto& [number, wave] : waves) {
        EXPECT_GE(wave.second, last[wave.first]);
        last[wave.first] = wave.second;
    }
}

TEST(SpiCore, GroupsSpreadOverAllComputeUnits) {
    Bench b(gcn::si::spi_spec(), 1000);
    b.setup(0, 32, 64, 0, 0);
    b.run();
    for (const auto& cu : b.cus)
        EXPECT_EQ(cu->seen.size(), 1u);
}

struct Limit {
    const char* what;
    uint32_t threads, rsrc1, rsrc2;
    unsigned waves_per_cu;
};
TEST(SpiCore, OccupancyIsWhatTheResourcesAllow) {
    const Limit limits[] = {
        {"wave slots", 64, 0, 0, 40},
        {"VGPRs: 64 each, 4 per SIMD", 64, 15, 0, 16},
        {"VGPRs: 84 each, 3 per SIMD", 64, 20, 0, 12},
        {"SGPRs: 104 each, 4 per SIMD", 64, 12u << 6, 0, 16},
        {"LDS: 8 KiB a group", 64, 0, 32u << 15, 8},
        {"barriers: 16 groups of 2", 128, 0, 0, 32},
        {"groups of 16 waves", 1024, 0, 0, 32},
    };
    for (const Limit& l : limits) {
        SpiSpec spec = gcn::si::spi_spec();
        spec.shader_engines = spec.sh_per_se = spec.cu_per_sh = 1;
        Bench b(spec, 5000);
        b.setup(0, 100, l.threads, l.rsrc1, l.rsrc2);
        b.run();
        EXPECT_EQ(b.cus[0]->most, l.waves_per_cu) << l.what;
        EXPECT_EQ(b.waves_per_group().size(), 100u) << l.what;
        EXPECT_GT(b.spi->state().counters.no_room_cycles, 0u) << l.what;
    }
}

struct Granules {
    const char* what;
    uint32_t rsrc1, rsrc2;
    unsigned CuResources::*granule;
    unsigned value;
    unsigned waves_per_cu;
};
TEST(SpiCore, GranulesRoundUpWhatAProgramAsksFor) {
    constexpr uint32_t k36Vgprs = 8, k72Sgprs = 8u << 6, kLds2304Bytes = 9u << 15;
    const Granules rows[] = {
        {"36 VGPRs in twos, 7 per SIMD", k36Vgprs, 0, &CuResources::vgpr_granule, 2, 28},
        {"36 VGPRs in sixteens, 5 per SIMD", k36Vgprs, 0, &CuResources::vgpr_granule, 16, 20},
        {"72 SGPRs in twos, 7 per SIMD", k72Sgprs, 0, &CuResources::sgpr_granule, 2, 28},
        {"72 SGPRs in pieces of 64, 4 per SIMD", k72Sgprs, 0, &CuResources::sgpr_granule, 64, 16},
        {"2304 bytes in 4 KiB", 0, kLds2304Bytes, &CuResources::lds_granule, 4096, 16},
        {"2304 bytes in 1 KiB", 0, kLds2304Bytes, &CuResources::lds_granule, 1024, 21},
    };
    for (const Granules& row : rows) {
        SpiSpec spec = gcn::si::spi_spec();
        spec.shader_engines = spec.sh_per_se = spec.cu_per_sh = 1;
        spec.cu.*row.granule = row.value;
        Bench b(spec, 5000);
        b.setup(0, 100, 64, row.rsrc1, row.rsrc2);
        b.run();
        EXPECT_EQ(b.cus[0]->most, row.waves_per_cu) << row.what;
        for (const auto& [cycle, wave] : b.cus[0]->seen) {
            EXPECT_EQ(wave.vgpr_count, row.rsrc1 == k36Vgprs ? 36 : 4) << row.what;
            EXPECT_EQ(wave.sgpr_count, row.rsrc1 == k72Sgprs ? 72 : 8) << row.what;
            EXPECT_EQ(wave.lds_bytes, row.rsrc2 == 0 ? 0u : 2304u) << row.what;
        }
    }
}

TEST(SpiCore, MasksKeepWavesAwayFromComputeUnits) {
    Bench b;
    b.setup(0, 64, 64, 0, 0);
    b.writer.todo[8].value = 0x00010002;  // SE0: SH0 CU1, SH1 CU0
    b.writer.todo[9].value = 0;
    b.run();
    for (unsigned i = 0; i < b.cus.size(); ++i)
        EXPECT_EQ(b.cus[i]->seen.empty(), i != 1 && i != 8) << i;
}

TEST(SpiCore, ScratchSlotsAreNeverSharedByLivingWaves) {
    Bench b(gcn::si::spi_spec(), 50);
    b.writer.write(r::COMPUTE_TMPRING_SIZE, 10 | 1 << 12);
    b.setup(0, 60, 64, 1 << 6, 1);
    b.run();
    std::map<Cycle, int> at;
    for (const auto& cu : b.cus)
        for (const auto& [cycle, w] : cu->seen) {
            EXPECT_LT(w.sgpr_init[0], 10u * 1024);
            for (const auto& other : b.cus)
                for (const auto& [c2, w2] : other->seen)
                    if (&w2 != &w && w2.sgpr_init[0] == w.sgpr_init[0]) {
                        EXPECT_GE(c2 > cycle ? c2 - cycle : cycle - c2, 50u);
                    }
        }
    EXPECT_EQ(b.waves_per_group().size(), 60u);
    EXPECT_GT(b.spi->state().counters.no_scratch_cycles, 0u);
}

TEST(SpiCore, RingsKeepTheirOwnRegistersAndEvents) {
    Bench b;
    b.writer.write(r::COMPUTE_USER_DATA_0, 0x111, 0);
    b.writer.write(r::COMPUTE_USER_DATA_0, 0x222, 1);
    b.setup(0, 40, 64, 0, 1 << 1);
    b.setup(1, 40, 64, 0, 1 << 1);
    b.writer.write(r::VGT_EVENT_INITIATOR, 7, 1);
    b.writer.write(r::VGT_EVENT_INITIATOR, 7, 2);
    b.run();
    std::set<uint32_t> values;
    for (const auto& cu : b.cus)
        for (const auto& [cycle, w] : cu->seen) {
            values.insert(w.sgpr_init[0]);
            EXPECT_EQ(w.sgpr_init[0], w.dispatch == 1 ? 0x111u : 0x222u);
        }
    EXPECT_EQ(values.size(), 2u);
    ASSERT_EQ(b.writer.done.size(), 2u);
    EXPECT_EQ(b.writer.done[0].second.ring, 2);  // nothing before it: passes at once
}

TEST(SpiCore, AnEventWaitsForEarlierDispatchesOnly) {
    Bench b(gcn::si::spi_spec(), 300);
    b.setup(0, 4, 64, 0, 0);
    b.writer.write(r::VGT_EVENT_INITIATOR, 7);
    b.setup(0, 3200, 64, 0, 0);  // fills the machine several times
    b.writer.write(r::VGT_EVENT_INITIATOR, 7);
    b.run();
    ASSERT_EQ(b.writer.done.size(), 2u);
    EXPECT_LT(b.writer.done[0].first, 700u);
    EXPECT_GT(b.writer.done[1].first, 900u);
}

TEST(SpiCore, ADispatchOfNoGroupsEndsAtOnce) {
    Bench b;
    b.setup(0, 0, 64, 0, 0);
    b.writer.write(r::VGT_EVENT_INITIATOR, 7);
    b.run();
    EXPECT_EQ(b.writer.done.size(), 1u);
    EXPECT_EQ(b.spi->state().counters.waves, 0u);
}

TEST(SpiCore, AFullDispatchQueueHoldsTheInitiatorBack) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.queue_depth = 2;
    Bench b(spec, 100);
    for (int i = 0; i < 8; ++i)
        b.setup(0, 2, 64, 0, 0);
    b.run();
    EXPECT_EQ(b.spi->state().counters.dispatches, 8u);
    EXPECT_EQ(b.spi->state().counters.waves_done, 16u);
}

std::vector<std::pair<Cycle, uint32_t>> trace_of(uint64_t shuffle, unsigned stall) {
    Bench b(gcn::si::spi_spec(), 35);
    if (shuffle != 0)
        b.scheduler.shuffle(shuffle);
    if (stall != 0)
        for (unsigned i = 0; i < b.cus.size(); ++i) {
            b.cus[i]->in.random_stall(i + 1, stall);
            b.spi->wave_done(i).random_stall(i + 100, stall);
        }
    b.setup(0, 700, 192, 3, 8u << 15);
    b.writer.write(r::VGT_EVENT_INITIATOR, 7);
    b.run();
    EXPECT_EQ(b.waves_per_group().size(), 700u);
    std::vector<std::pair<Cycle, uint32_t>> t;
    for (const auto& cu : b.cus)
        for (const auto& [cycle, w] : cu->seen)
            t.emplace_back(cycle, w.group);
    t.emplace_back(b.writer.done.at(0).first, 0);
    return t;
}

TEST(SpiCore, TickOrderCannotBeSeenAndStallsLoseNothing) {
    for (const unsigned stall : {0u, 30u}) {
        const auto plain = trace_of(0, stall);
        for (uint64_t seed = 1; seed < 4; ++seed)
            EXPECT_EQ(plain, trace_of(seed * 1234567, stall));
    }
}

TEST(SpiCore, WavesPerArrayAreLimitedInUnitsOfSixteen) {
    Bench b(gcn::si::spi_spec(), 100000);
    b.writer.write(r::COMPUTE_RESOURCE_LIMITS, 2);
    b.setup(0, 1000, 64, 0, 0);
    b.writer.wake_at(0);
    b.scheduler.run(50000);
    EXPECT_EQ(b.spi->state().waves_live, 4u * 32);
}

TEST(SpiCore, ARingThatDoesNotExistCountsAsTheLast) {
    Bench b;
    b.setup(200, 5, 64, 0, 0);
    b.writer.write(r::VGT_EVENT_INITIATOR, 7, 200);
    b.run();
    EXPECT_EQ(b.waves_per_group().size(), 5u);
    ASSERT_EQ(b.writer.done.size(), 1u);
    EXPECT_EQ(b.writer.done[0].second.ring, b.spec.rings - 1);
}

TEST(SpiCore, ResetLeavesNothingBehind) {
    Bench b(gcn::si::spi_spec(), 100000);
    b.setup(0, 500, 256, 0, 0);
    b.writer.wake_at(0);
    b.scheduler.run(300);
    EXPECT_FALSE(b.spi->idle());
    EXPECT_TRUE(b.spi->busy.latest());
    EXPECT_FALSE(b.spi->waiting_for().empty());
    b.spi->reset();
    EXPECT_TRUE(b.spi->idle());
    EXPECT_FALSE(b.spi->busy.latest());
    EXPECT_FALSE(b.spi->se_busy[0].latest());
    EXPECT_TRUE(b.spi->waiting_for().empty());
    EXPECT_EQ(b.spi->state().counters.waves, 0u);
    uint32_t value = 1;
    RegRequest q;
    q.offset = r::COMPUTE_DIM_X;
    EXPECT_TRUE(b.spi->read_register(q, value));
    EXPECT_EQ(value, 0u);
}

}  // namespace
}  // namespace archipelago::spi::spi_core_test
