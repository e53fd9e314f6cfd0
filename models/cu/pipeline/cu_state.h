// SPDX-License-Identifier: Apache-2.0
// Everything of a compute unit that changes while it runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/clocked.h"
#include "models/common/control.h"
#include "models/common/memory_message.h"
#include "models/cu/isa/image_op.h"
#include "models/cu/isa/isa.h"
#include "models/cu/pipeline/coalescer.h"
#include "models/cu/pipeline/cu_spec.h"
#include "models/cu/pipeline/decoded.h"
#include "models/cu/pipeline/wave_ledger.h"
#include "models/gcn/compute_message.h"

namespace archipelago::cu {

constexpr unsigned kMaxSimds = 4;
constexpr unsigned kMaxSlots = 16;
constexpr unsigned kMaxFetchBlocks = 8;

enum class WaveStatus : uint8_t {
    Free,
    Ready,  // has its next instruction; issues at Simd::ready_at or later
    NeedsFetch,
    Waiting,  // for counters: s_waitcnt, or an instruction that found its counter full
    AtBarrier,
    Halted,
    Ending,
};

// A block of the instruction buffer.
struct FetchBlock {
    enum class Status : uint8_t { Empty, Requested, Valid, Faulted };
    Status status = Status::Empty;
    uint64_t address = 0;
    DecodedBlock* decoded = nullptr;  // Valid: what was fetched
};

// A chip has some thousand waves, more than the host's inner caches hold: what every instruction
// touches lies together, and ends with the program counter, the first member of `regs`.
struct alignas(64) Wave {
    std::array<FetchBlock, kMaxFetchBlocks> blocks;  // instruction buffer
    const Decoded* next = nullptr;                   // at regs.pc, when the buffer has it
    Cycle since = 0;                                 // accounted up to here
    Cycle hazard_until = 0;                          // until then no SALU reads hazard_sgprs
    Cycle status_until = 0;                          // until then no branch tests status_pending
    uint32_t generation = 0;                         // counts the jumps: fetches made before
    WaveStatus status = WaveStatus::Free;
    WaveReason waits_for = WaveReason::Fetch;        // what the time since `since` is counted as
    WaveReason running = WaveReason::IssueInternal;  // until Simd::ready_at, but for the last ...
    WaveReason late_for = WaveReason::Dependency;
    uint8_t late = 0;              // ... cycles, which have this reason
    uint8_t status_pending = 0;    // Decoded::status_changed of the last instructions
    bool after_long_pair = false;  // after a two-dword instruction of four turns or more
    uint8_t vm_count = 0, lgkm_count = 0, exp_count = 0;
    uint8_t work = 0;       // place in State::dispatches
    uint64_t executed = 0;  // instructions
    isa::WaveState regs;
    uint64_t fetch_next = 0;            // next block to ask for
    uint64_t hazard_sgprs[2] = {0, 0};  // written by VALU
    // Vector memory instructions in flight, oldest first (slots of State::vmem_ops).
    std::array<uint8_t, 16> vmem{};
    uint8_t vmem_head = 0, vmem_unreturned = 0;
    uint64_t issued_pc = 0;  // of the last instruction, when instructions are distinguished
    Cycle launched = 0;
    uint64_t sequence = 0;  // age
    uint32_t exports = 0;   // sent
    WaveLaunch launch;
};
static_assert(offsetof(Wave, regs) / 64 == offsetof(Wave, next) / 64, "in one host cache line");

// A turn without an instruction to issue reads the first host cache line only.
struct alignas(64) Simd {
    Cycle try_issue = kNever;  // no wave can issue before; kNever: something has to happen first
    Cycle valu_free = 0;
    uint16_t ready = 0;         // waves of status Ready, bit per place in `order`
    uint16_t vmem_blocked = 0;  // those of `ready` that found the vector memory queue full
    uint16_t stops = 0;         // waves whose next instruction cannot be executed
    uint16_t wants_fetch = 0;   // waves with room in their instruction buffer
    uint8_t waves = 0;
    std::array<uint8_t, kMaxSlots> order{};  // occupied slots, first to issue first
    std::array<uint8_t, kMaxSlots> cls{};    // class of the wave's next instruction
    std::array<Cycle, kMaxSlots> ready_at{};
    std::array<WaveReason, kMaxSlots> blocked{};  // why the wave did not issue when it was ready
    std::array<uint8_t, kMaxSlots> place{};       // of a slot in `order`
    uint8_t lds_next = 0;                         // the oldest of lds_ends
    uint8_t ta_waiting = 0;                       // instructions in State::ta_queue
    uint8_t smem_waiting = 0;                     // ... in State::smem_queue
    std::array<Cycle, kMaxLdsQueue> lds_ends{};   // of the last DS instructions, a ring

    void set_ready(unsigned slot) { ready |= static_cast<uint16_t>(1u << place[slot]); }
    void clear_ready(unsigned slot) { ready &= static_cast<uint16_t>(~(1u << place[slot])); }
    uint16_t ready_slots() const {
        uint16_t slots = 0;
        for (unsigned left = ready; left != 0; left &= left - 1)
            slots |= static_cast<uint16_t>(1u << order[static_cast<unsigned>(__builtin_ctz(left))]);
        return slots;
    }
    // After a change of `order`; `slots` were ready.
    void set_places(uint16_t slots) {
        ready = vmem_blocked = 0;
        for (unsigned i = 0; i < waves; ++i) {
            place[order[i]] = static_cast<uint8_t>(i);
            if ((slots >> order[i] & 1) != 0)
                ready |= static_cast<uint16_t>(1u << i);
        }
    }
};

struct Group {
    uint8_t waves = 0;                 // alive or still to be launched
    uint8_t arrived = 0;               // at the barrier
    uint64_t members[kMaxSimds] = {};  // launched, by slot
};

// A vector memory instruction from issue to completion.
struct VmemOp {
    isa::VectorMemOp op;
    uint8_t image = 0;                 // op.image: index in State::image_ops
    std::vector<LineAccess> accesses;  // filled when the address unit takes the instruction
    uint32_t next_access = 0;
    uint32_t responses = 0;  // outstanding
    bool sent = false;       // all requests have left
    bool l1_action = false;  // waits for CacheActionDone
    uint8_t simd = 0, slot = 0;
    uint8_t vmid = 0;
    bool counts_exp = false;
    uint64_t uid = 0;
    const Decoded* decoded = nullptr;
    Cycle issued = 0;
    uint64_t pc = 0;
};

struct SmemOp {
    isa::ScalarMemOp op;
    uint8_t simd = 0, slot = 0;
    uint8_t vmid = 0;
    bool sent = false;
    uint64_t pc = 0;
    const Decoded* decoded = nullptr;
};

struct GdsOp {
    uint8_t simd = 0, slot = 0;
    uint64_t lanes = 0;  // active at issue
    const Decoded* decoded = nullptr;
};

// Something known to happen to a wave at a known cycle (in order within its queue).
struct Completion {
    Cycle at = 0;
    uint8_t simd = 0, slot = 0;
    uint8_t op = 0;
    uint16_t conflicts = 0;  // DS: cycles that bank conflicts added
};

// Fixed-capacity FIFO.
template <class T>
class Fifo {
  public:
    void set_capacity(size_t capacity) {
        items_.assign(capacity, T{});
        head_ = count_ = 0;
    }
    bool empty() const { return count_ == 0; }
    bool full() const { return count_ == items_.size(); }
    size_t size() const { return count_; }
    T& front() { return items_[head_]; }
    const T& front() const { return items_[head_]; }
    void push(const T& item) {
        const size_t at = head_ + count_;
        items_[at < items_.size() ? at : at - items_.size()] = item;
        ++count_;
    }
    void pop() {
        head_ = head_ + 1 == items_.size() ? 0 : head_ + 1;
        --count_;
    }

  private:
    std::vector<T> items_;
    size_t head_ = 0;
    size_t count_ = 0;
};

// Counts that mean the same in cycle and functional mode.
struct WorkCounters {
    uint64_t valu_lanes = 0;  // active lanes summed over VALU instructions
    std::array<uint64_t, kClasses> instructions{};
    uint64_t waves = 0;
    uint64_t vmem_lanes = 0;  // lanes that accessed memory, summed over vector memory instructions
    uint64_t branches_taken = 0;
    uint64_t barriers = 0;  // waves that reached an s_barrier
    // s_incperflevel and s_decperflevel: the levels, modulo 2^64, and how often they moved.
    std::array<uint64_t, 16> perf_levels{};
    uint64_t perf_level_changes = 0;
    uint64_t trace_words = 0;  // s_ttracedata
};

// Counts s_incperflevel, s_decperflevel or s_ttracedata; what a level is then, 0 for the last.
uint64_t count_mark(const isa::Inst& inst, WorkCounters& work);

struct Counters {
    // First what every instruction adds to.
    std::array<uint64_t, kWaveTimes> wave_cycles{};
    uint64_t issue_cycles = 0;  // cycles with at least one instruction issued
    uint64_t valu_busy_cycles = 0;
    WorkCounters work;
    uint64_t waves_ended = 0;
    uint64_t busy_cycles = 0;
    uint64_t lds_bank_cycles = 0;
    uint64_t lds_busy_cycles = 0;
    uint64_t lds_conflict_cycles = 0;
    uint64_t ta_busy_cycles = 0;
    uint64_t ta_stall_cycles = 0;
    uint64_t vmem_requests = 0;
    uint64_t vmem_load_requests = 0;
    uint64_t vmem_store_requests = 0;
    uint64_t vmem_atomic_requests = 0;
    uint64_t vmem_latency_cycles = 0;
    uint64_t td_busy_cycles = 0;
    uint64_t fetches = 0;
    uint64_t fetches_dropped = 0;
    uint64_t smem_requests = 0;
};

struct alignas(64) VectorRegister {
    isa::VReg lanes;
};

// A dispatch of which the unit has waves.
struct OpenDispatch {
    DispatchKey key;
    unsigned resident = 0;  // waves; 0: the place is free
    WaveWork work;
};

// Parts of the unit that have something queued, bits of State::work.
enum Work : uint8_t {
    kReturnPath = 2,
    kScalarQueue = 4,
    kDoneQueue = 8,
    kSpecial = 16,  // export_done or message_done
};

struct State {
    // The state that every tick reads, in one cache line of the host.
    alignas(64) uint8_t work = 0;
    // SIMDs with a wave that could not issue because a queue was full.
    uint8_t vmem_blocked = 0, smem_blocked = 0;
    // First cycle in which the head of lds_done, memtimes or td_done is due.
    Cycle completion_due = kNever;
    // In which something comes out of a channel.
    Cycle fetch_due = kNever, scalar_due = kNever, memory_due = kNever;
    // In which the address unit takes an instruction or its next request may leave.
    Cycle ta_due = kNever;
    std::vector<std::array<Wave, kMaxSlots>> waves;  // by SIMD; with the first launch

    std::array<Simd, kMaxSimds> simds;
    // simds * vgprs registers; no value, nor host pages, before a wave is launched with them
    std::unique_ptr<VectorRegister[]> vgprs;
    std::vector<uint8_t> lds;
    std::vector<Group> groups;
    std::vector<OpenDispatch> dispatches;
    unsigned resident = 0;  // waves
    Cycle busy_since = 0;
    uint64_t next_sequence = 0;
    uint64_t next_uid = 0;

    unsigned fetches_in_flight = 0;

    // scalar memory
    std::vector<SmemOp> smem_ops;
    uint64_t smem_free = 0;
    Fifo<uint8_t> smem_queue;  // not yet sent
    Fifo<Completion> memtimes;

    // local data share
    Cycle lds_free = 0;
    Fifo<Completion> lds_done;

    // exports, global data share, messages
    Cycle export_free = 0;
    Fifo<Completion> export_done;
    Fifo<Completion> message_done;
    std::vector<GdsOp> gds_ops;
    uint64_t gds_free = 0;

    // vector memory; what a request needs is in one cache line of the host
    alignas(64) std::vector<VmemOp> vmem_ops;
    uint64_t vmem_free = 0;
    Cycle ta_start = 0;
    Cycle ta_end = 0;  // address cycles of the active instruction
    Cycle ta_stalled_since = kNever;
    bool ta_active = false;
    uint8_t ta_op = 0;
    Cycle ta_free = 0;
    Fifo<Completion> ta_queue;           // at: earliest start
    std::deque<isa::ImageOp> image_ops;  // grows to as many as are in flight together
    std::vector<uint8_t> image_free;
    Fifo<uint8_t> td_queue;  // all responses here, waiting for the return path
    Cycle td_free = 0;
    Fifo<Completion> td_done;

    Fifo<WaveDone> done;  // not yet sent

    alignas(64) Counters counters;
};

}  // namespace archipelago::cu
