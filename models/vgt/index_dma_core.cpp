// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/index_dma_core.h"

#include <algorithm>

namespace archipelago::vgt {

namespace {

using In = rtl::VgtIndexDmaPins::In;
using Out = rtl::VgtIndexDmaPins::Out;

IndexCommand command_of(const In& in) {
    IndexCommand c;
    c.base = in.cmd.base;
    c.count = in.cmd.count;
    c.max_size = in.cmd.max;
    c.type = in.cmd.type;
    c.swap = in.cmd.swap;
    c.vmid = in.cmd.vmid;
    c.draw = in.cmd.draw;
    return c;
}

void stop_with(Out& out, IndexStop code, uint32_t draw, uint64_t address) {
    out.stop_valid = 1;
    out.stop_code = static_cast<uint8_t>(code);
    out.stop_draw = draw;
    out.stop_address = address;
}

}  // namespace

std::vector<std::string> IndexDmaSpec::problems() const {
    std::vector<std::string> list;
    const auto need = [&](bool holds, const char* text) {
        if (!holds)
            list.emplace_back(text);
    };
    need(indices_per_cycle >= 1 && indices_per_cycle <= IndexGroup::kMax,
         "index_dma.indices_per_cycle: 1 to 8");
    need(lines_ahead >= 1 && lines_ahead <= kMaxLines, "index_dma.lines_ahead: 1 to 16");
    need(lines_in_flight >= 1 && lines_in_flight <= kMaxLines,
         "index_dma.lines_in_flight: 1 to 16");
    need(commands_begun >= 1 && commands_begun <= kMaxCommands, "index_dma.commands_begun: 1 to 4");
    need(setup_cycles >= 1 && setup_cycles <= kMaxSetupCycles, "index_dma.setup_cycles: 1 to 255");
    for (const ChannelSpec* channel : {&command, &group, &response})
        need(channel->capacity >= 1 && channel->latency >= 1,
             "index_dma: a channel needs capacity and latency of at least 1");
    return list;
}

rtl::VgtIndexDmaPins::Config config_pins(const IndexDmaSpec& spec) {
    rtl::VgtIndexDmaPins::Config c;
    c.indices = static_cast<uint8_t>(spec.indices_per_cycle);
    c.lines = static_cast<uint8_t>(spec.lines_ahead);
    c.in_flight = static_cast<uint8_t>(spec.lines_in_flight);
    c.commands = static_cast<uint8_t>(spec.commands_begun);
    c.setup = static_cast<uint8_t>(spec.setup_cycles);
    return c;
}

// Why no line is requested and no command accepted in this cycle. None: nothing prevents it, if a
// line or a command is there.
FetchReason IndexDmaCore::blocked(const In& in) const {
    const IndexDmaState& s = state_;
    if (s.fetch.timer != 0)
        return FetchReason::Setup;
    if (s.fetch.left != 0) {
        if (s.used >= in.config.lines)
            return FetchReason::Lines;
        if (s.in_flight >= in.config.in_flight)
            return FetchReason::InFlight;
        return in.req_ready != 0 ? FetchReason::None : FetchReason::Port;
    }
    if (in.cmd_valid == 0)
        return FetchReason::None;
    if (s.begun >= in.config.commands)
        return FetchReason::Commands;
    // The draws before a bad one get what is theirs.
    return check(command_of(in)) != IndexStop::None && s.begun != 0 ? FetchReason::Commands
                                                                    : FetchReason::None;
}

// Why no indices are passed on.
GiveReason IndexDmaCore::held(const In& in) const {
    const IndexDmaState& s = state_;
    if (s.begun == 1 && s.fetch.timer != 0)
        return GiveReason::Setup;
    if (s.commands[s.first].needs_line() && !s.slots[s.head].arrived)
        return GiveReason::Data;
    return in.grp_ready != 0 ? GiveReason::None : GiveReason::Consumer;
}

void IndexDmaCore::take(const In& in) {
    IndexDmaState& s = state_;
    const IndexWalk walk(command_of(in));
    s.commands[(s.first + s.begun) % IndexDmaState::kCommands] = walk;
    ++s.begun;
    s.fetch.timer = static_cast<uint8_t>(in.config.setup - 1);
    s.fetch.address = walk.address;
    s.fetch.left = walk.fetched;
    s.fetch.type = walk.type;
    s.fetch.vmid = in.cmd.vmid;
}

void IndexDmaCore::request_lines(const In& in, Out& out) {
    IndexDmaState& s = state_;
    const LineShare share = line_share(s.fetch.address, s.fetch.left, s.fetch.type);
    const unsigned tag = (s.head + s.used) % in.config.lines;
    out.req_valid = 1;
    out.req.line = share.line / kLineBytes;
    out.req.mask = share.dwords;
    out.req.vmid = s.fetch.vmid;
    out.req.tag = static_cast<uint8_t>(tag);
    s.fetch.address = (share.line + kLineBytes) & kAddressMask;
    s.fetch.left -= share.count;
    ++s.used;
    ++s.in_flight;
}

void IndexDmaCore::hand_on(const In& in, Out& out) {
    IndexDmaState& s = state_;
    bool leaves_line = false;
    const IndexGroup group =
        s.commands[s.first].next(s.slots[s.head].words, in.config.indices, leaves_line);
    out.grp_valid = 1;
    out.grp.index = group.index;
    out.grp.count = group.count;
    out.grp.last = group.last ? 1 : 0;
    out.grp.beyond = group.beyond ? 1 : 0;
    out.grp.draw = group.draw;
    if (leaves_line) {
        s.slots[s.head].arrived = false;
        s.head = static_cast<uint8_t>((s.head + 1) % in.config.lines);
        --s.used;
    }
    if (group.last) {
        s.first = static_cast<uint8_t>((s.first + 1) % IndexDmaState::kCommands);
        --s.begun;
    }
}

void IndexDmaCore::step(const In& in, Out& out) {
    out = {};
    IndexDmaState& s = state_;
    if (in.rst != 0) {
        s = {};
        return;
    }
    if (s.halted)
        return;

    // What would break a rule stops the unit before anything moves.
    if (in.rsp_valid != 0) {
        const unsigned place = in.rsp.tag < in.config.lines
                                   ? (in.rsp.tag + in.config.lines - s.head) % in.config.lines
                                   : IndexDmaState::kLines;
        if (place >= s.used || s.slots[in.rsp.tag].arrived)
            stop_with(out, IndexStop::Response, 0, in.rsp.tag);
    }
    const GiveReason give = s.begun != 0 ? held(in) : GiveReason::None;
    if (out.stop_valid == 0 && s.begun != 0 &&
        (give == GiveReason::None || give == GiveReason::Consumer)) {
        const IndexWalk& walk = s.commands[s.first];
        if (walk.needs_line() && s.slots[s.head].status != MemStatus::Ok)
            stop_with(out,
                      s.slots[s.head].status == MemStatus::Unmapped ? IndexStop::Unmapped
                                                                    : IndexStop::Error,
                      walk.draw, walk.address);
    }
    const FetchReason fetch = blocked(in);
    const bool asks = fetch == FetchReason::None && s.fetch.left != 0;
    const bool takes = fetch == FetchReason::None && s.fetch.left == 0 && in.cmd_valid != 0;
    if (takes && out.stop_valid == 0)
        if (const IndexStop bad = check(command_of(in)); bad != IndexStop::None)
            stop_with(out, bad, in.cmd.draw, in.cmd.base);
    if (out.stop_valid != 0) {
        s.halted = true;
        return;
    }

    const bool gives = s.begun != 0 && give == GiveReason::None;
    out.fetch_reason = static_cast<uint8_t>(fetch);
    out.give_reason = static_cast<uint8_t>(give);
    out.cmd_ready = takes ? 1 : 0;
    out.rsp_ready = in.rsp_valid;
    out.active = takes || asks || gives || in.rsp_valid != 0 || s.fetch.timer != 0 ? 1 : 0;
    if (s.fetch.timer != 0)
        --s.fetch.timer;
    if (gives)
        hand_on(in, out);
    if (asks)
        request_lines(in, out);
    if (takes)
        take(in);
    if (in.rsp_valid != 0) {
        IndexDmaState::Slot& slot = s.slots[in.rsp.tag];
        slot.arrived = true;
        slot.status = static_cast<MemStatus>(std::min<uint8_t>(in.rsp.status, 2));
        slot.words = in.rsp.data;
        --s.in_flight;
    }
}

}  // namespace archipelago::vgt
