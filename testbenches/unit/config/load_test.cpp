// SPDX-License-Identifier: Apache-2.0
#include "models/config/load.h"

#include <gmock/gmock.h>

#include "support.h"
#include "testbenches/support/scratch.h"

namespace archipelago::config::test {
namespace {

using testing::HasSubstr;

// A directory of its own, so that file names in messages are known.
class Load : public testing::Test {
  protected:
    void write(const std::string& name, const std::string& text) const {
        scratch_.write(name, text);
    }
    // The messages of loading `name`, with the directory taken out.
    std::string errors(const std::string& name, const Limits& limits = {}) const {
        Diagnostics diag;
        const std::optional<Node> node = load_with_bases(dir_ + name, diag, limits);
        EXPECT_TRUE(node.has_value() || diag.has_errors());
        return without_dir(diag.format());
    }
    std::string dumped(const std::string& name) const {
        Diagnostics diag;
        const std::optional<Node> node = load_with_bases(dir_ + name, diag);
        EXPECT_EQ(diag.format(), "");
        return node ? without_dir(dump(*node)) : "";
    }
    std::string without_dir(std::string text) const {
        for (std::size_t at = 0; (at = text.find(dir_, at)) != std::string::npos;) {
            text.erase(at, dir_.size());
        }
        return text;
    }

    const archipelago::test::Scratch scratch_;
    const std::string dir_ = scratch_.path().string() + "/";
};

TEST_F(Load, AFileLaysItsKeysOverItsBase) {
    write("chips/tahiti.yaml", "base: ../common/si.yaml\nname: tahiti\ncp: {depth: 32}\n");
    write("common/si.yaml", "base: gfx.yaml\nname: si\ncp: {depth: 16, width: 2}\n");
    write("common/gfx.yaml", "cp: {depth: 1, width: 1, rings: 3}\n");
    EXPECT_EQ(dumped("chips/tahiti.yaml"),
              "cp.depth: 32   # chips/tahiti.yaml:3\n"
              "cp.width: 2   # common/si.yaml:3\n"
              "cp.rings: 3   # common/gfx.yaml:1\n"
              "name: tahiti   # chips/tahiti.yaml:2\n");
}

TEST_F(Load, LaterBasesOfAListWin) {
    write("a.yaml", "base: [b.yaml, c.yaml]\nx: 1\n");
    write("b.yaml", "x: 2\ny: 2\nz: 2\n");
    write("c.yaml", "x: 3\ny: 3\n");
    EXPECT_EQ(dumped("a.yaml"), "x: 1   # a.yaml:2\ny: 3   # c.yaml:2\nz: 2   # b.yaml:3\n");
}

TEST_F(Load, TwoBasesMayShareABase) {
    write("a.yaml", "base: [b.yaml, c.yaml]\n");
    write("b.yaml", "base: d.yaml\nb: 1\n");
    write("c.yaml", "base: ./d.yaml\nc: 1\n");
    write("d.yaml", "d: 1\n");
    EXPECT_EQ(dumped("a.yaml"), "d: 1   # d.yaml:1\nb: 1   # b.yaml:2\nc: 1   # c.yaml:2\n");
}

TEST_F(Load, ACycleNamesItsChain) {
    write("a.yaml", "base: b.yaml\n");
    write("b.yaml", "x: 1\nbase: sub/c.yaml\n");
    write("sub/c.yaml", "base: ../b.yaml\n");
    EXPECT_EQ(errors("a.yaml"),
              "sub/c.yaml:1:7: base: files inherit from each other in a cycle: b.yaml -> "
              "sub/c.yaml -> b.yaml, expected a chain that ends\n");
    write("self.yaml", "base: self.yaml\n");
    EXPECT_EQ(errors("self.yaml"),
              "self.yaml:1:7: base: files inherit from each other in a cycle: self.yaml -> "
              "self.yaml, expected a chain that ends\n");
}

TEST_F(Load, AMissingFileIsReportedWhereItIsNamed) {
    write("a.yaml", "x: 1\nbase: [nothing.yaml, other.yaml]\n");
    Diagnostics diag;
    EXPECT_FALSE(load_with_bases(dir_ + "a.yaml", diag));
    ASSERT_EQ(diag.all().size(), 2U);
    EXPECT_EQ(diag.all()[0].origin.line, 2U);
    EXPECT_EQ(diag.all()[0].origin.column, 8U);
    EXPECT_EQ(diag.all()[0].path, "base");
    EXPECT_THAT(diag.all()[0].message, HasSubstr("nothing.yaml\" does not exist, expected a YAML"));
    EXPECT_EQ(diag.all()[1].origin.column, 22U);
    EXPECT_EQ(errors("gone.yaml"),
              "gone.yaml: file \"gone.yaml\" does not exist, expected a YAML file\n");
}

TEST_F(Load, WhatIsNoMapOrNoFileIsAnError) {
    write("list.yaml", "- 1\n");
    write("empty.yaml", "# nothing\n");
    write("named.yaml", "base: {a: 1}\n");
    write("none.yaml", "base: []\n");
    write("nul.yaml", "base: \"list.yaml\\0\"\n");
    EXPECT_EQ(errors("list.yaml"), "list.yaml:1:1: expected a map at the top level\n");
    EXPECT_EQ(errors("empty.yaml"),
              "empty.yaml: the file is empty, expected a map at the top level\n");
    EXPECT_EQ(errors("named.yaml"),
              "named.yaml:1:7: base: expected a file name or a list of file names\n");
    EXPECT_EQ(errors("none.yaml"),
              "none.yaml:1:7: base: the list is empty, expected at least one file name\n");
    EXPECT_THAT(errors("nul.yaml"), HasSubstr("does not exist, expected a YAML file"));
    EXPECT_THAT(errors("."), HasSubstr("is a directory, expected a YAML file"));
}

TEST_F(Load, ErrorsOfEveryFileAreReported) {
    write("a.yaml", "base: [b.yaml, c.yaml]\nx: 1\nx: 2\n");
    write("b.yaml", "y: [1\n");
    write("c.yaml", "z: !t 1\n");
    const std::string all = errors("a.yaml");
    EXPECT_THAT(all, HasSubstr("a.yaml:3:1: x: duplicate key"));
    EXPECT_THAT(all, HasSubstr("b.yaml:2:1: YAML syntax: expected \",\" or \"]\" in a list"));
    EXPECT_THAT(all, HasSubstr("c.yaml:1:4: z: tag"));
}

TEST_F(Load, ChainsAndSizesAreBounded) {
    for (int i = 0; i < 20; ++i) {
        write(std::to_string(i) + ".yaml", "base: " + std::to_string(i + 1) + ".yaml\n");
    }
    EXPECT_THAT(
        errors("0.yaml"),
        HasSubstr("15.yaml:1:7: base: too many base files, expected a chain of at most 16"));
    std::string many = "base:\n";
    for (int i = 0; i < 70; ++i) {
        write("b" + std::to_string(i) + ".yaml", "x: 1\n");
        many += "  - b" + std::to_string(i) + ".yaml\n";
    }
    write("many.yaml", many);
    EXPECT_THAT(errors("many.yaml"), HasSubstr("too many base files"));
    Limits limits;
    limits.max_bytes = 4;
    write("big.yaml", "a: 123\n");
    EXPECT_EQ(errors("big.yaml", limits),
              "big.yaml: file \"big.yaml\" is too large, expected at most 4 bytes\n");
    limits = {};
    limits.max_nodes = 5;
    write("left.yaml", "a: 1\nb: 1\nc: 1\n");
    write("right.yaml", "base: left.yaml\nd: 1\ne: 1\n");
    EXPECT_EQ(errors("right.yaml", limits),
              "right.yaml:1:1: base: too many values with all base files, expected at most 5\n");
}

TEST_F(Load, AFileAloneKeepsItsBaseKey) {
    write("w.yaml", "base: x\nasic: tahiti\n");
    Diagnostics diag;
    const std::optional<Node> node = load_file(dir_ + "w.yaml", diag);
    ASSERT_TRUE(node);
    EXPECT_EQ(node->keys(), (std::vector<std::string>{"base", "asic"}));
}

// --- overrides

const char* const kChip = "cp: {pfp: {depth: 8, width: 2}}\nch: [{rows: 1}, {rows: 2}]\na.b: 1\n";

std::string overridden(const std::string& assignment,
                       OverridePath policy = OverridePath::MustExist) {
    Diagnostics diag;
    const Node out = apply_override(tree(kChip), assignment, diag, policy);
    if (diag.has_errors()) {
        EXPECT_EQ(dump(out), dump(tree(kChip)));  // a refused override changes nothing
        return diag.format();
    }
    return dump(out);
}

TEST(Override, ReplacesAValueAndCarriesItsOrigin) {
    EXPECT_EQ(overridden("cp.pfp.depth=16"),
              "cp.pfp.depth: 16   # --set\n"
              "cp.pfp.width: 2   # chip.yaml:1\n"
              "ch[0].rows: 1   # chip.yaml:2\n"
              "ch[1].rows: 2   # chip.yaml:2\n"
              "\"a.b\": 1   # chip.yaml:3\n");
    EXPECT_THAT(overridden("ch[1].rows=0x7"), HasSubstr("ch[1].rows: 0x7   # --set\n"));
    EXPECT_THAT(overridden("\"a.b\"=x=y"), HasSubstr("\"a.b\": x=y   # --set\n"));
    EXPECT_THAT(overridden("cp.pfp={depth: 1}"), HasSubstr("cp.pfp.depth: 1   # --set\nch[0]"));
    EXPECT_THAT(overridden("ch=[]"), HasSubstr("ch: []   # --set\n"));
}

TEST(Override, AnUnknownPathNamesTheNearestKey) {
    EXPECT_EQ(overridden("cp.pfp.dept=16"),
              "--set: cp.pfp.dept: unknown key, expected one of: depth, width (did you mean "
              "\"depth\"?)\n");
    EXPECT_EQ(overridden("cpp.pfp.depth=16"),
              "--set: cpp: unknown key, expected one of: cp, ch, a.b (did you mean \"cp\"?)\n");
    EXPECT_EQ(overridden("ch[2].rows=1"),
              "--set: ch[2]: no such element, expected an index below 2\n");
    EXPECT_EQ(overridden("cp[0]=1"),
              "--set: cp[0]: \"cp\" is not a list, expected a path in the tree\n");
    EXPECT_EQ(overridden("ch.rows=1"),
              "--set: ch.rows: \"ch\" is not a map, expected a path in the tree\n");
    EXPECT_EQ(overridden("cp.pfp.depth.x=1"),
              "--set: cp.pfp.depth.x: \"cp.pfp.depth\" is not a map, expected a path in the "
              "tree\n");
}

TEST(Override, ANewLeafIsLeftToTheReader) {
    EXPECT_THAT(overridden("cp.pfp.policy=lru", OverridePath::NewLeaf),
                HasSubstr("cp.pfp.policy: lru   # --set\n"));
    EXPECT_THAT(overridden("cp.new.leaf=1", OverridePath::NewLeaf),
                HasSubstr("--set: cp.new: unknown key, expected one of: pfp"));
    Diagnostics diag;
    const Node root = apply_override(tree("depth: 1\n"), "dept=2", diag, OverridePath::NewLeaf);
    {
        Reader r(root, diag);
        r.required<unsigned>("depth");
    }
    EXPECT_EQ(diag.format(),
              "--set: dept: unknown key, expected one of: depth (did you mean \"depth\"?)\n");
}

TEST(Override, MalformedOnesAreRefused) {
    for (const char* bad :
         {"", "=", "a", "cp", "cp.=1", ".cp=1", "cp..pfp=1", "=5", "ch[=1", "ch[]=1", "ch[x]=1",
          "ch[-1]=1", "ch[99999999999]=1", "[0]=1", "\"a=1", "cp\"x\"=1", "ch[0]rows=1"}) {
        EXPECT_EQ(overridden(bad),
                  "--set: " + in_quotes(bad) + " is malformed, expected path.to.key=value\n");
    }
    EXPECT_EQ(overridden("cp.pfp.depth="),
              "--set: cp.pfp.depth: no value given, expected path.to.key=value\n");
    EXPECT_EQ(overridden("cp.pfp.depth=[1"),
              "--set: cp.pfp.depth: YAML syntax: expected \",\" or \"]\" in a list\n");
    EXPECT_EQ(overridden("cp.pfp.depth={a: 1, a: 2}"),
              "--set: cp.pfp.depth.a: duplicate key, expected each key once\n");
    std::string deep = "a";
    for (int i = 0; i < 100; ++i) {
        deep += ".a";
    }
    EXPECT_THAT(overridden(deep + "=1"), HasSubstr("the path is too long, expected at most 64"));
}

TEST(Override, ChangesTheHash) {
    Diagnostics diag;
    const Node chip = tree(kChip);
    EXPECT_NE(config_hash(apply_override(chip, "cp.pfp.depth=16", diag)), config_hash(chip));
    EXPECT_EQ(config_hash(apply_override(chip, "cp.pfp.depth=0x8", diag)), config_hash(chip));
}

}  // namespace
}  // namespace archipelago::config::test
