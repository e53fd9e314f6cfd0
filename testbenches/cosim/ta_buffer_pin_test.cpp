// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "models/cu/isa/buffer_access.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/ta_buffer_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using isa::Op;
using Access = TaBufferPins::Access;

constexpr uint64_t kEveryLane = ~uint64_t{0};

class TaBufferPinsTest : public OnPins<TaBufferPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        in_.in.exec = kEveryLane;
        in_.in.resource = {0x1000, 0, 1u << 20, kPlain};
    }
    void put(Op op) {
        in_.in.format = static_cast<uint8_t>(isa::op_info(op).format);
        in_.in.op = static_cast<uint16_t>(isa::op_info(op).number);
    }
    const Access& run() {
        in_.in_valid = 1;
        in_.out_ready = 1;
        step();
        in_.in_valid = 0;
        while (step().out_valid == 0) {
        }
        return out_.out;
    }
    const Access& run(Op op) {
        put(op);
        return run();
    }
    isa::BufferRefusal refusal(Op op) {
        return static_cast<isa::BufferRefusal>(run(op).unsupported);
    }

    static constexpr uint32_t kPlain = 07654;  // DST_SEL, the identity
};

TEST_P(TaBufferPinsTest, AccessComesOneCycleBehindItsInstruction) {
    put(Op::BUFFER_LOAD_DWORD);
    in_.in_valid = 1;
    in_.out_ready = 1;
    EXPECT_EQ(step().in_ready, 1);
    EXPECT_EQ(out_.out_valid, 0);
    in_.in_valid = 0;
    EXPECT_EQ(step().out_valid, 1);
    EXPECT_EQ(out_.out.addr[63], 0x1000u);
    EXPECT_EQ(step().out_valid, 0);
    EXPECT_EQ(out_.out.addr[63], 0u);
}

TEST_P(TaBufferPinsTest, TakesAnInstructionInEveryCycleAndHoldsOneThatIsNotTaken) {
    put(Op::BUFFER_LOAD_DWORD);
    in_.out_ready = 1;
    in_.in_valid = 1;
    for (uint32_t n = 0; n < 20; ++n) {
        in_.in.soffset = 4 * n;
        EXPECT_EQ(step().in_ready, 1);
        if (n > 0) {
            EXPECT_EQ(out_.out.addr[0], 0x1000u + 4 * (n - 1));
        }
    }
    in_.out_ready = 0;
    in_.in.soffset = 0x100;
    for (unsigned n = 0; n < 3; ++n) {
        EXPECT_EQ(step().in_ready, 0);
        EXPECT_EQ(out_.out.addr[0], 0x1000u + 4 * 19);
    }
}

TEST_P(TaBufferPinsTest, ResetDropsTheAccess) {
    put(Op::BUFFER_LOAD_DWORD);
    in_.in_valid = 1;
    step();
    in_.in_valid = 0;
    in_.rst = 1;
    step();
    in_.rst = 0;
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(TaBufferPinsTest, RefusesWhatCannotBeExecuted) {
    using isa::BufferRefusal;
    EXPECT_EQ(refusal(Op::DS_ADD_U32), BufferRefusal::NoBufferInstruction);
    put(Op::BUFFER_LOAD_DWORD);
    in_.in.op = 15;
    EXPECT_EQ(run().unsupported, static_cast<unsigned>(BufferRefusal::NoBufferInstruction));
    in_.in.dfmt = 1;
    in_.in.nfmt = 7;
    EXPECT_EQ(refusal(Op::TBUFFER_LOAD_FORMAT_X), BufferRefusal::FloatFormat);
    in_.in.nfmt = 2;
    EXPECT_EQ(refusal(Op::TBUFFER_LOAD_FORMAT_X), BufferRefusal::None);
    EXPECT_EQ(refusal(Op::TBUFFER_STORE_FORMAT_X), BufferRefusal::LoadOnlyFormat);
    in_.in.dfmt = 15;
    EXPECT_EQ(refusal(Op::TBUFFER_LOAD_FORMAT_X), BufferRefusal::ReservedFormat);
    in_.in.resource[3] |= 4 << 12 | 10 << 15;  // 8_8_8_8, uint
    in_.in.resource[3] ^= 04000;               // w becomes 3
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_FORMAT_X), BufferRefusal::ReservedSelect);
    in_.in.lds = 1;
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_DWORDX2), BufferRefusal::LdsBit);
    in_.in.lds = 0;
    in_.in.addr64 = in_.in.offen = 1;
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_DWORD), BufferRefusal::Addr64WithVgprOffset);
    in_.in.addr64 = 0;
    in_.in.resource[1] |= 1u << 31;  // swizzled, elements of 2 bytes
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_DWORD), BufferRefusal::NarrowSwizzle);
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_USHORT), BufferRefusal::None);
    in_.in.resource[3] |= 1u << 30;
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_USHORT), BufferRefusal::ResourceType);
    EXPECT_EQ(refusal(Op::BUFFER_WBINVL1), BufferRefusal::None);
}

INSTANTIATE_TEST_SUITE_P(On, TaBufferPinsTest,
                         testing::ValuesIn(core_and_rtl<TaBufferPins, cu::TaBufferCore>()), kName);

class TaBufferUnitTest : public OnPins<TaBufferPins> {
  protected:
    static constexpr unsigned kVgprs = 16, kVaddr = 2, kVdst = 6, kSoffset = 20, kSrsrc = 8;

    TaBufferUnitTest() { wave_.v = registers_; }

    uint32_t word() { return static_cast<uint32_t>(random_()); }
    bool one_in(unsigned n) { return word() % n == 0; }

    void scatter() {
        for (auto& reg : registers_)
            for (uint32_t& x : reg)
                x = one_in(8) ? word() : word() % 400;
        const uint32_t strides[] = {0, 4, 16, 64};
        uint32_t* r = &wave_.s[kSrsrc];
        r[0] = word() & ~255u;
        r[1] = (word() & 0xffff) | strides[word() % 4] << 16 | (one_in(3) ? 1u << 31 : 0);
        r[2] = word() % 300;
        r[3] = (word() & 0x00fff000) | 07654;
        wave_.s[kSoffset] = one_in(2) ? 0 : word() % 64;
        wave_.s[isa::kM0] = word();
        wave_.lds_base = word() % 64 * 256;
        wave_.lds_size = word() % 64 * 256;
        wave_.set_exec(uint64_t{word()} << 32 | word());
    }
    isa::Inst instruction() {
        isa::Inst inst;
        inst.format = one_in(4) ? isa::Format::Mtbuf : isa::Format::Mubuf;
        do
            inst.op = isa::op_from_number(inst.format, word() % 128);
        while (inst.op == Op::Illegal);
        inst.addr64 = one_in(5);
        inst.offen = !inst.addr64 && one_in(2);
        inst.idxen = !inst.addr64 && one_in(2);
        inst.glc = one_in(2);
        inst.slc = one_in(2);
        inst.tfe = one_in(4);
        inst.lds = one_in(8);
        inst.offset = static_cast<uint16_t>(word() % 64);
        inst.dfmt = static_cast<uint8_t>(word() % 16);
        inst.nfmt = static_cast<uint8_t>(word() % 8);
        inst.vaddr = kVaddr;
        inst.vdst = kVdst;
        inst.srsrc = kSrsrc;
        inst.soffset = kSoffset;
        return inst;
    }
    static void expect_same_lanes(const isa::VectorMemOp& a, const isa::VectorMemOp& b) {
        const unsigned dwords = (a.bytes + 3u) / 4;
        for (unsigned k = 0; k < dwords; ++k) {
            const uint64_t lanes = a.contiguous ? a.lanes : a.dword_lanes[k];
            if (!a.contiguous) {
                ASSERT_EQ(a.dword_lanes[k], b.dword_lanes[k]);
            }
            for (unsigned l = 0; l < 64; ++l)
                if ((lanes >> l & 1) != 0 && (k == 0 || !a.contiguous)) {
                    ASSERT_EQ(a.addr[k][l], b.addr[k][l]);
                }
        }
    }
    static void expect_same(const isa::VectorMemOp& a, const isa::VectorMemOp& b) {
        ASSERT_STREQ(a.unsupported, b.unsupported);
        if (a.unsupported != nullptr)
            return;
        ASSERT_EQ(a.kind, b.kind);
        ASSERT_EQ(a.atomic, b.atomic);
        ASSERT_EQ(a.bytes, b.bytes);
        ASSERT_EQ(a.dwords, b.dwords);
        ASSERT_EQ(a.sign_extend, b.sign_extend);
        ASSERT_EQ(a.returns, b.returns);
        ASSERT_EQ(a.glc, b.glc);
        ASSERT_EQ(a.slc, b.slc);
        ASSERT_EQ(a.contiguous, b.contiguous);
        ASSERT_EQ(a.to_lds, b.to_lds);
        ASSERT_EQ(a.tfe, b.tfe);
        ASSERT_EQ(a.failed, b.failed);
        ASSERT_EQ(a.vdst, b.vdst);
        ASSERT_EQ(a.typed, b.typed);
        ASSERT_EQ(a.dfmt, b.dfmt);
        ASSERT_EQ(a.nfmt, b.nfmt);
        ASSERT_EQ(a.dst_sel, b.dst_sel);
        ASSERT_EQ(a.lanes, b.lanes);
        ASSERT_EQ(a.zero_lanes, b.zero_lanes);
        if (a.to_lds) {
            ASSERT_EQ(a.lds_addr, b.lds_addr);
        }
        expect_same_lanes(a, b);
    }

    std::mt19937_64 random_{7};
    alignas(64) isa::VReg registers_[kVgprs];
    isa::WaveState wave_;
};

TEST_P(TaBufferUnitTest, AddressesAreThoseOfTheInstruction) {
    cu::PinBufferUnit unit(*block_);
    auto expected = std::make_unique<isa::VectorMemOp>();
    auto found = std::make_unique<isa::VectorMemOp>();
    for (unsigned n = 0; n < 5000 && !HasFatalFailure(); ++n) {
        scatter();
        const isa::Inst inst = instruction();
        const bool offset_in_lds = one_in(2);
        isa::buffer_addresses(inst, wave_, *expected, offset_in_lds);
        EXPECT_TRUE(unit.address(inst, wave_, offset_in_lds, *found));
        SCOPED_TRACE(std::string(isa::op_info(inst.op).name) + ", instruction " +
                     std::to_string(n));
        expect_same(*expected, *found);
    }
}

INSTANTIATE_TEST_SUITE_P(On, TaBufferUnitTest,
                         testing::ValuesIn(core_and_rtl<TaBufferPins, cu::TaBufferCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
