// SPDX-License-Identifier: Apache-2.0
// Reads `address_spaces` of a workload file: which memory the addresses of VMIDs lead to.
#pragma once

#include "models/common/address_spaces.h"
#include "models/config/reader.h"

namespace archipelago::host {

// `allowed`: the chip has VMIDs. Ranges with a fault, which has been reported, are left out.
RangeMap read_address_spaces(config::Reader& r, bool allowed);

}  // namespace archipelago::host
