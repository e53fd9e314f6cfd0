// SPDX-License-Identifier: Apache-2.0
// How the transactions of a memory socket end.
#pragma once

#include <cstdint>

namespace archipelago::tlm_shell {

enum class MemoryPhases : uint8_t {
    // BEGIN_RESP is always answered by TLM_ACCEPTED, and END_RESP follows in a call of its own. The
    // memory gets no call from inside one that it makes. What any memory of the base protocol
    // understands, and those that look at phases alone, too.
    Four,
    // An initiator that takes a response at once answers BEGIN_RESP by TLM_COMPLETED, and no
    // END_RESP
    // follows.
    Early,
};

}  // namespace archipelago::tlm_shell
