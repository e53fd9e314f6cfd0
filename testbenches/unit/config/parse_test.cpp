// SPDX-License-Identifier: Apache-2.0
#include "models/config/parse.h"

#include <gmock/gmock.h>

#include "support.h"

namespace archipelago::config::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Parse, EveryKeyAndValueKnowsItsPlace) {
    const Node root = tree(
        "# heading\n"
        "cp:\n"
        "  pfp: {depth: 8, name: \"q\"}\n"
        "list:\n"
        "  - 1\n"
        "  - [a, b]\n");
    const MapEntry* cp = root.find("cp");
    ASSERT_NE(cp, nullptr);
    EXPECT_EQ(cp->key_origin.to_string(), "chip.yaml:2:1");
    const MapEntry* pfp = cp->value.find("pfp");
    ASSERT_NE(pfp, nullptr);
    EXPECT_EQ(pfp->key_origin.to_string(), "chip.yaml:3:3");
    EXPECT_EQ(pfp->value.origin().to_string(), "chip.yaml:3:8");
    EXPECT_EQ(pfp->value.find("depth")->value.origin().to_string(), "chip.yaml:3:16");
    EXPECT_EQ(pfp->value.find("name")->value.style(), Node::Style::Quoted);
    EXPECT_EQ(pfp->value.find("depth")->value.style(), Node::Style::Plain);
    const Node& list = root.find("list")->value;
    ASSERT_EQ(list.items().size(), 2U);
    EXPECT_EQ(list.items()[1].items()[1].origin().to_string(), "chip.yaml:6:9");
    EXPECT_EQ(list.items()[1].items()[1].text(), "b");
}

TEST(Parse, MapsKeepTheOrderOfTheFile) {
    EXPECT_EQ(tree("z: 1\na: 2\nm: 3\n").keys(), (std::vector<std::string>{"z", "a", "m"}));
}

TEST(Parse, EmptyTextIsANullNode) {
    EXPECT_TRUE(tree("").is_null());
    EXPECT_TRUE(tree(std::string_view()).is_null());
    EXPECT_TRUE(tree("# nothing\n").is_null());
    EXPECT_TRUE(tree("---\n...\n").is_null());
}

TEST(Parse, EmptyValuesStandWhereTheirKeyStands) {
    const Node root = tree("a:\nb: ~\nc: [~,\n 1]\n");
    EXPECT_TRUE(root.find("a")->value.is_null());
    EXPECT_EQ(root.find("a")->value.origin().to_string(), "chip.yaml:1:1");
    EXPECT_EQ(root.find("b")->value.origin().to_string(), "chip.yaml:2:1");
    EXPECT_EQ(root.find("c")->value.items()[0].origin().to_string(), "chip.yaml:3:5");
    EXPECT_EQ(tree("- 1\n-\n").items()[1].origin().to_string(), "chip.yaml:2:2");
    EXPECT_EQ(tree("- -  # a -\n\n# - b\n- 1\n").items()[0].items()[0].origin().to_string(),
              "chip.yaml:1:4");
}

TEST(Parse, ByteOrderMarkAndCrLfAreAccepted) {
    const Node root = tree(
        "\xEF\xBB\xBF"
        "a: 1\r\nb: 2\r\n");
    EXPECT_EQ(root.find("a")->key_origin.to_string(), "chip.yaml:1:1");
    EXPECT_EQ(root.find("b")->value.origin().to_string(), "chip.yaml:2:4");
    EXPECT_EQ(root.find("b")->value.text(), "2");
}

TEST(Parse, DuplicateKeysAreErrorsAndTheFirstCounts) {
    Diagnostics diag;
    const std::optional<Node> root =
        parse_text("cp:\n  depth: 1\n  width: 2\n  depth: 3\n  \"width\": 4\nother: {x: 1, x: 2}\n",
                   "chip.yaml", diag);
    EXPECT_EQ(diag.format(),
              "chip.yaml:4:3: cp.depth: duplicate key, expected each key once (first given at "
              "line 2)\n"
              "chip.yaml:5:3: cp.width: duplicate key, expected each key once (first given at "
              "line 3)\n"
              "chip.yaml:6:15: other.x: duplicate key, expected each key once (first given at "
              "line 6)\n");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("cp")->value.find("depth")->value.text(), "1");
}

TEST(Parse, KeysMustBeText) {
    EXPECT_EQ(parse_errors("a:\n  ? [1, 2]\n  : 3\n"),
              "chip.yaml:2:5: a: found a list as key, expected text as key\n");
    EXPECT_EQ(parse_errors("? {b: 1}\n: 3\n"),
              "chip.yaml:1:3: found a map as key, expected text as key\n");
    EXPECT_EQ(parse_errors("{a: 1, ~: 2}\n"),
              "chip.yaml:1:8: found a value without a key, expected text as key\n");
}

TEST(Parse, MergeKeysAndTagsAreRefusedByName) {
    EXPECT_EQ(parse_errors("b: &x {c: 1}\na:\n  <<: *x\n"),
              "chip.yaml:3:3: a: merge key \"<<\" is not supported, expected keys written out or "
              "a file named by \"base:\"\n");
    EXPECT_EQ(parse_errors("a: !!int 5\nb: !mine {c: 1}\n"),
              "chip.yaml:1:4: a: tag \"tag:yaml.org,2002:int\" is not supported, expected a value "
              "without tag\n"
              "chip.yaml:2:4: b: tag \"!mine\" is not supported, expected a value without tag\n");
}

TEST(Parse, AliasesShareTheValueAndItsPlace) {
    const Node root = tree("a: &x {c: 1}\nb: *x\n");
    EXPECT_EQ(root.find("b")->value.find("c")->value.text(), "1");
    EXPECT_EQ(root.find("b")->value.origin().to_string(), "chip.yaml:1:4");
    EXPECT_EQ(root.find("b")->key_origin.to_string(), "chip.yaml:2:1");
}

TEST(Parse, AliasesNeedAnEarlierValue) {
    EXPECT_EQ(parse_errors("a: *nothing\n"),
              "chip.yaml:1:4: a: alias of \"nothing\", which is not defined, expected an earlier "
              "value\n");
    EXPECT_EQ(tree("[&x 1, *x, &x 2, *x]").items()[3].text(), "2");
}

TEST(Parse, ATagOfOneCharacterMakesText) {
    EXPECT_EQ(tree("a: ! 5\n").find("a")->value.style(), Node::Style::Quoted);
    EXPECT_EQ(tree("a: &x ! 5\n").find("a")->value.style(), Node::Style::Quoted);
    EXPECT_EQ(tree("a: &x 5\n").find("a")->value.style(), Node::Style::Plain);
}

TEST(Parse, AnAliasOfItsOwnContentIsAnError) {
    EXPECT_EQ(parse_errors("a: &x [1, *x]\n"),
              "chip.yaml:1:11: a[1]: alias refers to the value it is part of, expected an earlier "
              "value\n");
}

TEST(Parse, SyntaxErrorsHaveAPlace) {
    EXPECT_EQ(parse_errors("a: 1\n b: 2\n"),
              "chip.yaml:2:3: YAML syntax: a \":\" where no key can be (quote text that contains "
              "\": \", check indentation)\n");
    EXPECT_EQ(parse_errors("a: 1\nfoo\nb: 2\n"),
              "chip.yaml:2:1: YAML syntax: text without \":\" in a map, expected \"key: value\" "
              "(check indentation and the end of the previous value)\n");
    EXPECT_EQ(parse_errors("a: 1\n: 2\n"),
              "chip.yaml:2:1: YAML syntax: found a value without a key, expected text as key\n");
    EXPECT_EQ(parse_errors("- a\nb: 1\n"),
              "chip.yaml:2:1: YAML syntax: unexpected text in a list, expected \"- value\" (check "
              "indentation)\n");
    EXPECT_EQ(parse_errors("a:\n\tb: 1\n"),
              "chip.yaml:2:1: YAML syntax: a tab in the indentation, expected spaces\n");
    EXPECT_EQ(parse_errors("a:\n   b: 1\n  c: 2\n"),
              "chip.yaml:3:3: YAML syntax: unexpected text in a map, expected \"key: value\" "
              "(check indentation and the end of the previous value)\n");
    EXPECT_EQ(parse_errors("a: {b: 1}}\n"),
              "chip.yaml:1:10: YAML syntax: a closing bracket without its opening one\n");
    EXPECT_EQ(parse_errors("a: @b\n"),
              "chip.yaml:1:4: YAML syntax: a character that cannot start a value (quote the "
              "text)\n");
}

TEST(Parse, ColumnsCountBytes) {
    const Node root = tree("\"\u00e9\u20ac\": 1\nb: [\U0001D11E, x]\n");
    EXPECT_EQ(root.entries()[0].value.origin().to_string(), "chip.yaml:1:10");
    EXPECT_EQ(root.find("b")->value.items()[1].origin().to_string(), "chip.yaml:2:11");
    EXPECT_EQ(parse_errors("\u00e9: 1\n\u20ac: @\n"),
              "chip.yaml:2:6: YAML syntax: a character that cannot start a value (quote the "
              "text)\n");
}

TEST(Parse, UnclosedBracketsNameTheOpeningOne) {
    EXPECT_EQ(parse_errors("a: {b: 1\nc: 2\n"),
              "chip.yaml:2:2: YAML syntax: expected \",\" or \"}\" in a map, opened at line 1 "
              "column 4\n");
    EXPECT_EQ(parse_errors("a:\n  b: {c: 1\n"),
              "chip.yaml:3:1: YAML syntax: expected \",\" or \"}\" in a map, opened at line 2 "
              "column 6\n");
    EXPECT_THAT(parse_errors("a: [1,\n 2\n"), HasSubstr("opened at line 1 column 4"));
    EXPECT_EQ(parse_errors("a: {b: 1}\nc: [\n"),
              "chip.yaml:3:1: YAML syntax: expected \",\" or \"]\" in a list, opened at line 2 "
              "column 4\n");
    EXPECT_THAT(parse_errors("[1]]\n"), HasSubstr("1:4: YAML syntax: a closing bracket without"));
}

TEST(Parse, TheFirstFaultCountsWhereTheScannerIsAhead) {
    EXPECT_EQ(parse_errors("- [1}\n"),
              "chip.yaml:1:5: YAML syntax: expected \",\" or \"]\" in a list, opened at line 1 "
              "column 3\n");
    EXPECT_EQ(parse_errors("x: [1, {a: []1, 2}\ny: @\n"),
              "chip.yaml:1:14: YAML syntax: expected \",\" or \"}\" in a map, opened at line 1 "
              "column 8\n");
    EXPECT_EQ(parse_errors("- 1\nword\n- 2\nlast: 'x'\n"),
              "chip.yaml:2:1: YAML syntax: text without \":\" in a map, expected \"key: value\" "
              "(check indentation and the end of the previous value)\n");
}

TEST(Parse, ValuesBetweenCommasAndKeysMustBeThere) {
    EXPECT_THAT(parse_errors("a: [1, , 2]\n"),
                StartsWith("chip.yaml:1:8: YAML syntax: a character that cannot start a value"));
    EXPECT_THAT(parse_errors("a: {, }\n"),
                StartsWith("chip.yaml:1:5: YAML syntax: a character that cannot start a value"));
    EXPECT_THAT(parse_errors("a: 1\nb"), StartsWith("chip.yaml:2:1: YAML syntax: text without"));
    EXPECT_THAT(parse_errors("%YAML 1.2\na: 1\n"),
                StartsWith("chip.yaml:2:1: YAML syntax: text behind a directive"));
}

TEST(Parse, UnclosedQuotesAreErrors) {
    const std::string reason = "quoted text is not closed, expected the same quote at its end\n";
    EXPECT_EQ(parse_errors("a: 'x\n"), "chip.yaml:1:4: a: " + reason);
    EXPECT_EQ(parse_errors("b:\n  - \"x\\\"\n"), "chip.yaml:2:5: b[0]: " + reason);
    EXPECT_EQ(parse_errors("a: &n\n  'it''s\n"), "chip.yaml:2:3: a: " + reason);
    EXPECT_EQ(parse_errors("a: 'x"), "chip.yaml:1:4: a: " + reason);
    EXPECT_EQ(parse_errors("a: 'x\n---\nb: 1\n"), "chip.yaml:1:4: a: " + reason);
    EXPECT_EQ(parse_errors("a: 'it''s'\nb: \"\\\"\"\nc: &n \"q\"\nd: |\n  \"open\n"), "");
}

TEST(Parse, MoreThanOneDocumentIsAnError) {
    EXPECT_EQ(parse_errors("a: 1\n---\nb: 2\n"),
              "chip.yaml:2:1: content after the end of the document, expected one YAML document "
              "(check the indentation of this line)\n");
    EXPECT_THAT(parse_errors(" a: 1\nb: 1\n"), StartsWith("chip.yaml:2:1: content after the end"));
    EXPECT_THAT(parse_errors("a: 1\n...\nb: 2\n"),
                StartsWith("chip.yaml:3:1: content after the end"));
}

TEST(Parse, OnlyCleanUtf8Passes) {
    using namespace std::string_literals;
    EXPECT_EQ(parse_errors("a: 1\nb: \x04\n"),
              "chip.yaml:2:4: control character 0x04, expected UTF-8 text\n");
    EXPECT_EQ(parse_errors("a: \0 1\n"s),
              "chip.yaml:1:4: control character 0x00, expected UTF-8 text\n");
    EXPECT_EQ(parse_errors("a: \xFF\n"),
              "chip.yaml:1:4: byte 0xff is not valid UTF-8, expected UTF-8 text\n");
    EXPECT_EQ(parse_errors("a: 1\rb: 2\n"),
              "chip.yaml:1:5: carriage return without line feed, expected LF or CR LF line ends\n");
    EXPECT_EQ(parse_errors("a: b\u0085\n"),
              "chip.yaml:1:5: control character 0x85, expected UTF-8 text\n");
    EXPECT_EQ(parse_errors("a: '\u2028'\n"),
              "chip.yaml:1:5: Unicode line separator, expected LF or CR LF line ends\n");
    EXPECT_EQ(parse_errors("a: \uFFFE\n"),
              "chip.yaml:1:4: Unicode noncharacter, expected UTF-8 text\n");
    for (const char* bad : {"\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                            "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\x80"}) {
        EXPECT_THAT(parse_errors(bad), HasSubstr("is not valid UTF-8"));
    }
    EXPECT_EQ(parse_errors("a: \"é €  𝄞\"\n"), "");
}

TEST(Parse, DepthIsBounded) {
    const std::string deep(65, '[');
    EXPECT_THAT(parse_errors(deep + std::string(65, ']')),
                HasSubstr("nested too deep, expected at most 64 levels"));
    EXPECT_EQ(parse_errors(std::string(64, '[') + std::string(64, ']')), "");
    EXPECT_THAT(parse_errors(std::string(1'000'000, '[')), HasSubstr("nested too deep"));
    EXPECT_THAT(parse_errors(std::string(1'000'000, '{')), HasSubstr("nested too deep"));
}

TEST(Parse, SizeIsBounded) {
    Limits limits;
    limits.max_bytes = 10;
    EXPECT_EQ(parse_errors("a: 1234567\n", limits),
              "chip.yaml: text of 11 bytes, expected at most 10\n");
}

TEST(Parse, AliasBombsAreBounded) {
    std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string previous = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + previous;
        for (int j = 0; j < 9; ++j) {
            bomb += ", " + previous;
        }
        bomb += "]\n";
    }
    EXPECT_THAT(parse_errors(bomb),
                HasSubstr("too many values, expected at most 1000000 (aliases count in full)"));
}

TEST(Parse, ValuesFromTheCommandLineHaveNoPosition) {
    Diagnostics diag;
    const std::optional<Node> node = parse_value("{a: [1]}", "--set", "x.y", diag);
    ASSERT_TRUE(node);
    EXPECT_EQ(node->find("a")->value.items()[0].origin().to_string(), "--set");
    EXPECT_FALSE(parse_value("[1", "--set", "x.y", diag));
    EXPECT_EQ(diag.format(), "--set: x.y: YAML syntax: expected \",\" or \"]\" in a list\n");
}

}  // namespace
}  // namespace archipelago::config::test
