// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/wave_grouper.h"

namespace archipelago::vgt {

void WaveGrouper::begin(const GrouperSetup& setup) {
    setup_ = setup;
    wave_.lanes = 0;
    primitives_ = 0;
    recent_.clear();
}

int WaveGrouper::find(uint64_t key) const {
    for (const Recent& r : recent_)
        if (r.key == key)
            return r.lane;
    return -1;
}

bool WaveGrouper::fits(const VertexInput* vertices, unsigned count) const {
    if (wave_.lanes == 0)
        return true;
    unsigned fresh = 0;
    for (unsigned i = 0; i < count; ++i)
        fresh += find(vertices[i].key) < 0 ? 1 : 0;
    return primitives_ < setup_.eject && wave_.lanes + fresh <= VertexWave::kLanes;
}

unsigned WaveGrouper::add(const VertexInput* vertices, unsigned count, uint8_t* lanes) {
    if (wave_.lanes == 0) {
        wave_ = {};
        wave_.stage = setup_.stage;
        wave_.context = setup_.context;
        wave_.shader_engine = setup_.engine;
        wave_.draw = setup_.draw;
    }
    const unsigned before = wave_.lanes;
    // Looked up before the buffer moves on, as fits() does.
    std::array<int, VertexWave::kLanes> known{};
    for (unsigned i = 0; i < count; ++i)
        known[i] = find(vertices[i].key);
    for (unsigned i = 0; i < count; ++i) {
        int lane = known[i] >= 0 ? known[i] : find(vertices[i].key);
        if (lane < 0) {
            lane = wave_.lanes++;
            for (unsigned v = 0; v < vertices[i].vgpr.size(); ++v)
                wave_.vgpr[v][static_cast<unsigned>(lane)] = vertices[i].vgpr[v];
            if (setup_.reuse != 0) {
                if (recent_.size() == setup_.reuse)
                    recent_.pop_front();
                recent_.push_back({vertices[i].key, static_cast<uint8_t>(lane)});
            }
        }
        lanes[i] = static_cast<uint8_t>(lane);
    }
    ++primitives_;
    return count - (wave_.lanes - before);
}

VertexWave WaveGrouper::end() {
    VertexWave ended = wave_;
    wave_.lanes = 0;
    primitives_ = 0;
    recent_.clear();
    return ended;
}

}  // namespace archipelago::vgt
