// SPDX-License-Identifier: Apache-2.0
// Retire traces as text, made equal in what units on pins do not say: accesses of memory, and when
// instructions retire.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace archipelago::test {

// Without comments, accesses and disassembly; lines end after the values.
inline std::string without_accesses(const std::string& trace) {
    std::string out;
    std::istringstream in(trace);
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line.front() == '#')
            continue;
        for (const char* space : {" scalar.", " global.", " lds.", " gds.", " image."})
            while (line.find(space) != std::string::npos) {
                const size_t from = line.find(space);
                line.erase(from, line.find(' ', from + 1) - from);
            }
        out += line.substr(0, line.find(" | @")) + "\n";
    }
    return out;
}

// The lines in an order that does not depend on when waves ran.
inline std::string sorted_lines(const std::string& trace) {
    std::vector<std::string> all;
    std::istringstream in(trace);
    for (std::string line; std::getline(in, line);)
        all.push_back(line.substr(0, line.find(" @")) + "\n");
    std::sort(all.begin(), all.end());
    std::string text;
    for (const std::string& line : all)
        text += line;
    return text;
}

}  // namespace archipelago::test
