// SPDX-License-Identifier: Apache-2.0
#include "models/front/stream_reader.h"

namespace archipelago::front {

bool StreamReader::take_line(Cycle now, unsigned ring_number, Channel<RoqLine>& queue,
                             const OutputEvent<RoqCredit>& to_credit) {
    if (!queue.can_pop(now))
        return false;
    LineLevel& at = top();
    at.line = queue.front();
    queue.pop_no_wake(now);
    at.used = 0;
    at.has_line = true;
    to_credit->send(now, {static_cast<uint8_t>(ring_number), level});
    return true;
}

std::string rewritten_unread(const StreamLevel& ring) {
    return "ring buffer registers rewritten while dwords " + std::to_string(ring.position) +
           " to " + std::to_string(ring.end) + " are not executed";
}

}  // namespace archipelago::front
