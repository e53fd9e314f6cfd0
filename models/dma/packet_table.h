// SPDX-License-Identifier: Apache-2.0
// The packets of a generation of async DMA engines, and what else sets the generations apart.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/dma/packet.h"
#include "models/front/packet_table.h"
#include "models/mc/surface/tile_mode.h"

namespace archipelago::dma {

class PacketTable : public front::PacketTable<PacketInfo> {
  public:
    // Two rows that one header fits break an invariant.
    PacketTable(const char* generation, std::vector<PacketInfo> rows);

    // Null: no packet has this header.
    const PacketInfo* find(uint32_t header) const;
};

struct Generation {
    const char* name;  // of `generation:` and of --isa dma:NAME
    const char* title;
    PacketTable packets;               // as drivers send them
    std::vector<PacketInfo> document;  // packets it has otherwise, by the same names
    surface::Generation surfaces;
    uint32_t nop;       // a whole packet
    bool sdma = false;  // CIK: addresses of 64 bits, registers of their own
};

// Null: no such generation. They are r600, r700, eg, ni, si and cik.
const Generation* find_generation(const std::string& name);
const std::vector<const Generation*>& generations();

// The packets of `generation` with the document's form of those named. Null: `unknown` is a name
// that has no other form.
std::shared_ptr<const PacketTable> document_forms(const Generation& generation,
                                                  const std::vector<std::string>& names,
                                                  std::string& unknown);

}  // namespace archipelago::dma
