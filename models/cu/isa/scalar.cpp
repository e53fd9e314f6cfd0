// SPDX-License-Identifier: Apache-2.0
// Scalar ALU: SOP2, SOP1, SOPC and SOPK without control flow. One small function says what an
// opcode computes, a template around it fetches operands and writes results.
#include "models/cu/isa/scalar.h"

#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"

namespace archipelago::isa {
namespace {

using U32 = uint32_t;
using U64 = uint64_t;
using I32 = int32_t;
using I64 = int64_t;

constexpr U32 kNone = 0xffffffffu;  // result of the bit searches that find nothing

template <typename T>
T read(const Inst& i, const WaveState& w, unsigned slot) {
    if constexpr (sizeof(T) == 8) {
        return scalar_operand64(i, w, i.src[slot]);
    } else {
        return scalar_operand(i, w, i.src[slot]);
    }
}

inline void write(const Inst& i, WaveState& w, U32 value) {
    w.s[i.sdst] = value;
}
inline void write(const Inst& i, WaveState& w, U64 value) {
    w.set_s64(i.sdst, value);
}

// ---- shapes -------------------------------------------------------------------------------------

// D = F(S0, S1, SCC in and out)
template <typename D, typename A, typename B, D (*F)(A, B, bool&)>
void binary(const Inst& i, WaveState& w) {
    bool scc = w.scc;
    const D d = F(read<A>(i, w, 0), read<B>(i, w, 1), scc);
    write(i, w, d);
    w.scc = scc;
}

// D = F(S0, S1); SCC = D != 0
template <typename D, typename A, typename B, D (*F)(A, B)>
void binary_nz(const Inst& i, WaveState& w) {
    const D d = F(read<A>(i, w, 0), read<B>(i, w, 1));
    write(i, w, d);
    w.scc = d != 0;
}

// D = F(S0), SCC untouched
template <typename D, typename A, D (*F)(A)>
void unary(const Inst& i, WaveState& w) {
    write(i, w, F(read<A>(i, w, 0)));
}

// D = F(S0); SCC = D != 0
template <typename D, typename A, D (*F)(A)>
void unary_nz(const Inst& i, WaveState& w) {
    const D d = F(read<A>(i, w, 0));
    write(i, w, d);
    w.scc = d != 0;
}

// SCC = F(S0, S1)
template <typename A, bool (*F)(A, U32)>
void compare(const Inst& i, WaveState& w) {
    w.scc = F(read<A>(i, w, 0), read<U32>(i, w, 1));
}

// SCC = F(SDST, SIMM16); unsigned comparisons see the immediate zero extended
template <bool Signed, bool (*F)(U32, U32)>
void compare_k(const Inst& i, WaveState& w) {
    const auto k = static_cast<U32>(i.simm16);
    w.scc = F(w.s[i.sdst], Signed ? k : k & 0xffff);
}

// D = EXEC; EXEC = F(S0, EXEC); SCC = EXEC != 0
template <U64 (*F)(U64, U64)>
void save_exec(const Inst& i, WaveState& w) {
    const U64 source = read<U64>(i, w, 0);
    const U64 old = w.exec();
    const U64 next = F(source, old);
    write(i, w, old);
    w.set_exec(next);
    w.scc = next != 0;
}

// ---- arithmetic ---------------------------------------------------------------------------------

U32 add_u32(U32 a, U32 b, bool& scc) {
    scc = a + b < a;
    return a + b;
}
U32 sub_u32(U32 a, U32 b, bool& scc) {
    scc = b > a;
    return a - b;
}
U32 add_i32(U32 a, U32 b, bool& scc) {
    const U32 d = a + b;
    scc = ((a ^ d) & (b ^ d)) >> 31 != 0;
    return d;
}
U32 sub_i32(U32 a, U32 b, bool& scc) {
    const U32 d = a - b;
    scc = ((a ^ b) & (a ^ d)) >> 31 != 0;
    return d;
}
U32 addc_u32(U32 a, U32 b, bool& scc) {
    const U64 sum = U64{a} + b + scc;
    scc = sum >> 32 != 0;
    return static_cast<U32>(sum);
}
U32 subb_u32(U32 a, U32 b, bool& scc) {
    const U64 difference = U64{a} - b - scc;
    scc = difference >> 63 != 0;
    return static_cast<U32>(difference);
}
template <typename T>
U32 min(U32 a, U32 b, bool& scc) {
    scc = static_cast<T>(a) < static_cast<T>(b);
    return scc ? a : b;
}
template <typename T>
U32 max(U32 a, U32 b, bool& scc) {
    scc = static_cast<T>(a) > static_cast<T>(b);
    return scc ? a : b;
}
template <typename T>
T cselect(T a, T b, bool& scc) {
    return scc ? a : b;
}
U32 mul_i32(U32 a, U32 b, bool&) {
    return a * b;
}
U32 absdiff_i32(U32 a, U32 b) {
    // The difference wraps before its sign is looked at.
    const U32 d = a - b;
    return (d >> 31) != 0 ? 0 - d : d;
}
U32 abs_i32(U32 a) {
    return static_cast<I32>(a) < 0 ? 0u - a : a;
}

// ---- logic and shifts ---------------------------------------------------------------------------

template <typename T>
T op_and(T a, T b) {
    return a & b;
}
template <typename T>
T op_or(T a, T b) {
    return a | b;
}
template <typename T>
T op_xor(T a, T b) {
    return a ^ b;
}
template <typename T>
T op_andn2(T a, T b) {
    return a & ~b;
}
template <typename T>
T op_orn2(T a, T b) {
    return a | ~b;
}
template <typename T>
T op_nand(T a, T b) {
    return ~(a & b);
}
template <typename T>
T op_nor(T a, T b) {
    return ~(a | b);
}
template <typename T>
T op_xnor(T a, T b) {
    return ~(a ^ b);
}
template <typename T>
T op_not(T a) {
    return ~a;
}
template <typename T>
T op_mov(T a) {
    return a;
}

template <typename T>
constexpr U32 kShiftMask = sizeof(T) * 8 - 1;

template <typename T>
T lshl(T a, U32 b) {
    return a << (b & kShiftMask<T>);
}
template <typename T>
T lshr(T a, U32 b) {
    return a >> (b & kShiftMask<T>);
}
U32 ashr_i32(U32 a, U32 b) {
    return static_cast<U32>(static_cast<I32>(a) >> (b & 31));
}
U64 ashr_i64(U64 a, U32 b) {
    return static_cast<U64>(static_cast<I64>(a) >> (b & 63));
}
template <typename T>
T bfm(U32 a, U32 b, bool&) {
    return ((T{1} << (a & kShiftMask<T>)) - 1) << (b & kShiftMask<T>);
}

// The field may reach beyond the top: zeros (or the sign) come from there.
template <typename T>
T bfe_u(T a, U32 b) {
    const U32 width = b >> 16 & 0x7f;
    const T shifted = a >> (b & kShiftMask<T>);
    return width >= sizeof(T) * 8 ? shifted : shifted & ((T{1} << width) - 1);
}
template <typename T, typename S>
T bfe_i(T a, U32 b) {
    const U32 width = b >> 16 & 0x7f;
    const S shifted = static_cast<S>(a) >> (b & kShiftMask<T>);
    if (width == 0) {
        return 0;
    }
    if (width >= sizeof(T) * 8) {
        return static_cast<T>(shifted);
    }
    const unsigned up = sizeof(T) * 8 - width;
    return static_cast<T>(static_cast<S>(static_cast<T>(shifted) << up) >> up);
}

// ---- bit counting -------------------------------------------------------------------------------

template <typename T>
U32 bcnt1(T a) {
    return static_cast<U32>(__builtin_popcountll(a));
}
template <typename T>
U32 bcnt0(T a) {
    return bcnt1<T>(~a);
}
template <typename T>
U32 ff1(T a) {
    return a == 0 ? kNone : static_cast<U32>(__builtin_ctzll(a));
}
template <typename T>
U32 ff0(T a) {
    return ff1<T>(~a);
}
template <typename T>
U32 flbit(T a) {
    return a == 0 ? kNone : static_cast<U32>(__builtin_clzll(a)) - (63 - kShiftMask<T>);
}
template <typename T>
U32 flbit_i(T a) {
    return flbit<T>(a >> kShiftMask<T> != 0 ? ~a : a);
}

template <typename T>
T brev(T a) {
    T d = 0;
    for (unsigned bit = 0; bit < sizeof(T) * 8; ++bit) {
        d = d << 1 | (a >> bit & 1);
    }
    return d;
}

// Bit 4*i of the result: whether quad i of `a` has any bit.
template <typename T>
T quad_any(T a) {
    a |= a >> 1;
    a |= a >> 2;
    return a & static_cast<T>(0x1111111111111111ull);
}
template <typename T>
T wqm(T a) {
    return quad_any(a) * 15;
}
template <typename T>
T quadmask(T a) {
    const T any = quad_any(a);
    T d = 0;
    for (unsigned quad = 0; quad < sizeof(T) * 2; ++quad) {
        d |= (any >> (4 * quad) & 1) << quad;
    }
    return d;
}

template <typename T>
U32 sext(U32 a) {
    return static_cast<U32>(static_cast<T>(a));
}

template <typename T, bool Set>
void bitset(const Inst& i, WaveState& w) {
    const T bit = T{1} << (read<U32>(i, w, 0) & kShiftMask<T>);
    T d;
    if constexpr (sizeof(T) == 8) {
        d = w.s64(i.sdst);
    } else {
        d = w.s[i.sdst];
    }
    write(i, w, Set ? d | bit : d & ~bit);
}

// ---- comparisons --------------------------------------------------------------------------------

bool eq(U32 a, U32 b) {
    return a == b;
}
bool lg(U32 a, U32 b) {
    return a != b;
}
template <typename T>
bool gt(U32 a, U32 b) {
    return static_cast<T>(a) > static_cast<T>(b);
}
template <typename T>
bool ge(U32 a, U32 b) {
    return static_cast<T>(a) >= static_cast<T>(b);
}
template <typename T>
bool lt(U32 a, U32 b) {
    return gt<T>(b, a);
}
template <typename T>
bool le(U32 a, U32 b) {
    return ge<T>(b, a);
}
template <typename T, bool Value>
bool bitcmp(T a, U32 b) {
    return ((a >> (b & kShiftMask<T>)&1) != 0) == Value;
}

// ---- moves --------------------------------------------------------------------------------------

template <typename T>
void cmov(const Inst& i, WaveState& w) {
    if (w.scc) {
        write(i, w, read<T>(i, w, 0));
    }
}
void movk(const Inst& i, WaveState& w) {
    w.s[i.sdst] = static_cast<U32>(i.simm16);
}
void cmovk(const Inst& i, WaveState& w) {
    if (w.scc) {
        movk(i, w);
    }
}
void addk(const Inst& i, WaveState& w) {
    w.s[i.sdst] = add_i32(w.s[i.sdst], static_cast<U32>(i.simm16), w.scc);
}
void mulk(const Inst& i, WaveState& w) {
    w.s[i.sdst] *= static_cast<U32>(i.simm16);
}

// Relative SGPR addressing: an index outside the wave's allocation reads S0 and is not written.
bool relative_sgpr(const WaveState& w, unsigned base, unsigned dwords, unsigned* number) {
    const U64 index = U64{base} + w.s[kM0];
    const unsigned limit = w.num_sgprs < kSgprLast + 1u ? w.num_sgprs : kSgprLast + 1u;
    *number = static_cast<unsigned>(index) & ~(dwords - 1);
    return index + dwords <= limit;
}
template <typename T>
void movrels(const Inst& i, WaveState& w) {
    T d;
    std::memcpy(&d, &w.s[relative_source(i, w)], sizeof d);
    write(i, w, d);
}
template <typename T>
void movreld(const Inst& i, WaveState& w) {
    unsigned n = 0;
    if (i.sdst <= kSgprLast && relative_sgpr(w, i.sdst, sizeof(T) / 4, &n)) {
        const T d = read<T>(i, w, 0);
        std::memcpy(&w.s[n], &d, sizeof d);
    }
}

// Null: the opcode is none of the format.
// clang-format off
ExecFn find_sop2(Op op) {
    switch (op) {
        case Op::S_ADD_U32: return binary<U32, U32, U32, add_u32>;
        case Op::S_SUB_U32: return binary<U32, U32, U32, sub_u32>;
        case Op::S_ADD_I32: return binary<U32, U32, U32, add_i32>;
        case Op::S_SUB_I32: return binary<U32, U32, U32, sub_i32>;
        case Op::S_ADDC_U32: return binary<U32, U32, U32, addc_u32>;
        case Op::S_SUBB_U32: return binary<U32, U32, U32, subb_u32>;
        case Op::S_MIN_I32: return binary<U32, U32, U32, min<I32>>;
        case Op::S_MIN_U32: return binary<U32, U32, U32, min<U32>>;
        case Op::S_MAX_I32: return binary<U32, U32, U32, max<I32>>;
        case Op::S_MAX_U32: return binary<U32, U32, U32, max<U32>>;
        case Op::S_CSELECT_B32: return binary<U32, U32, U32, cselect<U32>>;
        case Op::S_CSELECT_B64: return binary<U64, U64, U64, cselect<U64>>;
        case Op::S_AND_B32: return binary_nz<U32, U32, U32, op_and<U32>>;
        case Op::S_AND_B64: return binary_nz<U64, U64, U64, op_and<U64>>;
        case Op::S_OR_B32: return binary_nz<U32, U32, U32, op_or<U32>>;
        case Op::S_OR_B64: return binary_nz<U64, U64, U64, op_or<U64>>;
        case Op::S_XOR_B32: return binary_nz<U32, U32, U32, op_xor<U32>>;
        case Op::S_XOR_B64: return binary_nz<U64, U64, U64, op_xor<U64>>;
        case Op::S_ANDN2_B32: return binary_nz<U32, U32, U32, op_andn2<U32>>;
        case Op::S_ANDN2_B64: return binary_nz<U64, U64, U64, op_andn2<U64>>;
        case Op::S_ORN2_B32: return binary_nz<U32, U32, U32, op_orn2<U32>>;
        case Op::S_ORN2_B64: return binary_nz<U64, U64, U64, op_orn2<U64>>;
        case Op::S_NAND_B32: return binary_nz<U32, U32, U32, op_nand<U32>>;
        case Op::S_NAND_B64: return binary_nz<U64, U64, U64, op_nand<U64>>;
        case Op::S_NOR_B32: return binary_nz<U32, U32, U32, op_nor<U32>>;
        case Op::S_NOR_B64: return binary_nz<U64, U64, U64, op_nor<U64>>;
        case Op::S_XNOR_B32: return binary_nz<U32, U32, U32, op_xnor<U32>>;
        case Op::S_XNOR_B64: return binary_nz<U64, U64, U64, op_xnor<U64>>;
        case Op::S_LSHL_B32: return binary_nz<U32, U32, U32, lshl<U32>>;
        case Op::S_LSHL_B64: return binary_nz<U64, U64, U32, lshl<U64>>;
        case Op::S_LSHR_B32: return binary_nz<U32, U32, U32, lshr<U32>>;
        case Op::S_LSHR_B64: return binary_nz<U64, U64, U32, lshr<U64>>;
        case Op::S_ASHR_I32: return binary_nz<U32, U32, U32, ashr_i32>;
        case Op::S_ASHR_I64: return binary_nz<U64, U64, U32, ashr_i64>;
        case Op::S_BFM_B32: return binary<U32, U32, U32, bfm<U32>>;
        case Op::S_BFM_B64: return binary<U64, U32, U32, bfm<U64>>;
        case Op::S_MUL_I32: return binary<U32, U32, U32, mul_i32>;
        case Op::S_BFE_U32: return binary_nz<U32, U32, U32, bfe_u<U32>>;
        case Op::S_BFE_I32: return binary_nz<U32, U32, U32, bfe_i<U32, I32>>;
        case Op::S_BFE_U64: return binary_nz<U64, U64, U32, bfe_u<U64>>;
        case Op::S_BFE_I64: return binary_nz<U64, U64, U32, bfe_i<U64, I64>>;
        case Op::S_ABSDIFF_I32: return binary_nz<U32, U32, U32, absdiff_i32>;
        default: return nullptr;
    }
}

ExecFn find_sopk(Op op) {
    switch (op) {
        case Op::S_MOVK_I32: return movk;
        case Op::S_CMOVK_I32: return cmovk;
        case Op::S_CMPK_EQ_I32: return compare_k<true, eq>;
        case Op::S_CMPK_LG_I32: return compare_k<true, lg>;
        case Op::S_CMPK_GT_I32: return compare_k<true, gt<I32>>;
        case Op::S_CMPK_GE_I32: return compare_k<true, ge<I32>>;
        case Op::S_CMPK_LT_I32: return compare_k<true, lt<I32>>;
        case Op::S_CMPK_LE_I32: return compare_k<true, le<I32>>;
        case Op::S_CMPK_EQ_U32: return compare_k<false, eq>;
        case Op::S_CMPK_LG_U32: return compare_k<false, lg>;
        case Op::S_CMPK_GT_U32: return compare_k<false, gt<U32>>;
        case Op::S_CMPK_GE_U32: return compare_k<false, ge<U32>>;
        case Op::S_CMPK_LT_U32: return compare_k<false, lt<U32>>;
        case Op::S_CMPK_LE_U32: return compare_k<false, le<U32>>;
        case Op::S_ADDK_I32: return addk;
        case Op::S_MULK_I32: return mulk;
        default: return nullptr;
    }
}

ExecFn find_sop1(Op op) {
    switch (op) {
        case Op::S_MOV_B32: case Op::S_MOV_REGRD_B32: return unary<U32, U32, op_mov<U32>>;
        case Op::S_MOV_B64: return unary<U64, U64, op_mov<U64>>;
        case Op::S_CMOV_B32: return cmov<U32>;
        case Op::S_CMOV_B64: return cmov<U64>;
        case Op::S_NOT_B32: return unary_nz<U32, U32, op_not<U32>>;
        case Op::S_NOT_B64: return unary_nz<U64, U64, op_not<U64>>;
        case Op::S_WQM_B32: return unary_nz<U32, U32, wqm<U32>>;
        case Op::S_WQM_B64: return unary_nz<U64, U64, wqm<U64>>;
        case Op::S_BREV_B32: return unary<U32, U32, brev<U32>>;
        case Op::S_BREV_B64: return unary<U64, U64, brev<U64>>;
        case Op::S_BCNT0_I32_B32: return unary_nz<U32, U32, bcnt0<U32>>;
        case Op::S_BCNT0_I32_B64: return unary_nz<U32, U64, bcnt0<U64>>;
        case Op::S_BCNT1_I32_B32: return unary_nz<U32, U32, bcnt1<U32>>;
        case Op::S_BCNT1_I32_B64: return unary_nz<U32, U64, bcnt1<U64>>;
        case Op::S_FF0_I32_B32: return unary<U32, U32, ff0<U32>>;
        case Op::S_FF0_I32_B64: return unary<U32, U64, ff0<U64>>;
        case Op::S_FF1_I32_B32: return unary<U32, U32, ff1<U32>>;
        case Op::S_FF1_I32_B64: return unary<U32, U64, ff1<U64>>;
        case Op::S_FLBIT_I32_B32: return unary<U32, U32, flbit<U32>>;
        case Op::S_FLBIT_I32_B64: return unary<U32, U64, flbit<U64>>;
        case Op::S_FLBIT_I32: return unary<U32, U32, flbit_i<U32>>;
        case Op::S_FLBIT_I32_I64: return unary<U32, U64, flbit_i<U64>>;
        case Op::S_SEXT_I32_I8: return unary<U32, U32, sext<int8_t>>;
        case Op::S_SEXT_I32_I16: return unary<U32, U32, sext<int16_t>>;
        case Op::S_BITSET0_B32: return bitset<U32, false>;
        case Op::S_BITSET0_B64: return bitset<U64, false>;
        case Op::S_BITSET1_B32: return bitset<U32, true>;
        case Op::S_BITSET1_B64: return bitset<U64, true>;
        case Op::S_AND_SAVEEXEC_B64: return save_exec<op_and<U64>>;
        case Op::S_OR_SAVEEXEC_B64: return save_exec<op_or<U64>>;
        case Op::S_XOR_SAVEEXEC_B64: return save_exec<op_xor<U64>>;
        case Op::S_ANDN2_SAVEEXEC_B64: return save_exec<op_andn2<U64>>;
        case Op::S_ORN2_SAVEEXEC_B64: return save_exec<op_orn2<U64>>;
        case Op::S_NAND_SAVEEXEC_B64: return save_exec<op_nand<U64>>;
        case Op::S_NOR_SAVEEXEC_B64: return save_exec<op_nor<U64>>;
        case Op::S_XNOR_SAVEEXEC_B64: return save_exec<op_xnor<U64>>;
        case Op::S_QUADMASK_B32: return unary_nz<U32, U32, quadmask<U32>>;
        case Op::S_QUADMASK_B64: return unary_nz<U64, U64, quadmask<U64>>;
        case Op::S_MOVRELS_B32: return movrels<U32>;
        case Op::S_MOVRELS_B64: return movrels<U64>;
        case Op::S_MOVRELD_B32: return movreld<U32>;
        case Op::S_MOVRELD_B64: return movreld<U64>;
        case Op::S_ABS_I32: return unary_nz<U32, U32, abs_i32>;
        default: return nullptr;
    }
}

ExecFn find_sopc(Op op) {
    switch (op) {
        case Op::S_CMP_EQ_I32: case Op::S_CMP_EQ_U32: return compare<U32, eq>;
        case Op::S_CMP_LG_I32: case Op::S_CMP_LG_U32: return compare<U32, lg>;
        case Op::S_CMP_GT_I32: return compare<U32, gt<I32>>;
        case Op::S_CMP_GE_I32: return compare<U32, ge<I32>>;
        case Op::S_CMP_LT_I32: return compare<U32, lt<I32>>;
        case Op::S_CMP_LE_I32: return compare<U32, le<I32>>;
        case Op::S_CMP_GT_U32: return compare<U32, gt<U32>>;
        case Op::S_CMP_GE_U32: return compare<U32, ge<U32>>;
        case Op::S_CMP_LT_U32: return compare<U32, lt<U32>>;
        case Op::S_CMP_LE_U32: return compare<U32, le<U32>>;
        case Op::S_BITCMP0_B32: return compare<U32, bitcmp<U32, false>>;
        case Op::S_BITCMP1_B32: return compare<U32, bitcmp<U32, true>>;
        case Op::S_BITCMP0_B64: return compare<U64, bitcmp<U64, false>>;
        case Op::S_BITCMP1_B64: return compare<U64, bitcmp<U64, true>>;
        default: return nullptr;
    }
}
// clang-format on

}  // namespace

ExecFn find_scalar(Op op) {
    for (ExecFn (*const find)(Op) : {find_sop2, find_sopk, find_sop1, find_sopc}) {
        if (const ExecFn found = find(op); found != nullptr) {
            return found;
        }
    }
    return find_scalar_control(op);
}

unsigned relative_source(const Inst& inst, const WaveState& w) {
    unsigned n = 0;
    const unsigned dwords = op_info(inst.op).dst_dwords;
    return inst.src[0] <= kSgprLast && relative_sgpr(w, inst.src[0], dwords, &n) ? n : 0;
}

uint32_t read_scalar(const Inst& inst, const WaveState& w, unsigned code) {
    return scalar_operand(inst, w, code);
}

uint64_t read_scalar64(const Inst& inst, const WaveState& w, unsigned code) {
    return scalar_operand64(inst, w, code);
}

}  // namespace archipelago::isa
