// SPDX-License-Identifier: Apache-2.0
// Pins of the linear datapath of the async DMA engines; documented in rtl-bridge/rtl/dma_linear.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct DmaLinearPins {
    static constexpr const char* kName = "dma_linear";
    static constexpr Elastic kElastic{
        "", "", "", "",
        "spans are taken by bytes of a cycle, not by ready and valid, and reads and writes share "
        "req_ in an order that time decides"};
    static constexpr unsigned kSpans = 8;  // of a side, to choose from in a cycle
    static constexpr unsigned kTargets = 2;
    static constexpr unsigned kWords = 16;  // of a line

    // Static: they change with the block in reset only.
    struct Config {
        uint16_t read_lines = 1;   // requested and not used up
        uint16_t write_lines = 1;  // written and not acknowledged
        uint8_t open_lines = 8;    // being put together; at least `addresses`
        uint8_t addresses = 1;     // pieces of each side in a cycle, 1 to 8
        uint8_t burst = 1;         // messages of one direction before the other has its turn
    };
    struct Transfer {
        uint8_t source = 0;  // 0 memory, 1 data, 2 a dword again and again, 3 page table entries
        uint8_t both = 0;    // two targets
        uint64_t bytes = 0;  // of a source that is not memory
        uint8_t first = 0;   // byte of the data with which it begins
        std::array<uint32_t, kWords> data{};  // entries: first, increment, mask
    };
    struct Response {
        uint16_t tag = 0;
        std::array<uint32_t, kWords> data{};
    };
    // The next bytes of a side that follow one another in memory. Fewer than `addresses` only when
    // no others come.
    struct Spans {
        uint8_t count = 0;
        std::array<uint64_t, kSpans> address{};
        std::array<uint32_t, kSpans> bytes{};
    };
    struct TargetSpans : Spans {
        std::array<uint8_t, kSpans> swap{};  // byte i is byte i ^ swap of what is read
    };
    struct Request {
        uint8_t write = 0;
        uint64_t line = 0;  // byte address / 64
        uint64_t mask = 0;  // bytes of the line
        uint16_t tag = 0;   // of a read
        std::array<uint32_t, kWords> data{};
    };

    struct In {
        uint8_t rst = 0;
        Config config;
        uint8_t hold = 0;  // nothing but responses
        uint8_t begin_valid = 0;
        Transfer begin;
        uint8_t rsp_valid = 0;
        Response rsp;
        uint8_t ack_valid = 0;  // a write is done
        Spans src;
        std::array<TargetSpans, kTargets> dst;
        uint8_t req_ready = 0;
    };
    struct Out {
        uint8_t req_valid = 0;
        Request req;
        uint16_t src_taken = 0;  // bytes
        std::array<uint16_t, kTargets> dst_taken{};
        uint8_t written = 0;  // the last write of the transfer is on its way
        uint8_t stalled = 0;  // a line is wanted, and as many as may be are on their way
        uint8_t active = 0;   // something moves
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, read_lines, config.read_lines, 13,
                        "lines requested and not used up at most");
        ARCHIPELAGO_PIN(cfg, write_lines, config.write_lines, 13,
                        "lines written and not acknowledged at most");
        ARCHIPELAGO_PIN(cfg, open_lines, config.open_lines, 7,
                        "lines being put together at most, at least cfg_addresses");
        ARCHIPELAGO_PIN(cfg, addresses, config.addresses, 4,
                        "pieces of a side in a cycle at most, 1 to 8");
        ARCHIPELAGO_PIN(cfg, burst, config.burst, 7,
                        "requests of one direction before the other has its turn");
        ARCHIPELAGO_PIN(ctl, hold, hold, 1, "nothing moves but answers");
        ARCHIPELAGO_PIN(begin, valid, begin_valid, 1,
                        "a transfer begins; only when state_written of the one before has been");
        ARCHIPELAGO_PIN(begin, source, begin.source, 2,
                        "0 memory, 1 data, 2 a dword again and again, 3 page table entries");
        ARCHIPELAGO_PIN(begin, both, begin.both, 1, "two targets");
        ARCHIPELAGO_PIN(begin, bytes, begin.bytes, 64, "of a source that is not memory");
        ARCHIPELAGO_PIN(begin, first, begin.first, 6, "byte of the data with which it begins");
        ARCHIPELAGO_PIN(begin, data, begin.data, 32,
                        "the data; of entries: first, increment, mask");
        ARCHIPELAGO_PIN(rsp, valid, rsp_valid, 1, "a line has been read");
        ARCHIPELAGO_PIN(rsp, tag, rsp.tag, 13, "that of the request");
        ARCHIPELAGO_PIN(rsp, data, rsp.data, 32, "the line");
        ARCHIPELAGO_PIN(ack, valid, ack_valid, 1, "a write is done");
        ARCHIPELAGO_PIN(src, count, src.count, 4, "spans of the source there are to choose from");
        ARCHIPELAGO_PIN(src, address, src.address, 64, "byte address of span n");
        ARCHIPELAGO_PIN(src, bytes, src.bytes, 32, "its length");
        ARCHIPELAGO_PIN(dst0, count, dst[0].count, 4, "spans of the first target");
        ARCHIPELAGO_PIN(dst0, address, dst[0].address, 64, "byte address of span n");
        ARCHIPELAGO_PIN(dst0, bytes, dst[0].bytes, 32, "its length");
        ARCHIPELAGO_PIN(dst0, swap, dst[0].swap, 3, "byte i is byte i ^ swap of what is read");
        ARCHIPELAGO_PIN(dst1, count, dst[1].count, 4, "spans of the second target");
        ARCHIPELAGO_PIN(dst1, address, dst[1].address, 64, "byte address of span n");
        ARCHIPELAGO_PIN(dst1, bytes, dst[1].bytes, 32, "its length");
        ARCHIPELAGO_PIN(dst1, swap, dst[1].swap, 3, "byte i is byte i ^ swap of what is read");
        ARCHIPELAGO_PIN(req, ready, req_ready, 1, "memory takes a request");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(req, valid, req_valid, 1, "a request to memory");
        ARCHIPELAGO_PIN(req, write, req.write, 1, "a write, else a read");
        ARCHIPELAGO_PIN(req, line, req.line, 58, "byte address / 64");
        ARCHIPELAGO_PIN(req, mask, req.mask, 64, "bytes of the line");
        ARCHIPELAGO_PIN(req, tag, req.tag, 13, "of a read");
        ARCHIPELAGO_PIN(req, data, req.data, 32, "the line of a write");
        ARCHIPELAGO_PIN(src, taken, src_taken, 10, "bytes taken of the source in this cycle");
        ARCHIPELAGO_PIN(dst0, taken, dst_taken[0], 10, "bytes taken of the first target");
        ARCHIPELAGO_PIN(dst1, taken, dst_taken[1], 10, "bytes taken of the second target");
        ARCHIPELAGO_PIN(state, written, written, 1, "the last write of the transfer is on its way");
        ARCHIPELAGO_PIN(state, stalled, stalled, 1,
                        "a line is wanted, and as many as may be are on their way");
        ARCHIPELAGO_PIN(state, active, active, 1, "something moves");
    }
};

}  // namespace archipelago::rtl
