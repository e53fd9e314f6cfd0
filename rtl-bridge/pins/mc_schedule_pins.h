// SPDX-License-Identifier: Apache-2.0
// Pins of the scheduler of a memory controller channel; documented in
// rtl-bridge/rtl/mc_schedule/mc_schedule.sv.
#pragma once

#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct McSchedulePins {
    static constexpr const char* kName = "mc_schedule";
    static constexpr Elastic kElastic{"", "", "", "",
                                      "its commands meet the devices' times in cycles, which the "
                                      "channel counts with it"};

    // What the Verilog's parameters provide; Config stays within.
    static constexpr unsigned kBanks = 16;
    static constexpr unsigned kReads = 128;
    static constexpr unsigned kWrites = 128;
    static constexpr unsigned kRoom = 255;
    static constexpr unsigned kWindow = 64;
    static constexpr unsigned kIds = 256;
    static constexpr unsigned kMostCycles = 4095;       // of a time of the devices
    static constexpr unsigned kMostInterval = 0xFFFFF;  // between refreshes, until it starves

    // Still between resets.
    struct Config {
        uint8_t group_mask = 3;  // bank groups - 1
        uint8_t reads = 128, writes = 64, room = 64;
        uint8_t lookahead = 64;
        uint32_t starvation = 1000;
        uint8_t write_high = 48, write_low = 16;
        uint16_t burst = 4, ccd_long = 4, cl = 1, wl = 1, rcd_read = 1, rcd_write = 1, rp = 1;
        uint16_t ras = 1, rc = 2, rrd = 1, faw = 0, rtp = 1, wr = 1, wtr = 1, rtw = 1, rfc = 1;
        uint32_t refi = 0;
    };
    struct Request {
        uint8_t write = 0;
        uint8_t id = 0;
        uint8_t bank = 0;
        uint64_t row = 0;
        uint64_t line = 0;  // byte address / 64
    };
    struct Events {
        uint8_t row_hits = 0, row_misses = 0, row_conflicts = 0;
        uint8_t activates = 0, precharges = 0;
        uint32_t refreshes = 0;
        uint8_t turnarounds = 0, write_drains = 0, starved = 0, order_waits = 0;
        uint64_t queue_cycles = 0;
    };
    struct In {
        uint8_t rst = 0;
        Config cfg;
        uint64_t now = 0;
        uint8_t pause = 0;
        uint8_t done_valid = 0;
        uint8_t l2_valid = 0, hub_valid = 0;
        Request l2, hub;
    };
    struct Out {
        uint8_t l2_ready = 0, hub_ready = 0;
        uint8_t cmd_valid = 0;
        uint8_t cmd_kind = 0;  // mc::DramCommand::Kind
        uint8_t cmd_bank = 0, cmd_id = 0;
        uint64_t cmd_row = 0;
        Events event;
        uint8_t reads = 0, writes = 0, writing = 0;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, group_mask, cfg.group_mask, 4, "bank groups - 1; still");
        ARCHIPELAGO_PIN(cfg, reads, cfg.reads, 8, "entries of the queue of reads, 1 to 128; still");
        ARCHIPELAGO_PIN(cfg, writes, cfg.writes, 8,
                        "entries of the queue of writes, 1 to 128; still");
        ARCHIPELAGO_PIN(cfg, room, cfg.room, 8,
                        "accesses between their column command and done, at least 1; still");
        ARCHIPELAGO_PIN(cfg, lookahead, cfg.lookahead, 7,
                        "oldest of a direction that are chosen among, 1 to 64; still");
        ARCHIPELAGO_PIN(cfg, starvation, cfg.starvation, 20,
                        "cycles after which age decides, at least 1; still");
        ARCHIPELAGO_PIN(cfg, write_high, cfg.write_high, 8,
                        "writes that wait when they are drained; still");
        ARCHIPELAGO_PIN(cfg, write_low, cfg.write_low, 8,
                        "writes at which a drain ends, below write_high; still");
        ARCHIPELAGO_PIN(cfg, burst, cfg.burst, 12, "cycles of the data bus of an access; still");
        ARCHIPELAGO_PIN(cfg, ccd_long, cfg.ccd_long, 12,
                        "tCCDL: between column commands of a bank group; still");
        ARCHIPELAGO_PIN(cfg, cl, cfg.cl, 12, "CL: a read to its data; still");
        ARCHIPELAGO_PIN(cfg, wl, cfg.wl, 12, "WL: a write to its data; still");
        ARCHIPELAGO_PIN(cfg, rcd_read, cfg.rcd_read, 12, "tRCDRD: activate to read; still");
        ARCHIPELAGO_PIN(cfg, rcd_write, cfg.rcd_write, 12, "tRCDWR: activate to write; still");
        ARCHIPELAGO_PIN(cfg, rp, cfg.rp, 12, "tRP: precharge to activate; still");
        ARCHIPELAGO_PIN(cfg, ras, cfg.ras, 12, "tRAS: activate to precharge; still");
        ARCHIPELAGO_PIN(cfg, rc, cfg.rc, 12, "tRC: activate to activate of a bank; still");
        ARCHIPELAGO_PIN(cfg, rrd, cfg.rrd, 12, "tRRD: activate to activate of another; still");
        ARCHIPELAGO_PIN(cfg, faw, cfg.faw, 12, "tFAW: of four activates, 0: no limit; still");
        ARCHIPELAGO_PIN(cfg, rtp, cfg.rtp, 12, "tRTP: read to precharge; still");
        ARCHIPELAGO_PIN(cfg, wr, cfg.wr, 12, "tWR: end of write data to precharge; still");
        ARCHIPELAGO_PIN(cfg, wtr, cfg.wtr, 12, "tWTR: end of write data to read; still");
        ARCHIPELAGO_PIN(cfg, rtw, cfg.rtw, 12, "tRTW: read to write; still");
        ARCHIPELAGO_PIN(cfg, rfc, cfg.rfc, 12, "tRFC: refresh to activate; still");
        ARCHIPELAGO_PIN(cfg, refi, cfg.refi, 20, "tREFI: between refreshes, 0: none; still");
        ARCHIPELAGO_PIN(
            ctl, now, now, 40,
            "cycle of the devices' clock; leaves some out while nothing waits and in pauses");
        ARCHIPELAGO_PIN(ctl, pause, pause, 1, "nothing is taken or commanded");
        ARCHIPELAGO_PIN(done, valid, done_valid, 1, "an access is done: its place is free");
        ARCHIPELAGO_PIN(l2, valid, l2_valid, 1, "L2 has a request");
        ARCHIPELAGO_PIN(l2, write, l2.write, 1, "it is a write");
        ARCHIPELAGO_PIN(l2, id, l2.id, 8, "names it: of no other that waits");
        ARCHIPELAGO_PIN(l2, bank, l2.bank, 4, "bank of its line");
        ARCHIPELAGO_PIN(l2, row, l2.row, 58, "row of its line");
        ARCHIPELAGO_PIN(l2, line, l2.line, 58, "byte address / 64");
        ARCHIPELAGO_PIN(hub, valid, hub_valid, 1, "the hub has a request");
        ARCHIPELAGO_PIN(hub, write, hub.write, 1, "it is a write");
        ARCHIPELAGO_PIN(hub, id, hub.id, 8, "names it: of no other that waits");
        ARCHIPELAGO_PIN(hub, bank, hub.bank, 4, "bank of its line");
        ARCHIPELAGO_PIN(hub, row, hub.row, 58, "row of its line");
        ARCHIPELAGO_PIN(hub, line, hub.line, 58, "byte address / 64");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(l2, ready, l2_ready, 1, "L2's request is taken");
        ARCHIPELAGO_PIN(hub, ready, hub_ready, 1, "the hub's request is taken");
        ARCHIPELAGO_PIN(cmd, valid, cmd_valid, 1, "a command goes to the devices");
        ARCHIPELAGO_PIN(
            cmd, kind, cmd_kind, 3,
            "0 precharge, 1 activate, 2 read, 3 write, 4 precharge of all banks, 5 refresh");
        ARCHIPELAGO_PIN(cmd, bank, cmd_bank, 4, "its bank");
        ARCHIPELAGO_PIN(cmd, id, cmd_id, 8, "request of a column command");
        ARCHIPELAGO_PIN(cmd, row, cmd_row, 58, "row of activate and of a column command");
        ARCHIPELAGO_PIN(event, row_hits, event.row_hits, 1, "an access finds its row open");
        ARCHIPELAGO_PIN(event, row_misses, event.row_misses, 1, "an access finds its bank closed");
        ARCHIPELAGO_PIN(event, row_conflicts, event.row_conflicts, 1,
                        "an access finds another row open");
        ARCHIPELAGO_PIN(event, activates, event.activates, 1, "a row is opened");
        ARCHIPELAGO_PIN(event, precharges, event.precharges, 5, "banks that are closed");
        ARCHIPELAGO_PIN(event, refreshes, event.refreshes, 32, "refreshes, those made up for too");
        ARCHIPELAGO_PIN(event, turnarounds, event.turnarounds, 1, "the data bus turns round");
        ARCHIPELAGO_PIN(event, write_drains, event.write_drains, 1, "a drain of writes begins");
        ARCHIPELAGO_PIN(event, starved, event.starved, 1, "age has decided the direction");
        ARCHIPELAGO_PIN(event, order_waits, event.order_waits, 2,
                        "requests taken that wait for another of their line");
        ARCHIPELAGO_PIN(event, queue_cycles, event.queue_cycles, 40,
                        "cycles that the access commanded has waited");
        ARCHIPELAGO_PIN(state, reads, reads, 8, "reads that wait behind this cycle");
        ARCHIPELAGO_PIN(state, writes, writes, 8, "writes that wait behind this cycle");
        ARCHIPELAGO_PIN(state, writing, writing, 1, "the direction: writes are served");
    }
};

}  // namespace archipelago::rtl
