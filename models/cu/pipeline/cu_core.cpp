// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/cu_core.h"

#include <algorithm>
#include <utility>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "models/common/transaction_id.h"
#include "models/cu/pipeline/wave_stop.h"
#include "models/gcn/wave_name.h"

namespace archipelago::cu {

CuCore::CuCore(const CuSpec& spec, CuIdentity identity, std::shared_ptr<DecodeCache> decode_cache)
    : ComputeUnit(spec, std::move(identity)), decode_(std::move(decode_cache)), units_(spec_) {
    spec_.validate();
    if (decode_ == nullptr)
        decode_ = std::make_shared<DecodeCache>();
    add_input(launch_in, inputs_, kLaunchIn);
    add_input(fetch_in, state_.fetch_due);
    add_input(scalar_in, state_.scalar_due);
    add_input(mem_in, state_.memory_due);
    add_input(l1_action_done_in, inputs_, kL1ActionDoneIn);
    add_input(gds_in, inputs_, kGdsIn);
    init_state();
}

void CuCore::init_state() {
    state_.groups.resize(spec_.group_slots);
    state_.smem_ops.resize(spec_.smem_outstanding);
    state_.smem_free = ~uint64_t{0} >> (64 - spec_.smem_outstanding);
    state_.smem_queue.set_capacity(size_t{spec_.simds} * spec_.smem_queue);
    state_.memtimes.set_capacity(spec_.smem_outstanding);
    state_.gds_ops.resize(spec_.gds_outstanding);
    state_.gds_free = ~uint64_t{0} >> (64 - spec_.gds_outstanding);
    state_.vmem_free = ~uint64_t{0} >> (64 - spec_.vmem_outstanding);
    state_.done.set_capacity(size_t{spec_.simds} * spec_.wave_slots);
}

void CuCore::allocate_waves() {
    state_.waves.resize(spec_.simds);
    state_.vgprs.reset(new VectorRegister[size_t{spec_.simds} * spec_.vgprs]);
    state_.lds.assign(spec_.lds_bytes, 0);
    const size_t waves = size_t{spec_.simds} * spec_.wave_slots;
    state_.lds_done.set_capacity(waves * spec_.lgkm_max);
    state_.export_done.set_capacity(waves * spec_.exp_max);
    state_.message_done.set_capacity(waves * spec_.lgkm_max);
    state_.vmem_ops.resize(spec_.vmem_outstanding);
    for (VmemOp& op : state_.vmem_ops)
        op.accesses.reserve(isa::kLanes);
    state_.ta_queue.set_capacity(size_t{spec_.simds} * spec_.vmem_queue);
    state_.td_queue.set_capacity(spec_.vmem_outstanding);
    state_.td_done.set_capacity(spec_.vmem_outstanding);
}

void CuCore::connect_tiling(EventLink<surface::TilingWrite>& in) {
    tiling_in_ = &in;
    in.set_consumer(this, inputs_, kTilingIn);
}

// Each port of the unit passes one message a cycle, those of vector memory as many as the Spec
// says.
bool CuCore::tick(Cycle now) {
    const bool running = run_ != RunState::Paused;
    const unsigned turn = turn_of(now);
    bool moved = false;
    if (has(kTilingIn) && tiling_in_->ready(now)) {
        tiling_.write(tiling_in_->take());
        moved = true;
    }
    if (state_.fetch_due <= now)
        moved |= take_fetches(now);
    if (state_.scalar_due <= now)
        moved |= take_scalar(now);
    if (state_.memory_due <= now || has(kL1ActionDoneIn))
        moved |= take_memory(now);
    if (has(kGdsIn))
        moved |= take_gds(now);
    if (state_.completion_due <= now)
        moved |= finish_timed(now);
    if ((state_.work & kSpecial) != 0)
        moved |= finish_special(now);
    if (has(kLaunchIn) && run_ == RunState::Running)
        moved |= accept_launches(now);
    if (running && state_.simds[turn].try_issue <= now)
        moved |= issue(turn, now);
    if (state_.ta_due <= now)
        moved |= address_unit(now);
    if ((state_.work & kReturnPath) != 0)
        moved |= return_path(now);
    if ((state_.work & kScalarQueue) != 0)
        moved |= send_scalar(now);
    if (running && state_.simds[turn].wants_fetch != 0)
        moved |= fetch(turn, now);
    if ((state_.work & kDoneQueue) != 0)
        moved |= send_done(now);
    if (!moved)
        sleep(now);
    return moved;
}

// Schedules a tick for the next cycle in which something is due.
void CuCore::sleep(Cycle now) {
    Cycle at = kNever;
    // What is due already and has not moved waits for a channel, which wakes by itself.
    const auto due = [&](Cycle cycle) {
        if (cycle > now)
            at = std::min(at, cycle);
    };
    if (run_ != RunState::Paused) {
        for (unsigned s = 0; s < spec_.simds; ++s) {
            const Simd& simd = state_.simds[s];
            if (simd.try_issue != kNever)
                due(next_turn(s, std::max(simd.try_issue, now + 1)));
            if (simd.wants_fetch != 0 && to_fetch->can_push(now))
                due(next_turn(s, now + 1));
        }
    }
    if (state_.completion_due != kNever)
        due(state_.completion_due);
    if ((state_.work & kSpecial) != 0) {
        if (!state_.export_done.empty())
            due(state_.export_done.front().at);
        if (!state_.message_done.empty())
            due(state_.message_done.front().at);
    }
    if ((state_.work & kReturnPath) != 0)
        due(state_.td_free);
    due(state_.ta_due);
    if (at != kNever)
        wake_at(at);
}

// ---- waves come and go --------------------------------------------------------------------------

bool CuCore::accept_launches(Cycle now) {
    if (!launch_in.can_pop(now))
        return false;
    launch(launch_in.pop(now), now);
    return true;
}

// What SPI may not launch.
void CuCore::check(const WaveLaunch& launch) const {
    const auto refuse = [&](const char* why) {
        throw MachineStop(StopKind::Protocol, identity_.name + " launch of " + wave_name(launch),
                          why);
    };
    if (!to_wave_done || !to_fetch || !to_scalar || !to_memory)
        refuse("the compute unit is not connected to SPI and its caches");
    if (launch.simd >= spec_.simds || launch.slot >= spec_.wave_slots)
        refuse("no such wave slot");
    if (launch.group_slot >= spec_.group_slots)
        refuse("no such group slot");
    if (launch.vgpr_base + launch.vgpr_count > spec_.vgprs)
        refuse("vector registers beyond the register file");
    if (launch.sgpr_base + launch.sgpr_count > spec_.sgprs)
        refuse("scalar registers beyond the register file");
    if (uint64_t{launch.lds_base} + launch.lds_bytes > spec_.lds_bytes)
        refuse("LDS allocation beyond the local data share");
    if (launch.pc % 4 != 0)
        refuse("program address is not a multiple of 4");
    if (!state_.waves.empty() && state_.waves[launch.simd][launch.slot].status != WaveStatus::Free)
        refuse("the wave slot is occupied");
}

void CuCore::launch(const WaveLaunch& launch, Cycle now) {
    check(launch);
    if (state_.waves.empty())
        allocate_waves();
    Wave& wave = state_.waves[launch.simd][launch.slot];
    VectorRegister* registers = &state_.vgprs[size_t{launch.simd} * spec_.vgprs +
                                              std::min<size_t>(launch.vgpr_base, spec_.vgprs - 1)];
    init_wave(launch, identity_.position, &registers->lanes, wave.regs);
    wave.launch = launch;
    wave.status = WaveStatus::NeedsFetch;
    wave.running = WaveReason::IssueInternal;
    wave.late = 0;
    wave.work = open_dispatch(launch, now);
    wave.executed = 0;
    wave.next = nullptr;
    wave.since = wave.launched = now;
    wave.sequence = state_.next_sequence++;
    wave.vm_count = wave.lgkm_count = wave.exp_count = 0;
    wave.hazard_until = wave.status_until = 0;
    wave.status_pending = 0;
    wave.after_long_pair = false;
    wave.exports = 0;
    wave.vmem_head = wave.vmem_unreturned = 0;

    Simd& simd = state_.simds[launch.simd];
    simd.ready_at[launch.slot] = now;
    simd.blocked[launch.slot] = WaveReason::Arbitration;
    simd.order[simd.waves++] = launch.slot;
    sort_waves(simd, launch.simd);

    Group& group = state_.groups[launch.group_slot];
    if (group.waves == 0) {
        group = Group{};
        group.waves = std::max<uint8_t>(launch.waves_in_group, 1);
        // As with registers: a program that reads what it did not write sees zeros in every mode.
        init_lds(launch, state_.lds.data());
    }
    group.members[launch.simd] |= uint64_t{1} << launch.slot;

    if (state_.resident++ == 0 && state_.done.empty())
        state_.busy_since = now;
    ++state_.counters.work.waves;
    if (retire_ != nullptr)
        retire_->starts(retire_number(launch.simd, launch.slot), launch, wave.regs);
    jump(launch.simd, launch.slot);
}

void CuCore::end_wave(unsigned simd_index, unsigned slot, Cycle now) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    if (retire_ != nullptr)
        retire_->ends(retire_number(simd_index, slot), wave.regs);
    const auto bit = static_cast<uint16_t>(1u << slot);
    const auto ready = static_cast<uint16_t>(simd.ready_slots() & ~bit);
    simd.wants_fetch &= static_cast<uint16_t>(~bit);
    unsigned kept = 0;
    for (unsigned i = 0; i < simd.waves; ++i)
        if (simd.order[i] != slot)
            simd.order[kept++] = simd.order[i];
    simd.waves = static_cast<uint8_t>(kept);
    simd.set_places(ready);
    wave.status = WaveStatus::Free;
    wave.next = nullptr;
    ++wave.generation;  // drops what was fetched ahead

    const WaveLaunch& l = wave.launch;
    Group& group = state_.groups[l.group_slot];
    group.members[simd_index] &= ~(uint64_t{1} << slot);
    --group.waves;
    check_barrier(group, now);

    close_dispatch(wave, now);

    state_.work |= kDoneQueue;
    state_.done.push({l.dispatch, l.group, l.group_slot, static_cast<uint8_t>(simd_index),
                      static_cast<uint8_t>(slot), wave.exports});
    ++state_.counters.waves_ended;
    --state_.resident;
    if (observers_.trace != nullptr)
        trace_wave(wave, now);
}

bool CuCore::send_done(Cycle now) {
    if (!to_wave_done->can_push(now))
        return false;
    to_wave_done->push(now, state_.done.front());
    state_.done.pop();
    if (!state_.done.empty())
        return true;
    state_.work &= static_cast<uint8_t>(~kDoneQueue);
    if (state_.resident == 0)
        state_.counters.busy_cycles += now - state_.busy_since;
    return true;
}

uint8_t CuCore::open_dispatch(const WaveLaunch& launch, Cycle now) {
    const DispatchKey key{launch.dispatch, launch.stage};
    auto& all = state_.dispatches;
    size_t place = all.size();
    for (size_t i = all.size(); i-- > 0;) {
        if (all[i].resident == 0)
            place = i;
        else if (all[i].key == key) {
            place = i;
            break;
        }
    }
    if (place == all.size())
        all.emplace_back();
    OpenDispatch& d = all[place];
    if (d.resident++ == 0) {
        d.key = key;
        d.work = WaveWork{};
        ledger_->begin(key, launch, now);
    }
    ++d.work.waves;
    return static_cast<uint8_t>(place);
}

void CuCore::close_dispatch(const Wave& wave, Cycle now) {
    OpenDispatch& d = state_.dispatches[wave.work];
    d.work.life += now - wave.launched;
    if (--d.resident == 0)
        ledger_->end(d.key, d.work, now);
}

std::vector<OpenDispatch> CuCore::resident_work(Cycle now) const {
    std::vector<OpenDispatch> open = state_.dispatches;
    for (unsigned simd = 0; simd < spec_.simds; ++simd) {
        const Simd& s = state_.simds[simd];
        for (unsigned i = 0; i < s.waves; ++i) {
            const Wave& wave = state_.waves[simd][s.order[i]];
            WaveWork& work = open[wave.work].work;
            Cycle since = wave.since;
            for_each_uncharged(s, wave, now, [&](Cycle from, Cycle until, WaveReason why) {
                work.cycles[index_of(why)] += until - from;
                since = until;
            });
            work.life += since - wave.launched;
        }
    }
    open.erase(std::remove_if(open.begin(), open.end(),
                              [](const OpenDispatch& d) { return d.resident == 0; }),
               open.end());
    return open;
}

// Why a wave does not execute an instruction now.
WaveReason CuCore::waits_for(const Wave& wave, WaveReason blocked) {
    switch (wave.status) {
        case WaveStatus::NeedsFetch:
            return WaveReason::Fetch;
        case WaveStatus::Waiting:
            return wave.waits_for;
        case WaveStatus::AtBarrier:
            return WaveReason::Barrier;
        case WaveStatus::Halted:
            return WaveReason::Halted;
        case WaveStatus::Ending:
            return WaveReason::Drain;
        default:
            return blocked;
    }
}

void CuCore::use_ledger(std::shared_ptr<WaveLedger> ledger) {
    ledger_ = std::move(ledger);
    detailed_ = ledger_->profiling();
}

// Priority first, then age. Of the waves only the last may be new.
void CuCore::sort_waves(Simd& simd, unsigned simd_index) {
    const uint16_t ready = simd.ready_slots();
    const auto& waves = state_.waves[simd_index];
    std::sort(simd.order.begin(), simd.order.begin() + simd.waves, [&](uint8_t a, uint8_t b) {
        const unsigned pa = waves[a].regs.priority;
        const unsigned pb = waves[b].regs.priority;
        return pa != pb ? pa > pb : waves[a].sequence < waves[b].sequence;
    });
    simd.set_places(ready);
}

// ---- what waves wait for ------------------------------------------------------------------------

void CuCore::end_wait(unsigned simd, unsigned slot, Cycle now, WaveReason waited_for,
                      unsigned conflicts) {
    Wave& wave = state_.waves[simd][slot];
    Cycle& ready_at = state_.simds[simd].ready_at[slot];
    if (now <= ready_at)
        return;
    account_run(wave, work_of(wave), ready_at);
    account_wait(wave, now, waited_for, conflicts);
    ready_at = now;
}

void CuCore::counter_changed(unsigned simd, unsigned slot, Cycle now, unsigned conflicts) {
    Wave& wave = state_.waves[simd][slot];
    if (wave.status == WaveStatus::Ending) {
        if (wave.vm_count == 0 && wave.lgkm_count == 0 && wave.exp_count == 0) {
            const Cycle ready_at = std::min(now, state_.simds[simd].ready_at[slot]);
            account_run(wave, work_of(wave), ready_at);
            account(wave, now, WaveReason::Drain);
            end_wave(simd, slot, now);
        }
        return;
    }
    if (wave.status != WaveStatus::Waiting)
        return;
    if (wave.next->action != Action::Wait) {
        // Held by a counter at its limit: try again.
        account_wait(wave, now, wave.waits_for, conflicts);
        state_.simds[simd].ready_at[slot] = std::max(state_.simds[simd].ready_at[slot], now);
        make_ready(simd, slot);
        return;
    }
    const Decoded& wait = *wave.next;
    switch (wait_reason({wave.vm_count, wave.exp_count, wave.lgkm_count},
                        {wait.wait_vm, wait.wait_exp, wait.wait_lgkm})) {
        case IssueReason::HoldVm:
            wave.waits_for = WaveReason::WaitVm;
            return;
        case IssueReason::HoldLgkm:
            wave.waits_for = WaveReason::WaitLgkm;
            return;
        case IssueReason::HoldExp:
            wave.waits_for = WaveReason::WaitExp;
            return;
        default:
            break;
    }
    end_wait(simd, slot, now, wave.waits_for, conflicts);
    const uint64_t from = wave.regs.pc;
    wave.regs.pc += 4;
    advance(simd, slot, from);
    prepare(simd, slot);
}

void CuCore::check_barrier(Group& group, Cycle now) {
    if (group.waves == 0 || group.arrived < group.waves)
        return;
    group.arrived = 0;
    for (unsigned simd = 0; simd < spec_.simds; ++simd) {
        for (uint64_t m = group.members[simd]; m != 0; m &= m - 1) {
            const auto slot = static_cast<unsigned>(__builtin_ctzll(m));
            Wave& wave = state_.waves[simd][slot];
            if (wave.status != WaveStatus::AtBarrier)
                continue;
            end_wait(simd, slot, now + spec_.barrier_cycles, WaveReason::Barrier);
            const uint64_t from = wave.regs.pc;
            wave.regs.pc += 4;
            advance(simd, slot, from);
            prepare(simd, slot);
        }
    }
}

void CuCore::unblock(uint8_t& mask, Cycle now) {
    for (unsigned m = mask; m != 0; m &= m - 1)
        try_issue_from(static_cast<unsigned>(__builtin_ctz(m)), now);
    mask = 0;
}

// ---- errors -------------------------------------------------------------------------------------

std::string CuCore::place(unsigned simd, unsigned slot, uint64_t pc, const Decoded* decoded) const {
    return identity_.name + ' ' + place_within(simd, slot, pc, decoded);
}

std::string CuCore::place_within(unsigned simd, unsigned slot, uint64_t pc,
                                 const Decoded* decoded) const {
    const WaveLaunch& l = state_.waves[simd][slot].launch;
    std::string text = "simd" + std::to_string(simd) + " slot" + std::to_string(slot) + " " +
                       wave_name(l) + " pc " + hex(pc);
    if (decoded != nullptr && decoded->action != Action::Illegal)
        text += " (" + isa::disassemble(decoded->inst, pc) + ")";
    return text;
}

void CuCore::stop(StopKind kind, unsigned simd, unsigned slot, uint64_t pc, const Decoded* decoded,
                  const std::string& why) const {
    throw WaveStop(MachineStop(kind, place(simd, slot, pc, decoded), why),
                   {simd, slot, pc, decoded != nullptr ? words_of(*decoded) : 0});
}

void CuCore::stop_access(unsigned simd, unsigned slot, uint64_t pc, const Decoded& decoded,
                         const std::string& why, const AccessFault& fault) const {
    throw AccessStop<WaveStop>({MachineStop(StopKind::Fault, place(simd, slot, pc, &decoded), why),
                                {simd, slot, pc, words_of(decoded)}},
                               fault);
}

// ---- Control ------------------------------------------------------------------------------------

void CuCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(idle(), "waves are resident");
    a.at_rest(units_.empty(), "a part of it is a Verilog twin");
    // Registers and LDS are cleared when a wave and a group are launched, and operations take their
    // places as they are issued: without waves neither holds anything. Nor do places of dispatches:
    // what their waves have done is in the ledger.
    State& s = state_;
    static_assert(field_count<State>() == 46, "say here what the new member comes to");
    bool used = !s.waves.empty();
    a(used);
    if (used && s.waves.empty())
        allocate_waves();
    a(s.simds, s.busy_since, s.next_sequence, s.next_uid);
    a(s.lds_free, s.export_free, s.ta_due, s.ta_start, s.ta_end, s.ta_stalled_since, s.ta_active,
      s.ta_op, s.ta_free, s.td_free);
    a(s.smem_free, s.gds_free, s.vmem_free, s.work, s.vmem_blocked, s.smem_blocked);
    a(s.completion_due, s.counters, tiling_);
}

void CuCore::reset() {
    Unit::reset();
    state_ = State{};
    tiling_ = tiling_reset_;
    init_state();
}

bool CuCore::idle() const {
    const bool launches = run_ != RunState::Draining && !launch_in.empty();
    return state_.resident == 0 && state_.done.empty() && state_.fetches_in_flight == 0 &&
           !launches && fetch_in.empty() && scalar_in.empty() && mem_in.empty() &&
           l1_action_done_in.empty() && gds_in.empty();
}

const isa::WaveState* CuCore::wave(unsigned simd, unsigned slot) const {
    if (simd >= state_.waves.size() || slot >= spec_.wave_slots)
        return nullptr;
    const Wave& wave = state_.waves[simd][slot];
    return wave.status == WaveStatus::Free ? nullptr : &wave.regs;
}

bool CuCore::waits_for_gds(unsigned simd, unsigned slot) const {
    for (unsigned i = 0; i < state_.gds_ops.size(); ++i)
        if ((state_.gds_free >> i & 1) == 0 && state_.gds_ops[i].simd == simd &&
            state_.gds_ops[i].slot == slot)
            return true;
    return false;
}

std::string CuCore::waiting_for() const {
    std::string text;
    unsigned listed = 0;
    for (unsigned simd = 0; simd < spec_.simds; ++simd) {
        for (unsigned i = 0; i < state_.simds[simd].waves; ++i) {
            const unsigned slot = state_.simds[simd].order[i];
            const Wave& wave = state_.waves[simd][slot];
            if (listed++ == 4)
                return text + "; and other waves, " + std::to_string(state_.resident) + " in all";
            if (!text.empty())
                text += "; ";
            text += place_within(simd, slot, wave.regs.pc, wave.next);
            const std::string counts = " (vmcnt " + std::to_string(wave.vm_count) + ", lgkmcnt " +
                                       std::to_string(wave.lgkm_count) + ", expcnt " +
                                       std::to_string(wave.exp_count) + ")";
            switch (wave.status) {
                case WaveStatus::Free:
                    break;
                case WaveStatus::Ready:
                    text += " is ready to issue" + counts;
                    break;
                case WaveStatus::NeedsFetch:
                    text += " waits for its instructions";
                    break;
                case WaveStatus::Waiting:
                    text += waits_for_gds(simd, slot) ? " waits for the global data share" + counts
                                                      : " waits for memory" + counts;
                    break;
                case WaveStatus::AtBarrier: {
                    const Group& group = state_.groups[wave.launch.group_slot];
                    text += " waits at a barrier, " + std::to_string(group.arrived) + " of " +
                            std::to_string(group.waves) + " waves have arrived";
                    break;
                }
                case WaveStatus::Halted:
                    text += " is halted (s_sethalt or s_sendmsghalt) and nothing resumes it";
                    break;
                case WaveStatus::Ending:
                    text += " has ended and waits for memory" + counts;
                    break;
            }
        }
    }
    if (!text.empty())
        return text;
    if (!state_.done.empty())
        return identity_.name + " waits for SPI to take a finished wave";
    if (state_.fetches_in_flight != 0)
        return identity_.name + " waits for the instruction cache";
    if (!idle())
        return identity_.name + " has waves to launch";
    return {};
}

}  // namespace archipelago::cu
