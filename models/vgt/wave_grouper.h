// SPDX-License-Identifier: Apache-2.0
// Groups vertices into waves of 64, with reuse of those of the same wave. One stage on one shader
// engine; knows no time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "models/gcn/draw_message.h"

namespace archipelago::vgt {

struct VertexInput {
    uint64_t key = 0;  // equal keys are the same vertex
    std::array<uint32_t, 4> vgpr{};
};

struct GrouperSetup {
    ShaderStage stage = ShaderStage::Vs;
    uint8_t context = 0;
    uint8_t engine = 0;
    uint32_t draw = 0;
    unsigned reuse = 0;    // earlier vertices searched for reuse
    uint32_t eject = ~0u;  // primitives of a wave at most
};

// A primitive never lies in two waves: a wave ends before the first that has no room.
class WaveGrouper {
  public:
    void begin(const GrouperSetup& setup);
    // Whether the primitive has room in the wave being filled. When not, end() comes first.
    bool fits(const VertexInput* vertices, unsigned count) const;
    // Places the vertices of one primitive, 1..32: their lanes. How many were there already.
    unsigned add(const VertexInput* vertices, unsigned count, uint8_t* lanes);
    // The wave being filled, which has lanes; the next begins empty.
    VertexWave end();
    bool filling() const { return wave_.lanes != 0; }
    VertexWave& wave() { return wave_; }

  private:
    struct Recent {
        uint64_t key = 0;
        uint8_t lane = 0;
    };
    int find(uint64_t key) const;  // lane, -1: none
    GrouperSetup setup_;
    VertexWave wave_;  // lanes 0: none
    uint32_t primitives_ = 0;
    std::deque<Recent> recent_;
};

}  // namespace archipelago::vgt
