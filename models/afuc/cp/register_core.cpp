// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/register_core.h"

#include <algorithm>

#include "models/afuc/engine/levels.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/register_service.h"
#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

constexpr const char* kTheHost = "cp.registers: the host";

}  // namespace

RegisterCore::RegisterCore(const CpSpec& spec)
    : host(spec.registers, "cp.registers.host"),
      shown(spec.strobe_latency),
      spec_(spec),
      file_(*spec.generation, spec.pool.blocks, RoqLayout(spec)),
      perf_(spec),
      clusters_(spec.pool.clusters) {
    const size_t engines = spec.processors.size();
    for (const ProcessorSpec& p : spec.processors) {
        access.emplace_back(spec.register_access, p.engine.path + ".registers");
        pools_.emplace_back(spec.pool, clusters_, p.engine.path);
    }
    pool_full.resize(engines);
    for (size_t i = 0; i < engines; ++i) {
        to_engine.emplace_back(this);
        to_start.emplace_back(this);
        to_ring.emplace_back(this);
        to_trust.emplace_back(this);
        to_debug.emplace_back(this);
        to_fetch_debug.emplace_back(this);
        add_input(access[i]);
    }
    views.assign(engines, nullptr);
    idle_times.assign(engines, nullptr);
    add_input(host);
    add_input(shown);
}

void RegisterCore::reset() {
    Unit::reset();
    file_.reset();
    perf_.reset();
    for (size_t i = 0; i < pools_.size(); ++i) {
        pools_[i].reset();
        pool_full[i].reset();
    }
    pools_busy_ = false;
    asked_ = {};
    reads_ = writes_ = violations_ = untrusted_ = 0;
}

void RegisterCore::archive(Archive& a) {
    Unit::archive(a);
    file_.archive(a);
    perf_.archive(a, file_);
    for (WritePool& pool : pools_)
        pool.archive(a);
    a.at_rest(asked_.reader == kNobody, "a read of a debug register is on its way");
    a(pool_full, pools_busy_, reads_, writes_, violations_, untrusted_);
}

bool RegisterCore::idle() const {
    return inputs_empty() && !pools_busy_;
}

void RegisterCore::connect_counters(const StatsRegistry& stats) {
    perf_.connect(stats, [this](unsigned engine, Cycle now) {
        return idle_times[engine]->get(now).total(now);
    });
}

// What their own writes wait for the engines say.
std::string RegisterCore::waiting_for() const {
    std::string text;
    for (const WritePool& pool : pools_)
        if (const std::string waits = pool.waiting_for(); !waits.empty())
            text += (text.empty() ? "" : "; ") + waits;
    return text;
}

void RegisterCore::observe(const Observers& observers) {
    for (size_t i = 0; i < pools_.size(); ++i)
        if (has_pool(i))
            pools_[i].observe(observers);
}

void RegisterCore::finish_trace(Cycle now) const {
    for (size_t i = 0; i < pools_.size(); ++i)
        if (has_pool(i))
            pools_[i].finish_trace(now);
}

void RegisterCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("register_reads", "registers", "read by engines and host", &reads_);
    add("register_writes", "registers", "written by engines and host", &writes_);
    add("violations", "registers", "writes that CP_PROTECT has refused", &violations_);
    add("untrusted", "dwords", "written in secure mode to memory that is not trusted", &untrusted_);
    for (size_t i = 0; i < pools_.size(); ++i)
        if (has_pool(i))
            pools_[i].register_stats(stats);
}

bool RegisterCore::tick(Cycle now) {
    now_ = now;
    if (asked_.reader != kNobody && shown.ready(now))
        asked_.value = shown.take();
    bool moved = pools_busy_ && drain_pools(now);
    moved |= run_ != RunState::Paused && serve_host(now);
    for (unsigned i = 0; i < access.size(); ++i)
        moved |= serve(now, i);
    if (pools_busy_)
        wake_at(pools_due());
    return moved;
}

Cycle RegisterCore::pools_due() const {
    Cycle first = kNever;
    for (const WritePool& pool : pools_)
        first = std::min(first, pool.due());
    return first;
}

bool RegisterCore::drain_pools(Cycle now) {
    bool moved = false;
    pools_busy_ = false;
    for (WritePool& pool : pools_) {
        moved |=
            pool.drain(now, [this](uint32_t index, uint32_t value) { file_.write(index, value); });
        pools_busy_ |= !pool.empty();
    }
    return moved;
}

// What a debug register shows is its engine's, which answers once. False: not yet.
bool RegisterCore::has_answer(Cycle now, unsigned reader, uint32_t index) {
    if (asked_.reader != kNobody)
        return asked_.reader == reader && asked_.value;
    const DebugRegister& reg = *file_.map().debug_at(index).reg;
    const std::optional<unsigned> engine = engine_of(spec_, reg.role);
    if (!engine || reg.shown == Shown::Pool)
        return true;
    const DebugRead read = file_.next_debug_read(index);
    asked_.reader = reader;
    to_debug[*engine]->send(now, read);
    if (auto& fetch = to_fetch_debug[*engine])
        fetch->send(now, read);
    return false;
}

uint32_t RegisterCore::read(unsigned reader, uint32_t index) {
    ++reads_;
    if (asked_.reader != reader)
        return file_.read(index, *this);
    const uint32_t value = *asked_.value;
    asked_ = {};
    return value;
}

bool RegisterCore::serve_host(Cycle now) {
    if (!host.can_pop(now))
        return false;
    const uint32_t at = host.front().offset / 4;
    if (!host.front().write && at < kGpuRegisters && is_debug(at)) {
        file_.stop_if_not_public(at, [] { return kTheHost; });
        if (!has_answer(now, kHost, at))
            return false;
    }
    return serve_register(
        now, host, to_host.get(),
        [&](const RegRequest& r) {
            if (r.offset / 4 >= kGpuRegisters)
                return;
            ++writes_;
            const CpRegister reg = file_.write(r.offset / 4, r.value);
            if (GpuRegisters::counts(reg))
                return count(now, reg, r.offset / 4, kTheHost);
            changed(now, reg, false);
        },
        [&](const RegRequest& r, uint32_t& value) {
            if (r.offset / 4 < kGpuRegisters)
                value = read(kHost, r.offset / 4);
            return r.offset / 4 < kGpuRegisters;
        });
}

// CP_PROTECT is asked before the pool. False: there is no room in it.
inline bool RegisterCore::write(Cycle now, unsigned engine, const RegisterAccess& a) {
    if (a.checked && !file_.may_write(a.index, spec_.processors[engine].role)) {
        refuse(now, engine, a);
        return true;
    }
    if (const uint8_t clusters = clusters_.of(a.index); clusters != 0 && has_pool(engine))
        return put_in_pool(now, engine, clusters, a);
    ++writes_;
    // Most are the pipeline's: stored, without effect.
    if (const CpRegister reg = file_.write(a.index, a.value); reg != CpRegister::None)
        changed_by(now, reg, engine, a);
    return true;
}

bool RegisterCore::put_in_pool(Cycle now, unsigned engine, uint8_t clusters,
                               const RegisterAccess& a) {
    const bool done = pools_[engine].put(now, clusters, a.index, a.value, file_.pool_size());
    if (pool_full[engine].latest() == done)
        pool_full[engine].set(now, !done);
    writes_ += done ? 1 : 0;
    pools_busy_ |= done;
    return done;
}

// As many of an engine as it may write in a cycle.
bool RegisterCore::serve(Cycle now, unsigned engine) {
    Channel<RegisterAccess>& in = access[engine];
    bool moved = false;
    for (unsigned i = 0; i < spec_.writes_per_cycle && in.can_pop(now); ++i) {
        const RegisterAccess& a = in.front();
        const bool writes = a.kind == RegisterAccess::Kind::Write;
        if (writes ? !write(now, engine, a) : !carry_out(now, engine, a))
            break;
        in.drop(now);
        moved = true;
    }
    return moved;
}

// What is no write. False: it waits.
bool RegisterCore::carry_out(Cycle now, unsigned engine, const RegisterAccess& a) {
    const WritePool& pool = pools_[engine];
    switch (a.kind) {
        case RegisterAccess::Kind::Read:
            if (!to_engine[engine]->can_push(now) ||
                (spec_.ordered_reads && pool.holds(clusters_.of(a.index))))
                return false;
            if (is_debug(a.index)) {
                file_.stop_if_not_public(a.index, [&] { return origins[engine](a); });
                if (!has_answer(now, engine, a.index))
                    return false;
            }
            to_engine[engine]->push(now, {false, a.tag, read(engine, a.index)});
            return true;
        case RegisterAccess::Kind::Interrupt:
            raise(now, a.index);
            return true;
        case RegisterAccess::Kind::Barrier:
            if (!pool.empty() || !to_engine[engine]->can_push(now))
                return false;
            to_engine[engine]->push(now, {true, a.tag, 0});
            return true;
        case RegisterAccess::Kind::Secure:
            if (!pool.empty())
                return false;
            set_secure(now, engine, a.value != 0);
            return true;
        case RegisterAccess::Kind::Untrusted:
            note_untrusted(now, engine, a);
            return true;
        default:
            return true;
    }
}

void RegisterCore::set_secure(Cycle now, unsigned engine, bool on) {
    const bool done = file_.set_secure(on);
    for (unsigned i = 0; i < to_trust.size(); ++i)
        to_trust[i]->send(now, {file_.trust(), i == engine, done});
}

void RegisterCore::note_untrusted(Cycle now, unsigned engine, const RegisterAccess& a) {
    ++untrusted_;
    const uint64_t address = uint64_t{a.index} << 32 | a.value;
    if (!file_.note_untrusted(address))
        throw file_.note_stop({StopKind::Fault, origins[engine](a), untrusted_write(address)},
                              spec_.processors[engine].role, EngineFault::None);
    raise(now, kInterruptTrust);
}

void RegisterCore::refuse(Cycle now, unsigned engine, const RegisterAccess& a) {
    ++violations_;
    raise(now, kInterruptCpError);
    if (file_.violation_stops())
        throw MachineStop(StopKind::BadInput, origins[engine](a),
                          "CP_PROTECT forbids packets to write register " + hex(a.index));
}

void RegisterCore::raise(Cycle now, uint32_t bit) {
    if (file_.raise(bit))
        to_interrupt->send(now, {static_cast<uint8_t>(bit), 0, 0, 0});
}

// A ring that an engine puts in place of another is the first engine's.
void RegisterCore::announce_ring(Cycle now, bool by_engine) {
    for (size_t i = 0; i < (by_engine ? 1 : to_ring.size()); ++i)
        to_ring[i]->send(now, file_.ring(by_engine));
}

// An engine that takes the request back has done as it was asked.
void RegisterCore::announce_preemption(Cycle now, bool by_engine) {
    to_preempt->send(now, {file_.wants_preemption()});
    if (by_engine && !file_.wants_preemption())
        raise(now, kInterruptSoftware);
}

void RegisterCore::changed_by(Cycle now, CpRegister reg, unsigned engine, const RegisterAccess& a) {
    if (GpuRegisters::counts(reg))
        return count(now, reg, a.index, origins[engine](a));
    GpuRegisters::stop_if_reset(reg, [&] { return origins[engine](a); });
    changed(now, reg, !a.checked);
}

void RegisterCore::count(Cycle now, CpRegister reg, uint32_t index, const std::string& where) {
    perf_.written(now, reg, index - file_.map().index_of(reg), file_, where);
}

void RegisterCore::changed(Cycle now, CpRegister reg, bool by_engine) {
    if (GpuRegisters::describes_ring(reg, by_engine))
        announce_ring(now, by_engine);
    if (reg == CpRegister::ContextSwitch)
        announce_preemption(now, by_engine);
    if (GpuRegisters::describes_trust(reg))
        for (auto& trust : to_trust)
            trust->send(now, {file_.trust()});
    for (const EngineStart& s : file_.starts(reg))
        for (unsigned i = 0; i < spec_.processors.size(); ++i)
            if (spec_.processors[i].role == s.role)
                to_start[i]->send(now, {file_.stored_64(s.base)});
}

uint32_t RegisterCore::value_of(CpRegister reg, uint32_t offset) {
    if (reg == CpRegister::AlwaysOn)
        return static_cast<uint32_t>(always_on_at(spec_, now_) >> 32 * offset);
    if (reg == CpRegister::PerfCount || reg == CpRegister::BvPerfCount)
        return perf_.value_of(now_, reg, offset);
    EngineView view = views[0]->get(now_);
    view.busy = view.busy || !pools_[0].empty();
    return view_value(view, reg);
}

// Without time.
uint32_t RegisterCore::value_of(const DebugRead& read) {
    const std::optional<unsigned> engine = engine_of(spec_, read.reg->role);
    if (!engine)
        return 0;
    return read.reg->shown == Shown::Pool ? pools_[*engine].window(read.at, file_.pool_size())
                                          : shows[*engine](read);
}

}  // namespace archipelago::afuc
