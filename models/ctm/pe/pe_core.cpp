// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/pe/pe_core.h"

#include <algorithm>
#include <cstring>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/invariant.h"
#include "models/common/register_service.h"
#include "models/common/stall_cycles.h"
#include "models/common/transaction_id.h"

namespace archipelago::ctm {
namespace {

using Pins = rtl::CtmPePins;

constexpr uint32_t kCountersTag = ~0u;  // of the write of the counters

}  // namespace

PeCore::PeCore(const PeSpec& spec, const std::string& name, rtl::PinBlock<Pins>* sequencer)
    : registers(spec.registers, name + ".registers"),
      memory_response(spec.memory_response, name + ".memory_response"),
      memory_controller_done(spec.strobe_latency),
      conditional_operation_done(spec.strobe_latency),
      condition(spec.condition, name + ".condition"),
      spec_(spec),
      name_(name),
      sequencer_(sequencer != nullptr ? *sequencer : own_),
      path_(name) {
    spec_.validate();
    add_inputs(registers, memory_response, memory_controller_done, conditional_operation_done,
               condition);
    to_array.resize(spec_.arrays, OutputChannel<ThreadLaunch>(this));
    done.reserve(spec_.arrays);
    for (unsigned i = 0; i < spec_.arrays; ++i) {
        done.emplace_back(spec_.done, name + ".done" + std::to_string(i));
        add_input(done.back());
    }
    state_.outstanding.assign(spec_.arrays, 0);
    rtl::reset_block(sequencer_);
}

bool PeCore::tick(Cycle now) {
    bool moved = take_answers(now);
    if (run_ == RunState::Paused)
        return moved;
    moved |= walk(now);
    moved |= sequence(now);
    moved |= fetch(now);
    file_.set_programs_run(programs_run());
    if (run_ == RunState::Running)
        moved |= serve_register(now, registers, to_registers.get(), *this);
    return moved;
}

// ---- what comes back ---------------------------------------------------------------------------

bool PeCore::take_answers(Cycle now) {
    bool moved = false;
    while (memory_response.can_pop(now)) {
        take_memory(now);
        moved = true;
    }
    for (unsigned i = 0; i < spec_.arrays; ++i)
        while (done[i].can_pop(now)) {
            done[i].drop(now);
            thread_done(now, i);
            moved = true;
        }
    return moved;
}

void PeCore::take_memory(Cycle now) {
    const MemResponse response = memory_response.pop(now);
    if (response.tag == kCountersTag) {
        if (response.status != MemStatus::Ok)
            throw MachineStop(
                StopKind::Fault, where(state_.reader.command),
                "write to " + refused_address(response.status, counter_address(unit_command(
                                                                   state_.reader.command))));
        state_.counters_done = true;
        return;
    }
    const uint32_t place = response.tag - state_.line_number;
    invariant(place < state_.lines.size(), name_, "an answer of memory to no request", now);
    FetchedLine& line = state_.lines[place];
    line.arrived = true;
    line.status = response.status;
    line.data = response.data;
}

void PeCore::thread_done(Cycle now, unsigned array) {
    invariant(state_.outstanding[array] != 0, name_, "a thread ended that has not begun", now);
    --state_.outstanding[array];
    if (--state_.threads_out == 0)
        state_.counters.active_cycles += now - state_.active_since;
}

PerfClocks PeCore::clocks(Cycle now) const {
    const Cycle active = state_.threads_out != 0 ? now - state_.active_since : 0;
    return {now, state_.counters.active_cycles + active};
}

// ---- fetch -------------------------------------------------------------------------------------

MemRequest PeCore::request(uint64_t address, unsigned bytes) {
    MemRequest r;
    r.line = line_of(address);
    r.byte_mask = bytes_in_line(address, bytes);
    r.client = archipelago::Client::CtmPe;
    r.uid = transaction_id(TransactionUnit::CtmPe, ++state_.uid);
    return r;
}

bool PeCore::fetch(Cycle now) {
    const CommandReader& reader = state_.reader;
    if (!state_.open || state_.fetched == reader.dwords() ||
        state_.lines.size() >= spec_.fetch_lines || !to_memory->can_push(now))
        return false;
    FetchedLine line;
    line.address = reader.buffer.address + 4 * uint64_t{state_.fetched};
    line.dwords = static_cast<uint8_t>(std::min<uint64_t>(
        (kLineBytes - line.address % kLineBytes) / 4, reader.dwords() - state_.fetched));
    MemRequest r = request(line.address, 4u * line.dwords);
    r.tag = state_.line_number + static_cast<uint32_t>(state_.lines.size());
    to_memory->push(now, r);
    state_.fetched += line.dwords;
    state_.lines.push_back(line);
    ++state_.counters.fetches;
    return true;
}

const FetchedLine* PeCore::line_to_read() const {
    if (state_.lines.empty() || !state_.lines.front().arrived)
        return nullptr;
    const FetchedLine& line = state_.lines.front();
    if (line.status != MemStatus::Ok)
        throw MachineStop(
            StopKind::Fault,
            to_string(CommandPlace{state_.reader.buffer.id, state_.reader.buffer.address,
                                   state_.reader.taken}),
            "fetch from " + refused_address(line.status, line.address));
    return &line;
}

// ---- the sequencer -----------------------------------------------------------------------------

bool PeCore::sequence(Cycle now) {
    Pins::In in;
    Pins::Out out;
    if (!state_.open && !file_.has_buffer())
        return false;
    if (!state_.open)
        check(file_.next_buffer().buffer);
    offer_inputs(now, in);
    sequencer_.step(in, out);
    carry(now, in, out);
    note_wait(now, out.wait_code);
    const bool passes = (out.buf_ready & in.buf_valid) != 0 || (out.dw_ready & in.dw_valid) != 0 ||
                        (out.mc_valid & in.mc_ready) != 0 || (out.co_valid & in.co_ready) != 0 ||
                        (in.mc_done | in.co_done) != 0;
    return passes || (out.wait_code == Pins::kNothing && out.buf_ready == 0);
}

void PeCore::offer_inputs(Cycle now, Pins::In& in) {
    in.allow = spec_.allow_undefined ? 1 : 0;
    in.cycles = static_cast<uint8_t>(spec_.command_cycles);
    in.programs_run = programs_run() ? 1 : 0;
    if (memory_controller_done.ready(now)) {
        memory_controller_done.take();
        in.mc_done = 1;
    }
    if (conditional_operation_done.ready(now)) {
        conditional_operation_done.take();
        in.co_done = 1;
    }
    if (!state_.open) {
        const SubmittedBuffer& next = file_.next_buffer();
        in.buf_valid = 1;
        in.buf = {next.buffer.bytes / 4, static_cast<uint8_t>(next.after_idle ? 1 : 0)};
    }
    if (const FetchedLine* line = line_to_read()) {
        in.dw_valid = 1;
        std::memcpy(&in.dw_data, &line->data[line->address % kLineBytes + 4u * line->used], 4);
    }
    in.mc_ready = to_memory_controller->can_push(now) ? 1 : 0;
    in.co_ready = to_conditional_operation->can_push(now) ? 1 : 0;
    in.start_ready = state_.walking ? 0 : 1;
    const CommandInfo* info = state_.reader.command.info;
    const bool writes =
        info != nullptr && info->opcode == Opcode::ReadPerfCounters && state_.perf.enabled;
    in.ctr_ready = writes && !state_.counters_done ? 0 : 1;
}

void PeCore::carry(Cycle now, const Pins::In& in, const Pins::Out& out) {
    if (out.stop_code != 0)
        stopped(out.stop_code);
    if ((out.buf_ready & in.buf_valid) != 0)
        open_buffer();
    if ((out.dw_ready & in.dw_valid) != 0)
        take_dword(now, in.dw_data);
    const UnitCommand command{out.cmd.opcode, out.cmd.p};
    if ((out.mc_valid & in.mc_ready) != 0)
        to_memory_controller->push(now, command);
    if ((out.co_valid & in.co_ready) != 0)
        to_conditional_operation->push(now, command);
    if ((out.start_valid & in.start_ready) != 0)
        start_walk(now, out.start);
    if (out.ctr_valid != 0)
        count(now, command, in.ctr_ready != 0);
    if (out.end_valid != 0)
        close_buffer(now);
}

void PeCore::open_buffer() {
    const SubmittedBuffer submitted = file_.take_buffer();
    state_.reader.open(submitted.buffer);
    state_.open = true;
    state_.program_info = submitted.program_info;
    state_.fetched = 0;
}

void PeCore::close_buffer(Cycle now) {
    state_.open = false;
    file_.consume();
    ++state_.counters.buffers;
    Interrupt interrupt;
    interrupt.source_id = spec_.interrupt_source;
    interrupt.data = state_.reader.buffer.id;
    if (to_interrupt)
        to_interrupt->send(now, interrupt);
}

void PeCore::take_dword(Cycle now, uint32_t dword) {
    if (state_.reader.missing == 0)
        state_.command_began = now;
    if (state_.reader.take(dword)) {
        ++state_.counters.commands;
        report_command(now);
    }
    FetchedLine& line = state_.lines.front();
    if (++line.used == line.dwords) {
        state_.lines.pop_front();
        ++state_.line_number;
    }
}

// The reader has already stopped for what it refuses.
void PeCore::stopped(uint8_t code) const {
    const ReadCommand& command = state_.reader.command;
    if (code == Pins::kUndefined && !command.info->pipelined) {
        PeSettings settings;
        settings.programs_started = true;
        check_defined(command, settings, false);
    }
    throw MachineStop(StopKind::Internal, name_,
                      "the sequencer stops with code " + std::to_string(code));
}

void PeCore::count(Cycle now, const UnitCommand& command, bool ready) {
    if (ready) {
        if (state_.counters_done)
            state_.counters_sent = state_.counters_done = false;
        else
            state_.perf.carry_out(command, clocks(now));
        return;
    }
    if (state_.counters_sent || !to_memory->can_push(now))
        return;
    const std::array<uint32_t, 2> values = state_.perf.values(clocks(now));
    MemRequest r = request(counter_address(command), sizeof values);
    r.command = MemCommand::Write;
    r.tag = kCountersTag;
    std::memcpy(&r.data[counter_address(command) % kLineBytes], values.data(), sizeof values);
    to_memory->push(now, r);
    state_.counters_sent = true;
}

void PeCore::note_wait(Cycle now, uint8_t wait) {
    if (wait == state_.wait)
        return;
    uint64_t* const counters[] = {nullptr, &state_.counters.stall_dwords,
                                  &state_.counters.stall_programs, &state_.counters.stall_units,
                                  &state_.counters.stall_receiver};
    if (uint64_t* counter = counters[state_.wait])
        *counter += now - state_.wait_since;
    state_.wait = wait;
    state_.wait_since = now;
}

// ---- the walk ----------------------------------------------------------------------------------

void PeCore::start_walk(Cycle now, const Pins::Start& pins) {
    ProgramStart start;
    start.domain = {pins.i0, pins.j0, pins.i1, pins.j1};
    start.number = static_cast<uint32_t>(++state_.counters.starts);
    start.conditional = pins.value;
    start.tests = pins.tests != 0;
    start.conditional_output = pins.conditional != 0;
    apply_program_info(state_.program_info, start);
    state_.builder.begin(start);
    state_.walk.start(start.domain);
    state_.walking = true;
    state_.start_began = now;
}

bool PeCore::walk(Cycle now) {
    if (!state_.walking)
        return false;
    bool moved = launch(now);
    while (!state_.builder.full(spec_.walk) && condition.can_pop(now)) {
        const ConditionResult result = condition.pop(now);
        invariant(!state_.tested.empty(), name_, "a result of no test", now);
        add_quad(state_.tested.front(), result.lanes);
        state_.tested.pop_front();
        moved = true;
    }
    for (unsigned i = 0; i < spec_.quads_per_cycle && walk_quad(now); ++i)
        moved = true;
    if (state_.walk.ended && state_.tested.empty() && state_.builder.empty()) {
        state_.walking = false;
        moved = true;
        if (observers_.trace != nullptr)
            trace_walk(now + 1);
    }
    return moved;
}

void PeCore::add_quad(const WalkQuad& quad, uint8_t lanes) {
    state_.builder.add(quad, lanes);
    ++state_.counters.quads;
    state_.counters.quads_skipped += lanes == 0 ? 1 : 0;
}

// The next quad, to the CO or into the thread.
bool PeCore::walk_quad(Cycle now) {
    if (state_.walk.ended)
        return false;
    if (!state_.builder.start.tests) {
        if (state_.builder.full(spec_.walk))
            return false;
        const WalkQuad quad = state_.walk.next(spec_.walk);
        add_quad(quad, quad.lanes);
        return true;
    }
    if (state_.tested.size() >= spec_.tests_in_flight || !to_condition->can_push(now))
        return false;
    const WalkQuad quad = state_.walk.next(spec_.walk);
    to_condition->push(now, condition_request(state_.builder.start, quad,
                                              static_cast<uint32_t>(state_.counters.tests++)));
    state_.tested.push_back(quad);
    return true;
}

bool PeCore::launch(Cycle now) {
    const bool last = state_.walk.ended && state_.tested.empty() && !state_.builder.empty();
    if (!state_.builder.full(spec_.walk) && !last)
        return false;
    const int array = array_for(now);
    note_stall(array < 0, now, state_.launch_since, state_.counters.stall_launch);
    if (array < 0)
        return false;
    const auto a = static_cast<unsigned>(array);
    to_array[a]->push(now, state_.builder.take());
    ++state_.counters.threads;
    ++state_.outstanding[a];
    if (state_.threads_out++ == 0)
        state_.active_since = now;
    state_.next_array = a + 1 == spec_.arrays ? 0 : a + 1;
    return true;
}

// The array that gets the next thread, -1: none has a place.
int PeCore::array_for(Cycle now) {
    if (spec_.distribution == Distribution::RoundRobin)
        return to_array[state_.next_array]->can_push(now) ? static_cast<int>(state_.next_array)
                                                          : -1;
    for (unsigned i = 0; i < spec_.arrays; ++i)
        if (to_array[i]->can_push(now))
            return static_cast<int>(i);
    return -1;
}

void PeCore::take_over(const PeFunctional& machine, const PerfClocks& counted) {
    own_.take_over(machine.settings());
    state_.perf = machine.counters();
    // As if they had been started so long before cycle 0: differences are taken modulo 2^64.
    PerfClocks& base = state_.perf.base;
    base = {base.total - counted.total, base.active - counted.active};
}

void PeCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(&sequencer_ == &own_, name_ + ": its sequencer is Verilog");
    a(file_, own_, state_);
}

// ---- registers ---------------------------------------------------------------------------------

bool PeCore::write_register(const RegRequest& request) {
    return file_.write(request.offset - spec_.register_base, request.value);
}

bool PeCore::read_register(const RegRequest& request, uint32_t& value) {
    return file_.read(request.offset - spec_.register_base, value);
}

bool PeCore::inspect_register(const RegRequest& request, uint32_t& value) {
    return file_.inspect(request.offset - spec_.register_base, value);
}

bool PeCore::register_ready(const RegRequest& request) const {
    return !request.write || request.offset - spec_.register_base != kCbSize ||
           file_.waiting() < spec_.submissions;
}

}  // namespace archipelago::ctm
