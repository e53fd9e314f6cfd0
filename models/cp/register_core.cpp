// SPDX-License-Identifier: Apache-2.0
#include "models/cp/register_core.h"

#include <cstring>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/register_service.h"
#include "models/common/transaction_id.h"

namespace archipelago::cp {

RegisterCore::RegisterCore(const Spec& spec)
    : request(spec.register_target, "cp.registers.request"),
      memory_response(spec.memory_return, "cp.registers.memory_response"),
      cache_done(spec.done, "cp.registers.cache_done"),
      read_pointer(spec.strobe_latency),
      notice(spec.strobe_latency),
      ring_error(spec.strobe_latency),
      parse_error(spec.strobe_latency),
      privilege{EventLink<PrivilegeFault>(spec.strobe_latency),
                EventLink<PrivilegeFault>(spec.strobe_latency),
                EventLink<PrivilegeFault>(spec.strobe_latency)},
      me_timeout(spec.strobe_latency),
      pfp_timeout(spec.strobe_latency),
      streamout_flushed(spec.strobe_latency),
      interrupt_control(spec.rings),
      spec_(spec),
      file_(spec.registers->make_register_file(spec)) {
    add_inputs(request, memory_response, cache_done, read_pointer, notice, ring_error, parse_error,
               me_timeout, pfp_timeout, streamout_flushed);
    for (auto& link : privilege)
        add_input(link);
    file_->set_effects(this);
    for (unsigned ring = 0; ring < spec_.rings; ++ring)
        interrupt_control[ring].reset(file_->interrupt_control(ring));
    state_.write_backs.reserve(spec.writeback_depth + spec.rings);
}

void RegisterCore::archive(Archive& a) {
    Unit::archive(a);
    file_->archive(a);
    a(state_, now_, busy, interrupt_control);
}

void RegisterCore::reset() {
    run_ = RunState::Running;
    state_ = {};
    state_.write_backs.reserve(spec_.writeback_depth + spec_.rings);
    file_->reset();
    clear_inputs();
    busy.reset();
    for (unsigned ring = 0; ring < spec_.rings; ++ring)
        interrupt_control[ring].reset(file_->interrupt_control(ring));
}

void RegisterCore::ring_changed(unsigned ring, bool reset) {
    RingUpdate u;
    u.ring = static_cast<uint8_t>(ring);
    u.reset = reset;
    u.read_pointer = file_->read_pointer(ring);
    u.write_pointer = file_->write_pointer(ring);
    u.config = file_->ring(ring);
    to_fetch->send(now_, u);
    to_pfp->send(now_, u);
}
void RegisterCore::halt_changed(bool pfp_halted, bool me_halted, bool ce_halted) {
    for (OutputEvent<HaltChange>* link : {&to_pfp_halt, &to_me_halt, &to_ce_halt})
        (*link)->send(now_, {pfp_halted, me_halted, ce_halted});
}
void RegisterCore::write_back(uint64_t address, uint32_t value) {
    // A younger value for the same place replaces one that still waits.
    for (WriteBack& w : state_.write_backs) {
        if (w.address == address) {
            w.value = value;
            return;
        }
    }
    state_.write_backs.push_back({address, value});
}
void RegisterCore::start_coherency(const CacheAction& action) {
    state_.coherency = action;
    state_.coherency_pending = true;
}
void RegisterCore::raise(const Interrupt& interrupt) {
    ++state_.interrupts;
    if (to_interrupt)
        to_interrupt->send(now_, interrupt);
}

void RegisterCore::limits_changed(uint32_t wait_reg_mem, uint32_t semaphore) {
    for (OutputEvent<PollLimits>* link : {&to_pfp_limits, &to_me_limits})
        (*link)->send(now_, {wait_reg_mem, semaphore});
}
bool RegisterCore::unit_busy(StatusUnit unit) const {
    const Wire<bool>* const wire = busy_wires_[static_cast<size_t>(unit)];
    return wire != nullptr && wire->get(now_);
}

template <class Link, class Effect>
bool RegisterCore::take_all(Link& link, Effect&& effect) {
    bool any = false;
    for (; link.ready(now_); any = true)
        effect(link.take());
    return any;
}

// What the other units report; true when there was any of it.
bool RegisterCore::take_reports() {
    bool any = take_all(read_pointer, [this](const ReadPointer& p) {
        file_->advance_read_pointer(p.ring, p.dword);
    });
    any |= take_all(notice, [this](const EopNotice& n) {
        file_->end_of_pipe(n.ring, n.wrote, n.data, n.interrupt, n.vmid);
    });
    for (EventLink<RingError>* link : {&ring_error, &parse_error})
        any |= take_all(*link,
                        [this](const RingError& e) { file_->ring_error(e.ring, e.bits, e.vmid); });
    for (EventLink<PrivilegeFault>& link : privilege)
        any |= take_all(link, [this](const PrivilegeFault& f) { file_->privilege_fault(f); });
    for (EventLink<PollTimeout>* link : {&me_timeout, &pfp_timeout})
        any |=
            take_all(*link, [this](const PollTimeout& t) { file_->poll_timeout(t.ring, t.vmid); });
    any |= take_all(streamout_flushed,
                    [this](const StreamoutFlushed&) { file_->streamout_flushed(); });
    return any;
}

bool RegisterCore::take_answers() {
    const bool any = cache_done.can_pop(now_) || memory_response.can_pop(now_);
    if (cache_done.can_pop(now_)) {
        cache_done.pop(now_);
        file_->coherency_done();
    }
    if (memory_response.can_pop(now_)) {
        const MemResponse r = memory_response.pop(now_);
        --state_.writes_in_flight;
        if (r.status != MemStatus::Ok)
            throw MachineStop(StopKind::Fault, "cp.registers",
                              "mirror of a scratch register or read pointer goes to " +
                                  refused_address(r.status, state_.place[r.tag & 0xFF].address));
    }
    return any;
}

void RegisterCore::send_write_back() {
    const WriteBack w = state_.write_backs.front();
    state_.write_backs.erase(state_.write_backs.begin());
    MemRequest m;
    m.line = line_of(w.address);
    m.byte_mask = bytes_in_line(w.address, 4);
    m.command = MemCommand::Write;
    m.client = Client::CpMe;
    m.tag = state_.sequence % state_.place.size();
    m.uid = transaction_id(TransactionUnit::CpRegisters, ++state_.sequence);
    std::memcpy(&m.data[w.address % kLineBytes], &w.value, 4);
    state_.place[m.tag] = w;
    to_hub->push(now_, m);
    ++state_.writes_in_flight;
    ++state_.write_backs_done;
}

// One request of the bus a cycle.
bool RegisterCore::serve() {
    const auto write = [this](const RegRequest& r) {
        ++state_.writes;
        file_->write_register(r);
        for (unsigned ring = 0; ring < spec_.rings; ++ring)
            if (const uint32_t control = file_->interrupt_control(ring);
                interrupt_control[ring].latest() != control)
                interrupt_control[ring].set(now_, control);
    };
    const auto read = [this](const RegRequest& r, uint32_t& value) {
        ++state_.reads;
        return file_->read_register(r, value);
    };
    return serve_register(now_, request, &*to_response, write, read);
}

bool RegisterCore::tick(Cycle now) {
    now_ = now;
    bool progress = take_reports();
    progress |= take_answers();
    if (state_.coherency_pending && to_coherency->can_push(now)) {
        to_coherency->push(now, state_.coherency);
        state_.coherency_pending = false;
        progress = true;
    }
    if (!state_.write_backs.empty() && to_hub->can_push(now)) {
        send_write_back();
        progress = true;
    }
    // A write waits while the effects of one before it wait.
    if (run_ != RunState::Paused && state_.write_backs.size() < spec_.writeback_depth &&
        !state_.coherency_pending)
        progress |= serve();
    busy.set(now, !idle());
    return progress;
}

bool RegisterCore::idle() const {
    return state_.write_backs.empty() && state_.writes_in_flight == 0 &&
           !state_.coherency_pending && !file_->coherency_busy() && inputs_empty();
}

std::string RegisterCore::waiting_for() const {
    if (state_.writes_in_flight != 0 || !state_.write_backs.empty())
        return "cp registers wait for memory (mirror of scratch registers or read pointers)";
    if (file_->coherency_busy())
        return "cp registers wait for the action CP_COHER_CNTL started";
    return "";
}

void RegisterCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("reads", "transactions", "register reads", &state_.reads);
    add("writes", "transactions", "register writes", &state_.writes);
    add("write_backs", "transactions", "mirrors written to memory", &state_.write_backs_done);
    add("interrupts", "transactions", "interrupts raised", &state_.interrupts);
}

}  // namespace archipelago::cp
