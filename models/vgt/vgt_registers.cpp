// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/vgt_registers.h"

namespace archipelago::vgt {

// The document gives no reset values. Those that would make every draw useless as 0 begin as Mesa's
// radeonsi sets them once for all draws.
VgtRegisters::VgtRegisters(const RegisterMap& map)
    : config_start_(map.config_start),
      config_bytes_(map.config_end - map.config_start),
      copy_state_(map.GFX_COPY_STATE),
      of_context_((map.context.end - map.context.start) / 4),
      config_(config_bytes_ / 4, 0),
      single_(of_context_.size(), 0),
      context_(map.context, map.GFX_COPY_STATE) {
    for (uint32_t n = 0; n < of_context_.size(); ++n)
        of_context_[n] = map.context.of_context(map.context.start + 4 * n) ? 1 : 0;
    const auto reset = [this](uint32_t offset, uint32_t value) {
        for (unsigned c = 0; c < kContexts; ++c)
            set(offset, c, value);
    };
    reset(map.VGT_MAX_VTX_INDX, ~0u);
    const auto& reuse = map.VGT_VERTEX_REUSE_BLOCK_CNTL;
    reset(reuse, reuse.VTX_REUSE_DEPTH.set(0, 14));
    reset(map.VGT_OUT_DEALLOC_CNTL, 16);
    reset(map.VGT_INSTANCE_STEP_RATE_0, 1);
    reset(map.VGT_INSTANCE_STEP_RATE_1, 1);
    reset(map.IA_MULTI_VGT_PARAM, map.IA_MULTI_VGT_PARAM.PRIMGROUP_SIZE.set(0, 0xFF));
}

uint32_t VgtRegisters::get(uint32_t offset, unsigned context) const {
    if (in_config(offset))
        return config_[(offset - config_start_) / 4];
    if (!context_.has(offset))
        return 0;
    const size_t n = context_.index(offset);
    return of_context_[n] != 0 ? context_.get(offset, context) : single_[n];
}

void VgtRegisters::set(uint32_t offset, unsigned context, uint32_t value) {
    if (in_config(offset)) {
        config_[(offset - config_start_) / 4] = value;
        return;
    }
    if (!context_.has(offset))
        return;
    const size_t n = context_.index(offset);
    if (of_context_[n] != 0)
        context_.set(offset, context, value);
    else
        single_[n] = value;
}

bool VgtRegisters::write(const RegRequest& request) {
    if (!has(request.offset))
        return false;
    if (request.offset == copy_state_)
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
