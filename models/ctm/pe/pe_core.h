// SPDX-License-Identifier: Apache-2.0
// CTM's processor execution unit in cycle mode: fetches command buffers, has the sequencer read
// them, passes commands on, walks domains and gives threads to the arrays. ATI CTM Guide 1.01,
// section 2.1.2.
#pragma once

#include <string>
#include <vector>

#include "models/common/interrupt.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/ctm/pe/pe_functional.h"
#include "models/ctm/pe/pe_spec.h"
#include "models/ctm/pe/pe_state.h"
#include "models/ctm/pe/register_file.h"
#include "models/ctm/pe/sequencer_core.h"

namespace archipelago::ctm {

class PeCore final : public Unit, public RegisterTarget {
  public:
    // Throws std::invalid_argument for a Spec that is out of range. `sequencer`: a block to use in
    // place of the core's own, which outlives this; null: the core's own.
    explicit PeCore(const PeSpec& spec, const std::string& name = "ctm.pe",
                    rtl::PinBlock<rtl::CtmPePins>* sequencer = nullptr);

    Channel<RegRequest> registers;
    OutputChannel<RegResponse> to_registers{this};
    OutputEvent<Interrupt> to_interrupt{this};  // ring 0, data: the buffer's id

    OutputChannel<MemRequest> to_memory{this};
    Channel<MemResponse> memory_response;

    OutputChannel<UnitCommand> to_memory_controller{this};
    EventLink<UnitCommandDone> memory_controller_done;
    OutputChannel<UnitCommand> to_conditional_operation{this};
    EventLink<UnitCommandDone> conditional_operation_done;

    OutputChannel<ConditionRequest> to_condition{this};
    Channel<ConditionResult> condition;  // in the order of requests
    std::vector<OutputChannel<ThreadLaunch>> to_array;
    std::vector<Channel<ThreadDone>> done;  // of each array

    bool tick(Cycle now) override;

    // RegisterTarget. A write of CB_SIZE waits while as many buffers as may be wait.
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;
    bool inspect_register(const RegRequest& request, uint32_t& value) override;
    bool register_ready(const RegRequest& request) const override;
    RegisterFile& register_file() { return file_; }

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

    // What a machine in functional mode has, before anything is done. Its counters have counted so
    // far.
    void take_over(const PeFunctional& machine, const PerfClocks& counted);
    const PeState& state() const { return state_; }
    const PeSpec& spec() const { return spec_; }

  private:
    using Pins = rtl::CtmPePins;

    bool take_answers(Cycle now);
    void take_memory(Cycle now);
    // fetch
    bool fetch(Cycle now);
    const FetchedLine* line_to_read() const;
    // sequencer
    bool sequence(Cycle now);
    void offer_inputs(Cycle now, Pins::In& in);
    void carry(Cycle now, const Pins::In& in, const Pins::Out& out);
    void open_buffer();
    void close_buffer(Cycle now);
    void take_dword(Cycle now, uint32_t dword);
    void start_walk(Cycle now, const Pins::Start& start);
    [[noreturn]] void stopped(uint8_t code) const;
    void count(Cycle now, const UnitCommand& command, bool ready);
    void note_wait(Cycle now, uint8_t wait);
    void report_command(Cycle now);
    void trace_walk(Cycle end) const;
    // walk
    bool walk(Cycle now);
    bool walk_quad(Cycle now);
    bool launch(Cycle now);
    int array_for(Cycle now);
    void add_quad(const WalkQuad& quad, uint8_t lanes);
    void thread_done(Cycle now, unsigned array);
    bool programs_run() const { return state_.walking || state_.threads_out != 0; }
    PerfClocks clocks(Cycle now) const;
    MemRequest request(uint64_t address, unsigned bytes);

    const PeSpec spec_;
    const std::string name_;
    SequencerCore own_;
    rtl::PinBlock<Pins>& sequencer_;
    RegisterFile file_;
    PeState state_;
    Observers observers_;
    TrackId commands_track_ = 0, programs_track_ = 0;
    std::string path_;
};

}  // namespace archipelago::ctm
