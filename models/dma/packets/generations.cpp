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

// What Evergreen, Northern and Southern Islands have in common.
std::vector<PacketInfo> with_evergreen(std::vector<PacketInfo> others) {
    std::vector<PacketInfo> rows = {kWriteLinearEg,
                                    kWriteTiledEg,
                                    kCopyLinearEg,
                                    kCopyLinearByte,
                                    kCopyLinearBroadcastEg,
                                    kCopyTiledEg,
                                    kCopyFrameToFieldEg,
                                    kCopyTiledBroadcastEg,
                                    kCopyTileUnits,
                                    kCopyTileUnitsBroadcast,
                                    kSemaphoreEg,
                                    kFence,
                                    kTrap,
                                    kNopEg,
                                    kConstantFillEg,
                                    kSrbmWrite};
    rows.insert(rows.end(), others.begin(), others.end());
    return rows;
}
// And Northern and Southern Islands besides.
std::vector<PacketInfo> with_northern_islands(std::vector<PacketInfo> others) {
    others.insert(others.begin(), {kWritePteNi, kCopyLinearPartialNi, kCopyTiledPartialNi,
                                   kCopyTiledToTiledNi, kIndirectBufferNi});
    return with_evergreen(std::move(others));
}

dma::Generation evergreen() {
    return {"eg",
            "Evergreen async DMA",
            {"eg", with_evergreen({kIndirectBufferEg, kSrbmRead})},
            {kFenceDocument, kNopR600, kSrbmReadDocument},
            Generation::Evergreen,
            0xF0000000};
}

dma::Generation northern_islands() {
    return {"ni",
            "Northern Islands async DMA",
            {"ni", with_northern_islands({kSrbmRead})},
            {kFenceDocument, kNopR600, kSrbmReadDocument},
            Generation::Evergreen,
            0xF0000000};
}

dma::Generation southern_islands() {
    return {"si",
            "Southern Islands async DMA",
            {"si", with_northern_islands({kPollRegMem})},
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
            {kCopyLinearPartialCikDocument, kPollRegMemCikDocument},
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
