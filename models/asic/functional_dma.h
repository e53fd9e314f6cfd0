// SPDX-License-Identifier: Apache-2.0
// The async DMA engines of a chip in functional mode, regardless of its family.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/asic/hang_report.h"
#include "models/asic/socket_memory.h"
#include "models/common/interrupt.h"
#include "models/common/trace_sink.h"
#include "models/dma/dma_core.h"
#include "models/dma/dma_functional.h"

namespace archipelago::asic {

class FunctionalDma : public dma::DmaBackend {
  public:
    // `cores` keep the registers; they and `memory` must outlive this.
    FunctionalDma(const std::vector<std::unique_ptr<dma::DmaCore>>& cores, SocketMemory& memory);

    // The chip around the engines.
    std::function<uint32_t(const RegRequest&)> read;
    std::function<void(const RegRequest&)> write;
    std::function<void(const Interrupt&)> on_interrupt;
    std::function<uint64_t()> on_clock;

    // Runs every engine until its ring is empty or waits. Throws MachineStop. True: a packet was
    // executed, or a poll has used up a try, so another call may move on.
    bool run();
    uint64_t packets() const;
    // The rings that do not go on.
    void report(HangReport& report) const;
    void reset(unsigned engine) { engines_[engine]->reset(); }
    void archive(Archive& a) {
        for (const auto& engine : engines_)
            engine->archive(a);
    }
    void observe(const Observers& observers);

    // dma::DmaBackend
    uint32_t reg_read(const RegRequest& request) override { return read(request); }
    void reg_write(const RegRequest& request) override { write(request); }
    dma::MemoryWindow window(uint64_t address, uint8_t vmid) override;
    void interrupt(const Interrupt& interrupt) override { on_interrupt(interrupt); }
    uint64_t clock() override { return on_clock(); }

  private:
    SocketMemory& memory_;
    std::vector<std::unique_ptr<dma::DmaFunctional>> engines_;
};

}  // namespace archipelago::asic
