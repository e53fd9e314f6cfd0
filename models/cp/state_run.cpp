// SPDX-License-Identifier: Apache-2.0
#include "models/cp/state_run.h"

#include <algorithm>
#include <cassert>

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
