// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/functional_graphics.h"

#include <string>

#include "models/common/error.h"

namespace archipelago::gcn {

FunctionalGraphics::FunctionalGraphics(spi::SpiCore& spi, cu::FunctionalCu& cu,
                                       cu::FunctionalStats& stats)
    : spi_(spi), cu_(cu), stats_(stats), exports_(spi.spec().shader_engines, 0, 0) {
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
            if (!pixels_)
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
        exports_.take_back({vertices.draw, vertices.wave, true, !pixels_});
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

void FunctionalGraphics::run(const PixelWave& pixels) {
    if (pixels.live != 0) {
        begin(pixels.draw);
        const spi::StageProgram& p = program(pixels.draw, ShaderStage::Ps);
        const uint32_t number = pixel_waves_[pixels.draw]++;
        const uint32_t id = spi_.next_pixel_wave();
        const WaveLaunch launch = spi::make_pixel_wave(p, pixels, exports_, number, id, 0, data_);
        spi_.check_pixel_lds(p, pixels);
        exports_.open_pixels(pixels.draw, number);
        ++waves_;
        spi_.count_wave(ShaderStage::Ps);
        cu_.run_group(&launch, 1, stats_);
        exports_.ended(ShaderStage::Ps, pixels.draw, number);
    }
    exports_.free_parameters_through(pixels.draw, pixels.free_through);
    if (pixels.end_of_draw)
        end_draw(pixels.draw);
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
