// SPDX-License-Identifier: Apache-2.0
// Arbitration among requesters given as bits of a mask.
#pragma once

#include <cstdint>

namespace archipelago {

// Round robin over up to 64 requesters: the one after the last granted comes first.
class RoundRobin {
  public:
    explicit RoundRobin(unsigned count = 64) : count_(count) {}
    // Index of the granted requester, or -1 when `requests` is 0. grant() moves the turn on.
    int pick(uint64_t requests) const {
        if (requests == 0)
            return -1;
        const uint64_t later = next_ < 64 ? requests & (~uint64_t{0} << next_) : 0;
        return __builtin_ctzll(later != 0 ? later : requests);
    }
    void grant(int index) {
        next_ = static_cast<unsigned>(index) + 1;
        if (next_ >= count_)
            next_ = 0;
    }
    int pick_and_grant(uint64_t requests) {
        const int index = pick(requests);
        if (index >= 0)
            grant(index);
        return index;
    }
    void reset() { next_ = 0; }
    template <class Archive>
    void archive(Archive& a) {
        a(next_);
    }

  private:
    unsigned count_;
    unsigned next_ = 0;
};

}  // namespace archipelago
