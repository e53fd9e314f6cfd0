// SPDX-License-Identifier: Apache-2.0
// How the generations of Adreno's micro engines differ for microcode. Document "Adreno Five
// Microcode".
#pragma once

#include <cstdint>
#include <string_view>

namespace archipelago::afuc {

// The generation's opcode numbers.
enum class Encoding : uint8_t { A5, A6, A7 };
// The generation's names of registers and packets.
enum class Names : uint8_t { A5xx, A6xx, A7xx, A750 };

struct Generation {
    const char* name;
    const char* title;
    Encoding encoding;
    Names names;
    bool coprocessors;  // LPAC, BV: their images follow the main engine's in its file
};

inline constexpr Generation kGenerations[] = {
    {"a5xx", "a530: PFP and ME", Encoding::A5, Names::A5xx, false},
    {"a6xx", "a630, a650: SQE", Encoding::A6, Names::A6xx, false},
    {"a660", "a660: SQE, LPAC", Encoding::A6, Names::A6xx, true},
    {"a7xx", "a730, a740: BR, BV, LPAC", Encoding::A7, Names::A7xx, true},
    {"a750", "a750: BR, BV, LPAC", Encoding::A7, Names::A750, true},
};

// Null: no generation has that name.
constexpr const Generation* find_generation(std::string_view name) {
    for (const Generation& g : kGenerations)
        if (name == g.name)
            return &g;
    return nullptr;
}

}  // namespace archipelago::afuc
