// SPDX-License-Identifier: Apache-2.0
#include "models/spi/pixel_packer.h"

#include <algorithm>

namespace archipelago::spi {
namespace {

bool same(const raster::Primitive& a, const raster::Primitive& b) {
    const auto at = [](const raster::Point& p, const raster::Point& q) {
        return p.x == q.x && p.y == q.y;
    };
    return a.number == b.number && a.parameters.count == b.parameters.count &&
           a.parameters.wave == b.parameters.wave && a.parameters.lane == b.parameters.lane &&
           at(a.corner[0], b.corner[0]) && at(a.corner[1], b.corner[1]) &&
           at(a.corner[2], b.corner[2]) && a.layer == b.layer && a.viewport == b.viewport;
}

}  // namespace

void PixelPacker::open(const raster::QuadBatch& batch, const PixelInputs& inputs) {
    packed_->context = batch.primitive.context;
    packed_->shader_engine = batch.shader_engine;
    packed_->draw = batch.primitive.draw;
    inputs_ = &inputs;
    wave_.context = packed_->context;
    wave_.shader_engine = packed_->shader_engine;
    wave_.draw = packed_->draw;
}

void PixelPacker::open_primitive(const raster::Primitive& primitive) {
    const size_t n = packed_->primitives.size();
    packed_->primitives.push_back(primitive);
    planes_[n] = set_up_planes(*inputs_, primitive);
    PixelPrimitive& p = wave_.primitive[n];
    p.vertices = primitive.parameters.count;
    p.wave = primitive.parameters.wave;
    p.lane = primitive.parameters.lane;
    wave_.new_primitive |= uint64_t{1} << (4 * packed_->quads);
}

void PixelPacker::add_quads(const raster::QuadBatch& batch, unsigned first, unsigned count,
                            unsigned run) {
    PackedWave& p = *packed_;
    const unsigned to = p.quads;
    p.quads = static_cast<uint8_t>(to + count);
    std::copy_n(batch.x.begin() + first, count, p.x.begin() + to);
    std::copy_n(batch.y.begin() + first, count, p.y.begin() + to);
    std::fill_n(p.rb.begin() + to, count, batch.rb);
    std::fill_n(p.primitive.begin() + to, count, static_cast<uint8_t>(p.primitives.size() - 1));
    std::fill_n(p.sample.begin() + to, count, static_cast<uint8_t>(run));
    std::fill_n(p.depth_done.begin() + to, count, batch.depth_done);
    std::fill_n(p.killed.begin() + to, count, batch.killed);
    const uint16_t* const coverage = &batch.coverage[4 * first];
    std::copy_n(coverage, 4 * count, p.pixel_coverage.begin() + 4 * to);
    const uint16_t samples = samples_of_run(run, inputs_->runs);
    for (unsigned lane = 0; lane < 4 * count; ++lane)
        p.coverage[4 * to + lane] = coverage[lane] & samples;
}

bool PixelPacker::add(const raster::QuadBatch& batch, const PixelInputs& inputs) {
    if (!empty() && packed_->draw != batch.primitive.draw)
        return false;
    if (empty())
        open(batch, inputs);
    // A batch is of one primitive; the wave's last one may be the same, of another tile or RB.
    bool opened = !packed_->primitives.empty() && same(packed_->primitives.back(), batch.primitive);
    const auto add = [&](unsigned count) {
        if (!opened)
            open_primitive(batch.primitive);
        opened = true;
        add_quads(batch, quad_, count, run_);
    };
    while (quad_ < batch.quads) {
        if (full())
            return false;
        if (inputs.runs == 1) {
            const unsigned count =
                std::min<unsigned>(batch.quads - quad_, PackedWave::kQuads - packed_->quads);
            add(count);
            quad_ += count;
            continue;
        }
        const uint16_t* const coverage = &batch.coverage[4 * quad_];
        const unsigned any = coverage[0] | coverage[1] | coverage[2] | coverage[3];
        if ((any & samples_of_run(run_, inputs.runs)) != 0)
            add(1);
        if (++run_ == inputs.runs) {
            run_ = 0;
            ++quad_;
        }
    }
    quad_ = run_ = 0;
    return true;
}

PixelWave& PixelPacker::finish() {
    wave_.live = 0;
    for (unsigned quad = 0; quad < packed_->quads; ++quad) {
        const uint16_t* const coverage = &packed_->coverage[4 * quad];
        const unsigned lanes = unsigned{coverage[0] != 0} | unsigned{coverage[1] != 0} << 1 |
                               unsigned{coverage[2] != 0} << 2 | unsigned{coverage[3] != 0} << 3;
        wave_.live |= uint64_t{lanes} << (4 * quad);
    }
    make_inputs(*inputs_, *packed_, planes_.data(), wave_);
    return wave_;
}

void PixelPacker::clear() {
    packed_->quads = 0;
    packed_->primitive.fill(0);
    packed_->primitives.clear();
    wave_.new_primitive = 0;
    wave_.end_of_draw = false;
    inputs_ = nullptr;
}

void PixelPacker::reset() {
    clear();
    quad_ = run_ = 0;
}

}  // namespace archipelago::spi
