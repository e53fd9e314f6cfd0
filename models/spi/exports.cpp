// SPDX-License-Identifier: Apache-2.0
#include "models/spi/exports.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/common/text.h"
#include "models/gcn/wave_name.h"

namespace archipelago::spi {
namespace {

using namespace export_target;

bool is_position(unsigned target) {
    return target >= kPosition && target < kPositionEnd;
}

// Writes the components that are enabled, of the lanes that are active.
void merge(const ExportMessage& m, VertexExports::Vector& to) {
    for (unsigned k = 0; k < 4; ++k) {
        if ((m.enabled >> k & 1) == 0)
            continue;
        for (unsigned lane = 0; lane < ExportMessage::kLanes; ++lane)
            if ((m.exec >> lane & 1) != 0)
                to[k][lane] = m.data[k][lane];
    }
}

}  // namespace

ExportBuffers::ExportBuffers(unsigned engines, unsigned positions, unsigned parameters)
    : engines_(engines), positions_(positions), parameters_(parameters), colours_(engines) {
    reset();
}

void ExportBuffers::reset() {
    state_ = ExportState{};
    state_.engines.resize(engines_);
    for (PixelExportBuffer& colours : colours_)
        colours.reset();
}

PixelExportBuffer* ExportBuffers::colours_of(uint32_t draw, uint32_t wave) {
    for (PixelExportBuffer& colours : colours_)
        if (colours.has(draw, wave))
            return &colours;
    return nullptr;
}

bool ExportBuffers::room(unsigned engine, unsigned positions, unsigned parameters) const {
    const ExportState::Engine& e = state_.engines[engine];
    return (positions_ == 0 || e.positions + positions <= positions_) &&
           (parameters_ == 0 || e.parameters + parameters <= parameters_);
}

// Waves that run late come first.
bool ExportBuffers::has_room(unsigned engine, const StageProgram& vs) const {
    return state_.late == 0 && room(engine, vs.positions, vs.parameters);
}

void ExportBuffers::take_space(ExportState::Vertices& v) {
    ExportState::Engine& e = state_.engines[v.shader_engine];
    e.positions += v.positions;
    e.parameters += v.parameters;
    v.space = true;
    v.position.assign(v.positions, {});
    v.parameter.assign(v.parameters, {});
}

void ExportBuffers::open(const VertexWave& wave, const StageProgram& vs, bool late) {
    ExportState::Vertices v;
    v.context = wave.context;
    v.shader_engine = static_cast<uint8_t>(engine_of(wave.shader_engine));
    v.lanes = wave.lanes;
    v.position_mask = vs.position_mask;
    v.positions = vs.positions;
    v.parameters = vs.parameters;
    if (late)
        ++state_.late;
    else
        take_space(v);
    if (!state_.vertices.emplace(ExportState::Key{wave.draw, wave.wave}, std::move(v)).second)
        throw MachineStop(StopKind::Protocol, "draw " + std::to_string(wave.draw),
                          "VS wave " + std::to_string(wave.wave) + " comes twice");
}

bool ExportBuffers::grant_space() {
    bool given = false;
    for (auto& [key, v] : state_.vertices) {
        if (state_.late == 0)
            break;
        if (v.space)
            continue;
        if (!room(v.shader_engine, v.positions, v.parameters))
            break;
        take_space(v);
        --state_.late;
        given = true;
        std::deque<ExportMessage> waiting;
        waiting.swap(v.waiting);
        for (const ExportMessage& m : waiting)
            write(m, key, v);
        if (v.ended) {
            ended(ShaderStage::Vs, key.first, key.second);
            return true;  // it may be gone
        }
    }
    return given;
}

void ExportBuffers::take(const ExportMessage& m) {
    const ExportState::Key key{m.wave.dispatch, m.wave.group};
    if (m.wave.stage == ShaderStage::Vs) {
        const auto it = state_.vertices.find(key);
        if (it == state_.vertices.end())
            throw MachineStop(StopKind::Protocol, "exports", "an export of a wave not launched");
        ExportState::Vertices& v = it->second;
        if (m.target != kNull && m.target < kPosition)
            refuse_export(m, "a VS wave exports to target " + std::to_string(m.target) +
                                 ", which is a pixel's");
        if (m.target == kNull) {
            ++state_.counters.nulls;
            return;
        }
        if (v.space)
            write(m, key, v);
        else
            v.waiting.push_back(m);
        return;
    }
    PixelExportBuffer* const colours =
        m.wave.stage == ShaderStage::Ps ? colours_of(key.first, key.second) : nullptr;
    if (colours == nullptr)
        refuse_export(m, std::string("exports are for VS and PS waves, this is one of ") +
                             stage_name(m.wave.stage));
    colours->take(m);
    ++(m.target == kNull    ? state_.counters.nulls
       : m.target == kDepth ? state_.counters.depths
                            : state_.counters.colors);
}

void ExportBuffers::completed(const ExportState::Key& key, ExportState::Vertices& v) {
    v.complete = true;
    state_.complete.push_back(key);
}

void ExportBuffers::write(const ExportMessage& m, const ExportState::Key& key,
                          ExportState::Vertices& v) {
    if (is_position(m.target)) {
        const unsigned n = m.target - kPosition;
        if ((v.position_mask >> n & 1) == 0)
            refuse_export(m, "POS" + std::to_string(n) + " has no format in SPI_SHADER_POS_FORMAT");
        if (v.complete)
            refuse_export(m, "a position behind the one marked as last");
        if (m.compressed)
            refuse_export(m, "a compressed position");
        merge(m, v.position[__builtin_popcount(v.position_mask & ((1u << n) - 1))]);
        ++state_.counters.positions;
        if (m.done)
            completed(key, v);
        return;
    }
    if (m.target < kParameter || m.target >= 64)
        refuse_export(m, "there is no target " + std::to_string(m.target));
    const unsigned n = m.target - kParameter;
    if (n >= v.parameters)
        refuse_export(m, "parameter " + std::to_string(n) +
                             ", SPI_VS_OUT_CONFIG.VS_EXPORT_COUNT has " +
                             std::to_string(v.parameters));
    if (m.compressed)
        refuse_export(m, "a compressed parameter");
    merge(m, v.parameter[n]);
    ++state_.counters.parameters;
}

void ExportBuffers::ended(ShaderStage stage, uint32_t draw, uint32_t wave) {
    const ExportState::Key key{draw, wave};
    if (stage == ShaderStage::Ps) {
        if (PixelExportBuffer* const colours = colours_of(draw, wave))
            colours->ended(draw, wave);
        return;
    }
    const auto it = state_.vertices.find(key);
    if (stage != ShaderStage::Vs || it == state_.vertices.end())
        return;
    ExportState::Vertices& v = it->second;
    v.ended = true;
    if (!v.space)
        return;  // retried by grant_space()
    if (v.positions != 0 && !v.complete)
        throw MachineStop(StopKind::BadInput, wave_name(stage, draw, wave),
                          "ended without its last position export (DONE)");
    if (!v.complete)
        completed(key, v);
    if (v.parameters_unwanted)
        release_parameters(v);
    remove_if_done(it);
}

VertexExports ExportBuffers::send() {
    const ExportState::Key key = state_.complete.front();
    state_.complete.pop_front();
    const ExportState::Vertices& v = state_.vertices.at(key);
    VertexExports out;
    out.context = v.context;
    out.shader_engine = v.shader_engine;
    out.lanes = v.lanes;
    out.draw = key.first;
    out.wave = key.second;
    out.position = v.position;
    return out;
}

void ExportBuffers::release_position(ExportState::Vertices& v) {
    state_.engines[v.shader_engine].positions -= v.positions;
    v.position_free = true;
    v.position.clear();
}

void ExportBuffers::release_parameters(ExportState::Vertices& v) {
    state_.engines[v.shader_engine].parameters -= v.parameters;
    v.parameters_free = true;
    v.parameter.clear();
}

bool ExportBuffers::remove_if_done(std::map<ExportState::Key, ExportState::Vertices>::iterator it) {
    if (!it->second.ended || !it->second.position_free || !it->second.parameters_free)
        return false;
    state_.vertices.erase(it);
    return true;
}

bool ExportBuffers::take_back(const ExportFree& f) {
    const auto it = state_.vertices.find({f.draw, f.wave});
    if (it == state_.vertices.end())
        return false;
    ExportState::Vertices& v = it->second;
    // An export that has not arrived cannot be released.
    if (!v.complete || (f.position && v.position_free) ||
        (f.parameters && (v.parameters_free || v.parameters_unwanted)))
        return false;
    if (f.position)
        release_position(v);
    if (f.parameters && v.ended)
        release_parameters(v);
    else if (f.parameters)
        v.parameters_unwanted = true;
    remove_if_done(it);
    return true;
}

void ExportBuffers::free_parameters_through(uint32_t draw, uint32_t wave) {
    for (auto it = state_.vertices.lower_bound({draw, 0});
         it != state_.vertices.end() && it->first.first == draw && it->first.second < wave;) {
        const auto here = it++;
        if (here->second.parameters_free)
            continue;
        if (here->second.ended && here->second.space) {
            release_parameters(here->second);
            remove_if_done(here);
        } else {
            here->second.parameters_unwanted = true;
        }
    }
}

void ExportBuffers::forget(uint32_t draw) {
    for (auto it = state_.vertices.lower_bound({draw, 0});
         it != state_.vertices.end() && it->first.first == draw;) {
        ExportState::Vertices& v = it->second;
        if (!v.space)
            --state_.late;
        if (v.space && !v.position_free)
            release_position(v);
        if (v.space && !v.parameters_free)
            release_parameters(v);
        it = state_.vertices.erase(it);
    }
    auto& waiting = state_.complete;
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                                 [&](const ExportState::Key& key) { return key.first == draw; }),
                  waiting.end());
}

const std::vector<VertexExports::Vector>* ExportBuffers::parameters(uint32_t draw,
                                                                    uint32_t wave) const {
    const auto it = state_.vertices.find({draw, wave});
    return it == state_.vertices.end() || it->second.parameters_free ? nullptr
                                                                     : &it->second.parameter;
}

bool ExportBuffers::parameters_ready(uint32_t draw, uint32_t wave) const {
    const auto it = state_.vertices.find({draw, wave});
    return it != state_.vertices.end() && it->second.ended && it->second.space;
}

std::string ExportBuffers::waiting_for() const {
    if (state_.vertices.empty())
        return {};
    unsigned positions = 0, parameters = 0;
    for (const ExportState::Engine& e : state_.engines) {
        positions += e.positions;
        parameters += e.parameters;
    }
    const auto& [key, v] = *state_.vertices.begin();
    return "exports of " + std::to_string(state_.vertices.size()) +
           " VS waves hold the position buffer (" + std::to_string(positions) +
           " vectors) and the parameter cache (" + std::to_string(parameters) +
           "), the oldest of draw " + std::to_string(key.first) + " wave " +
           std::to_string(key.second) +
           (!v.space      ? ", which runs without space"
            : !v.complete ? ", whose last position has not come"
            : !v.ended    ? ", which has not ended"
                          : ", not given back by the primitive side");
}

}  // namespace archipelago::spi
