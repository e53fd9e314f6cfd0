// SPDX-License-Identifier: Apache-2.0
// What the text of a scalar means. The rules are those of the YAML 1.2 core schema, narrowed so
// that no accepted integer or boolean means something else to a YAML 1.1 reader:
//   integers  0, 42, -7, +3, 0x1F          not 010, 0o17, 0b11, 1_000, -0x1F
//   numbers   1.5, -2e-3, .5, .inf, .nan
//   booleans  true, false                  not yes, on, True
// Quantities are a decimal number and a unit, "925 MHz": whole numbers of a base unit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace archipelago::config {

// What a YAML reader would take a plain scalar for. Integer and Float include the spellings that
// are refused here (010, 0o17, 1_000), so that they cannot pass as text either.
enum class ScalarType { Text, Boolean, Integer, Float };
ScalarType classify(std::string_view plain);

struct IntegerText {
    enum class Status {
        Ok,
        NotAnInteger,
        LeadingZero,
        Octal,
        Binary,
        Separator,
        SignedHex,
        Real,
        Overflow
    };
    Status status = Status::NotAnInteger;
    bool negative = false;        // never set for zero
    std::uint64_t magnitude = 0;  // valid when status is Ok
};
IntegerText parse_integer(std::string_view text);
std::string integer_to_string(bool negative, std::uint64_t magnitude);

enum class RealStatus { Ok, NotANumber, OutOfRange };
// Rounds once, straight to the wanted type. Decimal only; .inf, -.inf and .nan are numbers.
RealStatus parse_real(std::string_view text, float& value);
RealStatus parse_real(std::string_view text, double& value);
// The shortest text that reads back as the same value.
std::string real_to_string(float value);
std::string real_to_string(double value);

// Named by the base unit the reader gets.
enum class Unit {
    Hertz,        // Hz kHz MHz GHz
    Byte,         // B KiB MiB GiB TiB
    Femtosecond,  // fs ps ns us ms s
};

// "a frequency in Hz, kHz, MHz, GHz"
std::string describe(Unit unit);
std::vector<std::string> unit_names(Unit unit);

struct QuantityText {
    enum class Status { Ok, BareNumber, NotAQuantity, UnknownUnit, Negative, NotWhole, Overflow };
    Status status = Status::NotAQuantity;
    std::uint64_t value = 0;  // in base units, valid when status is Ok
    std::string unit;         // as written, for UnknownUnit
};
// Accepts one space or none between number and unit. Exact: "1.5 KiB" is 1536 bytes, "0.3 B" is
// NotWhole.
QuantityText parse_quantity(std::string_view text, Unit unit);
// In the largest unit that divides the value: 1536 bytes read "1536 B", 65536 "64 KiB".
std::string quantity_to_string(std::uint64_t value, Unit unit);

}  // namespace archipelago::config
