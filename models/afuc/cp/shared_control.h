// SPDX-License-Identifier: Apache-2.0
// Control registers that all engines of a command processor see, and the lock that guards them.
// Document, "Control Registers"; facts: COPROCESSOR_LOCK.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/afuc/engine/control_map.h"
#include "models/common/clocked.h"

namespace archipelago::afuc {

// What an engine writes in a cycle the others see from the next one on; of two that write the same
// register in one cycle the first processor's value stays. Without time every access is a cycle of
// its own.
class SharedControl {
  public:
    uint32_t read(Cycle now, unsigned processor, uint32_t index) const {
        const Word& w = words_[index - kSharedControl];
        return now > w.at || w.writer == processor ? w.value : w.before;
    }
    void write(Cycle now, unsigned processor, uint32_t index, uint32_t value) {
        Word& w = words_[index - kSharedControl];
        if (w.at != now)
            w.before = w.value;
        else if (w.writer < processor)
            return;
        w.value = value;
        w.at = now;
        w.writer = processor;
    }
    // COPROCESSOR_LOCK, a lock in each bit. Written 1: asks for it, until it has it; 0: gives it
    // back.
    void write_lock(Cycle now, unsigned processor, uint32_t bits) {
        for (unsigned i = 0; i < kLocks; ++i) {
            locks_[i].settle(now);
            if ((bits >> i & 1) == 0)
                locks_[i].release(now, processor);
            else
                locks_[i].request(now, processor);
        }
    }
    // The locks that the processor has.
    uint32_t read_lock(Cycle now, unsigned processor) {
        uint32_t bits = 0;
        for (unsigned i = 0; i < kLocks; ++i) {
            locks_[i].settle(now);
            bits |= locks_[i].held && locks_[i].owner == processor ? 1u << i : 0;
        }
        return bits;
    }
    template <class Archive>
    void archive(Archive& a) {
        a(words_, locks_);
    }

  private:
    struct Word {
        uint32_t value = 0, before = 0;
        Cycle at = 0;
        unsigned writer = 0;
    };
    static constexpr unsigned kLocks = 32, kMaxProcessors = 4;
    // Who has asked before a cycle may have the lock in it, once it is free; the first processor of
    // several.
    struct Lock {
        bool held = false;
        unsigned owner = 0;
        Cycle free_since = 0;
        std::array<Cycle, kMaxProcessors> asked{kNever, kNever, kNever, kNever};

        void settle(Cycle now) {
            if (held)
                return;
            const Cycle first = *std::min_element(asked.begin(), asked.end());
            if (first == kNever)
                return;
            const Cycle granted = std::max(first, free_since) + 1;
            if (granted > now)
                return;
            held = true;
            owner = 0;
            while (asked[owner] >= granted)
                ++owner;
            asked[owner] = kNever;
        }
        void request(Cycle now, unsigned processor) {
            if (!(held && owner == processor) && asked[processor] == kNever)
                asked[processor] = now;
        }
        void release(Cycle now, unsigned processor) {
            asked[processor] = kNever;
            if (!held || owner != processor)
                return;
            held = false;
            free_since = now;
        }
    };
    std::array<Word, kSharedControls> words_{};
    std::array<Lock, kLocks> locks_{};
};

}  // namespace archipelago::afuc
