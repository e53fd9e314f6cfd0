// SPDX-License-Identifier: Apache-2.0
// Scalar and vector memory: what is accessed and what reaches the registers. Addresses and range
// checks of each lane are in reference/.
#include <gtest/gtest.h>

#include <algorithm>

#include "testbenches/unit/isa/float_bits.h"
#include "testbenches/unit/isa/machine.h"

namespace archipelago::isa::memory_test {
namespace {

using test::Machine;
using test::Mubuf;

constexpr uint64_t kBufferBase = 0x12'3456'7000ull;
constexpr uint64_t kAll = ~uint64_t{0};

// ---- scalar -------------------------------------------------------------------------------------

TEST(ScalarMemory, ImmediateCountsDwordsRegisterCountsBytes) {
    Machine m;
    m.w.set_s64(6, 0x1'0000'1002ull);
    ScalarMemOp op = scalar_mem(test::smrd(Op::S_LOAD_DWORDX4, 8, 6, true, 0xff), m.w);
    EXPECT_EQ(op.kind, ScalarMemOp::Kind::Load);
    EXPECT_EQ(op.addr, 0x1'0000'1000ull + 255 * 4);
    EXPECT_EQ(op.dwords, 4);
    EXPECT_EQ(op.valid, 4);
    EXPECT_EQ(op.sdst, 8);
    m.w.s[20] = 0x103;
    op = scalar_mem(test::smrd(Op::S_LOAD_DWORD, 8, 6, false, 20), m.w);
    EXPECT_EQ(op.addr, 0x1'0000'1100ull);
    m.w.s[kM0] = 8;
    op = scalar_mem(test::smrd(Op::S_LOAD_DWORD, 8, 6, false, kM0), m.w);
    EXPECT_EQ(op.addr, 0x1'0000'1008ull);
}

TEST(ScalarMemory, BufferLoadsAreRangeChecked) {
    Machine m;
    m.resource(4, kBufferBase, 0, 40, 0);
    ScalarMemOp op = scalar_mem(test::smrd(Op::S_BUFFER_LOAD_DWORDX8, 16, 4, true, 4), m.w);
    EXPECT_EQ(op.kind, ScalarMemOp::Kind::BufferLoad);
    EXPECT_EQ(op.addr, kBufferBase + 16);
    EXPECT_EQ(op.dwords, 8);
    EXPECT_EQ(op.valid, 6);
    op = scalar_mem(test::smrd(Op::S_BUFFER_LOAD_DWORDX2, 16, 4, true, 10), m.w);
    EXPECT_EQ(op.valid, 0);
    m.resource(4, kBufferBase, 16, 4, 0);  // records of 16 bytes
    op = scalar_mem(test::smrd(Op::S_BUFFER_LOAD_DWORDX16, 16, 4, true, 2), m.w);
    EXPECT_EQ(op.valid, 14);
    std::vector<uint32_t> data(16);
    for (unsigned i = 0; i < 16; ++i) {
        data[i] = 500 + i;
        m.w.s[16 + i] = 1;
    }
    scalar_mem_complete(op, m.w, data.data());
    EXPECT_EQ(m.w.s[16], 500u);
    EXPECT_EQ(m.w.s[29], 513u);
    EXPECT_EQ(m.w.s[30], 0u);
    EXPECT_EQ(m.w.s[31], 0u);
}

TEST(ScalarMemory, TimeInvalidateAndSpecialDestinations) {
    Machine m;
    EXPECT_EQ(scalar_mem(test::smrd(Op::S_DCACHE_INV, 0, 0, false, 0), m.w).kind,
              ScalarMemOp::Kind::CacheInvalidate);
    const ScalarMemOp op = scalar_mem(test::smrd(Op::S_MEMTIME, kVccLo, 0, false, 0), m.w);
    EXPECT_EQ(op.kind, ScalarMemOp::Kind::Time);
    EXPECT_EQ(op.dwords, 2);
    const uint32_t time[2] = {7, 8};
    scalar_mem_complete(op, m.w, time);
    EXPECT_EQ(m.w.vcc(), 0x800000007ull);
}

// ---- vector addressing --------------------------------------------------------------------------

struct Vector : testing::Test {
    Machine m;
    VectorMemOp op;

    void issue(Op opcode, const Mubuf& b) {
        const Inst inst = test::mubuf(opcode, b);
        ASSERT_TRUE(is_implemented(inst)) << op_info(opcode).name;
        vector_mem(inst, m.w, op);
        ASSERT_EQ(op.unsupported, nullptr) << op.unsupported;
    }
};

TEST_F(Vector, SwizzledBufferInterleavesRecords) {
    // Element size 4, index stride 16: what scratch memory uses, here with 32-byte records.
    m.resource(8, kBufferBase, 32 | 1u << 15, 100, 1u << 19 | 1u << 21);
    m.fill(2, [](unsigned l) { return l; });
    Mubuf b;
    b.vdata = 5;
    b.vaddr = 2;
    b.srsrc = 8;
    b.idxen = true;
    b.offset = 8;
    issue(Op::BUFFER_LOAD_DWORD, b);
    EXPECT_EQ(op.lanes, kAll);
    for (unsigned l = 0; l < kLanes; ++l) {
        EXPECT_EQ(op.addr[0][l], kBufferBase + (l / 16) * 32 * 16 + 8 * 16 + (l % 16) * 4);
    }
    issue(Op::BUFFER_STORE_DWORDX4, b);
    EXPECT_FALSE(op.contiguous);
    for (unsigned k = 0; k < 4; ++k) {
        EXPECT_EQ(op.dword_lanes[k], kAll);
        EXPECT_EQ(op.addr[k][17], kBufferBase + 32 * 16 + (8 + 4 * k) * 16 + 4);
    }
    // With 16-byte elements an aligned quad stays together.
    m.resource(8, kBufferBase, 32 | 1u << 15, 100, 3u << 19 | 3u << 21);
    b.offset = 16;
    issue(Op::BUFFER_STORE_DWORDX4, b);
    EXPECT_TRUE(op.contiguous);
    EXPECT_EQ(op.addr[0][3], kBufferBase + 16 * 64 + 3 * 16);
}

TEST_F(Vector, StoresCarryTheirData) {
    m.resource(8, kBufferBase, 0, 0xffffffff, 0);
    for (unsigned k = 0; k < 4; ++k) {
        m.fill(10 + k, [k](unsigned l) { return 1000 * k + l; });
    }
    Mubuf b;
    b.vdata = 10;
    b.srsrc = 8;
    issue(Op::BUFFER_STORE_DWORDX4, b);
    EXPECT_EQ(op.kind, VectorMemOp::Kind::Store);
    EXPECT_EQ(op.bytes, 16);
    EXPECT_EQ(op.dwords, 4);
    EXPECT_FALSE(op.returns);
    EXPECT_EQ(op.data[3][9], 3009u);
    issue(Op::BUFFER_STORE_BYTE, b);
    EXPECT_EQ(op.bytes, 1);
    EXPECT_EQ(op.data[0][9], 9u);
}

TEST_F(Vector, AtomicsAreCheckedAsAWholeAndReturnWithGlc) {
    m.resource(8, kBufferBase, 0, 12, 0);
    m.w.set_exec(3);
    m.fill(2, [](unsigned l) { return 8 * l; });
    for (unsigned k = 0; k < 4; ++k) {
        m.fill(10 + k, [k](unsigned) { return 7 + k; });
    }
    Mubuf b;
    b.vdata = 10;
    b.vaddr = 2;
    b.srsrc = 8;
    b.offen = true;
    issue(Op::BUFFER_ATOMIC_CMPSWAP_X2, b);
    EXPECT_EQ(op.kind, VectorMemOp::Kind::Atomic);
    EXPECT_EQ(op.atomic, AtomicOp::CmpSwap);
    EXPECT_EQ(op.bytes, 8);
    EXPECT_EQ(op.lanes, 1u) << "eight bytes at 8 do not fit in twelve";
    EXPECT_FALSE(op.returns);
    EXPECT_EQ(op.data[0][0], 7u);
    EXPECT_EQ(op.data[3][0], 10u);
    b.glc = true;
    issue(Op::BUFFER_ATOMIC_ADD, b);
    EXPECT_TRUE(op.returns);
    EXPECT_EQ(op.bytes, 4);
    EXPECT_EQ(op.dwords, 1);
    EXPECT_EQ(op.lanes, 3u);
}

TEST_F(Vector, CompletionExtendsSignsAndZeroesWhatIsOut) {
    m.resource(8, kBufferBase, 0, 8, 0);
    m.w.set_exec(0xffff);
    m.fill(2, [](unsigned l) { return l; });
    m.fill(5, [](unsigned) { return 0x77u; });
    Mubuf b;
    b.vdata = 5;
    b.vaddr = 2;
    b.srsrc = 8;
    b.offen = true;
    issue(Op::BUFFER_LOAD_SBYTE, b);
    EXPECT_TRUE(op.sign_extend);
    for (unsigned l = 0; l < kLanes; ++l) {
        op.data[0][l] = 0x7e + l;
    }
    vector_mem_complete(op, m.w);
    EXPECT_EQ(m.w.v[5][1], 0x7fu);
    EXPECT_EQ(m.w.v[5][2], 0xffffff80u);
    EXPECT_EQ(m.w.v[5][8], 0u);
    EXPECT_EQ(m.w.v[5][16], 0x77u);
    issue(Op::BUFFER_LOAD_SSHORT, b);
    op.data[0][3] = 0x8001;
    vector_mem_complete(op, m.w);
    EXPECT_EQ(m.w.v[5][3], 0xffff8001u);
    issue(Op::BUFFER_LOAD_USHORT, b);
    op.data[0][3] = 0x8001;
    vector_mem_complete(op, m.w);
    EXPECT_EQ(m.w.v[5][3], 0x8001u);
    // A load cut by the end of the buffer: the missing dword reads 0.
    m.fill(6, [](unsigned) { return 0x66u; });
    m.fill(2, [](unsigned l) { return 4 * l; });
    issue(Op::BUFFER_LOAD_DWORDX2, b);
    ASSERT_FALSE(op.contiguous);
    for (unsigned l = 0; l < kLanes; ++l) {
        op.data[0][l] = 10 + l;
        op.data[1][l] = 20 + l;
    }
    vector_mem_complete(op, m.w);
    EXPECT_EQ(m.w.v[5][0], 10u);
    EXPECT_EQ(m.w.v[6][0], 20u);
    EXPECT_EQ(m.w.v[5][1], 11u);
    EXPECT_EQ(m.w.v[6][1], 0u);
    EXPECT_EQ(m.w.v[5][2], 0u);
    EXPECT_EQ(m.w.v[6][20], 0x66u);
}

TEST_F(Vector, LoadsToLdsNameTheLdsAddress) {
    m.resource(8, kBufferBase, 0, 0xffffffff, 0);
    m.w.lds_base = 0x400;
    m.w.s[kM0] = 0xabc00040;
    Mubuf b;
    b.srsrc = 8;
    b.lds = true;
    b.offset = 16;
    issue(Op::BUFFER_LOAD_DWORD, b);
    EXPECT_TRUE(op.to_lds);
    EXPECT_FALSE(op.returns);
    EXPECT_EQ(op.lds_addr, 0x450u);
    vector_mem(test::mubuf(Op::BUFFER_LOAD_DWORD, b), m.w, op, false);
    EXPECT_EQ(op.lds_addr, 0x440u) << "the offset counts in memory only";
}

TEST_F(Vector, CacheInvalidate) {
    issue(Op::BUFFER_WBINVL1, {});
    EXPECT_EQ(op.kind, VectorMemOp::Kind::CacheInvalidate);
    EXPECT_EQ(op.lanes, 0u);
    issue(Op::BUFFER_WBINVL1_SC, {});
    EXPECT_EQ(op.kind, VectorMemOp::Kind::CacheInvalidate);
}

TEST_F(Vector, WhatCannotBeExecutedSaysWhy) {
    Mubuf b;
    b.srsrc = 8;
    m.resource(8, kBufferBase, 0, 0xffffffff, 2u << 30);
    vector_mem(test::mubuf(Op::BUFFER_LOAD_DWORD, b), m.w, op);
    EXPECT_STREQ(op.unsupported, "buffer access through a resource whose TYPE is not buffer");
    m.resource(8, kBufferBase, 0, 0xffffffff, 15u << 15 | 0xfac);
    vector_mem(test::mubuf(Op::BUFFER_LOAD_FORMAT_X, b), m.w, op);
    EXPECT_STREQ(op.unsupported, "buffer data format 15, which is reserved");
    m.resource(8, kBufferBase, 0, 0xffffffff, 8u << 15 | 7u << 12 | 0xfac);
    vector_mem(test::mubuf(Op::BUFFER_LOAD_FORMAT_X, b), m.w, op);
    EXPECT_STREQ(op.unsupported, "FLOAT buffer format of 8 bits or with an alpha of 2 bits");
    m.resource(8, kBufferBase, 0, 0xffffffff, 10u << 15 | 2u << 12 | 0xfac);
    vector_mem(test::mubuf(Op::BUFFER_STORE_FORMAT_XYZW, b), m.w, op);
    EXPECT_NE(op.unsupported, nullptr);
    b.addr64 = b.offen = true;
    vector_mem(test::mubuf(Op::BUFFER_LOAD_DWORD, b), m.w, op);
    EXPECT_STREQ(op.unsupported, "ADDR64 together with OFFEN or IDXEN");
    b = {};
    b.lds = true;
    EXPECT_FALSE(is_implemented(test::mubuf(Op::BUFFER_LOAD_DWORDX2, b)));
    EXPECT_FALSE(is_implemented(test::mubuf(Op::BUFFER_STORE_DWORD, b)));
    b.tfe = true;
    EXPECT_FALSE(is_implemented(test::mubuf(Op::BUFFER_LOAD_DWORD, b)));
}

TEST_F(Vector, AFormatOfNoneReadsZeroAndDropsWrites) {
    m.resource(8, kBufferBase, 0, 0xffffffff, 0);
    m.w.set_exec(0xf0f);
    Mubuf b;
    b.vdata = 5;
    b.srsrc = 8;
    m.fill(5, [](unsigned l) { return l; });
    issue(Op::BUFFER_LOAD_FORMAT_X, b);
    EXPECT_EQ(op.lanes, 0u);
    vector_mem_complete(op, m.w);
    EXPECT_EQ(m.w.v[5][3], 0u);
    EXPECT_EQ(m.w.v[5][4], 4u);
    issue(Op::BUFFER_STORE_FORMAT_X, b);
    EXPECT_EQ(op.lanes, 0u);
}

TEST_F(Vector, StoresOfFewerComponentsFillUpWithZero) {
    m.resource(8, kBufferBase, 0, 0xffffffff, 10u << 15 | 4u << 12 | 0xfac);
    Mubuf b;
    b.vdata = 5;
    b.srsrc = 8;
    m.w.v[5][0] = 0x11;
    m.w.v[6][0] = 0x22;
    m.w.v[7][0] = 0x33;
    issue(Op::BUFFER_STORE_FORMAT_X, b);
    EXPECT_EQ(op.data[0][0], 0x11u);
    issue(Op::BUFFER_STORE_FORMAT_XY, b);
    EXPECT_EQ(op.data[0][0], 0x2211u);
    issue(Op::BUFFER_STORE_FORMAT_XYZ, b);
    EXPECT_EQ(op.data[0][0], 0x332211u);
}

TEST_F(Vector, TfeAddsAStatusRegisterToWhatReturns) {
    m.resource(8, kBufferBase, 0, 0xffffffff, 0x27fac);
    m.w.set_exec(0xff);
    Mubuf b;
    b.vdata = 5;
    b.srsrc = 8;
    b.tfe = true;
    EXPECT_EQ(test::mubuf(Op::BUFFER_LOAD_DWORDX2, b).vgprs_used, 8);
    issue(Op::BUFFER_LOAD_DWORDX2, b);
    ASSERT_TRUE(op.tfe);
    for (unsigned l = 0; l < 8; ++l) {
        op.data[0][l] = op.data[1][l] = 7;
        m.w.v[7][l] = 9;
    }
    m.w.v[7][8] = 9;
    vector_mem_failed(op, 0x0c);
    vector_mem_complete(op, m.w);
    for (unsigned l = 0; l < 8; ++l) {
        const bool failed = l == 2 || l == 3;
        EXPECT_EQ(m.w.v[5][l], failed ? 0u : 7u);
        EXPECT_EQ(m.w.v[6][l], failed ? 0u : 7u);
        EXPECT_EQ(m.w.v[7][l], failed ? 1u : 0u);
    }
    EXPECT_EQ(m.w.v[7][8], 9u);
    issue(Op::BUFFER_STORE_DWORD, b);
    EXPECT_FALSE(op.tfe);
    issue(Op::BUFFER_ATOMIC_ADD, b);
    EXPECT_FALSE(op.tfe);
    b.glc = true;
    issue(Op::BUFFER_ATOMIC_ADD, b);
    EXPECT_TRUE(op.tfe);
}

TEST_F(Vector, LoadsToLdsConvertAndExtendWithZeros) {
    m.resource(8, kBufferBase, 0, 0xffffffff, 1u << 15 | 0u << 12 | 0xfac);  // 8 unorm
    Mubuf b;
    b.srsrc = 8;
    b.lds = true;
    m.w.lds_base = 64;
    m.w.lds_size = 24;
    m.w.s[kM0] = 8;
    uint32_t lds[40];
    std::fill(std::begin(lds), std::end(lds), 0xdeadu);
    const unsigned lane3 = (64 + 8) / 4 + 3;
    issue(Op::BUFFER_LOAD_FORMAT_X, b);
    ASSERT_TRUE(op.to_lds);
    op.data[0][3] = 0xff;
    vector_mem_to_lds(op, m.w, reinterpret_cast<uint8_t*>(lds));
    EXPECT_EQ(lds[lane3], 0x3f800000u);
    issue(Op::BUFFER_LOAD_SSHORT, b);
    op.data[0][3] = 0x8001;
    op.data[0][4] = 0x8002;
    vector_mem_to_lds(op, m.w, reinterpret_cast<uint8_t*>(lds));
    EXPECT_EQ(lds[lane3], 0x8001u);
    EXPECT_EQ(lds[lane3 + 1], 0xdeadu) << "beyond the wave's part";
    EXPECT_EQ(lds[lane3 - 4], 0xdeadu) << "before M0";
}

// ---- typed access -------------------------------------------------------------------------------

struct Format_ {
    unsigned dfmt, nfmt;
    uint32_t raw[4];
    uint32_t xyzw[4];
    bool storable;  // storing xyzw gives raw back
};

using test::bits;

const Format_ kTyped[] = {
    {4, 4, {0x80000001u}, {0x80000001u, 0, 0, 1}, true},                               // 32 uint
    {4, 7, {0x7fc00123u}, {0x7fc00123u, 0, 0, bits(1)}, true},                         // 32 float
    {11, 5, {5, 0xffffffffu}, {5, 0xffffffffu, 0, 1}, true},                           // 32_32 sint
    {13, 4, {1, 2, 3}, {1, 2, 3, 1}, true},                                            // 32_32_32
    {14, 7, {1, 2, 3, 4}, {1, 2, 3, 4}, true},                                         // 32x4
    {10, 0, {0xff800033u}, {bits(0.2f), 0, bits(128 / 255.0f), bits(1)}, true},        // 8x4 unorm
    {10, 1, {0x7f8081c0u}, {bits(-64 / 127.0f), bits(-1), bits(-1), bits(1)}, false},  // snorm
    {10, 4, {0x04030201u}, {1, 2, 3, 4}, true},                                        // uint
    {10, 5, {0x80ff7f01u}, {1, 127, 0xffffffffu, 0xffffff80u}, true},                  // sint
    {10, 2, {0x04030201u}, {bits(1), bits(2), bits(3), bits(4)}, false},               // uscaled
    {10, 3, {0x80ff0201u}, {bits(1), bits(2), bits(-1), bits(-128)}, false},           // sscaled
    {1, 4, {0xab}, {0xab, 0, 0, 1}, true},                                             // 8
    {3, 0, {0xff00}, {0, bits(1), 0, bits(1)}, true},                                  // 8_8
    {2, 7, {0x3c00}, {bits(1), 0, 0, bits(1)}, true},                                  // f16
    {5, 7, {0x0001fbffu}, {bits(-65504.0f), bits(5.9604645e-8f), 0, bits(1)}, true},
    {12,
     7,
     {0xfc007c00u, 0x80000400u},
     {0x7f800000u, 0xff800000u, bits(6.1035156e-5f), 0x80000000u},
     true},
    {12, 0, {0x8000ffffu, 0}, {bits(1), bits(32768 / 65535.0f), 0, 0}, true},  // 16x4 unorm
    {12, 1, {0x80017fffu, 0x00004000u}, {bits(1), bits(-1), bits(16384 / 32767.0f), 0}, true},
    {9, 4, {0xc0000000u | 3u << 20 | 2u << 10 | 1u}, {1, 2, 3, 3}, true},  // 2_10_10_10
    {8, 4, {1u << 22 | 2u << 12 | 3u << 2 | 1u}, {1, 3, 2, 1}, true},      // 10_10_10_2
    {1, 6, {0x80}, {bits(-1), 0, 0, bits(1)}, false},                      // snorm_ogl
};

TEST_F(Vector, TypedLoadsAndStoresConvert) {
    for (const Format_& f : kTyped) {
        SCOPED_TRACE(testing::Message() << "dfmt " << f.dfmt << " nfmt " << f.nfmt);
        m.resource(8, kBufferBase, 0, 0xffffffff, f.dfmt << 15 | f.nfmt << 12 | 0xfac);
        m.w.set_exec(1ull << 17);
        Mubuf b;
        b.vdata = 5;
        b.srsrc = 8;
        issue(Op::BUFFER_LOAD_FORMAT_XYZW, b);
        EXPECT_TRUE(op.typed);
        EXPECT_EQ(op.dwords, 4);
        for (unsigned k = 0; k < 4; ++k) {
            op.data[k][17] = f.raw[k];
        }
        vector_mem_complete(op, m.w);
        for (unsigned c = 0; c < 4; ++c) {
            EXPECT_EQ(m.w.v[5 + c][17], f.xyzw[c]) << "component " << c;
        }
        if (f.storable) {
            issue(Op::BUFFER_STORE_FORMAT_XYZW, b);
            const unsigned count = (op.bytes + 3u) / 4;
            for (unsigned k = 0; k < count; ++k) {
                EXPECT_EQ(op.data[k][17], f.raw[k]) << "dword " << k;
            }
        }
        // The same through MTBUF, where the instruction names the format.
        m.resource(8, kBufferBase, 0, 0xffffffff, 0);
        const Inst typed = test::mtbuf(Op::TBUFFER_LOAD_FORMAT_XYZW, f.dfmt, f.nfmt, b);
        ASSERT_TRUE(is_implemented(typed));
        vector_mem(typed, m.w, op);
        ASSERT_EQ(op.unsupported, nullptr);
        for (unsigned k = 0; k < 4; ++k) {
            op.data[k][17] = f.raw[k];
        }
        vector_mem_complete(op, m.w);
        for (unsigned c = 0; c < 4; ++c) {
            EXPECT_EQ(m.w.v[5 + c][17], f.xyzw[c]) << "component " << c;
        }
    }
}

TEST_F(Vector, TypedStoresRoundAndClamp) {
    m.resource(8, kBufferBase, 0, 0xffffffff, 10u << 15 | 0u << 12 | 0xfac);
    Mubuf b;
    b.vdata = 5;
    b.srsrc = 8;
    m.w.v[5][0] = bits(2.0f);
    m.w.v[6][0] = bits(-1.0f);
    m.w.v[7][0] = 0x7fc00000;
    m.w.v[8][0] = bits(0.5f);  // 127.5 rounds to even
    issue(Op::BUFFER_STORE_FORMAT_XYZW, b);
    EXPECT_EQ(op.data[0][0], 0x800000ffu);
    m.resource(8, kBufferBase, 0, 0xffffffff, 10u << 15 | 1u << 12 | 0xfac);
    m.w.v[5][0] = bits(-7.0f);
    m.w.v[6][0] = bits(1.0f);
    m.w.v[8][0] = bits(-0.5f);  // -63.5 rounds to even
    issue(Op::BUFFER_STORE_FORMAT_XYZW, b);
    EXPECT_EQ(op.data[0][0], 0xc0007f81u);
    m.resource(8, kBufferBase, 0, 0xffffffff, 2u << 15 | 7u << 12 | 0xfac);
    const struct {
        float f;
        uint32_t h;
    } halves[] = {{65519.0f, 0x7bff},      {65520.0f, 0x7c00},   {1.00048828125f, 0x3c00},
                  {1.0009765625f, 0x3c01}, {2.98e-8f, 0x0000},   {2.9802326e-8f, 0x0001},
                  {6.0975552e-5f, 0x03ff}, {6.1035e-5f, 0x0400}, {1.00146484375f, 0x3c02}};
    for (const auto& c : halves) {
        m.w.v[5][0] = bits(c.f);
        issue(Op::BUFFER_STORE_FORMAT_X, b);
        EXPECT_EQ(op.data[0][0], c.h) << c.f;
    }
    m.w.v[5][0] = 0xffc00001;
    issue(Op::BUFFER_STORE_FORMAT_X, b);
    EXPECT_EQ(op.data[0][0] & 0xfe00, 0xfe00u);
}

TEST_F(Vector, DestinationSelectShufflesAndOutOfRangeGivesTheConstants) {
    // w z 1 0 of an 8_8_8_8 uint
    m.resource(8, kBufferBase, 0, 4, 10u << 15 | 4u << 12 | (7 | 6 << 3 | 1 << 6 | 0 << 9));
    m.w.set_exec(3);
    m.fill(2, [](unsigned l) { return 4 * l; });
    Mubuf b;
    b.vdata = 5;
    b.vaddr = 2;
    b.offen = true;
    b.srsrc = 8;
    issue(Op::BUFFER_LOAD_FORMAT_XYZW, b);
    EXPECT_EQ(op.lanes, 1u);
    op.data[0][0] = 0x44332211;
    vector_mem_complete(op, m.w);
    EXPECT_EQ(m.w.v[5][0], 0x44u);
    EXPECT_EQ(m.w.v[6][0], 0x33u);
    EXPECT_EQ(m.w.v[7][0], 1u);
    EXPECT_EQ(m.w.v[8][0], 0u);
    EXPECT_EQ(m.w.v[5][1], 0u);
    EXPECT_EQ(m.w.v[7][1], 1u);
}

}  // namespace
}  // namespace archipelago::isa::memory_test
