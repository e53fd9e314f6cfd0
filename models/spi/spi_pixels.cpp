// SPDX-License-Identifier: Apache-2.0
// SPI's pixel waves: from the render back ends' quads to compute units, and the exports back.
#include <algorithm>

#include "models/common/error.h"
#include "models/spi/spi_core.h"

namespace archipelago::spi {

void SpiCore::make_pixel_engines() {
    for (unsigned e = 0; e < spec_.shader_engines; ++e) {
        PixelEngineSpec spec;
        spec.engine = e;
        spec.rbs = spec_.render_backends >> (PixelEngine::kRbs * e) & 0xF;
        spec.quads_per_cycle = spec_.quads_per_cycle;
        spec.partial_wave = spec_.partial_wave;
        spec.queue = spec_.stage_queue;
        spec.quads = spec_.quads;
        pixel_engines_.push_back(std::make_unique<PixelEngine>(spec, *this, pixel_counters_));
        for (unsigned rb = 0; rb < PixelEngine::kRbs; ++rb)
            if (pixel_engines_.back()->has(rb))
                add_input(pixel_engines_.back()->from_rb(rb), quads_waiting_,
                          PixelEngine::kRbs * e + rb);
        for (unsigned rb = 0; rb < PixelEngine::kRbs; ++rb) {
            cb_in_.push_back(
                std::make_unique<EventLink<raster::BackEndDone>>(spec_.back_end_latency));
            add_input(*cb_in_.back(), cb_waiting_, PixelEngine::kRbs * e + rb);
        }
        to_rb.push_back(
            {OutputChannel<raster::ShadedBatch>(this), OutputChannel<raster::ShadedBatch>(this),
             OutputChannel<raster::ShadedBatch>(this), OutputChannel<raster::ShadedBatch>(this)});
    }
}

Channel<raster::QuadBatch>& SpiCore::from_rb(unsigned rb) {
    has_pixels_ = true;
    return pixel_engines_[rb / PixelEngine::kRbs]->from_rb(rb % PixelEngine::kRbs);
}

EventLink<raster::BackEndDone>& SpiCore::from_cb(unsigned rb) {
    cbs_ |= uint64_t{1} << rb;
    return *cb_in_[rb];
}

bool SpiCore::take_back_ends(Cycle now) {
    bool progress = false;
    for (uint64_t m = cb_waiting_; m != 0; m &= m - 1) {
        const auto rb = static_cast<unsigned>(__builtin_ctzll(m));
        BackEndProgress& passed = state_.graphics.back_ends[rb];
        while (cb_in_[rb]->ready(now)) {
            const raster::BackEndDone done = cb_in_[rb]->take();
            if (done.kind == raster::Primitive::Kind::DrawEnd)
                passed.draw = done.draw;
            else
                ++passed.events;
            progress = true;
        }
    }
    return progress;
}

// Colours, depths and metadata of all that was drawn before it are in memory when it has passed.
bool SpiCore::flushes_back_ends(uint8_t type) const {
    const auto& events = spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE;
    return type == events.CACHE_FLUSH || type == events.CACHE_FLUSH_TS ||
           type == events.CACHE_FLUSH_AND_INV_EVENT || type == events.CACHE_FLUSH_AND_INV_TS_EVENT;
}

// The end of a context's draws for CONTEXT_DONE, the event itself for others. After a flush there
// is nothing to wait for until another draw comes.
bool SpiCore::back_ends_passed(const PendingEvent& event) const {
    if (!event.after_pixels)
        return true;
    const bool context = event.type == spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE.CONTEXT_DONE;
    for (uint64_t m = cbs_; m != 0; m &= m - 1) {
        const auto rb = static_cast<unsigned>(__builtin_ctzll(m));
        const BackEndProgress& passed = state_.graphics.back_ends[rb];
        if (context ? passed.draw < event.context_draw : passed.events < event.number)
            return false;
    }
    return true;
}

void SpiCore::count_pixels(const PixelWave& pixels) {
    LiveDraw* const draw = find_draw(pixels.draw);
    if (draw != nullptr && draw->counted)
        draw->pixels += static_cast<unsigned>(__builtin_popcountll(pixels.live));
}

bool SpiCore::pixels_left() const {
    for (unsigned e = 0; has_pixels_ && e < spec_.shader_engines; ++e)
        if (pixel_engines_[e]->has_pixels() || !exports_.colours(e).empty())
            return true;
    return false;
}

bool SpiCore::tokens_left() const {
    return std::any_of(pixel_engines_.begin(), pixel_engines_.end(),
                       [](const auto& engine) { return !engine->has_pixels() && !engine->idle(); });
}

bool SpiCore::pixels_wait() const {
    return has_pixels_ && std::any_of(pixel_engines_.begin(), pixel_engines_.end(),
                                      [](const auto& e) { return !e->waves().empty(); });
}

// Each write of a context register, as PA, SC, DB and CB get it: samples and runs of the shader are
// in registers of theirs.
bool SpiCore::take_context_writes(Cycle now) {
    bool progress = false;
    while (context_writes.ready(now)) {
        write_context(context_writes.take());
        progress = true;
    }
    return progress;
}

bool SpiCore::take_pixels(Cycle now) {
    bool progress = false;
    const auto inputs = [this](unsigned context) -> const PixelInputs& {
        return pixel_inputs_.get(pixel_registers_, context, [this](const auto& registers) {
            return decode_pixel_inputs(spec_.map, registers);
        });
    };
    for (unsigned e = 0; e < spec_.shader_engines; ++e) {
        PixelEngine& engine = *pixel_engines_[e];
        progress |= engine.send(now, exports_.colours(e), to_rb[e]);
        progress |= engine.take(now, inputs, state_.graphics.last_draw);
        while (!engine.waves().empty() && engine.waves().front().pixels.live == 0) {
            pixels_taken(e, engine.waves().front().pixels);
            engine.waves().pop_front();
            progress = true;
        }
    }
    return progress;
}

// Releases parameters and ends the draw as the wave says. Parameters are released when no engine
// has a later pixel that reads them.
void SpiCore::pixels_taken(unsigned engine, const PixelWave& wave) {
    GraphicsState& g = state_.graphics;
    g.parameters_used[engine] = {wave.draw, wave.end_of_draw ? ~0u : wave.free_through};
    uint32_t through = ~0u;
    for (unsigned e = 0; e < spec_.shader_engines; ++e) {
        const auto& [draw, used] = g.parameters_used[e];
        if (pixel_engines_[e]->has_any())
            through = std::min(through, draw > wave.draw ? ~0u : draw == wave.draw ? used : 0u);
    }
    exports_.free_parameters_through(wave.draw, through);
    if (!wave.end_of_draw)
        return;
    LiveDraw& draw = *find_draw(wave.draw);
    draw.pixel_engines |= 1u << engine;
    for (unsigned e = 0; e < spec_.shader_engines; ++e)
        if (pixel_engines_[e]->has_any() && (draw.pixel_engines >> e & 1) == 0)
            return;
    draw.pixels_done = true;
    retire_draws();
}

uint32_t SpiCore::next_pixel_wave() {
    GraphicsState& g = state_.graphics;
    const auto& max = spec_.map.SPI_PS_MAX_WAVE_ID;
    const uint32_t last = max.MAX_WAVE_ID(g.config[config_index(max)]);
    const uint32_t id = g.ps_waves;
    g.ps_waves = id >= last ? 0 : id + 1;
    return id;
}

void SpiCore::check_pixel_lds(const StageProgram& p, const PixelWave& pixels) const {
    const uint32_t lds = pixel_lds_bytes(p, pixels);
    if (lds > spec_.cu.lds_max_per_group)
        throw MachineStop(StopKind::BadInput, "draw " + std::to_string(pixels.draw) + " PS",
                          std::to_string(p.all_attributes()) + " attributes of " +
                              std::to_string(primitives_of(pixels)) +
                              " primitives and EXTRA_LDS_SIZE take " + std::to_string(lds) +
                              " bytes of LDS, at most " +
                              std::to_string(spec_.cu.lds_max_per_group));
}

// The engines in turn.
SpiCore::Placement SpiCore::place_pixels(Cycle now) {
    Placement refused = Placement::Waiting;
    for (unsigned n = 0; n < spec_.shader_engines; ++n) {
        const unsigned e = (state_.graphics.next_pixel_engine + n) % spec_.shader_engines;
        if (pixel_engines_[e]->waves().empty())
            continue;
        const Placement placement = place_pixels(now, e);
        if (placement == Placement::Placed) {
            state_.graphics.next_pixel_engine = (e + 1) % spec_.shader_engines;
            return placement;
        }
        if (placement != Placement::Waiting)
            refused = placement;
    }
    return refused;
}

// All parameters that the wave reads have been exported.
bool SpiCore::has_parameters(const StageProgram& p, const PixelWave& pixels,
                             const LiveDraw& draw) const {
    if (p.attributes == 0 || draw.vertices_ended())
        return true;
    for (unsigned n = 0; n < primitives_of(pixels); ++n)
        for (unsigned k = 0; k < std::min<unsigned>(pixels.primitive[n].vertices, 3); ++k)
            if (!exports_.parameters_ready(pixels.draw, pixels.primitive[n].wave[k]))
                return false;
    return true;
}

SpiCore::Placement SpiCore::place_pixels(Cycle now, unsigned engine) {
    PixelEngine::Wave& next = pixel_engines_[engine]->waves().front();
    const PixelWave& pixels = next.pixels;
    LiveDraw& draw = *find_draw(pixels.draw);
    const StageProgram& p = program_of(draw, ShaderStage::Ps);
    if (!has_parameters(p, pixels, draw))
        return Placement::Waiting;
    check_pixel_lds(p, pixels);
    const int slot = scratch_slot(p);
    if (slot < 0)
        return Placement::NoScratch;
    if (exports_.colours(engine).vectors() + p.color_vectors() > spec_.color_vectors)
        return Placement::NoColorRoom;
    if (!find_room(p, engine, 1, p.vgprs, p.sgprs, pixel_lds_bytes(p, pixels)))
        return no_room_on(engine);
    StageProgress& stage = draw.stages[index_of(ShaderStage::Ps)];
    ++stage.live;
    ++state_.graphics.waves_live;
    LiveWave wave;
    wave.scratch = p.scratch;
    wave.scratch_slot = static_cast<uint32_t>(slot);
    wave.stage = ShaderStage::Ps;
    wave.draw = pixels.draw;
    wave.number = wave.arrived = stage.arrived++;
    WaveLaunch launch = make_pixel_wave(p, pixels, exports_, wave.number, next_pixel_wave(),
                                        static_cast<uint32_t>(slot), data_);
    count_pixels(pixels);
    next.packed->wave = wave.number;
    exports_.open_pixels(next.packed, p);
    launch_graphics(now, launch, wave, grant_.cu, grant_.group_slot, grant_.lds, grant_.waves[0],
                    data_);
    pixels_taken(engine, pixels);
    pixel_engines_[engine]->waves().pop_front();
    return Placement::Placed;
}

}  // namespace archipelago::spi
