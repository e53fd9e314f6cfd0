# SPDX-License-Identifier: Apache-2.0
"""For scripts/verilog-wrapper: the options of Verilator a description may give (`verilator:`)."""

import difflib
import re
import shlex

# Names as with one dash; Verilator takes any of its options with one or two.
PLAIN = ["-assert", "-autoflush", "-bbox-sys", "-bbox-unsup", "-flatten", "-no-assert",
         "-no-order-clock-delay", "-no-trace-params", "-relative-includes", "-report-unoptflat",
         "-structs-packed", "-sv", "-trace-params", "-trace-structs", "-trace-underscore",
         "-x-initial-edge"]
NUMBER = ["-converge-limit", "-error-limit", "-expand-limit", "-gate-stmts", "-if-depth",
          "-inline-mult", "-max-num-width", "-output-split", "-output-split-cfuncs",
          "-output-split-ctrace", "-reloop-limit", "-trace-depth", "-trace-max-array",
          "-trace-max-width", "-unroll-count", "-unroll-stmts"]
WORD = {"-language": r"1[38]\d\d-\d{4}", "-default-language": r"1[38]\d\d-\d{4}",
        "-timescale": r"\d+[munpf]?s/\d+[munpf]?s", "-timescale-override": r"[\dmunpfs/]+",
        "-x-assign": "0|1|fast|unique", "-x-initial": "0|fast|unique"}
FILE = {"-v": "file", "-FI": "file", "-y": "folder"}
PATTERN = r"-O[0-3a-z]|-fno-[\w-]+|-W(no|error)-[\w-]+|\+libext(\+[.\w]+)+|\+[\w-]+ext\+\w+"
# Every other option that Verilator has, by what stands against it.
REFUSED = [
    (r"-D\w.*|-U\w.*|\+define\+.*", "defines: is for that"),
    (r"-G\w.*|-pvalue\+.*", "parameters: is for that"),
    (r"-I.*|\+incdir\+.*", "include: is for that"),
    (r"-top(-module)?", "top: is for that"),
    (r"-(no-)?clk", "clock: is for that"),
    (r"-W.*", "warnings are not shown, -Werror-NAME makes one an error"),
    (r"-[fF]", "give the options themselves"),
    (r"-(no-)?timing", "the module moves by its clock, delays are not simulated"),
    (r"-(no-)?trace(-fst|-threads|-coverage)?", "waveforms are FST files, of run --fst"),
    (r"-(hierarchical|no-threads|threads(-\w+)*)", "the module runs in the simulation's one thread"),
    (r"-(no-)?pins\S*", "the wrapper takes pins as Verilator has them by itself"),
    (r"-(CFLAGS|LDFLAGS|MAKEFLAGS|compiler|j)", "how C++ is compiled is CMake's"),
    (r"-(savable|vpi|coverage\S*|prof\S*|public\S*|protect\S*|l2-name|decoration|no-decoration|private)",
     "the wrapper does not support it"),
    (r"-(pipe-filter|rr|gdb\w*|build-dep-bin|debug\S*|no-debug-leak|dump\S*|stats\S*|waiver-output)",
     "it starts programs or writes files of its own"),
    (r"-(cc|sc|exe|main|binary|build|build-jobs|make|Mdir|prefix|mod-prefix|o|lib-create|MMD|MP|no-verilate|"
     r"verilate|lint-only|xml-\w+|E|P|pp-comments|dpi-hdr-only|cdc|no-skip-identical|generate-key|"
     r"getenv|get-supported|help|version|V|quiet-exit)", "what is written, and where, is the wrapper's"),
]


class Options:
    """Checks the words of `verilator:` and collects Verilator's arguments in `arguments`."""

    def __init__(self, reader, value, base):
        self.reader = reader
        self.base = base
        self.arguments = []
        self.names = set()
        for entry in value.data if isinstance(value.data, list) else [value]:
            if not isinstance(entry.data, str):
                reader.error(entry.line, "verilator: expected options, each with its value")
                continue
            try:
                words = shlex.split(entry.data)
            except ValueError as error:
                reader.error(entry.line, f"verilator: {entry.data}: {error}")
                continue
            while words:
                self.option(entry.line, words)

    def before_inlining(self):
        """Those for reading the design as it is written, with its modules."""
        return [a for a in self.arguments if a.lstrip("-") != "flatten"]

    def option(self, line, words):
        given = words.pop(0)
        name = given[1:] if given.startswith("--") else given
        self.names.add(name)
        where = f"verilator: {given}"
        if name in PLAIN or re.fullmatch(PATTERN, name):
            self.arguments.append(given)
            return
        takes = "number" if name in NUMBER else "word" if name in WORD else FILE.get(name)
        if takes is None:
            self.refuse(line, where, name)
            words.clear()
            return
        if not words:
            self.reader.error(line, f"{where}: its {takes} is missing (\"{given} VALUE\", in one entry)")
            return
        value = words.pop(0)
        if takes == "number" and not re.fullmatch(r"-?\d{1,9}", value):
            self.reader.error(line, f"{where}: \"{value}\", expected a number")
        elif takes == "word" and not re.fullmatch(WORD[name], value):
            self.reader.error(line, f"{where}: \"{value}\", expected {WORD[name]}")
        elif takes in ("file", "folder"):
            path = self.base / value
            if not (path.is_file() if takes == "file" else path.is_dir()):
                self.reader.error(line, f"{where}: no {takes} {path}")
            value = str(path)
        self.arguments += [given, value]

    def refuse(self, line, where, name):
        for pattern, reason in REFUSED:
            if re.fullmatch(pattern, name):
                self.reader.error(line, f"{where}: not here: {reason}")
                return
        near = difflib.get_close_matches(name, [*PLAIN, *NUMBER, *WORD, *FILE], 1)
        hint = f", did you mean -{near[0]}?" if near else ""
        self.reader.error(line, f"{where}: no option of Verilator that is known here{hint}")
