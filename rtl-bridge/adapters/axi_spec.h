// SPDX-License-Identifier: Apache-2.0
// What is fixed about one AXI4 or AXI4-Lite port: widths, which optional pins it has, and how the
// adapters use it. Section numbers are those of ARM IHI 0022 (AMBA AXI and ACE Protocol
// Specification, issues D to H).
#pragma once

#include <cstdint>
#include <string>

namespace archipelago::adapters {

struct AxiSpec {
    unsigned data_bits = 32;     // 8, 16, ... 1024; AXI4-Lite 32 or 64
    unsigned address_bits = 32;  // 1 to 64
    unsigned id_bits = 0;        // 0 to 32; 0: no ID pins, everything has ID 0 (A10.3)
    bool lite = false;           // AXI4-Lite: single transfers of the whole width (B1.1)

    // Pins that may be missing (A10.3). Without WSTRB every write is of whole bus words.
    bool has_strobes = true;
    bool has_wlast = true, has_rlast = true;
    bool has_length = true;  // AxLEN; without it single transfers
    bool has_size = true;    // AxSIZE; without it transfers of whole bus words
    bool has_burst = true;   // AxBURST; without it INCR only
    // Channels that may be missing: a read-only port has no AW, W and B.
    bool has_read = true, has_write = true;

    // ---- initiator adapter
    unsigned outstanding = 16;      // requests on the bus
    unsigned queue = 16;            // requests that wait after them
    unsigned ids = 1;               // IDs used in turn, at most 2^id_bits
    unsigned max_beats = 256;       // of an INCR burst (A3.4.1)
    unsigned max_beat_bytes = 128;  // narrow transfers when less than the width of the bus

    // ---- target adapter
    unsigned reads = 16, writes = 16;  // bursts accepted and not answered
    unsigned write_beats = 16;         // write data taken before its address
    bool interleave = true;            // read data of different IDs may alternate (A5.3)

    // ---- both
    uint64_t timeout = 0;        // cycles a request may take before it fails; 0: for ever
    unsigned stall_percent = 0;  // test mode: channels wait at random
    uint64_t seed = 1;           // of the above, and of what is free: order of IDs

    unsigned data_bytes() const { return data_bits / 8; }
    unsigned data_size() const {  // AxSIZE of a whole bus word
        unsigned size = 0;
        while ((8u << size) < data_bits)
            ++size;
        return size;
    }
    bool single_beats() const { return lite || !has_length; }
    bool whole_words_only() const { return lite || !has_size; }
    uint64_t address_mask() const {
        return address_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << address_bits) - 1;
    }

    // What is wrong with it, empty when nothing is.
    std::string problem() const;
};

}  // namespace archipelago::adapters
