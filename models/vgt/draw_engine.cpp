// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/draw_engine.h"

#include <algorithm>

#include "models/common/error.h"

namespace archipelago::vgt {

DrawEngine::DrawEngine(const VgtSpec& spec) : spec_(spec) {
    DrawEngine::reset();
}

void DrawEngine::reset() {
    waves.clear();
    primitives.clear();
    carry = {};
    draw_ = {};
    left_ = 0;
    vs_.assign(spec_.shader_engines, {});
    es_.assign(spec_.shader_engines, {});
    held_.assign(spec_.shader_engines, {});
    gs_open_.assign(spec_.shader_engines, {});
    gs_of_es_.assign(spec_.shader_engines, 0);
    es_waves_.clear();
    gs_waves_.clear();
    patches_open_.clear();
    patch_groups_.clear();
    vs_owner_.clear();
    es_owner_.clear();
    producing_ = nullptr;
    pointing_ = nullptr;
}

void DrawEngine::begin(const Draw& draw) {
    draw_ = draw;
    decoder_ = PrimitiveDecoder(draw.type, draw.patch, draw.provoking);
    for (unsigned b = 0; b < kStreams; ++b)
        if ((draw.streamout.moved >> b & 1) != 0)
            carry.streamout.filled[b] = draw.streamout.offset[b];
    streamout_.begin(draw.streamout, carry.streamout);
    left_ = draw.indices();
    position_ = 0;
    instance_ = 0;
    first_ = draw.counted ? static_cast<uint32_t>(carry.vertices) : 0;
    if (!carry.continued)
        carry.primitive_id = draw.id_reset;
    next_vs_ = next_es_ = next_gs_ = next_copy_ = next_ls_ = next_hs_ = next_group_ = 0;
    // With a primitive number of its own no vertex is the same as that of another primitive.
    const unsigned reuse = draw.primitive_id ? 0 : draw.reuse;
    begin_vs(0, draw.tess.enabled ? spec_.reuse_most : reuse);
    for (unsigned se = 0; se < spec_.shader_engines; ++se) {
        GrouperSetup setup;
        setup.stage = ShaderStage::Es;
        setup.context = draw.context;
        setup.engine = static_cast<uint8_t>(se);
        setup.draw = draw.number;
        setup.reuse = draw.tess.enabled ? spec_.reuse_most : draw.primitive_id ? 0 : draw.gs.reuse;
        es_[se].begin(setup);
        gs_open_[se] = {};
        gs_of_es_[se] = 0;
    }
    if (draw.gs.enabled) {
        const uint64_t es = uint64_t{draw.gs.es_item} * 4 * VertexWave::kLanes;
        const uint64_t gs = uint64_t{draw.gs.gs_item} * 4 * VertexWave::kLanes;
        es_slots_.assign(std::min<uint64_t>(draw.gs.es_ring / es, spec_.ring_waves), false);
        gs_slots_.assign(std::min<uint64_t>(draw.gs.gs_ring / gs, spec_.ring_waves), false);
    }
    if (left_ == 0)
        end_input();
}

void DrawEngine::count(uint64_t PipelineCounts::*counter, uint64_t n) {
    if (carry.counts.counting)
        carry.counts.*counter += n;
}

uint32_t DrawEngine::vertex_id(uint32_t raw) const {
    return std::max(std::min(raw + draw_.index_offset, draw_.index_max), draw_.index_min);
}

bool DrawEngine::ready() const {
    if (draw_.tess.enabled && patch_groups_.size() >= spec_.patch_groups)
        return false;
    if (!draw_.gs.enabled)
        return true;
    return gs_waves_.size() < spec_.gs_waves && es_waves_.size() < spec_.gs_waves;
}

void DrawEngine::index(uint32_t raw) {
    if (draw_.source == IndexSource::Auto)
        raw = first_ + position_;
    if (draw_.reset && raw == draw_.reset_index) {
        take(decoder_.finish());
    } else {
        count(&PipelineCounts::ia_vertices, 1);
        take(decoder_.push(vertex_id(raw)));
    }
    --left_;
    if (++position_ == draw_.count) {
        take(decoder_.finish());
        end_instance();
    }
    if (left_ == 0)
        end_input();
}

void DrawEngine::end_instance() {
    position_ = 0;
    ++instance_;
    if (!draw_.keep_id && left_ != 0)
        carry.primitive_id = draw_.id_reset;
    if (draw_.switch_on_eoi)
        end_group();
}

void DrawEngine::end_input() {
    if (draw_.counted)
        carry.vertices += draw_.indices();
    carry.continued = draw_.not_eop;
    if (!draw_.not_eop)
        end_group();
    end_patches();
    advance_patches();
    if (!draw_.tess.enabled) {
        for (unsigned se = 0; se < spec_.shader_engines; ++se) {
            end_es(se);
            end_vs(se);
        }
    }
    advance();
}

// The next shader engine takes over.
void DrawEngine::end_group() {
    if (carry.in_group == 0)
        return;
    if (!draw_.tess.enabled) {
        // Streamout numbers the vertices of a wave without gaps.
        if (draw_.partial_vs || streamout_.any())
            end_vs(carry.engine);
        if (draw_.gs.partial_es)
            end_es(carry.engine);
    } else {
        end_patches();
    }
    carry.in_group = 0;
    carry.engine = (carry.engine + 1) % spec_.shader_engines;
}

VertexInput DrawEngine::input(uint32_t vertex, uint32_t primitive) const {
    VertexInput in;
    in.key = uint64_t{instance_} << 32 | vertex;
    in.vgpr = {vertex, instance_ / draw_.step_rate[0],
               draw_.primitive_id ? primitive : instance_ / draw_.step_rate[1], instance_};
    return in;
}

void DrawEngine::take(const Primitives& list) {
    for (unsigned i = 0; i < list.count; ++i) {
        const Primitive& p = list.list[i];
        if (!draw_.switch_on_eop && carry.in_group >= draw_.group)
            end_group();
        ++carry.in_group;
        ++carry.primitives;
        count(&PipelineCounts::ia_primitives, 1);
        const uint32_t id = carry.primitive_id++;
        if (draw_.tess.enabled) {
            if (patches_open_.empty()) {
                patches_open_.emplace_back();
                patches_open_[0].engine = carry.engine;
            }
            patches_open_[0].patches.push_back({p, id, instance_});
            if (patches_open_[0].patches.size() == draw_.tess.patches)
                end_patches();
            continue;
        }
        std::array<VertexInput, 6> in;
        unsigned n = 0;
        // Without a geometry shader the adjacent vertices are unused.
        const bool drop = has_adjacency(draw_.type) && !draw_.gs.enabled;
        const bool line = shape_vertices(draw_.type) == 2;
        for (unsigned v = 0; v < p.count; ++v)
            if (!drop || (line ? v == 1 || v == 2 : v % 2 == 0))
                in[n++] = input(p.vertex[v], id);
        if (draw_.gs.enabled) {
            place_es(carry.engine, in.data(), n, id, instance_);
        } else {
            PrimitiveMessage message = to_message(p, id, instance_);
            message.rectangle = is_rectangle(draw_.type);
            place_vs(carry.engine, in.data(), n, message, 0);
        }
    }
    if (list.count != 0)
        advance();
}

// ---- VS ---------------------------------------------------------------------------------------

void DrawEngine::begin_vs(unsigned stream, unsigned reuse) {
    for (unsigned se = 0; se < spec_.shader_engines; ++se) {
        GrouperSetup setup;
        setup.stage = ShaderStage::Vs;
        setup.context = draw_.context;
        setup.engine = static_cast<uint8_t>(se);
        setup.draw = draw_.number;
        // What is streamed out is written once for each primitive it is in.
        setup.reuse = streamout_.enabled(stream) ? 0 : reuse;
        setup.eject = std::min(draw_.eject == 0 ? ~0u : draw_.eject, spec_.wave_primitives);
        vs_[se].begin(setup);
    }
}

PrimitiveMessage DrawEngine::to_message(const Primitive& p, uint32_t id, uint32_t instance) const {
    PrimitiveMessage message;
    message.vmid = draw_.vmid;
    message.first = p.first;
    message.inner_edges = p.inner_edges;
    message.primitive_id = id;
    message.instance = instance;
    return message;
}

void DrawEngine::place_vs(unsigned engine, const VertexInput* vertices, unsigned n,
                          PrimitiveMessage message, unsigned stream) {
    WaveGrouper& grouper = vs_[engine];
    if (!grouper.fits(vertices, n))
        end_vs(engine);
    const bool first = !grouper.filling();
    uint64_t& reused = draw_.tess.enabled ? carry.reused_ds : carry.reused_vs;
    reused += grouper.add(vertices, n, message.lane.data());
    if (streamout_.enabled(stream)) {
        VertexWave& wave = grouper.wave();
        if (first) {
            wave.streamout_index = streamout_.vertices(stream);
            wave.streamout_offset = streamout_.base();
            wave.streamout_config = stream << 24;
        }
        if (streamout_.take(stream, n, carry.streamout))
            wave.streamout_config += n << 16;
    }
    if (stream != draw_.gs.raster_stream)
        return;
    message.context = draw_.context;
    message.shader_engine = static_cast<uint8_t>(engine);
    message.vertices = static_cast<uint8_t>(n);
    message.draw = draw_.number;
    held_[engine].push_back(message);
}

// The wave leaves, and then its primitives: their receiver waits for its positions.
void DrawEngine::end_vs(unsigned engine) {
    if (!vs_[engine].filling())
        return;
    VertexWave wave = vs_[engine].end();
    wave.wave = next_vs_++;
    if (!draw_.gs.enabled)
        count(draw_.tess.enabled ? &PipelineCounts::ds : &PipelineCounts::vs, wave.lanes);
    if (producing_ != nullptr) {
        vs_owner_[wave.wave] = producing_->wave.wave;
        ++producing_->vs_left;
    } else if (pointing_ != nullptr) {
        vs_owner_[wave.wave] = pointing_->number;
        ++pointing_->left;
        wave.tess_offchip_offset = offchip_offset(*pointing_);
    }
    waves.push_back(wave);
    for (PrimitiveMessage& message : held_[engine]) {
        message.wave.fill(wave.wave);
        message.end_of_packet = &message == &held_[engine].back();
        primitives.push_back(message);
    }
    held_[engine].clear();
}

// ---- what runs after --------------------------------------------------------------------------

void DrawEngine::advance() {
    if (draw_.tess.enabled)
        advance_patches();
    if (draw_.gs.enabled)
        advance_geometry();
}

void DrawEngine::stage_done(const StageDone& done) {
    carry.es_done += done.stage == ShaderStage::Es ? 1 : 0;
    if (done.draw != draw_.number)
        return;
    std::map<uint32_t, uint32_t>& owners = done.stage == ShaderStage::Es ? es_owner_ : vs_owner_;
    const auto found = owners.find(done.wave);
    if (found == owners.end() || (done.stage != ShaderStage::Es && done.stage != ShaderStage::Vs))
        return;
    if (done.stage == ShaderStage::Vs && draw_.gs.enabled) {
        for (GsWave& gs : gs_waves_)
            gs.vs_left -= gs.produced && gs.wave.wave == found->second ? 1 : 0;
    } else {
        for (PatchGroup& g : patch_groups_)
            g.left -= g.number == found->second ? 1 : 0;
    }
    owners.erase(found);
    advance();
}

bool DrawEngine::finished() const {
    return left_ == 0 && waves.empty() && primitives.empty() && es_waves_.empty() &&
           gs_waves_.empty() && patch_groups_.empty();
}

std::string DrawEngine::waiting_for() const {
    std::string text;
    const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
    for (const EsWave& es : es_waves_)
        if (!es.sent)
            add("room in the ESGS ring for ES wave " + std::to_string(es.wave.wave));
    for (const GsWave& gs : gs_waves_) {
        const std::string name = "GS wave " + std::to_string(gs.wave.wave);
        if (gs.sent && !gs.done)
            add("GS_DONE of " + name);
        else if (gs.vs_left != 0)
            add("copy shader waves of " + name);
    }
    for (const PatchGroup& g : patch_groups_)
        if (g.left != 0)
            add("domain shader waves of patch group " + std::to_string(g.number));
    return text;
}

}  // namespace archipelago::vgt
