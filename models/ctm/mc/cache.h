// SPDX-License-Identifier: Apache-2.0
// A cache of the CTM memory controller, of both modes: tags, data, replacement, and of each byte
// whether it is there and whether memory has yet to get it. Knows neither time nor memory.
//
// Lines are numbered by address / 64.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/ctm/mc/mc_registers.h"
#include "models/tc/cache_array.h"

namespace archipelago::ctm {

// What of an evicted or flushed line memory gets.
struct WriteBack {
    uint32_t line = 0;  // number
    uint64_t mask = 0;  // bytes; 0: nothing
    const Line* data = nullptr;
    Origin origin;  // the last write into the line

    // The first byte of them.
    uint64_t address() const {
        return uint64_t{line} * kLineBytes + static_cast<unsigned>(__builtin_ctzll(mask));
    }
};

class Cache {
  public:
    static constexpr uint32_t kNone = tc::CacheArray::kNone;

    // Throws MachineStop(BadInput) when the geometry is impossible.
    Cache(const tc::CacheGeometry& geometry, const std::string& name)
        : array_(geometry, name), writers_(array_.entries()) {}

    uint32_t find(uint32_t line) {
        uint32_t& place = places_[line % kPlaces];
        if (array_.key(place) != line) {
            const uint32_t entry = array_.find(array_.set_of(line), line);
            if (entry == kNone)
                return kNone;
            place = entry;
        }
        return place;
    }
    // The entry that a line which is not there would take; kNone when all it could are pinned.
    uint32_t victim(uint32_t line) const { return array_.victim(array_.set_of(line)); }
    bool in_use(uint32_t entry) const { return array_.in_use(entry); }
    void touch(uint32_t entry) { array_.touch(entry); }
    // Each in turn, of one that is there several times its first place alone.
    template <size_t N>
    void touch_all(const std::array<uint32_t, N>& entries) {
        array_.touch_all(entries);
    }
    void pin(uint32_t entry, bool pinned) { array_.pin(entry, pinned); }
    bool pinned(uint32_t entry) const { return array_.pinned(entry); }

    // Gives the entry a line without bytes. What was dirty in it is for the caller to save before.
    void replace(uint32_t entry, uint32_t line) {
        array_.replace(entry, line);
        places_[line % kPlaces] = entry;
    }
    // ... with the bytes that memory has.
    void replace(uint32_t entry, uint32_t line, const Line& data) {
        array_.replace(entry, line, data);
        array_.valid(entry) = ~uint64_t{0};
        array_.dirty(entry) = 0;
        places_[line % kPlaces] = entry;
    }
    void remove(uint32_t entry) { array_.remove(entry); }
    // The line as memory has it, under the bytes that are there already.
    void fill(uint32_t entry, const Line& line) {
        merge_bytes(array_.data(entry), line, ~array_.valid(entry));
        array_.valid(entry) = ~uint64_t{0};
    }
    void write(uint32_t entry, const Line& bytes, uint64_t mask, const Origin& origin) {
        merge_bytes(array_.data(entry), bytes, mask);
        array_.valid(entry) |= mask;
        array_.dirty(entry) |= mask;
        writers_[entry] = origin;
    }
    // These bytes of a line, if it is there, are neither read nor written back any more.
    void forget(uint32_t line, uint64_t mask) {
        const uint32_t entry = find(line);
        if (entry == kNone)
            return;
        array_.valid(entry) &= ~mask;
        array_.dirty(entry) &= ~mask;
    }

    bool has(uint32_t entry, uint64_t mask) const { return (mask & ~array_.valid(entry)) == 0; }
    const Line& data(uint32_t entry) const { return array_.data(entry); }
    bool dirty(uint32_t entry) const { return array_.dirty(entry) != 0; }
    // Valid while the entry keeps its line.
    WriteBack write_back(uint32_t entry) const {
        return {static_cast<uint32_t>(array_.key(entry)), array_.dirty(entry), &array_.data(entry),
                writers_[entry]};
    }

    uint32_t entries() const { return array_.entries(); }
    // The first entry from `from` on with a dirty byte, entries() when there is none.
    uint32_t next_dirty(uint32_t from) const {
        while (from < entries() && array_.dirty(from) == 0)
            ++from;
        return from;
    }
    // Drops all lines, dirty ones too; returns how many of these there were.
    uint32_t invalidate() {
        uint32_t lost = 0;
        for (uint32_t e = next_dirty(0); e < entries(); e = next_dirty(e + 1))
            ++lost;
        array_.clear();
        return lost;
    }

    // Of a cache of the same geometry.
    void copy(const Cache& from) {
        array_.copy(from.array_);
        writers_ = from.writers_;
    }
    template <class Archive>
    void archive(Archive& a) {
        a(array_, writers_);
    }

  private:
    // Where the last line of these low bits was found or put: its key is compared before those of a
    // whole set. `archipelago_ctm_speed lookups` is 27 % faster for it in functional mode. Nothing
    // has to be kept equal: a place whose key is another line's does not count.
    static constexpr unsigned kPlaces = 512;
    std::array<uint32_t, kPlaces> places_{};
    tc::CacheArray array_;
    std::vector<Origin> writers_;  // of dirty entries
};

}  // namespace archipelago::ctm
