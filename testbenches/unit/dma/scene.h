// SPDX-License-Identifier: Apache-2.0
// What a test says of packets: dwords with bits where the document has them, memory and registers
// before, and what they must be afterwards, worked out by plain code of the test. Nothing here
// inspects the engine's tables of fields.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/dma/packet_table.h"
#include "models/mc/surface/surface.h"

namespace archipelago::dma::test {

using Words = std::vector<uint32_t>;
using Addresses = std::vector<uint64_t>;  // of bytes, in the order of a stream

// Bits [msb:lsb] of a dword.
constexpr uint32_t f(unsigned msb, unsigned lsb, uint64_t value) {
    if (value >> (msb - lsb + 1) != 0)
        throw std::logic_error("a value that its field cannot hold");
    return static_cast<uint32_t>(value << lsb);
}
constexpr uint32_t low(uint64_t address) {
    return static_cast<uint32_t>(address);
}
constexpr uint32_t high(uint64_t address) {
    return static_cast<uint32_t>(address >> 32);
}
// Codes of swaps: none, 8 in 16, 8 in 32, 8 in 64. Byte i becomes byte i ^ mask.
constexpr unsigned swap_of(unsigned code) {
    return (1u << code) - 1;
}

// The two parts of memory that are mapped, full of noise at first.
class Contents {
  public:
    explicit Contents(uint64_t high_base);
    uint8_t& at(uint64_t address) { return bytes_.at(place(address)); }
    uint8_t at(uint64_t address) const { return bytes_.at(place(address)); }
    template <class T>
    T get(uint64_t address) const {
        T value{};
        std::memcpy(&value, &bytes_.at(place(address + sizeof value - 1)) + 1 - sizeof value,
                    sizeof value);
        return value;
    }
    template <class T>
    void set(uint64_t address, const T& value) {
        std::memcpy(&bytes_.at(place(address + sizeof value - 1)) + 1 - sizeof value, &value,
                    sizeof value);
    }
    const uint8_t* low_part() const { return bytes_.data(); }
    const uint8_t* high_part() const;
    uint64_t high_base() const { return high_base_; }

  private:
    uint64_t place(uint64_t address) const;
    uint64_t high_base_;
    std::vector<uint8_t> bytes_;
};

// A run that a row of the table describes.
class Scene {
  public:
    explicit Scene(const Generation& generation);

    const Generation& generation;
    Contents before, after;
    Words words;
    std::vector<Words> buffers;  // indirect ones, for the check that all fields are used
    std::map<uint32_t, uint32_t> registers, registers_after;
    std::vector<std::pair<uint32_t, uint32_t>> engine;  // own registers, written before the run
    unsigned interrupts = 0;
    std::string waits;  // for what the engine waits in the end
    // Takes over into `after` what cannot be foreseen, and inspects it.
    std::function<void(Contents& after, const Contents& got)> settle;

    bool document = false;  // packets in the form of the document, where drivers have another

    bool cik() const { return generation.sdma; }
    bool old() const { return generation.surfaces == surface::Generation::R6xx; }
    bool is(const char* name) const { return std::string(generation.name) == name; }
    // A place for data: low or in the upper part of memory.
    uint64_t place(uint64_t offset, bool in_high = false) const;
    // A dword that is there before and, as long as nothing writes it, afterwards.
    void put(uint64_t address, uint32_t dword);
    void put(uint64_t address, const Words& dwords);
    void expect(uint64_t address, uint32_t dword) { after.set(address, dword); }
    // The stream `from` goes to `to`, its bytes swapped, after what was expected before.
    void expect_move(const Addresses& to, const Addresses& from, unsigned mask);
    void expect_write(const Addresses& to, const Words& data, unsigned mask);
    // Appends a packet.
    void packet(const Words& dwords);
    void packet(const Words& dwords, const Words& data);
};

class Bench;
// Runs it on an engine as it came up. Why the machine stopped, or where memory is not what it must
// be; nothing when all is well.
std::string run_scene(Scene& s, Bench& b);

// A row: what a packet does on some generations.
struct Row {
    const char* packet;  // the model's name for it
    const char* shows;
    std::vector<const char*> generations;
    void (*make)(Scene& s);
    bool document = false;
};
inline std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << row.packet << " " << row.shows;
}
std::vector<Row> linear_rows();    // linear_rows.cpp
std::vector<Row> tiled_rows();     // tiled_rows.cpp
std::vector<Row> control_rows();   // control_rows.cpp
std::vector<Row> register_rows();  // register_rows.cpp

inline const std::vector<const char*> kOld = {"r600", "r700"}, kIslands = {"eg", "ni", "si"},
                                      kNorthernOn = {"ni", "si"}, kCik = {"cik"},
                                      kAllOld = {"r600", "r700", "eg", "ni", "si"};

Addresses bytes_from(uint64_t address, uint64_t count);
Words noise(size_t dwords, uint64_t seed);

}  // namespace archipelago::dma::test
