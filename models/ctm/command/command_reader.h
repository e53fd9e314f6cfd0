// SPDX-License-Identifier: Apache-2.0
// Reads the commands of a buffer from its dwords, one after the other, in either mode.
#pragma once

#include <cstdint>

#include "models/ctm/command/command.h"

namespace archipelago::ctm {

// A buffer as submitted.
struct CommandBuffer {
    uint32_t id = 0;       // from 1
    uint32_t address = 0;  // bytes
    uint32_t bytes = 0;
};

// What is wrong with a command's header, if `left` dwords are after it; `info`: its row, or null.
enum class HeaderError : uint8_t { None, Unknown, EndsWithin };
HeaderError check_header(uint32_t header, uint32_t left, const CommandInfo*& info);

// Throws MachineStop(BadInput) for a buffer of no length, one whose address or length is no
// multiple of a dword, or one that goes beyond the address space.
void check(const CommandBuffer& buffer);

// State of the reader of one buffer; plain.
struct CommandReader {
    CommandBuffer buffer;
    uint32_t taken = 0;   // dwords
    ReadCommand command;  // being read, or the last one read
    uint8_t missing = 0;  // its parameters

    // Begins with a buffer; throws as check().
    void open(const CommandBuffer& b);
    uint32_t dwords() const { return buffer.bytes / 4; }
    bool at_end() const { return taken == dwords(); }
    // Whether `command` is whole now. Throws MachineStop(BadInput) for a header of no command, and
    // for a command that the buffer has not all dwords of.
    bool take(uint32_t dword);
};

}  // namespace archipelago::ctm
