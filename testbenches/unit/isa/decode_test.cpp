// SPDX-License-Identifier: Apache-2.0
// Decoding: fields, lengths, register counts, refusal of what is no instruction.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "testbenches/unit/isa/machine.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::isa::decode_test {
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

TEST(Decode, IllegalInstructionsHaveALengthAndAReason) {
    const struct {
        uint32_t words[2];
        unsigned avail, dwords;
        const char* reason;
    } cases[] = {
        {{0xf4000000, 0}, 2, 1, "no encoding has these upper bits"},
        {{0xbe80c800, 0}, 2, 1, "no such opcode, SOP1 200"},
        {{0xd3fe0000, 0}, 2, 2, "no such opcode, VOP3 511"},
        {{0xd2020000, 0}, 2, 2, "no such opcode, VOP3 257"},
        {{0xd2060000, 0x000200ff}, 2, 2, "VOP3 takes no literal constant"},
        {{0xd2060000, 0x000200d1}, 2, 2, "operand code 209 is reserved here"},
        {{0xd2060000, 0}, 1, 1, "its second dword is missing"},
        {{0x7e0002ff, 5}, 1, 1, "its literal constant is missing"},
        {{0xbe800401, 0}, 2, 1, "s[1:2] is no register pair, a pair starts at an even number"},
        {{0xbe8104ff, 9}, 2, 2, "s[1:2] is no register pair, a pair starts at an even number"},
        {{0xbe800471, 0}, 2, 1, "ttmp[1:2] is no register pair, a pair starts at an even number"},
        {{0xc0808100, 0}, 2, 1, "s[1:4] is no range, one starts at a multiple of four"},
        {{0xc1320100, 0}, 2, 1, "s[100:115] reaches beyond s103"},
        {{0xe0300000, 0xff000000}, 2, 2, "a literal constant in a field that takes none"},
        {{0xf8000160, 0}, 2, 2, "export target 22 is reserved"},
        {{0xc8020007, 0}, 2, 1, "interpolation parameter 7 is reserved"},
        {{0x02000100, 0}, 2, 1, nullptr},
    };
    for (const auto& c : cases) {
        const Inst inst = decode(c.words, c.avail);
        if (c.reason == nullptr) {
            EXPECT_NE(inst.format, Format::Illegal);
            continue;
        }
        ASSERT_EQ(inst.format, Format::Illegal) << c.reason;
        EXPECT_EQ(inst.dwords, c.dwords) << c.reason;
        EXPECT_EQ(illegal_reason(inst), c.reason);
        EXPECT_EQ(inst.words[1], c.dwords == 2 ? c.words[1] : 0);
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

// An instruction word of each format with operands every opcode takes.
struct Encoding {
    const char* name;
    Format format;
    uint32_t words[2];
    enc::Field op;
};
const Encoding kEncodings[] = {
    {"SOP2", Format::Sop2, {0x80000000, 0}, enc::sop2::kOp},
    {"SOPK", Format::Sopk, {0xb0000000, 0}, enc::sopk::kOp},
    {"SOP1", Format::Sop1, {0xbe800000, 0}, enc::sop1::kOp},
    {"SOPC", Format::Sopc, {0xbf000000, 0}, enc::sopc::kOp},
    {"SOPP", Format::Sopp, {0xbf800000, 0}, enc::sopp::kOp},
    {"SMRD", Format::Smrd, {0xc0000100, 0}, enc::smrd::kOp},
    {"VOP2", Format::Vop2, {0x00000100, 0}, enc::vop2::kOp},
    {"VOP1", Format::Vop1, {0x7e000100, 0}, enc::vop1::kOp},
    {"VOPC", Format::Vopc, {0x7c000100, 0}, enc::vopc::kOp},
    {"VOP3", Format::Vop3, {0xd0000000, 0x00020000}, enc::vop3::kOp},
    {"VINTRP", Format::Vintrp, {0xc8000000, 0}, enc::vintrp::kOp},
    {"DS", Format::Ds, {0xd8000000, 0}, enc::ds::kOp},
    {"MUBUF", Format::Mubuf, {0xe0000000, 0}, enc::mubuf::kOp},
    {"MTBUF", Format::Mtbuf, {0xe8000000, 0}, enc::mtbuf::kOp},
    {"MIMG", Format::Mimg, {0xf0000000, 0}, enc::mimg::kOp},
};

// An opcode number that stands for another format in the place of its operands: VOP1 and VOPC in
// VOP2, SOP1, SOPC and SOPP in SOP2 and SOPK.
bool is_other_format(const Encoding& e, uint32_t word) {
    const auto is = [word](enc::Field id, uint32_t value) { return id.get(word) == value; };
    switch (e.format) {
        case Format::Vop2:
            return is(enc::vop1::kId, enc::vop1::kIdValue) ||
                   is(enc::vopc::kId, enc::vopc::kIdValue);
        case Format::Sop2:
            return is(enc::sopk::kId, enc::sopk::kIdValue);
        case Format::Sopk:
            return is(enc::sop1::kId, enc::sop1::kIdValue) ||
                   is(enc::sopc::kId, enc::sopc::kIdValue) ||
                   is(enc::sopp::kId, enc::sopp::kIdValue);
        default:
            return false;
    }
}

TEST(Decode, EveryOpcodeNumberIsTheListedInstructionOrIllegal) {
    std::map<std::string, std::map<unsigned, std::string>> listed;
    std::ifstream file(ARCHIPELAGO_SOURCE_DIR "/testbenches/unit/isa/opcode_numbers.txt");
    ASSERT_TRUE(file.is_open());
    unsigned count = 0;
    std::string format;
    while (file >> format) {
        if (format == "#") {
            std::getline(file, format);
            continue;
        }
        unsigned number = 0;
        std::string name;
        file >> number >> name;
        listed[format][number] = name;
        ++count;
    }
    EXPECT_EQ(count, 815u);
    // VOP3 re-encodes the shorter vector formats, except instructions with scalar lane numbers and
    // constants of their own.
    const std::set<std::string> shorter_only = {"v_readlane_b32", "v_writelane_b32", "v_madmk_f32",
                                                "v_madak_f32", "v_readfirstlane_b32"};
    for (const auto& [from, offset] :
         {std::pair<const char*, unsigned>{"VOPC", 0}, {"VOP2", 256}, {"VOP1", 384}}) {
        for (const auto& [number, name] : listed[from]) {
            if (shorter_only.count(name) == 0) {
                listed["VOP3"][number + offset] = name;
            }
        }
    }
    for (const Encoding& e : kEncodings) {
        for (unsigned number = 0; number <= e.op.mask(); ++number) {
            const uint32_t words[2] = {e.words[0] | static_cast<uint32_t>(e.op.put(number)),
                                       e.words[1]};
            if (is_other_format(e, words[0])) {
                continue;
            }
            const Inst inst = decode(words, 2);
            const auto found = listed[e.name].find(number);
            if (found == listed[e.name].end()) {
                EXPECT_EQ(inst.format, Format::Illegal) << e.name << " " << number;
                continue;
            }
            // v_writelane_b32 takes no vector register.
            uint32_t scalar[2] = {words[0] & ~0x1ffu, words[1]};
            const Inst& legal = found->second == "v_writelane_b32" ? decode(scalar, 2) : inst;
            const OpName* const end = kOpNames + kOpNameCount;
            const OpName* name = std::find_if(
                kOpNames, end, [&](const OpName& n) { return n.text == found->second; });
            ASSERT_NE(name, end) << found->second;
            EXPECT_EQ(legal.op, name->op) << found->second << ", decoded as " << mnemonic(legal);
            EXPECT_EQ(legal.format, e.format) << found->second;
        }
    }
    const uint32_t exp[2] = {0xf8000000, 0};
    EXPECT_STREQ(mnemonic(decode(exp, 2)), "exp");
}

// Every code of every scalar field, by the table of operand codes.
TEST(Decode, ReservedOperandCodesAndMisalignedRangesAreIllegal) {
    const auto writable = [](unsigned code, unsigned dwords) {
        const unsigned align = dwords == 1 ? 1 : dwords == 2 ? 2 : 4;
        const auto within = [&](unsigned first, unsigned last) {
            return code >= first && code + dwords - 1 <= last;
        };
        return code % align == 0 && (within(0, 103) || within(112, 123) ||
                                     (dwords <= 2 && (within(106, 111) || within(126, 127))) ||
                                     (dwords == 1 && code == 124));
    };
    const auto readable = [&](unsigned code, unsigned dwords) {
        return code < 128 ? writable(code, dwords)
                          : code <= 208 || (code >= 240 && code <= 247) ||
                                (code >= 251 && code <= 253) || code == 255;
    };
    const auto legal = [](uint32_t low, uint32_t high) {
        const uint32_t words[2] = {low, high};
        return decode(words, 2).format != Format::Illegal;
    };
    for (uint32_t code = 0; code < 128; ++code) {
        EXPECT_EQ(legal(0x80000000 | code << 16, 0), writable(code, 1)) << "s_add_u32 dst " << code;
        EXPECT_EQ(legal(0x87800000 | code << 16, 0), writable(code, 2)) << "s_and_b64 dst " << code;
        EXPECT_EQ(legal(0xc0800100 | code << 15, 0), writable(code, 4)) << "dwordx4 dst " << code;
        EXPECT_EQ(legal(0xc0c00100 | code << 15, 0), writable(code, 8)) << "dwordx8 dst " << code;
        EXPECT_EQ(legal(0xc1000100 | code << 15, 0), writable(code, 16)) << "x16 dst " << code;
        EXPECT_EQ(legal(0xd2060000, 0x20000 | code), readable(code, 1)) << "VOP3 src " << code;
        EXPECT_EQ(legal(0xd24a0000 | code << 8, 0x20000), writable(code, 2)) << "sdst " << code;
        EXPECT_EQ(legal(0xd2000000, 0x20000 | code << 18), writable(code, 2)) << "mask " << code;
        EXPECT_EQ(legal(0xc0000000 | code, 0), writable(code, 1)) << "SMRD offset " << code;
        EXPECT_EQ(legal(0xb0000000 | code << 16, 0), writable(code, 1)) << "SOPK dst " << code;
        EXPECT_EQ(legal(0x02000100 | code << 17, 0), writable(code, 1)) << "readlane dst " << code;
    }
    for (uint32_t code = 0; code < 256; ++code) {
        EXPECT_EQ(legal(0xbe800300 | code, 0), readable(code, 1)) << "s_mov_b32 src " << code;
        EXPECT_EQ(legal(0xbe800400 | code, 0), readable(code, 2)) << "s_mov_b64 src " << code;
        EXPECT_EQ(legal(0x80000000 | code << 8, 0), readable(code, 1)) << "s_add src1 " << code;
        const bool lds_direct = code == 254;
        EXPECT_EQ(legal(0x06000000 | code, 0), readable(code, 1) || lds_direct) << "e32 " << code;
        EXPECT_EQ(legal(0x7e001e00 | code, 0), readable(code, 2)) << "f64 " << code;
        const bool vop3 = readable(code, 1) && code != 255;
        EXPECT_EQ(legal(0xd2060000, 0x20000 | code), vop3) << "VOP3 src0 " << code;
        EXPECT_EQ(legal(0xd2060000, code << 9), vop3) << "VOP3 src1 " << code;
        EXPECT_EQ(legal(0xd2820000, 0x20000 | code << 18), vop3) << "VOP3 src2 " << code;
        EXPECT_EQ(legal(0xe0300000, code << 24), vop3) << "SOFFSET " << code;
        EXPECT_EQ(legal(0x02000100 | code << 9, 0), vop3) << "lane " << code;
        // VOPC in VOP3 has its scalar destination in the eight bits of VDST.
        EXPECT_EQ(legal(0xd0040000 | code, 0x20000), code < 128 && writable(code, 2)) << code;
    }
    for (uint32_t quad = 0; quad < 32; ++quad) {
        EXPECT_EQ(legal(0xe0300000, quad << 16), writable(4 * quad, 4)) << "MUBUF " << quad;
        EXPECT_EQ(legal(0xe8280000, quad << 16), writable(4 * quad, 4)) << "MTBUF " << quad;
        EXPECT_EQ(legal(0xf0000100, quad << 16), writable(4 * quad, 8)) << "MIMG " << quad;
        EXPECT_EQ(legal(0xf0008100, quad << 16), writable(4 * quad, 4)) << "MIMG r128 " << quad;
        EXPECT_EQ(legal(0xf0800100, quad << 21), writable(4 * quad, 4)) << "sampler " << quad;
    }
    for (uint32_t pair = 0; pair < 64; ++pair) {
        EXPECT_EQ(legal(0xc0000100 | pair << 9, 0), writable(2 * pair, 2)) << "SMRD " << pair;
        EXPECT_EQ(legal(0xc2000100 | pair << 9, 0), writable(2 * pair, 4)) << "buffer " << pair;
        const bool target = pair <= 9 || (pair >= 12 && pair <= 15) || pair >= 32;
        EXPECT_EQ(legal(0xf8000000 | pair << 4, 0), target) << "EXP target " << pair;
    }
    for (uint32_t parameter = 0; parameter < 256; ++parameter) {
        EXPECT_EQ(legal(0xc8020000 | parameter, 0), parameter < 3) << "v_interp_mov " << parameter;
    }
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
}  // namespace archipelago::isa::decode_test
