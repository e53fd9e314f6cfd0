// SPDX-License-Identifier: Apache-2.0
#include "models/cu/functional/functional_cu.h"

#include <algorithm>
#include <utility>

#include "models/common/address_spaces.h"
#include "models/common/invariant.h"
#include "models/common/page.h"
#include "models/common/text.h"
#include "models/cu/access_fault.h"
#include "models/cu/isa/valu_env.h"
#include "models/cu/pipeline/wave_init.h"
#include "models/gcn/wave_name.h"

namespace archipelago::cu {

FunctionalCu::FunctionalCu(const CuSpec& spec, FunctionalMemory& memory, CuIdentity identity)
    : spec_(spec), memory_(memory), identity_(std::move(identity)), code_(memory) {
    spec_.validate();
    lds_.resize(spec_.lds_bytes);
}

void FunctionalCu::new_dispatch() {
    code_.new_generation();
    drop_translations();
}

void FunctionalCu::drop_host_pointers() {
    code_.drop_host_pointers();
    drop_translations();
}

void FunctionalCu::drop_translations() {
    if (translated_)
        translations_.fill({});
    translated_ = false;
    windows_.fill({});
}

// Accesses are of this VMID from here on.
void FunctionalCu::use_space(uint8_t vmid) {
    code_.use_space(vmid);
    drop_translations();
    vmid_ = vmid;
}

uint8_t* FunctionalCu::translate(uint64_t address) {
    const uint64_t page = address / kPageBytes;
    uint8_t* base = memory_.page(page * kPageBytes, vmid_);
    if (base == nullptr)
        return nullptr;
    translations_[page % kTranslations] = {page, base};
    translated_ = true;
    return base + address % kPageBytes;
}

std::string FunctionalCu::place(const Wave& wave, uint64_t pc, const Decoded* decoded) const {
    std::string text = identity_.name + " " + wave_name(*wave.launch) + " pc " + hex(pc);
    if (decoded != nullptr && decoded->action != Action::Illegal)
        text += " (" + isa::disassemble(decoded->inst, pc) + ")";
    return text;
}

void FunctionalCu::fault(const Wave& wave, uint64_t pc, const Decoded& decoded, const char* what,
                         uint64_t address, unsigned lane) const {
    throw AccessStop<MachineStop>({StopKind::Fault, place(wave, pc, &decoded),
                                   std::string(what) + " " + hex(address) + of_space(vmid_) +
                                       ", lane " + std::to_string(lane)},
                                  access_fault(*wave.launch, pc, address, vmid_, lane));
}

void FunctionalCu::run_group(const WaveLaunch* waves, unsigned count, FunctionalStats& stats) {
    start_group(waves, count, stats);
    if (!suspended_.empty())
        finish_groups(stats);
}

void FunctionalCu::start_group(const WaveLaunch* waves, unsigned count, FunctionalStats& stats) {
    size_t registers = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (waves[i].vgpr_count > spec_.vgprs || waves[i].pc % 4 != 0 ||
            uint64_t{waves[i].lds_base} + waves[i].lds_bytes > spec_.lds_bytes)
            throw MachineStop(StopKind::Protocol,
                              identity_.name + " launch of " + wave_name(waves[i]),
                              "resources the compute unit does not have");
        registers += std::max<size_t>(waves[i].vgpr_count, 1);
    }
    if (vgprs_.size() < registers)
        vgprs_.resize(registers);
    waves_.resize(count);
    size_t base = 0;
    for (unsigned i = 0; i < count; ++i) {
        Wave& wave = waves_[i];
        init_wave(waves[i], identity_.position, &vgprs_[base].lanes, wave.regs);
        wave.launch = &waves[i];
        wave.status = Status::Running;
        wave.executed = 0;
        wave.number = waves_started_++;
        wave.recorded = retire_ != nullptr && retire_->starts(wave.number, waves[i], wave.regs);
        base += std::max<size_t>(waves[i].vgpr_count, 1);
    }
    if (count != 0)
        init_lds(waves[0], lds_.data());
    stats.work.waves += count;
    group_ = ++groups_;
    if (!run_turns(stats.work))
        suspend_group();
}

bool FunctionalCu::run_turns(WorkCounters& work) {
    const isa::FpEnvGuard fp_env;  // one change of MXCSR per group instead of one per instruction
    size_t alive = waves_.size();
    while (alive != 0) {
        if (ports_.between_turns)
            ports_.between_turns();
        unsigned at_barrier = 0;
        alive = 0;
        for (Wave& wave : waves_) {
            if (wave.status == Status::Running)
                run(wave, work);
            alive += wave.status != Status::Ended ? 1 : 0;
            at_barrier += wave.status == Status::AtBarrier ? 1 : 0;
        }
        if (at_barrier == alive)
            for (Wave& wave : waves_)
                if (wave.status == Status::AtBarrier)
                    wave.status = Status::Running;
        if (std::none_of(waves_.begin(), waves_.end(),
                         [](const Wave& wave) { return wave.status == Status::Running; })) {
            if (std::any_of(waves_.begin(), waves_.end(),
                            [](const Wave& wave) { return wave.status == Status::InGds; }))
                return false;
            if (alive != 0)
                stop_stuck(waves_);
        }
    }
    return true;
}

void FunctionalCu::suspend_group() {
    suspended_waves_ += waves_.size();
    if (suspended_waves_ > kMaxSuspendedWaves)
        stop_stuck(waves_);
    SuspendedGroup group;
    group.number = group_;
    for (const Wave& wave : waves_)
        group.launches.push_back(*wave.launch);
    const WaveLaunch& first = group.launches.front();
    group.lds.assign(lds_.begin() + first.lds_base,
                     lds_.begin() + first.lds_base + first.lds_bytes);
    group.waves.swap(waves_);
    group.vgprs.swap(vgprs_);
    for (size_t i = 0; i < group.waves.size(); ++i)
        group.waves[i].launch = &group.launches[i];
    suspended_.push_back(std::move(group));
}

void FunctionalCu::resume_group(size_t index) {
    SuspendedGroup group = std::move(suspended_[index]);
    suspended_.erase(suspended_.begin() + static_cast<std::ptrdiff_t>(index));
    suspended_waves_ -= group.waves.size();
    group_ = group.number;
    waves_.swap(group.waves);
    vgprs_.swap(group.vgprs);
    launches_.swap(group.launches);
    std::copy(group.lds.begin(), group.lds.end(), lds_.begin() + launches_.front().lds_base);
}

void FunctionalCu::finish_groups(FunctionalStats& stats) {
    while (!suspended_.empty()) {
        size_t next = 0;
        while (next < suspended_.size() &&
               std::none_of(suspended_[next].waves.begin(), suspended_[next].waves.end(),
                            [](const Wave& wave) { return wave.status == Status::Running; }))
            ++next;
        if (next == suspended_.size())
            stop_stuck(suspended_.front().waves);
        resume_group(next);
        if (!run_turns(stats.work))
            suspend_group();
    }
}

void FunctionalCu::log(const Wave& wave, uint64_t pc, const Decoded& decoded) const {
    log_->line(LogCategory::Isa, clock_, identity_.name,
               wave_name(*wave.launch) + " " + hex(pc) + ": " + isa::disassemble(decoded.inst, pc));
}

void FunctionalCu::go(Run& run, uint64_t address) {
    run.page = code_.page(address);
    if (run.page == nullptr)
        throw MachineStop(StopKind::Fault, place(run.wave, address, nullptr),
                          "instruction fetch from an unmapped address" + of_space(vmid_));
    run.base = run.page->number * kPageBytes;
    run.at = static_cast<unsigned>((address - run.base) / 4);
}

void FunctionalCu::leave(Run& run) {
    run.wave.executed += run.turn - run.left;
    clock_ += run.turn - run.left;
    for (unsigned c = 0; c < kClasses; ++c)
        run.work.instructions[c] += run.executed[c];
    run.work.valu_lanes += run.lanes;
}

// The wave goes on at `pc` in another turn, if at all; returns step()'s false.
inline bool FunctionalCu::leave_at(Run& run, uint64_t pc) {
    run.wave.regs.pc = pc;
    leave(run);
    return false;
}

void FunctionalCu::run(Wave& wave, WorkCounters& work) {
    if (wave.launch->vmid != vmid_)
        use_space(wave.launch->vmid);
    if (wave.regs.vskip)
        return run_skipping(wave, work);
    Run run{wave, work};
    run.turn = run.left = std::min(kTurn, limit_ - wave.executed);
    go(run, wave.regs.pc);
    while (run.left != 0) {
        if (log_ == nullptr && !wave.recorded && run_blocks(run) == After::Left)
            return;
        if (run.left != 0 && !step(run))
            return;
    }
    wave.regs.pc = run.pc();
    leave(run);
    if (wave.executed >= limit_)
        stop_endless(place(wave, wave.regs.pc, nullptr), wave.executed);
}

// The next instruction, which the wave may execute.
inline const Decoded& FunctionalCu::fetch(Run& run) {
    const isa::WaveState& regs = run.wave.regs;
    if (run.at >= CodeCache::kPageDwords)
        go(run, run.pc());
    const uint64_t pc = run.pc();
    const Decoded* d = run.page->code[run.at];
    if (d == nullptr) {
        d = code_.decode(*run.page, run.at);
        if (d == nullptr)
            throw MachineStop(StopKind::Fault, place(run.wave, pc, nullptr),
                              "instruction fetch from an unmapped address" + of_space(vmid_));
    }
    if (d->inst.vgprs_used > regs.num_vgprs || d->inst.sgprs_used > regs.num_sgprs)
        stop_for(*d, regs, place(run.wave, pc, d));
    if (ports_.accesses != nullptr)
        ports_.accesses->fetched(pc, pc + 4u * d->dwords, run.wave.launch->vmid);
    if (log_ != nullptr)
        log(run.wave, pc, *d);
    return *d;
}

bool FunctionalCu::step(Run& run) {
    const Decoded& d = fetch(run);
    if (retire_ == nullptr)
        return step(run, d);
    Wave& wave = run.wave;
    retire_->begin(wave.number, d, wave.regs, run.pc(), clock_ + (run.turn - run.left),
                   lds_.data());
    const bool goes_on = step(run, d);
    end_record(wave);
    return goes_on;
}

// The wave has executed an instruction.
void FunctionalCu::end_record(const Wave& wave) {
    retire_->issued(wave.regs, wave.status == Status::InGds ? RetireRecorder::gds_operation(0)
                                                            : RetireRecorder::kNow);
    if (wave.status == Status::Ended)
        retire_->ends(wave.number, wave.regs);
}

inline bool FunctionalCu::step(Run& run, const Decoded& d) {
    Wave& wave = run.wave;
    isa::WaveState& regs = wave.regs;
    const uint64_t pc = run.pc();
    const uint64_t clock = clock_ + (run.turn - run.left);
    ++run.executed[static_cast<unsigned>(d.inst.cls)];
    --run.left;
    run.at += d.dwords;
    const uint64_t next = run.pc();
    switch (d.action) {
        case Action::Valu:
            run.lanes += lane_count(regs.exec());
            d.inst.exec(d.inst, regs);
            break;
        case Action::Scalar:
            regs.pc = next;
            d.inst.exec(d.inst, regs);
            break;
        case Action::Branch:
            regs.pc = next;
            d.inst.exec(d.inst, regs);
            if (regs.pc != next)
                branch(run, d, pc);
            break;
        case Action::ScalarMem:
            scalar_mem(wave, pc, d, clock);
            break;
        case Action::VectorMem:
            vector_mem(wave, pc, d, run.work);
            break;
        case Action::Lds:
            lds(wave, d);
            break;
        case Action::Barrier:
            ++run.work.barriers;
            if (waves_.size() == 1)
                break;
            wave.status = Status::AtBarrier;
            return leave_at(run, next);
        case Action::End:
            wave.status = Status::Ended;
            return leave_at(run, pc);
        case Action::Sleep:  // likely waiting for another wave of the group: let it run
            return leave_at(run, next);
        case Action::SetPriority:
            regs.priority = d.inst.simm16 & 3;
            break;
        case Action::InvalidateInst:
            code_.new_generation();
            go(run, next);
            break;
        case Action::Mark:
            count_mark(d.inst, run.work);
            break;
        case Action::Nop:
        case Action::Wait:
        case Action::NoEffect:
            break;
        case Action::LdsDirect:
        case Action::Interpolate:
        case Action::Gds:
        case Action::Export:
        case Action::Message:
        case Action::Control:
            regs.pc = next;
            if (!special(wave, d))
                return leave_at(run, regs.pc);
            if (regs.pc != next)
                go(run, regs.pc);
            break;
        case Action::Illegal:
        case Action::Unimplemented:
            stop_for(d, regs, place(wave, pc, &d));
    }
    return true;
}

// The branch at `pc` was taken.
void FunctionalCu::branch(Run& run, const Decoded& d, uint64_t pc) {
    const uint64_t target = run.wave.regs.pc;
    ++run.work.branches_taken;
    check_jump(run.wave, pc, d);
    if (target - run.base < kPageBytes)
        run.at = static_cast<unsigned>((target - run.base) / 4);
    else
        go(run, target);
}

void FunctionalCu::lds(Wave& wave, const Decoded& d) {
    invariant(isa::execute_lds(d.inst, wave.regs, lds_.data(), spec_.lds_bytes, nullptr),
              "local data share", "a DS instruction said to be implemented is not");
}

}  // namespace archipelago::cu
