// SPDX-License-Identifier: Apache-2.0
// Steps a model and its Verilog twin with the same inputs and compares every output in every
// cycle. Stops at the first difference. rtl-bridge/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/pins/pin_block.h"
#include "rtl-bridge/compare/coverage.h"
#include "rtl-bridge/pins/pin_table.h"

namespace archipelago::rtl {

// Chooses the inputs of each cycle. Deterministic: the same object made again gives the same inputs
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

// The values of a block's pins in a cycle: a Pins::In, and a Pins::Out of both blocks.
struct PinValues {
    uint64_t cycle;
    const void *in, *model, *rtl;
};

namespace detail {

std::string field_text(std::string_view field, uint64_t value);

// What a difference shows: the first output of the last cycle that differs, and the transactions
// of all cycles, which are in their order.
Difference describe_difference(const PinTable& table, const std::vector<PinValues>& cycles);

template <class Pins>
bool equal(const typename Pins::Out& a, const typename Pins::Out& b) {
    bool same = true;
    Pins::outputs([&](auto pin) { same = same && pin.member(a) == pin.member(b); });
    return same;
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
            stimulus_.next(s.in);
            model_.step(s.in, s.model);
            rtl_.step(s.in, s.rtl);
            if (!detail::equal<Pins>(s.model, s.rtl))
                return detail::describe_difference(table_of<Pins>(), last_cycles());
            stimulus_.observe(s.in, s.model);
            if (progress && cycle_ % kProgressCycles == 0)
                progress(cycle_);
        }
        return std::nullopt;
    }

  private:
    struct Step {
        In in{};
        Out model{}, rtl{};
    };

    std::vector<PinValues> last_cycles() const {
        std::vector<PinValues> all;
        const uint64_t oldest = cycle_ < kHistory ? 0 : cycle_ - kHistory + 1;
        for (uint64_t cycle = oldest; cycle <= cycle_; ++cycle) {
            const Step& s = history_[cycle % kHistory];
            all.push_back({cycle, &s.in, &s.model, &s.rtl});
        }
        return all;
    }

    PinBlock<Pins>& model_;
    PinBlock<Pins>& rtl_;
    Stimulus<Pins>& stimulus_;
    uint64_t cycle_ = 0;
    static constexpr size_t kHistory = 1024;                   // cycles
    std::vector<Step> history_ = std::vector<Step>(kHistory);  // too large for a stack
};

}  // namespace archipelago::rtl
