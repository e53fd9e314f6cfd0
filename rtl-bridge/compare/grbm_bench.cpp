// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the register bus manager.
#include <algorithm>
#include <array>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/common/context_registers.h"
#include "models/gcn/si/grbm_pin_core.h"
#include "models/grbm/grbm_pins.h"
#include "pins/grbm_pins.h"
#include "registers/si_bus_map.h"
#include "registers/si_names.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {
namespace {

using In = GrbmPins::In;
using Out = GrbmPins::Out;
constexpr unsigned kSources = GrbmPins::kSources;
constexpr unsigned kBlocks = GrbmPins::kBlocks;
constexpr const char* kSourceNames[kSources] = {"host", "CP"};
constexpr uint32_t kStatuses[] = {regs::si::GRBM_STATUS, regs::si::GRBM_STATUS2,
                                  regs::si::GRBM_STATUS_SE0, regs::si::GRBM_STATUS_SE1};

struct Request {
    uint32_t offset = 0, value = 0, tag = 0;
    uint8_t write = 0, ring = 0, context = 0;
};

// Whether one of the blocks that get the writes of a range would take one.
bool some_ready(const grbm::Range& range, const GrbmPins::In& in) {
    for (unsigned p = 0; p < GrbmPins::kBlocks; ++p)
        if (const unsigned port = p + grbm::kFirstBlock;
            (port == range.port || (range.also >> port & 1) != 0) && in.port_ready[p] != 0)
            return true;
    return false;
}

class GrbmStimulus : public Stimulus<GrbmPins> {
  public:
    explicit GrbmStimulus(const CosimOptions& options)
        : random_(options.seed), recorded_(recorded_traffic<In>(options)) {
        const grbm::Spec spec = gcn::si::grbm_spec();
        grbm::settings_to_pins(spec, settings_);
        for (const grbm::Range& r : spec.ranges) {
            for (uint32_t at : {r.start - 4, r.start, r.end - 3, r.end + 1})
                edges_.push_back(at);
            for (uint32_t at = r.start; at < r.end; at += 4) {
                if (r.also != 0)
                    shared_.push_back(at);
                if (r.port >= grbm::kFirstBlock)
                    owned_[r.port - grbm::kFirstBlock].push_back(at);
                else if (spec.database->find(at) != nullptr)
                    plain_.push_back(at);
            }
        }
        for (unsigned p = 0; p < kBlocks; ++p)
            if (!owned_[p].empty())
                mapped_.push_back(p);
        for (const grbm::SideEffect& e : spec.side_effects)
            effects_.push_back(e.offset);
        drop_effects(plain_);
        drop_effects(edges_);
        choose_favourites(spec);
        add_bins(spec);
    }

    void next(In& in) override {
        if (recorded_ != nullptr) {
            in = (*recorded_)[at_++];
            return;
        }
        in = settings_;
        rare_.next_cycle();
        in.rst = random_.one_in(stopped_ ? 8 : 4'000) ? 1 : 0;
        in.run = run_flow_.next(random_) || random_.one_in(2) ? 1 : 0;
        // Now and then reads of one source are gathered, to be answered together.
        if (gather_ > 0)
            --gather_;
        else if (random_.one_in(300))
            gather_ = 2 * kGather;
        if (gather_ == 2 * kGather)
            gather_source_ = random_.below(kSources);
        for (unsigned s = 0; s < kSources; ++s) {
            const bool wanted = gather_ == 0
                                    ? request_flow_[s].next(random_)
                                    : s == gather_source_ && (gather_ > kGather || gather_ == 1);
            const Request* r =
                offers_[s].in_cycle(wanted, [&](Request& request) { choose(request); });
            Request any;
            if (r == nullptr)
                choose(any);  // must not matter
            const Request& on_pins = r != nullptr ? *r : any;
            in.req_valid[s] = r != nullptr ? 1 : 0;
            in.req_offset[s] = on_pins.offset;
            in.req_value[s] = on_pins.value;
            in.req_tag[s] = on_pins.tag;
            in.req_context[s] = on_pins.context;
            in.req_vmid[s] = on_pins.tag >> 28;  // as random as the tag
            in.req_write[s] = on_pins.write;
            in.req_ring[s] = on_pins.ring;
            in.ans_space[s] = space_flow_[s].next(random_)
                                  ? static_cast<uint8_t>(1 + random_.below(GrbmPins::kMaxSpace))
                                  : static_cast<uint8_t>(random_.below(2));
            if (gather_ > 0)
                in.ans_space[s] = GrbmPins::kMaxSpace;
        }
        for (unsigned p = 0; p < kBlocks; ++p) {
            in.port_ready[p] = port_flow_[p].next(random_) || gather_ > 0 ? 1 : 0;
            answer(p, in);
        }
        if (random_.one_in(6))
            for (uint32_t& level : busy_)
                level = random_.one_in(3) ? 0 : random_.word() & random_.word() & random_.word();
        in.busy = busy_;
    }

    void observe(const In& in, const Out& out) override {
        count(in, out);
        before_ = in.rst != 0 ? Out{} : out;
        if (recorded_ != nullptr)
            return;
        for (unsigned s = 0; s < kSources; ++s)
            if (out.req_ready[s] != 0 || in.rst != 0)
                offers_[s].drop();
        for (unsigned p = 0; p < kBlocks; ++p) {
            if (out.rsp_ready[p] != 0 || in.rst != 0)
                held_[p] = false;
            if (out.rsp_ready[p] != 0 && in.rsp_write[p] == 0)
                forget(in.rsp_tag[p]);
            if (out.port_valid[p] != 0 && out.port_write == 0)
                sent_[p].push_back(out.port_tag);
        }
        if (in.rst != 0)
            for (auto& places : sent_)
                places.clear();
        stopped_ = out.error_code != 0;
    }

    bool finished() const override { return recorded_ != nullptr && at_ == recorded_->size(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    // Every second is a register there are several of.
    void choose_favourites(const grbm::Spec& spec) {
        std::vector<uint32_t> copied;
        for (const uint32_t offset : plain_)
            if (std::any_of(spec.copied.begin(), spec.copied.end(), [&](const auto& range) {
                    return offset >= range.start && offset <= range.end;
                }))
                copied.push_back(offset);
        for (size_t i = 0; i < favourites_.size(); ++i)
            favourites_[i] = one_of(i % 2 == 0 ? copied : plain_);
        for (size_t i = 0; i < context_favourites_.size(); ++i)
            do
                context_favourites_[i] = one_of(i % 2 == 0 ? copied : plain_);
            while (!regs::si::is_context_register(context_favourites_[i]));
    }
    void drop_effects(std::vector<uint32_t>& offsets) const {
        offsets.erase(std::remove_if(offsets.begin(), offsets.end(),
                                     [&](uint32_t o) {
                                         return std::find(effects_.begin(), effects_.end(), o) !=
                                                effects_.end();
                                     }),
                      offsets.end());
    }
    uint32_t one_of(const std::vector<uint32_t>& offsets) {
        return offsets[random_.below(static_cast<uint32_t>(offsets.size()))];
    }

    void choose(Request& r) {
        r.write = random_.one_in(2) ? 1 : 0;
        r.ring = static_cast<uint8_t>(random_.below(3));
        r.context = static_cast<uint8_t>(random_.below(8));
        r.tag = random_.word();
        r.value = random_.one_in(4) ? random_.word() & 0x00ff00ff : random_.word();
        const uint32_t how = gather_ == 0 ? random_.below(100) : gather_ > kGather ? 0 : 50;
        if (gather_ > 0)
            r.write = 0;
        if (how < 40)
            r.offset =
                one_of(owned_[mapped_[random_.below(static_cast<uint32_t>(mapped_.size()))]]);
        else if (how < 45)
            r.offset = one_of(shared_);
        else if (how < 55)
            r.offset = one_of(favourites_);
        else if (how < 65)
            r.offset = random_.pick(kStatuses);
        else if (how < 72)
            r.offset = regs::si::GRBM_GFX_INDEX;
        else if (how < 76)
            r.offset = regs::si::GRBM_SOFT_RESET;
        else if (how < 84)
            r.offset = one_of(plain_);
        else if (how < 90)
            r.offset = one_of(edges_);
        else if (how < 93)
            r.offset = 4 * random_.below(0x10000);
        else if (how < 95)
            r.offset = one_of(favourites_) + 1 + random_.below(3);
        else if (how < 97)
            r.offset = one_of(favourites_) | 0x40000u << random_.below(14);
        else
            r.offset = 0x8000 + 4 * random_.below(0x1400);
        if (gather_ == 0 && random_.one_in(8))
            r.offset = context_favourites_[random_.below(
                static_cast<uint32_t>(context_favourites_.size()))];
        if (gather_ == 0 && random_.one_in(60))
            r.offset = regs::si::GFX_COPY_STATE;
        // Often units that there are, and often all.
        if (r.offset == regs::si::GRBM_GFX_INDEX && !random_.one_in(4))
            r.value = random_.below(2) << 16 | random_.below(3) << 8 |
                      (random_.one_in(2) ? 0 : random_.below(17)) |
                      (random_.one_in(3) ? 7u : random_.below(8)) << 29;
        if (std::find(effects_.begin(), effects_.end(), r.offset) != effects_.end())
            r.write = 0;
        if (rare_.one_in(500)) {
            r.offset = one_of(effects_);
            r.write = 0;
        }
        if (rare_.one_in(2'000)) {
            r.offset = one_of(effects_);
            r.write = 1;
        }
    }

    // What block p answers with, until it is taken.
    void answer(unsigned p, In& in) {
        if (!held_[p] && (gather_ == 0 ? response_flow_[p].next(random_) : gather_ == 1)) {
            In& r = held_pins_;
            r.rsp_value[p] = random_.word();
            r.rsp_unknown[p] = random_.one_in(4) ? 1 : 0;
            r.rsp_write[p] = gather_ == 0 && random_.one_in(8) ? 1 : 0;
            if (r.rsp_write[p] != 0) {
                r.rsp_tag[p] = random_.word();
                held_[p] = true;
            } else if (!sent_[p].empty()) {
                r.rsp_tag[p] = one_of(sent_[p]);
                held_[p] = true;
            }
            if (rare_.one_in(3'000)) {  // mostly an answer to no read
                r.rsp_write[p] = 0;
                r.rsp_tag[p] = random_.one_in(3)   ? random_.word()
                               : random_.one_in(2) ? random_.below(settings_.cfg_reads)
                                                   : settings_.cfg_reads + random_.below(2);
                held_[p] = true;
            }
            if (p == 1 && held_[0] && r.rsp_write[0] == 0 && random_.one_in(500)) {
                r.rsp_write[1] = 0;
                r.rsp_tag[1] = r.rsp_tag[0];
                held_[1] = true;
            }
        }
        in.rsp_valid[p] = held_[p] ? 1 : 0;
        in.rsp_value[p] = held_pins_.rsp_value[p];
        in.rsp_tag[p] = held_pins_.rsp_tag[p];
        in.rsp_unknown[p] = held_pins_.rsp_unknown[p];
        in.rsp_write[p] = held_pins_.rsp_write[p];
    }
    void forget(uint32_t place) {
        for (auto& places : sent_)
            places.erase(std::remove(places.begin(), places.end(), place), places.end());
    }

    // ---- coverage
    void add_bins(const grbm::Spec& spec) {
        ranges_ = spec.ranges;
        copied_ = spec.copied;
        std::vector<std::string> bins;
        for (const char* what : {"write to ", "read from "})
            for (const grbm::Range& r : spec.ranges)
                bins.push_back(what + r.name);
        range_ = coverage_.add_group("range", bins);
        bins.clear();
        for (const char* source : kSourceNames)
            for (const char* what : {"status read",
                                     "status write",
                                     "GFX_INDEX read",
                                     "GFX_INDEX write",
                                     "soft reset written",
                                     "kept register read",
                                     "kept register written",
                                     "unaligned",
                                     "beyond the aperture",
                                     "hole",
                                     "unknown read",
                                     "unknown write",
                                     "steered to one SE",
                                     "steered to one SH",
                                     "steered to one instance",
                                     "waits for a block",
                                     "waits for a place",
                                     "waits for room in its answers",
                                     "goes after a wait",
                                     "no answer",
                                     "one answer",
                                     "two answers",
                                     "three answers",
                                     "four answers or more",
                                     "answer of an unknown register",
                                     "copies written",
                                     "copy read"})
                bins.push_back(std::string(source) + ": " + what);
        source_ = coverage_.add_group("source", bins);
        flow_ = coverage_.add_group(
            "flow", {"both sources ask", "first source waits, the other goes", "both wait",
                     "paused with a request", "four blocks answer", "answer to a write",
                     "answer waits for room", "all reads in flight", "place freed and taken",
                     "status read while idle", "status read while busy", "answer without a read",
                     "write that starts nothing", "stopped", "reset of reads in flight",
                     "reset of soft reset", "same place answered twice", "write to two blocks",
                     "one of two blocks is not ready"});
        bins.clear();
        for (const char* source : kSourceNames)
            for (const char* what : {": read of block ", ": write to block "})
                for (const unsigned p : mapped_)
                    bins.push_back(source + (what + std::to_string(grbm::kFirstBlock + p)));
        block_ = coverage_.add_group("block", bins);
        bins.clear();
        for (const char* what : {"CP copies to context ", "CP writes a kept register of context ",
                                 "CP reads a kept register of context "})
            for (unsigned context = 0; context < kContexts; ++context)
                bins.push_back(what + std::to_string(context));
        bins.insert(bins.end(), {"host copies", "host writes a kept register of the newest",
                                 "host reads a kept register of the newest",
                                 "host's context changes in the cycle of a copy"});
        context_ = coverage_.add_group("context", bins);
    }

    void count(const In& in, const Out& out) {
        unsigned answered = 0;
        for (unsigned p = 0; p < kBlocks; ++p) {
            answered += out.rsp_ready[p];
            coverage_.hit(flow_, 5, out.rsp_ready[p] != 0 && in.rsp_write[p] != 0);
            coverage_.hit(flow_, 6,
                          in.rsp_valid[p] != 0 && out.rsp_ready[p] == 0 && out.error_code == 0 &&
                              in.rst == 0);
        }
        const bool same = in.rsp_valid[0] != 0 && in.rsp_valid[1] != 0 && in.rsp_write[0] == 0 &&
                          in.rsp_write[1] == 0 && in.rsp_tag[0] == in.rsp_tag[1];
        coverage_.hit(flow_, 16, same && before_.error_code == 0 && in.rst == 0);
        coverage_.hit(flow_, 4, answered >= 4);
        coverage_.hit(flow_, 0, in.req_valid[0] != 0 && in.req_valid[1] != 0);
        coverage_.hit(flow_, 1,
                      (out.req_ready[0] != 0 && out.stall[1] != 0) ||
                          (out.req_ready[1] != 0 && out.stall[0] != 0));
        coverage_.hit(flow_, 2, out.stall[0] != 0 && out.stall[1] != 0);
        coverage_.hit(flow_, 3, in.run == 0 && in.req_valid[0] != 0);
        coverage_.hit(flow_, 7, out.reads == in.cfg_reads);
        unsigned sent = 0;
        for (unsigned p = 0; p < kBlocks; ++p)
            sent += out.port_valid[p];
        const bool read_sent = sent != 0 && out.port_write == 0;
        coverage_.hit(flow_, 17, sent == 2);
        coverage_.hit(flow_, 8, read_sent && before_.reads == in.cfg_reads);
        coverage_.hit(flow_, 11, out.error_code == GrbmPins::kUnsolicited);
        coverage_.hit(flow_, 12, out.error_code == GrbmPins::kStarts);
        coverage_.hit(flow_, 13, before_.error_code != 0 && in.rst == 0);
        coverage_.hit(flow_, 14, in.rst != 0 && before_.reads != 0);
        coverage_.hit(flow_, 15, in.rst != 0 && before_.soft_reset != 0);
        for (unsigned s = 0; s < kSources; ++s)
            count_source(s, in, out);
    }

    void count_source(unsigned s, const In& in, const Out& out) {
        constexpr unsigned kBins = 27;
        const auto hit = [&](unsigned bin, bool when = true) {
            coverage_.hit(source_, s * kBins + bin, when);
        };
        const uint32_t offset = in.req_offset[s];
        const bool write = in.req_write[s] != 0;
        const bool waits = out.stall[s] == GrbmPins::kWaitsForPlace && in.req_valid[s] != 0;
        hit(15, out.stall[s] == GrbmPins::kWaitsForBlock);
        for (const grbm::Range& r : ranges_)
            if (r.also != 0 && in.req_valid[s] != 0 && write && offset >= r.start &&
                offset <= r.end)
                coverage_.hit(flow_, 18,
                              out.stall[s] == GrbmPins::kWaitsForBlock && some_ready(r, in));
        hit(16, waits && out.reads == in.cfg_reads);
        hit(17, waits && out.reads != in.cfg_reads);
        hit(18, before_.stall[s] != 0 && out.req_ready[s] != 0);
        hit(19 + std::min<unsigned>(out.ans_count[s], 4));
        for (unsigned k = 0; k < out.ans_count[s]; ++k)
            hit(24, out.ans_unknown[s * GrbmPins::kAnswers + k] != 0);
        if (out.req_ready[s] == 0)
            return;
        unsigned left = kBlocks;
        for (unsigned p = 0; p < kBlocks; ++p)
            if (out.port_valid[p] != 0)
                left = p;
        const bool status =
            std::find(std::begin(kStatuses), std::end(kStatuses), offset) != std::end(kStatuses);
        const bool gfx_index = offset == regs::si::GRBM_GFX_INDEX;
        hit(0, status && !write);
        hit(1, status && write);
        hit(2, gfx_index && !write);
        hit(3, gfx_index && write);
        hit(4, write && offset == regs::si::GRBM_SOFT_RESET);
        const bool favourite =
            std::find(favourites_.begin(), favourites_.end(), offset) != favourites_.end();
        hit(5, !write && favourite);
        hit(6, write && favourite);
        const bool steered = std::any_of(copied_.begin(), copied_.end(),
                                         [&](const grbm::CopiedRange& c) {
                                             return offset >= c.start && offset <= c.end;
                                         }) &&
                             (gfx_index_[s] >> 29) != 7;
        hit(25, steered && write);
        hit(26, steered && !write);
        if (gfx_index && write)
            gfx_index_[s] = in.req_value[s];
        hit(7, offset % 4 != 0);
        hit(8, offset >= 0x40000);
        const auto range = std::find_if(ranges_.begin(), ranges_.end(), [&](const grbm::Range& r) {
            return offset >= r.start && offset <= r.end;
        });
        hit(9, range == ranges_.end() && offset < 0x40000);
        if (range != ranges_.end())
            coverage_.hit(range_, static_cast<size_t>(range - ranges_.begin()) +
                                      (write ? 0 : ranges_.size()));
        const bool unowned = out.unknown != 0 && left == kBlocks;
        hit(10, unowned && !write);
        hit(11, unowned && write);
        if (left < kBlocks) {
            for (size_t i = 0; i < mapped_.size(); ++i)
                coverage_.hit(block_, (2 * s + (write ? 1 : 0)) * mapped_.size() + i,
                              out.port_valid[mapped_[i]] != 0);
            hit(12, (out.port_broadcast & 4) == 0);
            hit(13, (out.port_broadcast & 2) == 0);
            hit(14, (out.port_broadcast & 1) == 0);
        }
        const bool of_context = std::find(context_favourites_.begin(), context_favourites_.end(),
                                          offset) != context_favourites_.end();
        const bool copies = write && offset == regs::si::GFX_COPY_STATE;
        if (s == kRegFromCp) {
            coverage_.hit(context_, in.req_context[s], copies);
            coverage_.hit(context_, kContexts + in.req_context[s], of_context && write);
            coverage_.hit(context_, 2 * kContexts + in.req_context[s], of_context && !write);
            coverage_.hit(context_, 3 * kContexts + 3, copies && in.req_valid[kRegFromHost] != 0);
        } else {
            coverage_.hit(context_, 3 * kContexts, copies);
            coverage_.hit(context_, 3 * kContexts + 1, of_context && write);
            coverage_.hit(context_, 3 * kContexts + 2, of_context && !write);
        }
        const bool busy = (in.busy[0] | in.busy[1] | in.busy[2] | in.busy[3]) != 0;
        coverage_.hit(flow_, 9, offset == regs::si::GRBM_STATUS && !write && !busy);
        coverage_.hit(flow_, 10, offset == regs::si::GRBM_STATUS && !write && busy);
    }

    Random random_;
    RareEvents rare_{random_};
    const std::vector<In>* recorded_;
    size_t at_ = 0;
    In settings_, held_pins_;
    std::vector<uint32_t> edges_, plain_, effects_;
    std::array<std::vector<uint32_t>, kBlocks> owned_;
    std::vector<unsigned> mapped_;  // blocks that own something
    std::vector<uint32_t> shared_;  // written to two blocks
    std::vector<uint32_t> favourites_ = std::vector<uint32_t>(24);
    std::array<uint32_t, 6> context_favourites_{};
    Activity run_flow_;
    std::array<Activity, kSources> request_flow_, space_flow_;
    std::array<Activity, kBlocks> port_flow_, response_flow_;
    std::array<Offer<Request>, kSources> offers_{Offer<Request>(nullptr), Offer<Request>(nullptr)};
    std::array<bool, kBlocks> held_{};
    std::array<std::vector<uint32_t>, kBlocks> sent_;  // places of reads on their way
    std::array<uint32_t, 4> busy_{};
    static constexpr unsigned kGather = 12;  // cycles
    unsigned gather_ = 0;
    unsigned gather_source_ = 0;
    bool stopped_ = false;
    Out before_;
    std::vector<grbm::Range> ranges_;
    std::vector<grbm::CopiedRange> copied_;
    std::array<uint32_t, kSources> gfx_index_{};  // as last written
    Coverage coverage_;
    size_t range_ = 0, source_ = 0, flow_ = 0, block_ = 0, context_ = 0;
};

struct Parts {
    using Pins = GrbmPins;
    using Core = gcn::si::GrbmPinCore;
    using Stimulus = GrbmStimulus;
    using Recording = StepRecording<Parts>;
    using Unit = PinsInChip<GrbmPins>;
    static constexpr uint64_t kMaxSteps = 200'000;
    static constexpr const char* kDescription = "graphics register bus manager";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<PinBlock<GrbmPins>>(unit.pins);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
