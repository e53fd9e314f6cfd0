// SPDX-License-Identifier: Apache-2.0
// Reads constant buffers, a line at a time and ahead, and hands the constant engine their packets
// dword by dword. Boundaries of partitions that a SET_BASE on the ring names go the same way, in
// the order of the ring.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/control.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/wire.h"
#include "models/cp/ce_message.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"

namespace archipelago::cp {

class CeFetchCore : public Clocked {
  public:
    explicit CeFetchCore(const Spec& spec);

    std::vector<Channel<CeCommand>> command;  // one per ring, from PFP
    Channel<MemResponse> response;            // from the memory interface
    Wire<bool> busy;

    void connect_memory(Channel<MemRequest>* out);
    void connect_stream(unsigned ring, Channel<MeqEntry>* out);

    // Paused: starts nothing. Draining: finishes the buffers it was told of.
    void set_run_state(RunState run) {
        run_ = run;
        wake_at(0);
    }
    bool tick(Cycle now) override;
    bool idle() const;
    void reset();
    std::string waiting_for() const;
    void register_stats(StatsRegistry& stats, const std::string& path) const;

  private:
    struct Slot {
        RoqLine line;
        uint64_t address = 0;  // of the line
        bool arrived = false;
    };
    struct Ring {
        bool active = false;
        CeCommand command;
        Location location;   // of the packet being handed on
        uint32_t asked = 0;  // dwords
        uint32_t given = 0;
        uint32_t left = 0;  // body dwords of the packet still to be given
        std::vector<Slot> slots;
        unsigned head = 0, used = 0;
        unsigned taken = 0;  // dwords of the first slot
    };
    struct State {
        std::array<Ring, kRings> rings;
        unsigned in_flight = 0;
        uint64_t uid = 0;
        uint64_t buffers = 0;
        uint64_t requests = 0;
        uint64_t fetched = 0;
    };
    void arrive(const MemResponse& r);
    bool issue(Cycle now);
    bool give(Cycle now, unsigned ring);
    void hand_on(Cycle now, unsigned ring, uint32_t dword);

    const Spec spec_;
    RunState run_ = RunState::Running;
    State state_;
    RoundRobin turn_{kRings};
    Channel<MemRequest>* memory_ = nullptr;
    std::array<Channel<MeqEntry>*, kRings> stream_{};
};

// The packet a SET_BASE of CE partitions on the ring becomes.
std::array<uint32_t, 4> partition_packet(const CeCommand& command);

}  // namespace archipelago::cp
