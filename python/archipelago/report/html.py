# SPDX-License-Identifier: Apache-2.0
"""A report as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from archipelago.report import plots
from archipelago.report.parts import PLOTS, Plot, Quantity, Report, Section, Table, short

_HERE = Path(__file__).resolve().parent
MANY_COLUMNS = 9  # more are set smaller


def _breakable(text: str) -> str:
    """Names of parameters and reasons may go on in the next line."""
    return re.sub(r"(?<=\w)([._])(?=[A-Za-z])", r"\1<wbr>", escape(text))


def _table(table: Table) -> str:
    numbers = [all(isinstance(row[i], (int, float, Quantity, type(None))) for row in table.rows) for i, _ in enumerate(table.header)]
    head = "".join(f'<th scope="col" tabindex="0" class="{"n" if is_number else "t"}">{_breakable(h)}</th>'
                   for h, is_number in zip(table.header, numbers))
    rows = []
    for row in table.rows:
        cells = []
        for cell, heading in zip(row, table.header):
            number = cell.value if isinstance(cell, Quantity) else cell
            is_number = isinstance(number, (int, float))
            key = f' data-sort="{number!r}"' if is_number else ""
            # On a telephone, a row is a list of its cells with their headings.
            shown = escape(short(cell)) if is_number else _breakable(short(cell))
            cells.append(f'<td{key} class="{"n" if is_number else "t"}" data-of="{escape(heading)}">{shown}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    kind = ' class="many"' if len(table.header) > MANY_COLUMNS else ""
    return f"<table{kind}>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _figure(plot: Plot) -> str:
    if not plots.is_wide(plot):
        drawing = plots.drawing(plot)
        return f"<figure><figcaption>{escape(drawing.title)}</figcaption>{drawing.in_page()}{drawing.legend()}</figure>"
    wide, narrow = plots.drawing(plot), plots.drawing(plot, is_narrow=True)
    return (f'<figure class="wide"><figcaption>{escape(wide.title)}</figcaption>{wide.in_page("on-wide")}{narrow.in_page("on-narrow")}'
            f"{wide.legend()}</figure>")


def _part(part: object) -> str:
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, PLOTS):
        return _figure(part)
    return f"<p>{escape(str(part))}</p>"


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _section(section: Section) -> str:
    return (f'<section id="{_anchor(section.title)}"><h2>{escape(section.title)}</h2><div class="parts">'
            f'{"".join(map(_part, section.parts))}</div></section>')


def _colours() -> str:
    """The variables of both themes, with which the style of a page begins."""
    style = (_HERE / "page.css").read_text()
    return style[style.index(":root"):style.index("body {")]


def pictures(report: Report) -> dict[str, str]:
    """Every drawing as an SVG file of its own, by name."""
    style = _colours() + ("text { font: 10.5px 'DejaVu Sans', Verdana, sans-serif; } text.key { fill: var(--soft); } "
                          "text.title { font-size: 12px; font-weight: bold; fill: var(--ink); }")
    out = {}
    for section in report.sections:
        for part in section.parts:
            if isinstance(part, PLOTS):
                out[f"{_anchor(part.title)}.svg"] = plots.drawing(part).alone(style)
    return out


def _head(report: Report) -> str:
    question = f'<p class="question">{escape(report.question)}</p>' if report.question else ""
    # A number stays in one line with its thousands, prefix or percent sign.
    whole = (re.sub(r"(?<=\d) (?=\d{3}\b|[kMGTmun%](?:\W|$))", "\u00a0", text) for text in report.answer)
    answer = "".join(f'<p class="answer">{escape(text)}</p>' for text in whole)
    return f'{question}{answer}<p class="facts">{escape(report.subtitle)}</p>'


def page(report: Report) -> str:
    links = "".join(f'<a href="#{_anchor(s.title)}">{escape(s.title)}</a>' for s in report.sections)
    style, script = (_HERE / "page.css").read_text(), (_HERE / "page.js").read_text()
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(report.title)}</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>{style}</style></head><body><header><h1>{escape(report.title)}</h1>{_head(report)}"
            f"<nav>{links}</nav></header><main>{''.join(map(_section, report.sections))}</main>"
            f"<script>{script}</script></body></html>\n")
