// SPDX-License-Identifier: Apache-2.0
// The micro engine pin by pin: MeCore with its channels and programs driven from pins, and the
// block behind such pins that a MeCore of a chip uses. The Verilog twin is rtl-bridge/rtl/cp_me.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/cp/me_core.h"
#include "pins/cp_me_pins.h"

namespace archipelago::cp {

// What the pins have of a spec that never changes.
rtl::CpMePins::Config me_config_pins(const Spec& spec);
// Writes all of a packet table through the pins of a block that is reset.
void load_packet_table(rtl::PinBlock<rtl::CpMePins>& block, const Spec& spec);

// The model at its pins: it has its table and ignores the pins that write one. The settings may
// change in reset only. Programs are those of rows that give, whatever the packet, the operations
// on the pins. When a semaphore has not come in time it does nothing until reset.
class MePinCore : public rtl::PinBlock<rtl::CpMePins> {
  public:
    explicit MePinCore(const Spec& spec);
    void step(const In& in, Out& out) override;

  private:
    struct NotThere {};  // a program has no operation
    // The drawing engine's state, through which rows reach the pins.
    struct Programs : DeState {
        using DeState::DeState;
        const In* in = nullptr;  // of this cycle
        std::array<bool, rtl::CpMePins::kRings> taken{};
        unsigned asked = 0;  // a ring whose operation is not there
        bool start = false;
        OpResult result;
        bool next(ProgramState& p, MicroOp& op);
    };
    static bool run_row(ProgramState& p, MicroOp& op);
    static void fill_operation(const In& in, unsigned ring, MicroOp& op);
    static const PacketInfo kOwn, kUsers;  // rows of packets that may write any register, and none

    void make_core();
    void offer(Cycle now, const In& in);
    void offer_memory(Cycle now, const rtl::CpMePins::Answer& answer, Channel<MemResponse>& to);
    void offer_answers(Cycle now, const In& in);
    void offer_rooms(Cycle now, const In& in);
    void collect(const In& in, Out& out);
    void collect_memory(const In& in, Out& out) const;
    void collect_bus(const In& in, Out& out) const;
    void collect_events(Out& out) const;
    void collect_state(Out& out) const;

    const PacketTable rows_;
    Spec spec_;
    Programs programs_;
    std::unique_ptr<MeCore> core_;
    MeEvents events_;  // of this cycle
    Channel<MemRequest> hub_{{1, 1}}, l2_{{1, 1}};
    Channel<RegRequest> bus_{{1, 1}};
    Channel<CacheAction> cache_{{1, 1}};
    Channel<DmaCommand> dma_{{1, 1}};
    Channel<EopCommand> eop_{{1, 1}};
    Channel<EopTrigger> trigger_{{1, 1}};
    Channel<DeMessage> ce_{{2, 1}};
    Channel<GdsRequest> gds_{{1, 1}};
    EventLink<SyncReached> sync_;
    EventLink<RingError> ring_error_;
    EventLink<PrivilegeFault> privilege_;
    EventLink<PollTimeout> timeout_;
    bool stopped_ = false;
    uint8_t stopped_ring_ = 0;
};

// The block behind pins that a MeCore uses; see MeCore::use_pins().
class PinMe {
  public:
    // Resets the block, which must outlive this.
    explicit PinMe(rtl::PinBlock<rtl::CpMePins>& block) : block_(block) { reset(); }
    void reset();
    // Of the chip; loads its packets.
    void set_up(const Spec& spec);
    const rtl::CpMePins::Config& config() const { return config_; }
    void step(const rtl::CpMePins::In& in, rtl::CpMePins::Out& out) { block_.step(in, out); }
    // The render contexts as the block has them.
    rtl::CpMePins::Contexts contexts;

  private:
    rtl::PinBlock<rtl::CpMePins>& block_;
    rtl::CpMePins::Config config_;
};

}  // namespace archipelago::cp
