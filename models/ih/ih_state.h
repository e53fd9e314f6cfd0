// SPDX-License-Identifier: Apache-2.0
// All mutable data of the interrupt handler.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "models/common/clocked.h"
#include "models/common/interrupt.h"
#include "models/ih/register_map.h"

namespace archipelago::ih {

// What the write on its way is.
enum class Writing : uint8_t { Nothing, Entry, Pointer };

struct IhState {
    std::array<uint32_t, RegisterMap::kDwords> registers{};  // IH_RB_CNTL and those after it
    std::array<uint32_t, 2> bus{};                           // INTERRUPT_CNTL, INTERRUPT_CNTL2
    uint32_t grbm_control = 0;                               // GRBM_INT_CNTL
    uint32_t read_error = 0;                                 // GRBM_READ_ERROR
    uint32_t system_error = 0;                               // SRBM_READ_ERROR
    uint32_t system_control = 0;                             // SRBM_INT_CNTL
    uint32_t system_status = 0;                              // SRBM_INT_STATUS
    bool engine_active = false;                              // while GUI_IDLE_INT_ENABLE is set
    Cycle idle_at = kNever;                                  // it counts as idle from then on
    uint32_t write_pointer = 0;                              // bytes; what IH_RB_WPTR shows
    bool overflow = false;
    std::deque<Interrupt> waiting;    // not in the ring yet, at most IhSpec::fifo
    std::deque<Interrupt> unnoticed;  // in the ring, their interrupt not yet raised
    Writing writing = Writing::Nothing;
    bool pointer_old = false;  // the pointer in memory is not the newest
    Cycle pointer_due = 0;
    bool line_armed = true;  // RPTR_REARM: the host has moved its pointer since the line was raised
    uint64_t uid = 0;
    // counters
    uint64_t passed = 0;
    uint64_t entries = 0;
    uint64_t overwritten = 0;
    uint64_t lost = 0;
    uint64_t pointer_writes = 0;
    uint64_t raised = 0;
    uint64_t register_writes = 0;
};

}  // namespace archipelago::ih
