// SPDX-License-Identifier: Apache-2.0
// Packs covered quads into pixel waves: 16 quads each, of one draw and one shader engine, of any of
// its primitives, tiles and render back ends. One for each shader engine. Untimed: the timed SPI
// and the functional mode share it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "models/gcn/draw_message.h"
#include "models/raster/quad_batch.h"
#include "models/spi/packed_wave.h"
#include "models/spi/pixel_inputs.h"

namespace archipelago::spi {

// Samples that run `run` of `runs` of the shader colours: a pattern of the hardware that drivers
// repeat for the sample mask they show a shader (Mesa ac_get_ps_iter_mask).
constexpr uint16_t samples_of_run(unsigned run, unsigned runs) {
    unsigned mask = 0;
    for (unsigned sample = run; sample < raster::kMaxSamples; sample += runs)
        mask |= 1u << sample;
    return static_cast<uint16_t>(mask);
}

class PixelPacker {
  public:
    // Packs quads of the batch, whose context has these inputs, from where the last call has
    // stopped. True: all of them. False: the wave is full, or of another draw; take it, clear(),
    // and call again with the same batch. `inputs` must stay until the wave has been taken.
    bool add(const raster::QuadBatch& batch, const PixelInputs& inputs);

    bool empty() const { return packed_->quads == 0; }
    unsigned quads() const { return packed_->quads; }
    bool full() const { return packed_->quads == PackedWave::kQuads; }
    uint32_t draw() const { return packed_->draw; }
    // Makes the inputs of the wave as it is, which is not empty. The wave's `free_through` and
    // `end_of_draw`, and the number in `packed`, are the caller's.
    PixelWave& finish();
    std::unique_ptr<PackedWave>& packed() { return packed_; }
    // The wave has been taken: begins another.
    void clear();
    // Forgets the wave, and the batch of which a part has been packed.
    void reset();

  private:
    void open(const raster::QuadBatch& batch, const PixelInputs& inputs);
    void open_primitive(const raster::Primitive& primitive);
    void add_quads(const raster::QuadBatch& batch, unsigned first, unsigned count, unsigned run);

    std::unique_ptr<PackedWave> packed_ = std::make_unique<PackedWave>();
    PixelWave wave_;
    const PixelInputs* inputs_ = nullptr;
    std::array<InputPlanes, PixelWave::kPrimitives> planes_;  // of packed_->primitives
    unsigned quad_ = 0, run_ = 0;                             // of the batch, next to be packed
};

}  // namespace archipelago::spi
