// SPDX-License-Identifier: Apache-2.0
// Which command the memory controller gives in a cycle.
#include <algorithm>

#include "models/mc/mc_core.h"

namespace archipelago::mc {

bool McCore::schedule(Cycle now) {
    if (state_.reads.empty() && state_.writes.empty())
        return false;
    if (now < state_.quiet_until)
        return false;
    if (spec_.timing.refi != 0) {
        if (now >= state_.next_refresh)
            return refresh(now);
        wake_at(state_.next_refresh);
    }
    choose_direction(now);
    Cycle next = kNever;
    bool all_wait = false;
    const bool write = state_.writing;
    if (issue_from(now, write ? state_.writes : state_.reads, write, next, all_wait))
        return true;
    // Everything looked at waits for older accesses in the other direction.
    if (all_wait && issue_from(now, write ? state_.reads : state_.writes, !write, next, all_wait))
        return true;
    // The cap on waiting is itself an event: it may change the direction.
    for (const auto* queue : {&state_.reads, &state_.writes})
        if (!queue->empty())
            next = std::min(next, starves_at(queue->front(), now));
    if (next != kNever)
        wake_at(next);
    state_.quiet_until = spec_.timing.refi != 0 ? std::min(next, state_.next_refresh) : next;
    return false;
}

// First cycle to come in which the entry has waited too long; kNever when it has already.
Cycle McCore::starves_at(uint16_t index, Cycle now) const {
    const Cycle cap = state_.entries[index].accepted + spec_.starvation_cycles;
    return cap > now ? cap : kNever;
}

void McCore::choose_direction(Cycle now) {
    const std::vector<uint16_t>& reads = state_.reads;
    const std::vector<uint16_t>& writes = state_.writes;
    const auto is_starved = [&](const std::vector<uint16_t>& queue) {
        return !queue.empty() && starved(queue.front(), now);
    };
    bool writing = state_.writing;
    if (reads.empty() || writes.empty()) {
        writing = reads.empty();
    } else if (is_starved(reads) || is_starved(writes)) {
        // The oldest of all never waits for another access to its line.
        writing = state_.entries[writes.front()].order < state_.entries[reads.front()].order;
    } else if (!writing) {
        writing = writes.size() >= spec_.write_high || state_.reads_behind_writes != 0;
    } else {
        writing = writes.size() > spec_.write_low || state_.reads_behind_writes != 0;
    }
    if (writing && !state_.writing)
        ++state_.count.write_drains;
    state_.writing = writing;
}

// First cycle in which the column command of an entry whose row is open may be given.
Cycle McCore::column_ready(const McState::Entry& entry, bool write) const {
    const McState::Bank& bank = state_.banks[entry.bank];
    const Cycle group = state_.group_next[dram_.group_of(entry.bank)];
    return std::max({write ? bank.next_write : bank.next_read,
                     write ? state_.next_write : state_.next_read, group});
}

// Gives one command for the queue, if any is allowed now: the oldest row hit, else the oldest
// activate or precharge. `next` becomes the first cycle in which that may change.
bool McCore::issue_from(Cycle now, std::vector<uint16_t>& queue, bool write, Cycle& next,
                        bool& all_wait) {
    const size_t limit = std::min<size_t>(queue.size(), spec_.lookahead);
    // Places for data on its way are given up by the store's answers, which wake us.
    const bool room = state_.moving.size() + state_.in_store < spec_.store_entries;
    uint64_t hit_banks = 0;
    uint64_t reserved_bank = 0;  // the oldest entry's, once it has starved
    all_wait = true;
    for (size_t i = 0; i < limit; ++i) {
        const McState::Entry& entry = state_.entries[queue[i]];
        if (entry.after != McState::kNone)
            continue;
        const McState::Bank& bank = state_.banks[entry.bank];
        const uint64_t bank_bit = uint64_t{1} << entry.bank;
        const bool hit = bank.open && bank.row == entry.row;
        if (all_wait) {  // the oldest that may go
            all_wait = false;
            if (!hit && starved(queue[i], now))
                reserved_bank = bank_bit;
            next = std::min(next, starves_at(queue[i], now));
        }
        if (!hit || (reserved_bank & bank_bit) != 0)
            continue;
        hit_banks |= bank_bit;
        if (!room)
            continue;
        const Cycle ready = column_ready(entry, write);
        if (ready <= now) {
            issue_column(now, queue, i, write);
            return true;
        }
        next = std::min(next, ready);
    }
    Cycle activate_ready = state_.next_activate;
    if (spec_.timing.faw != 0)
        activate_ready = std::max(activate_ready, state_.activates[state_.activate_index]);
    uint64_t seen = 0;  // only the oldest entry of a bank decides about its row
    for (size_t i = 0; i < limit; ++i) {
        McState::Entry& entry = state_.entries[queue[i]];
        const uint64_t bank_bit = uint64_t{1} << entry.bank;
        if (entry.after != McState::kNone || ((seen | hit_banks) & bank_bit) != 0)
            continue;
        seen |= bank_bit;
        McState::Bank& bank = state_.banks[entry.bank];
        const Cycle ready =
            bank.open ? bank.next_precharge : std::max(bank.next_activate, activate_ready);
        if (ready > now) {
            next = std::min(next, ready);
            continue;
        }
        if (bank.open) {
            entry.conflicted = true;
            precharge(now, entry.bank);
        } else {
            activate(now, entry);
        }
        return true;
    }
    return false;
}

void McCore::issue_column(Cycle now, std::vector<uint16_t>& queue, size_t position, bool write) {
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
        state_.next_read = std::max(state_.next_read, entry.data_end + t.wtr);
        bank.next_precharge = std::max(bank.next_precharge, entry.data_end + t.wr);
        ++count.writes;
        count.bytes_written +=
            static_cast<uint64_t>(__builtin_popcountll(state_.requests[index].byte_mask));
    } else {
        state_.next_read = std::max(state_.next_read, same_direction);
        const Cycle bus_free = entry.data_end + t.rtw;
        state_.next_write =
            std::max(state_.next_write, bus_free > t.wl ? bus_free - t.wl : Cycle{0});
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
    if (trace_ != nullptr)
        trace_->slice(bus_track_, data, entry.data_end, write ? "write" : "read",
                      state_.requests[index].uid);

    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(position));
    state_.moving.push_back(index);
    for (auto* waiting : {&state_.reads, &state_.writes}) {
        for (const uint16_t i : *waiting) {
            if (state_.entries[i].after != index)
                continue;
            state_.entries[i].after = McState::kNone;
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
}

void McCore::precharge(Cycle now, unsigned index) {
    McState::Bank& bank = state_.banks[index];
    bank.open = false;
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
    // More than one can be due only after a pause: the others were made while it lasted.
    const uint64_t due = (now - state_.next_refresh) / spec_.timing.refi + 1;
    state_.next_refresh += due * spec_.timing.refi;
    state_.count.refreshes += due;
    return true;
}

// The refreshes that fell into idle time; only the last can still be going on.
void McCore::catch_up_refreshes(Cycle now) {
    const DramTiming& t = spec_.timing;
    if (t.refi == 0 || now <= state_.next_refresh)
        return;
    const uint64_t missed = (now - 1 - state_.next_refresh) / t.refi + 1;
    Cycle start = state_.next_refresh + (missed - 1) * t.refi;
    for (unsigned i = 0; i < state_.banks.size(); ++i) {
        McState::Bank& bank = state_.banks[i];
        if (bank.open) {
            // Open rows were closed by the first of them.
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
