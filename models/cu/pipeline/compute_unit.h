// SPDX-License-Identifier: Apache-2.0
// The unit between SPI, the first-level caches and what exports and messages go to: the core, or a
// compute unit on pins.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/common/gds_message.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/cu/pipeline/cu_spec.h"
#include "models/cu/pipeline/cu_state.h"
#include "models/cu/pipeline/wave_init.h"
#include "models/cu/pipeline/wave_ledger.h"
#include "models/gcn/compute_message.h"
#include "models/gcn/export_message.h"
#include "models/gcn/sqc_message.h"
#include "models/mc/surface/tile_mode.h"

namespace archipelago::cu {

class RetireSink;

// Name and position of the unit.
struct CuIdentity {
    std::string name = "cu0";  // in errors and reports, "se0.sh1.cu3"
    CuPosition position;
    uint16_t source = 0;      // MemRequest::source
    uint16_t cache_port = 0;  // index among the units that share instruction and scalar cache
};

// A wave in a report of what a chip waits for.
struct ResidentWave {
    unsigned simd = 0, slot = 0;
    uint32_t dispatch = 0;
    uint64_t pc = 0;
    const char* state = "";
    unsigned vm_count = 0, lgkm_count = 0, exp_count = 0;
};

class ComputeUnit : public Unit {
  protected:
    // Next to the base classes' state: every tick reads it. Of a unit that wants them, input bits
    // of the channels that are not empty.
    uint64_t inputs_ = 0;

  public:
    Channel<WaveLaunch> launch_in;
    Channel<FetchResponse> fetch_in;
    Channel<ScalarResponse> scalar_in;
    Channel<MemResponse> mem_in;
    Channel<CacheActionDone> l1_action_done_in;
    Channel<GdsResponse> gds_in;

    OutputChannel<WaveDone> to_wave_done{this};
    OutputChannel<FetchRequest> to_fetch{this};
    OutputChannel<ScalarRequest> to_scalar{this};
    OutputChannel<MemRequest> to_memory{this};
    // buffer_wbinvl1: an L1 invalidation, finished by l1_action_done_in. Not connected, there is no
    // L1 to invalidate.
    OutputChannel<CacheAction> to_l1_action{this};
    // s_icache_inv. Not connected, the instruction stops the machine.
    OutputChannel<CacheAction> to_inst_action{this};
    // What is not connected stops the machine by name when a wave uses it. Graphics messages are
    // all but interrupts.
    OutputChannel<GdsRequest> to_gds{this};
    OutputChannel<ExportMessage> to_export{this};
    OutputChannel<ShaderMessage> to_interrupts{this};
    OutputChannel<ShaderMessage> to_graphics{this};

    // Where the cycles of the unit's waves go; shared by the units of a chip.
    virtual void use_ledger(std::shared_ptr<WaveLedger> ledger) = 0;
    // What the ledger does not have yet: of the dispatches of which waves are resident, charged up
    // to `now`; of a wave whose barrier opens, up to where it may go on.
    virtual std::vector<OpenDispatch> resident_work(Cycle now) const = 0;
    // Reports what waves launched from now on execute to `sink`, which must outlive this; null: no
    // reports.
    virtual void use_retire(RetireSink* sink) = 0;
    // A wave that has not ended after so many instructions stops the machine.
    void set_instruction_limit(uint64_t per_wave) { instruction_limit_ = per_wave; }

    // The GB block's registers, as the texture unit's address calculation sees them: their values
    // after reset, and the way later writes come.
    virtual void set_tiling(const surface::TilingRegisters& tiling) = 0;
    virtual void connect_tiling(EventLink<surface::TilingWrite>& in) = 0;
    // What writes have made of them that the unit has not seen.
    virtual void take_tiling(const surface::TilingRegisters& tiling) = 0;

    virtual void register_stats(StatsRegistry& registry, const std::string& path) const = 0;
    virtual void observe(const Observers& observers, const std::string& path) = 0;
    // Reports the slices that are still open as if these ended now.
    virtual void finish_trace(Cycle now) const = 0;
    virtual const WorkCounters& work() const = 0;
    // A wave has ended and nothing said which instructions it executed: work() does not count them,
    // and the sink has not heard of them.
    virtual bool silent() const { return false; }
    // Waves have ended, and the sink has not heard of all their instructions yet.
    virtual bool owes_records() const { return false; }
    virtual std::vector<ResidentWave> resident_waves() const = 0;  // in order of issue
    const CuSpec& spec() const { return spec_; }

  protected:
    ComputeUnit(const CuSpec& spec, CuIdentity identity)
        : launch_in(spec.launch_in, identity.name + ".launch_in"),
          fetch_in(spec.fetch_in, identity.name + ".fetch_in"),
          scalar_in(spec.scalar_in, identity.name + ".scalar_in"),
          mem_in(spec.mem_in, identity.name + ".mem_in"),
          l1_action_done_in(spec.l1_action_done_in, identity.name + ".l1_action_done_in"),
          gds_in(spec.gds_in, identity.name + ".gds_in"),
          spec_(spec),
          identity_(std::move(identity)) {}

    CuSpec spec_;
    CuIdentity identity_;
    uint64_t instruction_limit_ = ~uint64_t{0};
};

// The counters of a compute unit in the statistics of a chip.
void register_cu_stats(StatsRegistry& registry, const std::string& path, const Counters& counters);

// Makes the compute units of a chip in place of the core.
class CuFactory {
  public:
    virtual ~CuFactory() = default;
    // `number`: which of the chip's; null: the chip's own stays there. The factory outlives the
    // unit. Throws std::invalid_argument that names what it does not support of the Spec.
    virtual std::unique_ptr<ComputeUnit> make(const CuSpec& spec, const CuIdentity& identity,
                                              std::shared_ptr<DecodeCache> decode_cache,
                                              unsigned number) = 0;
};

}  // namespace archipelago::cu
