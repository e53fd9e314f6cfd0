// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/pin_tables.h"

#include <cstddef>
#include <type_traits>

#include "rtl-bridge/pins/place_module.h"
#include "rtl/all_pins.h"

namespace archipelago::rtl {
namespace {

// Adds a row. Expanded once and not for each entry of a list, as is all that needs no type of it.
[[gnu::noinline]] void add_row(std::vector<PinRow>& rows, const char* port, const char* field,
                               const char* meaning, bool input, std::ptrdiff_t offset,
                               unsigned elements, unsigned element_bytes, unsigned bits) {
    rows.push_back({port, field, meaning, input, static_cast<uint32_t>(offset), elements,
                    static_cast<uint8_t>(element_bytes), static_cast<uint8_t>(bits)});
}

// Adds the entries of a Pins struct's list to the rows; `pins` is an object of its In or Out.
template <class Struct>
struct AddRows {
    const Struct& pins;
    bool input;
    std::vector<PinRow>& rows;

    template <class Entry>
    void operator()(const Entry& entry) const {
        const auto& value = entry.member(pins);
        using Value = Elements<std::decay_t<decltype(value)>>;
        static_assert(!Value::kArray || Value::kCount > 1, "its index would not be shown");
        const auto offset =
            reinterpret_cast<const char*>(&value) - reinterpret_cast<const char*>(&pins);
        add_row(rows, entry.port, entry.field, entry.meaning, input, offset, Value::kCount,
                sizeof(typename Value::Type), Entry::kBits);
    }
};

template <class Pins>
PinTable make_table(bool has_twin) {
    using In = typename Pins::In;
    using Out = typename Pins::Out;
    PinTable table{Pins::kName, Pins::kElastic,     has_twin, sizeof(In),
                   sizeof(Out), pins_stamp<Pins>(), {},       {}};
    const In in{};
    const Out out{};
    each_input<Pins>(AddRows<In>{in, true, table.pins});
    Pins::outputs(AddRows<Out>{out, false, table.pins});
    table.reset = table.pins.front();
    table.pins.erase(table.pins.begin());
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
