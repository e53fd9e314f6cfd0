// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/bare_loop.h"

#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <type_traits>

#include "rtl-bridge/verilated/signals.h"
#include "rtl-bridge/verilated/twin.h"
#include "rtl/verilated_twins.h"
#include "verilated.h"

namespace archipelago::rtl {
namespace {

constexpr size_t kInputs = 1024;  // different cycles

template <class Pin>
constexpr bool is_handshake(const Pin& pin) {
    return std::string_view(pin.field) == "valid" || std::string_view(pin.field) == "ready";
}

// Every input pin at random, valid and ready mostly high; reset in the first cycles.
template <class Pins>
std::vector<typename Pins::In> random_inputs() {
    std::mt19937_64 random(5);
    std::vector<typename Pins::In> inputs(kInputs);
    for (typename Pins::In& in : inputs) {
        Pins::inputs([&](auto pin) {
            auto& value = pin.member(in);
            using Field = Elements<std::decay_t<decltype(value)>>;
            const auto any = [&] {
                const uint64_t bits = random() & detail::low_bits(decltype(pin)::kBits);
                return static_cast<typename Field::Type>(bits);
            };
            if constexpr (Field::kArray) {
                for (auto& element : value)
                    element = any();
            } else {
                value = any();
                if (is_handshake(pin))
                    value = random() % 8 != 0;
            }
        });
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

// The input pins of a cycle as the Verilated class has them, in sequence.
template <class Pins, class Top>
std::vector<unsigned char> pins_of(Top& top) {
    std::vector<unsigned char> raw;
    each_input<Pins>([&](auto pin) {
        const auto* signal = reinterpret_cast<const unsigned char*>(&pin.signal(top));
        raw.insert(raw.end(), signal, signal + sizeof pin.signal(top));
    });
    return raw;
}
template <class Pins, class Top>
void set_pins(Top& top, const unsigned char* raw) {
    each_input<Pins>([&](auto pin) {
        auto& signal = pin.signal(top);
        std::memcpy(&signal, raw, sizeof signal);
        raw += sizeof signal;
    });
}

template <class Pins, class Top>
BareLoop make_loop() {
    struct Setup {
        std::vector<typename Pins::In> inputs = random_inputs<Pins>();
        std::vector<std::vector<unsigned char>> raw;
        VerilatedContext context;
        std::unique_ptr<Top> top;
        std::unique_ptr<Twin<Pins>> twin;
        uint64_t sum = 0;  // of handshakes given, so that outputs are read
    };
    const auto s = std::make_shared<Setup>();
    s->top = std::make_unique<Top>(&s->context, Pins::kName);
    for (const typename Pins::In& in : s->inputs) {
        drive<Pins>(*s->top, in);
        s->raw.push_back(pins_of<Pins>(*s->top));
    }
    s->twin = make_twin<Pins>({});
    BareLoop loop;
    loop.block = Pins::kName;
    loop.bare_seconds = [s](uint64_t cycles) {
        return seconds([&] {
            Top& top = *s->top;
            for (uint64_t i = 0; i < cycles; ++i) {
                set_pins<Pins>(top, s->raw[i % kInputs].data());
                top.clk = 0;
                top.eval();
                Pins::outputs([&](auto pin) {
                    if constexpr (std::is_integral_v<std::decay_t<decltype(pin.signal(top))>>)
                        if (is_handshake(pin))
                            s->sum += pin.signal(top);
                });
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
                Pins::outputs([&](auto pin) {
                    if constexpr (std::is_integral_v<std::decay_t<decltype(pin.member(out))>>)
                        if (is_handshake(pin))
                            s->sum += pin.member(out);
                });
            }
        });
    };
    return loop;
}

}  // namespace

std::vector<BareLoop> bare_loops() {
    return {
#define ARCHIPELAGO_TWIN(block, Pins) make_loop<Pins, V##block>(),
#define ARCHIPELAGO_TWINLESS(block, Pins)
#include "rtl/blocks.inc"
    };
}

}  // namespace archipelago::rtl
