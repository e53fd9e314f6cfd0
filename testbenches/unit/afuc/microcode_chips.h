// SPDX-License-Identifier: Apache-2.0
// The chips that run the project's microcode, each with its processors, and a fixture for tests of
// them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "models/afuc/pm4/text.h"
#include "models/common/error.h"
#include "testbenches/unit/afuc/microcode_bench.h"

namespace archipelago::afuc::test {

using Words = std::vector<uint32_t>;

struct ChipRow {
    const char* name;
    const char* generation;
    const char* init;  // packets that a driver sends first
};
inline constexpr const char* kInit6 =
    "CP_ME_INIT ORDINALS = 0x2f, HW_CONTEXTS = 3, ERROR_DETECTION = 0x20000000\n";
inline constexpr const char* kInit7 =
    "CP_THREAD_CONTROL CONCURRENT_BIN_DISABLE = 1\n"
    "CP_ME_INIT ORDINALS = 0x14b, HW_CONTEXTS = 3, ERROR_DETECTION = 0x20000000, "
    "OPERATION_MODE = 2\n";
inline constexpr ChipRow kChips[] = {
    {"a530", "a5xx", kInit6}, {"a630", "a6xx", kInit6}, {"a650", "a6xx", kInit6},
    {"a660", "a660", kInit6}, {"a730", "a7xx", kInit7}, {"a740", "a7xx", kInit7},
    {"a750", "a750", kInit7},
};

inline Words packets(Names names, const std::string& text) {
    const front::PacketAssembly a = Pm4Language(names).assemble(text);
    for (const TextError& e : a.errors)
        ADD_FAILURE() << e.line << ":" << e.column << ": " << e.message << "\n" << text;
    Words words(a.bytes.size() / 4);
    if (!words.empty())
        std::memcpy(words.data(), a.bytes.data(), a.bytes.size());
    return words;
}

// A chip with its processors, past the driver's first packets.
class Chip {
  public:
    explicit Chip(const ChipRow& row)
        : generation(*find_generation(row.generation)),
          names(generation.names == Names::A750 ? Names::A7xx : generation.names) {
        if (generation.names == Names::A5xx)
            add_a5xx();
        else
            add_image(row.name, kImageAt, {&generation, "cp", DataOut::Registers, false});
        machine.registers[0x830] = static_cast<uint32_t>(kImageAt);
        machine.registers[0x831] = static_cast<uint32_t>(kImageAt >> 32);
        engines[0]->running = true;
        if (generation.coprocessors)
            engines[0]->lpac = engines.back().get();
        engines[0]->bv = engines.size() > 2 ? engines[1].get() : nullptr;
        send(row.init);
        run();
    }
    void add_a5xx() {
        add_image("a530_pfp", kImageAt, {&generation, "cp.pfp", DataOut::Queue, false});
        add_image("a530_me", 2 * kImageAt, {&generation, "cp.me", DataOut::Registers, true});
        engines[0]->me = engines[1].get();
        engines[1]->running = true;
    }
    void add_image(const std::string& root, uint64_t at, const EngineSpec& spec) {
        const Words image = microcode(generation, root);
        put(at, image);
        for (const Section& part :
             sections(generation, image.data(), static_cast<uint32_t>(image.size()))) {
            engines.push_back(std::make_unique<MicrocodeBench>(spec, machine));
            engines.back()->load(image, part, at);
        }
    }
    void send(const std::string& text) { send(packets(names, text)); }
    void send(const Words& words) {
        for (size_t i = 0; i < engines.size(); ++i)
            if (i == 0 || (engines.size() - i == 2))  // LPAC has a ring of its own
                engines[i]->ring.insert(engines[i]->ring.end(), words.begin(), words.end());
    }
    // Turns of a few issue cycles until nobody does anything, or for so many.
    void run(unsigned turns = 4000) {
        for (bool any = true; any && turns-- != 0;) {
            any = false;
            for (const auto& e : engines)
                any |= e->running && e->run(7);
        }
    }
    void run(const std::string& text) {
        send(text);
        run();
    }
    bool taken() const {
        for (const auto& e : engines)
            if (!e->ring.empty())
                return false;
        return true;
    }
    void put(uint64_t address, const Words& words) {
        for (size_t i = 0; i < words.size(); ++i)
            machine.memory[address + 4 * i] = words[i];
    }
    void buffer(uint64_t address, const std::string& text) { put(address, packets(names, text)); }
    Words memory(uint64_t address, size_t count) {
        Words words;
        for (size_t i = 0; i < count; ++i)
            words.push_back(machine.memory[address + 4 * i]);
        return words;
    }
    uint32_t& reg(uint32_t index) { return machine.registers[index]; }
    bool is_a5() const { return generation.encoding == Encoding::A5; }
    bool is_a7() const { return generation.encoding == Encoding::A7; }

    const Generation& generation;
    const Names names;
    SharedMachine machine;
    std::vector<std::unique_ptr<MicrocodeBench>> engines;
};

// Why the chip stops at these packets; "none": it does not.
inline std::string stop_of(Chip& chip, const std::string& text) {
    try {
        chip.run(text);
    } catch (const MachineStop& stop) {
        return stop.what();
    }
    return "none";
}

inline void PrintTo(const ChipRow& row, std::ostream* out) {
    *out << row.name;
}

class Microcode : public testing::TestWithParam<ChipRow> {
  protected:
    Chip chip{GetParam()};
};
inline const auto chip_name = [](const testing::TestParamInfo<ChipRow>& info) {
    return std::string(info.param.name);
};

}  // namespace archipelago::afuc::test
