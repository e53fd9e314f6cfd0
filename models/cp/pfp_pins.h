// SPDX-License-Identifier: Apache-2.0
// The prefetch parser pin by pin: PfpCore with its channels and programs driven from pins, and the
// adapter by which a PfpCore of a chip uses a block behind such pins. The Verilog twin is
// rtl-bridge/rtl/cp_pfp_parser.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/cp/pfp_core.h"
#include "pins/cp_pfp_parser_pins.h"

namespace archipelago::cp {

// What the parser knows of an opcode, as table_entry of the pins; null: no such packet.
uint64_t parser_entry(const PacketInfo* info);
// Writes all of a packet table through the pins of a block that is reset.
void load_packet_table(rtl::PinBlock<rtl::CpPfpParserPins>& block, const PacketTable& table);

// The model at its pins: it has its table and ignores the pins that write one. The
// settings may change in reset only. After an error it does nothing until reset. Who accepts
// parses, and ctl_now counts on by one behind a cycle in which something has moved.
class PfpPinCore : public rtl::PinBlock<rtl::CpPfpParserPins>, private PfpPrograms {
  public:
    explicit PfpPinCore(const Spec& spec);
    void step(const In& in, Out& out) override;

  private:
    void start(unsigned, const PacketInfo&, uint32_t, const uint32_t*, const Location&) override {}
    OpStep step(Cycle now, unsigned ring, StallReason& reason, uint32_t& skip) override;
    void give(unsigned ring, uint32_t dword) override;

    void offer(Cycle now, const In& in);
    void collect(const In& in, Out& out);
    void collect_events(Out& out) const;
    void collect_error(Out& out) const;

    void make_core(unsigned packet_cycles);

    Spec spec_;
    std::unique_ptr<PfpCore> core_;
    PfpEvents events_;  // of this cycle
    Channel<FetchCommand> fetch_{{1, 1}};
    std::vector<Channel<MeqEntry>> meq_;
    std::vector<Channel<CeCommand>> ce_;
    EventLink<RoqCredit> credit_;
    EventLink<ReadPointer> read_pointer_;
    const In* in_ = nullptr;  // of this cycle
    std::array<bool, rtl::CpPfpParserPins::kRings> asked_{};
    bool gave_ = false;
    Out stopped_;
};

// The block behind pins that a PfpCore uses; see PfpCore::use_pins().
class PinPfp {
  public:
    // Resets the block, which must outlive this.
    explicit PinPfp(rtl::PinBlock<rtl::CpPfpParserPins>& block) : block_(block) { reset(); }
    void reset() { rtl::reset_block(block_); }
    rtl::PinBlock<rtl::CpPfpParserPins>& block() { return block_; }
    void step(const rtl::CpPfpParserPins::In& in, rtl::CpPfpParserPins::Out& out) {
        block_.step(in, out);
    }

  private:
    rtl::PinBlock<rtl::CpPfpParserPins>& block_;
};

}  // namespace archipelago::cp
