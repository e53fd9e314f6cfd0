// SPDX-License-Identifier: Apache-2.0
#include "models/report/counter_kinds.h"

#include <set>

namespace archipelago::report {
namespace {

// The end of the path's part that begins at `begin`.
size_t end_of_part(const std::string& path, size_t begin) {
    const size_t dot = path.find('.', begin);
    return dot == std::string::npos ? path.size() : dot;
}

// Every unit's path, and those of what it is in.
std::set<std::string> paths_of(const StatsRegistry& registry) {
    std::set<std::string> paths;
    for (const Counter& counter : registry.counters())
        for (size_t end = 0; end < counter.unit_path.size();) {
            end = end_of_part(counter.unit_path, end == 0 ? 0 : end + 1);
            paths.insert(counter.unit_path.substr(0, end));
        }
    return paths;
}

std::string kind_of(const std::string& path, const std::set<std::string>& paths) {
    std::string kind;
    for (size_t begin = 0, end = 0; begin < path.size(); begin = end + 1) {
        end = end_of_part(path, begin);
        const size_t last = path.find_last_not_of("0123456789", end - 1);
        const bool is_numbered = last != std::string::npos && last >= begin && last + 1 < end &&
                                 paths.count(path.substr(0, last + 1) + "0") != 0;
        kind +=
            (begin == 0 ? "" : ".") + path.substr(begin, (is_numbered ? last + 1 : end) - begin);
    }
    return kind;
}

}  // namespace

std::map<std::string, std::string> kinds_of(const StatsRegistry& registry) {
    const std::set<std::string> paths = paths_of(registry);
    std::map<std::string, std::string> kinds;
    for (const Counter& counter : registry.counters())
        if (const auto [it, is_new] = kinds.try_emplace(counter.unit_path); is_new)
            it->second = kind_of(counter.unit_path, paths);
    return kinds;
}

}  // namespace archipelago::report
