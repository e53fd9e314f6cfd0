// SPDX-License-Identifier: Apache-2.0
#include "models/srbm/srbm_core.h"

#include <fmt/core.h>

#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/invariant.h"
#include "models/common/register_bus.h"
#include "models/common/register_service.h"
#include "models/common/text.h"

namespace archipelago::srbm {
namespace {

const char* const kSourceNames[kSources] = {"host", "dma0", "dma1", "cp"};
constexpr RegSource kRegSources[kSources] = {kRegFromHost, kRegFromDma0, kRegFromDma1, kRegFromCp};
const char* const kPortTitles[kPorts] = {"system registers", "graphics register bus",
                                         "DMA engine 0", "DMA engine 1", "interrupt handler"};
constexpr uint8_t kAllBytes = 0xF;
constexpr Cycle kAtOnce = kNever;  // of functional mode: after all that has been set

unsigned source_of(const RegRequest& r) {
    unsigned source = kHost;
    while (source < kSources && kRegSources[source] != r.source)
        ++source;
    invariant(source < kSources, "srbm", "a request of no source");
    return source;
}

// Makes a write of some bytes one of all, of a register that holds `before`.
void merge_bytes(uint32_t before, RegRequest& r) {
    uint32_t mask = 0;
    for (unsigned byte = 0; byte < 4; ++byte)
        if ((r.byte_enable >> byte & 1) != 0)
            mask |= 0xFFu << 8 * byte;
    r.value = (before & ~mask) | (r.value & mask);
    r.byte_enable = kAllBytes;
}

Cycle stamp(Cycle now) {
    return now == kAtOnce ? 0 : now;
}

}  // namespace

SrbmCore::SrbmCore(const Spec& spec)
    : to_port(kPorts, OutputChannel<RegRequest>(this)),
      to_source(kSources, OutputChannel<RegResponse>(this)),
      spec_(spec),
      decode_(kApertureBytes / 4) {
    std::string text;
    for (const std::string& problem : spec.problems())
        text += "; " + problem;
    if (!text.empty())
        throw std::invalid_argument("system register bus spec" + text);
    find_registers();
    for (const char* name : kSourceNames)
        request.emplace_back(spec_.request, std::string("srbm.request.") + name);
    for (unsigned i = 0; i < kPorts; ++i)
        response.emplace_back(spec_.response, "srbm.response" + std::to_string(i));
    for (unsigned i = 0; i < kSources; ++i)
        add_input(request[i], asked_, i);
    for (unsigned i = 0; i < kPorts; ++i)
        add_input(response[i], answered_, i);
    reset();
}

void SrbmCore::find_registers() {
    for (size_t i = 0; i < spec_.ranges.size(); ++i)
        for (uint32_t at = spec_.ranges[i].start; at < spec_.ranges[i].end; at += 4) {
            decode_[at / 4].range = static_cast<uint8_t>(i + 1);
            decode_[at / 4].port = spec_.ranges[i].port;
        }
    for (size_t i = 0; i < spec_.rules.size(); ++i)
        decode_[spec_.rules[i].offset / 4].rule = static_cast<uint8_t>(i + 1);
    if (spec_.database == nullptr) {
        for (Decode& d : decode_)
            d.known = true;
        return;
    }
    for (const regs::RegisterInfo& info : spec_.database->registers)
        if (info.offset / 4 < decode_.size()) {
            decode_[info.offset / 4].known = true;
            decode_[info.offset / 4].read_only = !info.writable();
        }
}

void SrbmCore::add_busy(uint32_t status, unsigned bit, const Wire<bool>* wire) {
    busy_.push_back({status, static_cast<uint8_t>(bit), wire});
}

void SrbmCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, turn_);
}

void SrbmCore::reset() {
    Unit::reset();
    state_ = {};
    state_.store.assign(decode_.size(), 0);
    if (spec_.database != nullptr)
        for (const regs::RegisterInfo& info : spec_.database->registers)
            if (info.offset / 4 < decode_.size())
                state_.store[info.offset / 4] = info.reset;
    for (const ResetValue& value : spec_.resets)
        state_.store[value.offset / 4] = value.value;
    state_.reads.resize(size_t{kSources} * spec_.reads_in_flight);
    turn_.reset();
    soft_reset.reset();
}

const char* SrbmCore::range_name(uint32_t offset) const {
    const Decode d = decode(offset);
    return d.range != 0 ? spec_.ranges[d.range - 1u].name.c_str() : nullptr;
}

unsigned SrbmCore::reads_under_way() const {
    unsigned sum = 0;
    for (const unsigned reads : state_.reads_used)
        sum += reads;
    return sum;
}

// ---- registers kept here ------------------------------------------------------------------------

uint32_t SrbmCore::levels(Cycle now, uint32_t status) const {
    uint32_t bits = 0;
    for (const BusyInput& input : busy_)
        if (input.status == status && input.wire->get(now))
            bits |= 1u << input.bit;
    return bits;
}

bool SrbmCore::own_read(Cycle now, const Decode& decode, uint32_t offset, uint32_t& value) const {
    if (decode.range == 0 || !decode.known)
        return false;
    value = state_.store[offset / 4];  // 0 for those of a block that is not there
    if (decode.rule == 0)
        return true;
    const Rule& rule = spec_.rules[decode.rule - 1u];
    if (rule.answer == Answer::Levels)
        value = levels(now, rule.other) | rule.value;
    else if (rule.answer == Answer::Ready)
        value |= rule.value;
    return true;
}

bool SrbmCore::own_write(Cycle now, const Decode& decode, const RegRequest& r) {
    if (decode.range == 0 || !decode.known)
        return false;
    if (decode.port != kSelf)
        stop_absent(decode.port, r.offset);
    if (decode.rule != 0) {
        const Rule& rule = spec_.rules[decode.rule - 1u];
        if (rule.answer == Answer::AtOnce && rule.other != regs::kNoOffset)
            state_.store[rule.other / 4] |= r.value;
        if (rule.answer == Answer::AtOnce || rule.answer == Answer::Levels)
            return true;
        if (rule.answer == Answer::SoftReset)
            soft_reset.set(stamp(now), r.value);
        if (rule.answer == Answer::Translate && (r.value & rule.value) != 0)
            state_.translates = true;
    }
    if (!decode.read_only)
        state_.store[r.offset / 4] = r.value;
    return true;
}

void SrbmCore::stop_absent(uint8_t port, uint32_t offset) const {
    throw MachineStop(StopKind::Unimplemented, "srbm",
                      (spec_.database != nullptr ? spec_.database->name_of(offset) : hex(offset)) +
                          ": this chip has no " + kPortTitles[port]);
}

void SrbmCore::unknown(Cycle now, const RegRequest& r) {
    ++state_.unknown;
    if (!r.write && on_read_error)
        on_read_error({r.offset, r.source});
    else if (!r.write && to_read_errors)
        to_read_errors->send(now, {r.offset, r.source});
    if (logs())
        observers_.log->line(LogCategory::Reg, stamp(now), path_,
                             unknown_text(kSourceNames[source_of(r)], r, range_name(r.offset)));
}

// GRBM writes the lines of what the host asks it for.
void SrbmCore::log(Cycle now, uint8_t port, unsigned source, bool write, uint32_t offset,
                   uint32_t value) const {
    if (logs() && (port != kGrbm || source != kHost))
        observers_.log->line(
            LogCategory::Reg, stamp(now), path_,
            access_text(kSourceNames[source], write, offset, value, spec_.database));
}

// ---- without the ports --------------------------------------------------------------------------

bool SrbmCore::read_here(Cycle now, const RegRequest& r, uint32_t& value) {
    const Decode d = decode(r.offset);
    const unsigned source = source_of(r);
    ++state_.reads_done[source];
    const bool known = target_[d.port] != nullptr ? target_[d.port]->read_register(r, value)
                                                  : own_read(now, d, r.offset, value);
    if (known)
        log(now, d.port, source, false, r.offset, value);
    else if (target_[d.port] == nullptr || !target_[d.port]->reports_unknown())
        unknown(now, r);
    return known;
}

void SrbmCore::write_here(Cycle now, RegRequest& r) {
    const Decode d = decode(r.offset);
    const unsigned source = source_of(r);
    RegisterTarget* const target = target_[d.port];
    ++state_.writes[source];
    if (r.byte_enable == 0)
        return;
    if (r.byte_enable != kAllBytes) {
        uint32_t before = 0;
        if (target != nullptr)
            target->read_register(r, before);
        else
            own_read(now, d, r.offset, before);
        merge_bytes(before, r);
        ++state_.merges;
    }
    if (target != nullptr ? target->write_register(r) : own_write(now, d, r))
        log(now, d.port, source, true, r.offset, r.value);
    else
        unknown(now, r);
}

std::optional<uint32_t> SrbmCore::find(const RegRequest& request) {
    uint32_t value = 0;
    return read_here(kAtOnce, request, value) ? std::optional(value) : std::nullopt;
}

std::optional<uint32_t> SrbmCore::inspect(const RegRequest& request) const {
    const Decode d = decode(request.offset);
    uint32_t value = 0;
    const bool known = target_[d.port] != nullptr
                           ? target_[d.port]->inspect_register(request, value)
                           : own_read(kAtOnce, d, request.offset, value);
    return known ? std::optional(value) : std::nullopt;
}

void SrbmCore::write(const RegRequest& request) {
    RegRequest r = request;
    write_here(kAtOnce, r);
}

// ---- cycle mode ---------------------------------------------------------------------------------

// Sends the oldest request of a source on, or says what it waits for.
Stall SrbmCore::forward(Cycle now, unsigned source) {
    RegRequest& r = request[source].front();
    r.source = kRegSources[source];
    const Decode d = decode(r.offset);
    Channel<RegRequest>* const port = to_port[d.port].get();
    if (port == nullptr) {
        if (!r.write && !to_source[source]->can_push(now))
            return Stall::Response;
        request[source].drop(now);  // its place keeps it for this tick
        if (r.write) {
            write_here(now, r);
            return Stall::None;
        }
        RegResponse answer = answer_to(r);
        answer.status = read_here(now, r, answer.value) ? RegStatus::Ok : RegStatus::Unknown;
        to_source[source]->push(now, answer);
        return Stall::None;
    }
    if (r.write && r.byte_enable != kAllBytes)
        return merge(now, source, *port);
    if (!r.write && state_.reads_used[source] == spec_.reads_in_flight)
        return Stall::Response;
    if (!port->can_push(now))
        return Stall::Port;
    request[source].drop(now);  // its place keeps it for this tick
    ++(r.write ? state_.writes : state_.reads_done)[source];
    if (r.write)
        send_write(now, *port, r);
    else
        send_read(now, *port, r, source, false);
    return Stall::None;
}

// A step of a write of some bytes. No bytes are none: such a write ends here.
Stall SrbmCore::merge(Cycle now, unsigned source, Channel<RegRequest>& port) {
    RegRequest& r = request[source].front();
    State::Merge& step = state_.merge[source];
    if (step == State::Merge::Asked)
        return Stall::Port;
    if (r.byte_enable == 0) {
        request[source].drop(now);
        ++state_.writes[source];
        return Stall::None;
    }
    if (step == State::Merge::None && state_.reads_used[source] == spec_.reads_in_flight)
        return Stall::Response;
    if (!port.can_push(now))
        return Stall::Port;
    if (step == State::Merge::None) {
        send_read(now, port, r, source, true);
        step = State::Merge::Asked;
        return Stall::None;
    }
    merge_bytes(state_.merge_value[source], r);
    request[source].drop(now);
    ++state_.writes[source];
    ++state_.merges;
    send_write(now, port, r);
    step = State::Merge::None;
    return Stall::None;
}

void SrbmCore::send_read(Cycle now, Channel<RegRequest>& port, const RegRequest& r, unsigned source,
                         bool merges) {
    const uint32_t tag = free_place(state_.reads);
    state_.reads[tag] = {true, merges, static_cast<uint8_t>(source), r.offset, r.tag};
    ++state_.reads_used[source];
    RegRequest read = r;
    read.write = false;
    read.byte_enable = kAllBytes;
    read.tag = tag;
    port.push(now, read);
}

void SrbmCore::send_write(Cycle now, Channel<RegRequest>& port, const RegRequest& r) {
    log(now, decode(r.offset).port, source_of(r), true, r.offset, r.value);
    port.push(now, r);
}

// The oldest answer of a port.
bool SrbmCore::pass_answer(Cycle now, unsigned port) {
    Channel<RegResponse>& in = response[port];
    const auto answer = oldest_answer(now, in, state_.reads, [&] {
        throw MachineStop(StopKind::Protocol, "srbm",
                          std::string(kPortTitles[port]) + " sent an unsolicited read response");
    });
    if (answer.read == nullptr)
        return answer.dropped;
    State::Read& read = *answer.read;
    if (!read.merges && !to_source[read.source]->can_push(now))
        return false;
    RegResponse r = in.pop(now);
    r.tag = read.tag;
    if (read.merges) {
        state_.merge[read.source] = State::Merge::Answered;
        state_.merge_value[read.source] = r.value;
    } else {
        log(now, static_cast<uint8_t>(port), read.source, false, read.offset, r.value);
        to_source[read.source]->push(now, r);
    }
    read.used = false;
    --state_.reads_used[read.source];
    return true;
}

// Sources whose oldest request may go on in this run state: while draining those it has begun.
uint64_t SrbmCore::ready_sources(Cycle now) const {
    uint64_t ready = 0;
    for (unsigned i = 0; i < kSources; ++i)
        if ((asked_ >> i & 1) != 0 && run_ != RunState::Paused &&
            (run_ == RunState::Running || state_.merge[i] != State::Merge::None) &&
            request[i].can_pop(now))
            ready |= uint64_t{1} << i;
    return ready;
}

bool SrbmCore::tick(Cycle now) {
    bool progress = false;
    for (uint64_t left = answered_; left != 0; left &= left - 1)
        progress |= pass_answer(now, static_cast<unsigned>(__builtin_ctzll(left)));
    for (unsigned i = 0; i < spec_.requests_per_cycle; ++i) {
        bool moved = false;
        for (uint64_t ready = ready_sources(now); ready != 0 && !moved;) {
            const int source = turn_.pick(ready);
            const auto index = static_cast<unsigned>(source);
            const Stall stall = forward(now, index);
            state_.stalls[index].note(now, stall);
            moved = stall == Stall::None;
            if (moved)
                turn_.grant(source);
            ready &= ~(uint64_t{1} << source);
        }
        if (!moved)
            break;
        progress = true;
    }
    return progress;
}

bool SrbmCore::idle() const {
    for (unsigned i = 0; i < kSources; ++i)
        if (state_.merge[i] != State::Merge::None ||
            (run_ == RunState::Running && !request[i].empty()))
            return false;
    return reads_under_way() == 0;
}

std::string SrbmCore::waiting_for() const {
    std::string text;
    for (unsigned source = 0; source < kSources; ++source) {
        if (request[source].empty())
            continue;
        const RegRequest& front = request[source].front();
        const char* range = range_name(front.offset);
        text +=
            fmt::format("{}system register bus: {} of {} to 0x{:05x} waits for {}",
                        text.empty() ? "" : "; ", front.write ? "write" : "read",
                        kSourceNames[source], front.offset, range != nullptr ? range : "nothing");
    }
    if (const unsigned reads = reads_under_way(); reads != 0)
        text += (text.empty() ? "" : "; ") + std::string("system register bus: ") +
                std::to_string(reads) + " reads wait for their blocks";
    return text;
}

void SrbmCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    for (unsigned i = 0; i < kSources; ++i) {
        const auto add = [&](const char* name, const char* unit, const char* meaning,
                             const uint64_t* value) {
            stats.add(path, (std::string(kSourceNames[i]) + "_" + name).c_str(), unit, meaning,
                      value);
        };
        add("writes", "transactions", "register writes taken", &state_.writes[i]);
        add("reads", "transactions", "register reads taken", &state_.reads_done[i]);
        add("stall_port", "cycles", "oldest request waited for its block",
            state_.stalls[i].counter(Stall::Port));
        add("stall_response", "cycles", "oldest read waited for a place",
            state_.stalls[i].counter(Stall::Response));
    }
    stats.add(path, "merges", "transactions", "writes of some bytes, read before", &state_.merges);
    stats.add(path, "unknown", "transactions", "requests for offsets no register is known at",
              &state_.unknown);
}

void SrbmCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
}

}  // namespace archipelago::srbm
