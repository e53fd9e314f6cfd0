// SPDX-License-Identifier: Apache-2.0
// What every wrapper of a Verilated model does; for the .cpp files of this folder, which name the
// Verilated classes: `Context` is VerilatedContext, `Waveform` VerilatedFstC. A `Model` gives
//   using Pins, Top;   the pins and the Verilated top class
//   static void drive(Top&, const In&);   static void sample(const Top&, Out&);
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "rtl-bridge/pins/pin_block.h"
#include "rtl-bridge/verilated/fault_select.h"

namespace archipelago::rtl {

template <class Model, class Context, class Waveform>
class VerilatedTwin final : public Twin<typename Model::Pins> {
  public:
    using Pins = typename Model::Pins;
    using In = typename Pins::In;
    using Out = typename Pins::Out;

    explicit VerilatedTwin(const TwinOptions& options) : fault_(options.fault) {
        selected_fault = static_cast<int>(fault_);
        context_.randReset(2);  // registers start with random contents,
        context_.randSeed(static_cast<int>(options.seed % 0x7fffffff) + 1);
        context_.traceEverOn(true);
        top_ = std::make_unique<typename Model::Top>(&context_, Pins::kName);
        top_->clk = 0;
    }
    ~VerilatedTwin() override {
        close_waveform();
        top_->final();
    }

    void step(const In& in, Out& out) override {
        selected_fault = static_cast<int>(fault_);
        Model::drive(*top_, in);
        top_->clk = 0;
        top_->eval();
        Model::sample(*top_, out);
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
        waveform_ = std::make_unique<Waveform>();
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

    Context context_;
    std::unique_ptr<typename Model::Top> top_;
    std::unique_ptr<Waveform> waveform_;
    unsigned fault_;
    uint64_t cycle_ = 0;
};

// The twin, or the one built with its faults.
template <class Model, class WithFaults, class Context, class Waveform>
std::unique_ptr<Twin<typename Model::Pins>> make_twin(const TwinOptions& options) {
    if (options.with_faults || options.fault != 0)
        return std::make_unique<VerilatedTwin<WithFaults, Context, Waveform>>(options);
    return std::make_unique<VerilatedTwin<Model, Context, Waveform>>(options);
}

}  // namespace archipelago::rtl
