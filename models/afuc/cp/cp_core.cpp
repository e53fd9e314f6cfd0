// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/cp_core.h"

#include <stdexcept>
#include <string>

#include "models/common/archive.h"
#include "models/common/transaction_id.h"

namespace archipelago::afuc {
namespace {

front::FetchSpec fetch_spec(const CpSpec& s, const ProcessorSpec& p) {
    front::FetchSpec f;
    const Names names = s.generation->names;
    f.shape.rings = 1;
    f.shape.levels = levels_of(names);
    f.names.rings = {"cp"};
    for (unsigned level = 0; level < f.shape.levels; ++level)
        f.names.levels.emplace_back(level_name(names, level));
    f.roq_lines = s.roq_lines;
    f.outstanding = s.fetch_outstanding;
    f.command = s.fetch_command;
    f.response = s.fetch_response;
    f.strobe_latency = s.strobe_latency;
    f.path = p.engine.path + ".fetch";
    f.unit = TransactionUnit::AfucFetch;
    return f;
}

// A stop of an engine's fetch is its engine's, and so is what debug registers show of it.
class EngineFetch final : public front::RingFetchCore {
  public:
    EngineFetch(const front::FetchSpec& spec, EngineCore& engine)
        : RingFetchCore(spec), debug_in(spec.strobe_latency), engine_(engine) {
        add_input(debug_in, asked_, 0);
        to_engine.connect(engine.fetched_in);
    }
    EventLink<DebugRead> debug_in;
    OutputEvent<std::vector<uint32_t>> to_engine{this};

    bool tick(Cycle now) override {
        if (asked_ != 0 && debug_in.ready(now))
            to_engine->send(now, words_shown(debug_in.take()));
        try {
            return RingFetchCore::tick(now);
        } catch (const MachineStop& stop) {
            throw engine_.note_stop(stop, EngineFault::None);
        }
    }
    // Of a level: what has come, in order, and not gone on to the engine.
    std::vector<uint32_t> words_of(unsigned level) const {
        std::vector<uint32_t> words;
        const front::LineStream& from = stream(level);
        for (unsigned i = 0; i < from.used; ++i) {
            const front::LineStream::Slot& slot = from.slots[(from.head + i) % from.slots.size()];
            if (!slot.arrived)
                break;
            const front::RoqLine& line = slot.line;
            words.insert(words.end(), &line.dwords[line.first],
                         &line.dwords[line.first] + line.count);
        }
        return words;
    }

  private:
    std::vector<uint32_t> words_shown(const DebugRead& read) const {
        const std::optional<unsigned> level = engine_.level_shown(read);
        return level ? words_of(*level) : std::vector<uint32_t>();
    }

    EngineCore& engine_;
    uint64_t asked_ = 0;  // debug_in has a question
};

}  // namespace

// A client of the hub for each engine, and one for each fetch after them.
void check_twin(const ProcessorSpec& spec) {
    if (spec.words > rtl::AfucEnginePins::kMaxInstructions)
        throw std::invalid_argument("afuc_engine: " + spec.engine.path + " has " +
                                    std::to_string(spec.words) + " instructions, more than " +
                                    std::to_string(rtl::AfucEnginePins::kMaxInstructions));
}

CpCore::CpCore(const CpSpec& spec, const Units& units)
    : spec_(spec),
      registers_(spec),
      hub_(static_cast<unsigned>(2 * spec.processors.size()), spec.hub, spec.memory_response,
           "cp.hub") {
    const auto count = static_cast<unsigned>(spec.processors.size());
    for (unsigned i = 0; i < count; ++i) {
        auto* const unit =
            units.engines != nullptr ? &units.engines->engine(spec.processors[i], i) : nullptr;
        engines_.push_back(std::make_unique<EngineCore>(spec, i, shared_, unit));
        EngineCore& e = *engines_[i];
        e.to_memory.connect(hub_.request[i]);
        hub_.to_client[i].connect(e.memory);
        e.to_registers.connect(registers_.access[i]);
        registers_.to_engine[i].connect(e.register_answer);
        registers_.to_start[i].connect(e.start_in);
        registers_.to_ring[i].connect(e.ring_in);
        registers_.to_trust[i].connect(e.trust_in);
        registers_.views[i] = &e.shown;
        registers_.idle_times[i] = &e.idle_time;
        registers_.origins.emplace_back(
            [&e](const RegisterAccess& a) { return e.where_at(a.pc, a.packet); });
        registers_.to_debug[i].connect(e.debug_in);
        e.to_shown.connect(registers_.shown);
        registers_.shows.emplace_back([&e](const DebugRead& read) { return e.debug_value(read); });
        e.pool_full = &registers_.pool_full[i];
        e.note_stop = [this, &e](const MachineStop& stop, EngineFault fault) {
            return registers_.file().note_stop(stop, e.spec().role, fault);
        };
        if (e.spec().fetches_ring)
            add_fetch(e, i);
    }
    for (const auto& from : engines_)
        for (const auto& to : engines_)
            if (from != to) {
                from->to_start[static_cast<size_t>(to->spec().role)].connect(to->start_in);
                to->others_moved.push_back(&from->ring_moved);
            }
    registers_.to_preempt.connect(engines_[0]->preempt_in);
    StatsRegistry stats;
    register_stats(stats, "cp");
    registers_.connect_counters(stats);
    if (spec.processors[0].role == Role::Pfp)
        engines_[0]->to_meq.connect(engines_[1]->queue_in);
}

void CpCore::add_fetch(EngineCore& engine, unsigned number) {
    auto fetch = std::make_unique<EngineFetch>(fetch_spec(spec_, engine.spec()), engine);
    EngineFetch& f = *fetch;
    fetches_.push_back(std::move(fetch));
    registers_.to_fetch_debug[number].connect(f.debug_in);
    engine.fetched = [&f](unsigned level) { return f.words_of(level); };
    const auto client = static_cast<unsigned>(spec_.processors.size()) + number;
    engine.to_fetch.connect(f.update);
    engine.to_credit.connect(f.credit);
    engine.to_command.connect(f.command);
    for (unsigned level = 0; level < f.to_roq.size(); ++level)
        f.to_roq[level].connect(engine.roq[level]);
    f.context_of_faults = [&engine](unsigned level) { return engine.fetches_for(level); };
    f.to_memory.connect(hub_.request[client]);
    hub_.to_client[client].connect(f.response);
}

template <class Visit>
void CpCore::each(const Visit& visit) const {
    for (const auto& engine : engines_)
        visit(static_cast<Unit&>(*engine));
    for (const auto& fetch : fetches_)
        visit(static_cast<Unit&>(*fetch));
}

std::vector<Clocked*> CpCore::units() {
    std::vector<Clocked*> units{&registers_, &hub_};
    each([&](Unit& unit) { units.push_back(&unit); });
    return units;
}

uint64_t CpCore::instructions() const {
    uint64_t sum = 0;
    for (const auto& engine : engines_)
        sum += engine->instructions();
    return sum;
}

void CpCore::take_over(const std::vector<const Processor*>& engines, const SharedControl& shared,
                       const PerfCounters& perf, Cycle then) {
    shared_ = shared;
    for (size_t i = 0; i < engines_.size(); ++i)
        engines_[i]->take_over(*engines[i], registers_.file().trust());
    registers_.perf().take_over(perf, then, 0, registers_.file());
}

void CpCore::announce(Cycle now) {
    for (const auto& engine : engines_)
        engine->announce(now);
}

void CpCore::reset() {
    shared_ = {};
    registers_.reset();
    hub_.reset();
    each([](Unit& unit) { unit.reset(); });
}

void CpCore::archive(Archive& a) {
    a(shared_);
    registers_.archive(a);
    hub_.archive(a);
    each([&](Unit& unit) { unit.archive(a); });
}

bool CpCore::idle() const {
    bool idle = registers_.idle() && hub_.idle();
    each([&](const Unit& unit) { idle = idle && unit.idle(); });
    return idle;
}

void CpCore::set_run_state(RunState run) {
    registers_.set_run_state(run);
    each([&](Unit& unit) { unit.set_run_state(run); });
}

std::string CpCore::waiting_for() const {
    std::string text = registers_.waiting_for();
    each([&](const Unit& unit) {
        const std::string waits = unit.waiting_for();
        text += (text.empty() || waits.empty() ? "" : "; ") + waits;
    });
    return text;
}

void CpCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    registers_.register_stats(stats, path);
    for (const auto& engine : engines_)
        engine->register_stats(stats, engine->spec().engine.path);
    unsigned fetch = 0;
    for (const auto& engine : engines_)
        if (engine->spec().fetches_ring)
            fetches_[fetch++]->register_stats(stats, engine->spec().engine.path + ".fetch");
}

void CpCore::debug(DebugHook& hook) {
    for (const auto& engine : engines_) {
        hook.attach(*engine, [this](uint32_t index) { return registers_.file().stored(index); });
        engine->debug(&hook);
    }
}

void CpCore::set_instruction_limit(uint64_t limit) {
    for (const auto& engine : engines_)
        engine->set_instruction_limit(limit);
}

void CpCore::profile() {
    for (const auto& engine : engines_)
        engine->profile();
}

void CpCore::observe(const Observers& observers, const std::string&) {
    registers_.observe(observers);
    for (const auto& engine : engines_)
        engine->observe(observers);
}

void CpCore::finish_trace(Cycle now) const {
    registers_.finish_trace(now);
    for (const auto& engine : engines_)
        engine->finish_trace(now);
}

}  // namespace archipelago::afuc
