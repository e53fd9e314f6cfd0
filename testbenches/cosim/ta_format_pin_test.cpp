// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>

#include "models/cu/isa/buffer_access.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/ta_format_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

class TaFormatPinsTest : public OnPins<TaFormatPins> {
  protected:
    static constexpr unsigned kLane = 37;

    uint32_t result(unsigned dword) const { return out_.out_data[64 * dword + kLane]; }
};

TEST_P(TaFormatPinsTest, DataComeOneCycleBehindAndAreHeldUntilTheyAreTaken) {
    in_.in.store = 1;
    in_.in.dwords = 1;
    in_.in.data[kLane] = 7;
    in_.in_valid = 1;
    EXPECT_EQ(step().in_ready, 1);
    EXPECT_EQ(step().out_valid, 1);
    EXPECT_EQ(out_.in_ready, 0);
    EXPECT_EQ(result(0), 7u);
    in_.out_ready = 1;
    in_.in_valid = 0;
    EXPECT_EQ(step().in_ready, 1);
    EXPECT_EQ(step().out_valid, 0);
    EXPECT_EQ(result(0), 0u);
}

TEST_P(TaFormatPinsTest, ResetDropsTheData) {
    in_.in_valid = 1;
    step();
    in_.in_valid = 0;
    in_.rst = 1;
    step();
    in_.rst = 0;
    EXPECT_EQ(step().out_valid, 0);
}

INSTANTIATE_TEST_SUITE_P(On, TaFormatPinsTest,
                         testing::ValuesIn(core_and_rtl<TaFormatPins, cu::TaFormatCore>()), kName);

// A wave whose registers a load or a store by the pins leaves as the instruction set does.
class TaFormatUnitTest : public OnPins<TaFormatPins> {
  protected:
    static constexpr unsigned kVgprs = 12, kVdst = 3;

    uint32_t word() { return static_cast<uint32_t>(random_()); }

    void scatter(isa::VReg* rows, unsigned count) {
        for (unsigned r = 0; r < count; ++r)
            for (uint32_t& x : rows[r])
                x = word() % 4 == 0 ? word() : 0x3e000000 + word() % 0x02000000;
    }
    // Typed or plain, as isa::buffer_addresses() leaves it.
    void describe(isa::VectorMemOp& op, bool store) {
        isa::Inst inst;
        inst.format = word() % 3 == 0 ? isa::Format::Mubuf : isa::Format::Mtbuf;
        isa::WaveState w;
        w.v = registers_;
        w.set_exec(uint64_t{word()} << 32 | word());
        w.s[1] = 16 << 16;
        w.s[2] = 50;
        w.s[3] = 1u << 23;
        do {
            inst.dfmt = static_cast<uint8_t>(word() % 15);
            inst.nfmt = static_cast<uint8_t>(word() % 8);
            inst.tfe = word() % 4 == 0;
            inst.glc = true;
            inst.op = isa::op_from_number(inst.format, word() % 96);
            inst.vdst = kVdst;
            inst.soffset = isa::kConstZero;
            if (inst.op != isa::Op::Illegal)
                isa::buffer_addresses(inst, w, op);
        } while (inst.op == isa::Op::Illegal || op.unsupported != nullptr ||
                 (op.kind == isa::VectorMemOp::Kind::Load) == store || (!store && !op.returns));
        inst_ = inst;
    }

    std::mt19937_64 random_{9};
    isa::Inst inst_;
    alignas(64) isa::VReg registers_[kVgprs];
    alignas(64) isa::VReg expected_[kVgprs];
};

TEST_P(TaFormatUnitTest, LoadsLeaveTheRegistersOfTheInstructionSet) {
    cu::PinFormatUnit unit(*block_);
    auto op = std::make_unique<isa::VectorMemOp>();
    for (unsigned n = 0; n < 2000; ++n) {
        scatter(registers_, kVgprs);
        describe(*op, false);
        scatter(op->data, 4);
        if (op->tfe)
            isa::vector_mem_failed(*op, word());
        std::memcpy(expected_, registers_, sizeof registers_);
        isa::WaveState there, here;
        there.v = expected_;
        here.v = registers_;
        isa::vector_mem_complete(*op, there);
        EXPECT_TRUE(unit.load(*op, here));
        ASSERT_EQ(std::memcmp(expected_, registers_, sizeof registers_), 0)
            << isa::op_info(inst_.op).name << ", load " << n;
    }
}

TEST_P(TaFormatUnitTest, StoresBringTheDataOfTheInstructionSet) {
    cu::PinFormatUnit unit(*block_);
    auto there = std::make_unique<isa::VectorMemOp>(), here = std::make_unique<isa::VectorMemOp>();
    for (unsigned n = 0; n < 2000; ++n) {
        scatter(registers_, kVgprs);
        describe(*there, true);
        *here = *there;
        isa::WaveState wave;
        wave.v = registers_;
        isa::buffer_operands(inst_, wave, *there);
        EXPECT_TRUE(unit.store(inst_, wave, *here));
        const unsigned dwords =
            there->typed ? (there->bytes + 3u) / 4 : isa::operand_dwords(*there);
        if (there->lanes != 0) {
            ASSERT_EQ(std::memcmp(there->data, here->data, dwords * sizeof there->data[0]), 0)
                << isa::op_info(inst_.op).name << ", store " << n;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(On, TaFormatUnitTest,
                         testing::ValuesIn(core_and_rtl<TaFormatPins, cu::TaFormatCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
