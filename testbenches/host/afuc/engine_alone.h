// SPDX-License-Identifier: Apache-2.0
// A micro engine alone: a stream of words, memory and registers that answer at once, and a record
// of what it wrote.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/afuc/engine/engine.h"
#include "models/afuc/engine/nrt.h"
#include "models/afuc/isa/image.h"
#include "models/afuc/isa/names.h"

namespace archipelago::afuc {

// "gpu", "pipe", "cwrite", "swrite": register and value; "mem": byte address and value.
struct Event {
    std::string kind;
    uint64_t place = 0;
    uint32_t value = 0;
    bool operator==(const Event& o) const {
        return kind == o.kind && place == o.place && value == o.value;
    }
};

class EngineAlone final : public EnginePorts {
  public:
    explicit EngineAlone(const char* generation)
        : engine({find_generation(generation), "engine"}, *this) {}

    std::deque<uint32_t> stream;
    std::map<uint64_t, uint32_t> memory_words;
    std::map<uint32_t, uint32_t> gpu;
    std::array<uint32_t, kPipeRegisters> pipe{};
    NrtAddress nrt;
    std::vector<Event> events;
    bool trusts = true;    // secure mode is not refused
    bool preempt = false;  // it is to go to its routine for preemption
    Engine engine;

    // Until it waits, or for so many issue cycles; false: it did not wait.
    bool run(uint64_t issues = 1'000'000) {
        for (; issues != 0; --issues)
            if (!engine.step())
                return true;
        return false;
    }

    // A section whose words are all there.
    void load(const std::vector<uint32_t>& words) {
        engine.begin(static_cast<uint32_t>(words.size()));
        engine.place(0, words.data(), static_cast<uint32_t>(words.size()));
    }

    bool ready(const Needs& needs) override { return needs.data <= stream.size(); }
    bool fetch(uint32_t) override { return false; }
    const uint32_t* data(unsigned words, bool take) override {
        std::copy_n(stream.begin(), words, words_.begin());
        if (take)
            stream.erase(stream.begin(), stream.begin() + words);
        return words_.data();
    }
    uint32_t memory(uint64_t address) override {
        const auto found = memory_words.find(address);
        return found != memory_words.end() ? found->second : 0;
    }
    uint32_t load(uint64_t address) override { return memory(address); }
    void write_memory(uint64_t address, uint32_t value) override {
        memory_words[address] = value;
        events.push_back({"mem", address, value});
    }
    uint32_t gpu_register(uint32_t index) override { return gpu[index]; }
    void write_gpu_register(uint32_t index, uint32_t value, RegisterPath) override {
        gpu[index] = value;
        events.push_back({"gpu", index, value});
        // What boots the coprocessor of a660 stands in for its answer.
        if (engine.spec().generation == find_generation("a660") && index == 0xB81)
            thread_sync() |= 2;
    }
    void arm(unsigned, uint64_t, uint32_t) override {}
    void boot(bool, uint64_t) override {}
    bool set_secure(bool on) override {
        events.push_back({"secure", 0, on ? 1u : 0u});
        return trusts;
    }
    bool preempts() override { return preempt; }
    void preempted() override { preempt = false; }
    void push(uint32_t value) override { events.push_back({"push", 0, value}); }
    uint32_t live_control(uint32_t index) override { return engine.state().control[index]; }
    void wrote_pipe(uint32_t index, uint32_t value) override {
        events.push_back({"pipe", index, value});
        pipe[index] = value;
        if (index == kPipeNrtAddress || index == kPipeNrtAddress + 1)
            nrt.set(index - kPipeNrtAddress, value);
        if (index == kPipeNrtData)
            write_memory(nrt.next(), value);
        pipe[kPipeNrtAddress] = nrt.low;
        pipe[kPipeNrtAddress + 1] = nrt.high;
    }
    // Likewise of a7xx: the coprocessor clears its bit.
    void wrote_control(uint32_t index, uint32_t value) override {
        events.push_back({"cwrite", index, value});
        const Named name = name_of(engine.spec().generation->names, Space::Control, index);
        if (name && std::string(name.reg->name) == "BV_CNTL")
            thread_sync() &= ~2u;
        if (name && std::string(name.reg->name) == "LPAC_CNTL")
            thread_sync() &= ~4u;
    }
    void wrote_sqe(uint32_t index, uint32_t value) override {
        events.push_back({"swrite", index, value});
    }

  private:
    uint32_t& thread_sync() {
        const ControlMap map(*engine.spec().generation);
        return engine.state().control[map.index_of(ControlRegister::ThreadSync)];
    }

    std::array<uint32_t, kIssueWords> words_{};  // of the issue cycle at hand
};

}  // namespace archipelago::afuc
