// SPDX-License-Identifier: Apache-2.0
// A user's Verilog in a chip, which relies on what a block says: its contract is checked there,
// too.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "rtl-bridge/compare/lockstep.h"
#include "rtl-bridge/compare/place.h"

namespace archipelago::rtl {

// What a chip cannot take of a block of other latencies; a bench specialises it where there is
// such. It is told of every cycle since a reset, in which a port's valid and ready are high
// together or not at all.
template <class Pins>
struct OutputRules {
    // Null: nothing is wrong.
    const char* wrong(const typename Pins::In&, const typename Pins::Out&) { return nullptr; }
};

// The ready and valid outputs of a block whose port has the other one, too.
class Handshakes {
  public:
    explicit Handshakes(const PinTable& table);
    // They become those of a twin, which shows them when something passes.
    void keep_what_passes(const void* in, void* out) const;

  private:
    struct Pair {
        const PinRow *output, *input;
    };
    std::vector<Pair> pairs_;
};

// The first output that differs, with both values; empty: none does.
std::string difference_text(const PinTable& table, const void* model, const void* rtl);

// Makes the model, beside which Verilog of the contract `exact` is stepped.
template <class Pins>
using MakeModel = std::function<std::unique_ptr<PinBlock<Pins>>()>;

template <class Pins>
class PlaceInChip final : public Twin<Pins> {
  public:
    using In = typename Pins::In;
    using Out = typename Pins::Out;

    PlaceInChip(const TwinOptions& options, const MakeModel<Pins>& make_model)
        : place_(make_place<Pins>(options)), file_(options.place) {
        const bool exact =
            std::strcmp(open_place(options.place, table_of<Pins>()).contract, "exact") == 0;
        if (!exact)
            check_elastic(options.place, table_of<Pins>());
        else
            model_ = make_model();
    }

    void step(const In& in, Out& out) override {
        place_->step(in, out);
        if (model_) {
            Out expected;
            model_->step(in, expected);
            reset_ended_ |= in.rst == 0;
            if (!reset_ended_)  // the Verilog's registers hold anything before the first edge
                out = expected;
            else if (!detail::equal<Pins>(expected, out))
                stop("breaks its contract exact: " +
                     difference_text(table_of<Pins>(), &expected, &out));
            return;
        }
        if (in.rst != 0) {
            out = Out{};
            unanswered_ = 0;
            rules_ = {};
            return;
        }
        handshakes_.keep_what_passes(&in, &out);
        if constexpr (kAnswersEach)
            count_answers(in, out);
        if (const char* wrong = rules_.wrong(in, out))
            stop(wrong);
    }
    void open_waveform(const std::string& file) override { place_->open_waveform(file); }
    void close_waveform() override { place_->close_waveform(); }
    uint64_t cycles() const override { return place_->cycles(); }

  private:
    // Each transfer at `in` has one at `out`.
    static constexpr bool kAnswersEach = std::string_view(Pins::kElastic.inputs) == "in" &&
                                         std::string_view(Pins::kElastic.outputs) == "out";

    // An answer nobody asked for would be taken for the next one. What passes at `in` in this cycle
    // is answered in the next at the earliest.
    void count_answers(const In& in, const Out& out) {
        if (out.out_valid != 0 && in.out_ready != 0) {
            if (unanswered_ == 0)
                stop("out: a transfer that none at in has asked for");
            --unanswered_;
        }
        unanswered_ += in.in_valid != 0 && out.in_ready != 0 ? 1 : 0;
    }
    [[noreturn]] void stop(const std::string& what) const {
        throw MachineStop(
            StopKind::Protocol, Pins::kName,
            file_ + ", cycle " + std::to_string(place_->cycles() - 1) + " of its clock: " + what);
    }

    std::unique_ptr<Twin<Pins>> place_;
    std::unique_ptr<PinBlock<Pins>> model_;
    std::string file_;
    const Handshakes handshakes_{table_of<Pins>()};
    bool reset_ended_ = false;  // once; before, registers may hold anything
    uint64_t unanswered_ = 0;   // transfers at in, of the cycles before
    OutputRules<Pins> rules_;
};

// The model behind the block's pins, with no Verilog beside it.
template <class Pins>
class ModelInChip final : public Twin<Pins> {
  public:
    explicit ModelInChip(std::unique_ptr<PinBlock<Pins>> model) : model_(std::move(model)) {}
    void step(const typename Pins::In& in, typename Pins::Out& out) override {
        model_->step(in, out);
        ++cycles_;
    }
    void open_waveform(const std::string&) override {
        throw std::runtime_error("--fst: there is no Verilog in the place of " +
                                 std::string(Pins::kName));
    }
    void close_waveform() override {}
    uint64_t cycles() const override { return cycles_; }

  private:
    std::unique_ptr<PinBlock<Pins>> model_;
    uint64_t cycles_ = 0;
};

// What a chip gets in a block's place.
template <class Pins>
std::unique_ptr<Twin<Pins>> make_in_chip(const TwinOptions& options,
                                         const MakeModel<Pins>& make_model) {
    if (options.place.empty())
        return make_twin<Pins>(options);
    if (options.place == kModelPlace)
        return std::make_unique<ModelInChip<Pins>>(make_model());
    return std::make_unique<PlaceInChip<Pins>>(options, make_model);
}
template <class Pins, class Core>
std::unique_ptr<Twin<Pins>> make_in_chip(const TwinOptions& options) {
    return make_in_chip<Pins>(options, [] { return std::make_unique<Core>(); });
}

}  // namespace archipelago::rtl
