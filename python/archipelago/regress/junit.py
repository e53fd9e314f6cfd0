# SPDX-License-Identifier: Apache-2.0
"""JUnit's XML, which CI systems show: a suite per golden file, a case per workload."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from typing import Mapping, Sequence

from archipelago.files import written
from archipelago.regress.compare import Comparison, change, explanation


def write(path: str, comparisons: Sequence[Comparison], causes: Mapping[tuple[str, str], str], counters: int) -> None:
    """`causes`: further text of (golden file, workload)."""
    root = xml.Element("testsuites", name="archipelago regress")
    for c in comparisons:
        name = c.target.name
        cases = {**dict.fromkeys(c.now.entries), **dict.fromkeys(c.now.failed), **dict.fromkeys(c.gone)}
        failures = {n: (f"{c.cycles(n)[0]} -> {c.cycles(n)[1]} cycles ({change(c.old.workloads[n], c.now.entries[n])})",
                        explanation(c.old.workloads[n], c.now.entries[n], counters)) for n in c.moved}
        failures.update({n: ("no golden entry", f"{c.now.entries[n].cycles} cycles") for n in c.new})
        failures.update({n: ("in the golden file, not in the suite", "") for n in c.gone})
        suite = xml.SubElement(root, "testsuite", name=name, tests=str(len(cases)), failures=str(len(failures)),
                               errors=str(len(c.now.failed)), skipped="0")
        for case in cases:
            element = xml.SubElement(suite, "testcase", classname=f"regress.{name}", name=case)
            if case in c.now.failed:
                xml.SubElement(element, "error", message="the run failed").text = c.now.failed[case]
            elif case in failures:
                message, said = failures[case]
                extra = causes.get((name, case), "")
                xml.SubElement(element, "failure", message=message).text = "\n".join(t for t in (said, extra) if t)
    xml.indent(root)
    with written(path, "wb") as file:
        xml.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
