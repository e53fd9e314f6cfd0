// SPDX-License-Identifier: Apache-2.0
// What the fields of packets mean to a reader, for the files that list them.
#pragma once

#include "models/cp/pm4/packet.h"
#include "models/front/field_names.h"

namespace archipelago::cp {

using front::FieldKind;
using front::meaning_of;
using front::register_from;
using front::value_name;
using front::value_names;
using front::value_of_name;
using front::value_of_register;

}  // namespace archipelago::cp
