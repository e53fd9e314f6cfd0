// SPDX-License-Identifier: Apache-2.0
// Wave synchronisation as LLVM's intrinsics define it (IntrinsicsAMDGPU.td): the count given to
// initialise and barrier is the number of waves less one.
#include "models/gds/gds_execute.h"

#include <algorithm>
#include <cstring>

#include "models/gds/gds_registers.h"

namespace archipelago::gds {
namespace {

constexpr unsigned kLanes = GdsRequest::kLanes;

// One request's accesses to memory.
class Access {
  public:
    Access(Contents& contents, const GdsRequest& request, GdsResponse& response)
        : memory_(contents.memory),
          partition_(contents.partitions[request.vmid % kVmids]),
          request_(request),
          response_(response) {}

    void run() {
        switch (request_.command) {
            case GdsCommand::Read:
                for (unsigned e = 0; e < elements(); ++e)
                    lanes(e, [&](unsigned lane) { set_result(e, lane, load(e, lane)); });
                break;
            case GdsCommand::Write:
                for (unsigned e = 0; e < elements(); ++e)
                    lanes(e, [&](unsigned lane) { store(e, lane, operand(e, lane)); });
                break;
            case GdsCommand::Atomic:
                lanes(0, [&](unsigned lane) { atomic(lane); });
                break;
            case GdsCommand::MaskOr:
                lanes(0, [&](unsigned lane) {
                    const uint64_t old = load(0, lane);
                    store(0, lane, (old & ~operand(0, lane)) | operand(1, lane));
                    set_result(0, lane, old);
                });
                break;
            case GdsCommand::Exchange:
                exchange();
                break;
            case GdsCommand::FromMemory:
                lanes(0, [&](unsigned lane) {
                    const bool inside = (request_.lanes[1] >> lane & 1) != 0;
                    const uint64_t source = inside ? load(1, lane) : 0;
                    store(0, lane,
                          request_.atomic == AtomicOp::None
                              ? source
                              : apply(request_.atomic, load(0, lane), source, 0));
                });
                break;
            default:
                count();
                break;
        }
    }

  private:
    unsigned elements() const { return std::min<unsigned>(request_.elements, 2); }
    unsigned bytes() const { return std::min<unsigned>(std::max<unsigned>(request_.bytes, 1), 8); }
    unsigned words() const { return bytes() == 8 ? 2 : 1; }

    // Lanes of an element that are inside the VMID's part.
    template <typename F>
    void lanes(unsigned element, F f) {
        for (uint64_t m = request_.lanes[element]; m != 0; m &= m - 1)
            f(static_cast<unsigned>(__builtin_ctzll(m)));
    }

    // Null when the element reaches beyond the VMID's part or the memory.
    uint8_t* at(unsigned element, unsigned lane) {
        const uint64_t end = uint64_t{request_.address[element][lane]} + bytes();
        if (end > partition_.bytes || partition_.base + end > memory_.size())
            return nullptr;
        return memory_.data() + partition_.base + request_.address[element][lane];
    }
    uint64_t load(unsigned element, unsigned lane) {
        uint64_t value = 0;
        if (const uint8_t* from = at(element, lane))
            std::memcpy(&value, from, bytes());
        return value;
    }
    void store(unsigned element, unsigned lane, uint64_t value) {
        if (uint8_t* to = at(element, lane))
            std::memcpy(to, &value, bytes());
    }
    uint64_t operand(unsigned which, unsigned lane) const {
        const unsigned w = which * words();
        const uint64_t low = request_.data[w][lane];
        return words() == 2 ? low | uint64_t{request_.data[w + 1][lane]} << 32 : low;
    }
    void set_result(unsigned element, unsigned lane, uint64_t value) {
        if (request_.sign_extend && bytes() < 4)
            value = static_cast<uint32_t>(static_cast<int32_t>(value << (32 - 8 * bytes())) >>
                                          (32 - 8 * bytes()));
        response_.data[element * words()][lane] = static_cast<uint32_t>(value);
        if (words() == 2)
            response_.data[element * words() + 1][lane] = static_cast<uint32_t>(value >> 32);
    }
    uint64_t apply(AtomicOp op, uint64_t old, uint64_t source, uint64_t compare) const {
        return words() == 2
                   ? atomic64(op, old, source, compare)
                   : atomic32(op, static_cast<uint32_t>(old), static_cast<uint32_t>(source),
                              static_cast<uint32_t>(compare));
    }

    void atomic(unsigned lane) {
        const bool two = compares(request_.atomic);
        const uint64_t old = load(0, lane);
        store(0, lane,
              apply(request_.atomic, flushed(old), flushed(operand(two ? 1 : 0, lane)),
                    two ? flushed(operand(0, lane)) : 0));
        set_result(0, lane, old);
    }
    // Zero of its sign for a denormal operand of a floating-point operation, when enabled.
    uint64_t flushed(uint64_t value) const {
        const bool is_float = request_.atomic == AtomicOp::FMin ||
                              request_.atomic == AtomicOp::FMax ||
                              request_.atomic == AtomicOp::FCmpSwap;
        if (!request_.flush_denormals || !is_float)
            return value;
        const uint64_t exponent = words() == 2 ? uint64_t{0x7FF} << 52 : uint64_t{0x7F800000};
        const uint64_t sign = words() == 2 ? uint64_t{1} << 63 : uint64_t{1} << 31;
        return (value & exponent) == 0 ? value & sign : value;
    }
    void exchange() {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            uint64_t old[2] = {};
            for (unsigned e = 0; e < 2; ++e)
                if ((request_.lanes[e] >> lane & 1) != 0)
                    old[e] = load(e, lane);
            for (unsigned e = 0; e < 2; ++e) {
                if ((request_.lanes[e] >> lane & 1) != 0)
                    store(e, lane, operand(e, lane));
                set_result(e, lane, old[e]);
            }
        }
    }
    // One counter for the whole wave.
    void count() {
        if (request_.lanes[0] == 0)
            return;
        const auto old = static_cast<uint32_t>(load(0, 0));
        const uint32_t change =
            request_.command == GdsCommand::Consume ? 0 - request_.value : request_.value;
        const uint32_t next = request_.swap ? change : old + change;
        store(0, 0, next);
        response_.data[0].fill(old);
    }

    std::vector<uint8_t>& memory_;
    const Partition& partition_;
    const GdsRequest& request_;
    GdsResponse& response_;
};

GdsResponse answer_to(const GdsRequest& request) {
    GdsResponse response;
    response.source = request.source;
    response.tag = request.tag;
    return response;
}

// Out of the VMID's range counts as its last resource.
Resource& resource_of(Contents& contents, const GdsRequest& request) {
    const Partition& p = contents.partitions[request.vmid % kVmids];
    const unsigned own = std::max<unsigned>(p.resources, 1);
    return contents
        .resources[(p.resource_base + std::min<unsigned>(request.resource, own - 1)) % kResources];
}

// Numbers of ordered waves are compared in the bits that SPI counts them with.
bool same_wave(unsigned a, unsigned b) {
    return ((a ^ b) & ((1u << kOrderBits) - 1)) == 0;
}

bool is_due(const Contents& contents, const GdsRequest& request) {
    return same_wave(contents.due[request.stage % kStages][request.counter % kCounters],
                     request.order);
}

void pass_ordered(Contents& contents, const GdsRequest& request, std::vector<GdsResponse>& done) {
    done.push_back(answer_to(request));
    Access(contents, request, done.back()).run();
    auto& due = contents.due[request.stage % kStages];
    const auto next = static_cast<uint16_t>(request.order + 1);
    if (request.release)
        due[request.counter % kCounters] = next;
    if (request.done)
        for (uint16_t& wave : due)
            if (same_wave(wave, request.order))
                wave = next;
}

void ordered(Contents& contents, const GdsRequest& request, std::vector<GdsResponse>& done) {
    if (!is_due(contents, request)) {
        contents.out_of_turn.push_back(request);
        return;
    }
    pass_ordered(contents, request, done);
    auto& waiting = contents.out_of_turn;
    for (size_t i = 0; i < waiting.size();) {
        if (!is_due(contents, waiting[i])) {
            ++i;
            continue;
        }
        const GdsRequest next = waiting[i];
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
        pass_ordered(contents, next, done);
        i = 0;
    }
}

void synchronise(Contents& contents, const GdsRequest& request, std::vector<GdsResponse>& done) {
    Resource& r = resource_of(contents, request);
    r.barrier = request.command == GdsCommand::SynchronisePass ||
                (request.command == GdsCommand::SyncInit && r.barrier);
    switch (request.command) {
        case GdsCommand::SyncInit:
            r.counter = request.value & kMaxCount;
            break;
        case GdsCommand::SemaphoreUp:
            // Waves that wait take theirs before the counter saturates.
            r.counter = static_cast<uint32_t>(std::min<uint64_t>(
                uint64_t{r.counter} + request.value, kMaxCount + r.waiting.size()));
            while (r.counter != 0 && !r.waiting.empty() &&
                   r.waiting.front().command == GdsCommand::SemaphoreDown) {
                --r.counter;
                done.push_back(answer_to(r.waiting.front()));
                r.waiting.pop_front();
            }
            r.counter = std::min(r.counter, kMaxCount);
            break;
        case GdsCommand::SemaphoreDown:
            if (r.counter == 0) {
                r.waiting.push_back(request);
                return;
            }
            --r.counter;
            break;
        default:
            if (r.counter != 0) {
                --r.counter;
                r.waiting.push_back(request);
                return;
            }
            release_all(r, done);
            r.counter = request.value & kMaxCount;
            r.flag = !r.flag;
            break;
    }
    done.push_back(answer_to(request));
}

const char* name_of(GdsCommand command) {
    return command == GdsCommand::SemaphoreDown ? "semaphore" : "barrier";
}

}  // namespace

void release_all(Resource& resource, std::vector<GdsResponse>& done) {
    for (const GdsRequest& waiter : resource.waiting)
        done.push_back(answer_to(waiter));
    resource.waiting.clear();
}

void note(Contents& contents, const Occupancy& occupancy) {
    contents.noted.bank_conflict |= occupancy.bank_conflicts != 0;
    contents.noted.address_conflict |= occupancy.address_conflicts != 0;
}

void execute(const RegisterMap& map, Contents& contents, const GdsRequest& request,
             std::vector<GdsResponse>& done) {
    switch (request.command) {
        case GdsCommand::RegisterAtomic:
            done.push_back(register_atomic(map, contents, request));
            break;
        case GdsCommand::OrderedCount:
            ordered(contents, request, done);
            break;
        case GdsCommand::SyncInit:
        case GdsCommand::SemaphoreUp:
        case GdsCommand::SemaphoreDown:
        case GdsCommand::SynchronisePass:
            synchronise(contents, request, done);
            break;
        default:
            done.push_back(answer_to(request));
            Access(contents, request, done.back()).run();
            break;
    }
}

std::string waiting(const Contents& contents) {
    std::string text;
    const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
    for (unsigned i = 0; i < kResources; ++i)
        if (const Resource& r = contents.resources[i]; !r.waiting.empty())
            add(std::to_string(r.waiting.size()) + " at " + name_of(r.waiting.front().command) +
                " " + std::to_string(i) + " (counter " + std::to_string(r.counter) + ")");
    for (const GdsRequest& request : contents.out_of_turn)
        add("ordered wave " + std::to_string(request.order) + " at counter " +
            std::to_string(request.counter) + ", due is wave " +
            std::to_string(contents.due[request.stage % kStages][request.counter % kCounters]));
    return text;
}

}  // namespace archipelago::gds
