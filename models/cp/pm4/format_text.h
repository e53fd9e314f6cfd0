// SPDX-License-Identifier: Apache-2.0
// Short texts of places and errors, as printf() puts them together.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace archipelago::cp {

// Cut after 255 characters.
__attribute__((format(printf, 1, 2))) inline std::string format_text(const char* pattern, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

}  // namespace archipelago::cp
