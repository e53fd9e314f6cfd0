# SPDX-License-Identifier: Apache-2.0
"""Chip descriptions and overrides with faults, through `describe` and `run`."""
import os

from framework import BAD_INPUT, MACHINE_STOPPED, Suite

suite = Suite("chip")

CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../configs/asics")
BASE = f"base: {os.path.normpath(CONFIGS)}/tahiti.yaml\n"


def file(name, text, message, never=None, **others):
    suite.command(name, ["describe", "chip.yaml"], BAD_INPUT, message,
                  files={"chip.yaml": text, **others}, never=never)


def override(name, assignment, message):
    suite.command(name, ["describe", "tahiti", "--set", assignment], BAD_INPUT, message)


# ---- which chip

suite.command("unknown", ["describe", "tahity"], BAD_INPUT,
              r'unknown asic "tahity", did you mean tahiti\?')
suite.command("unknown_in_a_run", ["run", "w.yaml", "--asic", "pitcarn"], BAD_INPUT,
              r'unknown asic "pitcarn", did you mean pitcairn\?', files={"w.yaml": "{}\n"})
suite.command("empty_name", ["describe", ""], BAD_INPUT, "asic: is empty, expected a value")
suite.command("name_is_a_path", ["describe", "../timing/southern_islands"], BAD_INPUT,
              r'unknown asic "\.\./timing/southern_islands"')
suite.command("file_missing", ["describe", "none.yaml"], BAD_INPUT,
              r'^none\.yaml: file "none\.yaml" does not exist')
suite.command("file_is_a_folder", ["describe", "folder.yaml"], BAD_INPUT, r"folder\.yaml: ",
              files={"folder.yaml/x": ""})

# ---- the text

file("empty", "", r"^chip\.yaml")
file("broken_yaml", "name: [tahiti\n", r"^chip\.yaml:\d+:\d+: ")
file("unbalanced_quote", BASE + "product: \"HD 7970\n", r"^chip\.yaml:\d+:\d+: ")
file("binary", bytes(range(256)), r"^chip\.yaml:1:\d+: ")
file("list_at_the_top", "- 1\n", r"^chip\.yaml:1:1: .*expected a map")
file("duplicate_key", BASE + "product: a\nproduct: b\n", r"^chip\.yaml:3:1: product: .*duplicate")
file("nearly_nothing", "name: small\n",
     [r"^chip\.yaml:1:1: clocks: required key is missing",
      r"^chip\.yaml:1:1: topology: required key is missing",
      r"^chip\.yaml:1:1: generation: required key is missing"])

# ---- inheritance

file("base_is_itself", "base: chip.yaml\n", r"^chip\.yaml:1:7: base: .*(cycle|itself|chip\.yaml)")
file("base_cycle_of_two", "base: b.yaml\n", r"base: .*(cycle|chip\.yaml)",
     **{"b.yaml": "base: chip.yaml\n"})
file("base_missing", "base: nothing.yaml\n", r"^chip\.yaml:1:7: base: .*nothing\.yaml")
file("base_is_a_number", "base: {a: 1}\n", r"^chip\.yaml:1:7: base: expected a file name")
file("base_broken", "base: b.yaml\n", r"^b\.yaml:\d:\d+: YAML syntax: ", **{"b.yaml": "a: [\n"})
file("base_chain_too_long", "base: b0.yaml\n", r"base: .*16",
     **{f"b{i}.yaml": f"base: b{i + 1}.yaml\n" for i in range(40)})
file("fault_in_a_base_is_shown_there", "base: b.yaml\nname: x\n",
     r'^b\.yaml:2:18: clocks\.engine: got text "fast"',
     **{"b.yaml": BASE + "clocks: {engine: fast, memory: 1 GHz}\n"})

# ---- keys and values

file("unknown_key", BASE + "topolgy: {cu_per_sh: 8}\n",
     r'^chip\.yaml:2:1: topolgy: unknown key, .*did you mean "topology"\?')
file("unknown_key_deep_inside", BASE + "cu: {issue: {widht: 4}}\n",
     r'^chip\.yaml:2:14: cu\.issue\.widht: unknown key, .*did you mean "width"\?')
file("cik_tile_modes_too_few", BASE.replace("tahiti", "hawaii") + "tiling: {tile_modes: [0x10]}\n",
     r"^chip\.yaml:2:\d+: tiling\.tile_modes: .*32")
file("tile_modes_before_si", BASE.replace("tahiti", "cypress") + "tiling: {tile_modes: [0x10]}\n",
     r"^chip\.yaml:2:1: tiling: unknown key")
file("value_out_of_range", BASE + "topology: {cu_per_sh: 17}\n",
     r"^chip\.yaml:2:23: topology\.cu_per_sh: .*17.*1\.\.16")
file("value_zero", BASE + "topology: {shader_engines: 0}\n",
     r"^chip\.yaml:2:28: topology\.shader_engines: .*1\.\.2")
file("value_negative", BASE + "cp: {meq_dwords: -1}\n", r"^chip\.yaml:2:18: cp\.meq_dwords: .*-1")
file("value_is_text", BASE + "cp: {meq_dwords: many}\n",
     r'^chip\.yaml:2:18: cp\.meq_dwords: got text "many"')
file("value_is_a_map", BASE + "cp: {meq_dwords: {a: 1}}\n", r"^chip\.yaml:2:\d+: cp\.meq_dwords")
file("value_is_null", BASE + "product: ~\n", r"^chip\.yaml:2:1: product: got nothing")
file("unit_missing", BASE + "clocks: {engine: 925}\n",
     r"^chip\.yaml:2:18: clocks\.engine: .*(unit|MHz)")
file("unit_wrong", BASE + "clocks: {engine: 925 KiB}\n", r"^chip\.yaml:2:18: clocks\.engine: .*KiB")
file("unit_in_the_wrong_case", BASE + "clocks: {engine: 925 mhz}\n",
     r"^chip\.yaml:2:18: clocks\.engine: .*mhz")
file("clock_beyond_reason", BASE + "clocks: {engine: 925 GHz}\n",
     r"^chip\.yaml:2:18: clocks\.engine: .*925 GHz")
file("timing_without_a_source", BASE + "cp: {meq_latency: {cycles: 3}}\n",
     r"^chip\.yaml:2:28: cp\.meq_latency\.cycles: the source comes from another place")
file("timing_zero_where_one_is_least", BASE + "cp: {meq_latency: {cycles: 0, source: guess}}\n",
     r"^chip\.yaml:2:\d+: cp\.meq_latency\.cycles: ")
file("timing_of_half_a_cycle", BASE + "cp: {meq_latency: {cycles: 0.5, source: guess}}\n",
     r"^chip\.yaml:2:\d+: cp\.meq_latency\.cycles: .*0\.5")
file("timing_in_cycles_and_ns",
     BASE + "memory: {dram: {timing: {cl: {cycles: 18, ns: 13, source: guess}}}}\n",
     r'^chip\.yaml:2:43: memory\.dram\.timing\.cl\.ns: conflicts with "cycles", expected one of: cycles, ns')
file("timing_in_ns_that_is_no_cycle", BASE + "cp: {meq_latency: {ns: 0, source: guess}}\n",
     r"^chip\.yaml:2:24: cp\.meq_latency\.ns: 0 ns are 0 cycles of 925 MHz, expected 1\.\.")
file("timing_in_ns_of_two_clocks", BASE + "links: {mc: {latency: {ns: 4, source: guess}}}\n",
     r"^chip\.yaml:2:28: links\.mc\.latency\.ns: the clock of this delay is not known, or it is of two clocks")
file("generation_unknown", BASE + "generation: vi\n",
     r'^chip\.yaml:2:13: generation: "vi" is not a generation this version builds, expected si')
file("several_faults_at_once",
     BASE + "clocks: {engine: 1}\ntopology: {cu_per_sh: x}\nfoo: 1\n",
     [r"^chip\.yaml:2:18: clocks\.engine: ", r"^chip\.yaml:3:23: topology\.cu_per_sh: ",
      r"^chip\.yaml:4:1: foo: unknown key"])

# ---- a CTM chip

R580 = f"base: {os.path.normpath(CONFIGS)}/r580.yaml\n"
file("ctm_processors_that_divide_no_thread", R580 + "ctm: {dpp: {processors: 7}}\n",
     r"^chip\.yaml:\d+:\d+: ctm\.dpp: .*7 processors do not divide the 48 of a thread")
file("ctm_cache_too_small", R580 + "ctm: {mc: {caches: {input: {sets: 1}}}}\n",
     r"^chip\.yaml:\d+:\d+: ctm\.mc: cache input has 256 bytes, expected at least 4096")
file("ctm_unknown_order", R580 + "ctm: {pe: {walk: {order: diagonal}}}\n",
     r'^chip\.yaml:2:\d+: ctm\.pe\.walk\.order: got text "diagonal", expected one of: rows, columns, tiles')
file("ctm_unknown_key", R580 + "ctm: {mc: {address: {latancy: 4}}}\n",
     r'^chip\.yaml:2:22: ctm\.mc\.address\.latancy: unknown key, .*did you mean "latency"\?')
file("ctm_latency_out_of_range",
     R580 + "ctm: {mc: {address: {latency: {cycles: 65, source: guess}}}}\n",
     r"^chip\.yaml:2:40: ctm\.mc\.address\.latency\.cycles: 65 is out of range")
file("ctm_nothing_in_it", "name: x\ngeneration: r5xx\n",
     r"^chip\.yaml:1:1: ctm: required key is missing", never="topology")

# ---- numbers that contradict each other

file("cache_of_no_power_of_two", BASE + "cu: {resources: {vgprs: 250, vgpr_granule: 4}}\n",
     r"^chip\.yaml:2:\d+: cu\.resources\.vgpr_granule: does not divide")
file("roq_parts_out_of_order", BASE + "cp: {roq_ib1_start: 40, roq_ib2_start: 20}\n",
     r"^.*: cp: .*roq")
file("lds_per_group_beyond_lds",
     BASE + "cu: {resources: {lds: 16 KiB, lds_max_per_group: 32 KiB}}\n",
     r"^chip\.yaml:2:\d+: cu\.resources\.lds_max_per_group: is more than lds")
file("more_units_than_the_fabric_has_ports",
     BASE + "topology: {cu_per_sh: 16, cus_per_sqc: 1}\n", r"topology: 64 compute units, 128 shared caches and the command processor are 193 clients, ",
     never="unknown key")
file("row_cycle_shorter_than_the_row_is_open",
     BASE + "memory: {dram: {timing: {rc: {cycles: 2, source: guess}}}}\n",
     r"^chip\.yaml:2:\d+: memory\.dram\.timing\.rc: is shorter than ras")
file("refresh_more_often_than_it_takes",
     BASE + "memory: {dram: {timing: {refi: {cycles: 20, source: guess}}}}\n",
     r"^chip\.yaml:2:\d+: memory\.dram\.timing\.refi: is too short")
file("row_opens_no_sooner_than_the_next_refresh_closes_it",
     BASE + "memory: {dram: {timing: {rcd_read: {cycles: 5300, source: guess}}}}\n",
     r"memory\.dram\.timing\.refi: is too short: with these delays it takes 5505 cycles")
file("fetch_blocks_no_power_of_two", BASE + "cu: {fetch: {blocks: 3}}\n",
     r"^chip\.yaml:2:\d+: cu\.fetch\.blocks: must be a power of two")
file("wider_issue_than_there_are_classes", BASE + "cu: {issue: {width: 11}}\n",
     r"^chip\.yaml:2:21: cu\.issue\.width: 11 is out of range, expected an integer in 1\.\.10")
file("channel_map_unknown", BASE + "memory: {channel_map: {kind: tahitii, channels: 12}}\n",
     r'^chip\.yaml:2:\d+: memory\.channel_map\.kind: .*did you mean "tahiti"\?')
file("channel_map_with_a_wrong_count",
     BASE + "memory: {channel_map: {kind: tahiti, channels: 10}}\n",
     r"memory\.channel_map")

for cache in ("tcp", "tcc"):
    file(f"set_hash_of_the_{cache}_within_a_line", BASE + f"{cache}: {{set_hash: 6}}\n",
         rf"^chip\.yaml:2:\d+: {cache}\.set_hash: expected 0, or an address bit from 7 to 63")

# ---- --set

override("set_against_the_file", "cp.roq_ib1_start=60",
         r"^--set: cp: roq_ib1_start, roq_ib2_start: must rise and lie inside roq_units; roq_ib2_start is \d+, at "
         r"\S+southern_islands\.yaml:\d+:\d+")

override("set_unknown_path", "topology.cu_per_sx=4",
         r'^--set: topology\.cu_per_sx: .*did you mean "?cu_per_sh')
override("set_unknown_part_of_a_path", "topologie.cu_per_sh=4",
         r'^--set: topologie.*: .*did you mean "?topology')
override("set_below_a_value", "name.x=4", r"^--set: name")
override("set_without_a_value", "topology.cu_per_sh", r'^--set: "topology\.cu_per_sh" is malformed')
override("set_with_an_empty_value", "topology.cu_per_sh=",
         r"^--set: topology\.cu_per_sh: no value given")
override("set_without_a_path", "=4", r"^--set")
override("set_empty", "", r"^--set")
override("set_out_of_range", "topology.cu_per_sh=99",
         r"^--set: topology\.cu_per_sh: .*99.*1\.\.16")
override("set_of_another_type", "topology.cu_per_sh=[1, 2]", r"^--set: topology\.cu_per_sh: ")
override("set_broken_yaml", "topology.cu_per_sh=[1, 2", r"^--set: topology\.cu_per_sh: ")
override("set_of_a_source_without_its_number", "cp.meq_latency.source=measured",
         r"^--set: cp\.meq_latency\.source: the number stays that of .*\.yaml:\d+, expected cp\.meq_latency\.cycles with it$")
override("set_without_a_unit", "clocks.engine=925", r"^--set: clocks\.engine: ")
override("set_index_out_of_a_list", "topology[0]=1", r"^--set: topology")
override("set_huge_number", "cp.meq_dwords=99999999999999999999999",
         r"^--set: cp\.meq_dwords: ")

# ---- microcode of the command processor

ONE = "cp: {microcode: one.afuc}\n"
file("microcode_missing", BASE + ONE, r"^chip\.yaml:2:17: cp\.microcode: cannot read one\.afuc")
file("microcode_that_is_no_afuc", BASE + ONE,
     r"^chip\.yaml:2:17: cp\.microcode: one\.afuc:3:3: .*mow",
     **{"one.afuc": "[01000001]\nNOP:\n  mow $01, $data\n"})
file("microcode_without_an_id", BASE + ONE,
     r"^chip\.yaml:2:17: cp\.microcode: one\.afuc: begins with no ID word",
     **{"one.afuc": "NOP:\n  nop\n"})
file("microcode_that_is_empty", BASE + ONE,
     r"^chip\.yaml:2:17: cp\.microcode: one\.afuc: begins with no ID word", **{"one.afuc": ""})
file("microcode_of_me_alone", BASE + "cp: {microcode_moves: 2}\n",
     r"^chip\.yaml:\d+:\d+: cp: microcode_me and microcode_moves need microcode")
file("microcode_moves_out_of_range", BASE + "cp: {microcode_moves: 4}\n",
     r"^chip\.yaml:2:23: cp\.microcode_moves: 4 is out of range, expected an integer in 0\.\.3")
suite.command("microcode_without_a_routine", ["run", "w.yaml"], MACHINE_STOPPED,
              r"one\.afuc: packet \w+ at ring gfx.* dword \d+: the microcode has no routine for it: no label \w+",
              files={"w.yaml": "asic: chip.yaml\nsteps:\n  - {ring: gfx, words: [0xC0001000, 0]}\n  - {wait: gfx}\n",
                     "chip.yaml": BASE + ONE, "one.afuc": "[01000001]\n  nop\n"})
suite.command("microcode_without_an_end", ["run", "w.yaml"], MACHINE_STOPPED,
              r"one\.afuc:[23]: packet NOP at ring gfx.*pc \d, .*: no waitin in 1040 cycles",
              files={"w.yaml": "asic: chip.yaml\nsteps:\n  - {ring: gfx, words: [0xC0001000, 0]}\n  - {wait: gfx}\n",
                     "chip.yaml": BASE + ONE,
                     "one.afuc": "[01000001]\nNOP:\n  jump #NOP\n  nop\nEVENT_WRITE:\nEVENT_WRITE_EOP:\nSURFACE_SYNC:\nSET_SH_REG:\nSET_CONFIG_REG:\n"
                                 "SET_CONTEXT_REG:\nCONTEXT_CONTROL:\nCLEAR_STATE:\nME_INITIALIZE:\nPREAMBLE_CNTL:\n"
                                 "SET_BASE:\nTYPE_0:\n  (rep)mov $00, $data\n  waitin\n  mov $01, $data\n"})

# ---- packets of the chip's driver

override("opcode_of_another_packet", "cp.packets.LOAD_CONFIG_REG=0x60",
         r"^--set: cp\.packets\.LOAD_CONFIG_REG: opcode 0x60 is that of LOAD_CONFIG_REG and "
         r"LOAD_CONTEXT_REG")
file("opcode_of_an_unknown_packet", BASE + "cp: {packets: {LOAD_CONFIG: 0x5F}}\n",
     r"^chip\.yaml:2:\d+: cp\.packets\.LOAD_CONFIG: no packet of generation si")
file("opcode_of_the_constant_engine", BASE + "cp: {packets: {SET_BASE: 0x12}}\n",
     r"^chip\.yaml:2:\d+: cp\.packets\.SET_BASE: the number is fixed")
override("opcode_out_of_range", "cp.packets.LOAD_SH_REG=256",
         r"^--set: cp\.packets\.LOAD_SH_REG: 256 is out of range, expected an integer in 0\.\.255")
override("three_opcodes", "cp.packets.LOAD_SH_REG=[1, 2, 3]",
         r"^--set: cp\.packets\.LOAD_SH_REG: got a list of 3")
override("user_register_unknown", "cp.user_registers.names=[GRBM_GFX_INDE]",
         r"^--set: cp\.user_registers\.names: no register GRBM_GFX_INDE")
override("user_registers_out_of_order", "cp.user_registers.ranges=[{first: 8, last: 4}]",
         r"^--set: cp\.user_registers\.ranges\[0\]\.last: first and last must be dwords in order")

CASES = suite.cases
