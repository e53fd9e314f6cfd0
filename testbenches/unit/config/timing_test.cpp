// SPDX-License-Identifier: Apache-2.0
#include "support.h"

namespace archipelago::config::test {
namespace {

unsigned read_latency(const Node& root, Diagnostics& diag, Records& records) {
    Reader r(root, diag, "", &records);
    return r.timing("latency", range(1, 100));
}

std::string latency_error(const std::string& value) {
    return value_error(value, [](Reader& r) { r.timing("v", range(1, 100)); });
}

const std::string kExpected = "expected {cycles: N, source: <document> or guess, ref: <place>}";

TEST(Timing, AValueHasCyclesAndASource) {
    Records records;
    EXPECT_EQ(read_errors(
                  "a: {cycles: 4, source: SI ISA, ref: section 3.2}\n"
                  "b: {cycles: 12, source: guess}\n"
                  "c: {source: \"2012\", cycles: 0}\n",
                  [](Reader& r) {
                      EXPECT_EQ(r.timing("a"), 4U);
                      EXPECT_EQ(r.timing("b", range(1, 100), "to the MEQ"), 12U);
                      EXPECT_EQ(r.timing("c"), 0U);
                      EXPECT_EQ(r.maybe_timing("d"), std::nullopt);
                  },
                  &records),
              "");
    EXPECT_EQ(records.timings.summary(), "3 delays: 1 estimate, 0 overridden");
    EXPECT_EQ(records.timings.guess_count(), 1U);
    EXPECT_EQ(records.timings.format_table(),
              "path  cycles  source  ref          origin\n"
              "a          4  SI ISA  section 3.2  chip.yaml:1\n"
              "b         12  guess   -            chip.yaml:2\n"
              "c          0  2012    -            chip.yaml:3\n");
    ASSERT_NE(records.timings.find("b"), nullptr);
    EXPECT_TRUE(records.timings.find("b")->is_guess);
    EXPECT_EQ(records.fields.find("b")->doc, "to the MEQ");
    EXPECT_EQ(records.fields.find("b")->value, "12");
}

TEST(Timing, ABareNumberIsAnErrorThatNamesTheKeyOfTheNumber) {
    EXPECT_EQ(latency_error("5"), "got 5, " + kExpected + " (did you mean v.cycles?)");
    EXPECT_EQ(latency_error("\"5\""), "got text \"5\", " + kExpected);
    EXPECT_EQ(latency_error("5 ns"), "got text \"5 ns\", " + kExpected);
    EXPECT_EQ(latency_error("[5]"), "got a list, " + kExpected);
    EXPECT_EQ(read_errors("{}", [](Reader& r) { r.timing("v"); }),
              "chip.yaml:1:1: v: required key is missing, " + kExpected + "\n");
}

TEST(Timing, EveryFaultInsideIsReported) {
    EXPECT_EQ(read_errors("v: {cycels: 4, ref: 7}\n", [](Reader& r) { r.timing("v"); }),
              "chip.yaml:1:4: v.cycles: required key is missing, expected an integer in "
              "0..1000000\n"
              "chip.yaml:1:4: v.source: required key is missing, expected the document the number "
              "comes from, or guess\n"
              "chip.yaml:1:5: v.cycels: unknown key, expected one of: cycles, source, ref (did you "
              "mean \"cycles\"?)\n"
              "chip.yaml:1:21: v.ref: got 7, expected text (did you mean \"7\", in quotes?)\n");
    EXPECT_EQ(read_errors("v: {cycles: 0, source: \"\"}\n",
                          [](Reader& r) { EXPECT_EQ(r.timing("v", range(1, 100)), 1U); }),
              "chip.yaml:1:13: v.cycles: 0 is out of range, expected an integer in 1..100\n"
              "chip.yaml:1:24: v.source: got empty text, expected the document the number comes "
              "from, or guess\n");
}

TEST(Timing, AFaultyValueIsNotRegistered) {
    Records records;
    read_errors(
        "v: {cycles: 4}\n", [](Reader& r) { r.timing("v"); }, &records);
    EXPECT_EQ(records.timings.size(), 0U);
}

TEST(Timing, ADocumentDoesNotVouchForANumberOfAnotherFile) {
    const Node base = tree("latency: {cycles: 4, source: manual, ref: page 9}\n", "base.yaml");
    Records records;
    {
        Diagnostics diag;
        const Node merged = merge(base, tree("latency: {cycles: 8}\n"));
        read_latency(merged, diag, records);
        EXPECT_EQ(diag.format(),
                  "chip.yaml:1:19: latency.cycles: the source comes from another place, "
                  "base.yaml:1, expected cycles and source in one file (guess when unknown)\n");
        EXPECT_EQ(records.timings.size(), 0U);
    }
    Diagnostics diag;
    const Node merged = merge(base, tree("latency: {cycles: 8, source: guess}\n"));
    EXPECT_EQ(read_latency(merged, diag, records), 8U);
    EXPECT_EQ(diag.format(), "");
    const TimingEntry* entry = records.timings.find("latency");
    ASSERT_NE(entry, nullptr);
    EXPECT_TRUE(entry->is_guess);
    EXPECT_EQ(entry->ref, "");  // the page belonged to the other number
}

TEST(Timing, AnOverrideOfTheCyclesIsItsOwnSource) {
    Diagnostics diag;
    Records records;
    const Node root = apply_override(tree("latency: {cycles: 4, source: manual, ref: page 9}\n"),
                                     "latency.cycles=7", diag);
    EXPECT_EQ(read_latency(root, diag, records), 7U);
    EXPECT_EQ(diag.format(), "");
    const TimingEntry* entry = records.timings.find("latency");
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->source, "--set");
    EXPECT_EQ(entry->ref, "");
    EXPECT_TRUE(entry->is_override);
    EXPECT_FALSE(entry->is_guess);
    EXPECT_EQ(records.timings.summary(), "1 delay: 0 estimates, 1 overridden");
}

TEST(Timing, AnOverrideMayNameItsSource) {
    Diagnostics diag;
    Records records;
    const Node root = apply_override(tree("latency: {cycles: 4, source: manual, ref: page 9}\n"),
                                     "latency={cycles: 7, source: measured, ref: run 3}", diag);
    EXPECT_EQ(read_latency(root, diag, records), 7U);
    EXPECT_EQ(diag.format(), "");
    EXPECT_EQ(records.timings.find("latency")->source, "measured");
    EXPECT_EQ(records.timings.find("latency")->ref, "run 3");
    EXPECT_TRUE(records.timings.find("latency")->is_override);
}

// Neither vouches for a number that somebody else has given.
TEST(Timing, AnOverrideOfTheSourceAloneIsRefused) {
    const auto refused = [](const std::string& assignment) {
        Diagnostics diag;
        Records records;
        const Node root = apply_override(
            tree("latency: {cycles: 4, source: manual, ref: page 9}\n"), assignment, diag);
        read_latency(root, diag, records);
        EXPECT_EQ(records.timings.size(), 0U);
        return diag.format();
    };
    EXPECT_EQ(refused("latency.source=measured"),
              "--set: latency.source: the number stays that of chip.yaml:1, expected "
              "latency.cycles with it\n");
    EXPECT_EQ(refused("latency.ref=run 3"),
              "--set: latency.ref: the number stays that of chip.yaml:1, expected latency.cycles "
              "with it\n");
}

TEST(Timing, AnOverrideOfEachKeyNamesItsSource) {
    Diagnostics diag;
    Records records;
    Node root = tree("latency: {cycles: 4, source: manual, ref: page 9}\n");
    for (const char* assignment :
         {"latency.source=measured", "latency.ref=run 3", "latency.cycles=4"})
        root = apply_override(root, assignment, diag);
    EXPECT_EQ(read_latency(root, diag, records), 4U);
    EXPECT_EQ(diag.format(), "");
    EXPECT_EQ(records.timings.find("latency")->source, "measured");
    EXPECT_EQ(records.timings.find("latency")->ref, "run 3");
}

TEST(Timing, AnOverrideOutOfRangeNamesTheCommandLine) {
    Diagnostics diag;
    Records records;
    const Node root =
        apply_override(tree("latency: {cycles: 4, source: manual}\n"), "latency.cycles=0", diag);
    read_latency(root, diag, records);
    EXPECT_EQ(diag.format(),
              "--set: latency.cycles: 0 is out of range, expected an integer in 1..100\n");
}

}  // namespace
}  // namespace archipelago::config::test
