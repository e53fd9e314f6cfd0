// SPDX-License-Identifier: Apache-2.0
// Answers of the surroundings of a block under the contract elastic: each comes after a while of
// its own, in any order, and stays at the port until it is taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

template <class Answer>
class LateAnswers {
  public:
    void clear() { *this = {}; }
    void add(Answer answer) { waiting_.push_back({std::move(answer), 0}); }
    bool empty() const { return waiting_.empty() && !held_; }

    // A cycle begins; put(answer) is called when another one comes to the port. Returns whether one
    // is there.
    template <class Put>
    bool next(Random& random, const Put& put) {
        ++now_;
        for (Waiting& w : waiting_)
            if (w.due == 0)
                w.due = now_ + 1 + random.below(kLatency);
        const auto due = std::find_if(waiting_.begin(), waiting_.end(),
                                      [&](const Waiting& w) { return w.due <= now_; });
        if (!held_ && due != waiting_.end()) {
            put(due->answer);
            waiting_.erase(due);
            held_ = true;
        }
        return held_;
    }
    void taken() { held_ = false; }

  private:
    static constexpr uint32_t kLatency = 60;  // cycles, at most
    struct Waiting {
        Answer answer;
        uint64_t due;  // cycle; 0: not chosen yet
    };
    std::deque<Waiting> waiting_;
    bool held_ = false;
    uint64_t now_ = 0;
};

}  // namespace archipelago::rtl
