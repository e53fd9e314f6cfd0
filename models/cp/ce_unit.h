// SPDX-License-Identifier: Apache-2.0
// The constant engine between its channels. What it does is on the pins: CeCore, or the Verilog
// twin. "Radeon Southern Islands Acceleration" 1.3.3, 2.3, 2.5.15.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stall_cycles.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/cp/ce_core.h"
#include "models/cp/ce_message.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"

namespace archipelago::cp {

class CeUnit : public Unit {
  public:
    // `pins` takes the place of the core and must outlive this; null: the core.
    explicit CeUnit(const Spec& spec, rtl::PinBlock<rtl::CpCePins>* pins = nullptr);

    std::vector<Channel<MeqEntry>> stream;  // one per ring
    Channel<DeMessage> message;             // of ME
    Channel<MemResponse> response;          // of L2
    EventLink<HaltChange> halt;
    Wire<bool> busy;

    OutputChannel<MemRequest> to_l2{this};
    OutputChannel<CeGrant> to_me{this};
    OutputEvent<CePacketDone> to_fetch{this};

    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;
    // CP_ME_CNTL.CE_HALT: takes nothing but answers of memory.
    void set_halted(bool halted) {
        halted_ = halted;
        wake_at(0);
    }

    // What the model keeps; meaningless with pins of a twin.
    const CeCore& core() const { return core_; }
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

  private:
    using In = rtl::CpCePins::In;
    using Out = rtl::CpCePins::Out;
    struct Ring {
        bool in_packet = false;
        Location location;
        uint32_t header = 0;
        const PacketInfo* info = nullptr;
        std::array<uint32_t, 4> body{};
        uint32_t have = 0;
        CeReason reason = CeReason::None;
        bool de_waits = false;
        DeKind de_kind = DeKind::WaitCounter;
        Cycle began = 0;
        // Timeline: sets of constants that CE has finished and DE has not yet left.
        int64_t ahead = 0;
        Cycle ahead_since = 0;
    };
    // On its way to memory and back.
    struct Access {
        uint16_t tag = 0;
        uint64_t line = 0;
        Location location;
    };
    struct Counters {
        std::array<uint64_t, static_cast<size_t>(CePacket::kCount)> packets{};
        StallCycles<CeReason> stalls;
        uint64_t dwords = 0;
        uint64_t dump_lines = 0, dump_bytes = 0;
        uint64_t load_lines = 0, load_bytes = 0;
        uint64_t grants = 0;
    };
    bool sample(Cycle now);
    void take(Cycle now, unsigned ring);
    void request(Cycle now);
    void answered();
    void take_message(Cycle now);
    void end_packet(Cycle now);
    void ahead(Cycle now, unsigned ring, int change);
    void trace_ahead(unsigned ring, Cycle end) const;
    void trace_packet(unsigned ring, Cycle end) const;
    [[noreturn]] void stop();
    static std::string packet_fault(CeStop code, const std::string& name, uint32_t info);
    [[noreturn]] void stop_for_memory(const std::string& unit) const;
    bool working() const;

    const Spec spec_;
    CeCore core_;
    rtl::PinBlock<rtl::CpCePins>* pins_;
    In in_;
    Out out_;
    bool halted_ = false;
    bool active_ = false;  // in the cycle stepped last
    std::array<Ring, kCeRings> rings_;
    std::vector<Access> accesses_;
    uint64_t uid_ = 0;
    Counters counters_;
    Observers observers_;
    std::string path_;
    std::array<TrackId, kCeRings> track_{};
    std::array<TrackId, kCeRings> ahead_track_{};
};

// On a chip without a constant engine: stops at what needs one.
[[noreturn]] void no_ce(const std::string& place, const char* what);

// "waits for ..." of a reason.
const char* to_string(CeReason reason);

}  // namespace archipelago::cp
