// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/dma/scene.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "testbenches/unit/dma/bench.h"

namespace archipelago::dma::test {
namespace {

const std::vector<uint8_t>& noise_bytes() {
    static const std::vector<uint8_t> bytes = [] {
        std::vector<uint8_t> made(kMemoryBytes + kHighBytes);
        std::mt19937 random(21);
        for (size_t i = 0; i < made.size(); i += 4) {
            const auto word = static_cast<uint32_t>(random());
            std::memcpy(&made[i], &word, 4);
        }
        return made;
    }();
    return bytes;
}

void load(Bench& b, const Contents& contents) {
    b.image.write(0, contents.low_part(), kMemoryBytes);
    b.image.write(contents.high_base(), contents.high_part(), kHighBytes);
}
Contents contents_of(const Bench& b, const Generation& generation) {
    Contents got(high_memory(generation));
    b.image.read(0, const_cast<uint8_t*>(got.low_part()), kMemoryBytes);
    b.image.read(got.high_base(), const_cast<uint8_t*>(got.high_part()), kHighBytes);
    return got;
}

// The first byte that differs, in words; nothing when none does.
std::string difference(const Contents& want, const Contents& got) {
    const auto in = [&](const uint8_t* a, const uint8_t* b, uint64_t base, uint64_t bytes) {
        const auto at = std::mismatch(a, a + bytes, b);
        if (at.first == a + bytes)
            return std::string();
        const uint64_t address = base + static_cast<uint64_t>(at.first - a);
        return "byte " + hex(address) + " is " + hex(*at.second) + ", expected " + hex(*at.first);
    };
    const std::string below = in(want.low_part(), got.low_part(), 0, kMemoryBytes);
    return !below.empty() ? below
                          : in(want.high_part(), got.high_part(), want.high_base(), kHighBytes);
}

}  // namespace

Contents::Contents(uint64_t high_base) : high_base_(high_base), bytes_(noise_bytes()) {}

const uint8_t* Contents::high_part() const {
    return bytes_.data() + kMemoryBytes;
}

uint64_t Contents::place(uint64_t address) const {
    if (address < kMemoryBytes)
        return address;
    if (address - high_base_ >= kHighBytes)
        throw std::logic_error("the test uses memory that is not mapped");
    return kMemoryBytes + (address - high_base_);
}

Scene::Scene(const Generation& g) : generation(g), before(high_memory(g)), after(high_memory(g)) {}

uint64_t Scene::place(uint64_t offset, bool in_high) const {
    return (in_high ? high_memory(generation) : kData) + offset;
}

void Scene::put(uint64_t address, uint32_t dword) {
    before.set(address, dword);
    after.set(address, dword);
}
void Scene::put(uint64_t address, const Words& dwords) {
    for (size_t i = 0; i < dwords.size(); ++i)
        put(address + 4 * i, dwords[i]);
}

void Scene::expect_move(const Addresses& to, const Addresses& from, unsigned mask) {
    std::vector<uint8_t> stream;
    for (size_t i = 0; i < to.size(); ++i)
        stream.push_back(after.at(from.at(i ^ mask)));
    for (size_t i = 0; i < to.size(); ++i)
        after.at(to[i]) = stream[i];
}
void Scene::expect_write(const Addresses& to, const Words& data, unsigned mask) {
    for (size_t i = 0; i < to.size(); ++i)
        after.at(to[i]) = static_cast<uint8_t>(data.at((i ^ mask) / 4) >> 8 * ((i ^ mask) % 4));
}

void Scene::packet(const Words& dwords) {
    words.insert(words.end(), dwords.begin(), dwords.end());
}
void Scene::packet(const Words& dwords, const Words& data) {
    packet(dwords);
    packet(data);
}

std::string run_scene(Scene& s, Bench& b) {
    if (s.words.size() >= kRingDwords)
        return "the ring is too small";
    for (const auto& [offset, value] : s.engine)
        b.set(offset, value);
    load(b, s.before);
    b.registers = s.registers;
    for (size_t i = 0; i < s.words.size(); ++i)
        s.after.set(kRing + 4 * i, s.words[i]);
    const std::string stop = b.run_to_stop(s.words, s.waits.empty() ? 10'000'000 : 20'000);
    if (!stop.empty())
        return stop;
    const Contents got = contents_of(b, s.generation);
    if (s.settle)
        s.settle(s.after, got);
    return difference(s.after, got);
}

Addresses bytes_from(uint64_t address, uint64_t count) {
    Addresses list(count);
    std::iota(list.begin(), list.end(), address);
    return list;
}

Words noise(size_t dwords, uint64_t seed) {
    std::mt19937 random(static_cast<uint32_t>(seed));
    Words made(dwords);
    for (uint32_t& word : made)
        word = static_cast<uint32_t>(random());
    return made;
}

}  // namespace archipelago::dma::test
