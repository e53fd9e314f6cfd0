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

struct RetireDiffOptions {
    unsigned context = 8;          // records of the wave shown in front of the difference
    bool ignore_accesses = false;  // of memory, of all waves
};

// The first difference: of those of all waves the one that comes first in `a`, after all of them a
// record or a wave that `b` has more. Accesses of memory are
// left out of waves of which one of both has none.
std::optional<RetireDifference> first_difference(const RetireTrace& a, const RetireTrace& b,
                                                 const RetireDiffOptions& options);

}  // namespace archipelago::host
