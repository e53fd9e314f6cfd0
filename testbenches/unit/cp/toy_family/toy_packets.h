// SPDX-License-Identifier: Apache-2.0
// The packets of a chip that never was: other opcodes than Southern Islands, another layout of
// WRITE_DATA, and a packet of its own. It holds the project to its word that a family is a list of
// rows: everything that reads packets works with this list unchanged.
#pragma once

#include "models/cp/cp_spec.h"
#include "models/cp/pm4/packet_table.h"
#include "models/cp/pm4/text.h"

namespace archipelago::cp {

const PacketTable& toy_packet_table();
Pm4Language toy_pm4();
// Of a command processor with the registers of Southern Islands.
Spec toy_spec();

}  // namespace archipelago::cp
