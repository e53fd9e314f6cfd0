// SPDX-License-Identifier: Apache-2.0
#include "models/config/suggest.h"

#include <algorithm>

namespace archipelago::config {
namespace {

constexpr std::size_t kLongestName = 64;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
    std::size_t n = 0;
    while (n < a.size() && n < b.size() && lower(a[n]) == lower(b[n])) {
        ++n;
    }
    return n;
}

bool same_text(std::string_view a, std::string_view b) {
    return a.size() == b.size() && common_prefix(a, b) == a.size();
}

bool separates_words(char c) {
    return c == '_' || c == '.' || c == '-';
}

// Whether the shorter one is the first or the last words of the other.
bool has_words_of(std::string_view a, std::string_view b) {
    constexpr std::size_t kShortestWord = 3;
    if (a.size() > b.size()) {
        std::swap(a, b);
    }
    if (a.size() < kShortestWord || a.size() == b.size()) {
        return false;
    }
    const std::size_t rest = b.size() - a.size();
    return (same_text(a, b.substr(0, a.size())) && separates_words(b[a.size()])) ||
           (same_text(a, b.substr(rest)) && separates_words(b[rest - 1]));
}

std::optional<std::string> with_words_of(std::string_view name,
                                         const std::vector<std::string>& candidates) {
    const auto difference = [&](const std::string& candidate) {
        return std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    };
    const std::string* best = nullptr;
    for (const std::string& candidate : candidates) {
        if (candidate.size() <= kLongestName && has_words_of(name, candidate) &&
            (best == nullptr || difference(candidate) < difference(*best))) {
            best = &candidate;
        }
    }
    return best == nullptr ? std::nullopt : std::optional<std::string>(*best);
}

}  // namespace

unsigned edit_distance(std::string_view a, std::string_view b) {
    // Optimal string alignment: three rows of the usual table are enough.
    std::vector<unsigned> before(b.size() + 1);
    std::vector<unsigned> above(b.size() + 1);
    std::vector<unsigned> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        above[j] = static_cast<unsigned>(j);
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = static_cast<unsigned>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

std::optional<std::string> closest(std::string_view name,
                                   const std::vector<std::string>& candidates) {
    if (name.empty() || name.size() > kLongestName) {
        return std::nullopt;
    }
    const unsigned allowed = std::max<unsigned>(1, static_cast<unsigned>(name.size()) / 3);
    const std::string* best = nullptr;
    unsigned best_distance = 0;
    std::size_t best_prefix = 0;
    for (const std::string& candidate : candidates) {
        if (candidate.empty() || candidate.size() > kLongestName || candidate == name) {
            continue;
        }
        const unsigned distance = edit_distance(name, candidate);
        // Replacing every character is not a near miss, however short the names are.
        if (distance > allowed || distance >= std::max(name.size(), candidate.size())) {
            continue;
        }
        const std::size_t prefix = common_prefix(name, candidate);
        if (best == nullptr || distance < best_distance ||
            (distance == best_distance && prefix > best_prefix)) {
            best = &candidate;
            best_distance = distance;
            best_prefix = prefix;
        }
    }
    return best == nullptr ? with_words_of(name, candidates) : std::optional<std::string>(*best);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
    const std::optional<std::string> match = closest(name, candidates);
    return match ? " (did you mean \"" + *match + "\"?)" : std::string();
}

std::string join_names(const std::vector<std::string>& names, std::size_t limit) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i == limit) {
            return out + ", … (" + std::to_string(names.size() - limit) + " more)";
        }
        out += (i == 0 ? "" : ", ") + names[i];
    }
    return out;
}

}  // namespace archipelago::config
