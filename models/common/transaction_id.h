// SPDX-License-Identifier: Apache-2.0
// Numbers of memory transactions (MemRequest::uid): the top byte is the unit that began the
// transaction, so that flows of the timeline are unique. Draws have the top bit, dispatches small
// numbers.
#pragma once

#include <cstdint>

namespace archipelago {

enum class TransactionUnit : uint8_t {
    Cu = 0x20,  // with its number in the bits below
    CpFetch = 0x40,
    CpPfp,
    CpMe,
    CpDma,
    CpRegisters,
    CpCe,
    CpCeFetch,
    CpCeData,
    CpEop,
    CpGdsStore,
    VgtIndex,
    Ih,
    Dma0Fetch,
    Dma0,
    Dma0Copy,
    Dma1Fetch,
    Dma1,
    Dma1Copy,
    CtmPe,
    CtmMc,
    AfucFetch,
    AfucEngine,  // with its number in the bits below
    Db,          // of a render back end, likewise
    Cb,
};

constexpr uint64_t transaction_id(TransactionUnit unit, uint64_t number) {
    return uint64_t{static_cast<uint8_t>(unit)} << 56 | number;
}

// The arrow of a draw, from its packet over VGT, SPI and the first wave of each stage to the fences
// after it. Those of dispatches are their numbers.
constexpr uint64_t draw_flow(uint64_t number) {
    return uint64_t{1} << 63 | number;
}

}  // namespace archipelago
