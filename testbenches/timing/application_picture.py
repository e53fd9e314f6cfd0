# SPDX-License-Identifier: Apache-2.0
"""The picture of scripts/timing-report --applications: model against published, drawn from what the table says."""

import math
import re
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "testbenches" / "timing"))
from axis import Axis  # noqa: E402

FILE = ROOT / "testbenches" / "timing" / "applications.svg"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 900, 760, 64, 28, 40, 48
INK, SOFT, GRID, BAND = "#1f2328", "#59636e", "#d1d9e0", "#e6efe6"
COLOURS = {"set": "#e8a33d", "derived": "#5aa9a3", "predicted": "#2f5f9e"}
NEAR = 1.10  # the band around the diagonal
LETTER = 6.4  # px of a name
# Where a name may stand, the best places first: px from the dot aside, px below it, to its right or left.
PLACES = sorted(((away, 4 + up, side) for away in range(12, 200, 12) for up in range(-180, 181, 12) for side in (1, -1)),
                key=lambda place: (place[0] ** 2 + 2 * (place[1] - 4) ** 2, place))


def dots(lines, classes):
    """(id, class, measured, published, unit, whether it is outside its target, whether it is well defined) of the table's rows;
    classes: (class, whether well defined) by id."""
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) > 8 and cells[0] in classes:
            kind, is_defined = classes[cells[0]]
            yield cells[0], kind, float(cells[2]), float(cells[3]), cells[4], cells[7] != "pass", is_defined


def number(x, y, size, text, anchor="start", fill=INK):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{fill}">{escape(text)}</text>'


def frame(x, y):
    low, high = 10.0 ** x.least, 10.0 ** x.most
    band = [(low, low), (low * NEAR, low), (high, high / NEAR), (high, high), (high / NEAR, high), (low, low * NEAR)]
    yield '<polygon fill="{}" points="{}"/>'.format(BAND, " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in band))
    for value, _ in x.ticks():
        label = f"{value:g}"
        yield f'<path d="M{x.at(value):.1f} {TOP}V{HEIGHT - BOTTOM}M{LEFT} {y.at(value):.1f}H{WIDTH - RIGHT}" stroke="{GRID}"/>'
        yield number(x.at(value), HEIGHT - BOTTOM + 16, 12, label, "middle", SOFT)
        yield number(LEFT - 6, y.at(value) + 4, 12, label, "end", SOFT)
    yield f'<path d="M{x.at(low):.1f} {y.at(low):.1f}L{x.at(high):.1f} {y.at(high):.1f}" stroke="{SOFT}"/>'
    yield number((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, 13, "published, in the unit of the row", "middle")
    yield (f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" font-size="13" text-anchor="middle" '
           f'fill="{INK}">model</text>')


def legend():
    at = LEFT
    for kind, colour in COLOURS.items():
        yield f'<circle cx="{at + 5}" cy="20" r="4.5" fill="{colour}" stroke="{colour}"/>'
        yield number(at + 14, 24, 12, kind)
        at += 90
    yield f'<circle cx="{at + 5}" cy="20" r="4.5" fill="#fff" stroke="{INK}"/>' + number(at + 14, 24, 12, "not well defined")
    yield f'<rect x="{at + 130}" y="14" width="22" height="12" fill="{BAND}"/>' + number(at + 158, 24, 12, "within 10 %")


def overlap(a, b):
    """Whether two (left, top, right, bottom) have a point in common."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def place(px, py, width, taken, dots_at):
    """Where a name stands of a dot at px, py: (px of its near end, baseline, side). The nearest place without another name or
    dot in it; and, where there is one, without another dot beside the line to it."""
    free = []
    for away, up, side in PLACES:
        end, base = px + side * away, py + up
        box = (min(end, end + side * width), base - 10, max(end, end + side * width), base + 3)
        if box[0] > LEFT and box[2] < WIDTH and TOP < box[1] and box[3] < HEIGHT - BOTTOM and not any(
                overlap(box, other) for other in taken):
            line = (min(px, end) - 3, min(py, base - 4) - 3, max(px, end) + 3, max(py, base - 4) + 3)
            if not any(overlap(line, (x, y, x, y)) for x, y in dots_at if math.dist((x, y), (px, py)) > 6):
                return end, base, side, box
            free.append((end, base, side, box))
    return free[0]


def names(table, x, y):
    """Names of the rows outside their targets, with lines to their dots."""
    dots_at = [(x.at(dot[3]), y.at(dot[2])) for dot in table]
    taken = [(px - 6, py - 6, px + 6, py + 6) for px, py in dots_at]
    for (px, py), (row_id, *_, is_outside, _) in zip(dots_at, table):
        if is_outside:
            end, base, side, box = place(px, py, LETTER * len(row_id), taken, dots_at)
            taken.append(box)
            yield f'<path d="M{px:.1f} {py:.1f}L{end - 2 * side:.1f} {base - 4:.1f}" stroke="{SOFT}" stroke-width="0.7"/>'
            yield number(end, base, 11, row_id, "start" if side > 0 else "end")


def axes(table):
    """Both over the same decades."""
    values = [value for dot in table for value in dot[2:4]]
    return Axis(values, LEFT, WIDTH - RIGHT, True), Axis(values, HEIGHT - BOTTOM, TOP, True)


def picture(table):
    """The SVG of rows as dots() gives them."""
    table = list(table)
    x, y = axes(table)
    shapes = [*frame(x, y), *legend(), *names(table, x, y)]
    for row_id, kind, measured, published, unit, _, is_defined in table:
        colour = COLOURS[kind]
        shapes.append(f'<circle cx="{x.at(published):.1f}" cy="{y.at(measured):.1f}" r="4.5" stroke="{colour}" stroke-width="1.5" '
                      f'fill="{colour if is_defined else "#fff"}"><title>'
                      + escape(f"{row_id}: model {measured:g}, published {published:g} {unit}") + "</title></circle>")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" role="img" '
            'aria-label="Whole programs: model against published figures">\n'
            + "\n".join(['<rect width="100%" height="100%" fill="#fff"/>', *shapes]) + "\n</svg>\n")
