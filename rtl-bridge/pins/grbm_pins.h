// SPDX-License-Identifier: Apache-2.0
// Pins of the register bus manager; documented in rtl-bridge/rtl/grbm/grbm.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct GrbmPins {
    static constexpr const char* kName = "grbm";
    static constexpr unsigned kSources = 2;            // host, CP
    static constexpr unsigned kBlocks = 7;             // of configs/registers/si_bus.yaml
    static constexpr unsigned kAnswers = kBlocks + 1;  // to one source in one cycle, at most
    static constexpr unsigned kMostReads = 32;
    static constexpr unsigned kMostSpace = 15;  // code of "so many or more"

    enum Error : uint8_t { kNone, kUnsolicited, kStarts };
    enum Stall : uint8_t { kGoes, kWaitsForBlock, kWaitsForPlace };

    template <class T>
    using PerSource = std::array<T, kSources>;
    template <class T>
    using PerBlock = std::array<T, kBlocks>;
    struct In {
        uint8_t rst = 0;
        uint8_t run = 0;
        uint32_t cfg_gfx_index = 0, cfg_status = 0, cfg_status_se = 0;
        uint8_t cfg_reads = 0;
        std::array<uint32_t, 4> busy{};  // STATUS, STATUS2, STATUS_SE0, STATUS_SE1
        PerSource<uint8_t> req_valid{}, req_write{}, req_ring{}, req_context{}, req_vmid{};
        PerSource<uint32_t> req_offset{}, req_value{}, req_tag{};
        PerBlock<uint8_t> port_ready{};
        PerBlock<uint8_t> rsp_valid{}, rsp_unknown{}, rsp_write{};
        PerBlock<uint32_t> rsp_value{}, rsp_tag{};
        PerSource<uint8_t> ans_space{};
    };
    struct Out {
        PerSource<uint8_t> req_ready{};
        PerBlock<uint8_t> port_valid{};
        uint32_t port_offset = 0, port_value = 0, port_tag = 0;
        uint8_t port_write = 0, port_source = 0, port_ring = 0, port_context = 0, port_vmid = 0;
        uint8_t port_se = 0, port_sh = 0, port_instance = 0, port_broadcast = 0;
        PerBlock<uint8_t> rsp_ready{};
        PerSource<uint8_t> ans_count{};
        std::array<uint32_t, kSources * kAnswers> ans_value{}, ans_tag{};
        std::array<uint8_t, kSources * kAnswers> ans_unknown{};
        uint32_t soft_reset = 0;
        uint8_t reads = 0;
        PerSource<uint8_t> stall{};
        uint8_t unknown = 0;
        uint8_t error_code = 0;
        uint32_t error_place = 0;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(ctl, run, run, 1);
        ARCHIPELAGO_PIN(cfg, gfx_index, cfg_gfx_index, 32);
        ARCHIPELAGO_PIN(cfg, status, cfg_status, 32);
        ARCHIPELAGO_PIN(cfg, status_se, cfg_status_se, 32);
        ARCHIPELAGO_PIN(cfg, reads, cfg_reads, 8);
        ARCHIPELAGO_PIN(busy, level, busy, 32);
        ARCHIPELAGO_PIN(req, valid, req_valid, 1);
        ARCHIPELAGO_PIN(req, offset, req_offset, 32);
        ARCHIPELAGO_PIN(req, value, req_value, 32);
        ARCHIPELAGO_PIN(req, write, req_write, 1);
        ARCHIPELAGO_PIN(req, ring, req_ring, 2);
        ARCHIPELAGO_PIN(req, context, req_context, 3);
        ARCHIPELAGO_PIN(req, vmid, req_vmid, 4);
        ARCHIPELAGO_PIN(req, tag, req_tag, 32);
        ARCHIPELAGO_PIN(port, ready, port_ready, 1);
        ARCHIPELAGO_PIN(rsp, valid, rsp_valid, 1);
        ARCHIPELAGO_PIN(rsp, value, rsp_value, 32);
        ARCHIPELAGO_PIN(rsp, tag, rsp_tag, 32);
        ARCHIPELAGO_PIN(rsp, unknown, rsp_unknown, 1);
        ARCHIPELAGO_PIN(rsp, write, rsp_write, 1);
        ARCHIPELAGO_PIN(ans, space, ans_space, 4);
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(req, ready, req_ready, 1);
        ARCHIPELAGO_PIN(port, valid, port_valid, 1);
        ARCHIPELAGO_PIN(port, offset, port_offset, 32);
        ARCHIPELAGO_PIN(port, value, port_value, 32);
        ARCHIPELAGO_PIN(port, write, port_write, 1);
        ARCHIPELAGO_PIN(port, source, port_source, 1);
        ARCHIPELAGO_PIN(port, ring, port_ring, 2);
        ARCHIPELAGO_PIN(port, context, port_context, 3);
        ARCHIPELAGO_PIN(port, vmid, port_vmid, 4);
        ARCHIPELAGO_PIN(port, tag, port_tag, 32);
        ARCHIPELAGO_PIN(port, se, port_se, 8);
        ARCHIPELAGO_PIN(port, sh, port_sh, 8);
        ARCHIPELAGO_PIN(port, instance, port_instance, 8);
        ARCHIPELAGO_PIN(port, broadcast, port_broadcast, 3);
        ARCHIPELAGO_PIN(rsp, ready, rsp_ready, 1);
        ARCHIPELAGO_PIN(ans, count, ans_count, 4);
        ARCHIPELAGO_PIN(ans, value, ans_value, 32);
        ARCHIPELAGO_PIN(ans, tag, ans_tag, 32);
        ARCHIPELAGO_PIN(ans, unknown, ans_unknown, 1);
        ARCHIPELAGO_PIN(state, soft_reset, soft_reset, 32);
        ARCHIPELAGO_PIN(state, reads, reads, 8);
        ARCHIPELAGO_PIN(state, stall, stall, 2);
        ARCHIPELAGO_PIN(event, unknown, unknown, 4);
        ARCHIPELAGO_PIN(error, code, error_code, 2);
        ARCHIPELAGO_PIN(error, place, error_place, 32);
    }
};

}  // namespace archipelago::rtl
