// SPDX-License-Identifier: Apache-2.0
// The micro-operations that reach the global data share.
#include "models/cp/op_engine.h"

namespace archipelago::cp {

namespace {
// Tags: ring in bits 1:0, what becomes of the answer above.
constexpr uint32_t kTagData = 4;
constexpr uint32_t kTagAtom = 8;
}  // namespace

GdsRequest OpEngine::gds_request(const OpState& s) {
    const MicroOp& op = s.op;
    const Location& location = s.program.location();
    const auto address = static_cast<uint32_t>(op.address);
    GdsRequest request = op.kind == OpKind::GdsAtomic ? gds_atom(op.atom, location.vmid)
                         : op.kind == OpKind::GdsWrite
                             ? gds_write(address, op.data.data(), op.dwords, location.vmid)
                             : gds_read(address, op.dwords, location.vmid);
    request.uid = next_id();
    request.tag = location.ring;
    return request;
}

OpStep OpEngine::send_gds(Cycle now, OpState& s, StallReason& reason) {
    const MicroOp& op = s.op;
    require_gds(s);
    if (!to_gds->can_push(now))
        return blocked(reason, StallReason::Gds);
    GdsRequest request = gds_request(s);
    if (op.kind == OpKind::GdsRead || op.wait) {
        request.tag |= kTagData | (op.kind == OpKind::GdsAtomic ? kTagAtom : 0);
        s.gds_data = false;
        s.wait = StallReason::GdsData;
    }
    to_gds->push(now, request);
    note_gds(s);
    return OpStep::Finished;
}

void OpEngine::note_gds(OpState& s) {
    ++s.gds_in_flight;
    ++pipe_counters.gds_requests;
}

void OpEngine::require_gds(const OpState& s) const {
    if (!to_gds)
        no_gds(s.program.location());
}

// Another unit may use the GDS for the ring: earlier requests of ME are complete.
bool OpEngine::gds_idle(const OpState& s) const {
    require_gds(s);
    return s.gds_in_flight == 0;
}

OpState& OpEngine::end_gds(uint32_t tag) {
    OpState& s = ring(tag & (kTagData - 1));
    --s.gds_in_flight;
    return s;
}

void OpEngine::take(const GdsResponse& response) {
    OpState& s = end_gds(response.tag);
    if ((response.tag & kTagData) == 0)
        return;
    gds_result(response, (response.tag & kTagAtom) != 0, s.program.result);
    s.gds_data = true;
}

void gds_result(const GdsResponse& response, bool atom, OpResult& result) {
    for (unsigned i = 0; i < 4; ++i)
        result.data[i] = atom ? response.data[i][0] : response.data[0][i];
    result.value = result.data[0] | uint64_t{result.data[1]} << 32;
}

}  // namespace archipelago::cp
