// SPDX-License-Identifier: Apache-2.0
#include "models/cu/functional/functional_cu.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "models/cu/isa/valu_env.h"
#include "models/cu/pipeline/wave_init.h"

namespace archipelago::cu {

FunctionalCu::FunctionalCu(const CuSpec& spec, FunctionalMemory& memory, CuIdentity identity)
    : spec_(spec), memory_(memory), identity_(std::move(identity)), code_(memory) {
    spec_.validate();
    lds_.resize(spec_.lds_bytes);
}

void FunctionalCu::new_dispatch() {
    code_.new_generation();
    translations_.fill({});
}

uint8_t* FunctionalCu::translate(uint64_t address) {
    const uint64_t page = address / CodeCache::kPageBytes;
    uint8_t* base = memory_.page(page * CodeCache::kPageBytes);
    if (base == nullptr)
        return nullptr;
    translations_[page % kTranslations] = {page, base};
    return base + address % CodeCache::kPageBytes;
}

std::string FunctionalCu::place(const Wave& wave, uint64_t pc, const Decoded* decoded) const {
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(pc));
    std::string text = identity_.name + " dispatch " + std::to_string(wave.launch->dispatch) +
                       " group " + std::to_string(wave.launch->group) + " wave " +
                       std::to_string(wave.launch->wave_in_group) + " pc " + hex;
    if (decoded != nullptr && decoded->action != Action::Illegal)
        text += " (" + isa::disassemble(decoded->inst, pc) + ")";
    return text;
}

void FunctionalCu::fault(const Wave& wave, uint64_t pc, const Decoded& decoded, const char* what,
                         uint64_t address, unsigned lane) const {
    char text[96];
    std::snprintf(text, sizeof text, "%s 0x%llx, lane %u", what,
                  static_cast<unsigned long long>(address), lane);
    throw MachineStop(StopKind::Fault, place(wave, pc, &decoded), text);
}

void FunctionalCu::run_group(const WaveLaunch* waves, unsigned count, FunctionalStats& stats) {
    size_t registers = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (waves[i].vgpr_count > spec_.vgprs || waves[i].pc % 4 != 0 ||
            uint64_t{waves[i].lds_base} + waves[i].lds_bytes > spec_.lds_bytes)
            throw MachineStop(StopKind::Protocol,
                              identity_.name + " launch of dispatch " +
                                  std::to_string(waves[i].dispatch) + " group " +
                                  std::to_string(waves[i].group) + " wave " +
                                  std::to_string(waves[i].wave_in_group),
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
        base += std::max<size_t>(waves[i].vgpr_count, 1);
    }
    if (count != 0)
        std::fill_n(lds_.begin() + waves[0].lds_base, waves[0].lds_bytes, uint8_t{0});
    stats.work.waves += count;

    unsigned alive = count;
    while (alive != 0) {
        unsigned at_barrier = 0;
        alive = 0;
        for (Wave& wave : waves_) {
            if (wave.status == Status::Running)
                run(wave, stats.work);
            alive += wave.status != Status::Ended ? 1 : 0;
            at_barrier += wave.status == Status::AtBarrier ? 1 : 0;
        }
        if (at_barrier == alive)
            for (Wave& wave : waves_)
                if (wave.status == Status::AtBarrier)
                    wave.status = Status::Running;
        if (std::none_of(waves_.begin(), waves_.end(),
                         [](const Wave& wave) { return wave.status == Status::Running; }))
            stop_stuck();
    }
}

void FunctionalCu::log(const Wave& wave, uint64_t pc, const Decoded& decoded) const {
    char where[96];
    std::snprintf(
        where, sizeof where, "dispatch %u group %u wave %u 0x%llx: ", wave.launch->dispatch,
        wave.launch->group, wave.launch->wave_in_group, static_cast<unsigned long long>(pc));
    log_->line(LogCategory::Isa, clock_, identity_.name,
               where + isa::disassemble(decoded.inst, pc));
}

// Until the wave ends, reaches a barrier, sleeps, or has had its turn.
void FunctionalCu::run(Wave& wave, WorkCounters& work) {
    if (wave.regs.vskip)
        return run_skipping(wave, work);
    const isa::FpEnvGuard fp_env;  // one change of MXCSR per run instead of one per instruction
    isa::WaveState& regs = wave.regs;
    std::array<uint64_t, kClasses> executed{};
    uint64_t lanes = 0;
    uint64_t left = std::min(kTurn, limit_ - wave.executed);
    const uint64_t turn = left;
    const unsigned vgprs = regs.num_vgprs;
    const unsigned sgprs = regs.num_sgprs;

    CodeCache::Page* page = nullptr;
    const Decoded* const* first = nullptr;  // first dword of the page
    const Decoded* const* at = nullptr;     // next instruction
    const Decoded* const* end = nullptr;
    uint64_t page_base = 0;
    const auto pc = [&] { return page_base + static_cast<uint64_t>(at - first) * 4; };
    const auto go = [&](uint64_t address) {
        page = code_.page(address);
        if (page == nullptr)
            throw MachineStop(StopKind::Fault, place(wave, address, nullptr),
                              "instruction fetch from an unmapped address");
        page_base = page->number * CodeCache::kPageBytes;
        first = page->code.data();
        at = first + (address - page_base) / 4;
        end = first + CodeCache::kPageDwords;
    };
    const auto leave = [&] {
        wave.executed += turn - left;
        clock_ += turn - left;
        for (unsigned c = 0; c < kClasses; ++c)
            work.instructions[c] += executed[c];
        work.valu_lanes += lanes;
    };

    go(regs.pc);
    for (; left != 0; --left) {
        if (at >= end)
            go(pc());
        const Decoded* d = *at;
        if (d == nullptr) {
            d = code_.decode(*page, static_cast<unsigned>(at - first));
            if (d == nullptr)
                throw MachineStop(StopKind::Fault, place(wave, pc(), nullptr),
                                  "instruction fetch from an unmapped address");
        }
        if (d->inst.vgprs_used > vgprs || d->inst.sgprs_used > sgprs)
            stop_for(*d, regs, place(wave, pc(), d));
        if (log_ != nullptr)
            log(wave, pc(), *d);
        ++executed[static_cast<unsigned>(d->inst.cls)];
        at += d->dwords;
        switch (d->action) {
            case Action::Valu: {
                const uint64_t exec = regs.exec();
                lanes += exec == ~uint64_t{0} ? isa::kLanes
                                              : static_cast<unsigned>(__builtin_popcountll(exec));
                d->inst.exec(d->inst, regs);
                break;
            }
            case Action::Scalar:
                regs.pc = pc();
                d->inst.exec(d->inst, regs);
                break;
            case Action::Branch: {
                const uint64_t next = pc();
                regs.pc = next;
                d->inst.exec(d->inst, regs);
                if (regs.pc != next) {
                    ++work.branches_taken;
                    if (regs.pc % 4 != 0)
                        throw MachineStop(StopKind::BadInput, place(wave, next - 4u * d->dwords, d),
                                          "jump to an address that is not a multiple of 4");
                    if (regs.pc - page_base < CodeCache::kPageBytes)
                        at = first + (regs.pc - page_base) / 4;
                    else
                        go(regs.pc);
                }
                break;
            }
            case Action::ScalarMem:
                scalar_mem(wave, pc() - 4u * d->dwords, *d, clock_ + (turn - left));
                break;
            case Action::VectorMem:
                vector_mem(wave, pc() - 4u * d->dwords, *d, work);
                break;
            case Action::Lds:
                if (!isa::execute_lds(d->inst, regs, lds_.data(), spec_.lds_bytes, nullptr))
                    throw MachineStop(StopKind::Unimplemented,
                                      place(wave, pc() - 4u * d->dwords, d),
                                      std::string(isa::mnemonic(d->inst)) + " is not implemented");
                break;
            case Action::Barrier:
                ++work.barriers;
                if (waves_.size() > 1) {
                    --left;
                    regs.pc = pc();
                    wave.status = Status::AtBarrier;
                    leave();
                    return;
                }
                break;
            case Action::End:
                --left;
                regs.pc = pc() - 4;
                wave.status = Status::Ended;
                leave();
                return;
            case Action::Sleep:
                // Likely waiting for another wave of the group: let it run.
                --left;
                regs.pc = pc();
                leave();
                return;
            case Action::SetPriority:
                regs.priority = d->inst.simm16 & 3;
                break;
            case Action::InvalidateInst:
                code_.new_generation();
                go(pc());
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
                regs.pc = pc();
                if (!special(wave, *d)) {
                    --left;
                    leave();
                    return;
                }
                if (regs.pc != pc())
                    go(regs.pc);
                break;
            case Action::Illegal:
            case Action::Unimplemented:
                stop_for(*d, regs, place(wave, pc() - 4u * d->dwords, d));
        }
    }
    regs.pc = pc();
    leave();
    if (wave.executed >= limit_)
        throw MachineStop(StopKind::Hang, place(wave, regs.pc, nullptr),
                          "the wave has executed " + std::to_string(wave.executed) +
                              " instructions without ending");
}

}  // namespace archipelago::cu
