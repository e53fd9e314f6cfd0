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
#include "models/raster/quad_batch.h"
#include "models/raster/register_sets.h"
#include "models/spi/exports.h"
#include "models/spi/pixel_packer.h"
#include "models/spi/spi_core.h"

namespace archipelago::gcn {

class FunctionalGraphics : public ExportSink {
  public:
    // Takes the exports of `cu`, which must be connected to it. Draws begin by writes of
    // VGT_DRAW_INITIATOR to `spi`.
    FunctionalGraphics(spi::SpiCore& spi, cu::FunctionalCu& cu, cu::FunctionalStats& stats);

    // Pixels come: a draw ends with its last quads, else with its last vertices. `registers` are
    // those of the contexts, which the waves' inputs are made by; they outlive this.
    void expect_pixels(const raster::RegisterSets& registers) { registers_ = &registers; }
    // The positions of a VS wave, for the primitive assembler. Called when the wave has ended.
    std::function<void(VertexExports)> on_vertices;

    // Quads that a pixel wave has shaded, with its exports; called when the wave has ended, in the
    // order in which the quads came. The batch is valid during the call, and may be changed.
    std::function<void(raster::ShadedBatch&)> on_shaded;

    // A wave, or the end of a draw; events have nothing to wait for.
    void run(const VgtMessage& message);
    // Quads that the depth block has passed on, in the order of the primitives. They are packed
    // into waves, and a wave runs when it is full. The end of the draw and an event, which come
    // once for all render back ends, end the waves that are not full.
    void run(const raster::QuadBatch& batch);

    // Forgets draws and groups that are not complete.
    void reset() {
        current_draw_ = 0;
        pixel_waves_.clear();
        groups_.clear();
        for (spi::PixelPacker& packer : packers_)
            packer.reset();
        parameters_ = {};
        exports_.reset();
    }

    void archive(Archive& a) {
        a.at_rest(groups_.empty(), "a group of waves is not complete");
        for (const spi::PixelPacker& packer : packers_)
            a.at_rest(packer.empty(), "a pixel wave is not full");
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
    void pack(const raster::QuadBatch& batch);
    void run(spi::PixelPacker& packer);

    // Parameters that are not needed any more: of VS waves before `through` no pixel comes.
    struct ParametersInUse {
        uint32_t draw = 0, primitive = 0;
        uint32_t after_primitive = 0;  // `through`, once the primitive has had its last pixel
        uint32_t through = 0;
        uint32_t freed = 0;
    };
    void next_primitive(const raster::Primitive& primitive);
    void free_parameters();

    spi::SpiCore& spi_;
    cu::FunctionalCu& cu_;
    cu::FunctionalStats& stats_;
    spi::ExportBuffers exports_;
    const raster::RegisterSets* registers_ = nullptr;  // null: no pixels come
    raster::DecodedSets<spi::PixelInputs> inputs_;
    std::vector<spi::PixelPacker> packers_;  // of each shader engine
    std::vector<uint32_t> oldest_;           // ParametersInUse::through when its wave was begun
    ParametersInUse parameters_;
    raster::ShadedBatch shaded_;
    uint32_t current_draw_ = 0;
    uint64_t waves_ = 0;
    std::map<uint32_t, uint32_t> pixel_waves_;  // of each draw
    // LS and HS waves of groups that are not complete, by draw and group.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<VertexWave>> groups_;
    LaunchData data_;
};

}  // namespace archipelago::gcn
