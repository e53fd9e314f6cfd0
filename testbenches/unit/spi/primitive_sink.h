// SPDX-License-Identifier: Apache-2.0
// A primitive assembler for tests of SPI: takes primitives and the positions of their vertices,
// draws nothing, and gives the space of both back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "models/gcn/primitive_assembler.h"

namespace archipelago::spi {

struct PrimitiveSinkSpec {
    ChannelSpec primitives{4, 1};  // from VGT
    ChannelSpec vertices{4, 1};    // from SPI
    bool rasteriser = false;       // then its pixel waves release the parameters
};

// Plain and serialisable.
struct PrimitiveSinkState {
    // Waves whose positions have come and are not released, by draw and wave: whether a
    // primitive has named them as the last to do so.
    std::map<std::pair<uint32_t, uint32_t>, bool> waves;
    // Draws that have ended: their waves have no more primitives.
    uint32_t ended_through = 0;
    uint64_t primitives = 0, vertices = 0, events = 0, draws = 0, freed = 0;
};

// Primitives and draws come in order. A primitive is consumed, one per cycle, when the positions of
// all its vertices have come.
class PrimitiveSink final : public PrimitiveAssembler {
  public:
    explicit PrimitiveSink(const PrimitiveSinkSpec& spec);

    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const override;
    const PrimitiveSinkState& state() const { return state_; }

  private:
    bool consume(Cycle now);
    bool release_exports(Cycle now);

    const PrimitiveSinkSpec spec_;
    PrimitiveSinkState state_;
};

}  // namespace archipelago::spi
