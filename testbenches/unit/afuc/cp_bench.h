// SPDX-License-Identifier: Apache-2.0
// A command processor alone, in functional mode and in cycle mode, before a memory of the test's
// own: what a chip is made of, without SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/afuc/cp/cp_core.h"
#include "models/afuc/cp/cp_functional.h"
#include "models/afuc/isa/image.h"
#include "models/afuc/isa/text.h"
#include "models/common/clocked.h"

namespace archipelago::afuc::test {

constexpr uint64_t kImageBase = 0x80'0000, kRingBase = 0x20'0000;
constexpr uint64_t kImageStride = 0x10'0000;  // between the images of a5xx
constexpr uint32_t kRingLog2 = 10;            // dwords
constexpr uint64_t kDefaultLimit = 1'000'000;

// 4 KiB pages that are there when they have been mapped.
class TestMemory {
  public:
    void map(uint64_t address, uint64_t bytes) {
        for (uint64_t page = address / 4096; page <= (address + bytes - 1) / 4096; ++page)
            pages_[page].resize(4096);
    }
    uint8_t* page(uint64_t address) {
        const auto found = pages_.find(address / 4096);
        return found != pages_.end() ? found->second.data() + address % 4096 : nullptr;
    }
    uint32_t read(uint64_t address) {
        uint32_t value = 0;
        std::memcpy(&value, page(address), 4);
        return value;
    }
    void write(uint64_t address, const std::vector<uint32_t>& words) {
        for (size_t i = 0; i < words.size(); ++i)
            std::memcpy(page(address + 4 * i), &words[i], 4);
    }
    bool operator==(const TestMemory& o) const { return pages_ == o.pages_; }

  private:
    std::map<uint64_t, std::vector<uint8_t>> pages_;
};

// Sizes and delays as the chips have them; one SQE.
inline CpSpec cp_spec(const char* generation, const std::vector<uint32_t>& image) {
    CpSpec s;
    s.generation = find_generation(generation);
    s.images = {{"test.afuc", image, {}}};
    ProcessorSpec p;
    p.engine.generation = s.generation;
    p.words = static_cast<uint32_t>(image.size());
    s.processors = {p};
    s.roq_lines.assign(levels_of(s.generation->names), 4);
    s.roq_lines[0] = 2;
    s.queue_entries = 32;
    s.clock_hz = 710'000'000;
    s.fetch_command = {2, 1};
    s.fetch_response = s.roq = s.hub = {4, 1};
    s.memory_response = {4, 1};
    s.registers = {2, 1};
    s.register_access = {8, 4};
    s.register_response = {16, 8};
    s.meq = {64, 2};
    return s;
}

// PFP and ME, each with a program that takes no packets.
inline CpSpec cp_spec_a5xx(const std::string& pfp, const std::string& me) {
    const auto image = [](const std::string& text) {
        const Assembly a = assemble(*find_generation("a5xx"), "[005ff001]\n[#table]\n" + text +
                                                                  ".align 32\ntable: .jumptbl\n");
        if (!a.errors.empty())
            throw std::invalid_argument(a.errors[0].message);
        return std::vector<uint32_t>{a.words.begin() + 1, a.words.end()};
    };
    CpSpec s = cp_spec("a5xx", image(pfp));
    s.images.push_back({"me.afuc", image(me), {}});
    s.processors.push_back(s.processors[0]);
    const char* const paths[] = {"cp.pfp", "cp.me"};
    for (uint32_t i = 0; i < 2; ++i) {
        ProcessorSpec& p = s.processors[i];
        p.engine.path = paths[i];
        p.image = i;
        p.words = static_cast<uint32_t>(s.images[i].words.size());
        p.table = p.words - kTableWords;
    }
    s.processors[0].role = Role::Pfp;
    s.processors[0].engine.data_out = DataOut::Queue;
    s.processors[1].role = Role::Me;
    s.processors[1].engine.reads_nrt = true;
    s.processors[1].fetches_ring = false;
    return s;
}

// A pool of 8 blocks whose clusters have `count` registers each from `first` on, and take a chunk
// in so many cycles.
inline WritePoolSpec cp_pool(Names names, uint32_t first, uint32_t count,
                             const std::vector<unsigned>& chunks) {
    WritePoolSpec pool;
    pool.blocks = 8;
    const std::vector<const char*> clusters = clusters_of(names);
    for (size_t i = 0; i < clusters.size(); ++i, first += count)
        pool.clusters.push_back(
            {clusters[i], chunks[i % chunks.size()], {{first, first + count - 1}}});
    return pool;
}

// What both have: memory with the images and a ring.
class CpRun {
  public:
    TestMemory memory;

    virtual ~CpRun() = default;
    // Registers of the ring, microcode and start.
    void bring_up(const CpSpec& spec) {
        const CpRegisterMap places(spec.generation->names);
        const bool a5xx = spec.generation->names == Names::A5xx;
        const CpRegister first = a5xx ? CpRegister::PfpBase : CpRegister::MainBase;
        for (size_t i = 0; i < spec.images.size(); ++i) {
            const uint64_t base = kImageBase + i * kImageStride;
            memory.map(base, 4 * spec.images[i].words.size() + 64);
            memory.write(base, spec.images[i].words);
            set_64(places.index_of(i == 0 ? first : CpRegister::MeBase), base);
        }
        memory.map(kRingBase, 4u << kRingLog2);
        set_64(places.index_of(CpRegister::RingBase), kRingBase);
        host_write(places.index_of(CpRegister::RingControl), kRingLog2 - 1);
        host_write(places.index_of(CpRegister::Start), a5xx ? 0 : 1);
        wptr_index_ = places.index_of(CpRegister::WritePointer);
    }
    void submit(const std::vector<uint32_t>& words) {
        for (const uint32_t word : words) {
            memory.write(kRingBase + 4 * uint64_t{wptr_}, {word});
            wptr_ = (wptr_ + 1) & ((1u << kRingLog2) - 1);
        }
        host_write(wptr_index_, wptr_);
    }
    virtual void host_write(uint32_t index, uint32_t value) = 0;
    // Until nothing moves.
    virtual void run() = 0;
    virtual uint32_t reg(uint32_t index) = 0;
    virtual const EngineState& engine() = 0;
    uint32_t write_pointer() const { return wptr_; }

  private:
    void set_64(uint32_t index, uint64_t value) {
        host_write(index, static_cast<uint32_t>(value));
        host_write(index + 1, static_cast<uint32_t>(value >> 32));
    }
    uint32_t wptr_ = 0, wptr_index_ = 0;
};

class FunctionalRun final : public CpRun, private CpBackend {
  public:
    explicit FunctionalRun(const CpSpec& spec, uint64_t instruction_limit = kDefaultLimit)
        : registers_(*spec.generation, spec.pool.blocks, RoqLayout(spec)),
          cp_(spec, registers_, *this, instruction_limit) {
        bring_up(spec);
    }
    CpFunctional& cp() { return cp_; }
    void host_write(uint32_t index, uint32_t value) override { cp_.write(index, value); }
    void run() override { cp_.run(); }
    uint32_t reg(uint32_t index) override { return cp_.read(index); }
    const EngineState& engine() override { return cp_.processor(0).engine()->state(); }
    std::vector<uint32_t> interrupts;

  private:
    uint8_t* page(uint64_t address) override { return memory.page(address); }
    void interrupt(uint32_t bit) override { interrupts.push_back(bit); }

    GpuRegisters registers_;
    CpFunctional cp_;
};

// Answers lines after a number of cycles drawn from a seed, in the order of requests.
class TimedRun final : public CpRun {
  public:
    explicit TimedRun(const CpSpec& spec, uint64_t seed = 1)
        : spec_(spec), core_(spec_), port_(*this, seed) {
        core_.to_hub().connect(port_.requests);
        core_.to_register_response().connect(answers_);
        core_.to_interrupt().connect(interrupts_);
        for (Clocked* unit : core_.units())
            scheduler_.add(*unit);
        scheduler_.add(port_);
        if (seed % 2 == 0)
            scheduler_.shuffle(seed);
        bring_up(spec);
    }
    void host_write(uint32_t index, uint32_t value) override {
        while (!core_.register_request().can_push(now_))
            step();
        RegRequest r;
        r.offset = 4 * index;
        r.value = value;
        r.write = true;
        core_.register_request().push(now_, r);
        step();
    }
    uint32_t host_read(uint32_t index) {
        RegRequest r;
        r.offset = 4 * index;
        core_.register_request().push(now_, r);
        while (!answers_.can_pop(now_))
            step();
        return answers_.pop(now_).value;
    }
    void run() override { run_cycles(kDefaultLimit); }
    // Until `holds()`, no longer than a while; false: it does not.
    template <class Holds>
    bool run_until(const Holds& holds) {
        for (uint64_t left = kDefaultLimit; left != 0 && !holds(); --left)
            step();
        return holds();
    }
    uint64_t counter(const std::string& unit, const std::string& name) const {
        StatsRegistry stats;
        core_.register_stats(stats, "cp");
        for (const Counter& c : stats.counters())
            if (c.unit_path == unit && c.name == name)
                return *c.value;
        throw std::out_of_range(unit + "." + name);
    }
    void run_cycles(uint64_t limit) {
        for (; limit != 0 && !core_.idle(); --limit)
            step();
    }
    uint32_t reg(uint32_t index) override { return core_.gpu_registers().stored(index); }
    const EngineState& engine() override { return core_.engines()[0]->engine()->state(); }
    CpCore& core() { return core_; }
    uint64_t cycles() const { return now_; }

  private:
    class Port final : public Clocked {
      public:
        Port(TimedRun& run, uint64_t seed) : run_(run), random_(seed) {
            requests.set_consumer(this);
        }
        Channel<MemRequest> requests{{4, 1}};
        bool tick(Cycle now) override {
            bool moved = false;
            if (requests.can_pop(now)) {
                const MemRequest r = requests.pop(now);
                due_.emplace_back(now + 5 + random_() % 40, r);
                moved = true;
            }
            auto& out = run_.core_.hub_response();
            if (!due_.empty() && due_.front().first <= now && out.can_push(now)) {
                out.push(now, run_.serve(due_.front().second));
                due_.pop_front();
                moved = true;
            }
            if (!due_.empty())
                wake_at(std::max(now + 1, due_.front().first));
            return moved;
        }
        bool empty() const { return due_.empty(); }

      private:
        TimedRun& run_;
        std::mt19937_64 random_;
        std::deque<std::pair<Cycle, MemRequest>> due_;
    };
    MemResponse serve(const MemRequest& r) {
        MemResponse answer;
        answer.tag = r.tag;
        answer.port = r.port;
        answer.command = r.command;
        answer.line = r.line;
        answer.uid = r.uid;
        uint8_t* bytes = memory.page(r.line);
        if (bytes == nullptr) {
            answer.status = MemStatus::Unmapped;
            return answer;
        }
        if (r.command == MemCommand::Read)
            std::memcpy(answer.data.data(), bytes, kLineBytes);
        for (unsigned i = 0; i < kLineBytes && r.command == MemCommand::Write; ++i)
            if ((r.byte_mask >> i & 1) != 0)
                bytes[i] = r.data[i];
        return answer;
    }
    void step() { scheduler_.step(++now_); }

    const CpSpec spec_;
    Scheduler scheduler_;
    CpCore core_;
    Port port_;
    Channel<RegResponse> answers_{{4, 1}};
    struct Interrupts final : Clocked {
        bool tick(Cycle) override { return false; }
    };
    EventLink<Interrupt> interrupts_{1};
    Cycle now_ = 0;
};

}  // namespace archipelago::afuc::test
