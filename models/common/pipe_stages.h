// SPDX-License-Identifier: Apache-2.0
// A pipeline with ready and valid at both ends: results on their way from the input port to the
// output port, a stage a cycle.
#pragma once

#include <array>
#include <cstddef>

namespace archipelago {

// Plain and serialisable. Stage 0 is next to the input port.
template <class Result, size_t kStages>
class PipeStages {
  public:
    // At the output port in this cycle; null: nothing.
    const Result* at_output() const { return valid_.back() ? &results_.back() : nullptr; }
    // Whether the input port takes something in this cycle: a stage moves when it is empty or the
    // one after it moves.
    bool ready(bool output_taken) const {
        bool moves = output_taken;
        for (size_t i = kStages; i-- > 0;)
            moves = !valid_[i] || moves;
        return moves;
    }
    // The clock edge, at which the first stage becomes empty if it moves.
    void advance(bool output_taken) {
        bool moves = output_taken;
        for (size_t i = kStages; i-- > 0;) {
            moves = !valid_[i] || moves;
            if (!moves)
                continue;
            valid_[i] = i != 0 && valid_[i - 1];
            if (valid_[i])
                results_[i] = results_[i - 1];
        }
    }
    // After advance(), when ready() was true.
    void enter(const Result& result) {
        results_.front() = result;
        valid_.front() = true;
    }

  private:
    std::array<Result, kStages> results_{};
    std::array<bool, kStages> valid_{};
};

}  // namespace archipelago
