// SPDX-License-Identifier: Apache-2.0
#include "models/cp/register_core.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

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
    add_input(request);
    add_input(memory_response);
    add_input(cache_done);
    add_input(read_pointer);
    add_input(notice);
    add_input(ring_error);
    add_input(parse_error);
    for (auto& link : privilege)
        add_input(link);
    add_input(me_timeout);
    add_input(pfp_timeout);
    add_input(streamout_flushed);
    file_->set_effects(this);
    for (unsigned ring = 0; ring < spec_.rings; ++ring)
        interrupt_control[ring].reset(file_->interrupt_control(ring));
    state_.write_backs.reserve(spec.writeback_depth + spec.rings);
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

bool RegisterCore::tick(Cycle now) {
    now_ = now;
    bool progress = false;
    while (read_pointer.ready(now)) {
        const ReadPointer p = read_pointer.take();
        file_->advance_read_pointer(p.ring, p.dword);
        progress = true;
    }
    while (notice.ready(now)) {
        const EopNotice n = notice.take();
        file_->end_of_pipe(n.ring, n.wrote, n.data, n.interrupt, n.vmid);
        progress = true;
    }
    for (EventLink<RingError>* link : {&ring_error, &parse_error})
        while (link->ready(now)) {
            const RingError e = link->take();
            file_->ring_error(e.ring, e.bits, e.vmid);
            progress = true;
        }
    for (auto& link : privilege) {
        while (link.ready(now)) {
            file_->privilege_fault(link.take());
            progress = true;
        }
    }
    for (EventLink<PollTimeout>* link : {&me_timeout, &pfp_timeout})
        while (link->ready(now)) {
            const PollTimeout t = link->take();
            file_->poll_timeout(t.ring, t.vmid);
            progress = true;
        }
    while (streamout_flushed.ready(now)) {
        streamout_flushed.take();
        file_->streamout_flushed();
        progress = true;
    }
    if (cache_done.can_pop(now)) {
        cache_done.pop(now);
        file_->coherency_done();
        progress = true;
    }
    if (memory_response.can_pop(now)) {
        const MemResponse r = memory_response.pop(now);
        --state_.writes_in_flight;
        if (r.status != MemStatus::Ok) {
            const WriteBack& w = state_.place[r.tag & 0xFF];
            char text[96];
            std::snprintf(
                text, sizeof text,
                "mirror of a scratch register or read pointer goes to %s address 0x%" PRIx64,
                r.status == MemStatus::Unmapped ? "unmapped" : "faulty", w.address);
            throw MachineStop(StopKind::Fault, "cp.registers", text);
        }
        progress = true;
    }
    if (state_.coherency_pending && to_coherency->can_push(now)) {
        to_coherency->push(now, state_.coherency);
        state_.coherency_pending = false;
        progress = true;
    }
    if (!state_.write_backs.empty() && to_hub->can_push(now)) {
        const WriteBack w = state_.write_backs.front();
        state_.write_backs.erase(state_.write_backs.begin());
        MemRequest m;
        m.line = line_of(w.address);
        m.byte_mask = uint64_t{0xF} << (w.address % kLineBytes);
        m.command = MemCommand::Write;
        m.client = Client::CpMe;
        m.tag = state_.sequence % state_.place.size();
        m.uid = transaction_id(TransactionUnit::CpRegisters, ++state_.sequence);
        std::memcpy(&m.data[w.address % kLineBytes], &w.value, 4);
        state_.place[m.tag] = w;
        to_hub->push(now, m);
        ++state_.writes_in_flight;
        ++state_.write_backs_done;
        progress = true;
    }
    // One request a cycle; a write waits while its effect has no place to go.
    if (run_ != RunState::Paused && state_.write_backs.size() < spec_.writeback_depth &&
        !state_.coherency_pending) {
        const auto write = [&](const RegRequest& r) {
            ++state_.writes;
            file_->write_register(r);
            for (unsigned ring = 0; ring < spec_.rings; ++ring)
                if (const uint32_t control = file_->interrupt_control(ring);
                    interrupt_control[ring].latest() != control)
                    interrupt_control[ring].set(now, control);
        };
        const auto read = [&](const RegRequest& r, uint32_t& value) {
            ++state_.reads;
            return file_->read_register(r, value);
        };
        progress |= serve_register(now, request, &*to_response, write, read);
    }
    busy.set(now, !idle());
    return progress;
}

bool RegisterCore::idle() const {
    return state_.write_backs.empty() && state_.writes_in_flight == 0 &&
           !state_.coherency_pending && !file_->coherency_busy() && request.empty() &&
           read_pointer.empty() && notice.empty() && ring_error.empty() && parse_error.empty() &&
           privilege[0].empty() && privilege[1].empty() && privilege[2].empty() &&
           me_timeout.empty() && pfp_timeout.empty() && streamout_flushed.empty();
}

std::string RegisterCore::waiting_for() const {
    if (state_.writes_in_flight != 0 || !state_.write_backs.empty())
        return "cp registers wait for memory (mirror of scratch registers or read pointers)";
    if (file_->coherency_busy())
        return "cp registers wait for the action CP_COHER_CNTL started";
    return "";
}

void RegisterCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "reads", "transactions", "register reads", &state_.reads);
    stats.add(path, "writes", "transactions", "register writes", &state_.writes);
    stats.add(path, "write_backs", "transactions", "mirrors written to memory",
              &state_.write_backs_done);
    stats.add(path, "interrupts", "transactions", "interrupts raised", &state_.interrupts);
}

}  // namespace archipelago::cp
