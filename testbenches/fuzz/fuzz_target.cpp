// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/fuzz_target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace archipelago::fuzz {
namespace {

void mutate_text(Bytes& bytes, Random& random) {
    static const std::vector<std::string> kTokens = {
        "0",     "-1",    "0x",          "18446744073709551616",
        "1e400", ".nan",  "~",           "[]",
        "{}",    "\"",    "'",           "\n",
        "\n  ",  "\n- ",  ": ",          ", ",
        "#",     "&a ",   "*a ",         "!!s",
        "<<:",   "---\n", "|\n",         " MHz",
        " KiB",  "010",   "true",        "\t",
        "\r",    "%",     "{cycles: 4}", "99999",
        "guess", "[",     "}",           "1.5"};
    const size_t at = random.below(static_cast<uint32_t>(bytes.size() + 1));
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random.below(6)) {
        case 0:
        case 1: {
            const std::string& token = random.pick(kTokens);
            bytes.insert(place, token.begin(), token.end());
            break;
        }
        case 2:  // another digit
            for (size_t i = at; i < bytes.size(); ++i)
                if (bytes[i] >= '0' && bytes[i] <= '9') {
                    bytes[i] = static_cast<uint8_t>('0' + random.below(10));
                    break;
                }
            break;
        case 3:  // without the rest of a line
            bytes.erase(place, std::find(place, bytes.end(), '\n'));
            break;
        case 4: {  // a piece once more, somewhere else
            const size_t from = random.below(static_cast<uint32_t>(bytes.size() + 1));
            const size_t count = std::min<size_t>(random.below(64), bytes.size() - from);
            const Bytes piece(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                              bytes.begin() + static_cast<std::ptrdiff_t>(from + count));
            bytes.insert(place, piece.begin(), piece.end());
            break;
        }
        default:
            if (place != bytes.end())
                *place = static_cast<uint8_t>(random.word());
            break;
    }
}

void mutate_words(Bytes& bytes, Random& random) {
    if (bytes.empty()) {
        bytes.push_back(static_cast<uint8_t>(random.word()));
        return;
    }
    const size_t at = random.below(static_cast<uint32_t>(bytes.size()));
    const auto replace = [&](uint64_t value, unsigned width) {
        const size_t first = at / width * width;
        for (unsigned i = 0; i < width && first + i < bytes.size(); ++i)
            bytes[first + i] = static_cast<uint8_t>(value >> (8 * i));
    };
    switch (random.below(8)) {
        case 0:
            bytes[at] ^= static_cast<uint8_t>(1u << random.below(8));
            break;
        case 1:
            bytes[at] = static_cast<uint8_t>(random.word());
            break;
        case 2:
            replace(random.word(), 4);
            break;
        case 3: {
            static const std::vector<uint64_t> kEdges = {
                0,      1,          0x7F,       0x80,       0xFF,       0x7FFF,
                0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF8, 0x100000};
            replace(random.pick(kEdges), 1u << random.below(3));
            break;
        }
        case 4:
            replace(random.one_in(2) ? ~uint64_t{0} : uint64_t{1} << random.below(64), 8);
            break;
        case 5:
            bytes.resize(at);
            break;
        case 6: {  // a few words more or less
            const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at / 4 * 4);
            if (random.one_in(2))
                bytes.insert(place, 4 * (1 + random.below(4)), 0);
            else
                bytes.erase(place, std::min(bytes.end(), place + 4));
            break;
        }
        default:
            std::swap(bytes[at], bytes[random.below(static_cast<uint32_t>(bytes.size()))]);
            break;
    }
}

}  // namespace

void broken(const std::string& property) {
    std::fprintf(stderr, "%s: property does not hold: %s\n", kTarget.name, property.c_str());
    std::abort();
}

Bytes mutate(const Bytes& input, Random& random) {
    Bytes bytes = input;
    for (unsigned edits = 1 + random.below(6); edits > 0; --edits)
        (kTarget.is_text ? mutate_text : mutate_words)(bytes, random);
    return bytes;
}

std::vector<uint32_t> words_of(const uint8_t* bytes, size_t size) {
    std::vector<uint32_t> words(size / 4);
    for (size_t i = 0; i < words.size() * 4; ++i)
        words[i / 4] |= static_cast<uint32_t>(bytes[i]) << 8 * (i % 4);
    return words;
}

Bytes bytes_of(const std::string& text) {
    return {text.begin(), text.end()};
}

std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        broken("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> files_of(const std::string& folder, const std::string& ending) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().extension() == ending)
            files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    if (files.empty())
        broken("no *" + ending + " in " + folder);
    return files;
}

}  // namespace archipelago::fuzz
