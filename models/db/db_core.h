// SPDX-License-Identifier: Apache-2.0
// The depth block of a render back end. Two streams share its tests and caches: batches of the scan
// converter before the shader, and shaded ones after it. Each keeps its order; shaded batches go
// first. R6xx/R7xx document 2.1.4.
#pragma once

#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/db/db_spec.h"
#include "models/db/db_state.h"
#include "models/db/depth_unit.h"
#include "models/raster/back_end_done.h"
#include "models/raster/pixel_cache.h"
#include "models/raster/quad_batch.h"
#include "models/raster/register_sets.h"

namespace archipelago::db {

class DbCore : public Unit {
  public:
    // Throws std::invalid_argument naming what is wrong with the spec.
    explicit DbCore(const DbSpec& spec);

    Channel<raster::QuadBatch> early;       // of the scan converter
    Channel<raster::ShadedBatch> late;      // of SPI
    Channel<MemResponse> from_memory;       // answers
    Channel<raster::FlushAction> flushes;   // of CP
    EventLink<RegRequest> register_writes;  // of all context registers
    // Batches that the shader has something to do for; events, ends of draws and releases without
    // quads, in their order.
    OutputChannel<raster::QuadBatch> to_spi{this};
    // Batches with samples that may be written to colour, events, ends of draws.
    OutputChannel<raster::ShadedBatch> to_cb{this};
    OutputChannel<MemRequest> to_memory{this};
    OutputEvent<raster::FlushDone> flush_done{this};
    OutputEvent<raster::ZpassCount> zpass{this};  // at each ZPASS_DONE

    Wire<bool> busy;         // GRBM_STATUS.DB_BUSY
    Wire<bool> clean{true};  // GRBM_STATUS.DB_CLEAN: the caches hold nothing that memory has not
    Wire<bool> empty{true};  // they hold no line at all

    // Goes on with the registers of a chip that has run in functional mode.
    void continue_with(const raster::RegisterSets& sets) {
        sets_ = sets;
        states_.forget();
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

    const DbSpec& spec() const { return spec_; }
    const DbState& state() const { return state_; }
    const DepthUnit& unit() const { return unit_; }

  private:
    using EarlyStream = DbState::Stream<raster::QuadBatch>;
    using LateStream = DbState::Stream<raster::ShadedBatch>;
    // The caches as one memory: HTILE of the state, or depth and stencil.
    class Caches final : public raster::PixelMemory {
      public:
        Caches(raster::PixelCache& data, raster::PixelCache& htile) : data_(data), htile_(htile) {}
        void use(const DepthState& state, uint8_t vmid);
        bool is_htile(uint64_t line_address) const;
        uint8_t* line(uint64_t line_address, bool write) override;
        void merge(uint64_t line_address, const uint8_t* bytes, uint64_t mask) override;

      private:
        raster::PixelCache& data_;
        raster::PixelCache& htile_;
        const DepthState* state_ = nullptr;
    };

    bool take_inputs(Cycle now);
    bool take_answers(Cycle now);
    bool send_outputs(Cycle now);
    bool send_requests(Cycle now);

    // The lines of a batch, by a run on a copy of it.
    const DepthState& use(const raster::QuadBatch& batch);
    struct Lines {
        std::vector<raster::PixelTouch> data, htile;
        uint64_t missing_htile = DbState::kNoLine;  // decides on `data`, which is empty until then
        bool complete = false;                      // else more may be touched
    };
    void note_lines(const raster::QuadBatch& batch, Lines& lines);
    void note_lines(const raster::ShadedBatch& batch, Lines& lines);
    void sort_lines(Lines& lines) const;
    template <class Batch>
    bool fetch_ahead(DbState::Stream<Batch>& stream, bool answered);

    // The batch in work.
    bool work(Cycle now);
    bool begin_late(Cycle now);
    bool begin_early(Cycle now);
    bool waits_for_late_draws(const raster::QuadBatch& batch);
    template <class Batch>
    bool lines_are_here(Cycle now, const Batch& batch);
    void run_early(Cycle now);
    void run_late(Cycle now);
    Cycle finish(Cycle now, uint64_t tested_before, unsigned quads, Cycle& stream_free);
    uint64_t tested() const;

    // Messages without quads, and flushes.
    bool pass_early_message(Cycle now);
    bool pass_late_message(Cycle now);
    bool flush_for(unsigned event_type);
    void begin_flush(bool data, bool htile, bool invalidate);
    bool act(Cycle now);

    bool working() const;
    void trace_draw(Cycle end) const;

    const DbSpec spec_;
    raster::RegisterSets sets_;
    surface::TilingRegisters tiling_, tiling_reset_;
    EventLink<surface::TilingWrite>* tiling_in_ = nullptr;
    DepthStates states_;
    DepthUnit unit_;
    DepthUnit probe_unit_;  // runs on copies; its counts are of no interest
    raster::PixelCache data_, htile_;
    Caches caches_;
    raster::PixelProbe probe_;
    Lines work_lines_, ahead_lines_;  // of the batch in work, of one after it
    bool noted_ = false;              // work_lines_ are of the batch in work
    DbState state_;
    Observers observers_;
    TrackId track_ = 0;
};

}  // namespace archipelago::db
