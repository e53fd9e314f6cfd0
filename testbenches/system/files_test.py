#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files and streams of every subcommand: what is read is not written, what is written comes whole or not at all, and names
and streams that are no plain files are read or refused in words.

    files_test.py ARCHIPELAGO
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

COMMAND = None
SECONDS = 60  # no case takes so long

TWICE = """\
kernel:
  code: {code}
  name: twice
  global_size: [64, 1, 1]
  local_size: [64, 1, 1]
  args:
    - buffer: {{fill: 0x5000000, size: 256}}
      expect: {{fill: 0xa000000, size: 256}}
"""
KERNEL = '#include "factor.h"\nkernel void twice(global uint* data) { data[get_global_id(0)] *= FACTOR; }\n'

# Where each subcommand names a file that it reads: ODD stands for that.
READS = {
    "run": "run ODD", "run --asic": "run steps.yaml --asic ODD", "run --code": "run twice.yaml --code ODD",
    "run --restore": "run steps.yaml --restore ODD", "run, second": "run steps.yaml ODD",
    "run --debug": "run adreno.yaml --asic a660 --debug ODD", "run --verilog": "run steps.yaml --verilog ODD",
    "describe": "describe ODD", "check": "check ODD", "asm": "asm ODD --isa gfx6", "disasm": "disasm ODD --isa gfx6",
    "engine": "engine ODD", "compile": "compile ODD -o made", "map": "map ODD", "cosim": "cosim cp_me --workload ODD",
    "retire-diff": "retire-diff retired ODD", "rtl build": "rtl build ODD", "sweep": "sweep ODD --database new.sqlite",
    "sweep --database": "sweep sweep.yaml --database ODD", "report": "report ODD", "report, second": "report done.sqlite ODD",
    "report --weights": "report done.sqlite --weights ODD", "profile": "profile ODD", "profile --asic": "profile steps.yaml --asic ODD",
    "regress --suite": "regress --suite ODD", "regress --against": "regress --suite suite --against ODD",
    "tracediff": "tracediff timeline ODD",
}
# The same with files that are there; what they print is not empty.
PRINTS = ["run steps.yaml", "run steps.yaml steps.yaml", "describe tahiti", "check requests", "asm end.s --isa gfx6",
          "disasm end.bin --isa gfx6", "retire-diff retired retired", "rtl pins cp_me", "list", "list --coverage",
          "sweep sweep.yaml --database done.sqlite", "report done.sqlite", "report done.sqlite --text", "profile twice_object.yaml",
          "regress --suite suite", "tracediff timeline timeline", "compile --toolchain", "--help", "run --help", "sweep --help"]
# Every file that a subcommand writes: OUT stands for it, the rest for files that the same command line reads.
WRITES = {
    "run --stats": ("run twice.yaml --asic mine.yaml --stats OUT", "twice.yaml twice.cl factor.h mine.yaml base.yaml"),
    "run --trace": ("run twice.yaml --asic mine.yaml --trace OUT", "twice.yaml factor.h base.yaml"),
    "run --retire": ("run twice.yaml --asic mine.yaml --retire OUT", "twice.yaml factor.h base.yaml"),
    "run --log-file": ("run twice.yaml --asic mine.yaml --log mem,isa --log-file OUT", "twice.yaml factor.h base.yaml"),
    "run --checkpoint": ("run twice.yaml --asic mine.yaml --checkpoint-at kernel:1 --checkpoint OUT", "twice.yaml factor.h base.yaml"),
    "compile": ("compile twice.cl -o OUT", "twice.cl factor.h"),
    "asm": ("asm microcode.afuc --isa afuc:a6xx -o OUT", "microcode.afuc part.afuc"),
    "report": ("report done.sqlite -o OUT", "done.sqlite"),
    "profile": ("profile twice.yaml --asic mine.yaml -o OUT", "twice.yaml twice.cl factor.h base.yaml"),
    "sweep --csv": ("sweep compiled.yaml --database other.sqlite --csv OUT", "compiled.yaml twice.yaml twice.cl factor.h base.yaml"),
    "sweep --database": ("sweep compiled.yaml --database OUT", "compiled.yaml twice.yaml twice.cl factor.h base.yaml"),
    "regress --junit": ("regress --suite suite --junit OUT", "suite/regress.yaml suite/steps.yaml suite/golden/tahiti.json"),
}


def call(line, folder, closed=(), **options):
    """The subcommand of a line, words apart by blanks ("" is an empty one)."""
    words = ["" if word == '""' else word for word in line.split()]
    def before():
        for stream in closed:
            os.close(stream)
        options_before()
    options_before = options.pop("before", lambda: None)
    return subprocess.run([COMMAND, *words], cwd=folder, stdin=options.pop("stdin", subprocess.DEVNULL),
                          stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, text=True, errors="replace",
                          timeout=SECONDS, preexec_fn=before, **options)


MADE = None  # folder with a file of each kind


def setUpModule():
    global MADE
    scratch = tempfile.TemporaryDirectory(prefix="archipelago-files-")
    unittest.addModuleCleanup(scratch.cleanup)
    MADE = Path(scratch.name)
    chips = suite.ROOT / "configs" / "asics"
    texts = {"steps.yaml": suite.WRITE_BEEF, "twice.cl": KERNEL, "factor.h": "#define FACTOR 2\n", "twice.yaml": TWICE.format(code="twice.cl"),
             "twice_object.yaml": TWICE.format(code="twice.hsaco"), "sweep.yaml": "workload: steps.yaml\n",
             "compiled.yaml": "workload: twice.yaml\nasic: mine.yaml\n", "end.s": "s_endpgm\n",
             "requests": '{"asic": "tahiti"}\n', "mine.yaml": "base: base.yaml\nname: mine\n",
             "base.yaml": (chips / "tahiti.yaml").read_text().replace("base: ", f"base: {chips}/", 1),
             "adreno.yaml": "steps:\n  - {ring: cp, words: [0x70100000]}\n  - {wait: cp}\n",
             "microcode.afuc": '[01000001]\n[01000001]\n.include "part.afuc"\n', "part.afuc": "nop\n"}
    for name, text in texts.items():
        (MADE / name).write_text(text)
    (MADE / "end.bin").write_bytes(b"\0\0\x81\xbf")
    (MADE / "suite").mkdir()
    shutil.copy(MADE / "steps.yaml", MADE / "suite")
    os.symlink("loop", MADE / "loop")
    os.mkfifo(MADE / "fifo")
    for line in ("compile twice.cl -o twice.hsaco", "run twice.yaml --quiet --retire retired --trace timeline",
                 "sweep sweep.yaml --database done.sqlite --quiet", "regress init steps.yaml --asic tahiti --suite suite"):
        done = call(line, MADE)
        assert done.returncode == 0, (line, done.stdout, done.stderr)


class InFolder(unittest.TestCase):
    def setUp(self):
        """A copy for each test."""
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-files-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for path in MADE.iterdir():
            if path.is_symlink():
                os.symlink(os.readlink(path), self.folder / path.name)
            elif path.is_dir():
                shutil.copytree(path, self.folder / path.name)
            elif path.is_fifo():
                os.mkfifo(self.folder / path.name)
            else:
                shutil.copy(path, self.folder)

    def refused(self, done, said=""):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotEqual(done.stderr.strip(), "")
        self.assertIn(said, done.stderr)
        self.in_words(done)

    def in_words(self, done):
        for dump in ("Traceback", "terminate called", "Stack dump"):
            self.assertNotIn(dump, done.stderr)


class Files(InFolder):
    def test_odd_names_of_what_is_read_are_refused_in_words(self):
        for name, line in READS.items():
            for odd in ('""', ".", "/", "loop", "fifo", "missing"):
                before = sorted(self.folder.rglob("*"))
                if (name, odd) == ("sweep --database", "missing"):
                    continue  # it is made
                with self.subTest(command=name, odd=odd):
                    self.refused(call(line.replace("ODD", odd), self.folder))
                    self.assertEqual(sorted(self.folder.rglob("*")), before)  # nothing is left

    def test_a_fifo_that_somebody_writes_is_read(self):
        for line, text in (("asm fifo --isa gfx6", "end.s"), ("describe fifo.yaml", "base.yaml"),
                           ("run fifo", "steps.yaml"), ("check fifo", "requests"), ("sweep fifo --check --database new.sqlite", "sweep.yaml")):
            name = line.split()[1]
            with self.subTest(line=line):
                fifo = self.folder / name
                if not fifo.exists():
                    os.mkfifo(fifo)
                writer = threading.Thread(target=lambda: fifo.write_bytes((self.folder / text).read_bytes()))
                writer.start()
                done = call(line, self.folder)
                writer.join()
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_standard_output_that_cannot_be_written_is_an_error(self):
        ignored = lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # noqa: E731
        for line in PRINTS:
            with self.subTest(line=line, output="full"), open("/dev/full", "w") as full:
                self.refused(call(line, self.folder, stdout=full), "standard output: No space left on device")
            with self.subTest(line=line, output="closed"):
                self.refused(call(line, self.folder, closed=[1]), "standard output: Bad file descriptor")
            with self.subTest(line=line, output="a pipe without reader"):
                reads, writes = os.pipe()
                os.close(reads)
                done = call(line, self.folder, stdout=writes, before=ignored)
                os.close(writes)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.in_words(done)

    def test_other_streams_may_be_closed(self):
        for line in PRINTS:
            with self.subTest(line=line):
                done = call(line, self.folder, closed=[0, 2])
                self.assertEqual(done.returncode, 0)
        for line in ("asm - --isa gfx6", "disasm - --isa gfx6", "check -", "engine -"):
            with self.subTest(line=line):
                self.refused(call(line, self.folder, closed=[0]), "standard input: Bad file descriptor")

    def test_what_is_read_is_not_written(self):
        for name, (line, read) in WRITES.items():
            for file in read.split():
                with self.subTest(command=name, onto=file):
                    before = (self.folder / file).read_bytes()
                    done = call(line.replace("OUT", file), self.folder)
                    self.assertEqual((self.folder / file).read_bytes(), before)
                    self.refused(done)

    def test_a_full_disk_leaves_the_old_file(self):
        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
        for name, (line, _) in WRITES.items():
            if name in ("sweep --database", "compile", "sweep --csv", "regress --junit", "profile", "asm"):
                continue  # their own temporary files are larger; what they write, others here write alike
            with self.subTest(command=name):
                out = self.folder / "out"
                out.write_text("OLD")
                line = line.replace("twice.yaml", "twice_object.yaml").replace("OUT", "out")
                done = call(line, self.folder, before=limited)
                self.assertNotEqual(done.returncode, 0)
                self.in_words(done)
                self.assertEqual(out.read_text(), "OLD")
                self.assertEqual(list(self.folder.glob("*.part")), [])

    def test_outputs_keep_links_and_modes_and_go_through_pipes(self):
        (self.folder / "there").write_text("OLD")
        (self.folder / "there").chmod(0o640)
        os.symlink("there", self.folder / "link")
        self.assertEqual(call("run steps.yaml --quiet --stats link", self.folder).returncode, 0)
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertIn('"cycles"', (self.folder / "there").read_text())
        self.assertEqual((self.folder / "there").stat().st_mode & 0o777, 0o640)
        self.assertIn('"cycles"', call("run steps.yaml --quiet --stats /dev/stdout", self.folder).stdout)
        with open(self.folder / "redirected", "w") as out:
            self.assertEqual(call("run steps.yaml --quiet --stats /dev/stdout", self.folder, stdout=out).returncode, 0)
        self.assertIn('"cycles"', (self.folder / "redirected").read_text())
        self.refused(call("run steps.yaml --stats fifo", self.folder), "is a FIFO that nobody reads")
        self.refused(call("run steps.yaml --stats loop", self.folder), "symbolic links")


class VacuousSuccess(InFolder):
    """Runs that would end well without having done what was asked."""

    def test_a_workload_that_runs_nothing_is_refused(self):
        for text in ("", "# nothing\n", "{}\n", "steps: []\n", "memory: [{address: 0x200000, size: 4096, fill: 0}]\n"):
            with self.subTest(text=text):
                (self.folder / "empty.yaml").write_text(text)
                self.refused(call("run empty.yaml", self.folder), "nothing to run")
        self.refused(call("run /dev/null", self.folder), "nothing to run")

    def test_options_without_effect_are_refused(self):
        for line in ("run steps.yaml --mode functional --trace t", "run steps.yaml --mode functional --random-stall 5",
                     "run steps.yaml --log-file l", "cosim cp_me --asic tahiti", "report done.sqlite --text -o page",
                     "sweep sweep.yaml --by kind", "sweep sweep.yaml --dump --csv c"):
            with self.subTest(line=line):
                self.refused(call(line, self.folder))

    def test_numbers_are_of_the_kind_of_their_parameter(self):
        (self.folder / "k.cl").write_text("kernel void twice(global uint* d, int n, float f) { d[n] = f; }\n")
        text = TWICE.format(code="k.cl").split("      expect")[0]
        for n, f, said in (("f32: 1.0", "f32: 1.0", "'n' (int) is an integer, a floating-point number was given"),
                           ("i32: 1", "i32: 1", "'f' (float) is a floating-point number, an integer was given")):
            (self.folder / "k.yaml").write_text(f"{text}    - {n}\n    - {f}\n")
            self.refused(call("run k.yaml --mode functional", self.folder), said)

    def test_stores_beyond_a_buffer_fail(self):
        (self.folder / "k.cl").write_text("kernel void twice(global uint* d) { d[get_global_id(0)] = 1; }\n")
        (self.folder / "k.yaml").write_text(TWICE.format(code="k.cl").split("      expect")[0].replace("256", "200"))
        for mode in suite.MODES:
            done = call(f"run k.yaml --mode {mode}", self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("argument 0 `d`: the kernel has written beyond its 200 bytes: byte 200", done.stderr)


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
