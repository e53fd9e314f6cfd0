// SPDX-License-Identifier: Apache-2.0
// Scalar data cache shared by up to four compute units, read-only. Size and rates: AMD OpenCL
// guide, constant cache; instructions: Southern Islands ISA document, chapter 7.
#pragma once

#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/tc/sqc_state.h"

namespace archipelago::tc {

// A load of 1 to 16 dwords touches one or two lines and takes one lookup for each; each cycle one
// CU, in turn, makes one. The answer occupies the CU's return path for as many cycles as its bytes
// need. Answers may overtake each other. A load that touches a line that cannot be read is
// answered with fault set and the first such address. Lines are tagged by address and VMID.
class SqcDataCore final : public Clocked, public Control {
  public:
    // `group` is the number of this cache among its kind, MemRequest::source towards L2.
    // Throws MachineStop(BadInput) when a field of the Spec is out of range.
    explicit SqcDataCore(const SqcDataSpec& spec, unsigned group = 0,
                         const std::string& name = "sqc.data");

    Channel<ScalarRequest>& from_cu(unsigned cu) { return from_cu_[cu]; }
    Channel<MemResponse> from_l2;
    Channel<CacheAction> actions;
    void connect_cu(unsigned cu, Channel<ScalarResponse>& to_cu);
    void connect_l2(Channel<MemRequest>& to_l2);
    void connect_action_done(Channel<CacheActionDone>& done);

    bool tick(Cycle now) override;

    void reset() override;
    bool idle() const override;
    void set_run_state(RunState run) override {
        state_.run = run;
        wake_at(0);
    }
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);

    void invalidate_all() { state_.store.array.clear(); }
    const SqcDataState& state() const { return state_; }
    const SqcDataSpec& spec() const { return spec_; }

  private:
    bool due(Cycle at) const;
    bool take_fill(Cycle now);
    bool look_up(Cycle now, unsigned cu);
    bool open_load(Cycle now, unsigned cu);
    void deliver(unsigned cu, unsigned load, uint64_t line, const Line& data, MemStatus status,
                 Cycle ready);
    void complete(unsigned cu, unsigned load);
    bool respond(Cycle now);
    bool send_answer(Cycle now, unsigned cu);
    bool start_action(Cycle now);
    bool finish_action(Cycle now);

    const SqcDataSpec spec_;
    const uint16_t group_;
    const std::string name_;
    SqcDataState state_;
    std::vector<Channel<ScalarRequest>> from_cu_;
    std::vector<Channel<ScalarResponse>*> to_cu_;
    Channel<MemRequest>* to_l2_ = nullptr;
    Channel<CacheActionDone>* action_done_ = nullptr;
    TraceSink* trace_ = nullptr;
    std::vector<TrackId> tracks_;
};

}  // namespace archipelago::tc
