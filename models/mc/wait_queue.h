// SPDX-License-Identifier: Apache-2.0
// Accesses of one direction that wait for their column command, with the bit masks from which the
// scheduler selects one without scanning the queue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace archipelago::mc {

// Entries are named by their index in McState::entries and lie in order of acceptance. The oldest
// kWindow of them have a bit in the masks, the oldest of all bit 0; code that changes a
// property of an entry also changes its bit in that property's mask.
class WaitQueue {
  public:
    static constexpr size_t kWindow = 64;
    static constexpr size_t kMaxBanks = 64;

    WaitQueue(unsigned capacity, unsigned banks) : banks_(banks) { entries_.reserve(capacity); }

    bool empty() const { return entries_.empty(); }
    size_t size() const { return entries_.size(); }
    uint16_t front() const { return entries_.front(); }
    uint16_t operator[](size_t position) const { return entries_[position]; }

    // The new entry, and after erase() the one that came into the window, are not in the masks yet:
    // add_to_masks() sets their bits.
    void push(uint16_t entry) { entries_.push_back(entry); }
    void erase(size_t position, unsigned bank) {
        if (entries_.size() == 1) {
            entries_.clear();
            eligible = hits = of_bank[bank] = 0;
            return;
        }
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(position));
        const uint64_t younger = ~uint64_t{0} << position;
        const auto close_gap = [younger](uint64_t mask) {
            return mask ^ ((mask ^ mask >> 1) & younger);
        };
        eligible = close_gap(eligible);
        hits = close_gap(hits);
        // Two banks per host vector operation: this runs for every access.
        for (unsigned bank = 0; bank < banks_; bank += 2) {
            Pair masks;
            std::memcpy(&masks, &of_bank[bank], sizeof masks);
            masks ^= (masks ^ masks >> 1) & younger;
            std::memcpy(&of_bank[bank], &masks, sizeof masks);
        }
    }
    void add_to_masks(size_t position, unsigned bank, bool can_issue, bool hit) {
        of_bank[bank] |= uint64_t{1} << position;
        eligible |= uint64_t{can_issue} << position;
        hits |= uint64_t{hit} << position;
    }

    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(empty(), "accesses wait");
        a(eligible, hits, of_bank);
    }
    uint64_t eligible = 0;  // not ordered after another access to their line
    uint64_t hits = 0;      // their row is open
    std::array<uint64_t, kMaxBanks> of_bank{};

  private:
    using Pair = uint64_t __attribute__((vector_size(2 * sizeof(uint64_t))));
    std::vector<uint16_t> entries_;
    unsigned banks_;
};

}  // namespace archipelago::mc
