// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/common/text.h"
#include "models/mc/schedule_core.h"

namespace archipelago::mc {

ScheduleCore::ScheduleCore(const McSpec& spec, unsigned ids, Clocked& unit, McCounters& counters)
    : spec_(spec),
      ids_(ids),
      unit_(unit),
      count_(counters),
      window_(~uint64_t{0} >> (WaitQueue::kWindow - spec.lookahead)),
      group_mask_(spec.geometry.bank_groups - 1),
      state_(spec, ids) {}

// ---- acceptance --------------------------------------------------------------------------------

void ScheduleCore::add(Cycle now, const ScheduleRequest& request) {
    const uint16_t after = youngest_of_line(request.line);
    ScheduleState::Entry& entry = state_.entries[request.id];
    entry = ScheduleState::Entry{};
    entry.line = request.line;
    entry.row = request.row;
    entry.bank = request.bank;
    entry.write = request.write;
    entry.order = ++state_.accepted;
    entry.accepted = now;
    entry.after = after;
    if (after != ScheduleState::kNone) {
        ++count_.order_waits;
        ++state_.behind;
        if (!entry.write && state_.entries[after].write)
            ++state_.reads_behind_writes;
    }
    ++waiting_lines(entry.line);
    WaitQueue& queue = entry.write ? state_.writes : state_.reads;
    queue.push(request.id);
    ++state_.waiting;
    if (queue.size() <= WaitQueue::kWindow)
        add_to_masks(queue, queue.size() - 1);
    reconsider(now, entry);
}

uint16_t ScheduleCore::youngest_of_line(uint64_t line) {
    uint16_t youngest = ScheduleState::kNone;
    if (waiting_lines(line) == 0)
        return youngest;
    for (const auto* queue : {&state_.reads, &state_.writes}) {
        for (size_t i = queue->size(); i > 0; --i) {
            const uint16_t index = (*queue)[i - 1];
            if (state_.entries[index].line != line)
                continue;
            if (youngest == ScheduleState::kNone ||
                state_.entries[index].order > state_.entries[youngest].order)
                youngest = index;
            break;
        }
    }
    return youngest;
}

// ---- commands ----------------------------------------------------------------------------------

bool ScheduleCore::schedule(Cycle now, DramCommand& command) {
    if (spec_.timing.refi != 0) {
        if (now >= state_.next_refresh)
            return refresh(now, command);
        if (state_.refresh_wakeup != state_.next_refresh) {
            state_.refresh_wakeup = state_.next_refresh;
            unit_.wake_at(state_.next_refresh);
        }
    }
    const bool write = writes_next(now);
    if (write && !state_.writing) {
        ++count_.write_drains;
        state_.drain_by_mark = state_.writes.size() >= spec_.write_high;
    }
    state_.writing = write;
    Cycle next = kNever;
    bool all_wait = false;
    WaitQueue& queue = write ? state_.writes : state_.reads;
    WaitQueue& other = write ? state_.reads : state_.writes;
    if (turning() && serve_until_turn(now, queue, other, next, command))
        return true;
    if (issue_from(now, queue, write, next, all_wait, command))
        return true;
    // Every access in the window is ordered after one in the other direction.
    if (all_wait && issue_from(now, other, !write, next, all_wait, command))
        return true;
    // An access that starves may change the direction.
    for (const auto* waiting : {&state_.reads, &state_.writes})
        if (!waiting->empty())
            next = std::min(next, starves_at(waiting->front(), now));
    if (next != kNever)
        unit_.wake_at(next);
    state_.skip_until = spec_.timing.refi != 0 ? std::min(next, state_.next_refresh) : next;
    return false;
}

// The cycle in which the entry starts to starve; kNever when it already does.
Cycle ScheduleCore::starves_at(uint16_t index, Cycle now) const {
    const Cycle cap = state_.entries[index].accepted + spec_.starvation_cycles;
    return cap > now ? cap : kNever;
}

// Whether writes are served next. At least one access waits.
bool ScheduleCore::writes_next(Cycle now) const {
    const WaitQueue& reads = state_.reads;
    const WaitQueue& writes = state_.writes;
    if (reads.empty() || writes.empty())
        return reads.empty();
    // The oldest access of all is never ordered after another.
    if (starved(reads.front(), now) || starved(writes.front(), now))
        return state_.entries[writes.front()].order < state_.entries[reads.front()].order;
    return state_.reads_behind_writes != 0 ||
           (state_.writing ? writes.size() > spec_.write_low : writes.size() >= spec_.write_high);
}

// Whether the scheduler has turned to the other direction and the bus has not, at the beginning or
// end of a drain that write_high began; both directions have accesses.
bool ScheduleCore::turning() const {
    return state_.drain_by_mark && state_.last_was_write != state_.writing &&
           !state_.reads.empty() && !state_.writes.empty();
}

// From a column command to the first that may follow it in the other direction.
Cycle ScheduleCore::turn_time(bool from_write) const {
    const DramTiming& t = spec_.timing;
    if (from_write)
        return t.wl + t.burst + t.wtr;
    const unsigned bus_free = t.cl + t.burst + t.rtw;
    return bus_free > t.wl ? bus_free - t.wl : 0;
}

// First cycle in which a column command for the open row of a bank may be given.
Cycle ScheduleCore::column_ready(unsigned bank, bool write) const {
    const ScheduleState::Bank& b = state_.banks[bank];
    return std::max({write ? b.next_write : b.next_read,
                     write ? state_.next_write : state_.next_read,
                     state_.group_next[group_of(bank)]});
}

// First cycle for the next row command of a bank: precharge when a row is open, else activate.
Cycle ScheduleCore::row_ready(unsigned bank) const {
    const ScheduleState::Bank& b = state_.banks[bank];
    return b.open ? b.next_precharge : activate_ready(bank);
}

Cycle ScheduleCore::activate_ready(unsigned bank) const {
    const Cycle ready = std::max(state_.banks[bank].next_activate, state_.next_activate);
    return spec_.timing.faw != 0 ? std::max(ready, state_.activates[state_.activate_index]) : ready;
}

// First cycle in which the access could have its column command, were the bus free and its bank
// given row commands as soon as it can take them.
Cycle ScheduleCore::bank_ready(Cycle now, const ScheduleState::Entry& entry) const {
    const DramTiming& t = spec_.timing;
    const ScheduleState::Bank& bank = state_.banks[entry.bank];
    if (row_open(entry))
        return std::max(entry.write ? bank.next_write : bank.next_read,
                        state_.group_next[group_of(entry.bank)]);
    Cycle activated = std::max(now, row_ready(entry.bank));
    if (bank.open)
        activated = std::max(activated + t.rp, activate_ready(entry.bank));
    return activated + (entry.write ? t.rcd_write : t.rcd_read);
}

// An entry entered the window of its queue's masks.
void ScheduleCore::add_to_masks(WaitQueue& queue, size_t position) {
    const ScheduleState::Entry& entry = state_.entries[queue[position]];
    queue.add_to_masks(position, entry.bank, entry.after == ScheduleState::kNone, row_open(entry));
}

// Lowers skip_until for a new entry: to 0 when it turns the direction, else to the cycle in which
// the entry itself could get a command or starts to starve.
void ScheduleCore::reconsider(Cycle now, const ScheduleState::Entry& entry) {
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
    unit_.wake_at(ready);
}

// Issues one command for the queue, if any is allowed now: the oldest row hit, else the oldest
// activate or precharge. Lowers `next` to the first cycle in which another may be allowed.
bool ScheduleCore::issue_from(Cycle now, WaitQueue& queue, bool write, Cycle& next, bool& all_wait,
                              DramCommand& command) {
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
    const bool has_room = state_.room != 0;
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
            issue_column(now, queue, position, write, command);
            skip_while_bus_busy(now, queue, write);
            return true;
        }
        next = std::min(next, ready);
    }
    while (others != 0) {  // only the oldest entry of a bank decides about its row
        ScheduleState::Entry& entry = state_.entries[queue[position_of(others)]];
        others &= ~queue.of_bank[entry.bank];
        const Cycle ready = row_ready(entry.bank);
        if (ready > now) {
            next = std::min(next, ready);
            continue;
        }
        issue_row(now, entry, command);
        return true;
    }
    return false;
}

// Before the bus turns: row hits of the direction that leaves, as many as do not delay the access
// of the other one that can be first to use the bus. None before an access that starves. Lowers
// `next` to the first cycle in which one may be served.
bool ScheduleCore::serve_until_turn(Cycle now, WaitQueue& coming, WaitQueue& leaving, Cycle& next,
                                    DramCommand& command) {
    uint64_t hits = leaving.eligible & leaving.hits & window_;
    if (hits == 0 || state_.room == 0 || (coming.eligible & window_) == 0 ||
        starved(coming.front(), now))
        return false;
    const bool write = state_.last_was_write;
    const Cycle bus_free = write ? state_.next_write : state_.next_read;
    if (bus_free > now) {
        next = std::min(next, bus_free);
        return false;
    }
    const Opening first = first_to_open(now, coming);
    ScheduleState::Entry& turning = state_.entries[first.entry];
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
            issue_row(now, turning, command);
        else
            issue_column(now, leaving, position, write, command);
        return true;
    }
    return false;
}

// The eligible access that can be first to have its row open.
ScheduleCore::Opening ScheduleCore::first_to_open(Cycle now, const WaitQueue& queue) const {
    Opening first{ScheduleState::kNone, kNever};
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

void ScheduleCore::issue_row(Cycle now, ScheduleState::Entry& entry, DramCommand& command) {
    if (state_.banks[entry.bank].open) {
        entry.conflicted = true;
        precharge(now, entry.bank);
        command = {DramCommand::Kind::Precharge, entry.bank, 0, 0};
    } else {
        activate(now, entry);
        command = {DramCommand::Kind::Activate, entry.bank, 0, entry.row};
    }
}

// After a column command: when all eligible accesses in its direction are row hits, which need the
// data bus, sets skip_until to the cycle in which the bus is free.
void ScheduleCore::skip_while_bus_busy(Cycle now, const WaitQueue& queue, bool write) {
    const uint64_t eligible = queue.eligible & window_;
    if (eligible == 0 || (eligible & ~queue.hits) != 0 || write != state_.writing)
        return;
    const Cycle bus_free = write ? state_.next_write : state_.next_read;
    if (bus_free <= now + 1 || writes_next(now + 1) != write)
        return;
    Cycle next = state_.room != 0 ? bus_free : kNever;
    for (const auto* waiting : {&state_.reads, &state_.writes})
        if (!waiting->empty())
            next = std::min(next, starves_at(waiting->front(), now + 1));
    if (spec_.timing.refi != 0)
        next = std::min(next, state_.next_refresh);
    if (next <= now + 1)
        return;
    if (next != kNever)
        unit_.wake_at(next);
    state_.skip_until = next;
}

void ScheduleCore::issue_column(Cycle now, WaitQueue& queue, size_t position, bool write,
                                DramCommand& command) {
    const DramTiming& t = spec_.timing;
    const uint16_t index = queue[position];
    ScheduleState::Entry& entry = state_.entries[index];
    ScheduleState::Bank& bank = state_.banks[entry.bank];

    Cycle& group = state_.group_next[group_of(entry.bank)];
    group = std::max(group, now + t.ccd_long);
    const Cycle same_direction = now + t.burst;
    if (write) {
        state_.next_write = std::max(state_.next_write, same_direction);
        state_.next_read = std::max(state_.next_read, now + turn_time(true));
        bank.next_precharge = std::max(bank.next_precharge, now + t.wl + t.burst + t.wr);
    } else {
        state_.next_read = std::max(state_.next_read, same_direction);
        state_.next_write = std::max(state_.next_write, now + turn_time(false));
        bank.next_precharge = std::max(bank.next_precharge, now + t.rtp);
    }
    --state_.room;
    if (write != state_.last_was_write)
        ++count_.turnarounds;
    state_.last_was_write = write;
    if (entry.conflicted)
        ++count_.row_conflicts;
    else if (entry.opened)
        ++count_.row_misses;
    else
        ++count_.row_hits;
    if (starved(index, now))
        ++count_.starved;
    count_.queue_cycles += now - entry.accepted;

    queue.erase(position, entry.bank);
    if (queue.size() >= WaitQueue::kWindow)
        add_to_masks(queue, WaitQueue::kWindow - 1);
    --waiting_lines(entry.line);
    --state_.waiting;
    command = {write ? DramCommand::Kind::Write : DramCommand::Kind::Read, entry.bank, index,
               entry.row};
    if (state_.behind != 0)
        release_followers(index, write);
}

// The column command of an access has been given: those after it may have theirs.
void ScheduleCore::release_followers(uint16_t index, bool write) {
    for (auto* waiting : {&state_.reads, &state_.writes}) {
        for (size_t i = 0; i < waiting->size(); ++i) {
            ScheduleState::Entry& other = state_.entries[(*waiting)[i]];
            if (other.after != index)
                continue;
            other.after = ScheduleState::kNone;
            --state_.behind;
            if (i < WaitQueue::kWindow)
                waiting->eligible |= uint64_t{1} << i;
            if (write && waiting == &state_.reads)
                --state_.reads_behind_writes;
        }
    }
}

void ScheduleCore::activate(Cycle now, ScheduleState::Entry& entry) {
    const DramTiming& t = spec_.timing;
    ScheduleState::Bank& bank = state_.banks[entry.bank];
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
    ++count_.activates;
    for (auto* waiting : {&state_.reads, &state_.writes})
        for (uint64_t left = waiting->of_bank[entry.bank]; left != 0; left &= left - 1)
            if (state_.entries[(*waiting)[static_cast<size_t>(__builtin_ctzll(left))]].row ==
                bank.row)
                waiting->hits |= left & -left;
}

void ScheduleCore::precharge(Cycle now, unsigned index) {
    ScheduleState::Bank& bank = state_.banks[index];
    bank.open = false;
    for (auto* waiting : {&state_.reads, &state_.writes})
        waiting->hits &= ~waiting->of_bank[index];
    bank.next_activate = std::max(bank.next_activate, now + spec_.timing.rp);
    ++count_.precharges;
    if (trace_ != nullptr)
        trace_row(now, index);
}

void ScheduleCore::trace_row(Cycle end, unsigned index) const {
    const ScheduleState::Bank& bank = state_.banks[index];
    trace_->slice(bank_tracks_[index], bank.opened_at, end, "row open", 0, "row " + hex(bank.row));
}

void ScheduleCore::finish_trace(Cycle now) const {
    for (unsigned i = 0; i < state_.banks.size(); ++i)
        if (state_.banks[i].open)
            trace_row(now, i);
}

// Closes all banks with one command, then refreshes them.
bool ScheduleCore::refresh(Cycle now, DramCommand& command) {
    Cycle ready = 0;
    bool open = false;
    for (const ScheduleState::Bank& bank : state_.banks) {
        open |= bank.open;
        if (bank.open)
            ready = std::max(ready, bank.next_precharge);
    }
    if (!open)
        for (const ScheduleState::Bank& bank : state_.banks)
            ready = std::max(ready, bank.next_activate);
    if (now < ready) {
        unit_.wake_at(ready);
        return false;
    }
    if (open) {
        for (unsigned i = 0; i < state_.banks.size(); ++i)
            if (state_.banks[i].open)
                precharge(now, i);
        command.kind = DramCommand::Kind::PrechargeAll;
        return true;
    }
    for (ScheduleState::Bank& bank : state_.banks)
        bank.next_activate = now + spec_.timing.rfc;
    // More than one can be due only after a pause, in which the others took place.
    const uint64_t due = (now - state_.next_refresh) / spec_.timing.refi + 1;
    state_.next_refresh += due * spec_.timing.refi;
    count_.refreshes += due;
    command.kind = DramCommand::Kind::Refresh;
    return true;
}

// Applies the refreshes that were due in idle time; only the last can still be in progress.
void ScheduleCore::catch_up_refreshes(Cycle now) {
    const DramTiming& t = spec_.timing;
    if (t.refi == 0 || now <= state_.next_refresh)
        return;
    const uint64_t missed = (now - 1 - state_.next_refresh) / t.refi + 1;
    Cycle start = state_.next_refresh + (missed - 1) * t.refi;
    for (unsigned i = 0; i < state_.banks.size(); ++i) {
        ScheduleState::Bank& bank = state_.banks[i];
        if (bank.open) {
            // The first of them closed the open rows.
            const Cycle closed = std::max(state_.next_refresh, bank.next_precharge);
            precharge(closed, i);
        }
    }
    for (const ScheduleState::Bank& bank : state_.banks)
        start = std::max(start, bank.next_activate);
    for (ScheduleState::Bank& bank : state_.banks)
        bank.next_activate = start + t.rfc;
    state_.next_refresh += missed * t.refi;
    count_.refreshes += missed;
}

}  // namespace archipelago::mc
