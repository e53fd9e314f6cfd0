// SPDX-License-Identifier: Apache-2.0
// Where a generation has the control registers that do something.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/afuc/engine/engine_state.h"
#include "models/afuc/isa/names.h"

namespace archipelago::afuc {

enum class Control : uint8_t {
    Plain,  // keeps what is written
    PacketTableWriteAddress,
    PacketTableWrite,
    RegisterWriteAddress,
    RegisterWrite,
    RegisterReadAddress,
    RegisterReadDwords,
    MemoryReadAddress,
    MemoryReadDwords,
    MemoryReadHighPrivileged,
    LoadStoreHigh,
    DrawStateSetHeader,
    DrawStateSelect,
    DrawStateHeader,
    DrawStateBase,
    DrawStateActive,
    SdsBase,
    SdsDwords,
    ThreadSync,
    kCount
};

class ControlMap {
  public:
    explicit ControlMap(Names names);
    Control at(uint32_t index) const { return kinds_[index]; }
    // The first index of a register; kNowhere: the generation has none.
    uint32_t index_of(Control control) const { return first_[static_cast<size_t>(control)]; }
    static constexpr uint32_t kNowhere = kControlRegisters;

  private:
    std::vector<Control> kinds_;  // by index; the second half of 64 bits is plain
    std::array<uint32_t, static_cast<size_t>(Control::kCount)> first_{};
};

}  // namespace archipelago::afuc
