// SPDX-License-Identifier: Apache-2.0
// Bench of a compute unit: the waves that a workload launches, beside the model, with the memory
// they find; or random ones (cu_random.h).
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
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/cu_memory.h"
#include "rtl-bridge/compare/cu_random.h"
#include "rtl-bridge/pins/cu_pins.h"

namespace archipelago::rtl {

template <>
struct OutputRules<CuPins> {
    static const char* wrong(const CuPins::In&, const CuPins::Out& out) {
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

constexpr auto kRead = static_cast<uint8_t>(MemCommand::Read);
constexpr auto kWrite = static_cast<uint8_t>(MemCommand::Write);

// ---- what a unit of a chip was given

// Bytes of a line that others have written.
struct Patch {
    uint64_t line = 0, mask = 0;
    std::array<uint8_t, kLineBytes> data{};
};
struct RecordedLaunch {
    Pins::Launch launch;
    std::vector<size_t> after;   // launches whose waves have ended before, since the one before
    std::vector<Patch> patches;  // what memory holds in front of it
};
struct RecordedUnit {
    Pins::Config cfg;
    CuImage memory;  // before the first launch, as far as it was read
    std::vector<RecordedLaunch> launches;
};

// The model of a unit, which writes down its launches and what it has read.
class Listener : public cu::CuPinCore {
  public:
    Listener(const cu::CuSpec& timing, uint64_t limit) : CuPinCore(timing), limit_(limit) {}

    void step(const In& in, Out& out) override {
        CuPinCore::step(in, out);
        unit_.cfg = in.cfg;
        if (in.rst != 0)
            return;
        if (in.launch_valid != 0 && out.launch_ready != 0)
            launched(in.launch);
        if (out.done_valid != 0 && in.done_ready != 0)
            ended_.push_back(running_[out.done_wave]);
        refuse_others(out);
        if (is_full())
            return;
        responses(in, out);
        requests(in, out);
        ++now_;
    }
    uint64_t passed() const { return passed_; }
    const RecordedUnit& unit() const { return unit_; }

  private:
    struct Asked {
        uint64_t address = 0;  // bytes, of the scalar cache
        unsigned dwords = 0;
        uint64_t mask = 0;  // of a line
        uint64_t at = 0;
    };
    // What is known of a line, and when the unit itself has written each byte last.
    struct Known {
        uint64_t bytes = 0, initial = 0;
        std::array<uint64_t, kLineBytes> written{};
        CuImage::Bytes now;
    };

    bool is_full() const { return passed_ > limit_; }

    static void refuse_others(const Out& out) {
        if (out.gds_valid != 0 || out.export_valid != 0 || out.message_valid != 0)
            throw std::invalid_argument(
                "the workload's waves use the global data share, exports or messages, which stand "
                "behind no unit in a comparison: put the Verilog into the chip, run --rtl");
    }

    void launched(const Pins::Launch& launch) {
        if (launch.stage != static_cast<uint8_t>(ShaderStage::Cs))
            throw std::invalid_argument(
                "the workload draws, and a comparison launches compute waves only: put the "
                "Verilog into the chip, run --rtl");
        if (++passed_ > limit_)
            return;
        if (unit_.launches.empty() || unit_.launches.back().launch.dispatch != launch.dispatch)
            first_of_dispatch_ = unit_.launches.size();
        running_[launch.wave] = unit_.launches.size();
        unit_.launches.push_back({launch, std::exchange(ended_, {}), {}});
    }

    void requests(const In& in, const Out& out) {
        if (out.scalar_valid != 0 && in.scalar_ready != 0 && out.scalar_invalidate == 0)
            scalar_[out.scalar_tag] = {out.scalar_address, out.scalar_dwords, 0, now_};
        for (unsigned i = 0; i < Pins::kRequests && out.request_valid[i] != 0; ++i) {
            const Pins::Request& r = out.request[i];
            vector_[r.tag] = {0, 0, r.mask, now_};
            Known& known = lines_[r.line];
            if (r.command == kRead)
                continue;
            for (size_t b = 0; b < kLineBytes; ++b)
                if ((r.mask >> b & 1) != 0)
                    known.written[b] = now_;
            if (r.command != kWrite)
                continue;
            known.bytes |= r.mask;
            const auto* data = reinterpret_cast<const uint8_t*>(r.data.data());
            for (size_t b = 0; b < kLineBytes; ++b)
                if ((r.mask >> b & 1) != 0)
                    known.now.data[b] = data[b];
        }
    }

    void responses(const In& in, const Out& out) {
        if (in.fetched_valid != 0 && out.fetched_ready != 0 && in.fetched.fault == 0)
            saw(in.fetched.address, in.fetched.words.data(), 8, ~uint64_t{0}, now_);
        if (in.loaded_valid != 0 && out.loaded_ready != 0 && in.loaded.fault == 0) {
            const Asked& asked = scalar_[in.loaded.tag];
            saw(asked.address, in.loaded.data.data(), asked.dwords, ~uint64_t{0}, asked.at);
        }
        for (unsigned i = 0; i < Pins::kRequests && out.answer_ready[i] != 0; ++i) {
            const Pins::Answer& answer = in.answer[i];
            const Asked& asked = vector_[answer.tag];
            if (answer.command == kRead && answer.status == 0)
                saw(answer.line * kLineBytes, answer.data.data(), 16, asked.mask, asked.at);
            else if (answer.command != kRead && answer.command != kWrite)
                changed(answer, asked);
        }
    }

    // Dwords as they were read: what was asked for at `asked`, bytes of the mask.
    void saw(uint64_t address, const uint32_t* words, unsigned dwords, uint64_t mask,
             uint64_t asked) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(words);
        for (unsigned i = 0; i < 4 * dwords; ++i)
            if (dwords != 16 || (mask >> i & 1) != 0)
                saw_byte(address + i, bytes[i], asked);
    }
    void saw_byte(uint64_t address, uint8_t value, uint64_t asked) {
        const uint64_t line = address / kLineBytes;
        const size_t at = address % kLineBytes;
        Known& known = lines_[line];
        if (known.written[at] > asked)
            return;  // its own write has overtaken the read
        const uint64_t bit = uint64_t{1} << at;
        if ((known.bytes & bit) != 0 && known.now.data[at] == value)
            return;
        if (((known.bytes | known.initial) & bit) == 0 && known.written[at] == 0)
            unit_.memory.at(line).data[at] = value;
        else
            patch(line, at, value);
        known.bytes |= bit;
        known.initial |= bit;
        known.now.data[at] = value;
    }
    // The old values of an atomic are what memory held in front of it.
    void changed(const Pins::Answer& answer, const Asked& asked) {
        Known& known = lines_[answer.line];
        const auto* bytes = reinterpret_cast<const uint8_t*>(answer.data.data());
        for (size_t b = 0; b < kLineBytes; ++b) {
            const uint64_t bit = uint64_t{1} << b;
            if ((asked.mask & bit) != 0 && ((known.bytes | known.initial) & bit) == 0) {
                unit_.memory.at(answer.line).data[b] = bytes[b];
                known.initial |= bit;
            }
        }
    }
    void patch(uint64_t line, size_t at, uint8_t value) {
        if (unit_.launches.empty())
            return;
        auto& patches = unit_.launches[first_of_dispatch_].patches;
        auto found = std::find_if(patches.begin(), patches.end(),
                                  [&](const Patch& p) { return p.line == line; });
        if (found == patches.end())
            found = patches.insert(found, Patch{line, 0, {}});
        found->mask |= uint64_t{1} << at;
        found->data[at] = value;
    }

    uint64_t limit_;
    uint64_t passed_ = 0;
    uint64_t now_ = 1;
    RecordedUnit unit_;
    size_t first_of_dispatch_ = 0;
    std::array<size_t, Pins::kWaves> running_{};  // launch of the wave of each number
    std::vector<size_t> ended_;
    std::map<uint32_t, Asked> scalar_, vector_;  // by tag
    std::map<uint64_t, Known> lines_;
};

class CuRecording : public Recording, public cu::CuFactory {
  public:
    static constexpr uint64_t kMostOfAUnit = 4096;
    explicit CuRecording(uint64_t limit) : limit_(std::min(limit, kMostOfAUnit)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::CuFactory>(*this);
    }
    std::unique_ptr<cu::ComputeUnit> make(const cu::CuSpec& spec, const cu::CuIdentity& identity,
                                          std::shared_ptr<cu::DecodeCache> decode_cache,
                                          unsigned) override {
        listeners_.push_back(std::make_unique<Listener>(spec, limit_));
        return std::make_unique<cu::CuOnPins>(*listeners_.back(), spec, identity,
                                              std::move(decode_cache));
    }
    uint64_t size() const override {
        uint64_t n = 0;
        for (const auto& listener : listeners_)
            n += listener->unit().launches.size();
        return n;
    }
    uint64_t passed() const override {
        uint64_t n = 0;
        for (const auto& listener : listeners_)
            n += listener->passed();
        return n;
    }
    // Of units with launches.
    std::vector<const RecordedUnit*> units() const {
        std::vector<const RecordedUnit*> all;
        for (const auto& listener : listeners_)
            if (!listener->unit().launches.empty())
                all.push_back(&listener->unit());
        return all;
    }

  private:
    uint64_t limit_;
    std::vector<std::unique_ptr<Listener>> listeners_;
};

std::vector<const RecordedUnit*> recorded_units(const CosimOptions& options) {
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
    return cu::wave_name(l);
}

std::string instruction_text(uint64_t words, uint64_t pc) {
    const uint32_t pair[2] = {static_cast<uint32_t>(words), static_cast<uint32_t>(words >> 32)};
    const isa::Inst inst = isa::decode(pair, 2);
    return inst.format == isa::Format::Illegal ? format_text("0x%08x", pair[0])
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
        resident_ = 0;
    }
    void drive(void* pins, Random& random) override {
        In& in = *static_cast<In*>(pins);
        in.cycle = ++cycle_;
        in.pause = 0;
        in.retire = 1;
        in.fetch_ready = in.scalar_ready = in.invalidate_ready = 1;
        const unsigned room = random.below(Pins::kRequests + 1);
        for (unsigned i = 0; i < Pins::kRequests; ++i)
            in.request_ready[i] = i < room;
        in.icache_ready = in.gds_ready = in.export_ready = in.message_ready = 0;
        in.init_valid = in.tiling_valid = in.gdsdata_valid = 0;
        in.fetched_valid = fetches_.choose(random, in.fetched);
        in.loaded_valid = scalars_.choose(random, in.loaded);
        Pins::Answer answer;
        in.answer_valid = {};
        if (answers_.choose(random, answer)) {
            in.answer_valid[0] = 1;
            in.answer[0] = answer;
        }
        in.invalidated_valid = invalidations_.choose(random, in.invalidated_tag);
    }
    void observe(const void* in_pins, const void* out_pins) override {
        const In& in = *static_cast<const In*>(in_pins);
        const Out& out = *static_cast<const Out*>(out_pins);
        fetches_.passed(in.fetched_valid != 0 && out.fetched_ready != 0);
        scalars_.passed(in.loaded_valid != 0 && out.loaded_ready != 0);
        answers_.passed(in.answer_valid[0] != 0 && out.answer_ready[0] != 0);
        invalidations_.passed(in.invalidated_valid != 0 && out.invalidated_ready != 0);
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
    }
    bool quiet() const override {
        return resident_ == 0 && fetches_.empty() && scalars_.empty() && answers_.empty() &&
               invalidations_.empty();
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

    // The launch of the wave that retires or ends.
    uint64_t mark(const void* pins) const override {
        const Out& out = *static_cast<const Out*>(pins);
        return running_[(out.retire_valid != 0 ? out.retire.wave : out.done_wave) % Pins::kWaves];
    }
    std::string explain(const std::string& port, const std::string& field, uint64_t launch,
                        const Values& value) const override {
        if (port != "retire" && port != "done")
            return {};
        std::string text = name_of(unit_->launches[launch].launch);
        if (port == "done")
            return text + ", its end" + (field.empty() ? "" : ": " + field);
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
        for (const Patch& patch : unit_->launches[launch_].patches)
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

    // A field of a beat by the register it belongs to: "s4", "v3, lane 5", "exec".
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

    std::vector<const RecordedUnit*> units_;
    const RecordedUnit* unit_ = nullptr;
    size_t next_ = 0;    // unit
    size_t launch_ = 0;  // of the unit, the next
    std::array<size_t, Pins::kWaves> running_{};
    unsigned resident_ = 0;
    CuImage memory_;
    Answers<Pins::Fetched> fetches_;
    Answers<Pins::Loaded> scalars_;
    Answers<Pins::Answer> answers_;
    Answers<uint32_t> invalidations_;
    uint64_t cycle_ = 0;
};

// ---- the launches, unit by unit

class RecordedStimulus final : public Stimulus<Pins> {
  public:
    explicit RecordedStimulus(const CosimOptions& options)
        : random_(options.seed),
          units_(recorded_units(options)),
          world_(options),
          retires_(!options.place.empty()) {
        flow_ = coverage_.add_group("unit", {"launch", "launch waits", "wave ends", "fetch",
                                             "scalar load", "read", "write", "atomic"});
    }

    void next(In& in) override {
        in = In{};
        in.cfg = units_[unit_]->cfg;
        in.retire = retires_;
        if (!begun_) {
            world_.reset();
            in.rst = 1;
            return;
        }
        world_.drive(&in, random_);
        in.retire = retires_;
        in.done_ready = flow_done_.next(random_) ? 1 : 0;
        const auto& launches = units_[unit_]->launches;
        if (launch_ < launches.size() && may_launch(launches[launch_])) {
            in.launch_valid = 1;
            in.launch = launches[launch_].launch;
        }
    }

    void observe(const In& in, const Out& out) override {
        count(in, out);
        if (in.rst != 0) {
            begun_ = true;
            launch_ = 0;
            ended_.assign(units_[unit_]->launches.size(), false);
            return;
        }
        world_.observe(&in, &out);
        const auto& launches = units_[unit_]->launches;
        if (in.launch_valid != 0 && out.launch_ready != 0)
            running_[in.launch.wave] = launch_++;
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
    bool may_launch(const RecordedLaunch& launch) const {
        return std::all_of(launch.after.begin(), launch.after.end(),
                           [&](size_t n) { return ended_[n]; });
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
    }

    Random random_;
    std::vector<const RecordedUnit*> units_;
    CuWorld world_;  // of the unit that the stimulus sees
    bool retires_;   // the twin does not say what retires
    Activity flow_done_;
    size_t unit_ = 0, launch_ = 0;
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
        else
            open_place<Pins>(options.place);
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
