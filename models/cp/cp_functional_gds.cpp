// SPDX-License-Identifier: Apache-2.0
// The global data share in functional mode: everything is complete at once.
#include "models/cp/cp_functional.h"
#include "models/cp/op_engine.h"

namespace archipelago::cp {

GdsPort& CpFunctional::gds(const Location& location) const {
    GdsPort* port = backend_.gds_port();
    if (port == nullptr)
        no_gds(location);
    return *port;
}

void CpFunctional::execute_gds(Ring& r, const MicroOp& op) {
    const Location& location = r.program.location();
    const uint8_t vmid = location.vmid;
    const auto address = static_cast<uint32_t>(op.address);
    std::vector<GdsResponse> done;
    switch (op.kind) {
        case OpKind::GdsRead:
            gds(location).request(gds_read(address, op.dwords, vmid), done);
            break;
        case OpKind::GdsWrite:
            gds(location).request(gds_write(address, op.data.data(), op.dwords, vmid), done);
            return;
        case OpKind::GdsAtomic:
            gds(location).request(gds_atom(op.atom, vmid), done);
            break;
        case OpKind::RingError:
            file_.ring_error(location.ring, op.value, vmid);
            return;
        default:
            return;
    }
    gds_result(done.at(0), op.kind == OpKind::GdsAtomic, r.program.result);
    r.last_read = r.program.result.data[0];
}

void CpFunctional::store_gds(const EopCommand& c) {
    uint8_t piece[kLineBytes];
    const uint64_t bytes = 4 * uint64_t{c.gds_dwords};
    for (uint64_t done = 0; done < bytes; done += kLineBytes) {
        const auto part = static_cast<uint32_t>(std::min<uint64_t>(bytes - done, kLineBytes));
        gds_read_bytes(gds(c.location), c.gds_from + done, piece, part, c.location.vmid);
        if (!backend_.mem_write(c.address + done, piece, part, c.location.vmid))
            fault(c.location, "EVENT_WRITE_EOS write to", line_of(c.address + done));
    }
}

}  // namespace archipelago::cp
