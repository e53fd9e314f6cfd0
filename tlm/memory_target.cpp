// SPDX-License-Identifier: Apache-2.0
#include "tlm/memory_target.h"

#include <algorithm>

#include "models/common/page.h"

namespace archipelago::tlm_shell {

MemoryTargetModule::MemoryTargetModule(const sc_core::sc_module_name& name, MemoryImage& image)
    : sc_core::sc_module(name), image_(image) {
    socket.bind(*this);
}

void MemoryTargetModule::access(tlm::tlm_generic_payload& gp) {
    const uint64_t address = gp.get_address();
    const unsigned length = gp.get_data_length();
    if (gp.get_streaming_width() < length) {
        gp.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (!gp.is_read() && !gp.is_write()) {
        gp.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    const unsigned char* enable = gp.get_byte_enable_ptr();
    const unsigned enables = gp.get_byte_enable_length();
    if (enable != nullptr && enables == 0) {
        gp.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return;
    }
    unsigned char* data = gp.get_data_ptr();
    if (data == nullptr && length != 0) {
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    bool ok = true;
    if (enable == nullptr) {
        ok =
            gp.is_read() ? image_.read(address, data, length) : image_.write(address, data, length);
    } else {
        ok = image_.is_mapped(address, length);
        for (unsigned i = 0; ok && i < length; ++i)
            if (enable[i % enables] == TLM_BYTE_ENABLED)
                ok = gp.is_read() ? image_.read(address + i, data + i, 1)
                                  : image_.write(address + i, data + i, 1);
    }
    gp.set_dmi_allowed(ok);
    gp.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

tlm::tlm_sync_enum MemoryTargetModule::nb_transport_fw(tlm::tlm_generic_payload& gp,
                                                       tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::BEGIN_REQ)
        access(gp);
    return tlm::TLM_COMPLETED;
}

void MemoryTargetModule::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time&) {
    access(gp);
}

unsigned MemoryTargetModule::transport_dbg(tlm::tlm_generic_payload& gp) {
    uint64_t address = gp.get_address();
    unsigned done = 0;
    if (!gp.is_read() && !gp.is_write()) {
        gp.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return 0;
    }
    while (done < gp.get_data_length()) {
        const auto step = static_cast<unsigned>(
            std::min<uint64_t>(gp.get_data_length() - done, kPageBytes - address % kPageBytes));
        unsigned char* data = gp.get_data_ptr() + done;
        const bool ok =
            gp.is_write() ? image_.write(address, data, step) : image_.read(address, data, step);
        if (!ok)
            break;
        done += step;
        address += step;
    }
    gp.set_response_status(done == gp.get_data_length() ? tlm::TLM_OK_RESPONSE
                                                        : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return done;
}

bool MemoryTargetModule::get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) {
    uint64_t first = 0;
    uint64_t last = 0;
    uint8_t* host = nullptr;
    if (!image_.contiguous_range(gp.get_address(), first, last, host))
        return false;
    dmi.allow_read_write();
    dmi.set_dmi_ptr(host);
    dmi.set_start_address(first);
    dmi.set_end_address(last);
    return true;
}

}  // namespace archipelago::tlm_shell
