// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/message_mux.h"

#include <utility>

namespace archipelago::gcn {

MessageMux::MessageMux(unsigned units, const ChannelSpec& spec, std::string name)
    : name_(std::move(name)), turn_(units) {
    from_cu_.reserve(units);
    for (unsigned i = 0; i < units; ++i) {
        from_cu_.emplace_back(spec, name_ + ".from_cu" + std::to_string(i));
        add_input(from_cu_.back(), waiting_, i);
    }
}

bool MessageMux::tick(Cycle now) {
    if (run_ == RunState::Paused || waiting_ == 0 || !to_block->can_push(now))
        return false;
    uint64_t ready = 0;
    for (uint64_t left = waiting_; left != 0; left &= left - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(left));
        if (from_cu_[i].can_pop(now))
            ready |= uint64_t{1} << i;
    }
    const int unit = turn_.pick_and_grant(ready);
    if (unit < 0)
        return false;
    to_block->push(now, from_cu_[static_cast<unsigned>(unit)].pop(now));
    if (waiting_ != 0)
        wake_at(now + 1);
    return true;
}

std::string MessageMux::waiting_for() const {
    return idle() ? std::string() : name_ + " has messages to pass on";
}

}  // namespace archipelago::gcn
