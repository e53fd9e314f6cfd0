// SPDX-License-Identifier: Apache-2.0
// "Did you mean" suggestions, for any table of names (keys, registers, opcodes, blocks).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace archipelago::config {

// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`,
// ASCII case ignored. Costs a.size() * b.size() steps.
unsigned edit_distance(std::string_view a, std::string_view b);

// The candidate a person most likely meant by `name`, or nothing when none is near: at most one
// edit per three characters (one edit is always allowed). Ties go to the longer common prefix,
// then to the earlier candidate, so the answer depends on nothing but the arguments. An exact
// match is never suggested; one that differs only in case is. Names above 64 bytes get none. When
// none is near, the candidate is meant that has the name as its first or last words, or is those of
// it ("DISPATCH" for DISPATCH_DIRECT, "IT_NOP" for NOP), the most alike in length.
std::optional<std::string> closest(std::string_view name,
                                   const std::vector<std::string>& candidates);

// ` (did you mean "x"?)`, or an empty string when no candidate is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// "a, b, c"; beyond `limit` names the rest is counted: "a, b, … (3 more)".
std::string join_names(const std::vector<std::string>& names, std::size_t limit = 24);

}  // namespace archipelago::config
