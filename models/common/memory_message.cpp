// SPDX-License-Identifier: Apache-2.0
#include "models/common/memory_message.h"

#include "models/common/text.h"

namespace archipelago {

std::string refused_address(MemStatus status, uint64_t address) {
    return (status == MemStatus::Unmapped ? "unmapped address " : "faulty address ") + hex(address);
}

const char* to_string(Client client) {
    switch (client) {
        case Client::CpFetch:
            return "cp.fetch";
        case Client::CpMe:
            return "cp.me";
        case Client::CpDma:
            return "cp.dma";
        case Client::CpEop:
            return "cp.eop";
        case Client::Instruction:
            return "sqc.inst";
        case Client::Scalar:
            return "sqc.data";
        case Client::Vector:
            return "tcp";
        case Client::L2:
            return "tcc";
        case Client::Host:
            return "host";
        case Client::CpCe:
            return "cp.ce";
        case Client::VgtIndex:
            return "vgt.index";
        case Client::Ih:
            return "ih";
        case Client::kCount:
            break;
    }
    return "?";
}

}  // namespace archipelago
