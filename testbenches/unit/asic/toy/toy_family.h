// SPDX-License-Identifier: Apache-2.0
// A family of chips as a newcomer would add one: everything it is stands in this folder. A write of
// N to its doorbell copies N bytes within memory and raises an interrupt.
#pragma once

#include "models/asic/families.h"
#include "testbenches/host/ring_driver.h"

namespace archipelago::toy {

constexpr uint32_t kDoorbell = 0x10;   // bytes to copy; reads: copies done
constexpr uint8_t kCopyDone = 7;       // interrupt source
constexpr uint64_t kSource = 0x10000;  // of a copy
constexpr uint64_t kTarget = 0x20000;

struct ToySpec {
    unsigned copy_cycles = 0;  // of each byte
};

asic::Family family();
// Those of this version and the copier's.
host::RingDriverKinds ring_driver_kinds();

}  // namespace archipelago::toy
