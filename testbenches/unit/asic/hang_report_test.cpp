// SPDX-License-Identifier: Apache-2.0
// The text of a report of what a chip that does not move is doing.
#include "models/asic/hang_report.h"

#include <gmock/gmock.h>

#include "models/common/verilog_mark.h"

namespace archipelago::asic {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HangReport, ListsUnitsOfVerilogBehindAllThatFits) {
    HangReport report;
    for (unsigned i = 0; i < 100; ++i)
        report.units.emplace_back("unit" + std::to_string(i), "an answer");
    report.units[90].second = std::string(kVerilogMark) + "12 requests not answered";
    const std::string text = to_text(report);
    EXPECT_THAT(text, HasSubstr("  unit23: an answer\n"));
    EXPECT_THAT(text, Not(HasSubstr("unit24")));
    EXPECT_THAT(text, HasSubstr("  unit90: Verilog: 12 requests not answered\n"));
    EXPECT_THAT(text, HasSubstr("  and 75 more units that wait\n"));
}

TEST(HangReport, ListsUnitsThatMoveBehindThoseThatWait) {
    HangReport report;
    report.units.emplace_back("cp", "memory");
    report.moving.emplace_back("mc0", "2 reads to be scheduled");
    report.watched_since = 50;
    EXPECT_EQ(to_text(report),
              "  cp: memory\n  requests in flight, which have moved since cycle 50:\n"
              "  mc0: 2 reads to be scheduled\n");
}

}  // namespace
}  // namespace archipelago::asic
