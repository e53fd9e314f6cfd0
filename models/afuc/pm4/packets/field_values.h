// SPDX-License-Identifier: Apache-2.0
// The meaning of fields that several packets have.
#pragma once

#include "models/afuc/pm4/packet_row.h"

namespace archipelago::afuc {

inline constexpr front::FieldMeaning kAddress{front::FieldKind::Address, 0, nullptr, {}};
inline constexpr front::FieldMeaning kRegister = front::register_from(0);

}  // namespace archipelago::afuc
