// SPDX-License-Identifier: Apache-2.0
// Packets in text form, as workload files and `archipelago asm` take them: the assembler of their
// language with suggestions for names that are unknown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace archipelago::front {
class PacketLanguage;
}

namespace archipelago::host {

// A refused place of a text; lines and columns count from 1.
struct SourceError {
    unsigned line = 0;
    unsigned column = 0;
    std::string message;  // with a suggestion where there is one
    std::string file{};   // that the text includes; empty: the text itself
};

struct AssembledText {
    std::vector<uint8_t> bytes;
    std::vector<SourceError> errors;
    std::vector<SourceError> warnings{};
    std::vector<std::string> files{};  // that the text includes
};

AssembledText assemble_packets(const front::PacketLanguage& language, std::string_view text);

}  // namespace archipelago::host
