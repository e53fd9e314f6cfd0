// SPDX-License-Identifier: Apache-2.0
// Scalar data cache shared by up to four compute units, read-only. Size and rates: AMD OpenCL
// guide, constant cache; instructions: Southern Islands ISA document, chapter 7.
#pragma once

#include <string>

#include "models/tc/sqc_core.h"

namespace archipelago::tc {

// A load of 1 to 16 dwords touches one or two lines and takes one lookup for each; each cycle one
// CU, in turn, makes one. The answer occupies the CU's return path for as many cycles as its bytes
// need. Answers may overtake each other. A load that touches a line that cannot be read is
// answered with fault set and the first such address. Lines are tagged by address and VMID.
class SqcDataCore final : public SqcCore<SqcDataSpec, SqcDataState, ScalarRequest, ScalarResponse> {
  public:
    // `group` is the number of this cache among its kind, MemRequest::source towards L2.
    // Throws MachineStop(BadInput) when a field of the Spec is out of range.
    explicit SqcDataCore(const SqcDataSpec& spec, unsigned group = 0,
                         const std::string& name = "sqc.data");

    bool tick(Cycle now) override;

  private:
    bool due(Cycle at) const;
    bool take_lines(Cycle now);
    bool look_up(Cycle now, unsigned cu);
    bool open_load(Cycle now, unsigned cu);
    void invalidate_at_once();
    void deliver(unsigned cu, unsigned load, uint64_t line, const Line& data, MemStatus status,
                 Cycle ready);
    void complete(unsigned cu, unsigned load);
    bool send_answer(Cycle now, unsigned cu);
};

}  // namespace archipelago::tc
