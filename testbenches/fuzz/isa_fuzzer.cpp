// SPDX-License-Identifier: Apache-2.0
// Decoder and disassembler on words of any kind. Accepted: every instruction of the input exists.
#include <cctype>
#include <cstring>

#include "models/cu/isa/isa.h"
#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"isa_fuzzer", false, 60000, 30000, 0.3};

bool exercise(const uint8_t* data, size_t size) {
    std::vector<uint32_t> words(size / 4);
    if (!words.empty())
        std::memcpy(words.data(), data, words.size() * 4);
    bool legal = !words.empty();
    for (size_t at = 0; at < words.size();) {
        const isa::Inst inst = isa::decode(&words[at], words.size() - at);
        require(inst.dwords == 1 || inst.dwords == 2, "an instruction has one or two dwords");
        require(inst.dwords <= words.size() - at, "an instruction ends with its words");
        require(inst.words[0] == words[at], "an instruction keeps its encoding");
        require(inst.vgprs_used <= 512 && inst.sgprs_used <= 128, "registers are counted");
        const std::string text = isa::disassemble(inst, 4 * at);
        require(!text.empty(), "every instruction has a text");
        for (const char c : text)
            require(std::isprint(static_cast<unsigned char>(c)) != 0, "texts can be printed");
        const std::string name = isa::mnemonic(inst);
        if (inst.format == isa::Format::Illegal) {
            require(name == "illegal" && !isa::illegal_reason(inst).empty(),
                    "what is illegal has a reason");
            require(!isa::is_implemented(inst) && inst.exec == nullptr,
                    "illegal words are not executed");
            legal = false;
        } else {
            require(text.rfind(name, 0) == 0, "a text starts with the mnemonic");
            // Decoding is a function of the words alone.
            const uint32_t own[2] = {inst.words[0], inst.dwords == 2 ? inst.words[1] : ~0u};
            const isa::Inst again = isa::decode(own, inst.dwords);
            require(again.op == inst.op && again.dwords == inst.dwords &&
                        isa::disassemble(again, 4 * at) == text,
                    "what follows an instruction does not change it");
        }
        at += inst.dwords;
    }
    return legal;
}

namespace {

Bytes to_bytes(const std::vector<uint32_t>& words) {
    Bytes bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

Bytes samples(Random& random, unsigned count) {
    isa::test::SampleMaker maker(random.word() | 1);
    std::vector<uint32_t> words;
    while (count > 0) {
        const auto op = static_cast<isa::Op>(random.below(isa::kOpCount));
        const isa::test::Sample sample = maker.make(op, false);
        words.insert(words.end(), sample.words, sample.words + sample.dwords);
        --count;
    }
    return to_bytes(words);
}

}  // namespace

std::vector<Bytes> seeds() {
    Random random(11);
    std::vector<Bytes> list;
    for (unsigned i = 0; i < 40; ++i)
        list.push_back(samples(random, 1 + random.below(8)));
    return list;
}

Bytes generate(Random& random) {
    Bytes bytes = samples(random, 1 + random.below(6));
    if (random.one_in(3)) {
        const uint32_t at = random.below(static_cast<uint32_t>(bytes.size()));
        bytes[at] ^= static_cast<uint8_t>(1u << random.below(8));
    }
    return bytes;
}

}  // namespace archipelago::fuzz
