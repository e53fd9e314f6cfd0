// SPDX-License-Identifier: Apache-2.0
// Runs the streams of packet_streams.h on the command processors of both modes.
#include "models/common/error.h"
#include "testbenches/fuzz/packet_places.h"
#include "testbenches/fuzz/packet_streams.h"

namespace archipelago::fuzz {
namespace {

using namespace cp::test;
using Words = std::vector<uint32_t>;

constexpr Cycle kCycles = 60'000;
constexpr unsigned kAccesses = 200'000;  // enough for any stream that does not write its own ring

// A stream may move its own write pointer round and round, which is legal and never ends: the run
// stops after `kAccesses`.
struct Enough {};

class BoundedFunctional : public FunctionalMachine {
  public:
    uint32_t reg_read(const RegRequest& r) override {
        count();
        return cp::test::is_cp_register(r.offset) ? host_read(r.offset) : seen.store[r.offset];
    }
    void reg_write(const RegRequest& request) override {
        count();
        seen.store[request.offset] = request.value;
        if (cp::test::is_cp_register(request.offset))
            file.write_register(request);
    }
    bool mem_read(uint64_t address, void* to, size_t bytes, uint8_t vmid) override {
        count();
        return FunctionalMachine::mem_read(address, to, bytes, vmid);
    }
    void event(uint8_t, uint8_t) override { count(); }
    void cache_action(const CacheAction&) override { count(); }
    void interrupt(const Interrupt&) override {}

  private:
    void count() {
        if (++accesses_ > kAccesses)
            throw Enough();
    }
    unsigned accesses_ = 0;
};

StreamResult run(Machine& machine, const PacketScenario& s) {
    StreamResult result;
    try {
        machine.setup_rings();
        Words numbers(0x1000);
        for (uint32_t i = 0; i < numbers.size(); ++i)
            numbers[i] = i & 0x3F;
        machine.poke(kNumbers, numbers);
        for (uint32_t i = 0; i < 16; ++i)
            machine.poke(kSemaphores + 8 * i, 1000);
        for (uint32_t i = 0; i < 64; ++i)  // pairs of counters, all there
            machine.poke(kCounters + 4 * i, i % 2 != 0 ? 0x80000000u : i);
        machine.poke(kIb1, s.ib1);
        machine.poke(kIb2, s.ib2);
        machine.poke(kConstants, s.constants);
        for (unsigned ring = 0; ring < cp::kSiRings; ++ring) {
            machine.put(s.rings[ring], ring);
            if (!s.rings[ring].empty())
                machine.doorbell(ring);
        }
        if (!machine.run()) {
            result.end = StreamEnd::Waits;
            result.text = machine.waiting_for();
            require(!result.text.empty(), "a stream that waits names what for");
        }
    } catch (const MachineStop& stop) {
        result.text = stop.what();
        require(result.text.rfind("ring ", 0) == 0 || result.text.rfind("cp", 0) == 0,
                "a stop names the place");
        require(result.text.size() > 20, "a stop has a reason");
        result.end = stop.kind() == StopKind::BadInput        ? StreamEnd::BadInput
                     : stop.kind() == StopKind::Unimplemented ? StreamEnd::Unimplemented
                     : stop.kind() == StopKind::Fault         ? StreamEnd::Fault
                                                              : StreamEnd::OtherStop;
    } catch (const Enough&) {
        result.end = StreamEnd::Endless;
    }
    uint64_t hash = 0xCBF29CE484222325u;
    if (s.comparable) {
        std::vector<uint64_t> words(0x10000 / 8);
        machine.memory.read(kData, words.data(), 0x10000);
        for (const uint64_t word : words)
            hash = (hash ^ word) * 0x100000001B3u;
    }
    result.memory = hash;
    return result;
}

}  // namespace

const char* to_string(StreamEnd end) {
    static const char* const kNames[] = {"done",  "waits",      "bad input", "unimplemented",
                                         "fault", "other stop", "endless"};
    return kNames[static_cast<size_t>(end)];
}

StreamResult run_functional(const PacketScenario& scenario) {
    BoundedFunctional machine;
    return run(machine, scenario);
}

StreamResult run_one_by_one(const PacketScenario& scenario) {
    BoundedFunctional machine;
    machine.one_by_one = true;
    return run(machine, scenario);
}

StreamResult run_timed(const PacketScenario& scenario) {
    BenchOptions options;
    options.limit = kCycles;
    options.stall_percent = scenario.stall ? 25 : 0;
    TimedMachine machine(options);
    return run(machine, scenario);
}

}  // namespace archipelago::fuzz
