// SPDX-License-Identifier: Apache-2.0
// Lines of the pm4 log, the same in both modes.
#pragma once

#include <fmt/core.h>

#include <string>

#include "models/common/text.h"
#include "models/common/trace_sink.h"
#include "models/cp/cp_spec.h"
#include "models/cp/micro_op.h"
#include "models/front/packet_log.h"

namespace archipelago::cp {

// "ring gfx IB1 +0x34 SET_SH_REG COMPUTE_PGM_LO = ...": the offset counts dwords. Costs nothing
// without an observer.
inline void log_line(const Observers& observers, const std::string& path, Cycle now,
                     const Location& location, const std::string& text) {
    std::string place = std::string("ring ") + ring_name(location.ring);
    if (location.level != 0)
        place += " " + ring_names().level(location.level);
    observers.log->line(LogCategory::Pm4, now, path,
                        place + " +" + hex(location.dword) + " " + text);
}

// Packets that are logged register by register, as the writes leave.
inline bool logs_registers(const PacketInfo& info) {
    return info.is(kLogsRegisters);
}

inline void log_register(const Observers& observers, const std::string& path, Cycle now,
                         const Spec& spec, const PacketProgram& program, const MicroOp& op) {
    log_line(observers, path, now, program.location(),
             std::string(program.info().name) + " " +
                 describe_register(op.offset, op.value, spec.register_namer));
}

// What the timeline says of a packet: where it stands and its fields, as far as they are here.
inline std::string packet_detail(const Spec& spec, const Location& location, uint32_t header,
                                 const uint32_t* body, uint32_t available) {
    return to_string(location) + ": " +
           describe_packet(*spec.packets, header, body, available, spec.register_namer);
}

// A line of the dma log: what CP DMA begins.
inline void log_dma(const Observers& observers, const std::string& path, Cycle now,
                    const DmaCommand& c) {
    front::log_packet(observers, LogCategory::Dma, now, path, to_string(c.location), [&] {
        return std::string(c.pfp ? "PFP: " : "ME: ") +
               (c.fill ? fmt::format("fill {} bytes with 0x{:08x}", c.bytes, c.fill_data)
                       : fmt::format("copy {} bytes from {}0x{:x}", c.bytes,
                                     c.from_gds ? "GDS " : "", c.source)) +
               fmt::format(" to {}0x{:x}", c.to_gds ? "GDS " : "", c.destination) +
               (c.swap_mask != 0 ? fmt::format(", bytes exchanged by {}", unsigned{c.swap_mask})
                                 : "") +
               (c.raw_wait ? ", behind all writes" : "");
    });
}

inline bool logs_packets(const Observers& observers) {
    return front::logs(observers, LogCategory::Pm4);
}

inline void log_packet(const Observers& observers, const std::string& path, Cycle now,
                       const Spec& spec, const Location& location, uint32_t header,
                       const uint32_t* body, uint32_t available) {
    if (logs_packets(observers))
        log_line(observers, path, now, location,
                 describe_packet(*spec.packets, header, body, available, spec.register_namer));
}

}  // namespace archipelago::cp
