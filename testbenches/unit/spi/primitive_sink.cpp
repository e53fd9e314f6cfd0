// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/spi/primitive_sink.h"

#include "models/common/archive.h"

#include <algorithm>

namespace archipelago::spi {

PrimitiveSink::PrimitiveSink(const PrimitiveSinkSpec& spec)
    : PrimitiveAssembler(spec.primitives, spec.vertices, "primitive_sink"), spec_(spec) {}

void PrimitiveSink::archive(Archive& a) {
    Unit::archive(a);
    a(state_);
}

void PrimitiveSink::reset() {
    Unit::reset();
    state_ = PrimitiveSinkState{};
}

bool PrimitiveSink::idle() const {
    return state_.waves.empty() && inputs_empty();
}

bool PrimitiveSink::tick(Cycle now) {
    if (run_ == RunState::Paused)
        return false;
    bool moved = false;
    while (vertices.can_pop(now)) {
        const VertexExports& v = vertices.front();
        state_.waves[{v.draw, v.wave}] = false;
        state_.vertices += v.lanes;
        vertices.drop(now);
        moved = true;
    }
    moved |= consume(now);
    moved |= release_exports(now);
    return moved;
}

bool PrimitiveSink::consume(Cycle now) {
    if (!primitives.can_pop(now))
        return false;
    const PrimitiveMessage& p = primitives.front();
    if (p.kind == PrimitiveMessage::Kind::Primitive) {
        uint32_t last = 0;
        for (unsigned v = 0; v < std::min<unsigned>(p.vertices, 3); ++v) {
            if (state_.waves.count({p.draw, p.wave[v]}) == 0)
                return false;  // its positions will come
            last = std::max(last, p.wave[v]);
        }
        if (p.end_of_packet)
            for (auto it = state_.waves.lower_bound({p.draw, 0});
                 it != state_.waves.end() && it->first.first == p.draw && it->first.second <= last;
                 ++it)
                it->second = true;
        ++state_.primitives;
    } else if (p.kind == PrimitiveMessage::Kind::Event) {
        ++state_.events;
    } else {
        state_.ended_through = std::max(state_.ended_through, p.draw);
        ++state_.draws;
    }
    primitives.drop(now);
    return true;
}

bool PrimitiveSink::release_exports(Cycle now) {
    bool moved = false;
    for (auto it = state_.waves.begin(); it != state_.waves.end();) {
        if (!it->second && it->first.first > state_.ended_through) {
            ++it;
            continue;
        }
        if (!to_free->can_push(now))
            return moved;
        to_free->push(now, ExportFree{it->first.first, it->first.second, true, !spec_.rasteriser});
        ++state_.freed;
        it = state_.waves.erase(it);
        moved = true;
    }
    return moved;
}

std::string PrimitiveSink::waiting_for() const {
    if (!primitives.empty() && primitives.front().kind == PrimitiveMessage::Kind::Primitive) {
        const PrimitiveMessage& p = primitives.front();
        for (unsigned v = 0; v < std::min<unsigned>(p.vertices, 3); ++v)
            if (state_.waves.count({p.draw, p.wave[v]}) == 0)
                return "a primitive of draw " + std::to_string(p.draw) +
                       " waits for the positions of VS wave " + std::to_string(p.wave[v]);
    }
    if (state_.waves.empty())
        return {};
    return "the last primitive of VS wave " + std::to_string(state_.waves.begin()->first.second) +
           " of draw " + std::to_string(state_.waves.begin()->first.first) + " has not come";
}

void PrimitiveSink::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "primitives", "primitives", "primitives taken from VGT", &state_.primitives);
    stats.add(path, "vertices", "vertices", "vertices whose positions came", &state_.vertices);
    stats.add(path, "waves_freed", "waves", "VS waves whose positions were released",
              &state_.freed);
}

}  // namespace archipelago::spi
