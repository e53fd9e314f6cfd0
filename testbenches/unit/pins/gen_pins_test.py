#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/gen_pins.py: what it refuses, in which words, and that its output is reproducible.

usage: gen_pins_test.py GENERATOR PINS_FOLDER
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, take  # noqa: E402

MESSAGES = """title: the messages of memory
messages:
  Answer:
    fields:
      tag: [32, "of the request"]
      data: [16, 32, "the line"]
"""

BLOCK = """block: unit
title: a unit of this test
elastic:
  inputs: "in"
  outputs: "out0=out1"
  faults: "state_error"
include: [memory]
constants:
  kLanes: [2, "of the output"]
  kWords: 4 * kLanes
enums:
  Error: {about: "Why it stopped.", values: {kNone: , kBad: "an input"}}
aliases:
  Words: [kWords, 32]
ports:
  in:
    struct: Request
    in:
      valid: [1, "a request"]
      words: [kWords, 32, "its words"]
      mask: [3, "of them", {initial: 7}]
    out:
      ready: [1, "it is taken"]
  out:
    lanes: kLanes
    in:
      ready: [1, ["the first is taken", "the second is taken"]]
    out:
      valid: [1, "an answer"]
      message: Answer
  state:
    member: ''
    edge: after
    out:
      waits: [1, "the clock may stop"]
      error: [2, "UnitPins::Error", {edge: cycle}]
clock:
  stops: "!state_waits"
  wakes: "out0"
"""

# name, text to replace, replacement, the message after the name of the file
CASES = [
    ("no width", "mask: [3,", "mask: [0,", "21: mask: 0 bits: expected 1 to 64"),
    ("wide", "mask: [3,", "mask: [65,", "21: mask: 65 bits: expected 1 to 64"),
    ("width no number", "mask: [3,", "mask: [three,", "21: mask: bits: unknown constant three"),
    ("no elements", "words: [kWords,", "words: [0,", "20: words: 0 elements: expected 1 to 4096"),
    ("constant unknown", "words: [kWords,", "words: [kWord,", "20: words: count: unknown constant kWord"),
    ("constant too early", "kLanes: [2,", "kLanes: [kWords,", "9: kLanes: unknown constant kWords"),
    ("no expression", "4 * kLanes", "4 * ", "10: kWords: '4 *' is no number"),
    ("no meaning", 'mask: [3, "of them", {initial: 7}]', "mask: [3]",
     "21: mask: expected [bits, meaning] or [count, bits, meaning]"),
    ("meaning only", 'mask: [3, "of them", {initial: 7}]', 'mask: "of them"',
     "21: mask: expected [bits, meaning] or [count, bits, meaning]"),
    ("doubled field", "mask: [3,", "valid: [3,", "21: fields: duplicate key valid"),
    ("doubled port", "  state:\n", "  out:\n", "31: ports: duplicate key out"),
    ("doubled pin", "  state:\n", "  in_valid:\n    in: {x: [1, \"\"]}\n  in:\n", "33: ports: duplicate key in"),
    ("doubled pin by lanes", "  state:\n", "  out1:\n    in: {ready: [1, \"\"]}\n  state:\n",
     "24: pin out1_ready: there are two of this name"),
    ("doubled member", '"its words"]', '"its words", {member: mask}]', "16: member in.mask: there are two of this name"),
    ("unknown key", "title: a", "titel: a", "2: block: unknown key titel (did you mean title?)"),
    ("unknown key of a port", "lanes: kLanes", "lane: kLanes", "25: port out: unknown key lane (did you mean lanes?)"),
    ("unknown key of a field", "{initial: 7}", "{inital: 7}", "21: mask: unknown key inital (did you mean initial?)"),
    ("narrow type", "{initial: 7}", "{type: uint7_t}", "21: mask: type uint7_t: expected uint8_t to uint64_t"),
    ("type too narrow", 'mask: [3, "of them", {initial: 7}]', 'mask: [9, "of them", {type: uint8_t}]',
     "21: mask: uint8_t has no 9 bits"),
    ("not the block's file", "block: unit", "block: units", "1: block units: the file is called unit.yaml"),
    ("no such message", "message: Answer", "message: Answers", "30: message Answers: there is none of this name"),
    ("no such file", "include: [memory]", "include: [memories]", "7: include: memories: no such file of messages (memory)"),
    ("meanings of lanes", ', "the second is taken"]', ', "b", "c"]', "27: ready: 3 meanings, expected 1 or 2"),
    ("contract of no port", 'inputs: "in"', 'inputs: "inn"', "4: elastic: inputs: inn: the block has none of this name"),
    ("contract of no pin", '"state_error"', '"state_fault"', "4: elastic: faults: state_fault: the block has none of this name"),
    ("state of no edge", "    edge: after\n", "", "34: state_waits: edge is missing: expected before, after, cycle"),
    ("another edge", "edge: after", "edge: behind", "33: edge: behind: expected before, after, cycle"),
    ("clock of no pin", "!state_waits", "state_wait", "38: clock: stops: state_wait: the block has none of this name"),
    ("clock of no port", 'wakes: "out0"', 'wakes: "out"', "38: clock: wakes: out: the block has none of this name"),
    ("clock of another key", "wakes:", "wake:", "39: clock: unknown key wake (did you mean wakes?)"),
    ("two contracts", "include:", 'exact_only: "why"\ninclude:', "unit.yaml: expected elastic or exact_only, one of both"),
    ("not YAML", "ports:\n", "ports: [\n", "YAML: "),
]


def run(generator, text, action=("--check",)):
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory, "pins")
        folder.mkdir()
        (folder / "memory.yaml").write_text(MESSAGES, encoding="utf-8")
        (folder / "unit.yaml").write_text(text, encoding="utf-8")
        (folder / "RULES.md").write_text("# Rules\n", encoding="utf-8")
        out = pathlib.Path(directory, "out")
        action = [str(out) if word == "OUT" else word for word in action]
        done = subprocess.run([sys.executable, "-B", generator, folder, *action], capture_output=True, text=True, check=False)
        files = {p.relative_to(out).as_posix(): p.read_text() for p in sorted(out.rglob("*")) if p.is_file()}
        return done, files


def check_output(generator, failures):
    """The files for BLOCK, the same twice."""
    done, files = run(generator, BLOCK, ("--out", "OUT"))
    if done.returncode != 0 or files != run(generator, BLOCK, ("--out", "OUT"))[1]:
        failures.append(f"the good block: status {done.returncode}, {done.stderr}, or another output")
        return
    for name, text in [("pins/unit_pins.h", "std::array<Answer, kLanes> out{};"),
                       ("pins/unit_pins.h", "ARCHIPELAGO_PIN(out1, tag, out[1].tag, 32);"),
                       ("pins/unit_pins.h", "uint8_t mask = 7;"), ("pins/memory.h", "struct Answer {"),
                       ("pins/pin_data.cpp", '{"in", "words", "its words",\n         true, offsetof(In, in) + offsetof(P::Request, words), 8, 4, 32},'),
                       ("pins/pin_data.cpp", '"UnitPins::Error: Why it stopped. 0 kNone, 1 kBad (an input)"'),
                       ("pins/pin_data.cpp", '"the clock may stop (state after the edge)"'),
                       ("pins/pin_data.cpp", '"UnitPins::Error (what happens in the cycle)"'),
                       ("pins/pin_data.cpp", '{"state_waits", false, "out0", "", ""}'),
                       ("rtl/unit/unit_ports.svh", "  input  logic [255:0] in_words,  // its words\n"),
                       ("rtl/unit/unit_ports.svh", "  output logic [1:0] state_error  // UnitPins::Error\n")]:
        if text not in files.get(name, ""):
            failures.append(f"{name} has no '{text.strip()}'")
    if "its words" in files["pins/unit_pins.h"]:
        failures.append("pins/unit_pins.h has a pin's meaning: a word of it would compile everything again")


def main():
    generator, folder = take(__doc__, generator=existing, folder=existing)
    failures = []
    shipped = subprocess.run([sys.executable, "-B", generator, folder, "--check"], capture_output=True, text=True, check=False)
    if shipped.returncode != 0:
        failures.append(f"the project's own pins are refused: {shipped.stderr}")
    check_output(generator, failures)
    for name, old, new, message in CASES:
        if old not in BLOCK:
            failures.append(f"{name}: '{old}' is not in the block any more")
            continue
        done, _ = run(generator, BLOCK.replace(old, new, 1))
        if done.returncode != 1 or message not in done.stderr or "unit.yaml" not in done.stderr or "Traceback" in done.stderr:
            failures.append(f"{name}: expected '{message}', status {done.returncode}, {done.stderr.strip()[-300:]}")
    print("\n".join(failures) or f"{len(CASES)} faulty descriptions refused")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
