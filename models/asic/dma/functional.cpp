// SPDX-License-Identifier: Apache-2.0
#include "models/asic/dma/functional.h"

namespace archipelago::dma_chip {

FunctionalMachine::FunctionalMachine(srbm::SrbmCore& srbm,
                                     const std::vector<std::unique_ptr<dma::DmaCore>>& cores,
                                     tlm::tlm_initiator_socket<>& socket)
    : asic::FunctionalMachine(socket), srbm_(srbm), dma_(cores, memory()) {
    dma_.read = [this](const RegRequest& r) { return srbm_.read(r); };
    dma_.write = [this](const RegRequest& r) { srbm_.write(r); };
    // Without time the counter counts what was done.
    dma_.on_clock = [this] { return dma_.packets(); };
}

std::optional<uint32_t> FunctionalMachine::access(const RegRequest& request) {
    if (request.write)
        srbm_.write(request);
    while (dma_.run()) {
    }
    if (request.write)
        return 0;
    return srbm_.find(request);
}

}  // namespace archipelago::dma_chip
