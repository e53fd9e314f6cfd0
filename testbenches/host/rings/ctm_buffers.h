// SPDX-License-Identifier: Apache-2.0
// Command buffers of CTM chips. ATI CTM Guide 1.01, sections 2.2 and 5.1: each is submitted by its
// address and size, and is told to have been consumed by its number. A set_inst_fmt may name a
// whole executable in memory (ctm/loader.h).
#pragma once

#include "testbenches/host/ring_driver.h"

namespace archipelago::host {

class CtmRing : public RingDriver {
  public:
    // Number of the last buffer, from 1.
    virtual uint32_t submitted() const = 0;
};

std::unique_ptr<CtmRing> make_ctm_ring(Machine& machine, unsigned rings);
std::unique_ptr<RingDriver> make_ctm_buffers(Machine& machine, unsigned rings);

}  // namespace archipelago::host
