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

}  // namespace archipelago::host
