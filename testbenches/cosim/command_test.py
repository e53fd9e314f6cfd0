#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`archipelago cosim` and `run --rtl`: what users get.

    command_test.py COMMAND [BLOCK...]

The blocks are those the build has a twin of.
"""

import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from arguments import program, take  # noqa: E402

[COMMAND] = take(__doc__, command=program)
BLOCKS = sys.argv[1:]
# Twins of blocks that the chip of most workloads does not have.
OF_OTHERS = [block for block in BLOCKS if block.startswith(("afuc_", "ctm_"))]
# What a block's part in a run is shown on.
WORKLOAD_OF = {**{block: "ctm/bitonic_sort.yaml" for block in OF_OTHERS}, "afuc_engine": "adreno/from_a6xx/draw_state.yaml", "lds": "transpose.yaml", "vgt_index_dma": "draws.yaml",
               "cu": "reduction.yaml",
               "dma_linear": "async_dma/si/tiled.yaml", "si_tile_address": "async_dma/si/tiled.yaml"}
MODULE = Path(COMMAND).resolve().parent / "testbenches" / "archipelago_twins.so"
WORKLOADS = Path(__file__).resolve().parent.parent / "workloads"
CODE = WORKLOADS.parent / "golden" / "code"
CONFIGS = Path(__file__).resolve().parents[2] / "configs"


def archipelago(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)


class WithoutTwins(unittest.TestCase):
    @unittest.skipIf(BLOCKS, "this build has the twins")
    def test_the_command_says_that_no_twin_is_built(self):
        for arguments in (["cosim", "valu_lane"],
                          ["run", WORKLOADS / "saxpy.yaml", "--rtl", "valu_lane"]):
            done = archipelago(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn("no Verilog twins", done.stderr)


@unittest.skipUnless(BLOCKS, "this build has no twins")
class Module(unittest.TestCase):
    """A copy of the command, beside it what the test puts there."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()
        self.command = shutil.copy(COMMAND, self.folder)

    def refused(self, *says):
        surface = self.folder / "surface.yaml"
        surface.write_text("asic: r580\ntiling: linear\nbytes: 16\npitch: 4\n")
        for arguments in (["cosim", "valu_lane"],
                          ["run", WORKLOADS / "saxpy.yaml", "--rtl", "valu_lane"],
                          ["map", surface, "--rtl", "ctm_mc_address"]):
            done = subprocess.run([self.command, *map(str, arguments)], capture_output=True,
                                  text=True, input="0,0\n")
            self.assertEqual(done.returncode, 2, done.stdout)
            for text in ("no Verilog twins", *says):
                self.assertIn(text, done.stderr)

    def test_without_it_the_command_says_how_to_build_it(self):
        (self.folder / "CMakeCache.txt").touch()
        self.refused("is not built", f"cmake --build {self.folder} --target archipelago_twins")

    def test_without_it_an_installed_command_says_what_to_install(self):
        self.refused("is not built", "install again")

    def test_one_of_other_sources_is_refused(self):
        module = MODULE.read_bytes()
        [stamp] = set(re.findall(rb"\0([0-9a-f]{64})\0", module))
        (self.folder / MODULE.name).write_bytes(module.replace(stamp, stamp[::-1]))
        self.refused("is of other sources than this program")

    def test_what_is_no_module_is_refused(self):
        (self.folder / MODULE.name).write_text("no library\n")
        done = subprocess.run([self.command, "cosim", "valu_lane"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(MODULE.name, done.stderr)


@unittest.skipUnless(BLOCKS, "this build has no twins")
class Cosim(unittest.TestCase):
    def test_clean_run_is_0_and_says_what_was_compared(self):
        for block in BLOCKS:
            done = archipelago("cosim", block, "--cycles", 50000, "--seed", 5)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("50000 cycles, seed 5", done.stdout)
            self.assertIn("coverage", done.stdout)
            self.assertIn("differences   none", done.stdout)

    def test_recorded_traffic_is_compared(self):
        for block in BLOCKS:
            workload = WORKLOADS / WORKLOAD_OF.get(block, "saxpy.yaml")
            done = archipelago("cosim", block, "--workload", workload)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"recorded +([1-9][0-9]+) of \1 transactions")
            self.assertIn("differences   none", done.stdout)

    @unittest.skipUnless("cu" in BLOCKS, "this build has no twin of the compute unit")
    def test_waves_of_draws_images_and_the_data_share_are_compared(self):
        # What passes a unit's ports: rows, exports and messages of geometry stages, texels, an ordered counter.
        for workload, kinds in (("draws_geometry", 9), ("image_tiles", 6), ("gds_ordered", 5)):
            with self.subTest(workload=workload):
                done = archipelago("cosim", "cu", "--workload", WORKLOADS / f"{workload}.yaml")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, r"recorded +([1-9][0-9]+) of \1 transactions")
                self.assertIn("differences   none", done.stdout)
                self.assertIn(f"unit: {kinds} of 12 reached", done.stdout)

    def test_draws_are_compared_in_the_blocks_of_the_command_processor(self):
        blocks = [block for block in ("cp_ce", "cp_me", "cp_pfp_parser", "grbm") if block in BLOCKS]
        for block in blocks:
            for workload in ("predicated_draws", "ce_draws"):
                with self.subTest(block=block, workload=workload):
                    done = archipelago("cosim", block, "--workload", WORKLOADS / f"{workload}.yaml")
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("differences   none", done.stdout)

    def test_coverage_that_recorded_traffic_does_not_have_is_not_printed(self):
        if "dma_linear" in BLOCKS:
            done = archipelago("cosim", "dma_linear", "--workload", WORKLOADS / "async_dma" / "si" / "tiled.yaml")
            self.assertNotIn(" 0 of ", done.stdout)

    def test_waves_of_a_workload_have_their_registers(self):
        # The lanes that EXEC of the two waves with a 32-bit vector operation leaves: three and two.
        done = archipelago("cosim", "valu_lane", "--workload", WORKLOADS.parents[1] / "examples" / "one_wave" / "several.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "recorded +5 of 5 transactions")
        self.assertIn("differences   none", done.stdout)

    def test_traffic_beyond_the_cycles_is_left_out_and_told(self):
        done = archipelago("cosim", "valu_lane", "--workload", WORKLOADS / "saxpy.yaml",
                           "--cycles", 1000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"recorded +1000 of [1-9][0-9]{4} transactions")

    def test_a_workload_that_passes_nothing_through_the_block_is_1_and_says_so(self):
        for block in OF_OTHERS:
            done = archipelago("cosim", block, "--workload", WORKLOADS / "saxpy.yaml")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"nothing passes the ports of {block}", done.stderr)

    def test_unknown_block_is_2_and_names_the_likely_one(self):
        done = archipelago("cosim", "valu_lame")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean", done.stderr)
        self.assertIn("valu_lane", done.stderr)

    def test_waveform_that_cannot_be_written_is_2(self):
        done = archipelago("cosim", "valu_lane", "--cycles", 1000, "--fst", "/nonexistent/x.fst")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nonexistent/x.fst", done.stderr)


@unittest.skipUnless(BLOCKS, "this build has no twins")
class Swap(unittest.TestCase):
    def test_the_summary_says_how_long_each_twin_was_clocked(self):
        own = [w for w in sorted(set(WORKLOAD_OF.values())) if w != "transpose.yaml"]
        groups = [(w, [b for b in BLOCKS if WORKLOAD_OF.get(b) == w]) for w in own]
        rest = [b for b in BLOCKS if WORKLOAD_OF.get(b) not in own]
        for workload, blocks in [("transpose.yaml", rest), *groups]:
            options = [o for b in blocks for o in ("--rtl", b)]
            done = archipelago("run", WORKLOADS / workload, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            for block in blocks:
                self.assertRegex(done.stdout, rf"Verilog +{block}, [1-9][0-9]+ cycles")

    def test_a_chip_of_one_compute_unit_with_all_twins_takes_the_models_cycles(self):
        for workload in ("saxpy.yaml", "matmul.yaml"):
            one_unit = ["run", WORKLOADS / workload, "--set", "topology.shader_engines=1", "--set", "topology.sh_per_se=1",
                        "--set", "topology.cu_per_sh=1"]
            plain = archipelago(*one_unit)
            twins = archipelago(*one_unit, *(o for b in BLOCKS if b not in OF_OTHERS for o in ("--rtl", b)))
            lines = [[line for line in done.stdout.splitlines() if "cycles  " in line] for done in (plain, twins)]
            self.assertEqual((plain.returncode, twins.returncode), (0, 0), twins.stderr)
            self.assertEqual(*lines)
            self.assertRegex(twins.stdout, r"Verilog +cu, [1-9][0-9]+ cycles")

    def test_waveform_of_a_twin_in_a_chip_is_written(self):
        with tempfile.TemporaryDirectory(prefix="archipelago-cosim-") as scratch:
            wave = Path(scratch, "lane.fst")
            done = archipelago("run", WORKLOADS / "saxpy.yaml", "--quiet", "--rtl", "valu_lane",
                               "--fst", wave)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(wave.stat().st_size, 300)

    def test_a_waveform_that_cannot_be_whole_leaves_the_old_file(self):
        def full_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

        lines = (["cosim", "valu_lane", "--cycles", "1000"],
                 ["run", WORKLOADS / "saxpy.yaml", "--quiet", "--rtl", "valu_lane", "--code", CODE / "saxpy.hsaco"])
        with tempfile.TemporaryDirectory(prefix="archipelago-cosim-") as scratch:
            wave = Path(scratch, "lane.fst")
            for line in lines:
                wave.write_text("old")
                command = [COMMAND, *map(str, line), "--fst", str(wave)]
                for why, arguments, options in (
                        ("not whole", command, {"preexec_fn": full_disk}),
                        ("no_such_chip", [*command, "--asic" if line[0] == "run" else "--workload", "no_such_chip"], {})):
                    done = subprocess.run(arguments, capture_output=True, text=True, **options)
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertIn(why, done.stderr)
                    self.assertEqual([(f.name, f.read_text()) for f in Path(scratch).iterdir()], [("lane.fst", "old")])
                done = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([f.name for f in Path(scratch).iterdir()], ["lane.fst"])
                self.assertGreater(wave.stat().st_size, 600)

    def test_bad_swaps_are_2(self):
        workload = WORKLOADS / "saxpy.yaml"
        for options, why in ((["--rtl", "toaster"], "toaster"),
                             (["--rtl", "valu_lane", "--rtl", "valu_lane"], "more than once"),
                             (["--rtl", "valu_lane", "--mode", "functional"], "cycle mode"),
                             (["--fst", "x.fst"], "--rtl")):
            done = archipelago("run", workload, *options)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(why, done.stderr)

    def test_a_block_that_the_chip_does_not_have_is_2_and_names_those_it_has(self):
        adreno = WORKLOADS / "adreno" / "all" / "mem_write.yaml"
        for workload, chip, block, has in ((WORKLOADS / "saxpy.yaml", "tahiti", "ctm_pe", "valu_lane"),
                                           (WORKLOADS / "saxpy.yaml", "verde", "afuc_engine", "grbm"),
                                           (adreno, "a630", "valu_lane", "afuc_engine")):
            if not {block, has} <= set(BLOCKS):
                continue
            done = archipelago("run", workload, "--asic", chip, "--rtl", block)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(f"--rtl {block}: {chip} has no such block; of its blocks these have twins: ", done.stderr)
            names = done.stderr.split("twins: ")[1].replace(" and ", ", ").split(", ")
            self.assertIn(has, names)
            self.assertNotIn(block, names)

    def test_a_chip_the_verilog_does_not_fit_is_2_and_names_the_key(self):
        granule = "{resources: {lds: 25600 B, lds_max_per_group: 25600 B, lds_granule: 100 B}}"
        for block, changes, why in (
                ("tc_l1", "tcp: {lookups_per_cycle: 8}", "tcp.lookups_per_cycle 8: {} takes 1 to 4"),
                ("tc_l2_bank", "tcc: {mshrs: 200}", "tcc.mshrs 200: {} takes 1 to 128"),
                ("mc_schedule", "memory: {dram: {banks: 32}}", "memory.dram.banks 32: {} takes 1 to 16"),
                ("mc_schedule", "memory: {dram: {store_entries: 65}}",
                 "memory.dram entries of all kinds 257: {} takes 1 to 256"),
                ("cu", "cu: {issue: {valu_cycles: {full: {cycles: 3, source: guess}}}}",
                 "cu.issue.valu_cycles 3: {} takes 4 to 4095"),
                ("lds", "cu: {lds: {banks: 16}}", "cu.lds.banks 16: {} takes 32"),
                ("lds", f"cu: {granule}", "cu.resources.lds_granule 100: {} takes multiples of 8"),
                ("spi_alloc", "cu: {resources: {vgpr_granule: 1}}",
                 "cu.resources.vgprs / vgpr_granule 256: {} takes 1 to 64"),
                ("spi_alloc", "cu: {resources: {max_group_threads: 2048}}",
                 "cu.resources.max_group_threads / 64 32: {} takes 1 to 16"),
                ("spi_dispatch", "cu: {resources: {max_group_threads: 2048}}",
                 "cu.resources.max_group_threads / 64 32: {} takes 1 to 16"),
                ("cp_pfp_parser", "cp: {pfp_packet_cycles: {cycles: 70000, source: guess}}",
                 "cp.pfp_packet_cycles 70000: {} takes 1 to 65535"),
                ("cp_me", "cp: {me_packet_cycles: {cycles: 70000, source: guess}}",
                 "cp.me_packet_cycles 70000: {} takes 1 to 65535"),
                ("cp_pfp_parser", "cp: {dwords_per_cycle: 2}", "cp.dwords_per_cycle 2: {} takes 1"),
                ("cp_me", "cp: {dwords_per_cycle: 2}", "cp.dwords_per_cycle 2: {} takes 1"),
                ("dma_linear", "async_dma: {read_lines: 600}",
                 "async_dma.read_lines 600: {} takes 1 to 512"),
                ("dma_linear", "async_dma: {open_lines: 17}",
                 "async_dma.open_lines 17: {} takes 1 to 16"),
                ("si_tile_address", "async_dma: {generation: ni}",
                 "async_dma.generation ni: {} takes si"),
                ("cp_ce", "blocks: {ce: false}", "blocks.ce false: {} takes true"),
                ("grbm", "blocks: {gds: false}", "blocks.gds false: {} takes true")):
            with self.subTest(changes), tempfile.NamedTemporaryFile("w", suffix=".yaml") as chip:
                chip.write(f"base: {CONFIGS / 'asics' / 'tahiti.yaml'}\n{changes}\n")
                chip.flush()
                done = archipelago("run", WORKLOADS / "saxpy.yaml", "--rtl", block, "--asic", chip.name)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.strip(), why.format(f"the Verilog twin {block}"))
                self.assertEqual(done.stdout, "")

    def test_channels_that_are_not_the_chips_own_have_the_same_cycles(self):
        def cycles(*options):
            done = archipelago("run", WORKLOADS / "saxpy.yaml", "--set",
                               "memory.channel_map.channels=8", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            return next(line for line in done.stdout.splitlines() if "cycles  " in line)

        self.assertEqual(cycles(), cycles("--rtl", "tc_l2_bank"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
