// SPDX-License-Identifier: Apache-2.0
// Names of what a program reaches by number: registers of four spaces, and packets. The database is
// configs/isa/afuc.yaml.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

enum class Space : uint8_t {
    Control,  // cread, cwrite; document, "Control Registers"
    Sqe,      // sread, swrite
    Pipe,     // $addr bits 31:24
    Gpu       // $addr bits 17:0
};

struct RegisterName {
    const char* name;
    uint32_t first;  // index
    uint32_t count;  // indices that it takes: 2 for 64 bits
    uint32_t array;  // 0: NAME+n; else NAME[n], of so many indices each
    bool fires;      // of a pipe register: writing $addr is enough
};

// A register with its place in it: NAME, NAME+0x1, NAME[0x2], NAME[0x2]+0x1.
struct Named {
    const RegisterName* reg = nullptr;
    uint32_t offset = 0;
    explicit operator bool() const { return reg != nullptr; }
    std::string text() const;
};

// The register that has an index.
Named name_of(Names names, Space space, uint32_t index);
// The register of a name; null: none has it.
const RegisterName* find_register(Names names, Space space, std::string_view name);
// All of a space by rising index; another name of a register stands after its own.
std::vector<RegisterName> register_list(Names names, Space space);
// Their names, for suggestions.
std::vector<std::string> register_names(Names names, Space space);

struct PacketName {
    const char* name;
    uint8_t opcode;
};
// The entries of a generation's packet table by rising opcode; an opcode may have several names.
std::vector<PacketName> packet_list(Names names);
// The packet of an opcode of type 7, 0 to 127: its name, or UNKN and the opcode in decimal.
std::string packet_name(Names names, unsigned opcode);
// The opcode of a packet by any of its names, of other generations, too; -1: no packet has it.
int packet_opcode(Names names, std::string_view name);

}  // namespace archipelago::afuc
