// SPDX-License-Identifier: Apache-2.0
#include "models/asic/dma/functional.h"

namespace archipelago::dma_chip {

FunctionalMachine::FunctionalMachine(srbm::SrbmCore& srbm,
                                     const std::vector<std::unique_ptr<dma::DmaCore>>& cores,
                                     tlm::tlm_initiator_socket<>& memory)
    : srbm_(srbm), memory_(memory), dma_(cores, memory_) {
    memory.bind(*this);
    dma_.read = [this](const RegRequest& r) { return srbm_.read(r); };
    dma_.write = [this](const RegRequest& r) { srbm_.write(r); };
    // Without time the counter counts what was done.
    dma_.on_clock = [this] { return dma_.packets(); };
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
        if (request.write)
            srbm_.write(request);
        run();
        if (!request.write)
            response.value = srbm_.read(request);
        memory_.flush();
        tlm_shell::RegisterCodec::from_response(response, gp);
    } catch (...) {
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        on_error(std::current_exception());
    }
    return true;
}

unsigned FunctionalMachine::debug(tlm::tlm_generic_payload& gp) {
    RegRequest request;
    if (!gp.is_read() ||
        tlm_shell::RegisterCodec::from_payload(gp, request) != tlm::TLM_OK_RESPONSE)
        return 0;
    request.source = kRegFromHost;
    RegResponse response;
    response.value = srbm_.read(request);
    tlm_shell::RegisterCodec::from_response(response, gp);
    return 4;
}

}  // namespace archipelago::dma_chip
