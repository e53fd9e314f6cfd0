// SPDX-License-Identifier: Apache-2.0
// Pins of the CTM memory controller's address translation; documented in
// rtl-bridge/rtl/ctm_mc_address.
#pragma once

#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CtmMcAddressPins {
    static constexpr const char* kName = "ctm_mc_address";
    static constexpr Elastic kElastic{"in cmd", "out"};
    // The Verilog's parameter LATENCY as it is built: that of configs/asics/r580.yaml.
    static constexpr unsigned kLatency = 4;

    struct Command {
        uint8_t opcode = 0;
        uint32_t p0 = 0, p1 = 0, p2 = 0;
    };
    struct Request {
        uint8_t client = 0;  // 5 bits
        uint16_t x = 0, y = 0;
        uint8_t tag = 0;
    };
    struct In {
        uint8_t rst = 0;
        uint8_t cmd_valid = 0;
        uint8_t in_valid = 0;
        uint8_t out_ready = 0;
        Command cmd;
        Request in;
    };
    struct Out {
        uint8_t cmd_ready = 0;
        uint8_t cmd_refused = 0;
        uint8_t in_ready = 0;
        uint8_t out_valid = 0;
        uint32_t out_c0 = 0, out_c1 = 0, out_c2 = 0, out_c3 = 0;
        uint8_t out_superfine = 0;
        uint8_t out_log2_bytes = 0;
        uint8_t out_status = 0;
        uint8_t out_tag = 0;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cmd, valid, cmd_valid, 1, "a set_*_fmt command: a client's surface");
        ARCHIPELAGO_PIN(cmd, opcode, cmd.opcode, 8, "bits 15:8 of the header");
        ARCHIPELAGO_PIN(cmd, p0, cmd.p0, 32, "its first parameter, as in the command buffer");
        ARCHIPELAGO_PIN(cmd, p1, cmd.p1, 32, "its second");
        ARCHIPELAGO_PIN(cmd, p2, cmd.p2, 32, "its third; a height is not taken");
        ARCHIPELAGO_PIN(in, valid, in_valid, 1, "an index pair is there");
        ARCHIPELAGO_PIN(
            in, client, in.client, 5,
            "0-15 input, 16-19 output, 20 conditional output, 21-23 constants, 24 instructions");
        ARCHIPELAGO_PIN(in, x, in.x, 12, "column");
        ARCHIPELAGO_PIN(in, y, in.y, 12, "row");
        ARCHIPELAGO_PIN(in, tag, in.tag, 8, "returned with the address");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "the addresses are taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(cmd, ready, cmd_ready, 1, "the command is taken");
        ARCHIPELAGO_PIN(cmd, refused, cmd_refused, 1, "the command is taken without effect");
        ARCHIPELAGO_PIN(in, ready, in_ready, 1, "the pair is taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1, "addresses, in the order of the pairs");
        ARCHIPELAGO_PIN(out, c0, out_c0, 32,
                        "byte address of the element, or of that of channel 0");
        ARCHIPELAGO_PIN(out, c1, out_c1, 32, "of channel 1");
        ARCHIPELAGO_PIN(out, c2, out_c2, 32, "of channel 2");
        ARCHIPELAGO_PIN(out, c3, out_c3, 32, "of channel 3");
        ARCHIPELAGO_PIN(out, superfine, out_superfine, 1, "four addresses, else one");
        ARCHIPELAGO_PIN(out, log2_bytes, out_log2_bytes, 3,
                        "bytes of an element, as a power of two");
        ARCHIPELAGO_PIN(out, status, out_status, 2,
                        "0 good, 1 undefined, 2 reserved format, 3 no client");
        ARCHIPELAGO_PIN(out, tag, out_tag, 8, "that of the pair");
    }
};

}  // namespace archipelago::rtl
