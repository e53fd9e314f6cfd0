// SPDX-License-Identifier: Apache-2.0
// A run that its user ends.
#pragma once

#include <stdexcept>
#include <string>

namespace archipelago::host {

struct StoppedByUser : std::runtime_error {
    // `what`: "stopped by the user at cycle 1000".
    using std::runtime_error::runtime_error;
};

}  // namespace archipelago::host
