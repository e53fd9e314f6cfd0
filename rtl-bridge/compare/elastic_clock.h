// SPDX-License-Identifier: Apache-2.0
// The clock of a block as the chip runs it: ClockRule of its pins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl-bridge/compare/elastic_ports.h"

namespace archipelago::rtl::elastic {

class BlockClock {
  public:
    BlockClock(const PinTable& table, const Ports& ports);

    // After the last cycle of a reset.
    void reset(const void* out);
    // With the inputs of a cycle: whether the chip steps the block.
    bool runs(const void* in) const;
    // A cycle in which it was stepped.
    void stepped(const void* in, const void* out);
    // A cycle in which it was not.
    void stood() { stands_ = true; }
    // The block has asked for its clock to stop, and has no input.
    bool stands() const { return stands_; }

    // It has said that nothing is inside, and something has passed an output or come back from
    // below since, without a new input.
    bool denied_work() const { return denied_; }
    // In words, for a report: the pin that has stopped the clock.
    std::string cause() const;
    const char* empty_pin() const { return rule_.empty; }

  private:
    bool valid_input(const void* in) const;
    void note_empty(const void* in, const void* out);

    const ClockRule& rule_;
    const Ports& ports_;
    const PinRow* stops_ = nullptr;  // null: the clock never stops
    const PinRow* empty_ = nullptr;
    std::vector<unsigned> wakes_, resident_;  // ports
    uint64_t had_room_ = 0;                   // bit n: wakes_[n] was ready in the last cycle
    int64_t inside_ = 0;                      // passed the first port of resident_, not the second
    bool asked_ = false, stands_ = false;
    bool empty_seen_ = false, denied_ = false;
};

}  // namespace archipelago::rtl::elastic
