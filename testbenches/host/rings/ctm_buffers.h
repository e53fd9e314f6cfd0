// SPDX-License-Identifier: Apache-2.0
// Command buffers of CTM chips. ATI CTM Guide 1.01, sections 2.2 and 5.1: each is submitted by its
// address and size, and is told to have been consumed by its number.
#pragma once

#include "testbenches/host/ring_driver.h"

namespace archipelago::host {

std::unique_ptr<RingDriver> make_ctm_buffers(Machine& machine, unsigned rings);

}  // namespace archipelago::host
