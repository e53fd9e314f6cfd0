// SPDX-License-Identifier: Apache-2.0
// The AXI adapters' cores back to back: what goes in at one end comes out at the other.
#include <numeric>

#include "models/common/error.h"
#include "testbenches/unit/adapters/axi_bench.h"

namespace archipelago::adapters {
namespace {

constexpr size_t kBytes = 1 << 16;

struct Setup {
    const char* name;
    unsigned data_bits, id_bits, ids;
    bool lite;
    bool interleave;
    unsigned stall_percent;
};

std::ostream& operator<<(std::ostream& out, const Setup& s) {
    return out << s.name;
}

AxiSpec spec_of(const Setup& s, uint64_t seed) {
    AxiSpec spec;
    spec.data_bits = s.data_bits;
    spec.id_bits = s.id_bits;
    spec.ids = s.ids;
    spec.lite = s.lite;
    spec.interleave = s.interleave;
    spec.stall_percent = s.stall_percent;
    spec.seed = seed;
    return spec;
}

std::vector<uint8_t> random_bytes(AdapterRandom& random, uint32_t n) {
    std::vector<uint8_t> bytes(n);
    for (uint8_t& b : bytes)
        b = static_cast<uint8_t>(random.next());
    return bytes;
}

// A request of any kind the initiator knows, within [0, limit).
BusRequest random_request(AdapterRandom& random, const AxiSpec& spec, uint64_t tag,
                          uint64_t limit) {
    BusRequest r;
    r.tag = tag;
    r.write = random.below(2) == 0;
    const unsigned bus = spec.data_bytes();
    switch (random.below(8)) {
        case 0: {  // a FIFO
            r.streaming = 1 + random.below(2 * bus);
            r.length = r.streaming * (1 + random.below(20)) + random.below(r.streaming);
            break;
        }
        case 1: {  // a whole wrap
            r.beat_bytes = 1u << random.below(spec.data_size() + 1);
            r.length = r.beat_bytes << (1 + random.below(4));
            r.wrap = true;
            break;
        }
        case 2:  // narrow
            r.beat_bytes = 1u << random.below(spec.data_size() + 1);
            r.length = 1 + random.below(40 * r.beat_bytes);
            break;
        case 3:  // up to and over the longest burst
            r.length = 1 + random.below(std::min<unsigned>(300 * bus, 6000));
            break;
        default:
            r.length = 1 + random.below(4 * bus);
            break;
    }
    r.address = random.below(static_cast<unsigned>(limit - r.length));
    if (random.below(3) == 0)  // near a 4 KiB boundary
        r.address = std::min<uint64_t>(limit - r.length,
                                       r.address / 4096 * 4096 + 4096 - random.below(2 * bus) - 1);
    if (r.wrap) {
        r.address = r.address / r.length * r.length;
        r.wrap_start = r.address + random.below(r.length / r.beat_bytes) * r.beat_bytes;
    }
    if (r.write) {
        r.data = random_bytes(random, r.length);
        if (random.below(2) == 0) {
            r.enable.resize(r.length);
            for (uint8_t& e : r.enable)
                e = random.below(3) != 0;
        }
    }
    r.attributes.prot = static_cast<uint8_t>(random.below(8));
    return r;
}

class BackToBack : public ::testing::TestWithParam<Setup> {};

TEST_P(BackToBack, RandomTrafficLeavesTheMemoryAndReturnsTheDataOfAReference) {
    AxiBench bench(spec_of(GetParam(), 3), kBytes);
    AdapterRandom random(17);
    bench.memory.bytes = random_bytes(random, kBytes);
    std::vector<uint8_t> reference = bench.memory.bytes;
    std::map<uint64_t, std::vector<uint8_t>> expected;
    uint64_t tag = 0;
    const unsigned requests = GetParam().data_bits <= 64 ? 1500 : 1000;
    while (tag < requests) {
        bench.cycle_once();
        if (!bench.initiator.can_push() || random.below(3) == 0)
            continue;
        BusRequest r = random_request(random, bench.spec, ++tag, kBytes);
        // Requests that overlap are done in order, so a reference may do them at once.
        std::vector<uint8_t>& data = expected[r.tag];
        for (uint32_t i = 0; i < r.length; ++i) {
            uint8_t& byte = reference[r.address + (r.streaming != 0 ? i % r.streaming : i)];
            if (!r.write)
                data.push_back(byte);
            else if (r.enable.empty() || r.enable[i] != 0)
                byte = r.data[i];
        }
        bench.initiator.push(std::move(r));
    }
    ASSERT_TRUE(bench.drain()) << bench.initiator.waiting_for() << bench.target.waiting_for();
    EXPECT_EQ(bench.first_violation(), "");
    EXPECT_EQ(bench.responses.size(), requests);
    for (const auto& [t, data] : expected) {
        EXPECT_EQ(bench.responses[t].status, BusStatus::Ok) << "request " << t;
        EXPECT_EQ(bench.responses[t].data, data) << "request " << t;
    }
    EXPECT_TRUE(reference == bench.memory.bytes);
    EXPECT_TRUE(bench.target.idle());
    if (!GetParam().lite) {
        // The traffic must have been worth it.
        for (const char* side : {"read ", "write "}) {
            for (unsigned size = 0; size <= bench.spec.data_size(); ++size)
                EXPECT_GT(bench.seen[side + std::string("size ") + std::to_string(size)], 0u);
            for (const char* kind : {"burst 0", "burst 1", "burst 2", "beats 1", "beats 16"})
                EXPECT_GT(bench.seen[std::string(side) + kind], 0u) << side << kind;
            EXPECT_TRUE(GetParam().data_bits == 8 ||
                        bench.seen[std::string(side) + "unaligned"] > 0);
        }
        EXPECT_TRUE(GetParam().stall_percent == 0 || bench.w_before_aw);
    }
}

INSTANTIATE_TEST_SUITE_P(Widths, BackToBack,
                         ::testing::Values(Setup{"bits8", 8, 0, 1, false, true, 20},
                                           Setup{"bits16", 16, 1, 2, false, true, 0},
                                           Setup{"bits32", 32, 4, 16, false, true, 30},
                                           Setup{"bits32InOrder", 32, 0, 1, false, false, 30},
                                           Setup{"bits64", 64, 3, 5, false, false, 50},
                                           Setup{"bits128", 128, 4, 4, false, true, 10},
                                           Setup{"bits256", 256, 8, 16, false, true, 0},
                                           Setup{"bits512", 512, 2, 4, false, true, 30},
                                           Setup{"bits1024", 1024, 4, 16, false, true, 40},
                                           Setup{"lite32", 32, 0, 1, true, false, 30},
                                           Setup{"lite64", 64, 0, 1, true, false, 0}),
                         [](const auto& info) { return std::string(info.param.name); });

// Every burst the protocol has, put on the pins directly: kind x length x size x start.
TEST(AxiTarget, EveryBurstTouchesTheBytesTheSpecificationSays) {
    AxiSpec spec;
    spec.data_bits = 64;
    const unsigned bus = spec.data_bytes();
    uint64_t bursts = 0;
    for (const AxiBurst kind : {AxiBurst::Fixed, AxiBurst::Incr, AxiBurst::Wrap})
        for (unsigned size = 0; size <= 3; ++size)
            for (unsigned beats = 1; beats <= 256; beats += beats < 18 ? 1 : 17)
                for (unsigned start = 0; start < 2 * bus; start += 1 + start % 3) {
                    AxiAddressPins a;
                    a.valid = true;
                    a.addr = 0x1000 + start;
                    a.len = static_cast<uint8_t>(beats - 1);
                    a.size = static_cast<uint8_t>(size);
                    a.burst = kind;
                    if (burst_problem(AxiBurstShape(a), bus) != nullptr)
                        continue;
                    ++bursts;
                    AxiTargetCore target(spec);
                    ReferenceMemory memory(0x4000, 1, 0);
                    std::iota(memory.bytes.begin(), memory.bytes.end(), uint8_t{1});
                    AxiInitiatorPins pins;
                    pins.ar = a;
                    pins.rready = true;
                    std::vector<AxiReadPins> got;
                    for (unsigned n = 0; n < 3 * beats + 20 && got.size() < beats; ++n) {
                        const AxiTargetPins t = target.pins();
                        if (t.r.valid)
                            got.push_back(t.r);
                        target.edge(pins);
                        if (pins.ar.valid && t.arready)
                            pins.ar.valid = false;
                        memory.step(target);
                    }
                    ASSERT_EQ(got.size(), beats);
                    // A3.4.1 again, written out: the address of each transfer and its lanes.
                    const uint64_t bytes = uint64_t{1} << size;
                    const uint64_t aligned = a.addr / bytes * bytes;
                    const uint64_t lower = a.addr / (bytes * beats) * (bytes * beats);
                    for (unsigned n = 0; n < beats; ++n) {
                        uint64_t from = n == 0 ? a.addr : aligned + n * bytes;
                        uint64_t to = aligned + (n + 1) * bytes;
                        if (kind == AxiBurst::Fixed) {
                            from = a.addr;
                            to = aligned + bytes;
                        } else if (kind == AxiBurst::Wrap && from >= lower + bytes * beats) {
                            from -= bytes * beats;
                            to -= bytes * beats;
                        }
                        for (uint64_t at = from; at < to; ++at)
                            ASSERT_EQ(got[n].data[at % bus], memory.bytes[at])
                                << "kind " << static_cast<int>(kind) << " size " << size
                                << " beats " << beats << " start " << start << " beat " << n;
                        ASSERT_EQ(got[n].last, n + 1 == beats);
                    }
                }
    EXPECT_GT(bursts, 1000u);
}

TEST(AxiInitiator, RequestsAreSplitAt4KiBAndAtTheLongestBurst) {
    AxiSpec spec;
    spec.data_bits = 32;
    AxiBench bench(spec, kBytes, 0);
    bench.memory.keep_log = true;
    bench.run(read_of(1, 0xF80, 0x2000));
    // 0x80 up to the boundary, then 1024 and again 1024 bytes (256 transfers of 4) ...
    std::vector<std::pair<uint64_t, uint32_t>> got;
    for (const BusRequest& r : bench.memory.log)
        got.emplace_back(r.address, r.length);
    const std::vector<std::pair<uint64_t, uint32_t>> expected = {
        {0xF80, 0x80},   {0x1000, 0x400}, {0x1400, 0x400}, {0x1800, 0x400}, {0x1C00, 0x400},
        {0x2000, 0x400}, {0x2400, 0x400}, {0x2800, 0x400}, {0x2C00, 0x380}};
    EXPECT_EQ(got, expected);
    EXPECT_EQ(bench.first_violation(), "");
}

TEST(AxiInitiator, AReadWithinOneAlignedPowerOfTwoTouchesNothingElse) {
    AxiSpec spec;
    spec.data_bits = 512;
    AxiBench bench(spec, kBytes, 0);
    bench.memory.keep_log = true;
    bench.run(read_of(1, 0x104, 4));
    ASSERT_EQ(bench.memory.log.size(), 1u);
    EXPECT_EQ(bench.memory.log[0].address, 0x104u);
    EXPECT_EQ(bench.memory.log[0].length, 4u);
}

TEST(AxiInitiator, AnAccessWaitsForAnEarlierOneToTheSameBytesUnlessBothRead) {
    AxiSpec spec;
    spec.id_bits = 4;
    spec.ids = 16;
    spec.stall_percent = 30;
    AxiBench bench(spec, kBytes, 60);
    AdapterRandom random(5);
    std::map<uint64_t, uint32_t> expected;
    uint32_t value = 0;
    for (uint64_t tag = 1; tag <= 600;) {
        bench.cycle_once();
        if (!bench.initiator.can_push())
            continue;
        if (random.below(2) == 0) {
            value = static_cast<uint32_t>(random.next());
            std::vector<uint8_t> data(4);
            std::memcpy(data.data(), &value, 4);
            bench.initiator.push(write_of(tag, 0x100, data));
        } else {
            expected[tag] = value;
            bench.initiator.push(read_of(tag, 0x100, 4));
        }
        ++tag;
    }
    ASSERT_TRUE(bench.drain());
    for (const auto& [tag, word] : expected) {
        uint32_t got = 0;
        std::memcpy(&got, bench.responses[tag].data.data(), 4);
        EXPECT_EQ(got, word) << "request " << tag;
    }
}

// The initiator lets 16 IDs read; what comes back shows how the target used the freedom.
struct Freedom {
    bool reordered = false, interleaved = false;
};
Freedom freedom_of(const AxiSpec& spec) {
    AxiBench bench(spec, kBytes, 80);
    for (uint64_t tag = 1; tag <= 200;) {
        bench.cycle_once();
        if (bench.initiator.can_push()) {
            bench.initiator.push(read_of(tag, tag % 64 * 64, 32));
            ++tag;
        }
    }
    EXPECT_TRUE(bench.drain());
    EXPECT_EQ(bench.first_violation(), "");
    Freedom f;
    f.reordered = !std::is_sorted(bench.order.begin(), bench.order.end());
    // Bursts of 8 transfers: without interleaving an ID changes only between them.
    for (size_t i = 1; i < bench.r_ids.size(); ++i)
        if (i % 8 != 0 && bench.r_ids[i] != bench.r_ids[i - 1])
            f.interleaved = true;
    return f;
}

TEST(AxiOrder, ResponsesOfOneIdComeInOrder) {
    AxiSpec spec;
    const Freedom f = freedom_of(spec);
    EXPECT_FALSE(f.reordered);
    EXPECT_FALSE(f.interleaved);
}
TEST(AxiOrder, ResponsesOfDifferentIdsOvertakeEachOtherInWholeBursts) {
    AxiSpec spec;
    spec.id_bits = 4;
    spec.ids = 16;
    spec.interleave = false;
    const Freedom f = freedom_of(spec);
    EXPECT_TRUE(f.reordered);
    EXPECT_FALSE(f.interleaved);
}
TEST(AxiOrder, ReadDataOfDifferentIdsInterleaves) {
    AxiSpec spec;
    spec.id_bits = 4;
    spec.ids = 16;
    const Freedom f = freedom_of(spec);
    EXPECT_TRUE(f.reordered);
    EXPECT_TRUE(f.interleaved);
}

TEST(AxiOrder, SeveralReadsOfOneIdAreOutstandingAtOnce) {
    AxiSpec spec;
    AxiBench bench(spec, kBytes, 0);
    bench.memory.silent = true;
    for (uint64_t tag = 1; tag <= 10; ++tag)
        bench.initiator.push(read_of(tag, 64 * tag, 64));
    bench.memory.keep_log = true;
    for (int i = 0; i < 50; ++i)
        bench.cycle_once();
    EXPECT_EQ(bench.memory.log.size(), 10u);
}

TEST(AxiTarget, WriteDataMayComeBeforeItsAddress) {
    AxiSpec spec;
    AxiTargetCore target(spec);
    AxiInitiatorPins pins;
    target.edge(pins);
    pins.bready = true;
    pins.w.valid = true;
    for (unsigned n = 0; n < 4; ++n) {
        pins.w.data[0] = static_cast<uint8_t>(n);
        pins.w.strb = {};
        pins.w.strb.set_range(0, 4);
        pins.w.last = n == 3;
        ASSERT_TRUE(target.pins().wready);
        target.edge(pins);
    }
    pins.w.valid = false;
    for (int i = 0; i < 5; ++i)
        target.edge(pins);
    EXPECT_FALSE(target.has_request());
    EXPECT_NE(target.waiting_for().find("AW"), std::string::npos);
    pins.aw.valid = true;
    pins.aw.addr = 0x40;
    pins.aw.len = 3;
    pins.aw.size = 2;
    ASSERT_TRUE(target.pins().awready);
    target.edge(pins);
    ASSERT_TRUE(target.has_request());
    const BusRequest r = target.pop();
    EXPECT_EQ(r.address, 0x40u);
    ASSERT_EQ(r.length, 16u);
    for (unsigned n = 0; n < 4; ++n)
        EXPECT_EQ(r.data[4 * n], n);
}

TEST(AxiStatus, SlaveAndDecodeErrorsOfReadsAndWritesArriveAsWhatTheyAre) {
    for (const bool lite : {false, true}) {
        AxiSpec spec;
        spec.lite = lite;
        spec.stall_percent = 20;
        AxiBench bench(spec);
        bench.memory.error_from = 0x8000;
        bench.memory.decode_error_from = 0xC000;
        EXPECT_EQ(bench.run(read_of(1, 0x7FF0, 16)).status, BusStatus::Ok);
        EXPECT_EQ(bench.run(read_of(2, 0x8000, 16)).status, BusStatus::Error);
        EXPECT_EQ(bench.run(read_of(3, 0xC000, 16)).status, BusStatus::AddressError);
        EXPECT_EQ(bench.run(write_of(4, 0x8000, {1, 2, 3, 4})).status, BusStatus::Error);
        EXPECT_EQ(bench.run(write_of(5, 0xC000, {1, 2, 3, 4})).status, BusStatus::AddressError);
        EXPECT_EQ(bench.run(write_of(6, 0x7000, {1, 2, 3, 4})).status, BusStatus::Ok);
        // The first of several bursts that fails decides.
        EXPECT_EQ(bench.run(read_of(7, 0x7FFC, 8)).status, BusStatus::Error);
        EXPECT_EQ(bench.first_violation(), "");
    }
}

TEST(AxiStatus, AddressesBeyondThePinsAreRefusedUnsent) {
    AxiSpec spec;
    spec.address_bits = 16;
    AxiBench bench(spec);
    EXPECT_EQ(bench.run(read_of(1, 0x10000, 4)).status, BusStatus::AddressError);
    EXPECT_EQ(bench.run(read_of(2, 0xFFFE, 4)).status, BusStatus::AddressError);
    EXPECT_EQ(bench.run(read_of(3, ~uint64_t{1}, 4)).status, BusStatus::AddressError);
    EXPECT_EQ(bench.run(read_of(4, 0x100, 0)).status, BusStatus::BurstError);
    EXPECT_TRUE(bench.seen.empty());
}

TEST(AxiStatus, WithoutStrobesOnlyWholeWordsAreWritten) {
    AxiSpec spec;
    spec.has_strobes = false;
    AxiBench bench(spec);
    EXPECT_EQ(bench.run(write_of(1, 0x100, {1, 2, 3, 4, 5, 6, 7, 8})).status, BusStatus::Ok);
    EXPECT_EQ(bench.run(write_of(2, 0x101, {1, 2, 3, 4})).status, BusStatus::ByteEnableError);
    BusRequest holes = write_of(3, 0x100, {9, 9, 9, 9});
    holes.enable = {1, 0, 1, 1};
    EXPECT_EQ(bench.run(holes).status, BusStatus::ByteEnableError);
    EXPECT_EQ(bench.memory.bytes[0x101], 2);
}

TEST(AxiStatus, ExclusiveAccessesAreServedAsNormalOnesAndNotConfirmed) {
    AxiSpec spec;
    AxiBench bench(spec);
    BusRequest r = write_of(1, 0x100, {1, 2, 3, 4});
    r.attributes.lock = 1;
    const BusResponse done = bench.run(r);
    EXPECT_EQ(done.status, BusStatus::Ok);
    EXPECT_FALSE(done.exclusive_ok);
    r = read_of(2, 0xFFC, 8);  // two bursts
    r.attributes.lock = 1;
    EXPECT_EQ(bench.run(r).status, BusStatus::BurstError);
}

// A port without the optional pins (A10.3): what they would have said must hold by itself.
TEST(AxiOptionalPins, WithoutLengthSizeOrBurstTheirDefaultsHoldAndTrafficIsRight) {
    for (const unsigned missing : {1u, 2u, 4u, 7u, 6u}) {
        AxiSpec spec;
        spec.data_bits = 64;
        spec.has_length = (missing & 1) == 0;
        spec.has_size = (missing & 2) == 0;
        spec.has_burst = (missing & 4) == 0;
        AxiBench bench(spec, kBytes);
        AdapterRandom random(missing);
        std::vector<uint8_t> reference(kBytes);
        for (uint64_t tag = 1; tag <= 300;) {
            bench.cycle_once();
            const AxiInitiatorPins& p = bench.initiator.pins();
            for (const AxiAddressPins* a : {&p.aw, &p.ar}) {
                if (!a->valid)
                    continue;
                EXPECT_TRUE(spec.has_length || a->len == 0);
                EXPECT_TRUE(spec.has_size || a->size == 3);
                EXPECT_TRUE(spec.has_burst || a->burst == AxiBurst::Incr);
            }
            if (!bench.initiator.can_push())
                continue;
            const BusRequest r = random_request(random, spec, tag++, kBytes);
            for (uint32_t i = 0; r.write && i < r.length; ++i)
                if (r.enable.empty() || r.enable[i] != 0)
                    reference[r.address + (r.streaming != 0 ? i % r.streaming : i)] = r.data[i];
            bench.initiator.push(r);
        }
        ASSERT_TRUE(bench.drain());
        EXPECT_EQ(bench.first_violation(), "");
        EXPECT_TRUE(reference == bench.memory.bytes);
    }
}

TEST(AxiOptionalPins, AReadOnlyPortAnswersWritesWithAnErrorAndTheOtherWayRound) {
    AxiSpec spec;
    spec.has_write = false;
    AxiBench reader(spec);
    EXPECT_EQ(reader.run(write_of(1, 0, {1, 2, 3, 4})).status, BusStatus::Error);
    EXPECT_EQ(reader.run(read_of(2, 0, 4)).status, BusStatus::Ok);
    spec.has_write = true;
    spec.has_read = false;
    AxiBench writer(spec);
    EXPECT_EQ(writer.run(write_of(1, 0, {1, 2, 3, 4})).status, BusStatus::Ok);
    EXPECT_EQ(writer.run(read_of(2, 0, 4)).status, BusStatus::Error);
}

TEST(AxiReset, WhatIsOnTheBusFailsWithResetAndTheNextRequestsWork) {
    AxiSpec spec;
    spec.id_bits = 3;
    spec.ids = 8;
    spec.stall_percent = 20;
    AxiBench bench(spec, kBytes, 30);
    AdapterRandom random(9);
    uint64_t tag = 0;
    unsigned resets = 0, failed = 0, done = 0;
    for (int round = 0; round < 60; ++round) {
        for (unsigned n = 0; n < 20 + random.below(60); ++n) {
            if (bench.initiator.can_push())
                bench.initiator.push(random_request(random, bench.spec, ++tag, kBytes));
            bench.cycle_once();
        }
        for (unsigned n = 0; n < 1 + random.below(3); ++n)
            bench.cycle_once(true);
        ++resets;
        EXPECT_FALSE(bench.initiator.pins().aw.valid || bench.initiator.pins().ar.valid ||
                     bench.initiator.pins().w.valid || bench.target.pins().b.valid ||
                     bench.target.pins().r.valid);
    }
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.first_violation(), "");
    EXPECT_EQ(bench.responses.size(), tag);  // each answered once
    EXPECT_EQ(bench.order.size(), tag);
    for (const auto& [t, r] : bench.responses)
        ++(r.status == BusStatus::Reset ? failed : done);
    EXPECT_GT(failed, resets / 2);
    EXPECT_GT(done, 100u);
}

TEST(AxiTimeout, ADeadTargetFailsEveryRequestOnceAndLateAnswersAreDropped) {
    AxiSpec spec;
    spec.timeout = 200;
    spec.outstanding = 4;
    AxiSpec patient = spec;
    patient.timeout = 0;
    AxiInitiatorCore initiator(spec);
    AxiTargetCore target(patient);
    ReferenceMemory memory(kBytes, 1, 0);
    std::vector<BusResponse> got;
    std::vector<BusRequest> held;
    for (uint64_t tag = 1; tag <= 8; ++tag)
        initiator.push(tag % 2 != 0 ? read_of(tag, tag * 64, 16)
                                    : write_of(tag, tag * 64, {1, 2, 3, 4}));
    const auto cycle = [&] {
        const AxiInitiatorPins i = initiator.pins();
        const AxiTargetPins t = target.pins();
        initiator.edge(t);
        target.edge(i);
        while (target.has_request())
            held.push_back(target.pop());
        while (initiator.has_response())
            got.push_back(initiator.pop());
    };
    for (int n = 0; n < 400; ++n)
        cycle();
    ASSERT_EQ(got.size(), 8u);
    for (const BusResponse& r : got)
        EXPECT_EQ(r.status, BusStatus::Timeout);
    EXPECT_EQ(initiator.timeouts(), 8u);
    EXPECT_EQ(held.size(), 4u);  // the others never went out
    // It wakes up: what it still owes goes nowhere, and the port works again.
    for (const BusRequest& r : held)
        memory.serve(r);
    memory.step(target);
    for (int n = 0; n < 100; ++n)
        cycle();
    EXPECT_EQ(got.size(), 8u);
    EXPECT_TRUE(initiator.idle());
    initiator.push(read_of(9, 0x100, 4));
    for (int n = 0; n < 50; ++n) {
        cycle();
        for (const BusRequest& r : held)
            if (r.tag > 3)
                memory.serve(r);
        held.clear();
        memory.step(target);
    }
    ASSERT_EQ(got.size(), 9u);
    EXPECT_EQ(got.back().status, BusStatus::Ok);
}

TEST(AxiTimeout, ATargetWhoseMemoryIsSilentAnswersSlaveError) {
    AxiSpec spec;
    spec.timeout = 100;
    AxiBench bench(spec);
    bench.memory.silent = true;
    AxiSpec patient = spec;
    patient.timeout = 0;
    bench.initiator = AxiInitiatorCore(patient);
    bench.checker = AxiCheckerCore(patient);
    EXPECT_EQ(bench.run(read_of(1, 0, 64)).status, BusStatus::Error);
    EXPECT_EQ(bench.run(write_of(2, 0, {1, 2, 3, 4})).status, BusStatus::Error);
    EXPECT_EQ(bench.target.timeouts(), 2u);
    BusResponse late;
    late.tag = 0;
    bench.target.complete(late);  // dropped
    late.tag = 99;
    EXPECT_THROW(bench.target.complete(late), std::logic_error);
}

TEST(AxiTarget, ABurstThatAxiForbidsIsAnsweredSlaveErrorWithAllItsBeats) {
    AxiSpec spec;
    AxiTargetCore target(spec);
    AxiInitiatorPins pins;
    target.edge(pins);
    pins.ar.valid = true;
    pins.ar.addr = 0xFF0;
    pins.ar.len = 15;
    pins.ar.size = 2;
    pins.rready = true;
    unsigned beats = 0;
    for (int n = 0; n < 60; ++n) {
        const AxiTargetPins t = target.pins();
        if (t.r.valid) {
            ++beats;
            EXPECT_EQ(t.r.resp, AxiResp::SlvErr);
            EXPECT_EQ(t.r.last, beats == 16);
        }
        target.edge(pins);
        pins.ar.valid = false;
    }
    EXPECT_EQ(beats, 16u);
    EXPECT_FALSE(target.has_request());
}

TEST(AxiInitiator, AResponseToNothingStopsTheMachine) {
    AxiSpec spec;
    AxiInitiatorCore initiator(spec);
    initiator.edge({});
    AxiTargetPins t;
    t.b.valid = true;
    EXPECT_THROW(initiator.edge(t), MachineStop);
    t = {};
    t.r.valid = true;
    EXPECT_THROW(initiator.edge(t), MachineStop);
}

TEST(AxiSpecs, WhatCannotBeIsRefusedByName) {
    const auto problem = [](auto change) {
        AxiSpec spec;
        change(spec);
        return spec.problem();
    };
    EXPECT_EQ(problem([](AxiSpec&) {}), "");
    EXPECT_NE(problem([](AxiSpec& s) { s.data_bits = 48; }).find("data_bits"), std::string::npos);
    EXPECT_NE(problem([](AxiSpec& s) { s.data_bits = 2048; }).find("data_bits"), std::string::npos);
    EXPECT_NE(problem([](AxiSpec& s) {
                  s.lite = true;
                  s.data_bits = 128;
              }).find("Lite"),
              std::string::npos);
    EXPECT_NE(problem([](AxiSpec& s) { s.ids = 2; }).find("ids"), std::string::npos);
    EXPECT_NE(problem([](AxiSpec& s) { s.max_beats = 257; }).find("max_beats"), std::string::npos);
    EXPECT_NE(problem([](AxiSpec& s) { s.address_bits = 65; }).find("address"), std::string::npos);
    AxiSpec bad;
    bad.data_bits = 7;
    EXPECT_THROW(AxiInitiatorCore{bad}, std::invalid_argument);
    EXPECT_THROW(AxiTargetCore{bad}, std::invalid_argument);
    EXPECT_THROW(AxiCheckerCore{bad}, std::invalid_argument);
}

}  // namespace
}  // namespace archipelago::adapters
