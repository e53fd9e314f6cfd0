// SPDX-License-Identifier: Apache-2.0
#include "models/report/perfetto_sink.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <random>
#include <sstream>

#include "perfetto_decoder.h"

namespace archipelago::report::test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr uint64_t kNs = 1'000'000;  // one nanosecond in fs

template <class Body>
DecodedTrace record(const Body& body, uint64_t* moved_ends = nullptr) {
    std::ostringstream out;
    PerfettoSink sink(out, "test");
    body(sink);
    sink.finish();
    EXPECT_EQ(sink.bytes_written(), out.str().size());
    if (moved_ends != nullptr) {
        *moved_ends = sink.moved_ends();
    } else {
        EXPECT_EQ(sink.moved_ends(), 0U);
    }
    return decode_trace(out.str());
}

std::vector<std::string> paths(const DecodedTrace& trace) {
    std::vector<std::string> out;
    for (const auto& [uuid, track] : trace.tracks) {
        out.push_back(track.path);
    }
    return out;
}

uint64_t rank_of(const DecodedTrace& trace, const std::string& path) {
    for (const auto& [uuid, track] : trace.tracks) {
        if (track.path == path) {
            return track.rank;
        }
    }
    ADD_FAILURE() << "no track " << path;
    return 0;
}

TEST(PerfettoTracks, EveryComponentOfAPathIsATrackUnderItsParent) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        sink.instant(sink.track("se0.sh0.cu2.simd1", kNs), 0, "a");
        sink.instant(sink.track("se0.sh0.cu2", kNs), 0, "a");
        sink.instant(sink.track("cp.me", kNs), 0, "a");
        sink.instant(sink.track("se0.sh0.cu2.simd1", kNs), 1, "b");
    });
    EXPECT_THAT(paths(trace),
                ElementsAre("se0", "se0.sh0", "se0.sh0.cu2", "se0.sh0.cu2.simd1", "cp", "cp.me"));
}

TEST(PerfettoTracks, TheSamePathIsTheSameRowWithEveryClock) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        const TrackId slow = sink.track("dma", 4 * kNs);
        const TrackId fast = sink.track("dma", 1 * kNs);
        EXPECT_NE(slow, fast);
        EXPECT_EQ(sink.track("dma", 4 * kNs), slow);
        sink.slice(slow, 1, 2, "a");
        sink.slice(fast, 8, 9, "b");
    });
    EXPECT_THAT(trace.slices, ElementsAre(DecodedSlice{"dma", "a", 4, 8, 0, {}, {}},
                                          DecodedSlice{"dma", "b", 8, 9, 0, {}, {}}));
}

TEST(PerfettoSlices, WhatIsReportedAfterTheRunHasEndedWasOpenThen) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        const TrackId row = sink.track("cp.me", kNs);
        sink.slice(row, 1, 5, "NOP", 0, "2 dwords");
        sink.end_of_run();
        sink.slice(row, 5, 9, "NOP", 0, "3 dwords");
        sink.slice(row, 9, 9, "NOP");
    });
    std::vector<std::string> details;
    for (const DecodedSlice& slice : trace.slices)
        details.push_back(slice.detail);
    EXPECT_THAT(details, ElementsAre("2 dwords", "3 dwords; open at the end of the run",
                                     "open at the end of the run"));
}

TEST(PerfettoCounters, ARowShowsItsValuesFromTheirTimesOn) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        const TrackId row = sink.track("hub", 4 * kNs);
        const TrackId queue = sink.counter_track("queues.hub", kNs / 2);
        EXPECT_EQ(sink.counter_track("queues.hub", kNs / 2), queue);
        sink.slice(row, 1, 2, "read");
        sink.counter(queue, 3, 0);
        sink.counter(queue, 20, 7);
        sink.counter(queue, 21, ~uint64_t{0} >> 1);
    });
    EXPECT_THAT(paths(trace), UnorderedElementsAre("hub", "queues", "queues.hub"));
    EXPECT_EQ(trace.slices.size(), 1U);
    std::vector<std::pair<uint64_t, uint64_t>> values;
    for (const DecodedEvent& event : trace.events) {
        if (event.path == "queues.hub") {
            EXPECT_EQ(event.type, 4U);
            values.emplace_back(event.at, event.value);
        }
    }
    EXPECT_THAT(values, ElementsAre(testing::Pair(1U, 0U), testing::Pair(10U, 7U),
                                    testing::Pair(10U, ~uint64_t{0} >> 1)));
}

TEST(PerfettoCounters, ARowOfSlicesTakesNoNumbersAndViceVersa) {
    record([](PerfettoSink& sink) {
        const TrackId slices = sink.track("cp.me", kNs);
        sink.counter_track("queue", kNs);
        EXPECT_THROW(sink.counter_track("cp.me", kNs), std::invalid_argument);
        EXPECT_THROW(sink.counter_track("cp", kNs), std::invalid_argument);
        EXPECT_THROW(sink.track("queue", kNs), std::invalid_argument);
        EXPECT_THROW(sink.track("queue.in", kNs), std::invalid_argument);
        EXPECT_THROW(sink.counter(slices, 1, 1), std::invalid_argument);
        EXPECT_THROW(sink.counter(99, 1, 1), std::out_of_range);
    });
}

TEST(PerfettoTracks, NumberedSiblingsAreRankedByNumberAndOthersByFirstUse) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        for (const char* path : {"cp", "cu10", "cu9", "spi", "cu0", "tcc1", "cu123456789"}) {
            sink.instant(sink.track(path, kNs), 0, "a");
        }
    });
    const std::vector<std::string> shown{"cp", "cu0", "cu9", "cu10", "cu123456789", "spi", "tcc1"};
    for (size_t i = 1; i < shown.size(); ++i) {
        EXPECT_LT(rank_of(trace, shown[i - 1]), rank_of(trace, shown[i])) << shown[i];
    }
}

TEST(PerfettoTracks, RowsWithoutEventsAreNotInTheFile) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        const TrackId slices = sink.track("se0.cu0", kNs);
        sink.track("se0.cu1", kNs);
        sink.counter_track("se1.queue", kNs);
        const TrackId numbers = sink.counter_track("se2.queue", kNs);
        sink.slice(slices, 1, 2, "a");
        sink.counter(numbers, 1, 1);
    });
    EXPECT_THAT(paths(trace), UnorderedElementsAre("se0", "se0.cu0", "se2", "se2.queue"));
}

TEST(PerfettoTracks, TheOverviewAndTheCommandProcessorComeFirst) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        for (const char* path : {"srbm", "host", "cp", "overview"})
            sink.instant(sink.track(path, kNs), 0, "a");
    });
    EXPECT_LT(rank_of(trace, "overview"), rank_of(trace, "cp"));
    EXPECT_LT(rank_of(trace, "cp"), rank_of(trace, "host"));
    EXPECT_LT(rank_of(trace, "host"), rank_of(trace, "srbm"));
}

TEST(PerfettoCounters, ARowOfFractionsHasItsUnit) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        sink.fraction(sink.counter_track("overview.L2 hit rate", kNs, "%"), 3, 12.5);
    });
    ASSERT_EQ(trace.events.size(), 1U);
    EXPECT_EQ(trace.events[0].fraction, 12.5);
    EXPECT_EQ(trace.tracks.rbegin()->second.unit, "%");
}

TEST(PerfettoEvents, HaveTheCycleInWhichTheyBegin) {
    const auto cycles = [](uint64_t period_fs) {
        std::vector<uint64_t> shown;
        const DecodedTrace trace = record([&](PerfettoSink& sink) {
            sink.count_cycles_of(period_fs);
            const TrackId row = sink.track("mc0", 1'500'000);
            sink.slice(row, 100, 104, "read");
            sink.instant(row, 200, "mark");
        });
        for (const DecodedEvent& event : trace.events)
            if (event.type != 2)
                shown.push_back(event.cycle);
        return shown;
    };
    EXPECT_THAT(cycles(0), ElementsAre(100U, 200U));
    EXPECT_THAT(cycles(1'500'000), ElementsAre(100U, 200U));
    EXPECT_THAT(cycles(1'000'000), ElementsAre(150U, 300U)) << "of another clock";
}

TEST(PerfettoFile, EndsBeforeItHasMoreThanItsLimit) {
    std::ostringstream out;
    PerfettoSink sink(out, "test");
    Cycle ended = 0;
    sink.limit(100'000, [&](Cycle cycle) { ended = cycle; });
    const TrackId outer = sink.track("cp", kNs);
    const TrackId row = sink.track("cu0", kNs);
    const TrackId number = sink.counter_track("queue", kNs);
    for (uint64_t i = 0; i < 10'000; ++i) {
        sink.slice(row, 10 * i, 10 * i + 9, "instruction", 0, "with a detail");
        sink.slice(outer, 10 * i, 10 * i + 9, "packet");
        sink.counter(number, 10 * i, i);
    }
    sink.instant(row, 200'000, "never seen");
    sink.finish();
    EXPECT_LE(out.str().size(), 101'000U);
    EXPECT_GT(out.str().size(), 60'000U);
    EXPECT_GT(ended, 2000U);
    const DecodedTrace trace = decode_trace(out.str());
    const auto said = std::find_if(trace.events.begin(), trace.events.end(),
                                   [](const auto& event) { return event.path == "timeline"; });
    ASSERT_NE(said, trace.events.end());
    EXPECT_THAT(said->name, testing::HasSubstr("ends early"));
    EXPECT_EQ(said->cycle, ended);
    EXPECT_LE(trace.slices.back().end, ended);
}

TEST(PerfettoTracks, BadPathsAndPeriodsAreRefused) {
    std::ostringstream out;
    PerfettoSink sink(out, "test");
    for (const char* path : {"", ".", "a.", ".a", "a..b"}) {
        EXPECT_THROW(sink.track(path, kNs), std::invalid_argument) << path;
    }
    EXPECT_THROW(sink.track("a", 0), std::invalid_argument);
    EXPECT_THROW(sink.track("a", ~uint64_t{0}), std::invalid_argument);
}

TEST(PerfettoSlices, TimesAreNanosecondsRoundedDown) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        const TrackId row = sink.track("cp", 1'081'081);  // 925 MHz
        sink.slice(row, 0, 1, "a");
        sink.slice(row, 925'000'000, 925'000'012, "b");
        sink.instant(row, 1'000'000'000'000, "c");
    });
    EXPECT_THAT(trace.slices,
                ElementsAre(DecodedSlice{"cp", "a", 0, 1, 0, {}, {}},
                            DecodedSlice{"cp", "b", 999'999'925, 999'999'937, 0, {}, {}}));
    EXPECT_EQ(trace.events.back().at, 1'081'081'000'000U);
}

TEST(PerfettoSlices, HugeCyclesDoNotOverflow) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        sink.instant(sink.track("cp", kNs), ~uint64_t{0}, "end of time");
    });
    EXPECT_EQ(trace.events.back().at, ~uint64_t{0});
}

TEST(PerfettoSlices, InnerSlicesReportedFirstAreNestedInTheOuter) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        const TrackId row = sink.track("cp", kNs);
        // Begins and ends coincide with those of the outer slices in every way.
        sink.slice(row, 10, 12, "queue");
        sink.slice(row, 12, 12, "zero");
        sink.slice(row, 12, 20, "data");
        sink.slice(row, 10, 20, "request");
        sink.slice(row, 20, 25, "next");
        sink.slice(row, 10, 25, "packet");
        sink.slice(row, 25, 25, "last");
    });
    EXPECT_THAT(trace.slices, ElementsAre(DecodedSlice{"cp", "packet", 10, 25, 0, {}, {}},
                                          DecodedSlice{"cp", "request", 10, 20, 1, {}, {}},
                                          DecodedSlice{"cp", "queue", 10, 12, 2, {}, {}},
                                          DecodedSlice{"cp", "data", 12, 20, 2, {}, {}},
                                          DecodedSlice{"cp", "zero", 12, 12, 3, {}, {}},
                                          DecodedSlice{"cp", "next", 20, 25, 1, {}, {}},
                                          DecodedSlice{"cp", "last", 25, 25, 0, {}, {}}));
}

TEST(PerfettoSlices, OfTwoEqualSlicesTheLaterReportedIsTheOuter) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        const TrackId row = sink.track("cp", kNs);
        sink.slice(row, 3, 7, "inner");
        sink.slice(row, 3, 7, "outer");
    });
    EXPECT_THAT(trace.slices, ElementsAre(DecodedSlice{"cp", "outer", 3, 7, 0, {}, {}},
                                          DecodedSlice{"cp", "inner", 3, 7, 1, {}, {}}));
}

TEST(PerfettoSlices, AnOuterSliceAroundMoreThanAreHeldBackIsStillTheOuter) {
    const uint64_t inner = 40 * PerfettoSink::kHeldSlices;
    const DecodedTrace trace = record([&](PerfettoSink& sink) {
        const TrackId row = sink.track("cu.slot0", kNs);
        for (uint64_t i = 0; i < inner; ++i) {
            sink.slice(row, 2 * i + 1, 2 * i + 3, "instruction");
        }
        sink.slice(row, 0, 2 * inner + 1, "wave");
        sink.slice(row, 2 * inner + 1, 2 * inner + 2, "next");
    });
    ASSERT_EQ(trace.slices.size(), inner + 2);
    EXPECT_EQ(trace.slices[0], (DecodedSlice{"cu.slot0", "wave", 0, 2 * inner + 1, 0, {}, {}}));
    for (uint64_t i = 0; i < inner; ++i) {
        ASSERT_EQ(trace.slices[i + 1],
                  (DecodedSlice{"cu.slot0", "instruction", 2 * i + 1, 2 * i + 3, 1, {}, {}}));
    }
    EXPECT_EQ(trace.slices.back(),
              (DecodedSlice{"cu.slot0", "next", 2 * inner + 1, 2 * inner + 2, 0, {}, {}}));
}

// The documented limit: the trace stays well-formed, and only the two slices are affected.
TEST(PerfettoSlices, AnOuterSliceThatBeginsWithOneWrittenBeforeExchangesItsLengthWithIt) {
    const uint64_t inner = 3 * PerfettoSink::kHeldSlices;
    const DecodedTrace trace = record([&](PerfettoSink& sink) {
        const TrackId row = sink.track("cp", kNs);
        for (uint64_t i = 0; i < inner; ++i) {
            sink.slice(row, 2 * i, 2 * i + 2, "inner");
        }
        sink.slice(row, 0, 2 * inner, "outer");
    });
    ASSERT_EQ(trace.slices.size(), inner + 1);
    EXPECT_EQ(trace.slices[0], (DecodedSlice{"cp", "inner", 0, 2 * inner, 0, {}, {}}));
    EXPECT_EQ(trace.slices[1], (DecodedSlice{"cp", "outer", 0, 2, 1, {}, {}}));
    for (uint64_t i = 1; i < inner; ++i) {
        ASSERT_EQ(trace.slices[i + 1], (DecodedSlice{"cp", "inner", 2 * i, 2 * i + 2, 1, {}, {}}));
    }
}

TEST(PerfettoSlices, OverlappingSlicesAreMadeToNestAndCounted) {
    uint64_t moved = 0;
    const DecodedTrace trace = record(
        [](PerfettoSink& sink) {
            const TrackId row = sink.track("cp", kNs);
            sink.slice(row, 0, 10, "a");
            sink.slice(row, 5, 15, "b");
            sink.slice(row, 20, 15, "backwards");
        },
        &moved);
    EXPECT_EQ(moved, 1U);
    EXPECT_THAT(trace.slices, ElementsAre(DecodedSlice{"cp", "a", 0, 10, 0, {}, {}},
                                          DecodedSlice{"cp", "b", 5, 10, 1, {}, {}},
                                          DecodedSlice{"cp", "backwards", 20, 20, 0, {}, {}}));
}

// Any nesting, reported as a core would (when a slice ends), comes back as it was.
TEST(PerfettoSlices, RandomNestingsComeBackAsTheyWere) {
    std::mt19937_64 random(2012);
    for (int round = 0; round < 200; ++round) {
        std::vector<DecodedSlice> expected;
        const DecodedTrace trace = record([&](PerfettoSink& sink) {
            const TrackId row = sink.track("unit", kNs);
            std::vector<size_t> open;
            uint64_t now = 0;
            const auto close = [&] {
                DecodedSlice& s = expected[open.back()];
                s.end = now;
                open.pop_back();
                sink.slice(row, s.begin, s.end, s.name);
            };
            for (int i = 0; i < 300; ++i) {
                now += random() % 3;
                // A new slice may begin only where the last one at this depth has ended, and a
                // slice of no length has nothing in it.
                if (open.size() < 6 && random() % 2 == 0) {
                    if (!open.empty() && now == expected[open.back()].begin && random() % 2 == 0) {
                        continue;
                    }
                    expected.push_back(
                        {"unit", "s" + std::to_string(i), now, 0, open.size(), {}, {}});
                    open.push_back(expected.size() - 1);
                } else if (!open.empty() && expected[open.back()].begin < now) {
                    close();
                }
            }
            ++now;
            while (!open.empty()) {
                close();
            }
        });
        ASSERT_EQ(trace.slices, expected) << "round " << round;
    }
}

TEST(PerfettoEvents, FlowsConnectSlicesAndInstants) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        const TrackId cp = sink.track("cp", kNs);
        const TrackId cu = sink.track("cu", kNs);
        sink.slice(cp, 0, 4, "DISPATCH", 0xfedcba9876543210);
        sink.slice(cu, 6, 9, "wave", 0xfedcba9876543210);
        sink.instant(cp, 9, "fence", 0xfedcba9876543210);
        sink.slice(cp, 4, 5, "NOP");
    });
    std::vector<std::string> connected;
    for (const DecodedEvent& event : trace.events) {
        for (const uint64_t flow : event.flows) {
            EXPECT_EQ(flow, 0xfedcba9876543210U);
            connected.push_back(event.path + " " + event.name);
        }
    }
    EXPECT_THAT(connected, ElementsAre("cp DISPATCH", "cu wave", "cp fence"));
}

TEST(PerfettoEvents, DetailsAndLongNamesAreKept) {
    const std::string name(5000, 'n');
    const std::string detail(70000, 'd');
    const DecodedTrace trace = record([&](PerfettoSink& sink) {
        const TrackId row = sink.track("cp", kNs);
        sink.slice(row, 0, 1, name, 0, detail);
        sink.slice(row, 1, 2, "", 0, "x");
    });
    ASSERT_EQ(trace.slices.size(), 2U);
    EXPECT_EQ(trace.slices[0].name, name);
    EXPECT_EQ(trace.slices[0].detail, detail);
    EXPECT_EQ(trace.slices[1].name, "");
    EXPECT_EQ(trace.slices[1].detail, "x");
}

TEST(PerfettoEvents, UnknownTracksAndEndlessTextsAreRefused) {
    std::ostringstream out;
    PerfettoSink sink(out, "test");
    const TrackId row = sink.track("cp", kNs);
    EXPECT_THROW(sink.slice(row + 1, 0, 1, "a"), std::out_of_range);
    EXPECT_THROW(sink.instant(row + 1, 0, "a"), std::out_of_range);
    const std::string text((size_t{1} << 23) + 1, 't');
    EXPECT_THROW(sink.slice(row, 0, 1, text), std::invalid_argument);
    EXPECT_THROW(sink.slice(row, 0, 1, "a", 0, text), std::invalid_argument);
}

TEST(PerfettoEvents, TheTableOfNamesStartsAnewBeforeItGrowsWithoutBound) {
    const DecodedTrace trace = record([](PerfettoSink& sink) {
        const TrackId row = sink.track("cp", kNs);
        for (uint64_t i = 0; i < 150'000; ++i) {
            sink.instant(row, i, "name " + std::to_string(i), 0);
            sink.instant(row, i, "the same", 0);
        }
        sink.slice(row, 0, 1, "s", 0, "with a detail");
    });
    EXPECT_GE(trace.name_tables, 3U);
    ASSERT_EQ(trace.events.size(), 300'002U);
    EXPECT_EQ(trace.slices[0].detail, "with a detail");
    EXPECT_EQ(trace.events.back().name, "the same");
    EXPECT_EQ(trace.events[trace.events.size() - 2].name, "name 149999");
}

TEST(PerfettoFile, TheBytesAreThese) {
    std::ostringstream out;
    PerfettoSink sink(out, "test");
    const TrackId row = sink.track("cp.me", 2 * kNs);
    sink.slice(row, 100, 164, "NOP", 7, "2 dwords");
    sink.instant(row, 164, "NOP");
    sink.finish();
    std::string hex;
    for (const char c : out.str()) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(c) & 0xff);
        hex += digits;
    }
    // Worked out by hand from the message definitions.
    std::string expected;
    for (const char* part : {
             // sequence 1, state cleared, first packet; annotation 1 is "detail", 2 is "cycle"; the
             // root track
             "0a27 5001 6801 b80501 6217 1a0a 0801 1206 64657461696c 1a09 0802 1205 6379636c65",
             "e20304 0800 5803",
             // track 1 "cp" under the root, third of its children
             "0a13 5001 e2030e 0801 1202 6370 2800 5803 60808008",
             // track 2 "me" under 1, rank 0
             "0a11 5001 e2030c 0802 1202 6d65 2801 5803 6000",
             // the instant at 328, which is not held back, of cycle 164; "NOP" becomes name 1
             "0a21 40c802 5001 6802 6209 1207 0801 1203 4e4f50 5a0d 4803 5802 5001",
             "2205 0802 18a401",
             // the slice from 200 with flow 7, its cycle and its detail
             "0a2d 40c801 5001 6802 5a24 4801 5802 5001 f902 0700000000000000 2204 0802 1864",
             "220c 0801 3208 322064776f726473",
             // its end at 328
             "0a0d 40c802 5001 6802 5a04 4802 5802",
         }) {
        for (const char* c = part; *c != '\0'; ++c) {
            if (*c != ' ') {
                expected += *c;
            }
        }
    }
    EXPECT_EQ(hex, expected);
    decode_trace(out.str());
}

// Many rows in turn, nested slices, instants and new rows in between, more names than are numbered
// and than a table of the file holds: in what order all that is written is part of the format.
TEST(PerfettoFile, TheBytesOfALongTraceStayWhatTheyWere) {
    std::ostringstream out;
    PerfettoSink sink(out, "test");
    std::mt19937_64 random(7970);
    for (uint64_t i = 0; i < 300'000; ++i) {
        const uint64_t unit = random() % std::min<uint64_t>(500, i / 100 + 1);
        const std::string path = "unit" + std::to_string(unit % 40) + ".row" + std::to_string(unit);
        const TrackId row = sink.track(path, unit % 3 == 0 ? 1'081'081 : 727'272);
        const Cycle at = i * 10;
        const uint64_t some = random();
        const uint64_t flow = some % 3 == 0 ? some : 0;
        switch (random() % 8) {
            case 0:
                sink.instant(row, at, "mark " + std::to_string(some % 100));
                break;
            case 1:
                sink.slice(row, at, at + 9, std::string(some % 300, 'l'), flow,
                           std::string(some % 299, 'd'));
                break;
            case 2:
                sink.slice(row, at, at + 2, "inner", flow);
                sink.slice(row, at + 2, at + 3, "inner");
                sink.slice(row, at, at + some % 9, "outer", flow, "of two");
                break;
            case 3:
            case 4:
                sink.slice(row, at, at + 9, "group " + std::to_string(some), flow, "detail");
                break;
            default:
                sink.slice(row, at - std::min(at, some % 2000), at + 9,
                           some % 2 == 0 ? "read" : "write", flow);
        }
    }
    sink.finish();
    EXPECT_GT(sink.moved_ends(), 0U);
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : out.str()) {
        hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    }
    EXPECT_EQ(hash, 9986320994461975039U);
}

TEST(PerfettoFile, TwoRunsGiveTheSameBytes) {
    const auto run = [] {
        std::ostringstream out;
        PerfettoSink sink(out, "test");
        std::mt19937_64 random(5);
        for (int i = 0; i < 5000; ++i) {
            const TrackId row = sink.track("u" + std::to_string(random() % 7), 1'081'081);
            const Cycle at = static_cast<Cycle>(i) * 10;
            sink.slice(row, at, at + 10, "n" + std::to_string(random() % 50), random() % 9);
        }
        sink.finish();
        return out.str();
    };
    EXPECT_EQ(run(), run());
}

TEST(PerfettoFile, IsWrittenPieceByPieceAndComplete) {
    const std::string path = testing::TempDir() + "perfetto_sink_test.trace";
    uint64_t bytes = 0;
    {
        PerfettoSink sink(path);
        const TrackId row = sink.track("cp", kNs);
        for (uint64_t i = 0; i < 100'000; ++i) {
            sink.slice(row, i, i + 1, "x");
        }
        bytes = sink.bytes_written();
        EXPECT_GT(bytes, uint64_t{2} << 20);
        std::ifstream early(path, std::ios::binary | std::ios::ate);
        EXPECT_GE(static_cast<uint64_t>(early.tellg()), bytes - (uint64_t{1} << 20));
    }
    std::ifstream in(path, std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(decode_trace(all).slices.size(), 100'000U);
    std::remove(path.c_str());
}

TEST(PerfettoFile, FailuresNameTheFile) {
    try {
        PerfettoSink sink("/no/such/directory/t.trace");
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("/no/such/directory/t.trace: No such file"));
    }
    PerfettoSink full("/dev/full");
    full.instant(full.track("cp", kNs), 1, "x");
    try {
        full.finish();
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("/dev/full"));
    }
}

}  // namespace
}  // namespace archipelago::report::test
