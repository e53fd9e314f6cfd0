// SPDX-License-Identifier: Apache-2.0
// Register bus: decode, steering, status, storage, order, back-pressure and time.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "models/common/error.h"
#include "models/gcn/si/grbm_pin_core.h"
#include "models/grbm/grbm_core.h"
#include "models/grbm/grbm_pins.h"
#include "registers/si_bus_map.h"
#include "registers/si_grbm.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"
#include "testbenches/unit/grbm/si_bus.h"

namespace archipelago::grbm {
namespace {

namespace si = regs::si;
namespace typed = regs::si::typed;

// A block with registers: answers reads after a while, may refuse for a time.
class Block : public Clocked, public RegisterTarget {
  public:
    Block(ChannelSpec spec, unsigned delay) : request(spec, "block"), delay_(delay) {
        request.set_consumer(this);
    }
    void connect(Channel<RegResponse>* out) {
        out_ = out;
        out->set_producer(this);
    }
    bool tick(Cycle now) override {
        bool progress = false;
        if (now < closed_until)
            wake_at(closed_until);
        else if (request.can_pop(now)) {
            const RegRequest r = request.pop(now);
            seen.push_back(r);
            cycles.push_back(now);
            if (!r.write || answer_writes) {
                RegResponse a;
                a.tag = r.tag;
                a.write = r.write;
                a.value = r.offset * 2;
                waiting_.emplace_back(now + delay_, a);
                wake_at(now + delay_);
            }
            progress = true;
        }
        if (!waiting_.empty() && waiting_.front().first <= now && out_->can_push(now)) {
            out_->push(now, waiting_.front().second);
            waiting_.erase(waiting_.begin());
            progress = true;
        }
        return progress;
    }
    bool write_register(const RegRequest& r) override {
        seen.push_back(r);
        return r.offset != 0xB8FC;
    }
    bool read_register(const RegRequest& r, uint32_t& value) override {
        value = r.offset * 2;
        return r.offset != 0xB8FC;
    }
    Channel<RegRequest> request;
    std::vector<RegRequest> seen;
    std::vector<Cycle> cycles;
    Cycle closed_until = 0;
    bool answer_writes = false;

  private:
    unsigned delay_;
    Channel<RegResponse>* out_ = nullptr;
    std::vector<std::pair<Cycle, RegResponse>> waiting_;
};

// Host or CP: a list of requests, pushed as fast as they are taken.
class Master : public Clocked {
  public:
    Master() : response({8, 1}, "master") { response.set_consumer(this); }
    bool tick(Cycle now) override {
        bool progress = false;
        if (next < todo.size() && out->can_push(now)) {
            pushed.push_back(now);
            out->push(now, todo[next++]);
            progress = true;
        }
        if (response.can_pop(now)) {
            answers.push_back(response.pop(now));
            answered.push_back(now);
            progress = true;
        }
        return progress;
    }
    Channel<RegRequest>* out = nullptr;
    Channel<RegResponse> response;
    std::vector<RegRequest> todo;
    size_t next = 0;
    std::vector<Cycle> pushed, answered;
    std::vector<RegResponse> answers;
};

RegRequest request(uint32_t offset, bool write, uint32_t value = 0, uint32_t tag = 0) {
    RegRequest r;
    r.offset = offset;
    r.write = write;
    r.value = value;
    r.tag = tag;
    return r;
}

struct Bench {
    explicit Bench(const Spec& spec = without_names(), unsigned delay = 5)
        : grbm(spec),
          cp({4, 1}, delay),
          spi({2, 1}, delay),
          vgt({1, 1}, delay),
          raster({2, 1}, delay) {
        grbm.to_port[bus::kCp].connect(cp.request);
        grbm.to_port[bus::kSpi].connect(spi.request);
        grbm.to_port[bus::kRaster].connect(raster.request);
        grbm.to_port[bus::kVgt].connect(vgt.request);
        vgt.connect(&grbm.response[bus::kVgt]);
        cp.connect(&grbm.response[bus::kCp]);
        spi.connect(&grbm.response[bus::kSpi]);
        raster.connect(&grbm.response[bus::kRaster]);
        for (unsigned i = 0; i < kSources; ++i) {
            masters[i].out = &grbm.request[i];
            grbm.request[i].set_producer(&masters[i]);
            grbm.to_source[static_cast<RegSource>(i)].connect(masters[i].response);
            scheduler.add(masters[i]);
        }
        scheduler.add(grbm);
        scheduler.add(cp);
        scheduler.add(spi);
        scheduler.add(vgt);
        scheduler.add(raster);
    }
    void run(Cycle limit = 100000) {
        for (Master& master : masters)
            master.wake_at(0);
        scheduler.run(limit);
    }
    Scheduler scheduler;
    GrbmCore grbm;
    Block cp, spi, vgt, raster;
    Master masters[kSources];
};

TEST(Grbm, RequestsReachTheBlockThatOwnsTheRegister) {
    Bench b;
    b.masters[1].todo = {request(0x8500, true, 1), request(0xB830, true, 2),
                         request(0xC114, true, 3), request(0x28A90, true, 4),
                         request(0x28368, true, 5)};
    b.run();
    ASSERT_EQ(b.cp.seen.size(), 3u);
    ASSERT_EQ(b.spi.seen.size(), 2u);
    EXPECT_EQ(b.cp.seen[1].offset, 0xC114u);
    EXPECT_EQ(b.spi.seen[1].value, 4u);
    EXPECT_EQ(b.spi.seen[1].source, kRegFromCp);
}

TEST(Grbm, WriteOfASharedRegisterReachesBothBlocksInTheSameCycle) {
    Bench b;
    b.masters[1].todo = {request(0x28A90, true, 4), request(0x28A90, true, 5)};
    b.masters[1].todo[0].context = 6;
    b.vgt.closed_until = 40;
    b.run();
    ASSERT_EQ(b.spi.seen.size(), 2u);
    ASSERT_EQ(b.vgt.seen.size(), 2u);
    EXPECT_EQ(b.vgt.seen[0].value, 4u);
    EXPECT_EQ(b.vgt.seen[0].context, 6u);
    EXPECT_EQ(b.spi.seen[0].context, 6u);
    EXPECT_EQ(b.vgt.seen[0].port, bus::kVgt);
    EXPECT_EQ(b.spi.seen[0].port, bus::kSpi);
    EXPECT_LT(b.spi.cycles[0], 40u) << "the first finds room in both";
    EXPECT_GT(b.spi.cycles[1], 40u) << "the second waits for the slower one";
    EXPECT_EQ(b.vgt.cycles[1], b.spi.cycles[1]);
}

TEST(Grbm, ReadOfASharedRegisterGoesToItsOwnerAlone) {
    Bench b;
    b.masters[0].todo = {request(0x28A90, false)};
    b.run();
    ASSERT_EQ(b.masters[0].answers.size(), 1u);
    EXPECT_EQ(b.spi.seen.size(), 1u);
    EXPECT_TRUE(b.vgt.seen.empty());
}

TEST(Grbm, FunctionalWriteOfASharedRegisterReachesBothBlocks) {
    Bench b;
    b.grbm.attach(bus::kSpi, &b.spi);
    b.grbm.attach(bus::kVgt, &b.vgt);
    b.grbm.write(request(0x28A90, true, 9));
    ASSERT_EQ(b.spi.seen.size(), 1u);
    ASSERT_EQ(b.vgt.seen.size(), 1u);
    EXPECT_EQ(b.vgt.seen[0].value, 9u);
}

TEST(Grbm, SharedRangesOfPortsThatAreNotBlocksAreRefused) {
    Spec spec = without_names();
    spec.ranges = {{"a", 0x8000, 0x8003, kSelf, 1u << bus::kVgt},
                   {"b", 0x8004, 0x8007, bus::kSpi, 1u << bus::kSpi},
                   {"c", 0x8008, 0x800B, bus::kSpi, 1u << kStore},
                   {"d", 0x800C, 0x800F, bus::kSpi, 1u << 31}};
    EXPECT_EQ(spec.problems().size(), 4u);
}

TEST(Grbm, WriteOfAStoredRegisterReachesTheBlockThatGetsItToo) {
    Bench b;
    b.masters[1].todo = {request(0x28A48, true, 3), request(0x28A48, true, 4),
                         request(0x28A48, false)};
    b.run();
    EXPECT_TRUE(b.vgt.seen.empty()) << "not among those that get it";
    ASSERT_EQ(b.raster.seen.size(), 2u) << "and no read";
    EXPECT_EQ(b.raster.seen[1].value, 4u);
    ASSERT_EQ(b.masters[1].answers.size(), 1u);
    EXPECT_EQ(b.masters[1].answers[0].value, 4u);
}

TEST(Grbm, WriteOfTheCopyingRegisterReachesAllThatHoldContexts) {
    Bench b;
    b.raster.closed_until = 40;
    b.masters[1].todo = {request(0x287D0, true, 1), request(0x287D0, true, 2),
                         request(0x287D0, true, 3)};
    b.run();
    for (const Block* block : {&b.vgt, &b.spi, &b.raster}) {
        ASSERT_EQ(block->seen.size(), 3u);
        EXPECT_GT(block->cycles[2], 40u) << "the last waits for the slowest";
    }
}

TEST(Grbm, ReadsComeBackToTheirSourceWithTheirTag) {
    Bench b;
    b.masters[0].todo = {request(0xB830, false, 0, 77), request(0x8010, false, 0, 78)};
    b.masters[1].todo = {request(0xB834, false, 0, 77), request(0x8504, false, 0, 79)};
    b.run();
    ASSERT_EQ(b.masters[0].answers.size(), 2u);
    ASSERT_EQ(b.masters[1].answers.size(), 2u);
    for (const RegResponse& a : b.masters[0].answers)
        EXPECT_EQ(a.value, a.tag == 77 ? 0xB830u * 2 : 0x3000u);
    for (const RegResponse& a : b.masters[1].answers)
        EXPECT_EQ(a.value, a.tag == 77 ? 0xB834u * 2 : 0x8504u * 2);
    EXPECT_TRUE(b.grbm.idle());
}

TEST(Grbm, AReadTakesTheSumOfTheLatencies) {
    for (const unsigned delay : {1u, 9u, 40u}) {
        Spec spec = without_names();
        spec.request.latency = 3;
        spec.response.latency = 2;
        Bench b(spec, delay);
        b.masters[0].todo = {request(0xB830, false)};
        b.run();
        ASSERT_EQ(b.masters[0].answered.size(), 1u);
        EXPECT_EQ(
            b.masters[0].answered[0] - b.masters[0].pushed[0],
            spec.request.latency + 1 /* port */ + delay + spec.response.latency + 1 /* answer */);
    }
}

TEST(Grbm, WritesStreamOneACycle) {
    Bench b;
    for (uint32_t i = 0; i < 64; ++i)
        b.masters[1].todo.push_back(request(0xB900 + 4 * (i % 16), true, i));
    b.run();
    ASSERT_EQ(b.spi.cycles.size(), 64u);
    EXPECT_EQ(b.spi.cycles.back() - b.spi.cycles.front(), 63u);
    for (uint32_t i = 0; i < 64; ++i)
        EXPECT_EQ(b.spi.seen[i].value, i);
}

TEST(Grbm, BothSourcesGetTheirTurn) {
    Bench b;
    for (uint32_t i = 0; i < 50; ++i) {
        b.masters[0].todo.push_back(request(0x9508, true, i));
        b.masters[1].todo.push_back(request(0x950C, true, i));
    }
    b.run();
    const Cycle a = b.masters[0].pushed.back(), c = b.masters[1].pushed.back();
    EXPECT_LT(a > c ? a - c : c - a, 4u);
}

TEST(Grbm, ABlockThatRefusesHoldsItsSourceButNotTheOther) {
    Bench b;
    b.spi.closed_until = 500;
    for (uint32_t i = 0; i < 10; ++i)
        b.masters[1].todo.push_back(request(0xB900, true, i));
    b.masters[1].todo.push_back(request(0x8500, true, 1));
    b.masters[0].todo = {request(0x8504, true, 2)};
    StatsRegistry stats;
    b.grbm.register_stats(stats, "grbm");
    b.run();
    ASSERT_EQ(b.cp.seen.size(), 2u);
    EXPECT_LT(b.cp.cycles[0], 20u);
    EXPECT_EQ(b.cp.seen[0].value, 2u);
    EXPECT_GT(b.cp.cycles[1], 500u);
    for (const Counter& counter : stats.counters()) {
        if (counter.name == "cp_stall_port") {
            EXPECT_GT(*counter.value, 480u);
            EXPECT_LT(*counter.value, 520u);
        }
    }
}

TEST(Grbm, AnswersToWritesAreDropped) {
    Bench b;
    b.spi.answer_writes = true;
    b.masters[1].todo = {request(0xB900, true, 1), request(0xB900, false, 0, 5)};
    b.run();
    ASSERT_EQ(b.masters[1].answers.size(), 1u);
    EXPECT_EQ(b.masters[1].answers[0].tag, 5u);
}

TEST(Grbm, AnUnsolicitedAnswerStops) {
    Bench b;
    b.grbm.response[bus::kSpi].push(0, RegResponse{});
    EXPECT_THROW(b.run(), MachineStop);
    EXPECT_EQ(b.grbm.activity().stop, StopCause::Unsolicited);
    EXPECT_EQ(b.grbm.activity().stop_place, unsigned{bus::kSpi});
}

TEST(Grbm, SteeringIsKeptPerSource) {
    Bench b;
    const uint32_t index =
        typed::GRBM_GFX_INDEX{}.set_SE_INDEX(1).set_SH_INDEX(2).set_INSTANCE_INDEX(3).raw;
    b.masters[0].todo = {request(si::GRBM_GFX_INDEX, true, index), request(0xB900, true, 1),
                         request(si::GRBM_GFX_INDEX, false)};
    b.masters[1].todo = {request(0xB904, true, 2), request(si::GRBM_GFX_INDEX, false)};
    b.run();
    ASSERT_EQ(b.spi.seen.size(), 2u);
    for (const RegRequest& r : b.spi.seen) {
        const bool host = r.offset == 0xB900;
        EXPECT_EQ(r.se, host ? 1 : 0);
        EXPECT_EQ(r.sh, host ? 2 : 0);
        EXPECT_EQ(r.instance, host ? 3 : 0);
        EXPECT_EQ(r.se_broadcast, !host);
        EXPECT_EQ(r.sh_broadcast, !host);
        EXPECT_EQ(r.instance_broadcast, !host);
    }
    EXPECT_EQ(b.masters[0].answers.at(0).value, index);
    EXPECT_EQ(b.masters[1].answers.at(0).value, 0xE0000000u);
}

TEST(Grbm, StatusRegistersAreMadeOfBusyWires) {
    Bench b;
    Wire<bool> cp_busy, spi_busy, se1_spi, tc_busy;
    b.grbm.add_busy(Status::Status, 29, &cp_busy);
    b.grbm.add_busy(Status::Status, 22, &spi_busy);
    b.grbm.add_busy(Status::Se1, 27, &se1_spi);
    b.grbm.add_busy(Status::Status2, 9, &tc_busy);
    EXPECT_EQ(b.grbm.read(si::GRBM_STATUS), 0x3000u);
    cp_busy.set(0, true);
    se1_spi.set(0, true);
    EXPECT_EQ(b.grbm.read(si::GRBM_STATUS), 0x3000u | 1u << 29 | 1u << 31);
    EXPECT_EQ(b.grbm.read(si::GRBM_STATUS_SE1), 0x6u | 1u << 27);
    EXPECT_EQ(b.grbm.read(si::GRBM_STATUS_SE0), 0x6u);
    EXPECT_EQ(b.grbm.read(si::GRBM_STATUS2), 0u);
    tc_busy.set(0, true);
    EXPECT_EQ(b.grbm.read(si::GRBM_STATUS2), 1u << 9);
    b.grbm.write(request(si::GRBM_STATUS, true, 0));  // read only
    EXPECT_NE(b.grbm.read(si::GRBM_STATUS) & 1u << 29, 0u);
}

TEST(Grbm, RegistersWithoutABlockAreStored) {
    Bench b;
    b.masters[1].todo = {request(0x28350, true, 0x2A00126A), request(0x28350, false, 0, 1),
                         request(0x8A14, true, 7), request(0x8A14, false, 0, 2)};
    for (RegRequest& r : b.masters[1].todo)
        r.context = 1;
    b.run();
    ASSERT_EQ(b.masters[1].answers.size(), 2u);
    EXPECT_EQ(b.masters[1].answers[0].value, 0x2A00126Au);
    EXPECT_EQ(b.masters[1].answers[1].value, 7u);
    EXPECT_EQ(b.masters[1].answers[0].status, RegStatus::Ok);
    EXPECT_EQ(b.grbm.read(0x28350), 0x2A00126Au);
}

TEST(Grbm, StoredContextRegistersAreThoseOfTheirContext) {
    Bench b;
    std::vector<RegRequest>& todo = b.masters[1].todo;
    const auto in_context = [&](RegRequest r, uint8_t context) {
        r.context = context;
        todo.push_back(r);
    };
    in_context(request(0x28350, true, 11), 1);
    in_context(request(si::GFX_COPY_STATE, true, 1), 2);
    in_context(request(0x28350, true, 12), 2);
    in_context(request(0x28350, false, 0, 1), 1);
    in_context(request(0x28350, false, 0, 2), 2);
    b.run();
    ASSERT_EQ(b.masters[1].answers.size(), 2u);
    EXPECT_EQ(b.masters[1].answers[0].value, 11u);
    EXPECT_EQ(b.masters[1].answers[1].value, 12u);
    EXPECT_EQ(b.grbm.read(0x28350), 12u) << "the host sees the newest";
    RegRequest copy = request(si::GFX_COPY_STATE, true, 1);
    copy.context = 3;
    copy.source = kRegFromCp;
    b.grbm.write(copy);
    EXPECT_EQ(b.grbm.read(0x28350), 11u);
}

// ---- registers there are several of -------------------------------------------------------------

constexpr unsigned kAll = 256;
uint32_t gfx_index(unsigned se, unsigned sh, unsigned instance) {
    typed::GRBM_GFX_INDEX index{};
    index = se == kAll ? index.set_SE_BROADCAST_WRITES(1) : index.set_SE_INDEX(se);
    index = sh == kAll ? index.set_SH_BROADCAST_WRITES(1) : index.set_SH_INDEX(sh);
    index = instance == kAll ? index.set_INSTANCE_BROADCAST_WRITES(1)
                             : index.set_INSTANCE_INDEX(instance);
    return index.raw;
}

// The bus as CP sees it, in cycle mode or in functional mode.
class Copies : public ::testing::TestWithParam<bool> {
  protected:
    void steer(unsigned se, unsigned sh, unsigned instance) {
        write(si::GRBM_GFX_INDEX, gfx_index(se, sh, instance));
    }
    void write(uint32_t offset, uint32_t value, uint8_t context = 1) {
        RegRequest r = request(offset, true, value);
        r.source = kRegFromCp;
        r.context = context;
        if (!GetParam()) {
            bus_.grbm.write(r);
            return;
        }
        cp().todo.push_back(r);
        bus_.run();
    }
    uint32_t read(uint32_t offset, uint8_t context = 1) {
        RegRequest r = request(offset, false);
        r.source = kRegFromCp;
        r.context = context;
        if (!GetParam())
            return bus_.grbm.read(r);
        cp().todo.push_back(r);
        bus_.run();
        return cp().answers.back().value;
    }
    uint32_t read_of(unsigned se, unsigned sh, unsigned instance, uint32_t offset) {
        steer(se, sh, instance);
        return read(offset);
    }
    Master& cp() { return bus_.masters[kRegFromCp]; }
    Bench bus_;
};
INSTANTIATE_TEST_SUITE_P(Modes, Copies, ::testing::Bool(), [](const auto& info) {
    return info.param ? std::string("Cycle") : std::string("Functional");
});

TEST_P(Copies, AWriteIsForTheCopiesThatTheIndexNames) {
    constexpr uint32_t kRegister = si::DB_DEBUG;
    write(kRegister, 5);
    EXPECT_EQ(read_of(1, 0, 3, kRegister), 5u) << "what was written to all";
    write(kRegister, 9);
    EXPECT_EQ(read(kRegister), 9u);
    EXPECT_EQ(read_of(0, 0, 3, kRegister), 5u);
    EXPECT_EQ(read_of(1, 1, 3, kRegister), 5u);
    EXPECT_EQ(read_of(1, 0, 2, kRegister), 5u);
    steer(1, kAll, kAll);
    write(kRegister, 11);
    EXPECT_EQ(read_of(1, 0, 3, kRegister), 11u);
    EXPECT_EQ(read_of(1, 1, 15, kRegister), 11u);
    EXPECT_EQ(read_of(0, 1, 15, kRegister), 5u);
    steer(kAll, kAll, kAll);
    write(kRegister, 1);
    for (const unsigned se : {0u, 1u})
        EXPECT_EQ(read_of(se, 0, 3, kRegister), 1u) << se;
}

TEST_P(Copies, AReadOfAllGetsTheFirst) {
    steer(0, 0, 0);
    write(si::DB_DEBUG, 7);
    steer(1, 0, 0);
    write(si::DB_DEBUG, 8);
    EXPECT_EQ(read_of(kAll, kAll, kAll, si::DB_DEBUG), 7u);
    EXPECT_EQ(read_of(1, kAll, kAll, si::DB_DEBUG), 8u);
}

TEST_P(Copies, ThoseThatAreNotThereTakeNothingAndRead0) {
    write(si::DB_DEBUG, 5);
    steer(2, 0, 0);
    write(si::DB_DEBUG, 9);
    EXPECT_EQ(read(si::DB_DEBUG), 0u);
    EXPECT_EQ(read_of(0, 0, 0, si::DB_DEBUG), 5u);
    EXPECT_EQ(read_of(0, 0, 16, si::DB_DEBUG), 0u);
}

TEST_P(Copies, ThereAreAsManyAsOfTheUnitsOfItsBlock) {
    const struct {
        uint32_t offset;
        bool se, sh, instance;
    } cases[] = {{si::GRBM_SCRATCH_REG0, false, false, false},
                 {si::CC_RB_BACKEND_DISABLE, true, true, false},
                 {si::GC_USER_SHADER_ARRAY_CONFIG, true, true, false},
                 {si::PA_SC_RASTER_CONFIG, true, false, false},
                 {si::TA_CNTL, true, true, true},
                 {si::TCC_CTRL, false, false, true},
                 {si::GB_BACKEND_MAP, false, false, false}};
    for (const auto& c : cases) {
        steer(0, 0, 0);
        write(c.offset, 4);
        steer(1, 1, 1);
        write(c.offset, 6);
        for (unsigned bits = 0; bits < 8; ++bits) {
            const unsigned se = bits & 1, sh = bits >> 1 & 1, instance = bits >> 2;
            const bool last =
                (!c.se || se == 1) && (!c.sh || sh == 1) && (!c.instance || instance == 1);
            const bool first =
                (!c.se || se == 0) && (!c.sh || sh == 0) && (!c.instance || instance == 0);
            EXPECT_EQ(read_of(se, sh, instance, c.offset), last    ? 6u
                                                           : first ? 4u
                                                                   : 0u)
                << std::hex << c.offset << " " << bits;
        }
    }
}

TEST_P(Copies, ContextsHaveTheirOwnAndAreCopiedWithThem) {
    constexpr uint32_t kRegister = si::PA_SC_RASTER_CONFIG;
    steer(0, kAll, kAll);
    write(kRegister, 1, 1);
    steer(1, kAll, kAll);
    write(kRegister, 2, 1);
    EXPECT_EQ(read(kRegister, 2), 0u);
    write(si::GFX_COPY_STATE, 1, 2);
    EXPECT_EQ(read(kRegister, 2), 2u);
    EXPECT_EQ(read(kRegister, 3), 0u);
    write(kRegister, 3, 2);
    EXPECT_EQ(read(kRegister, 1), 2u);
    steer(0, kAll, kAll);
    EXPECT_EQ(read(kRegister, 2), 1u);
}

TEST(Grbm, RegistersThatStartSomethingStopByName) {
    GrbmCore grbm{without_names()};
    try {
        grbm.write(request(si::CS_COPY_STATE, true, 0));
        FAIL();
    } catch (const MachineStop& e) {
        EXPECT_EQ(e.kind(), StopKind::Unimplemented);
        EXPECT_STREQ(e.what(), "grbm: CS_COPY_STATE: what this register starts is not implemented");
    }
    Bench b;
    b.masters[1].todo = {request(si::CS_COPY_STATE, true, 0)};
    EXPECT_THROW(b.run(), MachineStop);
}

class Lines : public LogSink {
  public:
    Lines() { mask_ = 1u << static_cast<unsigned>(LogCategory::Reg); }
    void line(LogCategory, Cycle, std::string_view unit, std::string_view text) override {
        lines.push_back(std::string(unit) + ": " + std::string(text));
    }
    std::vector<std::string> lines;
};

TEST(Grbm, UnknownOffsetsAreCountedLoggedAndReadAsZero) {
    Spec spec = without_names();
    spec.database = &si::database();
    Bench b(spec);
    Lines lines;
    Observers observers;
    observers.log = &lines;
    b.grbm.observe(observers, "grbm");
    StatsRegistry stats;
    b.grbm.register_stats(stats, "grbm");
    b.masters[0].todo = {request(0x4000, true, 1), request(0x4000, false, 0, 3),
                         request(0x083F8, true, 1), request(0x28350, true, 1)};
    b.run();
    ASSERT_EQ(b.masters[0].answers.size(), 1u);
    EXPECT_EQ(b.masters[0].answers[0].value, 0u);
    EXPECT_EQ(b.masters[0].answers[0].status, RegStatus::Unknown);
    ASSERT_EQ(lines.lines.size(), 4u);
    EXPECT_EQ(lines.lines[0], "grbm: host writes unknown register 0x04000 in range none");
    EXPECT_EQ(lines.lines[1], "grbm: host reads unknown register 0x04000 in range none");
    EXPECT_EQ(lines.lines[2], "grbm: host writes unknown register 0x083f8 in range grbm");
    EXPECT_EQ(lines.lines[3].substr(0, 36), "grbm: host writes PA_SC_RASTER_CONFI");
    for (const Counter& counter : stats.counters())
        if (counter.name == "unknown") {
            EXPECT_EQ(*counter.value, 3u);
        }
}

TEST(Grbm, FunctionalAccessesDecodeLikeTheBus) {
    Bench b;
    b.grbm.attach(bus::kSpi, &b.spi);
    b.grbm.attach(bus::kCp, &b.cp);
    RegRequest r = request(0xB830, true, 9);
    r.source = kRegFromCp;
    r.ring = 2;
    b.grbm.write(r);
    ASSERT_EQ(b.spi.seen.size(), 1u);
    EXPECT_EQ(b.spi.seen[0].ring, 2);
    EXPECT_TRUE(b.spi.seen[0].se_broadcast);
    EXPECT_EQ(b.grbm.read(0x8500), 0x8500u * 2);
    EXPECT_EQ(b.grbm.read(0xB8FC), 0u);  // the block does not know it
    EXPECT_EQ(b.grbm.read(0x8502), 0u);  // not a dword
    EXPECT_EQ(b.grbm.read(0x1000000), 0u);
}

TEST(Grbm, OverlappingOrFaultyRangesAreRejected) {
    Spec spec = without_names();
    EXPECT_TRUE(spec.problems().empty());
    spec.ranges.push_back({"extra", 0x8600, 0x87FF, kStore});
    ASSERT_EQ(spec.problems().size(), 2u);
    EXPECT_EQ(spec.problems()[0], "ranges cp and extra overlap at 0x08600");
    EXPECT_THROW(GrbmCore{spec}, std::invalid_argument);
    spec.ranges.back() = {"extra", 0x2000, 0x2002, 9};
    EXPECT_EQ(spec.problems().size(), 2u);
    spec.ranges.back() = {"extra", 0x3F000, 0x40003, kStore};
    EXPECT_EQ(spec.problems().size(), 1u);
}

TEST(Grbm, SoftResetIsAWire) {
    Bench b;
    b.masters[0].todo = {request(si::GRBM_SOFT_RESET, true, 0x5)};
    b.run();
    EXPECT_EQ(b.grbm.soft_reset.latest(), 5u);
}

TEST(Grbm, PausedItTakesNothingNew) {
    Bench b;
    b.grbm.pause();
    b.masters[0].todo = {request(0xB900, true, 1)};
    b.run();
    EXPECT_TRUE(b.spi.seen.empty());
    b.grbm.resume();
    b.run();
    EXPECT_EQ(b.spi.seen.size(), 1u);
    EXPECT_EQ(b.grbm.waiting_for(), "");
}

TEST(Grbm, ResetClearsEverything) {
    Bench b;
    b.masters[0].todo = {request(0x28350, true, 5), request(si::GRBM_GFX_INDEX, true, 0)};
    b.run();
    b.grbm.reset();
    EXPECT_EQ(b.grbm.read(0x28350), 0u);
    EXPECT_EQ(b.grbm.read(si::GRBM_GFX_INDEX), 0xE0000000u);
    EXPECT_TRUE(b.grbm.idle());
}

// Random traffic of both sources: order per source and block, every read answered with its value,
// the same cycles regardless of the order of ticks.
struct Traffic {
    std::vector<Cycle> cycles;
    std::vector<uint32_t> values;
};
Traffic traffic(uint64_t shuffle, unsigned stall) {
    Bench b;
    if (shuffle != 0)
        b.scheduler.shuffle(shuffle);
    if (stall != 0) {
        b.grbm.request[0].random_stall(1, stall);
        b.grbm.request[1].random_stall(2, stall);
        b.spi.request.random_stall(3, stall);
        b.grbm.response[bus::kSpi].random_stall(4, stall);
        b.masters[0].response.random_stall(5, stall);
    }
    std::mt19937 random(5);
    const uint32_t kOffsets[] = {0x8500, 0xB900, 0x28350, 0x8010, 0xC114, 0x2000};
    uint32_t sequence = 0;
    for (Master& master : b.masters)
        for (unsigned i = 0; i < 400; ++i) {
            const uint32_t offset = kOffsets[random() % 6];
            const bool write = random() % 3 != 0;
            ++sequence;
            master.todo.push_back(request(offset, write, sequence, sequence));
        }
    b.run();
    Traffic t;
    for (unsigned source = 0; source < kSources; ++source) {
        Master& master = b.masters[source];
        EXPECT_EQ(master.next, 400u);
        size_t reads = 0;
        for (const RegRequest& r : master.todo)
            reads += r.write ? 0 : 1;
        EXPECT_EQ(master.answers.size(), reads);
        for (const RegResponse& a : master.answers) {
            const RegRequest& r = master.todo[(a.tag - 1) % 400];
            EXPECT_FALSE(r.write);
            if (r.offset != 0x28350 && r.offset != 0x8010) {
                EXPECT_EQ(a.value, r.offset == 0x2000 ? 0 : r.offset * 2);
            }
        }
        t.cycles.insert(t.cycles.end(), master.answered.begin(), master.answered.end());
        for (Block* block : {&b.cp, &b.spi}) {
            uint32_t last = 0;
            for (const RegRequest& r : block->seen) {
                if (r.source != source || !r.write)
                    continue;
                EXPECT_GT(r.value, last);
                last = r.value;
            }
        }
    }
    for (Block* block : {&b.cp, &b.spi}) {
        t.cycles.insert(t.cycles.end(), block->cycles.begin(), block->cycles.end());
        for (const RegRequest& r : block->seen)
            t.values.push_back(r.value);
    }
    EXPECT_TRUE(b.grbm.idle());
    return t;
}

TEST(Grbm, RandomTrafficKeepsOrderAndCyclesUnderAnyTickOrder) {
    for (const unsigned stall : {0u, 30u}) {
        const Traffic plain = traffic(0, stall);
        for (uint64_t seed = 1; seed <= 8; ++seed) {
            const Traffic shuffled = traffic(seed * 31, stall);
            EXPECT_EQ(shuffled.cycles, plain.cycles);
            EXPECT_EQ(shuffled.values, plain.values);
        }
    }
}

// What GrbmOnPins says of a spec; empty: it takes it.
std::string refusal_of_pins(const Spec& spec) {
    gcn::si::GrbmPinCore block;
    Channel<RegRequest> blocks({1, 1}, "blocks");
    try {
        GrbmOnPins grbm(block, spec, gcn::si::grbm_spec());
        for (unsigned port = kFirstBlock; port < bus::kPorts; ++port)
            grbm.to_port[port].connect(blocks);
        grbm.require_ports();
        return "";
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
}

TEST(Grbm, PinsTakeAnyDelayAndRefuseWhatTheBlockBehindThemIsNotMadeFor) {
    Spec spec = gcn::si::grbm_spec();
    spec.request.latency = 7;
    spec.response.latency = 5;
    EXPECT_EQ(refusal_of_pins(spec), "");
    spec.requests_per_cycle = 2;
    EXPECT_EQ(refusal_of_pins(spec), "grbm: the block behind the pins moves one request per cycle");
    spec.requests_per_cycle = 1;
    spec.reads_in_flight = rtl::GrbmPins::kMaxReads + 1;
    EXPECT_EQ(refusal_of_pins(spec),
              "grbm: the block behind the pins has room for 32 reads in flight");
    spec.reads_in_flight = rtl::GrbmPins::kMaxReads;
    spec.ranges.pop_back();
    EXPECT_EQ(refusal_of_pins(spec), "grbm: the block behind the pins has another register map");
}

}  // namespace
}  // namespace archipelago::grbm
