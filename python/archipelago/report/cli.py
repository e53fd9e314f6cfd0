# SPDX-License-Identifier: Apache-2.0
"""archipelago report RESULTS [RESULTS]: a sweep's results as one self-contained HTML page, or as text; of two sets, what
moved between them and the counters that explain it.

Area and energy are the user's numbers: --weights names a YAML file, as
    energy: {valu_instructions: 12 pJ, mc.bytes_read: 60 pJ, seconds: 20 W}
    area: {cu: 5.2 mm2, tcc: 1.5 mm2}"""

from __future__ import annotations

import argparse
from pathlib import Path

from archipelago.database import Database
from archipelago.errors import DONE, Refused, writing
from archipelago.files import need_plain, written
from archipelago.options import OptionParser
from archipelago.outputs import check_folder, check_outputs
from archipelago.report import build, difference, html, text
from archipelago.report.data import ResultSet
from archipelago.yaml_file import did_you_mean


def main(arguments: list[str]) -> int:
    parser = OptionParser(prog="archipelago report", description=__doc__,
                          formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="database of a sweep")
    parser.add_argument("after", nargs="?", help="another, to compare with")
    parser.add_argument("-o", "--output", help="page to write (default: RESULTS with .html)")
    parser.add_argument("--text", action="store_true", help="print it instead")
    parser.add_argument("--pictures", default="", metavar="FOLDER", help="write every drawing there as an SVG file, too")
    parser.add_argument("--weights", default="", help="YAML of metrics: the weight of each counter or unit")
    parser.add_argument("--metric", action="append", default=[], help="a further metric: a counter, as tcc.read_hits")
    a = parser.parse_args(arguments)
    if a.text and a.output:
        parser.error("-o: --text prints the report instead of writing a page")
    databases: list[str] = [file for file in (a.results, a.after) if file]
    for database in databases:
        need_plain(database, "the database of a sweep")
    path = "" if a.text else a.output or str(Path(a.results).with_suffix(".html").name)
    inputs = [a.results, a.after or "", a.weights]
    check_outputs([("-o", path)], inputs)
    check_folder("--pictures", a.pictures)
    with Database(a.results) as first:
        results = ResultSet(first, a.weights, Path(a.results).name)
        if a.after:
            with Database(a.after) as second:
                made = difference.build(results, ResultSet(second, a.weights, Path(a.after).name))
        else:
            for name in a.metric:
                if results.done and not any(results.value(p, name) is not None for p in results.done):
                    raise Refused(f"--metric {name}: no counter is called so, expected one as tcc.read_hits"
                                  + did_you_mean(name, results.metrics.counters()))
            made = build.build(results, a.metric)
    if a.pictures:
        pictures = html.pictures(made)
        if Path(a.pictures).is_dir():
            check_outputs([("-o", path), *(("--pictures", str(Path(a.pictures) / name)) for name in pictures)], inputs)
        with writing(a.pictures):
            Path(a.pictures).mkdir(parents=True, exist_ok=True)
        write_pictures(pictures, Path(a.pictures))
    if a.text:
        print("\n".join(text.lines(made)))
        return DONE
    with written(path) as page:
        page.write(html.page(made))
    print(path)
    return DONE


def write_pictures(pictures: dict[str, str], folder: Path) -> None:
    for name, picture in pictures.items():
        with written(folder / name) as file:
            file.write(picture)
