// SPDX-License-Identifier: Apache-2.0
// What the prefetch parser does at its pins.
#include <algorithm>
#include <initializer_list>

#include "models/cp/op_engine.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pfp_pins.h"
#include "models/cp/pm4/packet_stop.h"
#include "models/cp/registers/si/si_pin_cores.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using cp::make_header;
using cp::OpStep;
using cp::ParseFault;
using cp::StallReason;
constexpr uint8_t kNop = 0x10, kDispatch = 0x15, kBuffer = 0x32, kWriteData = 0x37,
                  kWaitRegMem = 0x3C, kSyncMe = 0x42, kMeInitialize = 0x44, kScratchRead = 0x7E;

class CpPfpParserPinsTest : public OnPins<CpPfpParserPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        cp::load_packet_table(*block_, cp::si_packet_table());
        in_.packet_cycles = 1;
        in_.accept = in_.parse = 1;
        in_.fetch_ready = 1;
        in_.meq_ready = {1, 1, 1};
        in_.roq_count.fill(1);
    }
    const CpPfpParserPins::Out& cycle() {
        ++in_.now;
        step();
        in_.upd_valid = in_.sync = {};
        return out_;
    }
    // Ring `ring` has `dwords` to read from its beginning.
    void set_up(unsigned ring, uint32_t dwords, uint32_t size = 64) {
        in_.upd_valid[ring] = in_.upd_reset[ring] = in_.upd_enabled[ring] = 1;
        in_.upd_base[ring] = 0x1000 * (ring + 1);
        in_.upd_dwords[ring] = size;
        in_.upd_read_pointer[ring] = 0;
        in_.upd_write_pointer[ring] = dwords;
    }
    void line(unsigned stream, std::initializer_list<uint32_t> dwords, uint8_t first = 0) {
        in_.roq_valid[stream] = 1;
        in_.roq_first[stream] = first;
        in_.roq_count[stream] = static_cast<uint8_t>(dwords.size());
        std::copy(dwords.begin(), dwords.end(),
                  in_.roq_dwords.begin() + stream * CpPfpParserPins::kLineDwords + first);
    }
    // A line that is taken is not offered again.
    void run(unsigned cycles) {
        for (unsigned i = 0; i < cycles; ++i) {
            cycle();
            for (unsigned s = 0; s < CpPfpParserPins::kStreams; ++s)
                if (out_.roq_ready[s] != 0)
                    in_.roq_valid[s] = 0;
            for (unsigned r = 0; r < CpPfpParserPins::kRings; ++r) {
                if (out_.meq_valid[r] != 0)
                    meq_.push_back(out_.meq_dword);
            }
            taken_ += out_.take_valid;
            if (out_.done_valid != 0)
                ends_.push_back(out_.done_place);
            if (out_.error_code != 0)
                break;
        }
    }
    ParseFault error() const { return static_cast<ParseFault>(out_.error_code); }
    std::vector<uint32_t> meq_, ends_;
    unsigned taken_ = 0;
};

TEST_P(CpPfpParserPinsTest, PacketOfTheMicroEngineIsHandedOnHeaderFirst) {
    const uint32_t header = make_header(kDispatch, 4);
    set_up(0, 5);
    line(0, {header, 1, 2, 3, 4});
    cycle();
    EXPECT_EQ(out_.take_dword, header);
    EXPECT_EQ(out_.roq_ready[0], 1);
    in_.roq_valid[0] = 0;
    run(8);
    EXPECT_EQ(meq_, (std::vector<uint32_t>{header, 1, 2, 3, 4}));
    EXPECT_EQ(ends_, std::vector<uint32_t>{5});
    EXPECT_EQ(out_.runnable[0], 0);
}

TEST_P(CpPfpParserPinsTest, DecisionTakesThePacketCycles) {
    in_.rst = 1;
    in_.packet_cycles = 3;
    step();
    in_.rst = 0;
    set_up(0, 2);
    line(0, {make_header(kSyncMe, 1), 7});
    cycle();
    in_.roq_valid[0] = 0;
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(cycle().meq_valid[0], 0);
        EXPECT_EQ(out_.stall, static_cast<uint8_t>(StallReason::Microcode));
    }
    EXPECT_EQ(cycle().meq_valid[0], 1);
    EXPECT_EQ(out_.meq_first, 1);
}

TEST_P(CpPfpParserPinsTest, FullMicroEngineQueueStallsTheRingAndLetsAnotherGo) {
    set_up(0, 2);
    set_up(1, 2);
    line(0, {make_header(kSyncMe, 1), 0});
    line(3, {make_header(kNop, 1), 0});
    in_.meq_ready[0] = 0;
    run(10);
    EXPECT_EQ(out_.stall, static_cast<uint8_t>(StallReason::QueueFull));
    EXPECT_EQ(out_.runnable, (std::array<uint8_t, 3>{1, 0, 0}));
}

TEST_P(CpPfpParserPinsTest, SyncWaitsForTheMicroEngine) {
    set_up(2, 2);
    line(6, {make_header(kSyncMe, 1), 0});
    run(12);
    EXPECT_EQ(out_.stall, static_cast<uint8_t>(StallReason::Event));
    EXPECT_TRUE(ends_.empty());
    in_.sync[2] = 1;
    EXPECT_EQ(cycle().done_valid, 1);
    EXPECT_EQ(out_.done_ring, 2);
}

TEST_P(CpPfpParserPinsTest, ProgramBeginsWithItsFixedDwordsAndTakesTheOthers) {
    set_up(0, 6);
    line(0, {make_header(kWriteData, 5), 1u << 30, 0x1000, 0, 11, 12});
    in_.exec_result[0] = static_cast<uint8_t>(OpStep::NeedDword);
    in_.exec_again[0] = static_cast<uint8_t>(OpStep::Advanced);
    for (int i = 0; i < 10 && cycle().event_begin[0] == 0; ++i)
        if (out_.roq_ready[0] != 0)
            in_.roq_valid[0] = 0;
    EXPECT_EQ(out_.exec_give, 0);  // it has taken one in this cycle
    EXPECT_EQ(cycle().exec_give, 1);
    EXPECT_EQ(out_.take_dword, 11u);
    in_.exec_again[0] = static_cast<uint8_t>(OpStep::Finished);
    EXPECT_EQ(cycle().take_dword, 12u);
    EXPECT_EQ(out_.done_valid, 1);
}

TEST_P(CpPfpParserPinsTest, BlockedProgramKeepsItsTurnAndAWaitingOneDoesNot) {
    set_up(0, 7);
    line(0, {make_header(kWaitRegMem, 6), 0x100, 0, 0, 0, 0, 0});
    in_.exec_result[0] = static_cast<uint8_t>(OpStep::Blocked);
    in_.exec_reason[0] = static_cast<uint8_t>(StallReason::MemPort);
    run(10);
    EXPECT_EQ(out_.stall, static_cast<uint8_t>(StallReason::MemPort));
    set_up(1, 2);
    line(3, {make_header(kNop, 1), 0});
    taken_ = 0;
    run(4);
    EXPECT_EQ(taken_, 0u);
    in_.exec_result[0] = static_cast<uint8_t>(OpStep::Waiting);
    run(4);
    EXPECT_EQ(taken_, 2u);
}

TEST_P(CpPfpParserPinsTest, HeldCycleChangesNothing) {
    set_up(0, 2);
    line(0, {make_header(kSyncMe, 1), 0});
    in_.hold = 1;
    ++in_.now;
    for (int i = 0; i < 3; ++i) {
        step();
        EXPECT_EQ(out_.take_dword, make_header(kSyncMe, 1));
    }
    in_.hold = 0;
    EXPECT_EQ(cycle().take_kind, 0);
    EXPECT_EQ(cycle().take_valid, 0);
}

TEST_P(CpPfpParserPinsTest, HaltedAndPausedItTakesNothing) {
    in_.halt_valid = in_.halt_level = 1;
    set_up(0, 2);
    line(0, {make_header(kNop, 1), 0});
    EXPECT_EQ(cycle().take_valid, 0);
    in_.halt_level = 0;
    in_.accept = in_.parse = 0;
    EXPECT_EQ(cycle().take_valid, 0);
    in_.accept = in_.parse = 1;
    EXPECT_EQ(cycle().take_valid, 1);
}

TEST_P(CpPfpParserPinsTest, WrongPacketsAreNamedWithTheirPlace) {
    const struct {
        std::vector<uint32_t> dwords;
        unsigned ring;
        ParseFault fault;
    } kCases[] = {
        {{0x40000000}, 0, ParseFault::HeaderType},
        {{make_header(0xFF, 1), 0}, 0, ParseFault::UnknownOpcode},
        {{make_header(kMeInitialize, 6), 0, 0, 0, 0, 0, 0}, 1, ParseFault::WrongRing},
        {{make_header(kScratchRead, 1), 0}, 0, ParseFault::NotImplemented},
        {{make_header(kDispatch, 3), 0, 0, 0}, 0, ParseFault::WrongSize},
        {{make_header(kNop, 63), 0, 0, 0}, 0, ParseFault::CutOff},  // the ring has 64 dwords
        {{make_header(kWriteData, 4), 2u << 30, 0, 0, 0}, 0, ParseFault::EngineCe},
        {{make_header(kBuffer, 3), 0, 0, 0}, 0, ParseFault::Empty},
        {{make_header(kBuffer, 3), 0, 0, 1 | 1u << 20}, 0, ParseFault::Chain},
        {{make_header(kBuffer, 3), 3, 0, 1}, 0, ParseFault::SwapCode},
    };
    for (const auto& c : kCases) {
        in_.rst = 1;
        step();
        in_.rst = 0;
        in_.roq_valid = {};
        set_up(c.ring, static_cast<uint32_t>(c.dwords.size()) + 1);
        in_.upd_write_pointer[c.ring] = (4 + static_cast<uint32_t>(c.dwords.size())) % 64;
        in_.upd_read_pointer[c.ring] = 4;
        const unsigned s = 3 * c.ring;
        in_.roq_valid[s] = 1;
        in_.roq_first[s] = 0;
        in_.roq_count[s] = static_cast<uint8_t>(c.dwords.size());
        std::copy(c.dwords.begin(), c.dwords.end(), in_.roq_dwords.begin() + s * 16);
        run(20);
        EXPECT_EQ(error(), c.fault);
        EXPECT_EQ(out_.error_ring, c.ring);
        EXPECT_EQ(out_.error_place, 4u);
        EXPECT_EQ(out_.error_header, c.dwords[0]);
        EXPECT_EQ(cycle().error_code, static_cast<uint8_t>(c.fault));
        EXPECT_EQ(out_.take_valid, 0);
    }
}

TEST_P(CpPfpParserPinsTest, RingThatMovesUnderUnreadDwordsIsAnError) {
    set_up(0, 8);
    cycle();
    set_up(0, 8);
    cycle();
    EXPECT_EQ(error(), ParseFault::RingMoved);
    EXPECT_EQ(out_.error_left, 8u);
}

INSTANTIATE_TEST_SUITE_P(On, CpPfpParserPinsTest,
                         testing::ValuesIn(core_and_rtl<CpPfpParserPins, cp::SiPfpPinCore>()),
                         kName);

}  // namespace
}  // namespace archipelago::rtl
