// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the sequencer of CTM's processor execution unit.
#include <array>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/ctm/command/command.h"
#include "models/ctm/pe/sequencer_core.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {

namespace {

using In = CtmPePins::In;
using Out = CtmPePins::Out;

struct RecordedBuffer {
    std::vector<uint32_t> dwords;
    uint8_t after_idle = 0;
};

unsigned index_of(const ctm::CommandInfo* info) {
    return static_cast<unsigned>(info - ctm::commands().begin());
}
unsigned command_count() {
    return index_of(ctm::commands().end());
}

class CtmPeStimulus : public Stimulus<CtmPePins> {
  public:
    explicit CtmPeStimulus(const CosimOptions& options)
        : random_(options.seed), buffers_(recorded_traffic<RecordedBuffer>(options)) {
        std::vector<std::string> bins;
        for (const ctm::CommandInfo& info : ctm::commands())
            bins.emplace_back(info.name);
        command_ = coverage_.add_group("carried out", bins);
        held_up_ = coverage_.add_group("carried out after waiting for programs", bins);
        undefined_ = coverage_.add_group("carried out behind a start, or stopped there", bins);
        stop_ = coverage_.add_group(
            "stop", {"none", "unknown header", "the buffer ends within", "undefined"});
        wait_ = coverage_.add_group("wait", {"none", "dwords", "programs", "units", "receiver"});
        flow_ = coverage_.add_group(
            "flow",
            {"start with tests", "start with conditional outputs", "start with neither",
             "start while programs run", "MC takes first", "CO takes first", "both take",
             "as many commands on their way as may be", "both are done", "done and taken",
             "buffer after idle", "buffer waits", "end waits for programs", "end waits for units",
             "reset amid a command", "reset while it waits", "no delay", "the longest delay"});
    }

    void next(In& in) override {
        in.rst = reset_left_ != 0 || random_.one_in(6'000) || (stopped_ && random_.one_in(8));
        if (in.rst != 0)
            configure();
        in.allow = allow_;
        in.cycles = cycles_;
        if (programs_ ? random_.one_in(programs_last_) : random_.one_in(200))
            programs_ = !programs_;
        in.programs_run = programs_ ? 1 : 0;
        const bool done = hold_ == 0 && done_flow_.next(random_);
        hold_ -= hold_ != 0 ? 1 : 0;
        in.mc_done = done && mc_out_ != 0 && random_.below(4) != 0 ? 1 : 0;
        in.co_done = done && co_out_ != 0 && random_.below(4) != 0 ? 1 : 0;
        const RecordedBuffer* buffer =
            buffers_.in_cycle(buffer_flow_.next(random_), [&](RecordedBuffer& b) { choose(b); });
        in.buf_valid = buffer != nullptr && at_ == current_.dwords.size() ? 1 : 0;
        in.buf = {};
        if (in.buf_valid != 0)
            in.buf = {static_cast<uint32_t>(buffer->dwords.size()), buffer->after_idle};
        in.dw_valid = at_ < current_.dwords.size() && dword_flow_.next(random_) ? 1 : 0;
        in.dw_data = in.dw_valid != 0 ? current_.dwords[at_] : random_.word();
        in.mc_ready = mc_flow_.next(random_) ? 1 : 0;
        in.co_ready = co_flow_.next(random_) ? 1 : 0;
        in.ctr_ready = ctr_flow_.next(random_) ? 1 : 0;
        in.start_ready = start_flow_.next(random_) ? 1 : 0;
    }

    void observe(const In& in, const Out& out) override {
        count(in, out);
        const bool mc = (out.mc_valid & in.mc_ready) != 0, co = (out.co_valid & in.co_ready) != 0;
        mc_out_ += (mc ? 1u : 0u) - in.mc_done;
        co_out_ += (co ? 1u : 0u) - in.co_done;
        if ((out.start_valid & in.start_ready) != 0) {
            programs_ = true;
            programs_last_ = 1 + random_.below(120);
        }
        if ((out.dw_ready & in.dw_valid) != 0)
            ++at_;
        if ((out.buf_ready & in.buf_valid) != 0) {
            current_ = *buffers_.in_cycle(false, [](RecordedBuffer&) {});
            at_ = 0;
            hold_ = many_ ? kLongest : 0;
            buffers_.drop();
        }
        if (mc_out_ + co_out_ >= CtmPePins::kMaxInFlight - 1 && random_.one_in(20))
            hold_ = 0;
        stopped_ = out.stop_code != 0;
        idle_ = out.buf_ready != 0 && in.buf_valid == 0;
        if (in.rst != 0)
            forget();
    }

    bool finished() const override { return buffers_.is_used_up() && idle_; }
    const Coverage& coverage() const override { return coverage_; }

  private:
    static constexpr unsigned kMany = 300;        // commands
    static constexpr unsigned kLongest = 30'000;  // cycles without a done

    void configure() {
        static constexpr uint8_t kCycles[] = {0, 0, 1, 2, 3, 4, 5};
        cycles_ = random_.one_in(24) ? uint8_t{CtmPePins::kMaxCycles} : random_.pick(kCycles);
        allow_ = random_.one_in(4) ? 1 : 0;
        reset_left_ = reset_left_ == 0 ? random_.below(3) : reset_left_ - 1;
    }
    void forget() {
        mc_out_ = co_out_ = 0;
        current_ = {};
        at_ = 0;
        hold_ = 0;
        stopped_ = false;
        command_at_ = nullptr;
        behind_start_ = false;
    }

    // ---- buffers

    uint32_t parameter(const ctm::CommandInfo& info) {
        // Tests that are none, and those that differ from them in a bit.
        if (info.opcode == ctm::Opcode::SetCondTest && random_.one_in(2))
            return 7 | random_.word() << 3;
        return random_.word();
    }
    void add(const ctm::CommandInfo& info, RecordedBuffer& b) {
        b.dwords.push_back(info.header);
        for (unsigned i = 0; i < info.parameters; ++i)
            b.dwords.push_back(parameter(info));
    }
    void choose(RecordedBuffer& b) {
        b.dwords.clear();
        b.after_idle = random_.one_in(3) ? 1 : 0;
        const ctm::CommandInfo* all = ctm::commands().begin();
        many_ = random_.one_in(100);
        if (many_) {  // nothing but commands of units, that are not done for long
            const ctm::CommandInfo& one = ctm::commands().row(
                random_.one_in(2) ? ctm::Opcode::SetCondOutMask : ctm::Opcode::InvInpCache);
            for (unsigned n = 0; n < kMany; ++n)
                add(one, b);
            return;
        }
        const bool legal = !random_.one_in(4);
        bool started = b.after_idle == 0;
        const uint32_t commands =
            random_.one_in(300) ? random_.of_any_width(1, 0x2000) : 1 + random_.below(20);
        for (uint32_t n = commands; n > 0; --n) {
            const ctm::CommandInfo& info = random_.one_in(5)
                                               ? ctm::commands().row(ctm::Opcode::StartProgram)
                                               : all[random_.below(command_count())];
            if (legal && started && !info.pipelined)
                add(ctm::commands().row(ctm::Opcode::WaitForIdle), b);
            add(info, b);
            started = info.opcode == ctm::Opcode::StartProgram ||
                      (started && info.opcode != ctm::Opcode::WaitForIdle);
        }
        if (random_.one_in(8))
            spoil(b);
    }
    // A header with another bit, a word that is none, or an end within a command.
    void spoil(RecordedBuffer& b) {
        uint32_t& header = b.dwords[random_.below(static_cast<uint32_t>(b.dwords.size()))];
        switch (random_.below(3)) {
            case 0:
                header ^= 1u << random_.below(32);
                break;
            case 1:
                header = 0xC0000000 | random_.below(4) << 16 | random_.below(34) << 8;
                break;
            default:
                b.dwords.pop_back();
                if (b.dwords.empty())
                    b.dwords.push_back(0xC0000900);
                break;
        }
    }

    // ---- coverage

    void count(const In& in, const Out& out) {
        coverage_.hit(stop_, out.stop_code, out.stop_code != 0 || out.buf_ready != 0);
        coverage_.hit(wait_, out.wait_code);
        const bool act = out.cmd.opcode != 0;
        if (act) {
            if (command_at_ == nullptr)
                waited_ = false;
            command_at_ = &ctm::commands().row(static_cast<ctm::Opcode>(out.cmd.opcode));
            waited_ = waited_ || out.wait_code == CtmPePins::kPrograms;
            if (out.wait_code == CtmPePins::kNothing)
                count_finished();
        }
        if (out.stop_code == CtmPePins::kUndefined && !stopped_)
            coverage_.hit(undefined_, index_of(read_));
        follow(in, out);
        count_flow(in, out);
    }
    void count_finished() {
        const unsigned index = index_of(command_at_);
        coverage_.hit(command_, index);
        coverage_.hit(held_up_, index, waited_ || command_at_->order == ctm::CommandOrder::AtOnce);
        coverage_.hit(undefined_, index, behind_start_);
        if (command_at_->opcode == ctm::Opcode::StartProgram)
            behind_start_ = true;
        if (command_at_->opcode == ctm::Opcode::WaitForIdle)
            behind_start_ = false;
        command_at_ = nullptr;
    }
    // The command whose dwords pass.
    void follow(const In& in, const Out& out) {
        if ((out.buf_ready & in.buf_valid) != 0) {
            missing_ = 0;
            behind_start_ = behind_start_ && in.buf.after_idle == 0;
        }
        if ((out.dw_ready & in.dw_valid) == 0)
            return;
        if (missing_ != 0) {
            --missing_;
            return;
        }
        if (const ctm::CommandInfo* info = ctm::commands().find(in.dw_data)) {
            read_ = info;
            missing_ = info->parameters;
        }
    }
    void count_flow(const In& in, const Out& out) {
        const bool mc = (out.mc_valid & in.mc_ready) != 0, co = (out.co_valid & in.co_ready) != 0;
        const bool start = (out.start_valid & in.start_ready) != 0;
        const bool waits = out.wait_code != CtmPePins::kNothing;
        unsigned bin = 0;
        const auto hit = [&](bool when) { coverage_.hit(flow_, bin++, when); };
        hit(start && out.start.tests != 0);
        hit(start && out.start.conditional != 0);
        hit(start && out.start.tests == 0 && out.start.conditional == 0);
        hit(start && in.programs_run != 0);
        hit(mc && out.co_valid != 0 && in.co_ready == 0);
        hit(co && out.mc_valid != 0 && in.mc_ready == 0);
        hit(mc && co);
        hit(out.wait_code == CtmPePins::kUnits && mc_out_ + co_out_ >= 254);
        hit((in.mc_done & in.co_done) != 0);
        hit((mc || co) && (in.mc_done | in.co_done) != 0);
        hit((out.buf_ready & in.buf_valid & in.buf.after_idle) != 0);
        hit(out.buf_ready != 0 && in.buf_valid == 0);
        const bool last = at_ == current_.dwords.size() && out.cmd.opcode == 0 && waits;
        hit(last && out.wait_code == CtmPePins::kPrograms);
        hit(last && out.wait_code == CtmPePins::kUnits);
        hit(in.rst != 0 && missing_ != 0);
        hit(in.rst != 0 && waits);
        hit(out.cmd.opcode != 0 && !waits && in.cycles == 0);
        hit(out.cmd.opcode != 0 && !waits && in.cycles == CtmPePins::kMaxCycles);
    }

    Random random_;
    Activity done_flow_, buffer_flow_, dword_flow_, mc_flow_, co_flow_, ctr_flow_, start_flow_;
    Offer<RecordedBuffer> buffers_;
    RecordedBuffer current_;
    size_t at_ = 0;  // its next dword
    uint8_t cycles_ = 4, allow_ = 0;
    unsigned reset_left_ = 1;
    bool programs_ = false;
    uint32_t programs_last_ = 10;
    unsigned hold_ = 0;  // cycles without a done
    unsigned mc_out_ = 0, co_out_ = 0;
    bool many_ = false;  // commands of units, not done for long
    bool stopped_ = false, idle_ = true;
    const ctm::CommandInfo* command_at_ = nullptr;  // in its last state
    const ctm::CommandInfo* read_ = ctm::commands().begin();
    unsigned missing_ = 0;
    bool waited_ = false, behind_start_ = false;
    Coverage coverage_;
    size_t command_ = 0, held_up_ = 0, undefined_ = 0, stop_ = 0, wait_ = 0, flow_ = 0;
};

// The buffers that pass the sequencer of a chip.
class CtmPeRecording : public RecordingOf<RecordedBuffer> {
  public:
    static constexpr uint64_t kMax = 10'000;
    explicit CtmPeRecording(uint64_t limit) : RecordingOf(std::min(limit, kMax)) {}
    ~CtmPeRecording() override = default;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<PinBlock<CtmPePins>>(observed_);
    }

  private:
    class Observed : public PinBlock<CtmPePins> {
      public:
        explicit Observed(CtmPeRecording& to) : to_(to) {}
        void step(const In& in, Out& out) override {
            core_.step(in, out);
            if ((out.buf_ready & in.buf_valid) != 0)
                buffer_ = {{}, in.buf.after_idle};
            if ((out.dw_ready & in.dw_valid) != 0)
                buffer_.dwords.push_back(in.dw_data);
            if (out.end_valid != 0)
                to_.add(buffer_);
        }

      private:
        CtmPeRecording& to_;
        ctm::SequencerCore core_;
        RecordedBuffer buffer_;
    };
    Observed observed_{*this};
};

struct Parts {
    using Pins = CtmPePins;
    using Core = ctm::SequencerCore;
    using Stimulus = CtmPeStimulus;
    using Recording = CtmPeRecording;
    using Unit = PinsInChip<CtmPePins>;
    static constexpr const char* kDescription =
        "sequencer of CTM's processor execution unit: command buffers";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<PinBlock<CtmPePins>>(unit.pins);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
