// SPDX-License-Identifier: Apache-2.0
// A compute unit pin by pin: CuCore with its channels in plain sight.
#pragma once

#include <array>
#include <deque>
#include <memory>

#include "models/cu/pins/cu_messages.h"
#include "models/cu/pipeline/cu_core.h"
#include "models/cu/retire/retire_sink.h"

namespace archipelago::cu {

// The Spec as the pins have it; the links are not on pins. Throws std::invalid_argument naming the
// key of what the pins have no room for.
CuPins::Config config_to_pins(const CuSpec& spec, const CuPosition& position);

class CuPinCore : public rtl::PinBlock<CuPins>, private RetireSink {
  public:
    // The Spec comes by the pins with a reset; before the first one it is `links`, whose links
    // stay.
    explicit CuPinCore(const CuSpec& links = {});
    ~CuPinCore() override;
    void step(const In& in, Out& out) override;
    const CuCore& core() const { return *core_; }

  private:
    bool starts(const RetiredWave&, isa::WaveState&) override { return true; }
    void retired(const RetiredWave& wave, const Retired& r) override;

    void rebuild(const CuPins::Config& config);
    void reset(const CuPins::Config& config);
    void step_held(const In& in, Out& out);
    void take_row(const CuPins::Init& row);
    void offer_launch(const CuPins::Launch& launch);
    void apply(const In& in, const Out& out);
    void present(const In& in, Out& out);
    void add_beat(const CuPins::Retire& beat);
    void give_beat(Out& out);

    CuSpec links_;
    CuPins::Config config_;
    std::unique_ptr<CuCore> core_;
    EventLink<surface::TilingWrite> tiling_{1};
    Channel<WaveDone> done_{{1, 1}, "done"};
    Channel<FetchRequest> fetch_{{1, 1}, "fetch"};
    Channel<ScalarRequest> scalar_{{1, 1}, "scalar"};
    Channel<MemRequest> memory_{{CuPins::kRequests, 1}, "memory"};
    Channel<CacheAction> invalidate_{{1, 1}, "invalidate"}, icache_{{1, 1}, "icache"};
    Channel<GdsRequest> gds_{{1, 1}, "gds"};
    Channel<ExportMessage> export_{{1, 1}, "export"};
    Channel<ShaderMessage> interrupts_{{1, 1}, "interrupts"}, graphics_{{1, 1}, "graphics"};
    // Rows that have come for the wave of each number; what its launch brings, until it ends.
    std::array<std::unique_ptr<LaunchData>, CuPins::kWaves> rows_, given_;
    std::unique_ptr<LaunchData> offered_;  // of the launch on the pins
    bool retiring_ = false;
    // Cycles of the block for which a transfer is held back: lanes of vector instructions take so
    // many.
    static constexpr uint64_t kRetireSteps = 4;
    struct Beat {
        uint64_t from;  // step
        CuPins::Retire beat;
    };
    std::deque<Beat> beats_;
    uint64_t steps_ = 0;
    Cycle now_ = 1;
};

}  // namespace archipelago::cu
