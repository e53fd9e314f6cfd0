// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/cp_functional.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/page.h"
#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

// Issue cycles in which an engine neither takes a word nor writes anything: it may poll, and the
// others get their turn.
constexpr unsigned kPollIssues = 4096;
// So many of all engines are polls, regardless of what they look like: the host gets its turn.
constexpr uint64_t kIdleIssues = uint64_t{1} << 24;

// As far as instructions can tell; what an engine did to get there is not compared.
bool is_same(const EngineState& a, const EngineState& b) {
    return a.pc == b.pc && a.gpr == b.gpr && a.leads == b.leads && a.target == b.target &&
           a.repeating == b.repeating && a.port == b.port && a.carry == b.carry && a.sqe == b.sqe &&
           a.preempting == b.preempting && a.control == b.control;
}

}  // namespace

// A page that was used last: most accesses are near the one before.
struct PageCache {
    uint64_t number = UINT64_MAX;
    uint8_t* bytes = nullptr;
};

class CpFunctional::Unit final : public Processor, private EnginePorts {
  public:
    Unit(CpFunctional& cp, unsigned number)
        : Processor(cp.spec_, number, cp.shared_), machine_(cp), engine_(spec_.engine, *this) {}

    void start(uint64_t base) override;
    // False: it has done nothing that another could see.
    bool run(uint64_t& issues_left);
    const uint64_t& issues() const { return issues_; }
    std::string where_of(const Action& a) const { return where_at(pc(), a.packet); }
    // It has its turn because of kPollIssues, and would go on: it does not come back to what it
    // was.
    bool computes() const { return computes_; }
    // What the host may have changed in between.
    void forget() {
        stream_ = memory_ = written_ = {};
        marked_ = computes_ = false;
    }
    void observe(const Observers& observers) { log_.observe(observers); }
    void reset();
    void archive(Archive& a);
    // The instruction at hand, for those who look at it before it is executed.
    void fetch_next() {
        const uint32_t pc = engine_.state().pc;
        if (pc < engine_.section_words() && !engine_.has(pc))
            fetch(pc / kFetchWords * kFetchWords);
    }
    void fetch_all() {
        for (uint32_t first = 0; first < engine_.section_words(); first += kFetchWords)
            if (!engine_.has(first))
                fetch(first);
    }
    void write_dword(uint64_t address, uint32_t value) {
        std::memcpy(at(written_, address, "write to"), &value, sizeof value);
    }
    void ask_for_preemption(bool on) { preempt_ = on; }
    // Another ring in place of the one at hand, whose shadow in memory gets its last value.
    void move_ring(const RingSettings& ring) {
        if (shadow_address() != 0)
            write_dword(shadow_address(), read_pointer());
        set_ring(ring);
        levels_.level[0].position = ring.read_pointer & (std::max(ring.dwords, 1u) - 1);
    }
    void count(ControlRegister counter) { engine_.count(counter, -1); }
    // It waits for its next packet, in no buffer.
    bool at_rest() const {
        return engine_.state().leads == Leads::Packet && !engine_.state().repeating &&
               level() == 0 && words_there(0) == 0;
    }
    const Engine* engine() const override { return &engine_; }
    [[noreturn]] void stop_as_endless() const { Processor::stop_as_endless(machine_.limit_); }
    EngineFault fault() const { return engine_.fault(); }
    std::string where_it_is() const { return where(); }
    // An issue cycle that has stopped takes no words, as in cycle mode.
    void give_back();

  private:
    uint8_t* at(PageCache& cache, uint64_t address, const char* what) {
        if (cache.number != address / kPageBytes) {
            cache.bytes = machine_.backend_.page(address / kPageBytes * kPageBytes);
            if (cache.bytes == nullptr)
                refuse_page(&cache == &written_, address / kPageBytes * kPageBytes, what);
            cache.number = address / kPageBytes;
        }
        return cache.bytes + address % kPageBytes;
    }
    [[noreturn]] void refuse_page(bool write, uint64_t address, const char* what) const {
        throw MachineStop(StopKind::Fault, write ? where_at(pc(), packet()) : where(),
                          std::string(what) + " unmapped page " + hex(address));
    }
    uint32_t dword(PageCache& cache, uint64_t address, const char* what) {
        uint32_t value = 0;
        std::memcpy(&value, at(cache, address, what), sizeof value);
        return value;
    }

    // Processor
    uint32_t pc() const override { return engine_.state().pc; }
    uint32_t header() const override { return engine_.state().header; }
    std::string where_in_program() const override { return engine_.where(); }
    Cycle now() const override { return ++machine_.time_; }
    uint64_t always_on() const override { return machine_.instructions(); }
    void carry_out(const Action& action) override { machine_.carry_out(action); }
    uint32_t words_there(unsigned level) const override;
    const uint32_t* words_of(unsigned level, unsigned words, bool take) override;
    const uint32_t* words_of_queue(unsigned words, bool take);
    std::vector<uint32_t> queued_words(Stream stream) const override;
    void memory_at(uint64_t first, uint32_t count, std::vector<uint32_t>& words) const;

    // EnginePorts
    // A header that is refused has been taken.
    std::string context() const override {
        return context_of_place(engine_.fault() == EngineFault::Opcode ? 1 : 0);
    }
    std::string source(uint32_t pc) const override { return source_text(pc); }
    bool ready(const Needs& needs) override { return needs.data == 0 || has_data(needs.data); }
    bool fetch(uint32_t first) override;
    const uint32_t* data(unsigned words, bool take) override {
        const uint32_t* const first =
            next_words(words, take, engine_.state().leads == Leads::Packet);
        taken_ = take && first != &kBufferEnd ? words : 0;
        taken_at_ = issues_;
        return first;
    }
    uint32_t memory(uint64_t address) override {
        return dword(memory_, spec_.engine.reads_nrt ? nrt_.next() : dword_at(address), "read of");
    }
    uint32_t load(uint64_t address) override { return dword(memory_, address, "load from"); }
    void write_memory(uint64_t address, uint32_t value) override { store(address, value); }
    uint32_t gpu_register(uint32_t index) override { return machine_.read_by_engine(*this, index); }
    void write_gpu_register(uint32_t index, uint32_t value, RegisterPath path) override {
        write_register(index, value, path);
    }
    void push(uint32_t value) override {
        ++activity_;
        machine_.meq_.push_back(value);
    }
    uint32_t live_control(uint32_t index) override { return read_live_control(index); }
    void arm(unsigned level, uint64_t base, uint32_t dwords) override {
        arm_level(level, base, dwords);
    }
    bool preempts() override { return preempt_; }
    void preempted() override {
        preempt_ = false;
        no_issue_ = true;
    }
    bool set_secure(bool on) override {
        const bool done = machine_.registers_.set_secure(on);
        tell_secure(on, done);
        return done;
    }
    void boot(bool bv, uint64_t base) override { machine_.start(bv ? Role::Bv : Role::Lpac, base); }
    void wrote_pipe(uint32_t index, uint32_t value) override { write_pipe(index, value); }
    void wrote_control(uint32_t index, uint32_t value) override { write_control(index, value); }
    void wrote_sqe(uint32_t, uint32_t) override {}

    void mark();

    CpFunctional& machine_;
    Engine engine_;
    PageCache stream_, memory_, written_;
    std::array<uint32_t, kIssueWords> words_{};  // of an issue cycle that do not lie side by side
    bool no_issue_ = false;                      // a step was the way to the routine for preemption
    uint64_t issues_ = 0;
    unsigned taken_ = 0;  // words that have been taken, by the issue cycle of this number
    uint64_t taken_at_ = 0;
    // A state since which it has done nothing that another could see: back there, it goes round.
    EngineState mark_;
    bool marked_ = false, computes_ = false;
    uint64_t marks_after_ = 0;    // issue cycles, until another state is the one to come back to
    uint64_t mark_distance_ = 0;  // doubles: any loop is found in issue cycles of its own order
    ProcessorLog log_{*this};
};

void CpFunctional::Unit::start(uint64_t base) {
    Processor::start(base);
    engine_.state() = {};
    engine_.begin(spec_.words);
    for (uint32_t i = 0; spec_.table != 0 && i < kTableWords; ++i)
        engine_.state().packet_table[i] = cp_.images[spec_.image].words[spec_.table + i];
    if (spec_.role == Role::Bv || spec_.role == Role::Lpac)
        engine_.set_base(
            spec_.role == Role::Bv ? ControlRegister::BvBase : ControlRegister::LpacBase, base);
}

void CpFunctional::Unit::reset() {
    Processor::reset();
    engine_.reset();
    forget();
    no_issue_ = false;
    issues_ = taken_at_ = 0;
    taken_ = 0;
    marks_after_ = mark_distance_ = 0;
}

void CpFunctional::Unit::archive(Archive& a) {
    engine_.archive(a);
    a(issues_);
    archive_rules(a);
}

const uint32_t* CpFunctional::Unit::words_of(unsigned level, unsigned words, bool take) {
    if (spec_.role == Role::Me)
        return words_of_queue(words, take);
    const LevelsState::Level& l = levels_.level[level];
    const uint64_t base = level == 0 ? ring_.base : l.base;
    const uint64_t first = base + 4 * uint64_t{l.position};
    const bool wraps = level == 0 && l.position + words > ring_.dwords;
    if (!wraps && first % kPageBytes + sizeof words_ <= kPageBytes) {
        // As many as an issue cycle takes at most: a size that is fixed.
        std::memcpy(words_.data(), at(stream_, first, "fetch from"), sizeof words_);
        return words_.data();
    }
    for (unsigned i = 0; i < words; ++i) {
        uint32_t at = l.position + i;
        if (level == 0 && at >= ring_.dwords)
            at -= ring_.dwords;
        words_[i] = dword(stream_, base + 4 * uint64_t{at}, "fetch from");
    }
    return words_.data();
}

const uint32_t* CpFunctional::Unit::words_of_queue(unsigned words, bool take) {
    std::copy_n(machine_.meq_.begin(), words, words_.begin());
    if (take)
        machine_.meq_.erase(machine_.meq_.begin(), machine_.meq_.begin() + words);
    return words_.data();
}

uint32_t CpFunctional::Unit::words_there(unsigned level) const {
    if (spec_.role == Role::Me)
        return static_cast<uint32_t>(machine_.meq_.size());
    if (!spec_.fetches_ring)
        return 0;
    const LevelsState::Level& l = levels_.level[level];
    if (level != 0)
        return l.left();
    if (ring_.dwords == 0)
        return 0;
    return (ring_.write_pointer - l.position) & (ring_.dwords - 1);
}

void CpFunctional::Unit::give_back() {
    if (taken_ == 0 || taken_at_ != issues_)
        return;
    if (spec_.role == Role::Me) {
        machine_.meq_.insert(machine_.meq_.begin(), words_.begin(), words_.begin() + taken_);
        return;
    }
    LevelsState::Level& l = levels_.level[level()];
    l.position += l.position < taken_ ? ring_.dwords : 0;  // a ring that has wrapped
    l.position -= taken_;
}

// Without time all that its part of the ROQ can hold has come.
std::vector<uint32_t> CpFunctional::Unit::queued_words(Stream stream) const {
    if (spec_.role == Role::Me)
        return {machine_.meq_.begin(), machine_.meq_.end()};
    std::vector<uint32_t> words;
    const uint32_t most = roq_.part(stream).dwords;
    if (stream == Stream::Mrb && !spec_.engine.reads_nrt) {
        const uint32_t left =
            engine_.state().control[map_.index_of(ControlRegister::MemoryReadDwords)];
        memory_at(dword_at(engine_.memory_address()), std::min(most, left), words);
    } else if (const std::optional<unsigned> level = level_of(names_, stream)) {
        const LevelsState::Level& l = levels_.level[*level];
        const uint32_t count = std::min(most, words_there(*level));
        const uint32_t end = *level == 0 ? ring_.dwords : l.end;
        const uint64_t base = *level == 0 ? ring_.base : l.base;
        const uint32_t straight = std::min(count, end - l.position);
        memory_at(base + 4 * uint64_t{l.position}, straight, words);
        memory_at(base, count - straight, words);
    }
    return words;
}

// Words up to the first page that is not there.
void CpFunctional::Unit::memory_at(uint64_t first, uint32_t count,
                                   std::vector<uint32_t>& words) const {
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t address = first + 4 * uint64_t{i};
        const uint8_t* const page = machine_.backend_.page(address / kPageBytes * kPageBytes);
        if (page == nullptr)
            return;
        uint32_t word = 0;
        std::memcpy(&word, page + address % kPageBytes, sizeof word);
        words.push_back(word);
    }
}

bool CpFunctional::Unit::fetch(uint32_t first) {
    uint32_t words[kFetchWords];
    const uint32_t count = std::min(kFetchWords, engine_.section_words() - first);
    for (uint32_t i = 0; i < count; ++i)
        words[i] = dword(memory_, base_ + 4 * uint64_t{first + i}, "fetch of instructions from");
    engine_.place(first, words, count);
    return true;
}

void CpFunctional::Unit::mark() {
    if (marked_ && issues_ < marks_after_)
        return;
    mark_distance_ = marked_ ? 2 * mark_distance_ : kPollIssues;
    marks_after_ = issues_ + mark_distance_;
    mark_ = engine_.state();
    marked_ = true;
}

bool CpFunctional::Unit::run(uint64_t& issues_left) {
    const uint64_t before = activity_;
    uint64_t seen = activity_;
    unsigned polls = 0;
    const bool logged = log_.enabled();
    DebugHook* const hook = machine_.hook_;
    for (; polls < kPollIssues; ++polls) {
        const uint64_t packets = engine_.state().packets;
        if (logged)
            log_.before_step();
        if (hook != nullptr) {
            fetch_next();
            hook->before_issue(*this, machine_.instructions());
        }
        if (!engine_.step())
            break;
        if (std::exchange(no_issue_, false))
            continue;
        const bool packet = engine_.state().packets != packets;
        if (logged)
            log_.after_step(machine_.instructions(), packet);
        if (hook != nullptr)
            hook->after_issue(*this, machine_.instructions(), packet);
        ++issues_;
        if (--issues_left == 0)
            machine_.check_limit(*this);
        if (seen != activity_) {
            seen = activity_;
            polls = 0;
            marked_ = false;
        } else if (marked_ && engine_.state().pc == mark_.pc && is_same(engine_.state(), mark_)) {
            break;
        }
    }
    computes_ = polls == kPollIssues;
    if (computes_)
        mark();
    return activity_ != before;
}

// ------------------------------------------------------------------------------------------------

CpFunctional::CpFunctional(const CpSpec& spec, GpuRegisters& registers, CpBackend& backend,
                           uint64_t instruction_limit)
    : spec_(spec),
      registers_(registers),
      backend_(backend),
      limit_(instruction_limit),
      empty_pool_(spec.pool, no_clusters_, ""),
      perf_(spec),
      issues_left_(instruction_limit) {
    for (unsigned i = 0; i < spec.processors.size(); ++i)
        engines_.push_back(std::make_unique<Unit>(*this, i));
    StatsRegistry stats;
    register_stats(stats);
    perf_.connect(stats, nullptr);
}

CpFunctional::~CpFunctional() = default;

void CpFunctional::run() {
    for (const auto& engine : engines_)
        engine->forget();
    issues_left_ = limit_;
    read_pointers_.clear();
    for (const auto& engine : engines_)
        read_pointers_.push_back(engine->read_pointer());
    uint64_t idle = 0;
    for (bool goes_on = true; goes_on;) {
        const uint64_t before = issues();
        bool moved = false, computes = false;
        for (const auto& engine : engines_)
            if (engine->running()) {
                moved |= run(*engine);
                computes |= engine->computes();
            }
        idle = moved ? 0 : idle + (issues() - before);
        goes_on = moved || (computes && idle < kIdleIssues);
    }
    publish_read_pointer();
}

// Within a run() the write pointer stays: a read pointer that moves does not come back.
void CpFunctional::check_limit(const Unit& at_work) {
    bool moved = false;
    for (size_t i = 0; i < engines_.size(); ++i) {
        const uint32_t now = engines_[i]->read_pointer();
        moved |= std::exchange(read_pointers_[i], now) != now;
    }
    if (!moved)
        at_work.stop_as_endless();
    issues_left_ = limit_;
}

// A stop is noted where a driver looks for it.
bool CpFunctional::run(Unit& engine) {
    try {
        return engine.run(issues_left_);
    } catch (const MachineStop& stop) {
        engine.give_back();
        throw registers_.note_stop(stop, engine.spec().role, engine.fault());
    }
}

CpFunctional::Unit* CpFunctional::find(Role role) {
    for (const auto& engine : engines_)
        if (engine->spec().role == role)
            return engine.get();
    return nullptr;
}

void CpFunctional::start(Role role, uint64_t base) {
    if (Unit* engine = find(role); engine != nullptr && !engine->running())
        engine->start(base);
}

// An engine that takes the request back has done as it was asked.
void CpFunctional::changed_preemption(bool by_engine) {
    engines_[0]->ask_for_preemption(registers_.wants_preemption());
    if (by_engine && !registers_.wants_preemption() && registers_.raise(kInterruptSoftware))
        backend_.interrupt(kInterruptSoftware);
}

void CpFunctional::count(CpRegister reg, uint32_t index, const std::string& where) {
    perf_.written(instructions(), reg, index - registers_.map().index_of(reg), registers_, where);
}

inline void CpFunctional::changed(CpRegister reg, bool by_engine) {
    // Most are the pipeline's: stored, without effect.
    if (reg == CpRegister::None)
        return;
    if (GpuRegisters::describes_ring(reg, by_engine)) {
        if (by_engine)
            engines_[0]->move_ring(registers_.ring(true));
        else
            for (const auto& engine : engines_)
                engine->set_ring(registers_.ring(false));
    }
    if (reg == CpRegister::ContextSwitch)
        changed_preemption(by_engine);
    for (const EngineStart& s : registers_.starts(reg))
        start(s.role, registers_.stored_64(s.base));
}

void CpFunctional::write(uint32_t index, uint32_t value) {
    const CpRegister reg = registers_.write(index, value);
    if (GpuRegisters::counts(reg))
        return count(reg, index, "cp.registers: the host");
    changed(reg, false);
}

inline void CpFunctional::write_checked(const Action& a) {
    if (!a.checked || registers_.may_write(a.index, engines_[a.processor]->spec().role)) {
        const CpRegister reg = registers_.write(a.index, a.value);
        if (GpuRegisters::counts(reg))
            return count(reg, a.index, engines_[a.processor]->where_of(a));
        GpuRegisters::stop_if_reset(reg, [&] { return engines_[a.processor]->where_of(a); });
        return changed(reg, !a.checked);
    }
    const bool heard = registers_.raise(kInterruptCpError);
    if (registers_.violation_stops())
        throw MachineStop(StopKind::BadInput, engines_[a.processor]->where_of(a),
                          "CP_PROTECT forbids packets to write register " + hex(a.index));
    if (heard)
        backend_.interrupt(kInterruptCpError);
}

bool CpFunctional::may_write_memory(const Action& a, unsigned bytes) {
    if (!registers_.secure() || registers_.trust().may_write(a.address, bytes))
        return true;
    if (!registers_.note_untrusted(a.address))
        throw MachineStop(StopKind::Fault, engines_[a.processor]->where_of(a),
                          untrusted_write(a.address));
    if (registers_.raise(kInterruptTrust))
        backend_.interrupt(kInterruptTrust);
    return false;
}

void CpFunctional::carry_out(const Action& a) {
    Unit& engine = *engines_[a.processor];
    switch (a.kind) {
        case Action::Kind::Register:
            return write_checked(a);
        case Action::Kind::Memory:
            if (may_write_memory(a, 4))
                engine.write_dword(a.address, a.value);
            return;
        case Action::Kind::Timestamp: {
            if (!may_write_memory(a, 8))
                return;
            const uint64_t now = instructions();
            engine.write_dword(a.address, static_cast<uint32_t>(now));
            return engine.write_dword(a.address + 4, static_cast<uint32_t>(now >> 32));
        }
        case Action::Kind::Shared:
            return shared_.write(++time_, a.processor, a.index, a.value);
        case Action::Kind::Interrupt:
            if (registers_.raise(a.index))
                backend_.interrupt(a.index);
            return;
        case Action::Kind::Decrement:
            return engine.count(static_cast<ControlRegister>(a.index));
        case Action::Kind::WaitWrites:
        case Action::Kind::WaitIdle:
            return;
    }
}

// The shadows of the read pointers in memory.
void CpFunctional::publish_read_pointer() {
    for (const auto& engine : engines_)
        if (const uint64_t to = engine->shadow_address(); to != 0 && engine->running())
            engine->write_dword(to, engine->read_pointer());
}

const Processor& CpFunctional::processor(unsigned number) const {
    return *engines_[number];
}

uint64_t CpFunctional::activity() const {
    uint64_t sum = 0;
    for (const auto& engine : engines_)
        sum += engine->activity();
    return sum;
}

uint64_t CpFunctional::instructions() const {
    uint64_t sum = 0;
    for (const auto& engine : engines_)
        sum += engine->engine()->state().instructions;
    return sum;
}

uint64_t CpFunctional::issues() const {
    uint64_t sum = 0;
    for (const auto& engine : engines_)
        sum += engine->issues();
    return sum;
}

// What is counted in functional mode, by the names that it has in cycle mode.
void CpFunctional::register_stats(StatsRegistry& stats) const {
    for (unsigned i = 0; i < engines_.size(); ++i) {
        const UnitStats add(stats, spec_.processors[i].engine.path);
        add("instructions", "instructions", "executed; of (rep) each time", &engines_[i]->issues());
        add("packets", "packets", "begun", &engines_[i]->engine()->state().packets);
    }
}

uint32_t CpFunctional::value_of(CpRegister reg, uint32_t offset) {
    if (reg == CpRegister::AlwaysOn)
        return static_cast<uint32_t>(instructions() >> 32 * offset);
    if (reg == CpRegister::PerfCount || reg == CpRegister::BvPerfCount)
        return perf_.value_of(instructions(), reg, offset);
    return view_value(engines_[0]->view(false), reg);
}

uint32_t CpFunctional::value_of(const DebugRead& read) {
    const std::optional<unsigned> engine = engine_of(spec_, read.reg->role);
    if (!engine)
        return 0;
    return read.reg->shown == Shown::Pool ? empty_pool_.window(read.at, registers_.pool_size())
                                          : engines_[*engine]->debug_value(read);
}

uint32_t CpFunctional::read(uint32_t index) {
    if (registers_.map().at(index) == CpRegister::Debug)
        registers_.stop_if_not_public(index, [] { return "cp.registers: the host"; });
    return registers_.read(index, *this);
}

inline uint32_t CpFunctional::read_by_engine(const Unit& engine, uint32_t index) {
    if (registers_.map().at(index) == CpRegister::Debug)
        registers_.stop_if_not_public(index, [&] { return engine.where_it_is(); });
    return registers_.read(index, *this);
}

std::string CpFunctional::waiting_for() const {
    std::string text;
    for (const auto& engine : engines_)
        if (engine->running() && !engine->at_rest())
            text += (text.empty() ? "" : "; ") + engine->where();
    return text;
}

void CpFunctional::debug(DebugHook& hook) {
    hook_ = &hook;
    for (const auto& engine : engines_)
        hook.attach(*engine, [this](uint32_t index) { return inspect(index); });
}

void CpFunctional::observe(const Observers& observers) {
    for (const auto& engine : engines_)
        engine->observe(observers);
}

// An engine in cycle mode has all its instructions.
void CpFunctional::copy_state_to(CpCore& core) {
    std::vector<const Processor*> engines;
    for (const auto& engine : engines_) {
        engine->fetch_all();
        engines.push_back(engine.get());
    }
    core.take_over(engines, shared_, perf_, instructions());
}

void CpFunctional::reset() {
    registers_.reset();
    perf_.reset();
    shared_ = {};
    meq_.clear();
    time_ = 1;
    read_pointers_.clear();
    issues_left_ = limit_;
    for (const auto& engine : engines_)
        engine->reset();
}

void CpFunctional::archive(Archive& a) {
    a(shared_, meq_, time_);
    for (const auto& engine : engines_)
        engine->archive(a);
    perf_.archive(a, registers_);
}

}  // namespace archipelago::afuc
