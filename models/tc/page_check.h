// SPDX-License-Identifier: Apache-2.0
// L2's check of the page before it accepts a write that fetches no line.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/page.h"

namespace archipelago::tc {

// A page once mapped stays mapped.
class PageCheck {
  public:
    virtual ~PageCheck() = default;
    virtual bool is_mapped(uint64_t address) const = 0;
};

// Whether the page of the address is mapped; without `pages` all are. `known` remembers pages that
// are, a power of two of them.
inline bool page_mapped(const PageCheck* pages, std::vector<uint64_t>& known, uint64_t address) {
    const uint64_t page = address / kPageBytes;
    uint64_t& last = known[page & (known.size() - 1)];
    if (pages != nullptr && last != page) {
        if (!pages->is_mapped(address))
            return false;
        last = page;
    }
    return true;
}

}  // namespace archipelago::tc
