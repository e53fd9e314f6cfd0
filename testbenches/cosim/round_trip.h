// SPDX-License-Identifier: Apache-2.0
// Every message of a block from random values of its pins, and to its pins again: it is what it
// was. Reads the maps that the block declares (common/pins/pin_ports.h), as one more pass over its
// ports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/common/pins/pin_ports.h"
#include "rtl-bridge/pins/pin_table.h"

namespace archipelago::rtl {

template <class P>
class RoundTrip {
  public:
    // `burst`: messages of a burst.
    explicit RoundTrip(unsigned burst = 1) : burst_(burst) {}

    typename P::In in;
    typename P::Out out;

    // ---- as a pass over the ports of a block

    template <class T, class Valid, class Ready, class Map>
    void input(const Channel<T>&, const Valid&, const Ready&, const Map& map) {
        inputs<T>(map);
    }
    template <class T, class Valid, class Ready, class Map>
    void input_no_wake(const Channel<T>&, const Valid&, const Ready&, const Map& map) {
        inputs<T>(map);
    }
    template <class T, class Valid, class Map>
    void taken_input(const Channel<T>&, const Valid&, const Map& map) {
        inputs<T>(map);
    }
    template <class T, class Valid, class Ready, class Map>
    void lanes(const Channel<T>&, unsigned, const Valid& valid, const Ready&, const Map& map) {
        for (unsigned lane = 0; lane < valid.size(); ++lane)
            inputs<T>([&](auto m, auto& message) { map(m, message, lane); });
    }
    template <class T, class Ready, class Valid, class Map>
    void output(const OutputChannel<T>&, const Ready&, const Valid&, const Map& map) {
        outputs<T>(map);
    }
    template <class T, class Ready, class Valid, class Map>
    void optional_output(const OutputChannel<T>&, const Ready&, const Valid&, const Map& map) {
        outputs<T>(map);
    }
    template <class T, class Ready, class Valid, class Map>
    void output_lanes(const OutputChannel<T>&, unsigned, const Ready&, const Valid& valid,
                      const Map& map) {
        for (unsigned lane = 0; lane < valid.size(); ++lane)
            outputs<T>([&](auto m, auto& message) { map(m, message, lane); });
    }
    template <class T, class Space, class Count, class Map>
    void burst(const OutputChannel<T>&, const Space&, unsigned, const Count&, const Map& map) {
        for (unsigned i = 0; i < burst_; ++i)
            outputs<T>([&](auto m, auto& message) { map(m, message, i); });
    }
    template <class T, class Pin>
    void room(const OutputChannel<T>&, const Pin&, unsigned) {}

    // ---- a message by itself; `empty` is one whose fields have not been read from pins

    template <class T, class Map>
    void inputs(const Map& map, const T& empty = T{}) {
        send(true, in, map, empty);
    }
    template <class T, class Map>
    void outputs(const Map& map, const T& empty = T{}) {
        send(false, out, map, empty);
    }

    // ---- what has been found

    // Pins that came back with another value.
    const std::vector<std::string>& changed() const { return changed_; }
    // Pins of which some bit is in no message: a port by its name when all its pins are. Handshakes
    // are left out.
    std::vector<std::string> in_no_message() const {
        std::map<std::string, bool> any;  // a pin of the port is in a message
        for (const PinRow& pin : table_.pins)
            any[key(pin)] |= !handshake(pin) && seen_.count(&pin) != 0;
        std::vector<std::string> names;
        for (const PinRow& pin : table_.pins) {
            if (handshake(pin))
                continue;
            if (!any.at(key(pin)))
                add(names, std::string(pin.port));
            else if (seen_.count(&pin) == 0)
                add(names, pin.name());
            else
                for (size_t element = 0; element < pin.elements; ++element)
                    if (seen_.at(&pin)[element] != all_bits(pin))
                        add(names, element_of(pin, element));
        }
        return names;
    }

  private:
    static constexpr unsigned kTrials = 200;

    static uint64_t all_bits(const PinRow& pin) { return ~uint64_t{0} >> (64 - pin.bits); }
    static bool handshake(const PinRow& pin) {
        return pin.field == "valid" || pin.field == "ready";
    }
    static std::string key(const PinRow& pin) {
        return std::string(pin.input ? "in " : "out ").append(pin.port);
    }
    static std::string element_of(const PinRow& pin, size_t element) {
        return std::string(pin.port) + "_" + pin.element_name(element);
    }
    static void add(std::vector<std::string>& names, const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }

    template <class T, class Side, class Map>
    void send(bool input, Side& side, const Map& map, const T& empty) {
        for (unsigned trial = 0; trial < kTrials; ++trial) {
            each_pin(input, [&](const PinRow& pin, size_t element) {
                pin.set(&side, random_() & all_bits(pin), element);
            });
            const Side sent = side;
            T message = empty;
            map(pins::FromPins{}, message);
            each_pin(input, [&](const PinRow& pin, size_t element) { pin.set(&side, 0, element); });
            map(pins::ToPins{}, std::as_const(message));
            each_pin(input, [&](const PinRow& pin, size_t element) {
                compare(pin, element, pin.get(&sent, element), pin.get(&side, element));
            });
        }
    }
    template <class Visit>
    void each_pin(bool input, const Visit& visit) const {
        for (const PinRow& pin : table_.pins)
            for (size_t element = 0; pin.input == input && element < pin.elements; ++element)
                visit(pin, element);
    }
    // 0: it is not in this message, or the message does not carry it.
    void compare(const PinRow& pin, size_t element, uint64_t sent, uint64_t came) {
        if (came == 0)
            return;
        if (came != sent)
            return add(changed_, element_of(pin, element));
        std::vector<uint64_t>& seen = seen_[&pin];
        seen.resize(pin.elements);
        seen[element] |= came;
    }

    const unsigned burst_;
    const PinTable& table_ = table_of<P>();
    std::mt19937_64 random_{1};
    std::map<const PinRow*, std::vector<uint64_t>> seen_;  // bits that came back, by element
    std::vector<std::string> changed_;
};

}  // namespace archipelago::rtl
