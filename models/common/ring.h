// SPDX-License-Identifier: Apache-2.0
// A queue of fixed capacity inside one core, whose entries keep their slot numbers while queued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "models/common/clocked.h"
#include "models/common/host_line.h"

namespace archipelago {

template <class T>
class Ring {
  public:
    explicit Ring(size_t capacity) : items_(capacity), capacity_(capacity) {}
    bool empty() const { return count_ == 0; }
    bool full() const { return count_ == capacity_; }
    size_t size() const { return count_; }
    size_t space() const { return capacity_ - count_; }
    // Only when not full(). Returns the slot, valid until the entry is popped.
    template <class U = T>
    uint32_t push(U&& value) {
        size_t at = head_ + count_;
        if (at >= capacity_)
            at -= capacity_;
        items_[at] = std::forward<U>(value);
        ++count_;
        return static_cast<uint32_t>(at);
    }
    // push() of an entry that the caller writes in its place, where an old one may still be.
    T& extend() {
        uint32_t slot = 0;
        return extend(slot);
    }
    T& extend(uint32_t& slot) {
        size_t at = head_ + count_;
        if (at >= capacity_)
            at -= capacity_;
        ++count_;
        slot = static_cast<uint32_t>(at);
        return items_[at];
    }
    // The i-th of those queued.
    const T& operator[](size_t i) const {
        const size_t at = head_ + i;
        return items_[at >= items_.size() ? at - items_.size() : at];
    }
    T& front() { return items_[head_]; }
    const T& front() const { return items_[head_]; }
    T pop() {
        T value = std::move(items_[head_]);
        drop();
        return value;
    }
    // Pops the oldest entry without returning it.
    void drop() {
        if (++head_ == capacity_)
            head_ = 0;
        --count_;
    }
    T& at_slot(uint32_t slot) { return items_[slot]; }
    void clear() { head_ = count_ = 0; }
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(empty(), "a queue is not empty");
        a(head_);
    }

  private:
    HostLineVector<T> items_;
    size_t capacity_;
    size_t head_ = 0;
    size_t count_ = 0;
};

// The cycle from which the oldest answer of a queue can leave; kNever while that is not known, or
// the queue is empty.
template <class T>
Cycle first_ready(const Ring<T>& answers) {
    return answers.empty() ? kNever : answers.front().ready;
}

}  // namespace archipelago
