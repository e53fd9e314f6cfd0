// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/isa/names.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

#include "models/afuc/isa/names.inc"

template <class Row>
struct Rows {
    const Row* first = nullptr;
    size_t count = 0;
    const Row* begin() const { return first; }
    const Row* end() const { return first + count; }
};
template <class Row, size_t N>
constexpr Rows<Row> rows(const std::array<Row, N>& table) {
    return {table.data(), N};
}

struct Tables {
    std::array<Rows<RegisterName>, 4> registers;  // by Space
    Rows<PacketName> packets;
};
const Tables& tables(Names names) {
    static const std::array<Tables, 4> kAll{{
        {{{rows(kControl_a5xx), rows(kSqe_a5xx), rows(kPipe_a5xx), rows(kGpu_a5xx)}},
         rows(kPackets_a5xx)},
        {{{rows(kControl_a6xx), rows(kSqe_a6xx), rows(kPipe_a6xx), rows(kGpu_a6xx)}},
         rows(kPackets_a6xx)},
        {{{rows(kControl_a7xx), rows(kSqe_a7xx), rows(kPipe_a7xx), rows(kGpu_a7xx)}},
         rows(kPackets_a7xx)},
        {{{rows(kControl_a750), rows(kSqe_a750), rows(kPipe_a750), rows(kGpu_a750)}},
         rows(kPackets_a750)},
    }};
    return kAll[static_cast<size_t>(names)];
}
const Rows<RegisterName>& registers(Names names, Space space) {
    return tables(names).registers[static_cast<size_t>(space)];
}

constexpr std::string_view kUnknownPacket = "UNKN";

}  // namespace

std::string Named::text() const {
    const uint32_t dwords = reg->array != 0 ? reg->array : reg->count;
    std::string text = reg->name;
    if (reg->array != 0)
        text += "[" + hex(offset / dwords) + "]";
    return offset % dwords == 0 ? text : text + "+" + hex(offset % dwords);
}

Named name_of(Names names, Space space, uint32_t index) {
    for (const RegisterName& r : registers(names, space))
        if (index - r.first < r.count)
            return {&r, index - r.first};
    return {};
}

const RegisterName* find_register(Names names, Space space, std::string_view name) {
    for (const RegisterName& r : registers(names, space))
        if (name == r.name)
            return &r;
    return nullptr;
}

std::vector<RegisterName> register_list(Names names, Space space) {
    const Rows<RegisterName>& list = registers(names, space);
    return {list.begin(), list.end()};
}

std::vector<PacketName> packet_list(Names names) {
    return {tables(names).packets.begin(), tables(names).packets.end()};
}

std::vector<std::string> register_names(Names names, Space space) {
    std::vector<std::string> list;
    for (const RegisterName& r : registers(names, space))
        list.emplace_back(r.name);
    return list;
}

std::string packet_name(Names names, unsigned opcode) {
    for (const PacketName& p : tables(names).packets)
        if (opcode == p.opcode)
            return p.name;
    return std::string(kUnknownPacket) + std::to_string(opcode);
}

int packet_opcode(Names names, std::string_view name) {
    // Sources keep a name when a generation gives its opcode another.
    for (const Names from : {names, Names::A5xx, Names::A6xx, Names::A7xx, Names::A750})
        for (const PacketName& p : tables(from).packets)
            if (name == p.name)
                return p.opcode;
    if (name.substr(0, kUnknownPacket.size()) != kUnknownPacket)
        return -1;
    name.remove_prefix(kUnknownPacket.size());
    int opcode = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), opcode);
    return error == std::errc() && end == name.data() + name.size() && opcode < 0x80 ? opcode : -1;
}

}  // namespace archipelago::afuc
