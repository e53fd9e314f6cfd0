// SPDX-License-Identifier: Apache-2.0
// Runs of packets that set registers, step by step: what PFP and ME do with them in which cycle.
#include <algorithm>

#include "models/cp/register_run.h"
#include "models/cp/state_run.h"

namespace archipelago::cp {

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

}  // namespace archipelago::cp
