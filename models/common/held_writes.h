// SPDX-License-Identifier: Apache-2.0
// Register writes that are worked out ahead and do nothing but keep a value are held back while
// nobody else is on their way: nobody sees then when they arrive, and they are handed over together
// in the end. Whoever comes first in their way has them let go: they stand from then on where they
// would have been.
#pragma once

#include <cstdint>

#include "models/common/channel.h"
#include "models/common/memory_message.h"

namespace archipelago {

// Whether what a channel holds leaves it as it comes, one entry a cycle, and before cycle `end`:
// nothing has had to wait.
template <class T>
bool leaves_in_step(const Channel<T>& channel, Cycle now, Cycle end = kNever) {
    for (size_t i = 0; i < channel.size(); ++i)
        if (channel.ready_at(i) < now + i || channel.ready_at(i) >= end)
            return false;
    return true;
}

// Whether nothing is on its way to a block but writes that only keep values there, none of which
// has had to wait.
inline bool brings_only_values(const RegisterTarget& block, const Channel<RegRequest>& to_it,
                               Cycle now) {
    for (size_t i = 0; i < to_it.size(); ++i)
        if (!to_it.peek(i).write || !block.only_keeps(to_it.peek(i).offset))
            return false;
    return leaves_in_step(to_it, now);
}

// Who holds writes of CP back.
class HeldWrites {
  public:
    virtual ~HeldWrites() = default;
    bool held() const { return held_; }
    // In cycle `now` somebody else's request moves: all that has left goes, and what has not leaves
    // in its cycle, from the next one on.
    virtual void let_go(Cycle now) = 0;
    // A write that left behind some of them moves in cycle `now`: those go before it.
    virtual void let_go_before(Cycle now) = 0;

  protected:
    bool held_ = false;
};

// The register bus, on the way of which they are.
class WritesWay {
  public:
    virtual ~WritesWay() = default;
    // Whether nobody is on the way but writes of CP that only keep values, and no block on it does
    // anything, nor waits for room: what is on the way in cycle `now` has passed the bus before
    // cycle `first`, in which the first held one comes there. From now on `holder` is asked to let
    // go.
    virtual bool open(Cycle now, Cycle first, HeldWrites& holder) = 0;
    // How many cycles after the bus their block takes `count` registers from `offset` on, all of
    // which only keep what is written; kNever: not so.
    virtual Cycle to_block(uint32_t offset, uint32_t count) = 0;
    // They have been taken.
    virtual void taken(const RegRequest& first, const uint32_t* values, uint32_t count) = 0;
    // One has passed the bus in cycle `at`, and is on its way to the block.
    virtual void passed(RegRequest request, Cycle at) = 0;
    // Whether one that comes to the bus in cycle `now` meets another there, or the bus at rest.
    virtual bool contended(Cycle now) const = 0;
};

}  // namespace archipelago
