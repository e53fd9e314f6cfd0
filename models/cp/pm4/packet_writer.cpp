// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pm4/packet_writer.h"

#include <fmt/core.h>

namespace archipelago::cp {

PacketWriter& PacketWriter::packet(const std::string& name) {
    info_ = &row_of(*table_, name);
    compute_ = false;
    start(*info_, 1);
    return *this;
}

PacketWriter& PacketWriter::compute() {
    compute_ = true;
    resized(size());
    return *this;
}

PacketWriter& PacketWriter::registers(uint32_t first, const std::vector<uint32_t>& values) {
    const RegisterWindow* window = info_->window;
    if (!info_->is(kSetsRegisters) || window == nullptr)
        refuse("does not set registers");
    if (first < window->start || first + 4 * values.size() > window->end || first % 4 != 0)
        refuse(fmt::format("{} registers from 0x{:05x} on are not all in its window", values.size(),
                           first));
    return set("REG_OFFSET", (first - window->start) / 4).data(values);
}

void PacketWriter::resized(uint32_t dwords) {
    header() = make_header(info_->opcodes[0], dwords, compute_);
}

}  // namespace archipelago::cp
