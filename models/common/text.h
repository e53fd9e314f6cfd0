// SPDX-License-Identifier: Apache-2.0
// Short texts of places and errors.
#pragma once

#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

namespace archipelago {

// Formats as printf() does; cut after 255 characters.
__attribute__((format(printf, 1, 2))) inline std::string format_text(const char* pattern, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

// "0x1f"
inline std::string hex(uint64_t value) {
    return format_text("0x%" PRIx64, value);
}

}  // namespace archipelago
