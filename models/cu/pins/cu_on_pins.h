// SPDX-License-Identifier: Apache-2.0
// Takes the place of a chip's compute unit and drives the block on the pins.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/cu/pins/cu_messages.h"
#include "models/cu/pipeline/compute_unit.h"
#include "models/cu/retire/retire_sink.h"

namespace archipelago::cu {

// The block's clock stops while no wave is resident and nothing comes.
class CuOnPins final : public ComputeUnit {
  public:
    // Resets the block, which must outlive this. As CuCore.
    CuOnPins(rtl::PinBlock<CuPins>& block, const CuSpec& spec, const CuIdentity& identity,
             std::shared_ptr<DecodeCache> decode_cache);

    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override { a.at_rest(false, "it is Verilog"); }
    bool idle() const override;
    std::string waiting_for() const override;

    void use_ledger(std::shared_ptr<WaveLedger> ledger) override { ledger_ = std::move(ledger); }
    std::vector<OpenDispatch> resident_work(Cycle now) const override;
    void use_retire(RetireSink* sink) override { sink_ = sink; }
    void set_tiling(const surface::TilingRegisters& tiling) override;
    void connect_tiling(EventLink<surface::TilingWrite>& in) override;
    void take_tiling(const surface::TilingRegisters& tiling) override;

    void register_stats(StatsRegistry& registry, const std::string& path) const override {
        register_cu_stats(registry, path, counters_);
    }
    void observe(const Observers& observers, const std::string& path) override;
    void finish_trace(Cycle now) const override;
    const WorkCounters& work() const override { return counters_.work; }
    bool owes_records() const override { return out_.busy != 0; }
    bool silent() const override { return silent_; }
    std::vector<ResidentWave> resident_waves() const override;

  private:
    // A wave from its launch to its end, and on to its last transfer of retire.
    struct Wave {
        RetiredWave about;
        bool wanted = false;                  // by the sink
        bool ended = false, retired = false;  // port done, retire_end: in either order
        Cycle launched = 0;
        uint64_t pc = 0;  // of what it fetched or retired last
        uint64_t executed = 0;
    };
    struct Rest;
    using Waves = std::array<std::deque<Wave>, CuPins::kWaves>;  // of each number, oldest first

    Wave* resident(uint8_t number);
    Wave& resident(uint8_t number, const char* port);
    std::string place(uint8_t number, uint64_t pc) const;
    [[noreturn]] void protocol(const std::string& what) const;

    void send_tiling();
    CuPins::In held() const;
    void next_rows(const WaveLaunch& launch);
    void send_rows();
    void put_inputs(Cycle now);
    void put_launch(Cycle now);
    bool answers_wait(Cycle now) const;
    bool step(Cycle now);
    bool take_launch(Cycle now);
    bool take_end(Cycle now);
    bool take_ports(Cycle now);
    bool take_message(Cycle now);
    void follow_fetches();
    void follow_requests();
    void require_connected() const;
    uint64_t next_uid();
    void launch(Cycle now);
    void check_untouched(const WaveLaunch& launch, const isa::WaveState& regs,
                         const std::vector<VectorRegister>& registers) const;
    void end_wave(Cycle now);
    void trace_wave(const Wave& wave, Cycle end) const;
    void begin_dispatch(const WaveLaunch& launch, Cycle now);
    void end_dispatch(const Wave& wave, Cycle now);
    void take_beat(Cycle now);
    void retire(Wave& wave, Cycle now);
    WaveIdentity identity_of(uint8_t number, uint64_t pc, const char* port);
    [[noreturn]] void stop() const;

    rtl::PinBlock<CuPins>& block_;
    std::shared_ptr<DecodeCache> decode_;
    std::shared_ptr<WaveLedger> ledger_ = std::make_shared<WaveLedger>();
    RetireSink* sink_ = nullptr;
    Observers observers_;
    std::array<TrackId, CuPins::kWaves> tracks_{};

    CuPins::In in_;
    CuPins::Out out_;
    Waves waves_;
    unsigned resident_ = 0;
    std::deque<CuPins::Init> rows_;  // of the launch at the head, not yet on the pins
    bool launch_seen_ = false;       // fields on the pins
    bool rows_known_ = false;
    std::vector<surface::TilingWrite> tiling_;  // on their way to the pins
    surface::TilingRegisters tiling_reset_;
    EventLink<surface::TilingWrite>* tiling_in_ = nullptr;
    uint64_t next_uid_ = 0;
    Cycle busy_since_ = 0, moved_at_ = 0, stepped_at_ = 0;
    std::vector<OpenDispatch> dispatches_;
    Counters counters_;
    Retired record_;  // under construction, transfer by transfer
    uint8_t record_wave_ = 0;
    bool record_open_ = false;
    bool silent_ = false;
};

}  // namespace archipelago::cu
