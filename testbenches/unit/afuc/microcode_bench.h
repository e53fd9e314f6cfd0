// SPDX-License-Identifier: Apache-2.0
// Micro engines that run the project's microcode: a ring, levels with the hardware's word after
// the last of each, a queue that is done at once, counters of waits, events, and what several
// engines share. Memory and registers answer at once; which engine steps next is up to the test.
#pragma once

#include <algorithm>
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
#include "models/afuc/engine/nrt.h"
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
    std::vector<unsigned> interrupts;  // bits of RBBM_INT_0_STATUS
    std::vector<uint32_t> events;      // PC_EVENT_CMD
    std::vector<std::string> log;      // waits of the queue, by name
};

class MicrocodeBench final : public EnginePorts {
  public:
    MicrocodeBench(const EngineSpec& spec, SharedMachine& machine)
        : engine(spec, *this), generation_(*spec.generation), machine_(machine) {
        level_register_ = place("IB_LEVEL");
    }

    Engine engine;
    std::deque<uint32_t> ring;                      // of a5xx's ME: what PFP hands it
    MicrocodeBench* me = nullptr;                   // of PFP
    std::vector<uint32_t> unchecked;                // GPU registers written without CP_PROTECT
    MicrocodeBench *bv = nullptr, *lpac = nullptr;  // that this one boots
    bool running = false;

    // A section of an image that is in memory already; a5xx: the hardware loads the packet table.
    void load(const std::vector<uint32_t>& image, const Section& section, uint64_t image_at) {
        const uint32_t words = section.end - section.begin;
        engine.begin(words);
        engine.place(0, &image[section.begin], words);
        base_ = image_at + uint64_t{section.begin} * 4;
        if (generation_.names == Names::A5xx)
            for (uint32_t i = 0; i < kTableWords; ++i)
                engine.state().packet_table[i] = image[section.table + i];
    }
    // Until it waits, or for so many issue cycles; whether anything was done.
    bool run(uint64_t issues) {
        bool any = false;
        while (issues-- != 0 && engine.step())
            any = true;
        return any;
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
    bool fetch(uint32_t) override { return false; }
    const uint32_t* data(unsigned count, bool take) override {
        const uint32_t level = level_now();
        std::deque<uint32_t>& words = level == 0 ? ring : levels_[level].words;
        if (words.empty()) {
            if (take)
                levels_[level].end = false;
            words_[0] = kIbEndHeader;
            return words_.data();
        }
        std::copy_n(words.begin(), count, words_.begin());
        if (take)
            words.erase(words.begin(), words.begin() + count);
        return words_.data();
    }
    uint32_t memory(uint64_t address) override {
        return load(engine.spec().reads_nrt ? nrt_.next() : address);
    }
    uint32_t load(uint64_t address) override {
        const auto found = machine_.memory.find(address);
        if (found == machine_.memory.end())
            throw std::runtime_error("read of unmapped address " + std::to_string(address));
        return found->second;
    }
    void write_memory(uint64_t address, uint32_t value) override {
        machine_.memory[address] = value;
    }
    uint32_t gpu_register(uint32_t index) override { return machine_.registers[index]; }
    void write_gpu_register(uint32_t index, uint32_t value, RegisterPath path) override;
    void push(uint32_t value) override { me->ring.push_back(value); }
    uint32_t live_control(uint32_t index) override {
        if (index == place("COPROCESSOR_LOCK")) {
            if (wants_lock_ && machine_.lock_owner == nullptr)
                machine_.lock_owner = this;
            return machine_.lock_owner == this ? 1 : 0;
        }
        return is_shared(index) ? machine_.shared[index - kSharedFirst]
                                : engine.state().control[index];
    }
    void arm(unsigned level, uint64_t base, uint32_t dwords) override {
        levels_[level] = {};
        for (uint32_t i = 0; i < dwords; ++i)
            levels_[level].words.push_back(load(base + 4 * i));
        levels_[level].end = true;
    }
    void boot(bool is_bv, uint64_t base) override { start(is_bv ? bv : lpac, base); }
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
    uint32_t level_now() const {
        if (level_register_ != kNowhere)
            return engine.state().control[level_register_];
        uint32_t level = 2;  // a5xx: the deepest that is not at its end
        while (level > 0 && !levels_[level].end)
            --level;
        return level;
    }
    size_t level_words() const {
        const uint32_t level = level_now();
        if (level == 0)
            return ring.size();
        const Level& l = levels_.at(level);
        return l.words.size() + (l.end ? 1 : 0);
    }
    void start(MicrocodeBench* other, uint64_t base) {
        if (base != other->base_)
            throw std::runtime_error(other->engine.spec().path + " begins at a wrong place");
        if (generation_.encoding == Encoding::A7)
            other->engine.set_base(
                other == bv ? ControlRegister::BvBase : ControlRegister::LpacBase, base);
        other->running = true;
    }
    uint64_t event_address() const { return uint64_t{pipe_[0xE9]} << 32 | pipe_[0xE8]; }
    void event(uint32_t command);
    void event_a7(uint32_t command);

    const Generation& generation_;
    SharedMachine& machine_;
    uint64_t base_ = 0;
    uint32_t level_register_ = 0;
    std::array<Level, 5> levels_;
    std::array<uint32_t, kIssueWords> words_{};  // of the issue cycle at hand
    std::array<uint32_t, kPipeRegisters> pipe_{};
    NrtAddress nrt_;
    bool wants_lock_ = false;
};

inline void MicrocodeBench::write_gpu_register(uint32_t index, uint32_t value, RegisterPath path) {
    if (path != RegisterPath::Packet)
        unchecked.push_back(index);
    if (engine.spec().reads_nrt && index - 0x80D < 2)
        return nrt_.set(index - 0x80D, value);
    if (engine.spec().reads_nrt && index == 0x810)
        return write_memory(nrt_.next(), value);
    if (index == 0x9842)
        machine_.events.push_back(value);
    if (index == 0x1C)
        machine_.log.emplace_back("idle");
    machine_.registers[index] = value;
    if (index == 0xB81 && value == 1)
        start(lpac, uint64_t{machine_.registers[0xB83]} << 32 | machine_.registers[0xB82]);
}

inline void MicrocodeBench::wrote_control(uint32_t index, uint32_t value) {
    if (is_shared(index))
        machine_.shared[index - kSharedFirst] = value;
    if (index != place("COPROCESSOR_LOCK"))
        return;
    wants_lock_ = value != 0;
    if (value == 0 && machine_.lock_owner == this)
        machine_.lock_owner = nullptr;
}

inline void MicrocodeBench::wrote_pipe(uint32_t index, uint32_t value) {
    pipe_[index] = value;
    if (generation_.names == Names::A5xx) {
        if (index == 0x80 || index == 0xC4)
            machine_.log.emplace_back(index == 0x80 ? "idle" : "memory");
        if (index == 0xE7)
            event(value);
        return;
    }
    const Named named = name_of(generation_.names, Space::Pipe, index);
    const std::string name = named ? named.reg->name : "?";
    if (name == "NRT_ADDR")
        nrt_.set(named.offset, value);
    else if (name == "NRT_DATA")
        write_memory(nrt_.next(), value);
    else if (name == "WFI_PEND_DECR")
        engine.count(ControlRegister::WfiPendCounter, -1);
    else if (name == "WAIT_FOR_IDLE")
        machine_.log.emplace_back("idle");
    else if (name == "WAIT_MEM_WRITES")
        machine_.log.emplace_back("memory");
    else if (name == "EVENT_CMD")
        generation_.encoding == Encoding::A7 ? event_a7(value) : event(value);
}

inline void MicrocodeBench::event(uint32_t command) {
    const uint32_t ctrl = pipe_[0xEA];
    if ((command & 3) != 1)
        throw std::runtime_error("EVENT_CMD " + std::to_string(command));
    if ((command & 4) != 0) {
        const uint64_t at = event_address();
        machine_.memory[at] =
            (ctrl & 2) != 0 ? static_cast<uint32_t>(machine_.always_on) : pipe_[0xEB];
        if ((ctrl & 2) != 0)
            machine_.memory[at + 4] = static_cast<uint32_t>(machine_.always_on >> 32);
        // Of EVENT_TS_CTRL.EVENT: cache flush, WT done, RB done, CCU flush depth, colour, resolve.
        constexpr unsigned kInterrupts[] = {0, 20, 18, 17, 10, 11, 12, 0};
        if ((ctrl & 4) != 0)
            machine_.interrupts.push_back(kInterrupts[ctrl >> 8 & 7]);
    }
    if ((command & 8) != 0)
        engine.count(ControlRegister::CachePendCounter, -1);
}

inline void MicrocodeBench::event_a7(uint32_t command) {
    const uint32_t ctrl = pipe_[0xEA], space = ctrl & 7, value = ctrl >> 3 & 7;
    const uint32_t tuples = command >> 3 & 3;
    if ((command & 7) != 1 || tuples > 1 || space > 2 || value > 3)
        throw std::runtime_error("EVENT_CMD " + std::to_string(command) + ", CTRL " +
                                 std::to_string(ctrl));
    if (tuples == 1 && space != 0) {
        const uint64_t data =
            value == 3 ? machine_.always_on : uint64_t{pipe_[0xEC]} << 32 | pipe_[0xEB];
        for (unsigned i = 0; i < (value == 1 ? 1u : 2u); ++i) {
            const auto word = static_cast<uint32_t>(data >> 32 * i);
            if (space == 1)
                machine_.memory[event_address() + 4 * i] = word;
            else
                machine_.shared[(event_address() & 0xFF) + i] = word;
        }
    }
    if (tuples == 1 && (ctrl & 0x40) != 0)
        machine_.interrupts.push_back(ctrl >> 7 & 31);
    if ((command & 1u << 13) != 0)
        engine.count(ControlRegister::CachePendCounter, -1);
}

}  // namespace archipelago::afuc::test
