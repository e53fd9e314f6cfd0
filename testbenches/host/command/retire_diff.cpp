// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/retire/retire_diff.h"

#include <fmt/format.h>

#include "testbenches/host/command/command.h"

namespace archipelago::host {

int retire_diff_command(const RetireDiffArguments& a) {
    const RetireTrace first = RetireTrace::open(a.first);
    const RetireTrace second = RetireTrace::open(a.second);
    const auto difference = first_difference(first, second, a.context);
    if (difference) {
        fmt::print("{}", difference->text);
        return kExpectationFailed;
    }
    fmt::print("{} records of {} waves, equal\n", first.lines().size(), first.of_waves().size());
    return kDone;
}

}  // namespace archipelago::host
