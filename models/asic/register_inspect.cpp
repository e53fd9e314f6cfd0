// SPDX-License-Identifier: Apache-2.0
#include "models/asic/register_inspect.h"

namespace archipelago::asic {

unsigned inspect_register(tlm::tlm_generic_payload& gp, const Inspect& inspect) {
    RegRequest request;
    const tlm::tlm_response_status shape = gp.is_read()
                                               ? tlm_shell::RegisterCodec::from_payload(gp, request)
                                               : tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (shape != tlm::TLM_OK_RESPONSE) {
        gp.set_response_status(shape);
        return 0;
    }
    request.source = kRegFromHost;
    const std::optional<uint32_t> value = inspect(request);
    RegResponse response;
    response.value = value.value_or(0);
    response.status = value ? RegStatus::Ok : RegStatus::Unknown;
    tlm_shell::RegisterCodec::from_response(response, gp);
    return value ? 4 : 0;
}

}  // namespace archipelago::asic
