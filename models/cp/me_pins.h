// SPDX-License-Identifier: Apache-2.0
// The micro engine on pins: MeOnPins takes the place of a chip's MeCore and drives a block on pins;
// MePinCore is MeCore at such pins. The Verilog twin is rtl-bridge/rtl/cp_me.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/cp/me_unit.h"
#include "pins/cp_me_pins.h"

namespace archipelago::cp {

// What the pins have of a spec that never changes.
rtl::CpMePins::Config me_config_pins(const Spec& spec);
// Writes all of a packet table through the pins of a block that is reset.
void load_packet_table(rtl::PinBlock<rtl::CpMePins>& block, const Spec& spec);

// The block has the turns of the rings, their phases and operations, and the render contexts.
// Programs run here, and what the pins do not carry of commands is kept here; counters and logs
// follow from what passes the pins.
class MeOnPins final : public MeUnit {
  public:
    // Resets the block, which must outlive this, and loads its packets. Throws
    // std::invalid_argument when the block is not made for this spec.
    MeOnPins(rtl::PinBlock<rtl::CpMePins>& block, const Spec& spec, DeState& de);

    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;

  private:
    using Pins = rtl::CpMePins;
    struct Rest;
    bool drive_levels(Cycle now);
    bool drive_answers(Cycle now);
    void run_block(Cycle now);
    void ask_program(Cycle now);
    void check_operation(const OpState& s) const;
    void put_operation(unsigned ring, bool more);
    void sample(Cycle now);
    void count_answers();
    void follow_dword(Cycle now, unsigned ring);
    void follow_contexts();
    void follow_register();
    void follow_commands();
    void follow_act(Cycle now);
    void follow_rings(Cycle now);

    rtl::PinBlock<Pins>& block_;
    Pins::Config config_;
    Pins::In in_;
    Pins::Out out_;
    Pins::Contexts contexts_;      // as the block has them
    bool posted_ = false;          // an answer to a register write has come
    uint16_t place_of_write_ = 0;  // RegRequest::place of this cycle's
};

// The model at its pins: it has its table and ignores the pins that write one. The settings may
// change in reset only. Programs are those of rows that give, for any packet, the operations
// on the pins. When a semaphore has not come early enough it does nothing until reset.
class MePinCore : public rtl::PinBlock<rtl::CpMePins> {
  public:
    explicit MePinCore(const Spec& spec);
    ~MePinCore() override;
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
    class Core;
    static bool run_row(ProgramState& p, MicroOp& op);
    static const PacketInfo kOwn, kUsers;  // rows of packets that may write any register, and none

    void make_core();
    void apply(const In& in, const Out& out);
    void run(const In& in, Out& out);
    void present(const In& in, const MeState& before, Out& out);
    void present_event(const In& in, const MeState& before, Out& out) const;
    void present_ring(const In& in, unsigned ring, const MeState::Ring& before, Out& out) const;

    const PacketTable rows_;
    Spec spec_;
    Programs programs_;
    std::unique_ptr<Core> core_;
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

}  // namespace archipelago::cp
