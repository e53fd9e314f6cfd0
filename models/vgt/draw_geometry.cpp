// SPDX-License-Identifier: Apache-2.0
// The geometry shader stages of DrawEngine: ES waves write vertices to the ESGS ring, GS waves read
// them and write what they emit to the GSVS ring, copy-shader VS waves read that.
//
// Layout of the rings: as Mesa's radeonsi describes them to the shaders of this generation. ES: the
// dwords of a wave's lanes lie side by side, so lane i of a wave at byte B begins at dword
// B / 4 + i. GS: a stream's area holds records of VERT_ITEMSIZE * MAX_VERT_OUT dwords for each
// lane, the dwords of 16 lanes side by side.
#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/common/text.h"
#include "models/gcn/wave_name.h"
#include "models/vgt/draw_engine.h"

namespace archipelago::vgt {
namespace {

constexpr unsigned kSideBySide = 16;  // lanes of a GS wave

PrimType out_type(uint8_t type) {
    return type == 0 ? PrimType::PointList : type == 1 ? PrimType::LineStrip : PrimType::TriStrip;
}

std::string sender(const WaveIdentity& wave) {
    return wave_name(wave) + " pc " + hex(wave.pc);
}

}  // namespace

// Waves take the places of a ring in turn, so that what is left in memory does not depend on time.
bool DrawEngine::take_slot(std::vector<bool>& slots, uint32_t wave, uint32_t& slot) {
    slot = static_cast<uint32_t>(wave % slots.size());
    if (slots[slot])
        return false;
    slots[slot] = true;
    return true;
}

void DrawEngine::place_es(unsigned engine, const VertexInput* vertices, unsigned n,
                          uint32_t primitive, uint32_t instance) {
    // An ES wave whose vertices are used over and over ends after some GS waves.
    if (gs_of_es_[engine] >= draw_.gs.per_es || !es_[engine].fits(vertices, n))
        end_es(engine);
    std::array<uint8_t, 6> at{};
    uint64_t& reused = draw_.tess.enabled ? carry.reused_ds : carry.reused_es;
    reused += es_[engine].add(vertices, n, at.data());
    GsWave& gs = gs_open_[engine];
    for (uint32_t i = 0; i < draw_.gs.instances; ++i) {
        if (gs.wave.lanes == VertexWave::kLanes)
            end_gs(engine);
        if (gs.wave.lanes == 0) {
            gs = {};
            gs.wave.stage = ShaderStage::Gs;
            gs.wave.context = draw_.context;
            gs.wave.shader_engine = static_cast<uint8_t>(engine);
            gs.wave.draw = draw_.number;
        }
        const unsigned lane = gs.wave.lanes++;
        static constexpr unsigned kOffset[6] = {0, 1, 3, 4, 5, 6};
        for (unsigned v = 0; v < n; ++v)
            gs.wave.vgpr[kOffset[v]][lane] = at[v];
        gs.wave.vgpr[2][lane] = primitive;
        gs.wave.vgpr[7][lane] = i;
        gs.lanes.emplace_back();
        gs.lanes.back().primitive = primitive;
        gs.lanes.back().instance = instance;
        ++gs_of_es_[engine];
    }
    count(&PipelineCounts::gs, draw_.gs.instances);
}

// The ES wave that is being filled ends, and with it the GS wave that reads it.
void DrawEngine::end_es(unsigned engine) {
    if (!es_[engine].filling())
        return;
    end_gs(engine);
    EsWave es;
    es.wave = es_[engine].end();
    es.wave.wave = next_es_++;
    count(draw_.tess.enabled ? &PipelineCounts::ds : &PipelineCounts::vs, es.wave.lanes);
    for (GsWave& gs : gs_waves_) {
        if (gs.es == kNone && gs.wave.shader_engine == engine) {
            gs.es = es.wave.wave;
            ++es.readers;
        }
    }
    if (pointing_ != nullptr) {
        es_owner_[es.wave.wave] = pointing_->number;
        ++pointing_->left;
        es.wave.tess_offchip_offset = offchip_offset(*pointing_);
    }
    es_waves_.push_back(es);
    gs_of_es_[engine] = 0;
}

void DrawEngine::end_gs(unsigned engine) {
    if (gs_open_[engine].wave.lanes == 0)
        return;
    gs_waves_.push_back(gs_open_[engine]);
    gs_open_[engine] = {};
}

// SPI launches a GS wave after the ES waves that were sent before it, and copy shader waves after
// GS waves.
void DrawEngine::advance_geometry() {
    const uint64_t es_bytes = uint64_t{draw_.gs.es_item} * 4 * VertexWave::kLanes;
    const uint64_t gs_bytes = uint64_t{draw_.gs.gs_item} * 4 * VertexWave::kLanes;
    const auto free = [](std::vector<bool>& slots, auto& list, auto through) {
        for (auto it = list.begin(); it != list.end();) {
            if (!through(*it)) {
                ++it;
                continue;
            }
            slots[it->slot] = false;
            it = list.erase(it);
        }
    };
    free(es_slots_, es_waves_, [](const EsWave& es) { return es.sent && es.readers == 0; });
    free(gs_slots_, gs_waves_, [](const GsWave& gs) { return gs.produced && gs.vs_left == 0; });
    // An ES wave and the GS waves that read it leave together, in the order of the ES waves: so
    // those that wait for room never hold what those before them need.
    for (EsWave& es : es_waves_) {
        if (!es.sent) {
            if (!take_slot(es_slots_, es.wave.wave, es.slot))
                break;
            es.sent = true;
            es.wave.es2gs_offset = static_cast<uint32_t>(es.slot * es_bytes);
            waves.push_back(es.wave);
        }
        bool held = false;
        for (GsWave& gs : gs_waves_) {
            if (gs.sent || gs.es != es.wave.wave)
                continue;
            if (!take_slot(gs_slots_, next_gs_, gs.slot)) {
                held = true;
                break;
            }
            gs.sent = true;
            gs.wave.wave = gs.wave.gs_wave = next_gs_++;
            gs.wave.gs2vs_offset = static_cast<uint32_t>(gs.slot * gs_bytes);
            const uint32_t base = static_cast<uint32_t>(es.slot * es_bytes / 4);
            for (const unsigned v : {0u, 1u, 3u, 4u, 5u, 6u})
                for (unsigned lane = 0; lane < gs.wave.lanes; ++lane)
                    gs.wave.vgpr[v][lane] += base;
            waves.push_back(gs.wave);
        }
        if (held)
            break;
    }
    // Copies go in the order of the GS waves.
    bool through = false;
    for (uint32_t next = next_copy_; next < next_gs_; ++next) {
        const auto gs = std::find_if(gs_waves_.begin(), gs_waves_.end(), [&](const GsWave& g) {
            return g.sent && g.wave.wave == next;
        });
        if (!gs->done)
            break;
        produce(*gs);
        ++next_copy_;
        through |= gs->vs_left == 0;
    }
    if (through)  // its part of the ring is free at once
        advance_geometry();
}

void DrawEngine::message(const ShaderMessage& m) {
    const auto found = std::find_if(gs_waves_.begin(), gs_waves_.end(), [&](const GsWave& gs) {
        return gs.sent && !gs.done && (gs.wave.gs_wave & 0xFFFF) == (m.m0 & 0xFFFF);
    });
    if (found == gs_waves_.end())
        throw MachineStop(
            StopKind::BadInput, sender(m.wave),
            "s_sendmsg of GS wave " + std::to_string(m.m0 & 0xFFFF) + ", which does not run");
    GsWave& gs = *found;
    const unsigned stream = m.stream % kStreams;
    for (unsigned lane = 0; lane < gs.lanes.size(); ++lane) {
        if ((m.exec >> lane & 1) == 0)
            continue;
        GsLane& l = gs.lanes[lane];
        if ((m.operation & 2) != 0 && l.emitted[stream] < draw_.gs.max_vertices)
            ++l.emitted[stream];
        if ((m.operation & 1) != 0)
            l.cuts[stream].push_back(l.emitted[stream]);
    }
    if (m.kind == ShaderMessage::Kind::GsDone) {
        gs.done = true;
        ++carry.gs_done;
        for (EsWave& es : es_waves_)
            es.readers -= es.wave.wave == gs.es ? 1 : 0;
        advance();
    }
}

// Emitted vertices become primitives of VS waves, stream by stream and lane by lane.
void DrawEngine::produce(GsWave& gs) {
    gs.produced = true;
    producing_ = &gs;
    const unsigned engine = gs.wave.shader_engine;
    for (unsigned stream = 0; stream < kStreams; ++stream) {
        if (!streamout_.enabled(stream) && stream != draw_.gs.raster_stream)
            continue;
        // Vertices of a strip are at most two apart.
        begin_vs(stream, spec_.reuse_most);
        const uint32_t record = draw_.gs.vertex[stream] * draw_.gs.max_vertices;
        for (unsigned lane = 0; lane < gs.lanes.size(); ++lane) {
            const GsLane& l = gs.lanes[lane];
            const uint32_t base = gs.wave.gs2vs_offset / 4 +
                                  draw_.gs.offset[stream] * VertexWave::kLanes +
                                  lane / kSideBySide * kSideBySide * record + lane % kSideBySide;
            PrimitiveDecoder decoder(out_type(draw_.gs.out_type[stream]), 0, draw_.provoking);
            size_t cut = 0;
            for (uint32_t v = 0; v < l.emitted[stream]; ++v) {
                while (cut < l.cuts[stream].size() && l.cuts[stream][cut] <= v) {
                    decoder.finish();
                    ++cut;
                }
                const Primitives list = decoder.push(base + v * kSideBySide);
                for (unsigned i = 0; i < list.count; ++i) {
                    std::array<VertexInput, 3> in;
                    for (unsigned k = 0; k < list.list[i].count; ++k) {
                        in[k].key = list.list[i].vertex[k];
                        in[k].vgpr = {list.list[i].vertex[k], 0, 0, 0};
                    }
                    count(&PipelineCounts::gs_primitives, 1);
                    place_vs(engine, in.data(), list.list[i].count,
                             to_message(list.list[i], l.primitive, l.instance), stream);
                }
            }
        }
        end_vs(engine);
    }
    producing_ = nullptr;
}

}  // namespace archipelago::vgt
