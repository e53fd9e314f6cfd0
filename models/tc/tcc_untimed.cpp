// SPDX-License-Identifier: Apache-2.0
// Untimed access to the lines of an L2 channel: warming by functional mode, debug accesses, and the
// lines of a checkpoint.
#include "models/common/archive.h"
#include "models/tc/invalidation.h"
#include "models/tc/tcc_core.h"

namespace archipelago::tc {

void TccCore::warm(const MemRequest& request) {
    CacheArray& array = state_.array;
    uint32_t entry = array.find(set_of(request.line), request.line);
    const bool here = entry != CacheArray::kNone;
    if (!here) {
        entry = array.victim(set_of(request.line));  // none is pinned
        array.replace(entry, request.line);
    }
    if (request.command == MemCommand::Write)
        return keep_written(request, entry);
    const bool fetched = (request.byte_mask & ~array.valid(entry)) != 0;
    if (fetched)
        array.valid(entry) = ~uint64_t{0};
    if (request.command == MemCommand::Atomic)
        array.dirty(entry) |= request.byte_mask;
    // A read takes the rest of a line held in part as it passes, see take_fill().
    if (!here || !fetched || request.command == MemCommand::Atomic)
        use(request, entry);
}

void TccCore::warm(const CacheAction& action) {
    for (uint32_t i = 0; i < state_.array.entries(); ++i) {
        if (!state_.array.in_use(i) || !covers(action, state_.array.key(i)))
            continue;
        if (action.writeback_l2)
            state_.array.dirty(i) = 0;
        if (action.invalidate_l2)
            drop_clean_bytes(i);
    }
}

uint64_t TccCore::peek(uint64_t line, Line& data) const {
    const uint32_t entry = state_.array.find(set_of(line), line);
    if (entry == CacheArray::kNone)
        return 0;
    data = state_.array.data(entry);
    return state_.array.valid(entry);
}

void TccCore::poke(uint64_t line, const Line& data, uint64_t mask) {
    const uint32_t entry = state_.array.find(set_of(line), line);
    if (entry != CacheArray::kNone)
        merge_bytes(state_.array.data(entry), data, mask & state_.array.valid(entry));
}

void TccCore::archive_lines(Archive& a) {
    a(state_.array);
}

}  // namespace archipelago::tc
