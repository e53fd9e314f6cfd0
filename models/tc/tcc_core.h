// SPDX-License-Identifier: Apache-2.0
// One channel of the L2 cache (TCC). Sizes and the 64 bytes per cycle and channel: AMD OpenCL guide
// 2.4; atomics at L2: Southern Islands ISA document 8.1.
#pragma once

#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/tc/l2_channel.h"
#include "models/tc/miss_rows.h"
#include "models/tc/tcc_state.h"
#include "models/tc/warming.h"

namespace archipelago::tc {

// Why an answer of memory stops the machine; the same numbers as on the Verilog twin's error pin.
enum class TccFault : uint8_t {
    None,
    RefusedWriteBack,
    UnknownWriteBack,
    UnknownWriteThrough,
    UnknownFill,
    ForeignTag,  // of no kind that TCC sends
};
class TccStop : public MachineStop {
  public:
    TccStop(TccFault fault, const std::string& where, uint64_t line);
    TccFault fault() const { return fault_; }

  private:
    TccFault fault_;
};

// Serves one line request per cycle; requests to one line take effect in the order they came.
// Answers for different lines may overtake each other.
//  - Writes allocate without fetching: every byte has a valid and a dirty bit. Reads and atomics
//    that need bytes the line lacks fetch it; what is valid already wins over what memory brings.
//  - Evictions and write-backs send only dirty bytes.
//  - write_through requests update the line when it is present and are answered when memory has.
//  - Atomics are executed here. slc requests leave the replacement order alone.
// Tags are physical: the line address alone.
//
// Cache actions: writeback_l2 sends every dirty byte in the range and waits for memory's answers;
// invalidate_l2 drops clean bytes. An invalidation alone never drops a dirty byte: which writes
// were lost would be undefined.
class TccCore final : public L2Channel {
  public:
    // `map` gives the address within the channel, which selects the set; `pages` may be null, when
    // every address is mapped or memory's own answer is enough. `channel` goes into
    // MemRequest::source towards memory.
    // Throws MachineStop(BadInput) when a field of the Spec is out of range.
    TccCore(const TccSpec& spec, const mc::ChannelMap& map, const PageCheck* pages,
            unsigned channel = 0, const std::string& name = "tcc");

    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const override;
    void observe(const Observers& observers, const std::string& path) override;
    void finish_trace(Cycle now) const override;
    // As idle(), regardless of what the channels hold.
    bool holds_nothing() const;
    // In cycle `at` nothing can move without input from the channels.
    bool waits_for_inputs(Cycle at) const;

    // These take no simulated time; for debug accesses and changes of mode while idle.
    // The valid bytes of the line, as a mask; 0 when it is not here.
    uint64_t peek(uint64_t line, Line& data) const;
    // Overwrites bytes of the line where it holds them.
    void poke(uint64_t line, const Line& data, uint64_t mask);
    // Calls write(line address, data, dirty mask) for every dirty line and makes it clean.
    template <class Write>
    void flush(Write&& write) {
        for (uint32_t i = 0; i < state_.array.entries(); ++i) {
            if (state_.array.dirty(i) == 0)
                continue;
            write(state_.array.key(i), state_.array.data(i), state_.array.dirty(i));
            state_.array.dirty(i) = 0;
        }
    }
    void invalidate_all() { state_.array.clear(); }
    // No simulated time: warming.h. Requests are those of compute units: none is write_through.
    // Written bytes are dirty here, although functional mode has written them to memory, too.
    void warm(const MemRequest& request);
    void warm(const CacheAction& action);
    template <class Read>
    void fill(const Read& read) {
        fill_lines(state_.array, read);
    }
    void archive_lines(Archive& a) override;

    const TccState& state() const { return state_; }
    const TccSpec& spec() const { return spec_; }

  private:
    bool due(Cycle at) const;
    bool take_memory_answer(Cycle now);
    TccFault fault_of(const MemResponse& answer) const;
    void take_fill(Cycle now, const MemResponse& fill);
    // A line that the requests to it waited for is here.
    void trace_fill(Cycle now, uint32_t miss, uint64_t uid);
    bool serve(Cycle now);
    bool serve_returned(Cycle now);
    void close_fill(uint32_t miss);
    // Lets a request take effect; false when a resource is missing, with nothing changed.
    bool process(Cycle now, const MemRequest& request, unsigned latency);
    bool read(Cycle now, const MemRequest& request, uint32_t entry, unsigned latency);
    bool write(Cycle now, const MemRequest& request, uint32_t entry, unsigned latency);
    bool write_through(Cycle now, const MemRequest& request, uint32_t entry);
    bool atomic(Cycle now, const MemRequest& request, uint32_t entry, unsigned latency);
    bool fetch(Cycle now, const MemRequest& request, uint32_t entry);
    void use(const MemRequest& request, uint32_t entry);
    void keep_written(const MemRequest& request, uint32_t entry);
    // An entry for a new line, its old content on the way to memory; kNone when no entry is free or
    // the queue to memory has no room for `extra` more messages after the write-back.
    uint32_t make_room(Cycle now, uint64_t line, unsigned extra);
    void write_back(Cycle now, uint32_t entry);
    void drop_clean_bytes(uint32_t entry);
    void answer(Cycle now, unsigned latency, const MemRequest& request, MemStatus status,
                const Line* data);
    bool send_to_memory(Cycle now);
    bool respond(Cycle now);
    bool start_action(Cycle now);
    bool walk(Cycle now);
    bool finish_action(Cycle now);
    bool stall(Cycle now, TccStall reason);
    uint32_t set_of(uint64_t line) const {
        return state_.array.set_of(map_.local_address(line) / kLineBytes);
    }

    const TccSpec spec_;
    const mc::ChannelMap map_;
    const PageCheck* pages_;
    const uint16_t channel_;
    const std::string name_;
    TccState state_;
    MissRows rows_;
    LogSink* log_ = nullptr;  // log of requests
};

// Tags towards memory: kind in the two top bits, index below.
constexpr uint32_t kTccTagKind = 0xC0000000u;
constexpr uint32_t kTccFillTag = 0x00000000u;          // index: MSHR
constexpr uint32_t kTccWriteBackTag = 0x40000000u;     // index: epoch
constexpr uint32_t kTccWriteThroughTag = 0x80000000u;  // index: slot

// The counters of an L2 channel under `path`; `counters` and `stalls` must outlive the registry.
void register_tcc_stats(StatsRegistry& registry, const std::string& path,
                        const TccCounters& counters, const StallClock<TccStall>& stalls);

}  // namespace archipelago::tc
