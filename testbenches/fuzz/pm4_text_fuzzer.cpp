// SPDX-License-Identifier: Apache-2.0
// PM4 as text. Text that is accepted is listed again and must come back as the same words; so must
// the input itself, taken as words.
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/text.h"

#include <algorithm>

#include "testbenches/fuzz/fuzz_target.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"pm4_text_fuzzer", true, 20000, 10000, 0.3};

namespace {

void comes_back(const std::vector<uint32_t>& words) {
    const std::string text =
        cp::si_pm4().disassemble(words.data(), words.size(), {words.size() % 2 == 0});
    const front::PacketAssembly again = cp::si_pm4().assemble(text);
    require(again.errors.empty(), "a listing is accepted");
    require(again.bytes.size() == words.size() * 4 &&
                words_of(again.bytes.data(), again.bytes.size()) == words,
            "a listing gives the same words");
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    comes_back(words_of(data, size));
    const std::string text(data, data + size);
    const front::PacketAssembly assembly = cp::si_pm4().assemble(text);
    require_places_and_reasons(assembly.errors, text);
    require(assembly.errors.size() <= front::kMaxTextErrors + 1, "errors are limited");
    require(assembly.bytes.size() <= front::kMaxTextBytes, "the words are limited");
    // Long packets say nothing new.
    if (assembly.bytes.size() <= 262144)
        comes_back(words_of(assembly.bytes.data(), assembly.bytes.size()));
    return assembly.errors.empty();
}

std::vector<Bytes> seeds() {
    std::vector<Bytes> list;
    for (const char* text :
         {"SET_SH_REG COMPUTE_NUM_THREAD_X = {NUM_THREAD_FULL: 64}, // first\n"
          "           COMPUTE_NUM_THREAD_Y = 1\nDISPATCH_DIRECT [compute] DIM_X = 4, DIM_Y = 1\n",
          "EVENT_WRITE EVENT_INDEX = 4, EVENT_TYPE = CS_PARTIAL_FLUSH ; wait\n"
          "WAIT_REG_MEM MEM_SPACE = MEMORY, FUNCTION = EQUAL, POLL_ADDRESS = 0x1_0000_2000\n",
          "NOP [count=3, predicate] DATA = [1, -2, 1.5e3]\nTYPE2 [reserved=7]\n.word 1, 0b11\n",
          "TYPE0 0x08500 = 1, SCRATCH_REG1 = 0x2 # two\nPACKET3 [opcode=0x99] DATA = 3, DW2 = 4\n",
          "LOAD_SH_REG BASE_ADDR = 0x1000, REG_OFFSET = 1, NUM_DWORDS = 2, REG_OFFSET = 9\n"
          "SET_BASE BASE_INDEX = CE_PARTITIONS, CS1_INDEX = 64, CS2_INDEX = 128\n"})
        list.push_back(bytes_of(text));
    return list;
}

// Packets as the disassembler writes them, some changed a little.
Bytes generate(Random& random) {
    const cp::PacketTable& table = cp::si_packet_table();
    std::string text;
    for (unsigned n = 1 + random.below(6); n > 0; --n) {
        const cp::PacketInfo& info = *(table.begin() + random.below(uint32_t(table.size())));
        const uint32_t body = std::min<uint32_t>(
            info.max_dwords, info.min_dwords + (random.one_in(3) ? random.below(9) : 0));
        std::vector<uint32_t> words{cp::make_header(info.opcodes[0], body, random.one_in(4))};
        for (uint32_t i = 0; i < body; ++i)
            words.push_back(random.one_in(3) ? random.word() : random.below(256));
        std::string line = cp::si_pm4().disassemble(words.data(), words.size(), {false});
        if (random.one_in(12) && !line.empty()) {
            static const std::vector<std::string> kPieces = {
                "[",       "]",   "{",         "}",        ",",  "=",         ":",
                "0x7f",    "1.5", " compute",  " DW2 = 1", "\n", "NOP",       "COMPUTE_PGM_LO",
                "CS_DONE", "//",  "[count=2]", "-",        "_",  "OTHER_BITS"};
            const uint32_t at = random.below(static_cast<uint32_t>(line.size()));
            if (random.one_in(2))
                line.insert(at, random.pick(kPieces));
            else
                line.erase(at, 1 + random.below(3));
        }
        text += line;
    }
    return bytes_of(text);
}

}  // namespace archipelago::fuzz
