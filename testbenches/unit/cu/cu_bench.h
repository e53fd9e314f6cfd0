// SPDX-License-Identifier: Apache-2.0
// A compute unit with simple stand-ins for SPI, the instruction and scalar caches, and the L1.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "models/common/channel.h"
#include "models/common/memory_image.h"
#include "models/cu/functional/functional_cu.h"
#include "models/cu/pipeline/cu_core.h"

namespace archipelago::cu::test {

constexpr uint64_t kCode = 0x10000;
constexpr uint64_t kData = 0x100000;
constexpr uint32_t kDataBytes = 0x10000;

// Answers each request after `latency` cycles, in order.
template <class Request, class Response>
class FakeCache : public Clocked {
  public:
    FakeCache(MemoryImage& memory, unsigned latency)
        : in({4, 1}), memory_(memory), latency_(latency) {
        in.set_consumer(this);
    }
    bool tick(Cycle now) override {
        bool moved = false;
        while (in.can_pop(now)) {
            waiting_.emplace_back(now + latency_, in.pop(now));
            moved = true;
        }
        while (!waiting_.empty() && waiting_.front().first <= now && out->can_push(now)) {
            out->push(now, answer(waiting_.front().second));
            waiting_.pop_front();
            moved = true;
        }
        if (!moved && !waiting_.empty())
            wake_at(std::max(now + 1, waiting_.front().first));
        return moved;
    }
    Channel<Request> in;
    Channel<Response>* out = nullptr;

  protected:
    virtual Response answer(const Request& request) = 0;
    MemoryImage& memory_;

  private:
    unsigned latency_;
    std::deque<std::pair<Cycle, Request>> waiting_;
};

class FakeInstructionCache : public FakeCache<FetchRequest, FetchResponse> {
  public:
    using FakeCache::FakeCache;

  private:
    FetchResponse answer(const FetchRequest& request) override {
        FetchResponse response;
        response.address = request.address;
        response.wave = request.wave;
        response.generation = request.generation;
        response.fault = !memory_.read(request.address, response.words.data(), 32);
        return response;
    }
};

class FakeScalarCache : public FakeCache<ScalarRequest, ScalarResponse> {
  public:
    using FakeCache::FakeCache;
    unsigned invalidations = 0;

  private:
    ScalarResponse answer(const ScalarRequest& request) override {
        ScalarResponse response;
        response.tag = request.tag;
        response.wave = request.wave;
        if (request.invalidate)
            ++invalidations;
        else
            response.fault =
                !memory_.read(request.address, response.data.data(), size_t{request.dwords} * 4);
        response.fault_address = request.address;
        return response;
    }
};

// Performs requests in order as they arrive and answers after `latency` cycles.
class FakeL1 : public Clocked {
  public:
    FakeL1(MemoryImage& memory, unsigned latency)
        : in({8, 1}), action_in({2, 1}), memory_(memory), latency_(latency) {
        in.set_consumer(this);
        action_in.set_consumer(this);
    }
    bool tick(Cycle now) override {
        bool moved = false;
        while (in.can_pop(now)) {
            const MemRequest request = in.pop(now);
            waiting_.emplace_back(now + latency_, perform(request));
            seen.push_back(request);
            seen_at.push_back(now);
            moved = true;
        }
        while (action_in.can_pop(now) && action_out->can_push(now)) {
            action_out->push(now, {action_in.pop(now).tag});
            ++invalidations;
            moved = true;
        }
        while (!waiting_.empty() && waiting_.front().first <= now && out->can_push(now)) {
            out->push(now, waiting_.front().second);
            waiting_.pop_front();
            moved = true;
        }
        if (!moved && !waiting_.empty())
            wake_at(std::max(now + 1, waiting_.front().first));
        return moved;
    }
    Channel<MemRequest> in;
    Channel<CacheAction> action_in;
    Channel<MemResponse>* out = nullptr;
    Channel<CacheActionDone>* action_out = nullptr;
    std::vector<MemRequest> seen;
    std::vector<Cycle> seen_at;
    unsigned invalidations = 0;

  private:
    MemResponse perform(const MemRequest& request) {
        MemResponse response;
        response.tag = request.tag;
        response.command = request.command;
        response.line = request.line;
        response.uid = request.uid;
        Line line{};
        if (!memory_.read(request.line, line.data(), kLineBytes)) {
            response.status = MemStatus::Unmapped;
            return response;
        }
        response.data = line;
        if (request.command == MemCommand::Write) {
            for (unsigned i = 0; i < kLineBytes; ++i)
                if (request.byte_mask >> i & 1)
                    line[i] = request.data[i];
        } else if (request.command == MemCommand::Atomic) {
            for (unsigned i = 0; i < kLineBytes; i += request.atomic_bytes) {
                if ((request.byte_mask >> i & 1) == 0)
                    continue;
                uint64_t old = 0;
                uint64_t operand = 0;
                std::memcpy(&old, &line[i], request.atomic_bytes);
                std::memcpy(&operand, &request.data[i], request.atomic_bytes);
                uint64_t value = request.atomic_bytes == 8
                                     ? atomic64(request.atomic, old, operand, request.compare)
                                     : atomic32(request.atomic, static_cast<uint32_t>(old),
                                                static_cast<uint32_t>(operand),
                                                static_cast<uint32_t>(request.compare));
                std::memcpy(&line[i], &value, request.atomic_bytes);
            }
        }
        if (request.command != MemCommand::Read)
            memory_.write(request.line, line.data(), kLineBytes);
        return response;
    }

    MemoryImage& memory_;
    unsigned latency_;
    std::deque<std::pair<Cycle, MemResponse>> waiting_;
};

class FakeSpi : public Clocked {
  public:
    FakeSpi() : done({4, 1}) { done.set_consumer(this); }
    bool tick(Cycle now) override {
        bool moved = false;
        while (!waiting.empty() && waiting.front().first <= now && launch->can_push(now)) {
            launch->push(now, waiting.front().second);
            waiting.pop_front();
            moved = true;
        }
        while (done.can_pop(now)) {
            ended.push_back(done.pop(now));
            ended_at.push_back(now);
            moved = true;
        }
        if (!moved && !waiting.empty())
            wake_at(std::max(now + 1, waiting.front().first));
        return moved;
    }
    Channel<WaveDone> done;
    Channel<WaveLaunch>* launch = nullptr;
    std::deque<std::pair<Cycle, WaveLaunch>> waiting;
    std::vector<WaveDone> ended;
    std::vector<Cycle> ended_at;
};

// Buffer descriptor for raw 32-bit access to [base, base + bytes).
inline void set_descriptor(WaveLaunch& launch, uint64_t base, uint32_t bytes) {
    launch.sgpr_init[0] = static_cast<uint32_t>(base);
    launch.sgpr_init[1] = static_cast<uint32_t>(base >> 32) & 0xFFFF;
    launch.sgpr_init[2] = bytes;
    launch.sgpr_init[3] = 0x00027FAC;  // xyzw, 32-bit float
    if (launch.sgpr_init_count < 4)
        launch.sgpr_init_count = 4;
}

// Wave `index` of a one-dimensional group of `waves` full waves.
inline WaveLaunch make_launch(unsigned waves = 1, unsigned index = 0, unsigned group = 0) {
    WaveLaunch l;
    l.dispatch = 1;
    l.group = group;
    l.group_slot = static_cast<uint8_t>(group % 16);
    l.wave_in_group = static_cast<uint8_t>(index);
    l.waves_in_group = static_cast<uint8_t>(waves);
    l.simd = static_cast<uint8_t>(index % 4);
    l.slot = static_cast<uint8_t>(index / 4 + group % 4 * 2);
    l.pc = kCode;
    l.exec = ~uint64_t{0};
    l.vgpr_count = 24;
    l.vgpr_base = static_cast<uint16_t>(24 * l.slot);
    l.sgpr_count = 48;
    l.sgpr_base = static_cast<uint16_t>(48 * l.slot);
    l.lds_base = group % 4 * 4096;
    l.lds_bytes = 4096;
    l.float_mode = 0xF0;
    l.ieee = true;
    l.dx10_clamp = true;
    l.sgpr_init_count = 8;
    l.first_thread = 64 * index;
    l.group_dim = {static_cast<uint16_t>(64 * waves), 1, 1};
    set_descriptor(l, kData, kDataBytes);
    return l;
}

class ImageMemory : public FunctionalMemory {
  public:
    explicit ImageMemory(MemoryImage& image) : image_(image) {}
    uint8_t* page(uint64_t address, uint8_t) override { return image_.page_pointer(address); }

  private:
    MemoryImage& image_;
};

// Says when the unit under test runs, and not its stand-ins.
class ProbedCore : public CuCore {
  public:
    using CuCore::CuCore;
    bool tick(Cycle now) override {
        inside = true;
        const bool progress = CuCore::tick(now);
        inside = false;
        return progress;
    }
    static inline bool inside = false;
};

struct Latencies {
    unsigned fetch = 2, scalar = 10, l1 = 20;
};

class CuBench {
  public:
    explicit CuBench(const CuSpec& spec = {}, Latencies latency = {})
        : core(spec, identity()),
          inst(memory, latency.fetch),
          scalar(memory, latency.scalar),
          l1(memory, latency.l1) {
        core.to_fetch.connect(inst.in);
        core.to_scalar.connect(scalar.in);
        core.to_memory.connect(l1.in);
        core.to_l1_action.connect(l1.action_in);
        core.to_wave_done.connect(spi.done);
        inst.out = &core.fetch_in;
        scalar.out = &core.scalar_in;
        l1.out = &core.mem_in;
        l1.action_out = &core.l1_action_done_in;
        spi.launch = &core.launch_in;
        core.fetch_in.set_producer(&inst);
        core.scalar_in.set_producer(&scalar);
        core.mem_in.set_producer(&l1);
        core.l1_action_done_in.set_producer(&l1);
        core.launch_in.set_producer(&spi);
        scheduler.add(spi);
        scheduler.add(core);
        scheduler.add(inst);
        scheduler.add(scalar);
        scheduler.add(l1);
        memory.map(kData, kDataBytes);
        memory.map(kCode, 0x1000);
    }
    static CuIdentity identity() {
        CuIdentity id;
        id.name = "se0.sh1.cu3";
        id.position = {0, 1, 3};
        id.source = 7;
        id.cache_port = 3;
        return id;
    }
    void load(const std::vector<uint32_t>& program, uint64_t at = kCode) {
        memory.map(at, program.size() * 4);
        memory.write(at, program.data(), program.size() * 4);
    }
    void launch(const WaveLaunch& l, Cycle at = 0) {
        spi.waiting.emplace_back(at, l);
        spi.wake_at(at);
    }
    // Runs until nothing moves; returns the cycle in which the last wave was reported done.
    Cycle run(Cycle limit = 1000000) {
        scheduler.run(scheduler.now() + limit);
        return spi.ended_at.empty() ? 0 : spi.ended_at.back();
    }
    uint32_t word(uint64_t offset) const {
        uint32_t value = 0;
        memory.read(kData + offset, &value, 4);
        return value;
    }
    void set_word(uint64_t offset, uint32_t value) { memory.write(kData + offset, &value, 4); }
    std::vector<uint8_t> data() const {
        std::vector<uint8_t> bytes(kDataBytes);
        memory.read(kData, bytes.data(), bytes.size());
        return bytes;
    }

    MemoryImage memory;
    ProbedCore core;
    FakeInstructionCache inst;
    FakeScalarCache scalar;
    FakeL1 l1;
    FakeSpi spi;
    Scheduler scheduler;
};

}  // namespace archipelago::cu::test
