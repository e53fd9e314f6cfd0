// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/grbm_pins.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/error.h"
#include "registers/si_register_table.h"

namespace archipelago::grbm {

namespace {

using rtl::GrbmPins;
constexpr unsigned kBlocks = GrbmPins::kBlocks;
constexpr unsigned kAnswers = GrbmPins::kAnswers;
static_assert(kSources == GrbmPins::kSources);
static_assert(kPorts - kFirstBlock == kBlocks,
              "a block more or less in configs/registers/si_bus.yaml: GrbmPins::kBlocks");

bool same_map(const Spec& spec) {
    const std::vector<Range> ranges = si_ranges();
    const std::vector<SideEffect> effects = si_side_effects();
    const std::vector<CopiedRange> copied = si_copied();
    const CopyCounts most = si_copy_counts();
    return spec.ports == kPorts && spec.database == &regs::si::database() &&
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

// ---- the model at its pins ----------------------------------------------------------------------

Spec GrbmPinCore::pin_spec() {
    Spec spec;
    spec.database = &regs::si::database();
    return spec;
}

GrbmPinCore::GrbmPinCore() : core_(pin_spec()) {
    for (unsigned p = 0; p < kBlocks; ++p)
        port_.emplace_back(ChannelSpec{1, 1});
    for (unsigned s = 0; s < kSources; ++s)
        answer_.emplace_back(ChannelSpec{GrbmPins::kMostSpace, 1});
    for (unsigned p = 0; p < kBlocks; ++p)
        core_.to_port[kFirstBlock + p].connect(port_[p]);
    for (unsigned s = 0; s < kSources; ++s)
        core_.to_source[s].connect(answer_[s]);
    for (unsigned status = 0; status < busy_.size(); ++status)
        for (unsigned bit = 0; bit < 32; ++bit)
            core_.add_busy(static_cast<Status>(status), bit, &busy_[status][bit]);
}

// Puts the values of the pins into the channels and wires, as if they had come in the cycle before.
void GrbmPinCore::offer(Cycle now, const In& in) {
    for (unsigned s = 0; s < kSources; ++s) {
        core_.request[s].clear();
        if (in.req_valid[s] != 0) {
            RegRequest r;
            r.offset = in.req_offset[s];
            r.value = in.req_value[s];
            r.write = in.req_write[s] != 0;
            r.ring = in.req_ring[s];
            r.context = in.req_context[s];
            r.vmid = in.req_vmid[s];
            r.tag = in.req_tag[s];
            core_.request[s].push(now - 1, r);
        }
        answer_[s].clear();
        for (unsigned k = in.ans_space[s]; k < GrbmPins::kMostSpace; ++k)
            answer_[s].push(now - 1, RegResponse{});
    }
    for (unsigned p = 0; p < kBlocks; ++p) {
        Channel<RegResponse>& response = core_.response[kFirstBlock + p];
        response.clear();
        if (in.rsp_valid[p] != 0) {
            RegResponse r;
            r.value = in.rsp_value[p];
            r.tag = in.rsp_tag[p];
            r.status = in.rsp_unknown[p] != 0 ? RegStatus::Unknown : RegStatus::Ok;
            r.write = in.rsp_write[p] != 0;
            response.push(now - 1, r);
        }
        port_[p].clear();
        if (in.port_ready[p] == 0)
            port_[p].push(now - 1, RegRequest{});
    }
    for (unsigned status = 0; status < busy_.size(); ++status) {
        for (uint32_t changed = in.busy[status] ^ busy_levels_[status]; changed != 0;
             changed &= changed - 1) {
            const auto bit = static_cast<unsigned>(__builtin_ctz(changed));
            busy_[status][bit].set(now - 1, (in.busy[status] >> bit & 1) != 0);
        }
    }
    busy_levels_ = in.busy;
}

void GrbmPinCore::collect(const In& in, Out& out) {
    const State& state = core_.state();
    for (unsigned s = 0; s < kSources; ++s) {
        out.req_ready[s] = in.req_valid[s] != 0 && core_.request[s].empty() ? 1 : 0;
        if (state.stalled_since[s] != kNever)
            out.stall[s] =
                state.stalled_on_port[s] ? GrbmPins::kWaitsForBlock : GrbmPins::kWaitsForPlace;
        for (unsigned k = in.ans_space[s]; k < GrbmPins::kMostSpace; ++k)
            answer_[s].drop(now_);
        for (; !answer_[s].empty(); answer_[s].drop(now_)) {
            const RegResponse& r = answer_[s].front();
            const unsigned at = s * kAnswers + out.ans_count[s]++;
            out.ans_value[at] = r.value;
            out.ans_tag[at] = r.tag;
            out.ans_unknown[at] = r.status == RegStatus::Unknown ? 1 : 0;
        }
    }
    for (unsigned p = 0; p < kBlocks; ++p) {
        out.rsp_ready[p] = in.rsp_valid[p] != 0 && core_.response[kFirstBlock + p].empty() ? 1 : 0;
        if (in.port_ready[p] == 0 || port_[p].empty())
            continue;
        const RegRequest& r = port_[p].front();
        out.port_valid[p] = 1;
        out.port_offset = r.offset;
        out.port_value = r.value;
        out.port_write = r.write ? 1 : 0;
        out.port_source = r.source;
        out.port_ring = r.ring;
        out.port_context = r.context;
        out.port_vmid = r.vmid;
        out.port_tag = r.tag;
        out.port_se = r.se;
        out.port_sh = r.sh;
        out.port_instance = r.instance;
        out.port_broadcast = static_cast<uint8_t>(
            (r.se_broadcast ? 4 : 0) | (r.sh_broadcast ? 2 : 0) | (r.instance_broadcast ? 1 : 0));
    }
    out.soft_reset = core_.soft_reset.latest();
    out.reads = static_cast<uint8_t>(state.reads_used);
}

void GrbmPinCore::step(const In& in, Out& out) {
    out = {};
    const Cycle now = ++now_;
    if (in.rst != 0)
        core_.reset();
    const State& state = core_.state();
    if (in.rst == 0 && state.stop == StopCause::None) {
        const uint64_t unknown = state.unknown;
        offer(now, in);
        if (in.run != 0)
            core_.resume();
        else
            core_.pause();
        try {
            core_.tick(now);
            collect(in, out);
            out.unknown = static_cast<uint8_t>(state.unknown - unknown);
        } catch (const MachineStop&) {
            // It has said why in its state.
        }
    }
    out.error_code = static_cast<uint8_t>(state.stop);
    out.error_place = state.stop_place;
}

// ---- a chip's core behind its pins --------------------------------------------------------------

void GrbmCore::use_pins(PinGrbm& pins) {
    if (!same_map(spec_))
        throw std::invalid_argument("grbm: the block behind the pins has another register map");
    if (spec_.requests_per_cycle != 1)
        throw std::invalid_argument("grbm: the block behind the pins moves one request per cycle");
    if (spec_.reads_in_flight > GrbmPins::kMostReads)
        throw std::invalid_argument("grbm: the block behind the pins has room for " +
                                    std::to_string(GrbmPins::kMostReads) + " reads in flight");
    for (const Range& range : spec_.ranges)
        if (range.port >= kFirstBlock && !to_port[range.port])
            throw std::invalid_argument("grbm: port " + std::to_string(range.port) +
                                        " is not connected");
    pins_ = &pins;
    find_simple();
}

// What waits at the requests and responses, and what the ports can take. False: there is nothing to
// do.
bool GrbmCore::read_inputs(Cycle now, GrbmPins::In& in) {
    bool has_input = false;
    for (unsigned s = 0; s < kSources; ++s) {
        if (run_ != RunState::Running || !request[s].can_pop(now))
            continue;
        const RegRequest& r = request[s].front();
        in.req_valid[s] = 1;
        in.req_offset[s] = r.offset;
        in.req_value[s] = r.value;
        in.req_write[s] = r.write ? 1 : 0;
        in.req_ring[s] = r.ring;
        in.req_context[s] = r.context;
        in.req_vmid[s] = r.vmid;
        in.req_tag[s] = r.tag;
        has_input = true;
    }
    for (unsigned p = 0; p < kBlocks; ++p) {
        if (!response[kFirstBlock + p].can_pop(now))
            continue;
        const RegResponse& r = response[kFirstBlock + p].front();
        in.rsp_valid[p] = 1;
        in.rsp_value[p] = r.value;
        in.rsp_tag[p] = r.tag;
        in.rsp_unknown[p] = r.status == RegStatus::Unknown ? 1 : 0;
        in.rsp_write[p] = r.write ? 1 : 0;
        has_input = true;
    }
    if (!has_input)
        return false;
    in.run = run_ == RunState::Running ? 1 : 0;
    settings_to_pins(spec_, in);
    for (const BusyInput& input : busy_)
        if (input.wire->get(now))
            in.busy[static_cast<unsigned>(input.status)] |= 1u << input.bit;
    for (unsigned p = 0; p < kBlocks; ++p)
        // A block that is not there takes every write.
        in.port_ready[p] =
            !to_port[kFirstBlock + p] || to_port[kFirstBlock + p]->can_push(now) ? 1 : 0;
    for (unsigned s = 0; s < kSources; ++s)
        in.ans_space[s] =
            static_cast<uint8_t>(std::min(to_source[s]->space(now), GrbmPins::kMostSpace));
    return true;
}

// The request as the pins send it to blocks; false: to none.
bool GrbmCore::forward_pins(Cycle now, RegRequest r, const GrbmPins::Out& out) {
    bool left = false;
    for (unsigned p = 0; p < kBlocks; ++p) {
        if (out.port_valid[p] == 0)
            continue;
        r.port = static_cast<uint16_t>(kFirstBlock + p);
        r.tag = out.port_tag;
        r.se = out.port_se;
        r.sh = out.port_sh;
        r.instance = out.port_instance;
        r.se_broadcast = (out.port_broadcast & 4) != 0;
        r.sh_broadcast = (out.port_broadcast & 2) != 0;
        r.instance_broadcast = (out.port_broadcast & 1) != 0;
        r.offset = out.port_offset;
        r.value = out.port_value;
        r.write = out.port_write != 0;
        r.source = out.port_source;
        r.ring = out.port_ring;
        r.context = out.port_context;
        r.vmid = out.port_vmid;
        if (r.write && !left)
            log(now, r, r.value);
        left = true;
        if (to_port[kFirstBlock + p])
            to_port[kFirstBlock + p]->push(now, r);
    }
    return left;
}

bool GrbmCore::tick_pins(Cycle now) {
    GrbmPins::In in;
    if (!read_inputs(now, in))
        return false;
    GrbmPins::Out out;
    pins_->step(in, out);
    if (out.error_code != GrbmPins::kNone)
        stop(static_cast<StopCause>(out.error_code), out.error_place);

    bool progress = false;
    unsigned unknown_of_blocks = 0;
    for (unsigned p = 0; p < kBlocks; ++p) {
        if (out.rsp_ready[p] == 0)
            continue;
        unknown_of_blocks += in.rsp_unknown[p] != 0 && in.rsp_write[p] == 0 ? 1 : 0;
        response[kFirstBlock + p].drop(now);
        progress = true;
    }
    RegResponse last;
    for (unsigned s = 0; s < kSources; ++s) {
        for (unsigned k = 0; k < out.ans_count[s]; ++k) {
            last.value = out.ans_value[s * kAnswers + k];
            last.tag = out.ans_tag[s * kAnswers + k];
            last.status =
                out.ans_unknown[s * kAnswers + k] != 0 ? RegStatus::Unknown : RegStatus::Ok;
            to_source[s]->push(now, last);
        }
        account(now, s, static_cast<Stall>(out.stall[s]));
        if (out.req_ready[s] == 0)
            continue;
        progress = true;
        RegRequest r = request[s].pop(now);
        r.source = static_cast<uint8_t>(s);
        ++(r.write ? state_.writes : state_.reads_done)[s];
        const bool left = forward_pins(now, r, out);
        if (!left && out.unknown > unknown_of_blocks)
            unknown(now, r);
        else if (!left)
            log(now, r, r.write ? r.value : last.value);
    }
    state_.unknown += unknown_of_blocks;
    state_.reads_used = out.reads;
    if (out.soft_reset != soft_reset.latest())
        soft_reset.set(now, out.soft_reset);
    return progress;
}

}  // namespace archipelago::grbm
