// SPDX-License-Identifier: Apache-2.0
// Compares two retire traces wave by wave: how the waves' records are interleaved does not matter.
#pragma once

#include <optional>
#include <string>

#include "testbenches/host/retire/retire_reader.h"

namespace archipelago::host {

struct RetireDifference {
    std::string text;  // several lines: which record, those in front of it, what differs
};

// The first difference: of those of all waves the one that comes first in `a`, behind all of them a
// record or a wave that `b` has more. Shows `context` records of the wave in front of it.
std::optional<RetireDifference> first_difference(const RetireTrace& a, const RetireTrace& b,
                                                 unsigned context);

}  // namespace archipelago::host
