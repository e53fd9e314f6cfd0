// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of an L2 channel.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <set>

#include "models/asic/chip_options.h"
#include "models/common/memory_message.h"
#include "models/tc/tc_l2_bank_core.h"
#include "pins/tc_l2_bank_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/cache_bench.h"
#include "rtl-bridge/compare/instance_recording.h"

namespace archipelago::rtl {

template <>
struct OutputRules<TcL2BankPins> {
    uint64_t requests = 0, actions = 0;  // open, of the cycles before

    const char* wrong(const TcL2BankPins::In& in, const TcL2BankPins::Out& out) {
        const bool taken = in.fabric_valid != 0 && out.fabric_ready != 0;
        if ((out.fetch_valid != 0 || out.event.waited != 0) && !taken)
            return "fetch_valid or event_waited without a request that is taken";
        if (out.fetch_valid != 0 && out.fetch_miss >= in.cfg.mshrs)
            return "fetch_miss is not below cfg_mshrs";
        if (out.stall > static_cast<uint8_t>(tc::TccStall::kCount))
            return "state_stall is none of TccStall";
        if (out.answer_valid != 0 && (out.answer.status > 2 || out.answer.command > 2))
            return "answer_status or answer_command is none";
        if (out.down_valid != 0 && out.down.command > 1)
            return "down_command is neither a read nor a write";
        if (out.down_valid != 0 && !is_tag_of(out.down, in.cfg.mshrs))
            return "down_tag: a read has kind 0 and a number below cfg_mshrs, a write kind 1 or 2";
        if (out.answer_valid != 0 && requests == 0)
            return "answer: a transfer that none at fabric has asked for";
        if (out.done_valid != 0 && actions == 0)
            return "done: a transfer that none at action has asked for";
        requests += (taken ? 1u : 0u) - out.answer_valid;
        actions += (in.action_valid & out.action_ready) - out.done_valid;
        return nullptr;
    }

  private:
    static bool is_tag_of(const TcL2BankPins::Request& down, unsigned mshrs) {
        const uint32_t kind = down.tag & tc::kTccTagKind;
        if (down.command == static_cast<uint8_t>(MemCommand::Read))
            return kind == tc::kTccFillTag && (down.tag & ~tc::kTccTagKind) < mshrs;
        return kind == tc::kTccWriteBackTag || kind == tc::kTccWriteThroughTag;
    }
};

namespace {

using Pins = TcL2BankPins;
using In = Pins::In;
using Out = Pins::Out;
using Request = Pins::Request;

constexpr auto kRead = static_cast<uint8_t>(MemCommand::Read);
constexpr auto kWrite = static_cast<uint8_t>(MemCommand::Write);
constexpr auto kAtomic = static_cast<uint8_t>(MemCommand::Atomic);
constexpr unsigned kOps = static_cast<unsigned>(AtomicOp::None);
constexpr const char* kOpNames[kOps] = {"swap", "cmpswap", "add",      "sub",  "rsub", "smin",
                                        "umin", "smax",    "umax",     "and",  "or",   "xor",
                                        "inc",  "dec",     "fcmpswap", "fmin", "fmax"};

// Of these, fabric_mapped says nothing.
bool passes_through(const Request& r) {
    return r.command == kWrite && r.through != 0;
}

// ---- traffic recorded in a chip

// Channel by channel. A cycle is some 400 bytes.
class L2Recording : public InstanceRecording<tc::TcL2BankCore>, public tc::L2Factory {
  public:
    static constexpr uint64_t kMax = 240'000;
    static constexpr uint64_t kMaxChannels = 12;
    explicit L2Recording(uint64_t limit)
        : InstanceRecording(std::max<uint64_t>(std::min(limit, kMax) / kMaxChannels, 1)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<tc::L2Factory>(*this);
    }
    std::unique_ptr<tc::L2Channel> make(const tc::TccSpec& spec, const mc::ChannelMapSpec& map,
                                        const tc::PageCheck* pages, unsigned channel,
                                        const std::string& name) override {
        return std::make_unique<tc::L2OnPins>(add(channel < kMaxChannels), spec, map, pages,
                                              channel, name);
    }
};

// ---- random traffic

// Few values, so that they meet each other in comparisons.
class Values {
  public:
    explicit Values(Random& random) : random_(random) {}
    uint32_t word() {
        static constexpr uint32_t kWords[] = {0,          1,          2,          0x80000000,
                                              0x80000001, 0x7fffffff, 0xffffffff, 0x7f800000,
                                              0xff800000, 0x7fc00001, 0xff800001, 0x00000003,
                                              0x3f800000, 0xbf800000, 0x40000000, 0xc0000000};
        return random_.percent(70) ? random_.pick(kWords) : random_.word();
    }
    uint64_t pair() {
        static constexpr uint64_t kPairs[] = {0,
                                              1,
                                              0x8000000000000000,
                                              0x8000000000000001,
                                              0x7fffffffffffffff,
                                              0xffffffffffffffff,
                                              0x7ff0000000000000,
                                              0xfff0000000000000,
                                              0x7ff0000000000001,
                                              0xfff8000000000000,
                                              0x3ff0000000000000,
                                              0xbff0000000000000};
        return random_.percent(60) ? random_.pick(kPairs)
                                   : uint64_t{word()} | uint64_t{word()} << 32;
    }
    void data(Pins::Data& data) {
        if (random_.one_in(2)) {
            for (uint32_t& x : data)
                x = word();
        } else {
            for (size_t i = 0; i < data.size(); i += 2) {
                const uint64_t x = pair();
                data[i] = static_cast<uint32_t>(x);
                data[i + 1] = static_cast<uint32_t>(x >> 32);
            }
        }
    }

  private:
    Random& random_;
};

class L2Stimulus : public Stimulus<Pins> {
  public:
    explicit L2Stimulus(const CosimOptions& options)
        : random_(options.seed), values_(random_), recorded_(options) {
        std::vector<std::string> bins;
        for (const char* size : {" of 32 bits", " of 64 bits"})
            for (const char* op : kOpNames)
                bins.push_back(op + std::string(size));
        atomic_ = coverage_.add_group("atomic", bins);
        event_ = coverage_.add_group("event", {"read hit",
                                               "read miss",
                                               "partial fill",
                                               "write hit",
                                               "write allocates",
                                               "write-through of a line that is here",
                                               "write-through of a line that is not",
                                               "write to no page",
                                               "malformed atomic",
                                               "several operands",
                                               "atomic that returns nothing",
                                               "request joins a fill",
                                               "fill fails",
                                               "fill brings a line",
                                               "clean line replaced",
                                               "dirty line replaced",
                                               "two write-backs in a cycle",
                                               "two reads answered in a cycle",
                                               "several lines invalidated",
                                               "line with dirty bytes kept by an invalidation",
                                               "empty write",
                                               "fetch in the cycle of a fill",
                                               "read merged"});
        stall_ = coverage_.add_group(
            "stall", {"MSHR", "waiting", "set", "memory", "write-through", "response"});
        error_ =
            coverage_.add_group("error", {"write-back refused", "write-back unknown",
                                          "write-through unknown", "fill unknown", "foreign tag"});
        action_ = coverage_.add_group(
            "action", {"nothing", "write-back", "invalidation", "both", "everything", "no bytes",
                       "some lines", "across the end of addresses", "done in the cycle it came",
                       "done later", "with fills in flight", "with write-throughs in flight"});
        flow_ = coverage_.add_group(
            "flow",
            {"request waits", "answer of memory waits", "action waits", "no room for answers",
             "no room towards memory", "no room for done", "paused with a request",
             "paused with an action", "reset with something inside", "idle", "waits for memory",
             "request, answer and message in a cycle"});
        config_ = coverage_.add_group(
            "configuration",
            {"of tahiti", "twelve channels", "one set", "all sets", "one MSHR",
             "one waiting request", "one answer", "walk of one line", "atomics of several cycles"});
    }

    void next(In& in) override {
        if (recorded_) {
            in = recorded_.next();
            return;
        }
        if (reset_next_ || random_.one_in(2500)) {
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
        now_.answer_ready = answer_flow_.next(random_) ? 1 : 0;
        now_.down_ready = down_flow_.next(random_) ? 1 : 0;
        now_.done_ready = done_flow_.next(random_) ? 1 : 0;

        if (!request_held_ && fabric_flow_.next(random_)) {
            choose(now_.fabric);
            request_held_ = true;
        }
        now_.fabric_valid = request_held_ && !random_.one_in(50);
        if (now_.fabric_valid == 0)
            now_.fabric_mapped = random_.below(2);
        else
            now_.fabric_mapped =
                passes_through(now_.fabric) ? now_.fabric.tag & 1 : is_mapped(now_.fabric.line);

        if (!action_held_ && rare_.one_in(action_every_)) {
            choose_action(now_.action);
            action_held_ = true;
        }
        now_.action_valid = action_held_ && !random_.one_in(50);

        if (!answer_held_ && memory_flow_.next(random_))
            choose_answer();
        now_.memory_valid = answer_held_ && !random_.one_in(50);
        if (!answer_held_ && (age_ == wrong_at_ || rare_.one_in(8'000)))
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
        if (in.fabric_valid != 0 && out.fabric_ready != 0)
            request_held_ = false;
        if (in.action_valid != 0 && out.action_ready != 0)
            action_held_ = false;
        if (in.memory_valid != 0 && out.memory_ready != 0)
            answer_held_ = false;
        if (out.down_valid != 0) {
            const uint64_t delay = memory_delay_ == 0 ? 1 : 1 + random_.below(memory_delay_);
            sent_.add(out.down.tag, age_ + delay);
        }
    }

    bool finished() const override { return recorded_.finished(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    // A reset, another configuration, other lines.
    void begin() {
        const bool defaults = random_.one_in(4);
        Pins::Config c;
        c.channel = static_cast<uint16_t>(random_.word());
        c.tahiti = random_.one_in(2) || defaults;
        if (!defaults) {
            c.channel_bits = c.tahiti != 0 ? 0 : static_cast<uint8_t>(random_.below(7));
            c.block_shift = static_cast<uint8_t>(random_.one_in(2) ? 2 : random_.below(15));
            static constexpr uint8_t kSetBits[] = {0, 1, 2, 3, 4, 5, 6, 7};
            static constexpr uint8_t kMshrs[] = {1, 2, 3, 8, 40, 77, 127, 128};
            static constexpr uint8_t kEntries[] = {1, 2, 4, 8, 16, 50, 127, 128};
            static constexpr uint8_t kMemory[] = {2, 3, 4, 8, 16, 31, 32, 32};
            static constexpr uint8_t kThroughs[] = {1, 2, 3, 16};
            static constexpr uint8_t kWalks[] = {1, 3, 5, 15, 16, 16};
            static constexpr uint8_t kCycles[] = {1, 1, 2, 5, 16, 40};
            static constexpr uint8_t kAtomics[] = {1, 1, 2, 3, 7, 20};
            c.set_mask = static_cast<uint8_t>((1u << random_.pick(kSetBits)) - 1);
            c.set_hash = static_cast<uint8_t>(random_.one_in(2) ? 0 : 7 + random_.below(57));
            c.mshrs = random_.pick(kMshrs);
            c.waiting = random_.pick(kEntries);
            c.answers = random_.pick(kEntries);
            c.memory = random_.pick(kMemory);
            c.throughs = random_.one_in(3)
                             ? static_cast<uint8_t>(1 + random_.below(Pins::kThroughs))
                             : random_.pick(kThroughs);
            c.walk = random_.pick(kWalks);
            c.hit = random_.pick(kCycles);
            c.fill = random_.pick(kCycles);
            c.ack = random_.pick(kCycles);
            c.atomic = random_.pick(kAtomics);
            if (random_.one_in(3)) {
                uint8_t* const times[] = {&c.hit, &c.fill, &c.ack, &c.atomic};
                *random_.pick(times) = static_cast<uint8_t>(random_.of_any_width(1, 0xff));
            }
        }
        now_.cfg = c;
        now_.rst = 1;
        reset_next_ = false;
        request_held_ = action_held_ = answer_held_ = false;
        sent_.clear();
        pause_left_ = 0;
        age_ = 0;
        // Before anything was sent, every answer is wrong.
        wrong_at_ = random_.one_in(12) ? 1 : 0;
        static constexpr uint32_t kDelays[] = {0, 3, 30, 200};
        memory_delay_ = random_.pick(kDelays);
        static constexpr uint32_t kActions[] = {15, 60, 60, 400, 2000};
        action_every_ = random_.pick(kActions);
        static constexpr unsigned kFills[] = {0, 0, 6, 25};
        failing_ = random_.pick(kFills);
        const uint32_t mix = random_.below(4);
        atomics_ = mix == 0 ? 60 : 20;
        writes_ = mix == 1 ? 70 : 35;
        page_seed_ = random_.bits();

        // Lines of a few sets, more than these hold, near each other and far apart.
        const mc::ChannelMap map(tc::map_from_pins(c));
        const tc::CacheArray array(tc::spec_from_pins(c).geometry, "bench");
        const uint32_t sets = 1 + random_.below(3);
        std::array<uint64_t, 3> wanted{};
        for (uint64_t& set : wanted)
            set = random_.word() & c.set_mask;
        if (random_.one_in(4))
            wanted[0] = 0;
        if (random_.one_in(4))
            wanted[0] = c.set_mask;
        lines_.clear();
        const size_t many = 6 + random_.below(50);
        const uint64_t base = random_.bits() >> (6 + random_.below(50));
        while (lines_.size() < many) {
            uint64_t line = random_.bits() >> (6 + random_.below(40));
            if (random_.one_in(2))
                line = (base + (line & 0xffff)) & kLineMask;
            if (random_.one_in(4) && !lines_.empty())  // one that differs in its upper bits only
                line = lines_.back() ^ uint64_t { random_.below(128) } << 51;
            bool take = random_.one_in(500);
            for (uint32_t i = 0; i < sets && !take; ++i)
                take = array.set_of(map.local_address(line * kLineBytes) / kLineBytes) == wanted[i];
            if (take)
                lines_.push_back(line);
        }
    }

    bool is_mapped(uint64_t line) const {
        return ((line / 64 ^ page_seed_) * 0x9e3779b97f4a7c15u >> 60) != 0;
    }

    uint64_t some_line() {
        const auto n = static_cast<uint32_t>(lines_.size());
        return lines_[random_.one_in(3) ? random_.below(std::min(n, 4u)) : random_.below(n)];
    }

    uint64_t some_mask() {
        switch (random_.below(6)) {
            case 0:
                return ~uint64_t{0};
            case 1:
                return uint64_t{0xf} << 4 * random_.below(16);
            case 2:
                return random_.bits();
            case 3:
                return random_.bits() & random_.bits() & random_.bits() & random_.bits();
            case 4:
                return uint64_t{0xffffffff} << (random_.one_in(2) ? 32 : 0);
            default:
                return random_.one_in(8) ? 0 : uint64_t{1} << random_.below(64);
        }
    }

    void choose(Request& r) {
        r.line = some_line();
        const uint32_t kind = random_.below(100);
        r.command = kind < atomics_ ? kAtomic : kind < atomics_ + writes_ ? kWrite : kRead;
        r.mask = some_mask();
        r.atomic = static_cast<uint8_t>(random_.below(kOps + 1));
        r.bytes = 4;
        r.client = static_cast<uint8_t>(random_.below(kClientsOfCaches));
        r.vmid = static_cast<uint8_t>(random_.word());
        r.glc = static_cast<uint8_t>(random_.below(2));
        r.slc = random_.one_in(4) ? 1 : 0;
        r.through = random_.one_in(5) ? 1 : 0;
        // Memory's answer would depend on whether it knows of the page yet.
        if (passes_through(r) && !is_mapped(r.line))
            r.through = 0;
        r.returns = random_.one_in(3) ? 0 : 1;
        r.source = static_cast<uint16_t>(random_.word());
        r.port = static_cast<uint16_t>(random_.word());
        r.tag = random_.word();
        r.uid = random_.bits();
        values_.data(r.data);
        r.compare = random_.one_in(2) ? values_.word() : values_.pair();
        if (r.command == kAtomic && !random_.one_in(16)) {
            const unsigned size = random_.one_in(2) ? 4 : 8;
            r.bytes = static_cast<uint8_t>(size);
            if (!random_.one_in(16))
                r.atomic = static_cast<uint8_t>(random_.below(kOps));
            const uint64_t whole = size == 4 ? 0xf : 0xff;
            const bool one = r.atomic == 1 || r.atomic == 14 || random_.one_in(2);
            r.mask = 0;
            for (uint32_t n = one && !random_.one_in(20) ? 1 : 1 + random_.below(16); n > 0; --n)
                r.mask |= whole << size * random_.below(64 / size);
            if (random_.one_in(20))
                r.mask ^= uint64_t{1} << random_.below(64);
        } else if (r.command == kAtomic) {
            static constexpr uint8_t kBytes[] = {0, 1, 4, 8, 16, 132};
            r.bytes =
                random_.one_in(2) ? random_.pick(kBytes) : static_cast<uint8_t>(random_.word());
        }
    }

    void choose_action(Pins::Action& a) {
        a.writeback = random_.one_in(6) ? 0 : 1;
        a.invalidate = random_.one_in(2) ? 1 : 0;
        a.tag = random_.word();
        const uint64_t first = some_line() * kLineBytes;
        const uint64_t last = some_line() * kLineBytes;
        choose_range(random_, first, last, a);
    }

    void choose_answer() {
        if (!sent_.take(random_, age_, now_.memory_tag))
            return;
        const bool writes_back = (now_.memory_tag & tc::kTccTagKind) == tc::kTccWriteBackTag;
        now_.memory_status = !writes_back && random_.percent(failing_)
                                 ? static_cast<uint8_t>(1 + random_.below(2))
                                 : 0;
        values_.data(now_.memory_data);
        answer_held_ = true;
    }

    // One that no message can have asked for.
    void choose_wrong_answer() {
        static constexpr uint32_t kKinds[] = {tc::kTccFillTag, tc::kTccWriteBackTag,
                                              tc::kTccWriteThroughTag, tc::kTccTagKind};
        const uint32_t kind = random_.pick(kKinds);
        uint32_t index = age_ == wrong_at_ ? random_.below(2) : 0;
        now_.memory_status = 0;
        if (age_ != wrong_at_ || random_.one_in(3)) {
            index = kind == tc::kTccFillTag           ? now_.cfg.mshrs
                    : kind == tc::kTccWriteBackTag    ? 2
                    : kind == tc::kTccWriteThroughTag ? now_.cfg.throughs
                                                      : 0;
            index += random_.one_in(2) ? random_.below(8) : random_.word() >> 2;
            if (kind == tc::kTccWriteBackTag)
                now_.memory_status = random_.one_in(3) ? 0 : 1;
        }
        now_.memory_tag = kind | (index & ~tc::kTccTagKind);
        now_.memory_valid = 1;
    }

    void count_reset(const Pins::Config& c) {
        Pins::Config tahiti;
        tahiti.channel = c.channel;
        tahiti.tahiti = 1;
        coverage_.hit(config_, 0, c == tahiti);
        coverage_.hit(flow_, 8, was_busy_);
        coverage_.hit(config_, 1, c.tahiti != 0);
        coverage_.hit(config_, 2, c.set_mask == 0);
        coverage_.hit(config_, 3, c.set_mask == 127);
        coverage_.hit(config_, 4, c.mshrs == 1);
        coverage_.hit(config_, 5, c.waiting == 1);
        coverage_.hit(config_, 6, c.answers == 1);
        coverage_.hit(config_, 7, c.walk == 1);
        coverage_.hit(config_, 8, c.atomic > 1);
        was_busy_ = false;
        fills_ = throughs_ = 0;
    }

    void count(const In& in, const Out& out) {
        if (in.rst != 0) {
            count_reset(in.cfg);
            return;
        }
        was_busy_ = out.error == 0 && out.idle == 0;
        if (out.error != 0) {
            coverage_.hit(error_, out.error - 1u);
            return;
        }
        const Pins::Events& e = out.event;
        const bool taken = in.fabric_valid != 0 && out.fabric_ready != 0;
        const Request& r = in.fabric;
        if (e.atomics != 0 && taken) {
            coverage_.hit(atomic_, r.atomic + (r.bytes == 8 ? kOps : 0));
            coverage_.hit(event_, 9, e.atomic_operands > 1);
            coverage_.hit(event_, 10, r.returns == 0);
        }
        coverage_.hit(event_, 0, e.read_hits != 0);
        coverage_.hit(event_, 1, e.read_misses != 0);
        coverage_.hit(event_, 2, e.partial_fills != 0);
        coverage_.hit(event_, 3, e.write_hits != 0 && e.write_throughs == 0);
        coverage_.hit(event_, 4, e.write_allocates != 0);
        coverage_.hit(event_, 5, e.write_hits != 0 && e.write_throughs != 0);
        coverage_.hit(event_, 6, e.write_hits == 0 && e.write_throughs != 0);
        coverage_.hit(event_, 7, e.unmapped_writes != 0);
        coverage_.hit(event_, 8,
                      taken && r.command == kAtomic && e.atomics == 0 && out.fetch_valid == 0 &&
                          e.waited == 0);
        coverage_.hit(event_, 11, e.waited != 0);
        coverage_.hit(event_, 12, e.failed_fills != 0);
        coverage_.hit(event_, 13, e.fills != 0);
        coverage_.hit(event_, 14, e.evictions != 0 && e.writebacks == 0);
        coverage_.hit(event_, 15, e.evictions != 0 && e.writebacks != 0);
        coverage_.hit(event_, 16, e.writebacks == 2);
        coverage_.hit(event_, 17, e.reads == 2);
        coverage_.hit(event_, 18, e.invalidated_lines > 2);
        coverage_.hit(event_, 19, e.invalidated_lines != 0 && only_invalidates_);
        coverage_.hit(event_, 20, e.writes != 0 && e.bytes_written == 0);
        coverage_.hit(event_, 21, out.fetch_valid != 0 && e.fills != 0);
        coverage_.hit(event_, 22, e.read_merged != 0);
        coverage_.hit(stall_, out.stall, out.stall < 6);
        if (out.action_ready != 0) {
            const Pins::Action& a = in.action;
            only_invalidates_ = a.invalidate != 0 && a.writeback == 0;
            coverage_.hit(action_, a.writeback + 2u * a.invalidate);
            const uint64_t end = a.base + a.size - 1;
            coverage_.hit(action_, 4, a.size == ~uint64_t{0});
            coverage_.hit(action_, 5, a.size == 0);
            coverage_.hit(action_, 6, a.size != 0 && end >= a.base);
            coverage_.hit(action_, 7, a.size != 0 && ~a.size != 0 && end < a.base);
            coverage_.hit(action_, 8, out.done_valid != 0);
        }
        coverage_.hit(action_, 9, out.done_valid != 0 && out.action_ready == 0);
        fills_ += out.fetch_valid;
        fills_ -= e.fills + e.failed_fills;
        throughs_ += e.write_throughs;
        throughs_ -=
            out.memory_ready != 0 && (in.memory_tag & tc::kTccTagKind) == tc::kTccWriteThroughTag;
        coverage_.hit(action_, 10, out.done_valid != 0 && fills_ != 0);
        coverage_.hit(action_, 11, out.done_valid != 0 && throughs_ != 0);
        coverage_.hit(flow_, 0, in.fabric_valid != 0 && out.fabric_ready == 0);
        coverage_.hit(flow_, 1, in.memory_valid != 0 && out.memory_ready == 0);
        coverage_.hit(flow_, 2, in.action_valid != 0 && out.action_ready == 0);
        coverage_.hit(flow_, 3, in.answer_ready == 0 && out.waits == 0);
        coverage_.hit(flow_, 4, in.down_ready == 0 && out.waits == 0);
        coverage_.hit(flow_, 5, in.done_ready == 0 && out.waits == 0);
        coverage_.hit(flow_, 6, in.pause != 0 && in.fabric_valid != 0);
        coverage_.hit(flow_, 7, in.pause != 0 && in.action_valid != 0);
        coverage_.hit(flow_, 9, out.idle != 0);
        coverage_.hit(flow_, 10, out.idle == 0 && out.waits != 0);
        coverage_.hit(flow_, 11, taken && out.answer_valid != 0 && out.down_valid != 0);
    }

    static constexpr uint64_t kLineMask = ~uint64_t{0} >> 6;

    Random random_;
    RareEvents rare_{random_};
    Values values_;
    Replay<tc::TcL2BankCore> recorded_;
    In now_;
    Activity fabric_flow_, memory_flow_, answer_flow_, down_flow_, done_flow_;
    bool reset_next_ = true;
    bool request_held_ = false, action_held_ = false, answer_held_ = false;
    std::vector<uint64_t> lines_;
    SentBelow sent_;
    uint64_t age_ = 0, wrong_at_ = 0, page_seed_ = 0;
    uint32_t memory_delay_ = 0, action_every_ = 1, atomics_ = 0, writes_ = 0, pause_left_ = 0;
    unsigned failing_ = 0;
    bool was_busy_ = false, only_invalidates_ = false;
    uint64_t fills_ = 0, throughs_ = 0;
    Coverage coverage_;
    size_t atomic_ = 0, event_ = 0, stall_ = 0, error_ = 0, action_ = 0, flow_ = 0, config_ = 0;
};

// ---- what stands downstream of an L2 of other latencies: a memory

class L2World final : public ElasticWorld {
  public:
    explicit L2World(const CosimOptions& options) : recorded_(options.recording != nullptr) {}

    void reset() override {
        lines_.clear();
        absent_.clear();
        asked_.clear();
        answers_.clear();
        actions_ = 0;
        answer_leaves_ = false;
    }
    void drive(void* pins, Random& random) override {
        In& in = *static_cast<In*>(pins);
        const bool there = answers_.next(random, [&](const AnswerBelow& a) {
            in.memory_tag = a.tag;
            in.memory_status = a.status;
            in.memory_data = a.data;
        });
        in.memory_valid = there ? 1 : 0;
    }
    void observe(const void* in_pins, const void* out_pins) override {
        const In& in = *static_cast<const In*>(in_pins);
        const Out& out = *static_cast<const Out*>(out_pins);
        if (in.memory_valid != 0 && out.memory_ready != 0)
            answers_.taken();
        if (in.fabric_valid != 0 && out.fabric_ready != 0)
            take(in.fabric, in.fabric_mapped != 0);
        if (in.down_ready != 0 && out.down_valid != 0)
            serve(out.down);
        actions_ += in.action_valid != 0 && out.action_ready != 0;
        actions_ -= in.done_ready != 0 && out.done_valid != 0;
        answer_leaves_ = in.answer_ready != 0 && out.answer_valid != 0;
    }
    bool quiet() const override { return answers_.empty() && actions_ == 0; }
    // Bytes that were not asked for are not compared; nor is why a request failed, which depends on
    // whether it met its line on the way.
    void trim(void* pins) override {
        Out& out = *static_cast<Out*>(pins);
        const auto asked =
            asked_.find({out.answer.uid, out.answer.line, out.answer.port, out.answer.tag});
        if (!answer_leaves_ || asked == asked_.end())
            return;
        const AskedBytes bytes = asked->second.front();
        asked->second.pop_front();
        if (asked->second.empty())
            asked_.erase(asked);
        out.answer.status = out.answer.status != 0 ? 1 : 0;
        bytes.trim(out.answer);
    }
    const char* flush(void* pins) const override {
        In& in = *static_cast<In*>(pins);
        in.action = {1, 0, 0, ~uint64_t{0}, 0xf1054ed};
        return "action";
    }
    std::string difference(const ElasticWorld& world) const override {
        return lines_.difference(dynamic_cast<const L2World&>(world).lines_,
                                 "after every dirty byte was written back", "memory");
    }

  private:
    // In a chip all pages are there.
    void take(const Request& r, bool mapped) {
        if (!recorded_ && !mapped && !passes_through(r))
            absent_.insert(r.line / 64);
        asked_[{r.uid, r.line, r.port, r.tag}].emplace_back(r);
    }
    void serve(const Request& r) {
        const bool absent = absent_.count(r.line / 64) != 0;
        AnswerBelow answer{
            r.tag, static_cast<uint8_t>(absent ? MemStatus::Unmapped : MemStatus::Ok), {}};
        if (r.command == kRead && !absent)
            answer.data = lines_.at(r.line);
        if (r.command == kWrite && !absent)
            lines_.write(r.line, r);
        answers_.add(answer);
    }

    bool recorded_;
    LinesBelow<uint64_t> lines_;
    std::set<uint64_t> absent_;  // pages
    // By what an answer brings back of its request: uid, line, port, tag.
    std::map<std::array<uint64_t, 4>, std::deque<AskedBytes>> asked_;
    LateAnswers<AnswerBelow> answers_;
    int actions_ = 0;  // begun and not done
    bool answer_leaves_ = false;
};

// ---- in a chip: a twin for each channel

class L2Swap : public TwinsSwap<Pins, tc::TcL2BankCore>, public tc::L2Factory {
  public:
    using TwinsSwap::TwinsSwap;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<tc::L2Factory>(*this);
    }
    std::unique_ptr<tc::L2Channel> make(const tc::TccSpec& spec, const mc::ChannelMapSpec& map,
                                        const tc::PageCheck* pages, unsigned channel,
                                        const std::string& name) override {
        return std::make_unique<tc::L2OnPins>(twin(channel), spec, map, pages, channel, name);
    }
};

struct Parts {
    using Pins = TcL2BankPins;
    using Core = tc::TcL2BankCore;
    using Stimulus = L2Stimulus;
    using Recording = L2Recording;
    using Swap = L2Swap;
    using World = L2World;
    static constexpr const char* kDescription = "one channel of the L2 cache";
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
