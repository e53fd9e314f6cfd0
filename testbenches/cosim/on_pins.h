// SPDX-License-Identifier: Apache-2.0
// Tests of what a block does at its pins: each is written once, on OnPins<Pins>, and runs on the
// core and, where this build has it, on the Verilog.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "models/common/pins/pin_block.h"
#if defined(ARCHIPELAGO_HAVE_TWINS)
#include "rtl-bridge/verilated/twin.h"
#endif

namespace archipelago::rtl {

template <class Pins>
struct Maker {
    std::string name;  // "core", "rtl"
    std::function<std::unique_ptr<PinBlock<Pins>>()> make;

    // The name of a test, which must not hold addresses.
    friend void PrintTo(const Maker& maker, std::ostream* out) { *out << maker.name; }
};

template <class Pins, class Core>
std::vector<Maker<Pins>> core_and_rtl() {
    std::vector<Maker<Pins>> r = {{"core", [] { return std::make_unique<Core>(); }}};
#if defined(ARCHIPELAGO_HAVE_TWINS)
    r.push_back({"rtl", [] { return make_twin<Pins>({}); }});
#endif
    return r;
}

template <class Pins>
class OnPins : public testing::TestWithParam<Maker<Pins>> {
  protected:
    void SetUp() override {
        block_ = this->GetParam().make();
        reset_block(*block_);
    }
    const typename Pins::Out& step() {
        block_->step(in_, out_);
        return out_;
    }
    std::unique_ptr<PinBlock<Pins>> block_;
    typename Pins::In in_;
    typename Pins::Out out_;
};
inline const auto kName = [](const auto& info) { return info.param.name; };

}  // namespace archipelago::rtl
