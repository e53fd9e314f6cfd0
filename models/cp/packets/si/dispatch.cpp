// SPDX-License-Identifier: Apache-2.0
// DISPATCH_DIRECT and DISPATCH_INDIRECT: "Radeon Southern Islands Acceleration" 2.6.
#include <algorithm>

#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_compute.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

namespace {

// 2.6: a dispatch has SHADER_TYPE 1. The initiator starts nothing without COMPUTE_SHADER_EN.
void warn_dispatch(const ProgramState& p, uint32_t initiator) {
    if (!header_is_compute(p.header))
        p.warn(Warning::NoShaderType, "SHADER_TYPE 0, but dispatches are of compute shaders");
    if (regs::si::typed::COMPUTE_DISPATCH_INITIATOR{initiator}.COMPUTE_SHADER_EN() == 0)
        p.warn(Warning::NoComputeShader,
               "DISPATCH_INITIATOR " + hex(initiator) + " has COMPUTE_SHADER_EN 0");
}

}  // namespace

namespace dispatch_direct {
enum f : uint8_t { kDimX, kDimY, kDimZ, kInitiator };
constexpr PacketField kFields[] = {
    {"DIM_X", 1, 0, 31},
    {"DIM_Y", 2, 0, 31},
    {"DIM_Z", 3, 0, 31},
    {"DISPATCH_INITIATOR", 4, 0, 31, &kDispatchInitiatorValue},
};

bool run(ProgramState& p, MicroOp& op) {
    static constexpr uint32_t kOffsets[] = {regs::si::COMPUTE_DIM_X, regs::si::COMPUTE_DIM_Y,
                                            regs::si::COMPUTE_DIM_Z,
                                            regs::si::COMPUTE_DISPATCH_INITIATOR};
    if (p.step == 0)
        warn_dispatch(p, p[f::kInitiator]);
    if (p.step == 4)
        return false;
    const uint32_t i = p.step++;
    return write_register(op, kOffsets[i], p.body[i]);
}
}  // namespace dispatch_direct
constexpr PacketInfo kDispatchDirect = packet("DISPATCH_DIRECT", 0x15, PacketClass::Dispatch)
                                           .body(4)
                                           .flags(kStartsDispatch | kOwnRegisters)
                                           .program(dispatch_direct::kFields, dispatch_direct::run);

namespace dispatch_indirect {
enum f : uint8_t { kDataOffset, kInitiator };
constexpr PacketField kFields[] = {
    {"DATA_OFFSET", 1, 0, 31},
    {"DISPATCH_INITIATOR", 2, 0, 31, &kDispatchInitiatorValue},
};

bool run(ProgramState& p, MicroOp& op) {
    static constexpr uint32_t kOffsets[] = {regs::si::COMPUTE_DIM_X, regs::si::COMPUTE_DIM_Y,
                                            regs::si::COMPUTE_DIM_Z};
    if (p.step == 0) {
        const uint32_t offset = p[f::kDataOffset];
        if (offset % 4 != 0)
            p.bad("DATA_OFFSET " + hex(offset) + " is not dword aligned");
        warn_dispatch(p, p[f::kInitiator]);
        if (!p.ring().base_set[1])
            p.warn(Warning::NoDispatchBase,
                   "no SET_BASE of the dispatch arguments (BASE_INDEX 1) before it");
        p.step = 1;
        p.address_in(f::kDataOffset, op);
        return read_memory(op, p.ring().base[1] + offset, 3);
    }
    if (p.step == 1)
        std::copy_n(p.result.data.begin(), 3, p.words.begin());
    if (p.step == 5)
        return false;
    write_register(op, p.step < 4 ? kOffsets[p.step - 1] : regs::si::COMPUTE_DISPATCH_INITIATOR,
                   p.step < 4 ? p.words[p.step - 1] : p[f::kInitiator]);
    ++p.step;
    return true;
}
}  // namespace dispatch_indirect
constexpr PacketInfo kDispatchIndirect =
    packet("DISPATCH_INDIRECT", 0x16, PacketClass::Dispatch)
        .body(2)
        .flags(kStartsDispatch | kOwnRegisters)
        .program(dispatch_indirect::kFields, dispatch_indirect::run);

}  // namespace archipelago::cp::si
