// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/retire/retire_diff.h"

#include <fmt/format.h>

#include "testbenches/host/command/command.h"

namespace archipelago::host {
namespace {

std::string shown(const RetireTrace& trace) {
    return trace.asic().empty() ? "one that is not named" : trace.asic();
}

}  // namespace

int retire_diff_command(const RetireDiffArguments& a) {
    const RetireTrace first = RetireTrace::open(a.first);
    const RetireTrace second = RetireTrace::open(a.second);
    if (first.lines().empty() && second.lines().empty())
        throw RetireError(a.first + " and " + a.second +
                          ": both without a record, nothing to compare");
    if (first.asic() != second.asic())
        fmt::print("traces of different chips: {} and {}\n", shown(first), shown(second));
    for (const RetireTrace* trace : {&first, &second})
        if (trace->waves_without_accesses() != 0 && !a.ignore_accesses)
            fmt::print("{} has no accesses of memory of {} waves, theirs are not compared\n",
                       trace->name(), trace->waves_without_accesses());
    const auto difference = first_difference(first, second, {a.context, a.ignore_accesses});
    if (difference) {
        fmt::print("{}", difference->text);
        return kExpectationFailed;
    }
    fmt::print("{} records of {} waves, equal\n", first.lines().size(), first.of_waves().size());
    return kDone;
}

}  // namespace archipelago::host
