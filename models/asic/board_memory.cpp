// SPDX-License-Identifier: Apache-2.0
#include "models/asic/board_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/common/memory_message.h"

namespace archipelago::asic {

using config::range;
using config::Reader;
using config::Unit;

namespace {

void read_channel_map(Reader& r, mc::ChannelMapSpec& s) {
    Reader m = r.map("channel_map");
    s.kind = m.enumeration<mc::ChannelMapKind>(
        "kind", {{"bits", mc::ChannelMapKind::Bits}, {"tahiti", mc::ChannelMapKind::Tahiti}},
        "channel of an address: bits of it, or the map of Tahiti's twelve channels");
    s.channels = m.required("channels", range(1u, 64u), "L2 channels and memory controllers");
    s.interleave_bytes =
        read_bytes(m, "interleave", range(64u, 65536u), "consecutive bytes in one channel");
    if (m.ok()) {
        const bool power = (s.channels & (s.channels - 1)) == 0;
        m.check((s.interleave_bytes & (s.interleave_bytes - 1)) == 0, "interleave",
                "must be a power of two");
        if (s.kind == mc::ChannelMapKind::Bits)
            m.check(power, "channels", "must be a power of two with kind bits");
        else
            m.check(power || s.channels == 12, "channels",
                    "must be 12 or a power of two with kind tahiti");
    }
}

void read_geometry(Reader& d, mc::DramGeometry& g) {
    g.banks = d.required("banks", range(1u, 64u), "banks per channel");
    g.bank_groups = d.required("bank_groups", range(1u, 16u), "bank groups of a channel");
    g.row_bytes = read_bytes(d, "row", range(64u, 65536u), "row (page) size, one open per bank");
    g.bank_block_bytes =
        read_bytes(d, "bank_block", range(64u, 65536u), "consecutive bytes before the next bank");
    if (d.ok()) {
        const auto power = [](unsigned v) { return (v & (v - 1)) == 0; };
        d.check(power(g.banks), "banks", "must be a power of two");
        d.check(power(g.bank_groups) && g.bank_groups <= g.banks, "bank_groups",
                "must be a power of two that divides banks");
        d.check(power(g.row_bytes), "row", "must be a power of two");
        d.check(power(g.bank_block_bytes) && g.bank_block_bytes <= g.row_bytes, "bank_block",
                "must be a power of two not above row");
    }
}

// Of a clock below this, Hz, a refresh interval in ns is too few cycles to leave room for accesses.
constexpr uint64_t kSlowClock = 10'000'000;

void read_timing(Reader& d, uint64_t memory_hz, mc::DramTiming& m) {
    Reader t = d.map("timing");
    const auto least0 = range(0u, Reader::kMaxCycles);
    struct Field {
        const char* name;
        unsigned* value;
        bool zero;
        const char* doc;
    };
    const Field fields[] = {
        {"burst", &m.burst, false, "data of a line on the pins"},
        {"ccd_long", &m.ccd_long, false, "column access to column access in one bank group"},
        {"cl", &m.cl, false, "read command to its first data"},
        {"wl", &m.wl, false, "write command to its first data"},
        {"rcd_read", &m.rcd_read, false, "activate to read"},
        {"rcd_write", &m.rcd_write, false, "activate to write"},
        {"rp", &m.rp, false, "precharge to activate"},
        {"ras", &m.ras, false, "activate to precharge"},
        {"rc", &m.rc, false, "activate to activate in one bank"},
        {"rrd", &m.rrd, false, "activate to activate in another bank"},
        {"faw", &m.faw, true, "window that holds at most four activates; 0: no limit"},
        {"rtp", &m.rtp, false, "read to precharge"},
        {"wr", &m.wr, false, "end of write data to precharge"},
        {"wtr", &m.wtr, false, "end of write data to read command"},
        {"rtw", &m.rtw, true, "idle data bus between read and write data"},
        {"refi", &m.refi, true, "mean time between refreshes; 0: none"},
        {"rfc", &m.rfc, false, "refresh of all banks"}};
    for (const Field& f : fields)
        *f.value = t.timing(f.name, f.zero ? least0 : kAtLeastOne, f.doc);
    if (t.ok()) {
        t.check(m.ccd_long >= m.burst, "ccd_long", "is shorter than burst");
        t.check(m.rc >= m.ras, "rc", "is shorter than ras");
        if (m.refi != 0 && memory_hz < kSlowClock && t.is_in_ns("refi"))
            m.refi = std::max<unsigned>(m.refi, static_cast<unsigned>(m.least_refi()));
        t.check(m.refi == 0 || m.refi >= m.least_refi(), "refi",
                fmt::format("is too short: with these delays it takes {} cycles to close all rows "
                            "(ras, rtp, wl, burst, wr, rp, rc), refresh (rfc) and open one for an "
                            "access (rrd, faw, rcd_read, rcd_write); 0: no refresh",
                            m.least_refi()));
    }
    t.finish();
}

}  // namespace

void read_clocks(Reader& clocks, const char* engine, Identity& identity, BoardMemory& board) {
    identity.clock_hz = clocks.required_quantity("engine", Unit::Hertz, kClockRates, engine);
    board.memory_hz =
        clocks.required_quantity("memory", Unit::Hertz, kClockRates, "DRAM command clock");
    // Delays in ns are checked as cycles: a clock that cannot be read adds no faults of theirs.
    if (!clocks.ok())
        identity.clock_hz = board.memory_hz = 1'000'000'000;
    identity.clock_period_fs = period_of(identity.clock_hz);
    board.memory_period_fs = period_of(board.memory_hz);
}

double BoardMemory::dram_bytes_per_second() const {
    const double lines = 1e15 / static_cast<double>(memory_period_fs) / mc.timing.burst;
    return lines * channel_map.channels * kLineBytes;
}

std::string channels_text(const BoardMemory& board) {
    return fmt::format("{} channels, {} banks each, {:.0f} GB/s", board.channel_map.channels,
                       board.mc.geometry.banks, board.dram_bytes_per_second() / 1e9);
}

void read_board_memory(Reader& root, BoardMemory& board) {
    Reader r = root.map("memory");
    board.bus_bits = r.required(
        "bus_bits", range(32u, 4096u),
        "width of the DRAM bus as registers report it; the data rate is that of clocks.memory, "
        "channel_map.channels and dram.timing.burst");
    board.vram_bytes = r.required_quantity("vram", Unit::Byte, range(1u << 20, uint64_t{1} << 40),
                                           "memory of the board");
    read_channel_map(r, board.channel_map);
    Reader d = r.map("dram");
    d.set_clock(board.memory_hz);
    mc::McSpec& s = board.mc;
    read_geometry(d, s.geometry);
    read_timing(d, board.memory_hz, s.timing);
    s.read_entries =
        d.required("read_entries", range(1u, 1024u), "reads that wait for a column command");
    s.write_entries =
        d.required("write_entries", range(2u, 1024u), "writes that wait for a column command");
    s.store_entries = d.required("store_entries", range(1u, 1024u),
                                 "lines between column command and the store's answer");
    s.lookahead =
        d.required("lookahead", range(1u, 64u), "oldest requests that the scheduler chooses from");
    s.starvation_cycles = d.required("starvation_cycles", kAtLeastOne,
                                     "cycles after which a request goes before row hits");
    s.write_high =
        d.required("write_high", range(1u, 1024u), "queued writes at which a write drain begins");
    s.write_low =
        d.required("write_low", range(0u, 1023u), "queued writes at which a write drain ends");
    if (d.ok()) {
        d.check(s.write_high <= s.write_entries, "write_high", "is more than write_entries");
        d.check(s.write_low < s.write_high, "write_low", "is not below write_high");
    }
    s.l2_write_cycles = d.timing("l2_write_cycles", kAtLeastOne,
                                 "cycles of a line of write data on the link from L2");
    s.from_l2 = read_channel(d, "from_l2", "requests of the L2 channel");
    s.from_hub = read_channel(d, "from_hub", "requests of the hub");
    s.from_store = read_channel(d, "from_store", "bytes read or written");
}

void read_crossbar(Reader& links, const char* key, crossbar::CrossbarSpec& spec) {
    Reader x = links.map(key);
    spec.request_bytes =
        x.required("request_bytes", range(1u, 64u), "bytes per cycle of each link");
    spec.response_bytes =
        x.required("response_bytes", range(1u, 64u), "bytes per cycle of each link");
    spec.queue_depth =
        x.required("queue_depth", range(1u, 64u), "queue entries between every input and output");
    spec.request_in = read_channel(x, "request_in", "requests of a source");
    spec.response_in = read_channel(x, "response_in", "responses of a destination");
}

void read_hub_links(Reader& links, BoardMemory& board) {
    board.link_hub = read_link(links, "hub");
    board.link_store = read_link(links, "store");
    board.synchroniser = links.timing("synchroniser", range(0u, 64u),
                                      "between engine and memory clock, cycles of the receiver");
    read_crossbar(links, "hub_crossbar", board.hub);
}

}  // namespace archipelago::asic
