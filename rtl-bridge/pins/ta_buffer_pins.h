// SPDX-License-Identifier: Apache-2.0
// Pins of the buffer addressing of a compute unit; documented in rtl-bridge/rtl/ta_buffer.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct TaBufferPins {
    static constexpr const char* kName = "ta_buffer";
    static constexpr Elastic kElastic{"in", "out"};
    static constexpr unsigned kLanes = 64;
    static constexpr unsigned kDwords = 4;

    // Numbers of the encodings on the pins.
    static constexpr uint8_t kMubuf = 12, kMtbuf = 13;

    template <class T>
    using PerLane = std::array<T, kLanes>;
    // A buffer instruction of a wave, with what it reads.
    struct Query {
        uint8_t format = 0;
        uint16_t op = 0;
        uint8_t offen = 0, idxen = 0, addr64 = 0;
        uint8_t glc = 0, slc = 0, tfe = 0, lds = 0;
        uint16_t offset = 0;
        uint8_t dfmt = 0, nfmt = 0;
        std::array<uint32_t, 4> resource{};
        uint32_t soffset = 0;
        uint16_t m0 = 0;
        uint32_t lds_base = 0, lds_size = 0;
        uint64_t exec = 0;
        PerLane<uint32_t> vaddr{}, vaddr_next{};
    };
    struct In {
        uint8_t rst = 0;
        uint8_t in_valid = 0;
        uint8_t out_ready = 0;
        Query in;
    };
    // What is to be done of which lane.
    struct Access {
        uint8_t unsupported = 0;
        uint8_t kind = 0;
        uint8_t atomic = 0;
        uint8_t bytes = 0, dwords = 0, data_dwords = 0;
        uint8_t sign_extend = 0, returns = 0, glc = 0, slc = 0;
        uint8_t contiguous = 0, to_lds = 0, tfe = 0;
        uint8_t typed = 0, dfmt = 0, nfmt = 0;
        uint16_t dst_sel = 0;
        uint64_t lanes = 0, zero_lanes = 0;
        uint32_t lds_addr = 0;
        uint64_t lds_lanes = 0;
        std::array<uint64_t, kDwords> dword_lanes{};
        std::array<uint64_t, kDwords * kLanes> addr{};  // of a dword all lanes
    };
    struct Out {
        uint8_t in_ready = 0;
        uint8_t out_valid = 0;
        Access out;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(in, valid, in_valid, 1, "an instruction is there");
        ARCHIPELAGO_PIN(in, format, in.format, 5, "its encoding: 12 MUBUF, 13 MTBUF");
        ARCHIPELAGO_PIN(in, op, in.op, 9, "opcode number of Southern Islands in the encoding");
        ARCHIPELAGO_PIN(in, offen, in.offen, 1, "a VGPR has an offset");
        ARCHIPELAGO_PIN(in, idxen, in.idxen, 1, "a VGPR, in front of it, has the index");
        ARCHIPELAGO_PIN(in, addr64, in.addr64, 1, "two VGPRs have a 64-bit address");
        ARCHIPELAGO_PIN(in, glc, in.glc, 1, "GLC");
        ARCHIPELAGO_PIN(in, slc, in.slc, 1, "SLC");
        ARCHIPELAGO_PIN(in, tfe, in.tfe, 1, "TFE");
        ARCHIPELAGO_PIN(in, lds, in.lds, 1, "LDS: the load goes there");
        ARCHIPELAGO_PIN(in, offset, in.offset, 12, "OFFSET, bytes");
        ARCHIPELAGO_PIN(in, dfmt, in.dfmt, 4, "DFMT of MTBUF");
        ARCHIPELAGO_PIN(in, nfmt, in.nfmt, 3, "NFMT of MTBUF");
        ARCHIPELAGO_PIN(in, resource, in.resource, 32, "SQ_BUF_RSRC_WORD0 to 3");
        ARCHIPELAGO_PIN(in, soffset, in.soffset, 32, "what SOFFSET names, bytes");
        ARCHIPELAGO_PIN(in, m0, in.m0, 16, "M0[15:0]: where in its part a load to LDS begins");
        ARCHIPELAGO_PIN(in, lds_base, in.lds_base, 32,
                        "byte of the LDS where the part of the wave's group begins");
        ARCHIPELAGO_PIN(in, lds_size, in.lds_size, 32, "bytes of that part");
        ARCHIPELAGO_PIN(in, exec, in.exec, 64, "EXEC of the wave");
        ARCHIPELAGO_PIN(in, vaddr, in.vaddr, 32, "VADDR of lane n");
        ARCHIPELAGO_PIN(in, vaddr_next, in.vaddr_next, 32,
                        "the register behind VADDR: the offset when there is an index, too, or "
                        "the high half of an address");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "what is to be done is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(in, ready, in_ready, 1, "the instruction is taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1,
                        "what is to be done, in the order of the instructions");
        ARCHIPELAGO_PIN(out, unsupported, out.unsupported, 4,
                        "isa::BufferRefusal: why it cannot be executed, 0: it can");
        ARCHIPELAGO_PIN(out, kind, out.kind, 2,
                        "0 load, 1 store, 2 atomic, 3 invalidation of the L1");
        ARCHIPELAGO_PIN(out, atomic, out.atomic, 5, "AtomicOp; 17: none");
        ARCHIPELAGO_PIN(out, bytes, out.bytes, 5, "of an element in memory");
        ARCHIPELAGO_PIN(out, dwords, out.dwords, 3, "registers of a lane loaded or stored");
        ARCHIPELAGO_PIN(out, data_dwords, out.data_dwords, 3,
                        "registers of a lane read from VDATA on");
        ARCHIPELAGO_PIN(out, sign_extend, out.sign_extend, 1, "of what is loaded");
        ARCHIPELAGO_PIN(out, returns, out.returns, 1, "registers are written");
        ARCHIPELAGO_PIN(out, glc, out.glc, 1, "GLC");
        ARCHIPELAGO_PIN(out, slc, out.slc, 1, "SLC");
        ARCHIPELAGO_PIN(out, contiguous, out.contiguous, 1,
                        "the dwords of a lane lie beside each other, all in range or none");
        ARCHIPELAGO_PIN(out, to_lds, out.to_lds, 1, "the load goes to LDS");
        ARCHIPELAGO_PIN(out, tfe, out.tfe, 1, "a register behind the data tells of failures");
        ARCHIPELAGO_PIN(out, typed, out.typed, 1, "elements are converted");
        ARCHIPELAGO_PIN(out, dfmt, out.dfmt, 4, "BUF_DATA_FORMAT, of typed ones");
        ARCHIPELAGO_PIN(out, nfmt, out.nfmt, 3, "BUF_NUM_FORMAT, of typed ones");
        ARCHIPELAGO_PIN(out, dst_sel, out.dst_sel, 12,
                        "DST_SEL of typed ones, 3 bits for each of x, y, z, w");
        ARCHIPELAGO_PIN(out, lanes, out.lanes, 64, "lanes that access memory");
        ARCHIPELAGO_PIN(out, zero_lanes, out.zero_lanes, 64,
                        "lanes out of range, whose registers become 0");
        ARCHIPELAGO_PIN(out, lds_addr, out.lds_addr, 32,
                        "byte of the LDS where lane 0's dword goes");
        ARCHIPELAGO_PIN(out, lds_lanes, out.lds_lanes, 64,
                        "lanes whose dword lies in the part of the wave's group");
        ARCHIPELAGO_PIN(out, dword_lanes, out.dword_lanes, 64,
                        "lanes of dword n of an element, the last perhaps not whole");
        ARCHIPELAGO_PIN(out, addr, out.addr, 64,
                        "byte address of dword n / 64 of lane n % 64; 0 where it has none");
    }
};

}  // namespace archipelago::rtl
