// SPDX-License-Identifier: Apache-2.0
// Reads rings and indirect buffers, a line at a time and ahead of the parser, into the reorder
// queue (ROQ). Nine streams: ring, IB1 and IB2 of three rings.
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
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"

namespace archipelago::cp {

constexpr unsigned kStreams = kRings * kLevels;
constexpr unsigned stream_of(unsigned ring, unsigned level) {
    return ring * kLevels + level;
}

struct FetchState {
    struct Slot {
        RoqLine line;
        uint64_t address = 0;  // of the line
        uint32_t dword = 0;    // of the stream, first wanted
        bool arrived = false;
    };
    struct Stream {
        uint64_t base = 0;
        uint32_t next = 0;  // dword to ask for
        uint32_t end = 0;   // first dword not to ask for; behind `next` when a ring wraps
        uint32_t size = 0;  // dwords of the ring or buffer
        uint8_t vmid = 0;
        uint8_t swap = 0;
        bool enabled = false;
        unsigned credits = 0;  // free ROQ entries
        std::vector<Slot> slots;
        unsigned head = 0, used = 0;
    };
    std::array<Stream, kStreams> streams;
    // What each says, a bit for each, kept as they change.
    uint32_t unasked = 0;  // enabled, with dwords not asked for
    uint32_t wants = 0;    // and with room in the ROQ for another line
    uint32_t used = 0;     // with places in use
    uint32_t arrived = 0;  // whose oldest line has come
    unsigned in_flight = 0;
    int burst_stream = -1;
    unsigned burst_left = 0;
    Cycle dry_since = kNever;  // the last request left nobody who wants one
    uint64_t uid = 0;
    // counters
    uint64_t requests = 0;
    uint64_t bytes = 0;
    uint64_t stall_memory = 0;       // cycles a line was wanted and the memory port was busy
    uint64_t stall_outstanding = 0;  // ... and too many lines were in flight
    Cycle stalled_since = kNever;
    bool stalled_on_port = false;
};

class RingFetchCore : public Clocked {
  public:
    explicit RingFetchCore(const Spec& spec);

    EventLink<RingUpdate> update;   // from the registers
    EventLink<RoqCredit> credit;    // from PFP
    Channel<FetchCommand> command;  // from PFP
    Channel<MemResponse> response;  // from the memory interface
    Wire<bool> busy;

    void connect_memory(Channel<MemRequest>* out);
    void connect_roq(unsigned ring, unsigned level, Channel<RoqLine>* out);

    // Paused: starts nothing. Draining: takes no new work from outside.
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
    void apply(const RingUpdate& u);
    void accept(const FetchCommand& c);
    void arrive(const MemResponse& r);
    bool issue(Cycle now);
    // After base, pointers or credits of a stream have changed.
    void note_wants(unsigned index);
    bool holds_lines() const { return (state_.unasked | state_.used) != 0; }
    void account(Cycle now, bool stalled, bool on_port);

    const Spec spec_;
    RunState run_ = RunState::Running;
    FetchState state_;
    RoundRobin turn_{kStreams};
    Channel<MemRequest>* memory_ = nullptr;
    std::array<Channel<RoqLine>*, kStreams> roq_{};
};

}  // namespace archipelago::cp
