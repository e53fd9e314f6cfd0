// SPDX-License-Identifier: Apache-2.0
// Instruction cache shared by up to four compute units. Size: AMD OpenCL guide; ways, banks and a
// fetch block of 32 bytes: GCN whitepaper.
#pragma once

#include <string>

#include "models/tc/sqc_core.h"

namespace archipelago::tc {

// Each cycle one CU, in turn, looks up one fetch block in each bank: as long as they are in
// different banks, all CUs are served. Answers to different waves may overtake
// each other: a hit does not wait for a miss. A block whose line cannot be read is answered
// with fault set. Lines are tagged by address and VMID.
class SqcInstCore final : public SqcCore<SqcInstSpec, SqcInstState, FetchRequest, FetchResponse> {
  public:
    // `group` is the number of this cache among its kind, MemRequest::source towards L2.
    // Throws MachineStop(BadInput) when a field of the Spec is out of range.
    explicit SqcInstCore(const SqcInstSpec& spec, unsigned group = 0,
                         const std::string& name = "sqc.inst");

    bool tick(Cycle now) override;

  private:
    bool due(Cycle at) const;
    bool look_up_banks(Cycle now);
    bool look_up(Cycle now, unsigned cu);
    bool send_answer(Cycle now, unsigned cu);
    void answer(Cycle ready, const FetchRequest& request, const Line& line, bool fault);
};

}  // namespace archipelago::tc
