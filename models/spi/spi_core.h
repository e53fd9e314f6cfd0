// SPDX-License-Identifier: Apache-2.0
// Shader processor input, compute part: takes dispatches and events in register writes, walks
// work-groups over shader engines, arrays and CUs, allocates waves, registers, LDS and barriers,
// and launches waves. SI document 1.2.1.5, 2.6.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/compute_message.h"
#include "models/common/control.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/wire.h"
#include "models/spi/spi_spec.h"
#include "models/spi/spi_state.h"

namespace archipelago::spi {

class SpiCore : public Clocked, public Control, public RegisterTarget {
  public:
    explicit SpiCore(const SpiSpec& spec);

    // Inputs.
    Channel<RegRequest> registers;
    Channel<WaveDone>& wave_done(unsigned cu) { return *wave_done_[cu]; }
    // Outputs.
    void connect_registers(Channel<RegResponse>& out);
    void connect_cu(unsigned cu, Channel<WaveLaunch>& out);
    void connect_events(Channel<EventDone>& out);
    // Lets another unit find the room for groups; null: its own. It must outlive this, and nothing
    // may have been placed.
    void use_allocator(AllocatorUnit* unit);
    Wire<bool> busy;                  // GRBM_STATUS.SPI_BUSY
    std::vector<Wire<bool>> se_busy;  // waves live on the shader engine

    bool tick(Cycle now) override;

    // Control
    void reset() override;
    bool idle() const override;
    void pause() override { run_ = RunState::Paused; }
    void resume() override;
    void drain() override { run_ = RunState::Draining; }
    std::string waiting_for() const override;

    // RegisterTarget: COMPUTE_*, SPI_SHADER_*, VGT_EVENT_INITIATOR. Writing
    // COMPUTE_DISPATCH_INITIATOR queues a dispatch; register_ready() says whether it can be queued.
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;
    bool register_ready(const RegRequest& request) const override;

    // Functional mode: the dispatches queued since the last call, in order; SPI forgets them.
    std::vector<Dispatch> take_dispatches();

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);

    const SpiSpec& spec() const { return spec_; }
    const SpiState& state() const { return state_; }

  private:
    bool take_done(Cycle now);
    bool take_registers(Cycle now);
    bool place_groups(Cycle now);
    bool launch_waves(Cycle now);
    bool finish_events(Cycle now);
    enum class Placement : unsigned char { Placed, NoRoom, NoScratch };
    Placement place(Cycle now, LiveDispatch& live, RingBook& ring);
    void launch(Cycle now, const Dispatch& d, const Group& g, RingBook& ring);
    void retire(RingBook& ring);
    unsigned ring_of(const RegRequest& request) const;
    bool work_left() const;
    void update_wires(Cycle now);

    const SpiSpec spec_;
    SpiState state_;
    std::vector<std::unique_ptr<Channel<WaveDone>>> wave_done_;
    std::vector<Channel<WaveLaunch>*> launch_;
    Channel<RegResponse>* register_out_ = nullptr;
    Channel<EventDone>* event_out_ = nullptr;
    RunState run_ = RunState::Running;
    WaveAllocator allocator_;
    AllocatorUnit* unit_ = nullptr;  // in its place
    AllocatorGrant grant_;           // scratch space for place(); no meaning between calls
    Observers observers_;
    std::vector<TrackId> ring_tracks_;
    std::string path_;
};

}  // namespace archipelago::spi
