// SPDX-License-Identifier: Apache-2.0
// A micro engine whose kind the static pins say; in a chip the description does.
#pragma once

#include <cstddef>
#include <memory>

#include "models/afuc/engine/engine_unit.h"

namespace archipelago::afuc {

class EnginePins final : public rtl::PinBlock<rtl::AfucEnginePins> {
  public:
    EnginePins() { make(In{}); }
    // Another engine begins with a reset.
    void step(const In& in, Out& out) override {
        if (in.rst != 0 && !is(in))
            make(in);
        unit_->step(in, out);
    }

  private:
    bool is(const In& in) const {
        return in.generation == generation_ && in.to_queue == to_queue_ &&
               in.reads_nrt == reads_nrt_;
    }
    void make(const In& in) {
        generation_ = in.generation;
        to_queue_ = in.to_queue;
        reads_nrt_ = in.reads_nrt;
        EngineSpec spec;
        spec.generation = &kGenerations[generation_];
        spec.data_out = to_queue_ != 0 ? DataOut::Queue : DataOut::Registers;
        spec.reads_nrt = reads_nrt_ != 0;
        unit_ = std::make_unique<EngineUnit>(spec);
    }

    uint8_t generation_ = 0, to_queue_ = 0, reads_nrt_ = 0;
    std::unique_ptr<EngineUnit> unit_;
};

}  // namespace archipelago::afuc
