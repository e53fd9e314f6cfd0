// SPDX-License-Identifier: Apache-2.0
// What a command processor does with odd addresses, with time and without.
#include <gtest/gtest.h>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/text.h"
#include "models/common/error.h"
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

// Behind the last byte of a page or of a line there is nothing to take the rest of a dword from.
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

void expect_stop(CpRun& r, const std::vector<uint32_t>& words, const std::string& reason) {
    try {
        run(r, words);
        FAIL() << "no stop";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find(reason), std::string::npos) << stop.what();
    }
}

// `load` says so in its own words, and nothing behind the line is looked at before.
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

// Without time as in time.
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

}  // namespace
}  // namespace archipelago::afuc::test
