// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pfp_pins.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/pins/twin_limits.h"
#include "models/cp/pfp_core.h"
#include "models/cp/pfp_ports.h"
#include "models/cp/pm4/packet_stop.h"

namespace archipelago::cp {

using namespace pfp_ports;

namespace {

using Pins = rtl::CpPfpParserPins;

// Of a dword that is taken. First: for the route, or a program.
enum Kind : uint8_t { kHeaderDword, kFirstDword, kOtherDword };

}  // namespace

uint64_t parser_entry(const PacketInfo* info) {
    if (info == nullptr)
        return 0;
    const bool for_ce = info->engine == PacketEngine::Ce && info->implemented();
    return 1 | uint64_t{info->rings & 7u} << 1 | uint64_t{info->implemented()} << 4 |
           uint64_t{for_ce} << 5 | uint64_t{info->routing.rule & 15u} << 6 |
           uint64_t{info->routing.dwords & 15u} << 10 | uint64_t{info->fixed & 15u} << 14 |
           uint64_t{info->min_dwords & 0x7fffu} << 18 | uint64_t{info->max_dwords & 0x7fffu} << 33;
}

void load_packet_table(rtl::PinBlock<Pins>& block, const PacketTable& table) {
    Pins::In in;
    Pins::Out ignored;
    in.rst = 1;
    in.table_valid = 1;
    for (unsigned opcode = 0; opcode < Pins::kPackets; ++opcode) {
        in.table_opcode = static_cast<uint8_t>(opcode);
        in.table_entry = parser_entry(table.find(static_cast<uint8_t>(opcode)));
        block.step(in, ignored);
    }
}

// ---- in a chip ----------------------------------------------------------------------------------

PfpOnPins::PfpOnPins(rtl::PinBlock<Pins>& block, const Spec& spec, DeState* de)
    : PfpUnit(spec, de), block_(block) {
    if (spec_.rings != kRings || spec_.levels != kLevels)
        throw std::invalid_argument("cp: the parser behind the pins has 3 rings of 3 levels");
    if (spec_.microcode != nullptr)
        throw std::invalid_argument("cp.microcode: the parser behind the pins runs none");
    rtl::in_range<Pins>(1, 1, "cp.dwords_per_cycle", spec_.dwords_per_cycle);
    rtl::in_range<Pins>(1, 0xffff, "cp.pfp_packet_cycles", spec_.pfp_packet_cycles);
    for (const PacketInfo& info : *spec_.packets)
        if (info.routing.rule == kNoRule)
            throw std::invalid_argument(
                std::string("cp.packets: the parser behind the pins does not "
                            "decode the route of ") +
                info.name);
    PfpOnPins::reset();
    load_packet_table(block_, *spec_.packets);
}

void PfpOnPins::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(false, "it is a Verilog twin");
}

void PfpOnPins::reset() {
    PfpUnit::reset();
    rtl::reset_block(block_);
}

bool PfpOnPins::tick(Cycle now) {
    in_ = {};
    in_.now = static_cast<uint32_t>(now);
    in_.packet_cycles = static_cast<uint16_t>(spec_.pfp_packet_cycles);
    in_.accept = run_ == RunState::Running ? 1 : 0;
    bool for_parser = drive_events(now);
    bool progress = for_parser;
    take_responses(now, progress);
    for (unsigned ring = 0; ring < kRings; ++ring)
        for_parser |= runnable(ring);
    if (!state_.error.empty() || (!for_parser && state_.stalls.reason() == StallReason::None)) {
        busy.set(now, !idle());
        return progress;
    }
    in_.parse = run_ != RunState::Paused ? 1 : 0;
    pins::DriveInputs drive{now, in_, out_};
    each_port(drive, *this);
    for (unsigned ring = 0; ring < kRings; ++ring)
        in_.pred_skip[ring] = predicate_skips(ring) ? 1 : 0;
    run_programs(now);
    block_.step(in_, out_);
    if (out_.error_code != 0) {
        stop_or_halt(now);
        return true;
    }
    progress |= sample(now);
    note_stall(now, static_cast<StallReason>(out_.stall));
    if (state_.stalls.reason() == StallReason::Microcode)
        wake_at(now + 1);
    busy.set(now, !idle());
    return progress;
}

// The parser has found an error: a stop, unless it is reported by an interrupt.
void PfpOnPins::stop_or_halt(Cycle now) {
    try {
        stop_at_error(out_);
    } catch (const PacketStop& stop) {
        if (!error_reported(now, stop))
            throw;
        busy.set(now, !idle());
    }
}

// The error of the pins as the stop it is in the model.
void PfpOnPins::stop_at_error(const Out& out) {
    PfpState::Ring& r = state_.rings[out.error_ring % kRings];
    const auto fault = static_cast<ParseFault>(out.error_code);
    if (fault == ParseFault::RingMoved)
        ring_moved(out.error_ring, {0, out.error_place, out.error_left});
    const front::StreamLevel& level = r.stream.levels[out.error_level % kLevels];
    if (fault <= ParseFault::CutOff)
        r.location = {out.error_ring, out.error_level, level.vmid, out.error_place, level.base};
    if (fault == ParseFault::SkipTooFar)
        skips_too_far(*r.info, r.location, out.error_left, {});
    const PacketInfo* info = &check_header(
        *spec_.packets, out.error_header, r.location,
        fault <= ParseFault::CutOff ? out.error_left : header_body_dwords(out.error_header));
    std::copy(out.error_body.begin(), out.error_body.end(), r.body.begin());
    if (fault > ParseFault::CutOff) {
        const Route route = info->route(r.body.data(), r.location);
        if (route == Route::Fetch || route == Route::FetchConst)
            info->buffer(*info, r.body.data(), r.location);
    }
    throw MachineStop(StopKind::Protocol, Pins::kName,
                      "the parser stops with error " + std::to_string(out.error_code) + " at " +
                          to_string(r.location) + ", where nothing is wrong");
}

// Puts on the pins what the registers, the host and ME say in this cycle; false: nothing.
bool PfpOnPins::drive_events(Cycle now) {
    bool any = false;
    for (; run_ == RunState::Running && update.ready(now); any = true) {
        const RingUpdate u = update.take();
        if (in_.upd_valid[u.ring] != 0) {
            // Pins bring one update of a ring in a cycle: those before it take effect first.
            Out out;
            block_.step(in_, out);
            if (out.error_code != 0)
                stop_at_error(out);
            in_.upd_valid = {};
        }
        in_.upd_valid[u.ring] = 1;
        map_update(pins::ToPins{}, u, in_, u.ring);
        set_up(u);
    }
    for (; halt.ready(now); any = true) {
        state_.halted = halt.take().pfp;
        in_.halt_valid = 1;
        in_.halt_level = state_.halted ? 1 : 0;
    }
    for (; sync.ready(now); any = true)
        in_.sync[sync.take().ring] = 1;
    return any;
}

// Runs a step of the programs that the parser selects in this cycle, and drives their outcome on
// the pins. The parser is held meanwhile: which ring runs may depend on the outcome of another.
void PfpOnPins::run_programs(Cycle now) {
    const bool possible =
        std::any_of(state_.rings.begin(), state_.rings.end(), [](const PfpState::Ring& r) {
            return r.phase == PfpPhase::Microcode || r.phase == PfpPhase::Execute;
        });
    if (!possible)
        return;
    in_.hold = 1;
    std::array<bool, kRings> known{};
    for (;;) {
        Pins::Out out;
        block_.step(in_, out);
        unsigned ring = 0;
        while (ring < kRings && (out.event_exec[ring] == 0 || known[ring]))
            ++ring;
        if (ring == kRings || out.error_code != 0)
            break;
        PfpState::Ring& r = state_.rings[ring];
        if (out.event_begin[ring] != 0) {
            uint32_t have = r.have;
            if (out.take_valid != 0 && out.take_ring == ring && out.take_kind == kFirstDword)
                r.body[have++] = out.take_dword;
            begin_program(now, ring, Route::Pfp, have);
        }
        StallReason reason = StallReason::None;
        uint32_t skip = 0;
        OpStep did = step_program(now, ring, reason, skip);
        in_.exec_result[ring] = static_cast<uint8_t>(did);
        in_.exec_reason[ring] = static_cast<uint8_t>(reason);
        if (did == OpStep::NeedDword) {
            block_.step(in_, out);
            if (out.exec_give != 0) {
                give_program(ring, out.take_dword);
                did = step_program(now, ring, reason, skip);
                in_.exec_again[ring] = static_cast<uint8_t>(did);
                in_.exec_again_reason[ring] = static_cast<uint8_t>(reason);
            }
        }
        in_.exec_skip[ring] = static_cast<uint16_t>(skip);
        known[ring] = true;
    }
    in_.hold = 0;
}

// What the parser has done in this cycle, to channels, counters and logs; false: it has not moved.
bool PfpOnPins::sample(Cycle now) {
    bool moved = out_.take_valid != 0 || out_.fetch_valid != 0 || out_.done_valid != 0;
    for (unsigned ring = 0; ring < kRings; ++ring) {
        const auto did = static_cast<OpStep>(in_.exec_result[ring]);
        moved |= out_.event_exec[ring] != 0 && (did == OpStep::Advanced || did == OpStep::Finished);
        moved |= out_.meq_valid[ring] != 0;
    }
    for (unsigned i = 0; i < kStreams; ++i)
        if (out_.roq_ready[i] != 0)
            to_credit->send(now,
                            {static_cast<uint8_t>(i / kLevels), static_cast<uint8_t>(i % kLevels)});
    if (out_.take_valid != 0)
        follow_dword(now);
    for (unsigned ring = 0; ring < kRings; ++ring)
        follow_packet(now, ring);
    state_.syncs += out_.event_sync;
    if (out_.done_valid != 0)
        end_packet(now, out_.done_ring, out_.done_place);
    pins::SampleOutputs pass{now, in_, out_, pins::NoRest{}};
    each_port(pass, *this);
    if (out_.fetch_valid != 0)
        enter_buffer(out_.fetch_ring, out_.fetch_level,
                     {out_.fetch_base, out_.fetch_dwords, out_.fetch_vmid, out_.fetch_swap});
    for (unsigned ring = 0; ring < kRings; ++ring)
        if (out_.meq_valid[ring] != 0)
            follow_forwarded(ring);
    return moved;
}

// A dword that the parser has taken, which may be a header.
void PfpOnPins::follow_dword(Cycle now) {
    PfpState::Ring& r = state_.rings[out_.take_ring];
    ++state_.dwords;
    r.stream.level = out_.take_level;
    r.stream.advance(1);
    if (out_.take_kind == kFirstDword && r.have < r.body.size())
        r.body[r.have++] = out_.take_dword;
    if (out_.take_kind == kOtherDword)
        walk(out_.take_ring, out_.take_dword);
    if (out_.take_kind != kHeaderDword)
        return;
    const front::StreamLevel& level = r.stream.top();
    r.location = {out_.take_ring, out_.take_level, level.vmid, out_.take_place, level.base};
    begin_packet(now, r, out_.take_dword);
    const unsigned type = header_type(r.header);
    know_packet(r, type == 2   ? nullptr
                   : type == 0 ? &spec_.packets->type0()
                               : spec_.packets->find(header_opcode(r.header)));
}

// What has become of the packet of a ring.
void PfpOnPins::follow_packet(Cycle now, unsigned ring) {
    PfpState::Ring& r = state_.rings[ring];
    if (out_.event_skip[ring] != 0)
        log_packet_of(now, r, 0);
    if (out_.event_begin[ring] != 0 && !r.programmed)
        begin_program(now, ring, Route::Fetch, r.have);
    if (out_.ce_valid[ring] != 0 && out_.ce_partition == 0)
        count_constant_buffer(r, out_.ce_vmid);
    r.phase = static_cast<PfpPhase>(out_.phase[ring]);
    // Buffers that are read to their end may have been left.
    if (out_.runnable[ring] == 0)
        r.stream.level = 0;
}

// A dword of the ring has gone to ME.
void PfpOnPins::follow_forwarded(unsigned ring) {
    PfpState::Ring& r = state_.rings[ring];
    r.forwarded = out_.meq_first != 0 ? 0 : r.forwarded + 1;
    note_forwarded(ring, r.forwarded, out_.meq_dword);
}

// ---- the model at its pins ----------------------------------------------------------------------

// The model, whose cycle may not take place, with programs whose outcome is on the pins.
class PfpPinCore::Core final : public PfpCore {
  public:
    using PfpCore::PfpCore;
    using PfpCore::runnable;
    struct Kept {
        PfpState state;
        RoundRobin turn;
    };
    Kept keep() const { return {state_, turn_}; }
    void restore(const Kept& kept) {
        state_ = kept.state;
        turn_ = kept.turn;
    }
    void begin(const In& in) {
        in_ = &in;
        asked = {};
        gave = false;
    }
    std::array<bool, kRings> asked{};  // rings whose program has run in this cycle
    bool gave = false;                 // one of them got a dword

  private:
    void start_program(unsigned) override {}
    OpStep step_program(Cycle, unsigned ring, StallReason& reason, uint32_t& skip) override {
        const bool again = asked[ring];
        asked[ring] = true;
        reason =
            static_cast<StallReason>(again ? in_->exec_again_reason[ring] : in_->exec_reason[ring]);
        skip = in_->exec_skip[ring];
        return static_cast<OpStep>(again ? in_->exec_again[ring] : in_->exec_result[ring]);
    }
    void give_program(unsigned, uint32_t) override { gave = true; }

    const In* in_ = nullptr;  // of this cycle
};

PfpPinCore::~PfpPinCore() = default;

PfpPinCore::PfpPinCore(const Spec& spec) : spec_(spec) {
    for (unsigned ring = 0; ring < kRings; ++ring) {
        meq_.emplace_back(ChannelSpec{1, 1});
        ce_.emplace_back(ChannelSpec{1, 1});
    }
    make_core(1);
}

void PfpPinCore::make_core(unsigned packet_cycles) {
    spec_.pfp_packet_cycles = packet_cycles;
    core_ = std::make_unique<Core>(spec_);
    for (unsigned ring = 0; ring < kRings; ++ring)
        core_->to_meq[ring].connect(meq_[ring]), core_->to_ce[ring].connect(ce_[ring]);
    core_->to_fetch.connect(fetch_);
    core_->to_credit.connect(credit_);
    core_->to_read_pointer.connect(read_pointer_);
}

// Puts the values of the pins into the channels, as if they had come in the cycle before.
void PfpPinCore::apply(Cycle now, const In& in, const Out& out) {
    core_->update.clear();
    core_->halt.clear();
    core_->sync.clear();
    credit_.clear();
    read_pointer_.clear();
    for (unsigned ring = 0; ring < kRings; ++ring) {
        if (in.upd_valid[ring] != 0) {
            RingUpdate u;
            map_update(pins::FromPins{}, u, in, ring);
            core_->update.send(now - 1, u);
        }
        if (in.sync[ring] != 0)
            core_->sync.send(now - 1, {static_cast<uint8_t>(ring)});
        core_->skip_predicated(ring, in.pred_skip[ring] != 0);
    }
    if (in.halt_valid != 0)
        core_->halt.send(now - 1, {in.halt_level != 0, false});
    const pins::ApplyInputs pass{now, in, out};
    each_port(pass, *core_);
    core_->set_run_state(in.accept != 0  ? RunState::Running
                         : in.parse != 0 ? RunState::Draining
                                         : RunState::Paused);
}

void PfpPinCore::step(const In& in, Out& out) {
    out = {};
    if (in.rst != 0) {
        core_->reset();
        stopped_ = {};
        return;
    }
    if (stopped_.error_code != 0) {
        out = stopped_;
        return;
    }
    if (in.packet_cycles != spec_.pfp_packet_cycles)
        make_core(in.packet_cycles);
    const Cycle now = Cycle{in.now} + 1;
    apply(now, in, out);
    const Core::Kept before = core_->keep();
    core_->begin(in);
    try {
        core_->tick(now);
        present(now, in, before.state, out);
    } catch (const PacketStop& stop) {
        present_error(stop, out);
        if (in.hold == 0)
            stopped_ = out;
    }
    if (in.hold != 0)
        core_->restore(before);
}

// What the cycle has done follows from the state before and after it.
void PfpPinCore::present(Cycle now, const In& in, const PfpState& before, Out& out) {
    const pins::PresentOutputs pass{now, in, out};
    each_port(pass, *core_);
    const PfpState& after = core_->state();
    for (unsigned ring = 0; ring < kRings; ++ring)
        present_ring(now, ring, before.rings[ring], out);
    out.exec_give = core_->gave ? 1 : 0;
    out.event_sync = after.syncs != before.syncs ? 1 : 0;
    if (!read_pointer_.empty())
        out.done_place = read_pointer_.take().dword;
    out.stall = static_cast<uint8_t>(now < after.stalls.since() ? StallReason::None
                                                                : after.stalls.reason());
}

void PfpPinCore::present_ring(Cycle now, unsigned ring, const PfpState::Ring& before, Out& out) {
    const PfpState::Ring& after = core_->state().rings[ring];
    const bool header = after.began == now;
    for (unsigned i = 0; i < kLevels; ++i) {
        const bool entered = out.fetch_valid != 0 && out.fetch_ring == ring && out.fetch_level == i;
        const front::LineLevel& level = after.stream.levels[i];
        const bool taken =
            out.roq_ready[ring * kLevels + i] != 0 || level.used != before.stream.levels[i].used;
        if (entered || !taken)
            continue;
        out.take_valid = 1;
        out.take_ring = static_cast<uint8_t>(ring);
        out.take_kind = header                     ? kHeaderDword
                        : after.have > before.have ? kFirstDword
                                                   : kOtherDword;
        out.take_dword = level.line.dwords[level.line.first + level.used - 1u];
        out.take_level = after.location.level;
        out.take_place = after.location.dword;
    }
    const bool decided = before.phase == PfpPhase::Microcode && after.phase != PfpPhase::Microcode;
    out.event_skip[ring] = decided && after.route == Route::Skip ? 1 : 0;
    out.event_begin[ring] = !before.programmed && after.programmed ? 1 : 0;
    out.event_exec[ring] = core_->asked[ring] ? 1 : 0;
    out.runnable[ring] = core_->runnable(ring) ? 1 : 0;
    out.phase[ring] = static_cast<uint8_t>(after.phase);
    if (after.phase != PfpPhase::Header || (before.phase == PfpPhase::Header && !header))
        return;
    out.done_valid = 1;
    out.done_ring = static_cast<uint8_t>(ring);
    out.done_top = after.location.level == 0 ? 1 : 0;
}

// The pins have of an error what its text needs.
void PfpPinCore::present_error(const PacketStop& stop, Out& out) const {
    const ParseFault fault = stop.fault();
    const Location& location = stop.location();
    const PfpState::Ring& r = core_->state().rings[location.ring];
    const bool moved = fault == ParseFault::RingMoved;
    out = {};
    out.error_code = static_cast<uint8_t>(fault);
    out.error_ring = location.ring;
    out.error_level = location.level;
    out.error_place = location.dword;
    if (!moved)
        out.error_header = r.header;
    if (moved)
        out.error_left = r.stream.levels[0].end;
    else if (fault <= ParseFault::CutOff || fault == ParseFault::SkipTooFar)
        out.error_left = r.left;
    if (fault > ParseFault::CutOff && !moved)
        std::copy_n(r.body.begin(), std::min<size_t>(r.have, 3), out.error_body.begin());
}

}  // namespace archipelago::cp
