// SPDX-License-Identifier: Apache-2.0
#include "models/dma/packet_writer.h"

#include <stdexcept>

namespace archipelago::dma {

PacketWriter& PacketWriter::packet(const std::string& name) {
    info_ = table_->find_by_name(name);
    if (info_ == nullptr)
        throw std::invalid_argument(std::string("generation ") + table_->generation() +
                                    " has no packet " + name);
    start(*info_, 0);
    dword(1) |= info_->header;
    return *this;
}

void PacketWriter::resized(uint32_t dwords) {
    if (info_->payload != nullptr)
        set(info_->payload->name, dwords - info_->fixed);
}

}  // namespace archipelago::dma
