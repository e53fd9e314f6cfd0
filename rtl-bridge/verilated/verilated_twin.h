// SPDX-License-Identifier: Apache-2.0
// Verilated code on the pins of a block. Included by what names the Verilated classes: `Top`
// has the pins, eval(), trace() and final(); `Context` is VerilatedContext, `Waveform`
// VerilatedFstC.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "models/common/pins/pin_block.h"
#include "rtl-bridge/verilated/final_blocks.h"
#include "rtl-bridge/verilated/signals.h"

namespace archipelago::rtl {

template <class P, class Top, class Context, class Waveform>
class VerilatedTwin : public Twin<P> {
  public:
    using In = typename P::In;
    using Out = typename P::Out;

    explicit VerilatedTwin(const TwinOptions& options) {
        context_.randReset(2);  // registers start with random contents,
        context_.randSeed(static_cast<int>(options.seed % 0x7fffffff) + 1);
        context_.traceEverOn(true);
        top_ = std::make_unique<Top>(&context_, P::kName);
        top_->clk = 0;
    }
    ~VerilatedTwin() override {
        if (waveform_)
            waveform_->close();
        run_final_blocks(*top_);
    }

    void step(const In& in, Out& out) override {
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
    std::unique_ptr<Top> top_;
    std::unique_ptr<Waveform> waveform_;
    uint64_t cycle_ = 0;
};

}  // namespace archipelago::rtl
