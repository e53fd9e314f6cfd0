// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/command/command.h"

#include <iterator>

#include "models/common/text.h"
#include "models/front/field_names.h"
#include "models/front/packet_row.h"

namespace archipelago::ctm {
namespace {

using front::FieldKind;
using front::FieldMeaning;
using front::PacketField;

// ---- fields ------------------------------------------------------------------------------------

constexpr FieldMeaning kAddress{FieldKind::Address, 0, nullptr, {}};
constexpr ValueName kTilingNames[] = {
    {0, "LINEAR"}, {1, "TILED"}, {2, "LINEAR_INP_2X2"}, {3, "TILED_INP_2X2"}};
constexpr FieldMeaning kTiling = front::value_names(kTilingNames);
constexpr ValueName kFormatNames[] = {
    {0, "UINT16_1"}, {1, "UINT8_4"}, {2, "FLOAT32_1"}, {3, "FLOAT32_2"}, {4, "FLOAT32_4"}};
constexpr FieldMeaning kFormat = front::value_names(kFormatNames);
constexpr ValueName kConditionNames[] = {{0, "NEVER"},  {1, "LESS"},   {2, "LEQUAL"},
                                         {3, "EQUAL"},  {4, "GEQUAL"}, {5, "GREATER"},
                                         {6, "NEQUAL"}, {7, "ALWAYS"}};
constexpr FieldMeaning kCondition = front::value_names(kConditionNames);
constexpr ValueName kLocationNames[] = {{0, "DPP"}, {1, "PE"}};
constexpr FieldMeaning kLocation = front::value_names(kLocationNames);

constexpr PacketField kEnable[] = {{"enable", 1, 0, 0}};
constexpr PacketField kBase[] = {{"base_address", 1, 11, 31, &kAddress}};
constexpr PacketField kValue[] = {{"val", 1, 0, 31}};
constexpr PacketField kDomain[] = {
    {"i0", 1, 0, 11}, {"j0", 2, 0, 11}, {"i1", 3, 0, 11}, {"j1", 4, 0, 11}};
// A pitch is in elements; the field lacks its low two bits as an address does.
constexpr PacketField kSurface[] = {{"base_address", 1, 11, 31, &kAddress},
                                    {"pitch", 2, 2, 12, &kAddress},
                                    {"tiling", 2, 16, 17, &kTiling},
                                    {"format", 2, 24, 26, &kFormat}};
constexpr PacketField kBuffer[] = {{"base_address", 1, 11, 31, &kAddress},
                                   {"pitch", 2, 2, 12, &kAddress},
                                   {"tiling", 2, 16, 17, &kTiling},
                                   {"format", 2, 24, 26, &kFormat},
                                   {"height", 3, 0, 12}};
constexpr PacketField kInput[] = {{"input", 1, 0, 3},
                                  {"base_address", 2, 11, 31, &kAddress},
                                  {"pitch", 3, 2, 12, &kAddress},
                                  {"tiling", 3, 16, 17, &kTiling},
                                  {"format", 3, 24, 26, &kFormat},
                                  {"height", 4, 0, 12}};
constexpr PacketField kOutput[] = {{"output", 1, 0, 3},
                                   {"base_address", 2, 11, 31, &kAddress},
                                   {"pitch", 3, 2, 12, &kAddress},
                                   {"tiling", 3, 16, 17, &kTiling},
                                   {"format", 3, 24, 26, &kFormat},
                                   {"height", 4, 0, 12}};
constexpr PacketField kMask[] = {
    {"c0", 1, 0, 0}, {"c1", 1, 1, 1}, {"c2", 1, 2, 2}, {"c3", 1, 3, 3}};
constexpr PacketField kWrite[] = {{"write", 1, 0, 0}};
constexpr PacketField kTest[] = {{"condition", 1, 0, 2, &kCondition}};
constexpr PacketField kLoc[] = {{"loc", 1, 0, 0, &kLocation}};

// ---- rows --------------------------------------------------------------------------------------

// A command is pipelined and waits for programs, unless its row says otherwise.
class Row : public front::RowBuilder<Row, CommandInfo> {
  public:
    using RowBuilder::RowBuilder;

    constexpr Row not_pipelined() const {
        return with([](CommandInfo& i) { i.pipelined = false; });
    }
    constexpr Row at_once() const {
        return with([](CommandInfo& i) { i.order = CommandOrder::AtOnce; });
    }
    // The CO keeps it as well.
    constexpr Row seen_by_co() const {
        return with([](CommandInfo& i) { i.units |= kToConditionalOperation; });
    }
};

constexpr Row row(const char* name, uint32_t header, uint8_t units, const char* effect) {
    CommandInfo info;
    info.name = name;
    info.header = header;
    info.opcode = static_cast<Opcode>(header >> 8 & 0xff);
    info.parameters = static_cast<uint8_t>((header >> 16 & 0x3fff) + 1);
    info.min_dwords = info.max_dwords = info.parameters;
    info.units = units;
    info.effect = effect;
    return Row(info);
}
constexpr Row pe(const char* name, uint32_t header, const char* effect) {
    return row(name, header, kToProcessorExecution, effect);
}
constexpr Row mc(const char* name, uint32_t header, const char* effect) {
    return row(name, header, kToMemoryController, effect);
}
constexpr Row co(const char* name, uint32_t header, const char* effect) {
    return row(name, header, kToConditionalOperation, effect);
}

// In the order of opcodes, from InitPerfCounters on.
constexpr CommandInfo kCommands[] = {
    pe("init_perf_counters", 0xC0010200, "turns the performance counters on or off")
        .fields(kEnable),
    pe("start_perf_counters", 0xC0000300, "sets the performance counters to 0 and lets them count"),
    pe("stop_perf_counters", 0xC0000400, "stops the performance counters"),
    pe("read_perf_counters", 0xC0010500, "writes total and active clocks to memory")
        .fields(kBase)
        .not_pipelined(),
    pe("set_cond_val", 0xC0000600, "sets the conditional value of later starts")
        .fields(kValue)
        .at_once(),
    pe("set_domain", 0xC0030700, "sets the domain of later starts").fields(kDomain).at_once(),
    pe("start_program", 0xC0000800, "runs the program for each index pair of the domain").at_once(),
    pe("wait_for_idle", 0xC0000900, "waits until all processors are idle"),
    mc("set_inst_fmt", 0xC0010A00, "sets where instructions are").fields(kSurface).not_pipelined(),
    mc("set_inp_fmt", 0xC0030B00, "sets where an input is").fields(kInput).not_pipelined(),
    mc("set_out_fmt", 0xC0030C00, "sets where an output is").fields(kOutput).not_pipelined(),
    mc("set_cond_out_fmt", 0xC0020D00, "sets where the conditional buffer is")
        .fields(kBuffer)
        .not_pipelined()
        .seen_by_co(),
    mc("set_constf_fmt", 0xC0010E00, "sets where float constants are")
        .fields(kSurface)
        .not_pipelined(),
    mc("set_consti_fmt", 0xC0010F00, "sets where integer constants are")
        .fields(kSurface)
        .not_pipelined(),
    mc("set_constb_fmt", 0xC0011000, "sets where boolean constants are")
        .fields(kSurface)
        .not_pipelined(),
    mc("inv_inst_cache", 0xC0001100, "invalidates the instruction cache"),
    mc("inv_constf_cache", 0xC0001200, "invalidates the float constant cache"),
    mc("inv_consti_cache", 0xC0001300, "invalidates the integer constant cache"),
    mc("inv_constb_cache", 0xC0001400, "invalidates the boolean constant cache"),
    mc("inv_cond_out_cache", 0xC0001500, "invalidates the conditional output cache"),
    mc("inv_inp_cache", 0xC0001600, "invalidates the input cache"),
    mc("flush_out_cache", 0xC0001700, "writes the output cache to memory"),
    mc("flush_cond_out_cache", 0xC0001800, "writes the conditional output cache to memory"),
    mc("set_out_mask", 0xC0001900, "sets which channels of outputs are written").fields(kMask),
    mc("set_cond_out_mask", 0xC0001A00, "lets the conditional buffer be written or not")
        .fields(kWrite)
        .seen_by_co(),
    co("set_cond_test", 0xC0001B00, "sets the conditional test").fields(kTest),
    co("set_cond_loc", 0xC0001C00, "sets whether the PE's or the DPP's requests are tested")
        .fields(kLoc),
};
constexpr unsigned kFirstOpcode = static_cast<unsigned>(Opcode::InitPerfCounters);
static_assert(std::size(kCommands) == static_cast<size_t>(Opcode::SetCondLoc) - kFirstOpcode + 1);

}  // namespace

CommandTable::CommandTable()
    : front::PacketTable<CommandInfo>("ctm", {std::begin(kCommands), std::end(kCommands)}) {
    check_headers([](const CommandInfo& a, const CommandInfo& b) { return a.opcode == b.opcode; });
}

const CommandInfo* CommandTable::find(uint32_t header) const {
    const uint32_t index = (header >> 8 & 0xff) - kFirstOpcode;
    return index < size() && begin()[index].header == header ? begin() + index : nullptr;
}

const CommandInfo& CommandTable::row(Opcode opcode) const {
    return begin()[static_cast<unsigned>(opcode) - kFirstOpcode];
}

const CommandTable& commands() {
    static const CommandTable table;
    return table;
}

std::string to_string(const CommandPlace& place) {
    return "command buffer " + std::to_string(place.buffer) + " at " + hex(place.address) +
           ", dword " + std::to_string(place.dword);
}

std::string where(const ReadCommand& command) {
    return to_string(command.place) + ", " + command.info->name;
}

std::string describe(const ReadCommand& command) {
    return command.info->name + front::describe_fields(*command.info, command.parameters.data(),
                                                       command.info->parameters);
}

}  // namespace archipelago::ctm
