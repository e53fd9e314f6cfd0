// SPDX-License-Identifier: Apache-2.0
// The text of a printf buffer, for every conversion of OpenCL C, and for buffers that are damaged.
#include "testbenches/host/code_object/kernel_printf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

namespace archipelago::host {
namespace {

enum Kind : uint32_t {
    kChar = 1,
    kUchar,
    kShort,
    kUshort,
    kInt,
    kUint,
    kLong,
    kUlong,
    kFloat,
    kDouble
};

// A buffer with records, and the strings of the program.
class Buffer {
  public:
    explicit Buffer(uint32_t dwords = 256) : dwords_{kPrintfHeaderDwords, dwords} {}

    Buffer& record(const std::string& format) {
        first_ = dwords_.size();
        const uint64_t address = string("archipelago printf:" + format);
        dwords_.insert(dwords_.end(), {3, static_cast<uint32_t>(address), 0});
        dwords_[0] += 3;
        return *this;
    }
    template <class T>
    Buffer& with(Kind kind, const std::vector<T>& elements) {
        const size_t bytes = elements.size() * sizeof(T), slot = 1 + (bytes + 7) / 8 * 2;
        const size_t at = dwords_.size();
        dwords_.resize(at + slot);
        dwords_[at] = kind << 8 | static_cast<uint32_t>(elements.size());
        std::memcpy(&dwords_[at + 1], elements.data(), bytes);
        dwords_[first_] += static_cast<uint32_t>(slot);
        dwords_[0] += static_cast<uint32_t>(slot);
        return *this;
    }
    uint64_t string(const std::string& text) {
        strings_[strings_.size() + 16] = text;
        return strings_.size() + 15;
    }
    std::vector<uint32_t>& dwords() { return dwords_; }
    std::string text(uint32_t first = kPrintfHeaderDwords) const {
        std::vector<uint32_t> whole = dwords_;
        whole.resize(whole[1]);
        return printed_text(whole, first, [&](uint64_t address) -> std::optional<std::string> {
            const auto found = strings_.find(address);
            return found == strings_.end() ? std::nullopt : std::optional(found->second);
        });
    }

  private:
    std::vector<uint32_t> dwords_;
    size_t first_ = 0;
    std::map<uint64_t, std::string> strings_;
};

TEST(KernelPrintf, IntegersHaveTheBitsOfTheirTypeOrLength) {
    Buffer b;
    b.record("%d %i %u %x %X %o %#x %5d|%-5d|%05d|%+d\n");
    for (int i = 0; i < 11; ++i)
        b.with<int32_t>(kInt, {-10});
    EXPECT_EQ(
        b.text(),
        "-10 -10 4294967286 fffffff6 FFFFFFF6 37777777766 0xfffffff6   -10|-10  |-0010|-10\n");
    EXPECT_EQ(Buffer()
                  .record("%ld %lu %lx")
                  .with<int64_t>(kLong, {-1})
                  .with<uint64_t>(kUlong, {~0ull})
                  .with<int64_t>(kLong, {-1})
                  .text(),
              "-1 18446744073709551615 ffffffffffffffff");
    EXPECT_EQ(Buffer()
                  .record("%hhd %hd %hx %c%%")
                  .with<int32_t>(kInt, {255})
                  .with<int32_t>(kInt, {65535})
                  .with<int32_t>(kInt, {-1})
                  .with<int8_t>(kChar, {'x'})
                  .text(),
              "-1 -1 ffff x%");
    EXPECT_EQ(Buffer()
                  .record("%d %u %x")
                  .with<int8_t>(kChar, {-1})
                  .with<uint8_t>(kUchar, {255})
                  .with<int16_t>(kShort, {-1})
                  .text(),
              "-1 255 ffffffff");
}

TEST(KernelPrintf, RealNumbersStringsAndPointers) {
    Buffer b;
    b.record("%f %.2f %e %g %a %8.3f|%G|%s|%p");
    for (int i = 0; i < 4; ++i)
        b.with<float>(kFloat, {1.5f});
    b.with<double>(kDouble, {1.5}).with<double>(kDouble, {-2.25}).with<double>(kDouble, {1e30});
    const uint64_t name = b.string("a name");
    b.with<uint64_t>(kUlong, {name}).with<uint64_t>(kUlong, {0x1000});
    EXPECT_EQ(b.text(), "1.500000 1.50 1.500000e+00 1.5 0x1.8p+0   -2.250|1E+30|a name|0x1000");
    EXPECT_EQ(Buffer().record("%s").with<uint64_t>(kUlong, {5}).text(), "(no string)");
}

TEST(KernelPrintf, VectorsAreListsOfTheirElements) {
    EXPECT_EQ(Buffer()
                  .record("%v4f|%.1v2f|%v3hhd|%#v2hx|%v2ld")
                  .with<float>(kFloat, {1, 2, 3, 4})
                  .with<double>(kDouble, {0.5, -1})
                  .with<int8_t>(kChar, {1, -2, 3})
                  .with<uint16_t>(kUshort, {16, 17})
                  .with<int64_t>(kLong, {-5, 6})
                  .text(),
              "1.000000,2.000000,3.000000,4.000000|0.5,-1.0|1,-2,3|0x10,0x11|-5,6");
}

TEST(KernelPrintf, WhatDoesNotFitTheFormatIsSaid) {
    EXPECT_EQ(Buffer().record("%d %d\n").with<int32_t>(kInt, {1}).text(), "1 (no argument)\n");
    EXPECT_EQ(Buffer().record("%f %d").with<int32_t>(kInt, {3}).with<float>(kFloat, {2.75f}).text(),
              "3.000000 2");
    EXPECT_EQ(Buffer().record("%k %").text(), "%k %");
}

TEST(KernelPrintf, EachRecordIsReadOnceAndAFullBufferSaysHowMuchIsLost) {
    Buffer b(16);
    b.record("one\n");
    EXPECT_EQ(b.text(5), "");
    b.record("two\n");
    EXPECT_EQ(b.text(5), "two\n");
    b.dwords()[0] = 40;
    EXPECT_EQ(b.text(5), "two\n(the buffer of printf is full: 128 of 160 bytes are lost)\n");
}

TEST(KernelPrintf, NoBufferIsReadBeyondItsEnd) {
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        Buffer b(32);
        b.record("%d %s %v4f")
            .with<int32_t>(kInt, {1})
            .with<uint64_t>(kUlong, {16})
            .with<float>(kFloat, {1, 2, 3, 4});
        const size_t at = random() % b.dwords().size();
        if (at != 1)
            b.dwords()[at] ^= 1u << random() % 32;
        b.text();
    }
}

}  // namespace
}  // namespace archipelago::host
