// SPDX-License-Identifier: Apache-2.0
// Memory lines that an engine reads or holds: a LineReader each for its memory read buffer
// (MRB), its loads and its instructions.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "models/afuc/engine/nrt.h"
#include "models/common/memory_message.h"

namespace archipelago::afuc {

// The dword at a byte address, from the line that holds it.
inline uint32_t word_in(const Line& line, uint64_t address) {
    uint32_t word = 0;
    std::memcpy(&word, line.data() + dword_at(address) % kLineBytes, sizeof word);
    return word;
}

struct LineReader {
    struct Slot {
        enum class State : uint8_t { Free, Queued, Requested, Valid, Cancelled };
        State state = State::Free;
        uint64_t line = 0;  // byte address
        Line data{};
    };
    std::vector<Slot> slots;
    unsigned used = 0;    // not Free
    unsigned queued = 0;  // Queued

    // The slot of a line that is queued, requested or valid; -1: none.
    int find(uint64_t line) const {
        for (size_t i = 0; i < slots.size(); ++i)
            if (slots[i].state != Slot::State::Free && slots[i].state != Slot::State::Cancelled &&
                slots[i].line == line)
                return static_cast<int>(i);
        return -1;
    }
    // Takes a slot for a line that is to be read; false: no slot is free.
    bool queue(uint64_t line) {
        for (Slot& slot : slots)
            if (slot.state == Slot::State::Free) {
                slot.state = Slot::State::Queued;
                slot.line = line;
                ++used;
                ++queued;
                return true;
            }
        return false;
    }
    const Slot* valid(uint64_t line) const {
        for (const Slot& slot : slots)
            if (slot.state == Slot::State::Valid && slot.line == line)
                return &slot;
        return nullptr;
    }
    Slot* first_queued() {
        for (Slot& slot : slots)
            if (slot.state == Slot::State::Queued)
                return &slot;
        return nullptr;
    }
    // Answers for one line come in the order of its requests, so the first is for a cancelled slot.
    void fill(uint64_t line, const Line& data) {
        Slot* to = nullptr;
        for (Slot& slot : slots)
            if (slot.line == line && (slot.state == Slot::State::Cancelled ||
                                      (slot.state == Slot::State::Requested && to == nullptr)))
                to = &slot;
        if (to == nullptr)
            return;
        used -= to->state == Slot::State::Cancelled ? 1 : 0;
        to->state = to->state == Slot::State::Cancelled ? Slot::State::Free : Slot::State::Valid;
        to->data = data;
    }
    // The request for the queued line of this slot has been sent.
    void requested(Slot& slot) {
        slot.state = Slot::State::Requested;
        --queued;
    }
    // Forgets all lines; one that is requested keeps its slot until its answer comes.
    void drop() {
        used = queued = 0;
        for (Slot& slot : slots) {
            const bool outstanding =
                slot.state == Slot::State::Requested || slot.state == Slot::State::Cancelled;
            slot.state = outstanding ? Slot::State::Cancelled : Slot::State::Free;
            used += outstanding ? 1 : 0;
        }
    }
    // Frees the slot of a valid line.
    void free(uint64_t line) {
        if (const int i = find(line); i >= 0) {
            slots[static_cast<size_t>(i)].state = Slot::State::Free;
            --used;
        }
    }
    bool in_flight() const {
        for (const Slot& slot : slots)
            if (slot.state == Slot::State::Requested || slot.state == Slot::State::Cancelled)
                return true;
        return false;
    }
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(!in_flight(), "lines on their way to an engine");
        a(slots, used, queued);
    }
};

}  // namespace archipelago::afuc
