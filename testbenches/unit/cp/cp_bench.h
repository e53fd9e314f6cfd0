// SPDX-License-Identifier: Apache-2.0
// A machine small enough to read around either command processor, which records what it is asked.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/common/context_registers.h"
#include "models/common/memory_image.h"
#include "models/cp/cp_core.h"
#include "models/cp/cp_functional.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/registers/si/si_register_file.h"
#include "models/cp/registers/si/si_registers.h"
#include "models/gcn/si/front_end.h"
#include "models/gcn/vgt_event.h"
#include "models/gds/gds_core.h"
#include "models/gds/gds_execute.h"
#include "registers/si_bus_map.h"
#include "registers/si_names.h"

namespace archipelago::cp::test {

namespace si = regs::si;

constexpr uint64_t kRing[kSiRings] = {0x100000, 0x110000, 0x120000};
constexpr uint32_t kRingDwords = 1024;
constexpr uint64_t kData = 0x200000;    // 64 KiB
constexpr uint64_t kIb = 0x300000;      // 64 KiB
constexpr uint64_t kMirror = 0x400000;  // 4 KiB: read pointers, scratch registers
constexpr uint64_t kUnmapped = 0x900000;

struct RegWrite {
    uint32_t offset;
    uint32_t value;
    uint8_t ring;
    bool operator==(const RegWrite& o) const {
        return offset == o.offset && value == o.value && ring == o.ring;
    }
};

// Everything the outside sees of a command processor.
struct Recorded {
    std::vector<RegWrite> regs;                       // without events
    std::vector<std::pair<uint8_t, uint8_t>> events;  // ring, type
    std::vector<uint8_t> contexts;                    // of `regs`
    ContextRegisters context_registers{regs::si::kBusContextStart, 0x29000,
                                       regs::si::GFX_COPY_STATE};
    uint8_t newest_context = 1;
    std::vector<CacheAction> actions;
    std::vector<Interrupt> interrupts;
    std::map<uint32_t, uint32_t> store;
    std::map<uint64_t, uint8_t> write_spaces;  // by line of memory: VMID of its last write
    void note(const RegRequest& r) {
        regs.push_back({r.offset, r.value, r.ring});
        contexts.push_back(r.context);
        context_registers.write(r);
        if (r.offset == si::GFX_COPY_STATE)
            newest_context = r.context;
        store[r.offset] = r.value;
    }
    // Of the newest context, as the host sees it.
    uint32_t reg(uint32_t offset) const {
        if (si::is_context_register(offset) && context_registers.has(offset))
            return context_registers.get(offset, newest_context);
        const auto found = store.find(offset);
        return found == store.end() ? 0 : found->second;
    }
};

inline bool is_cp_register(uint32_t offset) {
    return (offset >= 0x8400 && offset < 0x8800) || (offset >= 0xC100 && offset < 0xC200);
}

class Machine {
  public:
    Machine() {
        for (const uint64_t ring : kRing)
            memory.map(ring, 4 * kRingDwords);
        memory.map(kData, 0x10000);
        memory.map(kIb, 0x10000);
        memory.map(kMirror, 0x1000);
    }
    virtual ~Machine() = default;

    MemoryImage memory;
    Recorded seen;
    // What sample events of the graphics ring bring, once count_samples() is called.
    std::array<uint64_t, SampleCounts::kPipelineCounters> counts{};
    virtual void count_samples() = 0;

    virtual void host_write(uint32_t offset, uint32_t value) = 0;
    virtual uint32_t host_read(uint32_t offset) = 0;
    // Until nothing moves; true when the command processor is idle then.
    virtual bool run() = 0;
    virtual std::string waiting_for() const = 0;
    virtual gds::Contents& gds_contents() = 0;
    uint32_t gds_word(unsigned at) {
        uint32_t value = 0;
        std::memcpy(&value, gds_contents().memory.data() + at, 4);
        return value;
    }

    void setup_rings(uint32_t log2_block_qwords = 4) {
        static constexpr uint32_t kBase[] = {si::CP_RB0_BASE, si::CP_RB1_BASE, si::CP_RB2_BASE};
        static constexpr uint32_t kCntl[] = {si::CP_RB0_CNTL, si::CP_RB1_CNTL, si::CP_RB2_CNTL};
        static constexpr uint32_t kAddr[] = {si::CP_RB0_RPTR_ADDR, si::CP_RB1_RPTR_ADDR,
                                             si::CP_RB2_RPTR_ADDR};
        for (unsigned ring = 0; ring < kSiRings; ++ring) {
            const uint32_t cntl = 9 | log2_block_qwords << 8;  // 2^9 qwords
            host_write(kCntl[ring], cntl | 0x80000000u);
            host_write(wptr(ring), 0);
            host_write(kAddr[ring], static_cast<uint32_t>(kMirror) + 4 * ring);
            host_write(kCntl[ring], cntl);
            host_write(kBase[ring], static_cast<uint32_t>(kRing[ring] >> 8));
            host_write(si::CP_INT_CNTL_RING0 + 4 * ring, 1u << 26);
            tail[ring] = 0;
        }
        host_write(si::CP_ME_CNTL, 0);
    }
    static uint32_t wptr(unsigned ring) {
        return ring == 0 ? si::CP_RB0_WPTR : ring == 1 ? si::CP_RB1_WPTR : si::CP_RB2_WPTR;
    }
    void put(const std::vector<uint32_t>& words, unsigned ring = 0) {
        for (const uint32_t word : words) {
            poke(kRing[ring] + 4 * tail[ring], word);
            tail[ring] = (tail[ring] + 1) % kRingDwords;
        }
    }
    void doorbell(unsigned ring = 0) { host_write(wptr(ring), tail[ring]); }
    bool submit(const std::vector<uint32_t>& words, unsigned ring = 0) {
        put(words, ring);
        doorbell(ring);
        return run();
    }
    void poke(uint64_t address, uint32_t value) { memory.write(address, &value, 4); }
    void poke(uint64_t address, const std::vector<uint32_t>& words) {
        memory.write(address, words.data(), 4 * words.size());
    }
    uint32_t peek(uint64_t address) const {
        uint32_t value = 0;
        memory.read(address, &value, 4);
        return value;
    }
    uint64_t peek64(uint64_t address) const {
        return peek(address) | uint64_t{peek(address + 4)} << 32;
    }

    uint32_t tail[kSiRings] = {};
};

// ---- timed --------------------------------------------------------------------------------------

struct BenchOptions {
    Spec spec = si_spec();
    unsigned memory_latency = 20;
    bool late_writes = false;  // memory takes what is written when it answers, not before
    unsigned event_latency = 12;
    unsigned cache_latency = 30;
    uint64_t shuffle = 0;
    unsigned stall_percent = 0;
    Cycle limit = 2000000;
    gds::GdsSpec gds_spec = gcn::si::gds_spec();
};

class TimedMachine : public Machine, public Clocked {
  public:
    explicit TimedMachine(const BenchOptions& options = {})
        : options_(options),
          cp(options.spec),
          gds_unit(options.gds_spec),
          hub_({8, 1}, "hub"),
          l2_({8, 1}, "l2"),
          semaphores_({8, 1}, "semaphores"),
          bus_({4, 1}, "bus"),
          own_answer_({4, 1}, "own_answer"),
          caches_({2, 1}, "caches") {
        cp.to_hub().connect(hub_);
        cp.to_l2().connect(l2_);
        cp.to_semaphores().connect(semaphores_);
        cp.to_register_bus().connect(bus_);
        cp.to_register_response().connect(own_answer_);
        cp.to_caches().connect(caches_);
        cp.to_interrupt().connect(interrupt_);
        cp.connect_gds(gds_unit.from_cp());
        gds_unit.to_cp().connect(cp.gds_response());
        hub_.set_consumer(this);
        l2_.set_consumer(this);
        semaphores_.set_consumer(this);
        bus_.set_consumer(this);
        own_answer_.set_consumer(this);
        caches_.set_consumer(this);
        interrupt_.set_consumer(this);
        cp.hub_response().set_producer(this);
        cp.l2_response().set_producer(this);
        cp.semaphore_response().set_producer(this);
        cp.register_request().set_producer(this);
        cp.register_bus_response().set_producer(this);
        cp.event_done().set_producer(this);
        cp.cache_done().set_producer(this);
        scheduler.add(*this);
        cp.add_to(scheduler);
        scheduler.add(gds_unit);
        if (options.shuffle != 0)
            scheduler.shuffle(options.shuffle);
        if (options.stall_percent != 0) {
            hub_.random_stall(1, options.stall_percent);
            l2_.random_stall(2, options.stall_percent);
            bus_.random_stall(3, options.stall_percent);
            caches_.random_stall(4, options.stall_percent);
            cp.hub_response().random_stall(5, options.stall_percent);
            cp.l2_response().random_stall(6, options.stall_percent);
            cp.register_request().random_stall(7, options.stall_percent);
            cp.event_done().random_stall(8, options.stall_percent);
            cp.gds_response().random_stall(9, options.stall_percent);
            gds_unit.from_cp().random_stall(10, options.stall_percent);
        }
    }

    void count_samples() override {
        samples_ = &cp.expect_samples();
        depth_counts_ = &cp.expect_depth_counts();
    }
    CpCore& core() { return cp; }
    Cycle now() const { return scheduler.now(); }

    void host_write(uint32_t offset, uint32_t value) override {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        host_.push_back(r);
        wake_at(0);
        scheduler.run(options_.limit);
    }
    // As host_write(), but leaves running to the next run().
    void queue_write(uint32_t offset, uint32_t value) {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        host_.push_back(r);
        wake_at(0);
    }
    uint32_t host_read(uint32_t offset) override {
        RegRequest r;
        r.offset = offset;
        host_.push_back(r);
        answered_ = false;
        wake_at(0);
        scheduler.run(options_.limit);
        return answered_ ? answer_ : 0xDEAD0000;
    }
    // What the machine around owes a command processor that was reset meanwhile.
    void discard_in_flight() {
        hub_.clear();
        l2_.clear();
        semaphores_.clear();
        bus_.clear();
        own_answer_.clear();
        caches_.clear();
        hub_wait_.clear();
        l2_wait_.clear();
        semaphore_wait_.clear();
        events_.clear();
        gds_unit.reset();
        cache_wait_.clear();
        host_.clear();
    }
    bool run() override {
        scheduler.run(options_.limit);
        return cp.idle();
    }
    std::string waiting_for() const override { return cp.waiting_for(); }
    gds::Contents& gds_contents() override { return gds_unit.contents(); }
    void limit(Cycle cycles) { options_.limit = cycles; }
    // Where the register bus takes CP's requests.
    Channel<RegRequest>& bus() { return bus_; }

    bool tick(Cycle now) override {
        bool progress = false;
        progress |= memory_port(now, hub_, hub_wait_, cp.hub_response());
        progress |= memory_port(now, l2_, l2_wait_, cp.l2_response());
        progress |= memory_port(now, semaphores_, semaphore_wait_, cp.semaphore_response());
        if (!host_.empty() && cp.register_request().can_push(now)) {
            cp.register_request().push(now, host_.front());
            host_.pop_front();
            progress = true;
        } else if (bus_.can_pop(now)) {
            progress |= bus(now);
        }
        if (own_answer_.can_pop(now)) {
            if (own_answer_.front().tag == 0 && host_reads_outstanding()) {
                answer_ = own_answer_.pop(now).value;
                answered_ = true;
                progress = true;
            } else if (cp.register_bus_response().can_push(now)) {
                RegResponse r = own_answer_.pop(now);
                r.tag &= ~kFromCp;
                cp.register_bus_response().push(now, r);
                progress = true;
            }
        }
        if (!events_.empty() && events_.front().first <= now && cp.event_done().can_push(now)) {
            cp.event_done().push(now, events_.front().second);
            events_.pop_front();
            progress = true;
        }
        if (caches_.can_pop(now)) {
            CacheAction action = caches_.pop(now);
            cache_wait_.emplace_back(now + options_.cache_latency, CacheActionDone{action.tag});
            wake_at(now + options_.cache_latency);
            action.tag = 0;
            seen.actions.push_back(action);
            progress = true;
        }
        if (!cache_wait_.empty() && cache_wait_.front().first <= now &&
            cp.cache_done().can_push(now)) {
            cp.cache_done().push(now, cache_wait_.front().second);
            cache_wait_.pop_front();
            progress = true;
        }
        while (interrupt_.ready(now)) {
            seen.interrupts.push_back(interrupt_.take());
            progress = true;
        }
        return progress;
    }

    Scheduler scheduler;
    std::vector<std::pair<Cycle, MemRequest>> requests;  // everything memory was asked
    std::vector<Cycle> reg_cycles;                       // when the writes of seen.regs came

  private:
    static constexpr uint32_t kFromCp = 0x80000000u;
    bool host_reads_outstanding() const { return !answered_; }

    bool memory_port(Cycle now, Channel<MemRequest>& in,
                     std::deque<std::pair<Cycle, MemResponse>>& wait, Channel<MemResponse>& out) {
        bool progress = false;
        if (in.can_pop(now)) {
            const MemRequest q = in.pop(now);
            requests.emplace_back(now, q);
            MemResponse r;
            r.tag = q.tag;
            r.line = q.line;
            r.uid = q.uid;
            r.command = q.command;
            if (q.command != MemCommand::Read)
                seen.write_spaces[q.line] = q.vmid;
            Line line{};
            if (!memory.read(q.line, line.data(), kLineBytes)) {
                r.status = MemStatus::Unmapped;
            } else if (q.command == MemCommand::Read) {
                for (unsigned i = 0; i < kLineBytes; ++i)
                    r.data[i] = (q.byte_mask >> i & 1) != 0 ? line[i] : 0xEE;
            } else if (q.command == MemCommand::Atomic) {
                r.data = line;
                atomic(q, line);
                memory.write(q.line, line.data(), kLineBytes);
            } else {
                for (unsigned i = 0; i < kLineBytes; ++i)
                    if ((q.byte_mask >> i & 1) != 0)
                        line[i] = q.data[i];
                if (options_.late_writes)
                    late_.emplace(q.uid, q);
                else
                    memory.write(q.line, line.data(), kLineBytes);
            }
            wait.emplace_back(now + options_.memory_latency, r);
            wake_at(now + options_.memory_latency);
            progress = true;
        }
        if (!wait.empty() && wait.front().first <= now && out.can_push(now)) {
            const auto late = late_.find(wait.front().second.uid);
            if (late != late_.end()) {
                for (unsigned i = 0; i < kLineBytes; ++i)
                    if ((late->second.byte_mask >> i & 1) != 0)
                        memory.write(late->second.line + i, &late->second.data[i], 1);
                late_.erase(late);
            }
            out.push(now, wait.front().second);
            wait.pop_front();
            progress = true;
        }
        return progress;
    }

    // The operand of the lowest byte asked for.
    static void atomic(const MemRequest& q, Line& line) {
        unsigned at = 0;
        while ((q.byte_mask >> at & 1) == 0)
            ++at;
        uint64_t old = 0, operand = 0;
        std::memcpy(&old, &line[at], q.atomic_bytes);
        std::memcpy(&operand, &q.data[at], q.atomic_bytes);
        old = q.atomic_bytes == 8
                  ? atomic64(q.atomic, old, operand, q.compare)
                  : atomic32(q.atomic, static_cast<uint32_t>(old), static_cast<uint32_t>(operand),
                             static_cast<uint32_t>(q.compare));
        std::memcpy(&line[at], &old, q.atomic_bytes);
    }

    bool bus(Cycle now) {
        const RegRequest& front = bus_.front();
        if (is_cp_register(front.offset)) {
            if (!cp.register_request().can_push(now))
                return false;
            RegRequest r = bus_.pop(now);
            if (r.write)
                note(now, r);
            r.tag |= kFromCp;
            cp.register_request().push(now, r);
            return true;
        }
        if (!front.write && !cp.register_bus_response().can_push(now))
            return false;
        if (samples_ != nullptr && (!samples_->can_push(now) || !depth_counts_->can_push(now)))
            return false;
        const RegRequest r = bus_.pop(now);
        if (!r.write) {
            RegResponse answer;
            answer.tag = r.tag;
            answer.value = seen.reg(r.offset);
            cp.register_bus_response().push(now, answer);
        } else if (r.offset == si::VGT_EVENT_INITIATOR) {
            const auto type = static_cast<uint8_t>(r.value);
            seen.events.emplace_back(r.ring, type);
            if (samples_ != nullptr && r.ring == 0 && is_sample_event(type))
                (type == vgt_event::kZpassDone ? depth_counts_ : samples_)
                    ->push(now, {type, counts});
            EventDone done{r.ring, type};
            if (type == vgt_event::kSamplePipelinestat) {
                done.cs_invocations = counts[SampleCounts::kCsInvocations];
                done.ps_invocations = counts[SampleCounts::kPsInvocations];
            }
            events_.emplace_back(now + options_.event_latency, done);
            wake_at(now + options_.event_latency);
        } else {
            note(now, r);
        }
        return true;
    }
    void note(Cycle now, const RegRequest& r) {
        seen.note(r);
        reg_cycles.push_back(now);
    }

    BenchOptions options_;
    CpCore cp;
    gds::GdsCore gds_unit;
    Channel<MemRequest> hub_, l2_, semaphores_;
    Channel<RegRequest> bus_;
    Channel<RegResponse> own_answer_;
    Channel<CacheAction> caches_;
    EventLink<Interrupt> interrupt_;
    std::deque<std::pair<Cycle, MemResponse>> hub_wait_, l2_wait_, semaphore_wait_;
    std::map<uint64_t, MemRequest> late_;  // by uid
    std::deque<std::pair<Cycle, EventDone>> events_;
    std::deque<std::pair<Cycle, CacheActionDone>> cache_wait_;
    std::deque<RegRequest> host_;
    Channel<SampleCounts>* samples_ = nullptr;
    Channel<SampleCounts>* depth_counts_ = nullptr;
    bool answered_ = true;
    uint32_t answer_ = 0;
};

// ---- functional ---------------------------------------------------------------------------------

class FunctionalMachine : public Machine, public CpBackend {
  public:
    explicit FunctionalMachine(const Spec& spec = si_spec())
        : file(spec), de(spec.de_state()), cp(spec, file, de, *this), known(spec.known_registers) {
        cp.attach();
    }
    void host_write(uint32_t offset, uint32_t value) override {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        file.write_register(r);
    }
    uint32_t host_read(uint32_t offset) override {
        RegRequest r;
        r.offset = offset;
        uint32_t value = 0;
        file.read_register(r, value);
        return value;
    }
    bool run() override { return cp.run_all() == CpFunctional::Outcome::Idle; }
    std::string waiting_for() const override { return cp.waiting_for(); }
    gds::Contents& gds_contents() override { return gds_unit.contents(); }

    // CpBackend
    GdsPort* gds_port() override { return &gds_unit; }
    uint32_t reg_read(const RegRequest& r) override {
        end_view();
        return is_cp_register(r.offset) ? host_read(r.offset) : seen.reg(r.offset);
    }
    void reg_write(const RegRequest& r) override {
        end_view();
        seen.note(r);
        if (is_cp_register(r.offset))
            file.write_register(r);
    }
    bool reg_store(const RegRequest& first, const uint32_t* values, uint32_t count) override {
        RegRequest r = first;
        for (uint32_t i = 0; i < count; ++i, r.offset += 4)
            if (one_by_one || is_cp_register(r.offset) || !known.allows(r.offset))
                return false;
        kept += count;
        r = first;
        for (uint32_t i = 0; i < count; ++i, r.offset += 4) {
            r.value = values[i];
            seen.note(r);
        }
        return true;
    }
    const uint8_t* mem_view(uint64_t address, size_t& bytes, uint8_t) override {
        if (view_piece == 0)
            return nullptr;
        bytes = std::min<size_t>(bytes, view_piece - address % view_piece);
        view_.resize(bytes);
        return memory.read(address, view_.data(), bytes) ? view_.data() : nullptr;
    }
    bool mem_read(uint64_t address, void* to, size_t bytes, uint8_t) override {
        end_view();
        return memory.read(address, to, bytes);
    }
    bool mem_write(uint64_t address, const void* from, size_t bytes, uint8_t vmid) override {
        end_view();
        seen.write_spaces[line_of(address)] = vmid;
        return memory.write(address, from, bytes);
    }
    void event(uint8_t ring, uint8_t type) override {
        end_view();
        seen.events.emplace_back(ring, type);
    }
    void cache_action(const CacheAction& action) override {
        end_view();
        seen.actions.push_back(action);
        seen.actions.back().tag = 0;
    }
    void interrupt(const Interrupt& i) override { seen.interrupts.push_back(i); }
    uint64_t gpu_clock() override { return 0x123456789A; }
    void count_samples() override { counts_ = true; }
    SampleCounts samples(uint8_t event_type) override {
        return {event_type, counts_ ? counts : decltype(counts){}};
    }

    gds::FunctionalGds gds_unit{gcn::si::gds_spec()};
    SiRegisterFile file;
    DeState de;
    CpFunctional cp;
    const RegisterSet known;
    bool one_by_one = false;  // registers never go in runs
    uint64_t kept = 0;        // registers that did
    // Bytes of memory that a view shows at most, up to a multiple of them; 0: there are no views.
    uint64_t view_piece = 0;

  private:
    // What was seen through a view is not there any more.
    void end_view() { std::fill(view_.begin(), view_.end(), uint8_t{0xFF}); }
    std::vector<uint8_t> view_;
    bool counts_ = false;
};

// ---- packets ------------------------------------------------------------------------------------

// Opcodes by number are for those that no packet has, and for second ones.
inline std::vector<uint32_t> packet(uint8_t opcode, const std::vector<uint32_t>& body,
                                    bool compute = false) {
    std::vector<uint32_t> words{make_header(opcode, static_cast<uint32_t>(body.size()), compute)};
    words.insert(words.end(), body.begin(), body.end());
    return words;
}
inline std::vector<uint32_t> packet(const char* name, const std::vector<uint32_t>& body,
                                    bool compute = false) {
    return packet(si_opcode(name), body, compute);
}
inline std::vector<uint32_t> operator+(std::vector<uint32_t> a, const std::vector<uint32_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
inline uint32_t lo(uint64_t v) {
    return static_cast<uint32_t>(v);
}
inline uint32_t hi(uint64_t v) {
    return static_cast<uint32_t>(v >> 32);
}

inline std::vector<uint32_t> set_config(uint32_t offset, const std::vector<uint32_t>& values) {
    return packet("SET_CONFIG_REG", std::vector<uint32_t>{(offset - 0x8000) / 4} + values);
}
inline std::vector<uint32_t> set_context(uint32_t offset, const std::vector<uint32_t>& values) {
    return packet("SET_CONTEXT_REG", std::vector<uint32_t>{(offset - 0x28000) / 4} + values);
}
inline std::vector<uint32_t> set_sh(uint32_t offset, const std::vector<uint32_t>& values) {
    return packet("SET_SH_REG", std::vector<uint32_t>{(offset - 0xB000) / 4} + values);
}
inline std::vector<uint32_t> indirect(uint64_t address, uint32_t dwords, uint8_t vmid = 0,
                                      uint8_t opcode = si_opcode("INDIRECT_BUFFER")) {
    return packet(opcode, {lo(address), hi(address), dwords | uint32_t{vmid} << 24});
}
inline std::vector<uint32_t> write_data(uint64_t address, const std::vector<uint32_t>& values,
                                        uint32_t destination = 5, bool confirm = true,
                                        uint32_t engine = 0, bool one_address = false) {
    return packet("WRITE_DATA",
                  std::vector<uint32_t>{engine << 30 | (confirm ? 1u << 20 : 0) |
                                            (one_address ? 1u << 16 : 0) | destination << 8,
                                        lo(address), hi(address)} +
                      values);
}
inline std::vector<uint32_t> wait_memory(uint64_t address, uint32_t function, uint32_t reference,
                                         uint32_t mask = ~0u, uint32_t interval = 4,
                                         bool pfp = false) {
    return packet("WAIT_REG_MEM", {function | 1u << 4 | (pfp ? 1u << 8 : 0), lo(address),
                                   hi(address), reference, mask, interval});
}
inline std::vector<uint32_t> eop(uint64_t address, uint32_t data_sel, uint32_t int_sel,
                                 uint64_t data, uint8_t type = 20, bool invalidate_l2 = false) {
    return packet("EVENT_WRITE_EOP",
                  {type | 5u << 8 | (invalidate_l2 ? 1u << 20 : 0), lo(address),
                   hi(address) | data_sel << 29 | int_sel << 24, lo(data), hi(data)});
}
inline std::vector<uint32_t> surface_sync(uint32_t control, uint32_t size = ~0u, uint32_t base = 0,
                                          bool me = true) {
    return packet("SURFACE_SYNC", {control | (me ? 0x80000000u : 0), size, base, 10});
}
inline std::vector<uint32_t> cp_dma(uint64_t source, uint64_t destination, uint32_t bytes,
                                    bool sync = true, uint32_t command = 0) {
    return packet("CP_DMA", {lo(source), hi(source) | (sync ? 0x80000000u : 0), lo(destination),
                             hi(destination), bytes | command});
}
inline std::vector<uint32_t> cp_fill(uint32_t value, uint64_t destination, uint32_t bytes,
                                     bool sync = true, uint32_t command = 0) {
    return packet("CP_DMA", {value, 2u << 29 | (sync ? 0x80000000u : 0), lo(destination),
                             hi(destination), bytes | command});
}

}  // namespace archipelago::cp::test
