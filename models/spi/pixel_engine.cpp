// SPDX-License-Identifier: Apache-2.0
#include "models/spi/pixel_engine.h"

#include <algorithm>
#include <utility>

#include "models/common/error.h"
#include "models/common/stall_cycles.h"

namespace archipelago::spi {
namespace {

using Kind = raster::Primitive::Kind;

bool is_token(const raster::Primitive& p) {
    return p.kind == Kind::Event || p.kind == Kind::DrawEnd;
}

}  // namespace

PixelEngine::PixelEngine(const PixelEngineSpec& spec, Clocked& owner, PixelCounters& counters)
    : spec_(spec), owner_(owner), counters_(counters) {
    for (unsigned rb = 0; rb < kRbs; ++rb)
        in_[rb] = std::make_unique<Channel<raster::QuadBatch>>(
            spec.quads, "spi.quads" + std::to_string(kRbs * spec.engine + rb));
}

void PixelEngine::reset() {
    packer_.reset();
    batch_.reset();
    waves_.clear();
    tokens_.clear();
    packed_ = left_ = 0;
    next_rb_ = 0;
    ready_ = deadline_ = 0;
    pack_stall_since_ = shade_stall_since_ = ~Cycle{0};
    ended_draw_ = draw_ = 0;
    through_ = {};
}

void PixelEngine::archive(Archive& a) {
    a.at_rest(idle(), "a pixel wave is being packed or waits");
    a(packed_, left_, next_rb_, ready_, ended_draw_, draw_, through_);
}

uint32_t PixelEngine::through() const {
    uint32_t least = ~0u;
    for (unsigned rb = 0; rb < kRbs; ++rb)
        if (has(rb))
            least = std::min(least, through_[rb]);
    return least;
}

// ---- quads into waves
// ----------------------------------------------------------------------------

bool PixelEngine::take(Cycle now, const InputsOf& inputs, uint32_t last_draw) {
    const bool full = waves_.size() >= spec_.queue;
    note_stall(full && batch_, now, pack_stall_since_, counters_.pack_stall_cycles);
    if (full)
        return false;
    bool progress = false;
    if (batch_) {
        progress = pack(now, inputs);
    } else if (now < ready_) {
        owner_.wake_at(ready_);
    } else {
        progress = take_batch(now, last_draw) || take_tokens(now, last_draw);
        if (batch_)
            pack(now, inputs);
    }
    if (packer_.empty() || batch_)
        return progress;
    if (now >= deadline_) {
        ++counters_.partial_waves;
        close_wave();
        return true;
    }
    owner_.wake_at(deadline_);
    return progress;
}

// Continues the batch. Packing it takes quads / quads_per_cycle cycles.
bool PixelEngine::pack(Cycle now, const InputsOf& inputs) {
    const uint64_t before = packed_;
    const bool all = packer_.add(*batch_, inputs(batch_->primitive.context));
    if (!all || packer_.full())
        close_wave();
    if (!all)
        return packed_ != before;
    const unsigned cycles = (batch_->quads + spec_.quads_per_cycle - 1) / spec_.quads_per_cycle;
    counters_.quads += batch_->quads;
    ready_ = now + std::max(cycles, 1u);
    owner_.wake_at(ready_);
    batch_.reset();
    deadline_ = ready_ + spec_.partial_wave;
    return true;
}

void PixelEngine::close_wave() {
    Wave wave;
    wave.pixels = packer_.finish();
    wave.pixels.free_through = through();
    wave.packed = std::exchange(packer_.packed(), std::make_unique<PackedWave>());
    packer_.clear();
    waves_.push_back(std::move(wave));
    ++packed_;
}

// The next batch, of the RBs in turn. All that an RB sends may release parameters.
bool PixelEngine::take_batch(Cycle now, uint32_t last_draw) {
    for (unsigned n = 0; n < kRbs; ++n) {
        const unsigned rb = (next_rb_ + n) % kRbs;
        if (!has(rb) || !in_[rb]->can_pop(now))
            continue;
        const raster::Primitive& primitive = in_[rb]->front().primitive;
        if (primitive.kind == Kind::Event || primitive.draw > last_draw)
            continue;
        if (primitive.draw <= ended_draw_)
            throw MachineStop(StopKind::Protocol, "spi",
                              "the rasteriser sends more of draw " +
                                  std::to_string(primitive.draw) + ", which it has ended");
        if (primitive.kind == Kind::DrawEnd)
            continue;
        take_release(rb, primitive);
        if (primitive.kind == Kind::Primitive && in_[rb]->front().quads != 0)
            batch_ = in_[rb]->front();
        in_[rb]->drop(now);
        next_rb_ = (rb + 1) % kRbs;
        return true;
    }
    return false;
}

// Parameters that have no later quad are released with the last wave that has been packed.
void PixelEngine::take_release(unsigned rb, const raster::Primitive& primitive) {
    if (draw_ != primitive.draw) {
        draw_ = primitive.draw;
        through_ = {};
    }
    const uint32_t before = through();
    through_[rb] = std::max(through_[rb], primitive.free_through);
    if (packer_.empty() && through() != before)
        say(false, primitive.draw);
}

void PixelEngine::say(bool end_of_draw, uint32_t draw) {
    if (waves_.empty() || waves_.back().pixels.draw != draw) {
        waves_.emplace_back();
        waves_.back().pixels.draw = draw;
        waves_.back().pixels.shader_engine = static_cast<uint8_t>(spec_.engine);
    }
    waves_.back().pixels.free_through = through();
    waves_.back().pixels.end_of_draw = end_of_draw;
}

// An event or the end of a draw has come when all RBs have sent it.
bool PixelEngine::take_tokens(Cycle now, uint32_t last_draw) {
    const raster::Primitive* token = nullptr;
    for (unsigned rb = 0; rb < kRbs; ++rb) {
        if (!has(rb))
            continue;
        if (!in_[rb]->can_pop(now) || !is_token(in_[rb]->front().primitive))
            return false;
        token = &in_[rb]->front().primitive;
    }
    if (token == nullptr || (token->kind == Kind::DrawEnd && token->draw > last_draw))
        return false;
    if (!packer_.empty()) {
        ++counters_.partial_waves;
        close_wave();
    }
    tokens_.push_back({packed_, *token});
    if (token->kind == Kind::DrawEnd) {
        if (draw_ != token->draw) {
            draw_ = token->draw;
            through_ = {};
        }
        ended_draw_ = token->draw;
        say(true, token->draw);
    }
    for (unsigned rb = 0; rb < kRbs; ++rb)
        if (has(rb))
            in_[rb]->drop(now);
    return true;
}

// ---- shaded quads back
// ---------------------------------------------------------------------------

bool PixelEngine::send(Cycle now, PixelExportBuffer& colours, std::array<OutputRb, kRbs>& out) {
    const auto room = [&](unsigned rb) { return !out[rb] || out[rb]->can_push(now); };
    bool stalled = false, sent = false;
    if (!tokens_.empty() && tokens_.front().after == left_) {
        for (unsigned rb = 0; rb < kRbs; ++rb)
            stalled = stalled || (has(rb) && !room(rb));
        for (unsigned rb = 0; rb < kRbs && !stalled; ++rb) {
            if (!has(rb) || !out[rb])
                continue;
            raster::ShadedBatch token;
            token.quads.primitive = tokens_.front().primitive;
            token.quads.shader_engine = static_cast<uint8_t>(spec_.engine);
            token.quads.rb = static_cast<uint8_t>(kRbs * spec_.engine + rb);
            out[rb]->push(now, token);
        }
        if (!stalled)
            tokens_.pop_front();
        sent = !stalled;
    } else if (colours.ready()) {
        const unsigned rb = colours.next_rb() % kRbs;
        stalled = !room(rb);
        if (!stalled) {
            if (colours.next(shaded_))
                ++left_;
            if (out[rb])
                out[rb]->push(now, shaded_);
            ++counters_.batches;
            sent = true;
        }
    }
    note_stall(stalled, now, shade_stall_since_, counters_.shade_stall_cycles);
    return sent;
}

std::string PixelEngine::waiting_for() const {
    std::string text = "pixels of shader engine " + std::to_string(spec_.engine) + ":";
    if (!waves_.empty())
        text += " " + std::to_string(waves_.size()) + " waves wait for launch,";
    if (!packer_.empty())
        text += " " + std::to_string(packer_.quads()) + " quads of a wave that is not full,";
    if (!tokens_.empty())
        text += " " + std::to_string(tokens_.size()) + " events or ends of draws after waves,";
    text.pop_back();
    return text;
}

}  // namespace archipelago::spi
