// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/mc_registers.h"

#include "models/common/memory_message.h"
#include "models/common/text.h"

namespace archipelago::ctm {
namespace {

constexpr uint32_t kHeightBits = 0x1fff;  // of set_out_fmt's last parameter

void set_surface(const UnitCommand& command, McRegisters& registers) {
    if (!apply(command, registers.surfaces)) {
        ++registers.refused_commands;
        return;
    }
    if (command.opcode == static_cast<uint8_t>(Command::SetOutFmt))
        registers.heights[command.parameters[0] % kOutputs] =
            static_cast<uint16_t>(command.parameters[3] & kHeightBits);
}

}  // namespace

const char* to_string(CacheId id) {
    static constexpr std::array<const char*, kCaches> kNames = {
        "input", "output", "conditional", "float", "integer", "boolean", "instruction"};
    return kNames[number_of(id)];
}

CacheId cache_of(unsigned client) {
    if (client < kOutput0)
        return CacheId::Input;
    if (client < kConditionalOutput)
        return CacheId::Output;
    switch (client) {
        case kConditionalOutput:
            return CacheId::Conditional;
        case kFloatConstants:
            return CacheId::Float;
        case kIntegerConstants:
            return CacheId::Integer;
        case kBooleanConstants:
            return CacheId::Boolean;
        default:
            return CacheId::Instruction;
    }
}

std::string to_string(const Origin& origin) {
    const unsigned client = origin.client;
    std::string name;
    if (client < kOutput0)
        name = "input " + std::to_string(client);
    else if (client < kConditionalOutput)
        name = "output " + std::to_string(client - kOutput0);
    else if (client == kConditionalOutput)
        name = "conditional output";
    else if (client == kInstructions)
        name = "instructions";
    else if (client < kInstructions)
        name = std::string(to_string(cache_of(client))) + " constants";
    else
        name = "memory client " + std::to_string(client);
    return name + " at (" + std::to_string(origin.index.x) + ", " + std::to_string(origin.index.y) +
           ")";
}

void refuse_address(const Origin& origin, bool write, uint64_t address) {
    throw MachineStop(
        StopKind::Fault, to_string(origin),
        (write ? "write to " : "read of ") + refused_address(MemStatus::Unmapped, address));
}

UnitCommand with_own_format(const UnitCommand& command) {
    Format format = Format::Float32x1;  // four bytes
    switch (static_cast<Command>(command.opcode)) {
        case Command::SetConstfFmt:
            format = Format::Float32x4;
            break;
        case Command::SetConstiFmt:
            format = Format::Uint8x4;
            break;
        case Command::SetConstbFmt:
            break;
        default:
            return command;
    }
    UnitCommand own = command;
    Surface surface = surface_from_words(own.parameters[0], own.parameters[1]);
    surface.format = format;
    own.parameters[1] = format_word(surface);
    return own;
}

CacheEffect apply(const UnitCommand& command, McRegisters& registers) {
    switch (static_cast<CacheCommand>(command.opcode)) {
        case CacheCommand::InvInstCache:
            return {CacheEffect::Invalidate, CacheId::Instruction};
        case CacheCommand::InvConstfCache:
            return {CacheEffect::Invalidate, CacheId::Float};
        case CacheCommand::InvConstiCache:
            return {CacheEffect::Invalidate, CacheId::Integer};
        case CacheCommand::InvConstbCache:
            return {CacheEffect::Invalidate, CacheId::Boolean};
        case CacheCommand::InvCondOutCache:
            return {CacheEffect::Invalidate, CacheId::Conditional};
        case CacheCommand::InvInpCache:
            return {CacheEffect::Invalidate, CacheId::Input};
        case CacheCommand::FlushOutCache:
            return {CacheEffect::Flush, CacheId::Output};
        case CacheCommand::FlushCondOutCache:
            return {CacheEffect::Flush, CacheId::Conditional};
        case CacheCommand::SetOutMask:
            registers.output_mask = static_cast<uint8_t>(command.parameters[0] & 0xf);
            return {};
        case CacheCommand::SetCondOutMask:
            registers.conditional_mask = (command.parameters[0] & 1) != 0;
            return {};
    }
    if (command.opcode < static_cast<uint8_t>(Command::SetInstFmt) ||
        command.opcode > static_cast<uint8_t>(Command::SetConstbFmt))
        throw MachineStop(StopKind::Internal, "ctm.mc",
                          "command " + std::to_string(command.opcode) + " is of another unit");
    set_surface(command, registers);
    return {};
}

void check_addresses(AddressStatus status, const Origin& origin, const McRegisters& registers,
                     bool allow) {
    switch (status) {
        case AddressStatus::Ok:
            return;
        case AddressStatus::Undefined:
            if (!allow)
                throw MachineStop(StopKind::BadInput, to_string(origin),
                                  "a 2x2 read of elements with several channels is undefined");
            return;
        case AddressStatus::ReservedFormat:
            throw MachineStop(
                StopKind::BadInput, to_string(origin),
                "its surface at " + hex(registers.surfaces[origin.client].base) + " has format " +
                    std::to_string(
                        static_cast<unsigned>(registers.surfaces[origin.client].format)) +
                    ", which is reserved");
        case AddressStatus::NoClient:
            break;
    }
    throw MachineStop(StopKind::Internal, to_string(origin), "no such client");
}

void check_inside(const Origin& origin, const McRegisters& registers) {
    const unsigned output = origin.client - kOutput0;
    if (output >= kOutputs)
        return;
    const unsigned width = registers.surfaces[origin.client].pitch;
    const unsigned height = registers.heights[output];
    if (origin.index.x >= width || origin.index.y >= height)
        throw MachineStop(StopKind::BadInput, to_string(origin),
                          "write outside of the output of " + std::to_string(width) + " x " +
                              std::to_string(height) + " elements at " +
                              hex(registers.surfaces[origin.client].base));
}

}  // namespace archipelago::ctm
