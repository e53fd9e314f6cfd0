// SPDX-License-Identifier: Apache-2.0
// Packets that write single registers: ONE_REG_WRITE (as public drivers emit it), REG_RMW and
// SCRATCH_RAM_WRITE (as AMD's PAL lays them out, si_ci_vi_merged_pm4defs.h).
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

constexpr ValueName kMaskSourcesNames[] = {{0, "VALUE"}, {1, "REGISTER"}};
constexpr FieldMeaning kMaskSources = value_names(kMaskSourcesNames);
namespace one_reg_write {
enum f : uint8_t { kOffset, kData };
constexpr PacketField kFields[] = {
    {"REG_OFFSET", 1, 0, 15, &kAnyRegister},
    {"DATA", 2, 0, 31},
};

bool run(ProgramState& p, MicroOp& op) {
    write_register(op, 4 * p[f::kOffset], p[f::kData]);
    return p.step++ == 0;
}
}  // namespace one_reg_write
constexpr PacketInfo kOneRegWrite = packet("ONE_REG_WRITE", 0x57, PacketClass::State)
                                        .body(2)
                                        .program(one_reg_write::kFields, one_reg_write::run);

namespace reg_rmw {
enum f : uint8_t { kRegister, kOrSource, kAndSource, kAndMask, kAndAddress, kOrMask, kOrAddress };
constexpr FieldCondition kAndValue = when({"AND_MASK_SRC", 1, 31, 31}, {0});
constexpr FieldCondition kAndRegister = when({"AND_MASK_SRC", 1, 31, 31}, {1});
constexpr FieldCondition kOrValue = when({"OR_MASK_SRC", 1, 30, 30}, {0});
constexpr FieldCondition kOrRegister = when({"OR_MASK_SRC", 1, 30, 30}, {1});
constexpr PacketField kFields[] = {
    {"MOD_ADRS", 1, 0, 13, &kAnyRegister},
    {"OR_MASK_SRC", 1, 30, 30, &kMaskSources},
    {"AND_MASK_SRC", 1, 31, 31, &kMaskSources},
    PacketField{"AND_MASK", 2, 0, 31}.when(kAndValue),
    PacketField{"AND_ADRS", 2, 0, 15, &kAnyRegister}.when(kAndRegister),
    PacketField{"OR_MASK", 3, 0, 31}.when(kOrValue),
    PacketField{"OR_ADRS", 3, 0, 15, &kAnyRegister}.when(kOrRegister),
};

// Register <- (register and AND_MASK) or OR_MASK; either mask may be in a register. AMD's PAL
// lays the packet out (si_ci_vi_merged_pm4defs.h).
bool run(ProgramState& p, MicroOp& op) {
    enum : uint32_t { kStart, kAnd, kOr, kWrite, kEnd };
    const auto read = [&](uint32_t dword_offset) { return read_register(op, 4 * dword_offset); };
    switch (p.step) {
        case kStart:
            p.step = kAnd;
            return read(p[f::kRegister]);
        case kAnd:
            p.words[0] = static_cast<uint32_t>(p.result.value);
            p.step = kOr;
            if (p[f::kAndSource] != 0)
                return read(p[f::kAndAddress]);
            p.result.value = p[f::kAndMask];
            [[fallthrough]];
        case kOr:
            p.words[0] &= static_cast<uint32_t>(p.result.value);
            p.step = kWrite;
            if (p[f::kOrSource] != 0)
                return read(p[f::kOrAddress]);
            p.result.value = p[f::kOrMask];
            [[fallthrough]];
        case kWrite:
            p.step = kEnd;
            return write_register(op, 4 * p[f::kRegister],
                                  p.words[0] | static_cast<uint32_t>(p.result.value));
        default:
            return false;
    }
}
}  // namespace reg_rmw
constexpr PacketInfo kRegRmw =
    packet("REG_RMW", 0x21, PacketClass::State).body(3).program(reg_rmw::kFields, reg_rmw::run);

namespace scratch_ram_write {
enum f : uint8_t { kAddress, kEngine, kData };
constexpr PacketField kFields[] = {
    {"SCRATCH_ADDR", 1, 0, 7},
    {"ENG_SEL", 1, 30, 31},
    {"SCRATCH_DATA", 2, 0, 31},
};

// The layout is in AMD's PAL. What a microcode keeps there is not modelled, so only the host and
// packets that read CP_SCRATCH_DATA see it.
bool run(ProgramState& p, MicroOp& op) {
    const uint32_t* body = p.body.data();
    if (p.step == 2)
        return false;
    if (p[f::kEngine] != 0)
        p.missing("with ENG_SEL " + std::to_string(p[f::kEngine]));
    if ((body[0] & 0x3FFFFF00u) != 0)
        p.bad("reserved bits beside SCRATCH_ADDR in " + hex(body[0]));
    write_register(op, p.step == 0 ? regs::si::CP_SCRATCH_INDEX : regs::si::CP_SCRATCH_DATA,
                   p.step == 0 ? p[f::kAddress] : p[f::kData]);
    ++p.step;
    return true;
}
}  // namespace scratch_ram_write
constexpr PacketInfo kScratchRamWrite =
    packet("SCRATCH_RAM_WRITE", 0x7D, PacketClass::Data)
        .body(2)
        .flags(kOwnRegisters)
        .program(scratch_ram_write::kFields, scratch_ram_write::run);

constexpr PacketInfo kScratchRamRead =
    packet("SCRATCH_RAM_READ", 0x7E, PacketClass::Data).unpublished(kPayload);

}  // namespace archipelago::cp::si
