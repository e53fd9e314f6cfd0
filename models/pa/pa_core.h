// SPDX-License-Identifier: Apache-2.0
// The primitive assemblers of a chip, timed: one in each shader engine sets up the primitives that
// VGT gives it; all that is left of them leaves in VGT's order, to the scan converters that own
// pixels of it.
#pragma once

#include <string>
#include <vector>

#include "models/common/trace_sink.h"
#include "models/common/wire.h"
#include "models/gcn/primitive_assembler.h"
#include "models/pa/pa_spec.h"
#include "models/pa/pa_state.h"
#include "models/pa/setup_state.h"
#include "models/raster/register_sets.h"

namespace archipelago::pa {

class PaCore final : public PrimitiveAssembler {
  public:
    explicit PaCore(const PaSpec& spec);

    std::vector<OutputChannel<raster::Primitive>> to_scan;  // by shader engine
    // Counts of sample events, from VGT on to CP; those of pipeline statistics get the clipper's.
    Channel<SampleCounts> samples;
    OutputChannel<SampleCounts> to_samples{this};
    Wire<bool> busy;                        // GRBM_STATUS.PA_BUSY
    EventLink<RegRequest> register_writes;  // of all context registers

    // Goes on with the registers of a chip that has run in functional mode.
    void continue_with(const raster::RegisterSets& sets) {
        sets_ = sets;
        decoded_.forget();
    }

    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const override;
    void observe(const Observers& observers, const std::string& path);

    const PaState& state() const { return state_; }

  private:
    bool take_registers(Cycle now);
    bool take_vertices(Cycle now);
    bool take_primitives(Cycle now);
    PaStall take(Cycle now, const PrimitiveMessage& message);
    bool has_positions(const PrimitiveMessage& message) const;
    void add_primitive(const PrimitiveMessage& message);
    void add_passing(Cycle now, const PrimitiveMessage& message);
    uint8_t engines_of(const SetupState& state, const raster::Primitive& p) const;
    void free_positions(uint32_t draw, uint32_t last_wave);
    bool set_up(Cycle now);
    bool send(Cycle now);
    bool send_entry(Cycle now, Entry& entry, std::array<unsigned, PaSpec::kMaxEngines>& room);
    void note_left(Cycle now, const raster::Primitive& p);
    bool send_frees(Cycle now);
    bool send_samples(Cycle now);
    // That have a scan converter.
    uint8_t all_engines() const;

    const PaSpec spec_;
    raster::RegisterSets sets_;
    raster::DecodedSets<SetupState> decoded_;
    PrimitiveSetup setup_;
    PaState state_;
    std::vector<raster::Primitive> pieces_;  // of the primitive just set up
    Observers observers_;
    TrackId track_ = 0;
};

}  // namespace archipelago::pa
