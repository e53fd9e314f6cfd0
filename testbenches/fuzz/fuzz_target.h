// SPDX-License-Identifier: Apache-2.0
// What a fuzz target gives its two drivers: libfuzzer_driver.cpp (unbounded, coverage-guided,
// preset `asan`) and bounded_driver.cpp (a GoogleTest of a few seconds in every build).
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rtl-bridge/compare/random.h"

namespace archipelago::fuzz {

using Bytes = std::vector<uint8_t>;

using Random = archipelago::Random<Mersenne<>>;

// ---- defined once by each target --------------------------------------------------------------

struct TargetInfo {
    const char* name;
    bool is_text;      // mutations insert tokens rather than words
    unsigned mutated;  // inputs of the bounded run, a few seconds together
    unsigned generated;
    double accepted_generated;  // least part of generate()'s inputs that must be accepted
};
extern const TargetInfo kTarget;

// Feeds one input to the code under test; true when it was accepted. Input that is refused must be
// refused by the documented exception or diagnostics; anything else that goes wrong ends in
// broken().
bool exercise(const uint8_t* data, size_t size);

// Legal inputs: all are accepted.
std::vector<Bytes> seeds();

// A random input that is mostly legal, to get after the first checks.
Bytes generate(Random& random);

// ---- for targets and drivers ------------------------------------------------------------------

// A property does not hold: says which and aborts, so that either driver keeps the input.
[[noreturn]] void broken(const std::string& property);

inline void require(bool holds, const char* property) {
    if (!holds)
        broken(property);
}

// What every list of errors of a text keeps to, regardless of the assembler: `errors` have a line,
// a column and a message.
template <class Error>
void require_places_and_reasons(const std::vector<Error>& errors, const std::string& text) {
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    unsigned last = 0;
    for (const Error& error : errors) {
        require(error.line >= 1 && error.line <= lines && error.column >= 1 &&
                    error.column <= text.size() + 1,
                "an error names a place of the text");
        require(error.line >= last, "errors are in order");
        last = error.line;
        require(!error.message.empty(), "an error has a reason");
        for (const char c : error.message)
            require(std::isprint(static_cast<unsigned char>(c)) != 0, "reasons can be printed");
    }
}

Bytes mutate(const Bytes& input, Random& random);

// Little-endian words; the bytes after the last whole one are left out.
std::vector<uint32_t> words_of(const uint8_t* bytes, size_t size);

Bytes bytes_of(const std::string& text);
std::string read_text(const std::string& path);
// Regular files below `folder` whose name ends so, in order of name. Empty is a failure of the
// tree, not an input, and aborts.
std::vector<std::string> files_of(const std::string& folder, const std::string& ending);

}  // namespace archipelago::fuzz
