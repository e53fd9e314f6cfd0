// SPDX-License-Identifier: Apache-2.0
// A stream of dwords that is read ahead, a line at a time: the requested lines, in stream order,
// regardless of the order of memory's responses.
#pragma once

#include <vector>

#include "models/common/memory_message.h"
#include "models/front/location.h"
#include "models/front/ring_message.h"

namespace archipelago::front {

struct LineStream {
    struct Slot {
        RoqLine line;
        uint64_t address = 0;  // of the line
        uint32_t dword = 0;    // of the stream, first wanted
        bool arrived = false;
    };

    explicit LineStream(unsigned lines = 0) : slots(lines) {}

    uint64_t base = 0;  // bytes
    uint32_t next = 0;  // dword to ask for
    uint32_t end = 0;   // first dword not to ask for; after `next` when a ring wraps
    uint32_t size = 0;  // dwords of the ring or buffer
    uint8_t vmid = 0;
    uint8_t swap = 0;
    std::vector<Slot> slots;
    unsigned head = 0, used = 0;
    unsigned taken = 0;  // dwords of the first line

    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(used == 0, "lines are read ahead");
        a(base, next, end, size, vmid, swap, head);
    }
    // A buffer, from its start on.
    void begin(uint64_t at, uint32_t dwords, uint8_t address_space, uint8_t swap_code) {
        base = at;
        next = 0;
        end = size = dwords;
        vmid = address_space;
        swap = swap_code;
        taken = 0;
    }
    bool has_room() const { return used != slots.size(); }
    // The slot that the next line gets; has_room().
    unsigned free_slot() const {
        const unsigned slot = head + used;
        return slot >= slots.size() ? slot - static_cast<unsigned>(slots.size()) : slot;
    }
    // Requests the next line: its dwords get a slot, and `request` their address and tag.
    const Slot& request_next(MemRequest& request);
    // The answer of memory for a slot. Throws MachineStop when there is none, at `location`, whose
    // dword is the first one wanted; `context` stands before it.
    void arrive(const MemResponse& response, unsigned slot, Location location,
                const RingNames& names, const std::string& context = {});
    bool has_line() const { return used != 0 && slots[head].arrived; }
    // has_line():
    const RoqLine& line() const { return slots[head].line; }
    uint32_t dword() const { return line().dwords[line().first + taken]; }
    void take_dword() {
        if (++taken == line().count)
            pop();
    }
    void pop() {
        if (++head == slots.size())
            head = 0;
        --used;
        taken = 0;
    }
};

}  // namespace archipelago::front
