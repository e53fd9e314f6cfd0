// SPDX-License-Identifier: Apache-2.0
// All that the constant engine keeps.
#pragma once

#include <array>
#include <cstdint>

#include "models/cp/ce_message.h"
#include "models/cp/ce_spec.h"
#include "pins/cp_ce_pins.h"

namespace archipelago::cp {

constexpr unsigned kCeMaxSets = 8;
constexpr unsigned kCeRings = rtl::CpCePins::kRings;

// Packets of the constant engine as its pins number them.
enum class CePacket : uint8_t {
    Nop,
    SetBase,
    WriteConstRam,
    WriteConstRamOffset,
    DumpConstRam,
    LoadConstRam,
    IncrementCeCounter,
    SetCeDeCounters,
    WaitOnDeCounter,
    WaitOnDeCounterDiff,
    kCount,
};

enum class CePhase : uint8_t { Header, Collect, Microcode, Execute, Drop };

// What a ring of the constant engine waits for.
enum class CeReason : uint8_t {
    None,        // it moves, or is between packets
    Turn,        // another ring has the engine
    Stream,      // no dword
    Microcode,   // starting a packet
    MemPort,     // the way to L2 is busy
    Loads,       // data of LOAD_CONST_RAM outstanding
    Dumps,       // write confirmations outstanding
    Sets,        // INCREMENT_CE_COUNTER: too many sets wait for their writes
    BufferFlag,  // SET_CE_DE_COUNTERS: DE still uses the buffer
    DeCounter,   // WAIT_ON_DE_COUNTER
    Difference,  // WAIT_ON_DE_COUNTER_DIFF
    RamPort,     // loaded data are being written
    kCount,
};

// Why it stopped, as its pins number it.
enum class CeStop : uint8_t {
    None,
    Header,     // not type 2 or 3; info: header
    Packet,     // no packet of the constant engine; info: header
    Size,       // body too small or too large; info: header
    Alignment,  // info: the dword
    Bounds,  // outside the ring's partition; info: first byte after it, from the partition's start
    Partition,  // SET_BASE; info: both boundaries, CS2 in the upper half
    BaseIndex,  // SET_BASE of something else; info: BASE_INDEX
    Fault,      // memory refused; info: tag
    Flags,      // WAIT_ON_AVAIL_BUFFER in an invalid state; info: CE1 CE0 DE1 DE0
    Message,    // DE broke the rules; info: ring, kind, buffer, flags in bytes from the top
    Response,   // unsolicited memory response; info: tag
};

struct CeState {
    struct Ring {
        CePhase phase = CePhase::Header;
        CePacket packet = CePacket::Nop;
        uint8_t vmid = 0;
        uint8_t have = 0;
        uint16_t left = 0;  // body dwords still in the stream
        uint8_t timer = 0;
        std::array<uint32_t, 4> body{};
        uint32_t ram = 0;        // byte address, next to move
        uint16_t remaining = 0;  // dwords to dump or to request
        uint64_t address = 0;    // next in memory
        uint16_t loads = 0;      // lines on their way
        // Writes on their way, by set; the sets from `oldest` on are closed, `set` is open.
        std::array<uint16_t, kCeMaxSets> writes{};
        uint8_t set = 0, oldest = 0, closed = 0;
        // Synchronisation: counters by buffer.
        uint32_t ce_counter = 0;
        std::array<uint64_t, 2> de_count{}, ce_compare{};
        uint8_t buffer = 0;       // CE works on
        uint8_t next_buffer = 0;  // of SET_CE_DE_COUNTERS
        uint8_t ce_flags = 0;
        uint8_t wait = 0;  // DE waits: 1 + DeKind
        uint8_t de_flags = 0;
    };
    std::array<Ring, kCeRings> rings{};
    uint32_t cs1 = 0, cs2 = 0;  // partition boundaries, bytes
    // Those of the GDS, for WRITE_CONST_RAM_OFFSET; before SET_BASE 2 all rings begin at 0.
    uint32_t gds_cs1 = 0, gds_cs2 = 0;
    uint16_t loads = 0, writes = 0;
    bool in_packet = false;  // ring `current` has the engine
    uint8_t current = 0;
    uint8_t turn = 0;  // first in the round when no ring has it
    bool halted = false;
};
using CeRam = std::array<uint32_t, kCeRamBytes / 4>;

}  // namespace archipelago::cp
