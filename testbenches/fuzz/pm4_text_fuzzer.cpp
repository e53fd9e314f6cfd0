// SPDX-License-Identifier: Apache-2.0
// PM4 as text.
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/text.h"

#include <algorithm>

#include "testbenches/fuzz/packet_text_target.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"pm4_text_fuzzer", true, 20000, 10000, 0.3};

bool exercise(const uint8_t* data, size_t size) {
    return exercise_text(cp::si_pm4(), data, size);
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
    static const std::vector<std::string> kPieces = {
        "[",       "]",   "{",         "}",        ",",  "=",         ":",
        "0x7f",    "1.5", " compute",  " DW2 = 1", "\n", "NOP",       "COMPUTE_PGM_LO",
        "CS_DONE", "//",  "[count=2]", "-",        "_",  "OTHER_BITS"};
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
        if (random.one_in(12))
            change_a_little(line, kPieces, random);
        text += line;
    }
    return bytes_of(text);
}

}  // namespace archipelago::fuzz
