// SPDX-License-Identifier: Apache-2.0
#include "models/tc/memory_pins.h"

#include <cstring>

namespace archipelago::tc {

void to_pins(const Line& line, rtl::LineData& data) {
    static_assert(sizeof(Line) == sizeof(rtl::LineData));
    std::memcpy(data.data(), line.data(), sizeof data);
}

void from_pins(const rtl::LineData& data, Line& line) {
    std::memcpy(line.data(), data.data(), sizeof data);
}

void to_pins(const MemRequest& from, rtl::MemoryRequestPins& to) {
    to.line = from.line / kLineBytes;
    to.mask = from.byte_mask;
    to.command = static_cast<uint8_t>(from.command);
    to.atomic = static_cast<uint8_t>(from.atomic);
    to.bytes = from.atomic_bytes;
    to.client = static_cast<uint8_t>(from.client);
    to.vmid = from.vmid;
    to.glc = from.glc;
    to.slc = from.slc;
    to.through = from.write_through;
    to.returns = from.returns;
    to.source = from.source;
    to.port = from.port;
    to.tag = from.tag;
    to.uid = from.uid;
    const bool read = from.command == MemCommand::Read;
    to.compare = read ? 0 : from.compare;
    to_pins(read ? Line{} : from.data, to.data);
}

void from_pins(const rtl::MemoryRequestPins& from, MemRequest& to) {
    to.line = from.line * kLineBytes;
    to.byte_mask = from.mask;
    to.command = static_cast<MemCommand>(from.command);
    to.atomic = static_cast<AtomicOp>(from.atomic);
    to.atomic_bytes = from.bytes;
    to.client = static_cast<Client>(from.client);
    to.vmid = from.vmid;
    to.glc = from.glc != 0;
    to.slc = from.slc != 0;
    to.write_through = from.through != 0;
    to.returns = from.returns != 0;
    to.source = from.source;
    to.port = from.port;
    to.tag = from.tag;
    to.uid = from.uid;
    to.compare = from.compare;
    from_pins(from.data, to.data);
}

void to_pins(const MemResponse& from, rtl::MemoryAnswerPins& to) {
    to.tag = from.tag;
    to.port = from.port;
    to.status = static_cast<uint8_t>(from.status);
    to.command = static_cast<uint8_t>(from.command);
    to.line = from.line / kLineBytes;
    to.uid = from.uid;
    to_pins(from.command == MemCommand::Write ? Line{} : from.data, to.data);
}

void from_pins(const rtl::MemoryAnswerPins& from, MemResponse& to) {
    to.tag = from.tag;
    to.port = from.port;
    to.status = static_cast<MemStatus>(from.status);
    to.command = static_cast<MemCommand>(from.command);
    to.line = from.line * kLineBytes;
    to.uid = from.uid;
    from_pins(from.data, to.data);
}

void to_pins(const CacheAction& from, CacheLevel level, rtl::CacheActionPins& to) {
    to.writeback = level == CacheLevel::L2 && from.writeback_l2;
    to.invalidate = level == CacheLevel::L2 ? from.invalidate_l2 : from.invalidate_l1;
    to.base = from.base;
    to.size = from.size;
    to.tag = from.tag;
}

CacheAction from_pins(const rtl::CacheActionPins& from, CacheLevel level) {
    CacheAction action;
    if (level == CacheLevel::L2) {
        action.writeback_l2 = from.writeback != 0;
        action.invalidate_l2 = from.invalidate != 0;
    } else {
        action.invalidate_l1 = from.invalidate != 0;
    }
    action.base = from.base;
    action.size = from.size;
    action.tag = from.tag;
    return action;
}

}  // namespace archipelago::tc
