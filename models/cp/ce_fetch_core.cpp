// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ce_fetch_core.h"

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "models/common/transaction_id.h"
#include "models/cp/ce_instruction.h"
#include "models/cp/ce_unit.h"
#include "models/cp/micro_op.h"
#include "models/cp/pm4/packet_log.h"
#include "models/cp/ring_report.h"

namespace archipelago::cp {

namespace {
// Tags: ring above, slot in the low byte.
constexpr unsigned kTagRingShift = 8;
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
        r.lines = front::LineStream(spec_.ce.fetch_lines);
        engine_.add_ring(r.op);
    }
    clear_inputs();
    turn_.reset();
    busy.reset();
    run_ = RunState::Running;
}

void CeFetchCore::arrive(const MemResponse& r) {
    Ring& ring = state_.rings[r.tag >> kTagRingShift];
    ring.lines.arrive(r, r.tag & 0xFF, ring.command.location, ring_names());
    --state_.in_flight;
}

bool CeFetchCore::issue(Cycle now) {
    uint64_t wants = 0;
    for (unsigned i = 0; i < spec_.rings; ++i) {
        const Ring& r = state_.rings[i];
        if (r.active && r.command.partition == 0 && r.lines.next != r.lines.end &&
            r.lines.has_room())
            wants |= uint64_t{1} << i;
    }
    if (wants == 0 || !to_memory->can_push(now))
        return false;
    const auto index = static_cast<unsigned>(turn_.pick_and_grant(wants));
    front::LineStream& lines = state_.rings[index].lines;
    MemRequest request;
    request.client = Client::CpCe;
    request.tag = index << kTagRingShift | lines.free_slot();
    request.uid = transaction_id(TransactionUnit::CpCeFetch, ++state_.uid);
    state_.fetched += 4u * lines.request_next(request).line.count;
    to_memory->push(now, request);
    ++state_.in_flight;
    ++state_.requests;
    return true;
}

void CeFetchCore::hand_on(Cycle now, unsigned ring, uint32_t dword) {
    Ring& r = state_.rings[ring];
    MeqEntry entry;
    entry.dword = dword;
    if (r.left == 0) {
        r.location.dword = r.command.partition != 0 ? r.command.location.dword : r.given;
        if (header_type(dword) != 2) {
            check_header(*spec_.packets, dword, r.location, r.command.dwords - r.given - 1,
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
        r.command = command[ring].pop(now);
        r.location = r.command.location;
        if (!spec_.constant_engine && r.command.partition == kGdsPartitions)
            return true;  // no one to tell
        if (!spec_.constant_engine)
            no_ce(to_string(r.location), r.command.partition != 0
                                             ? "SET_BASE of the constant engine's partitions"
                                             : "INDIRECT_BUFFER_CONST");
        r.given = r.left = 0;
        r.active = true;
        if (r.command.partition != 0)
            r.command.dwords = 4;
        else
            ++state_.buffers;
        r.lines.begin(r.command.base, r.command.dwords, r.command.vmid, r.command.swap);
        return true;
    }
    if (r.data != Data::None)
        return carry_out(now, ring);
    uint32_t dword = 0;
    if (!next_dword(r, dword))
        return false;
    if (r.left == 0 && starts_data(ring, dword)) {
        took_dword(r);
        return true;
    }
    if (!to_engine[ring]->can_push(now))
        return false;
    hand_on(now, ring, dword);
    took_dword(r);
    if (r.given == r.command.dwords)
        r.active = false;
    return true;
}

// The dword the ring is at, when it is here.
bool CeFetchCore::next_dword(Ring& r, uint32_t& dword) const {
    if (r.command.partition != 0) {
        dword = partition_packet(*spec_.packets, r.command)[r.given];
        return true;
    }
    if (!r.lines.has_line())
        return false;
    dword = r.lines.dword();
    return true;
}

void CeFetchCore::took_dword(Ring& r) {
    ++r.given;
    if (r.command.partition == 0)
        r.lines.take_dword();
}

// Whether a header is that of a packet that is executed here.
bool CeFetchCore::starts_data(unsigned ring, uint32_t dword) {
    Ring& r = state_.rings[ring];
    if (header_type(dword) != 3)
        return false;
    const PacketInfo* info = spec_.packets->find(header_opcode(dword));
    if (info == nullptr || !info->is(kCeFetch))
        return false;
    r.location.dword = r.given;
    check_header(*spec_.packets, dword, r.location, r.command.dwords - r.given - 1,
                 PacketEngine::Ce);
    r.info = info;
    r.header = dword;
    r.left = header_body_dwords(dword);
    r.have = 0;
    r.data = Data::Before;
    return true;
}

// A step of such a packet: it waits for the packets before it, then takes its dwords one a cycle.
bool CeFetchCore::carry_out(Cycle now, unsigned ring) {
    Ring& r = state_.rings[ring];
    uint32_t dword = 0;
    const auto take = [&] {
        if (!next_dword(r, dword))
            return false;
        took_dword(r);
        --r.left;
        return true;
    };
    switch (r.data) {
        case Data::None:
            break;
        case Data::Before:
            if (r.engine != 0)
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
            if (r.given == r.command.dwords)
                r.active = false;
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
        else if (r.active && r.lines.used != 0 && !r.lines.has_line())
            add(i,
                "fetch of constants waits for memory " + hex(r.lines.slots[r.lines.head].address));
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
