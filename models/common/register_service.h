// SPDX-License-Identifier: Apache-2.0
// How a block takes its registers' requests from the register bus: one a cycle, in order. Writes
// are posted; a read waits until its answer has a place to go.
#pragma once

#include "models/common/channel.h"
#include "models/common/memory_message.h"

namespace archipelago {

// What a read is answered with; the value and the status are the block's. `write` stays false.
inline RegResponse answer_to(const RegRequest& request) {
    RegResponse response;
    response.port = request.port;
    response.tag = request.tag;
    return response;
}

// Serves the oldest request if there is one in cycle `now`: calls write(request), or
// read(request, value), which says whether there is such a register, and answers. False: nothing
// was served, and a read that waits for `answers` wakes their producer as soon as there is room.
// Without `answers` (nullptr) reads wait for ever, and writes after them.
template <class Write, class Read>
bool serve_register(Cycle now, Channel<RegRequest>& requests, Channel<RegResponse>* answers,
                    const Write& write, const Read& read) {
    if (!requests.can_pop(now))
        return false;
    if (!requests.front().write && (answers == nullptr || !answers->can_push(now)))
        return false;
    const RegRequest request = requests.pop(now);
    if (request.write) {
        write(request);
        return true;
    }
    RegResponse response = answer_to(request);
    response.status = read(request, response.value) ? RegStatus::Ok : RegStatus::Unknown;
    answers->push(now, response);
    return true;
}

// The same for a RegisterTarget. A write waits, and what is after it, while
// Target::register_ready() is false; what makes it true has to tick the block. A write to
// an offset without a register is dropped.
template <class Target>
bool serve_register(Cycle now, Channel<RegRequest>& requests, Channel<RegResponse>* answers,
                    Target& target) {
    if (!requests.can_pop(now) || !target.register_ready(requests.front()))
        return false;
    return serve_register(
        now, requests, answers, [&](const RegRequest& r) { target.write_register(r); },
        [&](const RegRequest& r, uint32_t& value) { return target.read_register(r, value); });
}

}  // namespace archipelago
