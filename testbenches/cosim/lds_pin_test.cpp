// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstring>
#include <random>
#include <vector>

#include "models/common/error.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/lds_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using isa::Op;
constexpr unsigned kLanes = LdsPins::kLanes;

class LdsPinsTest : public OnPins<LdsPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        for (uint16_t row = 0; row < 64; ++row)
            put(row, {});
        op().size = 8192;
        op().m0 = ~0u;
        op().exec = ~uint64_t{0};
        in_.out_ready = 1;
    }
    LdsPins::Operation& op() { return in_.op; }
    void put(uint16_t number, const LdsPins::Row& data) {
        in_.row_valid = in_.row.write = 1;
        in_.row.number = number;
        in_.row.data = data;
        EXPECT_EQ(step().row_ready, 1);
        in_.row_valid = in_.row.write = 0;
    }
    // The dword at a byte address.
    uint32_t dword(unsigned address) {
        in_.row_valid = 1;
        in_.row.number = static_cast<uint16_t>(address / 128);
        EXPECT_EQ(step().row_ready, 1);
        in_.row_valid = 0;
        return out_.row_out[address % 128 / 4];
    }
    template <class F>
    void addresses(F f) {
        for (unsigned l = 0; l < kLanes; ++l)
            op().address[l] = static_cast<uint32_t>(f(l));
    }
    // Executes; the cycles between operation and result.
    unsigned run(Op instruction) {
        op().code = static_cast<uint8_t>(isa::op_info(instruction).number);
        return run_code();
    }
    unsigned run_code() {
        in_.op_valid = 1;
        EXPECT_EQ(step().op_ready, 1);
        in_.op_valid = 0;
        unsigned cycles = 0;
        while (step().out_valid == 0 && cycles < 1000)
            ++cycles;
        return cycles;
    }
    unsigned passes(Op instruction) {
        run(instruction);
        return out_.out_passes;
    }
};

TEST_P(LdsPinsTest, HalfWavesOfDwordsAndQuarterWavesOfDoublesTakeAPassEach) {
    addresses([](unsigned l) { return 4 * l; });
    EXPECT_EQ(run(Op::DS_READ_B32), 1u + 2) << "a cycle for the addresses, and the passes";
    EXPECT_EQ(out_.out_passes, 2);
    EXPECT_EQ(passes(Op::DS_READ_U8), 2u);
    addresses([](unsigned l) { return 8 * l; });
    EXPECT_EQ(passes(Op::DS_READ_B64), 4u) << "eight bytes each, without conflict";
    EXPECT_EQ(passes(Op::DS_READ_B32), 4u) << "every other bank: two lanes each";
    op().offset = 1 << 8;
    EXPECT_EQ(passes(Op::DS_READ2_B32), 2u * 4);
    EXPECT_EQ(passes(Op::DS_READ2_B64), 2u * 4);
}

TEST_P(LdsPinsTest, LanesOfOneElementAreServedTogetherThoseOfOneBankInTurn) {
    addresses([](unsigned) { return 400; });
    EXPECT_EQ(passes(Op::DS_READ_B32), 2u);
    EXPECT_EQ(passes(Op::DS_READ_B64), 4u);
    addresses([](unsigned l) { return 128 * l % 8192; });
    EXPECT_EQ(passes(Op::DS_READ_B32), 64u);
    EXPECT_EQ(passes(Op::DS_READ_B64), 64u);
    addresses([](unsigned l) { return 128 * (l % 3); });
    EXPECT_EQ(passes(Op::DS_READ_B32), 6u);
    op().exec = uint64_t{1} << 40;
    EXPECT_EQ(passes(Op::DS_READ_B32), 1u) << "a half wave without lanes takes none";
    op().exec = 0;
    EXPECT_EQ(run(Op::DS_READ_B32), 1u);
    EXPECT_EQ(out_.out_passes, 0);
}

TEST_P(LdsPinsTest, LanesOfOneElementActInAscendingOrder) {
    addresses([](unsigned) { return 64; });
    for (unsigned l = 0; l < kLanes; ++l)
        op().first[l] = l + 1;
    EXPECT_EQ(passes(Op::DS_ADD_RTN_U32), 2u);
    for (unsigned l = 0; l < kLanes; ++l)
        EXPECT_EQ(out_.out_data0[l], l * (l + 1) / 2);
    EXPECT_EQ(dword(64), 64u * 65 / 2);
    run(Op::DS_WRITE_B32);
    EXPECT_EQ(dword(64), 64u) << "the last lane's";
    op().exec = 0xff;
    run(Op::DS_WRXCHG_RTN_B32);
    EXPECT_EQ(out_.out_data0[0], 64u);
    EXPECT_EQ(out_.out_data0[7], 7u);
    EXPECT_EQ(out_.out_data0[8], 0u) << "not active";
    EXPECT_EQ(dword(64), 8u);
}

TEST_P(LdsPinsTest, ElementBeyondPartOrM0ReadsZeroAndIsNotWritten) {
    op().base = 1024 / LdsPins::kBaseGranule;
    op().size = 256;
    for (unsigned l = 0; l < kLanes; ++l)
        op().first[l] = 100 + l;
    addresses([](unsigned l) { return 4 * l; });
    op().offset = 128;
    EXPECT_EQ(passes(Op::DS_WRITE_B32), 1u) << "half of the lanes";
    EXPECT_EQ(dword(1024 + 252), 131u);
    EXPECT_EQ(dword(1024 + 256), 0u);
    op().m0 = 255;
    run(Op::DS_READ_B32);
    EXPECT_EQ(out_.out_data0[30], 130u);
    EXPECT_EQ(out_.out_data0[31], 0u);
    addresses([](unsigned) { return 0u - 4; });
    op().offset = 132;
    EXPECT_EQ(passes(Op::DS_READ_B32), 0u) << "the sum does not wrap";
    op().m0 = ~0u;
    addresses([](unsigned) { return 131; });
    op().offset = 0;
    run(Op::DS_READ_B32);
    EXPECT_EQ(out_.out_data0[0], 100u) << "rounded down";
}

TEST_P(LdsPinsTest, BytesAndHalfWordsLeaveTheirNeighbours) {
    op().exec = 1;
    op().address[0] = 20;
    op().first[0] = 0x11223344;
    run(Op::DS_WRITE_B32);
    op().address[0] = 22;
    op().first[0] = 0xf5;
    run(Op::DS_WRITE_B8);
    EXPECT_EQ(dword(20), 0x11f53344u);
    op().first[0] = 0xabcd;
    run(Op::DS_WRITE_B16);
    EXPECT_EQ(dword(20), 0xabcd3344u);
    run(Op::DS_READ_I16);
    EXPECT_EQ(out_.out_data0[0], 0xffffabcdu);
    run(Op::DS_READ_U8);
    EXPECT_EQ(out_.out_data0[0], 0xcdu);
}

TEST_P(LdsPinsTest, TwoPlacesOfALaneAreDoneBeforeTheNextLane) {
    op().exec = 3;
    op().address[0] = 0;
    op().address[1] = 4;
    op().offset = 1 << 8;  // this dword and the next
    op().first[0] = 10;
    op().second[0] = 20;
    op().first[1] = 30;
    op().second[1] = 40;
    EXPECT_EQ(run(Op::DS_WRXCHG2_RTN_B32), 1u + 2 + 2 * 2);
    EXPECT_EQ(out_.out_data0[1], 20u) << "what the first lane left there";
    EXPECT_EQ(dword(0), 10u);
    EXPECT_EQ(dword(4), 30u);
    EXPECT_EQ(dword(8), 40u);
    op().offset = 0;
    run(Op::DS_WRXCHG2_RTN_B32);
    EXPECT_EQ(out_.out_data1[0], 10u) << "both addresses the same: what was there before";
    EXPECT_EQ(dword(0), 20u);
    // m[a] += m[a + 1 dword], lane after lane
    op().exec = 3;
    op().address[0] = 4;
    op().address[1] = 0;
    op().offset = 1;
    EXPECT_EQ(run(Op::DS_ADD_SRC2_U32), 1u + 1 + 2 * 2);
    EXPECT_EQ(dword(4), 40u + 40);
    EXPECT_EQ(dword(0), 20u + 80);
}

TEST_P(LdsPinsTest, CountersMoveByTheActiveLanesAndSwizzlePassesHalfWaves) {
    op().m0 = 0x10;
    op().offset = 8;
    op().exec = 0xf0f;
    EXPECT_EQ(passes(Op::DS_APPEND), 1u);
    EXPECT_EQ(passes(Op::DS_APPEND), 1u);
    EXPECT_EQ(out_.out_data0[8], 8u);
    EXPECT_EQ(out_.out_data0[4], 0u);
    run(Op::DS_CONSUME);
    EXPECT_EQ(out_.out_data0[0], 16u);
    EXPECT_EQ(dword(24), 8u);
    op().exec = ~uint64_t{0} & ~uint64_t{2};
    op().offset = 1 << 10 | 0x1f;  // exchange neighbours
    addresses([](unsigned l) { return l + 500; });
    EXPECT_EQ(passes(Op::DS_SWIZZLE_B32), 2u);
    EXPECT_EQ(out_.out_data0[0], 0u) << "its neighbour is not active";
    EXPECT_EQ(out_.out_data0[40], 541u);
}

TEST_P(LdsPinsTest, FloatsCompareByValueAndNanDoesNotPass) {
    const auto now = [&](Op instruction, uint32_t old, uint32_t with) {
        op().exec = 1;
        op().address[0] = 0;
        op().first[0] = old;
        run(Op::DS_WRITE_B32);
        op().first[0] = with;
        run(instruction);
        return dword(0);
    };
    EXPECT_EQ(now(Op::DS_MIN_F32, 0x3f800000, 0xbf800000), 0xbf800000u);
    EXPECT_EQ(now(Op::DS_MAX_F32, 0x3f800000, 0x7fc00000), 0x3f800000u);
    EXPECT_EQ(now(Op::DS_MIN_F32, 0x80000000, 0), 0x80000000u);
    op().second[0] = 77;
    EXPECT_EQ(now(Op::DS_CMPST_F32, 0x80000000, 0), 77u);
    EXPECT_EQ(now(Op::DS_CMPST_B32, 0x80000000, 0), 0x80000000u);
    EXPECT_EQ(now(Op::DS_MIN_I32, 3, 0xffffffff), 0xffffffffu);
    EXPECT_EQ(now(Op::DS_MIN_U32, 3, 0xffffffff), 3u);
}

TEST_P(LdsPinsTest, UnknownInstructionsAreReportedAndDoNothing) {
    for (const unsigned code : {20u, 25u, 63u, 84u, 95u, 117u, 140u, 191u, 255u}) {
        op().code = static_cast<uint8_t>(code);
        EXPECT_EQ(run_code(), 1u);
        EXPECT_EQ(out_.out_illegal, 1) << code;
        EXPECT_EQ(out_.out_passes, 0);
    }
}

TEST_P(LdsPinsTest, ResultWaitsAndRowsWaitForIt) {
    addresses([](unsigned l) { return 4 * l; });
    in_.out_ready = 0;
    run(Op::DS_READ_B32);
    in_.op_valid = in_.row_valid = 1;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(step().out_valid, 1);
        EXPECT_EQ(out_.op_ready, 0);
        EXPECT_EQ(out_.row_ready, 0);
    }
    in_.out_ready = 1;
    step();
    EXPECT_EQ(step().op_ready, 1);
    EXPECT_EQ(out_.out_valid, 0);
    in_.op_valid = in_.row_valid = 0;
    in_.rst = 1;
    step();
    in_.rst = 0;
    EXPECT_EQ(step().op_ready, 1) << "reset ends what is going on";
}

INSTANTIATE_TEST_SUITE_P(On, LdsPinsTest, testing::ValuesIn(core_and_rtl<LdsPins, cu::LdsCore>()),
                         kName);

class LdsUnitTest : public OnPins<LdsPins> {};

// Two compute units' storage through one local data share, every DS instruction.
TEST_P(LdsUnitTest, InstructionsLeaveRegistersAndStorageAsTheirSemanticsDo) {
    struct Registers {
        alignas(64) isa::VReg v[12];
    };
    constexpr unsigned kBytes = 4096;
    std::mt19937 random(3);
    const auto word = [&] { return static_cast<uint32_t>(random()); };
    std::vector<std::vector<uint8_t>> plain(2, std::vector<uint8_t>(kBytes));
    for (auto& storage : plain)
        for (uint8_t& byte : storage)
            byte = static_cast<uint8_t>(word());
    auto swapped = plain;
    cu::PinLdsUnit unit(*block_);
    unsigned executed = 0;
    for (unsigned round = 0; round < 4; ++round) {
        for (unsigned code = 0; code < 256; ++code) {
            isa::Inst inst;
            inst.op = isa::op_from_number(isa::Format::Ds, code);
            inst.format = isa::Format::Ds;
            inst.cls = isa::op_info(inst.op).cls;
            inst.vaddr = static_cast<uint16_t>(word() % 3);
            inst.data0 = 4;
            inst.data1 = 6;
            inst.vdst = static_cast<uint16_t>(word() % 9);
            inst.offset = static_cast<uint16_t>(word() % 2 == 0 ? 0x204 : word());
            Registers a;
            for (isa::VReg& reg : a.v)
                for (uint32_t& lane : reg)
                    lane = word() % 512;
            Registers b = a;
            isa::WaveState wave;
            wave.num_vgprs = 12;
            wave.lds_base = 256 * (word() % 4);
            wave.lds_size = 1024;
            wave.s[isa::kM0] = word() % 4 == 0 ? 700 : 1024;
            wave.set_exec(uint64_t{word()} << 32 | word());
            isa::WaveState other = wave;
            wave.v = a.v;
            other.v = b.v;
            const size_t cu = word() % 2;
            unsigned want = 0;
            unsigned got = 0;
            const bool known = isa::execute_lds(inst, wave, plain[cu].data(), kBytes, &want);
            ASSERT_EQ(unit.execute(inst, other, swapped[cu].data(), kBytes, &got), known) << code;
            executed += known;
            ASSERT_EQ(got, want) << code;
            ASSERT_EQ(std::memcmp(&a, &b, sizeof a), 0) << code;
            ASSERT_EQ(plain[cu], swapped[cu]) << code;
            if (code % 16 == 0)  // others write it too
                plain[cu][word() % kBytes] = swapped[cu][word() % kBytes] = 7;
            swapped = plain;
        }
    }
    EXPECT_EQ(executed, 4u * 125);
    isa::Inst inst;
    inst.op = isa::op_from_number(isa::Format::Ds, 54);
    inst.format = isa::Format::Ds;
    inst.cls = isa::Class::Lds;
    isa::WaveState wave;
    Registers a{};
    wave.v = a.v;
    wave.lds_base = 4;
    EXPECT_THROW(unit.execute(inst, wave, plain[0].data(), kBytes, nullptr), MachineStop);
}

TEST(LdsOnPins, RefusesWhatTheVerilogHasNotByName) {
    const auto refused = [](auto change) -> std::string {
        cu::CuSpec spec;
        change(spec);
        try {
            cu::check_lds_pins(spec);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "taken";
    };
    EXPECT_EQ(refused([](cu::CuSpec&) {}), "taken");
    EXPECT_EQ(refused([](cu::CuSpec& s) { s.lds_banks = 16; }),
              "cu.lds.banks 16: the Verilog twin lds takes 32");
    EXPECT_EQ(refused([](cu::CuSpec& s) { s.lds_bytes = 1 << 17; }),
              "cu.resources.lds 131072: the Verilog twin lds takes 0 to 65536");
    EXPECT_EQ(refused([](cu::CuSpec& s) { s.lds_granule = 100; }),
              "cu.resources.lds_granule 100: the Verilog twin lds takes multiples of 8");
}

INSTANTIATE_TEST_SUITE_P(On, LdsUnitTest, testing::ValuesIn(core_and_rtl<LdsPins, cu::LdsCore>()),
                         kName);

}  // namespace
}  // namespace archipelago::rtl
