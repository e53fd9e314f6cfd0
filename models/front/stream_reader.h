// SPDX-License-Identifier: Apache-2.0
// How far an engine has read a ring and the indirect buffers nested in it. StreamReader takes its
// dwords from the reorder queue, in cycles; a functional engine keeps a StreamStack and fetches
// from memory where it points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/unit.h"
#include "models/front/location.h"
#include "models/front/ring_message.h"

namespace archipelago::front {

struct StreamLevel {
    uint64_t base = 0;      // bytes
    uint32_t position = 0;  // dword to read next
    uint32_t end = 0;       // write pointer of a ring, size of a buffer
    uint8_t vmid = 0;
    uint8_t swap = 0;  // code of swap.h

    bool at_end() const { return position == end; }
    uint32_t left() const { return end - position; }
    uint64_t address() const { return base + 4 * uint64_t{position}; }
};

// The ring and the buffers called from it; the innermost one is read.
template <class Level = StreamLevel>
struct StreamStack {
    explicit StreamStack(unsigned depth = 0) : levels(depth) {}

    std::vector<Level> levels;  // [0]: the ring
    uint8_t level = 0;          // being read
    RingConfig ring;

    template <class Archive>
    void archive(Archive& a) {
        a(levels, level, ring);
    }
    bool in_ring() const { return level == 0; }
    Level& top() { return levels[level]; }
    const Level& top() const { return levels[level]; }
    Location location(unsigned ring_number) const {
        const Level& at = top();
        return {static_cast<uint8_t>(ring_number), level, at.vmid, at.position, at.base};
    }
    bool at_write_pointer() const { return in_ring() && top().at_end(); }
    // Dwords up to the end of the buffer, or the ring's write pointer.
    uint32_t unread() const {
        const Level& at = top();
        return at.left() + (in_ring() && at.end < at.position ? ring.dwords : 0);
    }
    // The most dwords that can follow the `read` ones of a packet. Those beyond a write pointer are
    // waited for: a ring limits a packet only by its size, of which a dword is always free.
    uint32_t most_left(uint32_t read) const {
        return in_ring() ? ring.dwords - 1 - read : unread();
    }
    void advance(uint32_t dwords) {
        Level& at = top();
        at.position += dwords;
        if (in_ring())
            at.position %= ring.dwords;
    }
    // Returns from buffers that are read to their end.
    void leave_finished() {
        while (level != 0 && top().at_end())
            --level;
    }
    void call(uint8_t into, uint64_t base, uint32_t dwords, uint8_t vmid, uint8_t swap) {
        level = into;
        top() = {};
        top().base = base;
        top().end = dwords;
        top().vmid = vmid;
        top().swap = swap;
    }
    // The ring as its registers describe it.
    void follow(const RingConfig& config, uint32_t write_pointer, uint32_t read_pointer) {
        follow(config, write_pointer);
        levels[0].position = read_pointer;
    }
    void follow(const RingConfig& config, uint32_t write_pointer) {
        Level& at = levels[0];
        ring = config;
        at.base = config.base;
        at.end = write_pointer;
        at.vmid = config.vmid;
        at.swap = config.swap;
    }
};

struct LineLevel : StreamLevel {
    RoqLine line;      // being read
    uint8_t used = 0;  // dwords of it
    bool has_line = false;

    template <class Archive>
    void archive(Archive& a) {
        a(base, position, end, vmid, swap, line, used, has_line);
    }
};

struct StreamReader : StreamStack<LineLevel> {
    using StreamStack::StreamStack;

    // The next dword, from the ring's reorder queues, one a level. A line's entry goes back to the
    // fetch when its first dword is taken. False: the line has not arrived.
    bool take(Cycle now, unsigned ring_number, Channel<RoqLine>* queues,
              const OutputEvent<RoqCredit>& to_credit, uint32_t& dword) {
        LineLevel& at = top();
        if (!at.has_line && !take_line(now, ring_number, queues[level], to_credit))
            return false;
        dword = at.line.dwords[at.line.first + at.used++];
        if (at.used == at.line.count)
            at.has_line = false;
        ++at.position;
        if (in_ring() && at.position == ring.dwords)
            at.position = 0;
        return true;
    }

  private:
    bool take_line(Cycle now, unsigned ring_number, Channel<RoqLine>& queue,
                   const OutputEvent<RoqCredit>& to_credit);
};

// "ring buffer registers rewritten while dwords 3 to 7 are not executed"
std::string rewritten_unread(const StreamLevel& ring);

// What an engine waits for whose packet continues beyond the write pointer.
inline constexpr const char* kBeyondWritePointer = "dwords beyond the write pointer";

}  // namespace archipelago::front
