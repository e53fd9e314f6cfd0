// SPDX-License-Identifier: Apache-2.0
// Bench of a compute unit: the waves that a workload launches (cu_recording.h), with the memory
// they find; or random ones (cu_random.h).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "models/asic/chip_options.h"
#include "models/common/text.h"
#include "models/cu/isa/effects.h"
#include "models/cu/isa/isa.h"
#include "models/cu/pins/cu_on_pins.h"
#include "models/cu/pins/cu_pin_core.h"
#include "models/gcn/wave_name.h"
#include "pins/cu_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/cu_memory.h"
#include "rtl-bridge/compare/cu_random.h"
#include "rtl-bridge/compare/cu_recording.h"

namespace archipelago::rtl {

template <>
struct OutputRules<CuPins> {
    static const char* wrong(const CuPins::In& in, const CuPins::Out& out) {
        if (in.hold != 0 && (out.retire_valid != 0 || out.stop_valid != 0))
            return "it retires or stops in a cycle with control_hold";
        if (out.fetch_valid != 0 && out.fetch_address % 32 != 0)
            return "fetch_address is not a multiple of 32";
        if (out.scalar_valid != 0 && out.scalar_address % 4 != 0)
            return "scalar_address is not a multiple of 4";
        for (unsigned i = 0; i + 1 < CuPins::kRequests; ++i)
            if (out.request_valid[i] == 0 && out.request_valid[i + 1] != 0)
                return "a request without one of each lower number";
        return nullptr;
    }
};

namespace {

using Pins = CuPins;
using In = Pins::In;
using Out = Pins::Out;

constexpr auto kWrite = static_cast<uint8_t>(MemCommand::Write);

std::vector<const CuRecordedUnit*> recorded_units(const CosimOptions& options) {
    if (options.recording == nullptr)
        throw std::invalid_argument(
            "under the contract elastic, cosim cu compares the waves of a workload: name one, "
            "--workload FILE");
    return dynamic_cast<const CuRecording&>(*options.recording).units();
}

std::string name_of(const Pins::Launch& launch) {
    WaveLaunch l;
    l.stage = static_cast<ShaderStage>(launch.stage);
    l.dispatch = launch.dispatch;
    l.group = launch.group;
    l.wave_in_group = launch.wave_in_group;
    return wave_name(l);
}

std::string instruction_text(uint64_t words, uint64_t pc) {
    const uint32_t pair[2] = {static_cast<uint32_t>(words), static_cast<uint32_t>(words >> 32)};
    const isa::Inst inst = isa::decode(pair, 2);
    return inst.format == isa::Format::Illegal ? fmt::format("0x{:08x}", pair[0])
                                               : isa::disassemble(inst, pc);
}

// ---- what stands around a unit: its memory, which answers in any order

class CuWorld final : public ElasticWorld {
  public:
    explicit CuWorld(const CosimOptions& options) : units_(recorded_units(options)) {}

    // The units one after the other.
    void reset() override {
        unit_ = units_[std::min(next_, units_.size() - 1)];
        ++next_;
        memory_ = unit_->memory;
        launch_ = 0;
        fetches_ = {};
        scalars_ = {};
        answers_ = {};
        invalidations_ = {};
        gds_ = unit_->gds;
        gds_answers_ = {};
        resident_ = 0;
    }
    void drive(void* pins, Random& random) override {
        In& in = *static_cast<In*>(pins);
        in.cycle = ++cycle_;
        in.pause = 0;
        in.retire = 1;
        in.fetch_ready = in.scalar_ready = in.invalidate_ready = in.icache_ready = in.gds_ready = 1;
        const unsigned room = random.below(Pins::kRequests + 1);
        for (unsigned i = 0; i < Pins::kRequests; ++i)
            in.request_ready[i] = i < room;
        in.fetched_valid = fetches_.choose(random, in.fetched);
        in.loaded_valid = scalars_.choose(random, in.loaded);
        Pins::Answer answer;
        in.answer_valid = {};
        if (answers_.choose(random, answer)) {
            in.answer_valid[0] = 1;
            in.answer[0] = answer;
        }
        in.invalidated_valid = invalidations_.choose(random, in.invalidated_tag);
        GdsAnswer shared;
        in.gdsdata_valid = gds_answers_.choose(random, shared);
        in.gdsdata_tag = shared.tag;
        in.gdsdata = shared.data;
    }
    void observe(const void* in_pins, const void* out_pins) override {
        const In& in = *static_cast<const In*>(in_pins);
        const Out& out = *static_cast<const Out*>(out_pins);
        fetches_.passed(in.fetched_valid != 0 && out.fetched_ready != 0);
        scalars_.passed(in.loaded_valid != 0 && out.loaded_ready != 0);
        answers_.passed(in.answer_valid[0] != 0 && out.answer_ready[0] != 0);
        invalidations_.passed(in.invalidated_valid != 0 && out.invalidated_ready != 0);
        gds_answers_.passed(in.gdsdata_valid != 0 && out.gdsdata_ready != 0);
        if (in.launch_valid != 0 && out.launch_ready != 0)
            launched(in.launch);
        if (out.done_valid != 0 && in.done_ready != 0)
            --resident_;
        if (out.fetch_valid != 0)
            fetch(out);
        if (out.scalar_valid != 0)
            load(out);
        for (unsigned i = 0; i < Pins::kRequests && in.request_ready[i] != 0; ++i)
            if (out.request_valid[i] != 0)
                serve(out.request[i]);
        if (out.invalidate_valid != 0)
            invalidations_.add(out.invalidate_tag);
        if (out.gds_valid != 0)
            gds_answers_.add({out.gds.tag, gds_.next(out.gds)});
    }
    bool quiet() const override {
        return resident_ == 0 && fetches_.empty() && scalars_.empty() && answers_.empty() &&
               invalidations_.empty() && gds_answers_.empty();
    }
    void trim(void* pins) override {
        Out& out = *static_cast<Out*>(pins);
        Pins::Retire& r = out.retire;
        if (out.retire_valid == 0)
            return;
        if (r.end != 0) {
            const uint8_t wave = r.wave;
            r = Pins::Retire{};
            r.wave = wave;
            r.end = 1;
        }
        if (r.scalar == 0)
            r.code = 0, r.value = 0;
        if (r.vector == 0)
            r.vgpr = 0, r.lanes = 0;
        for (unsigned lane = 0; lane < Pins::kLanes; ++lane)
            if ((r.lanes >> lane & 1) == 0)
                r.data[lane] = 0;
    }
    const char* flush(void*) const override { return nullptr; }
    std::string difference(const ElasticWorld& world) const override {
        const CuImage& other = dynamic_cast<const CuWorld&>(world).memory_;
        std::set<uint64_t> lines;
        for (const auto* image : {&memory_, &other})
            for (const auto& [line, bytes] : image->lines())
                lines.insert(line);
        for (const uint64_t line : lines)
            for (uint64_t at = line * kLineBytes; at < (line + 1) * kLineBytes; at += 4)
                if (memory_.word(at) != other.word(at))
                    return "memory behind the unit, when its waves had ended: " +
                           detail::field_text("dword at " + hex(at), memory_.word(at)) +
                           " behind the model," + detail::field_text("", other.word(at)).substr(1) +
                           " behind the Verilog";
        return {};
    }

    // The launch of the wave that it is of.
    uint64_t mark(const std::string& port, const void* pins) const override {
        const Out& out = *static_cast<const Out*>(pins);
        const uint8_t wave = port == "retire"    ? out.retire.wave
                             : port == "export"  ? out.exp.wave
                             : port == "message" ? out.message.wave
                                                 : out.done_wave;
        return running_[wave % Pins::kWaves];
    }
    std::string explain(const std::string& port, const std::string& field, uint64_t launch,
                        const Values& value) const override {
        if (port == "init" || port == "tiling" || port == "launch")
            return {};
        std::string text = name_of(unit_->launches[launch].launch);
        if (port == "done")
            return text + ", its end" + (field.empty() ? "" : ": " + field);
        if (port != "retire")
            return text + ", " + port + " at pc " + hex(value("pc")) +
                   (field.empty() ? "" : ": " + field);
        if (value("end") != 0)
            return text + ", behind its last instruction" + (field.empty() ? "" : ": " + field);
        const uint64_t pc = value("pc");
        text += " pc " + hex(pc) + " (" + instruction_text(value("words"), pc) + ")";
        return field.empty() ? text : text + ": " + register_of(field, value);
    }
    std::string explain_fault(const void* pins) const override {
        static constexpr const char* kReasons[] = {"no such instruction", "not implemented",
                                                   "memory fault", "wrong use", "protocol broken"};
        const Out& out = *static_cast<const Out*>(pins);
        return name_of(unit_->launches[running_[out.stop_wave % Pins::kWaves]].launch) + " pc " +
               hex(out.stop_pc) + " (" + instruction_text(out.stop_words, out.stop_pc) +
               "): " + kReasons[std::min<size_t>(out.stop_reason, std::size(kReasons) - 1)];
    }

  private:
    struct GdsAnswer {
        uint32_t tag = 0;
        Pins::Quad data{};
    };
    static constexpr uint32_t kPause = 4;  // cycles between answers of a port, on average

    // Answers on their way to a port, one of which is on the pins until it is taken.
    template <class T>
    class Answers {
      public:
        void add(const T& answer) { waiting_.push_back(answer); }
        bool empty() const { return waiting_.empty() && !held_; }
        bool choose(Random& random, T& pins) {
            if (!held_ && !waiting_.empty() && random.one_in(kPause)) {
                const auto at =
                    waiting_.begin() + random.below(static_cast<uint32_t>(waiting_.size()));
                answer_ = *at;
                waiting_.erase(at);
                held_ = true;
            }
            if (held_)
                pins = answer_;
            return held_;
        }
        void passed(bool taken) { held_ = held_ && !taken; }

      private:
        std::deque<T> waiting_;
        T answer_{};
        bool held_ = false;
    };

    void launched(const Pins::Launch& launch) {
        for (const CuPatch& patch : unit_->launches[launch_].patches)
            memory_.set(patch.line, patch.mask, patch.data.data());
        running_[launch.wave] = launch_++;
        ++resident_;
    }
    void fetch(const Out& out) {
        Pins::Fetched answer;
        answer.wave = out.fetch_wave;
        answer.tag = out.fetch_tag;
        answer.address = out.fetch_address;
        for (unsigned i = 0; i < answer.words.size(); ++i)
            answer.words[i] = memory_.word(out.fetch_address + 4 * i);
        fetches_.add(answer);
    }
    void load(const Out& out) {
        Pins::Loaded answer;
        answer.wave = out.scalar_wave;
        answer.tag = out.scalar_tag;
        for (unsigned i = 0; i < out.scalar_dwords && out.scalar_invalidate == 0; ++i)
            answer.data[i % 16] = memory_.word(out.scalar_address + 4 * i);
        scalars_.add(answer);
    }
    void serve(const Pins::Request& r) {
        Pins::Answer answer;
        answer.tag = r.tag;
        answer.command = r.command;
        answer.line = r.line;
        const Pins::Line old = memory_.execute(r);
        if (r.command != kWrite)
            answer.data = old;
        answers_.add(answer);
    }

    // A field of an issue cycle by the register it belongs to: "s4", "v3, lane 5", "exec".
    static std::string register_of(const std::string& field, const Values& value) {
        if (field == "value")
            return isa::scalar_register_name(static_cast<unsigned>(value("code")));
        const std::string vgpr = "v" + std::to_string(value("vgpr"));
        if (field.compare(0, 5, "data[") == 0)
            return vgpr + ", lane " + field.substr(5, field.size() - 6);
        if (field == "lanes")
            return vgpr + ", lanes written";
        return field;
    }

    std::vector<const CuRecordedUnit*> units_;
    const CuRecordedUnit* unit_ = nullptr;
    size_t next_ = 0;    // unit
    size_t launch_ = 0;  // of the unit, the next
    std::array<size_t, Pins::kWaves> running_{};
    unsigned resident_ = 0;
    CuImage memory_;
    Answers<Pins::Fetched> fetches_;
    Answers<Pins::Loaded> scalars_;
    Answers<Pins::Answer> answers_;
    Answers<uint32_t> invalidations_;
    CuGdsAnswers gds_;
    Answers<GdsAnswer> gds_answers_;
    uint64_t cycle_ = 0;
};

// ---- the launches, unit by unit

class RecordedStimulus final : public Stimulus<Pins> {
  public:
    explicit RecordedStimulus(const CosimOptions& options)
        : random_(options.seed), units_(recorded_units(options)), world_(options) {
        flow_ = coverage_.add_group(
            "unit", {"launch", "launch waits", "wave ends", "fetch", "scalar load", "read", "write",
                     "atomic", "row", "GDS", "export", "message"});
    }

    void next(In& in) override {
        in = In{};
        in.cfg = units_[unit_]->cfg;
        if (!begun_) {
            world_.reset();
            in.rst = 1;
            return;
        }
        world_.drive(&in, random_);
        in.done_ready = flow_done_.next(random_) ? 1 : 0;
        in.export_ready = flow_exports_.next(random_) ? 1 : 0;
        in.message_ready = flow_messages_.next(random_) ? 1 : 0;
        const auto& launches = units_[unit_]->launches;
        if (launch_ < launches.size() && may_launch(launches[launch_]))
            bring(launches[launch_], in);
    }

    void observe(const In& in, const Out& out) override {
        count(in, out);
        if (in.rst != 0) {
            begun_ = true;
            launch_ = tiling_ = row_ = 0;
            ended_.assign(units_[unit_]->launches.size(), false);
            return;
        }
        world_.observe(&in, &out);
        const auto& launches = units_[unit_]->launches;
        tiling_ += in.tiling_valid;
        if (in.init_valid != 0 && out.init_ready != 0)
            ++row_;
        if (in.launch_valid != 0 && out.launch_ready != 0) {
            running_[in.launch.wave] = launch_++;
            tiling_ = row_ = 0;
        }
        if (out.done_valid != 0 && in.done_ready != 0)
            ended_[running_[out.done_wave]] = true;
        if (launch_ == launches.size() && world_.quiet() && out.busy == 0) {
            ++unit_;
            begun_ = false;
        }
    }

    bool finished() const override { return unit_ == units_.size(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    // The waves whose places it may take have ended.
    bool may_launch(const CuRecordedLaunch& launch) const {
        return std::all_of(launch.after.begin(), launch.after.end(),
                           [&](size_t n) { return ended_[n]; });
    }
    // A wave, after what was written before it.
    void bring(const CuRecordedLaunch& launch, In& in) const {
        if (tiling_ < launch.tiling.size()) {
            in.tiling_valid = 1;
            in.tiling_index = launch.tiling[tiling_].index;
            in.tiling_value = launch.tiling[tiling_].value;
        } else if (row_ < launch.rows.size()) {
            in.init_valid = 1;
            in.init = launch.rows[row_];
        } else {
            in.launch_valid = 1;
            in.launch = launch.launch;
        }
    }
    void count(const In& in, const Out& out) {
        if (in.rst != 0)
            return;
        coverage_.hit(flow_, 0, in.launch_valid != 0 && out.launch_ready != 0);
        coverage_.hit(flow_, 1, in.launch_valid != 0 && out.launch_ready == 0);
        coverage_.hit(flow_, 2, out.done_valid != 0);
        coverage_.hit(flow_, 3, out.fetch_valid != 0);
        coverage_.hit(flow_, 4, out.scalar_valid != 0);
        for (unsigned i = 0; i < Pins::kRequests && out.request_valid[i] != 0; ++i)
            coverage_.hit(flow_, 5 + std::min<unsigned>(out.request[i].command, 2));
        coverage_.hit(flow_, 8, in.init_valid != 0 && out.init_ready != 0);
        coverage_.hit(flow_, 9, out.gds_valid != 0);
        coverage_.hit(flow_, 10, out.export_valid != 0);
        coverage_.hit(flow_, 11, out.message_valid != 0);
    }

    Random random_;
    std::vector<const CuRecordedUnit*> units_;
    CuWorld world_;  // of the unit that the stimulus sees
    Activity flow_done_, flow_exports_, flow_messages_;
    size_t unit_ = 0, launch_ = 0;
    size_t tiling_ = 0, row_ = 0;  // of the launch, that have passed
    bool begun_ = false;
    std::array<size_t, Pins::kWaves> running_{};
    std::vector<bool> ended_;
    Coverage coverage_;
    size_t flow_ = 0;
};

// Of a recording, or random.
class CuStimulus final : public Stimulus<Pins> {
  public:
    explicit CuStimulus(const CosimOptions& options) {
        if (options.recording == nullptr)
            chosen_ = make_cu_random(options.seed);
        else
            chosen_ = std::make_unique<RecordedStimulus>(options);
    }
    void next(In& in) override { chosen_->next(in); }
    void observe(const In& in, const Out& out) override { chosen_->observe(in, out); }
    bool finished() const override { return chosen_->finished(); }
    const Coverage& coverage() const override { return chosen_->coverage(); }

  private:
    std::unique_ptr<Stimulus<Pins>> chosen_;
};

// ---- in a chip: an instance for each unit

class CuSwap final : public BlockSwap, public cu::CuFactory {
  public:
    explicit CuSwap(const TwinOptions& options) : options_(options) {
        // What is wrong with the library shows here.
        if (options.place.empty())
            make_twin<Pins>(options);
        else if (options.place != kModelPlace)
            open_place(options.place, table_of<Pins>());
    }
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::CuFactory>(*this);
    }
    void only(unsigned instance) override { only_ = static_cast<int>(instance); }
    bool placed() const override { return !units_.empty(); }
    std::unique_ptr<cu::ComputeUnit> make(const cu::CuSpec& spec, const cu::CuIdentity& identity,
                                          std::shared_ptr<cu::DecodeCache> decode_cache,
                                          unsigned number) override {
        if (only_ >= 0 && number != static_cast<unsigned>(only_))
            return nullptr;
        units_.push_back(
            make_in_chip<Pins>(options_, [spec] { return std::make_unique<cu::CuPinCore>(spec); }));
        if (units_.size() == 1 && !waveform_.empty())
            units_.front()->open_waveform(waveform_);
        return std::make_unique<cu::CuOnPins>(*units_.back(), spec, identity,
                                              std::move(decode_cache));
    }
    // Of the first.
    void open_waveform(const std::string& file) override { waveform_ = file; }
    uint64_t cycles() const override {
        uint64_t n = 0;
        for (const auto& unit : units_)
            n += unit->cycles();
        return n;
    }

  private:
    TwinOptions options_;
    int only_ = -1;
    std::string waveform_;
    std::vector<std::unique_ptr<Twin<Pins>>> units_;
};

struct Parts {
    using Pins = CuPins;
    using Core = cu::CuPinCore;
    using Stimulus = CuStimulus;
    using Recording = CuRecording;
    using Swap = CuSwap;
    using World = CuWorld;
    static constexpr const char* kDescription = "a compute unit";
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
