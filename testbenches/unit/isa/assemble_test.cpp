// SPDX-License-Identifier: Apache-2.0
// The assembler: what it takes beyond the disassembler's own text, and how it refuses the rest.
#include "models/cu/isa/assemble.h"

#include <gtest/gtest.h>

#include "testbenches/unit/isa/llvm_mc.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::isa::assemble_test {
namespace {

std::vector<uint32_t> words(const std::string& text) {
    const Assembly assembly = assemble(text);
    for (const AssemblyError& e : assembly.errors) {
        ADD_FAILURE() << text << ": " << e.line << ":" << e.column << ": " << e.message;
    }
    std::vector<uint32_t> result((assembly.bytes.size() + 3) / 4);
    for (size_t i = 0; i < assembly.bytes.size(); ++i) {
        result[i / 4] |= static_cast<uint32_t>(assembly.bytes[i]) << 8 * (i % 4);
    }
    return result;
}

using Words = std::vector<uint32_t>;

struct Case {
    const char* text;
    Words expected;
};

void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        EXPECT_EQ(words(c.text), c.expected) << c.text;
    }
}

// LLVM's syntax beyond what the disassembler prints.
const std::vector<Case>& llvm_cases() {
    static const std::vector<Case> cases = {
        {"v_cvt_f32_f64_e32 v0, 1.5", {0x7e001eff, 0x3ff80000}},
        {"v_add_f32 v0, 0.1, v1", {0x060002ff, 0x3dcccccd}},
        {"v_add_i32 v0, vcc, 1.5, v1", {0x4a0002ff, 0x3fc00000}},
        {"s_mov_b32 s0, 0x3f800000", {0xbe8003f2}},
        {"s_mov_b32 s0, 0xffffffff", {0xbe8003c1}},
        {"s_mov_b64 s[0:1], 0xfffffffffffffff0", {0xbe8004d0}},
        {"s_mov_b64 s[0:1], -17", {0xbe8004ff, 0xffffffef}},
        {"v_mov_b32 v0, [s0]", {0x7e000200}},
        {"s_mov_b64 [s2,s3], vcc", {0xbe82046a}},
        {"v_cmp_eq_f32 vcc, s1, v2", {0x7c040401}},
        {"v_cmp_eq_f32 s[2:3], s1, v2", {0xd0040002, 0x00020401}},
        {"v_add_f32 v0, v1, s2", {0xd2060000, 0x00000501}},
        {"v_add_f32 v0, v1, v2 clamp", {0xd2060800, 0x00020501}},
        {"v_mac_f32_e64 v0, |v1|, -v2 div:2", {0xd23e0100, 0x58020501}},
        {"v_mac_f32 v0, abs(v1), neg(v2) div:2", {0xd23e0100, 0x58020501}},
        {"v_add_f32 v0, -|s1|, neg(1.0)", {0xd2060100, 0x6001e401}},
        {"v_nop_e64", {0xd3000000, 0}},
        {"v_interp_p1_f32 v0, v1, attr33.x", {0xc8008401}},
        {"s_getreg_b32 s0, hwreg(HW_REG_IB_STS, 3, 4)", {0xb90018c7}},
        {"s_setreg_imm32_b32 hwreg(1,0,32), 1", {0xba80f801, 1}},
        {"s_waitcnt vmcnt_sat(100) expcnt(3), lgkmcnt(0)", {0xbf8c003f}},
        {"s_waitcnt 0", {0xbf8c0000}},
        {"s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 1)", {0xbf900122}},
        {"s_sendmsg sendmsg(3, 2, 1)", {0xbf900123}},
        {"s_branch 65531", {0xbf82fffb}},
        {"s_endpgm 1", {0xbf810001}},
        {"tbuffer_load_format_x v0, off, s[0:3], dfmt:2, nfmt:3, 0", {0xe9900000, 0x80000000}},
        {"tbuffer_load_format_x v0, off, s[0:3], 0 format:33", {0xe9080000, 0x80000000}},
        {"tbuffer_load_format_x v0, off, s[0:3], 0", {0xe8080000, 0x80000000}},
        {"buffer_load_dword v0, off, s[0:3], src_scc", {0xe0300000, 0xfd000000}},
        {"image_load v[0:3], v[4:6], s[0:7] dmask:0xf unorm", {0xf0001f00, 0x00000004}},
        {"exp mrt0 v0, v0, v1, v1 done compr vm", {0xf8001c0f, 0x00000100}},
        {"ds_swizzle_b32 v8, v2 offset:swizzle(QUAD_PERM, 0, 1, 2, 3)", {0xd8d480e4, 0x08000002}},
        {"ds_swizzle_b32 v8, v2 offset:swizzle(BITMASK_PERM, \"01pip\")", {0xd8d40907, 0x08000002}},
        {"ds_swizzle_b32 v8, v2 offset:swizzle(BROADCAST,8,7)", {0xd8d400f8, 0x08000002}},
        {"ds_swizzle_b32 v8, v2 offset:swizzle(SWAP,16)", {0xd8d4401f, 0x08000002}},
        {"ds_swizzle_b32 v8, v2 offset:swizzle(REVERSE,8)", {0xd8d41c1f, 0x08000002}},
    };
    return cases;
}

TEST(Assemble, TextInLlvmsSyntaxGivesTheseWords) {
    check(llvm_cases());
}

TEST(Assemble, LlvmGivesTheSameWords) {
    const std::string llvm_mc = test::find_llvm_mc();
    if (llvm_mc.empty()) {
        GTEST_SKIP() << "llvm-mc (15 or 14) is not installed";
    }
    std::vector<std::string> lines;
    for (const Case& c : llvm_cases()) {
        lines.emplace_back(c.text);
    }
    const test::LlvmAssembly assembly = test::llvm_assemble(llvm_mc, lines);
    for (size_t i = 0; i < lines.size(); ++i) {
        const auto found = assembly.words.find(i);
        ASSERT_NE(found, assembly.words.end()) << lines[i] << "\n" << assembly.errors;
        EXPECT_EQ(found->second, llvm_cases()[i].expected) << lines[i];
    }
}

TEST(Assemble, WhatLlvmRefusesHasTextToo) {
    check({
        {"image_load v[0:3], v[4:5], s[0:3] dmask:0xf r128", {0xf0008f00, 0x00000004}},
        {"buffer_load_dword v0, v[1:2], s[0:3], 0 offen addr64", {0xe0309000, 0x80000001}},
        {"buffer_load_dword v[0:1], off, s[0:3], 0 tfe", {0xe0300000, 0x80800000}},
        {"v_qsad_u8 v[0:1], v[2:3], v4, v[6:7]", {0xd2e40000, 0x041a0902}},
        {"v_mul_f32_e64 v0, v1, v2 src2:0x80", {0xd2100000, 0x02020501}},
        {"v_nop_e64 src0:128 src1:128 src2:128", {0xd3000000, 0x02010080}},
        {"v_add_i32_e64 v0, s[0:1], v1, v2 src2:0x80", {0xd24a0000, 0x02020501}},
        {"s_mov_b32 s0, lit(1)", {0xbe8003ff, 1}},
        {"s_mov_b64 s[0:1], lit(0x10)", {0xbe8004ff, 0x10}},
        {"v_cmp_t_f32 vcc, v0, v1", {0x7c1e0300}},
    });
}

TEST(Assemble, OtherNamesOfAnOpcodeGiveTheSameWords) {
    EXPECT_EQ(words("v_cmp_lg_i32 vcc, v0, v1"), words("v_cmp_ne_i32 vcc, v0, v1"));
    EXPECT_EQ(words("v_cmp_tru_i64 vcc, v[0:1], v[2:3]"), words("v_cmp_t_i64 vcc, v[0:1], v[2:3]"));
    EXPECT_EQ(words("v_mad_f32_e64 v0, v1, v2, v3"), words("v_mad_f32 v0, v1, v2, v3"));
    EXPECT_EQ(words("s_mov_b32 s0, vccz"), words("s_mov_b32 s0, src_vccz"));
}

TEST(Assemble, BranchesGoToLabelsForwardAndBack) {
    check({{"start:\n"
            "  s_nop 0\n"
            "  s_cbranch_scc0 end   // over one instruction of two words\n"
            "  s_mov_b32 s0, 0x1234 ; a literal\n"
            "  s_branch start /* back */\n"
            "end: s_endpgm\n",
            {0xbf800000, 0xbf840003, 0xbe8003ff, 0x1234, 0xbf82fffb, 0xbf810000}},
           {"s_branch .\ns_branch .+8\n", {0xbf82ffff, 0xbf820001}},
           {"a: b: s_cbranch_i_fork s[2:3], a", {0xb882ffff}}});
}

TEST(Assemble, LabelsAndExpressionsAreOperands) {
    check({
        {".set size, 4*3\ns_mov_b32 s0, size+1\n", {0xbe80038d}},
        {"size = (1<<16)|0xff\ns_mov_b32 s0, size", {0xbe8003ff, 0x100ff}},
        // A label is a literal regardless of its value: sizes do not depend on values.
        {"s_mov_b32 s0, end-begin\nbegin: s_nop 0\nend:", {0xbe8003ff, 4, 0xbf800000}},
        {"s_add_u32 s0, s0, table\ntable: .long 7", {0x8000ff00, 8, 7}},
        {"s_mov_b32 s0, later\n.set later, 3", {0xbe8003ff, 3}},
        {"x = 1\ns_mov_b32 s0, x\nx = 2\ns_mov_b32 s0, x", {0xbe800381, 0xbe800382}},
        {"s_movk_i32 s0, ~(5-3)&0xff", {0xb00000fd}},
        {"v_mov_b32 v[2*3], v[1+1]", {0x7e0c0302}},
        {"s_load_dword s0, s[2:3], 17%5/2", {0xc0000301}},
        {"s_mov_b32 s0, -0x80000000>>60", {0xbe80038f}},
        {"s_mov_b32 s0, 0b101^1", {0xbe800384}},
    });
}

// What llvm-mc -mcpu=tahiti makes of the same lines.
TEST(Assemble, OperatorsBindAndComputeAsInLlvm) {
    const auto is = [](const char* expression, uint32_t value) {
        const std::string line = std::string("s_mov_b32 s0, ") + expression;
        const auto number = static_cast<int32_t>(value);
        if (number >= -16 && number <= 64)
            check({{line.c_str(), {0xbe800300 | (number < 0 ? 192u - value : 128u + value)}}});
        else
            check({{line.c_str(), {0xbe8003ff, value}}});
    };
    is("6&3+1", 3);
    is("1<<2+1", 5);
    is("4+3&1", 5);
    is("1|6&3", 3);
    is("1 << 70", 0);
    is("~0 >> 63", 1);
    is("-0x80000000>>60", 15);
    is("1 == 1", ~0u);
    is("1|2==2", 0);
    is("1+2<4", ~0u);
    is("2 <= 1", 0);
    is("2 > 1", ~0u);
    is("2 >= 3", 0);
    is("2 != 3", ~0u);
    is("5 <> 5", 0);
    is("0xffffffffffffffff < 0", ~0u);
    is("1 < 2 < 3", ~0u);
    is("2 && 3", 1);
    is("1 || 0 && 0", 1);
    is("2 == 2 && 3 == 4", 0);
    is("!5", 0);
    is("!0", 1);
    is("!1+1", 1);
    is("5 ! 3", ~2u);
}

TEST(Assemble, NumbersAreOctalHexadecimalFractionsAndCharacters) {
    check({
        {"s_mov_b32 s0, 017", {0xbe80038f}},
        {"s_mov_b32 s0, 00", {0xbe800380}},
        {"s_mov_b32 s0, 0777", {0xbe8003ff, 0x1ff}},
        {"s_mov_b32 s0, 'a' ; 'b'", {0xbe8003ff, 0x61}},
        {"s_mov_b32 s0, '\\n'", {0xbe80038a}},
        {"s_mov_b32 s0, '\\''", {0xbe8003a7}},
        {"s_mov_b32 s0, '\\0'", {0xbe8003b0}},
        {"s_mov_b32 s0, ';' // '", {0xbe8003bb}},
        {"s_mov_b32 s0, '\"'+1", {0xbe8003a3}},
        {"s_mov_b32 s0, 0x1.8p1", {0xbe8003ff, 0x40400000}},
        {"s_mov_b32 s0, 0x1p-2", {0xbe8003ff, 0x3e800000}},
    });
}

TEST(Assemble, DirectivesPlaceData) {
    check({
        {".long 1, -1, 0xffffffff, 1.5", {1, 0xffffffff, 0xffffffff, 0x3fc00000}},
        {".byte 1, 2, 255, -1\n.short 0x1234, -2", {0xffff0201, 0xfffe1234}},
        {".quad 0x123456789abcdef0", {0x9abcdef0, 0x12345678}},
        {".fill 2, 4, 0xbf800000\n.fill 3\n.byte 1", {0xbf800000, 0xbf800000, 0x01000000}},
        {"s_nop 1\n.p2align 4\ns_endpgm",
         {0xbf800001, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf810000}},
        {".byte 7\n.balign 8", {7, 0xbf800000}},
        {".amdgcn_target \"amdgcn-amd-amdhsa--gfx600\"\n.section .text,\"ax\",@progbits\ns_nop 0",
         {0xbf800000}},
        {".text\n.globl f\n.type f,@function\nf: s_endpgm\n.size f, .-f\n# a comment",
         {0xbf810000}},
        {"s_nop 0 /* one\n two */ s_nop 1\n", {0xbf800000, 0xbf800001}},
        {"\r\n s_nop 0\r\n\t\r\n", {0xbf800000}},
    });
    EXPECT_TRUE(words("").empty());
}

TEST(Assemble, LabelsAreListedWithTheirOffsets) {
    const Assembly assembly = assemble("a:\n s_mov_b32 s0, 0x1234\nb: c:\n");
    const std::vector<std::pair<std::string, uint64_t>> expected = {{"a", 0}, {"b", 8}, {"c", 8}};
    EXPECT_EQ(assembly.labels, expected);
}

struct Refusal {
    const char* text;
    unsigned line, column;
    const char* message;  // a part of it
};

TEST(Assemble, RefusalsNamePlaceAndReason) {
    const Refusal cases[] = {
        {"v_add_f23 v0, v1, v2", 1, 1, "unknown instruction \"v_add_f23\""},
        {"\n  v_add_f32_e46 v0, v1, v2", 2, 3, "unknown instruction"},
        {"v_mad_f32_e32 v0, v1, v2, v3", 1, 1, "no 32-bit encoding"},
        {"v_madmk_f32_e64 v0, v1, 1, v2", 1, 1, "no 64-bit vector encoding"},
        {"s_mov_b32_e64 s0, s1", 1, 1, "no 64-bit vector encoding"},
        {"v_add_f32 v0, v1", 1, 17, "expected an operand, got the end of the line"},
        {"v_add_f32 v0,, v1, v2", 1, 14, "expected an operand, got \",\""},
        {"v_add_f32 v0, v1, v2, v3", 1, 23, "unknown modifier \"v3\""},
        {"s_mov_b32 s0, s1, s2", 1, 19, "unexpected \"s2\""},
        {"ds_read_b32 v0, v1 offset:4,", 1, 28, "a comma behind the last modifier"},
        {"s_waitcnt vmcnt(0),", 1, 20, "expected a counter"},
        {"s_waitcnt vmcnt(0) &", 1, 21, "expected a counter"},
        {"s_barrier,", 1, 10, "unexpected \",\""},
        {"v_mul_i32_i24_e64 v0, -v1, v2", 1, 23, "takes no negation or absolute value here"},
        {"v_mov_b32_e64 v0, |v1|", 1, 19, "takes no negation or absolute value here"},
        {"v_ldexp_f32_e64 v0, v1, -v2", 1, 25, "takes no negation or absolute value here"},
        {"v_and_b32_e64 v0, v1, v2 clamp", 1, 26, "v_and_b32 takes no clamp"},
        {"v_mul_lo_u32 v0, v1, v2 mul:2", 1, 25, "v_mul_lo_u32 takes no output modifier"},
        {"v_mad_f32 v0, v1, v2, v3 src2:1", 1, 26, "src2 is an operand of v_mad_f32"},
        {"v_cndmask_b32_e64 v0, v1, v2, vcc src2:1", 1, 35, "src2 is an operand"},
        {"v_mul_f32_e64 v0, v1, v2 src2:512", 1, 31, "src2 is 512, expected 0 to 511"},
        {"v_add_f32 v0, v1, v256", 1, 19, "the last one is v255"},
        {"s_mov_b32 s104, s0", 1, 11, "the last one is s103"},
        {"s_mov_b32 ttmp12, s0", 1, 11, "the last one is ttmp11"},
        {"s_mov_b64 s[1:2], s[4:5]", 1, 11, "starts at an even number"},
        {"s_load_dwordx4 s[2:5], s[4:5], 0", 1, 16, "starts at a multiple of four"},
        {"s_mov_b64 s[2:3], s4", 1, 19, "expected 2 registers (s[2n:2n+1]), got 1"},
        {"s_mov_b64 s[3:2], s4", 1, 11, "the last register of the range comes before"},
        {"s_mov_b32 v0, s0", 1, 11, "expected a scalar register"},
        {"v_mov_b32 s0, v0", 1, 11, "expected a vector register"},
        {"s_mov_b32 scc, s0", 1, 11, "expected a scalar register"},
        {"s_mov_b32 s0, v0", 1, 15, "a vector register cannot stand here"},
        {"s_mov_b32 s0, 0x100000000", 1, 15, "does not fit 32 bits"},
        {"s_mov_b64 s[0:1], 1.5", 1, 19, "64-bit integer operand takes no floating-point"},
        {"v_cvt_f32_f64 v0, 0.1", 1, 19, "only the upper 32 bits"},
        {"v_add_f32 v0, 1e60, v1", 1, 15, "outside the range of 32-bit floats"},
        {"v_add_f32 v0, 1e999, v1", 1, 15, "number out of range"},
        {"v_mad_f32 v0, v1, 0x1234, v2", 1, 19, "no literal constant fits here"},
        {"v_add_f32 v0, v1, 0x1234", 1, 19, "no literal constant fits here"},
        {"s_add_u32 s0, 0x1234, 0x1235", 1, 23, "one literal constant at most"},
        {"v_add_f32_e32 v0, v1, s2", 1, 23, "expected a vector register"},
        {"v_add_f32_e32 v0, -v1, v2", 1, 19, "64-bit vector encoding only"},
        {"s_mov_b32 s0, -s1", 1, 15, "64-bit vector encoding only"},
        {"v_mad_f32 v0, s1, s2, v3", 1, 19, "one scalar register or one literal"},
        {"v_cndmask_b32 v0, s0, v1, vcc", 1, 27, "one scalar register or one literal"},
        {"v_add_i32 v0, s[0:1], |v1|, v2", 1, 23, "no room for an absolute value"},
        {"v_add_i32 v0, s[0:1], v1, v2 clamp", 1, 30, "no room for clamp"},
        {"v_add_f32 v0, v1, v2 mul:3", 1, 22, "mul:2, mul:4 and div:2"},
        {"v_add_f32 v0, v1, v2 clamp clamp", 1, 28, "clamp given twice"},
        {"v_add_f32 v0, v1, v2 mul:2 div:2", 1, 28, "the output modifier is given twice"},
        {"v_add_f32 v0, v1, v2 mul:2 mul:4", 1, 28, "the output modifier is given twice"},
        {"v_rcp_f32_e64 v0, v1 src2:0x80 src2:0x80", 1, 32, "src2 given twice"},
        {"s_endpgm,", 1, 9, "trailing comma"},
        {"v_add_f32 v0, v1, v2 clmap", 1, 22, "unknown modifier \"clmap\""},
        {"s_waitcnt vmcnt(16)", 1, 17, "vmcnt is 16, expected 0 to 15"},
        {"s_waitcnt vmcnt(1) vmcnt(2)", 1, 20, "vmcnt given twice"},
        {"s_waitcnt vncnt(1)", 1, 11, "unknown counter"},
        {"s_getreg_b32 s0, hwreg(HW_REG_MOD)", 1, 24, "unknown hardware register"},
        {"s_getreg_b32 s0, hwreg(1, 0, 33)", 1, 30, "the width is 33, expected 1 to 32"},
        {"s_load_dword s0, s[2:3], 256", 1, 26, "the offset is 256, expected 0 to 255"},
        {"v_interp_mov_f32 v0, p30, attr0.x", 1, 22, "expected p10, p20 or p0"},
        {"v_interp_p1_f32 v0, v1, attr0.q", 1, 25, "expected an attribute channel"},
        {"v_interp_p1_f32 v0, v1, attr64.x", 1, 25, "expected an attribute channel"},
        {"exp mrt8 v0, v0, v0, v0", 1, 5, "unknown export target"},
        {"exp mrt0 v0, v1, v2, v3 compr", 1, 14, "name the same register"},
        {"buffer_load_dword v0, v1, s[0:3], 0", 1, 23, "address registers need offen"},
        {"buffer_load_dword v0, off, s[0:3], 0 offen", 1, 36, "in place of \"off\""},
        {"buffer_load_dword v0, v1, s[0:3], 0 addr64", 1, 23, "expected 2 registers"},
        {"buffer_load_dword v0, off, s[0:3], 100", 1, 36, "no literal constant fits here"},
        {"buffer_load_dword v0, off, s[0:3], 0 offset:4096", 1, 45, "offset is 4096"},
        {"tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_DATA_FORMAT_9]", 1, 50,
         "unknown buffer format"},
        {"image_load v[0:1], v[4:5], s[0:7] dmask:0xf", 1, 12, "expected 4 registers"},
        {"image_load v0, v0, s[0:3] dmask:1", 1, 20, "expected 8 registers"},
        {"ds_read_b32 v0, v1 offset0:1", 1, 20, "unknown modifier \"offset0\""},
        {"ds_read2_b32 v[0:1], v1 offset:1", 1, 25, "unknown modifier \"offset\""},
        {"ds_swizzle_b32 v0, v1 offset:swizzle(QUAD_PREM,0,1,2,3)", 1, 38, "unknown swizzle mode"},
        {"s_branch nowhere", 1, 10, "unknown symbol or register \"nowhere\""},
        {"s_branch 65536", 1, 10, "does not fit 16 bits"},
        {"a: .byte 1\n.byte 2,3,4\n s_branch a+2", 3, 11, "not at a multiple of 4"},
        {"a: .fill 40000, 4\n s_branch a", 2, 11, "a branch reaches"},
        {"a:\na:", 2, 1, "\"a\" is defined twice"},
        {"b:\na = b+1", 2, 5, "must not depend on labels"},
        {"s_mov_b32 s0, 1/0", 1, 16, "division by zero"},
        {"s_mov_b32 s0, 08", 1, 15, "not an octal number"},
        {"s_mov_b32 s0, 'ab'", 1, 15, "not a character constant"},
        {"s_mov_b32 s0, 0x1.8", 1, 15, "ends with p and an exponent"},
        {"s_mov_b32 s0, 0xg", 1, 15, "not a number"},
        {"s_mov_b32 s0, (1", 1, 17, "expected \")\""},
        {"s_mov_b32 s0, \"a", 1, 15, "the closing quote is missing"},
        {"s_mov_b32 s0, \x80", 1, 15, "a character that has no meaning here"},
        {".byte 256", 1, 7, "the value is 256"},
        {".byte 1\ns_nop 0", 2, 1, "a multiple of 4 bytes"},
        {".lnog 1", 1, 1, "unknown directive"},
        {".section .rodata", 1, 10, "only section .text"},
        {".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"", 1, 16, "made for gfx600"},
        {".p2align 17", 1, 10, "expected 0 to 16"},
        {".fill x\nx:", 1, 7, "must not depend on labels"},
        {".fill 0x4000001", 1, 7, "the count is"},
        {"s_nop 0\n /* open", 2, 2, "the comment is not closed"},
        {"5", 1, 1, "expected an instruction"},
    };
    for (const Refusal& c : cases) {
        const Assembly assembly = assemble(c.text);
        ASSERT_EQ(assembly.errors.size(), 1u) << c.text;
        const AssemblyError& error = assembly.errors[0];
        EXPECT_EQ(error.line, c.line) << c.text << ": " << error.message;
        EXPECT_EQ(error.column, c.column) << c.text << ": " << error.message;
        EXPECT_NE(error.message.find(c.message), std::string::npos)
            << c.text << ": " << error.message;
    }
}

TEST(Assemble, EveryErrorOfATextIsReportedInOrder) {
    std::string text;
    for (unsigned i = 0; i < 300; ++i) {
        text += i % 3 == 0 ? "s_nop 0\n" : i % 3 == 1 ? "s_nop\n" : "x_nop 0\n";
    }
    const Assembly assembly = assemble(text);
    ASSERT_EQ(assembly.errors.size(), 200u);
    for (unsigned i = 0; i < 200; ++i) {
        EXPECT_EQ(assembly.errors[i].line, i / 2 * 3 + 2 + i % 2);
    }
    EXPECT_EQ(assembly.bytes.size(), 400u) << "what is right is assembled";
}

TEST(Assemble, UnknownNamesComeWithWhatIsKnown) {
    const AssemblyError error = assemble("v_ad_f32 v0, v1, v2").errors.at(0);
    EXPECT_EQ(error.unknown, "v_ad_f32");
    ASSERT_NE(error.known, nullptr);
    EXPECT_GE(error.known->size(), kOpCount);
    const AssemblyError symbol = assemble("here: s_branch heer").errors.at(0);
    ASSERT_NE(symbol.known, nullptr);
    EXPECT_EQ(*symbol.known, std::vector<std::string>{"here"});
}

TEST(Assemble, OutputIsLimited) {
    std::string text;
    for (unsigned i = 0; i < 20; ++i) {
        text += ".fill 0x100000, 8\n";
    }
    const Assembly assembly = assemble(text);
    ASSERT_EQ(assembly.errors.size(), 1u);
    EXPECT_EQ(assembly.errors[0].line, 9u);
    EXPECT_EQ(assembly.bytes.size(), kMaxAssemblyBytes);
}

TEST(Assemble, DeepNestingIsRefused) {
    const std::string open(100000, '(');
    const Assembly assembly = assemble("s_mov_b32 s0, " + open);
    ASSERT_EQ(assembly.errors.size(), 1u);
    EXPECT_EQ(assembly.errors[0].message, "nested too deeply");
    EXPECT_EQ(assemble("s_mov_b32 s0, " + std::string(100000, '~') + "0").errors.size(), 1u);
}

TEST(Assemble, RandomTextNeverCrashes) {
    const char* const pieces[] = {
        "v_add_f32", "s_mov_b64", "v0",       "s[2:3]",   "[",          "]",
        "|",         "-",         ",",        "0x",       "1.5",        "abs(",
        ")",         ":",         "vcc",      "off",      "lds",        "mul:2",
        "\n",        "hwreg(",    "sendmsg(", "format:[", "exp",        "attr0.x",
        ".fill",     "label",     "label:",   "=",        "image_load", "buffer_load_dword",
        " ",         "\"",        "/*",       "*/",       "\x01",       "99999999999999999999",
        "ttmp[0:1]"};
    test::Random random(5);
    size_t errors = 0;
    for (unsigned i = 0; i < 20000; ++i) {
        std::string text;
        for (unsigned n = random.below(12); n > 0; --n) {
            text += pieces[random.below(std::size(pieces))];
            text += random.coin() ? " " : "";
        }
        for (const AssemblyError& error : assemble(text).errors) {
            EXPECT_FALSE(error.message.empty());
            EXPECT_GE(error.line, 1u);
            EXPECT_GE(error.column, 1u);
            ++errors;
        }
    }
    EXPECT_GT(errors, 10000u);
}

TEST(DisassembleExact, TextThatWouldGiveOtherWordsIsReplaced) {
    const auto exact = [](uint32_t low, uint32_t high) {
        const uint32_t w[2] = {low, high};
        return disassemble_exact(decode(w, 2), 0x100);
    };
    EXPECT_EQ(exact(0x7e000280, 0), "v_mov_b32_e32 v0, 0");
    EXPECT_EQ(exact(0xbe8003ff, 0x40), ".long 0xbe8003ff, 0x00000040  // s_mov_b32 s0, 0x40");
    EXPECT_EQ(exact(0xbf8cc07f, 0), "s_waitcnt 0xc07f  // s_waitcnt lgkmcnt(0)");
    EXPECT_EQ(exact(0xbf8a0005, 0), ".long 0xbf8a0005  // s_barrier; without text: simm16 0x5");
    EXPECT_EQ(exact(0xd8d90000, 0x00001200),
              ".long 0xd8d90000, 0x00001200  // ds_read_b32 v0, v0; "
              "without text: data0 0x12, reserved bit 16");
    EXPECT_EQ(exact(0xd2069000, 0x00020501),
              ".long 0xd2069000, 0x00020501  // v_add_f32_e64 v0, v1, v2; "
              "without text: reserved bit 12, reserved bit 15")
        << "sdst is there in other opcodes only";
    EXPECT_EQ(exact(0xd24aea00, 0x00020501),
              ".long 0xd24aea00, 0x00020501  // v_add_i32_e64 v0, vcc, v1, v2; "
              "without text: reserved bit 15");
    EXPECT_EQ(exact(0xf4001234, 0),
              ".long 0xf4001234  // illegal: no encoding has these upper bits");
    EXPECT_EQ(exact(0xd2100000, 0x02020501), "v_mul_f32_e64 v0, v1, v2 src2:0x80");
    EXPECT_EQ(exact(0xd3000000, 0x02010080), "v_nop_e64 src0:0x80 src1:0x80 src2:0x80");
    EXPECT_EQ(exact(0xd2008000, 0x02020501),
              ".long 0xd2008000, 0x02020501  // illegal: operand code 128 is reserved here")
        << "src2 is the mask";
    EXPECT_EQ(exact(0xbf82fffb, 0), "s_branch -5  // 0xf0");
}

}  // namespace
}  // namespace archipelago::isa::assemble_test
