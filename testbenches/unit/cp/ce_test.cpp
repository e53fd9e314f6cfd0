// SPDX-License-Identifier: Apache-2.0
// The constant engine between its channels: every packet, wait and illegal value of
// "Radeon Southern Islands Acceleration" 2.3, and the table of 2.5.15.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/common/memory_image.h"
#include "models/cp/ce_unit.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/registers/si/si_registers.h"

namespace archipelago::cp::test::ce_test {
namespace {

using Words = std::vector<uint32_t>;
constexpr uint64_t kData = 0x100000;  // 64 KiB are mapped
constexpr uint64_t kNowhere = 0x900000;

Words operator+(Words a, const Words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
Words packet(uint8_t opcode, const Words& body) {
    return Words{make_header(opcode, static_cast<uint32_t>(body.size()))} + body;
}
Words packet(const char* name, const Words& body) {
    return packet(si_opcode(name), body);
}
uint32_t lo(uint64_t x) {
    return static_cast<uint32_t>(x);
}
uint32_t hi(uint64_t x) {
    return static_cast<uint32_t>(x >> 32);
}
Words write_ram(uint32_t offset, const Words& data) {
    return packet("WRITE_CONST_RAM", Words{offset} + data);
}
Words write_offset(uint32_t offset, const Words& data) {
    return packet("WRITE_CONST_RAM_OFFSET", Words{offset} + data);
}
Words dump(uint32_t offset, uint32_t dwords, uint64_t address) {
    return packet("DUMP_CONST_RAM", {offset, dwords, lo(address), hi(address)});
}
Words load(uint64_t address, uint32_t dwords, uint32_t offset) {
    return packet("LOAD_CONST_RAM", {lo(address), hi(address), dwords, offset});
}
Words increment() {
    return packet("INCREMENT_CE_COUNTER", {0});
}
Words wait_de(uint64_t count) {
    return packet("WAIT_ON_DE_COUNTER", {lo(count), hi(count)});
}
Words wait_diff(uint32_t diff) {
    return packet("WAIT_ON_DE_COUNTER_DIFF", {diff});
}
Words set_counters(uint64_t count) {
    return packet("SET_CE_DE_COUNTERS", {lo(count), hi(count)});
}
Words set_base(uint32_t index, uint32_t cs1, uint32_t cs2) {
    return packet("SET_BASE", {index, cs1, cs2});
}
Words counting(uint32_t from, uint32_t n) {
    Words words(n);
    for (uint32_t i = 0; i < n; ++i)
        words[i] = from + i;
    return words;
}

struct Options {
    Spec spec = si_spec();
    unsigned latency = 20;
    bool out_of_order = false;
    unsigned stall_percent = 0;
    uint64_t shuffle = 0;
};

// PFP, ME and L2 around the unit.
class Bench : public Clocked {
  public:
    explicit Bench(const Options& o = {})
        : options(o), ce(o.spec), l2_({4, 1}, "l2"), grant_({4, 1}, "grant") {
        memory.map(kData, 0x10000);
        ce.to_l2.connect(l2_);
        ce.to_me.connect(grant_);
        l2_.set_consumer(this);
        grant_.set_consumer(this);
        for (auto& s : ce.stream)
            s.set_producer(this);
        ce.message.set_producer(this);
        ce.response.set_producer(this);
        scheduler.add(*this);
        scheduler.add(ce);
        if (o.shuffle != 0)
            scheduler.shuffle(o.shuffle);
        if (o.stall_percent != 0) {
            unsigned seed = 1;
            for (auto& s : ce.stream)
                s.random_stall(seed++, o.stall_percent);
            ce.message.random_stall(seed++, o.stall_percent);
            ce.response.random_stall(seed++, o.stall_percent);
            l2_.random_stall(seed++, o.stall_percent);
            grant_.random_stall(seed++, o.stall_percent);
        }
    }
    void put(const Words& words, unsigned ring = 0) {
        for (const uint32_t word : words)
            todo_[ring].push_back(word);
        wake_at(0);
    }
    void de(DeKind kind, unsigned ring = 0, unsigned buffer = 0, unsigned flags = 0) {
        messages_.push_back({static_cast<uint8_t>(ring), kind, static_cast<uint8_t>(buffer),
                             static_cast<uint8_t>(flags)});
        wake_at(0);
    }
    // Until nothing moves; whether the engine is idle then.
    bool run(Cycle cycles = 100000) {
        scheduler.run(scheduler.now() + cycles);
        return ce.idle();
    }
    bool run(const Words& words, unsigned ring = 0) {
        put(words, ring);
        return run();
    }
    uint32_t peek(uint64_t address) const {
        uint32_t value = 0;
        memory.read(address, &value, 4);
        return value;
    }
    void poke(uint64_t address, const Words& words) {
        memory.write(address, words.data(), 4 * words.size());
    }
    uint32_t ram(uint32_t address) const { return ce.core().ram()[address / 4]; }

    bool tick(Cycle now) override {
        bool progress = false;
        for (unsigned i = 0; i < kSiRings; ++i) {
            if (todo_[i].empty() || !ce.stream[i].can_push(now))
                continue;
            MeqEntry entry;
            entry.dword = todo_[i].front();
            todo_[i].pop_front();
            if (left_[i] == 0) {
                entry.first = true;
                entry.location.ring = static_cast<uint8_t>(i);
                entry.location.level = kConstantLevel;
                entry.location.base = 0x5000;
                entry.location.dword = at_[i];
                entry.location.vmid = static_cast<uint8_t>(i + 3);
                left_[i] = header_type(entry.dword) == 2 ? 0 : header_body_dwords(entry.dword);
            } else {
                --left_[i];
            }
            entry.location.vmid = static_cast<uint8_t>(i + 3);
            ++at_[i];
            ce.stream[i].push(now, entry);
            progress = true;
        }
        if (!messages_.empty() && ce.message.can_push(now)) {
            ce.message.push(now, messages_.front());
            messages_.pop_front();
            progress = true;
        }
        if (grant_.can_pop(now)) {
            grants.push_back(grant_.pop(now));
            grant_cycles.push_back(now);
            // DE with so many draws to make.
            const unsigned ring = grants.back().ring;
            if (draws[ring] != 0) {
                de(DeKind::Increment, ring);
                de(DeKind::IncrementDone, ring);
                if (--draws[ring] != 0)
                    de(DeKind::WaitCounter, ring);
            }
            progress = true;
        }
        if (l2_.can_pop(now)) {
            serve(now, l2_.pop(now));
            progress = true;
        }
        while (!waiting_.empty() && waiting_.front().first <= now && !hold) {
            // Out of order: the newest of those that are due first.
            size_t pick = 0;
            if (options.out_of_order)
                while (pick + 1 < waiting_.size() && waiting_[pick + 1].first <= now)
                    ++pick;
            if (!ce.response.can_push(now))
                break;
            ce.response.push(now, waiting_[pick].second);
            waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(pick));
            progress = true;
        }
        return progress;
    }
    void release() {
        hold = false;
        wake_at(0);
    }

    Options options;
    CeUnit ce;
    Scheduler scheduler;
    MemoryImage memory;
    std::vector<std::pair<Cycle, MemRequest>> requests;
    std::vector<CeGrant> grants;
    std::vector<Cycle> grant_cycles;
    bool hold = false;  // memory answers nothing
    unsigned draws[kSiRings] = {};

  private:
    void serve(Cycle now, const MemRequest& q) {
        requests.emplace_back(now, q);
        MemResponse r;
        r.tag = q.tag;
        r.line = q.line;
        r.command = q.command;
        Line line{};
        if (!memory.read(q.line, line.data(), kLineBytes)) {
            r.status = MemStatus::Unmapped;
        } else if (q.command == MemCommand::Read) {
            for (unsigned i = 0; i < kLineBytes; ++i)
                r.data[i] = (q.byte_mask >> i & 1) != 0 ? line[i] : 0xEE;
        } else {
            for (unsigned i = 0; i < kLineBytes; ++i)
                if ((q.byte_mask >> i & 1) != 0)
                    line[i] = q.data[i];
            memory.write(q.line, line.data(), kLineBytes);
        }
        // Lines of odd number take longer.
        const Cycle at =
            now + options.latency + (options.out_of_order ? (q.line / kLineBytes % 2) * 7 : 0);
        waiting_.emplace_back(at, r);
        std::stable_sort(waiting_.begin(), waiting_.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        wake_at(at);
    }

    Channel<MemRequest> l2_;
    Channel<CeGrant> grant_;
    std::deque<uint32_t> todo_[kSiRings];
    uint32_t left_[kSiRings] = {}, at_[kSiRings] = {};
    std::deque<DeMessage> messages_;
    std::vector<std::pair<Cycle, MemResponse>> waiting_;
};

std::string stop_of(const std::function<void()>& action, StopKind kind) {
    try {
        action();
    } catch (const MachineStop& stop) {
        EXPECT_EQ(to_string(stop.kind()), std::string(to_string(kind)));
        return stop.what();
    }
    return "no stop";
}
std::string stop_of(const Words& words, StopKind kind = StopKind::BadInput, unsigned ring = 0) {
    Bench b;
    return stop_of([&] { b.run(words, ring); }, kind);
}

// ---- writes and dumps ---------------------------------------------------------------------------

TEST(CeWrite, DataReachMemoryThroughADump) {
    Bench b;
    EXPECT_TRUE(b.run(write_ram(0x40, {1, 2, 3}) + dump(0x40, 3, kData + 0x100)));
    EXPECT_EQ(b.peek(kData + 0x100), 1u);
    EXPECT_EQ(b.peek(kData + 0x108), 3u);
    EXPECT_EQ(b.peek(kData + 0x10C), 0u);
    ASSERT_EQ(b.requests.size(), 1u);
    EXPECT_EQ(b.requests[0].second.byte_mask, 0xFFFu);
    EXPECT_EQ(b.requests[0].second.vmid, 3);
    EXPECT_EQ(b.requests[0].second.client, Client::CpCe);
}
TEST(CeWrite, OffsetsCountFromThePartitionOfTheRing) {
    Bench b;
    for (unsigned ring = 0; ring < kSiRings; ++ring)
        b.put(write_ram(0, {10 + ring}) + write_ram(0x3FFC, {20 + ring}) +
                  dump(0, 1, kData + 4 * ring),
              ring);
    EXPECT_TRUE(b.run());
    for (unsigned ring = 0; ring < kSiRings; ++ring)
        EXPECT_EQ(b.peek(kData + 4 * ring), 10 + ring);
    EXPECT_EQ(b.ram(0), 10u);
    EXPECT_EQ(b.ram(0x8000), 11u);
    EXPECT_EQ(b.ram(0xFFFC), 22u);
}
TEST(CeWrite, OffsetPacketAddsTheBaseOfTheGdsPartitionToTheData) {
    Bench b;
    for (unsigned ring = 0; ring < 3; ++ring)
        b.put(write_offset(4, {0x10, 0xFFFFFFFF}), ring);
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.ram(0x4), 0x10u);
    EXPECT_EQ(b.ram(0x8004), 0x10u) << "before SET_BASE 2 every ring has all of the GDS";
    EXPECT_EQ(b.ram(0xC004), 0x10u);
    EXPECT_TRUE(b.run(set_base(2, 0x400, 0x1000)));
    for (unsigned ring = 0; ring < 3; ++ring)
        b.put(write_offset(4, {0x10, 0xFFFFFFFF}), ring);
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.ram(0x4), 0x10u);
    EXPECT_EQ(b.ram(0x8004), 0x410u);
    EXPECT_EQ(b.ram(0x8008), 0x3FFu);
    EXPECT_EQ(b.ram(0xC004), 0x1010u);
}
TEST(CeWrite, WholePartitionCanBeWritten) {
    Bench b;
    EXPECT_TRUE(b.run(write_ram(0, counting(7, 0x2000)) + dump(0, 0x2000, kData)));
    for (uint32_t i = 0; i < 0x2000; ++i)
        ASSERT_EQ(b.peek(kData + 4 * i), 7 + i);
    EXPECT_EQ(b.requests.size(), 0x8000u / 64);
}
TEST(CeDump, LinesAreCutAtTheAddressWhateverTheOffset) {
    for (uint32_t offset = 0; offset < 64; offset += 4) {
        for (uint32_t at = 0; at < 64; at += 12) {
            Bench b;
            EXPECT_TRUE(
                b.run(write_ram(0, counting(0x100, 64)) + dump(offset, 33, kData + 0x200 + at)));
            for (uint32_t i = 0; i < 33; ++i)
                ASSERT_EQ(b.peek(kData + 0x200 + at + 4 * i), 0x100 + offset / 4 + i);
            EXPECT_EQ(b.peek(kData + 0x200 + at + 4 * 33), 0u);
            EXPECT_EQ(b.peek(kData + 0x200 + at - 4), 0u);
            EXPECT_EQ(b.requests.size(), (at / 4 + 33 + 15) / 16);
        }
    }
}
TEST(CeDump, OfNothingDoesNothing) {
    Bench b;
    EXPECT_TRUE(b.run(dump(0x7FFC, 0, kNowhere) + write_ram(0, {5})));
    EXPECT_TRUE(b.requests.empty());
    EXPECT_EQ(b.ram(0), 5u);
}
TEST(CeDump, TakesWhatIsThereWhenItRuns) {
    Bench b;
    b.hold = true;
    b.run(write_ram(0, {1}) + dump(0, 1, kData) + write_ram(0, {2}) + dump(0, 1, kData + 64));
    b.release();
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.peek(kData), 1u);
    EXPECT_EQ(b.peek(kData + 64), 2u);
}
TEST(CeDump, RamReadsAsZeroUntilWritten) {
    Bench b;
    b.poke(kData, {9, 9, 9, 9});
    EXPECT_TRUE(b.run(write_ram(4, {7}) + dump(0, 4, kData)));
    EXPECT_EQ(b.peek(kData), 0u);
    EXPECT_EQ(b.peek(kData + 4), 7u);
    EXPECT_EQ(b.peek(kData + 8), 0u);
}
TEST(CeDump, NoMoreLinesThanAllowedAreOnTheirWay) {
    Options o;
    o.spec.ce.dumps_in_flight = 3;
    Bench b(o);
    b.hold = true;
    b.run(dump(0, 16 * 8, kData));
    EXPECT_EQ(b.requests.size(), 3u);
    EXPECT_NE(b.ce.waiting_for().find("confirmation of dumped lines in DUMP_CONST_RAM at ring gfx, "
                                      "constant IB 0x5000 dword 0"),
              std::string::npos)
        << b.ce.waiting_for();
    b.release();
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.requests.size(), 8u);
}

// ---- loads --------------------------------------------------------------------------------------

TEST(CeLoad, FillsTheRamFromAnyHalfLineToAnyHalfLine) {
    for (const uint32_t at : {0u, 32u}) {
        for (const uint32_t offset : {0u, 32u, 64u, 96u}) {
            for (const uint32_t dwords : {8u, 16u, 24u, 40u}) {
                Bench b;
                b.poke(kData, counting(0x1000, 128));
                EXPECT_TRUE(b.run(load(kData + at, dwords, offset)));
                for (uint32_t i = 0; i < 64; ++i) {
                    const bool in = 4 * i >= offset && 4 * i < offset + 4 * dwords;
                    ASSERT_EQ(b.ram(4 * i), in ? 0x1000 + at / 4 + i - offset / 4 : 0);
                }
            }
        }
    }
}
TEST(CeLoad, GoesToThePartitionAndEndsWithTheLastLine) {
    Options o;
    o.out_of_order = true;
    Bench b(o);
    b.poke(kData, counting(1, 0x1000));
    b.run(load(kData, 0x1000, 0) + dump(0, 0x1000, kData + 0x8000), 1);
    EXPECT_TRUE(b.ce.idle());
    for (uint32_t i = 0; i < 0x1000; ++i)
        ASSERT_EQ(b.peek(kData + 0x8000 + 4 * i), 1 + i);
    EXPECT_EQ(b.ram(0x8000), 1u);
}
TEST(CeLoad, SeesWhatTheRingDumpedBefore) {
    Bench b;
    EXPECT_TRUE(
        b.run(write_ram(0, counting(50, 16)) + dump(0, 16, kData) + load(kData, 16, 0x100)));
    EXPECT_EQ(b.ram(0x100), 50u);
    EXPECT_EQ(b.ram(0x13C), 65u);
    ASSERT_EQ(b.requests.size(), 2u);
    EXPECT_GE(b.requests[1].first - b.requests[0].first, b.options.latency);
}
TEST(CeLoad, OfNothingDoesNothing) {
    Bench b;
    EXPECT_TRUE(b.run(load(kNowhere, 0, 0) + write_ram(0, {1})));
    EXPECT_TRUE(b.requests.empty());
}
TEST(CeLoad, NoMoreLinesThanAllowedAreOnTheirWay) {
    Options o;
    o.spec.ce.loads_in_flight = 2;
    Bench b(o);
    b.hold = true;
    b.run(load(kData, 16 * 5, 0));
    EXPECT_EQ(b.requests.size(), 2u);
    EXPECT_NE(b.ce.waiting_for().find("loaded data in LOAD_CONST_RAM"), std::string::npos);
    b.release();
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.requests.size(), 5u);
}

// ---- partitions ---------------------------------------------------------------------------------

TEST(CePartition, SetBaseMovesTheBoundaries) {
    Bench b;
    b.run(set_base(3, 0xC000, 0xE000));
    b.put(write_ram(0xBFFC, {1}), 0);
    b.put(write_ram(0, {2}), 1);
    b.put(write_ram(0, {3}), 2);
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.ram(0xBFFC), 1u);
    EXPECT_EQ(b.ram(0xC000), 2u);
    EXPECT_EQ(b.ram(0xE000), 3u);
}
TEST(CePartition, IllegalBoundariesStop) {
    EXPECT_EQ(stop_of(set_base(3, 0x20, 0xE000)),
              "ring gfx, constant IB 0x5000 dword 0: packet SET_BASE with partitions at 0x20 and "
              "0xe000: must be in order and multiples of 64");
    EXPECT_NE(stop_of(set_base(3, 0, 0xE004)).find("at 0x0 and 0xe004"), std::string::npos);
    EXPECT_NE(stop_of(set_base(3, 0x80, 0x40)).find("in order"), std::string::npos);
    EXPECT_NE(stop_of(set_base(2, 0x80, 0x40)).find("in order"), std::string::npos);
    EXPECT_EQ(stop_of(set_base(1, 0x40, 0x80)),
              "ring gfx, constant IB 0x5000 dword 0: packet SET_BASE with BASE_INDEX 1, which is "
              "not the constant engine's");
}
TEST(CePartition, AccessesBeyondItStop) {
    EXPECT_EQ(stop_of(write_ram(0x7FFC, {1, 2})),
              "ring gfx, constant IB 0x5000 dword 0: packet WRITE_CONST_RAM reaches to 0x8004, "
              "beyond the ring's partition of CE RAM");
    EXPECT_NE(stop_of(write_offset(0x4000, {1}), StopKind::BadInput, 1).find("reaches to 0x4004"),
              std::string::npos);
    EXPECT_NE(stop_of(dump(0, 0x1001, kData), StopKind::BadInput, 2).find("reaches to 0x4004"),
              std::string::npos);
    EXPECT_NE(stop_of(load(kData, 0x7FF8, 0)).find("LOAD_CONST_RAM reaches to 0x1ffe0"),
              std::string::npos);
    EXPECT_NE(stop_of(dump(0xFFFC, 0, kData)).find("reaches to 0xfffc"), std::string::npos);
}

// ---- illegal fields and packets -----------------------------------------------------------------

TEST(CeStops, MisalignedFieldsAreNamed) {
    EXPECT_EQ(stop_of(write_ram(2, {1})),
              "ring gfx, constant IB 0x5000 dword 0: packet WRITE_CONST_RAM with misaligned value "
              "0x2");
    EXPECT_NE(stop_of(dump(1, 1, kData)).find("value 0x1"), std::string::npos);
    EXPECT_NE(stop_of(dump(0, 1, kData + 2)).find("value 0x100002"), std::string::npos);
    EXPECT_NE(stop_of(load(kData + 16, 8, 0)).find("value 0x100010"), std::string::npos);
    EXPECT_NE(stop_of(load(kData, 4, 0)).find("value 0x4"), std::string::npos);
    EXPECT_NE(stop_of(load(kData, 8, 16)).find("value 0x10"), std::string::npos);
}
TEST(CeStops, ForeignPacketsAreNamed) {
    EXPECT_EQ(stop_of(packet("WRITE_DATA", {0, 0, 0, 0}), StopKind::Unimplemented),
              "ring gfx, constant IB 0x5000 dword 0: packet WRITE_DATA in the constant engine "
              "(header 0xc0033700) is not implemented");
    EXPECT_NE(stop_of(packet(0x99, {0}), StopKind::Unimplemented).find("header 0xc0009900"),
              std::string::npos);
    EXPECT_NE(stop_of({0x00000123, 0}).find("type-0 packet header 0x00000123"), std::string::npos);
    EXPECT_NE(stop_of({0x40000123, 0}).find("type-1 packet header"), std::string::npos);
}
TEST(CeStops, WrongSizesAreNamed) {
    EXPECT_EQ(stop_of(packet("DUMP_CONST_RAM", {0, 0, 0})),
              "ring gfx, constant IB 0x5000 dword 0: packet DUMP_CONST_RAM has 3 body dwords");
    EXPECT_NE(stop_of(packet("WRITE_CONST_RAM", {0})).find("1 body dwords"), std::string::npos);
    EXPECT_NE(stop_of(packet("INCREMENT_CE_COUNTER", {0, 0})).find("2 body dwords"),
              std::string::npos);
}
TEST(CeStops, FaultsNameThePacketThatMadeThem) {
    EXPECT_EQ(
        stop_of(write_ram(0, {1}) + dump(0, 1, kNowhere) + packet("NOP", Words(100, 0)),
                StopKind::Fault),
        "ring gfx, constant IB 0x5000 dword 3: DUMP_CONST_RAM to unmapped address 0x900000 of "
        "VMID 3");
    EXPECT_EQ(stop_of(load(kNowhere + 32, 8, 0), StopKind::Fault, 1),
              "ring compute0, constant IB 0x5000 dword 0: LOAD_CONST_RAM from unmapped address "
              "0x900000 of VMID 4");
}
TEST(CeStops, UnsolicitedAnswersBreakTheProtocol) {
    Bench b;
    b.run(write_ram(0, {1}));
    MemResponse r;
    r.tag = 4;
    EXPECT_EQ(stop_of(
                  [&] {
                      b.ce.response.push(b.scheduler.now(), r);
                      b.run();
                  },
                  StopKind::Protocol),
              "cp.ce: unsolicited memory response (tag 0x4)");
}
TEST(CeStops, MessagesAgainstTheRulesBreakTheProtocol) {
    Bench b;
    b.de(DeKind::WaitCounter);
    b.de(DeKind::WaitBuffer);
    EXPECT_EQ(stop_of([&] { b.run(); }, StopKind::Protocol),
              "cp.ce: message of DE breaks the rules: ring 0 kind 1 buffer 0 flags 0");
}
TEST(CeFiller, NopsAndType2AreSkipped) {
    Bench b;
    EXPECT_TRUE(b.run(Words{0x80000000, 0x80000000} + packet("NOP", Words(50, 0xDEAD)) +
                      write_ram(0, {3})));
    EXPECT_EQ(b.ram(0), 3u);
}

// ---- counters -----------------------------------------------------------------------------------

TEST(CeCounter, DeWaitsUntilTheWritesBeforeTheIncrementAreConfirmed) {
    Bench b;
    b.de(DeKind::WaitCounter);
    b.put(write_ram(0, {1}) + dump(0, 40, kData) + increment());
    EXPECT_TRUE(b.run());
    ASSERT_EQ(b.grants.size(), 1u);
    EXPECT_EQ(b.grants[0].ring, 0);
    EXPECT_EQ(b.grants[0].kind, DeKind::WaitCounter);
    EXPECT_GT(b.grant_cycles[0], b.requests.back().first + b.options.latency);
}
TEST(CeCounter, IncrementDoesNotHoldTheEngine) {
    Bench b;
    b.hold = true;
    b.de(DeKind::WaitCounter);
    b.run(dump(0, 16, kData) + increment() + write_ram(0, {8}));
    EXPECT_EQ(b.ram(0), 8u);
    EXPECT_TRUE(b.grants.empty());
    EXPECT_FALSE(b.ce.idle());
    b.release();
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.grants.size(), 1u);
}
TEST(CeCounter, CountsDownWithDeAndNeverBelowZero) {
    Bench b;
    b.de(DeKind::Increment);
    b.run();
    b.run(increment() + increment());
    EXPECT_EQ(b.ce.core().state().rings[0].ce_counter, 2u);
    b.de(DeKind::WaitCounter);
    b.run();
    EXPECT_EQ(b.grants.size(), 1u);
    for (int i = 0; i < 3; ++i)
        b.de(DeKind::Increment);
    b.de(DeKind::WaitCounter);
    EXPECT_FALSE(b.run());
    EXPECT_EQ(b.grants.size(), 1u);
    EXPECT_TRUE(b.run(increment()));
    EXPECT_EQ(b.grants.size(), 2u);
}
TEST(CeCounter, RingsCountApart) {
    Bench b;
    b.de(DeKind::WaitCounter, 0);
    b.de(DeKind::WaitCounter, 2);
    b.run(increment(), 1);
    EXPECT_TRUE(b.grants.empty());
    b.run(increment(), 2);
    ASSERT_EQ(b.grants.size(), 1u);
    EXPECT_EQ(b.grants[0].ring, 2);
}
TEST(CeCounter, SetsCountInOrderWhenConfirmationsComeOutOfOrder) {
    Options o;
    o.out_of_order = true;
    o.latency = 40;
    Bench b(o);
    // The first set's line comes back last.
    b.put(dump(0, 1, kData + 64) + increment() + dump(0, 1, kData) + increment());
    b.de(DeKind::WaitCounter);
    EXPECT_TRUE(b.run());
    ASSERT_EQ(b.requests.size(), 2u);
    EXPECT_GT(b.grant_cycles.at(0), b.requests[0].first + o.latency + 7);
    EXPECT_EQ(b.ce.core().state().rings[0].ce_counter, 2u);
}
TEST(CeCounter, SoManySetsMayWaitForTheirWrites) {
    Options o;
    o.spec.ce.sets_in_flight = 3;
    Bench b(o);
    b.hold = true;
    const Words set = dump(0, 1, kData) + increment();
    b.run(set + set + set + write_ram(0, {1}));
    EXPECT_EQ(b.ram(0), 0u);
    EXPECT_NE(b.ce.waiting_for().find("sets of constants to be in memory in INCREMENT_CE_COUNTER"),
              std::string::npos);
    b.release();
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.ram(0), 1u);
    EXPECT_EQ(b.ce.core().state().rings[0].ce_counter, 3u);
}
TEST(CeCounter, WaitOnDeCounterEndsWhenDeIsThere) {
    Bench b;
    EXPECT_FALSE(b.run(set_counters(0x1FFFFFFFF) + wait_de(0x200000001) + write_ram(0, {1})));
    b.de(DeKind::IncrementDone);
    EXPECT_FALSE(b.run());
    EXPECT_EQ(b.ram(0), 0u);
    EXPECT_NE(b.ce.waiting_for().find("CE waits for the DE counter in WAIT_ON_DE_COUNTER"),
              std::string::npos);
    b.de(DeKind::IncrementDone);
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.ram(0), 1u);
}
TEST(CeCounter, WaitOnDeCounterDiffEndsWhenTheDifferenceIsSmaller) {
    Bench b;
    EXPECT_FALSE(b.run(increment() + increment() + wait_diff(2) + write_ram(0, {1})));
    EXPECT_EQ(b.ram(0), 0u);
    b.de(DeKind::IncrementDone);
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.ram(0), 1u);
    // A DE that is ahead: the difference wraps.
    b.de(DeKind::IncrementDone);
    b.de(DeKind::IncrementDone);
    EXPECT_FALSE(b.run(wait_diff(0xFFFFFFFF)));
    EXPECT_NE(b.ce.waiting_for().find("DE to catch up"), std::string::npos);
}
TEST(CeCounter, SetStartsTheOtherBufferAndWaitsUntilDeHasLeftIt) {
    Bench b;
    EXPECT_TRUE(b.run(set_counters(5)));
    EXPECT_TRUE(b.run(set_counters(50)));
    EXPECT_EQ(b.ce.core().state().rings[0].ce_flags, 3);
    EXPECT_FALSE(b.run(set_counters(500) + wait_de(500) + write_ram(0, {1})));
    EXPECT_NE(b.ce.waiting_for().find("DE to leave the other buffer"), std::string::npos);
    b.de(DeKind::IncrementDone, 0, 1);
    b.de(DeKind::IncrementDone, 0, 0, 1);  // the last one of buffer 0
    EXPECT_TRUE(b.run());
    EXPECT_EQ(b.ram(0), 1u);
    EXPECT_EQ(b.ce.core().state().rings[0].de_count[0], 500u);
    EXPECT_EQ(b.ce.core().state().rings[0].de_count[1], 51u);
}

// ---- WAIT_ON_AVAIL_BUFFER -----------------------------------------------------------------------

TEST(CeAvailBuffer, TableOfTheDocument) {
    using A = BufferAction;
    const A table[16] = {
        A::Wait,  A::Invalid, A::Invalid, A::Invalid,  // CE has none
        A::Take0, A::Wait,    A::Invalid, A::Invalid,  // CE on buffer 0
        A::Take1, A::Invalid, A::Wait,    A::Invalid,  // CE on buffer 1
        A::Take0, A::Take1,   A::Take0,   A::Wait,     // CE on both
    };
    for (unsigned ce = 0; ce < 4; ++ce)
        for (unsigned de = 0; de < 4; ++de)
            EXPECT_EQ(buffer_action(ce, de, 0), table[4 * ce + de]) << ce << " " << de;
    EXPECT_EQ(buffer_action(3, 0, 1), A::Take1);  // buffer 1 was set first
    EXPECT_EQ(buffer_action(3, 1, 1), A::Take1);
}
TEST(CeAvailBuffer, DeIsNotAheadOfTheCe) {
    Bench b;
    b.de(DeKind::WaitBuffer);
    EXPECT_FALSE(b.run());
    EXPECT_TRUE(b.grants.empty());
    EXPECT_TRUE(b.run(set_counters(1)));
    ASSERT_EQ(b.grants.size(), 1u);
    EXPECT_EQ(b.grants[0].kind, DeKind::WaitBuffer);
    EXPECT_EQ(b.grants[0].buffer, 0);
}
TEST(CeAvailBuffer, BuffersAreGivenInTheOrderTheCeSetThem) {
    Bench b;
    b.run(set_counters(1) + set_counters(2));
    b.de(DeKind::WaitBuffer);
    b.run();
    b.de(DeKind::WaitBuffer, 0, 0, 1);
    b.run();
    ASSERT_EQ(b.grants.size(), 2u);
    EXPECT_EQ(b.grants[0].buffer, 0);
    EXPECT_EQ(b.grants[1].buffer, 1);
    // Both are active: DE waits until the CE sets one again.
    b.de(DeKind::WaitBuffer, 0, 0, 3);
    EXPECT_FALSE(b.run());
    b.de(DeKind::Release, 0, 0);
    EXPECT_FALSE(b.run());
    EXPECT_TRUE(b.run(set_counters(3)));
    ASSERT_EQ(b.grants.size(), 3u);
    EXPECT_EQ(b.grants[2].buffer, 0);
}
TEST(CeAvailBuffer, OlderBufferIsOneAfterAnExchange) {
    Bench b;
    b.run(set_counters(1) + set_counters(2));
    b.de(DeKind::Release, 0, 0);
    b.run(set_counters(3));
    b.de(DeKind::WaitBuffer, 0, 0, 0);
    b.run();
    ASSERT_EQ(b.grants.size(), 1u);
    EXPECT_EQ(b.grants[0].buffer, 1);
}
TEST(CeAvailBuffer, InvalidStatesStopByName) {
    // CE flags by how many SET_CE_DE_COUNTERS ran and whether buffer 0 was left.
    for (unsigned ce = 0; ce < 4; ++ce) {
        for (unsigned de = 0; de < 4; ++de) {
            Bench b;
            if (ce != 0)
                b.run(set_counters(0));
            if (ce >= 2)
                b.run(set_counters(0));
            if (ce == 2)
                b.de(DeKind::Release, 0, 0);
            b.de(DeKind::WaitBuffer, 0, 0, de);
            const bool invalid = (de & ~ce) != 0;
            const std::string text = stop_of([&] { b.run(); }, StopKind::BadInput);
            EXPECT_EQ(text != "no stop", invalid) << ce << " " << de;
            if (invalid) {
                EXPECT_EQ(text,
                          "ring gfx: packet WAIT_ON_AVAIL_BUFFER: buffer flags CE1 CE0 DE1 "
                          "DE0 = " +
                              std::to_string(ce >> 1) + std::to_string(ce & 1) +
                              std::to_string(de >> 1) + std::to_string(de & 1) +
                              ": DE has a buffer that the constant engine has not");
            }
        }
    }
}

// ---- time ---------------------------------------------------------------------------------------

// Cycles from the first dword at the stream to the first request of a dump after a write.
Cycle cycles_to_dump(unsigned dwords, const Spec& spec) {
    Options o;
    o.spec = spec;
    Bench b(o);
    b.scheduler.step(0);
    const Cycle start = b.scheduler.now() + 1;
    b.run(write_ram(0, counting(0, dwords)) + dump(0, 1, kData));
    return b.requests.at(0).first - start;
}
TEST(CeTiming, PacketTakesItsDwordsAndItsMicrocode) {
    Spec spec = si_spec();
    spec.ce.packet_cycles = 5;
    // Stream; header, offset, microcode, data; header, four dwords, microcode; the way to L2.
    const Cycle expected = spec.ce.stream.latency + 2 + 5 + 10 + 5 + 5 + 1;
    EXPECT_EQ(cycles_to_dump(10, spec), expected);
    spec.ce.packet_cycles = 7;
    EXPECT_EQ(cycles_to_dump(10, spec), expected + 4);
    EXPECT_EQ(cycles_to_dump(20, spec), expected + 14);
}
TEST(CeTiming, DumpSendsALineEveryCycle) {
    Bench b;
    b.run(dump(0, 16 * 16, kData));
    ASSERT_EQ(b.requests.size(), 16u);
    EXPECT_EQ(b.requests.back().first - b.requests.front().first, 15u);
}
TEST(CeTiming, RingThatWaitsGivesTheEngineAway) {
    Bench b;
    b.put(wait_de(1), 0);
    b.put(write_ram(0, {1}), 1);
    EXPECT_FALSE(b.run());
    EXPECT_EQ(b.ram(0x8000), 1u);
    b.de(DeKind::IncrementDone);
    EXPECT_TRUE(b.run());
}
TEST(CeTiming, WaitingItSleeps) {
    Bench b;
    b.run(wait_de(1));
    const uint64_t before = b.scheduler.steps();
    b.run();
    EXPECT_LE(b.scheduler.steps() - before, 2u);
}

// A program of all rings with every packet, and DE's side of it.
void load_program(Bench& b) {
    b.poke(kData, counting(0x5000, 0x400));
    for (unsigned ring = 0; ring < kSiRings; ++ring) {
        const uint64_t to = kData + 0x2000 + 0x1000 * ring;
        for (uint32_t i = 0; i < 6; ++i) {
            b.put(write_ram(4 * i, counting(100 * ring + 10 * i, 20)) +
                      write_offset(0x200 + 4 * i, {i, 2 * i}) + load(kData + 32 * i, 24, 0x400) +
                      dump(4 * i, 200 + i, to + 4 * i) + increment() + packet("NOP", {0, 0}) +
                      wait_diff(3) + dump(0x400, 24, to + 0x800 + 96 * i) + increment() +
                      wait_de(i),
                  ring);
        }
        b.draws[ring] = 12;
        b.de(DeKind::WaitCounter, ring);
    }
}
std::vector<uint32_t> contents(const Bench& b) {
    std::vector<uint32_t> all(0x4000);
    b.memory.read(kData, all.data(), 0x10000);
    return all;
}
TEST(CeContract, OrderOfTicksChangesNoCycle) {
    Options o;
    Bench plain(o);
    load_program(plain);
    ASSERT_TRUE(plain.run());
    for (uint64_t seed = 1; seed < 6; ++seed) {
        o.shuffle = seed;
        Bench b(o);
        load_program(b);
        ASSERT_TRUE(b.run());
        ASSERT_EQ(b.requests.size(), plain.requests.size());
        for (size_t i = 0; i < b.requests.size(); ++i)
            ASSERT_EQ(b.requests[i].first, plain.requests[i].first);
        EXPECT_EQ(contents(b), contents(plain));
    }
}
TEST(CeContract, RandomStallsChangeNoResult) {
    Bench plain;
    load_program(plain);
    ASSERT_TRUE(plain.run());
    for (const bool out_of_order : {false, true}) {
        for (const unsigned percent : {10u, 50u, 80u}) {
            Options o;
            o.stall_percent = percent;
            o.out_of_order = out_of_order;
            Bench b(o);
            load_program(b);
            ASSERT_TRUE(b.run(1000000)) << b.ce.waiting_for();
            EXPECT_EQ(contents(b), contents(plain));
        }
    }
}
TEST(CeContract, CountersAddUp) {
    Bench b;
    StatsRegistry stats;
    b.ce.register_stats(stats, "cp.ce");
    b.poke(kData, counting(0, 64));
    b.run(write_ram(0, counting(0, 20)) + dump(0, 20, kData + 0x100) + load(kData, 16, 0) +
          increment() + packet("NOP", {0}));
    b.de(DeKind::WaitCounter);
    b.run();
    const auto value = [&](const std::string& name) {
        for (const Counter& c : stats.counters())
            if (c.name == name)
                return *c.value;
        return ~uint64_t{0};
    };
    EXPECT_EQ(value("packets_write"), 1u);
    EXPECT_EQ(value("packets_dump"), 1u);
    EXPECT_EQ(value("packets_load"), 1u);
    EXPECT_EQ(value("packets_increment"), 1u);
    EXPECT_EQ(value("packets_nop"), 1u);
    EXPECT_EQ(value("dwords"), 22u + 5 + 5 + 2 + 2);
    EXPECT_EQ(value("dump_lines"), 2u);
    EXPECT_EQ(value("dump_bytes"), 80u);
    EXPECT_EQ(value("load_lines"), 1u);
    EXPECT_EQ(value("load_bytes"), 64u);
    EXPECT_EQ(value("grants"), 1u);
    EXPECT_EQ(value("stall_dumps") + value("stall_loads") > 30, true);
    b.ce.reset();
    EXPECT_EQ(value("dwords"), 0u);
}

TEST(CeSpecTest, ProblemsAreNamed) {
    EXPECT_TRUE(CeSpec{}.problems().empty());
    CeSpec spec;
    spec.sets_in_flight = 1;
    spec.cs1_base = 0x20;
    EXPECT_EQ(spec.problems().size(), 2u);
    EXPECT_NE(spec.problems()[0].find("ce.sets_in_flight"), std::string::npos);
}

}  // namespace
}  // namespace archipelago::cp::test::ce_test
