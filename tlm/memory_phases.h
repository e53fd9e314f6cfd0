// SPDX-License-Identifier: Apache-2.0
// How the transactions of a memory socket end.
#pragma once

#include <cstdint>

namespace archipelago::tlm_shell {

enum class MemoryPhases : uint8_t {
    // Answers BEGIN_RESP by TLM_ACCEPTED; END_RESP follows in a call of its own, never from inside
    // a call that the memory makes. Any memory of the base protocol understands this, also one that
    // inspects phases alone.
    Four,
    // Answers BEGIN_RESP by TLM_COMPLETED when the initiator takes the response at once; no
    // END_RESP follows then.
    Early,
};

}  // namespace archipelago::tlm_shell
