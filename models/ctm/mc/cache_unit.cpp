// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/cache_unit.h"

#include "models/common/archive.h"
#include "models/common/invariant.h"
#include "models/common/transaction_id.h"

namespace archipelago::ctm {
CacheUnit::CacheUnit(CacheId id, const CacheSpec& spec, unsigned waiters)
    : spec_(spec),
      id_(id),
      waiters_(waiters),
      cache_(spec.geometry, to_string(id)),
      fetches_(spec.fetches, waiters),
      entry_of_(spec.fetches),
      first_of_(spec.fetches),
      writes_(spec.writes, spec.writes),
      written_(spec.writes),
      out_(spec.queue) {}

// Whether another line may be looked up in this cycle.
bool CacheUnit::look_up(Cycle now) {
    if (turn_ != now) {
        turn_ = now;
        looked_up_ = 0;
    }
    return looked_up_ < spec_.lookups;
}

PortStall CacheUnit::read(Cycle now, uint32_t line, uint64_t mask, const Waiter& waiter,
                          const Origin& origin, const Line*& hit) {
    hit = nullptr;
    if (!look_up(now))
        return PortStall::Lookups;
    uint32_t entry = cache_.find(line);
    if (entry != Cache::kNone && !cache_.pinned(entry) && cache_.has(entry, mask)) {
        ++looked_up_;
        ++count_.hits;
        cache_.touch(entry);
        hit = &cache_.data(entry);
        return PortStall::None;
    }
    if (entry != Cache::kNone && cache_.pinned(entry)) {
        ++count_.joined;
    } else {
        if (fetches_.full())
            return PortStall::Fetches;
        if (out_.full())
            return PortStall::Queue;
        if (entry == Cache::kNone) {
            const PortStall stall = make_room(line, 1, entry);
            if (stall != PortStall::None)
                return stall;
        }
        ++count_.misses;
        const uint32_t fetch = fetches_.allocate(line, true);
        entry_of_[fetch] = entry;
        first_of_[fetch] = {origin,
                            line * kLineBytes + static_cast<unsigned>(__builtin_ctzll(mask))};
        cache_.pin(entry, true);
        request(line, MemCommand::Read, fetch).byte_mask = ~uint64_t{0};
    }
    ++looked_up_;
    cache_.touch(entry);
    fetches_.add_waiter(fetches_.find(line), waiter);
    return PortStall::None;
}

PortStall CacheUnit::write(Cycle now, uint32_t line, const Line& bytes, uint64_t mask,
                           const Origin& origin) {
    if (!look_up(now))
        return PortStall::Lookups;
    uint32_t entry = cache_.find(line);
    if (entry == Cache::kNone) {
        const PortStall stall = make_room(line, 0, entry);
        if (stall != PortStall::None)
            return stall;
        ++count_.misses;
    } else {
        // Readers before this write see the line without it.
        if (cache_.pinned(entry))
            return PortStall::Line;
        ++count_.hits;
    }
    ++looked_up_;
    cache_.write(entry, bytes, mask, origin);
    cache_.touch(entry);
    return PortStall::None;
}

PortStall CacheUnit::write_past(Cycle now, uint32_t line, const Line& bytes, uint64_t mask,
                                const Waiter& waiter, const Origin& origin) {
    if (!look_up(now))
        return PortStall::Lookups;
    if (writes_.full())
        return PortStall::Writes;
    if (out_.full())
        return PortStall::Queue;
    ++looked_up_;
    ++count_.uncached_writes;
    cache_.forget(line, mask);
    send_write({line, mask, &bytes, origin}, waiter, true);
    return PortStall::None;
}

// Gives the line an entry; the queue has room for `more` requests after a write-back.
PortStall CacheUnit::make_room(uint32_t line, unsigned more, uint32_t& entry) {
    const uint32_t victim = cache_.victim(line);
    if (victim == Cache::kNone)
        return PortStall::Fetches;
    if (cache_.dirty(victim)) {
        if (writes_.full())
            return PortStall::Writes;
        if (out_.space() < 1 + more)
            return PortStall::Queue;
        write_back(victim);
    }
    count_.evictions += cache_.in_use(victim) ? 1 : 0;
    cache_.replace(victim, line);
    entry = victim;
    return PortStall::None;
}

void CacheUnit::write_back(uint32_t entry) {
    ++count_.write_backs;
    send_write(cache_.write_back(entry), Waiter(), false);
}

void CacheUnit::send_write(const WriteBack& w, const Waiter& waiter, bool through) {
    const uint32_t number = writes_.allocate(w.line, false);
    writes_.add_waiter(number, waiter);
    written_[number] = {w.origin, static_cast<uint32_t>(w.address())};
    MemRequest& r = request(w.line, MemCommand::Write, kTagWrite | number);
    r.byte_mask = w.mask;
    r.write_through = through;
    r.data = *w.data;
}

MemRequest& CacheUnit::request(uint32_t line, MemCommand command, uint32_t number) {
    MemRequest& r = out_.extend();
    r.line = uint64_t{line} * kLineBytes;
    r.command = command;
    r.client = archipelago::Client::CtmMc;
    r.write_through = false;
    r.source = static_cast<uint16_t>(id_);
    r.tag = static_cast<uint32_t>(id_) << kTagSourceShift | number;
    r.uid = transaction_id(TransactionUnit::CtmMc, uint64_t{number_of(id_)} << 48 | ++uid_);
    return r;
}

const Line& CacheUnit::arrive(uint32_t fetch, const MemResponse& response) {
    invariant(fetch < fetches_.capacity() && fetches_.in_use(fetch), "ctm.mc",
              "a line that was not requested");
    if (response.status != MemStatus::Ok)
        refuse_address(first_of_[fetch].origin, false, first_of_[fetch].address);
    const uint32_t entry = entry_of_[fetch];
    cache_.fill(entry, response.data);
    cache_.pin(entry, false);
    return cache_.data(entry);
}

bool CacheUnit::next_waiter(uint32_t fetch, Waiter& waiter) {
    if (!fetches_.has_waiter(fetch)) {
        fetches_.release(fetch);
        return false;
    }
    waiter = fetches_.first_waiter(fetch);
    fetches_.drop_first_waiter(fetch);
    return true;
}

Waiter CacheUnit::acknowledge(uint32_t number, const MemResponse& response) {
    invariant(number < writes_.capacity() && writes_.in_use(number), "ctm.mc",
              "an answer to no write");
    if (response.status != MemStatus::Ok)
        refuse_address(written_[number].origin, true, written_[number].address);
    const Waiter waiter = writes_.first_waiter(number);
    writes_.drop_first_waiter(number);
    writes_.release(number);
    return waiter;
}

bool CacheUnit::flush_one(uint32_t& from) {
    from = cache_.next_dirty(from);
    if (from == cache_.entries() || writes_.full() || out_.full())
        return false;
    write_back(from);
    ++count_.flushed_lines;
    cache_.remove(from);
    return true;
}

void CacheUnit::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const CacheCounters& c = count_;
    add("hits", "lines", "looked up and there", &c.hits);
    add("misses", "lines", "looked up, and fetched or taken for a write", &c.misses);
    add("joined", "lines", "looked up and on their way", &c.joined);
    add("evictions", "lines", "given up for others", &c.evictions);
    add("write_backs", "lines", "dirty, evicted or flushed", &c.write_backs);
    add("flushed_lines", "lines", "written back by a flush", &c.flushed_lines);
    add("lost_lines", "lines", "dirty when they were invalidated", &c.lost_lines);
    add("uncached_writes", "lines", "written past the cache", &c.uncached_writes);
}

std::string CacheUnit::waiting_for() const {
    if (out_.empty() && !fetching() && !writing())
        return {};
    return std::string(to_string(id_)) + " cache: " + std::to_string(fetches_.used()) +
           " lines and " + std::to_string(writes_.used()) + " acknowledgements of memory, " +
           std::to_string(out_.size()) + " requests not sent";
}

void CacheUnit::reset() {
    *this = CacheUnit(id_, spec_, waiters_);
}

}  // namespace archipelago::ctm
