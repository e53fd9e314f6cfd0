// SPDX-License-Identifier: Apache-2.0
// The raster back end in functional mode: each primitive is set up, scanned, tested, shaded and
// written to memory before the next one begins, but for pixels that wait for their wave to be full.
// The units are those of cycle mode; caches are absent, so memory is always up to date.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/asic/gcn/chip_config.h"
#include "models/asic/gcn/functional_graphics.h"
#include "models/cb/colour_unit.h"
#include "models/common/page.h"
#include "models/db/depth_unit.h"
#include "models/mc/surface/tile_mode.h"
#include "models/pa/positions.h"
#include "models/pa/primitive_setup.h"
#include "models/raster/pixel_memory.h"
#include "models/raster/raster_core.h"
#include "models/raster/register_sets.h"
#include "models/sc/scan.h"

namespace archipelago::gcn {

// Memory as the depth and colour blocks reach it. Remembers the pages it has used last.
class PixelPages : public raster::PixelMemory {
  public:
    explicit PixelPages(cu::FunctionalMemory& memory) : memory_(memory) {}
    // Whose address space lines are of.
    void use(uint8_t vmid) { vmid_ = vmid; }
    // Host pointers are no longer valid.
    void forget() { pages_ = {}; }
    uint8_t* line(uint64_t line_address, bool write) override;

  private:
    struct Page {
        uint64_t number = ~uint64_t{0};
        uint8_t vmid = 0;
        uint8_t* host = nullptr;
    };
    static constexpr unsigned kPages = 64;
    cu::FunctionalMemory& memory_;
    uint8_t vmid_ = 0;
    std::array<Page, kPages> pages_;
};

class FunctionalRaster {
  public:
    // Takes the vertices and shaded quads of `graphics`.
    FunctionalRaster(const ChipConfig& config, const raster::RasterCore& registers,
                     FunctionalGraphics& graphics, cu::FunctionalMemory& memory);

    void set_tiling(const surface::TilingRegisters& tiling) { tiling_ = tiling; }
    void write_tiling(const surface::TilingWrite& write) { tiling_.write(write); }

    // In the order of VGT; the waves of a primitive have ended.
    void take(const PrimitiveMessage& message);
    void event(uint8_t type);
    // Adds what the blocks count for the sample event `counts.event_type`.
    void sample(SampleCounts& counts) const;

    void drop_host_pointers() { memory_.forget(); }
    void reset();
    void archive(Archive& a);

  private:
    void draw(const raster::Primitive& primitive);
    void finish(raster::ShadedBatch& batch);
    const pa::SetupState& setup_state(unsigned context);
    const sc::ScanState& scan_state(unsigned context);
    const db::DepthState& depth_state(unsigned context);
    const cb::ColourState& colour_state(unsigned context);

    const ChipConfig& config_;
    FunctionalGraphics& graphics_;
    PixelPages memory_;
    const raster::RasterCore& registers_;
    surface::TilingRegisters tiling_;
    uint32_t tiling_changes_ = 0;  // when the states below were decoded

    raster::DecodedSets<pa::SetupState> setup_states_;
    raster::DecodedSets<sc::ScanState> scan_states_;
    raster::DecodedSets<cb::ColourState> colour_states_;
    db::DepthStates depth_states_;

    pa::Positions positions_;
    pa::PrimitiveSetup setup_;
    pa::SetupCounters setup_counters_;
    sc::Scan scan_;
    db::DepthUnit depth_;
    cb::ColourUnit colour_;
    std::vector<raster::Primitive> primitives_;  // of the message that is taken
};

}  // namespace archipelago::gcn
