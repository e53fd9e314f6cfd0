# SPDX-License-Identifier: Apache-2.0
"""Surfaces and points `archipelago map` must refuse."""
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
surface("keys_missing", "{offset: 0}\n",
        [r"^s\.yaml:1:1: asic: required key is missing",
         r"^s\.yaml:1:1: tiling: required key is missing",
         r"^s\.yaml:1:1: bytes: required key is missing",
         r"^s\.yaml:1:1: pitch: required key is missing"])
surface("unknown_key", GOOD.replace("offset", "ofset"),
        r'^s\.yaml:1:51: ofset: unknown key, .*did you mean "offset"\?')
surface("duplicate_key", "asic: r580\nasic: r580\n", r"^s\.yaml:2:1: asic: .*duplicate")
surface("several_faults_at_once", "asic: r58\ntiling: tield\nbytes: x\npitch: 9000\n",
        [r'^s\.yaml:1:7: asic: unknown asic "r58", did you mean r580\?',
         r'^s\.yaml:2:9: tiling: .*did you mean "tiled"\?', r'^s\.yaml:3:8: bytes: got text "x"',
         r"^s\.yaml:4:8: pitch: 9000 is out of range, expected an integer in 0\.\.8188"])
surface("chip_without_the_block", GOOD.replace("r580", "tahiti"),
        r'^s\.yaml:1:8: asic: "tahiti" has no surfaces that are mapped here, .*r580')
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
suite.command("twin_of_no_block", ["map", "s.yaml", "--rtl", "ctm_mc_adress"], BAD_INPUT,
              r"--rtl ctm_mc_adress: .*ctm_mc_address", files={"s.yaml": GOOD})

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
