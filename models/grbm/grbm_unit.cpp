// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/grbm_unit.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "models/common/error.h"
#include "models/common/text.h"

namespace archipelago::grbm {

namespace {
const char* const kSourceNames[kSources] = {"host", "cp"};
}  // namespace

GrbmUnit::GrbmUnit(const Spec& spec)
    : to_port(spec.ports, OutputChannel<RegRequest>(this)),
      to_source(kSources, OutputChannel<RegResponse>(this)),
      spec_(spec) {
    const std::vector<std::string> problems = spec.problems();
    if (!problems.empty()) {
        std::string text = "register bus spec";
        for (const std::string& problem : problems)
            text += "; " + problem;
        throw std::invalid_argument(text);
    }
    for (unsigned i = 0; i < kSources; ++i)
        request.emplace_back(spec_.request, std::string("grbm.request.") + kSourceNames[i]);
    for (unsigned i = 0; i < spec_.ports; ++i)
        response.emplace_back(spec_.response, "grbm.response" + std::to_string(i));
}

void GrbmUnit::add_busy(Status status, unsigned bit, const Wire<bool>* wire) {
    busy_.push_back({status, static_cast<uint8_t>(bit), wire});
}

void GrbmUnit::reset() {
    Unit::reset();
    activity_ = {};
    soft_reset.reset();
}

const Range* GrbmUnit::range_of(uint32_t offset) const {
    const auto at = std::find_if(
        spec_.ranges.begin(), spec_.ranges.end(),
        [offset](const Range& range) { return offset >= range.start && offset <= range.end; });
    return at != spec_.ranges.end() ? &*at : nullptr;
}

void GrbmUnit::unknown(Cycle now, const RegRequest& r) {
    ++activity_.unknown;
    if (!r.write && on_read_error)
        on_read_error({r.offset, r.source});
    else if (!r.write && to_read_errors)
        to_read_errors->send(now, {r.offset, r.source});
    if (!logs())
        return;
    const Range* range = range_of(r.offset);
    observers_.log->line(
        LogCategory::Reg, now, path_,
        unknown_text(kSourceNames[r.source], r, range != nullptr ? range->name.c_str() : nullptr));
}

// SRBM writes the lines of what CP asks it for.
void GrbmUnit::log_line(Cycle now, const RegRequest& r, uint32_t value) const {
    const Range* range = range_of(r.offset);
    if (range != nullptr && range->port == spec_.system_port && range->port != kSelf)
        return;
    observers_.log->line(
        LogCategory::Reg, now, path_,
        access_text(kSourceNames[r.source], r.write, r.offset, value, spec_.database));
}

void GrbmUnit::note(Cycle now, unsigned source, Stall stall) {
    Cycle& since = activity_.stalled_since[source];
    const bool on_port = stall == Stall::Port;
    if (since != kNever && (stall == Stall::None || on_port != activity_.stalled_on_port[source])) {
        auto& counter =
            activity_.stalled_on_port[source] ? activity_.stall_port : activity_.stall_response;
        counter[source] += now - since;
        since = kNever;
    }
    if (stall != Stall::None && since == kNever) {
        since = now;
        activity_.stalled_on_port[source] = on_port;
    }
}

void GrbmUnit::stop(StopCause cause, uint32_t place) {
    activity_.stop = cause;
    activity_.stop_place = place;
    if (cause == StopCause::Unsolicited)
        throw MachineStop(StopKind::Protocol, "grbm",
                          "port " + std::to_string(place) + " sent an unsolicited read response");
    SideEffect started{place, hex(place)};  // only a block at the pins can stop for another
    for (const SideEffect& effect : spec_.side_effects)
        if (effect.offset == place)
            started = effect;
    throw MachineStop(StopKind::Unimplemented, "grbm", started.name + ": " + started.why);
}

// ---- control, statistics ------------------------------------------------------------------------

bool GrbmUnit::idle() const {
    for (const auto& channel : request)
        if (run_ == RunState::Running && !channel.empty())
            return false;
    return activity_.reads_used == 0;
}

std::string GrbmUnit::waiting_for() const {
    std::string text;
    for (unsigned source = 0; source < kSources; ++source) {
        if (request[source].empty())
            continue;
        const RegRequest& front = request[source].front();
        const Range* range = range_of(front.offset);
        char line[160];
        std::snprintf(line, sizeof line, "%sregister bus: %s of %s to 0x%05x waits for %s",
                      text.empty() ? "" : "; ", front.write ? "write" : "read",
                      kSourceNames[source], front.offset,
                      range != nullptr ? range->name.c_str() : "nothing");
        text += line;
    }
    if (activity_.reads_used != 0)
        text += (text.empty() ? "" : "; ") + std::string("register bus: ") +
                std::to_string(activity_.reads_used) + " reads wait for their blocks";
    return text;
}

void GrbmUnit::register_stats(StatsRegistry& stats, const std::string& path) const {
    static const char* const kNames[kSources][4] = {
        {"host_writes", "host_reads", "host_stall_port", "host_stall_response"},
        {"cp_writes", "cp_reads", "cp_stall_port", "cp_stall_response"}};
    for (unsigned i = 0; i < kSources; ++i) {
        stats.add(path, kNames[i][0], "transactions", "register writes taken",
                  &activity_.writes[i]);
        stats.add(path, kNames[i][1], "transactions", "register reads taken",
                  &activity_.reads_done[i]);
        stats.add(path, kNames[i][2], "cycles", "oldest request waited for its block",
                  &activity_.stall_port[i]);
        stats.add(path, kNames[i][3], "cycles", "oldest read waited for a place",
                  &activity_.stall_response[i]);
    }
    stats.add(path, "unknown", "transactions", "requests for offsets no register is known at",
              &activity_.unknown);
}

void GrbmUnit::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
}

}  // namespace archipelago::grbm
