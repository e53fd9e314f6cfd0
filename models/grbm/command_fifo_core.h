// SPDX-License-Identifier: Apache-2.0
// The FIFO between CP and the graphics register bus, of families that have WAIT_UNTIL: a write of
// it waits at the end of the FIFO, and all later requests of CP after it, until the units that its
// fields name are idle. CP continues until the FIFO is full. "Radeon R6xx/R7xx Acceleration" 4.1.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/grbm/command_fifo_spec.h"

namespace archipelago::grbm {

struct CommandFifoState {
    Cycle passed = kNever;  // when the last request left; kNever: none has
    Cycle since = kNever;   // since when the oldest request, a wait, is at the end
    // counters
    uint64_t requests = 0;
    uint64_t waits = 0;
    uint64_t wait_cycles = 0;
};

class CommandFifoCore final : public Unit {
  public:
    // Throws std::invalid_argument naming what is wrong with the spec.
    explicit CommandFifoCore(const CommandFifoSpec& spec);

    Channel<RegRequest> requests;  // of CP; answers do not pass here
    OutputChannel<RegRequest> to_bus{this};

    // A level that is high while the unit works; a unit may have several.
    void add_busy(const std::string& unit, const Wire<bool>* busy);

    bool tick(Cycle now) override;
    const CommandFifoState& state() const { return state_; }

    // ---- functional mode: without depth; CP takes no packet after one that waits ----------------
    // Called with each write that passes.
    std::function<void(const RegRequest&)> on_write;
    void write(const RegRequest& request);
    // Passes on the writes whose wait has ended.
    void pass_on();
    // Whether writes of `count` registers pass at once.
    bool passes(uint32_t offset, uint32_t count) const {
        return held_.empty() && (wait_until_ < offset || wait_until_ >= offset + 4 * count);
    }
    bool waits() const { return !held_.empty(); }

    // ---- Control -------------------------------------------------------------------------------
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;

  private:
    struct Wait {
        uint32_t mask = 0;  // of WAIT_UNTIL
        std::vector<std::pair<const Wire<bool>*, std::string>> units;
    };
    bool is_wait(const RegRequest& r) const { return r.write && r.offset == wait_until_; }
    void check(const RegRequest& wait) const;
    // Whether a unit that `value` waits for works. High: reads a level.
    template <class High>
    bool any_busy(uint32_t value, const High& high) const;
    std::string wait_text(uint32_t value) const;

    const CommandFifoSpec spec_;
    const uint32_t wait_until_;  // offset
    uint32_t known_bits_ = 0;    // of WAIT_UNTIL
    std::vector<Wait> waits_;
    CommandFifoState state_;
    std::deque<RegRequest> held_;  // functional mode: a wait and what came after it
};

}  // namespace archipelago::grbm
