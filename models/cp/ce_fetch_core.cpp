// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ce_fetch_core.h"

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "models/common/transaction_id.h"
#include "models/cp/ce_command.h"
#include "models/cp/ce_instruction.h"
#include "models/cp/ce_unit.h"
#include "models/cp/micro_op.h"
#include "models/cp/pm4/packet_log.h"
#include "models/cp/ring_report.h"

namespace archipelago::cp {

namespace {
// Tags: ring and level above, slot in the low byte.
constexpr unsigned kTagBufferShift = 8;
}  // namespace

std::array<uint32_t, 4> partition_packet(const PacketTable& packets, const CeCommand& command) {
    const uint8_t set_base = ce_packet(packets, CePacket::SetBase)->opcodes[0];
    return {make_header(set_base, 3), command.partition, command.cs1, command.cs2};
}

CeFetchCore::CeFetchCore(const Spec& spec)
    : response(spec.memory_return, "cp.ce_fetch.response"),
      done(spec.strobe_latency),
      hub_response(spec.memory_return, "cp.ce_fetch.hub_response"),
      l2_response(spec.memory_return, "cp.ce_fetch.l2_response"),
      register_response(spec.register_return, "cp.ce_fetch.register_response"),
      engine_(spec_, ProgramEngine::Ce, *this),
      to_engine(spec.rings, OutputChannel<MeqEntry>(this)),
      spec_(spec),
      turn_(spec.rings),
      track_(spec.rings) {
    for (unsigned ring = 0; ring < spec.rings; ++ring)
        command.emplace_back(spec.ce.command, "cp.ce_fetch.command" + std::to_string(ring));
    for (auto& channel : command)
        add_input(channel);
    add_inputs(response, done, hub_response, l2_response, register_response);
    CeFetchCore::reset();
}

void CeFetchCore::archive(Archive& a) {
    Unit::archive(a);
    a(engine_, state_, turn_, unused_de_, busy);
}

void CeFetchCore::reset() {
    state_ = {};
    state_.rings.resize(spec_.rings);
    unused_de_ = spec_.de_state();
    engine_.reset();
    for (Ring& r : state_.rings) {
        for (Buffer& b : r.buffers)
            b.lines = front::LineStream(spec_.ce.fetch_lines);
        engine_.add_ring(r.op);
    }
    clear_inputs();
    turn_.reset();
    busy.reset();
    run_ = RunState::Running;
}

void CeFetchCore::arrive(const MemResponse& r) {
    const unsigned index = r.tag >> kTagBufferShift;
    Buffer& b = state_.rings[index / kLevels].buffers[index % kLevels];
    b.lines.arrive(r, r.tag & 0xFF, b.command.location, ring_names());
    --state_.in_flight;
}

bool CeFetchCore::issue(Cycle now) {
    uint64_t wants = 0;
    for (unsigned i = 0; i < spec_.rings; ++i) {
        const Ring& r = state_.rings[i];
        const Buffer& b = r.buffer();
        if (r.active && b.command.partition == 0 && b.lines.next != b.lines.end &&
            b.lines.has_room())
            wants |= uint64_t{1} << i;
    }
    if (wants == 0 || !to_memory->can_push(now))
        return false;
    const auto index = static_cast<unsigned>(turn_.pick_and_grant(wants));
    Ring& r = state_.rings[index];
    front::LineStream& lines = r.buffer().lines;
    MemRequest request;
    request.client = Client::CpCe;
    request.tag = (index * kLevels + r.level) << kTagBufferShift | lines.free_slot();
    request.uid = transaction_id(TransactionUnit::CpCeFetch, ++state_.uid);
    state_.fetched += 4u * lines.request_next(request).line.count;
    to_memory->push(now, request);
    ++state_.in_flight;
    ++state_.requests;
    return true;
}

void CeFetchCore::hand_on(Cycle now, unsigned ring, uint32_t dword) {
    Ring& r = state_.rings[ring];
    const Buffer& b = r.buffer();
    MeqEntry entry;
    entry.dword = dword;
    if (r.left == 0) {
        r.location.dword = b.command.partition != 0 ? b.command.location.dword : b.given;
        if (header_type(dword) != 2) {
            check_header(*spec_.packets, dword, r.location, b.command.dwords - b.given - 1,
                         PacketEngine::Ce);
            r.left = header_body_dwords(dword);
            ++r.engine;
        }
        entry.first = true;
    } else {
        --r.left;
    }
    entry.location = r.location;
    to_engine[ring]->push(now, entry);
}

// One dword of a ring.
bool CeFetchCore::give(Cycle now, unsigned ring) {
    Ring& r = state_.rings[ring];
    if (!r.active) {
        if (!command[ring].can_pop(now))
            return false;
        const CeCommand next = command[ring].pop(now);
        if (!spec_.constant_engine && next.partition == kGdsPartitions)
            return true;  // there is no engine that needs them
        if (!spec_.constant_engine)
            no_ce(to_string(next.location), next.partition != 0
                                                ? "SET_BASE of the constant engine's partitions"
                                                : "INDIRECT_BUFFER_CONST");
        r.active = true;
        enter(r, next);
        return true;
    }
    if (r.data != Data::None)
        return carry_out(now, ring);
    uint32_t dword = 0;
    if (!next_dword(r.buffer(), dword))
        return false;
    if (r.left == 0 && starts_data(ring, dword)) {
        took_dword(r.buffer());
        return true;
    }
    if (!to_engine[ring]->can_push(now))
        return false;
    hand_on(now, ring, dword);
    took_dword(r.buffer());
    leave_finished(r);
    return true;
}

// Begins a buffer, or a partition's packet, at the ring's level.
void CeFetchCore::enter(Ring& r, const CeCommand& command) {
    Buffer& b = r.buffer();
    b.command = command;
    b.given = r.left = 0;
    r.location = command.location;
    if (command.partition != 0)
        b.command.dwords = 4;
    else
        ++state_.buffers;
    b.lines.begin(command.base, b.command.dwords, command.vmid, command.swap);
}

// Returns from buffers whose last packet has ended: a call may be the last one of its caller.
void CeFetchCore::leave_finished(Ring& r) {
    while (r.active && r.buffer().given == r.buffer().command.dwords) {
        if (r.level == 0) {
            r.active = false;
        } else {
            --r.level;
            r.location = r.buffer().command.location;
        }
    }
}

// Enters the constant buffer that the packet calls.
void CeFetchCore::call(Cycle now, unsigned ring) {
    Ring& r = state_.rings[ring];
    const CeCommand callee = constant_buffer(*r.info, r.body.data(), r.location);
    if (observers_.trace != nullptr)
        trace_packet(ring, now);
    r.data = Data::None;
    ++r.level;
    enter(r, callee);
}

// The dword the buffer is at, when it is here.
bool CeFetchCore::next_dword(const Buffer& b, uint32_t& dword) const {
    if (b.command.partition != 0) {
        dword = partition_packet(*spec_.packets, b.command)[b.given];
        return true;
    }
    if (!b.lines.has_line())
        return false;
    dword = b.lines.dword();
    return true;
}

void CeFetchCore::took_dword(Buffer& b) {
    ++b.given;
    if (b.command.partition == 0)
        b.lines.take_dword();
}

// Whether a header is that of a packet that is executed here.
bool CeFetchCore::starts_data(unsigned ring, uint32_t dword) {
    Ring& r = state_.rings[ring];
    if (header_type(dword) != 3)
        return false;
    const PacketInfo* info = spec_.packets->find(header_opcode(dword));
    if (info == nullptr || !info->is(kCeFetch))
        return false;
    const Buffer& b = r.buffer();
    r.location.dword = b.given;
    check_header(*spec_.packets, dword, r.location, b.command.dwords - b.given - 1,
                 PacketEngine::Ce);
    r.info = info;
    r.header = dword;
    r.left = header_body_dwords(dword);
    r.have = 0;
    r.data = Data::Before;
    return true;
}

// A step of such a packet: it waits for the packets before it unless it is a call, then takes its
// dwords one a cycle.
bool CeFetchCore::carry_out(Cycle now, unsigned ring) {
    Ring& r = state_.rings[ring];
    uint32_t dword = 0;
    const auto take = [&] {
        if (!next_dword(r.buffer(), dword))
            return false;
        took_dword(r.buffer());
        --r.left;
        return true;
    };
    switch (r.data) {
        case Data::None:
            break;
        case Data::Before:
            if (r.engine != 0 && r.info->buffer == nullptr)
                return false;
            r.began = now;
            r.data = Data::Collect;
            [[fallthrough]];
        case Data::Collect:
            if (r.have < r.info->fixed) {
                if (!take())
                    return false;
                r.body[r.have++] = dword;
                return true;
            }
            log_packet(observers_, path_, now, spec_, r.location, r.header, r.body.data(), r.have);
            if (r.info->buffer != nullptr) {
                call(now, ring);
                return true;
            }
            engine_.start(r.op, *r.info, r.header, r.body.data(), r.location, unused_de_);
            r.data = Data::Execute;
            return true;
        case Data::Execute: {
            StallReason reason = StallReason::None;
            switch (engine_.step(now, r.op, reason)) {
                case OpStep::Advanced:
                    return true;
                case OpStep::Blocked:
                case OpStep::Waiting:
                    return false;
                case OpStep::NeedDword:
                    if (!take())
                        return false;
                    OpEngine::give(r.op, dword);
                    return true;
                case OpStep::Finished:
                    r.data = Data::Drop;
                    return true;
            }
            break;
        }
        case Data::Drop:
            if (r.left != 0)
                return take();
            ++state_.data_packets;
            r.data = Data::None;
            if (observers_.trace != nullptr)
                trace_packet(ring, now);
            leave_finished(r);
            return true;
    }
    return false;
}

bool CeFetchCore::take_data_responses(Cycle now) {
    bool progress = engine_.take_from(hub_response, now);
    progress |= engine_.take_from(l2_response, now);
    progress |= engine_.take_from(register_response, now);
    while (done.ready(now)) {
        --state_.rings[done.take().ring].engine;
        progress = true;
    }
    return progress;
}

bool CeFetchCore::tick(Cycle now) {
    bool progress = false;
    if (response.can_pop(now)) {
        arrive(response.pop(now));
        progress = true;
    }
    progress |= take_data_responses(now);
    if (run_ != RunState::Paused) {
        for (unsigned i = 0; i < spec_.rings; ++i)
            progress |= give(now, i);
        progress |= issue(now);
    }
    busy.set(now, !idle());
    return progress;
}

bool CeFetchCore::idle() const {
    for (unsigned i = 0; i < spec_.rings; ++i)
        if (state_.rings[i].active || !command[i].empty() || !OpEngine::idle(state_.rings[i].op))
            return false;
    return response.empty() && state_.in_flight == 0;
}

std::string CeFetchCore::waiting_for() const {
    std::string text;
    const auto add = [&](unsigned ring, const std::string& what) {
        begin_ring(text, ring);
        text += what;
    };
    for (unsigned i = 0; i < spec_.rings; ++i) {
        const Ring& r = state_.rings[i];
        if (r.data == Data::Execute || r.data == Data::Before)
            add(i, "CE waits " +
                       (r.data == Data::Before ? std::string("to carry out ") + r.info->name
                                               : "for " + OpEngine::waiting_for(r.op)) +
                       " at " + to_string(r.location));
        const front::LineStream& lines = r.buffer().lines;
        if (r.data != Data::Execute && r.data != Data::Before && r.active && lines.used != 0 &&
            !lines.has_line())
            add(i, "fetch of constants waits for memory " + hex(lines.slots[lines.head].address));
        if (!command[i].empty())
            add(i, "constant buffers not begun: " + std::to_string(command[i].size()));
    }
    return text;
}

void CeFetchCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("buffers", "packets", "constant buffers entered", &state_.buffers);
    add("requests", "transactions", "lines requested", &state_.requests);
    add("bytes", "bytes", "of constant buffers requested", &state_.fetched);
    add("data_packets", "packets", "that move data for the constant engine", &state_.data_packets);
    warnings().register_stats(add, Warning::UnknownRegister, Warning::UnknownRegister);
}

void CeFetchCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    for (unsigned i = 0; i < spec_.rings; ++i)
        track_[i] = observers.track(path + "." + ring_name(i));
}

void CeFetchCore::trace_packet(unsigned ring, Cycle end) const {
    const Ring& r = state_.rings[ring];
    observers_.trace->slice(track_[ring], r.began, end, r.info->name, 0,
                            packet_detail(spec_, r.location, r.header, r.body.data(), r.have));
}

void CeFetchCore::finish_trace(Cycle now) const {
    for (unsigned i = 0; i < spec_.rings; ++i)
        if (state_.rings[i].data > Data::Before)
            trace_packet(i, now);
}

}  // namespace archipelago::cp
