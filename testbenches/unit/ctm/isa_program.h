// SPDX-License-Identifier: Apache-2.0
// Instructions out of fields, and a thread that runs them, for the tests of the instruction set.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "models/ctm/isa/fields.h"
#include "models/ctm/isa/semantics.h"

namespace archipelago::ctm::isa::test {

using Setting = std::pair<Field, uint32_t>;

inline Words with(Words words, std::initializer_list<Setting> settings) {
    for (const auto& [field, value] : settings) {
        set(words, field, value);
    }
    return words;
}
inline Words words_of(Type type, std::initializer_list<Setting> settings) {
    return with(with({}, {{Field::Type, static_cast<uint32_t>(type)}}), settings);
}
template <class Value>
uint32_t number(Value value) {
    return static_cast<uint32_t>(value);
}

inline uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline float float_of(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// RGB swizzle .rgb and alpha swizzle .a for A, B and C of sources 0, 1 and 2: what a compiler
// starts from.
inline Words math(Type type, RgbOp rgb, AlphaOp alpha) {
    Words w = words_of(type, {{Field::RgbOp, number(rgb)}, {Field::AlphaOp, number(alpha)}});
    for (const Field first : {Field::RgbSelA, Field::RgbSelB, Field::RgbSelC}) {
        for (uint32_t c = 0; c < 3; ++c) {
            set(w, static_cast<Field>(number(first) + 1 + c), c);
        }
    }
    for (const Field f : {Field::AlphaSwizA, Field::AlphaSwizB, Field::AlphaSwizC}) {
        set(w, f, number(Swizzle::A));
    }
    return with(
        w,
        {{Field::RgbSelB, 1}, {Field::AlphaSelB, 1}, {Field::RgbSelC, 2}, {Field::AlphaSelC, 2}});
}
// Both halves' three addresses are registers a, b and c.
inline Words registers(Words w, uint32_t a, uint32_t b, uint32_t c) {
    return with(w, {{Field::RgbAddr0, a},
                    {Field::AlphaAddr0, a},
                    {Field::RgbAddr1, b},
                    {Field::AlphaAddr1, b},
                    {Field::RgbAddr2, c},
                    {Field::AlphaAddr2, c}});
}
inline Words to_register(Words w, uint32_t d, uint32_t mask = 0xf) {
    return with(w, {{Field::RgbAddrd, d},
                    {Field::AlphaAddrd, d},
                    {Field::RgbWmask, mask & 7},
                    {Field::AlphaWmask, mask >> 3}});
}
// OUT of a register's bits to a target; the end of the program when `last`.
inline Words out(uint32_t source, uint32_t target, bool last, uint32_t mask = 0xf) {
    return with(registers(math(Type::Out, RgbOp::Max, AlphaOp::Max), source, source, source),
                {{Field::RgbOmod, 7},
                 {Field::AlphaOmod, 7},
                 {Field::RgbTarget, target},
                 {Field::AlphaTarget, target},
                 {Field::RgbOmask, mask & 7},
                 {Field::AlphaOmask, mask >> 3},
                 {Field::Last, last},
                 {Field::TexSemWait, 1}});
}
// A thread of whole quads in a row that starts at (0, 0), all covered.
inline Thread thread_of(unsigned quads, unsigned temporaries = 1) {
    Thread t;
    t.quads = quads;
    for (unsigned q = 0; q < quads; ++q) {
        t.origin[q] = {static_cast<uint16_t>(2 * q), 0};
    }
    t.covered = (LaneMask{1} << t.lanes()) - 1;
    Program program;
    program.temporaries = temporaries;
    start(t, program);
    return t;
}

struct Surroundings {
    std::function<std::array<float, 4>(unsigned index)> floats;
    std::function<std::array<uint8_t, 3>(unsigned index)> integer;
    std::function<bool(unsigned index)> boolean;
    std::function<std::array<float, 4>(unsigned input, Point at)> texel;
    ProgramMode mode{};
};

inline void step(const Words& words, const Surroundings& s, Thread& thread, Effects& effects) {
    const Instruction instruction = decode(words);
    if (is_lookup(instruction)) {
        TextureRequest request;
        texture_request(instruction, thread, {}, request);
        Register texels{};
        for (unsigned l = 0; l < thread.lanes(); ++l) {
            if ((request.lanes >> l & 1) != 0) {
                const auto texel = s.texel(request.input, request.index[l]);
                for (unsigned c = 0; c < 4; ++c) {
                    texels[c].lane[l] = texel[c];
                }
            }
        }
        texture_return(instruction, request, texels, thread);
        return;
    }
    const ConstantNeeds n = needs(instruction, thread);
    ConstantValues values;
    for (unsigned i = 0; i < n.float_count; ++i) {
        values.floats[i] = s.floats(n.floats[i]);
    }
    values.integer = n.integer ? s.integer(n.integer_index) : std::array<uint8_t, 3>{};
    values.boolean = n.boolean && s.boolean(n.boolean_index);
    execute(instruction, s.mode, values, thread, effects);
}

// To the end of the program; false when it has not come to it after `most` instructions.
inline bool run(const std::vector<Words>& program, const Surroundings& s, Thread& thread,
                Effects& effects, unsigned most = 10000) {
    for (unsigned n = 0; n < most && !thread.ended; ++n) {
        step(program.at(thread.pc), s, thread, effects);
    }
    return thread.ended;
}

}  // namespace archipelago::ctm::isa::test
