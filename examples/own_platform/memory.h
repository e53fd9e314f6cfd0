// SPDX-License-Identifier: Apache-2.0
// What the memories of this example have in common: the bytes, and the calls that take no time.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

// The chip uses nb_transport_fw in cycle mode; DMI, or transport_dbg where DMI is refused, in
// functional mode; transport_dbg in both to ask whether an address exists. b_transport is never
// called on this socket.
class Memory : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<Memory> socket{"socket"};

    Memory(const sc_core::sc_module_name& name, size_t bytes)
        : sc_core::sc_module(name), bytes_(bytes) {
        socket.register_nb_transport_fw(this, &Memory::nb_transport_fw);
        socket.register_transport_dbg(this, &Memory::transport_dbg);
        socket.register_get_direct_mem_ptr(this, &Memory::get_direct_mem_ptr);
    }

    // The host's view, in functional mode.
    uint8_t* at(uint64_t address) { return bytes_.data() + address; }
    // What it counted, a line.
    virtual std::string report() const { return {}; }

  protected:
    virtual tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) = 0;

    void access(tlm::tlm_generic_payload& gp) {
        if (!contains(gp)) {
            gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);  // the chip stops and says so
            return;
        }
        uint8_t* memory = at(gp.get_address());
        uint8_t* data = gp.get_data_ptr();
        const uint8_t* enable = gp.get_byte_enable_ptr();  // on scattered writes only
        for (unsigned i = 0; i < gp.get_data_length(); ++i) {
            if (enable != nullptr && enable[i % gp.get_byte_enable_length()] != TLM_BYTE_ENABLED)
                continue;
            (gp.is_read() ? data[i] : memory[i]) = gp.is_read() ? memory[i] : data[i];
        }
        gp.set_dmi_allowed(true);
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }

  private:
    bool contains(const tlm::tlm_generic_payload& gp) const {
        return gp.get_address() < bytes_.size() &&
               gp.get_data_length() <= bytes_.size() - gp.get_address();
    }

    unsigned transport_dbg(tlm::tlm_generic_payload& gp) {
        access(gp);
        return gp.is_response_ok() ? gp.get_data_length() : 0;
    }

    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
        dmi.set_dmi_ptr(bytes_.data());
        dmi.set_start_address(0);
        dmi.set_end_address(bytes_.size() - 1);
        dmi.allow_read_write();
        return true;
    }

    std::vector<uint8_t> bytes_;
};
