// SPDX-License-Identifier: Apache-2.0
// What fields of several packets mean: names of their values, registers they name or hold.
// "Radeon Southern Islands Acceleration" section 2.
#pragma once

#include "models/cp/packets/si/register_windows.h"
#include "models/cp/pm4/names.h"
#include "models/gcn/vgt_event.h"

namespace archipelago::cp::si {

constexpr FieldMeaning kAddress{FieldKind::Address, 0, nullptr, {}};
constexpr FieldMeaning kEvents = value_names(kEventNames);
constexpr FieldMeaning kAnyRegister = register_from(0);
constexpr FieldMeaning kShRegister = register_from(kShWindow.start);
constexpr FieldMeaning kWindowRegister{FieldKind::WindowRegister, 0, nullptr, {}};
constexpr FieldMeaning kDrawInitiatorValue = value_of_register("VGT_DRAW_INITIATOR");
constexpr FieldMeaning kDispatchInitiatorValue = value_of_register("COMPUTE_DISPATCH_INITIATOR");

constexpr ValueName kEnginesNames[] = {{0, "ME"}, {1, "PFP"}, {2, "CE"}, {3, "DE"}};
constexpr FieldMeaning kEngines = value_names(kEnginesNames);
constexpr ValueName kMeOrPfpNames[] = {{0, "ME"}, {1, "PFP"}};
constexpr FieldMeaning kMeOrPfp = value_names(kMeOrPfpNames);
constexpr ValueName kSpacesNames[] = {{0, "REGISTER"}, {1, "MEMORY"}};
constexpr FieldMeaning kSpaces = value_names(kSpacesNames);
constexpr ValueName kFunctionsNames[] = {{0, "ALWAYS"}, {1, "LESS"},      {2, "LESS_EQUAL"},
                                         {3, "EQUAL"},  {4, "NOT_EQUAL"}, {5, "GREATER_EQUAL"},
                                         {6, "GREATER"}};
constexpr FieldMeaning kFunctions = value_names(kFunctionsNames);
constexpr ValueName kSwapsNames[] = {
    {0, "NONE"}, {1, "SWAP_8_IN_16"}, {2, "SWAP_8_IN_32"}, {3, "SWAP_8_IN_64"}};
constexpr FieldMeaning kSwaps = value_names(kSwapsNames);
// DST_SEL of COPY_DATA and WRITE_DATA (2.9.2, 2.9.4), and which dwords follow it.
enum Destination : uint32_t {
    kDstRegister = 0,
    kDstMemorySync = 1,
    kDstL2 = 2,
    kDstGds = 3,
    kDstMemory = 5
};
constexpr bool is_reserved_destination(uint32_t value) {
    return value == 4 || value > kDstMemory;
}
constexpr ValueName kDestinationsNames[] = {{kDstRegister, "REGISTER"},
                                            {kDstMemorySync, "MEMORY_SYNC"},
                                            {kDstL2, "TC_L2"},
                                            {kDstGds, "GDS"},
                                            {kDstMemory, "MEMORY"}};
constexpr FieldMeaning kDestinations = value_names(kDestinationsNames);
constexpr PacketField kDestinationField{"DST_SEL", 1, 8, 11, &kDestinations};
constexpr FieldCondition kToRegister = when(kDestinationField, {kDstRegister});
constexpr FieldCondition kToMemory = unless(kDestinationField, {kDstRegister, kDstGds});
constexpr FieldCondition kToGds = when(kDestinationField, {kDstGds});
constexpr ValueName kSourcesNames[] = {{0, "REGISTER"},
                                       {1, "MEMORY"},
                                       {2, "TC_L2"},
                                       {3, "GDS"},
                                       {5, "IMMEDIATE"},
                                       {6, "ATOMIC_RETURN"},
                                       {7, "GDS_ATOMIC_RETURN0"},
                                       {8, "GDS_ATOMIC_RETURN1"}};
constexpr FieldMeaning kSources = value_names(kSourcesNames);

// A body without a layout: the payload of NOP, and packets that no public source lays out.
constexpr PacketField kPayload[] = {PacketField{"DATA", 1, 0, 31}.every(1)};
// A dword without effect.
constexpr PacketField kDummy[] = {{"DUMMY", 1, 0, 31}};

}  // namespace archipelago::cp::si
