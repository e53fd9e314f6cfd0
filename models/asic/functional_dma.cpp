// SPDX-License-Identifier: Apache-2.0
#include "models/asic/functional_dma.h"

namespace archipelago::asic {

FunctionalDma::FunctionalDma(const std::vector<std::unique_ptr<dma::DmaCore>>& cores,
                             SocketMemory& memory)
    : memory_(memory) {
    for (const auto& core : cores)
        engines_.push_back(
            std::make_unique<dma::DmaFunctional>(core->spec(), core->register_file(), *this));
}

bool FunctionalDma::run() {
    bool again = false;
    for (const auto& engine : engines_) {
        const uint64_t before = engine->packets();
        const auto outcome = engine->run();
        again |= engine->packets() != before || outcome == dma::DmaFunctional::Outcome::GivingUp;
    }
    return again;
}

uint64_t FunctionalDma::packets() const {
    uint64_t sum = 0;
    for (const auto& engine : engines_)
        sum += engine->packets();
    return sum;
}

void FunctionalDma::report(HangReport& report) const {
    std::string text;
    for (const auto& engine : engines_) {
        const std::string waits = engine->waiting_for();
        if (!waits.empty())
            text += (text.empty() ? "" : "; ") + waits;
    }
    if (!text.empty())
        report.units.emplace_back("async_dma", text);
}

void FunctionalDma::observe(const Observers& observers) {
    for (size_t i = 0; i < engines_.size(); ++i)
        engines_[i]->observe(observers, "dma" + std::to_string(i));
}

dma::MemoryWindow FunctionalDma::window(uint64_t address, uint8_t vmid) {
    const cu::HostWindow w = memory_.window(address, vmid);
    return {w.first, w.bytes, w.host};
}

}  // namespace archipelago::asic
