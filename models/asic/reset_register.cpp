// SPDX-License-Identifier: Apache-2.0
#include "models/asic/reset_register.h"

#include <utility>

#include "models/asic/register_inspect.h"

namespace archipelago::asic {

// A machine in functional mode does not hold its parts: they are reset by each write that sets or
// clears a bit. In cycle mode accesses pass the host's link one after the other: those after the
// write that sets a bit find the blocks held, and so do those before the write that clears it.
void ResetRegister::write(uint32_t value) {
    const uint32_t before = std::exchange(value_, value);
    const uint32_t held = value & spec_.bits;
    if (machine_ == nullptr)
        level_.set(clock_.now() + (held != 0 ? 0 : spec_.latency), held);
    else if (((before | value) & spec_.bits) != 0)
        machine_->reset();
}

bool ResetRegister::transport(tlm::tlm_generic_payload& gp) {
    RegRequest request;
    const bool whole = tlm_shell::RegisterCodec::from_payload(gp, request) == tlm::TLM_OK_RESPONSE;
    const bool own = whole && request.offset == spec_.offset;
    // In cycle mode SoftReset answers for blocks in reset.
    const bool lost = whole && machine_ != nullptr && (value_ & spec_.bits) != 0;
    if (!own && !lost)
        return next_ != nullptr && next_->transport(gp);
    RegResponse response;
    response.write = request.write;
    if (own && request.write)
        write(request.value);
    else if (own)
        response.value = value_;
    tlm_shell::RegisterCodec::from_response(response, gp);
    return true;
}

unsigned ResetRegister::debug(tlm::tlm_generic_payload& gp) {
    if (gp.get_address() != spec_.offset)
        return next_ != nullptr ? next_->debug(gp) : 0;
    return inspect_register(gp, [this](const RegRequest&) { return std::optional(value_); });
}

}  // namespace archipelago::asic
