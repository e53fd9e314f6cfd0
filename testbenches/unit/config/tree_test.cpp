// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <stdexcept>

#include "support.h"

namespace archipelago::config::test {
namespace {

TEST(Tree, NodesCannotHoldAKeyTwice) {
    const Node one = Node::scalar("1", Node::Style::Plain, {});
    EXPECT_THROW(Node::map({{"a", {}, one}, {"b", {}, one}, {"a", {}, one}}, {}),
                 std::invalid_argument);
}

TEST(Tree, AccessorsOfTheWrongKindAreEmpty) {
    const Node node = tree("5");
    EXPECT_TRUE(node.items().empty());
    EXPECT_TRUE(node.entries().empty());
    EXPECT_EQ(node.find("a"), nullptr);
    EXPECT_EQ(tree("a: 1").text(), "");
    EXPECT_TRUE(Node().is_null());
    EXPECT_EQ(Node().origin().to_string(), "");
}

TEST(Tree, PathsNeverReadTwoWays) {
    EXPECT_EQ(join_path("", "a"), "a");
    EXPECT_EQ(join_path("a", "b-1"), "a.b-1");
    EXPECT_EQ(join_path("a", std::size_t{3}), "a[3]");
    EXPECT_EQ(join_path("a", "b.c"), "a.\"b.c\"");
    EXPECT_EQ(join_path("a", ""), "a.\"\"");
    EXPECT_EQ(join_path("a", "x\"\n"), "a.\"x\\\"\\x0a\"");
}

TEST(Tree, WeightCountsAliasesInFull) {
    EXPECT_EQ(tree("a: &x [1, 2]\nb: *x\n").weight(), 7U);
}

TEST(Merge, MapsMergeDeepAndEveryNodeKeepsItsOrigin) {
    const Node base = tree("cp: {depth: 1, width: 2}\nlist: [1, 2, 3]\nold: 1\n", "base.yaml");
    const Node over = tree("cp:\n  depth: 9\n  extra: 4\nlist: [7]\n", "chip.yaml");
    EXPECT_EQ(dump(merge(base, over)),
              "cp.depth: 9   # chip.yaml:2\n"
              "cp.width: 2   # base.yaml:1\n"
              "cp.extra: 4   # chip.yaml:3\n"
              "list[0]: 7   # chip.yaml:4\n"
              "old: 1   # base.yaml:3\n");
}

TEST(Merge, AnotherKindReplacesWhole) {
    EXPECT_EQ(dump(merge(tree("a: {b: 1}"), tree("a: 5", "o.yaml"))), "a: 5   # o.yaml:1\n");
    EXPECT_EQ(dump(merge(tree("a: 5"), tree("a: {b: 1}", "o.yaml"))), "a.b: 1   # o.yaml:1\n");
}

TEST(Merge, LeavesItsArgumentsAlone) {
    const Node base = tree("a: {b: 1}");
    const std::string before = dump(base);
    merge(base, tree("a: {b: 2, c: 3}"));
    EXPECT_EQ(dump(base), before);
}

TEST(Dump, EveryLeafHasALine) {
    EXPECT_EQ(dump(tree("a: {b: 0x10, c: \"say \\\"hi\\\"\\n\"}\nd: []\ne: {}\nf: [[1], ~]\n"
                        "g: two\n  words\n\n  more\n")),
              "a.b: 0x10   # chip.yaml:1\n"
              "a.c: \"say \\\"hi\\\"\\x0a\"   # chip.yaml:1\n"
              "d: []   # chip.yaml:2\n"
              "e: {}   # chip.yaml:3\n"
              "f[0][0]: 1   # chip.yaml:4\n"
              "f[1]: null   # chip.yaml:4\n"
              "g: \"two words\\x0amore\"   # chip.yaml:5\n");
    EXPECT_EQ(dump(tree("5")), "5   # chip.yaml:1\n");
}

TEST(YamlOf, ReadsBackAsTheSameTree) {
    const Node root = tree(
        "a: {b: 1, c: [1, -2, 0x3], d: [1.5, two words], e: \"5\", \"f.g\": ~}\n"
        "h: [{i: 1, j: [[1, 2], []]}, [], {}]\nk: |\n  two\n  lines\nl: '# \"quoted\" \\'\n"
        "m: plain text with = and 'quotes'\nn: &x [1, 2]\no: *x\np: ''\n");
    const std::string text = yaml_of(root);
    EXPECT_EQ(canonical(tree(text)), canonical(root));
    EXPECT_EQ(yaml_of(tree(text)), text);
    EXPECT_THAT(text, testing::HasSubstr("  c: [1, -2, 0x3]\n"));
    for (const char* leaf : {"5\n", "[]\n", "{}\n", "null\n"})
        EXPECT_EQ(yaml_of(tree(leaf)), leaf);
}

TEST(YamlOf, TakesOtherTextForScalars) {
    const auto other = [](const Node& scalar) {
        return scalar.text() == "x" ? std::optional<std::string>("y z") : std::nullopt;
    };
    EXPECT_EQ(yaml_of(tree("a: x\nb: [v, w]\n"), other), "a: \"y z\"\nb: [v, w]\n");
}

TEST(Hash, IsFnv1aOfTheCanonicalText) {
    EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325ULL);
    EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cULL);
    EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8ULL);
    const Node node = tree("b: 1\na: {d: x, c: [2, true, 1.50]}\n");
    EXPECT_EQ(canonical(node), "a.c[0]=2\na.c[1]=true\na.c[2]=1.5\na.d=\"x\"\nb=1\n");
    // Results on disk carry this number: it may only change together with the format.
    EXPECT_EQ(config_hash(node), "947fd9770750b161");
}

TEST(Hash, DoesNotDependOnOrderSpellingOrPlace) {
    const std::string hash = config_hash(tree("a: {x: 16, y: text}\nb: [1]\n"));
    EXPECT_EQ(config_hash(tree("# comment\nb:\n  - 1\na:\n  y: 'text'\n  x: 0x10\n", "o.yaml")),
              hash);
    EXPECT_EQ(config_hash(tree("a: {x: +16, y: \"te\\x78t\"}\nb: [01]\n")) == hash, false);
    EXPECT_EQ(config_hash(tree("a: {x: +16, y: \"te\\x78t\"}\nb: [0x01]\n")), hash);
}

TEST(Hash, EveryDifferenceInMeaningChangesIt) {
    const std::vector<std::string> texts{
        "a: 1",         "a: 2",      "a: \"1\"",       "a: true",     "a: \"true\"",
        "a: [1]",       "a: []",     "a: {}",          "a: ~",        "a: \"null\"",
        "b: 1",         "a: {b: 1}", "\"a.b\": 1",     "a: 1.5",      "a: -1",
        "a: [1, 2]",    "a: [2, 1]", "a: \"x\\ny=1\"", "a: [[1]]",    "a: 010",
        "{a: 1, b: 2}", "a: 5 ns",   "a: \"[]\"",      "\"a[0]\": 1", "a: .inf",
    };
    std::map<std::string, std::string> seen;
    for (const std::string& text : texts) {
        const auto [it, inserted] = seen.emplace(config_hash(tree(text)), text);
        EXPECT_TRUE(inserted) << text << " and " << it->second;
    }
}

TEST(Diagnostics, SortByPlaceWithFilesInOrderOfReport) {
    Diagnostics diag;
    const Node a = tree("x: 1\ny: 2\n", "a.yaml");
    const Node b = tree("z: 1\n", "b.yaml");
    diag.error(b.find("z")->value.origin(), "z", "first file");
    diag.error(a.find("y")->value.origin(), "y", "later line");
    diag.warning(a.find("x")->value.origin(), "x", "earlier line");
    diag.error(a.find("x")->key_origin, "x", "earlier column");
    diag.error(origin_of("--set"), "q", "no position");
    EXPECT_EQ(diag.format(),
              "b.yaml:1:4: z: first file\n"
              "a.yaml:1:1: x: earlier column\n"
              "a.yaml:1:4: x: warning: earlier line\n"
              "a.yaml:2:4: y: later line\n"
              "--set: q: no position\n");
    EXPECT_EQ(diag.error_count(), 4U);
    EXPECT_EQ(diag.warning_count(), 1U);
}

TEST(Diagnostics, ErrorsThrowTogetherAndWarningsDoNot) {
    Diagnostics diag;
    diag.warning(origin_of("f"), "", "careful");
    EXPECT_NO_THROW(diag.throw_if_errors());
    diag.error(origin_of("f"), "a", "one");
    diag.error(origin_of("f"), "b", "two");
    try {
        diag.throw_if_errors();
        FAIL() << "no exception";
    } catch (const ConfigError& e) {
        EXPECT_STREQ(e.what(), "f: warning: careful\nf: a: one\nf: b: two\n");
        EXPECT_EQ(e.diagnostics().size(), 3U);
    }
}

TEST(Diagnostics, AFloodIsCounted) {
    Diagnostics diag;
    for (std::size_t i = 0; i < Diagnostics::kMaxStored + 5; ++i) {
        diag.error(origin_of("f"), "", "x");
    }
    EXPECT_EQ(diag.all().size(), Diagnostics::kMaxStored);
    EXPECT_EQ(diag.error_count(), Diagnostics::kMaxStored + 5);
    EXPECT_NE(diag.format().find("… and 5 more\n"), std::string::npos);
}

TEST(Diagnostics, ShownTextIsOneShortLine) {
    EXPECT_EQ(in_quotes("a\n\"b\"\x01"), "\"a\\n\\\"b\\\"\\x01\"");
    EXPECT_EQ(printable(std::string(100, 'x')), std::string(60, 'x') + "…");
    // Cut between characters, not inside one.
    EXPECT_EQ(printable(std::string(59, 'x') + "é" + "tail"), std::string(59, 'x') + "…");
}

}  // namespace
}  // namespace archipelago::config::test
