// SPDX-License-Identifier: Apache-2.0
// DS instructions on local memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "models/common/atomic_op.h"
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
        initial_ = bytes_;
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
    void expect_rest_untouched(uint32_t from, uint32_t to) {
        for (unsigned i = 0; i < kLdsBytes; ++i) {
            if (i < kBase + from || i >= kBase + to) {
                ASSERT_EQ(bytes_[i], initial_[i]) << "byte " << i;
            }
        }
    }

    test::Machine m_;
    std::vector<uint8_t> bytes_, initial_;
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

TEST_F(Lds, ReadsAndWritesOfEveryWidth) {
    m_.fill(1, [](unsigned l) { return 16 * l + 8; });
    m_.fill(2, [](unsigned l) { return 0x81828384u + l; });
    m_.fill(3, [](unsigned l) { return 0x01020304u * l; });
    run(Op::DS_WRITE_B64, regs(0, 1, 2, 0, 8));
    EXPECT_EQ(at<uint32_t>(16 * 5 + 16), 0x81828389u);
    EXPECT_EQ(at<uint32_t>(16 * 5 + 20), 0x01020304u * 5);
    run(Op::DS_READ_B64, regs(4, 1, 0, 0, 8));
    run(Op::DS_READ_B32, regs(6, 1, 0, 0, 12));
    run(Op::DS_READ_U8, regs(7, 1, 0, 0, 8));
    run(Op::DS_READ_I8, regs(8, 1, 0, 0, 11));
    run(Op::DS_READ_U16, regs(9, 1, 0, 0, 10));
    run(Op::DS_READ_I16, regs(10, 1, 0, 0, 10));
    for (unsigned l = 0; l < kLanes; ++l) {
        EXPECT_EQ(m_.w.v[4][l], 0x81828384u + l);
        EXPECT_EQ(m_.w.v[5][l], 0x01020304u * l);
        EXPECT_EQ(m_.w.v[6][l], 0x01020304u * l);
        EXPECT_EQ(m_.w.v[7][l], (0x84u + l) & 0xff);
        EXPECT_EQ(m_.w.v[8][l], 0xffffff81u);
        EXPECT_EQ(m_.w.v[9][l], 0x8182u);
        EXPECT_EQ(m_.w.v[10][l], 0xffff8182u);
    }
    run(Op::DS_WRITE_B8, regs(0, 1, 3, 0, 9));
    run(Op::DS_WRITE_B16, regs(0, 1, 3, 0, 14));
    EXPECT_EQ(at<uint32_t>(16 * 7 + 16), 0x81820000u | (4 * 7) << 8 | (0x84 + 7));
    EXPECT_EQ(at<uint16_t>(16 * 7 + 22), 0x0304 * 7);
    expect_rest_untouched(16, 16 * 64 + 16);
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

TEST_F(Lds, MisalignedAddressesAreRoundedDown) {
    m_.fill(1, [](unsigned l) { return 8 * l + l % 8; });
    run(Op::DS_READ_B64, regs(2, 1));
    run(Op::DS_READ_B32, regs(4, 1, 0, 0, 1));
    run(Op::DS_READ_U16, regs(5, 1));
    for (unsigned l = 0; l < kLanes; ++l) {
        EXPECT_EQ(m_.w.v[2][l], at<uint32_t>(8 * l));
        EXPECT_EQ(m_.w.v[4][l], at<uint32_t>((8 * l + l % 8 + 1) & ~3u));
        EXPECT_EQ(m_.w.v[5][l], at<uint16_t>((8 * l + l % 8) & ~1u));
    }
}

TEST_F(Lds, OutOfRangeReadsZeroAndWritesNothing) {
    m_.fill(1, [](unsigned l) { return kSize - 128 + 4 * l; });  // lanes 32.. are out
    m_.fill(2, [](unsigned) { return 0xaaaaaaaau; });
    m_.fill(3, [](unsigned) { return 0x55555555u; });
    run(Op::DS_READ_B32, regs(3, 1));
    EXPECT_NE(m_.w.v[3][31], 0x55555555u);
    EXPECT_EQ(m_.w.v[3][31], at<uint32_t>(kSize - 4));
    EXPECT_EQ(m_.w.v[3][32], 0u);
    run(Op::DS_WRITE_B32, regs(0, 1, 2));
    EXPECT_EQ(at<uint32_t>(kSize - 4), 0xaaaaaaaau);
    expect_rest_untouched(kSize - 128, kSize);
    // M0 lowers the limit; its upper bits do not wrap.
    m_.w.s[kM0] = kSize - 64;
    run(Op::DS_READ_B32, regs(3, 1));
    EXPECT_EQ(m_.w.v[3][15], 0xaaaaaaaau);
    EXPECT_EQ(m_.w.v[3][16], 0u);
    m_.w.s[kM0] = 0;
    run(Op::DS_READ_B32, regs(3, 1));
    EXPECT_EQ(m_.w.v[3][0], 0u);
    m_.w.s[kM0] = 0xffffffffu;
    m_.fill(1, [](unsigned) { return 0xfffffffcu; });
    run(Op::DS_READ_B32, regs(3, 1, 0, 0, 8));
    EXPECT_EQ(m_.w.v[3][0], 0u) << "base + offset does not wrap around";
    run(Op::DS_ADD_RTN_U32, regs(3, 1, 2));
    EXPECT_EQ(m_.w.v[3][0], 0u);
    // An eight-byte element must fit as a whole.
    m_.w.s[kM0] = 12;
    m_.fill(1, [](unsigned) { return 8u; });
    m_.fill(4, [](unsigned) { return 1u; });
    run(Op::DS_READ_B64, regs(4, 1));
    EXPECT_EQ(m_.w.v[4][0], 0u);
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

TEST_F(Lds, InactiveLanesTouchNothing) {
    m_.fill(1, [](unsigned l) { return 4 * l; });
    m_.fill(2, [](unsigned l) { return 0x9000 + l; });
    m_.fill(3, [](unsigned) { return 0x33u; });
    const uint64_t mask = 0x8000000100000f0full;
    m_.w.set_exec(mask);
    run(Op::DS_WRITE_B32, regs(0, 1, 2));
    run(Op::DS_READ_B32, regs(3, 1));
    for (unsigned l = 0; l < kLanes; ++l) {
        const bool active = (mask >> l & 1) != 0;
        uint32_t before;
        std::memcpy(&before, &initial_[kBase + 4 * l], 4);
        EXPECT_EQ(at<uint32_t>(4 * l), active ? 0x9000 + l : before);
        EXPECT_EQ(m_.w.v[3][l], active ? 0x9000 + l : 0x33u);
    }
}

TEST_F(Lds, AtomicsMatchTheSharedDefinitionInLaneOrder) {
    for (unsigned i = 0; i < kOpCount; ++i) {
        const Op op{static_cast<uint16_t>(i)};
        const OpInfo& info = op_info(op);
        if (info.mem != MemKind::LdsAtomic) {
            continue;
        }
        SCOPED_TRACE(info.name);
        const bool compare = info.atomic == AtomicOp::CmpSwap || info.atomic == AtomicOp::FCmpSwap;
        m_.fill(1, [](unsigned l) { return 64 * (l % 3); });  // lanes collide
        m_.fill(2, [](unsigned l) { return 0x3f800000u + 0x01234567u * l; });
        m_.fill(3, [](unsigned l) { return 0xc0000000u ^ 0x11111111u * l; });
        m_.fill(4, [](unsigned l) { return 0x40000000u - 77 * l; });
        m_.fill(5, [](unsigned l) { return l; });
        m_.fill(8, [](unsigned) { return 0xddddddddu; });
        m_.fill(9, [](unsigned) { return 0xddddddddu; });
        for (unsigned a = 0; a < 3; ++a) {
            put<uint64_t>(64 * a, 0x4000000041000000ull + a);
        }
        if (compare) {
            m_.w.v[2][1] = 0x41000001u;  // lane 1 finds its value at its address
            m_.w.v[3][1] = 0x40000000u;
        }
        uint64_t model[3], old[kLanes];
        const bool wide = info.mem_bytes == 8;
        for (unsigned a = 0; a < 3; ++a) {
            model[a] = wide ? at<uint64_t>(64 * a) : at<uint32_t>(64 * a);
        }
        for (unsigned l = 0; l < kLanes; ++l) {
            const uint64_t d0 = m_.w.v[2][l] | (wide ? uint64_t{m_.w.v[3][l]} << 32 : 0);
            const uint64_t d1 = m_.w.v[4][l] | (wide ? uint64_t{m_.w.v[5][l]} << 32 : 0);
            uint64_t& place = model[l % 3];
            old[l] = place;
            const uint64_t src = compare ? d1 : d0, cmp = compare ? d0 : 0;
            place = wide ? atomic64(info.atomic, place, src, cmp)
                         : atomic32(info.atomic, static_cast<uint32_t>(place),
                                    static_cast<uint32_t>(src), static_cast<uint32_t>(cmp));
        }
        run(op, regs(8, 1, 2, 4));
        for (unsigned a = 0; a < 3; ++a) {
            EXPECT_EQ(wide ? at<uint64_t>(64 * a) : at<uint32_t>(64 * a), model[a]);
        }
        for (unsigned l = 0; l < kLanes; ++l) {
            EXPECT_EQ(m_.w.v[8][l], info.mem_returns ? static_cast<uint32_t>(old[l]) : 0xddddddddu);
            EXPECT_EQ(m_.w.v[9][l],
                      info.mem_returns && wide ? static_cast<uint32_t>(old[l] >> 32) : 0xddddddddu);
        }
    }
}

TEST_F(Lds, MaskOrAndDoubleExchange) {
    m_.w.set_exec(1);
    m_.w.v[1][0] = 16;
    m_.w.v[2][0] = 0x0000ffff;
    m_.w.v[3][0] = 0x12;
    m_.w.v[4][0] = 0x34;
    m_.w.v[5][0] = 0x56;
    put<uint32_t>(16, 0xabcd9876u);
    run(Op::DS_MSKOR_RTN_B32, regs(8, 1, 2, 3));
    EXPECT_EQ(at<uint32_t>(16), 0xabcd0012u);
    EXPECT_EQ(m_.w.v[8][0], 0xabcd9876u);
    put<uint64_t>(16, 0x1111111122222222ull);
    run(Op::DS_MSKOR_B64, regs(8, 1, 2, 4));
    EXPECT_EQ(at<uint64_t>(16), ((0x1111111122222222ull & ~0x120000ffffull) | 0x5600000034ull));
    put<uint32_t>(20, 100);
    put<uint32_t>(24, 200);
    run(Op::DS_WRXCHG2_RTN_B32, regs(8, 1, 2, 3, 1 | 2 << 8));
    EXPECT_EQ(m_.w.v[8][0], 100u);
    EXPECT_EQ(m_.w.v[9][0], 200u);
    EXPECT_EQ(at<uint32_t>(20), 0xffffu);
    EXPECT_EQ(at<uint32_t>(24), 0x12u);
    put<uint64_t>(16 + 512, 3);
    put<uint64_t>(16 + 1024, 4);
    run(Op::DS_WRXCHG2ST64_RTN_B64, regs(8, 1, 2, 4, 1 | 2 << 8));
    EXPECT_EQ(m_.w.v[8][0], 3u);
    EXPECT_EQ(m_.w.v[10][0], 4u);
    EXPECT_EQ(at<uint64_t>(16 + 512), 0x120000ffffull);
    EXPECT_EQ(at<uint64_t>(16 + 1024), 0x5600000034ull);
}

TEST_F(Lds, Source2FormsTakeTheOperandFromLds) {
    m_.w.set_exec(1);
    m_.w.v[1][0] = 64;
    put<uint32_t>(64, 10);
    put<uint32_t>(64 + 20, 3);
    put<uint32_t>(64 - 8, 7);
    run(Op::DS_ADD_SRC2_U32, regs(0, 1, 0, 0, 5));
    EXPECT_EQ(at<uint32_t>(64), 13u);
    run(Op::DS_SUB_SRC2_U32, regs(0, 1, 0, 0, 0x7fff & -2));
    EXPECT_EQ(at<uint32_t>(64), 6u);
    run(Op::DS_WRITE_SRC2_B32, regs(0, 1, 0, 0, 5));
    EXPECT_EQ(at<uint32_t>(64), 3u);
    // Distance in bits 31:17 of the address.
    m_.w.v[1][0] = 64 | static_cast<uint32_t>(-2) << 17;
    run(Op::DS_RSUB_SRC2_U32, regs(0, 1, 0, 0, 0x8000));
    EXPECT_EQ(at<uint32_t>(64), 4u);
    m_.w.v[1][0] = 64;
    put<uint64_t>(64, 5);
    put<uint64_t>(80, 1ull << 40);
    run(Op::DS_MAX_SRC2_U64, regs(0, 1, 0, 0, 4));
    EXPECT_EQ(at<uint64_t>(64), 1ull << 40);
    // The operand out of range counts as 0.
    m_.w.v[1][0] = 0;
    put<uint32_t>(0, 9);
    run(Op::DS_WRITE_SRC2_B32, regs(0, 1, 0, 0, 0x7fff & -1));
    EXPECT_EQ(at<uint32_t>(0), 0u);
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
