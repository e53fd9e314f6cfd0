// SPDX-License-Identifier: Apache-2.0
// The packets of Southern Islands, each defined in the file named after it or its kind. A later
// family lists those that it shares and overrides what differs (PacketRow).
#pragma once

#include "models/cp/pm4/packet_table.h"
#include "models/cp/pm4/text.h"

namespace archipelago::cp {

const PacketTable& si_packet_table();
Pm4Language si_pm4();

namespace si {

extern const PacketInfo kType0;
extern const PacketInfo kNop;
extern const PacketInfo kSetBase;
extern const PacketInfo kClearState;
extern const PacketInfo kIndexBufferSize;
extern const PacketInfo kDispatchDirect;
extern const PacketInfo kDispatchIndirect;
extern const PacketInfo kAllocGds;
extern const PacketInfo kWriteGdsRam;
extern const PacketInfo kAtomicGds;
extern const PacketInfo kAtomic;
extern const PacketInfo kOcclusionQuery;
extern const PacketInfo kSetPredication;
extern const PacketInfo kRegRmw;
extern const PacketInfo kCondExec;
extern const PacketInfo kPredExec;
extern const PacketInfo kDrawIndirect;
extern const PacketInfo kDrawIndexIndirect;
extern const PacketInfo kIndexBase;
extern const PacketInfo kDrawIndex2;
extern const PacketInfo kContextControl;
extern const PacketInfo kDrawIndexOffset;
extern const PacketInfo kIndexType;
extern const PacketInfo kDrawIndex;
extern const PacketInfo kDrawIndirectMulti;
extern const PacketInfo kDrawIndexAuto;
extern const PacketInfo kDrawIndexImmd;
extern const PacketInfo kNumInstances;
extern const PacketInfo kDrawIndexMultiAuto;
extern const PacketInfo kIndirectBufferConst;
extern const PacketInfo kIndirectBuffer;
extern const PacketInfo kStrmoutBufferUpdate;
extern const PacketInfo kDrawIndexOffset2;
extern const PacketInfo kDrawIndexMultiElement;
extern const PacketInfo kWriteData;
extern const PacketInfo kDrawIndexIndirectMulti;
extern const PacketInfo kMemSemaphore;
extern const PacketInfo kMpegIndex;
extern const PacketInfo kCopyDw;
extern const PacketInfo kWaitRegMem;
extern const PacketInfo kMemWrite;
extern const PacketInfo kCopyData;
extern const PacketInfo kCpDma;
extern const PacketInfo kPfpSyncMe;
extern const PacketInfo kSurfaceSync;
extern const PacketInfo kMeInitialize;
extern const PacketInfo kCondWrite;
extern const PacketInfo kEventWrite;
extern const PacketInfo kEventWriteEop;
extern const PacketInfo kEventWriteEos;
extern const PacketInfo kPreambleCntl;
extern const PacketInfo kOneRegWrite;
extern const PacketInfo kLoadConfigReg;
extern const PacketInfo kLoadContextReg;
extern const PacketInfo kLoadShReg;
extern const PacketInfo kSetConfigReg;
extern const PacketInfo kSetContextReg;
extern const PacketInfo kSetContextRegIndirect;
extern const PacketInfo kSetResourceIndirect;
extern const PacketInfo kSetShReg;
extern const PacketInfo kSetShRegOffset;
extern const PacketInfo kMeWrite;
extern const PacketInfo kScratchRamWrite;
extern const PacketInfo kScratchRamRead;
extern const PacketInfo kCeWrite;
extern const PacketInfo kLoadConstRam;
extern const PacketInfo kWriteConstRam;
extern const PacketInfo kWriteConstRamOffset;
extern const PacketInfo kDumpConstRam;
extern const PacketInfo kIncrementCeCounter;
extern const PacketInfo kIncrementDeCounter;
extern const PacketInfo kWaitOnCeCounter;
extern const PacketInfo kWaitOnDeCounter;
extern const PacketInfo kWaitOnDeCounterDiff;
extern const PacketInfo kSetCeDeCounters;
extern const PacketInfo kWaitOnAvailBuffer;
extern const PacketInfo kSwitchBuffer;

}  // namespace si
}  // namespace archipelago::cp
