// SPDX-License-Identifier: Apache-2.0
// Words of a stream at an engine, which sees the next of them side by side.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace archipelago::afuc {

struct WordBuffer {
    static constexpr uint32_t kEnough = 16;  // below, another line of as many is taken
    static constexpr uint32_t kWindow = 8;   // that may be read beyond the words there

    std::array<uint32_t, 4 * kEnough + kWindow> words{};
    uint32_t head = 0, count = 0;

    bool empty() const { return count == 0; }
    bool wants_more() const { return count <= kEnough; }
    const uint32_t* next() const { return &words[head]; }
    // While wants_more() a line, up to 2 * kEnough single ones.
    void push(const uint32_t* pushed, uint32_t n) {
        if (head + count + n > 4 * kEnough) {
            std::memmove(words.data(), &words[head], count * sizeof words[0]);
            head = 0;
        }
        std::memcpy(&words[head + count], pushed, n * sizeof words[0]);
        count += n;
    }
    void push(uint32_t word) { push(&word, 1); }
    // The first of so many, which stay until others are pushed.
    const uint32_t* pop(uint32_t popped) {
        const uint32_t* const first = next();
        count -= popped;
        head += popped;
        return first;
    }
    void clear() { head = count = 0; }
};

}  // namespace archipelago::afuc
