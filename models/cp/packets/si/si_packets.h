// SPDX-License-Identifier: Apache-2.0
// The packets of Southern Islands, each defined in the file named after it or its kind. A later
// family lists those that it shares and overrides what differs (PacketRow).
#pragma once

#include "models/cp/pm4/packet_table.h"
#include "models/cp/pm4/text.h"

namespace archipelago::cp {

const PacketTable& si_packet_table();
// The first opcode of the packet of this name; throws std::invalid_argument when there is none.
uint8_t si_opcode(const char* name);
Pm4Language si_pm4();

namespace si {

// Registers and state
extern const PacketInfo kType0, kSetConfigReg, kSetContextReg, kSetShReg, kSetContextRegIndirect,
    kSetResourceIndirect, kSetShRegOffset, kLoadConfigReg, kLoadContextReg, kLoadShReg,
    kOneRegWrite, kRegRmw, kContextControl, kClearState, kSetBase, kMeInitialize, kPreambleCntl;
// Draws and dispatches
extern const PacketInfo kIndexBase, kIndexBufferSize, kIndexType, kNumInstances, kDrawIndex,
    kDrawIndex2, kDrawIndexAuto, kDrawIndexOffset, kDrawIndexOffset2, kDrawIndexImmd,
    kDrawIndexMultiAuto, kDrawIndexMultiElement, kMpegIndex, kDrawIndirect, kDrawIndexIndirect,
    kDrawIndirectMulti, kDrawIndexIndirectMulti, kDispatchDirect, kDispatchIndirect;
// Data
extern const PacketInfo kMemWrite, kMeWrite, kWriteData, kCopyData, kCopyDw, kCpDma,
    kScratchRamWrite, kScratchRamRead, kAtomic, kAllocGds, kWriteGdsRam, kAtomicGds;
// Order, events and predication
extern const PacketInfo kNop, kIndirectBuffer, kIndirectBufferConst, kWaitRegMem, kCondWrite,
    kMemSemaphore, kSurfaceSync, kPfpSyncMe, kEventWrite, kEventWriteEop, kEventWriteEos,
    kStrmoutBufferUpdate, kOcclusionQuery, kSetPredication, kCondExec, kPredExec;
// The constant engine
extern const PacketInfo kCeWrite, kLoadConstRam, kWriteConstRam, kWriteConstRamOffset,
    kDumpConstRam, kIncrementCeCounter, kIncrementDeCounter, kWaitOnCeCounter, kWaitOnDeCounter,
    kWaitOnDeCounterDiff, kSetCeDeCounters, kWaitOnAvailBuffer, kSwitchBuffer;

}  // namespace si
}  // namespace archipelago::cp
