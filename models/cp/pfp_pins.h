// SPDX-License-Identifier: Apache-2.0
// The prefetch parser on pins: PfpOnPins takes the place of a chip's PfpCore and drives a block on
// pins; PfpPinCore is PfpCore at such pins. The Verilog twin is rtl-bridge/rtl/cp_pfp_parser.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/cp/pfp_unit.h"
#include "pins/cp_pfp_parser_pins.h"

namespace archipelago::cp {

// What the parser knows of an opcode, as table_entry of the pins; null: no such packet.
uint64_t parser_entry(const PacketInfo* info);
// Writes all of a packet table through the pins of a block that is reset.
void load_packet_table(rtl::PinBlock<rtl::CpPfpParserPins>& block, const PacketTable& table);

// The block parses and has the parser's state. Programs run here; counters and logs follow from
// what passes the pins.
class PfpOnPins final : public PfpUnit {
  public:
    // Resets the block, which must outlive this, and loads its packets. Throws
    // std::invalid_argument when the block is not made for this spec.
    PfpOnPins(rtl::PinBlock<rtl::CpPfpParserPins>& block, const Spec& spec, DeState* de);

    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;

  private:
    using In = rtl::CpPfpParserPins::In;
    using Out = rtl::CpPfpParserPins::Out;
    bool drive_events(Cycle now);
    void run_programs(Cycle now);
    void stop_or_halt(Cycle now);
    [[noreturn]] void stop_at_error(const Out& out);
    bool sample(Cycle now);
    void follow_dword(Cycle now);
    void follow_packet(Cycle now, unsigned ring);
    void follow_forwarded(unsigned ring);

    rtl::PinBlock<rtl::CpPfpParserPins>& block_;
    In in_;
    Out out_;
};

// The model at its pins: it has its table and ignores the pins that write one. The settings may
// change in reset only. After an error it does nothing until reset. Who accepts parses, and ctl_now
// counts on by one after a cycle in which something has moved.
class PfpPinCore : public rtl::PinBlock<rtl::CpPfpParserPins> {
  public:
    explicit PfpPinCore(const Spec& spec);
    ~PfpPinCore() override;
    void step(const In& in, Out& out) override;

  private:
    class Core;
    void make_core(unsigned packet_cycles);
    void apply(Cycle now, const In& in, const Out& out);
    void present(Cycle now, const In& in, const PfpState& before, Out& out);
    void present_ring(Cycle now, unsigned ring, const PfpState::Ring& before, Out& out);
    void present_error(const PacketStop& stop, Out& out) const;

    Spec spec_;
    std::unique_ptr<Core> core_;
    Channel<FetchCommand> fetch_{{1, 1}};
    std::vector<Channel<MeqEntry>> meq_;
    std::vector<Channel<CeCommand>> ce_;
    EventLink<RoqCredit> credit_;
    EventLink<ReadPointer> read_pointer_;
    Out stopped_;
};

}  // namespace archipelago::cp
