// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ce_fetch_core.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "models/common/error.h"
#include "models/cp/micro_op.h"

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
    : response(spec.memory_return, "cp.ce_fetch.response"), spec_(spec) {
    for (unsigned ring = 0; ring < kRings; ++ring)
        command.emplace_back(spec.ce.command, "cp.ce_fetch.command" + std::to_string(ring));
    for (auto& channel : command)
        channel.set_consumer(this);
    response.set_consumer(this);
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

void CeFetchCore::reset() {
    state_ = {};
    for (Ring& r : state_.rings)
        r.slots.resize(spec_.ce.fetch_lines);
    turn_.reset();
    for (auto& channel : command)
        channel.clear();
    response.clear();
    busy = Wire<bool>();
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
    request.uid = ++state_.uid;
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
        }
        entry.first = true;
    } else {
        --r.left;
    }
    entry.location = r.location;
    stream_[ring]->push(now, entry);
    ++r.given;
}

// One dword of a ring.
bool CeFetchCore::give(Cycle now, unsigned ring) {
    Ring& r = state_.rings[ring];
    if (!r.active) {
        if (!command[ring].can_pop(now))
            return false;
        r.command = command[ring].pop(now);
        r.location = r.command.location;
        r.asked = r.given = r.left = 0;
        r.head = r.used = r.taken = 0;
        r.active = true;
        if (r.command.partition)
            r.command.dwords = 4;
        else
            ++state_.buffers;
        return true;
    }
    if (!r.command.partition && (r.used == 0 || !r.slots[r.head].arrived))
        return false;
    if (!stream_[ring]->can_push(now))
        return false;
    if (r.command.partition) {
        hand_on(now, ring, partition_packet(r.command)[r.given]);
    } else {
        const Slot& slot = r.slots[r.head];
        hand_on(now, ring, slot.line.dwords[slot.line.first + r.taken]);
        if (++r.taken == slot.line.count) {
            r.taken = 0;
            r.head = static_cast<unsigned>((r.head + 1) % r.slots.size());
            --r.used;
        }
    }
    if (r.given == r.command.dwords)
        r.active = false;
    return true;
}

bool CeFetchCore::tick(Cycle now) {
    bool progress = false;
    if (response.can_pop(now)) {
        arrive(response.pop(now));
        progress = true;
    }
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
        if (state_.rings[i].active || !command[i].empty())
            return false;
    return response.empty() && state_.in_flight == 0;
}

std::string CeFetchCore::waiting_for() const {
    std::string text;
    for (unsigned i = 0; i < kRings; ++i) {
        const Ring& r = state_.rings[i];
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
}

}  // namespace archipelago::cp
