// SPDX-License-Identifier: Apache-2.0
// What a register database looks like to code, regardless of the generation. The tables themselves
// are generated from configs/registers/*.yaml; this header holds their types and the look-ups.
// Registers are 32 bits wide; offsets are byte offsets, always a multiple of four.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace archipelago {

struct ValueName {
    uint32_t value;
    const char* name;
};

namespace regs {

// Bits Msb..Lsb of a word, and a word with those bits replaced. Bits of `value` beyond the field
// are dropped, as the hardware drops them.
template <unsigned Lsb, unsigned Msb>
constexpr uint32_t field_mask() {
    static_assert(Lsb <= Msb && Msb < 32, "field outside a 32-bit register");
    return (0xFFFFFFFFu >> (31 - Msb + Lsb)) << Lsb;
}
template <unsigned Lsb, unsigned Msb>
constexpr uint32_t get_bits(uint32_t word) {
    return (word & field_mask<Lsb, Msb>()) >> Lsb;
}
template <unsigned Lsb, unsigned Msb>
constexpr uint32_t set_bits(uint32_t word, uint32_t value) {
    return (word & ~field_mask<Lsb, Msb>()) | ((value << Lsb) & field_mask<Lsb, Msb>());
}

// Read-only view of a constant table.
template <typename T>
struct TableSpan {
    const T* first = nullptr;
    size_t count = 0;

    constexpr const T* begin() const { return first; }
    constexpr const T* end() const { return first + count; }
    constexpr size_t size() const { return count; }
    constexpr bool empty() const { return count == 0; }
    constexpr const T& operator[](size_t i) const { return first[i]; }
};

enum class Access : uint8_t {
    Unknown,  // no source states it; readable() and writable() both hold
    ReadWrite,
    ReadOnly,
    WriteOnly,
};

// Which packets reach a range: system by MMIO or type-0 packets only; config, sh and context by the
// SET_*_REG packet of that name; ring and DMA registers by MMIO.
enum class RangeKind : uint8_t { System, Config, Sh, Context, CpRing, Dma };

struct EnumValueInfo {
    std::string_view name;
    uint32_t value;
};

struct EnumInfo {
    std::string_view name;
    TableSpan<EnumValueInfo> values;

    // Name of an enumerator with this value; empty if there is none.
    std::string_view name_of(uint32_t value) const;
};

struct FieldInfo {
    std::string_view name;
    uint8_t lsb;
    uint8_t msb;
    const EnumInfo* values;  // nullptr: a plain number

    constexpr unsigned width() const { return msb - lsb + 1u; }
    constexpr uint32_t mask() const { return (0xFFFFFFFFu >> (32 - width())) << lsb; }
    constexpr uint32_t get(uint32_t word) const { return (word & mask()) >> lsb; }
    constexpr uint32_t set(uint32_t word, uint32_t value) const {
        return (word & ~mask()) | ((value << lsb) & mask());
    }
};

// RegisterInfo::offset of a layout: a word with fields that is no register (see layouts below).
inline constexpr uint32_t kNoOffset = 0xFFFFFFFFu;

struct RegisterInfo {
    uint32_t offset;
    std::string_view name;
    uint16_t block;  // index into RegisterDatabase::blocks
    Access access;
    bool reset_known;  // false: no source gives the reset value and `reset` is 0
    uint32_t reset;
    TableSpan<FieldInfo> fields;  // by rising lsb, never overlapping

    constexpr bool readable() const { return access != Access::WriteOnly; }
    constexpr bool writable() const { return access != Access::ReadOnly; }
    // nullptr if the register has no field of that name.
    const FieldInfo* field(std::string_view field_name) const;
};

struct RangeInfo {
    uint32_t start;
    uint32_t end;  // inclusive
    std::string_view name;
    RangeKind kind;
    std::string_view note;

    constexpr bool contains(uint32_t offset) const { return offset >= start && offset <= end; }
};

struct BlockInfo {
    std::string_view name;
    std::string_view title;
};

// Register names and their aliases, sorted by name.
struct NameInfo {
    std::string_view name;
    uint16_t index;  // into RegisterDatabase::registers
};

struct RegisterDatabase {
    std::string_view generation;
    std::string_view title;
    TableSpan<RegisterInfo> registers;  // by rising offset
    TableSpan<NameInfo> names;
    TableSpan<RegisterInfo> layouts;  // by name: descriptors and other words without an offset
    TableSpan<RangeInfo> ranges;      // by rising start, never overlapping
    TableSpan<BlockInfo> blocks;

    // nullptr where the database has no register. An offset that is not a multiple of four is none.
    const RegisterInfo* find(uint32_t byte_offset) const;
    // Accepts aliases.
    const RegisterInfo* find_by_name(std::string_view name) const;
    const RegisterInfo* find_layout(std::string_view name) const;
    const RangeInfo* range_of(uint32_t byte_offset) const;

    // Text for logs, one line:
    //   COMPUTE_NUM_THREAD_X = 0x00000040 {NUM_THREAD_FULL=64, NUM_THREAD_PARTIAL=0}
    //   unknown register 0x0bffc in range sh = 0x00000001
    std::string decode(uint32_t byte_offset, uint32_t value) const;
    // The name of a register, or `unknown register 0x... in range ...`.
    std::string name_of(uint32_t byte_offset) const;
};

// Fields of one word as decode() writes them: values in decimal, 16 bits and wider in hexadecimal,
// enumerators after their number, set bits outside every field last. A register without fields or
// with one field over all 32 bits is its number alone.
std::string decode(const RegisterInfo& info, uint32_t value);

const char* to_string(Access access);
const char* to_string(RangeKind kind);

}  // namespace regs
}  // namespace archipelago
