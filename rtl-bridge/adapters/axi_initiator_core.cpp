// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/axi_initiator_core.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/error.h"

namespace archipelago::adapters {
namespace {

constexpr uint32_t kOutside = ~uint32_t{0};

BusStatus status_of(AxiResp resp) {
    switch (resp) {
        case AxiResp::SlvErr:
            return BusStatus::Error;
        case AxiResp::DecErr:
            return BusStatus::AddressError;
        default:
            return BusStatus::Ok;
    }
}

// The least power of two of bytes, as exponent, that holds [address, address + length) aligned;
// `limit` when none below it does.
unsigned container(uint64_t address, uint64_t length, unsigned limit) {
    for (unsigned size = 0; size < limit; ++size)
        if (address >> size == (address + length - 1) >> size)
            return size;
    return limit;
}

}  // namespace

const char* to_string(BusStatus status) {
    switch (status) {
        case BusStatus::Ok:
            return "ok";
        case BusStatus::AddressError:
            return "address error";
        case BusStatus::Error:
            return "error";
        case BusStatus::ByteEnableError:
            return "byte enable error";
        case BusStatus::BurstError:
            return "burst error";
        case BusStatus::Timeout:
            return "time-out";
        case BusStatus::Reset:
            return "reset";
    }
    return "?";
}

std::string AxiSpec::problem() const {
    const auto power_of_two = [](unsigned n) { return n != 0 && (n & (n - 1)) == 0; };
    if (!power_of_two(data_bits) || data_bits < 8 || data_bits > 8 * kMaxDataBytes)
        return "data_bits is " + std::to_string(data_bits) + ", expected 8, 16, 32 ... 1024";
    if (lite && data_bits != 32 && data_bits != 64)
        return "data_bits of AXI4-Lite is " + std::to_string(data_bits) +
               ", expected 32 or 64 (IHI 0022, B1.1.1)";
    if (address_bits == 0 || address_bits > 64)
        return "address_bits is " + std::to_string(address_bits) + ", expected 1 to 64";
    if (id_bits > 32)
        return "id_bits is " + std::to_string(id_bits) + ", expected at most 32";
    if (ids == 0 || (id_bits < 32 && ids > uint64_t{1} << id_bits))
        return "ids is " + std::to_string(ids) + ", which " + std::to_string(id_bits) +
               " bits of ID do not hold";
    if (max_beats == 0 || max_beats > 256)
        return "max_beats is " + std::to_string(max_beats) + ", expected 1 to 256";
    if (!power_of_two(max_beat_bytes))
        return "max_beat_bytes is " + std::to_string(max_beat_bytes) + ", expected a power of two";
    if (outstanding == 0 || queue == 0 || reads == 0 || writes == 0 || write_beats == 0)
        return "outstanding, queue, reads, writes and write_beats must not be 0";
    if (stall_percent > 99)
        return "stall_percent is " + std::to_string(stall_percent) + ", expected 0 to 99";
    return {};
}

AxiInitiatorCore::AxiInitiatorCore(const AxiSpec& spec, std::string name)
    : spec_(spec), name_(std::move(name)), random_(spec.seed) {
    const std::string problem = spec.problem();
    if (!problem.empty())
        throw std::invalid_argument(name_ + ": " + problem);
}

void AxiInitiatorCore::push(BusRequest request) {
    auto t = std::make_shared<Transaction>();
    t->pushed = cycle_;
    t->response.tag = request.tag;
    t->response.write = request.write;
    if (!request.write)
        t->response.data.assign(request.length, 0);
    t->request = std::move(request);
    waiting_.push_back(std::move(t));
}

BusResponse AxiInitiatorCore::pop() {
    BusResponse r = std::move(responses_.front());
    responses_.pop_front();
    return r;
}

bool AxiInitiatorCore::idle() const {
    return waiting_.empty() && active_.empty() && responses_.empty();
}

std::string AxiInitiatorCore::waiting_for() const {
    std::string text;
    if (pins_.aw.valid)
        text += " AWREADY";
    if (pins_.w.valid)
        text += " WREADY";
    if (pins_.ar.valid)
        text += " ARREADY";
    for (const auto& [id, bursts] : reading_)
        if (!bursts.empty())
            text += " R of ID " + std::to_string(id);
    for (const auto& [id, bursts] : writing_)
        if (!bursts.empty())
            text += " B of ID " + std::to_string(id);
    return text.empty() ? text : name_ + " waits for" + text;
}

void AxiInitiatorCore::edge(const AxiTargetPins& target, bool in_reset) {
    ++cycle_;
    if (in_reset) {
        reset();
        expire();
        return;
    }
    take(target);
    expire();
    start_waiting();
    drive();
}

void AxiInitiatorCore::reset() {
    for (const auto& t : active_)
        if (!t->answered) {
            t->response.status = BusStatus::Reset;
            answer(*t);
        }
    active_.clear();
    ar_.clear();
    aw_.clear();
    w_.clear();
    reading_.clear();
    writing_.clear();
    // A3.1.2: no VALID in reset; it may rise in the cycle after the first one out of reset.
    pins_ = {};
}

void AxiInitiatorCore::take(const AxiTargetPins& target) {
    if (pins_.aw.valid && target.awready)
        pins_.aw.valid = false;
    if (pins_.w.valid && target.wready)
        pins_.w.valid = false;
    if (pins_.ar.valid && target.arready)
        pins_.ar.valid = false;
    if (pins_.bready && target.b.valid)
        take_write_response(target.b);
    if (pins_.rready && target.r.valid)
        take_read_data(target.r);
}

void AxiInitiatorCore::take_write_response(const AxiResponsePins& b) {
    auto& queue = writing_[b.id];
    if (queue.empty())
        throw MachineStop(StopKind::Protocol, name_,
                          "BVALID with BID " + std::to_string(b.id) + ", which no write has");
    Burst burst = std::move(queue.front());
    queue.pop_front();
    ++write_bursts_;
    finish(burst, b.resp);
}

void AxiInitiatorCore::take_read_data(const AxiReadPins& r) {
    auto& queue = reading_[r.id];
    if (queue.empty())
        throw MachineStop(StopKind::Protocol, name_,
                          "RVALID with RID " + std::to_string(r.id) + ", which no read has");
    Burst& burst = queue.front();
    Transaction& t = *burst.of;
    const AxiBeat beat = burst.shape.beat(burst.of_beat, spec_.data_bytes());
    if (!t.answered)
        for (unsigned i = 0; i < beat.count; ++i) {
            const uint32_t at = byte_of(burst, burst.of_beat, beat, i);
            if (at != kOutside)
                t.response.data[at] = r.data[beat.lane + i];
        }
    if (r.resp == AxiResp::SlvErr || r.resp == AxiResp::DecErr) {
        if (t.response.status == BusStatus::Ok)
            t.response.status = status_of(r.resp);
    }
    if (++burst.of_beat < burst.shape.beats)
        return;
    ++read_bursts_;
    Burst done = std::move(burst);
    queue.pop_front();
    finish(done, r.resp);
}

void AxiInitiatorCore::finish(Burst& burst, AxiResp resp) {
    Transaction& t = *burst.of;
    if (t.response.status == BusStatus::Ok)
        t.response.status = status_of(resp);
    t.response.exclusive_ok = resp == AxiResp::ExOkay;
    if (--t.open != 0)
        return;
    if (!t.answered)
        answer(t);
    active_.erase(std::find(active_.begin(), active_.end(), burst.of));
}

void AxiInitiatorCore::answer(Transaction& t) {
    t.answered = true;
    responses_.push_back(std::move(t.response));
}

void AxiInitiatorCore::expire() {
    if (spec_.timeout == 0)
        return;
    const auto late = [&](const Transaction& t) { return cycle_ - t.pushed > spec_.timeout; };
    // What is on the bus stays there: a late answer finds its burst and is dropped.
    for (const auto& t : active_)
        if (!t->answered && late(*t)) {
            t->response.status = BusStatus::Timeout;
            ++timeouts_;
            answer(*t);
        }
    while (!waiting_.empty() && late(*waiting_.front())) {
        waiting_.front()->response.status = BusStatus::Timeout;
        ++timeouts_;
        answer(*waiting_.front());
        waiting_.pop_front();
    }
}

bool AxiInitiatorCore::held_back(const BusRequest& r) const {
    const uint64_t last = r.address + r.length - 1;
    return std::any_of(active_.begin(), active_.end(), [&](const auto& t) {
        const BusRequest& o = t->request;
        return (r.write || o.write) && r.address <= o.address + o.length - 1 && o.address <= last;
    });
}

void AxiInitiatorCore::start_waiting() {
    while (!waiting_.empty() && active_.size() < spec_.outstanding &&
           !held_back(waiting_.front()->request)) {
        const std::shared_ptr<Transaction> t = std::move(waiting_.front());
        waiting_.pop_front();
        const BusRequest& r = t->request;
        if (r.length == 0 || (r.write && r.data.size() != r.length) ||
            (!r.enable.empty() && r.enable.size() != r.length)) {
            t->response.status = BusStatus::BurstError;
            answer(*t);
            continue;
        }
        if (!(r.write ? spec_.has_write : spec_.has_read)) {
            t->response.status = BusStatus::Error;  // no such channel
            answer(*t);
            continue;
        }
        if (((r.address | (r.address + r.length - 1)) & ~spec_.address_mask()) != 0 ||
            r.address + r.length - 1 < r.address) {
            t->response.status = BusStatus::AddressError;  // pins cannot say it
            answer(*t);
            continue;
        }
        t->id = r.id == kAnyId ? next_id_ : r.id;
        next_id_ = (next_id_ + 1) % spec_.ids;
        planned_.clear();
        plan(t);
        if (spec_.id_bits < 32 && t->id >> spec_.id_bits != 0)
            t->response.status = BusStatus::BurstError;
        // Exclusive accesses are one burst (A7.2.4).
        if (r.attributes.lock != 0 && planned_.size() != 1)
            t->response.status = BusStatus::BurstError;
        if (r.write && !spec_.has_strobes)
            for (const Burst& b : planned_)
                if (!whole_words(b))
                    t->response.status = BusStatus::ByteEnableError;
        if (t->response.status != BusStatus::Ok) {
            answer(*t);
            continue;
        }
        t->open = static_cast<unsigned>(planned_.size());
        active_.push_back(t);
        for (Burst& b : planned_) {
            if (r.write) {
                aw_.push_back(b);
                w_.push_back(b);
                writing_[t->id].push_back(std::move(b));
            } else {
                ar_.push_back(b);
                reading_[t->id].push_back(std::move(b));
            }
        }
    }
}

void AxiInitiatorCore::plan(const std::shared_ptr<Transaction>& t) {
    const BusRequest& r = t->request;
    const unsigned bus = spec_.data_size();
    if (r.streaming != 0 && r.streaming < r.length) {
        const unsigned size = container(r.address, r.streaming, bus + 1);
        const uint32_t repeats = (r.length + r.streaming - 1) / r.streaming;
        if (spec_.single_beats() || spec_.whole_words_only() || !spec_.has_burst || size > bus) {
            for (uint32_t i = 0; i < repeats; ++i)
                plan_range(t, r.address, std::min(r.streaming, r.length - i * r.streaming),
                           i * r.streaming);
            return;
        }
        for (uint32_t i = 0; i < repeats; i += kMaxFixedBeats) {
            Burst b;
            b.of = t;
            b.shape = {r.address, std::min(kMaxFixedBeats, repeats - i), size, AxiBurst::Fixed};
            b.offset = i * r.streaming;
            b.width = r.streaming;
            planned_.push_back(std::move(b));
        }
        return;
    }
    if (r.wrap && !spec_.single_beats() && spec_.has_burst) {
        const unsigned bytes =
            r.beat_bytes != 0 && !spec_.whole_words_only() ? r.beat_bytes : spec_.data_bytes();
        Burst b;
        b.of = t;
        unsigned size = 0;
        while (1u << size < bytes)
            ++size;
        b.shape = {r.wrap_start, r.length >> size, size, AxiBurst::Wrap};
        if (bytes <= spec_.data_bytes() && burst_problem(b.shape, spec_.data_bytes()) == nullptr &&
            b.shape.wrap_base() == r.address && b.shape.wrap_bytes() == r.length) {
            planned_.push_back(std::move(b));
            return;
        }
    }
    plan_range(t, r.address, r.length, 0);
}

void AxiInitiatorCore::plan_range(const std::shared_ptr<Transaction>& t, uint64_t address,
                                  uint32_t length, uint32_t offset) {
    unsigned widest = spec_.data_size();
    if (!spec_.whole_words_only()) {
        const unsigned asked = t->request.beat_bytes != 0 ? t->request.beat_bytes : kMaxDataBytes;
        while (widest > 0 && 1u << widest > std::min(asked, spec_.max_beat_bytes))
            --widest;
    }
    const unsigned max_beats = spec_.single_beats() ? 1 : spec_.max_beats;
    uint32_t done = 0;
    while (done < length) {
        const uint64_t at = address + done;
        const uint64_t boundary = (at / kBurstBoundary + 1) * kBurstBoundary;
        uint64_t bytes = std::min<uint64_t>(length - done, boundary - at);
        unsigned size = widest;
        if (!spec_.whole_words_only())
            size = container(at, bytes, widest);  // one transfer, if it can be one
        const uint64_t aligned = at & ~((uint64_t{1} << size) - 1);
        bytes = std::min(bytes, aligned + (uint64_t{max_beats} << size) - at);
        Burst b;
        b.of = t;
        b.shape = {at, static_cast<unsigned>(((at + bytes - 1) >> size) - (at >> size) + 1), size,
                   AxiBurst::Incr};
        // B1.1: AXI4-Lite transfers are of the whole width, with an aligned address.
        if (spec_.lite)
            b.shape.address = aligned;
        b.offset = offset + done;
        planned_.push_back(std::move(b));
        done += static_cast<uint32_t>(bytes);
    }
}

uint32_t AxiInitiatorCore::byte_of(const Burst& b, unsigned n, const AxiBeat& beat,
                                   unsigned i) const {
    const BusRequest& r = b.of->request;
    uint64_t at = 0;
    if (b.shape.burst == AxiBurst::Fixed) {
        if (i >= b.width)
            return kOutside;
        at = b.offset + uint64_t{n} * b.width + i;
    } else if (r.streaming != 0 && r.streaming < r.length) {
        // One repetition of a stream that FIXED could not carry.
        const uint64_t address = beat.address + i;
        const uint64_t start = b.offset / r.streaming * uint64_t{r.streaming};
        if (address < r.address || address - r.address >= r.streaming)
            return kOutside;
        at = start + (address - r.address);
    } else {
        const uint64_t address = beat.address + i;
        if (address < r.address)
            return kOutside;
        at = address - r.address;
    }
    return at < r.length ? static_cast<uint32_t>(at) : kOutside;
}

AxiAddressPins AxiInitiatorCore::address_pins(const Burst& b) const {
    AxiAddressPins p;
    p.valid = true;
    p.id = b.of->id;
    p.addr = b.shape.address;
    p.len = static_cast<uint8_t>(b.shape.beats - 1);
    p.size = static_cast<uint8_t>(b.shape.size);
    p.burst = b.shape.burst;
    p.attributes = b.of->request.attributes;
    return p;
}

AxiWritePins AxiInitiatorCore::write_pins(const Burst& b, unsigned n) const {
    const BusRequest& r = b.of->request;
    const AxiBeat beat = b.shape.beat(n, spec_.data_bytes());
    AxiWritePins p;
    p.valid = true;
    p.last = n + 1 == b.shape.beats;
    for (unsigned i = 0; i < beat.count; ++i) {
        const uint32_t at = byte_of(b, n, beat, i);
        if (at == kOutside || (!r.enable.empty() && r.enable[at] == 0))
            continue;
        p.data[beat.lane + i] = r.data[at];
        p.strb.set(beat.lane + i);
    }
    return p;
}

bool AxiInitiatorCore::whole_words(const Burst& b) const {
    StrobeLanes all;
    all.set_range(0, spec_.data_bytes());
    for (unsigned n = 0; n < b.shape.beats; ++n)
        if (write_pins(b, n).strb != all)
            return false;
    return true;
}

void AxiInitiatorCore::drive() {
    const auto stalls = [&] { return random_.percent(spec_.stall_percent); };
    if (!pins_.ar.valid && !ar_.empty() && !stalls()) {
        pins_.ar = address_pins(ar_.front());
        ar_.pop_front();
    }
    // A3.3.1: addresses and data of writes do not wait for each other.
    if (!pins_.aw.valid && !aw_.empty() && !stalls()) {
        pins_.aw = address_pins(aw_.front());
        aw_.pop_front();
    }
    if (!pins_.w.valid && !w_.empty() && !stalls()) {
        Burst& b = w_.front();
        pins_.w = write_pins(b, b.of_beat);
        if (++b.of_beat == b.shape.beats)
            w_.pop_front();
    }
    pins_.bready = !stalls();
    pins_.rready = !stalls();
}

}  // namespace archipelago::adapters
