// SPDX-License-Identifier: Apache-2.0
// A transaction in words, as the messages of breaches and hangs have it.
#pragma once

#include <string>
#include <tlm>

#include "models/common/text.h"

namespace archipelago::tlm_shell {

// "read of 64 bytes at 0x40"
inline std::string in_words(const tlm::tlm_generic_payload& gp) {
    const char* const command = gp.is_read() ? "read" : gp.is_write() ? "write" : "ignored command";
    return std::string(command) + " of " + std::to_string(gp.get_data_length()) + " bytes at " +
           hex(gp.get_address());
}

// The same with its response status: "read of 64 bytes at 0x40, TLM_BURST_ERROR_RESPONSE"
inline std::string answer_in_words(const tlm::tlm_generic_payload& gp) {
    return in_words(gp) + ", " + gp.get_response_string();
}

}  // namespace archipelago::tlm_shell
