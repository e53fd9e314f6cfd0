// SPDX-License-Identifier: Apache-2.0
// What a checkpoint says of the chip it is of, so that another chip refuses it by name.
#pragma once

#include <string>

#include "models/asic/description.h"
#include "models/common/archive.h"

namespace archipelago::asic {

// Visits the block that says which chip the archive is of; it may be read more than once. Reading,
// throws ArchiveError, `who` in front, when that is not `chip`: another name, or another value of a
// key that is no delay (the first such key is named). The same chip, faster or slower, is taken.
// Returns the hash of the configuration with which the archive was written.
std::string archive_chip(Archive& a, const ChipDescription& chip, const std::string& who = {});

}  // namespace archipelago::asic
