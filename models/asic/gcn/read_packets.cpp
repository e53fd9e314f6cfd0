// SPDX-License-Identifier: Apache-2.0
// What of a chip's packets is its driver's choice: opcode numbers, and the registers that user
// command buffers may write.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/gcn/read_blocks.h"
#include "registers/si_register_table.h"

namespace archipelago::gcn {

using config::range;
using config::Reader;

namespace {

void read_opcodes(Reader& parent, cp::Spec& s) {
    std::optional<Reader> found = parent.optional_map("packets");
    if (!found)
        return;
    Reader& r = *found;
    std::vector<cp::OpcodeChoice> choices;
    for (const std::string& name : r.keys()) {
        cp::OpcodeChoice choice{name, {}};
        const std::optional<config::Value> value = r.find(name);
        if (!value)
            continue;
        const auto bounds = range<unsigned>(0, 255);
        if (value->kind() == config::Node::Kind::Sequence) {
            for (const unsigned opcode :
                 value->list<unsigned>(bounds, config::count(1, 2), "opcodes of a packet"))
                choice.opcodes.push_back(static_cast<uint8_t>(opcode));
        } else if (const std::optional<unsigned> opcode =
                       value->as<unsigned>(bounds, "opcode of a packet")) {
            choice.opcodes.push_back(static_cast<uint8_t>(*opcode));
        }
        choices.push_back(choice);
    }
    if (!r.ok())
        return;
    std::vector<std::pair<std::string, std::string>> problems;
    s.own_packets = cp::renumber(*s.packets, choices, problems);
    for (const auto& [packet, problem] : problems)
        r.error(packet, problem);
    if (s.own_packets != nullptr)
        s.packets = s.own_packets.get();
}

void read_user_registers(Reader& parent, cp::RegisterSet& user) {
    std::optional<Reader> found = parent.optional_map("user_registers");
    if (!found)
        return;
    Reader& r = *found;
    for (Reader& q : r.optional_maps("ranges")) {
        const auto bounds = range(0u, 0x3FFFFu);
        const uint32_t first = q.required<uint32_t>("first", bounds, "byte offset");
        const uint32_t last = q.required<uint32_t>("last", bounds, "byte offset, inclusive");
        if (q.check(first <= last && first % 4 == 0 && last % 4 == 0, "last",
                    "first and last must be dwords in order"))
            user.allow(first, last);
    }
    for (const config::Value& name : r.optional_items("names")) {
        const std::optional<std::string> text = name.as<std::string>("register");
        if (!text)
            continue;
        const auto* info = regs::si::database().find_by_name(*text);
        if (info == nullptr)
            r.error("names", "no register " + *text);
        else
            user.allow(info->offset, info->offset);
    }
}

}  // namespace

void read_packets(Reader& cp, cp::Spec& spec) {
    read_opcodes(cp, spec);
    read_user_registers(cp, spec.user_registers);
}

}  // namespace archipelago::gcn
