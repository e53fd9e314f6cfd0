// SPDX-License-Identifier: Apache-2.0
// PFP and ME on packets that only set registers, worked out for many cycles at once. Between draws
// a command stream is nothing else, and what both do with it follows from the dwords that are in
// the reorder queue. Nothing but the host's time shows that it was done: register writes leave and
// lines are taken in their cycles, and whatever comes in between (a halt, an event, a full bus, a
// look at the counters) finds both engines in the state their own ticks would have led to.
//
//   begin: take both states over -> play: leave and take in time -> end or disturbed: give them
//   back
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/channel.h"
#include "models/common/held_writes.h"
#include "models/common/stall_cycles.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/me_core.h"
#include "models/cp/packet_table.h"
#include "models/cp/pfp_core.h"
#include "models/cp/port_mux.h"

namespace archipelago::cp {

enum BusClient : unsigned { kBusPfp, kBusMe, kBusCe, kBusClients };
using RegisterBusPort = PortMux<RegRequest, RegResponse, kBusClients>;

// A packet, as far as both engines know it.
struct RunPacket {
    const PacketInfo* info = nullptr;
    uint32_t header = 0;
    uint32_t place = 0;  // of the header in its buffer, dwords
    uint32_t left = 0;   // body dwords not yet taken
    Cycle ready_at = 0;
    Cycle began = 0;
};

// What PFP's state comes down to in an indirect buffer of packets that set registers. Phases:
// Header, Microcode and Forward.
struct RunParser {
    unsigned ring = 0;
    uint8_t level = 0;
    uint64_t base = 0;  // of the buffer
    PfpPhase phase = PfpPhase::Header;
    RunPacket packet;
    uint32_t forwarded = 0;
    uint32_t position = 0, end = 0;
    const RoqLine* line = nullptr;  // the last it took
    uint8_t used = 0;
    bool has_line = false;
    int current = -1;
    Cycle waits_from = kNever;
    uint64_t dwords = 0, packets = 0;  // since the run began
    bool finished = false;             // a packet, since the run began
    StallCycles<StallReason> stalls;
};

// ME's. Phases: all but Drop.
struct RunEngine {
    MePhase phase = MePhase::Header;
    RunPacket packet;
    uint32_t offset_dword = 0;         // the first of the body
    uint32_t offset = 0;               // Execute: of the next register
    uint32_t count = 0;                // registers not yet written
    uint32_t written = 0;              // of the packet, since the run began
    bool started = false;              // the packet in Execute, since the run began
    const PacketInfo* last = nullptr;  // started since the run began and finished, the newest
    int current = -1;
    uint64_t dwords = 0, packets = 0;  // since the run began
    StallCycles<StallReason> stalls;
};

struct RegisterRun;

class StateRun final : public HeldWrites {
  public:
    StateRun(const Spec& spec, PfpCore& pfp, MeCore& me, RegisterBusPort& bus);
    // From now on register writes are held back where `way` allows it.
    void hold_writes(WritesWay& way) {
        way_ = &way;
        bus_.hold_for(kBusMe, *this);
    }

    // What a tick of PFP or ME in cycle `now` has to ask first. True: that is all; `again` is what
    // the tick returns. False: the engine goes on by itself.
    bool parser_tick(Cycle now, bool& again);
    bool engine_tick(Cycle now, bool& again);
    // Gives both states back as they are at the start of cycle `at`, not before what has been
    // ticked: for those who look at them between cycles.
    void settle(Cycle at);
    void reset();

    // ---- HeldWrites
    void let_go(Cycle now) override;
    void let_go_before(Cycle now) override {
        if (next_held_ != held_count_ && kept_[next_held_].at + to_bus_ < now)
            release(now, now, false);
    }

    // Cycles worked out ahead, and how often that was in vain.
    uint64_t cycles() const { return cycles_; }
    uint64_t disturbed() const { return disturbed_; }

  private:
    struct Write {
        Cycle at = 0;
        uint32_t offset = 0;
        uint32_t value = 0;
    };
    // Writes of a packet that are held back, one a cycle from `at` on.
    struct Held {
        Cycle at = 0;
        uint32_t offset = 0;
        uint32_t count = 0;
        uint32_t dword = 0;  // where the values are
        Cycle to_block = 0;
        Cycle late = 0;      // waits for room on its way to the bus
        bool noted = false;  // Contexts::wrote() has to hear of them
    };
    // What became of a step: it went on, needs to know more of the other engine first, or the
    // cycle is one a run knows nothing of.
    enum class Step : uint8_t { On, Later, Stop };

    bool begin(Cycle now);
    void lay_out(const Channel<MeqEntry>& queue, const Channel<RoqLine>& lines);
    void restart();
    Cycle simulate(Cycle until);
    Step step_parser(Cycle until);
    Step step_engine(Cycle until);
    bool pass_packets(Cycle until);
    bool run_packets(Cycle until);
    // The packet of a header that sets registers; null: it is another.
    const PacketInfo* packet_of(uint32_t header) const {
        return header_type(header) == 3 ? sets_[header_opcode(header)] : nullptr;
    }
    bool opens_packet(uint32_t header, uint32_t n) const;
    bool names_run(const RunPacket& packet, uint32_t offset_dword, RegisterRun& run) const;
    static bool names_quiet_run(const RunPacket& packet, uint32_t offset_dword, RegisterRun& run);
    uint32_t place_of(uint32_t n) const {
        return n < queued_ ? queued_place_[n] : first_place_ + (n - queued_);
    }
    // Whether PFP has the next dword, or when it comes.
    bool dword_known(Cycle& ready) const {
        ready = cursor_ == line_start_[taken_] ? line_ready_[taken_] : 0;
        return cursor_ != dwords_end_;
    }
    uint32_t take_dword(Cycle now) {
        if (cursor_ == line_start_[taken_])
            line_taken_[taken_++] = now;
        return dwords_[cursor_++];
    }
    void write(Cycle now, uint32_t value) {
        writes_[written_++] = {now, engine_.offset, value};
        engine_.offset += 4;
        --engine_.count;
        ++engine_.written;
    }
    void push(Cycle now) {
        ready_[tail_++] = now + latency_;
        if (engine_at_ == kNever)  // it waits for an entry
            engine_at_ = now + latency_;
    }
    uint32_t pop(Cycle now) {
        popped_[head_] = last_pop_ = now;
        if (parser_at_ == kNever)  // it waits for a place
            parser_at_ = now + 1;
        return dwords_[head_++];
    }
    // When the place for the n-th entry is free: kNever while it is not known.
    Cycle room_for(uint32_t n) const {
        if (n < places_)
            return 0;
        return n - places_ < head_ ? popped_[n - places_] + 1 : kNever;
    }
    void wait_for_burst(Cycle start, uint32_t count);
    void hold_back();
    void release(Cycle now, Cycle issued, bool all);
    void take_held(Held& held, uint32_t count);
    RegRequest request_of(const Held& held) const;
    void give_back();
    void wake_both(Cycle at);
    void end(Cycle now);
    void disturb(Cycle now, bool parser_ticks);
    void take_lines();
    bool play_engine(Cycle now, bool& again);

    static constexpr uint32_t kNoPlace = 0xFFFFFFFF;  // of an entry that is no header
    static constexpr Cycle kShortest = 16, kFirst = 64, kLongest = 448;
    static constexpr unsigned kLines = kLongest / 16 + 2;

    PfpCore& pfp_;
    MeCore& me_;
    RegisterBusPort& bus_;
    WritesWay* way_ = nullptr;
    std::array<const PacketInfo*, 256> sets_{};  // by opcode: packets that set registers
    const uint32_t places_;  // of the micro engine queue, of ring 0: others run by themselves
    const Cycle latency_;
    const Cycle parser_cycles_, engine_cycles_;
    const bool possible_;

    bool active_ = false;
    Cycle begin_ = 0, end_ = 0;
    Cycle length_ = kFirst;
    Cycle retry_at_ = 0;
    // Cycle of each engine's last tick, and of the last that was made for it already.
    Cycle parser_ticked_ = kNever, engine_ticked_ = kNever;
    Cycle parser_made_ = kNever, engine_made_ = kNever;

    RunParser parser_, parser_begin_;
    RunEngine engine_, engine_begin_;
    // Next cycle in which each may do something: kNever when that hangs on the other.
    Cycle parser_at_ = 0, engine_at_ = 0;
    Cycle parser_last_ = 0, engine_last_ = 0;  // the last one looked at
    // What passes the micro engine queue from the beginning on: the dwords that it holds, the
    // header that PFP holds, those in the reorder queue. Entry n of the queue is dword n; when each
    // may be taken by ME, and was.
    std::vector<uint32_t> dwords_;
    std::vector<Cycle> ready_, popped_;
    uint32_t head_ = 0, tail_ = 0;
    uint32_t queued_ = 0;                 // entries at the beginning
    std::vector<uint32_t> queued_place_;  // of the headers among them
    uint32_t first_place_ = 0;            // of the first dword behind them, in the buffer
    Cycle last_pop_ = 0;
    // Dwords that PFP takes: the next, the one behind those known, the one behind the buffer.
    uint32_t cursor_ = 0, cursor_begin_ = 0, dwords_end_ = 0, buffer_end_ = 0;
    // Lines of the reorder queue: which dword opens each, from when on it is there, and the cycle
    // in which it is taken. Behind the last one that no dword opens.
    std::array<uint32_t, kLines + 2> line_start_{};
    std::array<Cycle, kLines + 2> line_ready_{}, line_taken_{};
    std::array<uint8_t, kLines> line_first_{};
    RoqLine line_;
    unsigned taken_ = 0;
    std::vector<Write> writes_;
    // Held back: [next_held_, held_count_) are, in the order in which they leave.
    std::vector<Held> kept_;
    size_t next_held_ = 0, held_count_ = 0;
    bool holding_ = false;  // while the run is worked out
    Cycle to_bus_ = 0;      // from when ME pushes a write to when the bus has it
    Cycle most_to_block_ = 0;
    unsigned burst_ = 0;   // so many writes in a row do not wait for each other on their way
    Cycle burst_gap_ = 0;  // so many cycles late are as many more
    unsigned most_held_ = 0;
    Cycle hold_from_ = 0, hold_from_begin_ = 0;  // earlier ones may have to
    size_t written_ = 0, played_writes_ = 0;
    uint64_t cycles_ = 0, disturbed_ = 0;
};

}  // namespace archipelago::cp
