// SPDX-License-Identifier: Apache-2.0
// The lockstep bench of a block from its parts. compare/<block>_bench.cpp ends with
//
//   struct Parts {
//       using Pins = ...;
//       using Core = ...;       // the model: a PinBlock<Pins>
//       using Stimulus = ...;   // a rtl::Stimulus<Pins>, from CosimOptions
//       using Recording = ...;  // a rtl::Recording of what Stimulus replays, from its limit;
//                               // StepRecording<Parts> where it replays inputs step by step
//       static constexpr uint64_t kMaxSteps = ...;  // that a StepRecording keeps
//       using Unit = ...;       // has a chip ask a PinBlock<Pins>, from which it is made
//       static constexpr const char* kDescription = ...;
//       static void attach(asic::ChipOptions&, Unit&);
//       using Swap = ...;       // in place of Unit and attach(): a rtl::BlockSwap of more twins
//                               // than one, made from TwinOptions
//       static constexpr const char* kAbsent = ...;  // only of a block no chip has: why
//       using World = ...;      // only where Pins::kElastic serves ports: a rtl::ElasticWorld,
//       from
//                               // CosimOptions
//   };
//   template <>
//   const CosimBench& cosim_bench<Parts::Pins>() {
//       static const BlockBench<Parts> bench;
//       return bench;
//   }
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "rtl-bridge/compare/cosim.h"
#include "rtl-bridge/compare/elastic.h"
#include "rtl-bridge/compare/in_chip.h"
#include "rtl-bridge/compare/random.h"
#include "rtl-bridge/compare/toggles.h"

namespace archipelago::rtl {

template <class Pins>
const CosimBench& cosim_bench();

// The first transactions of those added, and how many were added.
template <class T>
class RecordingOf : public Recording {
  public:
    explicit RecordingOf(uint64_t limit) : limit_(limit) {}
    uint64_t size() const override { return transactions_.size(); }
    uint64_t passed() const override { return passed_; }
    const std::vector<T>& transactions() const { return transactions_; }

  protected:
    void add(const T& transaction) {
        ++passed_;
        if (transactions_.size() < limit_)
            transactions_.push_back(transaction);
    }

  private:
    uint64_t limit_;
    uint64_t passed_ = 0;
    std::vector<T> transactions_;
};

// What was recorded for a run; null: nothing, its stimulus is random.
template <class T>
const std::vector<T>* recorded_traffic(const CosimOptions& options) {
    return options.recording == nullptr
               ? nullptr
               : &dynamic_cast<const RecordingOf<T>&>(*options.recording).transactions();
}

// What a stimulus offers at one input port: recorded transactions in their order, or chosen ones;
// each until it is taken.
template <class T>
class Offer {
  public:
    // `recorded` null: chosen ones.
    explicit Offer(const std::vector<T>* recorded) : recorded_(recorded) {}
    bool is_recorded() const { return recorded_ != nullptr; }
    // Recorded traffic has been taken to the last.
    bool is_used_up() const { return recorded_ != nullptr && next_ == recorded_->size() && !held_; }
    // Called once per cycle: the transaction on the port, a new one only when it is `wanted`; null:
    // none.
    template <class F>
    const T* in_cycle(bool wanted, F&& choose) {
        if (!held_ && wanted && !is_used_up()) {
            held_ = true;
            if (recorded_ != nullptr)
                transaction_ = (*recorded_)[next_++];
            else
                choose(transaction_);
        }
        return held_ ? &transaction_ : nullptr;
    }
    // It has been taken, or a reset has come in between.
    void drop() { held_ = false; }

  private:
    const std::vector<T>* recorded_ = nullptr;
    size_t next_ = 0;
    T transaction_{};
    bool held_ = false;
};

// A swap of blocks of which a chip has several: a twin for each, made when it is first asked for.
template <class Pins, class Core>
class TwinsSwap : public BlockSwap {
  public:
    explicit TwinsSwap(const TwinOptions& options) : options_(options) { twin(0); }
    // Of the first.
    void open_waveform(const std::string& file) override { twins_.front()->open_waveform(file); }
    uint64_t cycles() const override {
        uint64_t n = 0;
        for (const auto& twin : twins_)
            n += twin->cycles();
        return n;
    }

  protected:
    Twin<Pins>& twin(size_t instance) {
        while (twins_.size() <= instance)
            twins_.push_back(make_in_chip<Pins, Core>(options_));
        return *twins_[instance];
    }

  private:
    TwinOptions options_;
    std::vector<std::unique_ptr<Twin<Pins>>> twins_;
};

// Has a chip ask one twin through Parts::Unit.
template <class Parts>
class UnitSwap final : public BlockSwap {
  public:
    explicit UnitSwap(const TwinOptions& options)
        : twin_(make_in_chip<typename Parts::Pins, typename Parts::Core>(options)) {}
    void attach(asic::ChipOptions& options) override { Parts::attach(options, unit_); }
    void open_waveform(const std::string& file) override { twin_->open_waveform(file); }
    uint64_t cycles() const override { return twin_->cycles(); }

  private:
    std::unique_ptr<Twin<typename Parts::Pins>> twin_;
    typename Parts::Unit unit_{*twin_};
};

// A Parts::Unit that is the pins themselves: the chip has the block on pins, not the core, ask.
template <class Pins>
struct PinsInChip {
    PinBlock<Pins>& pins;
    explicit PinsInChip(PinBlock<Pins>& block) : pins(block) {}
};

// Parts::kMaxSteps, or no limit.
template <class Parts, class = void>
struct MostSteps {
    static constexpr uint64_t kValue = ~uint64_t{0};
};
template <class Parts>
struct MostSteps<Parts, std::void_t<decltype(Parts::kMaxSteps)>> {
    static constexpr uint64_t kValue = Parts::kMaxSteps;
};

// A Parts::Recording: what a chip's block sees at its pins, step by step, as a twin in its place
// would; the model's core answers.
template <class Parts>
class StepRecording final : public RecordingOf<typename Parts::Pins::In>,
                            public PinBlock<typename Parts::Pins> {
  public:
    using Pins = typename Parts::Pins;

    explicit StepRecording(uint64_t limit)
        : RecordingOf<typename Pins::In>(std::min(limit, MostSteps<Parts>::kValue)) {}
    void attach(asic::ChipOptions& options) override { Parts::attach(options, unit_); }
    void step(const typename Pins::In& in, typename Pins::Out& out) override {
        this->add(in);
        core_.step(in, out);
    }

  private:
    typename Parts::Core core_;
    typename Parts::Unit unit_{*this};
};

// Parts::Swap, or UnitSwap.
template <class Parts, class = void>
struct SwapOf {
    using Type = UnitSwap<Parts>;
};
template <class Parts>
struct SwapOf<Parts, std::void_t<typename Parts::Swap>> {
    using Type = typename Parts::Swap;
};

// Parts::World, or none.
template <class Parts, class = void>
struct WorldOf {
    static std::unique_ptr<ElasticWorld> make(const CosimOptions&) { return nullptr; }
};
template <class Parts>
struct WorldOf<Parts, std::void_t<typename Parts::World>> {
    static std::unique_ptr<ElasticWorld> make(const CosimOptions& options) {
        return std::make_unique<typename Parts::World>(options);
    }
};

template <class Parts>
class BlockBench final : public CosimBench {
  public:
    using Pins = typename Parts::Pins;

    const char* block() const override { return Pins::kName; }
    const char* description() const override { return Parts::kDescription; }
    bool has_twin() const override { return rtl::has_twin<Pins>(); }
    std::vector<std::string> mutants() const override { return twin_mutants<Pins>(); }
    const PinTable& pins() const override { return table_of<Pins>(); }
    std::unique_ptr<rtl::Recording> make_recording(uint64_t limit) const override {
        return std::make_unique<typename Parts::Recording>(limit);
    }
    std::unique_ptr<BlockSwap> make_swap(const TwinOptions& options) const override {
        return std::make_unique<typename SwapOf<Parts>::Type>(options);
    }
    const PlaceModule& place(const std::string& file) const override {
        return open_place(file, table_of<Pins>());
    }
    CosimResult run(const CosimOptions& options) const override {
        if (options.elastic ||
            (!options.place.empty() && std::strcmp(place(options.place).contract, "elastic") == 0))
            return run_freely(options);
        CosimResult result;
        Setup setup(options);
        const bool wave = !options.waveform.empty();
        const uint64_t tail = wave ? std::min(kWaveformCycles, options.cycles) : 0;
        result.difference = setup.lockstep->run(options.cycles - tail, options.progress);
        if (!result.difference && wave) {
            setup.rtl->open_waveform(options.waveform);
            result.difference = setup.lockstep->run(tail);
            setup.rtl->close_waveform();
        } else if (result.difference && wave) {
            // The run is repeated up to the cycles to be shown.
            const uint64_t at = result.difference->cycle;
            Setup again(options);
            again.lockstep->run(at > kWaveformCycles ? at - kWaveformCycles : 0);
            again.rtl->open_waveform(options.waveform);
            again.lockstep->run(at + 1 - again.lockstep->cycles());
            again.rtl->close_waveform();
        }
        result.cycles = result.difference ? result.difference->cycle : setup.lockstep->cycles();
        result.coverage = setup.stimulus.coverage();
        if (options.toggles)
            result.still = setup.toggles.still();
        if (result.difference)
            result.difference->reference = setup.reference_name;
        return result;
    }

  private:
    // The user's Verilog under the contract `elastic`.
    static CosimResult run_freely(const CosimOptions& options) {
        check_elastic(options.place, table_of<Pins>());
        Setup setup(options);
        typename Parts::Core source;
        ElasticBench bench(table_of<Pins>());
        bench.seed = options.seed;
        Stimulus<Pins>& stimulus = setup.stimulus;
        bench.fresh = [](void* in) { new (in) typename Pins::In{}; };
        bench.next = [&](void* in) { stimulus.next(*static_cast<typename Pins::In*>(in)); };
        bench.model = step_of<Pins>(source);
        bench.observe = [&](const void* in, const void* out) {
            stimulus.observe(*static_cast<const typename Pins::In*>(in),
                             *static_cast<const typename Pins::Out*>(out));
        };
        bench.finished = [&] { return stimulus.finished(); };
        bench.reference = {setup.reference_name, step_of<Pins>(*setup.reference),
                           WorldOf<Parts>::make(options)};
        bench.candidate = {"Verilog", step_of<Pins>(*setup.rtl), WorldOf<Parts>::make(options)};
        if (!options.waveform.empty())
            setup.rtl->open_waveform(options.waveform);
        ElasticResult r = run_elastic(bench, options.cycles, options.progress);
        setup.rtl->close_waveform();
        CosimResult result{r.cycles, true, r.transactions, std::move(r.difference), {}, {}};
        result.coverage = stimulus.coverage();
        return result;
    }

    struct Setup {
        explicit Setup(const CosimOptions& options)
            : rtl(make_place<Pins>({options.seed, options.mutant, options.place})),
              reference_name(options.against_twin ? "twin" : "model"),
              stimulus(options) {
            if (options.against_twin)
                reference = make_twin<Pins>({options.seed, options.mutant, {}});
            else
                reference = std::make_unique<typename Parts::Core>();
            Stimulus<Pins>* inputs = &stimulus;
            if (options.toggles)
                inputs = &noted;
            lockstep.emplace(*reference, *rtl, *inputs);
        }
        std::unique_ptr<PinBlock<Pins>> reference;
        std::unique_ptr<Twin<Pins>> rtl;
        std::string reference_name;
        typename Parts::Stimulus stimulus;
        Toggles toggles{table_of<Pins>()};
        NotedStimulus<Pins> noted{stimulus, toggles};
        std::optional<Lockstep<Pins>> lockstep;
    };
};

}  // namespace archipelago::rtl
