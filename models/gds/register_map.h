// SPDX-License-Identifier: Apache-2.0
// The registers of the global data share, by the names of the public register headers.
#pragma once

#include <cstdint>

#include "models/common/named_register.h"

namespace archipelago::gds {

struct RegisterMap {
    static constexpr unsigned kDwords = 64;

    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    uint32_t start = 0;                                // of kDwords registers, bytes

    // Accesses to the memory.
    regs::NamedRegister GDS_RD_ADDR{database, "GDS_RD_ADDR"};
    regs::NamedRegister GDS_RD_DATA{database, "GDS_RD_DATA"};
    regs::NamedRegister GDS_RD_BURST_ADDR{database, "GDS_RD_BURST_ADDR"};
    regs::NamedRegister GDS_RD_BURST_COUNT{database, "GDS_RD_BURST_COUNT"};
    regs::NamedRegister GDS_RD_BURST_DATA{database, "GDS_RD_BURST_DATA"};
    regs::NamedRegister GDS_WR_ADDR{database, "GDS_WR_ADDR"};
    regs::NamedRegister GDS_WR_DATA{database, "GDS_WR_DATA"};
    regs::NamedRegister GDS_WR_BURST_ADDR{database, "GDS_WR_BURST_ADDR"};
    regs::NamedRegister GDS_WR_BURST_DATA{database, "GDS_WR_BURST_DATA"};
    regs::NamedRegister GDS_WRITE_COMPLETE{database, "GDS_WRITE_COMPLETE"};
    // Atomic operations.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField AINC{*this, "AINC"};
    } GDS_ATOM_CNTL{database, "GDS_ATOM_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField OP{*this, "OP"};
    } GDS_ATOM_OP{database, "GDS_ATOM_OP"};
    regs::NamedRegister GDS_ATOM_COMPLETE{database, "GDS_ATOM_COMPLETE"};
    regs::NamedRegister GDS_ATOM_BASE{database, "GDS_ATOM_BASE"};
    regs::NamedRegister GDS_ATOM_SIZE{database, "GDS_ATOM_SIZE"};
    regs::NamedRegister GDS_ATOM_OFFSET0{database, "GDS_ATOM_OFFSET0"};
    regs::NamedRegister GDS_ATOM_OFFSET1{database, "GDS_ATOM_OFFSET1"};
    regs::NamedRegister GDS_ATOM_DST{database, "GDS_ATOM_DST"};
    regs::NamedRegister GDS_ATOM_SRC0{database, "GDS_ATOM_SRC0"};
    regs::NamedRegister GDS_ATOM_SRC0_U{database, "GDS_ATOM_SRC0_U"};
    regs::NamedRegister GDS_ATOM_SRC1{database, "GDS_ATOM_SRC1"};
    regs::NamedRegister GDS_ATOM_SRC1_U{database, "GDS_ATOM_SRC1_U"};
    regs::NamedRegister GDS_ATOM_READ0{database, "GDS_ATOM_READ0"};
    regs::NamedRegister GDS_ATOM_READ0_U{database, "GDS_ATOM_READ0_U"};
    regs::NamedRegister GDS_ATOM_READ1{database, "GDS_ATOM_READ1"};
    regs::NamedRegister GDS_ATOM_READ1_U{database, "GDS_ATOM_READ1_U"};
    // Wave synchronisation.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField INDEX{*this, "INDEX"};
    } GDS_GWS_RESOURCE_CNTL{database, "GDS_GWS_RESOURCE_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField FLAG{*this, "FLAG"}, COUNTER{*this, "COUNTER"}, TYPE{*this, "TYPE"},
            RELEASE_ALL{*this, "RELEASE_ALL"}, HEAD_QUEUE{*this, "HEAD_QUEUE"},
            HEAD_VALID{*this, "HEAD_VALID"}, HEAD_FLAG{*this, "HEAD_FLAG"};
    } GDS_GWS_RESOURCE{database, "GDS_GWS_RESOURCE"};
    regs::NamedRegister GDS_ENHANCE{database, "GDS_ENHANCE"};
    // Status, counts of errors.
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField GDS_BUSY{*this, "GDS_BUSY"}, GRBM_WBUF_BUSY{*this, "GRBM_WBUF_BUSY"},
            ORD_APP_BUSY{*this, "ORD_APP_BUSY"}, DS_BANK_CONFLICT{*this, "DS_BANK_CONFLICT"},
            DS_ADDR_CONFLICT{*this, "DS_ADDR_CONFLICT"}, DS_WR_CLAMP{*this, "DS_WR_CLAMP"},
            DS_RD_CLAMP{*this, "DS_RD_CLAMP"};
    } GDS_CNTL_STATUS{database, "GDS_CNTL_STATUS"};
    regs::NamedRegister GDS_DEBUG_DATA{database, "GDS_DEBUG_DATA"};
    regs::NamedRegister GDS_SECDED_CNT{database, "GDS_SECDED_CNT"};
    regs::NamedRegister GDS_GRBM_SECDED_CNT{database, "GDS_GRBM_SECDED_CNT"};
    regs::NamedRegister GDS_OA_DED{database, "GDS_OA_DED"};
    bool has(uint32_t offset) const { return offset - start < 4 * kDwords && offset % 4 == 0; }
};

}  // namespace archipelago::gds
