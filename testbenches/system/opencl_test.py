#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What kernels of other people use of OpenCL C beyond libclc: printf, AMD's media operations, images, all versions up to 1.2.
Results are computed here.

    opencl_test.py ARCHIPELAGO
"""

import json
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

    def test_kernels_of_a_file_that_do_not_print_overlap_as_without_those_that_do(self):
        quiet = "kernel void a(global int* x) { for (int i = 0; i < 200; ++i) x[get_global_id(0)] += i; }\nkernel void b(global int* x) { x[get_global_id(0)] += 1; }\n"
        steps = "".join(f"  - kernel: {{name: {name}, sync: none, global_size: [{ITEMS}], args: [buffer: {{zeros: {4 * ITEMS}}}]}}\n" for name in "abab")
        def cycles(kernels, more=""):
            self.run_text(kernels, f"code: k.cl\nsteps:\n{steps}{more}", "--stats", "s.json", "--quiet")
            stats = json.loads((self.folder / "s.json").read_text())
            return [k["start"] for k in stats["kernels"]][:4]
        prints = quiet + 'kernel void c(global int* x) { printf("%d\\n", x[0]); }\n'
        self.assertEqual(cycles(prints), cycles(quiet))
        loud = f"  - kernel: {{name: c, args: [buffer: {{zeros: 4}}]}}\n"
        self.assertIn("c: 0\n", self.run_text(prints, f"code: k.cl\nsteps:\n{steps}{loud}"))

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


class Images(InFolder):
    WIDTH, HEIGHT = 16, 4

    def launch(self, kernel, args, *options, status=0, size=(16, 4)):
        return self.run_text(kernel, f"kernel:\n  code: k.cl\n  global_size: [{size[0]}, {size[1]}]\n  local_size: [{size[0]}, {size[1]}]\n"
                             f"  args:\n" + "".join(f"    - {a}\n" for a in args), *options, status=status)

    def test_texels_are_read_beyond_the_edges_as_the_sampler_says(self):
        texels = [[100 * y + x for x in range(self.WIDTH)] for y in range(self.HEIGHT)]
        image = f"image: {{width: 16, height: 4, format: r_u32, words: {words(sum(texels, []))}}}"
        kernel = """
kernel void k(read_only image2d_t from, sampler_t s, global uint* out) {
  const int x = get_global_id(0), y = get_global_id(1);
  out[y * 16 + x] = read_imageui(from, s, (int2)(x - 3, y + 2)).x + get_image_width(from) * get_image_height(from);
}
"""
        inside = lambda v, size: min(max(v, 0), size - 1)  # noqa: E731
        edges = {"clamp_to_edge": lambda x, y: texels[inside(y, 4)][inside(x, 16)],
                 "clamp": lambda x, y: texels[y][x] if 0 <= x < 16 and 0 <= y < 4 else 0}
        for address, texel in edges.items():
            expected = [texel(x - 3, y + 2) + 64 for y in range(4) for x in range(16)]
            for mode in suite.MODES:
                self.launch(kernel, [image, f"sampler: {{address: {address}}}",
                                     f"buffer: {{zeros: 256}}\n      expect: {{words: {words(expected)}}}"], "--quiet", "--mode", mode)

    def test_linear_filters_and_samplers_of_the_source(self):
        values = [float(x * x + 10 * y) for y in range(self.HEIGHT) for x in range(self.WIDTH)]
        image = f"image: {{width: 16, height: 4, format: r_f32, words: {words(struct.unpack('<64I', struct.pack('<64f', *values)))}}}"
        kernel = """
constant sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void k(read_only image2d_t from, sampler_t s, global float2* out) {
  const int x = get_global_id(0), y = get_global_id(1);
  out[y * 16 + x] = (float2)(read_imagef(from, s, (float2)(x + 1.0f, y + 0.5f)).x,
                             read_imagef(from, repeat, (float2)((x + 17.5f) / 16, (y + 0.5f) / 4)).x);
}
"""
        at = lambda x, y: values[y * 16 + min(x, 15)]  # noqa: E731
        expected = [v for y in range(4) for x in range(16) for v in ((at(x, y) + at(x + 1, y)) / 2, values[y * 16 + (x + 1) % 16])]
        bits = struct.unpack("<128I", struct.pack("<128f", *expected))
        for mode in suite.MODES:
            self.launch(kernel, [image, "sampler: {filter: linear}",
                                 f"buffer: {{zeros: 512}}\n      expect: {{words: {words(bits)}, type: f32, abs: 0.01}}"], "--quiet", "--mode", mode)

    def test_texels_are_written_and_images_have_names(self):
        kernel = """
kernel void k(write_only image2d_t to, read_only image1d_t from) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, at, (float4)(at.x / 255.0f, at.y / 255.0f, read_imagei(from, at.x).x / 255.0f, 1.0f));
}
"""
        expected = [x | y << 8 | 2 * x << 16 | 255 << 24 for y in range(4) for x in range(16)]
        line = struct.unpack("<8I", struct.pack("<16h", *range(0, 32, 2)))
        self.launch(kernel, [f"image: {{width: 16, height: 4, format: rgba_unorm8, zeros: 256, name: target}}\n      expect: {{words: {words(expected)}}}",
                             f"image: {{width: 16, format: r_i16, words: {words(line)}}}"], "--quiet", status=suite.BAD_USAGE)
        for name, kind in (("unpadded", "width: 32, format: r_i16"),):
            padded = words(list(line) + [0] * 8)
            for mode in suite.MODES:
                self.launch(kernel, [f"image: {{width: 16, height: 4, format: rgba_unorm8, zeros: 256, name: target}}\n      expect: {{words: {words(expected)}}}",
                                     f"image: {{{kind}, words: {padded}}}"], "--quiet", "--mode", mode)

    def test_a_workload_is_written_for_a_kernel_with_images(self):
        (self.folder / "new.cl").write_text("kernel void k(read_only image2d_t from, read_only image1d_t line, sampler_t s, global float4* out) {\n"
                                            "  out[get_global_id(0)] = read_imagef(from, s, (float2)(1)) + read_imagef(line, s, 1.0f);\n}\n")
        for command in ("new new.cl", "run new.yaml --quiet"):
            done = subprocess.run([str(COMMAND), *command.split()], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_example_of_the_reference_passes(self):
        page = (suite.ROOT / "testbenches" / "host" / "KERNELS.md").read_text().partition("### Images\n```c\n")[2]
        kernel, _, rest = page.partition("```\n```yaml\n")
        for mode in suite.MODES:
            self.run_text(kernel, "kernel:\n  code: k.cl\n  global_size: [16, 2]\n  args:\n" + rest.partition("```")[0], "--quiet", "--mode", mode)

    def test_what_does_not_fit_is_refused_at_its_place(self):
        kernel = "kernel void k(read_only image2d_t from, sampler_t s, global uint* out) { out[0] = read_imageui(from, s, (int2)0).x; }"
        good = ["image: {width: 16, height: 4, format: r_u32, zeros: 256}", "sampler: {}", "buffer: {zeros: 4}"]
        for number, wrong, said in ((0, "buffer: {zeros: 256}", "argument 0 'from' (image2d_t) is an image, a buffer was given"),
                                    (1, "u32: 1", "argument 1 's' (sampler_t) is a sampler, a value was given"),
                                    (2, good[0], "argument 2 'out' (uint*) is a buffer, an image was given"),
                                    (0, "image: {width: 15, height: 4, format: r_u32, zeros: 240}", "w.yaml:6:22: kernel.args[0].image.width: 15, expected a multiple of 16"),
                                    (0, "image: {width: 16, format: rgb_u8, zeros: 4}", 'w.yaml:6:34: kernel.args[0].image.format: got text "rgb_u8", expected one of: r_unorm8'),
                                    (0, "image: {width: 16, height: 4, format: r_u32, zeros: 4}", "4 bytes, expected 256: 16 by 4 texels of 4"),
                                    (1, "sampler: {filter: cubic}", 'kernel.args[1].sampler.filter: got text "cubic", expected one of: nearest, linear')):
            args = list(good)
            args[number] = wrong
            self.assertIn(said, self.launch(kernel, args, "--mode", "functional", status=suite.BAD_USAGE, size=(1, 1)))


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
