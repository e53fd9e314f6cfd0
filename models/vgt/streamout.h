// SPDX-License-Identifier: Apache-2.0
// Streamout as VGT sees it: which vertices of a wave are written, and where. The shader writes them
// itself. SI document 2.8.9; VGT_STRMOUT_* of the public register headers. All sizes in dwords.
#pragma once

#include <array>
#include <cstdint>

#include "models/vgt/draw.h"

namespace archipelago::vgt {

struct StreamoutState {
    std::array<uint32_t, kStreams> filled{};  // VGT_STRMOUT_BUFFER_FILLED_SIZE_n
    std::array<uint64_t, kStreams> needed{};  // primitives of each stream
    std::array<uint64_t, kStreams> written{};
};

// A draw's streamout. Buffers of a stream grow together; a primitive that does not fit all of them
// is not written to any.
class Streamout {
  public:
    void begin(const StreamoutSetup& setup, const StreamoutState& state);
    bool enabled(unsigned stream) const { return (setup_.enabled >> stream & 1) != 0; }
    bool any() const { return setup_.enabled != 0; }
    // Takes one primitive; true when it is written.
    bool take(unsigned stream, unsigned vertices, StreamoutState& state);
    // Vertices of the stream written since the draw began.
    uint32_t vertices(unsigned stream) const { return vertices_[stream]; }
    // Fill of the buffers when the draw began.
    const std::array<uint32_t, kStreams>& base() const { return base_; }

  private:
    StreamoutSetup setup_;
    std::array<uint32_t, kStreams> base_{};
    std::array<uint32_t, kStreams> vertices_{};
};

}  // namespace archipelago::vgt
