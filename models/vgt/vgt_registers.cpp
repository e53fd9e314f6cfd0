// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/vgt_registers.h"

#include "registers/si_bus_map.h"
#include "registers/si_names.h"

namespace archipelago::vgt {

// The document gives no reset values. Those that would make every draw useless as 0 begin as Mesa's
// radeonsi sets them once for all draws.
VgtRegisters::VgtRegisters()
    : config_((kConfigEnd - kConfigStart) / 4, 0),
      single_((kContextEnd - regs::si::kBusContextStart) / 4, 0),
      context_(regs::si::kBusContextStart, kContextEnd, regs::si::GFX_COPY_STATE) {
    for (unsigned c = 0; c < kContexts; ++c) {
        context_.set(regs::si::VGT_MAX_VTX_INDX, c, ~0u);
        context_.set(regs::si::VGT_VERTEX_REUSE_BLOCK_CNTL, c, 14);
        context_.set(regs::si::VGT_OUT_DEALLOC_CNTL, c, 16);
        context_.set(regs::si::VGT_INSTANCE_STEP_RATE_0, c, 1);
        context_.set(regs::si::VGT_INSTANCE_STEP_RATE_1, c, 1);
        context_.set(regs::si::IA_MULTI_VGT_PARAM, c, 0xFF);
    }
}

bool VgtRegisters::has(uint32_t offset) {
    return (offset >= kConfigStart && offset < kConfigEnd) ||
           (offset >= regs::si::kBusContextStart && offset < kContextEnd);
}

uint32_t VgtRegisters::get(uint32_t offset, unsigned context) const {
    if (offset >= kConfigStart && offset < kConfigEnd)
        return config_[(offset - kConfigStart) / 4];
    if (regs::si::is_context_register(offset))
        return context_.get(offset, context);
    return single_[(offset - regs::si::kBusContextStart) / 4];
}

void VgtRegisters::set(uint32_t offset, unsigned context, uint32_t value) {
    if (offset >= kConfigStart && offset < kConfigEnd)
        config_[(offset - kConfigStart) / 4] = value;
    else if (regs::si::is_context_register(offset))
        context_.set(offset, context, value);
    else
        single_[(offset - regs::si::kBusContextStart) / 4] = value;
}

bool VgtRegisters::write(const RegRequest& request) {
    if (!has(request.offset))
        return false;
    if (request.offset == regs::si::GFX_COPY_STATE)
        context_.write(request);
    set(request.offset, request.context, request.value);
    return true;
}

bool VgtRegisters::read(const RegRequest& request, uint32_t& value) const {
    if (!has(request.offset))
        return false;
    value = get(request.offset, request.context);
    return true;
}

}  // namespace archipelago::vgt
