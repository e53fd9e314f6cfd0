# SPDX-License-Identifier: Apache-2.0
"""Binaries of Catalyst's compiler that are malformed, have what is not supported, or do not fit their
arguments. Nothing runs: all exit with status 2."""
import copy
import struct

import catalyst_binary
from framework import BAD_INPUT, Suite
from shader import workload

suite = Suite("catalyst")

END = struct.pack("<I", 0xbf810000)
KERNEL = {"name": "victim", "vgprs": 4, "sgprs": 16,
          "user_data": [{"class": "PTR_UAV_TABLE", "first": 0},
                        {"class": "IMM_CONST_BUFFER", "slot": 1, "first": 4},
                        {"class": "IMM_UAV", "slot": 12, "first": 8}],
          "args": [{"name": "out", "type": "u32", "space": "uav", "buffer": 12},
                   {"name": "scale", "type": "float"}]}
DESCRIPTION = {"chip": "tahiti", "kernels": [KERNEL]}
ARGS = ["buffer: {zeros: 256}", "f32: 1"]


def binary(description=DESCRIPTION):
    return catalyst_binary.build(description, lambda kernel: END)


def kernel(**changes):
    return {**DESCRIPTION, "kernels": [{**copy.deepcopy(KERNEL), **changes}]}


def refused(name, file, message, args=None):
    suite.workload(name, workload(code="k.bin", args=ARGS if args is None else args), BAD_INPUT,
                   message, files={"k.bin": file}, modes=["cycle"])


def replaced(old, new, description=DESCRIPTION, nth=0):
    """The good binary with bytes replaced by as many others."""
    data = binary(description)
    at = data.index(old)
    for _ in range(nth):
        at = data.index(old, at + 1)
    assert len(old) == len(new), (old, new)
    return data[:at] + new + data[at + len(old):]


def info(address, value):
    """The good binary with another value in its program information."""
    data = binary()
    at = data.index(struct.pack("<I", address)) + 4
    return data[:at] + struct.pack("<I", value) + data[at + 4:]


# ---- the outer file

refused("for_sea_islands", replaced(struct.pack("<HH", 2, 0x3fd), struct.pack("<HH", 2, 0x403)),
        r"k\.bin: ELF header at 0x12: machine 0x403 of Catalyst's numbers is not a chip of Southern")
for part, message in ((8, "outside"), (4, "outside"), (2, "outside")):
    refused(f"cut_to_one_{part}th", binary()[:len(binary()) // part],
            rf"k\.bin: section headers: bytes 0x[0-9a-f]+\+0x[0-9a-f]+ are {message}")
refused("without_kernels", binary({**DESCRIPTION, "kernels": []}),
        r"k\.bin: symbol table: no kernel \(symbols __OpenCL_<name>_kernel and _metadata\)")
refused("without_metadata", replaced(b"victim_metadata", b"victim_metadatb"),
        r"k\.bin: kernel 'victim': the symbol __OpenCL_victim_metadata is missing")
refused("without_code", replaced(b"_victim_kernel\0__", b"_victim_kernem\0__"),
        r"k\.bin: kernel 'victim': the symbol __OpenCL_victim_kernel is missing")
refused("pointers_of_two_sizes", replaced(b";printfid:9\n;cbid:10\n", b";memory:64bitABI\n\n\n\n\n"),
        r"the metadata is for 64-bit pointers, the file for 32-bit ones")

# ---- the metadata

for name, old, new, message in (
        ("unknown_entry", b";uavid:", b";uavic:", r"metadata line 11: unknown entry 'uavic'"),
        ("of_version_4", b";version:3", b";version:4", r"metadata line 2: version 4 is not supported"),
        ("of_another_kernel", b"ARGSTART:__OpenCL_v", b"ARGSTART:__OpenCL_w", r"line 1: ARGSTART of"),
        ("without_an_end", b";ARGEND:", b";device:", r"metadata line \d+: has no ARGEND"),
        ("unknown_type", b"scale:float:1", b"scale:flaot:1", r"'scale': unknown type 'flaot'"),
        ("no_elements", b"scale:float:1", b"scale:float:0", r"argument 'scale' has no bytes"),
        ("number_expected", b"scale:float:1", b"scale:float:x", r"field 3 of 'value' is 'x', expected a"),
        ("offset_unaligned", b"scale:float:1:1:16", b"scale:float:1:1:17", r"at byte 17, not a multiple"),
        ("argument_over_another", b"scale:float:1:1:16", b"scale:float:1:1:00", r"lies over the one before"),
        ("in_constant_buffer_2", b"scale:float:1:1:16", b"scale:float:1:2:16", r"constant buffer 2, exp"),
        ("too_few_fields", b"pointer:out:u32:1:1:0:uav:12:4:RW:0:0", b"pointer:out:u32:1:1:0:uav;;;;;;;;;;;;",
         r"'pointer' has 7 fields, expected 9"),
        ("unknown_memory", b":uav:12:", b":vau:12:", r"argument 'out': unknown memory 'vau'"),
        ("image", b";uniqueid:1024", b";image:tex:1:1", r"'image:tex' is not supported: kernels with ima"),
        ("sampler", b";uniqueid:1024", b";sampler:smp:0", r"'sampler:smp' is not supported"),
        ("counter", b";uniqueid:1024", b";counter:c:32:", r"'counter:c' is not supported"),
        ("private_memory", b";memory:hwregion:0", b";memory:hwregion:1", r"memory:hwregion of 1 bytes")):
    refused("metadata_" + name, replaced(old, new), message)
refused("metadata_too_much_local_memory", binary(kernel(local=40000)),
        r"field 2 of 'memory' is '40000', expected a number up to 32768")

# ---- the inner file

refused("inner_file_none", replaced(b"\x7fELF\x01\x01\x01\x64", b"\x7fELG\x01\x01\x01\x64"),
        r"kernel 'victim': inner file: ELF header: not an ELF file")
refused("inner_file_of_another_machine", replaced(struct.pack("<HHI", 2, 0x7d, 1),
                                                  struct.pack("<HHI", 2, 0x7e, 1)),
        r"inner file: ELF header at 0x12: machine 126 is not CAL \(125\)")
refused("encoding_of_another_chip", replaced(struct.pack("<II", 0x1a, 4), struct.pack("<II", 0x21, 4)),
        r"inner file: encoding dictionary: no code for a chip of Southern Islands")
refused("notes_of_another_kind", replaced(b"ATI CAL\0", b"ATI KAL\0"),
        r"inner file: notes: the note at 0x0 is not of \"ATI CAL\"")
refused("notes_that_end_early", replaced(struct.pack("<III", 8, 16, 16), struct.pack("<III", 8, 1 << 30, 16)),
        r"note: bytes 0x14\+0x40000000 are outside")
refused("notes_of_images", replaced(struct.pack("<III", 8, 16, 16), struct.pack("<III", 8, 16, 2)),
        r"inner file: notes: the kernel reads images, which are not supported")
refused("notes_of_samplers", replaced(struct.pack("<III", 8, 16, 16), struct.pack("<III", 8, 16, 11)),
        r"inner file: notes: the kernel has samplers, which are not supported")
refused("notes_of_scratch", replaced(struct.pack("<III", 8, 16, 16), struct.pack("<III", 8, 16, 13)),
        r"inner file: notes: the kernel has 12 bytes of scratch memory, which is not supported")
refused("without_program_information", replaced(b"\x01\0\0\0ATI CAL\0", b"\x03\0\0\0ATI CAL\0"),
        r"inner file: notes: no program information")
refused("without_code_section", replaced(b"\0.text\0.data", b"\0.tixt\0.data"),
        r"inner file: section headers: no code \(\.text\)")

# ---- user data and registers

refused("user_data_too_many", info(0x80001000, 17), r"kernel 'victim': 17 user data, at most 16")
refused("user_data_missing", info(0x80001000, 4), r"the program information has no user data \(0x8000100d\)")
refused("user_data_of_an_image", binary(kernel(user_data=[
    {"class": "IMM_RESOURCE", "first": 0}])), r"user data of class IMM_RESOURCE is not supported")
refused("user_data_of_scratch", binary(kernel(user_data=[
    {"class": "PTR_INTERNAL_GLOBAL_TABLE", "first": 0}])),
    r"user data of class PTR_INTERNAL_GLOBAL_TABLE is not supported")
refused("user_data_unknown", info(0x80001001, 99), r"user data of the unknown class 99")
refused("user_data_of_another_size", info(0x80001004, 3), r"PTR_UAV_TABLE\) has 3 registers, expected 2")
refused("user_data_too_high", info(0x80001003, 15), r"begins at s15, beyond the 16 user registers")
refused("user_data_over_another", info(0x80001003, 5), r"\(IMM_CONST_BUFFER\) lies over other user data")
refused("user_data_not_loaded", info(0x2e13, 8 << 1), r"loads 8 user registers, user data needs s11")
refused("uav_of_no_argument", info(0x8000100a, 13), r"IMM_UAV 13 is no argument and not the program's")
refused("constants_that_are_missing", info(0x80001006, 2), r"IMM_CONST_BUFFER 2 is no argument and not")
refused("too_many_vector_registers", info(0x80001041, 257), r"257 vector and 16 scalar registers")
refused("too_many_scalar_registers", info(0x80001042, 105), r"4 vector and 105 scalar registers")
refused("scratch_memory", info(0x80001045, 64), r"kernel 'victim': scratch memory is not supported")
refused("without_a_float_mode", info(0x80001000, 3).replace(struct.pack("<I", 0x80001043),
                                                           struct.pack("<I", 0x80009999)),
        r"the program information has no float mode \(0x80001043\)")

# ---- arguments

GOOD = binary()
refused("argument_missing", GOOD, r"argument 1 'scale' \(float\) is missing: 1 given, 2 needed", ARGS[:1])
refused("argument_too_many", GOOD, r"argument 2 \(a value\) is one too many: the kernel has 2",
        ARGS + ["u32: 1"])
refused("integer_for_a_float", GOOD,
        r"argument 1 'scale' \(float\) is a floating-point number, an integer was given", [ARGS[0], "u32: 1"])
refused("double_for_a_float", GOOD, r"argument 1 'scale' \(float\) has 4 bytes, 8 were given",
        [ARGS[0], "f64: 1"])
refused("number_for_a_pointer", GOOD, r"argument 0 'out' \(u32\*\) is a buffer, a value was given",
        ["u32: 1", ARGS[1]])
refused("local_memory_for_a_pointer", GOOD, r"argument 0 'out' .* is a buffer, local memory was given",
        ["local: 64", ARGS[1]])
refused("range_of_another_size", binary(kernel(group_size=[128, 1, 1])),
        r"local size 64x1x1 is not the 128x1x1 it was compiled for")

CASES = suite.cases
