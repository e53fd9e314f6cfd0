// SPDX-License-Identifier: Apache-2.0
// Interrupts of a chip that has no handler with a ring in memory: they go straight to the host.
#pragma once

#include <functional>
#include <utility>

#include "models/common/archive.h"
#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/interrupt.h"

namespace archipelago::asic {

class HostInterrupts : public Clocked {
  public:
    HostInterrupts(unsigned latency, std::function<void(const Interrupt&)> raise)
        : in(latency), raise_(std::move(raise)) {
        in.set_consumer(this);
    }
    EventLink<Interrupt> in;
    void archive(Archive& a) { a(in); }
    bool tick(Cycle now) override {
        if (!in.ready(now))
            return false;
        raise_(in.take());
        return true;
    }

  private:
    const std::function<void(const Interrupt&)> raise_;
};

}  // namespace archipelago::asic
