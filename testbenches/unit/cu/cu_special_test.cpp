// SPDX-License-Identifier: Apache-2.0
// Global data share, exports, messages, halting, traps, vector skip, LDS operands: in both modes,
// in cycle mode also with the scalar ALU on its pins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "models/cu/pipeline/cu_issue_core.h"
#include "models/cu/pipeline/salu_core.h"
#include "models/gcn/si/front_end.h"
#include "models/gds/gds_core.h"
#include "models/gds/gds_execute.h"
#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/cu/special_programs.h"

namespace archipelago::cu::test {
namespace {

using ::testing::HasSubstr;

template <class Message>
class Collector : public Clocked {
  public:
    explicit Collector(unsigned capacity) : in({capacity, 1}) { in.set_consumer(this); }
    bool tick(Cycle now) override {
        bool moved = false;
        while (!closed && in.can_pop(now)) {
            seen.push_back(in.pop(now));
            moved = true;
        }
        return moved;
    }
    Channel<Message> in;
    std::vector<Message> seen;
    bool closed = false;
};

struct Sinks : ExportSink, MessageSink {
    std::vector<ExportMessage>* exports;
    std::vector<ShaderMessage>* messages;
    void take(const ExportMessage& m) override { exports->push_back(m); }
    void take(const ShaderMessage& m) override { messages->push_back(m); }
};

// What a run leaves, in either mode.
struct Outcome {
    std::vector<isa::WaveState> waves;
    std::vector<std::vector<uint32_t>> registers;  // of each wave: v0.. by lane
    std::vector<uint8_t> data;
    std::vector<ExportMessage> exports;
    std::vector<ShaderMessage> interrupts, graphics;
    WorkCounters work;
    unsigned ended = 0;
    std::string waits_for;
    std::string error;
    StopKind kind{};

    uint32_t v(unsigned wave, unsigned reg, unsigned lane) const {
        return registers[wave][reg * 64 + lane];
    }
    uint32_t word(unsigned offset) const {
        uint32_t value;
        std::memcpy(&value, &data[offset], 4);
        return value;
    }
};

struct Around {
    bool gds = true, exports = true, interrupts = true, graphics = true;
    std::function<void(MemoryImage&)> memory;
};

void keep_waves(Outcome& out, const std::vector<WaveLaunch>& waves,
                const std::function<const isa::WaveState*(unsigned)>& state) {
    for (unsigned i = 0; i < waves.size(); ++i) {
        out.waves.push_back(*state(i));
        const uint32_t* v = &out.waves.back().v[0][0];
        out.registers.emplace_back(v, v + 64 * waves[i].vgpr_count);
    }
}

Outcome in_cycles(const std::vector<uint32_t>& program, const std::vector<WaveLaunch>& waves,
                  const Around& around, bool alu_on_pins) {
    CuBench bench;
    SaluCore alu;
    PinSaluUnit pins(alu);
    if (alu_on_pins)
        bench.core.use<SaluUnit>(&pins);
    gds::GdsSpec spec = gcn::si::gds_spec();
    gds::GdsCore gds(spec);
    Collector<ExportMessage> exports(1);
    Collector<ShaderMessage> interrupts(1), graphics(1);
    if (around.gds) {
        bench.core.to_gds.connect(gds.from_unit(0));
        gds.to_unit[0].connect(bench.core.gds_in);
        bench.scheduler.add(gds);
    }
    if (around.exports)
        bench.core.to_export.connect(exports.in);
    if (around.interrupts)
        bench.core.to_interrupts.connect(interrupts.in);
    if (around.graphics)
        bench.core.to_graphics.connect(graphics.in);
    bench.scheduler.add(exports);
    bench.scheduler.add(interrupts);
    bench.scheduler.add(graphics);
    bench.load(program);
    if (around.memory)
        around.memory(bench.memory);
    for (const WaveLaunch& l : waves)
        bench.launch(l);
    Outcome out;
    try {
        bench.run();
    } catch (const MachineStop& stop) {
        out.error = stop.what();
        out.kind = stop.kind();
        return out;
    }
    const auto& all = bench.core.state().waves;
    keep_waves(out, waves, [&](unsigned i) { return &all[waves[i].simd][waves[i].slot].regs; });
    out.data = bench.data();
    out.exports = exports.seen;
    out.interrupts = interrupts.seen;
    out.graphics = graphics.seen;
    out.work = bench.core.state().counters.work;
    out.ended = static_cast<unsigned>(bench.spi.ended.size());
    out.waits_for = bench.core.waiting_for() + " | " + gds.waiting_for();
    EXPECT_EQ(bench.core.idle(), out.ended == waves.size());
    return out;
}

Outcome functionally(const std::vector<uint32_t>& program, const std::vector<WaveLaunch>& waves,
                     const Around& around) {
    CuBench bench;
    bench.load(program);
    if (around.memory)
        around.memory(bench.memory);
    ImageMemory memory(bench.memory);
    FunctionalCu cu({}, memory, CuBench::identity());
    gds::FunctionalGds gds{gcn::si::gds_spec()};
    Outcome out;
    Sinks to_exports, to_interrupts, to_graphics;
    to_exports.exports = &out.exports;
    to_interrupts.messages = &out.interrupts;
    to_graphics.messages = &out.graphics;
    FunctionalPorts ports;
    ports.gds = around.gds ? &gds : nullptr;
    ports.exports = around.exports ? &to_exports : nullptr;
    ports.interrupts = around.interrupts ? &to_interrupts : nullptr;
    ports.graphics = around.graphics ? &to_graphics : nullptr;
    cu.connect(ports);
    FunctionalStats stats;
    try {
        cu.run_group(waves.data(), static_cast<unsigned>(waves.size()), stats);
    } catch (const MachineStop& stop) {
        out.error = stop.what();
        out.kind = stop.kind();
        return out;
    }
    keep_waves(out, waves, [&](unsigned i) { return cu.wave(i); });
    out.data.resize(kDataBytes);
    bench.memory.read(kData, out.data.data(), out.data.size());
    out.work = stats.work;
    out.ended = static_cast<unsigned>(waves.size());
    return out;
}

// One wave, two waves of a group ...
std::vector<WaveLaunch> waves_of(unsigned count) {
    std::vector<WaveLaunch> waves;
    for (unsigned i = 0; i < count; ++i) {
        WaveLaunch l = make_launch(count, i);
        l.sgpr_init[4] = i;
        l.sgpr_init[8] = static_cast<uint32_t>(kData);
        l.sgpr_init[9] = 0;
        l.sgpr_init_count = 12;
        waves.push_back(l);
    }
    return waves;
}

class Special : public ::testing::TestWithParam<const char*> {
  protected:
    bool cycle_mode() const { return std::string(GetParam()) != "functional"; }
    bool alu_on_pins() const { return std::string(GetParam()) == "alu_on_pins"; }
    Outcome run(const std::vector<uint32_t>& program,
                const std::vector<WaveLaunch>& waves = waves_of(1), const Around& around = {}) {
        return cycle_mode() ? in_cycles(program, waves, around, alu_on_pins())
                            : functionally(program, waves, around);
    }
    void expect_stop(const std::vector<uint32_t>& program, const Around& around, StopKind kind,
                     const char* text) {
        const Outcome out = run(program, waves_of(1), around);
        ASSERT_FALSE(out.error.empty());
        EXPECT_EQ(out.kind, kind) << out.error;
        EXPECT_THAT(out.error, HasSubstr(text));
        EXPECT_THAT(out.error, HasSubstr("pc 0x1"));
    }
    // In cycle mode the wave waits and the watchdog reports it; functional mode reports it itself.
    void expect_hang(const Outcome& out, const char* text) {
        if (cycle_mode()) {
            EXPECT_EQ(out.ended, 0u);
            EXPECT_THAT(out.waits_for, HasSubstr(text));
        } else {
            EXPECT_EQ(out.kind, StopKind::Hang);
            EXPECT_THAT(out.error, HasSubstr(text));
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Modes, Special, ::testing::Values("cycle", "alu_on_pins", "functional"),
                         [](const auto& p) { return std::string(p.param); });

// ---- global data share --------------------------------------------------------------------------

TEST_P(Special, GdsAtomicsActLaneByLaneAndReturnWhatWasThere) {
    const Outcome out = run(kGdsAdd);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    uint32_t sum = 0;
    for (unsigned i = 0; i < 64; ++i) {
        EXPECT_EQ(out.word(4 * i), sum);
        sum += i;
        EXPECT_EQ(out.word(256 + 4 * i), 64u * 63 / 2);
    }
    EXPECT_EQ(out.work.instructions[static_cast<unsigned>(isa::Class::Gds)], 2u);
}

TEST_P(Special, GdsAppendAndConsumeCountActiveLanesOfAllWaves) {
    std::vector<WaveLaunch> waves = waves_of(1);
    waves[0].exec = 0xff;
    const Outcome out = run(kGdsAppend, waves);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    for (unsigned i = 0; i < 64; ++i) {
        EXPECT_EQ(out.word(4 * i), 0u);
        EXPECT_EQ(out.word(256 + 4 * i), i < 8 ? 8u : 0);
        EXPECT_EQ(out.word(512 + 4 * i), i < 8 ? 16u : 0);
    }
}

TEST_P(Special, AGwsBarrierHoldsWavesUntilTheLastArrives) {
    const Outcome out = run(kGwsBarrier, waves_of(2));
    ASSERT_EQ(out.ended, 2u) << out.error << out.waits_for;
    EXPECT_EQ(out.waves[0].s[5], 7u);
    EXPECT_EQ(out.waves[1].s[5], 7u);
}

TEST_P(Special, AGwsSemaphoreLetsAsManyPassAsWereReleased) {
    const Outcome out = run(kGwsSemaphore, waves_of(2));
    EXPECT_EQ(out.ended, 2u) << out.error << out.waits_for;
}

TEST_P(Special, AWaveThatIsNeverReleasedIsAHangThatNamesTheGds) {
    expect_hang(run(kGwsLonely), "waits for the global data share");
}

TEST_P(Special, OrderedCountsPassInTheOrderOfTheirWaves) {
    std::vector<WaveLaunch> waves = waves_of(4);
    for (unsigned i = 0; i < 4; ++i)
        waves[i].sgpr_init[4] = 3 - i;
    const Outcome out = run(kOrdered, waves);
    ASSERT_EQ(out.ended, 4u) << out.error << out.waits_for;
    for (unsigned i = 0; i < 4; ++i)
        EXPECT_EQ(out.waves[i].s[5], 10 * (3 - i));
}

TEST_P(Special, WithoutAGdsTheInstructionIsNamed) {
    Around around;
    around.gds = false;
    expect_stop(kGdsAdd, around, StopKind::Unimplemented, "no global data share is attached");
}

// ---- exports and messages -----------------------------------------------------------------------

TEST_P(Special, ExportsCarryTargetMasksAndData) {
    const Outcome out = run(kExports);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    ASSERT_EQ(out.exports.size(), 2u);
    const ExportMessage& plain = out.exports[0];
    EXPECT_EQ(plain.target, 35);
    EXPECT_EQ(plain.enabled, 0xb);
    EXPECT_FALSE(plain.compressed);
    EXPECT_FALSE(plain.done);
    EXPECT_FALSE(plain.valid_mask);
    EXPECT_EQ(plain.exec, ~uint64_t{0});
    EXPECT_EQ(plain.data[0][17], 17u);
    EXPECT_EQ(plain.data[1][17], 0x3f800000u);
    EXPECT_EQ(plain.data[2][17], 0u);
    EXPECT_EQ(plain.data[3][17], 0x40800000u);
    EXPECT_EQ(plain.wave.pc, kCode + 12);
    EXPECT_EQ(plain.wave.dispatch, 1u);
    const ExportMessage& packed = out.exports[1];
    EXPECT_EQ(packed.target, 1);
    EXPECT_TRUE(packed.compressed);
    EXPECT_TRUE(packed.done);
    EXPECT_TRUE(packed.valid_mask);
    EXPECT_EQ(packed.data[0][0], 0x3f800000u);
    EXPECT_EQ(packed.data[1][0], 0x40000000u);
    EXPECT_EQ(out.waves[0].s[5], 3u);
}

TEST_P(Special, WithoutExportUnitsTheExportIsNamed) {
    Around around;
    around.exports = false;
    expect_stop(kExportNull, around, StopKind::Unimplemented,
                "export needs the graphics export units");
}

TEST_P(Special, AnInterruptMessageCarriesM0AndItsWave) {
    const Outcome out = run(kInterrupt);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    ASSERT_EQ(out.interrupts.size(), 1u);
    EXPECT_EQ(out.interrupts[0].kind, ShaderMessage::Kind::Interrupt);
    EXPECT_EQ(out.interrupts[0].m0, 0x1a5u);
    EXPECT_EQ(out.interrupts[0].wave.hw_id >> 8 & 15, 3u);
    EXPECT_EQ(out.waves[0].s[5], 3u);
    Around around;
    around.interrupts = false;
    expect_stop(kInterrupt, around, StopKind::Unimplemented, "no interrupt handler is connected");
}

TEST_P(Special, GraphicsMessagesCarryOperationAndStream) {
    const Outcome out = run(kGsMessage);
    ASSERT_EQ(out.graphics.size(), 1u);
    EXPECT_EQ(out.graphics[0].kind, ShaderMessage::Kind::Gs);
    EXPECT_EQ(out.graphics[0].operation, 3);
    EXPECT_EQ(out.graphics[0].stream, 2);
    EXPECT_EQ(out.graphics[0].m0, 9u);
    Around around;
    around.graphics = false;
    expect_stop(kGsMessage, around, StopKind::Unimplemented, "the message needs a graphics unit");
}

TEST_P(Special, AMessageThatDoesNotExistIsBadInput) {
    expect_stop({0xbf900005, 0xbf810000}, {}, StopKind::BadInput,
                "message of a kind that does not exist");
    expect_stop({0xbf90000f, 0xbf810000}, {}, StopKind::BadInput,
                "message SYSMSG with an operation that does not exist");
}

// ---- halt, kill, trap ---------------------------------------------------------------------------

TEST_P(Special, AHaltedWaveIsAHangThatIsNamed) {
    expect_hang(run(kHalt), "is halted (s_sethalt or s_sendmsghalt) and nothing resumes it");
    expect_hang(run(kSendHalt), "is halted");
}

TEST_P(Special, APrivilegedWaveIgnoresHalt) {
    std::vector<WaveLaunch> waves = waves_of(1);
    waves[0].privileged = true;
    const Outcome out = run(kHalt, waves);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    EXPECT_EQ(out.waves[0].s[5], 3u);
}

TEST_P(Special, AKilledWaveEndsAtOnce) {
    const Outcome out = run(kKill);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    EXPECT_EQ(out.waves[0].s[5], 1u);
}

TEST_P(Special, ATrapSavesItsAddressAndNumberAndReturns) {
    std::vector<WaveLaunch> waves = waves_of(1);
    waves[0].trap_present = true;
    waves[0].tba = kCode + 0x100;
    waves[0].tma = 0x123400;
    Around around;
    around.memory = [](MemoryImage& memory) {
        memory.write(kCode + 0x100, kTrapHandler.data(), kTrapHandler.size() * 4);
    };
    const Outcome out = run(kTrap, waves, around);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    const isa::WaveState& w = out.waves[0];
    EXPECT_EQ(w.s[5], 3u);
    EXPECT_EQ(w.s[10] >> 5 & 3, 3u);  // PRIV, TRAP_EN
    EXPECT_EQ(w.s[11], kCode + 8);
    EXPECT_EQ(w.s[12], 42u << 16);
    EXPECT_EQ(w.s[13], 0x123400u);
    EXPECT_FALSE(w.privileged);
}

TEST_P(Special, WithoutATrapHandlerATrapDoesNothing) {
    const Outcome out = run(kTrap);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    EXPECT_EQ(out.waves[0].s[5], 3u);
    EXPECT_EQ(out.waves[0].s[isa::kTtmpFirst], 0u);
}

TEST_P(Special, AHaltInTheHandlerActsAfterTheReturn) {
    std::vector<WaveLaunch> waves = waves_of(1);
    waves[0].trap_present = true;
    waves[0].tba = kCode + 0x100;
    Around around;
    around.memory = [](MemoryImage& memory) {
        memory.write(kCode + 0x100, kTrapHaltHandler.data(), kTrapHaltHandler.size() * 4);
    };
    expect_hang(run(kTrap, waves, around), "pc 0x1000c");
}

TEST(SpecialCycle, AHaltedWaveGoesOnWhenItIsResumed) {
    CuBench bench;
    bench.load(kHalt);
    bench.launch(make_launch());
    bench.run(1000);
    ASSERT_EQ(bench.spi.ended.size(), 0u);
    EXPECT_FALSE(bench.core.resume_halted(1, 0, bench.scheduler.now()));
    ASSERT_TRUE(bench.core.resume_halted(0, 0, bench.scheduler.now() + 500));
    bench.run(2000);
    EXPECT_EQ(bench.spi.ended.size(), 1u);
    EXPECT_EQ(bench.core.state().waves[0][0].regs.s[5], 3u);
    EXPECT_GE(bench.core.state().counters.wave_cycles[static_cast<unsigned>(WaveTime::Halted)],
              500u);
}

// ---- vector skip, LDS operands, status ----------------------------------------------------------

TEST_P(Special, VectorInstructionsHaveNoEffectInSkipMode) {
    Around around;
    around.exports = false;
    const Outcome out = run(kSkip, waves_of(2), around);
    ASSERT_EQ(out.ended, 2u) << out.error << out.waits_for;
    for (unsigned i = 0; i < 2; ++i) {
        EXPECT_EQ(out.v(i, 1, 5), 1u);
        EXPECT_EQ(out.v(i, 2, 5), 1u);
        EXPECT_EQ(out.waves[i].s[5], 1u);
    }
    EXPECT_EQ(out.word(0), 0u);
    EXPECT_EQ(out.work.instructions[static_cast<unsigned>(isa::Class::Valu)], 4u);
    EXPECT_EQ(out.work.instructions[static_cast<unsigned>(isa::Class::Vmem)], 0u);
    EXPECT_EQ(out.work.barriers, 2u);
}

TEST_P(Special, PerformanceLevelsAndTraceWordsAreCounted) {
    const Outcome out = run(kMarks, waves_of(2));
    ASSERT_EQ(out.ended, 2u) << out.error << out.waits_for;
    EXPECT_EQ(out.work.perf_levels[3], 2u);
    EXPECT_EQ(out.work.perf_levels[5], ~uint64_t{0} - 1);
    EXPECT_EQ(out.work.perf_level_changes, 8u);
    EXPECT_EQ(out.work.trace_words, 4u);
}

TEST_P(Special, AnLdsDirectOperandGivesEveryLaneTheSameValue) {
    const Outcome out = run(kLdsDirect);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    EXPECT_EQ(out.v(0, 3, 9), 0x1234f678u);
    EXPECT_EQ(out.v(0, 4, 9), 0x1234f678u + 9);
    EXPECT_EQ(out.v(0, 5, 9), 0xfffffff6u);
    EXPECT_EQ(out.v(0, 6, 9), 0xfffff678u);
    EXPECT_EQ(out.v(0, 7, 9), 0u);  // beyond the allocation
}

TEST_P(Special, InterpolationTakesTheParametersOfEachQuadsPrimitive) {
    const Outcome out = run(kInterpolate);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    // Bit 1 of the mask: a second primitive from lane 8 on. Dword n of LDS at 64 is (float)n.
    for (unsigned lane = 0; lane < 64; ++lane) {
        const unsigned base = 12 * (2 + (lane >= 8 ? 1 : 0));
        const auto as_float = [&](unsigned reg) {
            float f;
            const uint32_t bits = out.v(0, reg, lane);
            std::memcpy(&f, &bits, 4);
            return f;
        };
        const auto at = [&](unsigned n) { return static_cast<float>(base + n); };
        EXPECT_EQ(as_float(5), at(2) + 0.5f * at(3));
        EXPECT_EQ(as_float(6), at(2) + 0.5f * at(3) + 2.0f * at(9));
        EXPECT_EQ(as_float(7), at(6));
        EXPECT_EQ(as_float(8), at(1));
        EXPECT_EQ(as_float(9), at(10));
    }
}

TEST_P(Special, TfeReportsWhatIsNotMappedInsteadOfStopping) {
    std::vector<WaveLaunch> waves = waves_of(1);
    const uint64_t base = kData + kDataBytes - 128;  // lanes 32.. read beyond the mapped pages
    waves[0].sgpr_init[8] = static_cast<uint32_t>(base);
    waves[0].sgpr_init[9] = 0;
    waves[0].sgpr_init[10] = 200;  // lanes 50.. are out of the buffer's range
    waves[0].sgpr_init[11] = 0x00027fac;
    Around around;
    around.memory = [&](MemoryImage& memory) {
        for (uint32_t i = 0; i < 32; ++i) {
            const uint32_t value = 100 + i;
            memory.write(base + 4 * i, &value, 4);
        }
    };
    const Outcome out = run(kTfe, waves, around);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    for (unsigned lane = 0; lane < 64; ++lane) {
        // The second dword of lane 31 is not there either: the lane fails as a whole.
        const bool there = lane < 31;
        EXPECT_EQ(out.v(0, 2, lane), there ? 100 + lane : 0u) << lane;
        EXPECT_EQ(out.v(0, 3, lane), there ? 101 + lane : 0u) << lane;
        EXPECT_EQ(out.v(0, 4, lane), lane >= 31 && lane < 50 ? 1u : 0u) << lane;
    }
}

TEST_P(Special, LoadsToLdsExtendWithZeros) {
    Around around;
    around.memory = [](MemoryImage& memory) {
        const uint8_t bytes[4] = {0xfe, 1, 2, 3};
        memory.write(kData, bytes, 4);
    };
    const Outcome out = run(kLdsLoad, waves_of(1), around);
    ASSERT_EQ(out.ended, 1u) << out.error << out.waits_for;
    EXPECT_EQ(out.v(0, 2, 0), 0xfeu);
}

TEST_P(Special, StatusRegistersSayWhatTheWaveIs) {
    std::vector<WaveLaunch> waves = waves_of(2);
    waves[1].vgpr_base = 24;
    waves[1].sgpr_base = 48;
    waves[1].priority = 2;
    const Outcome out = run(kCounters, waves);
    ASSERT_EQ(out.ended, 2u) << out.error << out.waits_for;
    EXPECT_EQ(out.waves[1].s[5], 0u);
    EXPECT_EQ(out.waves[1].s[7],
              cycle_mode() ? 1u : 0u);  // nothing is outstanding in functional mode
    EXPECT_EQ(out.waves[1].s[8], 1u << 16 | 1u << 11 | 1u << 10 | 2u << 3 | 2u << 1);
    EXPECT_EQ(out.waves[1].s[9], 6u | 5u << 8 | 6u << 16 | 5u << 24);
}

// ---- time ---------------------------------------------------------------------------------------

TEST(SpecialCycle, AnExportWaitsForRoomInItsChannel) {
    CuBench bench;
    Collector<ExportMessage> exports(1);
    exports.closed = true;
    bench.core.to_export.connect(exports.in);
    bench.scheduler.add(exports);
    bench.load(kExports);
    bench.launch(make_launch());
    bench.run(2000);
    EXPECT_EQ(bench.spi.ended.size(), 0u);
    EXPECT_EQ(exports.seen.size(), 0u);
    exports.closed = false;
    exports.wake_at(0);
    bench.run(2000);
    EXPECT_EQ(bench.spi.ended.size(), 1u);
    EXPECT_EQ(exports.seen.size(), 2u);
    EXPECT_GT(bench.core.state().counters.wave_cycles[static_cast<unsigned>(WaveTime::ExportFull)],
              1000u);
}

TEST(SpecialCycle, MessagesAndInterpolationTakeTheirTime) {
    const auto cycles = [](const std::vector<uint32_t>& program, unsigned message,
                           unsigned interpolate) {
        CuSpec spec;
        spec.message_cycles = message;
        spec.interpolate_cycles = interpolate;
        CuBench bench(spec);
        Collector<ShaderMessage> interrupts(8);
        bench.core.to_interrupts.connect(interrupts.in);
        bench.scheduler.add(interrupts);
        bench.load(program);
        bench.launch(make_launch());
        return bench.run();
    };
    EXPECT_EQ(cycles(kInterrupt, 116, 4) - cycles(kInterrupt, 16, 4), 100u);
    // Five VINTRP in a row, each waiting for the one before.
    EXPECT_EQ(cycles(kInterpolate, 16, 24) - cycles(kInterpolate, 16, 4), 100u);
}

TEST(SpecialCycle, ExpcntFallsWhenTheRegistersHaveBeenRead) {
    const auto cycles = [](unsigned export_cycles) {
        CuSpec spec;
        spec.export_cycles = export_cycles;
        CuBench bench(spec);
        Collector<ExportMessage> exports(8);
        bench.core.to_export.connect(exports.in);
        bench.scheduler.add(exports);
        bench.load(kExports);
        bench.launch(make_launch());
        return bench.run();
    };
    // Two exports in a row, then s_waitcnt expcnt(0).
    EXPECT_EQ(cycles(116) - cycles(16), 200u);
}

// Interpolation counts on nothing: a counter at its limit does not hold it.
TEST(SpecialCycle, InterpolationIssuesWhileLgkmcntIsAtItsLimit) {
    const auto cycles = [](const std::vector<uint32_t>& more, unsigned scalar_latency) {
        CuSpec spec;
        spec.lgkm_max = 1;
        CuBench bench(spec, {2, scalar_latency, 20});
        std::vector<uint32_t> program = {0xc0030900};  // s_load_dword s6, s[8:9], 0x0
        program.insert(program.end(), more.begin(), more.end());
        program.push_back(0xbf810000);  // s_endpgm
        bench.load(program);
        bench.launch(waves_of(1)[0]);
        bench.run();
        return bench.core.state().counters.wave_cycles[static_cast<unsigned>(WaveTime::WaitLgkm)];
    };
    // v_interp_p1_f32 v5, v3, attr1.y; ds_write_b32 v1, v2 offset:64
    EXPECT_EQ(cycles({0xc8140503}, 500), 0u);
    EXPECT_GT(cycles({0xd8340040, 0x00000201}, 500), 400u);
}

// Forty waves that want the same paths: the arbiter on its pins decides as the
// unit's own, for every reason to wait.
TEST(SpecialCycle, WhatIsDecidedOnPinsIsWhatTheUnitDecides) {
    static const std::vector<uint32_t> kBlocks[] = {
        {0xf800023b, 0x03000100},  // exp param3 v0, v1, off, v3
        {0xf8001c1f, 0x00000201},  // exp mrt1 v1, v1, v2, v2 done compr vm
        {0xd8820000, 0x02000001},  // ds_add_rtn_u32 v2, v1, v0 gds
        {0xd8820000, 0x02000001},  // ds_add_rtn_u32 v2, v1, v0 gds
        {0xbf900001},              // s_sendmsg sendmsg(MSG_INTERRUPT)
        {0xbf900232},              // s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT_CUT, 2)
        {0xbf900000},              // s_sendmsg 0
        {0xbf92002a},              // s_trap 42
        {0xc0030900},              // s_load_dword s6, s[8:9], 0x0
        {0xe0701000, 0x80000203},  // buffer_store_dword v2, v3, s[0:3], 0 offen
        {0xe0301000, 0x80000403},  // buffer_load_dword v4, v3, s[0:3], 0 offen
        {0xd8340040, 0x00000201},  // ds_write_b32 v1, v2 offset:64
        {0xc8140503},              // v_interp_p1_f32 v5, v3, attr1.y
        {0x7e0a0502, 0xbe860305},  // v_readfirstlane_b32 s5, v2; s_mov_b32 s6, s5
        {0xbf8f0001},              // s_setprio 1
        {0xbf8f0000},              // s_setprio 0
        {0xbf8c0000},              // s_waitcnt 0
    };
    constexpr uint64_t kHandler = kCode + 0x8000;
    constexpr unsigned kPrograms = 5;
    std::mt19937 random(11);
    std::vector<std::vector<uint32_t>> programs(kPrograms);
    for (std::vector<uint32_t>& program : programs) {
        // s_mov_b32 m0, 0x400100; v_mov_b32_e32 v1, 16; v_lshlrev_b32_e32 v3, 2, v0
        program = {0xbefc03ff, 0x00400100, 0x7e020290, 0x34060082};
        for (unsigned i = 0; i < 120; ++i) {
            const std::vector<uint32_t>& block = kBlocks[random() % std::size(kBlocks)];
            program.insert(program.end(), block.begin(), block.end());
        }
        program.push_back(0xbf8c0000);  // s_waitcnt 0
        program.push_back(0xbf810000);  // s_endpgm
    }
    const auto run = [&](unsigned most, bool on_pins) {
        CuSpec spec;
        spec.lgkm_max = spec.vm_max = 2 * most;
        spec.exp_max = most;
        spec.gds_outstanding = 4;
        spec.lds_queue = 1;
        spec.interpolate_cycles = 40;
        CuBench bench(spec);
        CuIssueCore core;
        PinIssueUnit pins(core);
        if (on_pins)
            bench.core.use<IssueUnit>(&pins);
        gds::GdsSpec gds_spec = gcn::si::gds_spec();
        gds::GdsCore gds(gds_spec);
        bench.core.to_gds.connect(gds.from_unit(0));
        gds.to_unit[0].connect(bench.core.gds_in);
        Collector<ExportMessage> exports(1);
        Collector<ShaderMessage> interrupts(1), graphics(1);
        bench.core.to_export.connect(exports.in);
        bench.core.to_interrupts.connect(interrupts.in);
        bench.core.to_graphics.connect(graphics.in);
        bench.scheduler.add(gds);
        bench.scheduler.add(exports);
        bench.scheduler.add(interrupts);
        bench.scheduler.add(graphics);
        bench.load(kTrapHandler, kHandler);
        for (unsigned i = 0; i < kPrograms; ++i)
            bench.load(programs[i], kCode + i * 0x1000);
        for (unsigned i = 0; i < 40; ++i) {
            WaveLaunch l = waves_of(40)[i];
            l.pc = kCode + i % kPrograms * 0x1000;
            l.trap_present = true;
            l.tba = kHandler;
            bench.launch(l, i / 4);
        }
        bench.run();
        EXPECT_EQ(bench.spi.ended.size(), 40u) << bench.core.waiting_for();
        return std::make_tuple(bench.spi.ended_at, bench.core.state().counters,
                               exports.seen.size() + interrupts.seen.size() + graphics.seen.size(),
                               bench.data());
    };
    for (const unsigned most : {1u, 3u, 7u}) {
        const auto plain = run(most, false);
        const auto on_pins = run(most, true);
        EXPECT_EQ(std::get<0>(plain), std::get<0>(on_pins));
        EXPECT_EQ(std::memcmp(&std::get<1>(plain), &std::get<1>(on_pins), sizeof(Counters)), 0);
        EXPECT_EQ(std::get<2>(plain), std::get<2>(on_pins));
        EXPECT_EQ(std::get<3>(plain), std::get<3>(on_pins));
        const auto& waited = std::get<1>(plain).wave_cycles;
        for (const WaveTime why : {WaveTime::ExportFull, WaveTime::WaitExp, WaveTime::WaitLgkm,
                                   WaveTime::WaitVm, WaveTime::LdsFull, WaveTime::Arbitration})
            EXPECT_GT(waited[static_cast<unsigned>(why)], 0u) << static_cast<unsigned>(why);
    }
}

// ---- functional mode: groups that wait for each other -------------------------------------------

struct Groups {
    CuBench bench;
    ImageMemory memory{bench.memory};
    FunctionalCu cu{{}, memory, CuBench::identity()};
    gds::FunctionalGds gds{gcn::si::gds_spec()};
    FunctionalStats stats;
    std::vector<WaveLaunch> launches;  // reused, as the machine does
    Groups() {
        bench.load(kGwsKeep);
        FunctionalPorts ports;
        ports.gds = &gds;
        cu.connect(ports);
    }
    // Two waves each; their results at 512 bytes per group.
    void start(unsigned group, bool gives) {
        launches.clear();
        for (unsigned i = 0; i < 2; ++i) {
            WaveLaunch l = make_launch(2, i, group);
            l.lds_base = 0;
            l.sgpr_init[4] = 100 + group;
            l.sgpr_init[5] = gives ? 1 : 0;
            set_descriptor(l, kData + 512 * group, 512);
            launches.push_back(l);
        }
        cu.start_group(launches.data(), 2, stats);
    }
    bool ended(unsigned group) {
        const std::vector<uint8_t> data = bench.data();
        for (unsigned i = 0; i < 128; ++i) {
            uint32_t value = 0;
            std::memcpy(&value, &data[512 * group + 4 * i], 4);
            if (value != 2 * (100 + group))
                return false;
        }
        return true;
    }
};

TEST(FunctionalGroups, ThoseThatWaitForTheGdsArePutAsideAndKeepWhatTheyHave) {
    Groups g;
    for (unsigned group = 0; group < 3; ++group)
        g.start(group, false);
    for (unsigned group = 0; group < 3; ++group)
        EXPECT_FALSE(g.ended(group));
    for (unsigned group = 3; group < 6; ++group) {
        g.start(group, true);
        EXPECT_TRUE(g.ended(group));
    }
    g.cu.finish_groups(g.stats);
    for (unsigned group = 0; group < 3; ++group)
        EXPECT_TRUE(g.ended(group)) << group;
    EXPECT_EQ(g.stats.work.waves, 12u);
    g.cu.finish_groups(g.stats);  // nothing is left
}

TEST(FunctionalGroups, ThoseThatAreNeverReleasedAreAHang) {
    Groups g;
    g.start(0, false);
    g.start(1, false);
    g.start(2, true);
    try {
        g.cu.finish_groups(g.stats);
        FAIL();
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Hang);
        EXPECT_THAT(stop.what(), HasSubstr("cs1.g1.w0"));
        EXPECT_THAT(stop.what(),
                    HasSubstr("waits for the global data share, and no other wave can go on"));
    }
    EXPECT_TRUE(g.ended(0));
}

TEST(FunctionalGroups, NotMoreWaitThanAMachineHolds) {
    Groups g;
    unsigned started = 0;
    try {
        for (; started < 10000; ++started)
            g.start(started % 4, false);
        FAIL();
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Hang);
    }
    EXPECT_EQ(started, 2048u);
}

}  // namespace
}  // namespace archipelago::cu::test
