# SPDX-License-Identifier: Apache-2.0
"""A report as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from archipelago.report import svg
from archipelago.report.parts import Report, Scatter, Section, Stacked, Table, short

_HERE = Path(__file__).resolve().parent


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col" tabindex="0">{escape(h)}</th>' for h in table.header)
    rows = []
    for row in table.rows:
        cells = []
        for cell in row:
            is_number = isinstance(cell, (int, float))
            key = f' data-sort="{cell!r}"' if is_number else ""
            cells.append(f'<td{key} class="{"n" if is_number else "t"}">{escape(short(cell))}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    return f'<div class="scroll"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _figure(title: str, picture: str, wide: bool) -> str:
    return f'<figure{" class=wide" if wide else ""}><figcaption>{escape(title)}</figcaption>{picture}</figure>'


def _part(part: object) -> str:
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Scatter):
        return _figure(part.title, svg.scatter(part).in_page(), False)
    if isinstance(part, Stacked):
        return _figure(part.title, svg.stacked(part).in_page(' class="wide"'), True)
    return f"<p>{escape(str(part))}</p>"


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _section(section: Section) -> str:
    return (f'<section id="{_anchor(section.title)}"><h2>{escape(section.title)}</h2><div class="parts">'
            f'{"".join(map(_part, section.parts))}</div></section>')


def pictures(report: Report) -> dict[str, str]:
    """Every drawing as an SVG file of its own, by name."""
    style = (_HERE / "page.css").read_text() + "text.title { font: bold 13px system-ui, sans-serif; fill: var(--ink); }"
    out = {}
    for section in report.sections:
        for part in section.parts:
            if isinstance(part, (Scatter, Stacked)):
                drawing = svg.scatter(part) if isinstance(part, Scatter) else svg.stacked(part)
                out[f"{_anchor(part.title)}.svg"] = drawing.alone(style)
    return out


def page(report: Report) -> str:
    links = "".join(f'<a href="#{_anchor(s.title)}">{escape(s.title)}</a>' for s in report.sections)
    style, script = (_HERE / "page.css").read_text(), (_HERE / "page.js").read_text()
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(report.title)}</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>{style}</style></head><body><header><h1>{escape(report.title)}</h1><p>{escape(report.subtitle)}</p>"
            f"<nav>{links}</nav></header><main>{''.join(map(_section, report.sections))}</main>"
            f"<script>{script}</script></body></html>\n")
