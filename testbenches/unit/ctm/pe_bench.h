// SPDX-License-Identifier: Apache-2.0
// PE and CO with the units around them as plain models: memory, the MC as it takes commands and
// keeps the conditional buffer, arrays that run threads for a while.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "models/common/memory_image.h"
#include "models/ctm/co/co_core.h"
#include "models/ctm/pe/pe_core.h"
#include "models/ctm/pe/pe_functional.h"

namespace archipelago::ctm::pe_bench {

constexpr uint32_t kBuffers = 0x1000;
constexpr uint32_t kMemoryBytes = 0x10000;
constexpr unsigned kMemoryLatency = 20;

inline std::string command_name(const char* unit, const UnitCommand& c) {
    return std::string(unit) + " " + commands().row(static_cast<Opcode>(c.opcode)).name + " " +
           std::to_string(c.parameters[0]);
}
inline std::string thread_name(const ThreadLaunch& t) {
    return "thread " + std::to_string(t.program) + "." + std::to_string(t.number) + " of " +
           std::to_string(t.quads) + " at " + std::to_string(t.origin[0].x) + "," +
           std::to_string(t.origin[0].y) + " covers " + std::to_string(t.covered) + " value " +
           std::to_string(t.conditional) + (t.conditional_output ? " conditional" : "") +
           (t.mode.uncached_outputs ? " uncached" : "");
}

// The conditional buffer: channel c0 of each element.
struct ConditionalBuffer {
    std::map<std::pair<unsigned, unsigned>, uint32_t> value;
    ElementResponse access(const ElementRequest& r) {
        ElementResponse answer;
        answer.lanes = r.lanes;
        answer.tag = r.tag;
        for (unsigned lane = 0; lane < 4; ++lane) {
            if ((r.lanes >> lane & 1) == 0)
                continue;
            uint32_t& v = value[{r.index[lane].x, r.index[lane].y}];
            if (r.write)
                v = r.value[lane][0];
            answer.value[lane][0] = v;
        }
        return answer;
    }
};

// A thread's conditional output: each lane's own index is its value.
inline ConditionRequest output_test(const ThreadLaunch& thread, unsigned quad, uint32_t tag) {
    ConditionRequest r;
    r.origin = thread.origin[quad];
    r.lanes = static_cast<uint8_t>(thread.covered >> 4 * quad & 15);
    for (unsigned lane = 0; lane < 4; ++lane)
        r.value[lane] = static_cast<uint32_t>(r.origin.x * 7 + r.origin.y * 3 + lane) % 50;
    r.tag = tag;
    return r;
}

struct Outcome {
    std::vector<std::string> log;  // commands of other units and threads, in order
    ConditionalBuffer conditional;
    MemoryImage image;
    std::vector<uint32_t> consumed;
    std::vector<std::string> written;  // lanes of conditional output that passed, by thread
    std::string stop;
};

// ---- in functional mode -------------------------------------------------------------------------

class FunctionalBench final : public PeMachine {
  public:
    explicit FunctionalBench(const PeSpec& spec)
        : pe_(spec.walk, spec.allow_undefined, registers, *this) {
        outcome.image.map(0, kMemoryBytes);
    }
    RegisterFile registers;
    Outcome outcome;

    void run() {
        try {
            pe_.run();
        } catch (const MachineStop& stop) {
            outcome.stop = stop.what();
        }
    }

    void memory_controller_command(const UnitCommand& c) override {
        outcome.log.push_back(command_name("mc", c));
    }
    void conditional_operation_command(const UnitCommand& c) override {
        apply(c, settings_);
        outcome.log.push_back(command_name("co", c));
    }
    uint8_t test(const ConditionRequest& r) override {
        return ctm::test(settings_, ConditionLocation::ProcessorExecution, r,
                         [&](const auto& e) { return outcome.conditional.access(e); })
            .lanes;
    }
    void run(const ThreadLaunch& t) override {
        outcome.log.push_back(thread_name(t));
        std::string passed = thread_name(t) + ":";
        for (unsigned quad = 0; t.conditional_output && quad < t.quads; ++quad)
            passed += " " + std::to_string(ctm::test(settings_, ConditionLocation::Processors,
                                                     output_test(t, quad, 0),
                                                     [&](const auto& e) {
                                                         return outcome.conditional.access(e);
                                                     })
                                               .lanes);
        outcome.written.push_back(passed);
    }
    bool read(uint64_t address, uint32_t* dwords, size_t count) override {
        return outcome.image.read(address, dwords, 4 * count);
    }
    bool write(uint64_t address, const uint32_t* dwords, size_t count) override {
        return outcome.image.write(address, dwords, 4 * count);
    }
    PerfClocks clocks() override { return {}; }
    void consumed(uint32_t buffer) override { outcome.consumed.push_back(buffer); }

  private:
    ConditionSettings settings_;
    PeFunctional pe_;
};

// ---- in cycle mode ------------------------------------------------------------------------------

struct Disturbance {
    uint64_t seed = 0;
    unsigned stall_percent = 0;
    bool shuffle = false;
};

// An array: takes a thread, tests its outputs, runs it for `cycles`.
class BenchArray final : public Clocked {
  public:
    BenchArray(unsigned threads, Outcome& outcome)
        : launches({2, 1}, "bench.launches"),
          results({4, 1}, "bench.results"),
          threads_(threads),
          outcome_(outcome) {
        launches.set_consumer(this);
        results.set_consumer(this);
    }
    Channel<ThreadLaunch> launches;
    Channel<ConditionResult> results;
    OutputChannel<ThreadDone> done{this};
    OutputChannel<ConditionRequest> tests{this};
    unsigned cycles = 40;
    std::vector<std::pair<Cycle, ThreadLaunch>> taken;

    bool tick(Cycle now) override {
        bool moved = false;
        if (running_.size() < threads_ && launches.can_pop(now)) {
            running_.push_back({launches.pop(now), now + cycles, 0, 0, ""});
            taken.emplace_back(now, running_.back().thread);
            running_.back().passed = thread_name(running_.back().thread) + ":";
            moved = true;
        }
        for (Running& r : running_) {
            if (!r.thread.conditional_output || r.asked == r.thread.quads)
                continue;
            if (tests->can_push(now)) {
                tests->push(now, output_test(r.thread, r.asked++, r.thread.number));
                moved = true;
            }
            break;
        }
        while (results.can_pop(now)) {
            const ConditionResult result = results.pop(now);
            for (Running& r : running_)
                if (r.asked > r.answered && r.thread.number == result.tag) {
                    ++r.answered;
                    r.passed += " " + std::to_string(result.lanes);
                    break;
                }
            moved = true;
        }
        if (!running_.empty() && running_.front().until <= now && complete(running_.front()) &&
            done->can_push(now)) {
            outcome_.written.push_back(running_.front().passed);
            done->push(now, {running_.front().thread.number});
            running_.pop_front();
            moved = true;
        }
        if (!running_.empty() && running_.front().until > now)
            wake_at(running_.front().until);
        return moved;
    }

  private:
    struct Running {
        ThreadLaunch thread;
        Cycle until;
        unsigned asked, answered;
        std::string passed;
    };
    static bool complete(const Running& r) {
        return !r.thread.conditional_output || r.answered == r.thread.quads;
    }
    const unsigned threads_;
    Outcome& outcome_;
    std::deque<Running> running_;
};

// The MC's command port, its conditional client, and memory; each in order.
class BenchMemory final : public Clocked {
  public:
    explicit BenchMemory(Outcome& outcome) : outcome_(outcome) {
        requests.set_consumer(this);
        commands.set_consumer(this);
        elements.set_consumer(this);
    }
    Channel<MemRequest> requests{{4, 1}, "bench.memory"};
    OutputChannel<MemResponse> responses{this};
    Channel<UnitCommand> commands{{2, 1}, "bench.commands"};
    OutputEvent<UnitCommandDone> commands_done{this};
    Channel<ElementRequest> elements{{4, 1}, "bench.elements"};
    OutputChannel<ElementResponse> element_responses{this};
    unsigned command_cycles = 15;
    std::vector<std::pair<Cycle, UnitCommand>> taken;

    bool tick(Cycle now) override {
        bool moved = false;
        if (requests.can_pop(now)) {
            lines_.emplace_back(now + kMemoryLatency, serve(requests.pop(now)));
            moved = true;
        }
        if (!lines_.empty() && lines_.front().first <= now && responses->can_push(now)) {
            responses->push(now, lines_.front().second);
            lines_.pop_front();
            moved = true;
        }
        if (busy_ <= now && commands.can_pop(now)) {
            const UnitCommand c = commands.pop(now);
            taken.emplace_back(now, c);
            outcome_.log.push_back(command_name("mc", c));
            busy_ = now + command_cycles;
            ends_.push_back({busy_, c.opcode});
            moved = true;
        }
        if (!ends_.empty() && ends_.front().first <= now) {
            commands_done->send(now, {ends_.front().second});
            ends_.pop_front();
            moved = true;
        }
        if (elements.can_pop(now) && values_.size() < 8) {
            values_.emplace_back(now + 9, outcome_.conditional.access(elements.pop(now)));
            moved = true;
        }
        if (!values_.empty() && values_.front().first <= now && element_responses->can_push(now)) {
            element_responses->push(now, values_.front().second);
            values_.pop_front();
            moved = true;
        }
        for (const Cycle at :
             {lines_.empty() ? 0 : lines_.front().first, ends_.empty() ? 0 : ends_.front().first,
              values_.empty() ? 0 : values_.front().first, busy_})
            if (at > now)
                wake_at(at);
        return moved;
    }

  private:
    MemResponse serve(const MemRequest& r) {
        MemResponse answer;
        answer.tag = r.tag;
        answer.command = r.command;
        answer.line = r.line;
        if (!outcome_.image.read(r.line, answer.data.data(), kLineBytes)) {
            answer.status = MemStatus::Unmapped;
        } else if (r.command == MemCommand::Write) {
            for (unsigned i = 0; i < kLineBytes; ++i)
                if ((r.byte_mask >> i & 1) != 0)
                    outcome_.image.write(r.line + i, &r.data[i], 1);
        }
        return answer;
    }

    Outcome& outcome_;
    Cycle busy_ = 0;
    std::deque<std::pair<Cycle, MemResponse>> lines_;
    std::deque<std::pair<Cycle, uint8_t>> ends_;
    std::deque<std::pair<Cycle, ElementResponse>> values_;
};

class CycleBench {
  public:
    explicit CycleBench(const PeSpec& spec, const Disturbance& disturb = {},
                        rtl::PinBlock<rtl::CtmPePins>* sequencer = nullptr)
        : pe(spec, "ctm.pe", sequencer), co(co_spec(spec)), memory(outcome) {
        outcome.image.map(0, kMemoryBytes);
        for (unsigned i = 0; i < spec.arrays; ++i) {
            arrays.push_back(std::make_unique<BenchArray>(3, outcome));
            pe.to_array[i].connect(arrays[i]->launches);
            arrays[i]->done.connect(pe.done[i]);
            arrays[i]->tests.connect(co.from_array[i]);
            co.to_array[i].connect(arrays[i]->results);
        }
        pe.to_registers.connect(answers);
        pe.to_interrupt.connect(interrupts);
        pe.to_memory.connect(memory.requests);
        memory.responses.connect(pe.memory_response);
        pe.to_memory_controller.connect(memory.commands);
        memory.commands_done.connect(pe.memory_controller_done);
        pe.to_conditional_operation.connect(co.commands);
        co.to_commands_done.connect(pe.conditional_operation_done);
        pe.to_condition.connect(co.from_pe);
        co.to_pe.connect(pe.condition);
        co.to_memory.connect(memory.elements);
        memory.element_responses.connect(co.from_memory);
        for (Clocked* unit : {static_cast<Clocked*>(&pe), static_cast<Clocked*>(&co),
                              static_cast<Clocked*>(&memory)})
            scheduler.add(*unit);
        for (const auto& array : arrays)
            scheduler.add(*array);
        disturb_channels(disturb);
    }

    Outcome outcome;
    PeCore pe;
    CoCore co;
    BenchMemory memory;
    std::vector<std::unique_ptr<BenchArray>> arrays;
    Channel<RegResponse> answers{{4, 1}, "bench.answers"};
    EventLink<Interrupt> interrupts{1};
    Scheduler scheduler;

    void write(uint32_t offset, uint32_t value) {
        RegRequest r;
        r.offset = pe.spec().register_base + offset;
        r.value = value;
        r.write = true;
        push(r);
    }
    uint32_t read(uint32_t offset) {
        RegRequest r;
        r.offset = pe.spec().register_base + offset;
        push(r);
        while (!answers.can_pop(now_))
            step();
        return answers.pop(now_).value;
    }
    // Runs until everything sleeps, at most so many cycles.
    void run(Cycle limit = 2'000'000) {
        try {
            now_ = std::max(now_, scheduler.run(now_ + limit));
        } catch (const MachineStop& stop) {
            outcome.stop = stop.what();
        }
        while (interrupts.ready(now_ + 1))
            outcome.consumed.push_back(interrupts.take().data);
    }
    void step() { scheduler.step(++now_); }
    Cycle now() const { return now_; }

  private:
    static CoSpec co_spec(const PeSpec& spec) {
        CoSpec co;
        co.arrays = spec.arrays;
        return co;
    }
    void push(const RegRequest& r) {
        while (!pe.registers.can_push(now_))
            step();
        pe.registers.push(now_, r);
        step();
    }
    void disturb_channels(const Disturbance& d) {
        if (d.shuffle)
            scheduler.shuffle(d.seed);
        if (d.stall_percent == 0)
            return;
        uint64_t seed = d.seed;
        const auto stall = [&](auto& channel) { channel.random_stall(++seed, d.stall_percent); };
        stall(pe.memory_response);
        stall(pe.condition);
        stall(memory.requests);
        stall(memory.commands);
        stall(memory.elements);
        stall(co.commands);
        stall(co.from_pe);
        stall(co.from_memory);
        for (unsigned i = 0; i < arrays.size(); ++i) {
            stall(pe.done[i]);
            stall(co.from_array[i]);
            stall(arrays[i]->launches);
            stall(arrays[i]->results);
        }
    }

    Cycle now_ = 0;
};

// A buffer in memory and submitted, in either bench.
template <class Bench>
void submit(Bench& bench, uint32_t address, const std::vector<uint32_t>& words) {
    bench.outcome.image.write(address, words.data(), 4 * words.size());
    const auto bytes = static_cast<uint32_t>(4 * words.size());
    if constexpr (std::is_same_v<Bench, FunctionalBench>) {
        bench.registers.write(kCbAddress, address);
        bench.registers.write(kCbSize, bytes);
    } else {
        bench.write(kCbAddress, address);
        bench.write(kCbSize, bytes);
    }
}

}  // namespace archipelago::ctm::pe_bench
