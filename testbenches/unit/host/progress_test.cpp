// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/progress.h"

#include <gmock/gmock.h>

namespace archipelago::host {
namespace {

using std::chrono::seconds;

const Progress::Clock::time_point kBegin{seconds(1000)};

TEST(Progress, SaysHowFarARunIsAndHowLongItTakesYet) {
    Progress progress(ProgressForm::Lines);
    progress.begin("saxpy.yaml", 256, {1000, 0}, kBegin);
    EXPECT_EQ(progress.line({193400, 64}, kBegin + seconds(2)),
              "saxpy.yaml: cycle 193400, 96.2 k cycles/s, waves 64 of 256 done, about 6 s left");
    EXPECT_EQ(progress.line({1500, 0}, kBegin + seconds(2)),
              "saxpy.yaml: cycle 1500, 250 cycles/s, waves 0 of 256 done");
    EXPECT_EQ(progress.line({4001000, 2}, kBegin + seconds(2)),
              "saxpy.yaml: cycle 4001000, 2.00 M cycles/s, waves 2 of 256 done, about 4 min left");
    EXPECT_EQ(progress.line({1500, 1}, kBegin + seconds(200)),
              "saxpy.yaml: cycle 1500, 2 cycles/s, waves 1 of 256 done, about 14.2 h left");
}

TEST(Progress, CountsTheWavesOfTheWorkloadAlone) {
    Progress progress(ProgressForm::Lines);
    progress.begin("second.yaml", 100, {5000, 300}, kBegin);
    EXPECT_THAT(progress.line({6000, 350}, kBegin + seconds(2)),
                testing::HasSubstr("waves 50 of 100 done, about 2 s left"));
}

TEST(Progress, LeavesOutWhatIsNotKnown) {
    Progress progress(ProgressForm::Lines);
    progress.begin("packets.yaml", {}, {0, 0}, kBegin);
    EXPECT_EQ(progress.line({2000, 7}, kBegin + seconds(2)),
              "packets.yaml: cycle 2000, 1.0 k cycles/s, waves 7 done");
    EXPECT_EQ(progress.line({0, 10}, kBegin + seconds(2)), "packets.yaml: 5 waves/s, waves 10 done")
        << "functional mode has no cycles";
    Progress more(ProgressForm::Lines);
    more.begin("two.yaml", 4, {1, 0}, kBegin);
    EXPECT_THAT(more.line({2000, 7}, kBegin + seconds(2)), testing::EndsWith("waves 7 done"))
        << "more than were announced";
}

TEST(Progress, IsDueEveryFewSecondsUnlessThereIsNone) {
    for (const auto form : {ProgressForm::None, ProgressForm::Line, ProgressForm::Lines}) {
        Progress progress(form);
        progress.begin("saxpy.yaml", {}, {0, 0}, kBegin);
        EXPECT_FALSE(progress.due(kBegin + seconds(1)));
        EXPECT_EQ(progress.due(kBegin + seconds(3)), form != ProgressForm::None);
    }
}

}  // namespace
}  // namespace archipelago::host
