// SPDX-License-Identifier: Apache-2.0
// What the tests of the memory controller share: commands, requests, and memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "models/common/memory_image.h"
#include "models/ctm/mc/mc_functional.h"

namespace archipelago::ctm::test {

constexpr uint32_t kBase = 0x100000;
constexpr uint32_t kBytes = 0x200000;  // mapped from there

// Every word holds its address.
inline void map(MemoryImage& image) {
    image.map(kBase, kBytes);
    for (uint32_t a = kBase; a < kBase + kBytes; a += 4)
        image.write(a, &a, sizeof a);
}

inline UnitCommand command(Command opcode, uint32_t p0, uint32_t p1, uint32_t p2 = 0,
                           uint32_t p3 = 0) {
    return {static_cast<uint8_t>(opcode), {p0, p1, p2, p3}};
}
inline UnitCommand command(CacheCommand opcode, uint32_t p0 = 0) {
    return {static_cast<uint8_t>(opcode), {p0, 0, 0, 0}};
}
inline uint32_t format(uint32_t pitch, Tiling tiling, Format format) {
    return pitch | static_cast<uint32_t>(tiling) << 16 | static_cast<uint32_t>(format) << 24;
}
const uint32_t kLinear = format(64, Tiling::Linear, Format::Float32x1);
inline UnitCommand set_input(unsigned n, uint32_t base, uint32_t format) {
    return command(Command::SetInpFmt, n, base, format, 4096);
}
inline UnitCommand set_output(unsigned n, uint32_t base, uint32_t format, uint32_t height = 4096) {
    return command(Command::SetOutFmt, n, base, format, height);
}

inline uint32_t bits_of(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline Point point(unsigned x, unsigned y) {
    return {static_cast<uint16_t>(x), static_cast<uint16_t>(y)};
}
// The quad from (x, y) on.
inline ElementRequest quad(unsigned client, unsigned x, unsigned y, uint32_t tag = 0) {
    ElementRequest r;
    r.client = static_cast<uint8_t>(client);
    r.lanes = 0xf;
    for (unsigned lane = 0; lane < 4; ++lane)
        r.index[lane] = point(x + lane % 2, y + lane / 2);
    r.tag = tag;
    return r;
}
inline ElementRequest one(unsigned client, unsigned x, unsigned y) {
    ElementRequest r = quad(client, x, y);
    r.lanes = 1;
    return r;
}
inline ElementRequest write_of(ElementRequest r, uint32_t value, unsigned channels = 0xf) {
    r.write = true;
    for (unsigned lane = 0; lane < 4; ++lane) {
        r.channels[lane] = static_cast<uint8_t>(channels);
        for (unsigned c = 0; c < 4; ++c)
            r.value[lane][c] = value + 0x10 * lane + c;
    }
    return r;
}
inline WordsRequest words_of(unsigned client, unsigned index, uint32_t tag = 0) {
    return {static_cast<uint8_t>(client), static_cast<uint16_t>(index), tag};
}

class ImageMemory : public LineMemory {
  public:
    bool read_line(uint32_t address, Line& to) override {
        ++reads;
        return image.read(address, to.data(), to.size());
    }
    bool write_line(uint32_t address, const Line& from, uint64_t mask) override {
        ++writes;
        for (unsigned n = 0; n < kLineBytes; ++n)
            if ((mask >> n & 1) != 0 && !image.write(address + n, &from[n], 1))
                return false;
        return true;
    }
    uint32_t word(uint32_t address) const {
        uint32_t word = 0;
        image.read(address, &word, sizeof word);
        return word;
    }
    void set(uint32_t address, uint32_t word) { image.write(address, &word, sizeof word); }

    MemoryImage image;
    unsigned reads = 0, writes = 0;
};

}  // namespace archipelago::ctm::test
