// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "models/common/memory_message.h"
#include "models/tc/tc_l2_bank_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using Pins = TcL2BankPins;
using testing::ElementsAre;
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
        if (out_.done_valid != 0)
            dones_.push_back(out_.done_tag);
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
    void act(bool writeback, bool invalidate, uint64_t base, uint64_t size) {
        in_.action.writeback = writeback;
        in_.action.invalidate = invalidate;
        in_.action.base = base;
        in_.action.size = size;
        in_.action.tag = 99;
        in_.action_valid = 1;
        EXPECT_EQ(cycle().action_ready, 1);
        in_.action_valid = 0;
    }
    // Of one dword at the beginning of the line.
    uint32_t atomic(AtomicOp op, uint32_t there, uint32_t operand, uint32_t compare = 0) {
        send(write(1, 0xf, there));
        Pins::Request r = request(MemCommand::Atomic, 1, 0xf, operand);
        r.atomic = static_cast<uint8_t>(op);
        r.compare = compare;
        send(r);
        send(read(1, 0xf));
        run(10);
        EXPECT_EQ(answers_[answers_.size() - 2].data[0], there) << "the old value comes back";
        return answers_.back().data[0];
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
    std::vector<uint32_t> dones_;
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

TEST_P(L2PinsTest, WriteTakesALineWithoutFetchingAndKeepsItsBytesOverThoseOfMemory) {
    send(write(9, 0xff, 0x11111111));
    run(10);
    EXPECT_THAT(downs_, IsEmpty());
    send(read(9, 0xf0));
    EXPECT_EQ(out_.event.read_hits, 1);
    run(10);
    EXPECT_THAT(downs_, IsEmpty()) << "all bytes asked for are here";
    send(read(9));
    EXPECT_EQ(out_.event.partial_fills, 1);
    run(1);
    ASSERT_EQ(downs_.size(), 1u);
    memory(downs_[0].tag, 0x22222222);
    run(10);
    Pins::Data both = filled(0x22222222);
    both[0] = both[1] = 0x11111111;
    EXPECT_EQ(answers_.back().data, both);
}

TEST_P(L2PinsTest, ReplacesTheLineTouchedLongestAgoAndSendsItsDirtyBytesOnly) {
    for (uint64_t line = 0; line < 16; ++line)
        send(write(line, 0xff00, 5));
    send(read(0, 0xff00));  // 1 is the oldest now
    run(10);
    EXPECT_THAT(downs_, IsEmpty());
    send(write(100, 1, 6));
    EXPECT_EQ(out_.event.evictions, 1);
    run(2);
    ASSERT_EQ(downs_.size(), 1u);
    EXPECT_EQ(downs_[0].line, 1u);
    EXPECT_EQ(downs_[0].mask, 0xff00u);
    EXPECT_EQ(downs_[0].tag, kWriteBack);
}

TEST_P(L2PinsTest, StreamingLinesGoFirst) {
    for (uint64_t line = 0; line < 16; ++line) {
        Pins::Request w = write(line, 1, 5);
        w.slc = line == 11 || line == 13 ? 1 : 0;
        send(w);
    }
    send(write(100, 1, 6));
    send(write(101, 1, 6));
    send(write(102, 1, 6));
    run(5);
    ASSERT_EQ(downs_.size(), 3u);
    EXPECT_EQ(downs_[0].line, 11u);
    EXPECT_EQ(downs_[1].line, 13u);
    EXPECT_EQ(downs_[2].line, 0u);
}

TEST_P(L2PinsTest, RequestsOfALineOnItsWayWaitInOrderAndOthersPass) {
    const Pins::Request first = read(4), second = write(4, 0xf, 7), third = read(4);
    send(first);
    send(second);
    EXPECT_EQ(out_.event.waited, 1);
    send(third);
    const Pins::Request other = write(5, 1, 1);
    send(other);
    run(10);
    ASSERT_EQ(answers_.size(), 1u);
    EXPECT_EQ(answers_[0].tag, other.tag);
    memory(downs_[0].tag, 9);
    run(10);
    ASSERT_EQ(answers_.size(), 4u);
    EXPECT_EQ(answers_[1].tag, first.tag);
    EXPECT_EQ(answers_[1].data[0], 9u);
    EXPECT_EQ(answers_[2].tag, second.tag);
    EXPECT_EQ(answers_[3].tag, third.tag);
    EXPECT_EQ(answers_[3].data[0], 7u);
    EXPECT_EQ(answers_[3].data[1], 9u);
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

TEST_P(L2PinsTest, WriteToNoPageIsRefusedUnlessTheLineIsHere) {
    in_.fabric_mapped = 0;
    send(write(8, 1, 1));
    EXPECT_EQ(out_.event.unmapped_writes, 1);
    run(6);
    EXPECT_EQ(answers_.back().status, static_cast<uint8_t>(MemStatus::Unmapped));
    in_.fabric_mapped = 1;
    send(write(8, 1, 1));
    in_.fabric_mapped = 0;
    send(write(8, 1, 1));
    run(6);
    EXPECT_EQ(answers_.back().status, static_cast<uint8_t>(MemStatus::Ok));
}

TEST_P(L2PinsTest, AtomicsGiveWhatTheInstructionSetSays) {
    EXPECT_EQ(atomic(AtomicOp::Swap, 5, 9), 9u);
    EXPECT_EQ(atomic(AtomicOp::CmpSwap, 5, 9, 5), 9u);
    EXPECT_EQ(atomic(AtomicOp::CmpSwap, 5, 9, 6), 5u);
    EXPECT_EQ(atomic(AtomicOp::Add, 0xffffffff, 2), 1u);
    EXPECT_EQ(atomic(AtomicOp::Sub, 5, 9), 0xfffffffcu);
    EXPECT_EQ(atomic(AtomicOp::RSub, 5, 9), 4u);
    EXPECT_EQ(atomic(AtomicOp::SMin, 5, 0xffffffff), 0xffffffffu);
    EXPECT_EQ(atomic(AtomicOp::UMin, 5, 0xffffffff), 5u);
    EXPECT_EQ(atomic(AtomicOp::SMax, 5, 0xffffffff), 5u);
    EXPECT_EQ(atomic(AtomicOp::UMax, 5, 0xffffffff), 0xffffffffu);
    EXPECT_EQ(atomic(AtomicOp::And, 12, 10), 8u);
    EXPECT_EQ(atomic(AtomicOp::Or, 12, 10), 14u);
    EXPECT_EQ(atomic(AtomicOp::Xor, 12, 10), 6u);
    EXPECT_EQ(atomic(AtomicOp::Inc, 5, 6), 6u);
    EXPECT_EQ(atomic(AtomicOp::Inc, 6, 6), 0u);
    EXPECT_EQ(atomic(AtomicOp::Dec, 5, 6), 4u);
    EXPECT_EQ(atomic(AtomicOp::Dec, 0, 6), 6u);
    EXPECT_EQ(atomic(AtomicOp::Dec, 7, 6), 6u);
    EXPECT_EQ(atomic(AtomicOp::FCmpSwap, 0x80000000, 9, 0), 9u) << "zeros are equal";
    EXPECT_EQ(atomic(AtomicOp::FCmpSwap, 0x7fc00000, 9, 0x7fc00000), 0x7fc00000u) << "NaN is not";
    EXPECT_EQ(atomic(AtomicOp::FMin, 0x3f800000, 0xc0000000), 0xc0000000u);
    EXPECT_EQ(atomic(AtomicOp::FMin, 0xbf800000, 0xc0000000), 0xc0000000u);
    EXPECT_EQ(atomic(AtomicOp::FMax, 0x3f800000, 0x7fc00000), 0x3f800000u);
    EXPECT_EQ(atomic(AtomicOp::FMax, 0x00000001, 0x00000002), 2u) << "denormals count";
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

TEST_P(L2PinsTest, TornOrDoubleOperandsAreAnError) {
    const auto refused = [&](uint64_t mask, unsigned bytes, AtomicOp op) {
        Pins::Request a = request(MemCommand::Atomic, 1, mask, 1);
        a.bytes = static_cast<uint8_t>(bytes);
        a.atomic = static_cast<uint8_t>(op);
        send(a);
        run(6);
        return answers_.back().status == static_cast<uint8_t>(MemStatus::Error);
    };
    send(write(1, kAll, 0));
    EXPECT_TRUE(refused(0x7, 4, AtomicOp::Add));
    EXPECT_TRUE(refused(0xf, 8, AtomicOp::Add));
    EXPECT_TRUE(refused(0xff0, 8, AtomicOp::Add));
    EXPECT_TRUE(refused(0, 4, AtomicOp::Add));
    EXPECT_TRUE(refused(0xf, 2, AtomicOp::Add));
    EXPECT_TRUE(refused(0xf, 4, AtomicOp::None));
    EXPECT_TRUE(refused(0xff, 4, AtomicOp::CmpSwap));
    EXPECT_FALSE(refused(0xff, 8, AtomicOp::CmpSwap));
}

TEST_P(L2PinsTest, WriteBackSendsEveryDirtyLineOfTheRangeAndEndsWithMemorysAnswers) {
    for (uint64_t line = 0; line < 8; ++line)
        send(write(line, 1, 5));
    run(10);
    act(true, false, 64 * 2 + 63, 2);  // the last byte of line 2, the first of line 3
    run(10);
    ASSERT_EQ(downs_.size(), 2u);
    EXPECT_EQ(downs_[0].line, 2u);
    EXPECT_EQ(downs_[1].line, 3u);
    EXPECT_THAT(dones_, IsEmpty());
    send(write(2, 2, 5));  // stays dirty, for the next time
    memory(kWriteBack);
    EXPECT_THAT(dones_, IsEmpty());
    memory(kWriteBack);
    EXPECT_THAT(dones_, ElementsAre(99u)) << "in the cycle of the last answer";
    downs_.clear();
    act(true, false, 0, kAll);
    run(20);
    EXPECT_EQ(downs_.size(), 7u);
    EXPECT_EQ(downs_[0].tag, kWriteBack | 1) << "the next epoch";
}

TEST_P(L2PinsTest, InvalidationDropsCleanBytesOnly) {
    fetch(1, 5);
    fetch(2, 5);
    send(write(2, 0xf, 6));
    act(false, true, 0, kAll);
    run(5);
    EXPECT_THAT(dones_, ElementsAre(99u));
    EXPECT_THAT(downs_, IsEmpty());
    send(read(2, 0xf));
    run(6);
    EXPECT_THAT(downs_, IsEmpty());
    EXPECT_EQ(answers_.back().data[0], 6u);
    send(read(2, 0xff));
    send(read(1));
    run(6);
    EXPECT_EQ(downs_.size(), 2u);
}

TEST_P(L2PinsTest, LineOnItsWayIsDroppedBehindThoseWhoWaitedForIt) {
    send(read(1));
    send(read(1));
    act(false, true, 0, kAll);
    run(5);
    EXPECT_THAT(dones_, ElementsAre(99u)) << "does not wait for fills";
    memory(0, 8);
    run(10);
    ASSERT_EQ(answers_.size(), 2u);
    EXPECT_EQ(answers_[1].data[0], 8u);
    send(read(1));
    EXPECT_EQ(out_.event.read_misses, 1);
}

TEST_P(L2PinsTest, ActionWithoutFlagsEndsAtOnce) {
    act(false, false, 0, kAll);
    EXPECT_THAT(dones_, ElementsAre(99u));
    EXPECT_EQ(out_.event.cache_actions, 0);
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

TEST_P(L2PinsTest, SetOfALineIsThatOfTheChannelsOwnAddresses) {
    // Lines of one channel that are a whole cache apart fall into one set: the seventeenth evicts.
    for (const bool tahiti : {true, false}) {
        in_.cfg.tahiti = tahiti ? 1 : 0;
        in_.cfg.channel_bits = tahiti ? 0 : 3;
        in_.cfg.set_mask = 63;
        restart();
        mc::ChannelMapSpec spec = tc::map_from_pins(in_.cfg);
        const mc::ChannelMap map(spec);
        downs_.clear();
        for (uint64_t n = 0; n < 17; ++n) {
            const uint64_t local = (n * 64 + 37) * kLineBytes;
            send(write(map.global_address(5, local) / kLineBytes, 1, 1));
            EXPECT_EQ(out_.event.evictions, n == 16 ? 1 : 0) << n;
        }
        run(2);
        ASSERT_EQ(downs_.size(), 1u);
        EXPECT_EQ(downs_[0].line, map.global_address(5, 37 * kLineBytes) / kLineBytes);
    }
}

INSTANTIATE_TEST_SUITE_P(On, L2PinsTest,
                         testing::ValuesIn(core_and_rtl<TcL2BankPins, tc::TcL2BankCore>()), kName);

TEST(L2ConfigurationOnPins, ComesBackAsItWas) {
    tc::TccSpec spec;
    spec.geometry = {32, 16};
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
