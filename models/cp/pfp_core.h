// SPDX-License-Identifier: Apache-2.0
// Prefetch parser: takes dwords from the reorder queue, parses packets, keeps what is its own and
// hands the rest to ME through the micro engine queue. The rings take turns at packets; a ring that
// waits gives its turn away. "Radeon Southern Islands Acceleration" 2.1 to 2.9.
#pragma once

#include <optional>

#include "models/common/arbiter.h"
#include "models/cp/packet_pace.h"
#include "models/cp/pfp_unit.h"
#include "models/front/ring_turns.h"

namespace archipelago::cp {

using front::RingOutcome;

class PfpCore : public PfpUnit {
  public:
    explicit PfpCore(const Spec& spec, DeState* de = nullptr);

    // Paused: starts nothing. Draining: takes no new work from outside.
    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;

  protected:
    RoundRobin turn_;

  private:
    RingOutcome run_until_error(Cycle now, unsigned ring, StallReason& reason);
    RingOutcome run(Cycle now, unsigned ring, StallReason& reason);
    // The functions of a turn return nothing to continue with the next phase.
    using Turn = front::RingTurn<StallReason>;
    std::optional<RingOutcome> run_phase(Turn& t);
    std::optional<RingOutcome> run_header(Turn& t);
    std::optional<RingOutcome> run_routing(Turn& t);
    std::optional<RingOutcome> run_skip(Turn& t);
    std::optional<RingOutcome> run_execute(Turn& t);
    RingOutcome call_buffer(Turn& t);
    RingOutcome call_constant_buffer(Turn& t);
    bool take(Turn& t, uint32_t& dword);
    bool take_by_microcode(Turn& t, uint32_t& dword);
    RingOutcome forward_by_microcode(Cycle now, unsigned ring, StallReason& reason);
    bool ending_packet(Cycle now, front::RingCycle<StallReason>& cycle);
    bool collect(Turn& t, uint32_t count);
    bool take_inputs(Cycle now);
    bool take_dword(Cycle now, unsigned ring, uint32_t& dword);
    RingOutcome forward(Cycle now, unsigned ring, StallReason& reason);
    void apply(const RingUpdate& u);
    void parse_header(Cycle now, unsigned ring, uint32_t header);
    void decide(Cycle now, PfpState::Ring& r);
    void finish(Cycle now, unsigned ring);
    void command_ce(Cycle now, unsigned ring);
    void skip_on(unsigned ring, uint32_t dwords);

    PacketPace pace_;
};

}  // namespace archipelago::cp
