// SPDX-License-Identifier: Apache-2.0
// The registers of the interrupt handler, and numbers that its ring has. Fields: public register
// headers.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/named_register.h"

namespace archipelago::ih {

struct RegisterMap {
    static constexpr unsigned kDwords = 16;  // IH's own registers, from IH_RB_CNTL on
    struct Window {
        uint32_t start = 0, end = 0;  // bytes, end exclusive
        bool has(uint32_t offset) const { return offset >= start && offset < end; }
    };
    // Source ids of interrupts that IH raises itself.
    struct Sources {
        uint8_t engine_idle = 0, graphics_read_error = 0, system_read_error = 0;
    };

    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    std::array<Window, 2> graphics{};  // on the graphics register bus; the others: the system's
    Sources sources;

    // IH's own: the ring in memory.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField RB_ENABLE{*this, "RB_ENABLE"}, RB_SIZE{*this, "RB_SIZE"},
            RB_FULL_DRAIN_ENABLE{*this, "RB_FULL_DRAIN_ENABLE"},
            RB_GPU_TS_ENABLE{*this, "RB_GPU_TS_ENABLE"},
            WPTR_WRITEBACK_ENABLE{*this, "WPTR_WRITEBACK_ENABLE"},
            WPTR_WRITEBACK_TIMER{*this, "WPTR_WRITEBACK_TIMER"},
            WPTR_OVERFLOW_ENABLE{*this, "WPTR_OVERFLOW_ENABLE"},
            WPTR_OVERFLOW_CLEAR{*this, "WPTR_OVERFLOW_CLEAR"};
    } IH_RB_CNTL{database, "IH_RB_CNTL"};
    regs::NamedRegister IH_RB_BASE{database, "IH_RB_BASE"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField OFFSET{*this, "OFFSET"};
    } IH_RB_RPTR{database, "IH_RB_RPTR"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField OFFSET{*this, "OFFSET"}, RB_OVERFLOW{*this, "RB_OVERFLOW"};
    } IH_RB_WPTR{database, "IH_RB_WPTR"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ADDR{*this, "ADDR"};
    } IH_RB_WPTR_ADDR_LO{database, "IH_RB_WPTR_ADDR_LO"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ADDR{*this, "ADDR"};
    } IH_RB_WPTR_ADDR_HI{database, "IH_RB_WPTR_ADDR_HI"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField ENABLE_INTR{*this, "ENABLE_INTR"}, MC_SWAP{*this, "MC_SWAP"},
            RPTR_REARM{*this, "RPTR_REARM"}, MC_VMID{*this, "MC_VMID"};
    } IH_CNTL{database, "IH_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField IDLE{*this, "IDLE"}, INPUT_IDLE{*this, "INPUT_IDLE"},
            RB_IDLE{*this, "RB_IDLE"}, RB_FULL{*this, "RB_FULL"}, RB_OVERFLOW{*this, "RB_OVERFLOW"},
            MC_WR_IDLE{*this, "MC_WR_IDLE"}, BIF_INTERRUPT_LINE{*this, "BIF_INTERRUPT_LINE"};
    } IH_STATUS{database, "IH_STATUS"};
    regs::NamedRegister IH_LEVEL_STATUS{database, "IH_LEVEL_STATUS"};
    regs::NamedRegister IH_PERFMON_CNTL{database, "IH_PERFMON_CNTL"};
    // Of the buses: idleness and reads of unknown registers.
    regs::NamedRegister INTERRUPT_CNTL{database, "INTERRUPT_CNTL"};
    regs::NamedRegister INTERRUPT_CNTL2{database, "INTERRUPT_CNTL2"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField GUI_IDLE_INT_ENABLE{*this, "GUI_IDLE_INT_ENABLE"},
            RDERR_INT_ENABLE{*this, "RDERR_INT_ENABLE"};
    } GRBM_INT_CNTL{database, "GRBM_INT_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField READ_ADDRESS{*this, "READ_ADDRESS"}, READ_ERROR{*this, "READ_ERROR"};
    } GRBM_READ_ERROR{database, "GRBM_READ_ERROR"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField RDERR_INT_MASK{*this, "RDERR_INT_MASK"};
    } SRBM_INT_CNTL{database, "SRBM_INT_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField RDERR_INT_STAT{*this, "RDERR_INT_STAT"};
    } SRBM_INT_STATUS{database, "SRBM_INT_STATUS"};
    regs::NamedRegister SRBM_INT_ACK{database, "SRBM_INT_ACK"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField READ_ADDRESS{*this, "READ_ADDRESS"},
            READ_REQUESTER_HI{*this, "READ_REQUESTER_HI"},
            READ_REQUESTER_GRBM{*this, "READ_REQUESTER_GRBM"}, READ_ERROR{*this, "READ_ERROR"};
    } SRBM_READ_ERROR{database, "SRBM_READ_ERROR"};
};

}  // namespace archipelago::ih
