// SPDX-License-Identifier: Apache-2.0
// The project's microcode, packet by packet, on the chips that have the packet: what memory and
// registers hold afterwards, and what stops.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "models/afuc/pm4/text.h"
#include "models/common/error.h"
#include "testbenches/unit/afuc/microcode_bench.h"

namespace archipelago::afuc {
namespace {

using test::kImageAt;
using test::microcode;
using test::MicrocodeBench;
using test::SharedMachine;
using Words = std::vector<uint32_t>;

struct ChipRow {
    const char* name;
    const char* generation;
    const char* init;  // packets that a driver sends first
};
constexpr const char* kInit6 =
    "CP_ME_INIT ORDINALS = 0x2f, HW_CONTEXTS = 3, ERROR_DETECTION = 0x20000000\n";
constexpr const char* kInit7 =
    "CP_THREAD_CONTROL CONCURRENT_BIN_DISABLE = 1\n"
    "CP_ME_INIT ORDINALS = 0x14b, HW_CONTEXTS = 3, ERROR_DETECTION = 0x20000000, "
    "OPERATION_MODE = 2\n";
constexpr ChipRow kChips[] = {
    {"a630", "a6xx", kInit6},
};

Words packets(Names names, const std::string& text) {
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
        const Words image = microcode(generation, row.name);
        const std::vector<Section> parts =
            sections(generation, image.data(), static_cast<uint32_t>(image.size()));
        for (const Section& part : parts) {
            engines.push_back(std::make_unique<MicrocodeBench>(
                generation, machine, "cp." + std::to_string(engines.size())));
            engines.back()->boot(image, part.begin, part.end - part.begin,
                                 kImageAt + uint64_t{part.begin} * 4);
        }
        machine.registers[0x830] = static_cast<uint32_t>(kImageAt);
        machine.registers[0x831] = static_cast<uint32_t>(kImageAt >> 32);
        engines[0]->running = true;
        engines[0]->lpac = engines.size() > 1 ? engines.back().get() : nullptr;
        engines[0]->bv = engines.size() > 2 ? engines[1].get() : nullptr;
        send(row.init);
        run();
    }
    void send(const std::string& text) { send(packets(names, text)); }
    void send(const Words& words) {
        for (size_t i = 0; i < engines.size(); ++i)
            if (i == 0 || engines.size() - i == 2)  // LPAC has a ring of its own
                engines[i]->ring.insert(engines[i]->ring.end(), words.begin(), words.end());
    }
    // Turns of a few beats until nobody has anything to do, or for so many.
    void run(unsigned turns = 4000) {
        while (turns-- != 0)
            for (const auto& e : engines)
                if (e->running)
                    e->run(7);
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
    bool is_a7() const { return generation.encoding == Encoding::A7; }

    const Generation& generation;
    const Names names;
    SharedMachine machine;
    std::vector<std::unique_ptr<MicrocodeBench>> engines;
};

class Microcode : public testing::TestWithParam<ChipRow> {
  protected:
    Chip chip{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Chips, Microcode, testing::ValuesIn(kChips),
                         [](const auto& info) { return info.param.name; });

constexpr uint32_t kScratch = 0x883;  // CP_SCRATCH[0]

TEST_P(Microcode, StartsAndTakesTheDriversPackets) {
    EXPECT_TRUE(chip.taken());
    chip.run("CP_NOP DATA = [1, 2, 3]\nCP_NOP\nCP_MEM_WRITE ADDR = 0x100001000, DATA = [7]\n");
    EXPECT_EQ(chip.memory(0x100001000, 1), (Words{7}));
}

TEST_P(Microcode, WritesRegistersOfAStreamUnderTheirProtection) {
    chip.run("PKT4 0x8801 = 1, 0x8802 = 2, 0x8803 = 3\nPKT4 0x3ffff = 9\n");
    EXPECT_EQ(chip.reg(0x8801), 1u);
    EXPECT_EQ(chip.reg(0x8803), 3u);
    EXPECT_EQ(chip.reg(0x3FFFF), 9u);
    for (const uint32_t index : chip.engines[0]->unchecked)
        EXPECT_NE(index & 0xFFFFFFF0, 0x8800u);
}

TEST_P(Microcode, WritesMemory) {
    chip.put(0x2ffffffff8, {0, 0, 0, 0, 0});
    chip.run("CP_MEM_WRITE ADDR = 0x2ffffffffb, DATA = [1, 2, 3, 4]\n");
    EXPECT_EQ(chip.memory(0x2ffffffff8, 5), (Words{1, 2, 3, 4, 0}));
}

TEST_P(Microcode, RunsBuffersWithinEachOtherAndChains) {
    chip.put(0x4000, {0, 0, 0, 0, 0, 0});
    chip.buffer(0x200000000,
                "CP_MEM_WRITE ADDR = 0x4000, DATA = [1]\n"
                "CP_INDIRECT_BUFFER IB_BASE = 0x300000000, IB_SIZE = 8\n"
                "CP_MEM_WRITE ADDR = 0x4004, DATA = [2]\n");
    chip.buffer(0x300000000,
                "CP_MEM_WRITE ADDR = 0x4008, DATA = [3]\n"
                "CP_INDIRECT_BUFFER_CHAIN IB_BASE = 0x400000000, IB_SIZE = 4\n");
    chip.buffer(0x400000000, "CP_MEM_WRITE ADDR = 0x400c, DATA = [4]\n");
    chip.run(
        "CP_INDIRECT_BUFFER IB_BASE = 0x200000000, IB_SIZE = 12\n"
        "CP_INDIRECT_BUFFER IB_BASE = 0x5, IB_SIZE = 0\n"
        "CP_INDIRECT_BUFFER_PFD IB_BASE = 0x400000000, IB_SIZE = 4\n"
        "CP_MEM_WRITE ADDR = 0x4010, DATA = [5]\n");
    EXPECT_EQ(chip.memory(0x4000, 5), (Words{1, 2, 3, 4, 5}));
    EXPECT_TRUE(chip.taken());
}

}  // namespace
}  // namespace archipelago::afuc
