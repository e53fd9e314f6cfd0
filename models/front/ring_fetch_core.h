// SPDX-License-Identifier: Apache-2.0
// Reads rings and indirect buffers, a line at a time and ahead of the parser, into the reorder
// queue (ROQ). A stream for each level of each ring.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/transaction_id.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/front/line_stream.h"
#include "models/front/location.h"
#include "models/front/ring_message.h"

namespace archipelago::front {

// A ring and the buffers nested in it. At most 64 streams.
struct RingShape {
    unsigned rings = 1;
    unsigned levels = 1;  // the ring itself among them
    unsigned streams() const { return rings * levels; }
    unsigned stream_of(unsigned ring, unsigned level) const { return ring * levels + level; }
};

struct FetchSpec {
    RingShape shape;
    RingNames names;
    std::vector<unsigned> roq_lines;  // reorder queue entries of a ring, by level; at most 256
    unsigned outstanding = 16;        // lines in flight, all streams together
    unsigned burst_lines = 4;         // lines of one stream before another gets its turn
    ChannelSpec command{2, 1};
    ChannelSpec response{4, 1};
    unsigned strobe_latency = 1;
    std::string path = "fetch";  // of its channels
    Client client = Client::CpFetch;
    TransactionUnit unit = TransactionUnit::CpFetch;
};

struct FetchState {
    struct Stream : LineStream {
        using LineStream::LineStream;
        bool enabled = false;
        unsigned credits = 0;  // free ROQ entries
        template <class Archive>
        void archive(Archive& a) {
            LineStream::archive(a);
            a(enabled, credits);
        }
    };
    std::vector<Stream> streams;
    // What each says, a bit for each, kept as they change.
    uint64_t unrequested = 0;  // enabled, with dwords not yet requested
    uint64_t wants = 0;        // and with room in the ROQ for another line
    uint64_t used = 0;         // with places in use
    uint64_t arrived = 0;      // whose oldest line has come
    unsigned in_flight = 0;
    int burst_stream = -1;
    unsigned burst_left = 0;
    Cycle dry_since = kNever;  // no stream has wanted a line since the last request
    uint64_t uid = 0;
    // counters
    uint64_t requests = 0;
    uint64_t bytes = 0;
    uint64_t stall_memory = 0;       // cycles a line was wanted and the memory port was busy
    uint64_t stall_outstanding = 0;  // ... and too many lines were in flight
    Cycle stalled_since = kNever;
    bool stalled_on_port = false;
};

class RingFetchCore : public Unit {
  public:
    explicit RingFetchCore(FetchSpec spec);

    EventLink<RingUpdate> update;   // from the registers
    EventLink<RoqCredit> credit;    // from the parser
    Channel<FetchCommand> command;  // from the parser
    Channel<MemResponse> response;  // from the memory interface
    Wire<bool> busy;

    OutputChannel<MemRequest> to_memory{this};
    std::vector<OutputChannel<RoqLine>> to_roq;  // by stream
    // Who asked for a stream that cannot be read, before its place in errors; may be empty.
    std::function<std::string(unsigned stream)> context_of_faults;

    // Paused: starts nothing. Draining: takes no new work from outside.
    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    // What it holds of a stream.
    const LineStream& stream(unsigned index) const { return state_.streams[index]; }

  private:
    void apply(const RingUpdate& u);
    void accept(const FetchCommand& c);
    void arrive(const MemResponse& r);
    bool deliver(Cycle now, bool& again);
    bool issue(Cycle now);
    // After base, pointers or credits of a stream have changed.
    void note_wants(unsigned index);
    bool holds_lines() const { return (state_.unrequested | state_.used) != 0; }
    void account(Cycle now, bool stalled, bool on_port);

    const FetchSpec spec_;
    FetchState state_;
    RoundRobin turn_;
};

}  // namespace archipelago::front
