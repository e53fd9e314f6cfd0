// SPDX-License-Identifier: Apache-2.0
// Parameters of one memory controller channel and its GDDR5 devices. Times in cycles of the memory
// command clock (CK); the data rate is four bits per pin and CK.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/common/channel.h"
#include "models/mc/address_map.h"

namespace archipelago::mc {

// JEDEC names (JESD212). The defaults are neutral; real values belong to the chip's YAML.
struct DramTiming {
    unsigned burst = 4;      // data of one 64-byte line: 32 pins x 4 bits per CK -> 4
    unsigned ccd_long = 4;   // between column accesses (64 bytes each) in one bank group, >= burst
    unsigned cl = 1;         // read command to its first data
    unsigned wl = 1;         // write command to its first data
    unsigned rcd_read = 1;   // activate to read
    unsigned rcd_write = 1;  // activate to write
    unsigned rp = 1;         // precharge to activate
    unsigned ras = 1;        // activate to precharge
    unsigned rc = 2;         // activate to activate, same bank
    unsigned rrd = 1;        // activate to activate, other bank
    unsigned faw = 0;        // window that holds at most four activates; 0: no limit
    unsigned rtp = 1;        // read to precharge
    unsigned wr = 1;         // end of write data to precharge
    unsigned wtr = 1;        // end of write data to read command
    unsigned rtw = 1;        // idle data bus between read and write data
    unsigned refi = 0;       // average time between refreshes; 0: none
    unsigned rfc = 1;        // a refresh of all banks

    // The least `refi` with which every access gets its turn, cycles: in the worst case a refresh
    // that is due closes a row opened or written in the cycle before, and the row opened after the
    // refresh serves a column before the next one is due.
    uint64_t least_refi() const;
};

inline uint64_t DramTiming::least_refi() const {
    const uint64_t close = std::max({uint64_t{ras}, uint64_t{rtp}, uint64_t{wl} + burst + wr});
    const uint64_t refreshed = std::max(close + rp, uint64_t{rc}) + rfc;
    return std::max({refreshed, uint64_t{rrd}, uint64_t{faw}}) + std::max(rcd_read, rcd_write) + 1;
}

struct McSpec {
    DramGeometry geometry;
    DramTiming timing;
    unsigned read_entries = 32;         // reads waiting for a column command
    unsigned write_entries = 32;        // writes waiting for a column command
    unsigned store_entries = 16;        // lines between column command and the store's answer
    unsigned lookahead = 32;            // oldest entries visible to the scheduler; up to 64
    unsigned starvation_cycles = 1000;  // an entry waiting longer is served before row hits
    unsigned write_high = 24;           // writes waiting that start a drain, <= write_entries
    unsigned write_low = 8;             // writes left that end it, < write_high
    unsigned l2_write_cycles = 1;       // the link from L2 carries a line of write data
    ChannelSpec from_l2{4, 1};          // latency: the way into the queues
    ChannelSpec from_hub{4, 1};
    ChannelSpec from_store{4, 1};

    unsigned entries() const { return read_entries + write_entries + store_entries; }
};

}  // namespace archipelago::mc
