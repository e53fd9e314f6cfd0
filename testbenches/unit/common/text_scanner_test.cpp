// SPDX-License-Identifier: Apache-2.0
#include "models/common/text_scanner.h"

#include <gtest/gtest.h>

#include <string_view>

namespace archipelago {
namespace {

bool is_small_letter(char c) {
    return c >= 'a' && c <= 'z';
}

TEST(TextScanner, TakesWordsAndKnowsItsColumn) {
    TextScanner in("mov  r1");
    EXPECT_EQ(in.take_while(is_small_letter), "mov");
    EXPECT_EQ(in.take_while(is_small_letter), "");
    EXPECT_EQ(in.take_while([](char c) { return c == ' '; }), "  ");
    EXPECT_EQ(in.column(), 6u);
    EXPECT_FALSE(in.accept("r2"));
    EXPECT_TRUE(in.accept("r"));
    EXPECT_EQ(in.peek(), '1');
    EXPECT_EQ(in.peek(1), '\0');
    EXPECT_FALSE(in.at_end());
    EXPECT_EQ(in.take(5), "1");
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(in.peek(), '\0');
    EXPECT_FALSE(in.starts_with("1"));
}

TEST(TextScanner, GoesBackToAMark) {
    TextScanner in("label: mov");
    const size_t begin = in.mark();
    in.take_while(is_small_letter);
    EXPECT_EQ(in.since(begin), "label");
    in.back_to(begin);
    EXPECT_EQ(in.rest(), "label: mov");
    EXPECT_EQ(in.column(), 1u);
}

TEST(TextScanner, CountsLines) {
    TextScanner in("a\nbc\n");
    in.take(1);
    in.next_line();
    EXPECT_EQ(in.line(), 2u);
    EXPECT_EQ(in.column(), 1u);
    in.take(2);
    EXPECT_EQ(in.column(), 3u);
    in.next_line();
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(in.line(), 3u);
}

TEST(TextScanner, AnEmptyTextHasNothing) {
    TextScanner in("");
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(in.take(1), "");
    EXPECT_EQ(in.take_while(is_small_letter), "");
    EXPECT_TRUE(in.accept(""));
    EXPECT_FALSE(in.accept("a"));
}

}  // namespace
}  // namespace archipelago
