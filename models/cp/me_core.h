// SPDX-License-Identifier: Apache-2.0
// Micro engine: takes packets from the micro engine queues and executes their programs. The rings
// share it: they take turns at packets, and a ring that waits gives its turn away.
// "Radeon Southern Islands Acceleration" 2.1, 2.2, 2.4, 2.8.
#pragma once

#include <optional>

#include "models/common/arbiter.h"
#include "models/cp/me_unit.h"
#include "models/cp/packet_pace.h"
#include "models/front/ring_turns.h"

namespace archipelago::cp {

using front::RingOutcome;

class MeCore : public MeUnit {
  public:
    MeCore(const Spec& spec, DeState& de);

    // Paused: starts nothing. Draining: takes no new work from outside.
    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;

  protected:
    RoundRobin turn_;

  private:
    RingOutcome run(Cycle now, unsigned ring, StallReason& reason);
    // The functions of a turn return nothing to continue with the next phase.
    using Turn = front::RingTurn<StallReason>;
    std::optional<RingOutcome> run_phase(Turn& t);
    void take_header(Turn& t);
    std::optional<RingOutcome> run_collect(Turn& t);
    std::optional<RingOutcome> run_execute(Turn& t);
    bool take(Turn& t, uint32_t& dword);
    bool take_by_microcode(Turn& t, uint32_t& dword);
    bool ending_packet(Cycle now, front::RingCycle<StallReason>& cycle);
    uint64_t candidates() const;
    bool take_responses(Cycle now);
    bool take_event(Cycle now);

    PacketPace pace_;
};

}  // namespace archipelago::cp
