// SPDX-License-Identifier: Apache-2.0
// The packets of all generations; which has which: generations.cpp.
#pragma once

#include "models/dma/packet.h"

namespace archipelago::dma {

// linear.cpp
extern const PacketInfo kWriteLinearR600, kWriteLinearEg, kWriteLinearCik;
extern const PacketInfo kCopyLinearR600, kCopyLinearR700, kCopyLinearEg, kCopyLinearCik;
extern const PacketInfo kCopyLinearByte;
extern const PacketInfo kCopyLinearBroadcastEg, kCopyLinearBroadcastCik;
extern const PacketInfo kConstantFillR700, kConstantFillEg, kConstantFillCik;
extern const PacketInfo kWritePteNi, kWritePteCik;
// windows.cpp
extern const PacketInfo kCopyLinearPartialNi, kCopyLinearPartialCik, kCopyLinearPartialCikDocument;
extern const PacketInfo kCopyStructured;
// tiled.cpp
extern const PacketInfo kWriteTiledR600, kWriteTiledEg, kWriteTiledCik;
extern const PacketInfo kCopyTiledR600, kCopyTiledEg, kCopyTiledCik;
extern const PacketInfo kCopyFrameToFieldEg, kCopyFrameToFieldCik;
extern const PacketInfo kCopyTiledBroadcastEg, kCopyTiledBroadcastCik;
extern const PacketInfo kCopyTileUnits, kCopyTileUnitsBroadcast;
extern const PacketInfo kCopyTiledPartialNi, kCopyTiledPartialCik;
extern const PacketInfo kCopyTiledToTiledNi, kCopyTiledToTiledCik;
// control.cpp
extern const PacketInfo kIndirectBufferR600, kIndirectBufferR600Document, kIndirectBufferEg,
    kIndirectBufferNi, kIndirectBufferCik;
extern const PacketInfo kSemaphoreR600, kSemaphoreEg, kSemaphoreCik;
extern const PacketInfo kFence, kFenceCik, kFenceDocument;
extern const PacketInfo kTrap, kTrapCik, kNopR600, kNopEg, kNopCik;
extern const PacketInfo kCondExec;
extern const PacketInfo kSetLocalTimestamp, kGetLocalTimestamp, kGetGlobalTimestamp;
// registers.cpp
extern const PacketInfo kSrbmWrite, kSrbmWriteCik, kSrbmRead, kSrbmReadDocument;
extern const PacketInfo kPollRegMem, kPollRegMemCik, kPollRegMemCikDocument;

}  // namespace archipelago::dma
