// SPDX-License-Identifier: Apache-2.0
#include "models/config/reader.h"

#include <cmath>
#include <stdexcept>

#include "support.h"

namespace archipelago::config::test {
namespace {

enum class Policy { Lru, Fifo, Random };

Policy read_policy(Reader& r) {
    return r.enumeration<Policy>(
        "v", {{"lru", Policy::Lru}, {"fifo", Policy::Fifo}, {"random", Policy::Random}});
}

template <class T>
std::string number_error(const std::string& value, Bounds<T> bounds) {
    return value_error(value, [&](Reader& r) { r.required<T>("v", bounds); });
}

TEST(Reader, ReadsASpecOfEveryType) {
    const Node root = tree(
        "depth: 8\noffset: -3\nbase: 0x100000\nratio: 0.5\nexact: 0.1\non: true\nname: meq\n"
        "clock: 925 MHz\nsize: 64 KiB\ndelay: 5 ns\npolicy: fifo\nwords: [1, 0x2]\n"
        "names: [a, \"2\"]\n");
    Diagnostics diag;
    Reader r(root, diag);
    EXPECT_EQ(r.required<unsigned>("depth", range(1, 1024)), 8U);
    EXPECT_EQ(r.required<int>("offset"), -3);
    EXPECT_EQ(r.required<std::uint64_t>("base"), 0x100000U);
    EXPECT_EQ(r.required<double>("ratio", range(0, 1)), 0.5);
    EXPECT_EQ(r.required<float>("exact", range(0.05, 0.2)), 0.1F);
    EXPECT_EQ(r.required<bool>("on"), true);
    EXPECT_EQ(r.required<std::string>("name"), "meq");
    EXPECT_EQ(r.required_quantity("clock", Unit::Hertz), 925'000'000U);
    EXPECT_EQ(r.required_quantity("size", Unit::Byte, range(1, 1 << 20)), 65536U);
    EXPECT_EQ(r.required_quantity("delay", Unit::Femtosecond), 5'000'000U);
    EXPECT_EQ(r.enumeration("policy", {{"lru", Policy::Lru}, {"fifo", Policy::Fifo}}, Policy::Lru),
              Policy::Fifo);
    EXPECT_EQ(r.sequence<std::uint32_t>("words"), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(r.sequence<std::string>("names"), (std::vector<std::string>{"a", "2"}));
    r.finish();
    EXPECT_TRUE(r.ok());
    EXPECT_EQ(diag.format(), "");
}

TEST(Reader, LimitsOfEveryIntegerTypeAreReachable) {
    const auto check = [](const std::string& text, auto expected) {
        using T = decltype(expected);
        EXPECT_EQ(
            read_errors("v: " + text, [&](Reader& r) { EXPECT_EQ(r.required<T>("v"), expected); }),
            "");
    };
    check("-128", std::int8_t{-128});
    check("255", std::uint8_t{255});
    check("-9223372036854775808", std::numeric_limits<std::int64_t>::min());
    check("9223372036854775807", std::numeric_limits<std::int64_t>::max());
    check("18446744073709551615", std::numeric_limits<std::uint64_t>::max());
    check("-2147483648", std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(number_error<std::int8_t>("-129", {}),
              "-129 is out of range, expected an integer in -128..127");
    EXPECT_EQ(number_error<std::uint8_t>("256", {}),
              "256 is out of range, expected an integer in 0..255");
    EXPECT_EQ(number_error<std::int64_t>("9223372036854775808", {}),
              "9223372036854775808 is out of range, expected an integer in "
              "-9223372036854775808..9223372036854775807");
}

TEST(Reader, IntegersSayWhatWasWrongAndWhatWasExpected) {
    const auto error = [](const std::string& value) {
        return number_error<unsigned>(value, range(1, 1024));
    };
    EXPECT_EQ(error("1"), "");
    EXPECT_EQ(error("1024"), "");
    EXPECT_EQ(error("0"), "0 is out of range, expected an integer in 1..1024");
    EXPECT_EQ(error("1025"), "1025 is out of range, expected an integer in 1..1024");
    EXPECT_EQ(error("-1"), "-1 is out of range, expected an integer in 1..1024");
    EXPECT_EQ(error("0x401"), "0x401 is out of range, expected an integer in 1..1024");
    EXPECT_EQ(error("99999999999999999999"),
              "99999999999999999999 is out of range, expected an integer in 1..1024");
    EXPECT_EQ(error("010"),
              "got 010, expected an integer in 1..1024 (a leading zero could mean octal; did you "
              "mean 10?)");
    EXPECT_EQ(error("0o17"),
              "got 0o17, expected an integer in 1..1024 (octal is not supported: write it in "
              "decimal or 0x hexadecimal)");
    EXPECT_EQ(error("0b11"),
              "got 0b11, expected an integer in 1..1024 (binary is not supported: write it in "
              "decimal or 0x hexadecimal)");
    EXPECT_EQ(error("1_000"),
              "got 1_000, expected an integer in 1..1024 (digits are not separated by \"_\")");
    EXPECT_EQ(error("-0x1"),
              "got -0x1, expected an integer in 1..1024 (hexadecimal takes no sign: write it in "
              "decimal)");
    EXPECT_EQ(error("1e3"), "got 1e3, expected an integer in 1..1024");
    EXPECT_EQ(error("8.0"), "got 8.0, expected an integer in 1..1024");
    EXPECT_EQ(error("yes"), "got text \"yes\", expected an integer in 1..1024");
    EXPECT_EQ(error("true"), "got true, expected an integer in 1..1024");
    EXPECT_EQ(error("\"8\""),
              "got text \"8\", expected an integer in 1..1024 (write it without quotes)");
    EXPECT_EQ(error("[8]"), "got a list, expected an integer in 1..1024");
    EXPECT_EQ(error("{a: 8}"), "got a map, expected an integer in 1..1024");
}

TEST(Reader, AKeyWithoutValueIsReportedAtTheKey) {
    EXPECT_EQ(read_errors("a: 1\nv:\n",
                          [](Reader& r) {
                              r.ignore("a");
                              r.required<unsigned>("v");
                          }),
              "chip.yaml:2:1: v: got nothing, expected an integer in 0..4294967295\n");
}

TEST(Reader, NumbersSayWhatWasWrong) {
    EXPECT_EQ(number_error<double>("1e3", {}), "");
    EXPECT_EQ(number_error<double>("7", {}), "");
    EXPECT_EQ(number_error<double>("1e999", {}),
              "1e999 is out of range, expected a number that fits 64-bit floating point");
    EXPECT_EQ(number_error<float>("1e39", {}),
              "1e39 is out of range, expected a number that fits 32-bit floating point");
    EXPECT_EQ(number_error<double>("1.5", range(0, 1)),
              "1.5 is out of range, expected a number in 0..1");
    EXPECT_EQ(number_error<double>(".nan", range(0, 1)),
              ".nan is out of range, expected a number in 0..1");
    EXPECT_EQ(number_error<double>("abc", {}), "got text \"abc\", expected a number");
    EXPECT_EQ(number_error<double>("\"1.5\"", {}),
              "got text \"1.5\", expected a number (write it without quotes)");
    EXPECT_EQ(number_error<double>("010", {}),
              "got 010, expected a number (a leading zero could mean octal; did you mean 10?)");
    EXPECT_EQ(number_error<double>("0x10", {}), "got 0x10, expected a number");
    EXPECT_EQ(
        read_errors("v: -.inf", [](Reader& r) { EXPECT_TRUE(std::isinf(r.required<float>("v"))); }),
        "");
}

TEST(Reader, OnlyTrueAndFalseAreBooleans) {
    const auto error = [](const std::string& value) {
        return value_error(value, [](Reader& r) { r.required<bool>("v"); });
    };
    EXPECT_EQ(error("true"), "");
    EXPECT_EQ(error("false"), "");
    EXPECT_EQ(error("yes"), "got text \"yes\", expected true or false (did you mean true?)");
    EXPECT_EQ(error("off"), "got text \"off\", expected true or false (did you mean false?)");
    EXPECT_EQ(error("True"), "got True, expected true or false (did you mean true?)");
    EXPECT_EQ(error("1"), "got 1, expected true or false (did you mean true?)");
    EXPECT_EQ(error("ture"), "got text \"ture\", expected true or false (did you mean \"true\"?)");
    EXPECT_EQ(error("\"true\""),
              "got text \"true\", expected true or false (write it without quotes)");
    EXPECT_EQ(error("[]"), "got a list, expected true or false");
}

TEST(Reader, NumbersAndBooleansAreNotText) {
    const auto error = [](const std::string& value) {
        return value_error(value, [](Reader& r) { r.required<std::string>("v"); });
    };
    EXPECT_EQ(error("abc"), "");
    EXPECT_EQ(error("\"12\""), "");
    EXPECT_EQ(error("yes"), "");
    EXPECT_EQ(error("12"), "got 12, expected text (did you mean \"12\", in quotes?)");
    EXPECT_EQ(error("010"), "got 010, expected text (did you mean \"010\", in quotes?)");
    EXPECT_EQ(error("1.5"), "got 1.5, expected text (did you mean \"1.5\", in quotes?)");
    EXPECT_EQ(error("true"), "got true, expected text (did you mean \"true\", in quotes?)");
    EXPECT_EQ(error("{}"), "got a map, expected text");
}

TEST(Reader, QuantitiesNeedTheirUnit) {
    const auto clock = [](const std::string& value) {
        return value_error(value, [](Reader& r) {
            r.required_quantity("v", Unit::Hertz, range(1'000'000, 2'000'000'000));
        });
    };
    const std::string expected = "expected a frequency in Hz, kHz, MHz, GHz from 1 MHz to 2 GHz";
    EXPECT_EQ(clock("925 MHz"), "");
    EXPECT_EQ(clock("\"925 MHz\""), "");
    EXPECT_EQ(clock("925"), "got 925 without a unit, " + expected);
    EXPECT_EQ(clock("1.5"), "got 1.5 without a unit, " + expected);
    EXPECT_EQ(clock("925 mhz"),
              "got \"925 mhz\" with unit \"mhz\", " + expected + " (did you mean \"MHz\"?)");
    EXPECT_EQ(clock("64 KiB"), "got \"64 KiB\" with unit \"KiB\", " + expected);
    EXPECT_EQ(clock("5 GHz"), "\"5 GHz\" is out of range, " + expected);
    EXPECT_EQ(clock("-5 MHz"), "\"-5 MHz\" is out of range, " + expected);
    EXPECT_EQ(clock("1.0000000001 GHz"),
              "\"1.0000000001 GHz\" is not a whole number of Hz, " + expected);
    EXPECT_EQ(clock("fast"), "got text \"fast\", " + expected);
    EXPECT_EQ(clock("[1]"), "got a list, " + expected);
    EXPECT_EQ(value_error("64 KB", [](Reader& r) { r.required_quantity("v", Unit::Byte); }),
              "got \"64 KB\" with unit \"KB\", expected a size in B, KiB, MiB, GiB, TiB (did you "
              "mean \"KiB\"?)");
    EXPECT_EQ(value_error("5 nS", [](Reader& r) { r.required_quantity("v", Unit::Femtosecond); }),
              "got \"5 nS\" with unit \"nS\", expected a time in fs, ps, ns, us, ms, s (did you "
              "mean \"ns\"?)");
}

TEST(Reader, ASizeMayBeABareNumberWhereTheFormatSaysSo) {
    const auto read = [](const std::string& text, std::uint64_t expected) {
        return value_error(text, [&](Reader& r) {
            EXPECT_EQ(
                r.required_quantity("v", Unit::Byte, range(1, 1 << 20), "", BareNumber::Allowed),
                expected);
        });
    };
    EXPECT_EQ(read("4096", 4096), "");
    EXPECT_EQ(read("0x1000", 4096), "");
    EXPECT_EQ(read("4 KiB", 4096), "");
    const std::string expected =
        "expected a size in B, KiB, MiB, GiB, TiB or a bare number of B from 1 B to 1 MiB";
    EXPECT_EQ(read("-1", 1), "\"-1\" is out of range, " + expected);
    EXPECT_EQ(read("1.5", 1), "got 1.5, " + expected);
    EXPECT_EQ(read("0", 1), "\"0\" is out of range, " + expected);
    EXPECT_EQ(read("99999999999999999999", 1),
              "\"99999999999999999999\" is out of range, " + expected);
}

TEST(Reader, EnumerationsNameTheirValues) {
    const auto error = [](const std::string& value) { return value_error(value, read_policy); };
    EXPECT_EQ(error("random"), "");
    EXPECT_EQ(error("lur"),
              "got text \"lur\", expected one of: lru, fifo, random (did you mean \"lru\"?)");
    EXPECT_EQ(error("5"), "got 5, expected one of: lru, fifo, random");
    EXPECT_EQ(error("[lru]"), "got a list, expected one of: lru, fifo, random");
    EXPECT_EQ(read_errors("a: 1\n",
                          [](Reader& r) {
                              r.ignore("a");
                              EXPECT_EQ(read_policy(r), Policy::Lru);
                          }),
              "chip.yaml:1:1: v: required key is missing, expected one of: lru, fifo, random\n");
}

TEST(Reader, ReferencesMustNameWhatExists) {
    const auto error = [](const std::string& value, std::vector<std::string> names) {
        return value_error(value, [&](Reader& r) { r.reference("v", "clock", names); });
    };
    EXPECT_EQ(error("sclk", {"sclk", "mclk"}), "");
    EXPECT_EQ(error("sclkk", {"sclk", "mclk"}),
              "got text \"sclkk\", expected the name of a clock: sclk, mclk (did you mean "
              "\"sclk\"?)");
    EXPECT_EQ(error("x", {}),
              "got text \"x\", expected the name of a clock, of which there are "
              "none");
    EXPECT_EQ(read_errors("{}", [](Reader& r) { r.reference("v", "clock", {"sclk"}); }),
              "chip.yaml:1:1: v: required key is missing, expected the name of a clock\n");
    EXPECT_EQ(read_errors("{}",
                          [](Reader& r) {
                              EXPECT_EQ(r.maybe_reference("v", "clock", {"sclk"}), std::nullopt);
                          }),
              "");
}

TEST(Reader, MissingKeysAreReportedAtTheEnclosingMap) {
    EXPECT_EQ(read_errors("cp:\n  pfp: {width: 1}\n",
                          [](Reader& r) {
                              Reader cp = r.map("cp");
                              Reader pfp = cp.map("pfp");
                              EXPECT_EQ(pfp.required<unsigned>("depth", range(2, 16)), 2U);
                              pfp.required<bool>("on");
                              pfp.required<std::string>("name");
                              pfp.required_quantity("clock", Unit::Hertz);
                              pfp.ignore("width");
                              pfp.map("meq").required<unsigned>("not_reported_again");
                              pfp.sequence<int>("list");
                          }),
              "chip.yaml:2:8: cp.pfp.depth: required key is missing, expected an integer in 2..16\n"
              "chip.yaml:2:8: cp.pfp.on: required key is missing, expected true or false\n"
              "chip.yaml:2:8: cp.pfp.name: required key is missing, expected text\n"
              "chip.yaml:2:8: cp.pfp.clock: required key is missing, expected a frequency in Hz, "
              "kHz, MHz, GHz\n"
              "chip.yaml:2:8: cp.pfp.meq: required key is missing, expected a map\n"
              "chip.yaml:2:8: cp.pfp.list: required key is missing, expected a list\n");
}

TEST(Reader, UnknownKeysAreReportedWithTheNearestKnownOne) {
    EXPECT_EQ(read_errors("cp:\n  dept: 1\n  depth: 2\n  nonsense: 3\n",
                          [](Reader& r) {
                              Reader cp = r.map("cp");
                              cp.required<unsigned>("depth");
                              cp.optional<unsigned>("width", 1);
                          }),
              "chip.yaml:2:3: cp.dept: unknown key, expected one of: depth, width (did you mean "
              "\"depth\"?)\n"
              "chip.yaml:4:3: cp.nonsense: unknown key, expected one of: depth, width\n");
    EXPECT_EQ(read_errors("a: 1\n", [](Reader&) {}),
              "chip.yaml:1:1: a: unknown key, expected an empty map\n");
}

TEST(Reader, AForgottenFinishStillReports) {
    Diagnostics diag;
    const Node root = tree("a: {b: 1}\n");
    {
        Reader r(root, diag);
        Reader moved = r.map("a");
        std::vector<Reader> readers;
        readers.push_back(std::move(moved));
        EXPECT_EQ(diag.format(), "");
    }
    EXPECT_EQ(diag.format(), "chip.yaml:1:5: a.b: unknown key, expected an empty map\n");
}

TEST(Reader, FinishReportsOnce) {
    Diagnostics diag;
    {
        Reader r(tree("a: 1\n"), diag);
        r.finish();
        r.finish();
    }
    EXPECT_EQ(diag.error_count(), 1U);
}

TEST(Reader, AllErrorsOfAFileComeOutInOrder) {
    EXPECT_EQ(read_errors("b: 0\na: yes\na: no\nlist: [1, x, 999]\nextra: 1\nclock: 5\n",
                          [](Reader& r) {
                              r.required_quantity("clock", Unit::Hertz);
                              EXPECT_EQ(r.sequence<unsigned>("list", range(0, 99)),
                                        (std::vector<unsigned>{1, 0, 0}));
                              r.required<bool>("a");
                              r.required<unsigned>("b", range(1, 2));
                              r.required<unsigned>("c");
                              EXPECT_FALSE(r.ok());
                          }),
              "chip.yaml:1:1: c: required key is missing, expected an integer in 0..4294967295\n"
              "chip.yaml:1:4: b: 0 is out of range, expected an integer in 1..2\n"
              "chip.yaml:2:4: a: got text \"yes\", expected true or false (did you mean true?)\n"
              "chip.yaml:3:1: a: duplicate key, expected each key once (first given at line 2)\n"
              "chip.yaml:4:11: list[1]: got text \"x\", expected an integer in 0..99\n"
              "chip.yaml:4:14: list[2]: 999 is out of range, expected an integer in 0..99\n"
              "chip.yaml:5:1: extra: unknown key, expected one of: clock, list, a, b, c\n"
              "chip.yaml:6:8: clock: got 5 without a unit, expected a frequency in Hz, kHz, MHz, "
              "GHz\n");
}

TEST(Reader, OptionalKeysTakeTheirDefaultButNotInPlaceOfAFault) {
    EXPECT_EQ(read_errors("bad: x\n",
                          [](Reader& r) {
                              EXPECT_EQ(r.optional<unsigned>("a", 7, range(1, 9)), 7U);
                              EXPECT_EQ(r.optional<bool>("b", true), true);
                              EXPECT_EQ(r.optional<std::string>("c", "d"), "d");
                              EXPECT_EQ(r.optional_quantity("e", Unit::Byte, 64), 64U);
                              EXPECT_EQ(r.maybe<int>("f"), std::nullopt);
                              EXPECT_EQ(r.maybe_quantity("g", Unit::Byte), std::nullopt);
                              EXPECT_EQ(r.optional_map("h").has_value(), false);
                              EXPECT_TRUE(r.optional_maps("i").empty());
                              EXPECT_TRUE(r.optional_items("j").empty());
                              EXPECT_EQ(r.maybe_sequence<int>("k"), std::nullopt);
                              EXPECT_EQ(r.optional<unsigned>("bad", 3), 3U);
                          }),
              "chip.yaml:1:6: bad: got text \"x\", expected an integer in 0..4294967295\n");
}

TEST(Reader, ARootThatIsNoMapIsOneError) {
    EXPECT_EQ(read_errors("[1]\n", [](Reader& r) { r.required<unsigned>("a"); }),
              "chip.yaml:1:1: got a list, expected a map\n");
    EXPECT_EQ(read_errors("just text\n", [](Reader&) {}),
              "chip.yaml:1:1: got text \"just text\", expected a map\n");
}

TEST(Reader, TheWrongKindOfMapIsOneErrorAndNothingCascades) {
    EXPECT_EQ(read_errors("cp: 5\n",
                          [](Reader& r) {
                              Reader cp = r.map("cp");
                              EXPECT_TRUE(cp.is_void());
                              cp.required<unsigned>("a");
                              cp.required_quantity("b", Unit::Hertz);
                              cp.timing("c");
                              cp.maps("d");
                              cp.one_of({"e", "f"});
                              cp.check(false, "g", "silent");
                              cp.error("silent");
                              EXPECT_FALSE(cp.ok());
                          }),
              "chip.yaml:1:5: cp: got 5, expected a map\n");
}

TEST(Reader, ListsOfMapsHaveIndexedPaths) {
    EXPECT_EQ(read_errors("mem:\n  - {address: 0x10}\n  - {adress: 1}\n  - 7\n",
                          [](Reader& r) {
                              std::vector<Reader> maps = r.maps("mem", count(1, 8));
                              EXPECT_EQ(maps.size(), 3U);
                              for (Reader& m : maps) {
                                  m.required<std::uint64_t>("address");
                              }
                          }),
              "chip.yaml:3:5: mem[1].address: required key is missing, expected an integer in "
              "0..18446744073709551615\n"
              "chip.yaml:3:6: mem[1].adress: unknown key, expected one of: address (did you mean "
              "\"address\"?)\n"
              "chip.yaml:4:5: mem[2]: got 7, expected a map\n");
}

TEST(Reader, ListsHaveTheCountTheyMustHave) {
    const auto error = [](const std::string& value, Count n) {
        return value_error(value, [&](Reader& r) { r.sequence<int>("v", n); });
    };
    EXPECT_EQ(error("[1, 2, 3]", exactly(3)), "");
    EXPECT_EQ(error("[1, 2]", exactly(3)), "got a list of 2, expected a list of 3 items");
    EXPECT_EQ(error("[]", count(1, 3)), "got a list of 0, expected a list of 1 to 3 items");
    EXPECT_EQ(error("[]", at_least(1)), "got a list of 0, expected a list of at least 1 item");
    EXPECT_EQ(error("5", {}), "got 5, expected a list");
    EXPECT_EQ(error("5", exactly(1)), "got 5, expected a list of 1 item");
}

TEST(Reader, ExactlyOneFormMustBeThere) {
    const auto errors = [](const std::string& text, const std::string& chosen) {
        return read_errors("m: " + text + "\n", [&](Reader& r) {
            Reader m = r.map("m");
            EXPECT_EQ(m.one_of({"file", "words", "fill"}), chosen);
        });
    };
    EXPECT_EQ(errors("{words: [1]}", "words"), "");
    EXPECT_EQ(errors("{}", ""),
              "chip.yaml:1:4: m: none of the possible keys is present, expected exactly one of: "
              "file, words, fill\n");
    EXPECT_EQ(errors("{fill: 0, file: a, words: []}", ""),
              "chip.yaml:1:5: m.fill: conflicts with \"file\", expected exactly one of: file, "
              "words, fill\n"
              "chip.yaml:1:23: m.words: conflicts with \"file\", expected exactly one of: file, "
              "words, fill\n");
    EXPECT_EQ(errors("{other: 1}", ""),
              "chip.yaml:1:4: m: none of the possible keys is present, expected exactly one of: "
              "file, words, fill\n"
              "chip.yaml:1:5: m.other: unknown key, expected one of: file, words, fill\n");
    EXPECT_EQ(errors("{wrods: 1}", ""),
              "chip.yaml:1:5: m.wrods: unknown key, expected one of: file, words, fill (did you "
              "mean \"words\"?)\n");
    EXPECT_EQ(read_errors("{}",
                          [](Reader& r) {
                              EXPECT_EQ(r.at_most_one_of({"a", "b"}), "");
                          }),
              "");
    EXPECT_EQ(read_errors("{a: 1, b: 2}",
                          [](Reader& r) {
                              EXPECT_EQ(r.at_most_one_of({"a", "b"}), "");
                          }),
              "chip.yaml:1:8: b: conflicts with \"a\", expected at most one of: a, b\n");
}

TEST(Reader, FormsOfAWorkloadCanBeToldApart) {
    // The argument list of a workload file: maps with one key that says what they are.
    const std::string text =
        "args:\n"
        "  - buffer: {words: [1, 2]}\n"
        "    dump: y.bin\n"
        "  - f32: 2.0\n"
        "  - i32: -1\n"
        "steps: [{wait: gfx}, {memory: {address: 0x200000, size: 4096, fill: 0}}]\n"
        "scalar_or_list: 5\n";
    const std::string errors = read_errors(text, [](Reader& r) {
        std::vector<std::string> kinds;
        for (Reader& arg : r.maps("args")) {
            const std::string kind = arg.one_of({"buffer", "f32", "i32"});
            kinds.push_back(kind);
            if (kind == "buffer") {
                Reader buffer = arg.map("buffer");
                EXPECT_EQ(buffer.sequence<std::uint32_t>("words").size(), 2U);
                EXPECT_EQ(arg.maybe<std::string>("dump"), "y.bin");
            } else if (kind == "f32") {
                EXPECT_EQ(arg.required<float>("f32"), 2.0F);
            } else if (kind == "i32") {
                EXPECT_EQ(arg.required<std::int32_t>("i32"), -1);
            }
        }
        EXPECT_EQ(kinds, (std::vector<std::string>{"buffer", "f32", "i32"}));
        for (const Value& step : r.items("steps")) {
            EXPECT_EQ(step.kind(), Node::Kind::Map);
            Reader s = step.map();
            if (s.one_of({"wait", "memory"}) == "memory") {
                Reader m = s.map("memory");
                EXPECT_EQ(m.required<std::uint64_t>("address"), 0x200000U);
                EXPECT_EQ(m.required_quantity("size", Unit::Byte, {}, "", BareNumber::Allowed),
                          4096U);
                EXPECT_EQ(m.one_of({"file", "words", "fill"}), "fill");
            }
        }
        const std::optional<Value> either = r.need("scalar_or_list", "a number or a list");
        ASSERT_TRUE(either);
        EXPECT_EQ(either->kind(), Node::Kind::Scalar);
        EXPECT_EQ(either->as<unsigned>(range(0, 9)), 5U);
    });
    EXPECT_EQ(errors, "");
}

TEST(Reader, MapsWithNamesOfTheUsersAreReadByName) {
    EXPECT_EQ(read_errors("clocks:\n  sclk: {f: 1}\n  m.clk: {f: 2, g: 3}\n  x: 4\n",
                          [](Reader& r) {
                              std::vector<std::string> names;
                              for (auto& [name, clock] : r.named_maps("clocks")) {
                                  names.push_back(name);
                                  clock.required<int>("f");
                              }
                              EXPECT_EQ(names, (std::vector<std::string>{"sclk", "m.clk", "x"}));
                          }),
              "chip.yaml:3:17: clocks.\"m.clk\".g: unknown key, expected one of: f\n"
              "chip.yaml:4:6: clocks.x: got 4, expected a map\n");
}

TEST(Reader, ConflictsBetweenFieldsStandAtTheField) {
    EXPECT_EQ(read_errors("cp:\n  lines: 6\n  ways: 4\n",
                          [](Reader& r) {
                              Reader cp = r.map("cp");
                              const auto lines = cp.required<unsigned>("lines");
                              const auto ways = cp.required<unsigned>("ways");
                              ASSERT_TRUE(cp.ok());
                              EXPECT_FALSE(cp.check(lines % ways == 0, "lines",
                                                    "6 lines do not fill 4 ways, expected a "
                                                    "multiple of ways"));
                              EXPECT_TRUE(cp.check(true, "ways", "not reported"));
                              cp.error("absent", "is needed with ways");
                              cp.error("the whole map");
                          }),
              "chip.yaml:2:3: cp.absent: is needed with ways\n"
              "chip.yaml:2:3: cp: the whole map\n"
              "chip.yaml:2:10: cp.lines: 6 lines do not fill 4 ways, expected a multiple of "
              "ways\n");
}

TEST(Reader, ARangeThatItsTypeCannotHoldIsAProgramFault) {
    EXPECT_THROW(Bounds<std::uint8_t>(range(0, 256)), std::logic_error);
    EXPECT_THROW(Bounds<unsigned>(range(-1, 5)), std::logic_error);
    EXPECT_THROW(Bounds<unsigned>(range(5, 1)), std::logic_error);
    EXPECT_THROW(Bounds<int>(range(0U, 0x80000000U)), std::logic_error);
    EXPECT_NO_THROW(Bounds<int>(range(-5, 5U)));
}

TEST(Reader, ABasePathStartsEveryMessage) {
    Diagnostics diag;
    {
        Reader r(tree("depth: x\n"), diag, "cp.pfp");
        r.required<unsigned>("depth", range(1, 4));
    }
    EXPECT_EQ(diag.format(),
              "chip.yaml:1:8: cp.pfp.depth: got text \"x\", expected an integer in 1..4\n");
}

TEST(Reader, RecordsFieldsWithOriginDefaultAndMeaning) {
    Records records;
    EXPECT_EQ(read_errors(
                  "depth: 0x8\nclock: 1000 MHz\nwords: [1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
                  "policy: lru\n",
                  [](Reader& r) {
                      r.required<unsigned>("depth", range(1, 1024), "entries of the MEQ");
                      r.required_quantity("clock", Unit::Hertz, {}, "engine clock");
                      r.optional<bool>("on", true, "powered");
                      r.optional_quantity("size", Unit::Byte, 65536);
                      r.sequence<unsigned>("words");
                      r.enumeration("policy", {{"lru", Policy::Lru}}, Policy::Lru);
                      r.enumeration("other", {{"lru", Policy::Lru}}, Policy::Lru);
                  },
                  &records),
              "");
    EXPECT_EQ(records.fields.format(),
              "clock: 1 GHz   # chip.yaml:2, a frequency in Hz, kHz, MHz, GHz: engine clock\n"
              "depth: 0x8   # chip.yaml:1, an integer in 1..1024: entries of the MEQ\n"
              "on: true   # default, true or false: powered\n"
              "other: lru   # default, one of: lru\n"
              "policy: lru   # chip.yaml:4, one of: lru\n"
              "size: 64 KiB   # default, a size in B, KiB, MiB, GiB, TiB\n"
              "words: [1, 2, 3, 4, 5, 6, 7, 8, … (9 items)]   # chip.yaml:3, a list\n");
}

TEST(Reader, AConflictIsReportedWhereTheLastOfItsValuesWasGiven) {
    const Node base = tree("first: 1\nsecond: 2\nce: {depth: 300}\n", "base.yaml");
    const Node own = merge(base, tree("other: 5\nfirst: 7\n", "mine.yaml"));
    const auto said = [](const Node& node, const std::string& message) {
        Diagnostics diag;
        {
            Reader r(node, diag, "cp");
            for (const char* key : {"first", "second", "ce", "other"})
                r.ignore(key);
            r.conflict(message);
        }
        return diag.format();
    };
    const std::string message = "first, second: must rise";
    EXPECT_EQ(said(base, message), "base.yaml:1:8: cp: first, second: must rise\n");
    EXPECT_EQ(said(own, message),
              "mine.yaml:2:8: cp: first, second: must rise; second is 2, at base.yaml:2:9\n");
    Diagnostics diag;
    const Node set = apply_override(own, "second=6", diag);
    EXPECT_EQ(said(set, message),
              "--set: cp: first, second: must rise; first is 7, at mine.yaml:2:8\n");
    EXPECT_EQ(said(apply_override(own, "ce.depth=400", diag), "ce.depth: 1 to 255"),
              "--set: cp: ce.depth: 1 to 255\n");
    EXPECT_EQ(said(own, "a channel needs a latency"),
              "mine.yaml:1:1: cp: a channel needs a latency\n");
}

}  // namespace
}  // namespace archipelago::config::test
