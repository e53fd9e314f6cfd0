// SPDX-License-Identifier: Apache-2.0
// Command scheduling: at most one DRAM command per cycle.
#include <algorithm>

#include "models/mc/mc_core.h"

namespace archipelago::mc {

bool McCore::schedule(Cycle now) {
    if (spec_.timing.refi != 0) {
        if (now >= state_.next_refresh)
            return refresh(now);
        if (state_.refresh_wakeup != state_.next_refresh) {
            state_.refresh_wakeup = state_.next_refresh;
            wake_at(state_.next_refresh);
        }
    }
    const bool write = writes_next(now);
    if (write && !state_.writing) {
        ++state_.count.write_drains;
        state_.drain_by_mark = state_.writes.size() >= spec_.write_high;
    }
    state_.writing = write;
    Cycle next = kNever;
    bool all_wait = false;
    WaitQueue& queue = write ? state_.writes : state_.reads;
    WaitQueue& other = write ? state_.reads : state_.writes;
    if (turning() && serve_until_turn(now, queue, other, next))
        return true;
    if (issue_from(now, queue, write, next, all_wait))
        return true;
    // Every access in the window is ordered behind one in the other direction.
    if (all_wait && issue_from(now, other, !write, next, all_wait))
        return true;
    // An access that starves may change the direction.
    for (const auto* waiting : {&state_.reads, &state_.writes})
        if (!waiting->empty())
            next = std::min(next, starves_at(waiting->front(), now));
    if (next != kNever)
        wake_at(next);
    state_.skip_until = spec_.timing.refi != 0 ? std::min(next, state_.next_refresh) : next;
    return false;
}

// The cycle in which the entry starts to starve; kNever when it already does.
Cycle McCore::starves_at(uint16_t index, Cycle now) const {
    const Cycle cap = state_.entries[index].accepted + spec_.starvation_cycles;
    return cap > now ? cap : kNever;
}

// Whether writes are served next. At least one access waits.
bool McCore::writes_next(Cycle now) const {
    const WaitQueue& reads = state_.reads;
    const WaitQueue& writes = state_.writes;
    if (reads.empty() || writes.empty())
        return reads.empty();
    // The oldest access of all is never ordered behind another.
    if (starved(reads.front(), now) || starved(writes.front(), now))
        return state_.entries[writes.front()].order < state_.entries[reads.front()].order;
    return state_.reads_behind_writes != 0 ||
           (state_.writing ? writes.size() > spec_.write_low : writes.size() >= spec_.write_high);
}

// Whether the scheduler has turned to the other direction and the bus has not, at the beginning or
// end of a drain that write_high began; both directions have accesses.
bool McCore::turning() const {
    return state_.drain_by_mark && state_.last_was_write != state_.writing &&
           !state_.reads.empty() && !state_.writes.empty();
}

// From a column command to the first that may follow it in the other direction.
Cycle McCore::turn_time(bool from_write) const {
    const DramTiming& t = spec_.timing;
    if (from_write)
        return t.wl + t.burst + t.wtr;
    const unsigned bus_free = t.cl + t.burst + t.rtw;
    return bus_free > t.wl ? bus_free - t.wl : 0;
}

// First cycle in which a column command for the open row of a bank may be given.
Cycle McCore::column_ready(unsigned bank, bool write) const {
    const McState::Bank& b = state_.banks[bank];
    return std::max({write ? b.next_write : b.next_read,
                     write ? state_.next_write : state_.next_read,
                     state_.group_next[dram_.group_of(bank)]});
}

// First cycle for the next row command of a bank: precharge when a row is open, else activate.
Cycle McCore::row_ready(unsigned bank) const {
    const McState::Bank& b = state_.banks[bank];
    return b.open ? b.next_precharge : activate_ready(bank);
}

Cycle McCore::activate_ready(unsigned bank) const {
    const Cycle ready = std::max(state_.banks[bank].next_activate, state_.next_activate);
    return spec_.timing.faw != 0 ? std::max(ready, state_.activates[state_.activate_index]) : ready;
}

// First cycle in which the access could have its column command, were the bus free and its bank
// given row commands as soon as it can take them.
Cycle McCore::bank_ready(Cycle now, const McState::Entry& entry) const {
    const DramTiming& t = spec_.timing;
    const McState::Bank& bank = state_.banks[entry.bank];
    if (row_open(entry))
        return std::max(entry.write ? bank.next_write : bank.next_read,
                        state_.group_next[dram_.group_of(entry.bank)]);
    Cycle activated = std::max(now, row_ready(entry.bank));
    if (bank.open)
        activated = std::max(activated + t.rp, activate_ready(entry.bank));
    return activated + (entry.write ? t.rcd_write : t.rcd_read);
}

// An entry entered the window of its queue's masks.
void McCore::add_to_masks(WaitQueue& queue, size_t position) {
    const McState::Entry& entry = state_.entries[queue[position]];
    queue.add_to_masks(position, entry.bank, entry.after == McState::kNone, row_open(entry));
}

// Lowers skip_until for a new entry: to 0 when it turns the direction, else to the cycle in which
// the entry itself could get a command or starts to starve.
void McCore::reconsider(Cycle now, const McState::Entry& entry) {
    if (now >= state_.skip_until)
        return;
    if (writes_next(now) != state_.writing || turning()) {
        state_.skip_until = 0;
        return;
    }
    const Cycle ready =
        std::min(row_open(entry) ? column_ready(entry.bank, entry.write) : row_ready(entry.bank),
                 entry.accepted + spec_.starvation_cycles);
    if (ready >= state_.skip_until)
        return;
    state_.skip_until = ready;
    wake_at(ready);
}

// Issues one command for the queue, if any is allowed now: the oldest row hit, else the oldest
// activate or precharge. Lowers `next` to the first cycle in which another may be allowed.
bool McCore::issue_from(Cycle now, WaitQueue& queue, bool write, Cycle& next, bool& all_wait) {
    const uint64_t eligible = queue.eligible & window_;
    all_wait = eligible == 0;
    if (all_wait)
        return false;
    const auto position_of = [](uint64_t mask) {
        return static_cast<size_t>(__builtin_ctzll(mask));
    };
    uint64_t hits = eligible & queue.hits;
    const uint64_t first = eligible & -eligible;
    const uint16_t oldest = queue[position_of(first)];
    next = std::min(next, starves_at(oldest, now));
    if ((hits & first) == 0 && starved(oldest, now))  // its bank serves no other request
        hits &= ~queue.of_bank[state_.entries[oldest].bank];
    // The oldest hit of a bank represents all of them: they become ready in the same cycle. Store
    // entries are freed by the store's responses, which clear skip_until.
    const bool has_room = room();
    const Cycle bus_free = write ? state_.next_write : state_.next_read;
    if (hits == eligible && (!has_room || bus_free > now)) {  // rows need no command
        if (has_room)
            next = std::min(next, bus_free);
        return false;
    }
    uint64_t others = eligible;  // in banks without a hit
    while (hits != 0) {
        const size_t position = position_of(hits);
        const unsigned bank = state_.entries[queue[position]].bank;
        hits &= ~queue.of_bank[bank];
        others &= ~queue.of_bank[bank];
        // No column command before the data bus is free.
        if (!has_room || (bus_free > now && next <= bus_free))
            continue;
        const Cycle ready = column_ready(bank, write);
        if (ready <= now) {
            issue_column(now, queue, position, write);
            skip_while_bus_busy(now, queue, write);
            return true;
        }
        next = std::min(next, ready);
    }
    while (others != 0) {  // only the oldest entry of a bank decides about its row
        McState::Entry& entry = state_.entries[queue[position_of(others)]];
        others &= ~queue.of_bank[entry.bank];
        const Cycle ready = row_ready(entry.bank);
        if (ready > now) {
            next = std::min(next, ready);
            continue;
        }
        issue_row(now, entry);
        return true;
    }
    return false;
}

// Before the bus turns: row hits of the direction that leaves, as many as do not delay the access
// of the other one that can be first to use the bus. None before an access that starves. Lowers
// `next` to the first cycle in which one may be served.
bool McCore::serve_until_turn(Cycle now, WaitQueue& coming, WaitQueue& leaving, Cycle& next) {
    uint64_t hits = leaving.eligible & leaving.hits & window_;
    if (hits == 0 || !room() || (coming.eligible & window_) == 0 || starved(coming.front(), now))
        return false;
    const bool write = state_.last_was_write;
    const Cycle bus_free = write ? state_.next_write : state_.next_read;
    if (bus_free > now) {
        next = std::min(next, bus_free);
        return false;
    }
    const Opening first = first_to_open(now, coming);
    McState::Entry& turning = state_.entries[first.entry];
    hits &= ~leaving.of_bank[turning.bank];
    while (hits != 0) {
        const auto position = static_cast<size_t>(__builtin_ctzll(hits));
        const unsigned bank = state_.entries[leaving[position]].bank;
        hits &= ~leaving.of_bank[bank];
        const Cycle ready = column_ready(bank, write);
        if (ready + turn_time(write) > first.column)
            continue;
        if (ready > now) {
            next = std::min(next, ready);
            continue;
        }
        // Where both may be given now, the row command goes first.
        if (!row_open(turning) && row_ready(turning.bank) <= now)
            issue_row(now, turning);
        else
            issue_column(now, leaving, position, write);
        return true;
    }
    return false;
}

// The eligible access that can be first to have its row open.
McCore::Opening McCore::first_to_open(Cycle now, const WaitQueue& queue) const {
    Opening first{McState::kNone, kNever};
    for (uint64_t left = queue.eligible & window_; left != 0;) {
        // A bank serves its oldest row hit, else opens the row of its oldest access.
        const uint64_t hits = left & queue.hits;
        const uint16_t index = queue[static_cast<size_t>(__builtin_ctzll(hits != 0 ? hits : left))];
        left &= ~queue.of_bank[state_.entries[index].bank];
        const Cycle column = bank_ready(now, state_.entries[index]);
        if (column < first.column)
            first = {index, column};
    }
    return first;
}

void McCore::issue_row(Cycle now, McState::Entry& entry) {
    if (state_.banks[entry.bank].open) {
        entry.conflicted = true;
        precharge(now, entry.bank);
    } else {
        activate(now, entry);
    }
}

// After a column command: when all eligible accesses in its direction are row hits, which need the
// data bus, sets skip_until to the cycle in which the bus is free.
void McCore::skip_while_bus_busy(Cycle now, const WaitQueue& queue, bool write) {
    const uint64_t eligible = queue.eligible & window_;
    if (eligible == 0 || (eligible & ~queue.hits) != 0 || write != state_.writing)
        return;
    const Cycle bus_free = write ? state_.next_write : state_.next_read;
    if (bus_free <= now + 1 || writes_next(now + 1) != write)
        return;
    Cycle next = room() ? bus_free : kNever;
    for (const auto* waiting : {&state_.reads, &state_.writes})
        if (!waiting->empty())
            next = std::min(next, starves_at(waiting->front(), now + 1));
    if (spec_.timing.refi != 0)
        next = std::min(next, state_.next_refresh);
    if (next <= now + 1)
        return;
    if (next != kNever)
        wake_at(next);
    state_.skip_until = next;
}

void McCore::issue_column(Cycle now, WaitQueue& queue, size_t position, bool write) {
    const DramTiming& t = spec_.timing;
    const uint16_t index = queue[position];
    McState::Entry& entry = state_.entries[index];
    McState::Bank& bank = state_.banks[entry.bank];
    McCounters& count = state_.count;

    const Cycle data = now + (write ? t.wl : t.cl);
    entry.data_end = data + t.burst;
    Cycle& group = state_.group_next[dram_.group_of(entry.bank)];
    group = std::max(group, now + t.ccd_long);
    const Cycle same_direction = now + t.burst;
    if (write) {
        state_.next_write = std::max(state_.next_write, same_direction);
        state_.next_read = std::max(state_.next_read, now + turn_time(true));
        bank.next_precharge = std::max(bank.next_precharge, entry.data_end + t.wr);
        ++count.writes;
        count.bytes_written +=
            static_cast<uint64_t>(__builtin_popcountll(state_.requests[index].byte_mask));
    } else {
        state_.next_read = std::max(state_.next_read, same_direction);
        state_.next_write = std::max(state_.next_write, now + turn_time(false));
        bank.next_precharge = std::max(bank.next_precharge, now + t.rtp);
        ++count.reads;
        count.bytes_read += kLineBytes;
    }
    if (write != state_.last_was_write)
        ++count.turnarounds;
    state_.last_was_write = write;
    if (entry.conflicted)
        ++count.row_conflicts;
    else if (entry.opened)
        ++count.row_misses;
    else
        ++count.row_hits;
    if (starved(index, now))
        ++count.starved;
    count.data_bus_cycles += t.burst;
    count.queue_cycles += now - entry.accepted;
    commands_.pass(now);
    if (trace_ != nullptr)
        trace_->slice(bus_track_, data, entry.data_end, write ? "write" : "read",
                      state_.requests[index].uid);

    queue.erase(position);
    if (queue.size() >= WaitQueue::kWindow)
        add_to_masks(queue, WaitQueue::kWindow - 1);
    --waiting_lines(entry.line);
    --state_.waiting;
    state_.l2_blocked = false;
    if (state_.moving.empty())
        state_.data_moved = entry.data_end;
    state_.moving.push_back(index);
    wake_at(entry.data_end);
    if (state_.behind == 0)
        return;
    for (auto* waiting : {&state_.reads, &state_.writes}) {
        for (size_t i = 0; i < waiting->size(); ++i) {
            McState::Entry& other = state_.entries[(*waiting)[i]];
            if (other.after != index)
                continue;
            other.after = McState::kNone;
            --state_.behind;
            if (i < WaitQueue::kWindow)
                waiting->eligible |= uint64_t{1} << i;
            if (write && waiting == &state_.reads)
                --state_.reads_behind_writes;
        }
    }
}

void McCore::activate(Cycle now, McState::Entry& entry) {
    const DramTiming& t = spec_.timing;
    McState::Bank& bank = state_.banks[entry.bank];
    bank.open = true;
    bank.row = entry.row;
    bank.opened_at = now;
    bank.next_activate = now + t.rc;
    bank.next_precharge = now + t.ras;
    bank.next_read = now + t.rcd_read;
    bank.next_write = now + t.rcd_write;
    state_.next_activate = now + t.rrd;
    state_.activates[state_.activate_index] = now + t.faw;
    state_.activate_index = (state_.activate_index + 1) % state_.activates.size();
    entry.opened = true;
    ++state_.count.activates;
    for (auto* waiting : {&state_.reads, &state_.writes})
        for (uint64_t left = waiting->of_bank[entry.bank]; left != 0; left &= left - 1)
            if (state_.entries[(*waiting)[static_cast<size_t>(__builtin_ctzll(left))]].row ==
                bank.row)
                waiting->hits |= left & -left;
}

void McCore::precharge(Cycle now, unsigned index) {
    McState::Bank& bank = state_.banks[index];
    bank.open = false;
    for (auto* waiting : {&state_.reads, &state_.writes})
        waiting->hits &= ~waiting->of_bank[index];
    bank.next_activate = std::max(bank.next_activate, now + spec_.timing.rp);
    ++state_.count.precharges;
    if (trace_ != nullptr)
        trace_->slice(bank_tracks_[index], bank.opened_at, now, "row open");
}

// Closes all banks with one command, then refreshes them.
bool McCore::refresh(Cycle now) {
    Cycle ready = 0;
    bool open = false;
    for (const McState::Bank& bank : state_.banks) {
        open |= bank.open;
        if (bank.open)
            ready = std::max(ready, bank.next_precharge);
    }
    if (!open)
        for (const McState::Bank& bank : state_.banks)
            ready = std::max(ready, bank.next_activate);
    if (now < ready) {
        wake_at(ready);
        return false;
    }
    if (open) {
        for (unsigned i = 0; i < state_.banks.size(); ++i)
            if (state_.banks[i].open)
                precharge(now, i);
        return true;
    }
    for (McState::Bank& bank : state_.banks)
        bank.next_activate = now + spec_.timing.rfc;
    // More than one can be due only after a pause, in which the others took place.
    const uint64_t due = (now - state_.next_refresh) / spec_.timing.refi + 1;
    state_.next_refresh += due * spec_.timing.refi;
    state_.count.refreshes += due;
    return true;
}

// Applies the refreshes that were due in idle time; only the last can still be in progress.
void McCore::catch_up_refreshes(Cycle now) {
    const DramTiming& t = spec_.timing;
    if (t.refi == 0 || now <= state_.next_refresh)
        return;
    const uint64_t missed = (now - 1 - state_.next_refresh) / t.refi + 1;
    Cycle start = state_.next_refresh + (missed - 1) * t.refi;
    for (unsigned i = 0; i < state_.banks.size(); ++i) {
        McState::Bank& bank = state_.banks[i];
        if (bank.open) {
            // The first of them closed the open rows.
            const Cycle closed = std::max(state_.next_refresh, bank.next_precharge);
            precharge(closed, i);
        }
    }
    for (const McState::Bank& bank : state_.banks)
        start = std::max(start, bank.next_activate);
    for (McState::Bank& bank : state_.banks)
        bank.next_activate = start + t.rfc;
    state_.next_refresh += missed * t.refi;
    state_.count.refreshes += missed;
}

}  // namespace archipelago::mc
