# SPDX-License-Identifier: Apache-2.0
"""Programs of scripts/timing-report --applications that multiply matrices, or add up their rows and columns."""

import array
import random

from programs.launch import PATTERN, Launch, patterned

def sgemm(files, show, length):
    """`length` terms of each sum, for the first columns of C. Small integers, so that no order of adding rounds. Columns of A
    and C are `size` apart, those of B too unless `by_terms`, where its rows are. `padding`: numbers between columns of B."""
    size, columns, numbers = show["size"], show["columns"], random.Random(1)
    by_terms, pitch = show.get("by_terms", False), size + show.get("padding", 0)
    a = array.array("f", numbers.choices(range(-3, 4), k=size * length))
    b = array.array("f", numbers.choices(range(-3, 4), k=pitch * (length if by_terms else columns)))
    out = files("out")
    for name, matrix in (("a", a), ("b", b)):
        files(name).write_bytes(matrix.tobytes())

    def right(data):
        """Freivalds' check: C times a vector is A times B times it."""
        c, vector = array.array("f", data), numbers.choices(range(1, 1000), k=columns)
        terms = (b[k * pitch:k * pitch + columns] if by_terms else b[k::pitch] for k in range(length))
        middle = [sum(map(float.__mul__, row, map(float, vector))) for row in terms]
        return all(sum(map(float.__mul__, c[row::size], map(float, vector)))
                   == sum(map(float.__mul__, a[row::size], middle)) for row in range(size))

    rows, columns_of_item = show["block"]
    return Launch({"global_size": [size // rows, columns // columns_of_item], "args": [
        {"buffer": {"file": str(files("a"))}}, {"buffer": {"file": str(files("b"))}},
        {"buffer": {"zeros": 4 * size * columns}, "dump": str(out)},
        {"u32": length}, {"u32": size}, {"u32": pitch}, {"u32": size}]},
        out, 2 * size * columns * length, right, 4 * (size + columns) * length)


def transpose_tiles(files, show, length):
    """B with rows and columns exchanged, before a product: `length` rows of tiles of 64. The work is the product's share of it."""
    size, rows, out = show["size"], 64 * length, files("out")
    files("in").write_bytes(patterned("f", size * rows))

    def right(data):
        turned = memoryview(data).cast("f")
        return all(turned[i % size * size + i // size] == i % PATTERN
                   for i in random.Random(1).sample(range(size * rows), 1000))

    return Launch({"global_size": [size // 4, rows // 4], "args": [
        {"buffer": {"file": str(files("in"))}}, {"buffer": {"zeros": 4 * size * size}, "dump": str(out)}, {"u32": size // 4}]},
        out, 2 * size * size * rows, right, 4 * size * rows)


# ---- sums in memory ------------------------------------------------------------------------------------------------
def small(i):
    """Number i of a patterned matrix: small, so that no order of adding rounds."""
    return i * 5 % 7 - 3.0


def element(i):
    return small(i % PATTERN)


SAMPLE = 200  # results that are compared


def sums(files, show, length):
    """`length` terms of the sums of a square matrix's rows, or columns, each times a number of a vector."""
    size, out = show["size"], files("out")
    across, down = (1, size) if show["step"] == "rows" else (size, 1)
    files("a").write_bytes(patterned("f", size * size, small))

    def right(data):
        results = array.array("f", data)
        return all(results[i] == sum(element(i * down + k * across) * element(k) for k in range(length))
                   for i in random.Random(1).sample(range(size), SAMPLE))

    files("vector").write_bytes(patterned("f", size, small))
    return Launch({"global_size": [size], "args": [
        {"buffer": {"file": str(files("a"))}}, {"buffer": {"file": str(files("vector"))}},
        {"buffer": {"zeros": 4 * size}, "dump": str(out)}, {"u32": length}, {"u32": size}]},
        out, length / size, right, 4 * (size + 1) * length)


def column_products(files, show, length):
    """`length` terms of the products of each column with the first of those behind it (`skip`: 1, or from itself on, 0). The work
    is a share of what the first column's work-item does."""
    size, skip, out = show["size"], show["skip"], files("out")
    pitch = size + 1
    files("a").write_bytes(patterned("f", size * pitch, small))

    def right(data):
        results = array.array("f", data)
        return all(results[first * pitch + first + skip] == results[(first + skip) * pitch + first] == sum(
            element(k * pitch + first) * element(k * pitch + first + skip) for k in range(length))
                   for first in random.Random(1).sample(range(size - skip), SAMPLE))

    return Launch({"global_size": [size], "args": [
        {"buffer": {"zeros": 4 * size * pitch}, "dump": str(out)}, {"buffer": {"file": str(files("a"))}},
        {"u32": skip}, {"u32": 1}, {"u32": length}, {"u32": pitch}]},
        out, length / size / (size - skip), right, 4 * size * length)


def syrk(files, show, length):
    """`length` terms of the first rows of C = 2 A A' + C / 2. The work is a share of all rows and terms."""
    size, rows, out = show["size"], show["rows"], files("out")
    files("a").write_bytes(patterned("f", size * size, small))
    files("c").write_bytes(patterned("f", size * rows, float))

    def right(data):
        results = array.array("f", data)
        return all(results[i] == i % PATTERN / 2 + 2 * sum(
            element(i // size * size + k) * element(i % size * size + k) for k in range(length))
                   for i in random.Random(1).sample(range(size * rows), SAMPLE))

    return Launch({"global_size": [size, rows], "args": [
        {"buffer": {"file": str(files("c"))}, "dump": str(out)}, {"buffer": {"file": str(files("a"))}},
        {"f32": 2.0}, {"f32": 0.5}, {"u32": length}, {"u32": size}]},
        out, rows * length / size / size, right, 4 * size * length)
