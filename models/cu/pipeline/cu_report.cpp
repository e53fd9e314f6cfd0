// SPDX-License-Identifier: Apache-2.0
// Counters and timeline of a compute unit.

#include <fmt/core.h>
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/cu_core.h"

namespace archipelago::cu {
namespace {

const char* state_name(WaveStatus status) {
    switch (status) {
        case WaveStatus::Free:
            return "free";
        case WaveStatus::Ready:
            return "ready";
        case WaveStatus::NeedsFetch:
            return "fetch";
        case WaveStatus::Waiting:
            return "memory";
        case WaveStatus::AtBarrier:
            return "barrier";
        case WaveStatus::Halted:
            return "halted";
        case WaveStatus::Ending:
            return "ending";
    }
    return "?";
}

// A wave in these cycles executes an instruction; in others it waits.
bool executes(WaveReason why) {
    return why <= WaveReason::IssueInternal || why == WaveReason::Sleep;
}

}  // namespace

std::vector<ResidentWave> CuCore::resident_waves() const {
    std::vector<ResidentWave> all;
    for (unsigned simd = 0; simd < spec_.simds; ++simd) {
        for (unsigned i = 0; i < state_.simds[simd].waves; ++i) {
            const unsigned slot = state_.simds[simd].order[i];
            const Wave& wave = state_.waves[simd][slot];
            all.push_back({simd, slot, wave.launch.dispatch, wave.regs.pc, state_name(wave.status),
                           wave.vm_count, wave.lgkm_count, wave.exp_count});
        }
    }
    return all;
}

uint64_t count_mark(const isa::Inst& inst, WorkCounters& work) {
    const unsigned level = static_cast<uint16_t>(inst.simm16) & 15u;
    switch (inst.op) {
        case isa::Op::S_INCPERFLEVEL:
            ++work.perf_level_changes;
            return ++work.perf_levels[level];
        case isa::Op::S_DECPERFLEVEL:
            ++work.perf_level_changes;
            return --work.perf_levels[level];
        default:
            ++work.trace_words;
            return 0;
    }
}

void CuCore::trace_mark(unsigned simd, unsigned slot, const isa::Inst& inst, uint64_t level,
                        Cycle now) {
    observers_.trace->instant(
        tracks_[simd][slot], now,
        inst.op == isa::Op::S_TTRACEDATA
            ? fmt::format("trace data 0x{:08x}", state_.waves[simd][slot].regs.s[isa::kM0])
            : fmt::format("performance level {}: {}", inst.simm16 & 15, level));
}

// What a wave executes is charged to the instruction it executes, a wait to the one that waits.
void CuCore::trace_charge(const Wave& wave, Cycle until, WaveReason why) {
    if (ledger_->profiling())
        ledger_->at({wave.launch.pc, executes(why) ? wave.issued_pc : wave.regs.pc})
            .cycles[index_of(why)] += until - wave.since;
    if (observers_.trace != nullptr)
        trace_wait(wave, wave.since, until, why);
}

void CuCore::trace_wait(const Wave& wave, Cycle from, Cycle until, WaveReason why) const {
    if (executes(why))
        return;
    const WaveLaunch& l = wave.launch;
    observers_.trace->slice(
        wait_tracks_[l.simd][l.slot], from, until, kWaveReasonRows[index_of(why)].name, 0,
        instruction_texts_->of(l.pc, wave.regs.pc, wave.next, *observers_.trace));
}

void CuCore::trace_wave(const Wave& wave, Cycle end) const {
    const WaveLaunch& l = wave.launch;
    const WaveText text = wave_text(l, *observers_.trace, wave.regs.pc);
    observers_.trace->slice(tracks_[l.simd][l.slot], wave.launched, end, text.name, text.flow,
                            text.detail);
}

void CuCore::finish_trace(Cycle now) const {
    for (const Simd& simd : state_.simds)
        for (unsigned i = 0; i < simd.waves; ++i) {
            const Wave& wave = state_.waves[&simd - state_.simds.data()][simd.order[i]];
            for_each_uncharged(simd, wave, now, [&](Cycle from, Cycle until, WaveReason why) {
                trace_wait(wave, from, until, why);
            });
            trace_wave(wave, now);
        }
}

void register_cu_stats(StatsRegistry& registry, const std::string& path, const Counters& c) {
    const UnitStats add(registry, path);

    add("waves", "waves", "waves launched", &c.work.waves);
    add("waves_ended", "waves", "waves that have ended", &c.waves_ended);
    add("busy_cycles", "cycles", "cycles with a wave resident, or the end of one on its way out",
        &c.busy_cycles);
    add("issue_cycles", "cycles", "cycles in which at least one instruction issued",
        &c.issue_cycles);

    static const struct {
        isa::Class cls;
        const char* name;
        const char* meaning;
    } kClassCounters[] = {
        {isa::Class::Valu, "valu_instructions", "vector ALU instructions issued"},
        {isa::Class::Salu, "salu_instructions", "scalar ALU instructions issued"},
        {isa::Class::Smem, "smem_instructions", "scalar memory instructions issued"},
        {isa::Class::Vmem, "vmem_instructions", "vector memory instructions issued"},
        {isa::Class::Lds, "lds_instructions", "local data share instructions issued"},
        {isa::Class::Gds, "gds_instructions", "global data share instructions issued"},
        {isa::Class::Export, "export_instructions", "export instructions issued"},
        {isa::Class::Branch, "branch_instructions", "branch instructions issued"},
        {isa::Class::Message, "message_instructions", "message instructions issued"},
        {isa::Class::Internal, "internal_instructions",
         "instructions carried out in the instruction buffer (s_waitcnt, s_barrier, s_nop, ...)"},
    };
    for (const auto& row : kClassCounters)
        add(row.name, "instructions", row.meaning,
            &c.work.instructions[static_cast<unsigned>(row.cls)]);

    add("valu_lanes", "lanes", "active lanes, summed over vector ALU instructions",
        &c.work.valu_lanes);
    add("vmem_lanes", "lanes", "lanes that accessed memory, summed over vector memory instructions",
        &c.work.vmem_lanes);
    add("branches_taken", "instructions", "branches that changed the program counter",
        &c.work.branches_taken);
    add("barriers", "waves", "arrivals at s_barrier", &c.work.barriers);
    add("perf_level_changes", "instructions", "s_incperflevel and s_decperflevel",
        &c.work.perf_level_changes);
    add("trace_words", "instructions", "s_ttracedata: words a program put into the timeline",
        &c.work.trace_words);

    add("valu_busy_cycles", "SIMD cycles", "vector ALU occupied, summed over SIMDs",
        &c.valu_busy_cycles);
    add("lds_bank_cycles", "cycles", "bank cycles of local data share accesses",
        &c.lds_bank_cycles);
    add("lds_busy_cycles", "cycles", "local data share serving an instruction", &c.lds_busy_cycles);
    add("lds_conflict_cycles", "cycles", "local data share cycles added by bank conflicts",
        &c.lds_conflict_cycles);
    add("ta_busy_cycles", "cycles", "address unit working on an instruction", &c.ta_busy_cycles);
    add("ta_stall_cycles", "cycles", "address unit stalled, the L1 was not ready",
        &c.ta_stall_cycles);
    add("td_busy_cycles", "cycles", "return path to the vector registers occupied",
        &c.td_busy_cycles);
    add("vmem_requests", "requests", "line requests sent to the L1", &c.vmem_requests);
    add("vmem_load_requests", "requests", "line requests of loads", &c.vmem_load_requests);
    add("vmem_store_requests", "requests", "line requests of stores", &c.vmem_store_requests);
    add("vmem_atomic_requests", "requests", "line requests of atomics", &c.vmem_atomic_requests);
    add("vmem_latency_cycles", "cycles",
        "issue to completion, summed over vector memory instructions", &c.vmem_latency_cycles);
    add("fetches", "requests", "instruction blocks requested", &c.fetches);
    add("fetches_dropped", "requests", "instruction blocks that arrived after a jump or the end",
        &c.fetches_dropped);
    add("smem_requests", "requests", "requests sent to the scalar cache", &c.smem_requests);

    static const struct {
        const char* name;
        const char* meaning;
    } kTimeCounters[kWaveTimes] = {
        {"wave_cycles_issue", "executing: until the next instruction of the wave may issue"},
        {"wave_cycles_arbitration", "ready, waits for its SIMD's turn or behind another wave"},
        {"wave_cycles_valu_busy", "ready, the vector ALU worked on another wave"},
        {"wave_cycles_lds_full", "ready, the local data share could not accept it"},
        {"wave_cycles_vmem_full", "ready, the address unit could not accept it"},
        {"wave_cycles_smem_full", "ready, the scalar memory queue was full"},
        {"wave_cycles_fetch", "no instruction in the buffer"},
        {"wave_cycles_wait_vm", "waiting for vmcnt"},
        {"wave_cycles_wait_lgkm", "waiting for lgkmcnt"},
        {"wave_cycles_wait_exp", "waiting for expcnt"},
        {"wave_cycles_barrier", "waiting at s_barrier"},
        {"wave_cycles_sleep", "in s_sleep"},
        {"wave_cycles_export_full", "ready, the path to exports, GDS or messages was busy"},
        {"wave_cycles_halted", "halted by s_sethalt or s_sendmsghalt"},
        {"wave_cycles_drain", "ended, memory accesses outstanding"},
    };
    for (unsigned i = 0; i < kWaveTimes; ++i)
        add(kTimeCounters[i].name, "wave cycles", kTimeCounters[i].meaning, &c.wave_cycles[i]);
}

void CuCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    if (observers_.trace == nullptr)
        return;
    detailed_ = true;
    instruction_texts_ = std::make_unique<InstructionTexts>();
    for (unsigned simd = 0; simd < spec_.simds; ++simd)
        for (unsigned slot = 0; slot < spec_.wave_slots; ++slot) {
            const std::string row =
                path + ".simd" + std::to_string(simd) + ".slot" + std::to_string(slot);
            tracks_[simd][slot] = observers.track(row);
            wait_tracks_[simd][slot] = observers.track(row + ".waits");
        }
}

}  // namespace archipelago::cu
