// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/cu/isa/assemble.h"
#include "models/cu/pins/cu_pin_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl::cu_pin_test {
namespace {

using Pins = CuPins;

constexpr uint64_t kProgram = 0x10000;

// A unit of one wave whose program lies at kProgram; every port has room, and fetches are answered
// three cycles later.
class CuPinsTest : public OnPins<CuPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        in_.cfg = cu::config_to_pins(cu::CuSpec{}, {1, 0, 2});
        in_.rst = 1;
        step();
        in_.rst = 0;
        in_.done_ready = in_.fetch_ready = in_.scalar_ready = in_.invalidate_ready = 1;
        in_.gds_ready = in_.export_ready = in_.message_ready = 1;
        in_.request_ready.fill(1);
    }
    void launch(const std::string& text) {
        const isa::Assembly assembly = isa::assemble(text);
        ASSERT_TRUE(assembly.errors.empty());
        code_.assign((assembly.bytes.size() + 31) / 32 * 8, 0);
        std::memcpy(code_.data(), assembly.bytes.data(), assembly.bytes.size());
        Pins::Launch& l = in_.launch;
        l.wave = 1;
        l.dispatch = 1;
        l.stage = 6;
        l.waves_in_group = 1;
        l.pc = kProgram;
        l.exec = ~uint64_t{0};
        l.vgprs = 16;
        l.sgprs = 32;
        l.sgpr_count = 4;
        l.sgpr = {0x4000, 0, 256, 0x00027fac};
        l.ids = 1;
        for (unsigned lane = 0; lane < Pins::kLanes; ++lane)
            l.v0[lane] = lane;
        in_.launch_valid = 1;
        cycle();
        EXPECT_EQ(out_.launch_ready, 1);
        in_.launch_valid = 0;
    }
    const Pins::Out& cycle() {
        in_.cycle = ++now_;
        in_.fetched_valid = !fetches_.empty() && fetches_.front().at <= now_;
        if (in_.fetched_valid != 0)
            in_.fetched = fetches_.front().answer;
        step();
        if (out_.fetched_ready != 0)
            fetches_.erase(fetches_.begin());
        if (out_.fetch_valid != 0) {
            Fetch f{now_ + 3, {}};
            f.answer.wave = out_.fetch_wave;
            f.answer.tag = out_.fetch_tag;
            f.answer.address = out_.fetch_address;
            const uint64_t at = (out_.fetch_address - kProgram) / 4;
            for (unsigned i = 0; i < 8; ++i)
                f.answer.words[i] = at + i < code_.size() ? code_[at + i] : 0;
            fetches_.push_back(f);
        }
        for (unsigned i = 0; i < Pins::kRequests && out_.request_valid[i] != 0; ++i)
            requests_.push_back(out_.request[i]);
        return out_;
    }
    // Answers a request of each cycle; the dwords of a line are `value`.
    void answer(const std::vector<Pins::Request>& requests, uint32_t value) {
        for (const Pins::Request& r : requests) {
            in_.answer_valid[0] = 1;
            in_.answer[0] = {};
            in_.answer[0].tag = r.tag;
            in_.answer[0].command = r.command;
            in_.answer[0].line = r.line;
            in_.answer[0].data.fill(value);
            cycle();
            EXPECT_EQ(out_.answer_ready[0], 1);
        }
        in_.answer_valid[0] = 0;
    }
    // Cycles until `there`; -1: not within 300.
    template <class Condition>
    int cycles_until(Condition&& there) {
        for (int n = 1; n <= 300; ++n)
            if (cycle(); there())
                return n;
        return -1;
    }

    struct Fetch {
        uint64_t at;
        Pins::Fetched answer;
    };
    uint64_t now_ = 0;
    std::vector<uint32_t> code_;
    std::vector<Fetch> fetches_;
    std::vector<Pins::Request> requests_;
};

TEST_P(CuPinsTest, AWaveFetchesItsProgramAndEnds) {
    launch("s_nop 0\ns_endpgm\n");
    ASSERT_GT(cycles_until([&] { return out_.done_valid != 0; }), 0);
    EXPECT_EQ(out_.done_wave, 1);
    EXPECT_EQ(out_.done_exports, 0u);
}

TEST_P(CuPinsTest, AStoreIsAWriteOfALineForSixteenLanes) {
    launch(
        "v_lshlrev_b32 v1, 2, v0\n"
        "v_add_i32 v2, vcc, 7, v0\n"
        "buffer_store_dword v2, v1, s[0:3], 0 offen\n"
        "s_endpgm\n");
    ASSERT_GT(cycles_until([&] { return requests_.size() == 4; }), 0);
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(requests_[i].line, 0x100 + i);
        EXPECT_EQ(requests_[i].mask, ~uint64_t{0});
        EXPECT_EQ(requests_[i].command, 1);
        EXPECT_EQ(requests_[i].data[3], 16 * i + 3 + 7);
    }
    EXPECT_EQ(out_.done_valid, 0);
    answer(requests_, 0);
    EXPECT_GT(cycles_until([&] { return out_.done_valid != 0; }), 0);
}

// ---- images, linear ones: registers of address calculation are 0

// Instructions that put a resource into s[4:11].
std::string resource(uint32_t base, uint32_t dfmt, uint32_t nfmt, unsigned width, unsigned height,
                     unsigned depth, uint32_t type, unsigned levels) {
    const uint32_t words[8] = {base >> 8,
                               dfmt << 20 | nfmt << 26,
                               (width - 1) | (height - 1) << 14,
                               0xfac | (levels - 1) << 16 | type << 28,
                               (depth - 1) | (width - 1) << 13,
                               0,
                               0,
                               0};
    std::string text;
    for (unsigned k = 0; k < 8; ++k)
        text += "s_mov_b32 s" + std::to_string(4 + k) + ", " + std::to_string(words[k]) + "\n";
    return text;
}
constexpr uint32_t kDim3 = 10, k32 = 4, k32_32_32_32 = 14, kUint = 4, kFloat = 7;

// Eight texels of each of two levels, which no lanes share: 768 lines.
TEST_P(CuPinsTest, ASampleOfManyLinesReturnsWithTheLastOne) {
    launch(resource(0x100000, k32_32_32_32, kFloat, 512, 4, 4, kDim3, 2) +
           "s_mov_b32 s12, 0\n"
           "s_mov_b32 s13, 0xfff000\n"
           "s_mov_b32 s14, 0x0a500000\n"
           "s_mov_b32 s15, 0\n"
           "v_lshlrev_b32 v4, 3, v0\n"
           "v_add_i32 v4, vcc, 4, v4\n"
           "v_cvt_f32_u32 v4, v4\n"
           "v_mul_f32 v4, 0x3b000000, v4\n"  // 1 / 512
           "v_mov_b32 v5, 0.5\n"
           "v_mov_b32 v6, 0.5\n"
           "v_mov_b32 v7, 0.5\n"
           "image_sample_l v[8:9], v[4:7], s[4:11], s[12:15] dmask:0x3\n"
           "v_lshlrev_b32 v1, 2, v0\n"
           "s_waitcnt vmcnt(0)\n"
           "buffer_store_dword v9, v1, s[0:3], 0 offen\n"
           "s_endpgm\n");
    ASSERT_GT(cycles_until([&] { return requests_.size() == 768; }), 0);
    EXPECT_EQ(requests_.back().tag & 0xffff, 767u);
    auto last = std::exchange(requests_, {});
    const std::vector<Pins::Request> others(last.begin(), last.end() - 1);
    last.erase(last.begin(), last.end() - 1);
    answer(others, 0x3f800000);
    EXPECT_EQ(cycles_until([&] { return !requests_.empty(); }), -1);
    answer(last, 0x3f800000);
    ASSERT_GT(cycles_until([&] { return requests_.size() == 4; }), 0);
    EXPECT_EQ(requests_[3].data[15], 0x3f800000u);
}

TEST_P(CuPinsTest, AnImageThroughNoImageResourceStopsIt) {
    launch(resource(0x8000, k32, kUint, 64, 4, 1, 0, 1) +
           "image_load v2, v[0:1], s[4:11] dmask:0x1 unorm\n");
    ASSERT_GT(cycles_until([&] { return out_.stop_valid != 0; }), 0);
    EXPECT_EQ(out_.stop_reason, Pins::kNotImplemented);
}

TEST_P(CuPinsTest, NothingIsFetchedWhileItIsPaused) {
    in_.pause = 1;
    in_.launch_valid = 1;
    for (unsigned i = 0; i < 8; ++i) {
        cycle();
        EXPECT_EQ(out_.launch_ready, 0);
        EXPECT_EQ(out_.fetch_valid, 0);
    }
}

TEST_P(CuPinsTest, AnIllegalInstructionStopsIt) {
    launch(".long 0xbfff0000\n");
    ASSERT_GT(cycles_until([&] { return out_.stop_valid != 0; }), 0);
    EXPECT_EQ(out_.stop_reason, Pins::kBadInput);
    EXPECT_EQ(out_.stop_wave, 1);
    EXPECT_EQ(out_.stop_pc, kProgram);
    EXPECT_EQ(out_.stop_words, 0xbfff0000u);
    EXPECT_EQ(out_.fetch_valid, 0);
}

TEST_P(CuPinsTest, AnExportSendsARowThatCameBeforeTheLaunch) {
    in_.init_valid = 1;
    in_.init.wave = 1;
    in_.init.row = 3;
    in_.init.lanes = 0xf0;
    in_.init.data.fill(77);
    cycle();
    EXPECT_EQ(out_.init_ready, 1);
    in_.init_valid = 0;
    launch(
        "exp mrt0 v0, v3, off, off done\n"
        "s_waitcnt expcnt(0)\n"
        "s_endpgm\n");
    ASSERT_GT(cycles_until([&] { return out_.export_valid != 0; }), 0);
    EXPECT_EQ(out_.exp.wave, 1);
    EXPECT_EQ(out_.exp.pc, kProgram);
    EXPECT_EQ(out_.exp.enabled, 3);
    EXPECT_EQ(out_.exp.done, 1);
    EXPECT_EQ(out_.exp.data[9], 9u);
    EXPECT_EQ(out_.exp.data[Pins::kLanes + 3], 0u);
    EXPECT_EQ(out_.exp.data[Pins::kLanes + 4], 77u);
    ASSERT_GT(cycles_until([&] { return out_.done_valid != 0; }), 0);
    EXPECT_EQ(out_.done_exports, 1u);
}

TEST_P(CuPinsTest, HeldCyclesBringRowsAndMoveNothingElse) {
    const auto cycles_to_the_export = [&](bool held) {
        in_.rst = 1;
        step();
        in_.rst = 0;
        fetches_.clear();
        in_.hold = in_.init_valid = 1;
        in_.init = {};
        in_.init.wave = 1;
        in_.init.row = 3;
        in_.init.lanes = ~uint64_t{0};
        in_.init.data.fill(77);
        step();
        EXPECT_EQ(out_.init_ready, 1);
        in_.hold = in_.init_valid = 0;
        launch(
            "v_add_f32 v4, v3, v3\n"
            "exp mrt0 v3, v3, off, off done\n"
            "s_endpgm\n");
        for (int n = 1; n <= 300; ++n) {
            in_.hold = in_.launch_valid = held ? 1 : 0;
            if (held) {
                step();
                EXPECT_EQ(out_.launch_ready + out_.export_valid + out_.retire_valid, 0);
            }
            in_.hold = in_.launch_valid = 0;
            cycle();
            if (out_.export_valid != 0)
                return n;
        }
        return -1;
    };
    const int unhindered = cycles_to_the_export(false);
    EXPECT_EQ(out_.exp.data[5], 77u);
    EXPECT_GT(unhindered, 0);
    EXPECT_EQ(cycles_to_the_export(true), unhindered);
    EXPECT_EQ(out_.exp.data[5], 77u);
}

// Anywhere between or amid vector instructions that write the register.
TEST_P(CuPinsTest, AnAnswerIsBehindOneVectorInstructionInAllLanes) {
    constexpr unsigned kAdds = 24;
    constexpr uint32_t kAnswer = 1000;
    std::string text =
        "s_mov_b32 m0, 0x01000100\n"
        "v_lshlrev_b32 v1, 2, v0\n"
        "ds_add_rtn_u32 v2, v1, v0 gds\n";
    for (unsigned n = 0; n < kAdds; ++n)
        text += "v_add_i32 v2, vcc, 1, v2\n";
    text += "s_waitcnt lgkmcnt(0)\nexp mrt0 v2, off, off, off\ns_endpgm\n";
    std::vector<uint32_t> added;  // to what came, by the cycle it came in
    for (int wait = 40; wait < 48; ++wait) {
        SetUp();
        fetches_.clear();
        launch(text);
        ASSERT_GT(cycles_until([&] { return out_.gds_valid != 0; }), 0);
        in_.gdsdata_tag = out_.gds.tag;
        in_.gdsdata.fill(kAnswer);
        for (int n = 0; n < wait; ++n)
            cycle();
        in_.gdsdata_valid = 1;
        cycle();
        in_.gdsdata_valid = 0;
        ASSERT_GT(cycles_until([&] { return out_.export_valid != 0; }), 0);
        for (unsigned lane = 0; lane < Pins::kLanes; ++lane)
            ASSERT_EQ(out_.exp.data[lane], out_.exp.data[0]) << "lane " << lane;
        added.push_back(out_.exp.data[0] - kAnswer);
    }
    EXPECT_LT(added.front(), kAdds);
    for (size_t n = 4; n < added.size(); ++n)
        EXPECT_EQ(added[n] + 1, added[n - 4]);
}

TEST_P(CuPinsTest, AMessageSaysItsKindAndCountsUntilItIsSent) {
    launch(
        "s_mov_b32 m0, 0x1234\n"
        "s_sendmsg sendmsg(MSG_INTERRUPT)\n"
        "s_waitcnt lgkmcnt(0)\n"
        "s_endpgm\n");
    ASSERT_GT(cycles_until([&] { return out_.message_valid != 0; }), 0);
    EXPECT_EQ(out_.message.kind, 1);
    EXPECT_EQ(out_.message.m0, 0x1234u);
    EXPECT_EQ(out_.message.pc, kProgram + 8);
    const int cycles = cycles_until([&] { return out_.done_valid != 0; });
    EXPECT_GE(cycles, static_cast<int>(in_.cfg.message_cycles));
}

INSTANTIATE_TEST_SUITE_P(Blocks, CuPinsTest,
                         testing::ValuesIn(core_and_rtl<CuPins, cu::CuPinCore>()), kName);

TEST(CuPinsSpec, VectorInstructionsOfFewerThanFourCyclesAreRefusedByName) {
    const auto refused = [](isa::Rate rate, unsigned cycles) -> std::string {
        cu::CuSpec spec;
        spec.rate_cycles[static_cast<unsigned>(rate)] = cycles;
        try {
            cu::config_to_pins(spec, {});
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return {};
    };
    EXPECT_EQ(refused(isa::Rate::Full, 4), "");
    EXPECT_EQ(refused(isa::Rate::Full, 3),
              "cu.issue.valu_cycles 3: the Verilog twin cu takes 4 to 4095");
    EXPECT_EQ(refused(isa::Rate::DivF64, 1),
              "cu.issue.valu_cycles 1: the Verilog twin cu takes 4 to 4095");
    EXPECT_EQ(refused(isa::Rate::Scalar, 1), "");
}

}  // namespace
}  // namespace archipelago::rtl::cu_pin_test
