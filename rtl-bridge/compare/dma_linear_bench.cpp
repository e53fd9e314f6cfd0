// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the linear datapath of the async DMA engines.
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string>

#include "models/asic/chip_options.h"
#include "models/dma/linear_core.h"
#include "models/dma/units.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/instance_recording.h"

namespace archipelago::rtl {
namespace {

using In = DmaLinearPins::In;
using Out = DmaLinearPins::Out;
using dma::LinearState;

constexpr uint32_t kLine = 64;  // bytes
constexpr unsigned kMaxReadLines = 512, kMaxWriteLines = 0x1fff, kMaxOpenLines = 16;

// ---- traffic recorded in a chip

// Engine by engine. A cycle is some 600 bytes.
class DmaLinearRecording : public InstanceRecording<dma::LinearCore>, public dma::LinearFactory {
  public:
    static constexpr uint64_t kMax = 100'000;  // of an engine
    explicit DmaLinearRecording(uint64_t limit) : InstanceRecording(std::min(limit, kMax)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<dma::LinearFactory>(*this);
    }
    PinBlock<DmaLinearPins>& datapath(const dma::Spec& spec) override {
        dma::check_twin(spec);
        return add();
    }
};

// ---- random traffic

struct RandomSpan {
    uint64_t address = 0;
    uint32_t bytes = 0;
    uint8_t swap = 0;
};

class DmaLinearStimulus : public Stimulus<DmaLinearPins> {
  public:
    explicit DmaLinearStimulus(const CosimOptions& options)
        : random_(options.seed), recorded_(options) {
        if (!recorded_)  // the spans of recorded transfers are not known here
            add_bins();
        restart();
    }

    void next(In& in) override {
        if (recorded_) {
            in = recorded_.next();
            return;
        }
        if (random_.one_in(1'200) || stuck_ > 3'000 || (reset_in_ != 0 && --reset_in_ == 0))
            restart();
        in = {};
        in.config = config_;
        in.rst = fresh_ ? 1 : 0;
        in.hold = hold_flow_.next(random_) || !random_.one_in(20) ? 0 : 1;
        in.req_ready = request_flow_.next(random_) ? 1 : 0;
        fill(in.rsp.data);
        fill(in.begin.data);
        choose_answers(in);
        if (!fresh_ && !active_ && in.hold == 0 && begin_flow_.next(random_)) {
            choose_transfer();
            in.begin_valid = 1;
        }
        const uint64_t noise = random_.bits();
        in.begin.source = static_cast<uint8_t>(in.begin_valid != 0 ? source_ : noise & 3);
        in.begin.both = static_cast<uint8_t>(in.begin_valid != 0 ? both_ : noise >> 2 & 1);
        in.begin.bytes = in.begin_valid != 0 ? bytes_ : noise;
        in.begin.first = static_cast<uint8_t>(noise >> 3 & 63);
        show(in);
    }

    void observe(const In& in, const Out& out) override {
        if (recorded_)
            return;
        count(in, out);
        if (in.rst != 0) {
            fresh_ = false;
            return;
        }
        if (in.begin_valid != 0)
            active_ = true;
        if (in.rsp_valid != 0)
            asked_.erase(asked_.begin() + offered_);
        if (in.ack_valid != 0)
            --unacknowledged_;
        if (out.req_valid != 0) {
            if (out.req.write != 0)
                ++unacknowledged_;
            else
                asked_.push_back(out.req.tag);
        }
        take(source_spans_, out.src_taken);
        for (unsigned i = 0; i < DmaLinearPins::kTargets; ++i)
            take(target_spans_[i], out.dst_taken[i]);
        if (out.written != 0)
            active_ = false;
        stuck_ = out.active != 0 || !active_ ? 0 : stuck_ + 1;
    }

    bool finished() const override { return recorded_.finished(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    using Spans = std::deque<RandomSpan>;

    void add_bins() {
        transfer_ = coverage_.add_group(
            "transfer", {"memory", "memory, two targets", "data", "data, two targets", "dword",
                         "dword, two targets", "entries", "entries, two targets", "one span",
                         "many spans", "one byte", "beyond 4 GiB", "wraps"});
        std::vector<std::string> bins;
        for (unsigned i = 0; i < kLine; ++i)
            bins.push_back("from byte " + std::to_string(i));
        for (unsigned i = 1; i <= kLine; ++i)
            bins.push_back(std::to_string(i) + " bytes");
        piece_ = coverage_.add_group("piece of a target", bins);
        bins.clear();
        for (unsigned i = 0; i < kLine; ++i)
            bins.push_back("by " + std::to_string(i));
        turn_ = coverage_.add_group("alignment of source and target", bins);
        bins.clear();
        for (unsigned i = 0; i < 8; ++i)
            bins.push_back("mask " + std::to_string(i));
        swap_ = coverage_.add_group("swap", bins);
        bins.clear();
        for (const char* what : {"source: ", "first target: ", "second target: "})
            for (unsigned i = 1; i <= 8; ++i)
                bins.push_back(what + std::to_string(i));
        taken_ = coverage_.add_group("spans touched in a cycle", bins);
        bins.clear();
        for (unsigned i = 1; i <= 8; ++i)
            bins.push_back(std::to_string(i) + " addresses");
        for (unsigned i = 1; i <= kMaxOpenLines; ++i)
            bins.push_back(std::to_string(i) + " open lines");
        for (const char* name :
             {"1 line read", "up to 8", "up to 64", "up to 512", "1 line written",
              "up to 8 written", "more written", "burst of 1", "of up to 4", "of more"})
            bins.emplace_back(name);
        setting_ = coverage_.add_group("settings", bins);
        flow_ = coverage_.add_group("flow", {"request waits",
                                             "answers out of order",
                                             "answer while held",
                                             "acknowledged while held",
                                             "answer and read together",
                                             "answer and write together",
                                             "acknowledged and written together",
                                             "as many writes as may be",
                                             "reads stalled",
                                             "whole line written",
                                             "part of a line written",
                                             "line written and more to come",
                                             "write behind write",
                                             "read behind read",
                                             "write behind read",
                                             "read behind write",
                                             "begins and moves",
                                             "ends as it begins",
                                             "begins in the cycle behind an end",
                                             "reset amid a transfer",
                                             "piece queue full",
                                             "nothing moves",
                                             "both targets in a cycle",
                                             "begins with an acknowledgement"});
    }

    void restart() {
        fresh_ = true;
        active_ = false;
        asked_.clear();
        unacknowledged_ = 0;
        pieces_ = 0;
        stuck_ = 0;
        reset_in_ = 0;
        source_spans_.clear();
        target_spans_ = {};
        const auto size = [&](unsigned most) {
            return static_cast<uint16_t>(random_.one_in(3) ? 1 + random_.below(most)
                                         : random_.one_in(2)
                                             ? 1 + random_.below(std::min(most, 16u))
                                         : random_.one_in(3) ? 1
                                                             : most);
        };
        config_.read_lines = size(kMaxReadLines);
        config_.write_lines = random_.one_in(20)
                                  ? static_cast<uint16_t>(random_.of_any_width(1, kMaxWriteLines))
                                  : size(64);
        starves_ = random_.one_in(10);
        config_.addresses = static_cast<uint8_t>(starves_            ? 8
                                                 : random_.one_in(4) ? 1
                                                 : random_.one_in(4) ? 8
                                                                     : 1 + random_.below(8));
        config_.open_lines = static_cast<uint8_t>(
            config_.addresses + random_.below(kMaxOpenLines + 1u - config_.addresses));
        config_.burst = static_cast<uint8_t>(random_.one_in(4) ? random_.of_any_width(1, 0x7f)
                                                               : 1 + random_.below(5));
    }

    template <class Data>
    void fill(Data& data) {
        for (uint32_t& word : data)
            word = random_.word();
    }

    void choose_answers(In& in) {
        in.rsp.tag = static_cast<uint16_t>(random_.below(kMaxReadLines));
        const bool late =
            starves_ && source_ == 0 && pieces_ < LinearState::kMaxPieces && stuck_ < 40;
        if (!fresh_ && response_flow_.next(random_) && !asked_.empty() && !late) {
            offered_ = random_.one_in(2) ? 0 : random_.below(static_cast<uint32_t>(asked_.size()));
            in.rsp_valid = 1;
            in.rsp.tag = asked_[offered_];
        }
        in.ack_valid = !fresh_ && ack_flow_.next(random_) && unacknowledged_ != 0 ? 1 : 0;
    }

    // ---- transfers
    enum class Style : uint8_t { Line, Near, Far, Same };

    uint64_t far_address() {
        switch (random_.below(8)) {
            case 0:
                return random_.bits();
            case 1:
                return ~uint64_t{0} - random_.below(4096);  // wraps
            case 2:
            case 3:  // the last but for high bits
                far_ ^= uint64_t{1} << (36 + random_.below(28));
                return far_;
            default:
                far_ = random_.bits() >> 24;
                return far_;
        }
    }
    // Spans that make `bytes`, each a multiple of `unit`, or each one.
    Spans spans(uint64_t bytes, uint32_t unit, bool tiny) {
        Spans made;
        const auto style = tiny ? (random_.one_in(2) ? Style::Line : Style::Same)
                                : static_cast<Style>(random_.below(4));
        const bool one = !tiny && random_.one_in(3);
        const uint32_t most = unit * (tiny || random_.one_in(3) ? 1
                                      : random_.one_in(2)       ? 1 + random_.below(32 / unit + 1)
                                                                : 1 + random_.below(400));
        uint64_t at = far_address();
        if (random_.one_in(2))
            at &= ~uint64_t{unit - 1};
        if (random_.one_in(3))
            at &= ~uint64_t{kLine - 1};
        const uint64_t first = at;
        const uint32_t stride = unit * random_.below(96);
        while (bytes != 0) {
            uint32_t n = static_cast<uint32_t>(std::min<uint64_t>(bytes, 0xffff'fff8u));
            if (!one)
                n = std::min(n, random_.one_in(2) ? most : unit * (1 + random_.below(most / unit)));
            made.push_back({at, n, 0});
            bytes -= n;
            switch (style) {
                case Style::Line:
                    at += n;
                    break;
                case Style::Near:
                    at += stride;
                    break;
                case Style::Far:
                    at = far_address();
                    break;
                case Style::Same:  // a few lines, again and again
                    at = first + random_.below(kLine * 12);
                    break;
            }
            if (made.size() > 6'000) {
                made.back().bytes += static_cast<uint32_t>(bytes);
                bytes = 0;
            }
        }
        return made;
    }
    void choose_transfer() {
        source_ = static_cast<uint8_t>(starves_ || random_.one_in(2) ? 0 : random_.below(4));
        both_ = random_.one_in(3) ? 1 : 0;
        const bool swaps = random_.one_in(2);
        const uint32_t unit = swaps ? 8 : random_.one_in(2) ? 4 : 1;
        const uint32_t how = random_.below(16);
        bytes_ = uint64_t{unit} * (how == 0   ? 1
                                   : how < 10 ? 1 + random_.below(40)
                                   : how < 14 ? 1 + random_.below(600)
                                              : 1 + random_.below(4'000));
        if (starves_ && random_.one_in(2))
            bytes_ = unit * (LinearState::kMaxPieces + random_.below(1'000));
        if (random_.one_in(150)) {
            bytes_ = (uint64_t{1} << 32) + 8 * random_.below(1 << 20);
            reset_in_ = 50 + random_.below(400);
        }
        source_spans_.clear();
        if (source_ == 0)
            source_spans_ = spans(bytes_, starves_ ? unit : 1, starves_);
        target_spans_ = {};
        for (unsigned i = 0; i <= both_; ++i) {
            target_spans_[i] = spans(bytes_, unit, random_.one_in(6));
            const auto first = static_cast<uint8_t>(swaps ? random_.below(8) : 0);
            const auto second = static_cast<uint8_t>(swaps ? random_.below(8) : 0);
            const bool fields = random_.one_in(4);
            for (RandomSpan& span : target_spans_[i])
                span.swap = fields && random_.one_in(2) ? second : first;
        }
        count_transfer();
    }

    void show_side(const Spans& from, DmaLinearPins::Spans& to, std::array<uint8_t, 8>* swap) {
        const size_t n =
            active_ || from_begin_ ? std::min<size_t>(from.size(), config_.addresses) : 0;
        to.count = static_cast<uint8_t>(n);
        for (size_t i = 0; i < DmaLinearPins::kSpans; ++i) {
            to.address[i] = i < n ? from[i].address : random_.bits();
            to.bytes[i] = i < n ? from[i].bytes : random_.word();
            if (swap != nullptr)
                (*swap)[i] = i < n ? from[i].swap : static_cast<uint8_t>(random_.below(8));
        }
    }
    void show(In& in) {
        from_begin_ = in.begin_valid != 0;
        show_side(source_spans_, in.src, nullptr);
        for (unsigned i = 0; i < DmaLinearPins::kTargets; ++i)
            show_side(target_spans_[i], in.dst[i], &in.dst[i].swap);
    }
    static void take(Spans& spans, uint32_t bytes) {
        while (bytes != 0 && bytes >= spans.front().bytes) {
            bytes -= spans.front().bytes;
            spans.pop_front();
        }
        if (bytes != 0) {
            spans.front().address += bytes;
            spans.front().bytes -= bytes;
        }
    }

    // ---- coverage
    void count_transfer() {
        const auto hit = [&](size_t bin, bool when = true) { coverage_.hit(transfer_, bin, when); };
        hit(2u * source_ + both_);
        hit(8, target_spans_[0].size() == 1);
        hit(9, target_spans_[0].size() > 100);
        hit(10, bytes_ == 1);
        hit(11, bytes_ >> 32 != 0);
        const RandomSpan& first = target_spans_[0].front();
        hit(12, first.address + first.bytes < first.address);
        if (source_ == 0)
            coverage_.hit(turn_, (first.address - source_spans_.front().address) % kLine);
        coverage_.hit(swap_, first.swap);
    }
    void count_settings() {
        const auto hit = [&](size_t bin, bool when = true) { coverage_.hit(setting_, bin, when); };
        hit(config_.addresses - 1u);
        hit(7u + config_.open_lines);
        hit(24, config_.read_lines == 1);
        hit(25, config_.read_lines > 1 && config_.read_lines <= 8);
        hit(26, config_.read_lines > 8 && config_.read_lines <= 64);
        hit(27, config_.read_lines > 64);
        hit(28, config_.write_lines == 1);
        hit(29, config_.write_lines > 1 && config_.write_lines <= 8);
        hit(30, config_.write_lines > 8);
        hit(31, config_.burst == 1);
        hit(32, config_.burst > 1 && config_.burst <= 4);
        hit(33, config_.burst > 4);
    }
    static unsigned touched(const Spans& spans, uint32_t bytes) {
        unsigned n = 0;
        for (; bytes != 0; ++n)
            bytes -= std::min(bytes, spans[n].bytes);
        return n;
    }
    void count(const In& in, const Out& out) {
        if (in.rst != 0) {
            coverage_.hit(flow_, 19, was_active_);
            count_settings();
            was_active_ = ended_ = false;
            last_ = 0;
            return;
        }
        const bool reads = out.req_valid != 0 && out.req.write == 0;
        const bool writes = out.req_valid != 0 && out.req.write != 0;
        const bool works = (active_ || in.begin_valid != 0) && in.hold == 0;
        const auto hit = [&](size_t bin, bool when) { coverage_.hit(flow_, bin, when); };
        for (unsigned i = 0; i < 3; ++i) {
            const unsigned n = i == 0 ? touched(source_spans_, out.src_taken)
                                      : touched(target_spans_[i - 1], out.dst_taken[i - 1]);
            if (n != 0)
                coverage_.hit(taken_, 8 * i + std::min(n, 8u) - 1);
        }
        if (out.dst_taken[0] != 0) {
            const RandomSpan& span = target_spans_[0].front();
            const auto offset = static_cast<uint32_t>(span.address % kLine);
            coverage_.hit(piece_, offset);
            coverage_.hit(piece_, kLine - 1 + std::min(span.bytes, kLine - offset));
        }
        hit(0, works && in.req_ready == 0 && out.active == 0);
        hit(1, in.rsp_valid != 0 && offered_ != 0);
        hit(2, in.rsp_valid != 0 && in.hold != 0);
        hit(3, in.ack_valid != 0 && in.hold != 0);
        hit(4, in.rsp_valid != 0 && reads);
        hit(5, in.rsp_valid != 0 && writes);
        hit(6, in.ack_valid != 0 && writes);
        hit(7, unacknowledged_ == config_.write_lines && works);
        hit(8, out.stalled != 0);
        hit(9, writes && out.req.mask == ~uint64_t{0});
        hit(10, writes && out.req.mask != ~uint64_t{0});
        hit(11, writes && out.req.mask != ~uint64_t{0} && out.dst_taken[0] != 0);
        hit(12, writes && last_ == 2);
        hit(13, reads && last_ == 1);
        hit(14, writes && last_ == 1);
        hit(15, reads && last_ == 2);
        hit(16, in.begin_valid != 0 && out.active != 0);
        hit(17, in.begin_valid != 0 && out.written != 0);
        hit(18, in.begin_valid != 0 && ended_);
        hit(20, works && source_ == 0 && silent_ && pieces_ == LinearState::kMaxPieces &&
                    out.src_taken == 0);
        count_pieces(in, out);
        hit(21, works && out.active == 0);
        hit(22, out.dst_taken[0] != 0 && out.dst_taken[1] != 0);
        hit(23, in.begin_valid != 0 && in.ack_valid != 0);
        if (out.req_valid != 0)
            last_ = writes ? 2 : 1;
        ended_ = out.written != 0;
        was_active_ = works && out.written == 0;
    }
    // Pieces of the source; all wait while there was no answer.
    void count_pieces(const In& in, const Out& out) {
        if (in.begin_valid != 0) {
            pieces_ = 0;
            silent_ = true;
        }
        silent_ = silent_ && in.rsp_valid == 0;
        uint32_t bytes = out.src_taken;
        for (size_t i = 0; bytes != 0; ++i) {
            const RandomSpan& s = source_spans_[i];
            const uint32_t n = std::min(bytes, s.bytes);
            pieces_ += (s.address % kLine + n + kLine - 1) / kLine;
            bytes -= n;
        }
    }

    Random random_;
    Replay<dma::LinearCore> recorded_;
    DmaLinearPins::Config config_;
    bool fresh_ = true, active_ = false, from_begin_ = false, starves_ = false;
    std::vector<uint16_t> asked_;  // tags of lines on their way, oldest first
    uint32_t offered_ = 0;
    uint32_t unacknowledged_ = 0, stuck_ = 0, reset_in_ = 0;
    uint8_t source_ = 0, both_ = 0;
    uint64_t bytes_ = 0, far_ = 0;
    Spans source_spans_;
    std::array<Spans, DmaLinearPins::kTargets> target_spans_;
    Activity hold_flow_, request_flow_, response_flow_, ack_flow_, begin_flow_;
    uint64_t pieces_ = 0;
    bool was_active_ = false, ended_ = false, silent_ = true;
    unsigned last_ = 0;  // message: 1 read, 2 write
    Coverage coverage_;
    size_t transfer_ = 0, piece_ = 0, turn_ = 0, swap_ = 0, taken_ = 0, setting_ = 0, flow_ = 0;
};

// ---- in a chip: a twin for each engine

class DmaLinearSwap : public TwinsSwap<DmaLinearPins, dma::LinearCore>, public dma::LinearFactory {
  public:
    using TwinsSwap::TwinsSwap;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<dma::LinearFactory>(*this);
    }
    PinBlock<DmaLinearPins>& datapath(const dma::Spec& spec) override {
        dma::check_twin(spec);
        return twin(spec.instance);
    }
};

struct Parts {
    using Pins = DmaLinearPins;
    using Core = dma::LinearCore;
    using Stimulus = DmaLinearStimulus;
    using Recording = DmaLinearRecording;
    using Swap = DmaLinearSwap;
    static constexpr const char* kDescription = "linear datapath of the async DMA engines";
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
