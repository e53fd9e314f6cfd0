// SPDX-License-Identifier: Apache-2.0
// How an ALU or OUT instruction is computed over the lanes of a thread, worked out once by
// decode(): where each value comes from, what is made of it first, and one kernel for each result.
//
// Values have numbers: 4 * SourceSelect + channel is a source (the last four presubtracted), then
// the swizzles' numbers, then values that are made.
#pragma once

#include <array>
#include <cstdint>

namespace archipelago::ctm::isa {

// What an operation does. Pass takes its value through the output modifier only.
enum class Kernel : uint8_t { Pass, Mad, Min, Max, Cnd, Cmp, Frc, Dp3, Dp4, D2a, Count };
// The output modifier: off, the factor 1, another one, a factor and the clamp to 0..1.
enum class Finish : uint8_t { Bits, One, Scale, ScaleClamp, Count };

struct MathPlan {
    static constexpr uint8_t kNumbers = 16;  // 0, 0.5, 1
    static constexpr uint8_t kMade = 19;     // the first that is made
    static constexpr uint8_t kMaxMade = 14;  // three operands of four channels, and two shared
    static constexpr uint8_t kValues = kMade + kMaxMade;
    static constexpr uint16_t kPlaces = 4 * 128;

    // A source address that is read: of RGB, of alpha, or of both where they are the same.
    struct Source {
        enum class Kind : uint8_t { Temporary, Constant, Inline };
        Kind kind = Kind::Temporary;
        uint8_t first = 0;     // value of its channel R
        uint8_t channels = 0;  // read: by bit
        uint8_t index = 0;
        bool relative = false;
        uint8_t slot = 0;  // of a constant that is not relative: among those needed
        float number = 0;  // inline
    };
    enum class Make : uint8_t { Presubtract, Modify, Spread, Dot, Transcendental };
    struct Step {
        Make make = Make::Modify;
        uint8_t from = 0, to = 0;  // values
        uint8_t modifier = 0;      // InputModifier of Modify and Spread, else the operation
        uint8_t lane = 0;          // of the quad: Spread
    };
    struct Result {
        uint8_t channels = 0;  // that it is for
        uint8_t channel = 0;   // the first of them
        Kernel kernel = Kernel::Pass;
        Finish finish = Finish::One;
        uint8_t factor = 0;  // OutputModifier
        std::array<uint8_t, 3> from{kNumbers, kNumbers, kNumbers};
        // Of a straight plan: 4 * register + channel, or kPlaces + value; and where it goes.
        std::array<uint16_t, 3> place{};
        uint16_t destination = 0;
        bool in_place = false;  // may go to its register before the later ones are computed
    };

    std::array<Source, 6> sources{};
    std::array<Step, kMaxMade + 4> steps{};
    std::array<Result, 4> results{};
    // A.r B.r A.g B.g A.b B.b A.a B.a, of D2A C.b fifth.
    std::array<uint8_t, 8> dot{kNumbers, kNumbers, kNumbers, kNumbers,
                               kNumbers, kNumbers, kNumbers, kNumbers};
    Kernel dot_kernel = Kernel::Dp3;
    uint8_t source_count = 0, step_count = 0, result_count = 0;

    // Float constants in the order of ConstantNeeds. With relative ones it moves with aL.
    std::array<uint8_t, 6> constants{};
    uint8_t constant_count = 0;
    bool relative_constants = false;

    // Channels by bit.
    uint8_t temporaries = 0;  // written to registers
    uint8_t outputs = 0;      // ... to outputs
    bool predicated = false;
    // Registers and numbers in, registers out, nothing else to make or to write: where all lanes
    // write, each result is one kernel from register to register.
    bool straight = false;
    bool more = false;  // predicates, the ALU result or the conditional value are written
};

}  // namespace archipelago::ctm::isa
