# SPDX-License-Identifier: Apache-2.0
"""Workload files with faults: every one is named as file:line:column: key.path: reason."""
from framework import BAD_INPUT, FAILED_EXPECTATION, MACHINE_STOPPED, Suite
from shader import source

suite = Suite("workload")


def wrong(name, text, message, status=BAD_INPUT, **options):
    suite.workload(name, text, status, message, modes=["cycle"], **options)


def memory(item):
    return f"memory:\n  - {{{item}}}\n"


# ---- the text

wrong("not_yaml", "memory: [1, 2\n", r"^w\.yaml:\d+:\d+: ")
wrong("tabs_for_indentation", "memory:\n\t- {address: 1}\n", r"^w\.yaml:2:\d+: ")
wrong("bytes_that_are_no_text", b"\xff\xfe\x00\x01" * 8, r"^w\.yaml:1:1: ")
wrong("a_list", "- 1\n- 2\n", r"^w\.yaml:1:1: .*expected a map")
wrong("a_number", "42\n", r"^w\.yaml:1:1: .*expected a map")
wrong("nested_too_deep", "a: " + "[" * 5000 + "]" * 5000 + "\n", r"^w\.yaml:1:\d+: ")
wrong("aliases_that_explode",
      "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" +
      "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 10)}]\n"
              for i in range(12)), r"^w\.yaml:\d+:\d+: ")
wrong("two_documents", "asic: tahiti\n---\nasic: verde\n", r"^w\.yaml:[23]:\d+: .*document")
wrong("merge_key", "x: &x {address: 0}\nmemory:\n  - {<<: *x, size: 8}\n",
      [r"^w\.yaml:3:\d+: ", r"^w\.yaml:1:1: x: unknown key"])
wrong("unknown_chip", "memory: []\nasic: tahity\n", r'^w\.yaml:2:7: asic: unknown asic "tahity", did you mean tahiti\?')
wrong("chip_of_a_file_that_is_not_there", "asic: mine.yaml\n", r'^w\.yaml:1:7: asic: there is no file "mine\.yaml" beside the workload')
wrong("empty_name", 'name: ""\n', r"^w\.yaml:1:7: name: got empty text")
wrong("tag", "asic: !!str tahiti\n", r"^w\.yaml:1:\d+: asic: .*tag")

# ---- keys

wrong("unknown_key", "kernels: {}\n",
      r'^w\.yaml:1:1: kernels: unknown key, .*did you mean "kernel"\?')
wrong("unknown_key_without_a_near_one", "qwertz: 1\n", r"^w\.yaml:1:1: qwertz: unknown key")
wrong("unknown_key_deep_inside", memory("address: 0x1000, words: [1], adress: 2"),
      r'^w\.yaml:2:\d+: memory\[0\]\.adress: unknown key, .*did you mean "address"\?')
wrong("duplicate_key", "asic: tahiti\nasic: verde\n", r"^w\.yaml:2:1: asic: duplicate key")
wrong("several_faults_at_once", memory("address: x, words: [y]") + "steps:\n  - {wait: gfy}\n",
      [r"^w\.yaml:2:\d+: memory\[0\]\.address: ", r"^w\.yaml:2:\d+: memory\[0\]\.words\[0\]: ",
       r'^w\.yaml:4:\d+: steps\[0\]\.wait: .*did you mean "gfx"\?'])

# ---- memory

wrong("memory_without_an_address", memory("words: [1]"),
      r"^w\.yaml:2:\d+: memory\[0\]\.address: required key is missing")
wrong("memory_is_a_map", "memory: {address: 1, size: 8}\n", r"^w\.yaml:1:\d+: memory: .*list")
wrong("address_is_text", memory("address: here, size: 8"),
      r"^w\.yaml:2:\d+: memory\[0\]\.address: .*\"here\"")
wrong("address_is_negative", memory("address: -4096, size: 8"),
      r"^w\.yaml:2:\d+: memory\[0\]\.address: .*-4096")
wrong("address_has_more_than_64_bits", memory("address: 0x10000000000000000, size: 8"),
      r"^w\.yaml:2:\d+: memory\[0\]\.address: ")
wrong("range_runs_over_the_end_of_the_address_space",
      memory("address: 0xfffffffffffff000, size: 8 KiB"),
      r"^w\.yaml:2:\d+: memory\[0\]\.address: 8192 bytes .* run over the end of the address space")
wrong("negative_size", memory("address: 0, size: -8"), r"^w\.yaml:2:\d+: memory\[0\]\.size: .*-8")
wrong("size_zero", memory("address: 0, size: 0"), r"^w\.yaml:2:\d+: memory\[0\]\.size: ")
wrong("size_with_a_wrong_unit", memory("address: 0, size: 8 MHz"),
      r"^w\.yaml:2:\d+: memory\[0\]\.size: .*8 MHz")
wrong("size_too_large", memory("address: 0, size: 1024 GiB"),
      r"^w\.yaml:2:\d+: memory\[0\]\.size: .*16 GiB")
wrong("sum_of_sizes_too_large",
      "memory:\n  - {address: 0, size: 12 GiB}\n  - {address: 0x1000000000, size: 12 GiB}\n",
      r"^w\.yaml:3:\d+: memory\[1\]: with this the workload maps .*16 GiB")
wrong("contents_in_two_ways", memory("address: 0, words: [1], fill: 0, size: 4"),
      r"^w\.yaml:2:\d+: memory\[0\].*words.*fill")
wrong("no_contents", memory("address: 0"), r"^w\.yaml:2:\d+: memory\[0\]")
wrong("word_too_large", memory("address: 0, words: [0x100000000]"),
      r"^w\.yaml:2:\d+: memory\[0\]\.words\[0\]: ")
wrong("word_with_a_leading_zero_is_not_octal", memory("address: 0, words: [010]"),
      r"^w\.yaml:2:\d+: memory\[0\]\.words\[0\]: .*010")
wrong("word_is_a_fraction", memory("address: 0, words: [1.5]"),
      r"^w\.yaml:2:\d+: memory\[0\]\.words\[0\]: .*1\.5")
wrong("no_words", memory("address: 0, words: []"), r"^w\.yaml:2:\d+: memory\[0\]\.words: ")
wrong("fill_without_a_size", memory("address: 0, fill: 7"),
      r"^w\.yaml:2:\d+: memory\[0\]\.size: required key is missing")
wrong("random_type_unknown", memory("address: 0, random: {type: f33, count: 4}"),
      r'^w\.yaml:2:\d+: memory\[0\]\.random\.type: .*did you mean "f32"\?')

# ---- files

wrong("file_missing", memory("address: 0, file: no.bin"),
      r"^w\.yaml:2:\d+: memory\[0\]\.file: \"no\.bin\": no such file")
wrong("file_is_a_folder", memory("address: 0, file: sub"),
      r"^w\.yaml:2:\d+: memory\[0\]\.file: \"sub\": is a directory", files={"sub/x": "x"})
wrong("file_is_empty", memory("address: 0, file: e.bin"),
      r"^w\.yaml:2:\d+: memory\[0\]\.file: \"e\.bin\": is empty", files={"e.bin": b""})
wrong("file_shorter_than_asked", memory("address: 0, file: e.bin, size: 9"),
      r"^w\.yaml:2:\d+: memory\[0\]\.size: 9 bytes from offset 0 end beyond \"e\.bin\", "
      "which has 8",
      files={"e.bin": bytes(8)})
wrong("offset_behind_the_file", memory("address: 0, file: e.bin, offset: 8"),
      r"^w\.yaml:2:\d+: memory\[0\]\.offset: 8 is not inside \"e\.bin\"", files={"e.bin": bytes(8)})
wrong("dump_overwrites_an_input",
      memory("address: 0, file: e.bin") + "dump: [{address: 0, size: 8, file: e.bin}]\n",
      r"^w\.yaml:3:\d+: dump\[0\]\.file: would overwrite", files={"e.bin": bytes(8)})
wrong("dump_overwrites_the_workload", "dump: [{address: 0, size: 8, file: w.yaml}]\n",
      r"^w\.yaml:1:\d+: dump\[0\]\.file: would overwrite")
wrong("two_dumps_into_one_file",
      memory("address: 0, size: 64") + "dump:\n  - {address: 0, size: 8, file: o}\n"
      "  - {address: 8, size: 8, file: ./o}\n",
      r"^w\.yaml:5:\d+: dump\[1\]\.file: writes the same file as w\.yaml:4")
wrong("dump_into_a_folder_that_is_not_there", "dump: [{address: 0, size: 8, file: no/o}]\n",
      r"^w\.yaml:1:\d+: dump\[0\]\.file: \"no/o\": no such directory")
wrong("dump_of_memory_that_is_not_mapped", "dump: [{address: 0x5000, size: 8, file: o}]\n",
      r"^w\.yaml:1:\d+: dump\[0\].*memory at 0x5000 is not mapped")

# ---- kernel

wrong("kernel_without_code", "kernel: {name: k}\n",
      r"^w\.yaml:1:\d+: kernel\.code: required key is missing")
wrong("kernel_code_missing", "kernel: {code: k.cl}\n",
      r"^w\.yaml:1:\d+: kernel\.code: \"k\.cl\": no such file")
KERNEL = "kernel:\n  code: k.hsaco\n"
FILES = {"k.hsaco": b"x"}
wrong("global_size_zero", KERNEL + "  global_size: [64, 0, 1]\n",
      r"^w\.yaml:3:\d+: kernel\.global_size\[1\]: ", files=FILES)
wrong("global_size_of_four_dimensions", KERNEL + "  global_size: [1, 1, 1, 1]\n",
      r"^w\.yaml:3:\d+: kernel\.global_size: ", files=FILES)
wrong("global_size_beyond_reason",
      KERNEL + "  global_size: [0xffffffff, 0xffffffff, 0xffffffff]\n",
      r"^w\.yaml:3:\d+: kernel\.global_size: too many work-items", files=FILES)
wrong("repeat_zero", KERNEL + "  repeat: 0\n", r"^w\.yaml:3:\d+: kernel\.repeat: ", files=FILES)
wrong("argument_of_an_unknown_kind", KERNEL + "  args:\n    - float: 1\n",
      r"^w\.yaml:4:\d+: kernel\.args\[0\].*float", files=FILES)
wrong("argument_of_a_misspelt_kind", KERNEL + "  args:\n    - bufer: {zeros: 4}\n",
      r'^w\.yaml:4:\d+: kernel\.args\[0\]\.bufer: unknown key, .*did you mean "buffer"\?', files=FILES,
      never="none of the possible keys")
wrong("argument_of_two_kinds", KERNEL + "  args:\n    - {f32: 1, i32: 2}\n",
      r"^w\.yaml:4:\d+: kernel\.args\[0\].*i32.*f32", files=FILES)
wrong("argument_out_of_its_range", KERNEL + "  args:\n    - i8: 200\n",
      r"^w\.yaml:4:\d+: kernel\.args\[0\]\.i8: .*200", files=FILES)
wrong("expectation_of_a_number", KERNEL + "  args:\n    - {f32: 1.0, expect: {words: [1]}}\n",
      r"^w\.yaml:4:\d+: kernel\.args\[0\]\.expect: does not go with \"f32\"", files=FILES)
wrong("expectation_larger_than_the_buffer",
      KERNEL + "  args:\n    - {buffer: {zeros: 4}, expect: {words: [1, 2]}}\n",
      r"^w\.yaml:4:\d+: kernel\.args\[0\]\.expect: 8 bytes are expected in a buffer of 4",
      files=FILES)

# ---- steps

wrong("ring_unknown", "steps:\n  - {ring: gxf, words: [0]}\n",
      r'^w\.yaml:2:\d+: steps\[0\]\.ring: .*did you mean "gfx"\?')
wrong("ring_of_another_chip", "steps:\n  - {ring: ctm, words: [0x80000000]}\n",
      r'^w\.yaml:2:\d+: steps\[0\]\.ring: got text "ctm", expected one of: gfx, compute0, compute1, dma0, dma1$')
wrong("ring_step_without_contents", "steps:\n  - {ring: gfx}\n", r"^w\.yaml:2:\d+: steps\[0\]")
wrong("ring_step_of_half_a_dword", "steps:\n  - {ring: gfx, file: e.bin}\n",
      r"^w\.yaml:2:\d+: steps\[0\]\.file: 7 bytes are no whole number of dwords",
      files={"e.bin": bytes(7)})
wrong("packet_unknown", "steps:\n  - {ring: gfx, packets: [NOPE]}\n",
      r"^w\.yaml:2:\d+: steps\[0\]\.packets\[0\]: .*unknown packet \"NOPE\" \(did you mean \"NOP\"\?\)")
wrong("indirect_buffer_misaligned", "steps:\n  - {ring: gfx, ib: {address: 0x1002, dwords: 4}}\n",
      r"^w\.yaml:2:\d+: steps\[0\]\.ib\.address: 0x1002 is not a multiple of 4")
wrong("indirect_buffer_of_no_dwords", "steps:\n  - {ring: gfx, ib: {address: 0x1000, dwords: 0}}\n",
      r"^w\.yaml:2:\d+: steps\[0\]\.ib\.dwords: ")
wrong("indirect_buffer_too_long",
      "steps:\n  - {ring: gfx, ib: {address: 0x1000, dwords: 0x100000}}\n",
      r"^w\.yaml:2:\d+: steps\[0\]\.ib\.dwords: ")
wrong("indirect_buffer_vmid", "steps:\n  - {ring: gfx, ib: {address: 0, dwords: 4, vmid: 16}}\n",
      r"^w\.yaml:2:\d+: steps\[0\]\.ib\.vmid: ")
wrong("step_of_two_kinds", "steps:\n  - {ring: gfx, words: [0], wait: gfx}\n",
      r"^w\.yaml:2:\d+: steps\[0\].*(ring.*wait|wait.*ring)")
wrong("step_of_no_kind", "steps:\n  - {}\n", r"^w\.yaml:2:\d+: steps\[0\]")

# ---- expectations

wrong("register_unknown", "expect:\n  - {register: SCRATCH_REG_0, value: 1}\n",
      r"^w\.yaml:2:\d+: expect\[0\].*unknown register SCRATCH_REG_0, did you mean SCRATCH_REG\d\?")
wrong("register_value_outside_the_mask",
      "expect:\n  - {register: SCRATCH_REG0, value: 0x100, mask: 0xff}\n",
      r"^w\.yaml:2:\d+: expect\[0\]\.value: 0x100 has bits outside the mask")
wrong("interrupt_unknown", "expect:\n  - {interrupt: eos, count: 1}\n",
      r"^w\.yaml:2:\d+: expect\[0\].*unknown interrupt \"eos\", expected eop, shader, gui_idle")
wrong("tolerance_without_a_type",
      memory("address: 0, size: 8") + "expect:\n  - {address: 0, words: [0], rel: 0.1}\n",
      r"^w\.yaml:4:\d+: expect\[0\]\.rel: ")
wrong("negative_tolerance",
      memory("address: 0, size: 8") + "expect:\n  - {address: 0, words: [0], type: f32, rel: -1}\n",
      r"^w\.yaml:4:\d+: expect\[0\]\.rel: ")
wrong("asic_empty", "asic: \"\"\n", r"^w\.yaml:1:\d+: asic: got empty text")
wrong("asic_unknown", "asic: tahitti\n", r"unknown asic \"tahitti\", did you mean tahiti\?")

# ---- expectations that do not hold: where, what was expected, what came

MET = memory("address: 0x4000, words: [1, 2, 3]")


def unmet(name, text, message):
    suite.workload(name, MET + "expect:\n  - " + text, FAILED_EXPECTATION,
                   r"^w\.yaml:4:\d+: expect\[0\]" + message)


unmet("memory_differs", "{address: 0x4000, words: [1, 7, 3]}\n",
      r": .*0x4004.*expected 0x0*7, got 0x0*2|: .*0x4004.*expected 7, got 2")
unmet("memory_differs_as_float",
      "{address: 0x4000, words: [1, 0x3f800000, 3], type: f32, rel: 0.1}\n",
      r".*element 1 \(f32\) at 0x4004: expected 1, got ")
unmet("memory_is_not_mapped", "{address: 0x9000, words: [1]}\n",
      ".*0x9000.*not mapped")
unmet("register_differs", "{register: SCRATCH_REG0, value: 0x77}\n",
      ".*register SCRATCH_REG0: expected 0x77, got 0x0")
unmet("interrupt_did_not_come", "{interrupt: eop, count: 3}\n",
      ".*interrupt eop: expected 3, got 0")
suite.workload("buffer_differs",
               "kernel:\n  code: k.s\n  args:\n    - {buffer: {zeros: 64}, expect: {words: [1]}}\n"
               "    - u32: 7\n",
               FAILED_EXPECTATION, r"^w\.yaml:4:\d+: kernel\.args\[0\].*argument 0.*expected .*1.*"
               "got .*0",
               files={"k.s": source("  s_nop 0", metadata=True)})

# ---- pictures of surfaces

LINEAR = "format: 8_8_8_8, width: 8, height: 8, array_mode: linear_general, address: 0x100000"


def picture(name, surface, message, asic="tahiti", **options):
    """Of a dump; an expectation reads the same."""
    wrong(f"surface_{name}", f"asic: {asic}\ndump:\n  - surface: {surface}\n    file: a.png\n", message, **options)


picture("of_no_target", "cb8", r'^w\.yaml:3:14: dump\[0\]\.surface: got text "cb8", expected cb0 to cb7, depth, stencil, or a map \(did you mean "cb0"\?\)')
picture("that_is_a_list", "[cb0]", r"^w\.yaml:3:14: dump\[0\]\.surface: got a list, expected a map")
picture("without_a_format", "{width: 8, address: 0x100000}", r"^w\.yaml:3:14: dump\[0\]\.surface\.format: required key is missing, expected one as 8_8_8_8 or z32_float")
picture("of_an_unknown_format", "{" + LINEAR.replace("8_8_8_8", "8_8_8") + "}", r'^w\.yaml:3:23: dump\[0\]\.surface\.format: got 8_8_8, expected one of: 8, .*did you mean "8_8"\?')
picture("of_numbers_that_its_format_has_not", "{" + LINEAR + ", number_type: float}", r"^w\.yaml:3:23: dump\[0\]\.surface\.format: NUMBER_TYPE 7 is not of targets of FORMAT 8_8_8_8")
picture("with_a_swap_of_depth", "{" + LINEAR.replace("8_8_8_8", "z16") + ", comp_swap: alt}", r"^w\.yaml:3:\d+: dump\[0\]\.surface\.comp_swap: is of formats of colour")
picture("with_channels_of_depth", "{" + LINEAR.replace("8_8_8_8", "z16") + ", channels: rgb}", r"^w\.yaml:3:\d+: dump\[0\]\.surface\.channels: are of colour")
picture("with_other_bits_than_its_format", "{" + LINEAR + ", bpp: 16}", r"^w\.yaml:3:\d+: dump\[0\]\.surface\.bpp: got 16, an element of this format has 32 bits")
picture("with_odd_samples", "{" + LINEAR + ", bits: 12}", r"^w\.yaml:3:\d+: dump\[0\]\.surface\.bits: got 12, expected 8 or 16")
picture("with_a_misspelt_key", "{" + LINEAR + ", hight: 8}", r'^w\.yaml:3:\d+: dump\[0\]\.surface\.hight: unknown key, .*did you mean "height"\?')
picture("with_two_addresses", "{" + LINEAR + ", base: 0}", r'^w\.yaml:3:\d+: dump\[0\]\.surface\.address: conflicts with "base"')
picture("of_a_target_with_a_tiling", "{target: cb0, tile_index: 3}", r"^w\.yaml:3:\d+: dump\[0\]\.surface\.tile_index: unknown key")
picture("of_a_slice_it_has_not", "{" + LINEAR + ", slice: 2}", r"^w\.yaml:3:\d+: dump\[0\]\.surface\.slice: there are slices 0 to 0")
picture("of_a_sample_it_has_not", "{" + LINEAR + ", sample: 1}", r"^w\.yaml:3:\d+: dump\[0\]\.surface\.sample: the surface has 1 a pixel")
picture("of_a_vmid_there_is_not", "{" + LINEAR + ", vmid: 16}", r"^w\.yaml:3:\d+: dump\[0\]\.surface\.vmid: 16 is out of range")
picture("of_a_chip_without_targets", "cb0", r"^w\.yaml:3:14: dump\[0\]\.surface: the chip has no colour and depth blocks", asic="bonaire")
picture("of_a_chip_without_surfaces", "{" + LINEAR + "}", r"^w\.yaml:3:14: dump\[0\]\.surface: the chip has no surfaces of Radeon chips", asic="a630")
wrong("surface_into_a_file_that_is_no_image", "dump: [{surface: cb0, file: a.bmp}]\n", r'^w\.yaml:1:29: dump\[0\]\.file: got "a\.bmp", expected a name that ends in \.png or \.pam')
wrong("surface_without_an_image", "expect: [{surface: cb0}]\n", r"^w\.yaml:1:10: expect\[0\]\.image: required key is missing")
wrong("surface_with_an_image_that_is_not_there", "expect: [{surface: cb0, image: a.png}]\n", r'^w\.yaml:1:32: expect\[0\]\.image: ".*a\.png": no such file')
wrong("surface_with_an_image_that_is_none", "expect: [{surface: cb0, image: a.png}]\n", r"^w\.yaml:1:10: expect\[0\]: a\.png: ", files={"a.png": "no picture"})
wrong("surface_with_a_negative_tolerance", "expect: [{surface: cb0, image: a.png, tolerance: -1}]\n", r"^w\.yaml:1:50: expect\[0\]\.tolerance: -1 is out of range", files={"a.png": "x"})
wrong("surface_over_a_file_that_is_read", "expect: [{surface: cb0, image: a.png}]\ndump: [{surface: cb0, file: a.png}]\n", r'^w\.yaml:2:29: dump\[0\]\.file: would overwrite ".*a\.png"', files={"a.png": "x"})

CASES = suite.cases
