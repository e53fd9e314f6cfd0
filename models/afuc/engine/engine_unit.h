// SPDX-License-Identifier: Apache-2.0
// The micro engine in cycle mode: one issue cycle a clock at its pins. Its Verilog twin is
// rtl-bridge/rtl/afuc_engine.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "models/afuc/engine/engine.h"
#include "pins/afuc_engine_pins.h"

namespace archipelago::afuc {

class EngineUnit final : public rtl::PinBlock<rtl::AfucEnginePins>, private EnginePorts {
  public:
    // `spec` has what the static pins say.
    explicit EngineUnit(const EngineSpec& spec) : engine_(spec, *this) {}

    void step(const In& in, Out& out) override;

    const Engine& engine() const { return engine_; }
    // What a Fault at the pins was.
    std::exception_ptr error() const { return error_; }
    // What errors say after the engine's own place.
    std::function<std::string()> context_of_errors;
    std::function<std::string(uint32_t pc)> source_of_errors;

    void take_over(const Engine& engine) {
        engine_.take_over(engine);
        running_ = true;
    }

    template <class Archive>
    void archive(Archive& a) {
        engine_.archive(a);
        a(running_);
    }

  private:
    void take_writes(const In& in);
    void take_any_write(const In& in);
    void begin(const Pins::Start& start);
    void issue(const In& in, Out& out);
    Pins::Wait waits_for(const Needs& needs);

    // EnginePorts
    bool ready(const Needs& needs) override;
    std::string context() const override {
        return context_of_errors ? context_of_errors() : std::string();
    }
    std::string source(uint32_t pc) const override {
        return source_of_errors ? source_of_errors(pc) : std::string();
    }
    bool fetch(uint32_t) override {
        out_->wait = Pins::kInstruction;
        return false;
    }
    const uint32_t* data(unsigned words, bool take) override;
    uint32_t memory(uint64_t) override { return in_->memory_words[out_->memory_taken++]; }
    uint32_t load(uint64_t) override { return in_->load_word; }
    void write_memory(uint64_t address, uint32_t value) override;
    uint32_t gpu_register(uint32_t) override { return in_->register_words[out_->register_taken++]; }
    void write_gpu_register(uint32_t index, uint32_t value, RegisterPath path) override;
    void push(uint32_t value) override { write(Pins::kQueue, 0, value); }
    uint32_t live_control(uint32_t) override { return in_->live_word; }
    void arm(unsigned level, uint64_t base, uint32_t dwords) override;
    void boot(bool bv, uint64_t base) override;
    bool set_secure(bool) override { return in_->secure_done != 0; }
    bool preempts() override { return in_->preempt != 0; }
    void preempted() override { out_->preempted = 1; }
    void wrote_pipe(uint32_t index, uint32_t value) override { write(Pins::kPipe, index, value); }
    void wrote_control(uint32_t index, uint32_t value) override;
    void wrote_sqe(uint32_t, uint32_t) override {}
    void write(Pins::Kind kind, uint32_t index, uint32_t value);

    Engine engine_;
    bool running_ = false;
    std::exception_ptr error_;
    const In* in_ = nullptr;  // of the cycle at hand
    Out* out_ = nullptr;
};

}  // namespace archipelago::afuc
