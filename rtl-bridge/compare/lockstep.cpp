// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/lockstep.h"

#include <cinttypes>
#include <cstdio>

namespace archipelago::rtl {

std::string detail::field_text(const std::string& field, uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "=0x%" PRIx64, value);
    return field + text;
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
