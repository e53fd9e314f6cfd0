// SPDX-License-Identifier: Apache-2.0
// What DS instructions ask of the global data share, exports, messages, hardware registers.
#include "models/cu/isa/special.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testbenches/unit/isa/machine.h"

namespace archipelago::isa::special_test {
namespace {

using test::Ds;
using test::Machine;

class GdsRequests : public ::testing::Test {
  protected:
    GdsRequests() {
        m.w.s[kM0] = 0x01000040;  // base 256, size 64
        m.fill(1, [](unsigned l) { return 4 * l; });
        m.fill(2, [](unsigned l) { return 100 + l; });
        m.fill(3, [](unsigned l) { return 200 + l; });
        d.addr = 1;
        d.data0 = 2;
        d.data1 = 3;
        d.vdst = 4;
        d.gds = true;
    }
    const GdsRequest& ask(Op op) {
        gds_request(test::ds(op, d), m.w, r);
        return r;
    }
    Machine m;
    Ds d;
    GdsRequest r;
};

TEST_F(GdsRequests, M0GivesBaseAndSize) {
    ask(Op::DS_READ_B32);
    EXPECT_EQ(r.command, GdsCommand::Read);
    EXPECT_TRUE(r.returns);
    EXPECT_EQ(r.lanes[0], 0xffffu);  // 16 dwords
    EXPECT_EQ(r.address[0][3], 256u + 12);
    d.offset = 8;
    ask(Op::DS_READ_B32);
    EXPECT_EQ(r.lanes[0], 0x3fffu);
    EXPECT_EQ(r.address[0][0], 264u);
    m.w.set_exec(0x6);
    ask(Op::DS_READ_B32);
    EXPECT_EQ(r.lanes[0], 0x6u);
}

TEST_F(GdsRequests, OperandsFollowOneAnother) {
    ask(Op::DS_ADD_U32);
    EXPECT_EQ(r.command, GdsCommand::Atomic);
    EXPECT_EQ(r.atomic, AtomicOp::Add);
    EXPECT_FALSE(r.returns);
    EXPECT_EQ(r.data[0][5], 105u);
    ask(Op::DS_CMPST_RTN_B32);
    EXPECT_EQ(r.atomic, AtomicOp::CmpSwap);
    EXPECT_EQ(r.data[0][5], 105u);
    EXPECT_EQ(r.data[1][5], 205u);
    d.data1 = 1;
    ask(Op::DS_WRITE2_B64);
    EXPECT_EQ(r.elements, 2);
    EXPECT_EQ(r.bytes, 8);
    EXPECT_EQ(r.data[0][5], 105u);
    EXPECT_EQ(r.data[1][5], 205u);
    EXPECT_EQ(r.data[2][5], 20u);
    EXPECT_EQ(r.data[3][5], 105u);
}

TEST_F(GdsRequests, TwoAddressFormsScaleTheirOffsets) {
    d.offset = 2 | 3 << 8;
    m.w.s[kM0] = 0x0000ffff;
    ask(Op::DS_READ2ST64_B32);
    EXPECT_EQ(r.address[0][0], 2u * 256);
    EXPECT_EQ(r.address[1][0], 3u * 256);
    ask(Op::DS_WRXCHG2_RTN_B64);
    EXPECT_EQ(r.command, GdsCommand::Exchange);
    EXPECT_EQ(r.address[1][0], 24u);
}

TEST_F(GdsRequests, TheSecondAddressOfSrc2FormsIsASignedDistance) {
    d.offset = 0x7fff;  // -1 dword
    ask(Op::DS_ADD_SRC2_U32);
    EXPECT_EQ(r.command, GdsCommand::FromMemory);
    EXPECT_EQ(r.atomic, AtomicOp::Add);
    EXPECT_EQ(r.lanes[0], 0xffffu);
    EXPECT_EQ(r.lanes[1], 0x1fffeu);
    EXPECT_EQ(r.address[1][2], 256u + 4);
    ask(Op::DS_WRITE_SRC2_B32);
    EXPECT_EQ(r.atomic, AtomicOp::None);
}

TEST_F(GdsRequests, AppendCountsLanesAtTheBase) {
    m.w.set_exec(0xff0);
    d.offset = 16;
    ask(Op::DS_APPEND);
    EXPECT_EQ(r.command, GdsCommand::Append);
    EXPECT_EQ(r.value, 8u);
    EXPECT_EQ(r.address[0][0], 272u);
    EXPECT_EQ(r.lanes[0], 1u);
    d.offset = 64;  // at the end
    EXPECT_EQ(ask(Op::DS_CONSUME).lanes[0], 0u);
}

TEST_F(GdsRequests, OrderedCountsTakeTheirFlagsFromTheOffset) {
    m.w.s[kM0] = 0x01000007;
    m.w.set_exec(0xff00);
    d.offset = 5 * 4 | (1 | 1 << 2 | 1 << 4) << 8;
    ask(Op::DS_ORDERED_COUNT);
    EXPECT_EQ(r.command, GdsCommand::OrderedCount);
    EXPECT_EQ(r.order, 7);
    EXPECT_EQ(r.counter, 5);
    EXPECT_TRUE(r.release);
    EXPECT_FALSE(r.done);
    EXPECT_EQ(r.stage, 1);
    EXPECT_TRUE(r.swap);
    EXPECT_EQ(r.value, 32u);  // of lane 8
    EXPECT_EQ(r.address[0][0], 256u + 20);
}

TEST_F(GdsRequests, SynchronisationNamesAResourceAndACount) {
    m.w.s[kM0] = 62u << 16;
    m.w.set_exec(0xff00);
    d.offset = 3;
    EXPECT_EQ(ask(Op::DS_GWS_INIT).resource, 1);  // modulo 64
    EXPECT_EQ(r.command, GdsCommand::SyncInit);
    EXPECT_EQ(r.value, 32u);
    EXPECT_EQ(ask(Op::DS_GWS_SEMA_V).value, 1u);
    EXPECT_EQ(ask(Op::DS_GWS_SEMA_BR).value, 32u);
    EXPECT_EQ(r.command, GdsCommand::SemaphoreUp);
    EXPECT_EQ(ask(Op::DS_GWS_SEMA_P).command, GdsCommand::SemaphoreDown);
    EXPECT_EQ(ask(Op::DS_GWS_BARRIER).command, GdsCommand::SynchronisePass);
    EXPECT_EQ(r.value, 32u);
}

TEST_F(GdsRequests, AnswersReachTheRequestingLanes) {
    GdsResponse answer;
    for (unsigned k = 0; k < 4; ++k)
        for (unsigned l = 0; l < 64; ++l)
            answer.data[k][l] = 1000 * k + l;
    gds_complete(test::ds(Op::DS_READ2_B64, d), 0xf0, answer, m.w);
    EXPECT_EQ(m.w.v[4][4], 4u);
    EXPECT_EQ(m.w.v[7][7], 3007u);
    EXPECT_EQ(m.w.v[4][3], 0u);
}

// ---- completeness -------------------------------------------------------------------------------

TEST(Completeness, EveryOpcodeOutsideMimgExecutes) {
    std::vector<std::string> missing;
    for (unsigned i = 0; i < kOpCount; ++i) {
        const Op op{static_cast<uint16_t>(i)};
        const OpInfo& info = op_info(op);
        if (info.format == Format::Mimg)
            continue;
        Inst inst;
        switch (info.format) {
            case Format::Ds:
                for (const bool gds : {false, true}) {
                    Ds d;
                    d.gds = gds;
                    inst = test::ds(op, d);
                    if (!is_implemented(inst))
                        missing.emplace_back(info.name);
                }
                break;
            case Format::Mubuf:
                inst = test::mubuf(op, {});
                break;
            case Format::Mtbuf:
                inst = test::mtbuf(op, 4, 4, {});
                break;
            case Format::Exp:
                inst = test::decode_bits(enc::exp::kId.put(enc::exp::kIdValue), 2);
                break;
            case Format::Vintrp:
                inst = test::decode_bits(
                    enc::vintrp::kId.put(enc::vintrp::kIdValue) | enc::vintrp::kOp.put(info.number),
                    1);
                break;
            case Format::Sop1:
                inst = test::sop1(op, 0, 0);
                break;
            case Format::Sop2:
                inst = test::sop2(op, 0, 0, 0);
                break;
            case Format::Sopc:
                inst = test::sopc(op, 0, 0);
                break;
            case Format::Sopk:
                inst = test::sopk(op, 0, 0);
                break;
            case Format::Sopp:
                inst = test::sopp(op, 1);
                break;
            case Format::Smrd:
                inst = test::smrd(op, 0, 0, true, 0);
                break;
            default:
                continue;  // valu_levels_test.cpp
        }
        ASSERT_EQ(inst.op, op) << info.name;
        if (!is_implemented(inst))
            missing.emplace_back(info.name);
    }
    EXPECT_EQ(missing, std::vector<std::string>{});
}

TEST(Completeness, LdsDirectIsASourceOf32Bits) {
    const auto vop1 = [](Op op) {
        return test::decode_bits(enc::vop1::kId.put(enc::vop1::kIdValue) |
                                     enc::vop1::kOp.put(op_info(op).number) |
                                     enc::vop1::kSrc0.put(kLdsDirect),
                                 1);
    };
    EXPECT_TRUE(is_implemented(vop1(Op::V_MOV_B32)));
    EXPECT_EQ(vop1(Op::V_CVT_I32_F64).format, Format::Illegal);
}

// ---- hardware registers -------------------------------------------------------------------------

constexpr unsigned field(unsigned id, unsigned first, unsigned width) {
    return id | first << 6 | (width - 1) << 11;
}

TEST(HardwareRegisters, ModeKeepsAllItsFields) {
    Machine m;
    m.run(test::sopk(Op::S_SETREG_IMM32_B32, 0, field(1, 0, 32), 0x7001ffff));
    m.run(test::sopk(Op::S_GETREG_B32, 5, field(1, 0, 32)));
    EXPECT_EQ(m.w.s[5], 0x7001ffffu & ~(7u << 19));
    EXPECT_TRUE(m.w.vskip);
    EXPECT_EQ(m.w.csp, 3);
    m.w.s[6] = 0x10;
    m.run(test::sopc(Op::S_SETVSKIP, 6, 128 + 3));  // bit 3
    EXPECT_FALSE(m.w.vskip);
    m.run(test::sopc(Op::S_SETVSKIP, 6, 128 + 4));
    EXPECT_TRUE(m.w.vskip);
}

TEST(HardwareRegisters, StatusIsWrittenOnlyInPrivilegedMode) {
    Machine m;
    m.w.s[6] = 1u << 13 | 2u << 3 | 1;
    m.run(test::sopk(Op::S_SETREG_B32, 6, field(2, 0, 32)));
    EXPECT_FALSE(m.w.halt);
    EXPECT_EQ(m.w.priority, 0);
    m.w.privileged = true;
    m.run(test::sopk(Op::S_SETREG_B32, 6, field(2, 0, 32)));
    EXPECT_TRUE(m.w.halt);
    EXPECT_TRUE(m.w.scc);
    EXPECT_EQ(m.w.priority, 2);
}

TEST(HardwareRegisters, TheRegrdFormsAreThePlainOnes) {
    Machine m;
    m.w.s[6] = 77;
    m.run(test::sop1(Op::S_MOV_REGRD_B32, 7, 6));
    EXPECT_EQ(m.w.s[7], 77u);
    m.w.trapsts = 0x25;
    m.run(test::sopk(Op::S_GETREG_REGRD_B32, 8, field(3, 0, 4)));
    EXPECT_EQ(m.w.s[8], 5u);
    m.w.killed = true;
    m.run(test::sopk(Op::S_GETREG_B32, 9, field(12, 0, 32)));
    EXPECT_EQ(m.w.s[9], 1u << 27);
}

}  // namespace
}  // namespace archipelago::isa::special_test
