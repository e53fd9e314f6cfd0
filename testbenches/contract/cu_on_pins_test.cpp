// SPDX-License-Identifier: Apache-2.0
// A chip whose compute units stand on their pins: the model there does what it does in place,
// cycle for cycle, and says what retires.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/cu/pins/cu_on_pins.h"
#include "models/cu/pins/cu_pin_core.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/retire/retire_writer.h"
#include "testbenches/host/runner.h"
#include "testbenches/support/child_process.h"
#include "testbenches/support/retired_text.h"

namespace archipelago::host::cu_on_pins_test {
namespace {

using test::sorted_lines;
using test::without_accesses;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// The model of a unit on pins; `spoil` changes what leaves it.
class SpoiledCore : public cu::CuPinCore {
  public:
    using Spoil = std::function<void(Out&)>;
    SpoiledCore(const cu::CuSpec& timing, Spoil spoil)
        : CuPinCore(timing), spoil_(std::move(spoil)) {}
    void step(const In& in, Out& out) override {
        CuPinCore::step(in, out);
        if (spoil_)
            spoil_(out);
        ++steps_;
    }
    uint64_t steps() const { return steps_; }

  private:
    Spoil spoil_;
    uint64_t steps_ = 0;
};

class OnPins : public cu::CuFactory {
  public:
    explicit OnPins(SpoiledCore::Spoil spoil = {}) : spoil_(std::move(spoil)) {}
    std::unique_ptr<cu::ComputeUnit> make(const cu::CuSpec& spec, const cu::CuIdentity& identity,
                                          std::shared_ptr<cu::DecodeCache> decode_cache,
                                          unsigned number) override {
        if (number >= 1 && only_first)
            return nullptr;
        cores.push_back(std::make_unique<SpoiledCore>(spec, spoil_));
        return std::make_unique<cu::CuOnPins>(*cores.back(), spec, identity,
                                              std::move(decode_cache));
    }
    bool only_first = false;
    std::vector<std::unique_ptr<SpoiledCore>> cores;

  private:
    SpoiledCore::Spoil spoil_;
};

struct Outcome {
    RunOutcome outcome;
    std::string retired;  // the trace, accesses of memory left out
    std::string trace;
    asic::WorkDone work;
    std::vector<std::string> warnings;
};

struct Stalls {
    unsigned percent = 0;
    uint64_t seed = 1;
};

Outcome run(const std::string& name, OnPins* factory, bool retire = false,
            const Stalls& stalls = {}) {
    config::Diagnostics diagnostics;
    const auto chip = asic::load_chip("tahiti", {});
    const auto workload = load_workload(
        std::string(ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/") + name + ".yaml",
        always(*chip), diagnostics);
    diagnostics.throw_if_errors();
    MachineOptions options;
    options.chip.stall_percent = stalls.percent;
    options.chip.stall_seed = stalls.seed;
    if (factory != nullptr)
        options.chip.substitutes.use<cu::CuFactory>(*factory);
    std::string text;
    RetireWriter writer(RetireWriter::Format::Text, {}, [&](std::string_view s) { text += s; });
    if (retire)
        options.chip.retire = &writer;
    Machine machine("bench", *chip, options);
    Outcome result{Runner(*workload, machine).run(), {}, {}, {}, {}};
    writer.flush();
    result.retired = without_accesses(text);
    result.trace = std::move(text);
    result.work = machine.chip().work();
    result.warnings = machine.chip().warnings();
    return result;
}

uint64_t golden_cycles(const std::string& name) {
    std::ifstream file(ARCHIPELAGO_SOURCE_DIR "/testbenches/golden/tahiti.json");
    return nlohmann::json::parse(file).at("workloads").at(name).at("cycles");
}

class OfAWorkload : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(CuOnPins, OfAWorkload,
                         ::testing::Values("saxpy", "reduction", "transpose", "gds_counters",
                                           "gds_ordered", "draws", "draws_geometry", "draws_vmid",
                                           "context_roll"),
                         [](const auto& info) { return info.param; });

TEST_P(OfAWorkload, TheModelTakesItsCyclesAndLeavesItsResults) {
    OnPins pins;
    const Outcome on_pins = run(GetParam(), &pins);
    EXPECT_THAT(on_pins.outcome.failures, IsEmpty());
    EXPECT_EQ(on_pins.outcome.cycles, golden_cycles(GetParam()));
    EXPECT_EQ(pins.cores.size(), 32u);
}

// A process has one chip.
std::string cycles_in_a_child(const std::string& name, OnPins* pins, const Stalls& stalls) {
    return run_in_child([&](const ChildPipe& to) {
               to.write(std::to_string(run(name, pins, false, stalls).outcome.cycles));
               return 0;
           })
        .output;
}

// What has waited comes in consecutive cycles, a message a cycle at each port, as to the model.
TEST_P(OfAWorkload, TheModelTakesItsCyclesAmongChannelsThatStall) {
    for (const uint64_t seed : {1, 2}) {
        const Stalls stalls{30, seed};
        const std::string in_place = cycles_in_a_child(GetParam(), nullptr, stalls);
        OnPins pins;
        EXPECT_EQ(cycles_in_a_child(GetParam(), &pins, stalls), in_place) << seed;
        EXPECT_THAT(in_place, Not(IsEmpty()));
    }
}

// A unit that drives no port `retire`, as CuPins::Out has it.
void say_nothing(cu::CuPins::Out& out) {
    out.retires = out.retire_valid = 0;
    out.retire = {};
}

TEST(CuOnPins, UnitThatDoesNotSayWhatRetiresIsNamed) {
    OnPins pins(say_nothing);
    const Outcome result = run("saxpy", &pins, true);
    EXPECT_THAT(result.outcome.failures, IsEmpty());
    EXPECT_THAT(result.retired, IsEmpty());
    EXPECT_THAT(result.work.silent, SizeIs(32));
    EXPECT_EQ(result.work.silent.front(), "se0.sh0.cu0");
    EXPECT_EQ(result.work.instructions, 0u);
    EXPECT_THAT(result.warnings, Contains(AllOf(HasSubstr("se0.sh0.cu0, "),
                                                HasSubstr("does not say what retires"))));
}

TEST(CuOnPins, TraceSaysOfWhichWavesItHasNoAccesses) {
    OnPins pins;
    pins.only_first = true;
    const Outcome result = run("saxpy", &pins, true);
    EXPECT_THAT(result.work.silent, IsEmpty());
    EXPECT_THAT(result.warnings, IsEmpty());
    std::istringstream lines(result.trace);
    std::set<std::string> of_unit, said;
    for (std::string line; std::getline(lines, line);) {
        const bool comment = line.rfind("# ", 0) == 0;
        const std::string wave =
            line.substr(comment ? 2 : 0, line.find(' ', 2) - (comment ? 2 : 0));
        if (comment && line.find(" unit=se0.sh0.cu0 accesses=none") != std::string::npos)
            said.insert(wave);
        else if (line.find(" se0.sh0.cu0 simd") != std::string::npos)
            of_unit.insert(wave);
    }
    EXPECT_THAT(said, Not(IsEmpty()));
    EXPECT_EQ(said, of_unit);
    EXPECT_THAT(result.trace, HasSubstr("global.load."));  // of the other units
}

// A process has one chip.
std::string retired_in_place(const std::string& name) {
    return run_in_child([&](const ChildPipe& to) {
               to.write(run(name, nullptr, true).retired);
               return 0;
           })
        .output;
}

TEST(CuOnPins, WhatRetiresIsWhatTheModelSays) {
    const std::string in_place = sorted_lines(retired_in_place("reduction"));
    OnPins pins;
    const Outcome on_pins = run("reduction", &pins, true);
    EXPECT_EQ(on_pins.outcome.cycles, golden_cycles("reduction"));
    EXPECT_GT(in_place.size(), 100'000u);
    EXPECT_TRUE(in_place == sorted_lines(on_pins.retired));
}

// The ends of waves, each so many cycles later than the unit gives it: after retire_end.
class LateDone {
  public:
    void operator()(cu::CuPins::Out& out) {
        ++cycle_;
        if (out.done_valid != 0)
            late_.push_back({cycle_ + kCycles, out.done_wave, out.done_exports});
        out.done_valid = !late_.empty() && late_.front().at <= cycle_ ? 1 : 0;
        if (out.done_valid == 0)
            return;
        out.done_wave = late_.front().wave;
        out.done_exports = late_.front().exports;
        late_.pop_front();
    }

  private:
    static constexpr uint64_t kCycles = 100;
    struct Done {
        uint64_t at;
        uint8_t wave;
        uint32_t exports;
    };
    std::deque<Done> late_;
    uint64_t cycle_ = 0;
};

TEST(CuOnPins, RetiringMayEndBeforeTheWaveIsDone) {
    const std::string in_place = sorted_lines(retired_in_place("reduction"));
    OnPins pins(LateDone{});
    const Outcome on_pins = run("reduction", &pins, true);
    EXPECT_THAT(on_pins.outcome.failures, IsEmpty());
    EXPECT_TRUE(in_place == sorted_lines(on_pins.retired));
}

TEST(CuOnPins, OneUnitAmongThoseOfTheChip) {
    OnPins pins;
    pins.only_first = true;
    const Outcome result = run("saxpy", &pins);
    EXPECT_EQ(pins.cores.size(), 1u);
    EXPECT_THAT(result.outcome.failures, IsEmpty());
    EXPECT_EQ(result.outcome.cycles, golden_cycles("saxpy"));
}

TEST(CuOnPins, TheClockStopsWhileNoWaveIsThere) {
    OnPins pins;
    const Outcome result = run("saxpy", &pins);
    uint64_t steps = 0;
    for (const auto& core : pins.cores)
        steps += core->steps();
    EXPECT_LT(steps, pins.cores.size() * result.outcome.cycles * 3 / 4);
}

// What a unit says that is wrong stops the machine with unit, wave and reason.
class Wrong : public ::testing::Test {
  protected:
    static std::string stop_of(const SpoiledCore::Spoil& spoil, bool retire = false) {
        OnPins pins(spoil);
        try {
            run("saxpy", &pins, retire);
        } catch (const MachineStop& stop) {
            return stop.what();
        }
        return "ran to its end";
    }
};

TEST_F(Wrong, EndOfAWaveThatIsNotThere) {
    EXPECT_THAT(stop_of([](cu::CuPins::Out& out) { out.done_wave ^= 1; }),
                HasSubstr("done names wave 1, which is not there"));
}

TEST_F(Wrong, FetchForAWaveThatIsNotThere) {
    EXPECT_THAT(stop_of([](cu::CuPins::Out& out) { out.fetch_wave ^= 2; }),
                HasSubstr("fetch names wave 2, which is not there"));
}

TEST_F(Wrong, RetiringBehindItsEnd) {
    const auto end_at_once = [ended = false](cu::CuPins::Out& out) mutable {
        if (out.retire_valid != 0)
            out.retire.end = std::exchange(ended, true) ? 0 : 1;
    };
    EXPECT_THAT(stop_of(end_at_once, true), HasSubstr("retire names wave 0 behind its retire_end"));
}

TEST_F(Wrong, InstructionThatIsNotImplementedIsNamedWithItsWave) {
    const std::string text = stop_of([](cu::CuPins::Out& out) {
        if (out.fetched_ready == 0)
            return;
        out.stop_valid = 1;
        out.stop_pc = 0x1000;
        out.stop_words = 0x7e020380;
        out.stop_reason = cu::CuPins::kNotImplemented;
    });
    EXPECT_THAT(text, HasSubstr("simd0 slot0 cs1.g"));
    EXPECT_THAT(text, HasSubstr("pc 0x1000 (v_mov_b32"));
    EXPECT_THAT(text, HasSubstr("does not implement this instruction"));
}

TEST_F(Wrong, UnitThatDoesNothingHangs) {
    EXPECT_THAT(stop_of([](cu::CuPins::Out& out) { out.fetch_valid = 0; }),
                HasSubstr("nothing has passed the pins"));
}

}  // namespace
}  // namespace archipelago::host::cu_on_pins_test
