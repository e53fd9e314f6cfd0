// SPDX-License-Identifier: Apache-2.0
#include "models/dma/packet_writer.h"

namespace archipelago::dma {

PacketWriter& PacketWriter::packet(const std::string& name) {
    info_ = &row_of(*table_, name);
    start(*info_, 0);
    dword(1) |= info_->header;
    return *this;
}

void PacketWriter::resized(uint32_t dwords) {
    if (info_->payload != nullptr)
        set(info_->payload->name, dwords - info_->fixed);
}

}  // namespace archipelago::dma
