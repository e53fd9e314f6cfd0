// SPDX-License-Identifier: Apache-2.0
// The registers of the global data share: what writing and reading them does, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>

#include "models/common/error.h"
#include "models/cu/isa/special.h"
#include "models/gcn/gds_atom.h"
#include "models/gds/gds_core.h"
#include "models/gds/gds_execute.h"
#include "models/gds/gds_registers.h"
#include "registers/si_gds.h"
#include "registers/si_names.h"
#include "testbenches/unit/gds/map.h"
#include "testbenches/unit/isa/machine.h"

namespace archipelago::gds {
namespace {

namespace si = regs::si;
using ::testing::HasSubstr;
using Status = si::typed::GDS_CNTL_STATUS;
using Gws = si::typed::GDS_GWS_RESOURCE;

class Registers : public ::testing::Test {
  protected:
    Registers() { contents.memory.resize(1024); }
    std::vector<GdsResponse> write(uint32_t offset, uint32_t value) {
        std::vector<GdsResponse> done;
        EXPECT_TRUE(write_register(map(), contents, offset, value, done));
        return done;
    }
    uint32_t read(uint32_t offset) {
        uint32_t value = 0xBAD;
        EXPECT_TRUE(read_register(map(), contents, offset, value));
        return value;
    }
    Status status() { return Status{read(si::GDS_CNTL_STATUS)}; }
    uint32_t word(unsigned at) const {
        uint32_t value = 0;
        std::memcpy(&value, &contents.memory[at], 4);
        return value;
    }
    void poke(unsigned at, uint32_t value) { std::memcpy(&contents.memory[at], &value, 4); }
    void atom(uint32_t op, uint32_t dst, uint32_t src0, uint32_t src1 = 0) {
        write(si::GDS_ATOM_OP, op);
        write(si::GDS_ATOM_DST, dst);
        write(si::GDS_ATOM_SRC1, src1);
        write(si::GDS_ATOM_SRC0, src0);
    }
    Contents contents;
};

TEST_F(Registers, KeepWhatIsWrittenUnlessTheyDoSomething) {
    for (const uint32_t offset : {si::GDS_CONFIG,
                                  si::GDS_ENHANCE,
                                  si::GDS_RD_ADDR,
                                  si::GDS_RD_BURST_ADDR,
                                  si::GDS_RD_BURST_COUNT,
                                  si::GDS_WR_ADDR,
                                  si::GDS_WR_BURST_ADDR,
                                  si::GDS_ATOM_CNTL,
                                  si::GDS_ATOM_BASE,
                                  si::GDS_ATOM_SIZE,
                                  si::GDS_ATOM_OFFSET0,
                                  si::GDS_ATOM_OFFSET1,
                                  si::GDS_ATOM_DST,
                                  si::GDS_ATOM_OP,
                                  si::GDS_ATOM_SRC0_U,
                                  si::GDS_ATOM_SRC1,
                                  si::GDS_ATOM_SRC1_U,
                                  si::GDS_DEBUG_CNTL,
                                  si::GDS_GWS_RESOURCE_CNTL,
                                  si::GDS_PERFCOUNTER0_SELECT,
                                  si::CGTT_GDS_CLK_CTRL}) {
        write(offset, 0x12345 + offset);
        EXPECT_EQ(read(offset), 0x12345 + offset) << std::hex << offset;
    }
    for (const uint32_t offset : {si::GDS_RD_BURST_DATA, si::GDS_ATOM_READ0, si::GDS_ATOM_READ0_U,
                                  si::GDS_ATOM_READ1, si::GDS_ATOM_READ1_U, si::GDS_SECDED_CNT,
                                  si::GDS_GRBM_SECDED_CNT, si::GDS_OA_DED, si::GDS_DEBUG_DATA}) {
        contents.registers = {};
        write(offset, 0xFFFFFFFF);
        EXPECT_EQ(read(offset), 0u) << std::hex << offset;
    }
    EXPECT_EQ(read(si::GDS_ATOM_COMPLETE), 1u);
    EXPECT_EQ(read(si::GDS_WRITE_COMPLETE), 1u);
    std::vector<GdsResponse> done;
    uint32_t value = 0;
    EXPECT_FALSE(write_register(map(), contents, 0x96FC, 1, done));
    EXPECT_FALSE(write_register(map(), contents, 0x9800, 1, done));
    EXPECT_FALSE(read_register(map(), contents, 0x9702, value));
}

TEST_F(Registers, ReadAndWriteTheMemoryOneByOneAndInBursts) {
    write(si::GDS_WR_ADDR, 8);
    write(si::GDS_WR_DATA, 0x11);
    write(si::GDS_WR_DATA, 0x22);
    EXPECT_EQ(word(8), 0x22u);
    EXPECT_EQ(word(12), 0u);
    write(si::GDS_WR_BURST_ADDR, 16);
    for (const uint32_t value : {5u, 6u, 7u})
        write(si::GDS_WR_BURST_DATA, value);
    EXPECT_EQ(word(16), 5u);
    EXPECT_EQ(word(24), 7u);
    EXPECT_EQ(read(si::GDS_WR_BURST_ADDR), 28u);
    write(si::GDS_RD_ADDR, 8);
    EXPECT_EQ(read(si::GDS_RD_DATA), 0x22u);
    EXPECT_EQ(read(si::GDS_RD_DATA), 0x22u);
    write(si::GDS_RD_BURST_ADDR, 16);
    write(si::GDS_RD_BURST_COUNT, 2);
    EXPECT_EQ(read(si::GDS_RD_BURST_DATA), 5u);
    EXPECT_EQ(read(si::GDS_RD_BURST_COUNT), 1u);
    EXPECT_EQ(read(si::GDS_RD_BURST_DATA), 6u);
    EXPECT_EQ(read(si::GDS_RD_BURST_DATA), 0u) << "the count is used up";
    EXPECT_EQ(status().raw, 0u);
}

TEST_F(Registers, ADebuggerSeesWhatTheNextReadGivesAndNothingGoesOn) {
    const auto look = [this](uint32_t offset) {
        uint32_t value = 0;
        EXPECT_TRUE(inspect_register(map(), contents, offset, value));
        return value;
    };
    write(si::GDS_WR_BURST_ADDR, 16);
    write(si::GDS_WR_BURST_DATA, 5);
    write(si::GDS_WR_BURST_DATA, 6);
    write(si::GDS_RD_BURST_ADDR, 16);
    write(si::GDS_RD_BURST_COUNT, 2);
    for (const uint32_t expected : {5u, 6u}) {
        EXPECT_EQ(look(si::GDS_RD_BURST_DATA), expected);
        EXPECT_EQ(look(si::GDS_RD_BURST_DATA), expected);
        EXPECT_EQ(read(si::GDS_RD_BURST_DATA), expected);
    }
    write(si::GDS_RD_ADDR, 0xFFFFFFFF);
    EXPECT_EQ(look(si::GDS_RD_DATA), 0u);
    EXPECT_EQ(status().raw, 0u) << "no clamp is noted";
    uint32_t value = 0;
    EXPECT_FALSE(inspect_register(map(), contents, 0x9702, value));
}

TEST_F(Registers, AccessesBeyondTheMemoryAreClampedAndNoted) {
    write(si::GDS_WR_ADDR, 1024);
    write(si::GDS_WR_DATA, 1);
    EXPECT_EQ(status().raw, Status{}.set_DS_WR_CLAMP(1).raw);
    write(si::GDS_RD_ADDR, 0xFFFFFFFF);
    EXPECT_EQ(read(si::GDS_RD_DATA), 0u);
    EXPECT_EQ(status().raw, Status{}.set_DS_WR_CLAMP(1).set_DS_RD_CLAMP(1).raw);
    write(si::GDS_CNTL_STATUS, 0);
    EXPECT_EQ(status().raw, 0u);
}

TEST_F(Registers, SourceZeroStartsTheAtomic) {
    write(si::GDS_ATOM_SIZE, 256);
    poke(40, 100);
    write(si::GDS_ATOM_BASE, 32);
    atom(32, 8, 7);  // add_rtn_u32
    EXPECT_EQ(word(40), 107u);
    EXPECT_EQ(read(si::GDS_ATOM_READ0), 100u);
    write(si::GDS_ATOM_SRC1, 9);  // others start nothing
    write(si::GDS_ATOM_OP, 32);
    EXPECT_EQ(word(40), 107u);
    // An operation that returns nothing leaves what was read.
    atom(0, 8, 1);
    EXPECT_EQ(word(40), 108u);
    EXPECT_EQ(read(si::GDS_ATOM_READ0), 100u);
}

TEST_F(Registers, CompareAndSwapComparesWithSourceZero) {
    write(si::GDS_ATOM_SIZE, 256);
    poke(0, 5);
    atom(48, 0, 4, 9);
    EXPECT_EQ(word(0), 5u);
    atom(48, 0, 5, 9);
    EXPECT_EQ(word(0), 9u);
    // 64 bits: the upper halves count.
    poke(4, 1);
    write(si::GDS_ATOM_SRC0_U, 1);
    write(si::GDS_ATOM_SRC1_U, 2);
    atom(112, 0, 9, 10);
    EXPECT_EQ(word(0), 10u);
    EXPECT_EQ(word(4), 2u);
    EXPECT_EQ(read(si::GDS_ATOM_READ0), 9u);
    EXPECT_EQ(read(si::GDS_ATOM_READ0_U), 1u);
}

TEST_F(Registers, OffsetsPlaceTheElements) {
    write(si::GDS_ATOM_SIZE, 1024);
    write(si::GDS_ATOM_OFFSET0, 12);
    atom(0, 4, 3);  // bytes for a single element
    EXPECT_EQ(word(16), 3u);
    poke(4, 0x44);
    poke(20, 0x55);
    write(si::GDS_ATOM_OFFSET0, 1);
    write(si::GDS_ATOM_OFFSET1, 5);
    atom(46, 0, 0xA, 0xB);  // wrxchg2_rtn_b32: elements of four bytes
    EXPECT_EQ(word(4), 0xAu);
    EXPECT_EQ(word(20), 0xBu);
    EXPECT_EQ(read(si::GDS_ATOM_READ0), 0x44u);
    EXPECT_EQ(read(si::GDS_ATOM_READ1), 0x55u);
    write(si::GDS_ATOM_OFFSET1, 2);
    atom(47, 0, 0xC, 0xD);  // st64
    EXPECT_EQ(word(256), 0xCu);
    EXPECT_EQ(word(512), 0xDu);
}

TEST_F(Registers, FromTheSizeOnAccessesAreClamped) {
    write(si::GDS_ATOM_BASE, 64);
    write(si::GDS_ATOM_SIZE, 16);
    poke(76, 1);
    poke(80, 2);
    atom(32, 12, 10);
    EXPECT_EQ(word(76), 11u);
    EXPECT_EQ(status().raw, 0u);
    atom(32, 16, 10);
    EXPECT_EQ(word(80), 2u);
    EXPECT_EQ(read(si::GDS_ATOM_READ0), 0u);
    EXPECT_EQ(status().raw, Status{}.set_DS_WR_CLAMP(1).raw);
    write(si::GDS_CNTL_STATUS, 0);
    atom(54, 16, 0);  // read_b32
    EXPECT_EQ(status().raw, Status{}.set_DS_RD_CLAMP(1).raw);
}

TEST_F(Registers, TheDestinationGoesOnByAutoIncrement) {
    write(si::GDS_ATOM_SIZE, 256);
    write(si::GDS_ATOM_CNTL, 8);
    write(si::GDS_ATOM_OP, 0);
    write(si::GDS_ATOM_DST, 16);
    for (const uint32_t value : {1u, 2u, 3u})
        write(si::GDS_ATOM_SRC0, value);
    EXPECT_EQ(word(16), 1u);
    EXPECT_EQ(word(24), 2u);
    EXPECT_EQ(word(32), 3u);
    EXPECT_EQ(read(si::GDS_ATOM_DST), 40u);
}

TEST_F(Registers, DenormalsCountAsZeroWhenDmodeSaysSo) {
    write(si::GDS_ATOM_SIZE, 256);
    poke(0, 0x3F800000);
    atom(50, 0, 1);  // min_rtn_f32 with the smallest denormal
    EXPECT_EQ(word(0), 1u);
    poke(0, 0x3F800000);
    write(si::GDS_ATOM_CNTL, 0x100);
    atom(50, 0, 0x80000001);
    EXPECT_EQ(word(0), 0x80000000u);
    poke(0, 0x007FFFFF);
    atom(51, 0, 0x80000000);  // max_f32: what is there counts as zero too
    EXPECT_EQ(word(0), 0u);
    EXPECT_EQ(read(si::GDS_ATOM_READ0), 0x007FFFFFu);
    atom(0, 0, 1);  // integers keep their bits
    EXPECT_EQ(word(0), 1u);
    poke(4, 0x000FFFFF);
    atom(114, 0, 0);  // min_rtn_f64
    EXPECT_EQ(word(4), 0u);
}

TEST_F(Registers, OperationsThatNeedAWaveStopByName) {
    for (const uint32_t op : {20u, 25u, 29u, 52u, 53u, 63u, 93u, 127u, 128u, 210u}) {
        write(si::GDS_ATOM_OP, op);
        std::vector<GdsResponse> done;
        try {
            write_register(map(), contents, si::GDS_ATOM_SRC0, 1, done);
            FAIL() << op;
        } catch (const MachineStop& stop) {
            EXPECT_EQ(stop.kind(), StopKind::BadInput);
            EXPECT_THAT(stop.what(), HasSubstr("GDS_ATOM_OP " + std::to_string(op)));
        }
    }
}

TEST_F(Registers, AtomsDoWhatAWaveOfOneLaneDoes) {
    std::mt19937 random(5);
    unsigned opcodes = 0;
    contents.memory.resize(65536);
    for (auto& byte : contents.memory)
        byte = static_cast<uint8_t>(random());
    for (unsigned number = 0; number < 256; ++number) {
        const isa::Op op = isa::op_from_number(isa::Format::Ds, number);
        const isa::OpInfo& info = isa::op_info(op);
        const bool counts =
            info.mem == isa::MemKind::LdsAppend || info.mem == isa::MemKind::LdsConsume;
        const bool memory = op != isa::Op::Illegal && number < 128 &&
                            (counts || (info.mem >= isa::MemKind::LdsRead &&
                                        info.mem <= isa::MemKind::LdsWriteSrc2));
        GdsOpcode opcode;
        ASSERT_EQ(gds_opcode(number, opcode), memory) << number;
        if (!memory)
            continue;
        ++opcodes;
        for (unsigned round = 0; round < 50; ++round) {
            GdsAtom a;
            a.op = number;
            a.base = random() % 0x8000 & ~7u;
            a.size = round % 4 == 0 ? random() % 600 : 0x7FFF;
            a.offset0 = random() % 256;
            a.offset1 = info.mem_pair == 0 ? 0 : random() % 256;
            a.dst = counts ? 0 : random() % 600;
            if (counts)
                a.offset0 &= ~3u;
            a.src0 = round % 3 == 0 ? 0x3F800000 : random();
            a.src0_u = random();
            a.src1 = random();
            a.src1_u = random();
            isa::test::Machine wave;
            wave.w.set_exec(1);
            wave.w.s[isa::kM0] = a.base << 16 | a.size;
            wave.w.v[1][0] = a.dst;
            const uint32_t data[] = {a.src0, a.src0_u, a.src1, a.src1_u};
            for (unsigned i = 0; i < 4; ++i) {
                wave.w.v[2 + i][0] = data[i];
                wave.w.v[8 + i][0] = 0;
            }
            isa::test::Ds d;
            d.addr = 1;
            d.data0 = 2;
            d.data1 = 4;
            d.vdst = 8;
            d.offset = a.offset0 | a.offset1 << 8;
            d.gds = true;
            const isa::Inst inst = isa::test::ds(op, d);
            GdsRequest request;
            isa::gds_request(inst, wave.w, request);
            Contents other = contents;
            std::vector<GdsResponse> done;
            execute(map(), other, request, done);
            isa::gds_complete(inst, 1, done.at(0), wave.w);

            GdsRequest from_cp;
            from_cp.command = GdsCommand::RegisterAtomic;
            from_cp.atom = a;
            from_cp.tag = 77;
            contents.registers = {};
            done.clear();
            execute(map(), contents, from_cp, done);
            ASSERT_EQ(contents.memory, other.memory) << info.name << " round " << round;
            ASSERT_EQ(done.at(0).tag, 77u);
            const bool wide = info.mem_bytes == 8;
            const bool two = info.dst_dwords > (wide ? 2 : 1);
            const uint32_t expected[] = {wave.w.v[8][0], wide ? wave.w.v[9][0] : 0,
                                         !two   ? 0
                                         : wide ? wave.w.v[10][0]
                                                : wave.w.v[9][0],
                                         two && wide ? wave.w.v[11][0] : 0};
            for (unsigned i = 0; i < 4; ++i)
                ASSERT_EQ(done[0].data[i][0], expected[i]) << info.name << " " << i;
        }
    }
    EXPECT_EQ(opcodes, 94u);
}

TEST(GdsAtom, ACompareAndSwapHasPassedWhenItsOperandIsStored) {
    GdsAtom a;
    GdsOpcode o;
    const auto passed = [&](uint32_t op, uint64_t old) {
        EXPECT_TRUE(gds_opcode(op, o));
        return gds_compare_passed(a, o, old);
    };
    a.src0 = 5;
    a.src0_u = 1;
    EXPECT_TRUE(passed(48, 5));
    EXPECT_FALSE(passed(48, 6));
    EXPECT_FALSE(passed(112, 5));
    EXPECT_TRUE(passed(112, 0x100000005));
    a.src0 = 0x80000000;  // -0 equals 0 as a float
    EXPECT_TRUE(passed(49, 0));
    EXPECT_FALSE(passed(48, 0));
    a.src0 = 0x7FC00000;
    EXPECT_FALSE(passed(49, 0x7FC00000));
}

// ---- wave synchronisation -----------------------------------------------------------------------

class Sync : public Registers {
  protected:
    std::vector<GdsResponse> ask(GdsCommand command, unsigned resource, unsigned value,
                                 uint32_t tag) {
        GdsRequest r;
        r.command = command;
        r.resource = static_cast<uint8_t>(resource);
        r.value = value;
        r.tag = tag;
        r.source = 3;
        std::vector<GdsResponse> done;
        execute(map(), contents, r, done);
        return done;
    }
    Gws resource(unsigned index) {
        write(si::GDS_GWS_RESOURCE_CNTL, index);
        return Gws{read(si::GDS_GWS_RESOURCE)};
    }
};

TEST_F(Sync, ResourcesAreSeenAndSetThroughTheirRegister) {
    EXPECT_EQ(ask(GdsCommand::SemaphoreDown, 9, 0, 1).size(), 0u);
    EXPECT_EQ(resource(9).raw, Gws{}.set_HEAD_VALID(1).set_HEAD_QUEUE(3).raw);
    EXPECT_EQ(ask(GdsCommand::SemaphoreUp, 9, 3, 2).size(), 2u);
    EXPECT_EQ(resource(9).raw, Gws{}.set_COUNTER(2).raw);
    // As initialised: two waves wait, the third opens the barrier.
    write(si::GDS_GWS_RESOURCE_CNTL, 5);
    write(si::GDS_GWS_RESOURCE, Gws{}.set_COUNTER(2).set_TYPE(1).raw);
    EXPECT_EQ(ask(GdsCommand::SynchronisePass, 5, 2, 1).size(), 0u);
    EXPECT_EQ(ask(GdsCommand::SynchronisePass, 5, 2, 2).size(), 0u);
    EXPECT_EQ(resource(5).COUNTER(), 0u);
    EXPECT_EQ(resource(5).TYPE(), 1u);
    EXPECT_EQ(resource(5).FLAG(), 0u);
    EXPECT_EQ(ask(GdsCommand::SynchronisePass, 5, 2, 3).size(), 3u);
    EXPECT_EQ(resource(5).FLAG(), 1u);
    EXPECT_EQ(resource(5).COUNTER(), 2u);
}

TEST_F(Sync, ReleaseAllLetsEveryWaveGoOn) {
    ask(GdsCommand::SyncInit, 1, 7, 0);
    ask(GdsCommand::SynchronisePass, 1, 7, 11);
    ask(GdsCommand::SynchronisePass, 1, 7, 12);
    write(si::GDS_GWS_RESOURCE_CNTL, 1);
    const auto released = write(si::GDS_GWS_RESOURCE, Gws{}.set_RELEASE_ALL(1).raw);
    ASSERT_EQ(released.size(), 2u);
    EXPECT_EQ(released[0].tag, 11u);
    EXPECT_EQ(released[1].tag, 12u);
    EXPECT_EQ(resource(1).HEAD_VALID(), 0u);
}

TEST_F(Sync, TheIndexGoesOnWhenItShall) {
    write(si::GDS_GWS_RESOURCE_CNTL, 62);
    write(si::GDS_ENHANCE, 1u << 16);
    for (const uint32_t counter : {1u, 2u, 3u})
        write(si::GDS_GWS_RESOURCE, Gws{}.set_COUNTER(counter).raw);
    EXPECT_EQ(contents.resources[62].counter, 1u);
    EXPECT_EQ(contents.resources[63].counter, 2u);
    EXPECT_EQ(contents.resources[0].counter, 3u);
    EXPECT_EQ(read(si::GDS_GWS_RESOURCE_CNTL), 1u);
    write(si::GDS_GWS_RESOURCE_CNTL, 63);
    EXPECT_EQ(Gws{read(si::GDS_GWS_RESOURCE)}.COUNTER(), 2u);
    EXPECT_EQ(Gws{read(si::GDS_GWS_RESOURCE)}.COUNTER(), 3u);
}

TEST_F(Sync, CountersSaturateAtTwelveBits) {
    EXPECT_EQ(ask(GdsCommand::SemaphoreUp, 0, 4000, 0).size(), 1u);
    ask(GdsCommand::SemaphoreUp, 0, 4000, 0);
    EXPECT_EQ(contents.resources[0].counter, 4095u);
    ask(GdsCommand::SemaphoreUp, 0, 0xFFFFFFFF, 0);
    EXPECT_EQ(contents.resources[0].counter, 4095u);
    ask(GdsCommand::SyncInit, 0, 0x12345, 0);
    EXPECT_EQ(contents.resources[0].counter, 0x345u);
    // Waves that wait take theirs first.
    ask(GdsCommand::SyncInit, 2, 0, 0);
    ask(GdsCommand::SemaphoreDown, 2, 0, 1);
    EXPECT_EQ(ask(GdsCommand::SemaphoreUp, 2, 0xFFFFFFFF, 2).size(), 2u);
    EXPECT_EQ(contents.resources[2].counter, 4095u);
}

TEST_F(Sync, OrderedWavesThatWaitAreSeenInTheStatus) {
    GdsRequest r;
    r.command = GdsCommand::OrderedCount;
    r.order = 1;
    r.release = true;
    std::vector<GdsResponse> done;
    execute(map(), contents, r, done);
    EXPECT_EQ(status().raw, Status{}.set_ORD_APP_BUSY(1).raw);
    r.order = 0;
    execute(map(), contents, r, done);
    EXPECT_EQ(done.size(), 2u);
    EXPECT_EQ(status().raw, 0u);
}

TEST_F(Sync, NumbersOfOrderedWavesAreComparedInElevenBits) {
    contents.due[0][0] = 2047;
    GdsRequest r;
    r.command = GdsCommand::OrderedCount;
    r.release = r.done = true;
    std::vector<GdsResponse> done;
    for (const uint16_t order : {uint16_t{0}, uint16_t{2047}}) {
        r.order = order;  // 0 is the one after 2047
        execute(map(), contents, r, done);
    }
    EXPECT_EQ(done.size(), 2u);
    EXPECT_EQ(contents.due[0][0] & 2047, 1);
}

// ---- banks --------------------------------------------------------------------------------------

GdsSpec spec() {
    GdsSpec s = gcn::si::gds_spec();
    s.units = 1;
    s.lanes_per_cycle = 4;
    s.banks = 8;
    s.request_cycles = 1;
    s.latency = 10;
    s.request_in = {8, 1};
    return s;
}

Occupancy of(GdsCommand command, unsigned bytes, const std::vector<uint32_t>& addresses) {
    GdsRequest r;
    r.command = command;
    r.bytes = static_cast<uint8_t>(bytes);
    for (size_t i = 0; i < addresses.size(); ++i) {
        r.lanes[0] |= uint64_t{1} << i;
        r.address[0][i] = addresses[i];
    }
    return occupancy(spec(), r);
}

TEST(Banks, LanesOfDifferentBanksGoTogether) {
    const Occupancy o = of(GdsCommand::Read, 4, {0, 4, 8, 12, 16, 20});
    EXPECT_EQ(o.cycles, 2u);
    EXPECT_EQ(o.accesses, 6u);
    EXPECT_EQ(o.bank_conflicts, 0u);
}

TEST(Banks, DifferentDwordsOfABankTakeACycleEach) {
    const Occupancy o = of(GdsCommand::Write, 4, {0, 32, 64, 4});
    EXPECT_EQ(o.cycles, 3u);
    EXPECT_EQ(o.bank_conflicts, 2u);
    EXPECT_EQ(o.address_conflicts, 0u);
    EXPECT_EQ(of(GdsCommand::Write, 4, {0, 4, 8, 12, 0, 32, 64, 4}).cycles, 4u);
}

TEST(Banks, ReadsShareADwordAndChangesDoNot) {
    EXPECT_EQ(of(GdsCommand::Read, 4, {8, 8, 8, 8}).cycles, 1u);
    EXPECT_EQ(of(GdsCommand::Read, 1, {8, 9, 10, 11}).cycles, 1u);
    const Occupancy o = of(GdsCommand::Atomic, 4, {8, 8, 8, 40});
    EXPECT_EQ(o.cycles, 4u);
    EXPECT_EQ(o.bank_conflicts, 1u);
    EXPECT_EQ(o.address_conflicts, 2u);
}

TEST(Banks, WideElementsTakeTwoBanks) {
    EXPECT_EQ(of(GdsCommand::Read, 8, {0, 8, 16, 24}).cycles, 1u);
    EXPECT_EQ(of(GdsCommand::Read, 8, {0, 32}).cycles, 2u);
}

TEST(Banks, SecondElementsFollowTheFirst) {
    GdsRequest r;
    r.command = GdsCommand::Exchange;
    r.lanes = {3, 3};
    r.address[0] = {0, 4};
    r.address[1] = {0, 4};
    EXPECT_EQ(occupancy(spec(), r).cycles, 2u);
    EXPECT_EQ(occupancy(spec(), GdsRequest{}).cycles, 1u) << "nothing to access";
}

TEST(Banks, ConflictsAreSeenInTheStatusOfBothModes) {
    GdsRequest r;
    r.command = GdsCommand::Atomic;
    r.atomic = AtomicOp::Add;
    r.lanes = {7, 0};
    r.address[0] = {0, 0, 32};
    GdsCore core(spec());
    FunctionalGds functional(spec(), core.contents());
    std::vector<GdsResponse> done;
    functional.request(r, done);
    uint32_t value = 0;
    RegRequest status;
    status.offset = si::GDS_CNTL_STATUS;
    ASSERT_TRUE(core.read_register(status, value));
    EXPECT_EQ(value, Status{}.set_DS_BANK_CONFLICT(1).set_DS_ADDR_CONFLICT(1).raw);
    status.write = true;
    core.write_register(status);
    Channel<GdsResponse> back({8, 1});
    core.to_cp().connect(back);
    Scheduler scheduler;
    scheduler.add(core);
    core.from_cp().push(0, r);
    scheduler.run(100);
    EXPECT_TRUE(back.can_pop(100));
    ASSERT_TRUE(core.read_register(status, value));
    EXPECT_EQ(value, Status{}.set_DS_BANK_CONFLICT(1).set_DS_ADDR_CONFLICT(1).raw);
    EXPECT_EQ(core.state().counters.bank_conflict_cycles, 1u);
    EXPECT_EQ(core.state().counters.address_conflict_cycles, 1u);
}

// ---- time ---------------------------------------------------------------------------------------

class Bus : public ::testing::Test, public Clocked {
  protected:
    Bus() : core(timed()), back({8, 1}), units({8, 1}) {
        back.set_consumer(this);
        core.to_registers.connect(back);
        core.to_unit[0].connect(units);
        scheduler.add(core);
        scheduler.add(*this);
    }
    static GdsSpec timed() {
        GdsSpec s = spec();
        s.request_cycles = 4;
        return s;
    }
    bool tick(Cycle now) override {
        bool moved = false;
        while (back.can_pop(now)) {
            answers.emplace_back(now, back.pop(now).value);
            moved = true;
        }
        return moved;
    }
    void put(Cycle at, uint32_t offset, bool write, uint32_t value = 0) {
        RegRequest r;
        r.offset = offset;
        r.write = write;
        r.value = value;
        core.registers.push(at, r);
    }
    GdsCore core;
    Channel<RegResponse> back;
    Channel<GdsResponse> units;
    Scheduler scheduler;
    std::vector<std::pair<Cycle, uint32_t>> answers;
};

TEST_F(Bus, RegistersThatDoNothingAreAnsweredAtOnce) {
    put(0, si::GDS_CONFIG, true, 6);
    put(0, si::GDS_CONFIG, false);
    scheduler.run(100);
    EXPECT_EQ(answers, (std::vector<std::pair<Cycle, uint32_t>>{{3 + 1, 6}}));
    EXPECT_TRUE(core.idle());
    EXPECT_FALSE(core.busy.latest());
}

TEST_F(Bus, ReadsOfTheMemoryTakeItsTimeAndTurn) {
    GdsRequest r;
    r.command = GdsCommand::Read;
    r.lanes = {1, 0};
    core.from_unit(0).push(0, r);
    put(0, si::GDS_RD_DATA, false);
    scheduler.run(100);
    // Both are seen in cycle 1; the register goes first, four cycles of work and ten on the way.
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].first, 1u + 4 + 10 + 1);
    EXPECT_EQ(core.state().counters.busy_cycles, 8u);
}

TEST_F(Bus, WhatAnAtomicFoundIsReadWhenItIsComplete) {
    put(0, si::GDS_ATOM_SRC0, true, 1);
    put(0, si::GDS_ATOM_COMPLETE, false);
    put(0, si::GDS_ATOM_READ0, false);
    put(0, si::GDS_ATOM_COMPLETE, false);
    scheduler.run(100);
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_EQ(answers[0].second, 0u);
    EXPECT_GE(answers[1].first, 1u + 4 + 10 + 1);
    put(100, si::GDS_ATOM_COMPLETE, false);
    scheduler.run(200);
    EXPECT_EQ(answers[3].second, 1u);
}

TEST_F(Bus, WritesAreCompleteAfterTheirTime) {
    put(0, si::GDS_WR_BURST_DATA, true, 1);
    put(0, si::GDS_WR_BURST_DATA, true, 2);
    put(0, si::GDS_WRITE_COMPLETE, false);
    put(0, si::GDS_CNTL_STATUS, false);
    scheduler.run(12);
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(answers[0].second, 0u);
    EXPECT_EQ(answers[1].second & 1, 1u) << "GDS_BUSY";
    put(50, si::GDS_WRITE_COMPLETE, false);
    scheduler.run(100);
    EXPECT_EQ(answers[2].second, 1u);
    uint32_t word = 0;
    std::memcpy(&word, core.contents().memory.data() + 4, 4);
    EXPECT_EQ(word, 2u);
}

TEST_F(Bus, AnUnknownRegisterIsAnsweredAsSuch) {
    put(0, 0x9800, false);
    scheduler.run(100);
    EXPECT_EQ(answers.size(), 1u);
}

TEST_F(Bus, AReleaseThroughTheRegisterReachesTheWave) {
    GdsRequest r;
    r.command = GdsCommand::SemaphoreDown;
    r.tag = 42;
    core.from_unit(0).push(0, r);
    scheduler.run(50);
    EXPECT_FALSE(core.idle());
    EXPECT_TRUE(core.busy.latest());
    put(50, si::GDS_GWS_RESOURCE, true, Gws{}.set_RELEASE_ALL(1).raw);
    scheduler.run(100);
    ASSERT_TRUE(units.can_pop(100));
    EXPECT_EQ(units.pop(100).tag, 42u);
    EXPECT_TRUE(core.idle());
}

// ---- together -----------------------------------------------------------------------------------

// Sends as fast as it may, or at random, and keeps the answers.
struct Asker : Clocked {
    explicit Asker(uint64_t seed) : in({4, 1}), random(seed) { in.set_consumer(this); }
    bool tick(Cycle now) override {
        bool moved = false;
        while (in.can_pop(now)) {
            answers.push_back(in.pop(now));
            moved = true;
        }
        if (next < requests.size() && out->can_push(now)) {
            moved = true;
            if (random() % 4 != 0)
                out->push(now, requests[next++]);
        }
        return moved;
    }
    Channel<GdsResponse> in;
    Channel<GdsRequest>* out = nullptr;
    std::mt19937_64 random;
    std::vector<GdsRequest> requests;
    size_t next = 0;
    std::vector<GdsResponse> answers;
};

GdsRequest random_request(std::mt19937_64& random, uint32_t region, bool cp) {
    GdsRequest r;
    if (cp && random() % 2 == 0) {
        r.command = GdsCommand::RegisterAtomic;
        GdsOpcode opcode;
        do {
            r.atom.op = static_cast<uint32_t>(random() % 128);
        } while (!gds_opcode(r.atom.op, opcode));
        r.atom.base = region;
        r.atom.size = 0x1000;
        r.atom.dst = static_cast<uint32_t>(random() % 0x1800);
        r.atom.offset0 = static_cast<uint32_t>(random() % 16);
        r.atom.offset1 = static_cast<uint32_t>(random() % 4);
        r.atom.src0 = static_cast<uint32_t>(random());
        r.atom.src1 = static_cast<uint32_t>(random());
        return r;
    }
    const GdsCommand commands[] = {GdsCommand::Read,     GdsCommand::Write,     GdsCommand::Atomic,
                                   GdsCommand::MaskOr,   GdsCommand::Append,    GdsCommand::Consume,
                                   GdsCommand::Exchange, GdsCommand::FromMemory};
    r.command = commands[random() % 8];
    r.bytes = random() % 4 == 0 ? 8 : 4;
    r.elements = r.command == GdsCommand::Exchange ? 2 : 1;
    r.atomic = random() % 2 == 0 ? AtomicOp::Add : AtomicOp::Xor;
    r.value = static_cast<uint32_t>(random() % 65);
    const bool counts = r.command == GdsCommand::Append || r.command == GdsCommand::Consume;
    if (counts)
        r.bytes = 4;
    for (unsigned e = 0; e < 2; ++e) {
        r.lanes[e] = counts ? 1 : random() & random();
        for (unsigned lane = 0; lane < 64; ++lane)
            r.address[e][lane] = region + static_cast<uint32_t>(random() % 256 * r.bytes);
    }
    for (auto& words : r.data)
        for (uint32_t& word : words)
            word = static_cast<uint32_t>(random());
    return r;
}

// Each unit and CP work in a part of their own, and all of them add to one counter.
TEST(Together, EveryUnitFindsWhatItsOwnRequestsLeft) {
    constexpr unsigned kUnits = 4;
    GdsSpec s = spec();
    s.units = kUnits - 1;
    s.request_in = {4, 3};
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        GdsCore core(s);
        Scheduler scheduler;
        scheduler.shuffle(seed);
        scheduler.add(core);
        std::vector<std::unique_ptr<Asker>> askers;
        Contents reference;
        reference.memory.resize(s.bytes);
        std::vector<std::vector<GdsResponse>> expected(kUnits);
        uint32_t total = 0;
        for (unsigned unit = 0; unit < kUnits; ++unit) {
            askers.push_back(std::make_unique<Asker>(seed * 10 + unit));
            Asker& asker = *askers.back();
            asker.out = &core.from_unit(unit);
            core.to_unit[unit].connect(asker.in);
            core.from_unit(unit).set_producer(&asker);
            core.from_unit(unit).random_stall(seed + unit, 20);
            scheduler.add(asker);
            std::mt19937_64 random(seed * 100 + unit);
            for (unsigned i = 0; i < 300; ++i) {
                GdsRequest r = random_request(random, unit * 0x2000, unit == kUnits - 1);
                r.tag = i;
                asker.requests.push_back(r);
                execute(map(), reference, r, expected[unit]);
                GdsRequest add;
                add.command = GdsCommand::Atomic;
                add.atomic = AtomicOp::Add;
                add.tag = 1000 + i;
                add.lanes = {random() & 0xFF, 0};
                add.address[0].fill(0xFFFC);
                add.data[0].fill(i);
                asker.requests.push_back(add);
                total += i * static_cast<uint32_t>(__builtin_popcountll(add.lanes[0]));
            }
            asker.wake_at(0);
        }
        scheduler.run(10'000'000);
        ASSERT_TRUE(core.idle()) << core.waiting_for();
        uint32_t counter = 0;
        std::memcpy(&counter, core.contents().memory.data() + 0xFFFC, 4);
        EXPECT_EQ(counter, total);
        std::memcpy(reference.memory.data() + 0xFFFC, &total, 4);
        EXPECT_EQ(core.contents().memory, reference.memory);
        for (unsigned unit = 0; unit < kUnits; ++unit) {
            size_t next = 0;
            for (const GdsResponse& answer : askers[unit]->answers) {
                if (answer.tag >= 1000)
                    continue;
                ASSERT_LT(next, expected[unit].size());
                ASSERT_EQ(answer.tag, expected[unit][next].tag);
                // READ1 and the upper halves stay when an operation returns less.
                ASSERT_EQ(answer.data[0], expected[unit][next].data[0]);
                ++next;
            }
            EXPECT_EQ(next, 300u);
        }
    }
}

}  // namespace
}  // namespace archipelago::gds
