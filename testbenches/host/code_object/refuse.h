// SPDX-License-Identifier: Apache-2.0
// Errors of code objects, with their place.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "testbenches/host/code_object/code_object_error.h"

namespace archipelago::host {

// Throws CodeObjectError. `reason` is a format of fmt with the arguments that follow.
template <class... Arguments>
[[noreturn]] void refuse(const std::string& where, fmt::format_string<Arguments...> reason,
                         Arguments&&... arguments) {
    throw CodeObjectError(where, fmt::format(reason, std::forward<Arguments>(arguments)...));
}

// The same for the value given for argument `number`: throws ArgumentError.
template <class... Arguments>
[[noreturn]] void refuse_argument(size_t number, const std::string& where,
                                  fmt::format_string<Arguments...> reason,
                                  Arguments&&... arguments) {
    throw ArgumentError(where, fmt::format(reason, std::forward<Arguments>(arguments)...), number);
}

}  // namespace archipelago::host
