# SPDX-License-Identifier: Apache-2.0
"""Surfaces and points `archipelago map` must refuse."""
import os

from framework import BAD_INPUT, Suite

suite = Suite("map")

GOOD = "{asic: r580, tiling: tiled, bytes: 4, pitch: 512, offset: 0x80000}\n"


def surface(name, text, message, never=None):
    suite.command(name, ["map", "s.yaml"], BAD_INPUT, message, files={"s.yaml": text}, stdin="0,0\n",
                  never=never or "0x8000[0-9a-f]")


def points(name, text, message, never=None):
    suite.command(name, ["map", "s.yaml"], BAD_INPUT, message, files={"s.yaml": GOOD}, stdin=text,
                  never=never)


# ---- the surface

surface("empty", "", r"^s\.yaml")
surface("list", "- 1\n", r"^s\.yaml:1:1: .*expected a map")
surface("broken_yaml", "{asic: r580\n", r"^s\.yaml:\d+:\d+: ")
surface("binary", bytes(range(256)), r"^s\.yaml:1:\d+: ")
surface("asic_missing", "{offset: 0}\n", r"^s\.yaml:1:1: asic: required key is missing")
surface("keys_missing", "{asic: r580, offset: 0}\n",
        [r"^s\.yaml:1:1: tiling: required key is missing",
         r"^s\.yaml:1:1: bytes: required key is missing",
         r"^s\.yaml:1:1: pitch: required key is missing"])
surface("unknown_key", GOOD.replace("offset", "ofset"),
        r'^s\.yaml:1:51: ofset: unknown key, .*did you mean "offset"\?')
surface("duplicate_key", "asic: r580\nasic: r580\n", r"^s\.yaml:2:1: asic: .*duplicate")
surface("asic_unknown", "asic: r58\ntiling: tiled\n",
        r'^s\.yaml:1:7: asic: unknown asic "r58", did you mean r580\?')
surface("several_faults_at_once", "asic: r580\ntiling: tield\nbytes: x\npitch: 9000\n",
        [r'^s\.yaml:2:9: tiling: .*did you mean "tiled"\?', r'^s\.yaml:3:8: bytes: got text "x"',
         r"^s\.yaml:4:8: pitch: 9000 is out of range, expected an integer in 0\.\.8188"])
surface("keys_of_another_chip", GOOD.replace("r580", "tahiti"),
        [r"^s\.yaml:1:1: bpp: required key is missing", r"^s\.yaml:1:16: tiling: unknown key"])
surface("chip_file_missing", GOOD.replace("r580", "none.yaml"), r"none\.yaml")
surface("bytes_no_power_of_two", GOOD.replace("bytes: 4", "bytes: 3"),
        r"^s\.yaml:1:36: bytes: got 3, expected 1, 2, 4, 8 or 16")
surface("bytes_zero", GOOD.replace("bytes: 4", "bytes: 0"), r"^s\.yaml:1:36: bytes: .*1\.\.16")
surface("bytes_too_many", GOOD.replace("bytes: 4", "bytes: 32"), r"^s\.yaml:1:36: bytes: .*1\.\.16")
surface("pitch_no_multiple_of_four", GOOD.replace("512", "514"),
        r"^s\.yaml:1:46: pitch: got 514, expected a multiple of 4")
surface("pitch_negative", GOOD.replace("512", "-4"), r"^s\.yaml:1:46: pitch: .*-4")
surface("pitch_in_octal", GOOD.replace("512", "0512"), r"^s\.yaml:1:46: pitch: .*0512")
surface("pitch_beyond_its_field", GOOD.replace("512", "8192"), r"^s\.yaml:1:46: pitch: .*0\.\.8188")
surface("offset_beyond_32_bits", GOOD.replace("0x80000", "0x100000000"),
        r"^s\.yaml:1:59: offset: ")
surface("offset_is_text", GOOD.replace("0x80000", "here"), r'^s\.yaml:1:59: offset: got text "here"')
surface("offset_in_hertz", GOOD.replace("0x80000", "5 MHz"), r"^s\.yaml:1:59: offset: .*MHz")
suite.command("surface_missing", ["map", "none.yaml"], BAD_INPUT, r"none\.yaml: ")
suite.command("surface_is_a_folder", ["map", "."], BAD_INPUT, r"^\.: ")
suite.command("no_surface", ["map"], BAD_INPUT, "surface is required")
suite.command("two_surfaces", ["map", "s.yaml", "s.yaml"], BAD_INPUT, "s.yaml",
              files={"s.yaml": GOOD})
suite.command("twin_of_another_block", ["map", "s.yaml", "--rtl", "valu_lane"], BAD_INPUT,
              r"--rtl valu_lane: ", files={"s.yaml": GOOD})
suite.command("twin_of_radeon", ["map", "s.yaml", "--rtl", "si_tile_address"], BAD_INPUT,
              r"--rtl si_tile_address: not for surfaces of r580, whose block is ctm_mc_address", files={"s.yaml": GOOD})
suite.command("twin_of_no_block", ["map", "s.yaml", "--rtl", "ctm_mc_adress"], BAD_INPUT,
              r"--rtl ctm_mc_adress: .*ctm_mc_address", files={"s.yaml": GOOD})

# ---- surfaces of Southern Islands

RADEON = "{asic: tahiti, tile_index: 14, bpp: 32, width: 100, height: 100}\n"


def radeon(name, text, message, *options):
    suite.command(name, ["map", "s.yaml", *options], BAD_INPUT, message, files={"s.yaml": text},
                  stdin="0,0\n", never="^0x")


radeon("no_mode", RADEON.replace("tile_index: 14, ", ""),
       r"^s\.yaml:1:1: array_mode: required key is missing")
radeon("parts_of_a_mode_missing", RADEON.replace("tile_index: 14", "array_mode: 2d_tiled_thin1"),
       [r"tile_type: required", r"pipe_config: required", r"tile_split: required", r"banks: required"])
radeon("array_mode_misspelled", RADEON.replace("tile_index: 14", "array_mode: 2d_tiled_thin"),
       r'array_mode: .*did you mean "2d_tiled_thin1"\?')
radeon("mode_the_chip_has_not", RADEON.replace("14", "32"), r"tile_index: 32 is out of range")
radeon("bpp_of_no_format", RADEON.replace("bpp: 32", "bpp: 24"), r"bpp: got 24, expected 1, 2, 4, 8, 16, 32, 64, 96 or 128")
radeon("bits_in_tiles", RADEON.replace("bpp: 32", "bpp: 4"), r"bpp: elements of less than a byte are in linear")
radeon("bits_that_end_in_a_byte",
       RADEON.replace("tile_index: 14, bpp: 32", "array_mode: linear_general, bpp: 2, pitch: 102"),
       r"pitch: got 102, expected whole bytes, 4 elements each")
radeon("level_behind_the_last", RADEON.replace("}", ", levels: 2, level: 2}"), r"level: there are levels 0 to 1")
radeon("slice_behind_the_last", RADEON.replace("}", ", slice: 1}"), r"slice: there are slices 0 to 0")
radeon("pitch_between_tiles", RADEON.replace("}", ", pitch: 104}"), r"must be multiples of the \d+ x \d+ macro tile")
radeon("tile_split_no_power", RADEON.replace("}", ", tile_split: 96}"), r"tile_split: got 96, expected a power of two")
radeon("twin_of_ctm", RADEON, r"^--rtl ctm_mc_address: not for surfaces of tahiti, whose block is si_tile_address", "--rtl", "ctm_mc_address")
radeon("twin_of_another_generation", RADEON.replace("tahiti", "bonaire"), r"^--rtl si_tile_address: not for surfaces of bonaire$",
       "--rtl", "si_tile_address")
radeon("twin_for_the_way_back", RADEON, r"^--rtl si_tile_address: the Verilog maps points only, not with --inverse",
       "--rtl", "si_tile_address", "--inverse")
radeon("twin_for_a_picture", RADEON, r"^--rtl si_tile_address: the Verilog maps points only, not with --picture",
       "--rtl", "si_tile_address", "--picture", "p.svg")
radeon("picture_of_the_way_back", RADEON, r"--inverse excludes --picture", "--picture", "p.svg", "--inverse")
radeon("region_without_picture", RADEON, r"--region requires --picture", "--region", "0,0,1,1")
radeon("region_outside", RADEON, r"--region 90,0,11,1: the level has 100 x 100 elements",
       "--picture", "p.svg", "--region", "90,0,11,1")
radeon("region_is_no_region", RADEON, r"--region 1,2,3: expected X,Y,WIDTH,HEIGHT", "--picture", "p.svg",
       "--region", "1,2,3")
suite.command("inverse_for_ctm", ["map", "s.yaml", "--inverse"], BAD_INPUT, r"--inverse: not for surfaces of r580",
              files={"s.yaml": GOOD})
suite.command("picture_for_ctm", ["map", "s.yaml", "--picture", "p.svg"], BAD_INPUT,
              r"--picture: not for surfaces of r580", files={"s.yaml": GOOD})

# ---- surfaces of R6xx to Northern Islands, and of CIK

R600 = "{asic: r600, array_mode: 2d_tiled_thin1, tile_type: display, bpp: 32, width: 100, height: 100}\n"
CYPRESS = ("{asic: cypress, array_mode: 2d_tiled_thin1, tile_type: thin, tile_split: 512, banks: 8, bank_width: 1, "
           "bank_height: 2, macro_aspect: 1, bpp: 32, width: 100, height: 100}\n")
HAWAII = RADEON.replace("tahiti", "hawaii")

for key, value, reason in (
        ("tile_index", 14, "R6xx and R7xx have no GB_TILE_MODE, expected array_mode and tile_type"),
        ("pipe_config", "p2", "R6xx and R7xx have their pipes in GB_TILING_CONFIG"),
        ("banks", 8, "R6xx and R7xx have their banks in GB_TILING_CONFIG"),
        ("tile_split", 1024, "R6xx and R7xx have SAMPLE_SPLIT in GB_TILING_CONFIG"),
        ("bank_width", 1, "macro tiles of R6xx and R7xx have one tile of each bank"),
        ("bank_height", 1, "macro tiles of R6xx and R7xx have one tile of each bank"),
        ("macro_aspect", 2, "R6xx and R7xx have it in array_mode, expected .*2d_tiled_thin2")):
    radeon(f"r6xx_has_no_{key}", R600.replace("{", f"{{{key}: {value}, "), rf"^s\.yaml:1:\d+: {key}: {reason}")
radeon("r6xx_mode_missing", R600.replace("array_mode: 2d_tiled_thin1, ", ""), r"^s\.yaml:1:1: array_mode: required key is missing")
radeon("r6xx_bank_swapped_mode", R600.replace("2d_tiled_thin1", "2b_tiled_thin1"),
       r'^s\.yaml:1:26: array_mode: .*"2b_tiled_thin1".*2d_tiled_thin4')
radeon("r6xx_mode_of_si", R600.replace("2d_tiled_thin1", "prt_tiled_thin1"), r"^s\.yaml:1:26: array_mode: .*2d_tiled_thin4")
radeon("r6xx_tile_type_of_si", R600.replace("display", "rotated"), r"^s\.yaml:1:53: tile_type: .*display.*thin.*depth")
radeon("r6xx_mip_chain_of_samples", R600.replace("}", ", levels: 3, samples: 2}"),
       r"^s\.yaml:1:1: image: multisampled images have one level")
radeon("r6xx_pitch_between_tiles", R600.replace("}", ", pitch: 104}"), r"must be multiples of the 64 x 64 macro tile")
radeon("r6xx_thick_samples", R600.replace("thin1", "thick").replace("}", ", samples: 2}"), r"thick tiles have one sample")
CONFIGS = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../configs/asics"))
for name, value, reason in (("pipes", "0x8", "PIPE_TILING is not defined"), ("banks", "0x20", "BANK_TILING is not defined"),
                            ("group", "0x80", "GROUP_SIZE is not defined"),
                            ("bank_swaps", "0x406", "the bank swaps of ROW_TILING 4 to 7 are not described")):
    suite.command(f"r6xx_{name}_of_no_meaning", ["map", "s.yaml"], BAD_INPUT,
                  rf"^s\.yaml:1:1: image: GB_TILING_CONFIG: {reason}", stdin="0,0\n", never="^0x",
                  files={"s.yaml": R600.replace("r600", "chip.yaml"),
                         "chip.yaml": f"base: {CONFIGS}/r600.yaml\ntiling_config: {value}\n"})
radeon("evergreen_has_no_tile_index", CYPRESS.replace("{", "{tile_index: 14, "),
       r"^s\.yaml:1:14: tile_index: Evergreen and Northern Islands have no GB_TILE_MODE")
radeon("evergreen_has_no_pipe_config", CYPRESS.replace("{", "{pipe_config: p8_32x32_8x16, "),
       r"^s\.yaml:1:15: pipe_config: Evergreen and Northern Islands have their pipes in GB_ADDR_CONFIG")
radeon("evergreen_parts_missing", CYPRESS.replace("tile_split: 512, banks: 8, ", ""),
       [r"^s\.yaml:1:1: tile_split: required", r"^s\.yaml:1:1: banks: required"])
radeon("evergreen_mode_of_si", CYPRESS.replace("2d_tiled_thin1", "prt_2d_tiled_thin1"), r"^s\.yaml:1:29: array_mode: ")
radeon("evergreen_banks_no_power", CYPRESS.replace("banks: 8", "banks: 6"), r"banks: got 6, expected a power of two")
radeon("evergreen_mip_chain_with_holes", CYPRESS.replace("bpp: 32", "bpp: 8").replace("}", ", levels: 2}"),
       r"^s\.yaml:1:1: image: macro tiles of a mip chain must fill whole interleave units of each bank")
radeon("evergreen_no_macro_tile", CYPRESS.replace("banks: 8", "banks: 2").replace("macro_aspect: 1", "macro_aspect: 8"),
       r"the macro tile is smaller than a tile")
radeon("cik_parts_missing", HAWAII.replace("tile_index: 14", "array_mode: 2d_tiled_thin1"),
       [r"tile_type: required", r"pipe_config: required", r"tile_split: required", r"banks: required"])
radeon("cik_mode_the_chip_has_not", HAWAII.replace("14", "32"), r"tile_index: 32 is out of range")
radeon("pipes_si_has_not", RADEON.replace("}", ", pipe_config: p16_32x32_16x16}"),
       r"pipe_config: SI has no configuration of 16 pipes")
radeon("region_outside_of_cik", HAWAII, r"--region 90,0,11,1: the level has 100 x 100 elements",
       "--picture", "p.svg", "--region", "90,0,11,1")

# ---- the points: answers up to the first bad line, and each bad line by its number

points("x_out_of_range", "0,0\n4096,1\n",
       [r"^0x80000$", r"^stdin:2: x is 4096, out of range, expected a whole number from 0 to 4095"])
points("y_out_of_range", "0,4096\n", r"^stdin:1: y is 4096, out of range")
points("y_far_out_of_range", "0," + "9" * 40 + "\n", r"^stdin:1: y is 9{40}, out of range")
points("hexadecimal_out_of_range", "0x1000,0\n", r"^stdin:1: x is 0x1000, out of range")
points("x_negative", "-1,1\n", r"^stdin:1: x is -1, out of range")
points("x_is_text", "\n# a comment\nx,1\n", r'^stdin:3: x is "x", expected a whole number')
points("heading", "x,y\n1,2\n", r'^stdin:1: x is "x"', never=r"0x8000")
points("fraction", "1.5,2\n", r'^stdin:1: x is "1\.5"')
points("octal", "010,2\n", r'^stdin:1: x is "010"')
points("one_number", "5\n", r'^stdin:1: got "5", expected two numbers x,y')
points("three_numbers", "1,2,3\n", r'^stdin:1: got "1,2,3", expected two numbers x,y')
points("other_separator", "1;2\n", r'^stdin:1: got "1;2", expected two numbers x,y')
points("blank_between", "1 2\n", r'^stdin:1: got "1 2", expected two numbers x,y')
points("nothing_behind_the_comma", "1,\n", r"^stdin:1: y is nothing")
points("nothing_before_the_comma", ",1\n", r"^stdin:1: x is nothing")
points("comma_alone", ",\n", r"^stdin:1: x is nothing")
points("last_line_without_its_end", "1,2\n3,y", r'^stdin:2: y is "y"')
points("carriage_returns_only", "1,2\r3,4\r", r"^stdin:1: got ")
points("zero_byte", b"1,2\n3\x00,4\n", r'^stdin:2: x is "3')
points("binary_points", bytes(range(256)) * 4, r"^stdin:1: ")
points("utf16", "1,2\n".encode("utf-16"), r"^stdin:1: ")
points("line_without_end", b"1" * 3_000_000, r"^stdin:1: the line is longer than \d+ bytes")
points("line_too_long_between_others", b"1,2\n" + b"1" * 600_000 + b"\n5,6\n7,z\n",
       [r"^stdin:2: the line is longer", r"^stdin:4: y is \"z\""])
points("every_bad_line_is_told", "1,2\na,1\n5,6\n1,b\n",
       [r'^stdin:2: x is "a"', r'^stdin:4: y is "b"'], never=r"^0x[^\n]*\n0x")
points("thousands_of_bad_lines", "bad\n" * 100_000, r"^stdin:20: ", never=r"^stdin:21: ")
points("bad_line_far_down", "1,2\n" * 200_000 + "1,4096\n", r"^stdin:200001: y is 4096")

CASES = suite.cases
