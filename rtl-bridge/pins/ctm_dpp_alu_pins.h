// SPDX-License-Identifier: Apache-2.0
// Pins of the ALU of one processor of CTM's DPP array; documented in
// rtl-bridge/rtl/ctm_dpp_alu/ctm_dpp_alu.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CtmDppAluPins {
    static constexpr const char* kName = "ctm_dpp_alu";
    static constexpr Elastic kElastic{"in", "out"};
    static constexpr unsigned kStages = 8;

    // An instruction on the input port, for one processor.
    struct Operation {
        std::array<uint32_t, 6> words{};
        // What its addresses name: 4 * source + channel, of RGB's address or alpha's. Inline
        // numbers need not be brought.
        std::array<uint32_t, 12> source{};
        // 4 * lane + channel: source 0 of the quad's top left, top right and bottom left.
        std::array<uint32_t, 12> quad{};
        uint8_t predicate = 0;  // R, G, B, A by bit
        uint8_t active = 0;
    };
    struct In {
        uint8_t rst = 0;
        uint8_t in_valid = 0;
        uint8_t out_ready = 0;
        Operation in;
    };
    struct Out {
        uint8_t in_ready = 0;
        uint8_t out_valid = 0;
        std::array<uint32_t, 4> out_result{};  // of a channel that nothing is written from: 0
        // Channels by bit.
        uint8_t out_register = 0, out_output = 0;
        uint8_t out_predicate_we = 0, out_predicate = 0;
        uint8_t out_flag_we = 0, out_flag = 0;  // the ALU result
        uint8_t out_conditional = 0;            // alpha is the conditional value
        uint8_t out_illegal = 0;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(in, valid, in_valid, 1, "an instruction is there");
        ARCHIPELAGO_PIN(in, words, in.words, 32, "its six words");
        ARCHIPELAGO_PIN(in, source, in.source, 32,
                        "what its source addresses name: 4 * source + channel, of RGB's address or "
                        "alpha's; inline numbers need not be brought");
        ARCHIPELAGO_PIN(
            in, quad, in.quad, 32,
            "source 0 of the quad's top left, top right and bottom left: 4 * lane + channel");
        ARCHIPELAGO_PIN(in, predicate, in.predicate, 4,
                        "predicate bits R, G, B, A of the processor");
        ARCHIPELAGO_PIN(in, active, in.active, 1, "the processor executes it");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "the result is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(in, ready, in_ready, 1, "the instruction is taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1, "a result, in the order of the instructions");
        ARCHIPELAGO_PIN(out, result, out_result, 32, "R, G, B, A; 0 where nothing is written from");
        ARCHIPELAGO_PIN(out, register, out_register, 4, "channels written to the register, by bit");
        ARCHIPELAGO_PIN(out, output, out_output, 4, "channels written to the output, by bit");
        ARCHIPELAGO_PIN(out, predicate_we, out_predicate_we, 4, "predicate bits that are written");
        ARCHIPELAGO_PIN(out, predicate, out_predicate, 4, "their values");
        ARCHIPELAGO_PIN(out, flag_we, out_flag_we, 1, "the ALU result is written");
        ARCHIPELAGO_PIN(out, flag, out_flag, 1, "its value");
        ARCHIPELAGO_PIN(out, conditional, out_conditional, 1, "alpha is the conditional value");
        ARCHIPELAGO_PIN(out, illegal, out_illegal, 1, "the words are no instruction");
    }
};

}  // namespace archipelago::rtl
