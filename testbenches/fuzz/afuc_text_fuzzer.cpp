// SPDX-License-Identifier: Apache-2.0
// Microcode of Adreno's micro engines as text, and packets for it, in the languages of all
// generations. What `.include` names is read from here, never from a file.
#include <map>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/image.h"
#include "models/afuc/isa/instruction.h"
#include "models/afuc/isa/text.h"
#include "models/afuc/pm4/text.h"
#include "testbenches/fuzz/packet_text_target.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"afuc_text_fuzzer", true, 1000, 1000, 0.3};

namespace {

using afuc::Generation;
using afuc::Pm4Language;

constexpr char kPath[] = "fuzz.afuc";

const std::map<std::string, std::string>& included() {
    static const std::map<std::string, std::string> kTexts = {
        {"sub", "sub: waitin\nmov $01, $data\n"},
        {"wrong", "mov $01\n  no_such $02, $03\n"},
        {"twice", ".include \"sub\"\n.include \"empty\"\n.include \"./twice\"\n"},
        {"empty", ""}};
    return kTexts;
}

std::optional<std::string> read_included(const std::string& path) {
    const size_t slash = path.rfind('/');
    const auto found = included().find(slash == std::string::npos ? path : path.substr(slash + 1));
    return found == included().end() ? std::nullopt : std::optional(found->second);
}

const std::vector<Pm4Language>& packets() {
    static const std::vector<Pm4Language> kLanguages = [] {
        std::vector<Pm4Language> list;
        for (const afuc::Pm4Generation& g : afuc::kPm4Generations)
            list.emplace_back(g.names);
        return list;
    }();
    return kLanguages;
}

void image_comes_back(const Generation& generation, const std::vector<uint32_t>& words) {
    const afuc::Assembly again =
        afuc::assemble(generation, afuc::disassemble(generation, words), "", read_included);
    require(again.errors.empty(), "a listing of an image is accepted");
    require(again.words == words, "a listing of an image gives the same words");
}

void check_errors(const afuc::Assembly& assembly, const std::string& text) {
    std::vector<TextError> here;
    for (const TextError& e : assembly.errors) {
        if (e.file.empty())
            here.push_back(e);
        else
            require_places_and_reasons(std::vector<TextError>{e}, *read_included(e.file));
    }
    require_places_and_reasons(here, text);
}

bool exercise_image(const Generation& generation, const std::string& text) {
    const afuc::Assembly assembly = afuc::assemble(generation, text, kPath, read_included);
    check_errors(assembly, text);
    require(assembly.places.size() == assembly.words.size(), "each word has its place");
    for (const afuc::SourcePlace& p : assembly.places)
        require(p.file < assembly.files.size(), "places are of files");
    image_comes_back(generation, assembly.words);
    return assembly.errors.empty();
}

}  // namespace

// A text is one of the language that takes it.
bool exercise(const uint8_t* data, size_t size) {
    const std::vector<uint32_t> words = words_of(data, size);
    const std::string text(data, data + size);
    bool accepted = false;
    for (const Generation& generation : afuc::kGenerations) {
        image_comes_back(generation, words);
        accepted |= exercise_image(generation, text);
    }
    for (const uint32_t word : words)
        for (const Generation& generation : afuc::kGenerations)
            require(!afuc::instruction_text(generation, word, 0).empty(), "a word has a text");
    for (const Pm4Language& language : packets())
        accepted |= exercise_text(language, data, size);
    return accepted;
}

std::vector<Bytes> seeds() {
    std::vector<Bytes> list;
    for (const char* text :
         {"[016ee001]\n[#jumptbl]\nCP_NOP: PKT4: nop\nUNKN2: jump #PKT4\nnop\njumptbl: .jumptbl\n",
          "[01730001]\n[#table]\nCP_NOP: waitin\nmov $01, $data\n.align 32\ntable: .jumptbl\n"
          ".section BV\n[01000001]\n[#table]\nCP_NOP: nop\n.align 32\ntable:\n.jumptbl\n",
          ".image\n[01000005]\n.scratch MINE 0x100\n.include \"sub\"\ncwrite $02, [$00 + @MINE]\n"
          "call #sub\nnop\n",
          "(rep)(xmov1)mov $usraddr, $data ; all\nbreq $04, b1, #a\na: brne $05, 0x1f, #a\n"
          "cwrite $0e, [$05 + @IB1_BASE+0x1], 0x0\nmov $addr, 0x84 << 24\nubfx $03, $04, b1, b7\n",
          "load $02, [$03 + 0x4]\nsread $02, [$00 + %SP]\nret\nsetbit $03, $04, b3\nwaitin\n",
          "PKT4 CP_SCRATCH[0x2] = 5, CP_SCRATCH[0x3] = 6 # two\nPKT7 [opcode=0x17] DATA = [1]\n"
          "CP_NOP [count=3] DATA = [1, -2]\n.word 1, 0b11\n",
          "CP_WAIT_REG_MEM FUNCTION = WRITE_EQ, POLL = POLL_MEMORY, POLL_ADDR = 0x1000, REF = 1\n"
          "CP_SET_DRAW_STATE COUNT = 8, GROUP_ID = 1, ADDR = 0x100002000, COUNT = 0, DISABLE = 1\n"
          "CP_CONTEXT_REG_BUNCH REG = 0xa000, VALUE = 1, REG = 0xa007, VALUE = 2\n"})
        list.push_back(bytes_of(text));
    return list;
}

namespace {

// Instructions of a generation as the disassembler writes them, perhaps with what a file has.
std::string some_image(const Generation& generation, Random& random) {
    const auto& rows = afuc::instructions(generation.encoding);
    const auto count = static_cast<uint32_t>(std::distance(rows.begin(), rows.end()));
    std::vector<uint32_t> words;
    if (random.one_in(3))
        words = {0, afuc::nop(generation.encoding) | (random.word() & afuc::kPayloadMask) | 1,
                 afuc::nop(generation.encoding) | (2 + random.below(12))};
    for (unsigned n = random.below(12); n > 0; --n) {
        const afuc::Row& row = *(rows.begin() + random.below(count));
        words.push_back(row.word |
                        (random.word() & ~row.mask & (random.one_in(4) ? ~0u : row.known())));
    }
    if (random.one_in(2))
        words.resize(words.size() + random.below(150), random.one_in(2) ? 0 : random.below(20));
    return afuc::disassemble(generation, words);
}

std::string some_packets(const Pm4Language& language, Random& random) {
    std::string text;
    const afuc::PacketTable& table = language.packets();
    for (unsigned n = 1 + random.below(5); n > 0; --n) {
        const afuc::Packet& p = *(table.begin() + random.below(uint32_t(table.size())));
        const uint32_t body = std::min<uint32_t>(
            p.max_dwords, p.min_dwords + (random.one_in(3) ? random.below(9) : 0));
        std::vector<uint32_t> words{afuc::make_type7_header(p.opcode, body)};
        for (uint32_t i = 0; i < body; ++i)
            words.push_back(random.one_in(3) ? random.word() : random.below(256));
        text += language.disassemble(words.data(), words.size(), {false});
    }
    return text;
}

}  // namespace

Bytes generate(Random& random) {
    static const std::vector<std::string> kPieces = {
        "[",  "]",       "{",       "}",        ",",          "=",          ":",
        "#",  "0x7f",    "$",       "@",        "%",          "(rep)",      "(xmov2)",
        "b3", "<< 24",   "\n",      ".jumptbl", ".section S", ".align 32",  ".scratch A 1",
        "!",  "DW2 = 1", "CP_NOP:", "nop",      "[#jumptbl]", "[01000002]", ".include \"twice\"",
        "//", "-",       "UNKN3:",  "$data",    ".image"};
    std::string text =
        random.one_in(2)
            ? some_image(afuc::kGenerations[random.below(std::size(afuc::kGenerations))], random)
            : some_packets(random.pick(packets()), random);
    for (unsigned changes = random.below(4); changes > 1; --changes)
        change_a_little(text, kPieces, random);
    return bytes_of(text);
}

}  // namespace archipelago::fuzz
