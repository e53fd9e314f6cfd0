// SPDX-License-Identifier: Apache-2.0
// Compares of every type and condition, their mask destinations and EXEC.
#include "testbenches/unit/isa/valu_harness.h"

#include <functional>

namespace archipelago::isa::valu_test::valu_cmp_test {
namespace {

enum Relation : unsigned { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

// Conditions as the set of relations that satisfy them.
struct Condition {
    const char* name;
    unsigned relations;
};
const Condition kFloatConditions[] = {
    {"f", 0},
    {"lt", kLess},
    {"eq", kEqual},
    {"le", kLess | kEqual},
    {"gt", kGreater},
    {"lg", kLess | kGreater},
    {"ge", kGreater | kEqual},
    {"o", kLess | kEqual | kGreater},
    {"u", kUnordered},
    {"nge", kLess | kUnordered},
    {"nlg", kEqual | kUnordered},
    {"ngt", kLess | kEqual | kUnordered},
    {"nle", kGreater | kUnordered},
    {"neq", kLess | kGreater | kUnordered},
    {"nlt", kGreater | kEqual | kUnordered},
    {"tru", kLess | kEqual | kGreater | kUnordered},
};
const Condition kIntegerConditions[] = {
    {"f", 0},
    {"lt", kLess},
    {"eq", kEqual},
    {"le", kLess | kEqual},
    {"gt", kGreater},
    {"ne", kLess | kGreater},
    {"ge", kGreater | kEqual},
    {"t", kLess | kEqual | kGreater},
};

Op find_op(const std::string& name) {
    for (unsigned n = 0; n < kOpCount; ++n) {
        if (name == op_info(static_cast<Op>(n)).name) {
            return static_cast<Op>(n);
        }
    }
    ADD_FAILURE() << "no opcode " << name;
    return Op::Illegal;
}
template <class T>
unsigned relation(T a, T b) {
    return a < b ? kLess : a > b ? kGreater : a == b ? kEqual : kUnordered;
}

// All pairs of `values` through one opcode; bit by bit against `ref`.
template <class T>
void check(Op op, const Mode& mode, const std::vector<T>& values,
           const std::function<unsigned(T, T)>& ref, unsigned accepted, bool writes_exec) {
    Inst i = make(op);
    i.sdst = 30;
    for (const bool vop3 : {false, true}) {
        i.format = vop3 ? Format::Vop3 : Format::Vopc;
        for (size_t a = 0; a < values.size(); ++a) {
            for (size_t b = 0; b < values.size(); b += kLanes) {
                Wave wave;
                wave.w.mode = mode;
                std::array<T, kLanes> x, y;
                x.fill(values[a]);
                for (unsigned l = 0; l < kLanes; ++l) {
                    y[l] = values[(b + l) % values.size()];
                }
                wave.set(kSrc0, x);
                wave.set(kSrc1, y);
                const uint64_t exec = 0xffff0000fffffff7;
                wave.w.set_exec(exec);
                wave.w.set_vcc(0x1234567812345678);
                wave.w.set_s64(30, 0x8765432187654321);
                execute(i, wave.w);
                uint64_t expected = 0;
                for (unsigned l = 0; l < kLanes; ++l) {
                    expected |= uint64_t((ref(x[l], y[l]) & accepted) != 0) << l;
                }
                expected &= exec;
                ASSERT_EQ(hex(vop3 ? wave.w.s64(30) : wave.w.vcc()), hex(expected))
                    << op_info(op).name << " " << hex(uint64_t(x[0]));
                ASSERT_EQ(hex(vop3 ? wave.w.vcc() : wave.w.s64(30)),
                          hex(vop3 ? 0x1234567812345678 : 0x8765432187654321));
                ASSERT_EQ(hex(wave.w.exec()), hex(writes_exec ? expected : exec));
            }
        }
    }
}

struct Prefix {
    const char* text;
    bool writes_exec;
};
const Prefix kFloatPrefixes[] = {
    {"v_cmp_", false}, {"v_cmpx_", true}, {"v_cmps_", false}, {"v_cmpsx_", true}};
const Prefix kIntegerPrefixes[] = {{"v_cmp_", false}, {"v_cmpx_", true}};

TEST(ValuCompare, FloatConditionsHonourNanZeroAndDenormalMode) {
    for (const Prefix& p : kFloatPrefixes) {
        for (const Condition& c : kFloatConditions) {
            for (const unsigned denorm : {0u, 1u}) {
                Mode mode = mode_of(1, denorm);
                mode.fp_denorm_64 = static_cast<uint8_t>(denorm);
                check<uint32_t>(
                    find_op(std::string(p.text) + c.name + "_f32"), mode, edge_floats(),
                    [&](uint32_t a, uint32_t b) {
                        return denorm ? relation(as_float(a), as_float(b))
                                      : relation(as_float(flush_denormal(a)),
                                                 as_float(flush_denormal(b)));
                    },
                    c.relations, p.writes_exec);
                check<uint64_t>(
                    find_op(std::string(p.text) + c.name + "_f64"), mode, edge_doubles(),
                    [&](uint64_t a, uint64_t b) {
                        return denorm ? relation(as_double(a), as_double(b))
                                      : relation(as_double(flush_denormal(a)),
                                                 as_double(flush_denormal(b)));
                    },
                    c.relations, p.writes_exec);
            }
        }
    }
}
TEST(ValuCompare, IntegerConditionsInAllFourTypes) {
    std::vector<uint64_t> wide = edge_doubles();
    for (const uint32_t x : edge_integers()) {
        wide.push_back(x);
        wide.push_back(uint64_t(x) << 32);
        wide.push_back(uint64_t(int64_t(int32_t(x))));
    }
    for (const Prefix& p : kIntegerPrefixes) {
        for (const Condition& c : kIntegerConditions) {
            const std::string name = std::string(p.text) + c.name;
            check<uint32_t>(
                find_op(name + "_i32"), Mode{}, edge_integers(),
                [](uint32_t a, uint32_t b) { return relation(int32_t(a), int32_t(b)); },
                c.relations, p.writes_exec);
            check<uint32_t>(
                find_op(name + "_u32"), Mode{}, edge_integers(),
                [](uint32_t a, uint32_t b) { return relation(a, b); }, c.relations, p.writes_exec);
            check<uint64_t>(
                find_op(name + "_i64"), Mode{}, wide,
                [](uint64_t a, uint64_t b) { return relation(int64_t(a), int64_t(b)); },
                c.relations, p.writes_exec);
            check<uint64_t>(
                find_op(name + "_u64"), Mode{}, wide,
                [](uint64_t a, uint64_t b) { return relation(a, b); }, c.relations, p.writes_exec);
        }
    }
}

template <class F>
unsigned class_of(F x, bool quiet) {
    const bool minus = std::signbit(x);
    switch (std::fpclassify(x)) {
        case FP_NAN:
            return quiet ? 1 : 0;
        case FP_INFINITE:
            return minus ? 2 : 9;
        case FP_NORMAL:
            return minus ? 3 : 8;
        case FP_SUBNORMAL:
            return minus ? 4 : 7;
        default:
            return minus ? 5 : 6;
    }
}
TEST(ValuCompare, ClassTestsEachBitInEveryMode) {
    for (const bool x : {false, true}) {
        const uint64_t exec = ~0ull;
        for (unsigned bit = 0; bit < 10; ++bit) {
            Wave wave;
            wave.w.mode = mode64_of(0, 0);
            wave.w.mode.fp_denorm_32 = 0;
            Lanes mask;
            mask.fill(1u << bit);
            wave.set(kSrc1, mask);

            const auto floats = with_random(edge_floats(), 14);
            Lanes a;
            std::copy_n(floats.begin(), kLanes, a.begin());
            wave.set(kSrc0, a);
            wave.w.set_exec(exec);
            execute(make(x ? Op::V_CMPX_CLASS_F32 : Op::V_CMP_CLASS_F32), wave.w);
            for (unsigned l = 0; l < kLanes; ++l) {
                EXPECT_EQ(wave.w.vcc() >> l & 1, class_of(as_float(a[l]), a[l] & 0x400000) == bit)
                    << hex(a[l]) << " class " << bit;
            }
            EXPECT_EQ(wave.w.exec(), x ? wave.w.vcc() : exec);

            const auto doubles = with_random(edge_doubles(), 24);
            Lanes64 b;
            std::copy_n(doubles.begin(), kLanes, b.begin());
            wave.set(kSrc0, b);
            wave.set(kSrc1, mask);
            wave.w.set_exec(exec);
            execute(make(x ? Op::V_CMPX_CLASS_F64 : Op::V_CMP_CLASS_F64), wave.w);
            for (unsigned l = 0; l < kLanes; ++l) {
                EXPECT_EQ(wave.w.vcc() >> l & 1,
                          class_of(as_double(b[l]), b[l] & 1ull << 51) == bit)
                    << hex(b[l]) << " class " << bit;
            }
        }
    }
}
TEST(ValuCompare, ModifiersApplyToFloatSources) {
    Wave wave;
    Lanes a, b;
    a.fill(bits(-2.0f));
    b.fill(bits(1.0f));
    wave.set(kSrc0, a);
    wave.set(kSrc1, b);
    Inst i = make_vop3(Op::V_CMP_GT_F32);
    execute(i, wave.w);
    EXPECT_EQ(wave.w.vcc(), 0u);
    i.abs = 1;
    execute(i, wave.w);
    EXPECT_EQ(wave.w.vcc(), ~0ull);
    i.neg = 1;
    execute(i, wave.w);
    EXPECT_EQ(wave.w.vcc(), 0u);
    i.neg = 3;
    b.fill(bits(3.0f));
    wave.set(kSrc1, b);
    execute(i, wave.w);
    EXPECT_EQ(wave.w.vcc(), ~0ull);
}
TEST(ValuCompare, EmptyExecGivesAnEmptyMask) {
    for (const Op op : {Op::V_CMP_TRU_F32, Op::V_CMPX_TRU_U64, Op::V_CMP_EQ_I32}) {
        Wave wave;
        wave.w.set_exec(0);
        wave.w.set_vcc(~0ull);
        execute(make(op), wave.w);
        EXPECT_EQ(wave.w.vcc(), 0u);
        EXPECT_EQ(wave.w.exec(), 0u);
    }
}

}  // namespace
}  // namespace archipelago::isa::valu_test::valu_cmp_test
