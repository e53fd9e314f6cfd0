// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/command/command_reader.h"

#include <string>

#include "models/common/error.h"
#include "models/common/text.h"

namespace archipelago::ctm {
namespace {

[[noreturn]] void bad(const std::string& where, const std::string& reason) {
    throw MachineStop(StopKind::BadInput, where, reason);
}

// Why no row has this header.
std::string unknown_header(uint32_t header) {
    std::string reason = "no command has header " + hex(header);
    for (const CommandInfo& info : commands())
        if ((header >> 8 & 0xff) == static_cast<uint32_t>(info.opcode))
            reason += std::string("; that of ") + info.name + " is " + hex(info.header);
    return reason;
}

}  // namespace

void check(const CommandBuffer& buffer) {
    const std::string where =
        "command buffer " + std::to_string(buffer.id) + " at " + hex(buffer.address);
    if (buffer.bytes == 0)
        bad(where, "its size is 0");
    if (buffer.bytes % 4 != 0)
        bad(where, "its size of " + std::to_string(buffer.bytes) + " bytes is no multiple of 4");
    if (buffer.address % 4 != 0)
        bad(where, "its address is no multiple of 4");
    if (uint64_t{buffer.address} + buffer.bytes > uint64_t{1} << 32)
        bad(where, "it goes beyond the address space of 32 bits");
}

HeaderError check_header(uint32_t header, uint32_t left, const CommandInfo*& info) {
    info = commands().find(header);
    if (info == nullptr)
        return HeaderError::Unknown;
    return left < info->parameters ? HeaderError::EndsWithin : HeaderError::None;
}

void CommandReader::open(const CommandBuffer& b) {
    check(b);
    buffer = b;
    taken = 0;
    missing = 0;
}

bool CommandReader::take(uint32_t dword) {
    const uint32_t at = taken++;
    if (missing == 0) {
        command = {};
        command.place = {buffer.id, buffer.address, at};
        const uint32_t left = dwords() - taken;
        const HeaderError error = check_header(dword, left, command.info);
        if (error == HeaderError::Unknown)
            bad(to_string(command.place), unknown_header(dword));
        missing = command.info->parameters;
        if (error == HeaderError::EndsWithin)
            bad(where(command), "the buffer ends within it: of " + std::to_string(missing) +
                                    " parameters " + std::to_string(left) + " are left");
        return false;
    }
    command.parameters[command.info->parameters - missing] = dword;
    return --missing == 0;
}

}  // namespace archipelago::ctm
