// SPDX-License-Identifier: Apache-2.0
// The commands of a CTM command buffer, one row each: ATI CTM Guide 1.01, table 3 and sections
// 2.2.1 to 2.2.3. Parser, sequencing, text and hosts read the row.
//
// A command is a header dword and its parameters, as many as the header's count field says, plus
// one. Dword n of a field is parameter n - 1 of the guide. Bits without a field are reserved and
// ignored.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/front/packet_field.h"
#include "models/front/packet_table.h"

namespace archipelago::ctm {

// Bits 15:8 of a header.
enum class Opcode : uint8_t {
    InitPerfCounters = 0x02,
    StartPerfCounters,
    StopPerfCounters,
    ReadPerfCounters,
    SetCondVal,
    SetDomain,
    StartProgram,
    WaitForIdle,
    SetInstFmt,
    SetInpFmt,
    SetOutFmt,
    SetCondOutFmt,
    SetConstfFmt,
    SetConstiFmt,
    SetConstbFmt,
    InvInstCache,
    InvConstfCache,
    InvConstiCache,
    InvConstbCache,
    InvCondOutCache,
    InvInpCache,
    FlushOutCache,
    FlushCondOutCache,
    SetOutMask,
    SetCondOutMask,
    SetCondTest,
    SetCondLoc,
};

// Whom a command is for.
enum CommandUnits : uint8_t {
    kToProcessorExecution = 1,
    kToMemoryController = 2,
    kToConditionalOperation = 4,
};

// When the PE carries a command out, with programs started and not ended.
enum class CommandOrder : uint8_t {
    AtOnce,          // touches nothing that they use: a start takes its own copy
    BehindPrograms,  // when they have ended
};

constexpr unsigned kMaxParameters = 4;

struct CommandInfo : front::PacketShape {
    uint32_t header = 0;
    Opcode opcode{};
    uint8_t parameters = 1;
    uint8_t units = 0;  // CommandUnits
    bool pipelined = true;
    CommandOrder order = CommandOrder::BehindPrograms;
    const char* effect = "";  // what it does, for people
};

// A command as read, and where it stands.
struct CommandPlace {
    uint32_t buffer = 0;   // id, from 1
    uint32_t address = 0;  // of the buffer, bytes
    uint32_t dword = 0;    // of the header in the buffer, from 0
};
struct ReadCommand {
    const CommandInfo* info = nullptr;
    std::array<uint32_t, kMaxParameters> parameters{};
    CommandPlace place;
};
// "command buffer 3 at 0x1000, dword 17".
std::string to_string(const CommandPlace& place);
// "command buffer 3 at 0x1000, dword 17, start_program".
std::string where(const ReadCommand& command);
// "set_domain i0=0 j0=0 i1=7 j1=7", for logs.
std::string describe(const ReadCommand& command);

class CommandTable : public front::PacketTable<CommandInfo> {
  public:
    CommandTable();

    // Null: no command has this header.
    const CommandInfo* find(uint32_t header) const;
    const CommandInfo& row(Opcode opcode) const;
};
const CommandTable& commands();

}  // namespace archipelago::ctm
