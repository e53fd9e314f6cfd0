#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every member of a block that changes while it runs is in its archive().

    archive_members_test.py ROOT

Members of State structs are found by the compiler (models/common/fields.h); this is for what a
class keeps beside its State, or its base that has no archive() of its own. A member that a
checkpoint does not keep has its reason in NOT_KEPT. A Verilog twin refuses checkpoints, so its
members need none.
"""

import re
import sys
from pathlib import Path

# Wiring, names and what is given once; inputs of a unit are archived with it (unit.h).
WIRING = re.compile(
    r"^(const |static |mutable |using |friend |explicit |virtual )"
    r"|[*&] ?(const )?\w+_?( =|;|\{)"
    r"|\b(Output(Channel|Event)?|Channel|EventLink|PinBlock)<"
    r"|\b(TrackId|MissRows|InterruptMemory|Observers|ClockDomain|StatsRegistry|RunControl|PayloadPool|sc_core::\w+|\w*Spec|"
    r"\w*Identity|\w*Kind|PortMux|RingFetchCore)\b|std::function<|std::(unique|shared)_ptr<(?!CeRam)"
    r"|std::string \w+;|\*[,>]|\(|: const ")
NOT_KEPT = {
    "cp::CpCore": {"registers_": "a unit", "fetch_": "a unit",
                   "eop_": "a unit", "dma_": "a unit", "coherency_": "a unit", "ce_": "a unit",
                   "ce_fetch_": "a unit", "gds_store_": "a unit"},
    "cp::EngineCore": {"now_": "no meaning between ticks",
                       "log_": "of the observers", "profile_": "what an option asks for",
                       "debug_read_": "of a question on its way, which no checkpoint has", "debug_words_": "likewise",
                       "instruction_limit_": "an option", "armed_": "of messages",
                       "written_": "of messages", "next_written_": "of messages"},
    "cp::RegisterCore": {"now_": "no meaning between ticks", "busy_wires_": "wiring"},
    "gcn::FunctionalMachine": {"vgt_ports_": "wiring", "waves_": "no meaning between calls",
                               "waves_run_": "of the register access at hand", "reads_": "likewise",
                               "work_limit_": "an option"},
    "dma::DmaCore": {"engine_": "a unit", "copy_": "a unit"},
    "TransferCore": {"in_": "no meaning between cycles", "out_": "no meaning between cycles"},
    "CuCore": {"image_unit_": "derived of tiling_", "tiling_reset_": "of the description",
               "detailed_": "of the ledger and the observers", "ledger_": "the chip's",
               "instruction_limit_": "an option"},
    "DbCore": {"tiling_reset_": "of the description", "caches_": "wiring", "probe_": "no meaning between calls",
               "probe_unit_": "no meaning between calls", "work_lines_": "of the batch in work, which is none",
               "ahead_lines_": "no meaning between calls", "noted_": "of the batch in work, which is none"},
    "CbCore": {"tiling_reset_": "of the description", "unit_": "has no state",
               "data_probe_": "no meaning between calls", "metadata_probe_": "no meaning between calls"},
    "PaCore": {"pieces_": "no meaning between calls"},
    "ScCore": {"decoded_": "decoded again from the registers"},
    "CacheActionBroadcaster": {"back_ends_": "wiring"},
    "DppCore": {"effects_": "no meaning between calls", "instruction_limit_": "an option"},
    "GdsCore": {"done_": "no meaning between calls"},
    "SpiCore": {"data_": "no meaning between calls", "grant_": "no meaning between calls",
                "allocator_": "its state is in SpiState", "has_vgt_": "wiring",
                "has_pixels_": "wiring", "cbs_": "wiring", "has_assembler_": "wiring",
                "pixel_inputs_": "decoded again from the registers"},
    "GrbmCore": {"decode_": "of the register map", "steering_": "found again: of State::gfx_index",
                 "plain_run_": "of the register map", "busy_": "wiring",
                 "simple_": "of run_ and the spec"},
    "CommandFifoCore": {"waits_": "wiring", "known_bits_": "of the spec"},
    "SrbmCore": {"decode_": "of the register map", "busy_": "wiring"},
    "EopCore": {"samples_come_": "wiring", "depth_counts_come_": "wiring"},
    "McCore": {"wake_": "no meaning between ticks", "ports_of_": "wiring",
               "listening_": "of ports asleep, which are none", "asleep_until_": "likewise"},
    "McAddressCore": {"first_request_": "kept by the channel", "first_command_": "kept by the channel",
                      "translators_": "found again", "refused_command_": "of the last tick"},
    "PerfCore": {"counted_": "wiring", "busy_": "wiring", "watched_": "found again",
                 "cycles_": "wiring"},
    "IhCore": {"busy_": "wiring", "idle_delay_": "wiring"},
    "VgtCore": {"dma_": "a unit of its own archive()"},
}
# A word per class whose inputs' bits are kept by the channels themselves: 0 at rest.
INPUT_BITS = re.compile(r"_waiting_ = 0|\b(inputs_|asked_|answered_|waiting_) = 0")


def bodies(text, opening):
    """The texts between the braces that begin at each match of `opening`."""
    for match in opening.finditer(text):
        depth, at = 0, text.index("{", match.end() - 1)
        for end in range(at, len(text)):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            if depth == 0:
                yield match, text[at + 1:end]
                break


def members(body):
    """Declarations of the class itself: of nothing nested in it."""
    depth, line, found = 0, "", []
    for char in re.sub(r"//.*", "", body):
        if char == "{":
            depth += 1
        if depth == 0 or (char in "{}" and depth == 1):
            line += char
        if char == "}":
            depth -= 1
        if depth == 0 and char == ";":
            found.append(" ".join(line.split()))
            line = ""
    return found


def names(declaration):
    """Members with a trailing underscore that one declaration makes."""
    plain = re.sub(r"\{[^}]*\}|= [^,;]*", "", declaration)
    return re.findall(r"\b([a-z]\w*_)(?= *[,;])", plain)


def main():
    root = Path(sys.argv[1])
    headers = [p for top in ("models", "tlm") for p in sorted((root / top).rglob("*.h"))]
    opening = re.compile(r"^class (\w+)\b(?: final)?(?: : public (\w+))?[^;{]*\{", re.M)
    override = re.compile(r"\barchive\(Archive& a\) override(;| \{)")
    bases = {}  # without an archive() of their own, by folder and name
    for header in headers:
        for match, body in bodies(header.read_text(), opening):
            if not override.search(body):
                bases[header.parent, match.group(1)] = body
    checked, missing = 0, []
    for header in headers:
        text = header.read_text()
        source = header.with_suffix(".cpp")
        sources = text + (source.read_text() if source.is_file() else "")
        for match, body in bodies(text, opening):
            name = match.group(1)
            if not override.search(body):
                continue
            kept = "".join(b for _, b in bodies(sources, re.compile(
                r"\b%s::archive\(Archive& a\) (const )?(override )?\{" % name)))
            kept += "".join(b for _, b in bodies(body, re.compile(
                r"\barchive\(Archive& a\) (const )?(override )?\{")))
            checked += 1
            if "at_rest(false" in kept:
                continue
            scope = header.parent.name + "::" + name
            reasons = {**NOT_KEPT.get(name, {}), **NOT_KEPT.get(scope, {})}
            base = bases.get((header.parent, match.group(2)), "")
            for declaration in members(body) + members(base):
                if WIRING.search(declaration) or INPUT_BITS.search(declaration):
                    continue
                for member in names(declaration):
                    if not re.search(r"\b%s\b" % member, kept) and member not in reasons:
                        missing.append(f"{header.relative_to(root)}: {name}::{member} is not in "
                                       f"archive(): {declaration}")
    print("\n".join(missing))
    print(f"{checked} classes with archive(), {len(missing)} members missing")
    return 1 if missing or checked < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
