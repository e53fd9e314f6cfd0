# SPDX-License-Identifier: Apache-2.0
"""scripts/check-layers over small trees: what is allowed passes, each breach is named by its line."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, take  # noqa: E402

[CHECK] = take(__doc__, check_layers=existing)
ROOT = Path(__file__).resolve().parents[3]  # whose blocks say what they may include

# A tree without a fault; each test adds to it.
CLEAN = {
    "models/common/channel.h": ["<vector>"],
    "models/config/reader.h": ["<string>"],
    "models/config/parse.cpp": ["<yaml-cpp/yaml.h>", '"models/config/reader.h"'],
    "models/cu/isa/isa.h": ['"models/common/channel.h"'],
    "models/cu/pipeline/cu_core.h": ['"models/cu/isa/isa.h"'],
    "models/mc/address_map.h": ["<cstdint>"],
    "models/mc/mc_core.h": ['"models/common/channel.h"', '"models/mc/address_map.h"'],
    "models/tc/tcc_core.h": ['"models/mc/address_map.h"'],
    "models/cp/cp_core.h": ['"models/common/channel.h"'],
    "models/cp/registers/si/si_registers.h": ['"registers/si_cp.h"'],
    "models/cp/cp.h": ["<systemc>", '"models/cp/cp_core.h"'],
    "models/spi/spi_core.h": [],
    "models/asic/families.cpp": ['"models/asic/gcn/chip_config.h"'],
    "models/asic/gcn/chip_config.h": ['"registers/si_grbm.h"'],
    "models/asic/ctm/chip_config.h": [],
    "testbenches/host/rings/radeon_cp.cpp": ['"registers/si_names.h"'],
    "testbenches/host/rings/vliw_ring.cpp": ['"registers/r600_names.h"'],
    "testbenches/host/runner.cpp": ['"models/asic/chip.h"'],
    "models/asic/chip.h": ["<tlm>", '"models/cp/cp_core.h"', '"tlm/port.h"'],
    "tlm/port.h": ["<tlm>", '"models/common/channel.h"'],
    "tlm/crossbar_core.h": ['"models/common/channel.h"'],
    "rtl-bridge/verilated/tcc.cpp": ["<verilated.h>", '"Vtcc.h"'],
    "include/archipelago.h": ['"models/asic/chip.h"'],
    "testbenches/unit/cp/bench.h": ['"models/cp/cp_core.h"'],
    "testbenches/unit/cp/cp_test.cpp": ['"bench.h"', "<systemc>"],
    "examples/own/main.cpp": ["<archipelago.h>", "<tlm_utils/simple_target_socket.h>"],
}


def check(changes, generated=None):
    with tempfile.TemporaryDirectory() as folder:
        files = dict(CLEAN)
        files.update(changes)
        files.update({f"generated/{name}": lines for name, lines in (generated or {}).items()})
        for name, includes in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("// first line\n" + "".join(f"#include {i}\n" for i in includes))
        for row in ROOT.glob("models/*/block.yaml"):
            path = Path(folder, row.relative_to(ROOT))
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(row, path)
        arguments = ["--generated", f"{folder}/generated"] if generated else []
        run = subprocess.run([sys.executable, "-B", CHECK, folder, *arguments],
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr


class CheckLayers(unittest.TestCase):
    def refused(self, name, includes, where, *words, generated=None):
        status, output = check({name: includes}, generated)
        self.assertEqual(status, 1, output)
        lines = [line for line in output.splitlines() if line.startswith(where + ": ")]
        self.assertTrue(lines, f"nothing about {where}:\n{output}")
        for word in words:
            self.assertTrue(any(word in line for line in lines), f"no {word} in:\n{output}")

    def test_a_clean_tree_passes(self):
        status, output = check({})
        self.assertEqual(status, 0, output)

    def test_a_core_sees_no_systemc(self):
        for header in ("<systemc>", "<systemc.h>", "<tlm>", "<tlm.h>",
                       "<tlm_utils/peq_with_get.h>", "<sysc/kernel/sc_time.h>"):
            self.refused("models/cp/cp_core.h", [header], "models/cp/cp_core.h:2", "SystemC")

    def test_common_sees_no_systemc(self):
        self.refused("models/common/channel.h", ["<systemc>"], "models/common/channel.h:2",
                     "SystemC")

    def test_isa_sees_no_yaml(self):
        self.refused("models/cu/isa/isa.h", ["<yaml-cpp/yaml.h>"], "models/cu/isa/isa.h:2",
                     "yaml-cpp")

    def test_states_and_specs_see_no_systemc(self):
        for name in ("models/spi/spi_state.h", "models/spi/spi_spec.h"):
            self.refused(name, ["<systemc>"], f"{name}:2", "SystemC")

    def test_a_core_sees_no_verilator(self):
        for header in ("<verilated.h>", '"Vcp.h"'):
            self.refused("models/cp/cp_core.h", [header], "models/cp/cp_core.h:2", "Verilated")

    def test_systemc_behind_other_headers_is_found_with_the_way_there(self):
        self.refused("models/cp/me_core.h", ['"models/cp/cp.h"'], "models/cp/me_core.h:2",
                     "SystemC", "models/cp/cp.h -> <systemc>")

    def test_systemc_behind_a_generated_header_is_found(self):
        self.refused("models/cp/me_core.h", ['"registers/si_cp.h"'], "models/cp/me_core.h:2",
                     "registers/si_cp.h -> <systemc>",
                     generated={"registers/si_cp.h": ["<systemc>"]})

    def test_a_crossbar_core_sees_no_socket(self):
        self.refused("tlm/crossbar_core.h", ['"tlm/port.h"'], "tlm/crossbar_core.h:2", "SystemC")

    def test_systemc_belongs_to_shells(self):
        self.refused("models/cp/helper.h", ["<systemc>"], "models/cp/helper.h:2", "SystemC")

    def test_yaml_belongs_to_the_configuration_layer(self):
        for name in ("models/asic/chip.cpp", "models/config/reader.h", "models/config/load.cpp", "tlm/port.cpp",
                     "testbenches/unit/cp/cp_test.cpp"):
            self.refused(name, ["<yaml-cpp/yaml.h>"], f"{name}:2", "yaml-cpp")

    def test_verilated_headers_belong_to_their_wrappers(self):
        self.refused("rtl-bridge/adapters/tcc.cpp", ['"Vtcc.h"'], "rtl-bridge/adapters/tcc.cpp:2",
                     "Verilated")

    def test_a_block_does_not_include_another_block(self):
        for name, included in (("models/spi/spi_core.h", "models/cp/cp_core.h"),
                               ("models/tc/tcc_core.h", "models/mc/mc_core.h"),
                               ("models/mc/mc_core.h", "registers/si_cp.h"),
                               ("models/front/port_mux.h", "models/cp/cp_core.h"),
                               ("models/front/port_mux.h", "registers/si_cp.h"),
                               ("models/cp/cp_core.h", "models/cu/isa/isa.h"),
                               ("models/cu/isa/isa.h", "models/cu/pipeline/cu_core.h"),
                               ("models/common/channel.h", "models/mc/address_map.h"),
                               ("models/config/reader.h", "models/common/unit.h"),
                               ("models/cp/cp.h", "tlm/port.h"),
                               ("models/cp/cp_core.h", "models/asic/chip.h")):
            self.refused(name, [f'"{included}"'], f"{name}:2", included, "may include")

    def test_angle_brackets_hide_nothing(self):
        self.refused("models/spi/spi_core.h", ["<models/cp/cp_core.h>"], "models/spi/spi_core.h:2",
                     "may include")

    def test_tlm_knows_no_block(self):
        self.refused("tlm/port.h", ['"models/cp/cp_core.h"'], "tlm/port.h:2", "tlm may include")

    def test_the_model_does_not_know_its_test_bench(self):
        self.refused("models/asic/chip.h", ['"testbenches/unit/cp/bench.h"'],
                     "models/asic/chip.h:2", "may include")

    def test_an_example_does_not_know_the_test_bench(self):
        self.refused("examples/own/main.cpp", ["<testbenches/unit/cp/bench.h>"],
                     "examples/own/main.cpp:2", "may include")

    def test_includes_are_written_from_the_root(self):
        self.refused("models/cp/me_core.h", ['"cp_core.h"'], "models/cp/me_core.h:2", "root")

    def test_a_family_stays_in_its_own_files(self):
        for name in ("models/common/channel.h", "models/front/port_mux.h", "models/cp/me_core.h",
                     "models/cp/pm4/packet_table.cpp", "models/asic/chip.h",
                     "testbenches/host/runner.cpp", "testbenches/host/rings/kinds.cpp"):
            for included in ("registers/si_cp.h", "registers/r600_names.h",
                             "models/asic/gcn/chip_config.h", "models/cp/packets/si/draw.h",
                             "models/gcn/vgt_event.h"):
                self.refused(name, [f'"{included}"'], f"{name}:2", included, "family")

    def test_blocks_of_a_family_read_registers_from_their_spec(self):
        for block in ("vgt", "spi", "gds", "ih", "perf", "grbm", "srbm", "gb", "cu", "tc"):
            name = f"models/{block}/{block}_core.cpp"
            for included in ("registers/si_names.h", "models/gcn/si/front_end.h"):
                self.refused(name, [f'"{included}"'], f"{name}:2", included, "family")
            status, output = check({name: ["<string>\nint x = regs::si::GRBM_STATUS;"]})
            self.assertEqual(status, 1, output)
            self.assertIn(f"{name}:3: only a family's own files", output)
        self.refused("models/ih/ih_core.cpp", ['"models/gcn/interrupt_source.h"'],
                     "models/ih/ih_core.cpp:2", "family")
        status, output = check({"models/gcn/si/front_end.cpp": ['"registers/si_names.h"'],
                                "models/gcn/draw_message.h": [],
                                "models/vgt/vgt_core.h": ['"models/gcn/draw_message.h"']})
        self.assertEqual(status, 0, output)

    def test_a_family_does_not_know_another(self):
        self.refused("models/asic/ctm/chip_config.h", ['"models/asic/gcn/chip_config.h"'],
                     "models/asic/ctm/chip_config.h:2", "family")
        self.refused("models/cp/packets/r600/draw.cpp", ['"models/cp/packets/si/draw.h"'],
                     "models/cp/packets/r600/draw.cpp:2", "family")

    def test_names_of_a_family_are_found_without_an_include(self):
        for line in ("int x = regs::si::CP_RB0_BASE;", "namespace r = regs::r600;"):
            status, output = check({"testbenches/host/runner.cpp": [
                "<string>\n// as regs::si has it\n" + line]})
            self.assertEqual(status, 1, output)
            self.assertIn("testbenches/host/runner.cpp:4: only a family's own files", output)

    def test_a_new_block_must_say_what_it_knows(self):
        self.refused("models/pad/pad_core.h", [], "models/pad/pad_core.h:1", "no row")

    def test_every_breach_is_printed_with_its_line(self):
        status, output = check({"models/spi/spi_core.h": [
            "<vector>", '"models/cp/cp_core.h"', "<yaml-cpp/yaml.h>", '"tlm/port.h"']})
        self.assertEqual(status, 1)
        for line in (3, 4, 5):
            self.assertIn(f"models/spi/spi_core.h:{line}: ", output)

    def test_a_folder_without_sources_is_not_called_clean(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, "-B", CHECK, folder], capture_output=True,
                                 check=False)
            self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main()
