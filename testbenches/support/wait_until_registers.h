// SPDX-License-Identifier: Apache-2.0
// A family made for tests, whose CP reaches the register bus through a FIFO in which a write of
// WAIT_UNTIL waits: its registers, and the Spec of that FIFO.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/memory_message.h"
#include "models/common/register_info.h"
#include "models/grbm/command_fifo_spec.h"

namespace archipelago {

class WaitUntilRegisters {
  public:
    // The fields of R6xx, at an address of its own.
    static constexpr uint32_t kWaitUntil = 0x8060;
    static constexpr uint32_t kDmaIdle = 1u << 8, k3dIdle = 1u << 15, kExternal = 1u << 19;
    static constexpr uint32_t kEntries = 0x1Fu << 20;

    WaitUntilRegisters() {
        registers_[0].fields = {fields_.data(), fields_.size()};
        database_.generation = "toy";
        database_.registers = {registers_.data(), registers_.size()};
        database_.names = {names_.data(), names_.size()};
    }
    WaitUntilRegisters(const WaitUntilRegisters&) = delete;
    WaitUntilRegisters& operator=(const WaitUntilRegisters&) = delete;

    const regs::RegisterDatabase& database() const { return database_; }
    grbm::CommandFifoSpec fifo(unsigned entries = 16, unsigned reaction = 1) const {
        grbm::CommandFifoSpec spec;
        spec.database = &database_;
        spec.waits = {{"WAIT_CP_DMA_IDLE", {"cp_dma"}}, {"WAIT_3D_IDLE", {"vgt", "spi"}}};
        spec.operands = {"CMDFIFO_ENTRIES"};
        spec.requests = {entries, 1};
        spec.reaction = reaction;
        return spec;
    }
    static RegRequest write(uint32_t offset, uint32_t value) {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        r.source = kRegFromCp;
        return r;
    }

  private:
    std::array<regs::FieldInfo, 4> fields_{{{"WAIT_CP_DMA_IDLE", 8, 8, nullptr},
                                            {"WAIT_3D_IDLE", 15, 15, nullptr},
                                            {"WAIT_EXTERN_SIG", 19, 19, nullptr},
                                            {"CMDFIFO_ENTRIES", 20, 24, nullptr}}};
    std::array<regs::RegisterInfo, 1> registers_{
        {{kWaitUntil, "WAIT_UNTIL", 0, regs::Access::ReadWrite, false, 0, {}}}};
    std::array<regs::NameInfo, 1> names_{{{"WAIT_UNTIL", 0}}};
    regs::RegisterDatabase database_{};
};

}  // namespace archipelago
