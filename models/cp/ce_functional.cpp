// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ce_functional.h"

#include <algorithm>

#include "models/common/archive.h"
#include "models/cp/cp_functional.h"

namespace archipelago::cp {

CeFunctional::CeFunctional(const Spec& spec, CpBackend& backend, RegisterFile& file)
    : backend_(backend),
      file_(file),
      fetch_(spec),
      engine_(spec),
      hub_(spec.memory_client, "cp.ce.hub"),
      l2_(spec.memory_client, "cp.ce.l2"),
      data_hub_(spec.memory_client, "cp.ce.data_hub"),
      data_l2_(spec.memory_client, "cp.ce.data_l2"),
      registers_(spec.register_client, "cp.ce.registers"),
      privilege_(spec.strobe_latency),
      grant_(spec.ce.grant, "cp.ce.grant"),
      commands_(spec.rings),
      waits_(spec.rings) {
    for (unsigned ring = 0; ring < spec.rings; ++ring) {
        fetch_.command[ring].set_producer(this);
        fetch_.to_engine[ring].connect(engine_.stream[ring]);
    }
    engine_.message.set_producer(this);
    fetch_.to_memory.connect(hub_);
    engine_.to_l2.connect(l2_);
    engine_.to_me.connect(grant_);
    engine_.to_fetch.connect(fetch_.done);
    fetch_.to_hub.connect(data_hub_);
    fetch_.to_l2.connect(data_l2_);
    fetch_.to_bus.connect(registers_);
    fetch_.to_privilege.connect(privilege_);
    fetch_.hub_response.set_producer(this);
    fetch_.l2_response.set_producer(this);
    fetch_.register_response.set_producer(this);
    data_hub_.set_consumer(this);
    data_l2_.set_consumer(this);
    registers_.set_consumer(this);
    privilege_.set_consumer(this);
    hub_.set_consumer(this);
    l2_.set_consumer(this);
    grant_.set_consumer(this);
    fetch_.response.set_producer(this);
    engine_.response.set_producer(this);
    clock_.add(*this);
    clock_.add(fetch_);
    clock_.add(engine_);
}

void CeFunctional::archive(Archive& a) {
    a.at_rest(messages_.empty() && std::all_of(commands_.begin(), commands_.end(),
                                               [](const auto& queue) { return queue.empty(); }),
              "the constant engine has buffers to carry out");
    a(clock_, hub_, l2_, data_hub_, data_l2_, registers_, privilege_, grant_, waits_);
}

void CeFunctional::reset() {
    fetch_.reset();
    engine_.reset();
    hub_.clear();
    l2_.clear();
    data_hub_.clear();
    data_l2_.clear();
    registers_.clear();
    privilege_.clear();
    grant_.clear();
    for (auto& commands : commands_)
        commands.clear();
    messages_.clear();
    waits_.assign(waits_.size(), {});
}

void CeFunctional::observe(const Observers& observers, const std::string& path) {
    // Its cycles mean nothing to a timeline.
    engine_.observe({nullptr, observers.log, observers.period_fs}, path);
    fetch_.observe({nullptr, observers.log, observers.period_fs}, path);
}

bool CeFunctional::serve(Cycle now, Channel<MemRequest>& from, Channel<MemResponse>& to) {
    if (!from.can_pop(now) || !to.can_push(now))
        return false;
    const MemRequest q = from.pop(now);
    MemResponse r;
    r.tag = q.tag;
    r.line = q.line;
    r.uid = q.uid;
    r.command = q.command;
    // The bytes of a request are next to each other.
    const auto first = static_cast<unsigned>(__builtin_ctzll(q.byte_mask));
    const auto bytes = static_cast<size_t>(__builtin_popcountll(q.byte_mask));
    const bool good = q.command == MemCommand::Read
                          ? backend_.mem_read(q.line + first, &r.data[first], bytes, q.vmid)
                          : backend_.mem_write(q.line + first, &q.data[first], bytes, q.vmid);
    if (!good)
        r.status = MemStatus::Unmapped;
    to.push(now, r);
    return true;
}

bool CeFunctional::tick(Cycle now) {
    bool progress = false;
    for (unsigned ring = 0; ring < commands_.size(); ++ring) {
        if (commands_[ring].empty() || !fetch_.command[ring].can_push(now))
            continue;
        fetch_.command[ring].push(now, commands_[ring].front());
        commands_[ring].pop_front();
        progress = true;
    }
    if (!messages_.empty() && engine_.message.can_push(now)) {
        engine_.message.push(now, messages_.front());
        messages_.pop_front();
        progress = true;
    }
    if (grant_.can_pop(now)) {
        const CeGrant grant = grant_.pop(now);
        waits_[grant.ring].grant = 1u + grant.buffer;
        progress = true;
    }
    progress |= serve(now, hub_, fetch_.response);
    progress |= serve(now, l2_, engine_.response);
    progress |= serve(now, data_hub_, fetch_.hub_response);
    progress |= serve(now, data_l2_, fetch_.l2_response);
    if (registers_.can_pop(now) && fetch_.register_response.can_push(now)) {
        const RegRequest q = registers_.pop(now);
        if (q.write) {
            backend_.reg_write(q);
        } else {
            RegResponse r;
            r.tag = q.tag;
            r.value = backend_.reg_read(q);
            fetch_.register_response.push(now, r);
        }
        progress = true;
    }
    while (privilege_.ready(now)) {
        file_.privilege_fault(privilege_.take());
        progress = true;
    }
    return progress;
}

void CeFunctional::run() {
    wake_at(0);
    clock_.run(kNever - 1);
}

void CeFunctional::submit(unsigned ring, const CeCommand& command) {
    commands_[ring].push_back(command);
    run();
}

void CeFunctional::send(const DeMessage& message) {
    messages_.push_back(message);
    run();
}

unsigned CeFunctional::request_grant(const DeMessage& message) {
    Wait& wait = waits_[message.ring];
    if (!wait.requested) {
        wait.requested = true;
        messages_.push_back(message);
    }
    run();
    const unsigned grant = wait.grant;
    if (grant != 0)
        wait = {};
    return grant;
}

void CeFunctional::set_halted(bool halted) {
    engine_.set_halted(halted);
    run();
}

bool CeFunctional::idle() const {
    for (const auto& commands : commands_)
        if (!commands.empty())
            return false;
    return messages_.empty() && fetch_.idle() && engine_.idle();
}

std::string CeFunctional::waiting_for() const {
    const std::string engine = engine_.waiting_for(), fetch = fetch_.waiting_for();
    return engine + (engine.empty() || fetch.empty() ? "" : "; ") + fetch;
}

}  // namespace archipelago::cp
