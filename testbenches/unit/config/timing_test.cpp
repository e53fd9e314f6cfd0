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
              "path  cycles  source  ref          ns  origin\n"
              "a          4  SI ISA  section 3.2  -   chip.yaml:1\n"
              "b         12  guess   -            -   chip.yaml:2\n"
              "c          0  2012    -            -   chip.yaml:3\n");
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

// A delay of a clock of 1250 MHz, of which a cycle is 0.8 ns.
struct Delay {
    std::string errors;
    unsigned cycles = 0;
    Records records;

    const TimingEntry& entry() const { return *records.timings.find("latency"); }
};

Delay delay(const Node& root) {
    Delay out;
    Diagnostics diag;
    {
        Reader r(root, diag, "", &out.records);
        r.set_clock(1'250'000'000);
        out.cycles = r.timing("latency", range(1, 100));
    }
    out.errors = diag.format();
    return out;
}

unsigned cycles_of(const std::string& ns) {
    return delay(tree("latency: {ns: " + ns + ", source: guess}\n")).cycles;
}

TEST(TimeInNs, IsAsManyWholeCyclesAsHoldIt) {
    EXPECT_EQ(cycles_of("0.000001"), 1U);
    EXPECT_EQ(cycles_of("0.8"), 1U) << "a whole cycle is not rounded";
    EXPECT_EQ(cycles_of("0.800001"), 2U);
    EXPECT_EQ(cycles_of("13"), 17U) << "16.25";
    EXPECT_EQ(cycles_of("80"), 100U);
    const Delay read = delay(tree("latency: {ns: 13.50, source: sheet, ref: tCL}\n"));
    EXPECT_EQ(read.errors, "");
    EXPECT_EQ(read.records.timings.format_table(),
              "path     cycles  source  ref  ns     origin\n"
              "latency      17  sheet   tCL  13.50  chip.yaml:1\n");
    EXPECT_EQ(read.records.fields.find("latency")->expected, "timing in cycles or ns of 1250 MHz");
    EXPECT_EQ(read.records.fields.find("latency")->value, "17");
}

TEST(TimeInNs, FollowsTheClockOfItsMap) {
    Records records;
    EXPECT_EQ(read_errors(
                  "memory: {dram: {cl: {ns: 13, source: guess}}}\nl2: {ns: 13, source: guess}\n",
                  [](Reader& r) {
                      r.set_clock(1'000'000'000);
                      {
                          Reader memory = r.map("memory");
                          memory.set_clock(1'375'000'000);
                          EXPECT_EQ(memory.map("dram").timing("cl"), 18U);
                      }
                      EXPECT_EQ(r.timing("l2"), 13U);
                  },
                  &records),
              "");
}

TEST(TimeInNs, IsRefusedWithItsPlace) {
    const auto refused = [](const std::string& ns) {
        return delay(tree("latency: {ns: " + ns + ", source: guess}\n")).errors;
    };
    const std::string place = "chip.yaml:1:15: latency.ns: ";
    EXPECT_EQ(refused("0"), place + "0 ns are 0 cycles of 1250 MHz, expected 1..100\n");
    EXPECT_EQ(refused("80.1"), place + "80.1 ns are 101 cycles of 1250 MHz, expected 1..100\n");
    EXPECT_EQ(refused("18000000000"),
              place + "18000000000 ns are more than 1000000 cycles of 1250 MHz, expected 1..100\n");
    EXPECT_EQ(refused("99999999999999999999"),
              place + "got 99999999999999999999, expected a time in ns, at least 0\n");
    EXPECT_EQ(refused("0.0000001"),
              place + "got 0.0000001, expected a time in ns of up to six decimal places\n");
    EXPECT_EQ(refused("-1"), place + "got -1, expected a time in ns, at least 0\n");
    EXPECT_EQ(refused("13 ns"), place + "got text \"13 ns\", expected a time in ns, at least 0\n");
    EXPECT_EQ(refused("[13]"), place + "got a list, expected a time in ns, at least 0\n");
    EXPECT_EQ(read_errors("v: {ns: 13, source: guess}\n", [](Reader& r) { r.timing("v"); }),
              "chip.yaml:1:9: v.ns: the clock of this delay is not known, or it is of two clocks, "
              "expected cycles\n");
    EXPECT_EQ(
        delay(tree("latency: 5\n")).errors,
        "chip.yaml:1:10: latency: got 5, expected {cycles: N, or ns: N, source: <document> or "
        "guess, ref: <place>} (did you mean latency.cycles?)\n");
}

TEST(TimeInNs, AndCyclesOfOneFileAreAConflict) {
    const std::string conflict =
        "latency.ns: conflicts with \"cycles\", expected one of: cycles, ns\n";
    EXPECT_EQ(delay(tree("latency: {cycles: 4, ns: 3, source: guess}\n")).errors,
              "chip.yaml:1:22: " + conflict);
    Diagnostics diag;
    Node root = tree("latency: {cycles: 4, source: guess}\n");
    for (const char* assignment : {"latency.cycles=5", "latency.ns=3"})
        root = apply_override(root, assignment, diag, OverridePath::NewLeaf);
    EXPECT_EQ(delay(root).errors, "--set: " + conflict);
}

TEST(TimeInNs, OrCyclesOfAFileTakeThePlaceOfItsBase) {
    const Node cycles = tree("latency: {cycles: 4, source: manual, ref: page 9}\n", "a.yaml");
    const Node ns = tree("latency: {ns: 13, source: sheet}\n", "b.yaml");
    EXPECT_EQ(delay(merge(cycles, ns)).cycles, 17U);
    EXPECT_EQ(delay(merge(cycles, ns)).entry().source, "sheet");
    EXPECT_EQ(delay(merge(cycles, ns)).entry().ref, "");
    EXPECT_EQ(delay(merge(ns, cycles)).cycles, 4U);
    EXPECT_EQ(delay(merge(ns, cycles)).entry().ns, "");
    // A third file that has neither number leaves both where they are: the source decides.
    EXPECT_EQ(delay(merge(merge(cycles, ns), tree("latency: {ref: page 1}\n"))).cycles, 17U);
    EXPECT_EQ(delay(merge(cycles, tree("latency: {ns: 13}\n"))).errors,
              "chip.yaml:1:15: latency.ns: the source comes from another place, a.yaml:1, expected "
              "ns and source in one file (guess when unknown)\n");
}

TEST(TimeInNs, OrCyclesOfTheCommandLineTakeThePlaceOfAFile) {
    const auto set = [](const std::string& file, const char* assignment) {
        Diagnostics diag;
        return delay(apply_override(tree(file), assignment, diag, OverridePath::NewLeaf));
    };
    const Delay cycles = set("latency: {ns: 13, source: sheet}\n", "latency.cycles=9");
    EXPECT_EQ(cycles.cycles, 9U);
    EXPECT_EQ(cycles.entry().source, "--set");
    const Delay ns = set("latency: {cycles: 9, source: manual}\n", "latency.ns=13");
    EXPECT_EQ(ns.cycles, 17U);
    EXPECT_TRUE(ns.entry().is_override);
    EXPECT_EQ(set("latency: {ns: 13, source: sheet}\n", "latency.source=mine").errors,
              "--set: latency.source: the number stays that of chip.yaml:1, expected latency.ns "
              "with it\n");
}

}  // namespace
}  // namespace archipelago::config::test
