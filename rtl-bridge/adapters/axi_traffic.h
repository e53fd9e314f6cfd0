// SPDX-License-Identifier: Apache-2.0
// Counts what passes the pins of an AXI port, and the cycles that pass for nothing. No SystemC.
#pragma once

#include <cstdint>

#include "models/common/stats.h"
#include "rtl-bridge/adapters/axi_pins.h"

namespace archipelago::adapters {

// A channel: what it moved, and the cycles in which one side waited for the other.
struct ChannelTraffic {
    uint64_t moved = 0;
    uint64_t stalls = 0;  // cycles with VALID and without READY
    void edge(bool valid, bool ready) {
        moved += valid && ready ? 1 : 0;
        stalls += valid && !ready ? 1 : 0;
    }
};

class AxiTraffic {
  public:
    // One cycle, as sampled before its edge. What is on the port in a reset is gone.
    void edge(const AxiInitiatorPins& i, const AxiTargetPins& t, bool in_reset) {
        if (in_reset) {
            beats_due_ = responses_due_ = 0;
            return;
        }
        const uint64_t reads = ar_.moved, beats = r_.moved;
        const uint64_t writes = aw_.moved, data = w_.moved, responses = b_.moved;
        ar_.edge(i.ar.valid, t.arready);
        r_.edge(t.r.valid, i.rready);
        aw_.edge(i.aw.valid, t.awready);
        w_.edge(i.w.valid, t.wready);
        b_.edge(t.b.valid, i.bready);
        read_waits_ += beats_due_ != 0 && r_.moved == beats ? 1 : 0;
        write_waits_ += responses_due_ != 0 && w_.moved == data && b_.moved == responses ? 1 : 0;
        beats_due_ += (ar_.moved - reads) * (i.ar.len + 1u) - (r_.moved - beats);
        responses_due_ += (aw_.moved - writes) - (b_.moved - responses);
    }
    void declare(const UnitStats& add, bool has_read, bool has_write) const {
        if (has_read) {
            add("reads", "transactions", "read addresses taken", &ar_.moved);
            add("read_beats", "beats", "beats of read data", &r_.moved);
            add("ar_stalls", "cycles", "ARVALID without ARREADY", &ar_.stalls);
            add("r_stalls", "cycles", "RVALID without RREADY", &r_.stalls);
            add("read_waits", "cycles", "a read is on the port and no data moves", &read_waits_);
        }
        if (has_write) {
            add("writes", "transactions", "write addresses taken", &aw_.moved);
            add("write_beats", "beats", "beats of write data", &w_.moved);
            add("aw_stalls", "cycles", "AWVALID without AWREADY", &aw_.stalls);
            add("w_stalls", "cycles", "WVALID without WREADY", &w_.stalls);
            add("b_stalls", "cycles", "BVALID without BREADY", &b_.stalls);
            add("write_waits", "cycles",
                "a write is on the port and neither data nor response moves", &write_waits_);
        }
    }

  private:
    ChannelTraffic ar_, r_, aw_, w_, b_;
    uint64_t read_waits_ = 0, write_waits_ = 0;
    uint64_t beats_due_ = 0;      // of reads accepted
    uint64_t responses_due_ = 0;  // of writes accepted
};

// Words with ready and valid, or strobes, which are always taken.
class StreamTraffic {
  public:
    void edge(bool valid, bool ready, bool in_reset) {
        if (!in_reset) {
            words_.edge(valid, ready);
            waits_ += ready && !valid ? 1 : 0;
        }
    }
    void declare(const UnitStats& add, bool strobe) const {
        add("words", "beats", strobe ? "strobes" : "words taken", &words_.moved);
        if (strobe)
            return;
        add("stalls", "cycles", "VALID without READY", &words_.stalls);
        add("waits", "cycles", "READY without VALID", &waits_);
    }

  private:
    ChannelTraffic words_;
    uint64_t waits_ = 0;
};

}  // namespace archipelago::adapters
