// SPDX-License-Identifier: Apache-2.0
// Tables of tests as text. A row is a line of cells; the stream that it runs is indented below it.
//
//     # a comment
//     let NAME = text                        <NAME> stands for it; several lines are indented below
//     KEY [option, option]  title | cell | cell
//         a statement of the stream
//         > a statement of the buffer that the stream calls
//
// In a cell \n ends a line, and \s is a space that would not be seen at the end.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace archipelago::cp::test {

struct TextRow {
    std::string place;  // file:line, for reports
    std::string key, title;
    std::set<std::string> options;
    std::vector<std::string> cells;
    std::string stream, buffer;  // statements, each with its end of line

    // Whether the row has this option, which is not left over then.
    bool take(const std::string& option) { return options.erase(option) != 0; }
    // The number after "ring", 0 without.
    unsigned take_ring();
    // Throws when there are options that nobody has taken.
    void expect_no_options() const;
};

// A file of the folder rows/. Throws std::runtime_error with its place for what is no row.
std::vector<TextRow> read_text_rows(const std::string& file);

}  // namespace archipelago::cp::test
