// SPDX-License-Identifier: Apache-2.0
// The pins of a block by port, with what the contract `elastic` (Pins::kElastic) says of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl-bridge/pins/pin_table.h"

namespace archipelago::rtl::elastic {

constexpr unsigned kNoPort = ~0u;

struct Port {
    std::string name;
    std::vector<const PinRow*> inputs, outputs;  // but valid and ready
    const PinRow* valid = nullptr;
    const PinRow* ready = nullptr;
    bool taken = false;                // an input port of the list: transactions go in
    bool compared = false;             // an output port of the list
    const PinRow* provided = nullptr;  // compared only if this is high
    unsigned payload = kNoPort;
    // Of a port with lanes the first of them; else itself. And the lane before this one.
    unsigned stream = kNoPort, lane_before = kNoPort;
    // Its order holds within each value of these; none: of the whole port.
    struct Key {
        const PinRow* pin;
        unsigned low, bits;
    };
    std::vector<Key> keys;

    bool has_values() const { return !outputs.empty() || payload != kNoPort; }
};

class Ports {
  public:
    explicit Ports(const PinTable& table);

    std::vector<Port> all;
    std::vector<unsigned> inputs;  // of the contract, in its order
    std::vector<const PinRow*> faults;
    const PinRow* reset;

    unsigned find(const std::string& name) const;
    bool has_fault(const void* out) const;
    // Something passes the port in this cycle.
    static bool passes(const Port& p, const void* in, const void* out);
    uint64_t key_of(const Port& p, const void* out) const;
    static const PinRow* output(const std::string& name, const PinTable& table);

  private:
    void add(const PinRow& pin);
    // lane=lane=...
    std::vector<unsigned> join_lanes(const std::string& names);
    // port, port=lane=lane, port+other, port/field,field, port/field[7:0], any of them with
    // ?other_field
    void compare(const std::string& whole, const PinTable& table);
    static void add_key(Port& port, const std::string& field);
};

}  // namespace archipelago::rtl::elastic
