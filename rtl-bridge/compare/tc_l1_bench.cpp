// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of a vector L1: few lines of few sets, which bursts of requests of all kinds meet.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/common/memory_message.h"
#include "models/tc/tc_l1_core.h"
#include "pins/tc_l1_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/cache_bench.h"
#include "rtl-bridge/compare/instance_recording.h"

namespace archipelago::rtl {

template <>
struct OutputRules<TcL1Pins> {
    uint64_t requests = 0, actions = 0;  // open, of the cycles before

    const char* wrong(const TcL1Pins::In& in, const TcL1Pins::Out& out) {
        if (const char* found = wrong_answer(in, out))
            return found;
        return wrong_down(in, out);
    }

  private:
    const char* wrong_answer(const TcL1Pins::In& in, const TcL1Pins::Out& out) {
        for (unsigned lane = 1; lane < TcL1Pins::kLanes; ++lane) {
            if (out.cu_ready[lane] != 0 && out.cu_ready[lane - 1] == 0)
                return "a request is taken before an older one";
            if (out.answer_valid[lane] != 0 && out.answer_valid[lane - 1] == 0)
                return "an answer leaves on a higher lane than the next one";
        }
        for (unsigned lane = 0; lane < TcL1Pins::kLanes; ++lane)
            if (out.answer_valid[lane] != 0 &&
                (out.answer[lane].status > 2 || out.answer[lane].command > 2))
                return "the status or the command of an answer is none";
        unsigned taken = 0, answers = 0;
        for (unsigned lane = 0; lane < TcL1Pins::kLanes; ++lane) {
            taken += in.cu_valid[lane] & out.cu_ready[lane];
            answers += out.answer_valid[lane];
        }
        if (answers > requests)
            return "answer0: a transfer that none at cu0 has asked for";
        if (out.done_valid != 0 && actions == 0)
            return "done: a transfer that none at action has asked for";
        requests += taken - answers;
        actions += (in.action_valid & out.action_ready) - out.done_valid;
        return nullptr;
    }
    static const char* wrong_down(const TcL1Pins::In& in, const TcL1Pins::Out& out) {
        if (out.down_valid == 0)
            return nullptr;
        if (out.down.command > 2 || out.down.atomic > static_cast<uint8_t>(AtomicOp::None) ||
            out.down.client >= kClientsOfCaches)
            return "down_command, down_atomic or down_client is none";
        if ((out.down.tag & tc::kTcpSlotTag) == 0 && out.down.tag >= in.cfg.mshrs)
            return "down_tag has neither bit 31 nor an MSHR below cfg_mshrs";
        return nullptr;
    }
};

namespace {

using Pins = TcL1Pins;
using In = Pins::In;
using Out = Pins::Out;
using Request = Pins::Request;

constexpr auto kRead = static_cast<uint8_t>(MemCommand::Read);
constexpr auto kWrite = static_cast<uint8_t>(MemCommand::Write);
constexpr auto kAtomic = static_cast<uint8_t>(MemCommand::Atomic);
constexpr unsigned kLanes = Pins::kLanes;

// Line and VMID, by which the cache tags.
using Key = std::pair<uint64_t, uint8_t>;
Key key_of(const Request& r) {
    return {r.line, r.vmid & 63};
}

// ---- traffic recorded in a chip

// Compute unit by compute unit. A cycle is some 1100 bytes.
class L1Recording : public InstanceRecording<tc::TcL1Core>, public tc::L1Factory {
  public:
    static constexpr uint64_t kMax = 128'000;
    static constexpr unsigned kMaxUnits = 32;
    explicit L1Recording(uint64_t limit)
        : InstanceRecording(std::max<uint64_t>(std::min(limit, kMax) / kMaxUnits, 1)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<tc::L1Factory>(*this);
    }
    std::unique_ptr<tc::VectorL1> make(const tc::TcpSpec& spec, unsigned cu,
                                       const std::string& name) override {
        return std::make_unique<tc::L1OnPins>(add(cu < kMaxUnits), spec, name);
    }
};

// ---- random traffic

class L1Stimulus : public Stimulus<Pins> {
  public:
    explicit L1Stimulus(const CosimOptions& options) : random_(options.seed), recorded_(options) {
        add_bins();
    }

    void next(In& in) override {
        if (recorded_) {
            in = recorded_.next();
            return;
        }
        if (reset_next_ || random_.one_in(2'000)) {
            begin();
            in = now_;
            return;
        }
        now_.rst = 0;
        ++age_;
        rare_.next_cycle();
        if (pause_left_ > 0)
            --pause_left_;
        else if (rare_.one_in(300))
            pause_left_ = 1 + random_.below(30);
        now_.pause = pause_left_ > 0 ? 1 : 0;
        offer_room();
        offer_requests();
        if (!action_held_ && rare_.one_in(action_every_)) {
            choose_action(now_.action);
            action_held_ = true;
        }
        now_.action_valid = action_held_ && !random_.one_in(50);
        if (!answer_held_ && l2_flow_.next(random_))
            choose_answer();
        now_.l2_valid = answer_held_ && !random_.one_in(50);
        if (!answer_held_ && (age_ == wrong_at_ || rare_.one_in(3'000)))
            choose_wrong_answer();
        in = now_;
    }

    void observe(const In& in, const Out& out) override {
        count(in, out);
        if (in.rst != 0 || recorded_)
            return;
        if (out.error != Pins::kNoError) {
            reset_next_ = true;
            return;
        }
        for (const uint8_t taken : out.cu_ready)
            if (taken != 0)
                held_.pop_front();
        if (in.action_valid != 0 && out.action_ready != 0)
            action_held_ = false;
        if (in.l2_valid != 0 && out.l2_ready != 0)
            answer_held_ = false;
        if (out.down_valid != 0)
            sent_.add(out.down.tag, age_ + 1 + random_.below(l2_delay_));
    }

    bool finished() const override { return recorded_.finished(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    // ---- a configuration

    // A reset, another configuration, other lines.
    void begin() {
        Pins::Config c;
        if (!random_.one_in(4))
            choose_config(c);
        now_.cfg = c;
        now_.rst = 1;
        reset_next_ = false;
        action_held_ = answer_held_ = false;
        held_.clear();
        sent_.clear();
        pause_left_ = 0;
        age_ = 0;
        // Before anything was sent, every answer is wrong.
        wrong_at_ = random_.one_in(12) ? 1 : 0;
        static constexpr uint32_t kDelays[] = {1, 3, 30, 200};
        l2_delay_ = random_.pick(kDelays);
        static constexpr uint32_t kActions[] = {15, 60, 60, 400, 2000};
        action_every_ = random_.pick(kActions);
        static constexpr unsigned kFailures[] = {0, 0, 6, 25};
        failing_ = random_.pick(kFailures);
        static constexpr unsigned kShares[] = {2, 10, 10, 30};
        writes_ = random_.pick(kShares);
        atomics_ = random_.pick(kShares);
        glc_ = random_.pick(kShares);
        repeats_ = random_.below(90);
        const bool flood = random_.one_in(5);  // of misses, until no MSHR is free
        if (flood) {
            l2_delay_ = 400;
            writes_ = atomics_ = 2;
            repeats_ = 5;
        }
        choose_lines(flood ? 200 : 4 + random_.below(random_.one_in(3) ? 150 : 20));
    }
    void choose_config(Pins::Config& c) {
        static constexpr uint8_t kSetBits[] = {0, 0, 1, 2, 3, 4, 5, 6};
        static constexpr uint8_t kMshrs[] = {1, 2, 3, 8, 40, 100, 127, 128};
        static constexpr uint16_t kOrders[] = {1, 2, 3, 5, 9, 40, 100, 255, 256};
        static constexpr uint8_t kCycles[] = {1, 1, 2, 3, 5, 16, 40};
        c.set_mask = static_cast<uint8_t>((1u << random_.pick(kSetBits)) - 1);
        c.set_hash = static_cast<uint8_t>(random_.one_in(2) ? 0 : 7 + random_.below(57));
        c.lookups = static_cast<uint8_t>(1 + random_.below(kLanes));
        c.mshrs = random_.pick(kMshrs);
        c.order = random_.pick(kOrders);
        for (uint8_t* cycles : {&c.hit, &c.fill, &c.ack, &c.invalidate})
            *cycles = random_.one_in(12) ? static_cast<uint8_t>(random_.of_any_width(1, 0xff))
                                         : random_.pick(kCycles);
    }
    // Lines of some sets, more than these hold, near each other and far apart, of some VMIDs.
    void choose_lines(size_t many) {
        keys_.clear();
        const uint64_t base = random_.bits() >> (6 + random_.below(50));
        const uint64_t sets = random_.one_in(2) ? 0 : random_.below(4);
        const auto vmid = static_cast<uint8_t>(random_.below(63));
        while (keys_.size() < many) {
            uint64_t line = random_.bits() >> (6 + random_.below(40));
            if (random_.one_in(2))
                line = base + (line & 0xffff);
            line = ((line & ~uint64_t{sets != 0 ? 63u : 0u}) | (line & sets)) & kLineMask;
            if (random_.one_in(4) && !keys_.empty())  // one that differs in its upper bits only
                line = keys_.back().first ^ uint64_t { random_.below(128) } << 51;
            const bool other = random_.one_in(4);
            if (random_.one_in(6) && !keys_.empty())  // the same of another VMID
                line = keys_.back().first;
            keys_.emplace_back(line, other ? static_cast<uint8_t>(random_.below(63)) : vmid);
        }
    }

    // ---- a cycle

    void offer_room() {
        const bool room = answer_flow_.next(random_);
        const uint32_t most = random_.one_in(4) ? random_.below(kLanes + 1) : kLanes;
        for (unsigned lane = 0; lane < kLanes; ++lane)
            now_.answer_ready[lane] = room && (lane < most || random_.one_in(8)) ? 1 : 0;
        now_.down_ready = down_flow_.next(random_) ? 1 : 0;
        now_.done_ready = done_flow_.next(random_) ? 1 : 0;
    }
    void offer_requests() {
        if (cu_flow_.next(random_))
            while (held_.size() < kLanes && !random_.one_in(8)) {
                held_.emplace_back();
                choose(held_.back());
            }
        const bool none = random_.one_in(50);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            now_.cu_valid[lane] = lane < held_.size() && !none && !random_.one_in(50);
            if (lane < held_.size())
                now_.cu[lane] = held_[lane];
        }
    }

    void choose(Request& r) {
        const auto n = static_cast<uint32_t>(keys_.size());
        if (!random_.percent(repeats_))
            key_ = keys_[random_.one_in(3) ? random_.below(std::min(n, 4u)) : random_.below(n)];
        r.line = key_.first;
        r.vmid =
            static_cast<uint8_t>(key_.second | (random_.one_in(30) ? random_.below(4) << 6 : 0));
        const uint32_t kind = random_.below(100);
        r.command = kind < atomics_ ? kAtomic : kind < atomics_ + writes_ ? kWrite : kRead;
        r.mask = some_mask();
        r.atomic = static_cast<uint8_t>(random_.below(static_cast<uint32_t>(AtomicOp::None) + 1));
        r.bytes = random_.one_in(20)  ? static_cast<uint8_t>(random_.word())
                  : random_.one_in(2) ? 4
                                      : 8;
        r.client = static_cast<uint8_t>(random_.below(kClientsOfCaches));
        r.glc = random_.percent(glc_) ? 1 : 0;
        r.slc = random_.one_in(4) ? 1 : 0;
        r.through = random_.one_in(5) ? 1 : 0;
        r.returns = random_.one_in(3) ? 0 : 1;
        r.source = static_cast<uint16_t>(random_.word());
        r.port = static_cast<uint16_t>(random_.word());
        r.tag = random_.word();
        r.uid = random_.bits();
        r.compare = random_.bits();
        fill(r.data);
    }
    uint64_t some_mask() {
        switch (random_.below(4)) {
            case 0:
                return ~uint64_t{0};
            case 1:
                return uint64_t{0xf} << 4 * random_.below(16);
            case 2:
                return random_.bits();
            default:
                return random_.one_in(8) ? 0 : uint64_t{1} << random_.below(64);
        }
    }
    void fill(Pins::Data& data) {
        for (size_t i = 0; i < data.size(); i += 2) {
            const uint64_t x = random_.bits();
            data[i] = static_cast<uint32_t>(x);
            data[i + 1] = static_cast<uint32_t>(x >> 32);
        }
    }

    uint64_t some_line() {
        return keys_[random_.below(static_cast<uint32_t>(keys_.size()))].first * kLineBytes;
    }
    void choose_action(Pins::Action& a) {
        a.invalidate = random_.one_in(6) ? 0 : 1;
        a.tag = random_.word();
        const uint64_t first = some_line();
        const uint64_t last = some_line();
        choose_range(random_, first, last, a);
    }

    void choose_answer() {
        if (!sent_.take(random_, age_, now_.l2_tag))
            return;
        now_.l2_status = random_.percent(failing_) ? static_cast<uint8_t>(1 + random_.below(2)) : 0;
        fill(now_.l2_data);
        answer_held_ = true;
    }
    // One that no message can have asked for.
    void choose_wrong_answer() {
        uint32_t tag = random_.one_in(2) ? tc::kTcpSlotTag : 0;
        switch (random_.below(5)) {
            case 0:
                tag |= random_.below(4);
                break;
            case 1:
                tag |= random_.below(300);
                break;
            case 2:  // the slot of a read that waits for a fill
                tag = tc::kTcpSlotTag | (open_.empty() ? 0 : open_.begin()->second.slot);
                break;
            case 3:  // one that is asked for, but for bits above it
                tag = (sent_.empty() ? tag : sent_.oldest()) | 0x100u << random_.below(20);
                break;
            default:
                tag |= random_.word();
                break;
        }
        if (sent_.has(tag))
            return;
        now_.l2_status = static_cast<uint8_t>(random_.below(3));
        now_.l2_tag = tag;
        now_.l2_valid = 1;
    }

    // ---- coverage

    void add_bins() {
        event_ = coverage_.add_group("event", {"read hit",
                                               "four hits in a cycle",
                                               "read miss",
                                               "read merged",
                                               "four merged in a cycle",
                                               "hits, merged and a miss in a cycle",
                                               "glc read",
                                               "glc read of a line that was hit before",
                                               "glc read of a line on its way",
                                               "write of a line that is here",
                                               "write of a line on its way",
                                               "write of another line",
                                               "empty write",
                                               "atomic of a line that was hit before",
                                               "atomic of a line on its way",
                                               "atomic of another line",
                                               "line kept",
                                               "line out of date",
                                               "line refused",
                                               "line replaced",
                                               "four requests served by a line",
                                               "write or atomic refused",
                                               "four answers in a cycle",
                                               "request behind a slot of the last lane"});
        stall_ = coverage_.add_group("stall", {"MSHR", "order", "L2", "behind a hit"});
        error_ = coverage_.add_group(
            "error", {"fill unknown", "answer unknown", "answer to a read that waits for a fill"});
        action_ = coverage_.add_group(
            "action",
            {"nothing", "invalidation", "everything", "no bytes", "some lines",
             "across the end of addresses", "done in the cycle it came", "done later",
             "waits for a fill", "done with younger fills in flight", "several lines dropped",
             "begins in the cycle of a fill", "begins in the cycle of a hit"});
        flow_ = coverage_.add_group(
            "flow", {"request waits", "action waits", "a hole in the requests",
                     "a hole in the room for answers", "no room for answers", "room for two",
                     "no room towards L2", "no room for done", "paused with a request",
                     "paused with an action", "reset with something inside", "idle", "waits for L2",
                     "request, answer and message in a cycle"});
        config_ =
            coverage_.add_group("configuration", {"of tahiti", "one set", "all sets", "one MSHR",
                                                  "one slot", "one lookup", "hit of one cycle",
                                                  "256 slots in use", "128 MSHRs in use"});
    }

    void count_reset(const Pins::Config& c) {
        coverage_.hit(flow_, 10, inside_);
        coverage_.hit(config_, 0, c == Pins::Config{});
        coverage_.hit(config_, 1, c.set_mask == 0);
        coverage_.hit(config_, 2, c.set_mask == 63);
        coverage_.hit(config_, 3, c.mshrs == 1);
        coverage_.hit(config_, 4, c.order == 1);
        coverage_.hit(config_, 5, c.lookups == 1);
        coverage_.hit(config_, 6, c.hit == 1);
        inside_ = false;
        open_.clear();
        order_ = tail_ = 0;
        hit_ = {};
    }
    void count(const In& in, const Out& out) {
        if (in.rst != 0) {
            count_reset(in.cfg);
            return;
        }
        inside_ = out.error == 0 && out.idle == 0;
        if (out.error != 0) {
            coverage_.hit(error_, out.error - 1u);
            coverage_.hit(error_, 2, std::any_of(open_.begin(), open_.end(), [&](const auto& o) {
                              return (o.second.slot | tc::kTcpSlotTag) == in.l2_tag;
                          }));
            return;
        }
        count_answer_of_l2(in, out);
        count_action(in, out);
        count_requests(in, out);
        count_flow(in, out);
    }
    void count_answer_of_l2(const In& in, const Out& out) {
        const Pins::Events& e = out.event;
        coverage_.hit(event_, 16, e.fills != 0);
        coverage_.hit(event_, 17, e.dropped_fills != 0 && in.l2_status == 0);
        coverage_.hit(event_, 18, e.dropped_fills != 0 && in.l2_status != 0);
        coverage_.hit(event_, 19, e.evictions != 0);
        coverage_.hit(event_, 20, e.released >= 4);
        coverage_.hit(event_, 21, e.failed_accesses != 0 && (in.l2_tag & tc::kTcpSlotTag) != 0);
        if (out.l2_ready != 0)
            open_.erase(in.l2_tag);
    }
    void count_action(const In& in, const Out& out) {
        coverage_.hit(action_, 7, out.done_valid != 0 && out.action_ready == 0);
        coverage_.hit(action_, 9, out.done_valid != 0 && !open_.empty() && out.action_ready == 0);
        coverage_.hit(action_, 10, out.event.invalidated_lines > 2);
        if (out.action_ready == 0) {
            coverage_.hit(action_, 8, acting_ && in.done_ready != 0 && out.done_valid == 0);
            acting_ = acting_ && out.done_valid == 0;
            return;
        }
        acting_ = out.done_valid == 0;
        const Pins::Action& a = in.action;
        const uint64_t end = a.base + a.size - 1;
        coverage_.hit(action_, a.invalidate);
        coverage_.hit(action_, 2, a.size == ~uint64_t{0});
        coverage_.hit(action_, 3, a.size == 0);
        coverage_.hit(action_, 4, a.size != 0 && end >= a.base);
        coverage_.hit(action_, 5, a.size != 0 && ~a.size != 0 && end < a.base);
        coverage_.hit(action_, 6, out.done_valid != 0);
        coverage_.hit(action_, 11, a.invalidate != 0 && out.event.fills != 0);
        coverage_.hit(action_, 12, a.invalidate != 0 && out.event.read_hits != 0);
    }
    void count_requests(const In& in, const Out& out) {
        const Pins::Events& e = out.event;
        coverage_.hit(event_, 0, e.read_hits != 0);
        coverage_.hit(event_, 1, e.read_hits == kLanes);
        coverage_.hit(event_, 2, e.read_misses != 0);
        coverage_.hit(event_, 3, e.read_merged != 0);
        coverage_.hit(event_, 4, e.read_merged == kLanes);
        coverage_.hit(event_, 5, e.read_hits != 0 && e.read_merged != 0 && e.read_misses != 0);
        unsigned taken = 0;
        for (; taken < kLanes && out.cu_ready[taken] != 0; ++taken) {
            if (e.read_hits > taken)
                hit_ = key_of(in.cu[taken]);
        }
        if (out.down_valid != 0)
            count_sent(in.cu[taken - 1], out, (tail_ + taken - 1) % in.cfg.order);
        tail_ = (tail_ + taken) % in.cfg.order;
        order_ += taken;
        coverage_.hit(event_, 23, taken == kLanes && order_ > kLanes);
        coverage_.hit(config_, 7, order_ == Pins::kOrder);
        for (const uint8_t leaves : out.answer_valid)
            order_ -= leaves;
        coverage_.hit(event_, 22, out.answer_valid[kLanes - 1] != 0);
        coverage_.hit(stall_, out.stall, out.stall < 3);
        coverage_.hit(stall_, 3, out.stall < 3 && e.read_hits != 0);
    }
    void count_sent(const Request& r, const Out& out, uint32_t slot) {
        const Pins::Events& e = out.event;
        const Key key = key_of(r);
        const bool on_its_way = std::any_of(open_.begin(), open_.end(),
                                            [&](const auto& o) { return o.second.key == key; });
        const bool was_hit = hit_ == key;
        coverage_.hit(event_, 6, e.glc_reads != 0);
        coverage_.hit(event_, 7, e.glc_reads != 0 && was_hit);
        coverage_.hit(event_, 8, e.glc_reads != 0 && on_its_way);
        coverage_.hit(event_, 9, e.write_hits != 0);
        coverage_.hit(event_, 10, e.writes != 0 && on_its_way);
        coverage_.hit(event_, 11, e.writes != 0 && e.write_hits == 0 && !on_its_way);
        coverage_.hit(event_, 12, e.writes != 0 && r.mask == 0);
        coverage_.hit(event_, 13, e.atomics != 0 && was_hit);
        coverage_.hit(event_, 14, e.atomics != 0 && on_its_way);
        coverage_.hit(event_, 15, e.atomics != 0 && !was_hit && !on_its_way);
        if (e.writes == 0 && was_hit)
            hit_ = {};
        if (r.command == kRead)
            open_[out.down.tag] = {key, slot};
        coverage_.hit(config_, 8, open_.size() == Pins::kMshrs);
    }
    void count_flow(const In& in, const Out& out) {
        const bool room = in.answer_ready[0] != 0;
        coverage_.hit(flow_, 0, in.cu_valid[0] != 0 && out.cu_ready[0] == 0);
        coverage_.hit(flow_, 1, in.action_valid != 0 && out.action_ready == 0);
        coverage_.hit(flow_, 2, in.cu_valid[1] == 0 && (in.cu_valid[2] | in.cu_valid[3]) != 0);
        coverage_.hit(flow_, 3, in.answer_ready[0] == 0 && in.answer_ready[1] != 0);
        coverage_.hit(flow_, 4, !room && out.waits == 0);
        coverage_.hit(
            flow_, 5,
            in.answer_ready[1] != 0 && in.answer_ready[2] == 0 && out.answer_valid[1] != 0);
        coverage_.hit(flow_, 6, in.down_ready == 0 && in.cu_valid[0] != 0);
        coverage_.hit(flow_, 7, in.done_ready == 0 && acting_);
        coverage_.hit(flow_, 8, in.pause != 0 && in.cu_valid[0] != 0);
        coverage_.hit(flow_, 9, in.pause != 0 && in.action_valid != 0);
        coverage_.hit(flow_, 11, out.idle != 0);
        coverage_.hit(flow_, 12, out.idle == 0 && out.waits != 0);
        coverage_.hit(flow_, 13,
                      out.cu_ready[0] != 0 && out.answer_valid[0] != 0 && out.down_valid != 0);
    }

    static constexpr uint64_t kLineMask = ~uint64_t{0} >> 6;

    Random random_;
    RareEvents rare_{random_};
    Replay<tc::TcL1Core> recorded_;
    In now_;
    Activity cu_flow_, l2_flow_, answer_flow_, down_flow_, done_flow_;
    bool reset_next_ = true, action_held_ = false, answer_held_ = false;
    std::deque<Request> held_;
    std::vector<Key> keys_;
    Key key_;
    SentBelow sent_;
    uint64_t age_ = 0, wrong_at_ = 0;
    uint32_t l2_delay_ = 1, action_every_ = 1, pause_left_ = 0;
    unsigned failing_ = 0, writes_ = 0, atomics_ = 0, glc_ = 0, repeats_ = 0;  // percent
    Coverage coverage_;
    size_t event_ = 0, stall_ = 0, error_ = 0, action_ = 0, flow_ = 0, config_ = 0;
    // For coverage.
    bool inside_ = false, acting_ = false;
    struct Open {
        Key key;
        uint32_t slot;
    };
    std::map<uint32_t, Open> open_;  // lines on their way, by MSHR
    uint32_t tail_ = 0;              // slot of the next request
    uint32_t order_ = 0;             // requests not yet answered
    Key hit_;                        // the line hit last
};

// ---- what stands downstream of an L1 of other latencies: an L2

class L1World final : public ElasticWorld {
  public:
    explicit L1World(const CosimOptions& options) : recorded_(options.recording != nullptr) {}

    void reset() override {
        lines_.clear();
        asked_.clear();
        answers_.clear();
        actions_ = 0;
    }
    void drive(void* pins, Random& random) override {
        In& in = *static_cast<In*>(pins);
        const bool there = answers_.next(random, [&](const AnswerBelow& a) {
            in.l2_tag = a.tag;
            in.l2_status = a.status;
            in.l2_data = a.data;
        });
        in.l2_valid = there ? 1 : 0;
    }
    void observe(const void* in_pins, const void* out_pins) override {
        const In& in = *static_cast<const In*>(in_pins);
        const Out& out = *static_cast<const Out*>(out_pins);
        if (in.l2_valid != 0 && out.l2_ready != 0)
            answers_.taken();
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            if (in.cu_valid[lane] != 0 && out.cu_ready[lane] != 0)
                asked_.emplace_back(in.cu[lane]);
            leaves_[lane] = in.answer_ready[lane] != 0 && out.answer_valid[lane] != 0;
        }
        if (in.down_ready != 0 && out.down_valid != 0)
            serve(out.down);
        actions_ += in.action_valid != 0 && out.action_ready != 0;
        actions_ -= in.done_ready != 0 && out.done_valid != 0;
    }
    bool quiet() const override { return answers_.empty() && actions_ == 0; }
    // Bytes that were not asked for are not compared.
    void trim(void* pins) override {
        Out& out = *static_cast<Out*>(pins);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            if (!leaves_[lane] || asked_.empty())
                continue;
            asked_.front().trim(out.answer[lane]);
            asked_.pop_front();
        }
    }
    const char* flush(void* pins) const override {
        In& in = *static_cast<In*>(pins);
        in.action = {0, 1, 0, ~uint64_t{0}, 0xf1054ed};
        return "action";
    }
    std::string difference(const ElasticWorld& world) const override {
        return lines_.difference(dynamic_cast<const L1World&>(world).lines_, "at the end", "L2");
    }

  private:
    bool is_absent(uint64_t line) const {
        return !recorded_ && ((line / 64) * 0x9e3779b97f4a7c15u >> 60) == 0;
    }
    // In the order in which they come.
    void serve(const Request& r) {
        const bool absent = is_absent(r.line);
        AnswerBelow answer{
            r.tag, static_cast<uint8_t>(absent ? MemStatus::Unmapped : MemStatus::Ok), {}};
        if (r.command != kWrite && !absent)
            answer.data = lines_.at(key_of(r));
        if (r.command != kRead && !absent)
            lines_.write(key_of(r), r);
        answers_.add(answer);
    }

    bool recorded_;
    LinesBelow<Key> lines_;         // each VMID has lines of its own
    std::deque<AskedBytes> asked_;  // in the order of the requests
    LateAnswers<AnswerBelow> answers_;
    std::array<bool, kLanes> leaves_{};
    int actions_ = 0;  // begun and not done
};

// ---- in a chip: a twin for each compute unit

class L1Swap : public TwinsSwap<Pins, tc::TcL1Core>, public tc::L1Factory {
  public:
    using TwinsSwap::TwinsSwap;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<tc::L1Factory>(*this);
    }
    std::unique_ptr<tc::VectorL1> make(const tc::TcpSpec& spec, unsigned cu,
                                       const std::string& name) override {
        return std::make_unique<tc::L1OnPins>(twin(cu), spec, name);
    }
};

struct Parts {
    using Pins = TcL1Pins;
    using Core = tc::TcL1Core;
    using Stimulus = L1Stimulus;
    using Recording = L1Recording;
    using Swap = L1Swap;
    using World = L1World;
    static constexpr const char* kDescription = "vector L1 cache of a compute unit";
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
