// SPDX-License-Identifier: Apache-2.0
#include "models/mc/mc_schedule_pins.h"

#include <type_traits>

#include "models/common/error.h"
#include "models/common/memory_message.h"
#include "models/common/pins/twin_limits.h"

namespace archipelago::mc {
namespace {

using Pins = rtl::McSchedulePins;

constexpr uint64_t kMostCycle = (uint64_t{1} << 40) - 1;

// Calls visit(key of the description, field of the pins, field of the Spec) for each time.
template <class Config, class Timing, class V>
void each_time(Config& c, Timing& t, V&& visit) {
    visit("burst", c.burst, t.burst);
    visit("ccd_long", c.ccd_long, t.ccd_long);
    visit("cl", c.cl, t.cl);
    visit("wl", c.wl, t.wl);
    visit("rcd_read", c.rcd_read, t.rcd_read);
    visit("rcd_write", c.rcd_write, t.rcd_write);
    visit("rp", c.rp, t.rp);
    visit("ras", c.ras, t.ras);
    visit("rc", c.rc, t.rc);
    visit("rrd", c.rrd, t.rrd);
    visit("faw", c.faw, t.faw);
    visit("rtp", c.rtp, t.rtp);
    visit("wr", c.wr, t.wr);
    visit("wtr", c.wtr, t.wtr);
    visit("rtw", c.rtw, t.rtw);
    visit("rfc", c.rfc, t.rfc);
}

// Calls visit(event of the pins, its counter).
template <class Events, class Counters, class V>
void each_event(Events& e, Counters& c, V&& visit) {
    visit(e.row_hits, c.row_hits);
    visit(e.row_misses, c.row_misses);
    visit(e.row_conflicts, c.row_conflicts);
    visit(e.activates, c.activates);
    visit(e.precharges, c.precharges);
    visit(e.refreshes, c.refreshes);
    visit(e.turnarounds, c.turnarounds);
    visit(e.write_drains, c.write_drains);
    visit(e.starved, c.starved);
    visit(e.order_waits, c.order_waits);
    visit(e.queue_cycles, c.queue_cycles);
}

ScheduleRequest from_pins(const Pins::Request& from) {
    return {from.id, from.bank, from.write != 0, from.row, from.line * kLineBytes};
}
void to_pins(const ScheduleRequest& from, Pins::Request& to) {
    to.write = from.write ? 1 : 0;
    to.id = static_cast<uint8_t>(from.id);
    to.bank = from.bank;
    to.row = from.row;
    to.line = from.line / kLineBytes;
}

}  // namespace

// ---- configuration -----------------------------------------------------------------------------

Pins::Config config_to_pins(const McSpec& spec) {
    const auto fit = [](unsigned least, unsigned most, const std::string& key, unsigned value) {
        return rtl::in_range<Pins>(least, most, "memory.dram." + key, value);
    };
    fit(1, Pins::kBanks, "banks", spec.geometry.banks);
    rtl::in_range<Pins>(1, Pins::kIds, "memory.dram entries of all kinds", spec.entries());
    Pins::Config c;
    c.group_mask = static_cast<uint8_t>(spec.geometry.bank_groups - 1);
    c.reads = static_cast<uint8_t>(fit(1, Pins::kReads, "read_entries", spec.read_entries));
    c.writes = static_cast<uint8_t>(fit(1, Pins::kWrites, "write_entries", spec.write_entries));
    c.room = static_cast<uint8_t>(fit(1, Pins::kRoom, "store_entries", spec.store_entries));
    c.lookahead = static_cast<uint8_t>(spec.lookahead);
    c.starvation = fit(1, Pins::kMostInterval, "starvation_cycles", spec.starvation_cycles);
    c.write_high = static_cast<uint8_t>(spec.write_high);
    c.write_low = static_cast<uint8_t>(spec.write_low);
    c.refi = fit(0, Pins::kMostInterval, "timing.refi", spec.timing.refi);
    each_time(c, spec.timing, [&](const char* key, uint16_t& pin, unsigned cycles) {
        pin =
            static_cast<uint16_t>(fit(0, Pins::kMostCycles, std::string("timing.") + key, cycles));
    });
    return c;
}

McSpec spec_from_pins(const Pins::Config& c) {
    McSpec s;
    s.geometry.banks = Pins::kBanks;
    s.geometry.bank_groups = c.group_mask + 1u;
    s.read_entries = c.reads;
    s.write_entries = c.writes;
    // Ids are any, not counted up to the number of entries.
    s.store_entries = c.room;
    s.lookahead = c.lookahead;
    s.starvation_cycles = c.starvation;
    s.write_high = c.write_high;
    s.write_low = c.write_low;
    s.timing.refi = c.refi;
    each_time(c, s.timing, [](const char*, uint16_t pin, unsigned& cycles) { cycles = pin; });
    return s;
}

// ---- the core on pins --------------------------------------------------------------------------

class McScheduleCore::Ports {
  public:
    Ports(const In& in, Out& out) : in_(in), out_(out) {}
    bool offered(Port port) const { return (port == Port::L2 ? in_.l2_valid : in_.hub_valid) != 0; }
    bool is_write(Port port) const { return request(port).write != 0; }
    ScheduleRequest take(Port port) {
        (port == Port::L2 ? out_.l2_ready : out_.hub_ready) = 1;
        return from_pins(request(port));
    }
    void refuse(Port) {}

  private:
    const Pins::Request& request(Port port) const { return port == Port::L2 ? in_.l2 : in_.hub; }

    const In& in_;
    Out& out_;
};

void McScheduleCore::step(const In& in, Out& out) {
    out = {};
    if (in.rst != 0) {
        core_.emplace(spec_from_pins(in.cfg), Pins::kIds, unit_, events_);
        return;
    }
    events_ = {};
    if (in.done_valid != 0)
        core_->release();
    if (in.pause == 0) {
        if (in.l2_valid != 0 || in.hub_valid != 0)
            core_->accept(in.now, Ports(in, out));
        DramCommand command;
        if (core_->run(in.now, command)) {
            out.cmd_valid = 1;
            out.cmd_kind = static_cast<uint8_t>(command.kind);
            out.cmd_bank = command.bank;
            out.cmd_id = static_cast<uint8_t>(command.id);
            out.cmd_row = command.row;
        }
    }
    each_event(out.event, events_, [](auto& event, uint64_t count) {
        event = static_cast<std::decay_t<decltype(event)>>(count);
    });
    out.reads = static_cast<uint8_t>(core_->state().reads.size());
    out.writes = static_cast<uint8_t>(core_->state().writes.size());
    out.writing = core_->state().writing ? 1 : 0;
}

// ---- pins in a chip ----------------------------------------------------------------------------

PinSchedule::PinSchedule(rtl::PinBlock<Pins>& block, const McSpec& spec) : block_(block) {
    in_.cfg = config_to_pins(spec);
    reset();
}

void PinSchedule::reset() {
    const Pins::Config cfg = in_.cfg;
    in_ = {};
    in_.cfg = cfg;
    in_.rst = 1;
    for (unsigned i = 0; i < rtl::kResetCycles; ++i)
        block_.step(in_, out_);
    in_.rst = 0;
}

void PinSchedule::offer(Port port, const ScheduleRequest& request) {
    (port == Port::L2 ? in_.l2_valid : in_.hub_valid) = 1;
    to_pins(request, port == Port::L2 ? in_.l2 : in_.hub);
}

void PinSchedule::run(Cycle now, bool paused, McCounters& count, DramCommand& command) {
    if (now > kMostCycle)
        throw MachineStop(
            StopKind::Unimplemented, Pins::kName,
            "the clock of the twin has passed its last cycle, " + std::to_string(kMostCycle));
    in_.now = now;
    in_.pause = paused ? 1 : 0;
    block_.step(in_, out_);
    in_.done_valid = in_.l2_valid = in_.hub_valid = 0;
    each_event(out_.event, count, [](uint64_t event, uint64_t& counter) { counter += event; });
    if (out_.cmd_valid != 0)
        command = {static_cast<DramCommand::Kind>(out_.cmd_kind), out_.cmd_bank, out_.cmd_id,
                   out_.cmd_row};
}

}  // namespace archipelago::mc
