// SPDX-License-Identifier: Apache-2.0
// DS instructions on local memory: pairs of addresses, lanes and banks. What each opcode gives is
// in reference/.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "testbenches/unit/isa/machine.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::isa::lds_test {
namespace {

using test::Ds;

constexpr unsigned kLdsBytes = 64 * 1024;
constexpr uint32_t kBase = 0x2000, kSize = 0x1000;

class Lds : public testing::Test {
  protected:
    Lds() : bytes_(kLdsBytes) {
        m_.w.lds_base = kBase;
        m_.w.lds_size = kSize;
        for (unsigned i = 0; i < kLdsBytes; ++i) {
            bytes_[i] = static_cast<uint8_t>(i * 7 + (i >> 8) * 13);
        }
    }
    unsigned run(Op op, const Ds& d) {
        unsigned cycles = 12345;
        const Inst inst = test::ds(op, d);
        EXPECT_TRUE(is_implemented(inst)) << op_info(op).name;
        EXPECT_TRUE(execute_lds(inst, m_.w, bytes_.data(), kLdsBytes, &cycles)) << op_info(op).name;
        return cycles;
    }
    template <typename T>
    T at(uint32_t address) const {
        T value;
        std::memcpy(&value, &bytes_[kBase + address], sizeof value);
        return value;
    }
    template <typename T>
    void put(uint32_t address, T value) {
        std::memcpy(&bytes_[kBase + address], &value, sizeof value);
    }

    test::Machine m_;
    std::vector<uint8_t> bytes_;
};

Ds regs(unsigned vdst, unsigned addr, unsigned data0 = 0, unsigned data1 = 0, unsigned offset = 0) {
    Ds d;
    d.vdst = vdst;
    d.addr = addr;
    d.data0 = data0;
    d.data1 = data1;
    d.offset = offset;
    return d;
}

TEST_F(Lds, TwoAddressFormsScaleTheirOffsets) {
    m_.fill(1, [](unsigned l) { return 4 * l; });
    m_.fill(2, [](unsigned l) { return 1000 + l; });
    m_.fill(3, [](unsigned l) { return 2000 + l; });
    run(Op::DS_WRITE2_B32, regs(0, 1, 2, 3, 64 | 128 << 8));
    EXPECT_EQ(at<uint32_t>(256 + 4 * 9), 1009u);
    EXPECT_EQ(at<uint32_t>(512 + 4 * 9), 2009u);
    run(Op::DS_READ2_B32, regs(4, 1, 0, 0, 128 | 64 << 8));
    EXPECT_EQ(m_.w.v[4][9], 2009u);
    EXPECT_EQ(m_.w.v[5][9], 1009u);
    run(Op::DS_WRITE2ST64_B32, regs(0, 1, 2, 3, 4 | 5 << 8));
    EXPECT_EQ(at<uint32_t>(1024 + 4 * 9), 1009u);
    EXPECT_EQ(at<uint32_t>(1280 + 4 * 9), 2009u);
    run(Op::DS_READ2ST64_B32, regs(6, 1, 0, 0, 5 | 4 << 8));
    EXPECT_EQ(m_.w.v[6][9], 2009u);
    EXPECT_EQ(m_.w.v[7][9], 1009u);
    m_.fill(1, [](unsigned l) { return 8 * l; });
    run(Op::DS_WRITE2ST64_B64, regs(0, 1, 2, 6, 3 | 4 << 8));
    EXPECT_EQ(at<uint64_t>(512 * 3 + 8 * 9), 1009u | 2009ull << 32);
    EXPECT_EQ(at<uint64_t>(512 * 4 + 8 * 9), 2009u | 1009ull << 32);
    run(Op::DS_READ2_B64, regs(8, 1, 0, 0, 192));
    EXPECT_EQ(m_.w.v[8][9], 1009u);
    EXPECT_EQ(m_.w.v[9][9], 2009u);
    EXPECT_EQ(m_.w.v[10][9], at<uint32_t>(8 * 9));
    EXPECT_EQ(m_.w.v[11][9], at<uint32_t>(8 * 9 + 4));
}

TEST_F(Lds, DestinationMayOverlapTheAddress) {
    m_.fill(1, [](unsigned l) { return 4 * l; });
    run(Op::DS_READ2_B32, regs(1, 1, 0, 0, 0 | 1 << 8));
    for (unsigned l = 0; l < kLanes; ++l) {
        EXPECT_EQ(m_.w.v[1][l], at<uint32_t>(4 * l));
        EXPECT_EQ(m_.w.v[2][l], at<uint32_t>(4 * l + 4));
    }
}

TEST_F(Lds, AllocationBeyondTheUnitsLdsIsCut) {
    m_.w.lds_base = kLdsBytes - 16;
    m_.w.lds_size = 0x1000;
    m_.fill(1, [](unsigned l) { return 4 * l; });
    m_.fill(2, [](unsigned) { return 7u; });
    run(Op::DS_WRITE_B32, regs(0, 1, 2));
    EXPECT_EQ(bytes_[kLdsBytes - 4], 7);
    m_.w.lds_base = kLdsBytes + 16;
    run(Op::DS_READ_B32, regs(3, 1));
    EXPECT_EQ(m_.w.v[3][0], 0u);
}

TEST_F(Lds, SwizzleMovesDataBetweenLanes) {
    m_.fill(1, [](unsigned l) { return 100 + l; });
    EXPECT_EQ(run(Op::DS_SWIZZLE_B32, regs(2, 1, 0, 0, 0x8000 | 0x1b)), 2u);  // quads reversed
    for (unsigned l = 0; l < kLanes; ++l) {
        EXPECT_EQ(m_.w.v[2][l], 100 + (l ^ 3));
    }
    run(Op::DS_SWIZZLE_B32, regs(2, 1, 0, 0, 0x1f | 16 << 10));  // halves of 32 swapped
    for (unsigned l = 0; l < kLanes; ++l) {
        EXPECT_EQ(m_.w.v[2][l], 100 + (l ^ 16));
    }
    run(Op::DS_SWIZZLE_B32, regs(2, 1, 0, 0, 5 << 5));  // lane 5 of each 32 for all
    for (unsigned l = 0; l < kLanes; ++l) {
        EXPECT_EQ(m_.w.v[2][l], 100 + (l & 32) + 5);
    }
    m_.w.set_exec(0xffffffff00000001ull);
    run(Op::DS_SWIZZLE_B32, regs(2, 1, 0, 0, 0x1f | 1 << 10));
    EXPECT_EQ(m_.w.v[2][0], 0u) << "an inactive source gives 0";
    EXPECT_EQ(m_.w.v[2][33], 132u);
    EXPECT_EQ(m_.w.v[2][1], 105u) << "inactive lanes keep their value";
    // In place.
    m_.w.set_exec(~0ull);
    run(Op::DS_SWIZZLE_B32, regs(1, 1, 0, 0, 0x8000 | 0x1b));
    EXPECT_EQ(m_.w.v[1][0], 103u);
    EXPECT_EQ(m_.w.v[1][3], 100u);
}

TEST_F(Lds, AppendAndConsumeCountActiveLanes) {
    m_.w.s[kM0] = 32;
    m_.w.set_exec(0xff00ull);
    put<uint32_t>(40, 1000);
    m_.fill(2, [](unsigned) { return 0x77u; });
    run(Op::DS_APPEND, regs(2, 0, 0, 0, 8));
    EXPECT_EQ(at<uint32_t>(40), 1008u);
    EXPECT_EQ(m_.w.v[2][8], 1000u);
    EXPECT_EQ(m_.w.v[2][0], 0x77u);
    run(Op::DS_CONSUME, regs(2, 0, 0, 0, 8));
    EXPECT_EQ(at<uint32_t>(40), 1000u);
    EXPECT_EQ(m_.w.v[2][15], 1008u);
}

TEST_F(Lds, BankCyclesFollowTheNumberOfBanks) {
    m_.w.lds_size = 0x2000;
    const auto cycles = [&](unsigned banks, unsigned stride) {
        m_.fill(1, [=](unsigned l) { return stride * l; });
        unsigned counted = 0;
        const Inst inst = test::ds(Op::DS_READ_B32, regs(2, 1));
        EXPECT_TRUE(execute_lds(inst, m_.w, bytes_.data(), kLdsBytes, &counted, banks));
        return counted;
    };
    for (const unsigned banks : {2u, 4u, 8u, 16u, 32u, 64u}) {
        EXPECT_EQ(cycles(banks, 4), 64 / banks) << banks << " banks, consecutive dwords";
        EXPECT_EQ(cycles(banks, 8), 2 * 64 / banks) << banks << " banks, stride two";
        EXPECT_EQ(cycles(banks, 0), 64 / banks) << banks << " banks, broadcast";
        EXPECT_EQ(cycles(banks, 4 * (banks + 1)), 64 / banks) << banks << " banks, padded";
    }
    EXPECT_EQ(cycles(16, 64), 64u) << "all in one bank";
}

TEST_F(Lds, BankCyclesCountDistinctDwordsPerBank) {
    m_.fill(1, [](unsigned l) { return 4 * l; });
    EXPECT_EQ(run(Op::DS_READ_B32, regs(2, 1)), 2u) << "one cycle per half wave";
    m_.fill(1, [](unsigned) { return 16u; });
    EXPECT_EQ(run(Op::DS_READ_B32, regs(2, 1)), 2u) << "broadcast";
    m_.fill(1, [](unsigned l) { return 8 * l; });
    EXPECT_EQ(run(Op::DS_READ_B32, regs(2, 1)), 4u) << "stride two";
    m_.fill(1, [](unsigned l) { return 128 * (l % 32); });
    EXPECT_EQ(run(Op::DS_READ_B32, regs(2, 1)), 64u) << "all in one bank";
    m_.w.lds_size = 0x2000;
    m_.fill(1, [](unsigned l) { return 132 * (l % 32); });
    EXPECT_EQ(run(Op::DS_READ_B32, regs(2, 1)), 2u) << "padded";
    m_.fill(1, [](unsigned l) { return 8 * l; });
    EXPECT_EQ(run(Op::DS_READ_B64, regs(2, 1)), 4u) << "a quarter wave in a cycle";
    m_.fill(1, [](unsigned l) { return 16 * l; });
    EXPECT_EQ(run(Op::DS_READ_B64, regs(2, 1)), 8u) << "every other pair of banks";
    m_.fill(1, [](unsigned) { return 16u; });
    EXPECT_EQ(run(Op::DS_READ_B64, regs(2, 1)), 4u) << "broadcast, still a cycle a quarter wave";
    m_.fill(1, [](unsigned l) { return 128 * (l % 16); });
    EXPECT_EQ(run(Op::DS_READ_B64, regs(2, 1)), 64u) << "all in one pair of banks";
    m_.fill(1, [](unsigned l) { return 4 * l; });
    EXPECT_EQ(run(Op::DS_READ2_B32, regs(2, 1, 0, 0, 0 | 1 << 8)), 4u);
    EXPECT_EQ(run(Op::DS_READ_U8, regs(2, 1)), 2u);
    m_.w.set_exec(0x1);
    EXPECT_EQ(run(Op::DS_READ_B32, regs(2, 1)), 1u);
    m_.w.set_exec(0);
    EXPECT_EQ(run(Op::DS_READ_B32, regs(2, 1)), 0u);
}

// The definition: per half wave, the most distinct dwords in a bank.
unsigned reference_cycles(const VReg& address, uint64_t lanes) {
    unsigned cycles = 0;
    for (unsigned half = 0; half < 2; ++half) {
        std::map<uint32_t, std::set<uint32_t>> banks;
        for (unsigned l = 32 * half; l < 32 * half + 32; ++l) {
            if ((lanes >> l & 1) != 0) {
                banks[address[l] / 4 % 32].insert(address[l] / 4);
            }
        }
        size_t worst = 0;
        for (const auto& [bank, dwords] : banks) {
            worst = std::max(worst, dwords.size());
        }
        cycles += static_cast<unsigned>(worst);
    }
    return cycles;
}

TEST_F(Lds, BankCyclesMatchTheDefinitionForAnyPattern) {
    m_.w.lds_base = 0;
    m_.w.lds_size = kLdsBytes;
    test::Random random(5);
    for (unsigned round = 0; round < 400; ++round) {
        // Constant strides of both signs, then random dwords, over full and partial waves.
        const uint32_t stride = 4 * (random.below(97) - 48);
        const uint32_t start = 16384 + 4 * random.below(64);
        const uint32_t spread = 1 + random.below(300);
        m_.fill(1, [&](unsigned l) {
            return round < 200 ? start + stride * l : 4 * random.below(spread);
        });
        m_.w.set_exec(round % 3 == 0 ? ~0ull : uint64_t{random.next()} << 32 | random.next());
        EXPECT_EQ(run(Op::DS_READ_B32, regs(2, 1)), reference_cycles(m_.w.v[1], m_.w.exec()))
            << "round " << round << " stride " << static_cast<int32_t>(stride);
    }
}

TEST_F(Lds, WhatNeedsGdsIsRefused) {
    Ds d = regs(2, 1);
    d.gds = true;
    unsigned cycles;
    for (Op op : {Op::DS_READ_B32, Op::DS_APPEND, Op::DS_ORDERED_COUNT, Op::DS_GWS_BARRIER}) {
        const Inst inst = test::ds(op, d);
        EXPECT_EQ(inst.cls, Class::Gds);
        EXPECT_FALSE(execute_lds(inst, m_.w, bytes_.data(), kLdsBytes, &cycles));
    }
    // The permutation of lanes touches neither memory.
    EXPECT_TRUE(
        execute_lds(test::ds(Op::DS_SWIZZLE_B32, d), m_.w, bytes_.data(), kLdsBytes, &cycles));
    d.gds = false;
    for (Op op : {Op::DS_ORDERED_COUNT, Op::DS_GWS_INIT}) {
        const Inst inst = test::ds(op, d);
        EXPECT_EQ(inst.cls, Class::Gds);
        EXPECT_FALSE(execute_lds(inst, m_.w, bytes_.data(), kLdsBytes, &cycles));
    }
    // Everything else of the 131 opcodes runs.
    unsigned implemented = 0;
    for (unsigned i = 0; i < kOpCount; ++i) {
        const Op op{static_cast<uint16_t>(i)};
        if (op_info(op).format == Format::Ds) {
            implemented +=
                execute_lds(test::ds(op, d), m_.w, bytes_.data(), kLdsBytes, &cycles) ? 1 : 0;
        }
    }
    EXPECT_EQ(implemented, 125u);
}

}  // namespace
}  // namespace archipelago::isa::lds_test
