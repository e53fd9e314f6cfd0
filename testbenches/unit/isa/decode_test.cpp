// SPDX-License-Identifier: Apache-2.0
// Decoding: fields, lengths, register counts, refusal of what is no instruction.
#include <gtest/gtest.h>

#include <set>

#include "testbenches/unit/isa/machine.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::isa {
namespace {

struct Recorded {
    uint32_t words[2];
    const char* text;
};

// Shaders recorded from Mesa's OpenCL and Vulkan drivers on a Tahiti, with the text another
// disassembler gave them.
const Recorded kRecorded[] = {
    {{0xc0048501}, "s_load_dword s9, s[4:5], 0x1"},
    {{0xc0050707}, "s_load_dword s10, s[6:7], 0x7"},
    {{0xc0800700}, "s_load_dwordx4 s[0:3], s[6:7], 0x0"},
    {{0xc0420704}, "s_load_dwordx2 s[4:5], s[6:7], 0x4"},
    {{0xbe8b03ff, 0x0000f000}, "s_mov_b32 s11, 0xf000"},
    {{0xbf8c007f}, "s_waitcnt lgkmcnt(0)"},
    {{0x8706ff09, 0x0000ffff}, "s_and_b32 s6, s9, 0xffff"},
    {{0x93060806}, "s_mul_i32 s6, s6, s8"},
    {{0x4a00000a}, "v_add_i32_e32 v0, vcc, s10, v0"},
    {{0x4a020006}, "v_add_i32_e32 v1, vcc, s6, v0"},
    {{0x7e000280}, "v_mov_b32_e32 v0, 0"},
    {{0xd2c60000, 0x00013d00}, "v_ashr_i64 v[0:1], v[0:1], 30"},
    {{0xbe8a0380}, "s_mov_b32 s10, 0"},
    {{0xbe880400}, "s_mov_b64 s[8:9], s[0:1]"},
    {{0xe0308000, 0x80020200}, "buffer_load_dword v2, v[0:1], s[8:11], 0 addr64"},
    {{0xbe86040a}, "s_mov_b64 s[6:7], s[10:11]"},
    {{0xbf8c0f70}, "s_waitcnt vmcnt(0)"},
    {{0x4a040503}, "v_add_i32_e32 v2, vcc, v3, v2"},
    {{0xe0708000, 0x80010200}, "buffer_store_dword v2, v[0:1], s[4:7], 0 addr64"},
    {{0xbf810000}, "s_endpgm"},
    {{0xbe800303}, "s_mov_b32 s0, s3"},
    {{0xc0820300}, "s_load_dwordx4 s[4:7], s[2:3], 0x0"},
    {{0xd2860000, 0x04018000}, "v_mad_u32_u24 v0, s0, 64, v0"},
    {{0x34020082}, "v_lshlrev_b32_e32 v1, 2, v0"},
    {{0xbf8cc07f}, "s_waitcnt lgkmcnt(0)"},
    {{0xe0301000, 0x80010201}, "buffer_load_dword v2, v1, s[4:7], 0 offen"},
    {{0xbf8c3f70}, "s_waitcnt vmcnt(0)"},
    {{0x34060481}, "v_lshlrev_b32_e32 v3, 1, v2"},
    {{0xe0705000, 0x80020001}, "buffer_store_dword v0, v1, s[8:11], 0 offen glc"},
};

TEST(Decode, RecordedShadersGiveTheRecordedText) {
    for (const Recorded& r : kRecorded) {
        const Inst inst = decode(r.words, 2);
        EXPECT_EQ(disassemble(inst, 0x800100), r.text);
        EXPECT_EQ(inst.dwords, r.words[1] != 0 ? 2 : 1) << r.text;
        EXPECT_EQ(inst.words[0], r.words[0]);
        EXPECT_EQ(inst.words[1], r.words[1]);
    }
}

TEST(Decode, EverySampleOfEveryOpcodeDecodesToItself) {
    for (const test::Sample& s : test::all_samples(20, 7)) {
        const Inst inst = decode(s.words, s.dwords);
        const OpInfo& info = op_info(s.op);
        ASSERT_EQ(inst.op, s.op) << info.name;
        EXPECT_EQ(inst.format, s.e64 ? Format::Vop3 : info.format) << info.name;
        EXPECT_EQ(inst.rate, info.rate) << info.name;
        EXPECT_STREQ(mnemonic(inst), info.name);
        // The second word is never looked at when it does not exist.
        const Inst cut = decode(s.words, 1);
        if (s.dwords == 2) {
            EXPECT_EQ(cut.format, Format::Illegal) << info.name;
            EXPECT_EQ(cut.dwords, 1);
        } else {
            EXPECT_EQ(cut.op, s.op);
        }
    }
}

TEST(Decode, RandomWordsNeverCrash) {
    test::Random random(99);
    unsigned illegal = 0;
    size_t characters = 0;
    for (unsigned i = 0; i < 1000000; ++i) {
        const uint32_t words[2] = {random.next() ^ random.next() << 12,
                                   random.next() ^ random.next() << 12};
        const size_t avail = random.below(3);
        const Inst inst = decode(words, avail);
        EXPECT_LE(inst.dwords, avail > 0 ? avail : 1);
        EXPECT_GE(inst.dwords, 1);
        EXPECT_LE(inst.sgprs_used, 104);
        EXPECT_LE(inst.vgprs_used, 264);  // v255 and up to eight more, for the pipeline to refuse
        EXPECT_FALSE(inst.format == Format::Illegal && is_implemented(inst));
        illegal += inst.format == Format::Illegal ? 1 : 0;
        if (i % 4 == 0) {
            characters += disassemble(inst, 0).size();
        }
    }
    EXPECT_GT(illegal, 10000u);
    EXPECT_LT(illegal, 950000u);
    EXPECT_GT(characters, 1000000u);
}

TEST(Decode, NothingIsIllegal) {
    const Inst none = decode(nullptr, 0);
    EXPECT_EQ(none.format, Format::Illegal);
    EXPECT_STREQ(mnemonic(none), "illegal");
    EXPECT_FALSE(is_implemented(none));
}

TEST(Decode, ReservedEncodingsAreIllegal) {
    const uint32_t words[][2] = {
        {0x80000000u | 12 << 23},  // SOP2 without opcode 12
        {0xbe800000u | 200 << 8},  // SOP1 opcode 200
        {0xf4000000u},             // no such format
        {0xfc000000u},
        {0xbe800300u | 209},  // source codes between the constants
        {0xbe800300u | 125},
        {0xbe800300u | 104},
        {0xbe800300u | 254},         // LDS direct is for vector sources
        {0xbe800401u},               // odd 64-bit source
        {0xbe810400u},               // odd 64-bit destination
        {0xc0808100u},               // four registers from s1 on
        {0xc00000ffu},               // SMRD literal offset came with GFX7
        {0xd2060000u, 0x000200ffu},  // VOP3 takes no literal
        {0xd2020000u, 0x00000000u},  // v_readlane has no VOP3 form
    };
    for (const auto& w : words) {
        EXPECT_EQ(decode(w, 2).format, Format::Illegal) << std::hex << w[0];
    }
}

TEST(Decode, MissingLiteralIsIllegal) {
    const uint32_t literal[2] = {0x7e0002ffu, 5};
    EXPECT_EQ(decode(literal, 1).format, Format::Illegal);
    EXPECT_EQ(decode(literal, 2).literal, 5u);
}

TEST(Decode, IllegalTextStandsForTheWord) {
    const uint32_t word[1] = {0xf4001234u};
    EXPECT_EQ(disassemble(decode(word, 1), 0), ".long 0xf4001234");
}

TEST(Decode, Vop3FieldsAndModifiers) {
    // v_mad_f32 v5, -v1, |s2|, -|v3| clamp mul:4
    const uint32_t words[2] = {0xd2820005u | 6 << 8 | 1 << 11,
                               257u | 2u << 9 | 259u << 18 | 2u << 27 | 5u << 29};
    const Inst inst = decode(words, 2);
    EXPECT_EQ(inst.op, Op::V_MAD_F32);
    EXPECT_EQ(inst.vdst, 5);
    EXPECT_EQ(inst.num_src, 3);
    EXPECT_EQ(inst.src[0], 257);
    EXPECT_EQ(inst.src[1], 2);
    EXPECT_EQ(inst.src[2], 259);
    EXPECT_EQ(inst.abs, 6);
    EXPECT_EQ(inst.neg, 5);
    EXPECT_EQ(inst.omod, 2);
    EXPECT_TRUE(inst.clamp);
    EXPECT_EQ(inst.vgprs_used, 6);
    EXPECT_EQ(inst.sgprs_used, 3);
    EXPECT_EQ(disassemble(inst, 0), "v_mad_f32 v5, -v1, |s2|, -|v3| clamp mul:4");
}

TEST(Decode, CarryAndCompareNameTheirMasks) {
    const uint32_t add[2] = {0x4a040503u};
    EXPECT_EQ(decode(add, 1).sdst, kVccLo);
    const uint32_t addc[2] = {0x50000501u};
    const Inst e32 = decode(addc, 1);
    EXPECT_EQ(e32.op, Op::V_ADDC_U32);
    EXPECT_EQ(e32.sdst, kVccLo);
    EXPECT_EQ(e32.src[2], kVccLo);
    const uint32_t addc64[2] = {0xd2500400u, 0x000a0501u};
    const Inst e64 = decode(addc64, 2);
    EXPECT_EQ(e64.op, Op::V_ADDC_U32);
    EXPECT_EQ(e64.sdst, 4);
    EXPECT_EQ(e64.src[2], 2);
    EXPECT_EQ(e64.abs, 0) << "SDST overlays ABS";
    const uint32_t compare[2] = {0xd0020002u, 0x40020300u};
    const Inst cmp = decode(compare, 2);
    EXPECT_EQ(cmp.op, Op::V_CMP_LT_F32);
    EXPECT_EQ(cmp.sdst, 2);
    EXPECT_EQ(cmp.sgprs_used, 4);
    EXPECT_EQ(cmp.vgprs_used, 2);
    EXPECT_EQ(cmp.neg, 2);
    const uint32_t readlane[2] = {0x020a0501u};
    const Inst lane = decode(readlane, 1);
    EXPECT_EQ(lane.op, Op::V_READLANE_B32);
    EXPECT_EQ(lane.sdst, 5);
    EXPECT_EQ(lane.src[0], 257);
    EXPECT_EQ(lane.src[1], 2);
    EXPECT_EQ(lane.vgprs_used, 2);
    EXPECT_EQ(lane.sgprs_used, 6);
}

TEST(Decode, ConstantOperandsAlwaysTakeALiteral) {
    const uint32_t madmk[2] = {0x40000501u, 0x42000000u};
    const Inst inst = decode(madmk, 2);
    EXPECT_EQ(inst.op, Op::V_MADMK_F32);
    EXPECT_EQ(inst.dwords, 2);
    EXPECT_EQ(inst.literal, 0x42000000u);
    EXPECT_EQ(inst.src[0], 257);
    EXPECT_EQ(inst.src[1], 258);
    EXPECT_EQ(decode(madmk, 1).format, Format::Illegal);
}

TEST(Decode, RegisterCountsCoverWhatIsTouched) {
    using test::Ds;
    using test::Mubuf;
    struct C {
        Inst inst;
        unsigned vgprs, sgprs;
    };
    Mubuf x4;
    x4.vdata = 10;
    x4.vaddr = 20;
    x4.srsrc = 8;
    x4.soffset = 30;
    x4.offen = true;
    Mubuf a64 = x4;
    a64.offen = false;
    a64.addr64 = true;
    Mubuf tfe = x4;
    tfe.vaddr = 0;
    tfe.tfe = true;
    Mubuf none = x4;
    none.offen = false;
    Mubuf lds = none;
    lds.lds = true;
    Ds d;
    d.vdst = 40;
    d.addr = 3;
    d.data0 = 50;
    d.data1 = 60;
    const C cases[] = {
        {test::mubuf(Op::BUFFER_LOAD_DWORDX4, x4), 21, 31},
        {test::mubuf(Op::BUFFER_LOAD_DWORDX4, a64), 22, 31},
        {test::mubuf(Op::BUFFER_LOAD_DWORDX4, tfe), 15, 31},
        {test::mubuf(Op::BUFFER_STORE_DWORDX2, none), 12, 31},
        {test::mubuf(Op::BUFFER_LOAD_DWORD, lds), 0, 31},
        {test::mubuf(Op::BUFFER_ATOMIC_CMPSWAP_X2, none), 14, 31},
        {test::mubuf(Op::BUFFER_WBINVL1, none), 0, 0},
        {test::ds(Op::DS_READ_B32, d), 41, 0},
        {test::ds(Op::DS_READ2_B64, d), 44, 0},
        {test::ds(Op::DS_WRITE_B64, d), 52, 0},
        {test::ds(Op::DS_WRITE2_B64, d), 62, 0},
        {test::ds(Op::DS_ADD_SRC2_U32, d), 4, 0},
        {test::ds(Op::DS_APPEND, d), 41, 0},
        {test::smrd(Op::S_LOAD_DWORDX16, 16, 2, true, 4), 0, 32},
        {test::smrd(Op::S_BUFFER_LOAD_DWORD, 0, 8, false, 50), 0, 51},
        {test::smrd(Op::S_BUFFER_LOAD_DWORD, 0, 8, true, 50), 0, 12},
        {test::sop2(Op::S_LSHL_B64, 20, 6, 9), 0, 22},
        {test::sop1(Op::S_MOV_B64, kExecLo, 4), 0, 6},
        {test::sopp(Op::S_ENDPGM, 0), 0, 0},
    };
    for (const C& c : cases) {
        ASSERT_NE(c.inst.format, Format::Illegal);
        EXPECT_EQ(c.inst.vgprs_used, c.vgprs) << disassemble(c.inst, 0);
        EXPECT_EQ(c.inst.sgprs_used, c.sgprs) << disassemble(c.inst, 0);
    }
}

TEST(Decode, ClassesNameTheUnit) {
    test::Ds d;
    EXPECT_EQ(test::ds(Op::DS_READ_B32, d).cls, Class::Lds);
    d.gds = true;
    EXPECT_EQ(test::ds(Op::DS_READ_B32, d).cls, Class::Gds);
    EXPECT_EQ(test::sopp(Op::S_BRANCH, 0).cls, Class::Branch);
    EXPECT_EQ(test::sop1(Op::S_SETPC_B64, 0, 2).cls, Class::Branch);
    EXPECT_EQ(test::sopp(Op::S_WAITCNT, 0).cls, Class::Internal);
    EXPECT_EQ(test::sopp(Op::S_SENDMSG, 1).cls, Class::Message);
    EXPECT_EQ(test::smrd(Op::S_MEMTIME, 0, 0, false, 0).cls, Class::Smem);
    EXPECT_EQ(test::sop2(Op::S_ADD_U32, 0, 0, 0).cls, Class::Salu);
    EXPECT_EQ(op_info(Op::V_ADD_F64).rate, Rate::F64Add);
    EXPECT_EQ(op_info(Op::V_FMA_F64).rate, Rate::F64Mul);
    EXPECT_EQ(op_info(Op::V_EXP_F32).rate, Rate::Trans);
    EXPECT_EQ(op_info(Op::V_MUL_LO_I32).rate, Rate::MulLo);
    EXPECT_EQ(op_info(Op::V_MAD_F32).rate, Rate::Full);
}

TEST(Decode, BranchTextCarriesTheTarget) {
    EXPECT_EQ(disassemble(test::sopp(Op::S_BRANCH, 0xfffb), 0x1000), "s_branch -5  // 0xff0");
    EXPECT_EQ(disassemble(test::sopk(Op::S_CBRANCH_I_FORK, 4, 3), 0x1000),
              "s_cbranch_i_fork s[4:5], 3  // 0x1010");
}

TEST(Decode, FormatsAreContiguousInTheOpcodeEnum) {
    std::set<Format> finished;
    Format current = op_info(Op{0}).format;
    for (unsigned i = 0; i < kOpCount; ++i) {
        const Format format = op_info(Op{static_cast<uint16_t>(i)}).format;
        if (format != current) {
            EXPECT_TRUE(finished.insert(current).second);
            current = format;
        }
        EXPECT_EQ(finished.count(format), 0u);
    }
    EXPECT_EQ(kOpCount, 815u);
    EXPECT_STREQ(op_info(Op::Illegal).name, "illegal");
}

}  // namespace
}  // namespace archipelago::isa
