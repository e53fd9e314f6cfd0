// SPDX-License-Identifier: Apache-2.0
// Traffic of a block of which a chip has several: what the pins of each instance saw.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rtl-bridge/compare/cosim.h"

namespace archipelago::rtl {

// Core: the model, a PinBlock, which stands in the chip on its pins.
template <class Core>
class InstanceRecording : public Recording {
  public:
    using Pins = typename Core::Pins;
    using In = typename Core::In;
    using Out = typename Core::Out;

    uint64_t size() const override {
        uint64_t n = 0;
        for (const auto& instance : instances_)
            n += instance->inputs.size();
        return n;
    }
    uint64_t passed() const override {
        uint64_t n = 0;
        for (const auto& instance : instances_)
            n += instance->steps;
        return n;
    }
    size_t instances() const { return instances_.size(); }
    // The first cycles of an instance; they begin with its reset.
    const std::vector<In>& inputs(size_t instance) const { return instances_[instance]->inputs; }

  protected:
    // Keeps so many cycles of each instance.
    explicit InstanceRecording(uint64_t cycles) : cycles_(cycles) {}
    // One more instance; its cycles are kept, or only counted.
    PinBlock<Pins>& add(bool kept = true) {
        instances_.push_back(std::make_unique<Instance>(kept ? cycles_ : 0));
        return *instances_.back();
    }

  private:
    struct Instance : Core {
        explicit Instance(uint64_t most) : limit(most) {}
        void step(const In& in, Out& out) override {
            ++steps;
            if (inputs.size() < limit)
                inputs.push_back(in);
            Core::step(in, out);
        }
        uint64_t limit;
        uint64_t steps = 0;
        std::vector<In> inputs;
    };

    uint64_t cycles_;
    std::vector<std::unique_ptr<Instance>> instances_;
};

// The inputs of a recording, instance by instance.
template <class Core>
class Replay {
  public:
    explicit Replay(const CosimOptions& options) {
        if (options.recording == nullptr)
            return;
        recording_ = &dynamic_cast<const InstanceRecording<Core>&>(*options.recording);
        skip_ended();
    }
    // There is a recording.
    explicit operator bool() const { return recording_ != nullptr; }
    bool finished() const { return recording_ != nullptr && instance_ == recording_->instances(); }
    const typename Core::In& next() {
        const typename Core::In& in = recording_->inputs(instance_)[cycle_++];
        skip_ended();
        return in;
    }

  private:
    void skip_ended() {
        for (; !finished() && cycle_ == recording_->inputs(instance_).size(); ++instance_)
            cycle_ = 0;
    }

    const InstanceRecording<Core>* recording_ = nullptr;
    size_t instance_ = 0, cycle_ = 0;
};

}  // namespace archipelago::rtl
