// SPDX-License-Identifier: Apache-2.0
// Keys cp.microcode*: what packets cost when PFP and ME run a given microcode.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "models/asic/gcn/microcode_cost.h"
#include "models/asic/gcn/read_blocks.h"
#include "models/asic/spec_readers.h"

namespace archipelago::gcn {

using config::range;
using config::Reader;

namespace {

std::optional<Microcode> read_source(Reader& r, const char* key, const char* doc) {
    const std::optional<config::Value> value = r.find(key);
    const std::optional<std::string> name = value ? value->as<std::string>(doc) : std::nullopt;
    if (!name)
        return {};
    std::vector<std::string> problems;
    std::optional<Microcode> code = load_microcode(asic::file_beside(*value, *name), problems);
    for (const std::string& problem : problems)
        value->error(problem);
    if (code)
        for (const std::string& file : code->assembly.files)
            value->add_file(file);
    return code;
}

// The assembler puts a zero dword before the image.
EngineMicrocode listing(const char* engine, const Microcode& code, unsigned moves) {
    return {engine, code.path,           code.generation->name, code.assembly.words.size() - 1,
            moves,  code.assembly.labels};
}

}  // namespace

void read_microcode(Reader& r, ChipConfig& chip) {
    const std::optional<Microcode> pfp =
        read_source(r, "microcode", "afuc of PFP; without microcode_me, of the one engine");
    const std::optional<Microcode> me = read_source(r, "microcode_me", "afuc of ME");
    const std::optional<unsigned> moves =
        r.maybe<unsigned>("microcode_moves", range(0u, 3u), "the most that (xmovN) makes");
    const auto& keys = r.keys();
    const bool there = std::find(keys.begin(), keys.end(), "microcode") != keys.end();
    if (!there && (me || moves))
        r.conflict("microcode_me and microcode_moves need microcode");
    for (const std::optional<Microcode>* code : {&pfp, &me})
        if (*code)
            asic::add_to_hash(chip.identity, (*code)->assembly.words);
    if (!pfp)
        return;
    const unsigned most_moves = moves.value_or(3);
    chip.cp.microcode = microcode_cost(*pfp, me, most_moves);
    chip.microcode.push_back(listing(me ? "PFP" : "PFP and ME", *pfp, most_moves));
    if (me)
        chip.microcode.push_back(listing("ME", *me, most_moves));
}

}  // namespace archipelago::gcn
