// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/timeline_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "models/config/scalar.h"
#include "models/config/suggest.h"

namespace archipelago::host {
namespace {

// "100000:120000", "100000:" or ":120000": cycles, the second not included.
void parse_window(const std::string& text, report::TraceChoice& choice) {
    const auto refuse = [&](const std::string& why) {
        throw std::invalid_argument(fmt::format(
            "--trace-window {}: {}expected FIRST:END in cycles, such as 100000:120000", text, why));
    };
    const size_t colon = text.find(':');
    if (colon == std::string::npos || text.size() == 1)
        refuse("");
    const auto cycle = [&](std::string_view part, Cycle& to) {
        if (part.empty())
            return;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), to);
        if (error != std::errc() || end != part.data() + part.size())
            refuse(fmt::format("\"{}\" is no cycle, ", part));
    };
    cycle(std::string_view(text).substr(0, colon), choice.first);
    cycle(std::string_view(text).substr(colon + 1), choice.end);
    if (choice.end <= choice.first)
        refuse("it ends before it begins, ");
}

std::vector<std::string> parse_units(const std::vector<std::string>& lists) {
    std::vector<std::string> units;
    for (const std::string& list : lists)
        for (size_t at = 0; at <= list.size();) {
            const size_t comma = std::min(list.find(',', at), list.size());
            if (comma == at)
                throw std::invalid_argument("--trace-units " + list +
                                            ": an empty name, expected units such as cp,se0");
            units.push_back(list.substr(at, comma - at));
            at = comma + 1;
        }
    return units;
}

// Bytes, with or without a unit.
uint64_t parse_limit(const std::string& text) {
    uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (error == std::errc() && end == text.data() + text.size())
        return bytes;
    const config::QuantityText quantity = config::parse_quantity(text, config::Unit::Byte);
    if (quantity.status != config::QuantityText::Status::Ok)
        throw std::invalid_argument("--trace-limit " + text +
                                    ": expected a size such as 256MiB, or 0 for none");
    return quantity.value;
}

}  // namespace

const LoadedKernels& KernelsOfRun::of(uint64_t program) const {
    if (looked_up_.insert(program).second && known_.name(program).empty())
        known_ = loaded_();
    return known_;
}

TimelineFile::TimelineFile(const RunArguments& a, uint64_t period_fs)
    : file_(a.trace), path_(a.trace), window_(a.trace_window) {
    try {
        report::TraceChoice choice;
        choice.period_fs = period_fs;
        if (!window_.empty())
            parse_window(window_, choice);
        first_ = choice.first;
        choice.units = parse_units(a.trace_units);
        file_.count_cycles_of(period_fs);
        const std::string limit = a.trace_limit.empty() ? kTraceLimit : a.trace_limit;
        file_.limit(parse_limit(limit), [this, limit](Cycle cycle) {
            note_ = fmt::format(", ends early at cycle {}", cycle);
            fmt::print(stderr,
                       "archipelago: {}: the timeline ends early, at cycle {}: it has reached "
                       "--trace-limit {}; --trace-window and --trace-units choose what is in it\n",
                       path_, cycle, limit);
        });
        if (!window_.empty() || !choice.units.empty())
            selection_.emplace(file_, std::move(choice));
    } catch (...) {
        file_.discard();
        throw;
    }
    sink().track("host", period_fs);
}

TraceSink& TimelineFile::sink() {
    return selection_ ? static_cast<TraceSink&>(*selection_) : file_;
}

void TimelineFile::check_units() {
    if (!selection_)
        return;
    const std::vector<std::string> unknown = selection_->unknown_units();
    if (unknown.empty())
        return;
    file_.discard();
    const std::vector<std::string> known = selection_->known_units();
    std::vector<std::string> outermost;
    for (const std::string& name : known)
        if (name.find('.') == std::string::npos)
            outermost.push_back(name);
    const std::string near = config::did_you_mean(unknown.front(), known);
    throw std::invalid_argument(
        fmt::format("--trace-units {}: the chip has no such unit{}", unknown.front(),
                    near.empty() ? ", expected one of: " + config::join_names(outermost) : near));
}

void TimelineFile::use_kernels(std::function<LoadedKernels()> loaded) {
    sink().use_programs(&kernels_.emplace(std::move(loaded)));
}

void TimelineFile::finish(uint64_t cycle) {
    if (cycle <= first_ && !window_.empty()) {
        note_ = ", its window never begins";
        fmt::print(stderr,
                   "archipelago: {}: --trace-window {} never begins: the run ends at cycle {}\n",
                   path_, window_, cycle);
    }
    file_.finish();
}

}  // namespace archipelago::host
