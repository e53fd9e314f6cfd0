// SPDX-License-Identifier: Apache-2.0
// What fuzz targets of packets as text share. Text that is accepted is listed again and must come
// back as the same words; so must the input itself, taken as words.
#pragma once

#include <string>
#include <vector>

#include "models/front/text/packet_language.h"
#include "testbenches/fuzz/fuzz_target.h"

namespace archipelago::fuzz {

inline void comes_back(const front::PacketLanguage& language, const std::vector<uint32_t>& words) {
    const std::string text =
        language.disassemble(words.data(), words.size(), {words.size() % 2 == 0});
    const front::PacketAssembly again = language.assemble(text);
    require(again.errors.empty(), "a listing is accepted");
    require(again.bytes.size() == words.size() * 4 &&
                words_of(again.bytes.data(), again.bytes.size()) == words,
            "a listing gives the same words");
}

// Whether the text was accepted.
inline bool exercise_text(const front::PacketLanguage& language, const uint8_t* data, size_t size) {
    comes_back(language, words_of(data, size));
    const std::string text(data, data + size);
    const front::PacketAssembly assembly = language.assemble(text);
    require_places_and_reasons(assembly.errors, text);
    require(assembly.errors.size() <= front::kMaxTextErrors + 1, "errors are limited");
    require(assembly.bytes.size() <= front::kMaxTextBytes, "the words are limited");
    // Long packets say nothing new.
    if (assembly.bytes.size() <= 262144)
        comes_back(language, words_of(assembly.bytes.data(), assembly.bytes.size()));
    return assembly.errors.empty();
}

// Puts one of `pieces` into the text, or takes up to three characters out of it.
inline void change_a_little(std::string& text, const std::vector<std::string>& pieces,
                            Random& random) {
    if (text.empty())
        return;
    const uint32_t at = random.below(static_cast<uint32_t>(text.size()));
    if (random.one_in(2))
        text.insert(at, random.pick(pieces));
    else
        text.erase(at, 1 + random.below(3));
}

}  // namespace archipelago::fuzz
