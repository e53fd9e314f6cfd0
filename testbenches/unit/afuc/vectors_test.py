#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/afuc-vectors says of files that it cannot use, and of vectors that do not hold.

    vectors_test.py ARCHIPELAGO
"""
import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

VECTORS = Path(__file__).resolve().parent / "vectors"
SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "afuc-vectors"
COMMAND = ""


def first(name, key):
    """A file with the first row of `key` alone."""
    data = json.loads((VECTORS / name).read_text())
    data[key] = data[key][:1]
    return data


class VectorsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.file = Path(scratch.name) / "v.json"

    def replay(self, data, command=None):
        self.file.write_text(data if isinstance(data, str) else json.dumps(data))
        return subprocess.run([sys.executable, "-B", str(SCRIPT), "--command", command or COMMAND, str(self.file)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)

    def refused(self, data, said, command=None):
        done = self.replay(data, command)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertTrue(done.stderr.startswith("afuc-vectors: "), done.stderr)
        self.assertIn(said, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_rows_without_what_they_need(self):
        words = first("decode_words.json", "words")
        programs = first("programs.json", "programs")
        for data, path, value, said in (
                (words, ("words",), None, "v.json: no `words`"),
                (words, ("words",), 3, "v.json: words: expected a list, got 3"),
                (words, ("words", 0), 5, "v.json: words[0]: expected a map, got 5"),
                (words, ("words", 0, "word"), "zz", 'v.json: words[0]: word: expected a word, as text in hexadecimal, got "zz"'),
                (words, ("words", 0, "gen"), "a9xx", "v.json: words[0]: gen: expected a generation: a5xx, "),
                (words, ("format",), [1], "v.json: expected `format` to be one of"),
                (programs, ("programs", 0, "expect"), None, "v.json: programs[0]: no `expect`"),
                (programs, ("programs", 0, "expect", "pc"), None, "v.json: programs[0]: expect: no `pc`"),
                (programs, ("programs", 0, "expect", "events"), [["gpu", 1]],
                 "v.json: programs[0]: expect: events[0]: expected [kind, place, value]"),
                (programs, ("programs", 0, "init"), {"gpr": {"x": 1}}, "v.json: programs[0]: init: gpr: key x: expected a number"),
                (programs, ("programs", 0, "packet_table_preloaded_from_image"), 1,
                 "v.json: programs[0]: packet_table_preloaded_from_image: expected true or false, got 1"),
                (programs, ("programs", 0, "image", 0), "0x123456789", "v.json: programs[0]: image[0]: expected a word"),
                (first("rejects.json", "lines"), ("lines", 0, "asm"), None, "v.json: lines[0]: no `asm`"),
                (first("asm_snippets.json", "snippets"), ("snippets", 0, "words"), {}, "v.json: snippets[0]: words: expected a list"),
                (json.loads((VECTORS / "asm_lines.json").read_text()), ("header_word_used", "a6xx"), None,
                 "v.json: header_word_used: no `a6xx`")):
            changed = copy.deepcopy(data)
            at = changed
            for step in path[:-1]:
                at = at[step]
            if value is None:
                del at[path[-1]]
            else:
                at[path[-1]] = value
            with self.subTest(said=said):
                self.refused(changed, said)

    def test_files_and_commands_that_cannot_be_used(self):
        self.refused("[]", "v.json: expected `format` to be one of")
        self.refused("{", "v.json: ")
        self.refused(first("rejects.json", "lines"), "--command: ", "/nonexistent")

    def test_what_differs_is_status_1(self):
        data = first("decode_words.json", "words")
        self.assertEqual(self.replay(data).returncode, 0)
        data["words"][0].update(form="add", disasm="add")
        self.assertEqual(self.replay(data).returncode, 1)

    def test_a_table_that_is_not_preloaded_has_no_handler(self):
        data = first("preloaded.json", "programs")
        self.assertEqual(self.replay(data).returncode, 0)
        del data["programs"][0]["packet_table_preloaded_from_image"]
        done = self.replay(data)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the packet table has no handler", done.stdout)


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    unittest.main()
