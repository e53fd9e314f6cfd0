// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/lockstep.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace archipelago::rtl {

namespace {

// Something passes a port in a cycle when its valid and ready are both high; of pins that are
// arrays, those of an element.
struct Handshake {
    std::string_view port;
    bool has_valid = false;
    uint64_t moved = ~uint64_t{0};  // bit n: element n
};

// The ports something passed in a cycle, in the order of the table; a reset passes "reset".
std::vector<std::string_view> transfers(const PinTable& table, const void* in, const void* out) {
    std::vector<Handshake> ports;
    for (const PinRow& pin : table.pins) {
        auto port = std::find_if(ports.begin(), ports.end(),
                                 [&](const Handshake& h) { return h.port == pin.port; });
        if (port == ports.end())
            port = ports.insert(port, {pin.port});
        const bool valid = pin.field == "valid";
        port->has_valid |= valid;
        if (!valid && pin.field != "ready")
            continue;
        uint64_t high = 0;
        for (size_t i = 0; i < pin.elements; ++i)
            high |= uint64_t{pin.get(pin.input ? in : out, i) != 0} << i;
        port->moved &= high;
    }
    std::vector<std::string_view> moved;
    if (table.reset.get(in) != 0)
        moved.push_back(table.reset.port);
    for (const Handshake& port : ports)
        if (port.has_valid && port.moved != 0)
            moved.push_back(port.port);
    return moved;
}

void add_transactions(const PinTable& table, uint64_t cycle, const void* in, const void* out,
                      std::vector<std::string>& to) {
    for (const std::string_view port : transfers(table, in, out)) {
        std::string& line =
            to.emplace_back("cycle " + std::to_string(cycle) + " " + std::string(port) + ":");
        const auto show = [&](const PinRow& pin) {
            for (size_t i = 0; i < pin.elements && pin.port == port; ++i)
                line +=
                    " " + detail::field_text(pin.element_name(i), pin.get(pin.input ? in : out, i));
        };
        show(table.reset);
        for (const PinRow& pin : table.pins)
            show(pin);
    }
}

void keep_shown(std::vector<std::string>& lines) {
    if (lines.size() > kShownTransactions)
        lines.erase(lines.begin(), lines.end() - kShownTransactions);
}

}  // namespace

std::string detail::field_text(std::string_view field, uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "=0x%" PRIx64, value);
    return std::string(field) + text;
}

Difference detail::describe_difference(const PinTable& table,
                                       const std::vector<PinValues>& cycles) {
    const PinValues& last = cycles.back();
    const PinDifference first = first_difference(table, last.model, last.rtl);
    Difference d;
    d.cycle = last.cycle;
    d.port = first.pin->port;
    d.field = first.pin->element_name(first.element);
    d.model = first.model;
    d.rtl = first.rtl;
    for (const PinValues& c : cycles) {
        add_transactions(table, c.cycle, c.in, c.model, d.model_transactions);
        add_transactions(table, c.cycle, c.in, c.rtl, d.rtl_transactions);
    }
    keep_shown(d.model_transactions);
    keep_shown(d.rtl_transactions);
    return d;
}

std::string Difference::text() const {
    std::string r = what;
    if (r.empty())
        r = "cycle " + std::to_string(cycle) + ": " + port + "." +
            detail::field_text(field, model) + " in the " + reference + ", " +
            detail::field_text(port + "." + field, rtl) + " in the Verilog";
    r += "\n";
    const auto add = [&](const std::string& who, const std::vector<std::string>& lines) {
        r += "last transactions of the " + who + ":\n";
        for (const std::string& line : lines)
            r += "  " + line + "\n";
    };
    add(reference, model_transactions);
    add("Verilog", rtl_transactions);
    return r;
}

}  // namespace archipelago::rtl
