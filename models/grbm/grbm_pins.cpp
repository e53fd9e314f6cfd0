// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/grbm_pins.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "models/common/error.h"
#include "models/grbm/grbm_ports.h"

namespace archipelago::grbm {

using namespace grbm_ports;

namespace {

bool same_map(const Spec& spec, const Spec& of_block) {
    const auto& [ranges, effects, copied, most] =
        std::tie(of_block.ranges, of_block.side_effects, of_block.copied, of_block.most);
    return spec.ports == of_block.ports && spec.database == of_block.database &&
           std::equal(ranges.begin(), ranges.end(), spec.ranges.begin(), spec.ranges.end(),
                      [](const Range& a, const Range& b) {
                          return a.start == b.start && a.end == b.end && a.port == b.port &&
                                 a.also == b.also;
                      }) &&
           std::equal(
               effects.begin(), effects.end(), spec.side_effects.begin(), spec.side_effects.end(),
               [](const SideEffect& a, const SideEffect& b) { return a.offset == b.offset; }) &&
           std::equal(copied.begin(), copied.end(), spec.copied.begin(), spec.copied.end(),
                      [](const CopiedRange& a, const CopiedRange& b) {
                          return a.start == b.start && a.end == b.end && a.by == b.by;
                      }) &&
           spec.most.se == most.se && spec.most.sh == most.sh &&
           spec.most.instance == most.instance;
}

}  // namespace

void settings_to_pins(const Spec& spec, GrbmPins::In& in) {
    in.cfg_gfx_index = spec.gfx_index_reset;
    in.cfg_status = spec.status_constant;
    in.cfg_status_se = spec.status_se_constant;
    in.cfg_reads = static_cast<uint8_t>(spec.reads_in_flight);
}

// ---- in a chip ----------------------------------------------------------------------------------

GrbmOnPins::GrbmOnPins(rtl::PinBlock<Pins>& block, const Spec& spec, const Spec& of_block)
    : GrbmUnit(spec), block_(block) {
    if (!same_map(spec_, of_block))
        throw std::invalid_argument("grbm: the block behind the pins has another register map");
    if (spec_.requests_per_cycle != 1)
        throw std::invalid_argument("grbm: the block behind the pins moves one request per cycle");
    if (spec_.reads_in_flight > Pins::kMaxReads)
        throw std::invalid_argument("grbm: the block behind the pins has room for " +
                                    std::to_string(Pins::kMaxReads) + " reads in flight");
    for (auto& channel : request)
        add_input(channel);
    for (auto& channel : response)
        add_input(channel);
    GrbmOnPins::reset();
}

void GrbmOnPins::require_ports() const {
    for (const Range& range : spec_.ranges)
        if (range.port >= kFirstBlock && !to_port[range.port])
            throw std::invalid_argument("grbm: port " + std::to_string(range.port) +
                                        " is not connected");
}

void GrbmOnPins::reset() {
    GrbmUnit::reset();
    rtl::reset_block(block_);
}

void GrbmOnPins::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(false, "it is a Verilog twin");
}

// False: nothing waits at the requests and responses.
bool GrbmOnPins::drive(Cycle now) {
    in_ = {};
    pins::DriveInputs pass{now, in_, out_};
    if (run_ == RunState::Running)
        each_request(pass, *this);
    each_response(pass, *this);
    if (!pass.any)
        return false;
    each_output(pass, *this);
    in_.run = run_ == RunState::Running ? 1 : 0;
    settings_to_pins(spec_, in_);
    for (const BusyInput& input : busy_)
        if (input.wire->get(now))
            in_.busy[static_cast<unsigned>(input.status)] |= 1u << input.bit;
    return true;
}

// Of a request to a block, which carries more than the pins do: the request that was taken.
struct Taken {
    RegRequest request;
    void operator()(RegRequest& to) const { to = request; }
    void operator()(RegResponse&) const {}
};

bool GrbmOnPins::sample(Cycle now) {
    Taken taken;  // at most one request a cycle
    for (unsigned s = 0; s < kSources; ++s)
        if (out_.req_ready[s] != 0)
            taken.request = request[s].front();
    pins::SampleOutputs pass{now, in_, out_, taken};
    each_request(pass, *this);
    each_response(pass, *this);
    each_output(pass, *this);

    unsigned unknown_to_blocks = 0;
    for (unsigned p = 0; p < kBlocks; ++p)
        if (out_.rsp_ready[p] != 0 && in_.rsp_unknown[p] != 0 && in_.rsp_write[p] == 0)
            ++unknown_to_blocks;
    for (unsigned s = 0; s < kSources; ++s) {
        account(now, s, static_cast<Stall>(out_.stall[s]));
        if (out_.req_ready[s] == 0)
            continue;
        taken.request.source = static_cast<uint8_t>(s);
        follow(now, taken.request, out_.unknown > unknown_to_blocks);
    }
    activity_.unknown += unknown_to_blocks;
    activity_.reads_used = out_.reads;
    if (out_.soft_reset != soft_reset.latest())
        soft_reset.set(now, out_.soft_reset);
    return pass.moved;
}

// Counts and logs a request that the block has taken.
void GrbmOnPins::follow(Cycle now, const RegRequest& r, bool is_unknown) {
    ++(r.write ? activity_.writes : activity_.reads_done)[r.source];
    const bool forwarded = std::any_of(out_.port_valid.begin(), out_.port_valid.end(),
                                       [](uint8_t valid) { return valid != 0; });
    const unsigned answers = out_.ans_count[r.source];
    if (r.write && (forwarded || !is_unknown))
        log(now, r, r.value);
    else if (!forwarded && is_unknown)
        unknown(now, r);
    else if (!forwarded && answers != 0)
        log(now, r, out_.ans_value[answer_at(r.source, answers - 1)]);
}

bool GrbmOnPins::tick(Cycle now) {
    if (!drive(now))
        return false;
    block_.step(in_, out_);
    if (out_.error_code != Pins::kNone)
        stop(static_cast<StopCause>(out_.error_code), out_.error_place);
    return sample(now);
}

// ---- the model at its pins ----------------------------------------------------------------------

GrbmPinCore::GrbmPinCore(const Spec& spec) : core_(spec) {
    for (unsigned p = 0; p < kBlocks; ++p)
        port_.emplace_back(ChannelSpec{1, 1});
    for (unsigned s = 0; s < kSources; ++s)
        answer_.emplace_back(ChannelSpec{GrbmPins::kMaxSpace, 1});
    for (unsigned p = 0; p < kBlocks; ++p)
        core_.to_port[kFirstBlock + p].connect(port_[p]);
    for (unsigned s = 0; s < kSources; ++s)
        core_.to_source[s].connect(answer_[s]);
    for (unsigned status = 0; status < busy_.size(); ++status)
        for (unsigned bit = 0; bit < 32; ++bit)
            core_.add_busy(static_cast<Status>(status), bit, &busy_[status][bit]);
}

void GrbmPinCore::apply(Cycle now, const In& in, const Out& out) {
    const pins::ApplyInputs pass{now, in, out};
    each_request(pass, core_);
    each_response(pass, core_);
    each_output(pass, core_);
    core_.set_run_state(in.run != 0 ? RunState::Running : RunState::Paused);
    for (unsigned status = 0; status < busy_.size(); ++status) {
        for (uint32_t changed = in.busy[status] ^ busy_levels_[status]; changed != 0;
             changed &= changed - 1) {
            const auto bit = static_cast<unsigned>(__builtin_ctz(changed));
            busy_[status][bit].set(now - 1, (in.busy[status] >> bit & 1) != 0);
        }
    }
    busy_levels_ = in.busy;
}

void GrbmPinCore::present(const In& in, Out& out) {
    const pins::PresentOutputs pass{now_, in, out};
    each_request(pass, core_);
    each_response(pass, core_);
    each_output(pass, core_);
    const Activity& activity = core_.activity();
    for (unsigned s = 0; s < kSources; ++s)
        if (activity.stalled_since[s] != kNever)
            out.stall[s] =
                activity.stalled_on_port[s] ? GrbmPins::kWaitsForBlock : GrbmPins::kWaitsForPlace;
    out.soft_reset = core_.soft_reset.latest();
    out.reads = static_cast<uint8_t>(activity.reads_used);
}

void GrbmPinCore::step(const In& in, Out& out) {
    out = {};
    const Cycle now = ++now_;
    if (in.rst != 0)
        core_.reset();
    const Activity& activity = core_.activity();
    if (in.rst == 0 && activity.stop == StopCause::None) {
        const uint64_t unknown = activity.unknown;
        apply(now, in, out);
        try {
            core_.tick(now);
            present(in, out);
            out.unknown = static_cast<uint8_t>(activity.unknown - unknown);
        } catch (const MachineStop&) {
            // It has said why in its activity.
        }
    }
    out.error_code = static_cast<uint8_t>(activity.stop);
    out.error_place = activity.stop_place;
}

}  // namespace archipelago::grbm
