// SPDX-License-Identifier: Apache-2.0
// A memory at a TLM-2.0 socket: contents only, no time of its own. Serves every transport of
// the base protocol, byte enables, DMI and debug accesses.
#pragma once

#include <systemc>
#include <tlm>

#include "models/common/memory_image.h"

namespace archipelago::tlm_shell {

class MemoryTargetModule : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
  public:
    tlm::tlm_target_socket<> socket{"socket"};

    MemoryTargetModule(const sc_core::sc_module_name& name, MemoryImage& image);

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& gp) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override;

  private:
    void access(tlm::tlm_generic_payload& gp);
    MemoryImage& image_;
};

}  // namespace archipelago::tlm_shell
