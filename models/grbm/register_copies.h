// SPDX-License-Identifier: Apache-2.0
// Registers that exist in several copies. All copies have one common value until requests that
// GRBM_GFX_INDEX steers write some of them; the values of these copies are here.
#pragma once

#include <cstdint>
#include <map>

namespace archipelago::grbm {

// How often a register is there; bits.
enum CopiedBy : uint8_t { kPerSe = 1, kPerSh = 2, kPerInstance = 4 };

class RegisterCopies {
  public:
    static constexpr unsigned kShared = 8;      // the set of registers that no render context has
    static constexpr unsigned kMaxCopies = 64;  // of a register

    bool empty() const { return values_.empty(); }
    // Of register `place` (dword of the aperture) in `set`, a context or kShared. Null: the common
    // value.
    const uint32_t* find(unsigned set, uint32_t place, unsigned copy) const {
        const auto found = values_.find(key(set, place) + copy);
        return found != values_.end() ? &found->second : nullptr;
    }
    void set(unsigned set, uint32_t place, unsigned copy, uint32_t value) {
        values_[key(set, place) + copy] = value;
    }
    // `count` registers from `place` on have their common values again.
    void forget(unsigned set, uint32_t place, uint32_t count) {
        values_.erase(values_.lower_bound(key(set, place)),
                      values_.lower_bound(key(set, place + count)));
    }
    void copy_context(unsigned from, unsigned to) {
        if (from == to)
            return;
        forget(to, 0, kPlaces);
        auto copy = values_.lower_bound(key(from, 0));
        for (; copy != values_.end() && copy->first < key(from + 1, 0); ++copy)
            values_[copy->first - key(from, 0) + key(to, 0)] = copy->second;
    }
    template <class Archive>
    void archive(Archive& a) {
        a(values_);
    }

  private:
    static constexpr uint32_t kPlaces = 0x10000;
    static constexpr uint32_t key(unsigned set, uint32_t place) {
        return (set * kPlaces + place) * kMaxCopies;
    }
    std::map<uint32_t, uint32_t> values_;
};

}  // namespace archipelago::grbm
