// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the micro engine: packets of every size, programs of any operations in any
// order, and units that answer late and in turn.
#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/cp/me_pins.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/registers/si/si_pin_cores.h"
#include "models/cp/registers/si/si_registers.h"
#include "pins/cp_me_pins.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {
namespace {

using Pins = CpMePins;
using In = Pins::In;
using Out = Pins::Out;
using cp::EventPurpose;
using cp::MePhase;
using cp::OpKind;
using cp::StallReason;
constexpr unsigned kRings = Pins::kRings;
constexpr unsigned kKinds = static_cast<unsigned>(OpKind::DeIncrement) + 1;

// Names of operations, for the bins.
constexpr const char* kKindNames[] = {
    "RegWrite", "RegRead",      "MemRead",   "Take",         "MemWrite",   "Atomic",   "WaitWrites",
    "Delay",    "Event",        "Eop",       "CacheStart",   "CachePoll",  "Dma",      "WaitDma",
    "SyncPfp",  "Clock",        "CeWait",    "CeTell",       "GdsRead",    "GdsWrite", "GdsAtomic",
    "WaitGds",  "WaitGdsStore", "RingError", "ContextsIdle", "DeIncrement"};
static_assert(std::size(kKindNames) == kKinds);

// An operation as the pins have it.
struct Operation {
    bool end = false, path = false, stream = false, kernel = false, wait = false, gds = false,
         privileged = false, of_context = false, preamble = false;
    uint8_t kind = 0, dwords = 1, swap = 0, event_type = 0, limit = 0, buffer = 0;
    uint32_t offset = 0, value = 0, cycles = 0;
    uint64_t operand = 0, address = 0;
    Pins::Words data{};
};

class MeStimulus : public Stimulus<Pins> {
  public:
    explicit MeStimulus(const CosimOptions& options)
        : random_(options.seed), recorded_(recorded_traffic<In>(options)) {
        for (const cp::PacketInfo& info : table_)
            packets_.push_back(&info);
        for (uint32_t offset = map_.context_start; offset < map_.context_end; offset += 4)
            if (!map_.acts(offset))
                context_.push_back(offset);
        add_bins();
    }

    void next(In& in) override {
        if (recorded_ != nullptr) {
            in = (*recorded_)[at_++];
            return;
        }
        in = {};
        rare_.next_cycle();
        in.cfg = cfg_;
        if (!asked_)
            now_ += 1 + passed_over();
        in.now = now_;
        if (loaded_ < Pins::kPackets) {
            load(in);
            return;
        }
        in.rst = random_.one_in(stopped_ ? 6 : quiet_ ? 80'000 : 3'000) ? 1 : 0;
        if (in.rst != 0) {
            quiet_ = !quiet_ && random_.one_in(2);
            choose_config();
            in.cfg = cfg_;
            if (random_.one_in(2))
                now_ = random_.bits() >> (17 + random_.below(20));
            return;
        }
        if (random_.one_in(16)) {  // once more, and what does not write
            const bool write = random_.one_in(2);
            table_entry(random_.below(Pins::kPackets), in);
            in.table_valid = write ? 1 : 0;
            if (!write)
                in.table_fixed = static_cast<uint8_t>(random_.below(16));
        }
        control(in);
        for (unsigned r = 0; r < kRings; ++r) {
            offer_dword(r, in);
            offer_operation(r, in);
        }
        offer_answers(in);
        offer_room(in);
    }

    void observe(const In& in, const Out& out) override {
        count(in, out);
        if (recorded_ != nullptr) {
            before_ = in.rst != 0 ? Out{} : out;
            return;
        }
        if (in.rst != 0) {
            start_over();
            return;
        }
        stopped_ = out.stop_valid != 0;
        asked_ = out.ask_valid != 0;
        if (asked_) {
            wanted_[out.ask_ring] = true;
            return;
        }
        if (stopped_)
            return;
        moved_ = out.moved != 0;
        if (in.halt_valid != 0)
            halted_ = in.halt_level != 0;
        answered(in, out);
        for (unsigned r = 0; r < kRings; ++r)
            taken(r, out);
        requested(out);
        before_ = out;
    }

    bool finished() const override { return recorded_ != nullptr && at_ == recorded_->size(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    struct Dword {
        uint32_t value = 0;
        bool header = false;
        uint8_t vmid = 0;
    };
    struct Ring {
        std::deque<Dword> queue;
        uint32_t left = 0;  // dwords of the body in the queue
        uint8_t vmid = 0;
        Operation op;  // offered, or at work
        bool known = false, running = false;
        unsigned more = 0;  // operations of its program
        std::deque<uint8_t> events;
    };
    struct Access {
        uint8_t tag = 0;
        uint64_t line = 0;
    };

    void load(In& in) {
        choose_config();
        in.cfg = cfg_;
        in.rst = 1;
        in.table_valid = 1;
        table_entry(loaded_++, in);
    }
    void table_entry(unsigned index, In& in) const {
        const cp::PacketInfo* info =
            index == Pins::kTypeZero ? &table_.type0() : table_.find(static_cast<uint8_t>(index));
        in.table_index = static_cast<uint16_t>(index);
        in.table_fixed = info != nullptr ? info->fixed : uint8_t{0};
    }
    void choose_config() {
        static constexpr uint8_t kEvents[] = {1, 1, 2, 2, 3, 6, 9, 16, 32};
        static constexpr uint8_t kContexts[] = {1, 1, 2, 3, 4, 5, 6, 7};
        cfg_ = cp::me_config_pins(cp::si_spec());
        cfg_.packet_cycles =
            static_cast<uint16_t>(random_.one_in(2)   ? 1
                                  : random_.one_in(4) ? random_.of_any_width(1, 0xffff)
                                                      : 1 + random_.below(4));
        cfg_.events = random_.pick(kEvents);
        cfg_.max_context = random_.pick(kContexts);
    }
    void start_over() {
        rings_ = {};
        hub_.clear();
        l2_.clear();
        reads_.clear();
        caches_.clear();
        written_.clear();
        done_.clear();
        grants_.clear();
        gds_.clear();
        stored_.clear();
        wanted_ = {};
        stopped_ = halted_ = asked_ = closed_in_ = false;
        before_ = {};
    }

    // Cycles in which the engine of a chip sleeps: what it waits for may be far away.
    uint32_t passed_over() {
        if (moved_ || !random_.one_in(8))
            return 0;
        if (random_.one_in(40))
            return random_.of_any_width(0, 1u << 20);
        return random_.below(random_.one_in(4) ? cfg_.packet_cycles + 12u : 12u);
    }
    void control(In& in) {
        in.run = run_flow_.next(random_) || random_.one_in(2) ? 1 : 0;
        in.halt_valid = rare_.one_in(halted_ ? 8 : 500) ? 1 : 0;
        in.halt_level = !halted_ && random_.one_in(2) ? 1 : 0;
        in.limit_valid = rare_.one_in(300) ? 1 : 0;
        in.limit_wait_reg_mem = random_.one_in(3)   ? 0
                                : random_.one_in(8) ? random_.of_any_width(1, ~0u)
                                                    : random_.below(60);
        in.limit_semaphore = random_.one_in(8)             ? random_.word() | 1u << 20
                             : quiet_ || random_.one_in(2) ? 0
                                                           : 20 + random_.below(40);
        // Contexts that no event will give back are soon set again.
        in.ctx_valid = rare_.one_in(closed_in_ ? 40 : 600) ? 1 : 0;
        in.ctx.current = static_cast<uint8_t>(random_.below(8));
        in.ctx.drawn = static_cast<uint8_t>(random_.below(2));
        in.ctx.closed = static_cast<uint8_t>(random_.below(2));
        in.ctx.preamble = static_cast<uint8_t>(random_.below(2));
        in.ctx.in_pipe = closed_in_ || random_.one_in(2)
                             ? uint8_t{0}
                             : static_cast<uint8_t>(random_.word() & random_.word());
        if (in.ctx_valid != 0)
            closed_in_ = in.ctx.in_pipe != 0;
    }

    // ---- queues
    void offer_dword(unsigned r, In& in) {
        Ring& ring = rings_[r];
        if (ring.queue.size() < 4 && (packet_flow_[r].next(random_) || random_.one_in(40)))
            add_packet(ring);
        if (ring.queue.empty() || !meq_flow_[r].next(random_)) {
            in.meq_dword[r] = random_.word();
            return;
        }
        const Dword& dword = ring.queue.front();
        in.meq_valid[r] = 1;
        in.meq_dword[r] = dword.value;
        in.meq_vmid[r] = dword.header ? dword.vmid : static_cast<uint8_t>(random_.word());
    }
    void add_packet(Ring& ring) {
        const bool type0 = random_.one_in(6);
        const cp::PacketInfo& info =
            type0 ? table_.type0()
                  : *packets_[random_.below(static_cast<uint32_t>(packets_.size()))];
        const uint32_t least = std::max<uint32_t>(info.fixed, 1);
        const uint32_t count =
            random_.one_in(3) ? least : least + random_.below(random_.one_in(6) ? 40 : 8);
        Dword header;
        header.header = true;
        header.vmid = random_.one_in(2) ? uint8_t{0} : static_cast<uint8_t>(random_.word());
        header.value = type0 ? cp::make_type0_header(4 * random_.below(0x10000), count)
                             : cp::make_header(info.opcodes[0], count, random_.one_in(4));
        ring.queue.push_back(header);
        for (uint32_t i = 0; i < count; ++i)
            ring.queue.push_back({random_.word()});
    }

    // ---- programs
    void offer_operation(unsigned r, In& in) {
        Ring& ring = rings_[r];
        // Some are there before they are asked for.
        if (!ring.known && !ring.running && random_.one_in(wanted_[r] ? 2 : 4) &&
            before_.phase[r] != static_cast<uint8_t>(MePhase::Header) &&
            before_.phase[r] != static_cast<uint8_t>(MePhase::Collect))
            choose(r);
        Pins::Operations& to = in.op;
        const Operation& op = ring.op;
        to.valid[r] = ring.known ? 1 : 0;
        to.end[r] = op.end ? 1 : 0;
        to.kind[r] = op.kind;
        to.path[r] = op.path ? 1 : 0;
        to.stream[r] = op.stream ? 1 : 0;
        to.kernel[r] = op.kernel ? 1 : 0;
        to.wait[r] = op.wait ? 1 : 0;
        to.dwords[r] = op.dwords;
        to.swap[r] = op.swap;
        to.event_type[r] = op.event_type;
        to.limit[r] = op.limit;
        to.buffer[r] = op.buffer;
        to.gds[r] = op.gds ? 1 : 0;
        to.privileged[r] = op.privileged ? 1 : 0;
        to.of_context[r] = op.of_context ? 1 : 0;
        to.preamble[r] = op.preamble ? 1 : 0;
        to.offset[r] = op.offset;
        to.value[r] = op.value;
        to.cycles[r] = op.cycles;
        to.operand[r] = op.operand;
        to.address[r] = op.address;
        std::copy(op.data.begin(), op.data.end(), to.data.begin() + r * Pins::kWords);
        if (ring.known)
            return;
        to.end[r] = static_cast<uint8_t>(random_.below(2));  // must not matter
        to.kind[r] = static_cast<uint8_t>(random_.below(kKinds));
    }
    void choose(unsigned r) {
        Ring& ring = rings_[r];
        ring.known = true;
        if (ring.more == 0 && !in_program_[r])
            ring.more = random_.below(random_.one_in(4) ? 24 : 6);
        else if (ring.more != 0)
            --ring.more;
        in_program_[r] = true;
        Operation op;
        op.preamble = preamble_ = random_.one_in(30) ? !preamble_ : preamble_;
        op.end = ring.more == 0;
        if (op.end) {
            ring.op = op;
            return;
        }
        op.kind = choose_kind(ring.op);
        op.wait = random_.one_in(2);
        op.path = random_.one_in(2);
        op.kernel = random_.one_in(4);
        op.gds = random_.one_in(4);
        op.buffer = static_cast<uint8_t>(random_.below(2));
        op.event_type = static_cast<uint8_t>(random_.word());
        op.value = random_.word();
        op.offset =
            4 * (random_.one_in(16) ? random_.of_any_width(0, ~0u >> 2) : random_.below(0x10000));
        op.operand = random_.bits();
        op.cycles = random_.one_in(100) ? random_.of_any_width(0, ~0u)
                                        : random_.below(random_.one_in(3) ? 2 : 40);
        op.limit = static_cast<uint8_t>(random_.below(3));
        for (uint32_t& dword : op.data)
            dword = random_.word();
        shape(r, op);
        ring.op = op;
    }
    // Many wait for what the one before has begun.
    uint8_t choose_kind(const Operation& last) {
        const auto before = static_cast<OpKind>(last.kind);
        if (before == OpKind::Eop && last.gds && !random_.one_in(3))
            return static_cast<uint8_t>(OpKind::WaitGdsStore);
        const OpKind wait = before == OpKind::MemWrite     ? OpKind::WaitWrites
                            : before == OpKind::GdsWrite   ? OpKind::WaitGds
                            : before == OpKind::Dma        ? OpKind::WaitDma
                            : before == OpKind::CacheStart ? OpKind::CachePoll
                                                           : before;
        if (wait != before && random_.one_in(3))
            return static_cast<uint8_t>(wait);
        // Other units wait for requests to the GDS.
        if ((before == OpKind::GdsWrite || before == OpKind::GdsAtomic) && random_.one_in(2))
            return static_cast<uint8_t>(random_.one_in(2) ? OpKind::Eop : OpKind::Dma);
        if (before == OpKind::Delay && random_.one_in(2))
            return static_cast<uint8_t>(OpKind::Delay);
        static constexpr OpKind kOften[] = {
            OpKind::RegWrite, OpKind::RegWrite, OpKind::RegWrite, OpKind::MemRead,
            OpKind::MemWrite, OpKind::MemWrite, OpKind::Take,     OpKind::ContextsIdle,
            OpKind::Delay,    OpKind::Delay,    OpKind::Event,    OpKind::Eop};
        return static_cast<uint8_t>(random_.one_in(2) ? random_.pick(kOften)
                                                      : static_cast<OpKind>(random_.below(kKinds)));
    }
    // What the operation needs to make sense.
    void shape(unsigned r, Operation& op) {
        const auto kind = static_cast<OpKind>(op.kind);
        const uint32_t left = rings_[r].left;
        op.address = random_.bits() & ~uint64_t{3} & ~(uint64_t{1} << 63);
        const bool streams = kind == OpKind::RegWrite || kind == OpKind::MemWrite ||
                             kind == OpKind::Take || kind == OpKind::GdsWrite;
        op.stream = streams && left != 0 && (kind == OpKind::Take || random_.one_in(2));
        const uint32_t most = op.stream ? std::min(left, 16u) : 16u;
        switch (kind) {
            case OpKind::RegWrite:
                op.dwords = static_cast<uint8_t>(
                    op.stream && random_.one_in(10) ? 1 + random_.below(most) : 1);
                choose_register(r, op);
                break;
            case OpKind::MemRead:
            case OpKind::MemWrite:
            case OpKind::Take:
                op.dwords = static_cast<uint8_t>(random_.one_in(3) ? 1 : 1 + random_.below(most));
                op.swap = static_cast<uint8_t>(random_.below(4));
                if (kind == OpKind::MemWrite)  // within a line
                    op.address = (op.address & ~uint64_t{63}) | 4 * random_.below(17u - op.dwords);
                break;
            case OpKind::Atomic:
                op.dwords = static_cast<uint8_t>(1 + random_.below(2));
                op.address &= ~uint64_t{4u * op.dwords - 1};
                break;
            case OpKind::GdsRead:
                op.dwords = static_cast<uint8_t>(1 + random_.below(4));
                break;
            case OpKind::GdsWrite:
                op.dwords = static_cast<uint8_t>(1 + random_.below(most));
                break;
            default:
                break;
        }
    }
    void choose_register(unsigned r, Operation& op) {
        const uint32_t how = random_.below(100);
        if (how < 40) {
            op.offset = random_.one_in(4)
                            ? context_[random_.below(4)]
                            : context_[random_.below(static_cast<uint32_t>(context_.size()))];
        } else if (how < 55 && r == 0) {
            op.offset = map_.draw_initiator;
        } else if (how < 62) {
            op.offset = map_.copy_state;
        } else if (how < 70 && !op.stream) {
            op.offset = map_.event_initiator;
            while (map_.events.samples(map_.events.type_of(op.value)))
                op.value = random_.word();
        } else {
            op.offset = 0x8000 + 4 * random_.below(0x40);
        }
        op.of_context = map_.of_context(op.offset);
        op.privileged = rings_[r].vmid != 0 && random_.one_in(3);
    }

    // ---- what other units say
    void offer_memory(std::vector<Access>& list, size_t& chosen, Activity& flow, Pins::Answer& to) {
        for (uint32_t& word : to.data)
            word = random_.word();
        to.line = random_.bits() >> 6;
        if (list.empty() || !flow.next(random_))
            return;
        chosen = random_.below(static_cast<uint32_t>(list.size()));
        to.valid = 1;
        to.tag = list[chosen].tag;
        to.line = list[chosen].line;
    }
    bool offer_ring(std::deque<uint8_t>& list, Activity& flow, uint8_t& ring) {
        ring = static_cast<uint8_t>(random_.below(kRings));
        if (list.empty() || !flow.next(random_))
            return false;
        ring = list.front();
        return true;
    }
    void offer_answers(In& in) {
        offer_memory(hub_, hub_chosen_, hub_answers_, in.hub);
        offer_memory(l2_, l2_chosen_, l2_answers_, in.l2);
        in.read_valid = offer_ring(reads_, answers_[0], in.read_ring) ? 1 : 0;
        in.read_value = random_.word();
        in.cache_valid = offer_ring(caches_, answers_[1], in.cache_ring) ? 1 : 0;
        in.grant_valid = offer_ring(grants_, answers_[2], in.grant_ring) ? 1 : 0;
        in.grant_buffer = static_cast<uint8_t>(random_.below(2));
        in.stored_valid = offer_ring(stored_, answers_[3], in.stored_ring) ? 1 : 0;
        in.gds_valid = offer_ring(gds_, answers_[4], in.gds_tag) ? 1 : 0;
        for (unsigned i = 0; i < 4; ++i) {
            in.gds_row[i] = random_.word();
            in.gds_column[i] = random_.word();
        }
        in.gds_column[0] = in.gds_row[0];
        offer_dma(in);
        in.pipe_ring = static_cast<uint8_t>(random_.below(kRings));
        const bool own = rings_[in.pipe_ring].events.empty();
        in.pipe_valid = own ? (rare_.one_in(500) ? 1 : 0) : pipe_flow_.next(random_) ? 1 : 0;
    }
    // A command is written, then done, or both at once.
    void offer_dma(In& in) {
        in.dma_ring = static_cast<uint8_t>(random_.below(kRings));
        in.dma_written = in.dma_done = 1;
        if (!answers_[5].next(random_))
            return;
        if (!done_.empty() && random_.one_in(2)) {
            in.dma_valid = 1;
            in.dma_ring = done_.front();
            in.dma_written = 0;
        } else if (!written_.empty()) {
            in.dma_valid = 1;
            in.dma_ring = written_.front();
            in.dma_done = static_cast<uint8_t>(random_.below(2));
        }
    }
    void offer_room(In& in) {
        const auto room = [this](unsigned i) {
            return static_cast<uint8_t>(room_[i].next(random_) ? 1 : 0);
        };
        in.hub_ready = room(0);
        in.l2_ready = room(1);
        in.bus_ready = room(2);
        in.cache_ready = room(3);
        in.dma_ready = room(4);
        in.eop_ready = room(5);
        in.trigger_ready = room(6);
        in.gds_ready = room(7);
        in.ce_room = static_cast<uint8_t>(room(8) != 0 ? 1 + random_.below(3) : 0);
    }

    // ---- what has become of a cycle
    void answered(const In& in, const Out& out) {
        const auto erase = [](std::vector<Access>& list, size_t at) {
            list[at] = list.back();
            list.pop_back();
        };
        if (in.hub.valid != 0)
            erase(hub_, hub_chosen_);
        if (in.l2.valid != 0)
            erase(l2_, l2_chosen_);
        if (in.read_valid != 0)
            reads_.pop_front();
        if (in.cache_valid != 0)
            caches_.pop_front();
        if (in.grant_valid != 0)
            grants_.pop_front();
        if (in.stored_valid != 0)
            stored_.pop_front();
        if (in.gds_valid != 0)
            gds_.pop_front();
        if (in.dma_valid != 0 && in.dma_written != 0) {
            if (in.dma_done == 0)
                done_.push_back(written_.front());
            written_.pop_front();
        } else if (in.dma_valid != 0) {
            done_.pop_front();
        }
        std::deque<uint8_t>& events = rings_[in.pipe_ring].events;
        if (out.pipe_ready != 0 && !events.empty())
            events.pop_front();
    }
    void taken(unsigned r, const Out& out) {
        Ring& ring = rings_[r];
        if (out.op_ready[r] != 0) {
            ring.known = false;
            ring.running = !ring.op.end;
            wanted_[r] = false;
            if (ring.op.end)
                in_program_[r] = false;
        }
        if (out.act_valid != 0 && out.act_ring == r)
            ring.running = false;
        if (out.meq_ready[r] == 0)
            return;
        const Dword dword = ring.queue.front();
        ring.queue.pop_front();
        if (out.take_kind == 0) {
            ring.left = cp::header_body_dwords(dword.value);
            ring.vmid = dword.vmid;
            ring.known = false;
            in_program_[r] = false;
        } else {
            --ring.left;
        }
    }
    void requested(const Out& out) {
        const uint8_t acts = out.act_ring;
        const auto tag = static_cast<uint8_t>(out.mem_tag & 0x7f);
        if (out.hub_valid != 0)
            hub_.push_back({tag, out.mem_line});
        if (out.l2_valid != 0)
            l2_.push_back({tag, out.mem_line});
        if (out.bus_valid != 0 && out.bus_write == 0)
            reads_.push_back(out.bus_ring);
        if (out.bus_valid != 0 && out.bus_write != 0 && out.bus_offset == map_.event_initiator)
            rings_[out.bus_ring].events.push_back(0);
        if (out.cache_valid != 0)
            caches_.push_back(acts);
        if (out.dma_valid != 0)
            written_.push_back(acts);
        if (out.ce_valid != 0 && out.act_kind == static_cast<uint8_t>(OpKind::CeWait))
            grants_.push_back(acts);
        if (out.gds_valid != 0)
            gds_.push_back(out.gds_tag);
        if (out.eop_valid != 0 && rings_[acts].op.gds)
            stored_.push_back(acts);
    }

    // ---- coverage
    void add_bins() {
        std::vector<std::string> bins;
        for (unsigned r = 0; r < kRings; ++r)
            for (const char* kind : kKindNames)
                bins.push_back(std::string(ring_name(r)) + ": " + kind);
        kind_ = coverage_.add_group("operation", bins);
        bins.clear();
        for (unsigned r = 0; r < kRings; ++r)
            for (const char* what : {"header", "collected", "operand", "passed over", "asked first",
                                     "asked", "packet ends", "held by microcode", "event passes"})
                bins.push_back(std::string(ring_name(r)) + ": " + what);
        ring_ = coverage_.add_group("ring", bins);
        bins.clear();
        for (unsigned i = 0; i < static_cast<unsigned>(StallReason::kCount); ++i)
            if (i != static_cast<unsigned>(StallReason::QueueFull))
                bins.emplace_back(cp::to_string(static_cast<StallReason>(i)));
        stall_ = coverage_.add_group("stall", bins);
        bins.clear();
        for (const char* purpose :
             {"discarded", "waited for", "end of pipe", "constant engine", "context"})
            bins.emplace_back(purpose);
        purpose_ = coverage_.add_group("event", bins);
        context_bins_ = coverage_.add_group(
            "context", {"closed", "taken", "taken as a copy", "lacking", "drawn with", "set",
                        "written to context 0", "last one follows on the first"});
        memory_ = coverage_.add_group(
            "memory", {"read of two lines", "whole line written", "swapped", "kernel's",
                       "second line of a read", "atomic of two dwords", "both answer one ring"});
        flow_ = coverage_.add_group(
            "flow", {"paused", "halted", "stopped", "rests", "poll too long", "privileged",
                     "two messages of the constant engine", "receiver of an event full",
                     "two rings lack what they wait for", "write numbers wrap",
                     "end of pipe waits for the GDS", "DMA waits for the GDS"});
    }
    void count(const In& in, const Out& out) {
        if (in.rst != 0)
            return;
        hit(out.ask_ring, out.ask_start != 0 ? 4 : 5, out.ask_valid != 0);
        coverage_.hit(flow_, 2, out.stop_valid != 0);
        coverage_.hit(context_bins_, 5, in.ctx_valid != 0);
        if (out.ask_valid != 0 || out.stop_valid != 0)
            return;
        const unsigned stall = out.stall;
        if (stall != static_cast<unsigned>(StallReason::QueueFull))
            coverage_.hit(stall_,
                          stall - (stall > static_cast<unsigned>(StallReason::QueueFull) ? 1 : 0));
        for (unsigned r = 0; r < kRings; ++r) {
            hit(r, out.take_kind, out.meq_ready[r] != 0);
            hit(r, 7, out.phase[r] == static_cast<uint8_t>(MePhase::Microcode) && out.stall == 13);
        }
        hit(out.done_ring, 6, out.done_valid != 0);
        hit(in.pipe_ring, 8, out.pipe_ready != 0);
        if (out.pipe_ready != 0)
            coverage_.hit(purpose_, out.pipe_purpose);
        if (out.act_valid != 0)
            coverage_.hit(kind_, out.act_ring * kKinds + out.act_kind);
        count_contexts(in, out);
        count_memory(in, out);
        coverage_.hit(flow_, 0, in.run == 0);
        coverage_.hit(flow_, 1, halted_);
        coverage_.hit(flow_, 3, out.rest != 0);
        coverage_.hit(flow_, 4, out.event_timeout != 0);
        coverage_.hit(flow_, 5, out.event_privilege != 0);
        coverage_.hit(flow_, 6,
                      out.ce_valid != 0 && out.pipe_ready != 0 &&
                          out.pipe_purpose == static_cast<uint8_t>(EventPurpose::IncrementDe));
        coverage_.hit(flow_, 7, in.pipe_valid != 0 && out.pipe_ready == 0);
        coverage_.hit(flow_, 8, (out.wait[0] != 0) + (out.wait[1] != 0) + (out.wait[2] != 0) >= 2);
        coverage_.hit(flow_, 9, out.mem_command == 1 && out.mem_tag >> 7 == 255);
        if (out.stall == static_cast<uint8_t>(StallReason::Gds))
            for (const Ring& ring : rings_) {
                const bool gds = ring.running && ring.op.gds;
                coverage_.hit(flow_, 10, gds && ring.op.kind == static_cast<uint8_t>(OpKind::Eop));
                coverage_.hit(flow_, 11, gds && ring.op.kind == static_cast<uint8_t>(OpKind::Dma));
            }
    }
    void hit(unsigned r, unsigned bin, bool when) { coverage_.hit(ring_, r * 9 + bin, when); }
    void count_contexts(const In& in, const Out& out) {
        const bool took = before_.ctx_closed != 0 && out.ctx_closed == 0 && in.ctx_valid == 0;
        coverage_.hit(context_bins_, 0, before_.ctx_closed == 0 && out.ctx_closed != 0);
        coverage_.hit(context_bins_, 1, took);
        coverage_.hit(
            context_bins_, 2,
            took && out.bus_valid != 0 && out.bus_offset == map_.copy_state && out.act_valid == 0);
        coverage_.hit(context_bins_, 3, out.stall == static_cast<uint8_t>(StallReason::Context));
        coverage_.hit(context_bins_, 4, before_.ctx_drawn == 0 && out.ctx_drawn != 0);
        coverage_.hit(context_bins_, 6,
                      out.bus_valid != 0 && out.bus_write != 0 && out.bus_context == 0 &&
                          out.ctx_current != 0);
        coverage_.hit(context_bins_, 7,
                      took && out.ctx_current == 1 && before_.ctx_current == cfg_.max_context);
    }
    void count_memory(const In& in, const Out& out) {
        const bool write = out.mem_command == 1;
        const bool any = out.hub_valid != 0 || out.l2_valid != 0;
        coverage_.hit(memory_, 0, any && out.mem_command == 0 && out.act_valid == 0);
        coverage_.hit(memory_, 1, write && out.mem_mask == ~uint64_t{0});
        coverage_.hit(memory_, 2, write && rings_[out.act_ring].op.swap == 1);
        coverage_.hit(memory_, 3, write && rings_[out.act_ring].op.kernel);
        coverage_.hit(memory_, 4,
                      any && out.mem_command == 0 && out.act_valid != 0 &&
                          out.mem_line != rings_[out.act_ring].op.address >> 6);
        coverage_.hit(memory_, 5, out.mem_command == 2 && rings_[out.act_ring].op.dwords == 2);
        coverage_.hit(memory_, 6,
                      in.hub.valid != 0 && in.l2.valid != 0 && (in.hub.tag & 3) == (in.l2.tag & 3));
    }

    const cp::PacketTable& table_ = cp::si_packet_table();
    const cp::RegisterMap& map_ = cp::si_register_map();
    Random random_;
    RareEvents rare_{random_};
    const std::vector<In>* recorded_;
    size_t at_ = 0;
    std::vector<const cp::PacketInfo*> packets_;
    std::vector<uint32_t> context_;  // registers that packets write like others
    unsigned loaded_ = 0;
    Pins::Config cfg_;
    uint64_t now_ = 1'000;
    bool moved_ = false, asked_ = false, stopped_ = false, halted_ = false, preamble_ = false;
    bool quiet_ = false;      // resets are far apart
    bool closed_in_ = false;  // the contexts that were set last wait for events
    std::array<Ring, kRings> rings_;
    std::array<bool, kRings> wanted_{}, in_program_{};
    std::vector<Access> hub_, l2_;
    size_t hub_chosen_ = 0, l2_chosen_ = 0;
    std::deque<uint8_t> reads_, caches_, written_, done_, grants_, gds_, stored_;
    Activity run_flow_, hub_answers_, l2_answers_, pipe_flow_;
    std::array<Activity, kRings> packet_flow_, meq_flow_;
    std::array<Activity, 6> answers_;
    std::array<Activity, 9> room_;
    Out before_;
    Coverage coverage_;
    size_t kind_ = 0, ring_ = 0, stall_ = 0, purpose_ = 0, context_bins_ = 0, memory_ = 0,
           flow_ = 0;
};

struct Parts {
    using Pins = CpMePins;
    using Core = cp::SiMePinCore;
    using Stimulus = MeStimulus;
    using Recording = StepRecording<Parts>;
    using Unit = PinsInChip<CpMePins>;
    static constexpr uint64_t kMaxSteps = 100'000;  // some 1000 bytes each
    static constexpr const char* kDescription = "micro engine of the command processor";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<PinBlock<CpMePins>>(unit.pins);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
