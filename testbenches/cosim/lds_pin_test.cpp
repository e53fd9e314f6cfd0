// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "models/common/error.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/lds_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

class LdsPinsTest : public OnPins<LdsPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        op().size = 8192;
        op().m0 = ~0u;
        op().exec = ~uint64_t{0};
        in_.out_ready = 1;
    }
    LdsPins::Operation& op() { return in_.op; }
    // Executes; the cycles between operation and result.
    unsigned run(unsigned code) {
        op().code = static_cast<uint8_t>(code);
        in_.op_valid = 1;
        EXPECT_EQ(step().op_ready, 1);
        in_.op_valid = 0;
        unsigned cycles = 0;
        while (step().out_valid == 0 && cycles < 1000)
            ++cycles;
        return cycles;
    }
};

TEST_P(LdsPinsTest, UnknownInstructionsAreReportedAndDoNothing) {
    for (const unsigned code : {20u, 25u, 63u, 84u, 95u, 117u, 140u, 191u, 255u}) {
        EXPECT_EQ(run(code), 1u);
        EXPECT_EQ(out_.out_illegal, 1) << code;
        EXPECT_EQ(out_.out_passes, 0);
    }
}

TEST_P(LdsPinsTest, ResultWaitsAndRowsWaitForIt) {
    for (unsigned l = 0; l < LdsPins::kLanes; ++l)
        op().address[l] = 4 * l;
    in_.out_ready = 0;
    run(isa::op_info(isa::Op::DS_READ_B32).number);
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
