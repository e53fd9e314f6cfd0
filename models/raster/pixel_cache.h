// SPDX-License-Identifier: Apache-2.0
// A write-back cache of lines of render targets, as the depth and the colour block have one for
// pixels and one for metadata. R6xx/R7xx document 2.1.4, 2.1.5.
//
// A block works on a batch in three steps, so that the rules stand in its untimed unit alone:
//
//   PixelProbe probe({&cache});             // 1. footprint: the unit runs on a copy of the batch,
//   unit.late(state, copy_of_batch, probe);  //   nothing changes, the probe notes the lines
//   if (cache.prepare(now, probe.lines())) { // 2. until true, in later cycles again: the lines are
//       unit.late(state, batch, cache);      // 3.  resident; the unit runs
//       cache.release();                     //    and the lines may be replaced again
//   }
//
// Fully associative, least recently used first; bytes that a batch overwrites are not fetched.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/archive.h"
#include "models/common/stats.h"
#include "models/common/transaction_id.h"
#include "models/common/unit.h"
#include "models/raster/pixel_memory.h"

namespace archipelago::raster {

struct PixelCacheSpec {
    unsigned lines = 256;     // of 64 bytes; at least as many as a batch touches
    unsigned in_flight = 32;  // fetches and write-backs that memory has not answered
};

// Who the cache is to memory. Several caches may share a port: `kind` tells their answers apart.
struct PixelCacheIdentity {
    std::string name;  // "db0.z": for messages
    Client client = Client::Host;
    TransactionUnit unit = TransactionUnit::Cu;
    uint16_t source = 0;  // number of the render back end
    uint8_t kind = 0;
};

// A line that a batch touches.
struct PixelTouch {
    uint64_t line = 0;
    bool reads = false;  // else some bytes are overwritten and none is read
};

class PixelCache final : public PixelMemory {
  public:
    PixelCache(const PixelCacheSpec& spec, PixelCacheIdentity identity);

    // The address space that addresses below are of: the batch's.
    void set_vmid(uint8_t vmid) { vmid_ = vmid; }

    // Of a resident line; Internal stop for one that is not.
    uint8_t* line(uint64_t line_address, bool write) override;
    void merge(uint64_t line_address, const uint8_t* bytes, uint64_t mask) override;

    // The bytes of the line, when they are all here; else null.
    const uint8_t* resident(uint64_t line_address) const;

    // True: all lines are resident, and stay so until release(). False: some are missing or there
    // is no room for them yet; call it again when memory has answered. Counts hits and misses of a
    // footprint once; `counted`: they have been.
    bool prepare(const std::vector<PixelTouch>& footprint, bool counted = false);
    void release();
    // Begins to fetch what a later batch lacks, as far as there is room; keeps nothing for it.
    // True: all of it is here or on its way. `counts`: its hits and misses.
    bool fetch(const std::vector<PixelTouch>& footprint, bool counts = false);

    // Sends one fetch or write-back that waits. False: nothing to send, or no room for it.
    bool send(Cycle now, Channel<MemRequest>& to_memory);
    // True: the answer is this cache's, and is taken. Throws MachineStop(Fault).
    bool take(const MemResponse& response);

    // Writes back all dirty bytes; `invalidate`: then forgets all lines. Done when flushed(). Only
    // without a prepared footprint.
    void flush(bool invalidate);
    bool flushed() const { return !state_.flushing; }
    bool empty() const { return index_.empty(); }  // holds no line
    bool clean() const { return dirty_lines_ == 0 && state_.writes == 0; }
    // Nothing is on its way.
    bool idle() const { return queue_.empty() && state_.fetches + state_.writes == 0 && flushed(); }

    void reset();
    void archive(Archive& a);
    void register_stats(const UnitStats& add, const std::string& prefix) const;

  private:
    struct Entry {
        uint64_t key = 0;               // line and address space
        uint64_t valid = 0, dirty = 0;  // bytes
        uint64_t used = 0;              // when last, by `uses`
        bool present = false;
        bool fetching = false;
        bool pinned = false;  // of the prepared footprint
        Line data{};
    };
    struct State {
        uint64_t uses = 0, uid = 0;
        unsigned fetches = 0, writes = 0;  // not yet answered
        bool flushing = false, invalidate = false;
        uint32_t flush_next = 0;  // the entry to be written back next
        bool counted = false;     // the footprint that is being prepared
        bool full = false;        // it has found no room
        uint64_t hits = 0, misses = 0, fetched_lines = 0, written_lines = 0, full_batches = 0;
    };

    static_assert(kLineBytes >= 16, "an address space fits below the address of a line");
    uint64_t key_of(uint64_t line_address) const { return line_address | vmid_; }
    Entry* find(uint64_t key);
    Entry* make_room(uint64_t key);
    bool begin_fetch(Entry& entry);
    void count(const std::vector<PixelTouch>& footprint);
    void write_back(Entry& entry);
    void set_dirty(Entry& entry, uint64_t bytes);
    void pin(Entry& entry);
    void finish_flush();
    MemRequest request(MemCommand command, uint64_t key);

    const PixelCacheSpec spec_;
    const PixelCacheIdentity identity_;
    std::vector<Entry> entries_;
    std::unordered_map<uint64_t, uint32_t> index_;  // of entries by their key
    std::deque<MemRequest> queue_;                  // to be sent, oldest first
    std::vector<uint64_t> writing_;                 // keys whose write-back has no answer yet
    std::vector<uint32_t> pinned_;                  // entries of the prepared footprint
    uint8_t vmid_ = 0;
    unsigned dirty_lines_ = 0;
    State state_;
};

// What an untimed unit would touch: answers from the resident lines of the caches, notes every line
// and changes nothing. All bytes of a line that is missing read as `missing_byte`.
class PixelProbe final : public PixelMemory {
  public:
    explicit PixelProbe(std::vector<const PixelCache*> caches, uint8_t missing_byte = 0)
        : caches_(std::move(caches)), missing_byte_(missing_byte) {}
    void clear();
    uint8_t* line(uint64_t line_address, bool write) override;
    void merge(uint64_t line_address, const uint8_t* bytes, uint64_t mask) override;
    const std::vector<PixelTouch>& lines() const { return lines_; }
    // Bytes of a line that is missing have been read, so that more lines may be touched when they
    // are there.
    bool missed() const { return missed_; }

  private:
    void note(uint64_t line_address, bool reads);

    std::vector<const PixelCache*> caches_;
    uint8_t missing_byte_;
    bool missed_ = false;
    std::vector<PixelTouch> lines_;
    Line scratch_{};
};

}  // namespace archipelago::raster
