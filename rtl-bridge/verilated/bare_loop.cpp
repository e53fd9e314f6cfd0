// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/bare_loop.h"

#include <chrono>
#include <memory>
#include <random>

#include "Vcu_issue.h"
#include "Vvalu_lane.h"
#include "rtl-bridge/verilated/cu_issue_model.h"
#include "rtl-bridge/verilated/cu_issue_rtl.h"
#include "rtl-bridge/verilated/valu_lane_model.h"
#include "rtl-bridge/verilated/valu_lane_rtl.h"
#include "verilated.h"

namespace archipelago::rtl {
namespace {

constexpr size_t kInputs = 1024;  // different cycles

// Every input pin at random, valid and ready mostly high.
template <class Pins>
std::vector<typename Pins::In> random_inputs() {
    std::mt19937_64 random(5);
    std::vector<typename Pins::In> inputs(kInputs);
    const auto fill = [&](auto& value, unsigned bits) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_integral_v<T>) {
            value = static_cast<T>(random() & (bits == 64 ? ~0ull : (1ull << bits) - 1));
        } else {
            for (auto& element : value)
                element = static_cast<std::decay_t<decltype(element)>>(
                    random() & (bits == 64 ? ~0ull : (1ull << bits) - 1));
        }
    };
    for (typename Pins::In& in : inputs) {
        Pins::inputs(
            [&](const char*, const char*, auto get, unsigned bits) { fill(get(in), bits); });
        in.rst = 0;
        in.in_valid = random() % 8 != 0;
        in.out_ready = random() % 8 != 0;
    }
    for (size_t i = 0; i < 4; ++i)
        inputs[i].rst = 1;
    return inputs;
}

template <class F>
double seconds(F&& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// `Raw` holds the input pins as the Verilated class has them.
template <class Model, class Raw>
BareLoop make_loop(std::unique_ptr<Twin<typename Model::Pins>> (*make)(const TwinOptions&)) {
    using Pins = typename Model::Pins;
    struct Setup {
        std::vector<typename Pins::In> inputs = random_inputs<Pins>();
        std::vector<Raw> raw;
        VerilatedContext context;
        std::unique_ptr<typename Model::Top> top;
        std::unique_ptr<Twin<Pins>> twin;
        uint64_t sum = 0;  // of outputs, so that they are read
    };
    const auto s = std::make_shared<Setup>();
    s->top = std::make_unique<typename Model::Top>(&s->context, Pins::kName);
    for (const typename Pins::In& in : s->inputs) {
        Model::drive(*s->top, in);
        s->raw.emplace_back();
        s->raw.back().take(*s->top);
    }
    s->twin = make({});
    BareLoop loop;
    loop.block = Pins::kName;
    loop.bare_seconds = [s](uint64_t cycles) {
        return seconds([&] {
            typename Model::Top& top = *s->top;
            for (uint64_t i = 0; i < cycles; ++i) {
                s->raw[i % kInputs].put(top);
                top.clk = 0;
                top.eval();
                s->sum += top.out_valid;
                top.clk = 1;
                top.eval();
            }
        });
    };
    loop.bridge_seconds = [s](uint64_t cycles) {
        return seconds([&] {
            typename Pins::Out out;
            for (uint64_t i = 0; i < cycles; ++i) {
                s->twin->step(s->inputs[i % kInputs], out);
                s->sum += out.out_valid;
            }
        });
    };
    return loop;
}

// Pairs of assignments, from and to the model.
#define ARCHIPELAGO_RAW(Name, Top_, PINS)                               \
    struct Name {                                                       \
        PINS(ARCHIPELAGO_RAW_DECLARE, Top_)                             \
        void take(const Top_& top) { PINS(ARCHIPELAGO_RAW_TAKE, Top_) } \
        void put(Top_& top) const { PINS(ARCHIPELAGO_RAW_PUT, Top_) }   \
    };
#define ARCHIPELAGO_RAW_DECLARE(Top_, pin) std::decay_t<decltype(std::declval<Top_>().pin)> pin;
#define ARCHIPELAGO_RAW_TAKE(Top_, pin) pin = top.pin;
#define ARCHIPELAGO_RAW_PUT(Top_, pin) top.pin = pin;

#define ARCHIPELAGO_LANE_PINS(DO, T)                                                  \
    DO(T, rst)                                                                        \
    DO(T, in_valid)                                                                   \
    DO(T, out_ready) DO(T, in_op) DO(T, in_a) DO(T, in_b) DO(T, in_c) DO(T, in_carry) \
        DO(T, in_neg) DO(T, in_abs) DO(T, in_omod) DO(T, in_clamp) DO(T, in_round)    \
            DO(T, in_denorm) DO(T, in_dx10) DO(T, in_ieee)
ARCHIPELAGO_RAW(RawLane, Vvalu_lane, ARCHIPELAGO_LANE_PINS)

#define ARCHIPELAGO_ISSUE_PINS(DO, T)                                                              \
    DO(T, rst)                                                                                     \
    DO(T, in_valid)                                                                                \
    DO(T, out_ready) DO(T, in_width) DO(T, in_turn) DO(T, in_slots) DO(T, in_order)                \
        DO(T, in_class) DO(T, in_wait) DO(T, in_hazard_wait) DO(T, in_reads) DO(T, in_pending)     \
            DO(T, in_needs_vm) DO(T, in_needs_exp) DO(T, in_needs_lgkm) DO(T, in_vm) DO(T, in_exp) \
                DO(T, in_lgkm) DO(T, in_max_vm) DO(T, in_max_exp) DO(T, in_max_lgkm)               \
                    DO(T, in_unit_wait) DO(T, in_waiting) DO(T, in_limit_vm) DO(T, in_limit_exp)   \
                        DO(T, in_limit_lgkm)
ARCHIPELAGO_RAW(RawIssue, Vcu_issue, ARCHIPELAGO_ISSUE_PINS)

}  // namespace

std::vector<BareLoop> bare_loops() {
    return {make_loop<CuIssueModel<Vcu_issue>, RawIssue>(make_cu_issue_rtl),
            make_loop<ValuLaneModel<Vvalu_lane>, RawLane>(make_valu_lane_rtl)};
}

}  // namespace archipelago::rtl
