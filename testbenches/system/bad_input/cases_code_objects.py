# SPDX-License-Identifier: Apache-2.0
"""Code objects, kernels and arguments that do not fit. Nothing runs: all exit with status 2."""
import struct

from framework import BAD_INPUT, Suite
from shader import ARGS, code_object, source, workload

suite = Suite("code_object")


def refused(name, file, message, text=None, path="k.hsaco"):
    suite.workload(name, text or workload(code=path, args=ARGS), BAD_INPUT, message,
                   files={path: file}, modes=["cycle"])


def patched(offset, data, **options):
    """The good code object with bytes replaced, made when the case runs."""
    def make():
        contents = bytearray(code_object(**options))
        contents[offset:offset + len(data)] = data
        return bytes(contents)
    return make


# ---- the file

refused("not_an_elf_file", b"MZ" + bytes(200), r"k\.hsaco: ELF header at 0x0: not an ELF file")
refused("a_text_file", "kernel void k() {}\n" * 20, r"k\.hsaco: ELF header at 0x0: not an ELF file")
refused("too_short_for_a_header", lambda: code_object()[:40],
        r"k\.hsaco: ELF header: the file has 40 bytes, an ELF64 header has 64")
for part, message in ((8, "invalid data"), (4, "outside the file"), (2, "outside the file")):
    refused(f"cut_to_one_{part}th".replace("2th", "half"),
            lambda part=part: code_object()[:len(code_object()) // part],
            rf"k\.hsaco: program header \d.*{message}")
refused("of_32_bits", patched(4, b"\x01"), r"k\.hsaco: ELF header at 0x4: not a 64-bit ELF file")
refused("big_endian", patched(5, b"\x02"), r"k\.hsaco: ELF header at 0x5: not little-endian")
refused("for_another_machine", patched(18, struct.pack("<H", 62)),
        r"k\.hsaco: ELF header at 0x12: machine 62 is not AMDGPU")
refused("for_another_system", patched(7, b"\x00"),
        r"k\.hsaco: ELF header at 0x7: OS/ABI 0 is not amdhsa")
refused("not_linked", patched(16, struct.pack("<H", 1)),
        r"k\.hsaco: ELF header at 0x10: a relocatable object; link it")
refused("for_gfx900", lambda: code_object(cpu="gfx900"),
        r"k\.hsaco: ELF header at 0x30: made for machine 0x2c, not for gfx600")
refused("without_program_headers", patched(56, struct.pack("<H", 0)),
        r"k\.hsaco: program headers: no segment to load")
refused("program_headers_outside_the_file", patched(32, struct.pack("<Q", 1 << 40)),
        r"k\.hsaco: program headers: invalid data")
refused("segment_larger_than_memory", patched(64 + 56 + 40, struct.pack("<Q", 1 << 62)),
        r"k\.hsaco: program headers: segments span 0x4000000000000000 bytes, at most 0x4000000")

# ---- sources

refused("source_that_does_not_assemble", source("  s_frobnicate s0, s1"),
        [r"k\.s:\d+:\d+: error: invalid instruction"], path="k.s")
refused("source_that_does_not_compile", "kernel void victim(global int* x) { *x = y; }\n",
        [r"k\.cl:1:\d+: error: use of undeclared identifier 'y'"], path="k.cl")
for name, option, message in (
        ("of_another_machine", "-target", r'"-target": machine, steps and output of the compilation are the model\'s'),
        ("for_another_output", "-o x", r'"-o x": machine, steps and output'),
        ("misspelt", "-cl-mad-enabel", r'"-cl-mad-enabel": unknown option, .*did you mean "-cl-mad-enable"\?'),
        ("that_is_none", "TILE=8", r'"TILE=8" is no option'),
        ("without_a_value", "-D", r'"-D" has no value'),
        ("with_a_folder_that_is_not_there", "-Inone", r'"-Inone": no folder '),
        ("that_is_a_number", "8", r'got 8, expected text')):
    refused(f"option_{name}", "kernel void victim(global int* x) {}\n",
            rf"^w\.yaml:3:18: kernel\.options\[1\]: {message}",
            workload(code="k.cl\n  options: [-DA, " + option + "]", args=ARGS), path="k.cl")
refused("options_of_a_code_object", code_object, r"^w\.yaml:3:12: kernel\.options: the code is compiled already",
        workload(code="k.hsaco\n  options: -DA", args=ARGS))
refused("definition_that_is_no_integer_in_assembly", source("  s_nop 0"),
        r"^w\.yaml:3:13: kernel\.options\[0\]: \"-DA=x\": in assembly the value is an integer",
        workload(code="k.s\n  options: [-DA=x]", args=ARGS), path="k.s")
refused("source_without_a_kernel", ".text\n  s_endpgm\n",
        r"k\.s: symbol table: no kernel descriptor", path="k.s")

# ---- the kernel and its arguments


def mismatch(name, message, text):
    refused(name, source("  s_nop 0", metadata=True), message, text=text, path="k.s")


mismatch("kernel_name_unknown", r"w\.yaml:\d+:\d+: .*k\.s: no kernel 'viktim'; it has victim",
         workload(name="viktim", args=ARGS))
def misfit(name, number, message, args):
    """Of an argument, which stands on a line of its own."""
    lines = workload(args=args).split("\n")
    line = next(i for i, text in enumerate(lines, 1) if "args" in text) + number + 1
    mismatch(name, rf"^w\.yaml:{line}:\d+: kernel\.args\[{number}\]: .*{message}", workload(args=args))


mismatch("argument_missing",
         r"k\.s: kernel 'victim': argument 1 'count' is missing: 1 given, 2 needed",
         workload(args=ARGS[:1]))
mismatch("all_arguments_missing", r"k\.s: kernel 'victim': argument 0 'out' is missing: 0 "
         "given, 2 needed", workload())
misfit("argument_too_many", 2, r"k\.s: kernel 'victim': argument 2 .*is one too many: the kernel has 2", ARGS + ["u32: 1"])
misfit("argument_of_a_wrong_size", 1, r"k\.s: kernel 'victim': argument 1 'count' has 4 bytes, 8 were given", [ARGS[0], "u64: 1"])
misfit("number_for_a_buffer", 0, r"argument 0 'out' is a buffer, a value was given", ["u64: 4096", ARGS[1]])
misfit("buffer_for_a_number", 1, r"argument 1 'count' is a value, a buffer was given", [ARGS[0], ARGS[0]])
mismatch("local_memory_for_a_buffer", r"argument 0 'out' is a buffer, local memory was given",
         workload(args=["local: 64", ARGS[1]]))

CASES = suite.cases
