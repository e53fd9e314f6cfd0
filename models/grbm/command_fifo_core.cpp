// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/command_fifo_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/common/error.h"

namespace archipelago::grbm {

std::vector<std::string> CommandFifoSpec::problems() const {
    const regs::NamedRegister wait = wait_until();
    if (!wait.exists())
        return {"the family has no register WAIT_UNTIL"};
    std::vector<std::string> list;
    const auto check_field = [&](const std::string& field) {
        if (wait.field(field) == nullptr)
            list.push_back("WAIT_UNTIL has no field " + field);
    };
    for (const IdleWait& row : waits)
        check_field(row.field);
    for (const std::string& field : operands)
        check_field(field);
    return list;
}

CommandFifoCore::CommandFifoCore(const CommandFifoSpec& spec)
    : requests(spec.requests, "command_fifo.requests"),
      spec_(spec),
      wait_until_(spec.wait_until()) {
    const std::vector<std::string> problems = spec_.problems();
    if (!problems.empty())
        throw std::invalid_argument(fmt::format("command FIFO: {}", fmt::join(problems, "; ")));
    const regs::NamedRegister wait = spec_.wait_until();
    for (const IdleWait& row : spec_.waits) {
        waits_.push_back({wait.field(row.field)->mask(), {}});
        known_bits_ |= waits_.back().mask;
    }
    for (const std::string& field : spec_.operands)
        known_bits_ |= wait.field(field)->mask();
    add_input(requests);
}

void CommandFifoCore::add_busy(const std::string& unit, const Wire<bool>* busy) {
    for (size_t i = 0; i < waits_.size(); ++i) {
        const std::vector<std::string>& units = spec_.waits[i].units;
        if (std::find(units.begin(), units.end(), unit) != units.end())
            waits_[i].units.emplace_back(busy, unit);
    }
}

void CommandFifoCore::check(const RegRequest& wait) const {
    if (const uint32_t bits = wait.value & ~known_bits_)
        throw MachineStop(StopKind::Unimplemented, "command FIFO",
                          fmt::format("{}: the wait of bits 0x{:x} is not implemented",
                                      spec_.database->decode(wait.offset, wait.value), bits));
}

template <class High>
bool CommandFifoCore::any_busy(uint32_t value, const High& high) const {
    return std::any_of(waits_.begin(), waits_.end(), [&](const Wait& wait) {
        return (value & wait.mask) != 0 &&
               std::any_of(wait.units.begin(), wait.units.end(),
                           [&](const auto& unit) { return high(*unit.first); });
    });
}

bool CommandFifoCore::tick(Cycle now) {
    if (run_ == RunState::Paused || !requests.can_pop(now))
        return false;
    const RegRequest& r = requests.front();
    if (is_wait(r)) {
        if (state_.since == kNever) {
            check(r);
            state_.since = now;
        }
        if ((state_.passed != kNever && now < state_.passed + spec_.reaction) ||
            any_busy(r.value, [now](const Wire<bool>& level) { return level.get(now); })) {
            wake_at(now + 1);
            return false;
        }
    }
    if (!to_bus->can_push(now))
        return false;
    if (state_.since != kNever) {
        ++state_.waits;
        state_.wait_cycles += now - state_.since;
        state_.since = kNever;
    }
    ++state_.requests;
    state_.passed = now;
    requests.drop(now);  // its slot keeps it for this tick
    to_bus->push(now, r);
    return false;  // the next request wakes this
}

// ---- functional mode ----------------------------------------------------------------------------

void CommandFifoCore::write(const RegRequest& request) {
    if (is_wait(request))
        check(request);
    held_.push_back(request);
    pass_on();
}

void CommandFifoCore::pass_on() {
    while (!held_.empty()) {
        const RegRequest r = held_.front();
        const bool wait = is_wait(r);
        if (wait && any_busy(r.value, [](const Wire<bool>& level) { return level.latest(); }))
            return;
        held_.pop_front();
        ++state_.requests;
        state_.waits += wait ? 1 : 0;
        on_write(r);
    }
}

// ---- control, statistics ------------------------------------------------------------------------

void CommandFifoCore::reset() {
    Unit::reset();
    state_ = {};
    held_.clear();
}

void CommandFifoCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(held_.empty(), waiting_for());
    a(state_);
}

bool CommandFifoCore::idle() const {
    return held_.empty() && requests.empty();
}

// The units that still work, with the fields that wait for them.
std::string CommandFifoCore::wait_text(uint32_t value) const {
    std::string text = "WAIT_UNTIL waits for";
    bool any = false;
    for (size_t i = 0; i < waits_.size(); ++i) {
        if ((value & waits_[i].mask) == 0)
            continue;
        std::string units;
        for (const auto& [level, unit] : waits_[i].units)
            if (level->latest() && units.find(unit) == std::string::npos)
                units += (units.empty() ? "" : ", ") + unit;
        if (!units.empty())
            text += (any ? "; " : " ") + spec_.waits[i].field + " (" + units + ")";
        any = any || !units.empty();
    }
    return any ? text : text + " units that an earlier write may start";
}

std::string CommandFifoCore::waiting_for() const {
    if (requests.empty() && held_.empty())
        return "";
    const RegRequest& oldest = held_.empty() ? requests.front() : held_.front();
    const size_t later = (held_.empty() ? requests.size() : held_.size()) - 1;
    std::string text = "command FIFO: ";
    if (is_wait(oldest))
        text += wait_text(oldest.value);
    else
        text +=
            fmt::format("{} of CP {} 0x{:05x} waits for the register bus",
                        oldest.write ? "write" : "read", oldest.write ? "to" : "of", oldest.offset);
    if (later != 0)
        text += fmt::format(", {} {} of CP after it", later, later == 1 ? "request" : "requests");
    return text;
}

void CommandFifoCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "requests", "transactions", "requests of CP passed to the register bus",
              &state_.requests);
    stats.add(path, "waits", "transactions", "writes of WAIT_UNTIL", &state_.waits);
    stats.add(path, "wait_cycles", "cycles", "a write of WAIT_UNTIL waited at the end of the FIFO",
              &state_.wait_cycles);
}

}  // namespace archipelago::grbm
