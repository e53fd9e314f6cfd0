#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""archipelago profile: one run explained, from statistics made up here, and from a real run.

    profile_test.py ARCHIPELAGO [Explained|Real]
"""

import json
import re
import shutil
import unittest

import support
from support import ROOT, InFolder

REASONS = {"issue_valu": 400, "wait_vm": 500, "barrier": 60, "lds_full": 40, "fetch": 0}
GROUPS = {"issue": ["issue_valu"], "waits for memory": ["wait_vm", "vmem_full", "drain"],
          "waits for LDS and scalar loads": ["smem_full"], "LDS": ["lds_full"], "unit busy": ["valu_busy"], "fetch": ["fetch"],
          "barrier and sleep": ["barrier"]}
STATS = {
    "cycles": 1000, "sim_seconds": 1e-6, "asic": "mine", "mode": "cycle", "config_hash": "aa", "wave_instructions": 120,
    "attribution": {
        "waves": {"total": 1000, "reasons": REASONS, "slots": {"total": 4000, "no_work": 3000}},
        "memory": {"transactions": 10, "period_fs": 1000000, "total": 500000000,
                   "reasons": {"l1": 100000000, "dram": 400000000}},
        "definitions": {"waves": {"wait_vm": "waiting for vmcnt"}, "groups": GROUPS, "memory": {"dram": "in the channel"}}},
    "ceilings": {"f32_flops": 1e12, "f64_flops": 1e11, "lds_bytes": 1e12, "l1_bytes": 5e11, "l2_bytes": 2e11, "dram_bytes": 1e11},
    "kernel_cycles": 450,
    "kernel_totals": [
        {"kernel": "saxpy", "pc": 0, "stage": "cs", "dispatches": 2, "cycles": 500, "least": 200, "most": 300, "waves": 4, "wave_cycles": 1000,
                 "bound": {"by": "DRAM", "share": 0.8, "near_peak": True},
                 "of_peak": {"ALU": 0.1, "LDS": 0.0, "L1": 0.25, "L2": 0.5, "DRAM": 0.8},
                 "waves_per_cu": {"mean": 1.5, "most": 40, "limits": ["VGPRs", "LDS"]},
                 "reasons": REASONS, "instructions": {"valu": 100, "vmem": 20}, "valu_lanes": 64, "flops": {"f32": 20000, "f64": 0},
                 "memory": {"alone": True, "l1": {"reads": 100, "hits": 25, "merged": 0, "writes": 0, "bytes": 0},
                            "l2": {"reads": 75, "hits": 15, "merged": 0, "writes": 0, "bytes": 0},
                            "dram": {"read_bytes": 30000, "written_bytes": 10000}, "lds_bytes": 0}}],
    "pcs": [{"kernel": "saxpy", "pc": 8, "offset": 8, "text": "v_mul_f32 v0, v1, v2", "issues": 4, "cycles": {"issue_valu": 400, "lds_full": 40},
             "source": None},
            {"kernel": "saxpy", "pc": 16, "offset": 16, "text": "s_waitcnt vmcnt(0)", "issues": 4, "cycles": {"wait_vm": 500},
             "source": {"file": "k.cl", "line": 2}}],
    "series": {"interval": 500, "cycle": [500, 1000], "resident_waves": [4, 0], "instructions": [100, 20],
               "dram_read_bytes": [[20000, 10000], [0, 0]], "dram_written_bytes": [[0, 0], [10000, 0]]},
    "units": {"mc0": {"bytes_read": 20000, "bytes_written": 10000, "data_bus_cycles": 100},
              "mc1": {"bytes_read": 10000, "bytes_written": 0, "data_bus_cycles": 50}},
}
GAPS = {"before_first": 40, "after_last": 210, "reasons": {"host": 250, "fetch": 140, "launch": 160, "parse": 0},
        "kernels": [{"kernel": "saxpy", "stage": "cs", "dispatches": 1, "cycles": 300, "least": 300, "most": 300,
                     "reasons": {"host": 200, "fetch": 0, "launch": 100, "parse": 0}}],
        "packets": [{"packet": "DISPATCH_DIRECT", "reason": "launch", "cycles": 160}, {"packet": "", "reason": "host", "cycles": 250}],
        "definitions": {"host": "rings are empty", "fetch": "dwords come", "launch": "SPI has it", "parse": "PFP has it"}}
WHAT_IF = """\
dram: {meaning: memory is fast, limits: nothing stays, gaps: [launch, fetch], overrides: {dram.latency: 1, dram.banks: 64}}
lds: {meaning: no conflicts, limits: latency stays, overrides: {lds.banks: 64, no.such: 2}}
stuck: {meaning: nothing moves, limits: all, overrides: {dram.stuck: 1}}
other: {meaning: nothing of this chip, limits: all, overrides: {no.such: 1}}
"""
# Statistics as made up, with fewer cycles for what is overridden.
STAND_IN = """\
#!/bin/sh
case "$1" in
    list) echo "chips ({folder}/asics):"; exit 0 ;;
    check)
        while read -r line; do
            case "$line" in *no.such*) echo '{{"errors": ["--set: no.such: unknown key"]}}' ;; *) echo '{{}}' ;; esac
        done
        exit 0 ;;
esac
case "$*" in
    *no.such*) echo "--set: no.such: unknown key" >&2; exit 2 ;;
    *dram.stuck*|*stops.yaml*) echo "archipelago: the machine stopped (hang): $(printf '%099d' 0)" >&2; exit 3 ;;
    *until.yaml*) cat {folder}/stats.json; echo "archipelago: the machine stopped (hang): it waits" >&2; exit 3 ;;
    *fails.yaml*) cat {folder}/stats.json; echo "0x100: expected 1" >&2; exit 1 ;;
    *"--set dram.latency=1 --set dram.banks=64"*) sed 's/"cycles": 1000,/"cycles": 400,/; s/"kernel_cycles": 450,/"kernel_cycles": 90,/' {folder}/stats.json ;;
    *lds.banks*) sed 's/"cycles": 1000,/"cycles": 950,/' {folder}/stats.json ;;
    *) cat {folder}/stats.json ;;
esac
"""


class Explained(InFolder):
    def setUp(self):
        super().setUp()
        self.write("k.cl", "kernel void saxpy()\n    y[i] = a * x[i];\n")
        self.write("what_if.yaml", WHAT_IF)
        path = self.write("made_up", STAND_IN.format(folder=self.folder))
        path.chmod(0o755)
        self.made_up = self.python_command(path)

    def profile(self, *words, stats=None, status=0):
        self.write("stats.json", json.dumps(stats or STATS))
        return self.call("profile", "saxpy.yaml", *words, command=self.made_up, status=status)

    def test_dispatches_of_a_kernel_are_one_row_beside_what_is_outside_kernels(self):
        out = self.profile()
        self.assertRegex(out, r"saxpy +cs +2 +500 +50 +250 +200 +300 +120 +25 +20 +DRAM, 80 % of its peak\n +outside kernels +550 +55\n")
        self.assertRegex(out, r"saxpy +4 +1\.5 +40 +VGPRs, LDS +10 +0 +25 +50 +80\n")

    def test_a_verdict_of_waves_names_their_share(self):
        kernel = {**STATS["kernel_totals"][0], "bound": {"by": "waits for memory", "share": 0.625, "near_peak": False}}
        self.assertIn("waits for memory, 62 % of wave cycles", self.profile(stats={**STATS, "kernel_totals": [kernel]}))

    def test_kernels_beyond_top_are_counted(self):
        kernels = [{**STATS["kernel_totals"][0], "kernel": f"k{i}"} for i in range(3)]
        out = self.profile("--top", "2", stats={**STATS, "kernel_totals": kernels})
        self.assertIn("(1 kernel with fewer cycles left out.)", out)
        self.assertNotRegex(out, r"k2 +cs")

    def test_cycles_between_dispatches_are_by_kernel_by_resource_and_by_packet(self):
        out = self.profile(stats={**STATS, "gaps": GAPS})
        self.assertRegex(out, r"before saxpy +cs +1 +300 +30 +300 +300 +300 +host 67 %, launch 33 %\n +before the first +40 +4\n"
                              r" +after the last +210 +21\n")
        self.assertIn("The largest share is dram: 55 % of these cycles, 30 % of the run.\n", out)
        self.assertRegex(out, r"dram +launch +160 +29\.09 +16 +SPI has it\n +dram +fetch +140 +25\.45 +14 +dwords come\n +host +250 ")
        self.assertRegex(out, r"DISPATCH_DIRECT +launch +160 +29\.09\n +no packet +host +250")

    def test_what_if_has_what_the_profile_gave_to_a_resource(self):
        out = self.profile("--what-if", stats={**STATS, "gaps": GAPS})
        # Of 1000 cycles 450 are kernels', of 400 then 90.
        self.assertRegex(out, r"\n  dram +90 +80 +400 +60 +300 +240 +memory is fast ")
        self.assertRegex(out, r"\n  lds +450 +0 +950 +5 +no conflicts ")

    def test_kernels_have_their_share_of_the_roofs(self):
        # 500 cycles of 1 ns: 20000 FLOP in 500 ns are 40 GFLOP/s, 40000 bytes 80 GB/s.
        self.assertRegex(self.profile(), r"saxpy +40 GFLOP/s +0\.5 +4 +80 GB/s +80 +DRAM, 80 %")

    def test_peak_of_a_kernel_is_that_of_its_mix_of_precisions(self):
        kernel = {**STATS["kernel_totals"][0], "flops": {"f32": 20000, "f64": 20000}}
        # 20 ns of f32 and 200 ns of f64 in 500 ns.
        self.assertRegex(self.profile(stats={**STATS, "kernel_totals": [kernel]}), r"saxpy +80 GFLOP/s +1 +44 +80 GB/s +80")

    def test_reasons_are_drawn_by_the_groups_of_the_statistics(self):
        reasons = {"issue_valu": 300, "vmem_full": 300, "wait_vm": 100, "drain": 100, "smem_full": 150, "valu_busy": 50}
        out = self.profile(stats={**STATS, "kernel_totals": [{**STATS["kernel_totals"][0], "reasons": reasons}]})
        self.assertIn("waits for memory 50.0 %, issue 30.0 %, waits for LDS and scalar loads 15.0 %, unit busy 5.0 %", out)

    def test_cycles_are_by_reason_with_the_meaning(self):
        out = self.profile()
        self.assertRegex(out, r"wait_vm +500 +50 +waiting for vmcnt\n +issue_valu +400 +40\n")
        self.assertRegex(out, r"dram +40 +80 +in the channel\n +l1 +10 +20\n")

    def test_instructions_that_wait_are_beside_their_source_line(self):
        out = self.profile()
        self.assertRegex(out, r"50 +saxpy +0x10 +s_waitcnt vmcnt\(0\) +wait_vm 500 +k\.cl:2 +y\[i\] = a \* x\[i\];\n"
                              r" +4 +saxpy +0x8 +v_mul_f32 v0, v1, v2 +lds_full 40\n")
        self.assertNotIn("v_mul_f32", self.profile("--top", "1"))

    def test_channels_are_compared_with_their_mean(self):
        out = self.profile()
        self.assertRegex(out, r"mc0 +20 000 +10 000 +150\n +mc1 +10 000 +0 +50\n")
        self.assertIn("The busiest channel moves 1.50 times the mean.", out)

    def test_what_if_ranks_resources_by_what_they_gain(self):
        out = self.profile("--what-if")
        rows = out[out.index("Upper bound of each optimisation"):].splitlines()[2:]
        self.assertRegex(rows[0], r"^  dram +90 +80 +400 +60 +memory is fast +nothing stays$")
        self.assertRegex(rows[1], r"^  lds +450 +0 +950 +5 +no conflicts +latency stays$")
        self.assertRegex(rows[2], r"^  stuck +stopped: archipelago: the machine stopped \(hang\): \[\.\.\.\] +all$")
        self.assertEqual(len(rows), 3)  # the chip has nothing of "other", and of "lds" one key

    def test_a_run_that_does_not_end_well_has_its_status(self):
        for workload, status, said in (("stops.yaml", 3, "the machine stopped (hang)"), ("fails.yaml", 1, "0x100: expected 1")):
            self.write("stats.json", json.dumps(STATS))
            self.assertIn(said, self.call("profile", workload, command=self.made_up, status=status))

    def test_a_run_that_does_not_end_well_is_explained_up_to_there(self):
        for workload, status, mark, error in (("until.yaml", 3, "The run stopped: this is its profile up to cycle 1000.", "the machine stopped (hang)"),
                                              ("fails.yaml", 1, "A check of the run failed.", "0x100: expected 1")):
            with self.subTest(workload):
                self.write("stats.json", json.dumps(STATS))
                out = self.call("profile", workload, "--what-if", "-o", "p.html", command=self.made_up, status=status)
                self.assertRegex(out, rf"configuration aa\n{re.escape(mark)}\n\nKernels\n")
                self.assertRegex(out, rf"\n(archipelago: )?{re.escape(error)}")
                self.assertLess(out.index("Over time"), out.index(error))
                self.assertNotIn("Upper bound of each", out)
                self.assertIn(mark, (self.folder / "p.html").read_text())

    def test_instructions_are_of_waves_or_of_micro_engines(self):
        self.assertIn("120 wave instructions, ", self.profile())
        out = self.profile(stats={**STATS, "instructions": {"micro": 120}})
        self.assertIn("120 instructions of micro engines, ", out)

    def test_the_page_has_the_time_line(self):
        self.profile("-o", "p.html")
        page = (self.folder / "p.html").read_text()
        self.assertIn("to cycle 500: 500, 60", page)  # 30000 bytes in 500 ns
        self.assertIn("cycle 500: 500, 4", page)

    def test_pages_that_cannot_be_or_would_overwrite_are_refused_before_the_run(self):
        (self.folder / "folder").mkdir()
        shutil.copy(support.CODE / "saxpy.hsaco", self.folder / "own.hsaco")
        self.write("own.yaml", "asic: verde\nmemory: [{address: 0x100000, file: in.bin}]\ndump: [{address: 0x100000, size: 4, file: d.bin}]\n")
        self.write("in.bin", "data")
        self.write("chip.yaml", f"base: {support.ROOT}/configs/asics/verde.yaml\nname: chip\n")
        for page, why in (("no/p.html", "-o no/p.html: no such directory"), ("folder", "-o folder: is a directory"),
                          ("./own.yaml", 'own.yaml", which the command reads'), ("in.bin", 'in.bin", which the command reads'),
                          ("chip.yaml", 'chip.yaml", which the command reads'), ("own.hsaco", 'own.hsaco", which the command reads'),
                          ("d.bin", 'd.bin", a dump of the workload')):
            with self.subTest(page):
                out = self.call("profile", "own.yaml", "--asic", "chip.yaml", "--code", "own.hsaco", "-o", page, status=2)
                self.assertIn(why, out)
        self.assertEqual((self.folder / "in.bin").read_text(), "data")
        self.assertFalse((self.folder / "d.bin").exists())

    def test_a_run_of_no_cycles_and_a_chip_without_waves_are_no_trouble(self):
        self.assertIn("the run took no cycles", self.profile(stats={**STATS, "cycles": 0, "sim_seconds": 0.0}, status=2))
        bare = {k: v for k, v in STATS.items() if k not in ("kernel_cycles", "kernel_totals", "ceilings", "pcs")}
        waves = {"total": 0, "reasons": dict.fromkeys(REASONS, 0), "slots": {"total": 0, "no_work": 0}}
        series = {**STATS["series"], "resident_waves": [0, 0], "instructions": [0, 0]}
        out = self.profile(stats={**bare, "attribution": {**STATS["attribution"], "waves": waves}, "series": series})
        self.assertNotIn("Kernels", out)
        self.assertNotIn("Occupancy", out)
        self.assertIn("DRAM bandwidth", out)

    def test_a_run_without_attribution_says_why(self):
        absent = {k: v for k, v in STATS.items() if k != "attribution"}
        out = self.profile(stats={**absent, "attribution_absent": "functional mode counts no cycles"}, status=2)
        self.assertIn("saxpy.yaml: nothing to explain: functional mode counts no cycles", out)


class Real(InFolder):
    def test_a_real_run_is_explained_and_something_free_helps(self):
        self.write("saxpy.yaml", support.SAXPY.format(size=4096))
        out = self.call("profile", "saxpy.yaml", "--what-if", "--series", "200", "-o", "p.html")
        for title in ("Kernels", "Where each cycle of a wave went", "Instructions that wait most", "Memory channels", "Over time",
                      "Where each memory transaction waited", "Upper bound of each optimisation"):
            self.assertIn(f"\n\n{title}\n", out)
        self.assertRegex(out, r"s_waitcnt vmcnt\(0\) +wait_vm \d+")
        table = out[out.index("\n  reason "):out.index("\n\nInstructions that")].splitlines()[2:]
        shares = [float(re.split(r"\s{2,}", row.strip())[2]) for row in table]
        self.assertAlmostEqual(sum(shares), 100, delta=0.5)
        tried = out[out.index("Upper bound of each"):].splitlines()[2:]
        resources = re.findall(r"^(\w+):$", (ROOT / "configs" / "what_if.yaml").read_text(), re.M)
        self.assertEqual(sorted(row.split()[0] for row in tried), sorted(set(resources) - {"cp_instructions", "cp_register_reads", "cp_memory"}))
        self.assertNotIn("unknown key", out)
        gains = [float(row.split()[2]) for row in tried]
        self.assertEqual(gains, sorted(gains, reverse=True))
        self.assertGreater(gains[0], 5)

    def gaps_of(self, workload):
        self.call("run", workload, "--quiet", "--profile", "--stats", "s.json")
        stats = json.loads((self.folder / "s.json").read_text())
        self.assertEqual(sum(stats["gaps"]["reasons"].values()), stats["cycles"] - stats["kernel_cycles"])
        self.assertEqual(sum(p["cycles"] for p in stats["gaps"]["packets"]), stats["cycles"] - stats["kernel_cycles"])
        return stats["gaps"]

    def confirm_largest_share(self, workload, *resources):
        """What-if gains what the profile says of the largest share, and of others, within 10 %."""
        out = self.call("profile", workload, "--what-if")
        self.assertIn(f"The largest share is {resources[0]}: ", out)
        for resource in resources:
            # The last two of the whole numbers that stand alone in their columns.
            [row] = re.findall(rf"^  {resource} .*$", out[out.index("Upper bound of each"):], re.M)
            share, fewer = (int(cell.replace(" ", "")) for cell in re.split(r"\s{2,}", row.strip())[-4:-2])
            self.assertLess(abs(share - fewer), 0.1 * share, row)

    def test_cycles_between_small_dispatches_are_of_fences_and_packets_and_what_if_confirms_both(self):
        self.write("saxpy.yaml", support.SAXPY.format(size=64).replace("kernel:\n", "kernel:\n  repeat: 40\n  sync: first_level\n"))
        gaps = self.gaps_of("saxpy.yaml")
        [kernel] = gaps["kernels"]
        self.assertEqual(kernel["dispatches"], 39)
        for reason in ("packet_start", "packet", "register_write", "register_bus", "wait_for_idle", "launch"):
            self.assertGreater(kernel["reasons"][reason], 0, reason)
        self.assertIn("SET_SH_REG", {p["packet"] for p in gaps["packets"]})
        self.confirm_largest_share("saxpy.yaml", "fence", "cp_packets")

    def test_cycles_between_kernels_that_write_back_are_of_their_fences_and_what_if_confirms_it(self):
        self.write("saxpy.yaml", support.SAXPY.format(size=64).replace("kernel:\n", "kernel:\n  repeat: 40\n"))
        gaps = self.gaps_of("saxpy.yaml")
        self.assertIn({"packet": "SURFACE_SYNC", "reason": "cache_action"}, [{k: p[k] for k in ("packet", "reason")} for p in gaps["packets"]])
        self.confirm_largest_share("saxpy.yaml", "fence")

    def test_cycles_of_indirect_buffers_are_of_their_fetch_and_what_if_confirms_it(self):
        packets = ", ".join(f"0xC0017600, {0x240 + i:#x}, {i}" for i in range(4))  # SET_SH_REG of COMPUTE_USER_DATA_0 to 3
        self.write("buffers.yaml", f"asic: tahiti\nmemory:\n  - {{address: 0x200000, words: [{packets}]}}\nsteps:\n" +
                   30 * "  - {ring: gfx, ib: {address: 0x200000, dwords: 12}}\n" + "  - {wait: gfx}\n")
        gaps = self.gaps_of("buffers.yaml")
        self.assertEqual(gaps["kernels"], [])
        out = self.call("profile", "buffers.yaml")
        self.assertRegex(out, r"\n\nWithout dispatches\n.*\n  of a run without dispatches +[\d ]+ 100\n")
        self.assertNotIn("after the last", out)
        self.confirm_largest_share("buffers.yaml", "cp_fetch")

    def test_draws_wait_for_their_fences_and_what_if_confirms_it(self):
        draws = ROOT / "testbenches" / "workloads" / "draws_vmid.yaml"
        gaps = self.gaps_of(draws)
        self.assertGreater(gaps["reasons"]["launch"], 0)
        self.assertIn("DRAW_INDEX_AUTO", {p["packet"] for p in gaps["packets"]})
        self.confirm_largest_share(draws, "fence")

    def test_dispatches_that_overlap_wait_for_room_in_spi_and_what_if_makes_it(self):
        self.write("saxpy.yaml", support.SAXPY.format(size=64).replace("kernel:\n", "kernel:\n  repeat: 40\n  sync: none\n"))
        [kernel] = self.gaps_of("saxpy.yaml")["intervals"]
        starts = [k["start"] for k in json.loads((self.folder / "s.json").read_text())["kernels"]]
        self.assertEqual(kernel["cycles"], starts[-1] - starts[0])
        self.assertEqual(sum(kernel["reasons"].values()), kernel["cycles"])
        self.assertEqual(max(kernel["reasons"], key=kernel["reasons"].get), "dispatch_queue")
        out = self.call("profile", "saxpy.yaml", "--what-if")
        self.assertRegex(out, r"\n  saxpy +cs +39 .*dispatch_queue \d+ %")
        [row] = re.findall(r"^  dispatch .*$", out[out.index("Upper bound of each"):], re.M)
        gained = float(re.split(r"\s{2,}", row.strip())[4])
        self.assertGreater(gained, 10)
        share = float(re.search(r"SPI limits their rate: dispatch has \d+ % of the cycles between two of them, (\S+) % of the run\.", out)[1])
        self.assertLess(abs(share - gained), 0.1 * share)

    def test_what_comes_after_the_last_fence_is_in_no_gap(self):
        self.assertGreater(self.gaps_of(ROOT / "testbenches" / "workloads" / "address_spaces.yaml")["after_last"], 0)

    def test_gaps_are_explained_on_other_chips(self):
        self.write("saxpy.yaml", support.SAXPY.format(size=64).replace("kernel:\n", "kernel:\n  repeat: 3\n"))
        for asic in ("verde", "oland"):
            with self.subTest(asic):
                self.call("run", "saxpy.yaml", "--asic", asic, "--quiet", "--profile", "--stats", "s.json")
                stats = json.loads((self.folder / "s.json").read_text())
                self.assertEqual(sum(stats["gaps"]["reasons"].values()), stats["cycles"] - stats["kernel_cycles"])

    def test_cycles_of_each_engine_and_ring_are_of_packets_or_of_none(self):
        self.write("saxpy.yaml", support.SAXPY.format(size=4096).replace("kernel:\n", "kernel:\n  repeat: 20\n"))
        self.call("run", "saxpy.yaml", "--quiet", "--stats", "s.json")
        stats = json.loads((self.folder / "s.json").read_text())
        engines = {p["engine"] for p in stats["packets"]}
        self.assertLessEqual({"cp.pfp.gfx", "cp.me.gfx"}, engines)
        [since_reset] = {sum(p["cycles"] for p in stats["packets"] if p["engine"] == engine) for engine in engines}
        self.assertGreater(since_reset, stats["cycles"])
        for unit in ("pfp", "me"):
            counted = sum(n for name, n in stats["units"][f"cp.{unit}"].items() if name.startswith("packets_"))
            self.assertEqual(sum(p["count"] for p in stats["packets"] if p["engine"].startswith(f"cp.{unit}.")), counted)
        out = self.call("profile", "saxpy.yaml")
        self.assertRegex(out, r"\nPackets of the command processor\n  \(At work in less than 1 % of the run: .*cp\.me\.compute0")
        self.assertRegex(out, r"\n  cp\.me\.gfx +DISPATCH_DIRECT +20 +\d+ ")
        self.assertRegex(out, r"\n  cp\.me +event_wait +[\d ]+ +\d\S* +an event has not passed the pipe")

    def test_a_kernel_that_streams_waits_for_memory_most(self):
        self.write("saxpy.yaml", support.SAXPY.format(size=131072))
        self.assertRegex(self.call("profile", "saxpy.yaml"), r"saxpy: [\d ]+ wave cycles: waits for memory [89]\d\.\d %, ")

    def test_what_would_help_an_adreno_is_of_its_command_processor(self):
        workload = ROOT / "testbenches" / "workloads" / "adreno" / "all" / "buffers.yaml"
        out = self.call("profile", workload, "--asic", "a530", "--what-if")
        self.assertRegex(out, r"^buffers on a530\n\d+ cycles, [^,]*, \d+ instructions of micro engines, ")
        self.assertIn("IN_IB_END", out)
        self.assertNotIn("UNKN", out)
        tried = out[out.index("Upper bound of each"):].splitlines()[2:]
        self.assertEqual(sorted(row.split()[0] for row in tried),
                         ["cp_instructions", "cp_memory", "cp_register_reads", "dram_bandwidth", "dram_latency"])
        self.assertTrue(all(row.split()[1].isdigit() and len(row) < 250 for row in tried), tried)

    def test_a_machine_that_stops_is_status_3(self):
        self.write("w.yaml", "asic: a630\nsteps:\n  - {ring: cp, packets: [CP_SET_SECURE_MODE MODE = 1]}\n  - {wait: cp}\n")
        self.assertIn("the machine stopped", self.call("profile", "w.yaml", status=3))

    def test_a_hang_is_explained_up_to_the_stop(self):
        self.write("w.yaml", support.HANGS)
        out = self.call("profile", "w.yaml", status=3)
        self.assertRegex(out, r"The run stopped: this is its profile up to cycle \d+\.\n")
        self.assertRegex(out, r"\n  cp\.me +poll +[\d ]+")
        self.assertLess(out.index("Where each memory transaction waited"), out.index("the machine stopped (hang)"))

    def test_a_run_of_a_ctm_chip_is_explained_by_its_memory(self):
        out = self.call("profile", ROOT / "testbenches" / "workloads" / "ctm" / "stencil.yaml")
        self.assertRegex(out, r"^stencil on r580\n\d+ cycles, ")
        for title in ("Where each memory transaction waited", "Memory channels", "Over time"):
            self.assertIn(f"\n\n{title}\n", out)
        self.assertEqual(len(re.findall(r"^  mc\d ", out, re.M)), 8)


if __name__ == "__main__":
    support.main(__doc__)
