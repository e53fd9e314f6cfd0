// SPDX-License-Identifier: Apache-2.0
// A block seen through its pins: what a model's core and its Verilog twin have in common.
//
// A `Pins` struct describes one block: pins/<block>_pins.h, generated from
// configs/pins/<block>.yaml. Everything that drives, samples, compares, records or names pins works
// on its two lists; what each pin means is data of its own (rtl-bridge/pins/pin_table.h):
//
//   struct LanePins {
//       static constexpr const char* kName = "lane";  // of the block and its Verilog module
//       struct In { uint8_t rst = 0; ... };  // values of the input pins at a clock edge
//       struct Out { ... };                  // values of the output pins just before that edge
//       template <class V> static void inputs(V&& visit) {   // but clk and rst
//           ARCHIPELAGO_PIN(in, valid, in_valid, 1);
//           ARCHIPELAGO_PIN(in, data, in.data, 32);
//           ARCHIPELAGO_PIN(out, ready, out_ready, 1);
//       }
//       template <class V> static void outputs(V&& visit) { ... }
//   };
//
// Members are unsigned integers, or std::arrays of them. Pins named `valid` and `ready` of a port
// are its handshake: something passes the port when both are high, or when valid is where the port
// has no ready. Ready and valid are sampled before the edge and driven after it.
// See rtl-bridge/README.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace archipelago::rtl {

// An entry of the lists. `member(in or out)` is a reference to the value, `signal(top)` one to the
// pin of the Verilated top module. Of an array, `Bits` is the width of one element; element 0
// stands in the lowest bits of the pin.
template <unsigned Bits, class Member, class Signal>
struct Pin {
    static_assert(Bits >= 1 && Bits <= 64);
    static constexpr unsigned kBits = Bits;
    const char* port;
    const char* field;
    Member member;
    Signal signal;
};
template <unsigned Bits, class Member, class Signal>
constexpr Pin<Bits, Member, Signal> make_pin(const char* port, const char* field, Member member,
                                             Signal signal) {
    return {port, field, member, signal};
}

// Visits the pin <port>_<field> of the Verilog.
#define ARCHIPELAGO_PIN(port, field, where, bits)                      \
    visit(::archipelago::rtl::make_pin<bits>(                          \
        #port, #field, [](auto& pins) -> auto& { return pins.where; }, \
        [](auto& top) -> auto& { return top.port##_##field; }))

// Every input but the clock; of Pins::outputs() there is nothing to add.
template <class Pins, class V>
void each_input(V&& visit) {
    visit(make_pin<1>(
        "reset", "rst", [](auto& pins) -> auto& { return pins.rst; },
        [](auto& top) -> auto& { return top.rst; }));
    Pins::inputs(visit);
}

// A member's value, or the elements of its array.
template <class T>
struct Elements {
    using Type = T;
    static constexpr size_t kCount = 1;
    static constexpr bool kArray = false;
};
template <class T, size_t N>
struct Elements<std::array<T, N>> {
    using Type = T;
    static constexpr size_t kCount = N;
    static constexpr bool kArray = true;
};

// How a block of other latencies may differ from this one: what the contract `elastic` compares.
// Lists of ports are separated by blanks; a=b=c are lanes of one port, the oldest message on a.
struct Elastic {
    // Input ports, in the order in which they take effect when something passes several in a cycle.
    const char* inputs = "";
    // Output ports whose transfers are compared, each port in its order. port/field,field: in the
    // order of each value of these alone, or of bits: port/field[1:0]. port+other: a transfer
    // carries the fields of `other`, too. port?other_field: only while the reset of both blocks
    // leaves that output high. Fields of an input port that the block drives are compared always.
    const char* outputs = "";
    // Outputs that report an error, as port_field: after one, nothing is compared until a reset.
    const char* faults = "";
    const char* served = "";           // ports after which the comparison keeps a memory of its own
    const char* exact_only = nullptr;  // why no block of other latencies can replace this one
};

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

constexpr unsigned kResetCycles = 3;

// Brings a block into the state it begins in; every other input is 0 meanwhile.
template <class P>
void reset_block(PinBlock<P>& block) {
    typename P::In in{};
    in.rst = 1;
    typename P::Out ignored;
    for (unsigned i = 0; i < kResetCycles; ++i)
        block.step(in, ignored);
}

// Steps up to a cycle in which the output is high: a twin answers at once, another block may take
// its time. False when it is not within `most` cycles after the first.
template <class P>
bool step_until(PinBlock<P>& block, const typename P::In& in, typename P::Out& out,
                uint8_t P::Out::*high, unsigned most) {
    for (unsigned waited = 0; waited <= most; ++waited) {
        block.step(in, out);
        if (out.*high != 0)
            return true;
    }
    return false;
}

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
    uint64_t seed = 1;    // of the registers' contents before reset
    unsigned mutant = 0;  // selected, from 1 in the order of the block's list; 0: none
    std::string place;    // a user's Verilog in the twin's place, a library; empty: the twin
};

}  // namespace archipelago::rtl
