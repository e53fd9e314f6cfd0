#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes testbenches/workloads/ctm/<name>.yaml and what must come out of them: programs of CTM chips, worked out here.

    make_ctm.py [--check]      --check: compares with the files in place of writing them

Shares nothing with the model but the places of an instruction's fields.
"""

import argparse
import struct
import sys
from pathlib import Path

from ctm_program import OUT, Program
from workload_data import random_bytes, unpack

WORKLOADS = Path(__file__).resolve().parents[2] / "testbenches" / "workloads" / "ctm"


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def packed(values, kind="f"):
    return struct.pack(f"<{len(values)}{kind}", *values)


class Workload:
    """A file and the data beside it."""

    def __init__(self, name, *comment):
        self.name, self.files, self.codes = name, {}, []
        self.lines = ["# SPDX-License-Identifier: Apache-2.0", *(f"# {line}" for line in comment),
                      "# Written by scripts/reference/make_ctm.py.", "asic: r580"]

    def add(self, text):
        self.lines.append(text)

    def reference(self, what, data):
        """The name of a file with these bytes."""
        name = f"data/{self.name}.{what}.bin"
        self.files[name] = data
        return name

    def code(self, program, indent):
        """A program that several steps run is written once."""
        words = program.words()
        if words in self.codes:
            return f"*code{self.codes.index(words)}"
        self.codes.append(words)
        rows = [", ".join(f"0x{w:08x}" for w in words[i:i + 6]) for i in range(0, len(words), 6)]
        pad = " " * indent
        return f"&code{len(self.codes) - 1} {{words: [\n" + "".join(f"{pad}  {row},\n" for row in rows) + f"{pad}]}}"

    def contents(self):
        return {f"{self.name}.yaml": ("\n".join(self.lines) + "\n").encode(), **self.files}


def uniform(count, seed):
    return unpack("f32", random_bytes("f32", count, seed))


def random_data(count, seed):
    return f"random: {{type: f32, count: {count}, seed: {seed}}}"


# ---- one program ---------------------------------------------------------------------------------


def vector_add():
    w = Workload("vector_add", "The sum of two pictures, one linear and one tiled, into a tiled one.")
    width, height = 100, 41
    p = Program()
    p.load("r1", "r0", 0, last_of_group=False)
    p.load("r2", "r0", 1)
    p.both("MAD", "r1", "r1", "1", "r2")
    p.out("o0.rgba", "r1")
    n = width * height
    sums = [f32(a + b) for a, b in zip(uniform(n, 1), uniform(n, 2))]
    size = f"width: {width}, height: {height}, format: float32_1"
    w.add(f"""program:
  code: {w.code(p, 2)}
  inputs:
    - {{{size}, data: {{{random_data(n, 1)}}}}}
    - {{{size}, tiling: tiled, data: {{{random_data(n, 2)}}}}}
  outputs:
    - {{{size}, tiling: tiled, expect: {{file: {w.reference("sum", packed(sums))}}}}}""")
    return w


def matmul():
    w = Workload("matmul", "C = A B of tiled surfaces: four elements of a row in an element of a surface, a loop over the",
                 "columns of A. Rounding is that of one multiplication and one addition at a time.")
    n = 32
    a, b = uniform(n * n, 3), uniform(n * n, 4)
    c = []
    for row in range(n):
        sums = [0.0] * n
        for k in range(n):
            x = a[row * n + k]
            sums = [f32(f32(x * b[k * n + column]) + s) for column, s in enumerate(sums)]
        c += sums
    p = Program()
    p.move("r1", "0")                                  # the sums
    p.math(("MAD", "r2.rgb", "0", "0", "r0.0g0"), ("MAD", "r2.a", "0", "0", "0"))   # in A: (k / 4, row)
    p.math(("MAD", "r3.rgb", "0", "0", "r0.r00"))      # in B: (column / 4, k)
    p.repeat(0)
    p.load("r4", "r2", 0)
    for channel in "rgba":
        p.load("r5", "r3", 1)
        p.both("MAD", "r1", f"r4.{channel * 3}", "r5", "r1") if channel != "a" else \
            p.math(("MAD", "r1.rgb", "r4.aaa", "r5", "r1"), ("MAD", "r1.a", "r4.a", "r5", "r1"))
        p.math(("MAD", "r3.g", "r3.rgb", "1", "1"))
    p.math(("MAD", "r2.r", "r2.rgb", "1", "1"))
    p.end_repeat()
    p.out("o0.rgba", "r1")
    size = f"width: {n // 4}, height: {n}, format: float32_4, tiling: tiled"
    w.add(f"""program:
  code: {w.code(p, 2)}
  constants: {{int: [[{n // 4}, 0, 0]]}}
  inputs:
    - {{{size}, data: {{{random_data(n * n, 3)}}}}}
    - {{{size}, data: {{{random_data(n * n, 4)}}}}}
  outputs:
    - {{{size}, expect: {{file: {w.reference("product", packed(c))}, type: f32, rel: 1.0e-6}}}}""")
    return w


def mandelbrot():
    w = Workload("mandelbrot", "Iterations until a point leaves: a loop that each processor breaks out of by itself.")
    width, height, most = 48, 40, 40
    scale, left, top = 0.0625, -2.25, -1.25
    counts = []
    for y in range(height):
        for x in range(width):
            cr, ci = f32(x * scale + left), f32(y * scale + top)
            zr = zi = 0.0
            n = 0
            while n < most:
                rr, ii = f32(zr * zr), f32(zi * zi)
                if f32(rr + f32(ii - 4.0)) >= 0:
                    break
                new_i = f32(f32(f32(2.0 * zr) * zi) + ci)
                zr, zi = f32(f32(rr - ii) + cr), new_i
                n += 1
            counts.append(float(n))
    p = Program()
    p.math(("MAD", "r1.rg", "r0.rg", "c0.rr", "c0.gb"))       # c
    p.math(("MAD", "r2.rgb", "0", "0", "0"))                  # z
    p.math(("MAD", "r5.rgb", "0", "0", "0"))                  # iterations
    p.repeat(0)
    p.math(("MAD", "r3.rg", "r2.rg", "r2.rg", "0"))           # squares
    p.math(("MAD", "r4.r", "r3.ggg", "1", "-4"))
    p.compare(("MAD", "r4.r", "r3.rrr", "1", "r4.rrr"), ">=")
    p.break_if()
    p.math(("MAD", "r4.r", "r2.rrr", "2", "0"))
    p.math(("MAD", "r4.g", "r4.rrr", "r2.ggg", "r1.ggg"))
    p.math(("MAD", "r3.r", "r3.rrr", "1", "-r3.ggg"))
    p.math(("MAD", "r2.r", "r3.rrr", "1", "r1.rrr"))
    p.math(("MAX", "r2.g", "r4.ggg", "r4.ggg"))
    p.math(("MAD", "r5.r", "r5.rrr", "1", "1"))
    p.end_repeat()
    p.out("o0.rgba", "r5")
    w.add(f"""program:
  code: {w.code(p, 2)}
  constants: {{float: [[{scale}, {left}, {top}, 0]], int: [[{most}, 0, 0]]}}
  outputs:
    - {{width: {width}, height: {height}, format: float32_1, expect: {{file: {w.reference("count", packed(counts))}}}}}""")
    return w


def stencil():
    w = Workload("stencil", "The mean of four neighbours, which a 2x2 superfine read brings in one lookup.")
    width, height = 65, 33
    a = uniform(width * height, 5)
    at = lambda x, y: a[y * width + x]  # noqa: E731
    means = []
    for y in range(height - 1):
        for x in range(width - 1):
            total = f32(f32(at(x + 1, y) + at(x, y + 1)) + f32(at(x + 1, y + 1) + at(x, y)))
            means.append(f32(total * 0.25))
    p = Program()
    p.load("r1", "r0", 0)
    p.math(("MAD", "r2.rg", "r1.rb", "1", "r1.ga"))
    p.math(("MAD", "r2.r", "r2.rrr", "1", "r2.ggg"))
    p.math(("MAD", "r2.r", "r2.rrr", "0.25", "0"))
    p.out("o0.rgba", "r2")
    for_input = f"width: {width}, height: {height}, format: float32_1, data: {{{random_data(width * height, 5)}}}"
    for_output = f"width: {width - 1}, height: {height - 1}, format: float32_1"
    means_file = w.reference("mean", packed(means))
    w.add("steps:")
    for tiling in ("linear_inp_2x2", "tiled_inp_2x2"):
        w.add(f"""  - program:
      code: {w.code(p, 6)}
      inputs: [{{{for_input}, tiling: {tiling}}}]
      outputs: [{{{for_output}, tiling: tiled, expect: {{file: {means_file}}}}}]""")
    return w


def scatter():
    w = Workload("scatter", "A picture turned by uncached outputs: each processor says where its value goes.")
    width, height = 40, 24
    a = uniform(width * height, 6)
    turned = [a[y * width + x] for x in range(width) for y in range(height)]
    p = Program()
    p.load("r1", "r0", 0)
    p.math(("MAX", "r2.rgb", "r0.0gr", "r0.0gr"), ("MAD", "r2.a", "0", "0", "0"))
    p.math(("MAX", "r2.r", "r1.rrr", "r1.rrr"), RGB_OMOD=7)
    p.out("o2.rgba", "r2")  # TARGET 2: an index for each processor
    w.add(f"""program:
  code: {w.code(p, 2)}
  proginfo: {{uncached_outputs: true}}
  domain: [0, 0, {width - 1}, {height - 1}]
  inputs: [{{width: {width}, height: {height}, format: float32_1, tiling: tiled, data: {{{random_data(width * height, 6)}}}}}]
  outputs: [{{width: {height}, height: {width}, format: float32_1, expect: {{file: {w.reference("turned", packed(turned))}}}}}]""")
    return w


def conditional():
    w = Workload("conditional", "Outputs are written where a value is above that of the conditional buffer, which gets it then.",
                 "First the processors ask the conditional operation unit, then PE: what fails does not run.")
    width, height = 50, 30
    n = width * height
    values, old, limits = uniform(n, 7), uniform(n, 8), uniform(n, 9)
    out = [v if v > b else o for v, o, b in zip(values, old, limits)]
    updated = [v if v > b else b for v, b in zip(values, limits)]
    p = Program()
    p.load("r1", "r0", 0)
    p.math(("MAX", "o0.rgb", "r1", "r1"), ("MAX", "", "r1.r", "r1.r"), kind=OUT, RGB_OMOD=7, ALPHA_OMOD=7, W_OMASK=1,
           LAST=1)
    size = f"width: {width}, height: {height}, format: float32_1"
    w.add(f"""steps:
  - program:
      code: {w.code(p, 6)}
      inputs: [{{name: values, {size}, data: {{{random_data(n, 7)}}}}}]
      outputs: [{{name: out, {size}, tiling: tiled, data: {{{random_data(n, 8)}}}, expect: {{file: {w.reference("out", packed(out))}}}}}]
      condition: {{name: limits, {size}, data: {{{random_data(n, 9)}}}, test: greater, asked_by: dpp,
                  expect: {{file: {w.reference("limits", packed(updated))}}}}}""")
    # A constant against the buffer: where it is below, the program does not run, and the buffer keeps its value.
    half = [0.5 if 0.5 <= b else o for o, b in zip(out, updated)]
    p = Program()
    p.out("o0.rgba", "0.5")
    w.add(f"""  - program:
      code: {w.code(p, 6)}
      outputs: [{{surface: out, expect: {{file: {w.reference("half", packed(half))}}}}}]
      condition: {{surface: limits, test: less_or_equal, asked_by: pe, value: 0.5, writes: false,
                  expect: {{file: {w.reference("limits", packed(updated))}}}}}""")
    return w


# ---- several programs ----------------------------------------------------------------------------


def conversion():
    w = Workload("conversion", "Linear to tiled and back in every format, without loss.")
    width, height = 70, 37
    p = Program()
    p.load("r1", "r0", 0)
    p.out("o0.rgba", "r1")
    w.add("steps:")
    for seed, (name, kind, per_element) in enumerate((("uint16_1", "u16", 1), ("uint8_4", "u8", 4), ("float32_1", "f32", 1),
                                                      ("float32_2", "f32", 2), ("float32_4", "f32", 4)), 10):
        data = f"random: {{type: {kind}, count: {width * height * per_element}, seed: {seed}}}"
        size = f"width: {width}, height: {height}, format: {name}"
        w.add(f"""  - program:
      code: {w.code(p, 6)}
      inputs: [{{{size}, data: {{{data}}}}}]
      outputs: [{{name: tiled_{name}, {size}, tiling: tiled, expect: {{{data}}}}}]
  - program:
      code: {w.code(p, 6)}
      inputs: [{{surface: tiled_{name}}}]
      outputs: [{{{size}, pitch: 128, expect: {{{data}}}}}]""")
    return w


def halving():
    """The sum of four neighbours, of a 2x2 input."""
    p = Program()
    p.math(("MAD", "r1.rg", "r0.rg", "2", "0"))
    p.load("r2", "r1", 0)
    p.math(("MAD", "r3.rg", "r2.rb", "1", "r2.ga"))
    p.math(("MAD", "r3.r", "r3.rrr", "1", "r3.ggg"))
    p.out("o0.rgba", "r3")
    return p


def halved(values, n):
    def at(x, y):
        return values[y * n + x]
    return [f32(f32(at(2 * x + 1, 2 * y) + at(2 * x, 2 * y + 1)) + f32(at(2 * x + 1, 2 * y + 1) + at(2 * x, 2 * y)))
            for y in range(n // 2) for x in range(n // 2)]


def reduction():
    w = Workload("reduction", "A sum by halving width and height until one element is left: four elements a lookup.")
    n = 128
    values = uniform(n * n, 20)
    p = halving()
    w.add("steps:")
    source = f"width: {n}, height: {n}, format: float32_1, tiling: tiled_inp_2x2, data: {{{random_data(n * n, 20)}}}"
    while n > 1:
        values, n = halved(values, n), n // 2
        expect = f", expect: {{file: {w.reference('sum', packed(values))}}}" if n == 1 else ""
        w.add(f"""  - program:
      code: {w.code(p, 6)}
      inputs: [{{{source}}}]
      outputs: [{{name: s{n}, width: {n}, height: {n}, format: float32_1, tiling: tiled_inp_2x2{expect}}}]""")
        source = f"surface: s{n}"
    return w


def bitonic_sort():
    w = Workload("bitonic_sort", "256 numbers sorted in 36 programs: each element takes the smaller or the larger of a pair.")
    n = 256
    values = uniform(n, 21)
    p = Program()
    p.math(("MAD", "r1.rg", "r0.rr", "c0.rg", "c1.rg"))
    p.math(("FRC", "r1.rg", "r1.rg"))
    p.math(("CND", "r2.r", "-c0.bbb", "c0.bbb", "r1.rrr"))
    p.math(("MAD", "r2.rg", "r2.r0", "1", "r0.rg"))
    p.load("r3", "r0", 0, last_of_group=False)
    p.load("r4", "r2", 0)
    p.math(("CND", "r1.rg", "1", "0", "r1.rg"))
    p.math(("MAD", "r1.r", "r1.rrr", "1", "-r1.ggg"))
    p.math(("MIN", "r5.r", "r3.rrr", "r4.rrr"), RGB_OMOD=7)
    p.math(("MAX", "r5.g", "r3.rrr", "r4.rrr"), RGB_OMOD=7)
    p.math(("CND", "r5.r", "r5.ggg", "r5.rrr", "|r1.rrr|"), RGB_OMOD=7)
    p.out("o0.rgba", "r5")
    w.add("steps:")
    source = f"name: a, width: {n}, format: float32_1, data: {{{random_data(n, 21)}}}"
    target = f"name: b, width: {n}, format: float32_1"
    names = ["a", "b"]
    passes = [(k, j) for k in (2 << i for i in range(8)) for j in (k >> s for s in range(1, k.bit_length()))]
    for number, (k, j) in enumerate(passes):
        constants = [[1 / (2 * j), 1 / (2 * k), j, 0], [0.25 / j, 0.25 / k, 0, 0]]
        expect = f", expect: {{file: {w.reference('sorted', packed(sorted(values)))}}}" if number + 1 == len(passes) else ""
        w.add(f"""  - program:
      code: {w.code(p, 6)}
      constants: {{float: {constants}}}
      inputs: [{{{source}}}]
      outputs: [{{{target}{expect}}}]""")
        source, target = f"surface: {names[1]}", f"surface: {names[0]}"
        names.reverse()
    return w


# ---- command buffers -----------------------------------------------------------------------------

COMMANDS = {"set_cond_val": 0xC0000600, "set_domain": 0xC0030700, "start_program": 0xC0000800, "wait_for_idle": 0xC0000900,
            "set_inst_fmt": 0xC0010A00, "set_inp_fmt": 0xC0030B00, "set_out_fmt": 0xC0030C00, "inv_inst_cache": 0xC0001100,
            "inv_inp_cache": 0xC0001600, "flush_out_cache": 0xC0001700}
FLOAT32_1 = 2 << 24
LINEAR_2X2 = 2 << 16


def buffer(*commands):
    words = []
    for name, *parameters in commands:
        words += [COMMANDS[name], *(parameters or [0])]
    return "[" + ", ".join(f"0x{word:x}" for word in words) + "]"


def stale_cache():
    w = Workload("stale_cache", "Command buffers as words. What the host changes in memory is not seen before the input cache",
                 "is invalidated, and what programs write not before the output cache is flushed.")
    code, source, target = 0x100000, 0x200000, 0x300000
    p = Program()
    p.load("r1", "r0", 0)
    p.out("o0.rgba", "r1")
    n = 64
    old, new = list(range(n)), list(range(1000, 1000 + n))
    run = (("start_program",), ("wait_for_idle",))

    def words(values):
        return "[" + ", ".join(str(v) for v in values) + "]"

    def expect(values, comment):
        w.add(f"  # {comment}\n  - expect: {{address: {target:#x}, words: {words(values)}}}")

    code_words = ", ".join(f"0x{x:08x}" for x in p.words())
    w.add(f"""memory:
  - {{address: {code:#x}, words: [{code_words}]}}
  - {{address: {source:#x}, words: {words(old)}}}
  - {{address: {target:#x}, fill: 0, size: 4096}}
steps:""")
    setup = (("set_inst_fmt", code, FLOAT32_1 | 1024), ("inv_inst_cache",), ("set_inp_fmt", 0, source, FLOAT32_1 | n, 1),
             ("set_out_fmt", 0, target, FLOAT32_1 | n, 1), ("inv_inp_cache",), ("set_domain", 0, 0, n - 1, 0))

    def submit(*commands):
        w.add(f"  - {{ring: ctm, words: {buffer(*commands)}}}\n  - {{wait: ctm}}")

    submit(*setup, *run)
    expect([0] * n, "in the output cache")
    submit(("flush_out_cache",))
    expect(old, "in memory")
    w.add(f"  - memory: {{address: {source:#x}, words: {words(new)}}}\n"
          f"  - memory: {{address: {target:#x}, fill: 0, size: 4096}}")
    submit(*run, ("flush_out_cache",))
    expect(old, "old data: of the input cache")
    submit(("inv_inp_cache",), *run, ("flush_out_cache",))
    expect(new, "new data: of memory")
    return w


def reduction_in_a_buffer():
    w = Workload("reduction_in_a_buffer", "The halvings of a sum in one command buffer: each start reads what the one before has written, once",
                 "that is in memory and the input cache has forgotten what was there.")
    code, surfaces, n = 0x100000, (0x200000, 0x300000), 128
    values = uniform(n * n, 21)
    count = n * n
    commands = [("set_inst_fmt", code, FLOAT32_1 | 1024), ("inv_inst_cache",)]
    level = 0
    while n > 1:
        source, target = surfaces[level % 2], surfaces[1 - level % 2]
        values, n, level = halved(values, n), n // 2, level + 1
        commands += [("set_inp_fmt", 0, source, FLOAT32_1 | LINEAR_2X2 | max(8, 2 * n), 2 * n),
                     ("set_out_fmt", 0, target, FLOAT32_1 | max(8, n), n), ("inv_inp_cache",), ("set_domain", 0, 0, n - 1, n - 1),
                     ("start_program",), ("wait_for_idle",), ("flush_out_cache",)]
    code_words = ", ".join(f"0x{x:08x}" for x in halving().words())
    w.add(f"""memory:
  - {{address: {code:#x}, words: [{code_words}]}}
  - {{address: {surfaces[0]:#x}, {random_data(count, 21)}}}
  - {{address: {surfaces[1]:#x}, fill: 0, size: {4 * count}}}
steps:
  - {{ring: ctm, words: {buffer(*commands)}}}
  - {{wait: ctm}}
  - expect: {{address: {target:#x}, file: {w.reference("sum", packed(values))}}}""")
    return w


WORKLOAD_MAKERS = (vector_add, matmul, mandelbrot, stencil, scatter, conditional, conversion, reduction, bitonic_sort,
                   reduction_in_a_buffer, stale_cache)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args(arguments).check
    wanted = {}
    for make in WORKLOAD_MAKERS:
        wanted.update(make().contents())
    status = 0
    there = {str(path.relative_to(WORKLOADS)) for path in WORKLOADS.glob("**/*") if path.is_file()}
    for name in sorted(there - set(wanted)):
        print(f"{name}: this script writes no such file")
        status = 1
    for name, contents in wanted.items():
        path = WORKLOADS / name
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)
        elif not path.exists() or path.read_bytes() != contents:
            print(f"{name}: is not what this script writes")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
