// SPDX-License-Identifier: Apache-2.0
// Some work-groups of a dispatch, for runs that measure a part of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace archipelago {

// Groups are numbered as they are walked, x fastest.
struct GroupSelection {
    struct Range {
        uint32_t first = 0, last = 0;  // both are in it
    };
    std::vector<Range> ranges;  // ascending and disjoint; none: every group
    bool others = false;        // true: selects the groups that no range names

    bool everything() const { return ranges.empty(); }
    bool has(uint32_t group) const {
        if (everything())
            return true;
        const auto behind = std::upper_bound(
            ranges.begin(), ranges.end(), group,
            [](uint32_t number, const Range& range) { return number < range.first; });
        const bool named = behind != ranges.begin() && group <= (behind - 1)->last;
        return named != others;
    }
    // Number of groups selected of a dispatch with `groups` groups. Every range must lie in it.
    uint64_t count(uint64_t groups) const {
        if (everything())
            return groups;
        uint64_t named = 0;
        for (const Range& range : ranges)
            named += uint64_t{range.last} - range.first + 1;
        return others ? groups - named : named;
    }
};

}  // namespace archipelago
