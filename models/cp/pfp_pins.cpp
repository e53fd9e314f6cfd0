// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pfp_pins.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/pins/twin_limits.h"
#include "models/cp/pm4/packet_log.h"
#include "models/cp/pm4/packet_stop.h"

namespace archipelago::cp {

namespace {

using Pins = rtl::CpPfpParserPins;
constexpr unsigned kRings = Pins::kRings, kStreams = Pins::kStreams, kLevels = kStreams / kRings;

enum Kind : uint8_t { kHeaderDword, kFirstDword, kOtherDword };
static_assert(static_cast<uint8_t>(PfpEvents::Dword::Header) == kHeaderDword + 1 &&
              static_cast<uint8_t>(PfpEvents::Dword::First) == kFirstDword + 1 &&
              static_cast<uint8_t>(PfpEvents::Dword::Other) == kOtherDword + 1);

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

// ---- the model at its pins ----------------------------------------------------------------------

PfpPinCore::PfpPinCore(const Spec& spec) : spec_(spec) {
    for (unsigned ring = 0; ring < kRings; ++ring) {
        meq_.emplace_back(ChannelSpec{1, 1});
        ce_.emplace_back(ChannelSpec{1, 1});
    }
    make_core(1);
}

void PfpPinCore::make_core(unsigned packet_cycles) {
    spec_.pfp_packet_cycles = packet_cycles;
    core_ = std::make_unique<PfpCore>(spec_);
    for (unsigned ring = 0; ring < kRings; ++ring)
        core_->to_meq[ring].connect(meq_[ring]), core_->to_ce[ring].connect(ce_[ring]);
    core_->to_fetch.connect(fetch_);
    core_->to_credit.connect(credit_);
    core_->to_read_pointer.connect(read_pointer_);
    core_->use_programs(*this);
    core_->report_to(events_);
}

OpStep PfpPinCore::step(Cycle, unsigned ring, StallReason& reason, uint32_t& skip) {
    const bool again = asked_[ring];
    asked_[ring] = true;
    reason =
        static_cast<StallReason>(again ? in_->exec_again_reason[ring] : in_->exec_reason[ring]);
    skip = in_->exec_skip[ring];
    return static_cast<OpStep>(again ? in_->exec_again[ring] : in_->exec_result[ring]);
}
void PfpPinCore::give(unsigned, uint32_t) {
    gave_ = true;
}

// Puts the values of the pins into the channels, as if they had come in the cycle before.
void PfpPinCore::offer(Cycle now, const In& in) {
    core_->update.clear();
    core_->halt.clear();
    core_->sync.clear();
    credit_.clear();
    read_pointer_.clear();
    for (unsigned r = 0; r < kRings; ++r) {
        if (in.upd_valid[r] != 0) {
            RingUpdate u;
            u.ring = static_cast<uint8_t>(r);
            u.reset = in.upd_reset[r] != 0;
            u.read_pointer = in.upd_read_pointer[r];
            u.write_pointer = in.upd_write_pointer[r];
            u.config.base = in.upd_base[r];
            u.config.dwords = in.upd_dwords[r];
            u.config.vmid = in.upd_vmid[r];
            u.config.enabled = in.upd_enabled[r] != 0;
            core_->update.send(now - 1, u);
        }
        if (in.sync[r] != 0)
            core_->sync.send(now - 1, {static_cast<uint8_t>(r)});
        core_->skip_predicated(r, in.pred_skip[r] != 0);
        meq_[r].clear();
        if (in.meq_ready[r] == 0)
            meq_[r].push(now - 1, MeqEntry{});
        ce_[r].clear();
        if (in.ce_ready[r] == 0)
            ce_[r].push(now - 1, CeCommand{});
    }
    if (in.halt_valid != 0)
        core_->halt.send(now - 1, {in.halt_level != 0, false});
    fetch_.clear();
    if (in.fetch_ready == 0)
        fetch_.push(now - 1, FetchCommand{});
    for (unsigned i = 0; i < kStreams; ++i) {
        core_->roq[i].clear();
        if (in.roq_valid[i] == 0)
            continue;
        RoqLine line;
        line.first = in.roq_first[i];
        line.count = in.roq_count[i];
        std::copy_n(in.roq_dwords.begin() + i * Pins::kLineDwords, Pins::kLineDwords,
                    line.dwords.begin());
        core_->roq[i].push(now - 1, line);
    }
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
    in_ = &in;
    asked_ = {};
    gave_ = false;
    events_ = {};
    offer(now, in);
    core_->set_run_state(in.accept != 0  ? RunState::Running
                         : in.parse != 0 ? RunState::Draining
                                         : RunState::Paused);
    try {
        if (in.hold != 0)
            core_->tick_held(now);
        else
            core_->tick(now);
        collect(in, out);
    } catch (const PacketStop&) {
        collect_error(out);
        if (in.hold == 0)
            stopped_ = out;
    }
}

void PfpPinCore::collect(const In& in, Out& out) {
    while (!credit_.empty()) {
        const RoqCredit taken = credit_.take();
        out.roq_ready[taken.ring * kLevels + taken.level] = 1;
    }
    if (in.fetch_ready != 0 && !fetch_.empty()) {
        const FetchCommand& c = fetch_.front();
        out.fetch_valid = 1;
        out.fetch_ring = c.ring;
        out.fetch_level = c.level;
        out.fetch_vmid = c.vmid;
        out.fetch_swap = c.swap;
        out.fetch_base = c.base;
        out.fetch_dwords = c.dwords;
    }
    out.exec_give = gave_ ? 1 : 0;
    for (unsigned r = 0; r < kRings; ++r) {
        if (in.meq_ready[r] != 0 && !meq_[r].empty()) {
            out.meq_valid[r] = 1;
            out.meq_dword = meq_[r].front().dword;
            out.meq_first = meq_[r].front().first ? 1 : 0;
        }
        if (in.ce_ready[r] != 0 && !ce_[r].empty()) {
            const CeCommand& c = ce_[r].front();
            out.ce_valid[r] = 1;
            out.ce_partition = c.partition;
            out.ce_vmid = c.vmid;
            out.ce_swap = c.swap;
            out.ce_cs1 = static_cast<uint16_t>(c.cs1);
            out.ce_cs2 = c.cs2;
            out.ce_dwords = c.dwords;
            out.ce_base = c.base;
        }
        out.event_exec[r] = asked_[r] ? 1 : 0;
    }
    collect_events(out);
    if (!read_pointer_.empty())
        out.done_place = read_pointer_.take().dword;
}

void PfpPinCore::collect_events(Out& out) const {
    const PfpEvents& e = events_;
    if (e.took != PfpEvents::Dword::None) {
        out.take_valid = 1;
        out.take_ring = e.ring;
        out.take_kind = static_cast<uint8_t>(static_cast<uint8_t>(e.took) - 1);
        out.take_dword = e.dword;
        out.take_level = e.packet.level;
        out.take_place = e.packet.dword;
    }
    for (unsigned ring = 0; ring < kRings; ++ring) {
        out.event_skip[ring] = e.skipped >> ring & 1;
        out.event_begin[ring] = e.begun >> ring & 1;
        out.runnable[ring] = e.runnable >> ring & 1;
        out.phase[ring] = static_cast<uint8_t>(e.phases[ring]);
    }
    out.event_sync = e.synced ? 1 : 0;
    if (e.finished) {
        out.done_valid = 1;
        out.done_ring = e.finished_in.ring;
        out.done_top = e.finished_in.level == 0 ? 1 : 0;
    }
    out.stall = static_cast<uint8_t>(e.stall);
}

// The pins have of an error what its text needs.
void PfpPinCore::collect_error(Out& out) const {
    const PfpEvents::Error& e = events_.error;
    out = {};
    out.error_code = static_cast<uint8_t>(e.fault);
    out.error_ring = e.location.ring;
    out.error_level = e.location.level;
    out.error_place = e.location.dword;
    if (e.fault != ParseFault::RingMoved)
        out.error_header = e.header;
    if (e.fault <= ParseFault::CutOff || e.fault == ParseFault::SkipTooFar ||
        e.fault == ParseFault::RingMoved)
        out.error_left = e.left;
    if (e.fault > ParseFault::CutOff && e.fault != ParseFault::RingMoved)
        std::copy_n(e.body.begin(), std::min<size_t>(e.body.size(), 3), out.error_body.begin());
}

// ---- a chip's core behind its pins --------------------------------------------------------------

void PfpCore::use_pins(PinPfp& pins) {
    if (spec_.rings != kRings || spec_.levels != kLevels)
        throw std::invalid_argument("cp: the parser behind the pins has 3 rings of 3 levels");
    if (spec_.microcode != nullptr)
        throw std::invalid_argument("cp.microcode: the parser behind the pins runs none");
    rtl::in_range<Pins>(1, 0xffff, "cp.pfp_packet_cycles", spec_.pfp_packet_cycles);
    for (const PacketInfo& info : *spec_.packets)
        if (info.routing.rule == kNoRule)
            throw std::invalid_argument(
                std::string("cp.packets: the parser behind the pins does not "
                            "decode the route of ") +
                info.name);
    pins_ = &pins;
    pins_->reset();
    load_packet_table(pins.block(), *spec_.packets);
}

// The error of the pins as the stop it is in the model.
void PfpCore::stop_at(const Pins::Out& out) {
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
bool PfpCore::put_events(Cycle now, Pins::In& in) {
    bool any = false;
    for (; run_ == RunState::Running && update.ready(now); any = true) {
        const RingUpdate u = update.take();
        if (in.upd_valid[u.ring] != 0) {
            // Pins bring one update of a ring in a cycle: those before it take effect first.
            Pins::Out out;
            pins_->step(in, out);
            if (out.error_code != 0)
                stop_at(out);
            in.upd_valid = {};
        }
        in.upd_valid[u.ring] = 1;
        in.upd_reset[u.ring] = u.reset ? 1 : 0;
        in.upd_enabled[u.ring] = u.config.enabled ? 1 : 0;
        in.upd_vmid[u.ring] = u.config.vmid;
        in.upd_read_pointer[u.ring] = u.read_pointer;
        in.upd_write_pointer[u.ring] = u.write_pointer;
        in.upd_dwords[u.ring] = u.config.dwords;
        in.upd_base[u.ring] = u.config.base;
        set_up(u);
    }
    for (; halt.ready(now); any = true) {
        state_.halted = halt.take().pfp;
        in.halt_valid = 1;
        in.halt_level = state_.halted ? 1 : 0;
    }
    for (; sync.ready(now); any = true)
        in.sync[sync.take().ring] = 1;
    return any;
}

// Puts on the pins the lines of the reorder queue, and what there is room for behind the parser.
void PfpCore::put_queues(Cycle now, Pins::In& in) const {
    for (unsigned i = 0; i < kStreams; ++i) {
        if (!roq[i].can_pop(now))
            continue;
        const RoqLine& line = roq[i].front();
        in.roq_valid[i] = 1;
        in.roq_first[i] = line.first;
        in.roq_count[i] = line.count;
        std::copy(line.dwords.begin(), line.dwords.end(),
                  in.roq_dwords.begin() + i * Pins::kLineDwords);
    }
    in.fetch_ready = to_fetch->can_push(now) ? 1 : 0;
    for (unsigned i = 0; i < kRings; ++i) {
        in.meq_ready[i] = to_meq[i]->can_push(now) ? 1 : 0;
        in.ce_ready[i] = to_ce[i]->can_push(now) ? 1 : 0;
        in.pred_skip[i] = predicate_skips(i) ? 1 : 0;
    }
}

bool PfpCore::tick_pins(Cycle now) {
    Pins::In in;
    Pins::Out out;
    in.now = static_cast<uint32_t>(now);
    in.packet_cycles = static_cast<uint16_t>(spec_.pfp_packet_cycles);
    in.accept = run_ == RunState::Running ? 1 : 0;
    bool for_parser = put_events(now, in);
    bool progress = for_parser;
    take_responses(now, progress);
    for (unsigned i = 0; i < kRings; ++i)
        for_parser |= runnable(i);
    if (!state_.error.empty() || (!for_parser && state_.stalls.reason() == StallReason::None)) {
        busy.set(now, !idle());
        return progress;
    }
    in.parse = run_ != RunState::Paused ? 1 : 0;
    put_queues(now, in);
    run_programs(now, in);
    pins_->step(in, out);
    if (out.error_code != 0) {
        try {
            stop_at(out);
        } catch (const PacketStop& stop) {
            if (!error_reported(now, stop))
                throw;
            busy.set(now, !idle());
            return true;
        }
    }
    for (unsigned i = 0; i < kRings; ++i)
        if (out.event_exec[i] != 0) {
            const auto did = static_cast<OpStep>(in.exec_result[i]);
            progress |= did == OpStep::Advanced || did == OpStep::Finished;
        }
    progress |= out.take_valid != 0 || out.fetch_valid != 0 || out.done_valid != 0;
    follow(now, out);
    progress |= forward_dwords(now, out);
    state_.stalls.note(now, static_cast<StallReason>(out.stall));
    if (state_.stalls.reason() == StallReason::Microcode)
        wake_at(now + 1);
    busy.set(now, !idle());
    return progress;
}

// Runs a step of the programs that the parser selects in this cycle, and drives their outcome on
// the pins. The parser is held meanwhile: which ring runs may depend on the outcome of another.
void PfpCore::run_programs(Cycle now, Pins::In& in) {
    const bool possible =
        std::any_of(state_.rings.begin(), state_.rings.end(), [](const PfpState::Ring& r) {
            return r.phase == PfpPhase::Microcode || r.phase == PfpPhase::Execute;
        });
    if (!possible)
        return;
    in.hold = 1;
    std::array<bool, kRings> known{};
    for (;;) {
        Pins::Out out;
        pins_->step(in, out);
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
            log_packet(observers_, path_, now, spec_, r.location, r.header, r.body.data(), have);
            r.programmed = true;
            r.route = Route::Pfp;
            start_program(ring);
        }
        StallReason reason = StallReason::None;
        uint32_t skip = 0;
        OpStep did = step_program(now, ring, reason, skip);
        in.exec_result[ring] = static_cast<uint8_t>(did);
        in.exec_reason[ring] = static_cast<uint8_t>(reason);
        if (did == OpStep::NeedDword) {
            pins_->step(in, out);
            if (out.exec_give != 0) {
                give_program(ring, out.take_dword);
                did = step_program(now, ring, reason, skip);
                in.exec_again[ring] = static_cast<uint8_t>(did);
                in.exec_again_reason[ring] = static_cast<uint8_t>(reason);
            }
        }
        in.exec_skip[ring] = static_cast<uint16_t>(skip);
        known[ring] = true;
    }
    in.hold = 0;
}

// A dword that the parser has taken, which may be a header.
void PfpCore::follow_dword(Cycle now, const Pins::Out& out) {
    PfpState::Ring& r = state_.rings[out.take_ring];
    ++state_.dwords;
    front::StreamLevel& level = r.stream.levels[out.take_level];
    if (out.take_level == 0 && ++level.position == r.stream.ring.dwords)
        level.position = 0;
    if (out.take_kind == kFirstDword && r.have < r.body.size())
        r.body[r.have++] = out.take_dword;
    if (out.take_kind == kOtherDword)
        walk(out.take_ring, out.take_dword);
    if (out.take_kind != kHeaderDword)
        return;
    r.stream.level = out.take_level;
    r.header = out.take_dword;
    r.location = {out.take_ring, out.take_level, level.vmid, out.take_place, level.base};
    r.began = now;
    r.have = 0;
    r.programmed = false;
    const unsigned type = header_type(r.header);
    r.info = type == 2   ? nullptr
             : type == 0 ? &spec_.packets->type0()
                         : spec_.packets->find(header_opcode(r.header));
    if (r.info != nullptr)
        ++state_.packets[static_cast<size_t>(r.info->packet_class)];
    else
        ++state_.type2;
}

// What has become of the packet of a ring.
void PfpCore::follow_packet(Cycle now, unsigned ring, const Pins::Out& out) {
    PfpState::Ring& r = state_.rings[ring];
    if (out.event_skip[ring] != 0)
        log_packet(observers_, path_, now, spec_, r.location, r.header, r.body.data(), 0);
    if (out.event_begin[ring] != 0 && !r.programmed) {
        log_packet(observers_, path_, now, spec_, r.location, r.header, r.body.data(), r.have);
        r.programmed = true;
        r.route = Route::Fetch;
    }
    if (out.ce_valid[ring] != 0) {
        CeCommand command;
        command.partition = out.ce_partition;
        command.cs1 = out.ce_cs1;
        command.cs2 = out.ce_cs2;
        command.base = out.ce_base;
        command.dwords = out.ce_dwords;
        command.vmid = out.ce_vmid;
        command.swap = out.ce_swap;
        command.location = r.location;
        if (command.partition == 0) {
            note_vmid(de_.warnings, r.location, r.info->name, command.vmid);
            command.location.level = kConstantLevel;
            command.location.vmid = command.vmid;
            command.location.base = command.base;
            command.location.dword = 0;
            ++state_.constant_buffers;
        }
        to_ce[ring]->push(now, command);
    }
    r.phase = static_cast<PfpPhase>(out.phase[ring]);
    // Buffers that are read to their end may have been left.
    if (out.runnable[ring] == 0)
        r.stream.level = 0;
}

// What the parser has done in this cycle, to the channels, counters and logs.
void PfpCore::follow(Cycle now, const Pins::Out& out) {
    for (unsigned i = 0; i < kStreams; ++i) {
        if (out.roq_ready[i] == 0)
            continue;
        roq[i].drop(now);
        to_credit->send(now,
                        {static_cast<uint8_t>(i / kLevels), static_cast<uint8_t>(i % kLevels)});
    }
    if (out.take_valid != 0)
        follow_dword(now, out);
    for (unsigned i = 0; i < kRings; ++i)
        follow_packet(now, i, out);
    state_.syncs += out.event_sync;
    if (out.done_valid != 0) {
        if (out.done_top != 0)
            to_read_pointer->send(now, {out.done_ring, out.done_place});
        if (observers_.trace != nullptr)
            trace_packet(now + 1, out.done_ring);
    }
    if (out.fetch_valid != 0)
        enter_buffer(now, out.fetch_ring, out.fetch_level,
                     {out.fetch_base, out.fetch_dwords, out.fetch_vmid, out.fetch_swap});
}

// The dwords that the parser hands to ME in this cycle; false: none.
bool PfpCore::forward_dwords(Cycle now, const Pins::Out& out) {
    bool any = false;
    for (unsigned i = 0; i < kRings; ++i) {
        if (out.meq_valid[i] == 0)
            continue;
        MeqEntry entry;
        entry.dword = out.meq_dword;
        entry.first = out.meq_first != 0;
        if (entry.first)
            entry.location = state_.rings[i].location;
        to_meq[i]->push(now, entry);
        PfpState::Ring& r = state_.rings[i];
        r.forwarded = entry.first ? 0 : r.forwarded + 1;
        note_forwarded(i, r.forwarded, entry.dword);
        any = true;
    }
    return any;
}

}  // namespace archipelago::cp
