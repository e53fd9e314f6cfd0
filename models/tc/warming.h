// SPDX-License-Identifier: Apache-2.0
// Caches outside time: requests and cache actions that take effect at once, for what a cache holds
// when cycle mode takes over from functional mode. Each cache has
//   warm(request)   tags and replacement order as the request leaves them; of a first-level cache,
//                   whether it goes on to L2
//   warm(action)    the same for a cache action
//   fill(read)      gives what it holds its data, by read(line address, VMID, data); drops what
//                   cannot be read. L2, which is not tagged by VMID, says 0
//   archive_lines() what it holds, without its counters
// They share with tick() what decides which line is kept, and which goes.
#pragma once

#include "models/tc/cache_array.h"

namespace archipelago::tc {

template <class Read>
void fill_lines(CacheArray& array, const Read& read) {
    for (uint32_t i = 0; i < array.entries(); ++i)
        if (array.in_use(i) &&
            !read(line_of(array.key(i)), static_cast<uint8_t>(array.key(i) % kLineBytes),
                  array.data(i)))
            array.remove(i);
}

}  // namespace archipelago::tc
