// SPDX-License-Identifier: Apache-2.0
// A pipeline of fixed depth that accepts up to `width` items a cycle and keeps their order.
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/clocked.h"

namespace archipelago {

// Inside one core (between cores use Channel). An item entered in cycle n leaves in n + depth or
// later; a stalled head stalls acceptance once `capacity` items are inside.
template <class T>
class Pipeline {
  public:
    Pipeline(unsigned width, unsigned depth, unsigned capacity)
        : width_(width), depth_(depth), items_(capacity) {
        assert(width >= 1 && depth >= 1 && capacity >= 1);
    }
    bool can_enter(Cycle now) const {
        return count_ < items_.size() && (last_enter_ != now || entered_ < width_);
    }
    void enter(Cycle now, T value) {
        if (last_enter_ != now) {
            last_enter_ = now;
            entered_ = 0;
        }
        ++entered_;
        items_[(head_ + count_) % items_.size()] = {now + depth_, std::move(value)};
        ++count_;
    }
    bool can_leave(Cycle now) const { return count_ != 0 && items_[head_].first <= now; }
    // Cycle in which the oldest item may leave; kNever when empty.
    Cycle next_ready() const { return count_ != 0 ? items_[head_].first : kNever; }
    T& front() { return items_[head_].second; }
    T leave() {
        T value = std::move(items_[head_].second);
        head_ = (head_ + 1) % items_.size();
        --count_;
        return value;
    }
    bool empty() const { return count_ == 0; }
    size_t size() const { return count_; }
    void clear() {
        head_ = count_ = 0;
        last_enter_ = kNever;
    }

  private:
    unsigned width_;
    unsigned depth_;
    std::vector<std::pair<Cycle, T>> items_;
    size_t head_ = 0;
    size_t count_ = 0;
    Cycle last_enter_ = kNever;
    unsigned entered_ = 0;
};

}  // namespace archipelago
