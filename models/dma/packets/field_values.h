// SPDX-License-Identifier: Apache-2.0
// Names of the values of fields that several packets have.
#pragma once

#include "models/front/field_names.h"

namespace archipelago::dma {

inline constexpr front::FieldMeaning kAddress{front::FieldKind::Address, 0, nullptr, {}};
inline constexpr ValueName kSwapNames[] = {{0, "NONE"}, {1, "8IN16"}, {2, "8IN32"}, {3, "8IN64"}};
inline constexpr front::FieldMeaning kSwaps = front::value_names(kSwapNames);
inline constexpr ValueName kSizeNames[] = {{0, "8"}, {1, "16"}, {2, "32"}, {3, "64"}, {4, "128"}};
inline constexpr front::FieldMeaning kSizes = front::value_names(kSizeNames);
inline constexpr ValueName kDetileNames[] = {{0, "L2T"}, {1, "T2L"}};
inline constexpr front::FieldMeaning kDetiles = front::value_names(kDetileNames);
inline constexpr ValueName kFunctionNames[] = {{0, "ALWAYS"}, {1, "LESS"},     {2, "LEQUAL"},
                                               {3, "EQUAL"},  {4, "NOTEQUAL"}, {5, "GEQUAL"},
                                               {6, "GREATER"}};
inline constexpr front::FieldMeaning kFunctions = front::value_names(kFunctionNames);

}  // namespace archipelago::dma
