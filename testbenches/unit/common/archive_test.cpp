// SPDX-License-Identifier: Apache-2.0
#include "models/common/archive.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "models/common/arbiter.h"
#include "models/common/channel.h"
#include "models/common/error.h"
#include "models/common/memory_image.h"
#include "models/common/stall_cycles.h"
#include "models/common/wire.h"

namespace archipelago {
namespace {

enum class Phase : uint8_t { Idle, Busy };

struct Inner {
    uint16_t a = 0;
    Phase phase = Phase::Idle;
    std::deque<bool> flags;
};
struct Held {
    bool on = false;
    std::array<Inner, 2> inner;
    std::vector<uint64_t> numbers;
    std::map<uint32_t, Inner> by_key;
    std::optional<int32_t> maybe;
    std::string text;
    const char* row = nullptr;
    static constexpr size_t kFields = 7;
};
struct Counted {
    explicit Counted(unsigned n) : entries(n) {}
    std::vector<Inner> entries;
    uint32_t words[2] = {};
    static constexpr size_t kFields = 2;
};
static_assert(field_count<Inner>() == 3);

template <class T>
std::string saved(T& value, const std::string& name = "block") {
    Archive a;
    a.block(name, [&] { a(value); });
    return a.bytes();
}
template <class T>
void restore(const std::string& bytes, T& value, const std::string& name = "block") {
    Archive a(bytes, "file");
    a.block(name, [&] { a(value); });
}
std::string error_of(const std::function<void()>& what) {
    try {
        what();
    } catch (const ArchiveError& error) {
        return error.what();
    }
    return "none";
}

Held some() {
    Held held;
    held.on = true;
    held.inner[1] = {7, Phase::Busy, {true, false, true}};
    held.numbers = {1, ~uint64_t{0}};
    held.by_key[5] = {9, Phase::Busy, {}};
    held.maybe = -3;
    held.text = "text";
    held.row = "a row of a table";
    return held;
}

TEST(Archive, AStructComesBackAsItWas) {
    Held held = some();
    const std::string bytes = saved(held);
    Held back;
    restore(bytes, back);
    EXPECT_TRUE(back.on);
    EXPECT_EQ(back.inner[1].a, 7);
    EXPECT_EQ(back.inner[1].phase, Phase::Busy);
    EXPECT_EQ(back.inner[1].flags, held.inner[1].flags);
    EXPECT_EQ(back.numbers, held.numbers);
    EXPECT_EQ(back.by_key.at(5).a, 9);
    EXPECT_EQ(back.maybe, -3);
    EXPECT_EQ(back.text, "text");
    EXPECT_EQ(back.row, nullptr) << "a row belongs to work in flight";
    EXPECT_EQ(saved(back), bytes);
}

TEST(Archive, WhatWasThereBeforeIsGone) {
    Held held;
    const std::string bytes = saved(held);
    Held back = some();
    back.numbers.clear();  // what is not empty in a fresh block has its size from the Spec
    back.inner[1].flags.clear();
    restore(bytes, back);
    EXPECT_FALSE(back.on);
    EXPECT_TRUE(back.by_key.empty());
    EXPECT_FALSE(back.maybe.has_value());
}

TEST(Archive, AVectorSizedByTheSpecKeepsItsSize) {
    Counted two(2), three(3);
    const std::string bytes = saved(two);
    EXPECT_NE(error_of([&] { restore(bytes, three); }).find("2 elements, the chip's 3"),
              std::string::npos);
}

TEST(Archive, AStructWithAnotherFieldIsRefused) {
    struct Older {
        uint32_t a = 1, b = 2;
    };
    struct Newer {
        uint16_t a = 0, b = 0, c = 0, d = 0;  // as many bytes
    };
    Older older;
    Newer newer;
    const std::string bytes = saved(older);
    EXPECT_NE(error_of([&] { restore(bytes, newer); }).find("other fields"), std::string::npos);
    uint64_t longer[2] = {};
    EXPECT_NE(error_of([&] { restore(bytes, longer); }).find("it ends in field 1"),
              std::string::npos);
    uint32_t shorter = 0;
    EXPECT_NE(error_of([&] { restore(bytes, shorter); }).find("4 bytes more"), std::string::npos);
}

TEST(Archive, ABlockThatIsNotThereIsNamed) {
    Held held;
    const std::string bytes = saved(held, "cp");
    EXPECT_NE(error_of([&] { restore(bytes, held, "spi"); }).find("no block spi"),
              std::string::npos);
    const Archive a(bytes, "file");
    EXPECT_EQ(a.unvisited(), std::vector<std::string>{"cp"});
}

TEST(Archive, EveryTruncatedFileIsRefusedWithItsPlace) {
    Held held = some();
    const std::string bytes = saved(held);
    for (size_t size = 0; size < bytes.size(); ++size)
        EXPECT_NE(error_of([&] { Archive(bytes.substr(0, size), "file"); }).find("file: byte "),
                  std::string::npos)
            << size;
}

TEST(Archive, EveryChangedBitIsRefusedWithItsPlace) {
    Held held = some();
    const std::string bytes = saved(held);
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string changed = bytes;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
        const std::string error = error_of([&] {
            Held back;
            restore(changed, back);
        });
        EXPECT_NE(error.find("file: "), std::string::npos) << bit;
    }
}

// After a good checksum there may be anything: no count may be believed.
TEST(Archive, RandomBytesInABlockNeverCrash) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string noise(random() % 200, '\0');
        for (char& byte : noise)
            byte = static_cast<char>(random() % 4 == 0 ? random() : 0);
        Archive a;
        std::array<char, 200> raw{};
        noise.copy(raw.data(), noise.size());
        a.block("block", [&] { a(raw); });
        EXPECT_NE(error_of([&] {
                      Held back;
                      restore(a.bytes(), back);
                  }),
                  "none");
    }
}

TEST(Archive, ABlockThatIsNotAtRestIsNamed) {
    Channel<int> channel({2, 1}, "in");
    channel.push(1, 5);
    try {
        saved(channel, "cp");
        FAIL() << "a message would be lost";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Unimplemented);
        EXPECT_EQ(std::string(stop.what()), "cp: a checkpoint while it is not at rest: in");
    }
}

TEST(Archive, AnEmptyChannelGoesOnAsItWould) {
    Channel<int> channel({1, 1}, "in"), back({1, 1}, "in");
    channel.push(1, 5);
    channel.pop(2);
    restore(saved(channel), back);
    EXPECT_EQ(back.pushes(), 1u);
    EXPECT_FALSE(back.can_push(2)) << "the slot is free in the next cycle";
    EXPECT_TRUE(back.can_push(3));
}

TEST(Archive, PartsOfBlocksComeBack) {
    RoundRobin turn(4), turn_back(4);
    turn.grant(2);
    restore(saved(turn), turn_back);
    EXPECT_EQ(turn_back.pick(0xF), 3);

    Wire<bool> wire, wire_back;
    wire.set(5, true);
    restore(saved(wire), wire_back);
    EXPECT_FALSE(wire_back.get(5));
    EXPECT_TRUE(wire_back.get(6));

    enum class Reason : uint8_t { None, Full, kCount };
    StallCycles<Reason> stalls, stalls_back;
    stalls.note(10, Reason::Full);
    restore(saved(stalls), stalls_back);
    stalls_back.note(15, Reason::None);
    EXPECT_EQ(*stalls_back.counter(Reason::Full), 5u);
}

TEST(Archive, MemoryComesBackWithItsPages) {
    MemoryImage memory, back;
    memory.map(0x1000, 0x3000);
    memory.map(0x100000, 0x1000);
    const uint32_t value = 0xdeadbeef;
    memory.write(0x2ffc, &value, 4);
    const std::string bytes = saved(memory);
    EXPECT_LT(bytes.size(), 5000u) << "pages of zeros take next to nothing";
    restore(bytes, back);
    EXPECT_EQ(back.mapped_bytes(), memory.mapped_bytes());
    uint32_t read = 0;
    EXPECT_TRUE(back.read(0x2ffc, &read, 4));
    EXPECT_EQ(read, value);
    EXPECT_FALSE(back.is_mapped(0x4000, 1));
}

// Ticks in every cycle of a list, and counts.
class Ticker : public Clocked {
  public:
    std::vector<Cycle> ticks;
    bool tick(Cycle now) override {
        ticks.push_back(now);
        return false;
    }
};

TEST(Archive, TheSchedulerKeepsWhatIsDue) {
    Scheduler scheduler, back;
    Ticker near, far, near_back, far_back;
    scheduler.add(near);
    scheduler.add(far);
    back.add(near_back);
    back.add(far_back);
    near.wake_at(3);
    scheduler.run(10);
    near.wake_at(12);
    far.wake_at(5000);
    restore(saved(scheduler), back);
    EXPECT_EQ(back.now(), scheduler.now());
    EXPECT_EQ(back.next_wake(), 12u);
    scheduler.run(10000);
    back.run(10000);
    EXPECT_EQ(near_back.ticks, std::vector<Cycle>{12});
    EXPECT_EQ(far_back.ticks, std::vector<Cycle>{5000});
    EXPECT_EQ(back.ticks(), scheduler.ticks());
    EXPECT_EQ(back.steps(), scheduler.steps());
}

}  // namespace
}  // namespace archipelago
