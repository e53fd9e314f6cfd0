// SPDX-License-Identifier: Apache-2.0
#include "models/asic/dma/functional.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "models/asic/dma/chip_config.h"

namespace archipelago::dma_chip {

FunctionalMachine::FunctionalMachine(srbm::SrbmCore& srbm,
                                     const std::vector<std::unique_ptr<dma::DmaCore>>& cores,
                                     ih::IhCore& ih, tlm::tlm_initiator_socket<>& socket,
                                     const AddressSpaces* spaces)
    : asic::FunctionalMachine(socket, spaces),
      srbm_(srbm),
      cores_(cores),
      ih_(ih),
      interrupt_memory_(memory()),
      dma_(cores, memory()) {
    ih.attach(interrupt_memory_);
    dma_.on_interrupt = [&ih](const Interrupt& i) { ih.take(i); };
    dma_.read = [this](const RegRequest& r) { return srbm_.read(r); };
    dma_.write = [this](const RegRequest& r) { srbm_.write(r); };
    // Without time the counter counts what was done.
    dma_.on_clock = [this] { return dma_.packets(); };
}

// After every write of the host while a bit is set, the one that clears it included: what was
// written to a block in reset is lost.
void FunctionalMachine::hold_in_reset() {
    const uint32_t level = srbm_.soft_reset.latest();
    reset_blocks(level | std::exchange(soft_reset_, level));
}

void FunctionalMachine::reset_blocks(uint32_t bits) {
    if ((bits & kSoftResetIh) != 0)
        ih_.reset();
    const size_t engines = std::min(cores_.size(), std::size(kSoftReset));
    for (unsigned i = 0; i < engines; ++i)
        if ((bits & kSoftReset[i]) != 0) {
            cores_[i]->reset();
            dma_.reset(i);
        }
}

std::optional<uint32_t> FunctionalMachine::access(const RegRequest& request) {
    if (request.write) {
        srbm_.write(request);
        hold_in_reset();
    }
    while (dma_.run()) {
    }
    if (request.write)
        return 0;
    return srbm_.find(request);
}

}  // namespace archipelago::dma_chip
