// SPDX-License-Identifier: Apache-2.0
// A micro engine alone: a stream of words, memory and registers that answer at once, and a record
// of what it wrote.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/afuc/engine/engine.h"
#include "models/afuc/isa/image.h"
#include "models/afuc/isa/names.h"

namespace archipelago::afuc::test {

// "gpu", "pipe", "cwrite", "swrite": register and value; "mem": byte address and value.
struct Event {
    std::string kind;
    uint64_t place = 0;
    uint32_t value = 0;
    bool operator==(const Event& o) const {
        return kind == o.kind && place == o.place && value == o.value;
    }
};

class EngineBench final : public EnginePorts {
  public:
    explicit EngineBench(const char* generation)
        : engine({find_generation(generation), "engine"}, *this) {}

    std::deque<uint32_t> stream;
    std::map<uint64_t, uint32_t> memory_words;
    std::map<uint32_t, uint32_t> gpu;
    std::vector<Event> events;
    Engine engine;

    // Until it waits, or for `beats`.
    void run(uint64_t beats = 1'000'000) {
        while (beats-- != 0 && engine.step()) {
        }
    }

    bool ready(const Needs& needs) override { return needs.data <= stream.size(); }
    uint32_t data(bool take) override {
        const uint32_t value = stream.front();
        if (take)
            stream.pop_front();
        return value;
    }
    uint32_t memory(uint64_t address) override {
        const auto found = memory_words.find(address);
        return found != memory_words.end() ? found->second : 0;
    }
    void write_memory(uint64_t address, uint32_t value) override {
        memory_words[address] = value;
        events.push_back({"mem", address, value});
    }
    uint32_t gpu_register(uint32_t index) override { return gpu[index]; }
    void write_gpu_register(uint32_t index, uint32_t value, bool) override {
        gpu[index] = value;
        events.push_back({"gpu", index, value});
        // What boots the coprocessor of a660 stands in for its answer.
        if (engine.spec().generation == find_generation("a660") && index == 0xB81)
            thread_sync() |= 2;
    }
    void wrote_pipe(uint32_t index, uint32_t value) override {
        events.push_back({"pipe", index, value});
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
        const ControlMap map(engine.spec().generation->names);
        return engine.state().control[map.index_of(Control::ThreadSync)];
    }
};

}  // namespace archipelago::afuc::test
