// SPDX-License-Identifier: Apache-2.0
// A cache of the CTM memory controller in cycle mode: its tags and data with what is on the way
// from and to memory. Requests to memory wait in `out` for the controller to send them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/clocked.h"
#include "models/common/ring.h"
#include "models/common/stats.h"
#include "models/ctm/mc/cache.h"
#include "models/ctm/mc/mc_spec.h"
#include "models/tc/miss_table.h"

namespace archipelago::ctm {

// Why the oldest request of a port does not go on.
enum class PortStall : uint8_t {
    None,
    Lookups,  // the cache has looked up as many lines in this cycle as it can
    Fetches,  // as many lines are on their way as may be, or all that the line could replace
    Queue,    // the way to memory is not free
    Writes,   // as many writes are not acknowledged as may be
    Line,     // a write waits for the line to arrive
    Command,  // the cache is being flushed or invalidated
    Places,   // as many requests are inside as may be
    Client,   // the client does not take its answer
    kCount,
};

// The port that a line, or the acknowledgement of a write, is for; kNoPort: none.
struct Waiter {
    static constexpr uint16_t kNoPort = 0xffff;
    uint16_t port = kNoPort;
    uint16_t slot = 0;
};

// Tags of requests to memory: the cache or kPeSource, whether it is a write, and its number.
constexpr unsigned kTagSourceShift = 20;
constexpr uint32_t kTagWrite = 1u << 19;
constexpr uint32_t kTagNumber = kTagWrite - 1;
constexpr unsigned kPeSource = kCaches;

struct CacheCounters {
    uint64_t hits = 0;       // lines looked up that were there
    uint64_t misses = 0;     // fetched, or taken for a write
    uint64_t joined = 0;     // were on their way
    uint64_t evictions = 0;  // of a line in use
    uint64_t write_backs = 0;
    uint64_t flushed_lines = 0;
    uint64_t lost_lines = 0;  // dirty and invalidated
    uint64_t uncached_writes = 0;
};

class CacheUnit {
  public:
    // `waiters`: pieces that all ports together may have inside.
    CacheUnit(CacheId id, const CacheSpec& spec, unsigned waiters);

    // A look-up of a line by a waiter; None: it went on. A read whose bytes are there finds them in
    // `hit`; else they come with the line.
    PortStall read(Cycle now, uint32_t line, uint64_t mask, const Waiter& waiter,
                   const Origin& origin, const Line*& hit);
    PortStall write(Cycle now, uint32_t line, const Line& bytes, uint64_t mask,
                    const Origin& origin);
    PortStall write_past(Cycle now, uint32_t line, const Line& bytes, uint64_t mask,
                         const Waiter& waiter, const Origin& origin);

    // The line of a fetch has come: throws MachineStop when memory refused it.
    const Line& arrive(uint32_t fetch, const MemResponse& response);
    // Then, until there is none:
    bool next_waiter(uint32_t fetch, Waiter& waiter);
    // A write is in memory; returns who waits for it.
    Waiter acknowledge(uint32_t number, const MemResponse& response);

    bool looked_up(Cycle now) const { return turn_ == now && looked_up_ != 0; }
    bool fetching() const { return fetches_.used() != 0; }
    bool writing() const { return writes_.used() != 0; }
    // Writes one dirty line from entry `from` on back, if there is one and the way is free; returns
    // whether it did. `from` moves on to it.
    bool flush_one(uint32_t& from);
    bool all_clean(uint32_t from) const { return cache_.next_dirty(from) == cache_.entries(); }
    void invalidate() { count_.lost_lines += cache_.invalidate(); }

    Ring<MemRequest>& out() { return out_; }
    const Ring<MemRequest>& out() const { return out_; }
    void take_over(const Cache& cache) { cache_.copy(cache); }
    const Cache& cache() const { return cache_; }
    const CacheSpec& spec() const { return spec_; }
    const CacheCounters& counters() const { return count_; }
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    std::string waiting_for() const;
    void reset();
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(out_.empty() && !fetching() && !writing(), "a cache waits for memory");
        a(cache_, fetches_, writes_, uid_, count_);
    }

  private:
    struct Access {
        Origin origin;
        uint32_t address = 0;
    };
    bool look_up(Cycle now);
    PortStall make_room(uint32_t line, unsigned more, uint32_t& entry);
    bool can_write(unsigned more) const { return !writes_.full() && out_.space() > more; }
    void write_back(uint32_t entry);
    void send_write(const WriteBack& w, const Waiter& waiter, bool through);
    MemRequest& request(uint32_t line, MemCommand command, uint32_t number);

    CacheSpec spec_;
    CacheId id_;
    unsigned waiters_;
    Cache cache_;
    tc::MissTable<Waiter> fetches_;
    std::vector<uint32_t> entry_of_;  // fetch
    std::vector<Access> first_of_;    // fetch
    tc::MissTable<Waiter> writes_;
    std::vector<Access> written_;  // by number
    Ring<MemRequest> out_;
    Cycle turn_ = kNever;  // the cycle that `looked_up_` is of
    unsigned looked_up_ = 0;
    uint64_t uid_ = 0;
    CacheCounters count_;
};

}  // namespace archipelago::ctm
