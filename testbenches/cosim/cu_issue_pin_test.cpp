// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <utility>

#include "models/cu/pipeline/cu_issue_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using cu::IssueReason;

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
    // The decision, one cycle after the query.
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
                         testing::ValuesIn(core_and_rtl<CuIssuePins, cu::CuIssueCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
