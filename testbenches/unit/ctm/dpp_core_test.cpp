// SPDX-License-Identifier: Apache-2.0
// When the threads of an array issue, look up and write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/ctm/isa/text.h"
#include "testbenches/unit/ctm/dpp_bench.h"

namespace archipelago::ctm::dpp::test {
namespace {

using ::testing::HasSubstr;

// r1 = r1 + 0, `count` times.
Program chain(unsigned count) {
    Program program(count, mad(1, temporary(1), temporary(1), temporary(2)));
    program.push_back(end());
    return program;
}

// Cycles until the last of `threads` has been reported.
Cycle cycles_of(const Program& program, unsigned threads = 1, const Spec& spec = {},
                Latencies latency = {}) {
    Bench bench(spec, latency);
    bench.load(program);
    for (unsigned i = 0; i < threads; ++i)
        bench.launch(make_launch(i, spec.quads));
    const Cycle cycles = bench.run();
    EXPECT_EQ(bench.pe.ended.size(), threads);
    return cycles;
}

std::string error_of(Bench& bench, StopKind kind = StopKind::BadInput) {
    try {
        bench.run();
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), kind);
        return stop.what();
    }
    return "no error";
}

// ---- the ALU and flow control

TEST(DppIssue, InstructionsOfAThreadAreTheAluLatencyApart) {
    for (const unsigned latency : {8u, 9u, 13u}) {
        Spec spec;
        spec.alu_latency = latency;
        EXPECT_EQ(cycles_of(chain(20), 1, spec) - cycles_of(chain(10), 1, spec), 10 * latency);
    }
}

TEST(DppIssue, AnInstructionOccupiesTheAluForTheLanesOfItsThread) {
    // Two threads keep the ALU busy: 4 cycles an instruction.
    for (const unsigned threads : {2u, 6u, 32u}) {
        const Cycle more = cycles_of(chain(150), threads) - cycles_of(chain(50), threads);
        EXPECT_EQ(more, 100u * threads * 4);
    }
    // 16 lanes on 4 processors, 48 on 12, 48 on 48.
    Spec r520;
    r520.quads = 4;
    r520.processors = 4;
    EXPECT_EQ(cycles_of(chain(150), 2, r520) - cycles_of(chain(50), 2, r520), 100u * 2 * 4);
    Spec wide;
    wide.processors = 48;
    EXPECT_EQ(cycles_of(chain(150), 16, wide) - cycles_of(chain(50), 16, wide), 100u * 16);
}

TEST(DppIssue, ANopTakesTheThreadAndTheAluItsCycles) {
    Spec spec;
    spec.nop_cycles = 5;
    Program with_nop = chain(10);
    for (unsigned i = 0; i < 10; ++i)
        isa::set(with_nop[i], Field::Nop, 1);
    EXPECT_EQ(cycles_of(with_nop, 1, spec) - cycles_of(chain(10), 1, spec), 10u * 5);
    EXPECT_EQ(cycles_of(with_nop, 4, spec) - cycles_of(chain(10), 4, spec), 4 * 10u * 5);
}

TEST(DppIssue, TheOldestReadyThreadIssuesFirst) {
    Bench bench;
    bench.load(chain(40));
    for (unsigned i = 0; i < 8; ++i)
        bench.launch(make_launch(i));
    bench.run();
    ASSERT_EQ(bench.pe.ended.size(), 8u);
    for (unsigned i = 0; i < 8; ++i)
        EXPECT_EQ(bench.pe.ended[i].first, i);
    // Two threads fill the ALU: the third comes after the first has ended.
    EXPECT_GE(bench.pe.ended[2].second, bench.pe.ended[0].second + 39 * 4);
    EXPECT_GT(bench.time(ThreadTime::AluBusy), 0u);
}

// A jump to the next instruction, `count` times.
Program jumps(unsigned count, bool wait) {
    Program program;
    for (unsigned i = 0; i < count; ++i) {
        program.push_back(mad(1, temporary(1), temporary(1), temporary(2)));
        program.push_back(
            with(flow(isa::FlowOp::Jump, 0, kJumpNever), Field::AluWait, wait ? 1 : 0));
    }
    program.push_back(end());
    return program;
}

TEST(DppIssue, FlowControlHasItsOwnUnitAndLatency) {
    Spec spec;
    spec.alu_latency = 10;
    spec.flow_cycles = 3;
    spec.flow_latency = 11;
    // ALU, 4 cycles later FC, 11 cycles later the next ALU; with ALU_WAIT FC 10 cycles later.
    EXPECT_EQ(cycles_of(jumps(20, false), 1, spec) - cycles_of(jumps(10, false), 1, spec),
              10u * (4 + 11));
    EXPECT_EQ(cycles_of(jumps(20, true), 1, spec) - cycles_of(jumps(10, true), 1, spec),
              10u * (10 + 11));
    spec.flow_cycles = 6;
    // The slower unit decides.
    EXPECT_EQ(cycles_of(jumps(20, true), 16, spec) - cycles_of(jumps(10, true), 16, spec),
              16 * 10u * 6);
}

TEST(DppIssue, ALoopRunsAsOftenAsItsConstantSays) {
    Latencies slow;
    slow.words = 20;
    Bench bench({}, slow);
    bench.contents.integers[3] = 7 | 0 << 8 | 1 << 16;
    bench.contents.floats[5] = {1, 0, 0, 0};
    const Words loop = with(flow(isa::FlowOp::Loop, 3, kJumpNever), Field::FcIntAddr, 3);
    const Words again = with(flow(isa::FlowOp::EndLoop, 1, kJumpAlways), Field::FcIntAddr, 3);
    const Words one = mad(1, constant(5), constant(5), temporary(1));
    bench.load({loop, one, again, last(out(0, 1, 1))});
    bench.launch(make_launch());
    bench.run();
    EXPECT_EQ(bench.instructions(isa::Type::Alu), 7u);
    const float seven = 7;
    uint32_t bits = 0;
    std::memcpy(&bits, &seven, 4);
    EXPECT_EQ(bench.written.outputs.size(), 48u);
    for (const auto& [place, value] : bench.written.outputs)
        EXPECT_EQ(value, bits);
    // A jump back drops what was fetched ahead, and waits for the memory controller.
    EXPECT_GE(bench.core.state().counters.fetches_dropped, 6u);
    EXPECT_GT(bench.time(ThreadTime::Fetch), 6 * 10u);
}

// ---- fetch and constants

TEST(DppFetch, TheNextInstructionIsFetchedWhileOneRuns) {
    Latencies slow;
    slow.words = 6;  // and two channels: there when the ALU's latency is over
    EXPECT_EQ(cycles_of(chain(20), 1, {}, slow) - cycles_of(chain(10), 1, {}, slow), 10u * 8);
    slow.words = 16;
    const Cycle cycles = cycles_of(chain(20), 1, {}, slow) - cycles_of(chain(10), 1, {}, slow);
    EXPECT_EQ(cycles, 10u * (16 + 2));
}

TEST(DppFetch, NothingBehindTheEndOfTheProgramIsAskedFor) {
    // Contents::words() throws for an instruction that is not there.
    Bench bench;
    bench.load(chain(3));
    bench.launch(make_launch());
    EXPECT_NO_THROW(bench.run());
    EXPECT_EQ(bench.core.state().counters.fetches, 4u);
    EXPECT_TRUE(bench.core.idle());
}

TEST(DppFetch, ConstantsAreReadOnceForTheThreadsOfAProgram) {
    Bench bench;
    bench.load({mad(1, constant(9), constant(200), temporary(1)),
                mad(1, constant(9), constant(9), temporary(1)), end()});
    for (unsigned i = 0; i < 6; ++i)
        bench.launch(make_launch(i));
    bench.run();
    EXPECT_EQ(bench.words[kFloatWords]->seen.size(), 2u);
    // The next program start sees what has been written since.
    bench.contents.floats[9] = {2, 2, 2, 2};
    ThreadLaunch next = make_launch();
    next.program = 1;
    bench.launch(next);
    bench.run();
    EXPECT_EQ(bench.words[kFloatWords]->seen.size(), 4u);
}

TEST(DppFetch, ThreadsOfTwoProgramsKeepTheirConstants) {
    Bench bench;
    bench.contents.program = {mad(1, constant(1), constant(2), constant(3)),
                              mad(1, constant(4), constant(5), temporary(1)), last(out(0, 1))};
    for (unsigned i = 1; i < 6; ++i)
        bench.contents.floats[i] = {float(i), 1, 2, 3};
    std::vector<ThreadLaunch> launches;
    for (unsigned i = 0; i < 8; ++i) {
        launches.push_back(make_launch(i));
        launches.back().program = i % 2;
        bench.launch(launches.back());
    }
    bench.run();
    EXPECT_TRUE(bench.written == run_plainly(bench.contents, launches));
}

// ---- lookups

// A lookup, `between` instructions of the ALU, and a wait for the semaphore.
Program lookup_and(unsigned between) {
    Program program = chain(between);
    program.insert(program.begin(), lookup(3, 0, 2));
    program.back() = last(out(0, 3));
    return program;
}

TEST(DppLookup, TheSemaphoreHoldsAThreadUntilItsTexelsAreBack) {
    Latencies near, far;
    near.texture = 50;
    far.texture = 150;
    EXPECT_EQ(cycles_of(lookup_and(0), 1, {}, far) - cycles_of(lookup_and(0), 1, {}, near), 100u);
    Spec spec;
    spec.lookup_cycles = 8;  // in which the next instruction is fetched
    Bench bench(spec, far);
    bench.load(lookup_and(0));
    bench.launch(make_launch());
    bench.run();
    // Address, two channels, twelve quads, memory, return: less what the thread executes itself.
    const uint64_t wait = spec.lookup_address_latency + 11 + 1 + 150 + 1 +
                          spec.lookup_return_latency - spec.lookup_cycles;
    EXPECT_EQ(bench.time(ThreadTime::Semaphore), wait);
    EXPECT_EQ(bench.core.state().counters.lookup_quads, 12u);
    EXPECT_EQ(bench.core.state().counters.lookup_elements, 48u);
    EXPECT_TRUE(bench.written == run_plainly(bench.contents, {make_launch()}));
}

TEST(DppLookup, OtherInstructionsRunWhileTexelsAreOnTheirWay) {
    Latencies far;
    far.texture = 500;
    EXPECT_EQ(cycles_of(lookup_and(30), 1, {}, far), cycles_of(lookup_and(0), 1, {}, far));
    EXPECT_GT(cycles_of(lookup_and(80), 1, {}, far), cycles_of(lookup_and(0), 1, {}, far));
}

TEST(DppLookup, OtherThreadsRunWhileTexelsAreOnTheirWay) {
    Latencies far;
    far.texture = 500;
    const Cycle one = cycles_of(lookup_and(4), 1, {}, far);
    // Twelve quads of each leave, one after the other.
    EXPECT_LE(cycles_of(lookup_and(4), 16, {}, far), one + 15 * 12 + 16);
}

TEST(DppLookup, AQuadLeavesEachCycleInTheOrderOfIssue) {
    Bench bench;
    bench.load({lookup(3, 0, 1, false), lookup(4, 0, 2, false), end()});
    bench.launch(make_launch());
    bench.run();
    const auto& seen = bench.texture.seen;
    ASSERT_EQ(seen.size(), 24u);
    for (size_t i = 0; i < seen.size(); ++i) {
        EXPECT_EQ(seen[i].first, seen[0].first + i);
        EXPECT_EQ(seen[i].second.client, i < 12 ? kInput0 + 1 : kInput0 + 2);
        EXPECT_EQ(seen[i].second.lanes, 0xf);
    }
}

TEST(DppLookup, WithoutSemaphoreARegisterThatALookupWritesIsWaitedFor) {
    Bench bench;
    bench.load({lookup(3, 0, 2, false), mad(1, temporary(3), temporary(3), temporary(3)),
                last(out(1, 1))});
    isa::set(bench.contents.program.back(), Field::TexSemWait, 0);
    bench.launch(make_launch());
    bench.run();
    EXPECT_GT(bench.time(ThreadTime::Lookup), 20u);
    EXPECT_EQ(bench.time(ThreadTime::Semaphore), 0u);
    EXPECT_TRUE(bench.written == run_plainly(bench.contents, {make_launch()}));
}

TEST(DppLookup, ASemaphoreThatNoLookupHasAcquiredHoldsNobody) {
    Bench bench;
    bench.load({lookup(3, 0, 2, false),
                with(mad(1, temporary(2), temporary(2), temporary(2)), Field::TexSemWait), end()});
    bench.launch(make_launch());
    bench.run();
    EXPECT_EQ(bench.time(ThreadTime::Semaphore), 0u);
    EXPECT_GT(bench.time(ThreadTime::Drain), 0u);
}

TEST(DppLookup, TheQueueOfThePortIsWaitedFor) {
    Spec spec;
    spec.lookup_queue = 1;
    Bench bench(spec);
    bench.load({lookup(3, 0, 2, false), lookup(4, 0, 2, false), lookup(5, 0, 2, false), end()});
    for (unsigned i = 0; i < 4; ++i)
        bench.launch(make_launch(i));
    bench.run();
    EXPECT_EQ(bench.pe.ended.size(), 4u);
    EXPECT_GT(bench.time(ThreadTime::LookupQueue), 12u * 12 - 20);
}

// set_inp_fmt of input 2: a pitch of 8 elements, `height` rows.
UnitCommand set_input(unsigned height) {
    UnitCommand command;
    command.opcode = static_cast<uint8_t>(Command::SetInpFmt);
    command.parameters = {2, 0, 8, height};
    return command;
}

TEST(DppLookup, ScaledCoordinatesAreThoseOfTheInputAsItIsWhenTheThreadStarts) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
        Bench bench;
        if (seed != 0)
            bench.core.commands.random_stall(seed, 97);
        // S and T are 0.5: the element (4, height / 2).
        bench.contents.floats[0] = {0.5f, 0.5f, 0.5f, 0.5f};
        bench.load({mad(1, temporary(2), temporary(2), constant(0)),
                    with(with(lookup(3, 1, 2), Field::TexUnscaled, 0), Field::AluWait), end()});
        EventLink<UnitCommandDone> done;
        bench.core.to_command_done.connect(done);
        for (Cycle now = 1; !bench.core.commands.can_push(now); ++now)
            bench.scheduler.step(now);
        bench.core.commands.push(bench.scheduler.now() + 1, set_input(16));
        bench.launch(make_launch(0, 1));
        bench.run();
        ASSERT_EQ(bench.texture.seen.size(), 1u);
        EXPECT_EQ(bench.texture.seen[0].second.index[0].x, 4u);
        EXPECT_EQ(bench.texture.seen[0].second.index[0].y, 8u);
        ASSERT_TRUE(done.ready(bench.scheduler.now() + 1));
        EXPECT_EQ(done.take().opcode, static_cast<uint8_t>(Command::SetInpFmt));
    }
    Bench unset;
    unset.load({with(lookup(3, 1, 2), Field::TexUnscaled, 0), end()});
    unset.launch(make_launch());
    EXPECT_THAT(error_of(unset),
                HasSubstr("ctm.dpp3: thread at (0, 0), pc 0, TEX: scaled coordinates of input 2"));
}

// ---- outputs

TEST(DppOutput, EachQuadIsWrittenWithItsChannels) {
    Bench bench;
    bench.contents.floats[0] = {1, 2, 3, 4};
    bench.load({mad(1, temporary(2), temporary(2), constant(0)), out(0, 1, 0x5), last(out(3, 1))});
    ThreadLaunch l = make_launch(0, 3);
    l.covered = 0xf3f;
    bench.launch(l);
    bench.run();
    const auto& seen = bench.output.seen;
    ASSERT_EQ(seen.size(), 6u);
    EXPECT_EQ(seen[1].second.client, kOutput0);
    EXPECT_EQ(seen[1].second.lanes, 0x3);
    EXPECT_EQ(seen[1].second.channels[0], 0x5);
    EXPECT_EQ(seen[4].second.client, kOutput0 + 3);
    EXPECT_EQ(seen[4].second.channels[1], 0xf);
    for (size_t i = 1; i < seen.size(); ++i)
        EXPECT_EQ(seen[i].first, seen[0].first + i);
    EXPECT_TRUE(bench.written == run_plainly(bench.contents, {l}));
}

TEST(DppOutput, AThreadIsDoneWhenItsWritesAreAnswered) {
    Latencies slow;
    slow.output = 105;
    const Program program{last(out(0, 0))};
    EXPECT_EQ(cycles_of(program, 1, {}, slow) - cycles_of(program, 1), 100u);
    // Nothing written, nothing waited for.
    EXPECT_EQ(cycles_of({end()}, 1, {}, slow), cycles_of({end()}, 1));
}

TEST(DppOutput, AConditionIsTestedByTheQuadAndDecidesWhatIsWritten) {
    Bench bench;
    bench.contents.floats[0] = {0, 0, 0, 1};
    // The conditional value of covered lanes is alpha of the OUT with W_OMASK.
    bench.load(
        {mad(1, temporary(2), temporary(2), constant(0)), with(last(out(0, 1)), Field::WOmask)});
    ThreadLaunch l = make_launch(0, 5);
    l.conditional_output = true;
    l.conditional = 77;
    bench.launch(l);
    bench.run();
    EXPECT_EQ(bench.core.state().counters.tests, 5u);
    EXPECT_EQ(bench.written.tested.size(), 20u);
    EXPECT_EQ((bench.written.tested[{0, 0}]), 0x3f800000u);
    EXPECT_LT(bench.written.outputs.size(), 80u);
    EXPECT_GT(bench.written.outputs.size(), 0u);
    EXPECT_GT(bench.time(ThreadTime::Test), 6u);
    EXPECT_TRUE(bench.written == run_plainly(bench.contents, {l}));
}

TEST(DppOutput, WithoutAnOutOfItsOwnTheConditionalValueIsThePes) {
    Bench bench;
    bench.load({last(out(0, 0))});
    ThreadLaunch l = make_launch(0, 2);
    l.conditional_output = true;
    l.conditional = 0x40400000;
    bench.launch(l);
    bench.run();
    for (const auto& [at, value] : bench.written.tested)
        EXPECT_EQ(value, 0x40400000u);
    EXPECT_EQ(bench.written.tested.size(), 8u);
}

TEST(DppOutput, TheFirstOutWaitsForOutputSpace) {
    Spec spec;
    spec.output_threads = 1;
    Latencies slow;
    slow.output = 100;
    Bench bench(spec, slow);
    bench.load({out(0, 0), last(out(1, 0))});
    for (unsigned i = 0; i < 3; ++i)
        bench.launch(make_launch(i));
    bench.run();
    EXPECT_EQ(bench.pe.ended.size(), 3u);
    EXPECT_GT(bench.time(ThreadTime::OutputQueue), 300u);
    EXPECT_GE(bench.pe.ended[1].second - bench.pe.ended[0].second, 100u);
}

ThreadLaunch uncached(unsigned number, unsigned quads = isa::kMaxQuads) {
    ThreadLaunch l = make_launch(number, quads);
    l.mode.uncached_outputs = true;
    return l;
}

// (x, y) of the write are green and blue: r0.g and 0.
TEST(DppOutput, UncachedOutputsLeaveAtOnce) {
    Latencies far;
    far.texture = 400;
    Bench bench({}, far);
    bench.load({lookup(3, 0, 2), out(0, 0), end()});
    bench.launch(uncached(0));
    bench.run();
    ASSERT_EQ(bench.output.seen.size(), 12u);
    EXPECT_LT(bench.output.seen.back().first, bench.pe.ended[0].second - 300);
    EXPECT_EQ(bench.written.uncached.size(), 48u);
    EXPECT_TRUE(bench.written == run_plainly(bench.contents, {uncached(0)}));
}

TEST(DppOutput, AnIndexPerProcessorTakesAQuarterOfTheRate) {
    for (const unsigned target : {0u, 1u, 2u, 3u}) {
        Bench bench;
        bench.load({out(target, 0), end()});
        bench.launch(uncached(0));
        bench.run();
        const auto& seen = bench.output.seen;
        ASSERT_EQ(seen.size(), 12u);
        EXPECT_EQ(seen.back().first - seen.front().first, target < 2 ? 11u : 44u);
    }
}

TEST(DppOutput, AnAcquiringOutHoldsTheSemaphoreUntilItsWritesAreAnswered) {
    Latencies slow;
    slow.output = 200;
    for (const unsigned target : {0u, 1u}) {
        Bench bench({}, slow);
        bench.load({out(target, 0),
                    with(mad(1, temporary(1), temporary(1), temporary(1)), Field::TexSemWait),
                    end()});
        bench.launch(uncached(0));
        bench.run();
        if (target == 1)
            EXPECT_GT(bench.time(ThreadTime::Semaphore), 200u);
        else
            EXPECT_LT(bench.time(ThreadTime::Semaphore), 1u);
    }
}

// ---- threads

unsigned most_resident(Bench& bench, unsigned threads, unsigned temporaries) {
    bench.load(chain(100));
    for (unsigned i = 0; i < threads; ++i) {
        ThreadLaunch l = make_launch(i);
        l.temporaries = static_cast<uint8_t>(temporaries);
        bench.launch(l);
    }
    unsigned most = 0;
    for (Cycle now = 1; now < 1000000 && bench.pe.ended.size() < threads; ++now) {
        bench.scheduler.step(now);
        most = std::max(most, bench.core.state().resident);
    }
    EXPECT_EQ(bench.pe.ended.size(), threads);
    return most;
}

TEST(DppThreads, SlotsAndRegistersBoundThem) {
    Spec spec;
    spec.threads = 24;
    spec.registers = 256;
    Bench few(spec), many(spec), all(spec);
    EXPECT_EQ(most_resident(few, 40, 4), 24u);
    EXPECT_EQ(most_resident(many, 40, 20), 12u);
    EXPECT_EQ(most_resident(all, 5, 128), 2u);
    EXPECT_GT(all.core.state().counters.launch_stall_cycles, 800u);
    EXPECT_EQ(few.core.state().registers_free, 256u);
}

TEST(DppThreads, AnIdleArrayIsNotTicked) {
    Bench bench;
    bench.load(chain(10));
    bench.launch(make_launch());
    bench.run();
    const uint64_t ticks = bench.scheduler.ticks();
    bench.scheduler.run(bench.scheduler.now() + 100000);
    EXPECT_LE(bench.scheduler.ticks(), ticks + 2);
}

TEST(DppThreads, WaitingForMemoryCostsNoTicks) {
    Latencies far;
    far.texture = 10000;
    Bench bench({}, far);
    bench.load(lookup_and(0));
    bench.launch(make_launch());
    bench.run();
    EXPECT_LT(bench.scheduler.ticks(), 300u);
}

TEST(DppThreads, TheSameProgramRunsAgainInTheSameSlots) {
    Bench bench;
    bench.load(lookup_and(3));
    std::vector<ThreadLaunch> launches;
    for (unsigned i = 0; i < 300; ++i) {
        launches.push_back(make_launch(i % 200));
        bench.launch(launches.back());
    }
    bench.run();
    EXPECT_EQ(bench.pe.ended.size(), 300u);
    EXPECT_TRUE(bench.written == run_plainly(bench.contents, launches));
}

TEST(DppThreads, TheTimelineShowsThem) {
    struct Sink : TraceSink {
        std::vector<std::string> rows, slices;
        TrackId track(const std::string& path, uint64_t) override {
            rows.push_back(path);
            return static_cast<TrackId>(rows.size() - 1);
        }
        void slice(TrackId track, Cycle begin, Cycle end, std::string_view name, uint64_t,
                   std::string_view detail) override {
            EXPECT_LT(begin, end);
            slices.push_back(rows[track] + " " + std::string(name) + " " + std::string(detail));
        }
        void instant(TrackId, Cycle, std::string_view, uint64_t) override {}
    } sink;
    Bench bench;
    bench.core.observe({&sink, nullptr, 1}, "dpp3");
    bench.load(chain(10));
    bench.launch(make_launch(4));
    bench.run();
    ASSERT_EQ(sink.slices.size(), 1u);
    EXPECT_EQ(sink.slices[0], "dpp3.thread0 thread 4 from (0, 32), 11 instructions");
}

TEST(DppThreads, CountersAndLogSayWhatTheyDid) {
    struct Log : LogSink {
        std::vector<std::string> lines;
        Log() { mask_ = 1u << static_cast<unsigned>(LogCategory::Isa); }
        void line(LogCategory, Cycle, std::string_view unit, std::string_view text) override {
            lines.push_back(std::string(unit) + ": " + std::string(text));
        }
    } log;
    Bench bench;
    bench.core.observe({nullptr, &log, 1}, "dpp3");
    bench.load({lookup(3, 0, 2), mad(1, constant(7), temporary(1), temporary(1)),
                flow(isa::FlowOp::Jump, 0, kJumpNever), last(out(0, 3))});
    ThreadLaunch l = make_launch(0, 2);
    l.covered = 0x0f;
    bench.launch(l);
    bench.launch(make_launch(1, 2));
    bench.run();
    StatsRegistry stats;
    bench.core.register_stats(stats, "dpp3");
    std::map<std::string, uint64_t> values;
    for (const Counter& counter : stats.counters()) {
        EXPECT_EQ(counter.unit_path, "dpp3");
        EXPECT_TRUE(values.emplace(counter.name, *counter.value).second) << counter.name;
    }
    const std::map<std::string, uint64_t> expected{
        {"threads", 2},          {"threads_ended", 2},    {"alu_instructions", 2},
        {"out_instructions", 2}, {"fc_instructions", 2},  {"tex_instructions", 2},
        {"alu_lanes", 2 * 12},   {"alu_busy_cycles", 16}, {"flow_busy_cycles", 8},
        {"lookup_quads", 4},     {"output_quads", 3},     {"output_elements", 12},
        {"constants_read", 1},   {"fetches", 8},          {"fetches_dropped", 0}};
    for (const auto& [name, value] : expected)
        EXPECT_EQ(values.at(name), value) << name;
    ASSERT_EQ(log.lines.size(), 8u);
    EXPECT_EQ(log.lines[0],
              "ctm.dpp3: slot 0 (0, 0) 0: " + isa::disassemble(bench.contents.program[0]));
}

// ---- errors

TEST(DppErrors, NameThePlace) {
    Bench reserved;
    reserved.load({with(mad(1, temporary(1), temporary(1), temporary(1)), Field::RgbOp, 6), end()});
    reserved.launch(make_launch(2));
    EXPECT_THAT(error_of(reserved), HasSubstr("ctm.dpp3: thread at (0, 16), pc 0, ALU"));
    Bench registers;
    registers.load({mad(1, temporary(1), temporary(1), temporary(1)),
                    mad(40, temporary(1), temporary(1), temporary(1)), end()});
    registers.launch(make_launch());
    EXPECT_THAT(error_of(registers), HasSubstr("ctm.dpp3: thread at (0, 0), pc 1, ALU: names r40, "
                                               "PROGINFO has 16 temporaries"));
    Bench relative;
    relative.load({with(mad(1, temporary(1), temporary(1), temporary(1)), Field::RgbAddr0Rel)});
    relative.launch(make_launch());
    EXPECT_THAT(error_of(relative), HasSubstr("names r127 (as all do to which aL is added)"));
    Bench endless;
    endless.core.set_instruction_limit(1000);
    endless.load({flow(isa::FlowOp::Jump, 0, kJumpAlways)});
    endless.launch(make_launch());
    EXPECT_THAT(error_of(endless, StopKind::Hang),
                HasSubstr("ctm.dpp3: thread at (0, 0), pc 0, FC: the thread has executed 1000 "));
    // c255 + aL, whose constant is looked for before the instruction issues.
    Bench outside;
    outside.contents.integers[0] = 1 | 1 << 8;
    outside.load({flow(isa::FlowOp::Loop, 3, kJumpNever),
                  with(mad(1, constant(255), temporary(1), temporary(1)), Field::RgbAddr0Rel),
                  flow(isa::FlowOp::EndLoop, 1, kJumpAlways), end()});
    outside.launch(make_launch());
    EXPECT_THAT(error_of(outside), HasSubstr("ctm.dpp3: thread at (0, 0), pc 1, ALU: float "
                                             "constant 255 + aL is 256"));
    Bench overflow;
    overflow.load({with(flow(isa::FlowOp::Jump, 0, kJumpAlways), Field::FcAOp,
                        static_cast<uint32_t>(isa::AddressStackOp::Push))});
    overflow.launch(make_launch());
    EXPECT_THAT(error_of(overflow), HasSubstr("ctm.dpp3: thread at (0, 0), pc 0, FC"));
}

TEST(DppErrors, ALaunchThatTheArrayCannotTakeIsRefused) {
    Spec r520;
    r520.quads = 4;
    r520.processors = 4;
    Bench wide(r520);
    wide.load(chain(1));
    wide.launch(make_launch(0, 5));
    EXPECT_THROW(wide.run(), MachineStop);
    Bench odd;
    ThreadLaunch l = make_launch();
    l.origin[1].x = 3;
    odd.launch(l);
    EXPECT_THROW(odd.run(), MachineStop);
}

TEST(DppErrors, ASpecOutOfRangeIsRefusedByItsKey) {
    const auto error = [](Spec spec) -> std::string {
        try {
            spec.validate();
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "none";
    };
    Spec spec;
    EXPECT_EQ(error(spec), "none");
    spec.registers = 127;
    EXPECT_THAT(error(spec), HasSubstr("ctm.dpp.registers: 127 not in 128"));
    spec = {};
    spec.processors = 5;
    EXPECT_THAT(error(spec), HasSubstr("ctm.dpp.processors"));
    spec = {};
    spec.threads = 0;
    EXPECT_THAT(error(spec), HasSubstr("ctm.dpp.threads"));
}

}  // namespace
}  // namespace archipelago::ctm::dpp::test
