// SPDX-License-Identifier: Apache-2.0
// What commands set in the memory controller besides the surfaces of the address units, and what
// its clients are called. ATI CTM Guide 1.01, sections 2.1.4 and 2.2.2.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/error.h"
#include "models/ctm/mc/mc_address_core.h"
#include "models/ctm/messages.h"

namespace archipelago::ctm {

// Bits 15:8 of the headers of the memory controller's commands that set no surface.
enum class CacheCommand : uint8_t {
    InvInstCache = 0x11,
    InvConstfCache = 0x12,
    InvConstiCache = 0x13,
    InvConstbCache = 0x14,
    InvCondOutCache = 0x15,
    InvInpCache = 0x16,
    FlushOutCache = 0x17,
    FlushCondOutCache = 0x18,
    SetOutMask = 0x19,
    SetCondOutMask = 0x1a,
};

enum class CacheId : uint8_t {
    Input,        // read, of all 16 inputs
    Output,       // write-combining, of all 4 outputs
    Conditional,  // read and written by the CO
    Float,
    Integer,
    Boolean,
    Instruction,
    kCount,
};
constexpr unsigned kCaches = static_cast<unsigned>(CacheId::kCount);
constexpr size_t number_of(CacheId id) {
    return static_cast<size_t>(id);
}
// "input", "output", ... as in counters and descriptions.
const char* to_string(CacheId id);
// Of a client below kClients.
CacheId cache_of(unsigned client);

// The element of a client that an access was for.
struct Origin {
    uint8_t client = 0;
    Point index;
};
// "input 3 at (12, 7)".
std::string to_string(const Origin& origin);
// Throws MachineStop(Fault): memory has no such address.
[[noreturn]] void refuse_address(const Origin& origin, bool write, uint64_t address);

struct McRegisters {
    std::array<Surface, kClients> surfaces{};
    std::array<uint16_t, kOutputs> heights{};  // of outputs: rows
    uint8_t output_mask = 0xf;                 // bit c: channel c of every output is written
    bool conditional_mask = true;              // the conditional output is written
    uint64_t refused_commands = 0;             // set a surface that does not exist

    // Of a write: the channels that reach memory.
    unsigned written(unsigned client, unsigned channels) const {
        if (client == kConditionalOutput)
            return conditional_mask ? channels : 0;
        return channels & output_mask;
    }
};

// What a command does to a cache, once it has been applied to the registers.
struct CacheEffect {
    enum Kind : uint8_t { None, Invalidate, Flush } kind = None;
    CacheId cache = CacheId::Input;
};
// A command with the one format that a kind of constants has, regardless of its format word.
UnitCommand with_own_format(const UnitCommand& command);
// Sets registers. Throws MachineStop(Internal) for a command of another unit.
CacheEffect apply(const UnitCommand& command, McRegisters& registers);

// Throws MachineStop(BadInput) for an answer of an address unit that is no address. `allow`: what
// the guide calls undefined is none of it.
void check_addresses(AddressStatus status, const Origin& origin, const McRegisters& registers,
                     bool allow);
// ... and for a write outside of its output.
void check_inside(const Origin& origin, const McRegisters& registers);

}  // namespace archipelago::ctm
