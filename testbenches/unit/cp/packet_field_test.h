// SPDX-License-Identifier: Apache-2.0
// A row per packet and field: a stream, values of the field, and that the effect is seen. The test
// runs every row in both modes; a field of an executed packet without a row fails it.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace archipelago::cp::test {

struct FieldValue {
    const char* text;
    const char* stop = "";  // what the stop says, for a value that is not accepted
};

enum class Sight {
    Effects,   // registers, events, cache actions, interrupts, memory, where the stream waits
    Effort,    // accesses to memory within a bounded time, and the cycle register 0x9508 is written
    Requests,  // whose address spaces memory is asked in, in cycle mode
    Nothing,   // the field has no effect: every value is seen alike
};

// `stream` (and `buffer`, which stands at kIb) is PM4 text in which % is the value and $ the dwords
// of `buffer`. Memory at kData: dword n of it holds n. Values without a stop are all seen
// differently (alike for Sight::Nothing), the others stop with their text.
struct FieldRow {
    const char* packet;
    const char* field;
    const char* effect;
    const char* stream;
    std::vector<FieldValue> values;
    const char* buffer = "";
    Sight sight = Sight::Effects;
    unsigned ring = 0;
    bool tells_errors = false;  // RESERVED_BIT_ERROR of the graphics ring interrupts
};
// For the names of tests, which must not show addresses.
inline void PrintTo(const FieldRow& row, std::ostream* out) {
    *out << row.packet << " " << row.field;
}

// One list per subject; add a file for a new one.
std::vector<FieldRow> state_rows();
std::vector<FieldRow> sync_rows();
std::vector<FieldRow> data_rows();
std::vector<FieldRow> constant_rows();
std::vector<FieldRow> draw_rows();
std::vector<FieldRow> gds_rows();
std::vector<FieldRow> predication_rows();
std::vector<FieldRow> driver_rows();

}  // namespace archipelago::cp::test
