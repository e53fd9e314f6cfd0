// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

#include "models/common/page.h"

namespace archipelago::host {

// The union of the pages mapped so far.
class PageSet {
  public:
    // Pages that are new.
    uint64_t add(uint64_t address, uint64_t size) {
        uint64_t first = address / kPageBytes;
        uint64_t end = (address + (size - 1)) / kPageBytes + 1;
        uint64_t known = 0;  // pages of ranges that this one swallows
        auto it = ranges_.upper_bound(first);
        if (it != ranges_.begin() && std::prev(it)->second >= first)
            --it;
        while (it != ranges_.end() && it->first <= end) {
            known += it->second - it->first;
            first = std::min(first, it->first);
            end = std::max(end, it->second);
            it = ranges_.erase(it);
        }
        ranges_.emplace(first, end);
        return end - first - known;
    }

  private:
    std::map<uint64_t, uint64_t> ranges_;  // first page, page after the last
};

}  // namespace archipelago::host
