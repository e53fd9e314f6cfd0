// SPDX-License-Identifier: Apache-2.0
// A block seen through its pins: what a model's core and its Verilog twin have in common.
//
// A `Pins` struct describes one block:
//
//   struct Pins {
//       struct In { ... };   // values of the input pins at a clock edge; plain integers and arrays
//       struct Out { ... };  // values of the output pins just before that edge
//       // Calls visit(port, field, [](auto& pins) -> auto& { return pins.member; }, bits) per pin.
//       template <class V> static void inputs(V&& visit);
//       template <class V> static void outputs(V&& visit);
//       // Calls visit(port, moved) for every port: whether something passed it in this cycle.
//       template <class V> static void transfers(const In&, const Out&, V&& visit);
//   };
//
// Ready and valid are sampled before the edge and driven after it. DESIGN sections 2, 5.
#pragma once

#include <cstdint>
#include <string>

namespace archipelago::rtl {

template <class P>
class PinBlock {
  public:
    using Pins = P;
    using In = typename P::In;
    using Out = typename P::Out;

    PinBlock() = default;
    PinBlock(const PinBlock&) = delete;
    PinBlock& operator=(const PinBlock&) = delete;
    virtual ~PinBlock() = default;

    // One clock cycle: with `in` applied, `out` receives the settled outputs, then comes the edge.
    virtual void step(const In& in, Out& out) = 0;
};

// The Verilog twin of a block.
template <class P>
class Twin : public PinBlock<P> {
  public:
    // Writes an FST waveform of every signal from the next step on. Throws std::runtime_error when
    // the file cannot be written.
    virtual void open_waveform(const std::string& file) = 0;
    virtual void close_waveform() = 0;
    virtual uint64_t cycles() const = 0;  // steps so far
};

struct TwinOptions {
    uint64_t seed = 1;   // of the registers' contents before reset
    unsigned fault = 0;  // number of the fault to inject, from 1 in the order of the block's list;
                         // 0: none. Needs a twin built with its faults.
    bool with_faults = false;  // the twin that has the faults in it, even for fault 0
};

}  // namespace archipelago::rtl
