// SPDX-License-Identifier: Apache-2.0
#include "models/raster/pixel_cache.h"

#include <algorithm>
#include <utility>

#include "models/common/error.h"
#include "models/common/invariant.h"

namespace archipelago::raster {
namespace {

constexpr uint64_t kAllBytes = ~uint64_t{0};
constexpr uint32_t kKinds = 256;  // a tag has the cache's kind, and above it the address space

}  // namespace

PixelCache::PixelCache(const PixelCacheSpec& spec, PixelCacheIdentity identity)
    : spec_(spec), identity_(std::move(identity)), entries_(spec.lines) {
    index_.reserve(spec.lines);
}

PixelCache::Entry* PixelCache::find(uint64_t key) {
    const auto found = index_.find(key);
    return found != index_.end() ? &entries_[found->second] : nullptr;
}

const uint8_t* PixelCache::resident(uint64_t line_address) const {
    const auto found = index_.find(key_of(line_address));
    if (found == index_.end() || entries_[found->second].valid != kAllBytes)
        return nullptr;
    return entries_[found->second].data.data();
}

void PixelCache::set_dirty(Entry& entry, uint64_t bytes) {
    if (entry.dirty == 0 && bytes != 0)
        ++dirty_lines_;
    entry.dirty |= bytes;
    entry.valid |= bytes;
}

uint8_t* PixelCache::line(uint64_t line_address, bool write) {
    Entry* const entry = find(key_of(line_address));
    invariant(entry != nullptr && entry->valid == kAllBytes, identity_.name,
              "the lines of a batch are resident when it is worked on");
    if (write)
        set_dirty(*entry, kAllBytes);
    return entry->data.data();
}

void PixelCache::merge(uint64_t line_address, const uint8_t* bytes, uint64_t mask) {
    Entry* const entry = find(key_of(line_address));
    invariant(entry != nullptr, identity_.name,
              "there is room for the lines that a batch overwrites");
    merge_bytes(entry->data.data(), bytes, mask);
    set_dirty(*entry, mask);
}

// ---- footprints ---------------------------------------------------------------------------------

void PixelCache::count(const std::vector<PixelTouch>& footprint) {
    if (std::exchange(state_.counted, true))
        return;
    for (const PixelTouch& touch : footprint) {
        const Entry* const entry = find(key_of(touch.line));
        const bool hit = entry != nullptr && (!touch.reads || entry->valid == kAllBytes);
        ++(hit ? state_.hits : state_.misses);
    }
}

// An entry for the line, or null: all are in use, or the line is still being written back.
PixelCache::Entry* PixelCache::make_room(uint64_t key) {
    if (std::find(writing_.begin(), writing_.end(), key) != writing_.end())
        return nullptr;
    Entry* oldest = nullptr;
    for (Entry& entry : entries_) {
        if (entry.pinned || entry.fetching)
            continue;
        if (!entry.present) {
            oldest = &entry;
            break;
        }
        if (oldest == nullptr || entry.used < oldest->used)
            oldest = &entry;
    }
    if (oldest == nullptr)
        return nullptr;
    if (oldest->dirty != 0) {
        if (queue_.size() + state_.fetches + state_.writes >= spec_.in_flight)
            return nullptr;
        write_back(*oldest);
    }
    if (oldest->present)
        index_.erase(oldest->key);
    *oldest = Entry();
    oldest->key = key;
    oldest->present = true;
    index_[key] = static_cast<uint32_t>(oldest - entries_.data());
    return oldest;
}

bool PixelCache::prepare(const std::vector<PixelTouch>& footprint, bool counted) {
    if (footprint.size() > spec_.lines)
        throw MachineStop(StopKind::BadInput, identity_.name,
                          "a batch touches " + std::to_string(footprint.size()) +
                              " lines, more than the cache holds");
    if (state_.flushing)
        return false;
    if (!counted)
        count(footprint);
    for (const PixelTouch& touch : footprint)  // first, so that none makes room for another
        if (Entry* const entry = find(key_of(touch.line)))
            pin(*entry);
    bool all = true;
    for (const PixelTouch& touch : footprint) {
        Entry* entry = find(key_of(touch.line));
        if (entry == nullptr)
            entry = make_room(key_of(touch.line));
        if (entry == nullptr) {
            state_.full_batches += std::exchange(state_.full, true) ? 0 : 1;
            return false;
        }
        pin(*entry);
        entry->used = ++state_.uses;
        if (!touch.reads || entry->valid == kAllBytes)
            continue;
        all = false;
        begin_fetch(*entry);
    }
    return all;
}

// False: too much is in flight.
bool PixelCache::begin_fetch(Entry& entry) {
    if (entry.fetching)
        return true;
    if (queue_.size() + state_.fetches + state_.writes >= spec_.in_flight)
        return false;
    entry.fetching = true;
    queue_.push_back(request(MemCommand::Read, entry.key));
    return true;
}

bool PixelCache::fetch(const std::vector<PixelTouch>& footprint, bool counts) {
    if (counts) {
        count(footprint);
        state_.counted = false;
    }
    if (state_.flushing)
        return false;
    for (const PixelTouch& touch : footprint) {
        if (!touch.reads)
            continue;
        Entry* entry = find(key_of(touch.line));
        if (entry == nullptr)
            entry = make_room(key_of(touch.line));
        if (entry == nullptr)
            return false;
        entry->used = ++state_.uses;
        if (entry->valid != kAllBytes && !begin_fetch(*entry))
            return false;
    }
    return true;
}

void PixelCache::release() {
    state_.counted = state_.full = false;
    for (const uint32_t n : pinned_)
        entries_[n].pinned = false;
    pinned_.clear();
}

void PixelCache::pin(Entry& entry) {
    if (!std::exchange(entry.pinned, true))
        pinned_.push_back(static_cast<uint32_t>(&entry - entries_.data()));
}

// ---- memory -------------------------------------------------------------------------------------

MemRequest PixelCache::request(MemCommand command, uint64_t key) {
    MemRequest r;
    r.line = line_of(key);
    r.vmid = static_cast<uint8_t>(key % kLineBytes);
    r.byte_mask = kAllBytes;
    r.command = command;
    r.client = identity_.client;
    r.source = identity_.source;
    r.tag = identity_.kind + r.vmid * kKinds;
    r.uid = transaction_id(identity_.unit, uint64_t{identity_.source} << 48 |
                                               uint64_t{identity_.kind} << 40 | ++state_.uid);
    return r;
}

void PixelCache::write_back(Entry& entry) {
    MemRequest r = request(MemCommand::Write, entry.key);
    r.byte_mask = entry.dirty;
    r.data = entry.data;
    queue_.push_back(r);
    writing_.push_back(entry.key);
    entry.dirty = 0;
    --dirty_lines_;
}

bool PixelCache::send(Cycle now, Channel<MemRequest>& to_memory) {
    if (state_.flushing)
        finish_flush();
    if (queue_.empty() || !to_memory.can_push(now))
        return false;
    const MemRequest& next = queue_.front();
    if (next.command == MemCommand::Read) {
        ++state_.fetches;
        ++state_.fetched_lines;
    } else {
        ++state_.writes;
        ++state_.written_lines;
    }
    to_memory.push(now, next);
    queue_.pop_front();
    return true;
}

bool PixelCache::take(const MemResponse& response) {
    if (response.tag % kKinds != identity_.kind)
        return false;
    const uint64_t key = response.line | response.tag / kKinds;
    if (response.status != MemStatus::Ok)
        throw MachineStop(StopKind::Fault, identity_.name,
                          refused_address(response.status, response.line));
    if (response.command == MemCommand::Write) {
        --state_.writes;
        writing_.erase(std::find(writing_.begin(), writing_.end(), key));
        finish_flush();
        return true;
    }
    --state_.fetches;
    Entry* const entry = find(key);
    invariant(entry != nullptr && entry->fetching, identity_.name,
              "memory answers fetches of the cache");
    merge_bytes(entry->data, response.data, ~entry->valid);
    entry->valid = kAllBytes;
    entry->fetching = false;
    return true;
}

// ---- flush --------------------------------------------------------------------------------------

void PixelCache::flush(bool invalidate) {
    state_.invalidate = invalidate || (state_.flushing && state_.invalidate);
    state_.flushing = true;
    state_.flush_next = 0;
    finish_flush();
}

// Queues the next write-backs that may be in flight; done when memory has answered all of them.
void PixelCache::finish_flush() {
    if (!state_.flushing)
        return;
    for (; state_.flush_next < entries_.size(); ++state_.flush_next) {
        Entry& entry = entries_[state_.flush_next];
        if (entry.dirty == 0)
            continue;
        if (entry.fetching || queue_.size() + state_.fetches + state_.writes >= spec_.in_flight ||
            std::find(writing_.begin(), writing_.end(), entry.key) != writing_.end())
            return;
        write_back(entry);
    }
    if (dirty_lines_ != 0 || !queue_.empty() || state_.fetches + state_.writes != 0)
        return;
    state_.flushing = false;
    if (!std::exchange(state_.invalidate, false))
        return;
    index_.clear();
    std::fill(entries_.begin(), entries_.end(), Entry());
}

void PixelCache::reset() {
    std::fill(entries_.begin(), entries_.end(), Entry());
    index_.clear();
    queue_.clear();
    writing_.clear();
    pinned_.clear();
    dirty_lines_ = 0;
    state_ = State();
}

void PixelCache::archive(Archive& a) {
    a(entries_, state_);
    if (a.saving())
        return;
    queue_.clear();
    writing_.clear();
    index_.clear();
    dirty_lines_ = 0;
    for (size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].present)
            index_[entries_[i].key] = static_cast<uint32_t>(i);
        dirty_lines_ += entries_[i].dirty != 0 ? 1 : 0;
    }
}

void PixelCache::register_stats(const UnitStats& add, const std::string& prefix) const {
    const auto counter = [&](const char* name, const char* unit, const char* meaning,
                             const uint64_t& value) {
        add((prefix + name).c_str(), unit, meaning, &value);
    };
    counter("hits", "lines", "touched by a batch and there", state_.hits);
    counter("misses", "lines", "touched by a batch and fetched or given room", state_.misses);
    counter("fetched_lines", "lines", "read from memory", state_.fetched_lines);
    counter("written_lines", "lines", "written back to memory", state_.written_lines);
    counter("full_batches", "batches", "that waited for room", state_.full_batches);
}

// ---- footprint of a batch -----------------------------------------------------------------------

void PixelProbe::clear() {
    lines_.clear();
    missed_ = false;
}

void PixelProbe::note(uint64_t line_address, bool reads) {
    const auto same = std::find_if(lines_.rbegin(), lines_.rend(), [&](const PixelTouch& touch) {
        return touch.line == line_address;
    });
    if (same == lines_.rend())
        lines_.push_back({line_address, reads});
    else
        same->reads = same->reads || reads;
}

uint8_t* PixelProbe::line(uint64_t line_address, bool) {
    note(line_address, true);
    for (const PixelCache* cache : caches_)
        if (const uint8_t* const bytes = cache->resident(line_address)) {
            std::copy_n(bytes, kLineBytes, scratch_.begin());
            return scratch_.data();
        }
    missed_ = true;
    scratch_.fill(missing_byte_);
    return scratch_.data();
}

void PixelProbe::merge(uint64_t line_address, const uint8_t*, uint64_t) {
    note(line_address, false);
}

}  // namespace archipelago::raster
