// SPDX-License-Identifier: Apache-2.0
// Parameters of the command processor. Every latency and size lives here; behaviour has none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/cp/ce_spec.h"
#include "models/cp/packet_cost.h"
#include "models/cp/pm4/packet_program.h"
#include "models/cp/pm4/packet_table.h"
#include "models/cp/register_map.h"
#include "models/front/ring_fetch_core.h"

namespace archipelago::cp {

// A list of registers. Empty: every register. Copies share the table until one of them changes:
// each unit of CP has its own copy of the Spec.
class RegisterSet {
  public:
    // Byte offsets, inclusive.
    void allow(uint32_t first, uint32_t last) {
        if (runs_.use_count() != 1)
            runs_ = runs_ == nullptr ? std::make_shared<Runs>() : std::make_shared<Runs>(*runs_);
        Runs& runs = *runs_;
        uint32_t place = last / 4 + 1;
        while (place-- > first / 4)
            runs[place] = longer(runs[place + 1]);
        for (++place; place-- > 0 && runs[place] != 0;)
            runs[place] = longer(runs[place + 1]);
    }
    bool allows(uint32_t offset) const { return allows(offset, 1); }
    // All of `count` registers.
    bool allows(uint32_t offset, uint32_t count) const {
        uint32_t place = offset / 4;
        while (runs_ != nullptr) {
            const uint32_t run = place < kApertureDwords ? (*runs_)[place] : 0;
            if (run >= count)
                return true;
            if (run == 0)
                return false;
            place += run;
            count -= run;
        }
        return true;
    }

  private:
    static constexpr uint32_t kApertureDwords = 0x10000;
    static uint8_t longer(uint8_t run) { return run == 0xFF ? run : static_cast<uint8_t>(run + 1); }
    // By dword: how many from it on are in the list, at most 255.
    using Runs = std::array<uint8_t, kApertureDwords + 1>;
    std::shared_ptr<Runs> runs_;
};

struct Spec {
    // ---- the family's
    const PacketTable* packets = nullptr;
    const RegisterMap* registers = nullptr;
    unsigned rings = 1;   // 0 graphics, the others compute
    unsigned levels = 2;  // ring, IB1, ...
    // What the thresholds of the queues divide.
    static constexpr unsigned kMaxRings = 3, kMaxLevels = 3;
    // ---- the chip's
    std::shared_ptr<const PacketTable> own_packets;  // keeps `packets`, when it is the chip's own
    // That packets of user address spaces (VMID other than 0) may write: those they name
    // themselves, not those that drawing and the like write for them.
    RegisterSet user_registers;
    RegisterSet known_registers;  // there is nothing at any other offset
    bool strict = false;          // warnings stop (pm4/warnings.h)

    // ---- queues. Thresholds: what the Linux driver programs into CP_QUEUE_THRESHOLDS and
    // CP_MEQ_THRESHOLDS on every SI chip. A unit of 16 dwords follows from the 10-bit dword
    // pointers of CP_ROQ_*_STAT over the 6-bit thresholds. Each ring has its own reorder queue
    // here.
    static constexpr unsigned kMaxRoqUnits = 255;
    unsigned roq_unit_dwords = 16;
    unsigned roq_units = 64;
    unsigned roq_ib1_start = 22;  // units before it hold the ring
    unsigned roq_ib2_start = 43;
    unsigned meq_dwords = 128;  // of all rings
    unsigned meq1_start = 48;   // dwords before it belong to ring 0
    unsigned meq2_start = 96;
    unsigned meq_latency = 1;  // cycles from PFP to ME

    // ---- fetch
    unsigned fetch_outstanding = 16;  // lines in flight, all rings and levels together
    unsigned fetch_burst_lines = 4;   // lines of one stream before another gets its turn
    unsigned roq_latency = 1;         // cycles from a complete line to PFP

    // ---- engines
    unsigned pfp_packet_cycles = 1;  // microcode between the routing dwords and the decision
    unsigned me_packet_cycles = 1;   // microcode between the fixed dwords and the first operation
    // That each of the two takes, with as many operations. More than 1 is no hardware's: it shows
    // what the width costs (configs/what_if.yaml).
    static constexpr unsigned kMaxDwordsPerCycle = 64;
    unsigned dwords_per_cycle = 1;
    // Not null: what packets cost PFP and ME, in place of the three numbers above.
    std::shared_ptr<const PacketCost> microcode;
    static constexpr unsigned kMaxEvents = 256;
    unsigned events_in_flight = 16;  // posted to the pipe and not yet done, per ring
    PollTiming poll;                 // "Southern Islands Acceleration" 2.8.10 and 2.8.11

    // ---- units after the engines
    unsigned depth_blocks = 8;  // pairs of counters a ZPASS_DONE writes: 1 to 8
    unsigned eop_depth = 16;    // end-of-pipe commands waiting, all rings
    static constexpr unsigned kMinDmaLines = 3, kMaxDmaLines = 255;
    unsigned dma_read_lines = 32;  // lines the DMA engine may have requested and not yet written
    unsigned dma_outstanding_writes = 32;
    unsigned gds_store_reads = 4;  // pieces of the GDS read ahead on their way to memory
    static constexpr unsigned kMinWritebacks = 2;
    unsigned writeback_depth = 8;  // scratch and read pointer writes waiting for memory

    bool constant_engine = true;  // without it, what needs it stops by name
    CeSpec ce;

    // ---- channels and strobes, cycles and places
    ChannelSpec memory_client{4, 1};  // unit -> memory interface
    ChannelSpec memory_return{4, 1};  // memory interface -> unit
    ChannelSpec memory_in{8, 1};      // responses from outside
    ChannelSpec register_client{4, 1};
    ChannelSpec register_return{2, 1};
    ChannelSpec register_in{4, 1};      // responses of the register bus
    ChannelSpec register_target{4, 1};  // requests to CP's own registers
    ChannelSpec command{2, 1};          // PFP -> fetch, ME -> DMA, units -> coherency
    ChannelSpec done{8, 1};
    ChannelSpec gds_client{2, 1};  // unit -> GDS interface
    ChannelSpec gds_return{2, 1};  // GDS interface -> unit
    ChannelSpec gds_in{4, 1};      // answers of the GDS
    unsigned strobe_latency = 1;

    // ---- reset values and the rest
    uint32_t int_cntl_reset = 0;  // CP_INT_CNTL_RING0..2
    // GPU clock counter = CP clock cycles * mul / div. The counter runs at CP's clock by default.
    uint32_t gpu_clock_mul = 1;
    uint32_t gpu_clock_div = 1;
    RegisterNamer register_namer = nullptr;

    // The last ring and the last level have all that is left.
    unsigned roq_lines(unsigned level) const {
        return part(level, levels, {0, roq_ib1_start, roq_ib2_start, roq_units});
    }
    unsigned meq_size(unsigned ring) const {
        return part(ring, rings, {0, meq1_start, meq2_start, meq_dwords});
    }
    front::FetchSpec fetch() const;
    // As after a reset.
    DeState de_state() const { return DeState(*registers, rings, strict); }
    // What is wrong with the values, one sentence each; empty when they can be built.
    std::vector<std::string> problems() const;

  private:
    static unsigned part(unsigned i, unsigned count, const std::array<unsigned, 4>& starts) {
        return (i + 1 == count ? starts.back() : starts.at(i + 1)) - starts.at(i);
    }
};

}  // namespace archipelago::cp
