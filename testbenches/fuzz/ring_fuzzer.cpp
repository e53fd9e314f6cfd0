// SPDX-License-Identifier: Apache-2.0
// Command streams through both command processors, on a little memory.
//
// An input: ring, flags, dwords of IB1 and of IB2 (two bytes each), then the dwords of IB1, IB2 and
// the ring. Packets may end in a MachineStop that names the place, or wait for ever; nothing else.
#include <cstring>

#include "models/common/error.h"
#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/unit/cp/cp_bench.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"ring_fuzzer", false, 6000, 4000, 0.5};

namespace {

using namespace cp::test;

constexpr size_t kHeaderBytes = 6;
constexpr uint64_t kIb2 = kIb + 0x8000;
constexpr Cycle kCycles = 30'000;
constexpr unsigned kAccesses = 100'000;  // enough for any stream that does not write its own ring

struct Stream {
    unsigned ring = 0;
    bool stall = false;
    std::vector<uint32_t> ib1, ib2, body;
};

Bytes pack(const Stream& s) {
    Bytes bytes = {static_cast<uint8_t>(s.ring),       static_cast<uint8_t>(s.stall),
                   static_cast<uint8_t>(s.ib1.size()), static_cast<uint8_t>(s.ib1.size() >> 8),
                   static_cast<uint8_t>(s.ib2.size()), static_cast<uint8_t>(s.ib2.size() >> 8)};
    for (const auto* list : {&s.ib1, &s.ib2, &s.body})
        for (const uint32_t word : *list)
            for (unsigned i = 0; i < 4; ++i)
                bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
    return bytes;
}

bool unpack(const uint8_t* data, size_t size, Stream& s) {
    if (size < kHeaderBytes)
        return false;
    s.ring = data[0] % cp::kSiRings;
    s.stall = (data[1] & 1) != 0;
    const size_t counts[2] = {data[2] | size_t{data[3]} << 8, data[4] | size_t{data[5]} << 8};
    size_t at = kHeaderBytes;
    const auto take = [&](std::vector<uint32_t>& list, size_t limit) {
        while (list.size() < limit && at + 4 <= size) {
            uint32_t word = 0;
            for (unsigned i = 0; i < 4; ++i)
                word |= uint32_t{data[at++]} << (8 * i);
            list.push_back(word);
        }
    };
    take(s.ib1, std::min<size_t>(counts[0], 0x2000));
    take(s.ib2, std::min<size_t>(counts[1], 0x2000));
    take(s.body, kRingDwords - 1);
    return true;
}

// A stream may move its own write pointer round and round, which is legal and never ends: the run
// stops after `kAccesses`.
struct Enough {};

class BoundedFunctional : public FunctionalMachine {
  public:
    uint32_t reg_read(const RegRequest& request) override {
        count();
        return FunctionalMachine::reg_read(request);
    }
    void reg_write(const RegRequest& request) override {
        count();
        // Unused here, and a long run would keep them all.
        seen = {};
        FunctionalMachine::reg_write(request);
    }
    bool mem_read(uint64_t address, void* to, size_t bytes, uint8_t vmid) override {
        count();
        return FunctionalMachine::mem_read(address, to, bytes, vmid);
    }

  private:
    void count() {
        if (++accesses_ > kAccesses)
            throw Enough();
    }
    unsigned accesses_ = 0;
};

enum class End { Idle, Waits, Stopped, Endless };

End run(Machine& machine, const Stream& s) {
    try {
        machine.setup_rings();
        machine.poke(kIb, s.ib1);
        machine.poke(kIb2, s.ib2);
        if (machine.submit(s.body, s.ring))
            return End::Idle;
        machine.waiting_for();
        return End::Waits;
    } catch (const MachineStop& stop) {
        const std::string text = stop.what();
        require(text.rfind("ring ", 0) == 0 || text.rfind("cp", 0) == 0, "a stop names the place");
        require(text.size() > 20, "a stop has a reason");
        return End::Stopped;
    } catch (const Enough&) {
        return End::Endless;
    }
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    Stream stream;
    if (!unpack(data, size, stream))
        return false;
    BoundedFunctional functional;
    const End end = run(functional, stream);
    BenchOptions options;
    options.limit = kCycles;
    options.stall_percent = stream.stall ? 25 : 0;
    TimedMachine timed(options);
    const End timed_end = run(timed, stream);
    return end == End::Idle && timed_end == End::Idle;
}

namespace {

std::vector<uint32_t> any_words(Random& r, unsigned count) {
    std::vector<uint32_t> list(count);
    for (uint32_t& word : list)
        word = r.one_in(3) ? r.word() : r.below(64);
    return list;
}

std::vector<uint32_t> any_packet(Random& r) {
    const uint64_t to = kData + 0x8000 + 4 * r.below(0x1C00);
    const uint64_t from = kData + 4 * r.below(0x1C00);
    switch (r.below(21)) {
        case 0:
            return set_config(0x9508 + 4 * r.below(8), any_words(r, 1 + r.below(5)));
        case 1:
            return set_context(0x28000 + 4 * r.below(64), any_words(r, 1 + r.below(20)));
        case 2:
            return set_sh(0xB900 + 4 * r.below(8), any_words(r, 1 + r.below(8)));
        case 3:
            return packet("NOP", any_words(r, 1 + r.below(20)));
        case 4:
            return {0x80000000 | r.word() >> 2};
        case 5:
            return write_data(to, any_words(r, 1 + r.below(40)), r.one_in(2) ? 5 : 1, r.one_in(2));
        case 6:
            return write_data(0x9508 / 4, any_words(r, 1 + r.below(6)), 0, r.one_in(2), 0,
                              r.one_in(2));
        case 7:
            return cp_dma(from + r.below(4), to + r.below(4), 1 + r.below(700), r.one_in(2),
                          r.below(2) << 30);
        case 8:
            return cp_fill(r.word(), to, 1 + r.below(300));
        case 9:
            return packet("EVENT_WRITE", {r.one_in(2) ? 0x407u : 25u});
        case 10:
            return packet("PFP_SYNC_ME", {r.word()});
        case 11:
            return surface_sync(1u << (22 + r.below(2)), ~0u, 0, r.one_in(2));
        case 12:
            return packet("DISPATCH_DIRECT", {r.below(9), r.below(9), r.below(9), r.word()}, true);
        case 13:
            return packet("COPY_DATA", {1 | 5u << 8 | 1u << 20, lo(from), 0, lo(to), 0});
        case 14:
            return packet("MEM_WRITE",
                          {lo(to) | r.below(3), 1u << 17 | 1u << 18, r.word(), r.word()});
        case 15:
            return wait_memory(from, 5, r.below(4));  // >=: memory is zero
        case 16:
            return packet("COND_WRITE",
                          {3 | 1u << 4 | 1u << 8, lo(from), 0, 0, ~0u, lo(to), 0, r.word()});
        case 17:
            return packet("INCREMENT_DE_COUNTER", {r.word()});
        case 18:
            // Few constants are made, so most waits have no end.
            return packet(r.one_in(30) ? (r.one_in(2) ? 0x86 : 0x8A) : 0x85, {r.word()});
        case 19:
            return packet("SET_BASE", {3, 0x4000 + 64 * r.below(256), 0xA000 + 64 * r.below(64)});
        default:
            return eop(to & ~uint64_t{7}, 1 + r.below(3), r.below(2) * 2, r.word());
    }
}

std::vector<uint32_t> any_constant_packet(Random& r) {
    const uint64_t to = kData + 0x8000 + 4 * r.below(0x1800);
    const uint64_t from = kData + 32 * r.below(0x300);
    const uint32_t offset = 32 * r.below(64);
    switch (r.below(9)) {
        case 0:
        case 1:
            return packet(
                static_cast<uint8_t>(0x81 + r.below(2)),
                std::vector<uint32_t>{offset + 4 * r.below(8)} + any_words(r, 1 + r.below(20)));
        case 2:
        case 3:
            return packet("DUMP_CONST_RAM", {offset, r.below(60), lo(to), hi(to)});
        case 4:
            return packet("LOAD_CONST_RAM", {lo(from), hi(from), 8 * r.below(6), offset});
        case 5:
            return packet("INCREMENT_CE_COUNTER", {r.word()});
        case 6:
            if (!r.one_in(4))
                return packet("NOP", {r.word()});
            return packet("SET_CE_DE_COUNTERS", {r.below(4), 0});
        case 7:
            return packet("WAIT_ON_DE_COUNTER", {r.one_in(8) ? r.below(4) : 0, 0});
        default:
            return packet("WAIT_ON_DE_COUNTER_DIFF", {r.one_in(4) ? r.below(4) : 100});
    }
}

Stream any_stream(Random& r) {
    Stream s;
    s.ring = r.below(cp::kSiRings);
    s.stall = r.one_in(4);
    const auto fill = [&](std::vector<uint32_t>& list, unsigned packets) {
        for (; packets > 0; --packets)
            list = list + any_packet(r);
    };
    // IB2, or a constant buffer in its place.
    const bool constants = r.one_in(3);
    if (constants)
        for (unsigned n = 1 + r.below(12); n > 0; --n)
            s.ib2 = s.ib2 + any_constant_packet(r);
    else
        fill(s.ib2, 1 + r.below(6));
    fill(s.ib1, r.below(6));
    if (!constants && !r.one_in(3))
        s.ib1 = s.ib1 + indirect(kIb2, static_cast<uint32_t>(s.ib2.size()));
    fill(s.ib1, 1 + r.below(6));
    fill(s.body, r.below(6));
    if (constants)
        s.body = s.body + packet("INDIRECT_BUFFER_CONST",
                                 {lo(kIb2), 0, static_cast<uint32_t>(s.ib2.size())});
    if (!r.one_in(3))
        s.body = s.body + indirect(kIb, static_cast<uint32_t>(s.ib1.size()));
    fill(s.body, 1 + r.below(6));
    return s;
}

}  // namespace

std::vector<Bytes> seeds() {
    Random r(1);
    std::vector<Bytes> list;
    while (list.size() < 40) {
        Bytes bytes = pack(any_stream(r));
        if (exercise(bytes.data(), bytes.size()))
            list.push_back(std::move(bytes));
    }
    return list;
}

Bytes generate(Random& r) {
    Stream s = any_stream(r);
    // Every other stream has a wrong word somewhere.
    if (r.one_in(2)) {
        std::vector<uint32_t>* lists[] = {&s.body, &s.ib1, &s.ib2};
        std::vector<uint32_t>& list = *lists[r.below(3)];
        uint32_t& word = list[r.below(static_cast<uint32_t>(list.size()))];
        word = r.one_in(2) ? r.word() : word ^ 1u << r.below(32);
    }
    return pack(s);
}

}  // namespace archipelago::fuzz
