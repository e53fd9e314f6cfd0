// SPDX-License-Identifier: Apache-2.0
#include "models/common/register_service.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace archipelago::register_service_test {
namespace {

constexpr uint32_t kOurs = 0x8000, kForeign = 0x9000;

RegRequest request(bool write, uint32_t offset, uint32_t value, uint32_t tag = 0,
                   uint16_t port = 0) {
    RegRequest r;
    r.write = write;
    r.offset = offset;
    r.value = value;
    r.tag = tag;
    r.port = port;
    return r;
}

// One register, and a log of what was asked of it.
class Block : public RegisterTarget {
  public:
    bool write_register(const RegRequest& r) override {
        done.push_back("write " + std::to_string(r.value));
        if (r.offset != kOurs)
            return false;
        value = r.value;
        return true;
    }
    bool read_register(const RegRequest& r, uint32_t& to) override {
        done.emplace_back("read");
        if (r.offset != kOurs)
            return false;
        to = value;
        return true;
    }
    bool register_ready(const RegRequest& r) const override { return !r.write || room; }

    uint32_t value = 0;
    bool room = true;
    std::vector<std::string> done;
};

class Producer : public Clocked {
  public:
    bool tick(Cycle) override { return false; }
};

struct RegisterService : testing::Test {
    Channel<RegRequest> requests{ChannelSpec{4, 1}};
    Channel<RegResponse> answers{ChannelSpec{1, 1}};
    Block block;

    bool serve(Cycle now) { return serve_register(now, requests, &answers, block); }
};

TEST_F(RegisterService, ServesOneRequestACycleInOrder) {
    for (uint32_t i = 1; i <= 3; ++i)
        requests.push(0, request(true, kOurs, i));
    EXPECT_FALSE(serve(0)) << "what is pushed in a cycle is seen in the next";
    for (Cycle now = 1; now <= 3; ++now)
        EXPECT_TRUE(serve(now));
    EXPECT_FALSE(serve(4));
    EXPECT_EQ(block.done, (std::vector<std::string>{"write 1", "write 2", "write 3"}));
    EXPECT_TRUE(answers.empty()) << "writes are posted";
}

TEST_F(RegisterService, AReadIsAnsweredInTheSameCycleWithItsTagAndPort) {
    block.value = 77;
    requests.push(0, request(false, kOurs, 5, 1234, 3));
    ASSERT_TRUE(serve(1));
    EXPECT_FALSE(answers.can_pop(1));
    ASSERT_TRUE(answers.can_pop(2));
    const RegResponse r = answers.pop(2);
    EXPECT_EQ(r.value, 77u);
    EXPECT_EQ(r.tag, 1234u);
    EXPECT_EQ(r.port, 3u);
    EXPECT_EQ(r.status, RegStatus::Ok);
    EXPECT_FALSE(r.write);
}

TEST_F(RegisterService, ARegisterWithoutOwnerReadsAsUnknownAndIgnoresWrites) {
    requests.push(0, request(true, kForeign, 9));
    requests.push(0, request(false, kForeign, 0, 8));
    ASSERT_TRUE(serve(1));
    ASSERT_TRUE(serve(2));
    EXPECT_EQ(block.value, 0u);
    ASSERT_TRUE(answers.can_pop(3));
    const RegResponse r = answers.pop(3);
    EXPECT_EQ(r.status, RegStatus::Unknown);
    EXPECT_EQ(r.value, 0u);
    EXPECT_EQ(r.tag, 8u);
}

TEST_F(RegisterService, AReadWaitsForRoomForItsAnswerAndItsProducerIsWokenByIt) {
    Scheduler scheduler;
    Producer producer;
    scheduler.add(producer);
    answers.set_producer(&producer);
    for (uint32_t tag = 1; tag <= 2; ++tag)
        requests.push(0, request(false, kOurs, 0, tag));
    requests.push(0, request(true, kOurs, 3));
    ASSERT_TRUE(serve(1));
    EXPECT_FALSE(serve(2)) << "the answer of the first read is still in its place";
    EXPECT_FALSE(serve(3)) << "a write does not overtake a read";
    EXPECT_EQ(block.done, std::vector<std::string>{"read"});
    EXPECT_EQ(requests.size(), 2u);
    scheduler.step(4);  // all are ticked first
    EXPECT_EQ(scheduler.next_wake(), kNever);
    answers.drop(4);
    EXPECT_EQ(scheduler.next_wake(), 5u);
    EXPECT_TRUE(serve(5));
    EXPECT_TRUE(serve(6));
    EXPECT_EQ(block.done, (std::vector<std::string>{"read", "read", "write 3"}));
}

TEST_F(RegisterService, AWriteIsServedWhetherOrNotThereIsRoomForAnswers) {
    answers.push(0, RegResponse{});
    requests.push(0, request(true, kOurs, 6));
    EXPECT_TRUE(serve(1));
    EXPECT_EQ(block.value, 6u);
}

TEST_F(RegisterService, AWriteTheTargetIsNotReadyForWaitsAndSoDoesWhatIsBehindIt) {
    block.room = false;
    requests.push(0, request(true, kOurs, 4));
    requests.push(0, request(false, kOurs, 0));
    EXPECT_FALSE(serve(1));
    EXPECT_FALSE(serve(2));
    EXPECT_TRUE(block.done.empty());
    block.room = true;
    EXPECT_TRUE(serve(3));
    EXPECT_TRUE(serve(4));
    ASSERT_TRUE(answers.can_pop(5));
    EXPECT_EQ(answers.pop(5).value, 4u);
}

TEST_F(RegisterService, WithoutAnswersOnlyWritesAreServed) {
    requests.push(0, request(true, kOurs, 2));
    requests.push(0, request(false, kOurs, 0));
    EXPECT_TRUE(serve_register(1, requests, nullptr, block));
    EXPECT_FALSE(serve_register(2, requests, nullptr, block));
    EXPECT_EQ(requests.size(), 1u);
    EXPECT_EQ(block.done, std::vector<std::string>{"write 2"});
}

TEST_F(RegisterService, FunctionsOfTheBlockMayStandForItsRegisters) {
    std::vector<uint32_t> written;
    const auto write = [&](const RegRequest& r) { written.push_back(r.value); };
    const auto read = [&](const RegRequest&, uint32_t& value) {
        value = 50;
        return true;
    };
    requests.push(0, request(true, kForeign, 8));
    requests.push(0, request(false, kForeign, 0, 2));
    EXPECT_TRUE(serve_register(1, requests, &answers, write, read));
    EXPECT_TRUE(serve_register(2, requests, &answers, write, read));
    EXPECT_EQ(written, std::vector<uint32_t>{8});
    ASSERT_TRUE(answers.can_pop(3));
    const RegResponse r = answers.pop(3);
    EXPECT_EQ(r.value, 50u);
    EXPECT_EQ(r.tag, 2u);
    EXPECT_EQ(r.status, RegStatus::Ok);
}

}  // namespace
}  // namespace archipelago::register_service_test
