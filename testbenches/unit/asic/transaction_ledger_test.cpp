// SPDX-License-Identifier: Apache-2.0
// Times of transactions by place, from sums at taps alone.
#include "models/asic/transaction_ledger.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <numeric>

namespace archipelago::asic {
namespace {

constexpr uint64_t kEngine = 1'081'081;  // fs
constexpr uint64_t kMemory = 727'273;

uint64_t sum(const std::array<uint64_t, kPlaces>& times) {
    return std::accumulate(times.begin(), times.end(), uint64_t{0});
}
uint64_t at(const TransactionTimes& times, Place place) {
    return times.places[static_cast<size_t>(place)];
}

// A cache that some transactions leave for memory, in another clock.
struct Path {
    CycleTap request, answer;
    Stay wait;
    CycleTap sent, command, returned;
    TransactionLedger ledger;

    Path() {
        ledger.begin("vector", Place::L1, request, kEngine);
        ledger.stay(Place::L1, Place::Merged, wait, kEngine);
        ledger.move(Place::Merged, Place::DramQueue, sent, kEngine);
        ledger.move(Place::DramQueue, Place::Dram, command, kMemory);
        ledger.move(Place::Dram, Place::Merged, returned, kEngine);
        ledger.end("vector", Place::L1, answer, kEngine);
    }
};

TEST(TransactionLedger, TimesAreThoseOfEachTransactionAtEachPlace) {
    Path path;
    path.request.pass(10);
    path.wait.in.pass(15);
    path.sent.pass(15);
    path.command.pass(40);  // 40 * kMemory is between the cycles 26 and 27 of the engine
    path.request.pass(20);  // the second waits for the line of the first
    path.wait.in.pass(25);
    path.returned.pass(100);
    path.wait.out.pass(100);
    path.wait.out.pass(100);
    path.answer.pass(103);
    path.answer.pass(104);
    const TransactionTimes times = path.ledger.times(1000 * kEngine);
    EXPECT_EQ(times.transactions, 2u);
    EXPECT_EQ(times.open, 0u);
    EXPECT_EQ(times.total, (93 + 84) * kEngine);
    EXPECT_EQ(at(times, Place::L1), (5 + 3 + 5 + 4) * kEngine);
    EXPECT_EQ(at(times, Place::Merged), 75 * kEngine);
    EXPECT_EQ(at(times, Place::DramQueue), 40 * kMemory - 15 * kEngine);
    EXPECT_EQ(at(times, Place::Dram), 100 * kEngine - 40 * kMemory);
    EXPECT_EQ(sum(times.places), times.total);
}

TEST(TransactionLedger, WhatHasNotEndedIsWhereItIsUntilNow) {
    Path path;
    path.request.pass(10);
    path.wait.in.pass(15);
    path.sent.pass(15);
    const TransactionTimes times = path.ledger.times(50 * kEngine);
    EXPECT_EQ(times.open, 1u);
    EXPECT_EQ(times.total, 40 * kEngine);
    EXPECT_EQ(at(times, Place::L1), 5 * kEngine);
    EXPECT_EQ(at(times, Place::DramQueue), 35 * kEngine);
    EXPECT_EQ(at(times, Place::Dram), 0u);
}

class TransactionLedgerProperty : public testing::Test {
  protected:
    static void SetUpTestSuite() { setenv("RC_PARAMS", "seed=22 max_success=200", 0); }
};

TEST_F(TransactionLedgerProperty, ThePlacesOfAnyTransactionsSumToTheirTotal) {
    EXPECT_TRUE(rc::check([] {
        Path path;
        uint64_t total = 0;
        std::array<uint64_t, kPlaces> places{};
        const auto hop = [&](uint64_t& now, Place place) {
            const uint64_t cycles = *rc::gen::inRange<uint64_t>(0, 500);
            places[static_cast<size_t>(place)] += cycles * kEngine;
            total += cycles * kEngine;
            now += cycles;
        };
        const unsigned count = *rc::gen::inRange(0u, 20u);
        for (unsigned i = 0; i < count; ++i) {
            auto now = *rc::gen::inRange<uint64_t>(0, uint64_t{1} << 40);
            path.request.pass(now);
            hop(now, Place::L1);
            if (*rc::gen::arbitrary<bool>()) {
                path.wait.in.pass(now);
                hop(now, Place::Merged);
                path.wait.out.pass(now);
                hop(now, Place::L1);
            }
            path.answer.pass(now);
        }
        const TransactionTimes times = path.ledger.times((uint64_t{1} << 41) * kEngine);
        RC_ASSERT(times.places == places);
        RC_ASSERT(times.total == total);
        RC_ASSERT(times.open == 0u);
    }));
}

}  // namespace
}  // namespace archipelago::asic
