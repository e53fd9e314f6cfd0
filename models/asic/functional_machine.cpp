// SPDX-License-Identifier: Apache-2.0
#include "models/asic/functional_machine.h"

#include <utility>

#include "models/asic/register_inspect.h"

namespace archipelago::asic {

FunctionalMachine::FunctionalMachine(tlm::tlm_initiator_socket<>& socket,
                                     const AddressSpaces* spaces)
    : memory_(socket, spaces) {
    socket.bind(*this);
}

bool FunctionalMachine::transport(tlm::tlm_generic_payload& gp) {
    RegRequest request;
    const tlm::tlm_response_status shape = tlm_shell::RegisterCodec::from_payload(gp, request);
    if (shape != tlm::TLM_OK_RESPONSE) {
        gp.set_response_status(shape);
        return true;
    }
    request.source = kRegFromHost;
    try {
        RegResponse response;
        response.write = request.write;
        const std::optional<uint32_t> value = access(request);
        response.value = value.value_or(0);
        response.status = value ? RegStatus::Ok : RegStatus::Unknown;
        memory_.flush();
        tlm_shell::RegisterCodec::from_response(response, gp);
    } catch (...) {
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        fail(std::current_exception());
    }
    return true;
}

void FunctionalMachine::fail(std::exception_ptr reason) {
    try {
        memory_.flush();
    } catch (const std::exception&) {
        // The first reason is the one to report.
    }
    on_error(std::move(reason));
}

unsigned FunctionalMachine::debug(tlm::tlm_generic_payload& gp) {
    return inspect_register(gp, [this](const RegRequest& request) { return inspect(request); });
}

}  // namespace archipelago::asic
