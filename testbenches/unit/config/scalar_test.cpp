// SPDX-License-Identifier: Apache-2.0
#include "models/config/scalar.h"

#include <cmath>
#include <limits>

#include "models/config/suggest.h"
#include "support.h"

namespace archipelago::config::test {
namespace {

using IntStatus = IntegerText::Status;
using QuantityStatus = QuantityText::Status;

TEST(Scalar, IntegersAreDecimalOrHexadecimal) {
    const auto check = [](std::string_view text, bool negative, std::uint64_t magnitude) {
        const IntegerText parsed = parse_integer(text);
        EXPECT_EQ(parsed.status, IntStatus::Ok) << text;
        EXPECT_EQ(parsed.negative, negative) << text;
        EXPECT_EQ(parsed.magnitude, magnitude) << text;
    };
    check("0", false, 0);
    check("-0", false, 0);
    check("42", false, 42);
    check("+3", false, 3);
    check("-7", true, 7);
    check("0x10", false, 16);
    check("0xDeadBeef", false, 0xDEADBEEF);
    check("0x00ff", false, 255);
    check("18446744073709551615", false, std::numeric_limits<std::uint64_t>::max());
    check("0xffffffffffffffff", false, std::numeric_limits<std::uint64_t>::max());
}

TEST(Scalar, SpellingsThatReadersDisagreeOnAreNotIntegers) {
    EXPECT_EQ(parse_integer("010").status, IntStatus::LeadingZero);
    EXPECT_EQ(parse_integer("-08").status, IntStatus::LeadingZero);
    EXPECT_EQ(parse_integer("0o17").status, IntStatus::Octal);
    EXPECT_EQ(parse_integer("0b11").status, IntStatus::Binary);
    EXPECT_EQ(parse_integer("1_000").status, IntStatus::Separator);
    EXPECT_EQ(parse_integer("-0x10").status, IntStatus::SignedHex);
    EXPECT_EQ(parse_integer("1e3").status, IntStatus::Real);
    EXPECT_EQ(parse_integer("1.0").status, IntStatus::Real);
    EXPECT_EQ(parse_integer("18446744073709551616").status, IntStatus::Overflow);
    EXPECT_EQ(parse_integer("0x10000000000000000").status, IntStatus::Overflow);
    for (const char* text :
         {"", "-", "+", "0x", "0xg", "x10", "1 2", " 1", "1 ", "--1", "1-", "_1", "0X10", "٣"}) {
        EXPECT_EQ(parse_integer(text).status, IntStatus::NotAnInteger) << text;
    }
}

TEST(Scalar, EverySpellingOfANumberIsKeptOutOfText) {
    for (const char* text : {"0", "-1", "010", "0o17", "0b1", "1_0", "-0x1", "0x1F"}) {
        EXPECT_EQ(classify(text), ScalarType::Integer) << text;
    }
    for (const char* text : {"1.5", ".5", "5.", "1e3", "-.inf", ".nan", "1E+3"}) {
        EXPECT_EQ(classify(text), ScalarType::Float) << text;
    }
    for (const char* text : {"true", "false", "True", "FALSE"}) {
        EXPECT_EQ(classify(text), ScalarType::Boolean) << text;
    }
    for (const char* text : {"", "yes", "abc", "1.2.3", "e5", ".", "-", "925 MHz", "1e", "tRuE"}) {
        EXPECT_EQ(classify(text), ScalarType::Text) << text;
    }
}

TEST(Scalar, RealsRoundOnceToTheirType) {
    float f = 0;
    double d = 0;
    EXPECT_EQ(parse_real("0.1", f), RealStatus::Ok);
    EXPECT_EQ(f, 0.1F);
    EXPECT_EQ(parse_real("-2.5e-3", d), RealStatus::Ok);
    EXPECT_EQ(d, -2.5e-3);
    EXPECT_EQ(parse_real("+7", d), RealStatus::Ok);
    EXPECT_EQ(d, 7.0);
    // Halfway between two floats after rounding to double: only direct rounding gets it right.
    EXPECT_EQ(parse_real("1.00000017881393432617187499", f), RealStatus::Ok);
    EXPECT_EQ(f, 1.00000011920928955078125F);
    EXPECT_EQ(parse_real("-.inf", d), RealStatus::Ok);
    EXPECT_EQ(d, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(parse_real(".nan", f), RealStatus::Ok);
    EXPECT_TRUE(std::isnan(f));
    EXPECT_EQ(parse_real("1e39", f), RealStatus::OutOfRange);
    EXPECT_EQ(parse_real("1e999", d), RealStatus::OutOfRange);
    for (const char* text : {"", ".", "e3", "1e", "0x10", "inf", "nan", "1f", "-.nan", "1..2"}) {
        EXPECT_EQ(parse_real(text, d), RealStatus::NotANumber) << text;
    }
}

TEST(Scalar, QuantitiesAreExactInBaseUnits) {
    const auto check = [](std::string_view text, Unit unit, std::uint64_t value) {
        const QuantityText parsed = parse_quantity(text, unit);
        EXPECT_EQ(parsed.status, QuantityStatus::Ok) << text;
        EXPECT_EQ(parsed.value, value) << text;
    };
    check("925 MHz", Unit::Hertz, 925'000'000);
    check("1375 MHz", Unit::Hertz, 1'375'000'000);
    check("925MHz", Unit::Hertz, 925'000'000);
    check("1.5 GHz", Unit::Hertz, 1'500'000'000);
    check("32.768 kHz", Unit::Hertz, 32'768);
    check("0 Hz", Unit::Hertz, 0);
    check("64 KiB", Unit::Byte, 65536);
    check("256 B", Unit::Byte, 256);
    check("0.5 KiB", Unit::Byte, 512);
    check("0.0009765625 KiB", Unit::Byte, 1);
    check("3 GiB", Unit::Byte, 3ULL << 30);
    check("5 ns", Unit::Femtosecond, 5'000'000);
    check("2.50000000000000000000000 ps", Unit::Femtosecond, 2500);
    check("18446744073709551615 fs", Unit::Femtosecond, 18446744073709551615ULL);
    check("18446 s", Unit::Femtosecond, 18446000000000000000ULL);
}

TEST(Scalar, FaultyQuantitiesSayWhatIsWrong) {
    const auto check = [](std::string_view text, Unit unit, QuantityStatus status) {
        EXPECT_EQ(parse_quantity(text, unit).status, status) << text;
    };
    check("925", Unit::Hertz, QuantityStatus::BareNumber);
    check("1.5", Unit::Hertz, QuantityStatus::BareNumber);
    check("0x10", Unit::Byte, QuantityStatus::BareNumber);
    check("64 KiB", Unit::Hertz, QuantityStatus::UnknownUnit);
    check("925 mhz", Unit::Hertz, QuantityStatus::UnknownUnit);
    check("5  ns", Unit::Femtosecond, QuantityStatus::UnknownUnit);
    check("5e3 Hz", Unit::Hertz, QuantityStatus::UnknownUnit);
    check("5 ", Unit::Hertz, QuantityStatus::UnknownUnit);
    check("0.3 B", Unit::Byte, QuantityStatus::NotWhole);
    check("1.0001 Hz", Unit::Hertz, QuantityStatus::NotWhole);
    check("0.00000000000000000000000000000000000000000000001 TiB", Unit::Byte,
          QuantityStatus::NotWhole);
    check("0.33333333333333333333333333 s", Unit::Femtosecond, QuantityStatus::NotWhole);
    check("-5 ns", Unit::Femtosecond, QuantityStatus::Negative);
    check("18447 s", Unit::Femtosecond, QuantityStatus::Overflow);
    check("99999999999999999999999 B", Unit::Byte, QuantityStatus::Overflow);
    for (const char* text :
         {"", "MHz", "-", ". Hz", "1. Hz", ".5 Hz", "010 Hz", "1.2.3 Hz", " 5 Hz", "abc"}) {
        check(text, Unit::Hertz, QuantityStatus::NotAQuantity);
    }
}

TEST(Scalar, QuantitiesPrintInTheLargestUnitThatDividesThem) {
    EXPECT_EQ(quantity_to_string(925'000'000, Unit::Hertz), "925 MHz");
    EXPECT_EQ(quantity_to_string(65536, Unit::Byte), "64 KiB");
    EXPECT_EQ(quantity_to_string(1536, Unit::Byte), "1536 B");
    EXPECT_EQ(quantity_to_string(0, Unit::Byte), "0 B");
    EXPECT_EQ(quantity_to_string(5'000'000, Unit::Femtosecond), "5 ns");
}

TEST(Suggest, NearestNameWinsAndTiesAreStable) {
    EXPECT_EQ(closest("dept", {"width", "depth"}), "depth");
    EXPECT_EQ(closest("detph", {"width", "depth"}), "depth");
    EXPECT_EQ(closest("DEPTH", {"width", "depth"}), "depth");
    EXPECT_EQ(closest("MB", {"B", "KiB", "MiB"}), "MiB");
    EXPECT_EQ(closest("aXc", {"abc", "adc"}), "abc");
    EXPECT_EQ(closest("depth", {"depth"}), std::nullopt);
    EXPECT_EQ(closest("zzz", {"width", "depth"}), std::nullopt);
    EXPECT_EQ(closest("x", {"y"}), std::nullopt);
    EXPECT_EQ(closest("", {"a"}), std::nullopt);
    EXPECT_EQ(closest(std::string(100'000, 'a'), {std::string(100'000, 'a') + 'b'}), std::nullopt);
    // Whole words of a name, when none is near.
    const std::vector<std::string> packets = {"NOP", "DISPATCH_INDIRECT", "DISPATCH_DIRECT",
                                              "WRITE_DATA"};
    EXPECT_EQ(closest("DISPATCH", packets), "DISPATCH_DIRECT");
    EXPECT_EQ(closest("it_nop", packets), "NOP");
    EXPECT_EQ(closest("PACKET3_WRITE_DATA", packets), "WRITE_DATA");
    EXPECT_EQ(closest("DISP", packets), std::nullopt);
    EXPECT_EQ(closest("SNOP_X", packets), std::nullopt);
    EXPECT_EQ(did_you_mean("lur", {"lru"}), " (did you mean \"lru\"?)");
    EXPECT_EQ(did_you_mean("other", {"lru"}), "");
}

TEST(Suggest, EditDistanceCountsASwapOnce) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("lur", "lru"), 1U);
    EXPECT_EQ(edit_distance("ABC", "abc"), 0U);
}

TEST(Suggest, LongListsOfNamesAreCounted) {
    EXPECT_EQ(join_names({}), "");
    EXPECT_EQ(join_names({"a", "b"}), "a, b");
    EXPECT_EQ(join_names({"a", "b", "c", "d"}, 2), "a, b, … (2 more)");
}

}  // namespace
}  // namespace archipelago::config::test
