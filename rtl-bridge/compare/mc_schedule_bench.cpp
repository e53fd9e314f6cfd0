// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the scheduler of a memory controller channel: few banks, rows and lines, which
// two ports ask for in bursts; configurations of every size.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/mc/mc_schedule_pins.h"
#include "pins/mc_schedule_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/instance_recording.h"

namespace archipelago::rtl {
namespace {

using Pins = McSchedulePins;
using In = Pins::In;
using Out = Pins::Out;
using Kind = mc::DramCommand::Kind;

// ---- traffic recorded in a chip

// Channel by channel.
class ScheduleRecording : public InstanceRecording<mc::McScheduleCore>, public mc::ScheduleFactory {
  public:
    static constexpr uint64_t kMax = 600'000;
    static constexpr unsigned kMaxChannels = 12;
    explicit ScheduleRecording(uint64_t limit)
        : InstanceRecording(std::max<uint64_t>(std::min(limit, kMax) / kMaxChannels, 1)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<mc::ScheduleFactory>(*this);
    }
    PinBlock<Pins>& block(unsigned channel) override { return add(channel < kMaxChannels); }
};

// ---- random traffic

class ScheduleStimulus : public Stimulus<Pins> {
  public:
    explicit ScheduleStimulus(const CosimOptions& options)
        : random_(options.seed), recorded_(options) {
        add_bins();
    }

    void next(In& in) override {
        if (recorded_) {
            in = recorded_.next();
            return;
        }
        if (cycles_left_-- == 0) {
            begin();
            in = now_;
            return;
        }
        now_.rst = 0;
        pass_time();
        if (pause_left_ > 0)
            --pause_left_;
        else if (random_.one_in(400))
            pause_left_ = 1 + random_.below(random_.one_in(4) ? 600 : 20);
        now_.pause = pause_left_ > 0 ? 1 : 0;
        now_.done_valid = moved_ != 0 && done_flow_.next(random_) ? 1 : 0;
        offer(now_.l2, now_.l2_valid, l2_held_, l2_flow_);
        offer(now_.hub, now_.hub_valid, hub_held_, hub_flow_);
        in = now_;
    }

    void observe(const In& in, const Out& out) override {
        if (in.rst != 0) {
            coverage_.hit(flow_, 0, before_.reads + before_.writes != 0);
            before_ = {};
            waiting_.fill(false);
            return;
        }
        count(in, out);
        take(in.l2, out.l2_ready, l2_held_);
        take(in.hub, out.hub_ready, hub_held_);
        moved_ -= in.done_valid;
        if (is_column(out)) {
            waiting_[out.cmd_id] = false;
            ++moved_;
        }
        before_ = out;
    }

    bool finished() const override { return recorded_.finished(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    static bool is(const Out& out, Kind kind) {
        return out.cmd_valid != 0 && out.cmd_kind == static_cast<uint8_t>(kind);
    }
    static bool is_column(const Out& out) { return is(out, Kind::Read) || is(out, Kind::Write); }

    // ---- a configuration
    template <class T, size_t N>
    void choose(T& value, const unsigned (&from)[N]) {
        value = static_cast<T>(random_.pick(from));
    }

    // A reset, other sizes and times, other lines.
    void begin() {
        Pins::Config c;
        long_time_ = 0;
        if (!random_.one_in(5))
            choose_sizes(c);
        choose_times(c);
        const uint32_t style = random_.below(5);
        sparse_ = style == 0;
        crowded_ = style >= 3;
        if (crowded_)
            choose_turns(c);
        const uint64_t now = after_reset(now_.now + 1);
        now_ = {};
        now_.rst = 1;
        now_.cfg = c;
        now_.now = now;
        cycles_left_ =
            random_.one_in(6) ? random_.below(200) : 300 + random_.below(2'000) + long_time_;
        l2_held_ = hub_held_ = false;
        pause_left_ = moved_ = 0;
        writes_ = crowded_ ? 35 + random_.below(30) : random_.below(101);
        stays_ = crowded_ ? 60 : random_.below(100);
        quiet_ = random_.one_in(3);
        choose_places();
    }
    // The cycle in which a reset of the chip ends: far below the end of the counter.
    uint64_t after_reset(uint64_t now) {
        if (random_.one_in(8))
            return uint64_t{random_.of_any_width(0, 1u << 31)} << 8;
        return now < uint64_t{1} << 39 ? now : 1;
    }
    void choose_sizes(Pins::Config& c) {
        static constexpr unsigned kGroups[] = {0, 1, 3, 3, 7, 15};
        static constexpr unsigned kEntries[] = {1, 2, 3, 8, 30, 64, 65, 100, 128};
        static constexpr unsigned kRooms[] = {1, 2, 3, 8, 64, 255};
        static constexpr unsigned kWindows[] = {1, 2, 5, 20, 63, 64, 64};
        static constexpr unsigned kStarvation[] = {1, 20, 100, 400, 1'000, 70'000};
        choose(c.group_mask, kGroups);
        choose(c.reads, kEntries);
        choose(c.writes, kEntries);
        c.writes = std::min<uint8_t>(c.writes, static_cast<uint8_t>(240 - c.reads));
        choose(c.room, kRooms);
        choose(c.lookahead, kWindows);
        choose(c.starvation, kStarvation);
        if (random_.one_in(4))
            c.starvation = random_.of_any_width(1, Pins::kMaxInterval);
        c.write_high =
            random_.one_in(8) ? c.writes : static_cast<uint8_t>(1 + random_.below(c.writes));
        c.write_low = static_cast<uint8_t>(random_.below(c.write_high));
    }
    void choose_times(Pins::Config& c) {
        static constexpr unsigned kShort[] = {1, 1, 2, 3, 7, 12};
        static constexpr unsigned kTimes[] = {1, 4, 9, 15, 30, 70};
        static constexpr unsigned kZero[] = {0, 1, 2, 5, 15};
        static constexpr unsigned kWindows[] = {0, 0, 10, 30, 90, 200};
        choose(c.burst, kShort);
        c.ccd_long = static_cast<uint16_t>(c.burst + random_.below(4));
        choose(c.cl, kTimes);
        choose(c.wl, kTimes);
        for (uint16_t* time : {&c.rcd_read, &c.rcd_write, &c.rp, &c.ras, &c.wr, &c.wtr, &c.rfc})
            choose(*time, kTimes);
        choose(c.rrd, kShort);
        choose(c.faw, kWindows);
        choose(c.rtp, kShort);
        choose(c.rtw, kZero);
        for (unsigned more = random_.below(3); more != 0; --more)
            choose_long_time(c);
        c.rc =
            static_cast<uint16_t>(std::min<unsigned>(c.ras + random_.below(30), Pins::kMaxCycles));
        const unsigned least = c.rfc + c.rp + c.ras + c.wl + c.burst + c.wr + 1u;
        const uint32_t beyond = random_.below(random_.one_in(2) ? 300 : 3'000);
        c.refi = random_.one_in(3)   ? 0
                 : random_.one_in(6) ? random_.of_any_width(least, Pins::kMaxInterval)
                                     : least + beyond;
    }
    // Few of them are long, so that the others still let something happen.
    void choose_long_time(Pins::Config& c) {
        uint16_t* const times[] = {&c.burst,     &c.ccd_long, &c.cl,  &c.wl,  &c.rcd_read,
                                   &c.rcd_write, &c.rp,       &c.ras, &c.rrd, &c.faw,
                                   &c.rtp,       &c.wr,       &c.wtr, &c.rtw, &c.rfc};
        uint16_t& time = *random_.pick(times);
        time = static_cast<uint16_t>(random_.one_in(2) ? 1 + random_.below(Pins::kMaxCycles)
                                                       : random_.of_any_width(1, Pins::kMaxCycles));
        c.ccd_long = std::max(c.ccd_long, c.burst);
        long_time_ = std::max<uint32_t>(long_time_, time);
    }
    // The bus often turns while both directions have row hits, and rows take long to open.
    void choose_turns(Pins::Config& c) {
        static constexpr unsigned kLong[] = {20, 30, 50, 70};
        static constexpr unsigned kShort[] = {1, 3, 6, 10};
        c.reads = static_cast<uint8_t>(20 + random_.below(60));
        c.writes = static_cast<uint8_t>(20 + random_.below(60));
        c.room = 255;
        c.lookahead = static_cast<uint8_t>(20 + random_.below(45));
        c.write_high = static_cast<uint8_t>(3 + random_.below(15));
        c.write_low = static_cast<uint8_t>(random_.below(c.write_high));
        c.starvation = random_.one_in(3) ? 300 : 5'000;
        for (uint16_t* time : {&c.rcd_read, &c.rcd_write, &c.rp})
            choose(*time, kLong);
        for (uint16_t* time : {&c.cl, &c.wl, &c.wtr, &c.rtw})
            choose(*time, kShort);
        c.burst = c.ccd_long = static_cast<uint16_t>(1 + random_.below(3));
        if (c.refi != 0)
            c.refi = 600 + random_.below(2'000) + long_time_;
    }
    // Some rows of some banks, which differ in one of their bits.
    void choose_places() {
        banks_ = 1 + random_.below(!crowded_ && random_.one_in(2) ? 16 : 5);
        rows_.clear();
        const uint64_t row = random_.bits() & kMaxRow;
        rows_.push_back(row);
        for (unsigned more = random_.below(4); more != 0; --more)
            rows_.push_back(row ^ uint64_t{1} << random_.below(kRowBits));
        columns_ = 1 + random_.below(random_.one_in(2) ? 16 : 3);
    }

    // ---- a cycle
    void pass_time() {
        const bool empty = before_.reads == 0 && before_.writes == 0;
        now_.now += 1;
        if (empty && random_.one_in(20))
            now_.now += random_.one_in(3) ? random_.of_any_width(0, 1u << 21) : random_.below(200);
        else if (pause_left_ != 0 && random_.one_in(60))
            now_.now += random_.of_any_width(0, Pins::kMaxInterval);
        now_.now &= (uint64_t{1} << 40) - 1;
        if (phase_left_-- == 0) {
            phase_left_ = random_.below(300);
            silent_ = quiet_ && random_.one_in(2);
        }
    }
    void offer(Pins::Request& request, uint8_t& valid, bool& held, Activity& flow) {
        const bool wanted = sparse_ ? random_.one_in(90) : flow.next(random_) || crowded_;
        if (!held && !silent_ && wanted) {
            choose(request);
            held = true;
        }
        valid = held && !random_.one_in(30) ? 1 : 0;
    }
    void choose(Pins::Request& request) {
        if (random_.below(100) >= stays_) {
            bank_ = static_cast<uint8_t>(random_.below(banks_));
            row_ = rows_[random_.below(static_cast<uint32_t>(rows_.size()))];
        }
        const uint64_t column = random_.below(columns_);
        request.write = random_.percent(writes_) ? 1 : 0;
        request.bank = bank_;
        request.row = row_;
        // Bank and column in the lowest bits and, of the same line always, in the highest ones.
        request.line = (row_ << 8 | column << 4 | bank_) & kMaxLine;
        request.line |= column << 54;
        do
            request.id = static_cast<uint8_t>(random_.word());
        while (waiting_[request.id] || (l2_held_ && request.id == now_.l2.id) ||
               (hub_held_ && request.id == now_.hub.id));
    }
    void take(const Pins::Request& request, uint8_t ready, bool& held) {
        if (ready == 0)
            return;
        held = false;
        waiting_[request.id] = true;
    }

    // ---- coverage
    void add_bins() {
        command_ = coverage_.add_group(
            "command", {"precharge", "activate", "read", "write", "all banks", "refresh"});
        event_ = coverage_.add_group(
            "event",
            {"row hit", "row miss", "row conflict", "several refreshes at once", "turnaround",
             "drain begins", "drain begins at the mark", "access has starved",
             "two accesses behind others", "long wait", "all banks closed in idle time",
             "read behind a write of the cycle", "command for what has just come"});
        flow_ = coverage_.add_group(
            "flow",
            {"reset with something inside", "both ports taken", "L2 refused", "hub refused",
             "the last entry to one of two", "paused with a request", "no room",
             "reads beyond the window", "writes beyond the window", "empties",
             "column command before a turn", "row command before a turn", "both queues full"});
        config_ = coverage_.add_group(
            "configuration", {"one group", "16 groups", "one read", "one write", "all reads",
                              "window of one", "no tFAW", "no refresh", "starves at once"});
    }
    void count(const In& in, const Out& out) {
        count_commands(in, out);
        const Pins::Config& c = in.cfg;
        const bool r_full = before_.reads == c.reads, w_full = before_.writes == c.writes;
        const bool l2_waits = in.l2_valid != 0 && out.l2_ready == 0;
        const bool hub_waits = in.hub_valid != 0 && out.hub_ready == 0;
        coverage_.hit(flow_, 1, out.l2_ready != 0 && out.hub_ready != 0);
        coverage_.hit(flow_, 2, l2_waits && in.pause == 0);
        coverage_.hit(flow_, 3, hub_waits && in.pause == 0);
        coverage_.hit(flow_, 4,
                      in.pause == 0 && l2_waits != hub_waits && in.l2.write == in.hub.write &&
                          in.l2_valid != 0 && in.hub_valid != 0);
        coverage_.hit(flow_, 5, in.pause != 0 && in.l2_valid != 0);
        coverage_.hit(flow_, 6, moved_ == c.room && out.reads + out.writes != 0);
        coverage_.hit(flow_, 7, out.reads > Pins::kWindow);
        coverage_.hit(flow_, 8, out.writes > Pins::kWindow);
        coverage_.hit(flow_, 9, is_column(out) && out.reads == 0 && out.writes == 0);
        const bool both = out.reads != 0 && out.writes != 0;
        coverage_.hit(flow_, 10, both && is(out, out.writing != 0 ? Kind::Read : Kind::Write));
        coverage_.hit(flow_, 11, both && is(out, Kind::Activate) && out.writing != before_.writing);
        coverage_.hit(flow_, 12, r_full && w_full);
        coverage_.hit(config_, 0, c.group_mask == 0);
        coverage_.hit(config_, 1, c.group_mask == 15);
        coverage_.hit(config_, 2, c.reads == 1);
        coverage_.hit(config_, 3, c.writes == 1);
        coverage_.hit(config_, 4, out.reads == Pins::kReads);
        coverage_.hit(config_, 5, c.lookahead == 1);
        coverage_.hit(config_, 6, c.faw == 0);
        coverage_.hit(config_, 7, c.refi == 0);
        coverage_.hit(config_, 8, c.starvation == 1);
    }
    void count_commands(const In& in, const Out& out) {
        const Pins::Events& e = out.event;
        if (out.cmd_valid != 0)
            coverage_.hit(command_, out.cmd_kind);
        coverage_.hit(event_, 0, e.row_hits != 0);
        coverage_.hit(event_, 1, e.row_misses != 0);
        coverage_.hit(event_, 2, e.row_conflicts != 0);
        coverage_.hit(event_, 3, e.refreshes > 1);
        coverage_.hit(event_, 4, e.turnarounds != 0);
        coverage_.hit(event_, 5, e.write_drains != 0);
        coverage_.hit(event_, 6, e.write_drains != 0 && out.writes >= in.cfg.write_high);
        coverage_.hit(event_, 7, e.starved != 0);
        coverage_.hit(event_, 8, e.order_waits == 2);
        coverage_.hit(event_, 9, e.queue_cycles > 1'000);
        coverage_.hit(event_, 10, e.precharges > 1 && !is(out, Kind::PrechargeAll));
        const bool one_line = out.l2_ready != 0 && out.hub_ready != 0 && in.l2.line == in.hub.line;
        coverage_.hit(event_, 11, one_line && in.l2.write != in.hub.write);
        const bool fresh = (out.l2_ready != 0 && out.cmd_id == in.l2.id) ||
                           (out.hub_ready != 0 && out.cmd_id == in.hub.id);
        coverage_.hit(event_, 12, is_column(out) && fresh);
    }

    static constexpr unsigned kRowBits = 58;
    static constexpr uint64_t kMaxRow = ~uint64_t{0} >> (64 - kRowBits);
    static constexpr uint64_t kMaxLine = kMaxRow;

    Random random_;
    Replay<mc::McScheduleCore> recorded_;
    In now_;
    Out before_;
    Activity l2_flow_, hub_flow_, done_flow_;
    bool l2_held_ = false, hub_held_ = false;
    std::array<bool, Pins::kIds> waiting_{};
    unsigned moved_ = 0;      // column command given, not done
    uint32_t long_time_ = 0;  // of the configuration, in cycles
    uint32_t cycles_left_ = 0, pause_left_ = 0, phase_left_ = 0;
    bool quiet_ = false, silent_ = false, sparse_ = false, crowded_ = false;
    unsigned writes_ = 0, stays_ = 0;  // percent: writes; of the row before
    uint32_t banks_ = 1, columns_ = 1;
    std::vector<uint64_t> rows_{0};
    uint8_t bank_ = 0;
    uint64_t row_ = 0;
    Coverage coverage_;
    size_t command_ = 0, event_ = 0, flow_ = 0, config_ = 0;
};

// ---- in a chip: a twin for each channel

class ScheduleSwap : public TwinsSwap<Pins, mc::McScheduleCore>, public mc::ScheduleFactory {
  public:
    using TwinsSwap::TwinsSwap;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<mc::ScheduleFactory>(*this);
    }
    PinBlock<Pins>& block(unsigned channel) override { return twin(channel); }
};

struct Parts {
    using Pins = McSchedulePins;
    using Core = mc::McScheduleCore;
    using Stimulus = ScheduleStimulus;
    using Recording = ScheduleRecording;
    using Swap = ScheduleSwap;
    static constexpr const char* kDescription = "scheduler of a memory controller channel";
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
