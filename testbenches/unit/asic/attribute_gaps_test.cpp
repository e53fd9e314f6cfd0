// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/attribute_gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace archipelago::gcn {
namespace {

using cp::StallReason;
using cp::WorkLog;
using testing::ElementsAre;

asic::DispatchProfile dispatch(uint32_t number, Cycle start, Cycle end) {
    asic::DispatchProfile d;
    d.record.key.dispatch = number;
    d.record.start = start;
    d.record.end = end;
    return d;
}

// "dispatch begin-end packet reason" of each part.
std::vector<std::string> gaps(const WorkLog& log, const LaunchLog& launches,
                              std::vector<asic::DispatchProfile> dispatches, Cycle now) {
    asic::Attribution a;
    a.dispatches = std::move(dispatches);
    attribute_gaps(log, launches, now, a);
    std::vector<std::string> parts;
    for (const asic::GapPart& p : a.gaps)
        parts.push_back(std::to_string(p.dispatch) + " " + std::to_string(p.begin) + "-" +
                        std::to_string(p.end) + " " + p.packet + " " +
                        asic::kGapReasonRows[static_cast<size_t>(p.reason)].name);
    return parts;
}

TEST(AttributeGaps, FollowADispatchFromTheHostToItsFirstWave) {
    WorkLog log;
    log.submissions = {10};
    log.pfp.stalls = {{{10, 20}, StallReason::Queue}};
    log.pfp.ended(0, 20, 24, "DISPATCH_DIRECT");
    log.me.ended(0, 26, 40, "DISPATCH_DIRECT");
    log.me.stalls = {{{28, 32}, StallReason::Microcode}, {{34, 36}, StallReason::RegBus}};
    log.me.wrote(38);
    log.me.wrote(39);
    log.dispatches[1] = {40, "DISPATCH_DIRECT"};
    LaunchLog launches;
    launches.dispatches[1] = {46, 0};
    EXPECT_THAT(
        gaps(log, launches, {dispatch(1, 55, 80)}, 80),
        ElementsAre("0 0-10  host", "0 10-20  fetch", "0 20-24 DISPATCH_DIRECT parse",
                    "0 24-26  parse", "0 26-28 DISPATCH_DIRECT packet",
                    "0 28-32 DISPATCH_DIRECT packet_start", "0 32-34 DISPATCH_DIRECT packet",
                    "0 34-36 DISPATCH_DIRECT register_bus", "0 36-38 DISPATCH_DIRECT packet",
                    "0 38-40 DISPATCH_DIRECT register_write",
                    "0 40-46 DISPATCH_DIRECT register_bus", "0 46-55 DISPATCH_DIRECT launch"));
}

TEST(AttributeGaps, BeginWithTheLastWaveOfAllEarlierDispatches) {
    WorkLog log;
    log.me.ended(0, 0, 130, "EVENT_WRITE");
    log.me.stalls = {{{1, 130}, StallReason::Event}};
    LaunchLog launches;
    launches.dispatches[3] = {120, 0};
    // The second ends before the first does; the third is launched while none runs.
    EXPECT_THAT(
        gaps(log, launches, {dispatch(1, 0, 100), dispatch(2, 50, 60), dispatch(3, 125, 150)}, 150),
        ElementsAre("2 100-120 EVENT_WRITE wait_for_idle", "2 120-125  launch"));
}

TEST(AttributeGaps, GiveAPollToWhatItWaitsForAndTheEndToTheFence) {
    WorkLog log;
    log.me.ended(0, 10, 40, "SURFACE_SYNC");
    log.me.stalls = {{{10, 40}, StallReason::Poll}};
    log.cache_actions = {{12, 30}};
    log.fences = {{35, 60}};
    EXPECT_THAT(gaps(log, {}, {dispatch(1, 0, 10)}, 70),
                ElementsAre("1 10-12 SURFACE_SYNC poll", "1 12-30 SURFACE_SYNC cache_action",
                            "1 30-35 SURFACE_SYNC poll", "1 35-40 SURFACE_SYNC fence",
                            "1 40-60  fence", "1 60-70  host"));
}

TEST(AttributeGaps, TakeThePacketOfTheRingThatDispatches) {
    WorkLog log;
    log.me.ended(0, 0, 20, "WAIT_REG_MEM");
    log.me.ended(1, 10, 20, "SET_SH_REG");
    log.dispatches[7] = {20, "DISPATCH_DIRECT"};
    LaunchLog launches;
    launches.dispatches[7] = {20, 1};
    EXPECT_THAT(gaps(log, launches, {dispatch(7, 20, 30)}, 30),
                ElementsAre("0 0-10 WAIT_REG_MEM packet", "0 10-20 SET_SH_REG packet"));
}

TEST(AttributeGaps, SayWhatADispatchWaitsForWhileAnotherRuns) {
    WorkLog log;
    log.me.ended(0, 5, 12, "DISPATCH_DIRECT");
    log.dispatches[2] = {12, "DISPATCH_DIRECT"};
    LaunchLog launches;
    launches.dispatches[2] = {40, 0};
    launches.full = {{20, 40}};
    asic::Attribution a;
    a.dispatches = {dispatch(1, 10, 60), dispatch(2, 45, 90)};
    attribute_gaps(log, launches, 90, a);
    std::vector<std::string> parts;
    for (const asic::GapPart& p : a.intervals)
        parts.push_back(std::to_string(p.end) + " " +
                        asic::kGapReasonRows[static_cast<size_t>(p.reason)].name);
    EXPECT_THAT(parts,
                ElementsAre("12 packet", "20 register_bus", "40 dispatch_queue", "45 launch"));
}

TEST(AttributeGaps, GiveSpiWhatCpDoesNotNeedItselfWhereItWorksAhead) {
    WorkLog log;
    // ME needs 8 cycles for a dispatch, in 4 of them it writes; SPI lets it go on every 20 cycles.
    for (uint32_t i = 0; i < 4; ++i) {
        log.me.ended(0, 20 * i, 20 * (i + 1), "SET_SH_REG");
        log.me.stalls.push_back({{20 * i + 4, 20 * i + 16}, StallReason::RegBus});
        for (Cycle c = 16; c < 20; ++c)
            log.me.wrote(20 * i + c);
        log.dispatches[i + 1] = {20 * (i + 1), "DISPATCH_DIRECT"};
    }
    LaunchLog launches;
    for (uint32_t i = 1; i <= 4; ++i)
        launches.dispatches[i] = {20 * i + 2, 0};
    launches.full = {{4, 80}};
    asic::Attribution a;
    // The second and the third start shortly after each other: a part of the work is in the last
    // interval.
    a.dispatches = {dispatch(1, 30, 60), dispatch(2, 50, 80), dispatch(3, 55, 99),
                    dispatch(4, 100, 120)};
    attribute_gaps(log, launches, 120, a);
    std::vector<std::string> parts;
    for (const asic::GapPart& p : a.intervals)
        parts.push_back(std::to_string(p.dispatch) + " " + std::to_string(p.end - p.begin) + " " +
                        asic::kGapReasonRows[static_cast<size_t>(p.reason)].name);
    EXPECT_THAT(parts, ElementsAre("1 4 packet", "1 4 register_write", "1 12 dispatch_queue",
                                   "2 4 packet", "2 1 register_write", "3 3 register_write",
                                   "3 4 packet", "3 4 register_write", "3 34 dispatch_queue"));
}

TEST(AttributeGaps, HaveNoPacketForADispatchThatTheHostStarts) {
    LaunchLog launches;
    launches.dispatches[1] = {30, 0};
    EXPECT_THAT(gaps({}, launches, {dispatch(1, 40, 50)}, 50),
                ElementsAre("0 0-30  host", "0 30-40  launch"));
}

}  // namespace
}  // namespace archipelago::gcn
