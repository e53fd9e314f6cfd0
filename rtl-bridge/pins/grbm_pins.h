// SPDX-License-Identifier: Apache-2.0
// Pins of the register bus manager; documented in rtl-bridge/rtl/grbm/grbm.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct GrbmPins {
    static constexpr const char* kName = "grbm";
    static constexpr Elastic kElastic{
        "", "", "", "", "reads of the status registers give the busy levels of their cycle"};
    static constexpr unsigned kSources = 2;            // host, CP
    static constexpr unsigned kBlocks = 8;             // of configs/registers/si_bus.yaml
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
        ARCHIPELAGO_PIN(ctl, run, run, 1, "low: no requests are taken");
        ARCHIPELAGO_PIN(cfg, gfx_index, cfg_gfx_index, 32, "GRBM_GFX_INDEX after reset");
        ARCHIPELAGO_PIN(cfg, status, cfg_status, 32, "bits of GRBM_STATUS that are always set");
        ARCHIPELAGO_PIN(cfg, status_se, cfg_status_se, 32,
                        "bits of GRBM_STATUS_SE0 and 1 that are always set");
        ARCHIPELAGO_PIN(cfg, reads, cfg_reads, 8, "reads in flight at most");
        ARCHIPELAGO_PIN(busy, level, busy, 32,
                        "by bit: GRBM_STATUS, STATUS2, STATUS_SE0, STATUS_SE1");
        ARCHIPELAGO_PIN(req, valid, req_valid, 1, "source n (0 host, 1 CP) has a request");
        ARCHIPELAGO_PIN(req, offset, req_offset, 32, "byte offset of the register");
        ARCHIPELAGO_PIN(req, value, req_value, 32, "what is written");
        ARCHIPELAGO_PIN(req, write, req_write, 1, "a write, else a read");
        ARCHIPELAGO_PIN(req, ring, req_ring, 2, "ring of CP's request");
        ARCHIPELAGO_PIN(req, context, req_context, 3, "render context of CP's request");
        ARCHIPELAGO_PIN(req, vmid, req_vmid, 4, "VMID of the request");
        ARCHIPELAGO_PIN(req, tag, req_tag, 32, "returned with the answer");
        ARCHIPELAGO_PIN(port, ready, port_ready, 1, "block n takes a request");
        ARCHIPELAGO_PIN(rsp, valid, rsp_valid, 1, "block n answers");
        ARCHIPELAGO_PIN(rsp, value, rsp_value, 32, "what was read");
        ARCHIPELAGO_PIN(rsp, tag, rsp_tag, 32, "place of the read, as port_tag had it");
        ARCHIPELAGO_PIN(rsp, unknown, rsp_unknown, 1, "the block has no such register");
        ARCHIPELAGO_PIN(rsp, write, rsp_write, 1, "the answer is to a write, and is dropped");
        ARCHIPELAGO_PIN(ans, space, ans_space, 4, "answers source n has room for; 15: or more");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(req, ready, req_ready, 1, "the request of source n is taken");
        ARCHIPELAGO_PIN(port, valid, port_valid, 1, "the request is for block n");
        ARCHIPELAGO_PIN(port, offset, port_offset, 32, "byte offset of the register");
        ARCHIPELAGO_PIN(port, value, port_value, 32, "what is written");
        ARCHIPELAGO_PIN(port, write, port_write, 1, "a write, else a read");
        ARCHIPELAGO_PIN(port, source, port_source, 1, "source it comes from");
        ARCHIPELAGO_PIN(port, ring, port_ring, 2, "its ring");
        ARCHIPELAGO_PIN(port, context, port_context, 3, "its render context");
        ARCHIPELAGO_PIN(port, vmid, port_vmid, 4, "its VMID");
        ARCHIPELAGO_PIN(port, tag, port_tag, 32, "place of a read among those in flight");
        ARCHIPELAGO_PIN(port, se, port_se, 8, "shader engine it is for");
        ARCHIPELAGO_PIN(port, sh, port_sh, 8, "shader array it is for");
        ARCHIPELAGO_PIN(port, instance, port_instance, 8, "instance it is for");
        ARCHIPELAGO_PIN(port, broadcast, port_broadcast, 3,
                        "bit 0 all instances, 1 all arrays, 2 all engines");
        ARCHIPELAGO_PIN(rsp, ready, rsp_ready, 1, "the answer of block n is taken");
        ARCHIPELAGO_PIN(ans, count, ans_count, 4, "answers source n gets in this cycle");
        ARCHIPELAGO_PIN(ans, value, ans_value, 32, "their values, 9 places a source");
        ARCHIPELAGO_PIN(ans, tag, ans_tag, 32, "tags of their requests");
        ARCHIPELAGO_PIN(ans, unknown, ans_unknown, 1, "no register is known there");
        ARCHIPELAGO_PIN(state, soft_reset, soft_reset, 32, "GRBM_SOFT_RESET as it is");
        ARCHIPELAGO_PIN(state, reads, reads, 8, "reads in flight");
        ARCHIPELAGO_PIN(state, stall, stall, 2, "why source n's request waits, GrbmPins::Stall");
        ARCHIPELAGO_PIN(event, unknown, unknown, 4,
                        "requests to offsets without a register in this cycle");
        ARCHIPELAGO_PIN(error, code, error_code, 2,
                        "GrbmPins::Error: why the block has stopped, until reset");
        ARCHIPELAGO_PIN(error, place, error_place, 32, "port or offset at fault");
    }
};

}  // namespace archipelago::rtl
