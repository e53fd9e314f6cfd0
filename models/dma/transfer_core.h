// SPDX-License-Identifier: Apache-2.0
// The copy engine of an async DMA engine in cycle mode, between its channels: begins transfers,
// works out where their bytes are, and waits for their writes. The bytes go through the linear
// datapath: LinearCore, or the Verilog twin. What its transfers are: document "Async DMA", the
// write, copy, fill and page table packets.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/dma/dma_spec.h"
#include "models/dma/linear_core.h"
#include "models/dma/span_walk.h"
#include "models/dma/units.h"

namespace archipelago::dma {

// Copy engine -> engine: the oldest transfer is done.
struct TransferDone {};

// The next spans of one side, as many as the datapath may take in a cycle.
class SpanQueue {
  public:
    SpanQueue() = default;
    explicit SpanQueue(const SpanWalk& walk) : walk_(walk) {}
    // Up to `most` spans; fewer only when no others come.
    void fill(const Transfer& t, unsigned most) {
        for (; count_ < most && !walk_.done(t); ++count_) {
            spans_[count_] = walk_.front(t);
            walk_.take(t, spans_[count_].bytes);
        }
    }
    // The first bytes of them are taken.
    void take(uint32_t bytes);
    template <class Archive>
    void archive(Archive& a) {
        a(walk_, spans_, count_);
    }
    unsigned size() const { return count_; }
    const Span& operator[](unsigned i) const { return spans_[i]; }

  private:
    SpanWalk walk_;
    std::array<Span, Spec::kMaxAddresses> spans_;
    unsigned count_ = 0;
};

struct TransferState {
    struct Pending {
        front::Location location;
        const char* packet = nullptr;
        uint32_t writes = 0;   // not acknowledged
        bool written = false;  // all writes are on their way
        Cycle began = 0;
    };
    // Transfers from the oldest with unacknowledged writes on; the newest may be at work.
    std::array<Pending, Spec::kMaxTransfers> pending;
    unsigned head = 0, count = 0;
    bool active = false;
    Transfer transfer;  // the one at work
    SpanQueue source;
    std::array<SpanQueue, 2> targets;
    unsigned target_count = 1;
    uint64_t uid = 0;
    // counters
    uint64_t transfers = 0;
    uint64_t bytes_read = 0;
    uint64_t bytes_written = 0;
    uint64_t reads_sent = 0;
    uint64_t writes_sent = 0;
    uint64_t busy_cycles = 0;
    uint64_t stall_reads = 0;
    Cycle stalled_since = kNever;
};

class TransferCore : public Unit {
  public:
    // `units` must outlive this. Throws std::invalid_argument for what of the spec they do not
    // take.
    explicit TransferCore(const Spec& spec, const Units& units = {});

    Channel<Transfer> command;
    Channel<MemResponse> response;
    Wire<bool> busy;

    OutputChannel<MemRequest> to_memory{this};
    OutputEvent<TransferDone> to_engine{this};

    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

  private:
    TransferState::Pending& newest() {
        return state_.pending[(state_.head + state_.count - 1) % state_.pending.size()];
    }
    void begin(Cycle now, const Transfer& transfer);
    void take(const MemResponse& r);
    bool finish(Cycle now);
    void trace_transfer(const TransferState::Pending& p, Cycle end) const;
    bool move(Cycle now);
    void present_spans();
    void send(Cycle now);

    const Spec spec_;
    const Units units_;
    TransferState state_;
    LinearCore core_;
    rtl::PinBlock<rtl::DmaLinearPins>* const pins_;
    rtl::DmaLinearPins::In in_;
    rtl::DmaLinearPins::Out out_;
    Observers observers_;
    TrackId track_ = 0;
};

}  // namespace archipelago::dma
