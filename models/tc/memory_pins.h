// SPDX-License-Identifier: Apache-2.0
// Messages of caches on pins, read in both directions (common/pins/pin_ports.h).
#pragma once

#include "models/common/memory_message.h"
#include "models/common/pins/pin_ports.h"
#include "pins/memory_messages.h"

namespace archipelago::tc {

using InLines = pins::InUnits<kLineBytes>;

// Data and operands of a read are 0 on the pins.
template <class M, class Request, class Pins>
void map_request(M m, Request& r, Pins& p) {
    m.as(InLines{}, r.line, p.line);
    m(r.byte_mask, p.mask);
    m(r.command, p.command);
    m(r.atomic, p.atomic);
    m(r.atomic_bytes, p.bytes);
    m(r.client, p.client);
    m(r.vmid, p.vmid);
    m(r.glc, p.glc);
    m(r.slc, p.slc);
    m(r.write_through, p.through);
    m(r.returns, p.returns);
    m(r.source, p.source);
    m(r.port, p.port);
    m(r.tag, p.tag);
    m(r.uid, p.uid);
    m.when(r.command != MemCommand::Read, r.compare, p.compare);
    m.when(r.command != MemCommand::Read, r.data, p.data);
}

// The data of a write's answer are 0 on the pins.
template <class M, class Response, class Pins>
void map_answer(M m, Response& r, Pins& p) {
    m(r.tag, p.tag);
    m(r.port, p.port);
    m(r.status, p.status);
    m(r.command, p.command);
    m.as(InLines{}, r.line, p.line);
    m(r.uid, p.uid);
    m.when(r.command != MemCommand::Write, r.data, p.data);
}
// The answer of the level below, of which the pins have no more.
template <class M, class Response, class Tag, class Status, class Data>
void map_answer_below(M m, Response& r, Tag& tag, Status& status, Data& data) {
    m(r.tag, tag);
    m(r.status, status);
    m.when(r.command != MemCommand::Write, r.data, data);
}

// What of an action concerns the caches of a level: L1 has nothing to write back.
enum class CacheLevel : uint8_t { L1, L2 };
template <class M, class Action, class Pins>
void map_action(M m, CacheLevel level, Action& a, Pins& p) {
    if (level == CacheLevel::L2) {
        m(a.writeback_l2, p.writeback);
        m(a.invalidate_l2, p.invalidate);
    } else {
        m(a.invalidate_l1, p.invalidate);
    }
    m(a.base, p.base);
    m(a.size, p.size);
    m(a.tag, p.tag);
}

}  // namespace archipelago::tc
