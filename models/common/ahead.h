// SPDX-License-Identifier: Apache-2.0
// What an arbiter needs to pass a message on when it comes, not when its turn does.
#pragma once

#include "models/common/clocked.h"

namespace archipelago {

// What lies behind an arbiter's output, when it is known now what it does with a message of a later
// cycle. tlm/direct_link.h.
template <class T>
class AheadSink {
  public:
    virtual ~AheadSink() = default;
    // As a push into the output in cycle `at`, which is the next one. False: it is not known yet
    // whether there will be room, or not every message can stand for this one; nothing was done.
    virtual bool push_ahead(Cycle at, const T& value) = 0;
    // In place of the message pushed last, ahead and for a cycle that has not come yet, another one
    // goes, whatever it is.
    virtual void replace_ahead(const T& value) = 0;
    // From which cycle on a message pushed in cycle `at` can be popped behind it, when it need not
    // wait for room; kNever: nobody knows.
    virtual Cycle arrival(Cycle at) const = 0;
    // How many messages, one a cycle, need not wait for room behind nothing, if each is popped as
    // soon as it can be; and how many cycles late as many behind them are.
    virtual unsigned burst() const = 0;
    virtual Cycle burst_gap() const = 0;
};

}  // namespace archipelago
