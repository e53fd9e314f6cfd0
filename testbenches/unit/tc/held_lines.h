// SPDX-License-Identifier: Apache-2.0
// What a cache holds, in no order of its own.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "models/tc/cache_array.h"

namespace archipelago::test {

// By key: valid and dirty bytes.
using HeldLines = std::map<uint64_t, std::pair<uint64_t, uint64_t>>;

inline HeldLines held_lines(const tc::CacheArray& array) {
    HeldLines lines;
    for (uint32_t i = 0; i < array.entries(); ++i)
        if (array.in_use(i))
            lines[array.key(i)] = {array.valid(i), array.dirty(i)};
    return lines;
}

}  // namespace archipelago::test
