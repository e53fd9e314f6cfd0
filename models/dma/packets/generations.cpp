// SPDX-License-Identifier: Apache-2.0
// Which generation has which packets.
#include <algorithm>

#include "models/dma/packet_table.h"
#include "models/dma/packets/packets.h"

namespace archipelago::dma {
namespace {

using surface::Generation;

dma::Generation r600() {
    return {"r600",
            "R6xx async DMA",
            {"r600",
             {kWriteLinearR600, kWriteTiledR600, kCopyLinearR600, kCopyTiledR600,
              kIndirectBufferR600, kSemaphoreR600, kFence, kTrap, kNopR600}},
            {kFenceDocument, kIndirectBufferR600Document},
            Generation::R6xx,
            0xF0000000};
}

dma::Generation r700() {
    return {"r700",
            "R7xx async DMA",
            {"r700",
             {kWriteLinearR600, kWriteTiledR600, kCopyLinearR700, kCopyTiledR600,
              kIndirectBufferR600, kSemaphoreR600, kFence, kTrap, kNopR600, kConstantFillR700}},
            {kFenceDocument, kIndirectBufferR600Document},
            Generation::R6xx,
            0xF0000000};
}

std::vector<PacketInfo> join(std::initializer_list<std::vector<PacketInfo>> lists) {
    std::vector<PacketInfo> all;
    for (const std::vector<PacketInfo>& list : lists)
        all.insert(all.end(), list.begin(), list.end());
    return all;
}

// What Evergreen, Northern and Southern Islands have in common, but for tiled surfaces.
std::vector<PacketInfo> since_evergreen() {
    return {kWriteLinearEg, kCopyLinearEg,  kCopyLinearByte, kCopyLinearBroadcastEg,
            kSemaphoreEg,   kFence,         kTrap,           kNopEg,
            kSrbmWrite,     kConstantFillEg};
}
// And Northern and Southern Islands besides.
std::vector<PacketInfo> since_northern_islands() {
    return {kWritePteNi, kCopyLinearPartialNi, kIndirectBufferNi};
}

dma::Generation evergreen() {
    return {"eg",
            "Evergreen async DMA",
            {"eg", join({since_evergreen(),
                         tiled_packets<TileOrder::NonDisp>(),
                         {kIndirectBufferEg, kSrbmRead}})},
            join({{kFenceDocument, kNopR600, kSrbmReadDocument},
                  tiled_packets<TileOrder::NonDispDocument>()}),
            Generation::Evergreen,
            0xF0000000};
}

dma::Generation northern_islands() {
    return {"ni",
            "Northern Islands async DMA",
            {"ni", join({since_evergreen(),
                         since_northern_islands(),
                         tiled_packets<TileOrder::NonDisp>(),
                         tiled_windows<TileOrder::NonDisp>(),
                         {kSrbmRead}})},
            join({{kFenceDocument, kNopR600, kSrbmReadDocument},
                  tiled_packets<TileOrder::NonDispDocument>(),
                  tiled_windows<TileOrder::NonDispDocument>()}),
            Generation::Evergreen,
            0xF0000000};
}

dma::Generation southern_islands() {
    return {"si",
            "Southern Islands async DMA",
            {"si", join({since_evergreen(),
                         since_northern_islands(),
                         tiled_packets<TileOrder::MicroTileMode>(),
                         tiled_windows<TileOrder::MicroTileMode>(),
                         {kPollRegMem}})},
            {kFenceDocument, kNopR600},
            Generation::Si,
            0xF0000000};
}

dma::Generation cik() {
    return {"cik",
            "Sea Islands system DMA",
            {"cik",
             {kCopyLinearCik,
              kCopyLinearBroadcastCik,
              kCopyLinearPartialCik,
              kCopyTiledCik,
              kCopyTiledBroadcastCik,
              kCopyFrameToFieldCik,
              kCopyTiledPartialCik,
              kCopyTiledToTiledCik,
              kCopyStructured,
              kWriteLinearCik,
              kWriteTiledCik,
              kConstantFillCik,
              kIndirectBufferCik,
              kFenceCik,
              kTrapCik,
              kSemaphoreCik,
              kPollRegMemCik,
              kCondExec,
              kWritePteCik,
              kSrbmWriteCik,
              kNopCik,
              kSetLocalTimestamp,
              kGetLocalTimestamp,
              kGetGlobalTimestamp}},
            {kCopyLinearPartialCikDocument, kCopyTiledPartialCikDocument,
             kCopyTiledToTiledCikDocument, kPollRegMemCikDocument},
            Generation::Cik,
            0x00000000,
            true};
}

}  // namespace

const std::vector<const dma::Generation*>& generations() {
    static const dma::Generation all[] = {
        r600(), r700(), evergreen(), northern_islands(), southern_islands(), cik()};
    static const std::vector<const dma::Generation*> list = [] {
        std::vector<const dma::Generation*> found;
        for (const dma::Generation& g : all)
            found.push_back(&g);
        return found;
    }();
    return list;
}

const dma::Generation* find_generation(const std::string& name) {
    const auto& all = generations();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const dma::Generation* g) { return name == g->name; });
    return found != all.end() ? *found : nullptr;
}

}  // namespace archipelago::dma
