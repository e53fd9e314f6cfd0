// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/index_dma_unit.h"

#include <fmt/core.h>

#include <cstring>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/transaction_id.h"
#include "models/common/verilog_mark.h"
#include "models/vgt/index_dma_decode.h"

namespace archipelago::vgt {

namespace {

const char* to_string(GiveReason reason) {
    switch (reason) {
        case GiveReason::Setup:
            return "its setup";
        case GiveReason::Data:
            return "indices from memory";
        case GiveReason::Consumer:
            return "VGT to take indices";
        default:
            return "its turn";
    }
}

const IndexDmaSpec& checked(const IndexDmaSpec& spec) {
    const std::vector<std::string> problems = spec.problems();
    if (!problems.empty())
        throw std::invalid_argument(problems.front());
    return spec;
}

}  // namespace

IndexDmaUnit::IndexDmaUnit(const IndexDmaSpec& spec, rtl::PinBlock<rtl::VgtIndexDmaPins>* pins)
    : command(checked(spec).command, "vgt.index_dma.command"),
      response(spec.response, "vgt.index_dma.response"),
      spec_(spec),
      pins_(pins != nullptr ? pins : &core_) {
    add_inputs(command, response);
    IndexDmaUnit::reset();
}

void IndexDmaUnit::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(pins_ == &core_, "it is a Verilog twin");
    a(core_, in_, out_, active_, begun_, uid_, open_, counters_, busy);
}

void IndexDmaUnit::reset() {
    Unit::reset();
    in_ = {};
    in_.config = config_pins(spec_);
    in_.rst = 1;
    pins_->step(in_, out_);
    in_.rst = 0;
    out_ = {};
    active_ = false;
    begun_.clear();
    open_ = 0;
    counters_ = {};
    busy.reset();
}

bool IndexDmaUnit::idle() const {
    return !working() && response.empty() && (run_ == RunState::Draining || command.empty());
}

// The input pins of this cycle; whether there is anything to take.
bool IndexDmaUnit::sample(Cycle now) {
    const bool paused = run_ == RunState::Paused;
    in_.cmd_valid = run_ == RunState::Running && command.can_pop(now) ? 1 : 0;
    if (in_.cmd_valid != 0) {
        const IndexCommand& c = command.front();
        in_.cmd = {c.base & kAddressMask,
                   c.count,
                   c.max_size,
                   static_cast<uint8_t>(c.type & 3),
                   static_cast<uint8_t>(c.swap & 3),
                   c.vmid,
                   c.draw};
    }
    in_.rsp_valid = response.can_pop(now) ? 1 : 0;
    if (in_.rsp_valid != 0) {
        const MemResponse& r = response.front();
        in_.rsp.status = static_cast<uint8_t>(r.status);
        in_.rsp.tag = r.tag;
        std::memcpy(in_.rsp.data.data(), r.data.data(), kLineBytes);
    }
    in_.req_ready = !paused && to_memory->can_push(now) ? 1 : 0;
    in_.grp_ready = !paused && to_group->can_push(now) ? 1 : 0;
    return in_.cmd_valid != 0 || in_.rsp_valid != 0;
}

// A stop comes at the turn of the draw it is of: the oldest begun, or the next to be.
void IndexDmaUnit::stop_on(IndexStop code) const {
    uint16_t place = 0;
    uint8_t vmid = 0;
    if (!begun_.empty()) {
        place = begun_.front().place;
        vmid = begun_.front().vmid;
    } else if (!command.empty()) {
        place = command.front().place;
        vmid = command.front().vmid;
    }
    stop(code, code == IndexStop::Response ? name() : where(place), out_.stop_draw,
         out_.stop_address, vmid);
}

bool IndexDmaUnit::tick(Cycle now) {
    if (!sample(now) && !working())
        return false;
    pins_->step(in_, out_);
    if (out_.stop_valid != 0)
        stop_on(static_cast<IndexStop>(out_.stop_code));
    active_ = out_.active != 0;
    if (out_.cmd_ready != 0) {
        const IndexCommand c = command.pop(now);
        begun_.push_back({c.draw, c.count, c.place, c.vmid, now});
        ++counters_.commands;
        if (observers_.log != nullptr && observers_.log->enabled(LogCategory::Dma))
            observers_.log->line(
                LogCategory::Dma, now, name(),
                fmt::format("draw {}: {} indices of {} bits at 0x{:x}, {} at most, swap {}", c.draw,
                            c.count, 8 * index_bytes(c.type), c.base, c.max_size,
                            unsigned{c.swap}));
    }
    if (out_.rsp_ready != 0) {
        response.drop(now);
        --open_;
    }
    if (out_.req_valid != 0) {
        ++open_;
        MemRequest m;
        m.line = out_.req.line * kLineBytes;
        m.byte_mask = bytes_of_dwords(out_.req.mask);
        m.client = Client::VgtIndex;
        m.vmid = out_.req.vmid;
        m.tag = out_.req.tag;
        m.uid = transaction_id(TransactionUnit::VgtIndex, ++uid_);
        ++counters_.requests;
        counters_.bytes += static_cast<uint64_t>(__builtin_popcountll(m.byte_mask));
        to_memory->push(now, m);
    }
    if (out_.grp_valid != 0) {
        IndexGroup group;
        group.index = out_.grp.index;
        group.count = out_.grp.count;
        group.last = out_.grp.last != 0;
        group.beyond = out_.grp.beyond != 0;
        group.draw = out_.grp.draw;
        ++counters_.groups;
        counters_.indices += group.count;
        counters_.beyond += group.beyond ? group.count : 0;
        to_group->push(now, group);
        if (group.last && !begun_.empty()) {
            if (observers_.trace != nullptr)
                trace_fetch(begun_.front(), now + 1);
            begun_.pop_front();
        }
    }
    counters_.fetch.note(now, static_cast<FetchReason>(out_.fetch_reason));
    counters_.give.note(now, static_cast<GiveReason>(out_.give_reason));
    busy.set(now, !idle());
    return active_;
}

std::string IndexDmaUnit::waiting_for() const {
    const std::string unit = name();
    if (begun_.empty())
        return idle() ? std::string()
                      : unit + (run_ == RunState::Paused ? " is paused" : " has commands to take");
    const std::string draw = unit + ": draw " + std::to_string(begun_.front().draw);
    // Nothing can come from memory, and there is room: the clock does not start again.
    if (pins_ != &core_ && !active_ && open_ == 0 && in_.req_ready != 0 && in_.grp_ready != 0)
        return std::string(kVerilogMark) + draw +
               " waits; it has let its clock stop with work inside (state_active)";
    return draw + " waits for " +
           (run_ == RunState::Paused ? "resume" : to_string(counters_.give.reason()));
}

void IndexDmaUnit::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const Counters& c = counters_;
    add("commands", "transactions", "draws whose indices were fetched", &c.commands);
    add("requests", "transactions", "lines requested", &c.requests);
    add("bytes", "bytes", "of index buffers requested", &c.bytes);
    add("groups", "transactions", "groups of indices handed on", &c.groups);
    add("indices", "indices", "handed on", &c.indices);
    add("indices_beyond", "indices", "at or beyond VGT_DMA_MAX_SIZE, read as 0", &c.beyond);
    const auto fetch = [&](const char* name, const char* meaning, FetchReason reason) {
        add(name, "cycles", meaning, c.fetch.counter(reason));
    };
    fetch("stall_setup", "setting a command up", FetchReason::Setup);
    fetch("stall_ahead", "as many lines as may be ahead are", FetchReason::Lines);
    fetch("stall_in_flight", "as many lines as may be at memory are", FetchReason::InFlight);
    fetch("stall_mem_port", "the way to memory busy", FetchReason::Port);
    fetch("stall_commands", "a command waits for those before it", FetchReason::Commands);
    add("stall_data", "cycles", "the next indices are not there yet",
        c.give.counter(GiveReason::Data));
    add("stall_consumer", "cycles", "VGT is not ready for indices",
        c.give.counter(GiveReason::Consumer));
}

void IndexDmaUnit::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    track_ = observers.track(path);
}

void IndexDmaUnit::trace_fetch(const Begun& begun, Cycle end) const {
    observers_.trace->slice(
        track_, begun.at, end, "indices", 0,
        "draw " + std::to_string(begun.draw) + ", " + std::to_string(begun.count) + " indices");
}

void IndexDmaUnit::finish_trace(Cycle now) const {
    for (const Begun& begun : begun_)
        trace_fetch(begun, now);
}

}  // namespace archipelago::vgt
