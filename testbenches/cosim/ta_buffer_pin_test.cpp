// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <memory>
#include <random>
#include <string>

#include "models/cu/isa/buffer_access.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/ta_buffer_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using isa::Op;
using Access = TaBufferPins::Access;
using AccessKind = isa::VectorMemOp::Kind;

constexpr uint64_t kEveryLane = ~uint64_t{0};

class TaBufferPinsTest : public OnPins<TaBufferPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        in_.in.exec = kEveryLane;
        resource(0x1000, 0, 1u << 20);
    }
    void put(Op op) {
        in_.in.format = static_cast<uint8_t>(isa::op_info(op).format);
        in_.in.op = static_cast<uint16_t>(isa::op_info(op).number);
    }
    void resource(uint64_t base, uint32_t stride, uint32_t records) {
        in_.in.resource = {static_cast<uint32_t>(base),
                           static_cast<uint32_t>(base >> 32) | stride << 16, records, kPlain};
    }
    // Sizes as the resource has them: 2, 4, 8, 16 bytes and 8, 16, 32, 64 records from 0.
    void swizzle(uint32_t element_size, uint32_t index_stride) {
        in_.in.resource[1] |= 1u << 31;
        in_.in.resource[3] |= element_size << 19 | index_stride << 21;
    }
    void add_lane() { in_.in.resource[3] |= 1u << 23; }
    void format(uint32_t dfmt, uint32_t nfmt) { in_.in.resource[3] |= nfmt << 12 | dfmt << 15; }
    // VADDR of each lane.
    void lanes_at(uint32_t first, uint32_t step) {
        for (unsigned l = 0; l < 64; ++l)
            in_.in.vaddr[l] = first + step * l;
    }
    const Access& run() {
        in_.in_valid = 1;
        in_.out_ready = 1;
        step();
        in_.in_valid = 0;
        while (step().out_valid == 0) {
        }
        return out_.out;
    }
    const Access& run(Op op) {
        put(op);
        return run();
    }
    isa::BufferRefusal refusal(Op op) {
        return static_cast<isa::BufferRefusal>(run(op).unsupported);
    }
    uint64_t at(unsigned lane, unsigned dword = 0) const {
        return out_.out.addr[64 * dword + lane];
    }

    static constexpr uint32_t kPlain = 07654;  // DST_SEL, the identity
};

TEST_P(TaBufferPinsTest, AccessComesOneCycleBehindItsInstruction) {
    put(Op::BUFFER_LOAD_DWORD);
    in_.in_valid = 1;
    in_.out_ready = 1;
    EXPECT_EQ(step().in_ready, 1);
    EXPECT_EQ(out_.out_valid, 0);
    in_.in_valid = 0;
    EXPECT_EQ(step().out_valid, 1);
    EXPECT_EQ(out_.out.addr[63], 0x1000u);
    EXPECT_EQ(step().out_valid, 0);
    EXPECT_EQ(out_.out.addr[63], 0u);
}

TEST_P(TaBufferPinsTest, TakesAnInstructionInEveryCycleAndHoldsOneThatIsNotTaken) {
    put(Op::BUFFER_LOAD_DWORD);
    in_.out_ready = 1;
    in_.in_valid = 1;
    for (uint32_t n = 0; n < 20; ++n) {
        in_.in.soffset = 4 * n;
        EXPECT_EQ(step().in_ready, 1);
        if (n > 0) {
            EXPECT_EQ(at(0), 0x1000u + 4 * (n - 1));
        }
    }
    in_.out_ready = 0;
    in_.in.soffset = 0x100;
    for (unsigned n = 0; n < 3; ++n) {
        EXPECT_EQ(step().in_ready, 0);
        EXPECT_EQ(at(0), 0x1000u + 4 * 19);
    }
}

TEST_P(TaBufferPinsTest, ResetDropsTheAccess) {
    put(Op::BUFFER_LOAD_DWORD);
    in_.in_valid = 1;
    step();
    in_.in_valid = 0;
    in_.rst = 1;
    step();
    in_.rst = 0;
    EXPECT_EQ(step().out_valid, 0);
}

TEST_P(TaBufferPinsTest, OpcodesSayWhatIsMoved) {
    struct Row {
        Op op;
        AccessKind kind;
        unsigned bytes, dwords, data_dwords, sign_extend;
    };
    const Row rows[] = {
        {Op::BUFFER_LOAD_UBYTE, AccessKind::Load, 1, 1, 0, 0},
        {Op::BUFFER_LOAD_SBYTE, AccessKind::Load, 1, 1, 0, 1},
        {Op::BUFFER_LOAD_USHORT, AccessKind::Load, 2, 1, 0, 0},
        {Op::BUFFER_LOAD_SSHORT, AccessKind::Load, 2, 1, 0, 1},
        {Op::BUFFER_LOAD_DWORD, AccessKind::Load, 4, 1, 0, 0},
        {Op::BUFFER_LOAD_DWORDX2, AccessKind::Load, 8, 2, 0, 0},
        {Op::BUFFER_LOAD_DWORDX4, AccessKind::Load, 16, 4, 0, 0},
        {Op::BUFFER_STORE_BYTE, AccessKind::Store, 1, 1, 1, 0},
        {Op::BUFFER_STORE_SHORT, AccessKind::Store, 2, 1, 1, 0},
        {Op::BUFFER_STORE_DWORD, AccessKind::Store, 4, 1, 1, 0},
        {Op::BUFFER_STORE_DWORDX2, AccessKind::Store, 8, 2, 2, 0},
        {Op::BUFFER_STORE_DWORDX4, AccessKind::Store, 16, 4, 4, 0},
        {Op::BUFFER_ATOMIC_SWAP, AccessKind::Atomic, 4, 1, 1, 0},
        {Op::BUFFER_ATOMIC_CMPSWAP, AccessKind::Atomic, 4, 1, 2, 0},
        {Op::BUFFER_ATOMIC_FMAX, AccessKind::Atomic, 4, 1, 1, 0},
        {Op::BUFFER_ATOMIC_SWAP_X2, AccessKind::Atomic, 8, 2, 2, 0},
        {Op::BUFFER_ATOMIC_FCMPSWAP_X2, AccessKind::Atomic, 8, 2, 4, 0},
        {Op::BUFFER_ATOMIC_FMAX_X2, AccessKind::Atomic, 8, 2, 2, 0},
        {Op::BUFFER_WBINVL1, AccessKind::CacheInvalidate, 0, 0, 0, 0},
        {Op::BUFFER_WBINVL1_SC, AccessKind::CacheInvalidate, 0, 0, 0, 0},
    };
    for (const Row& row : rows) {
        const Access& a = run(row.op);
        const char* name = isa::op_info(row.op).name;
        EXPECT_EQ(a.unsupported, 0) << name;
        EXPECT_EQ(a.kind, static_cast<unsigned>(row.kind)) << name;
        EXPECT_EQ(a.bytes, row.bytes) << name;
        EXPECT_EQ(a.dwords, row.dwords) << name;
        EXPECT_EQ(a.data_dwords, row.data_dwords) << name;
        EXPECT_EQ(a.sign_extend, row.sign_extend) << name;
        EXPECT_EQ(a.lanes, row.bytes == 0 ? 0 : kEveryLane) << name;
    }
}

TEST_P(TaBufferPinsTest, AtomicsReturnWithGlcAndNameTheirOperation) {
    EXPECT_EQ(run(Op::BUFFER_ATOMIC_ADD).returns, 0);
    in_.in.glc = 1;
    EXPECT_EQ(run(Op::BUFFER_ATOMIC_ADD).returns, 1);
    EXPECT_EQ(out_.out.glc, 1);
    EXPECT_EQ(out_.out.atomic, static_cast<unsigned>(AtomicOp::Add));
    EXPECT_EQ(run(Op::BUFFER_ATOMIC_FMAX).atomic, static_cast<unsigned>(AtomicOp::FMax));
    EXPECT_EQ(run(Op::BUFFER_ATOMIC_DEC_X2).atomic, static_cast<unsigned>(AtomicOp::Dec));
    EXPECT_EQ(run(Op::BUFFER_STORE_DWORD).returns, 0);
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).atomic, static_cast<unsigned>(AtomicOp::None));
}

TEST_P(TaBufferPinsTest, RawBufferEndsAtItsByteCount) {
    resource(0x1000, 0, 128);
    in_.in.offen = 1;
    in_.in.offset = 4;
    in_.in.soffset = 60;
    lanes_at(0, 4);  // 64 + 4 l
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).lanes, 0xffffu);
    EXPECT_EQ(out_.out.zero_lanes, ~uint64_t{0xffff});
    EXPECT_EQ(out_.out.contiguous, 1);
    EXPECT_EQ(at(15), 0x1000u + 64 + 4 * 15);
    EXPECT_EQ(at(16), 0u);
    EXPECT_EQ(run(Op::BUFFER_STORE_DWORD).zero_lanes, 0u);
}

TEST_P(TaBufferPinsTest, DwordsOfARawBufferAreCheckedOneByOne) {
    resource(0, 0, 72);
    in_.in.offen = 1;
    lanes_at(0, 16);
    const Access& a = run(Op::BUFFER_LOAD_DWORDX4);  // lane 4 has two of its four dwords
    EXPECT_EQ(a.lanes, 0x1fu);
    EXPECT_EQ(a.contiguous, 0);
    EXPECT_EQ(a.dword_lanes[1], 0x1fu);
    EXPECT_EQ(a.dword_lanes[2], 0x0fu);
    EXPECT_EQ(at(4, 1), 68u);
    EXPECT_EQ(at(4, 2), 0u);
}

TEST_P(TaBufferPinsTest, RangeOfARawBufferDoesNotWrap) {
    resource(0, 0, 0xffffffff);
    in_.in.offen = 1;
    in_.in.soffset = 0x80000000;
    lanes_at(0x7ffffff8, 4);
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).lanes, 3u);
    in_.in.soffset = 0xffffffff;
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).lanes, 0u);
}

TEST_P(TaBufferPinsTest, RecordsAreCheckedByIndexAndOffset) {
    resource(0x1000, 16, 10);
    in_.in.idxen = 1;
    lanes_at(0, 1);
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORDX2).lanes, 0x3ffu);
    EXPECT_EQ(at(9, 1), 0x1000u + 16 * 9 + 4);
    in_.in.offset = 12;  // the second dword is another record's
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORDX2).lanes, 0x3ffu);
    EXPECT_EQ(out_.out.dword_lanes[1], 0u);
    EXPECT_EQ(out_.out.contiguous, 0);
    in_.in.offset = 16;
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORDX2).lanes, 0u);
    in_.in.idxen = 0;  // without an index nothing is checked
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORDX2).lanes, kEveryLane);
    EXPECT_EQ(at(0), 0x1000u + 16);
}

TEST_P(TaBufferPinsTest, OffsetStandsBehindTheIndex) {
    resource(0x1000, 64, 100);
    in_.in.idxen = in_.in.offen = 1;
    lanes_at(0, 1);
    for (unsigned l = 0; l < 64; ++l)
        in_.in.vaddr_next[l] = 4 * (l % 16);
    run(Op::BUFFER_LOAD_DWORD);
    EXPECT_EQ(at(18), 0x1000u + 64 * 18 + 8);
    in_.in.idxen = 0;
    run(Op::BUFFER_LOAD_DWORD);
    EXPECT_EQ(at(18), 0x1000u + 16);  // offset 18, aligned
}

TEST_P(TaBufferPinsTest, TypedAccessesAndAtomicsAreInRangeAsAWhole) {
    resource(0, 0, 72);
    format(14, 4);  // 32_32_32_32
    in_.in.offen = 1;
    lanes_at(0, 16);
    const Access& a = run(Op::BUFFER_LOAD_FORMAT_X);
    EXPECT_EQ(a.bytes, 16);
    EXPECT_EQ(a.dwords, 1);
    EXPECT_EQ(a.lanes, 0x0fu);
    EXPECT_EQ(a.dword_lanes[3], 0x0fu);
    lanes_at(0, 8);
    in_.in.offset = 4;
    EXPECT_EQ(run(Op::BUFFER_ATOMIC_ADD_X2).lanes, 0xffu);
}

TEST_P(TaBufferPinsTest, ScratchHasTheDwordsOfALaneApart) {
    resource(0x10000, 0, 1u << 16);
    swizzle(1, 3);
    add_lane();
    in_.in.offset = 8;
    const Access& a = run(Op::BUFFER_LOAD_DWORDX2);
    EXPECT_EQ(a.lanes, kEveryLane);
    EXPECT_EQ(a.contiguous, 0);
    EXPECT_EQ(at(5), 0x10000u + 2 * 256 + 4 * 5);
    EXPECT_EQ(at(5, 1), 0x10000u + 3 * 256 + 4 * 5);
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).contiguous, 1);
}

TEST_P(TaBufferPinsTest, SwizzledRecordsLieInGroups) {
    resource(0, 32, 1000);
    swizzle(2, 1);  // pieces of 8 bytes, groups of 16 records
    in_.in.idxen = 1;
    in_.in.offset = 12;
    lanes_at(0, 1);
    run(Op::BUFFER_LOAD_DWORD);
    // group 2, second piece, member 5, four bytes into the piece
    EXPECT_EQ(at(37), 2u * 16 * 32 + 1 * 16 * 8 + 5 * 8 + 4);
}

TEST_P(TaBufferPinsTest, LaneIsAddedToTheIndex) {
    resource(0, 16, 40);
    add_lane();
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).lanes, (uint64_t{1} << 40) - 1);
    EXPECT_EQ(at(39), 16u * 39);
    in_.in.idxen = 1;
    lanes_at(8, 0);
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).lanes, (uint64_t{1} << 32) - 1);
    EXPECT_EQ(at(31), 16u * 39);
}

TEST_P(TaBufferPinsTest, Addr64IsNeverCheckedAndWrapsAt48Bits) {
    resource(0x1000, 16, 0);
    in_.in.addr64 = 1;
    in_.in.offset = 4;
    in_.in.soffset = 0x10;
    lanes_at(0xffffff00, 0);
    in_.in.vaddr_next.fill(0xffffffff);
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORDX2).lanes, kEveryLane);
    EXPECT_EQ(at(1), 0x1000u + 0x14 - 0x100);
    EXPECT_EQ(at(1, 1), 0x1000u + 0x18 - 0x100);
}

TEST_P(TaBufferPinsTest, AddressesAreAlignedToTheElementOrADword) {
    in_.in.offset = 7;
    run(Op::BUFFER_LOAD_UBYTE);
    EXPECT_EQ(at(0), 0x1007u);
    run(Op::BUFFER_LOAD_USHORT);
    EXPECT_EQ(at(0), 0x1006u);
    run(Op::BUFFER_LOAD_DWORDX2);
    EXPECT_EQ(at(0), 0x1004u);
}

TEST_P(TaBufferPinsTest, InactiveLanesTakeNoPart) {
    in_.in.exec = 0xf0;
    const Access& a = run(Op::BUFFER_LOAD_DWORD);
    EXPECT_EQ(a.lanes, 0xf0u);
    EXPECT_EQ(a.zero_lanes, 0u);
    EXPECT_EQ(at(3), 0u);
    EXPECT_EQ(at(4), 0x1000u);
}

TEST_P(TaBufferPinsTest, LoadsToLdsStayInThePartOfTheGroup) {
    in_.in.lds = 1;
    in_.in.lds_base = 0x2000;
    in_.in.lds_size = 0x100;
    in_.in.m0 = 0x40;
    const Access& a = run(Op::BUFFER_LOAD_DWORD);
    EXPECT_EQ(a.to_lds, 1);
    EXPECT_EQ(a.returns, 0);
    EXPECT_EQ(a.lds_addr, 0x2040u);
    EXPECT_EQ(a.lds_lanes, (uint64_t{1} << 48) - 1);
    resource(0x1000, 0, 0);  // those out of range bring a 0 there
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).lds_lanes, (uint64_t{1} << 48) - 1);
    in_.in.lds = 0;
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).lds_addr, 0u);
}

TEST_P(TaBufferPinsTest, StatusComesWithWhatReturns) {
    in_.in.tfe = 1;
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).tfe, 1);
    EXPECT_EQ(run(Op::BUFFER_STORE_DWORD).tfe, 0);
    EXPECT_EQ(run(Op::BUFFER_ATOMIC_ADD).tfe, 0);
}

TEST_P(TaBufferPinsTest, FormatIsOfTheInstructionOrOfTheResource) {
    format(10, 0);  // 8_8_8_8 UNORM
    in_.in.dfmt = 13;
    in_.in.nfmt = 4;
    const Access& own = run(Op::TBUFFER_LOAD_FORMAT_XYZ);
    EXPECT_EQ(own.bytes, 12);
    EXPECT_EQ(own.dfmt, 13);
    EXPECT_EQ(own.nfmt, 4);
    EXPECT_EQ(own.dst_sel, kPlain);
    in_.in.resource[3] = (in_.in.resource[3] & ~07777u) | 0454;
    const Access& shared = run(Op::BUFFER_STORE_FORMAT_XY);
    EXPECT_EQ(shared.bytes, 4);
    EXPECT_EQ(shared.dfmt, 10);
    EXPECT_EQ(shared.data_dwords, 2);
    EXPECT_EQ(shared.dst_sel, 0454);
    EXPECT_EQ(run(Op::BUFFER_LOAD_DWORD).typed, 0);
}

TEST_P(TaBufferPinsTest, MissingFormatGivesZeroesAndDropsStores) {
    const Access& load = run(Op::BUFFER_LOAD_FORMAT_XYZW);
    EXPECT_EQ(load.unsupported, 0);
    EXPECT_EQ(load.lanes, 0u);
    EXPECT_EQ(load.zero_lanes, kEveryLane);
    EXPECT_EQ(load.dwords, 4);
    const Access& store = run(Op::BUFFER_STORE_FORMAT_X);
    EXPECT_EQ(store.lanes, 0u);
    EXPECT_EQ(store.zero_lanes, 0u);
}

TEST_P(TaBufferPinsTest, RefusesWhatCannotBeExecuted) {
    using isa::BufferRefusal;
    EXPECT_EQ(refusal(Op::DS_ADD_U32), BufferRefusal::NoBufferInstruction);
    put(Op::BUFFER_LOAD_DWORD);
    in_.in.op = 15;
    EXPECT_EQ(run().unsupported, static_cast<unsigned>(BufferRefusal::NoBufferInstruction));
    in_.in.dfmt = 1;
    in_.in.nfmt = 7;
    EXPECT_EQ(refusal(Op::TBUFFER_LOAD_FORMAT_X), BufferRefusal::FloatFormat);
    in_.in.nfmt = 2;
    EXPECT_EQ(refusal(Op::TBUFFER_LOAD_FORMAT_X), BufferRefusal::None);
    EXPECT_EQ(refusal(Op::TBUFFER_STORE_FORMAT_X), BufferRefusal::LoadOnlyFormat);
    in_.in.dfmt = 15;
    EXPECT_EQ(refusal(Op::TBUFFER_LOAD_FORMAT_X), BufferRefusal::ReservedFormat);
    format(10, 4);
    in_.in.resource[3] ^= 04000;  // w becomes 3
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_FORMAT_X), BufferRefusal::ReservedSelect);
    in_.in.lds = 1;
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_DWORDX2), BufferRefusal::LdsBit);
    in_.in.lds = 0;
    in_.in.addr64 = in_.in.offen = 1;
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_DWORD), BufferRefusal::Addr64WithVgprOffset);
    in_.in.addr64 = 0;
    swizzle(0, 0);
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_DWORD), BufferRefusal::NarrowSwizzle);
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_USHORT), BufferRefusal::None);
    in_.in.resource[3] |= 1u << 30;
    EXPECT_EQ(refusal(Op::BUFFER_LOAD_USHORT), BufferRefusal::ResourceType);
    EXPECT_EQ(refusal(Op::BUFFER_WBINVL1), BufferRefusal::None);
}

INSTANTIATE_TEST_SUITE_P(On, TaBufferPinsTest,
                         testing::ValuesIn(core_and_rtl<TaBufferPins, cu::TaBufferCore>()), kName);

class TaBufferUnitTest : public OnPins<TaBufferPins> {
  protected:
    static constexpr unsigned kVgprs = 16, kVaddr = 2, kVdst = 6, kSoffset = 20, kSrsrc = 8;

    TaBufferUnitTest() { wave_.v = registers_; }

    uint32_t word() { return static_cast<uint32_t>(random_()); }
    bool one_in(unsigned n) { return word() % n == 0; }

    void scatter() {
        for (auto& reg : registers_)
            for (uint32_t& x : reg)
                x = one_in(8) ? word() : word() % 400;
        const uint32_t strides[] = {0, 4, 16, 64};
        uint32_t* r = &wave_.s[kSrsrc];
        r[0] = word() & ~255u;
        r[1] = (word() & 0xffff) | strides[word() % 4] << 16 | (one_in(3) ? 1u << 31 : 0);
        r[2] = word() % 300;
        r[3] = (word() & 0x00fff000) | 07654;
        wave_.s[kSoffset] = one_in(2) ? 0 : word() % 64;
        wave_.s[isa::kM0] = word();
        wave_.lds_base = word() % 64 * 256;
        wave_.lds_size = word() % 64 * 256;
        wave_.set_exec(uint64_t{word()} << 32 | word());
    }
    isa::Inst instruction() {
        isa::Inst inst;
        inst.format = one_in(4) ? isa::Format::Mtbuf : isa::Format::Mubuf;
        do
            inst.op = isa::op_from_number(inst.format, word() % 128);
        while (inst.op == Op::Illegal);
        inst.addr64 = one_in(5);
        inst.offen = !inst.addr64 && one_in(2);
        inst.idxen = !inst.addr64 && one_in(2);
        inst.glc = one_in(2);
        inst.slc = one_in(2);
        inst.tfe = one_in(4);
        inst.lds = one_in(8);
        inst.offset = static_cast<uint16_t>(word() % 64);
        inst.dfmt = static_cast<uint8_t>(word() % 16);
        inst.nfmt = static_cast<uint8_t>(word() % 8);
        inst.vaddr = kVaddr;
        inst.vdst = kVdst;
        inst.srsrc = kSrsrc;
        inst.soffset = kSoffset;
        return inst;
    }
    static void expect_same_lanes(const isa::VectorMemOp& a, const isa::VectorMemOp& b) {
        const unsigned dwords = (a.bytes + 3u) / 4;
        for (unsigned k = 0; k < dwords; ++k) {
            const uint64_t lanes = a.contiguous ? a.lanes : a.dword_lanes[k];
            if (!a.contiguous) {
                ASSERT_EQ(a.dword_lanes[k], b.dword_lanes[k]);
            }
            for (unsigned l = 0; l < 64; ++l)
                if ((lanes >> l & 1) != 0 && (k == 0 || !a.contiguous)) {
                    ASSERT_EQ(a.addr[k][l], b.addr[k][l]);
                }
        }
    }
    static void expect_same(const isa::VectorMemOp& a, const isa::VectorMemOp& b) {
        ASSERT_STREQ(a.unsupported, b.unsupported);
        if (a.unsupported != nullptr)
            return;
        ASSERT_EQ(a.kind, b.kind);
        ASSERT_EQ(a.atomic, b.atomic);
        ASSERT_EQ(a.bytes, b.bytes);
        ASSERT_EQ(a.dwords, b.dwords);
        ASSERT_EQ(a.sign_extend, b.sign_extend);
        ASSERT_EQ(a.returns, b.returns);
        ASSERT_EQ(a.glc, b.glc);
        ASSERT_EQ(a.slc, b.slc);
        ASSERT_EQ(a.contiguous, b.contiguous);
        ASSERT_EQ(a.to_lds, b.to_lds);
        ASSERT_EQ(a.tfe, b.tfe);
        ASSERT_EQ(a.failed, b.failed);
        ASSERT_EQ(a.vdst, b.vdst);
        ASSERT_EQ(a.typed, b.typed);
        ASSERT_EQ(a.dfmt, b.dfmt);
        ASSERT_EQ(a.nfmt, b.nfmt);
        ASSERT_EQ(a.dst_sel, b.dst_sel);
        ASSERT_EQ(a.lanes, b.lanes);
        ASSERT_EQ(a.zero_lanes, b.zero_lanes);
        if (a.to_lds) {
            ASSERT_EQ(a.lds_addr, b.lds_addr);
        }
        expect_same_lanes(a, b);
    }

    std::mt19937_64 random_{7};
    alignas(64) isa::VReg registers_[kVgprs];
    isa::WaveState wave_;
};

TEST_P(TaBufferUnitTest, AddressesAreThoseOfTheInstruction) {
    cu::PinBufferUnit unit(*block_);
    auto expected = std::make_unique<isa::VectorMemOp>();
    auto found = std::make_unique<isa::VectorMemOp>();
    for (unsigned n = 0; n < 5000 && !HasFatalFailure(); ++n) {
        scatter();
        const isa::Inst inst = instruction();
        isa::buffer_addresses(inst, wave_, *expected);
        EXPECT_TRUE(unit.address(inst, wave_, *found));
        SCOPED_TRACE(std::string(isa::op_info(inst.op).name) + ", instruction " +
                     std::to_string(n));
        expect_same(*expected, *found);
    }
}

INSTANTIATE_TEST_SUITE_P(On, TaBufferUnitTest,
                         testing::ValuesIn(core_and_rtl<TaBufferPins, cu::TaBufferCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
