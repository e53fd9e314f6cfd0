// SPDX-License-Identifier: Apache-2.0
// Miss table: fills in flight, and the requests that wait for each of them.
#pragma once

#include <cstdint>

#include "models/common/copy_payload.h"
#include "models/common/host_line.h"
#include "models/tc/cache_array.h"

namespace archipelago::tc {

// Entries are found by key in constant time; waiters of an entry keep their order. All storage is
// allocated once.
template <class Waiter>
class MissTable {
  public:
    static constexpr uint32_t kNone = ~uint32_t{0};

    MissTable(unsigned entries, unsigned waiters) : entries_(entries), nodes_(waiters) {
        uint32_t buckets = 2;
        while (buckets < 2 * entries)
            buckets *= 2;
        buckets_.resize(buckets);
        clear();
    }

    unsigned capacity() const { return static_cast<unsigned>(entries_.size()); }
    unsigned used() const { return used_; }
    bool full() const { return free_entry_ == kNone; }
    bool waiters_full() const { return free_node_ == kNone; }

    // The fill of this line that later requests may join, or kNone.
    uint32_t find(uint64_t key) const {
        for (uint32_t i = buckets_[bucket(key)]; i != kNone; i = entries_[i].next)
            if (entries_[i].key == key)
                return i;
        return kNone;
    }

    // Only when not full(). An entry that may not be joined is attached detached.
    uint32_t allocate(uint64_t key, bool joinable) {
        const uint32_t i = free_entry_;
        Entry& e = entries_[i];
        free_entry_ = e.next;
        e = Entry{};
        e.key = key;
        e.in_use = true;
        if (joinable) {
            e.joinable = true;
            uint32_t& head = buckets_[bucket(key)];
            e.next = head;
            head = i;
        }
        ++used_;
        return i;
    }

    // Only when not waiters_full().
    void add_waiter(uint32_t entry, const Waiter& waiter) {
        const uint32_t n = free_node_;
        free_node_ = nodes_[n].next;
        copy_payload(nodes_[n].waiter, waiter);
        nodes_[n].next = kNone;
        Entry& e = entries_[entry];
        if (e.tail == kNone)
            e.head = n;
        else
            nodes_[e.tail].next = n;
        e.tail = n;
    }
    bool has_waiter(uint32_t entry) const { return entries_[entry].head != kNone; }
    Waiter& first_waiter(uint32_t entry) { return nodes_[entries_[entry].head].waiter; }
    void drop_first_waiter(uint32_t entry) {
        Entry& e = entries_[entry];
        const uint32_t n = e.head;
        e.head = nodes_[n].next;
        if (e.head == kNone)
            e.tail = kNone;
        nodes_[n].next = free_node_;
        free_node_ = n;
    }

    // No later request joins this fill, and what it brings is not kept.
    void detach(uint32_t entry) {
        Entry& e = entries_[entry];
        if (!e.joinable)
            return;
        uint32_t* link = &buckets_[bucket(e.key)];
        while (*link != entry)
            link = &entries_[*link].next;
        *link = e.next;
        e.next = kNone;
        e.joinable = false;
    }

    bool in_use(uint32_t entry) const { return entries_[entry].in_use; }
    bool joinable(uint32_t entry) const { return entries_[entry].joinable; }
    uint64_t key(uint32_t entry) const { return entries_[entry].key; }

    // Only without waiters. Returns whether the fill was older than the cache action in progress.
    bool release(uint32_t entry) {
        detach(entry);
        Entry& e = entries_[entry];
        const bool old = e.old;
        e.in_use = false;
        e.old = false;
        e.next = free_entry_;
        free_entry_ = entry;
        --used_;
        return old;
    }

    // A cache action begins: fills in flight become old, those in its range are detached. Returns
    // how many are old.
    unsigned begin_action(const CacheAction& action) {
        unsigned old = 0;
        for (uint32_t i = 0; i < entries_.size(); ++i) {
            Entry& e = entries_[i];
            if (!e.in_use)
                continue;
            e.old = true;
            ++old;
            if (covers(action, line_of(e.key)))
                detach(i);
        }
        return old;
    }

    void clear() {
        buckets_.assign(buckets_.size(), kNone);
        for (uint32_t i = 0; i < entries_.size(); ++i) {
            entries_[i] = Entry{};
            entries_[i].next = i + 1 < entries_.size() ? i + 1 : kNone;
        }
        for (uint32_t i = 0; i < nodes_.size(); ++i)
            nodes_[i].next = i + 1 < nodes_.size() ? i + 1 : kNone;
        free_entry_ = entries_.empty() ? kNone : 0;
        free_node_ = nodes_.empty() ? kNone : 0;
        used_ = 0;
    }
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(used_ == 0, "fills are in flight");
        a(entries_, free_entry_);
    }

  private:
    struct Entry {
        uint64_t key = 0;
        uint32_t head = kNone;  // waiters
        uint32_t tail = kNone;
        uint32_t next = kNone;  // in the bucket or the free list
        bool in_use = false;
        bool joinable = false;
        bool old = false;
    };
    struct Node {
        Waiter waiter{};
        uint32_t next = kNone;
    };
    size_t bucket(uint64_t key) const {
        return static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> 32) & (buckets_.size() - 1);
    }

    HostLineVector<Entry> entries_;
    HostLineVector<Node> nodes_;
    HostLineVector<uint32_t> buckets_;
    uint32_t free_entry_ = kNone;
    uint32_t free_node_ = kNone;
    unsigned used_ = 0;
};

}  // namespace archipelago::tc
