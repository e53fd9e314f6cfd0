// SPDX-License-Identifier: Apache-2.0
// Asked by L2 before it takes a write it will not fetch for.
#pragma once

#include <cstdint>

namespace archipelago::tc {

// Pages of the GPU address space; a page once mapped stays mapped.
constexpr uint64_t kPageBytes = 4096;

class PageCheck {
  public:
    virtual ~PageCheck() = default;
    virtual bool is_mapped(uint64_t address) const = 0;
};

}  // namespace archipelago::tc
