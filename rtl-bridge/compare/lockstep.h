// SPDX-License-Identifier: Apache-2.0
// Steps a model and its Verilog twin with the same inputs and compares every output in every
// cycle. Stops at the first difference. rtl-bridge/README.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rtl-bridge/compare/coverage.h"
#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

// Chooses the inputs of each cycle. Deterministic: the same object made anew gives the same inputs
// as long as the outputs it sees are the same.
template <class Pins>
class Stimulus {
  public:
    virtual ~Stimulus() = default;
    // Sets every field of `in`; what was in it is of no use.
    virtual void next(typename Pins::In& in) = 0;
    // What came out with the inputs given last.
    virtual void observe(const typename Pins::In& in, const typename Pins::Out& out) = 0;
    // Recorded traffic ends.
    virtual bool finished() const { return false; }
    virtual const Coverage& coverage() const = 0;
};

// The first cycle in which model and twin differ.
struct Difference {
    uint64_t cycle = 0;               // from 0, after the reset the run begins with
    std::string reference = "model";  // what the Verilog is compared with
    std::string what;                 // of elastic runs: in place of the cycle and the values
    std::string port, field;
    uint64_t model = 0, rtl = 0;
    // The last transactions, oldest first, one line each: "cycle 17 in: op=0x103 a=0x1 ...".
    std::vector<std::string> model_transactions, rtl_transactions;

    std::string text() const;
};

constexpr unsigned kShownTransactions = 32;
constexpr uint64_t kWaveformCycles = 256;  // shown before a difference
constexpr uint64_t kProgressCycles = 1u << 16;

namespace detail {

// Calls f(index text, value) for the value or each element of an array.
template <class T, class F>
void each_value(const T& value, F&& f) {
    if constexpr (Elements<T>::kArray) {
        for (size_t i = 0; i < value.size(); ++i)
            f("[" + std::to_string(i) + "]", static_cast<uint64_t>(value[i]));
    } else {
        f(std::string(), static_cast<uint64_t>(value));
    }
}

std::string field_text(const std::string& field, uint64_t value);

template <class Pins>
bool equal(const typename Pins::Out& a, const typename Pins::Out& b) {
    bool same = true;
    Pins::outputs([&](auto pin) { same = same && pin.member(a) == pin.member(b); });
    return same;
}

// The ports something passed in a cycle, in the order of the lists; a reset passes "reset".
template <class Pins>
std::vector<std::string> transfers(const typename Pins::In& in, const typename Pins::Out& out) {
    struct Port {
        std::string name;
        bool has_valid;
        uint64_t moved;  // bit n: element n of pins that are arrays
    };
    std::vector<Port> ports;
    const auto look = [&](const auto& pins) {
        return [&](auto pin) {
            auto port = std::find_if(ports.begin(), ports.end(),
                                     [&](const Port& p) { return p.name == pin.port; });
            if (port == ports.end())
                port = ports.insert(port, {pin.port, false, ~uint64_t{0}});
            const std::string field = pin.field;
            const bool valid = field == "valid" || field == "rst";
            port->has_valid |= valid;
            if (valid || field == "ready") {
                uint64_t high = 0;
                unsigned element = 0;
                each_value(pin.member(pins), [&](const std::string&, uint64_t v) {
                    high |= uint64_t{v != 0} << element++;
                });
                port->moved &= high;
            }
        };
    };
    each_input<Pins>(look(in));
    Pins::outputs(look(out));
    std::vector<std::string> moved;
    for (const Port& port : ports)
        if (port.has_valid && port.moved != 0)
            moved.push_back(port.name);
    return moved;
}

}  // namespace detail

template <class Pins>
class Lockstep {
  public:
    using In = typename Pins::In;
    using Out = typename Pins::Out;

    Lockstep(PinBlock<Pins>& model, PinBlock<Pins>& rtl, Stimulus<Pins>& stimulus)
        : model_(model), rtl_(rtl), stimulus_(stimulus) {
        reset_block(model_);
        reset_block(rtl_);
    }

    uint64_t cycles() const { return cycle_; }

    // Up to `cycles` more cycles; fewer when the stimulus ends or a difference is found.
    std::optional<Difference> run(uint64_t cycles,
                                  const std::function<void(uint64_t)>& progress = {}) {
        for (const uint64_t end = cycle_ + cycles; cycle_ < end && !stimulus_.finished();
             ++cycle_) {
            Step& s = history_[cycle_ % history_.size()];
            s.cycle = cycle_;
            stimulus_.next(s.in);
            model_.step(s.in, s.model);
            rtl_.step(s.in, s.rtl);
            if (!detail::equal<Pins>(s.model, s.rtl))
                return difference(s);
            stimulus_.observe(s.in, s.model);
            if (progress && cycle_ % kProgressCycles == 0)
                progress(cycle_);
        }
        return std::nullopt;
    }

  private:
    struct Step {
        uint64_t cycle = ~uint64_t{0};
        In in{};
        Out model{}, rtl{};
    };

    Difference difference(const Step& s) const {
        Difference d;
        d.cycle = s.cycle;
        bool found = false;
        Pins::outputs([&](auto pin) {
            std::vector<uint64_t> rtl;
            detail::each_value(pin.member(s.rtl),
                               [&](const auto&, uint64_t v) { rtl.push_back(v); });
            size_t i = 0;
            detail::each_value(pin.member(s.model), [&](const std::string& index, uint64_t v) {
                if (!found && v != rtl[i]) {
                    found = true;
                    d.port = pin.port;
                    d.field = pin.field + index;
                    d.model = v;
                    d.rtl = rtl[i];
                }
                ++i;
            });
        });
        for (uint64_t back = history_.size(); back-- > 0;) {
            if (s.cycle < back)
                continue;
            const Step& h = history_[(s.cycle - back) % history_.size()];
            add_transactions(h, h.model, d.model_transactions);
            add_transactions(h, h.rtl, d.rtl_transactions);
        }
        const auto shorten = [](std::vector<std::string>& lines) {
            if (lines.size() > kShownTransactions)
                lines.erase(lines.begin(), lines.end() - kShownTransactions);
        };
        shorten(d.model_transactions);
        shorten(d.rtl_transactions);
        return d;
    }

    static void add_transactions(const Step& s, const Out& out, std::vector<std::string>& to) {
        for (const std::string& port : detail::transfers<Pins>(s.in, out)) {
            std::string line = "cycle " + std::to_string(s.cycle) + " " + port + ":";
            const auto show = [&](const auto& pins) {
                return [&](auto pin) {
                    if (port != pin.port)
                        return;
                    detail::each_value(pin.member(pins), [&](const std::string& index, uint64_t v) {
                        line += " " + detail::field_text(pin.field + index, v);
                    });
                };
            };
            each_input<Pins>(show(s.in));
            Pins::outputs(show(out));
            to.push_back(line);
        }
    }

    PinBlock<Pins>& model_;
    PinBlock<Pins>& rtl_;
    Stimulus<Pins>& stimulus_;
    uint64_t cycle_ = 0;
    static constexpr size_t kHistory = 1024;                   // cycles
    std::vector<Step> history_ = std::vector<Step>(kHistory);  // too large for a stack
};

}  // namespace archipelago::rtl
