// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pm4_names.h"

#include <cstring>

#include "models/cp/micro_op.h"

namespace archipelago::cp {

namespace {

// Values: section 2 of "Radeon Southern Islands Acceleration"; CP_DMA, COPY_DW, PREAMBLE_CNTL and
// REG_RMW as si_packet_fields.h says.
constexpr ValueName kEngines[] = {{0, "ME"}, {1, "PFP"}, {2, "CE"}, {3, "DE"}};
constexpr ValueName kMeOrPfp[] = {{0, "ME"}, {1, "PFP"}};
constexpr ValueName kPfpOrMe[] = {{0, "PFP"}, {1, "ME"}};
constexpr ValueName kSpaces[] = {{0, "REGISTER"}, {1, "MEMORY"}};
constexpr ValueName kMaskSources[] = {{0, "VALUE"}, {1, "REGISTER"}};
constexpr ValueName kFunctions[] = {{0, "ALWAYS"}, {1, "LESS"},      {2, "LESS_EQUAL"},
                                    {3, "EQUAL"},  {4, "NOT_EQUAL"}, {5, "GREATER_EQUAL"},
                                    {6, "GREATER"}};
constexpr ValueName kSwaps[] = {
    {0, "NONE"}, {1, "SWAP_8_IN_16"}, {2, "SWAP_8_IN_32"}, {3, "SWAP_8_IN_64"}};
constexpr ValueName kDestinations[] = {
    {0, "REGISTER"}, {1, "MEMORY_SYNC"}, {2, "TC_L2"}, {3, "GDS"}, {5, "MEMORY"}};
constexpr ValueName kSources[] = {{0, "REGISTER"},
                                  {1, "MEMORY"},
                                  {2, "TC_L2"},
                                  {3, "GDS"},
                                  {5, "IMMEDIATE"},
                                  {6, "ATOMIC_RETURN"},
                                  {7, "GDS_ATOMIC_RETURN0"},
                                  {8, "GDS_ATOMIC_RETURN1"}};
constexpr ValueName kDmaDestinations[] = {{0, "ADDRESS"}, {1, "GDS"}};
constexpr ValueName kDmaSources[] = {{0, "ADDRESS"}, {1, "GDS"}, {2, "DATA"}};
constexpr ValueName kDataSelects[] = {
    {0, "NONE"}, {1, "DATA32"}, {2, "DATA64"}, {3, "CLOCK"}, {4, "PERFCOUNTER"}};
constexpr ValueName kIntSelects[] = {{0, "NONE"}, {1, "ONLY"}, {2, "ON_CONFIRM"}};
constexpr ValueName kEosCommands[] = {{1, "STORE_GDS"}, {2, "FENCE"}};
constexpr ValueName kSemaphores[] = {{6, "SIGNAL"}, {7, "WAIT"}};
constexpr ValueName kClients[] = {{0, "CP"}, {1, "CB"}, {2, "DB"}};
constexpr ValueName kSignals[] = {{0, "INCREMENT"}, {1, "WRITE_1"}};
constexpr ValueName kPredicates[] = {{0, "CLEAR"}, {1, "ZPASS"}, {2, "PRIMCOUNT"}};
constexpr ValueName kBases[] = {
    {0, "DISPLAY_LIST"}, {1, "DRAW_INDIRECT"}, {2, "GDS_PARTITIONS"}, {3, "CE_PARTITIONS"}};
constexpr ValueName kIndexTypes[] = {{0, "INDEX_16"}, {1, "INDEX_32"}};
constexpr ValueName kPreamble[] = {
    {0, "PREAMBLE_BEGIN"}, {1, "PREAMBLE_END"}, {2, "CLEAR_STATE_BEGIN"}, {3, "CLEAR_STATE_END"}};
constexpr ValueName kOffsets[] = {{0, "PACKET"}, {1, "FILLED_SIZE"}, {2, "MEMORY"}, {3, "NONE"}};
constexpr ValueName kAtomicCommands[] = {{0, "SINGLE"}, {1, "LOOP"}};
constexpr ValueName kCondCommands[] = {{0, "DISCARD"}};

template <size_t N>
constexpr FieldMeaning names(const ValueName (&list)[N]) {
    return {FieldKind::Number, 0, nullptr, {list, N}};
}
constexpr FieldMeaning register_at(uint32_t window) {
    return {FieldKind::Register, window, nullptr, {}};
}
constexpr FieldMeaning value_of(const char* name) {
    return {FieldKind::RegisterValue, 0, name, {}};
}

struct Row {
    const char* packet;  // null: any
    const char* field;
    FieldMeaning meaning;
};
// The first row that fits.
constexpr Row kRows[] = {
    {nullptr, "EVENT_TYPE", {FieldKind::Event, 0, nullptr, {}}},
    {nullptr, "ENGINE_SEL", names(kEngines)},
    {"SURFACE_SYNC", "ENGINE", names(kPfpOrMe)},
    {nullptr, "ENGINE", names(kMeOrPfp)},
    {nullptr, "MEM_SPACE", names(kSpaces)},
    {nullptr, "POLL_SPACE", names(kSpaces)},
    {nullptr, "WRITE_SPACE", names(kSpaces)},
    {nullptr, "SRC_SPACE", names(kSpaces)},
    {nullptr, "DST_SPACE", names(kSpaces)},
    {nullptr, "OR_MASK_SRC", names(kMaskSources)},
    {nullptr, "AND_MASK_SRC", names(kMaskSources)},
    {nullptr, "FUNCTION", names(kFunctions)},
    {nullptr, "SWAP", names(kSwaps)},
    {nullptr, "SRC_SWAP", names(kSwaps)},
    {nullptr, "DST_SWAP", names(kSwaps)},
    {nullptr, "POLL_SWAP", names(kSwaps)},
    {nullptr, "WRITE_SWAP", names(kSwaps)},
    {nullptr, "SWAP_MODE", names(kSwaps)},
    {nullptr, "EXTERNAL_MEM_SWAP", names(kSwaps)},
    {nullptr, "HEADER_DUMP_SWAP", names(kSwaps)},
    {"CP_DMA", "DST_SEL", names(kDmaDestinations)},
    {"CP_DMA", "SRC_SEL", names(kDmaSources)},
    {nullptr, "DST_SEL", names(kDestinations)},
    {nullptr, "SRC_SEL", names(kSources)},
    {nullptr, "DATA_SEL", names(kDataSelects)},
    {nullptr, "INT_SEL", names(kIntSelects)},
    {"EVENT_WRITE_EOS", "CMD", names(kEosCommands)},
    {"ATOMIC", "CMD", names(kAtomicCommands)},
    {"COND_EXEC", "COMMAND", names(kCondCommands)},
    {"PREAMBLE_CNTL", "COMMAND", names(kPreamble)},
    {nullptr, "SEM_SEL", names(kSemaphores)},
    {nullptr, "CLIENT_CODE", names(kClients)},
    {nullptr, "SIGNAL_TYPE", names(kSignals)},
    {nullptr, "PRED_OP", names(kPredicates)},
    {nullptr, "BASE_INDEX", names(kBases)},
    {nullptr, "INDEX_TYPE", names(kIndexTypes)},
    {nullptr, "SOURCE_SELECT", names(kOffsets)},
    {nullptr, "POLL_REGISTER", register_at(0)},
    {nullptr, "WRITE_REGISTER", register_at(0)},
    {nullptr, "SRC_REGISTER", register_at(0)},
    {nullptr, "DST_REGISTER", register_at(0)},
    {nullptr, "MOD_ADRS", register_at(0)},
    {nullptr, "AND_ADRS", register_at(0)},
    {nullptr, "OR_ADRS", register_at(0)},
    {"ONE_REG_WRITE", "REG_OFFSET", register_at(0)},
    {"LOAD_CONFIG_REG", "REG_OFFSET", register_at(kConfigWindow.start)},
    {"SET_CONFIG_REG", "REG_OFFSET", register_at(kConfigWindow.start)},
    {"LOAD_SH_REG", "REG_OFFSET", register_at(kShWindow.start)},
    {"SET_SH_REG", "REG_OFFSET", register_at(kShWindow.start)},
    {"SET_SH_REG_OFFSET", "REG_OFFSET", register_at(kShWindow.start)},
    {nullptr, "REG_OFFSET", register_at(kContextWindow.start)},
    {nullptr, "BASE_VTX_LOC", register_at(kShWindow.start)},
    {nullptr, "START_INST_LOC", register_at(kShWindow.start)},
    {nullptr, "DRAW_INDEX_LOC", register_at(kShWindow.start)},
    {nullptr, "DRAW_INITIATOR", value_of("VGT_DRAW_INITIATOR")},
    {nullptr, "DISPATCH_INITIATOR", value_of("COMPUTE_DISPATCH_INITIATOR")},
    {nullptr, "COHER_CNTL", value_of("CP_COHER_CNTL")},
};

bool is_address(const PacketField& field) {
    if (field.lsb == 0 || field.msb != 31)
        return false;
    return std::strstr(field.name, "ADDR") != nullptr || std::strstr(field.name, "BASE") != nullptr;
}

}  // namespace

FieldMeaning meaning_of(const PacketInfo& info, const PacketField& field) {
    for (const Row& row : kRows)
        if (std::strcmp(row.field, field.name) == 0 &&
            (row.packet == nullptr || std::strcmp(row.packet, info.name) == 0))
            return row.meaning;
    FieldMeaning meaning;
    if (is_address(field))
        meaning.kind = FieldKind::Address;
    return meaning;
}

const char* value_name(const FieldMeaning& meaning, uint32_t value) {
    const auto list = meaning.kind == FieldKind::Event ? event_names() : meaning.names;
    for (const ValueName& entry : list)
        if (entry.value == value)
            return entry.name;
    return nullptr;
}

bool value_of_name(const FieldMeaning& meaning, std::string_view name, uint32_t& value) {
    const auto list = meaning.kind == FieldKind::Event ? event_names() : meaning.names;
    for (const ValueName& entry : list) {
        if (name == entry.name) {
            value = entry.value;
            return true;
        }
    }
    return false;
}

uint32_t set_window(PacketId id) {
    switch (id) {
        case PacketId::SetConfigReg:
            return kConfigWindow.start;
        case PacketId::SetContextReg:
            return kContextWindow.start;
        case PacketId::SetShReg:
            return kShWindow.start;
        default:
            return 0;
    }
}

}  // namespace archipelago::cp
