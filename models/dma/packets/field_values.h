// SPDX-License-Identifier: Apache-2.0
// Names of the values of fields that several packets have.
#pragma once

#include "models/front/field_names.h"

namespace archipelago::dma {

inline constexpr front::FieldMeaning kAddress{front::FieldKind::Address, 0, nullptr, {}};
inline constexpr ValueName kSwapNames[] = {
    {0, "NONE"}, {1, "SWAP_8_IN_16"}, {2, "SWAP_8_IN_32"}, {3, "SWAP_8_IN_64"}};
inline constexpr front::FieldMeaning kSwaps = front::value_names(kSwapNames);
inline constexpr ValueName kSizeNames[] = {
    {0, "BITS_8"}, {1, "BITS_16"}, {2, "BITS_32"}, {3, "BITS_64"}, {4, "BITS_128"}};
inline constexpr front::FieldMeaning kSizes = front::value_names(kSizeNames);
inline constexpr ValueName kDetileNames[] = {{0, "L2T"}, {1, "T2L"}};
inline constexpr front::FieldMeaning kDetiles = front::value_names(kDetileNames);
inline constexpr ValueName kFunctionNames[] = {
    {0, "ALWAYS"},    {1, "LESS"},          {2, "LESS_EQUAL"}, {3, "EQUAL"},
    {4, "NOT_EQUAL"}, {5, "GREATER_EQUAL"}, {6, "GREATER"}};
inline constexpr front::FieldMeaning kFunctions = front::value_names(kFunctionNames);

}  // namespace archipelago::dma
