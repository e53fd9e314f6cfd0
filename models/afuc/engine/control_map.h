// SPDX-License-Identifier: Apache-2.0
// The indices of a generation's control registers that do more than keep their value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/afuc/engine/engine_state.h"
#include "models/afuc/isa/names.h"

namespace archipelago::afuc {

enum class ControlRegister : uint8_t {
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
    SecureMode,
    PreemptEnable,
    PreemptTrigger,
    ThreadSync,  // the first that can be live()
    // Those on which the command processor around the engine acts.
    IbLevel,
    Ib1Dwords,
    Ib2Dwords,
    Ib3Dwords,
    WfiPendIncrement,
    QueryPendIncrement,
    CachePendIncrement,
    WfiPendCounter,
    QueryPendCounter,
    CachePendCounter,
    RingReadPointer,
    GlobalTimestamp,
    LocalTimestamp,
    BvBase,
    BvControl,
    LpacBase,
    LpacControl,
    CoprocessorLock,
    Shared,  // scratch that all engines see
    kCount
};

// Control registers that all engines of a command processor see, on generations with coprocessors.
// Document "Adreno Five Microcode", "Control Registers".
inline constexpr uint32_t kSharedControl = 0x200, kSharedControls = 0x100;

class ControlMap {
  public:
    explicit ControlMap(const Generation& generation);
    ControlRegister at(uint32_t index) const { return kinds_[index]; }
    // The first index of a register; kNowhere: the generation has none.
    uint32_t index_of(ControlRegister control) const {
        return first_[static_cast<size_t>(control)];
    }
    // Whether its value can change without a write by this engine.
    bool live(uint32_t index) const { return kinds_[index] >= kFirstLive && is_live(index); }
    static constexpr uint32_t kNowhere = kControlRegisters;

  private:
    static constexpr ControlRegister kFirstLive = ControlRegister::ThreadSync;
    bool is_live(uint32_t index) const;

    std::vector<ControlRegister> kinds_;  // by index; upper half of 64 bits: Plain
    std::array<uint32_t, static_cast<size_t>(ControlRegister::kCount)> first_{};
};

}  // namespace archipelago::afuc
