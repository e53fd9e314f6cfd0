// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pm4/packet_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "models/common/invariant.h"
#include "models/cp/pm4/names.h"
#include "models/cp/pm4/packet_stop.h"

namespace archipelago::cp {

namespace {

[[noreturn]] void bad(const Location& location, ParseFault fault, const std::string& reason) {
    throw PacketStop(StopKind::BadInput, location, fault, reason);
}
[[noreturn]] void missing(const Location& location, ParseFault fault, const std::string& what) {
    throw PacketStop(StopKind::Unimplemented, location, fault, what + " is not implemented");
}

bool shares_opcode(const PacketInfo& a, const PacketInfo& b) {
    return std::find_first_of(a.opcodes, a.opcodes + a.opcode_count, b.opcodes,
                              b.opcodes + b.opcode_count) != a.opcodes + a.opcode_count;
}

// Adds a problem for each opcode that two packets have.
void check_opcodes(const std::vector<PacketInfo>& rows, const std::vector<OpcodeChoice>& choices,
                   std::vector<std::pair<std::string, std::string>>& problems) {
    std::array<const PacketInfo*, 256> owner{};
    for (const PacketInfo& row : rows) {
        for (unsigned i = 0; i < row.opcode_count; ++i) {
            const PacketInfo*& at = owner[row.opcodes[i]];
            if (at != nullptr)
                // The choice is at fault, whichever of the two it is for.
                for (const OpcodeChoice& choice : choices)
                    if (choice.packet == row.name || choice.packet == at->name) {
                        problems.emplace_back(
                            choice.packet,
                            fmt::format("opcode 0x{:02x} is that of {} and {}", row.opcodes[i],
                                        at->name, at == &row ? "itself" : row.name));
                        break;
                    }
            at = &row;
        }
    }
}

}  // namespace

const front::RingNames& ring_names() {
    static const front::RingNames kNames{{std::begin(kRingNames), std::end(kRingNames)},
                                         {"ring", "IB1", "IB2", "constant IB", "constant IB2"}};
    return kNames;
}

std::string to_string(const Location& location) {
    return front::to_string(location, ring_names());
}

const char* to_string(PacketClass packet_class) {
    static const char* const kNames[] = {"filler", "state", "dispatch", "draw",
                                         "sync",   "event", "data",     "buffer"};
    const auto index = static_cast<size_t>(packet_class);
    return index < sizeof kNames / sizeof *kNames ? kNames[index] : "?";
}

PacketTable::PacketTable(const char* generation, std::vector<PacketInfo> packets,
                         const PacketInfo& type0, const HeaderRules& headers)
    : front::PacketTable<PacketInfo>(generation, std::move(packets)),
      type0_(type0),
      headers_(headers) {
    invariant(size() < 256, generation, "a table has fewer than 256 packets");
    // "Radeon R6xx/R7xx Acceleration" 5.2 defines types 0, 2 and 3; that of Southern Islands 2.1.2
    // rules type 1 out.
    invariant(!headers.has_type(1), generation, "no packet has type 1");
    check_headers(shares_opcode);
    for (const PacketInfo& row : *this) {
        invariant(row.fixed <= kMaxFixedDwords, row.name,
                  "a packet starts with at most kMaxFixedDwords");
        for (unsigned k = 0; k < row.opcode_count; ++k)
            index_[row.opcodes[k]] = static_cast<uint8_t>(&row - begin() + 1);
    }
}

std::shared_ptr<const PacketTable> renumber(
    const PacketTable& base, const std::vector<OpcodeChoice>& choices,
    std::vector<std::pair<std::string, std::string>>& problems) {
    std::vector<PacketInfo> rows(base.begin(), base.end());
    const size_t before = problems.size();
    for (const OpcodeChoice& choice : choices) {
        const auto problem = [&](const std::string& text) {
            problems.emplace_back(choice.packet, text);
        };
        const PacketInfo* info = base.find_by_name(choice.packet);
        if (info == nullptr) {
            problem("no packet of generation " + std::string(base.generation()));
            continue;
        }
        // The fetch of constant buffers reads this table, the engine behind it does not.
        if (info->engine != PacketEngine::De && info->buffer == nullptr) {
            problem("the number is fixed: the constant engine decodes it as well");
            continue;
        }
        if (choice.opcodes.empty() || choice.opcodes.size() > 2) {
            problem("must have one or two opcodes");
            continue;
        }
        PacketInfo& row = rows[static_cast<size_t>(info - base.begin())];
        row.opcode_count = static_cast<uint8_t>(choice.opcodes.size());
        std::copy(choice.opcodes.begin(), choice.opcodes.end(), row.opcodes);
    }
    check_opcodes(rows, choices, problems);
    if (problems.size() != before)
        return nullptr;
    return std::make_shared<const PacketTable>(base.generation(), std::move(rows), base.type0(),
                                               base.headers());
}

const PacketInfo& check_any_header(const PacketTable& table, uint32_t header,
                                   const Location& location, uint32_t dwords_left,
                                   PacketEngine engine) {
    const unsigned type = header_type(header);
    if (type == 2 || !table.headers().has_type(type) || (type == 0 && engine == PacketEngine::Ce))
        bad(location, ParseFault::HeaderType,
            fmt::format("type-{} packet header 0x{:08x} where a packet must start", type, header));
    const PacketInfo* info = &table.type0();
    const uint32_t body = header_body_dwords(header);
    std::string name = "type-0 packet";
    if (type == 3) {
        info = table.find(header_opcode(header));
        if (info == nullptr)
            bad(location, ParseFault::UnknownOpcode,
                fmt::format("unknown packet opcode 0x{:02x} (header 0x{:08x})",
                            header_opcode(header), header));
        name = std::string("packet ") + info->name;
        if ((info->rings >> location.ring & 1) == 0)
            bad(location, ParseFault::WrongRing, name + " is not allowed on this ring");
        if (info->engine != PacketEngine::Both && info->engine != engine && info->implemented())
            bad(location, ParseFault::ForCe,
                name + (engine == PacketEngine::Ce
                            ? " is not for the constant engine"
                            : " is for the constant engine, whose packets are in "
                              "buffers of INDIRECT_BUFFER_CONST"));
        if (!info->implemented())
            missing(location, ParseFault::NotImplemented,
                    info->engine == PacketEngine::Ce ? name + " (constant engine)" : name);
        if (body < info->min_dwords || body > info->max_dwords) {
            const char* bound = info->min_dwords == info->max_dwords ? ""
                                : body < info->min_dwords            ? "at least "
                                                                     : "at most ";
            bad(location, ParseFault::WrongSize,
                name + fmt::format(" has {} body dwords, must have {}{}", body, bound,
                                   body < info->min_dwords ? info->min_dwords : info->max_dwords));
        }
        if (const uint32_t bits = header & table.headers().zero_bits)
            bad(location, ParseFault::HeaderType,
                name +
                    fmt::format(" has reserved bits 0x{:x} in its header 0x{:08x}", bits, header));
        name += fmt::format(" (opcode 0x{:02x})", header_opcode(header));
    }
    if (body > dwords_left)
        bad(location, ParseFault::CutOff,
            name + fmt::format(" is cut off: its body has {} dwords", body) +
                front::too_few_left(location, dwords_left));
    return *info;
}

std::string describe_register(uint32_t byte_offset, uint32_t value, RegisterNamer namer) {
    return namer != nullptr ? namer(byte_offset, value)
                            : fmt::format("0x{:05x} = 0x{:08x}", byte_offset, value);
}

std::string describe_packet(const PacketTable& table, uint32_t header, const uint32_t* body,
                            uint32_t available, RegisterNamer namer) {
    const unsigned type = header_type(header);
    if (type == 2)
        return "type-2";
    if (type == 1)
        return fmt::format("type-1 header 0x{:08x}", header);
    const uint32_t count = header_body_dwords(header);
    if (type == 0) {
        std::string text = "type-0";
        const uint32_t offset = (header & 0xFFFF) * 4;
        for (uint32_t i = 0; i < available && i < count; ++i)
            text += (i == 0 ? " " : "; ") + describe_register(offset + 4 * i, body[i], namer);
        return text;
    }
    const PacketInfo* info = table.find(header_opcode(header));
    if (info == nullptr)
        return fmt::format("opcode 0x{:02x}, {} dwords", header_opcode(header), count);
    std::string text = info->name;
    if (header_is_compute(header))
        text += " [compute]";
    if (info->routing.fixed == Route::Skip)
        return text + fmt::format(" {} dwords", count);
    if (info->is(kSetsRegisters) && available > 0) {
        const uint32_t offset = info->window->start + 4 * info->fields[0].in(body);
        for (uint32_t i = 1; i < available && i < count; ++i)
            text += (i == 1 ? " " : "; ") + describe_register(offset + 4 * (i - 1), body[i], namer);
        return text;
    }
    return text + front::describe_fields(*info, body, available);
}

}  // namespace archipelago::cp
