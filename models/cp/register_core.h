// SPDX-License-Identifier: Apache-2.0
// CP's registers on the register bus, in time: answers requests one a cycle, rings the doorbells of
// fetch and PFP, mirrors scratch registers and read pointers to memory, raises interrupts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/compute_message.h"
#include "models/common/control.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/wire.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/register_file.h"

namespace archipelago::cp {

class RegisterCore : public Clocked, public RegisterEffects {
  public:
    explicit RegisterCore(const Spec& spec);

    Channel<RegRequest> request;  // from the register bus
    Channel<MemResponse> memory_response;
    Channel<CacheActionDone> cache_done;
    EventLink<ReadPointer> read_pointer;                 // from PFP
    EventLink<EopNotice> notice;                         // from the end-of-pipe unit
    EventLink<RingError> ring_error;                     // from ME
    EventLink<RingError> parse_error;                    // from PFP
    std::array<EventLink<PrivilegeFault>, 3> privilege;  // from ME, PFP, constant engine
    EventLink<PollTimeout> me_timeout, pfp_timeout;
    EventLink<StreamoutFlushed> streamout_flushed;  // from ME
    Wire<bool> busy;
    std::array<Wire<uint32_t>, kRings> interrupt_control;  // CP_INT_CNTL_RINGn

    void connect_response(Channel<RegResponse>* out);
    void connect_memory(Channel<MemRequest>* out);
    void connect_coherency(Channel<CacheAction>* out);
    void connect_rings(EventLink<RingUpdate>* fetch, EventLink<RingUpdate>* pfp);
    void connect_halt(EventLink<HaltChange>* pfp, EventLink<HaltChange>* me,
                      EventLink<HaltChange>* ce);
    void connect_limits(EventLink<PollLimits>* pfp, EventLink<PollLimits>* me);
    void watch_coherency(const Wire<bool>* busy) { coherency_wire_ = busy; }
    void connect_interrupt(EventLink<Interrupt>* out) { interrupt_ = out; }
    // Busy wire of a unit and its bits in CP_STAT and CP_BUSY_STAT.
    void add_status(const Wire<bool>* wire, uint32_t stat_bits, uint32_t busy_bits);

    RegisterFile& file() { return file_; }
    const RegisterFile& file() const { return file_; }

    // Paused, accesses wait; draining and running, they are served.
    void set_run_state(RunState run) {
        run_ = run;
        wake_at(0);
    }
    bool tick(Cycle now) override;
    bool idle() const;
    void reset();
    std::string waiting_for() const;
    void register_stats(StatsRegistry& stats, const std::string& path) const;

    // RegisterEffects, called from within tick().
    void ring_changed(unsigned ring, bool reset) override;
    void halt_changed(bool pfp_halted, bool me_halted, bool ce_halted) override;
    void write_back(uint64_t address, uint32_t value) override;
    void start_coherency(const CacheAction& action) override;
    void raise(const Interrupt& interrupt) override;
    void limits_changed(uint32_t wait_reg_mem, uint32_t semaphore) override;
    bool coherency_busy() const override;
    uint32_t status() const override;
    uint32_t busy_status() const override;

  private:
    struct WriteBack {
        uint64_t address = 0;
        uint32_t value = 0;
    };
    struct StatusInput {
        const Wire<bool>* wire;
        uint32_t stat_bits;
        uint32_t busy_bits;
    };
    struct State {
        std::vector<WriteBack> write_backs;  // oldest first
        uint32_t writes_in_flight = 0;
        std::array<WriteBack, 256> place{};  // by tag, for faults
        uint32_t sequence = 0;
        bool coherency_pending = false;
        CacheAction coherency;
        uint64_t reads = 0, writes = 0, write_backs_done = 0, interrupts = 0;
    };

    const Spec spec_;
    RegisterFile file_;
    State state_;
    Cycle now_ = 0;
    std::vector<StatusInput> status_;
    Channel<RegResponse>* response_ = nullptr;
    Channel<MemRequest>* memory_ = nullptr;
    Channel<CacheAction>* coherency_ = nullptr;
    EventLink<RingUpdate>* fetch_update_ = nullptr;
    EventLink<RingUpdate>* pfp_update_ = nullptr;
    EventLink<HaltChange>* pfp_halt_ = nullptr;
    EventLink<HaltChange>* me_halt_ = nullptr;
    EventLink<PollLimits>* pfp_limits_ = nullptr;
    EventLink<PollLimits>* me_limits_ = nullptr;
    const Wire<bool>* coherency_wire_ = nullptr;
    EventLink<HaltChange>* ce_halt_ = nullptr;
    EventLink<Interrupt>* interrupt_ = nullptr;
    RunState run_ = RunState::Running;
};

}  // namespace archipelago::cp
