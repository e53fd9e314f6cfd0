// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/text_log.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <sstream>

namespace archipelago::host {
namespace {

constexpr uint32_t bit(LogCategory c) {
    return uint32_t{1} << static_cast<unsigned>(c);
}

std::string category_error(const char* list) {
    try {
        parse_log_categories(list);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "";
}

TEST(TextLog, CategoriesAreReadByName) {
    EXPECT_EQ(parse_log_categories("pm4"), bit(LogCategory::Pm4));
    EXPECT_EQ(parse_log_categories("mem,isa"), bit(LogCategory::Mem) | bit(LogCategory::Isa));
    EXPECT_EQ(parse_log_categories("pm4,isa,dma,reg,mem"), 31U);
    EXPECT_EQ(parse_log_categories("all"), 31U);
    EXPECT_EQ(parse_log_categories("reg,all,reg"), 31U);
}

TEST(TextLog, UnknownCategoriesNameTheNearest) {
    EXPECT_EQ(category_error("pm3,isa"),
              "log category \"pm3\": expected one of: pm4, isa, dma, reg, mem, all (did you mean "
              "\"pm4\"?)");
    EXPECT_EQ(category_error("isa,quark"),
              "log category \"quark\": expected one of: pm4, isa, dma, reg, mem, all");
    for (const char* list : {"", ",", "pm4,", "pm4 ,isa", "ALL!"}) {
        EXPECT_NE(category_error(list), "") << list;
    }
}

TEST(TextLog, LinesHaveCycleUnitAndText) {
    std::ostringstream out;
    TextLog log(out, parse_log_categories("pm4,reg"));
    EXPECT_TRUE(log.enabled(LogCategory::Pm4));
    EXPECT_FALSE(log.enabled(LogCategory::Isa));
    log.line(LogCategory::Pm4, 12, "cp.me", "NOP 2 dwords");
    log.line(LogCategory::Isa, 13, "se0.sh0.cu0", "s_endpgm");
    log.line(LogCategory::Reg, 18446744073709551615U, "grbm", "");
    log.flush();
    EXPECT_EQ(out.str(), "12 cp.me: NOP 2 dwords\n18446744073709551615 grbm: \n");
}

TEST(TextLog, EveryLineOfATextIsMarked) {
    std::ostringstream out;
    {
        TextLog log(out, parse_log_categories("mem"));
        log.line(LogCategory::Mem, 1, "mc", "a\nb\n");
        log.line(LogCategory::Mem, 2, "mc", "\n\nc");
    }
    EXPECT_EQ(out.str(), "1 mc: a\n1 mc: b\n2 mc: \n2 mc: \n2 mc: c\n");
}

TEST(TextLog, FailuresNameTheFile) {
    try {
        TextLog log("/no/such/directory/log.txt", 31);
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("/no/such/directory/log.txt: No such file"));
    }
    TextLog full("/dev/full", 31);
    full.line(LogCategory::Mem, 1, "mc", "x");
    EXPECT_THROW(full.flush(), std::runtime_error);
}

}  // namespace
}  // namespace archipelago::host
