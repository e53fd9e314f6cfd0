// SPDX-License-Identifier: Apache-2.0
// The buffers waves export to: position buffer, parameter cache and colour buffer of each shader
// engine. Space for vertices is counted in vectors: four components of the 64 lanes of a wave.
// Untimed: the timed SPI and the functional mode share it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/gcn/draw_message.h"
#include "models/gcn/export_message.h"
#include "models/spi/graphics.h"
#include "models/spi/pixel_exports.h"

namespace archipelago::spi {

struct ExportCounters {
    uint64_t positions = 0, parameters = 0, colors = 0, depths = 0, nulls = 0;
};

// Plain and serialisable.
struct ExportState {
    struct Engine {
        unsigned positions = 0, parameters = 0;  // vectors taken
    };
    // The exports of one wave.
    struct Vertices {
        uint8_t context = 0, shader_engine = 0, lanes = 0;
        uint8_t position_mask = 0;
        uint8_t positions = 0, parameters = 0;  // vectors it needs
        bool space = false;                     // has them
        bool complete = false;                  // the last position has come
        bool ended = false;                     // the wave
        bool position_free = false, parameters_free = false;
        bool parameters_unwanted = false;  // released before the wave has ended
        std::vector<VertexExports::Vector> position, parameter;
        std::deque<ExportMessage> waiting;  // came before there was space
    };
    using Key = std::pair<uint32_t, uint32_t>;  // draw, wave
    std::vector<Engine> engines;
    std::map<Key, Vertices> vertices;
    std::deque<Key> complete;  // positions to be sent
    unsigned late = 0;         // waves that run without space
    ExportCounters counters;
};

class ExportBuffers : public ParameterSource {
  public:
    // Vectors of each shader engine; 0: no limit.
    ExportBuffers(unsigned engines, unsigned positions, unsigned parameters);
    void reset();

    bool has_room(unsigned engine, const StageProgram& vs) const;
    // Whether its parameters alone have.
    bool has_parameter_room(unsigned engine, const StageProgram& vs) const {
        return room(engine, 0, vs.parameters);
    }
    // A wave is launched. `late`: without space, which it gets by grant_space().
    void open(const VertexWave& wave, const StageProgram& vs, bool late);
    // PixelExportBuffer::open(), of the wave's engine.
    void open_pixels(std::unique_ptr<PackedWave>& packed, const StageProgram& ps) {
        colours_[engine_of(packed->shader_engine)].open(packed, ps);
    }
    PixelExportBuffer& colours(unsigned engine) { return colours_[engine_of(engine)]; }
    const PixelExportBuffer& colours(unsigned engine) const { return colours_[engine_of(engine)]; }
    // Throws MachineStop(BadInput), naming wave and target, for an export the wave may not do.
    void take(const ExportMessage& message);
    // Grants space to the oldest waves that run late; whether one got it.
    bool grant_space();
    // The wave has ended and all its exports have been taken. Throws MachineStop(BadInput) when the
    // last export that was to come has not.
    void ended(ShaderStage stage, uint32_t draw, uint32_t wave);
    // Waves whose positions are complete, in that order.
    bool any_complete() const { return !state_.complete.empty(); }
    VertexExports send();
    // False: no such wave, or released already.
    bool take_back(const ExportFree& given_back);
    // Gives back the parameters of the draw's waves below `wave`.
    void free_parameters_through(uint32_t draw, uint32_t wave);
    void forget(uint32_t draw);

    const std::vector<VertexExports::Vector>* parameters(uint32_t draw,
                                                         uint32_t wave) const override;
    // The wave has ended, so its parameters are there.
    bool parameters_ready(uint32_t draw, uint32_t wave) const;
    const ExportState& state() const { return state_; }
    template <class Archive>
    void archive(Archive& a) {
        a(state_);
        for (PixelExportBuffer& colours : colours_)
            colours.archive(a);
    }
    std::string waiting_for() const;

  private:
    void write(const ExportMessage& message, const ExportState::Key& key, ExportState::Vertices& v);
    void completed(const ExportState::Key& key, ExportState::Vertices& v);
    void release_position(ExportState::Vertices& v);
    void release_parameters(ExportState::Vertices& v);
    bool remove_if_done(std::map<ExportState::Key, ExportState::Vertices>::iterator it);
    bool room(unsigned engine, unsigned positions, unsigned parameters) const;
    void take_space(ExportState::Vertices& v);
    unsigned engine_of(unsigned engine) const { return std::min(engine, engines_ - 1); }
    PixelExportBuffer* colours_of(uint32_t draw, uint32_t wave);

    unsigned engines_, positions_, parameters_;
    ExportState state_;
    std::vector<PixelExportBuffer> colours_;  // of each engine
};

}  // namespace archipelago::spi
