// SPDX-License-Identifier: Apache-2.0
// The pixel side of one shader engine, in cycles: takes covered quads from its render back ends
// (RB), packs them into waves that SPI launches, and sends what these have exported back to the
// RBs. All that passes keeps its order, by RB.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "models/common/archive.h"
#include "models/common/channel.h"
#include "models/common/unit.h"
#include "models/raster/quad_batch.h"
#include "models/spi/pixel_exports.h"
#include "models/spi/pixel_packer.h"

namespace archipelago::spi {

struct PixelEngineSpec {
    static constexpr unsigned kRbs = 4;  // of an engine at most
    unsigned engine = 0;
    uint8_t rbs = 0;               // that the engine has, a bit each
    unsigned quads_per_cycle = 4;  // packed
    unsigned partial_wave = 1;  // cycles without quads after which a wave leaves that is not full
    unsigned queue = 1;         // waves waiting for launch
    ChannelSpec quads{4, 1};    // from each RB
};

struct PixelCounters {
    uint64_t quads = 0, partial_waves = 0, batches = 0;
    uint64_t pack_stall_cycles = 0;   // quads waited for the launch of waves
    uint64_t shade_stall_cycles = 0;  // shaded quads waited for room on the way to an RB
};

class PixelEngine {
  public:
    static constexpr unsigned kRbs = PixelEngineSpec::kRbs;
    using OutputRb = OutputChannel<raster::ShadedBatch>;
    using InputsOf = std::function<const PixelInputs&(unsigned context)>;
    // A wave to be launched. One without pixels only releases parameters or ends a draw.
    struct Wave {
        PixelWave pixels;
        std::unique_ptr<PackedWave> packed;
    };

    // `owner` is woken when time has passed that the engine waits for.
    PixelEngine(const PixelEngineSpec& spec, Clocked& owner, PixelCounters& counters);

    bool has_any() const { return spec_.rbs != 0; }
    bool has(unsigned rb) const { return (spec_.rbs >> rb & 1) != 0; }
    Channel<raster::QuadBatch>& from_rb(unsigned rb) { return *in_[rb]; }

    // Packs quads of draws up to `last_draw`. Throws MachineStop(Protocol) for more of a draw that
    // has ended.
    bool take(Cycle now, const InputsOf& inputs, uint32_t last_draw);
    std::deque<Wave>& waves() { return waves_; }
    const std::deque<Wave>& waves() const { return waves_; }
    // Sends exports of ended waves, and events and ends of draws after the waves before them.
    // `out`: of the engine's RBs; what one that is not connected would get is dropped.
    bool send(Cycle now, PixelExportBuffer& colours, std::array<OutputRb, kRbs>& out);

    // No quad, wave or token is in it.
    bool has_pixels() const { return !packer_.empty() || batch_ || !waves_.empty(); }
    bool idle() const { return !has_pixels() && tokens_.empty(); }
    void reset();
    void archive(Archive& a);
    std::string waiting_for() const;

  private:
    // An event or the end of a draw, which leaves after so many waves.
    struct Token {
        uint64_t after = 0;
        raster::Primitive primitive;
    };
    bool pack(Cycle now, const InputsOf& inputs);
    bool take_batch(Cycle now, uint32_t last_draw);
    bool take_tokens(Cycle now, uint32_t last_draw);
    void take_release(unsigned rb, const raster::Primitive& primitive);
    void close_wave();
    void say(bool end_of_draw, uint32_t draw);
    uint32_t through() const;

    const PixelEngineSpec spec_;
    Clocked& owner_;
    PixelCounters& counters_;
    std::array<std::unique_ptr<Channel<raster::QuadBatch>>, kRbs> in_;
    PixelPacker packer_;
    std::optional<raster::QuadBatch> batch_;  // being packed
    std::deque<Wave> waves_;
    std::deque<Token> tokens_;
    raster::ShadedBatch shaded_;      // scratch space of send()
    uint64_t packed_ = 0, left_ = 0;  // waves with pixels
    unsigned next_rb_ = 0;
    Cycle ready_ = 0;     // for the next batch
    Cycle deadline_ = 0;  // of the wave that is not full
    Cycle pack_stall_since_ = ~Cycle{0}, shade_stall_since_ = ~Cycle{0};
    uint32_t ended_draw_ = 0;
    // VS waves of the draw below this number have no later quad, by RB.
    uint32_t draw_ = 0;
    std::array<uint32_t, kRbs> through_{};
};

}  // namespace archipelago::spi
