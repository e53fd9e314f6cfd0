// SPDX-License-Identifier: Apache-2.0
#include "models/cp/packets/si/si_packets.h"

#include <stdexcept>
#include <string>

#include "registers/si_register_table.h"

namespace archipelago::cp {

const PacketTable& si_packet_table() {
    using namespace si;
    static const PacketTable table("si",
                                   {kNop,
                                    kSetBase,
                                    kClearState,
                                    kIndexBufferSize,
                                    kDispatchDirect,
                                    kDispatchIndirect,
                                    kAllocGds,
                                    kWriteGdsRam,
                                    kAtomicGds,
                                    kAtomic,
                                    kOcclusionQuery,
                                    kSetPredication,
                                    kRegRmw,
                                    kCondExec,
                                    kPredExec,
                                    kDrawIndirect,
                                    kDrawIndexIndirect,
                                    kIndexBase,
                                    kDrawIndex2,
                                    kContextControl,
                                    kDrawIndexOffset,
                                    kIndexType,
                                    kDrawIndex,
                                    kDrawIndirectMulti,
                                    kDrawIndexAuto,
                                    kDrawIndexImmd,
                                    kNumInstances,
                                    kDrawIndexMultiAuto,
                                    kIndirectBufferConst,
                                    kIndirectBuffer,
                                    kStrmoutBufferUpdate,
                                    kDrawIndexOffset2,
                                    kDrawIndexMultiElement,
                                    kWriteData,
                                    kDrawIndexIndirectMulti,
                                    kMemSemaphore,
                                    kMpegIndex,
                                    kCopyDw,
                                    kWaitRegMem,
                                    kMemWrite,
                                    kCopyData,
                                    kCpDma,
                                    kPfpSyncMe,
                                    kSurfaceSync,
                                    kMeInitialize,
                                    kCondWrite,
                                    kEventWrite,
                                    kEventWriteEop,
                                    kEventWriteEos,
                                    kPreambleCntl,
                                    kOneRegWrite,
                                    kLoadConfigReg,
                                    kLoadContextReg,
                                    kLoadShReg,
                                    kSetConfigReg,
                                    kSetContextReg,
                                    kSetContextRegIndirect,
                                    kSetResourceIndirect,
                                    kSetShReg,
                                    kSetShRegOffset,
                                    kMeWrite,
                                    kScratchRamWrite,
                                    kScratchRamRead,
                                    kCeWrite,
                                    kLoadConstRam,
                                    kWriteConstRam,
                                    kWriteConstRamOffset,
                                    kDumpConstRam,
                                    kIncrementCeCounter,
                                    kIncrementDeCounter,
                                    kWaitOnCeCounter,
                                    kWaitOnDeCounter,
                                    kWaitOnDeCounterDiff,
                                    kSetCeDeCounters,
                                    kWaitOnAvailBuffer,
                                    kSwitchBuffer},
                                   kType0);
    return table;
}

uint8_t si_opcode(const char* name) {
    const PacketInfo* info = si_packet_table().find_by_name(name);
    if (info == nullptr)
        throw std::invalid_argument(std::string("no packet ") + name);
    return info->opcodes[0];
}

Pm4Language si_pm4() {
    return {si_packet_table(), regs::si::database()};
}

}  // namespace archipelago::cp
