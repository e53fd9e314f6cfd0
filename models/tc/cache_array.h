// SPDX-License-Identifier: Apache-2.0
// Tags, data and replacement of a set-associative cache of 64-byte lines. Knows no time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/common/host_line.h"
#include "models/common/memory_message.h"

namespace archipelago::tc {

struct CacheGeometry {
    unsigned sets = 64;  // power of two
    unsigned ways = 4;
    // The set of a line: the low bits of its address, XORed with eight groups of as many bits from
    // this address bit on (7 to 63). 0: with nothing.
    unsigned set_hash = 0;
    unsigned bytes() const { return sets * ways * kLineBytes; }
};

// Entries are named by index, set * ways + way. A key identifies a line within its set: the line's
// address, or that with the VMID in its six low bits where a cache is tagged per address space.
class CacheArray {
  public:
    static constexpr uint32_t kNone = ~uint32_t{0};
    static constexpr uint64_t kNoKey = ~uint64_t{0};

    // Throws MachineStop(BadInput) at `where` when the geometry is impossible. Touches are numbered
    // up to `last_time`, at least five more than there are entries, and then again.
    CacheArray(const CacheGeometry& g, const std::string& where, uint32_t last_time = kPinned - 1)
        : ways_(g.ways), mask_(g.sets - 1), last_time_(last_time), hash_(g.set_hash) {
        if (g.sets == 0 || (g.sets & (g.sets - 1)) != 0 || g.sets > (1u << 20))
            throw MachineStop(StopKind::BadInput, where,
                              "sets " + std::to_string(g.sets) + " is not a power of two");
        if (g.ways == 0 || g.ways > 64)
            throw MachineStop(StopKind::BadInput, where,
                              "ways " + std::to_string(g.ways) + " is not between 1 and 64");
        if (g.set_hash != 0 && (g.set_hash <= kLineBits || g.set_hash >= 64))
            throw MachineStop(StopKind::BadInput, where,
                              "set_hash " + std::to_string(g.set_hash) +
                                  " is neither 0 nor an address bit from 7 to 63");
        const auto set_bits = static_cast<unsigned>(__builtin_ctz(g.sets));
        for (unsigned i = 0; i < fold_shifts_.size(); ++i)
            fold_shifts_[i] = std::min(set_bits << i, 63u);
        const size_t count = size_t{g.sets} * g.ways;
        keys_.assign(count, kNoKey);
        info_.assign(count, Info{});
        ranks_.assign(count, kEmpty);
        if (ways_ % kTagsPerWord == 0)
            tags_.assign(count / kTagsPerWord, 0);
        data_.reset(new HostLine[count]);
    }

    uint32_t entries() const { return static_cast<uint32_t>(keys_.size()); }
    uint32_t set_of(uint64_t line_number) const {
        if (hash_ == 0)
            return static_cast<uint32_t>(line_number & mask_);
        uint64_t fold = line_number >> (hash_ - kLineBits);
        for (const unsigned shift : fold_shifts_)
            fold ^= fold >> shift;
        return static_cast<uint32_t>((line_number ^ fold) & mask_);
    }

    uint32_t find(uint32_t set, uint64_t key) const {
        const uint32_t first = set * ways_;
        if (!tags_.empty())
            return find_by_tag(first, key);
        for (uint32_t i = first; i < first + ways_; ++i)
            if (keys_[i] == key)
                return i;
        return kNone;
    }

    // The entry to give up: an empty one, else the least recently used that is not pinned; kNone
    // when all are pinned.
    uint32_t victim(uint32_t set) const {
        const uint32_t first = set * ways_;
        const uint32_t lowest = lowest_rank(first);
        if (lowest >= kPinned)
            return kNone;
        uint32_t best = first;
        while (ranks_[best] != lowest)
            ++best;
        return best;
    }

    // Gives the entry a new line without data.
    void replace(uint32_t entry, uint64_t key) {
        name(entry, key);
        info_[entry] = Info{};
        data_[entry].bytes.fill(0);
    }
    // Gives the entry a new line in caches that only hold whole clean lines.
    void replace(uint32_t entry, uint64_t key, const Line& data) {
        name(entry, key);
        data_[entry].bytes = data;
    }
    void remove(uint32_t entry) {
        keys_[entry] = kNoKey;
        info_[entry] = Info{};
        ranks_[entry] = kEmpty;
    }
    void touch(uint32_t entry) {
        if (clock_ == last_time_)
            shorten_times();
        ranks_[entry] = (ranks_[entry] & kPinned) | ++clock_;
    }

    // touch() of each in turn, of one that is there several times for its first place alone. N: 4
    // at most.
    template <size_t N>
    void touch_all(const std::array<uint32_t, N>& entries) {
        if (last_time_ - clock_ < N)
            shorten_times();
        const uint32_t before = clock_;
        for (uint32_t i = N; i-- > 0;)
            ranks_[entries[i]] = (ranks_[entries[i]] & kPinned) | (before + 1 + i);
        clock_ = before + static_cast<uint32_t>(N);
    }

    bool in_use(uint32_t entry) const { return keys_[entry] != kNoKey; }
    uint64_t key(uint32_t entry) const { return keys_[entry]; }
    Line& data(uint32_t entry) { return data_[entry].bytes; }
    const Line& data(uint32_t entry) const { return data_[entry].bytes; }

    // One bit per byte; caches that only hold whole clean lines need neither.
    uint64_t& valid(uint32_t entry) { return info_[entry].valid; }
    uint64_t valid(uint32_t entry) const { return info_[entry].valid; }
    uint64_t& dirty(uint32_t entry) { return info_[entry].dirty; }
    uint64_t dirty(uint32_t entry) const { return info_[entry].dirty; }
    void pin(uint32_t entry, bool pinned) {
        ranks_[entry] = (ranks_[entry] & ~kPinned) | (pinned ? kPinned : 0);
    }
    bool pinned(uint32_t entry) const { return (ranks_[entry] & kPinned) != 0; }

    template <class Archive>
    void archive(Archive& a) {
        a(clock_, keys_, tags_, ranks_, info_);
        for (uint32_t entry = 0; entry < entries(); ++entry)
            if (in_use(entry))
                a(data_[entry].bytes);
    }

    // Of an array of the same geometry.
    void copy(const CacheArray& from) {
        clock_ = from.clock_;
        keys_ = from.keys_;
        tags_ = from.tags_;
        ranks_ = from.ranks_;
        info_ = from.info_;
        for (uint32_t entry = 0; entry < entries(); ++entry)
            if (in_use(entry))
                data_[entry] = from.data_[entry];
    }

    void clear() {
        keys_.assign(keys_.size(), kNoKey);
        info_.assign(info_.size(), Info{});
        ranks_.assign(ranks_.size(), kEmpty);
        clock_ = kUntouched;
    }

  private:
    static constexpr unsigned kLineBits = 6;
    static_assert(kLineBytes == 1u << kLineBits);
    using Ranks = uint32_t __attribute__((vector_size(4 * sizeof(uint32_t))));
    struct Info {
        uint64_t valid = 0;
        uint64_t dirty = 0;
    };
    struct alignas(kHostLine) HostLine {
        Line bytes;
    };
    void name(uint32_t entry, uint64_t key) {
        keys_[entry] = key;
        if (!tags_.empty()) {
            uint64_t& tags = tags_[entry / kTagsPerWord];
            const unsigned at = entry % kTagsPerWord * 8;
            tags = (tags & ~(uint64_t{0xFF} << at)) | tag_of(key) << at;
        }
        ranks_[entry] = kUntouched;
    }

    // The entry of the lowest rank goes first: empty ones, those never touched, then by the time of
    // the last touch. Pinned ones rank above all others.
    static constexpr uint32_t kEmpty = 0;
    static constexpr uint32_t kUntouched = 1;
    static constexpr uint32_t kPinned = uint32_t{1} << 31;

    // Of the ways from `first` on. Four at a time, as the host can: this is done for every line.
    uint32_t lowest_rank(uint32_t first) const {
        uint32_t lowest = ~uint32_t{0};
        uint32_t i = 0;
        if (ways_ >= 4) {
            Ranks best;
            std::memcpy(&best, &ranks_[first], sizeof best);
            for (i = 4; i + 4 <= ways_; i += 4) {
                Ranks next;
                std::memcpy(&next, &ranks_[first + i], sizeof next);
                best = next < best ? next : best;
            }
            for (unsigned lane = 0; lane < 4; ++lane)
                lowest = std::min(lowest, best[lane]);
        }
        for (; i < ways_; ++i)
            lowest = std::min(lowest, ranks_[first + i]);
        return lowest;
    }
    // The times get the lowest numbers that keep their order.
    [[gnu::noinline]] void shorten_times() {
        std::vector<uint32_t> times;
        for (const uint32_t rank : ranks_)
            if ((rank & ~kPinned) > kUntouched)
                times.push_back(rank & ~kPinned);
        std::sort(times.begin(), times.end());
        for (uint32_t& rank : ranks_) {
            const uint32_t time = rank & ~kPinned;
            if (time <= kUntouched)
                continue;
            const auto place = std::lower_bound(times.begin(), times.end(), time) - times.begin();
            rank = (rank & kPinned) | (kUntouched + 1 + static_cast<uint32_t>(place));
        }
        clock_ = kUntouched + static_cast<uint32_t>(times.size());
    }

    // Where there are many ways, a byte of each key's hash selects the few to compare.
    static constexpr unsigned kTagsPerWord = 8;
    static uint64_t tag_of(uint64_t key) { return key * 0x9e3779b97f4a7c15u >> 56; }
    uint32_t find_by_tag(uint32_t first, uint64_t key) const {
        constexpr uint64_t kOnes = 0x0101010101010101u;
        const uint64_t wanted = tag_of(key) * kOnes;
        for (uint32_t at = first; at < first + ways_; at += kTagsPerWord) {
            const uint64_t differ = tags_[at / kTagsPerWord] ^ wanted;
            // The lowest byte that is 0 has its top bit set here, some above it may.
            uint64_t same = (differ - kOnes) & ~differ & kOnes << 7;
            for (; same != 0; same &= same - 1) {
                const uint32_t entry = at + static_cast<uint32_t>(__builtin_ctzll(same)) / 8;
                if (keys_[entry] == key)
                    return entry;
            }
        }
        return kNone;
    }

    uint32_t ways_;
    uint32_t mask_;
    uint32_t last_time_;
    uint32_t hash_;
    std::array<unsigned, 3> fold_shifts_{};  // one, two and four groups of bits
    uint32_t clock_ = kUntouched;
    HostLineVector<uint64_t> keys_;
    HostLineVector<uint64_t> tags_;  // of kTagsPerWord entries each; none where ways do not fill it
    HostLineVector<uint32_t> ranks_;
    std::unique_ptr<HostLine[]> data_;  // of entries in use; else without a value, nor host pages
    HostLineVector<Info> info_;
};

// Whether a cache action's range touches the line.
inline bool covers(const CacheAction& action, uint64_t line) {
    if (action.size == ~uint64_t{0})
        return true;
    if (action.size == 0)
        return false;
    const uint64_t last = action.base + (action.size - 1);
    return line + (kLineBytes - 1) >= action.base && (line <= last || last < action.base);
}

}  // namespace archipelago::tc
