// SPDX-License-Identifier: Apache-2.0
// The vector opcodes whose low bits no document fixes: what they approximate, how closely, and the
// results that are exact. Sources: CLRX GcnInstrsVop1.md (GCN 1.0), AMD's GCN3 guide.
#pragma once

#include <cmath>
#include <ostream>
#include <vector>

#include "testbenches/unit/isa/reference/exact.h"

namespace archipelago::isa::reference {

struct Special {
    uint64_t in, out;
};

struct Approximation {
    const char* name;
    bool is_double;
    // of a finite source; the error bound holds where the true value is normal
    long double (*value)(long double x);
    double ulps;            // bound on the error of our model in units of the last place
    double hardware_error;  // what the documents promise, relative; the model must not be worse
    std::vector<Special> specials;
    bool monotone_up, monotone_down;  // over the positive normal sources
};

inline void PrintTo(const Approximation& a, std::ostream* out) {
    *out << a.name;
}

inline const std::vector<Approximation>& approximations() {
    using L = long double;
    constexpr L kPi = 3.14159265358979323846264338327950288L;
    static const auto rcp = [](L x) { return 1 / x; };
    static const auto rsq = [](L x) { return 1 / sqrtl(x); };
    static const auto root = [](L x) { return sqrtl(x); };
    static const auto log2 = [](L x) { return log2l(x); };
    static const auto exp2 = [](L x) { return exp2l(x); };
    // turns; reduced exactly first
    static const auto sine = [](L x) {
        const L r = x - rintl(x);
        return fabsl(r) == 0.5L ? 0 : sinl(2 * kPi * r);
    };
    static const auto cosine = [](L x) {
        const L r = x - rintl(x);
        return fabsl(r) == 0.25L ? 0 : cosl(2 * kPi * r);
    };
    constexpr uint64_t kInf = 0x7f800000, kNegInf = 0xff800000, kZero = 0, kNegZero = 0x80000000,
                       kOne = 0x3f800000, kNan = 0xffc00000, kMax = 0x7f7fffff,
                       kNegMax = 0xff7fffff;
    constexpr uint64_t kInfD = 0x7ff0000000000000, kNegInfD = 0xfff0000000000000,
                       kNegZeroD = 0x8000000000000000, kNanD = 0xfff8000000000000,
                       kOneD = 0x3ff0000000000000, kMaxD = 0x7fefffffffffffff,
                       kNegMaxD = 0xffefffffffffffff;
    const double kUlp = std::ldexp(1.0, -23);
    const std::vector<Special> rcp_ends = {
        {kOne, kOne}, {0xbf800000, 0xbf800000}, {kInf, kZero}, {kNegInf, kNegZero}};
    const auto with = [](std::vector<Special> a, const std::vector<Special>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    };
    const std::vector<Special> rsq_ends = {
        {kOne, kOne}, {0x40800000, 0x3f000000}, {kInf, kZero}, {kNegInf, kNan}, {0xbf800000, kNan}};
    static const std::vector<Approximation> all = {
        {"v_exp_f32",
         false,
         exp2,
         0.5001,
         kUlp,
         {{kZero, kOne},
          {kNegZero, kOne},
          {kOne, 0x40000000},
          {kInf, kInf},
          {kNegInf, kZero},
          {0xc2fc0000, 0x00800000},
          {0xc2fc0001, kZero},
          {0x43000000, kInf},
          {1, kOne},
          {0xc2fe0000, kZero},
          {0x447a0000, kInf},
          {0xc47a0000, kZero},
          {0x41200000, 0x44800000}},
         true,
         false},
        {"v_log_f32",
         false,
         log2,
         0.5001,
         kUlp,
         {{kOne, kZero},
          {0x40000000, kOne},
          {kInf, kInf},
          {kZero, kNegInf},
          {kNegZero, kNegInf},
          {1, kNegInf},
          {0x80000001, kNegInf},
          {0xbf800000, kNan},
          {kNegInf, kNan}},
         true,
         false},
        {"v_log_clamp_f32",
         false,
         log2,
         0.5001,
         kUlp,
         {{kOne, kZero}, {kInf, kInf}, {kZero, kNegMax}, {kNegZero, kNegMax}, {0xbf800000, kNan}},
         true,
         false},
        {"v_rcp_f32", false, rcp, 0.5001, kUlp,
         with(rcp_ends, {{kZero, kInf}, {kNegZero, kNegInf}, {1, kInf}, {kMax, kZero}}), false,
         true},
        {"v_rcp_iflag_f32", false, rcp, 0.5001, kUlp,
         with(rcp_ends, {{kZero, kInf}, {kNegZero, kNegInf}}), false, true},
        {"v_rcp_clamp_f32", false, rcp, 0.5001, kUlp,
         with(rcp_ends, {{kZero, kMax}, {kNegZero, kNegMax}}), false, true},
        {"v_rcp_legacy_f32", false, rcp, 0.5001, kUlp,
         with(rcp_ends, {{kZero, kZero}, {kNegZero, kNegZero}}), false, true},
        {"v_rsq_f32", false, rsq, 0.5001, kUlp,
         with(rsq_ends, {{kZero, kInf}, {kNegZero, kNegInf}}), false, true},
        {"v_rsq_clamp_f32", false, rsq, 0.5001, kUlp,
         with(rsq_ends, {{kZero, kMax}, {kNegZero, kNegMax}}), false, true},
        {"v_rsq_legacy_f32", false, rsq, 0.5001, kUlp, with(rsq_ends, {{kZero, kZero}}), false,
         true},
        {"v_sqrt_f32",
         false,
         root,
         0.5001,
         kUlp,
         {{kZero, kZero},
          {kNegZero, kNegZero},
          {kOne, kOne},
          {0x40800000, 0x40000000},
          {kInf, kInf},
          {3, kZero},
          {0xbf800000, kNan},
          {kNegInf, kNan}},
         true,
         false},
        {"v_sin_f32",
         false,
         sine,
         0.51,
         kUlp,
         {{kZero, kZero},
          {kNegZero, kNegZero},
          {0x3e800000, kOne},
          {0xbe800000, 0xbf800000},
          {0xbf400000, kOne},
          {kInf, kNan},
          {kNegInf, kNan},
          {0x43800001, kZero},
          {0xc3800001, kZero},
          {0x7f7fffff, kZero}},
         false,
         false},
        {"v_cos_f32",
         false,
         cosine,
         0.51,
         kUlp,
         {{kZero, kOne},
          {kNegZero, kOne},
          {0x3f000000, 0xbf800000},
          {kInf, kNan},
          {kNegInf, kNan},
          {0x43800001, kOne},
          {0xc3800001, kOne},
          {0x7f7fffff, kOne}},
         false,
         false},
        {"v_rcp_f64",
         true,
         rcp,
         0.501,
         1e-8,
         {{kOneD, kOneD}, {0, kInfD}, {kNegZeroD, kNegInfD}, {kInfD, 0}, {kNegInfD, kNegZeroD}},
         false,
         true},
        {"v_rcp_clamp_f64",
         true,
         rcp,
         0.501,
         1e-8,
         {{kOneD, kOneD}, {0, kMaxD}, {kNegZeroD, kNegMaxD}, {kInfD, 0}, {kNegInfD, kNegZeroD}},
         false,
         true},
        {"v_rsq_f64",
         true,
         rsq,
         1.51,
         1e-8,
         {{kOneD, kOneD},
          {0, kInfD},
          {kNegZeroD, kNegInfD},
          {kInfD, 0},
          {kNegInfD, kNanD},
          {0xbff0000000000000, kNanD}},
         false,
         true},
        {"v_rsq_clamp_f64",
         true,
         rsq,
         1.51,
         1e-8,
         {{kOneD, kOneD}, {0, kMaxD}, {kNegZeroD, kNegMaxD}, {kInfD, 0}, {kNegInfD, kNanD}},
         false,
         true},
        {"v_sqrt_f64",
         true,
         root,
         0.501,
         1e-8,
         {{kOneD, kOneD},
          {0, 0},
          {kNegZeroD, kNegZeroD},
          {kInfD, kInfD},
          {kNegInfD, kNanD},
          {0xbff0000000000000, kNanD}},
         true,
         false},
    };
    return all;
}

}  // namespace archipelago::isa::reference
