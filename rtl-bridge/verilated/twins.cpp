// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/twin.h"

#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "rtl-bridge/verilated/selected_mutant.h"
#include "rtl-bridge/verilated/signals.h"
#include "rtl/verilated_twins.h"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace archipelago::rtl {
namespace {

template <class P, class Top>
class VerilatedTwin final : public Twin<P> {
  public:
    using In = typename P::In;
    using Out = typename P::Out;

    explicit VerilatedTwin(const TwinOptions& options) : mutant_(options.mutant) {
        selected_mutant = static_cast<int>(mutant_);
        context_.randReset(2);  // registers start with random contents,
        context_.randSeed(static_cast<int>(options.seed % 0x7fffffff) + 1);
        context_.traceEverOn(true);
        top_ = std::make_unique<Top>(&context_, P::kName);
        top_->clk = 0;
    }
    ~VerilatedTwin() override {
        close_waveform();
        top_->final();
    }

    void step(const In& in, Out& out) override {
        selected_mutant = static_cast<int>(mutant_);
        drive<P>(*top_, in);
        top_->clk = 0;
        top_->eval();
        sample<P>(*top_, out);
        if (waveform_)
            waveform_->dump(2 * cycle_);
        top_->clk = 1;
        top_->eval();
        if (waveform_)
            waveform_->dump(2 * cycle_ + 1);
        ++cycle_;
    }

    void open_waveform(const std::string& file) override {
        // The writer does not say when it cannot open its file.
        const std::filesystem::path folder = std::filesystem::path(file).parent_path();
        if (!folder.empty() && !std::filesystem::is_directory(folder))
            throw std::runtime_error(file + ": no such folder for the waveform");
        close_waveform();
        waveform_ = std::make_unique<VerilatedFstC>();
        top_->trace(waveform_.get(), kDepth);
        waveform_->open(file.c_str());
        if (!waveform_->isOpen()) {
            waveform_.reset();
            throw std::runtime_error(file + ": cannot write the waveform");
        }
    }
    void close_waveform() override {
        if (waveform_)
            waveform_->close();
        waveform_.reset();
    }

    uint64_t cycles() const override { return cycle_; }

  private:
    static constexpr int kDepth = 99;  // levels of hierarchy in the waveform

    VerilatedContext context_;
    std::unique_ptr<Top> top_;
    std::unique_ptr<VerilatedFstC> waveform_;
    unsigned mutant_;
    uint64_t cycle_ = 0;
};

// What Verilator has made of a block: the class of its top module, and its mutants.
template <class Pins>
struct Verilated;

}  // namespace

template <class Pins>
std::unique_ptr<Twin<Pins>> make_twin(const TwinOptions& options) {
    if (options.mutant > Verilated<Pins>::kMutants.size())
        throw std::invalid_argument(std::string(Pins::kName) + ": no mutant " +
                                    std::to_string(options.mutant) + " is in this Verilog");
    return std::make_unique<VerilatedTwin<Pins, typename Verilated<Pins>::Top>>(options);
}

template <class Pins>
std::vector<std::string> twin_mutants() {
    const auto& names = Verilated<Pins>::kMutants;
    return {std::begin(names), std::end(names)};
}

// Template arguments cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define ARCHIPELAGO_TWIN(block, Pins)                                         \
    namespace {                                                               \
    template <>                                                               \
    struct Verilated<Pins> {                                                  \
        using Top = V##block;                                                 \
        static constexpr const auto& kMutants = k_##block##_mutants;          \
    };                                                                        \
    }                                                                         \
    template std::unique_ptr<Twin<Pins>> make_twin<Pins>(const TwinOptions&); \
    template std::vector<std::string> twin_mutants<Pins>();
// NOLINTEND(bugprone-macro-parentheses)
#include "rtl/twins.inc"

}  // namespace archipelago::rtl
