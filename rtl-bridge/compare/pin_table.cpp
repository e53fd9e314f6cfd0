// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/pin_table.h"

#include "rtl/all_pins.h"

namespace archipelago::rtl {
namespace {

template <class T>
constexpr size_t element_count(const T&) {
    return Elements<T>::kCount;
}

template <class Pins>
PinTable make_table(bool has_twin) {
    PinTable table{Pins::kName, Pins::kElastic, has_twin, {}};
    const auto add = [&](const auto& pins, bool input) {
        return [&table, &pins, input](auto pin) {
            table.pins.push_back({pin.port, pin.field, pin.meaning, decltype(pin)::kBits,
                                  element_count(pin.member(pins)), input});
        };
    };
    Pins::inputs(add(typename Pins::In{}, true));
    Pins::outputs(add(typename Pins::Out{}, false));
    return table;
}

std::string quoted(const std::string& text) {
    std::string r = "\"";
    for (const char c : text)
        r += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    return r + "\"";
}

std::string row_json(const PinRow& pin) {
    return "{\"name\": " + quoted(pin.name()) + ", \"port\": " + quoted(pin.port) +
           ", \"field\": " + quoted(pin.field) + ", \"bits\": " + std::to_string(pin.bits) +
           ", \"elements\": " + std::to_string(pin.elements) +
           ", \"width\": " + std::to_string(pin.width()) +
           ", \"direction\": " + (pin.input ? "\"input\"" : "\"output\"") +
           ", \"meaning\": " + quoted(pin.meaning) + "}";
}

}  // namespace

const std::vector<PinTable>& pin_tables() {
    static const std::vector<PinTable> all = {
#define ARCHIPELAGO_TWIN(block, Pins) make_table<Pins>(true),
#define ARCHIPELAGO_TWINLESS(block, Pins) make_table<Pins>(false),
#include "rtl/blocks.inc"
    };
    return all;
}

const PinTable* find_pin_table(const std::string& block) {
    for (const PinTable& table : pin_tables())
        if (table.block == block)
            return &table;
    return nullptr;
}

std::string pin_tables_json() {
    std::string r = "{\n";
    for (const PinTable& table : pin_tables()) {
        const char* why = table.elastic.exact_only;
        r += (&table == pin_tables().data() ? "" : ",\n") + quoted(table.block) +
             ": {\"twin\": " + (table.has_twin ? "true" : "false") +
             ", \"exact_only\": " + (why != nullptr ? quoted(why) : "null") + ", \"pins\": [\n";
        for (const PinRow& pin : table.pins)
            r += (&pin == table.pins.data() ? "  " : ",\n  ") + row_json(pin);
        r += "\n]}";
    }
    return r + "\n}\n";
}

}  // namespace archipelago::rtl
