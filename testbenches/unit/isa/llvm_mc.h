// SPDX-License-Identifier: Apache-2.0
// LLVM's assembler as a judge: one run for any number of instructions.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

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
    char directory[] = "/tmp/archipelago_roundtrip_XXXXXX";
    if (mkdtemp(directory) == nullptr) {
        ADD_FAILURE() << "cannot create a directory in /tmp";
        return {};
    }
    const std::filesystem::path base = directory;
    {
        std::ofstream out(base / "in.s");
        for (size_t i = 0; i < lines.size(); ++i) {
            out << "L" << i << ": " << lines[i] << "\n";
        }
    }
    const std::string command = llvm_mc + " -arch=amdgcn -mcpu=tahiti -show-encoding " +
                                (base / "in.s").string() + " > " + (base / "out").string() +
                                " 2> " + (base / "err").string();
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
    std::filesystem::remove_all(base);
    return result;
}

}  // namespace archipelago::isa::test
