// SPDX-License-Identifier: Apache-2.0
// Words to text and back: through our own assembler for every operand form and for words of any
// kind, and through LLVM's assembler where it knows the form.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "models/cu/isa/assemble.h"
#include "models/cu/isa/isa.h"
#include "testbenches/unit/isa/llvm_mc.h"
#include "testbenches/unit/isa/operand_forms.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::isa::roundtrip_test {
namespace {

using test::find_llvm_mc;
using test::llvm_assemble;
using test::LlvmAssembly;

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
    const LlvmAssembly assembly = llvm_assemble(llvm_mc, lines);
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

// ---- operand forms --------------------------------------------------------------------------

// llvm_differences.txt
class Differences {
  public:
    struct Entry {
        std::string kind, reason;
        std::vector<std::string> opcodes, forms;
        unsigned line = 0;
        size_t matches = 0;
    };

    Differences() {
        std::ifstream file(ARCHIPELAGO_SOURCE_DIR "/testbenches/unit/isa/llvm_differences.txt");
        EXPECT_TRUE(file.is_open());
        std::string line, kind, reason;
        bool in_forms = true;
        for (unsigned number = 1; std::getline(file, line); ++number) {
            if (line.empty() || line[0] == '#') {
                continue;
            }
            const size_t indent = line.find_first_not_of(' ');
            if (indent == 0) {
                kind = line.substr(0, line.find(':'));
                reason = line.substr(line.find(':') + 2);
                in_forms = true;
                continue;
            }
            if (indent == 2 && in_forms) {
                entries.push_back({kind, reason, {}, {}, number, 0});
            }
            in_forms = indent == 4;
            expect(!entries.empty(), number);
            std::istringstream words(line);
            for (std::string word; words >> word;) {
                (in_forms ? entries.back().forms : entries.back().opcodes).push_back(word);
            }
        }
    }

    // The entry a form belongs to, or null.
    Entry* find(const std::string& kind, const std::string& opcode, const std::string& form) {
        for (Entry& entry : entries) {
            if (entry.kind == kind && any(entry.opcodes, opcode) && any(entry.forms, form)) {
                ++entry.matches;
                return &entry;
            }
        }
        return nullptr;
    }

    std::vector<Entry> entries;

  private:
    static void expect(bool holds, unsigned line) {
        EXPECT_TRUE(holds) << "llvm_differences.txt:" << line;
    }
    static bool any(const std::vector<std::string>& patterns, const std::string& text) {
        for (const std::string& p : patterns) {
            if (p.back() == '*' ? text.compare(0, p.size() - 1, p, 0, p.size() - 1) == 0
                                : p == text) {
                return true;
            }
        }
        return false;
    }
};

std::vector<uint32_t> assembled_words(const std::string& text) {
    const Assembly assembly = assemble(text);
    if (!assembly.errors.empty() || assembly.bytes.size() % 4 != 0) {
        return {};
    }
    std::vector<uint32_t> words(assembly.bytes.size() / 4);
    for (size_t i = 0; i < assembly.bytes.size(); ++i) {
        words[i / 4] |= static_cast<uint32_t>(assembly.bytes[i]) << 8 * (i % 4);
    }
    return words;
}

bool is_directive(const std::string& text) {
    return text.compare(0, 6, ".long ") == 0;
}

const std::vector<test::Form>& forms() {
    static const std::vector<test::Form> list = test::FormMaker().all();
    return list;
}

// Fails once per opcode at most, with an example.
class Report {
  public:
    void add(const test::Form& form, const std::string& what) {
        const std::string name = op_info(form.op).name;
        if (++count_[name] == 1) {
            ADD_FAILURE() << name << " " << form.name << ": " << what;
        }
    }

  private:
    std::map<std::string, unsigned> count_;
};

TEST(RoundTrip, EveryOperandFormComesBackThroughOurAssembler) {
    Differences differences;
    Report report;
    std::set<std::pair<Format, bool>> formats;
    for (const test::Form& form : forms()) {
        const Inst inst = decode(form.words, form.dwords);
        if (inst.op != form.op || inst.dwords != form.dwords) {
            report.add(form, "is not decoded");
            continue;
        }
        formats.insert({inst.format, form.dwords == 2});
        const std::string text = disassemble_exact(inst, 0);
        const std::vector<uint32_t> expected(form.words, form.words + form.dwords);
        if (assembled_words(text) != expected) {
            report.add(form, "other words from: " + text);
        }
        const bool listed = differences.find("long", op_info(form.op).name, form.name) != nullptr;
        if (is_directive(text) != listed) {
            report.add(form, (listed ? "listed, and yet written as: " : "not listed: ") + text);
        }
    }
    EXPECT_GT(forms().size(), 150000u);
    EXPECT_GE(formats.size(), 16u + 5u) << "all formats, five of them with literals as well";
    for (const Differences::Entry& entry : differences.entries) {
        EXPECT_TRUE(entry.kind == "llvm" || entry.kind == "long") << entry.line;
        EXPECT_TRUE(entry.kind != "long" || entry.matches > 0) << "line " << entry.line;
    }
}

TEST(RoundTrip, LlvmMakesTheSameWordsOfEveryFormExceptTheListedOnes) {
    const std::string llvm_mc = "/usr/bin/llvm-mc-15";
    if (!std::filesystem::exists(llvm_mc)) {
        GTEST_SKIP() << "llvm-mc-15 is not installed, and the list is about that version";
    }
    std::vector<std::string> lines;
    for (const test::Form& form : forms()) {
        const std::string text = disassemble_exact(decode(form.words, form.dwords), 0);
        lines.push_back(is_directive(text) ? "" : text);
    }
    const LlvmAssembly assembly = llvm_assemble(llvm_mc, lines);
    Differences differences;
    Report report;
    for (size_t i = 0; i < lines.size(); ++i) {
        const test::Form& form = forms()[i];
        if (lines[i].empty()) {
            continue;
        }
        const auto found = assembly.words.find(i);
        const bool refused = found == assembly.words.end();
        const Differences::Entry* entry =
            differences.find("llvm", op_info(form.op).name, form.name);
        if (refused != (entry != nullptr)) {
            report.add(form,
                       (refused ? "refused and not listed: " : "listed and accepted: ") + lines[i]);
        } else if (!refused &&
                   found->second != std::vector<uint32_t>(form.words, form.words + form.dwords)) {
            report.add(form, "other words from: " + lines[i]);
        }
    }
    for (const Differences::Entry& entry : differences.entries) {
        EXPECT_TRUE(entry.kind != "llvm" || entry.matches > 0)
            << "llvm_differences.txt:" << entry.line << " matches no form";
    }
}

// ---- words of any kind ----------------------------------------------------------------------

TEST(RoundTrip, AnySequenceOfWordsComesBackFromItsListing) {
    test::Random random(3);
    const std::vector<test::Form>& all = forms();
    unsigned legal = 0;
    unsigned illegal = 0;
    unsigned directives = 0;
    for (unsigned round = 0; round < 200; ++round) {
        std::vector<uint32_t> words;
        while (words.size() < 1000) {
            const test::Form& form = all[random.below(static_cast<uint32_t>(all.size()))];
            switch (random.below(4)) {
                case 0:  // a word of no particular kind
                    words.push_back(random.next() ^ random.next() << 12);
                    break;
                case 1:  // an instruction with a bit turned over
                    words.insert(words.end(), form.words, form.words + form.dwords);
                    words[words.size() - 1 - random.below(form.dwords)] ^= 1u << random.below(32);
                    break;
                default:
                    words.insert(words.end(), form.words, form.words + form.dwords);
                    break;
            }
        }
        std::string listing;
        for (size_t at = 0; at < words.size();) {
            const Inst inst = decode(&words[at], words.size() - at);
            const std::string text = disassemble_exact(inst, 4 * at);
            ASSERT_NE(inst.dwords, 0);
            if (inst.format == Format::Illegal) {
                ++illegal;
                ASSERT_TRUE(is_directive(text)) << text;
            } else {
                ++legal;
                directives += is_directive(text) ? 1 : 0;
            }
            listing += text + "\n";
            at += inst.dwords;
        }
        ASSERT_EQ(assembled_words(listing), words) << "round " << round;
    }
    EXPECT_GT(legal, 100000u);
    EXPECT_GT(illegal, 1000u);
    EXPECT_LT(directives * 4, legal) << "most instructions have a text of their own";
}

}  // namespace
}  // namespace archipelago::isa::roundtrip_test
