// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/functional_graphics.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"

namespace archipelago::gcn {

FunctionalGraphics::FunctionalGraphics(spi::SpiCore& spi, cu::FunctionalCu& cu,
                                       cu::FunctionalStats& stats)
    : spi_(spi),
      cu_(cu),
      stats_(stats),
      exports_(spi.spec().shader_engines, 0, 0),
      packers_(spi.spec().shader_engines),
      oldest_(spi.spec().shader_engines, 0) {
    spi_.from_vgt();  // the caller of run()
}

const spi::StageProgram& FunctionalGraphics::program(uint32_t draw, ShaderStage stage) {
    const spi::StageProgram* p = spi_.program(draw, stage);
    if (p == nullptr)
        throw MachineStop(StopKind::Protocol, "functional mode",
                          std::string("a ") + spi::stage_name(stage) + " wave of draw " +
                              std::to_string(draw) + ", which is not in flight");
    return *p;
}

// Programs may have been written since the draw before.
void FunctionalGraphics::begin(uint32_t draw) {
    if (draw == current_draw_)
        return;
    current_draw_ = draw;
    cu_.new_dispatch();
}

void FunctionalGraphics::run(const VgtMessage& message) {
    switch (message.kind) {
        case VgtMessage::Kind::Wave: {
            begin(message.draw);
            const VertexWave& wave = message.wave;
            const bool tessellation =
                wave.stage == ShaderStage::Ls || wave.stage == ShaderStage::Hs;
            if (tessellation && wave.waves_in_group > 1)
                add_to_group(wave);
            else
                run_wave(wave);
            break;
        }
        case VgtMessage::Kind::Event:
            break;
        case VgtMessage::Kind::DrawEnd: {
            const auto group = groups_.lower_bound({message.draw, 0});
            if (group != groups_.end() && group->first.first == message.draw)
                throw MachineStop(StopKind::Protocol,
                                  "draw " + std::to_string(message.draw) + " group " +
                                      std::to_string(group->first.second),
                                  "VGT ends the draw before all waves of the group have come");
            if (registers_ == nullptr)
                end_draw(message.draw);
            break;
        }
    }
}

void FunctionalGraphics::end_draw(uint32_t draw) {
    spi_.end_draw(draw);
    exports_.forget(draw);
    pixel_waves_.erase(draw);
}

void FunctionalGraphics::run_wave(const VertexWave& wave) {
    const spi::StageProgram& p = program(wave.draw, wave.stage);
    const WaveLaunch launch = spi::make_vertex_wave(p, wave, 0, data_);
    if (wave.stage == ShaderStage::Vs)
        exports_.open(wave, p, false);
    ++waves_;
    spi_.count_wave(wave.stage);
    cu_.run_group(&launch, 1, stats_);
    exports_.ended(wave.stage, wave.draw, wave.wave);
    while (exports_.any_complete()) {
        VertexExports vertices = exports_.send();
        exports_.take_back({vertices.draw, vertices.wave, true, registers_ == nullptr});
        if (on_vertices)
            on_vertices(std::move(vertices));
    }
}

// LS waves run when all of the group have come, then its HS waves.
void FunctionalGraphics::add_to_group(const VertexWave& wave) {
    const std::pair<uint32_t, uint32_t> key{wave.draw, wave.group};
    std::vector<VertexWave>& group = groups_[key];
    group.push_back(wave);
    if (group.size() < wave.waves_in_group)
        return;
    std::vector<VertexWave> waves;
    waves.swap(group);
    groups_.erase(key);
    const uint32_t lds_bytes = program(wave.draw, ShaderStage::Ls).lds_bytes;
    run_stage(waves, ShaderStage::Ls, lds_bytes);
    run_stage(waves, ShaderStage::Hs, lds_bytes);
}

void FunctionalGraphics::run_stage(std::vector<VertexWave>& waves, ShaderStage stage,
                                   uint32_t lds_bytes) {
    std::vector<LaunchData> data(waves.size());
    std::vector<WaveLaunch> launches;
    for (size_t i = 0; i < waves.size(); ++i) {
        if (waves[i].stage != stage)
            continue;
        const auto n = static_cast<uint32_t>(launches.size());
        WaveLaunch launch =
            spi::make_vertex_wave(program(waves[i].draw, stage), waves[i], n, data[i]);
        launch.lds_bytes = lds_bytes;
        launch.keeps_lds = stage == ShaderStage::Hs;
        launch.simd = static_cast<uint8_t>(n % 4);
        launch.slot = static_cast<uint8_t>(n / 4);
        launches.push_back(launch);
        spi_.count_wave(stage);
    }
    waves_ += launches.size();
    if (!launches.empty())
        cu_.run_group(launches.data(), static_cast<unsigned>(launches.size()), stats_);
}

void FunctionalGraphics::run(const raster::QuadBatch& batch) {
    using Kind = raster::Primitive::Kind;
    if (batch.primitive.kind == Kind::Primitive)
        return pack(batch);
    if (batch.primitive.kind == Kind::Release) {
        next_primitive(batch.primitive);
        parameters_.through = std::max(parameters_.through, batch.primitive.free_through);
        return free_parameters();
    }
    for (spi::PixelPacker& packer : packers_)
        if (!packer.empty())
            run(packer);
    if (batch.primitive.kind == Kind::DrawEnd)
        end_draw(batch.primitive.draw);
}

void FunctionalGraphics::pack(const raster::QuadBatch& batch) {
    const raster::Primitive& primitive = batch.primitive;
    const unsigned engine = std::min<size_t>(batch.shader_engine, packers_.size() - 1);
    spi::PixelPacker& packer = packers_[engine];
    const spi::PixelInputs& inputs =
        inputs_.get(*registers_, primitive.context, [this](const raster::RegisterView& view) {
            return spi::decode_pixel_inputs(spi_.spec().map, view);
        });
    next_primitive(primitive);
    if (packer.empty())
        oldest_[engine] = parameters_.through;
    while (!packer.add(batch, inputs)) {
        run(packer);
        oldest_[engine] = parameters_.through;
    }
    if (packer.full())
        run(packer);
    free_parameters();
}

void FunctionalGraphics::next_primitive(const raster::Primitive& primitive) {
    ParametersInUse& p = parameters_;
    if (p.draw != primitive.draw)
        p = {primitive.draw, primitive.number, 0, 0, 0};
    if (p.primitive != primitive.number)
        p.through = std::max(p.through, p.after_primitive);
    p.primitive = primitive.number;
    p.after_primitive = primitive.free_through;
}

void FunctionalGraphics::free_parameters() {
    uint32_t through = parameters_.through;
    for (size_t engine = 0; engine < packers_.size(); ++engine)
        if (!packers_[engine].empty())
            through = std::min(through, oldest_[engine]);
    if (through <= parameters_.freed)
        return;
    exports_.free_parameters_through(parameters_.draw, through);
    parameters_.freed = through;
}

void FunctionalGraphics::run(spi::PixelPacker& packer) {
    const PixelWave& pixels = packer.finish();
    begin(pixels.draw);
    const spi::StageProgram& p = program(pixels.draw, ShaderStage::Ps);
    const uint32_t number = pixel_waves_[pixels.draw]++;
    const uint32_t id = spi_.next_pixel_wave();
    const WaveLaunch launch = spi::make_pixel_wave(p, pixels, exports_, number, id, 0, data_);
    spi_.check_pixel_lds(p, pixels);
    spi_.count_pixels(pixels);
    packer.packed()->wave = number;
    exports_.open_pixels(packer.packed(), p);
    const unsigned engine = pixels.shader_engine;
    const uint32_t draw = pixels.draw;
    packer.clear();
    ++waves_;
    spi_.count_wave(ShaderStage::Ps);
    cu_.run_group(&launch, 1, stats_);
    exports_.ended(ShaderStage::Ps, draw, number);
    spi::PixelExportBuffer& colours = exports_.colours(engine);
    while (colours.ready()) {
        colours.next(shaded_);
        if (on_shaded)
            on_shaded(shaded_);
    }
}

std::string FunctionalGraphics::waiting_for() const {
    if (groups_.empty())
        return {};
    const auto& [key, waves] = *groups_.begin();
    return "group " + std::to_string(key.second) + " of draw " + std::to_string(key.first) +
           " has " + std::to_string(waves.size()) + " of its " +
           std::to_string(waves.front().waves_in_group) + " waves";
}

}  // namespace archipelago::gcn
