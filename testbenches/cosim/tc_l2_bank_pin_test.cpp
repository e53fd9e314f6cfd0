// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <vector>

#include "models/common/memory_message.h"
#include "models/mc/address_map.h"
#include "models/tc/tc_l2_bank_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using Pins = TcL2BankPins;
using testing::IsEmpty;

constexpr uint64_t kAll = ~uint64_t{0};
constexpr uint32_t kWriteBack = tc::kTccWriteBackTag;
constexpr uint32_t kThrough = tc::kTccWriteThroughTag;

Pins::Data filled(uint32_t word) {
    Pins::Data data;
    data.fill(word);
    return data;
}

// A channel of one set of sixteen lines; messages are kept as they come, memory answers by hand.
class L2PinsTest : public OnPins<TcL2BankPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        Pins::Config& c = in_.cfg;
        c.channel = 7;
        c.set_mask = 0;
        c.hit = 5;
        c.fill = 3;
        c.ack = 2;
        restart();
    }
    void restart() {
        in_.rst = 1;
        step();
        in_.rst = 0;
        in_.answer_ready = in_.down_ready = in_.done_ready = 1;
        in_.fabric_mapped = 1;
    }
    // One cycle; what left is kept with its cycle.
    const Pins::Out& cycle() {
        step();
        ++now_;
        if (out_.answer_valid != 0)
            answers_.push_back({now_, out_.answer.tag, out_.answer.status, out_.answer.data});
        if (out_.down_valid != 0)
            downs_.push_back(out_.down);
        return out_;
    }
    void run(unsigned cycles) {
        for (; cycles > 0; --cycles)
            cycle();
    }
    Pins::Request request(MemCommand command, uint64_t line, uint64_t mask, uint32_t word = 0) {
        Pins::Request r;
        r.command = static_cast<uint8_t>(command);
        r.line = line;
        r.mask = mask;
        r.atomic = static_cast<uint8_t>(AtomicOp::None);
        r.bytes = 4;
        r.returns = 1;
        r.tag = ++tag_;
        r.data = filled(word);
        return r;
    }
    Pins::Request read(uint64_t line, uint64_t mask = kAll) {
        return request(MemCommand::Read, line, mask);
    }
    Pins::Request write(uint64_t line, uint64_t mask, uint32_t word) {
        return request(MemCommand::Write, line, mask, word);
    }
    // Until it is taken; the cycle in which it was.
    uint64_t send(const Pins::Request& r) {
        in_.fabric = r;
        in_.fabric_valid = 1;
        for (unsigned n = 0; n < 100; ++n) {
            if (cycle().fabric_ready != 0) {
                in_.fabric_valid = 0;
                return now_;
            }
        }
        in_.fabric_valid = 0;
        ADD_FAILURE() << "not taken";
        return 0;
    }
    void memory(uint32_t tag, uint32_t word = 0, MemStatus status = MemStatus::Ok) {
        in_.memory_tag = tag;
        in_.memory_status = static_cast<uint8_t>(status);
        in_.memory_data = filled(word);
        in_.memory_valid = 1;
        EXPECT_EQ(cycle().memory_ready, 1);
        in_.memory_valid = 0;
    }
    // A line that memory has brought.
    void fetch(uint64_t line, uint32_t word) {
        send(read(line));
        run(1);
        ASSERT_FALSE(downs_.empty());
        memory(downs_.back().tag, word);
        run(10);
        answers_.clear();
        downs_.clear();
    }
    struct Answer {
        uint64_t at;
        uint32_t tag;
        uint8_t status;
        Pins::Data data;
    };
    uint64_t now_ = 0;
    uint32_t tag_ = 100;
    std::vector<Answer> answers_;
    std::vector<Pins::Request> downs_;
};

TEST_P(L2PinsTest, MissSendsForTheLineAndAnswersTheFillLatencyBehindIt) {
    const Pins::Request r = read(0x1234);
    send(r);
    EXPECT_EQ(out_.fetch_valid, 1);
    EXPECT_EQ(out_.down_valid, 1) << "an empty queue is no delay";
    ASSERT_EQ(downs_.size(), 1u);
    EXPECT_EQ(downs_[0].line, 0x1234u);
    EXPECT_EQ(downs_[0].mask, kAll);
    EXPECT_EQ(downs_[0].tag, 0u) << "the first MSHR";
    EXPECT_EQ(downs_[0].source, 7);
    EXPECT_EQ(downs_[0].client, static_cast<uint8_t>(Client::L2));
    run(20);
    EXPECT_THAT(answers_, IsEmpty());
    memory(0, 0xabcd);
    const uint64_t came = now_;
    run(10);
    ASSERT_EQ(answers_.size(), 1u);
    EXPECT_EQ(answers_[0].at, came + 3);
    EXPECT_EQ(answers_[0].tag, r.tag);
    EXPECT_EQ(answers_[0].data, filled(0xabcd));
}

TEST_P(L2PinsTest, HitsAreAnsweredOneACycleTheHitLatencyBehindThem) {
    fetch(3, 17);
    const uint64_t first = send(read(3));
    for (unsigned n = 1; n < 4; ++n)
        EXPECT_EQ(send(read(3)), first + n);
    run(10);
    ASSERT_EQ(answers_.size(), 4u);
    for (unsigned n = 0; n < 4; ++n)
        EXPECT_EQ(answers_[n].at, first + n + 5);
    EXPECT_THAT(downs_, IsEmpty());
}

TEST_P(L2PinsTest, MshrFreedLastIsTakenFirstAndNoneIsTakenTwice) {
    in_.cfg.mshrs = 3;
    restart();
    for (uint64_t line = 0; line < 3; ++line)
        send(read(line));
    run(2);
    memory(1);
    memory(0);
    send(read(10));
    send(read(11));
    run(2);
    ASSERT_EQ(downs_.size(), 5u);
    EXPECT_EQ(downs_[3].tag, 0u);
    EXPECT_EQ(downs_[4].tag, 1u);
    in_.fabric = read(12);
    in_.fabric_valid = 1;
    EXPECT_EQ(cycle().fabric_ready, 0);
    EXPECT_EQ(out_.stall, static_cast<uint8_t>(tc::TccStall::Mshr));
    run(3);
    EXPECT_EQ(out_.fabric_ready, 0);
    in_.memory_valid = 1;
    in_.memory_tag = 2;
    EXPECT_EQ(cycle().fabric_ready, 1) << "in the cycle in which one is freed";
    EXPECT_EQ(out_.fetch_miss, 2);
}

TEST_P(L2PinsTest, WriteThroughIsAnsweredWhenMemoryHas) {
    Pins::Request w = write(6, 0xf0, 3);
    w.through = 1;
    send(w);
    run(20);
    EXPECT_THAT(answers_, IsEmpty());
    ASSERT_EQ(downs_.size(), 1u);
    EXPECT_EQ(downs_[0].tag, kThrough);
    EXPECT_EQ(downs_[0].mask, 0xf0u);
    EXPECT_EQ(downs_[0].through, 1);
    memory(kThrough, 0, MemStatus::Unmapped);
    const uint64_t came = now_;
    run(5);
    ASSERT_EQ(answers_.size(), 1u);
    EXPECT_EQ(answers_[0].at, came + 2);
    EXPECT_EQ(answers_[0].tag, w.tag);
    EXPECT_EQ(answers_[0].status, static_cast<uint8_t>(MemStatus::Unmapped));
    EXPECT_EQ(out_.idle, 1);
}

TEST_P(L2PinsTest, AtomicKeepsThePipelineForItsCycles) {
    in_.cfg.atomic = 4;
    restart();
    fetch(1, 1);
    Pins::Request a = request(MemCommand::Atomic, 1, kAll, 1);
    a.atomic = static_cast<uint8_t>(AtomicOp::Add);
    const uint64_t at = send(a);
    EXPECT_EQ(out_.event.atomic_operands, 16);
    EXPECT_EQ(out_.event.busy_cycles, 4);
    EXPECT_EQ(send(read(1)), at + 4);
}

TEST_P(L2PinsTest, PausedItTakesNothingNewAndFinishesWhatIsOut) {
    send(read(1));
    run(2);
    in_.pause = 1;
    in_.fabric = read(2);
    in_.fabric_valid = 1;
    run(3);
    EXPECT_EQ(out_.fabric_ready, 0);
    memory(0, 8);
    run(5);
    EXPECT_EQ(answers_.size(), 1u);
    in_.pause = 0;
    EXPECT_EQ(cycle().fabric_ready, 1);
}

TEST_P(L2PinsTest, SaysWhatItHoldsAndWhetherItOnlyWaits) {
    run(1);
    EXPECT_EQ(out_.idle, 1);
    EXPECT_EQ(out_.waits, 1);
    in_.down_ready = 0;
    send(read(1));
    EXPECT_EQ(out_.idle, 0);
    EXPECT_EQ(out_.waits, 0);
    in_.down_ready = 1;
    run(1);
    EXPECT_EQ(out_.idle, 0);
    EXPECT_EQ(out_.waits, 1) << "memory has the request";
    memory(0, 8);
    EXPECT_EQ(out_.waits, 0);
    run(3);
    EXPECT_EQ(out_.idle, 1);
}

TEST_P(L2PinsTest, AnswersThatCannotBeAreErrors) {
    const auto error_of = [&](uint32_t tag, MemStatus status) {
        in_.memory_tag = tag;
        in_.memory_status = static_cast<uint8_t>(status);
        in_.memory_valid = 1;
        const uint8_t error = cycle().error;
        EXPECT_EQ(out_.memory_ready, 0);
        in_.memory_valid = 0;
        restart();
        return error;
    };
    EXPECT_EQ(error_of(0, MemStatus::Ok), Pins::kUnknownFill);
    EXPECT_EQ(error_of(1000, MemStatus::Ok), Pins::kUnknownFill);
    EXPECT_EQ(error_of(kWriteBack, MemStatus::Ok), Pins::kUnknownWriteBack);
    EXPECT_EQ(error_of(kWriteBack | 2, MemStatus::Ok), Pins::kUnknownWriteBack);
    EXPECT_EQ(error_of(kWriteBack, MemStatus::Unmapped), Pins::kRefusedWriteBack);
    EXPECT_EQ(error_of(kThrough, MemStatus::Ok), Pins::kUnknownWriteThrough);
    EXPECT_EQ(error_of(kThrough | kWriteBack, MemStatus::Ok), Pins::kForeignTag);
}

TEST_P(L2PinsTest, AHashSpreadsLinesThatAreAWholeCacheApart) {
    in_.cfg.tahiti = 1;
    in_.cfg.set_mask = 63;
    in_.cfg.set_hash = 12;
    restart();
    const mc::ChannelMap map(tc::map_from_pins(in_.cfg));
    for (uint64_t n = 0; n < 1024; ++n) {
        send(write(map.global_address(5, n * 4096) / kLineBytes, 1, 1));
        ASSERT_EQ(out_.event.evictions, 0) << n;
    }
    send(write(map.global_address(5, 1024 * 4096) / kLineBytes, 1, 1));
    EXPECT_EQ(out_.event.evictions, 1);
}

INSTANTIATE_TEST_SUITE_P(On, L2PinsTest,
                         testing::ValuesIn(core_and_rtl<TcL2BankPins, tc::TcL2BankCore>()), kName);

TEST(L2ConfigurationOnPins, ComesBackAsItWas) {
    tc::TccSpec spec;
    spec.geometry = {32, 16, 21};
    spec.mshrs = 9;
    spec.waiting_requests = 10;
    spec.response_entries = 11;
    spec.memory_entries = 12;
    spec.write_through_entries = 13;
    spec.walk_lines_per_cycle = 14;
    spec.hit_latency = 15;
    spec.fill_latency = 16;
    spec.ack_latency = 17;
    spec.atomic_cycles = 18;
    mc::ChannelMapSpec map;
    map.channels = 16;
    map.interleave_bytes = 512;
    const Pins::Config c = tc::config_to_pins(spec, map, 3);
    EXPECT_EQ(tc::config_to_pins(tc::spec_from_pins(c), tc::map_from_pins(c), 3), c);
    EXPECT_EQ(tc::spec_from_pins(c).mshrs, 9u);
    EXPECT_EQ(tc::map_from_pins(c).interleave_bytes, 512u);
    EXPECT_EQ(tc::map_from_pins(c).channels, 16u);
}

TEST(L2ConfigurationOnPins, APowerOfTwoOfTahitisChannelsIsAMapOfBits) {
    mc::ChannelMapSpec map;
    map.kind = mc::ChannelMapKind::Tahiti;
    map.channels = 12;
    EXPECT_EQ(tc::config_to_pins({}, map, 0).tahiti, 1);
    map.channels = 8;
    EXPECT_EQ(tc::config_to_pins({}, map, 0).tahiti, 0);
    EXPECT_EQ(tc::config_to_pins({}, map, 0).channel_bits, 3);
}

TEST(L2ConfigurationOnPins, RefusesWhatTheVerilogHasNoRoomForByName) {
    const auto refused = [](auto change) -> std::string {
        tc::TccSpec spec;
        change(spec);
        try {
            tc::config_to_pins(spec, {}, 0);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "taken";
    };
    using testing::HasSubstr;
    EXPECT_EQ(refused([](tc::TccSpec&) {}), "taken");
    EXPECT_THAT(refused([](tc::TccSpec& s) { s.mshrs = 129; }), HasSubstr("tcc.mshrs 129: "));
    EXPECT_THAT(refused([](tc::TccSpec& s) { s.geometry.sets = 256; }),
                HasSubstr("tcc.size 262144: "));
    EXPECT_THAT(refused([](tc::TccSpec& s) { s.geometry.ways = 8; }), HasSubstr("tcc.ways 8: "));
    EXPECT_THAT(refused([](tc::TccSpec& s) { s.waiting_requests = 999; }), HasSubstr("waiting"));
    EXPECT_THAT(refused([](tc::TccSpec& s) { s.walk_lines_per_cycle = 32; }), HasSubstr("walk"));
    EXPECT_THAT(refused([](tc::TccSpec& s) { s.hit_latency = 256; }), HasSubstr("hit_latency"));
    EXPECT_THAT(refused([](tc::TccSpec& s) { s.ack_latency = 0; }), HasSubstr("ack_latency"));
}

}  // namespace
}  // namespace archipelago::rtl
