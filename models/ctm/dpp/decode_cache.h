// SPDX-License-Identifier: Apache-2.0
// Instructions of the array, decoded once, with what issue asks of them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/ctm/isa/instruction.h"
#include "models/ctm/isa/semantics.h"

namespace archipelago::ctm::dpp {

// A bit for each temporary.
struct RegisterSet {
    std::array<uint64_t, isa::kTemporaries / 64> bits{};
    void add(unsigned index) { bits[index / 64 % bits.size()] |= uint64_t{1} << (index % 64); }
    void add_all() { bits.fill(~uint64_t{0}); }
    bool meets(const RegisterSet& other) const {
        return ((bits[0] & other.bits[0]) | (bits[1] & other.bits[1])) != 0;
    }
};

struct Decoded {
    isa::Instruction inst;
    RegisterSet touched;         // read or written; relative addresses: all
    bool falls_through = true;   // the next instruction of the program may follow
    isa::ConstantNeeds needs;    // without relative constants: the same for every thread
    bool acquires = false;       // OUT, uncached: TARGET's semaphore modes
    bool per_processor = false;  // OUT, uncached: TARGET's index modes
};

// A pure memo: arrays of a chip may share one, and nothing ever has to be invalidated. References
// stay valid for its life.
class DecodeCache {
  public:
    DecodeCache();
    const Decoded& get(const isa::Words& words) {
        for (size_t i = hash(words);; ++i) {
            const Decoded* d = table_[i & (table_.size() - 1)];
            if (d == nullptr)
                return add(words);
            if (d->inst.words == words)
                return *d;
        }
    }
    size_t size() const { return pool_.size(); }

  private:
    static size_t hash(const isa::Words& words) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < isa::kInstructionWords; i += 2)
            sum = (sum ^ (words[i] | uint64_t{words[i + 1]} << 32)) * 0x9e3779b97f4a7c15u;
        return static_cast<size_t>(sum ^ sum >> 32);
    }
    const Decoded& add(const isa::Words& words);

    std::deque<Decoded> pool_;
    std::vector<const Decoded*> table_;  // a power of two, at most half full
};

}  // namespace archipelago::ctm::dpp
