// SPDX-License-Identifier: Apache-2.0
#include "models/common/memory_message.h"

#include <iterator>

#include "models/common/text.h"

namespace archipelago {

std::string refused_address(MemStatus status, uint64_t address) {
    return (status == MemStatus::Unmapped ? "unmapped address " : "faulty address ") + hex(address);
}

const char* to_string(Client client) {
    static const char* const kNames[] = {"cp.fetch",  "cp.me", "cp.dma", "cp.eop", "sqc.inst",
                                         "sqc.data",  "tcp",   "tcc",    "host",   "cp.ce",
                                         "vgt.index", "ih",    "dma",    "ctm.pe", "ctm.mc",
                                         "cp.engine", "db",    "cb"};
    static_assert(std::size(kNames) == static_cast<size_t>(Client::kCount));
    return client < Client::kCount ? kNames[static_cast<size_t>(client)] : "?";
}

}  // namespace archipelago
