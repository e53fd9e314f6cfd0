// SPDX-License-Identifier: Apache-2.0
// exp, log, rcp, rsq, sqrt, sin, cos: no document fixes their bits, so their special values, error,
// monotony and modifiers are checked, on both host levels.
#include "testbenches/unit/isa/reference/approximations.h"

#include "testbenches/unit/isa/reference/valu_bench.h"

namespace archipelago::isa::reference {
namespace {

class Approximated : public ::testing::TestWithParam<Approximation> {
  protected:
    Approximated() {
        Rng rng(5);
        scramble(wave_, rng);
        op_.name = GetParam().name;
        op_.types = GetParam().is_double ? "A=F" : "a=f";
        format_ = GetParam().is_double ? kF64 : kF32;
        for (const char* name : {"portable", "avx2"}) {
            if (valu_table(name) != nullptr) {
                levels_.push_back(name);
            }
        }
    }
    // Runs 64 sources; both levels must agree.
    std::array<uint64_t, kLanes> run(const std::array<uint64_t, kLanes>& in,
                                     const Form& form = Form{}) {
        const char type = GetParam().is_double ? 'F' : 'f';
        std::array<uint64_t, kLanes> out{}, first{};
        const Inst inst = encode(op_, form);
        for (const char* level : levels_) {
            WaveImage image;
            copy_wave(image, wave_);
            for (unsigned l = 0; l < kLanes; ++l) {
                put(image, 2, type, l, in[l]);
            }
            valu_table(level)->fn[static_cast<unsigned>(inst.op)](inst, image.w);
            for (unsigned l = 0; l < kLanes; ++l) {
                out[l] = operand(image, kVgprFirst + 10, type, l, 0);
            }
            if (level == levels_[0]) {
                first = out;
            } else {
                EXPECT_EQ(out, first) << op_.name;
            }
        }
        return out;
    }
    uint64_t run_one(uint64_t x) {
        std::array<uint64_t, kLanes> in{};
        in.fill(x);
        return run(in)[0];
    }
    long double number(uint64_t x) const {
        const Real r = unpack(format_, x);
        const long double m = ldexpl(static_cast<long double>(static_cast<uint64_t>(r.sig)), r.exp);
        return r.negative ? -m : m;
    }

    WaveImage wave_;
    ValuOp op_;
    Fmt format_{};
    std::vector<const char*> levels_;
};

TEST_P(Approximated, GivesTheDocumentedSpecialValuesInEveryMode) {
    for (unsigned mode = 0; mode < 64; ++mode) {
        wave_.w.mode = mode_number(mode);
        for (const Special& s : GetParam().specials) {
            const bool denormal = is_denormal(format_, s.in);
            if (!denormal || !GetParam().is_double) {
                EXPECT_EQ(run_one(s.in), s.out) << op_.name << " " << std::hex << s.in;
            }
        }
        for (const uint64_t nan : {format_.inf() | 1, format_.default_nan() | 5}) {
            EXPECT_EQ(run_one(nan), nan | format_.quiet_bit()) << op_.name << " of a NaN";
        }
    }
}

TEST_P(Approximated, StaysWithinItsErrorBound) {
    Rng rng(6);
    const Approximation& a = GetParam();
    const std::string name = a.name;
    const bool trigonometric = name == "v_sin_f32" || name == "v_cos_f32";
    const bool exponential = name == "v_exp_f32";
    double worst = 0;
    for (unsigned batch = 0; batch < 3000; ++batch) {
        wave_.w.mode = mode_number(static_cast<unsigned>(rng() % 64));
        std::array<uint64_t, kLanes> in{};
        for (uint64_t& x : in) {
            const uint64_t mant = rng() & ((uint64_t{1} << format_.mant_bits) - 1);
            int exponent =
                1 + static_cast<int>(rng() % (2 * static_cast<uint64_t>(format_.bias())));
            if (trigonometric || exponential || rng() % 2 == 0) {
                exponent = format_.bias() - 20 + static_cast<int>(rng() % 28);
            }
            x = mant | static_cast<uint64_t>(exponent) << format_.mant_bits;
            const bool negative_domain = trigonometric || exponential || name.find("rcp") != 0;
            if (negative_domain && name.find("log") == std::string::npos &&
                name.find("rsq") == std::string::npos && name.find("sqrt") == std::string::npos) {
                x |= (rng() & 1) != 0 ? format_.sign() : 0;
            }
        }
        const std::array<uint64_t, kLanes> out = run(in);
        for (unsigned l = 0; l < kLanes; ++l) {
            const long double x = number(in[l]);
            if (trigonometric && fabsl(x) > 256) {
                continue;  // among the special values
            }
            const long double want = a.value(x);
            int e = 0;
            frexpl(want, &e);
            if (e - 1 < format_.min_exp() || e - 1 > format_.bias() || want == 0) {
                continue;  // denormal, overflowing
            }
            ASSERT_FALSE(is_nan(format_, out[l])) << name << std::hex << " " << in[l];
            const long double ulp = ldexpl(1, e - 1 - format_.mant_bits);
            const double error = static_cast<double>(fabsl(number(out[l]) - want) / ulp);
            worst = error > worst ? error : worst;
            ASSERT_LE(error, a.ulps) << name << std::hex << " " << in[l] << " gives " << out[l];
            ASSERT_LE(static_cast<double>(fabsl((number(out[l]) - want) / want)), a.hardware_error)
                << name << std::hex << " " << in[l];
        }
    }
    RecordProperty("worst_ulp_times_1e6", static_cast<int>(worst * 1e6));
}

TEST_P(Approximated, IsMonotoneOverThePositiveNumbers) {
    const Approximation& a = GetParam();
    if (!a.monotone_up && !a.monotone_down) {
        EXPECT_TRUE(op_.name == "v_sin_f32" || op_.name == "v_cos_f32");
        return;
    }
    Rng rng(7);
    for (unsigned round = 0; round < 400; ++round) {
        // 64 neighbours from a random place
        const uint64_t span = format_.inf() - 64 - (uint64_t{1} << format_.mant_bits);
        const uint64_t from = (uint64_t{1} << format_.mant_bits) + rng() % span;
        std::array<uint64_t, kLanes> in{};
        for (unsigned l = 0; l < kLanes; ++l) {
            in[l] = from + l;
        }
        const std::array<uint64_t, kLanes> out = run(in);
        for (unsigned l = 1; l < kLanes; ++l) {
            const int order = compare(format_, out[l - 1], out[l]);
            ASSERT_NE(order, 2);
            ASSERT_NE(order, a.monotone_up ? 1 : -1) << op_.name << std::hex << " " << in[l];
        }
    }
}

// Modifiers act on the source and the result as for every other opcode.
TEST_P(Approximated, TakesSourceAndResultModifiers) {
    Rng rng(8);
    const char type = GetParam().is_double ? 'F' : 'f';
    ValuOp copy = op_;
    copy.fn = [](Lane&, uint64_t a, uint64_t, uint64_t) { return a; };
    for (unsigned round = 0; round < 600; ++round) {
        Form form;
        form.vop3 = true;
        form.neg = static_cast<unsigned>(rng() & 1);
        form.abs = static_cast<unsigned>(rng() & 1);
        form.omod = static_cast<unsigned>(rng() % 4);
        form.clamp = rng() % 2 == 0;
        wave_.w.mode = mode_number(static_cast<unsigned>(rng() % 64));
        std::array<uint64_t, kLanes> in{}, modified_in{};
        for (unsigned l = 0; l < kLanes; ++l) {
            in[l] = any_value(type, rng) & (GetParam().is_double ? ~uint64_t{0} : 0xffffffff);
            modified_in[l] = with_modifiers(in[l], type, form.abs != 0, form.neg != 0);
        }
        const std::array<uint64_t, kLanes> plain = run(modified_in), out = run(in, form);
        for (unsigned l = 0; l < kLanes; ++l) {
            Lane lane;
            lane.mode = wave_.w.mode;
            // choice: these opcodes round to nearest regardless of what MODE says, omod included
            lane.mode.fp_round_32 = lane.mode.fp_round_64 = 0;
            const uint64_t src[3] = {plain[l], 0, 0};
            ASSERT_EQ(out[l], evaluate(copy, lane, src, form.omod, form.clamp))
                << op_.name << std::hex << " " << in[l] << " plain " << plain[l] << " omod "
                << form.omod << " clamp " << form.clamp;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Valu, Approximated, ::testing::ValuesIn(approximations()),
                         [](const ::testing::TestParamInfo<Approximation>& info) {
                             return std::string(info.param.name);
                         });

}  // namespace
}  // namespace archipelago::isa::reference
