// SPDX-License-Identifier: Apache-2.0
// A row for each form of each packet: sizes and fields. Its opcode and the generations that have a
// packet are those of its name in configs/isa/afuc.yaml.
//
// Source of fields and values: the packet descriptions of Mesa 25.0.7
// (src/freedreno/registers/adreno, MIT licence), and where those have none, the payloads that
// Linux's msm driver and Mesa send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "models/front/field_names.h"
#include "models/front/packet_field.h"

namespace archipelago::afuc {

inline constexpr uint32_t kMaxBodyDwords = 0x3FFF;

enum GenerationMask : uint8_t { kA5 = 1, kA6 = 2, kA7 = 4, kFromA6 = kA6 | kA7, kAll = 7 };

// Dword 1 is the one after the header.
struct PacketRow : front::PacketShape {
    uint8_t of = kAll;  // generations whose packet has this form
};

// Nothing after the header.
constexpr PacketRow row(const char* name) {
    PacketRow r;
    r.name = name;
    r.min_dwords = r.max_dwords = 0;
    return r;
}
// `fields`: an array, or a std::array that join() made.
template <class Fields>
constexpr PacketRow row(const char* name, uint32_t min_dwords, uint32_t max_dwords,
                        const Fields& fields, uint8_t of = kAll) {
    PacketRow r = row(name);
    r.min_dwords = min_dwords;
    r.max_dwords = max_dwords;
    r.fields = front::field_list(fields);
    r.of = of;
    return r;
}
template <class Fields, std::enable_if_t<!std::is_integral_v<Fields>, int> = 0>
constexpr PacketRow row(const char* name, uint32_t dwords, const Fields& fields,
                        uint8_t of = kAll) {
    return row(name, dwords, dwords, fields, of);
}

struct Rows {
    const PacketRow* first;
    size_t count;
    const PacketRow* begin() const { return first; }
    const PacketRow* end() const { return first + count; }
};
template <size_t N>
constexpr Rows rows_of(const PacketRow (&list)[N]) {
    return {list, N};
}

// packets/*.cpp
Rows control_packets();  // buffers, conditions, waits, events, modes
Rows memory_packets();   // registers, memory, scratch registers
Rows draw_packets();     // draws, dispatches, blits and their state

}  // namespace archipelago::afuc
