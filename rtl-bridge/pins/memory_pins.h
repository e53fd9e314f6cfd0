// SPDX-License-Identifier: Apache-2.0
// The messages of caches, MemRequest and MemResponse of the models, as blocks have them on pins.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

using LineData = std::array<uint32_t, 16>;

struct MemoryRequestPins {
    uint64_t line = 0;  // byte address / 64
    uint64_t mask = 0;
    uint8_t command = 0;  // MemCommand
    uint8_t atomic = 0;   // AtomicOp
    uint8_t bytes = 0;    // of an atomic operand
    uint8_t client = 0;
    uint8_t vmid = 0;
    uint8_t glc = 0, slc = 0, through = 0, returns = 0;
    uint16_t source = 0, port = 0;
    uint32_t tag = 0;
    uint64_t uid = 0;
    uint64_t compare = 0;
    LineData data{};
};

struct MemoryAnswerPins {
    uint32_t tag = 0;
    uint16_t port = 0;
    uint8_t status = 0, command = 0;  // MemStatus, MemCommand
    uint64_t line = 0, uid = 0;
    LineData data{};
};

// A cache action: an invalidation, at L2 a write-back as well.
struct CacheActionPins {
    uint8_t writeback = 0, invalidate = 0;
    uint64_t base = 0, size = 0;
    uint32_t tag = 0;
};

}  // namespace archipelago::rtl

// A request that a block takes at this port; without its valid and ready.
#define ARCHIPELAGO_REQUEST_PINS(at, where)                                                     \
    ARCHIPELAGO_PIN(at, line, where.line, 58, "byte address / 64");                             \
    ARCHIPELAGO_PIN(at, mask, where.mask, 64, "bytes of the line");                             \
    ARCHIPELAGO_PIN(at, command, where.command, 2, "MemCommand: 0 read, 1 write, 2 atomic");    \
    ARCHIPELAGO_PIN(at, atomic, where.atomic, 5, "AtomicOp");                                   \
    ARCHIPELAGO_PIN(at, bytes, where.bytes, 8, "of an atomic operand, 4 or 8");                 \
    ARCHIPELAGO_PIN(at, client, where.client, 4, "Client it comes from");                       \
    ARCHIPELAGO_PIN(at, vmid, where.vmid, 8, "its VMID");                                       \
    ARCHIPELAGO_PIN(at, glc, where.glc, 1, "GLC bit of the instruction");                       \
    ARCHIPELAGO_PIN(at, slc, where.slc, 1,                                                      \
                    "SLC bit: the line is not made the youngest of its set");                   \
    ARCHIPELAGO_PIN(at, through, where.through, 1, "write through to memory");                  \
    ARCHIPELAGO_PIN(at, returns, where.returns, 1, "an atomic's answer brings the old values"); \
    ARCHIPELAGO_PIN(at, source, where.source, 16, "instance of the client");                    \
    ARCHIPELAGO_PIN(at, port, where.port, 16, "returned with the answer");                      \
    ARCHIPELAGO_PIN(at, tag, where.tag, 32, "returned with the answer");                        \
    ARCHIPELAGO_PIN(at, uid, where.uid, 64,                                                     \
                    "number of the transaction, returned with the answer");                     \
    ARCHIPELAGO_PIN(at, compare, where.compare, 64, "value a compare-and-swap compares with");  \
    ARCHIPELAGO_PIN(at, data, where.data, 32, "the line's bytes of a write, operands of an atomic")

// The answer to such a request.
#define ARCHIPELAGO_ANSWER_PINS(at, where)                                                    \
    ARCHIPELAGO_PIN(at, tag, where.tag, 32, "that of the request");                           \
    ARCHIPELAGO_PIN(at, port, where.port, 16, "that of the request");                         \
    ARCHIPELAGO_PIN(at, status, where.status, 2, "MemStatus: 0 good, 1 unmapped, 2 refused"); \
    ARCHIPELAGO_PIN(at, command, where.command, 2, "that of the request");                    \
    ARCHIPELAGO_PIN(at, line, where.line, 58, "that of the request");                         \
    ARCHIPELAGO_PIN(at, uid, where.uid, 64, "that of the request");                           \
    ARCHIPELAGO_PIN(at, data, where.data, 32,                                                 \
                    "the line of a read, old values of an atomic that returns them")
