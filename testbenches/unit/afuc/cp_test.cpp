// SPDX-License-Identifier: Apache-2.0
// What a command processor does with odd addresses, with time and without.
#include <gtest/gtest.h>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/text.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "testbenches/unit/afuc/cp_bench.h"

namespace archipelago::afuc::test {
namespace {

constexpr uint64_t kData = 0x30'0000;

// Opcode 0x10 carries out `handler`.
CpSpec program(const std::string& handler) {
    const Generation& g = *find_generation("a6xx");
    const Assembly a =
        assemble(g,
                 "[016ee001]\n[#table]\n"
                 "cwrite $00, [$00 + @PACKET_TABLE_WRITE_ADDR]\nmov $rem, 0x80\n"
                 "mov $03, #CP_NOP\n(rep)cwrite $03, [$00 + @PACKET_TABLE_WRITE]\n"
                 "waitin\nmov $01, $data\nCP_NOP:\n" +
                     handler + "waitin\nmov $01, $data\n.align 32\ntable: .jumptbl\n");
    EXPECT_TRUE(a.errors.empty()) << a.errors[0].line << ": " << a.errors[0].message;
    return cp_spec("a6xx", {a.words.begin() + 1, a.words.end()});
}

void run(CpRun& run, const std::vector<uint32_t>& words) {
    run.memory.map(kData, 4096);
    for (uint32_t i = 0; i < 1024; ++i)
        run.memory.write(kData + 4 * i, {0x1000 + i});
    std::vector<uint32_t> packet = {make_type7_header(0x10, static_cast<uint32_t>(words.size()))};
    packet.insert(packet.end(), words.begin(), words.end());
    run.submit(packet);
    run.run();
}

// After the last byte of a page or of a line there is nothing to take the rest of a dword from.
TEST(AfucCp, MemoryReadsAreOfDwordsWhateverTheLowestBits) {
    const CpSpec spec = program(
        "mov $02, $data\ncwrite $02, [$00 + @MEM_READ_ADDR]\n"
        "cwrite $00, [$00 + @MEM_READ_ADDR+0x1]\nmov $02, 0x2\n"
        "cwrite $02, [$00 + @MEM_READ_DWORDS]\nmov $addr, 0xa000\nmov $data, $memdata\n"
        "mov $data, $memdata\n");
    FunctionalRun without(spec);
    TimedRun with(spec);
    for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with)}) {
        run(*r, {kData + 4096 - 8 + 3});
        EXPECT_EQ(r->reg(0xA000), 0x13FEu);
        EXPECT_EQ(r->reg(0xA001), 0x13FFu);
        run(*r, {kData + 60 + 2});
        EXPECT_EQ(r->reg(0xA000), 0x100Fu);
        EXPECT_EQ(r->reg(0xA001), 0x1010u);
    }
}

// What an engine reads ahead it reads again after a write of its own, in the same line and in one
// of those after it.
TEST(AfucCp, MemoryReadsSeeTheWritesBeforeThem) {
    const CpSpec spec = program(
        "mov $02, $data\ncwrite $02, [$00 + @MEM_READ_ADDR]\n"
        "cwrite $00, [$00 + @MEM_READ_ADDR+0x1]\nmov $03, $data\n"
        "mov $04, $data\ncwrite $04, [$00 + @MEM_READ_DWORDS]\n"
        "mov $addr, 0xa0 << 24\nmov $data, $03\nmov $data, 0x0\n"
        "mov $addr, 0xa204 << 16\nmov $rem, $04\n(rep)mov $data, $memdata\n");
    for (const uint32_t distance : {4u, 16u, 64u, 72u}) {
        FunctionalRun without(spec);
        TimedRun with(spec), shuffled(spec, 2);
        for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with),
                         static_cast<CpRun*>(&shuffled)}) {
            run(*r, {kData, static_cast<uint32_t>(kData) + distance, 100});
            for (uint32_t i = 0; i < 100 + distance / 4; ++i)
                EXPECT_EQ(r->memory.read(kData + 4 * i), 0x1000 + i % (distance / 4))
                    << distance << " " << i;
        }
    }
}

// Both modes' memory and registers from 0xa000 on after a packet.
void expect_same(const std::string& handler, const std::vector<uint32_t>& words) {
    SCOPED_TRACE(handler);
    const CpSpec spec = program(handler);
    FunctionalRun without(spec);
    run(without, words);
    for (const uint64_t seed : {1, 2, 3}) {
        TimedRun with(spec, seed);
        run(with, words);
        ASSERT_TRUE(with.core().idle());
        for (uint32_t i = 0; i < 128; ++i)
            ASSERT_EQ(without.memory.read(kData + 4 * i), with.memory.read(kData + 4 * i)) << i;
        for (uint32_t i = 0xA000; i < 0xA080; ++i)
            ASSERT_EQ(without.reg(i), with.reg(i)) << i;
        EXPECT_EQ(without.engine().gpr, with.engine().gpr);
        EXPECT_EQ(without.engine().control, with.engine().control);
    }
}

// MEM_READ from $02 and NRT writes to $03, whose address counts up.
const std::string kReadMemory =
    "mov $02, $data\nmov $03, $data\nmov $04, $data\nmov $05, $data\n"
    "cwrite $02, [$00 + @MEM_READ_ADDR]\ncwrite $00, [$00 + @MEM_READ_ADDR+0x1]\n"
    "cwrite $04, [$00 + @MEM_READ_DWORDS]\nmov $addr, 0xa0 << 24\nmov $data, $03\n"
    "mov $data, $00\nmov $addr, 0xa204 << 16\nmov $rem, $05\n";

// The words of an issue cycle are those that memory had before it.
TEST(AfucCp, ExtraMovesReadWhatStoodThereBeforeTheIssueCycle) {
    const CpSpec spec = program(kReadMemory + "(xmov3)mov $data, $memdata\n");
    FunctionalRun without(spec);
    TimedRun with(spec);
    for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with)}) {
        run(*r, {kData, kData + 4, 4, 3});
        for (uint32_t i = 0; i < 4; ++i)
            EXPECT_EQ(r->memory.read(kData + 4 + 4 * i), 0x1000 + i);
    }
}

// Words of $regdata are those of one register when bit 18 of a5xx's $addr is set, else of the next
// ones, too.
TEST(AfucCp, ExtraMovesOfRegistersStayWhereTheAddressDoes) {
    for (const bool stays : {false, true}) {
        const CpSpec spec =
            cp_spec_a5xx("mov $data, $data\nl: jump #l\nnop\n",
                         std::string("mov $05, $data\n") +  // what the host has written is there
                             "mov $06, 0xa100\n" + (stays ? "setbit $06, $06, b18\n" : "") +
                             "mov $addr, $06\nmov $usraddr, 0xa000\nmov $rem, 0x3\n(xmov3)mov "
                             "$data, $regdata\nl: jump #l\nnop\n");
        FunctionalRun without(spec);
        TimedRun with(spec), shuffled(spec, 2);
        for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with),
                         static_cast<CpRun*>(&shuffled)}) {
            for (uint32_t i = 0; i < 4; ++i)
                r->host_write(0xA100 + i, 0x70 + i);
            r->submit({4});
            r == &without ? r->run() : static_cast<TimedRun*>(r)->run_cycles(1000);
            for (uint32_t i = 0; i < 4; ++i)
                EXPECT_EQ(r->reg(0xA000 + i), stays ? 0x70 : 0x70 + i) << stays << " " << i;
        }
    }
}

// Regardless of what an issue cycle overlaps, lines, places after the last word, and with (rep).
TEST(AfucCp, OverlappingMovesOfMemoryAreTheSameWithTimeAndWithout) {
    for (const char* move : {"(rep)mov", "(rep)(xmov1)mov", "(rep)(xmov2)mov", "(rep)(xmov3)mov"})
        for (const uint32_t from : {0u, 56u, 60u})
            for (const int distance : {-8, -4, 0, 4, 8, 12, 16, 64})
                for (const uint32_t dwords : {0u, 1u, 3u, 6u, 40u}) {
                    const uint32_t at = static_cast<uint32_t>(kData) + 64 + from;
                    expect_same(kReadMemory + move + " $data, $memdata\n",
                                {at, at + static_cast<uint32_t>(distance), dwords, 9});
                }
}

// Likewise of registers, which $addr writes from another place on.
TEST(AfucCp, OverlappingMovesOfRegistersAreTheSameWithTimeAndWithout) {
    const std::string fill =
        "mov $addr, 0xa000\nmov $rem, 0x20\n(rep)mov $data, $rem\n"
        "mov $02, $data\nmov $03, $data\nmov $04, $data\nmov $05, $data\n"
        "cwrite $02, [$00 + @REG_READ_ADDR]\ncwrite $04, [$00 + @REG_READ_DWORDS]\n"
        "mov $addr, $03\nmov $rem, $05\n";
    for (const char* move : {"(rep)mov", "(rep)(xmov1)mov", "(rep)(xmov2)mov", "(rep)(xmov3)mov"})
        for (const uint32_t to : {0xA002u, 0xA003u, 0xA004u, 0xA005u, 0xA006u, 0xA00Bu})
            for (const uint32_t dwords : {0u, 1u, 3u, 6u, 20u})
                expect_same(fill + move + " $data, $regdata\nmov $06, $regdata\n",
                            {0xA003, to, dwords, 7});
}

// REG_READ goes on where the words before have ended, when only one of its registers is written.
TEST(AfucCp, RegisterReadsGoOnWhereTheyEnded) {
    const std::string begin =
        "mov $addr, 0xa000\nmov $rem, 0x20\n(rep)mov $data, $rem\nmov $02, 0xa003\n"
        "cwrite $02, [$00 + @REG_READ_ADDR]\nmov $03, 0x2\n"
        "cwrite $03, [$00 + @REG_READ_DWORDS]\nmov $04, $regdata\nmov $05, $regdata\n";
    const std::string read = "mov $06, $regdata\nmov $07, $regdata\n";
    expect_same(begin + "cwrite $03, [$00 + @REG_READ_DWORDS]\n" + read, {});
    expect_same(begin + "cwrite $02, [$00 + @REG_READ_ADDR]\n" + read, {});
}

void expect_stop(CpRun& r, const std::vector<uint32_t>& words, const std::string& reason) {
    try {
        run(r, words);
        FAIL() << "no stop";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find(reason), std::string::npos) << stop.what();
    }
}

// `load` says so in its own words, and nothing after the line is looked at before.
TEST(AfucCp, LoadsOfOddAddressesStop) {
    const CpSpec spec =
        program("cwrite $00, [$00 + @LOAD_STORE_HI]\nmov $02, $data\nload $03, [$02 + 0x0]\n");
    FunctionalRun without(spec);
    TimedRun with(spec);
    for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with)})
        expect_stop(*r, {kData + 4096 - 2}, "address 0x300ffe is not a multiple of 4");
}

TEST(AfucCp, SixtyFourBitTimestampsThatCrossALineStop) {
    const CpSpec spec = program(
        "mov $addr, 0xe8 << 24\nmov $data, $data\nmov $data, 0x0\nmov $data, 0x2\n"
        "mov $addr, 0xe7 << 24\nmov $data, 0x5\n");
    FunctionalRun without(spec);
    TimedRun with(spec);
    for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with)})
        expect_stop(*r, {kData + 60}, "a timestamp at 0x30003c, which is not a multiple of 8");
}

// The read pointer's shadow at the end of a page and of a line.
TEST(AfucCp, ShadowsOfReadPointersAreDwords) {
    const CpSpec spec = program("(rep)mov $00, $data\n");
    const uint32_t shadow =
        CpRegisterMap(spec.generation->names).index_of(CpRegister::ReadPointerAddress);
    FunctionalRun without(spec);
    TimedRun with(spec);
    for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with)}) {
        r->memory.map(kData, 4096);
        r->host_write(shadow, kData + 4096 - 1);
        run(*r, {1, 2, 3});
        EXPECT_EQ(r->memory.read(kData + 4096 - 4), 4u);
    }
}

// In functional mode as in cycle mode.
TEST(AfucCp, MicrocodeBeginsAtAMultipleOfALine) {
    CpSpec spec = program("nop\n");
    struct Nothing final : CpBackend {
        uint8_t* page(uint64_t) override { return nullptr; }
        void interrupt(uint32_t) override {}
    } nothing;
    GpuRegisters registers(*spec.generation);
    CpFunctional cp(spec, registers, nothing, 100);
    cp.write(registers.map().index_of(CpRegister::MainBase), kImageBase + 4);
    EXPECT_THROW(cp.write(registers.map().index_of(CpRegister::Start), 1), MachineStop);
}

// A loop that writes moves all the time, and never ends; a program that takes its words does not
// stop, however many instructions they are.
TEST(AfucCp, EndlessLoopsStopWhateverTheyDo) {
    const CpSpec loops = program("l: mov $addr, 0xa000\nmov $data, 0x1\njump #l\nnop\n");
    FunctionalRun without(loops, 1000);
    TimedRun with(loops);
    with.core().set_instruction_limit(1000);
    for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with)})
        expect_stop(*r, {}, ": 1000 instructions while no engine has taken a word of the ring");

    const CpSpec ends = program("(rep)mov $03, $data\nmov $rem, 0x40\n(rep)mov $03, $rem\n");
    FunctionalRun ends_without(ends, 200);
    TimedRun ends_with(ends);
    ends_with.core().set_instruction_limit(200);
    for (CpRun* r : {static_cast<CpRun*>(&ends_without), static_cast<CpRun*>(&ends_with)}) {
        std::vector<uint32_t> words;
        for (unsigned i = 0; i < 100; ++i)
            words.insert(words.end(), {make_type7_header(0x10, 1), i});
        r->submit(words);
        r->run();
        EXPECT_GT(r->engine().instructions, 500u);
        EXPECT_EQ(r->engine().gpr[3], 1u);
    }
}

// In time they are nothing special; without, they are no hang. An engine that comes round to where
// it was is one, and so is at some point what counts and does nothing else: the host gets its turn.
TEST(AfucCp, LongComputationsComeToAnEnd) {
    const std::string store = "mov $addr, 0xa000\nmov $data, $03\n";
    const char* const loops[] = {
        "mov $02, 0x4e20\nl: add $03, $03, $02\nbrne $02, 0x0, #l\nsub $02, $02, 0x1\n",
        "cwrite $00, [$00 + @MEM_READ_DWORDS]\nmov $rem, 0xffff\n(rep)add $03, $03, 0x2\n"};
    for (const char* loop : loops) {
        const CpSpec spec = program(loop + store);
        FunctionalRun without(spec);
        TimedRun with(spec);
        run(without, {});
        run(with, {});
        EXPECT_NE(without.reg(0xA000), 0u);
        EXPECT_EQ(without.reg(0xA000), with.reg(0xA000));
    }
    constexpr uint64_t kNoLimit = uint64_t{1} << 40;
    const CpSpec same = program("l: mov $03, 0x1\njump #l\nmov $03, 0x2\n");
    FunctionalRun round(same, kNoLimit);
    run(round, {});
    EXPECT_LT(round.engine().instructions, 20'000u);
    const CpSpec counts = program("l: jump #l\nadd $03, $03, 0x1\n");
    FunctionalRun on(counts, kNoLimit);
    run(on, {});
    EXPECT_LT(on.engine().instructions, 40'000'000u);
}

// What a driver that looks after the stop finds, in CP_INTERRUPT_STATUS and RBBM_INT_0_STATUS.
TEST(AfucCp, StopsAreNotedInTheInterruptStatus) {
    const std::string hi = "cwrite $00, [$00 + @LOAD_STORE_HI]\n";
    const std::string arm =
        "mov $02, $data\n"
        "cwrite $02, [$00 + @IB1_BASE]\ncwrite $00, [$00 + @IB1_BASE+0x1]\nmov $02, 0x4\n"
        "cwrite $02, [$00 + @IB1_DWORDS]\nmov $02, 0x1\n"
        "cwrite $02, [$00 + @IB_LEVEL]\n";
    constexpr uint32_t kNowhere = 0x70'0000, kHwError = 1u << kInterruptCpError;
    constexpr uint32_t kNoHeader = 0x5000'0000;
    struct Case {
        std::string handler;
        uint32_t status, interrupts;
    };
    const Case cases[] = {
        {"[ffffffff]\n", 0x80, kHwError},
        {"ret\nnop\n", 0x2, kHwError},
        {"(rep)mov $00, $data\n", 0x1, kHwError},  // and then no header
        {hi + "mov $02, $data\nload $03, [$02 + 0x0]\nmov $04, $03\n", 0x4, kHwError},
        {hi + "mov $02, $data\nstore $03, [$02 + 0x0]\n", 0x4, kHwError},
        {arm, 0x4, kHwError},
        {"mov $usraddr, 0xb00\nmov $data, $data\n", 0x10, kHwError},
        {"l: jump #l\nnop\n", 0, 0},  // the model's own stop
    };
    for (const Case& c : cases) {
        const CpSpec spec = program(c.handler);
        FunctionalRun without(spec, 1000);
        TimedRun with(spec);
        with.core().set_instruction_limit(1000);
        const CpRegisterMap map(spec.generation->names);
        for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with)}) {
            constexpr uint32_t kEnabledAndFaults = 3, kOneFromB00 = 0xB00;
            r->host_write(map.index_of(CpRegister::Protect), kOneFromB00);
            r->host_write(map.index_of(CpRegister::ProtectControl), kEnabledAndFaults);
            EXPECT_THROW(
                {
                    run(*r, {kNowhere});
                    r->submit({kNoHeader});
                    r->run();
                },
                MachineStop)
                << c.handler;
            EXPECT_EQ(r->reg(map.index_of(CpRegister::CpInterruptStatus)), c.status) << c.handler;
            EXPECT_EQ(r->reg(map.index_of(CpRegister::InterruptStatus)), c.interrupts) << c.handler;
        }
    }
}

// Each generation has bits of its own, a7xx for each of its engines.
TEST(AfucCp, AnEngineThatStopsHasItsOwnBit) {
    struct Case {
        const char* generation;
        Role role;
        EngineFault fault;
        uint32_t status;
        const char* name;  // nullptr: none
    };
    const Case cases[] = {
        {"a5xx", Role::Pfp, EngineFault::Opcode, 1u << 0, "CP_OPCODE_ERROR"},
        {"a5xx", Role::Me, EngineFault::Microcode, 0, nullptr},
        {"a5xx", Role::Me, EngineFault::IllegalInstruction, 0, nullptr},
        {"a6xx", Role::Lpac, EngineFault::Microcode, 1u << 1, "CP_UCODE_ERROR"},
        {"a6xx", Role::Main, EngineFault::Unimplemented, 0, nullptr},
        {"a7xx", Role::Main, EngineFault::IllegalInstruction, 1u << 7, "CP_ILLEGAL_INSTR_ERROR"},
        {"a7xx", Role::Lpac, EngineFault::Opcode, 1u << 8, "CP_OPCODE_ERROR_LPAC"},
        {"a7xx", Role::Lpac, EngineFault::IllegalInstruction, 1u << 12,
         "CP_ILLEGAL_INSTR_ERROR_LPAC"},
        {"a7xx", Role::Bv, EngineFault::Opcode, 1u << 13, "CP_OPCODE_ERROR_BV"},
        {"a7xx", Role::Bv, EngineFault::Microcode, 1u << 14, "CP_UCODE_ERROR_BV"},
    };
    for (const Case& c : cases) {
        GpuRegisters registers(*find_generation(c.generation));
        const MachineStop stop(StopKind::BadInput, "cp", "stops");
        const MachineStop noted = registers.note_stop(stop, c.role, c.fault);
        const uint32_t at = registers.map().index_of(CpRegister::CpInterruptStatus);
        EXPECT_EQ(registers.stored(at), c.status) << c.generation;
        EXPECT_EQ(
            std::string(noted.what()),
            std::string("cp: stops") +
                (c.name == nullptr ? ""
                                   : ": CP_INTERRUPT_STATUS " + hex(c.status) + ", " + c.name));
    }
}

// In logs, profiles and messages of both modes.
TEST(AfucCp, InstructionsNameTheLabelsOfTheirSource) {
    CpSpec spec = program("breq $02, 0x1, #done\nnop\ndone: [ffffffff]\n");
    spec.images[0].labels = {{8, "CP_NOP"}, {10, "done"}};
    spec.images[0].places.assign(spec.processors[0].words, "own.afuc:7");
    FunctionalRun without(spec);
    TimedRun with(spec);
    for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with)}) {
        expect_stop(
            *r, {},
            "pc 10, packet CP_NOP, header 0x70108000 (own.afuc:7) in done, ring cp dword 1: "
            "0xffffffff is no instruction: CP_INTERRUPT_STATUS 0x80, CP_ILLEGAL_INSTR_ERROR");
        const Processor& p = r == &without ? without.cp().processor(0) : *with.core().engines()[0];
        EXPECT_EQ(p.instruction(8), "breq $02, 0x1, #done");
        EXPECT_EQ(p.label_at(8), "CP_NOP");
        EXPECT_EQ(p.label_at(9), "");
    }
}

// The instruction that does it, though an engine in cycle mode stands at the next one by then.
TEST(AfucCp, WhatFollowsFromAnInstructionStopsAtItsPlace) {
    struct Case {
        const char* handler;
        const char* place;
    };
    const Case cases[] = {
        {"mov $02, 0x7\ncwrite $02, [$00 + @IB_LEVEL]\n", "pc 9, cwrite, packet CP_NOP"},
        {"mov $addr, 0xe7 << 24\nmov $data, 0x2\n", "pc 9, mov, packet CP_NOP"},
    };
    for (const Case& c : cases) {
        const CpSpec spec = program(c.handler);
        FunctionalRun without(spec);
        TimedRun with(spec);
        for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with)})
            expect_stop(*r, {}, c.place);
    }
}

// The end of a buffer stands for a header, and is no word after one.
TEST(AfucCp, AHeaderAndTheEndOfItsBufferAreNotOneIssueCycle) {
    constexpr uint32_t kBuffer = 0x40'0000;
    const std::string buffer =
        "mov $02, $data\ncwrite $02, [$00 + @IB1_BASE]\ncwrite $00, [$00 + @IB1_BASE+0x1]\n"
        "cwrite $data, [$00 + @IB1_DWORDS]\nmov $02, 0x1\ncwrite $02, [$00 + @IB_LEVEL]\n";
    // So many words of $data in a delay slot, of a buffer of one word.
    for (const char* slot : {"add $01, $data, $data\n", "(xmov1)add $01, $data, $data\n"}) {
        const CpSpec spec = program(buffer + "mov $rem, 0x8\nwaitin\n" + slot);
        FunctionalRun without(spec);
        TimedRun with(spec);
        for (CpRun* r : {static_cast<CpRun*>(&without), static_cast<CpRun*>(&with)}) {
            r->memory.map(kBuffer, 4);
            r->memory.write(kBuffer, {make_type7_header(0x10, 0)});
            expect_stop(*r, {kBuffer, 1}, "the packet is cut off by the end of the buffer");
        }
    }
}

// ---- logs --------------------------------------------------------------------------------------

class Lines final : public LogSink {
  public:
    explicit Lines(LogCategory category) { mask_ = 1u << static_cast<unsigned>(category); }
    void line(LogCategory, Cycle, std::string_view, std::string_view text) override {
        lines.emplace_back(text);
    }
    std::vector<std::string> lines;
};

// What both modes log of a program that is sent these words, from the CP_NOP on.
std::vector<std::string> log_of(const CpSpec& spec, LogCategory category,
                                const std::vector<uint32_t>& words) {
    FunctionalRun without(spec);
    TimedRun with(spec);
    Lines first(category), second(category);
    without.cp().observe({nullptr, &first, 1});
    with.core().observe({nullptr, &second, 1}, "cp");
    run(without, words);
    run(with, words);
    EXPECT_EQ(first.lines, second.lines);
    return first.lines;
}

// Values that were there before as well, words whose place is a register, and the stack.
TEST(AfucCp, TheLogHasWhatAnInstructionTakesAndWrites) {
    const CpSpec spec = program(
        "mov $02, $data\nmov $usraddr, 0xa000\nmov $data, $data\n(rep)add $03, $03, 0x1\n"
        "call #sub\nmov $04, 0x10\njump #out\ncwrite $02, [$04 + 0x120]!\n"
        "sub: ret\nmov $addr, 0x5\nout: ");
    std::vector<std::string> lines = log_of(spec, LogCategory::Isa, {0, 9});
    const std::vector<std::string> expected = {
        "pc 8: mov $02, $data | $data 0x0, $02 = 0x0, $rem = 0x1",
        "pc 9: mov $usraddr, 0xa000 | $usraddr = 0xa000",
        "pc 10: mov $data, $data | $data 0x9, VFD_CONTROL_0 = 0x9, $rem = 0x0, $usraddr = 0xa001",
        "pc 11: (rep)add $03, $03, 0x1",
        "pc 12: call #l16 | %SP = 0x1, %STACK0 = 0xe",
        "pc 13: mov $04, 0x10 | $04 = 0x10",
        "pc 16: ret | %SP = 0x0",
        "pc 17: mov $addr, 0x5 | $addr = 0x5",
        "pc 14: jump #l18",
        "pc 15: cwrite $02, [$04 + 0x120]! | @0x130 = 0x0, $04 = 0x130",
        "pc 18: waitin"};
    ASSERT_GE(lines.size(), expected.size());
    lines.erase(lines.begin(), lines.end() - static_cast<ptrdiff_t>(expected.size()));
    EXPECT_EQ(lines, expected);
}

// Regardless of what the delay slot takes of it: more than the header, or nothing.
TEST(AfucCp, TheLogHasThePacketsThatHandlersBegin) {
    struct Case {
        const char *slot, *last;  // of the second packet: what stands before it, what it does
    };
    const Case cases[] = {{"(xmov1)mov $03, $data\n", "nop\n"},
                          {"nop\n", "mov $03, $data\nmov $03, $data\n"}};
    for (const Case& c : cases) {
        const CpSpec spec = program(
            std::string("brne $02, 0x0, #last\nnop\nmov $02, $data\nmov $rem, 0x2\nwaitin\n") +
            c.slot + "last: " + c.last);
        const std::vector<std::string> lines =
            log_of(spec, LogCategory::Pm4, {1, make_type7_header(0x10, 1), 7});
        ASSERT_EQ(lines.size(), 2u) << c.slot;
        EXPECT_EQ(lines[1], "ring cp dword 2: CP_NOP DATA = 0x00000007") << c.slot;
    }
}

// What `waitin` finds after a buffer's last word: here of one word, the packet's own last.
TEST(AfucCp, TheLogNamesTheEndOfABuffer) {
    const CpSpec spec = program(
        "brne $05, 0x0, #last\nnop\nmov $02, $data\ncwrite $02, [$00 + @IB1_BASE]\n"
        "cwrite $00, [$00 + @IB1_BASE+0x1]\ncwrite $data, [$00 + @IB1_DWORDS]\n"
        "mov $05, $data\nmov $02, 0x1\ncwrite $02, [$00 + @IB_LEVEL]\nlast: ");
    constexpr uint32_t kThirdWord = kRingBase + 12;
    const std::vector<std::string> lines =
        log_of(spec, LogCategory::Pm4, {kThirdWord, 1, make_type7_header(0x10, 0)});
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[1], "ring cp, IB1 0x20000c dword 0: CP_NOP");
    EXPECT_EQ(lines[2], "ring cp, IB1 0x20000c dword 1: IN_IB_END");
}

// ---- register writes through the pool ----------------------------------------------------------

// Clusters of 0x400 registers each from 0x8000 on, of which GRAS takes a chunk in so many cycles.
constexpr uint32_t kFe = 0x8000, kGras = 0x8C00, kStraight = 0xA000;

CpSpec pool_program(unsigned gras, const std::string& handler) {
    CpSpec s = program(handler);
    s.pool = cp_pool(Names::A6xx, kFe, 0x400, {1, 1, 1, gras, 1, 1});
    return s;
}

// A handler that writes its packet's words into registers of GRAS.
std::string write_gras(const std::string& then) {
    return "mov $addr, 0x8c00\n(rep)mov $data, $data\n" + then;
}
std::vector<uint32_t> numbers(uint32_t count) {
    std::vector<uint32_t> words;
    for (uint32_t i = 1; i <= count; ++i)
        words.push_back(i);
    return words;
}
void give(TimedRun& r, const std::vector<uint32_t>& words) {
    r.memory.map(kData, 4096);
    std::vector<uint32_t> packet = {make_type7_header(0x10, static_cast<uint32_t>(words.size()))};
    packet.insert(packet.end(), words.begin(), words.end());
    r.submit(packet);
}

TEST(AfucCp, AClustersRegisterIsWrittenACycleAfterAnother) {
    uint64_t cycles[2];
    for (const bool cluster : {false, true}) {
        TimedRun r(pool_program(1, std::string("mov $addr, ") + (cluster ? "0x8c00" : "0xa000") +
                                       "\nmov $data, $data\n"));
        give(r, {7});
        ASSERT_TRUE(r.run_until([&] { return r.reg(cluster ? kGras : kStraight) == 7; }));
        cycles[cluster ? 1 : 0] = r.cycles();
    }
    EXPECT_EQ(cycles[1], cycles[0] + 1);
}

TEST(AfucCp, AClusterTakesTwoRegistersInTheCyclesThatItNeedsForAChunk) {
    TimedRun r(pool_program(37, write_gras("")));
    give(r, numbers(20));
    uint64_t before = 0;
    for (uint32_t i = 3; i <= 20; i += 2) {
        ASSERT_TRUE(r.run_until([&] { return r.reg(kGras + i - 1) == i; })) << i;
        EXPECT_TRUE(before == 0 || r.cycles() == before + 37) << i << ": " << r.cycles() - before;
        before = r.cycles();
    }
}

TEST(AfucCp, ASlowClusterDoesNotHoldOthers) {
    TimedRun r(pool_program(500, write_gras("mov $addr, 0x8000\nmov $data, 0x55\n"
                                            "mov $addr, 0xa000\nmov $data, 0x66\n")));
    give(r, numbers(40));
    ASSERT_TRUE(r.run_until([&] { return r.reg(kFe) == 0x55 && r.reg(kStraight) == 0x66; }));
    EXPECT_LT(r.cycles(), 1000u);
    EXPECT_EQ(r.reg(kGras + 39), 0u);
    EXPECT_FALSE(r.core().idle());
    EXPECT_NE(r.core().waiting_for().find("cp.sqe.pool: gras "), std::string::npos);
    constexpr uint32_t kStatus = 0x210, kCpBusy = 4;
    EXPECT_NE(r.host_read(kStatus) & kCpBusy, 0u);
    r.run();
    EXPECT_GT(r.cycles(), 9000u);
    for (uint32_t i = 0; i < 40; ++i)
        EXPECT_EQ(r.reg(kGras + i), i + 1);
    EXPECT_EQ(r.host_read(kStatus) & kCpBusy, 0u);
    EXPECT_EQ(r.counter("cp.sqe.pool.gras", "writes"), 40u);
    EXPECT_EQ(r.counter("cp.sqe.pool.fe", "writes"), 1u);
    EXPECT_EQ(r.counter("cp.sqe.pool", "full"), 0u);
    EXPECT_EQ(r.counter("cp.sqe", "stall_pool"), 0u);
}

// What waits for register writes waits for those of all clusters.
TEST(AfucCp, WaitForIdleAndSetsecureWaitForAllClusters) {
    for (const bool secure : {false, true}) {
        TimedRun r(pool_program(
            100, write_gras(secure ? "mov $02, 0x1\nsetsecure $02, #done\nnop\nnop\ndone:\n"
                                   : "mov $addr, 0x80 << 24\nmov $addr, 0xa0 << 24\n"
                                     "mov $data, 0x30 << 16\nmov $data, $00\n"
                                     "mov $addr, 0xa204 << 16\nmov $data, 0x77\n")));
        r.host_write(0xF802, 4096);  // RBBM_SECVID_TSB_TRUSTED_SIZE
        give(r, numbers(20));
        ASSERT_TRUE(r.run_until(
            [&] { return secure ? r.reg(0xF400) == 1 : r.memory.read(kData) == 0x77; }));
        EXPECT_EQ(r.reg(kGras + 19), 20u) << (secure ? "setsecure" : "WAIT_FOR_IDLE");
        EXPECT_GT(r.cycles(), 900u);
    }
}

TEST(AfucCp, AFullPoolStallsTheEngineAndSaysSo) {
    CpSpec spec = pool_program(50, write_gras("mov $addr, 0x8000\nmov $data, 0x55\n"));
    TimedRun r(spec);
    give(r, numbers(400));
    ASSERT_TRUE(
        r.run_until([&] { return r.core().waiting_for().find("cp.sqe.pool: full: gras ") == 0; }));
    r.run();
    EXPECT_EQ(r.reg(kGras + 399), 400u);
    EXPECT_EQ(r.reg(kFe), 0x55u);
    EXPECT_EQ(r.counter("cp.sqe.pool", "blocks_most"), 8u);
    EXPECT_GT(r.counter("cp.sqe.pool", "full"), 2000u);
    // The last write is FE's, and finds all blocks in use, too.
    const uint64_t fe = r.counter("cp.sqe.pool.fe", "full");
    EXPECT_LT(fe, 50u * kChunksOfBlock);
    EXPECT_EQ(r.counter("cp.sqe.pool.gras", "full"), r.counter("cp.sqe.pool", "full") - fe);
    EXPECT_GT(r.counter("cp.sqe", "stall_pool"), 2000u);
    EXPECT_LT(r.counter("cp.sqe", "stall_queue"), 200u);
}

// A driver sets it to 0 while it inspects the pool.
TEST(AfucCp, NothingGoesIntoAPoolOfSizeNothing) {
    constexpr uint32_t kSize = 0x8C3, kWindow = 0x90E;
    TimedRun r(pool_program(1, write_gras("")));
    EXPECT_EQ(r.reg(kSize), 8u);
    r.host_write(kSize, 0);
    give(r, {3, 4});
    r.run_cycles(5000);
    EXPECT_FALSE(r.core().idle());
    EXPECT_EQ(r.reg(kGras), 0u);
    EXPECT_EQ(r.core().waiting_for().find("cp.sqe.pool: full: "), 0u) << r.core().waiting_for();
    r.host_write(kSize, 8);
    r.run();
    EXPECT_EQ(r.reg(kGras), 3u);
    EXPECT_EQ(r.reg(kGras + 1), 4u);
    // The first chunk's words: two valid bits, 3, 4; registers 0x8c00 and 0x8c01.
    r.host_write(kWindow, 0);
    const std::array<uint32_t, 4> words{3u | 3u << 2, 4u << 2, kGras << 2 | (kGras + 1) << 20,
                                        (kGras + 1) >> 12};
    for (const uint32_t word : words)
        EXPECT_EQ(r.host_read(kWindow + 1), word);
    EXPECT_EQ(r.reg(kWindow), 4u);
    r.host_write(kWindow, 0x1000);  // of a small pool
    EXPECT_EQ(r.host_read(kWindow + 1), 8u);
}

}  // namespace
}  // namespace archipelago::afuc::test
