// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/pin_tables.h"

#include "rtl-bridge/pins/place_module.h"
#include "rtl/all_pins.h"

namespace archipelago::rtl {
namespace {

// What pins_stamp() is, without a visit of each pin.
uint64_t stamp_of(const PinTable& table) {
    PinsStamp stamp;
    stamp.add_pin(table.reset.port, table.reset.field, table.reset.bits);
    for (const PinRow& pin : table.pins)
        stamp.add_pin(pin.port, pin.field, pin.bits);
    stamp.add(table.in_bytes);
    stamp.add(table.out_bytes);
    return stamp.value();
}

template <class Pins>
PinTable make_table(bool has_twin) {
    const PinData data = pin_data<Pins>();
    PinTable table;
    table.block = Pins::kName;
    table.title = data.title;
    table.about = data.about;
    table.enums = data.enums;
    table.elastic = Pins::kElastic;
    table.clock = data.clock;
    table.has_twin = has_twin;
    table.in_bytes = sizeof(typename Pins::In);
    table.out_bytes = sizeof(typename Pins::Out);
    table.reset = *data.begin;
    table.pins.assign(data.begin + 1, data.end);
    table.stamp = stamp_of(table);
    return table;
}

std::string quoted(std::string_view text) {
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

// Template arguments cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define ARCHIPELAGO_TABLE(Pins, has_twin)                         \
    template <>                                                   \
    const PinTable& table_of<Pins>() {                            \
        static const PinTable table = make_table<Pins>(has_twin); \
        return table;                                             \
    }
#define ARCHIPELAGO_TWIN(block, Pins) ARCHIPELAGO_TABLE(Pins, true)
#define ARCHIPELAGO_TWINLESS(block, Pins) ARCHIPELAGO_TABLE(Pins, false)
#include "rtl/blocks.inc"
// NOLINTEND(bugprone-macro-parentheses)

const std::vector<const PinTable*>& pin_tables() {
    static const std::vector<const PinTable*> all = {
#define ARCHIPELAGO_TWIN(block, Pins) &table_of<Pins>(),
#define ARCHIPELAGO_TWINLESS(block, Pins) &table_of<Pins>(),
#include "rtl/blocks.inc"
    };
    return all;
}

const PinTable* find_pin_table(std::string_view block) {
    for (const PinTable* table : pin_tables())
        if (table->block == block)
            return table;
    return nullptr;
}

std::string pin_tables_json() {
    std::string r = "{\n";
    const char* before_table = "";
    for (const PinTable* table : pin_tables()) {
        const char* why = table->elastic.exact_only;
        r += before_table + quoted(table->block) +
             ": {\"twin\": " + (table->has_twin ? "true" : "false") +
             ", \"exact_only\": " + (why != nullptr ? quoted(why) : "null") + ", \"pins\": [\n";
        const char* before_pin = "  ";
        for (const PinRow& pin : table->pins) {
            r += before_pin + row_json(pin);
            before_pin = ",\n  ";
        }
        r += "\n]}";
        before_table = ",\n";
    }
    return r + "\n}\n";
}

}  // namespace archipelago::rtl
