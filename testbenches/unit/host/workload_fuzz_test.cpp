// SPDX-License-Identifier: Apache-2.0
// No bytes crash the reader of workloads, or pass without either a workload or an error. Bounded
// and seeded: every run is the same.
#include <random>

#include "workload_files.h"

namespace archipelago::host::test {
namespace {

class WorkloadFuzz : public WorkloadFiles {
  protected:
    void exercise(const std::string& text) const {
        config::Diagnostics diag;
        const std::optional<Workload> w =
            parse_workload_text(text, "w.yaml", directory_, test_chip, diag);
        ASSERT_EQ(w.has_value(), !diag.has_errors()) << text;
        for (const config::Diagnostic& d : diag.all()) {
            const std::string line = config::format(d);
            ASSERT_EQ(line.find('\n'), std::string::npos) << line;
            ASSERT_EQ(line.rfind("w.yaml", 0), 0U) << line;
        }
        if (!w) {
            return;
        }
        for (const MemorySpec& memory : w->memory) {
            ASSERT_GT(memory.data.size(), 0U);
            ASSERT_LE(memory.data.size() - 1, ~uint64_t{0} - memory.address);
            if (memory.data.size() < 100'000) {
                ASSERT_EQ(read_bytes(memory.data).size(), memory.data.size());
            }
        }
        uint64_t last = 0;
        for (const AddressRange& range : named_ranges(*w)) {
            ASSERT_LE(range.first, range.last);
            ASSERT_TRUE(last == 0 || range.first > last + 1);
            last = range.last;
        }
        ++accepted_;
    }

    mutable int accepted_ = 0;
};

TEST_F(WorkloadFuzz, MutatedWorkloadsNeverCrash) {
    const std::vector<std::string> seeds{
        "asic: tahiti\nmemory:\n  - {address: 0x100000, file: in.bin, offset: 8, size: 16}\n  - "
        "{address: 0x2000, words: [1, 0x2, -3]}\n  - {address: 4096, fill: 0x1ff, size: 64 KiB}\n",
        "kernel:\n  code: kernel.cl\n  global_size: [4096, 16, 2]\n  local_size: [64]\n  args:\n  "
        "  - buffer: {random: {type: f32, count: 64, seed: 9}}\n      expect: {zeros: 16, type: "
        "f64, abs: 1e-3}\n      dump: y.bin\n    - f32: 2.0\n    - i64: -5\n    - local: 4 KiB\n  "
        "repeat: 2\n",
        "steps:\n  - memory: {address: 0, size: 4}\n  - {ring: gfx, words: [0xC0001000]}\n  - "
        "{ring: compute1, packets: [NOP]}\n  - {ring: cp, ib: {address: 64, dwords: 9, vmid: 3}}\n "
        " - "
        "{wait: cp}\n  - expect: {address: 0, file: in.bin, type: u16}\n",
        "expect:\n  - {register: R, value: 1, mask: 3}\n  - {interrupt: eop, count: 0}\ndump: "
        "[{address: 0xfffffffffffffff0, size: 16, file: sub/o}]\n",
    };
    static const std::string kPieces[] = {"0",      "-1",       "0xffffffffffffffff",
                                          "1e400",  ".nan",     "~",
                                          "[]",     "{}",       "\"\"",
                                          "16 GiB", "sub",      "../",
                                          "&a",     "*a",       "f64",
                                          "\n",     "zeros: 8", "words: [9]"};
    static const std::string kBytes = "{}[]:,-?&*!|>'\"%@`#\n\t \\~<=0x.9\x04";
    for (const std::string& seed : seeds) {
        exercise(seed);
    }
    ASSERT_EQ(accepted_, 4);
    std::mt19937_64 random(0xa11ce);
    for (int i = 0; i < 20'000; ++i) {
        std::string text = seeds[random() % seeds.size()];
        for (size_t edits = 1 + random() % 5; edits > 0; --edits) {
            const size_t at = text.empty() ? 0 : random() % text.size();
            switch (random() % 6) {
                case 0:
                    text.insert(at, 1, kBytes[random() % kBytes.size()]);
                    break;
                case 1:
                    text.erase(at, 1 + random() % 6);
                    break;
                case 2:
                    text.replace(at, random() % 4, kPieces[random() % std::size(kPieces)]);
                    break;
                case 3:
                    text.replace(at, 1, 1, static_cast<char>(random() & 0xff));
                    break;
                case 4:
                    text.insert(at, text.substr(random() % (text.size() + 1), random() % 40));
                    break;
                default:
                    if (const size_t digit = text.find_first_of("0123456789", at);
                        digit != std::string::npos) {
                        text[digit] = static_cast<char>('0' + random() % 10);
                    }
                    break;
            }
        }
        exercise(text);
        if (HasFatalFailure()) {
            return;
        }
    }
    EXPECT_GT(accepted_, 500) << "too few of the texts get past the parser";
}

TEST_F(WorkloadFuzz, NoiseNeverCrashes) {
    std::mt19937_64 random(77);
    for (int i = 0; i < 3000; ++i) {
        std::string text(random() % 80, '\0');
        for (char& c : text) {
            c = static_cast<char>((i & 1) != 0 ? random() & 0xff : 0x20 + random() % 0x5f);
        }
        exercise(text);
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST_F(WorkloadFuzz, ManyStepsStayLinear) {
    std::string text = "steps:\n";
    for (uint64_t i = 0; i < 40'000; ++i) {
        text += "- memory: {address: " + std::to_string(i * 8192) + ", file: in.bin, size: 64}\n";
    }
    exercise(text);
    EXPECT_EQ(accepted_, 1);
}

}  // namespace
}  // namespace archipelago::host::test
