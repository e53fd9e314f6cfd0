// SPDX-License-Identifier: Apache-2.0
// Pins of the index DMA unit of VGT; documented in rtl-bridge/rtl/vgt_index_dma.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct VgtIndexDmaPins {
    static constexpr const char* kName = "vgt_index_dma";
    static constexpr Elastic kElastic{"cmd", "grp", "stop_valid", "req rsp"};
    static constexpr unsigned kWords = 16;   // of a line
    static constexpr unsigned kIndices = 8;  // of a group

    // Static: they change with the block in reset only.
    struct Config {
        uint8_t indices = 1;    // of a group at most, 1 to 8
        uint8_t lines = 1;      // requested and not passed on, 1 to 16
        uint8_t in_flight = 1;  // requested and not returned, at least 1
        uint8_t commands = 1;   // begun, 1 to 4
        uint8_t setup = 1;      // cycles, at least 1
    };
    struct Command {
        uint64_t base = 0;
        uint32_t count = 0;
        uint32_t max = 0;
        uint8_t type = 0;
        uint8_t swap = 0;
        uint8_t vmid = 0;
        uint32_t draw = 0;
    };
    struct Response {
        uint8_t status = 0;  // 0: good, 1: unmapped
        uint32_t tag = 0;
        std::array<uint32_t, kWords> data{};
    };
    struct Request {
        uint64_t line = 0;  // byte address / 64
        uint16_t mask = 0;  // dwords of the line
        uint8_t vmid = 0;
        uint8_t tag = 0;
    };
    struct Group {
        std::array<uint32_t, kIndices> index{};
        uint8_t count = 0;
        uint8_t last = 0;
        uint8_t beyond = 0;
        uint32_t draw = 0;
    };

    struct In {
        uint8_t rst = 0;
        Config config;
        uint8_t cmd_valid = 0;
        Command cmd;
        uint8_t req_ready = 0;
        uint8_t rsp_valid = 0;
        Response rsp;
        uint8_t grp_ready = 0;
    };
    struct Out {
        uint8_t cmd_ready = 0;
        uint8_t req_valid = 0;
        Request req;
        uint8_t rsp_ready = 0;
        uint8_t grp_valid = 0;
        Group grp;
        uint8_t fetch_reason = 0;
        uint8_t give_reason = 0;
        uint8_t active = 0;
        uint8_t stop_valid = 0;
        uint8_t stop_code = 0;
        uint32_t stop_draw = 0;
        uint64_t stop_address = 0;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, indices, config.indices, 4, "indices of a group at most, 1 to 8");
        ARCHIPELAGO_PIN(cfg, lines, config.lines, 5,
                        "lines requested and not passed on at most, 1 to 16");
        ARCHIPELAGO_PIN(cfg, in_flight, config.in_flight, 5,
                        "lines requested and not returned at most, at least 1");
        ARCHIPELAGO_PIN(cfg, commands, config.commands, 3,
                        "commands accepted and not passed on at most, 1 to 4");
        ARCHIPELAGO_PIN(cfg, setup, config.setup, 8,
                        "cycles from a command to its first request, at least 1");
        ARCHIPELAGO_PIN(cmd, valid, cmd_valid, 1, "an index buffer of a draw");
        ARCHIPELAGO_PIN(cmd, base, cmd.base, 48, "its byte address");
        ARCHIPELAGO_PIN(cmd, count, cmd.count, 32, "indices of the draw");
        ARCHIPELAGO_PIN(cmd, max, cmd.max, 32, "indices from this number on are 0 and not read");
        ARCHIPELAGO_PIN(cmd, type, cmd.type, 2, "0: 16 bits, 1: 32 bits");
        ARCHIPELAGO_PIN(cmd, swap, cmd.swap, 2,
                        "0 none, 1 bytes of halves, 2 bytes of dwords, 3 halves of dwords");
        ARCHIPELAGO_PIN(cmd, vmid, cmd.vmid, 8, "its VMID");
        ARCHIPELAGO_PIN(cmd, draw, cmd.draw, 32, "comes back with the groups");
        ARCHIPELAGO_PIN(req, ready, req_ready, 1, "memory takes a request");
        ARCHIPELAGO_PIN(rsp, valid, rsp_valid, 1, "a line has come");
        ARCHIPELAGO_PIN(rsp, status, rsp.status, 2, "0 good, 1 unmapped, else failed");
        ARCHIPELAGO_PIN(rsp, tag, rsp.tag, 32, "that of the request");
        ARCHIPELAGO_PIN(rsp, data, rsp.data, 32, "the line");
        ARCHIPELAGO_PIN(grp, ready, grp_ready, 1, "the group is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(cmd, ready, cmd_ready, 1, "the command is taken");
        ARCHIPELAGO_PIN(req, valid, req_valid, 1, "a line is wanted");
        ARCHIPELAGO_PIN(req, line, req.line, 42, "byte address / 64");
        ARCHIPELAGO_PIN(req, mask, req.mask, 16, "dwords of the line with indices");
        ARCHIPELAGO_PIN(req, vmid, req.vmid, 8, "VMID of the address");
        ARCHIPELAGO_PIN(req, tag, req.tag, 4, "slot of the line in a ring of cfg_lines");
        ARCHIPELAGO_PIN(rsp, ready, rsp_ready, 1, "the line is taken");
        ARCHIPELAGO_PIN(grp, valid, grp_valid, 1, "a group of indices, in the order of the draw");
        ARCHIPELAGO_PIN(grp, index, grp.index, 32, "the indices, the first lowest");
        ARCHIPELAGO_PIN(grp, count, grp.count, 4, "how many");
        ARCHIPELAGO_PIN(grp, last, grp.last, 1, "the draw ends with it");
        ARCHIPELAGO_PIN(grp, beyond, grp.beyond, 1, "its indices are those from cmd_max on");
        ARCHIPELAGO_PIN(grp, draw, grp.draw, 32, "number of the draw");
        ARCHIPELAGO_PIN(state, fetch, fetch_reason, 3,
                        "vgt::FetchReason: why nothing is requested or accepted");
        ARCHIPELAGO_PIN(state, give, give_reason, 2, "vgt::GiveReason: why nothing is passed on");
        ARCHIPELAGO_PIN(state, active, active, 1, "something moves, or will without an input");
        ARCHIPELAGO_PIN(stop, valid, stop_valid, 1, "a rule is broken; silence until reset");
        ARCHIPELAGO_PIN(stop, code, stop_code, 3, "vgt::IndexStop: which");
        ARCHIPELAGO_PIN(stop, draw, stop_draw, 32, "number of the draw");
        ARCHIPELAGO_PIN(stop, address, stop_address, 48, "byte address at fault, or the tag");
    }
};

}  // namespace archipelago::rtl
