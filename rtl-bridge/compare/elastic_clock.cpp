// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/elastic_clock.h"

#include <algorithm>
#include <sstream>

namespace archipelago::rtl::elastic {

BlockClock::BlockClock(const PinTable& table, const Ports& ports)
    : rule_(table.clock), ports_(ports) {
    const auto find = [&](const char* list) {
        std::vector<unsigned> found;
        std::istringstream names(list);
        for (std::string name; names >> name;)
            found.push_back(ports.find(name));
        return found;
    };
    if (*rule_.stops != '\0')
        stops_ = Ports::output(rule_.stops, table);
    if (*rule_.empty != '\0')
        empty_ = Ports::output(rule_.empty, table);
    wakes_ = find(rule_.wakes);
    resident_ = find(rule_.resident);
}

void BlockClock::reset(const void* out) {
    asked_ = stops_ != nullptr && (stops_->get(out, 0) != 0) == rule_.stops_when;
    inside_ = 0;
    had_room_ = 0;
    stands_ = empty_seen_ = denied_ = false;
}

bool BlockClock::valid_input(const void* in) const {
    return std::any_of(ports_.all.begin(), ports_.all.end(), [&](const Port& port) {
        return port.valid != nullptr && port.valid->input && port.valid->get(in, 0) != 0;
    });
}

bool BlockClock::runs(const void* in) const {
    if (!asked_ || inside_ > 0 || valid_input(in))
        return true;
    for (size_t i = 0; i < wakes_.size(); ++i)
        if ((had_room_ >> i & 1) == 0 && ports_.all[wakes_[i]].ready->get(in, 0) != 0)
            return true;
    return false;
}

void BlockClock::stepped(const void* in, const void* out) {
    stands_ = false;
    if (stops_ == nullptr)
        return;
    asked_ = (stops_->get(out, 0) != 0) == rule_.stops_when;
    had_room_ = 0;
    for (size_t i = 0; i < wakes_.size(); ++i)
        had_room_ |= uint64_t{ports_.all[wakes_[i]].ready->get(in, 0) != 0} << i;
    if (!resident_.empty())
        inside_ += int64_t{Ports::passes(ports_.all[resident_[0]], in, out)} -
                   int64_t{Ports::passes(ports_.all[resident_[1]], in, out)};
    if (empty_ != nullptr)
        note_empty(in, out);
}

// What an empty block gives or takes from below is of an input that came later. In the cycle of an
// input the pin may still show the state before it: a chip that reads it then is not misled for
// long.
void BlockClock::note_empty(const void* in, const void* out) {
    bool fed = false, worked = false;
    for (const Port& port : ports_.all) {
        if (!Ports::passes(port, in, out))
            continue;
        fed = fed || port.taken;
        worked = worked || !port.taken;
    }
    denied_ = denied_ || (worked && !fed && empty_seen_);
    empty_seen_ = !fed && (empty_seen_ || empty_->get(out, 0) != 0);
}

std::string BlockClock::cause() const {
    return std::string(rule_.stops) + " is " + (rule_.stops_when ? "high" : "low");
}

}  // namespace archipelago::rtl::elastic
