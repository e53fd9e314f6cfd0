// SPDX-License-Identifier: Apache-2.0
// Micro engines that run the project's microcode: a ring, levels with the hardware's word behind
// the last of each, a queue that is done at once, counters of waits, events, and what several
// engines share. Memory and registers answer at once; which engine steps next is up to the test.
#pragma once

#include <array>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/afuc/engine/engine.h"
#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/image.h"
#include "models/afuc/isa/names.h"
#include "models/afuc/isa/text.h"

namespace archipelago::afuc::test {

inline constexpr uint64_t kImageAt = 0x1'0000'8000;  // so that carries of addresses show
inline constexpr uint32_t kSharedFirst = 0x200, kSharedLast = 0x2FF;
inline constexpr uint32_t kIbEndHeader = 0x70000000 | 1u << 23 | 0x0Au << 16 | 1u << 15;

// The image of a root file without its zero dword.
inline std::vector<uint32_t> microcode(const Generation& generation, const std::string& root) {
    const std::string path =
        std::string(ARCHIPELAGO_SOURCE_DIR) + "/configs/microcode/adreno/" + root + ".afuc";
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Assembly a = assemble(generation, text, path);
    if (text.empty() || !a.errors.empty())
        throw std::runtime_error(a.errors.empty()
                                     ? path + " is empty"
                                     : a.errors[0].file + ":" + std::to_string(a.errors[0].line) +
                                           ": " + a.errors[0].message);
    return {a.words.begin() + 1, a.words.end()};
}

class MicrocodeBench;

// What engines of a chip have in common.
struct SharedMachine {
    std::map<uint64_t, uint32_t> memory;
    std::map<uint32_t, uint32_t> registers;
    std::array<uint32_t, 0x100> shared{};
    const MicrocodeBench* lock_owner = nullptr;
    uint64_t always_on = 0x1122334455667788;
    std::vector<unsigned> interrupts;  // a6xx: 20; a7xx: what IRQNO says
    std::vector<uint32_t> events;      // PC_EVENT_CMD
    std::vector<std::string> log;      // waits of the queue, by name
};

class MicrocodeBench final : public EnginePorts {
  public:
    MicrocodeBench(const Generation& generation, SharedMachine& machine, const std::string& path)
        : engine({&generation, path}, *this), generation_(generation), machine_(machine) {
        level_register_ = place("IB_LEVEL");
    }

    Engine engine;
    std::deque<uint32_t> ring;
    std::vector<uint32_t> unchecked;  // GPU registers that were written without CP_PROTECT
    MicrocodeBench* bv = nullptr;     // that this one boots
    MicrocodeBench* lpac = nullptr;
    bool running = false;

    void boot(const std::vector<uint32_t>& image, size_t begin, size_t count, uint64_t base) {
        engine.load(&image[begin], static_cast<uint32_t>(count));
        for (size_t i = 0; i < image.size(); ++i)
            machine_.memory[kImageAt + 4 * i] = image[i];
        base_ = base;
    }
    // Until it waits, or for `beats`.
    void run(uint64_t beats = 100'000) {
        do
            fresh_shared();
        while (beats-- != 0 && engine.step());
    }
    uint32_t control(const char* name) { return control_at(place(name)); }
    uint32_t control_at(uint32_t index) {
        return is_shared(index) ? machine_.shared[index - kSharedFirst]
                                : engine.state().control[index];
    }
    uint32_t place(const char* name) const {
        const RegisterName* r = find_register(generation_.names, Space::Control, name);
        return r == nullptr ? kNowhere : r->first;
    }

    bool ready(const Needs& needs) override { return needs.data <= level_words(); }
    uint32_t data(bool take) override {
        const uint32_t level = level_now();
        std::deque<uint32_t>& words = level == 0 ? ring : levels_[level].words;
        if (words.empty()) {
            if (take)
                levels_[level].end = false;
            return kIbEndHeader;
        }
        const uint32_t value = words.front();
        if (take)
            words.pop_front();
        return value;
    }
    uint32_t memory(uint64_t address) override {
        const auto found = machine_.memory.find(address);
        if (found == machine_.memory.end())
            throw std::runtime_error("read of unmapped address " + std::to_string(address));
        return found->second;
    }
    void write_memory(uint64_t address, uint32_t value) override {
        machine_.memory[address] = value;
    }
    uint32_t gpu_register(uint32_t index) override { return machine_.registers[index]; }
    void write_gpu_register(uint32_t index, uint32_t value, bool checked) override {
        if (!checked)
            unchecked.push_back(index);
        if (index == 0x9842)
            machine_.events.push_back(value);
        if (index == 0x1C)
            machine_.log.push_back("idle");
        if (index == 0xB81 && lpac != nullptr)
            lpac->running = true;
        machine_.registers[index] = value;
    }
    void wrote_pipe(uint32_t index, uint32_t value) override;
    void wrote_control(uint32_t index, uint32_t value) override;
    void wrote_sqe(uint32_t, uint32_t) override {}

  private:
    static constexpr uint32_t kNowhere = UINT32_MAX;
    struct Level {
        std::deque<uint32_t> words;
        bool end = false;  // the hardware's word is still to come
    };

    static bool is_shared(uint32_t index) { return index >= kSharedFirst && index <= kSharedLast; }
    uint32_t level_now() const { return engine.state().control[level_register_]; }
    size_t level_words() const {
        const uint32_t level = level_now();
        if (level == 0)
            return ring.size();
        const Level& l = levels_.at(level);
        return l.words.size() + (l.end ? 1 : 0);
    }
    void arm(unsigned level, uint32_t base) {
        const auto& c = engine.state().control;
        const uint64_t from = uint64_t{c[base + 1]} << 32 | c[base];
        levels_[level].words.clear();
        for (uint32_t i = 0; i < c[base + 2]; ++i)
            levels_[level].words.push_back(memory(from + 4 * i));
        levels_[level].end = true;
    }
    // What others wrote is seen by the next read.
    void fresh_shared() {
        if (generation_.coprocessors)
            for (uint32_t i = kSharedFirst; i <= kSharedLast; ++i)
                engine.state().control[i] = machine_.shared[i - kSharedFirst];
        if (const uint32_t lock = place("COPROCESSOR_LOCK"); lock != kNowhere && wants_lock_) {
            if (machine_.lock_owner == nullptr)
                machine_.lock_owner = this;
            engine.state().control[lock] = machine_.lock_owner == this ? 1 : 0;
        }
    }
    void event(uint32_t command);
    void event_a7(uint32_t command);

    const Generation& generation_;
    SharedMachine& machine_;
    uint64_t base_ = 0;
    uint32_t level_register_ = 0;
    std::array<Level, 5> levels_;
    bool wants_lock_ = false;
};

inline void MicrocodeBench::wrote_control(uint32_t index, uint32_t value) {
    auto& c = engine.state().control;
    if (is_shared(index))
        machine_.shared[index - kSharedFirst] = value;
    struct {
        const char *incr, *counter;
    } constexpr kCounters[] = {{"WFI_PEND_INCR", "WFI_PEND_CTR"},
                               {"CACHE_FLUSH_PEND_INCR", "CACHE_FLUSH_PEND_CTR"},
                               {"CACHE_CLEAN_PEND_INCR", "CACHE_CLEAN_PEND_CTR"}};
    for (const auto& counter : kCounters)
        if (index == place(counter.incr))
            ++c[place(counter.counter)];
    const char* const kDwords[] = {"IB1_DWORDS", "IB2_DWORDS", "IB3_DWORDS"};
    for (unsigned i = 0; i < 3; ++i)
        if (index == place(kDwords[i]))
            arm(i + 1, index - 2);
    if (index == place("SDS_DWORDS"))
        arm(place("IB3_DWORDS") == kNowhere ? 3 : 4, index - 2);
    if (index == place("COPROCESSOR_LOCK")) {
        wants_lock_ = value != 0;
        c[index] = 0;
        if (value == 0 && machine_.lock_owner == this)
            machine_.lock_owner = nullptr;
    }
    for (const char* name : {"BV", "LPAC"}) {
        MicrocodeBench* const other = name[0] == 'B' ? bv : lpac;
        const uint32_t base = place((std::string(name) + "_INSTR_BASE").c_str());
        if (index != place((std::string(name) + "_CNTL").c_str()) || other == nullptr)
            continue;
        other->engine.state().control[base] = c[base];
        other->engine.state().control[base + 1] = c[base + 1];
        other->running = value == 1;
        if ((uint64_t{c[base + 1]} << 32 | c[base]) != other->base_)
            throw std::runtime_error(std::string(name) + " begins at a wrong place");
    }
}

inline void MicrocodeBench::wrote_pipe(uint32_t index, uint32_t value) {
    auto& c = engine.state().control;
    const Named named = name_of(generation_.names, Space::Pipe, index);
    const std::string name = named ? named.reg->name : "?";
    if (name == "WFI_PEND_DECR")
        --c[place("WFI_PEND_CTR")];
    else if (name == "WAIT_FOR_IDLE")
        machine_.log.push_back("idle");
    else if (name == "WAIT_MEM_WRITES")
        machine_.log.push_back("memory");
    else if (name == "EVENT_CMD")
        generation_.encoding == Encoding::A7 ? event_a7(value) : event(value);
}

inline void MicrocodeBench::event(uint32_t command) {
    const auto& pipe = engine.state().pipe;
    const uint64_t address = uint64_t{pipe[0xE9]} << 32 | pipe[0xE8];
    const uint32_t ctrl = pipe[0xEA];
    if ((command & 3) != 1)
        throw std::runtime_error("EVENT_CMD " + std::to_string(command));
    if ((command & 4) != 0 && (ctrl & 2) != 0) {
        machine_.memory[address] = static_cast<uint32_t>(machine_.always_on);
        machine_.memory[address + 4] = static_cast<uint32_t>(machine_.always_on >> 32);
    } else if ((command & 4) != 0) {
        machine_.memory[address] = pipe[0xEB];
    }
    if ((ctrl & 4) != 0)
        machine_.interrupts.push_back(20);
    if ((command & 8) != 0)
        --engine.state().control[place("CACHE_FLUSH_PEND_CTR")];
}

inline void MicrocodeBench::event_a7(uint32_t command) {
    const auto& pipe = engine.state().pipe;
    const uint64_t address = uint64_t{pipe[0xE9]} << 32 | pipe[0xE8];
    const uint32_t ctrl = pipe[0xEA], space = ctrl & 7, value = ctrl >> 3 & 7;
    if ((command & 7) != 1 || (command >> 3 & 3) > 1)
        throw std::runtime_error("EVENT_CMD " + std::to_string(command));
    if ((command >> 3 & 3) == 1) {
        const uint64_t data =
            value == 3 ? machine_.always_on : uint64_t{pipe[0xEC]} << 32 | pipe[0xEB];
        const unsigned words = value == 1 ? 1 : 2;
        if (value < 1 || value > 3 || space < 1 || space > 2)
            throw std::runtime_error("EVENT_TS_CTRL " + std::to_string(ctrl));
        for (unsigned i = 0; i < words; ++i) {
            const auto word = static_cast<uint32_t>(data >> 32 * i);
            if (space == 1)
                machine_.memory[address + 4 * i] = word;
            else
                machine_.shared[(address & 0xFF) + i] = word;
        }
    }
    if ((ctrl & 0x40) != 0)
        machine_.interrupts.push_back(ctrl >> 7 & 31);
    if ((command & 1u << 13) != 0)
        --engine.state().control[place("CACHE_CLEAN_PEND_CTR")];
}

}  // namespace archipelago::afuc::test
