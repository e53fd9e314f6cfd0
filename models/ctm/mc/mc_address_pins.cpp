// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/mc_address_pins.h"

#include <stdexcept>

#include "models/common/error.h"

namespace archipelago::ctm {
namespace {

using rtl::CtmMcAddressPins;

AddressSpec spec_of_pins(unsigned latency) {
    AddressSpec spec;
    spec.latency = latency;
    // The queues are outside the block: the request at the pins is the head of a queue.
    spec.requests = {1, 1};
    spec.commands = {1, 1};
    return spec;
}

void present(const AddressResponse& r, CtmMcAddressPins::Out& out) {
    out.out_c0 = r.address[0];
    out.out_c1 = r.address[1];
    out.out_c2 = r.address[2];
    out.out_c3 = r.address[3];
    out.out_superfine = r.superfine ? 1 : 0;
    out.out_log2_bytes = r.log2_bytes;
    out.out_status = static_cast<uint8_t>(r.status);
    out.out_tag = r.tag;
}

constexpr unsigned kTimeout = 10'000;  // cycles without an answer, then a hang

}  // namespace

McAddressPins::McAddressPins(unsigned latency)
    : core_(spec_of_pins(latency)), responses_({1, 1}, "pins") {
    core_.to_responses.connect(responses_);
}

void McAddressPins::step(const In& in, Out& out) {
    out = Out{};
    out.out_valid = core_.offers(now_) ? 1 : 0;
    if (out.out_valid != 0)
        present(core_.state().pipeline.front().response, out);
    out.in_ready = core_.takes_request(now_, in.out_ready != 0) ? 1 : 0;
    out.cmd_ready = 1;

    if (in.in_valid != 0)
        core_.requests.push(now_ - 1, {in.in.client, in.in.x, in.in.y, in.in.tag});
    if (in.cmd_valid != 0)
        core_.commands.push(now_ - 1, {in.cmd.opcode, {in.cmd.p0, in.cmd.p1, in.cmd.p2, 0}});
    if (in.out_ready == 0)
        responses_.push(now_ - 1, AddressResponse{});  // fills it: the core must hold
    core_.tick(now_);
    out.cmd_refused = core_.refused_command() ? 1 : 0;
    const bool taken = in.in_valid != 0 && core_.requests.empty();
    const bool left = in.out_ready != 0 && !responses_.empty();
    if (taken != (in.in_valid != 0 && out.in_ready != 0) || !core_.commands.empty() ||
        left != (out.out_valid != 0 && in.out_ready != 0))
        throw std::logic_error("ctm_mc_address: the core does not do what its pins say");
    core_.requests.clear();
    core_.commands.clear();
    responses_.clear();
    if (in.rst != 0)
        core_.reset();
    ++now_;
}

PinAddressUnit::PinAddressUnit(rtl::PinBlock<CtmMcAddressPins>& block, const Surface& surface)
    : block_(block), superfine_(is_superfine(surface.tiling)) {
    reset_block(block_);
    CtmMcAddressPins::Out out;
    in_.cmd_valid = 1;
    in_.cmd = {static_cast<uint8_t>(Command::SetInpFmt), kInput0, surface.base,
               format_word(surface)};
    for (unsigned waited = 0; out.cmd_ready == 0; ++waited) {
        if (waited == kTimeout)
            throw MachineStop(StopKind::Hang, CtmMcAddressPins::kName,
                              "the block takes no command");
        block_.step(in_, out);
    }
    in_.cmd_valid = 0;
    in_.out_ready = 1;
}

void PinAddressUnit::map(const Point* points, size_t count, uint32_t* addresses) {
    const auto stop = [](StopKind kind, const char* what) {
        throw MachineStop(kind, CtmMcAddressPins::kName, what);
    };
    CtmMcAddressPins::Out out;
    size_t sent = 0;
    unsigned waited = 0;
    for (size_t answered = 0; answered < count;) {
        in_.in_valid = sent < count ? 1 : 0;
        if (sent < count)
            in_.in = {kInput0, points[sent].x, points[sent].y, static_cast<uint8_t>(sent)};
        block_.step(in_, out);
        sent += in_.in_valid != 0 && out.in_ready != 0 ? 1 : 0;
        if (out.out_valid == 0) {
            if (++waited == kTimeout)
                stop(StopKind::Hang, "the block gives no address");
            continue;
        }
        waited = 0;
        if (out.out_tag != static_cast<uint8_t>(answered) ||
            (out.out_superfine != 0) != superfine_ ||
            out.out_status >= static_cast<uint8_t>(AddressStatus::ReservedFormat))
            stop(StopKind::Protocol, "the response does not match the request sent to the block");
        ++answered;
        *addresses++ = out.out_c0;
        if (superfine_) {
            *addresses++ = out.out_c1;
            *addresses++ = out.out_c2;
            *addresses++ = out.out_c3;
        }
    }
    in_.in_valid = 0;
}

}  // namespace archipelago::ctm
