// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/in_chip.h"

namespace archipelago::rtl {

Handshakes::Handshakes(const PinTable& table) {
    for (const PinRow& output : table.pins) {
        const bool valid = output.field == "valid";
        if (output.input || output.elements > 1 || (!valid && output.field != "ready"))
            continue;
        const PinRow* input = table.find(output.port, valid ? "ready" : "valid", true);
        if (input != nullptr && input->elements == 1)
            pairs_.push_back({&output, input});
    }
}

void Handshakes::keep_what_passes(const void* in, void* out) const {
    for (const auto& [output, input] : pairs_)
        if (input->get(in) == 0)
            output->set(out, 0);
}

std::string difference_text(const PinTable& table, const void* model, const void* rtl) {
    const PinDifference first = first_difference(table, model, rtl);
    if (first.pin == nullptr)
        return {};
    const std::string name =
        std::string(first.pin->port) + "." + first.pin->element_name(first.element);
    return detail::field_text(name, first.model) + " in the model, " +
           detail::field_text(name, first.rtl) + " in the Verilog";
}

}  // namespace archipelago::rtl
