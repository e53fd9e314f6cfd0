// SPDX-License-Identifier: Apache-2.0
// Commas, suffixes and modifiers: statements changed in every place, each taken or refused as LLVM
// does, with the same words.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "models/cu/isa/assemble.h"
#include "models/cu/isa/isa.h"
#include "testbenches/unit/isa/llvm_mc.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::isa::llvm_syntax_test {
namespace {

// Mnemonic, operands and modifiers apart by blanks; a comma is a piece of its own.
const char* const kStatements[] = {
    "s_mov_b32 s0 , s1",
    "s_mov_b64 s[0:1] , s[2:3]",
    "s_add_u32 s0 , s1 , 0x1234",
    "s_cmp_eq_u32 s0 , -1",
    "s_movk_i32 s0 , 0x12",
    "s_getreg_b32 s0 , hwreg(1,0,32)",
    "s_setreg_b32 hwreg(1,0,32) , s0",
    "s_setreg_imm32_b32 hwreg(1) , 0x12",
    "s_nop 1",
    "s_endpgm",
    "s_barrier",
    "s_waitcnt vmcnt(0) & lgkmcnt(0)",
    "s_waitcnt vmcnt(0) , lgkmcnt(0)",
    "s_waitcnt 0x7f",
    "s_sendmsg sendmsg(MSG_GS,GS_OP_EMIT,1)",
    "s_branch 5",
    "s_cbranch_i_fork s[2:3] , 4",
    "s_setpc_b64 s[0:1]",
    "s_load_dword s0 , s[2:3] , 0x4",
    "s_load_dwordx4 s[0:3] , s[4:5] , s6",
    "s_memtime s[0:1]",
    "s_dcache_inv",
    "v_nop",
    "v_mov_b32 v0 , v1",
    "v_readfirstlane_b32 s0 , v1",
    "v_readlane_b32 s0 , v1 , s2",
    "v_writelane_b32 v0 , s1 , 3",
    "v_add_f32 v0 , v1 , v2",
    "v_add_f32 v0 , -v1 , |v2| clamp mul:2",
    "v_add_f32 v0 , abs(v1) , neg(1.0)",
    "v_and_b32 v0 , v1 , v2",
    "v_add_i32 v0 , vcc , v1 , v2",
    "v_addc_u32 v0 , vcc , v1 , v2 , vcc",
    "v_cndmask_b32 v0 , v1 , -v2 , s[0:1]",
    "v_madmk_f32 v0 , v1 , 0x12345678 , v2",
    "v_madak_f32 v0 , v1 , v2 , 0x12345678",
    "v_cmp_eq_f32 vcc , v0 , v1",
    "v_cmp_eq_u32 s[0:1] , v0 , v1",
    "v_mad_f32 v0 , v1 , -v2 , v3 clamp mul:4",
    "v_mad_u32_u24 v0 , v1 , v2 , v3",
    "v_mul_lo_u32 v0 , v1 , v2",
    "v_ldexp_f32 v0 , v1 , v2",
    "v_cvt_u32_f32 v0 , -v1",
    "v_interp_p1_f32 v0 , v1 , attr0.x",
    "v_interp_mov_f32 v0 , p10 , attr0.x",
    "ds_read_b32 v0 , v1",
    "ds_read_b32 v0 , v1 offset:4 gds",
    "ds_read2_b32 v[0:1] , v1 offset0:1 offset1:2",
    "ds_swizzle_b32 v0 , v1 offset:swizzle(SWAP,16)",
    "buffer_load_dword v0 , off , s[0:3] , 0",
    "buffer_load_dword v0 , v1 , s[0:3] , s4 offen offset:4 glc",
    "buffer_load_dword v0 , v[1:2] , s[0:3] , 0 idxen offen offset:4 glc slc",
    "buffer_load_dword off , s[0:3] , 0 offset:4 lds",
    "buffer_wbinvl1",
    "tbuffer_load_format_x v0 , off , s[0:3] , dfmt:2 , nfmt:3 , 0 offset:4 glc",
    "image_load v[0:3] , v[4:7] , s[0:7] dmask:0xf unorm glc",
    "image_sample v[0:3] , v[4:7] , s[0:7] , s[8:11] dmask:0xf",
    "exp mrt0 v0 , v0 , v1 , v1 done compr vm",
    "exp pos0 v0 , off , v1 , off",
};

// One at the end of each statement that has it not. Left out: modifiers whose combinations go
// beyond LLVM (README.md), and compr, with which LLVM reads two of the four registers.
const char* const kModifiers[] = {"clamp",      "mul:1",        "mul:2",     "div:2", "offset0:1",
                                  "gds",        "dmask:1",      "unorm",     "da",    "r128",
                                  "done",       "vm",           "dlc",       "scc",   "glc ,",
                                  "nfmt:1 , ,", "op_sel:[0,0]", "row_mask:1"};

using Pieces = std::vector<std::string>;

std::string joined(const Pieces& pieces) {
    std::string text;
    for (const std::string& piece : pieces) {
        text += (text.empty() ? "" : " ") + piece;
    }
    return text;
}

void change_commas(const Pieces& pieces, std::set<std::string>& out) {
    Pieces none;
    for (size_t i = 0; i < pieces.size(); ++i) {
        Pieces changed = pieces;
        if (pieces[i] == ",") {
            changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
            out.insert(joined(changed));
        } else {
            none.push_back(pieces[i]);
        }
        changed = pieces;
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i) + 1, ",");
        out.insert(joined(changed));
    }
    out.insert(joined(none));
    out.insert(joined(pieces) + " , ,");
}

std::vector<std::string> changed_statements() {
    std::set<std::string> out;
    for (const char* statement : kStatements) {
        Pieces pieces;
        std::istringstream words(statement);
        for (std::string word; words >> word;) {
            pieces.push_back(word);
        }
        change_commas(pieces, out);
        const std::string name = pieces[0];
        for (const char* suffix : {"", "_e32", "_e64", "_e46"}) {
            pieces[0] = name + suffix;
            out.insert(joined(pieces));
            for (const char* modifier : kModifiers) {
                const std::string key = std::string(modifier).substr(0, 3);
                if (std::string(statement).find(" " + key) == std::string::npos) {
                    out.insert(joined(pieces) + " " + modifier);
                }
            }
        }
    }
    return {out.begin(), out.end()};
}

TEST(LlvmSyntax, ChangedStatementsAreTakenOrRefusedAsLlvmDoes) {
    const std::string llvm_mc = "/usr/bin/llvm-mc-15";
    if (!std::filesystem::exists(llvm_mc)) {
        GTEST_SKIP() << "llvm-mc-15 is not installed";
    }
    const std::vector<std::string> lines = changed_statements();
    const test::LlvmAssembly llvm = test::llvm_assemble(llvm_mc, lines);
    size_t taken = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
        const Assembly ours = assemble(lines[i]);
        const auto found = llvm.words.find(i);
        ASSERT_EQ(ours.errors.empty(), found != llvm.words.end())
            << lines[i] << (ours.errors.empty() ? "" : "\n" + ours.errors[0].message);
        if (found == llvm.words.end()) {
            continue;
        }
        std::vector<uint32_t> words(ours.bytes.size() / 4);
        std::memcpy(words.data(), ours.bytes.data(), ours.bytes.size());
        EXPECT_EQ(words, found->second) << lines[i];
        ++taken;
    }
    EXPECT_GT(lines.size(), 3500u);
    EXPECT_GT(taken, 350u);
}

// ---- every opcode -------------------------------------------------------------------------------

// A statement with a modifier more, or with an operand modified.
struct Modified {
    std::string line;
    std::string with;
    const OpInfo* info;
};

// A modifier after the others.
void add_modified(const std::string& text, const OpInfo& info, std::vector<Modified>& out) {
    for (const char* modifier :
         {"clamp", "mul:2", "div:2",  "offset:4", "offset0:1", "offset1:2", "gds", "dmask:1",
          "unorm", "da",    "r128",   "lwe",      "tfe",       "glc",       "slc", "lds",
          "offen", "idxen", "addr64", "dfmt:2",   "nfmt:3",    "done",      "vm",  "high"}) {
        const std::string name = std::string(modifier).substr(0, std::string(modifier).find(':'));
        if ((text + " ").find(" " + name + " ") == std::string::npos &&
            text.find(" " + name + ":") == std::string::npos) {
            out.push_back({text + " " + modifier, modifier, &info});
        }
    }
}

// Each operand that is not modified yet; blanks and commas are between them.
void modify_operands(const std::string& text, const OpInfo& info, std::vector<Modified>& out) {
    for (size_t at = text.find(' '); at != std::string::npos && at < text.size();) {
        at = text.find_first_not_of(", ", at);
        size_t end = at;
        for (int depth = 0; end < text.size(); ++end) {
            const char c = text[end];
            if (depth == 0 && (c == ',' || c == ' ')) {
                break;
            }
            depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
        }
        const std::string operand = text.substr(at, end - at);
        if (operand.find_first_of("|-(") == std::string::npos) {
            const std::string front = text.substr(0, at), behind = text.substr(end);
            for (const auto& [before, after] :
                 {std::pair("-", ""), std::pair("|", "|"), std::pair("abs(", ")"),
                  std::pair("neg(", ")"), std::pair("-|", "|")}) {
                out.push_back({front + before + operand + after + behind, before, &info});
            }
        }
        at = end;
    }
}

// README.md and llvm_differences.txt: what goes beyond LLVM.
bool goes_beyond(const Modified& m) {
    const bool buffer = m.info->format == Format::Mubuf || m.info->format == Format::Mtbuf;
    const bool addressed = m.with == "offen" || m.with == "idxen" || m.with == "addr64";
    return (buffer && (addressed || m.with == "tfe")) ||
           (m.info->mem == MemKind::ImageStore && m.with == "tfe");
}

// The last modifier of a statement at every place.
std::vector<std::string> other_places(const std::string& line) {
    std::vector<std::string> out;
    const size_t last = line.rfind(' ');
    const std::string front = line.substr(0, last), modifier = line.substr(last);
    for (size_t p = front.rfind(' '); p != std::string::npos && p != 0 && front[p - 1] != ',';
         p = front.rfind(' ', p - 1)) {
        out.push_back(front.substr(0, p) + modifier + front.substr(p));
    }
    return out;
}

TEST(LlvmSyntax, NoOpcodeTakesAModifierThatLlvmRefuses) {
    const std::string llvm_mc = "/usr/bin/llvm-mc-15";
    if (!std::filesystem::exists(llvm_mc)) {
        GTEST_SKIP() << "llvm-mc-15 is not installed";
    }
    std::vector<Modified> modified;
    for (const test::Sample& s : test::all_samples(1, 7)) {
        const OpInfo& info = op_info(s.op);
        if (!info.has(kOpLlvmRefuses)) {
            const std::string text = disassemble(decode(s.words, s.dwords), 0);
            add_modified(text, info, modified);
            modify_operands(text, info, modified);
        }
    }
    // LLVM is asked only about what is taken here, regardless of where the modifier stands.
    std::vector<std::string> lines;
    for (const Modified& m : modified) {
        if (goes_beyond(m)) {
            continue;
        }
        std::vector<std::string> places = other_places(m.line);
        places.push_back(m.line);
        for (const std::string& place : places) {
            if (assemble(place).errors.empty()) {
                lines.push_back(place);
            }
        }
    }
    const test::LlvmAssembly llvm = test::llvm_assemble(llvm_mc, lines);
    for (size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(llvm.words.count(i), 1u) << lines[i];
    }
    EXPECT_GT(modified.size(), 30000u);
    EXPECT_GT(llvm.words.size(), 2000u);
}

// ---- order, case, vcc ---------------------------------------------------------------------------

// Statements with the modifiers that they take, and some that they do not.
struct Ordered {
    const char* front;
    std::vector<const char*> modifiers;
};
const Ordered kOrdered[] = {
    {"v_add_f32 v0, v1, v2", {"clamp", "mul:2", "div:2"}},
    {"v_mad_f32 v0, v1, v2, v3", {"clamp", "mul:4"}},
    {"v_cmp_eq_f32 s[0:1], v0, v1", {"clamp", "mul:2"}},
    {"ds_read_b32 v0, v1", {"offset:4", "gds"}},
    {"ds_read2_b32 v[0:1], v1", {"offset0:1", "offset1:2", "gds"}},
    {"ds_write2_b32 v1, v2, v3", {"offset0:1", "offset1:2", "gds"}},
    {"buffer_load_dword v0, v1, s[0:3], s4", {"offen", "offset:4", "glc", "slc"}},
    {"buffer_load_dword v0, v1, s[0:3], s4", {"idxen", "offset:4", "glc", "slc"}},
    {"buffer_load_dword v0, v[1:2], s[0:3], s4", {"idxen", "offen", "offset:4", "slc"}},
    {"buffer_load_dword v0, v[1:2], s[0:3], s4", {"addr64", "offset:4", "glc"}},
    {"buffer_load_dword v0, off, s[0:3], s4", {"offset:4", "glc", "slc", "tfe"}},
    {"buffer_store_dword v0, v1, s[0:3], s4", {"offen", "offset:4", "glc", "slc"}},
    {"buffer_atomic_add v0, v1, s[0:3], s4", {"offen", "offset:4", "glc", "slc"}},
    {"tbuffer_load_format_x v0, v1, s[0:3], s4", {"format:4", "offen", "offset:4", "glc"}},
    {"tbuffer_load_format_x v0, v1, s[0:3], s4", {"dfmt:4", "nfmt:4", "idxen", "glc"}},
    {"tbuffer_load_format_x v0, off, s[0:3], dfmt:4, nfmt:4, s4", {"offset:4", "glc", "slc"}},
    {"tbuffer_load_format_x v0, off, s[0:3],", {"dfmt:4,", "nfmt:4,", "format:4,", "s4"}},
    {"image_load v[0:3], v[4:7], s[0:7]", {"dmask:0xf", "unorm", "glc", "slc", "r128", "da"}},
    {"image_load v[0:4], v[4:7], s[0:7]", {"dmask:0xf", "unorm", "slc", "tfe", "lwe", "da"}},
    {"image_sample v[0:3], v[4:7], s[0:7], s[8:11]", {"dmask:0xf", "unorm", "glc", "lwe", "da"}},
    {"exp mrt0 v0, v0, v1, v1", {"done", "compr", "vm"}},
};

// Up to four of them, in each order.
void add_orders(const Ordered& from, const std::string& line, unsigned used,
                std::vector<std::string>& out) {
    constexpr unsigned kMax = 4;
    for (unsigned i = 0; i < from.modifiers.size(); ++i) {
        const unsigned with = used | 1u << i;
        if (with == used || __builtin_popcount(with) > static_cast<int>(kMax)) {
            continue;
        }
        out.push_back(line + " " + from.modifiers[i]);
        add_orders(from, out.back(), with, out);
    }
}

const char* const kOwnRules[] = {
    "buffer_load_dword off, s[0:3], s4 offset:4 lds",
    "buffer_load_dword off, s[0:3], s4 lds offset:4",
    "buffer_load_dword off, s[0:3], s4 glc lds slc",
    "buffer_load_dword off, s[0:3], s4 lds glc",
    // mnemonics in any case, operands and modifiers as they are
    "V_MOV_B32 v0, v1",
    "v_Add_F32_E64 v0, v1, v2",
    "V_ADD_F32_e32 v0, v1, v2",
    "S_ENDPGM",
    "BUFFER_LOAD_DWORD v0, off, s[0:3], 0",
    "EXP mrt0 v0, v1, v2, v3",
    "v_add_f32 v0, v1, v2 CLAMP",
    "ds_read_b32 v0, v1 GDS",
    "exp MRT0 v0, v1, v2, v3",
    "buffer_load_dword v0, OFF, s[0:3], 0",
    "s_waitcnt VMCNT(0)",
    "v_mov_b32 V0, v1",
    // vcc that the encoding implies
    "v_cmp_eq_f32 v0, v1",
    "v_cmp_eq_f32 1.0, v1",
    "v_cmp_eq_f32 s0, v1",
    "v_cmp_eq_f32 vcc_lo, v2",
    "v_cmp_eq_f32 vcc, v2",
    "v_cmp_eq_f32 v0, s1",
    "v_cmp_eq_f32 v0, v1 clamp",
    "v_cmp_eq_f32 v0 v1",
    "v_cmp_eq_f32 v0, v1,",
    "v_cmp_eq_f32_e32 v0, v1",
    "v_cmp_eq_f32_e64 v0, v1",
    "v_cmpx_lt_i32 v0, v1",
    "v_cmp_eq_u64 vcc, v[0:1]",
    "v_cmp_eq_u64 vcc, vcc, v[0:1]",
    "v_cmp_class_f64 v[0:1], v1",
    "v_cndmask_b32 v0, v1, v2",
    "v_cndmask_b32 v0, 1, v2",
    "v_cndmask_b32 v0, s1, v2",
    "v_cndmask_b32 v0, vcc_lo, v2",
    "v_cndmask_b32 v0, v1, s2",
    "v_cndmask_b32 v0, -v1, v2",
    "v_cndmask_b32 v0, v1, v2,",
    "v_cndmask_b32_e32 v0, v1, v2",
    "v_cndmask_b32_e64 v0, v1, v2",
    "v_add_i32 v0, v1, v2",
    "v_add_i32_e64 v0, v1, v2",
    "v_addc_u32 v0, v1, v2",
    "v_addc_u32 v0, vcc, v1, v2",
    "v_addc_u32_e32 v0, v1, v2, vcc",
    "v_subb_u32_e64 v0, s[0:1], v1, v2",
    "v_div_scale_f32 v0, v1, v2, v3",
    "v_div_fmas_f32 v0, v1, v2, v3, vcc",
    // signs of constants
    "v_add_f32 v0, |1.0|, v2",
    "v_add_f32 v0, -|1.0|, v2",
    "v_add_f32 v0, neg(1.0), v2",
    "v_add_f32 v0, neg(1.0), v2 clamp",
    "v_add_f32 v0, neg(1), v2",
    "v_add_f32 v0, -abs(1), v2",
    "v_add_f32 v0, |0x80001234|, v2",
    "v_add_f32_e32 v0, neg(0x1234), v2",
    "v_add_f32_e64 v0, neg(1.0), v2",
    "v_add_f32 v0, v1, neg(1.0)",
    "v_cmp_eq_f32 vcc, |1.0|, v2",
    "v_cmp_eq_f32 |1.0|, v2",
    "v_cmp_eq_f32 neg(1), v2",
    "v_cmp_eq_f32_e32 neg(1.0), v2",
    "v_cmp_eq_f32_e32 vcc, neg(1.0), v2",
    "v_cmp_eq_f32 -1.0, v2",
    "v_max_i32 v0, |-2|, v2",
    "v_and_b32 v0, neg(1), v1",
    "v_mov_b32 v0, neg(1.0)",
    "v_cvt_f32_f16 v0, neg(1.0)",
    "v_cvt_f32_f16 v0, neg(1)",
    "v_cvt_f32_i32 v0, neg(1)",
    "v_cvt_f32_f64 v0, |-3.5|",
    "v_rcp_f64 v[0:1], neg(3.5)",
    "v_rcp_f64 v[0:1], neg(1)",
    "v_rcp_f64 v[0:1], |0x80000000|",
    "v_ldexp_f32 v0, neg(1.0), v2",
    "v_mac_f32 v0, neg(1.0), v2",
    "v_madmk_f32 v0, |1.0|, 1.0, v2",
    "v_madak_f32 v0, neg(1.0), v2, 1.0",
    "v_readlane_b32 s0, v1, neg(1)",
    "v_cndmask_b32 v0, neg(1.0), v2",
    // lit() is ours, for what has a literal alone
    "v_mov_b32 v0, lit(v1)",
    "s_mov_b32 s0, lit(s1)",
    "v_mov_b32 v0, -lit(1)",
    "v_mov_b32 v0, |lit(1)|",
    "v_mov_b32 v0, lit(lit(1))",
    "v_mov_b32_e64 v0, lit(1)",
    "s_movk_i32 s0, lit(1)",
    "s_load_dword s0, s[2:3], lit(4)",
    "ds_read_b32 v0, lit(1)",
    "buffer_load_dword v0, off, s[0:3], lit(4)",
};

TEST(LlvmSyntax, OrdersCasesAndImpliedVccAreTakenOrRefusedAsLlvmDoes) {
    const std::string llvm_mc = "/usr/bin/llvm-mc-15";
    if (!std::filesystem::exists(llvm_mc)) {
        GTEST_SKIP() << "llvm-mc-15 is not installed";
    }
    std::vector<std::string> lines(std::begin(kOwnRules), std::end(kOwnRules));
    for (const Ordered& o : kOrdered) {
        add_orders(o, o.front, 0, lines);
    }
    const test::LlvmAssembly llvm = test::llvm_assemble(llvm_mc, lines);
    for (size_t i = 0; i < lines.size(); ++i) {
        const Assembly ours = assemble(lines[i]);
        const auto found = llvm.words.find(i);
        EXPECT_EQ(ours.errors.empty(), found != llvm.words.end())
            << lines[i] << (ours.errors.empty() ? "" : "\n" + ours.errors[0].message);
        if (!ours.errors.empty() || found == llvm.words.end()) {
            continue;
        }
        std::vector<uint32_t> words(ours.bytes.size() / 4);
        std::memcpy(words.data(), ours.bytes.data(), ours.bytes.size());
        EXPECT_EQ(words, found->second) << lines[i];
    }
    EXPECT_GT(lines.size(), 1000u);
    EXPECT_GT(llvm.words.size(), 150u);
}

}  // namespace
}  // namespace archipelago::isa::llvm_syntax_test
