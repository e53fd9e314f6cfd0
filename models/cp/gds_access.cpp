// SPDX-License-Identifier: Apache-2.0
#include "models/cp/gds_access.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/common/memory_message.h"

namespace archipelago::cp {
namespace {

uint64_t first_lanes(unsigned count) {
    return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

GdsResponse access(GdsPort& port, const GdsRequest& request) {
    std::vector<GdsResponse> done;
    port.request(request, done);
    return done.at(0);  // accesses to memory never wait
}

}  // namespace

GdsRequest gds_read(uint32_t address, unsigned dwords, uint8_t vmid) {
    GdsRequest r;
    r.command = GdsCommand::Read;
    r.returns = true;
    r.vmid = vmid;
    r.lanes[0] = first_lanes(dwords);
    for (unsigned i = 0; i < dwords; ++i)
        r.address[0][i] = address + 4 * i;
    return r;
}

GdsRequest gds_write(uint32_t address, const uint32_t* data, unsigned dwords, uint8_t vmid) {
    GdsRequest r = gds_read(address, dwords, vmid);
    r.command = GdsCommand::Write;
    r.returns = false;
    std::copy_n(data, dwords, r.data[0].begin());
    return r;
}

GdsRequest gds_write_line(uint32_t line, uint64_t mask, const uint8_t* data, uint8_t vmid) {
    GdsRequest r;
    r.command = GdsCommand::Write;
    r.vmid = vmid;
    // Whole dwords where it can be.
    uint64_t whole = mask & mask >> 1 & mask >> 2 & mask >> 3 & 0x1111111111111111u;
    r.bytes = whole * 15 == mask ? 4 : 1;
    for (unsigned i = 0; i < kLineBytes / r.bytes; ++i) {
        const unsigned at = i * r.bytes;
        if ((mask >> at & 1) == 0)
            continue;
        r.lanes[0] |= uint64_t{1} << i;
        r.address[0][i] = line + at;
        for (unsigned b = 0; b < r.bytes; ++b)
            r.data[0][i] |= uint32_t{data[at + b]} << 8 * b;
    }
    return r;
}

GdsRequest gds_atom(const GdsAtom& atom, uint8_t vmid) {
    GdsRequest r;
    r.command = GdsCommand::RegisterAtomic;
    r.returns = true;
    r.vmid = vmid;
    r.atom = atom;
    return r;
}

void no_gds(const Location& location) {
    throw MachineStop(StopKind::Unimplemented, to_string(location),
                      "no global data share is attached");
}

void gds_read_bytes(GdsPort& port, uint64_t address, uint8_t* to, uint32_t bytes, uint8_t vmid) {
    for (uint32_t done = 0; done < bytes;) {
        const uint64_t at = address + done;
        const auto line = static_cast<uint32_t>(line_of(at));
        const auto offset = static_cast<unsigned>(at % kLineBytes);
        const uint32_t part = std::min(bytes - done, kLineBytes - offset);
        const GdsResponse r = access(port, gds_read(line, kLineBytes / 4, vmid));
        for (uint32_t i = 0; i < part; ++i)
            to[done + i] =
                static_cast<uint8_t>(r.data[0][(offset + i) / 4] >> 8 * ((offset + i) % 4));
        done += part;
    }
}

void gds_write_bytes(GdsPort& port, uint64_t address, const uint8_t* from, uint32_t bytes,
                     uint8_t vmid) {
    for (uint32_t done = 0; done < bytes;) {
        const uint64_t at = address + done;
        const auto offset = static_cast<unsigned>(at % kLineBytes);
        const uint32_t part = std::min(bytes - done, kLineBytes - offset);
        Line line{};
        std::copy_n(from + done, part, line.begin() + offset);
        access(port, gds_write_line(static_cast<uint32_t>(line_of(at)), first_lanes(part) << offset,
                                    line.data(), vmid));
        done += part;
    }
}

}  // namespace archipelago::cp
