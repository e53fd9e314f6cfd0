// SPDX-License-Identifier: Apache-2.0
// The packets of all generations; generations.cpp lists which generation has which.
#pragma once

#include <vector>

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
extern const PacketInfo kWriteTiledR600, kWriteTiledCik;
extern const PacketInfo kCopyTiledR600, kCopyTiledCik;
extern const PacketInfo kCopyFrameToFieldCik, kCopyTiledBroadcastCik;
// tiled_windows.cpp
extern const PacketInfo kCopyTiledPartialCik, kCopyTiledPartialCikDocument;
extern const PacketInfo kCopyTiledToTiledCik, kCopyTiledToTiledCikDocument;
// How those of Evergreen to SI say the order of elements in a tile: a bit, which drivers set on
// Evergreen and NI; the two bits that the document has there; SI's micro tile mode.
enum class TileOrder : uint8_t { NonDisp, NonDispDocument, MicroTileMode };
// All that Evergreen, Northern and Southern Islands have; and that the latter two have in addition.
template <TileOrder>
std::vector<PacketInfo> tiled_packets();
template <TileOrder>
std::vector<PacketInfo> tiled_windows();
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
