// SPDX-License-Identifier: Apache-2.0
// The primitive assembler as VGT and SPI see it: primitives and the positions of their vertices go
// in, export space comes back.
#pragma once

#include <string>

#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/gcn/draw_message.h"

namespace archipelago {

class PrimitiveAssembler : public Unit {
  public:
    Channel<PrimitiveMessage> primitives;  // of VGT
    Channel<VertexExports> vertices;       // of SPI
    OutputChannel<ExportFree> to_free{this};

    virtual void register_stats(StatsRegistry& stats, const std::string& path) const = 0;

  protected:
    PrimitiveAssembler(const ChannelSpec& from_vgt, const ChannelSpec& from_spi,
                       const std::string& name)
        : primitives(from_vgt, name + ".primitives"), vertices(from_spi, name + ".vertices") {
        add_inputs(primitives, vertices);
    }
};

}  // namespace archipelago
