// SPDX-License-Identifier: Apache-2.0
// What the benches of caches share: the actions that they offer, the answers of the level below,
// and that level's memory under the contract elastic.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/common/memory_message.h"
#include "pins/memory_messages.h"
#include "rtl-bridge/compare/late_answers.h"
#include "rtl-bridge/compare/lockstep.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

// ---- stimulus

// Chooses what an action covers: nothing, bytes of one line, the addresses between two lines
// (around the end of all when the last is below the first), a few, or all. Base and size are bytes.
template <class Action>
void choose_range(Random& random, uint64_t first, uint64_t last, Action& a) {
    switch (random.below(6)) {
        case 0:
            a.base = first;
            a.size = 0;
            break;
        case 1:
            a.base = first + random.below(64);
            a.size = 1 + random.below(64);
            break;
        case 2:
            a.base = first + random.below(64);
            a.size = last - a.base + (random.one_in(2) ? 0 : random.below(64));
            break;
        case 3:
            a.base = first - random.below(130);
            a.size = random.below(200);
            break;
        default:
            a.base = random.bits();
            a.size = ~uint64_t{0};
            break;
    }
}

// Messages sent to the level below, which answers them in any order once they are due.
class SentBelow {
  public:
    void clear() { sent_.clear(); }
    bool empty() const { return sent_.empty(); }
    void add(uint32_t tag, uint64_t due) { sent_.push_back({tag, due}); }
    bool has(uint32_t tag) const {
        return std::any_of(sent_.begin(), sent_.end(), [&](const Sent& s) { return s.tag == tag; });
    }
    uint32_t oldest() const { return sent_.front().tag; }
    // Takes one of the first eight that are due; false: none is.
    bool take(Random& random, uint64_t now, uint32_t& tag) {
        std::array<size_t, 8> due{};
        uint32_t n = 0;
        for (size_t i = 0; i < sent_.size() && n < due.size(); ++i)
            if (sent_[i].due <= now)
                due[n++] = i;
        if (n == 0)
            return false;
        const size_t at = due[random.below(n)];
        tag = sent_[at].tag;
        sent_.erase(sent_.begin() + static_cast<std::ptrdiff_t>(at));
        return true;
    }

  private:
    struct Sent {
        uint32_t tag;
        uint64_t due;  // cycle
    };
    std::vector<Sent> sent_;
};

// ---- contract elastic

// What the pins have of an answer of the level below.
struct AnswerBelow {
    uint32_t tag;
    uint8_t status;
    LineData data;
};

// The 32 bits that the lowest four bits of a byte mask stand for.
inline uint32_t bits_of_bytes(uint64_t mask) {
    return (mask & 1) * 0xffu | (mask >> 1 & 1) * 0xff00u | (mask >> 2 & 1) * 0xff0000u |
           (mask >> 3 & 1) * 0xff000000u;
}

// What is compared of an answer: the bytes that its request asked for.
struct AskedBytes {
    uint64_t mask;
    bool returns;

    explicit AskedBytes(const MemoryRequestPins& r)
        : mask(r.mask),
          returns(r.command == static_cast<uint8_t>(MemCommand::Read) ||
                  (r.command == static_cast<uint8_t>(MemCommand::Atomic) && r.returns != 0)) {}
    void trim(MemoryAnswerPins& answer) const {
        const bool data = returns && answer.status == 0;
        for (size_t i = 0; i < answer.data.size(); ++i)
            answer.data[i] &= data ? bits_of_bytes(mask >> 4 * i & 0xf) : 0;
    }
};

// The lines of the level below, by line or by line and VMID. Where nothing was written they hold
// numbers made from that.
template <class Key>
class LinesBelow {
  public:
    void clear() { written_.clear(); }
    LineData at(const Key& key) const {
        const auto found = written_.find(key);
        if (found != written_.end())
            return found->second;
        Random random(seed_of(key));
        LineData data;
        for (uint32_t& word : data)
            word = random.word();
        return data;
    }
    // An atomic adds: what it does is the level's own matter.
    void write(const Key& key, const MemoryRequestPins& r) {
        const bool adds = r.command == static_cast<uint8_t>(MemCommand::Atomic);
        LineData data = at(key);
        for (size_t i = 0; i < data.size(); ++i) {
            const uint32_t bits = bits_of_bytes(r.mask >> 4 * i & 0xf);
            const uint32_t put = adds ? data[i] + r.data[i] : r.data[i];
            data[i] = (data[i] & ~bits) | (put & bits);
        }
        written_[key] = data;
    }
    // The first dword in which both differ, for `when`, in `place`; "" when none does.
    std::string difference(const LinesBelow& other, const char* when, const char* place) const {
        std::map<Key, LineData> all = written_;
        all.insert(other.written_.begin(), other.written_.end());
        for (const auto& [key, any] : all) {
            const LineData a = at(key), b = other.at(key);
            const auto pair = std::mismatch(a.begin(), a.end(), b.begin());
            if (pair.first == a.end())
                continue;
            return std::string("port down, ") + when + ": " +
                   detail::field_text(
                       "dword " + std::to_string(pair.first - a.begin()) + " of line " +
                           detail::field_text("", line_of_key(key)).substr(1) + " in " + place,
                       *pair.first) +
                   ", behind the Verilog" + detail::field_text("", *pair.second);
        }
        return {};
    }

  private:
    static uint64_t seed_of(uint64_t line) { return line; }
    static uint64_t seed_of(const std::pair<uint64_t, uint8_t>& key) {
        return key.first ^ uint64_t { key.second } << 58;
    }
    static uint64_t line_of_key(uint64_t line) { return line; }
    static uint64_t line_of_key(const std::pair<uint64_t, uint8_t>& key) { return key.first; }

    std::map<Key, LineData> written_;
};

}  // namespace archipelago::rtl
