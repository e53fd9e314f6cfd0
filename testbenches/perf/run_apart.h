// SPDX-License-Identifier: Apache-2.0
// A measurement in a process of its own: SystemC keeps one simulation in each.
#pragma once

#include <cstring>
#include <functional>
#include <type_traits>

#include "testbenches/support/child_process.h"

namespace archipelago {

// False when it failed.
template <class Measured>
bool run_apart(const std::function<Measured()>& run, Measured& m) {
    static_assert(std::is_trivially_copyable_v<Measured>);
    const ChildResult child = run_in_child([&](const ChildPipe& to) {
        const Measured result = run();
        return to.write(&result, sizeof result) ? 0 : 1;
    });
    if (!child.succeeded() || child.output.size() != sizeof m)
        return false;
    std::memcpy(&m, child.output.data(), sizeof m);
    return true;
}

}  // namespace archipelago
