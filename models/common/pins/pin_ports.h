// SPDX-License-Identifier: Apache-2.0
// Channels on pins. A block with a Verilog twin names each message once, as pairs of a field and
// its pin, and each port once, as a channel with its handshake and its message. These lists are
// read in both directions:
//
//   in a chip, around the block on pins     DriveInputs    channels -> input pins
//                                           SampleOutputs  output pins -> channels
//   in lockstep, around the core            ApplyInputs    input pins -> channels
//                                           PresentOutputs channels -> output pins
//
//   template <class M, class Request, class Pins>
//   void map_request(M m, Request& r, Pins& in) {
//       m(r.offset, in.req_offset);
//       m(r.write, in.req_write);
//   }
//   template <class Pass>
//   void each_port(Pass& pass, BlockUnit& unit) {
//       pass.input(unit.request, pass.in.req_valid, pass.out.req_ready,
//                  [&](auto m, auto& r) { map_request(m, r, pass.in); });
//       pass.output(unit.to_port, pass.in.port_ready, pass.out.port_valid,
//                   [&](auto m, auto& r) { map_forwarded(m, r, pass.out); });
//   }
//
// `unit` is the core or the shell: both have the same channels, and neither knows what is linked to
// them. The pins of a block are plain structs, so nothing here knows one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "models/common/channel.h"
#include "models/common/unit.h"

namespace archipelago::pins {

// ---- fields -------------------------------------------------------------------------------------

// The value of a field as a pin has it, and of a pin as a field has it: numbers, flags, enums, and
// arrays of the same bytes.
template <class To, class From>
void assign(To& to, const From& from) {
    if constexpr (std::is_same_v<To, bool>) {
        to = from != 0;
    } else if constexpr (std::is_arithmetic_v<To> || std::is_enum_v<To>) {
        to = static_cast<To>(from);
    } else {
        static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
                      std::is_trivially_copyable_v<From>);
        std::memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof to);
    }
}

// A field in units of `kUnit` on the pin: an address in lines.
template <uint64_t kUnit>
struct InUnits {
    template <class Pin, class Field>
    static void to_pin(Pin& pin, const Field& field) {
        pin = static_cast<Pin>(field / kUnit);
    }
    template <class Field, class Pin>
    static void from_pin(Field& field, const Pin& pin) {
        field = static_cast<Field>(pin) * static_cast<Field>(kUnit);
    }
};
// A field of two values on a pin of one bit.
template <auto kHigh, auto kLow>
struct OneOf {
    template <class Pin, class Field>
    static void to_pin(Pin& pin, const Field& field) {
        pin = field == kHigh ? 1 : 0;
    }
    template <class Field, class Pin>
    static void from_pin(Field& field, const Pin& pin) {
        field = pin != 0 ? kHigh : kLow;
    }
};

// The lowest bits of a field.
template <unsigned kBits>
struct LowBits {
    template <class Pin, class Field>
    static void to_pin(Pin& pin, const Field& field) {
        pin = static_cast<Pin>(field & ((1u << kBits) - 1));
    }
    template <class Field, class Pin>
    static void from_pin(Field& field, const Pin& pin) {
        field = static_cast<Field>(pin);
    }
};

// The fields of a message to its pins.
struct ToPins {
    template <class Field, class Pin>
    void operator()(const Field& field, Pin& pin) const {
        assign(pin, field);
    }
    template <class Conversion, class Field, class Pin>
    void as(Conversion, const Field& field, Pin& pin) const {
        Conversion::to_pin(pin, field);
    }
    // A field in units that the block's settings give.
    template <class Field, class Pin>
    void scaled(const Field& field, Pin& pin, unsigned unit) const {
        pin = static_cast<Pin>(field / unit);
    }
    // A field that some messages do not carry: 0 then.
    template <class Field, class Pin>
    void when(bool carried, const Field& field, Pin& pin) const {
        if (carried)
            assign(pin, field);
        else
            pin = Pin{};
    }
    // Flags in one pin, the first in its lowest bit.
    template <class Pin, class... Flags>
    void flags(Pin& pin, const Flags&... flags) const {
        unsigned bit = 0, bits = 0;
        ((bits |= (flags ? 1u : 0u) << bit++), ...);
        pin = static_cast<Pin>(bits);
    }
    template <class Pin, size_t N>
    void bits(Pin& pin, const std::array<bool, N>& bits) const {
        pin = 0;
        for (size_t i = 0; i < N; ++i)
            pin = static_cast<Pin>(pin | (bits[i] ? Pin{1} : Pin{0}) << i);
    }
    // All elements of an array, at pins from the `first` of a larger one on.
    template <class T, size_t N, class Pins>
    void part(const std::array<T, N>& array, Pins& pins, size_t first) const {
        std::copy(array.begin(), array.end(), pins.begin() + first);
    }
    // A field that follows from the port alone.
    template <class Field, class Value>
    void implied(const Field&, Value) const {}
};
// The pins of a message to its fields.
struct FromPins {
    template <class Field, class Pin>
    void operator()(Field& field, const Pin& pin) const {
        assign(field, pin);
    }
    template <class Conversion, class Field, class Pin>
    void as(Conversion, Field& field, const Pin& pin) const {
        Conversion::from_pin(field, pin);
    }
    template <class Field, class Pin>
    void scaled(Field& field, const Pin& pin, unsigned unit) const {
        field = static_cast<Field>(static_cast<Field>(pin) * unit);
    }
    template <class Field, class Pin>
    void when(bool, Field& field, const Pin& pin) const {
        assign(field, pin);
    }
    template <class Pin, class... Flags>
    void flags(const Pin& pin, Flags&... flags) const {
        unsigned bit = 0;
        ((flags = (pin >> bit++ & 1u) != 0), ...);
    }
    template <class Pin, size_t N>
    void bits(const Pin& pin, std::array<bool, N>& bits) const {
        for (size_t i = 0; i < N; ++i)
            bits[i] = (pin >> i & 1) != 0;
    }
    template <class T, size_t N, class Pins>
    void part(std::array<T, N>& array, const Pins& pins, size_t first) const {
        std::copy_n(pins.begin() + first, N, array.begin());
    }
    template <class Field, class Value>
    void implied(Field& field, Value value) const {
        field = static_cast<Field>(value);
    }
};
// What a block counts in a cycle, to the counters of its unit.
struct AddFromPins {
    template <class Counter, class Pin>
    void operator()(Counter& counter, const Pin& pin) const {
        counter += pin;
    }
};
// The counters of a unit before a cycle, when the pins have those after it: leaves the difference.
struct SubtractToPins {
    template <class Counter, class Pin>
    void operator()(const Counter& counter, Pin& pin) const {
        pin = static_cast<Pin>(pin - counter);
    }
};

// ---- in a chip: around a block on pins ----------------------------------------------------------

// Before the block's cycle: the oldest message of each input, and what the outputs have room for.
template <class In, class Out>
struct DriveInputs {
    Cycle now;
    In& in;
    const Out& out;
    bool any = false;  // input has a message

    template <class T, class Pin, class Ready, class Map>
    void input(const Channel<T>& from, Pin& valid, const Ready&, const Map& map) {
        valid = from.can_pop(now) ? 1 : 0;
        if (valid == 0)
            return;
        map(ToPins{}, from.front());
        any = true;
    }
    // One that is taken whenever it is valid; one whose reader schedules its own ticks.
    template <class T, class Pin, class Map>
    void taken_input(const Channel<T>& from, Pin& valid, const Map& map) {
        input(from, valid, valid, map);
    }
    template <class T, class Pin, class Ready, class Map>
    void input_no_wake(const Channel<T>& from, Pin& valid, const Ready& ready, const Map& map) {
        input(from, valid, ready, map);
    }
    template <class T, class Pins, class Ready, class Map>
    void lanes(const Channel<T>& from, unsigned count, Pins& valid, const Ready&, const Map& map) {
        for (unsigned lane = 0; lane < count; ++lane) {
            const T* const message = from.peek(now, lane);
            valid[lane] = message != nullptr ? 1 : 0;
            if (message == nullptr)
                continue;
            map(ToPins{}, *message, lane);
            any = true;
        }
    }
    template <class T, class Pin, class Valid, class Map>
    void output(const OutputChannel<T>& to, Pin& ready, const Valid&, const Map&) {
        ready = to && to->can_push(now) ? 1 : 0;
    }
    // The room of an output that the unit pushes into by itself.
    template <class T, class Pin>
    void room(const OutputChannel<T>& to, Pin& space, unsigned most) {
        space = static_cast<Pin>(to ? std::min(to->space(now), most) : 0);
    }
    // One that takes everything when it is not connected.
    template <class T, class Pin, class Valid, class Map>
    void optional_output(const OutputChannel<T>& to, Pin& ready, const Valid&, const Map&) {
        ready = !to || to->can_push(now) ? 1 : 0;
    }
    template <class T, class Pins, class Valid, class Map>
    void output_lanes(const OutputChannel<T>& to, unsigned count, Pins& ready, const Valid&,
                      const Map&) {
        const unsigned room = std::min(to->space(now), count);
        for (unsigned lane = 0; lane < ready.size(); ++lane)
            ready[lane] = lane < room ? 1 : 0;
    }
    // An output of several messages a cycle; `space` is its room, at most `most`.
    template <class T, class Pin, class Count, class Map>
    void burst(const OutputChannel<T>& to, Pin& space, unsigned most, const Count&, const Map&) {
        space = static_cast<Pin>(std::min(to->space(now), most));
    }
};
template <class In, class Out>
DriveInputs(Cycle, In&, const Out&) -> DriveInputs<In, Out>;

// After the block's cycle: drops what the block has taken, and pushes what it has sent: a message
// passes where valid and ready are both high. `rest` fills in what the pins do not carry, as
// rest(message) for each message type.
template <class In, class Out, class Rest>
struct SampleOutputs {
    Cycle now;
    const In& in;
    const Out& out;
    const Rest rest;
    bool moved = false;

    template <class T, class Valid, class Pin, class Map>
    void input(Channel<T>& from, const Valid& valid, const Pin& ready, const Map&) {
        if (valid == 0 || ready == 0)
            return;
        from.drop(now);
        moved = true;
    }
    template <class T, class Valid, class Map>
    void taken_input(Channel<T>& from, const Valid& valid, const Map& map) {
        input(from, valid, valid, map);
    }
    template <class T, class Valid, class Pin, class Map>
    void input_no_wake(Channel<T>& from, const Valid& valid, const Pin& ready, const Map&) {
        if (valid == 0 || ready == 0)
            return;
        from.pop_no_wake(now);
        moved = true;
    }
    template <class T, class Pin>
    void room(const OutputChannel<T>&, const Pin&, unsigned) {}
    template <class T, class Valid, class Pins, class Map>
    void lanes(Channel<T>& from, unsigned, const Valid& valid, const Pins& ready, const Map& map) {
        for (unsigned lane = 0; lane < ready.size() && valid[lane] != 0 && ready[lane] != 0; ++lane)
            input(from, valid[lane], ready[lane], map);
    }
    template <class T, class Ready, class Pin, class Map>
    void output(const OutputChannel<T>& to, const Ready& ready, const Pin& valid, const Map& map) {
        if (valid != 0 && ready != 0)
            send(to, map);
    }
    template <class T, class Ready, class Pin, class Map>
    void optional_output(const OutputChannel<T>& to, const Ready& ready, const Pin& valid,
                         const Map& map) {
        if (to)
            output(to, ready, valid, map);
    }
    template <class T, class Ready, class Pins, class Map>
    void output_lanes(const OutputChannel<T>& to, unsigned, const Ready& ready, const Pins& valid,
                      const Map& map) {
        for (unsigned lane = 0; lane < valid.size() && valid[lane] != 0 && ready[lane] != 0; ++lane)
            send(to, [&](auto m, auto& message) { map(m, message, lane); });
    }
    template <class T, class Space, class Pin, class Map>
    void burst(const OutputChannel<T>& to, const Space&, unsigned, const Pin& count,
               const Map& map) {
        for (unsigned i = 0; i < count; ++i)
            send(to, [&](auto m, auto& message) { map(m, message, i); });
    }

  private:
    template <class T, class Map>
    void send(const OutputChannel<T>& to, const Map& map) {
        T message{};
        rest(message);
        map(FromPins{}, message);
        to->push(now, message);
        moved = true;
    }
};
template <class In, class Out, class Rest>
SampleOutputs(Cycle, const In&, const Out&, Rest) -> SampleOutputs<In, Out, Rest>;
// The pins carry whole messages.
struct NoRest {
    template <class T>
    void operator()(const T&) const {}
};

// ---- in lockstep: around a core -----------------------------------------------------------------

// Lanes from the first on that is low.
template <class Pins>
unsigned count_of_not(const Pins& pins) {
    unsigned high = 0;
    while (high < pins.size() && pins[high] != 0)
        ++high;
    return static_cast<unsigned>(pins.size()) - high;
}

// Before the core's tick: each input as the pins have it, as if pushed in the cycle before, and
// each output as full as the pins say. The channels of the outputs have the room of the pins.
template <class In, class Out>
struct ApplyInputs {
    Cycle now;
    const In& in;
    const Out& out;

    template <class T, class Pin, class Ready, class Map>
    void input(Channel<T>& to, const Pin& valid, const Ready&, const Map& map) const {
        to.clear();
        if (valid != 0)
            give(to, map);
    }
    template <class T, class Pin, class Map>
    void taken_input(Channel<T>& to, const Pin& valid, const Map& map) const {
        input(to, valid, valid, map);
    }
    template <class T, class Pin, class Ready, class Map>
    void input_no_wake(Channel<T>& to, const Pin& valid, const Ready& ready, const Map& map) const {
        input(to, valid, ready, map);
    }
    template <class T, class Pin>
    void room(const OutputChannel<T>& from, const Pin& space, unsigned most) const {
        fill(*from, most - std::min<unsigned>(space, most));
    }
    template <class T, class Pins, class Ready, class Map>
    void lanes(Channel<T>& to, unsigned, const Pins& valid, const Ready&, const Map& map) const {
        to.clear();
        for (unsigned lane = 0; lane < valid.size() && valid[lane] != 0; ++lane)
            give(to, [&](auto m, auto& message) { map(m, message, lane); });
    }
    template <class T, class Pin, class Valid, class Map>
    void output(const OutputChannel<T>& from, const Pin& ready, const Valid&, const Map&) const {
        fill(*from, ready != 0 ? 0 : 1);
    }
    template <class T, class Pin, class Valid, class Map>
    void optional_output(const OutputChannel<T>& from, const Pin& ready, const Valid& valid,
                         const Map& map) const {
        output(from, ready, valid, map);
    }
    template <class T, class Pins, class Valid, class Map>
    void output_lanes(const OutputChannel<T>& from, unsigned, const Pins& ready, const Valid&,
                      const Map&) const {
        fill(*from, count_of_not(ready));
    }
    template <class T, class Pin, class Count, class Map>
    void burst(const OutputChannel<T>& from, const Pin& space, unsigned most, const Count&,
               const Map&) const {
        fill(*from, most - std::min<unsigned>(space, most));
    }

  private:
    template <class T, class Map>
    void give(Channel<T>& to, const Map& map) const {
        T message{};
        map(FromPins{}, message);
        to.push_at(now - 1, now, message);
    }
    template <class T>
    void fill(Channel<T>& channel, unsigned taken) const {
        channel.clear();
        for (; taken != 0; --taken)
            channel.push_at(now - 1, now, T{});
    }
};
template <class In, class Out>
ApplyInputs(Cycle, const In&, const Out&) -> ApplyInputs<In, Out>;

// After the core's tick: which inputs it took, and what it sent.
template <class In, class Out>
struct PresentOutputs {
    Cycle now;
    const In& in;
    Out& out;

    template <class T, class Valid, class Pin, class Map>
    void input(const Channel<T>& to, const Valid& valid, Pin& ready, const Map&) const {
        ready = valid != 0 && to.empty() ? 1 : 0;
    }
    template <class T, class Valid, class Map>
    void taken_input(const Channel<T>&, const Valid&, const Map&) const {}
    template <class T, class Valid, class Pin, class Map>
    void input_no_wake(const Channel<T>& to, const Valid& valid, Pin& ready, const Map& map) const {
        input(to, valid, ready, map);
    }
    template <class T, class Pin>
    void room(const OutputChannel<T>&, const Pin&, unsigned) const {}
    template <class T, class Valid, class Pins, class Map>
    void lanes(const Channel<T>& to, unsigned, const Valid& valid, Pins& ready, const Map&) const {
        const size_t taken = valid.size() - count_of_not(valid) - to.size();
        for (size_t lane = 0; lane < taken; ++lane)
            ready[lane] = 1;
    }
    template <class T, class Ready, class Pin, class Map>
    void optional_output(const OutputChannel<T>& from, const Ready& ready, Pin& valid,
                         const Map& map) const {
        output(from, ready, valid, map);
    }
    template <class T, class Ready, class Pins, class Map>
    void output_lanes(const OutputChannel<T>& from, unsigned, const Ready& ready, Pins& valid,
                      const Map& map) const {
        unsigned lane = 0;
        each_sent(from, count_of_not(ready), [&](const T& message) {
            valid[lane] = 1;
            map(ToPins{}, message, lane++);
        });
    }
    template <class T, class Ready, class Pin, class Map>
    void output(const OutputChannel<T>& from, const Ready& ready, Pin& valid,
                const Map& map) const {
        if (ready == 0 || from->empty())
            return;
        valid = 1;
        const T& message = from->front();
        map(ToPins{}, message);
    }
    template <class T, class Space, class Pin, class Map>
    void burst(const OutputChannel<T>& from, const Space& space, unsigned most, Pin& count,
               const Map& map) const {
        each_sent(from, most - std::min<unsigned>(space, most), [&](const T& message) {
            map(ToPins{}, message, static_cast<unsigned>(count));
            ++count;
        });
    }

  private:
    // The messages after the `taken` that ApplyInputs has filled the channel with.
    template <class T, class Visit>
    void each_sent(const OutputChannel<T>& from, unsigned taken, const Visit& visit) const {
        for (; taken != 0; --taken)
            from->drop(now);
        for (; !from->empty(); from->drop(now))
            visit(from->front());
    }
};
template <class In, class Out>
PresentOutputs(Cycle, const In&, Out&) -> PresentOutputs<In, Out>;

}  // namespace archipelago::pins
