// SPDX-License-Identifier: Apache-2.0
// The command processor in functional mode: its engines run, in turn, until they wait for words of
// the ring or for each other.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/afuc/cp/cp_core.h"
#include "models/afuc/cp/debug_hook.h"
#include "models/afuc/cp/gpu_registers.h"
#include "models/afuc/cp/perf_counters.h"
#include "models/afuc/cp/processor.h"
#include "models/afuc/cp/processor_log.h"
#include "models/common/stats.h"

namespace archipelago::afuc {

// The machine around a command processor in functional mode.
class CpBackend {
  public:
    virtual ~CpBackend() = default;
    // Host pointer to the byte at this GPU address, valid up to the end of its page and until
    // run() returns; null: the page is not mapped.
    virtual uint8_t* page(uint64_t address) = 0;
    // A bit of RBBM_INT_0_STATUS that RBBM_INT_0_MASK lets through.
    virtual void interrupt(uint32_t bit) = 0;
};

class CpFunctional final : public RegisterStatus {
  public:
    // All must outlive this. run() throws MachineStop after `instruction_limit` issue cycles or
    // more, fewer than twice as many, in which no ring's read pointer has moved.
    CpFunctional(const CpSpec& spec, GpuRegisters& registers, CpBackend& backend,
                 uint64_t instruction_limit);
    ~CpFunctional() override;

    // An access of the host, of a register by index.
    uint32_t read(uint32_t index);
    // The register's value for a debugger, without side effects.
    uint32_t inspect(uint32_t index) { return registers_.inspect(index, *this); }
    void write(uint32_t index, uint32_t value);
    // Runs every engine until it waits or polls what only the host changes. Throws MachineStop.
    void run();

    const Processor& processor(unsigned number) const;
    uint64_t activity() const;
    // Executed. instructions(), the always-on counter, counts a (rep) once; issues() each time.
    uint64_t instructions() const;
    uint64_t issues() const;
    void register_stats(StatsRegistry& stats) const;
    // Where each running engine is, unless it waits for its next packet.
    std::string waiting_for() const;
    void observe(const Observers& observers);
    void debug(DebugHook& hook);
    // Back to the state after construction, registers and counters included.
    void reset();
    void archive(Archive& a);
    void copy_state_to(CpCore& core);

    // RegisterStatus
    uint32_t value_of(CpRegister reg, uint32_t offset) override;
    uint32_t value_of(const DebugRead& read) override;

  private:
    class Unit;
    uint32_t read_by_engine(const Unit& engine, uint32_t index);
    void changed(CpRegister reg, bool by_engine);
    void count(CpRegister reg, uint32_t index, const std::string& where);
    void changed_preemption(bool by_engine);
    void start(Role role, uint64_t base);
    void carry_out(const Action& action);
    void write_checked(const Action& action);
    bool may_write_memory(const Action& action, unsigned bytes);
    void publish_read_pointer();
    Unit* find(Role role);
    void check_limit(const Unit& at_work);
    bool run(Unit& engine);

    const CpSpec& spec_;
    GpuRegisters& registers_;
    CpBackend& backend_;
    const uint64_t limit_;
    const ClusterMap no_clusters_{{}};
    const WritePool empty_pool_;  // for its debug window: no write waits in this mode
    PerfCounters perf_;
    SharedControl shared_;
    std::deque<uint32_t> meq_;
    uint64_t time_ = 1;                    // orders accesses of shared registers
    std::vector<uint32_t> read_pointers_;  // of the engines, at the last check_limit()
    uint64_t issues_left_;                 // until the next check_limit()
    DebugHook* hook_ = nullptr;
    std::vector<std::unique_ptr<Unit>> engines_;
};

}  // namespace archipelago::afuc
