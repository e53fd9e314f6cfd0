// SPDX-License-Identifier: Apache-2.0
// Semaphores in memory: takes the requests of its clients one at a time, reads the qword, changes
// it, writes it back, and answers with the old value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/common/wire.h"

namespace archipelago::sem {

struct SemSpec {
    unsigned clients = 1;        // at most 63
    ChannelSpec request{2, 1};   // of a client
    ChannelSpec response{2, 1};  // of memory
};

struct SemState {
    enum class Phase : uint8_t { Idle, Reading, Writing, Answering };
    Phase phase = Phase::Idle;
    unsigned client = 0;
    MemRequest request;    // at hand
    MemResponse response;  // its answer
    // counters
    uint64_t reads = 0;
    uint64_t atomics = 0;
};

class SemCore : public Unit {
  public:
    explicit SemCore(const SemSpec& spec);

    std::vector<Channel<MemRequest>> request;  // reads, and atomics of a qword
    Channel<MemResponse> from_memory;
    Wire<bool> busy;
    std::vector<OutputChannel<MemResponse>> to_client;
    OutputChannel<MemRequest> to_memory{this};

    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;

  private:
    bool step(Cycle now);
    bool begin(Cycle now);
    bool take_read(Cycle now);
    bool take_written(Cycle now);
    bool answer(Cycle now);
    void send(Cycle now, const MemRequest& request);

    SemState state_;
    RoundRobin turn_;
    uint64_t asked_ = 0;  // a bit for each client whose requests are not empty
};

}  // namespace archipelago::sem
