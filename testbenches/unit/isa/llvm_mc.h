// SPDX-License-Identifier: Apache-2.0
// LLVM's assembler as a judge: one run for any number of instructions.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "testbenches/support/scratch.h"

namespace archipelago::isa::test {

inline std::string find_llvm_mc() {
    for (const char* dir : {"/usr/bin/", "/usr/local/bin/", "/usr/lib/llvm-15/bin/"}) {
        for (const char* name : {"llvm-mc-15", "llvm-mc-14", "llvm-mc"}) {
            std::string path = std::string(dir) + name;
            if (std::filesystem::exists(path)) {
                return path;
            }
        }
    }
    return "";
}

struct LlvmAssembly {
    std::map<size_t, std::vector<uint32_t>> words;  // by line number, accepted lines only
    std::string errors;
};

// Assembles one instruction per line; a label in front of each ties encodings to lines.
inline LlvmAssembly llvm_assemble(const std::string& llvm_mc,
                                  const std::vector<std::string>& lines) {
    const archipelago::test::Scratch scratch;
    const std::filesystem::path& base = scratch.path();
    std::string source;
    for (size_t i = 0; i < lines.size(); ++i) {
        source += "L" + std::to_string(i) + ": " + lines[i] + "\n";
    }
    scratch.write("in.s", source);
    const auto quoted = [&](const char* file) { return "'" + (base / file).string() + "'"; };
    const std::string command = llvm_mc + " -arch=amdgcn -mcpu=tahiti -show-encoding " +
                                quoted("in.s") + " > " + quoted("out") + " 2> " + quoted("err");
    // A non-zero status only says that some line was refused; those lines have no encoding.
    const int status = std::system(command.c_str());
    (void)status;
    LlvmAssembly result;
    std::ifstream out(base / "out");
    std::string line;
    size_t current = 0;
    while (std::getline(out, line)) {
        if (line.size() > 1 && line[0] == 'L') {
            current = std::stoul(line.substr(1));
        }
        const size_t at = line.find("encoding: [");
        if (at == std::string::npos) {
            continue;
        }
        std::vector<uint8_t> bytes;
        for (size_t p = at + 11; p + 4 <= line.size() && line[p] == '0'; p += 5) {
            bytes.push_back(static_cast<uint8_t>(std::stoul(line.substr(p + 2, 2), nullptr, 16)));
        }
        std::vector<uint32_t> words(bytes.size() / 4);
        for (size_t w = 0; w < words.size(); ++w) {
            words[w] = bytes[4 * w] | bytes[4 * w + 1] << 8 | bytes[4 * w + 2] << 16 |
                       static_cast<uint32_t>(bytes[4 * w + 3]) << 24;
        }
        result.words[current] = words;
    }
    std::ifstream err(base / "err");
    std::stringstream text;
    text << err.rdbuf();
    result.errors = text.str();
    return result;
}

}  // namespace archipelago::isa::test
