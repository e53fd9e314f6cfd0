# SPDX-License-Identifier: Apache-2.0
"""Bad usage of the command itself."""
from framework import BAD_INPUT, Suite

suite = Suite("command_line")

FILES = {"w.yaml": "expect: [{register: SCRATCH_REG0, value: 0}]\n"}


def refused(name, arguments, message, status=BAD_INPUT):
    suite.command(name, arguments, status, message, files=FILES)


refused("no_subcommand", [], "subcommand is required")
refused("unknown_subcommand", ["rum", "w.yaml"], 'unknown subcommand "rum", .*did you mean "run"')
refused("unknown_option", ["run", "w.yaml", "--sed", "4"], "--sed")
refused("unknown_option_of_describe", ["describe", "tahiti", "--mode", "cycle"], "--mode")
refused("run_without_a_workload", ["run"], "workload is required")
refused("describe_without_a_chip", ["describe"], "asic is required")
refused("list_with_an_argument", ["list", "x"], "x")
refused("second_workload_missing", ["run", "w.yaml", "none.yaml"], r"none\.yaml: ")
refused("code_for_two_workloads", ["run", "w.yaml", "w.yaml", "--code", "x.cl"], "--code: goes with one workload, got 2")
refused("unknown_mode", ["run", "w.yaml", "--mode", "fast"], "--mode.*fast")
refused("seed_is_no_number", ["run", "w.yaml", "--seed", "x"],
        '--seed: got "x", expected a whole number')
refused("seed_is_negative", ["run", "w.yaml", "--seed", "-1"],
        '--seed: got "-1", expected a whole')
refused("max_cycles_is_no_number", ["run", "w.yaml", "--max-cycles", "1k"], "--max-cycles")
refused("max_cycles_has_too_many_bits", ["run", "w.yaml", "--max-cycles", "1" * 30],
        "--max-cycles")
refused("random_stall_out_of_range", ["run", "w.yaml", "--random-stall", "100"], "--random-stall")
refused("option_without_its_value", ["run", "w.yaml", "--stats"], "--stats")
for _option in ("groups", "fast-forward", "checkpoint-at", "restore", "stats", "trace", "log", "code"):
    refused(f"empty_{_option.replace('-', '_')}", ["run", "w.yaml", f"--{_option}", ""], f"--{_option}: is empty, expected a value")
refused("set_without_its_value", ["run", "w.yaml", "--set"], "--set")
refused("workload_missing", ["run", "none.yaml"], r"none\.yaml: ")
refused("workload_is_a_folder", ["run", "."], r"^\.: ")
refused("workload_name_empty", ["run", ""], "workload: is empty, expected a value")
refused("unknown_log_category", ["run", "w.yaml", "--log", "pm5"],
        r"log.*pm5.*did you mean.*pm4|pm5.*did you mean.*pm4")
refused("stats_cannot_be_written", ["run", "w.yaml", "--stats", "no/such/folder.json"],
        r"no/such/folder\.json")
refused("trace_cannot_be_written", ["run", "w.yaml", "--trace", "no/such/t.perfetto-trace"],
        r"no/such/t\.perfetto-trace")
refused("log_cannot_be_written", ["run", "w.yaml", "--log", "pm4", "--log-file", "no/such/log"],
        r"no/such/log")
refused("trace_onto_a_full_device", ["run", "w.yaml", "--trace", "/dev/full"], r"/dev/full")
refused("stats_onto_a_full_device", ["run", "w.yaml", "--stats", "/dev/full"], r"/dev/full")
refused("log_onto_a_full_device", ["run", "w.yaml", "--log", "all", "--log-file", "/dev/full"],
        r"/dev/full")
refused("twin_of_an_unknown_block", ["run", "w.yaml", "--rtl", "frobnicator"],
        r"--rtl frobnicator: ")
refused("waveforms_need_a_twin", ["run", "w.yaml", "--fst", "x.fst"],
        r"--fst: waveforms are those of one Verilog twin")
refused("waveforms_are_of_one_twin",
        ["run", "w.yaml", "--fst", "x.fst", "--rtl", "cu_issue", "--rtl", "valu_lane"],
        r"--fst: waveforms are those of one Verilog twin")
refused("twins_are_not_of_functional_mode",
        ["run", "w.yaml", "--rtl", "cu_issue", "--mode", "functional"], r"--rtl")

CASES = suite.cases
