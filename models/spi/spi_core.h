// SPDX-License-Identifier: Apache-2.0
// Shader processor input: takes dispatches, draws and events in register writes, walks work-groups
// over shader engines, arrays and CUs, takes waves of the graphics stages from VGT,
// packs quads of the render back ends into pixel waves, allocates waves, registers, LDS, barriers
// and export space, launches waves, and keeps what vertices export. SI document 1.2.1.5, 2.5, 2.6.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/packet_places.h"
#include "models/common/pipe_message.h"
#include "models/common/register_roles.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/gcn/compute_message.h"
#include "models/gcn/draw_message.h"
#include "models/gcn/export_message.h"
#include "models/gcn/launch_log.h"
#include "models/raster/back_end_done.h"
#include "models/spi/dispatch_core.h"
#include "models/spi/exports.h"
#include "models/spi/graphics.h"
#include "models/spi/pixel_engine.h"
#include "models/spi/spi_spec.h"
#include "models/spi/spi_state.h"

namespace archipelago::spi {

// What SPI does with a write of a register.
enum class RegisterRole : uint8_t {
    None,     // no register of SPI
    Compute,  // the first three store it in one of the windows of RegisterMap
    Shader,
    Context,
    Config,  // SPI_STATIC_THREAD_MGMT_1 to SPI_CONFIG_CNTL_1
    DispatchInitiator,
    DrawInitiator,
    EventInitiator,
    CopyState,
};

class SpiCore : public Unit, public RegisterTarget {
  public:
    explicit SpiCore(const SpiSpec& spec);

    // Inputs.
    Channel<RegRequest> registers;
    Channel<WaveDone>& wave_done(unsigned cu) { return *wave_done_[cu]; }
    // Outputs.
    OutputChannel<RegResponse> to_registers{this};
    std::vector<OutputChannel<WaveLaunch>> to_cu;
    OutputChannel<EventDone> to_events{this};
    // Graphics. Asking for a channel connects its other side: without a vertex grouper a draw
    // stops the machine by name and events pass by themselves; without a render back end a draw
    // has ended with its vertices; without a primitive assembler export space is released as
    // soon as it holds everything.
    Channel<VgtMessage>& from_vgt();
    Channel<raster::QuadBatch>& from_rb(unsigned rb);  // 4 * shader engine + its number there
    // By shader engine and render back end: shaded quads, events and ends of draws.
    std::vector<std::array<OutputChannel<raster::ShadedBatch>, PixelEngine::kRbs>> to_rb;
    // Events and ends of draws that have passed a render back end. With them an event of the
    // graphics ring waits for them, too.
    EventLink<raster::BackEndDone>& from_cb(unsigned rb);
    EventLink<RegRequest> context_writes;  // of all context registers, for pixel waves
    void write_context(const RegRequest& request) { pixel_registers_.write(request); }
    // Goes on with those of a chip that has run in functional mode.
    void continue_with(const raster::RegisterSets& sets) {
        pixel_registers_ = sets;
        pixel_inputs_.forget();
    }
    Channel<ExportFree>& from_assembler();
    OutputChannel<VertexExports> to_vertices{this};
    // To the vertex grouper: VS and ES waves that have ended.
    OutputEvent<StageDone> to_stage_done{this};
    Channel<ExportMessage>& from_exports(unsigned cu) { return *exports_in_[cu]; }

    // Errors of dispatches and draws name their packets; outlives this.
    void name_packets(const PacketPlaces& places) { places_ = &places; }
    // Lets another unit find the room for groups; null: its own. It must outlive this, and nothing
    // may have been placed.
    void use_allocator(AllocatorUnit* unit);
    // The same for the unit that walks dispatches and makes their waves.
    void use_dispatcher(DispatchUnit* unit);
    Wire<bool> busy;                  // GRBM_STATUS.SPI_BUSY
    std::vector<Wire<bool>> se_busy;  // waves live on the shader engine
    Wire<bool> sx_busy;               // GRBM_STATUS.SX_BUSY: export space is taken
    std::vector<Wire<bool>> se_sx_busy;

    // Waves of a kind are live (kind_of).
    std::array<Wire<bool>, kWaveKinds> kind_busy;

    bool tick(Cycle now) override;

    // Control
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    // RegisterTarget: COMPUTE_*, SPI_SHADER_*, SPI_*, VGT_EVENT_INITIATOR, VGT_DRAW_INITIATOR.
    // Writing COMPUTE_DISPATCH_INITIATOR queues a dispatch, VGT_DRAW_INITIATOR begins a draw with
    // the registers as they are; register_ready() says whether that can be done.
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;
    bool register_ready(const RegRequest& request) const override;
    bool is_plain_storage(uint32_t offset) const override;
    void store_registers(const RegRequest& request, const uint32_t* values,
                         uint32_t count) override;

    // Functional mode: whether dispatches or events are queued; the dispatches since the last call,
    // in order, and SPI forgets both.
    bool queued() const {
        for (const RingState& ring : state_.rings)
            if (!ring.dispatches.empty() || !ring.events.empty())
                return true;
        return false;
    }
    std::vector<Dispatch> take_dispatches();
    // The next dispatch runs only these of its groups.
    void choose_groups(const GroupSelection& groups) { state_.chosen = groups; }
    // The compute unit a group goes to while no other runs: in turn, where the dispatch may run.
    unsigned unit_when_idle(const Dispatch& d, const Group& g);
    OrderedNumbers& ordered_numbers() { return dispatch_.ordered(); }
    // An event that SPI is not asked to queue; what SAMPLE_PIPELINESTAT finds.
    void note_event(unsigned ring, uint8_t type);
    uint64_t cs_invocations() const { return state_.statistics.invocations; }
    uint64_t ps_invocations() const { return state_.statistics.pixels; }
    // Pixels of a wave that is launched.
    void count_pixels(const PixelWave& pixels);

    // Pixel waves are numbered up to SPI_PS_MAX_WAVE_ID, for WAVE_CNT_EN.
    uint32_t next_pixel_wave();
    // Throws MachineStop(BadInput) when a work-group's LDS does not hold what the wave needs.
    void check_pixel_lds(const StageProgram& program, const PixelWave& pixels) const;
    void count_wave(ShaderStage stage) { ++state_.counters.stage_waves[index_of(stage)]; }
    void count_group(unsigned ring, unsigned waves) {
        ++state_.counters.ring_groups[ring == 0 ? 0 : 1];
        state_.counters.ring_waves[ring == 0 ? 0 : 1] += waves;
    }

    // Functional mode: what the stage of a draw in flight is launched with, and the draw's end.
    // Null: there is no such draw. The program stays where it is until the draw's end.
    const StageProgram* program(uint32_t draw, ShaderStage stage);
    void end_draw(uint32_t draw);

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    // Adds each dispatch and draw to `log`, which outlives it, from now on.
    void keep(gcn::LaunchLog& log) { log_ = &log; }
    void finish_trace(Cycle now) const;

    const SpiSpec& spec() const { return spec_; }
    const SpiState& state() const { return state_; }
    const ExportState& exports() const { return exports_.state(); }

  private:
    bool take_done(Cycle now);
    bool take_registers(Cycle now);
    bool take_register(Cycle now);
    bool place_groups(Cycle now);
    bool launch_waves(Cycle now);
    bool finish_events(Cycle now);
    // Waiting: for other work, not for room on a CU; Launching: the shader engine is at it.
    enum class Placement : unsigned char {
        Placed,
        NoRoom,
        Launching,
        NoScratch,
        NoExportRoom,
        NoColorRoom,
        Waiting
    };
    // What sources found no room, and of these which for want of room, and of scratch: bits of
    // kinds.
    struct Refusals {
        bool no_room = false, no_scratch = false;
        uint32_t room = 0, scratch = 0;
    };
    static void note(Placement placement, unsigned kind, Refusals& refused);
    Placement no_room_on(unsigned engine) const {
        return state_.launching[engine].active() ? Placement::Launching : Placement::NoRoom;
    }
    void begin_event(RingState& ring, const RegRequest& request);
    void begin_dispatch(RingState& ring, const RegRequest& request);
    void give_dispatches(RingState& ring);
    Placement place(Cycle now, LiveDispatch& live);
    void launch(Cycle now, const Dispatch& d, unsigned waves);
    const WaveLaunch& launch_of_group(unsigned engine, const Launching& out);
    uint32_t launching_engines() const;
    void retire(RingState& ring);
    void trace_dispatch(const LiveDispatch& live, Cycle end) const;
    void trace_draw(const LiveDraw& draw, Cycle end) const;
    unsigned source(Cycle now, unsigned i) const;
    uint32_t locked_cus(unsigned se, unsigned owner) const;
    void lock_arrays(unsigned owner, unsigned threshold);
    void unlock_arrays(unsigned owner);
    unsigned array_of(unsigned cu) const { return cu / spec_.cu_per_sh; }

    // spi_graphics.cpp
    void reset_graphics();
    bool graphics_left() const;
    bool take_graphics(Cycle now);
    bool take_exports(Cycle now);
    bool exports_came(unsigned cu, const WaveDone& done) const;
    bool take_freed(Cycle now);
    bool take_vgt(Cycle now);
    bool send_positions(Cycle now);
    bool pass_event(Cycle now, const VgtMessage& message);
    void set_shader(uint32_t offset, const uint32_t* values, uint32_t count);
    void begin_draw(const RegRequest& request);
    LiveDraw* find_draw(uint32_t number);
    const StageProgram& program_of(LiveDraw& draw, ShaderStage stage);
    bool event_may_pass(unsigned ring, const PendingEvent& event) const;
    bool place_graphics(Cycle now, Refusals& refused);
    Placement place_wave(Cycle now, ShaderStage stage);
    Placement open_group(const VertexWave& v, ShaderStage stage, unsigned engine,
                         LiveWaveGroup*& found);
    bool find_room(const StageProgram& program, unsigned engine, unsigned waves, unsigned vgprs,
                   unsigned sgprs, uint32_t lds_bytes);
    int scratch_slot(const StageProgram& program) const;
    void launch_graphics(Cycle now, WaveLaunch& launch, LiveWave wave, unsigned cu,
                         unsigned group_slot, unsigned lds, const AllocatorGrant::Wave& at,
                         const LaunchData& data);
    void graphics_ended(unsigned cu, const LiveWave& wave);
    void retire_draws();
    bool keep_register(const RegRequest& request);
    bool write_graphics(const RegRequest& request);
    void write_config(const RegRequest& request);
    bool read_graphics(const RegRequest& request, uint32_t& value) const;
    bool shader_ready() const;
    std::string graphics_waiting_for() const;

    // spi_pixels.cpp
    void make_pixel_engines();
    bool pixels_left() const;
    // Events and ends of draws alone are on their way to the render back ends: SPI is not busy.
    bool tokens_left() const;
    bool pixels_wait() const;
    bool take_context_writes(Cycle now);
    bool take_back_ends(Cycle now);
    bool back_ends_passed(const PendingEvent& event) const;
    bool flushes_back_ends(uint8_t type) const;
    bool take_pixels(Cycle now);
    void pixels_taken(unsigned engine, const PixelWave& wave);
    bool has_parameters(const StageProgram& program, const PixelWave& pixels,
                        const LiveDraw& draw) const;
    Placement place_pixels(Cycle now);
    Placement place_pixels(Cycle now, unsigned engine);

    unsigned ring_of(const RegRequest& request) const;
    // Of a register in its window.
    uint32_t compute_index(uint32_t offset) const { return (offset - spec_.map.compute_start) / 4; }
    uint32_t shader_index(uint32_t offset) const { return (offset - spec_.map.shader_start) / 4; }
    uint32_t config_index(uint32_t offset) const {
        return (offset - spec_.map.SPI_STATIC_THREAD_MGMT_1) / 4;
    }
    bool work_left() const;
    bool only_registers() const {
        return quiescent_ && (waiting_ | done_waiting_ | exports_waiting_ | quads_waiting_) == 0;
    }
    void update_wires(Cycle now);

    const SpiSpec spec_;
    const RegisterRoles<RegisterRole> roles_;
    SpiState state_;
    std::vector<std::unique_ptr<Channel<WaveDone>>> wave_done_;
    std::vector<std::unique_ptr<Channel<ExportMessage>>> exports_in_;
    uint64_t exports_waiting_ = 0;  // a bit for each of them that is not empty
    uint64_t done_waiting_ = 0;     // the same of wave_done_
    uint64_t quads_waiting_ = 0;    // the same of from_rb()
    uint64_t context_waiting_ = 0;  // of context_writes
    uint64_t cb_waiting_ = 0;       // of from_cb()
    uint64_t cbs_ = 0;              // that are connected, a bit each
    uint64_t waiting_ = 0;          // the same of the two that follow
    // No work left and all wires low, until an input brings work. Everything that starts work
    // clears it.
    bool quiescent_ = true;
    Channel<VgtMessage> vgt_in_;
    Channel<ExportFree> freed_in_;
    bool has_vgt_ = false, has_pixels_ = false, has_assembler_ = false;
    ExportBuffers exports_;
    raster::RegisterSets pixel_registers_;
    raster::DecodedSets<PixelInputs> pixel_inputs_;
    PixelCounters pixel_counters_;
    std::vector<std::unique_ptr<PixelEngine>> pixel_engines_;  // by shader engine
    std::vector<std::unique_ptr<EventLink<raster::BackEndDone>>> cb_in_;
    LaunchData data_;  // scratch space for placing; no meaning between calls
    TrackId draw_track_ = 0;
    WaveAllocator allocator_;
    AllocatorUnit* unit_ = nullptr;  // in its place
    DispatchCore dispatch_;
    DispatchUnit* dispatcher_ = &dispatch_;  // or another in its place
    AllocatorGrant grant_;                   // scratch space for place(); no meaning between calls
    const PacketPlaces* places_ = nullptr;
    gcn::LaunchLog* log_ = nullptr;
    Observers observers_;
    std::vector<TrackId> ring_tracks_;
    std::string path_;
};

// Declares the counters of exports.
void register_exports(const UnitStats& add, const ExportCounters& counters);

}  // namespace archipelago::spi
