// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/bare_loop.h"

#include <chrono>
#include <memory>
#include <random>
#include <tuple>
#include <utility>

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

// The input pins as the Verilated class has them.
auto input_pins(Vvalu_lane& top) {
    return std::tie(top.rst, top.in_valid, top.out_ready, top.in_op, top.in_a, top.in_b, top.in_c,
                    top.in_carry, top.in_neg, top.in_abs, top.in_omod, top.in_clamp, top.in_round,
                    top.in_denorm, top.in_dx10, top.in_ieee);
}
auto input_pins(Vcu_issue& top) {
    return std::tie(top.rst, top.in_valid, top.out_ready, top.in_width, top.in_turn, top.in_slots,
                    top.in_order, top.in_class, top.in_wait, top.in_hazard_wait, top.in_reads,
                    top.in_pending, top.in_needs_vm, top.in_needs_exp, top.in_needs_lgkm, top.in_vm,
                    top.in_exp, top.in_lgkm, top.in_max_vm, top.in_max_exp, top.in_max_lgkm,
                    top.in_unit_wait, top.in_waiting, top.in_limit_vm, top.in_limit_exp,
                    top.in_limit_lgkm);
}

template <class... T>
std::tuple<T...> values_of(std::tuple<T&...> pins) {
    return pins;
}

template <class Model>
BareLoop make_loop(std::unique_ptr<Twin<typename Model::Pins>> (*make)(const TwinOptions&)) {
    using Pins = typename Model::Pins;
    struct Setup {
        std::vector<typename Pins::In> inputs = random_inputs<Pins>();
        std::vector<decltype(values_of(input_pins(std::declval<typename Model::Top&>())))> raw;
        VerilatedContext context;
        std::unique_ptr<typename Model::Top> top;
        std::unique_ptr<Twin<Pins>> twin;
        uint64_t sum = 0;  // of outputs, so that they are read
    };
    const auto s = std::make_shared<Setup>();
    s->top = std::make_unique<typename Model::Top>(&s->context, Pins::kName);
    for (const typename Pins::In& in : s->inputs) {
        Model::drive(*s->top, in);
        s->raw.push_back(values_of(input_pins(*s->top)));
    }
    s->twin = make({});
    BareLoop loop;
    loop.block = Pins::kName;
    loop.bare_seconds = [s](uint64_t cycles) {
        return seconds([&] {
            typename Model::Top& top = *s->top;
            for (uint64_t i = 0; i < cycles; ++i) {
                input_pins(top) = s->raw[i % kInputs];
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

}  // namespace

std::vector<BareLoop> bare_loops() {
    return {make_loop<CuIssueModel<Vcu_issue>>(make_cu_issue_rtl),
            make_loop<ValuLaneModel<Vvalu_lane>>(make_valu_lane_rtl)};
}

}  // namespace archipelago::rtl
