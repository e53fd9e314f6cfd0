// SPDX-License-Identifier: Apache-2.0
#include "models/mc/mc_schedule_pins.h"

#include <utility>

#include "models/common/error.h"
#include "models/common/memory_message.h"
#include "models/common/pins/twin_limits.h"
#include "models/mc/mc_schedule_messages.h"

namespace archipelago::mc {

using namespace schedule_messages;

namespace {

using Pins = rtl::McSchedulePins;

constexpr uint64_t kMaxCycle = (uint64_t{1} << 40) - 1;

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

// The request pins of a port; `pins` is In, or Out for ready.
constexpr auto kValid = [](auto& in, Port port) -> auto& {
    return port == Port::L2 ? in.l2_valid : in.hub_valid;
};
constexpr auto kRequest = [](auto& in, Port port) -> auto& {
    return port == Port::L2 ? in.l2 : in.hub;
};
constexpr auto kReady = [](auto& out, Port port) -> auto& {
    return port == Port::L2 ? out.l2_ready : out.hub_ready;
};

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
    c.starvation = fit(1, Pins::kMaxInterval, "starvation_cycles", spec.starvation_cycles);
    c.write_high = static_cast<uint8_t>(spec.write_high);
    c.write_low = static_cast<uint8_t>(spec.write_low);
    c.refi = fit(0, Pins::kMaxInterval, "timing.refi", spec.timing.refi);
    each_time(c, spec.timing, [&](const char* key, uint16_t& pin, unsigned cycles) {
        pin = static_cast<uint16_t>(fit(0, Pins::kMaxCycles, std::string("timing.") + key, cycles));
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

// ---- the scheduler at its pins ------------------------------------------------------------------

class McScheduleCore::Ports {
  public:
    Ports(const In& in, Out& out) : in_(in), out_(out) {}
    bool offered(Port port) const { return kValid(in_, port) != 0; }
    bool is_write(Port port) const { return kRequest(in_, port).write != 0; }
    ScheduleRequest take(Port port) {
        kReady(out_, port) = 1;
        ScheduleRequest request;
        map_request(pins::FromPins{}, request, kRequest(in_, port));
        return request;
    }
    void refuse(Port) {}

  private:
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
            map_command(pins::ToPins{}, command, out);
        }
    }
    map_events(pins::ToPins{}, events_, out.event);
    out.reads = static_cast<uint8_t>(core_->state().reads.size());
    out.writes = static_cast<uint8_t>(core_->state().writes.size());
    out.writing = core_->state().writing ? 1 : 0;
}

// ---- in a chip ----------------------------------------------------------------------------------

McOnPins::McOnPins(rtl::PinBlock<Pins>& block, const McSpec& spec, const ChannelMap& map,
                   const std::string& name)
    : McUnit(spec, map, name), block_(block) {
    in_.cfg = config_to_pins(spec);
    McOnPins::reset();
}

void McOnPins::reset() {
    McUnit::reset();
    const Pins::Config cfg = in_.cfg;
    in_ = {};
    in_.cfg = cfg;
    in_.rst = 1;
    for (unsigned i = 0; i < rtl::kResetCycles; ++i)
        block_.step(in_, out_);
    in_.rst = 0;
}

void McOnPins::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(false, "it is a Verilog twin");
}

void McOnPins::observe(const Observers& observers, const std::string& path) {
    McUnit::observe(observers, path);
    observers.tracks(path + ".bank", spec_.geometry.banks);  // the block has the rows
}

bool McOnPins::tick(Cycle now) {
    bool progress = state_.from_store <= now && take_store_answer(now);
    if (progress)
        in_.done_valid = 1;
    if (state_.data_moved <= now)
        progress |= send_to_store(now);
    return schedule(now) || (progress && ports_due(now + 1));
}

// Steps the block while requests wait in it.
bool McOnPins::schedule(Cycle now) {
    Ports ports(*this, now);
    in_.pause = run_ == RunState::Paused ? 1 : 0;
    if (in_.pause == 0)
        offer(ports);
    if ((in_.done_valid | in_.l2_valid | in_.hub_valid) == 0 && holds_nothing())
        return false;
    if (now > kMaxCycle)
        throw MachineStop(
            StopKind::Unimplemented, Pins::kName,
            "the clock of the twin has passed its last cycle, " + std::to_string(kMaxCycle));
    in_.now = now;
    block_.step(in_, out_);
    map_events(pins::AddFromPins{}, state_.count, out_.event);
    bool progress = out_.cmd_valid != 0 || (in_.pause == 0 && !holds_nothing());
    progress |= take_accepted(ports);
    in_.done_valid = in_.l2_valid = in_.hub_valid = 0;
    if (out_.cmd_valid == 0)
        return progress;
    DramCommand command;
    map_command(pins::FromPins{}, command, out_);
    if (command.column())
        start_data(now, command.id, command.kind == DramCommand::Kind::Write);
    return progress;
}

// take() gives the last of the free entries. Of two requests one may be refused, which one is not
// known: each has an entry of its own.
void McOnPins::offer(const Ports& ports) {
    const bool both = ports.offered(Port::L2) && ports.offered(Port::Hub);
    const std::vector<uint16_t>& free = state_.free;
    for (const Port port : {Port::L2, Port::Hub}) {
        if (!ports.offered(port))
            continue;
        const bool second = both && port == Port::Hub && free.size() >= 2;
        const uint16_t id = second ? free.end()[-2] : free.empty() ? uint16_t{0} : free.back();
        ports.is_write(port);  // stops for an atomic
        kValid(in_, port) = 1;
        const ScheduleRequest request = head(port, id);
        map_request(pins::ToPins{}, request, kRequest(in_, port));
    }
}

// Takes the requests that the block has accepted; false: none.
bool McOnPins::take_accepted(Ports& ports) {
    if (in_.l2_valid != 0 && out_.l2_ready == 0 && out_.hub_ready != 0 && state_.free.size() >= 2)
        std::swap(state_.free.back(), state_.free.end()[-2]);
    bool any = false;
    for (const Port port : {Port::L2, Port::Hub}) {
        if (kValid(in_, port) == 0)
            continue;
        const bool accepted = kReady(out_, port) != 0;
        if (accepted)
            ports.take(port);
        else
            ports.refuse(port);
        any |= accepted;
    }
    return any;
}

}  // namespace archipelago::mc
