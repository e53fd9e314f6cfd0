// SPDX-License-Identifier: Apache-2.0
// What a driver's dump of an engine that hangs or has failed shows, with time and without.
#include "models/afuc/cp/debug_registers.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/text.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "testbenches/unit/afuc/cp_bench.h"

namespace archipelago::afuc::test {
namespace {

constexpr uint32_t kBuffer = 0x40'0000;
constexpr uint32_t kNoHeader = 0x5000'0000;
constexpr uint32_t kGoOn = 0xA100;  // a register that a handler may poll

// Every packet carries out `handler`.
CpSpec spec_of(const char* generation, const std::string& handler) {
    const Assembly a =
        assemble(*find_generation(generation),
                 "[016ee001]\n[#table]\n"
                 "cwrite $00, [$00 + @PACKET_TABLE_WRITE_ADDR]\nmov $rem, 0x80\n"
                 "mov $03, #CP_NOP\n(rep)cwrite $03, [$00 + @PACKET_TABLE_WRITE]\n"
                 "waitin\nmov $01, $data\nCP_NOP:\n" +
                     handler + "waitin\nmov $01, $data\n.align 32\ntable: .jumptbl\n");
    EXPECT_TRUE(a.errors.empty()) << a.errors[0].line << ": " << a.errors[0].message;
    return cp_spec(generation, {a.words.begin() + 1, a.words.end()});
}

// One of both modes, and how its registers are read and written: as a host does, or in functional
// mode.
struct Subject {
    std::string name;
    CpRun* run;
    std::function<uint32_t(uint32_t index)> read;
    std::function<void(uint32_t index, uint32_t value)> write;
    bool looks = false;  // `read` is a debugger's, with which no window goes on
};

class Dump {
  public:
    Dump(const CpSpec& spec, const Subject& subject) : spec_(spec), subject_(subject) {}
    uint32_t index(const char* name) const {
        const uint32_t index = index_by_name(spec_.generation->names, name);
        EXPECT_NE(index, CpRegisterMap::kNowhere) << name;
        return index;
    }
    uint32_t reg(const char* name) const { return subject_.read(index(name)); }
    // Of a window, from an address on.
    std::vector<uint32_t> window(const std::string& name, uint32_t address, uint32_t count) const {
        const uint32_t at = index((name + "_ADDR").c_str());
        std::vector<uint32_t> words;
        for (uint32_t i = 0; i < count; ++i) {
            if (i == 0 || subject_.looks)
                subject_.write(at, address + i);
            words.push_back(reg((name + "_DATA").c_str()));
        }
        return words;
    }

  private:
    const CpSpec& spec_;
    const Subject& subject_;
};

// Both modes with a host that reads; in cycle mode in several orders of ticks.
void while_it_runs(const CpSpec& spec, const std::function<void(const Subject&)>& check) {
    FunctionalRun without(spec);
    check({"without time", &without, [&](uint32_t i) { return without.reg(i); },
           [&](uint32_t i, uint32_t value) { without.host_write(i, value); }});
    for (const uint64_t seed : {1, 2, 4}) {
        TimedRun with(spec, seed);
        check({"in time", &with, [&](uint32_t i) { return with.host_read(i); },
               [&](uint32_t i, uint32_t value) { with.host_write(i, value); }});
    }
}

// Both modes once a packet has stopped the machine.
void after_a_stop(const CpSpec& spec, const std::function<void(CpRun&)>& fail,
                  const std::function<void(const Subject&)>& check) {
    FunctionalRun without(spec);
    TimedRun with(spec);
    EXPECT_THROW(fail(without), MachineStop);
    EXPECT_THROW(fail(with), MachineStop);
    check({"without time", &without, [&](uint32_t i) { return without.reg(i); },
           [&](uint32_t i, uint32_t value) { without.host_write(i, value); }});
    check({"in time", &with, [&](uint32_t i) { return with.core().inspect(i).value(); },
           [&](uint32_t i, uint32_t v) { with.core().gpu_registers().write(i, v); }, true});
}

const std::string kPolls =
    "mov $02, $data\nmov $05, 0x1234\nmov $06, 0xa100\ncwrite $06, [$00 + @REG_READ_ADDR]\n"
    "cwrite $00, [$00 + @REG_READ_DWORDS]\ncwrite $05, [$00 + @SCRATCH_REG0]\n"
    "l: mov $03, $regdata\nbreq $03, 0x0, #l\nnop\n"
    "mov $addr, 0xa000\nmov $data, $02\n";

// ------------------------------------------------------------------------------------------------

TEST(AfucDebugRegisters, NamesAreThoseOfTheRegisterFile) {
    for (const DebugRegister& reg : debug_registers()) {
        unsigned generations = 0;
        for (const Generation& g : kGenerations) {
            if (!reg.is_of(g.names) || index_by_name(g.names, reg.name) == CpRegisterMap::kNowhere)
                continue;
            ++generations;
            const char* const name = reg.address != nullptr ? reg.address : reg.name;
            EXPECT_NE(index_by_name(g.names, name), CpRegisterMap::kNowhere) << name;
        }
        EXPECT_NE(generations, 0u) << reg.name;
    }
}

// Those that Linux's driver programs for the same sizes.
TEST(AfucDebugRegisters, PartsOfTheRoqAreWhereDriversLookForThem) {
    struct Case {
        const char* generation;
        std::vector<unsigned> lines;
        uint32_t thresholds_1, thresholds_2;
    };
    const Case cases[] = {
        {"a6xx", {11, 16, 16, 16}, 0x8040362C, 0x010000C0},
        {"a6xx", {11, 16, 48, 48}, 0x8040362C, 0x02000140},
        {"a7xx", {11, 16, 48, 16, 48}, 0x8040362C, 0x24000140},  // and 256 dwords of IB3
        {"a5xx", {5, 8, 8}, 0x40201A14, 0x60000060},
    };
    for (const Case& c : cases) {
        CpSpec spec;
        spec.generation = find_generation(c.generation);
        spec.roq_lines = c.lines;
        spec.read_lines = 1;
        const RoqLayout layout(spec);
        const auto thresholds = layout.thresholds(spec.generation->names);
        EXPECT_EQ(thresholds[0], c.thresholds_1) << c.generation;
        EXPECT_EQ(thresholds[1], c.thresholds_2) << c.generation;
        const GpuRegisters registers(*spec.generation, 0, layout);
        EXPECT_EQ(registers.stored(index_by_name(spec.generation->names, "CP_ROQ_THRESHOLDS_1")),
                  c.thresholds_1);
    }
}

// A host takes it while the packet's handler polls; then the handler goes on.
TEST(AfucDebugRegisters, AHangingEngineShowsWhereItIsAndWhatItWaitsFor) {
    const CpSpec spec = spec_of("a6xx", kPolls);
    constexpr uint32_t kPartOfRing = 32;
    const uint32_t header = make_type7_header(0x10, 1);
    while_it_runs(spec, [&](const Subject& s) {
        SCOPED_TRACE(s.name);
        const Dump dump(spec, s);
        std::vector<uint32_t> words;
        for (uint32_t i = 0; i < 40; ++i)
            words.insert(words.end(), {header, 0x700 + i});
        s.run->submit(words);
        s.name == "in time" ? static_cast<TimedRun*>(s.run)->run_cycles(2000) : s.run->run();

        const std::vector<uint32_t> status = dump.window("CP_SQE_STAT", 0, 32);
        EXPECT_GE(status[0], 14u);  // the loop
        EXPECT_LE(status[0], 16u);
        EXPECT_EQ(status[1], header);
        EXPECT_EQ(status[2], 0x700u);
        EXPECT_EQ(status[5], 0x1234u);
        EXPECT_EQ(dump.window("CP_SQE_STAT", 5, 2), (std::vector<uint32_t>{0x1234, 0xA100}));
        EXPECT_EQ(dump.reg("CP_ROQ_AVAIL_RB"), kPartOfRing << 16);
        EXPECT_EQ(dump.reg("CP_ROQ_RB_STAT"), 2u | 2u << 16);  // full
        const std::vector<uint32_t> roq = dump.window("CP_ROQ_DBG", 0, kPartOfRing);
        for (uint32_t i = 0; i < kPartOfRing; ++i)
            EXPECT_EQ(roq[(2 + i) % kPartOfRing], words[2 + i]) << i;

        s.run->host_write(kGoOn, 1);
        s.run->run();
        EXPECT_EQ(s.run->reg(0xA000), 0x700u + 39);
        EXPECT_EQ(dump.reg("CP_ROQ_AVAIL_RB"), 0u);
        EXPECT_EQ(dump.window("CP_ROQ_DBG", 0, kPartOfRing), std::vector<uint32_t>(kPartOfRing, 0));
    });
}

// What has not been fetched and what is queued make up what is left of a buffer.
TEST(AfucDebugRegisters, AFailingPacketsHeaderAndTheRestOfItsBufferAreThere) {
    const CpSpec spec =
        spec_of("a6xx",
                "mov $02, $data\ncwrite $02, [$00 + @IB1_BASE]\n"
                "cwrite $00, [$00 + @IB1_BASE+0x1]\ncwrite $data, [$00 + @IB1_DWORDS]\n"
                "mov $07, 0x1\ncwrite $07, [$00 + @IB_LEVEL]\n");
    constexpr uint32_t kDwords = 80, kPart = 64;
    std::vector<uint32_t> buffer(kDwords);
    for (uint32_t i = 0; i < kDwords; ++i)
        buffer[i] = 0x900 + i;
    buffer[0] = kNoHeader;
    const auto fail = [&](CpRun& run) {
        run.memory.map(kBuffer, 4096);
        run.memory.write(kBuffer, buffer);
        run.submit({make_type7_header(0x10, 2), kBuffer, kDwords});
        run.run();
    };
    after_a_stop(spec, fail, [&](const Subject& s) {
        SCOPED_TRACE(s.name);
        const Dump dump(spec, s);
        const std::vector<uint32_t> status = dump.window("CP_SQE_STAT", 0, 51);
        EXPECT_EQ(status[0], 15u);  // the delay slot of waitin
        EXPECT_EQ(status[1], kNoHeader);
        EXPECT_EQ(status[2], kBuffer);
        EXPECT_EQ(status[7], 1u);
        EXPECT_EQ(dump.reg("CP_IB1_BASE"), kBuffer);
        EXPECT_EQ(dump.reg("CP_IB1_DWORDS"), kDwords);
        const uint32_t queued = dump.reg("CP_ROQ_AVAIL_IB1") >> 16;
        EXPECT_EQ(dump.reg("CP_IB1_REM_SIZE") + queued, kDwords);  // the header is the next word
        ASSERT_GT(queued, 1u);
        EXPECT_EQ(dump.reg("CP_ROQ_IB1_STAT"), queued % kPart << 16);
        const uint32_t first = (dump.reg("CP_ROQ_THRESHOLDS_1") >> 16 & 0xFF) * 4;
        const std::vector<uint32_t> roq = dump.window("CP_ROQ_DBG", first, kPart);
        for (uint32_t i = 0; i < queued; ++i)
            EXPECT_EQ(roq[i], buffer[i]) << i;
        EXPECT_EQ(dump.reg("CP_ROQ_AVAIL_IB2"), 0u);
    });
}

// All of a part is there once the fetch has had its time.
TEST(AfucDebugRegisters, ABufferThatWaitsIsInTheRoqAsFarAsItHasRoom) {
    const CpSpec spec = spec_of("a6xx",
                                "mov $02, $data\ncwrite $02, [$00 + @IB1_BASE]\n"
                                "cwrite $00, [$00 + @IB1_BASE+0x1]\n"
                                "cwrite $data, [$00 + @IB1_DWORDS]\n"
                                "mov $06, 0xa100\ncwrite $06, [$00 + @REG_READ_ADDR]\n"
                                "l: mov $03, $regdata\nbreq $03, 0x0, #l\nnop\n");
    constexpr uint32_t kDwords = 100, kPart = 64;
    std::vector<uint32_t> buffer(kDwords);
    for (uint32_t i = 0; i < kDwords; ++i)
        buffer[i] = 0x900 + i;
    while_it_runs(spec, [&](const Subject& s) {
        SCOPED_TRACE(s.name);
        const Dump dump(spec, s);
        s.run->memory.map(kBuffer, 4096);
        s.run->memory.write(kBuffer, buffer);
        s.run->submit({make_type7_header(0x10, 2), kBuffer, kDwords});
        s.name == "in time" ? static_cast<TimedRun*>(s.run)->run_cycles(2000) : s.run->run();
        EXPECT_EQ(dump.reg("CP_ROQ_AVAIL_IB1"), kPart << 16);
        EXPECT_EQ(dump.reg("CP_IB1_REM_SIZE"), kDwords - kPart);
        const uint32_t first = (dump.reg("CP_ROQ_THRESHOLDS_1") >> 16 & 0xFF) * 4;
        EXPECT_EQ(dump.window("CP_ROQ_DBG", first, kPart),
                  (std::vector<uint32_t>{buffer.begin(), buffer.begin() + kPart}));
    });
}

// Of a buffer that another has replaced nothing is shown, though its words are still to come.
TEST(AfucDebugRegisters, AReplacedBufferIsNotInTheRoq) {
    const CpSpec spec = spec_of("a6xx",
                                "mov $02, $data\nmov $03, $data\nmov $04, 0x20\n"
                                "cwrite $02, [$00 + @IB1_BASE]\n"
                                "cwrite $00, [$00 + @IB1_BASE+0x1]\n"
                                "cwrite $04, [$00 + @IB1_DWORDS]\n"
                                "mov $06, 0xa100\ncwrite $06, [$00 + @REG_READ_ADDR]\n"
                                "mov $05, $regdata\ncwrite $03, [$00 + @IB1_BASE]\n"
                                "cwrite $04, [$00 + @IB1_DWORDS]\n"
                                "l: mov $03, $regdata\nbreq $03, 0x0, #l\nnop\n");
    const Names names = spec.generation->names;
    const auto index = [&](const char* name) { return index_by_name(names, name); };
    const uint32_t first = RoqLayout(spec).part(Stream::Ib1).first;
    for (const uint64_t seed : {1, 2, 3}) {
        TimedRun with(spec, seed);
        with.memory.map(kBuffer, 4096);
        for (uint32_t i = 0; i < 64; ++i)
            with.memory.write(kBuffer + 4 * i, {(i < 32 ? 0x100 : 0x200) + i % 32});
        with.submit({make_type7_header(0x10, 2), kBuffer, kBuffer + 4 * 32});
        uint32_t queued = 0;
        for (unsigned cycle = 0; cycle < 2000; ++cycle) {
            with.run_cycles(1);
            if (with.core().inspect(index("CP_IB1_BASE")) != kBuffer + 4 * 32)
                continue;
            queued = with.core().inspect(index("CP_ROQ_AVAIL_IB1")).value() >> 16;
            for (uint32_t i = 0; i < queued; ++i) {
                with.core().gpu_registers().write(index("CP_ROQ_DBG_ADDR"), first + i);
                ASSERT_EQ(with.core().inspect(index("CP_ROQ_DBG_DATA")), 0x200 + i) << cycle;
            }
        }
        EXPECT_EQ(queued, 32u);
    }
}

// Of what MEM_READ names, words that $memdata has not taken.
TEST(AfucDebugRegisters, TheMrbShowsWhatIsReadAhead) {
    const CpSpec spec = spec_of("a6xx",
                                "mov $02, $data\ncwrite $02, [$00 + @MEM_READ_ADDR]\n"
                                "cwrite $00, [$00 + @MEM_READ_ADDR+0x1]\nmov $02, 0x18\n"
                                "cwrite $02, [$00 + @MEM_READ_DWORDS]\nmov $04, $memdata\n"
                                "mov $06, 0xa100\ncwrite $06, [$00 + @REG_READ_ADDR]\n"
                                "l: mov $03, $regdata\nbreq $03, 0x0, #l\nnop\n");
    while_it_runs(spec, [&](const Subject& s) {
        SCOPED_TRACE(s.name);
        const Dump dump(spec, s);
        s.run->memory.map(kBuffer, 4096);
        for (uint32_t i = 0; i < 64; ++i)
            s.run->memory.write(kBuffer + 4 * i, {0x500 + i});
        s.run->submit({make_type7_header(0x10, 1), kBuffer + 8});
        s.name == "in time" ? static_cast<TimedRun*>(s.run)->run_cycles(2000) : s.run->run();
        EXPECT_EQ(dump.reg("CP_MRB_BASE"), kBuffer + 12);
        EXPECT_EQ(dump.reg("CP_ROQ_AVAIL_MRB"), 23u << 16);
        EXPECT_EQ(dump.reg("CP_MRB_REM_SIZE"), 0u);
        const uint32_t first = (dump.reg("CP_ROQ_THRESHOLDS_1") & 0xFF) * 4;
        const uint32_t at = dump.reg("CP_ROQ_MRB_STAT") & 0x3FF;
        const std::vector<uint32_t> roq = dump.window("CP_ROQ_DBG", first, 48);
        for (uint32_t i = 0; i < 23; ++i)
            EXPECT_EQ(roq[(at + i) % 48], 0x503 + i) << i;
    });
}

TEST(AfucDebugRegisters, MicrocodeTableAndScratchAreInTheirSections) {
    for (const char* generation : {"a6xx", "a7xx"}) {
        SCOPED_TRACE(generation);
        const bool a7xx = std::string(generation) == "a7xx";
        const CpSpec spec = spec_of(
            generation, "mov $02, $data\ncwrite $02, [$00 + 0x170]\ncwrite $02, [$00 + 0xf0]\n");
        while_it_runs(spec, [&](const Subject& s) {
            SCOPED_TRACE(s.name);
            const Dump dump(spec, s);
            s.run->submit({make_type7_header(0x10, 1), 0x321});
            s.run->run();
            const std::vector<uint32_t>& image = spec.images[0].words;
            const auto count = static_cast<uint32_t>(image.size());
            // Without time instructions come when they are executed.
            const std::vector<uint32_t> shown = dump.window("CP_SQE_UCODE_DBG", 0, count + 1);
            for (uint32_t i = 0; i < 13; ++i)
                EXPECT_EQ(shown[i], image[i]) << i;
            EXPECT_EQ(shown[count], 0u);
            EXPECT_EQ(dump.window("CP_SQE_UCODE_DBG", 0x4010, 1)[0], 8u);
            EXPECT_EQ(dump.window("CP_SQE_UCODE_DBG", 0x5070, 1)[0], 0x321u);
            EXPECT_EQ(dump.window("CP_SQE_UCODE_DBG", 0x70F0, 1)[0], a7xx ? 0x321u : 0u);
            EXPECT_EQ((dump.window("CP_SQE_UCODE_DBG", 0x70D3, 1)[0] >> 20) * 4,
                      a7xx ? RoqLayout(spec).dwords() : 0);
        });
    }
}

TEST(AfucDebugRegisters, DrawStatesAreEightWordsEach) {
    const CpSpec spec =
        spec_of("a6xx", "mov $rem, 0x3\n(sds2)cwrite $data, [$00 + @DRAW_STATE_SET_HDR]\n");
    while_it_runs(spec, [&](const Subject& s) {
        SCOPED_TRACE(s.name);
        const Dump dump(spec, s);
        s.run->submit({make_type7_header(0x10, 3), 0x03700020, 0x1111, 0x2222});
        s.run->run();
        EXPECT_EQ(dump.window("CP_DRAW_STATE", 24, 8),
                  (std::vector<uint32_t>{0x70020, 0x1111, 0x2222, 0, 0, 0, 0, 0}));
        EXPECT_EQ(dump.window("CP_DRAW_STATE", 0, 1)[0], 0u);
    });
}

// The address goes on with each read, whoever reads.
TEST(AfucDebugRegisters, AnEngineReadsItsOwnWindows) {
    const CpSpec spec = spec_of("a6xx",
                                "mov $02, $data\nmov $05, 0x77\n"
                                "mov $addr, 0x908\nmov $data, 0x1\n"
                                "mov $06, 0x909\ncwrite $06, [$00 + @REG_READ_ADDR]\n"
                                "cwrite $00, [$00 + @REG_READ_DWORDS]\nmov $addr, 0xa000\n"
                                "mov $data, $regdata\nmov $data, $regdata\nmov $00, $regdata\n"
                                "mov $00, $regdata\nmov $data, $regdata\n");
    const uint32_t header = make_type7_header(0x10, 1);
    while_it_runs(spec, [&](const Subject& s) {
        SCOPED_TRACE(s.name);
        s.run->submit({header, 0x4321});
        s.run->run();
        EXPECT_EQ(s.run->reg(0xA000), header);
        EXPECT_EQ(s.run->reg(0xA001), 0x4321u);
        EXPECT_EQ(s.run->reg(0xA002), 0x77u);
        EXPECT_EQ(s.run->reg(0x908), 6u);
    });
}

// PFP passes words on until the ME, which polls, and the queue take no more.
TEST(AfucDebugRegisters, BothEnginesOfA5xxAndTheQueueBetweenThem) {
    CpSpec spec = cp_spec_a5xx("mov $02, 0x55\nl: mov $data, $data\njump #l\nnop\n",
                               "mov $03, $data\nmov $04, 0x66\nm: mov $addr, 0xa100\n"
                               "mov $05, $regdata\nbreq $05, 0x0, #m\nnop\nmov $06, $data\n"
                               "n: jump #n\nnop\n");
    spec.meq = {16, 2};
    while_it_runs(spec, [&](const Subject& s) {
        SCOPED_TRACE(s.name);
        const Dump dump(spec, s);
        std::vector<uint32_t> words;
        for (uint32_t i = 0; i < 20; ++i)
            words.push_back(0x600 + i);
        s.run->submit(words);
        s.name == "in time" ? static_cast<TimedRun*>(s.run)->run_cycles(3000) : s.run->run();
        EXPECT_EQ(dump.window("CP_PFP_STAT", 2, 1)[0], 0x55u);
        const std::vector<uint32_t> me = dump.window("CP_ME_STAT", 0, 29);
        EXPECT_EQ(me[3], 0x600u);
        EXPECT_EQ(me[4], 0x66u);
        EXPECT_EQ(dump.window("CP_PFP_UCODE_DBG", 2, 1)[0], spec.images[0].words[2]);
        EXPECT_EQ(dump.window("CP_ME_UCODE_DBG", 2, 1)[0], spec.images[1].words[2]);
        const std::vector<uint32_t> meq = dump.window("CP_MEQ_DBG", 0, 64);
        for (uint32_t i = 0; i < 19; ++i)
            EXPECT_EQ(meq[i], 0x601 + i) << i;
        EXPECT_EQ(meq[19], 0u);
        EXPECT_EQ(dump.reg("CP_IB1_BUFSZ"), 0u);
    });
}

// Windows of which no public source has the contents are not read as zeros.
TEST(AfucDebugRegisters, WhatIsNotPublicStopsByName) {
    struct Case {
        const char *generation, *name;
    };
    const Case cases[] = {{"a5xx", "CP_MERCIU_DBG_DATA_1"},
                          {"a5xx", "CP_DRAW_STATE_DATA"},
                          {"a7xx", "CP_RESOURCE_TBL_DBG_DATA"},
                          {"a7xx", "CP_LPAC_FIFO_DBG_DATA"}};
    for (const Case& c : cases) {
        const CpSpec spec = c.generation == std::string("a5xx")
                                ? cp_spec_a5xx("l: jump #l\nnop\n", "l: jump #l\nnop\n")
                                : spec_of(c.generation, "nop\n");
        while_it_runs(spec, [&](const Subject& s) {
            const Dump dump(spec, s);
            try {
                dump.reg(c.name);
                ADD_FAILURE() << s.name << " " << c.name;
            } catch (const MachineStop& stop) {
                EXPECT_EQ(stop.kind(), StopKind::Unimplemented);
                EXPECT_EQ(std::string(stop.what()),
                          std::string("cp.registers: the host: a read of ") + c.name +
                              ": what it shows is not public");
            }
        });
    }
    // Nor by microcode, which is named.
    const CpSpec spec = spec_of("a7xx",
                                "mov $06, 0xa9b\ncwrite $06, [$00 + @REG_READ_ADDR]\n"
                                "cwrite $00, [$00 + @REG_READ_DWORDS]\nmov $03, $regdata\n");
    const auto fail = [](CpRun& run) {
        run.submit({make_type7_header(0x10, 0)});
        try {
            run.run();
        } catch (const MachineStop& stop) {
            EXPECT_NE(std::string(stop.what()).find("pc 11, mov, packet CP_NOP"), std::string::npos)
                << stop.what();
            throw;
        }
    };
    // Looked at in functional mode it is 0.
    after_a_stop(spec, fail, [](const Subject& s) { EXPECT_EQ(s.read(0xA9A), 0u) << s.name; });
}

// CP_PROTECT_STATUS: the register, and that it was a write; on a7xx BV has its own.
TEST(AfucDebugRegisters, AViolationTellsItsRegister) {
    struct Case {
        const char* generation;
        Role role;
        const char* status;
        uint32_t value;
    };
    const Case cases[] = {{"a5xx", Role::Me, "CP_PROTECT_STATUS", 0xB00 << 2 | 1u << 24},
                          {"a6xx", Role::Main, "CP_PROTECT_STATUS", 0xB00},
                          {"a7xx", Role::Main, "CP_PROTECT_STATUS", 0xB00},
                          {"a7xx", Role::Bv, "CP_BV_PROTECT_STATUS", 0xB00}};
    for (const Case& c : cases) {
        GpuRegisters registers(*find_generation(c.generation));
        const CpRegisterMap& map = registers.map();
        const bool a5xx = c.role == Role::Me;
        registers.write(map.index_of(CpRegister::Protect), a5xx ? 0xB00 | 1u << 29 : 0xB00);
        registers.write(map.index_of(CpRegister::ProtectControl), 1);
        EXPECT_FALSE(registers.may_write(0xB00, c.role));
        const Names names = find_generation(c.generation)->names;
        EXPECT_EQ(registers.stored(index_by_name(names, c.status)), c.value) << c.generation;
        EXPECT_EQ(registers.stored(index_by_name(names, "CP_PROTECT_STATUS")),
                  c.role == Role::Bv ? 0 : c.value);
    }
}

}  // namespace
}  // namespace archipelago::afuc::test
