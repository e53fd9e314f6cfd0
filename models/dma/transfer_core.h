// SPDX-License-Identifier: Apache-2.0
// The copy engine of an async DMA engine in time: reads lines ahead, in order, and puts lines
// together that it writes. Each side works out a few places in memory a cycle; reads and writes
// share the port in bursts.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/dma/dma_spec.h"
#include "models/dma/span_walk.h"
#include "models/dma/units.h"

namespace archipelago::dma {

// Copy engine -> engine: the oldest transfer is done.
struct TransferDone {};

struct TransferState {
    struct Slot {  // a line that is read
        uint64_t line = 0;
        Line data{};
        bool arrived = false;
        uint16_t pieces = 0;  // not taken yet
    };
    struct Piece {  // of the source, in its order
        uint16_t slot = 0;
        uint8_t offset = 0;
        uint8_t bytes = 0;
    };
    struct OpenLine {  // of a target
        uint64_t line = 0;
        uint64_t mask = 0;
        Line data{};
    };
    struct Target {
        SpanWalk walk;
        uint64_t position = 0;  // bytes written
    };
    struct Pending {
        front::Location location;
        const char* packet = nullptr;
        uint32_t writes = 0;   // not acknowledged
        bool written = false;  // all writes are on their way
        Cycle began = 0;
    };
    // Transfers from the oldest with unacknowledged writes on; the newest may be at work.
    std::array<Pending, Spec::kMostTransfers> pending;
    unsigned head = 0, count = 0;
    bool active = false;
    Transfer transfer;  // the one at work
    SpanWalk reads;
    std::vector<Slot> slots;
    std::vector<uint16_t> free_slots;
    std::deque<uint16_t> recent;  // slots requested last, which further pieces may be in
    std::deque<Piece> pieces;
    // What is read and not written by every target: bytes first_byte..end_byte of the transfer.
    static constexpr unsigned kBuffer = 256;
    std::array<uint8_t, kBuffer> buffer{};
    uint64_t first_byte = 0, end_byte = 0;
    std::array<Target, 2> targets;
    unsigned target_count = 1;
    std::deque<OpenLine> open;
    uint32_t writes_in_flight = 0;
    bool writing = false;     // whose burst it is
    unsigned burst_left = 0;  // messages
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
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);

  private:
    TransferState::Pending& newest() {
        return state_.pending[(state_.head + state_.count - 1) % state_.pending.size()];
    }
    void begin(Cycle now, const Transfer& transfer);
    void take(const MemResponse& r);
    bool finish(Cycle now);
    bool fill_buffer();
    bool gather();
    bool write(Cycle now);
    bool put(Cycle now, unsigned target);
    bool flush(Cycle now);
    bool read(Cycle now);
    bool read_piece(Cycle now);
    int find_slot(uint64_t line) const;
    bool may_send(Cycle now) const { return !sent_ && to_memory->can_push(now); }
    void send(Cycle now, const MemRequest& request);
    void send_line(Cycle now, size_t index);
    MemRequest request(uint64_t line);

    const Spec spec_;
    const Units units_;
    TransferState state_;
    bool sent_ = false;  // in this tick
    Observers observers_;
    TrackId track_ = 0;
};

}  // namespace archipelago::dma
