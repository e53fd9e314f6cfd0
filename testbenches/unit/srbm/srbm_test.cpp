// SPDX-License-Identifier: Apache-2.0
// System register bus: decode, order, merges of bytes, back-pressure, what registers without a
// block answer, absent blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "models/common/error.h"
#include "models/gcn/si/front_end.h"
#include "models/srbm/srbm_core.h"
#include "registers/si_bus_map.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"
#include "registers/si_srbm.h"

namespace archipelago::srbm {
namespace {

namespace si = regs::si;
namespace typed = regs::si::typed;

constexpr uint32_t kMissing = 0xC0F0;  // a register that blocks do not have

// GRBM or an engine: keeps what is written, answers reads after a while.
class Block : public Clocked, public RegisterTarget {
  public:
    explicit Block(unsigned delay) : request({2, 1}, "block"), delay_(delay) {
        request.set_consumer(this);
    }
    void connect(Channel<RegResponse>& out) {
        out_ = &out;
        out.set_producer(this);
    }
    bool tick(Cycle now) override {
        bool progress = false;
        if (now < closed_until) {
            wake_at(closed_until);
        } else if (request.can_pop(now)) {
            const RegRequest r = request.pop(now);
            RegResponse a;
            a.tag = r.tag;
            if (r.write)
                write_register(r);
            else
                a.status = read_register(r, a.value) ? RegStatus::Ok : RegStatus::Unknown;
            a.write = r.write;
            if (!r.write || answer_writes)
                waiting_.emplace_back(now + delay_, a);
            wake_at(now + delay_);
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
        registers[r.offset] = r.value;
        return r.offset != kMissing;
    }
    bool read_register(const RegRequest& r, uint32_t& value) override {
        seen.push_back(r);
        value = registers[r.offset];
        return r.offset != kMissing;
    }
    Channel<RegRequest> request;
    std::vector<RegRequest> seen;
    std::map<uint32_t, uint32_t> registers;
    Cycle closed_until = 0;
    bool answer_writes = false;

  private:
    unsigned delay_;
    Channel<RegResponse>* out_ = nullptr;
    std::vector<std::pair<Cycle, RegResponse>> waiting_;
};

// The host or an engine: a list of requests, pushed as fast as they are taken.
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

RegRequest write_of(uint32_t offset, uint32_t value, uint8_t byte_enable = 0xF) {
    RegRequest r;
    r.offset = offset;
    r.write = true;
    r.value = value;
    r.byte_enable = byte_enable;
    return r;
}
RegRequest read_of(uint32_t offset, uint32_t tag = 0) {
    RegRequest r;
    r.offset = offset;
    r.tag = tag;
    return r;
}

Spec with_names() {
    return gcn::si::srbm_spec();
}

struct Bench {
    // `engines`: as many DMA engines as the chip has.
    explicit Bench(const Spec& spec = with_names(), unsigned engines = 2, unsigned delay = 5)
        : srbm(spec), blocks{Block(0), Block(delay), Block(delay), Block(delay), Block(delay)} {
        for (unsigned port = kGrbm; port < kPorts; ++port) {
            if (port >= kDma0 + engines && port <= kDma1)
                continue;
            srbm.to_port[port].connect(blocks[port].request);
            blocks[port].connect(srbm.response[port]);
            scheduler.add(blocks[port]);
        }
        for (unsigned i = 0; i < kSources; ++i) {
            masters[i].out = &srbm.request[i];
            srbm.request[i].set_producer(&masters[i]);
            srbm.to_source[i].connect(masters[i].response);
            scheduler.add(masters[i]);
        }
        scheduler.add(srbm);
    }
    void run(Cycle limit = 100000) {
        for (Master& master : masters)
            master.wake_at(0);
        scheduler.run(limit);
    }
    uint32_t read(uint32_t offset, Source source = kHost) {
        masters[source].todo.push_back(read_of(offset));
        run();
        return masters[source].answers.back().value;
    }
    void write(uint32_t offset, uint32_t value, Source source = kHost) {
        masters[source].todo.push_back(write_of(offset, value));
        run();
    }
    Scheduler scheduler;
    SrbmCore srbm;
    Block blocks[kPorts];
    Master masters[kSources];
};

TEST(Srbm, RequestsReachTheBlockThatOwnsTheRegister) {
    Bench b;
    b.masters[kHost].todo = {write_of(si::CP_RB0_BASE, 1),   write_of(si::DMA0_RB_BASE, 2),
                             write_of(si::DMA1_RB_BASE, 3),  write_of(si::IH_RB_BASE, 4),
                             write_of(si::SRBM_INT_CNTL, 5), write_of(0x28350, 6)};
    b.run();
    const auto offsets = [&](Port port) {
        std::vector<uint32_t> list;
        for (const RegRequest& r : b.blocks[port].seen)
            list.push_back(r.offset);
        return list;
    };
    EXPECT_EQ(offsets(kGrbm),
              (std::vector<uint32_t>{si::CP_RB0_BASE, si::IH_RB_BASE, si::SRBM_INT_CNTL, 0x28350}));
    EXPECT_EQ(offsets(kDma0), (std::vector<uint32_t>{si::DMA0_RB_BASE}));
    EXPECT_EQ(offsets(kDma1), (std::vector<uint32_t>{si::DMA1_RB_BASE}));
    EXPECT_EQ(b.srbm.state().writes[kHost], 6u);
}

TEST(Srbm, EverythingThatGrbmHasIsReachedThroughItAlone) {
    const std::vector<Range> map = gcn::si::srbm_spec().ranges;
    for (const si::BusRange& range : si::kBusRanges)
        for (uint32_t offset = range.start; offset < range.end; offset += 4) {
            const auto owner = std::find_if(map.begin(), map.end(), [&](const Range& r) {
                return offset >= r.start && offset <= r.end;
            });
            ASSERT_NE(owner, map.end()) << std::hex << offset;
            // What GRBM asks SRBM for does not come back to it.
            ASSERT_EQ(owner->port == kGrbm, range.port != si::bus_port::kSrbm)
                << std::hex << offset;
        }
}

TEST(Srbm, CpReachesEverythingThatIsNotGrbms) {
    for (const Range& range : gcn::si::srbm_spec().ranges)
        for (uint32_t offset = range.start; range.port != kGrbm && offset < range.end;
             offset += 4) {
            const auto* const owner = std::find_if(
                std::begin(si::kBusRanges), std::end(si::kBusRanges),
                [&](const si::BusRange& r) { return offset >= r.start && offset <= r.end; });
            ASSERT_NE(owner, std::end(si::kBusRanges)) << std::hex << offset;
            ASSERT_EQ(owner->port, si::bus_port::kSrbm) << std::hex << offset;
        }
}

TEST(Srbm, ReadsComeBackToTheirSourceWithTheirTag) {
    Bench b;
    b.blocks[kGrbm].registers[0x8500] = 11;
    b.blocks[kDma0].registers[si::DMA0_RB_RPTR] = 22;
    b.masters[kHost].todo = {read_of(0x8500, 70), read_of(si::DMA0_RB_RPTR, 71)};
    b.masters[kDma1Engine].todo = {read_of(0x8500, 70)};
    b.run();
    ASSERT_EQ(b.masters[kHost].answers.size(), 2u);
    EXPECT_EQ(b.masters[kHost].answers[0].tag, 70u);
    EXPECT_EQ(b.masters[kHost].answers[0].value, 11u);
    EXPECT_EQ(b.masters[kHost].answers[1].tag, 71u);
    EXPECT_EQ(b.masters[kHost].answers[1].value, 22u);
    ASSERT_EQ(b.masters[kDma1Engine].answers.size(), 1u);
    EXPECT_EQ(b.masters[kDma1Engine].answers[0].tag, 70u);
    EXPECT_TRUE(b.masters[kDma0Engine].answers.empty());
    EXPECT_EQ(b.blocks[kGrbm].seen.back().source, kRegFromDma1);
}

TEST(Srbm, ARequestPassesInTheCycleInWhichItComes) {
    Bench b(with_names(), 2, 5);
    b.masters[kHost].todo = {read_of(0x8500)};
    b.run();
    // Master -> SRBM 1, -> block 1, the block's 5, -> SRBM 1, -> master 1.
    EXPECT_EQ(b.masters[kHost].answered.at(0) - b.masters[kHost].pushed.at(0), 9u);
}

TEST(Srbm, SourcesGetTheirTurns) {
    Bench b;
    for (Master& master : b.masters)
        for (unsigned i = 0; i < 20; ++i)
            master.todo.push_back(write_of(0x8500 + 4 * i, i));
    b.run();
    unsigned run = 1;
    const std::vector<RegRequest>& seen = b.blocks[kGrbm].seen;
    ASSERT_EQ(seen.size(), 80u);
    for (size_t i = 1; i < 30; ++i) {
        run = seen[i].source == seen[i - 1].source ? run + 1 : 1;
        EXPECT_LT(run, 3u) << i;
    }
}

TEST(Srbm, ABlockThatRefusesHoldsItsSourceAlone) {
    Bench b;
    b.blocks[kDma0].closed_until = 200;
    for (unsigned i = 0; i < 10; ++i)
        b.masters[kHost].todo.push_back(write_of(si::DMA0_RB_WPTR, i));
    b.masters[kDma1Engine].todo = {write_of(0x8500, 1), read_of(0x8500)};
    b.run();
    EXPECT_LT(b.masters[kDma1Engine].answered.at(0), 20u);
    EXPECT_EQ(b.blocks[kDma0].seen.size(), 10u);
    EXPECT_GT(b.srbm.state().stalls[kHost].counter(Stall::Port)[0], 150u);
    EXPECT_EQ(b.srbm.state().stalls[kDma1Engine].counter(Stall::Port)[0], 0u);
}

TEST(Srbm, ReadsInFlightAreBounded) {
    Spec spec = with_names();
    spec.reads_in_flight = 2;
    Bench b(spec, 2, 50);
    for (unsigned i = 0; i < 6; ++i)
        b.masters[kHost].todo.push_back(read_of(0x8500, i));
    b.run();
    ASSERT_EQ(b.masters[kHost].answers.size(), 6u);
    EXPECT_GT(b.masters[kHost].answered[2] - b.masters[kHost].answered[1], 40u);
    EXPECT_GT(b.srbm.state().stalls[kHost].counter(Stall::Response)[0], 40u);
}

TEST(Srbm, ReadsThatABlockDoesNotAnswerHoldTheirSourceAlone) {
    Spec spec = with_names();
    spec.reads_in_flight = 2;
    Bench b(spec);
    b.blocks[kDma0].closed_until = 200;
    for (unsigned i = 0; i < 4; ++i)
        b.masters[kDma1Engine].todo.push_back(read_of(si::DMA0_STATUS_REG, i));
    for (unsigned i = 0; i < 4; ++i)
        b.masters[kHost].todo.push_back(read_of(0x8500, i));
    b.run();
    EXPECT_LT(b.masters[kHost].answered.at(3), 40u);
    EXPECT_GT(b.masters[kDma1Engine].answered.at(3), 200u);
}

TEST(Srbm, AnswersToWritesAreDropped) {
    Bench b;
    b.blocks[kGrbm].answer_writes = true;
    b.masters[kHost].todo = {write_of(0x8500, 1), read_of(0x8500, 9)};
    b.run();
    ASSERT_EQ(b.masters[kHost].answers.size(), 1u);
    EXPECT_EQ(b.masters[kHost].answers[0].tag, 9u);
}

TEST(Srbm, AnUnsolicitedAnswerStops) {
    Bench b;
    b.srbm.response[kDma0].push(0, RegResponse{});
    EXPECT_THROW(b.run(), MachineStop);
}

// ---- bytes --------------------------------------------------------------------------------------

TEST(Srbm, AWriteOfSomeBytesReadsTheOthers) {
    Bench b;
    for (const uint32_t offset : {uint32_t{0x8500}, si::DMA0_CNTL, si::VM_CONTEXT0_CNTL}) {
        b.masters[kDma1Engine].todo = {write_of(offset, 0x11223344),
                                       write_of(offset, 0xAABBCCDD, 0b0101),
                                       write_of(offset, 0xEEEEEEEE, 0), read_of(offset, 1)};
        b.masters[kDma1Engine].next = 0;
        b.masters[kDma1Engine].answers.clear();
        b.run();
        ASSERT_EQ(b.masters[kDma1Engine].answers.size(), 1u);
        EXPECT_EQ(b.masters[kDma1Engine].answers[0].value, 0x11BB33DDu) << std::hex << offset;
    }
    EXPECT_EQ(b.srbm.state().merges, 3u);
    EXPECT_EQ(b.srbm.state().writes[kDma1Engine], 9u);
    for (const Block& block : b.blocks)
        for (const RegRequest& r : block.seen)
            EXPECT_EQ(r.byte_enable, 0xF) << "ports see whole registers";
}

TEST(Srbm, WhatIsBehindAMergeOfItsSourceWaitsAndOthersPass) {
    Bench b(with_names(), 2, 30);
    b.masters[kDma0Engine].todo = {write_of(0x8500, 0xFF, 0b0001), write_of(0x8504, 1)};
    b.masters[kDma1Engine].todo = {write_of(0x8508, 2)};
    b.run();
    const std::vector<RegRequest>& seen = b.blocks[kGrbm].seen;
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_FALSE(seen[0].write);
    EXPECT_EQ(seen[1].offset, 0x8508u);
    EXPECT_EQ(seen[2].offset, 0x8500u);
    EXPECT_EQ(seen[3].offset, 0x8504u);
    EXPECT_GT(b.srbm.state().stalls[kDma0Engine].counter(Stall::Port)[0], 25u);
}

TEST(Srbm, AMergeThatWasBegunEndsWhileDraining) {
    Bench b(with_names(), 2, 30);
    b.masters[kHost].todo = {write_of(0x8500, 0xFF, 0b0001), write_of(0x8504, 1)};
    b.run(5);
    b.srbm.drain();
    b.run();
    EXPECT_TRUE(b.srbm.idle());
    EXPECT_EQ(b.blocks[kGrbm].seen.size(), 2u);
    b.srbm.resume();
    b.run();
    EXPECT_EQ(b.blocks[kGrbm].seen.size(), 3u);
}

// ---- registers kept here ------------------------------------------------------------------------

TEST(Srbm, StatusRegistersAreMadeOfBusyWires) {
    Bench b;
    Wire<bool> dma, memory;
    b.srbm.add_busy(si::SRBM_STATUS2, 5, &dma);
    b.srbm.add_busy(si::SRBM_STATUS, 9, &memory);
    EXPECT_EQ(b.read(si::SRBM_STATUS), 0u);
    dma.set(b.scheduler.now(), true);
    memory.set(b.scheduler.now(), true);
    b.write(si::SRBM_STATUS2, 0);
    EXPECT_EQ(b.read(si::SRBM_STATUS), 1u << 9);
    EXPECT_EQ(b.read(si::SRBM_STATUS2), 1u << 5);
    EXPECT_EQ(b.read(si::SRBM_STATUS2_EC4), 1u << 5) << "where the radeon driver looks";
    EXPECT_EQ(b.srbm.read(read_of(si::SRBM_STATUS2)), 1u << 5);
}

TEST(Srbm, SoftResetIsAWire) {
    Bench b;
    const uint32_t bits = typed::SRBM_SOFT_RESET{}.set_SOFT_RESET_DMA(1).set_SOFT_RESET_DMA1(1).raw;
    EXPECT_EQ(bits, 1u << 20 | 1u << 6);
    b.write(si::SRBM_SOFT_RESET, bits);
    EXPECT_EQ(b.srbm.soft_reset.latest(), bits);
    EXPECT_EQ(b.read(si::SRBM_SOFT_RESET), bits);
    b.srbm.write(write_of(si::SRBM_SOFT_RESET, 0));
    EXPECT_EQ(b.srbm.soft_reset.latest(), 0u);
}

TEST(Srbm, WhatDriversWaitForIsDone) {
    Bench b;
    b.write(si::VM_INVALIDATE_REQUEST, 1u << 1);
    EXPECT_EQ(b.read(si::VM_INVALIDATE_REQUEST), 0u);
    b.write(si::VM_INVALIDATE_REQUEST, 1u << 3, kDma0Engine);
    EXPECT_EQ(b.read(si::VM_INVALIDATE_RESPONSE), 1u << 1 | 1u << 3);
    b.write(si::VM_INVALIDATE_RESPONSE, 0);
    EXPECT_EQ(b.read(si::VM_INVALIDATE_RESPONSE), 1u << 1 | 1u << 3) << "read only";
    b.write(si::HDP_MEM_COHERENCY_FLUSH_CNTL, 1);
    EXPECT_EQ(b.read(si::HDP_MEM_COHERENCY_FLUSH_CNTL), 0u);
    b.write(si::MC_SEQ_TRAIN_WAKEUP_CNTL, 0x5);
    EXPECT_EQ(b.read(si::MC_SEQ_TRAIN_WAKEUP_CNTL), 0xC0000005u);
    EXPECT_EQ(b.read(si::SPLL_STATUS), 2u);
    EXPECT_EQ(b.read(si::MC_HUB_MISC_STATUS), 0u);
    EXPECT_EQ(b.read(si::VM_L2_STATUS), 0u);
}

TEST(Srbm, RegistersOfTheChipStartAsItSays) {
    Spec spec = with_names();
    spec.resets = {{si::CONFIG_MEMSIZE, 3072}};
    Bench b(spec);
    EXPECT_EQ(b.read(si::CONFIG_MEMSIZE), 3072u);
    b.write(si::CONFIG_MEMSIZE, 1);
    b.srbm.reset();
    EXPECT_EQ(b.read(si::CONFIG_MEMSIZE), 3072u);
}

// ---- bad input ----------------------------------------------------------------------------------

TEST(Srbm, UnknownOffsetsAreCountedReportedAndReadAsZero) {
    Bench b;
    EventLink<ReadError> errors(1);
    b.srbm.to_read_errors.connect(errors);
    b.masters[kDma0Engine].todo = {read_of(0x4000, 1),  read_of(0x0FFC, 2), read_of(0x3FFFC, 3),
                                   read_of(0x40000, 4), read_of(0x0E51, 5), write_of(0x4000, 1)};
    b.run();
    ASSERT_EQ(b.masters[kDma0Engine].answers.size(), 5u);
    for (const RegResponse& a : b.masters[kDma0Engine].answers) {
        EXPECT_EQ(a.status, RegStatus::Unknown);
        EXPECT_EQ(a.value, 0u);
    }
    EXPECT_EQ(b.srbm.state().unknown, 6u);
    ASSERT_EQ(errors.stored(), 5u);
    const ReadError error = errors.take();
    EXPECT_EQ(error.offset, 0x4000u);
    EXPECT_EQ(error.source, kRegFromDma0);
}

TEST(Srbm, RegistersOfAnEngineThatIsNotThereReadZeroAndStopByName) {
    Bench b(with_names(), 1);
    EXPECT_EQ(b.read(si::DMA1_STATUS_REG), 0u);
    EXPECT_EQ(b.masters[kHost].answers.back().status, RegStatus::Ok);
    EXPECT_EQ(b.srbm.read(read_of(si::DMA1_STATUS_REG)), 0u);
    const auto reason = [&](auto&& access) -> std::string {
        try {
            access();
        } catch (const MachineStop& stop) {
            return stop.what();
        }
        return "none";
    };
    EXPECT_NE(reason([&] {
                  b.write(si::DMA1_RB_CNTL, 1);
              }).find("DMA1_RB_CNTL: this chip has no DMA engine 1"),
              std::string::npos);
    EXPECT_NE(reason([&] {
                  b.srbm.write(write_of(si::DMA1_RB_CNTL, 1, 0b0011));
              }).find("DMA1_RB_CNTL: this chip has no DMA engine 1"),
              std::string::npos);
}

TEST(Srbm, FaultySpecsAreRejected) {
    const auto problem = [](auto&& change) {
        Spec spec = with_names();
        change(spec);
        try {
            SrbmCore core(spec);
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    const auto contains = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    EXPECT_EQ(problem([](Spec&) {}), "none");
    EXPECT_TRUE(contains(problem([](Spec& s) {
                             s.ranges.push_back({"x", 0x8000, 0x8003});
                         }),
                         "overlap at 0x08000"));
    EXPECT_TRUE(contains(problem([](Spec& s) {
                             s.ranges.push_back({"x", 0x4000, 0x4001});
                         }),
                         "not a range of dwords"));
    EXPECT_TRUE(contains(problem([](Spec& s) {
                             s.ranges.push_back({"x", 0x4000, 0x4003, kPorts});
                         }),
                         "no port"));
    EXPECT_TRUE(contains(problem([](Spec& s) {
                             s.rules.push_back({0x8000, Answer::Ready});
                         }),
                         "0x08000 is not kept here"));
    EXPECT_TRUE(contains(problem([](Spec& s) {
                             s.rules.push_back({0xE40, Answer::AtOnce, 0, 0x8000});
                         }),
                         "0x08000 is not kept here"));
    EXPECT_TRUE(contains(problem([](Spec& s) {
                             s.resets.push_back({0x4000, 1});
                         }),
                         "0x04000 is not kept here"));
    EXPECT_TRUE(contains(problem([](Spec& s) { s.reads_in_flight = 0; }), "reads_in_flight"));
    EXPECT_TRUE(contains(problem([](Spec& s) { s.requests_per_cycle = 0; }), "requests_per_cycle"));
}

// ---- both modes, any order of ticks -------------------------------------------------------------

TEST(Srbm, FunctionalAccessesDecodeLikeTheBus) {
    Bench b;
    for (unsigned port = kGrbm; port < kPorts; ++port)
        b.srbm.attach(port, &b.blocks[port]);
    b.srbm.write(write_of(0x8500, 0x11223344));
    b.srbm.write(write_of(0x8500, 0xAABBCCDD, 0b1000));
    EXPECT_EQ(b.srbm.read(read_of(0x8500)), 0xAA223344u);
    RegRequest engine = write_of(si::DMA0_CNTL, 7);
    engine.source = kRegFromDma1;
    b.srbm.write(engine);
    EXPECT_EQ(b.blocks[kDma0].registers[si::DMA0_CNTL], 7u);
    EXPECT_EQ(b.srbm.state().writes[kDma1Engine], 1u);
    std::vector<ReadError> errors;
    b.srbm.on_read_error = [&](const ReadError& error) { errors.push_back(error); };
    EXPECT_EQ(b.srbm.read(read_of(0x4000)), 0u);
    EXPECT_EQ(b.srbm.read(read_of(0x8501)), 0u);
    EXPECT_EQ(errors.size(), 2u);
}

constexpr uint32_t kHole = 0x4000;  // where SI has no registers

struct Traffic {
    std::vector<RegRequest> todo[kSources];
    std::vector<uint32_t> answers[kSources];
    std::map<uint32_t, uint32_t> registers[kPorts];
};

// Each source has registers of its own everywhere, so that its accesses have one outcome.
Traffic random_traffic(uint64_t seed) {
    constexpr uint32_t kPlaces[kPorts] = {si::VM_CONTEXT0_PAGE_TABLE_BASE_ADDR, 0x8500,
                                          si::DMA0_RB_CNTL, si::DMA1_RB_CNTL, kHole};
    std::mt19937_64 random(seed);
    Traffic t;
    for (unsigned source = 0; source < kSources; ++source)
        for (unsigned i = 0; i < 200; ++i) {
            const auto port = static_cast<Port>(random() % kPorts);
            const uint32_t offset = kPlaces[port] + 4 * (2 * source + random() % 2);
            uint32_t& value = t.registers[port][offset];
            if (random() % 3 == 0) {
                t.todo[source].push_back(read_of(offset, i));
                t.answers[source].resize(i + 1);
                t.answers[source][i] = value;
                continue;
            }
            const auto enable = static_cast<uint8_t>(random() % 2 != 0 ? 0xF : random() % 16);
            const auto written = static_cast<uint32_t>(random());
            t.todo[source].push_back(write_of(offset, written, enable));
            for (unsigned byte = 0; byte < 4; ++byte)
                if ((enable >> byte & 1) != 0)
                    value = (value & ~(0xFFu << 8 * byte)) | (written & 0xFFu << 8 * byte);
        }
    return t;
}

// The last cycle of the run, which no order of ticks may change.
Cycle check_traffic(uint64_t seed, uint64_t shuffle, unsigned stall_percent) {
    const Traffic t = random_traffic(seed);
    Spec spec = with_names();
    spec.database = nullptr;
    spec.ranges.push_back({"ih", kHole, kHole + 0xFF, kIh});
    spec.reads_in_flight = 1 + seed % 4;
    spec.requests_per_cycle = 1 + seed % 2;
    Bench b(spec, 2, 1 + seed % 7);
    b.scheduler.shuffle(shuffle);
    for (unsigned i = 0; i < kSources; ++i) {
        b.masters[i].todo = t.todo[i];
        b.srbm.request[i].random_stall(seed * 3 + i, stall_percent);
        b.masters[i].response.random_stall(seed * 5 + i, stall_percent);
    }
    for (unsigned i = kGrbm; i < kPorts; ++i) {
        b.blocks[i].request.random_stall(seed * 7 + i, stall_percent);
        b.srbm.response[i].random_stall(seed * 11 + i, stall_percent);
    }
    b.run();
    EXPECT_TRUE(b.srbm.idle());
    for (unsigned i = 0; i < kSources; ++i) {
        const auto reads = std::count_if(t.todo[i].begin(), t.todo[i].end(),
                                         [](const RegRequest& r) { return !r.write; });
        EXPECT_EQ(b.masters[i].answers.size(), static_cast<size_t>(reads));
        for (const RegResponse& a : b.masters[i].answers)
            EXPECT_EQ(a.value, t.answers[i][a.tag]) << "seed " << seed << " tag " << a.tag;
    }
    for (const auto& [offset, value] : t.registers[kSelf])
        EXPECT_EQ(b.srbm.read(read_of(offset)), value) << std::hex << offset;
    for (unsigned port = kGrbm; port < kPorts; ++port)
        for (const auto& [offset, value] : t.registers[port])
            EXPECT_EQ(b.blocks[port].registers[offset], value) << std::hex << offset;
    Cycle last = 0;
    for (const Master& master : b.masters)
        last = std::max(last, master.answered.empty() ? 0 : master.answered.back());
    return last;
}

TEST(Srbm, RandomTrafficKeepsOrderAndCyclesUnderAnyTickOrder) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
        const unsigned stall = seed % 3 == 0 ? 0 : 30;
        const Cycle cycles = check_traffic(seed, 1, stall);
        for (const uint64_t shuffle : {uint64_t{7}, uint64_t{99}})
            EXPECT_EQ(check_traffic(seed, shuffle, stall), cycles) << "seed " << seed;
        if (HasFailure())
            return;
    }
}

// ---- Control ------------------------------------------------------------------------------------

TEST(Srbm, PausedItTakesNothingNew) {
    Bench b;
    b.srbm.pause();
    b.masters[kHost].todo = {write_of(0x8500, 1)};
    b.run();
    EXPECT_TRUE(b.blocks[kGrbm].seen.empty());
    EXPECT_EQ(b.srbm.waiting_for(),
              "system register bus: write of host to 0x08500 waits for graphics");
    b.srbm.resume();
    b.run();
    EXPECT_EQ(b.blocks[kGrbm].seen.size(), 1u);
    EXPECT_EQ(b.srbm.waiting_for(), "");
}

TEST(Srbm, CountersHaveTheirSource) {
    Bench b;
    StatsRegistry stats;
    b.srbm.register_stats(stats, "srbm");
    b.write(0x8500, 1, kDma1Engine);
    const auto counter = std::find_if(stats.counters().begin(), stats.counters().end(),
                                      [](const Counter& c) { return c.name == "dma1_writes"; });
    ASSERT_NE(counter, stats.counters().end());
    EXPECT_EQ(*counter->value, 1u);
    EXPECT_EQ(counter->unit_path, "srbm");
}

}  // namespace
}  // namespace archipelago::srbm
