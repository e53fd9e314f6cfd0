// SPDX-License-Identifier: Apache-2.0
#include "models/cp/state_run.h"

#include <algorithm>
#include <cassert>

#include "models/cp/register_run.h"

namespace archipelago::cp {

StateRun::StateRun(const Spec& spec, PfpCore& pfp, MeCore& me, RegisterBusPort& bus)
    : pfp_(pfp),
      me_(me),
      bus_(bus),
      places_(spec.meq_size(0)),
      latency_(spec.meq_latency),
      parser_cycles_(spec.pfp_packet_cycles),
      engine_cycles_(spec.me_packet_cycles),
      possible_(spec.pfp_dwords_per_cycle == 1 && spec.me_dwords_per_cycle == 1 &&
                spec.pfp_packet_cycles != 0 && spec.me_packet_cycles != 0) {
    for (unsigned opcode = 0; opcode < sets_.size(); ++opcode) {
        const PacketInfo* const info = spec.packets->find(static_cast<uint8_t>(opcode));
        if (info != nullptr && is_set_reg(info->id) && info->implemented() &&
            info->engine != PacketEngine::Ce && (info->rings & kRingGfx) != 0 &&
            info->routed_by == 0 && info->fixed == 1)
            sets_[opcode] = info;
    }
    const size_t most = places_ + kLongest + 16 * (kLines + 1);
    dwords_.resize(most);
    ready_.resize(most);
    popped_.resize(most);
    queued_place_.resize(places_);
    writes_.resize(kLongest);
    kept_.resize(kLongest);
}

void StateRun::reset() {
    if (held_)
        release(pfp_.scheduler()->now(), pfp_.scheduler()->now(), true);
    active_ = false;
    held_ = false;
    length_ = kFirst;
    retry_at_ = 0;
    parser_ticked_ = engine_ticked_ = parser_made_ = engine_made_ = kNever;
}

// ---- what both engines do -----------------------------------------------------------------------
// Each goes through its cycles by itself, as far as it knows when entries of the micro engine queue
// come and when its places become free. A step is what MeCore::run() and PfpCore::run() do in one
// tick, for these packets; whole packets that nothing holds up are done at once.

// The packet that begins with dword `n`.
inline bool StateRun::opens_packet(uint32_t header, uint32_t n) const {
    const PacketInfo* const info = packet_of(header);
    const uint32_t size = header_body_dwords(header);
    return info != nullptr && (header & 1) == 0 && size >= info->min_body &&
           size <= info->max_body && size < buffer_end_ - n;
}

inline bool StateRun::names_run(const RunPacket& packet, uint32_t offset_dword,
                                RegisterRun& run) const {
    Location location;
    location.ring = static_cast<uint8_t>(parser_.ring);
    return sets_run(*packet.info, packet.header, &offset_dword, location, me_.drawing_state(), run);
}

// Most of what names_run() finds, where nothing is shadowed and no headers are dumped: on ring 0,
// and nobody has to hear of the registers.
inline bool StateRun::names_quiet_run(const RunPacket& packet, uint32_t offset_dword,
                                      RegisterRun& run) {
    const bool context = packet.info->id == PacketId::SetContextReg;
    const RegisterWindow& window = context                                 ? kContextWindow
                                   : packet.info->id == PacketId::SetShReg ? kShWindow
                                                                           : kConfigWindow;
    const uint32_t offset = fields::set_reg::kOffset.in(&offset_dword);
    run.count = header_body_dwords(packet.header) - 1;
    run.offset = window.start + 4 * offset;
    run.noted = false;
    return run.offset + 4 * run.count <= window.end &&
           reserved_bits(packet.info->id, offset_dword) == 0 &&
           (!context || kQuietRegisters.from(run.offset) >= run.count);
}

// Packets of ME from a header on, as long as all of their dwords are there in time.
inline bool StateRun::run_packets(Cycle until) {
    RunEngine& e = engine_;
    Cycle now = engine_at_;
    uint32_t n = head_;
    uint64_t packets = 0;
    RunPacket packet;
    RegisterRun run;
    const Cycle ahead = 1 + engine_cycles_;
    const DeState& de = me_.drawing_state();
    const bool plain = !de.header_dump.enabled && de.rings[parser_.ring].shadow_enable == 0;
    while (n != tail_) {
        const uint32_t header = dwords_[n];
        const uint32_t body = header_body_dwords(header);
        const Cycle start = now + ahead;
        const Cycle done = start + body - 1;
        const PacketInfo* const info = packet_of(header);
        if (tail_ - n <= body || done >= until || ready_[n + body] > now || info == nullptr)
            break;
        const RunPacket next{info, header, place_of(n), 0, start, now};
        RegisterRun registers;
        if ((!plain || !names_quiet_run(next, dwords_[n + 1], registers)) &&
            !names_run(next, dwords_[n + 1], registers))
            break;
        packet = next;
        run = registers;
        ++packets;
        popped_[n] = now;
        popped_[n + 1] = now + 1;
        for (uint32_t i = 0; i < run.count; ++i)
            popped_[n + 2 + i] = start + i;
        Cycle to_block = kNever;
        if (holding_ && run.count > most_held_)
            wait_for_burst(start, run.count);
        else if (holding_ && start >= hold_from_)
            to_block = way_->to_block(run.offset, run.count);
        if (to_block != kNever) {
            const uint32_t first = std::min(run.count, burst_);
            kept_[held_count_++] = {start, run.offset, first, n + 2, to_block, 0, run.noted};
            if (first != run.count)
                kept_[held_count_++] = {start + first,     run.offset + 4 * first,
                                        run.count - first, n + 2 + first,
                                        to_block,          burst_gap_,
                                        run.noted};
            most_to_block_ = std::max(most_to_block_, to_block);
        } else {
            for (uint32_t i = 0; i < run.count; ++i)
                writes_[written_++] = {start + i, run.offset + 4 * i, dwords_[n + 2 + i]};
        }
        n += body + 1;
        now = done + 1;
    }
    if (packets == 0)
        return false;
    if (parser_at_ == kNever)
        parser_at_ = popped_[head_] + 1;
    e.stalls.note(engine_at_, StallReason::None);
    e.stalls.add(StallReason::Microcode, packets * (engine_cycles_ - 1));
    head_ = n;
    last_pop_ = now - 2;
    e.packet = packet;
    e.offset_dword = dwords_[n - run.count - 1];
    e.offset = run.offset + 4 * run.count;
    e.count = 0;
    e.last = packet.info;
    e.packets += packets;
    e.current = -1;
    engine_last_ = now - 1;
    engine_at_ = now;
    return true;
}

StateRun::Step StateRun::step_engine(Cycle until) {
    RunEngine& e = engine_;
    RunPacket& p = e.packet;
    const Cycle now = engine_at_;
    // Nothing to take: from when on there is, as far as that is known.
    const auto wait = [&](StallReason reason) {
        if (head_ == tail_ && parser_at_ != kNever && parser_at_ + latency_ <= now)
            return Step::Later;
        e.stalls.note(now, reason);
        e.current = -1;
        engine_last_ = now;
        engine_at_ = head_ != tail_ ? ready_[head_] : kNever;
        return Step::On;
    };
    const bool ready = head_ != tail_ && ready_[head_] <= now;
    switch (e.phase) {
        case MePhase::Header:
            if (!ready) {
                // With an empty queue it falls idle.
                if (head_ == tail_)
                    return parser_at_ < now ? Step::Later : Step::Stop;
                return ready_[head_] - latency_ >= now ? Step::Stop : wait(StallReason::None);
            }
            if (run_packets(until))
                return Step::On;
            if (packet_of(dwords_[head_]) == nullptr)
                return Step::Stop;
            p.place = place_of(head_);
            p.header = pop(now);
            p.info = packet_of(p.header);
            p.left = header_body_dwords(p.header);
            p.began = now;
            e.phase = MePhase::Collect;
            break;
        case MePhase::Collect:
            if (!ready)
                return wait(StallReason::Queue);
            e.offset_dword = pop(now);
            --p.left;
            p.ready_at = now + engine_cycles_;
            e.phase = MePhase::Microcode;
            e.stalls.note(now, StallReason::None);
            if (engine_cycles_ > 1)
                e.stalls.note(now + 1, StallReason::Microcode);
            e.current = static_cast<int>(parser_.ring);
            engine_last_ = now;
            engine_at_ = p.ready_at;
            return Step::On;
        case MePhase::Microcode: {
            if (now < p.ready_at) {
                engine_at_ = p.ready_at;
                return Step::On;
            }
            RegisterRun run;
            if (!names_run(p, e.offset_dword, run))
                return Step::Stop;
            if (!ready && head_ == tail_ && parser_at_ != kNever && parser_at_ + latency_ <= now)
                return Step::Later;
            e.offset = run.offset;
            e.count = run.count;
            if (holding_ && run.count > most_held_)
                wait_for_burst(now, run.count);
            e.phase = MePhase::Execute;
            e.started = true;
            e.written = 0;
            [[fallthrough]];
        }
        default:
            if (e.count == 0) {
                e.phase = MePhase::Header;
                if (e.started)
                    e.last = p.info;
                e.started = false;
                ++e.packets;
                e.stalls.note(now, StallReason::None);
                e.current = -1;
                engine_last_ = now;
                engine_at_ = now + 1;
                return Step::On;
            }
            if (!ready)
                return wait(StallReason::Queue);
            write(now, pop(now));
            --p.left;
            break;
    }
    e.stalls.note(now, StallReason::None);
    e.current = static_cast<int>(parser_.ring);
    engine_last_ = now;
    engine_at_ = now + 1;
    return Step::On;
}

// Packets of PFP from a header on, as long as all of a packet is there and it is known when there
// is room for each of its dwords.
inline bool StateRun::pass_packets(Cycle until) {
    RunParser& p = parser_;
    Cycle now = parser_at_;
    Cycle began = now;
    uint32_t n = cursor_, last = n;
    uint64_t packets = 0, full = 0;
    const uint32_t end = std::min(dwords_end_, places_ + head_);  // room for those before is known
    while (n < end) {
        const uint32_t header = dwords_[n];
        if (!opens_packet(header, n))
            break;
        const uint32_t behind = n + header_body_dwords(header) + 1;
        if (behind > end)
            break;
        const Cycle decided = now + parser_cycles_;
        const Cycle last_room = behind <= places_ ? 0 : popped_[behind - 1 - places_] + 1;
        // The last dword leaves at the latest then: places become free one by one.
        if (std::max(decided, last_room) + (behind - n) > until)
            break;
        if (line_start_[taken_] < behind) {
            if (line_ready_[taken_] > now || line_start_[taken_ + 1] < behind)
                break;
            if (line_start_[taken_] == n)
                line_taken_[taken_++] = now;
        }
        began = now;
        last = n;
        ++packets;
        Cycle at = decided;
        const uint32_t free = std::max(n, std::min(places_, behind));
        for (; n != free; ++n)  // there was room from the beginning on
            ready_[n] = at++ + latency_;
        for (; n != behind; ++n) {
            const Cycle room = popped_[n - places_] + 1;
            const Cycle pushed = std::max(room, at);
            full += pushed - at;
            ready_[n] = pushed + latency_;
            at = pushed + 1;
        }
        if (line_start_[taken_] < behind) {
            line_taken_[taken_] = ready_[line_start_[taken_]] - latency_;
            ++taken_;
        }
        now = at;
    }
    if (packets == 0)
        return false;
    if (engine_at_ == kNever)
        engine_at_ = ready_[tail_];
    p.stalls.note(parser_at_, StallReason::None);
    p.stalls.add(StallReason::Microcode, packets * (parser_cycles_ - 1));
    p.stalls.add(StallReason::QueueFull, full);
    const uint32_t header = dwords_[last];
    p.packet = {packet_of(header), header, place_of(last), 0, began + parser_cycles_, began};
    p.forwarded = header_body_dwords(header) + 1;
    p.packets += packets;
    p.finished = true;
    p.current = -1;
    tail_ = cursor_ = n;
    parser_last_ = now - 1;
    parser_at_ = now;
    return true;
}

StateRun::Step StateRun::step_parser(Cycle until) {
    RunParser& p = parser_;
    const Cycle now = parser_at_;
    const auto wait = [&](StallReason reason, Cycle next) {
        p.stalls.note(now, reason);
        p.current = -1;
        parser_last_ = now;
        parser_at_ = next;
        return Step::On;
    };
    Cycle ready = 0;
    if (p.phase == PfpPhase::Header) {
        if (cursor_ == buffer_end_ || !dword_known(ready) ||
            (ready <= now && !opens_packet(dwords_[cursor_], cursor_)))
            return Step::Stop;
        p.waits_from = kNever;
        if (ready > now)
            return wait(StallReason::Queue, ready);
        if (pass_packets(until))
            return Step::On;
        p.packet.header = take_dword(now);
        p.packet.place = place_of(tail_);
        p.packet.info = packet_of(p.packet.header);
        p.packet.left = header_body_dwords(p.packet.header);
        p.packet.began = now;
        p.packet.ready_at = now + parser_cycles_;
        p.forwarded = 0;
        ++p.packets;
        p.phase = PfpPhase::Microcode;
        p.stalls.note(now, StallReason::None);
        if (parser_cycles_ > 1)
            p.stalls.note(now + 1, StallReason::Microcode);
        p.current = static_cast<int>(p.ring);
        parser_last_ = now;
        parser_at_ = p.packet.ready_at;
        return Step::On;
    }
    if (p.phase == PfpPhase::Microcode && now < p.packet.ready_at) {
        parser_at_ = p.packet.ready_at;
        return Step::On;
    }
    const Cycle room = room_for(tail_);
    const Cycle next_room = room_for(tail_ + 1);
    if ((room == kNever || next_room == kNever) && engine_at_ < now)
        return Step::Later;  // ME may still free a place before
    if (room <= now && p.phase == PfpPhase::Forward && p.forwarded != 0 && !dword_known(ready))
        return Step::Stop;
    if (p.waits_from <= now) {
        if (p.waits_from < now)
            p.current = -1;
        p.waits_from = kNever;
    }
    p.phase = PfpPhase::Forward;
    if (room > now)
        return wait(StallReason::QueueFull, room);
    if (p.forwarded != 0) {
        if (ready > now)
            return wait(StallReason::Queue, ready);
        take_dword(now);
        --p.packet.left;
    }
    push(now);
    p.stalls.note(now, StallReason::None);
    parser_last_ = now;
    parser_at_ = now + 1;
    if (++p.forwarded > header_body_dwords(p.packet.header)) {
        p.phase = PfpPhase::Header;
        p.finished = true;
        p.current = -1;
        return Step::On;
    }
    p.current = static_cast<int>(p.ring);
    if (next_room > now) {
        p.stalls.note(now + 1, StallReason::QueueFull);
        p.waits_from = now + 1;
        parser_at_ = next_room;
    }
    return Step::On;
}

// The dwords that are known when the run begins, one behind the other.
void StateRun::lay_out(const Channel<MeqEntry>& queue, const Channel<RoqLine>& lines) {
    const RunParser& p = parser_begin_;
    queued_ = static_cast<uint32_t>(queue.size());
    uint32_t n = 0;
    for (; n < queued_; ++n) {
        const MeqEntry& from = queue.peek(n);
        dwords_[n] = from.dword;
        queued_place_[n] = from.first ? from.location.dword : kNoPlace;
        ready_[n] = queue.ready_at(n);
    }
    first_place_ = p.position;
    if (p.phase != PfpPhase::Header && p.forwarded == 0) {
        dwords_[n++] = p.packet.header;
        --first_place_;
    }
    cursor_begin_ = n;
    buffer_end_ = n + (p.end - p.position);
    const auto add = [&](const RoqLine& line, unsigned used) {
        const unsigned from = line.first + used, count = line.count - used;
        std::copy_n(line.dwords.begin() + from, count, dwords_.begin() + n);
        n += count;
    };
    if (p.has_line)
        add(*p.line, p.used);
    unsigned there = 0;
    for (; there < lines.size() && there < kLines && n < cursor_begin_ + kLongest; ++there) {
        line_start_[there] = n;
        line_ready_[there] = lines.ready_at(there);
        line_first_[there] = lines.peek(there).first;
        add(lines.peek(there), 0);
    }
    line_start_[there] = line_start_[there + 1] = kNoPlace;
    dwords_end_ = n;
}

void StateRun::restart() {
    parser_ = parser_begin_;
    engine_ = engine_begin_;
    parser_at_ = engine_at_ = begin_;
    parser_last_ = engine_last_ = 0;
    cursor_ = cursor_begin_;
    taken_ = 0;
    written_ = held_count_ = 0;
    hold_from_ = hold_from_begin_;
    head_ = 0;
    tail_ = queued_;
    last_pop_ = kNever;
}

// From the beginning up to the start of cycle `until`, or of that in which one does what a run does
// not know: returns which.
Cycle StateRun::simulate(Cycle until) {
    restart();
    for (;;) {
        Step parser = Step::Later, engine = Step::Later;
        bool moved = false;
        while (parser_at_ < until && (parser = step_parser(until)) == Step::On)
            moved = true;
        const bool parser_stops = parser == Step::Stop && parser_at_ < until;
        while (engine_at_ < until && (engine = step_engine(until)) == Step::On)
            moved = true;
        const bool engine_stops = engine == Step::Stop && engine_at_ < until;
        if (parser_stops || engine_stops) {
            Cycle at = kNever;
            if (parser_stops)
                at = parser_at_;
            if (engine_stops)
                at = std::min(at, engine_at_);
            until = at;
            if (parser_last_ >= at || engine_last_ >= at)
                restart();  // one has gone too far
        } else if (!moved) {
            return until;
        }
    }
}

// ---- beginning and end --------------------------------------------------------------------------

bool StateRun::begin(Cycle now) {
    if (!possible_ || now < retry_at_ || !pfp_.enter_run(parser_begin_) ||
        !me_.enter_run(parser_begin_, engine_begin_))
        return false;
    retry_at_ = now + kShortest;
    const Channel<RoqLine>& lines = pfp_.roq[stream_of(parser_begin_.ring, parser_begin_.level)];
    const Channel<MeqEntry>& queue = me_.meq[parser_begin_.ring];
    if (parser_begin_.ring != 0 || !lines.plain() || !queue.plain())
        return false;
    // A packet of another buffer, whose place would be lost.
    for (size_t i = 0; i < queue.size(); ++i) {
        const MeqEntry& e = queue.peek(i);
        if (e.first && (e.location.level != parser_begin_.level ||
                        e.location.base != parser_begin_.base || e.location.vmid != 0))
            return false;
    }
    lay_out(queue, lines);
    played_writes_ = next_held_ = 0;
    begin_ = now;
    most_to_block_ = 0;
    to_bus_ = way_ != nullptr && bus_.idle() ? bus_.arrival(0) : kNever;
    // Between the last write of a packet and the first of the next lie a cycle to end, one for the
    // header, one for the offset and those of the microcode: they do not get in each other's way.
    burst_ = bus_.burst();
    burst_gap_ = bus_.burst_gap();
    most_held_ = burst_ > 16 ? burst_ : 2 * burst_ - 2;
    hold_from_ = 0;
    holding_ = to_bus_ != kNever && burst_ > 1 && burst_ + engine_cycles_ + 3 > to_bus_ &&
               engine_cycles_ + 2 > burst_gap_ &&
               way_->open(now, now + 1 + engine_cycles_ + to_bus_, *this);
    if (holding_ && engine_begin_.phase == MePhase::Execute)
        wait_for_burst(now, engine_begin_.packet.left + burst_);
    hold_from_begin_ = hold_from_;
    end_ = simulate(now + length_);
    holding_ = false;
    if (end_ < now + kShortest)
        return false;
    hold_back();
    active_ = true;
    pfp_.wake_at(end_);
    me_.wake_at(end_);
    return true;
}

// ---- held writes --------------------------------------------------------------------------------

// A longer run of writes takes its time on its way, and what follows too soon waits for it.
void StateRun::wait_for_burst(Cycle start, uint32_t count) {
    hold_from_ = start + count * to_bus_ / (burst_ - 1);
}

// Only those that will have been taken when the run ends; the others leave in their cycles.
void StateRun::hold_back() {
    const size_t before = written_;
    while (held_count_ != 0) {
        const Held& last = kept_[held_count_ - 1];
        if (last.at + last.count + last.late + to_bus_ + most_to_block_ <= end_)
            break;
        for (uint32_t i = last.count; i-- > 0;)
            writes_[written_++] = {last.at + i, last.offset + 4 * i, dwords_[last.dword + i]};
        --held_count_;
    }
    if (written_ != before)
        std::sort(writes_.begin(), writes_.begin() + static_cast<std::ptrdiff_t>(written_),
                  [](const Write& a, const Write& b) { return a.at < b.at; });
    held_ = held_count_ != 0;
}

inline RegRequest StateRun::request_of(const Held& held) const {
    RegRequest r;
    r.offset = held.offset;
    r.value = dwords_[held.dword];
    r.write = true;
    r.source = kRegFromCp;
    r.ring = static_cast<uint8_t>(parser_begin_.ring);
    r.tag = r.ring;
    r.context = me_.drawing_state().contexts.target(held.offset);
    return r;
}

// The next `count` of them are where they belong.
inline void StateRun::take_held(Held& held, uint32_t count) {
    me_.wrote_in_run(held.offset, &dwords_[held.dword], count, held.noted);
    held.at += count;
    held.offset += 4 * count;
    held.dword += count;
    held.count -= count;
}

// Cycle `now` goes on: those that left before cycle `issued` go where they are by then. Not `all`:
// those that are not past the bus stay.
void StateRun::release(Cycle now, Cycle issued, bool all) {
    bus_.held_went();
    const bool contended = way_->contended(now);
    for (; next_held_ != held_count_; ++next_held_) {
        Held& held = kept_[next_held_];
        while (held.count != 0) {
            if (held.at >= issued)
                return;
            const Cycle at_bus = held.at + held.late + to_bus_;
            const Cycle taken = at_bus + held.to_block;
            const Cycle last = contended && held.to_block == 0 ? now - 1 : now;
            if (taken <= last) {
                const Cycle most = std::min(last - taken + 1, issued - held.at);
                const auto count = static_cast<uint32_t>(std::min<Cycle>(held.count, most));
                way_->taken(request_of(held), &dwords_[held.dword], count);
                take_held(held, count);
            } else if (at_bus < now || (at_bus == now && !contended)) {
                way_->passed(request_of(held), at_bus);
                take_held(held, 1);
            } else if (!all) {
                return;
            } else {
                const bool left = me_.write_of_run(held.at + held.late, parser_begin_.ring,
                                                   held.offset, dwords_[held.dword]);
                assert(left);
                (void)left;
                ++held.at;
                held.offset += 4;
                ++held.dword;
                --held.count;
            }
        }
    }
}

void StateRun::let_go(Cycle now) {
    release(now, engine_ticked_ == now ? now + 1 : now, true);
    held_ = false;
    // What has not left leaves in its cycle.
    for (; next_held_ != held_count_; ++next_held_) {
        const Held& held = kept_[next_held_];
        for (uint32_t i = 0; i < held.count; ++i)
            writes_[written_++] = {held.at + i, held.offset + 4 * i, dwords_[held.dword + i]};
    }
    std::sort(writes_.begin() + static_cast<std::ptrdiff_t>(played_writes_),
              writes_.begin() + static_cast<std::ptrdiff_t>(written_),
              [](const Write& a, const Write& b) { return a.at < b.at; });
    if (played_writes_ == written_)
        return;
    if (writes_[played_writes_].at != now) {
        me_.wake_at(writes_[played_writes_].at);
        return;
    }
    // ME has not been ticked for this one, and may not be asked any more in this cycle.
    bool again = false;
    if (!engine_tick(now, again))
        again = me_.tick_alone(now);
    engine_made_ = now;
    if (again)
        me_.wake_at(now + 1);
}

// Both states, as they are now, to their owners.
void StateRun::give_back() {
    active_ = false;
    parser_.dwords = cursor_ - cursor_begin_;
    parser_.position += cursor_ - cursor_begin_;
    if (taken_ == 0) {
        parser_.used = static_cast<uint8_t>(parser_.used + (cursor_ - cursor_begin_));
        parser_.has_line = parser_.has_line && parser_.used != parser_.line->count;
        parser_.line = nullptr;
    } else {
        const uint32_t start = line_start_[taken_ - 1];
        const uint32_t end = std::min(line_start_[taken_], dwords_end_);
        line_.first = line_first_[taken_ - 1];
        line_.count = static_cast<uint8_t>(end - start);
        std::copy(dwords_.begin() + start, dwords_.begin() + end,
                  line_.dwords.begin() + line_.first);
        parser_.line = &line_;
        parser_.used = static_cast<uint8_t>(cursor_ - start);
        parser_.has_line = cursor_ != end;
    }
    engine_.dwords = head_;
    pfp_.leave_run(parser_);
    me_.leave_run(parser_, engine_);
    Location location;
    location.ring = static_cast<uint8_t>(parser_.ring);
    location.level = parser_.level;
    location.base = parser_.base;
    // A header among them is the start of a packet that PFP has passed.
    uint32_t header = queued_;
    if (parser_begin_.phase != PfpPhase::Header && parser_begin_.forwarded != 0)
        header += parser_begin_.packet.left;
    me_.meq[parser_.ring].move_on(head_, last_pop_, tail_ - queued_,
                                  [&](uint64_t pushed, MeqEntry& to) {
                                      const auto n = static_cast<uint32_t>(queued_ + pushed);
                                      while (header < n)
                                          header += 1 + header_body_dwords(dwords_[header]);
                                      to.dword = dwords_[n];
                                      to.first = header == n;
                                      to.location = {};
                                      if (to.first) {
                                          to.location = location;
                                          to.location.dword = place_of(n);
                                      }
                                      return ready_[n];
                                  });
}

void StateRun::settle(Cycle at) {
    if (!active_)
        return;
    at = std::max(std::min(at, end_), begin_);
    if (held_)
        release(at - 1, at, true);
    held_ = false;
    const unsigned lines = taken_;
    simulate(at);
    pfp_.keep_lines_of_run(lines - taken_, parser_begin_.ring, parser_begin_.level);
    give_back();
    length_ = kFirst;
    wake_both(at);
}

// From `at` on both go on by themselves.
void StateRun::wake_both(Cycle at) {
    pfp_.wake_at(at);
    me_.wake_at(at);
    // The clock may not have come to the cycle before: no tick in it, which is done.
    if (parser_.phase == PfpPhase::Microcode)
        pfp_.wake_at(std::max(at, parser_.packet.ready_at));
    if (engine_.phase == MePhase::Microcode)
        me_.wake_at(std::max(at, engine_.packet.ready_at));
    if (head_ != tail_)
        me_.wake_at(std::max(at, ready_[head_]));
}

// Something has come in cycle `now`: both do this cycle by themselves, but one that has done it.
void StateRun::disturb(Cycle now, bool parser_ticks) {
    ++disturbed_;
    const bool parser_done = !parser_ticks && parser_ticked_ == now;
    const bool engine_done = parser_ticks && engine_ticked_ == now;
    if (held_)
        release(now, engine_done ? now + 1 : now, true);
    held_ = false;
    const unsigned lines = taken_;
    simulate(now);
    // What one does in this cycle does not hang on what the other does in it.
    if (parser_done && parser_at_ <= now)
        step_parser(now);
    if (engine_done && engine_at_ <= now)
        step_engine(now);
    pfp_.keep_lines_of_run(lines - taken_, parser_begin_.ring, parser_begin_.level);
    give_back();
    length_ = kFirst;
    retry_at_ = now + kShortest;
    wake_both(now + 1);
    if (parser_ticks && !engine_done) {
        engine_made_ = now;
        if (me_.tick_alone(now))
            me_.wake_at(now + 1);
    } else if (!parser_ticks && !parser_done) {
        parser_made_ = now;
        if (pfp_.tick_alone(now))
            pfp_.wake_at(now + 1);
    }
}

// All lines it takes, each in its cycle.
void StateRun::take_lines() {
    for (unsigned i = 0; i < taken_; ++i)
        pfp_.take_line_of_run(line_taken_[i], parser_begin_.ring, parser_begin_.level);
}

// As far as it was worked out, with nothing in between.
void StateRun::end(Cycle now) {
    assert(now == end_ && written_ == played_writes_);
    cycles_ += end_ - begin_;
    length_ = std::min(2 * length_, kLongest);
    retry_at_ = now;
    // Those that are held back have all been taken by now.
    if (held_) {
        bus_.held_went();
        for (; next_held_ != held_count_; ++next_held_) {
            Held& held = kept_[next_held_];
            if (held.count == 0)
                continue;
            way_->taken(request_of(held), &dwords_[held.dword], held.count);
            take_held(held, held.count);
        }
    }
    held_ = false;
    give_back();
    wake_both(now);
}

// ---- in time ------------------------------------------------------------------------------------

// False: the bus takes nothing.
bool StateRun::play_engine(Cycle now, bool& again) {
    again = false;
    if (played_writes_ != written_ && writes_[played_writes_].at == now) {
        if (!me_.write_of_run(now, parser_begin_.ring, writes_[played_writes_].offset,
                              writes_[played_writes_].value))
            return false;
        ++played_writes_;
    }
    if (played_writes_ == written_)
        return true;
    const Cycle next = writes_[played_writes_].at;
    if (next == now + 1)
        again = true;
    else
        me_.wake_at(next);
    return true;
}

bool StateRun::parser_tick(Cycle now, bool& again) {
    again = false;
    if (parser_made_ == now)
        return true;
    if (active_ && now >= end_) {
        end(now);
    } else if (active_ && !pfp_.undisturbed()) {
        disturb(now, true);
    } else if (active_) {
        parser_ticked_ = now;
        return true;
    }
    if (engine_ticked_ != now && engine_made_ != now && begin(now)) {
        bool more = false;
        if (play_engine(now, more)) {
            take_lines();
            if (more)
                me_.wake_at(now + 1);
            parser_ticked_ = engine_ticked_ = engine_made_ = now;
            return true;
        }
        active_ = false;
        held_ = false;
    }
    parser_ticked_ = now;
    return false;
}

bool StateRun::engine_tick(Cycle now, bool& again) {
    again = false;
    if (engine_made_ == now)
        return true;
    if (active_ && now >= end_) {
        end(now);
    } else if (active_) {
        if (me_.undisturbed() && play_engine(now, again)) {
            engine_ticked_ = now;
            return true;
        }
        disturb(now, false);
    }
    engine_ticked_ = now;
    return false;
}

}  // namespace archipelago::cp
