// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/isa/reference/salu_ops.h"

namespace archipelago::isa::reference {
namespace {

int32_t s32(uint64_t x) {
    return static_cast<int32_t>(x);
}
int64_t s64(uint64_t x) {
    return static_cast<int64_t>(x);
}
uint64_t low(uint64_t x) {
    return x & 0xffffffff;
}
// d with SCC = d != 0, of 32 and of 64 bits
uint64_t nz(Scalar& s, uint64_t d) {
    s.scc = low(d) != 0;
    return low(d);
}
uint64_t nz64(Scalar& s, uint64_t d) {
    s.scc = d != 0;
    return d;
}
uint64_t with_scc(Scalar& s, uint64_t d, bool scc) {
    s.scc = scc;
    return low(d);
}
bool overflows(int64_t x) {
    return x > INT32_MAX || x < INT32_MIN;
}
uint64_t bits_set(uint64_t x, unsigned width, bool value) {
    uint64_t n = 0;
    for (unsigned i = 0; i < width; ++i) {
        n += ((x >> i & 1) != 0) == value;
    }
    return n;
}
uint64_t reversed(uint64_t x, unsigned width) {
    uint64_t r = 0;
    for (unsigned i = 0; i < width; ++i) {
        r |= (x >> i & 1) << (width - 1 - i);
    }
    return r;
}
uint64_t lowest(uint64_t x, unsigned width, bool value) {
    for (unsigned i = 0; i < width; ++i) {
        if (((x >> i & 1) != 0) == value) {
            return i;
        }
    }
    return 0xffffffff;
}
uint64_t highest(uint64_t x, unsigned width, bool value) {  // counted from the top
    for (unsigned i = 0; i < width; ++i) {
        if (((x >> (width - 1 - i) & 1) != 0) == value) {
            return i;
        }
    }
    return 0xffffffff;
}
uint64_t other_than_sign(uint64_t x, unsigned width) {
    return highest(x, width, (x >> (width - 1) & 1) == 0);
}
uint64_t quads(uint64_t x, bool whole) {
    uint64_t r = 0;
    for (unsigned i = 0; i < 16; ++i) {
        if ((x >> (4 * i) & 15) != 0) {
            r |= whole ? uint64_t{15} << (4 * i) : uint64_t{1} << i;
        }
    }
    return r;
}
uint64_t field(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
    const unsigned offset = static_cast<unsigned>(b) & (width - 1);
    unsigned length = b >> 16 & 0x7f;
    length = offset + length > width ? width - offset : length;
    uint64_t r = 0;
    for (unsigned i = 0; i < length; ++i) {
        r |= (a >> (offset + i) & 1) << i;
    }
    if (is_signed && length != 0 && (r >> (length - 1) & 1) != 0) {
        for (unsigned i = length; i < width; ++i) {
            r |= uint64_t{1} << i;
        }
    }
    return r;
}
uint64_t mask_of(uint64_t length, uint64_t offset, unsigned width) {
    return ((uint64_t{1} << (length & (width - 1))) - 1) << (offset & (width - 1));
}
uint64_t save(Scalar& s, uint64_t exec) {
    const uint64_t old = s.exec;
    s.exec = exec;
    s.scc = exec != 0;
    return old;
}
uint64_t keep_unless(Scalar& s, uint64_t x) {
    s.write = s.scc;
    return x;
}
uint64_t flag(Scalar& s, bool scc) {
    s.scc = scc;
    return 0;
}

#define ROW(name, types, expression)                                             \
    {                                                                            \
        name, types,                                                             \
            []([[maybe_unused]] Scalar& s, [[maybe_unused]] uint64_t a,          \
               [[maybe_unused]] uint64_t b,                                      \
               [[maybe_unused]] uint64_t old) -> uint64_t { return expression; } \
    }

const std::vector<SaluOp> kTable = {
    // SOP2
    ROW("s_add_u32", "u=uu", with_scc(s, a + b, a + b > 0xffffffff)),
    ROW("s_sub_u32", "u=uu", with_scc(s, a - b, a < b)),
    ROW("s_add_i32", "u=uu", with_scc(s, a + b, overflows(int64_t{s32(a)} + s32(b)))),
    ROW("s_sub_i32", "u=uu", with_scc(s, a - b, overflows(int64_t{s32(a)} - s32(b)))),
    ROW("s_addc_u32", "u=uu", with_scc(s, a + b + s.scc, a + b + s.scc > 0xffffffff)),
    ROW("s_subb_u32", "u=uu", with_scc(s, a - b - s.scc, a < b + s.scc)),
    ROW("s_min_i32", "u=uu", with_scc(s, s32(a) < s32(b) ? a : b, s32(a) < s32(b))),
    ROW("s_min_u32", "u=uu", with_scc(s, a < b ? a : b, a < b)),
    ROW("s_max_i32", "u=uu", with_scc(s, s32(a) > s32(b) ? a : b, s32(a) > s32(b))),
    ROW("s_max_u32", "u=uu", with_scc(s, a > b ? a : b, a > b)),
    ROW("s_cselect_b32", "u=uu", s.scc ? a : b),
    ROW("s_cselect_b64", "U=UU", s.scc ? a : b),
    ROW("s_and_b32", "u=uu", nz(s, a& b)),
    ROW("s_and_b64", "U=UU", nz64(s, a& b)),
    ROW("s_or_b32", "u=uu", nz(s, a | b)),
    ROW("s_or_b64", "U=UU", nz64(s, a | b)),
    ROW("s_xor_b32", "u=uu", nz(s, a ^ b)),
    ROW("s_xor_b64", "U=UU", nz64(s, a ^ b)),
    ROW("s_andn2_b32", "u=uu", nz(s, a & ~b)),
    ROW("s_andn2_b64", "U=UU", nz64(s, a & ~b)),
    ROW("s_orn2_b32", "u=uu", nz(s, a | ~b)),
    ROW("s_orn2_b64", "U=UU", nz64(s, a | ~b)),
    ROW("s_nand_b32", "u=uu", nz(s, ~(a& b))),
    ROW("s_nand_b64", "U=UU", nz64(s, ~(a& b))),
    ROW("s_nor_b32", "u=uu", nz(s, ~(a | b))),
    ROW("s_nor_b64", "U=UU", nz64(s, ~(a | b))),
    ROW("s_xnor_b32", "u=uu", nz(s, ~(a ^ b))),
    ROW("s_xnor_b64", "U=UU", nz64(s, ~(a ^ b))),
    ROW("s_lshl_b32", "u=uu", nz(s, a << (b & 31))),
    ROW("s_lshl_b64", "U=Uu", nz64(s, a << (b & 63))),
    ROW("s_lshr_b32", "u=uu", nz(s, a >> (b & 31))),
    ROW("s_lshr_b64", "U=Uu", nz64(s, a >> (b & 63))),
    ROW("s_ashr_i32", "u=uu", nz(s, static_cast<uint64_t>(s32(a) >> (b & 31)))),
    ROW("s_ashr_i64", "U=Uu", nz64(s, static_cast<uint64_t>(s64(a) >> (b & 63)))),
    ROW("s_bfm_b32", "u=uu", mask_of(a, b, 32)),
    ROW("s_bfm_b64", "U=uu", mask_of(a, b, 64)),
    ROW("s_mul_i32", "u=uu", a* b),
    ROW("s_bfe_u32", "u=uu", nz(s, field(a, b, 32, false))),
    ROW("s_bfe_i32", "u=uu", nz(s, field(a, b, 32, true))),
    ROW("s_bfe_u64", "U=Uu", nz64(s, field(a, b, 64, false))),
    ROW("s_bfe_i64", "U=Uu", nz64(s, field(a, b, 64, true))),
    ROW("s_absdiff_i32", "u=uu", nz(s, s32(low(a - b)) < 0 ? b - a : a - b)),
    // SOP1
    ROW("s_mov_b32", "u=u", a),
    ROW("s_mov_b64", "U=U", a),
    ROW("s_cmov_b32", "u=u", keep_unless(s, a)),
    ROW("s_cmov_b64", "U=U", keep_unless(s, a)),
    ROW("s_not_b32", "u=u", nz(s, ~a)),
    ROW("s_not_b64", "U=U", nz64(s, ~a)),
    ROW("s_wqm_b32", "u=u", nz(s, quads(a, true))),
    ROW("s_wqm_b64", "U=U", nz64(s, quads(a, true))),
    ROW("s_brev_b32", "u=u", reversed(a, 32)),
    ROW("s_brev_b64", "U=U", reversed(a, 64)),
    ROW("s_bcnt0_i32_b32", "u=u", nz(s, bits_set(a, 32, false))),
    ROW("s_bcnt0_i32_b64", "u=U", nz(s, bits_set(a, 64, false))),
    ROW("s_bcnt1_i32_b32", "u=u", nz(s, bits_set(a, 32, true))),
    ROW("s_bcnt1_i32_b64", "u=U", nz(s, bits_set(a, 64, true))),
    ROW("s_ff0_i32_b32", "u=u", lowest(a, 32, false)),
    ROW("s_ff0_i32_b64", "u=U", lowest(a, 64, false)),
    ROW("s_ff1_i32_b32", "u=u", lowest(a, 32, true)),
    ROW("s_ff1_i32_b64", "u=U", lowest(a, 64, true)),
    ROW("s_flbit_i32_b32", "u=u", highest(a, 32, true)),
    ROW("s_flbit_i32_b64", "u=U", highest(a, 64, true)),
    ROW("s_flbit_i32", "u=u", other_than_sign(a, 32)),
    ROW("s_flbit_i32_i64", "u=U", other_than_sign(a, 64)),
    ROW("s_sext_i32_i8", "u=u", static_cast<uint64_t>(int64_t{static_cast<int8_t>(a)})),
    ROW("s_sext_i32_i16", "u=u", static_cast<uint64_t>(int64_t{static_cast<int16_t>(a)})),
    ROW("s_bitset0_b32", "u=u", old & ~(uint64_t{1} << (a & 31))),
    ROW("s_bitset0_b64", "U=u", old & ~(uint64_t{1} << (a & 63))),
    ROW("s_bitset1_b32", "u=u", old | uint64_t{1} << (a & 31)),
    ROW("s_bitset1_b64", "U=u", old | uint64_t{1} << (a & 63)),
    ROW("s_and_saveexec_b64", "U=U", save(s, a& s.exec)),
    ROW("s_or_saveexec_b64", "U=U", save(s, a | s.exec)),
    ROW("s_xor_saveexec_b64", "U=U", save(s, a ^ s.exec)),
    ROW("s_andn2_saveexec_b64", "U=U", save(s, a & ~s.exec)),
    ROW("s_orn2_saveexec_b64", "U=U", save(s, a | ~s.exec)),
    ROW("s_nand_saveexec_b64", "U=U", save(s, ~(a& s.exec))),
    ROW("s_nor_saveexec_b64", "U=U", save(s, ~(a | s.exec))),
    ROW("s_xnor_saveexec_b64", "U=U", save(s, ~(a ^ s.exec))),
    ROW("s_quadmask_b32", "u=u", nz(s, quads(a, false))),
    ROW("s_quadmask_b64", "U=U", nz64(s, quads(a, false))),
    ROW("s_abs_i32", "u=u", nz(s, s32(a) < 0 ? ~a + 1 : a)),
    // SOPC
    ROW("s_cmp_eq_i32", "-=uu", flag(s, a == b)),
    ROW("s_cmp_lg_i32", "-=uu", flag(s, a != b)),
    ROW("s_cmp_gt_i32", "-=uu", flag(s, s32(a) > s32(b))),
    ROW("s_cmp_ge_i32", "-=uu", flag(s, s32(a) >= s32(b))),
    ROW("s_cmp_lt_i32", "-=uu", flag(s, s32(a) < s32(b))),
    ROW("s_cmp_le_i32", "-=uu", flag(s, s32(a) <= s32(b))),
    ROW("s_cmp_eq_u32", "-=uu", flag(s, a == b)),
    ROW("s_cmp_lg_u32", "-=uu", flag(s, a != b)),
    ROW("s_cmp_gt_u32", "-=uu", flag(s, a > b)),
    ROW("s_cmp_ge_u32", "-=uu", flag(s, a >= b)),
    ROW("s_cmp_lt_u32", "-=uu", flag(s, a < b)),
    ROW("s_cmp_le_u32", "-=uu", flag(s, a <= b)),
    ROW("s_bitcmp0_b32", "-=uu", flag(s, (a >> (b & 31) & 1) == 0)),
    ROW("s_bitcmp1_b32", "-=uu", flag(s, (a >> (b & 31) & 1) == 1)),
    ROW("s_bitcmp0_b64", "-=Uu", flag(s, (a >> (b & 63) & 1) == 0)),
    ROW("s_bitcmp1_b64", "-=Uu", flag(s, (a >> (b & 63) & 1) == 1)),
    // SOPK: b is the constant, a compare reads the register named as destination
    ROW("s_movk_i32", "u=k", b),
    ROW("s_cmovk_i32", "u=k", keep_unless(s, b)),
    ROW("s_cmpk_eq_i32", "-=k", flag(s, s32(old) == s32(b))),
    ROW("s_cmpk_lg_i32", "-=k", flag(s, s32(old) != s32(b))),
    ROW("s_cmpk_gt_i32", "-=k", flag(s, s32(old) > s32(b))),
    ROW("s_cmpk_ge_i32", "-=k", flag(s, s32(old) >= s32(b))),
    ROW("s_cmpk_lt_i32", "-=k", flag(s, s32(old) < s32(b))),
    ROW("s_cmpk_le_i32", "-=k", flag(s, s32(old) <= s32(b))),
    ROW("s_cmpk_eq_u32", "-=k", flag(s, old == (b & 0xffff))),
    ROW("s_cmpk_lg_u32", "-=k", flag(s, old != (b & 0xffff))),
    ROW("s_cmpk_gt_u32", "-=k", flag(s, old > (b & 0xffff))),
    ROW("s_cmpk_ge_u32", "-=k", flag(s, old >= (b & 0xffff))),
    ROW("s_cmpk_lt_u32", "-=k", flag(s, old < (b & 0xffff))),
    ROW("s_cmpk_le_u32", "-=k", flag(s, old <= (b & 0xffff))),
    ROW("s_addk_i32", "u=k", with_scc(s, old + b, overflows(int64_t{s32(old)} + s32(b)))),
    ROW("s_mulk_i32", "u=k", old* b),
};
#undef ROW

}  // namespace

const std::vector<SaluOp>& salu_ops() {
    return kTable;
}

}  // namespace archipelago::isa::reference
