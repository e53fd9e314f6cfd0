// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/grbm_core.h"

#include <cstdio>

#include "models/common/error.h"
#include "registers/si_names.h"

namespace archipelago::grbm {
namespace {

constexpr uint8_t kNoPort = 0xFF;

std::string hex(uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%05x", value);
    return text;
}

}  // namespace

GrbmCore::GrbmCore(const GrbmSpec& spec) : spec_(spec) {
    to_source_.resize(spec_.sources);
    to_port_.resize(spec_.ports);
    targets_.resize(spec_.ports);
    for (unsigned i = 0; i < spec_.sources; ++i) {
        from_source_.push_back(std::make_unique<Channel<RegRequest>>(spec_.from_source));
        from_source_.back()->set_consumer(this);
    }
    for (unsigned i = 0; i < spec_.ports; ++i) {
        from_port_.push_back(std::make_unique<Channel<RegResponse>>(spec_.from_port));
        from_port_.back()->set_consumer(this);
    }
    port_of_dword_.assign(spec_.aperture_bytes / 4, kNoPort);
    for (const PortRange& range : spec_.ranges) {
        if (range.port >= spec_.ports || range.last < range.first ||
            range.last >= spec_.aperture_bytes)
            throw MachineStop(StopKind::BadInput, "grbm",
                              "register range " + hex(range.first) + ".." + hex(range.last) +
                                  " is outside the aperture or names port " +
                                  std::to_string(range.port) + " of " +
                                  std::to_string(spec_.ports));
        for (uint32_t dword = range.first / 4; dword <= range.last / 4; ++dword) {
            if (port_of_dword_[dword] != kNoPort)
                throw MachineStop(StopKind::BadInput, "grbm",
                                  "register " + hex(dword * 4) + " is claimed by ports " +
                                      std::to_string(port_of_dword_[dword]) + " and " +
                                      std::to_string(range.port));
            port_of_dword_[dword] = static_cast<uint8_t>(range.port);
        }
    }
    reset();
}

void GrbmCore::reset() {
    state_ = GrbmState{};
    state_.turn = RoundRobin(spec_.sources);
    state_.store.assign(spec_.aperture_bytes / 4, 0);
    for (const auto& [offset, value] : spec_.reset_values)
        state_.store[offset / 4] = value;
    for (auto& c : from_source_)
        c->clear();
    for (auto& c : from_port_)
        c->clear();
}

void GrbmCore::connect_source(unsigned source, Channel<RegResponse>& out) {
    to_source_[source] = &out;
    out.set_producer(this);
}
void GrbmCore::connect_port(unsigned port, Channel<RegRequest>& out) {
    to_port_[port] = &out;
    out.set_producer(this);
}
void GrbmCore::connect_busy(uint32_t offset, unsigned bit, const Wire<bool>& wire) {
    busy_.push_back({offset, bit, &wire});
}

void GrbmCore::resume() {
    state_.run = RunState::Running;
    wake_at(0);
}

int GrbmCore::port_of(uint32_t offset) const {
    const uint8_t port = port_of_dword_[offset / 4];
    return port == kNoPort ? -1 : port;
}

std::string GrbmCore::name_of(uint32_t offset) const {
    if (spec_.registers != nullptr)
        if (const auto* info = spec_.registers->find(offset))
            return std::string(info->name) + " (" + hex(offset) + ")";
    return "register " + hex(offset);
}

void GrbmCore::check_offset(const RegRequest& request) const {
    if (request.offset % 4 != 0 || request.offset >= spec_.aperture_bytes)
        throw MachineStop(StopKind::BadInput, path_,
                          std::string(request.write ? "write to " : "read of ") + "register " +
                              hex(request.offset) + ": not a dword of the " +
                              std::to_string(spec_.aperture_bytes / 1024) + " KiB aperture");
    if (!request.write)
        return;
    for (const UnbuiltRegister& unbuilt : spec_.unbuilt)
        if (unbuilt.offset == request.offset)
            throw MachineStop(StopKind::Unimplemented, path_,
                              "write to " + name_of(request.offset) + " would start " +
                                  unbuilt.block + ", which is not built");
}

// GRBM_GFX_INDEX: INSTANCE_INDEX [7:0], SH_INDEX [15:8], SE_INDEX [23:16], broadcast bits 29..31.
void GrbmCore::steer(RegRequest& request) const {
    const uint32_t index = state_.gfx_index;
    request.instance = static_cast<uint8_t>(index);
    request.sh = static_cast<uint8_t>(index >> 8);
    request.se = static_cast<uint8_t>(index >> 16);
    request.sh_broadcast = (index >> 29 & 1) != 0;
    request.instance_broadcast = (index >> 30 & 1) != 0;
    request.se_broadcast = (index >> 31 & 1) != 0;
}

bool GrbmCore::own_write(const RegRequest& request) {
    if (request.offset == regs::si::GRBM_GFX_INDEX) {
        state_.gfx_index = request.value;
        return true;
    }
    if (request.offset == regs::si::GRBM_STATUS || request.offset == regs::si::GRBM_STATUS2 ||
        request.offset == regs::si::GRBM_STATUS_SE0 || request.offset == regs::si::GRBM_STATUS_SE1)
        return true;  // read-only: the write is lost, as on a bus
    state_.store[request.offset / 4] = request.value;
    return spec_.registers == nullptr || spec_.registers->find(request.offset) != nullptr;
}

bool GrbmCore::own_read(const RegRequest& request, uint32_t& value, bool latest, Cycle now) {
    if (request.offset == regs::si::GRBM_GFX_INDEX) {
        value = state_.gfx_index;
        return true;
    }
    if (request.offset == regs::si::GRBM_STATUS || request.offset == regs::si::GRBM_STATUS2 ||
        request.offset == regs::si::GRBM_STATUS_SE0 ||
        request.offset == regs::si::GRBM_STATUS_SE1) {
        value = 0;
        bool any = false;
        for (const BusyBit& b : busy_) {
            const bool level = latest ? b.wire->latest() : b.wire->get(now);
            any = any || level;
            if (b.offset == request.offset && level)
                value |= 1U << b.bit;
        }
        if (request.offset == regs::si::GRBM_STATUS && any)
            value |= 1U << 31;  // GUI_ACTIVE
        return true;
    }
    value = state_.store[request.offset / 4];
    return spec_.registers == nullptr || spec_.registers->find(request.offset) != nullptr;
}

void GrbmCore::log(Cycle now, const RegRequest& request, uint32_t value) const {
    if (observers_.log == nullptr || !observers_.log->enabled(LogCategory::Reg))
        return;
    std::string text = request.write ? "write " : "read ";
    if (spec_.registers != nullptr && spec_.registers->find(request.offset) != nullptr) {
        text += spec_.registers->decode(request.offset, value);
    } else {
        const auto* range =
            spec_.registers != nullptr ? spec_.registers->range_of(request.offset) : nullptr;
        text += "unknown register " + hex(request.offset) +
                (range != nullptr ? " in range " + std::string(range->name) : std::string()) +
                " = " + hex(value);
    }
    text += request.source == kRegFromCp ? " (cp)" : " (host)";
    observers_.log->line(LogCategory::Reg, now, path_, text);
}

bool GrbmCore::tick(Cycle now) {
    if (state_.run == RunState::Paused)
        return false;
    bool progress = false;
    // Answers of the blocks go back to whoever asked.
    for (auto& in : from_port_)
        while (in->can_pop(now)) {
            Channel<RegResponse>& to = *to_source_[in->front().port];
            if (!to.can_push(now))
                break;
            to.push(now, in->pop(now));
            progress = true;
        }
    if (state_.run == RunState::Draining && idle())
        return progress;
    uint64_t waiting = 0;
    for (unsigned s = 0; s < spec_.sources; ++s)
        if (from_source_[s]->can_pop(now))
            waiting |= uint64_t{1} << s;
    bool blocked = false;
    for (unsigned n = 0; n < spec_.requests_per_cycle && waiting != 0;) {
        const int source = state_.turn.pick(waiting);
        waiting &= ~(uint64_t{1} << source);
        Channel<RegRequest>& in = *from_source_[static_cast<unsigned>(source)];
        RegRequest request = in.front();
        request.source = static_cast<uint8_t>(source);
        check_offset(request);
        const int port = port_of(request.offset);
        if (port >= 0) {
            Channel<RegRequest>& to = *to_port_[static_cast<unsigned>(port)];
            if (!to.can_push(now)) {
                blocked = true;
                continue;
            }
            steer(request);
            request.port = static_cast<uint16_t>(source);
            to.push(now, request);
            log(now, request, request.value);
        } else {
            Channel<RegResponse>& to = *to_source_[static_cast<unsigned>(source)];
            if (!to.can_push(now)) {
                blocked = true;
                continue;
            }
            RegResponse response;
            response.tag = request.tag;
            response.port = request.port;
            response.write = request.write;
            const bool known =
                request.write ? own_write(request) : own_read(request, response.value, false, now);
            if (!known) {
                ++state_.counters.unknown;
                response.status = RegStatus::Unknown;
            }
            to.push(now, response);
            log(now, request, request.write ? request.value : response.value);
        }
        in.pop(now);
        state_.turn.grant(source);
        ++(request.write ? state_.counters.writes : state_.counters.reads);
        ++n;
        progress = true;
    }
    if (blocked && state_.full_since == kNever) {
        state_.full_since = now;
    } else if (!blocked && state_.full_since != kNever) {
        state_.counters.port_full_cycles += now - state_.full_since;
        state_.full_since = kNever;
    }
    if (progress)
        ++state_.counters.busy_cycles;
    return progress;
}

bool GrbmCore::write_register(const RegRequest& original) {
    RegRequest request = original;
    request.write = true;
    check_offset(request);
    steer(request);
    ++state_.counters.writes;
    log(0, request, request.value);
    const int port = port_of(request.offset);
    bool known = false;
    if (port < 0)
        known = own_write(request);
    else if (targets_[static_cast<unsigned>(port)] != nullptr)
        known = targets_[static_cast<unsigned>(port)]->write_register(request);
    if (!known)
        ++state_.counters.unknown;
    return known;
}

bool GrbmCore::read_register(const RegRequest& original, uint32_t& value) {
    RegRequest request = original;
    request.write = false;
    check_offset(request);
    steer(request);
    ++state_.counters.reads;
    value = 0;
    const int port = port_of(request.offset);
    bool known = false;
    if (port < 0)
        known = own_read(request, value, true, 0);
    else if (targets_[static_cast<unsigned>(port)] != nullptr)
        known = targets_[static_cast<unsigned>(port)]->read_register(request, value);
    if (!known)
        ++state_.counters.unknown;
    log(0, request, value);
    return known;
}

bool GrbmCore::idle() const {
    for (const auto& c : from_source_)
        if (!c->empty())
            return false;
    for (const auto& c : from_port_)
        if (!c->empty())
            return false;
    return true;
}

std::string GrbmCore::waiting_for() const {
    for (unsigned s = 0; s < spec_.sources; ++s)
        if (!from_source_[s]->empty()) {
            const RegRequest& request = from_source_[s]->front();
            const int port = port_of(request.offset);
            return std::string(s == kRegFromCp ? "cp" : "host") + " waits for " +
                   name_of(request.offset) +
                   (port >= 0 ? ": port " + std::to_string(port) + " is full" : std::string());
        }
    return {};
}

void GrbmCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const GrbmCounters& c = state_.counters;
    stats.add(path, "writes", "writes", "register writes decoded", &c.writes);
    stats.add(path, "reads", "reads", "register reads decoded", &c.reads);
    stats.add(path, "unknown", "accesses", "accesses to offsets no document names", &c.unknown);
    stats.add(path, "port_full_cycles", "cycles", "an access waited for a block to take it",
              &c.port_full_cycles);
    stats.add(path, "busy_cycles", "cycles", "an access or answer moved", &c.busy_cycles);
}

void GrbmCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
}

}  // namespace archipelago::grbm
