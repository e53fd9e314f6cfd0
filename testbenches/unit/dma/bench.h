// SPDX-License-Identifier: Apache-2.0
// An async DMA engine with memory and registers around it, in either mode.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "models/common/memory_image.h"
#include "models/common/text.h"
#include "models/common/transaction_id.h"
#include "models/dma/dma_core.h"
#include "models/dma/dma_functional.h"
#include "models/dma/packet_writer.h"

namespace archipelago::dma::test {

constexpr uint64_t kMemoryBytes = 8 << 20;  // mapped from 0 on
constexpr uint64_t kHighBytes = 1 << 20;    // and from high_memory() on
constexpr uint64_t kSpaceBytes = 0x40000;   // what a VMID has at 0 lies its number of these after
constexpr uint64_t kRing = 0x10000, kRingDwords = 0x4000;
constexpr uint64_t kData = 0x100000;  // what packets work on lies from here on

enum class BenchMode { Cycle, Functional };

// Test modes of the timed engine.
struct Disturbance {
    uint64_t seed = 0;
    unsigned stall_percent = 0;  // of the cycles of each channel
    bool shuffle = false;        // order of ticks
};

// Memory whose addresses fill the fields of their upper halves: 40 bits, CIK's 64.
inline uint64_t high_memory(const Generation& generation) {
    return generation.sdma ? 0x800001A500000000 : 0xA500000000;
}
inline uint64_t physical(uint64_t address, unsigned vmid) {
    return address + vmid * kSpaceBytes;
}

inline Spec spec_of(const Generation& generation) {
    Spec spec;
    spec.generation = &generation;
    spec.packets = std::make_shared<PacketTable>(generation.packets);
    // Two pipes, four banks, groups of 256 bytes; GB_ADDR_CONFIG of four pipes.
    spec.tiling_reset = generation.surfaces == surface::Generation::R6xx ? 0x2 : 0x02010002;
    return spec;
}

// Memory that answers after a while, a request a cycle.
class BenchMemory {
  public:
    BenchMemory(MemoryImage& image, unsigned latency)
        : requests({64, 1}, "bench.requests"), image_(image), latency_(latency) {}
    Channel<MemRequest> requests;
    OutputChannel<MemResponse> responses{nullptr};
    // Lines that were read ahead of the packets before them, and lines that were written.
    std::vector<uint64_t> read_ahead, written;

    void step(Cycle now) {
        if (requests.can_pop(now)) {
            const MemRequest r = requests.pop(now);
            note(r);
            waiting_.emplace_back(now + latency_, serve(r));
        }
        if (!waiting_.empty() && waiting_.front().first <= now && responses->can_push(now)) {
            responses->push(now, waiting_.front().second);
            waiting_.pop_front();
        }
    }
    bool idle() const { return requests.empty() && waiting_.empty(); }

  private:
    void note(const MemRequest& r) {
        const auto unit = static_cast<TransactionUnit>(r.uid >> 56);
        const uint64_t place = physical(r.line, r.vmid);
        if (r.command != MemCommand::Read)
            written.push_back(place);
        else if (unit != TransactionUnit::Dma0)
            read_ahead.push_back(place);
    }
    MemResponse serve(const MemRequest& r) {
        MemResponse answer;
        answer.tag = r.tag;
        answer.port = r.port;
        answer.command = r.command;
        answer.line = r.line;
        answer.uid = r.uid;
        Line line{};
        const uint64_t place = physical(r.line, r.vmid);
        if (!image_.read(place, line.data(), kLineBytes)) {
            answer.status = MemStatus::Unmapped;
            return answer;
        }
        answer.data = line;
        if (r.command == MemCommand::Atomic) {
            uint64_t old = 0, operand = 0;
            const uint64_t at = place + static_cast<unsigned>(__builtin_ctzll(r.byte_mask));
            std::memcpy(&old, &line[at % kLineBytes], 8);
            std::memcpy(&operand, &r.data[at % kLineBytes], 8);
            const uint64_t made = atomic64(r.atomic, old, operand, r.compare);
            image_.write(at, &made, 8);
        } else if (r.command == MemCommand::Write) {
            for (unsigned i = 0; i < kLineBytes; ++i)
                if ((r.byte_mask >> i & 1) != 0)
                    line[i] = r.data[i];
            image_.write(place, line.data(), kLineBytes);
        }
        return answer;
    }

    MemoryImage& image_;
    const unsigned latency_;
    std::deque<std::pair<Cycle, MemResponse>> waiting_;
};

class Bench : public DmaBackend {
  public:
    explicit Bench(Spec spec, BenchMode mode = BenchMode::Cycle, const Disturbance& disturb = {},
                   uint64_t memory_bytes = kMemoryBytes)
        : spec_(std::move(spec)), core_(spec_) {
        image.map(0, memory_bytes);
        image.map(high_memory(*spec_.generation), kHighBytes);
        if (mode == BenchMode::Functional)
            functional_ = std::make_unique<DmaFunctional>(spec_, core_.register_file(), *this);
        else
            connect(disturb);
        const RegisterMap& map = registers_of();
        set(map.rb_cntl, 14u << 1);
        set(map.rb_base, kRing >> 8);
        set(map.ib_cntl, 1);
        set(map.cntl, 1);
        if (map.me_cntl != 0)
            set(map.me_cntl, 0);
        set(map.rb_cntl, 14u << 1 | 1);
    }

    MemoryImage image;
    unsigned interrupts = 0;
    std::map<uint32_t, uint32_t> registers;

    PacketWriter write() const { return PacketWriter(*spec_.packets); }
    // Writes the words to the ring and runs until the engine is idle, or `limit` cycles.
    void run(const std::vector<uint32_t>& words, Cycle limit = 10'000'000) {
        put(words);
        run_ring(limit);
    }
    // The two halves of run(): what the host writes into the ring, and what the engine makes of it.
    void put(const std::vector<uint32_t>& words) {
        for (const uint32_t word : words) {
            image.write(kRing + 4 * uint64_t{end_}, &word, 4);
            end_ = (end_ + 1) % kRingDwords;
        }
    }
    void run_ring(Cycle limit = 10'000'000) {
        set(registers_of().rb_wptr, 4 * end_);
        go_on(limit);
    }
    // Runs as it is.
    void go_on(Cycle limit = 10'000'000) {
        if (functional_) {
            while (functional_->run() == DmaFunctional::Outcome::GivingUp) {
            }
            return;
        }
        const Cycle stop = now_ + limit;
        do
            step();
        while (now_ < stop &&
               !(core_.idle() && memory_->idle() && semaphores_->idle() && bus_.empty()));
    }
    // The same: why the machine stopped, or nothing.
    std::string run_to_stop(const std::vector<uint32_t>& words, Cycle limit = 10'000'000) {
        try {
            run(words, limit);
        } catch (const MachineStop& stop) {
            return std::string(to_string(stop.kind())) + ": " + stop.what();
        }
        return "";
    }
    bool idle() const { return functional_ ? functional_->waiting_for().empty() : core_.idle(); }
    std::string waiting_for() const {
        return functional_ ? functional_->waiting_for() : core_.waiting_for();
    }
    Cycle now() const { return now_; }
    // Whether packets read clocks, which are others in other modes.
    bool read_clocks() const { return clock_ != 0; }
    // Whether the timed engine read a line ahead that it also wrote: what it finds there depends on
    // time.
    bool read_what_it_wrote() const {
        std::vector<uint64_t> reads = memory_->read_ahead, writes = memory_->written, both;
        for (auto* list : {&reads, &writes})
            std::sort(list->begin(), list->end());
        std::set_intersection(reads.begin(), reads.end(), writes.begin(), writes.end(),
                              std::back_inserter(both));
        return !both.empty();
    }
    uint32_t get(uint32_t offset) {
        RegRequest request;
        request.offset = spec_.register_base + offset;
        uint32_t value = 0;
        core_.registers().read_register(request, value);
        return value;
    }
    const RegisterMap& registers_of() const {
        return spec_.generation->sdma ? kSdmaRegisters : kOldRegisters;
    }
    void set(uint32_t offset, uint32_t value) {
        RegRequest request;
        request.offset = spec_.register_base + offset;
        request.value = value;
        request.write = true;
        if (functional_) {
            core_.registers().write_register(request);
            return;
        }
        core_.register_request().push(now_, request);
        step();
    }

    // DmaBackend
    uint32_t reg_read(const RegRequest& request) override { return registers[request.offset]; }
    void reg_write(const RegRequest& request) override {
        if (request.offset - spec_.register_base < kRegisterBytes)
            return write_own(request);
        uint32_t& value = registers[request.offset];
        value = merged(value, request);
    }
    MemoryWindow window(uint64_t address, uint8_t vmid) override {
        uint64_t first = 0, last = 0;
        uint8_t* host = nullptr;
        if (!image.contiguous_range(physical(address, vmid), first, last, host))
            return {};
        return {first - physical(0, vmid), last - first + 1, host};
    }
    void interrupt(const Interrupt&) override { ++interrupts; }
    uint64_t clock() override { return ++clock_; }

  private:
    static uint32_t merged(uint32_t value, const RegRequest& request) {
        for (unsigned i = 0; i < 4; ++i)
            if ((request.byte_enable >> i & 1) != 0)
                value = (value & ~(0xFFu << 8 * i)) | (request.value & 0xFFu << 8 * i);
        return value;
    }
    // As SRBM sends it back to the engine; a write of no bytes ends there.
    void write_own(RegRequest request) {
        if (request.byte_enable == 0)
            return;
        request.value = merged(get(request.offset - spec_.register_base), request);
        if (functional_)
            core_.registers().write_register(request);
        else
            core_.register_request().push(now_, request);
    }
    void connect(const Disturbance& disturb) {
        memory_ = std::make_unique<BenchMemory>(image, 100);
        semaphores_ = std::make_unique<BenchMemory>(image, 50);
        core_.to_hub().connect(memory_->requests);
        memory_->responses.connect(core_.hub_response());
        core_.to_semaphores().connect(semaphores_->requests);
        semaphores_->responses.connect(core_.semaphore_response());
        core_.to_register_bus().connect(bus_);
        core_.to_register_response().connect(answers_);
        core_.to_interrupt().connect(traps_);
        for (Clocked* unit : core_.units())
            scheduler_.add(*unit);
        if (disturb.shuffle)
            scheduler_.shuffle(disturb.seed);
        if (disturb.stall_percent != 0) {
            memory_->requests.random_stall(disturb.seed, disturb.stall_percent);
            core_.hub_response().random_stall(disturb.seed + 1, disturb.stall_percent);
            semaphores_->requests.random_stall(disturb.seed + 2, disturb.stall_percent);
            bus_.random_stall(disturb.seed + 3, disturb.stall_percent);
        }
    }
    void step() {
        scheduler_.step(now_);
        memory_->step(now_);
        semaphores_->step(now_);
        if (bus_.can_pop(now_) && core_.register_request().can_push(now_)) {
            const RegRequest r = bus_.pop(now_);
            if (r.write) {
                reg_write(r);
            } else {
                RegResponse answer;
                answer.tag = r.tag;
                answer.value = registers[r.offset];
                core_.register_bus_response().push(now_, answer);
            }
        }
        while (traps_.ready(now_)) {
            traps_.take();
            ++interrupts;
        }
        ++now_;
    }

    const Spec spec_;
    DmaCore core_;
    std::unique_ptr<DmaFunctional> functional_;
    std::unique_ptr<BenchMemory> memory_, semaphores_;
    Channel<RegRequest> bus_{{8, 1}, "bench.bus"};
    Channel<RegResponse> answers_{{8, 1}, "bench.answers"};
    EventLink<Interrupt> traps_{1};
    Scheduler scheduler_;
    Cycle now_ = 0;
    uint32_t end_ = 0;
    uint64_t clock_ = 0;
};

}  // namespace archipelago::dma::test
