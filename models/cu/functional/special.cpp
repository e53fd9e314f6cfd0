// SPDX-License-Identifier: Apache-2.0
// Functional mode: what needs more than registers and memory, and vector skip mode.

#include "models/cu/isa/special.h"
#include "models/common/address_spaces.h"
#include "models/cu/functional/functional_cu.h"
#include "models/cu/pipeline/wave_init.h"

namespace archipelago::cu {
namespace {

constexpr unsigned kWaveBits = 8;  // of tags: the wave's place in its group

}  // namespace

// The wave's pc is after the instruction. False: its turn is over.
bool FunctionalCu::special(Wave& wave, const Decoded& d) {
    isa::WaveState& regs = wave.regs;
    const uint64_t pc = regs.pc - 4u * d.dwords;
    switch (d.action) {
        case Action::LdsDirect:
            isa::execute_lds_direct(d.inst, regs, lds_.data(), spec_.lds_bytes);
            return true;
        case Action::Interpolate:
            isa::execute_interpolation(d.inst, regs, lds_.data(), spec_.lds_bytes);
            return true;
        case Action::Export: {
            if (ports_.exports == nullptr)
                throw MachineStop(StopKind::Unimplemented, place(wave, pc, &d),
                                  "export needs the graphics export units");
            ExportMessage message;
            isa::export_message(d.inst, regs, message);
            message.wave = wave_identity(*wave.launch, wave.regs, identity_.source, pc);
            ports_.exports->take(message);
            return true;
        }
        case Action::Gds:
            return global_data_share(wave, pc, d);
        case Action::Message:
            send_message(wave, pc, d);
            break;
        default:
            regs.ib_sts = 0;
            isa::execute_control(d.inst, regs);
            check_jump(wave, pc, d);
            break;
    }
    if (regs.killed && !regs.privileged)
        wave.status = Status::Ended;
    else if (regs.halt && !regs.privileged)
        wave.status = Status::Halted;
    // In vector skip mode another loop goes on.
    return wave.status == Status::Running && !regs.vskip;
}

void FunctionalCu::send_message(Wave& wave, uint64_t pc, const Decoded& d) {
    ShaderMessage message;
    if (const char* wrong = isa::shader_message(d.inst, wave.regs, message))
        throw MachineStop(StopKind::BadInput, place(wave, pc, &d), wrong);
    if (message.kind != ShaderMessage::Kind::None) {
        const bool interrupt = message.kind == ShaderMessage::Kind::Interrupt;
        MessageSink* sink = interrupt ? ports_.interrupts : ports_.graphics;
        if (sink == nullptr)
            throw MachineStop(StopKind::Unimplemented, place(wave, pc, &d),
                              interrupt ? "no interrupt handler is connected"
                                        : "the message needs a graphics unit");
        message.wave = wave_identity(*wave.launch, wave.regs, identity_.source, pc);
        sink->take(message);
    }
    if (d.halts)
        wave.regs.halt = true;
}

bool FunctionalCu::global_data_share(Wave& wave, uint64_t pc, const Decoded& d) {
    if (ports_.gds == nullptr)
        throw MachineStop(StopKind::Unimplemented, place(wave, pc, &d),
                          "no global data share is attached");
    GdsRequest request;
    isa::gds_request(d.inst, wave.regs, request);
    request.vmid = wave.launch->vmid;
    request.tag = group_ << kWaveBits | static_cast<uint32_t>(&wave - waves_.data());
    wave.gds_lanes = wave.regs.exec();
    wave.gds = &d;
    wave.status = Status::InGds;
    if (retire_ != nullptr)
        retire_->sends(request);
    answers_.clear();
    ports_.gds->request(request, answers_);
    for (const GdsResponse& answer : answers_) {
        Wave& asker = waiting_wave(answer.tag);
        isa::gds_complete(asker.gds->inst, asker.gds_lanes, answer, asker.regs);
        asker.status = Status::Running;
        if (retire_ != nullptr)
            retire_->loaded(
                asker.number,
                &asker == &wave ? RetireRecorder::kNow : RetireRecorder::gds_operation(0),
                asker.regs);
    }
    return wave.status == Status::Running;
}

// No wave of the group can go on.
void FunctionalCu::stop_stuck(const std::vector<Wave>& waves) const {
    for (const Wave& wave : waves) {
        if (wave.status == Status::Halted)
            throw MachineStop(StopKind::Hang, place(wave, wave.regs.pc, nullptr),
                              "is halted (s_sethalt or s_sendmsghalt) and nothing resumes it");
        if (wave.status == Status::InGds)
            throw MachineStop(StopKind::Hang,
                              place(wave, wave.regs.pc - 4u * wave.gds->dwords, wave.gds),
                              "waits for the global data share, and no other wave can go on");
    }
    throw MachineStop(StopKind::Hang, place(waves.front(), waves.front().regs.pc, nullptr),
                      "no wave of the group can go on");
}

// The wave of a GDS response: of the running group or of a suspended one.
FunctionalCu::Wave& FunctionalCu::waiting_wave(uint32_t tag) {
    const uint32_t index = tag & ((1u << kWaveBits) - 1);
    const uint32_t number = tag >> kWaveBits;
    if (number == (group_ & (~uint32_t{0} >> kWaveBits)))
        return waves_.at(index);
    for (SuspendedGroup& group : suspended_)
        if (number == (group.number & (~uint32_t{0} >> kWaveBits)))
            return group.waves.at(index);
    throw MachineStop(StopKind::Protocol, identity_.name,
                      "the global data share answers a wave that does not wait");
}

// Fetched and checked; counted and logged as executed.
const Decoded& FunctionalCu::take_skipping(Wave& wave, WorkCounters& work) {
    const isa::WaveState& regs = wave.regs;
    const uint64_t pc = regs.pc;
    uint32_t words[2] = {};
    uint64_t bad = 0;
    if (!read_bytes(pc, words, 4, bad) ||
        (skipping_.length(words[0]) == 2 && !read_bytes(pc + 4, words + 1, 4, bad)))
        throw MachineStop(StopKind::Fault, place(wave, pc, nullptr),
                          "instruction fetch from an unmapped address" + of_space(vmid_));
    const Decoded& d = skipping_.get(words[0], words[1]);
    if (d.action == Action::Illegal || d.action == Action::Unimplemented ||
        d.inst.sgprs_used > regs.num_sgprs)
        stop_for(d, regs, place(wave, pc, &d));
    if (log_ != nullptr)
        log(wave, pc, d);
    ++work.instructions[static_cast<unsigned>(d.inst.cls)];
    ++clock_;
    if (++wave.executed >= limit_)
        stop_endless(place(wave, pc, &d), wave.executed);
    return d;
}

// Vector instructions have no effect.
void FunctionalCu::act_skipping(Wave& wave, uint64_t pc, const Decoded& d, WorkCounters& work) {
    isa::WaveState& regs = wave.regs;
    switch (d.action) {
        case Action::Scalar:
            d.inst.exec(d.inst, regs);
            break;
        case Action::Branch: {
            const uint64_t next = regs.pc;
            d.inst.exec(d.inst, regs);
            work.branches_taken += regs.pc != next ? 1 : 0;
            check_jump(wave, pc, d);
            break;
        }
        case Action::ScalarMem:
            scalar_mem(wave, pc, d, clock_);
            break;
        case Action::Barrier:
            ++work.barriers;
            if (waves_.size() > 1)
                wave.status = Status::AtBarrier;
            break;
        case Action::End:
            regs.pc = pc;
            wave.status = Status::Ended;
            break;
        case Action::SetPriority:
            regs.priority = d.inst.simm16 & 3;
            break;
        case Action::Mark:
            count_mark(d.inst, work);
            break;
        case Action::InvalidateInst:
            code_.new_generation();
            break;
        case Action::Message:
        case Action::Control:
            special(wave, d);
            break;
        default:
            break;
    }
}

// Vector skip mode is rare: instructions one by one.
void FunctionalCu::run_skipping(Wave& wave, WorkCounters& work) {
    isa::WaveState& regs = wave.regs;
    bool asleep = false;
    for (uint64_t n = 0; n < kTurn && regs.vskip && wave.status == Status::Running && !asleep;
         ++n) {
        const uint64_t pc = regs.pc;
        const Decoded& d = take_skipping(wave, work);
        if (retire_ != nullptr)
            retire_->begin(wave.number, d, regs, pc, clock_, lds_.data());
        regs.pc = pc + 4u * d.dwords;
        act_skipping(wave, pc, d, work);
        asleep = d.action == Action::Sleep;  // its turn is over
        if (retire_ != nullptr)
            end_record(wave);
    }
}

}  // namespace archipelago::cu
