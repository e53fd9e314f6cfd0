#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What kernels of other people use of OpenCL C beyond libclc: printf, AMD's media operations, images, all versions up to 1.2.
Results are computed here.

    opencl_test.py ARCHIPELAGO
"""

import random
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

COMMAND = None
ITEMS = 64


def words(values):
    return f"[{', '.join(str(v) for v in values)}]"


class InFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-opencl-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_text(self, kernel, workload, *options, status=0):
        (self.folder / "k.cl").write_text(kernel)
        (self.folder / "w.yaml").write_text(workload)
        done = subprocess.run([str(COMMAND), "run", "w.yaml", *options], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def compile(self, kernel, *options):
        (self.folder / "k.cl").write_text(kernel)
        done = subprocess.run([str(COMMAND), "compile", "k.cl", "-o", "k.hsaco", *options], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class Printf(InFolder):
    TALK = """
kernel void talk(global const int* d, float2 v) {
  const int i = get_global_id(0);
  if (i % 16 == 1) printf("item %d: %5d|%-4u|%#x|%6.2f|%.1v2f|%s|%c|%ld%%\\n", i, d[i], (uint)i, i, i / 4.0f, v, i == 1 ? "one" : "more", 'a' + i / 16,
                          (long)i << 40);
}
kernel void done(global int* d) { if (get_global_id(0) == 0) printf("%s\\n", "done"); d[get_global_id(0)] += printf(""); }
"""
    STEPS = f"""
code: k.cl
steps:
  - kernel: {{name: done, global_size: [{ITEMS}], args: [buffer: {{name: d, series: {{count: {ITEMS}, first: 5}}}}]}}
  - kernel: {{name: talk, global_size: [{ITEMS}], local_size: [16], args: [buffer: d, f32: [1.5, -2]]}}
  - kernel: {{name: done, global_size: [{ITEMS}], args: [buffer: d]}}
expect:
  - {{buffer: d, series: {{count: {ITEMS}, first: 5}}}}
"""
    SAID = [f"talk: item {i}: {5 + i:5}|{i:<4}|{i:#x}|{i / 4:6.2f}|1.5,-2.0|{'one' if i == 1 else 'more'}|{chr(97 + i // 16)}|{i << 40}%"
            for i in range(1, ITEMS, 16)]

    def test_kernels_print_in_their_order_in_both_modes(self):
        for mode in suite.MODES:
            lines = self.run_text(self.TALK, self.STEPS, "--mode", mode).split("\n")
            self.assertEqual([lines[0], *sorted(lines[1:5]), lines[5]], ["done: done", *sorted(self.SAID), "done: done"])
        self.assertEqual(self.run_text(self.TALK, self.STEPS, "--mode", "functional", "--quiet"), "")

    def test_a_kernel_of_a_checkpoint_prints_once(self):
        (self.folder / "k.cl").write_text(self.TALK)
        self.run_text(self.TALK, self.STEPS, "--checkpoint-at", "step:2", "--checkpoint", "c")
        said = self.run_text(self.TALK, self.STEPS, "--restore", "c")
        self.assertEqual((said.count("done: done"), said.count("talk: item")), (1, 0))

    def test_a_full_buffer_says_how_much_is_lost(self):
        said = self.run_text('kernel void k(global int* d) { for (int i = 0; i < 2000; ++i) d[0] = printf("%d\\n", i); }',
                             f"kernel: {{code: k.cl, global_size: [{ITEMS}], args: [buffer: {{zeros: 4}}, ]}}\n", "--mode", "functional")
        record = 4 * (3 + 3)
        self.assertIn(f"k: (the buffer of printf is full: {ITEMS * 2000 * record + 8 - ((1 << 20) - 8) // record * record - 8} of "
                      f"{ITEMS * 2000 * record + 8} bytes are lost)", said)

    def test_what_a_kernel_printed_before_it_stopped_is_shown(self):
        said = self.run_text('kernel void k(global int* d) { printf("at %d\\n", 1); d[1 << 20] = 1; }',
                             "kernel: {code: k.cl, args: [buffer: {zeros: 4}]}\n", "--mode", "functional", status=suite.MACHINE_STOPPED)
        self.assertIn("k: at 1\n", said)


def lanes(word):
    return struct.pack("<I", word)


MEDIA = {  # by name: the result of words a, b, c
    "amd_bitalign": lambda a, b, c: ((a << 32 | b) >> (c & 31)) & 0xffffffff,
    "amd_bytealign": lambda a, b, c: ((a << 32 | b) >> 8 * (c & 3)) & 0xffffffff,
    "amd_lerp": lambda a, b, c: struct.unpack("<I", bytes((x + y + (z & 1)) >> 1 for x, y, z in zip(lanes(a), lanes(b), lanes(c))))[0],
    "amd_sad": lambda a, b, c: (c + sum(abs(x - y) for x, y in zip(lanes(a), lanes(b)))) & 0xffffffff,
    "amd_sadhi": lambda a, b, c: (c + (sum(abs(x - y) for x, y in zip(lanes(a), lanes(b))) << 16)) & 0xffffffff,
    "amd_bfe": lambda a, b, c: a >> (b & 31) & (1 << (c & 31)) - 1,
    "amd_median3": lambda a, b, c: sorted((a, b, c))[1],
    "amd_min3": lambda a, b, c: min(a, b, c),
    "amd_max3": lambda a, b, c: max(a, b, c),
}


class Functions(InFolder):
    def test_amds_media_operations_on_words_and_vectors(self):
        source = random.Random(1)
        data = [source.getrandbits(32) for _ in range(3 * ITEMS)]
        a, b, c = data[:ITEMS], data[ITEMS:2 * ITEMS], data[2 * ITEMS:]
        scalars = "".join(f"  out[{n} * {ITEMS} + i] = {name}(in[i], in[i + {ITEMS}], in[i + {2 * ITEMS}]);\n" for n, name in enumerate(MEDIA))
        kernel = f"""#pragma OPENCL EXTENSION cl_amd_media_ops : enable
kernel void media(global const uint* in, global uint* out) {{
  const uint i = get_global_id(0);
{scalars}  const uint4 v = amd_bitalign((uint4)in[i], (uint4)in[i + {ITEMS}], (uint4)(0, 8, 16, 31));
  out[{len(MEDIA)} * {ITEMS} + i] = v.y;
  out[{len(MEDIA) + 1} * {ITEMS} + i] = amd_pack((float4)(amd_unpack3(in[i]), amd_unpack2(in[i]), amd_unpack1(in[i]), amd_unpack0(in[i])));
}}
"""
        expected = [f(*operands) for f in MEDIA.values() for operands in zip(a, b, c)]
        expected += [MEDIA["amd_bitalign"](x, y, 8) for x, y in zip(a, b)] + [int.from_bytes(lanes(x), "big") for x in a]
        self.run_text(kernel, f"kernel:\n  code: k.cl\n  global_size: [{ITEMS}]\n  args:\n    - buffer: {{words: {words(data)}}}\n"
                      f"    - buffer: {{zeros: {4 * len(expected)}}}\n      expect: {{words: {words(expected)}}}\n", "--quiet", "--mode", "functional")

    def test_sources_of_all_versions_up_to_one_dot_two(self):
        for version, number in (("CL", 100), ("CL1.0", 100), ("CL1.1", 110), ("CL1.2", 120), ("CL3.0", 300)):
            self.compile(f"#if __OPENCL_C_VERSION__ != {number}\n#error\n#endif\n"
                         "kernel void k(global float* d) { d[get_global_id(0)] = sqrt(d[0]); }\n", f"-cl-std={version}")

    def test_image_functions_are_those_of_the_hardware(self):
        self.compile("""
constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void k(read_only image2d_t from, read_only image3d_t volume, read_only image2d_array_t layers, read_only image1d_t line,
              write_only image2d_t to, sampler_t given, global float4* out) {
  const sampler_t nearest = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  out[0] = read_imagef(from, nearest, at) + read_imagef(from, linear, convert_float2(at)) + read_imagef(from, given, at);
  out[1] = read_imagef(from, at) + read_imagef(volume, nearest, (int4)(at, 1, 0)) + read_imagef(line, nearest, at.x);
  out[2] = convert_float4(read_imageui(layers, nearest, (int4)(at, 2, 0)) + as_uint4(read_imagei(from, nearest, at)));
  out[3].x = get_image_width(from) + get_image_height(to) + get_image_depth(volume) + get_image_array_size(layers) + get_image_dim(from).y;
  write_imagef(to, at, out[1]);
  write_imagei(to, at, (int4)(1));
  write_imageui(to, at, (uint4)(get_image_channel_data_type(from), get_image_channel_order(to), 0, 0));
}
""")


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
