// SPDX-License-Identifier: Apache-2.0
// All that changes in an array of the DPP while it runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "models/common/clocked.h"
#include "models/ctm/dpp/decode_cache.h"
#include "models/ctm/dpp/dpp_spec.h"
#include "models/ctm/dpp/thread_rules.h"
#include "models/ctm/messages.h"

namespace archipelago::ctm::dpp {

// Where the cycles of threads go: each cycle of a resident thread has exactly one of these.
enum class ThreadTime : uint8_t {
    Execute,      // until the next instruction may issue: launch, latencies of ALU, FC and TEX
    Fetch,        // no instruction
    Constant,     // a constant is not there
    Semaphore,    // TEX_SEM_WAIT
    Lookup,       // an instruction without TEX_SEM_WAIT names a register that a lookup will write
    AluBusy,      // ready, the ALU works for another thread
    FlowBusy,     // ready, the flow control unit works for another thread
    LookupQueue,  // ready, the texture port takes no lookup yet
    OutputQueue,  // the first OUT finds no output space, or an uncached one the last not sent
    Drain,        // ended, lookups or uncached writes are on their way
    Test,         // ended, the conditional operation unit decides
    Write,        // ended, outputs are being written
    kCount,
};
constexpr unsigned kFlowConstants = 32;  // integers, and booleans
constexpr unsigned kThreadTimes = static_cast<unsigned>(ThreadTime::kCount);

struct ThreadTimeRow {
    const char* name;
    const char* meaning;
};
inline constexpr std::array<ThreadTimeRow, kThreadTimes> kThreadTimeRows{{
    {"execute", "until the next instruction may issue: launch, latencies of ALU, FC and TEX"},
    {"fetch", "waiting for an instruction"},
    {"constant", "waiting for a constant"},
    {"semaphore", "waiting for the texture semaphore (TEX_SEM_WAIT)"},
    {"lookup", "without TEX_SEM_WAIT, waiting for a register that a lookup writes"},
    {"alu_busy", "ready, the ALU worked for another thread"},
    {"flow_busy", "ready, the flow control unit worked for another thread"},
    {"lookup_queue", "ready, the texture port took no lookup"},
    {"output_queue", "waiting for output space"},
    {"drain", "ended, waiting for lookups and uncached writes"},
    {"test", "ended, waiting for the conditional operation unit"},
    {"write", "ended, writing outputs"},
}};

enum class Phase : uint8_t {
    Free,
    Blocked,  // for what Slot::waits_for says; an event inspects it again
    Timed,    // until Slot::ready_at
    Ready,    // to issue
    Drain,    // the program has ended
    Test,
    Write,
};

// Kinds of words that the array reads, each by its own port of the memory controller.
enum Words : uint8_t {
    kInstructionWords,
    kFloatWords,
    kIntegerWords,
    kBooleanWords,
    kWordsKinds,
};
constexpr std::array<uint8_t, kWordsKinds> kWordsClient{kInstructions, kFloatConstants,
                                                        kIntegerConstants, kBooleanConstants};

// Slots of threads.
struct SlotSet {
    std::array<uint64_t, kMaxThreads / 64> bits{};
    void add(unsigned slot) { bits[slot / 64] |= uint64_t{1} << (slot % 64); }
    // Calls visit(slot) in rising order, of a set that it leaves empty.
    template <class Visit>
    void take_all(const Visit& visit) {
        for (size_t w = 0; w < bits.size(); ++w) {
            uint64_t left = bits[w];
            bits[w] = 0;
            for (; left != 0; left &= left - 1)
                visit(static_cast<unsigned>(64 * w) + static_cast<unsigned>(__builtin_ctzll(left)));
        }
    }
};

// The oldest first, or the earliest.
class SlotHeap {
  public:
    using Entry = std::pair<uint64_t, uint16_t>;  // age or cycle, slot
    void push(uint64_t key, unsigned slot) {
        entries_.emplace_back(key, static_cast<uint16_t>(slot));
        std::push_heap(entries_.begin(), entries_.end(), std::greater<>());
    }
    bool empty() const { return entries_.empty(); }
    const Entry& top() const { return entries_.front(); }
    unsigned pop() {
        const unsigned slot = top().second;
        std::pop_heap(entries_.begin(), entries_.end(), std::greater<>());
        entries_.pop_back();
        return slot;
    }

  private:
    std::vector<Entry> entries_;
};

struct Slot {
    Phase phase = Phase::Free;
    ThreadTime waits_for = ThreadTime::Fetch;  // from ready_at on; before it is Execute
    Cycle since = 0;                           // accounted up to here
    Cycle ready_at = 0;                        // no instruction issues before
    Cycle alu_done = 0;                        // ... of the ALU, or with ALU_WAIT
    uint64_t sequence = 0;                     // age

    // Instructions that have been fetched: of `buffer_pc` on, one after the other.
    std::array<const Decoded*, kMaxInstructionBuffer> buffer{};
    uint16_t buffer_pc = 0;
    uint8_t buffered = 0;
    bool fetching = false;   // the one after them is on its way
    uint8_t generation = 0;  // counts jumps: fetches made before

    // Of the next instruction: its constants, as far as they are there.
    isa::ConstantNeeds needs;
    isa::ConstantValues values;
    uint8_t constants_left = 0;  // a bit for each of `needs`, kIntegerLeft, kBooleanLeft
    bool constants_known = false;

    uint32_t lookups_issued = 0, lookups_landed = 0;
    uint32_t semaphore = 0;         // lookups_landed that releases it
    RegisterSet pending;            // to be written by lookups
    bool holds_for_writes = false;  // the semaphore, until writes_left is 0

    bool has_output = false;     // output space
    bool sending = false;        // in State::outputs
    bool per_processor = false;  // rate of `uncached`
    uint16_t writes_left = 0;    // not answered
    uint16_t tests_left = 0;     // results of the conditional operation unit
    uint16_t uncached_sent = 0;
    isa::LaneMask writing = 0;                 // at the end of the program
    std::vector<isa::UncachedWrite> uncached;  // of the last OUT

    Cycle launched = 0;
    uint64_t executed = 0;  // instructions
    uint32_t number = 0, program = 0;
    uint8_t temporaries = 0;
    bool conditional_output = false;
    isa::ProgramMode mode;
};
constexpr uint8_t kIntegerLeft = 1u << 6, kBooleanLeft = 1u << 7;

// A lookup in flight.
struct Lookup {
    uint16_t slot = 0;
    const Decoded* decoded = nullptr;
    isa::TextureRequest request;
    isa::Register texels{};
    uint16_t quads_unsent = 0;  // bits
    uint8_t quads_left = 0;     // not back
    Cycle send_from = 0;        // the first quad may leave
    Cycle lands = kNever;       // registers are written; known once all is back
};

// A constant that has been read for the threads of a program start.
struct Constant {
    enum class Status : uint8_t { Empty, Requested, There };
    Status status = Status::Empty;
    uint32_t program = 0;
    std::array<uint32_t, isa::kChannels> words{};
    SlotSet waiting;
};

// Writes of a thread that are being sent: uncached ones of an OUT, or all at the end.
struct Output {
    uint16_t slot = 0;
    bool at_end = false;
    OutputPlace next;  // to be looked at, at the end
};

struct Counters {
    std::array<uint64_t, 4> instructions{};  // by isa::Type
    std::array<uint64_t, kThreadTimes> thread_cycles{};
    uint64_t threads = 0, threads_ended = 0;
    uint64_t thread_life = 0;  // cycles from launch to end
    uint64_t busy_cycles = 0;
    uint64_t alu_busy_cycles = 0;
    uint64_t alu_lanes = 0;
    uint64_t flow_busy_cycles = 0;
    uint64_t lookup_quads = 0, lookup_elements = 0;
    uint64_t output_quads = 0, output_elements = 0;
    uint64_t tests = 0;
    uint64_t fetches = 0, fetches_dropped = 0;
    uint64_t constants_read = 0;
    uint64_t launch_stall_cycles = 0;
};

struct State {
    Extents extents{};              // of the inputs
    std::vector<Slot> slots;        // empty until the first launch
    std::vector<isa::Thread> regs;  // of the slots
    std::vector<Lookup> lookups;    // likewise
    SlotHeap free_slots;            // the lowest first
    unsigned registers_free = 0;
    unsigned resident = 0;
    uint64_t next_sequence = 0;
    Cycle busy_since = 0;
    Cycle launch_stalled_since = kNever;
    bool launch_waits = false;  // until a thread ends

    SlotHeap timed;      // by the cycle
    SlotHeap ready_alu;  // ALU and OUT, by age
    SlotHeap ready_flow;
    SlotHeap ready_lookup;
    SlotHeap no_output;  // by age: wait for output space
    Cycle alu_free = 0, flow_free = 0;

    std::array<std::deque<WordsRequest>, kWordsKinds> words;  // to be sent
    unsigned words_unsent = 0;                                // bits of kinds
    unsigned words_left = 0;                                  // to be sent, or not back
    std::array<std::vector<Constant>, kWordsKinds> constants;

    std::vector<uint16_t> free_lookups;
    std::deque<uint16_t> lookup_order;  // places in `lookups`, oldest first
    unsigned lookups_sent = 0;          // of them, without a quad to be sent: the first ones
    unsigned lookups_unsent = 0;        // ... the others

    std::deque<Output> outputs;
    std::deque<std::pair<uint16_t, uint8_t>> tests;  // slot and quad, to be sent
    unsigned output_space = 0;
    Cycle output_free = 0;
    std::deque<ThreadDone> done;
    Counters counters;
};

}  // namespace archipelago::ctm::dpp
