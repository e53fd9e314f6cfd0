// SPDX-License-Identifier: Apache-2.0
// Memory lines that an engine wants or holds: a LineReader each for its memory read buffer
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
        enum class State : uint8_t { Free, Wanted, Asked, There, Dropped };
        State state = State::Free;
        uint64_t line = 0;  // byte address
        Line data{};
    };
    std::vector<Slot> slots;
    unsigned used = 0;    // not Free
    unsigned wanted = 0;  // Wanted

    // The slot of a line that is wanted, on its way or there; -1: none.
    int find(uint64_t line) const {
        for (size_t i = 0; i < slots.size(); ++i)
            if (slots[i].state != Slot::State::Free && slots[i].state != Slot::State::Dropped &&
                slots[i].line == line)
                return static_cast<int>(i);
        return -1;
    }
    // Takes a slot for a line that is to be read; false: no slot is free.
    bool want(uint64_t line) {
        for (Slot& slot : slots)
            if (slot.state == Slot::State::Free) {
                slot.state = Slot::State::Wanted;
                slot.line = line;
                ++used;
                ++wanted;
                return true;
            }
        return false;
    }
    const Slot* there(uint64_t line) const {
        for (const Slot& slot : slots)
            if (slot.state == Slot::State::There && slot.line == line)
                return &slot;
        return nullptr;
    }
    Slot* first_wanted() {
        for (Slot& slot : slots)
            if (slot.state == Slot::State::Wanted)
                return &slot;
        return nullptr;
    }
    // Answers for one line come in the order of its requests, so the first is a dropped slot's.
    void arrive(uint64_t line, const Line& data) {
        Slot* to = nullptr;
        for (Slot& slot : slots)
            if (slot.line == line && (slot.state == Slot::State::Dropped ||
                                      (slot.state == Slot::State::Asked && to == nullptr)))
                to = &slot;
        if (to == nullptr)
            return;
        used -= to->state == Slot::State::Dropped ? 1 : 0;
        to->state = to->state == Slot::State::Dropped ? Slot::State::Free : Slot::State::There;
        to->data = data;
    }
    // The request for the wanted line of this slot has been sent.
    void ask(Slot& slot) {
        slot.state = Slot::State::Asked;
        --wanted;
    }
    // Forgets all lines; one that is on its way keeps its slot until its answer comes.
    void drop() {
        used = wanted = 0;
        for (Slot& slot : slots) {
            const bool asked =
                slot.state == Slot::State::Asked || slot.state == Slot::State::Dropped;
            slot.state = asked ? Slot::State::Dropped : Slot::State::Free;
            used += asked ? 1 : 0;
        }
    }
    // Frees the slot of a line that is There.
    void free(uint64_t line) {
        if (const int i = find(line); i >= 0) {
            slots[static_cast<size_t>(i)].state = Slot::State::Free;
            --used;
        }
    }
    bool on_the_way() const {
        for (const Slot& slot : slots)
            if (slot.state == Slot::State::Asked || slot.state == Slot::State::Dropped)
                return true;
        return false;
    }
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(!on_the_way(), "lines on their way to an engine");
        a(slots, used, wanted);
    }
};

}  // namespace archipelago::afuc
