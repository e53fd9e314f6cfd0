// SPDX-License-Identifier: Apache-2.0
#include "models/asic/register_look.h"

namespace archipelago::asic {

unsigned look_at_register(tlm::tlm_generic_payload& gp,
                          const std::function<uint32_t(const RegRequest&)>& look) {
    RegRequest request;
    if (!gp.is_read() ||
        tlm_shell::RegisterCodec::from_payload(gp, request) != tlm::TLM_OK_RESPONSE)
        return 0;
    request.source = kRegFromHost;
    RegResponse response;
    response.value = look(request);
    tlm_shell::RegisterCodec::from_response(response, gp);
    return 4;
}

}  // namespace archipelago::asic
