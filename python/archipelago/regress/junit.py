# SPDX-License-Identifier: Apache-2.0
"""JUnit's XML, which CI systems show: a suite per golden file, a case per workload, with the seconds of its run."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from itertools import groupby
from typing import Sequence

from archipelago.files import written
from archipelago.regress.results import FAILED, GOOD, Result


def write(path: str, results: Sequence[Result], counters: int) -> None:
    root = xml.Element("testsuites", name="archipelago regress", time=f"{sum(r.seconds for r in results):.3f}")
    for target, listed in groupby(results, key=lambda r: r.target):
        _add_suite(root, target, list(listed), counters)
    xml.indent(root)
    with written(path, "wb") as file:
        xml.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)


def _add_suite(root: xml.Element, target: str, results: Sequence[Result], counters: int) -> None:
    failed = sum(r.status == FAILED for r in results)
    moved = sum(r.status not in GOOD for r in results) - failed
    suite = xml.SubElement(root, "testsuite", name=target, tests=str(len(results)), failures=str(moved), errors=str(failed),
                           skipped="0", time=f"{sum(r.seconds for r in results):.3f}")
    for r in results:
        case = xml.SubElement(suite, "testcase", classname=f"regress.{target}", name=r.workload, time=f"{r.seconds:.3f}")
        if r.file:
            case.set("file", r.file)
        if r.status == FAILED:
            xml.SubElement(case, "error", message="the run failed", type=r.status).text = r.why
        elif r.status not in GOOD:
            xml.SubElement(case, "failure", message=r.said(), type=r.status).text = r.explained(counters)
