// SPDX-License-Identifier: Apache-2.0
// The graphics stages in functional mode: waves run to their end one after the other in the order
// the vertex grouper sends them, LS and HS waves of a group together. Same launch state, exports
// and instruction semantics as in cycle mode.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/cu/functional/functional_cu.h"
#include "models/gcn/draw_message.h"
#include "models/gcn/export_message.h"
#include "models/spi/exports.h"
#include "models/spi/spi_core.h"

namespace archipelago::gcn {

class FunctionalGraphics : public ExportSink {
  public:
    // Takes the exports of `cu`, which must be connected to it. Draws begin by writes of
    // VGT_DRAW_INITIATOR to `spi`.
    FunctionalGraphics(spi::SpiCore& spi, cu::FunctionalCu& cu, cu::FunctionalStats& stats);

    // With a rasteriser a draw ends with its last pixel wave, else with its last vertices.
    void expect_pixels() { pixels_ = true; }
    // The positions of a VS wave, for the primitive assembler. Called when the wave has ended.
    std::function<void(VertexExports)> on_vertices;

    // A wave, or the end of a draw; events have nothing to wait for.
    void run(const VgtMessage& message);
    void run(const PixelWave& pixels);

    // Forgets draws and groups that are not complete.
    void reset() {
        current_draw_ = 0;
        pixel_waves_.clear();
        groups_.clear();
    }

    void archive(Archive& a) {
        a.at_rest(groups_.empty(), "a group of waves is not complete");
        a(exports_, current_draw_, waves_, pixel_waves_);
    }
    // Waves run since the machine was made.
    uint64_t waves() const { return waves_; }
    const spi::ExportState& exports() const { return exports_.state(); }
    // What groups wait for that are not complete; empty when there are none.
    std::string waiting_for() const;

    void take(const ExportMessage& message) override { exports_.take(message); }

  private:
    const spi::StageProgram& program(uint32_t draw, ShaderStage stage);
    void begin(uint32_t draw);
    void run_wave(const VertexWave& wave);
    void add_to_group(const VertexWave& wave);
    void run_stage(std::vector<VertexWave>& waves, ShaderStage stage, uint32_t lds_bytes);
    void end_draw(uint32_t draw);

    spi::SpiCore& spi_;
    cu::FunctionalCu& cu_;
    cu::FunctionalStats& stats_;
    spi::ExportBuffers exports_;
    bool pixels_ = false;
    uint32_t current_draw_ = 0;
    uint64_t waves_ = 0;
    std::map<uint32_t, uint32_t> pixel_waves_;  // of each draw
    // LS and HS waves of groups that are not complete, by draw and group.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<VertexWave>> groups_;
    LaunchData data_;
};

}  // namespace archipelago::gcn
