// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the index DMA unit of VGT.
#include <algorithm>
#include <array>
#include <deque>
#include <string>

#include "models/asic/chip_options.h"
#include "models/vgt/index_dma_core.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/late_answers.h"

namespace archipelago::rtl {
namespace {

using In = VgtIndexDmaPins::In;
using Out = VgtIndexDmaPins::Out;
using Command = VgtIndexDmaPins::Command;
using vgt::FetchReason;
using vgt::IndexStop;
constexpr unsigned kLines = 16;
constexpr uint64_t kTop = uint64_t{1} << 48;

vgt::IndexCommand to_command(const Command& c) {
    return {c.base, c.count, c.max, c.type, c.swap, c.vmid, c.draw};
}

class VgtIndexDmaStimulus : public Stimulus<VgtIndexDmaPins> {
  public:
    explicit VgtIndexDmaStimulus(const CosimOptions& options)
        : random_(options.seed),
          recorded_(recorded_traffic<In>(options)),
          endless_(!options.elastic && options.place.empty()) {
        add_bins();
        restart();
    }

    void next(In& in) override {
        if (recorded_ != nullptr) {
            in = (*recorded_)[at_++];
            return;
        }
        if (reset_in_ != 0 && --reset_in_ == 0)
            fresh_ = true;
        if (random_.one_in(4'000) || stuck_ > 300)
            fresh_ = true;
        if (fresh_) {
            coverage_.hit(flow_, 4, !asked_.empty());
            restart();
        }
        in = {};
        in.config = config_;
        in.rst = fresh_ ? 1 : 0;
        const Command* command =
            commands_.in_cycle(command_flow_.next(random_), [&](Command& c) { choose(c); });
        in.cmd_valid = command != nullptr ? 1 : 0;
        if (command != nullptr)
            in.cmd = *command;
        else
            choose(in.cmd);  // must not matter
        choose_response(in);
        in.req_ready = request_flow_.next(random_) ? 1 : 0;
        in.grp_ready = group_flow_.next(random_) ? 1 : 0;
    }

    void observe(const In& in, const Out& out) override {
        count(in, out);
        if (recorded_ == nullptr) {
            if (in.rst != 0) {
                fresh_ = false;
            } else {
                if (out.cmd_ready != 0) {
                    // What would take for ever does not.
                    if (in.cmd.count > 1000)
                        reset_in_ = 20 + random_.below(400);
                    commands_.drop();
                }
                if (in.rsp_valid != 0 && out.rsp_ready != 0 && offered_ >= 0) {
                    asked_.erase(asked_.begin() + offered_);
                    offered_ = -1;
                }
                if (out.req_valid != 0)
                    asked_.push_back(out.req.tag);
                stuck_ = out.active != 0 ? 0 : stuck_ + 1;
                if (out.stop_valid != 0)
                    reset_in_ = 1 + random_.below(16);
            }
        }
        mirror(in, out);
    }

    bool finished() const override { return recorded_ != nullptr && at_ == recorded_->size(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    void add_bins() {
        std::vector<std::string> bins;
        for (const char* size : {"16 bits", "32 bits"})
            for (const char* swap : {"no swap", "8 in 16", "8 in 32", "16 in 32"})
                bins.push_back(std::string(size) + ", " + swap);
        format_ = coverage_.add_group("format of a group", bins);
        command_ = coverage_.add_group(
            "command taken",
            {"without indices", "bound 0", "bound below the count", "bound at the count",
             "bound beyond the count", "from the start of a line", "from the last index of a line",
             "from within a dword", "in one line", "in two lines", "in more lines",
             "wraps at 48 bits", "ends at a line's end", "count beyond 31 bits",
             "bound beyond 31 bits"});
        bins.clear();
        for (const char* size : {"16 bits: ", "32 bits: "})
            for (unsigned n = 1; n <= VgtIndexDmaPins::kIndices; ++n)
                bins.push_back(size + std::to_string(n));
        for (unsigned n = 1; n <= VgtIndexDmaPins::kIndices; ++n)
            bins.push_back("beyond: " + std::to_string(n));
        for (const char* name :
             {"empty", "last in memory", "last beyond", "last in memory before those beyond",
              "ends with its line", "ends before its line"})
            bins.emplace_back(name);
        group_ = coverage_.add_group("group", bins);
        bins.clear();
        for (unsigned i = 0; i < 16; ++i)
            bins.push_back("from dword " + std::to_string(i));
        for (unsigned i = 1; i <= 16; ++i)
            bins.push_back(std::to_string(i) + " dwords");
        for (unsigned i = 0; i < kLines; ++i)
            bins.push_back("place " + std::to_string(i));
        request_ = coverage_.add_group("request", bins);
        reason_ = coverage_.add_group(
            "waits for", {"setup (fetch)", "lines ahead", "lines in flight", "memory port",
                          "commands before", "setup (give)", "data", "consumer"});
        bins.clear();
        for (unsigned i = 1; i <= VgtIndexDmaPins::kIndices; ++i)
            bins.push_back(std::to_string(i) + " indices");
        for (unsigned i = 1; i <= kLines; ++i)
            bins.push_back(std::to_string(i) + " lines");
        for (unsigned i = 1; i <= 4; ++i)
            bins.push_back(std::to_string(i) + " commands");
        for (const char* name : {"1 in flight", "some in flight", "lines bound those in flight",
                                 "setup in a cycle", "in 2", "in more", "in more than 16"})
            bins.emplace_back(name);
        setting_ = coverage_.add_group("settings", bins);
        stop_ = coverage_.add_group(
            "stop",
            {"type 2", "type 3", "16 bits at an odd byte", "32 bits at an odd byte",
             "32 bits at a half", "unmapped", "failed", "answer for an empty place",
             "answer given twice", "answer beyond the places", "answer of a wide tag",
             "of the second line or later", "bad command waits for others", "silent behind it",
             "strange answer with a bad command", "strange answer with a refused line"});
        flow_ = coverage_.add_group(
            "flow", {"answers out of order", "request, answer and group together",
                     "command taken while another is handed on", "four commands begun",
                     "reset with lines in flight", "nothing moves, nothing begun",
                     "nothing moves, something begun", "place freed and asked for",
                     "all sixteen places used", "answer taken while nothing may leave",
                     "group the cycle behind its line", "draw ends and a command is taken",
                     "setup while another is handed on"});
    }

    void restart() {
        commands_.drop();
        lost_ = asked_;
        asked_.clear();
        offered_ = -1;
        reset_in_ = 0;
        stuck_ = 0;
        age_ = 0;
        fresh_ = true;
        config_.indices = static_cast<uint8_t>(1 + random_.below(8));
        config_.lines = static_cast<uint8_t>(random_.one_in(4) ? 16 : 1 + random_.below(16));
        config_.in_flight = static_cast<uint8_t>(random_.one_in(3) ? 31 : 1 + random_.below(16));
        config_.commands = static_cast<uint8_t>(1 + random_.below(4));
        config_.setup = static_cast<uint8_t>(random_.one_in(20) ? random_.of_any_width(1, 0xff)
                                                                : 1 + random_.below(5));
        wraps_ = random_.one_in(6);
    }

    void choose(Command& c) {
        c = {};
        c.type = random_.one_in(2) ? 1 : 0;
        const unsigned bytes = c.type == 0 ? 2 : 4;
        c.swap = static_cast<uint8_t>(random_.below(4));
        c.vmid = static_cast<uint8_t>(random_.word());
        c.draw = random_.word();
        c.base = random_.bits() % kTop;
        if (wraps_ && random_.one_in(2))
            c.base |= kTop - 128;
        if (random_.one_in(4))
            c.base &= ~uint64_t{63};
        if (random_.one_in(8))
            c.base |= 64 - bytes;
        c.base &= ~uint64_t{bytes - 1};
        const uint32_t how = random_.below(16);
        c.count = how == 0   ? random_.below(2)
                  : how < 9  ? random_.below(24)
                  : how < 15 ? random_.below(100)
                             : random_.below(400);
        switch (random_.below(6)) {
            case 0:
                c.max = random_.below(c.count + 1);
                break;
            case 1:
                c.max = c.count;
                break;
            case 2:
                c.max = c.count + random_.below(3);
                break;
            case 3:
                c.max = random_.word();
                break;
            default:
                c.max = ~0u;
                break;
        }
        if (random_.one_in(24))
            c.max = 0;
        // Up to the end of a line.
        if (random_.one_in(8))
            c.count =
                static_cast<uint32_t>((64 - c.base % 64) / bytes + 64 / bytes * random_.below(3));
        if (endless_ && random_.one_in(400)) {
            c.count = random_.word() | 1u << 31;
            if (random_.one_in(2))
                c.max = random_.below(40);
        }
        if (random_.one_in(200)) {
            switch (random_.below(5)) {
                case 0:
                case 4:
                    c.type = static_cast<uint8_t>(2 + random_.below(2));
                    break;
                case 1:
                    c.type = 0;
                    c.base |= 1;
                    break;
                case 2:
                    c.type = 1;
                    c.base |= 1 + 2 * random_.below(2);
                    break;
                default:
                    c.type = 1;
                    c.base = (c.base & ~uint64_t{3}) | 2;
                    break;
            }
        }
    }

    void choose_response(In& in) {
        const bool wanted = response_flow_.next(random_);
        for (uint32_t& word : in.rsp.data)
            word = random_.word();
        in.rsp.tag = random_.one_in(2) ? random_.word() : random_.below(16);
        in.rsp.status = static_cast<uint8_t>(random_.below(4));
        offered_ = -1;
        // Now and then with another reason to stop.
        const bool refused = !order_.empty() && places_[order_.front()].refused;
        const bool bad = in.cmd_valid != 0 && begun_.empty() &&
                         vgt::check(to_command(in.cmd)) != IndexStop::None;
        const bool young = age_++ < 6;  // places asked for before the reset are not any more
        if (random_.one_in(refused || bad ? 3 : young ? 60 : 2'500)) {  // unsolicited
            in.rsp_valid = 1;
            in.rsp.status = 0;
            switch (young ? 3 : random_.below(6)) {
                case 0:
                    break;
                case 1:
                    in.rsp.tag = config_.lines;
                    break;
                case 2:
                    in.rsp.tag = asked_.empty() ? random_.below(config_.lines) : asked_[0];
                    in.rsp.tag |= 16u << random_.below(28);
                    break;
                case 3:
                case 4:
                    in.rsp.tag = young && !lost_.empty() ? lost_[0] : random_.below(config_.lines);
                    if (std::find(asked_.begin(), asked_.end(), in.rsp.tag) != asked_.end())
                        in.rsp_valid = 0;
                    break;
                default:
                    in.rsp.tag = answered_;
                    if (std::find(asked_.begin(), asked_.end(), in.rsp.tag) != asked_.end())
                        in.rsp_valid = 0;
                    break;
            }
            return;
        }
        if (!wanted || asked_.empty() || random_.one_in(4))
            return;
        offered_ = static_cast<int>(
            random_.one_in(2) ? 0 : random_.below(static_cast<uint32_t>(asked_.size())));
        in.rsp_valid = 1;
        in.rsp.tag = asked_[static_cast<size_t>(offered_)];
        in.rsp.status = random_.one_in(600) ? static_cast<uint8_t>(1 + random_.below(3)) : 0;
    }

    // ---- what the block holds, for coverage
    void mirror(const In& in, const Out& out) {
        if (in.rst != 0) {
            begun_.clear();
            places_ = {};
            order_.clear();
            stopped_ = false;
            return;
        }
        setting_up_ = out.fetch_reason == static_cast<uint8_t>(FetchReason::Setup);
        stopped_ |= out.stop_valid != 0;
        for (Place& p : places_)
            p.fresh = false;
        if (out.req_valid != 0)
            order_.push_back(out.req.tag);
        if (out.rsp_ready != 0) {
            places_[in.rsp.tag] = {true, true, in.rsp.status != 0};
            answered_ = in.rsp.tag;
        }
        if (out.cmd_ready != 0)
            begun_.push_back({in.cmd, 0});
        if (out.grp_valid != 0) {
            Begun& b = begun_.front();
            b.given += out.grp.count;
            if (ends_line(b)) {
                places_[order_.front()] = {};
                order_.pop_front();
            }
            if (out.grp.last != 0)
                begun_.pop_front();
        }
    }
    struct Begun {
        Command command;
        uint32_t given;
        uint64_t at() const { return command.base + uint64_t{given} * (command.type == 0 ? 2 : 4); }
        uint32_t fetched() const { return std::min(command.count, command.max); }
    };
    // With the indices given so far, all of which stood in memory.
    static bool ends_line(const Begun& b) {
        return b.given != 0 && b.given <= b.fetched() &&
               (b.at() % 64 == 0 || b.given == b.fetched());
    }

    void count(const In& in, const Out& out) {
        if (in.rst != 0) {
            count_settings(in.config);
            return;
        }
        count_stop(in, out);
        if (out.fetch_reason != 0)
            coverage_.hit(reason_, out.fetch_reason - 1u);
        if (out.give_reason != 0)
            coverage_.hit(reason_, 4u + out.give_reason);
        if (out.cmd_ready != 0)
            count_command(in.cmd);
        if (out.req_valid != 0) {
            coverage_.hit(request_, static_cast<size_t>(__builtin_ctz(out.req.mask)));
            coverage_.hit(request_, 15 + static_cast<size_t>(__builtin_popcount(out.req.mask)));
            coverage_.hit(request_, 32u + out.req.tag);
        }
        bool freed = false;
        if (out.grp_valid != 0 && !begun_.empty()) {
            Begun b = begun_.front();
            const bool in_memory = b.given < b.fetched();
            const unsigned n = out.grp.count;
            b.given += n;
            if (in_memory) {
                coverage_.hit(format_, 4u * b.command.type + b.command.swap);
                coverage_.hit(group_, 8u * b.command.type + n - 1);
                freed = ends_line(b);
                coverage_.hit(group_, 28, b.at() % 64 == 0);
                coverage_.hit(group_, 29, b.at() % 64 != 0);
                coverage_.hit(group_, 27, b.given == b.fetched() && out.grp.last == 0);
                coverage_.hit(group_, 25, out.grp.last != 0);
                coverage_.hit(flow_, 10, !order_.empty() && places_[order_.front()].fresh);
            } else {
                if (n != 0)
                    coverage_.hit(group_, 15u + n);
                coverage_.hit(group_, 24, n == 0);
                coverage_.hit(group_, 26, n != 0 && out.grp.last != 0);
            }
        }
        coverage_.hit(flow_, 0, offered_ > 0 && out.rsp_ready != 0);
        coverage_.hit(flow_, 1, out.req_valid != 0 && out.rsp_ready != 0 && out.grp_valid != 0);
        coverage_.hit(flow_, 2, out.cmd_ready != 0 && out.grp_valid != 0 && out.grp.last == 0);
        coverage_.hit(flow_, 3, begun_.size() == 4);
        coverage_.hit(flow_, 5, out.active == 0 && begun_.empty() && !stopped_);
        coverage_.hit(flow_, 6, out.active == 0 && !begun_.empty() && !stopped_);
        coverage_.hit(flow_, 7, freed && out.req_valid != 0);
        coverage_.hit(flow_, 8, order_.size() == kLines);
        coverage_.hit(flow_, 9, out.rsp_ready != 0 && in.req_ready == 0 && in.grp_ready == 0);
        coverage_.hit(flow_, 11, out.grp_valid != 0 && out.grp.last != 0 && out.cmd_ready != 0);
        coverage_.hit(flow_, 12, setting_up_ && begun_.size() > 1 && out.grp_valid != 0);
    }

    void count_command(const Command& c) {
        const uint32_t fetched = std::min(c.count, c.max);
        const unsigned bytes = c.type == 0 ? 2 : 4;
        const uint64_t end = c.base + uint64_t{fetched} * bytes;
        const uint64_t lines = fetched == 0 ? 0 : (end - 1) / 64 - c.base / 64 + 1;
        const auto hit = [&](size_t bin, bool when) { coverage_.hit(command_, bin, when); };
        hit(0, c.count == 0);
        hit(1, c.max == 0 && c.count != 0);
        hit(2, c.max != 0 && c.max < c.count);
        hit(3, c.max == c.count && c.count != 0);
        hit(4, c.max > c.count);
        hit(5, c.base % 64 == 0 && lines != 0);
        hit(6, c.base % 64 == 64 - bytes && lines != 0);
        hit(7, c.base % 4 == 2 && lines != 0);
        hit(8, lines == 1);
        hit(9, lines == 2);
        hit(10, lines > 2);
        hit(11, end > kTop);
        hit(12, lines != 0 && end % 64 == 0);
        hit(13, c.count >> 31 != 0);
        hit(14, c.max >> 31 != 0);
    }
    void count_settings(const VgtIndexDmaPins::Config& c) {
        if (c.indices == 0)  // before the first
            return;
        const auto hit = [&](size_t bin, bool when = true) { coverage_.hit(setting_, bin, when); };
        hit(c.indices - 1u);
        hit(7u + c.lines);
        hit(23u + c.commands);
        hit(28, c.in_flight == 1);
        hit(29, c.in_flight > 1 && c.in_flight < c.lines);
        hit(30, c.in_flight >= c.lines);
        hit(31, c.setup == 1);
        hit(32, c.setup == 2);
        hit(33, c.setup > 2);
        hit(34, c.setup > 16);
    }
    void count_stop(const In& in, const Out& out) {
        const auto hit = [&](size_t bin, bool when = true) { coverage_.hit(stop_, bin, when); };
        hit(13, stopped_ && (in.cmd_valid | in.rsp_valid) != 0);
        hit(12, out.fetch_reason == static_cast<uint8_t>(FetchReason::Commands) &&
                    begun_.size() < in.config.commands);
        if (out.stop_valid == 0)
            return;
        switch (static_cast<IndexStop>(out.stop_code)) {
            case IndexStop::Type:
                hit(in.cmd.type - 2u);
                break;
            case IndexStop::Alignment:
                hit(in.cmd.type == 0 ? 2 : in.cmd.base % 2 != 0 ? 3 : 4);
                break;
            case IndexStop::Unmapped:
            case IndexStop::Error:
                hit(out.stop_code == static_cast<uint8_t>(IndexStop::Unmapped) ? 5 : 6);
                hit(11, !begun_.empty() && begun_.front().given != 0);
                break;
            case IndexStop::Response:
                if (in.rsp.tag >= kLines)
                    hit(10);
                else if (in.rsp.tag >= in.config.lines)
                    hit(9);
                else
                    hit(places_[in.rsp.tag].come ? 8 : 7);
                hit(14, in.cmd_valid != 0 && begun_.empty() &&
                            vgt::check(to_command(in.cmd)) != IndexStop::None);
                hit(15, !order_.empty() && places_[order_.front()].refused);
                break;
            case IndexStop::None:
                break;
        }
    }

    struct Place {
        bool come = false;     // its line, which is not passed on
        bool fresh = false;    // in the cycle before
        bool refused = false;  // by memory
    };
    Random random_;
    const std::vector<In>* recorded_;
    bool endless_;  // commands that only a reset ends
    size_t at_ = 0;
    VgtIndexDmaPins::Config config_;
    Offer<Command> commands_{nullptr};
    std::vector<uint8_t> asked_;  // places of lines on their way, oldest first
    std::vector<uint8_t> lost_;   // those of before the reset
    int offered_ = -1;
    uint32_t answered_ = 0;
    bool fresh_ = true, wraps_ = false;
    uint32_t reset_in_ = 0;
    uint32_t stuck_ = 0, age_ = 0;
    Activity command_flow_, request_flow_, response_flow_, group_flow_;
    std::deque<Begun> begun_;
    std::array<Place, kLines> places_{};
    std::deque<uint8_t> order_;  // slots requested and not passed on
    bool stopped_ = false, setting_up_ = false;
    Coverage coverage_;
    size_t format_ = 0, command_ = 0, group_ = 0, request_ = 0, reason_ = 0, setting_ = 0,
           stop_ = 0, flow_ = 0;
};

// Memory of which every line is there, in any order: how far a block reads ahead is its own affair.
// Dwords that were not asked for are anything.
class IndexMemory final : public ElasticWorld {
  public:
    explicit IndexMemory(const CosimOptions&) {}

    void reset() override { answers_.clear(); }
    void drive(void* pins, Random& random) override {
        In& in = *static_cast<In*>(pins);
        const bool there = answers_.next(random, [&](const Answer& a) {
            Random contents(a.line);
            for (size_t i = 0; i < in.rsp.data.size(); ++i) {
                const uint32_t word = contents.word();
                in.rsp.data[i] = (a.mask >> i & 1) != 0 ? word : random.word();
            }
            in.rsp.tag = a.tag;
            in.rsp.status = 0;
        });
        in.rsp_valid = there ? 1 : 0;
    }
    void observe(const void* in_pins, const void* out_pins) override {
        const In& in = *static_cast<const In*>(in_pins);
        const Out& out = *static_cast<const Out*>(out_pins);
        if (in.rsp_valid != 0 && out.rsp_ready != 0)
            answers_.taken();
        if (in.req_ready != 0 && out.req_valid != 0)
            answers_.add({out.req.line, out.req.mask, out.req.tag});
    }
    bool quiet() const override { return answers_.empty(); }
    const char* flush(void* /*pins*/) const override { return nullptr; }
    std::string difference(const ElasticWorld& /*other*/) const override { return {}; }
    // What stands after the last index of a group is nothing.
    void trim(void* pins) override {
        Out& out = *static_cast<Out*>(pins);
        for (size_t i = out.grp.count; i < out.grp.index.size(); ++i)
            out.grp.index[i] = 0;
    }

  private:
    struct Answer {
        uint64_t line;
        uint16_t mask;
        uint32_t tag;
    };
    LateAnswers<Answer> answers_;
};

struct Parts {
    using Pins = VgtIndexDmaPins;
    using Core = vgt::IndexDmaCore;
    using Stimulus = VgtIndexDmaStimulus;
    using Recording = StepRecording<Parts>;
    using Unit = PinsInChip<VgtIndexDmaPins>;
    using World = IndexMemory;
    static constexpr uint64_t kMaxSteps = 500'000;  // some 130 bytes each
    static constexpr const char* kDescription = "index DMA unit of VGT";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<PinBlock<VgtIndexDmaPins>>(unit.pins);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
