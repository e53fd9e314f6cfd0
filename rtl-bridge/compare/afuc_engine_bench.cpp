// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of Adreno's micro engine.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/afuc/cp/units.h"
#include "models/afuc/engine/control_map.h"
#include "models/afuc/engine/engine_pins.h"
#include "models/afuc/engine/pm4_header.h"
#include "models/asic/chip_options.h"
#include "models/common/text.h"
#include "rtl-bridge/compare/afuc_program.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {
namespace {

using Pins = AfucEnginePins;
using In = Pins::In;
using Out = Pins::Out;
using afuc::ControlRegister;
using afuc::Encoding;
using afuc::Op;

constexpr unsigned kGenerationCount = std::size(afuc::kGenerations);
constexpr const char* kEncodingNames[] = {"a5xx", "a6xx", "a7xx"};

// A cycle of an engine of a chip.
struct RecordedCycle {
    unsigned engine = 0;
    In in;
};

// Of a chip: the engines one after the other, each from its reset on.
class Replay {
  public:
    explicit Replay(const std::vector<RecordedCycle>* recorded) {
        if (recorded == nullptr)
            return;
        cycles_ = *recorded;
        std::stable_sort(cycles_.begin(), cycles_.end(),
                         [](const auto& a, const auto& b) { return a.engine < b.engine; });
        active_ = true;
    }
    bool active() const { return active_; }
    bool finished() const { return active_ && at_ == cycles_.size(); }
    In next() { return finished() ? In{} : cycles_[at_++].in; }

  private:
    std::vector<RecordedCycle> cycles_;
    size_t at_ = 0;
    bool active_ = false;
};

// ---- coverage

class AfucCoverage {
  public:
    AfucCoverage() {
        for (unsigned e = 0; e < executed_.size(); ++e) {
            std::vector<std::string> rows;
            row_bin_[e].clear();
            for (const afuc::Row& r : afuc::instructions(Encoding(e))) {
                // a5xx cannot be preempted.
                const bool never = Encoding(e) == Encoding::A5 && r.op == Op::IRet;
                row_bin_[e].push_back(never ? kNone : rows.size());
                if (!never)
                    rows.push_back(std::string(r.name) + " " + hex(r.word));
            }
            executed_[e] = bins_.add_group(std::string("executed, ") + kEncodingNames[e], rows);
        }
        for (unsigned g = 0; g < kGenerationCount; ++g)
            add_generation(g);
        wait_ = bins_.add_group("wait", {"nothing", "not running", "room", "instruction", "data",
                                         "memory", "registers", "load", "live", "secure"});
        fault_ = bins_.add_group(
            "fault", {"none", "opcode", "microcode", "illegal instruction", "unimplemented"});
        kind_ = bins_.add_group("write", {"internal", "packet", "pipe", "queue"});
        const std::vector<std::string> counts = {"0", "1", "2", "3", "4", "5"};
        writes_ = bins_.add_group("writes in an issue cycle", {"0", "1", "2", "3", "4"});
        data_ = bins_.add_group("words of $data in an issue cycle", counts);
        memory_ = bins_.add_group("words of $memdata in an issue cycle", counts);
        registers_ = bins_.add_group("words of $regdata in an issue cycle", counts);
        level_ = bins_.add_group("level armed", {"IB1", "IB2", "IB3 or a6xx's SDS", "SDS"});
        flow_ = bins_.add_group(
            "flow", {"packet of type 4", "packet of type 7", "header that is none", "no handler",
                     "(rep) again", "boots BV", "boots LPAC", "REG_WRITE", "store",
                     "$data read for a header", "start amid a program", "start after a fault",
                     "counters down", "all counters down", "reset amid a program",
                     "preempted, asked from outside", "preempted by itself", "setsecure refused",
                     "setsecure done"});
    }

    void count(const In& in, const Out& out, const afuc::Row* row) {
        const unsigned generation = in.generation;
        bins_.hit(wait_, out.wait, in.rst == 0 && out.fault == 0);
        bins_.hit(fault_, out.fault, in.rst == 0 && (out.fault == 0 || last_.fault == 0));
        secure_ = out.issue != 0 && row != nullptr && row->op == Op::SetSecure;
        if (out.issue != 0 && row != nullptr)
            count_issue(generation, out, *row);
        count_flow(in, out);
        last_ = out;
    }
    const Coverage& bins() const { return bins_; }

  private:
    void add_generation(unsigned g) {
        const afuc::ControlMap map(afuc::kGenerations[g]);
        std::vector<std::string> names;
        bin_of_[g].fill(kNone);
        const auto at = [&](unsigned c) { return map.index_of(ControlRegister(c)); };
        for (unsigned c = 1; c < bin_of_[g].size(); ++c)
            if (at(c) != afuc::ControlMap::kNowhere) {
                bin_of_[g][c] = names.size();
                names.push_back(hex(at(c)));
            }
        maps_.push_back(map);
        const std::string of = std::string(", ") + afuc::kGenerations[g].name;
        written_[g] = bins_.add_group("control register written" + of, names);
        const bool live = map.index_of(ControlRegister::RingReadPointer) != map.kNowhere ||
                          afuc::kGenerations[g].coprocessors;
        read_[g] = bins_.add_group(
            "control register read" + of,
            live ? std::vector<std::string>{"own", "asked for"} : std::vector<std::string>{"own"});
    }
    void count_issue(unsigned generation, const Out& out, const afuc::Row& row) {
        const auto encoding = size_t(afuc::kGenerations[generation].encoding);
        const afuc::Row* first = afuc::instructions(Encoding(encoding)).data();
        bins_.hit(executed_[encoding], row_bin_[encoding][size_t(&row - first)]);
        bins_.hit(read_[generation], 0, row.op == Op::CRead);
        if (out.control_valid != 0) {
            const auto c = size_t(maps_[generation].at(out.control_index));
            bins_.hit(written_[generation], bin_of_[generation][c],
                      bin_of_[generation][c] != kNone);
        }
        bins_.hit(writes_, out.write_count);
        for (unsigned i = 0; i < out.write_count; ++i)
            bins_.hit(kind_, out.write_kind[i]);
        bins_.hit(data_, out.data_taken);
        bins_.hit(memory_, out.memory_taken);
        bins_.hit(registers_, out.register_taken);
        if (out.arm_valid != 0)
            bins_.hit(level_, out.arm_level - 1u);
    }
    void count_flow(const In& in, const Out& out) {
        if (out.live_valid != 0)
            bins_.hit(read_[in.generation], 1);
        const bool four = out.header >> 28 == 4;
        const bool opcode = out.fault == Pins::kOpcode && last_.fault == 0;
        const bool none = afuc::take_header(out.header).error != nullptr;
        const bool down = in.rst == 0 && out.issue != 0;
        unsigned bin = 0;
        const auto hit = [&](bool when) { bins_.hit(flow_, bin++, when); };
        hit(out.packet != 0 && four);
        hit(out.packet != 0 && !four);
        hit(opcode && none);
        hit(opcode && !none);
        hit(out.issue != 0 && last_.issue != 0 && out.pc == last_.pc);
        hit(out.boot_valid != 0 && out.boot_bv != 0);
        hit(out.boot_valid != 0 && out.boot_bv == 0);
        hit(out.direct_valid != 0);
        hit(out.store_valid != 0);
        hit(out.data_header != 0 && out.data_taken != 0);
        hit(in.rst == 0 && in.start_valid != 0 && out.issue != 0);
        hit(in.rst == 0 && in.start_valid != 0 && out.fault != 0);
        hit(down && (in.wfi_done | in.query_done | in.cache_done) != 0);
        hit(down && (in.wfi_done & in.query_done & in.cache_done) != 0);
        hit(in.rst != 0 && last_.issue != 0);
        hit(out.preempted != 0 && in.preempt != 0);
        hit(out.preempted != 0 && in.preempt == 0);
        hit(secure_ && in.secure_done == 0);
        hit(secure_ && in.secure_done != 0);
    }

    static constexpr size_t kNone = SIZE_MAX;
    using Bins = std::array<size_t, size_t(ControlRegister::kCount)>;
    Coverage bins_;
    std::vector<afuc::ControlMap> maps_;
    std::array<Bins, kGenerationCount> bin_of_{};
    std::array<std::vector<size_t>, 3> row_bin_;
    std::array<size_t, 3> executed_{};
    std::array<size_t, kGenerationCount> written_{}, read_{};
    size_t wait_ = 0, fault_ = 0, kind_ = 0, writes_ = 0, data_ = 0, memory_ = 0, registers_ = 0,
           level_ = 0, flow_ = 0;
    Out last_;
    bool secure_ = false;  // the issue cycle is a setsecure
};

// ---- stimulus

class AfucEngineStimulus : public Stimulus<Pins> {
  public:
    explicit AfucEngineStimulus(const CosimOptions& options)
        : random_(options.seed), replay_(recorded_traffic<RecordedCycle>(options)) {}

    void next(In& in) override {
        if (replay_.active()) {
            in = replay_.next();
            return;
        }
        in = {};
        if (!program_ || random_.one_in(4'000))
            reset(in);
        in.generation = config_.generation;
        in.to_queue = config_.to_queue;
        in.reads_nrt = config_.reads_nrt;
        if (in.rst == 0 && starts())
            start(in);
        write_line(in);
        write_table(in);
        give_words(in);
        // Handlers come before most packets.
        const bool early = table_next_ < kOften && !random_.one_in(20);
        const bool room = room_flow_.next(random_) || random_.one_in(2);
        in.room = !early && room ? 1 : 0;
        in.load_valid = load_flow_.next(random_) ? 1 : 0;
        in.load_word = word();
        in.live_valid = live_flow_.next(random_) ? 1 : 0;
        in.live_word = word();
        in.secure_valid = secure_flow_.next(random_) ? 1 : 0;
        in.secure_done = random_.one_in(2) ? 1 : 0;
        in.preempt = random_.one_in(6) ? 1 : 0;
        in.wfi_done = random_.one_in(8) ? 1 : 0;
        in.query_done = random_.one_in(8) ? 1 : 0;
        in.cache_done = random_.one_in(8) ? 1 : 0;
    }

    void observe(const In& in, const Out& out) override {
        if (replay_.active()) {
            follow_recorded(in);
            coverage_.count(in, out, row_at(recorded_program_, in.generation, out.pc));
            return;
        }
        // Of the program before a start.
        const std::vector<uint32_t>& words = before_;
        const afuc::Row* row = row_at(words, in.generation, out.pc);
        coverage_.count(in, out, row);
        faulty_ = out.fault != 0;
        asks_line_ = out.wait == Pins::kInstruction;
        pc_ = out.pc;
        since_packet_ = out.packet != 0 ? 0 : since_packet_ + 1;
        if (out.issue != 0)
            header_due_ = false;
        if (out.issue != 0 && row != nullptr && row->op == Op::WaitIn)
            choose_header();
        if (in.start_valid != 0 || in.rst != 0)
            header_due_ = faulty_ = asks_line_ = false;
        if (in.start_valid != 0)
            before_ = program_->words();
    }

    bool finished() const override { return replay_.finished(); }
    const Coverage& coverage() const override { return coverage_.bins(); }

  private:
    static constexpr uint32_t kOften = 32;                                      // opcodes
    static constexpr uint8_t kChecked[] = {7, 14, 15, 23, 24, 26, 27, 28, 31};  // of a header

    uint32_t word() { return program_->number(); }
    static const afuc::Row* row_at(const std::vector<uint32_t>& words, unsigned generation,
                                   uint32_t pc) {
        const Encoding e = afuc::kGenerations[generation].encoding;
        if (pc >= words.size())
            return nullptr;
        const afuc::Row* row = afuc::decode(e, words[pc]);
        return row != nullptr ? row : afuc::decode(e, afuc::nop(e));
    }

    void reset(In& in) {
        in.rst = 1;
        config_.generation =
            static_cast<uint8_t>(random_.one_in(8) ? 0 : random_.below(kGenerationCount));
        const bool five = config_.generation == 0;
        config_.to_queue = five && random_.one_in(2) ? 1 : 0;
        config_.reads_nrt = five && random_.one_in(2) ? 1 : 0;
        make_program();
        stopped_ = true;
        table_next_ = afuc::kTableWords;
        line_next_ = UINT32_MAX;
    }
    void make_program() {
        legal_ = !random_.one_in(3);
        program_.emplace(random_, afuc::kGenerations[config_.generation], legal_);
    }
    bool starts() {
        if (stopped_)
            return random_.one_in(4);
        if (faulty_)
            return random_.one_in(12);
        return random_.one_in(since_packet_ > 400 ? 60 : 2'500);
    }
    void start(In& in) {
        make_program();
        stopped_ = false;
        since_packet_ = 0;
        in.start_valid = 1;
        const auto words = static_cast<uint32_t>(program_->words().size());
        // A section may be longer than what is written into it, or shorter.
        in.start.words = random_.one_in(8) ? random_.below(Pins::kMaxInstructions) : words;
        in.start.base = uint64_t{word()} << 32 | word();
        in.start.role = static_cast<uint8_t>(random_.below(3));
        line_next_ = 0;
        table_next_ = 0;
    }
    // The next eight instructions, or those that are wanted.
    void write_line(In& in) {
        constexpr uint32_t kLine = Pins::kLine;
        const std::vector<uint32_t>& words = program_->words();
        if (in.rst != 0 || line_next_ == UINT32_MAX || !line_flow_.next(random_))
            return;
        uint32_t at = 0;
        if (asks_line_ && random_.one_in(2) && pc_ < words.size())
            at = pc_ / kLine * kLine;
        else if (line_next_ < words.size())
            at = std::exchange(line_next_, line_next_ + kLine);
        else if (random_.one_in(200))  // beyond the end, or again
            at = random_.one_in(2) ? random_.below(Pins::kMaxInstructions / kLine) * kLine : 0;
        else
            return;
        in.line_valid = 1;
        in.line_address = at;
        for (uint32_t i = 0; i < kLine; ++i)
            in.line_words[i] = at + i < words.size() ? words[at + i] : random_.word();
    }
    void write_table(In& in) {
        const bool again = random_.one_in(300);
        if (in.rst != 0 || (table_next_ >= afuc::kTableWords && !again))
            return;
        in.table_valid = 1;
        in.table_entry = static_cast<uint8_t>(
            table_next_ < afuc::kTableWords ? table_next_++ : random_.below(afuc::kTableWords));
        in.table_value = random_.one_in(legal_ ? 400 : 30) ? 0 : program_->handler();
        if (!legal_ && random_.one_in(20))
            in.table_value |= random_.word() << 16;
    }
    void give_words(In& in) {
        const auto give = [&](Activity& flow, uint8_t& count, auto& words) {
            count = static_cast<uint8_t>(flow.next(random_) ? Pins::kWords
                                                            : random_.below(Pins::kWords + 1));
            for (uint32_t& w : words)
                w = word();
        };
        give(data_flow_, in.data_count, in.data_words);
        give(memory_flow_, in.memory_count, in.memory_words);
        give(register_flow_, in.register_count, in.register_words);
        if (header_due_)
            in.data_words[0] = header_;
    }
    void choose_header() {
        header_due_ = true;
        const uint32_t count = random_.one_in(12) ? random_.word() : random_.below(8);
        const unsigned opcode = random_.below(random_.one_in(8)   ? afuc::kTableWords
                                              : random_.one_in(3) ? 2
                                                                  : kOften);
        if (random_.one_in(3))
            header_ = afuc::make_type4_header(random_.word() & afuc::kMaxRegister,
                                              count & afuc::kMaxRegisters);
        else
            header_ = afuc::make_type7_header(opcode, count & 0x3FFF);
        if (random_.one_in(legal_ ? 80 : 5))
            header_ ^= 1u << (random_.one_in(2) ? random_.pick(kChecked) : random_.below(32));
    }
    // The program that a chip's engine has been given.
    void follow_recorded(const In& in) {
        if (in.start_valid != 0)
            recorded_program_.assign(in.start.words, 0);
        for (uint32_t i = 0; in.line_valid != 0 && i < Pins::kLine; ++i)
            if (in.line_address + i < recorded_program_.size())
                recorded_program_[in.line_address + i] = in.line_words[i];
    }

    Random random_;
    Replay replay_;
    std::vector<uint32_t> recorded_program_;
    In config_;
    std::optional<AfucProgram> program_;
    std::vector<uint32_t> before_;
    Activity room_flow_, load_flow_, live_flow_, secure_flow_, line_flow_, data_flow_, memory_flow_,
        register_flow_;
    bool legal_ = true, stopped_ = true, faulty_ = false, asks_line_ = false, header_due_ = false;
    uint32_t header_ = 0, pc_ = 0, since_packet_ = 0;
    uint32_t table_next_ = afuc::kTableWords, line_next_ = UINT32_MAX;
    AfucCoverage coverage_;
};

// ---- in a chip: one for each engine

class AfucEngineRecording : public RecordingOf<RecordedCycle>, public afuc::EngineFactory {
  public:
    static constexpr uint64_t kMax = 100'000;
    explicit AfucEngineRecording(uint64_t limit) : RecordingOf(std::min(limit, kMax)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<afuc::EngineFactory>(*this);
    }
    PinBlock<Pins>& engine(const afuc::ProcessorSpec& spec, unsigned number) override {
        afuc::check_twin(spec);
        listeners_.push_back(std::make_unique<Listener>(*this, number));
        return *listeners_.back();
    }

  private:
    class Listener : public PinBlock<Pins> {
      public:
        Listener(AfucEngineRecording& to, unsigned number) : to_(to), number_(number) {}
        void step(const In& in, Out& out) override {
            core_.step(in, out);
            to_.add({number_, in});
        }

      private:
        AfucEngineRecording& to_;
        unsigned number_;
        afuc::EnginePins core_;
    };
    std::vector<std::unique_ptr<Listener>> listeners_;
};

class AfucEngineSwap : public TwinsSwap<Pins, afuc::EnginePins>, public afuc::EngineFactory {
  public:
    using TwinsSwap::TwinsSwap;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<afuc::EngineFactory>(*this);
    }
    PinBlock<Pins>& engine(const afuc::ProcessorSpec& spec, unsigned number) override {
        afuc::check_twin(spec);
        return twin(number);
    }
};

struct Parts {
    using Pins = AfucEnginePins;
    using Core = afuc::EnginePins;
    using Stimulus = AfucEngineStimulus;
    using Recording = AfucEngineRecording;
    using Swap = AfucEngineSwap;
    static constexpr const char* kDescription = "micro engine of Adreno's command processor";
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
