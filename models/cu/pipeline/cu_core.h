// SPDX-License-Identifier: Apache-2.0
// A compute unit in cycle mode: fetch, issue, scalar and vector ALUs, local data share and vector
// memory of one unit. What instructions do is models/cu/isa; when they do it is here. SI document
// 1.2; AMD OpenCL guide 2; Southern Islands ISA document.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "models/common/error.h"
#include "models/cu/access_fault.h"
#include "models/cu/isa/image_op.h"
#include "models/cu/pipeline/compute_unit.h"
#include "models/cu/pipeline/cu_state.h"
#include "models/cu/pipeline/cu_units.h"
#include "models/cu/pipeline/wave_text.h"
#include "models/cu/retire/retire_recorder.h"

namespace archipelago::cu {

class CuCore : public ComputeUnit {
    // Channels with a bit in inputs_; of the others State says when they are due.
    enum Input : unsigned { kLaunchIn, kL1ActionDoneIn, kGdsIn, kTilingIn };
    bool has(Input input) const { return (inputs_ >> input & 1) != 0; }

  public:
    // `decode_cache` may be shared by all units of a chip; without one the unit has its own.
    CuCore(const CuSpec& spec, CuIdentity identity,
           std::shared_ptr<DecodeCache> decode_cache = nullptr);

    // Lets a unit do a part of the work (cu_units.h); null: none.
    template <class PartUnit>
    void use(PartUnit* unit) {
        units_.use(unit);
    }

    void use_ledger(std::shared_ptr<WaveLedger> ledger) override;
    const WaveLedger& ledger() const { return *ledger_; }
    std::vector<OpenDispatch> resident_work(Cycle now) const override;
    void use_retire(RetireSink* sink) override {
        retire_ = sink != nullptr
                      ? std::make_unique<RetireRecorder>(*sink, identity_.name, spec_.lds_bytes)
                      : nullptr;
    }

    void set_tiling(const surface::TilingRegisters& tiling) override {
        tiling_ = tiling_reset_ = tiling;
    }
    void connect_tiling(EventLink<surface::TilingWrite>& in) override;
    void take_tiling(const surface::TilingRegisters& tiling) override { tiling_ = tiling; }
    const surface::TilingRegisters& tiling() const { return tiling_; }

    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const override {
        register_cu_stats(registry, path, state_.counters);
    }
    void observe(const Observers& observers, const std::string& path) override;
    void finish_trace(Cycle now) const override;
    const WorkCounters& work() const override { return state_.counters.work; }
    std::vector<ResidentWave> resident_waves() const override;

    const State& state() const { return state_; }
    // Architectural state of a resident wave; null when the slot is free. For dumps and tests.
    const isa::WaveState* wave(unsigned simd, unsigned slot) const;
    // Clears HALT from outside; false when no wave is halted there.
    bool resume_halted(unsigned simd, unsigned slot, Cycle now);

  private:
    // cu_core.cpp: control, launch, end
    void init_state();
    // What only waves use, most of the unit's memory; with the first launch, for short runs use few
    // units.
    void allocate_waves();
    bool accept_launches(Cycle now);
    void check(const WaveLaunch& launch) const;
    void launch(const WaveLaunch& launch, Cycle now);
    void end_wave(unsigned simd, unsigned slot, Cycle now);
    bool send_done(Cycle now);
    void sleep(Cycle now);
    void sort_waves(Simd& simd, unsigned simd_index);
    // Charges the wave's cycles up to `until`, those not yet charged, to `why`.
    void account(Wave& wave, Cycle until, WaveReason why) {
        account(wave, work_of(wave), until, why);
    }
    void account(Wave& wave, WaveWork& work, Cycle until, WaveReason why) {
        if (until <= wave.since)
            return;
        const Cycle cycles = until - wave.since;
        if (detailed_)
            trace_charge(wave, until, why);
        wave.since = until;
        state_.counters.wave_cycles[static_cast<unsigned>(time_of(why))] += cycles;
        work.cycles[index_of(why)] += cycles;
    }
    // The same, of a wave that executed until `ready_at`.
    void account_run(Wave& wave, WaveWork& work, Cycle ready_at) {
        if (wave.late == 0) {
            account(wave, work, ready_at, wave.running);
            return;
        }
        account(wave, work, ready_at - wave.late, wave.running);
        account(wave, work, ready_at, wave.late_for);
        wave.late = 0;
    }
    static unsigned active_lanes(const isa::WaveState& regs) {
        const uint64_t exec = regs.exec();
        return exec == ~uint64_t{0} ? isa::kLanes
                                    : static_cast<unsigned>(__builtin_popcountll(exec));
    }
    WaveWork& work_of(const Wave& wave) { return state_.dispatches[wave.work].work; }
    // The same, of a wave whose wait for a counter ends; `conflicts`: see Completion.
    void account_wait(Wave& wave, Cycle now, WaveReason why, unsigned conflicts) {
        if (conflicts != 0 && why == WaveReason::WaitLgkm)
            account(wave, now - std::min<Cycle>(conflicts, now), why);
        account(wave, now,
                conflicts != 0 && why == WaveReason::WaitLgkm ? WaveReason::LdsConflict : why);
    }
    static WaveReason waits_for(const Wave& wave, WaveReason blocked);
    // Calls fn(from, until, why) for the cycles of a resident wave up to `now` that have not been
    // charged yet.
    template <class Fn>
    static void for_each_uncharged(const Simd& simd, const Wave& wave, Cycle now, const Fn& fn) {
        Cycle since = wave.since;
        const auto charge = [&](Cycle until, WaveReason why) {
            until = std::min(until, now);
            if (until > since) {
                fn(since, until, why);
                since = until;
            }
        };
        const unsigned slot = wave.launch.slot;
        const Cycle ready_at = simd.ready_at[slot];
        charge(ready_at - wave.late, wave.running);
        charge(ready_at, wave.late != 0 ? wave.late_for : wave.running);
        charge(now, waits_for(wave, simd.blocked[slot]));
    }
    // Charges the instruction, and shows the wait in the timeline.
    void trace_charge(const Wave& wave, Cycle until, WaveReason why);
    void trace_wait(const Wave& wave, Cycle from, Cycle until, WaveReason why) const;
    void trace_wave(const Wave& wave, Cycle end) const;
    uint8_t open_dispatch(const WaveLaunch& launch, Cycle now);
    void close_dispatch(const Wave& wave, Cycle now);
    // The wave executes no instruction before `until`, its last one apart because of `why`.
    static void delay(Wave& wave, Cycle& ready_at, Cycle until, WaveReason why) {
        if (until <= ready_at)
            return;
        if (wave.running != WaveReason::Sleep) {
            wave.late = static_cast<uint8_t>(std::min<Cycle>(wave.late + (until - ready_at), 255));
            wave.late_for = why;
        }
        ready_at = until;
    }
    // finish_timed() is due at `at`.
    void completes(Cycle at) {
        if (at < state_.completion_due)
            state_.completion_due = at;
    }
    // Accounts for the time up to `now`, from which on the wave may issue.
    void end_wait(unsigned simd, unsigned slot, Cycle now, WaveReason waited_for,
                  unsigned conflicts = 0);
    // `conflicts`: of a DS instruction that lowered lgkmcnt.
    void counter_changed(unsigned simd, unsigned slot, Cycle now, unsigned conflicts = 0);
    void check_barrier(Group& group, Cycle now);
    // Whose turn it is to issue. Chips have four SIMDs: no division then.
    unsigned turn_of(Cycle cycle) const {
        return static_cast<unsigned>(spec_.simds == 4 ? cycle % 4 : cycle % spec_.simds);
    }
    Cycle next_turn(unsigned simd, Cycle from) const {
        const unsigned turn = turn_of(from);
        return from + (simd >= turn ? simd - turn : simd + spec_.simds - turn);
    }
    void try_issue_from(unsigned simd, Cycle at) {
        Simd& s = state_.simds[simd];
        if (at < s.try_issue)
            s.try_issue = at;
    }
    void unblock(uint8_t& mask, Cycle now);
    bool waits_for_gds(unsigned simd, unsigned slot) const;
    // "se0.sh0.cu3 simd1 slot0 cs1.g7.w0 pc 0x1000 (s_nop 0)"; the second without the unit.
    std::string place(unsigned simd, unsigned slot, uint64_t pc, const Decoded* decoded) const;
    std::string place_within(unsigned simd, unsigned slot, uint64_t pc,
                             const Decoded* decoded) const;
    [[noreturn]] void stop(StopKind kind, unsigned simd, unsigned slot, uint64_t pc,
                           const Decoded* decoded, const std::string& why) const;
    // An access of the instruction that memory refuses.
    [[noreturn]] void stop_access(unsigned simd, unsigned slot, uint64_t pc, const Decoded& decoded,
                                  const std::string& why, const AccessFault& fault) const;

    // fetch.cpp
    static uint64_t block_of(uint64_t pc) { return pc & ~uint64_t{kFetchBytes - 1}; }
    bool take_fetches(Cycle now);
    void take_fetch(Cycle now, const FetchResponse& response);
    bool fetch(unsigned simd, Cycle now);
    const Decoded* lookup(Wave& wave, unsigned simd, unsigned slot);
    void prepare(unsigned simd, unsigned slot);
    void make_ready(unsigned simd, unsigned slot);
    void jump(unsigned simd, unsigned slot);
    // Called after the pc has moved on from `from` to the next instruction.
    void advance(unsigned simd, unsigned slot, uint64_t from) {
        if (block_of(from) != block_of(state_.waves[simd][slot].regs.pc))
            leave_block(simd, slot, from);
    }
    // Cycles a lone wave waits for its next block after a jump to its pc.
    unsigned jump_penalty(unsigned simd, unsigned slot, uint64_t from) const;
    // Whether both dwords of the two-dword instruction at the wave's pc have arrived.
    bool fetched_whole(const Wave& wave) const;
    void leave_block(unsigned simd, unsigned slot, uint64_t from);
    void update_wants_fetch(unsigned simd, unsigned slot);

    // issue.cpp
    bool issue(unsigned simd, Cycle now);
    struct IssueView;
    rtl::CuIssuePins::Query issue_query(const IssueView& view) const;
    void refuse(unsigned simd, unsigned slot, Cycle now, IssueReason why);
    void issue_one(unsigned simd, unsigned slot, Cycle now);
    void issue_recorded(unsigned simd, unsigned slot, Cycle now);
    void execute(unsigned simd, unsigned slot, Cycle now);
    static uint32_t retire_number(unsigned simd, unsigned slot) { return simd * kMaxSlots + slot; }
    void issue_alu(unsigned simd, unsigned slot, Cycle now);
    // A branch at `from`, with its effect on the program counter done; `next`: after the branch.
    void finish_branch(unsigned simd, unsigned slot, Cycle now, uint64_t from, uint64_t next);
    void issue_internal(unsigned simd, unsigned slot, Cycle now);
    void stay(unsigned simd, unsigned slot, Cycle now, WaveStatus status);
    bool wait_at_barrier(unsigned simd, unsigned slot, Cycle now);
    void invalidate_instructions(unsigned simd, unsigned slot, Cycle now);
    void hold(unsigned simd, unsigned slot, Cycle now, WaveReason why);
    void proceed(unsigned simd, unsigned slot, Cycle now, unsigned cycles);
    // The instruction that issues now changes what branches test.
    void change_status(Wave& wave, const Decoded& d, Cycle now, Cycle done) {
        if (d.status_changed == 0)
            return;
        wave.status_pending = static_cast<uint8_t>(
            d.status_changed | (wave.status_until > now ? wave.status_pending : 0));
        wave.status_until = done + spec_.branch_status_stall;
    }
    // Until the wave's next instruction issues, of ALU and vector memory instructions, DS
    // instructions without conflicts and exports; the least of others.
    unsigned issue_cycles(const Decoded& d) const;
    unsigned lds_cycles(const Decoded& d) const {
        return std::max(d.lds_operands * spec_.lds_operand_cycles,
                        isa::kLanes * d.lds_dwords / spec_.lds_banks * spec_.lds_bank_cycles);
    }
    [[noreturn]] void stop_unexecutable(unsigned simd, unsigned slot, const Decoded& d) const;
    void log_instruction(unsigned simd, unsigned slot, Cycle now, const Decoded& d) const;

    // scalar_lds.cpp
    void issue_scalar_mem(unsigned simd, unsigned slot, Cycle now);
    void issue_lds(unsigned simd, unsigned slot, Cycle now);
    Cycle occupy_lds(unsigned simd, Cycle now, unsigned cycles);
    bool take_scalar(Cycle now);
    bool send_scalar(Cycle now);
    bool finish_timed(Cycle now);
    void finish_scalar(uint8_t op_index, const uint32_t* data, Cycle now);

    // special.cpp
    void issue_interpolation(unsigned simd, unsigned slot, Cycle now);
    void issue_export(unsigned simd, unsigned slot, Cycle now);
    void issue_gds(unsigned simd, unsigned slot, Cycle now);
    void issue_message(unsigned simd, unsigned slot, Cycle now);
    void issue_control(unsigned simd, unsigned slot, Cycle now);
    void read_operands(unsigned simd, unsigned slot, Cycle now);
    void stop_if_halted(unsigned simd, unsigned slot, Cycle now);
    bool take_gds(Cycle now);
    bool finish_special(Cycle now);

    // vector_memory.cpp
    void issue_vector_mem(unsigned simd, unsigned slot, Cycle now);
    bool address_unit(Cycle now);
    void begin_addresses(Cycle now);
    void end_addresses(VmemOp& v, Cycle now);
    Cycle next_address() const;
    void send_access(VmemOp& op, uint8_t index, Cycle now);
    bool take_memory(Cycle now);
    bool return_path(Cycle now);
    void responses_changed(uint8_t op_index);
    void finish_vector_mem(const Completion& done, Cycle now);
    [[noreturn]] void memory_fault(const VmemOp& op, const LineAccess& access,
                                   const MemResponse& response) const;

    // cu_report.cpp
    void trace_mark(unsigned simd, unsigned slot, const isa::Inst& inst, uint64_t level, Cycle now);

    // image_memory.cpp
    void describe_image(VmemOp& op, const Wave& wave, const Decoded& d, unsigned simd,
                        unsigned slot);
    void finish_image(const VmemOp& op, isa::WaveState& regs);

    std::shared_ptr<DecodeCache> decode_;
    State state_;
    surface::TilingRegisters tiling_;
    isa::ImageUnit image_unit_;
    surface::TilingRegisters tiling_reset_;
    EventLink<surface::TilingWrite>* tiling_in_ = nullptr;
    CuUnits units_;
    std::unique_ptr<RetireRecorder> retire_;  // null: no reports
    std::shared_ptr<WaveLedger> ledger_ = std::make_shared<WaveLedger>();
    bool detailed_ = false;  // more is done with a charge than adding it up
    Observers observers_;
    std::unique_ptr<InstructionTexts> instruction_texts_;  // with a timeline
    TrackId tracks_[kMaxSimds][kMaxSlots] = {};
    TrackId wait_tracks_[kMaxSimds][kMaxSlots] = {};
};

}  // namespace archipelago::cu
