// SPDX-License-Identifier: Apache-2.0
// An array of the DPP in cycle mode: threads of up to 48 lanes that share a program counter,
// instruction fetch, issue, lookups and the end of programs. What instructions do is
// models/ctm/isa; when they do it is here. ATI CTM Guide 1.01, sections 2.1.1 and 3.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/ctm/dpp/decode_cache.h"
#include "models/ctm/dpp/dpp_spec.h"
#include "models/ctm/dpp/dpp_state.h"
#include "models/ctm/isa/alu_unit.h"
#include "models/ctm/messages.h"

namespace archipelago::ctm::dpp {

class DppCore final : public Unit {
    // First, next to the base classes' state: every tick reads it. A bit per input that is not
    // empty; words_in has those from kWordsIn on.
    enum Input : unsigned { kCommandIn, kLaunchIn, kTextureIn, kOutputIn, kConditionIn, kWordsIn };
    bool has(unsigned input) const { return (inputs_ >> input & 1) != 0; }
    uint64_t inputs_ = 0;

  public:
    // `decode_cache` may be shared by the arrays of a chip. Throws std::invalid_argument for a Spec
    // that is out of range.
    explicit DppCore(const Spec& spec, std::string name = "ctm.dpp0",
                     std::shared_ptr<DecodeCache> decode_cache = nullptr);

    // set_inp_fmt, before the threads that see it; others change nothing.
    Channel<UnitCommand> commands;
    Channel<ThreadLaunch> launch_in;
    Channel<ElementResponse> texture_in;
    Channel<ElementResponse> output_in;
    Channel<ConditionResult> condition_in;
    std::array<Channel<WordsResponse>, kWordsKinds> words_in;

    OutputEvent<UnitCommandDone> to_command_done{this};  // need not be connected
    OutputChannel<ThreadDone> to_done{this};
    OutputChannel<ElementRequest> to_texture{this};
    OutputChannel<ElementRequest> to_output{this};
    OutputChannel<ConditionRequest> to_condition{this};
    std::array<OutputChannel<WordsRequest>, kWordsKinds> to_words{
        {OutputChannel<WordsRequest>{this}, OutputChannel<WordsRequest>{this},
         OutputChannel<WordsRequest>{this}, OutputChannel<WordsRequest>{this}}};

    // What carries out ALU and OUT instructions in place of isa::execute(), or null. It must
    // outlive this.
    void set_alu(isa::AluUnit* alu) { alu_ = alu; }

    // A thread that has not ended after so many instructions stops the machine.
    void set_instruction_limit(uint64_t per_thread) { instruction_limit_ = per_thread; }

    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

    // What a machine in functional mode has, before anything is done.
    void take_over(const std::array<isa::Extent, kInputs>& extents) { state_.extents = extents; }
    const State& state() const { return state_; }
    const Spec& spec() const { return spec_; }
    const std::string& name() const { return name_; }

  private:
    // dpp_core.cpp: control, launch, end
    bool run(Cycle now);
    void init_state();
    void allocate_threads();
    void sleep(Cycle now);
    bool take_commands(Cycle now);
    bool accept_launches(Cycle now);
    void check_launch(const ThreadLaunch& launch) const;
    void launch(const ThreadLaunch& launch, Cycle now);
    void end_thread(unsigned slot, Cycle now);
    void trace_thread(unsigned slot, Cycle end) const;
    bool send_done(Cycle now);
    // Charges the thread's cycles up to `now`, then it waits for `why`.
    void account(Slot& t, Cycle now, ThreadTime why);

    // fetch.cpp
    void fetch(unsigned slot);
    void request(Words kind, uint16_t index, uint32_t tag);
    bool send_words(Cycle now);
    bool take_words(Cycle now);
    void take_instruction(const WordsResponse& response, Cycle now);
    void take_constant(Words kind, const WordsResponse& response, Cycle now);
    void advance(unsigned slot);
    static const Decoded* next_instruction(const Slot& t) {
        return t.buffered != 0 ? t.buffer[0] : nullptr;
    }
    bool constants_there(unsigned slot, const Decoded& d);
    const Constant* find_constant(unsigned slot, Words kind, unsigned index);

    // issue.cpp
    void prepare(unsigned slot, Cycle now);
    bool blocked(unsigned slot, const Decoded& d, ThreadTime& why);
    bool takes_output(unsigned slot);
    static ThreadTime busy_unit(const Decoded& d);
    void make_ready(unsigned slot, const Decoded& d);
    bool waits(unsigned slot, ThreadTime why) const {
        const Slot& t = state_.slots[slot];
        return t.phase == Phase::Blocked && t.waits_for == why;
    }
    void wake_timed(Cycle now);
    bool issue(Cycle now);
    void issue_alu(unsigned slot, Cycle now);
    void issue_flow(unsigned slot, Cycle now);
    const Decoded& begin(unsigned slot, Cycle now);
    void execute(unsigned slot, const Decoded& d);
    void proceed(unsigned slot, Cycle now);
    void log_instruction(unsigned slot, const Decoded& d, Cycle now) const;

    // lookup.cpp
    void issue_lookup(unsigned slot, Cycle now);
    bool send_lookups(Cycle now);
    bool take_texels(Cycle now);
    bool land_lookups(Cycle now);
    static void add_pending(Slot& t, const Lookup& lookup);
    void find_pending(unsigned slot);

    // output.cpp
    void finish(unsigned slot, Cycle now);
    void write_outputs(unsigned slot, Cycle now);
    bool send_tests(Cycle now);
    bool take_results(Cycle now);
    bool send_outputs(Cycle now);
    void write_uncached(unsigned slot, const Decoded& d);
    bool take_written(Cycle now);

    const Spec spec_;
    const std::string name_;
    std::shared_ptr<DecodeCache> decode_;
    State state_;
    isa::AluUnit* alu_ = nullptr;
    isa::Effects effects_;  // no meaning between calls
    uint64_t instruction_limit_ = ~uint64_t{0};
    Observers observers_;
    std::vector<TrackId> tracks_;
};

}  // namespace archipelago::ctm::dpp
