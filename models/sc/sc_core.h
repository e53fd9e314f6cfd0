// SPDX-License-Identifier: Apache-2.0
// The scan converter of a shader engine: takes primitives, walks the tiles of them that its engine
// owns, and sends covered quads to the render back ends that own these. All that passes keeps its
// order, by render back end. R6xx/R7xx document 2.1.3.
#pragma once

#include <array>
#include <string>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/raster/quad_batch.h"
#include "models/raster/register_sets.h"
#include "models/sc/sc_spec.h"
#include "models/sc/sc_state.h"

namespace archipelago::sc {

class ScCore : public Unit {
  public:
    // Throws std::invalid_argument naming what is wrong with the spec.
    explicit ScCore(const ScSpec& spec);

    Channel<raster::Primitive> primitives;  // of the primitive assembler
    EventLink<RegRequest> register_writes;  // of all context registers
    // By render back end of the engine; those that the chip has are connected. Besides quads each
    // gets, without quads: events, ends of draws, and a Release after a primitive that raises
    // free_through, which the quads of that primitive do not have yet.
    std::array<OutputChannel<raster::QuadBatch>, ScSpec::kRbs> to_rb{
        OutputChannel<raster::QuadBatch>{this}, OutputChannel<raster::QuadBatch>{this},
        OutputChannel<raster::QuadBatch>{this}, OutputChannel<raster::QuadBatch>{this}};

    Wire<bool> busy;  // GRBM_STATUS.SC_BUSY

    // Goes on with the registers of a chip that has run in functional mode.
    void continue_with(const raster::RegisterSets& sets) {
        sets_ = sets;
        decoded_.forget();
    }

    bool tick(Cycle now) override;

    // A write of PA_SC_RASTER_CONFIG that is steered to another engine is not this one's.
    void write_register(const RegRequest& request);

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

    const ScSpec& spec() const { return spec_; }
    const ScState& state() const { return state_; }

  private:
    // Work of the walk in this cycle.
    struct Walked {
        unsigned primitives = 0, supertiles = 0, tiles = 0;
    };
    bool send_quads(Cycle now);
    bool send_to_rbs(Cycle now, ScState::Leaving& tile);
    bool walk_on(Cycle now);
    bool may_go_on(Cycle now, const Walked& walked);
    bool take_primitive(Cycle now);
    void visit_tile(Cycle now, Walked& walked);
    void end_primitive(Cycle now);
    void send_tile(Cycle now, const ScanState& scan, const TileCoverage& coverage);
    void pass_on(Cycle now, const raster::Primitive& message, uint8_t to);
    const ScanState& scan_state(unsigned context);
    void trace_draw(Cycle end) const;

    const ScSpec spec_;
    const uint8_t rbs_;  // of the engine, a bit each
    raster::RegisterSets sets_;
    raster::DecodedSets<ScanState> decoded_;
    ScState state_;
    Observers observers_;
    TrackId track_ = 0;
};

}  // namespace archipelago::sc
