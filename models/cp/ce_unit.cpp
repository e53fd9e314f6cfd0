// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ce_unit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "models/common/address_spaces.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/transaction_id.h"
#include "models/cp/pm4/packet_log.h"
#include "models/cp/ring_report.h"

namespace archipelago::cp {

namespace {
// The packet a message is of.
const char* packet_name(DeKind kind) {
    switch (kind) {
        case DeKind::WaitCounter:
            return "WAIT_ON_CE_COUNTER";
        case DeKind::WaitBuffer:
            return "WAIT_ON_AVAIL_BUFFER";
        default:
            return "INCREMENT_DE_COUNTER";
    }
}
}  // namespace

void no_ce(const std::string& place, const char* what) {
    throw MachineStop(StopKind::Unimplemented, place,
                      std::string(what) + ": this chip has no constant engine");
}

const char* to_string(CeReason reason) {
    static const char* const kTexts[] = {
        "nothing",
        "its turn",
        "dwords of the command stream",
        "its microcode",
        "the way to L2",
        "loaded data",
        "confirmation of dumped lines",
        "sets of constants to be in memory",
        "DE to leave the other buffer",
        "the DE counter",
        "DE to catch up",
        "the RAM",
    };
    return kTexts[static_cast<size_t>(reason)];
}

CeUnit::CeUnit(const Spec& spec, rtl::PinBlock<rtl::CpCePins>* pins)
    : message(spec.ce.message, "cp.ce.message"),
      response(spec.memory_return, "cp.ce.response"),
      halt(spec.strobe_latency),
      spec_(spec),
      core_(*spec.packets),
      pins_(pins != nullptr ? pins : &core_) {
    for (unsigned ring = 0; ring < kCeRings; ++ring)
        stream.emplace_back(spec.ce.stream, "cp.ce.stream" + std::to_string(ring));
    for (auto& channel : stream)
        add_input(channel);
    add_inputs(message, response, halt);
    CeUnit::reset();
}

void CeUnit::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(pins_ == &core_, "it is a Verilog twin");
    a(core_, in_, out_, halted_, active_, rings_, accesses_, uid_, counters_, busy);
}

void CeUnit::reset() {
    in_ = {};
    in_.config = ce_config_pins(spec_.ce, *spec_.packets);
    in_.rst = 1;
    pins_->step(in_, out_);
    in_.rst = 0;
    out_ = {};
    active_ = false;
    rings_ = {};
    clear_inputs();
    counters_ = {};
    halted_ = false;
    busy.reset();
    run_ = RunState::Running;
}

bool CeUnit::working() const {
    return active_ || !accesses_.empty() ||
           std::any_of(rings_.begin(), rings_.end(),
                       [](const Ring& r) { return r.in_packet || r.de_waits; });
}

bool CeUnit::idle() const {
    if (working() || !response.empty() || !message.empty())
        return false;
    return run_ == RunState::Draining ||
           std::all_of(stream.begin(), stream.end(), [](const auto& s) { return s.empty(); });
}

// The input pins of this cycle; whether there is anything to take.
bool CeUnit::sample(Cycle now) {
    const bool paused = run_ == RunState::Paused || halted_;
    bool offered = false;
    for (unsigned i = 0; i < kCeRings; ++i) {
        // Draining, packets that have begun are finished.
        in_.stream[i].valid = 0;
        if (paused || (run_ == RunState::Draining && !rings_[i].in_packet) ||
            !stream[i].can_pop(now))
            continue;
        in_.stream[i] = {1, stream[i].front().dword, stream[i].front().location.vmid};
        offered = true;
    }
    in_.de_valid = !paused && message.can_pop(now) ? 1 : 0;
    if (in_.de_valid != 0) {
        const DeMessage& m = message.front();
        if (!spec_.constant_engine)
            no_ce(std::string("ring ") + ring_name(m.ring), packet_name(m.kind));
        in_.de = {m.ring, static_cast<uint8_t>(m.kind), m.buffer, m.flags};
    }
    in_.rsp_valid = response.can_pop(now) ? 1 : 0;
    if (in_.rsp_valid != 0) {
        const MemResponse& r = response.front();
        in_.rsp.status = static_cast<uint8_t>(r.status);
        in_.rsp.tag = static_cast<uint16_t>(r.tag);
        std::memcpy(in_.rsp.data.data(), r.data.data(), kLineBytes);
    }
    in_.req_ready = !paused && to_l2->can_push(now) ? 1 : 0;
    in_.grant_ready = !paused && to_me->can_push(now) ? 1 : 0;
    return offered || in_.de_valid != 0 || in_.rsp_valid != 0;
}

// A dword of the stream has been taken.
void CeUnit::take(Cycle now, unsigned ring) {
    Ring& r = rings_[ring];
    const MeqEntry entry = stream[ring].pop(now);
    ++counters_.dwords;
    if (!r.in_packet) {
        r.location = entry.location;
        r.header = entry.dword;
        r.info = header_type(entry.dword) == 3 ? spec_.packets->find(header_opcode(entry.dword))
                                               : nullptr;
        r.have = 0;
        r.began = now;
        r.in_packet = header_type(entry.dword) != 2;
    } else if (r.have < r.body.size()) {
        r.body[r.have++] = entry.dword;
    }
    if (r.in_packet && r.info != nullptr && r.have == r.info->fixed)
        log_packet(observers_, path_, now, spec_, r.location, r.header, r.body.data(), r.have);
}

void CeUnit::request(Cycle now) {
    const rtl::CpCePins::Request& q = out_.req;
    MemRequest m;
    m.line = q.line * kLineBytes;
    m.byte_mask = bytes_of_dwords(q.mask);
    m.command = q.write != 0 ? MemCommand::Write : MemCommand::Read;
    m.client = Client::CpCe;
    m.vmid = q.vmid;
    m.tag = q.tag;
    m.source = q.tag & 3;
    m.uid = transaction_id(TransactionUnit::CpCe, ++uid_);
    std::memcpy(m.data.data(), q.data.data(), kLineBytes);
    const auto bytes = static_cast<uint64_t>(__builtin_popcountll(m.byte_mask));
    ++(q.write != 0 ? counters_.dump_lines : counters_.load_lines);
    (q.write != 0 ? counters_.dump_bytes : counters_.load_bytes) += bytes;
    accesses_.push_back({q.tag, m.line, rings_[q.tag & 3].location});
    to_l2->push(now, m);
}

// A response has been taken: one without a request has already stopped the block.
void CeUnit::answered() {
    const auto found = std::find_if(accesses_.begin(), accesses_.end(), [&](const Access& access) {
        return access.tag == in_.rsp.tag && access.line == response.front().line;
    });
    if (found != accesses_.end())
        accesses_.erase(found);
}

// What is wrong with the packet `name` at which the block stopped; `info`: what it says of it.
// Empty: the code is none of a packet's.
std::string CeUnit::packet_fault(CeStop code, const std::string& name, uint32_t info) {
    switch (code) {
        case CeStop::Header:
            return fmt::format("type-{} packet header 0x{:08x} where a packet must start",
                               header_type(info), info);
        case CeStop::Packet:
            return name + " in the constant engine" +
                   fmt::format(" (header 0x{:08x}) is not implemented", info);
        case CeStop::Size:
            return name + fmt::format(" has {} body dwords", header_body_dwords(info));
        case CeStop::Alignment:
            return name + fmt::format(" with misaligned value 0x{:x}", info);
        case CeStop::Bounds:
            return name +
                   fmt::format(" reaches to 0x{:x}, beyond the ring's partition of CE RAM", info);
        case CeStop::Partition:
            return name + fmt::format(
                              " with partitions at 0x{:x} and 0x{:x}: must be in order and "
                              "multiples of 64",
                              info & 0xFFFF, info >> 16);
        case CeStop::BaseIndex:
            return name +
                   fmt::format(" with BASE_INDEX {}, which is not the constant engine's", info);
        default:
            return {};
    }
}

// At a memory response that refuses an access.
void CeUnit::stop_for_memory(const std::string& unit) const {
    const MemResponse& m = response.front();
    const auto from = std::find_if(accesses_.begin(), accesses_.end(), [&](const Access& access) {
        return access.tag == m.tag && access.line == m.line;
    });
    throw MachineStop(
        StopKind::Fault, from != accesses_.end() ? to_string(from->location) : unit,
        ((m.tag & 4) != 0 ? "DUMP_CONST_RAM to " : "LOAD_CONST_RAM from ") +
            refused_address(m.status, m.line, from != accesses_.end() ? from->location.vmid : 0));
}

void CeUnit::stop() {
    const unsigned ring = out_.stop_ring;
    const uint32_t info = out_.stop_info;
    const auto code = static_cast<CeStop>(out_.stop_code);
    const std::string unit = path_.empty() ? "cp.ce" : path_;
    const Ring* r = ring < kCeRings ? &rings_[ring] : nullptr;
    const std::string name =
        std::string("packet ") + (r != nullptr && r->info != nullptr ? r->info->name : "?");
    const std::string fault = packet_fault(code, name, info);
    if (!fault.empty())
        throw MachineStop(code == CeStop::Packet ? StopKind::Unimplemented : StopKind::BadInput,
                          r != nullptr ? to_string(r->location) : unit, fault);
    switch (code) {
        case CeStop::Fault:
            stop_for_memory(unit);
        case CeStop::Flags:
            throw MachineStop(
                StopKind::BadInput, std::string("ring ") + ring_name(ring),
                fmt::format(
                    "packet WAIT_ON_AVAIL_BUFFER: buffer flags CE1 CE0 DE1 DE0 = {}{}{}{}: DE "
                    "has a buffer that the constant engine has not",
                    info >> 3 & 1, info >> 2 & 1, info >> 1 & 1, info & 1));
        case CeStop::Message:
            throw MachineStop(
                StopKind::Protocol, unit,
                fmt::format("message of DE breaks the rules: ring {} kind {} buffer {} "
                            "flags {}",
                            info >> 24, info >> 16 & 0xFF, info >> 8 & 0xFF, info & 0xFF));
        case CeStop::Response:
            throw MachineStop(StopKind::Protocol, unit,
                              fmt::format("unsolicited memory response (tag 0x{:x})", info));
        default:
            throw MachineStop(StopKind::Protocol, unit,
                              fmt::format("stopped with code {}", out_.stop_code));
    }
}

// How many INCREMENT_CE_COUNTERs CE is ahead of DE's INCREMENT_DE_COUNTERs; a row for each ring
// shows it while it is not 0.
void CeUnit::ahead(Cycle now, unsigned ring, int change) {
    if (observers_.trace == nullptr)
        return;
    Ring& r = rings_[ring];
    trace_ahead(ring, now);
    r.ahead += change;
    r.ahead_since = now;
}

void CeUnit::take_message(Cycle now) {
    const DeMessage m = message.pop(now);
    if (m.kind == DeKind::WaitCounter || m.kind == DeKind::WaitBuffer) {
        rings_[m.ring].de_waits = true;
        rings_[m.ring].de_kind = m.kind;
    }
    if (m.kind == DeKind::Increment)
        ahead(now, m.ring, -1);
}

void CeUnit::end_packet(Cycle now) {
    Ring& r = rings_[out_.done_ring];
    r.in_packet = false;
    if (to_fetch)
        to_fetch->send(now, {out_.done_ring});
    ++counters_.packets[out_.done_packet];
    if (out_.done_packet == static_cast<uint8_t>(CePacket::IncrementCeCounter))
        ahead(now, out_.done_ring, 1);
    if (observers_.trace != nullptr)
        trace_packet(out_.done_ring, now + 1);
}

void CeUnit::trace_ahead(unsigned ring, Cycle end) const {
    const Ring& r = rings_[ring];
    if (r.ahead != 0)
        observers_.trace->slice(ahead_track_[ring], r.ahead_since, end,
                                r.ahead > 0 ? fmt::format("{} ahead", static_cast<int>(r.ahead))
                                            : fmt::format("{} behind", static_cast<int>(-r.ahead)));
}

void CeUnit::trace_packet(unsigned ring, Cycle end) const {
    const Ring& r = rings_[ring];
    observers_.trace->slice(track_[ring], r.began, end, r.info != nullptr ? r.info->name : "packet",
                            0, packet_detail(spec_, r.location, r.header, r.body.data(), r.have));
}

void CeUnit::finish_trace(Cycle now) const {
    for (unsigned i = 0; i < kCeRings; ++i) {
        trace_ahead(i, now);
        if (rings_[i].in_packet)
            trace_packet(i, now);
    }
}

bool CeUnit::tick(Cycle now) {
    while (halt.ready(now))
        halted_ = halt.take().ce;
    if (!sample(now) && !working())
        return false;
    pins_->step(in_, out_);
    active_ = out_.active != 0;
    bool taken = false;
    for (unsigned i = 0; i < kCeRings; ++i) {
        if (out_.stream_ready[i] == 0)
            continue;
        take(now, i);
        taken = true;
    }
    if (out_.stop_valid != 0)
        stop();
    if (out_.de_ready != 0)
        take_message(now);
    if (out_.rsp_ready != 0) {
        answered();
        response.drop(now);
    }
    if (out_.req_valid != 0)
        request(now);
    if (out_.grant_valid != 0) {
        to_me->push(now,
                    {out_.grant_ring, static_cast<DeKind>(out_.grant_kind), out_.grant_buffer});
        rings_[out_.grant_ring].de_waits = false;
        ++counters_.grants;
    }
    const bool moved = taken || out_.req_valid != 0 || out_.done_valid != 0;
    CeReason stall = CeReason::None;
    for (unsigned i = kCeRings; i-- > 0;) {
        Ring& r = rings_[i];
        r.reason = static_cast<CeReason>(out_.reason[i]);
        if (!moved && r.reason != CeReason::None && r.reason != CeReason::Turn)
            stall = r.reason;
    }
    if (out_.done_valid != 0)
        end_packet(now);
    counters_.stalls.note(now, stall);
    busy.set(now, !idle());
    return active_;
}

std::string CeUnit::waiting_for() const {
    std::string text;
    for (unsigned i = 0; i < kCeRings; ++i) {
        const Ring& r = rings_[i];
        if (!r.in_packet && stream[i].empty())
            continue;
        begin_ring(text, i);
        text += "CE ";
        if (run_ == RunState::Paused || halted_)
            text += halted_ ? "is halted" : "is paused";
        else if (r.in_packet)
            text += std::string("waits for ") + to_string(r.reason) + " in " +
                    (r.info != nullptr ? r.info->name : "a packet") + " at " +
                    to_string(r.location);
        else
            text += "has packets to execute";
    }
    if (text.empty() && !accesses_.empty())
        text = "CE waits for memory (" + std::to_string(accesses_.size()) + " lines)";
    if (text.empty() && !idle())
        text = "CE has messages of DE to answer";
    return text;
}

void CeUnit::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    static const struct {
        CePacket packet;
        const char* name;
    } kPackets[] = {
        {CePacket::Nop, "packets_nop"},
        {CePacket::SetBase, "packets_set_base"},
        {CePacket::WriteConstRam, "packets_write"},
        {CePacket::WriteConstRamOffset, "packets_write_offset"},
        {CePacket::DumpConstRam, "packets_dump"},
        {CePacket::LoadConstRam, "packets_load"},
        {CePacket::IncrementCeCounter, "packets_increment"},
        {CePacket::SetCeDeCounters, "packets_set_counters"},
        {CePacket::WaitOnDeCounter, "packets_wait_counter"},
        {CePacket::WaitOnDeCounterDiff, "packets_wait_diff"},
    };
    for (const auto& p : kPackets)
        add(p.name, "packets", "packets of this kind executed",
            &counters_.packets[static_cast<size_t>(p.packet)]);
    add("dwords", "dwords", "taken from the streams", &counters_.dwords);
    add("dump_lines", "transactions", "lines dumped", &counters_.dump_lines);
    add("dump_bytes", "bytes", "dumped", &counters_.dump_bytes);
    add("load_lines", "transactions", "lines loaded", &counters_.load_lines);
    add("load_bytes", "bytes", "loaded", &counters_.load_bytes);
    add("grants", "transactions", "waits of DE ended", &counters_.grants);
    const auto stall = [&](const char* name, const char* meaning, CeReason reason) {
        add(name, "cycles", meaning, counters_.stalls.counter(reason));
    };
    stall("stall_stream", "in a packet, no dword", CeReason::Stream);
    stall("stall_microcode", "starting a packet", CeReason::Microcode);
    stall("stall_mem_port", "the way to L2 busy", CeReason::MemPort);
    stall("stall_loads", "loaded data outstanding", CeReason::Loads);
    stall("stall_dumps", "confirmations outstanding", CeReason::Dumps);
    stall("stall_sets", "too many sets wait for their writes", CeReason::Sets);
    stall("stall_buffer_flag", "DE uses both buffers", CeReason::BufferFlag);
    stall("stall_de_counter", "DE counter not reached", CeReason::DeCounter);
    stall("stall_difference", "too far ahead of DE", CeReason::Difference);
}

void CeUnit::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    for (unsigned i = 0; i < kCeRings; ++i) {
        track_[i] = observers.track(path + "." + ring_name(i));
        ahead_track_[i] = observers.track(path + ".ahead_" + ring_name(i));
    }
}

}  // namespace archipelago::cp
