// SPDX-License-Identifier: Apache-2.0
// Messages and ports of the prefetch parser on its pins, read in both directions: by the shell of a
// chip and by the model in lockstep (pfp_pins.cpp).
#pragma once

#include "models/common/pins/pin_ports.h"
#include "models/cp/pfp_unit.h"
#include "pins/cp_pfp_parser_pins.h"

namespace archipelago::cp::pfp_ports {

using PfpPins = rtl::CpPfpParserPins;
constexpr unsigned kRings = PfpPins::kRings, kStreams = PfpPins::kStreams,
                   kLevels = kStreams / kRings;

template <class M, class Update, class In>
void map_update(M m, Update& u, In& in, unsigned ring) {
    m.implied(u.ring, ring);
    m(u.reset, in.upd_reset[ring]);
    m(u.read_pointer, in.upd_read_pointer[ring]);
    m(u.write_pointer, in.upd_write_pointer[ring]);
    m(u.config.base, in.upd_base[ring]);
    m(u.config.dwords, in.upd_dwords[ring]);
    m(u.config.enabled, in.upd_enabled[ring]);
}

template <class M, class Line, class In>
void map_line(M m, Line& line, In& in, unsigned stream) {
    m(line.first, in.roq_first[stream]);
    m(line.count, in.roq_count[stream]);
    m.part(line.dwords, in.roq_dwords, stream * PfpPins::kLineDwords);
}

template <class M, class Command, class Out>
void map_fetch(M m, Command& c, Out& out) {
    m(c.ring, out.fetch_ring);
    m(c.level, out.fetch_level);
    m(c.vmid, out.fetch_vmid);
    m(c.swap, out.fetch_swap);
    m(c.base, out.fetch_base);
    m(c.dwords, out.fetch_dwords);
}

// Where a command for the constant engine comes from: its packet, or the buffer that it names.
inline Location location_of(const CeCommand& command, const Location& packet) {
    if (command.partition != 0)
        return packet;
    return {packet.ring, kConstantLevel, command.vmid, 0, command.base};
}
template <class M, class Command, class Out>
void map_ce(M m, Command& c, Out& out, const Location& packet) {
    m(c.partition, out.ce_partition);
    m(c.vmid, out.ce_vmid);
    m(c.swap, out.ce_swap);
    m(c.cs1, out.ce_cs1);
    m(c.cs2, out.ce_cs2);
    m(c.dwords, out.ce_dwords);
    m(c.base, out.ce_base);
    m.implied(c.location, location_of(c, packet));
}

// The locations of packets are not on the pins.
template <class Pass>
void each_port(Pass& pass, PfpUnit& pfp) {
    auto& in = pass.in;
    auto& out = pass.out;
    for (unsigned i = 0; i < kStreams; ++i)
        pass.input(pfp.roq[i], in.roq_valid[i], out.roq_ready[i],
                   [&](auto m, auto& line) { map_line(m, line, in, i); });
    pass.output(pfp.to_fetch, in.fetch_ready, out.fetch_valid,
                [&](auto m, auto& c) { map_fetch(m, c, out); });
    for (unsigned ring = 0; ring < kRings; ++ring) {
        const Location& packet = pfp.state().rings[ring].location;
        pass.output(pfp.to_meq[ring], in.meq_ready[ring], out.meq_valid[ring],
                    [&](auto m, auto& entry) {
                        m(entry.dword, out.meq_dword);
                        m(entry.first, out.meq_first);
                        m.implied(entry.location, entry.first ? packet : Location{});
                    });
        pass.output(pfp.to_ce[ring], in.ce_ready[ring], out.ce_valid[ring],
                    [&](auto m, auto& c) { map_ce(m, c, out, packet); });
    }
}

}  // namespace archipelago::cp::pfp_ports
