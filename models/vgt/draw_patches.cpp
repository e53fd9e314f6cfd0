// SPDX-License-Identifier: Apache-2.0
// The tessellation stages of DrawEngine. LS and HS waves run in groups of patches; there is no
// tessellator: every patch becomes the points of its domain as with factors of 1.
#include <algorithm>

#include "models/vgt/draw_engine.h"

namespace archipelago::vgt {
namespace {

struct Point {
    float u, v;
};

uint32_t bits(float value) {
    uint32_t raw = 0;
    static_assert(sizeof raw == sizeof value, "");
    __builtin_memcpy(&raw, &value, sizeof raw);
    return raw;
}

}  // namespace

void DrawEngine::end_patches() {
    if (patches_open_.empty())
        return;
    patches_open_[0].number = next_group_++;
    patch_groups_.push_back(patches_open_[0]);
    patches_open_.clear();
}

uint32_t DrawEngine::offchip_offset(const PatchGroup& group) const {
    return group.number % draw_.tess.buffers * draw_.tess.buffer_bytes;
}

// A group's buffer holds what its domain shader reads, so no more groups than buffers are at work.
// SPI launches HS waves after LS waves, and domain points after HS waves.
void DrawEngine::advance_patches() {
    while (!patch_groups_.empty() && patch_groups_.front().sent && patch_groups_.front().left == 0)
        patch_groups_.pop_front();
    for (size_t i = 0; i < patch_groups_.size() && i < draw_.tess.buffers; ++i) {
        if (patch_groups_[i].sent)
            continue;
        patch_groups_[i].sent = true;
        send_patches(patch_groups_[i]);
        send_points(patch_groups_[i]);
    }
}

// LS: a lane for each control point, in order; nothing is used twice. HS: a lane for each output
// control point.
void DrawEngine::send_patches(PatchGroup& group) {
    const TessSetup& t = draw_.tess;
    const auto waves_of = [](size_t threads) {
        return (threads + VertexWave::kLanes - 1) / VertexWave::kLanes;
    };
    const size_t inputs = group.patches.size() * draw_.patch;
    const size_t outputs = group.patches.size() * t.outputs;
    const size_t ls = waves_of(inputs), hs = waves_of(outputs);
    // A control word, then the factors of each patch.
    const uint32_t factors = 4 + t.patches * 4 * (t.type == 0 ? 2 : t.type == 1 ? 4 : 6);
    for (size_t w = 0; w < ls + hs; ++w) {
        const bool first = w < ls;
        VertexWave wave;
        wave.stage = first ? ShaderStage::Ls : ShaderStage::Hs;
        wave.context = draw_.context;
        wave.shader_engine = static_cast<uint8_t>(group.engine);
        wave.draw = draw_.number;
        wave.wave = first ? next_ls_++ : next_hs_++;
        wave.group = group.number;
        wave.wave_in_group = static_cast<uint8_t>(w);
        wave.waves_in_group = static_cast<uint8_t>(ls + hs);
        wave.tess_factor_offset = group.number % (t.factor_ring / factors) * factors;
        wave.tess_offchip_offset = offchip_offset(group);
        const size_t begin = (first ? w : w - ls) * VertexWave::kLanes;
        const size_t end = std::min<size_t>(begin + VertexWave::kLanes, first ? inputs : outputs);
        for (size_t i = begin; i < end; ++i) {
            const unsigned lane = wave.lanes++;
            const Patch& patch = group.patches[i / (first ? draw_.patch : t.outputs)];
            if (first) {
                wave.vgpr[0][lane] = patch.primitive.vertex[i % draw_.patch];
                wave.vgpr[1][lane] = static_cast<uint32_t>(i);
                wave.vgpr[2][lane] = patch.instance / draw_.step_rate[0];
                wave.vgpr[3][lane] = patch.instance;
            } else {
                wave.vgpr[0][lane] = patch.id;
                wave.vgpr[1][lane] = static_cast<uint32_t>(i / t.outputs | (i % t.outputs) << 8);
            }
        }
        waves.push_back(wave);
    }
    ++carry.patch_groups;
    count(&PipelineCounts::vs, inputs);
    count(&PipelineCounts::hs, group.patches.size());
}

void DrawEngine::send_points(PatchGroup& group) {
    const TessSetup& t = draw_.tess;
    static constexpr Point kLine[] = {{0, 0}, {1, 0}};
    static constexpr Point kTriangle[] = {{1, 0}, {0, 1}, {0, 0}};
    static constexpr Point kQuad[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const Point* points = t.type == 0 ? kLine : t.type == 1 ? kTriangle : kQuad;
    const unsigned corners = t.type == 0 ? 2 : t.type == 1 ? 3 : 4;
    // Corners of the primitives of one patch.
    std::vector<std::vector<unsigned>> shapes;
    if (t.topology == 0) {
        for (unsigned i = 0; i < corners; ++i)
            shapes.push_back({i});
    } else if (t.topology == 1) {
        shapes = {{0, 1}};
    } else {
        for (unsigned i = 2; i < corners; ++i)
            shapes.push_back({0, t.topology == 3 ? i - 1 : i, t.topology == 3 ? i : i - 1});
    }
    pointing_ = &group;
    for (size_t p = 0; p < group.patches.size(); ++p) {
        const Patch& patch = group.patches[p];
        for (const std::vector<unsigned>& shape : shapes) {
            std::array<VertexInput, 3> in;
            for (unsigned i = 0; i < shape.size(); ++i) {
                const Point& point = points[shape[i]];
                in[i].key = p * 4 + shape[i];
                in[i].vgpr = {bits(point.u), bits(point.v), static_cast<uint32_t>(p), patch.id};
            }
            const unsigned n = static_cast<unsigned>(shape.size());
            ++carry.ds_primitives;
            if (draw_.gs.enabled)
                place_es(group.engine, in.data(), n, patch.id, patch.instance);
            else
                place_vs(group.engine, in.data(), n, to_message({}, patch.id, patch.instance), 0);
        }
    }
    end_es(group.engine);
    end_vs(group.engine);
    pointing_ = nullptr;
}

}  // namespace archipelago::vgt
