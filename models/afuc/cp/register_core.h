// SPDX-License-Identifier: Apache-2.0
// The GPU registers in cycle mode: accesses of the host and of the engines, one after the other,
// and what follows from them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/afuc/cp/cp_spec.h"
#include "models/afuc/cp/gpu_registers.h"
#include "models/afuc/cp/perf_counters.h"
#include "models/afuc/cp/write_pool.h"
#include "models/common/interrupt.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"

namespace archipelago::afuc {

// Engine -> registers.
struct RegisterAccess {
    // Secure: secure mode on or off. Untrusted: a write of memory has been dropped in it, whose
    // address is `index` and `value`.
    enum class Kind : uint8_t { Write, Read, Interrupt, Barrier, Secure, Untrusted };
    Kind kind = Kind::Write;
    bool checked = false;  // CP_PROTECT is asked
    uint8_t tag = 0;       // of a read, returned
    uint32_t index = 0;
    uint32_t value = 0;
    uint32_t pc = 0, packet = 0;  // see Processor::where_at()
};
// Registers -> engine: a register read, or that all before a barrier is done.
struct RegisterAnswer {
    bool barrier = false;
    uint8_t tag = 0;
    uint32_t value = 0;
};
// Registers, engines -> engine.
struct StartEngine {
    uint64_t base = 0;
};

// Registers -> engine: what holds from now on.
struct TrustUpdate {
    Trust trust;
    bool answers = false;  // the engine's Secure, which is
    bool done = false;     // or refused
};

struct PreemptRequest {
    bool on = false;  // or no longer
};

class RegisterCore : public Unit, private RegisterStatus {
  public:
    explicit RegisterCore(const CpSpec& spec);

    Channel<RegRequest> host;
    std::vector<Channel<RegisterAccess>> access;  // of the engines

    OutputChannel<RegResponse> to_host{this};
    std::vector<OutputChannel<RegisterAnswer>> to_engine;
    std::vector<OutputEvent<StartEngine>> to_start;
    std::vector<OutputEvent<RingSettings>> to_ring;
    std::vector<OutputEvent<TrustUpdate>> to_trust;
    OutputEvent<PreemptRequest> to_preempt{this};  // of the first engine
    OutputEvent<Interrupt> to_interrupt{this};
    // Of the engines, in their order.
    std::vector<const Wire<EngineView>*> views;
    std::vector<const Wire<IdleTime>*> idle_times;
    // What an engine shows of itself. A read in cycle mode asks it and its fetch (null: it has
    // none), in the same cycle; the answer comes to `shown`.
    std::vector<OutputEvent<DebugRead>> to_debug, to_fetch_debug;
    EventLink<uint32_t> shown;
    std::vector<std::function<uint32_t(const DebugRead&)>> shows;
    // What errors of an access begin with.
    std::vector<std::function<std::string(const RegisterAccess&)>> origins;
    // Of the engines: their pool of register writes has no room for the next.
    std::vector<Wire<bool>> pool_full;

    GpuRegisters& file() { return file_; }
    // For a debugger; nothing changes.
    uint32_t inspect(uint32_t index) { return file_.inspect(index, *this); }
    // Once all units have registered their counters.
    void connect_counters(const StatsRegistry& stats);
    PerfCounters& perf() { return perf_; }
    const WritePool& pool(unsigned engine) const { return pools_[engine]; }

    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers);
    void finish_trace(Cycle now) const;

  private:
    // A read of a debug register that an engine has been asked for; one at a time.
    struct Asked {
        unsigned reader = kNobody;
        std::optional<uint32_t> value{};
    };
    static constexpr unsigned kNobody = ~0u;
    static constexpr unsigned kHost = ~1u;

    bool serve_host(Cycle now);
    bool is_debug(uint32_t index) const { return file_.map().at(index) == CpRegister::Debug; }
    bool has_answer(Cycle now, unsigned reader, uint32_t index);
    uint32_t read(unsigned reader, uint32_t index);
    bool has_pool(size_t engine) const {
        return spec_.pool.blocks != 0 && spec_.processors[engine].has_pool();
    }
    bool drain_pools(Cycle now);
    Cycle pools_due() const;
    bool serve(Cycle now, unsigned engine);
    bool write(Cycle now, unsigned engine, const RegisterAccess& a);
    bool put_in_pool(Cycle now, unsigned engine, uint8_t clusters, const RegisterAccess& a);
    bool carry_out(Cycle now, unsigned engine, const RegisterAccess& a);
    void changed(Cycle now, CpRegister reg, bool by_engine);
    void changed_by(Cycle now, CpRegister reg, unsigned engine, const RegisterAccess& a);
    void count(Cycle now, CpRegister reg, uint32_t index, const std::string& where);
    void announce_ring(Cycle now, bool by_engine);
    void announce_preemption(Cycle now, bool by_engine);
    void set_secure(Cycle now, unsigned engine, bool on);
    void note_untrusted(Cycle now, unsigned engine, const RegisterAccess& a);
    void refuse(Cycle now, unsigned engine, const RegisterAccess& a);
    void raise(Cycle now, uint32_t bit);
    // RegisterStatus
    uint32_t value_of(CpRegister reg, uint32_t offset) override;
    uint32_t value_of(const DebugRead& read) override;

    const CpSpec& spec_;
    GpuRegisters file_;
    PerfCounters perf_;
    const ClusterMap clusters_;
    std::vector<WritePool> pools_;  // of the engines; of some nothing goes through it
    bool pools_busy_ = false;       // one of them is not empty
    Asked asked_;
    Cycle now_ = 0;
    uint64_t reads_ = 0, writes_ = 0, violations_ = 0, untrusted_ = 0;
};

// The always-on counter in a cycle of the GPU's clock.
inline uint64_t always_on_at(const CpSpec& spec, Cycle now) {
    return now / spec.clock_hz * spec.always_on_hz +
           now % spec.clock_hz * spec.always_on_hz / spec.clock_hz;
}

}  // namespace archipelago::afuc
