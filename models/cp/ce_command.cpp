// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ce_command.h"

namespace archipelago::cp {

CeCommand constant_buffer(const PacketInfo& info, const uint32_t* body, const Location& location) {
    const IndirectBuffer buffer = info.buffer(info, body, location);
    CeCommand command;
    command.base = buffer.base;
    command.dwords = buffer.dwords;
    command.vmid = buffer.vmid;
    command.swap = buffer.swap;
    command.location = location;
    command.location.level = location.level < kConstantLevel ? kConstantLevel : kConstantLevel2;
    command.location.vmid = buffer.vmid;
    command.location.base = buffer.base;
    command.location.dword = 0;
    return command;
}

}  // namespace archipelago::cp
