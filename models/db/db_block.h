// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have depth blocks.
#pragma once

#include "models/db/db_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::db {

struct DbBlock {
    // Rates, sizes and delays, which all depth blocks of a chip have in common.
    static void read(config::Reader& root, DbSpec& spec);
};

}  // namespace archipelago::db
