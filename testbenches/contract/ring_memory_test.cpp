// SPDX-License-Identifier: Apache-2.0
// What the CPU sees in memory when the rings are idle: random streams of all rings at once, in both
// modes, without a cache action.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <utility>
#include <vector>

#include "models/asic/families.h"
#include "models/cp/packets/si/si_packets.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"

namespace archipelago::host::ring_memory_test {
namespace {

constexpr unsigned kRings = 5, kCpRings = 3;  // gfx, compute0, compute1, dma0, dma1
constexpr uint64_t kQwords = 0x1000000, kMarkers = 0x1010000;
constexpr unsigned kSemaphores = 60;  // of which the first half is waited for, too
constexpr uint32_t kMarker = 0x600D600D;

// Streams that leave the same memory in any order in which the rings run.
class Streams {
  public:
    explicit Streams(uint32_t seed) : random_(seed), counts_(kSemaphores) {
        for (uint64_t& count : counts_)
            count = below(4);
        before_ = counts_;
        for (unsigned i = 0; i < 120; ++i)
            add();
        for (unsigned ring = 0; ring < kCpRings; ++ring)
            add_marker(ring);
    }
    const std::vector<uint32_t>& ring(unsigned i) const { return rings_.at(i); }
    // Semaphores, and after them the qwords that packets write.
    std::vector<uint64_t> before() const {
        return joined(before_, std::vector<uint64_t>(written_.size()));
    }
    std::vector<uint64_t> after() const { return joined(counts_, written_); }

  private:
    static std::vector<uint64_t> joined(std::vector<uint64_t> a, const std::vector<uint64_t>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    }
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
    void put(unsigned ring, const std::vector<uint32_t>& words) {
        rings_[ring].insert(rings_[ring].end(), words.begin(), words.end());
    }
    void put_cp(unsigned ring, const char* name, const std::vector<uint32_t>& body) {
        put(ring, {cp::make_header(cp::si_opcode(name), static_cast<unsigned>(body.size()))});
        put(ring, body);
    }
    static uint32_t address_of(unsigned qword) {
        return static_cast<uint32_t>(kQwords + uint64_t{8} * qword);
    }

    void add() {
        const unsigned semaphore = below(kSemaphores);
        if (below(4) == 0)
            write(below(kRings));
        else if (below(2) == 0)
            signal(below(kRings), semaphore);
        else
            wait(semaphore);
    }
    void signal(unsigned ring, unsigned semaphore) {
        const bool one = ring < kCpRings && semaphore >= kSemaphores - 10;
        if (ring >= kCpRings && semaphore >= kSemaphores - 10)
            return;  // these become 1, whoever signals first
        counts_[semaphore] = one ? 1 : counts_[semaphore] + 1;
        if (ring < kCpRings)
            put_cp(ring, "MEM_SEMAPHORE",
                   {address_of(semaphore), 6u << 29 | (one ? 1u << 20 : 0) | below(2) << 16});
        else
            put(ring, {0x50400000, address_of(semaphore), 0});
    }
    // All waits for a semaphore stand in one ring, so that none takes what is another's.
    void wait(unsigned semaphore) {
        if (semaphore >= kSemaphores / 2 || counts_[semaphore] == 0)
            return;
        --counts_[semaphore];
        const unsigned ring = semaphore % kRings;
        if (ring < kCpRings)
            put_cp(ring, "MEM_SEMAPHORE", {address_of(semaphore), 7u << 29});
        else
            put(ring, {0x50000000, address_of(semaphore), 0});
    }
    // WRITE_DATA to memory, WRITE_LINEAR.
    void write(unsigned ring) {
        const uint32_t to = address_of(static_cast<unsigned>(kSemaphores + written_.size()));
        const uint32_t low = below(1u << 30), high = below(1u << 30);
        written_.push_back(uint64_t{high} << 32 | low);
        if (ring < kCpRings)
            put_cp(ring, "WRITE_DATA", {5u << 8 | 1u << 20, to, 0, low, high});
        else
            put(ring, {0x20000002, to, 0, low, high});
    }
    // A fence without a cache action.
    void add_marker(unsigned ring) {
        put_cp(ring, "EVENT_WRITE_EOP",
               {40 | 5u << 8, static_cast<uint32_t>(kMarkers + uint64_t{64} * ring), 1u << 29,
                kMarker, 0});
    }

    std::mt19937 random_;
    std::array<std::vector<uint32_t>, kRings> rings_;
    std::vector<uint64_t> before_, counts_;  // of the semaphores
    std::vector<uint64_t> written_;
};

class RingMemory : public ::testing::TestWithParam<std::pair<asic::Mode, uint32_t>> {};

TEST_P(RingMemory, IsWhatThePacketsLeaveWhenTheRingsAreIdle) {
    const auto [mode, seed] = GetParam();
    const auto chip = asic::load_chip("hainan", {});
    MachineOptions options;
    options.chip.mode = mode;
    options.hang_cycles = 200'000;
    Machine machine("bench", *chip, options);
    const Streams streams(seed);
    std::vector<uint64_t> qwords = streams.before();
    machine.memory().map(kQwords, 0x2000);
    machine.memory().map(kMarkers, 0x1000);
    machine.memory().write(kQwords, qwords.data(), 8 * qwords.size());
    machine.run([&] {
        GpuDriver driver(machine);
        driver.bring_up();
        for (unsigned ring = 0; ring < kRings; ++ring)
            driver.submit(ring, streams.ring(ring));
        for (unsigned ring = kCpRings; ring < kRings; ++ring)
            driver.fence_and_wait(ring);
        const auto all_marked = [&] {
            for (unsigned ring = 0; ring < kCpRings; ++ring) {
                uint32_t marker = 0;
                machine.memory().read(kMarkers + uint64_t{64} * ring, &marker, 4);
                if (marker != kMarker)
                    return false;
            }
            return true;
        };
        machine.wait_until(all_marked, "the markers", 1000);
        machine.wait_at_most(5000, [] { return false; });  // for signals that nobody confirms
        machine.memory().read(kQwords, qwords.data(), 8 * qwords.size());
    });
    EXPECT_EQ(qwords, streams.after());
}

std::vector<std::pair<asic::Mode, uint32_t>> runs() {
    std::vector<std::pair<asic::Mode, uint32_t>> all;
    for (uint32_t seed = 1; seed <= 12; ++seed)
        for (const asic::Mode mode : {asic::Mode::Cycle, asic::Mode::Functional})
            all.emplace_back(mode, seed);
    return all;
}
INSTANTIATE_TEST_SUITE_P(Modes, RingMemory, ::testing::ValuesIn(runs()), [](const auto& info) {
    return (info.param.first == asic::Mode::Cycle ? "cycle" : "functional") +
           std::to_string(info.param.second);
});

}  // namespace
}  // namespace archipelago::host::ring_memory_test
