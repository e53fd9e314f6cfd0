// SPDX-License-Identifier: Apache-2.0
// CP_DMA: copies or fills memory through the memory hub. Source lines are read ahead, in order;
// destination lines are written as their bytes arrive. One command at a time is read, while writes
// of the ones before may still be on their way (RAW_WAIT waits for them). The packet's fields are
// those of Mesa's packet database (packets/si/cp_dma.cpp). Addresses and sizes in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/gds_access.h"

namespace archipelago::cp {

class DmaCore : public Unit {
  public:
    explicit DmaCore(const Spec& spec);

    Channel<DmaCommand> command;      // from ME
    Channel<DmaCommand> pfp_command;  // from the prefetch parser
    Channel<MemResponse> memory_response;
    Channel<GdsResponse> gds_response;
    Wire<bool> busy;

    OutputChannel<MemRequest> to_hub{this};
    OutputChannel<GdsRequest> to_gds{this};
    OutputChannel<DmaDone> to_me{this}, to_pfp{this};

    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

  private:
    struct Slot {
        Line line{};
        bool arrived = false;
        MemStatus status = MemStatus::Ok;  // not Ok: memory has refused it
    };
    // A command whose writes are not all acknowledged.
    struct Pending {
        DmaCommand command;
        uint32_t writes = 0;    // in flight
        bool written = false;   // all writes are issued
        bool reported = false;  // done, to its engine
        // The first of its writes that memory has refused.
        MemStatus refused = MemStatus::Ok;
        uint64_t refused_line = 0;
        Cycle began = 0;
    };
    static constexpr unsigned kPendings = 4;
    struct State {
        std::array<Pending, kPendings> pending;  // ring buffer, oldest at head
        unsigned head = 0, count = 0;
        bool active = false;              // the newest pending command still reads or writes
        bool waiting_for_writes = false;  // RAW_WAIT
        bool write_refused = false;       // no more are issued, see stop_at_refused_write()
        bool pfp_next = false;            // when both have a command
        uint64_t read_line = 0;           // next source line to request
        uint64_t read_end = 0;            // after the last source line
        uint64_t first_line = 0;          // source line at slot head
        uint32_t done_bytes = 0;          // of the destination, whose writes are issued
        std::vector<Slot> slots;
        unsigned slot_head = 0, slots_used = 0;
        uint32_t writes_in_flight = 0;
        uint64_t uid = 0;
        // counters
        uint64_t commands = 0;
        uint64_t bytes = 0;
        uint64_t reads = 0;
        uint64_t writes = 0;
        uint64_t busy_cycles = 0;
    };
    Pending& newest() { return state_.pending[(state_.head + state_.count - 1) % kPendings]; }
    Channel<DmaCommand>* next_command(Cycle now);
    void begin(Cycle now, const DmaCommand& c);
    void take(const MemResponse& r);
    void take(const GdsResponse& r);
    Slot* slot_of(uint64_t line);
    bool arrived(uint64_t last);
    void stop_at_refused_read(uint64_t last);
    void stop_at_refused_write() const;
    bool write(Cycle now);
    void count_written(Pending& p, uint32_t bytes);
    bool finish(Cycle now);
    void trace_copy(const Pending& p, Cycle end) const;
    bool read(Cycle now);

    const Spec spec_;
    State state_;
    Observers observers_;
    std::string path_;
    TrackId track_ = 0;
};

}  // namespace archipelago::cp
