// SPDX-License-Identifier: Apache-2.0
// Vertex grouper with its input assembler: takes draws and events in register writes, makes waves
// of vertices and primitives of indices, and passes events on after the draws before them.
// SI document 1.2.1.5, 2.5.
#pragma once

#include <functional>
#include <string>

#include "models/common/memory_message.h"
#include "models/common/packet_places.h"
#include "models/common/pipe_message.h"
#include "models/common/register_roles.h"
#include "models/common/stall_cycles.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/gcn/draw_message.h"
#include "models/gcn/export_message.h"
#include "models/vgt/draw_engine.h"
#include "models/vgt/index_dma_reader.h"
#include "models/vgt/index_dma_unit.h"
#include "models/vgt/vgt_spec.h"
#include "models/vgt/vgt_state.h"

namespace archipelago::vgt {

// Functional mode: where messages go at once. A wave has ended when message() returns, and its
// s_sendmsg have been given to VgtCore::take_message().
struct FunctionalPorts {
    std::function<void(const VgtMessage&)> message;
    // After the waves that it is made of, in order; the end of a draw after its last primitive.
    std::function<void(const PrimitiveMessage&)> primitive;
    std::function<void(const SampleCounts&)> sample;
    ReadLine read;
    // Another 64 indices of the draw were taken; may throw.
    std::function<void(uint32_t draw)> indices;
};

// What a write of a register of VGT does besides storing.
enum class RegisterRole : uint8_t {
    None,  // no register of VGT
    Storage,
    DrawInitiator,
    EventInitiator,
    ImmediateData,
    StreamoutOffset,
    CopyState,
};

class VgtCore : public Unit, public RegisterTarget {
  public:
    // Throws std::invalid_argument naming what is wrong with the spec. `index_dma`: as
    // IndexDmaUnit.
    explicit VgtCore(const VgtSpec& spec, rtl::PinBlock<rtl::VgtIndexDmaPins>* index_dma = nullptr);

    // Inputs.
    Channel<RegRequest> registers;       // of GRBM
    EventLink<StageDone> stage_done;     // of SPI: VS waves, and ES waves after HS
    Channel<ShaderMessage> gs_messages;  // of the compute units: Gs, GsDone
    // Outputs. What is not connected of the last two is dropped.
    OutputChannel<RegResponse> to_registers{this};
    OutputChannel<VgtMessage> to_spi{this};
    OutputChannel<PrimitiveMessage> to_primitives{this};
    OutputChannel<SampleCounts> to_samples{this};
    // A unit of its own: the builder of the chip adds it and connects it to memory.
    IndexDmaUnit& index_dma() { return dma_; }

    Wire<bool> busy;            // GRBM_STATUS.VGT_BUSY
    Wire<bool> gs_busy;         // a draw with a geometry shader is at work
    Wire<bool> hs_busy;         // one with patches
    Wire<bool> ia_busy;         // GRBM_STATUS.IA_BUSY
    Wire<bool> ia_busy_no_dma;  // GRBM_STATUS.IA_BUSY_NO_DMA

    bool tick(Cycle now) override;

    // Control
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    // RegisterTarget. Writing VGT_DRAW_INITIATOR queues a draw with the registers as they are;
    // VGT_EVENT_INITIATOR of ring 0 an event; register_ready() says whether there is room, there
    // and for VGT_IMMED_DATA. Throws MachineStop for draws that cannot be (draw.h).
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;
    bool register_ready(const RegRequest& request) const override;
    bool is_plain_storage(uint32_t offset) const override;

    // Errors of draws name their packets; outlives this.
    void name_packets(const PacketPlaces& places) {
        places_ = &places;
        dma_.name_packets(places);
    }

    // Functional mode: whether the queue holds anything; carries it out, as far as its immediate
    // indices have come.
    bool queued() const { return !state_.queue.empty(); }
    void run(const FunctionalPorts& ports);
    void take_message(const ShaderMessage& message) { engine_.message(message); }

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

    const VgtSpec& spec() const { return spec_; }
    const VgtState& state() const { return state_; }
    const DrawCarry& carry() const { return engine_.carry; }

  private:
    bool take_feedback(Cycle now);
    bool fetch_indices(Cycle now);
    void need_no_indices() const;
    std::string name_of_draw(uint32_t number, uint16_t place) const;
    Draw decode(const RegRequest& request);
    void begin_draw(const RegRequest& request);
    void begin_event(const RegRequest& request);
    bool work(Cycle now);
    bool draw(Cycle now);
    bool send(Cycle now);
    bool pass_on(Cycle now, const VgtMessage& to_waves, const PrimitiveMessage& to_assembler);
    bool end_draw(Cycle now);
    void trace_draw(Cycle end) const;
    bool pass_event(Cycle now);
    bool next_index(Cycle now, uint32_t& raw);
    bool take_immediate(uint32_t& raw);
    void finish_item(Cycle now);
    void event_effect(uint8_t type);
    bool samples(uint8_t type, SampleCounts& counts) const;
    VgtMessage wave_message();
    void run_draw(const Draw& draw, const FunctionalPorts& ports);
    void pass_waves(const FunctionalPorts& ports);
    void update_wires(Cycle now);

    const VgtSpec spec_;
    const RegisterRoles<RegisterRole> roles_;
    VgtState state_;
    DrawEngine engine_;
    IndexDmaUnit dma_;
    Channel<IndexGroup> groups_;
    const PacketPlaces* places_ = nullptr;
    Observers observers_;
    TrackId track_ = 0;
    std::string path_;
};

}  // namespace archipelago::vgt
