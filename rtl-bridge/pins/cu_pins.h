// SPDX-License-Identifier: Apache-2.0
// Pins of a compute unit: models/cu/pins/cu_pin_core.h and its Verilog twin rtl-bridge/rtl/cu.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/cu_times.h"
#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CuPins {
    static constexpr const char* kName = "cu";
    static constexpr Elastic kElastic{
        "tiling init launch", "done/wave export/wave message/wave retire/wave?state_retires",
        "stop_valid",
        "control fetch fetched scalar loaded request0 request1 request2 request3 answer0 answer1 "
        "answer2 answer3 invalidate invalidated icache gds gdsdata"};

    static constexpr unsigned kLanes = 64;
    static constexpr unsigned kSgprs = 24;    // most that a launch sets
    static constexpr unsigned kRequests = 4;  // to the L1 in a cycle
    static constexpr unsigned kWaves = 64;    // numbers of waves: 16 * SIMD + slot

    // Why a unit stops.
    enum Stop : uint8_t { kNoInstruction, kNotImplemented, kFault, kBadInput, kProtocol };

    using Lanes = std::array<uint32_t, kLanes>;
    using Line = std::array<uint32_t, 16>;
    using Quad = std::array<uint32_t, 4 * kLanes>;  // of lane l, dword d: element 64 * d + l

    // Still between resets.
    struct Config {
        uint8_t simds = 0, slots = 0;
        uint16_t vgprs = 0, sgprs = 0;
        uint32_t lds = 0;
        uint8_t groups = 0;
        uint8_t engine = 0, array = 0, unit = 0;
#define ARCHIPELAGO_CU_TIME(field, bits, meaning) uint16_t field = 0;
#define ARCHIPELAGO_CU_TIME_LIST(field, elements, bits, meaning) \
    std::array<uint16_t, elements> field{};
        ARCHIPELAGO_CU_TIMES(ARCHIPELAGO_CU_TIME, ARCHIPELAGO_CU_TIME_LIST)
#undef ARCHIPELAGO_CU_TIME
#undef ARCHIPELAGO_CU_TIME_LIST
    };
    struct Launch {
        uint8_t wave = 0;
        uint32_t dispatch = 0, group = 0;
        uint8_t group_slot = 0, wave_in_group = 0, waves_in_group = 0;
        uint8_t vmid = 0, priority = 0, stage = 0;
        uint64_t pc = 0, exec = 0;
        uint16_t vgpr_base = 0, vgprs = 0, sgpr_base = 0, sgprs = 0;
        uint32_t lds_base = 0, lds_bytes = 0;
        uint8_t keeps_lds = 0;
        uint8_t float_mode = 0, dx10_clamp = 0, ieee = 0, privileged = 0, trap = 0, exceptions = 0;
        uint64_t tba = 0, tma = 0;
        uint8_t sgpr_count = 0;
        std::array<uint32_t, kSgprs> sgpr{};
        uint8_t ids = 0;
        Lanes v0{}, v1{}, v2{};
    };
    struct Init {
        uint8_t wave = 0, lds = 0, row = 0;
        uint64_t lanes = 0;
        Lanes data{};
    };
    struct Fetched {
        uint8_t wave = 0, fault = 0;
        uint32_t tag = 0;
        uint64_t address = 0;
        std::array<uint32_t, 8> words{};
    };
    struct Loaded {
        uint8_t wave = 0, fault = 0;
        uint32_t tag = 0;
        uint64_t address = 0;
        Line data{};
    };
    struct Answer {
        uint8_t status = 0, command = 0;
        uint32_t tag = 0;
        uint64_t line = 0;
        Line data{};
    };
    struct In {
        uint8_t rst = 0;
        Config cfg;
        uint64_t cycle = 0;
        uint8_t pause = 0, retire = 0;
        uint8_t tiling_valid = 0, tiling_index = 0;
        uint32_t tiling_value = 0;
        uint8_t init_valid = 0;
        Init init;
        uint8_t launch_valid = 0;
        Launch launch;
        uint8_t done_ready = 0;
        uint8_t fetch_ready = 0, fetched_valid = 0;
        Fetched fetched;
        uint8_t scalar_ready = 0, loaded_valid = 0;
        Loaded loaded;
        std::array<uint8_t, kRequests> request_ready{}, answer_valid{};
        std::array<Answer, kRequests> answer{};
        uint8_t invalidate_ready = 0, invalidated_valid = 0;
        uint32_t invalidated_tag = 0;
        uint8_t icache_ready = 0;
        uint8_t gds_ready = 0, gdsdata_valid = 0;
        uint32_t gdsdata_tag = 0;
        Quad gdsdata{};
        uint8_t export_ready = 0, message_ready = 0;
    };

    struct Request {
        uint64_t line = 0, mask = 0;
        uint8_t command = 0, atomic = 0, bytes = 0, vmid = 0;
        uint8_t glc = 0, slc = 0, returns = 0;
        uint32_t tag = 0;
        uint64_t compare = 0;
        Line data{};
    };
    struct Gds {
        uint8_t command = 0, atomic = 0, bytes = 0, elements = 0, sign_extend = 0, returns = 0;
        uint8_t vmid = 0, resource = 0, counter = 0, stage = 0;
        uint8_t swap = 0, release = 0, done = 0, flush_denormals = 0;
        uint16_t order = 0;
        uint32_t tag = 0, value = 0;
        uint64_t lanes0 = 0, lanes1 = 0;
        Lanes address0{}, address1{};
        Quad data{};
        std::array<uint32_t, 11> atom{};
    };
    struct Export {
        uint8_t wave = 0, target = 0, enabled = 0, compressed = 0, done = 0, valid_mask = 0;
        uint64_t pc = 0, exec = 0;
        Quad data{};
    };
    struct Message {
        uint8_t wave = 0, kind = 0, operation = 0, stream = 0;
        uint64_t pc = 0, exec = 0;
        uint32_t m0 = 0;
    };
    struct Retire {
        uint8_t wave = 0, last = 0, end = 0;
        uint64_t pc = 0, words = 0;
        uint64_t exec = 0, vcc = 0;
        uint8_t scc = 0;
        uint32_t m0 = 0;
        uint8_t scalar = 0, code = 0;
        uint32_t value = 0;
        uint8_t vector = 0, vgpr = 0;
        uint64_t lanes = 0;
        Lanes data{};
    };
    struct Out {
        uint8_t init_ready = 0, launch_ready = 0;
        uint8_t done_valid = 0, done_wave = 0;
        uint32_t done_exports = 0;
        uint8_t fetch_valid = 0, fetch_wave = 0, fetch_vmid = 0, fetched_ready = 0;
        uint32_t fetch_tag = 0;
        uint64_t fetch_address = 0;
        uint8_t scalar_valid = 0, scalar_wave = 0, scalar_vmid = 0, loaded_ready = 0;
        uint8_t scalar_dwords = 0, scalar_invalidate = 0;
        uint32_t scalar_tag = 0;
        uint64_t scalar_address = 0;
        std::array<uint8_t, kRequests> request_valid{}, answer_ready{};
        std::array<Request, kRequests> request{};
        uint8_t invalidate_valid = 0, invalidated_ready = 0;
        uint32_t invalidate_tag = 0;
        uint8_t icache_valid = 0;
        uint8_t gds_valid = 0, gdsdata_ready = 0;
        Gds gds;
        uint8_t export_valid = 0;
        Export exp;
        uint8_t message_valid = 0;
        Message message;
        uint8_t retire_valid = 0;
        Retire retire;
        uint8_t stop_valid = 0, stop_wave = 0, stop_reason = 0;
        uint64_t stop_pc = 0, stop_words = 0;
        uint8_t retires = 0, busy = 0;
    };

#define ARCHIPELAGO_CU_ANSWER(n)                                                                \
    ARCHIPELAGO_PIN(request##n, ready, request_ready[n], 1, "room for a request");              \
    ARCHIPELAGO_PIN(answer##n, valid, answer_valid[n], 1,                                       \
                    "an answer of the L1 is there, in any order; taken only if those of lower " \
                    "numbers are");                                                             \
    ARCHIPELAGO_PIN(answer##n, tag, answer[n].tag, 32, "that of the request");                  \
    ARCHIPELAGO_PIN(answer##n, status, answer[n].status, 2,                                     \
                    "MemStatus: 0 good, 1 unmapped, 2 refused");                                \
    ARCHIPELAGO_PIN(answer##n, command, answer[n].command, 2, "that of the request");           \
    ARCHIPELAGO_PIN(answer##n, line, answer[n].line, 58, "that of the request");                \
    ARCHIPELAGO_PIN(answer##n, data, answer[n].data, 32,                                        \
                    "the line of a read, old values of an atomic at their places")

#define ARCHIPELAGO_CU_REQUEST(n)                                                                  \
    ARCHIPELAGO_PIN(answer##n, ready, answer_ready[n], 1, "the answer is taken");                  \
    ARCHIPELAGO_PIN(request##n, valid, request_valid[n], 1,                                        \
                    "a vector memory request for one line; only if there is one of each lower "    \
                    "number");                                                                     \
    ARCHIPELAGO_PIN(request##n, line, request[n].line, 58, "byte address / 64");                   \
    ARCHIPELAGO_PIN(request##n, mask, request[n].mask, 64, "bytes of the line");                   \
    ARCHIPELAGO_PIN(request##n, command, request[n].command, 2,                                    \
                    "MemCommand: 0 read, 1 write, 2 atomic");                                      \
    ARCHIPELAGO_PIN(request##n, atomic, request[n].atomic, 5, "AtomicOp of an atomic, else none"); \
    ARCHIPELAGO_PIN(request##n, bytes, request[n].bytes, 8, "of an atomic operand, 4 or 8");       \
    ARCHIPELAGO_PIN(request##n, vmid, request[n].vmid, 8, "launch_vmid of the wave");              \
    ARCHIPELAGO_PIN(request##n, glc, request[n].glc, 1, "GLC bit of the instruction");             \
    ARCHIPELAGO_PIN(request##n, slc, request[n].slc, 1, "SLC bit of the instruction");             \
    ARCHIPELAGO_PIN(request##n, returns, request[n].returns, 1,                                    \
                    "the old values of an atomic are wanted; 1 of reads and writes");              \
    ARCHIPELAGO_PIN(request##n, tag, request[n].tag, 32, "returned with the answer");              \
    ARCHIPELAGO_PIN(request##n, compare, request[n].compare, 64,                                   \
                    "value a compare-and-swap compares with");                                     \
    ARCHIPELAGO_PIN(request##n, data, request[n].data, 32,                                         \
                    "the line's bytes of a write, operands of an atomic at their places")

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, simds, cfg.simds, 3, "SIMDs, 1 to 4");
        ARCHIPELAGO_PIN(cfg, slots, cfg.slots, 5, "wave slots of a SIMD, 1 to 16");
        ARCHIPELAGO_PIN(cfg, vgprs, cfg.vgprs, 9, "VGPRs of a SIMD, per lane");
        ARCHIPELAGO_PIN(cfg, sgprs, cfg.sgprs, 10, "SGPRs of a SIMD");
        ARCHIPELAGO_PIN(cfg, lds, cfg.lds, 17, "bytes of LDS");
        ARCHIPELAGO_PIN(cfg, groups, cfg.groups, 7, "slots of groups");
        ARCHIPELAGO_PIN(cfg, engine, cfg.engine, 2, "shader engine the unit is in, for HW_ID");
        ARCHIPELAGO_PIN(cfg, array, cfg.array, 2, "shader array of the engine");
        ARCHIPELAGO_PIN(cfg, unit, cfg.unit, 4, "number in the shader array");
#define ARCHIPELAGO_CU_TIME(field, bits, meaning) \
    ARCHIPELAGO_PIN(cfg, field, cfg.field, bits, meaning);
#define ARCHIPELAGO_CU_TIME_LIST(field, elements, bits, meaning) \
    ARCHIPELAGO_CU_TIME(field, bits, meaning)
        ARCHIPELAGO_CU_TIMES(ARCHIPELAGO_CU_TIME, ARCHIPELAGO_CU_TIME_LIST)
#undef ARCHIPELAGO_CU_TIME
#undef ARCHIPELAGO_CU_TIME_LIST
        ARCHIPELAGO_PIN(control, cycle, cycle, 64,
                        "the chip's cycle, which passes over those without a clock: for s_memtime");
        ARCHIPELAGO_PIN(control, pause, pause, 1, "nothing issues and nothing is fetched");
        ARCHIPELAGO_PIN(control, retire, retire, 1,
                        "what retires is to be reported; changes only while no wave is there");
        ARCHIPELAGO_PIN(tiling, valid, tiling_valid, 1,
                        "a register of address calculation of images is written");
        ARCHIPELAGO_PIN(tiling, index, tiling_index, 6,
                        "0 GB_ADDR_CONFIG, 1 to 32 GB_TILE_MODE0 to 31, 33 TA_CS_BC_BASE_ADDR");
        ARCHIPELAGO_PIN(tiling, value, tiling_value, 32, "its value");
        ARCHIPELAGO_PIN(init, valid, init_valid, 1,
                        "a row of what the wave that is launched next finds: graphics stages");
        ARCHIPELAGO_PIN(init, wave, init.wave, 6, "its number");
        ARCHIPELAGO_PIN(init, lds, init.lds, 1, "of the group's part of LDS; 0: of a VGPR");
        ARCHIPELAGO_PIN(init, row, init.row, 8, "number of the VGPR; in LDS of the 256 bytes");
        ARCHIPELAGO_PIN(init, lanes, init.lanes, 64, "lanes, or dwords of LDS, it sets");
        ARCHIPELAGO_PIN(init, data, init.data, 32, "their values");
        ARCHIPELAGO_PIN(launch, valid, launch_valid, 1, "a wave is launched");
        ARCHIPELAGO_PIN(launch, wave, launch.wave, 6,
                        "its number until it is done: 16 * SIMD + slot");
        ARCHIPELAGO_PIN(launch, dispatch, launch.dispatch, 32, "dispatch or draw, from 1");
        ARCHIPELAGO_PIN(launch, group, launch.group, 32,
                        "work-group of the dispatch, wave of the draw's stage");
        ARCHIPELAGO_PIN(launch, group_slot, launch.group_slot, 6,
                        "the group's slot for barrier and LDS, the same for all its waves");
        ARCHIPELAGO_PIN(launch, wave_in_group, launch.wave_in_group, 5, "wave of the group");
        ARCHIPELAGO_PIN(launch, waves_in_group, launch.waves_in_group, 5,
                        "waves a barrier waits for, less those that have ended");
        ARCHIPELAGO_PIN(launch, vmid, launch.vmid, 8, "VMID of all its accesses");
        ARCHIPELAGO_PIN(launch, priority, launch.priority, 2, "priority in issue");
        ARCHIPELAGO_PIN(launch, stage, launch.stage, 3,
                        "ShaderStage: 0 LS, 1 HS, 2 ES, 3 GS, 4 VS, 5 PS, 6 CS");
        ARCHIPELAGO_PIN(launch, pc, launch.pc, 64, "byte address of the first instruction");
        ARCHIPELAGO_PIN(launch, exec, launch.exec, 64, "EXEC");
        ARCHIPELAGO_PIN(launch, vgpr_base, launch.vgpr_base, 8, "v0 in the SIMD's register file");
        ARCHIPELAGO_PIN(launch, vgprs, launch.vgprs, 9, "VGPRs of the wave, all 0 but those set");
        ARCHIPELAGO_PIN(launch, sgpr_base, launch.sgpr_base, 9, "s0 in the SIMD's register file");
        ARCHIPELAGO_PIN(launch, sgprs, launch.sgprs, 8,
                        "SGPRs of the wave, VCC included, all 0 but those set");
        ARCHIPELAGO_PIN(launch, lds_base, launch.lds_base, 17, "the group's part of LDS, bytes");
        ARCHIPELAGO_PIN(launch, lds_bytes, launch.lds_bytes, 17, "its size; M0 begins as this");
        ARCHIPELAGO_PIN(launch, keeps_lds, launch.keeps_lds, 1,
                        "LDS is as it is; else the group's first wave finds zeros");
        ARCHIPELAGO_PIN(launch, float_mode, launch.float_mode, 8, "MODE[7:0]: FP_ROUND, FP_DENORM");
        ARCHIPELAGO_PIN(launch, dx10_clamp, launch.dx10_clamp, 1, "MODE.DX10_CLAMP");
        ARCHIPELAGO_PIN(launch, ieee, launch.ieee, 1, "MODE.IEEE");
        ARCHIPELAGO_PIN(launch, privileged, launch.privileged, 1, "STATUS.PRIV");
        ARCHIPELAGO_PIN(launch, trap, launch.trap, 1, "there is a trap handler");
        ARCHIPELAGO_PIN(launch, exceptions, launch.exceptions, 8, "MODE.EXCP_EN");
        ARCHIPELAGO_PIN(launch, tba, launch.tba, 64, "address of the trap handler, bytes");
        ARCHIPELAGO_PIN(launch, tma, launch.tma, 64, "its memory, bytes");
        ARCHIPELAGO_PIN(launch, sgpr_count, launch.sgpr_count, 5, "SGPRs that are set, from s0 on");
        ARCHIPELAGO_PIN(launch, sgpr, launch.sgpr, 32, "their values");
        ARCHIPELAGO_PIN(launch, ids, launch.ids, 2,
                        "of a compute wave: VGPRs that are set to local ids, from v0 on");
        ARCHIPELAGO_PIN(launch, v0, launch.v0, 32, "v0 of each lane");
        ARCHIPELAGO_PIN(launch, v1, launch.v1, 32, "v1 of each lane");
        ARCHIPELAGO_PIN(launch, v2, launch.v2, 32, "v2 of each lane");
        ARCHIPELAGO_PIN(done, ready, done_ready, 1, "room for the end of a wave");
        ARCHIPELAGO_PIN(fetch, ready, fetch_ready, 1, "room for a fetch");
        ARCHIPELAGO_PIN(fetched, valid, fetched_valid, 1, "the instruction cache answers");
        ARCHIPELAGO_PIN(fetched, wave, fetched.wave, 6, "that of the fetch");
        ARCHIPELAGO_PIN(fetched, tag, fetched.tag, 32, "that of the fetch");
        ARCHIPELAGO_PIN(fetched, address, fetched.address, 64, "that of the fetch");
        ARCHIPELAGO_PIN(fetched, fault, fetched.fault, 1, "nothing is mapped there");
        ARCHIPELAGO_PIN(fetched, words, fetched.words, 32, "the block's 32 bytes");
        ARCHIPELAGO_PIN(scalar, ready, scalar_ready, 1, "room for a scalar load");
        ARCHIPELAGO_PIN(loaded, valid, loaded_valid, 1, "the scalar cache answers, in any order");
        ARCHIPELAGO_PIN(loaded, wave, loaded.wave, 6, "that of the load");
        ARCHIPELAGO_PIN(loaded, tag, loaded.tag, 32, "that of the load");
        ARCHIPELAGO_PIN(loaded, fault, loaded.fault, 1, "nothing is mapped there");
        ARCHIPELAGO_PIN(loaded, address, loaded.address, 64, "of a fault: the address");
        ARCHIPELAGO_PIN(loaded, data, loaded.data, 32, "the dwords, from element 0 on");
        ARCHIPELAGO_CU_ANSWER(0);
        ARCHIPELAGO_CU_ANSWER(1);
        ARCHIPELAGO_CU_ANSWER(2);
        ARCHIPELAGO_CU_ANSWER(3);
        ARCHIPELAGO_PIN(invalidate, ready, invalidate_ready, 1, "room for an L1 invalidation");
        ARCHIPELAGO_PIN(invalidated, valid, invalidated_valid, 1, "the L1 is invalidated");
        ARCHIPELAGO_PIN(invalidated, tag, invalidated_tag, 32, "that of the invalidation");
        ARCHIPELAGO_PIN(icache, ready, icache_ready, 1, "room for an invalidation");
        ARCHIPELAGO_PIN(gds, ready, gds_ready, 1, "room for a GDS instruction");
        ARCHIPELAGO_PIN(gdsdata, valid, gdsdata_valid, 1, "the GDS has carried one out");
        ARCHIPELAGO_PIN(gdsdata, tag, gdsdata_tag, 32, "that of the instruction");
        ARCHIPELAGO_PIN(gdsdata, data, gdsdata, 32,
                        "dwords for the destination: element 64 * dword + lane");
        ARCHIPELAGO_PIN(export, ready, export_ready, 1, "room for an export");
        ARCHIPELAGO_PIN(message, ready, message_ready, 1, "room for a message");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(init, ready, init_ready, 1, "the row is taken");
        ARCHIPELAGO_PIN(launch, ready, launch_ready, 1, "the wave is taken");
        ARCHIPELAGO_PIN(done, valid, done_valid, 1,
                        "a wave has ended, its accesses are complete and its stores acknowledged");
        ARCHIPELAGO_PIN(done, wave, done_wave, 6, "its number, which is free now");
        ARCHIPELAGO_PIN(done, exports, done_exports, 32, "exports it has sent");
        ARCHIPELAGO_PIN(fetch, valid, fetch_valid, 1, "a block of 32 bytes is fetched");
        ARCHIPELAGO_PIN(fetch, address, fetch_address, 64, "bytes, a multiple of 32");
        ARCHIPELAGO_PIN(fetch, wave, fetch_wave, 6, "wave it is for");
        ARCHIPELAGO_PIN(fetch, vmid, fetch_vmid, 8, "launch_vmid of the wave");
        ARCHIPELAGO_PIN(fetch, tag, fetch_tag, 32, "returned with the answer");
        ARCHIPELAGO_PIN(fetched, ready, fetched_ready, 1, "the answer is taken");
        ARCHIPELAGO_PIN(scalar, valid, scalar_valid, 1, "dwords are read through the scalar cache");
        ARCHIPELAGO_PIN(scalar, address, scalar_address, 64, "bytes, a multiple of 4");
        ARCHIPELAGO_PIN(scalar, dwords, scalar_dwords, 5, "1 to 16");
        ARCHIPELAGO_PIN(scalar, invalidate, scalar_invalidate, 1,
                        "s_dcache_inv instead, answered without data; then dwords is 1");
        ARCHIPELAGO_PIN(scalar, wave, scalar_wave, 6, "wave it is for");
        ARCHIPELAGO_PIN(scalar, vmid, scalar_vmid, 8, "launch_vmid of the wave");
        ARCHIPELAGO_PIN(scalar, tag, scalar_tag, 32, "returned with the answer");
        ARCHIPELAGO_PIN(loaded, ready, loaded_ready, 1, "the answer is taken");
        ARCHIPELAGO_CU_REQUEST(0);
        ARCHIPELAGO_CU_REQUEST(1);
        ARCHIPELAGO_CU_REQUEST(2);
        ARCHIPELAGO_CU_REQUEST(3);
        ARCHIPELAGO_PIN(invalidate, valid, invalidate_valid, 1,
                        "buffer_wbinvl1: the L1 is to be invalidated");
        ARCHIPELAGO_PIN(invalidate, tag, invalidate_tag, 32, "returned when it is");
        ARCHIPELAGO_PIN(invalidated, ready, invalidated_ready, 1, "the report is taken");
        ARCHIPELAGO_PIN(icache, valid, icache_valid, 1,
                        "s_icache_inv; chips do not carry it out and stop by name");
        ARCHIPELAGO_PIN(gds, valid, gds_valid, 1, "an instruction of the global data share");
        ARCHIPELAGO_PIN(gds, command, gds.command, 4, "GdsCommand");
        ARCHIPELAGO_PIN(gds, atomic, gds.atomic, 5, "AtomicOp");
        ARCHIPELAGO_PIN(gds, bytes, gds.bytes, 4, "of an element: 1, 2, 4, 8");
        ARCHIPELAGO_PIN(gds, elements, gds.elements, 2, "of a lane, 1 or 2");
        ARCHIPELAGO_PIN(gds, sign_extend, gds.sign_extend, 1, "elements of 1 and 2 bytes");
        ARCHIPELAGO_PIN(gds, returns, gds.returns, 1, "the old value is wanted");
        ARCHIPELAGO_PIN(gds, vmid, gds.vmid, 8, "launch_vmid of the wave");
        ARCHIPELAGO_PIN(gds, tag, gds.tag, 32, "returned with the answer");
        ARCHIPELAGO_PIN(gds, value, gds.value, 32,
                        "append, consume: active lanes; ordered count: operand; synchronisation: "
                        "count of waves");
        ARCHIPELAGO_PIN(gds, resource, gds.resource, 8, "synchronisation: M0[21:16] + offset");
        ARCHIPELAGO_PIN(gds, order, gds.order, 16, "ordered count: number of the wave");
        ARCHIPELAGO_PIN(gds, counter, gds.counter, 8, "ordered count: the counter");
        ARCHIPELAGO_PIN(gds, stage, gds.stage, 8, "ordered count: shader stage");
        ARCHIPELAGO_PIN(gds, swap, gds.swap, 1, "ordered count: the operand is stored");
        ARCHIPELAGO_PIN(gds, release, gds.release, 1, "the next wave may pass at this counter");
        ARCHIPELAGO_PIN(gds, done, gds.done, 1, "the next wave may pass at every counter");
        ARCHIPELAGO_PIN(gds, flush_denormals, gds.flush_denormals, 1, "denormal operands are 0");
        ARCHIPELAGO_PIN(gds, lanes0, gds.lanes0, 64, "lanes of the first element in range");
        ARCHIPELAGO_PIN(gds, lanes1, gds.lanes1, 64, "lanes of the second element in range");
        ARCHIPELAGO_PIN(gds, address0, gds.address0, 32, "bytes, of the first element");
        ARCHIPELAGO_PIN(gds, address1, gds.address1, 32, "bytes, of the second element");
        ARCHIPELAGO_PIN(gds, data, gds.data, 32,
                        "dwords of data0, then of data1: element 64 * dword + lane");
        ARCHIPELAGO_PIN(gds, atom, gds.atom, 32,
                        "register atomics: op, cntl, base, size, offset0, offset1, dst, src0, "
                        "src0_u, src1, src1_u");
        ARCHIPELAGO_PIN(gdsdata, ready, gdsdata_ready, 1, "the answer is taken");
        ARCHIPELAGO_PIN(export, valid, export_valid, 1, "an export");
        ARCHIPELAGO_PIN(export, wave, exp.wave, 6, "wave that exports");
        ARCHIPELAGO_PIN(export, pc, exp.pc, 64, "of the instruction, bytes");
        ARCHIPELAGO_PIN(export, target, exp.target, 6,
                        "0 to 7 colour, 8 depth, 9 null, 12 to 15 position, 32 to 63 parameter");
        ARCHIPELAGO_PIN(export, enabled, exp.enabled, 4, "components");
        ARCHIPELAGO_PIN(export, compressed, exp.compressed, 1, "two of 16 bits in a dword");
        ARCHIPELAGO_PIN(export, done, exp.done, 1, "the wave's last of its kind of target");
        ARCHIPELAGO_PIN(export, valid_mask, exp.valid_mask, 1, "EXEC says which pixels live");
        ARCHIPELAGO_PIN(export, exec, exp.exec, 64, "EXEC");
        ARCHIPELAGO_PIN(export, data, exp.data, 32, "element 64 * component + lane");
        ARCHIPELAGO_PIN(message, valid, message_valid, 1, "s_sendmsg");
        ARCHIPELAGO_PIN(message, wave, message.wave, 6, "wave that sends it");
        ARCHIPELAGO_PIN(message, pc, message.pc, 64, "of the instruction, bytes");
        ARCHIPELAGO_PIN(message, kind, message.kind, 4, "1 interrupt, 2 GS, 3 GS done, 15 system");
        ARCHIPELAGO_PIN(message, operation, message.operation, 4,
                        "GS: 0 nop, 1 cut, 2 emit, 3 emit and cut; system: its number");
        ARCHIPELAGO_PIN(message, stream, message.stream, 2, "GS: stream");
        ARCHIPELAGO_PIN(message, m0, message.m0, 32, "M0");
        ARCHIPELAGO_PIN(message, exec, message.exec, 64, "EXEC");
        ARCHIPELAGO_PIN(retire, valid, retire_valid, 1,
                        "a beat of what an instruction has left: its n-th beat has the n-th "
                        "scalar and the n-th vector register it wrote, ascending; instructions of "
                        "a wave in program order");
        ARCHIPELAGO_PIN(retire, wave, retire.wave, 6, "wave");
        ARCHIPELAGO_PIN(retire, last, retire.last, 1, "the instruction's last beat");
        ARCHIPELAGO_PIN(retire, end, retire.end, 1,
                        "instead, behind the wave's last instruction: nothing more comes of it. "
                        "All else is 0");
        ARCHIPELAGO_PIN(retire, pc, retire.pc, 64, "of the instruction, bytes");
        ARCHIPELAGO_PIN(retire, words, retire.words, 64, "the first one low, 0 behind a lone one");
        ARCHIPELAGO_PIN(retire, exec, retire.exec, 64, "EXEC behind the instruction");
        ARCHIPELAGO_PIN(retire, vcc, retire.vcc, 64, "VCC behind it");
        ARCHIPELAGO_PIN(retire, scc, retire.scc, 1, "SCC behind it");
        ARCHIPELAGO_PIN(retire, m0, retire.m0, 32, "M0 behind it");
        ARCHIPELAGO_PIN(retire, scalar, retire.scalar, 1,
                        "a scalar register was written, other than VCC, EXEC, M0");
        ARCHIPELAGO_PIN(retire, code, retire.code, 7, "its operand code, s0: 0");
        ARCHIPELAGO_PIN(retire, value, retire.value, 32, "its value");
        ARCHIPELAGO_PIN(retire, vector, retire.vector, 1, "a VGPR was written");
        ARCHIPELAGO_PIN(retire, vgpr, retire.vgpr, 8, "its number");
        ARCHIPELAGO_PIN(retire, lanes, retire.lanes, 64, "lanes that were written");
        ARCHIPELAGO_PIN(retire, data, retire.data, 32, "their values; of other lanes anything");
        ARCHIPELAGO_PIN(stop, valid, stop_valid, 1, "the unit cannot go on: the machine stops");
        ARCHIPELAGO_PIN(stop, wave, stop_wave, 6, "wave it is about");
        ARCHIPELAGO_PIN(stop, pc, stop_pc, 64, "its program counter");
        ARCHIPELAGO_PIN(stop, words, stop_words, 64, "the instruction, the first word low");
        ARCHIPELAGO_PIN(stop, reason, stop_reason, 3,
                        "0 no such instruction, 1 not implemented, 2 memory fault, 3 wrong use, 4 "
                        "protocol broken");
        ARCHIPELAGO_PIN(
            state, retires, retires, 1,
            "while control_retire is high: the unit says what retires; always, or never");
        ARCHIPELAGO_PIN(state, busy, busy, 1,
                        "the clock must go on, though no wave is there: beats of retire");
    }
#undef ARCHIPELAGO_CU_ANSWER
#undef ARCHIPELAGO_CU_REQUEST
};

}  // namespace archipelago::rtl
