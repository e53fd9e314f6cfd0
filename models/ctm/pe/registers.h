// SPDX-License-Identifier: Apache-2.0
// The register window of a CTM chip: how the host submits command buffers. No document describes
// it; chapter 5 of the ATI CTM Guide 1.01 names functions of a library alone.
#pragma once

#include <cstdint>

namespace archipelago::ctm {

// Byte offsets in the window.
constexpr uint32_t kCbAddress = 0x0;
constexpr uint32_t kCbSize = 0x4;      // bytes; writing it submits the buffer, ids count from 1
constexpr uint32_t kCbConsumed = 0x8;  // read only: id of the last buffer consumed
constexpr uint32_t kStatus = 0xc;      // read only
constexpr uint32_t kProgInfo = 0x10;   // of the programs that buffers submitted later start
constexpr uint32_t kRegisterBytes = 0x14;

constexpr uint32_t kStatusPeBusy = 1;   // a buffer is not consumed yet
constexpr uint32_t kStatusDppBusy = 2;  // a program runs
constexpr uint32_t kFullFlowControl = 1;
constexpr uint32_t kUncachedOutputs = 2;
// Bits 15:8: temporaries that programs use; 0: all.
constexpr unsigned kTemporariesShift = 8;
constexpr uint32_t kProgInfoAfterReset = kFullFlowControl;

// Outside the window, RBBM_SOFT_RESET of the R5xx (Linux radeon, rs600d.h). Which bit reaches which
// unit of the CTM machine is not published: each of these resets them all.
constexpr uint32_t kSoftReset = 0xF0;
constexpr uint32_t kSoftResetCp = 1u << 0, kSoftResetVap = 1u << 2, kSoftResetGa = 1u << 13;
constexpr uint32_t kSoftResetBits = kSoftResetCp | kSoftResetVap | kSoftResetGa;

}  // namespace archipelago::ctm
