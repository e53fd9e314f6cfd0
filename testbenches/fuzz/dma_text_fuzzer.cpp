// SPDX-License-Identifier: Apache-2.0
// Packets of async DMA engines as text, in the languages of all generations.
#include <algorithm>

#include "models/dma/packet_text.h"
#include "registers/si_register_table.h"
#include "testbenches/fuzz/packet_text_target.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"dma_text_fuzzer", true, 8000, 6000, 0.3};

namespace {

dma::TextLanguage language_of(const dma::Generation& generation) {
    return dma::TextLanguage(generation.packets, regs::si::database());
}

}  // namespace

// A text is one of the generation that takes it.
bool exercise(const uint8_t* data, size_t size) {
    bool accepted = false;
    for (const dma::Generation* generation : dma::generations())
        accepted |= exercise_text(language_of(*generation), data, size);
    return accepted;
}

std::vector<Bytes> seeds() {
    std::vector<Bytes> list;
    for (const char* text :
         {"COPY_LINEAR COUNT = 64, DST = 0x1000, SRC = 0x12_0000_2000 // 256 bytes\nFENCE ADDRESS "
          "= "
          "0x100, DATA = 7\nTRAP\n",
          "WRITE_LINEAR DST = 0x1000, DATA = [1, -2, 1.5e3,\n  4] ; four\nNOP\nNOP\n",
          "SRBM_WRITE REGISTER = HDP_MEM_COHERENCY_FLUSH_CNTL, BYTE_ENABLE = 15, DATA = 1\n"
          "POLL_REG_MEM SPACE = MEMORY, FUNCTION = EQUAL, ADDRESS = 0x40, MASK = 0xff\n",
          "COPY_TILED DETILE = T2L, SIZE = BITS_32, LINEAR = 0x2000, COUNT = 16 # no surface\n"
          "INDIRECT_BUFFER IB_BASE = 0x4000, IB_SIZE = 8\n.word 0b11, 0xffffffff\n",
          "CONSTANT_FILL COUNT = 8, DST = 0x100, DATA = 0xdead\nSEMAPHORE SIGNAL = SIGNAL, DW1 = "
          "1\n"})
        list.push_back(bytes_of(text));
    return list;
}

// Packets of a generation as the disassembler writes them, some changed a little.
Bytes generate(Random& random) {
    static const std::vector<std::string> kPieces = {
        "[",   "]",   "{",       "}",  ",",  "=",           ":", "0x7f",
        "1.5", "NOP", "DW2 = 1", "\n", "//", "COUNT = 3, ", "-", "SWAP_8_IN_16"};
    const dma::Generation& generation = *random.pick(dma::generations());
    const dma::TextLanguage language = language_of(generation);
    std::string text;
    for (unsigned n = 1 + random.below(6); n > 0; --n) {
        const dma::PacketInfo& info =
            *(generation.packets.begin() + random.below(uint32_t(generation.packets.size())));
        std::vector<uint32_t> words(info.fixed);
        for (uint32_t& word : words)
            word = random.one_in(3) ? random.word() : random.below(256);
        words[0] = info.header | (words[0] & ~info.header_mask);
        if (info.payload != nullptr) {
            const uint32_t data = random.below(12);
            uint32_t& count = words[info.payload->dword - 1];
            count = (count & ~info.payload->mask()) | data << info.payload->lsb;
            for (uint32_t i = 0; i < data; ++i)
                words.push_back(random.word());
        }
        std::string line = language.disassemble(words.data(), words.size(), {false});
        if (random.one_in(12))
            change_a_little(line, kPieces, random);
        text += line;
    }
    return bytes_of(text);
}

}  // namespace archipelago::fuzz
