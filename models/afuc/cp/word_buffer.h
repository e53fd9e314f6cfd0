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
    // wants_more(), or single words up to 2 * kEnough:
    void push(uint32_t word) {
        if (head + count == 4 * kEnough) {
            std::memmove(words.data(), &words[head], count * sizeof words[0]);
            head = 0;
        }
        words[head + count++] = word;
    }
    uint32_t pop() {
        --count;
        return words[head++];
    }
    void clear() { head = count = 0; }
};

}  // namespace archipelago::afuc
