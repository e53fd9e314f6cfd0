// SPDX-License-Identifier: Apache-2.0
// Messages and ports of the graphics register bus on its pins, read in both directions: by the
// shell of a chip and by the model in lockstep (grbm_pins.cpp).
#pragma once

#include "models/common/pins/pin_ports.h"
#include "models/grbm/grbm_unit.h"
#include "pins/grbm_pins.h"

namespace archipelago::grbm::grbm_ports {

using rtl::GrbmPins;
constexpr unsigned kBlocks = GrbmPins::kBlocks;
static_assert(kSources == GrbmPins::kSources);

// A request of source `s`.
template <class M, class Request, class In>
void map_request(M m, Request& r, In& in, unsigned s) {
    m.implied(r.source, s);
    m(r.offset, in.req_offset[s]);
    m(r.value, in.req_value[s]);
    m(r.write, in.req_write[s]);
    m(r.ring, in.req_ring[s]);
    m(r.context, in.req_context[s]);
    m(r.vmid, in.req_vmid[s]);
    m(r.tag, in.req_tag[s]);
}

// A request to block `p`: all blocks share the pins but valid.
template <class M, class Request, class Out>
void map_forwarded(M m, Request& r, Out& out, unsigned p) {
    m.implied(r.port, kFirstBlock + p);
    m(r.offset, out.port_offset);
    m(r.value, out.port_value);
    m(r.write, out.port_write);
    m(r.source, out.port_source);
    m(r.ring, out.port_ring);
    m(r.context, out.port_context);
    m(r.vmid, out.port_vmid);
    m(r.tag, out.port_tag);
    m(r.se, out.port_se);
    m(r.sh, out.port_sh);
    m(r.instance, out.port_instance);
    m.flags(out.port_broadcast, r.instance_broadcast, r.sh_broadcast, r.se_broadcast);
}

using Unknown = pins::OneOf<RegStatus::Unknown, RegStatus::Ok>;

// An answer of block `p`.
template <class M, class Response, class In>
void map_response(M m, Response& r, In& in, unsigned p) {
    m(r.value, in.rsp_value[p]);
    m(r.tag, in.rsp_tag[p]);
    m.as(Unknown{}, r.status, in.rsp_unknown[p]);
    m(r.write, in.rsp_write[p]);
}

// Answer `k` of a cycle to source `s`.
constexpr unsigned answer_at(unsigned s, unsigned k) {
    return s * GrbmPins::kAnswers + k;
}
template <class M, class Response, class Out>
void map_answer(M m, Response& r, Out& out, unsigned s, unsigned k) {
    m(r.value, out.ans_value[answer_at(s, k)]);
    m(r.tag, out.ans_tag[answer_at(s, k)]);
    m.as(Unknown{}, r.status, out.ans_unknown[answer_at(s, k)]);
}

template <class Pass>
void each_request(Pass& pass, GrbmUnit& bus) {
    for (unsigned s = 0; s < kSources; ++s)
        pass.input(bus.request[s], pass.in.req_valid[s], pass.out.req_ready[s],
                   [&](auto m, auto& r) { map_request(m, r, pass.in, s); });
}
template <class Pass>
void each_response(Pass& pass, GrbmUnit& bus) {
    for (unsigned p = 0; p < kBlocks; ++p)
        pass.input(bus.response[kFirstBlock + p], pass.in.rsp_valid[p], pass.out.rsp_ready[p],
                   [&](auto m, auto& r) { map_response(m, r, pass.in, p); });
}
template <class Pass>
void each_output(Pass& pass, GrbmUnit& bus) {
    for (unsigned p = 0; p < kBlocks; ++p)
        pass.optional_output(bus.to_port[kFirstBlock + p], pass.in.port_ready[p],
                             pass.out.port_valid[p],
                             [&](auto m, auto& r) { map_forwarded(m, r, pass.out, p); });
    for (unsigned s = 0; s < kSources; ++s)
        pass.burst(bus.to_source[s], pass.in.ans_space[s], GrbmPins::kMaxSpace,
                   pass.out.ans_count[s],
                   [&](auto m, auto& r, unsigned k) { map_answer(m, r, pass.out, s, k); });
}

}  // namespace archipelago::grbm::grbm_ports
