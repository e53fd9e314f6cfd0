// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/axi_target_core.h"

#include <algorithm>
#include <stdexcept>

namespace archipelago::adapters {
namespace {

AxiResp resp_of(BusStatus status) {
    switch (status) {
        case BusStatus::Ok:
            return AxiResp::Okay;
        case BusStatus::AddressError:
            return AxiResp::DecErr;
        default:
            return AxiResp::SlvErr;
    }
}

}  // namespace

AxiTargetCore::AxiTargetCore(const AxiSpec& spec, std::string name)
    : spec_(spec), name_(std::move(name)), random_(spec.seed) {
    const std::string problem = spec.problem();
    if (!problem.empty())
        throw std::invalid_argument(name_ + ": " + problem);
}

BusRequest AxiTargetCore::pop() {
    BusRequest r = std::move(requests_.front());
    requests_.pop_front();
    return r;
}

void AxiTargetCore::complete(const BusResponse& response) {
    const auto it = open_.find(response.tag);
    if (it == open_.end()) {
        if (response.tag >= next_tag_)
            throw std::logic_error(name_ + ": a response to request " +
                                   std::to_string(response.tag) + ", which there never was");
        return;
    }
    Burst& b = *it->second;
    b.done = true;
    b.status = response.status;
    if (!b.request.write)
        b.data = response.data;
    open_.erase(it);
}

bool AxiTargetCore::idle() const {
    return reads_ == 0 && writes_ == 0 && write_data_.empty() && requests_.empty();
}

std::string AxiTargetCore::waiting_for() const {
    std::string text;
    if (!collecting_.empty())
        text += " W of " + std::to_string(collecting_.size()) + " writes";
    if (collecting_.empty() && !write_data_.empty())
        text += " AW of data taken before it";
    if (!open_.empty())
        text += " " + std::to_string(open_.size()) + " requests passed on";
    if (pins_.b.valid)
        text += " BREADY";
    if (pins_.r.valid)
        text += " RREADY";
    return text.empty() ? text : name_ + " waits for" + text;
}

void AxiTargetCore::edge(const AxiInitiatorPins& initiator, bool in_reset) {
    ++cycle_;
    if (in_reset) {
        pins_ = {};
        requests_.clear();
        open_.clear();
        reading_.clear();
        writing_.clear();
        collecting_.clear();
        write_data_.clear();
        reads_ = writes_ = 0;
        in_read_burst_ = false;
        return;
    }
    take(initiator);
    collect_write_data();
    expire();
    drive();
}

AxiTargetCore::BurstPtr AxiTargetCore::accept(AxiAddressPins address, bool write) {
    if (spec_.lite) {
        address.len = 0;
        address.size = static_cast<uint8_t>(spec_.data_size());
        address.burst = AxiBurst::Incr;
        address.addr &= ~uint64_t{spec_.data_bytes() - 1};  // whole words; strobes say which bytes
    }
    address.addr &= spec_.address_mask();
    auto b = std::make_shared<Burst>();
    b->address = address;
    b->shape = AxiBurstShape(address);
    b->refused = burst_problem(b->shape, spec_.data_bytes()) != nullptr;
    b->tag = next_tag_++;
    BusRequest& r = b->request;
    r.tag = b->tag;
    r.write = write;
    r.id = address.id;
    r.attributes = address.attributes;
    r.address = b->shape.first_byte();
    if (!b->refused) {
        const auto span = static_cast<uint32_t>(b->shape.span());
        r.length = span;
        if (b->shape.burst == AxiBurst::Fixed && b->shape.beats > 1) {
            r.length = span * b->shape.beats;
            r.streaming = span;
        }
        if (b->shape.burst == AxiBurst::Wrap) {
            r.wrap = true;
            r.wrap_start = b->shape.address;
        }
        r.beat_bytes = b->shape.beat_bytes();
        if (write) {
            r.data.assign(r.length, 0);
            r.enable.assign(r.length, 0);
        }
    }
    return b;
}

void AxiTargetCore::take(const AxiInitiatorPins& initiator) {
    if (pins_.arready && initiator.ar.valid) {
        const BurstPtr b = accept(initiator.ar, false);
        reading_[b->address.id].push_back(b);
        ++reads_;
        pass_on(b);
    }
    if (pins_.awready && initiator.aw.valid) {
        const BurstPtr b = accept(initiator.aw, true);
        writing_[b->address.id].push_back(b);
        collecting_.push_back(b);
        ++writes_;
    }
    if (pins_.wready && initiator.w.valid)
        write_data_.push_back(initiator.w);
    if (pins_.b.valid && initiator.bready)
        pins_.b.valid = false;
    if (pins_.r.valid && initiator.rready)
        pins_.r.valid = false;
}

uint32_t AxiTargetCore::offset_of(const Burst& b, const AxiBeat& beat, unsigned n) const {
    if (b.shape.burst == AxiBurst::Fixed)
        return n * b.shape.first_bytes();
    return static_cast<uint32_t>(beat.address - b.request.address);
}

void AxiTargetCore::collect_write_data() {
    while (!collecting_.empty() && !write_data_.empty()) {
        const BurstPtr b = collecting_.front();
        const AxiWritePins& w = write_data_.front();
        if (!b->refused) {
            const AxiBeat beat = b->shape.beat(b->beat, spec_.data_bytes());
            const uint32_t at = offset_of(*b, beat, b->beat);
            for (unsigned i = 0; i < beat.count; ++i)
                if (w.strb[beat.lane + i] || !spec_.has_strobes) {
                    b->request.data[at + i] = w.data[beat.lane + i];
                    b->request.enable[at + i] = 1;
                }
        }
        write_data_.pop_front();
        // Data belongs to the addresses in their order (A5.3); AWLEN counts it, WLAST only says so.
        if (++b->beat == b->shape.beats) {
            collecting_.pop_front();
            auto& enable = b->request.enable;
            if (std::find(enable.begin(), enable.end(), 0) == enable.end())
                enable.clear();
            pass_on(b);
        }
    }
}

void AxiTargetCore::pass_on(const BurstPtr& b) {
    b->beat = 0;
    b->passed = true;
    b->since = cycle_;
    if (b->refused) {
        b->done = true;
        b->status = BusStatus::BurstError;
        return;
    }
    open_.emplace(b->tag, b);
    requests_.push_back(std::move(b->request));
    // What is still needed to answer.
    b->request = {};
    b->request.write = requests_.back().write;
    b->request.address = requests_.back().address;
}

void AxiTargetCore::expire() {
    if (spec_.timeout == 0)
        return;
    // Tags rise with time only roughly: writes are numbered at their address.
    for (auto it = open_.begin(); it != open_.end();) {
        Burst& b = *it->second;
        if (cycle_ - b.since <= spec_.timeout) {
            ++it;
            continue;
        }
        b.done = true;
        b.status = BusStatus::Timeout;
        ++timeouts_;
        const uint64_t tag = b.tag;
        requests_.erase(std::remove_if(requests_.begin(), requests_.end(),
                                       [&](const BusRequest& r) { return r.tag == tag; }),
                        requests_.end());
        it = open_.erase(it);
    }
}

std::deque<AxiTargetCore::BurstPtr>* AxiTargetCore::choose(ById& by_id) {
    std::deque<BurstPtr>* chosen = nullptr;
    unsigned ready = 0;
    for (auto it = by_id.begin(); it != by_id.end();) {
        if (it->second.empty()) {
            it = by_id.erase(it);
            continue;
        }
        if (it->second.front()->done && random_.below(++ready) == 0)
            chosen = &it->second;
        ++it;
    }
    return chosen;
}

void AxiTargetCore::drive_read() {
    std::deque<BurstPtr>* queue = nullptr;
    if (in_read_burst_ && !spec_.interleave)
        queue = &reading_[current_read_];
    else
        queue = choose(reading_);
    if (queue == nullptr)
        return;
    const BurstPtr b = queue->front();
    AxiReadPins& r = pins_.r;
    r = {};
    r.valid = true;
    r.id = b->address.id;
    r.resp = resp_of(b->status);
    r.last = b->beat + 1 == b->shape.beats;
    if (b->status == BusStatus::Ok) {
        const AxiBeat beat = b->shape.beat(b->beat, spec_.data_bytes());
        const uint32_t at = offset_of(*b, beat, b->beat);
        for (unsigned i = 0; i < beat.count && at + i < b->data.size(); ++i)
            r.data[beat.lane + i] = b->data[at + i];
    }
    ++b->beat;
    current_read_ = r.id;
    in_read_burst_ = !r.last;
    if (r.last) {
        queue->pop_front();
        --reads_;
        ++read_bursts_;
    }
}

void AxiTargetCore::drive_write_response() {
    std::deque<BurstPtr>* queue = choose(writing_);
    if (queue == nullptr)
        return;
    const BurstPtr b = queue->front();
    queue->pop_front();
    pins_.b = {true, b->address.id, resp_of(b->status)};
    --writes_;
    ++write_bursts_;
}

void AxiTargetCore::drive() {
    const auto stalls = [&] { return random_.percent(spec_.stall_percent); };
    if (!pins_.r.valid && !stalls())
        drive_read();
    if (!pins_.b.valid && !stalls())
        drive_write_response();
    // READY says that there is room for what the next edge may bring.
    pins_.arready = reads_ < spec_.reads && !stalls();
    pins_.awready = writes_ < spec_.writes && !stalls();
    pins_.wready = write_data_.size() < spec_.write_beats && !stalls();
}

}  // namespace archipelago::adapters
