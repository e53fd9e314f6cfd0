// SPDX-License-Identifier: Apache-2.0
// Disassembly judged by LLVM's assembler: text of every opcode must assemble to the same words.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "models/cu/isa/isa.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::isa {
namespace {

std::string find_llvm_mc() {
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

struct Assembly {
    std::map<size_t, std::vector<uint32_t>> words;  // by line number, accepted lines only
    std::string errors;
};

// Assembles one instruction per line; a label in front of each ties encodings to lines.
Assembly assemble(const std::string& llvm_mc, const std::vector<std::string>& lines) {
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
    Assembly result;
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

TEST(RoundTrip, EveryOpcodeAssemblesBackToItsWords) {
    const std::string llvm_mc = find_llvm_mc();
    if (llvm_mc.empty()) {
        GTEST_SKIP() << "llvm-mc (15 or 14) is not installed";
    }
    const std::vector<test::Sample> samples = test::all_samples(40, 1);
    std::vector<std::string> lines;
    for (const test::Sample& s : samples) {
        const Inst inst = decode(s.words, s.dwords);
        EXPECT_EQ(inst.op, s.op) << op_info(s.op).name << std::hex << " " << s.words[0] << " "
                                 << s.words[1];
        EXPECT_EQ(inst.dwords, s.dwords) << op_info(s.op).name;
        lines.push_back(disassemble(inst, 0));
    }
    const Assembly assembly = assemble(llvm_mc, lines);
    std::map<std::string, std::string> wrong;  // one example per opcode
    std::set<std::string> refused, marked;
    for (size_t i = 0; i < samples.size(); ++i) {
        const test::Sample& s = samples[i];
        const OpInfo& info = op_info(s.op);
        if (info.has(kOpLlvmRefuses)) {
            marked.insert(info.name);
        }
        const auto found = assembly.words.find(i);
        if (found == assembly.words.end()) {
            if (info.has(kOpLlvmRefuses)) {
                refused.insert(info.name);
            } else {
                const size_t at = assembly.errors.find("in.s:" + std::to_string(i + 1) + ":");
                wrong[info.name] = lines[i] + "\n  refused: " + assembly.errors.substr(at, 120);
            }
            continue;
        }
        const std::vector<uint32_t> expected(s.words, s.words + s.dwords);
        if (found->second != expected) {
            char text[96];
            std::snprintf(text, sizeof text, "\n  expected %08x %08x, assembled %08x %08x",
                          s.words[0], s.words[1], found->second[0],
                          found->second.size() > 1 ? found->second[1] : 0);
            wrong[info.name] = lines[i] + text;
        }
    }
    for (const auto& [name, what] : wrong) {
        ADD_FAILURE() << name << ": " << what;
    }
    // What the description marks as unknown to LLVM must indeed be unknown.
    EXPECT_EQ(refused, marked);
}

}  // namespace
}  // namespace archipelago::isa
