// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ce_fetch_core.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "models/common/error.h"
#include "models/common/transaction_id.h"
#include "models/cp/ce_unit.h"
#include "models/cp/micro_op.h"
#include "models/cp/pm4/packet_log.h"

namespace archipelago::cp {

namespace {
// Tags: ring above, slot in the low byte.
constexpr unsigned kTagRingShift = 8;
constexpr uint8_t kSetBase = 0x11;
}  // namespace

std::array<uint32_t, 4> partition_packet(const CeCommand& command) {
    return {make_header(kSetBase, 3), 3, command.cs1, command.cs2};
}

CeFetchCore::CeFetchCore(const Spec& spec)
    : response(spec.memory_return, "cp.ce_fetch.response"),
      done(spec.strobe_latency),
      hub_response(spec.memory_return, "cp.ce_fetch.hub_response"),
      l2_response(spec.memory_return, "cp.ce_fetch.l2_response"),
      register_response(spec.register_return, "cp.ce_fetch.register_response"),
      spec_(spec),
      engine_(spec_, ProgramEngine::Ce, *this) {
    for (unsigned ring = 0; ring < kRings; ++ring)
        command.emplace_back(spec.ce.command, "cp.ce_fetch.command" + std::to_string(ring));
    for (auto& channel : command)
        channel.set_consumer(this);
    response.set_consumer(this);
    done.set_consumer(this);
    hub_response.set_consumer(this);
    l2_response.set_consumer(this);
    register_response.set_consumer(this);
    reset();
}

void CeFetchCore::connect_memory(Channel<MemRequest>* out) {
    memory_ = out;
    out->set_producer(this);
}
void CeFetchCore::connect_stream(unsigned ring, Channel<MeqEntry>* out) {
    stream_[ring] = out;
    out->set_producer(this);
}

void CeFetchCore::connect_data(Channel<MemRequest>* hub, Channel<MemRequest>* l2,
                               Channel<RegRequest>* reg, EventLink<PrivilegeFault>* privilege) {
    engine_.ports.hub = hub;
    engine_.ports.l2 = l2;
    engine_.ports.reg = reg;
    engine_.ports.privilege = privilege;
    hub->set_producer(this);
    l2->set_producer(this);
    reg->set_producer(this);
}

void CeFetchCore::reset() {
    state_ = {};
    for (Ring& r : state_.rings) {
        r.slots.resize(spec_.ce.fetch_lines);
        engine_.clear(r.op);
    }
    engine_.counters = {};
    done.clear();
    hub_response.clear();
    l2_response.clear();
    register_response.clear();
    turn_.reset();
    for (auto& channel : command)
        channel.clear();
    response.clear();
    busy.reset();
    run_ = RunState::Running;
}

void CeFetchCore::arrive(const MemResponse& r) {
    Ring& ring = state_.rings[r.tag >> kTagRingShift];
    Slot& slot = ring.slots[r.tag & 0xFF];
    if (r.status != MemStatus::Ok) {
        Location place = ring.command.location;
        place.dword = static_cast<uint32_t>((slot.address + 4u * slot.line.first - place.base) / 4);
        char text[64];
        std::snprintf(text, sizeof text, "fetch from %s address 0x%" PRIx64,
                      r.status == MemStatus::Unmapped ? "unmapped" : "faulty",
                      slot.address + 4u * slot.line.first);
        throw MachineStop(StopKind::Fault, to_string(place), text);
    }
    std::memcpy(slot.line.dwords.data(), r.data.data(), kLineBytes);
    for (uint32_t& dword : slot.line.dwords)
        dword = swap_dword(dword, ring.command.swap);
    slot.arrived = true;
    --state_.in_flight;
}

bool CeFetchCore::issue(Cycle now) {
    uint64_t wants = 0;
    for (unsigned i = 0; i < kRings; ++i) {
        const Ring& r = state_.rings[i];
        if (r.active && !r.command.partition && r.asked != r.command.dwords &&
            r.used != r.slots.size())
            wants |= uint64_t{1} << i;
    }
    if (wants == 0 || !memory_->can_push(now))
        return false;
    const auto index = static_cast<unsigned>(turn_.pick_and_grant(wants));
    Ring& r = state_.rings[index];
    const uint64_t address = r.command.base + 4 * uint64_t{r.asked};
    const auto first = static_cast<uint32_t>(address % kLineBytes / 4);
    const uint32_t count = std::min(16 - first, r.command.dwords - r.asked);
    const auto place = static_cast<unsigned>((r.head + r.used) % r.slots.size());
    Slot& slot = r.slots[place];
    slot.arrived = false;
    slot.address = line_of(address);
    slot.line.first = static_cast<uint8_t>(first);
    slot.line.count = static_cast<uint8_t>(count);
    ++r.used;
    r.asked += count;
    MemRequest request;
    request.line = slot.address;
    request.byte_mask = (count == 16 ? ~uint64_t{0} : (uint64_t{1} << 4 * count) - 1)
                        << (4 * first);
    request.client = Client::CpCe;
    request.vmid = r.command.vmid;
    request.tag = index << kTagRingShift | place;
    request.uid = transaction_id(TransactionUnit::CpCeFetch, ++state_.uid);
    memory_->push(now, request);
    ++state_.in_flight;
    ++state_.requests;
    state_.fetched += 4u * count;
    return true;
}

void CeFetchCore::hand_on(Cycle now, unsigned ring, uint32_t dword) {
    Ring& r = state_.rings[ring];
    MeqEntry entry;
    entry.dword = dword;
    if (r.left == 0) {
        r.location.dword = r.command.partition ? r.command.location.dword : r.given;
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
    stream_[ring]->push(now, entry);
}

// One dword of a ring.
bool CeFetchCore::give(Cycle now, unsigned ring) {
    Ring& r = state_.rings[ring];
    if (!r.active) {
        if (!command[ring].can_pop(now))
            return false;
        r.command = command[ring].pop(now);
        r.location = r.command.location;
        if (!spec_.constant_engine)
            no_ce(to_string(r.location), r.command.partition
                                             ? "SET_BASE of the constant engine's partitions"
                                             : "INDIRECT_BUFFER_CONST");
        r.asked = r.given = r.left = 0;
        r.head = r.used = r.taken = 0;
        r.active = true;
        if (r.command.partition)
            r.command.dwords = 4;
        else
            ++state_.buffers;
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
    if (!stream_[ring]->can_push(now))
        return false;
    hand_on(now, ring, dword);
    took_dword(r);
    if (r.given == r.command.dwords)
        r.active = false;
    return true;
}

// The dword the ring is at, when it is here.
bool CeFetchCore::next_dword(Ring& r, uint32_t& dword) const {
    if (r.command.partition) {
        dword = partition_packet(r.command)[r.given];
        return true;
    }
    if (r.used == 0 || !r.slots[r.head].arrived)
        return false;
    const Slot& slot = r.slots[r.head];
    dword = slot.line.dwords[slot.line.first + r.taken];
    return true;
}

void CeFetchCore::took_dword(Ring& r) {
    ++r.given;
    if (r.command.partition)
        return;
    if (++r.taken == r.slots[r.head].line.count) {
        r.taken = 0;
        r.head = static_cast<unsigned>((r.head + 1) % r.slots.size());
        --r.used;
    }
}

// Whether a header is that of a packet that is carried out here.
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
                observers_.trace->slice(
                    track_[ring], r.began, now, r.info->name, 0,
                    packet_detail(spec_, r.location, r.header, r.body.data(), r.have));
            if (r.given == r.command.dwords)
                r.active = false;
            return true;
    }
    return false;
}

bool CeFetchCore::take_data_responses(Cycle now) {
    OpEngine::States states{};
    for (unsigned i = 0; i < kRings; ++i)
        states[i] = &state_.rings[i].op;
    bool progress = engine_.take_from(hub_response, now, states);
    progress |= engine_.take_from(l2_response, now, states);
    progress |= engine_.take_from(register_response, now, states);
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
        for (unsigned i = 0; i < kRings; ++i)
            progress |= give(now, i);
        progress |= issue(now);
    }
    busy.set(now, !idle());
    return progress;
}

bool CeFetchCore::idle() const {
    for (unsigned i = 0; i < kRings; ++i)
        if (state_.rings[i].active || !command[i].empty() || !OpEngine::idle(state_.rings[i].op))
            return false;
    return response.empty() && state_.in_flight == 0;
}

std::string CeFetchCore::waiting_for() const {
    std::string text;
    for (unsigned i = 0; i < kRings; ++i) {
        const Ring& r = state_.rings[i];
        if (r.data == Data::Execute || r.data == Data::Before) {
            text += (text.empty() ? "ring " : "; ring ") + std::string(ring_name(i)) +
                    ": CE waits " +
                    (r.data == Data::Before ? std::string("to carry out ") + r.info->name
                                            : "for " + OpEngine::waiting_for(r.op)) +
                    " at " + to_string(r.location);
            continue;
        }
        if (!r.active || r.used == 0 || r.slots[r.head].arrived)
            continue;
        char line[96];
        std::snprintf(line, sizeof line,
                      "%sring %s: fetch of constants waits for memory 0x%" PRIx64,
                      text.empty() ? "" : "; ", ring_name(i), r.slots[r.head].address);
        text += line;
    }
    return text;
}

void CeFetchCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "buffers", "packets", "constant buffers entered", &state_.buffers);
    stats.add(path, "requests", "transactions", "lines asked for", &state_.requests);
    stats.add(path, "bytes", "bytes", "of constant buffers asked for", &state_.fetched);
    stats.add(path, "data_packets", "packets", "that move data for the constant engine",
              &state_.data_packets);
}

void CeFetchCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    if (observers_.trace != nullptr)
        for (unsigned i = 0; i < kRings; ++i)
            track_[i] = observers_.trace->track(path + "." + ring_name(i), observers_.period_fs);
}

}  // namespace archipelago::cp
