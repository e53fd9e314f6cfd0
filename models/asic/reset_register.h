// SPDX-License-Identifier: Apache-2.0
// The reset register of a chip that is reset as a whole: RBBM_SOFT_RESET of the R5xx,
// RBBM_SW_RESET_CMD of an Adreno. It stands at the host's port, upstream of every block, so that it
// keeps its value while they are in reset, and a write reaches it while they take nothing. Whatever
// the family, ClockedChip::reset_all_by() connects it.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/asic/functional_machine.h"
#include "models/common/archive.h"
#include "models/common/wire.h"
#include "tlm/clock_domain.h"
#include "tlm/port.h"

namespace archipelago::asic {

struct ResetRegisterSpec {
    uint32_t offset = 0;   // bytes, in the register aperture
    uint32_t bits = 0;     // while one of these is set, all blocks are held in reset
    unsigned latency = 1;  // of the host's link, cycles
};

class ResetRegister : public tlm_shell::DirectAccess {
  public:
    ResetRegister(const ResetRegisterSpec& spec, const tlm_shell::ClockDomain& clock)
        : spec_(spec), clock_(clock) {}

    // Cycle mode: of its bits, for SoftReset.
    const Wire<uint32_t>& level() const { return level_; }
    // Serves the accesses of all other registers.
    void forward_to(tlm_shell::DirectAccess& next) { next_ = &next; }
    // Functional mode: also resets it, and keeps accesses away from it meanwhile.
    void forward_to(FunctionalMachine& machine) { next_ = machine_ = &machine; }

    bool transport(tlm::tlm_generic_payload& gp) override;
    unsigned debug(tlm::tlm_generic_payload& gp) override;
    void archive(Archive& a) const { a.at_rest(value_ == 0, "it holds the chip"); }

  private:
    void write(uint32_t value);

    const ResetRegisterSpec spec_;
    const tlm_shell::ClockDomain& clock_;
    uint32_t value_ = 0;
    Wire<uint32_t> level_;
    tlm_shell::DirectAccess* next_ = nullptr;
    FunctionalMachine* machine_ = nullptr;
};

}  // namespace archipelago::asic
