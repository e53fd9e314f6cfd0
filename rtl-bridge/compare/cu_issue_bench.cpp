// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the issue arbiter.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "models/asic/chip_options.h"
#include "models/cu/pipeline/cu_issue_core.h"
#include "models/cu/pipeline/decoded.h"
#include "pins/cu_issue_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/pipe_stimulus.h"

namespace archipelago::rtl {

template <>
struct OutputRules<CuIssuePins> {
    static const char* wrong([[maybe_unused]] const CuIssuePins::In& in,
                             const CuIssuePins::Out& out) {
        if (out.out_valid == 0)
            return nullptr;
        for (unsigned slot = 0; slot < CuIssuePins::kSlots; ++slot) {
            const uint8_t reason = out.out_reason[slot];
            if (reason > static_cast<uint8_t>(cu::IssueReason::HoldLgkm))
                return "out_reason is none of IssueReason";
            const bool granted = reason == static_cast<uint8_t>(cu::IssueReason::Granted);
            if (granted != ((out.out_grant >> slot & 1) != 0))
                return "out_grant and out_reason do not say the same of a slot";
        }
        return nullptr;
    }
};

namespace {

using Query = CuIssuePins::Query;
using In = CuIssuePins::In;
using Out = CuIssuePins::Out;
using cu::IssueReason;
constexpr unsigned kSlots = CuIssuePins::kSlots;

constexpr const char* kReasons[] = {"nothing to issue", "granted",     "not due", "arbitration",
                                    "unit busy",        "unit full",   "hazard",  "held by vm",
                                    "held by exp",      "held by lgkm"};

class CuIssueRecording : public RecordingOf<Query>, public cu::IssueUnit {
  public:
    // A query is some 700 bytes.
    static constexpr uint64_t kMax = 200'000;
    explicit CuIssueRecording(uint64_t limit) : RecordingOf(std::min(limit, kMax)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::IssueUnit>(*this);
    }
    cu::IssueDecision decide(const Query& query) override {
        add(query);
        return cu::decide_on_pins(query);
    }
};

class CuIssueStimulus final : public PipeStimulus<CuIssuePins, Query> {
  public:
    explicit CuIssueStimulus(const CosimOptions& options) : PipeStimulus(options, 1, 5'000) {
        std::vector<std::string> bins;
        for (unsigned c = 0; c < cu::kClasses; ++c) {
            for (unsigned r = 1; r < std::size(kReasons); ++r) {
                const auto cls = static_cast<isa::Class>(c);
                const bool scalar = cls == isa::Class::Salu || cls == isa::Class::Branch;
                if (static_cast<IssueReason>(r) == IssueReason::Hazard && !scalar)
                    continue;
                verdict_bin_[c][r] = bins.size();
                bins.push_back(std::string(cu::class_name(cls)) + " " + kReasons[r]);
            }
        }
        verdict_ = bins_.add_group("class and verdict", bins);
        bins.clear();
        for (const char* what : {"granted in slot ", "granted at place ", "released from slot "})
            for (unsigned s = 0; s < kSlots; ++s)
                bins.push_back(what + std::to_string(s));
        slot_ = bins_.add_group("slot", bins);
        bins.clear();
        for (unsigned n = 0; n <= 6; ++n)
            bins.push_back(std::to_string(n) + " granted together");
        bins.emplace_back("no retry");
        bins.emplace_back("retry next turn");
        bins.emplace_back("retry later");
        bins.emplace_back("s_waitcnt waits for vm");
        bins.emplace_back("s_waitcnt waits for lgkm");
        bins.emplace_back("s_waitcnt waits for exp");
        for (const char* what :
             {"draining waits for vm", "draining waits for lgkm", "draining waits for exp",
              "granted while draining", "export waits for GDS", "GDS waits for export",
              "unit of another class busy"})
            bins.emplace_back(what);
        result_ = bins_.add_group("decision", bins);
    }

  private:
    uint16_t mask() {
        const uint32_t x = random_.word();
        static constexpr unsigned kDensities[] = {0, 1, 2, 2, 3, 3};
        switch (random_.pick(kDensities)) {
            case 0:
                return static_cast<uint16_t>(x & x >> 16);
            case 1:
                return static_cast<uint16_t>(x | x >> 16);
            case 2:
                return 0xffff;
            default:
                return static_cast<uint16_t>(x);
        }
    }
    // Often 0, often small, sometimes anything.
    uint16_t time() {
        const uint32_t how = random_.below(16);
        return how < 10   ? 0
               : how < 14 ? static_cast<uint16_t>(1 + random_.below(5))
               : how < 15 ? CuIssuePins::kNoTime
                          : static_cast<uint16_t>(random_.word());
    }
    uint8_t near(uint8_t x) {
        return static_cast<uint8_t>(random_.one_in(8) ? random_.word() : x + random_.below(4) - 2);
    }
    uint64_t registers() {
        uint64_t r = 0;
        for (uint32_t n = random_.below(3); n > 0; --n) {
            static constexpr unsigned kFrequent[] = {0, 1, 31, 42, 43, 62, 63};
            r |= uint64_t{1} << (random_.one_in(4) ? random_.below(64) : random_.pick(kFrequent));
        }
        return r;
    }

    void disturb(Query& q) override { choose(q); }
    void count_result(const Query& q, const Out& out) override { count(q, out); }
    void choose(Query& q) override {
        static constexpr uint8_t kWidths[] = {5, 5, 5, 5, 1, 2, 3, 4, 6, 7, 0, 15};
        q.width = random_.pick(kWidths);
        q.turn = static_cast<uint8_t>(1 + random_.below(4));
        q.slots = mask();
        for (unsigned i = 0; i < kSlots; ++i)
            q.order[i] = static_cast<uint8_t>(i);
        for (unsigned i = kSlots; i-- > 1;)
            std::swap(q.order[i], q.order[random_.below(i + 1)]);
        if (random_.one_in(16))  // slots twice or never
            for (uint8_t& slot : q.order)
                slot = static_cast<uint8_t>(random_.below(kSlots));
        const bool spread = random_.one_in(4);  // most classes once
        for (unsigned i = 0; i < kSlots; ++i)
            q.cls[i] = static_cast<uint8_t>(spread               ? i % cu::kClasses
                                            : random_.one_in(32) ? random_.below(16)
                                                                 : random_.below(cu::kClasses));
        for (unsigned i = 0; i < kSlots; ++i)
            q.unit[i] = random_.one_in(4) ? static_cast<uint8_t>(random_.below(CuIssuePins::kUnits))
                                          : q.cls[i];
        const bool all_due = random_.one_in(4);
        for (uint16_t& wait : q.wait)
            wait = all_due ? 0 : time();
        for (uint16_t& wait : q.hazard_wait)
            wait = time();
        for (uint64_t& word : q.reads)
            word = registers();
        for (uint64_t& word : q.pending)
            word = registers();
        q.needs_vm = static_cast<uint16_t>(random_.word() & random_.word());
        q.needs_exp = static_cast<uint16_t>(random_.word() & random_.word());
        q.needs_lgkm = static_cast<uint16_t>(random_.word() & random_.word());
        q.drains = static_cast<uint16_t>(random_.word() & random_.word() & random_.word());
        static constexpr uint8_t kMaxima[] = {1, 3, 7, 7, 15, 15, 31, 63, 255};
        q.max_vm = random_.pick(kMaxima);
        q.max_exp = random_.pick(kMaxima);
        q.max_lgkm = random_.pick(kMaxima);
        for (unsigned i = 0; i < kSlots; ++i) {
            q.vm[i] = near(q.max_vm);
            q.exp[i] = near(q.max_exp);
            q.lgkm[i] = near(q.max_lgkm);
            q.limit_vm[i] = near(q.vm[i]);
            q.limit_exp[i] = near(q.exp[i]);
            q.limit_lgkm[i] = near(q.lgkm[i]);
        }
        const bool all_free = random_.one_in(3);
        for (uint16_t& wait : q.unit_wait)
            wait = all_free ? 0 : time();
        q.waiting = mask();
        if (random_.one_in(2))
            q.waiting &= static_cast<uint16_t>(~q.slots);
    }

    void count(const Query& q, const Out& out) {
        unsigned granted = 0;
        for (unsigned place = 0; place < kSlots; ++place) {
            const unsigned slot = q.order[place];
            const bool first = std::find(q.order.begin(), q.order.begin() + place, slot) ==
                               q.order.begin() + place;
            const bool ready = (q.slots >> slot & 1) != 0;
            const unsigned reason = out.out_reason[slot];
            if (!first || !ready)
                continue;
            if (q.cls[slot] < cu::kClasses && reason != 0)
                bins_.hit(verdict_, verdict_bin_[q.cls[slot]][reason]);
            if ((out.out_grant >> slot & 1) != 0) {
                ++granted;
                bins_.hit(slot_, slot);
                bins_.hit(slot_, kSlots + place);
            }
            count_units(q, slot, static_cast<IssueReason>(reason));
        }
        for (unsigned slot = 0; slot < kSlots; ++slot) {
            bins_.hit(slot_, 2 * kSlots + slot, (out.out_released >> slot & 1) != 0);
            if ((q.waiting & ~q.slots) >> slot & 1) {
                const auto reason = static_cast<IssueReason>(out.out_reason[slot]);
                bins_.hit(result_, 10, reason == IssueReason::HoldVm);
                bins_.hit(result_, 11, reason == IssueReason::HoldLgkm);
                bins_.hit(result_, 12, reason == IssueReason::HoldExp);
            }
        }
        bins_.hit(result_, std::min(granted, 6u));
        bins_.hit(result_, 7, out.out_retry == CuIssuePins::kNoTime);
        bins_.hit(result_, 8, out.out_retry == q.turn);
        bins_.hit(result_, 9, out.out_retry > q.turn && out.out_retry != CuIssuePins::kNoTime);
    }

    void count_units(const Query& q, unsigned slot, IssueReason reason) {
        const auto needs = [&](uint16_t mask) { return (mask >> slot & 1) != 0; };
        if (needs(q.drains)) {
            bins_.hit(result_, 13, reason == IssueReason::HoldVm && !needs(q.needs_vm));
            bins_.hit(result_, 14, reason == IssueReason::HoldLgkm && !needs(q.needs_lgkm));
            bins_.hit(result_, 15, reason == IssueReason::HoldExp && !needs(q.needs_exp));
            bins_.hit(result_, 16, reason == IssueReason::Granted);
        }
        if (reason != IssueReason::UnitLater)
            return;
        const auto cls = static_cast<isa::Class>(q.cls[slot]);
        const bool free = q.unit_wait[q.unit[slot]] == 0;
        bins_.hit(result_, 17, cls == isa::Class::Export && free);
        bins_.hit(result_, 18, cls == isa::Class::Gds && free);
        bins_.hit(result_, 19, q.unit[slot] != q.cls[slot] && !free);
    }

    size_t verdict_ = 0, slot_ = 0, result_ = 0;
    std::array<std::array<size_t, std::size(kReasons)>, cu::kClasses> verdict_bin_{};
};

struct Parts {
    using Pins = CuIssuePins;
    using Core = cu::CuIssueCore;
    using Stimulus = CuIssueStimulus;
    using Recording = CuIssueRecording;
    using Unit = cu::PinIssueUnit;
    static constexpr const char* kDescription = "issue arbiter of a compute unit";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<cu::IssueUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
