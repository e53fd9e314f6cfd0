// SPDX-License-Identifier: Apache-2.0
// The colour block of a render back end: takes shaded quads in order and writes them into its
// caches; what events and draws are before it has done is reported after it. The arithmetic is that
// of ColourUnit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/cb/cb_spec.h"
#include "models/cb/cb_state.h"
#include "models/cb/colour_unit.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/mc/surface/tile_mode.h"
#include "models/raster/pixel_cache.h"
#include "models/raster/register_sets.h"

namespace archipelago::cb {

class CbCore : public Unit {
  public:
    // Throws std::invalid_argument naming what is wrong with the spec.
    explicit CbCore(const CbSpec& spec);

    // Of the depth block. Events, ends of draws and releases come in order, without quads.
    Channel<raster::ShadedBatch> batches;
    EventLink<RegRequest> register_writes;  // of all context registers
    Channel<MemResponse> from_memory;
    Channel<raster::FlushAction> flushes;
    OutputChannel<MemRequest> to_memory{this};
    OutputEvent<raster::BackEndDone> done{this};
    OutputEvent<raster::FlushDone> flush_done{this};

    Wire<bool> busy;         // GRBM_STATUS.CB_BUSY
    Wire<bool> clean{true};  // GRBM_STATUS.CB_CLEAN: the caches hold nothing dirty
    Wire<bool> empty{true};  // the caches hold no line

    // Goes on with the registers of a chip that has run in functional mode.
    void continue_with(const raster::RegisterSets& sets) {
        sets_ = sets;
        decoded_.forget();
    }

    bool tick(Cycle now) override;

    void write_register(const RegRequest& request);
    // The tiling registers at reset, and their writes, from the GB block.
    void set_tiling(const surface::TilingRegisters& tiling) { tiling_ = tiling_reset_ = tiling; }
    void connect_tiling(EventLink<surface::TilingWrite>& in);

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

    const CbSpec& spec() const { return spec_; }
    const CbState& state() const { return state_; }

  private:
    using Kind = raster::Primitive::Kind;

    bool take_registers(Cycle now);
    bool take_answers(Cycle now);
    bool take_batch(Cycle now);
    bool look_ahead(Cycle now);
    bool fetch(CbState::Batch& batch, size_t ahead);
    bool send_requests(Cycle now);
    void report_status(Cycle now);

    bool work(Cycle now);
    bool pass_message(Cycle now);
    bool act_on_flush(Cycle now);
    bool begin_event_flush(uint8_t event_type);
    void flush(bool data, bool metadata, bool invalidate);
    bool flushed() const { return data_.flushed() && metadata_.flushed(); }

    bool write_quads(Cycle now);
    void choose_quads(CbState::Batch& batch);
    bool prepare_metadata(CbState::Batch& batch);
    bool probe(raster::ShadedBatch& batch, unsigned first, unsigned end,
               std::vector<raster::PixelTouch>& data, std::vector<raster::PixelTouch>& metadata);
    void write_prepared(Cycle now);
    void end_batch();
    bool stall(Cycle now, WriteStall why);
    const ColourState& colour_state(const raster::ShadedBatch& batch);
    void trace_draw(Cycle end) const;

    const CbSpec spec_;
    raster::RegisterSets sets_;
    surface::TilingRegisters tiling_, tiling_reset_;
    EventLink<surface::TilingWrite>* tiling_in_ = nullptr;
    raster::DecodedSets<ColourState> decoded_;
    ColourUnit unit_;
    raster::PixelCache data_, metadata_;
    // Lines of the quads in work. A tile of CMASK that is not here counts as not cleared.
    raster::PixelProbe data_probe_, metadata_probe_;
    CbState state_;
    Observers observers_;
    TrackId track_ = 0;
};

}  // namespace archipelago::cb
