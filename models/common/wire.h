// SPDX-License-Identifier: Apache-2.0
// A registered level (busy, halt): what is set in cycle n is seen from n + 1 on.
#pragma once

#include "models/common/archive.h"
#include "models/common/clocked.h"

namespace archipelago {

template <class T>
class Wire {
  public:
    explicit Wire(T initial = {}) : current_(initial), before_(initial) {}
    void set(Cycle now, T value) {
        if (listener_ != nullptr && !(value == current_))
            listener_->wake_at(now + 1);
        if (!set_once_ || now != changed_) {
            before_ = current_;
            changed_ = now;
            set_once_ = true;
        }
        current_ = value;
    }
    T get(Cycle now) const { return !set_once_ || now > changed_ ? current_ : before_; }
    // The newest value, for those outside the clock (functional mode, dumps).
    T latest() const { return current_; }
    // Every change wakes `listener`, in the cycle from which the change can be seen. May be null.
    void listen(Clocked* listener) const { listener_ = listener; }
    void archive(Archive& a) { a(current_, before_, changed_, set_once_); }
    // Back to the state after construction.
    void reset(T initial = {}) {
        current_ = before_ = initial;
        set_once_ = false;
    }

  private:
    T current_;
    T before_;
    Cycle changed_ = 0;
    bool set_once_ = false;
    mutable Clocked* listener_ = nullptr;
};

}  // namespace archipelago
