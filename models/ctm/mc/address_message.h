// SPDX-License-Identifier: Apache-2.0
// What the CTM memory controller's address translation takes and gives. ATI CTM Guide 1.01,
// sections 2.1.4 and 2.2.2.
#pragma once

#include <array>
#include <cstdint>

namespace archipelago::ctm {

// Numbers of the memory clients that have a surface; named by the guide, numbered here.
enum Client : uint8_t {
    kInput0 = 0,    // 16 program inputs
    kOutput0 = 16,  // 4 program outputs
    kConditionalOutput = 20,
    kFloatConstants = 21,
    kIntegerConstants = 22,
    kBooleanConstants = 23,
    kInstructions = 24,
    kClients = 25,
};
constexpr unsigned kInputs = 16;
constexpr unsigned kOutputs = 4;

// Bits 15:8 of a command's header.
enum class Command : uint8_t {
    SetInstFmt = 0x0a,     // base, format
    SetInpFmt = 0x0b,      // input, base, format, height
    SetOutFmt = 0x0c,      // output, base, format, height
    SetCondOutFmt = 0x0d,  // base, format, height
    SetConstfFmt = 0x0e,   // base, format
    SetConstiFmt = 0x0f,   // base, format
    SetConstbFmt = 0x10,   // base, format
};

struct AddressCommand {
    uint8_t opcode = 0;
    std::array<uint32_t, 4> parameters{};  // as in the command buffer
};

struct AddressRequest {
    uint8_t client = 0;     // 5 bits
    uint16_t x = 0, y = 0;  // 12 bits
    uint8_t tag = 0;        // returned with the addresses
};

enum class AddressStatus : uint8_t {
    Ok,
    Undefined,       // 2x2 superfine of an input with several channels: the guide leaves it open
    ReservedFormat,  // no addresses
    NoClient,        // no addresses
};

struct AddressResponse {
    std::array<uint32_t, 4> address{};  // bytes; one element: the first, the others 0
    bool superfine = false;             // four elements, in the order of the channels c0..c3
    uint8_t log2_bytes = 0;             // per element
    AddressStatus status = AddressStatus::Ok;
    uint8_t tag = 0;
};

}  // namespace archipelago::ctm
