// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>

#include "models/cu/isa/buffer_access.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/ta_format_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

constexpr uint32_t kOne = 0x3f800000, kHalf = 0x3f000000, kNan = 0x7fc00000;
// BUF_NUM_FORMAT
enum : uint8_t { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kOgl, kFloat };

class TaFormatPinsTest : public OnPins<TaFormatPins> {
  protected:
    static constexpr unsigned kLane = 37;

    const TaFormatPins::Rows& run() {
        in_.in_valid = 1;
        in_.out_ready = 1;
        step();
        in_.in_valid = 0;
        while (step().out_valid == 0) {
        }
        return out_.out_data;
    }
    uint32_t result(unsigned dword) const { return out_.out_data[64 * dword + kLane]; }
    void put(std::initializer_list<uint32_t> dwords) {
        unsigned k = 0;
        for (const uint32_t x : dwords)
            in_.in.data[64 * k++ + kLane] = x;
    }
    // Component x of an element whose lowest dword this is, loaded.
    uint32_t load(unsigned dfmt, uint8_t nfmt, uint32_t element) {
        typed(dfmt, nfmt, 1);
        in_.in.store = 0;
        in_.in.written = ~uint64_t{0};
        in_.in.dword_lanes.fill(~uint64_t{0});
        put({element});
        run();
        return result(0);
    }
    // The lowest dword of an element whose component x this is.
    uint32_t store(unsigned dfmt, uint8_t nfmt, uint32_t value) {
        typed(dfmt, nfmt, 1);
        in_.in.store = 1;
        put({value});
        run();
        return result(0);
    }
    void typed(unsigned dfmt, uint8_t nfmt, uint8_t dwords) {
        in_.in.typed = 1;
        in_.in.dfmt = static_cast<uint8_t>(dfmt);
        in_.in.nfmt = nfmt;
        in_.in.dwords = dwords;
        in_.in.dst_sel = 07654;
    }
};

TEST_P(TaFormatPinsTest, DataComeOneCycleBehindAndAreHeldUntilTheyAreTaken) {
    in_.in.store = 1;
    in_.in.dwords = 1;
    put({7});
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

TEST_P(TaFormatPinsTest, NormalisedNumbersAreLoadedExactly) {
    EXPECT_EQ(load(1, kUnorm, 0xff), kOne);
    EXPECT_EQ(load(1, kUnorm, 0), 0u);
    EXPECT_EQ(load(1, kUnorm, 1), 0x3b808081u);  // 1 / 255
    EXPECT_EQ(load(1, kSnorm, 0x80), kOne | 1u << 31);
    EXPECT_EQ(load(1, kSnorm, 0x81), kOne | 1u << 31);
    EXPECT_EQ(load(1, kSnorm, 1), 0x3c010204u);   // 1 / 127
    EXPECT_EQ(load(1, kOgl, 0xff), 0xbb808081u);  // -1 / 255
    EXPECT_EQ(load(2, kUnorm, 0x8000), 0x3f000080u);
    EXPECT_EQ(load(4, kUnorm, 0xffffffff), kOne);
    EXPECT_EQ(load(4, kSnorm, 0x80000000), kOne | 1u << 31);
}

TEST_P(TaFormatPinsTest, IntegersAreLoadedAsTheyAreOrScaledByOne) {
    EXPECT_EQ(load(1, kUint, 0x80), 0x80u);
    EXPECT_EQ(load(1, kSint, 0x80), 0xffffff80u);
    EXPECT_EQ(load(1, kUscaled, 0x80), 0x43000000u);
    EXPECT_EQ(load(1, kSscaled, 0x80), 0xc3000000u);
    EXPECT_EQ(load(4, kUscaled, 0xffffffff), 0x4f800000u);
    EXPECT_EQ(load(4, kSscaled, 0x80000000), 0xcf000000u);
    EXPECT_EQ(load(4, kUscaled, 0x01000001), 0x4b800000u);  // the middle of two floats
}

TEST_P(TaFormatPinsTest, SmallFloatsAreWidenedExactly) {
    EXPECT_EQ(load(2, kFloat, 0x3c00), kOne);
    EXPECT_EQ(load(2, kFloat, 0x8001), 0xb3800000u);  // -2^-24
    EXPECT_EQ(load(2, kFloat, 0x7c00), 0x7f800000u);
    EXPECT_EQ(load(2, kFloat, 0xfe01), 0xffc02000u);
    EXPECT_EQ(load(6, kFloat, 0x3c0), kOne);
    EXPECT_EQ(load(6, kFloat, 1), 0x35800000u);  // 2^-20
    EXPECT_EQ(load(7, kFloat, 0x1e0), kOne);
    EXPECT_EQ(load(4, kFloat, 0x00000001), 1u);
}

TEST_P(TaFormatPinsTest, NormalisedNumbersAreStoredToNearestEven) {
    EXPECT_EQ(store(1, kUnorm, kHalf), 0x80u);  // 127.5
    EXPECT_EQ(store(1, kUnorm, 0xbf800000), 0u);
    EXPECT_EQ(store(1, kUnorm, 0x40000000), 0xffu);
    EXPECT_EQ(store(1, kUnorm, kNan), 0u);
    EXPECT_EQ(store(1, kSnorm, 0xbf800000), 0x81u);
    EXPECT_EQ(store(1, kSnorm, 0xff800000), 0x81u);
    EXPECT_EQ(store(4, kUnorm, kOne), 0xffffffffu);
    EXPECT_EQ(store(4, kUnorm, 0x2f000001), 1u);  // just above half
    EXPECT_EQ(store(4, kUnorm, 0x2f000000), 0u);
}

TEST_P(TaFormatPinsTest, FloatsAreNarrowedToNearestEven) {
    EXPECT_EQ(store(2, kFloat, 0xc0490fdb), 0xc248u);
    EXPECT_EQ(store(2, kFloat, 0x477ff000), 0x7c00u);  // 65520
    EXPECT_EQ(store(2, kFloat, 0x477fefff), 0x7bffu);
    EXPECT_EQ(store(2, kFloat, 0x33000000), 0u);  // half the least denormal
    EXPECT_EQ(store(2, kFloat, 0x33000001), 1u);
    EXPECT_EQ(store(2, kFloat, 0x7f802000), 0x7e01u);
    EXPECT_EQ(store(6, kFloat, kOne), 0x3c0u);
    EXPECT_EQ(store(6, kFloat, 0xbf800000), 0u);
    EXPECT_EQ(store(6, kFloat, 0xffc00000), 0x7e0u);
}

TEST_P(TaFormatPinsTest, ComponentsLieFromTheLowestBitOn) {
    typed(9, kUint, 4);  // 2_10_10_10
    in_.in.store = 1;
    put({0x3ff, 1, 0x402, 2});
    run();
    EXPECT_EQ(result(0), 0x3ffu | 1u << 10 | 2u << 20 | 2u << 30);
    typed(12, kUint, 4);  // 16_16_16_16
    put({1, 2, 3, 4});
    run();
    EXPECT_EQ(result(0), 0x00020001u);
    EXPECT_EQ(result(1), 0x00040003u);
    EXPECT_EQ(result(2), 0u);
    typed(7, kUint, 3);  // 10 bits, 11, 11
    put({0x3ff, 0, 0x7ff});
    run();
    EXPECT_EQ(result(0), 0x3ffu | 0x7ffu << 21);
}

TEST_P(TaFormatPinsTest, LackingComponentsAre0AndOne) {
    typed(4, kUint, 4);
    in_.in.written = in_.in.dword_lanes[0] = ~uint64_t{0};
    put({5, 6, 7, 8});
    run();
    EXPECT_EQ(result(0), 5u);
    EXPECT_EQ(result(1), 0u);
    EXPECT_EQ(result(2), 0u);
    EXPECT_EQ(result(3), 1u);
    in_.in.nfmt = kUnorm;
    run();
    EXPECT_EQ(result(3), kOne);
}

TEST_P(TaFormatPinsTest, SelectorsMoveComponentsBothWays) {
    typed(10, kUint, 4);
    in_.in.dst_sel = 1 | 0 << 3 | 7 << 6 | 4 << 9;
    in_.in.written = in_.in.dword_lanes[0] = ~uint64_t{0};
    put({0x44332211});
    run();
    EXPECT_EQ(result(0), 1u);
    EXPECT_EQ(result(1), 0u);
    EXPECT_EQ(result(2), 0x44u);
    EXPECT_EQ(result(3), 0x11u);
    in_.in.store = 1;
    in_.in.dwords = 3;  // w comes from x, z from a register that is not there
    put({0xa0, 0xb0, 0xc0, 0xd0});
    run();
    EXPECT_EQ(result(0), 0xa0000001u);
}

TEST_P(TaFormatPinsTest, LanesOutOfRangeRead0AndOthersNothing) {
    typed(4, kUint, 2);
    in_.in.dst_sel = 4 | 1 << 3;
    in_.in.written = uint64_t{1} << kLane;
    put({5});
    in_.in.data[kLane + 1] = 9;
    run();
    EXPECT_EQ(result(0), 0u);
    EXPECT_EQ(result(1), 1u);  // what is no component is not read
    EXPECT_EQ(out_.out_data[kLane + 1], 0u);
}

TEST_P(TaFormatPinsTest, PlainLoadsAreExtendedAndCheckedByDword) {
    in_.in.written = ~uint64_t{0};
    in_.in.dword_lanes[0] = ~uint64_t{0};
    in_.in.dwords = 2;
    in_.in.bytes = 8;
    in_.in.sign_extend = 1;
    put({0x80, 0x8000});
    run();
    EXPECT_EQ(result(0), 0x80u);
    EXPECT_EQ(result(1), 0u);
    in_.in.bytes = 1;
    run();
    EXPECT_EQ(result(0), 0xffffff80u);
    in_.in.bytes = 2;
    put({0x8000});
    run();
    EXPECT_EQ(result(0), 0xffff8000u);
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
