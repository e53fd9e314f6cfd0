// SPDX-License-Identifier: Apache-2.0
#include "models/report/trace_selection.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace archipelago::report::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kPeriod = 1'000'000;  // 1 ns in fs

struct Rows : TraceSink {
    std::vector<std::string> paths, events;
    TrackId track(const std::string& path, uint64_t) override {
        paths.push_back(path);
        return static_cast<TrackId>(paths.size() - 1);
    }
    TrackId counter_track(const std::string& path, uint64_t period, std::string_view) override {
        return track(path, period);
    }
    void slice(TrackId track, Cycle begin, Cycle end, std::string_view name, uint64_t,
               std::string_view) override {
        events.push_back(paths[track] + " " + std::string(name) + " " + std::to_string(begin) +
                         "-" + std::to_string(end));
    }
    void instant(TrackId track, Cycle at, std::string_view name, uint64_t) override {
        events.push_back(paths[track] + " " + std::string(name) + " " + std::to_string(at));
    }
    void counter(TrackId track, Cycle at, uint64_t value) override {
        events.push_back(paths[track] + "=" + std::to_string(value) + " " + std::to_string(at));
    }
};

TraceChoice window(Cycle first, Cycle end) {
    TraceChoice choice;
    choice.period_fs = kPeriod;
    choice.first = first;
    choice.end = end;
    return choice;
}

TraceChoice units(std::vector<std::string> names) {
    TraceChoice choice;
    choice.units = std::move(names);
    return choice;
}

TEST(TraceSelection, PassesOnWhatOverlapsTheWindow) {
    Rows rows;
    TraceSelection selection(rows, window(100, 200));
    const TrackId row = selection.track("cp", kPeriod);
    selection.slice(row, 10, 100, "before");
    selection.slice(row, 10, 101, "into");
    selection.slice(row, 100, 100, "empty");
    selection.instant(row, 99, "early");
    selection.instant(row, 100, "first");
    selection.slice(row, 199, 300, "out of");
    selection.instant(row, 200, "late");
    selection.slice(row, 200, 201, "after");
    EXPECT_THAT(rows.events, ElementsAre("cp into 10-101", "cp empty 100-100", "cp first 100",
                                         "cp out of 199-300"));
}

TEST(TraceSelection, TheWindowIsOneTimeInEveryClock) {
    Rows rows;
    TraceSelection selection(rows, window(100, 200));
    const TrackId slow = selection.track("mc0", 3 * kPeriod);
    selection.slice(slow, 32, 33, "before");  // ends at 99 ns
    selection.slice(slow, 33, 34, "into");
    selection.slice(slow, 66, 67, "out of");
    selection.slice(slow, 67, 68, "after");  // begins at 201 ns
    selection.instant(slow, 33, "early");
    selection.instant(slow, 34, "in it");
    EXPECT_THAT(rows.events, ElementsAre("mc0 into 33-34", "mc0 out of 66-67", "mc0 in it 34"));
}

TEST(TraceSelection, ACounterBeginsWithTheValueItHas) {
    Rows rows;
    TraceSelection selection(rows, window(100, 200));
    const TrackId row = selection.counter_track("queue", kPeriod);
    const TrackId other = selection.counter_track("other", kPeriod);
    selection.counter(other, 20, 9);
    selection.counter(row, 10, 1);
    selection.counter(row, 50, 2);
    selection.counter(row, 150, 3);
    selection.counter(row, 250, 4);
    selection.counter(other, 300, 8);
    EXPECT_THAT(rows.events, ElementsAre("queue=2 100", "queue=3 150", "other=9 100"));
}

TEST(TraceSelection, PassesOnTheUnitsAndWhatIsInThem) {
    Rows rows;
    TraceSelection selection(rows, units({"cp", "se0.sh0.cu[01]", "*.l1"}));
    for (const char* path :
         {"cp.me.gfx", "cpx", "se0.sh0.cu0.simd0", "se0.sh0.cu10", "se1.cu7.l1.miss3"})
        selection.slice(selection.track(path, kPeriod), 0, 1, "a");
    EXPECT_THAT(rows.events, ElementsAre("cp.me.gfx a 0-1", "se0.sh0.cu0.simd0 a 0-1",
                                         "se1.cu7.l1.miss3 a 0-1"));
    EXPECT_EQ(rows.paths.size(), 3U) << "others are not asked for";
    EXPECT_THAT(selection.unknown_units(), IsEmpty());
}

TEST(TraceSelection, KnowsWhichUnitsItHas) {
    Rows rows;
    TraceSelection selection(rows, units({"cp", "spo", "se0"}));
    selection.track("cp.me", kPeriod);
    selection.track("spi.gfx", kPeriod);
    selection.track("se0.sh0", kPeriod);
    EXPECT_THAT(selection.unknown_units(), ElementsAre("spo"));
    EXPECT_THAT(selection.known_units(),
                ElementsAre("cp", "cp.me", "spi", "spi.gfx", "se0", "se0.sh0"));
}

}  // namespace
}  // namespace archipelago::report::test
