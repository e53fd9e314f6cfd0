// SPDX-License-Identifier: Apache-2.0
// Lines of memory on their way to an engine: its memory read buffer (MRB), the line of a load,
// those of its instructions.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "models/afuc/engine/nrt.h"
#include "models/common/memory_message.h"

namespace archipelago::afuc {

// The dword of a line that has an address.
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
    // Wants a line; false: no slot is free.
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
    // Answers of a line come in the order in which it was asked for: a dropped slot's first.
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
    // A line that was wanted has been asked for.
    void ask(Slot& slot) {
        slot.state = Slot::State::Asked;
        --wanted;
    }
    // Forgets all; what is on its way keeps its slot until it comes.
    void drop() {
        used = wanted = 0;
        for (Slot& slot : slots) {
            const bool asked =
                slot.state == Slot::State::Asked || slot.state == Slot::State::Dropped;
            slot.state = asked ? Slot::State::Dropped : Slot::State::Free;
            used += asked ? 1 : 0;
        }
    }
    // Forgets a line that is there.
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
