// SPDX-License-Identifier: Apache-2.0
// A row per restriction that chapter 2 of "Radeon Southern Islands Acceleration" states: what must
// be, must not be, is reserved, is illegal or only allowed somewhere, and what becomes of a stream
// that does not keep to it. The test runs every row in both modes. The table of 2.1.6 (rings and
// engines) is in restriction_test.cpp, a row per packet.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace archipelago::cp::test {

enum class Breach {
    Stops,   // BadInput that names packet and place, with `outcome` in its text
    Does,    // what is seen has `outcome` in it; nothing stops
    Ignored  // seen, and in cycle mode timed, as with the legal value
};

// `stream` and `buffer` as in packet_outcome.h; % is first `breach`, then `legal`, which never
// stops.
struct Restriction {
    const char* section;
    const char* rule;
    Breach kind;
    const char* stream;
    const char* breach;
    const char* legal;
    const char* outcome = "";
    const char* buffer = "";
    unsigned ring = 0;
};
inline void PrintTo(const Restriction& row, std::ostream* out) {
    *out << row.section << " " << row.rule;
}

// One list per part of the chapter.
std::vector<Restriction> state_restrictions();  // 2.1 .. 2.4
std::vector<Restriction> draw_restrictions();   // 2.5, 2.6
std::vector<Restriction> sync_restrictions();   // 2.7, 2.8
std::vector<Restriction> data_restrictions();   // 2.9

}  // namespace archipelago::cp::test
