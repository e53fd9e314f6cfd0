// SPDX-License-Identifier: Apache-2.0
#include "models/cp/packet_table.h"

#include <array>
#include <cassert>
#include <cinttypes>

#include "models/cp/destination_bases.h"
#include "models/cp/format_text.h"
#include "models/cp/micro_op.h"
#include "models/cp/packet_stop.h"
#include "models/cp/pm4_names.h"
#include "models/cp/si_packet_fields.h"

namespace archipelago::cp {

namespace {

[[noreturn]] void bad(const Location& location, ParseFault fault, const std::string& reason) {
    throw PacketStop(StopKind::BadInput, location, fault, reason);
}
[[noreturn]] void missing(const Location& location, ParseFault fault, const std::string& what) {
    throw PacketStop(StopKind::Unimplemented, location, fault, what + " is not implemented");
}

// VGT_EVENT_TYPE.
constexpr ValueName kEventNames[] = {
    {1, "SAMPLE_STREAMOUTSTATS1"},
    {2, "SAMPLE_STREAMOUTSTATS2"},
    {3, "SAMPLE_STREAMOUTSTATS3"},
    {4, "CACHE_FLUSH_TS"},
    {5, "CONTEXT_DONE"},
    {6, "CACHE_FLUSH"},
    {7, "CS_PARTIAL_FLUSH"},
    {8, "VGT_STREAMOUT_SYNC"},
    {10, "VGT_STREAMOUT_RESET"},
    {11, "END_OF_PIPE_INCR_DE"},
    {12, "END_OF_PIPE_IB_END"},
    {13, "RST_PIX_CNT"},
    {15, "VS_PARTIAL_FLUSH"},
    {16, "PS_PARTIAL_FLUSH"},
    {17, "FLUSH_HS_OUTPUT"},
    {18, "FLUSH_LS_OUTPUT"},
    {20, "CACHE_FLUSH_AND_INV_TS_EVENT"},
    {21, "ZPASS_DONE"},
    {22, "CACHE_FLUSH_AND_INV_EVENT"},
    {23, "PERFCOUNTER_START"},
    {24, "PERFCOUNTER_STOP"},
    {25, "PIPELINESTAT_START"},
    {26, "PIPELINESTAT_STOP"},
    {27, "PERFCOUNTER_SAMPLE"},
    {28, "FLUSH_ES_OUTPUT"},
    {29, "FLUSH_GS_OUTPUT"},
    {30, "SAMPLE_PIPELINESTAT"},
    {31, "SO_VGTSTREAMOUT_FLUSH"},
    {32, "SAMPLE_STREAMOUTSTATS"},
    {33, "RESET_VTX_CNT"},
    {34, "BLOCK_CONTEXT_DONE"},
    {35, "CS_CONTEXT_DONE"},
    {36, "VGT_FLUSH"},
    {38, "SQ_NON_EVENT"},
    {39, "SC_SEND_DB_VPZ"},
    {40, "BOTTOM_OF_PIPE_TS"},
    {41, "FLUSH_SX_TS"},
    {42, "DB_CACHE_FLUSH_AND_INV"},
    {43, "FLUSH_AND_INV_DB_DATA_TS"},
    {44, "FLUSH_AND_INV_DB_META"},
    {45, "FLUSH_AND_INV_CB_DATA_TS"},
    {46, "FLUSH_AND_INV_CB_META"},
    {47, "CS_DONE"},
    {48, "PS_DONE"},
    {49, "FLUSH_AND_INV_CB_PIXEL_DATA"},
    {50, "SX_CB_RAT_ACK_REQUEST"},
    {51, "THREAD_TRACE_START"},
    {52, "THREAD_TRACE_STOP"},
    {53, "THREAD_TRACE_MARKER"},
    {54, "THREAD_TRACE_FLUSH"},
    {55, "THREAD_TRACE_FINISH"},
    {56, "PIXEL_PIPE_STAT_CONTROL"},
    {57, "PIXEL_PIPE_STAT_DUMP"},
    {58, "PIXEL_PIPE_STAT_RESET"},
    {59, "CONTEXT_SUSPEND"},
};

}  // namespace

const char* ring_name(unsigned ring) {
    static const char* const kNames[kRings] = {"gfx", "compute0", "compute1"};
    return ring < kRings ? kNames[ring] : "?";
}

std::string to_string(const Location& location) {
    if (location.level == 0)
        return format_text("ring %s dword %u", ring_name(location.ring), location.dword);
    if (location.level == kConstantLevel)
        return format_text("ring %s, constant IB 0x%" PRIx64 " dword %u", ring_name(location.ring),
                           location.base, location.dword);
    return format_text("ring %s, IB%u 0x%" PRIx64 " dword %u", ring_name(location.ring),
                       location.level, location.base, location.dword);
}

const char* to_string(PacketClass packet_class) {
    static const char* const kNames[] = {"filler", "state", "dispatch", "draw",
                                         "sync",   "event", "data",     "buffer"};
    const auto index = static_cast<size_t>(packet_class);
    return index < sizeof kNames / sizeof *kNames ? kNames[index] : "?";
}

PacketTable::PacketTable(const char* generation, const PacketInfo* packets, size_t count,
                         const PacketInfo& type0)
    : generation_(generation), packets_(packets), count_(count), type0_(&type0) {
    assert(count < 256);
    for (size_t i = 0; i < count; ++i) {
        assert(packets[i].fixed <= kMaxFixedDwords);
        for (unsigned k = 0; k < packets[i].opcode_count; ++k) {
            uint8_t& entry = index_[packets[i].opcodes[k]];
            assert(entry == 0 && "two packets with one opcode");
            entry = static_cast<uint8_t>(i + 1);
        }
    }
}

const PacketInfo* PacketTable::find_by_name(const std::string& name) const {
    for (const PacketInfo& info : *this)
        if (name == info.name)
            return &info;
    return nullptr;
}

std::shared_ptr<const PacketTable> renumber(
    const PacketTable& base, const std::vector<OpcodeChoice>& choices,
    std::vector<std::pair<std::string, std::string>>& problems) {
    struct Owned {
        std::vector<PacketInfo> rows;
        std::unique_ptr<PacketTable> table;
    };
    auto owned = std::make_shared<Owned>();
    owned->rows.assign(base.begin(), base.end());
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
        if (info->engine != PacketEngine::De) {
            problem("the number is fixed: the constant engine decodes it as well");
            continue;
        }
        if (choice.opcodes.empty() || choice.opcodes.size() > 2) {
            problem("must have one or two opcodes");
            continue;
        }
        PacketInfo& row = owned->rows[static_cast<size_t>(info - base.begin())];
        row.opcode_count = static_cast<uint8_t>(choice.opcodes.size());
        for (size_t i = 0; i < choice.opcodes.size(); ++i)
            row.opcodes[i] = choice.opcodes[i];
    }
    // Whose number it is, by opcode.
    std::array<const PacketInfo*, 256> owner{};
    for (const PacketInfo& row : owned->rows) {
        for (unsigned i = 0; i < row.opcode_count; ++i) {
            const PacketInfo*& at = owner[row.opcodes[i]];
            if (at != nullptr)
                // The choice is at fault, whichever of the two it is for.
                for (const OpcodeChoice& choice : choices)
                    if (choice.packet == row.name || choice.packet == at->name) {
                        problems.emplace_back(
                            choice.packet,
                            format_text("opcode 0x%02x is that of %s and %s", row.opcodes[i],
                                        at->name, at == &row ? "itself" : row.name));
                        break;
                    }
            at = &row;
        }
    }
    if (problems.size() != before)
        return nullptr;
    owned->table = std::make_unique<PacketTable>(base.generation(), owned->rows.data(),
                                                 owned->rows.size(), base.type0());
    return {owned, owned->table.get()};
}

const PacketInfo& check_any_header(const PacketTable& table, uint32_t header,
                                   const Location& location, uint32_t dwords_left,
                                   PacketEngine engine) {
    const unsigned type = header_type(header);
    if (type == 1 || type == 2 || (type == 0 && engine == PacketEngine::Ce))
        bad(location, ParseFault::HeaderType,
            format_text("type-%u packet header 0x%08x where a packet must start", type, header));
    const PacketInfo* info = &table.type0();
    const uint32_t body = header_body_dwords(header);
    std::string name = "type-0 packet";
    if (type == 3) {
        info = table.find(header_opcode(header));
        if (info == nullptr)
            bad(location, ParseFault::UnknownOpcode,
                format_text("unknown packet opcode 0x%02x (header 0x%08x)", header_opcode(header),
                            header));
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
        if (body < info->min_body || body > info->max_body) {
            const char* bound = info->min_body == info->max_body ? ""
                                : body < info->min_body          ? "at least "
                                                                 : "at most ";
            bad(location, ParseFault::WrongSize,
                name + format_text(" has %u body dwords, must have %s%u", body, bound,
                                   body < info->min_body ? info->min_body : info->max_body));
        }
        name += format_text(" (opcode 0x%02x)", header_opcode(header));
    }
    if (body > dwords_left)
        bad(location, ParseFault::CutOff,
            name +
                format_text(" is cut off: its body has %u dwords, %u are left before the %s", body,
                            dwords_left,
                            location.level == 0 ? "write pointer" : "end of the indirect buffer"));
    return *info;
}

Route route_any_packet(const PacketInfo& info, const uint32_t* body, const Location& location) {
    const std::string name = info.name;
    switch (info.id) {
        case PacketId::Nop:
            return Route::Skip;
        case PacketId::IndirectBuffer:
            return Route::Fetch;
        case PacketId::IndirectBufferConst:
            return Route::FetchConst;
        case PacketId::PfpSyncMe:
            return Route::MeAndSync;
        case PacketId::WaitRegMem:
            return fields::wait_reg_mem::kEngine.in(body) != 0 ? Route::Pfp : Route::Me;
        case PacketId::SurfaceSync:
            if (fields::surface_sync::kEngine.in(body) != 0)
                return Route::Me;
            return (body[0] & DestinationBases::kEnables) != 0 ? Route::MeAndSync : Route::Pfp;
        case PacketId::WriteData: {
            const uint32_t engine = fields::write_data::kEngine.in(body);
            if (engine == 2)
                bad(location, ParseFault::EngineCe,
                    name + " with ENGINE_SEL CE belongs into a buffer of INDIRECT_BUFFER_CONST");
            return engine == 1 ? Route::Pfp : Route::Me;
        }
        case PacketId::CopyData: {
            const uint32_t engine = fields::copy_data::kEngine.in(body);
            if (engine == 2)
                bad(location, ParseFault::EngineCe,
                    name + " with ENGINE_SEL CE belongs into a buffer of INDIRECT_BUFFER_CONST");
            if (engine != 0)
                bad(location, ParseFault::EngineWrong,
                    name + format_text(" with ENGINE_SEL %u, only ME and CE copy", engine));
            return Route::Me;
        }
        case PacketId::CpDma:
            return fields::cp_dma::kEngine.in(body) != 0 ? Route::Pfp : Route::Me;
        case PacketId::CondExec:
        case PacketId::PredExec:
        case PacketId::SetPredication:
            return Route::Pfp;
        default:
            return Route::Me;
    }
}

IndirectBuffer decode_indirect_buffer(const PacketInfo& info, const uint32_t* body,
                                      const Location& location) {
    namespace f = fields::indirect_buffer;
    const std::string name = std::string("packet ") + info.name;
    // Constant buffers have a level of their own.
    if (info.id != PacketId::IndirectBufferConst && location.level + 1u >= kLevels)
        bad(location, ParseFault::TooDeep, name + " inside IB2: indirect buffers nest two deep");
    IndirectBuffer buffer;
    buffer.base = uint64_t{f::kBaseHi.in(body)} << 32 | uint64_t{f::kBaseLo.in(body)} << 2;
    buffer.dwords = f::kSize.in(body);
    buffer.swap = static_cast<uint8_t>(f::kSwap.in(body));
    // What an indirect buffer calls runs in the address space the kernel chose for it.
    buffer.vmid = location.level == 0 ? static_cast<uint8_t>(f::kVmid.in(body)) : location.vmid;
    if (f::kChain.in(body) != 0)
        missing(location, ParseFault::Chain, name + " with CHAIN");
    if (buffer.dwords == 0)
        bad(location, ParseFault::Empty, name + " of 0 dwords");
    if (buffer.swap > kMaxDwordSwap)
        bad(location, ParseFault::SwapCode, name + " with reserved swap code 3");
    return buffer;
}

regs::TableSpan<ValueName> event_names() {
    return {kEventNames, sizeof kEventNames / sizeof *kEventNames};
}

std::string event_name(uint8_t type) {
    for (const ValueName& event : kEventNames)
        if (event.value == type)
            return event.name;
    return format_text("event %u", type);
}

bool event_is_defined(uint8_t type) {
    for (const ValueName& event : kEventNames)
        if (event.value == type)
            return true;
    return false;
}

std::string describe_register(uint32_t byte_offset, uint32_t value, RegisterNamer namer) {
    return namer != nullptr ? namer(byte_offset, value)
                            : format_text("0x%05x = 0x%08x", byte_offset, value);
}

std::string describe_packet(const PacketTable& table, uint32_t header, const uint32_t* body,
                            uint32_t available, RegisterNamer namer) {
    const unsigned type = header_type(header);
    if (type == 2)
        return "type-2";
    if (type == 1)
        return format_text("type-1 header 0x%08x", header);
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
        return format_text("opcode 0x%02x, %u dwords", header_opcode(header), count);
    std::string text = info->name;
    if (header_is_compute(header))
        text += " [compute]";
    if (info->id == PacketId::Nop)
        return text + format_text(" %u dwords", count);
    const uint32_t window = set_window(info->id);
    if (window != 0 && available > 0) {
        const uint32_t offset = window + 4 * fields::set_reg::kOffset.in(body);
        for (uint32_t i = 1; i < available && i < count; ++i)
            text += (i == 1 ? " " : "; ") + describe_register(offset + 4 * (i - 1), body[i], namer);
        return text;
    }
    for (unsigned i = 0; i < info->field_count; ++i) {
        const PacketField& field = info->fields[i];
        if (!field.applies(body, available))
            continue;
        const FieldMeaning meaning = meaning_of(*info, field);
        const uint32_t value = field.in(body);
        text += format_text(field.msb - field.lsb >= 15 ? " %s=0x%x" : " %s=%u", field.name,
                            meaning.kind == FieldKind::Address ? value << field.lsb : value);
        if (const char* name = value_name(meaning, value))
            text += std::string(" (") + name + ")";
    }
    return text;
}

}  // namespace archipelago::cp
