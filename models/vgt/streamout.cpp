// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/streamout.h"

namespace archipelago::vgt {

void Streamout::begin(const StreamoutSetup& setup, const StreamoutState& state) {
    setup_ = setup;
    base_ = state.filled;
    vertices_ = {};
}

bool Streamout::take(unsigned stream, unsigned vertices, StreamoutState& state) {
    if (!enabled(stream))
        return false;
    ++state.needed[stream];
    const unsigned buffers = setup_.buffers[stream];
    for (unsigned b = 0; b < kStreams; ++b)
        if ((buffers >> b & 1) != 0 &&
            uint64_t{state.filled[b]} + uint64_t{vertices} * setup_.stride[b] > setup_.size[b])
            return false;
    for (unsigned b = 0; b < kStreams; ++b)
        if ((buffers >> b & 1) != 0)
            state.filled[b] += vertices * setup_.stride[b];
    vertices_[stream] += vertices;
    ++state.written[stream];
    return true;
}

}  // namespace archipelago::vgt
