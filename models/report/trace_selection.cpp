// SPDX-License-Identifier: Apache-2.0
#include "models/report/trace_selection.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <utility>

namespace archipelago::report {
namespace {

__extension__ using Wide = unsigned __int128;

// The cycle of a clock at which another, of period `period_fs`, has its cycle `at`, rounded down
// or up.
Cycle in_clock(Cycle at, uint64_t period_fs, uint64_t clock_fs, bool up) {
    if (at == kNever)
        return kNever;
    const Wide time = static_cast<Wide>(at) * period_fs + (up ? clock_fs - 1 : 0);
    return static_cast<Cycle>(std::min<Wide>(time / clock_fs, kNever));
}

// Whether the pattern names the row, or something that it is in.
bool names(const std::string& pattern, const std::string& path) {
    for (size_t dot = path.find('.');; dot = path.find('.', dot + 1)) {
        if (fnmatch(pattern.c_str(), path.substr(0, dot).c_str(), 0) == 0)
            return true;
        if (dot == std::string::npos)
            return false;
    }
}

}  // namespace

TraceSelection::TraceSelection(TraceSink& to, TraceChoice choice)
    : to_(to), choice_(std::move(choice)) {}

bool TraceSelection::wants(const std::string& path) const {
    const auto& units = choice_.units;
    return units.empty() || std::any_of(units.begin(), units.end(),
                                        [&](const std::string& unit) { return names(unit, path); });
}

std::vector<std::string> TraceSelection::unknown_units() const {
    std::vector<std::string> unknown;
    for (const std::string& unit : choice_.units)
        if (std::none_of(paths_.begin(), paths_.end(),
                         [&](const std::string& path) { return names(unit, path); }))
            unknown.push_back(unit);
    return unknown;
}

std::vector<std::string> TraceSelection::known_units() const {
    std::vector<std::string> known;
    std::set<std::string> seen;
    for (const std::string& path : paths_)
        for (size_t dot = path.find('.');; dot = path.find('.', dot + 1)) {
            std::string name = path.substr(0, dot);
            if (seen.insert(name).second)
                known.push_back(std::move(name));
            if (dot == std::string::npos)
                break;
        }
    return known;
}

TrackId TraceSelection::add(const std::string& path, uint64_t period_fs, bool counts,
                            std::string_view unit) {
    Row row;
    row.wanted = wants(path);
    row.before = in_clock(choice_.first, choice_.period_fs, period_fs, false);
    row.first = in_clock(choice_.first, choice_.period_fs, period_fs, true);
    row.end = in_clock(choice_.end, choice_.period_fs, period_fs, true);
    if (row.wanted)
        row.to = counts ? to_.counter_track(path, period_fs, unit) : to_.track(path, period_fs);
    paths_.push_back(path);
    rows_.push_back(row);
    return static_cast<TrackId>(rows_.size() - 1);
}

TrackId TraceSelection::track(const std::string& path, uint64_t period_fs) {
    return add(path, period_fs, false, {});
}

TrackId TraceSelection::counter_track(const std::string& path, uint64_t period_fs,
                                      std::string_view unit) {
    return add(path, period_fs, true, unit);
}

void TraceSelection::slice(TrackId track, Cycle begin, Cycle end, std::string_view name,
                           uint64_t flow, std::string_view detail) {
    const Row& row = rows_.at(track);
    if (row.wanted && begin < row.end && (end > row.before || begin >= row.first))
        to_.slice(row.to, begin, end, name, flow, detail);
}

void TraceSelection::instant(TrackId track, Cycle at, std::string_view name, uint64_t flow) {
    const Row& row = rows_.at(track);
    if (row.wanted && at >= row.first && at < row.end)
        to_.instant(row.to, at, name, flow);
}

bool TraceSelection::passes(Row& row, Cycle at) {
    if (!row.wanted)
        return false;
    if (at < row.first) {
        row.waits = true;
        return false;
    }
    if (row.waits && at > row.first)
        pass_earlier(row);
    row.waits = false;
    return at < row.end;
}

void TraceSelection::pass_earlier(Row& row) {
    if (row.fraction)
        to_.fraction(row.to, row.first, row.share);
    else
        to_.counter(row.to, row.first, row.value);
}

void TraceSelection::counter(TrackId track, Cycle at, uint64_t value) {
    Row& row = rows_.at(track);
    if (passes(row, at))
        to_.counter(row.to, at, value);
    row.value = value;
}

void TraceSelection::fraction(TrackId track, Cycle at, double value) {
    Row& row = rows_.at(track);
    row.fraction = true;
    if (passes(row, at))
        to_.fraction(row.to, at, value);
    row.share = value;
}

}  // namespace archipelago::report
