// SPDX-License-Identifier: Apache-2.0
// What a block does at its pins: each test is written once and runs on the core and, where this
// build has it, on the Verilog.
#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "models/cu/isa/opcodes.h"
#include "models/cu/lane/lane_unit.h"
#include "models/cu/lane/valu_lane_core.h"
#include "models/cu/pipeline/cu_issue_core.h"
#if defined(ARCHIPELAGO_HAVE_TWINS)
#include "rtl-bridge/verilated/cu_issue_rtl.h"
#include "rtl-bridge/verilated/valu_lane_rtl.h"
#endif

namespace archipelago::rtl {
namespace {

using cu::IssueReason;

template <class Pins>
struct Maker {
    std::string name;  // "core", "rtl"
    std::function<std::unique_ptr<PinBlock<Pins>>()> make;

    // The name of a test, which must not hold addresses.
    friend void PrintTo(const Maker& maker, std::ostream* out) { *out << maker.name; }
};

template <class Pins, class Core>
std::vector<Maker<Pins>> makers(
    [[maybe_unused]] std::unique_ptr<Twin<Pins>> (*rtl)(const TwinOptions&)) {
    std::vector<Maker<Pins>> r = {{"core", [] { return std::make_unique<Core>(); }}};
    if (rtl != nullptr)
        r.push_back({"rtl", [rtl] { return rtl({}); }});
    return r;
}
#if defined(ARCHIPELAGO_HAVE_TWINS)
constexpr auto kLaneRtl = make_valu_lane_rtl;
constexpr auto kIssueRtl = make_cu_issue_rtl;
#else
constexpr std::unique_ptr<Twin<ValuLanePins>> (*kLaneRtl)(const TwinOptions&) = nullptr;
constexpr std::unique_ptr<Twin<CuIssuePins>> (*kIssueRtl)(const TwinOptions&) = nullptr;
#endif

template <class Pins>
class OnPins : public testing::TestWithParam<Maker<Pins>> {
  protected:
    void SetUp() override {
        block_ = this->GetParam().make();
        in_.rst = 1;
        for (int i = 0; i < 3; ++i)
            step();
        in_.rst = 0;
    }
    const typename Pins::Out& step() {
        block_->step(in_, out_);
        return out_;
    }
    std::unique_ptr<PinBlock<Pins>> block_;
    typename Pins::In in_;
    typename Pins::Out out_;
};
const auto kName = [](const auto& info) { return info.param.name; };

// ---- valu_lane

constexpr unsigned kAddI32 = 256 + 37, kMulF32 = 256 + 8, kMovB32 = 384 + 1;

class ValuLanePinsTest : public OnPins<ValuLanePins> {
  protected:
    static uint32_t bits(float x) {
        uint32_t r;
        std::memcpy(&r, &x, 4);
        return r;
    }
    // One operation through an empty pipeline.
    ValuLanePins::Out result(unsigned op, uint32_t a, uint32_t b) {
        in_.in.op = static_cast<uint16_t>(op);
        in_.in.a = a;
        in_.in.b = b;
        in_.in_valid = 1;
        in_.out_ready = 1;
        step();
        in_.in_valid = 0;
        while (step().out_valid == 0) {
        }
        return out_;
    }
};

TEST_P(ValuLanePinsTest, ResultComesSixCyclesBehindItsOperands) {
    in_.in.op = kMovB32;
    in_.in.a = 7;
    in_.in_valid = 1;
    in_.out_ready = 1;
    EXPECT_EQ(step().in_ready, 1);
    in_.in_valid = 0;
    for (unsigned cycle = 1; cycle < 6; ++cycle)
        EXPECT_EQ(step().out_valid, 0) << cycle;
    EXPECT_EQ(step().out_valid, 1);
    EXPECT_EQ(out_.out_result, 7u);
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(ValuLanePinsTest, TakesAnOperationInEveryCycleAndKeepsTheirOrder) {
    in_.out_ready = 1;
    in_.in_valid = 1;
    in_.in.op = kMovB32;
    for (uint32_t n = 0; n < 30; ++n) {
        in_.in.a = n;
        EXPECT_EQ(step().in_ready, 1);
        if (n >= 6) {
            EXPECT_EQ(out_.out_result, n - 6);
        }
    }
}

TEST_P(ValuLanePinsTest, FullPipelineRefusesAndHoldsItsResult) {
    in_.in.op = kMovB32;
    in_.in_valid = 1;
    unsigned taken = 0;
    for (uint32_t n = 0; n < 20; ++n) {
        in_.in.a = 100 + taken;
        taken += step().in_ready;
    }
    EXPECT_EQ(taken, 6u);
    EXPECT_EQ(out_.out_result, 100u);
    in_.in_valid = 0;
    in_.out_ready = 1;
    for (uint32_t n = 0; n < 6; ++n)
        EXPECT_EQ(step().out_result, 100 + n);
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(ValuLanePinsTest, ResetDropsWhatIsInFlight) {
    in_.in.op = kMovB32;
    in_.in_valid = 1;
    for (int i = 0; i < 4; ++i)
        step();
    in_.in_valid = 0;
    in_.rst = 1;
    step();
    in_.rst = 0;
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(step().out_valid, 0);
}

TEST_P(ValuLanePinsTest, ResultsAreThoseOfTheInstruction) {
    EXPECT_EQ(result(kAddI32, 0xffffffff, 2).out_result, 1u);
    EXPECT_EQ(out_.out_flag, 1);
    in_.in.round = 0;
    in_.in.denorm = 3;
    EXPECT_EQ(result(kMulF32, bits(1.5f), bits(-2.0f)).out_result, bits(-3.0f));
    // 2^-126 * 0.5 is a denormal: kept, or flushed by MODE.
    EXPECT_EQ(result(kMulF32, 0x00800000, bits(0.5f)).out_result, 0x00400000u);
    in_.in.denorm = 0;
    EXPECT_EQ(result(kMulF32, 0x00800000, bits(0.5f)).out_result, 0u);
    // 1/3 and a bit, up and down.
    in_.in.round = 1;
    EXPECT_EQ(result(kMulF32, 0x3eaaaaab, 0x3f800001).out_result, 0x3eaaaaadu);
    in_.in.round = 2;
    EXPECT_EQ(result(kMulF32, 0x3eaaaaab, 0x3f800001).out_result, 0x3eaaaaacu);
    EXPECT_EQ(result(511, 1, 2).out_illegal, 1);
}

INSTANTIATE_TEST_SUITE_P(On, ValuLanePinsTest,
                         testing::ValuesIn(makers<ValuLanePins, cu::ValuLaneCore>(kLaneRtl)),
                         kName);

class LaneUnitTest : public OnPins<ValuLanePins> {};

// Every opcode of the lane in its 32-bit and VOP3 forms, on random registers and lane masks.
TEST_P(LaneUnitTest, WavesEndInTheStateTheirInstructionsGiveThem) {
    struct Storage {
        alignas(64) isa::VReg v[8];
    };
    std::mt19937 random(7);
    const auto word = [&] { return static_cast<uint32_t>(random()); };
    cu::LaneUnit unit(*block_);
    unsigned executed = 0;
    for (unsigned round = 0; round < 3; ++round) {
        for (unsigned number = 0; number < isa::kOpCount; ++number) {
            const auto op = static_cast<isa::Op>(number);
            if (cu::valu_lane_opcode(op) < 0)
                continue;
            const isa::OpInfo& info = isa::op_info(op);
            Storage plain;
            Storage swapped;
            for (isa::VReg& reg : plain.v)
                for (uint32_t& lane : reg)
                    lane = word() % 4 == 0 ? word() % 3 : word();
            std::memcpy(&swapped, &plain, sizeof plain);
            isa::WaveState a;
            a.v = plain.v;
            a.num_vgprs = 8;
            a.num_sgprs = 104;
            for (uint32_t& s : a.s)
                s = word();
            a.set_exec(word() % 4 == 0 ? 0 : (uint64_t{word()} << 32 | word()));
            a.mode =
                isa::Mode::from_float_mode(static_cast<uint8_t>(word()), word() % 2, word() % 2);
            isa::WaveState b = a;
            b.v = swapped.v;
            isa::Inst inst;
            inst.op = op;
            const bool vop3 =
                info.format == isa::Format::Vop3 || (!info.has(isa::kOpNoVop3) && round != 0);
            inst.format = vop3 ? isa::Format::Vop3 : info.format;
            inst.num_src = info.num_src;
            inst.literal = word();
            for (unsigned k = 0; k < 3; ++k) {
                static constexpr uint16_t kSources[] = {1, 128, 193, 242, isa::kLiteral};
                inst.src[k] = word() % 2 == 0 ? kSources[word() % 5]
                                              : static_cast<uint16_t>(isa::kVgprFirst + word() % 8);
            }
            if (info.has(isa::kOpMaskIn))
                inst.src[2] = 20;
            inst.vdst = static_cast<uint16_t>(word() % 8);
            inst.sdst = isa::kVccLo;
            if (vop3) {
                inst.sdst = 30;
                inst.neg = word() & 7;
                inst.abs = word() & 7;
                inst.omod = word() & 3;
                inst.clamp = word() % 2 == 0;
            }
            isa::find_valu(op)(inst, a);
            ASSERT_TRUE(unit.execute(inst, b)) << info.name;
            ASSERT_EQ(std::memcmp(&plain, &swapped, sizeof plain), 0) << info.name;
            ASSERT_EQ(std::memcmp(a.s, b.s, sizeof a.s), 0) << info.name;
            ++executed;
        }
    }
    EXPECT_GT(executed, 3u * 160);
    isa::Inst other;
    other.op = isa::Op::V_RCP_F32;
    isa::WaveState wave;
    EXPECT_FALSE(unit.execute(other, wave));
}

INSTANTIATE_TEST_SUITE_P(On, LaneUnitTest,
                         testing::ValuesIn(makers<ValuLanePins, cu::ValuLaneCore>(kLaneRtl)),
                         kName);

// ---- cu_issue

class CuIssuePinsTest : public OnPins<CuIssuePins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        q().width = 5;
        q().turn = 4;
        q().max_vm = q().max_lgkm = 15;
        q().max_exp = 7;
        for (uint8_t i = 0; i < CuIssuePins::kSlots; ++i)
            q().order[i] = i;
    }
    CuIssuePins::Query& q() { return in_.in; }
    void ready(unsigned slot, isa::Class cls) {
        q().slots |= static_cast<uint16_t>(1u << slot);
        q().cls[slot] = q().unit[slot] = static_cast<uint8_t>(cls);
    }
    // The decision, one cycle behind the query.
    const CuIssuePins::Out& decide() {
        in_.in_valid = 1;
        in_.out_ready = 1;
        step();
        in_.in_valid = 0;
        return step();
    }
    IssueReason reason(unsigned slot) const {
        return static_cast<IssueReason>(out_.out_reason[slot]);
    }
};

TEST_P(CuIssuePinsTest, OneOfEachClassIssuesTheFirstInOrder) {
    ready(2, isa::Class::Valu);
    ready(5, isa::Class::Valu);
    ready(9, isa::Class::Salu);
    q().order[0] = 5;
    q().order[5] = 0;
    decide();
    EXPECT_EQ(out_.out_grant, 1u << 5 | 1u << 9);
    EXPECT_EQ(reason(2), IssueReason::Arbitration);
    EXPECT_EQ(out_.out_retry, 4);
}

TEST_P(CuIssuePinsTest, WidthBoundsAllButInternalInstructions) {
    const isa::Class classes[] = {isa::Class::Valu, isa::Class::Salu,    isa::Class::Smem,
                                  isa::Class::Vmem, isa::Class::Lds,     isa::Class::Export,
                                  isa::Class::Gds,  isa::Class::Internal};
    for (unsigned slot = 0; slot < 8; ++slot)
        ready(slot, classes[slot]);
    decide();
    EXPECT_EQ(out_.out_grant, 0b10011111);
}

TEST_P(CuIssuePinsTest, RefusedWaveLeavesItsClassToTheNext) {
    ready(0, isa::Class::Vmem);
    ready(1, isa::Class::Vmem);
    q().needs_vm = q().needs_exp = 3;
    q().vm[0] = 15;
    decide();
    EXPECT_EQ(out_.out_grant, 2);
    EXPECT_EQ(reason(0), IssueReason::HoldVm);
    EXPECT_EQ(out_.out_retry, CuIssuePins::kNoTime);
    q().vm[0] = 14;
    q().exp[0] = 7;
    decide();
    EXPECT_EQ(reason(0), IssueReason::HoldExp);
}

TEST_P(CuIssuePinsTest, BusyUnitNamesItsTimeAndFullQueueNone) {
    ready(0, isa::Class::Valu);
    ready(1, isa::Class::Smem);
    q().unit_wait[static_cast<unsigned>(isa::Class::Valu)] = 12;
    q().unit_wait[static_cast<unsigned>(isa::Class::Smem)] = CuIssuePins::kNoTime;
    decide();
    EXPECT_EQ(out_.out_grant, 0);
    EXPECT_EQ(out_.out_retry, 12);
    EXPECT_EQ(out_.out_full, 1u << static_cast<unsigned>(isa::Class::Smem));
    EXPECT_EQ(reason(0), IssueReason::UnitLater);
    EXPECT_EQ(reason(1), IssueReason::UnitFull);
}

TEST_P(CuIssuePinsTest, UnitIsThatTheInstructionNames) {
    ready(0, isa::Class::Message);
    ready(1, isa::Class::Message);
    q().unit[0] = cu::kGraphicsUnit;
    q().unit_wait[cu::kGraphicsUnit] = 4;
    decide();
    EXPECT_EQ(out_.out_grant, 2);
    EXPECT_EQ(reason(0), IssueReason::UnitLater);
    q().unit[0] = static_cast<uint8_t>(isa::Class::Message);
    decide();
    EXPECT_EQ(out_.out_grant, 1);
    EXPECT_EQ(reason(1), IssueReason::Arbitration);
}

TEST_P(CuIssuePinsTest, ExportAndGdsInstructionDoNotLeaveTogether) {
    ready(3, isa::Class::Gds);
    ready(6, isa::Class::Export);
    ready(7, isa::Class::Valu);
    decide();
    EXPECT_EQ(out_.out_grant, 1u << 3 | 1u << 7);
    EXPECT_EQ(reason(6), IssueReason::UnitLater);
    EXPECT_EQ(out_.out_retry, 4);
    EXPECT_EQ(out_.out_full, 0);
    std::swap(q().order[3], q().order[6]);
    decide();
    EXPECT_EQ(out_.out_grant, 1u << 6 | 1u << 7);
    EXPECT_EQ(reason(3), IssueReason::UnitLater);
    // One that is refused leaves the path to the other.
    q().needs_exp = 1u << 6;
    q().exp[6] = 7;
    decide();
    EXPECT_EQ(out_.out_grant, 1u << 3 | 1u << 7);
    EXPECT_EQ(reason(6), IssueReason::HoldExp);
}

TEST_P(CuIssuePinsTest, DrainingInstructionWaitsForAllCounters) {
    ready(2, isa::Class::Internal);
    q().drains = 1u << 2;
    q().vm[2] = q().lgkm[2] = q().exp[2] = 1;
    decide();
    EXPECT_EQ(reason(2), IssueReason::HoldVm);
    q().vm[2] = 0;
    decide();
    EXPECT_EQ(reason(2), IssueReason::HoldLgkm);
    q().lgkm[2] = 0;
    decide();
    EXPECT_EQ(reason(2), IssueReason::HoldExp);
    q().exp[2] = 0;
    decide();
    EXPECT_EQ(reason(2), IssueReason::Granted);
}

TEST_P(CuIssuePinsTest, ScalarInstructionWaitsForRegistersItReadsOnly) {
    ready(3, isa::Class::Branch);
    q().pending[2 * 3 + 1] = uint64_t{1} << (106 - 64);  // VCC
    q().hazard_wait[3] = 9;
    q().reads[2 * 3 + 1] = uint64_t{1} << (107 - 64);
    decide();
    EXPECT_EQ(reason(3), IssueReason::Granted);
    q().reads[2 * 3 + 1] |= uint64_t{1} << (106 - 64);
    decide();
    EXPECT_EQ(reason(3), IssueReason::Hazard);
    EXPECT_EQ(out_.out_retry, 9);
}

TEST_P(CuIssuePinsTest, WaitIsReleasedWhenEveryCounterIsAtItsLimit) {
    q().waiting = 1u << 4;
    q().vm[4] = 2;
    q().lgkm[4] = 1;
    q().limit_vm[4] = 1;
    q().limit_lgkm[4] = 0;
    decide();
    EXPECT_EQ(reason(4), IssueReason::HoldVm);
    q().vm[4] = 1;
    decide();
    EXPECT_EQ(reason(4), IssueReason::HoldLgkm);
    EXPECT_EQ(out_.out_released, 0);
    q().lgkm[4] = 0;
    decide();
    EXPECT_EQ(out_.out_released, 1u << 4);
}

TEST_P(CuIssuePinsTest, DecisionWaitsUntilItIsTaken) {
    ready(1, isa::Class::Valu);
    in_.in_valid = 1;
    step();
    q().slots = 0;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(step().in_ready, 0);
        EXPECT_EQ(out_.out_grant, 2);
    }
    in_.out_ready = 1;
    EXPECT_EQ(step().in_ready, 1);
    EXPECT_EQ(step().out_grant, 0);
}

INSTANTIATE_TEST_SUITE_P(On, CuIssuePinsTest,
                         testing::ValuesIn(makers<CuIssuePins, cu::CuIssueCore>(kIssueRtl)), kName);

}  // namespace
}  // namespace archipelago::rtl
